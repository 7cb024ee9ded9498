// Weights for any mesh and any bones: screened diffusion through the cells that the mesh fills (after Baran and Popovic 2007
// and Chen et al. 2012).
#include "base/internal.h"
#include "geom/volume/voxels.h"
#include "rig/weights/weights_cells.h"
#include "solve/lattice/lattice_weights.h"
#include "supple/rig.h"

#include <math.h>
#include <string.h>

enum {
    BONE_SAMPLES = 16, // samples along a bone that are tested for lying inside
    KEPT = 16,         // influences of a point unless options set another number
    GRAIN = 512,
    CELLS_LEAST = 8, // for any mesh, however much of its box it fills
    // The most particles that weights spread over unless the user chose the number of cells. Characters have up to 25,000, a
    // horse with gaps between its legs 90,000, and the time for every eight joints grows with that times its cube root; soup
    // that fills its box gets coarser cells.
    PARTICLES_MOST = 120000,
};
#define CELLS_A_PARTICLE 0.85 // share of that limit for soup: a grid that has to be remade should be the last
#define LEAST_WEIGHT 1e-3f
#define SOLVING 0.2       // approximate share of the time that has passed when this begins
#define IDLE_WEIGHT 0.05f // a joint whose weights are all below this moves no flesh of its own

typedef struct influence {
    float    weight;
    uint32_t owner;
} influence;

// One batch of groups of eight owners is solved at once, each with memory of its own.
typedef struct weights_maker {
    const sup_mesh*                 mesh;
    uint32_t                        bone_count;
    const sup_bone*                 bones;
    const sup_auto_weights_options* options;
    sup_arena*                      scratch;

    uint32_t            owner_count;
    const uint32_t*     owners; ///< of each bone
    const uint32_t*     joints; ///< of each owner
    sup_voxels          voxels;
    sup_lattice_weights lattice;

    uint32_t           first, batch, batch_workspace; ///< groups
    float**            solved;                   ///< per group of the batch: particles x 8
    float**            work;
    sup_diffusion_run* runs;
    uint32_t*          cells; ///< of each point
    float*             places;
    influence*         kept; ///< cells x SUP_CELL_JOINTS, heaviest first; NULL: not requested
    uint32_t           keep;
    influence*         of_cells; ///< cells x SUP_CELL_JOINTS, likewise; NULL: nobody asked
} weights_maker;

// ---------------------------------------------------------------------------------------------- owners
static sup_result list_owners(weights_maker* w, sup_error* error)
{
    uint32_t most = 0;
    for (uint32_t b = 0; b < w->bone_count; ++b)
        if (w->bones[b].joint > most) most = w->bones[b].joint;
    uint32_t* owner = SUP_NEW(w->scratch, uint32_t, (size_t)most + 1);
    uint32_t* owners = SUP_NEW(w->scratch, uint32_t, w->bone_count);
    uint32_t* joints = SUP_NEW(w->scratch, uint32_t, (size_t)most + 1);
    if (!owner || !owners || !joints) return sup_fail_memory(error, "weights");
    for (uint32_t b = 0; b < w->bone_count; ++b) owner[w->bones[b].joint] = 1;
    for (uint32_t j = 0; j <= most; ++j) {
        if (!owner[j]) continue;
        joints[w->owner_count] = j;
        owner[j] = w->owner_count++;
    }
    for (uint32_t b = 0; b < w->bone_count; ++b) owners[b] = owner[w->bones[b].joint];
    w->owners = owners;
    w->joints = joints;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- solving

static void solve_group(void* data, uint32_t begin, uint32_t end)
{
    weights_maker* w = data;
    for (uint32_t g = begin; g < end; ++g)
        sup_lattice_weights_solve(&w->lattice, w->first + g, &w->runs[g], w->solved[g], w->work[g]);
}

static sup_result report(const weights_maker* w, double share, sup_error* error)
{
    if (sup_progress_report(w->options->progress, share, "weights")) return SUP_OK;
    return sup_fail(error, SUP_ERROR_CANCELLED, "cancelled while making weights");
}

// Solves every group of the batch, in portions of some tenths of a second.
static sup_result solve_batch(weights_maker* w, uint32_t groups, sup_auto_weights* out, sup_error* error)
{
    sup_result result = SUP_OK;
    memset(w->runs, 0, w->batch * sizeof *w->runs);
    for (bool ended = false; !ended && result == SUP_OK;) {
        sup_tasks_run(w->options->tasks, w->batch, 1, solve_group, w);
        ended = true;
        for (uint32_t g = 0; g < w->batch; ++g) ended &= w->runs[g].ended;
        result = report(w, SOLVING + (1 - SOLVING) * w->first / groups, error);
    }
    for (uint32_t g = 0; g < w->batch && !w->lattice.steps; ++g)
        if (w->runs[g].iterations > out->iterations) out->iterations = w->runs[g].iterations;
    return result;
}

static void keep(influence* list, uint32_t most, uint32_t owner, float weight)
{
    if (!(weight > list[most - 1].weight)) return;
    uint32_t i = most - 1;
    for (; i && weight > list[i - 1].weight; --i) list[i] = list[i - 1];
    list[i] = (influence){ weight, owner };
}

static void sample_points(void* data, uint32_t begin, uint32_t end)
{
    const weights_maker* w = data;
    for (uint32_t p = begin; p < end; ++p) {
        const uint32_t* corners = w->voxels.particles + 8 * (size_t)w->cells[p];
        const float*    at = w->places + 3 * (size_t)p;
        float           share[8];
        for (int k = 0; k < 8; ++k)
            share[k] = (k & 1 ? at[0] : 1 - at[0]) * (k & 2 ? at[1] : 1 - at[1]) * (k & 4 ? at[2] : 1 - at[2]);
        for (uint32_t g = 0; g < w->batch; ++g) {
            float sum[SUP_LANES] = { 0 };
            for (int k = 0; k < 8; ++k)
                for (int i = 0; i < SUP_LANES; ++i) sum[i] += share[k] * w->solved[g][(size_t)corners[k] * SUP_LANES + i];
            for (uint32_t i = 0; i < SUP_LANES; ++i)
                keep(w->kept + (size_t)p * w->keep, w->keep, (w->first + g) * SUP_LANES + i, sum[i]);
        }
    }
}

// At the center of each cell.
static void sample_cells(void* data, uint32_t begin, uint32_t end)
{
    const weights_maker* w = data;
    for (uint32_t c = begin; c < end; ++c)
        for (uint32_t g = 0; g < w->batch; ++g)
            for (uint32_t i = 0; i < SUP_LANES; ++i) {
                float sum = 0;
                for (int k = 0; k < 8; ++k)
                    sum += w->solved[g][(size_t)w->voxels.particles[8 * (size_t)c + (size_t)k] * SUP_LANES + i];
                keep(w->of_cells + (size_t)c * SUP_CELL_JOINTS, SUP_CELL_JOINTS, (w->first + g) * SUP_LANES + i, sum / 8);
            }
}

// Points that no triangle uses may lie where there is no cell.
static sup_result place_points(weights_maker* w, sup_auto_weights* out, sup_error* error)
{
    const uint32_t* nearest = NULL;
    uint32_t        count = w->mesh->point_count;
    w->cells = SUP_NEW(w->scratch, uint32_t, count);
    w->places = SUP_NEW(w->scratch, float, 3 * (size_t)count);
    if (!w->cells || !w->places) return sup_fail_memory(error, "weights");
    for (uint32_t p = 0; p < count; ++p) {
        w->cells[p] = sup_voxels_find(&w->voxels, w->mesh->points[p], w->places + 3 * (size_t)p);
        if (w->cells[p] == SUP_NONE) {
            if (!nearest) {
                sup_result result = sup_voxels_nearest(&w->voxels, w->scratch, &nearest, error);
                if (result != SUP_OK) return result;
            }
            const sup_voxels* v = &w->voxels;
            uint32_t          at = 0, step = 1;
            for (int a = 0; a < 3; ++a) {
                double g = floor(((double)(&w->mesh->points[p].x)[a] - v->origin[a]) / v->h);
                at += step * (uint32_t)fmin(fmax(g, 0), v->size[a] - 1.0);
                step *= v->size[a];
                w->places[3 * (size_t)p + (size_t)a] = 0.5f;
            }
            w->cells[p] = nearest[at];
        }
        out->lost_points += w->lattice.near.lost[w->voxels.components[w->voxels.particles[8 * (size_t)w->cells[p]]]];
    }
    return SUP_OK;
}

static sup_result solve_all(weights_maker* w, sup_auto_weights* out, sup_error* error)
{
    uint32_t groups = (w->owner_count + SUP_LANES - 1) / SUP_LANES,
             workers = w->options->tasks ? w->options->tasks->workers : 1;
    w->batch_workspace = groups < 2 * workers ? groups : 2 * workers;
    w->solved = SUP_NEW(w->scratch, float*, w->batch_workspace);
    w->work = SUP_NEW(w->scratch, float*, w->batch_workspace);
    w->runs = SUP_NEW(w->scratch, sup_diffusion_run, w->batch_workspace);
    w->kept = SUP_NEW(w->scratch, influence, (size_t)w->mesh->point_count * w->keep);
    if (w->options->keep_cells) w->of_cells = SUP_NEW(w->scratch, influence, (size_t)w->voxels.cell_count * SUP_CELL_JOINTS);
    if (!w->solved || !w->work || !w->runs || !w->kept || (w->options->keep_cells && !w->of_cells))
        return sup_fail_memory(error, "weights");
    for (uint32_t g = 0; g < w->batch_workspace; ++g) {
        w->solved[g] = SUP_NEW(w->scratch, float, (size_t)w->voxels.particle_count* SUP_LANES);
        w->work[g] = SUP_NEW(w->scratch, float, sup_diffusion_work(w->voxels.particle_count));
        if (!w->solved[g] || !w->work[g]) return sup_fail_memory(error, "weights");
    }
    for (w->first = 0; w->first < groups; w->first += w->batch_workspace) {
        w->batch = groups - w->first < w->batch_workspace ? groups - w->first : w->batch_workspace;
        sup_result result = solve_batch(w, groups, out, error);
        if (result != SUP_OK) return result;
        sup_tasks_run(w->options->tasks, w->mesh->point_count, GRAIN, sample_points, w);
        if (w->of_cells) sup_tasks_run(w->options->tasks, w->voxels.cell_count, GRAIN, sample_cells, w);
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- result

// How many influences of a point to keep: all but the faint ones, and at least one.
static uint32_t count_kept(const weights_maker* w, uint32_t p, double* sum)
{
    const influence* list = w->kept + (size_t)p * w->keep;
    double           total = 0;
    uint32_t         n = 0;
    for (uint32_t i = 0; i < w->keep; ++i) total += (double)list[i].weight;
    *sum = 0;
    while (n < w->keep && list[n].weight > 0 && (n == 0 || (double)list[n].weight > (double)LEAST_WEIGHT * total))
        *sum += (double)list[n++].weight;
    return n ? n : 1;
}

static sup_result write_weights(const weights_maker* w, sup_arena* arena, sup_weights* out, sup_error* error)
{
    uint32_t  points = w->mesh->point_count;
    double    sum;
    uint32_t* begin = SUP_NEW(arena, uint32_t, (size_t)points + 1);
    if (!begin) return sup_fail_memory(error, "weights");
    for (uint32_t p = 0; p < points; ++p) begin[p + 1] = begin[p] + count_kept(w, p, &sum);
    uint32_t* joints = SUP_NEW(arena, uint32_t, begin[points]);
    float*    values = SUP_NEW(arena, float, begin[points]);
    if (!joints || !values) return sup_fail_memory(error, "weights");
    *out = (sup_weights){ .begin = begin, .joints = joints, .values = values, .sum_min = 1, .sum_max = 1 };
    for (uint32_t p = 0; p < points; ++p) {
        uint32_t n = count_kept(w, p, &sum);
        if (n > out->influences_max) out->influences_max = n;
        for (uint32_t i = 0; i < n; ++i) {
            influence k = w->kept[(size_t)p * w->keep + i];
            joints[begin[p] + i] = w->joints[k.owner];
            values[begin[p] + i] = sum > 0 ? (float)((double)k.weight / sum) : 1.0f;
        }
    }
    return SUP_OK;
}

static sup_result write_cells(const weights_maker* w, sup_arena* arena, sup_auto_weights* out, sup_error* error)
{
    const sup_voxels* v = &w->voxels;
    if (!w->of_cells) return SUP_OK;
    sup_vec3* centers = SUP_NEW(arena, sup_vec3, v->cell_count);
    uint32_t* joints = SUP_NEW(arena, uint32_t, (size_t)v->cell_count * SUP_CELL_JOINTS);
    float*    values = SUP_NEW(arena, float, (size_t)v->cell_count* SUP_CELL_JOINTS);
    if (!centers || !joints || !values) return sup_fail_memory(error, "weights");
    for (uint32_t c = 0; c < v->cell_count; ++c) {
        const influence* list = w->of_cells + (size_t)c * SUP_CELL_JOINTS;
        uint32_t at = v->cells[c], x = at % v->size[0], y = at / v->size[0] % v->size[1], z = at / v->size[0] / v->size[1];
        centers[c] = (sup_vec3){ (float)(v->origin[0] + (x + 0.5) * v->h), (float)(v->origin[1] + (y + 0.5) * v->h),
                                 (float)(v->origin[2] + (z + 0.5) * v->h) };
        for (uint32_t i = 0; i < SUP_CELL_JOINTS; ++i) {
            joints[c * SUP_CELL_JOINTS + i] = list[i].weight > 0 ? w->joints[list[i].owner] : SUP_NONE;
            values[c * SUP_CELL_JOINTS + i] = list[i].weight;
        }
    }
    out->cell_size = (float)v->h;
    out->cell_centers = centers;
    out->cell_joints = joints;
    out->cell_values = values;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- bones outside the mesh

// The share of a bone's length outside the cells. A tail whose length was guessed may stick out; it does not count.
static double outside_share(const weights_maker* w, const sup_bone* b)
{
    uint32_t out = 0;
    float    place[3];
    for (uint32_t i = 0; i < BONE_SAMPLES && b->child != SUP_NONE; ++i) {
        float    t = ((float)i + 0.5f) / BONE_SAMPLES;
        sup_vec3 at = { b->head.x + t * (b->tail.x - b->head.x), b->head.y + t * (b->tail.y - b->head.y),
                        b->head.z + t * (b->tail.z - b->head.z) };
        out += sup_voxels_find(&w->voxels, at, place) == SUP_NONE;
    }
    return (double)out / BONE_SAMPLES;
}

// Finds joints whose bones lie outside and joints that move nothing: a skeleton made for another mesh has many.
static sup_result find_misfits(const weights_maker* w, sup_arena* arena, sup_auto_weights* out, sup_error* error)
{
    uint8_t*  leads = SUP_NEW(w->scratch, uint8_t, w->owner_count);
    uint8_t*  beside = SUP_NEW(w->scratch, uint8_t, w->owner_count);
    uint32_t* outside = SUP_NEW(arena, uint32_t, w->owner_count);
    uint32_t* idle = SUP_NEW(arena, uint32_t, w->owner_count);
    if (!leads || !beside || !outside || !idle) return sup_fail_memory(error, "weights");
    for (size_t i = 0; i < (size_t)w->mesh->point_count * w->keep; ++i)
        if (w->kept[i].weight > IDLE_WEIGHT) leads[w->kept[i].owner] = 1;
    uint8_t* out_of = SUP_NEW(w->scratch, uint8_t, w->bone_count);
    uint32_t joint_most = w->joints[w->owner_count - 1];
    uint8_t* enters = SUP_NEW(w->scratch, uint8_t, (size_t)joint_most + 1); // joints at which a bone ends inside
    if (!out_of || !enters) return sup_fail_memory(error, "weights");
    for (uint32_t b = 0; b < w->bone_count; ++b) out_of[b] = outside_share(w, &w->bones[b]) > 0.5;
    // Roots lead in from the floor: only a bone that leaves the body again is wrong.
    for (uint32_t q = 0; q < w->bone_count; ++q)
        if (!out_of[q] && w->bones[q].child <= joint_most) enters[w->bones[q].child] = 1; // SUP_NONE marks a root
    for (uint32_t b = 0; b < w->bone_count; ++b) beside[w->owners[b]] |= out_of[b] && enters[w->bones[b].joint];
    for (uint32_t o = 0; o < w->owner_count; ++o) {
        if (beside[o]) outside[out->outside_count++] = w->joints[o];
        if (!leads[o]) idle[out->idle_count++] = w->joints[o];
    }
    out->outside_joints = outside;
    out->idle_joints = idle;
    return SUP_OK;
}

static sup_result spread_weights(weights_maker* w, sup_error* error)
{
    sup_bone_line* lines = SUP_NEW(w->scratch, sup_bone_line, w->bone_count);
    float*         strength = SUP_NEW(w->scratch, float, w->owner_count);
    if (!lines || !strength) return sup_fail_memory(error, "weights");
    for (uint32_t b = 0; b < w->bone_count; ++b) lines[b] = (sup_bone_line){ w->bones[b].head, w->bones[b].tail };
    for (uint32_t o = 0; o < w->owner_count; ++o)
        strength[o] = w->options->strength ? w->options->strength[w->joints[o]] : 1.0f;
    sup_lattice_weights_desc desc = { .voxels = &w->voxels,
                                      .bone_count = w->bone_count,
                                      .bones = lines,
                                      .owners = w->owners,
                                      .strength = strength,
                                      .spread = w->options->spread,
                                      .diffuse = w->options->method == SUP_WEIGHTS_DIFFUSE,
                                      .steps = w->options->steps };
    return sup_lattice_weights_create(&desc, w->scratch, &w->lattice, error);
}

// The number of cells for which spreading weights takes bounded time. Every cell has at least one particle, so soup with too
// many is rejected before the winding number of every cell is computed.
static sup_result fill_cells(weights_maker* w, uint32_t* cells, sup_error* error)
{
    for (;;) {
        bool            asked = w->options->cells || *cells <= CELLS_LEAST;
        sup_voxels_desc desc = { .point_count = w->mesh->point_count,
                                 .points = w->mesh->points,
                                 .triangle_count = w->mesh->triangle_count,
                                 .triangles = w->mesh->triangles,
                                 .cells = *cells,
                                 .most_open = asked ? 0 : PARTICLES_MOST,
                                 .tasks = w->options->tasks,
                                 .progress = w->options->progress };
        sup_result      result = sup_voxels_create(&desc, w->scratch, &w->voxels, error);
        bool            crowded = w->voxels.over_limit;
        double          count = crowded ? w->voxels.cell_count / CELLS_A_PARTICLE : w->voxels.particle_count;
        if (result != SUP_OK || (!crowded && (asked || count <= PARTICLES_MOST))) return result;
        double coarser = *cells - 1.0, most = PARTICLES_MOST / count * *cells * *cells * *cells;
        while (coarser > CELLS_LEAST && coarser * coarser * coarser > most) coarser -= 1;
        *cells = (uint32_t)coarser;
    }
}

static sup_result make_weights(weights_maker* w, sup_arena* arena, sup_auto_weights* out, sup_error* error)
{
    out->cells = w->options->cells;
    sup_result result = list_owners(w, error);
    if (result == SUP_OK && !out->cells)
        result = sup_weights_choose_cells(w->mesh, w->bone_count, w->bones, w->options->tasks, w->scratch, &out->cells, error);
    if (result != SUP_OK) return result;
    result = fill_cells(w, &out->cells, error);
    if (result == SUP_OK) result = report(w, SOLVING / 2, error);
    if (result == SUP_OK) result = spread_weights(w, error);
    if (result == SUP_OK) result = place_points(w, out, error);
    if (result == SUP_OK) result = solve_all(w, out, error);
    if (result == SUP_OK) result = write_weights(w, arena, &out->weights, error);
    if (result == SUP_OK) result = write_cells(w, arena, out, error);
    if (result == SUP_OK) result = find_misfits(w, arena, out, error);
    if (result != SUP_OK) return result;
    out->cell_count = w->voxels.cell_count;
    out->particle_count = w->voxels.particle_count;
    out->lost_components = w->lattice.near.lost_count;
    out->outside_bones = w->lattice.near.outside_bones;
    out->outside_joint = w->lattice.near.outside_bones ? w->bones[w->lattice.near.outside_first].joint : SUP_NONE;
    out->open = w->voxels.open;
    out->bytes = sup_arena_bytes(w->scratch);
    return SUP_OK;
}

sup_result sup_weights_automatic(const sup_mesh* mesh, uint32_t bone_count, const sup_bone* bones,
                                 const sup_auto_weights_options* options, sup_arena* arena, sup_auto_weights* out,
                                 sup_error* error)
{
    static const sup_auto_weights_options usual = { 0 };
    if (!options) options = &usual;
    if (bone_count == 0)
        return sup_fail(error, SUP_ERROR_INPUT, "automatic weights need a bone; give a skeleton with --skeleton FILE");
    if (options->cells && (options->cells < 4 || options->cells > 256))
        return sup_fail(error, SUP_ERROR_INPUT, "%u cells along the mesh: from 4 to 256 are possible", options->cells);
    weights_maker w = { .mesh = mesh,
                  .bone_count = bone_count,
                  .bones = bones,
                  .options = options,
                  .keep = options->influences_max ? options->influences_max : KEPT,
                  .scratch = sup_arena_beside(arena) };
    if (!w.scratch) return sup_fail_memory(error, "weights");
    *out = (sup_auto_weights){ .outside_joint = SUP_NONE };
    sup_result result = make_weights(&w, arena, out, error);
    sup_arena_destroy(w.scratch);
    return result;
}

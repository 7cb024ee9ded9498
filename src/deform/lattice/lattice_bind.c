// The slow work: cells, weights of their corners, parts, pins, and where the points of the skin are.
#include "deform/lattice/lattice.h"

#include "solve/lattice_weights.h"

#include <math.h>
#include <string.h>

// Taken off every weight: the faint ones vanish without a jump where they do.
#define FAINT_WEIGHT 2e-3
#define FILE_HOLD 4.0f   // how hard the skin's own values hold the particles beside it, against a link's 1
#define FLOOR_HOLD 1e-5f // keeps a piece without points solvable
#define THIN_CELLS 2.0   // a bone in a limb thinner than this is worth a word
#define STIFF_PART 0.15  // growth of a part's volume over its cells^(2/3) that is too little to work with
enum { MERGE_ROUNDS = 6 };
#define SKIN_HALF_CELL 0.5 // from the outermost particles to the skin, on average

typedef struct binder {
    const sup_bind_input* in;
    const lattice_params* params;
    lattice_bound*        b;
    sup_arena*            arena;
    sup_arena*            scratch;
    sup_error*            error;
    sup_lattice_weights   lattice;
    uint32_t              owner_count;
    uint32_t*             owner_joints;
    uint32_t*             owners; ///< of each bone
    float*                all;    ///< weights: groups x particles x 8
    uint32_t              groups;
    uint32_t*             joint_lists; ///< per particle influences, as in sup_weights
    uint32_t*             begin;
    float*                values;
    uint32_t*             dominant; ///< joint of each particle
    uint32_t*             depth;    ///< particles to the border
    float*                places;   ///< of the points in their cells
} binder;

// ---------------------------------------------------------------------------------------------- weights

static sup_result list_owners(binder* m)
{
    const sup_skeleton* s = &m->in->character->skeleton;
    uint32_t*           owner = SUP_NEW(m->scratch, uint32_t, s->joint_count);
    m->owner_joints = SUP_NEW(m->scratch, uint32_t, s->joint_count);
    m->owners = SUP_NEW(m->scratch, uint32_t, s->bone_count);
    if (!owner || !m->owner_joints || !m->owners) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t i = 0; i < s->bone_count; ++i) owner[s->bones[i].joint] = 1;
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        if (!owner[j]) continue;
        m->owner_joints[m->owner_count] = j;
        owner[j] = m->owner_count++;
    }
    for (uint32_t i = 0; i < s->bone_count; ++i) m->owners[i] = owner[s->bones[i].joint];
    return SUP_OK;
}

static sup_result prepare_weights(binder* m)
{
    const sup_skeleton* s = &m->in->character->skeleton;
    sup_bone_line*      lines = SUP_NEW(m->scratch, sup_bone_line, s->bone_count);
    float*              strength = SUP_NEW(m->scratch, float, m->owner_count);
    if (!lines || !strength) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t i = 0; i < s->bone_count; ++i) lines[i] = (sup_bone_line){ s->bones[i].head, s->bones[i].tail };
    for (uint32_t o = 0; o < m->owner_count; ++o)
        strength[o] =
            sup_field_value(&lattice_rows[ROW_STRENGTH], &m->in->fields[ROW_STRENGTH], m->params->strength, m->owner_joints[o]);
    sup_lattice_weights_desc desc = { .voxels = &m->b->voxels,
                                      .bone_count = s->bone_count,
                                      .bones = lines,
                                      .owners = m->owners,
                                      .strength = strength,
                                      .spread = (double)m->params->spread,
                                      .diffuse = m->params->weights == WEIGHTS_DIFFUSE };
    return sup_lattice_weights_create(&desc, m->scratch, &m->lattice, m->error);
}

static void solve_groups(void* data, uint32_t begin, uint32_t end)
{
    binder*  m = data;
    uint32_t count = m->b->voxels.particle_count;
    for (uint32_t g = begin; g < end; ++g) {
        float* w = m->all + (size_t)g * count * SUP_LANES;
        sup_lattice_weights_solve(&m->lattice, g, w,
                                  m->all + (size_t)m->groups * count * SUP_LANES + g * sup_diffusion_work(count));
    }
}

static sup_result spread_from_bones(binder* m)
{
    size_t count = m->b->voxels.particle_count;
    m->groups = (m->owner_count + SUP_LANES - 1) / SUP_LANES;
    m->all = SUP_NEW(m->scratch, float, m->groups*(count * SUP_LANES + sup_diffusion_work((uint32_t)count)));
    if (!m->all) return sup_fail_memory(m->error, "weights of a lattice");
    sup_tasks_run(m->in->tasks, m->groups, 1, solve_groups, m);
    return SUP_OK;
}

sup_result lattice_extend(const lattice_bound* b, const float* places, const float* values, float* out, sup_arena* scratch,
                          sup_error* error)
{
    const sup_voxels* v = &b->voxels;
    float*            screen = SUP_NEW(scratch, float, v->particle_count);
    float*            work = SUP_NEW(scratch, float, sup_diffusion_work(v->particle_count));
    if (!screen || !work) return sup_fail_memory(error, "values of a lattice");
    memset(out, 0, (size_t)v->particle_count * SUP_LANES * sizeof *out);
    for (uint32_t p = 0; p < b->point_count; ++p) {
        const float* at = places + 3 * (size_t)p;
        for (uint32_t k = 0; k < 8; ++k) {
            float share = (k & 1 ? at[0] : 1 - at[0]) * (k & 2 ? at[1] : 1 - at[1]) * (k & 4 ? at[2] : 1 - at[2]);
            if (!(share > 0)) continue;
            uint32_t q = v->particles[8 * (size_t)b->embed.cells[p] + k];
            screen[q] += share;
            for (int i = 0; i < SUP_LANES; ++i) out[(size_t)q * SUP_LANES + i] += share * values[(size_t)p * SUP_LANES + i];
        }
    }
    for (uint32_t q = 0; q < v->particle_count; ++q) {
        for (int i = 0; i < SUP_LANES; ++i) out[(size_t)q * SUP_LANES + i] /= screen[q] > 0 ? screen[q] : 1.0f;
        screen[q] = screen[q] > 0 ? FILE_HOLD * fminf(screen[q], 1.0f) : FLOOR_HOLD;
    }
    sup_diffusion d = { .count = v->particle_count, .link_begin = v->link_begin, .links = v->links, .screen = screen };
    SUP_WIDE_PICK(sup_diffusion_solve)(&d, out, work);
    return SUP_OK;
}

// The file's weights, carried into the cells; owners are then simply all joints.
static sup_result spread_from_file(binder* m)
{
    const sup_character* c = m->in->character;
    size_t               count = m->b->voxels.particle_count;
    m->owner_count = c->skeleton.joint_count;
    m->groups = (m->owner_count + SUP_LANES - 1) / SUP_LANES;
    m->all = SUP_NEW(m->scratch, float, m->groups* count* SUP_LANES);
    float* values = SUP_NEW(m->scratch, float, (size_t)c->mesh.point_count* SUP_LANES);
    if (!m->all || !values) return sup_fail_memory(m->error, "weights of a lattice");
    for (uint32_t j = 0; j < m->owner_count; ++j) m->owner_joints[j] = j;
    for (uint32_t g = 0; g < m->groups; ++g) {
        memset(values, 0, (size_t)c->mesh.point_count * SUP_LANES * sizeof *values);
        bool any = false;
        for (uint32_t p = 0; p < c->mesh.point_count; ++p)
            for (uint32_t i = c->weights.begin[p]; i < c->weights.begin[p + 1]; ++i) {
                uint32_t lane = c->weights.joints[i] - g * SUP_LANES;
                if (lane >= SUP_LANES) continue;
                any = true;
                values[(size_t)p * SUP_LANES + lane] = c->weights.values[i];
            }
        if (!any) continue;
        sup_arena* work = sup_arena_beside(m->scratch);
        if (!work) return sup_fail_memory(m->error, "weights of a lattice");
        sup_result r = lattice_extend(m->b, m->places, values, m->all + g * count * SUP_LANES, work, m->error);
        sup_arena_destroy(work);
        if (r != SUP_OK) return r;
    }
    return SUP_OK;
}

static float weight_of(const binder* m, uint32_t particle, uint32_t owner)
{
    size_t count = m->b->voxels.particle_count;
    return m->all[(size_t)(owner / SUP_LANES) * count * SUP_LANES + (size_t)particle * SUP_LANES + owner % SUP_LANES];
}

// Those that count, normalized; where nothing reaches (a piece without points), the nearest bone.
static uint32_t keep_weights(const binder* m, uint32_t p, uint32_t* joints, float* values)
{
    double   total = 0, kept = 0;
    uint32_t n = 0;
    for (uint32_t o = 0; o < m->owner_count; ++o) total += fmax((double)weight_of(m, p, o), 0);
    for (uint32_t o = 0; o < m->owner_count && total > 0.1; ++o) {
        double w = (double)weight_of(m, p, o) - FAINT_WEIGHT * total;
        if (!(w > 0)) continue;
        if (joints) joints[n] = m->owner_joints[o];
        if (values) values[n] = (float)w;
        kept += w;
        ++n;
    }
    for (uint32_t i = 0; values && i < n; ++i) values[i] = (float)((double)values[i] / kept);
    if (n) return n;
    uint32_t bone_owner = m->lattice.near.particles[p].owners[0], joint = 0;
    for (uint32_t i = 0; i < m->in->character->skeleton.bone_count; ++i)
        if (m->owners[i] == bone_owner) joint = m->in->character->skeleton.bones[i].joint;
    if (joints) joints[0] = joint;
    if (values) values[0] = 1;
    return 1;
}

static sup_result list_weights(binder* m)
{
    uint32_t count = m->b->voxels.particle_count;
    m->begin = SUP_NEW(m->scratch, uint32_t, (size_t)count + 1);
    m->dominant = SUP_NEW(m->scratch, uint32_t, count);
    if (!m->begin || !m->dominant) return sup_fail_memory(m->error, "weights of a lattice");
    for (uint32_t p = 0; p < count; ++p) m->begin[p + 1] = m->begin[p] + keep_weights(m, p, NULL, NULL);
    m->joint_lists = SUP_NEW(m->scratch, uint32_t, m->begin[count]);
    m->values = SUP_NEW(m->scratch, float, m->begin[count]);
    if (!m->joint_lists || !m->values) return sup_fail_memory(m->error, "weights of a lattice");
    for (uint32_t p = 0; p < count; ++p) {
        uint32_t n = keep_weights(m, p, m->joint_lists + m->begin[p], m->values + m->begin[p]), best = m->begin[p];
        for (uint32_t i = 0; i < n; ++i)
            if (m->values[m->begin[p] + i] > m->values[best]) best = m->begin[p] + i;
        m->dominant[p] = m->joint_lists[best];
    }
    return SUP_OK;
}

// The skin set of the particles in slots; fillers have no weights and stay where they are.
static sup_result make_skin(binder* m)
{
    lattice_bound*      b = m->b;
    const sup_skeleton* s = &m->in->character->skeleton;
    uint32_t*           begin = SUP_NEW(m->scratch, uint32_t, (size_t)b->count + 1);
    uint32_t*           joints = SUP_NEW(m->scratch, uint32_t, m->begin[b->voxels.particle_count]);
    float*              values = SUP_NEW(m->scratch, float, m->begin[b->voxels.particle_count]);
    sup_vec3*           centers = SUP_NEW(m->scratch, sup_vec3, s->joint_count);
    sup_vec3*           rest = SUP_NEW(m->arena, sup_vec3, b->count);
    uint32_t*           dominant = SUP_NEW(m->arena, uint32_t, b->count);
    if (!begin || !joints || !values || !centers || !rest || !dominant) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t i = 0; i < b->count; ++i) {
        uint32_t p = b->regions.particles[i], n = p == SUP_NONE ? 0 : m->begin[p + 1] - m->begin[p];
        begin[i + 1] = begin[i] + n;
        if (n == 0) continue;
        memcpy(joints + begin[i], m->joint_lists + m->begin[p], n * sizeof *joints);
        memcpy(values + begin[i], m->values + m->begin[p], n * sizeof *values);
        rest[i] = sup_voxels_position(&b->voxels, p);
        dominant[i] = m->dominant[p];
    }
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        sup_affine bind;
        if (affine_invert(&s->joints[j].inverse_bind, &bind)) centers[j] = affine_translation(&bind);
    }
    b->rest = rest;
    b->dominant = dominant;
    sup_skin_desc desc = { .point_count = b->count,
                           .points = rest,
                           .begin = begin,
                           .joints = joints,
                           .values = values,
                           .joint_count = s->joint_count,
                           .joint_centers = centers };
    return sup_skin_create(&desc, m->arena, &b->skin, m->error);
}

// ---------------------------------------------------------------------------------------------- pins

static sup_result find_depths(binder* m)
{
    const sup_voxels* v = &m->b->voxels;
    uint32_t          head = 0, tail = 0, *queue = SUP_NEW(m->scratch, uint32_t, v->particle_count);
    m->depth = SUP_NEW(m->scratch, uint32_t, v->particle_count);
    if (!queue || !m->depth) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t p = 0; p < v->particle_count; ++p) {
        m->depth[p] = v->octants[p] == 0xff ? SUP_NONE : 0;
        if (m->depth[p] == 0) queue[tail++] = p;
    }
    while (head < tail) {
        uint32_t p = queue[head++];
        for (uint32_t k = v->link_begin[p]; k < v->link_begin[p + 1]; ++k) {
            if (m->depth[v->links[k]] != SUP_NONE) continue;
            m->depth[v->links[k]] = m->depth[p] + 1;
            queue[tail++] = v->links[k];
        }
    }
    return SUP_OK;
}

// Squared distance in cells to the nearest bone of a joint.
static double bone_distance2(const binder* m, uint32_t joint, sup_vec3 place)
{
    const sup_skeleton* s = &m->in->character->skeleton;
    double              least = INFINITY, at[3] = { (double)place.x, (double)place.y, (double)place.z };
    for (uint32_t i = 0; i < s->bone_count; ++i) {
        if (s->bones[i].joint != joint) continue;
        const sup_bone* t = &s->bones[i];
        double          head[3] = { (double)t->head.x, (double)t->head.y, (double)t->head.z };
        double          tail[3] = { (double)t->tail.x, (double)t->tail.y, (double)t->tail.z };
        least = fmin(least, sup_segment_distance2(head, tail, at));
    }
    return least / (m->b->h * m->b->h);
}

// A limb one cell thick has only outside: there the cells that the bone goes through are its core. Counts the joints that
// are thinner than two cells.
static void pin_thin(const binder* m, float* free, uint8_t* thin)
{
    const sup_voxels*   v = &m->b->voxels;
    const sup_skeleton* s = &m->in->character->skeleton;
    for (uint32_t i = 0; i < s->bone_count; ++i) {
        const sup_bone* t = &s->bones[i];
        uint32_t        steps = (uint32_t)fmin(ceil(2 * (double)v3_distance(t->head, t->tail) / m->b->h), 4096) + 1;
        for (uint32_t k = 0; k <= steps; ++k) {
            float    place[3];
            uint32_t cell = sup_voxels_find(v, v3_lerp(t->head, t->tail, (float)k / (float)steps), place);
            if (cell == SUP_NONE) continue;
            bool     held = false;
            uint32_t deepest = 0;
            for (uint32_t c = 0; c < 8; ++c) {
                uint32_t p = v->particles[8 * (size_t)cell + c];
                held |= free[m->b->regions.slots[p]] == 0;
                if (m->depth[p] > deepest) deepest = m->depth[p];
            }
            if (2 * deepest < THIN_CELLS) thin[t->joint] = 1;
            for (uint32_t c = 0; c < 8 && !held; ++c) free[m->b->regions.slots[v->particles[8 * (size_t)cell + c]]] = 0;
        }
    }
}

static sup_result make_pins(binder* m)
{
    lattice_bound* b = m->b;
    float*         free = SUP_NEW(m->arena, float, b->count);
    float*         thickness = SUP_NEW(m->arena, float, b->count);
    uint8_t*       thin = SUP_NEW(m->scratch, uint8_t, b->joint_count);
    if (!free || !thickness || !thin) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t i = 0; i < b->count; ++i) {
        uint32_t p = b->regions.particles[i];
        if (p == SUP_NONE) continue;
        double d = sqrt(bone_distance2(m, m->dominant[p], b->rest[i]));
        double whole = d + m->depth[p] + SKIN_HALF_CELL;
        free[i] = !(d < (double)m->params->bone_radius * whole);
        thickness[i] = (float)(1 / (whole * whole * b->h * b->h));
        // A piece that no bone goes through (eyes, buckles) has nothing to swing about.
        if (m->lattice.near.lost[b->voxels.components[p]]) free[i] = 0;
    }
    if (m->params->bone_radius > 0) pin_thin(m, free, thin);
    for (uint32_t j = 0; j < b->joint_count; ++j) b->thin_bones += thin[j];
    b->free = free;
    b->thin = thickness;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- masses, softness

static sup_result make_masses(binder* m, float** relative)
{
    lattice_bound* b = m->b;
    float*         mass = SUP_NEW(m->scratch, float, b->voxels.particle_count);
    if (!mass) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t p = 0; p < b->voxels.particle_count; ++p) mass[p] = (float)__builtin_popcount(b->voxels.octants[p]) / 8.0f;
    *relative = mass;
    return SUP_OK;
}

static sup_result place_masses(binder* m, const float* relative)
{
    lattice_bound* b = m->b;
    float*         mass = SUP_NEW(m->arena, float, b->count);
    float*         exposure = SUP_NEW(m->arena, float, b->count);
    if (!mass || !exposure) return sup_fail_memory(m->error, "a lattice");
    double side = b->h * m->in->character->metres_per_unit;
    for (uint32_t i = 0; i < b->count; ++i) {
        uint32_t p = b->regions.particles[i];
        if (p == SUP_NONE) continue;
        mass[i] = (float)((double)relative[p] * side * side * side);
        exposure[i] = 1 - relative[p];
    }
    b->mass = mass;
    b->exposure = exposure;
    return SUP_OK;
}

// Maps and bone values of four sliders at once: scale and offset of each are the eight columns.
static sup_result make_softness(binder* m)
{
    static const uint32_t rows[SOFT_COUNT] = { ROW_SHAPE_HZ, ROW_POSE_HZ, ROW_DAMPING_RATIO, ROW_GRAVITY };
    lattice_bound*        b = m->b;
    bool                  any = false;
    for (int i = 0; i < SOFT_COUNT; ++i) any |= m->in->fields[rows[i]].scale != NULL;
    if (!any) return SUP_OK;
    float* values = SUP_NEW(m->scratch, float, (size_t)b->point_count* SUP_LANES);
    float* spread = SUP_NEW(m->scratch, float, (size_t)b->voxels.particle_count* SUP_LANES);
    if (!values || !spread) return sup_fail_memory(m->error, "softness of a lattice");
    for (uint32_t p = 0; p < b->point_count; ++p)
        for (int i = 0; i < SOFT_COUNT; ++i) {
            const sup_field* f = &m->in->fields[rows[i]];
            values[(size_t)p * SUP_LANES + 2 * i] = f->scale ? f->scale[p] : 1.0f;
            values[(size_t)p * SUP_LANES + 2 * i + 1] = f->scale ? f->offset[p] : 0.0f;
        }
    sup_result r = lattice_extend(b, m->places, values, spread, m->scratch, m->error);
    if (r != SUP_OK) return r;
    for (int i = 0; i < SOFT_COUNT; ++i) {
        if (!m->in->fields[rows[i]].scale) continue;
        float* scale = SUP_NEW(m->arena, float, b->count);
        float* offset = SUP_NEW(m->arena, float, b->count);
        if (!scale || !offset) return sup_fail_memory(m->error, "softness of a lattice");
        for (uint32_t s = 0; s < b->count; ++s) {
            uint32_t p = b->regions.particles[s];
            scale[s] = p == SUP_NONE ? 1.0f : spread[(size_t)p * SUP_LANES + 2 * i];
            offset[s] = p == SUP_NONE ? 0.0f : spread[(size_t)p * SUP_LANES + 2 * i + 1];
        }
        b->soft[i] = (sup_field){ scale, offset };
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- whole

static sup_result make_cells(binder* m)
{
    const sup_mesh* mesh = &m->in->character->mesh;
    lattice_bound*  b = m->b;
    sup_voxels_desc desc = { .point_count = mesh->point_count,
                             .points = mesh->points,
                             .triangle_count = mesh->triangle_count,
                             .triangles = mesh->triangles,
                             .cells = (uint32_t)m->params->cells,
                             .tasks = m->in->tasks };
    sup_result      r = sup_voxels_create(&desc, m->arena, &b->voxels, m->error);
    if (r != SUP_OK) return r;
    float* relative = NULL;
    r = make_masses(m, &relative);
    if (r == SUP_OK) r = sup_regions_create(&b->voxels, (uint32_t)m->params->region, relative, m->arena, &b->regions, m->error);
    if (r != SUP_OK) return r;
    b->h = b->voxels.h;
    b->count = b->regions.count;
    r = place_masses(m, relative);
    if (r != SUP_OK) return r;
    sup_lattice_embed_desc embed = { .voxels = &b->voxels,
                                     .slots = b->regions.slots,
                                     .point_count = mesh->point_count,
                                     .points = mesh->points,
                                     .smooth = m->params->smooth_embedding };
    r = sup_lattice_embed_create(&embed, m->arena, &b->embed, m->error);
    if (r != SUP_OK) return r;
    m->places = SUP_NEW(m->scratch, float, 3 * (size_t)mesh->point_count);
    if (!m->places) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t i = 0; i < b->embed.block_count; ++i)
        for (uint32_t k = 0; k < b->embed.lanes[i]; ++k)
            for (uint32_t a = 0; a < 3; ++a)
                m->places[3 * (size_t)b->embed.index[8 * (size_t)i + k] + a] = b->embed.places[24 * (size_t)i + 8 * a + k];
    return SUP_OK;
}

static sup_result create_volumes(binder* m, const uint32_t* labels, uint32_t part_count, sup_arena* arena,
                                 sup_lattice_volume* out)
{
    sup_lattice_volume_desc desc = { .voxels = &m->b->voxels,
                                     .slots = m->b->regions.slots,
                                     .slot_count = m->b->count,
                                     .part_count = part_count,
                                     .labels = labels,
                                     .fade = m->params->fade };
    return sup_lattice_volume_create(&desc, arena, out, m->error);
}

// The part of the nearest joint above that has one; itself where there is none.
static uint32_t part_above(const binder* m, const uint32_t* joints, uint32_t part_count, uint32_t part)
{
    const sup_joint* all = m->in->character->skeleton.joints;
    for (uint32_t j = all[joints[part]].parent; j != SUP_NONE; j = all[j].parent)
        for (uint32_t i = 0; i < part_count; ++i)
            if (joints[i] == j) return i;
    return part;
}

// A part that its cuts leave nothing to move by cannot get its volume back: it joins the one above, which comes
// before it in the order of joints and so has its new number already.
static sup_result merge_stiff_parts(binder* m, uint32_t* labels, uint32_t* joints, uint32_t* part_count)
{
    lattice_bound*     b = m->b;
    sup_arena*         trial = sup_arena_beside(m->scratch);
    sup_lattice_volume volume;
    if (!trial) return sup_fail_memory(m->error, "parts of a lattice");
    sup_result r = create_volumes(m, labels, *part_count, trial, &volume);
    uint32_t*  into = SUP_NEW(trial, uint32_t, *part_count);
    sup_mat3*  unturned = SUP_NEW(trial, sup_mat3, b->count);
    float*     work = r == SUP_OK ? sup_arena_alloc(trial, 1, sup_lattice_volume_scratch(&volume)) : NULL;
    if (r == SUP_OK && into && unturned && work) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < b->count; ++i) unturned[i].m[0][0] = unturned[i].m[1][1] = unturned[i].m[2][2] = 1;
        for (uint32_t i = 0; i < *part_count; ++i) {
            double growth = sup_lattice_volume_growth(&volume, i, b->rest, unturned, work), cells = volume.parts[i].cells;
            double least =
                STIFF_PART * STIFF_PART * STIFF_PART * cells * cells; // of its cube: cube roots differ between machines
            into[i] = growth * growth * growth < least ? part_above(m, joints, *part_count, i) : i;
        }
        for (uint32_t i = 0; i < *part_count; ++i) {
            if (into[i] != i) into[i] = into[into[i]];
            else {
                joints[kept] = joints[i];
                into[i] = kept++;
            }
        }
        for (uint32_t c = 0; c < b->voxels.cell_count; ++c) labels[c] = into[labels[c]];
        *part_count = kept;
    } else if (r == SUP_OK) r = sup_fail_memory(m->error, "parts of a lattice");
    sup_arena_destroy(trial);
    return r;
}

static sup_result make_volumes(binder* m)
{
    lattice_bound* b = m->b;
    uint32_t *     cell_joints = SUP_NEW(m->scratch, uint32_t, b->voxels.cell_count), *labels = NULL;
    float*         sums = SUP_NEW(m->scratch, float, b->joint_count);
    if (!cell_joints || !sums) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t c = 0; c < b->voxels.cell_count; ++c) { // the joint with the most weight over the cell's corners
        const uint32_t* corners = b->voxels.particles + 8 * (size_t)c;
        float           most = -1;
        for (int k = 0; k < 8; ++k)
            for (uint32_t i = m->begin[corners[k]]; i < m->begin[corners[k] + 1]; ++i) sums[m->joint_lists[i]] += m->values[i];
        for (int k = 0; k < 8; ++k)
            for (uint32_t i = m->begin[corners[k]]; i < m->begin[corners[k] + 1]; ++i) {
                uint32_t j = m->joint_lists[i];
                if (sums[j] > most) most = sums[j], cell_joints[c] = j;
            }
        for (int k = 0; k < 8; ++k)
            for (uint32_t i = m->begin[corners[k]]; i < m->begin[corners[k] + 1]; ++i) sums[m->joint_lists[i]] = 0;
    }
    uint32_t   part_count = 0, *joints = NULL;
    sup_result r = lattice_label_parts(m->in, b, cell_joints, m->arena, &labels, &part_count, &joints, m->error);
    for (int round = 0; r == SUP_OK && round < MERGE_ROUNDS; ++round) {
        uint32_t before = part_count;
        r = merge_stiff_parts(m, labels, joints, &part_count);
        if (part_count == before) break;
    }
    b->part_joints = joints;
    return r == SUP_OK ? create_volumes(m, labels, part_count, m->arena, &b->volume) : r;
}

static sup_result make(binder* m)
{
    lattice_bound* b = m->b;
    sup_result     r = list_owners(m);
    if (r == SUP_OK) r = make_cells(m);
    if (r == SUP_OK) r = prepare_weights(m);
    if (r == SUP_OK) r = m->params->weights == WEIGHTS_FILE ? spread_from_file(m) : spread_from_bones(m);
    if (r == SUP_OK) r = list_weights(m);
    if (r == SUP_OK) r = make_skin(m);
    if (r == SUP_OK) r = find_depths(m);
    if (r == SUP_OK) r = make_pins(m);
    if (r == SUP_OK) r = make_softness(m);
    if (r == SUP_OK) r = make_volumes(m);
    if (r == SUP_OK) r = lattice_bind_bodies(m->in->world, m->arena, b, m->error);
    b->lost_pieces = m->lattice.near.lost_count;
    b->outside_bones = m->lattice.near.outside_bones;
    return r;
}

sup_result lattice_bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    const sup_character* c = in->character;
    if (c->skeleton.bone_count == 0)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "lattice: '%s' has no bones; give a skeleton with --skeleton, or make one with fit", c->name);
    if (c->mesh.triangle_count == 0)
        return sup_fail(error, SUP_ERROR_INPUT, "lattice: '%s' has no faces, so it fills no cells; give it a surface", c->name);
    lattice_bound* b = SUP_NEW(arena, lattice_bound, 1);
    binder         m = { .in = in, .params = in->params, .b = b, .arena = arena, .error = error };
    m.scratch = sup_arena_beside(arena);
    if (!b || !m.scratch) {
        sup_arena_destroy(m.scratch);
        return sup_fail_memory(error, "a lattice");
    }
    *b = (lattice_bound){ .character = c,
                          .skinning = in->skinning,
                          .point_count = c->mesh.point_count,
                          .joint_count = c->skeleton.joint_count,
                          .keeps_file = m.params->weights == WEIGHTS_FILE,
                          .volume_field = in->fields[ROW_VOLUME] };
    while (b->root + 1 < b->joint_count && !c->skeleton.joints[b->root].skin_joint) ++b->root;
    sup_result r = make(&m);
    sup_arena_destroy(m.scratch);
    if (r != SUP_OK) return r;
    *out = (sup_binding){ .data = b, .state_size = lattice_state_size(b), .scratch_size = lattice_scratch_size(b) };
    return SUP_OK;
}

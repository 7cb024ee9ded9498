// Pose space deformation: the corrections of example sculpts are stored in the rest frame and interpolated over pose by radial
// basis functions of joint rotations. Each point depends on the joints that move it and on those they descend from (Kurihara
// and Miyata 2004), so an elbow does not affect a knee.
//   out = points + strength B sum_k c_k phi(distance(pose, example k))      B = the rotation of the point's skinning
#include "deform/pose_space/pose_space.h"
#include "base/internal.h"
#include "base/sort.h"
#include "deform/curves/curve_rows.h"
#include "deform/curves/pose_turns.h"
#include "deform/curves/trust.h"
#include "deform/pose_space/pose_sections.h"
#include "math/trig.h"
#include "math/vec.h"
#include "run/examples.h"

#include <string.h>

// Joints that never turn farther than this between centers (0.1 degrees, as a squared chord) say nothing about the shape.
#define MOVED_LEAST 3e-6f
// Two poses that differ by less than this in every joint (0.25 degrees) are the same pose.
#define SAME_POSE 1.9e-5f
// Shares of the diagonal: shapes of one pose may differ by this much (they are averaged); a displacement below EFFECT_LEAST is
// no correction.
#define SAME_SHAPE 1e-4f
#define EFFECT_LEAST 1e-6f
// Weight of all joints together relative to a point's own: examples that its own joints cannot distinguish are still
// interpolated.
#define OTHERS 1e-3f

enum { GRAIN_BLOCKS = 64, GRAIN_POINTS = 4096 };

typedef struct pose_space_params {
    int   kernel;
    float radius;
    bool  weighted, turning, trust;
    float strength;
} pose_space_params;

enum { ROW_KERNEL, ROW_RADIUS, ROW_WEIGHTED, ROW_TURNING, ROW_TRUST, ROW_STRENGTH };

static const char* const kernels[] = { "multiquadric", "linear", "gaussian", NULL };

static const sup_param rows[] = {
    { "kernel", SUP_PARAM_CHOICE, SUP_STAGE_BIND, offsetof(pose_space_params, kernel), .choices = kernels,
      .standard = POSE_KERNEL_MULTIQUADRIC, .unit = "",
      .help = "multiquadric passes smoothly through the examples, linear goes straight and is constant beyond them, gaussian "
              "fades away from them" },
    { "radius", SUP_PARAM_FLOAT, SUP_STAGE_BIND, offsetof(pose_space_params, radius), .min = 0.25, .max = 4, .standard = 1,
      .unit = "spacings", .help = "Width of the kernel over the mean distance between neighboring examples; linear has none",
      .only_with = "kernel=multiquadric|kernel=gaussian" },
    { "weighted", SUP_PARAM_BOOL, SUP_STAGE_BIND, offsetof(pose_space_params, weighted), .standard = 1, .unit = "",
      .help = "Each point depends on the joints that move it, not on the whole pose" },
    SUP_ROW_TURNING(offsetof(pose_space_params, turning), NULL),
    SUP_ROW_TRUST(offsetof(pose_space_params, trust), "two of them", "; off: they act in any pose", NULL),
    { "strength", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, offsetof(pose_space_params, strength), .varies = SUP_VARIES_POINT, .min = 0,
      .max = 1, .standard = 1, .unit = "",
      .help = "Fraction of the correction; paint _POSE_SPACE_STRENGTH to leave regions uncorrected" },
};

typedef struct bound {
    uint32_t            joint_count; // of the skeleton
    uint32_t            moved_count;
    const pose_joint*   moved;
    const uint32_t*     paths;
    uint32_t            center_count;
    const sup_quat*     turns; // per moved joint: those of all centers
    const pose_hull*    hulls; // per moved joint; NULL: whole distances count
    pose_field          field;
    uint32_t            point_count; // of the character
    uint32_t            entry_count; // points with a correction
    const uint32_t*     entries;
    const sup_skin_set* push;     // of the entries; about the origin, so that it maps directions
    sup_sections        sections; // the sections that turn; their vectors follow the entries in the field
    const sup_vec3*     rest;
    sup_trust           trust; // of points, then of stations
    sup_field           strength;
    size_t              distances, skin, corrections, stations, trusted; // offsets of the parts of scratch, bytes
} bound;

// ---------------------------------------------------------------------------------------------- bind: joints

typedef struct binder {
    const sup_bind_input* in;
    const sup_character*  c;
    sup_arena*            arena;     // of the chain
    sup_arena*            temporary; // freed after bind
    sup_error*            error;
    bound*                b;
    pose_joint*           joints; // all that could move
    uint32_t              joint_count;
    uint32_t*             paths;
    sup_quat*             turns;  // per center: those of `joints`
    sup_vec3**            shapes; // per center: corrections of all points
    sup_pose*             poses;  // per center
    const char**          names;  // per center
    uint32_t*             merged; // per center: the number of examples averaged
    uint32_t              center_count;
    const float*          station_near; // [station][moved joint]
} binder;

static sup_result no_memory(const binder* m) { return sup_fail_memory(m->error, "pose_space"); }

// ---------------------------------------------------------------------------------------------- bind: centers

static sup_quat* center_turns(const binder* m, uint32_t center) { return m->turns + (size_t)center * m->joint_count; }

static void copy_turns(const binder* m, const sup_pose* pose, sup_quat* out)
{
    uint32_t lost = 0; // validated when the clip was created
    for (uint32_t j = 0; j < m->joint_count; ++j) out[j] = sup_turn_of(&m->joints[j], m->paths, pose, &lost);
}

/// The largest rotation of one joint between two poses.
static float farthest(const binder* m, const sup_quat* a, const sup_quat* b)
{
    float most = 0;
    for (uint32_t j = 0; j < m->joint_count; ++j) {
        float d = (float)sup_turn_distance2(a[j], b[j]);
        if (d > most) most = d;
    }
    return most;
}

static sup_result merge(binder* m, uint32_t center, uint32_t fresh)
{
    const sup_mesh* mesh = &m->c->mesh;
    float           most = 0;
    for (uint32_t i = 0; i < mesh->point_count; ++i) {
        float d = v3_distance(m->shapes[center][i], m->shapes[fresh][i]);
        if (d > most) most = d;
    }
    // The bind pose is only an assumption: a sculpt of it shows its true shape.
    bool guess = m->merged[center] == 0;
    if (!guess && most > SAME_SHAPE * mesh->diagonal)
        return sup_fail(m->error, SUP_ERROR_INPUT,
                        "pose_space: the examples '%s' and '%s' have the same pose (within %.2g degrees) but shapes that "
                        "differ by %.3g mm; remove one, or give it a time with another pose",
                        m->names[center], m->names[fresh],
                        1 / SUP_RADIANS * (double)sqrtf(farthest(m, center_turns(m, center), center_turns(m, fresh))),
                        (double)most * m->c->metres_per_unit * 1000.0);
    float share = guess ? 1.0f : 1.0f / (float)(m->merged[center] + 1);
    for (uint32_t i = 0; i < mesh->point_count; ++i)
        m->shapes[center][i] = v3_lerp(m->shapes[center][i], m->shapes[fresh][i], share);
    if (guess) m->names[center] = m->names[fresh];
    ++m->merged[center];
    return SUP_OK;
}

/// Center 0 is the bind pose without correction; an example at an existing pose joins that center.
static sup_result add_centers(binder* m)
{
    uint32_t           most = m->c->example_count + 1, points = m->c->mesh.point_count;
    sup_example_puller puller;
    m->turns = SUP_NEW(m->temporary, sup_quat, (size_t)most * m->joint_count + 1);
    m->shapes = SUP_NEW(m->temporary, sup_vec3*, most);
    m->names = SUP_NEW(m->temporary, const char*, most);
    m->merged = SUP_NEW(m->temporary, uint32_t, most);
    m->poses = SUP_NEW(m->temporary, sup_pose, most);
    if (!m->turns || !m->shapes || !m->names || !m->merged || !m->poses) return no_memory(m);
    sup_result r = SUP_OK;
    for (uint32_t i = 0; i < most && !r; ++i) {
        if (!(m->shapes[i] = SUP_NEW(m->temporary, sup_vec3, points))) return no_memory(m);
        r = sup_pose_create(m->c, m->temporary, &m->poses[i], m->error);
    }
    if (!r) r = sup_example_puller_create(m->in, true, m->temporary, &puller, m->error);
    if (r) return r;
    sup_pose_bind(m->c, &m->poses[0]);
    copy_turns(m, &m->poses[0], center_turns(m, 0));
    m->names[0] = "bind pose";
    m->center_count = 1;
    for (uint32_t e = 0; e < m->c->example_count; ++e) {
        const sup_example* example = &m->c->examples[e];
        uint32_t           fresh = m->center_count, same = 0;
        sup_pose*          pose = &m->poses[fresh];
        r = sup_example_pose(m->in, example, pose, m->error);
        if (!r) r = sup_example_pull(&puller, example, pose, m->shapes[fresh], NULL, m->error);
        if (r) return r;
        m->names[fresh] = example->name;
        copy_turns(m, pose, center_turns(m, fresh));
        while (same < fresh && farthest(m, center_turns(m, same), center_turns(m, fresh)) > SAME_POSE) ++same;
        if (same == fresh) m->merged[m->center_count++] = 1;
        else if ((r = merge(m, same, fresh)) != SUP_OK) return r;
        if (!sup_progress_report(m->in->progress, (e + 1.0) / (most + 1), "example shapes"))
            return sup_fail(m->error, SUP_ERROR_CANCELLED, "cancelled while binding pose_space");
    }
    return SUP_OK;
}

/// The joints that turn between centers, and their rotations.
static sup_result keep_moved(binder* m)
{
    bound*      b = m->b;
    pose_joint* moved = SUP_NEW(m->arena, pose_joint, m->joint_count);
    sup_quat*   turns = SUP_NEW(m->arena, sup_quat, (size_t)m->joint_count * m->center_count + 1);
    if (!moved || !turns) return no_memory(m);
    for (uint32_t j = 0; j < m->joint_count; ++j) {
        float     most = 0;
        sup_quat* own = turns + (size_t)b->moved_count * m->center_count;
        for (uint32_t k = 0; k < m->center_count; ++k) own[k] = center_turns(m, k)[j];
        for (uint32_t i = 0; i < m->center_count; ++i)
            for (uint32_t k = 0; k < i; ++k) {
                float d = (float)sup_turn_distance2(own[i], own[k]);
                if (d > most) most = d;
            }
        if (most > MOVED_LEAST) moved[b->moved_count++] = m->joints[j];
    }
    b->moved = moved;
    b->paths = m->paths;
    b->turns = turns;
    b->center_count = m->center_count;
    return SUP_OK;
}

// A rotation that no example contains (a waving wrist, if the examples only twist it) says nothing about their shapes; without
// this, a part of every correction would leak into it. The Gaussian kernel would fade there instead.
static sup_result make_hulls(binder* m)
{
    bound*     b = m->b;
    pose_hull* hulls = SUP_NEW(m->arena, pose_hull, (size_t)b->moved_count + 1);
    if (!hulls) return no_memory(m);
    for (uint32_t j = 0; j < b->moved_count; ++j)
        sup_hull_span(b->turns + (size_t)j * b->center_count, b->center_count, &hulls[j]);
    b->hulls = hulls;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- bind: points

static bool corrected(const binder* m, uint32_t point)
{
    if (pose_sections_move(&m->b->sections, m->center_count, point)) return true;
    for (uint32_t k = 0; k < m->center_count; ++k)
        if (v3_length(m->shapes[k][point]) > EFFECT_LEAST * m->c->mesh.diagonal) return true;
    return false;
}

/// The points that some example corrects, grouped by their joints.
static sup_result list_entries(binder* m)
{
    const sup_weights* w = &m->c->weights;
    uint32_t           points = m->c->mesh.point_count, count = 0;
    sup_sort_item *items = SUP_NEW(m->temporary, sup_sort_item, points), *spare = SUP_NEW(m->temporary, sup_sort_item, points);
    if (!items || !spare) return no_memory(m);
    for (uint32_t i = 0; i < points; ++i) {
        if (!corrected(m, i)) continue;
        uint64_t first = w->begin[i] < w->begin[i + 1] ? w->joints[w->begin[i]] : SUP_NONE;
        uint64_t second = w->begin[i] + 1 < w->begin[i + 1] ? w->joints[w->begin[i] + 1] : SUP_NONE;
        items[count++] = (sup_sort_item){ first << 32 | second, i };
    }
    sup_sort(items, spare, count);
    uint32_t  more = 2 * m->b->sections.station_count;
    uint32_t* entries = SUP_NEW(m->arena, uint32_t, (size_t)count + more + SUP_LANES);
    if (!entries) return no_memory(m);
    for (uint32_t i = 0; i < count; ++i) entries[i] = items[i].value;
    for (uint32_t i = 0; i < more; ++i) entries[count + i] = points + i;
    m->b->entries = entries;
    m->b->entry_count = count;
    return SUP_OK;
}

/// The weight of each joint for a point: its skin weight, and that of the joint it descends from, because a joint bends the
/// skin on both sides. `near` is scratch for all moved joints, zero before and after.
static uint32_t point_weights(const binder* m, uint32_t point, float* near, uint32_t* out_rows, float* out_weights)
{
    const sup_weights* w = &m->c->weights;
    const bound*       b = m->b;
    uint32_t           count = 0;
    if (point >= b->point_count)
        memcpy(near, m->station_near + (size_t)((point - b->point_count) / 2) * b->moved_count, b->moved_count * sizeof *near);
    else
        for (uint32_t i = w->begin[point]; i < w->begin[point + 1]; ++i)
            for (uint32_t j = 0; j < b->moved_count; ++j)
                if (b->moved[j].joint == w->joints[i] || b->moved[j].above == w->joints[i]) near[j] += w->values[i];
    for (uint32_t j = 0; j < b->moved_count; ++j) {
        if (near[j] == 0.0f) continue;
        if (out_rows) out_rows[count] = j, out_weights[count] = near[j];
        ++count;
        near[j] = 0.0f;
    }
    return count;
}

/// Joint weights of a station: the mean over its points.
static sup_result find_station_weights(binder* m)
{
    const sup_weights*  w = &m->c->weights;
    const bound*        b = m->b;
    const sup_sections* s = &b->sections;
    float*              near = SUP_NEW(m->temporary, float, (size_t)s->station_count * b->moved_count + 1);
    float*              mass = SUP_NEW(m->temporary, float, (size_t)s->station_count + 1);
    if (!near || !mass) return no_memory(m);
    for (uint32_t p = 0; s->station_count && p < b->point_count; ++p)
        for (uint32_t k = 0; s->station[p] != SUP_NONE && k < 2; ++k) {
            uint32_t at = s->station[p] + k;
            float    share = k ? s->ratio[p] : 1 - s->ratio[p];
            mass[at] += share;
            for (uint32_t i = w->begin[p]; i < w->begin[p + 1]; ++i)
                for (uint32_t j = 0; j < b->moved_count; ++j)
                    if (b->moved[j].joint == w->joints[i] || b->moved[j].above == w->joints[i])
                        near[(size_t)at * b->moved_count + j] += share * w->values[i];
        }
    for (uint32_t at = 0; at < s->station_count; ++at)
        for (uint32_t j = 0; j < b->moved_count; ++j)
            if (mass[at] > 0) near[(size_t)at * b->moved_count + j] /= mass[at];
    m->station_near = near;
    return SUP_OK;
}

static sup_result find_entry_weights(binder* m, pose_fit* fit)
{
    const bound* b = m->b;
    uint32_t     count = fit->point_count;
    bool         weighted = ((const pose_space_params*)m->in->params)->weighted;
    float*       near = SUP_NEW(m->temporary, float, (size_t)b->moved_count + 1);
    uint32_t*    begin = SUP_NEW(m->temporary, uint32_t, (size_t)count + 1);
    if (!near || !begin) return no_memory(m);
    for (uint32_t i = 0; i < count; ++i)
        begin[i + 1] = begin[i] + 1 + (weighted ? point_weights(m, b->entries[i], near, NULL, NULL) : 0);
    uint32_t* weight_rows = SUP_NEW(m->temporary, uint32_t, (size_t)begin[count] + 1);
    float*    weights = SUP_NEW(m->temporary, float, (size_t)begin[count] + 1);
    if (!weight_rows || !weights) return no_memory(m);
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t at = begin[i];
        if (weighted) at += point_weights(m, b->entries[i], near, weight_rows + at, weights + at);
        weight_rows[at] = b->moved_count;
        weights[at] = weighted ? OTHERS : 1.0f;
    }
    fit->weight_begin = begin;
    fit->weight_rows = weight_rows;
    fit->weights = weights;
    return SUP_OK;
}

static sup_result fit_field(binder* m)
{
    bound*                   b = m->b;
    const pose_space_params* p = m->in->params;
    uint32_t                 n = b->center_count, row_count = b->moved_count + 1, culprits[2] = { 0, 0 };
    float*                   between = SUP_NEW(m->temporary, float, (size_t)n* n* row_count);
    if (!between) return no_memory(m);
    for (uint32_t i = 0; i < n; ++i) {
        float* table = between + (size_t)i * n * row_count;
        for (uint32_t j = 0; j < b->moved_count; ++j) {
            const sup_quat* turns = b->turns + (size_t)j * n;
            sup_turn_row(turns, n, turns[i], 0, table + (size_t)j * n, table + (size_t)b->moved_count * n);
        }
    }
    pose_fit   fit = { .kernel = (pose_kernel)p->kernel,
                       .radius = p->radius,
                       .center_count = n,
                       .row_count = row_count,
                       .between = between,
                       .point_count = b->entry_count + 2 * b->sections.station_count,
                       .points = b->entries,
                       .shapes = (const sup_vec3* const*)m->shapes };
    sup_result r = find_station_weights(m);
    if (!r) r = find_entry_weights(m, &fit);
    if (!r) r = sup_pose_fit_solve(&fit, m->in->tasks, m->arena, &b->field, culprits, m->error);
    if (r == SUP_ERROR_INPUT)
        return sup_fail(m->error, SUP_ERROR_INPUT,
                        "pose_space: the poses of the examples '%s' and '%s' are too close to each other; remove one",
                        m->names[culprits[0]], m->names[culprits[1]]);
    return r;
}

/// A skin set of the entries about the origin: matrices without translation rotate corrections along with their points.
static sup_result make_rotator(binder* m)
{
    bound*             b = m->b;
    const sup_weights* w = &m->c->weights;
    size_t             total = 0;
    for (uint32_t i = 0; i < b->entry_count; ++i) total += w->begin[b->entries[i] + 1] - w->begin[b->entries[i]];
    sup_vec3* zeros = SUP_NEW(m->temporary, sup_vec3, (size_t)b->entry_count + b->joint_count);
    uint32_t* begin = SUP_NEW(m->temporary, uint32_t, (size_t)b->entry_count + 1);
    uint32_t* joints = SUP_NEW(m->temporary, uint32_t, total + 1);
    float*    values = SUP_NEW(m->temporary, float, total + 1);
    if (!zeros || !begin || !joints || !values) return no_memory(m);
    for (uint32_t i = 0; i < b->entry_count; ++i) {
        uint32_t from = w->begin[b->entries[i]], count = w->begin[b->entries[i] + 1] - from;
        memcpy(joints + begin[i], w->joints + from, count * sizeof *joints);
        memcpy(values + begin[i], w->values + from, count * sizeof *values);
        begin[i + 1] = begin[i] + count;
    }
    sup_skin_desc desc = { .point_count = b->entry_count,
                           .points = zeros,
                           .begin = begin,
                           .joints = joints,
                           .values = values,
                           .joint_count = b->joint_count,
                           .joint_centers = zeros };
    return sup_skin_create(&desc, m->arena, &b->push, m->error);
}

/// Which examples a pose can lie between: paths connect each example to the nearest ones.
static sup_result make_trust(binder* m)
{
    const sup_sections* s = &m->b->sections;
    sup_turns           turns;
    sup_pose_path*      paths = NULL;
    uint32_t            count = 0;
    sup_result          r = sup_turns_create(m->c, m->center_count, m->poses, m->arena, &turns, m->error);
    if (!r) r = sup_trust_near_paths(&turns, m->arena, &paths, &count, m->error);
    sup_trust_desc desc = { .turns = &turns,
                            .path_count = count,
                            .paths = paths,
                            .shapes = (const sup_vec3* const*)m->shapes,
                            .means = { s->station_count, s->station, s->ratio } };
    return r ? r : sup_trust_create(m->c, &desc, m->arena, &m->b->trust, m->error);
}

static sup_result bind_all(binder* m)
{
    sup_result r = sup_turn_joints(&m->c->skeleton, m->arena, &m->joints, &m->joint_count, &m->paths, m->error);
    if (!r) r = add_centers(m);
    if (!r) r = keep_moved(m);
    if (!r && ((const pose_space_params*)m->in->params)->kernel != POSE_KERNEL_GAUSSIAN) r = make_hulls(m);
    if (!r && ((const pose_space_params*)m->in->params)->turning)
        r = pose_sections_take(m->in, m->center_count, m->shapes, m->temporary, m->arena, &m->b->sections, m->error);
    if (!r) r = make_trust(m);
    if (!r) r = list_entries(m);
    if (!r && m->b->entry_count) r = fit_field(m);
    if (!r) r = make_rotator(m);
    return r;
}

static sup_result bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    binder m = { .in = in, .c = in->character, .arena = arena, .temporary = sup_arena_beside(arena), .error = error };
    m.b = SUP_NEW(arena, bound, 1);
    sup_result r = SUP_ERROR_MEMORY;
    if (!m.temporary || !m.b) sup_fail_memory(error, "pose_space");
    else {
        m.b->joint_count = in->character->skeleton.joint_count;
        m.b->point_count = in->character->mesh.point_count;
        m.b->rest = in->character->mesh.points;
        m.b->strength = in->fields[ROW_STRENGTH];
        r = bind_all(&m);
    }
    sup_arena_destroy(m.temporary);
    if (r) return r;
    bound* b = m.b;
    b->distances = sup_align(((size_t)b->moved_count + 1) * b->center_count * sizeof(float), 64);
    b->skin = sup_align(b->joint_count * sizeof(sup_affine), 64);
    b->corrections = sup_align(((size_t)b->field.block_count + 1) * SUP_LANES * sizeof(sup_vec3), 64);
    b->stations = sup_align(b->sections.station_count * (sizeof(sup_station) + 6 * sizeof(float)), 64);
    b->trusted = sup_align(sup_trust_scratch(&b->trust), 64);
    *out = (sup_binding){ .data = b,
                          .scratch_size = b->distances + b->skin + 2 * b->corrections + b->stations + b->trusted +
                                          sup_skin_scratch(b->push) };
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- evaluate

typedef struct pose_job {
    const bound*    b;
    const float*    distances;
    sup_vec3*       corrections; // in rest space, by entry
    const sup_vec3* turned;      // in the pose, by entry
    const sup_vec3* points;
    float           strength;
    sup_vec3*       out;
    sup_station*    stations;
    const float*    share; // of points, then of stations; NULL: 1
} pose_job;

static void sum_task(void* data, uint32_t begin, uint32_t end)
{
    const pose_job* j = data;
    SUP_WIDE_PICK(sup_pose_field_sum)(&j->b->field, j->distances, begin, end, j->corrections);
}

static void trust_task(void* data, uint32_t begin, uint32_t end)
{
    const pose_job* j = data;
    for (uint32_t i = begin; i < end; ++i) j->corrections[i] = v3_scale(j->corrections[i], j->share[j->b->entries[i]]);
}

/// Trust in the examples: how far the pose lies between them; also for the two vectors of a station.
static void trust_them(const pose_job* j, const sup_tasks* tasks)
{
    const bound* b = j->b;
    sup_vec3*    turns = j->corrections + b->entry_count;
    sup_tasks_run(tasks, b->entry_count, GRAIN_POINTS, trust_task, (void*)j);
    for (uint32_t i = 0; i < 2 * b->sections.station_count; ++i)
        turns[i] = v3_scale(turns[i], j->share[b->point_count + i / 2]);
}

static void section_task(void* data, uint32_t begin, uint32_t end)
{
    const pose_job* j = data;
    for (uint32_t i = begin; i < end; ++i)
        j->corrections[i] =
            pose_sections_add(&j->b->sections, j->stations, j->b->entries[i], j->b->rest[j->b->entries[i]], j->corrections[i]);
}

static void copy_task(void* data, uint32_t begin, uint32_t end)
{
    const pose_job* j = data;
    memcpy(j->out + begin, j->points + begin, (size_t)(end - begin) * sizeof *j->out);
}

static void add_task(void* data, uint32_t begin, uint32_t end)
{
    const pose_job* j = data;
    const bound*    b = j->b;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t point = b->entries[i];
        float    strength =
            b->strength.scale ? sup_field_value(&rows[ROW_STRENGTH], &b->strength, j->strength, point) : j->strength;
        j->out[point] = v3_mad(j->points[point], strength, j->turned[i]);
    }
}

/// The distances of the pose to all centers. Returns how many joints had no rotation; they count as not rotated.
static uint32_t measure_pose(const bound* b, const sup_pose* pose, float* distances)
{
    uint32_t n = b->center_count, lost = 0;
    float*   total = distances + (size_t)b->moved_count * n;
    memset(total, 0, n * sizeof *total);
    for (uint32_t j = 0; j < b->moved_count; ++j) {
        sup_quat turn = sup_turn_of(&b->moved[j], b->paths, pose, &lost);
        double   beside = b->hulls ? sup_hull_beside(&b->hulls[j], turn) : 0;
        sup_turn_row(b->turns + (size_t)j * n, n, turn, beside, distances + (size_t)j * n, total);
    }
    return lost;
}

static void evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                     sup_vec3* out)
{
    (void)state;
    const bound* b = binding->data;
    uint8_t*     at = scratch;
    float*       distances = scratch;
    sup_affine*  skin = (sup_affine*)(void*)(at + b->distances);
    sup_vec3*    corrections = (sup_vec3*)(void*)(at + b->distances + b->skin);
    sup_vec3*    turned = (sup_vec3*)(void*)(at + b->distances + b->skin + b->corrections);
    sup_station* stations = (sup_station*)(void*)(at + b->distances + b->skin + 2 * b->corrections);
    uint8_t*     trust = (uint8_t*)stations + b->stations;

    const pose_space_params* p = params;
    pose_job                 job = { b, distances, corrections, turned, frame->points, p->strength, out, stations, NULL };
    if (p->trust && b->entry_count) job.share = sup_trust_find_any(&b->trust, frame->end, frame->tasks, trust).share;
    sup_tasks_run(frame->tasks, b->point_count, GRAIN_POINTS, copy_task, &job);
    sup_stats_add(frame->stats, "pose_space.no_turn", measure_pose(b, frame->end, distances));
    sup_tasks_run(frame->tasks, b->field.block_count, GRAIN_BLOCKS, sum_task, &job);
    if (job.share) trust_them(&job, frame->tasks);
    if (b->sections.station_count) {
        float* turns = (float*)(void*)(stations + b->sections.station_count);
        pose_sections_prepare(&b->sections, corrections + b->entry_count, turns, stations);
        sup_tasks_run(frame->tasks, b->entry_count, GRAIN_POINTS, section_task, &job);
    }
    for (uint32_t j = 0; j < b->joint_count; ++j) {
        skin[j] = frame->end->skin[j];
        for (int i = 0; i < 3; ++i) skin[j].m[i][3] = 0.0f;
    }
    sup_skin_call call = { .dualquat = true,
                           .blend = 1,
                           .skin = skin,
                           .points = corrections,
                           .tasks = frame->tasks,
                           .scratch = trust + b->trusted,
                           .out = turned };
    sup_stats_add(frame->stats, "pose_space.no_rotation", sup_skin_evaluate(b->push, &call));
    sup_tasks_run(frame->tasks, b->entry_count, GRAIN_POINTS, add_task, &job);
}

const sup_deformer sup_deformer_pose_space = {
    .name = "pose_space",
    .summary = "Pose space deformation: corrections from example sculpts, interpolated over the joints' rotations",
    .paper =
        "Lewis, Cordner, Fong: Pose space deformation, 2000; Kurihara, Miyata: Modeling deformable human hands from medical "
        "images, 2004",
    .needs = SUP_NEEDS_EXAMPLES | SUP_NEEDS_WEIGHTS,
    .params = rows,
    .param_count = SUP_COUNT_OF(rows),
    .params_size = sizeof(pose_space_params),
    .bind = bind,
    .evaluate = evaluate,
};

// Corrective smoothing (delta mush): smooth what comes in, then put back the detail that smoothing takes from the rest shape,
// turned with the smoothed surface. Creases and bulges of skinning vanish, wrinkles and fingers stay.
//   q = S(points)      S = `iterations` of p <- p + step (mean of its neighbors - p)
//   out = points + strength (q + F(q) d - points)      d = F(S(rest))^T (rest - S(rest)),  F = the surface's frame at the point
#include "base/internal.h"
#include "geom/topology.h"
#include "math/vec.h"
#include "supple/deformer.h"

#include <string.h>

typedef struct smooth_params {
    int   iterations;
    float step;
    bool  pin_borders;
    float strength;
} smooth_params;

enum { ROW_ITERATIONS, ROW_STEP, ROW_PIN, ROW_STRENGTH };

static const sup_param rows[] = {
    { "iterations", SUP_PARAM_INT, SUP_STAGE_BIND, offsetof(smooth_params, iterations), .min = 0, .max = 200, .standard = 10,
      .unit = "", .help = "How often neighbors are averaged; more irons wider creases and costs in proportion" },
    { "step", SUP_PARAM_FLOAT, SUP_STAGE_BIND, offsetof(smooth_params, step), .min = 0, .max = 1, .standard = 0.5, .unit = "",
      .help = "Share of the way to the neighbors' mean taken each time" },
    { "pin_borders", SUP_PARAM_BOOL, SUP_STAGE_BIND, offsetof(smooth_params, pin_borders), .standard = 1, .unit = "",
      .help = "Points on the edge of a hole stay where they come in, so that openings do not shrink" },
    { "strength", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, offsetof(smooth_params, strength), .varies = SUP_VARIES_POINT, .min = 0,
      .max = 1, .standard = 1, .unit = "", .help = "0 leaves the skin as it comes in; paint _SMOOTH_STRENGTH to keep regions" },
};

// Four floats a point: one load, one add for all three coordinates.
typedef float f4 __attribute__((vector_size(16)));

typedef struct bound {
    uint32_t        point_count;
    const uint32_t* ring_begin; // neighbors of each point; none where it is pinned or loose
    const uint32_t* ring;
    const uint32_t* fan_begin; // of each face around the point the corners after and before it
    const uint32_t* fan;
    const uint32_t* along;   // the neighbor that the frame's first axis looks at
    const float*    shares;  // step / number of neighbors
    const sup_vec3* details; // d, in the frame of the smoothed rest shape
    int             iterations;
    float           step;
    sup_field       strength;
} bound;

enum { GRAIN = 4096 };

// ---------------------------------------------------------------------------------------------- smoothing

typedef struct smooth_job {
    const bound*    b;
    const sup_vec3* points;
    const f4*       from;
    f4*             to;
    float           strength;
    sup_vec3*       out;
    uint8_t*        frameless; // one a piece: points that had no frame, counted up to 255
} smooth_job;

static void spread_task(void* data, uint32_t begin, uint32_t end)
{
    const smooth_job* j = data;
    for (uint32_t i = begin; i < end; ++i) j->to[i] = (f4){ j->points[i].x, j->points[i].y, j->points[i].z, 0 };
}

static void average_task(void* data, uint32_t begin, uint32_t end)
{
    const smooth_job* j = data;
    const bound*      b = j->b;
    const f4*         p = j->from;
    for (uint32_t i = begin; i < end; ++i) {
        f4 sum = { 0, 0, 0, 0 };
        for (uint32_t k = b->ring_begin[i]; k < b->ring_begin[i + 1]; ++k) sum += p[b->ring[k]];
        float n = (float)(b->ring_begin[i + 1] - b->ring_begin[i]), share = b->shares[i];
        float keep = 1.0f - share * n;
        j->to[i] = p[i] * (f4){ keep, keep, keep, keep } + sum * (f4){ share, share, share, share };
    }
}

// Smooths `points` through the two buffers; returns the one that holds the result.
static f4* smooth(const bound* b, const sup_tasks* tasks, const sup_vec3* points, f4* one, f4* two)
{
    smooth_job job = { .b = b, .points = points, .to = one };
    sup_tasks_run(tasks, b->point_count, GRAIN, spread_task, &job);
    for (int i = 0; i < b->iterations; ++i) {
        job.from = i % 2 ? two : one;
        job.to = i % 2 ? one : two;
        sup_tasks_run(tasks, b->point_count, GRAIN, average_task, &job);
    }
    return b->iterations % 2 ? two : one;
}

// ---------------------------------------------------------------------------------------------- frames

// Three plain loads: taking lanes out of a register would cost more.
static sup_vec3 at(const f4* p, uint32_t i)
{
    const float* f = (const float*)(p + i);
    return v3(f[0], f[1], f[2]);
}

// x along a neighbor, z along the area-weighted normal, y across. False where there is no such frame.
static bool frame_at(const bound* b, const f4* p, uint32_t i, sup_vec3 axes[3])
{
    if (b->along[i] == SUP_NONE) return false;
    sup_vec3 o = at(p, i), n = v3(0, 0, 0);
    for (uint32_t k = b->fan_begin[i]; k < b->fan_begin[i + 1]; k += 2)
        n = v3_add(n, v3_cross(v3_sub(at(p, b->fan[k]), o), v3_sub(at(p, b->fan[k + 1]), o)));
    sup_vec3 e = v3_sub(at(p, b->along[i]), o);
    float    length2 = v3_length2(n);
    if (!(length2 > SUP_EPS_LENGTH * SUP_EPS_LENGTH)) return false;
    axes[2] = v3_scale(n, 1.0f / sqrtf(length2));
    sup_vec3 x = v3_mad(e, -v3_dot(e, axes[2]), axes[2]);
    // An edge within 0.06 degrees of the normal has no direction worth following.
    if (!(v3_length2(x) > 1e-6f * v3_length2(e))) return false;
    axes[0] = v3_scale(x, 1.0f / v3_length(x));
    axes[1] = v3_cross(axes[2], axes[0]);
    return true;
}

static void correct_task(void* data, uint32_t begin, uint32_t end)
{
    const smooth_job* j = data;
    const bound*      b = j->b;
    uint32_t          frameless = 0;
    for (uint32_t i = begin; i < end; ++i) {
        float    strength = sup_field_value(&rows[ROW_STRENGTH], &b->strength, j->strength, i);
        sup_vec3 axes[3], d = b->details[i], p = j->points[i];
        if (b->shares[i] == 0.0f) { // pinned or loose: nothing was smoothed
            j->out[i] = p;
            continue;
        }
        sup_vec3 target = at(j->from, i);
        if (frame_at(b, j->from, i, axes)) target = v3_mad(v3_mad(v3_mad(target, d.x, axes[0]), d.y, axes[1]), d.z, axes[2]);
        else {
            target = p;
            ++frameless;
        }
        j->out[i] = v3_lerp(p, target, strength);
    }
    j->frameless[begin / GRAIN] = (uint8_t)(frameless < 255 ? frameless : 255);
}

// ---------------------------------------------------------------------------------------------- bind

typedef struct binder {
    const sup_mesh* mesh;
    sup_arena*      arena;
    sup_error*      error;
    sup_topology    topology;
    bool*           pinned;
} binder;

static bool find_pinned(binder* m, bool pin_borders)
{
    m->pinned = SUP_NEW(m->arena, bool, m->mesh->point_count);
    if (!m->pinned) return false;
    for (uint32_t i = 0; pin_borders && i < m->topology.edge_count; ++i) {
        const sup_edge* e = &m->topology.edges[i];
        if (e->face_count == 1) m->pinned[e->a] = m->pinned[e->b] = true;
    }
    return true;
}

static bool make_shares(binder* m, bound* b)
{
    float* shares = SUP_NEW(m->arena, float, b->point_count);
    if (!shares) return false;
    for (uint32_t i = 0; i < b->point_count; ++i) {
        uint32_t n = b->ring_begin[i + 1] - b->ring_begin[i];
        shares[i] = n && !m->pinned[i] ? b->step / (float)n : 0.0f;
    }
    b->shares = shares;
    return true;
}

// For every point the corners after and before it in each of its faces; and the neighbor that stands farthest at rest, which
// is the last to collapse.
static bool make_fans(binder* m, bound* b)
{
    const sup_mesh* mesh = m->mesh;
    uint32_t*       begin = SUP_NEW(m->arena, uint32_t, (size_t)b->point_count + 1);
    uint32_t*       fan = SUP_NEW(m->arena, uint32_t, (size_t)mesh->corner_count * 2);
    uint32_t*       filled = SUP_NEW(m->arena, uint32_t, b->point_count);
    uint32_t*       along = SUP_NEW(m->arena, uint32_t, b->point_count);
    if (!begin || !fan || !filled || !along) return false;
    for (uint32_t c = 0; c < mesh->corner_count; ++c) begin[mesh->corner_points[c] + 1] += 2;
    for (uint32_t i = 0; i < b->point_count; ++i) begin[i + 1] += begin[i];
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t first = mesh->face_begin[f], last = mesh->face_begin[f + 1] - 1;
        for (uint32_t c = first; c <= last; ++c) {
            uint32_t i = mesh->corner_points[c];
            fan[begin[i] + filled[i]++] = mesh->corner_points[c == last ? first : c + 1];
            fan[begin[i] + filled[i]++] = mesh->corner_points[c == first ? last : c - 1];
        }
    }
    for (uint32_t i = 0; i < b->point_count; ++i) {
        float most = 0.0f;
        along[i] = SUP_NONE;
        for (uint32_t k = b->ring_begin[i]; k < b->ring_begin[i + 1]; ++k) {
            float length = v3_distance(mesh->points[b->ring[k]], mesh->points[i]);
            if (length > most) most = length, along[i] = b->ring[k];
        }
    }
    b->fan_begin = begin;
    b->fan = fan;
    b->along = along;
    return true;
}

static bool make_details(binder* m, bound* b, const sup_tasks* tasks)
{
    f4*       one = SUP_NEW(m->arena, f4, b->point_count);
    f4*       two = SUP_NEW(m->arena, f4, b->point_count);
    sup_vec3* details = SUP_NEW(m->arena, sup_vec3, b->point_count);
    if (!one || !two || !details) return false;
    const f4* q = smooth(b, tasks, m->mesh->points, one, two);
    for (uint32_t i = 0; i < b->point_count; ++i) {
        sup_vec3 axes[3], d = v3_sub(m->mesh->points[i], at(q, i));
        if (frame_at(b, q, i, axes)) details[i] = v3(v3_dot(axes[0], d), v3_dot(axes[1], d), v3_dot(axes[2], d));
    }
    b->details = details;
    return true;
}

static sup_result bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    const smooth_params* p = in->params;
    const sup_mesh*      mesh = &in->character->mesh;
    binder               m = { .mesh = mesh, .arena = arena, .error = error };
    sup_result           r =
        sup_topology_create(&(sup_polygons){ mesh->point_count, mesh->face_count, mesh->face_begin, mesh->corner_points },
                            arena, &m.topology, error);
    if (r) return r;
    bound* b = SUP_NEW(arena, bound, 1);
    if (!b) return sup_fail_memory(error, "smooth");
    *b = (bound){ .point_count = mesh->point_count,
                  .ring_begin = m.topology.ring_begin,
                  .ring = m.topology.ring,
                  .iterations = p->iterations,
                  .step = p->step,
                  .strength = in->fields[ROW_STRENGTH] };
    if (!find_pinned(&m, p->pin_borders) || !make_shares(&m, b) || !make_fans(&m, b) || !make_details(&m, b, in->tasks))
        return sup_fail_memory(error, "smooth");
    size_t buffer = sup_align(mesh->point_count * sizeof(f4), 64);
    *out = (sup_binding){ .data = b, .scratch_size = 2 * buffer + mesh->point_count / GRAIN + 1 };
    return SUP_OK;
}

static void evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                     sup_vec3* out)
{
    (void)state;
    const bound* b = binding->data;
    size_t       buffer = sup_align(b->point_count * sizeof(f4), 64);
    uint32_t     pieces = b->point_count / GRAIN + 1, frameless = 0;
    smooth_job   job = { .b = b,
                         .points = frame->points,
                         .strength = ((const smooth_params*)params)->strength,
                         .out = out,
                         .frameless = (uint8_t*)scratch + 2 * buffer };
    memset(job.frameless, 0, pieces);
    job.from = smooth(b, frame->tasks, frame->points, scratch, (f4*)((uint8_t*)scratch + buffer));
    sup_tasks_run(frame->tasks, b->point_count, GRAIN, correct_task, &job);
    for (uint32_t i = 0; i < pieces; ++i) frameless += job.frameless[i];
    sup_stats_add(frame->stats, "smooth.no_frame", frameless);
}

const sup_deformer sup_deformer_smooth = {
    .name = "smooth",
    .summary = "Corrective smoothing: irons the creases of the links before it and keeps the detail of the rest shape",
    .paper = "Mancewicz, Derksen, Rijpkema, Wilson: Delta Mush: smoothing deformations while preserving detail, 2014",
    .params = rows,
    .param_count = SUP_COUNT_OF(rows),
    .params_size = sizeof(smooth_params),
    .bind = bind,
    .evaluate = evaluate,
};

// Corrective smoothing (delta mush): smooths the input, then restores the detail that smoothing removes from the rest shape,
// rotated with the smoothed surface. Creases and bulges of skinning disappear; wrinkles and fingers stay.
//   q = S(points)      S = `iterations` of p <- p + step (mean of its neighbors - p)
//   out = points + strength (q + F(q) d - points)      d = F(S(rest))^T (rest - S(rest)),  F = the surface's frame at the point
#include "deform/smooth/smooth.h"
#include "base/internal.h"
#include "supple/deformer.h"

typedef struct smooth_params {
    int   iterations;
    float step;
    bool  pin_borders;
    float strength;
} smooth_params;

enum { ROW_ITERATIONS, ROW_STEP, ROW_PIN, ROW_STRENGTH };

static const sup_param rows[] = {
    { "iterations", SUP_PARAM_INT, SUP_STAGE_BIND, offsetof(smooth_params, iterations), .min = 0, .max = 200, .standard = 10,
      .unit = "", .help = "How often neighbors are averaged; more smooths wider creases and costs in proportion" },
    { "step", SUP_PARAM_FLOAT, SUP_STAGE_BIND, offsetof(smooth_params, step), .min = 0, .max = 1, .standard = 0.5, .unit = "",
      .help = "Fraction of the distance to the neighbors' mean taken each time", .only_with = "iterations>0" },
    { "pin_borders", SUP_PARAM_BOOL, SUP_STAGE_BIND, offsetof(smooth_params, pin_borders), .standard = 1, .unit = "",
      .help = "Points on the edge of a hole are not moved, so that openings do not shrink", .only_with = "holes,iterations>0" },
    { "strength", SUP_PARAM_FLOAT, SUP_STAGE_FRAME, offsetof(smooth_params, strength), .varies = SUP_VARIES_POINT, .min = 0,
      .max = 1, .standard = 1, .unit = "",
      .help = "0 passes the skin through unchanged; paint _SMOOTH_STRENGTH to leave regions unsmoothed",
      .only_with = "iterations>0" },
};

typedef struct bound {
    smooth_surface surface;
    int            iterations;
    bool           holes;
    sup_field      strength;
    size_t         buffer;    // bytes of one set of smoothed points
    size_t         strengths; // bytes of the per-point strengths; 0: uniform
} bound;

// ---------------------------------------------------------------------------------------------- kernels

static void spread(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_smooth_spread)(data, begin, end); }
static void average(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_smooth_average)(data, begin, end); }
static void measure(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_smooth_measure)(data, begin, end); }
static void correct(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_smooth_correct)(data, begin, end); }

/// Smooths the job's points back and forth between the two buffers; the result ends up in job->from.
static void smooth(smooth_job* job, int iterations, const sup_tasks* tasks, smooth_f4* one, smooth_f4* two)
{
    uint32_t chunks = job->surface->chunk_count;
    job->to = one;
    sup_tasks_run(tasks, chunks, 1, spread, job);
    for (int i = 0; i < iterations; ++i) {
        job->from = i % 2 ? two : one;
        job->to = i % 2 ? one : two;
        sup_tasks_run(tasks, chunks, 1, average, job);
    }
    job->from = iterations % 2 ? two : one;
}

// ---------------------------------------------------------------------------------------------- bind

static sup_result find_pinned(const sup_topology* t, uint32_t points, bool pin_borders, sup_arena* arena, bool** out,
                              bool* holes, sup_error* error)
{
    bool* pinned = SUP_NEW(arena, bool, points);
    if (!pinned) return sup_fail_memory(error, "smooth");
    for (uint32_t i = 0; i < t->edge_count; ++i) {
        const sup_edge* e = &t->edges[i];
        if (e->face_count != 1) continue;
        pinned[e->a] = pinned[e->b] = pin_borders;
        *holes = true;
    }
    *out = pinned;
    return SUP_OK;
}

static sup_result bind_surface(const sup_bind_input* in, sup_arena* arena, sup_arena* temporary, bound* b, sup_error* error)
{
    const smooth_params* p = in->params;
    const sup_mesh*      mesh = &in->character->mesh;
    sup_topology         topology;
    bool*                pinned = NULL;
    sup_polygons         polygons = { mesh->point_count, mesh->face_count, mesh->face_begin, mesh->corner_points };
    sup_result           r = sup_topology_create(&polygons, temporary, &topology, error);
    if (!r) r = find_pinned(&topology, mesh->point_count, p->pin_borders, temporary, &pinned, &b->holes, error);
    if (!r) r = sup_smooth_surface_create(mesh, &topology, pinned, arena, &b->surface, error);
    if (r) return r;
    b->surface.step = p->step;
    smooth_f4* one = SUP_NEW(temporary, smooth_f4, mesh->point_count);
    smooth_f4* two = SUP_NEW(temporary, smooth_f4, mesh->point_count);
    if (!one || !two) return sup_fail_memory(error, "smooth");
    smooth_job job = { .surface = &b->surface, .points = mesh->points };
    smooth(&job, b->iterations, in->tasks, one, two);
    sup_tasks_run(in->tasks, b->surface.chunk_count, 1, measure, &job);
    return SUP_OK;
}

static sup_result bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    sup_arena* temporary = sup_arena_beside(arena);
    bound*     b = SUP_NEW(arena, bound, 1);
    sup_result r = SUP_ERROR_MEMORY;
    if (!temporary || !b) sup_fail_memory(error, "smooth");
    else {
        uint32_t points = in->character->mesh.point_count;
        b->iterations = ((const smooth_params*)in->params)->iterations;
        b->strength = in->fields[ROW_STRENGTH];
        b->buffer = sup_align(points * sizeof(smooth_f4), 64);
        b->strengths = b->strength.scale ? sup_align(points * sizeof(float), 64) : 0;
        r = bind_surface(in, arena, temporary, b, error);
    }
    sup_arena_destroy(temporary);
    if (r) return r;
    *out = (sup_binding){ .data = b, .scratch_size = 2 * b->buffer + b->strengths + b->surface.chunk_count * sizeof(uint32_t) };
    return SUP_OK;
}

static void evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                     sup_vec3* out)
{
    (void)state;
    const bound* b = binding->data;
    uint8_t*     at = scratch;
    smooth_job   job = { .surface = &b->surface,
                         .points = frame->points,
                         .strength = ((const smooth_params*)params)->strength,
                         .out = out,
                         .frameless = (uint32_t*)(void*)(at + 2 * b->buffer + b->strengths) };
    if (b->strengths) {
        float* strengths = (float*)(void*)(at + 2 * b->buffer);
        for (uint32_t i = 0; i < b->surface.point_count; ++i)
            strengths[i] = sup_field_value(&rows[ROW_STRENGTH], &b->strength, job.strength, i);
        job.strengths = strengths;
    }
    smooth(&job, b->iterations, frame->tasks, scratch, (smooth_f4*)(void*)(at + b->buffer));
    sup_tasks_run(frame->tasks, b->surface.chunk_count, 1, correct, &job);
    uint64_t frameless = 0;
    for (uint32_t i = 0; i < b->surface.chunk_count; ++i) frameless += job.frameless[i];
    sup_stats_add(frame->stats, "smooth.no_frame", frameless);
}

static bool has_holes(const sup_bind_input* in, const sup_binding* binding)
{
    (void)in;
    return ((const bound*)binding->data)->holes;
}

static const sup_condition conditions[] = {
    { "holes", "holes in the surface", "a closed one has no borders to pin", has_holes },
    { 0 },
};

const sup_deformer sup_deformer_smooth = {
    .name = "smooth",
    .summary = "Corrective smoothing: smooths the creases of the links before it and keeps the detail of the rest shape",
    .paper = "Mancewicz, Derksen, Rijpkema, Wilson: Delta Mush: smoothing deformations while preserving detail, 2014",
    .params = rows,
    .param_count = SUP_COUNT_OF(rows),
    .params_size = sizeof(smooth_params),
    .conditions = conditions,
    .bind = bind,
    .evaluate = evaluate,
};

// Table 3 of Bian et al. 2019: the cost of the stages at their four sizes and at that of the galloping horse (8431), and the
// points of a frame with sine and cosine computed at every point. One thread.
#include "bench/bench.h"
#include "deform/fourier/fourier.h"
#include "run/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = 5, REPEATS = 60, BINDS = 5 };

static const uint32_t sizes[] = { 3840, 7207, 8431, 10128, 32185 };
enum { EXTRACTION, GEOMETRY, FIT, SOLVER, SKIN, FRAME, SAVE, STAGES };
static const char* const stages[STAGES] = { "extraction", "geometry", "fit", "solver", "points", "frame", "file" };

typedef struct series {
    sup_character* character;
    fourier_params params;
    sup_bind_input in;
    fourier_bound  bound;
    sup_chain*     chain;
    sup_arena*     arena;
    float *        coefficients, *packed;
    sup_vec3*      q;
    double         ms[STAGES], naive;
    size_t         file;  ///< bytes on disk
    double         check; ///< keeps the compiler from removing the work
} series;

static void keep_best(double* best, double begin)
{
    double ms = 1e3 * (bench_now() - begin);
    if (*best == 0 || ms < *best) *best = ms;
}

/// One binding, stage by stage. `last`: keep it.
static sup_result bind_once(series* s, bool last, sup_error* error)
{
    sup_arena*      arena = sup_arena_create(NULL);
    const uint32_t* labels;
    sup_curves      curves;
    fourier_bound   b = *(const fourier_bound*)s->chain->links[1].binding.data; // its examples; the rest is computed again
    if (!arena) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory for series");
    double          begin = bench_now(), extraction = 0;
    sup_result      r = sup_curve_labels(&s->in, "fourier", "", arena, &labels, error);
    sup_curves_desc desc = { .mesh = sup_curve_mesh_of(&s->character->mesh),
                             .labels = r ? NULL : labels,
                             .way = SUP_CURVES_AROUND,
                             .curves = (uint32_t)s->params.curves,
                             .snap = s->params.snap };
    if (!r) r = sup_curves_create(&desc, arena, &curves, error);
    keep_best(&extraction, begin);
    begin = bench_now();
    if (!r) r = fourier_net_create(&s->in, &s->params, arena, &b.net, error);
    if (!r) r = fourier_net_group(&b.net, b.dynamics.point_count, arena, error);
    keep_best(&s->ms[GEOMETRY], begin);
    if (s->ms[EXTRACTION] == 0 || extraction < s->ms[EXTRACTION]) s->ms[EXTRACTION] = extraction;
    begin = bench_now();
    if (!r) r = fourier_motion_create(&s->in, &s->params, &b.net, arena, &b.dynamics, &b.motion, error);
    keep_best(&s->ms[FIT], begin);
    if (!r && last) s->bound = b, s->arena = arena;
    else sup_arena_destroy(arena);
    return r;
}

/// Sine and cosine for every point, curve, wave and component, as the formula is written.
static void naive_points(series* s)
{
    const fourier_net* n = &s->bound.net;
    for (uint32_t p = 0; p < s->bound.dynamics.point_count; ++p) {
        float sum[3] = { 0, 0, 0 };
        for (int side = 0; side < 2; ++side) {
            uint32_t c = n->places[p].curve[side];
            if (c == SUP_NONE) continue;
            const float* k = s->packed + 3 * (size_t)n->series[c].packed;
            float        v = n->places[p].v[side], share = n->places[p].share[side];
            for (int axis = 0; axis < 3; ++axis) {
                float at = k[axis];
                for (uint32_t w = 1; w <= n->series[c].terms; ++w)
                    at += k[3 * (2 * w - 1) + axis] * cosf(6.2831853f * (float)w * v) +
                          k[3 * (2 * w) + axis] * sinf(6.2831853f * (float)w * v);
                sum[axis] += share * at;
            }
        }
        s->q[p] = (sup_vec3){ sum[0], sum[1], sum[2] };
    }
    s->check += (double)s->q[s->bound.dynamics.point_count / 2].y;
}

static void time_frames(series* s)
{
    const sup_modal* m = &s->bound.dynamics.modal;
    for (uint32_t i = 0; i < REPEATS; ++i) {
        double           time = m->times[0] + (m->times[1] - m->times[0]) * (i + 0.5) / REPEATS, begin = bench_now();
        sup_modal_moment at = sup_modal_find(m, time);
        sup_modal_sway(m, &at, false, s->coefficients);
        fourier_pack(&s->bound, s->coefficients, s->packed);
        keep_best(&s->ms[SOLVER], begin);
        begin = bench_now();
        SUP_WIDE_PICK(fourier_take)(&s->bound.net, s->packed, 0, s->bound.net.group_count, s->q);
        keep_best(&s->ms[SKIN], begin);
        s->check += (double)s->q[s->bound.dynamics.point_count / 2].y;
        if (i >= BINDS) continue;
        begin = bench_now();
        naive_points(s);
        keep_best(&s->naive, begin);
    }
}

static sup_result bind_chain(series* s, sup_error* error)
{
    char           links[64];
    sup_chain_desc desc = { .character = s->character, .clip = s->in.clip, .links = links };
    snprintf(links, sizeof links, "fourier(terms=%d,curves=%d,turning=0)", TERMS, s->params.curves);
    return sup_chain_create(&desc, &s->chain, error);
}

/// The whole frame, from the clip to the skin.
static sup_result time_whole(series* s, sup_error* error)
{
    sup_instance* instance = NULL;
    const sup_instance_desc desc = { .chain = s->chain, .clip = s->in.clip, .preroll = SUP_NO_PREROLL };
    sup_result              r = sup_instance_create(&desc, &instance, error);
    void*         scratch = r ? NULL : sup_scratch_create(sup_chain_scratch_size(s->chain), NULL);
    if (!r && !scratch) r = sup_fail(error, SUP_ERROR_MEMORY, "out of memory for series");
    for (uint32_t i = 0; !r && i < REPEATS; ++i) {
        double begin = bench_now();
        sup_instance_evaluate(instance, 0.5 * (s->bound.dynamics.modal.times[0] + s->bound.dynamics.modal.times[1]), scratch,
                              NULL, s->q);
        keep_best(&s->ms[FRAME], begin);
    }
    sup_scratch_destroy(scratch);
    sup_instance_destroy(instance);
    return r;
}

/// The runtime file: its row has bytes on disk instead of memory.
static sup_result time_file(series* s, sup_error* error)
{
    const void* bytes;
    sup_arena*  arena = sup_arena_create(NULL);
    double      begin = bench_now();
    sup_result  r = arena ? sup_chain_save(s->chain, 1, arena, &bytes, &s->file, error)
                          : sup_fail(error, SUP_ERROR_MEMORY, "out of memory for series");
    keep_best(&s->ms[SAVE], begin);
    sup_arena_destroy(arena);
    return r;
}

static sup_result time_size(uint32_t points, const char* scene, bench_report* report, void* user, sup_error* error)
{
    series     s = { 0 };
    sup_result r = bench_tube_create(points, 2, &s.character, error);
    if (r) return r;
    s.params = (fourier_params){ .curves = 160, .snap = 0.25f, .terms = TERMS, .cycles = 1, .damping = 0.15f, .spread = -1 };
    s.in = (sup_bind_input){
        .character = s.character, .clip = &s.character->clips[0], .skinning = SUP_SKINNING_LINEAR, .params = &s.params
    };
    r = bind_chain(&s, error);
    for (int i = 0; !r && i < BINDS; ++i) r = bind_once(&s, i + 1 == BINDS, error);
    uint32_t n = s.character->mesh.point_count;
    if (!r) {
        s.coefficients = sup_arena_alloc(s.arena, s.bound.dynamics.modal.block + 8, sizeof(float));
        s.packed = sup_arena_alloc(s.arena, 3 * (size_t)s.bound.net.coefficient_count + 8, sizeof(float));
        s.q = sup_arena_alloc(s.arena, (size_t)n + 8, sizeof(sup_vec3));
        if (!s.coefficients || !s.packed || !s.q) r = sup_fail(error, SUP_ERROR_MEMORY, "out of memory for series");
    }
    if (!r) time_frames(&s);
    if (!r) r = time_whole(&s, error);
    if (!r) r = time_file(&s, error);
    s.ms[GEOMETRY] -= s.ms[EXTRACTION]; // the net lays its curves itself, which was already counted
    for (uint32_t i = 0; !r && i < STAGES; ++i) {
        bench_row row = { .points = n, .threads = 1, .ms = s.ms[i], .reference_ms = i == SKIN ? s.naive : 0 };
        if (i == FIT) row.memory = sup_arena_bytes(s.arena);
        if (i == SAVE) row.memory = s.file;
        snprintf(row.name, sizeof row.name, "%s%s", scene, stages[i]);
        if (!report(user, &row)) break;
    }
    sup_arena_destroy(s.arena);
    sup_chain_destroy(s.chain);
    sup_character_destroy(s.character);
    return r;
}

sup_result bench_series(const bench_options* options, bench_report* report, void* user, sup_error* error)
{
    for (uint32_t i = 0; i < SUP_COUNT_OF(sizes); ++i) {
        char scene[48], any[64];
        bool wanted = false;
        snprintf(scene, sizeof scene, "series-%u/", sizes[i]);
        for (uint32_t k = 0; k < STAGES && !wanted; ++k) {
            snprintf(any, sizeof any, "%s%s", scene, stages[k]);
            wanted = bench_begin(options, any);
        }
        sup_result r = wanted ? time_size(sizes[i], scene, report, user, error) : SUP_OK;
        if (r) return r;
    }
    return SUP_OK;
}

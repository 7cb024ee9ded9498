#include "deform/curves/residual.h"

#include "base/internal.h"
#include "math/vec.h"

#include <math.h>

/// From here on a correction counts as complete.
#define SEEN_SHARE 0.99f
/// Of a segment: a first step so short that the curves have not moved yet.
#define AT_ONCE 1e-6
/// Of the change between two examples: the slowest oscillator lags by 0.39 of it, the liveliest rings by 0.5; both keep all but
/// 0.5% of that.
#define SWING_MOST 0.75f

void sup_residual_add(sup_residual* c, uint32_t example, double share)
{
    if (share == 0 || c->count == SUP_RESIDUAL_MAX) return;
    c->example[c->count] = example;
    c->share[c->count++] = share;
}

sup_residual sup_residual_by_pose(const sup_segments* segments, const sup_pose* pose, float* weights)
{
    sup_residual c = { .count = 0 };
    sup_segments_weights_at(segments, pose, weights);
    for (uint32_t j = 0; j < segments->count; ++j) sup_residual_add(&c, j, (double)weights[j]);
    return c;
}

sup_residual sup_residual_by_time(const sup_modal* modal, const sup_modal_moment* at)
{
    sup_residual c = { .count = 0 };
    uint32_t     examples[4];
    double       shares[4];
    uint32_t     count = sup_modal_carry(modal, at, examples, shares);
    for (uint32_t i = 0; i < count; ++i) sup_residual_add(&c, examples[i], shares[i]);
    return c;
}

sup_result sup_residual_trust_create(const sup_character* character, const sup_segments* segments, const sup_sections* sections,
                                     sup_arena* arena, sup_trust* out, sup_error* error)
{
    uint32_t       n = segments->count, count = 0;
    sup_pose_path* paths = SUP_NEW(arena, sup_pose_path, (size_t)n + 1);
    *out = (sup_trust){ 0 };
    if (n < 2 || !segments->turns.pose_count) return SUP_OK;
    if (!paths) return sup_fail_memory(error, "poses");
    if (segments->posed) count = sup_segments_paths(segments, paths);
    else
        for (; count < n; ++count) paths[count] = (sup_pose_path){ count, (count + 1) % n }; // the last closes the loop
    sup_trust_desc desc = { .turns = &segments->turns,
                            .path_count = count,
                            .paths = paths,
                            .shapes = segments->q,
                            .means = { sections->station_count, sections->station, sections->ratio },
                            .in_time = !segments->posed };
    return sup_trust_create(character, &desc, arena, out, error);
}

sup_residual_trust sup_residual_trust_live(const sup_trust* trust, const sup_frame* frame, bool on, void* scratch)
{
    sup_residual_trust found = { .from = 0, .to = 0 };
    if (on) found.trusted = sup_trust_find_any(trust, frame->end, frame->tasks, scratch);
    return found;
}

sup_residual_trust sup_residual_trust_find(const sup_trust* trust, const sup_modal* m, const sup_modal_moment* at, bool free,
                                           const sup_frame* frame, bool on, void* scratch)
{
    sup_residual_trust found = { .from = at->from, .to = at->to };
    bool               left = m->period == 0 && (at->ratio <= 0 || at->ratio >= 1);
    double             ratio = m->smooth ? at->ratio : sup_ramp_value(m->ramp, at->ratio);
    sup_path_place     place = { at->from, (float)ratio, left };
    if (on && m->segments && !(at->beyond > 0 && free))
        found.trusted = sup_trust_find(trust, frame->end, &place, frame->tasks, scratch);
    return found;
}

/// One moment of the clip.
static void measure_beside(const sup_bind_input* in, const sup_trust* trust, const sup_segments* s, sup_ramp ramp, double time,
                           sup_pose* pose, void* scratch, sup_beside* out)
{
    double         ratio, beyond;
    uint32_t       i = sup_segments_find(s, time, &ratio, &beyond);
    bool           left = ratio <= 0 || ratio >= 1;
    sup_path_place place = { i, (float)(s->count == 2 ? sup_ramp_value(ramp, ratio) : ratio), left };
    sup_clip_sample(in->character, in->clip, time, pose);
    sup_trusted t = sup_trust_find(trust, pose, &place, in->tasks, scratch);
    for (uint32_t p = 0; t.share && p < trust->entry_count; ++p) {
        out->off |= t.share[p] < SEEN_SHARE;
        out->ahead |= t.shift[p] > 1 - SEEN_SHARE || t.shift[p] < SEEN_SHARE - 1;
    }
}

sup_result sup_residual_beside(const sup_bind_input* in, const sup_trust* trust, const sup_segments* s, sup_ramp ramp,
                               sup_arena* arena, sup_beside* out, sup_error* error)
{
    enum { MOMENTS = 6 };
    sup_pose pose;
    *out = (sup_beside){ false, false };
    if (!trust->block_count || !in->clip || s->posed) return SUP_OK;
    sup_arena* beside = sup_arena_beside(arena);
    void*      scratch = beside ? sup_arena_alloc(beside, sup_trust_scratch(trust), 1) : NULL;
    sup_result r = scratch ? sup_pose_create(in->character, beside, &pose, error) : sup_fail_memory(error, "example shapes");
    for (uint32_t j = 0; j <= s->count && !r; ++j) {
        double from = j ? s->times[j - 1] : 0, to = j < s->count ? s->times[j] : in->clip->seconds;
        for (int k = 1; k <= MOMENTS && to > from; ++k)
            measure_beside(in, trust, s, ramp, from + (to - from) * k / (MOMENTS + 1), &pose, scratch, out);
    }
    sup_arena_destroy(beside);
    return r;
}

// ---------------------------------------------------------------------------------------------- where it swings

typedef struct swing_limiter {
    const sup_segments* s;
    const sup_modal*    m;
    const sup_swing*    swing;
    uint32_t            points;
    float *             coefficients, *most; ///< most: of the swing, per point
    sup_vec3*           at;
} swing_limiter;

static void measure_swing(swing_limiter* c)
{
    c->swing->take(c->swing->link, c->coefficients, c->swing->scratch, c->at);
    for (uint32_t i = 0; i < c->points; ++i) {
        float size = v3_length(c->at[i]);
        if (size > c->most[i]) c->most[i] = size;
    }
}

/// Between the examples, and while it rings out after the last.
static void measure_in_time(swing_limiter* c)
{
    enum { MOMENTS = 8, RINGS = 16 };
    for (uint32_t j = 0; j < c->m->segments; ++j)
        for (int k = 1; k < MOMENTS; ++k) {
            double           span = c->m->times[j + 1] - c->m->times[j];
            sup_modal_moment at = sup_modal_find(c->m, c->m->times[j] + span * k / MOMENTS);
            if (sup_modal_sway(c->m, &at, false, c->coefficients)) measure_swing(c);
        }
    for (int k = 1; c->swing->rings && c->m->segments && c->m->period == 0 && k <= RINGS; ++k) {
        sup_modal_moment at = sup_modal_find(c->m, c->m->times[c->m->segments] + c->m->unit * k / RINGS);
        if (sup_modal_sway(c->m, &at, true, c->coefficients)) measure_swing(c);
    }
}

/// Every example is applied at once: at first all of it is lag, then it rings.
static void measure_steps(swing_limiter* c, float* weights, float* none, double* state)
{
    enum { STEPS = 16 };
    for (uint32_t j = 0; j < c->s->count; ++j) {
        for (uint32_t k = 0; k < c->s->count; ++k) weights[k] = k == j;
        sup_modal_reset(c->m, none, state);
        for (int k = 0; k < STEPS; ++k) {
            sup_modal_step(c->m, k ? 1.0 / STEPS : AT_ONCE, weights, weights, state, c->coefficients);
            measure_swing(c);
        }
    }
}

sup_result sup_residual_limit_swing(const sup_segments* s, const sup_modal* modal, const sup_swing* swing, uint32_t points,
                                    sup_arena* arena, float** out, sup_error* error)
{
    float*        limits = SUP_NEW(arena, float, (size_t)points + SUP_LANES);
    sup_arena*    beside = sup_arena_beside(arena);
    swing_limiter c = { .s = s, .m = modal, .swing = swing, .points = points };
    float *       weights = NULL, *none = NULL;
    double*       state = NULL;
    if (beside) {
        c.coefficients = SUP_NEW(beside, float, (size_t)modal->block + SUP_LANES);
        c.most = SUP_NEW(beside, float, points);
        c.at = SUP_NEW(beside, sup_vec3, (size_t)points + SUP_LANES);
        weights = SUP_NEW(beside, float, s->count), none = SUP_NEW(beside, float, s->count);
        state = SUP_NEW(beside, double, 2 * (size_t)modal->block + 1);
    }
    bool good = limits && state && c.coefficients && c.most && c.at && weights && none;
    if (good && s->posed) measure_steps(&c, weights, none, state);
    else if (good) measure_in_time(&c);
    for (uint32_t i = 0; good && i < points; ++i) {
        float change = 0;
        for (uint32_t j = 0; j < s->count; ++j) {
            float by = s->posed ? 2 * v3_length(s->q[j][i]) : v3_distance(s->q[j][i], s->q[(j + 1) % s->count][i]);
            if (by > change) change = by;
        }
        float most = c.most[i] * fmaxf(swing->sway, 1); // less than 1 means less swing, not a lower bound
        float x = most > 0 ? SWING_MOST * change / most : 1, x4 = x * x * x * x;
        limits[i] = x < 100 ? x / sqrtf(sqrtf(sqrtf(1 + x4 * x4))) : 1; // smooth minimum of x and 1
    }
    sup_arena_destroy(beside);
    *out = limits;
    return good ? SUP_OK : sup_fail_memory(error, "curve motion");
}

// ---------------------------------------------------------------------------------------------- in a frame

void sup_residual_blend(const sup_residual* c, const float* const* lists, size_t offset, uint32_t floats, float* out)
{
    const float* in[SUP_RESIDUAL_MAX];
    float        share[SUP_RESIDUAL_MAX];
    for (uint32_t k = 0; k < c->count; ++k) in[k] = lists[c->example[k]] + offset, share[k] = (float)c->share[k];
    SUP_WIDE_PICK(sup_modal_blend)(floats, in, share, c->count, false, out);
}

void sup_residual_turn(const sup_sections* sections, const uint32_t* examples, const float* shares, uint32_t count,
                       const sup_residual_trust* trust, uint32_t point_count, sup_station* stations)
{
    const sup_trusted* of = &trust->trusted;
    sup_sections_trust by = { { NULL, NULL }, trust->from, trust->to };
    if (of->share) by.trusted = (sup_trusted){ of->share + point_count, of->shift + point_count };
    sup_sections_prepare(sections, examples, shares, count, of->share ? &by : NULL, stations);
}

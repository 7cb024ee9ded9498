// Components for a maximum error: each region takes them until no vertex is farther off in any frame, at the step that makes
// this cheapest. Vertices are processed one by one, because one vertex's residual over all frames stays in the nearest cache,
// and one that meets the error at some number of components is only checked again when there are more.
#include "base/internal.h"
#include "io/gltf/gltf_pack.h"

#include <math.h>
#include <string.h>

enum { TOGETHER = 4 }; // components computed at once

// Steps to try, relative to the error. In practice the errors of many rounded components add up to less than their step, and
// the result is measured anyway.
static const double STEPS[] = { 0.8, 1.25, 0.5, 2, 3, 0.3 };

typedef struct outcome {
    double   step, bytes, worst, squares;
    uint32_t used;
} outcome;

typedef struct rest {
    gltf_pack*   pack;
    pack_region* region;
    sup_arena*   work;
    float*       rows;  // per vertex x, y and z in all frames: the residual
    uint32_t*    taken; // per vertex: components already subtracted from its rows
    float*       worst; // per vertex, squared
    uint32_t     ready; // components that are rounded, and the floats of each:
    float**      shapes;
    float**      weights;
    uint32_t     used;
    double       step, bytes;
} rest;

static void gather(rest* r)
{
    const gltf_pack* pack = r->pack;
    for (uint32_t v = 0; v < r->region->count; ++v)
        for (uint32_t f = 0; f < pack->frames; ++f) {
            const float* at =
                pack->shifts + 3 * (f * pack->vertex_count + pack->first[r->region->piece] + r->region->vertices[v]);
            for (uint32_t c = 0; c < 3; ++c) r->rows[(3 * (size_t)v + c) * pack->frames + f] = at[c];
        }
    memset(r->taken, 0, r->region->count * sizeof *r->taken);
}

// Subtracts the components in use from some vertices, and measures the residual.
static void subtract(void* data, uint32_t begin, uint32_t end)
{
    const rest* r = data;
    uint32_t    frames = r->pack->frames;
    for (uint32_t v = begin; v < end; ++v) {
        float *x = r->rows + 3 * (size_t)v * frames, *y = x + frames, *z = y + frames, worst = 0;
        if (r->taken[v] == r->used && r->worst[v] >= 0) continue;
        for (uint32_t k = r->taken[v]; k < r->used; ++k) {
            const float *w = r->weights[k], *shape = r->shapes[k] + 3 * (size_t)v;
            float        sx = shape[0], sy = shape[1], sz = shape[2];
            for (uint32_t f = 0; f < frames; ++f) x[f] -= w[f] * sx;
            for (uint32_t f = 0; f < frames; ++f) y[f] -= w[f] * sy;
            for (uint32_t f = 0; f < frames; ++f) z[f] -= w[f] * sz;
        }
        for (uint32_t f = 0; f < frames; ++f) {
            float squares = x[f] * x[f] + y[f] * y[f] + z[f] * z[f];
            worst = squares > worst ? squares : worst;
        }
        r->taken[v] = r->used;
        r->worst[v] = worst;
    }
}

// Adds a component. False: there is none left, or no memory.
static bool use_next(rest* r, sup_result* result, sup_error* error)
{
    gltf_pack* pack = r->pack;
    uint32_t   k = r->used;
    double     added;
    if (k == r->region->courses) return false;
    if (k == r->region->ready)
        *result =
            gltf_pack_shapes(pack, r->region, r->region->courses - k < TOGETHER ? r->region->courses : k + TOGETHER, error);
    if (*result != SUP_OK) return false;
    if (!r->shapes[k]) r->shapes[k] = SUP_NEW(r->work, float, 3 * (size_t)r->region->count);
    if (!r->weights[k]) r->weights[k] = SUP_NEW(r->work, float, pack->frames);
    if (!r->shapes[k] || !r->weights[k]) {
        *result = sup_fail_memory(error, "the components of a clip");
        return false;
    }
    pack_code code = { .shape = r->shapes[k] };
    gltf_pack_code(pack, r->region, k, r->step, &code);
    for (uint32_t f = 0; f < pack->frames; ++f) r->weights[k][f] = gltf_pack_weight(pack, r->region, k, &code, f);
    r->bytes += gltf_pack_cost(pack, r->region, k, r->step, &added);
    r->used++;
    return true;
}

// The fewest components whose root mean square is within the limit: a bound below that of the worst vertex.
static uint32_t least_used(const rest* r, double limit)
{
    const pack_region* region = r->region;
    double             most = limit * limit * (double)r->pack->frames * (double)region->count, left = region->energy;
    uint32_t           k = 0;
    for (; k < region->courses && left > most; ++k) left -= region->values[k];
    return k;
}

// As many components at this step as bring all vertices within `limit` (stored units); bytes are infinite if none do.
static sup_result try_step(rest* r, double step, double limit, double most_bytes, outcome* out, sup_error* error)
{
    uint32_t   count = r->region->count, least = least_used(r, limit);
    float      within = (float)(limit * limit);
    sup_result result = SUP_OK;
    bool       rises = true;
    *out = (outcome){ .step = step, .bytes = INFINITY };
    r->step = step;
    r->bytes = 0;
    r->used = 0;
    gather(r);
    for (uint32_t v = 0; v < count; ++v) r->worst[v] = -1;
    double each = gltf_pack_least_cost(r->pack, r->region); // per further component: allows giving up before they are computed
    while (r->used < least) {
        if (r->bytes + (least - r->used) * each > most_bytes) return result;
        if (!use_next(r, &result, error)) break;
    }
    while (rises && result == SUP_OK) {
        sup_tasks_run(r->pack->bake->desc.tasks, count, 64, subtract, r);
        rises = false;
        for (uint32_t v = 0; v < count; ++v) {
            if (r->worst[v] <= within) continue;
            subtract(r, v, v + 1); // an earlier vertex has added components
            for (; r->worst[v] > within; subtract(r, v, v + 1)) {
                if (r->bytes > most_bytes || !use_next(r, &result, error)) return result;
                rises = true;
            }
        }
    }
    if (result != SUP_OK) return result;
    float worst = 0;
    for (uint32_t v = 0; v < count; ++v) worst = fmaxf(worst, r->worst[v]);
    out->worst = sqrt((double)worst);
    out->bytes = r->bytes;
    out->used = r->used;
    if (r->bytes < most_bytes) // others are discarded
        for (size_t i = 0; i < r->pack->frames * 3 * (size_t)count; ++i)
            out->squares += (double)r->rows[i] * (double)r->rows[i];
    return SUP_OK;
}

static bool reserve(rest* r)
{
    size_t count = r->region->count;
    r->work = sup_arena_beside(r->pack->bake->arena);
    if (!r->work) return false;
    r->rows = SUP_NEW(r->work, float, r->pack->frames * 3 * count);
    r->taken = SUP_NEW(r->work, uint32_t, count);
    r->worst = SUP_NEW(r->work, float, count);
    r->shapes = SUP_NEW(r->work, float*, r->region->courses);
    r->weights = SUP_NEW(r->work, float*, r->region->courses);
    return r->rows && r->taken && r->worst && r->shapes && r->weights;
}

// The cheapest of some steps. The residual of the worst vertex is as good as random, so no step can be predicted from its
// neighbors.
static sup_result find_step(rest* r, const double* steps, size_t count, double limit, double most_bytes, outcome* best,
                            sup_error* error)
{
    sup_result result = SUP_OK;
    for (size_t i = 0; i < count && result == SUP_OK && best->bytes > 0; ++i) {
        outcome now;
        result = try_step(r, steps[i] * limit, limit, fmin(best->bytes, most_bytes), &now, error);
        if (result == SUP_OK && now.bytes < best->bytes) *best = now;
    }
    return result;
}

// If none of an effort's steps brings all vertices within the error, tries all of them.
static sup_result find_outcome(rest* r, double limit, double most_bytes, pack_effort effort, outcome* best, sup_error* error)
{
    const pack_region* region = r->region;
    const size_t       all = SUP_COUNT_OF(STEPS);
    *best = (outcome){ .bytes = INFINITY };
    if (effort == EFFORT_REST && region->bytes < INFINITY)
        *best = (outcome){ region->step, region->bytes, region->worst, region->squares, region->used };
    const double* steps = effort == EFFORT_AGAIN && region->ratio > 0 ? &region->ratio : STEPS;
    sup_result    result = effort == EFFORT_REST ? find_step(r, STEPS + 1, all - 1, limit, most_bytes, best, error)
                                                 : find_step(r, steps, 1, limit, most_bytes, best, error);
    if (result != SUP_OK || best->bytes < INFINITY || r->bytes > most_bytes || effort == EFFORT_REST) return result;
    return find_step(r, STEPS, all, limit, most_bytes, best, error);
}

static sup_result settle(gltf_pack* pack, pack_region* region, double worst, double most_bytes, pack_effort effort, pack_try* t,
                         double* squares, sup_error* error)
{
    double     scale = pack->scales[region->piece];
    rest       r = { .pack = pack, .region = region };
    outcome    best = { .bytes = INFINITY };
    sup_result result = gltf_pack_courses(pack, region, error);
    if (result == SUP_OK && !reserve(&r)) result = sup_fail_memory(error, "the components of a clip");
    if (result == SUP_OK) result = find_outcome(&r, worst / scale, most_bytes, effort, &best, error);
    sup_arena_destroy(r.work);
    region->used = best.used;
    region->step = best.step;
    region->ratio = best.step * scale / worst;
    region->bytes = best.bytes;
    region->worst = best.worst;
    region->squares = best.squares;
    t->components += best.used;
    t->bytes += best.bytes + gltf_pack_list_cost(pack, region);
    t->worst = fmax(t->worst, best.worst * scale);
    *squares += best.squares * scale * scale;
    return result;
}

sup_result gltf_pack_try_worst(gltf_pack* pack, uint32_t level, double worst, double most, pack_effort effort, pack_try* out,
                               sup_error* error)
{
    double     squares = 0;
    sup_result result = SUP_OK;
    *out = (pack_try){ .level = level, .step = worst };
    for (uint32_t r = 0; r < pack->levels[level].count && result == SUP_OK && out->bytes < most; ++r) {
        result = settle(pack, &pack->levels[level].regions[r], worst, most - out->bytes, effort, out, &squares, error);
        if (result == SUP_OK && !sup_progress_report(pack->bake->desc.progress, 0.5, "search"))
            result = sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
    }
    out->rms = sqrt(squares / ((double)pack->frames * (double)pack->vertex_count));
    if (!(out->bytes < most)) out->step = 0;
    if (result == SUP_OK && out->step > 0 && pack->try_count < pack->try_capacity) pack->tries[pack->try_count++] = *out;
    return result;
}

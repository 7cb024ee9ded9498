// The search for the cheapest components within an error, or the most exact ones within a size. One number decides: the
// rounding step of the shapes. A byte reduces the error most when all components are rounded alike, so a component is taken
// while the energy it explains is worth its bytes at the price that the step sets, and only the step is searched for.
#include "base/internal.h"
#include "io/gltf/gltf_pack.h"
#include "math/trig.h"

#include <math.h>
#include <string.h>

enum {
    TRIES = 24,   // at one level
    TOGETHER = 4, // components computed at once
};

// Squared error that a byte is worth at a step of 1: rounding costs step^2 / 12 per number, and a bit divides that by four.
// Near the end of the search few bits per number are left, and there a bit buys less.
#define BYTE_WORTH (0.7 * 8 * 2 * 0.6931471805599453 / 12)
#define FINEST 1e-8 // range of the steps tried, relative to the diagonal
#define FINE 1e-6   // lower limit when only the size is given: nobody sees less
#define CLOSE 0.006 // the search ends when it is this close
#define ROUGH 0.03  // the same for a first look: enough to compare levels

// Bit-identical everywhere, unlike libm's.
static double logarithm(double x) { return sup_log2(x) * 0.6931471805599453; }
static double power(double x, double exponent) { return sup_exp(exponent * logarithm(x)); }

static pack_try* add_try(gltf_pack* pack, uint32_t level, double step)
{
    if (pack->try_count == pack->try_capacity) pack->try_count--; // the last entry is overwritten
    pack_try* t = &pack->tries[pack->try_count++];
    *t = (pack_try){ .level = level, .step = step };
    return t;
}

// Components of one region at a step: how many are worth their bytes. Adds to bytes and squared error, world units.
static sup_result choose(gltf_pack* pack, pack_region* region, double step, pack_try* t, double* squares, sup_error* error)
{
    double     scale2 = pack->scales[region->piece] * pack->scales[region->piece], left = region->energy;
    double     worth = BYTE_WORTH * step * step / scale2, added;
    sup_result result = region->energy > 0 ? gltf_pack_courses(pack, region, error) : SUP_OK;
    region->used = 0;
    region->step = step / pack->scales[region->piece];
    uint32_t most = 0; // more would cost more than any gains
    while (most < region->courses && region->values[most] > worth * gltf_pack_least_cost(pack, region)) ++most;
    for (uint32_t k = 0; k < most && result == SUP_OK; ++k) {
        if (k == region->ready) result = gltf_pack_shapes(pack, region, most < k + TOGETHER ? most : k + TOGETHER, error);
        if (result != SUP_OK) break;
        double cost = gltf_pack_cost(pack, region, k, region->step, &added);
        if (region->values[k] - added < worth * cost) break;
        left -= region->values[k] - added;
        t->bytes += cost;
        region->used++;
        t->components++;
    }
    t->bytes += gltf_pack_list_cost(pack, region);
    *squares += fmax(left, 0) * scale2;
    return result;
}

static sup_result try_step(gltf_pack* pack, uint32_t level, double step, pack_try** out, sup_error* error)
{
    double     squares = 0;
    pack_try*  t = add_try(pack, level, step);
    sup_result result = SUP_OK;
    for (uint32_t r = 0; r < pack->levels[level].count && result == SUP_OK; ++r)
        result = choose(pack, &pack->levels[level].regions[r], step, t, &squares, error);
    t->rms = sqrt(squares / ((double)pack->frames * (double)pack->vertex_count));
    *out = t;
    if (result == SUP_OK && !sup_progress_report(pack->bake->desc.progress, 0.5, "search"))
        return sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
    return result;
}

// Near where searches end, bytes grow with this power of the falling error. Steps are not exactly at the goal.
#define BYTES_POWER 0.65

static bool is_better(const pack_goal* goal, const pack_try* a, const pack_try* b)
{
    if (goal->bytes > 0) return a->rms < b->rms;
    if (goal->worst > 0 || !(a->rms > 0) || !(b->rms > 0)) return a->bytes < b->bytes;
    return a->bytes * power(a->rms / b->rms, BYTES_POWER) < b->bytes;
}

// Steps tried at one level. Error and size are nearly powers of the step, so the next step lies on the line through two in
// logarithms; if jumps mislead that, between the closest that is good and the closest that is not.
typedef struct hunt {
    double step, good, bad; // good and bad 0: none yet
    double last_step, last; // the previous try, and its logarithmic distance from the goal
    double slope;
} hunt;

static double next_step(hunt* h, double off)
{
    if (h->last_step > 0 && h->last_step != h->step) {
        double slope = (off - h->last) / logarithm(h->step / h->last_step);
        if (slope * h->slope > 0.04) h->slope = slope;
    }
    double next = h->step * sup_exp(-off / h->slope);
    h->last_step = h->step;
    h->last = off;
    if (!(h->good > 0 && h->bad > 0)) return fmin(fmax(next, h->step / 8), h->step * 8);
    double low = fmin(h->good, h->bad), high = fmax(h->good, h->bad), edge = power(high / low, 0.1);
    return next > low * edge && next < high / edge ? next : sqrt(low * high);
}

// The coarsest step for an error, the finest for a size. Gives up when it must end worse than `rival`: finer steps take more
// bytes, coarser ones are less exact.
static sup_result find_step(gltf_pack* pack, const pack_goal* goal, uint32_t level, const pack_try* rival, double start,
                            pack_try* best, sup_error* error)
{
    bool   size = goal->bytes > 0;
    double diagonal = fmax((double)pack->bake->desc.character->mesh.diagonal, 1e-30);
    double close = size || goal->step > 0 ? CLOSE : ROUGH;
    hunt   h = { .step = start, .slope = size ? -0.7 : 0.8 };
    *best = (pack_try){ 0 };
    for (int i = 0; i < TRIES; ++i) {
        pack_try*  t;
        sup_result result = try_step(pack, level, h.step, &t, error);
        if (result != SUP_OK) return result;
        double reached = size ? t->bytes / goal->bytes : t->rms / goal->rms;
        if (reached <= 1) {
            h.good = h.step;
            if (!size || best->step == 0 || t->rms < best->rms) *best = *t;
            if ((t->components == 0 && !size) || reached > 1 - close) break; // 0: skinning alone is good enough
        } else {
            h.bad = h.step;
            if (rival && !is_better(goal, t, rival)) break;
        }
        if (h.good > 0 && h.bad > 0 && fabs(h.good / h.bad - 1) < close) break;
        h.step = next_step(&h, logarithm(fmax(reached, 1e-9) / (1 - close / 2)));
        if (h.step < (size ? FINE : FINEST) * diagonal || h.step > 10 * diagonal) break;
    }
    return SUP_OK;
}

static sup_result try_level(gltf_pack* pack, const pack_goal* goal, uint32_t level, const pack_try* rival, pack_try* best,
                            sup_error* error)
{
    double diagonal = (double)pack->bake->desc.character->mesh.diagonal;
    double start = goal->step > 0 ? goal->step : rival ? rival->step : goal->bytes > 0 ? 1e-3 * diagonal : 4 * goal->rms;
    if (goal->worst > 0)
        return gltf_pack_try_worst(pack, level, goal->worst, rival ? rival->bytes : INFINITY,
                                   goal->step > 0 ? EFFORT_AGAIN : EFFORT_FIRST, best, error);
    return find_step(pack, goal, level, rival, start, best, error);
}

sup_result gltf_pack_search(gltf_pack* pack, const pack_goal* goal, pack_try* out, sup_error* error)
{
    pack_try   best[PACK_LEVELS] = { 0 };
    uint32_t   chosen = SUP_NONE;
    sup_result result = SUP_OK;
    for (uint32_t i = 0; i < PACK_LEVELS && result == SUP_OK; ++i) {
        // A maximum error begins with small groups: they need the fewest components per vertex, and their size stops the tries
        // of other levels early.
        uint32_t level = goal->worst > 0 ? i : PACK_LEVELS - 1 - i;
        // A level that divides nothing further equals the one above.
        if (level + 1 < PACK_LEVELS && pack->levels[level].count == pack->levels[level + 1].count) continue;
        if (goal->step > 0 && level != pack->level) continue;
        result = try_level(pack, goal, level, chosen == SUP_NONE ? NULL : &best[chosen], &best[level], error);
        if (result == SUP_OK && best[level].step != 0 && (chosen == SUP_NONE || is_better(goal, &best[level], &best[chosen])))
            chosen = level;
    }
    if (result != SUP_OK) return result;
    *out = (pack_try){ 0 };
    if (chosen == SUP_NONE) return SUP_OK;
    pack->level = chosen;
    *out = best[chosen];
    if (goal->worst > 0 && goal->step > 0) return SUP_OK;
    if (goal->worst > 0) return gltf_pack_try_worst(pack, chosen, goal->worst, INFINITY, EFFORT_REST, out, error);
    pack_try* again;
    result = try_step(pack, chosen, best[chosen].step, &again, error);
    pack->try_count--;
    return result;
}

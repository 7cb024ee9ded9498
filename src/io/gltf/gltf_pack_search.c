// The search for the cheapest components within an error, or the most exact ones within a size. One number decides: the step
// that shapes are rounded to. A byte buys as much exactness in every component when all are rounded alike, so a component is
// taken while the energy it explains is worth its bytes at the price that the step sets, and what is left is found by halving.
#include "base/internal.h"
#include "io/gltf/gltf_pack.h"

#include <math.h>
#include <string.h>

enum { HALVINGS = 12 };

// Squared error that a byte is worth at a step of 1: rounding costs step^2 / 12 a number, and a bit divides that by four.
// Few bits a number are left where the search ends, and there a bit buys less.
#define BYTE_WORTH (0.7 * 8 * 2 * 0.6931471805599453 / 12)
#define FINEST 1e-8 // steps of the diagonal that are tried
#define FINE 1e-6   // where only the size is asked for: nobody sees less
#define CLOSE 0.005 // the search ends when it is this close

static pack_try* add_try(gltf_pack* pack, uint32_t level, double step)
{
    if (pack->try_count == pack->try_capacity) pack->try_count--; // the last place is overwritten
    pack_try* t = &pack->tries[pack->try_count++];
    *t = (pack_try){ .level = level, .step = step };
    return t;
}

static double piece_scale(const gltf_pack* pack, const pack_region* region) { return pack->scales[region->piece]; }

// Components of one region at a step: how many are worth their bytes. Adds to bytes and squared error, world units.
static sup_result choose(gltf_pack* pack, pack_region* region, double step, pack_try* t, double* squares, sup_error* error)
{
    double    scale = piece_scale(pack, region), scale2 = scale * scale, left = region->energy;
    pack_code code = { .shape = pack->shape, .turn = pack->turn };
    region->used = 0;
    region->step = step / scale;
    for (uint32_t k = 0; k < pack->frames && region->energy > 0; ++k) {
        sup_result result = gltf_pack_shapes(pack, region, k + 1, error);
        if (result != SUP_OK) return result;
        if (!(region->values[k] > 0)) break;
        gltf_pack_code(pack, region, k, region->step, &code);
        double cost = gltf_pack_cost(pack, region, &code);
        double gain = (region->values[k] - code.error) * scale2;
        if (gain < BYTE_WORTH * step * step * cost) break;
        left -= region->values[k] - code.error;
        t->bytes += cost;
        region->used++;
        t->components++;
    }
    *squares += fmax(left, 0) * scale2;
    return SUP_OK;
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

// Whether a step is fine enough for an error, or coarse enough for a size.
static bool meets(const pack_goal* goal, const pack_try* t)
{
    return goal->bytes > 0 ? t->bytes <= goal->bytes : t->rms <= goal->rms;
}

// Of two steps that meet the goal the one to take: the coarsest for an error, the finest for a size.
static sup_result halve(gltf_pack* pack, const pack_goal* goal, uint32_t level, pack_try* best, sup_error* error)
{
    bool      size = goal->bytes > 0;
    double    diagonal = fmax((double)pack->bake->desc.character->mesh.diagonal, 1e-30);
    double    good = 0, bad = 0, stride = goal->step > 0 ? 1.05 : 2;
    double    step = goal->step > 0 ? goal->step : size ? 1e-3 * diagonal : 4 * goal->rms;
    pack_try* t;
    *best = (pack_try){ 0 };
    for (int i = 0; i < 4 * HALVINGS; ++i) {
        sup_result result = try_step(pack, level, step, &t, error);
        if (result != SUP_OK) return result;
        if (meets(goal, t)) {
            good = step;
            if (!size || best->step == 0 || t->rms < best->rms) *best = *t;
            if (t->components == 0 && !size) break; // skinning alone is good enough
            double reached = size ? t->bytes / goal->bytes : t->rms / goal->rms;
            if (reached > 1 - CLOSE) break;
        } else {
            bad = step;
        }
        if (good > 0 && bad > 0 && fabs(good / bad - 1) < CLOSE) break;
        if (good > 0 && bad > 0) step = sqrt(good * bad);
        else step = (good > 0) == size ? step / stride : step * stride;
        if (!(good > 0 && bad > 0)) stride *= stride < 2 ? stride : 1;
        if (step < (size ? FINE : FINEST) * diagonal || step > 10 * diagonal) break;
    }
    return SUP_OK;
}

static bool is_better(const pack_goal* goal, const pack_try* a, const pack_try* b)
{
    return goal->bytes > 0 ? a->rms < b->rms : a->bytes < b->bytes;
}

sup_result gltf_pack_search(gltf_pack* pack, const pack_goal* goal, pack_try* out, sup_error* error)
{
    pack_try   best[PACK_LEVELS] = { 0 };
    uint32_t   chosen = SUP_NONE;
    sup_result result = SUP_OK;
    for (uint32_t level = PACK_LEVELS; level-- > 0 && result == SUP_OK;) {
        // A level that divides nothing more is the one before.
        if (level + 1 < PACK_LEVELS && pack->levels[level].count == pack->levels[level + 1].count) continue;
        if (goal->step > 0 && level != pack->level) continue;
        if (goal->worst > 0) result = gltf_pack_try_worst(pack, level, goal->worst, &best[level], error);
        else result = halve(pack, goal, level, &best[level], error);
        if (result == SUP_OK && best[level].step != 0 && (chosen == SUP_NONE || is_better(goal, &best[level], &best[chosen])))
            chosen = level;
    }
    if (result != SUP_OK) return result;
    *out = (pack_try){ 0 };
    if (chosen == SUP_NONE) return SUP_OK;
    pack->level = chosen;
    *out = best[chosen];
    if (goal->worst > 0) return SUP_OK;
    pack_try* again;
    result = try_step(pack, chosen, best[chosen].step, &again, error);
    pack->try_count--;
    return result;
}

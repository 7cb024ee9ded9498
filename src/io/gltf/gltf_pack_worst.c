// Components by the farthest point: each region takes them until none of its points is farther off in any frame, at the step
// that makes it cheapest.
#include "base/internal.h"
#include "io/gltf/gltf_pack.h"

#include <math.h>

// Steps that are tried, of the error. What many rounded components add up to stays below their step in practice, and the
// measure that counts is taken of the result.
static const double STEPS[] = { 0.5, 0.8, 1.25, 2, 3 };

typedef struct rest {
    const gltf_pack*   pack;
    const pack_region* region;
    float*             rows; // frames x 3 count: what is not explained yet
    const pack_code*   code;
    uint32_t           k;
    double*            worst; // of each frame, squared
} rest;

// Takes the component away from the frames and measures what is left.
static void subtract(void* data, uint32_t begin, uint32_t end)
{
    const rest* t = data;
    size_t      numbers = 3 * (size_t)t->region->count;
    for (uint32_t f = begin; f < end; ++f) {
        float* row = t->rows + f * numbers;
        float  weight = t->code ? gltf_pack_weight(t->pack, t->region, t->k, t->code, f) : 0;
        float  worst = 0;
        for (size_t i = 0; i < numbers && weight != 0; ++i) row[i] -= weight * t->code->shape[i];
        for (size_t i = 0; i < numbers; i += 3) {
            float squares = row[i] * row[i] + row[i + 1] * row[i + 1] + row[i + 2] * row[i + 2];
            if (squares > worst) worst = squares;
        }
        t->worst[f] = (double)worst;
    }
}

static double measure(rest* r)
{
    double most = 0;
    sup_tasks_run(r->pack->bake->desc.tasks, r->pack->frames, 4, subtract, r);
    for (uint32_t f = 0; f < r->pack->frames; ++f) most = fmax(most, r->worst[f]);
    return sqrt(most);
}

typedef struct outcome {
    double   step, bytes, worst, squares;
    uint32_t used;
} outcome;

// As many components at this step as bring all points within `limit` (stored units); bytes infinite where none do.
static sup_result try_region(gltf_pack* pack, pack_region* region, double step, double limit, double most_bytes, rest* r,
                             outcome* out, sup_error* error)
{
    pack_code code = { .shape = pack->shape, .turn = pack->turn };
    *out = (outcome){ .step = step };
    gltf_pack_gather(pack, region, r->rows);
    r->code = NULL;
    out->worst = measure(r);
    for (uint32_t k = 0; out->worst > limit; ++k) {
        if (k == pack->frames || out->bytes > most_bytes) {
            out->bytes = INFINITY;
            return SUP_OK;
        }
        sup_result result = gltf_pack_shapes(pack, region, k + 1, error);
        if (result != SUP_OK) return result;
        gltf_pack_code(pack, region, k, step, &code);
        out->bytes += gltf_pack_cost(pack, region, &code);
        out->used = k + 1;
        r->code = &code;
        r->k = k;
        out->worst = measure(r);
    }
    for (size_t i = 0; i < pack->frames * 3 * (size_t)region->count; ++i)
        out->squares += (double)r->rows[i] * (double)r->rows[i];
    return SUP_OK;
}

static sup_result settle(gltf_pack* pack, pack_region* region, double worst, pack_try* t, double* squares, sup_error* error)
{
    double     scale = pack->scales[region->piece], limit = worst / scale;
    sup_arena* work = sup_arena_beside(pack->bake->arena);
    rest       r = { .pack = pack, .region = region };
    outcome    best = { .bytes = INFINITY }, now;
    sup_result result = work ? SUP_OK : sup_fail_memory(error, "the components of a clip");
    if (result == SUP_OK) {
        r.rows = SUP_NEW(work, float, pack->frames * 3 * (size_t)region->count);
        r.worst = SUP_NEW(work, double, pack->frames);
        if (!r.rows || !r.worst) result = sup_fail_memory(error, "the components of a clip");
    }
    for (size_t i = 0; i < SUP_COUNT_OF(STEPS) && result == SUP_OK; ++i) {
        result = try_region(pack, region, STEPS[i] * limit, limit, best.bytes, &r, &now, error);
        if (result == SUP_OK && now.bytes < best.bytes) best = now;
        if (best.used == 0 && best.bytes == 0) break;
    }
    sup_arena_destroy(work);
    region->used = best.used;
    region->step = best.step;
    t->components += best.used;
    t->bytes += best.bytes;
    t->worst = fmax(t->worst, best.worst * scale);
    *squares += best.squares * scale * scale;
    return result;
}

sup_result gltf_pack_try_worst(gltf_pack* pack, uint32_t level, double worst, pack_try* out, sup_error* error)
{
    double     squares = 0;
    sup_result result = SUP_OK;
    *out = (pack_try){ .level = level, .step = worst };
    for (uint32_t r = 0; r < pack->levels[level].count && result == SUP_OK; ++r) {
        result = settle(pack, &pack->levels[level].regions[r], worst, out, &squares, error);
        if (result == SUP_OK && !sup_progress_report(pack->bake->desc.progress, 0.5, "search"))
            result = sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
    }
    out->rms = sqrt(squares / ((double)pack->frames * (double)pack->vertex_count));
    if (!isfinite(out->bytes)) out->step = 0;
    if (result == SUP_OK && pack->try_count < pack->try_capacity) pack->tries[pack->try_count++] = *out;
    return result;
}

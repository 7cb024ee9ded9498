#include "solve/plate/plate.h"

#include "base/internal.h"

#include <string.h>

static uint32_t unknown(const sup_plate* p, uint32_t iu, uint32_t iv)
{
    return p->v_fast ? (iu - 1) * (p->nv - 1) + iv - 1 : (iv - 1) * (p->nu - 1) + iu - 1;
}

/// One entry of the lower triangle; nodes on or beyond the boundary do not count.
static void put(const sup_plate* p, uint32_t iu, uint32_t iv, int su, int sv, double value)
{
    int ju = (int)iu + su, jv = (int)iv + sv;
    if (ju < 1 || jv < 1 || ju >= (int)p->nu || jv >= (int)p->nv) return;
    uint32_t a = unknown(p, iu, iv), b = unknown(p, (uint32_t)ju, (uint32_t)jv);
    if (b >= a) p->columns[(size_t)a * (p->band + 1) + (b - a)] += value;
}

static void fill(const sup_plate* p)
{
    double u4 = 1 / (p->du * p->du * p->du * p->du), v4 = 1 / (p->dv * p->dv * p->dv * p->dv);
    double u2v2 = 1 / (p->du * p->du * p->dv * p->dv);
    for (uint32_t i = 1; i < p->nu; ++i)
        for (uint32_t j = 1; j < p->nv; ++j) {
            // The mirrored node outside is the node itself: one more on the diagonal for each side that is near.
            double sides = ((i == 1) + (i == p->nu - 1)) * u4 + ((j == 1) + (j == p->nv - 1)) * v4;
            put(p, i, j, 0, 0, 6 * u4 + 6 * v4 + 8 * u2v2 + sides);
            for (int s = -1; s <= 1; s += 2) {
                put(p, i, j, s, 0, -4 * u4 - 4 * u2v2);
                put(p, i, j, 0, s, -4 * v4 - 4 * u2v2);
                put(p, i, j, 2 * s, 0, u4);
                put(p, i, j, 0, 2 * s, v4);
                put(p, i, j, s, 1, 2 * u2v2);
                put(p, i, j, s, -1, 2 * u2v2);
            }
        }
}

sup_result sup_plate_create(uint32_t nu, uint32_t nv, double du, double dv, sup_arena* arena, sup_plate* out, sup_error* error)
{
    SUP_ASSERT(nu >= 2 && nv >= 2 && nu <= SUP_PLATE_INTERVALS_MAX && nv <= SUP_PLATE_INTERVALS_MAX && du > 0 && dv > 0);
    sup_plate p = { .nu = nu, .nv = nv, .du = du, .dv = dv, .count = (nu - 1) * (nv - 1), .v_fast = nv <= nu };
    p.band = 2 * ((p.v_fast ? nv : nu) - 1);
    // A band of columns more: the factor writes behind the last one, where only zeros meet.
    p.columns = SUP_NEW(arena, double, ((size_t)p.count + p.band) * (p.band + 1));
    if (!p.columns) return sup_fail_memory(error, "a plate");
    fill(&p);
    bool positive = SUP_WIDE_PICK(sup_band_factor)(p.columns, p.count, p.band);
    SUP_ASSERT(positive);
    (void)positive;
    *out = p;
    return SUP_OK;
}

void sup_plate_solve(const sup_plate* p, double* x, double* y)
{
    size_t step = p->band + 1;
    for (uint32_t i = 1; i < p->nu; ++i)
        for (uint32_t j = 1; j < p->nv; ++j) y[unknown(p, i, j)] = x[i * (p->nv + 1) + j];
    for (uint32_t i = 0; i < p->count; ++i) {
        const double* l = p->columns + i * step;
        uint32_t      last = p->count - 1 - i < p->band ? p->count - 1 - i : p->band;
        y[i] *= l[0];
        for (uint32_t k = 1; k <= last; ++k) y[i + k] -= l[k] * y[i];
    }
    for (uint32_t i = p->count; i-- > 0;) {
        const double* l = p->columns + i * step;
        uint32_t      last = p->count - 1 - i < p->band ? p->count - 1 - i : p->band;
        double        sum = y[i];
        for (uint32_t k = 1; k <= last; ++k) sum -= l[k] * y[i + k];
        y[i] = sum * l[0];
    }
    memset(x, 0, (size_t)(p->nu + 1) * (p->nv + 1) * sizeof *x);
    for (uint32_t i = 1; i < p->nu; ++i)
        for (uint32_t j = 1; j < p->nv; ++j) x[i * (p->nv + 1) + j] = y[unknown(p, i, j)];
}

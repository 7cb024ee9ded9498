// The paper's time steps on the banded matrix, and Newmark's beside them.
//   first:  [a1 A + (2 a2 M^2 + a3 M) I] q^1     = r_1 load
//   then:   [a1 A + (a2 M^2 + a3 M) I] q^(m+1)   = r_(m+1) load + a2 M^2 (2 q^m - q^(m-1)) + a3 M q^m
// (a3 by a backward difference: the central one of the paper's appendix oscillates from step to step where a3 > 2 a2 M)
#include "base/internal.h"
#include "solve/curves/beam_modes.h"

sup_result sup_beam_factor_create(uint32_t intervals, double a1, double shift, sup_arena* arena, sup_beam_factor* out,
                                  sup_error* error)
{
    uint32_t n = intervals - 1;
    double   N = intervals, s = a1 * N * N * N * N;
    *out = (sup_beam_factor){ n, SUP_NEW(arena, double, n), SUP_NEW(arena, double, n), SUP_NEW(arena, double, n) };
    if (!out->d || !out->l1 || !out->l2) return sup_fail_memory(error, "a beam");
    double before = 0, before2 = 0; // D of the two rows above
    for (uint32_t i = 0; i < n; ++i) {
        double diagonal = s * (6.0 + (i == 0) + (i == n - 1)) + shift;
        double l2 = i >= 2 ? s / before2 : 0;
        double l1 = i >= 1 ? (-4 * s - (i >= 2 ? l2 * before2 * out->l1[i - 1] : 0)) / before : 0;
        double d = diagonal - l1 * l1 * before - l2 * l2 * before2;
        out->l1[i] = l1, out->l2[i] = l2, out->d[i] = 1.0 / d;
        before2 = before, before = d;
    }
    return SUP_OK;
}

sup_result sup_beam_run_all(const sup_beam_run* r, sup_arena* arena, sup_error* error)
{
    if (!(r->a1 > 0 || r->a2 > 0 || r->a3 > 0))
        return sup_fail(error, SUP_ERROR_INPUT, "a beam needs stiffness, mass or damping; a1, a2 and a3 are all 0");
    double          M = r->frames, m2 = r->a2 * M * M, m3 = r->a3 * M;
    uint32_t        rows = r->intervals - 1;
    size_t          frame = (size_t)rows * r->stride;
    bool            newmark = r->scheme == SUP_BEAM_NEWMARK;
    sup_beam_factor first, next;
    sup_result      result =
        sup_beam_factor_create(r->intervals, r->a1, newmark ? 4 * m2 + 2 * m3 : 2 * m2 + m3, arena, &first, error);
    if (!result) result = sup_beam_factor_create(r->intervals, r->a1, m2 + m3, arena, &next, error);
    if (result) return result;
    double *v = r->spare, *a = newmark ? r->spare + frame : NULL;
    for (size_t i = 0; i < frame; ++i) r->q[i] = 0;
    for (size_t i = 0; newmark && i < 2 * frame; ++i) r->spare[i] = 0;
    for (uint32_t m = 0; m < r->frames; ++m) {
        double *      to = r->q + (m + 1) * frame, ramp = sup_ramp_value(r->ramp, (m + 1) / M);
        const double* at = r->q + m * frame;
        const double* before = at - frame;
        if (newmark)
            for (size_t i = 0; i < frame; ++i)
                to[i] = ramp * r->load[i] + r->a2 * (4 * M * M * at[i] + 4 * M * v[i] + a[i]) + r->a3 * (2 * M * at[i] + v[i]);
        else if (m == 0)
            for (size_t i = 0; i < frame; ++i) to[i] = ramp * r->load[i];
        else
            for (size_t i = 0; i < frame; ++i) to[i] = ramp * r->load[i] + m2 * (2 * at[i] - before[i]) + m3 * at[i];
        SUP_WIDE_PICK(sup_beam_solve)(newmark || m == 0 ? &first : &next, to, r->columns, r->stride);
        for (size_t i = 0; newmark && i < frame; ++i) {
            double moved = to[i] - at[i], rate = 2 * M * moved - v[i];
            a[i] = 4 * M * M * moved - 4 * M * v[i] - a[i];
            v[i] = rate;
        }
    }
    return SUP_OK;
}

void sup_beam_scalar_run(const sup_beam_run* r, double lambda, double* phi)
{
    double M = r->frames, m2 = r->a2 * M * M, m3 = r->a3 * M, h = r->a1 * lambda, v = 0, a = 0;
    phi[0] = 0;
    for (uint32_t m = 0; m < r->frames; ++m) {
        double ramp = sup_ramp_value(r->ramp, (m + 1) / M);
        if (r->scheme == SUP_BEAM_NEWMARK) {
            double load = ramp + r->a2 * (4 * M * M * phi[m] + 4 * M * v + a) + r->a3 * (2 * M * phi[m] + v);
            phi[m + 1] = load / (h + 4 * m2 + 2 * m3);
            double moved = phi[m + 1] - phi[m], rate = 2 * M * moved - v;
            a = 4 * M * M * moved - 4 * M * v - a;
            v = rate;
        } else if (m == 0) phi[1] = ramp / (h + 2 * m2 + m3);
        else phi[m + 1] = (ramp + m2 * (2 * phi[m] - phi[m - 1]) + m3 * phi[m]) / (h + m2 + m3);
    }
}

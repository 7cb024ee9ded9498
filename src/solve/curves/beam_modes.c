// Eigenvectors of the clamped beam matrix: reflections to a tridiagonal matrix, then rotations with Wilkinson's shift.
#include "solve/curves/beam_modes.h"

#include "base/internal.h"

#include <math.h>

/// Reflects a symmetric n x n matrix to tridiagonal form (diagonal d, beside it e) and keeps the reflections in q.
static void to_tridiagonal(uint32_t n, double* a, double* q, double* d, double* e, double* v, double* w)
{
    for (uint32_t i = 0; i < n * n; ++i) q[i] = 0;
    for (uint32_t i = 0; i < n; ++i) q[i * n + i] = 1;
    for (uint32_t k = 0; k + 2 < n; ++k) {
        double size = 0;
        for (uint32_t i = k + 1; i < n; ++i) size += a[i * n + k] * a[i * n + k];
        size = sqrt(size);
        double tail = 0;
        for (uint32_t i = k + 2; i < n; ++i) tail += fabs(a[i * n + k]);
        if (tail == 0) continue; // already so
        double first = a[(k + 1) * n + k], alpha = first > 0 ? -size : size, length = 0;
        for (uint32_t i = k + 1; i < n; ++i) v[i] = a[i * n + k];
        v[k + 1] = first - alpha;
        for (uint32_t i = k + 1; i < n; ++i) length += v[i] * v[i];
        length = sqrt(length);
        for (uint32_t i = k + 1; i < n; ++i) v[i] /= length;
        // A <- (I - 2 v v^T) A (I - 2 v v^T), by w = A v - (v . A v) v on the trailing block.
        double across = 0;
        for (uint32_t i = k + 1; i < n; ++i) {
            w[i] = 0;
            for (uint32_t j = k + 1; j < n; ++j) w[i] += a[i * n + j] * v[j];
            across += v[i] * w[i];
        }
        for (uint32_t i = k + 1; i < n; ++i) w[i] -= across * v[i];
        for (uint32_t i = k + 1; i < n; ++i)
            for (uint32_t j = k + 1; j < n; ++j) a[i * n + j] -= 2 * (v[i] * w[j] + w[i] * v[j]);
        a[(k + 1) * n + k] = a[k * n + k + 1] = alpha;
        for (uint32_t i = k + 2; i < n; ++i) a[i * n + k] = a[k * n + i] = 0;
        for (uint32_t i = 0; i < n; ++i) {
            double s = 0;
            for (uint32_t j = k + 1; j < n; ++j) s += q[i * n + j] * v[j];
            for (uint32_t j = k + 1; j < n; ++j) q[i * n + j] -= 2 * s * v[j];
        }
    }
    for (uint32_t i = 0; i < n; ++i) d[i] = a[i * n + i], e[i] = i + 1 < n ? a[(i + 1) * n + i] : 0;
}

/// One sweep of rotations over rows first..last, chasing the bulge.
static void sweep(uint32_t n, uint32_t first, uint32_t last, double* d, double* e, double* q)
{
    double half = 0.5 * (d[last - 1] - d[last]), b = e[last - 1], root = sqrt(half * half + b * b);
    double shift = d[last] - b * b / (half + (half < 0 ? -root : root));
    double x = d[first] - shift, z = e[first];
    for (uint32_t k = first; k < last; ++k) {
        double r = sqrt(x * x + z * z), c = r > 0 ? x / r : 1, s = r > 0 ? z / r : 0;
        double a0 = d[k], b0 = e[k], g = d[k + 1];
        if (k > first) e[k - 1] = r;
        d[k] = c * c * a0 + 2 * c * s * b0 + s * s * g;
        d[k + 1] = s * s * a0 - 2 * c * s * b0 + c * c * g;
        e[k] = c * s * (g - a0) + (c * c - s * s) * b0;
        if (k + 1 < last) {
            x = e[k];
            z = s * e[k + 1];
            e[k + 1] *= c;
        }
        for (uint32_t i = 0; i < n; ++i) {
            double u = q[i * n + k], w = q[i * n + k + 1];
            q[i * n + k] = c * u + s * w;
            q[i * n + k + 1] = c * w - s * u;
        }
    }
}

// An entry beside the diagonal is 0 below this share of its two neighbors on it: a tenth of a double's rounding. An eigenvalue
// takes two or three rounds; at ROUNDS for each it gives up.
static const double BESIDE_NONE = 1e-17;
enum { ROUNDS = 60 };

static void to_diagonal(uint32_t n, double* d, double* e, double* q)
{
    uint32_t last = n - 1;
    for (uint32_t guard = 0; last > 0 && guard < ROUNDS * n; ++guard) {
        for (uint32_t i = 0; i < last; ++i)
            if (fabs(e[i]) <= BESIDE_NONE * (fabs(d[i]) + fabs(d[i + 1]))) e[i] = 0;
        while (last > 0 && e[last - 1] == 0) --last;
        if (last == 0) break;
        uint32_t first = last - 1;
        while (first > 0 && e[first - 1] != 0) --first;
        sweep(n, first, last, d, e, q);
    }
}

sup_result sup_beam_modes_create(uint32_t intervals, sup_arena* arena, sup_beam_modes* out, sup_error* error)
{
    SUP_ASSERT(intervals >= SUP_BEAM_INTERVALS_MIN && intervals <= SUP_BEAM_INTERVALS_MAX);
    uint32_t   n = intervals - 1;
    double     n4 = (double)intervals * intervals * intervals * intervals;
    sup_arena* beside = sup_arena_beside(arena);
    double *   a = NULL, *q = NULL, *d = NULL, *e = NULL, *v = NULL, *w = NULL;
    double *   lambda = SUP_NEW(arena, double, n), *vectors = SUP_NEW(arena, double, (size_t)n*n);
    if (beside) {
        a = SUP_NEW(beside, double, (size_t)n* n), q = SUP_NEW(beside, double, (size_t)n* n);
        d = SUP_NEW(beside, double, n), e = SUP_NEW(beside, double, n);
        v = SUP_NEW(beside, double, n), w = SUP_NEW(beside, double, n);
    }
    if (!lambda || !vectors || !a || !q || !d || !e || !v || !w) {
        sup_arena_destroy(beside);
        return sup_fail_memory(error, "the modes of a beam");
    }
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t j = 0; j < n; ++j) {
            uint32_t apart = i > j ? i - j : j - i;
            double   x = apart == 0 ? 6 : apart == 1 ? -4 : apart == 2 ? 1 : 0;
            if (apart == 0) x += (i == 0) + (i == n - 1); // the mirrored node beyond each end
            a[i * n + j] = x;
        }
    to_tridiagonal(n, a, q, d, e, v, w);
    to_diagonal(n, d, e, q);
    for (uint32_t k = 0; k < n; ++k) { // rising, first component positive
        uint32_t least = SUP_NONE;
        for (uint32_t i = 0; i < n; ++i)
            if (e[i] == 0 && (least == SUP_NONE || d[i] < d[least])) least = i;
        if (least == SUP_NONE) least = k;
        e[least] = 1; // taken
        lambda[k] = n4 * d[least];
        double sign = q[least] < 0 ? -1 : 1;
        for (uint32_t i = 0; i < n; ++i) vectors[i * n + k] = sign * q[i * n + least];
    }
    *out = (sup_beam_modes){ intervals, n, lambda, vectors };
    sup_arena_destroy(beside);
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- ends

sup_beam_ends sup_beam_ends_of(const double* q, uint32_t n, uint32_t stride)
{
    return (sup_beam_ends){ q[0], n * (q[stride] - q[0]), q[(size_t)n * stride],
                            n * (q[(size_t)n * stride] - q[(size_t)(n - 1) * stride]) };
}

double sup_beam_lift(const sup_beam_ends* s, uint32_t intervals, uint32_t node)
{
    double i2 = 1.0 / ((double)intervals * intervals), v = (double)node / intervals;
    double c3 = (s->s1 + s->s0 - 2 * (s->d1 - s->d0)) / (1 + 2 * i2);
    double c1 = s->s0 - i2 * c3, c2 = s->d1 - s->d0 - c1 - c3;
    return s->d0 + v * (c1 + v * (c2 + v * c3));
}

#include "solve/curves/fourier_series.h"

#include "base/internal.h"
#include "math/trig.h"

#include <math.h>
#include <string.h>

/// Condition that one combination of waves may have; even samples give all of them 1.4.
#define CONDITION_MOST 8.0
/// Of the largest entry of the triangle: a pivot below is rounding, and its unknown stays 0.
#define RANK 1e-12

uint32_t sup_fourier_held(sup_fourier_kind kind)
{
    return kind == SUP_FOURIER_CLOSED ? 0 : kind == SUP_FOURIER_LINE ? 2 : kind == SUP_FOURIER_TANGENT ? 4 : 1;
}

uint32_t sup_fourier_count(sup_fourier_kind kind, uint32_t terms)
{
    return 2 * terms + (kind == SUP_FOURIER_CLOSED ? 1 : sup_fourier_held(kind));
}

/// Roots of cos k cosh k = -1: near (n - 1/2) pi, from the fifth on equal to it but for 1e-6.
static double cantilever_root(uint32_t n)
{
    double k = n == 1 ? 1.875 : (n - 0.5) * SUP_PI;
    for (int i = 0; i < 6; ++i) {
        double e = sup_exp(-k), sech = 2 * e / (1 + e * e), tanh = (1 - e * e) / (1 + e * e);
        k += (sup_cos(k) + sech) / (sup_sin(k) + sech * tanh);
    }
    return k;
}

/// cosh kv - cos kv - s (sinh kv - sin kv), without the growing exponentials that cancel at the free end:
/// end exp(k (v - 1)) + begin exp(-k v) - cos kv + ratio sin kv.
typedef struct cantilever {
    double end, begin, ratio;
} cantilever;

static cantilever cantilever_of(double k)
{
    double e = sup_exp(-k), s = sup_sin(k), c = sup_cos(k);
    double below = 1 - e * e + 2 * e * s, less = 2 * e * (s - c - e) / below; // 1 - ratio of the two parts
    return (cantilever){ (s - c - e) / below, 0.5 * (2 - less), 1 - less };
}

static double cantilever_value(double k, double v)
{
    cantilever f = cantilever_of(k);
    return f.end * sup_exp(k * (v - 1)) + f.begin * sup_exp(-k * v) - sup_cos(k * v) + f.ratio * sup_sin(k * v);
}

double sup_fourier_wave(sup_fourier_kind kind, uint32_t function)
{
    uint32_t held = sup_fourier_held(kind);
    if (kind == SUP_FOURIER_CLOSED) return 2 * SUP_PI * ((function + 1) / 2);
    if (function < held) return 0;
    uint32_t n = function - held + 1;
    return kind == SUP_FOURIER_FREE ? (n - 0.5) * SUP_PI : kind == SUP_FOURIER_CANTILEVER ? cantilever_root(n) : n * SUP_PI;
}

/// Integral of its square over 0..1.
static double norm_of(sup_fourier_kind kind, uint32_t function)
{
    if (kind == SUP_FOURIER_CLOSED) return function == 0 ? 1.0 : 0.5;
    return function < sup_fourier_held(kind) || kind == SUP_FOURIER_CANTILEVER ? 1.0 : 0.5;
}

/// cos and sin of first + n step, n = 0 .. count - 1, at every second place of both lists: one pair of functions, then
/// rotations.
static void multiples(double first, double step, uint32_t count, double* cosines, double* sines)
{
    double c = sup_cos(first), s = sup_sin(first), dc = sup_cos(step), ds = sup_sin(step);
    for (uint32_t n = 0; n < count; ++n) {
        cosines[2 * n] = c, sines[2 * n] = s;
        double next = c * dc - s * ds;
        s = s * dc + c * ds, c = next;
    }
}

void sup_fourier_values(sup_fourier_kind kind, uint32_t terms, double v, double* out)
{
    uint32_t count = sup_fourier_count(kind, terms), held = sup_fourier_held(kind);
    double   h01 = v * v * (3 - 2 * v);
    if (kind == SUP_FOURIER_CLOSED) {
        out[0] = 1;
        multiples(2 * SUP_PI * v, 2 * SUP_PI * v, terms, out + 1, out + 2);
        return;
    }
    if (kind == SUP_FOURIER_LINE) out[0] = 1 - v, out[1] = v;
    else if (kind == SUP_FOURIER_TANGENT) {
        out[0] = 1 - h01, out[1] = h01;
        out[2] = v * (1 - v) * (1 - v), out[3] = v * v * (v - 1);
    } else out[0] = 1;
    if (v <= 0 || (v >= 1 && kind <= SUP_FOURIER_TANGENT)) {
        // Exactly 0 where the end is held: sin of a rounded multiple of pi is not.
        for (uint32_t f = held; f < count; ++f) out[f] = 0;
    } else if (kind == SUP_FOURIER_CANTILEVER) {
        for (uint32_t f = held; f < count; ++f) out[f] = cantilever_value(sup_fourier_wave(kind, f), v);
    } else {
        double cosines[4 * SUP_FOURIER_TERMS_MAX], sines[4 * SUP_FOURIER_TERMS_MAX];
        multiples(kind == SUP_FOURIER_FREE ? 0.5 * SUP_PI * v : SUP_PI * v, SUP_PI * v, count - held, cosines, sines);
        for (uint32_t f = held; f < count; ++f) out[f] = sines[2 * (f - held)];
    }
}

uint32_t sup_fourier_elements(sup_fourier_kind kind, uint32_t function, sup_fourier_element out[SUP_FOURIER_ELEMENTS_MAX])
{
    // Held functions as powers of v: 1 - v and v, or the cubics of both ends and slopes.
    static const double lines[2][4] = { { 1, -1 }, { 0, 1 } };
    static const double cubics[4][4] = { { 1, 0, -3, 2 }, { 0, 0, 3, -2 }, { 0, 1, -2, 1 }, { 0, 0, -1, 1 } };
    uint32_t            held = sup_fourier_held(kind), n = 0;
    double              k = sup_fourier_wave(kind, function);
    if (function < held && kind <= SUP_FOURIER_TANGENT) {
        const double* powers = kind == SUP_FOURIER_LINE ? lines[function] : cubics[function];
        for (uint32_t i = 0; i < 4; ++i)
            if (powers[i] != 0) out[n++] = (sup_fourier_element){ .amplitude = powers[i], .power = i };
        return n;
    }
    if (k == 0) {
        out[n++] = (sup_fourier_element){ .amplitude = 1 };
    } else if (kind == SUP_FOURIER_CANTILEVER) {
        cantilever f = cantilever_of(k);
        double     size = sqrt(1 + f.ratio * f.ratio);
        out[n++] = (sup_fourier_element){ .amplitude = f.end, .growth = k, .from = 1 };
        out[n++] = (sup_fourier_element){ .amplitude = f.begin, .growth = -k };
        out[n++] = (sup_fourier_element){ .amplitude = size, .wave = k, .phase = sup_atan2(f.ratio, -1) };
    } else {
        bool cosine = kind == SUP_FOURIER_CLOSED && function % 2 == 1;
        out[n++] = (sup_fourier_element){ .amplitude = 1, .wave = k, .phase = cosine ? 0 : 0.5 * SUP_PI };
    }
    return n;
}

uint32_t sup_fourier_terms(sup_fourier_kind kind, uint32_t terms, const double* v, uint32_t count)
{
    double gap = 0;
    bool   closed = kind == SUP_FOURIER_CLOSED;
    for (uint32_t j = 1; j < count; ++j) gap = fmax(gap, v[j] - v[j - 1]);
    if (closed && count) gap = fmax(gap, 1 - v[count - 1] + v[0]);
    // An open curve has 2N functions between its ends; one with a free end also fits that.
    uint32_t fits = count < 3 ? 0 : closed || kind >= SUP_FOURIER_FREE ? (count - 1) / 2 : (count - 2) / 2;
    uint32_t most = terms < fits ? terms : fits;
    if (gap > 0 && most > 1 / gap) most = (uint32_t)(1 / gap);
    return most < SUP_FOURIER_TERMS_MAX ? most : SUP_FOURIER_TERMS_MAX;
}

void sup_fourier_weights(sup_fourier_kind kind, const double* v, uint32_t count, double* weights)
{
    bool closed = kind == SUP_FOURIER_CLOSED;
    for (uint32_t i = 0; i < count; ++i) {
        double before = i ? v[i] - v[i - 1] : closed ? 1 - v[count - 1] + v[0] : 0;
        double behind = i + 1 < count ? v[i + 1] - v[i] : closed ? 1 - v[i] + v[0] : 0;
        weights[i] = 0.5 * (before + behind);
    }
}

/// gram[i][j] = sum over samples of weight f_i f_j, lower half, over the functions that are not held.
static void make_gram(sup_fourier_kind kind, uint32_t terms, const double* v, const double* weights, uint32_t count,
                      double* gram)
{
    uint32_t held = sup_fourier_held(kind), n = sup_fourier_count(kind, terms) - held;
    double   f[SUP_FOURIER_FUNCTIONS_MAX];
    for (uint32_t k = 0; k < count; ++k) {
        sup_fourier_values(kind, terms, v[k], f);
        for (uint32_t i = 0; i < n; ++i)
            for (uint32_t j = 0; j <= i; ++j) gram[(size_t)i * n + j] += weights[k] * f[held + i] * f[held + j];
    }
}

// Squared pivot of the Gram matrix below which the samples do not tell a function from those before it; relative to functions
// whose mean squares are 0.5 to 1.
static const double PIVOT2_LEAST = 1e-9;

/// Row i of the Cholesky factor in place, then of its inverse; returns the square of the latter. Both depend on the rows before
/// only, so every leading block is answered on the way. Infinity where the samples do not tell function i from those before.
static double invert_row(double* gram, double* inverse, uint32_t n, uint32_t i)
{
    double *g = gram + (size_t)i * n, *x = inverse + (size_t)i * n, square = 0;
    for (uint32_t j = 0; j <= i; ++j) {
        double sum = g[j];
        for (uint32_t k = 0; k < j; ++k) sum -= g[k] * gram[(size_t)j * n + k];
        if (j < i) g[j] = sum / gram[(size_t)j * n + j];
        else if (!(sum > PIVOT2_LEAST)) return HUGE_VAL;
        else g[j] = sqrt(sum);
    }
    for (uint32_t j = 0; j <= i; ++j) {
        double sum = j == i;
        for (uint32_t k = j; k < i; ++k) sum -= g[k] * inverse[(size_t)k * n + j];
        x[j] = sum / g[i];
        square += x[j] * x[j];
    }
    return square;
}

sup_result sup_fourier_limit(sup_fourier_kind kind, uint32_t terms, const double* v, const double* weights, uint32_t count,
                             sup_arena* arena, uint32_t* out, sup_error* error)
{
    uint32_t most = sup_fourier_terms(kind, terms, v, count), held = sup_fourier_held(kind);
    uint32_t n = sup_fourier_count(kind, most) - held;
    double * gram = SUP_NEW(arena, double, (size_t)n*n + 1), *inverse = SUP_NEW(arena, double, (size_t)n*n + 1), excess = 0;
    if (!gram || !inverse) return sup_fail_memory(error, "a fit");
    make_gram(kind, most, v, weights, count, gram);
    *out = most;
    for (uint32_t i = 0; i < n; ++i) {
        excess += invert_row(gram, inverse, n, i) - 1 / norm_of(kind, held + i);
        if (!(excess < CONDITION_MOST * CONDITION_MOST)) {
            // The terms whose two functions both stand before this one.
            *out = kind == SUP_FOURIER_CLOSED ? (i > 0 ? (i - 1) / 2 : 0) : i / 2;
            break;
        }
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- fit

/// Householder QR of a[rows][n] in place, applied to b[rows][columns] at once; then R x = b from below. Functions that the
/// samples do not tell from the ones before get 0.
static double solve_least_squares(double* a, uint32_t rows, uint32_t n, double* b, uint32_t columns, double* x)
{
    double most = 0, least = HUGE_VAL;
    for (uint32_t k = 0; k < n; ++k) {
        double norm = 0, dot;
        for (uint32_t i = k; i < rows; ++i) norm += a[(size_t)i * n + k] * a[(size_t)i * n + k];
        norm = sqrt(norm);
        if (a[(size_t)k * n + k] > 0) norm = -norm;
        most = fmax(most, fabs(norm)), least = fmin(least, fabs(norm));
        if (norm == 0) continue;
        a[(size_t)k * n + k] -= norm; // the vector of the reflection stays below the diagonal
        double scale = -1 / (norm * a[(size_t)k * n + k]);
        for (uint32_t c = k + 1; c < n; ++c) {
            dot = 0;
            for (uint32_t i = k; i < rows; ++i) dot += a[(size_t)i * n + k] * a[(size_t)i * n + c];
            for (uint32_t i = k; i < rows; ++i) a[(size_t)i * n + c] -= scale * dot * a[(size_t)i * n + k];
        }
        for (uint32_t c = 0; c < columns; ++c) {
            dot = 0;
            for (uint32_t i = k; i < rows; ++i) dot += a[(size_t)i * n + k] * b[(size_t)i * columns + c];
            for (uint32_t i = k; i < rows; ++i) b[(size_t)i * columns + c] -= scale * dot * a[(size_t)i * n + k];
        }
        a[(size_t)k * n + k] = norm;
    }
    for (uint32_t k = n; k-- > 0;)
        for (uint32_t c = 0; c < columns; ++c) {
            double sum = b[(size_t)k * columns + c];
            for (uint32_t i = k + 1; i < n; ++i) sum -= a[(size_t)k * n + i] * x[(size_t)i * columns + c];
            double r = a[(size_t)k * n + k];
            x[(size_t)k * columns + c] = fabs(r) > RANK * most ? sum / r : 0;
        }
    return least > 0 ? most / least : HUGE_VAL;
}

/// The held functions' coefficients: end values, and slopes over the first and last step.
static void hold_ends(sup_fourier_kind kind, const double* v, uint32_t count, const double* samples, uint32_t columns,
                      double* held)
{
    const double *first = samples, *last = samples + (size_t)(count - 1) * columns;
    for (uint32_t c = 0; c < columns; ++c) {
        held[c] = first[c];
        if (kind >= SUP_FOURIER_FREE) continue;
        held[columns + c] = last[c];
        if (kind != SUP_FOURIER_TANGENT) continue;
        double a = count > 1 ? v[1] - v[0] : 0, b = count > 1 ? v[count - 1] - v[count - 2] : 0;
        held[2 * columns + c] = a > 0 ? (samples[columns + c] - first[c]) / a : 0;
        held[3 * columns + c] = b > 0 ? (last[c] - samples[(size_t)(count - 2) * columns + c]) / b : 0;
    }
}

sup_result sup_fourier_fit(sup_fourier_kind kind, uint32_t terms, const double* v, const double* weights, uint32_t count,
                           const double* samples, uint32_t columns, sup_arena* arena, double* out, double* condition,
                           sup_error* error)
{
    uint32_t functions = sup_fourier_count(kind, terms), held = sup_fourier_held(kind), n = functions - held;
    double*  a = SUP_NEW(arena, double, (size_t)count* n + 1);
    double*  b = SUP_NEW(arena, double, (size_t)count* columns);
    double   f[SUP_FOURIER_FUNCTIONS_MAX];
    SUP_ASSERT(count > 0 && terms <= SUP_FOURIER_TERMS_MAX);
    if (!a || !b) return sup_fail_memory(error, "a fit");
    if (held) hold_ends(kind, v, count, samples, columns, out);
    for (uint32_t j = 0; j < count; ++j) {
        double w = weights ? sqrt(weights[j]) : 1;
        sup_fourier_values(kind, terms, v[j], f);
        for (uint32_t i = 0; i < n; ++i) a[(size_t)j * n + i] = w * f[held + i];
        for (uint32_t c = 0; c < columns; ++c) {
            double rest = samples[(size_t)j * columns + c];
            for (uint32_t i = 0; i < held; ++i) rest -= f[i] * out[(size_t)i * columns + c];
            b[(size_t)j * columns + c] = w * rest;
        }
    }
    double found = n ? solve_least_squares(a, count, n, b, columns, out + (size_t)held * columns) : 1;
    if (condition) *condition = found;
    return SUP_OK;
}

void sup_fourier_force(sup_fourier_kind kind, uint32_t terms, double begin, double end, double* shares)
{
    enum { PIECES = 1024 };
    uint32_t count = sup_fourier_count(kind, terms), pieces = end > begin ? PIECES : 1;
    double   f[SUP_FOURIER_FUNCTIONS_MAX];
    for (uint32_t i = 0; i < count; ++i) shares[i] = 0;
    for (uint32_t p = 0; p < pieces; ++p) {
        sup_fourier_values(kind, terms, begin + (end - begin) * (p + 0.5) / pieces, f);
        for (uint32_t i = sup_fourier_held(kind); i < count; ++i) shares[i] += f[i] / (pieces * norm_of(kind, i));
    }
}

#include "solve/plate/bend_curve.h"

#include "base/internal.h"
#include "math/trig.h"

#include <math.h>
#include <string.h>

double sup_bend_inertia(double before, double after, double h, double nu)
{
    return (before + after) * h * h * h / (24.0 * (1.0 - nu * nu));
}

// ---------------------------------------------------------------------------------------------- open

static double open_point(double v, double a)
{
    if (v > a) {
        double x = v;
        v = a, a = x;
    }
    double b = 1 - a;
    return b * b * v * v * (3 * a - v - 2 * a * v) / 6;
}

/// Antiderivative by a of the response at v to a force at a > v: v^2 (1 - a)^2 (3 a - v - 2 a v) / 6, with b = 1 - a.
static double open_above(double v, double a)
{
    // (3 - 2 v) a - v = (3 - 2 v) - v - (3 - 2 v) b, integrated over b with the sign of da = -db
    double b = 1 - a, p = 3 - 3 * v, q = 3 - 2 * v;
    return -v * v * (p * b * b * b / 3 - q * b * b * b * b / 4) / 6;
}

double sup_bend_open(double v, double begin, double end)
{
    SUP_ASSERT(begin >= 0 && end <= 1);
    if (!(end > begin)) return open_point(v, begin);
    double low = begin > v ? begin : v, sum = 0;
    if (end > low) sum += open_above(v, end) - open_above(v, low);
    double high = end < v ? end : v; // the part below v is the part above 1 - v of the mirrored curve
    if (high > begin) sum += open_above(1 - v, 1 - begin) - open_above(1 - v, 1 - high);
    return sum / (end - begin);
}

double sup_bend_open_sine(uint32_t n, double v)
{
    // sin(n pi v) / (n pi)^4 plus the cubic that takes its slopes at both ends away
    double w = n * SUP_PI, s0 = 1 / (w * w * w), s1 = n % 2 ? -s0 : s0;
    return sup_sin(w * v) / (w * w * w * w) - s0 * v * (1 - v) * (1 - v) + s1 * v * v * (1 - v);
}

// ---------------------------------------------------------------------------------------------- closed

static double fraction(double x) { return x - floor(x); }

double sup_bend_closed(sup_bend_closing closing, double v, double begin, double end)
{
    double x;
    if (end > begin) {
        double b5[2];
        for (int i = 0; i < 2; ++i) {
            double t = fraction(v - (i ? end : begin));
            b5[i] = t * (-1.0 / 6 + t * t * (5.0 / 3 + t * (-2.5 + t)));
        }
        x = (b5[1] - b5[0]) / (120 * (end - begin));
    } else {
        double t = fraction(v - begin);
        x = (1.0 / 30 - t * t * (1 - t) * (1 - t)) / 24;
    }
    if (closing == SUP_BEND_PAPER) {
        double t = fraction(v);
        x += t * t * (1 - t) * (1 - t) / 24;
    }
    return x;
}

double sup_bend_foundation(double stiffness, double sigma, double v, double at)
{
    // exp(-b x)(cos b x + sin b x) / (8 EI b^3) around the circle: a geometric series with z = exp(-b (1 - i))
    double b = sqrt(sqrt(sigma / (4 * stiffness))), x = fraction(v - at), sum[2] = { 0, 0 };
    for (int i = 0; i < 2; ++i) {
        double d = i ? 1 - x : x, e = sup_exp(-b * d);
        sum[0] += e * sup_cos(b * d), sum[1] += e * sup_sin(b * d);
    }
    double e = sup_exp(-b), zr = 1 - e * sup_cos(b), zi = -e * sup_sin(b); // 1 - z
    double nr = sum[0] + sum[1], ni = sum[1] - sum[0];                     // (1 - i) sum
    return (nr * zr + ni * zi) / (zr * zr + zi * zi) / (8 * stiffness * b * b * b);
}

void sup_bend_closed_terms(double begin, double end, uint32_t n, double* c, double* s)
{
    double w = 2 * SUP_PI * n;
    if (end > begin) {
        double scale = 2 / (w * (end - begin));
        *c = scale * (sup_sin(w * end) - sup_sin(w * begin));
        *s = scale * (sup_cos(w * begin) - sup_cos(w * end));
    } else {
        *c = 2 * sup_cos(w * begin);
        *s = 2 * sup_sin(w * begin);
    }
}

// ---------------------------------------------------------------------------------------------- equivalent forces

double sup_bend_fit_point(const double* x, uint32_t N, double at, double* fitted)
{
    double gx = 0, gg = 0;
    for (uint32_t j = 1; j < N; ++j) {
        double g = open_point((double)j / N, at);
        gx += g * x[j], gg += g * g;
    }
    double p = gg > 0 ? gx / gg : 0;
    for (uint32_t j = 0; fitted && j <= N; ++j) fitted[j] = p * open_point((double)j / N, at);
    return p;
}

enum { NODES_MAX = 512 };

uint32_t sup_bend_fit_sines(const double* x, uint32_t N, uint32_t terms, double* loads, double* fitted)
{
    SUP_ASSERT(N >= 2 && N <= NODES_MAX);
    double q[SUP_BEND_SINES_MAX][NODES_MAX], r[SUP_BEND_SINES_MAX][SUP_BEND_SINES_MAX], c[SUP_BEND_SINES_MAX];
    if (terms > SUP_BEND_SINES_MAX) terms = SUP_BEND_SINES_MAX;
    if (terms > N - 1) terms = N - 1;
    // Gram-Schmidt twice over: orthogonal to rounding at these conditions.
    for (uint32_t k = 0; k < terms; ++k) {
        double n2 = 0;
        memset(r[k], 0, sizeof r[k]);
        for (uint32_t j = 1; j < N; ++j) q[k][j] = sup_bend_open_sine(k + 1, (double)j / N);
        for (int pass = 0; pass < 2; ++pass)
            for (uint32_t i = 0; i < k; ++i) {
                double d = 0;
                for (uint32_t j = 1; j < N; ++j) d += q[i][j] * q[k][j];
                for (uint32_t j = 1; j < N; ++j) q[k][j] -= d * q[i][j];
                r[k][i] += d;
            }
        for (uint32_t j = 1; j < N; ++j) n2 += q[k][j] * q[k][j];
        r[k][k] = sqrt(n2);
        for (uint32_t j = 1; j < N; ++j) q[k][j] /= r[k][k];
        c[k] = 0;
        for (uint32_t j = 1; j < N; ++j) c[k] += q[k][j] * x[j];
    }
    for (uint32_t k = terms; k-- > 0;) {
        double sum = c[k];
        for (uint32_t i = k + 1; i < terms; ++i) sum -= r[i][k] * loads[i];
        loads[k] = sum / r[k][k];
    }
    for (uint32_t j = 0; fitted && j <= N; ++j) {
        fitted[j] = 0;
        for (uint32_t k = 0; j > 0 && j < N && k < terms; ++k) fitted[j] += c[k] * q[k][j];
    }
    return terms;
}

// Closed forms of the oscillator. Six branches, chosen so that none divides by what may vanish; neighboring branches agree to
// 1e-11 where they meet (tests/solve/test_oscillator.c). phi_k(z) = sum of z^j / (j + k)! carries all of them.
#include "solve/curves/oscillator.h"

#include "base/internal.h"
#include "math/trig.h"

#include <math.h>

/// Beyond this the series of phi would need too many terms, within it the recursion upwards would cancel.
#define PHI_SERIES 1.5
/// Terms of the series of phi (1.5^24 / 24! = 3e-20) and of the equation's own (2^28 / 28! = 9e-22): no bit comes behind them.
enum { PHI_TERMS = 24, SLOW_TERMS = 28 };
/// |w^2 t^2| under which two roots are taken together: the next term left out is (1e-4)^3 / 5040 of the first.
#define NEAR_CRITICAL 1e-4
/// A rate and its square, in segments: beyond, squares of doubles overflow.
#define ROOT_MOST 1e150
#define STIFF_MOST 1e300
/// Carry is kept where rates shrink at least to this share per segment, or where the Hermite form would be singular.
#define CARRY_LIMIT 0.8
#define HERMITE_FREQUENCY 4.0

enum { PHI_MAX = SUP_OSCILLATOR_ORDERS + 5 };

typedef struct complex_pair {
    double re, im;
} complex_pair;

static const double inverse_factorial[PHI_MAX + 1] = {
    1.0,          1.0,           1.0 / 2.0,      1.0 / 6.0,       1.0 / 24.0,       1.0 / 120.0,       1.0 / 720.0,
    1.0 / 5040.0, 1.0 / 40320.0, 1.0 / 362880.0, 1.0 / 3628800.0, 1.0 / 39916800.0, 1.0 / 479001600.0,
};

// ---------------------------------------------------------------------------------------------- ramps

/// Orders of responses that a ramp's highest power needs.
static const uint32_t ramp_orders[3] = { 3, 5, 7 };
enum { STEP_ORDERS = 3 }; // forces that are linear in time

// Coefficients of t^1 .. t^5, times m! as the response needs them.
static const double ramp_terms[3][6] = {
    { 0, 1, 0, 0, 0, 0 },
    { 0, 0, 3, -2, 0, 0 },
    { 0, 0, 0, 10, -15, 6 },
};

double sup_ramp_value(sup_ramp ramp, double t)
{
    const double* c = ramp_terms[ramp];
    return t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * c[5]))));
}

double sup_ramp_rate(sup_ramp ramp, double t)
{
    const double* c = ramp_terms[ramp];
    return c[1] + t * (2 * c[2] + t * (3 * c[3] + t * (4 * c[4] + t * 5 * c[5])));
}

// ---------------------------------------------------------------------------------------------- phi functions

/// phi_0 .. phi_(count-1) of a real z: series for the last and down, or the exponential and up, as far as they are wanted.
static void phi_real(double z, uint32_t count, uint32_t wanted, double* phi)
{
    if (fabs(z) >= PHI_SERIES) {
        phi[0] = sup_exp(z);
        for (uint32_t k = 0; k + 1 < wanted; ++k) phi[k + 1] = (phi[k] - inverse_factorial[k]) / z;
        return;
    }
    double term = inverse_factorial[count - 1], sum = term;
    for (uint32_t j = 1; j < PHI_TERMS; ++j) {
        term *= z / (double)(j + count - 1);
        sum += term;
    }
    phi[count - 1] = sum;
    for (uint32_t k = count - 1; k > 0; --k) phi[k - 1] = z * phi[k] + inverse_factorial[k - 1];
}

/// The same for a complex z.
static void phi_complex(complex_pair z, uint32_t count, uint32_t wanted, complex_pair* phi)
{
    double square = z.re * z.re + z.im * z.im;
    if (square >= PHI_SERIES * PHI_SERIES) {
        double size = sup_exp(z.re);
        phi[0] = (complex_pair){ size * sup_cos(z.im), size * sup_sin(z.im) };
        for (uint32_t k = 0; k + 1 < wanted; ++k) {
            double re = phi[k].re - inverse_factorial[k], im = phi[k].im;
            phi[k + 1] = (complex_pair){ (re * z.re + im * z.im) / square, (im * z.re - re * z.im) / square };
        }
        return;
    }
    complex_pair term = { inverse_factorial[count - 1], 0 }, sum = term;
    for (uint32_t j = 1; j < PHI_TERMS; ++j) {
        double s = 1.0 / (double)(j + count - 1);
        term = (complex_pair){ (term.re * z.re - term.im * z.im) * s, (term.re * z.im + term.im * z.re) * s };
        sum.re += term.re;
        sum.im += term.im;
    }
    phi[count - 1] = sum;
    for (uint32_t k = count - 1; k > 0; --k)
        phi[k - 1] = (complex_pair){ z.re * phi[k].re - z.im * phi[k].im + inverse_factorial[k - 1],
                                     z.re * phi[k].im + z.im * phi[k].re };
}

// ---------------------------------------------------------------------------------------------- six branches

static void static_responses(double h, double t, double* p)
{
    double power = 1.0;
    p[0] = 0.0;
    for (uint32_t k = 1; k < SUP_OSCILLATOR_ORDERS; ++k) {
        p[k] = power * inverse_factorial[k - 1] / h;
        power *= t;
    }
}

static void first_order_responses(double eta, double h, double t, uint32_t orders, double* p)
{
    double phi[SUP_OSCILLATOR_ORDERS], power = 1.0;
    phi_real(-h * t / eta, SUP_OSCILLATOR_ORDERS, orders, phi);
    for (uint32_t k = 0; k < orders; ++k) {
        p[k] = power * phi[k] / eta;
        power *= t;
    }
}

// Slow: the power series of the equation itself, y = sum of d_j t^j / j!. Covers h = 0.
static void slow_responses(const sup_oscillator* o, double t, uint32_t orders, double* p)
{
    double first = t / o->rho; // t^(k + 1) / (k + 1)! / rho
    for (uint32_t k = 0; k < orders; ++k) {
        double before = 0.0, d = first, sum = first;
        for (uint32_t i = 1; i < SLOW_TERMS; ++i) {
            double n = (double)(k + 1 + i);
            double next = -(o->eta * t / n * d + o->h * t * t / (n * (n - 1.0)) * before) / o->rho;
            before = d;
            d = next;
            sum += d;
        }
        p[k] = sum;
        first *= t / (double)(k + 2);
    }
}

static void under_damped_responses(double rho, double a, double w, double t, uint32_t orders, double* p)
{
    complex_pair phi[SUP_OSCILLATOR_ORDERS];
    double       power = 1.0;
    phi_complex((complex_pair){ -a * t, w * t }, SUP_OSCILLATOR_ORDERS, orders, phi);
    for (uint32_t k = 0; k < orders; ++k) {
        p[k] = power * phi[k].im / (rho * w);
        power *= t;
    }
}

static void over_damped_responses(const sup_oscillator* o, double a, double b, double t, uint32_t orders, double* p)
{
    double fast = -a - b, slow = o->h / o->rho / fast; // not -a + b, which cancels
    double one[SUP_OSCILLATOR_ORDERS], two[SUP_OSCILLATOR_ORDERS], power = 1.0;
    phi_real(slow * t, SUP_OSCILLATOR_ORDERS, orders, one);
    phi_real(fast * t, SUP_OSCILLATOR_ORDERS, orders, two);
    for (uint32_t k = 0; k < orders; ++k) {
        p[k] = power * (one[k] - two[k]) / (o->rho * (slow - fast));
        power *= t;
    }
}

// Both roots near -a: the difference quotient of phi as its Taylor series in d2 = (half the distance of the roots times t)^2.
static void critical_responses(double rho, double a, double w2, double t, double* p)
{
    double d[6][PHI_MAX], d2 = -w2 * t * t, power = t;
    phi_real(-a * t, PHI_MAX, PHI_MAX, d[0]);
    for (uint32_t n = 1; n <= 5; ++n) // phi_k' = phi_k - k phi_(k+1)
        for (uint32_t k = 0; k + n < PHI_MAX; ++k) d[n][k] = d[n - 1][k] - (double)k * d[n - 1][k + 1];
    for (uint32_t k = 0; k < SUP_OSCILLATOR_ORDERS; ++k) {
        p[k] = power * (d[1][k] + d2 / 6.0 * (d[3][k] + d2 / 20.0 * d[5][k])) / rho;
        power *= t;
    }
}

/// P_0 .. P_(orders - 1), the others 0.
static void responses(const sup_oscillator* o, double t, uint32_t orders, double p[SUP_OSCILLATOR_ORDERS])
{
    for (uint32_t k = orders; k < SUP_OSCILLATOR_ORDERS; ++k) p[k] = 0.0;
    double a = o->rho > 0 ? o->eta / (2.0 * o->rho) : (double)INFINITY, stiff = o->rho > 0 ? o->h / o->rho : 0.0;
    double w2 = stiff - a * a;
    if (o->still) static_responses(o->h, t, p);
    // Where even the squares overflow, the mass is nothing.
    else if (!(a < ROOT_MOST && stiff < STIFF_MOST)) first_order_responses(o->eta, o->h, t, orders, p);
    else if ((a * a > stiff ? a * a : stiff) * t * t < 1.0) slow_responses(o, t, orders, p);
    else if (w2 * t * t > NEAR_CRITICAL) under_damped_responses(o->rho, a, sqrt(w2), t, orders, p);
    else if (w2 * t * t < -NEAR_CRITICAL) over_damped_responses(o, a, sqrt(-w2), t, orders, p);
    else critical_responses(o->rho, a, w2, t, p);
}

void sup_oscillator_responses(const sup_oscillator* o, double t, double p[SUP_OSCILLATOR_ORDERS])
{
    responses(o, t, SUP_OSCILLATOR_ORDERS, p);
}

// ---------------------------------------------------------------------------------------------- segments

/// R(t) and R'(t): the response to the ramp.
static void ramp_response(sup_ramp ramp, const double p[SUP_OSCILLATOR_ORDERS], double* value, double* rate)
{
    double factorial = 1.0;
    *value = *rate = 0.0;
    for (uint32_t m = 1; m <= 5; ++m) {
        factorial *= (double)m;
        *value += ramp_terms[ramp][m] * factorial * p[m + 1];
        *rate += ramp_terms[ramp][m] * factorial * p[m];
    }
}

double sup_oscillator_frequency(const sup_oscillator* o) { return o->rho > 0 ? sqrt(o->h / o->rho) : (double)INFINITY; }

sup_oscillator sup_oscillator_make(double rho, double eta, double h, sup_ramp ramp)
{
    SUP_ASSERT(rho >= 0 && eta >= 0 && h >= 0 && isfinite(rho) && isfinite(eta) && isfinite(h));
    sup_oscillator o = { .rho = rho, .eta = eta, .h = h, .ramp = ramp, .still = rho == 0 && eta == 0 };
    if (o.still) {
        o.gamma_rate = sup_ramp_rate(ramp, 1.0);
        return o;
    }
    double p[SUP_OSCILLATOR_ORDERS], value, rate;
    sup_oscillator_responses(&o, 1.0, p);
    ramp_response(ramp, p, &value, &rate);
    o.share = 1.0 / value;
    o.gamma_rate = rate * o.share;
    o.psi = rho * p[0];
    o.psi_rate = rho > 0 ? 1.0 - eta * p[0] - h * p[1] : 0.0;
    o.mu = o.psi_rate - o.gamma_rate * o.psi;
    o.hermite_fits = rho > 0 && sup_oscillator_frequency(&o) <= HERMITE_FREQUENCY;
    o.carry_grows = o.hermite_fits && fabs(o.mu) > CARRY_LIMIT;
    double det = p[1] * p[1] - p[2] * p[0];
    if (o.hermite_fits) {
        o.hermite[0][0] = p[1] / det;
        o.hermite[0][1] = -p[2] / det;
        o.hermite[1][0] = -p[0] / det;
        o.hermite[1][1] = p[1] / det;
    }
    return o;
}

sup_oscillator sup_oscillator_last(const sup_oscillator* o, double seconds)
{
    SUP_ASSERT(seconds > 0);
    return sup_oscillator_make(o->rho / (seconds * seconds), o->eta / seconds, o->h, o->ramp);
}

sup_sway sup_oscillator_sway(const sup_oscillator* o, double t)
{
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    if (o->still) return (sup_sway){ .value = sup_ramp_value(o->ramp, t), .value_rate = sup_ramp_rate(o->ramp, t) };
    double p[SUP_OSCILLATOR_ORDERS], value, rate;
    responses(o, t, ramp_orders[o->ramp], p);
    ramp_response(o->ramp, p, &value, &rate);
    double psi = o->rho * p[0], psi_rate = o->rho > 0 ? 1.0 - o->eta * p[0] - o->h * p[1] : 0.0;
    double gamma = t < 1 ? value * o->share : 1.0, gamma_rate = rate * o->share;
    return (sup_sway){ .value = gamma,
                       .start = t < 1 ? psi - gamma * o->psi : 0.0,
                       .value_rate = gamma_rate,
                       .start_rate = psi_rate - gamma_rate * o->psi };
}

sup_sway sup_oscillator_hermite(const sup_oscillator* o, double t)
{
    SUP_ASSERT(o->hermite_fits);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double p[SUP_OSCILLATOR_ORDERS];
    responses(o, t, STEP_ORDERS, p);
    double psi = o->rho * p[0], psi_rate = 1.0 - o->eta * p[0] - o->h * p[1];
    // Weights of the end value and the end rate, through the forces e0 and e1.
    double value = o->hermite[0][0] * p[1] + o->hermite[1][0] * p[2];
    double end = o->hermite[0][1] * p[1] + o->hermite[1][1] * p[2];
    double value_rate = o->hermite[0][0] * p[0] + o->hermite[1][0] * p[1];
    double end_rate = o->hermite[0][1] * p[0] + o->hermite[1][1] * p[1];
    return (sup_sway){ .value = t < 1 ? value : 1.0,
                       .start = t < 1 ? psi - value * o->psi - end * o->psi_rate : 0.0,
                       .end = t < 1 ? end : 0.0,
                       .value_rate = value_rate,
                       .start_rate = psi_rate - value_rate * o->psi - end_rate * o->psi_rate,
                       .end_rate = end_rate };
}

double sup_oscillator_beyond(const sup_oscillator* o, double t)
{
    if (o->still) return t;
    double now[SUP_OSCILLATOR_ORDERS], end[SUP_OSCILLATOR_ORDERS];
    responses(o, t, STEP_ORDERS, now);
    responses(o, 1.0, STEP_ORDERS, end);
    return now[2] / end[2];
}

double sup_oscillator_settle(const sup_oscillator* o, double tau)
{
    if (o->rho == 0 || !(tau > 0)) return 0.0;
    double p[SUP_OSCILLATOR_ORDERS];
    responses(o, tau, 1, p);
    return o->rho * p[0];
}

sup_oscillator_step sup_oscillator_prepare(const sup_oscillator* o, double dt)
{
    if (!(dt > 0)) return (sup_oscillator_step){ .y = { 1, 0, 0, 0 }, .v = { 0, 1, 0, 0 } };
    if (o->still && o->h == 0) return (sup_oscillator_step){ .y = { 0, 0, 0, 1 }, .v = { 0, 0, 0, 0 } };
    double p[SUP_OSCILLATOR_ORDERS];
    responses(o, dt, STEP_ORDERS, p);
    double psi_rate = o->rho > 0 ? 1.0 - o->eta * p[0] - o->h * p[1] : 0.0;
    return (sup_oscillator_step){ .y = { 1.0 - o->h * p[1], o->rho * p[0], p[1] - p[2] / dt, p[2] / dt },
                                  .v = { -o->h * p[0], psi_rate, p[0] - p[1] / dt, p[1] / dt } };
}

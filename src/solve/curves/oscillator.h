/// solve/curves/oscillator.h: one damped oscillator in closed form, at any time without stepping.
///
///     rho y'' + eta y' + h y = F(t)          rho, eta, h >= 0
///
/// Every coefficient of a curve (beam mode, Fourier coefficient) is one. P_k is the inverse Laplace transform of
/// 1 / (s^k (rho s^2 + eta s + h)): P_0 answers an impulse, P_1 a step, P_2 a force t, P_3 a force t^2/2, ...
/// A *segment* runs over t = 0..1 from y = 0 to y = Y under the force e r(t), r a ramp from 0 to 1:
///
///     y(t) = gamma(t) Y + [psi(t) - gamma(t) psi(1)] v0,        gamma goes from 0 to 1; with the linear ramp it
///     never turns back, the smooth ones brake and let a lightly damped mode pass 1 by up to an eighth
///
/// A segment that lasts T seconds is one of duration 1 with rho / T^2 and eta / T; its rates are per segment.
#ifndef SUP_SOLVE_CURVES_OSCILLATOR_H
#define SUP_SOLVE_CURVES_OSCILLATOR_H

#include "supple/base.h"

/// How the force (and what moves with it) grows over a segment: t, 3t^2 - 2t^3, 10t^3 - 15t^4 + 6t^5.
typedef enum sup_ramp { SUP_RAMP_LINEAR, SUP_RAMP_SMOOTHSTEP, SUP_RAMP_SMOOTHERSTEP } sup_ramp;

double sup_ramp_value(sup_ramp ramp, double t);
double sup_ramp_rate(sup_ramp ramp, double t);

/// P_0 .. P_6: what the smootherstep ramp needs.
enum { SUP_OSCILLATOR_ORDERS = 7 };

/// One oscillator with what its segments need. rho = eta = 0 is static (gamma = r, rates of the start are ignored), rho = 0
/// alone a first-order lag (likewise). All zero: static too.
typedef struct sup_oscillator {
    double   rho, eta, h;
    sup_ramp ramp;
    bool     still;         ///< rho = eta = 0
    double   share;         ///< 1 / R(1): the force amplitude is e = (Y - psi(1) v0) share
    double   psi, psi_rate; ///< at t = 1
    double   gamma_rate;    ///< at t = 1
    double   mu;            ///< factor by which a start rate is carried to the end: psi'(1) - gamma'(1) psi(1)
    double   hermite[2][2]; ///< inverse of [P_1 P_2; P_0 P_1](1): forces e0 + e1 t from end value and end rate
    bool     hermite_fits;  ///< rho > 0 and at most 4 radians per segment: away from where that inverse is singular
    bool     carry_grows;   ///< carried rates would grow from segment to segment: use the Hermite form
} sup_oscillator;

/// A programmer's mistake when a value is negative or not finite.
sup_oscillator sup_oscillator_make(double rho, double eta, double h, sup_ramp ramp);
/// The same oscillator for a segment that lasts `seconds` (of the time in which rho and eta were given).
sup_oscillator sup_oscillator_last(const sup_oscillator* o, double seconds);
/// Natural frequency in radians per segment; infinity where rho = 0.
double sup_oscillator_frequency(const sup_oscillator* o);

/// P_0 .. P_6 at t >= 0. Meaningless where `still` and h = 0.
void sup_oscillator_responses(const sup_oscillator* o, double t, double p[SUP_OSCILLATOR_ORDERS]);

/// y(t) = value Y + start v0 + end v1: Y is reached at t = 1, v0 and v1 are the rates at both ends (v1: Hermite form only).
typedef struct sup_sway {
    double value, start, end;
    double value_rate, start_rate, end_rate; ///< derivatives by t
} sup_sway;

/// Driven by a ramp: the rate at the end comes out, gamma_rate Y + mu v0. t is clamped to 0..1.
sup_sway sup_oscillator_sway(const sup_oscillator* o, double t);
/// Dynamic Hermite: driven by e0 + e1 t so that value and rate at the end are as asked. Becomes the cubic Hermite as h and eta
/// go to 0. Only where hermite_fits: it is singular near 2 pi radians per segment. t is clamped to 0..1.
sup_sway sup_oscillator_hermite(const sup_oscillator* o, double t);
/// R(t) / R(1) for any t >= 0, beyond 1 as well: the answer to a force that goes on growing as the linear ramp does.
double sup_oscillator_beyond(const sup_oscillator* o, double t);
/// How a rate left at t = 1 rings out while the force holds the value reached: y(1 + tau) = Y + psi(tau) rate.
double sup_oscillator_settle(const sup_oscillator* o, double tau);

/// Exact over dt for a force that goes linearly from fa to fb: what live input is driven with. Any dt >= 0.
typedef struct sup_oscillator_step {
    double y[4]; ///< new value from value, rate, fa, fb
    double v[4]; ///< new rate likewise
} sup_oscillator_step;

sup_oscillator_step sup_oscillator_prepare(const sup_oscillator* o, double dt);
static inline void  sup_oscillator_advance(const sup_oscillator_step* s, double fa, double fb, double* y, double* v)
{
    double y0 = *y, v0 = *v;
    *y = s->y[0] * y0 + s->y[1] * v0 + s->y[2] * fa + s->y[3] * fb;
    *v = s->v[0] * y0 + s->v[1] * v0 + s->v[2] * fa + s->v[3] * fb;
}

#endif

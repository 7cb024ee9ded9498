#include "solve/curves/closed_form.h"

#include "base/internal.h"
#include "math/trig.h"

#include <math.h>

/// Roots closer than this to each other are one: what is left out is a sixth of its square.
#define NEAR_CRITICAL 1e-9
/// Exponents under which a power series of 16 terms leaves out 3e-11, and above which the closed form does not cancel.
#define SLOW 1.5
/// Square radians of swing in a segment: a weaker spring would only divide rounding, and the polynomial stands in for it.
#define STIFF_LEAST 1e-9

/// eta p' + h p + p'' = f by powers from the highest down; h > 0.
static void particular(double eta, double h, const double* f, double* p)
{
    for (int i = SUP_CLOSED_DERIVATIVES - 1; i >= 0; --i) {
        double higher = eta * (i + 1) * p[i + 1] + (i + 2.0) * (i + 1) * p[i + 2];
        p[i] = (f[i] - higher) / h;
    }
}

/// What is left of the start once the polynomial is taken away swings or decays.
static void swing_of(double eta, double h, double y, double v, sup_closed_form* out)
{
    double a = 0.5 * eta, w2 = h - a * a;
    if (w2 > NEAR_CRITICAL) {
        double w = sqrt(w2), s = (v + a * y) / w;
        out->swing[0] =
            (sup_fourier_element){ .amplitude = sqrt(y * y + s * s), .growth = -a, .wave = w, .phase = sup_atan2(s, y) };
    } else if (w2 < -NEAR_CRITICAL) {
        double fast = -a - sqrt(-w2), slow = h / fast, second = (v - slow * y) / (fast - slow);
        out->swing[0] = (sup_fourier_element){ .amplitude = y - second, .growth = slow };
        out->swing[1] = (sup_fourier_element){ .amplitude = second, .growth = fast };
    } else {
        out->swing[0] = (sup_fourier_element){ .amplitude = y, .growth = -a };
        out->swing[1] = (sup_fourier_element){ .amplitude = v + a * y, .power = 1, .growth = -a };
    }
}

/// The closed form, arranged so that nothing large cancels: slow roots go with the polynomial. `on`: it must hold beyond t = 1.
sup_closed_form sup_closed_solve(double eta, double h, const sup_closed_task* task, bool on)
{
    sup_closed_form out = { .powers = { 0 } };
    double          f[SUP_CLOSED_POWERS] = { 0 }, factorial = 1, *p = out.powers, a = 0.5 * eta;
    bool            forced = false;
    for (int i = 0; i < SUP_CLOSED_DERIVATIVES; factorial *= ++i) f[i] = task->force[i] / factorial, forced |= f[i] != 0;
    // Sizes of the two roots.
    double far = a * a < h ? sqrt(h) : a + sqrt(a * a - h), near = far > 0 ? h / far : 0;
    if (h > (on ? STIFF_LEAST : 0) && (!forced || on || (far >= SLOW && near >= 1))) {
        if (forced) particular(eta, h, f, p);
        swing_of(eta, h, -p[0], task->rate - p[1], &out);
    } else if (far >= SLOW || (on && eta > 0)) {
        // (D + far) u = f, (D + near) z = u; z takes back at the start what the fast decay adds.
        double u[SUP_CLOSED_POWERS + 1] = { 0 };
        for (int i = SUP_CLOSED_DERIVATIVES - 1; i >= 0; --i) u[i] = (f[i] - (i + 1) * u[i + 1]) / far;
        out.swing[0] = (sup_fourier_element){ .amplitude = (task->rate - u[0]) / (near - far), .growth = -far };
        p[0] = -out.swing[0].amplitude;
        for (int i = 0; i + 1 < SUP_CLOSED_POWERS; ++i) p[i + 1] = (u[i] - (on ? 0 : near) * p[i]) / (i + 1);
    } else {
        p[1] = task->rate;
        for (int i = 0; i + 2 < SUP_CLOSED_POWERS; ++i)
            p[i + 2] = (f[i] - eta * (i + 1) * p[i + 1] - h * p[i]) / ((i + 2.0) * (i + 1));
    }
    return out;
}

/// The path of least force from one example to the next (solve/curves/least_force.h): shares of both and of the speeds at them
/// are made of e^(-at), t e^(-at) and the same from the other end.
void sup_closed_fading(double a, double span, sup_closed_form out[4])
{
    double x = a * span, e = sup_exp(-x);
    // Values and slopes at both ends of the four, and what they shall be.
    double m[4][8] = { { 1, 0, e, 0, 1, 0, 0, 0 },
                       { e, e, 1, 1, 0, 1, 0, 0 },
                       { -x, 1, x * e, e, 0, 0, span, 0 },
                       { -x * e, e - x * e, x, 1 + x, 0, 0, 0, span } };
    for (int k = 0; k < 4; ++k) {
        int best = k;
        for (int i = k + 1; i < 4; ++i)
            if (fabs(m[i][k]) > fabs(m[best][k])) best = i;
        for (int j = 0; j < 8; ++j) {
            double swap = m[k][j];
            m[k][j] = m[best][j], m[best][j] = swap;
        }
        for (int i = 0; i < 4; ++i) {
            double f = i == k ? 0 : m[i][k] / m[k][k];
            for (int j = k; j < 8; ++j) m[i][j] -= f * m[k][j];
        }
    }
    for (int k = 0; k < 4; ++k) {
        out[k] = (sup_closed_form){ .powers = { 0 } };
        for (int i = 0; i < 4; ++i)
            out[k].swing[i] = (sup_fourier_element){
                .amplitude = m[i][4 + k] / m[i][i], .power = i % 2, .growth = i < 2 ? -x : x, .from = i < 2 ? 0 : 1
            };
    }
}

static void add_swing(sup_closed_form* to, double scale, const sup_fourier_element* e)
{
    for (int i = 0; i < SUP_CLOSED_SWINGS; ++i) {
        sup_fourier_element* x = &to->swing[i];
        bool                 same = x->power == e->power && x->growth == e->growth && x->from == e->from && x->wave == e->wave;
        if (x->amplitude != 0 && !same) continue;
        if (e->wave == 0) {
            double amplitude = x->amplitude + scale * e->amplitude;
            *x = *e;
            x->amplitude = amplitude;
            return;
        }
        double c = x->amplitude * sup_cos(x->phase) + scale * e->amplitude * sup_cos(e->phase);
        double s = x->amplitude * sup_sin(x->phase) + scale * e->amplitude * sup_sin(e->phase);
        *x = *e;
        x->amplitude = sqrt(c * c + s * s);
        x->phase = sup_atan2(s, c);
        return;
    }
    SUP_ASSERT(false);
}

void sup_closed_add(sup_closed_form* to, double scale, const sup_closed_form* form)
{
    for (int i = 0; i < SUP_CLOSED_POWERS; ++i) to->powers[i] += scale * form->powers[i];
    for (int i = 0; i < SUP_CLOSED_SWINGS; ++i)
        if (form->swing[i].amplitude != 0) add_swing(to, scale, &form->swing[i]);
}

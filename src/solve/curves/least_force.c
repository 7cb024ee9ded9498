#include "solve/curves/least_force.h"

#include "math/trig.h"

/// Below this a d the spring pulls nothing in the time given: the cubic differs by 1e-5, and the formulas would cancel.
#define SOFT 0.02

double sup_least_force_alike(double x) { return (1 + x) * sup_exp(-x); }

// Speeds are counted in a (u = y'/a), so that all variances are 1. For values and speeds at s and t, d = a (t - s) >= 0:
//   cov(y, y) = (1 + d) e^-d    cov(y_s, u_t) = -d e^-d    cov(u_s, y_t) = d e^-d    cov(u, u) = (1 - d) e^-d
void sup_least_force_speed(double a, double gap_before, double gap_behind, double share[3])
{
    double before = a * gap_before, behind = a * gap_behind;
    share[0] = share[1] = share[2] = 0;
    if (before + behind < SOFT) {
        share[gap_before > 0 ? 0 : 1] = -1 / (gap_before + gap_behind);
        share[gap_behind > 0 ? 2 : 1] = 1 / (gap_before + gap_behind);
        return;
    }
    if (gap_before > 0 && gap_behind > 0) {
        double k1 = sup_least_force_alike(before), k2 = sup_least_force_alike(behind),
               k = sup_least_force_alike(before + behind);
        double b1 = -before * sup_exp(-before), b2 = behind * sup_exp(-behind);
        // The middle value taken out: [1 - k1^2, k - k1 k2; ., 1 - k2^2] (share 0, share 2) = (b1, b2)
        double p = 1 - k1 * k1, q = k - k1 * k2, r = 1 - k2 * k2, determinant = p * r - q * q;
        share[0] = a * (r * b1 - q * b2) / determinant;
        share[2] = a * (p * b2 - q * b1) / determinant;
        share[1] = -k1 * share[0] - k2 * share[2];
        return;
    }
    double d = before + behind, k = sup_least_force_alike(d), s = a * d * sup_exp(-d) / (1 - k * k);
    if (gap_behind > 0) share[2] = s, share[1] = -k * s;
    else share[0] = -s, share[1] = k * s;
}

void sup_least_force_path(double a, double span, double t, double share[4])
{
    double x = a * span, s = a * t, z = x - s;
    if (x < SOFT) {
        double r = t / span;
        share[1] = r * r * (3 - 2 * r), share[0] = 1 - share[1];
        share[2] = span * r * (1 - r) * (1 - r), share[3] = span * r * r * (r - 1);
        return;
    }
    double e = sup_exp(-x), es = sup_exp(-s), ez = sup_exp(-z), k = (1 + x) * e, c = x * e, v = (1 - x) * e;
    // Sum and difference of both ends are independent: two systems of two unknowns instead of one of four.
    double p = 1 + k, r = 1 - v, value = (1 + s) * es + (1 + z) * ez, speed = s * es + z * ez, d = p * r - c * c;
    double even = 0.5 * (r * value - c * speed) / d, even_speed = 0.5 * (p * speed - c * value) / d;
    p = 1 - k, r = 1 + v, value = (1 + s) * es - (1 + z) * ez, speed = s * es - z * ez, d = p * r - c * c;
    double odd = 0.5 * (r * value + c * speed) / d, odd_speed = 0.5 * (p * speed + c * value) / d;
    share[0] = even + odd;
    share[1] = even - odd;
    share[2] = (even_speed + odd_speed) / a;
    share[3] = (odd_speed - even_speed) / a;
}

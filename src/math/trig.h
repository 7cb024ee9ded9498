/// math/trig.h: sine, cosine, exponential, logarithm and arc cosine of our own. libm differs between machines in the last bit, and a
/// simulation feeds that bit back. Errors are stated in trig.c and held by tests.
#ifndef SUP_MATH_TRIG_H
#define SUP_MATH_TRIG_H

double sup_sin(double x);
double sup_cos(double x);
double sup_exp(double x);
double sup_log2(double x); ///< x > 0
double sup_acos(double x); ///< clamped to [-1, 1]
double sup_atan2(double y, double x);

#endif

/// math/trig.h: our own sine, cosine, exponential, logarithm and arc cosine. libm differs between machines in the last bit, and
/// a simulation feeds that bit back. Error bounds are in trig.c and tested.
#ifndef SUP_MATH_TRIG_H
#define SUP_MATH_TRIG_H

#define SUP_PI 0x1.921fb54442d18p+1  ///< 3.14159265358979323846, to the last bit of a double
#define SUP_RADIANS (SUP_PI / 180.0) ///< of a degree

double sup_sin(double x);
double sup_cos(double x);
double sup_exp(double x);
double sup_log2(double x); ///< x > 0
double sup_acos(double x); ///< clamped to [-1, 1]
double sup_atan2(double y, double x);

#endif

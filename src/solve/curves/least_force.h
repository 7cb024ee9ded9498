/// solve/curves/least_force.h: through given values with the least force.
///
/// A critically damped spring that is held at 0, y'' + 2 a y' + a^2 y = f, has to pass given values at given times. Of all
/// paths that do, this is the one with the least integral of f^2: continuous in speed, between two values made of e^(+-at) and
/// t e^(+-at). Between values that lie far apart (a d large) it falls back to 0; as a goes to 0 it becomes the cubic spline. It
/// is also the most likely path of a spring that is moved by noise, whose values d apart are alike by (1 + a d) e^(-a d): so a
/// can be read off the values themselves.
#ifndef SUP_SOLVE_CURVES_LEAST_FORCE_H
#define SUP_SOLVE_CURVES_LEAST_FORCE_H

#include <stdint.h>

/// (1 + x) e^-x, x = a d >= 0.
double sup_least_force_alike(double x);

/// Speed at a value: share[0] of the value before, share[1] of itself, share[2] of the one behind. A gap of 0: there is none
/// (not both). a > 0.
void sup_least_force_speed(double a, double gap_before, double gap_behind, double share[3]);

/// The path between two values `span` apart, at t from 0 to span: shares of the first and the last value, and of the speeds
/// there.
void sup_least_force_path(double a, double span, double t, double share[4]);

#endif

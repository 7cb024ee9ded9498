/// solve/plate/bend_curve.h: static bending of one curve with the stiffness of the skin beside it (You et al., corrected).
///
///     EI X'''' = q                         v in 0..1, EI and X' by v
/// A curve of physical length l under newtons: take EI / l^4 for EI and P / l for a point force P, so X = P l^3 / EI x
/// response. Open curves are clamped at both ends. A closed curve without support cannot carry a net force:
///     BALANCED    the mean of the load is dropped: X = -Q B4({v - a}) / (24 EI)
///     FOUNDATION  springs sigma hold it: coefficients c_n / (sigma + EI (2 pi n)^4), mean c_0 / sigma
///     PAPER       the printed polynomial, which hides a reaction at the seam v = 0; to compare with
#ifndef SUP_SOLVE_PLATE_BEND_CURVE_H
#define SUP_SOLVE_PLATE_BEND_CURVE_H

#include "supple/base.h"

typedef enum sup_bend_closing { SUP_BEND_BALANCED, SUP_BEND_FOUNDATION, SUP_BEND_PAPER } sup_bend_closing;

/// Second moment of the strip that a curve stands for: (b0 + b1) h^3 / (24 (1 - nu^2)), b the distances to the curves on both
/// sides; 0 where there is none.
double sup_bend_inertia(double width_before, double width_after, double thickness, double poisson);

/// EI X(v) for a unit force at a, 0 <= a <= 1, or spread evenly from begin to end (equal: at begin). Symmetric in v and a.
double sup_bend_open(double v, double begin, double end);
/// Likewise on a closed curve; BALANCED and PAPER.
double sup_bend_closed(sup_bend_closing closing, double v, double begin, double end);
/// On a foundation, exactly: images of the infinite beam, summed.
double sup_bend_foundation(double stiffness, double sigma, double v, double at);

/// Fourier coefficients of a unit force on a closed curve: 1 + sum of c cos 2 pi n v + s sin 2 pi n v.
void sup_bend_closed_terms(double begin, double end, uint32_t n, double* c, double* s);
/// EI X(v) of a clamped curve under the load sin n pi v.
double sup_bend_open_sine(uint32_t n, double v);

// ---------------------------------------------------------------------------------------------- equivalent forces

/// Forces on a clamped curve that bend it as the surface above it bends: least squares over the nodes v = j / N of given
/// deflections x[0 .. N] (zero at both ends).
enum { SUP_BEND_SINES_MAX = 12 }; ///< the basis is nearly dependent beyond (condition 1.8e5 at 30)

/// One force at `at`: returns p / EI = <g, x> / <g, g>; fitted (or NULL) gets p g.
double sup_bend_fit_point(const double* x, uint32_t intervals, double at, double* fitted);
/// A load of sines: loads[0 .. terms - 1] over EI by QR. Fewer terms where there are fewer nodes; returns how many.
uint32_t sup_bend_fit_sines(const double* x, uint32_t intervals, uint32_t terms, double* loads, double* fitted);

#endif

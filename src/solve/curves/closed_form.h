/// solve/curves/closed_form.h: motions as sums of few functions of t, for files that are played without this library.
///
/// y'' + eta y' + h y = polynomial has the solution polynomial + t^p e^(gt) cos(wt - phase), and so has a spring's path of
/// least force (solve/curves/least_force.h). Written down carelessly it cancels where roots are slow or meet; here it does not:
/// at t from 0 to 1 it agrees with solve/curves/oscillator.h to 1e-9.
#ifndef SUP_SOLVE_CURVES_CLOSED_FORM_H
#define SUP_SOLVE_CURVES_CLOSED_FORM_H

#include "solve/curves/fourier_series.h"

enum { SUP_CLOSED_DERIVATIVES = 6, SUP_CLOSED_POWERS = 16, SUP_CLOSED_SWINGS = 4 };

/// From y = 0: the rate there, the force and its derivatives.
typedef struct sup_closed_task {
    double rate, force[SUP_CLOSED_DERIVATIVES];
} sup_closed_task;

/// Sum of powers[i] t^i and of the swings.
typedef struct sup_closed_form {
    double              powers[SUP_CLOSED_POWERS];
    sup_fourier_element swing[SUP_CLOSED_SWINGS];
} sup_closed_form;

/// to += scale x form. Swings of one kind become one; at most four kinds may come together.
void sup_closed_add(sup_closed_form* to, double scale, const sup_closed_form* form);

/// For t from 0 to 1; `on`: for any t >= 0, and then of the force only the value counts. eta, h >= 0.
sup_closed_form sup_closed_solve(double eta, double h, const sup_closed_task* task, bool on);

/// The path of least force between two values `span` apart, over t from 0 to 1: shares of both, and of the speeds there.
void sup_closed_fading(double a, double span, sup_closed_form out[4]);

#endif

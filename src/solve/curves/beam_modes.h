/// solve/curves/beam_modes.h: a clamped beam on N intervals (Chaudhry et al. 2014, corrected): its matrix, its modes, its lift,
/// and the paper's own time steps.
///
///     a1 q_vvvv + a3 q_t + a2 q_tt = f(v, t),     nodes v_n = n / N, unknowns n = 1 .. N - 1
///     A = N^4 pentadiagonal(1, -4, 6, -4, 1), 7 instead of 6 in both corners: position and slope are given at the ends
///     A = V diag(lambda) V^T
#ifndef SUP_SOLVE_CURVES_BEAM_MODES_H
#define SUP_SOLVE_CURVES_BEAM_MODES_H

#include "math/wide.h"
#include "solve/curves/oscillator.h"
#include "supple/base.h"

enum { SUP_BEAM_INTERVALS_MIN = 3, SUP_BEAM_INTERVALS_MAX = 256 };

typedef struct sup_beam_modes {
    uint32_t      intervals; ///< N
    uint32_t      count;     ///< N - 1
    const double* lambda;    ///< rising
    const double* vectors;   ///< [inner node][mode], orthonormal columns, first component positive
} sup_beam_modes;

/// Fails for memory only; 3 <= N <= 256.
sup_result sup_beam_modes_create(uint32_t intervals, sup_arena* arena, sup_beam_modes* out, sup_error* error);

/// Positions and slopes (by v) at both ends: what the surroundings prescribe.
typedef struct sup_beam_ends {
    double d0, s0, d1, s1;
} sup_beam_ends;

/// Slopes by differences of the nodes next to the ends. values has N + 1.
sup_beam_ends sup_beam_ends_of(const double* values, uint32_t intervals, uint32_t stride);
/// The shape that an unloaded beam takes between such ends, -A^-1 g: a cubic in v = n / N.
double sup_beam_lift(const sup_beam_ends* ends, uint32_t intervals, uint32_t node);

// ---------------------------------------------------------------------------------------------- the paper's steps

typedef enum sup_beam_scheme { SUP_BEAM_PAPER, SUP_BEAM_NEWMARK } sup_beam_scheme;

/// a1 A + shift I = L D L^T, banded.
typedef struct sup_beam_factor {
    uint32_t count;
    double * d, *l1, *l2; ///< d[i], l1[i] for row i and i - 1, l2[i] for row i and i - 2; d is stored as 1 / d
} sup_beam_factor;

sup_result sup_beam_factor_create(uint32_t intervals, double a1, double shift, sup_arena* arena, sup_beam_factor* out,
                                  sup_error* error);
/// In place, for `columns` right-hand sides side by side: x[row][column], rows `stride` apart.
SUP_WIDE_DECLARE(void, sup_beam_solve, (const sup_beam_factor* factor, double* x, uint32_t columns, uint32_t stride));

/// The run from rest over M frames: load[row][column] is f - a1 g, each frame takes ramp(m / M) of it.
typedef struct sup_beam_run {
    uint32_t        intervals, frames, columns, stride; ///< stride >= columns
    double          a1, a2, a3;
    sup_ramp        ramp;
    sup_beam_scheme scheme;
    const double*   load;  ///< [N - 1][stride]
    double*         q;     ///< [frames + 1][N - 1][stride]: frame 0 is zero
    double*         spare; ///< NEWMARK: 2 (N - 1) stride; PAPER: NULL
} sup_beam_run;

/// Unconditionally stable. PAPER: first order in time with damping of its own; NEWMARK: (1/4, 1/2), second order.
/// Fails for memory, and where a1 = a2 = a3 = 0.
sup_result sup_beam_run_all(const sup_beam_run* run, sup_arena* arena, sup_error* error);

/// What the run makes of one mode of eigenvalue lambda under a unit load: phi[0 .. M]. The load that leads to a target is
/// its modal parts divided by phi[M].
void sup_beam_scalar_run(const sup_beam_run* run, double lambda, double* phi);

#endif

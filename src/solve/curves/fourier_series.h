/// solve/curves/fourier_series.h: displacements along a curve as a sum of a few functions of v in 0..1, each of which swings by
/// itself.
///
///     CLOSED      1, cos 2 pi n v, sin 2 pi n v         n = 1 .. N
///     LINE        1 - v, v, sin pi n v                  n = 1 .. 2N: both ends exact, a period of 1 would halve their gap
///     TANGENT     1 - h01, h01, h10, h11, sin pi n v    as LINE, and the slopes at both ends exact
///     FREE        1, sin (n - 1/2) pi v                 n = 1 .. 2N: the first end is held, the other free (a string)
///     CANTILEVER  1, clamped-free eigenfunctions        likewise for a bending strip
///
/// Every function has a wave number k: a force h = sigma + beta k^p pulls it back, p the order of the equation. The functions
/// that carry the ends are *held*: they go with the examples and do not swing.
#ifndef SUP_SOLVE_CURVES_FOURIER_SERIES_H
#define SUP_SOLVE_CURVES_FOURIER_SERIES_H

#include "supple/base.h"

typedef enum sup_fourier_kind {
    SUP_FOURIER_CLOSED,
    SUP_FOURIER_LINE,
    SUP_FOURIER_TANGENT,
    SUP_FOURIER_FREE,
    SUP_FOURIER_CANTILEVER,
} sup_fourier_kind;

enum { SUP_FOURIER_TERMS_MAX = 64, SUP_FOURIER_FUNCTIONS_MAX = 2 * SUP_FOURIER_TERMS_MAX + 4 };

uint32_t sup_fourier_count(sup_fourier_kind kind, uint32_t terms); ///< functions for N terms
uint32_t sup_fourier_held(sup_fourier_kind kind);                  ///< how many of the first ones are held
double   sup_fourier_wave(sup_fourier_kind kind, uint32_t function);
void     sup_fourier_values(sup_fourier_kind kind, uint32_t terms, double v, double* out);

/// Every function is a sum of amplitude v^power exp(growth (v - from)) cos(wave v - phase): what a player needs to know.
typedef struct sup_fourier_element {
    double amplitude, power, growth, from, wave, phase;
} sup_fourier_element;
enum { SUP_FOURIER_ELEMENTS_MAX = 4 };
uint32_t sup_fourier_elements(sup_fourier_kind kind, uint32_t function, sup_fourier_element out[SUP_FOURIER_ELEMENTS_MAX]);

/// N lowered until samples at v (rising, 0 to 1; a closed curve's last one below 1) are enough and near enough for it:
/// min(N, (J - 1) / 2, 1 / largest gap).
uint32_t sup_fourier_terms(sup_fourier_kind kind, uint32_t terms, const double* v, uint32_t count);
/// Half the lengths beside every sample: dense samples do not count more than the stretch they stand for.
void sup_fourier_weights(sup_fourier_kind kind, const double* v, uint32_t count, double* weights);
/// That N, lowered further where samples stand in clusters and so tell fewer functions apart than there are samples: ten pairs
/// of neighbors are ten places. The largest N at which noise in the samples grows no more than in a fit of condition 8: the
/// trace of the inverse Gram matrix exceeds that of even samples by at most 64.
sup_result sup_fourier_limit(sup_fourier_kind kind, uint32_t terms, const double* v, const double* weights, uint32_t count,
                             sup_arena* arena, uint32_t* out, sup_error* error);

/// Least squares with one QR for all columns: samples[j][column] at v[j], weights by length or NULL. Ends of open curves are
/// taken from the first and last sample. coefficients[function][column]. terms as sup_fourier_terms allows. Returns the largest
/// ratio of the diagonal of R, a bound from below on the condition; or fails when memory runs out.
sup_result sup_fourier_fit(sup_fourier_kind kind, uint32_t terms, const double* v, const double* weights, uint32_t count,
                           const double* samples, uint32_t columns, sup_arena* arena, double* coefficients, double* condition,
                           sup_error* error);

/// Share of a force between begin and end (equal: at that place) in every function: mean of the function there over its norm.
void sup_fourier_force(sup_fourier_kind kind, uint32_t terms, double begin, double end, double* shares);

#endif

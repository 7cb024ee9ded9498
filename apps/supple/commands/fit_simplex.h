/// fit_simplex.h: the lowest value of a function of a few numbers from 0 to 1, without derivatives.
#ifndef SUPPLE_APP_FIT_SIMPLEX_H
#define SUPPLE_APP_FIT_SIMPLEX_H

#include <stdbool.h>
#include <stdint.h>

#define SIMPLEX_MAX 12 ///< dimensions

typedef struct simplex_job {
    uint32_t count;
    /// The value at x. False stops the search.
    bool (*value)(void* user, const double* x, double* out);
    void*    user;
    uint32_t evaluations_max;
    double   step;      ///< of the first simplex, in each direction
    double   tolerance; ///< done when the simplex is this small in every direction, or its values differ by this share
} simplex_job;

/// Nelder & Mead (1965) inside the unit box: points outside are clamped to its walls. `x` is the start and becomes the best
/// point seen. Returns the number of evaluations, 0 if the function stopped the search.
uint32_t simplex_search(const simplex_job* job, double* x, double* best);

#endif

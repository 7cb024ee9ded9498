/// solve/skinning/diffusion.h: weights spread over a graph of particles, eight joints at a time.
#ifndef SUP_SOLVE_SKINNING_DIFFUSION_H
#define SUP_SOLVE_SKINNING_DIFFUSION_H

#include "math/wide.h"
#include "supple/base.h"

#include <stddef.h>

/// (L + H) w = H p: L the graph's Laplacian, H diagonal and positive. Symmetric and positive definite; w lies between the
/// least and the greatest of p.
typedef struct sup_diffusion {
    uint32_t        count;
    const uint32_t* link_begin; ///< count + 1
    const uint32_t* links;
    const float*    screen;    ///< H; unused by sup_diffusion_average
    float           tolerance; ///< residual over right side at which a lane is done; 0: 1e-6
    const float*    rates;     ///< sup_diffusion_average: of each link; they sum to 1 for each particle
} sup_diffusion;

/// Floats of work memory.
static inline size_t sup_diffusion_work(uint32_t count) { return (size_t)count * SUP_LANES * 4; }

/// The progress of a solve, so that it can pause between iterations to report. Zero-initialize.
typedef struct sup_diffusion_run {
    uint32_t iterations;
    bool     begun, ended;
    bool     done[SUP_LANES];
    double   rz[SUP_LANES], bb[SUP_LANES];
} sup_diffusion_run;

/// Iterations that take some tenths of a second.
static inline uint32_t sup_diffusion_some(uint32_t count) { return 2 + 1000000 / (count + 1); }

/// Runs up to `most` more iterations of sup_diffusion_solve: the same bits in one call or in many. w and work persist between
/// calls.
SUP_WIDE_DECLARE(void, sup_diffusion_go_on,
                 (const sup_diffusion* d, sup_diffusion_run* run, uint32_t most, float* w, float* work));
/// sup_diffusion_solve in several portions, each followed by a report of `share`. False: cancelled.
bool sup_diffusion_solve_asking(const sup_diffusion* d, float* w, float* work, const sup_progress* progress, double share,
                                const char* what);
/// Conjugate gradients with a diagonal preconditioner, until every lane's residual is `tolerance` of its right-hand side. w is
/// count x 8 floats, p on entry. Returns the number of iterations.
SUP_WIDE_DECLARE(uint32_t, sup_diffusion_solve, (const sup_diffusion* d, float* w, float* work));
/// Repeats `steps` times: every particle takes the mean over its links, weighted by their rates.
SUP_WIDE_DECLARE(void, sup_diffusion_average, (const sup_diffusion* d, uint32_t steps, float* w, float* work));

#endif

/// solve/diffusion.h: weights spread over a graph of particles, eight joints at a time.
#ifndef SUP_SOLVE_DIFFUSION_H
#define SUP_SOLVE_DIFFUSION_H

#include "math/wide.h"
#include "supple/base.h"

#include <stddef.h>

/// (L + H) w = H p: L the graph's Laplacian, H diagonal and positive. Symmetric and positive definite; w lies between the
/// least and the greatest of p.
typedef struct sup_diffusion {
    uint32_t        count;
    const uint32_t* link_begin; ///< count + 1
    const uint32_t* links;
    const float*    screen; ///< H; unused by sup_diffusion_average
    float           tolerance; ///< residual over right side at which a lane is done; 0: 1e-6
    const float*    rates;  ///< sup_diffusion_average: of each link, summing to 1 over those of a particle
} sup_diffusion;

/// Floats of work memory.
static inline size_t sup_diffusion_work(uint32_t count) { return (size_t)count * SUP_LANES * 4; }

/// Conjugate gradients with the diagonal as preconditioner until every lane's residual is `tolerance` of its right side. w is
/// count x 8 floats, p on entry. Returns the number of iterations.
SUP_WIDE_DECLARE(uint32_t, sup_diffusion_solve, (const sup_diffusion* d, float* w, float* work));
/// `steps` times: every particle takes the mean over its links by their rates.
SUP_WIDE_DECLARE(void, sup_diffusion_average, (const sup_diffusion* d, uint32_t steps, float* w, float* work));

#endif

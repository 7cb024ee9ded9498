/// solve/lattice/regions.h: shape matching over the overlapping boxes of a lattice (Rivers and James 2007), eight particles at
/// a time.
///
/// Region r is the box of particles that can be reached from particle r by at most w steps along z, then y, then x. Every
/// region finds the rigid motion that best maps its reference y to x; the goal of a particle is the mean of its regions'
/// motions. Sums over boxes are three passes along lines, so they cost the same for any box that is not tiny.
///
/// Everything is expressed as displacement d = x - y: a lattice that is at its reference then has a goal displacement of
/// exactly 0, whatever the rounding of the sums.
///   mt = m / n,  n = regions of a particle       M = sum mt,  dbar = sum mt d / M,  c0 = sum mt y / M
///   A = sum mt d y^T - M dbar c0^T + sum mt y y^T - M c0 c0^T + moment R_before        R = the rotation nearest to A
///   goal displacement of i = (1/n_i) sum over its regions of (R - 1) (y_i - c0) + dbar
#ifndef SUP_SOLVE_LATTICE_REGIONS_H
#define SUP_SOLVE_LATTICE_REGIONS_H

#include "geom/volume/voxels.h"
#include "math/wide.h"

#include <stddef.h>

enum {
    REGIONS_RECORD = 24, ///< floats summed over boxes: d y^T, y y^T, d, y; padded to whole vectors
    REGIONS_GOAL = 16,   ///< floats summed back: R - 1, translation
    REGIONS_REACH_MAX = 4,
};

/// Particles in *slots*: the lattice's order, split into chunks that no line along x or y leaves, padded to multiples of eight.
/// So two of the three passes stay inside a chunk, and any thread can take a chunk.
typedef struct sup_regions {
    uint32_t        count;          ///< slots, padding included
    uint32_t        particle_count; ///< of the lattice
    const uint32_t* slots;          ///< of each particle
    const uint32_t* particles;      ///< of each slot; SUP_NONE: padding
    uint32_t        chunk_count;
    const uint32_t* chunks; ///< chunk_count + 1 slots, multiples of 8

    uint32_t        width;          ///< 2 w + 1
    const uint32_t* near[3];        ///< per slot `width` slots along x, y, z, including itself; `count`: none (zeros)
    uint32_t        more_counts[3]; ///< where lines branch around a split corner: neighbors beyond `width`
    const uint32_t* more[3];        ///< pairs of slot and neighbor, slots ascending

    const float* mass;   ///< mt; 0 for padding
    const float* shares; ///< 1 / n
    const float* units;  ///< 1 / M of the region around the slot
    const float* moment; ///< keeps the fit of flat and line-like regions unique: 1e-3 cell^2 of rotational inertia
} sup_regions;

/// mass: per particle, positive.
sup_result sup_regions_create(const sup_voxels* voxels, uint32_t reach, const float* mass, sup_arena* arena, sup_regions* out,
                              sup_error* error);

/// One matching. All planes are `count` floats; buffers are 64-byte aligned.
typedef struct sup_regions_job {
    const sup_regions* regions;
    const float*       y[3]; ///< reference; keep the origin near the body: its squares are summed
    const float*       d[3]; ///< displacement of x from it
    float*             q[4]; ///< rotation of each region, x y z w: warm start and result
    float*             goal[3];
    float *            one, *two; ///< (count + 1) x REGIONS_RECORD
    float*             back;      ///< (count + 1) x REGIONS_GOAL
} sup_regions_job;

/// Floats of one, two and back together.
static inline size_t sup_regions_work(const sup_regions* r)
{
    return ((size_t)r->count + 1) * (2 * REGIONS_RECORD + REGIONS_GOAL);
}
/// Divides the work memory and clears the records of empty places.
void sup_regions_place(sup_regions_job* job, float* work);

/// The three stages of a matching, in this order, each finished before the next: sums of chunks, fits of slots (begin and end
/// multiples of 8), goals of chunks. Fit returns how many regions had a cold start.
SUP_WIDE_DECLARE(void, sup_regions_sum, (const sup_regions_job* job, uint32_t chunk));
SUP_WIDE_DECLARE(uint32_t, sup_regions_fit, (const sup_regions_job* job, uint32_t begin, uint32_t end));
SUP_WIDE_DECLARE(void, sup_regions_goal, (const sup_regions_job* job, uint32_t chunk));

#endif

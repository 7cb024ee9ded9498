/// solve/particles/subvolumes_internal.h: the types of a set of sub-volumes, for the files that create and run it.
#ifndef SUP_SOLVE_PARTICLES_SUBVOLUMES_INTERNAL_H
#define SUP_SOLVE_PARTICLES_SUBVOLUMES_INTERNAL_H

#include "math/wide.h"
#include "solve/particles/subvolumes.h"

/// A corner of a fan: either a center that rides on joints, or the mean of points of the part.
typedef struct subvolume_extra {
    uint32_t center;     // SUP_NONE: the mean of `members`
    uint32_t begin, end; // into members: local points
    uint32_t path_begin, path_end; // into extra_paths: its fan, as below
} subvolume_extra;

/// A part's points are stored in blocks of eight lanes; the last block is padded with the first point, which has no share
/// there. Local corners: points, padding, extras.
typedef struct subvolume_part {
    uint32_t point_count, block_begin, block_count; // local point k is points[8 block_begin + k]
    uint32_t extra_begin, extra_count;              // local corner 8 block_count + k is extras[extra_begin + k]
    uint32_t triangle_begin, triangle_end;
    uint32_t work; // first vector of its range of scratch: places, gradients of blocks (rows of x, y, z, share), of extras
    double   rest; // volume
    bool     idle; // it has no volume to keep
} subvolume_part;

/// The fan of a corner a is a path of corners p0, p1 ...: its triangles are a, p0, p1, then a, p1, p2 and so on. Between two
/// fans the path contains a itself, whose triangles have no area. So every corner is read once instead of twice, and a lane
/// that has run out is padded with a.
struct sup_subvolumes {
    const sup_volumes*     volumes;
    uint32_t               part_count, flat_count;
    bool                   inside_out;
    const subvolume_part*  parts;
    const uint32_t*        points;
    const uint32_t*        path_begin; // per block + 1: rows of eight local corners
    const uint32_t*        paths;
    const uint32_t*        extra_paths;
    const subvolume_extra* extras;
    const uint32_t*        members;
    uint32_t               color_count;
    const uint32_t*        color_begin; // into color_parts
    const uint32_t*        color_parts;
    uint32_t               work_count; // vectors of scratch
};

/// The centers that ride on joints: positions and velocities.
typedef struct subvolume_center {
    sup_vec3 at, velocity;
} subvolume_center;

/// The vectors of one part.
typedef struct subvolume_workspace {
    sup_vec4 *places, *gradients, *extra_gradients;
} subvolume_workspace;

static inline subvolume_workspace subvolume_workspace_of(const subvolume_part* part, sup_vec4* work)
{
    sup_vec4* places = work + part->work;
    sup_vec4* gradients = places + 8 * (size_t)part->block_count + part->extra_count;
    return (subvolume_workspace){ places, gradients, gradients + 8 * (size_t)part->block_count };
}

/// Fills the places and gradients of a part and returns its volume. Gradients of means are passed on to their members. Shares
/// are inverse mass x weight (NULL: 1).
double sup_subvolume_measure(const sup_subvolumes* s, const subvolume_part* part, const sup_vec4* x, const float* weights,
                             const subvolume_center* centers, sup_vec4* work);

// ---------------------------------------------------------------------------------------------- kernels

/// Gradients of all blocks; returns the sum of gradient . place.
SUP_WIDE_DECLARE(double, sup_subvolume_slopes,
                 (const sup_subvolumes* s, const subvolume_part* part, const subvolume_workspace* workspace));
/// Sum of share |gradient|^2, and the largest share^2 |gradient|^2.
SUP_WIDE_DECLARE(double, sup_subvolume_stiffness,
                 (const subvolume_part* part, const subvolume_workspace* workspace, float* largest));
/// Sum of gradient . v.
SUP_WIDE_DECLARE(double, sup_subvolume_flux,
                 (const sup_subvolumes* s, const subvolume_part* part, const subvolume_workspace* workspace,
                  const sup_vec4* v));
/// x += scale share gradient
SUP_WIDE_DECLARE(void, sup_subvolume_move,
                 (const sup_subvolumes* s, const subvolume_part* part, const subvolume_workspace* workspace, float scale,
                  sup_vec4* x));

#endif

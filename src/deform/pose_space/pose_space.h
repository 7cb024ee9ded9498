/// deform/pose_space/pose_space.h: memory layout of corrections over pose, shared by pose_space.c (binds and runs),
/// pose_space_fit.c (solves) and pose_space_wide.c (sums).
///
/// Poses at which the skin is known are *centers*: the bind pose and the examples. A *row* is one joint's squared distance to
/// every center; the last row is their sum over all joints. A point weighs the rows by how near the joints are to it.
#ifndef SUP_DEFORM_POSE_SPACE_H
#define SUP_DEFORM_POSE_SPACE_H

#include "math/wide.h"
#include "supple/base.h"

typedef enum pose_kernel { POSE_KERNEL_MULTIQUADRIC, POSE_KERNEL_LINEAR, POSE_KERNEL_GAUSSIAN } pose_kernel;

/// Eight points: the rows they read, and where their numbers begin. `data` holds, in lanes of eight: a weight for each row, the
/// kernel's width (s^2; Gaussian: 1 / s^2), the constant (x y z), then x y z for each center.
typedef struct pose_block {
    uint32_t row_begin, row_count;
    size_t   data;
} pose_block;

/// Corrections of the points that have one, in an order of their own.
typedef struct pose_field {
    pose_kernel       kernel;
    uint32_t          center_count;
    uint32_t          block_count;
    const pose_block* blocks;
    const uint32_t*   rows;
    const float*      data;
} pose_field;

/// The floats of a block: see above.
static inline size_t pose_block_size(uint32_t row_count, uint32_t center_count)
{
    return ((size_t)row_count + 4 + 3 * (size_t)center_count) * SUP_LANES;
}

/// correction = constant + sum over centers k of coefficient_k phi(d_k), d_k^2 = sum over rows of weight x distances[row][k].
/// `out` has room for eight points a block.
SUP_WIDE_DECLARE(void, sup_pose_field_sum,
                 (const pose_field* field, const float* distances, uint32_t begin, uint32_t end, sup_vec3* out));

/// The input for solving the points of a field.
typedef struct pose_fit {
    pose_kernel            kernel;
    double                 radius; ///< of the Gaussian, in spacings of the centers
    uint32_t               center_count, row_count;
    const float*           between; ///< squared distances: for each center a table of row_count x center_count
    uint32_t               point_count;
    const uint32_t*        points;       ///< in the field's order
    const uint32_t*        weight_begin; ///< per entry of `points`, plus one
    const uint32_t*        weight_rows;  ///< rising
    const float*           weights;
    const sup_vec3* const* shapes; ///< per center: corrections of all points
} pose_fit;

/// Fails when out of memory, and if centers cannot be distinguished: then *culprits are the two nearest ones at the point that
/// failed.
sup_result sup_pose_fit_solve(const pose_fit* fit, const sup_tasks* tasks, sup_arena* arena, pose_field* out,
                              uint32_t culprits[2], sup_error* error);

#endif

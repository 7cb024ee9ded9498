/// solve/skinning/skinning_blocks.h: memory layout of a skin set, shared by skinning.c (builds it) and skinning_wide.c (runs
/// it).
///
/// A *block* is eight points (the last may be fewer: then lanes repeat a point and are not written). Blocks that share their
/// joints follow each other as a *group*. All points of a group have the same dominant joint, so with weights that sum to 1
///
///     sum of w_k X_k  =  X_0 + sum over the others of w_k (X_k - X_0)
///
/// for matrices and dual quaternions X alike: the differences are taken once per group, the dominant weight is never read,
/// and joints that agree give exactly the map they agree on.
#ifndef SUP_SOLVE_SKINNING_SKINNING_BLOCKS_H
#define SUP_SOLVE_SKINNING_SKINNING_BLOCKS_H

#include "math/wide.h"
#include "solve/skinning/skinning.h"

/// Differences stored for one group; groups with more joints take several passes.
#define SKIN_TABLE 16

/// The inputs of a block's points: rest x, y, z, then one row of weights for each other joint; rows of eight lanes.
typedef struct skin_group {
    uint32_t block_begin, block_end;
    uint32_t dominant;
    uint32_t other_begin, other_count; ///< in sup_skin_set.others, ascending
    size_t   data;                     ///< floats: where its first block begins
} skin_group;

typedef struct skin_block {
    uint32_t first; ///< points first ... first + 7 in order, or SUP_NONE: see sup_skin_set.index
    uint32_t lanes; ///< to be written
} skin_block;

/// One joint, prepared for one evaluation. Rows of four as in sup_affine, padded to whole vectors.
typedef struct skin_joint {
    float affine[16];
    float stretch[16]; ///< about the joint's rest center
    float dual[8];     ///< real x y z w, dual x y z w
} skin_joint;

typedef struct skin_job {
    const sup_skin_set*  set;
    const sup_skin_call* call;
    const skin_joint*    joints;
    bool                 stretched; ///< some joint is more than a rotation
    bool                 blended;   ///< linear results are needed besides the dual quaternions
} skin_job;

typedef void skin_kernel(const skin_job* job, uint32_t begin, uint32_t end); ///< blocks begin up to end

struct sup_skin_set {
    uint32_t          point_count, joint_count, group_count, block_count;
    const skin_group* groups;
    const skin_block* blocks;
    const uint32_t*   others;
    const uint32_t*   index; ///< eight points for each block
    const float*      data;
    const sup_vec3*   centers;
    bool              negative; ///< some weight is: only then can dual quaternions cancel
    skin_kernel *     linear, *dualquat;
};

skin_kernel sup_skin_linear_v1, sup_skin_dualquat_v1;
#if defined(__x86_64__)
skin_kernel sup_skin_linear_v3, sup_skin_dualquat_v3;
#endif

#endif

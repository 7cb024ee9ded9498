/// solve/skinning/skinning.h: poses points by their weights, linearly or by dual quaternions, eight at a time.
///
/// A *skin set* is prepared from any points and weights at bind: the mesh's own points for `linear` and `dualquat`, tissue
/// particles for `layers`, lattice corners for `lattice`. Points are sorted by their joints into blocks that share a
/// dominant joint, so a block reads each matrix once and the antipodal sign is one scalar per joint and block.
#ifndef SUP_SOLVE_SKINNING_SKINNING_H
#define SUP_SOLVE_SKINNING_SKINNING_H

#include "math/rotation.h"
#include "supple/base.h"

typedef struct sup_skin_set sup_skin_set;

typedef struct sup_skin_desc {
    uint32_t        point_count;
    const sup_vec3* points; ///< rest
    const uint32_t* begin;  ///< influences of point p: begin[p] up to begin[p + 1]; a point without any stays at rest
    const uint32_t* joints;
    const float*    values; ///< summing to 1: the largest is taken to be what the others leave
    uint32_t        joint_count;
    const sup_vec3* joint_centers; ///< rest position of each joint, about which scaled bones grow (dual quaternions)
    int             wide_level;    ///< 0: the best instruction set of this machine; 1, 3: a specific one (sup_wide_level)
} sup_skin_desc;

/// Copies what it needs into the arena. Fails only when out of memory.
sup_result sup_skin_create(const sup_skin_desc* desc, sup_arena* arena, const sup_skin_set** out, sup_error* error);

/// One evaluation. Zero-initialize, then fill in what is needed.
typedef struct sup_skin_call {
    bool              dualquat;
    const sup_affine* skin;         ///< per joint: rest space to world
    const sup_vec3*   points;       ///< rest points that replace the bound ones (morphs), in point order; NULL: the bound ones
    uint32_t          copies;       ///< shapes with the same weights, one after the other in points and out; 0: one
    float             blend;        ///< dualquat: 0 is linear, 1 dual quaternion
    const float*      blend_points; ///< dualquat: per point instead; NULL: uniform
    const sup_tasks*  tasks;
    void*             scratch;  ///< sup_skin_scratch bytes, 64-byte aligned
    sup_vec3*         out;      ///< in point order
    sup_mat3*         matrices; ///< or NULL: each point's 3x3 (linear part of its map), in point order; the same in all copies
} sup_skin_call;

/// Statistics of dividing the points into blocks.
typedef struct sup_skin_layout {
    uint32_t blocks;    ///< of eight points
    uint32_t groups;    ///< runs of blocks with the same joints
    uint32_t scattered; ///< blocks whose points are not consecutive: written one by one
    double   joints;    ///< mean number of joints that a block reads
    double   filled;    ///< share of lanes that hold a point of their own
} sup_skin_layout;

sup_skin_layout sup_skin_examine(const sup_skin_set* set);

size_t sup_skin_scratch(const sup_skin_set* set);
/// Returns how many joints had no rotation of their own, for the caller to count as fallbacks: a matrix that is not finite
/// counts as the identity, and so does one over 1e15 (dual quaternions only); a zero one (likewise) as a stretch to nothing
/// without rotation. Where negative
/// weights cancel all rotation of a point, its dominant joint alone turns it.
uint32_t sup_skin_evaluate(const sup_skin_set* set, const sup_skin_call* call);

#endif

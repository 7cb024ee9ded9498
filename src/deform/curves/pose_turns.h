/// deform/curves/pose_turns.h: the joints that make up a pose, their rotations, and the distance of two rotations.
#ifndef SUP_DEFORM_CURVES_POSE_TURNS_H
#define SUP_DEFORM_CURVES_POSE_TURNS_H

#include "supple/scene.h"

/// A joint and its rotation relative to its nearest skin ancestor. In a rig with several roots (as `fit` creates them) the
/// other roots rotate relative to the first.
typedef struct pose_joint {
    uint32_t joint, above;
    uint32_t path_begin, path_end; ///< joints below `above`, or from the top, down to the joint
    uint32_t base_begin, base_end; ///< joints from the top down to the first root; none if `above` is an ancestor of the joint
} pose_joint;

/// Every skin joint but the first root, whose rotation is the direction the character faces. `joints` and the paths they index
/// live in the arena.
sup_result sup_turn_joints(const sup_skeleton* skeleton, sup_arena* arena, pose_joint** joints, uint32_t* count,
                           uint32_t** paths, sup_error* error);

/// The joint's rotation relative to the one above. `lost` counts rotations that are zero or NaN: they count as identity.
sup_quat sup_turn_of(const pose_joint* joint, const uint32_t* paths, const sup_pose* pose, uint32_t* lost);

/// (2 sin(angle / 2))^2, the squared distance of two points in a flat space of ten dimensions, which makes the systems of
/// pose_space_fit.c solvable.
double sup_turn_distance2(sup_quat a, sup_quat b);

/// The joint's squared distances to the rotations of all centers, less `beside`; also added to `total`.
void sup_turn_row(const sup_quat* turns, uint32_t center_count, sup_quat turn, double beside, float* row, float* total);

/// The flat subspace that some rotations span: an origin and orthogonal directions.
enum { POSE_PLACE = 10 };
typedef struct pose_hull {
    double   origin[POSE_PLACE];
    double   axes[POSE_PLACE][POSE_PLACE];
    uint32_t axis_count;
} pose_hull;

void sup_hull_span(const sup_quat* turns, uint32_t count, pose_hull* out);
/// Squared distance of a rotation from it.
double sup_hull_beside(const pose_hull* hull, sup_quat turn);

#endif

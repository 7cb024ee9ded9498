/// deform/curves/pose_turns.h: which joints make a pose, how each is turned, and how far apart two turns are.
#ifndef SUP_DEFORM_CURVES_POSE_TURNS_H
#define SUP_DEFORM_CURVES_POSE_TURNS_H

#include "supple/scene.h"

/// A joint whose turn against the next skin joint above it is looked at. In a rig of several roots (as `fit` makes them) the
/// other roots turn against the first.
typedef struct pose_joint {
    uint32_t joint, above;
    uint32_t path_begin, path_end; ///< joints from below `above`, or from the top, down to the joint
    uint32_t base_begin, base_end; ///< joints from the top down to the first root; none where `above` is over the joint
} pose_joint;

/// Every skin joint but the first root: how that one turns is where the character faces. `joints` and the paths they index live
/// in the arena.
sup_result sup_turn_joints(const sup_skeleton* skeleton, sup_arena* arena, pose_joint** joints, uint32_t* count,
                           uint32_t** paths, sup_error* error);

/// How the joint is turned against the one above. `lost` counts where that is zero or not a number: then it is not turned.
sup_quat sup_turn_of(const pose_joint* joint, const uint32_t* paths, const sup_pose* pose, uint32_t* lost);

/// (2 sin(angle / 2))^2. It is the squared distance of two points in a flat space of ten dimensions, which makes the systems
/// of pose_space_fit.c solvable.
double sup_turn_distance2(sup_quat a, sup_quat b);

/// The joint's squared distances to the turns of all centers, less `beside`; they are added to `total` too.
void sup_turn_row(const sup_quat* turns, uint32_t center_count, sup_quat turn, double beside, float* row, float* total);

/// The flat piece of that space which some turns span: an origin and directions across each other.
enum { POSE_PLACE = 10 };
typedef struct pose_hull {
    double   origin[POSE_PLACE];
    double   axes[POSE_PLACE][POSE_PLACE];
    uint32_t axis_count;
} pose_hull;

void sup_hull_span(const sup_quat* turns, uint32_t count, pose_hull* out);
/// Squared distance of a turn from it.
double sup_hull_beside(const pose_hull* hull, sup_quat turn);

#endif

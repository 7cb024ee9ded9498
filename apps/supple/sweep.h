/// sweep.h: how far each joint bends and twists, and the poses that go there.
#ifndef SUPPLE_APP_SWEEP_H
#define SUPPLE_APP_SWEEP_H

#include "supple/scene.h"

enum { SWEEPS_MAX = 3 };

/// One motion of one joint: a turn about an axis, every other joint as in the bind pose.
typedef struct sweep {
    bool     twist;     ///< about the bone; else a bend across it
    sup_vec3 axis;      ///< in the joint's own frame, unit
    double   low, high; ///< degrees; 0, the bind pose, lies within
    uint32_t begin;     ///< of its angles among the joint's
    uint32_t count;
} sweep;

typedef struct joint_sweeps {
    uint32_t joint;
    bool     assumed; ///< no clip turns the joint: the range is the usual one
    uint32_t sweep_count;
    sweep    sweeps[SWEEPS_MAX];
    uint32_t pose_count; ///< angles of all sweeps
    double*  angles;     ///< degrees, rising within each sweep
} joint_sweeps;

/// The sweeps of every joint in the list: over what the clips do, or 120 degrees of bend and 150 of twist both ways where they
/// do nothing, or where `full`.
sup_result sweeps_make(const sup_character* character, bool full, const uint32_t* joints, uint32_t count, sup_arena* arena,
                       joint_sweeps* out, sup_error* error);
/// The sweep that a pose belongs to.
const sweep* sweep_of(const joint_sweeps* s, uint32_t pose);
/// Turns the joint of a bind pose, and updates it.
void sweep_pose(const sup_character* character, const joint_sweeps* s, uint32_t pose, const sup_pose* bind, sup_pose* out);
/// The sweep's axis in the world, joint as in the bind pose.
sup_vec3 sweep_axis(const sweep* s, const sup_pose* bind, uint32_t joint);
/// Along the joint's bones, in its own frame, unit.
sup_vec3 bone_axis(const sup_character* character, uint32_t joint);

#endif

/// rig/retarget/feet.h: feet that a capture holds at a slant although they stand.
#ifndef SUP_RIG_RETARGET_FEET_H
#define SUP_RIG_RETARGET_FEET_H

#include "rig/retarget/figure.h"

/// How the sole of a captured foot (or toe) lies while it stands still on the ground, against its reference pose, where it is
/// taken for flat: the rotation to put behind the reference, so that a standing foot is flat. Identity where it hardly stands,
/// lies within a few degrees already, or stands in many ways.
sup_quat feet_level(const sup_mocap* mocap, uint32_t first, uint32_t frame_count, const figure* f, uint32_t joint,
                    sup_quat* rotations, sup_vec3* positions);

#endif

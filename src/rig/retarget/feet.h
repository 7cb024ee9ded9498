/// rig/retarget/feet.h: levels feet that a capture holds at a slant although they stand.
#ifndef SUP_RIG_RETARGET_FEET_H
#define SUP_RIG_RETARGET_FEET_H

#include "rig/retarget/figure.h"

/// How the sole of a captured foot (or toe) is tilted while it stands still on the ground, relative to its reference pose,
/// which counts as flat: the rotation to apply after the reference so that a standing foot is flat. The identity if it hardly
/// stands, is within a few degrees already, or stands at many different angles.
sup_quat feet_level(const sup_mocap* mocap, uint32_t first, uint32_t frame_count, const figure* f, uint32_t joint,
                    sup_quat* rotations, sup_vec3* positions);

#endif

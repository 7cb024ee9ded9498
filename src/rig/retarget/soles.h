/// rig/retarget/soles.h: the points that touch the ground, on a captured skeleton and on a character.
#ifndef SUP_RIG_RETARGET_SOLES_H
#define SUP_RIG_RETARGET_SOLES_H

#include "rig/retarget/figure.h"

enum { SOLE_POINTS_MAX = 16 };

/// A few points fixed to joints.
typedef struct soles {
    uint32_t count;
    uint32_t joints[SOLE_POINTS_MAX];
    sup_vec3 places[SOLE_POINTS_MAX]; ///< in the space of the joint
} soles;

/// Heels, balls and toes of the captured feet, at the height of the lowest of them in the reference pose.
void soles_of_mocap(const figure* f, soles* out);
/// The outermost low points of the skin that follows feet and toes; the joints themselves if there is no such skin. Sets the
/// figure's ground.
void soles_of_character(const sup_character* character, const sup_pose* reference, figure* f, soles* out);

#endif

/// rig/anatomy.h: which parts of a body are firm up to the skin: skulls, hands, feet, hooves, horns.
#ifndef SUP_RIG_ANATOMY_H
#define SUP_RIG_ANATOMY_H

#include "supple/scene.h"

/// Joints with skin directly over bone. Joints of one solid do not move the skin between them: a skull with its jaw and its
/// eyes. The joints of a hand are separate solids, or fingers could not bend.
typedef struct sup_anatomy {
    uint32_t        joint_count;
    const uint32_t* solids; ///< per joint: the first joint of its solid; SUP_NONE: soft
    uint32_t        firm_count;
} sup_anatomy;

/// By names first (rig/retarget/joint_names.h, and words such as hoof, horn, ear, tail), then by the shape of the skeleton as a
/// body with two legs (rig/retarget/body.h), then by ends: pairs of thick ends on the ground are feet, and the thickest end
/// without a twin is a head. Fails only when out of memory.
sup_result sup_anatomy_find(const sup_character* character, sup_arena* arena, sup_anatomy* out, sup_error* error);

#endif

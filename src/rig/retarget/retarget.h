/// rig/retarget/retarget.h: what the pieces of retargeting share.
#ifndef SUP_RIG_RETARGET_RETARGET_H
#define SUP_RIG_RETARGET_RETARGET_H

#include "rig/retarget/figure.h"
#include "rig/retarget/soles.h"

// What a target joint follows: a captured joint, or a blend of that and the next (spines of different length).
typedef struct follow {
    uint32_t source, next; // SUP_NONE: nothing
    float    ratio;
    sup_quat fit;      // S, then the reference rotation of the target
    bool     placed;   // its position does not follow from its parent: hips, feet that are children of a root
    bool     carried;  // follows none and is fixed to its carrier: what does not descend from the hips
    uint32_t carrier;  // the joint whose motion places it; SUP_NONE: the root motion
    sup_vec3 offset;   // from the carrier, in the carrier's reference space
    bool     namesake; // matched only by its name
} follow;

typedef struct retarget {
    const sup_character* character;
    const sup_mocap*     mocap;
    sup_arena*           arena; // of the clip
    sup_arena*           scratch;
    sup_error*           error;
    figure               source, target;
    sup_pose             reference, pose;
    soles                source_soles, target_soles;
    follow*              follows;
    sup_quat             align; // C
    float                scale;
    uint32_t             first, frame_count; // frames used
    sup_quat*            rotations;          // of the source in the current frame
    sup_vec3*            positions;
    sup_quat*            turned; // global rotations of the target
    sup_vec3*            roots;  // of the target's hips, each frame
} retarget;

/// Measures both figures and pairs their joints.
sup_result retarget_find_partners(retarget* r, const sup_retarget_options* options, figure_choice* choice);
/// Finds the target joints that do not get their position from their parents, and what carries them. Call after the alignment.
sup_result retarget_place(retarget* r);

#endif

/// rig/retarget/retarget.h: what the pieces of retargeting share.
#ifndef SUP_RIG_RETARGET_RETARGET_H
#define SUP_RIG_RETARGET_RETARGET_H

#include "rig/retarget/figure.h"
#include "rig/retarget/soles.h"

// What one target joint follows: a captured joint, or one a part of the way to the next (spines of different length).
typedef struct follow {
    uint32_t source, next; // SUP_NONE: nothing
    float    ratio;
    sup_quat fit;      // S, then the reference rotation of the target
    bool     placed;   // its position does not follow from its parent: hips, feet that hang on a root
    bool     carried;  // follows no one and is fixed to its carrier: what hangs beside the hips
    uint32_t carrier;  // the joint whose motion places it; SUP_NONE: the root motion
    sup_vec3 offset;   // from the carrier, in the carrier's reference space
    bool     namesake; // found by its name alone
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
    sup_quat*            rotations;          // of the source in the frame at hand
    sup_vec3*            positions;
    sup_quat*            turned; // global rotations of the target
    sup_vec3*            roots;  // of the target's hips, each frame
} retarget;

/// Both figures, and who follows whom.
sup_result retarget_find_partners(retarget* r, const sup_retarget_options* options, figure_choice* choice);
/// Which joints of the target do not get their places from their parents, and who gives it to them. After the alignment.
sup_result retarget_place(retarget* r);

#endif

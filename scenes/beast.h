/// scenes/beast.h: what the shape and the motions of builtin:beast share. Meters, y up, facing +z, its left at +x.
#ifndef SUP_SCENES_BEAST_H
#define SUP_SCENES_BEAST_H

#include "scenes/draft.h"

/// Order of the joint table. Left before right, so that the other side is the next block of three.
enum {
    BEAST_ROOT,
    BEAST_HIPS,
    BEAST_SPINE_1,
    BEAST_SPINE_2,
    BEAST_CHEST,
    BEAST_NECK_1,
    BEAST_NECK_2,
    BEAST_HEAD,
    BEAST_EAR_L,
    BEAST_EAR_R,
    BEAST_TAIL_1,
    BEAST_TAIL_2,
    BEAST_TAIL_3,
    BEAST_TAIL_4,
    BEAST_TAIL_5,
    BEAST_FRONT_L, ///< upper, lower, foot
    BEAST_FRONT_R = BEAST_FRONT_L + 3,
    BEAST_BACK_L = BEAST_FRONT_R + 3,
    BEAST_BACK_R = BEAST_BACK_L + 3,
    BEAST_JOINTS = BEAST_BACK_R + 3,
};

extern const sup_draft_joint sup_beast_joints[BEAST_JOINTS];

/// Records walk, jump and shake.
sup_result sup_beast_record(sup_draft* draft, sup_error* error);

#endif

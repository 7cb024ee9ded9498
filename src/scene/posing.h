/// scene/posing.h: what pose.c and clip.c share.
#ifndef SUP_SCENE_POSING_H
#define SUP_SCENE_POSING_H

#include "supple/scene.h"

/// Rest transforms and weights, without updating the matrices.
void sup_pose_set_rest(const sup_character* character, sup_pose* pose);

#endif

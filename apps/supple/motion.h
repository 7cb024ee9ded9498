/// motion.h: which clip or pose, from when to when, and how often: shared by every verb that plays a character.
#ifndef SUPPLE_APP_MOTION_H
#define SUPPLE_APP_MOTION_H

#include "common.h"

typedef struct motion {
    const sup_clip* clip; ///< NULL: the pose is held
    const sup_pose* pose; ///< NULL with a clip
    double          start, end, fps, preroll;
    bool            loop;
} motion;

/// What can be judged before the file is read, so that a typing mistake does not cost a long load. end is negative when
/// absent.
int motion_flags(const options* o, motion* out);
/// --clip or --pose, and the end that was left open. `pose` keeps what --pose makes.
int motion_choose(const options* o, const sup_character* character, sup_arena* arena, sup_pose* pose, motion* m);
/// What plays a chain over it.
sup_instance_desc motion_instance(const motion* m, const sup_chain* chain, const sup_tasks* tasks);

#endif

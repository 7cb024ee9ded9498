/// clip_timing.h: which clip or pose, from when to when, and how often: shared by every verb that plays a character.
#ifndef SUPPLE_APP_MOTION_H
#define SUPPLE_APP_MOTION_H

#include "common.h"

typedef struct motion {
    const sup_clip* clip; ///< NULL: the pose is held
    const sup_pose* pose; ///< NULL with a clip
    double          start, end, fps, preroll;
    double          hold;  ///< seconds after the end of the clip; motion_choose adds them to `end`
    double          still; ///< when they begin; 0: nothing is held
    bool            loop;
} motion;

/// Checks what can be checked before the file is read, so that a typing mistake does not cost a long load. end is negative when
/// absent.
int motion_flags(const options* o, motion* out);
/// Applies --clip or --pose, and fills in an open end. `pose` holds the result of --pose.
int motion_choose(const options* o, const sup_character* character, sup_arena* arena, sup_pose* pose, motion* m);
/// Fills in an open end (negative), clamps one past the clip's (with a note), and adds the seconds its pose is held, which
/// begin at `still`.
int motion_close_end(const sup_clip* clip, double start, double fps, double hold, double* end, double* still);
/// The instance that plays a chain over it.
sup_instance_desc motion_instance(const motion* m, const sup_chain* chain, const sup_tasks* tasks);

#endif

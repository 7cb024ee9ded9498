/// judging.h: the verdict on a bake, from some of its frames.
#ifndef SUPPLE_APP_JUDGING_H
#define SUPPLE_APP_JUDGING_H

#include "input/clip_timing.h"
#include "supple/metrics.h"

typedef struct judge {
    const sup_character* character;
    const motion*        motion;
    const sup_tasks*     tasks;
    sup_meter*           meter;
    sup_chain*           linear; ///< NULL: the chain is linear skinning itself
    sup_instance*        linear_instance;
    void *               scratch, *chain_scratch;
    sup_vec3*            points;
    bool                 skinning_only; ///< a single link that only poses: others can be tried at one time
    sup_verdict          verdict;
} judge;

/// Larger characters get no verdict: the tables of a meter would take more memory than the bake itself.
#define JUDGE_TRIANGLES_MAX 1000000

/// Call before the first frame. judge_free it however it ends.
sup_result judge_begin(judge* j, const sup_character* character, const motion* m, const sup_chain* chain,
                       const sup_tasks* tasks, sup_error* error);
/// Takes a frame that sup_verdict_takes selects.
void judge_frame(judge* j, double time, const sup_pose* pose, const sup_vec3* points);
/// Call after the last frame: if only skinning was played, tries what costs no simulation and keeps it if it is better.
sup_result judge_end(judge* j, sup_error* error);
void       judge_free(judge* j);

/// {"text","frames","part",...}
sup_json* verdict_describe(const sup_verdict* v, sup_arena* arena);

#endif

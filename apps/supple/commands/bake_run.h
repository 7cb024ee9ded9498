/// bake_run.h: one bake from chain to file, shared by `bake` and `demo`.
#ifndef SUPPLE_APP_BAKING_H
#define SUPPLE_APP_BAKING_H

#include "checkpoint.h"
#include "input/clip_timing.h"
#include "progress.h"
#include "supple/deformer.h"
#include "supple/io.h"
#include "supple/metrics.h"

typedef struct bake_job {
    const sup_character*   character;
    motion                 motion;
    sup_chain_desc         chain; ///< links, settings, preset, world, step; the rest is filled in
    const char*            output;
    const options*         flags;  ///< for notes about --map; NULL: none
    inputs*                inputs; ///< inputs that no output may replace; NULL: any may be replaced
    const char*            name;
    bool                   flat;
    bool                   sparse;
    bool                   meshopt;
    bool                   tension;
    bool                   tension_colors;
    sup_vat                vat;
    const sup_bake_budget* budget; ///< NULL: a target for each frame
    uint32_t               save_count;
    const char* const*     saves;      ///< 'LINK=FILE'; LINK#2 is the second of that name
    bool                   judged;     ///< the outcome has a verdict
    bool                   keep;       ///< keep the points of one frame in the outcome
    uint32_t               keep_frame; ///< SUP_NONE: the one whose volume changed most
    checkpoint*            checkpoint; ///< NULL: none
    const sup_tasks*       tasks;
    progress*              bar;
} bake_job;

typedef struct bake_outcome {
    uint32_t               frames;
    uint64_t               bytes;
    uint64_t               hash;          ///< of the frames' hashes
    uint64_t*              hashes;        ///< one per frame, in the arena
    double                 evaluate;      ///< seconds inside the chain
    double                 volume_change; ///< the largest loss or gain of any frame, as a fraction of the rest volume
    uint32_t               worst_frame;   ///< where that was
    sup_vec3*              kept;          ///< in the arena; NULL: not requested
    sup_stats              stats;
    sup_verdict            verdict;  ///< frames 0: there is none
    const char*            chain;    ///< as run, in the arena
    const char*            counts;   ///< of its links, newline-separated, in the arena; NULL: none of them counts
    const sup_bake_report* budget;   ///< result of the search, in the arena; NULL: there was no budget
    const char*            warnings; ///< newline-separated, in the arena; NULL: none
} bake_outcome;

/// Binds, evaluates and writes. On failure the target is unchanged.
sup_result bake_run(const bake_job* job, sup_arena* arena, bake_outcome* out, sup_error* error);

/// Extends the clip's hash by a frame's; SUP_HASH_START for the first.
uint64_t hash_frames(uint64_t hash, uint64_t frame);

#endif

/// chain_measure.h: one chain played over a clip, with all the measurements of each frame.
#ifndef SUPPLE_APP_MEASURE_H
#define SUPPLE_APP_MEASURE_H

#include "commands/progress.h"
#include "input/clip_timing.h"
#include "input/truth.h"
#include "supple/metrics.h"

/// Pairs of triangles as a number to compare and to print: INFINITY (a dash, null) if there were too many to count, so that
/// they exceed every limit.
double    crossings_number(uint32_t pairs);
void      crossings_text(double number, char* text, size_t capacity);
sup_json* crossings_json(sup_arena* arena, double number);

typedef struct measure_frame {
    double   time;
    double   volume; ///< change of the whole, as a fraction of rest
    double   part;   ///< largest change of any part around a joint, likewise
    uint32_t part_index;
    double   intersections; ///< pairs of triangles; INFINITY: more than can be counted
    double   stretch, roughness;
    double   speed;      ///< of the fastest point, units / s
    double   jerk;       ///< root mean square, units / s^3; 0 for the first three frames
    double   error, rms; ///< against the truth; 0 without
} measure_frame;

typedef struct measure_job {
    const sup_character* character;
    const sup_meter*     meter;
    const motion*        motion;
    uint32_t             frames;
    bool                 uncounted; ///< the rest shape has more intersections than can be counted: no frame's are counted
    const truth_set*     truth; ///< NULL: none
    const sup_tasks*     tasks;
    progress*            bar;
} measure_job;

/// The measurements. The chain and its instance stay, so that pictures can be taken afterwards.
typedef struct measured {
    const char*    text; ///< the chain as run
    sup_chain*     chain;
    sup_instance*  instance;
    void*          scratch;
    measure_frame* frames;
    double*        parts;    ///< changes of every part: frames x parts
    double         evaluate; ///< seconds inside the chain
    uint64_t       hash;
    sup_stats      stats;
    sup_errors     errors, inbetween; ///< over all frames, and over those that are not examples

    // The frame with the extreme of each number, and the best and worst to look at.
    uint32_t volume_frame, part_frame, intersections_frame, stretch_frame, error_frame, best, worst;
    double   roughness_max, speed_max, jerk_rms;
} measured;

/// How many frames, and when: one per truth mesh, evenly over the clip, unless --fps is given.
int measure_frames(const options* o, const truth_set* t, motion* m, uint32_t* frames);
/// Whether the character has an example at that time of the motion's clip.
bool measure_is_example(const sup_character* character, const sup_clip* clip, double time);
/// Takes over the chain. On failure measured_free releases what was made.
sup_result measure_chain(const measure_job* job, sup_chain* chain, sup_arena* arena, measured* out, sup_error* error);
void       measured_free(measured* m);
/// The skin of a frame again, with the bits it was measured with.
void measured_points(measured* m, const measure_job* job, uint32_t frame, sup_vec3* out);

#endif

/// check.h: every joint swept under every chain, and what came of it.
#ifndef SUPPLE_APP_CHECK_H
#define SUPPLE_APP_CHECK_H

#include "limits.h"
#include "progress.h"
#include "supple/deformer.h"
#include "supple/metrics.h"
#include "sweep.h"

/// One pose under one chain. NAN and negative where it was not measured.
typedef struct check_value {
    double volume; ///< change of the part around the joint, as a fraction of rest
    double stretch, roughness;
    double intersections; ///< pairs beyond those at rest
} check_value;

/// One joint under one chain.
typedef struct check_result {
    check_value* values;                            ///< per pose
    uint32_t     worst;                             ///< the pose whose volume changed most
    uint32_t     loss;                              ///< the pose that lost most of it
    double       intersections, stretch, roughness; ///< largest of any pose
    double       badness;
} check_result;

typedef struct check_joint {
    const char*   name;
    uint32_t      part; ///< of the meter
    joint_sweeps  sweeps;
    check_result* results; ///< per chain
    uint32_t      best;    ///< the chain that changes the volume least
    double        badness; ///< under the first chain
    bool          idle;    ///< other joints are turned by clips, this one is not: it ranks last and breaks no limit
    const char*   advice;
} check_joint;

typedef struct checkup {
    const sup_character* character;
    const sup_meter*     meter;
    const sup_tasks*     tasks;
    progress*            bar;
    double               preroll;
    uint32_t             chain_count;
    sup_chain**          chains;
    bool                 chosen; ///< by name: chains that do nothing here are listed all the same
    uint32_t             joint_count;
    check_joint*         joints; ///< worst first after checkup_run
    sup_pose             bind;
    uint32_t             rest_intersections;
} checkup;

/// The joints that have skin around them, of those that --joint names, with their sweeps.
sup_result checkup_prepare(checkup* c, const options* o, sup_arena* arena, sup_error* error);
/// Measures every pose, ranks the joints and finds words for them.
/// Intersections are not counted in poses: there are too many at rest.
bool checkup_crowded(const checkup* c);
sup_result checkup_run(checkup* c, sup_arena* arena, sup_error* error);
/// The skin of one pose once more. `out` holds the character's points.
sup_result checkup_points(const checkup* c, const check_joint* joint, uint32_t chain, uint32_t pose, sup_vec3* out,
                          sup_error* error);
/// "bent by 120 degrees", "twisted by -90 degrees".
void checkup_where(const check_joint* joint, uint32_t pose, char* text, size_t size);
/// The change of volume at the worst pose.
double checkup_worst(const check_joint* joint, uint32_t chain);

/// Writes --html for the first `top` joints. Says what is wrong.
int check_write_html(const checkup* c, const options* o, uint32_t top, const char* verdict_text, const char* path,
                     sup_arena* arena);

#endif

/// supple/check.h: the skin doctor. It sweeps every joint over the range that the clips use (or the usual one), evaluates every
/// chain in those poses, and ranks the joints by what goes wrong: volume, crossings, stretched edges.
#ifndef SUPPLE_CHECK_H
#define SUPPLE_CHECK_H

#include "supple/deformer.h"
#include "supple/json.h"
#include "supple/metrics.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------- sweeps

#define SUP_SWEEPS_MAX 3

/// One motion of one joint: a turn about an axis, with every other joint as in the bind pose.
typedef struct sup_sweep {
    bool     twist;     ///< about the bone; else a bend across it
    sup_vec3 axis;      ///< in the joint's own frame, unit
    double   low, high; ///< degrees; 0, the bind pose, lies within
    uint32_t begin;     ///< first of its angles in the joint's
    uint32_t count;
} sup_sweep;

typedef struct sup_joint_sweeps {
    uint32_t  joint;
    bool      assumed; ///< no clip turns the joint, so the range is the usual one
    uint32_t  sweep_count;
    sup_sweep sweeps[SUP_SWEEPS_MAX];
    uint32_t  pose_count; ///< angles of all sweeps
    double*   angles;     ///< degrees, rising within each sweep
} sup_joint_sweeps;

/// The sweep that a pose belongs to.
SUP_API const sup_sweep* sup_sweep_of(const sup_joint_sweeps* sweeps, uint32_t pose);
/// The bind pose with the joint turned, global and skin included.
SUP_API void sup_sweep_pose(const sup_character* character, const sup_joint_sweeps* sweeps, uint32_t pose, const sup_pose* bind,
                            sup_pose* out);
/// The sweep's axis in world space, with the joint in the bind pose.
SUP_API sup_vec3 sup_sweep_axis(const sup_sweep* sweep, const sup_pose* bind, uint32_t joint);

// ---------------------------------------------------------------------------------------------- a checkup

/// One pose under one chain. Values that were not measured are NAN or negative.
typedef struct sup_check_value {
    double volume; ///< change of the part around the joint, as a fraction of rest
    double stretch, roughness;
    double intersections; ///< pairs more than at rest
} sup_check_value;

/// One joint under one chain.
typedef struct sup_check_result {
    sup_check_value* values;                            ///< per pose
    uint32_t         worst;                             ///< the pose whose volume changed most
    uint32_t         loss;                              ///< the pose that lost the most volume
    double           intersections, stretch, roughness; ///< largest of any pose
    double           badness;
} sup_check_result;

typedef struct sup_check_joint {
    const char*       name;
    uint32_t          part; ///< of the meter
    sup_joint_sweeps  sweeps;
    sup_check_result* results; ///< per chain
    uint32_t          best;    ///< the chain that changes the volume least
    double            badness; ///< under the first chain
    bool              idle;    ///< clips turn other joints but not this one: it ranks last and breaks no limit
    const char*       advice;
} sup_check_joint;

/// What is checked. Everything is borrowed and must outlive the checkup.
typedef struct sup_checkup_desc {
    const sup_character*    character;
    const sup_meter*        meter;
    const sup_chain* const* chains; ///< the first one ranks the joints
    uint32_t                chain_count;
    bool                    chosen;      ///< the user named the chains: those without effect are listed too
    const char* const*      joints;      ///< names or patterns ("Spine*")
    uint32_t                joint_count; ///< 0: every joint
    bool                    full;        ///< the usual range for every joint, whatever the clips do
    double                  preroll;     ///< seconds that a simulation settles in every pose; 0: none
    const sup_tasks*        tasks;
    bool in_turn; ///< one pose at a time, each on all workers: where workers cannot allocate (WebAssembly)
    const sup_progress* progress; ///< called between poses
} sup_checkup_desc;

/// The result. Lives in the arena.
typedef struct sup_checkup {
    sup_checkup_desc  desc;
    const sup_chain** chains; ///< those worth listing
    uint32_t          chain_count;
    uint32_t          joint_count;
    sup_check_joint*  joints; ///< worst first
    sup_pose          bind;
    uint32_t          rest_intersections; ///< SUP_METER_UNCOUNTED: too many; poses are not counted then either
} sup_checkup;

/// Measures every pose of every joint that has skin around it, ranks the joints and writes the advice. The numbers do not
/// depend on the number of workers, nor those of a joint on which others are checked.
SUP_EXPERIMENTAL SUP_API sup_result sup_checkup_run(const sup_checkup_desc* desc, sup_arena* arena, sup_checkup* out,
                                                    sup_error* error);
/// Whether intersections are not counted in poses because there are too many at rest.
SUP_EXPERIMENTAL SUP_API bool sup_checkup_uncounted(const sup_checkup* checkup);
/// Evaluates the skin of one pose again. `out` has room for the character's points.
SUP_EXPERIMENTAL SUP_API sup_result sup_checkup_points(const sup_checkup* checkup, const sup_check_joint* joint, uint32_t chain,
                                                       uint32_t pose, sup_vec3* out, sup_error* error);
/// "bent by 120 degrees", "twisted by -90 degrees".
SUP_EXPERIMENTAL SUP_API void sup_checkup_where(const sup_check_joint* joint, uint32_t pose, char* text, size_t size);
/// The change of volume at the worst pose.
SUP_EXPERIMENTAL SUP_API double sup_checkup_worst(const sup_check_joint* joint, uint32_t chain);
/// The first `top` joints: {"joints_checked","self_intersections_rest","chains":[],"joints":[{"joint","badness","range",
/// "sweeps":[],"chains":[{"chain","volume_change",...}],"best","advice"}]}. NULL: out of memory.
SUP_EXPERIMENTAL SUP_API sup_json* sup_checkup_describe(const sup_checkup* checkup, uint32_t top, sup_arena* arena);

/// Whether a chain gives one pose different skin at different times of its clip (because of sculpts at times, for example), so
/// that a held pose has no single answer. Found by evaluating the skin.
SUP_API sup_result sup_chain_follows_time(const sup_chain* chain, const sup_character* character, const sup_clip* clip,
                                          bool* out, sup_error* error);

#ifdef __cplusplus
}
#endif
#endif

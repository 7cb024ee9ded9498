/// solve/contact/planes.h: skin that keeps clear of itself; what was apart stays apart.
///
/// Once per step, all pairs of triangles that are near or may come near are listed. Those that face each other *press*: every
/// iteration of the solver pushes them apart to the distance they keep (planes_press.c).
///
/// Planes hold what that misses. Two triangles are apart exactly when a plane has all corners of one on one side and all of the
/// other on the other side. So each pair that a substep brings close gets the plane between its closest places, and every
/// corner stays on its side. That is one half-space per point, whatever the others do: it needs no ordering and no line search.
///
/// Planes start where the substep began and move with the points that press on each other: pairs that share points form a
/// cluster, and the rigid motion that best fits its points carries planes and points alike. At that *carried* place every point
/// satisfies all of its planes. From there it moves as far toward the solver's position as they allow.
///
/// A pair that is already crossing when a substep begins gets no plane, does not press, and is left alone until it is apart: it
/// may start that way, and bones that force limbs into each other are stronger than skin. There the planes are *released*: a
/// group whose planes have held back the solver for a while loses them until nothing crosses there any more.
///
///     bind:      sup_planes_create
///     reset:     sup_planes_reset (state)
///     step:      sup_planes_begin (scratch, which the caller keeps through the step)
///     substep:   sup_planes_aim, and once the motion is predicted sup_planes_lean
///     iteration: sup_planes_press, after everything else
///     then:      sup_planes_keep, and when velocities are taken, sup_planes_friction
#ifndef SUP_SOLVE_CONTACT_PLANES_H
#define SUP_SOLVE_CONTACT_PLANES_H

#include "solve/particles/constraints.h"

typedef struct sup_planes sup_planes;

typedef struct sup_planes_desc {
    uint32_t        point_count;
    const sup_vec3* points; ///< at rest. Kept by reference, as is `over`
    uint32_t        triangle_count;
    const uint32_t* triangles;
    const uint32_t* same;     ///< per point: the first point that always coincides with it; NULL: itself
    const bool*     crossing; ///< per triangle: crosses another one at rest. Two such are never tested. NULL: none
    const float*    gives;    ///< per point: how far it can be held back before it is released
    const float*    over;     ///< per point: how far what rides on it protrudes; NULL: nothing rides
} sup_planes_desc;

sup_result sup_planes_create(const sup_planes_desc* desc, sup_arena* arena, const sup_planes** out, sup_error* error);

size_t sup_planes_state(const sup_planes* planes);   ///< bytes, 4-byte aligned
size_t sup_planes_scratch(const sup_planes* planes); ///< bytes, 64-byte aligned
void   sup_planes_reset(const sup_planes* planes, void* state);

typedef struct sup_planes_call {
    const sup_tasks* tasks;
    void*            scratch;
    void*            state;
    float            thickness; ///< distance that skin keeps from itself, mean edges
    const sup_vec3*  before;    ///< per point: where the pose puts it at the start of the step,
    const sup_vec3*  after;     ///< and at its end. NULL: everything presses as if the pose moved
    float            rate;      ///< steps per second
    sup_friction     friction;
} sup_planes_call;

typedef struct sup_planes_report {
    uint32_t watched;  ///< pairs of triangles near enough to test
    uint32_t kept;     ///< of those, pairs that needed a plane
    uint32_t held;     ///< points that a plane kept from the solver's position
    uint32_t crossing; ///< pairs near each other that cross
    uint32_t released; ///< points without planes
    uint32_t searches; ///< 1 if the whole list had to be rebuilt
    bool     crowded;  ///< more lies in one place than the list can hold: nothing was kept
} sup_planes_report;

/// A step of `substeps`, from `from` to where points are expected at its end. Returns how many pairs that may press did not
/// fit.
uint32_t sup_planes_begin(const sup_planes* planes, const sup_planes_call* call, uint32_t substeps, const sup_vec4* from,
                          const sup_vec4* to);
/// A substep begins at x, with velocities v.
void sup_planes_aim(const sup_planes* planes, const sup_planes_call* call, const sup_vec4* x, const sup_vec4* v);
/// Where a substep's motion is expected to end: points are pushed ahead by what has recently pushed them.
void sup_planes_lean(const sup_planes* planes, const sup_planes_call* call, sup_vec4* x, sup_vec4* expected);
/// One iteration of pressing.
void sup_planes_press(const sup_planes* planes, const sup_planes_call* call, sup_vec4* x);
/// Friction and restitution for what was pushed in a substep of dt seconds. What planes held back adds no velocity.
void sup_planes_friction(const sup_planes* planes, const sup_planes_call* call, const sup_vec4* x, float dt, sup_vec4* v);
/// For drawing: a corner of either triangle of up to `most` pairs that pushed in the last substep. Returns how many.
uint32_t sup_planes_touching(const sup_planes* planes, const void* scratch, uint32_t most, uint32_t (*out)[2]);
/// Sets `out` for the points that were pushed in the last substep.
void sup_planes_pushed(const sup_planes* planes, const void* scratch, bool* out);
/// After the substep from `from` to `x`: points that would cross stop where they may. Points without inverse mass do not move.
sup_planes_report sup_planes_keep(const sup_planes* planes, const sup_planes_call* call, const sup_vec4* from, sup_vec4* x);

#endif

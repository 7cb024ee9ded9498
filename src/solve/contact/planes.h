/// solve/contact/planes.h: a skin that keeps off itself, and what was apart stays apart.
///
/// Once per step all pairs of triangles that are near or may come near are listed. Of them those *press* that face each other:
/// every iteration of the solver pushes both apart to the distance they keep (planes_press.c).
///
/// What that leaves over planes hold. Two triangles are apart exactly when a plane has all corners of one on its one side and
/// all of the other on its other side. So each pair that a substep brings near each other gets the plane between its nearest
/// places, and every corner stays on its side of it. That is a half space for a single point, whatever the others do: keeping
/// it needs no order and no line search.
///
/// Planes stand where the substep began and go with the motion of those who press on each other: pairs that share points form
/// a cluster, and the rigid motion that fits its points best carries planes and points alike. There, at its *carried* place,
/// every point keeps to all its planes. From there it goes as far towards where the solver wants it as they let it.
///
/// A pair that is no longer apart when a substep begins has no plane, does not press and is left alone until it is: it may
/// begin so, and bones that force limbs into each other are stronger than skin. There the planes are *released*: what they have
/// held back against the solver for a while loses them, until nothing crosses there any more.
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
    const sup_vec3* points; ///< at rest. Kept, as is `over`
    uint32_t        triangle_count;
    const uint32_t* triangles;
    const uint32_t* same;     ///< per point: the first one that is always in its place; NULL: itself
    const bool*     crossing; ///< per triangle: passes through another one at rest. Two such are never looked at. NULL: none
    const float*    gives;    ///< per point: how far it can be held back before it is released
    const float*    over;     ///< per point: how far what rides on it stands out over it; NULL: nothing does
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
    const sup_vec3*  before;    ///< per point: where the pose puts it as the step begins,
    const sup_vec3*  after;     ///< and as it ends. NULL: everything presses as where the pose moves
    float            rate;      ///< steps a second
    sup_friction     friction;
} sup_planes_call;

typedef struct sup_planes_report {
    uint32_t watched;  ///< pairs of triangles near enough to look at
    uint32_t kept;     ///< of them, those that needed a plane
    uint32_t held;     ///< points that a plane kept from where the solver wanted them
    uint32_t crossing; ///< pairs near each other that are not apart
    uint32_t released; ///< points without planes
    uint32_t searches; ///< 1 where everything had to be looked for anew
    bool     crowded;  ///< more lies in one place than there is room for: nothing was kept
} sup_planes_report;

/// A step of so many substeps, from `from` to where points are expected as it ends. Returns for how many pairs that may press
/// there was no room.
uint32_t sup_planes_begin(const sup_planes* planes, const sup_planes_call* call, uint32_t substeps, const sup_vec4* from,
                          const sup_vec4* to);
/// A substep begins at x, with velocities v.
void sup_planes_aim(const sup_planes* planes, const sup_planes_call* call, const sup_vec4* x, const sup_vec4* v);
/// Where a substep's motion is expected to end: points are pushed ahead by what they have been pushed by of late.
void sup_planes_lean(const sup_planes* planes, const sup_planes_call* call, sup_vec4* x, sup_vec4* expected);
/// One round of pressing.
void sup_planes_press(const sup_planes* planes, const sup_planes_call* call, sup_vec4* x);
/// Friction and restitution of what was pushed in a substep of dt seconds. What planes held back gives no velocity.
void sup_planes_friction(const sup_planes* planes, const sup_planes_call* call, const sup_vec4* x, float dt, sup_vec4* v);
/// A corner of either triangle of pairs that pushed in the last substep, at most so many, for drawing. Returns how many.
uint32_t sup_planes_touching(const sup_planes* planes, const void* scratch, uint32_t most, uint32_t (*out)[2]);
/// Sets `out` of the points that were pushed in the last substep.
void sup_planes_pushed(const sup_planes* planes, const void* scratch, bool* out);
/// The substep that went from `from` to `x`: what would cross stays where it may. Points without inverse mass are not moved.
sup_planes_report sup_planes_keep(const sup_planes* planes, const sup_planes_call* call, const sup_vec4* from, sup_vec4* x);

#endif

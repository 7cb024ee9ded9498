/// solve/contact/planes.h: a skin that was apart stays apart.
///
/// Two triangles are apart exactly when a plane has all corners of one on its one side and all of the other on its other side.
/// So each pair that a substep brings near each other gets the plane between its nearest places, and every corner stays on its
/// side of it. That is a half space for a single point, whatever the others do: keeping it needs no order and no line search.
///
/// Planes stand where the substep began and go with the motion of those who press on each other: pairs that share points form
/// a cluster, and the rigid motion that fits its points best carries planes and points alike. There, at its *carried* place,
/// every point keeps to all its planes. From there it goes as far towards where the solver wants it as they let it.
///
/// A pair that is no longer apart when a substep begins has no plane and is left alone until it is: it may begin so, and bones
/// that force limbs into each other are stronger than skin. There the planes are *released*: what they have held back against
/// the solver for a while loses them, until nothing crosses there any more.
///
///     bind:    sup_planes_create
///     reset:   sup_planes_reset (state)
///     step:    sup_planes_begin (scratch, which the caller keeps through the step)
///     substep: sup_planes_keep, when everything else is solved and before velocities are taken
#ifndef SUP_SOLVE_CONTACT_PLANES_H
#define SUP_SOLVE_CONTACT_PLANES_H

#include "supple/base.h"

typedef struct sup_planes sup_planes;

typedef struct sup_planes_desc {
    uint32_t        point_count;
    const sup_vec3* points; ///< at rest
    uint32_t        triangle_count;
    const uint32_t* triangles;
    const uint32_t* same;     ///< per point: the first one that is always in its place; NULL: itself
    const bool*     crossing; ///< per triangle: passes through another one at rest. Two such are never looked at. NULL: none
    const float*    gives;    ///< per point: how far it can be held back before it is released
} sup_planes_desc;

sup_result sup_planes_create(const sup_planes_desc* desc, sup_arena* arena, const sup_planes** out, sup_error* error);

size_t sup_planes_state(const sup_planes* planes);   ///< bytes, 4-byte aligned
size_t sup_planes_scratch(const sup_planes* planes); ///< bytes, 64-byte aligned
void   sup_planes_reset(const sup_planes* planes, void* state);

typedef struct sup_planes_call {
    const sup_tasks* tasks;
    void*            scratch;
    void*            state;
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

/// Which points have been without planes for long (240 substeps), being where something crosses that nothing parts: one answer
/// per point, into `out`.
void sup_planes_released(const sup_planes* planes, const void* state, bool* out);
/// A step of so many substeps.
void sup_planes_begin(const sup_planes* planes, const sup_planes_call* call, uint32_t substeps);
/// The substep that went from `from` to `x`: what would cross stays where it may. Points without inverse mass are not moved.
sup_planes_report sup_planes_keep(const sup_planes* planes, const sup_planes_call* call, const sup_vec4* from, sup_vec4* x);

#endif

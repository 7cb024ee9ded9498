/// solve/particles/subvolumes.h: the volumes of a body's parts, kept (Deul and Bender 2013, section 3.4, corrected).
///
/// Parts come from geom/volume/volumes.h: closed surfaces, holes and cuts fanned, so that they add up to the whole. One Newton
/// step per part and call, neighbors one after the other (in colors: parts of one color share no point and run in parallel). A
/// part's gradient at a point is a third of the area vector of its fan there; V = a third of the sum of gradient . place.
///
///     bind:      sup_volumes_label (geom/volume/volumes_label.h) or labels from a file -> sup_volumes_create ->
///                sup_subvolumes_create
///     substep:   sup_subvolumes_place (the centers of the fans move with joints)
///     iteration: sup_subvolumes_project
///     at last:   sup_subvolumes_calm (removes dV/dt from the velocities)
#ifndef SUP_SOLVE_PARTICLES_SUBVOLUMES_H
#define SUP_SOLVE_PARTICLES_SUBVOLUMES_H

#include "geom/volume/volumes.h"
#include "solve/particles/constraints.h"

typedef struct sup_subvolumes sup_subvolumes;

typedef struct sup_subvolumes_desc {
    const sup_volumes* volumes; ///< must outlive the subvolumes
    const sup_vec3*    points;  ///< at rest: the mesh's points
    /// Parts flatter than this do not enclose anything worth keeping: 36 pi V^2 / area^3, 1 for a ball. 0: 1e-3.
    double flat;
} sup_subvolumes_desc;

sup_result sup_subvolumes_create(const sup_subvolumes_desc* desc, sup_arena* arena, const sup_subvolumes** out,
                                 sup_error* error);

uint32_t sup_subvolumes_count(const sup_subvolumes* s); ///< of parts, as in `volumes`
double   sup_subvolumes_rest(const sup_subvolumes* s, uint32_t part);
bool     sup_subvolumes_flat(const sup_subvolumes* s, uint32_t part); ///< it has no volume to keep
bool     sup_subvolumes_inside_out(const sup_subvolumes* s);          ///< the whole volume is negative: outwards is -1
uint32_t sup_subvolumes_flat_count(const sup_subvolumes* s);

size_t sup_subvolumes_scratch(const sup_subvolumes* s); ///< bytes, 64-byte aligned; kept by the caller through a step

/// Where the centers of the fans are: `carriers` as in sup_volumes_measure (joint: rest space to now), NULL at rest. Call
/// before the first project of a substep. `dt` > 0: also how fast they move since the last place; 0 (the first of a step): they
/// stand.
void sup_subvolumes_place(const sup_subvolumes* s, const sup_affine* carriers, float dt, void* scratch);

typedef struct sup_subvolumes_call {
    sup_vec4*        x;       ///< particles; the skin is the first ones
    const float*     weights; ///< per skin point, 0 ... 1: the map `volume`; NULL: 1
    float            amount;  ///< 0 ... 1: share of the missing volume that is given back; 1: all
    float            bulge;   ///< target = rest x bulge
    const float*     bulges;  ///< per part, times the above; NULL: 1
    float            limit;   ///< no point moves further in one call; 0: no limit
    const sup_tasks* tasks;
    void*            scratch;
} sup_subvolumes_call;

/// What happened, for the caller to count.
typedef struct sup_subvolumes_report {
    uint32_t shortened; ///< parts whose step was cut to `limit`
    uint32_t skipped;   ///< parts without a direction, or with numbers that are not finite
} sup_subvolumes_report;

sup_subvolumes_report sup_subvolumes_project(const sup_subvolumes* s, const sup_subvolumes_call* call);
/// Two rounds over the parts. Uses x for gradients; changes v alone.
void sup_subvolumes_calm(const sup_subvolumes* s, const sup_subvolumes_call* call, sup_vec4* v);
/// Volumes now, one per part, by the same sums as project.
void sup_subvolumes_measure(const sup_subvolumes* s, const sup_vec4* x, const sup_tasks* tasks, void* scratch, double* out);

#endif

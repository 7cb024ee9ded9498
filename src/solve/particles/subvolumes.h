/// solve/particles/subvolumes.h: keeps the volumes of a body's parts (Deul and Bender 2013, section 3.4, corrected).
///
/// Parts come from geom/volume/volumes.h: closed surfaces whose holes and cuts are covered by fans, so that they add up to the
/// whole. Each call takes one Newton step per part, neighbors one after the other (in colors: parts of one color share no point
/// and run in parallel). A part's gradient at a point is a third of the area vector of its fan there; V = a third of the sum of
/// gradient . place.
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
    /// A part flatter than this encloses nothing worth keeping: 36 pi V^2 / area^3, 1 for a ball. 0: 1e-3.
    double flat;
} sup_subvolumes_desc;

sup_result sup_subvolumes_create(const sup_subvolumes_desc* desc, sup_arena* arena, const sup_subvolumes** out,
                                 sup_error* error);

uint32_t sup_subvolumes_count(const sup_subvolumes* s); ///< of parts, as in `volumes`
double   sup_subvolumes_rest(const sup_subvolumes* s, uint32_t part);
bool     sup_subvolumes_flat(const sup_subvolumes* s, uint32_t part); ///< it has no volume to keep
bool     sup_subvolumes_inside_out(const sup_subvolumes* s);          ///< the whole volume is negative: outwards is -1
uint32_t sup_subvolumes_flat_count(const sup_subvolumes* s);

size_t sup_subvolumes_scratch(const sup_subvolumes* s); ///< bytes, 64-byte aligned; the caller keeps it through a step

/// Sets the centers of the fans: `carriers` as in sup_volumes_measure (joint: rest space to now), NULL at rest. Call before the
/// first project of a substep. `dt` > 0: also how fast they move since the last call; 0 (the first of a step): they do not
/// move.
void sup_subvolumes_place(const sup_subvolumes* s, const sup_affine* carriers, float dt, void* scratch);

typedef struct sup_subvolumes_call {
    sup_vec4*        x;       ///< particles; the skin is the first ones
    const float*     weights; ///< per skin point, 0 ... 1: the map `volume`; NULL: 1
    float            amount;  ///< 0 ... 1: share of the missing volume that is restored
    float            bulge;   ///< target = rest x bulge
    const float*     bulges;  ///< per part, multiplies the above; NULL: 1
    float            limit;   ///< no point moves farther in one call; 0: no limit
    const sup_tasks* tasks;
    void*            scratch;
} sup_subvolumes_call;

/// What happened, for the caller to count.
typedef struct sup_subvolumes_report {
    uint32_t shortened; ///< parts whose step was cut to `limit`
    uint32_t skipped;   ///< parts without a direction, or with non-finite numbers
} sup_subvolumes_report;

sup_subvolumes_report sup_subvolumes_project(const sup_subvolumes* s, const sup_subvolumes_call* call);
/// Two rounds over the parts. Gradients come from x; only v changes.
void sup_subvolumes_calm(const sup_subvolumes* s, const sup_subvolumes_call* call, sup_vec4* v);
/// Current volumes, one per part, from the same sums as project.
void sup_subvolumes_measure(const sup_subvolumes* s, const sup_vec4* x, const sup_tasks* tasks, void* scratch, double* out);

#endif

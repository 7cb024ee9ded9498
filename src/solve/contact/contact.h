/// solve/contact/contact.h: the skin against other bodies. (Against itself: planes.h.)
///
/// Once per step, a hierarchy of boxes over the skin's triangles, swept from their places to those expected at the end of the
/// step, is searched for the bodies. The contacts it finds form a list that every iteration of the step projects, one after the
/// other.
///
///     bind:      sup_contact_create
///     step:      sup_contact_search (from, to, bodies); the list is in scratch, which the caller keeps through the step
///     substep:   sup_contact_begin (fraction of the step, velocities)
///     iteration: sup_contact_project, after everything else
///     then:      sup_contact_friction, after v = (x - x_n) / dt and damping
///
/// Lengths are in *local mean edges*: the mean rest length of the edges at the points involved, so a finger has a finger's
/// margin.
#ifndef SUP_SOLVE_CONTACT_CONTACT_H
#define SUP_SOLVE_CONTACT_CONTACT_H

#include "geom/search/bvh.h"
#include "geom/volume/winding.h"
#include "solve/particles/constraints.h"

// ---------------------------------------------------------------------------------------------- other bodies

/// A triangle mesh that presses on the skin, prepared at bind. If its points move (a second character), every search refits it.
typedef struct sup_solid_mesh sup_solid_mesh;

/// `closed`: it has an inside. Otherwise each side pushes back what comes from that side. Copies what it needs.
sup_result sup_solid_mesh_create(const sup_vec3* points, uint32_t point_count, const uint32_t* triangles,
                                 uint32_t triangle_count, bool closed, sup_arena* arena, const sup_solid_mesh** out,
                                 sup_error* error);

typedef enum sup_solid_kind { SUP_SOLID_SPHERE, SUP_SOLID_CAPSULE, SUP_SOLID_MESH } sup_solid_kind;

/// A body of the world; mirrors sup_body.
typedef struct sup_solid {
    sup_solid_kind        kind;
    sup_affine            start, end; ///< rigid: from its own space to the world, at both ends of the step
    sup_vec3              a, b;       ///< sphere: center a; capsule: from a to b
    float                 radius;
    float                 friction;
    const sup_solid_mesh* mesh;
    const sup_vec3*       points_start; ///< MESH whose points move: at both ends of the step; NULL: as at creation
    const sup_vec3*       points;
} sup_solid;

// ---------------------------------------------------------------------------------------------- bind

typedef struct sup_contact sup_contact;

typedef struct sup_contact_desc {
    uint32_t        point_count; ///< the skin: the first particles
    const sup_vec3* points;      ///< at rest
    uint32_t        triangle_count;
    const uint32_t* triangles;
    float           margin; ///< anything nearer is listed; mean edges. Range .1 ... 2, usually .5
    float           reach;  ///< how deep inside a body a point is still found; mean edges, usually 1

    uint32_t                     solid_count;  ///< most bodies that a search receives
    const sup_solid_mesh* const* solid_meshes; ///< the mesh of each body, NULL for spheres and capsules; NULL: no meshes at all
} sup_contact_desc;

sup_result sup_contact_create(const sup_contact_desc* desc, sup_arena* arena, const sup_contact** out, sup_error* error);

size_t sup_contact_scratch(const sup_contact* c); ///< bytes, 64-byte aligned
size_t sup_contact_kept(const sup_contact* c);    ///< the first of them, which the step needs; the rest only the search

// ---------------------------------------------------------------------------------------------- run

typedef struct sup_contact_call {
    const sup_tasks* tasks;
    void*            scratch;
    float            thickness; ///< distance to keep; mean edges, usually .05
    sup_friction     friction;  ///< each body has its own; the larger one counts
} sup_contact_call;

typedef struct sup_contact_report {
    uint32_t listed;
    uint32_t swept; ///< of those, found only because they move: they would have passed through
    uint32_t lost;  ///< found, but the list was full
} sup_contact_report;

/// Fills the list. `from`: the particles at the start of the step, when nothing penetrates. `to`: where they are expected at
/// its end (x + step x v, or the same as `from` to test a single instant). Motion that all of them share costs nothing.
sup_contact_report sup_contact_search(const sup_contact* c, const sup_contact_call* call, const sup_vec4* from,
                                      const sup_vec4* to, uint32_t solid_count, const sup_solid* solids);
/// A substep from `begin` to `end` (fractions of the step: 0 ... 1): bodies move to their places at its end. `v`: velocities
/// before the solve, which give restitution the approach speed; NULL: none.
void sup_contact_begin(const sup_contact* c, const sup_contact_call* call, float begin, float end, const sup_vec4* x,
                       const sup_vec4* v);
/// One iteration over the list. Returns how many contacts pushed.
uint32_t sup_contact_project(const sup_contact* c, const sup_contact_call* call, sup_vec4* x);
/// Friction and restitution for a substep of dt seconds.
void sup_contact_friction(const sup_contact* c, const sup_contact_call* call, const sup_vec4* x, float dt, sup_vec4* v);

// ---------------------------------------------------------------------------------------------- reading

/// For drawing: up to `most` pairs of a point that was pushed in the last substep and SUP_NONE. Returns how many.
uint32_t sup_contact_touching(const sup_contact* c, const void* scratch, uint32_t most, uint32_t (*out)[2]);
/// Sets `out` for the points that were pushed in the last substep.
void sup_contact_pushed(const sup_contact* c, const void* scratch, bool* out);

#endif

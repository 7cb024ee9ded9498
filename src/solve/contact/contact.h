/// solve/contact/contact.h: the skin against other bodies. (Against itself: planes.h.)
///
/// Once per step the bodies are looked up in a hierarchy of boxes over the skin's triangles, swept from where they are to where
/// they are expected at the end of the step. What is found is a list that every iteration of the step projects, one after the
/// other.
///
///     bind:      sup_contact_create
///     step:      sup_contact_search (from, to, bodies); the list is in scratch, which the caller keeps through the step
///     substep:   sup_contact_begin (fraction of the step, velocities)
///     iteration: sup_contact_project, after everything else
///     then:      sup_contact_friction, after v = (x - x_n) / dt and damping
///
/// Lengths are in *local mean edges*: the mean length at rest of the edges at the points concerned, so a finger has a finger's
/// margin.
#ifndef SUP_SOLVE_CONTACT_CONTACT_H
#define SUP_SOLVE_CONTACT_CONTACT_H

#include "geom/search/bvh.h"
#include "geom/volume/winding.h"
#include "solve/particles/constraints.h"

// ---------------------------------------------------------------------------------------------- other bodies

/// A triangle mesh that presses on the skin, prepared at bind. Its points may move (a second character): then every search
/// refits it.
typedef struct sup_solid_mesh sup_solid_mesh;

/// `closed`: it has an inside. Else both its sides push, each what comes from it. Copies what it needs.
sup_result sup_solid_mesh_create(const sup_vec3* points, uint32_t point_count, const uint32_t* triangles,
                                 uint32_t triangle_count, bool closed, sup_arena* arena, const sup_solid_mesh** out,
                                 sup_error* error);

typedef enum sup_solid_kind { SUP_SOLID_SPHERE, SUP_SOLID_CAPSULE, SUP_SOLID_MESH } sup_solid_kind;

/// A body of the world, as sup_body has it.
typedef struct sup_solid {
    sup_solid_kind        kind;
    sup_affine            start, end; ///< rigid: its own space to the world, at both ends of the step
    sup_vec3              a, b;       ///< sphere: center a; capsule: from a to b
    float                 radius;
    float                 friction;
    const sup_solid_mesh* mesh;
    const sup_vec3*       points_start; ///< MESH whose points move: at both ends of the step; NULL: as created
    const sup_vec3*       points;
} sup_solid;

// ---------------------------------------------------------------------------------------------- bind

typedef struct sup_contact sup_contact;

typedef struct sup_contact_desc {
    uint32_t        point_count; ///< the skin: the first particles
    const sup_vec3* points;      ///< at rest
    uint32_t        triangle_count;
    const uint32_t* triangles;
    float           margin; ///< what is nearer is listed; mean edges. Range .1 ... 2, usually .5
    float           reach;  ///< how deep a place may be in and still be found; mean edges, usually 1

    uint32_t                     solid_count;  ///< most bodies that a search will get
    const sup_solid_mesh* const* solid_meshes; ///< the mesh of each, NULL for spheres and capsules; NULL: no meshes at all
} sup_contact_desc;

sup_result sup_contact_create(const sup_contact_desc* desc, sup_arena* arena, const sup_contact** out, sup_error* error);

size_t sup_contact_scratch(const sup_contact* c); ///< bytes, 64-byte aligned
size_t sup_contact_kept(const sup_contact* c);    ///< of them the first, which the step needs; the others only the search

// ---------------------------------------------------------------------------------------------- run

typedef struct sup_contact_call {
    const sup_tasks* tasks;
    void*            scratch;
    float            thickness; ///< distance that is defended; mean edges, usually .05
    sup_friction     friction;  ///< a body brings its own, the larger counts
} sup_contact_call;

typedef struct sup_contact_report {
    uint32_t listed;
    uint32_t swept; ///< of them, found by their way alone: they would have gone through
    uint32_t lost;  ///< found, and there was no room
} sup_contact_report;

/// Fills the list. `from`: the particles now (the start of the step, nothing through anything). `to`: where they are expected
/// at the end of it (x + step x v, or the same as `from` to look at one instant). What they all move by together costs nothing.
sup_contact_report sup_contact_search(const sup_contact* c, const sup_contact_call* call, const sup_vec4* from,
                                      const sup_vec4* to, uint32_t solid_count, const sup_solid* solids);
/// A substep from `begin` to `end` (fractions of the step: 0 ... 1): bodies go to their places at its end. `v`: velocities
/// before the solve, from which restitution takes the speed of approach; NULL: none.
void sup_contact_begin(const sup_contact* c, const sup_contact_call* call, float begin, float end, const sup_vec4* x,
                       const sup_vec4* v);
/// One round over the list. Returns how many contacts pushed.
uint32_t sup_contact_project(const sup_contact* c, const sup_contact_call* call, sup_vec4* x);
/// Friction and restitution for a substep of dt seconds.
void sup_contact_friction(const sup_contact* c, const sup_contact_call* call, const sup_vec4* x, float dt, sup_vec4* v);

// ---------------------------------------------------------------------------------------------- reading

/// Points that were pushed in the last substep and SUP_NONE, at most so many, for drawing. Returns how many.
uint32_t sup_contact_touching(const sup_contact* c, const void* scratch, uint32_t most, uint32_t (*out)[2]);
/// Sets `out` of the points that were pushed in the last substep.
void sup_contact_pushed(const sup_contact* c, const void* scratch, bool* out);

#endif

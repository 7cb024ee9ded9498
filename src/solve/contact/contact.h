/// solve/contact/contact.h: the skin against itself and against other bodies.
///
/// Once per step the skin is searched for pairs that are near or will be: a hierarchy of boxes over its triangles, swept from
/// where they are to where they are expected at the end of the step, descended against itself. A pair counts when its faces
/// look at each other; nodes whose normals all point one way are skipped whole, so smooth skin costs nothing. What is found is
/// a sorted list that every iteration of the step projects, one after the other (above SERIAL contacts: in colors, the same
/// bits for any workers).
///
///     bind:      sup_contact_create
///     reset:     sup_contact_reset (state)
///     step:      sup_contact_search (from, to, bodies)           the list is in scratch, which the caller keeps through the
///     step substep:   sup_contact_begin (fraction of the step, velocities) iteration: sup_contact_project, after everything
///     else then:      sup_contact_friction, after v = (x - x_n) / dt and damping
///
/// Never paired: points with triangles that have a corner within ring - 1 edges of them, and places near at rest (2.5 mean
/// edges) of which one is behind the other: both sides of a thin part or of a limb. Places that face each other and touch at
/// rest (lips, fingers side by side) are ignored until they have been apart by the margin once: a bit each in the state. (The
/// first plan was ring + 1 and all within 2.5 edges; then the knees, hips and armpits of real characters, whose folds are one
/// or two edges wide, are never looked at: cesiumman kept 47 intersections of 92, with this rule 4.)
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
    uint32_t        ring;       ///< of the elastic regions: what is within ring - 1 edges is never paired
    bool            inside_out; ///< triangles face inwards (sup_subvolumes_inside_out)
    float           margin;     ///< what is nearer is listed; mean edges. Range .1 ... 2, usually .5
    float           reach;      ///< how deep a place may be in and still be found; mean edges, usually 1
    uint32_t        capacity;   ///< of the list; 0: twice the points, at least 1024

    const sup_progress*          progress;     ///< told 0 to 1 while contacts are made, and asked whether to go on; or NULL
    uint32_t                     solid_count;  ///< most bodies that a search will get
    const sup_solid_mesh* const* solid_meshes; ///< the mesh of each, NULL for spheres and capsules; NULL: no meshes at all
} sup_contact_desc;

/// What binding saw.
typedef struct sup_contact_bind_report {
    uint32_t crossing; ///< triangles that pass through another one at rest
    bool     off;      ///< more than 30 % do: the contacts of the skin with itself are off. Say so.
    uint32_t resting;  ///< points that touch something at rest and are ignored until they part
    uint32_t flat;     ///< triangles without area, which take no part
    bool     crowded;  ///< so many triangles in one place that not all were looked at: off as well
} sup_contact_bind_report;

sup_result sup_contact_create(const sup_contact_desc* desc, sup_arena* arena, const sup_contact** out,
                              sup_contact_bind_report* report, sup_error* error);

size_t sup_contact_state(const sup_contact* c);   ///< bytes, 4-byte aligned
size_t sup_contact_scratch(const sup_contact* c); ///< bytes, 64-byte aligned
size_t sup_contact_kept(const sup_contact* c);    ///< of them the first, which the step needs; the others only the search
/// Nothing has parted yet, and there were no contacts before.
void sup_contact_reset(const sup_contact* c, void* state);

// ---------------------------------------------------------------------------------------------- run

typedef struct sup_contact_settings {
    float       thickness; ///< distance that is defended; mean edges, usually .05
    sup_friction friction; ///< of the skin with itself; a body brings its own friction, the larger counts
    bool        edges;     ///< edge-edge contacts too; usually on
    bool        self;      ///< the skin against itself
} sup_contact_settings;

typedef struct sup_contact_call {
    sup_contact_settings settings;
    const sup_tasks*     tasks;
    void*                scratch;
    const float*         over;     ///< per point: how far what rides on the skin stands out over it; NULL: nothing rides on it
    const bool*          sideless; ///< per point: passes through something for long; pushes would throw it about for ever; NULL: none does
} sup_contact_call;

typedef struct sup_contact_report {
    uint32_t point_triangle, edge_edge, body; ///< in the list
    uint32_t swept;                           ///< of them, found by their way alone: they would have gone through
    uint32_t lost;                            ///< found but left out, the list being full: the farthest ones
    bool     crowded;                         ///< so much in one place that the search was given up
    uint32_t colors;                          ///< 0: serial
} sup_contact_report;

/// Fills the list. `from`: the particles now (the start of the step, nothing through anything). `to`: where they are expected
/// at the end of it (x + step x v, or the same as `from` to look at one instant). What they all move by together costs nothing.
sup_contact_report sup_contact_search(const sup_contact* c, const sup_contact_call* call, const sup_vec4* from,
                                      const sup_vec4* to, uint32_t solid_count, const sup_solid* solids, void* state);
/// A substep from `begin` to `end` (fractions of the step: 0 ... 1): bodies go to their places at its end. `v`: velocities
/// before the solve, from which restitution takes the speed of approach; NULL: none.
void sup_contact_begin(const sup_contact* c, const sup_contact_call* call, float begin, float end, const sup_vec4* x,
                       const sup_vec4* v);
/// One round over the list. Returns how many contacts pushed.
uint32_t sup_contact_project(const sup_contact* c, const sup_contact_call* call, sup_vec4* x);
/// Friction and restitution for a substep of dt seconds.
void sup_contact_friction(const sup_contact* c, const sup_contact_call* call, const sup_vec4* x, float dt, sup_vec4* v);

// ---------------------------------------------------------------------------------------------- reading

/// One contact of the list, for drawing and tests.
typedef struct sup_contact_item {
    uint32_t kind;      ///< 0: point (0) and triangle (1, 2, 3); 1: edge (0, 1) and edge (2, 3); 2: point (0) and body (1)
    uint32_t points[4]; ///< SUP_NONE where there is none
    bool     swept;
    float    pushed; ///< in this substep
} sup_contact_item;

/// Does a triangle of the skin pass through another one at rest? One answer per triangle, into `out`.
void sup_contact_crossing_at_rest(const sup_contact* c, bool* out);

uint32_t         sup_contact_count(const sup_contact* c, const void* scratch);
sup_contact_item sup_contact_at(const sup_contact* c, const void* scratch, uint32_t index);

#endif

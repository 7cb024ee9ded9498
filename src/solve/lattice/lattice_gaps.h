/// solve/lattice/lattice_gaps.h: how far the skin of a lattice may move before it meets other skin.
///
/// Flesh that is filled out, or that swings, must not be pushed through what lies opposite. Every particle of the border has a
/// place on the skin; two such places face each other where a pose has brought them much nearer than they were at rest, or
/// where they were near at rest on sheets apart (fingers, thighs). Half of what is between two of them, less what their spacing
/// cannot tell, is the room that each of them has. Where a pose has brought skin through skin the room is none: there the
/// lattice leaves the pose as it is, and crossings are never more than the pose has.
#ifndef SUP_SOLVE_LATTICE_LATTICE_GAPS_H
#define SUP_SOLVE_LATTICE_LATTICE_GAPS_H

#include "geom/volume/voxels.h"
#include "math/rotation.h"
#include "math/wide.h"
#include "solve/lattice/lattice_nodes.h"

typedef struct sup_lattice_gaps_desc {
    const sup_voxels*       voxels;
    const uint32_t*         slots; ///< of each particle
    uint32_t                slot_count;
    const sup_lattice_node* nodes;   ///< per particle: its place on the skin; NULL: the particle itself
    const sup_vec3*         outward; ///< per slot, unit or 0
    /// The mesh: where no node stands near one of its points, the point is a place itself. None: nodes alone.
    uint32_t        point_count, triangle_count;
    const sup_vec3* points;
    const uint32_t* triangles;
    const uint32_t* point_cells;  ///< of each point
    const float*    point_places; ///< three of each, in its cell
} sup_lattice_gaps_desc;

enum { LATTICE_GAP_CORNERS = 4 };

typedef struct sup_lattice_gaps {
    float           h;
    uint32_t        count, slot_count; ///< places; slots
    const uint32_t* slots;             ///< of each place
    const uint32_t* corners;           ///< four slots of each
    const float*    shares;            ///< and what each of them counts
    const sup_vec3* rest;
    const sup_vec3* outward;
    const uint32_t* points;              ///< of each: the point of the mesh that it is, SUP_NONE: none
    const uint32_t *apart_begin, *apart; ///< of each place: others that are near at rest, on sheets apart
    const uint32_t *near_begin, *near;   ///< of each slot: those linked to it
} sup_lattice_gaps;

sup_result sup_lattice_gaps_create(const sup_lattice_gaps_desc* desc, sup_arena* arena, sup_lattice_gaps* out,
                                   sup_error* error);

typedef struct sup_lattice_gaps_call {
    const sup_vec3*  points; ///< per slot, posed
    const sup_vec3*  skin;   ///< per point of the mesh: where it is while the slots are at `plain`; NULL: where they have it
    const sup_vec3*  plain;
    const sup_mat3*  matrices; ///< per slot: how it is turned; NULL where nothing is twisted
    const float*     twisted;  ///< per slot: 1 where its bones twist and do not bend, 0 where they bend
    const sup_tasks* tasks;
    void*            scratch;   ///< sup_lattice_gaps_scratch bytes, 64-byte aligned
    float*           clearance; ///< out, per slot: 0 where skin meets skin, 1 where half a cell is free
    float*           hold; ///< out, per slot: 1 / (how far it may move)^2, 0 where nothing is near, INFINITY where it may not
} sup_lattice_gaps_call;

size_t sup_lattice_gaps_scratch(const sup_lattice_gaps* gaps);
/// Returns whether anything is near: otherwise room is 1 and hold is 0 everywhere.
bool sup_lattice_gaps_find(const sup_lattice_gaps* gaps, const sup_lattice_gaps_call* call);

/// One place, and the rows of others that may be near it: planes of the places by cells of a grid, posed and at rest, with
/// eight more behind the last that are nowhere.
typedef struct sup_lattice_gaps_rows {
    const float *posed[3], *rest[3];
    float        at[3], from[3]; ///< the place itself, posed and at rest
    float        reach2;         ///< square of the distance beyond which nothing is met
    float        closes2;        ///< square of the share of the distance at rest
    float        least2;         ///< square of a distance at rest: nearer places are neighbors
    uint32_t     count;
    uint32_t     begin[9], end[9];
} sup_lattice_gaps_rows;

/// Lists those that the pose has brought near, at most `room`; returns how many.
SUP_WIDE_DECLARE(uint32_t, sup_lattice_gaps_closing, (const sup_lattice_gaps_rows* rows, uint32_t* out, uint32_t capacity));

#endif

/// solve/lattice/lattice_gaps.h: how far the skin of a lattice may move before it meets other skin.
///
/// Flesh that is inflated, or that swings, must not be pushed through the skin opposite. Every border particle has a place on
/// the skin; two such places face each other where a pose has brought them much nearer than at rest, or where they were near at
/// rest on separate sheets (fingers, thighs). Half of the gap between the two, less what their spacing cannot resolve, is the
/// clearance of each. Where a pose has pushed skin through skin the clearance is zero: there the lattice leaves the pose as it
/// is, so it never has more crossings than the pose.
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
    /// The mesh: a point with no node near it becomes a place of its own. None: nodes only.
    uint32_t        point_count, triangle_count;
    const sup_vec3* points;
    const uint32_t* triangles;
    const uint32_t* point_cells;  ///< of each point
    const float*    point_places; ///< three per point, in its cell
} sup_lattice_gaps_desc;

enum { LATTICE_GAP_CORNERS = 4 };

typedef struct sup_lattice_gaps {
    float           h;
    uint32_t        count, slot_count; ///< places; slots
    const uint32_t* slots;             ///< of each place
    const uint32_t* corners;           ///< four slots per place
    const float*    shares;            ///< and their weights
    const sup_vec3* rest;
    const sup_vec3* outward;
    const uint32_t* points;              ///< per place: the mesh point that it is, or SUP_NONE
    const uint32_t *apart_begin, *apart; ///< per place: others that are near at rest, on separate sheets
    const uint32_t *near_begin, *near;   ///< per slot: those linked to it
} sup_lattice_gaps;

sup_result sup_lattice_gaps_create(const sup_lattice_gaps_desc* desc, sup_arena* arena, sup_lattice_gaps* out,
                                   sup_error* error);

typedef struct sup_lattice_gaps_call {
    const sup_vec3*  points; ///< per slot, posed
    const sup_vec3*  skin;   ///< per point of the mesh: where it is while the slots are at `plain`; NULL: where they put it
    const sup_vec3*  plain;
    const sup_mat3*  matrices; ///< per slot: its rotation; NULL where nothing is twisted
    const float*     twisted;  ///< per slot: 1 where its bones twist and do not bend, 0 where they bend
    const sup_tasks* tasks;
    void*            scratch;   ///< sup_lattice_gaps_scratch bytes, 64-byte aligned
    float*           clearance; ///< out, per slot: 0 where skin meets skin, 1 where half a cell is free
    float*           hold;      ///< out, per slot: 1 / (how far it may move)^2, 0 where nothing is near, INFINITY: not at all
} sup_lattice_gaps_call;

size_t sup_lattice_gaps_scratch(const sup_lattice_gaps* gaps);
/// Returns whether anything is near: otherwise clearance is 1 and hold is 0 everywhere.
bool sup_lattice_gaps_find(const sup_lattice_gaps* gaps, const sup_lattice_gaps_call* call);

/// One place, and the rows of others that may be near it: planes of the places by grid cell, posed and at rest, with eight
/// extra ones at the end that are out of reach.
typedef struct sup_lattice_gaps_rows {
    const float *posed[3], *rest[3];
    float        at[3], from[3]; ///< the place itself, posed and at rest
    float        reach2;         ///< square of the distance beyond which nothing counts
    float        closes2;        ///< square of the share of the distance at rest
    float        least2;         ///< square of a distance at rest: nearer places are neighbors
    uint32_t     count;
    uint32_t     begin[9], end[9];
} sup_lattice_gaps_rows;

/// Lists those that the pose has brought near, at most `capacity`; returns how many.
SUP_WIDE_DECLARE(uint32_t, sup_lattice_gaps_closing, (const sup_lattice_gaps_rows* rows, uint32_t* out, uint32_t capacity));

#endif

/// solve/particles/ride.h: the points of a mesh go with a coarse surface near them, its cage.
///
///   out = sum of w (m_c + B_c (X - C_c) + t_c R_c (x - s_c - A_c (X - C_c)))
/// X, C_c: the point and a cage point at rest. x, s_c: as they are posed by themselves, m_c: the cage point as physics has it.
/// A_c, B_c: the linear maps from the cage around it at rest to that as posed and as moved, R_c the turn between those two.
///
/// So the mesh is where the cage takes it, and beside that goes what its own pose has and the pose of the cage has not: a head
/// that is firm to the neck, an eyelid. That is trusted (t_c) where it is sound: where the cage hangs on one joint, and the
/// pose has not crushed it. Elsewhere it is the folds of skinning, which physics has opened in the cage and which must not come
/// back. At rest nothing moves, any rigid motion is exact, and between cage points it is as smooth as w, whose kernel fades to
/// nothing: triangles of the cage are not seen. w depends on where a point is beside the cage and not on which piece it belongs
/// to: pieces in layers keep their order. Where the cage has other weights than the point, this fades to x + sum of w (m_c -
/// s_c).
///
/// Points that the cage does not reach (fingers it has dropped) fade to their own pose. Pieces too small to have tissue go with
/// one set of w each, those that touch with the same, and keep their shape: buttons, eyes, a pouch with its rivets.
#ifndef SUP_SOLVE_PARTICLES_RIDE_H
#define SUP_SOLVE_PARTICLES_RIDE_H

#include "geom/cage/cage.h"
#include "math/wide.h"

typedef struct sup_ride_desc {
    uint32_t         point_count;
    const sup_vec3*  points; ///< at rest
    uint32_t         triangle_count;
    const uint32_t*  triangles;
    const uint32_t*  weight_begin; ///< as of the cage
    const uint32_t*  weight_joints;
    const float*     weight_values;
    const sup_cage*  cage;  ///< with weights
    const uint32_t*  order; ///< the number each cage point has when it moves
    const sup_tasks* tasks;
} sup_ride_desc;

/// Numbers of a cage point while it moves: three rows of P = B - t R A, each with what is added; t R - 1;
/// and m - s.
enum { SUP_RIDE_ROW = 24, SUP_RIDE_CARRIERS = 16 };

typedef struct sup_ride {
    uint32_t        point_count, cage_count;
    const uint32_t* begin;    ///< point_count + 1: the cage points that carry each
    const uint32_t* carriers; ///< by their moving numbers
    const float*    shares;   ///< w; their sum is below 1 where a point fades to its own pose
    const float*    alike;    ///< whether a point has the weights of the cage there, 0 ... 1
    const uint32_t* fan_begin; ///< cage_count + 1, by moving numbers: the triangles around each
    const uint32_t* fans;      ///< their other two corners, in order
    const sup_vec3* slopes;    ///< what an edge to the first of them adds to the map there: (edge now) x slope
    const sup_vec3* heights;   ///< per cage point: and what the unit normal adds
    const float*    trusts;    ///< per cage point: how far the mesh's own pose counts there
    const float*    over;      ///< per cage point: how far what rides on it may stand out over it
    const sup_vec3* places;    ///< cage points at rest
    uint32_t        faded;     ///< points that go with the cage by less than half
    uint32_t        groups;    ///< sets of small pieces that go as one
    const uint32_t* group_begin;
    const uint32_t* group_points;
} sup_ride;

sup_result sup_ride_create(const sup_ride_desc* desc, sup_arena* arena, sup_ride* out, sup_error* error);

typedef struct sup_ride_call {
    const sup_vec3*  skinned; ///< cage points as they are posed
    const sup_vec3*  moved;   ///< and as physics has them
    const sup_vec3*  rest;    ///< of the mesh, at rest
    const sup_vec3*  points;  ///< and as they are posed
    sup_vec3         origin;  ///< what skinned and moved are relative to
    const sup_tasks* tasks;
    float*           rows; ///< SUP_RIDE_ROW for each cage point, 64-byte aligned
    sup_vec3*        out;
} sup_ride_call;

void sup_ride_evaluate(const sup_ride* ride, const sup_ride_call* call);

SUP_WIDE_DECLARE(void, sup_ride_points, (const sup_ride* ride, const sup_ride_call* call, uint32_t begin, uint32_t end));

#endif

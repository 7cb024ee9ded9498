/// solve/particles/ride.h: the points of a mesh follow a coarse surface near them, its cage.
///
///   out = sum of w (m_c + B_c (X - C_c) + t_c R_c (x - s_c - A_c (X - C_c)))
/// X, C_c: the point and a cage point at rest. x, s_c: both as skinned. m_c: the cage point as simulated.
/// A_c, B_c: the linear maps from the rest cage around it to the skinned and to the simulated cage. R_c: the rotation between
/// them.
///
/// So the mesh follows the cage, plus the detail of its own pose that the cage's pose lacks: a head that is firm to the neck,
/// an eyelid. That detail is trusted (t_c) where one joint carries the cage and the pose has not crushed it. Elsewhere it is
/// the folds of skinning, which physics has opened in the cage and which must not come back. At rest nothing moves, rigid
/// motions are exact, and between cage points the map is as smooth as w, whose kernel has compact support: the cage's triangles
/// do not show. w depends on where a point lies relative to the cage, not on its piece, so layered pieces keep their order.
/// Where the weights of cage and point differ, the formula fades to x + sum of w (m_c - s_c).
///
/// Points out of the cage's reach (fingers it has dropped) fade to their own pose. A piece too small for tissue of its own uses
/// a single set of w, shared with the pieces it touches, and keeps its shape: buttons, eyes, a pouch with its rivets.
#ifndef SUP_SOLVE_PARTICLES_RIDE_H
#define SUP_SOLVE_PARTICLES_RIDE_H

#include "geom/cage/cage.h"
#include "math/wide.h"

typedef struct sup_ride_desc {
    uint32_t         point_count;
    const sup_vec3*  points; ///< at rest
    uint32_t         triangle_count;
    const uint32_t*  triangles;
    const uint32_t*  weight_begin; ///< those of the cage
    const uint32_t*  weight_joints;
    const float*     weight_values;
    const sup_cage*  cage;  ///< with weights
    const uint32_t*  order; ///< the simulation's number for each cage point
    const sup_tasks* tasks;
} sup_ride_desc;

/// Floats per cage point and frame: three rows of P = B - t R A, each with its translation; t R - 1; and m - s.
enum { SUP_RIDE_ROW = 24, SUP_RIDE_CARRIERS = 16 };

typedef struct sup_ride {
    uint32_t        point_count, cage_count;
    const uint32_t* begin;    ///< point_count + 1: the cage points that carry each
    const uint32_t* carriers; ///< by simulation number
    const float*    shares;   ///< w; they sum to less than 1 where a point fades to its own pose
    const float*    alike;    ///< how far the weights of point and cage agree there, 0 ... 1
    const uint32_t* fan_begin; ///< cage_count + 1, by simulation number: the triangles around each
    const uint32_t* fans;      ///< their other two corners, in order
    const sup_vec3* slopes;    ///< an edge to the first of them adds (current edge) x slope to the local map
    const sup_vec3* heights;   ///< per cage point: the same for the unit normal
    const float*    trusts;    ///< per cage point: t_c, how far the mesh's own pose is trusted there
    const float*    over;      ///< per cage point: how far points may protrude
    const sup_vec3* places;    ///< cage points at rest
    uint32_t        faded;     ///< points that follow the cage by less than half
    uint32_t        groups;    ///< sets of small pieces that move as one
    const uint32_t* group_begin;
    const uint32_t* group_points;
} sup_ride;

sup_result sup_ride_create(const sup_ride_desc* desc, sup_arena* arena, sup_ride* out, sup_error* error);

typedef struct sup_ride_call {
    const sup_vec3*  skinned; ///< cage points as skinned
    const sup_vec3*  moved;   ///< cage points as simulated
    const sup_vec3*  rest;    ///< points of the mesh at rest
    const sup_vec3*  points;  ///< points of the mesh as skinned
    sup_vec3         origin;  ///< what skinned and moved are relative to
    const sup_tasks* tasks;
    float*           rows; ///< SUP_RIDE_ROW for each cage point, 64-byte aligned
    sup_vec3*        out;
} sup_ride_call;

void sup_ride_evaluate(const sup_ride* ride, const sup_ride_call* call);

SUP_WIDE_DECLARE(void, sup_ride_points, (const sup_ride* ride, const sup_ride_call* call, uint32_t begin, uint32_t end));

#endif

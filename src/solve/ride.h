/// solve/ride.h: the points of a mesh go with a coarse surface near them, its cage.
///
///   out = x + sum of w (u_c + turn (R_c - 1) (x - s_c))
/// x: the point as it is posed by itself. s_c, u_c: a cage point as it is posed, and how far physics has moved it from there.
/// R_c: how physics has turned the cage around it. So nothing moves where the cage does not, any rigid motion is exact, and
/// between cage points it is as smooth as w, whose kernel fades to nothing: triangles of the cage are not seen. w depends on
/// where a point is beside the cage and not on which piece it belongs to: pieces in layers keep their order.
///
/// Points that the cage does not reach (fingers it has dropped) fade to their own pose. Pieces too small to have tissue go with
/// one set of w each, those that touch with the same: buttons, eyes, a pouch with its rivets.
#ifndef SUP_SOLVE_RIDE_H
#define SUP_SOLVE_RIDE_H

#include "geom/cage.h"
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

/// Numbers of a cage point while it moves: three of R - 1 and one of u in each of three rows, then (1 - R) s and nothing.
enum { SUP_RIDE_ROW = 16, SUP_RIDE_CARRIERS = 16 };

typedef struct sup_ride {
    uint32_t        point_count, cage_count;
    const uint32_t* begin;    ///< point_count + 1: the cage points that carry each
    const uint32_t* carriers; ///< by their moving numbers
    const float*    shares;   ///< w; their sum is below 1 where a point fades to its own pose
    const float*    turns;
    const uint32_t* fan_begin; ///< cage_count + 1, by moving numbers: the triangles around each
    const uint32_t* fans;      ///< their other two corners, in order
    uint32_t        faded;     ///< points that go with the cage by less than half
    uint32_t        groups;    ///< sets of small pieces that go as one
} sup_ride;

sup_result sup_ride_create(const sup_ride_desc* desc, sup_arena* arena, sup_ride* out, sup_error* error);

typedef struct sup_ride_call {
    const sup_vec3*  skinned; ///< cage points as they are posed
    const sup_vec4*  moved;   ///< and as physics has them
    const sup_vec3*  points;  ///< of the mesh, as they are posed
    sup_vec3         origin;  ///< what skinned and moved are relative to
    const sup_tasks* tasks;
    float*           rows; ///< SUP_RIDE_ROW for each cage point, 64-byte aligned
    sup_vec3*        out;
} sup_ride_call;

void sup_ride_evaluate(const sup_ride* ride, const sup_ride_call* call);

SUP_WIDE_DECLARE(void, sup_ride_points, (const sup_ride* ride, const sup_ride_call* call, uint32_t begin, uint32_t end));

#endif

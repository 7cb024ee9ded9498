/// scenes/nets.h: a closed skin of even quads around a smooth solid that is given as a field (negative inside).
#ifndef SUP_SCENES_NETS_H
#define SUP_SCENES_NETS_H

#include "supple/base.h"

/// Approximately the signed distance to the surface at p, in meters; also its gradient if requested. Only + - * / sqrt inside,
/// so that the skin has the same bits everywhere. Must be exactly even in x: then the skin is too, with a seam of points on x =
/// 0.
typedef float sup_nets_field(const void* user, sup_vec3 p, sup_vec3* gradient);

/// Warps the grid, so that cells are finer where a character has its details. Smooth, without folds, odd in x, and the identity
/// around `inside`.
typedef sup_vec3 sup_nets_bend(sup_vec3 grid);

typedef struct sup_nets_desc {
    sup_nets_field* field;
    const void*     user;
    sup_nets_bend*  bend;   ///< or NULL: all cells equal
    sup_vec3        inside; ///< a point inside, on x = 0; the skin found is the one straight above it
    float           area;   ///< square meters, roughly: the initial guess for the cell size
    uint32_t        points; ///< approximate number of points requested
    const char*     name;   ///< for the error
} sup_nets_desc;

typedef struct sup_nets {
    uint32_t  point_count, face_count;
    sup_vec3* points;
    uint32_t* quads;  ///< four points each, facing outwards
    float     radius; ///< half the side of a cell: about the finest detail there is
} sup_nets;

/// Closed, manifold, in one piece and without handles, or an error. The result and all temporary data live in the arena.
sup_result sup_nets_create(const sup_nets_desc* desc, sup_arena* arena, sup_nets* out, sup_error* error);

#endif

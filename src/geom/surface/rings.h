/// geom/surface/rings.h: the points within a number of edges of a point.
#ifndef SUP_GEOM_SURFACE_RINGS_H
#define SUP_GEOM_SURFACE_RINGS_H

#include "supple/base.h"

/// Lists of points: those of p are items[begin[p]] up to items[begin[p + 1]], rising, including p.
typedef struct sup_rings {
    uint32_t        point_count;
    const uint32_t* begin; ///< point_count + 1
    const uint32_t* items;
    uint32_t        most; ///< largest number of items of a point
} sup_rings;

/// Everything within `width` edges. Membership is symmetric: q is in the ring of p exactly when p is in that of q.
/// ring_begin, ring: neighbors by edges, as sup_topology has them.
sup_result sup_rings_create(uint32_t point_count, const uint32_t* ring_begin, const uint32_t* ring, uint32_t width,
                            sup_arena* arena, sup_rings* out, sup_error* error);

/// Adds everything within `more` further edges that is closer than `reach`: where points are dense, rings are as wide in space
/// as elsewhere. Symmetric too.
sup_result sup_rings_create_wide(uint32_t point_count, const uint32_t* ring_begin, const uint32_t* ring, uint32_t width,
                                 uint32_t more, const sup_vec3* points, float reach, sup_arena* arena, sup_rings* out,
                                 sup_error* error);

#endif

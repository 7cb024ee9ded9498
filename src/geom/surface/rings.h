/// geom/surface/rings.h: who is within so many edges of a point.
#ifndef SUP_GEOM_SURFACE_RINGS_H
#define SUP_GEOM_SURFACE_RINGS_H

#include "supple/base.h"

/// Lists of points: those of p are items[begin[p]] up to items[begin[p + 1]], rising, p among them.
typedef struct sup_rings {
    uint32_t        point_count;
    const uint32_t* begin; ///< point_count + 1
    const uint32_t* items;
    uint32_t        most; ///< items of any point
} sup_rings;

/// Everything within `width` edges. Membership is symmetric: q is in the ring of p exactly when p is in that of q.
/// ring_begin, ring: neighbors by edges, as sup_topology has them.
sup_result sup_rings_create(uint32_t point_count, const uint32_t* ring_begin, const uint32_t* ring, uint32_t width,
                            sup_arena* arena, sup_rings* out, sup_error* error);

/// And everything within `more` edges beyond that which is nearer than `reach`: where points lie close, rings are as wide in
/// space as elsewhere. Symmetric too.
sup_result sup_rings_create_wide(uint32_t point_count, const uint32_t* ring_begin, const uint32_t* ring, uint32_t width,
                                 uint32_t more, const sup_vec3* points, float reach, sup_arena* arena, sup_rings* out,
                                 sup_error* error);

#endif

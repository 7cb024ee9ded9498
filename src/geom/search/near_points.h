/// geom/search/near_points.h: the distance to the nearest of many points.
#ifndef SUP_GEOM_SEARCH_NEAR_POINTS_H
#define SUP_GEOM_SEARCH_NEAR_POINTS_H

#include "geom/search/bvh.h"

typedef struct sup_near_points {
    const sup_vec3* points;
    sup_bvh         tree; ///< over the points as degenerate triangles; points NULL: there are none
    const sup_box*  nodes;
} sup_near_points;

/// Keeps a reference to the points.
sup_result sup_near_points_create(const sup_vec3* points, uint32_t count, sup_arena* arena, sup_near_points* out,
                                  sup_error* error);

/// The exact bits of the least v3_distance to any of them, or INFINITY if that is `most` or more.
float sup_near_points_distance(const sup_near_points* near, sup_vec3 from, float most);

#endif

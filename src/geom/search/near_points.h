/// geom/search/near_points.h: how near the nearest of many places is.
#ifndef SUP_GEOM_SEARCH_NEAR_POINTS_H
#define SUP_GEOM_SEARCH_NEAR_POINTS_H

#include "geom/search/bvh.h"

typedef struct sup_near_points {
    const sup_vec3* points;
    sup_bvh         tree; ///< of points, three times the same for each; points NULL: there are none
    const sup_box*  nodes;
} sup_near_points;

/// The places are kept by reference.
sup_result sup_near_points_create(const sup_vec3* points, uint32_t count, sup_arena* arena, sup_near_points* out,
                                  sup_error* error);

/// The bits of the least v3_distance to any of them, or INFINITY where that is `most` or more.
float sup_near_points_distance(const sup_near_points* near, sup_vec3 from, float most);

#endif

/// geom/search/closest.h: the nearest point of a surface.
#ifndef SUP_GEOM_SEARCH_CLOSEST_H
#define SUP_GEOM_SEARCH_CLOSEST_H

#include "geom/search/bvh.h"

typedef struct sup_closest {
    uint32_t slot;   ///< of the hierarchy: its points are corners + 3 x slot; SUP_NONE: no triangle has an area
    double   b[3];   ///< barycentric coordinates, nonnegative, with sum 1
    double   square; ///< of the distance
} sup_closest;

/// `nodes` as sup_bvh_refit made them for the same points. Of several places at one distance, the first found in the
/// hierarchy's order, which depends on nothing but the input.
sup_closest sup_bvh_closest(const sup_bvh* bvh, const sup_box* nodes, const sup_vec3* points, sup_vec3 from);
/// Opens at most *leaves leaves and subtracts those opened. Triangles that lie through each other everywhere take more: then
/// SUP_NONE.
sup_closest sup_bvh_closest_within(const sup_bvh* bvh, const sup_box* nodes, const sup_vec3* points, sup_vec3 from,
                                   uint32_t* leaves);

#endif

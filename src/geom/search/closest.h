/// geom/search/closest.h: the nearest place of a surface.
#ifndef SUP_GEOM_SEARCH_CLOSEST_H
#define SUP_GEOM_SEARCH_CLOSEST_H

#include "geom/search/bvh.h"

typedef struct sup_closest {
    uint32_t slot;   ///< of the hierarchy: corners + 3 x slot are its points; SUP_NONE: there is no triangle with an area
    double   b[3];   ///< weights of the three corners, positive or zero, with sum 1
    double   square; ///< of the distance
} sup_closest;

/// `nodes` as sup_bvh_refit made them for the same points. Of several places at one distance the first found in the
/// hierarchy's order, which depends on nothing but the input.
sup_closest sup_bvh_closest(const sup_bvh* bvh, const sup_box* nodes, const sup_vec3* points, sup_vec3 from);
/// Opens at most *leaves leaves and takes them off. Triangles that lie through each other everywhere take more: then SUP_NONE.
sup_closest sup_bvh_closest_within(const sup_bvh* bvh, const sup_box* nodes, const sup_vec3* points, sup_vec3 from,
                                   uint32_t* leaves);

#endif

/// geom/surface/feature.h: how thick a body is at a point of its surface, and how wide the gap to other surface is.
#ifndef SUP_GEOM_SURFACE_FEATURE_H
#define SUP_GEOM_SURFACE_FEATURE_H

#include "geom/search/bvh.h"

typedef struct sup_feature {
    double   width;  ///< diameter of the ball that touches the surface at the point and that the surface does not enter
    uint32_t facing; ///< the slot of the hierarchy that the ball touches on its far side; SUP_NONE: it reached the maximum
    sup_vec3 place;  ///< where it touches
} sup_feature;

/// The widest ball on the side that the unit vector `side` points to (Ma, Bae, Choi 2012: shrinking balls). Inside a body its
/// width is the thickness there, outside the gap to what lies opposite. most: the maximum width. `nodes` as sup_bvh_refit made
/// them.
sup_feature sup_feature_at(const sup_bvh* bvh, const sup_box* nodes, const sup_vec3* points, sup_vec3 at, sup_vec3 side,
                           double most);

/// The same at a point of the mesh, as wide as the points around it allow and not narrower where a flat triangle around it,
/// which cuts a corner off the round surface that is meant, reaches into the ball. ring: those points.
sup_feature sup_feature_at_point(const sup_bvh* bvh, const sup_box* nodes, const sup_vec3* points, uint32_t point,
                                 sup_vec3 side, double most, const uint32_t* ring, uint32_t ring_count);

#endif

/// geom/surface/curvature.h: area and mean curvature around one point of a triangle mesh (Meyer et al. 2003).
#ifndef SUP_GEOM_SURFACE_CURVATURE_H
#define SUP_GEOM_SURFACE_CURVATURE_H

#include "supple/base.h"

typedef struct sup_curvature {
    double area;  ///< mixed Voronoi
    double total; ///< mean curvature integrated over that area; above 0 where convex seen from outside
} sup_curvature;

/// The share of a triangle's area that belongs to corner a: its Voronoi region; in an obtuse triangle half of the area for the
/// obtuse corner and a quarter for the others. 0 for a triangle without area.
double sup_mixed_area(sup_vec3 a, sup_vec3 b, sup_vec3 c);

/// `fan` are the triangles around the point. The mean curvature is total / area where area > 0. Triangles without area are
/// ignored. Meaningless on the boundary of a mesh.
sup_curvature sup_curvature_at(const sup_vec3* points, const uint32_t* triangles, const uint32_t* fan, uint32_t fan_count,
                               uint32_t point);

#endif

/// geom/curves/field.h: one smooth coordinate along every limb of a surface. Its level lines are rings that never cross.
///
/// It starts from a guess of how far out along its limb every point is and of the direction from there (from a skeleton, or
/// from distances over the surface if there is none). The directions are diffused, and the coordinate is the one whose gradient
/// fits them best, held to the guess only over long distances (as in the heat method, Crane et al. 2013, the direction counts
/// and not the height).
#ifndef SUP_GEOM_CURVES_FIELD_H
#define SUP_GEOM_CURVES_FIELD_H

#include "geom/curves/curves.h"
#include "geom/surface/topology.h"

/// Per point: how far out, and the direction from there (of length 1 at most). Points without a bone: 0 and no direction.
typedef struct sup_guides {
    float*    place;
    sup_vec3* direction;
} sup_guides;

/// Guides from distances over the surface, for the components that are marked (NULL: all): from the tip of each with the most
/// surface near it and straight paths to the others, a head or a wrist.
sup_result sup_guides_by_distance(const sup_curve_mesh* mesh, const sup_topology* topology, const bool* components,
                                  sup_arena* arena, sup_guides* guides, sup_error* error);

/// The coordinate of every point, rising along the guides' directions; in units, like lengths. `scale`: smaller features are
/// smoothed.
sup_result sup_guides_smooth(const sup_curve_mesh* mesh, const sup_topology* topology, const sup_guides* guides, float scale,
                             sup_arena* arena, float* out, sup_error* error);

/// Recomputes the coordinate at the marked points, each as the mean around it, so that there is no summit or pit among them.
sup_result sup_coordinate_fill(const sup_curve_mesh* mesh, const sup_topology* topology, const bool* marked, sup_arena* arena,
                               float* u, sup_error* error);

/// Diffuses values of points over the surface, each array separately: a step becomes a slope about `reach` wide on both sides.
/// A constant stays constant.
sup_result sup_surface_diffuse(const sup_curve_mesh* mesh, const sup_topology* topology, float reach, float* const* values,
                               uint32_t count, sup_arena* arena, sup_error* error);

/// Shortest distances over the surface from where d is 0 to all else (3e38: unreachable): fronts that cross triangles straight.
sup_result sup_surface_distances(const sup_curve_mesh* mesh, const sup_topology* topology, sup_arena* arena, float* d,
                                 sup_error* error);

#endif

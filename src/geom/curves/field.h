/// geom/curves/field.h: one smooth coordinate along every limb of a surface. Its level lines are rings that never cross.
///
/// A guess of where every point stands along its limb and of the way on (from a skeleton, or from distances over the surface
/// where there is none) is made smooth: directions are diffused, and the coordinate is the one whose slope comes nearest to
/// them, held to the guess over long ways only (as in the heat method, Crane et al. 2013, the direction counts and not the
/// height).
#ifndef SUP_GEOM_CURVES_FIELD_H
#define SUP_GEOM_CURVES_FIELD_H

#include "geom/curves/curves.h"
#include "geom/surface/topology.h"

/// Per point: how far out, and the way on from there (of length 1 at most). Points of no bone: 0 and no direction.
typedef struct sup_guides {
    float*    place;
    sup_vec3* way;
} sup_guides;

/// Guides from distances over the surface, for the components that are marked (NULL: all): from the thickest of its tips on.
sup_result sup_guides_by_distance(const sup_curve_mesh* mesh, const sup_topology* topology, const bool* components,
                                  sup_arena* arena, sup_guides* guides, sup_error* error);

/// The coordinate of every point, rising along the guides' ways; in units, like lengths. `scale`: what is smaller is smoothed.
sup_result sup_guides_smooth(const sup_curve_mesh* mesh, const sup_topology* topology, const sup_guides* guides, float scale,
                             sup_arena* arena, float* out, sup_error* error);

/// Lays the coordinate anew over the points that are marked, without a summit or a pit among them: each as the mean around it.
sup_result sup_coordinate_fill(const sup_curve_mesh* mesh, const sup_topology* topology, const bool* marked, sup_arena* arena,
                               float* u, sup_error* error);

/// Values of points, each array of them diffused over the surface by itself: a step becomes a slope about `reach` wide on both
/// sides. What is the same everywhere stays.
sup_result sup_surface_diffuse(const sup_curve_mesh* mesh, const sup_topology* topology, float reach, float* const* values,
                               uint32_t count, sup_arena* arena, sup_error* error);

/// Shortest ways over the surface from where d is 0 to all else (3e38: none leads there): fronts that cross triangles straight.
sup_result sup_surface_distances(const sup_curve_mesh* mesh, const sup_topology* topology, sup_arena* arena, float* d,
                                 sup_error* error);

#endif

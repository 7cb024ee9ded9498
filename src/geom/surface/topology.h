/// geom/surface/topology.h: the connectivity of a polygon mesh. Arrays in, arrays out; made once, read often.
#ifndef SUP_GEOM_SURFACE_TOPOLOGY_H
#define SUP_GEOM_SURFACE_TOPOLOGY_H

#include "supple/base.h"

typedef struct sup_polygons {
    uint32_t        point_count;
    uint32_t        face_count;
    const uint32_t* face_begin; ///< face_count + 1
    const uint32_t* corners;    ///< points
} sup_polygons;

/// An edge with its points in rising order and its first two faces (SUP_NONE if absent).
typedef struct sup_edge {
    uint32_t a, b;
    uint32_t faces[2];
    uint32_t face_count; ///< 1 on the boundary, over 2 where not manifold
    bool     flipped;    ///< two faces run along it in the same direction
} sup_edge;

typedef struct sup_topology {
    uint32_t        edge_count;
    const sup_edge* edges; ///< sorted by (a, b)

    const uint32_t* ring_begin; ///< point_count + 1: neighbors of each point by edges, in rising order
    const uint32_t* ring;

    const uint32_t* fan_begin; ///< point_count + 1: faces around each point, in rising order
    const uint32_t* fan;

    uint32_t        component_count; ///< of points that have a face
    const uint32_t* components;      ///< per point, numbered by first point; SUP_NONE for loose points

    uint32_t loop_count; ///< boundary loops (holes), each a closed walk along boundary edges against the faces' direction
    const uint32_t* loop_begin; ///< loop_count + 1
    const uint32_t* loops;      ///< points

    uint32_t boundary_edges, nonmanifold_edges, nonmanifold_points, loose_points;

    /// Faces with the points of an earlier one, in either orientation: both sides of a sheet, a copy left behind by an editor.
    /// They are in no list above. Callers that iterate over the faces themselves must skip them too.
    uint32_t       doubled_faces;
    const uint8_t* doubled; ///< per face: 1 for a duplicate; NULL: none
} sup_topology;

/// Linear in corners but for one sort. Repeated points inside a face make no edge with themselves.
sup_result sup_topology_create(const sup_polygons* polygons, sup_arena* arena, sup_topology* out, sup_error* error);

/// The same for triangles, three corners each. `triangles` may be freed afterwards.
sup_result sup_topology_of_triangles(uint32_t point_count, uint32_t triangle_count, const uint32_t* triangles, sup_arena* arena,
                                     sup_topology* out, sup_error* error);

/// The edge between two points, in either order; SUP_NONE: there is none.
uint32_t sup_topology_edge(const sup_topology* t, uint32_t a, uint32_t b);

/// How far a point's neighbors are: the mean of its edges, or less if its triangles are needles; 0 without any. `t` belongs to
/// these triangles.
float sup_topology_spacing(const sup_topology* t, const uint32_t* triangles, const sup_vec3* points, uint32_t point);

#endif

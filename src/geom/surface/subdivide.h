/// geom/surface/subdivide.h: a finer surface by Loop's rule (triangles) or Catmull and Clark's (any polygons), as rows of
/// shares: every new point is a weighted sum of old ones, so that everything stored per point (positions, weights, morphs,
/// maps) is refined the same way.
#ifndef SUP_GEOM_SURFACE_SUBDIVIDE_H
#define SUP_GEOM_SURFACE_SUBDIVIDE_H

#include "supple/base.h"

/// Shares that sum to 1: row i is index[begin[i]] up to index[begin[i + 1]], rising.
typedef struct sup_shares {
    uint32_t        count;
    const uint32_t* begin; ///< count + 1
    const uint32_t* index;
    const float*    share;
} sup_shares;

/// Polygons over points and over stored vertices; several vertices may share a point (a texture seam).
typedef struct sup_subdivide_input {
    uint32_t        point_count, vertex_count, face_count;
    const uint32_t* face_begin; ///< face_count + 1
    const uint32_t* corner_points;
    const uint32_t* corner_vertices;
    const uint32_t* vertex_points;
    const uint32_t* vertex_groups; ///< or NULL: vertices of a group stay together in the result, in the order of the groups
} sup_subdivide_input;

typedef struct sup_subdivided {
    uint32_t        point_count, vertex_count, face_count;
    const uint32_t* face_begin;
    const uint32_t* corner_points;
    const uint32_t* corner_vertices;
    const uint32_t* vertex_points;
    const uint32_t* vertex_groups; ///< NULL: none were given
    const uint32_t* face_parents;  ///< the face that each one comes from
    sup_shares      points;        ///< smooth, over the points given
    sup_shares      vertices;      ///< linear, over the vertices given: texture coordinates stay in place on the picture
    uint32_t        dropped;       ///< faces with fewer than three points, or with a repeated point in a row
} sup_subdivided;

/// Edges with one face, or more than two, are smooth curves by themselves; their ends and crossings stay in place. A part of
/// only triangles uses Loop's rule and stays triangles; others become quads.
sup_result sup_subdivide(const sup_subdivide_input* in, uint32_t levels, sup_arena* arena, sup_subdivided* out,
                         sup_error* error);

#endif

/// geom/surface/clean.h: the surface that physics sees. Files hold faces twice (both sides of a sheet, a copy left behind by an
/// editor) and faces without an area. They are drawn and written as they are; but a place under a hundred faces has a hundred
/// crossings, a hundred windings and no inside, so nothing that simulates, fills or measures flesh is given them.
#ifndef SUP_GEOM_SURFACE_CLEAN_H
#define SUP_GEOM_SURFACE_CLEAN_H

#include "supple/base.h"

typedef struct sup_clean {
    uint32_t        triangle_count;
    const uint32_t* triangles; ///< in their order; the given list itself where nothing was left out
    uint32_t        flat;      ///< left out: a point twice, or three points in a line
    uint32_t        doubled;   ///< left out: the same three points as an earlier one, in any order
    double          crowding;  ///< area of the rest in areas of the box around it: 0.2 to 0.8 for characters. 0 without points
} sup_clean;

/// Time grows with the count. `points` are finite, corners are points. Points NULL: three points in a line are kept, for
/// whoever walks over the surface: such a face joins its neighbors.
sup_result sup_clean_surface(const sup_vec3* points, uint32_t triangle_count, const uint32_t* triangles, sup_arena* arena,
                             sup_clean* out, sup_error* error);

/// The same for whoever fills the surface with flesh. Refused: faces that lie through each other all over the place, which enclose
/// nothing and take time that grows with the square of their number.
sup_result sup_clean_body(const sup_vec3* points, uint32_t triangle_count, const uint32_t* triangles, sup_arena* arena,
                          sup_clean* out, sup_error* error);

#endif

/// geom/surface/clean.h: the surface that physics sees. Files hold duplicate faces (both sides of a sheet, a copy left behind
/// by an editor) and faces without area. They are drawn and written as they are; but a place under a hundred faces has a
/// hundred crossings, a winding number of a hundred and no inside, so nothing that simulates, fills or measures flesh gets
/// them.
#ifndef SUP_GEOM_SURFACE_CLEAN_H
#define SUP_GEOM_SURFACE_CLEAN_H

#include "supple/base.h"

typedef struct sup_clean {
    uint32_t        triangle_count;
    const uint32_t* triangles; ///< in their order; the given list itself if nothing was left out
    uint32_t        flat;      ///< left out: a repeated point, or three points in a line
    uint32_t        doubled;   ///< area of the rest over that of its bounding box: 0.2 to 0.8 for characters. 0 without points
    double          crowding;  ///< area of the rest in areas of the box around it: 0.2 to 0.8 for characters. 0 without points
} sup_clean;

/// Linear in the count. `points` must be finite and corners valid. Points NULL: keeps three points in a line, for callers that
/// walk over the surface: such a face connects its neighbors.
sup_result sup_clean_surface(const sup_vec3* points, uint32_t triangle_count, const uint32_t* triangles, sup_arena* arena,
                             sup_clean* out, sup_error* error);

/// The same for callers that fill the surface with flesh. Refuses faces that lie through each other everywhere, which enclose
/// nothing and take time quadratic in their number.
sup_result sup_clean_body(const sup_vec3* points, uint32_t triangle_count, const uint32_t* triangles, sup_arena* arena,
                          sup_clean* out, sup_error* error);

#endif

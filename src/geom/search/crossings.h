/// geom/search/crossings.h: which triangles of a surface cross others of it.
#ifndef SUP_GEOM_SEARCH_CROSSINGS_H
#define SUP_GEOM_SEARCH_CROSSINGS_H

#include "supple/base.h"

typedef struct sup_crossings {
    uint32_t count;   ///< triangles that cross another one
    bool     crowded; ///< so many lie in one place that not all were tested
} sup_crossings;

/// One answer per triangle into `out`. Triangles that share a corner do not cross. `progress` runs from 0 to 1, or NULL.
sup_result sup_find_crossings(const sup_vec3* points, const uint32_t* triangles, uint32_t triangle_count,
                              const sup_progress* progress, sup_arena* temporary, bool* out, sup_crossings* report,
                              sup_error* error);

#endif

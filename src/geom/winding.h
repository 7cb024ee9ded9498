/// geom/winding.h: how often a surface goes around a place: 1 inside, 0 outside, in between near the holes of open meshes
/// (Jacobson et al. 2013). Far triangles count together as one dipole (Barill et al. 2018).
#ifndef SUP_GEOM_WINDING_H
#define SUP_GEOM_WINDING_H

#include "geom/bvh.h"

/// Triangles of one node of the hierarchy, as one.
typedef struct sup_dipole {
    double center[3], area[3]; ///< area: the vector area
    double radius;             ///< around the center
} sup_dipole;

typedef struct sup_winding {
    const sup_vec3*   points;
    sup_bvh           bvh;
    const sup_dipole* nodes;
} sup_winding;

sup_result sup_winding_create(const sup_vec3* points, const uint32_t* triangles, uint32_t triangle_count, sup_arena* arena,
                              sup_winding* out, sup_error* error);

/// Within about 0.02 of the exact sum.
double sup_winding_number(const sup_winding* winding, const double place[3]);

#endif

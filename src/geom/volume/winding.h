/// geom/volume/winding.h: the winding number of a surface around a place: 1 inside, 0 outside, in between near the holes of
/// open meshes (Jacobson et al. 2013). Distant triangles count together as one dipole (Barill et al. 2018).
#ifndef SUP_GEOM_VOLUME_WINDING_H
#define SUP_GEOM_VOLUME_WINDING_H

#include "geom/search/bvh.h"

/// The triangles of one node of the hierarchy, as one.
typedef struct sup_dipole {
    double center[3], area[3]; ///< area: the vector area
    double radius;             ///< around the center
} sup_dipole;

typedef struct sup_winding {
    const sup_vec3*   points;
    sup_bvh           bvh;
    const sup_dipole* nodes;
    uint32_t          tests; ///< limit for a place: SUP_WINDING_TESTS; callers with millions of places may lower it
} sup_winding;

sup_result sup_winding_create(const sup_vec3* points, const uint32_t* triangles, uint32_t triangle_count, sup_arena* arena,
                              sup_winding* out, sup_error* error);

/// Triangles tested one by one for a place, about; characters need up to 400. If large triangles cross each other everywhere,
/// none is far from anywhere, and every place would test all of them: beyond this limit the rest counts as dipoles, near or
/// not.
enum { SUP_WINDING_TESTS = 1024 };

/// A caller with thousands of places asks for some of them first, then passes what share of all that was and how many triangles
/// they tested together: lowers `tests` so that all of them stay below half a second of work, or below what surfaces of
/// characters take, whichever is more. May be called repeatedly, in a fixed order.
void sup_winding_bound(sup_winding* winding, double tested, double places, double share);

/// Within about 0.02 of the exact sum on surfaces that stay below that limit; finite on all others.
double sup_winding_counted(const sup_winding* winding, const double place[3],
                           uint32_t* tested); ///< set to how many it tested
double sup_winding_number(const sup_winding* winding, const double place[3]);

#endif

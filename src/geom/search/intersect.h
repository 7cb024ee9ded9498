/// geom/search/intersect.h: do two triangles pass through each other? Exact for float coordinates.
#ifndef SUP_GEOM_SEARCH_INTERSECT_H
#define SUP_GEOM_SEARCH_INTERSECT_H

#include "supple/base.h"

/// The sign of ((b - a) x (c - a)) . (d - a): 1 when d is on the side the triangle faces, 0 exactly when the four points are
/// coplanar.
int sup_orient3(sup_vec3 a, sup_vec3 b, sup_vec3 c, sup_vec3 d);

/// True when the triangles, without their borders, share a point: they cross, or lie in one plane and overlap. Touching (a
/// point or an edge that only meets the other triangle, or borders that meet) is not an intersection, and a triangle without
/// area has none. Coordinates must be finite.
bool sup_triangles_cross(const sup_vec3 s[3], const sup_vec3 t[3]);
/// The same, and reports the work it took, in box tests: 16 almost always, hundreds when a triangle a billion times larger than
/// others lies in one plane with them. Callers with a budget subtract it.
bool sup_triangles_cross_work(const sup_vec3 s[3], const sup_vec3 t[3], uint32_t* work);

/// Whether triangles of one mesh, three point numbers each, have a point in common.
static inline bool sup_triangles_share_a_point(const uint32_t s[3], const uint32_t t[3])
{
    for (int i = 0; i < 3; ++i)
        if (s[i] == t[0] || s[i] == t[1] || s[i] == t[2]) return true;
    return false;
}

#endif

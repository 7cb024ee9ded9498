/// math/vec3d.h: vectors of three doubles, for differences of float points that must not lose digits.
#ifndef SUP_MATH_VEC3D_H
#define SUP_MATH_VEC3D_H

#include "supple/base.h"

typedef struct vec3d {
    double x, y, z;
} vec3d;

static inline vec3d v3d_widen(sup_vec3 a) { return (vec3d){ (double)a.x, (double)a.y, (double)a.z }; }
static inline vec3d v3d_sub(vec3d a, vec3d b) { return (vec3d){ a.x - b.x, a.y - b.y, a.z - b.z }; }
/// to - from, exact in each coordinate up to the rounding of one subtraction.
static inline vec3d  v3d_between(sup_vec3 from, sup_vec3 to) { return v3d_sub(v3d_widen(to), v3d_widen(from)); }
static inline double v3d_dot(vec3d a, vec3d b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline vec3d  v3d_cross(vec3d a, vec3d b)
{
    return (vec3d){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}
/// a + s b
static inline vec3d v3d_mad(vec3d a, double s, vec3d b) { return (vec3d){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z }; }

#endif

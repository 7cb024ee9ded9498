#include "geom/surface/curvature.h"
#include "math/vec3d.h"

#include <math.h>

/// `twice` is twice the triangle's area, above 0.
static double mixed_area(vec3d ab, vec3d ac, vec3d bc, double twice)
{
    double at_a = v3d_dot(ab, ac), at_b = -v3d_dot(ab, bc), at_c = v3d_dot(ac, bc);
    if (at_a < 0) return twice / 4;
    if (at_b < 0 || at_c < 0) return twice / 8;
    return (v3d_dot(ab, ab) * at_c + v3d_dot(ac, ac) * at_b) / (8 * twice); // cotangent = dot / twice
}

double sup_mixed_area(sup_vec3 a, sup_vec3 b, sup_vec3 c)
{
    vec3d  ab = v3d_between(a, b), ac = v3d_between(a, c), n = v3d_cross(ab, ac);
    double twice = sqrt(v3d_dot(n, n));
    return twice > 0 ? mixed_area(ab, ac, v3d_between(b, c), twice) : 0;
}

// The sum of (cot alpha + cot beta)(x_i - x_j) / 2 is the gradient of the area, to which a triangle contributes n x (c - b) /
// 2: the same value, but bounded by the edge lengths however thin the triangle is. It equals the integral of 2 H n.
sup_curvature sup_curvature_at(const sup_vec3* points, const uint32_t* triangles, const uint32_t* fan, uint32_t fan_count,
                               uint32_t point)
{
    vec3d  gradient = { 0, 0, 0 }, normal = { 0, 0, 0 };
    double area = 0;
    for (uint32_t i = 0; i < fan_count; ++i) {
        const uint32_t* t = triangles + 3 * (size_t)fan[i];
        int             k = t[0] == point ? 0 : t[1] == point ? 1 : 2;
        sup_vec3        a = points[point], b = points[t[(k + 1) % 3]], c = points[t[(k + 2) % 3]];
        vec3d           ab = v3d_between(a, b), ac = v3d_between(a, c), bc = v3d_between(b, c), n = v3d_cross(ab, ac);
        double          twice = sqrt(v3d_dot(n, n));
        if (!(twice > 0)) continue;
        area += mixed_area(ab, ac, bc, twice);
        gradient = v3d_mad(gradient, 0.5 / twice, v3d_cross(n, bc));
        normal = v3d_mad(normal, 1, n);
    }
    double length = sqrt(v3d_dot(normal, normal));
    return (sup_curvature){ area, length > 0 ? 0.5 * v3d_dot(gradient, normal) / length : 0 };
}

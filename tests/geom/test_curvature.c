#include "geom/surface/curvature.h"

#include "math/trig.h"
#include "support.h"

#include <math.h>

#define V(x, y, z) ((sup_vec3){ x, y, z })

static void mixed_areas_of_right_and_obtuse_triangles(void** state)
{
    (void)state;
    sup_vec3 a = V(0, 0, 0), b = V(1, 0, 0), c = V(0, 1, 0);
    assert_true(fabs(sup_mixed_area(a, b, c) - 1.0 / 4) < 1e-15);
    assert_true(fabs(sup_mixed_area(b, c, a) - 1.0 / 8) < 1e-15);
    assert_true(fabs(sup_mixed_area(c, a, b) - 1.0 / 8) < 1e-15);
    b = V(2, 0, 0), c = V(1, 0.5f, 0);
    assert_true(fabs(sup_mixed_area(a, b, c) - 1.0 / 8) < 1e-15);
    assert_true(fabs(sup_mixed_area(b, c, a) - 1.0 / 8) < 1e-15);
    assert_true(fabs(sup_mixed_area(c, a, b) - 1.0 / 4) < 1e-15);
}

static void mixed_areas_add_up_to_the_triangle(void** state)
{
    (void)state;
    sup_vec3 a = V(0.3f, 0.1f, 2), b = V(1, 0.4f, 1.5f), c = V(0.2f, 1.1f, 1.7f);
    double   sum = sup_mixed_area(a, b, c) + sup_mixed_area(b, c, a) + sup_mixed_area(c, a, b);
    double   u[3] = { (double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z },
           v[3] = { (double)c.x - (double)a.x, (double)c.y - (double)a.y, (double)c.z - (double)a.z };
    double n[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
    assert_true(fabs(sum - 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])) < 1e-15);
    assert_true(sup_mixed_area(a, a, b) == 0);
}

/// A point with six neighbors around it: on a sphere, a cylinder or a saddle z = (p x^2 + q y^2) / 2.
static double mean_of_patch(double p, double q, double size, bool inside_out)
{
    sup_vec3 points[7] = { { 0, 0, 0 } };
    uint32_t triangles[18], fan[6];
    for (uint32_t i = 0; i < 6; ++i) {
        double x = size * sup_cos(i * 1.0471975511965976), y = size * sup_sin(i * 1.0471975511965976);
        points[i + 1] = V((float)x, (float)y, (float)(-0.5 * (p * x * x + q * y * y)));
        triangles[3 * i] = 1 + (inside_out ? (i + 1) % 6 : i);
        triangles[3 * i + 1] = 1 + (inside_out ? i : (i + 1) % 6);
        triangles[3 * i + 2] = 0;
        fan[i] = i;
    }
    sup_curvature c = sup_curvature_at(points, triangles, fan, 6, 0);
    return c.total / c.area;
}

static void mean_curvature_is_half_the_sum_of_both(void** state)
{
    (void)state;
    assert_true(fabs(mean_of_patch(2, 2, 0.01, false) - 2) < 1e-3); // a sphere of radius 1/2
    assert_true(fabs(mean_of_patch(2, 0, 0.01, false) - 1) < 1e-3); // a cylinder of radius 1/2
    assert_true(fabs(mean_of_patch(2, -2, 0.01, false)) < 1e-3);    // a saddle
    assert_true(fabs(mean_of_patch(2, 2, 0.01, true) + 2) < 1e-3);  // a hollow
    assert_true(fabs(mean_of_patch(0, 0, 1, false)) < 1e-12);       // a plane
}

static void triangles_without_area_are_absent(void** state)
{
    (void)state;
    const sup_vec3 points[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 2, 0, 0 }, { 0, 0, 0 } };
    const uint32_t triangles[] = { 0, 1, 2, 0, 1, 3, 0, 4, 1, 0, 0, 1 }, fan[] = { 0, 1, 2, 3 };
    sup_curvature  all = sup_curvature_at(points, triangles, fan, 4, 0), one = sup_curvature_at(points, triangles, fan, 1, 0);
    assert_true(all.area == one.area && all.total == one.total && one.area == 0.25);
    sup_curvature none = sup_curvature_at(points, triangles, fan + 1, 3, 0);
    assert_true(none.area == 0 && none.total == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixed_areas_of_right_and_obtuse_triangles),
        cmocka_unit_test(mixed_areas_add_up_to_the_triangle),
        cmocka_unit_test(mean_curvature_is_half_the_sum_of_both),
        cmocka_unit_test(triangles_without_area_are_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

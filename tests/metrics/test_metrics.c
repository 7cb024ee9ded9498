#include "supple/metrics.h"

#include "support.h"

#include <math.h>

// Corner 4x + 2y + z of the unit cube, quads outwards.
static const uint32_t begin[] = { 0, 4, 8, 12, 16, 20, 24 };
static const uint32_t corners[] = { 0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3 };

typedef struct cube {
    sup_mesh mesh;
    sup_vec3 points[8];
    uint32_t triangles[36];
} cube;

static void make_cube(cube* c)
{
    for (uint32_t i = 0; i < 8; ++i) c->points[i] = (sup_vec3){ (float)(i >> 2), (float)(i >> 1 & 1), (float)(i & 1) };
    for (uint32_t f = 0; f < 6; ++f) {
        const uint32_t* q = corners + 4 * f;
        const uint32_t  two[] = { q[0], q[1], q[2], q[0], q[2], q[3] };
        for (uint32_t i = 0; i < 6; ++i) c->triangles[6 * f + i] = two[i];
    }
    c->mesh = (sup_mesh){ .point_count = 8,
                          .points = c->points,
                          .face_count = 6,
                          .face_begin = begin,
                          .corner_count = 24,
                          .corner_points = corners,
                          .triangle_count = 12,
                          .triangles = c->triangles };
}

static void unit_cube_holds_one(void** state)
{
    (void)state;
    cube c;
    make_cube(&c);
    assert_true(fabs(sup_metric_volume(&c.mesh, c.points) - 1) < 1e-15);
}

static void cube_inside_out_holds_minus_one(void** state)
{
    (void)state;
    cube c;
    make_cube(&c);
    sup_vec3 mirrored[8];
    for (int i = 0; i < 8; ++i) mirrored[i] = (sup_vec3){ -c.points[i].x, c.points[i].y, c.points[i].z };
    assert_true(fabs(sup_metric_volume(&c.mesh, mirrored) + 1) < 1e-15);
}

static void volume_scales_and_ignores_the_place(void** state)
{
    (void)state;
    cube c;
    make_cube(&c);
    sup_vec3 moved[8];
    for (int i = 0; i < 8; ++i)
        moved[i] = (sup_vec3){ 2 * c.points[i].x + 1e6f, 3 * c.points[i].y - 2e6f, 0.5f * c.points[i].z + 4e5f };
    assert_true(fabs(sup_metric_volume(&c.mesh, moved) - 3) < 1e-8);
    c.mesh.point_count = 0, c.mesh.triangle_count = 0;
    assert_true(sup_metric_volume(&c.mesh, moved) == 0);
}

static void rest_shape_is_not_stretched(void** state)
{
    (void)state;
    cube c;
    make_cube(&c);
    assert_true(sup_metric_stretch(&c.mesh, c.points) == 1);
    sup_vec3 moved[8];
    for (int i = 0; i < 8; ++i) moved[i] = (sup_vec3){ c.points[i].x + 64, c.points[i].y - 8, c.points[i].z + 4 };
    assert_true(sup_metric_stretch(&c.mesh, moved) == 1);
}

static void longest_and_shortest_edges_count_alike(void** state)
{
    (void)state;
    cube c;
    make_cube(&c);
    sup_vec3 moved[8];
    for (int i = 0; i < 8; ++i) moved[i] = (sup_vec3){ 1.5f * c.points[i].x, 0.25f * c.points[i].y, c.points[i].z };
    assert_true(fabs(sup_metric_stretch(&c.mesh, moved) - 4) < 1e-12);
    for (int i = 0; i < 8; ++i) moved[i].y = 5 * c.points[i].y;
    assert_true(fabs(sup_metric_stretch(&c.mesh, moved) - 5) < 1e-12);
    for (int i = 0; i < 8; ++i) moved[i].y = 0;
    assert_true(isinf(sup_metric_stretch(&c.mesh, moved)));
}

static void edges_without_rest_length_do_not_count(void** state)
{
    (void)state;
    cube c;
    make_cube(&c);
    for (int i = 0; i < 8; ++i) c.points[i].x = 0; // flat at rest
    sup_vec3 moved[8];
    for (int i = 0; i < 8; ++i) moved[i] = (sup_vec3){ (float)(i >> 2), c.points[i].y, c.points[i].z };
    assert_true(sup_metric_stretch(&c.mesh, moved) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unit_cube_holds_one),
        cmocka_unit_test(cube_inside_out_holds_minus_one),
        cmocka_unit_test(volume_scales_and_ignores_the_place),
        cmocka_unit_test(rest_shape_is_not_stretched),
        cmocka_unit_test(longest_and_shortest_edges_count_alike),
        cmocka_unit_test(edges_without_rest_length_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

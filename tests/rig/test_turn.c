// Skeletons of another figure take the pose of the mesh.
#include "support.h"

#include "base/internal.h"
#include "math/vec.h"
#include "supple/rig.h"

#include <math.h>
#include <string.h>

// A trunk with two legs that hang straight down: three boxes, 4 units high in all.
typedef struct figure {
    sup_vec3 points[24];
    uint32_t triangles[108];
    sup_mesh mesh;
} figure;

static void add_box(figure* f, sup_vec3 low, sup_vec3 high)
{
    static const uint32_t faces[36] = { 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                        2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5 };
    uint32_t              first = f->mesh.point_count;
    for (uint32_t k = 0; k < 8; ++k)
        f->points[f->mesh.point_count++] = v3(k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z);
    for (uint32_t i = 0; i < 36; ++i) f->triangles[3 * f->mesh.triangle_count + i] = first + faces[i];
    f->mesh.triangle_count += 12;
}

static void make_figure(figure* f)
{
    *f = (figure){ 0 };
    add_box(f, v3(-0.6f, 2, -0.25f), v3(0.6f, 4, 0.25f));
    add_box(f, v3(-0.6f, 0, -0.2f), v3(-0.2f, 2.1f, 0.2f));
    add_box(f, v3(0.2f, 0, -0.2f), v3(0.6f, 2.1f, 0.2f));
    f->mesh.points = f->points;
    f->mesh.triangles = f->triangles;
}

// Hips, chest, and a hip, a knee and a foot on each side, with the legs `apart` radians to the side.
static const uint32_t parents[8] = { SUP_NONE, 0, 0, 2, 3, 0, 5, 6 };

static void stand(float apart, sup_vec3* places)
{
    places[0] = v3(0, 2.2f, 0);
    places[1] = v3(0, 3.8f, 0);
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3; ++k) {
            float sign = side ? 1.0f : -1.0f, down = 0.95f * (float)k;
            places[2 + 3 * side + k] = v3(sign * (0.4f + down * sinf(apart)), 2.05f - down * cosf(apart), 0);
        }
}

static void legs_that_stand_apart_come_into_the_legs_of_the_mesh(void** state)
{
    (void)state;
    figure f;
    make_figure(&f);
    for (int k = 1; k <= 3; ++k) { // 11, 23 and 34 degrees
        sup_vec3  places[8];
        sup_error error = { 0 };
        sup_turn  done;
        stand(0.2f * (float)k, places);
        assert_ok(sup_places_turn(&f.mesh, 8, parents, places, NULL, NULL, &done, &error), error);
        assert_true(done.before < 0.9f && done.after > 0.97f);
        for (int side = 0; side < 2; ++side) {
            sup_vec3 foot = places[4 + 3 * side], knee = places[3 + 3 * side];
            assert_float_equal(foot.x, side ? 0.4f : -0.4f, 0.15f);
            assert_float_equal(knee.x, side ? 0.4f : -0.4f, 0.15f);
            assert_float_equal(v3_distance(foot, knee), 0.95f, 0.1f); // lengths stay
        }
        assert_true(done.farthest > 11.0f * (float)k - 6 && done.farthest < 81);
    }
}

static void a_figure_beside_the_mesh_is_shifted_into_it(void** state)
{
    (void)state;
    figure    f;
    sup_vec3  places[8];
    sup_error error = { 0 };
    sup_turn  done;
    make_figure(&f);
    stand(0, places);
    for (int i = 0; i < 8; ++i) places[i].z += 0.35f;
    assert_ok(sup_places_turn(&f.mesh, 8, parents, places, NULL, NULL, &done, &error), error);
    assert_true(done.before < 0.1f && done.after > 0.97f);
    for (int i = 0; i < 8; ++i) assert_true(fabsf(places[i].z) < 0.25f);
}

static void bones_that_lie_inside_hardly_move(void** state)
{
    (void)state;
    figure    f;
    sup_vec3  places[8], first[8];
    sup_error error = { 0 };
    sup_turn  done;
    make_figure(&f);
    stand(0, first);
    stand(0, places);
    assert_ok(sup_places_turn(&f.mesh, 8, parents, places, NULL, NULL, &done, &error), error);
    assert_true(done.before > 0.97f && done.after >= done.before);
    for (int i = 0; i < 8; ++i) assert_true(v3_distance(places[i], first[i]) < 0.25f);
}

static void odd_input_is_an_error_and_failing_memory_leaks_nothing(void** state)
{
    (void)state;
    figure         f;
    sup_vec3       places[8];
    sup_turn       done;
    sup_error      error = { 0 };
    const uint32_t rising[2] = { 1, SUP_NONE };
    make_figure(&f);
    stand(0.2f, places);
    assert_int_equal(sup_places_turn(&f.mesh, 2, rising, places, NULL, NULL, &done, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "joint 1 comes before its parent"));
    assert_int_equal(sup_places_turn(&f.mesh, 8, parents, places, &(sup_center_options){ .cells = 1000 }, NULL, &done, &error),
                     SUP_ERROR_INPUT);
    sup_center_options coarse = { .cells = 8 };
    for (test_starved s = { 0 }; test_starve(&s);)
        s.result = sup_places_turn(&f.mesh, 8, parents, places, &coarse, &s.memory.allocator, &done, &error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(legs_that_stand_apart_come_into_the_legs_of_the_mesh),
        cmocka_unit_test(a_figure_beside_the_mesh_is_shifted_into_it),
        cmocka_unit_test(bones_that_lie_inside_hardly_move),
        cmocka_unit_test(odd_input_is_an_error_and_failing_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

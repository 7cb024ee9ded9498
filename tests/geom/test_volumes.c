#include "geom/volume/volumes.h"

#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Corner 4x + 2y + z of the unit cube, outwards: two triangles each for x = 0, x = 1, y = 0, y = 1, z = 0, z = 1.
static const uint32_t cube[36] = { 0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                   2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3 };
static const sup_vec3 cube_points[8] = { { 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 }, { 0, 1, 1 },
                                         { 1, 0, 0 }, { 1, 0, 1 }, { 1, 1, 0 }, { 1, 1, 1 } };

static sup_volumes make(sup_arena* arena, const sup_volumes_desc* desc)
{
    sup_volumes v;
    sup_error   error;
    assert_ok(sup_volumes_create(desc, arena, &v, &error), error);
    return v;
}

/// Every part's triangles have area vectors that sum to nothing, which only closed surfaces have.
static void assert_closed(const sup_volumes* v, const sup_vec3* points, const sup_affine* carriers)
{
    for (uint32_t p = 0; p < v->part_count; ++p) {
        double sum[3] = { 0 }, size = 1;
        for (uint32_t t = v->begin[p]; t < v->begin[p + 1]; ++t) {
            double x[3][3];
            for (int k = 0; k < 3; ++k) sup_volumes_point(v, points, carriers, v->corners[3 * t + (uint32_t)k], x[k]);
            for (int k = 0; k < 3; ++k) {
                int    i = (k + 1) % 3, j = (k + 2) % 3;
                double n = (x[1][i] - x[0][i]) * (x[2][j] - x[0][j]) - (x[1][j] - x[0][j]) * (x[2][i] - x[0][i]);
                sum[k] += n;
                size += fabs(n);
            }
        }
        for (int k = 0; k < 3; ++k) assert_true(fabs(sum[k]) < 1e-13 * size);
    }
}

static void cube_holds_one_with_and_without_a_face(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    double     volume;
    for (uint32_t missing = 0; missing <= 6; ++missing) { // the last one: none
        uint32_t triangles[36], count = 0;
        for (uint32_t t = 0; t < 12; ++t)
            if (t / 2 != missing) memcpy(triangles + 3 * count++, cube + 3 * t, 3 * sizeof *cube);
        sup_volumes v = make(
            arena, &(sup_volumes_desc){ .point_count = 8, .triangle_count = count, .triangles = triangles, .part_count = 1 });
        assert_int_equal(v.hole_count, missing < 6);
        assert_int_equal(v.center_count, 0);
        sup_volumes_measure(&v, cube_points, NULL, &volume);
        assert_true(fabs(volume - 1) < 1e-15);
        assert_closed(&v, cube_points, NULL);
    }
    sup_arena_destroy(arena);
}

static void opposite_faces_missing_are_two_holes(void** state)
{
    (void)state;
    sup_arena*  arena = sup_arena_create(NULL);
    double      volume;
    sup_volumes v =
        make(arena, &(sup_volumes_desc){ .point_count = 8, .triangle_count = 8, .triangles = cube + 12, .part_count = 1 });
    assert_int_equal(v.hole_count, 2);
    sup_volumes_measure(&v, cube_points, NULL, &volume);
    assert_true(fabs(volume - 1) < 1e-15);
    sup_arena_destroy(arena);
}

// x = 0 is part 1, the rest part 0, and the cut is at (0.4, 0.5, 0.5): part 1 is a pyramid of height 0.4 and base 1.
// A cube of 1 with all its faces is 4 / 6 thick; without two opposite ones, as a piece of a limb, its own width.
static void thickness_is_the_width_of_a_limb(void** state)
{
    (void)state;
    sup_arena*  arena = sup_arena_create(NULL);
    double      thickness;
    sup_volumes v =
        make(arena, &(sup_volumes_desc){ .point_count = 8, .triangle_count = 12, .triangles = cube, .part_count = 1 });
    sup_volumes_thickness(&v, cube_points, &thickness);
    assert_float_equal(thickness, 4.0 / 6, 1e-6);
    v = make(arena, &(sup_volumes_desc){ .point_count = 8, .triangle_count = 8, .triangles = cube + 12, .part_count = 1 });
    sup_volumes_thickness(&v, cube_points, &thickness);
    assert_float_equal(thickness, 1, 1e-6);
    sup_arena_destroy(arena);
}

static void fan_to_the_cut_makes_a_pyramid(void** state)
{
    (void)state;
    const uint32_t   labels[12] = { 1, 1 }, parents[] = { SUP_NONE, 0 }, carriers[] = { 0, 1 };
    const sup_vec3   cuts[] = { { 0, 0, 0 }, { 0.4f, 0.5f, 0.5f } };
    sup_arena*       arena = sup_arena_create(NULL);
    sup_volumes_desc desc = { 8, 12, cube, 2, labels, parents, cuts, carriers };
    sup_volumes      v = make(arena, &desc);
    double           volume[2];
    assert_int_equal(v.hole_count, 0);
    assert_int_equal(v.center_count, 1);
    sup_volumes_measure(&v, cube_points, NULL, volume);
    assert_true(fabs(volume[1] - 0.4 / 3) < 1e-8 && fabs(volume[0] + volume[1] - 1) < 1e-15);
    assert_closed(&v, cube_points, NULL);
    // the carrier moves the cut to x = 0.7
    const sup_affine moved[2] = { { { { 0 } } }, { { { 1, 0, 0, 0.3f }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } } };
    sup_volumes_measure(&v, cube_points, moved, volume);
    assert_true(fabs(volume[1] - 0.7 / 3) < 1e-7 && fabs(volume[0] + volume[1] - 1) < 1e-15);
    // without a parent the border's own middle is the center: the pyramid is flat
    desc.parents = NULL;
    v = make(arena, &desc);
    sup_volumes_measure(&v, cube_points, moved, volume);
    assert_true(fabs(volume[1]) < 1e-15 && fabs(volume[0] - 1) < 1e-15);
    sup_arena_destroy(arena);
}

// Three parts meet in corner 7; the borders between them are one net with one center, and the volumes still add up.
static void three_parts_that_meet_share_a_center(void** state)
{
    (void)state;
    const uint32_t labels[12] = { 0, 0, 1, 1, 0, 0, 2, 2, 0, 0, 0, 0 }, parents[] = { SUP_NONE, 0, 0 },
                   carriers[] = { 0, 0, 0 };
    const sup_vec3 cuts[] = { { 0, 0, 0 }, { 0.5f, 0.25f, 0.5f }, { 0.25f, 0.5f, 0.5f } };
    sup_arena*     arena = sup_arena_create(NULL);
    sup_volumes    v = make(arena, &(sup_volumes_desc){ 8, 12, cube, 3, labels, parents, cuts, carriers });
    double         volume[3], center[3];
    assert_int_equal(v.center_count, 1);
    sup_volumes_point(&v, cube_points, NULL, 8, center);
    assert_true(fabs(center[0] - 0.375) < 1e-12 && fabs(center[1] - 0.375) < 1e-12); // both cuts have three edges
    sup_volumes_measure(&v, cube_points, NULL, volume);
    assert_true(fabs(volume[0] + volume[1] + volume[2] - 1) < 1e-15);
    assert_true(fabs(volume[1] - 0.625 / 3) < 1e-12 && fabs(volume[2] - 0.625 / 3) < 1e-12);
    assert_closed(&v, cube_points, NULL);
    sup_arena_destroy(arena);
}

// Two triangles that meet in a point are two holes, each closed flat.
static void bow_tie_is_two_holes(void** state)
{
    (void)state;
    const uint32_t triangles[] = { 0, 1, 2, 0, 3, 4 };
    const sup_vec3 points[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { -1, 0, 1 }, { 0, -1, 2 } };
    sup_arena*     arena = sup_arena_create(NULL);
    sup_volumes    v =
        make(arena, &(sup_volumes_desc){ .point_count = 5, .triangle_count = 2, .triangles = triangles, .part_count = 1 });
    double volume;
    assert_int_equal(v.hole_count, 2);
    sup_volumes_measure(&v, points, NULL, &volume);
    assert_true(fabs(volume) < 1e-15);
    sup_arena_destroy(arena);
}

static void any_soup_falls_into_closed_parts_that_add_up(void** state)
{
    (void)state;
    uint32_t seed = 1, holes = 0, centers = 0;
    for (int round = 0; round < 3000; ++round) {
        enum { MOST = 24 };
        uint32_t triangles[3 * MOST], labels[MOST], count = 1 + (uint32_t)round % MOST, points_used = 4 + (uint32_t)round % 7;
        uint32_t parents[4] = { SUP_NONE, 0, 1, 0 }, carriers[4] = { 0 };
        sup_vec3 points[10], cuts[4];
        for (uint32_t i = 0; i < 3 * count; ++i) {
            seed = seed * 1664525u + 1013904223u;
            triangles[i] = (seed >> 16) % points_used;
            labels[i / 3] = (seed >> 8) % 4;
        }
        for (uint32_t i = 0; i < 14; ++i) {
            float c[3];
            for (int k = 0; k < 3; ++k) {
                seed = seed * 1664525u + 1013904223u;
                c[k] = (float)(seed >> 8) * 0x1p-24f;
            }
            *(i < 10 ? &points[i] : &cuts[i - 10]) = (sup_vec3){ c[0], c[1], c[2] };
        }
        sup_arena*  arena = sup_arena_create(NULL);
        sup_volumes v = make(arena, &(sup_volumes_desc){ points_used, count, triangles, 4, labels, parents, cuts, carriers });
        sup_volumes whole =
            make(arena, &(sup_volumes_desc){
                            .point_count = points_used, .triangle_count = count, .triangles = triangles, .part_count = 1 });
        double parts[4], all;
        sup_volumes_measure(&v, points, NULL, parts);
        sup_volumes_measure(&whole, points, NULL, &all);
        assert_int_equal(v.hole_count, whole.hole_count);
        assert_true(fabs(parts[0] + parts[1] + parts[2] + parts[3] - all) < 1e-13);
        assert_closed(&v, points, NULL);
        holes += v.hole_count;
        centers += v.center_count;
        sup_arena_destroy(arena);
    }
    assert_true(holes > 3000 && centers > 1000);
}

static void empty_mesh_has_no_volume(void** state)
{
    (void)state;
    sup_arena*  arena = sup_arena_create(NULL);
    sup_volumes v = make(arena, &(sup_volumes_desc){ .part_count = 1 });
    double      volume = 1;
    sup_volumes_measure(&v, NULL, NULL, &volume);
    assert_true(volume == 0);
    sup_arena_destroy(arena);
}

static void no_memory_is_an_error_not_a_crash(void** state)
{
    (void)state;
    const uint32_t         labels[10] = { 1, 1 }, parents[] = { SUP_NONE, 0 }, carriers[] = { 0, 0 };
    const sup_vec3         cuts[2] = { { 0, 0, 0 } };
    const sup_volumes_desc desc = { 8, 10, cube, 2, labels, parents, cuts, carriers };
    test_starved           s = { 0 };
    while (test_starve(&s)) {
        sup_arena*  arena = sup_arena_create(&s.memory.allocator);
        sup_volumes v = { .part_count = 77 };
        sup_error   error = { 0 };
        if (arena) s.result = sup_volumes_create(&desc, arena, &v, &error);
        assert_int_equal(v.part_count, s.result == SUP_OK ? 2 : 77);
        if (arena && s.result != SUP_OK) assert_true(strlen(error.text) > 0);
        sup_arena_destroy(arena);
    }
    assert_true(s.rounds > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube_holds_one_with_and_without_a_face),
        cmocka_unit_test(opposite_faces_missing_are_two_holes),
        cmocka_unit_test(thickness_is_the_width_of_a_limb),
        cmocka_unit_test(fan_to_the_cut_makes_a_pyramid),
        cmocka_unit_test(three_parts_that_meet_share_a_center),
        cmocka_unit_test(bow_tie_is_two_holes),
        cmocka_unit_test(any_soup_falls_into_closed_parts_that_add_up),
        cmocka_unit_test(empty_mesh_has_no_volume),
        cmocka_unit_test(no_memory_is_an_error_not_a_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

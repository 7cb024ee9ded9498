// Faces that physics does not see.
#include "support.h"

#include "geom/surface/clean.h"

#include <math.h>
#include <string.h>

static const sup_vec3 points[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 2, 0, 0 }, { 0.5f, 1e-9f, 0 } };

static sup_clean clean(const uint32_t* triangles, uint32_t count, sup_arena* arena)
{
    sup_clean out;
    sup_error error = { 0 };
    assert_ok(sup_clean_surface(points, count, triangles, arena, &out, &error), error);
    return out;
}

static void a_clean_surface_is_the_list_itself(void** state)
{
    (void)state;
    static const uint32_t triangles[] = { 0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3 };
    sup_arena*            arena = sup_arena_create(NULL);
    sup_clean             c = clean(triangles, 4, arena);
    assert_ptr_equal(c.triangles, triangles);
    assert_int_equal(c.triangle_count, 4);
    assert_int_equal(c.flat + c.doubled, 0);
    sup_arena_destroy(arena);
}

static void the_first_of_those_with_the_same_points_stays(void** state)
{
    (void)state;
    // The second and fifth are the first turned around and inside out; the fourth shares two points with it.
    static const uint32_t triangles[] = { 0, 2, 1, 2, 1, 0, 1, 2, 3, 0, 1, 3, 1, 2, 0, 3, 2, 1 };
    static const uint32_t want[] = { 0, 2, 1, 1, 2, 3, 0, 1, 3 };
    sup_arena*            arena = sup_arena_create(NULL);
    sup_clean             c = clean(triangles, 6, arena);
    assert_int_equal(c.doubled, 3);
    assert_int_equal(c.flat, 0);
    assert_int_equal(c.triangle_count, 3);
    assert_memory_equal(c.triangles, want, sizeof want);
    sup_arena_destroy(arena);
}

static void lines_and_points_are_left_out(void** state)
{
    (void)state;
    // A point twice; three in a line; one that is off the line by less than its coordinates can tell.
    static const uint32_t triangles[] = { 0, 1, 1, 0, 1, 4, 0, 5, 1, 0, 1, 2, 3, 3, 3 };
    sup_arena*            arena = sup_arena_create(NULL);
    sup_clean             c = clean(triangles, 5, arena);
    assert_int_equal(c.flat, 4);
    assert_int_equal(c.doubled, 0);
    assert_int_equal(c.triangle_count, 1);
    assert_int_equal(c.triangles[2], 2);
    sup_arena_destroy(arena);
}

static void crowding_is_the_area_beside_that_of_the_box(void** state)
{
    (void)state;
    // Three sides of half a unit square and one of area sqrt(3) / 2 in a unit box; a copy does not count.
    static const uint32_t triangles[] = { 0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3, 0, 1, 2 };
    sup_arena*            arena = sup_arena_create(NULL);
    assert_true(fabs(clean(triangles, 5, arena).crowding - (1.5 + 0.5 * sqrt(3.0)) / 6) < 1e-12);
    sup_arena_destroy(arena);
}

static void a_surface_may_have_no_faces_left(void** state)
{
    (void)state;
    static const uint32_t triangles[] = { 0, 0, 0 };
    sup_arena*            arena = sup_arena_create(NULL);
    assert_int_equal(clean(triangles, 1, arena).triangle_count, 0);
    sup_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_clean_surface_is_the_list_itself),
                                        cmocka_unit_test(the_first_of_those_with_the_same_points_stays),
                                        cmocka_unit_test(lines_and_points_are_left_out),
                                        cmocka_unit_test(crowding_is_the_area_beside_that_of_the_box),
                                        cmocka_unit_test(a_surface_may_have_no_faces_left) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

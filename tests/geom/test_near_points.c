#include "support.h"

#include "geom/search/near_points.h"
#include "math/vec.h"

#include <math.h>
#include <stdlib.h>

static float any(uint32_t* seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / 16777216.0f;
}

static sup_near_points make(const sup_vec3* points, uint32_t count, sup_arena* arena)
{
    sup_near_points near;
    sup_error       error = { 0 };
    assert_ok(sup_near_points_create(points, count, arena, &near, &error), error);
    return near;
}

// Clouds, a line, a plane, places of whole numbers where many are equally near, and huge coordinates.
static void the_distance_has_the_bits_of_the_least_one(void** state)
{
    (void)state;
    uint32_t seed = 3;
    for (uint32_t round = 0; round < 60; ++round) {
        sup_vec3   points[300];
        uint32_t   count = 1 + round * 5, kind = round % 5;
        sup_arena* arena = sup_arena_create(NULL);
        for (uint32_t i = 0; i < count; ++i) {
            points[i] = v3(any(&seed), kind == 1 ? 0 : any(&seed), kind == 1 || kind == 2 ? 0 : any(&seed));
            if (kind == 3) points[i] = v3(floorf(3 * points[i].x), floorf(3 * points[i].y), floorf(3 * points[i].z));
            if (kind == 4) points[i] = v3_scale(points[i], 1e30f);
        }
        sup_near_points near = make(points, count, arena);
        for (uint32_t k = 0; k < 200; ++k) {
            sup_vec3 from = v3_scale(v3(2 * any(&seed) - 0.5f, any(&seed), any(&seed)), kind == 4 ? 1e30f : 1);
            float    least = INFINITY;
            if (k % 10 == 0) from = points[k % count];
            for (uint32_t i = 0; i < count; ++i) least = fminf(least, v3_distance(from, points[i]));
            assert_true(sup_near_points_distance(&near, from, INFINITY) == least);
            assert_true(sup_near_points_distance(&near, from, 0.1f) == (least < 0.1f ? least : INFINITY));
        }
        sup_arena_destroy(arena);
    }
}

static void without_places_nothing_is_near(void** state)
{
    (void)state;
    sup_arena*      arena = sup_arena_create(NULL);
    sup_near_points near = make(NULL, 0, arena);
    assert_true(isinf(sup_near_points_distance(&near, v3(0, 0, 0), INFINITY)));
    sup_arena_destroy(arena);
}

// All at one place, or all on one line: a search that goes through them would look at ten thousand million.
static void crowds_are_searched_fast(void** state)
{
    (void)state;
    enum { CROWD = 100000 };
    sup_vec3* points = calloc(CROWD, sizeof *points);
    for (uint32_t line = 0; line < 2; ++line) {
        for (uint32_t i = 0; i < CROWD; ++i) points[i] = v3(line ? (float)i : 1, 2, 3);
        sup_arena*      arena = sup_arena_create(NULL);
        sup_near_points near = make(points, CROWD, arena);
        for (uint32_t i = 0; i < CROWD; ++i)
            assert_true(sup_near_points_distance(&near, v3(line ? (float)i : 1, 2, 7), INFINITY) == 4);
        sup_arena_destroy(arena);
    }
    free(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_distance_has_the_bits_of_the_least_one),
        cmocka_unit_test(without_places_nothing_is_near),
        cmocka_unit_test(crowds_are_searched_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "supple/metrics.h"

#include "support.h"

#include <math.h>

static void errors_are_gathered_over_frames(void** state)
{
    (void)state;
    const sup_vec3 truth[2] = { { 0, 0, 0 }, { 1, 1, 1 } };
    const sup_vec3 first[2] = { { 3, 0, 4 }, { 1, 1, 1 } }, second[2] = { { 0, 0, 1 }, { 1, 3, 1 } };
    sup_errors     e = { 0 };
    float          each[2];
    assert_true(sup_errors_mean(&e) == 0 && sup_errors_rms(&e) == 0 && sup_errors_erms(&e, 1) == 0);
    sup_errors_add(&e, first, truth, 2, each);
    assert_true(each[0] == 5 && each[1] == 0);
    sup_errors_add(&e, second, truth, 2, NULL);
    assert_true(e.max == 5 && e.count == 4);
    assert_true(sup_errors_mean(&e) == 2);                                           // (5 + 0 + 1 + 2) / 4
    assert_true(fabs(sup_errors_rms(&e) - sqrt(7.5)) < 1e-15);                       // (25 + 0 + 1 + 4) / 4
    assert_true(fabs(sup_errors_erms(&e, 10) - 1000 * sqrt(30.0 / 12) / 10) < 1e-9); // 3 coordinates of 4 points
    assert_true(sup_errors_erms(&e, 0) == 0);
}

// x = t^3, y = 2 t^2, z = t, and a second point at rest: third derivatives 6, 0, 0; times are quarters, so floats are exact.
static void jerk_of_a_cubic_is_its_third_derivative(void** state)
{
    (void)state;
    sup_arena*  arena = sup_arena_create(NULL);
    sup_motion* motion = NULL;
    sup_error   error;
    assert_ok(sup_motion_create(2, 0.25, arena, &motion, &error), error);
    for (int i = 0; i < 9; ++i) {
        float    t = 0.25f * (float)i, u = t - 0.25f;
        sup_vec3 points[2] = { { t * t * t, 2 * t * t, t }, { 7, 7, 7 } };
        double   speed = -1, rms = -1, most = -1;
        sup_motion_push(motion, points, &speed, &rms, &most);
        double x = (double)(t * t * t - u * u * u) / 0.25, y = (double)(2 * t * t - 2 * u * u) / 0.25;
        assert_true(fabs(speed - (i ? sqrt(x * x + y * y + 1) : 0)) < 1e-12);
        assert_true(fabs(most - (i >= 3 ? 6 : 0)) < 1e-12);
        assert_true(fabs(rms - (i >= 3 ? 6 / sqrt(2) : 0)) < 1e-12);
    }
    sup_arena_destroy(arena);
}

static void motion_says_when_memory_is_missing(void** state)
{
    (void)state;
    for (test_starved s = { 0 }; test_starve(&s);) {
        sup_arena*  arena = sup_arena_create(&s.memory.allocator);
        sup_motion* motion = NULL;
        sup_error   error;
        if (arena) s.result = sup_motion_create(100000, 0.1, arena, &motion, &error);
        assert_int_equal(s.result == SUP_OK, motion != NULL);
        sup_arena_destroy(arena);
    }
}

static void settling_time_is_when_speeds_were_last_above(void** state)
{
    (void)state;
    const double speeds[] = { 9, 5, 1, 3, 1, 0.5, 0.2 };
    assert_true(sup_settle_time(speeds, 7, 0, 0.5, 2) == 1.5); // frame 3
    assert_true(sup_settle_time(speeds, 7, 2, 0.5, 2) == 0.5); // one frame after frame 2
    assert_true(sup_settle_time(speeds, 7, 4, 0.5, 2) == 0);   // never
    assert_true(sup_settle_time(speeds, 7, 0, 0.5, 10) == 0);  // never
    assert_true(sup_settle_time(speeds, 7, 0, 0.5, 0.1) < 0);  // still moving
    assert_true(sup_settle_time(speeds, 4, 0, 0.5, 2) < 0);    // still moving when it was cut off
    assert_true(sup_settle_time(speeds, 7, 7, 0.5, 0) == 0);   // nothing to look at
    assert_true(sup_settle_time((const double[]){ NAN }, 1, 0, 1, 2) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_gathered_over_frames),
        cmocka_unit_test(jerk_of_a_cubic_is_its_third_derivative),
        cmocka_unit_test(motion_says_when_memory_is_missing),
        cmocka_unit_test(settling_time_is_when_speeds_were_last_above),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

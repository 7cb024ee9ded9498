#include "supple/metrics.h"

#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct judged {
    sup_character* c;
    sup_meter*     meter;
    sup_arena*     arena;
    sup_pose       pose;
    void*          scratch;
    sup_vec3 *     thin, *flat;
    sup_verdict    v;
} judged;

// A tube along x, its rest pose, and two skins: y and z times sqrt(0.9), and turned inside out through the axis' plane.
static judged judged_tube(void)
{
    judged    j = { .c = test_tube(16, 12, 4, 1.0f, 0.1f), .arena = sup_arena_create(NULL) };
    sup_error error;
    assert_ok(sup_meter_create(j.c, NULL, &j.meter, &error), error);
    assert_ok(sup_pose_create(j.c, j.arena, &j.pose, &error), error);
    sup_pose_bind(j.c, &j.pose);
    j.scratch = sup_scratch_create(sup_verdict_scratch(j.meter), NULL);
    uint32_t n = j.c->mesh.point_count;
    j.thin = sup_arena_alloc(j.arena, n, sizeof *j.thin);
    j.flat = sup_arena_alloc(j.arena, n, sizeof *j.flat);
    for (uint32_t i = 0; i < n; ++i) {
        sup_vec3 p = j.c->mesh.points[i];
        float    f = sqrtf(0.9f);
        j.thin[i] = (sup_vec3){ p.x, f * p.y, f * p.z };
        j.flat[i] = (sup_vec3){ fabsf(p.x - 0.5f), p.y, p.z + 0.02f * p.x }; // one half through the other
    }
    sup_verdict_begin(j.meter, j.scratch, NULL, &j.v);
    return j;
}

static void judged_end(judged* j)
{
    sup_scratch_destroy(j->scratch);
    sup_arena_destroy(j->arena);
    sup_meter_destroy(j->meter);
    sup_character_destroy(j->c);
}

static void frames_are_spread_from_the_first_to_the_last(void** state)
{
    (void)state;
    const uint32_t counts[] = { 1, 2, 11, 12, 13, 31, 1000, 4000 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        uint32_t n = counts[i], taken = 0;
        for (uint32_t f = 0; f < n; ++f) taken += sup_verdict_takes(f, n);
        assert_int_equal(taken, n < SUP_VERDICT_FRAMES ? n : SUP_VERDICT_FRAMES);
        assert_true(sup_verdict_takes(0, n) && sup_verdict_takes(n - 1, n));
    }
}

static void a_tenth_of_the_cross_section_is_a_tenth_of_the_volume(void** state)
{
    (void)state;
    judged j = judged_tube();
    char   text[600];
    sup_verdict_push(j.meter, 0.25, &j.pose, j.c->mesh.points, j.c->mesh.points, j.scratch, NULL, &j.v);
    assert_false(sup_verdict_complains(&j.v));
    sup_verdict_text(&j.v, text, sizeof text);
    assert_string_equal(text, "Every part keeps its volume within 0.1 %; no triangles cross.");
    sup_verdict_push(j.meter, 0.5, &j.pose, j.thin, j.c->mesh.points, j.scratch, NULL, &j.v);
    assert_true(fabs(j.v.volume + 0.1) < 1e-5 && fabs(j.v.volume_linear) < 1e-5);
    assert_true(j.v.volume_time == 0.5 && j.v.frames == 2 && j.v.crossings == 0 && sup_verdict_complains(&j.v));
    assert_true(fabs(sup_verdict_volume(j.meter, &j.v, &j.pose, j.thin, j.scratch) + 0.1) < 1e-5);
    // better again: the worst stays
    sup_verdict_push(j.meter, 0.75, &j.pose, j.c->mesh.points, j.c->mesh.points, j.scratch, NULL, &j.v);
    assert_true(j.v.volume_time == 0.5);
    j.v.volume_linear = -0.2;
    sup_verdict_text(&j.v, text, sizeof text);
    assert_non_null(strstr(text, "Worst at 0.50 s: the skin around 'joint"));
    assert_non_null(strstr(text, "' loses 10.0 % of its volume (-20.0 % under linear skinning); no triangles cross."));
    assert_int_equal(sup_verdict_text(&j.v, text, 8), strlen("Worst at 0.50 s: the skin around 'joint0' loses 10.0 % of its "
                                                             "volume (-20.0 % under linear skinning); no triangles cross."));
    assert_int_equal(strlen(text), 7);
    j.v.volume = -4.637;
    sup_verdict_text(&j.v, text, sizeof text);
    assert_non_null(strstr(text, "' turns inside out (-463.7 % of its volume)"));
    judged_end(&j);
}

static void crossings_are_reported_with_their_time_and_those_of_linear(void** state)
{
    (void)state;
    judged j = judged_tube();
    char   text[600], expected[200];
    sup_verdict_push(j.meter, 0.0, &j.pose, j.c->mesh.points, j.flat, j.scratch, NULL, &j.v);
    uint32_t folded = j.v.crossings_linear;
    assert_true(j.v.crossings == 0 && folded > 0);
    sup_verdict_push(j.meter, 1.5, &j.pose, j.flat, j.c->mesh.points, j.scratch, NULL, &j.v);
    assert_true(j.v.crossings == folded && j.v.crossings_linear == 0 && j.v.crossings_time == 1.5);
    sup_verdict_text(&j.v, text, sizeof text);
    snprintf(expected, sizeof expected, "%u pairs of triangles cross at 1.50 s (0 under linear skinning).", folded);
    assert_non_null(strstr(text, expected));
    judged_end(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_spread_from_the_first_to_the_last),
        cmocka_unit_test(a_tenth_of_the_cross_section_is_a_tenth_of_the_volume),
        cmocka_unit_test(crossings_are_reported_with_their_time_and_those_of_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

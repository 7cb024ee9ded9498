// Pairs of triangles that press on each other: two boxes, one above the other, and soft tubes.
#include "pressing.h"
#include "soft_tube.h"

#include <math.h>

// Mean edges of the grid's inner points: (4 + 2 sqrt 2) / 6.
#define EDGE 1.138f

/// A step of one substep towards p->s.to.
static void begin(pressing* p)
{
    memcpy(p->from, p->s.x, p->s.point_count * sizeof *p->from);
    assert_int_equal(sup_planes_begin(p->planes, &p->call, 1, p->from, p->s.to), 0);
    sup_planes_aim(p->planes, &p->call, p->from, p->s.v);
}

static uint32_t touching(const pressing* p)
{
    uint32_t pairs[4096][2];
    return sup_planes_touching(p->planes, p->call.scratch, 4096, pairs);
}

/// Runs `steps` steps of one substep in which nothing tries to move. Returns the largest motion of a point in the last.
static float rest(pressing* p, int steps)
{
    float most = 0;
    for (int i = 0; i < steps; ++i) {
        memcpy(p->s.to, p->s.x, p->s.point_count * sizeof *p->s.to);
        begin(p);
        sup_planes_press(p->planes, &p->call, p->s.x);
        most = 0;
        for (uint32_t k = 0; k < p->s.point_count; ++k)
            most = fmaxf(most, v3_distance(sup_particle_place(&p->s.x[k]), sup_particle_place(&p->from[k])));
    }
    return most;
}

/// Away from the rims: the boxes do not cover each other.
static float least_between(const slabs* s)
{
    float low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < s->point_count; ++i) {
        if (!(fabsf(s->points[i].x - 3) < 1.5f && fabsf(s->points[i].y - 3) < 1.5f)) continue;
        if (i / s->slab_points == 0) high = fmaxf(high, s->x[i].z);
        else low = fminf(low, s->x[i].z);
    }
    return low - high;
}

static void what_does_not_touch_is_not_moved(void** state)
{
    (void)state;
    for (int k = 0; k < 3; ++k) {
        pressing p = press(6, 3);
        slabs_move(&p.s, p.s.x, 1, v3(0.3f, 0.2f, -1.4f * (float)k)); // 3, 1.6 or 0.2 between them
        memcpy(p.s.to, p.s.x, p.s.point_count * sizeof *p.s.to);
        begin(&p);
        sup_planes_press(p.planes, &p.call, p.s.x);
        assert_memory_equal(p.s.x, p.from, p.s.point_count * sizeof *p.from);
        assert_int_equal(touching(&p), 0);
        press_end(&p);
    }
}

// Far apart when the step begins, and expected to cross when it ends: pressed as soon as they touch.
static void what_will_meet_in_the_step_is_pressed(void** state)
{
    (void)state;
    pressing p = press(6, 3);
    slabs_move(&p.s, p.s.x, 1, v3(0.3f, 0.2f, 0));
    memcpy(p.s.to, p.s.x, p.s.point_count * sizeof *p.s.to);
    slabs_move(&p.s, p.s.to, 1, v3(0, 0, -3.5f));
    begin(&p);
    slabs_move(&p.s, p.s.x, 1, v3(0, 0, -3.05f)); // 0.05 inside
    sup_planes_press(p.planes, &p.call, p.s.x);
    assert_true(touching(&p) > 36);
    assert_true(least_between(&p.s) > -0.05f);
    press_end(&p);
}

// Both give way equally, and separate by a twentieth of the deficit in each substep.
static void what_is_too_near_comes_apart_over_some_substeps(void** state)
{
    (void)state;
    pressing p = press(6, 3);
    slabs_move(&p.s, p.s.x, 1, v3(0.3f, 0.2f, -2.99f));
    memcpy(p.s.to, p.s.x, p.s.point_count * sizeof *p.s.to);
    begin(&p);
    sup_planes_press(p.planes, &p.call, p.s.x);
    float wanted = 0.05f * EDGE;
    assert_float_equal(least_between(&p.s), 0.01f + 0.05f * (wanted - 0.01f), 0.0005f);
    assert_true(touching(&p) > 36);
    bool pushed[1024] = { false };
    sup_planes_pushed(p.planes, p.call.scratch, pushed);
    uint32_t low = p.s.side_points + 24, high = p.s.slab_points + 24;
    assert_true(pushed[low] && pushed[high] && !pushed[24]);
    assert_float_equal(1.5f - p.s.x[low].z, p.s.x[high].z - 1.51f, 5e-4f);
    rest(&p, 120);
    assert_true(least_between(&p.s) > 0.95f * wanted);
    assert_float_equal(p.s.x[0].z, 0, 0); // the far side
    press_end(&p);
}

static void what_is_apart_rests(void** state)
{
    (void)state;
    pressing p = press(6, 3);
    slabs_move(&p.s, p.s.x, 1, v3(0.3f, 0.2f, -2.98f));
    p.call.before = p.call.after = p.s.points; // a held pose
    assert_true(rest(&p, 400) < 5e-5f);
    press_end(&p);
}

// Points of the upper box are at 0.4 of the distance between those of the lower one: each is in several pairs. They are
// expected inside and the solver pulls them there, but they hold.
static void what_rides_on_the_skin_keeps_it_farther_apart(void** state)
{
    (void)state;
    float over[1024];
    for (int i = 0; i < 1024; ++i) over[i] = 0.1f;
    pressing p = press_over(6, 3, over);
    slabs_move(&p.s, p.s.x, 1, v3(0.3f, 0.2f, -2.98f));
    rest(&p, 240);
    assert_true(least_between(&p.s) > 0.94f * (0.05f * EDGE + 0.2f)); // of their heights; nearest places lie slantwise
    press_end(&p);
}

// At rest they are nearer than the thickness: they keep that distance, and no more.
static void what_is_nearer_at_rest_keeps_that_distance(void** state)
{
    (void)state;
    pressing p = press(6, 0.02f);
    begin(&p);
    sup_planes_press(p.planes, &p.call, p.s.x);
    for (uint32_t i = 0; i < p.s.point_count; ++i) assert_float_equal(p.s.x[i].z, p.s.points[i].z, 1e-6f);
    press_end(&p);
}

// Two triangles that face each other at a hundredth of their edges, and at rest were far apart, or crossed.
static void what_crosses_at_rest_never_presses(void** state)
{
    (void)state;
    const uint32_t triangles[6] = { 0, 1, 2, 3, 4, 5 };
    const float    gives[6] = { 1, 1, 1, 1, 1, 1 };
    for (int crosses = 0; crosses < 2; ++crosses) {
        sup_vec3 rest[6] = { { 0, 0, 0 }, { 2, 0, 0 }, { 0, 2, 0 }, { 0.5f, 0.5f, -1 }, { 0.5f, 0.5f, 1 }, { 0.5f, 3, 0 } };
        sup_vec4 x[6] = { { 0, 0, 0, 1 },     { 2, 0, 0, 1 },     { 0, 2, 0, 1 },
                          { 0, 0, 0.01f, 1 }, { 0, 2, 0.01f, 1 }, { 2, 0, 0.01f, 1 } },
                 v[6] = { 0 };
        sup_planes_desc   desc = { 6, rest, 2, triangles, NULL, NULL, gives, NULL };
        sup_arena*        arena = sup_arena_create(NULL);
        const sup_planes* planes;
        sup_error         error;
        uint32_t          pairs[4][2];
        for (int k = 3; k < 6 && !crosses; ++k) rest[k].z += 9;
        assert_ok(sup_planes_create(&desc, arena, &planes, &error), error);
        sup_planes_call call = { .scratch = memory(sup_planes_scratch(planes)),
                                 .state = memory(sup_planes_state(planes)),
                                 .thickness = 0.05f };
        sup_planes_reset(planes, call.state);
        assert_int_equal(sup_planes_begin(planes, &call, 1, x, x), 0);
        sup_planes_aim(planes, &call, x, v);
        sup_planes_press(planes, &call, x);
        assert_int_equal(sup_planes_touching(planes, call.scratch, 4, pairs), crosses ? 0 : 1);
        assert_true(crosses ? x[3].z == 0.01f : x[3].z > 0.01f);
        free(call.scratch), free(call.state);
        sup_arena_destroy(arena);
    }
}

// The lower box is a table. The upper one comes down at 10 m/s and slides at 1: half of the first comes back, and friction
// takes its share of the second.
static void pressing_rubs_and_bounces(void** state)
{
    (void)state;
    pressing p = press(6, 3);
    p.call.friction = (sup_friction){ 0.02f, 0.5f };
    for (uint32_t i = 0; i < p.s.slab_points; ++i) p.s.x[i].w = 0;
    slabs_move(&p.s, p.s.x, 1, v3(0.3f, 0.2f, -2.93f));
    for (uint32_t i = p.s.slab_points; i < p.s.point_count; ++i) p.s.v[i] = (sup_vec4){ 1, 0, -10, 0 };
    memcpy(p.s.to, p.s.x, p.s.point_count * sizeof *p.s.to);
    slabs_move(&p.s, p.s.to, 1, v3(0.01f, 0, -0.1f)); // dt = 0.01
    begin(&p);
    memcpy(p.s.x, p.s.to, p.s.point_count * sizeof *p.s.x);
    for (int i = 0; i < 8; ++i) sup_planes_press(p.planes, &p.call, p.s.x);
    for (uint32_t i = p.s.slab_points; i < p.s.point_count; ++i) p.s.v[i].z = (p.s.x[i].z - p.from[i].z) / 0.01f;
    sup_planes_friction(p.planes, &p.call, p.s.x, 0.01f, p.s.v);
    uint32_t k = p.s.slab_points + 24;
    assert_float_equal(p.s.v[k].z, 5, 1);
    assert_true(p.s.v[k].x >= 0 && p.s.v[k].x < 0.9f);
    press_end(&p);
}

// There is no room for all pairs of large sheets all over each other: that is told, and the others press.
static void pairs_without_room_are_counted(void** state)
{
    (void)state;
    pressing p = press(30, 3);
    slabs_move(&p.s, p.s.x, 1, v3(0.3f, 0.2f, -2.98f));
    memcpy(p.s.to, p.s.x, p.s.point_count * sizeof *p.s.to);
    memcpy(p.from, p.s.x, p.s.point_count * sizeof *p.from);
    assert_true(sup_planes_begin(p.planes, &p.call, 1, p.s.x, p.s.to) > 1000);
    sup_planes_aim(p.planes, &p.call, p.s.x, p.s.v);
    sup_planes_press(p.planes, &p.call, p.s.x);
    assert_true(touching(&p) > 500);
    press_end(&p);
}

static void any_number_of_workers_presses_the_same_bits(void** state)
{
    (void)state;
    uint64_t expected = 0;
    for (uint32_t threads = 1; threads <= 8; threads *= threads == 2 ? 4 : 2) {
        sup_pool* pool = sup_pool_create(threads);
        pressing  p = press(12, 3);
        p.call.tasks = sup_pool_tasks(pool);
        slabs_move(&p.s, p.s.x, 1, v3(0.3f, 0.2f, -2.98f));
        rest(&p, 4);
        sup_planes_friction(p.planes, &p.call, p.s.x, 0.01f, p.s.v);
        uint64_t hash = sup_hash(SUP_HASH_START, p.s.x, p.s.point_count * sizeof *p.s.x);
        hash = sup_hash(hash, p.s.v, p.s.point_count * sizeof *p.s.v);
        assert_true(touching(&p) > 500);
        if (threads == 1) expected = hash;
        assert_true(hash == expected);
        press_end(&p);
        sup_pool_destroy(pool);
    }
}

static void numbers_that_are_none_do_not_spread(void** state)
{
    (void)state;
    pressing p = press(6, 3);
    slabs_move(&p.s, p.s.x, 1, v3(0.3f, 0.2f, -2.98f));
    uint32_t broken[3] = { p.s.side_points + 3, p.s.slab_points + 30, p.s.slab_points + 8 };
    p.s.x[broken[0]].x = NAN, p.s.x[broken[1]].z = INFINITY, p.s.x[broken[2]].y = 1e30f;
    rest(&p, 3);
    for (uint32_t i = 0; i < p.s.point_count; ++i)
        if (i != broken[0] && i != broken[1] && i != broken[2]) assert_true(v3_finite(sup_particle_place(&p.s.x[i])));
    press_end(&p);
}

// ---------------------------------------------------------------------------------------------- tubes

typedef struct tube {
    soft_tube         t;
    sup_arena*        arena;
    const sup_planes* planes;
    sup_planes_call   call;
} tube;

static tube make_tube(uint32_t rings, uint32_t sides, float length)
{
    tube   t = { .t = soft_tube_make(rings, sides, length, 1, 1), .arena = sup_arena_create(NULL) };
    float* gives = calloc(t.t.point_count, sizeof *gives);
    for (uint32_t i = 0; i < t.t.point_count; ++i) gives[i] = 1;
    sup_planes_desc desc = { .point_count = t.t.point_count,
                             .points = t.t.points,
                             .triangle_count = t.t.triangle_count,
                             .triangles = t.t.triangles,
                             .gives = gives };
    sup_error       error;
    assert_ok(sup_planes_create(&desc, t.arena, &t.planes, &error), error);
    free(gives);
    t.call = (sup_planes_call){ .scratch = memory(sup_planes_scratch(t.planes)),
                                .state = memory(sup_planes_state(t.planes)),
                                .thickness = 0.05f };
    sup_planes_reset(t.planes, t.call.state);
    return t;
}

static void free_tube(tube* t)
{
    free(t->call.scratch), free(t->call.state);
    sup_arena_destroy(t->arena);
    soft_tube_free(&t->t);
}

static uint32_t press_tube(tube* t)
{
    uint32_t pairs[4096][2];
    assert_int_equal(sup_planes_begin(t->planes, &t->call, 1, t->t.x, t->t.x), 0);
    sup_planes_aim(t->planes, &t->call, t->t.x, t->t.x);
    sup_planes_press(t->planes, &t->call, t->t.x);
    return sup_planes_touching(t->planes, t->call.scratch, 4096, pairs);
}

// Half a turn around a circle of radius 1.02: the halves are 2.04 apart, 0.04 between their skins; the thickness is more.
static void a_tube_folded_on_itself_is_parted(void** state)
{
    (void)state;
    tube  t = make_tube(41, 16, 20);
    float radius = 1.02f, half = 3.14159265f * radius / 2;
    t.call.thickness = 0.2f;
    for (uint32_t i = 0; i < t.t.point_count; ++i) {
        float along = t.t.points[i].x - 10, angle = sup_clampf(along / radius, -half / radius, half / radius);
        float rest_along = along - angle * radius, r = radius - t.t.points[i].y;
        t.t.x[i].x = r * sinf(angle) + rest_along * cosf(angle);
        t.t.x[i].y = radius - r * cosf(angle) + rest_along * sinf(angle);
        t.t.x[i].z = t.t.points[i].z;
    }
    sup_vec4* before = calloc(t.t.point_count, sizeof *before);
    memcpy(before, t.t.x, t.t.point_count * sizeof *before);
    assert_true(press_tube(&t) > 10);
    for (int i = 0; i < 100; ++i) press_tube(&t);
    float away = 0; // the inner sides of both halves go apart
    for (uint32_t i = 0; i < t.t.point_count; ++i)
        if (t.t.points[i].y > 0.9f && fabsf(t.t.points[i].x - 10) > 3 && fabsf(t.t.points[i].x - 10) < 9) {
            float way = (t.t.x[i].x - before[i].x) * (t.t.points[i].x < 10 ? -1.0f : 1.0f);
            away = fmaxf(away, way);
            assert_true(way > -1e-3f);
        }
    assert_true(away > 0.005f);
    free(before);
    free_tube(&t);
}

// Its sides face away from each other, however near they are.
static void a_tube_squashed_flat_is_not_turned_inside_out(void** state)
{
    (void)state;
    tube t = make_tube(21, 16, 10);
    for (uint32_t i = 0; i < t.t.point_count; ++i) t.t.x[i].y *= 0.05f;
    press_tube(&t);
    for (uint32_t i = 0; i < t.t.point_count; ++i)
        if (fabsf(t.t.points[i].y) > 0.9f && t.t.points[i].x > 0.1f && t.t.points[i].x < 9.9f)
            assert_float_equal(t.t.x[i].y, 0.05f * t.t.points[i].y, 1e-6f);
    free_tube(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_touch_is_not_moved),
        cmocka_unit_test(what_will_meet_in_the_step_is_pressed),
        cmocka_unit_test(what_is_too_near_comes_apart_over_some_substeps),
        cmocka_unit_test(what_is_apart_rests),
        cmocka_unit_test(what_rides_on_the_skin_keeps_it_farther_apart),
        cmocka_unit_test(what_is_nearer_at_rest_keeps_that_distance),
        cmocka_unit_test(what_crosses_at_rest_never_presses),
        cmocka_unit_test(pressing_rubs_and_bounces),
        cmocka_unit_test(pairs_without_room_are_counted),
        cmocka_unit_test(any_number_of_workers_presses_the_same_bits),
        cmocka_unit_test(numbers_that_are_none_do_not_spread),
        cmocka_unit_test(a_tube_folded_on_itself_is_parted),
        cmocka_unit_test(a_tube_squashed_flat_is_not_turned_inside_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

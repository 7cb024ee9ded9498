// Planes between near triangles: whatever the solver wants, what was apart stays apart, unless it is forced for long.
#include "pressing.h"

#include <math.h>

/// One substep in which the solver wants the upper box moved by this much.
static sup_planes_report substep(pressing* p, sup_vec3 way)
{
    memcpy(p->from, p->s.x, p->s.point_count * sizeof *p->from);
    slabs_move(&p->s, p->s.x, 1, way);
    return sup_planes_keep(p->planes, &p->call, p->from, p->s.x);
}

/// No motion is expected.
static void begin(pressing* p, uint32_t substeps)
{
    memcpy(p->from, p->s.x, p->s.point_count * sizeof *p->from);
    sup_planes_begin(p->planes, &p->call, substeps, p->from, p->s.x);
}

static sup_planes_report step(pressing* p, uint32_t substeps, sup_vec3 way)
{
    sup_planes_report last = { 0 };
    begin(p, substeps);
    for (uint32_t i = 0; i < substeps; ++i) last = substep(p, way);
    return last;
}

static float lowest_of_upper(const slabs* s)
{
    float low = INFINITY;
    for (uint32_t i = s->slab_points; i < 2 * s->slab_points; ++i) low = fminf(low, s->x[i].z);
    return low;
}

static void what_is_far_apart_stays_to_the_bit(void** state)
{
    (void)state;
    pressing p = press(4, 3);
    for (int i = 0; i < 4; ++i) {
        sup_planes_report r = step(&p, 1, v3(0.1f, 0.2f, -0.1f));
        slabs_move(&p.s, p.s.to, 1, v3(0.1f, 0.2f, -0.1f));
        assert_int_equal(r.kept + r.held + r.crossing + r.released, 0);
        assert_memory_equal(p.s.x, p.s.to, p.s.point_count * sizeof *p.s.x);
    }
    press_end(&p);
}

static void boxes_pressed_together_do_not_cross(void** state)
{
    (void)state;
    pressing p = press(4, 0.5f);
    for (int i = 0; i < 12; ++i) {
        sup_planes_report r = step(&p, 4, v3(0.01f, 0, -0.04f));
        assert_int_equal(r.crossing, 0);
        assert_int_equal(count_crossings(&p.s), 0);
    }
    assert_true(lowest_of_upper(&p.s) > 0);
    press_end(&p);
}

// In one substep from above to far below: neither end crosses, the path does.
static void no_speed_takes_one_through_the_other(void** state)
{
    (void)state;
    pressing          p = press(3, 0.5f);
    sup_planes_report r = step(&p, 1, v3(0, 0, -5));
    assert_true(r.kept > 0 && r.held > 0);
    assert_int_equal(count_crossings(&p.s), 0);
    double upper = 0, lower = 0;
    for (uint32_t i = 0; i < p.s.slab_points; ++i) lower += (double)p.s.x[i].z, upper += (double)p.s.x[i + p.s.slab_points].z;
    assert_true(upper > lower);
    press_end(&p);
}

// After the list is built, some points leave their expected path, into what was far from it: only their triangles are tested
// again, and that is enough.
static void what_strays_is_looked_at_anew(void** state)
{
    (void)state;
    pressing p = press(12, 2);
    begin(&p, 4);
    assert_int_equal(substep(&p, v3(0, 0, -0.01f)).searches, 0);
    memcpy(p.from, p.s.x, p.s.point_count * sizeof *p.from);
    float    low = lowest_of_upper(&p.s);
    uint32_t count = 0;
    for (uint32_t i = p.s.slab_points; i < p.s.point_count && count < 9; ++i)
        if (p.s.x[i].z < low + 0.01f && fabsf(p.s.x[i].x - 6) < 1.6f && fabsf(p.s.x[i].y - 6) < 1.6f)
            p.s.x[i].z -= 2.6f, ++count;
    assert_int_equal(count, 9);
    assert_true(count_crossings(&p.s) > 0);
    sup_planes_report r = sup_planes_keep(p.planes, &p.call, p.from, p.s.x);
    assert_int_equal(r.searches, 0);
    assert_true(r.kept > 0 && r.held > 0);
    assert_int_equal(count_crossings(&p.s), 0);
    press_end(&p);
}

// Boxes that touch and fly together as one are not held at all.
static void what_moves_together_is_not_held(void** state)
{
    (void)state;
    pressing p = press(4, 0.02f);
    sup_quat turn = quat_axis_angle(v3(0, 1, 0), 0.05f);
    begin(&p, 8);
    for (int i = 0; i < 8; ++i) {
        memcpy(p.from, p.s.x, p.s.point_count * sizeof *p.from);
        for (uint32_t k = 0; k < p.s.point_count; ++k)
            sup_particle_pin(&p.s.x[k], v3_add(quat_rotate(turn, sup_particle_place(&p.s.x[k])), v3(3, 0, 0)));
        memcpy(p.s.to, p.s.x, p.s.point_count * sizeof *p.s.x);
        sup_planes_keep(p.planes, &p.call, p.from, p.s.x);
        for (uint32_t k = 0; k < p.s.point_count; ++k) // no more than the gap that planes give
            assert_true(v3_distance(sup_particle_place(&p.s.x[k]), sup_particle_place(&p.s.to[k])) < 0.03f);
        assert_int_equal(count_crossings(&p.s), 0);
    }
    press_end(&p);
}

static void what_begins_crossed_is_left_alone_until_it_is_apart(void** state)
{
    (void)state;
    pressing p = press(3, 0.5f);
    slabs_move(&p.s, p.s.x, 1, v3(0.3f, 0.3f, -1));
    assert_true(count_crossings(&p.s) > 0);
    sup_planes_report r = step(&p, 1, v3(0, 0, 0.1f));
    assert_true(r.crossing > 0);
    for (int i = 0; i < 8; ++i) r = step(&p, 4, v3(0, 0, 0.1f)); // nothing holds it back
    assert_int_equal(r.crossing + r.held, 0);
    assert_int_equal(count_crossings(&p.s), 0);
    for (int i = 0; i < 8; ++i) step(&p, 4, v3(0, 0, -0.02f));
    step(&p, 4, v3(0, 0, -0.5f));
    assert_int_equal(count_crossings(&p.s), 0);
    press_end(&p);
}

// A body that keeps going is stronger than planes, and they come back once it has gone.
static void what_is_forced_for_long_is_released_until_it_is_apart(void** state)
{
    (void)state;
    pressing          p = press(3, 0.5f);
    sup_planes_report r = { 0 };
    for (int i = 0; i < 100 && !r.released; ++i) {
        memcpy(p.from, p.s.x, p.s.point_count * sizeof *p.from);
        slabs_move(&p.s, p.s.to, 1, v3(0.01f, 0.01f, -0.1f)); // where the skeleton is, whatever became of the skin
        for (uint32_t k = 0; k < p.s.point_count; ++k) sup_particle_pin(&p.s.x[k], sup_particle_place(&p.s.to[k]));
        begin(&p, 1);
        r = sup_planes_keep(p.planes, &p.call, p.from, p.s.x);
        if (!r.released) assert_int_equal(count_crossings(&p.s), 0);
    }
    assert_true(r.released > 0);
    for (int i = 0; i < 60; ++i) r = step(&p, 1, v3(0, 0, 0.2f));
    assert_int_equal(r.released, 0);
    for (int i = 0; i < 30; ++i) step(&p, 4, v3(0, 0, -0.1f));
    press_end(&p);
}

static void any_number_of_workers_keeps_the_same_bits(void** state)
{
    (void)state;
    uint64_t expected = 0;
    for (uint32_t threads = 1; threads <= 8; threads *= threads == 2 ? 4 : 2) {
        sup_pool* pool = sup_pool_create(threads);
        pressing  p = press(30, 0.3f);
        p.call.tasks = sup_pool_tasks(pool);
        uint64_t hash = SUP_HASH_START;
        uint32_t kept = 0;
        for (int i = 0; i < 3; ++i) {
            sup_planes_report r = step(&p, 4, v3(0.07f, 0.03f, -0.12f));
            kept += r.kept;
            hash = sup_hash(sup_hash(hash, p.s.x, p.s.point_count * sizeof *p.s.x), &r.kept, sizeof r.kept);
        }
        assert_true(kept > 500);
        if (threads == 1) expected = hash;
        assert_true(hash == expected);
        press_end(&p);
        sup_pool_destroy(pool);
    }
}

static void numbers_that_are_none_and_crowds_neither_hang_nor_spread(void** state)
{
    (void)state;
    pressing p = press(4, 0.1f);
    begin(&p, 2);
    memcpy(p.from, p.s.x, p.s.point_count * sizeof *p.from);
    p.s.x[3].x = NAN;
    p.s.x[40].z = INFINITY;
    sup_planes_keep(p.planes, &p.call, p.from, p.s.x);
    for (uint32_t i = 0; i < p.s.point_count; ++i)
        if (i != 3 && i != 40) assert_true(v3_finite(sup_particle_place(&p.s.x[i])));
    press_end(&p);
    p = press(40, 0.1f); // all in one place
    for (uint32_t i = 0; i < p.s.point_count; ++i) sup_particle_pin(&p.s.x[i], v3((float)(i % 3), (float)(i % 5), 0));
    sup_planes_report r = step(&p, 4, v3(0, 0, 0));
    assert_true(r.crowded);
    press_end(&p);
}

static void every_allocation_that_fails_is_an_error(void** state)
{
    (void)state;
    slabs s = slabs_make(3, 1, (const float[]){ 0 });
    float gives[64];
    for (int i = 0; i < 64; ++i) gives[i] = 1;
    sup_planes_desc desc = { s.point_count, s.points, s.triangle_count, s.triangles, NULL, NULL, gives, NULL };
    for (test_starved starved = { 0 }; test_starve(&starved);) {
        sup_arena*        arena = sup_arena_create(&starved.memory.allocator);
        const sup_planes* p;
        sup_error         error;
        if (arena) starved.result = sup_planes_create(&desc, arena, &p, &error);
        sup_arena_destroy(arena);
    }
    slabs_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_far_apart_stays_to_the_bit),
        cmocka_unit_test(boxes_pressed_together_do_not_cross),
        cmocka_unit_test(no_speed_takes_one_through_the_other),
        cmocka_unit_test(what_strays_is_looked_at_anew),
        cmocka_unit_test(what_moves_together_is_not_held),
        cmocka_unit_test(what_begins_crossed_is_left_alone_until_it_is_apart),
        cmocka_unit_test(what_is_forced_for_long_is_released_until_it_is_apart),
        cmocka_unit_test(any_number_of_workers_keeps_the_same_bits),
        cmocka_unit_test(numbers_that_are_none_and_crowds_neither_hang_nor_spread),
        cmocka_unit_test(every_allocation_that_fails_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

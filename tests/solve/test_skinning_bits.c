// The same bits for every instruction set, worker count and point order; and what a skin set promises about memory.
#include "skin_rig.h"

#include "math/wide.h"

typedef struct way {
    const char* name;
    bool        dualquat, scaled, matrices, moved, varied;
    float       blend;
} way;

/// Everything evaluate has a path for.
static const way ways[] = {
    { "linear", false, false, false, false, false, 0 },
    { "linear, matrices", false, true, true, false, false, 0 },
    { "linear, other points", false, false, false, true, false, 0 },
    { "dualquat", true, false, false, false, false, 1 },
    { "dualquat, other points", true, false, false, true, false, 1 },
    { "dualquat, stretched", true, true, false, false, false, 1 },
    { "dualquat, stretched, matrices, half", true, true, true, false, false, 0.5f },
    { "dualquat, everything", true, true, true, true, true, 0 },
};

/// Runs one way and hashes points and matrices.
static uint64_t run(rig* r, const sup_skin_set* set, const way* w, const sup_tasks* tasks)
{
    uint32_t  n = r->desc.point_count;
    sup_vec3* moved = sup_arena_alloc(r->arena, n, sizeof *moved);
    float*    share = sup_arena_alloc(r->arena, n, sizeof *share);
    for (uint32_t p = 0; p < n; ++p) {
        moved[p] = v3_scale(r->desc.points[p], 1.25f);
        share[p] = (float)(p % 5) * 0.25f;
    }
    memset(r->out, 0xff, n * sizeof *r->out);
    memset(r->matrices, 0xff, n * sizeof *r->matrices);
    pose(r, set,
         (sup_skin_call){ .dualquat = w->dualquat,
                          .blend = w->blend,
                          .tasks = tasks,
                          .points = w->moved ? moved : NULL,
                          .blend_points = w->varied ? share : NULL,
                          .matrices = w->matrices ? r->matrices : NULL });
    for (uint32_t p = 0; p < n; ++p) assert_true(v3_finite(r->out[p])); // every point was written
    uint64_t hash = sup_hash(SUP_HASH_START, r->out, n * sizeof *r->out);
    return w->matrices ? sup_hash(hash, r->matrices, n * sizeof *r->matrices) : hash;
}

static void instruction_sets_give_the_same_bits(void** state)
{
    (void)state;
    if (sup_wide_level() < 3) {
        print_message("skipped: this machine has no AVX2\n");
        skip();
    }
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i)
        for (uint32_t influences = 1; influences < 40; influences += 9) {
            rig r = make_rig(1003, 50, influences, ways[i].scaled, 7 + influences);
            r.desc.wide_level = 1;
            uint64_t base = run(&r, make_set(&r), &ways[i], NULL);
            r.desc.wide_level = 3;
            const sup_skin_set* best = make_set(&r);
            if (run(&r, best, &ways[i], NULL) != base) fail_msg("'%s' differs between instruction sets", ways[i].name);
            sup_arena_destroy(r.arena);
        }
}

static void worker_counts_give_the_same_bits(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        rig                 r = make_rig(5000, 30, 5, ways[i].scaled, 17);
        const sup_skin_set* set = make_set(&r);
        uint64_t            alone = run(&r, set, &ways[i], NULL);
        for (uint32_t threads = 2; threads <= 8; threads *= 2) {
            sup_pool* pool = sup_pool_create(threads);
            if (run(&r, set, &ways[i], sup_pool_tasks(pool)) != alone)
                fail_msg("'%s' differs with %u threads", ways[i].name, threads);
            sup_pool_destroy(pool);
        }
        sup_arena_destroy(r.arena);
    }
}

/// A scheduler with its own chunks: one block at a time, from the back.
static void run_backwards(void* user, uint32_t count, uint32_t grain, sup_task_fn* task, void* data)
{
    (void)user;
    (void)grain;
    while (count-- > 0) task(data, count, count + 1);
}

static void any_cut_into_pieces_gives_the_same_bits(void** state)
{
    (void)state;
    sup_tasks backwards = { run_backwards, NULL, 2 };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        rig                 r = make_rig(3000, 20, 4, ways[i].scaled, 27);
        const sup_skin_set* set = make_set(&r);
        assert_true(run(&r, set, &ways[i], NULL) == run(&r, set, &ways[i], &backwards));
        sup_arena_destroy(r.arena);
    }
}

static void points_in_any_order_give_the_same_result(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
        if (ways[i].varied) continue; // its shares go by the number of the point
        rig       r = make_rig(2000, 25, 6, ways[i].scaled, 37), shuffled = make_rig(2000, 25, 6, ways[i].scaled, 37);
        uint32_t  to[2000];
        uint32_t* begin = (uint32_t*)shuffled.desc.begin;
        for (uint32_t p = 0; p < 2000; ++p) to[p] = p;
        for (uint32_t p = 1999; p > 0; --p) {
            uint32_t other = (uint32_t)(draw(&r) * (p + 1)), swap = to[p];
            to[p] = to[other];
            to[other] = swap;
        }
        for (uint32_t p = 0; p < 2000; ++p) {
            uint32_t b = r.desc.begin[to[p]], n = r.desc.begin[to[p] + 1] - b;
            ((sup_vec3*)shuffled.desc.points)[p] = r.desc.points[to[p]];
            memcpy((uint32_t*)shuffled.desc.joints + begin[p], r.desc.joints + b, n * sizeof(uint32_t));
            memcpy((float*)shuffled.desc.values + begin[p], r.desc.values + b, n * sizeof(float));
            begin[p + 1] = begin[p] + n;
        }
        run(&r, make_set(&r), &ways[i], NULL);
        run(&shuffled, make_set(&shuffled), &ways[i], NULL);
        for (uint32_t p = 0; p < 2000; ++p) {
            sup_vec3 a = r.out[to[p]], b = shuffled.out[p];
            assert_true(a.x == b.x && a.y == b.y && a.z == b.z);
        }
        sup_arena_destroy(r.arena);
        sup_arena_destroy(shuffled.arena);
    }
}

static void no_points_and_points_without_influences_are_fine(void** state)
{
    (void)state;
    rig      r = make_rig(20, 3, 2, false, 47);
    uint32_t nothing[21] = { 0 };
    r.desc.point_count = 0;
    assert_int_equal(pose(&r, make_set(&r), (sup_skin_call){ .dualquat = true, .blend = 1 }), 0);
    r.desc.point_count = 20;
    r.desc.begin = nothing;
    for (int dualquat = 0; dualquat < 2; ++dualquat) {
        pose(&r, make_set(&r), (sup_skin_call){ .dualquat = dualquat, .blend = 1 });
        for (uint32_t p = 0; p < 20; ++p) assert_true(v3_distance(r.out[p], r.desc.points[p]) < 1e-6f);
    }
    sup_arena_destroy(r.arena);
}

static void a_joint_named_twice_counts_twice(void** state)
{
    (void)state;
    static const uint32_t begin[] = { 0, 4 }, joints[] = { 1, 0, 1, 0 };
    static const float    values[] = { 0.4f, 0.3f, 0.2f, 0.1f };
    rig                   r = make_rig(1, 2, 1, false, 57);
    r.desc.begin = begin, r.desc.joints = joints, r.desc.values = values;
    pose(&r, make_set(&r), (sup_skin_call){ 0 });
    assert_true(worst(&r, false) < 1e-6);
    sup_arena_destroy(r.arena);
}

static void failing_memory_is_reported_at_every_call(void** state)
{
    (void)state;
    rig r = make_rig(2000, 25, 6, false, 67);
    for (test_starved s = { 0 }; test_starve(&s);) {
        sup_arena*          arena = sup_arena_create(&s.memory.allocator);
        const sup_skin_set* set = NULL;
        sup_error           error = { 0 };
        if (arena) s.result = sup_skin_create(&r.desc, arena, &set, &error);
        if (arena && !set) assert_non_null(strstr(error.text, "memory"));
        sup_arena_destroy(arena);
        assert_int_equal(s.result == SUP_OK, set != NULL);
    }
    sup_arena_destroy(r.arena);
}

static void tidy_points_fill_their_blocks(void** state)
{
    (void)state;
    // 64 points of one joint, then 64 of two: sixteen full blocks in order, in two groups.
    uint32_t begin[129] = { 0 }, joints[192];
    float    values[192];
    sup_vec3 points[128] = { { 0, 0, 0 } };
    for (uint32_t p = 0; p < 128; ++p) {
        begin[p + 1] = begin[p] + (p < 64 ? 1 : 2);
        for (uint32_t i = begin[p]; i < begin[p + 1]; ++i)
            joints[i] = i - begin[p], values[i] = p < 64 ? 1.0f : i == begin[p] ? 0.75f : 0.25f;
    }
    rig r = { .arena = sup_arena_create(NULL) };
    r.desc = (sup_skin_desc){
        .point_count = 128, .points = points, .begin = begin, .joints = joints, .values = values, .joint_count = 2
    };
    sup_skin_layout layout = sup_skin_examine(make_set(&r));
    assert_int_equal(layout.blocks, 16);
    assert_int_equal(layout.groups, 2);
    assert_int_equal(layout.scattered, 0);
    assert_true(layout.joints == 1.5);
    assert_true(layout.filled == 1.0);
    sup_arena_destroy(r.arena);
}

static void the_bound_points_given_again_change_nothing(void** state)
{
    (void)state;
    // 100 points of the same two joints in order (blocks are read and written in one go), then 100 in no order.
    for (int level = 1; level <= sup_wide_level(); level += 2) {
        rig       r = make_rig(200, 8, 2, true, 77);
        float*    values = (float*)r.desc.values;
        uint32_t *begin = (uint32_t*)r.desc.begin, *joints = (uint32_t*)r.desc.joints;
        for (uint32_t p = 0; p < 200; ++p) {
            uint32_t first = p < 100 ? 0 : p * 5 % 7;
            begin[p + 1] = 2 * p + 2;
            joints[2 * p] = first, joints[2 * p + 1] = first + 1;
            values[2 * p] = 0.75f, values[2 * p + 1] = 0.25f;
        }
        r.desc.wide_level = level;
        const sup_skin_set* set = make_set(&r);
        sup_skin_layout     layout = sup_skin_examine(set);
        assert_in_range(layout.scattered, 1, layout.blocks - 12);
        sup_vec3 copy[200];
        for (int dualquat = 0; dualquat < 2; ++dualquat) {
            pose(&r, set, (sup_skin_call){ .dualquat = dualquat, .blend = 1 });
            memcpy(copy, r.out, sizeof copy);
            assert_true(worst(&r, dualquat) < 2e-6);
            pose(&r, set, (sup_skin_call){ .dualquat = dualquat, .blend = 1, .points = r.desc.points });
            assert_memory_equal(copy, r.out, sizeof copy);
        }
        sup_arena_destroy(r.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instruction_sets_give_the_same_bits),
        cmocka_unit_test(worker_counts_give_the_same_bits),
        cmocka_unit_test(any_cut_into_pieces_gives_the_same_bits),
        cmocka_unit_test(points_in_any_order_give_the_same_result),
        cmocka_unit_test(the_bound_points_given_again_change_nothing),
        cmocka_unit_test(no_points_and_points_without_influences_are_fine),
        cmocka_unit_test(a_joint_named_twice_counts_twice),
        cmocka_unit_test(failing_memory_is_reported_at_every_call),
        cmocka_unit_test(tidy_points_fill_their_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

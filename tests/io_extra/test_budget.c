// A bake within a budget: never worse than promised, measured here from outside, with and without compression.
#include "supple/io_extra.h"
#include "tests/io/tube_support.h"

static int make(void** state)
{
    (void)state;
    return make_of(test_tube(40, 16, 4, 8, 1));
}

enum { FRAMES = 12 };

static test_bake to(const char* file, const sup_bake_budget* budget, const sup_extra* extra)
{
    return (test_bake){ .character = tube,
                        .clip = &tube->clips[0],
                        .path = test_folder_file(&folder, file),
                        .fps = 10,
                        .frames = FRAMES,
                        .extra = extra,
                        .budget = budget };
}

static test_bake bake(const char* file, const sup_bake_budget* budget, const sup_extra* extra)
{
    test_bake b = to(file, budget, extra);
    sup_error error;
    assert_ok(test_bake_run(&b, NULL, &error), error);
    assert_int_equal(test_folder_count(&folder), 1);
    return b;
}

static const sup_extra* extras(int i) { return i ? sup_extra_get() : NULL; }

static void worst_point_stays_within_its_error(void** state)
{
    (void)state;
    double diagonal = (double)tube->mesh.diagonal;
    for (int i = 0; i < 2; ++i) {
        double last = 0;
        for (double share = 1e-2; share > 5e-5; share /= 10) {
            const sup_bake_budget budget = { .worst = share * diagonal };
            test_bake             b = bake("worst.glb", &budget, extras(i));
            double                error = test_bake_error(&b, "bend.dualquat");
            if (!(error <= share)) fail_msg("%g of the diagonal were promised and %g came", share, error);
            // What is reported is what another reader of the file sees.
            assert_true(fabs(error * diagonal - b.report.worst) < 1e-6 * diagonal);
            assert_true((double)b.bytes > last); // exactness costs
            assert_int_equal(b.bytes, b.report.bytes);
            last = (double)b.bytes;
            unlink(b.path);
        }
    }
}

static void root_mean_square_stays_within_its_error(void** state)
{
    (void)state;
    double diagonal = (double)tube->mesh.diagonal;
    for (int i = 0; i < 2; ++i) {
        const sup_bake_budget budget = { .rms = 1e-3 * diagonal };
        test_bake             b = bake("rms.glb", &budget, extras(i));
        assert_true(b.report.rms <= budget.rms);
        assert_true(b.report.rms > 0.2 * budget.rms);
        assert_true(b.report.worst >= b.report.rms);
        const sup_bake_report* r = &b.report;
        assert_true(r->shape_bytes + r->weight_bytes + r->key_bytes + r->surface_bytes + r->image_bytes + r->rest_bytes ==
                    r->bytes);
        unlink(b.path);
    }
}

static void size_is_kept_and_used(void** state)
{
    (void)state;
    test_bake plain = to("plain.glb", NULL, NULL);
    sup_error error;
    assert_ok(test_bake_run(&plain, NULL, &error), error);
    unlink(plain.path);
    for (int i = 0; i < 2; ++i) {
        const sup_bake_budget coarse = { .bytes = plain.bytes / 3 }, fine = { .bytes = plain.bytes / 2 };
        test_bake             a = bake("size.glb", &coarse, extras(i)), b = bake("size.glb", &fine, extras(i));
        assert_true(a.bytes <= coarse.bytes && b.bytes <= fine.bytes);
        assert_true(b.report.rms <= a.report.rms);
        unlink(b.path);
    }
}

static void refused(const char* file, const sup_bake_budget* budget, const char* words)
{
    test_bake b = to(file, budget, sup_extra_get());
    sup_error error = { 0 };
    assert_int_equal(test_bake_run(&b, NULL, &error), SUP_ERROR_INPUT);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
    assert_int_equal(test_folder_count(&folder), 0);
}

static void impossible_budgets_are_refused_with_the_cure_and_nothing_is_written(void** state)
{
    (void)state;
    const sup_bake_budget tiny = { .bytes = 1000 }, exact = { .worst = 1e-12 * (double)tube->mesh.diagonal };
    const sup_bake_budget usual = { .rms = 1e-3 };
    refused("tiny.glb", &tiny, "--max-size");
    refused("exact.glb", &exact, "best that can be had");
    refused("points.pc2", &usual, ".glb");
    refused("text.gltf", &usual, ".glb");
}

// Nothing but skinning moves the points: no components at all.
static void skinning_alone_takes_no_targets(void** state)
{
    (void)state;
    const sup_bake_budget budget = { .worst = 10 * (double)tube->mesh.diagonal };
    test_bake             b = bake("still.glb", &budget, NULL);
    assert_int_equal(b.report.components, 0);
    assert_string_equal(b.report.method, "skinning alone");
    unlink(b.path);
}

static void flat_loops_and_held_poses_keep_their_promise(void** state)
{
    (void)state;
    sup_error             error;
    const sup_bake_budget budget = { .worst = 1e-3 * (double)tube->mesh.diagonal };
    for (int i = 0; i < 3; ++i) {
        sup_arena* arena = sup_arena_create(NULL);
        sup_pose   pose;
        assert_ok(sup_pose_create(tube, arena, &pose, &error), error);
        test_bake b = to("other.glb", &budget, sup_extra_get());
        if (i == 0) b.flat = true;
        if (i == 1) b.loop = true;
        if (i == 2) b.clip = NULL, b.pose = &pose, b.frames = 1;
        assert_ok(test_bake_run(&b, NULL, &error), error);
        assert_true(test_bake_error(&b, i == 2 ? "pose.dualquat" : "bend.dualquat") <= 1e-3);
        unlink(b.path);
        sup_arena_destroy(arena);
    }
}

static void every_allocation_may_fail(void** state)
{
    (void)state;
    const sup_bake_budget budget = { .rms = 1e-2 * (double)tube->mesh.diagonal };
    sup_result            result = SUP_ERROR_MEMORY;
    for (long at = 1; result != SUP_OK; at += 1 + at / 20) {
        test_bake      b = to("poor.glb", &budget, NULL);
        sup_error      error;
        test_allocator memory;
        test_allocator_init(&memory, at);
        result = test_bake_run(&b, &memory.allocator, &error);
        assert_true(result == SUP_OK || result == SUP_ERROR_MEMORY);
        assert_int_equal(memory.live, 0);
        if (result != SUP_OK) assert_int_equal(test_folder_count(&folder), 0);
    }
    test_folder_unlink(&folder, ".glb");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worst_point_stays_within_its_error),
        cmocka_unit_test(root_mean_square_stays_within_its_error),
        cmocka_unit_test(size_is_kept_and_used),
        cmocka_unit_test(impossible_budgets_are_refused_with_the_cure_and_nothing_is_written),
        cmocka_unit_test(skinning_alone_takes_no_targets),
        cmocka_unit_test(flat_loops_and_held_poses_keep_their_promise),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}

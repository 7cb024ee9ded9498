// `--sparse`: the same points in fewer bytes, and nothing left behind.
#include "tube_support.h"

#include <sys/stat.h>

static int make(void** state)
{
    (void)state;
    return make_of(test_tube(40, 16, 4, 8, 1));
}

static test_bake to(const char* path, bool sparse, bool local)
{
    return (test_bake){
        .character = tube, .clip = &tube->clips[0], .path = path, .fps = 10, .frames = 6, .sparse = sparse, .local = local
    };
}

static uint64_t bake(const char* file, bool sparse, bool local, double limit)
{
    test_bake b = to(test_folder_file(&folder, file), sparse, local);
    sup_error error;
    assert_ok(test_bake_run(&b, NULL, &error), error);
    assert_int_equal(test_folder_count(&folder), 1);
    struct stat info;
    assert_int_equal(stat(b.path, &info), 0);
    assert_int_equal(b.bytes, info.st_size);
    assert_true(test_bake_error(&b, "bend.dualquat") < limit);
    unlink(b.path);
    return b.bytes;
}

static void few_moved_points_take_few_bytes(void** state)
{
    (void)state;
    uint64_t dense = bake("dense.glb", false, true, 1e-6);
    uint64_t sparse = bake("sparse.glb", true, true, 1e-6);
    // 642 vertices and 6 frames: 46 KB of positions become 33 x 14 bytes a frame.
    assert_true(dense - sparse > 6 * (642 - 60) * 12);
}

static sup_character* baked(const char* file, bool sparse, bool local)
{
    test_bake      b = to(test_folder_file(&folder, file), sparse, local);
    sup_error      error;
    assert_ok(test_bake_run(&b, NULL, &error), error);
    sup_character* again = test_load(b.path);
    unlink(b.path);
    return again;
}

// The strictest reading of "exact": every morphed point of every frame, bit by bit, as our reader adds it up and as a viewer
// would show it.
static void every_bit_is_that_of_the_dense_file(void** state)
{
    (void)state;
    for (int local = 0; local < 2; ++local) {
        sup_character *dense = baked("dense.glb", false, local), *sparse = baked("sparse.glb", true, local);
        uint32_t       count = dense->mesh.point_count;
        sup_arena*     arena = sup_arena_create(NULL);
        sup_vec3 *     a = sup_arena_alloc(arena, count, sizeof *a), *b = sup_arena_alloc(arena, count, sizeof *b);
        sup_pose       poses[2];
        sup_error      error;
        assert_int_equal(sparse->mesh.point_count, count);
        assert_ok(sup_pose_create(dense, arena, &poses[0], &error), error);
        assert_ok(sup_pose_create(sparse, arena, &poses[1], &error), error);
        const sup_clip* clips[2] = { sup_character_clip(dense, "bend.dualquat"), sup_character_clip(sparse, "bend.dualquat") };
        assert_non_null(clips[0]);
        assert_non_null(clips[1]);
        for (int f = 0; f < 6; ++f) {
            sup_clip_sample(dense, clips[0], f / 10.0, &poses[0]);
            sup_clip_sample(sparse, clips[1], f / 10.0, &poses[1]);
            assert_memory_equal(sup_pose_morph(dense, &poses[0], a), sup_pose_morph(sparse, &poses[1], b), count * sizeof *a);
            test_viewer_points(dense, &poses[0], a);
            test_viewer_points(sparse, &poses[1], b);
            assert_memory_equal(a, b, count * sizeof *a);
        }
        sup_arena_destroy(arena);
        sup_character_destroy(sparse);
        sup_character_destroy(dense);
    }
}

static void a_sparse_bake_is_no_larger_where_everything_moves(void** state)
{
    (void)state;
    uint64_t dense = bake("dense.glb", false, false, 1e-6);
    uint64_t sparse = bake("sparse.glb", true, false, 1e-6);
    assert_true(sparse < dense + 2000); // views of their own
}

static void a_flat_bake_may_be_sparse_too(void** state)
{
    (void)state;
    test_bake b = to(test_folder_file(&folder, "flat.glb"), true, true);
    sup_error error;
    b.flat = true;
    assert_ok(test_bake_run(&b, NULL, &error), error);
    assert_true(test_bake_error(&b, "bend.dualquat") < 1e-6);
    unlink(b.path);
}

static void failing_allocations_leave_nothing(void** state)
{
    (void)state;
    test_bake b = to(test_folder_file(&folder, "starved.glb"), true, true);
    test_bake_starved(&b, &folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_moved_points_take_few_bytes),
        cmocka_unit_test(every_bit_is_that_of_the_dense_file),
        cmocka_unit_test(a_sparse_bake_is_no_larger_where_everything_moves),
        cmocka_unit_test(a_flat_bake_may_be_sparse_too),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}

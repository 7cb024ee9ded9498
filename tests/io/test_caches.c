// PC2, MDD and npy: what is written reads back bit for bit, and no bytes do harm.
#include "tube_support.h"

#include <math.h>

static int make(void** state)
{
    (void)state;
    return make_of(test_tube(6, 5, 3, 4, 1));
}

static test_bake to(const char* path)
{
    return (test_bake){ .character = tube, .clip = &tube->clips[0], .path = path, .start = 0.25, .fps = 10, .frames = 4 };
}

// The points that test_bake_run bakes at a frame.
static void living(const sup_character* c, const test_bake* b, uint32_t frame, sup_vec3* out)
{
    sup_arena* arena = sup_arena_create(NULL);
    sup_pose   pose;
    sup_error  error;
    double     time = b->start + (double)frame / b->fps;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    sup_clip_sample(c, b->clip, time, &pose);
    test_living_points(c, &pose, time, out);
    sup_arena_destroy(arena);
}

// Bakes, reads, and compares every bit; `vertices`: in stored order rather than in point order.
static void round_trip(const char* file, bool vertices, sup_points* out, sup_arena* arena)
{
    const char* path = test_folder_file(&folder, file);
    test_bake   b = to(path);
    sup_error   error;
    assert_ok(test_bake_run(&b, NULL, &error), error);
    assert_string_equal(b.warnings, "");
    assert_ok(sup_points_read(path, NULL, arena, out, &error), error);
    uint32_t count = vertices ? tube->mesh.vertex_count : tube->mesh.point_count;
    assert_int_equal(out->frame_count, 4);
    assert_int_equal(out->point_count, count);
    sup_vec3* points = sup_arena_alloc(arena, tube->mesh.point_count, sizeof *points);
    for (uint32_t f = 0; f < 4; ++f) {
        living(tube, &b, f, points);
        for (uint32_t v = 0; v < count; ++v) {
            const sup_vec3* want = &points[vertices ? tube->mesh.vertex_points[v] : v];
            assert_memory_equal(&out->points[f * count + v], want, sizeof *want);
        }
    }
    assert_int_equal(test_folder_count(&folder), 1);
    unlink(path);
}

static void pc2_reads_back_bit_for_bit(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    sup_points points;
    round_trip("a.pc2", true, &points, arena);
    assert_false(points.seconds);
    assert_true(points.times[0] == 2.5 && points.times[3] == 5.5); // frames
    sup_arena_destroy(arena);
}

static void mdd_reads_back_bit_for_bit(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    sup_points points;
    round_trip("a.mdd", true, &points, arena);
    assert_true(points.seconds);
    assert_true(points.times[0] == 0.25 && fabs(points.times[3] - 0.55) < 1e-7);
    sup_arena_destroy(arena);
}

static void npy_reads_back_bit_for_bit(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    sup_points points;
    round_trip("a.npy", false, &points, arena);
    assert_null(points.times);
    sup_arena_destroy(arena);
}

// ---------------------------------------------------------------------------------------------- headers by hand

static void headers_are_the_bytes_that_others_read(void** state)
{
    (void)state;
    // One frame at frame 2.5 (0x40200000) and 0.25 s (0x3e800000).
    static const unsigned char pc2[] = "POINTCACHE2\0\1\0\0\0\x20\0\0\0\0\0\x20\x40\0\0\x80\x3f\1\0\0\0";
    static const unsigned char mdd[] = "\0\0\0\1\0\0\0\x20\x3e\x80\0\0";
    static const char          npy[] = "\x93NUMPY\1\0\x76\0{'descr': '<f4', 'fortran_order': False, 'shape': (1, 32, 3), }";
    const struct {
        const char* name;
        const void* head;
        size_t      size, data;
    } cases[] = { { "h.pc2", pc2, 32, 32 }, { "h.mdd", mdd, 12, 12 }, { "h.npy", npy, sizeof npy - 1, 128 } };
    assert_int_equal(tube->mesh.vertex_count, 32); // 6 rings of 5 and two ends
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char* path = test_folder_file(&folder, cases[i].name);
        test_bake   b = to(path);
        sup_error   error;
        sup_bytes   bytes;
        sup_arena*  arena = sup_arena_create(NULL);
        b.frames = 1;
        assert_ok(test_bake_run(&b, NULL, &error), error);
        assert_ok(sup_files_system()->read(NULL, path, arena, &bytes, &error), error);
        assert_int_equal(bytes.size, cases[i].data + 32 * 12);
        assert_int_equal(b.bytes, bytes.size);
        assert_memory_equal(bytes.data, cases[i].head, cases[i].size);
        if (i == 2) assert_int_equal(bytes.data[127], '\n');
        sup_arena_destroy(arena);
        unlink(path);
    }
}

// ---------------------------------------------------------------------------------------------- refusals

static void refused(const char* path, const void* bytes, size_t size, const char* words)
{
    sup_arena* arena = sup_arena_create(NULL);
    sup_points points = { .frame_count = 77 };
    sup_error  error = { 0 };
    assert_int_equal(sup_points_parse(path, (sup_bytes){ bytes, size }, arena, &points, &error), SUP_ERROR_INPUT);
    if (!strstr(error.text, words) || !strstr(error.text, path)) fail_msg("'%s' lacks '%s'", error.text, words);
    assert_int_equal(points.frame_count, 77);
    sup_arena_destroy(arena);
}

static void wrong_files_are_refused_with_a_reason(void** state)
{
    (void)state;
    static const char huge[] = "POINTCACHE2\0\1\0\0\0\xff\xff\xff\xff\0\0\0\0\0\0\x80\x3f\xff\xff\xff\xff";
    static const char old[] = "POINTCACHE2\0\2\0\0\0\1\0\0\0\0\0\0\0\0\0\x80\x3f\1\0\0\0";
    refused("a.txt", "", 0, ".pc2, .mdd or .npy");
    refused("a.pc2", "POINTCACHE1", 12, "POINTCACHE2");
    refused("a.pc2", huge, 32, "announces");
    refused("a.pc2", old, 32, "version 2");
    refused("a.mdd", "\0\0\0\0\0\0\0\1", 8, "nothing to read");
    refused("a.mdd", "\xff\xff\xff\xff\0\0\0\1\0\0", 10, "announces");
    refused("a.npy", "PK\3\4 not an array", 18, "numpy.save");
#define NPY(text) "\x93NUMPY\1\0\x50\0" text "                                                                                "
    refused("a.npy", NPY("{'descr': '<i4', 'fortran_order': False, 'shape': (1, 3), }"), 90, "float32");
    refused("a.npy", NPY("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 3), }"), 90, "Fortran");
    refused("a.npy", NPY("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"), 90, "shape");
    refused("a.npy", NPY("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 2, 3), }"), 90, "shape");
    refused("a.npy", NPY("{'descr': '<f4', 'fortran_order': False, 'shape': (9, 3), }"), 90, "announces 1 frames of 9");
}

static void doubles_and_big_ends_are_read(void** state)
{
    (void)state;
    static const char doubles[] = NPY("{'descr': '>f8', 'fortran_order': False, 'shape': (1, 3)} ");
    uint8_t           bytes[90 + 24];
    memcpy(bytes, doubles, 90);
    memcpy(bytes + 90, "\x3f\xf8\0\0\0\0\0\0\xc0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24); // 1.5, -2, 0
    sup_arena* arena = sup_arena_create(NULL);
    sup_points points;
    sup_error  error;
    assert_ok(sup_points_parse("d.npy", (sup_bytes){ bytes, sizeof bytes }, arena, &points, &error), error);
    assert_int_equal(points.frame_count, 1);
    assert_int_equal(points.point_count, 1);
    assert_true(points.points[0].x == 1.5f && points.points[0].y == -2.0f && points.points[0].z == 0.0f);
    sup_arena_destroy(arena);
}

static void every_cut_is_refused(void** state)
{
    (void)state;
    static const char* const names[] = { "c.pc2", "c.mdd", "c.npy" };
    for (int i = 0; i < 3; ++i) {
        const char* path = test_folder_file(&folder, names[i]);
        test_bake   b = to(path);
        sup_error   error;
        sup_bytes   bytes;
        sup_points  points;
        sup_arena*  arena = sup_arena_create(NULL);
        assert_ok(test_bake_run(&b, NULL, &error), error);
        assert_ok(sup_files_system()->read(NULL, path, arena, &bytes, &error), error);
        for (size_t cut = 0; cut < bytes.size; cut += cut < 200 ? 1 : 97)
            assert_int_equal(sup_points_parse(path, (sup_bytes){ bytes.data, cut }, arena, &points, &error), SUP_ERROR_INPUT);
        sup_arena_destroy(arena);
        unlink(path);
    }
}

static void failing_allocations_leave_nothing(void** state)
{
    (void)state;
    static const char* const names[] = { "s.pc2", "s.mdd", "s.npy", "s.obj", "s.usda" };
    for (int i = 0; i < 5; ++i) {
        test_bake b = to(test_folder_file(&folder, names[i]));
        test_bake_starved(&b, &folder);
        test_folder_remove(&folder);
        test_folder_make(&folder);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pc2_reads_back_bit_for_bit),
        cmocka_unit_test(mdd_reads_back_bit_for_bit),
        cmocka_unit_test(npy_reads_back_bit_for_bit),
        cmocka_unit_test(headers_are_the_bytes_that_others_read),
        cmocka_unit_test(wrong_files_are_refused_with_a_reason),
        cmocka_unit_test(doubles_and_big_ends_are_read),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(failing_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}

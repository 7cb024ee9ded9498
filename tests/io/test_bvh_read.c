// BVH: offsets, channels in any order, frames; every complaint says where.
#include "support.h"

#include "io/motion/motion_file.h"
#include "math/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sup_result parse(const char* text, size_t size, sup_arena* arena, sup_mocap* out, sup_error* error)
{
    // In memory of its own, so that a sanitizer sees any step beyond.
    char* copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    sup_result result = sup_bvh_parse("folder/walk.bvh", (sup_bytes){ (const uint8_t*)copy, size }, arena, out, error);
    free(copy);
    return result;
}

static sup_mocap read_text(sup_arena* arena, const char* text)
{
    sup_mocap m;
    sup_error error;
    assert_ok(parse(text, strlen(text), arena, &m, &error), error);
    return m;
}

static void refuse(const char* text, const char* words)
{
    sup_arena* arena = sup_arena_create(NULL);
    sup_mocap  m;
    sup_error  error;
    assert_int_not_equal(parse(text, strlen(text), arena, &m, &error), SUP_OK);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
    sup_arena_destroy(arena);
}

#define HEAD "HIERARCHY\nROOT Hips\n{\nOFFSET 1 2 3\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
#define LEG "JOINT Left Leg\n{\nOFFSET 0 -4 0\nCHANNELS 1 Xrotation\nEnd Site\n{\nOFFSET 0 -1 0\n}\n}\n}\n"
static const char small[] = HEAD LEG "MOTION\nFrames: 2\nFrame Time: 0.25\n5 6 7 90 0 0 0\n5 6 8 90 90 0 30\n";

static void assert_turns(sup_quat q, sup_vec3 from, sup_vec3 to)
{
    sup_vec3 p = quat_rotate(q, from);
    if (v3_distance(p, to) > 1e-6f) fail_msg("%f %f %f", (double)p.x, (double)p.y, (double)p.z);
}

static void joints_offsets_and_frames_are_read(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    sup_mocap  m = read_text(arena, small);
    assert_string_equal(m.name, "walk");
    assert_int_equal(m.joint_count, 3);
    assert_string_equal(m.joints[1].name, "Left Leg"); // blanks inside a name stay
    assert_int_equal(m.joints[1].parent, 0);
    assert_int_equal(m.joints[2].parent, 1);
    assert_true(m.joints[2].end && !m.joints[1].end && m.joints[2].offset.y == -1);
    assert_int_equal(m.frame_count, 2);
    assert_true(m.frame_time == 0.25);
    assert_true(m.joints[0].translations[1].z == 8 && m.joints[0].translations[0].x == 5); // in place of the offset
    assert_null(m.joints[1].translations);
    assert_null(m.joints[2].rotations);
    sup_arena_destroy(arena);
}

// Z 90 takes x to y. Z 90 then, inside it, X 90: z goes to -y by X, and -y to x by Z.
static void the_first_listed_rotation_is_the_outermost(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    sup_mocap  m = read_text(arena, small);
    assert_turns(m.joints[0].rotations[0], v3(1, 0, 0), v3(0, 1, 0));
    assert_turns(m.joints[0].rotations[1], v3(0, 0, 1), v3(1, 0, 0));
    assert_turns(m.joints[0].rotations[1], v3(1, 0, 0), v3(0, 1, 0));
    sup_arena_destroy(arena);
}

static void neighboring_rotations_stay_on_one_side(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    sup_mocap  m =
        read_text(arena, "HIERARCHY ROOT a\n{ OFFSET 0 0 0 CHANNELS 1 Yrotation }\nMOTION\nFrames: 5\nFrame Time: 1\n170\n"
                         "190\n-160\n-100\n300\n");
    for (uint32_t f = 1; f < 5; ++f) assert_true(quat_dot(m.joints[0].rotations[f - 1], m.joints[0].rotations[f]) > 0);
    sup_arena_destroy(arena);
}

static void spelling_and_line_ends_do_not_matter(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    sup_mocap m = read_text(arena, "\xEF\xBB\xBF hierarchy\r\nRoot hip {\r\n\toffset 0 0 0\r\n\tchannels 3 zROTATION yrotation "
                                   "XRotation\r\n\t}\r\nmotion\r\nframes:\t1\r\nframe time:\t.5\r\n\t0 0 0\r\n\r\n");
    assert_string_equal(m.joints[0].name, "hip");
    assert_int_equal(m.warning_count, 0);
    sup_arena_destroy(arena);
}

static void of_several_skeletons_the_first_is_used(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    sup_mocap m = read_text(arena, "HIERARCHY ROOT a\n{ OFFSET 0 0 0 CHANNELS 1 Xrotation }\nROOT b\n{ OFFSET 0 0 0 CHANNELS 1 "
                                   "Xrotation }\nMOTION\nFrames: 2\nFrame Time: 1\n10 20\n30 40\n");
    assert_int_equal(m.joint_count, 1);
    assert_int_equal(m.warning_count, 1);
    assert_turns(m.joints[0].rotations[1], v3(1, 0, 0), v3(1, 0, 0));
    assert_float_equal(2 * m.joints[0].rotations[1].x * m.joints[0].rotations[1].w, 0.5f, 1e-6f); // sin 30
    sup_arena_destroy(arena);
}

static void faults_are_named_with_their_place(void** state)
{
    (void)state;
    refuse("", "not a BVH file");
    refuse("HIERARCHY\n", "before MOTION");
    refuse("HIERARCHY\nMOTION\n", "no ROOT");
    refuse("HIERARCHY\nROOT a\nb\n", "line 3: '{'");
    refuse("HIERARCHY\nROOT a\n{\n", "within 'a'");
    refuse("HIERARCHY\nROOT a\n{\nOFFSET 0 x 0\n", "line 4: the OFFSET of 'a'");
    refuse("HIERARCHY\nROOT a\n{\nOFFSET 0 nan 0\n", "three numbers");
    refuse("HIERARCHY\nROOT a\n{\n}\n", "no OFFSET");
    refuse("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 2 Xrotation\n}\nMOTION\n", "announces 2 channels and names 1");
    refuse("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nEnd Site\n{\nOFFSET 0 0 0\nJOINT b\n", "an End Site cannot");
    refuse("HIERARCHY\nROOT a\n{\nWHAT 0 0 0\n", "'WHAT' is not a JOINT");
    refuse(HEAD LEG "MOTION\nFrames: x\n", "'Frames: N'");
    refuse(HEAD LEG "MOTION\nFrames: 2\nFrame Time: 0\n", "a frame of 0 seconds");
    refuse(HEAD LEG "MOTION\nFrames: 2\nFrame Time: 0.1\n1 2 3 4 5 6 7\n1 2 3\n", "frame 2 of 2 ends after 3 of 7 numbers");
    refuse(HEAD LEG "MOTION\nFrames: 1\nFrame Time: 0.1\n1 2 3 4 5 nan 7\n", "number 6 of frame 1");
    refuse(HEAD LEG "MOTION\nFrames: 4000000000\nFrame Time: 0.1\n1 2 3 4 5 6 7\n", "truncated");
    refuse("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\nMOTION\nFrames: 4000000000\nFrame Time: 0.1\n", "nothing moves");
}

static void deeply_nested_joints_do_not_overflow(void** state)
{
    (void)state;
    enum { DEPTH = 200000 };
    static const char line[] = "JOINT j{OFFSET 0 0 0 ";
    char*             text = malloc(64 + DEPTH * sizeof line);
    size_t            at = (size_t)sprintf(text, "HIERARCHY ROOT r{OFFSET 0 0 0 ");
    for (int i = 0; i < DEPTH; ++i) at += (size_t)sprintf(text + at, "%s", line);
    sup_arena* arena = sup_arena_create(NULL);
    sup_mocap  m;
    sup_error  error;
    assert_int_equal(parse(text, at, arena, &m, &error), SUP_ERROR_INPUT);
    sup_arena_destroy(arena);
    free(text);
}

static void every_shorter_file_is_refused_with_a_reason(void** state)
{
    (void)state;
    for (size_t size = 0; size + 3 < sizeof small - 1; ++size) { // the last number may lose its zero and line end
        sup_arena* arena = sup_arena_create(NULL);
        sup_mocap  m;
        sup_error  error = { 0 };
        sup_result result = parse(small, size, arena, &m, &error);
        if (result != SUP_OK) assert_true(error.text[0] != 0);
        else assert_true(size > sizeof small - 6);
        sup_arena_destroy(arena);
    }
}

static void without_memory_reading_fails_and_gives_all_back(void** state)
{
    (void)state;
    for (long fail_at = 0; fail_at < 60; ++fail_at) {
        test_allocator memory;
        test_allocator_init(&memory, fail_at);
        sup_arena* arena = sup_arena_create(&memory.allocator);
        sup_mocap  m;
        sup_error  error = { 0 };
        if (arena) {
            sup_result result = parse(small, sizeof small - 1, arena, &m, &error);
            assert_true(result == SUP_OK || result == SUP_ERROR_MEMORY);
        }
        sup_arena_destroy(arena);
        assert_int_equal(memory.live, 0);
    }
}

static void real_files_have_what_their_table_says(void** state)
{
    (void)state;
    static const struct {
        const char* path;
        uint32_t    joints, frames;
    } rows[] = { { "mocap/07_01-walk.bvh", 31, 317 },
                 { "mocap/09_01-run.bvh", 31, 149 },
                 { "mocap/02_04-jump-balance.bvh", 31, 484 },
                 { "mocap/05_03-dance.bvh", 31, 435 },
                 { "mocap/pirouette.bvh", 43, 592 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        TEST_NEEDS_DATA(path, rows[i].path);
        sup_arena* arena = sup_arena_create(NULL);
        sup_mocap  m;
        sup_error  error;
        assert_ok(sup_mocap_load(path, NULL, arena, &m, &error), error);
        uint32_t joints = 0;
        for (uint32_t j = 0; j < m.joint_count; ++j) joints += !m.joints[j].end;
        assert_int_equal(joints, rows[i].joints);
        assert_int_equal(m.frame_count, rows[i].frames);
        assert_int_equal(m.warning_count, 0);
        sup_arena_destroy(arena);
    }
}

static void loaded_as_a_character_it_says_what_to_do(void** state)
{
    (void)state;
    sup_read_input in = { .path = "a/walk.bvh", .bytes = { (const uint8_t*)small, sizeof small - 1 } };
    sup_character* c = NULL;
    sup_error      error;
    assert_int_equal(sup_format_for("walk.bvh")->read(&in, &c, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "motion but no mesh"));
    sup_arena* arena = sup_arena_create(NULL);
    sup_mocap  m;
    assert_int_equal(sup_mocap_load("walk.txt", NULL, arena, &m, &error), SUP_ERROR_INPUT);
    assert_int_equal(sup_mocap_load("nowhere/walk.bvh", NULL, arena, &m, &error), SUP_ERROR_FILE);
    sup_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_offsets_and_frames_are_read),
        cmocka_unit_test(the_first_listed_rotation_is_the_outermost),
        cmocka_unit_test(neighboring_rotations_stay_on_one_side),
        cmocka_unit_test(spelling_and_line_ends_do_not_matter),
        cmocka_unit_test(of_several_skeletons_the_first_is_used),
        cmocka_unit_test(faults_are_named_with_their_place),
        cmocka_unit_test(deeply_nested_joints_do_not_overflow),
        cmocka_unit_test(every_shorter_file_is_refused_with_a_reason),
        cmocka_unit_test(without_memory_reading_fails_and_gives_all_back),
        cmocka_unit_test(real_files_have_what_their_table_says),
        cmocka_unit_test(loaded_as_a_character_it_says_what_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

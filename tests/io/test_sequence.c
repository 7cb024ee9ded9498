// Files of one mesh as a clip of points: found by folder, pattern or glob, in the order of their numbers.
#include "support.h"

#include "math/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A folder in memory: what each file is called and what it holds.
typedef struct shelf {
    const char* const* names;
    const char* const* texts;
    uint32_t           count;
} shelf;

static sup_result shelf_read(void* user, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    const shelf* s = user;
    const char*  name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    for (uint32_t i = 0; i < s->count; ++i)
        if (strcmp(s->names[i], name) == 0) {
            char* text = sup_arena_text(arena, s->texts[i], strlen(s->texts[i]));
            *out = (sup_bytes){ (const uint8_t*)text, strlen(s->texts[i]) };
            return text ? SUP_OK : sup_fail(error, SUP_ERROR_MEMORY, "no memory");
        }
    return sup_fail(error, SUP_ERROR_FILE, "cannot read '%s'", path);
}

static sup_result shelf_list(void* user, const char* folder, sup_arena* arena, const char*** names, uint32_t* count,
                             sup_error* error)
{
    const shelf* s = user;
    if (strcmp(folder, "runs/") != 0) return sup_fail(error, SUP_ERROR_FILE, "no folder");
    *count = s->count;
    *names = sup_arena_copy(arena, s->names, s->count, sizeof **names);
    return *names ? SUP_OK : sup_fail(error, SUP_ERROR_MEMORY, "no memory");
}

static sup_result load(const shelf* s, const char* path, double fps, const sup_allocator* memory, sup_character** out,
                       sup_error* error)
{
    sup_files        files = { .read = shelf_read, .user = (void*)(uintptr_t)s, shelf_list };
    sup_load_options options = { .files = &files, .fps = fps, .allocator = memory };
    return sup_load(path, &options, out, error);
}

#define TRIANGLE "v 1 0 0\nv 0 1 0\nf 1 2 3\n"

static const char* const walk_names[] = { "walk_10.obj", "walk_2.obj", "note.txt", "walk_1.obj", "rest.obj", ".walk_3.obj" };
static const char* const walk_texts[] = { "v 0 0 4\n" TRIANGLE, "v 0 0 1\n" TRIANGLE, "",
                                          "v 0 0 0\n" TRIANGLE, "v 0 0 9\n" TRIANGLE, "" };
static const shelf       walk = { walk_names, walk_texts, 6 };

static float height(const sup_character* c, double time)
{
    sup_arena* arena = sup_arena_create(NULL);
    sup_error  error;
    sup_pose   pose;
    sup_vec3   points[3];
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    sup_clip_sample(c, &c->clips[0], time, &pose);
    float z = sup_pose_morph(c, &pose, points)[0].z;
    sup_arena_destroy(arena);
    return z;
}

static void files_play_in_the_order_of_their_numbers(void** state)
{
    (void)state;
    static const char* const paths[] = { "runs",       "runs/",       "runs/walk_#.obj",  "runs/walk_%d.obj",
                                         "runs/*.obj", "runs/walk_*", "runs/walk_%1d.obj" };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; ++i) {
        sup_character* c = NULL;
        sup_error      error;
        assert_ok(load(&walk, paths[i], 10, NULL, &c, &error), error);
        assert_string_equal(c->name, i < 2 ? "runs" : "walk");
        assert_string_equal(c->clips[0].name, c->name);
        assert_int_equal(c->clip_count, 1);
        assert_int_equal(c->morph_count, 2);
        assert_true(fabs(c->clips[0].seconds - 0.2) < 1e-7);
        assert_true(height(c, 0) == 0 && height(c, 0.1) == 1 && height(c, 0.2) == 4 && height(c, 9) == 4);
        assert_true(fabsf(height(c, 0.05) - 0.5f) < 1e-6f && fabsf(height(c, 0.15) - 2.5f) < 1e-5f);
        // The rest shape beside a folder or under a star is told; a pattern with a number never meant it.
        bool met = i < 2 || strchr(paths[i], '*');
        if (strcmp(paths[i], "runs/walk_*") == 0) met = false;
        assert_int_equal(c->warning_count, met ? 1 : 0);
        if (met) assert_non_null(strstr(c->warnings[0], "'rest.obj'"));
        sup_character_destroy(c);
    }
}

static void thirty_frames_a_second_unless_told(void** state)
{
    (void)state;
    sup_character* c = NULL;
    sup_error      error;
    assert_ok(load(&walk, "runs", 0, NULL, &c, &error), error);
    assert_true(fabs(c->clips[0].seconds - 2 / 30.0) < 1e-7);
    sup_character_destroy(c);
}

static void refuse(const shelf* s, const char* path, const char* words)
{
    sup_character* c = NULL;
    sup_error      error;
    assert_int_not_equal(load(s, path, 0, NULL, &c, &error), SUP_OK);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
}

static void other_meshes_are_named(void** state)
{
    (void)state;
    static const char* const names[] = { "a1.obj", "a2.obj", "b1.obj" };
    static const struct {
        const char *second, *words;
    } cases[] = { { "v 0 0 0\nv 0 0 0\n" TRIANGLE, "'runs/a2.obj' has 4 vertices but 'a1.obj' has 3" },
                  { "v 0 0 0\n" TRIANGLE "f 1 2 3\n", "'runs/a2.obj' has 2 faces but 'a1.obj' has 1" },
                  { "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 3 2\n", "face 0 of 'runs/a2.obj' has other vertices than in 'a1.obj'" },
                  { "v 0 0 x\n", "runs/a2.obj: line 1: a vertex needs three numbers" } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const char* texts[] = { "v 0 0 0\n" TRIANGLE, cases[i].second, "" };
        shelf       s = { names, texts, 2 };
        refuse(&s, "runs", cases[i].words);
    }
    const char* texts[] = { "v 0 0 0\n" TRIANGLE, "v 0 0 0\n" TRIANGLE, "v 0 0 0\n" TRIANGLE };
    shelf       mixed = { names, texts, 3 };
    refuse(&mixed, "runs", "more than one series ('a1.obj' and 'b1.obj'); name one, like 'runs/a*.obj'");
    refuse(&mixed, "runs/b#.obj", "at least two .obj or .ply files whose names end in numbers, and there is 1");
    static const char* const doubles[] = { "a1.obj", "a01.obj" };
    shelf                    twice = { doubles, texts, 2 };
    refuse(&twice, "runs", "'a1.obj' have the same number; remove one");
    refuse(&twice, "runs/a###.obj", "there are 0");
}

static void a_file_that_is_called_like_a_pattern_is_read_alone(void** state)
{
    (void)state;
    static const char* const names[] = { "a#.obj", "a1.obj", "a2.obj" };
    static const char* const texts[] = { "v 0 0 0\n" TRIANGLE, "v 0 0 0\n" TRIANGLE, "v 0 0 0\n" TRIANGLE };
    shelf                    s = { names, texts, 3 };
    sup_character*           c = NULL;
    sup_error                error;
    assert_ok(load(&s, "runs/a#.obj", 0, NULL, &c, &error), error);
    assert_int_equal(c->clip_count, 0);
    sup_character_destroy(c);
}

static void every_refused_allocation_is_survived(void** state)
{
    (void)state;
    for (test_starved s = { 0 }; test_starve(&s);) {
        sup_character* c = NULL;
        sup_error      error;
        s.result = load(&walk, "runs", 0, &s.memory.allocator, &c, &error);
        sup_character_destroy(c);
    }
}

static void a_file_cut_anywhere_is_read_or_named(void** state)
{
    (void)state;
    static const char whole[] = "v 0 0 4\n" TRIANGLE;
    char              cut[sizeof whole];
    const char* const names[] = { "walk_1.obj", "walk_2.obj" };
    const char* const texts[] = { whole, cut };
    const shelf       s = { names, texts, 2 };
    uint32_t          read = 0;
    for (size_t size = 0; size < sizeof whole; ++size) {
        sup_character* c = NULL;
        sup_error      error = { 0 };
        memcpy(cut, whole, size);
        cut[size] = 0;
        sup_result result = load(&s, "runs", 0, NULL, &c, &error);
        if (result != SUP_OK) assert_non_null(strstr(error.text, "walk_2.obj"));
        read += result == SUP_OK;
        sup_character_destroy(c);
    }
    assert_int_equal(read, 2); // whole, and without the last line end
}

static void sequences_of_the_data_set_pass_through_their_files(void** state)
{
    (void)state;
    static const struct {
        const char *folder, *last;
        uint32_t    frames;
    } sets[] = { { "horse-gallop", "0024.obj", 24 },
                 { "cat-poses", "0009.obj", 9 },
                 { "samba", "mesh_0064.obj", 14 },
                 { "elastic-cow", "0025.obj", 18 } };
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; ++i) {
        TEST_NEEDS_DATA(folder, sets[i].folder);
        char           path[2048];
        sup_character *c = NULL, *last = NULL;
        sup_error      error;
        assert_ok(sup_load(folder, NULL, &c, &error), error);
        snprintf(path, sizeof path, "%s/%s", folder, sets[i].last);
        assert_ok(sup_load(path, NULL, &last, &error), error);
        assert_int_equal(c->morph_count + 1, sets[i].frames);
        sup_arena* arena = sup_arena_create(NULL);
        sup_pose   pose;
        sup_vec3*  points = sup_arena_alloc(arena, c->mesh.point_count, sizeof *points);
        assert_ok(sup_pose_create(c, arena, &pose, &error), error);
        sup_clip_sample(c, &c->clips[0], c->clips[0].seconds, &pose);
        const sup_vec3* shown = sup_pose_morph(c, &pose, points);
        // A difference and a sum, each rounded once.
        for (uint32_t p = 0; p < c->mesh.point_count; ++p)
            assert_true(v3_length(v3_sub(shown[p], last->mesh.points[p])) < 1e-6f * c->mesh.diagonal);
        sup_arena_destroy(arena);
        sup_character_destroy(last);
        sup_character_destroy(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_play_in_the_order_of_their_numbers),
        cmocka_unit_test(thirty_frames_a_second_unless_told),
        cmocka_unit_test(other_meshes_are_named),
        cmocka_unit_test(a_file_that_is_called_like_a_pattern_is_read_alone),
        cmocka_unit_test(every_refused_allocation_is_survived),
        cmocka_unit_test(a_file_cut_anywhere_is_read_or_named),
        cmocka_unit_test(sequences_of_the_data_set_pass_through_their_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

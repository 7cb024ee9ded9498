// Loading by name: endings, built-in characters, and what the file system refuses.
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void refuse(const char* path, sup_result code, const char* words)
{
    sup_character* c = NULL;
    sup_error      error;
    assert_int_equal(sup_load(path, NULL, &c, &error), code);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
    assert_null(c);
}

static void endings_find_their_format(void** state)
{
    (void)state;
    assert_string_equal(sup_format_for("a.glb")->name, "gltf");
    assert_string_equal(sup_format_for("some.where/a.GLTF")->name, "gltf");
    assert_string_equal(sup_format_for("a.b.Obj")->name, "obj");
    assert_null(sup_format_for("a.gl"));
    assert_null(sup_format_for("a.glbx"));
    assert_null(sup_format_for("folder.glb/a"));
    assert_null(sup_format_for("a."));
    assert_null(sup_format_for(""));
    assert_true(sup_format_count() >= 2);
    for (uint32_t i = 0; i < sup_format_count(); ++i) assert_non_null(sup_format_at(i)->summary);
}

static void an_unknown_ending_lists_those_there_are(void** state)
{
    (void)state;
    refuse("character.xyz", SUP_ERROR_INPUT,
           "the ending of 'character.xyz' is unknown; these are read: .glb .gltf .vrm .obj");
    refuse("character", SUP_ERROR_INPUT, ".glb .gltf .vrm");
    refuse("a.b/character.USDZ", SUP_ERROR_INPUT, "is of a format that cannot be read; export it as .glb");
    refuse("scene.abc", SUP_ERROR_INPUT, "export its frames as .obj");
}

static void built_in_characters_are_made_by_name(void** state)
{
    (void)state;
    assert_int_equal(sup_builtin_count(), 3);
    for (uint32_t i = 0; i < sup_builtin_count(); ++i) {
        char           path[64];
        snprintf(path, sizeof path, "builtin:%s", sup_builtin_name(i));
        sup_character* c = test_load(path);
        assert_true(c->mesh.point_count > 100 && c->clip_count > 0);
        assert_non_null(sup_builtin_summary(i));
        sup_character_destroy(c);
    }
}

static void a_number_of_points_may_be_asked_for(void** state)
{
    (void)state;
    sup_error      error;
    sup_character* c = test_load("builtin:arm?points=1000");
    assert_in_range(c->mesh.point_count, 700, 1400);
    sup_character_destroy(c);
    c = NULL;
    sup_load_options options = { .unit = 0.01, .up = SUP_UP_Z };
    assert_ok(sup_load("builtin:arm?points=500", &options, &c, &error), error);
    assert_true(c->metres_per_unit == 0.01 && c->up == SUP_AXIS_Z && !c->unit_assumed && !c->up_assumed);
    sup_character_destroy(c);
}

static void bad_words_behind_builtin_are_refused(void** state)
{
    (void)state;
    refuse("builtin:dragon", SUP_ERROR_INPUT, "there is no built-in character 'dragon'; there are: arm, bar, beast");
    refuse("builtin:", SUP_ERROR_INPUT, "there is no built-in character ''");
    refuse("builtin:arm?points=99", SUP_ERROR_INPUT, "points must be a whole number from 100 to 2000000");
    refuse("builtin:arm?points=2000001", SUP_ERROR_INPUT, "from 100 to 2000000");
    refuse("builtin:arm?points=99999999999999999999999", SUP_ERROR_INPUT, "from 100 to 2000000");
    refuse("builtin:arm?points=", SUP_ERROR_INPUT, "from 100 to 2000000");
    refuse("builtin:arm?points=-5", SUP_ERROR_INPUT, "from 100 to 2000000");
    refuse("builtin:arm?points=5e3", SUP_ERROR_INPUT, "from 100 to 2000000");
    refuse("builtin:arm?color=red", SUP_ERROR_INPUT, "does not know 'color=red'");
}

static void unreadable_files_are_reported_with_the_reason(void** state)
{
    (void)state;
    char folder[] = "supple-load-XXXXXX", path[100];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/absent.glb", folder);
    refuse(path, SUP_ERROR_FILE, "absent.glb': No such file or directory");

    snprintf(path, sizeof path, "%s/folder.glb", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    refuse(path, SUP_ERROR_FILE, "folder.glb': it is a directory");
    rmdir(path);

    snprintf(path, sizeof path, "%s/pipe.obj", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    refuse(path, SUP_ERROR_FILE, "pipe.obj': it is not a plain file");
    unlink(path);

    snprintf(path, sizeof path, "%s/large.obj", folder);
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), (off_t)5 << 30), 0); // holes cost no disk
    fclose(file);
    refuse(path, SUP_ERROR_FILE, "large.obj': it is larger than 4 GiB");
    unlink(path);

    snprintf(path, sizeof path, "%s/bad.obj", folder);
    test_write(path, "v 0 0\n", 6);
    refuse(path, SUP_ERROR_INPUT, "bad.obj: line 1: a vertex needs three numbers"); // the reader's words behind the file's name
    unlink(path);
    rmdir(folder);
}

static sup_result hand_out(void* user, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    (void)error;
    assert_string_equal(path, "anywhere/a.obj");
    ++*(int*)user;
    *out = (sup_bytes){ sup_arena_copy(arena, text, sizeof text - 1, 1), sizeof text - 1 };
    return SUP_OK;
}

static void a_host_may_bring_its_own_files(void** state)
{
    (void)state;
    int              calls = 0;
    sup_files        files = { .read = hand_out, .user = &calls };
    sup_load_options options = { .files = &files };
    sup_character*   c = NULL;
    sup_error        error;
    assert_ok(sup_load("anywhere/a.obj", &options, &c, &error), error);
    assert_int_equal(calls, 1);
    assert_int_equal(c->mesh.point_count, 3);
    sup_character_destroy(c);
}

static void every_refused_allocation_is_survived(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/riggedsimple.glb");
    for (test_starved s = { 0 }; test_starve(&s);) {
        sup_character* c = NULL;
        sup_error      error;
        s.result = sup_load(path, &(sup_load_options){ .allocator = &s.memory.allocator }, &c, &error);
        sup_character_destroy(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endings_find_their_format),
        cmocka_unit_test(an_unknown_ending_lists_those_there_are),
        cmocka_unit_test(built_in_characters_are_made_by_name),
        cmocka_unit_test(a_number_of_points_may_be_asked_for),
        cmocka_unit_test(bad_words_behind_builtin_are_refused),
        cmocka_unit_test(unreadable_files_are_reported_with_the_reason),
        cmocka_unit_test(a_host_may_bring_its_own_files),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// assimp in a process of its own: whatever it does there, the one that asked goes on with a sentence.
#include "supple/io_extra.h"
#include "tests/io/bake_support.h"

#ifndef SUPPLE_ASSIMP
int main(void)
{
    puts("skipped: this build is without assimp");
    return 77;
}
#else

#include "io_extra/assimp.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static sup_result make_and_die(const sup_read_input* in, sup_arena* keep, sup_arena* work, gltf_given* given, sup_error* error)
{
    (void)in, (void)keep, (void)work, (void)given, (void)error;
    raise(SIGKILL);
    return SUP_OK;
}

static sup_result make_and_leave(const sup_read_input* in, sup_arena* keep, sup_arena* work, gltf_given* given,
                                 sup_error* error)
{
    (void)in, (void)keep, (void)work, (void)given, (void)error;
    _exit(0);
}

static sup_result make_and_refuse(const sup_read_input* in, sup_arena* keep, sup_arena* work, gltf_given* given,
                                  sup_error* error)
{
    (void)in, (void)keep, (void)work, (void)given;
    return sup_fail(error, SUP_ERROR_FILE, "the dog ate it; take another");
}

static sup_result make_and_stop(const sup_read_input* in, sup_arena* keep, sup_arena* work, gltf_given* given, sup_error* error)
{
    (void)in, (void)keep, (void)work, (void)given, (void)error;
    raise(SIGSTOP);
    return SUP_OK;
}

// The system warns before it kills, or nobody learns why.
static sup_result make_and_work(const sup_read_input* in, sup_arena* keep, sup_arena* work, gltf_given* given, sup_error* error)
{
    struct rlimit seconds;
    (void)in, (void)keep, (void)work, (void)given;
    if (getrlimit(RLIMIT_CPU, &seconds) != 0 || seconds.rlim_cur >= seconds.rlim_max)
        return sup_fail(error, SUP_ERROR_FILE, "there is no warning");
    seconds.rlim_cur = 1;
    setrlimit(RLIMIT_CPU, &seconds);
    for (volatile int on = 1; on;) on = 1;
    return SUP_OK;
}

static const uint8_t small[3] = { 0, 1, 2 };

static sup_result make_small(const sup_read_input* in, sup_arena* keep, sup_arena* work, gltf_given* given, sup_error* error)
{
    static const char* const warnings[] = { "first", "", "third" };
    (void)in, (void)work, (void)error;
    sup_json* root = sup_json_new(keep, SUP_JSON_OBJECT);
    sup_json_set(keep, root, "third", sup_json_new_number(keep, 1.0 / 3));
    *given = (gltf_given){ .root = root,
                           .binary = { small, sizeof small },
                           .unit_assumed = true,
                           .unit = 1,
                           .warning_count = 3,
                           .warnings = warnings };
    return SUP_OK;
}

static sup_result run(assimp_make_fn* make, sup_arena* arena, gltf_given* given, sup_error* error)
{
    sup_read_input in = { .path = "a.fbx", .bytes = { (const uint8_t*)"x", 1 }, .files = sup_files_system() };
    *error = (sup_error){ SUP_OK, "" };
    return assimp_apart(make, &in, arena, arena, given, error);
}

static void a_process_that_dies_is_reported(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    gltf_given given;
    sup_error  error;
    assert_int_equal(run(make_and_die, arena, &given, &error), SUP_ERROR_INPUT);
    assert_string_equal(error.text, "'a.fbx' cannot be read: assimp crashed on it; copy it again, or export it as glTF");
    assert_int_equal(run(make_and_leave, arena, &given, &error), SUP_ERROR_INPUT); // without a word
    assert_non_null(strstr(error.text, "crashed on it"));
    assert_int_equal(run(make_and_refuse, arena, &given, &error), SUP_ERROR_FILE);
    assert_string_equal(error.text, "the dog ate it; take another");
    assert_int_equal(run(make_and_work, arena, &given, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "within 4 s of CPU time"));
    sup_arena_destroy(arena);
}

static bool stop_asking(void* user, double fraction, const char* what)
{
    (void)fraction, (void)what;
    return --*(int*)user > 0;
}

// One that was stopped works no seconds and never ends: the clock ends it, or whoever waits.
static void a_process_that_was_stopped_is_ended(void** state)
{
    (void)state;
    sup_arena*     arena = sup_arena_create(NULL);
    int            questions = 2;
    sup_progress   progress = { stop_asking, &questions };
    sup_read_input in = { .path = "a.fbx", .bytes = { small, 3 }, .files = sup_files_system(), .wait = 0.3 };
    gltf_given     given;
    sup_error      error = { SUP_OK, "" };
    assert_int_equal(assimp_apart(make_and_stop, &in, arena, arena, &given, &error), SUP_ERROR_INPUT);
    print_message("  %s\n", error.text);
    assert_non_null(strstr(error.text, "did not answer"));
    in.wait = 0, in.progress = &progress;
    assert_int_equal(assimp_apart(make_and_stop, &in, arena, arena, &given, &error), SUP_ERROR_CANCELLED);
    assert_int_equal(questions, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); // no child is left
    sup_arena_destroy(arena);
}

static void a_document_comes_over_whole(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    gltf_given given;
    sup_error  error;
    assert_ok(run(make_small, arena, &given, &error), error);
    assert_true(sup_json_number(sup_json_get(given.root, "third"), 0) == 1.0 / 3);
    assert_int_equal(given.binary.size, sizeof small);
    assert_memory_equal(given.binary.data, small, sizeof small);
    assert_true(given.unit_assumed && !given.up_assumed);
    assert_int_equal(given.warning_count, 3);
    assert_string_equal(given.warnings[0], "first");
    assert_string_equal(given.warnings[1], "");
    assert_string_equal(given.warnings[2], "third");
    sup_arena_destroy(arena);
}

static void refuse(const char* ending, const char* text)
{
    const sup_extra* extra = sup_extra_get();
    char             path[16] = "a.";
    strcat(path, ending);
    sup_read_input in = {
        .path = path, .bytes = { (const uint8_t*)text, strlen(text) }, .files = sup_files_system()
    };
    sup_character* c = NULL;
    sup_error      error = { SUP_OK, "" };
    assert_int_equal(extra->formats[extra->format_count - 1]->read(&in, &c, &error), SUP_ERROR_INPUT);
    assert_null(c);
    print_message("  %s\n", error.text);
    assert_non_null(strstr(error.text, "cannot be read"));
}

// Files that make assimp 5.2 read behind its buffer, and take memory for ever.
static void files_that_undo_assimp_are_refused(void** state)
{
    (void)state;
    refuse("smd", "version 1\n\nnodes\n  0 \"TriangleTes");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__clang__) // beside a sanitizer's shadow there is no bound on memory
    refuse("dae",
           "<COLLADA version=\"1.4.1\"><library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"a\" "
           "count=\"9\">0 0 0 1 0 0 0 1 0</float_array><technique_common><accessor source=\"#a\" count=\"3\" stride=\"3\">"
           "<param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/></accessor>"
           "</technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>"
           "<triangles count=\"1\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 x 2</p></triangles></mesh>"
           "</geometry></library_geometries><library_visual_scenes><visual_scene id=\"s\"><node id=\"n\">"
           "<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes><scene>"
           "<instance_visual_scene url=\"#s\"/></scene></COLLADA>");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_process_that_dies_is_reported),
        cmocka_unit_test(a_process_that_was_stopped_is_ended),
        cmocka_unit_test(a_document_comes_over_whole),
        cmocka_unit_test(files_that_undo_assimp_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif

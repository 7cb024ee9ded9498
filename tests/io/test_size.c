// Characters of an implausible size: said, and taken for a plausible one by physics.
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// An OBJ whose longest side is what the user pointer says, or a glTF of 1 x 1 x 0 units under a node that scales by it.
static sup_result hand_out(void* user, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    double size = *(const double*)user;
    char*  text = sup_arena_alloc(arena, 1200, 1);
    if (!text) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
    int length = 0;
    if (strstr(path, ".obj")) length = snprintf(text, 1200, "v 0 0 0\nv %.17g 0 0\nv 0 %.17g 0\nf 1 2 3\n", size / 2, size);
    else
        length = snprintf(text, 1200,
                          "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
                          "\"nodes\":[{\"mesh\":0,\"scale\":[%.17g,%.17g,%.17g]}],"
                          "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}],"
                          "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\","
                          "\"min\":[0,0,0],\"max\":[1,1,0]}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],"
                          "\"buffers\":[{\"byteLength\":36,\"uri\":\"data:application/octet-stream;base64,"
                          "AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}]}",
                          size, size, size);
    *out = (sup_bytes){ (const uint8_t*)text, (size_t)length };
    return SUP_OK;
}

static sup_character* load(const char* path, double size, double unit)
{
    const sup_files  files = { .read = hand_out, .user = &size };
    sup_load_options options = { .files = &files, .unit = unit };
    sup_character*   c = NULL;
    sup_error        error;
    assert_ok(sup_load(path, &options, &c, &error), error);
    return c;
}

// words: of the warning; NULL: there is none.
static void check(const char* path, double size, double unit, double physics, const char* words)
{
    sup_character* c = load(path, size, unit);
    const char*    said = NULL;
    for (uint32_t i = 0; i < c->warning_count; ++i)
        if (strstr(c->warnings[i], "physics assumes")) said = c->warnings[i];
    assert_true(c->metres_per_unit == (unit > 0 ? unit : 1)); // files and printed lengths keep it
    if (fabs(sup_character_physics_unit(c) - physics) > 1e-12 * physics)
        fail_msg("%g: a unit is %g m", size, sup_character_physics_unit(c));
    if (!words != !said || (words && !strstr(said, words))) fail_msg("%g: said '%s'", size, said ? said : "nothing");
    sup_character_destroy(c);
}

static void a_plausible_size_is_believed(void** state)
{
    (void)state;
    static const double sizes[] = { 0.2, 0.21, 1, 1.8, 6.4, 19.9, 20 };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) check("a.obj", sizes[i], 0, 1, NULL);
}

// The power of ten that brings it nearest to 2 m; by hand: 155 -> 1.55, 0.007 -> 0.7, 24 -> 2.4, 64 -> 0.64, 63 -> 6.3, 0.1
// -> 1.
static void an_implausible_size_is_noted_and_a_plausible_one_assumed(void** state)
{
    (void)state;
    check("a.obj", 155, 0, 0.01,
          "'a' is 155 m large at 1 m per unit; characters are 0.2 to 20 m, so physics assumes "
          "1.55 m: --unit cm makes that its size, --unit m keeps the file's");
    check("a.obj", 0.007, 0, 100, "assumes 0.7 m: --unit 100 makes");
    check("a.obj", 24, 0, 0.1, "assumes 2.4 m: --unit 0.1 makes");
    check("a.obj", 64, 0, 0.01, "assumes 0.64 m");
    check("a.obj", 63, 0, 0.1, "assumes 6.3 m");
    check("a.obj", 0.1, 0, 10, "assumes 1 m");
    check("a.obj", 1700, 0, 0.001, "assumes 1.7 m: --unit mm makes");
    check("a.obj", 1e9, 0, 1e-9, "physics assumes 1 m");
    check("a.obj", 1e-30, 0, 1e30, "physics assumes 1 m");
}

static void a_size_that_a_person_insists_on_is_believed(void** state)
{
    (void)state;
    check("a.obj", 155, 1, 1, NULL);
    check("a.obj", 155, 0.01, 0.01, NULL);
    check("a.obj", 1.7, 0.001, 0.001, NULL);
}

static void a_body_without_extent_has_no_size_to_judge(void** state)
{
    (void)state;
    check("a.obj", 0, 0, 1, NULL);
}

// What counts is the skin as it stands, not the numbers that the file stores.
static void the_nodes_scale_counts(void** state)
{
    (void)state;
    check("a.gltf", 1.7, 0, 1, NULL);
    check("a.gltf", 155, 0, 0.01, "is 155 m large");
    check("a.gltf", 0.01, 0, 100, "assumes 1 m");
}

static void no_memory_is_an_error_and_not_a_size(void** state)
{
    (void)state;
    sup_character* c = load("a.obj", 155, 0);
    test_allocator memory;
    sup_error      error;
    double         extent = 0;
    test_allocator_init(&memory, 0);
    assert_int_equal(sup_character_extent(c, &memory.allocator, &extent, &error), SUP_ERROR_MEMORY);
    assert_int_equal(memory.live, 0);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plausible_size_is_believed),
        cmocka_unit_test(an_implausible_size_is_noted_and_a_plausible_one_assumed),
        cmocka_unit_test(a_size_that_a_person_insists_on_is_believed),
        cmocka_unit_test(a_body_without_extent_has_no_size_to_judge),
        cmocka_unit_test(the_nodes_scale_counts),
        cmocka_unit_test(no_memory_is_an_error_and_not_a_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

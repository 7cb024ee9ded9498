// A child of a process with threads would wait for ever for a lock that one of them held when it was made.
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

static const uint8_t small[3] = { 0, 1, 2 };

static sup_result make(const sup_read_input* in, sup_arena* keep, sup_arena* work, gltf_given* given, sup_error* error)
{
    (void)in, (void)work, (void)error;
    *given = (gltf_given){ .root = sup_json_new(keep, SUP_JSON_OBJECT), .binary = { small, sizeof small } };
    return SUP_OK;
}

static void a_process_with_threads_reads_by_itself(void** state)
{
    (void)state;
    sup_pool*      pool = sup_pool_create(2);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_read_input in = { .path = "a.fbx", .bytes = { small, sizeof small }, .files = sup_files_system() };
    gltf_given     given;
    sup_error      error;
    assert_non_null(pool);
    assert_ok(assimp_apart(make, &in, arena, arena, &given, &error), error);
    assert_ptr_equal(given.binary.data, small); // not a copy that came over a pipe
    sup_arena_destroy(arena);
    sup_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_process_with_threads_reads_by_itself) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif

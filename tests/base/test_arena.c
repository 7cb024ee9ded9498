#include "support.h"

#include "base/internal.h"

#include <string.h>

static void memory_is_zeroed_aligned_and_apart(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    uint8_t*   previous_end = NULL;
    for (size_t size = 0; size < 300; ++size) {
        uint8_t* p = sup_arena_alloc(arena, size, 3);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % (size * 3 >= 64 ? 64 : 16), 0);
        for (size_t i = 0; i < size * 3; ++i) assert_int_equal(p[i], 0);
        memset(p, 0xff, size * 3);
        if (previous_end && p >= previous_end - 3 * 300 && p < previous_end + 3 * 300) assert_true(p >= previous_end);
        previous_end = p + size * 3;
    }
    sup_arena_destroy(arena);
}

static void large_requests_get_their_own_block(void** state)
{
    (void)state;
    test_allocator allocator;
    test_allocator_init(&allocator, -1);
    sup_arena* arena = sup_arena_create(&allocator.allocator);
    uint8_t*   small = sup_arena_alloc(arena, 1, 1);
    uint8_t*   large = sup_arena_alloc(arena, 20 * 1024 * 1024, 1);
    *small = 1;
    assert_int_equal(large[0] + large[20 * 1024 * 1024 - 1], 0);
    assert_int_equal(sup_arena_bytes(arena), 20 * 1024 * 1024 + 1);
    sup_arena_destroy(arena);
    assert_int_equal(allocator.live, 0);
    assert_int_equal(allocator.bytes, 0);
}

static void products_that_overflow_are_refused(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    assert_null(sup_arena_alloc(arena, SIZE_MAX, 2));
    assert_null(sup_arena_alloc(arena, SIZE_MAX / 2 + 1, 1));
    assert_null(sup_arena_alloc(arena, (size_t)1 << 33, (size_t)1 << 33));
    assert_null(sup_arena_text(arena, "", SIZE_MAX));
    assert_non_null(sup_arena_alloc(arena, 0, SIZE_MAX));
    sup_arena_destroy(arena);
}

static void an_arena_never_grows_beyond_its_limit(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    sup_arena_limit(arena, 1000);
    assert_non_null(sup_arena_alloc(arena, 1000, 1));
    assert_null(sup_arena_alloc(arena, 1, 1));
    sup_arena_limit(arena, 0);
    assert_non_null(sup_arena_alloc(arena, 1, 1));
    sup_arena_destroy(arena);
}

static void copies_and_texts_are_what_they_were(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    int        numbers[] = { 1, 2, 3 };
    assert_memory_equal(sup_arena_copy(arena, numbers, 3, sizeof(int)), numbers, sizeof numbers);
    assert_string_equal(sup_arena_text(arena, "abcdef", 3), "abc");
    assert_string_equal(sup_arena_text(arena, NULL, 0), "");
    assert_non_null(sup_arena_copy(arena, NULL, 0, 4));
    sup_arena_destroy(arena);
}

static void an_allocator_that_says_no_gives_null_and_no_leak(void** state)
{
    (void)state;
    for (long fail_at = 0; fail_at < 4; ++fail_at) {
        test_allocator allocator;
        test_allocator_init(&allocator, fail_at);
        sup_arena* arena = sup_arena_create(&allocator.allocator);
        if (fail_at == 0) assert_null(arena);
        int given = 0;
        for (int i = 0; arena && i < 4; ++i) given += sup_arena_alloc(arena, 1, 10 * 1024 * 1024) != NULL;
        if (arena) assert_int_equal(given, fail_at - 1);
        sup_arena_destroy(arena);
        assert_int_equal(allocator.live, 0);
    }
}

static void adopted_memory_lives_on_in_the_new_arena(void** state)
{
    (void)state;
    test_allocator allocator;
    test_allocator_init(&allocator, -1);
    for (int filled = 0; filled < 4; ++filled) {
        sup_arena *a = sup_arena_create(&allocator.allocator), *b = sup_arena_create(&allocator.allocator);
        char*      in_a = filled & 1 ? sup_arena_text(a, "mine", 4) : NULL;
        char*      in_b = filled & 2 ? sup_arena_text(b, "yours", 5) : NULL;
        sup_arena_adopt(a, b);
        assert_int_equal(sup_arena_bytes(b), 0);
        assert_non_null(sup_arena_alloc(b, 1, 100)); // empty, but alive
        sup_arena_destroy(b);
        char* later = sup_arena_text(a, "later", 5);
        if (in_a) assert_string_equal(in_a, "mine");
        if (in_b) assert_string_equal(in_b, "yours");
        assert_string_equal(later, "later");
        sup_arena_destroy(a);
        assert_int_equal(allocator.live, 0);
    }
}

static void scratch_is_aligned_and_returns_to_where_it_came_from(void** state)
{
    (void)state;
    test_allocator allocator;
    for (size_t bytes = 0; bytes < 1000; bytes += 7) {
        for (int own = 0; own < 2; ++own) {
            test_allocator_init(&allocator, -1);
            uint8_t* block = sup_scratch_create(bytes, own ? &allocator.allocator : NULL);
            assert_non_null(block);
            assert_int_equal((uintptr_t)block % 64, 0);
            memset(block, 0xff, bytes);
            sup_scratch_destroy(block);
            assert_int_equal(allocator.live, 0);
            assert_int_equal(allocator.bytes, 0);
        }
    }
    test_allocator_init(&allocator, 0);
    assert_null(sup_scratch_create(1, &allocator.allocator));
    assert_null(sup_scratch_create(SIZE_MAX, NULL));
    sup_scratch_destroy(NULL);
}

static void the_library_says_which_one_it_is(void** state)
{
    (void)state;
    assert_string_equal(sup_version(), SUP_VERSION);
    assert_true(sup_abi_fits());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(large_requests_get_their_own_block),
        cmocka_unit_test(products_that_overflow_are_refused),
        cmocka_unit_test(an_arena_never_grows_beyond_its_limit),
        cmocka_unit_test(copies_and_texts_are_what_they_were),
        cmocka_unit_test(an_allocator_that_says_no_gives_null_and_no_leak),
        cmocka_unit_test(adopted_memory_lives_on_in_the_new_arena),
        cmocka_unit_test(scratch_is_aligned_and_returns_to_where_it_came_from),
        cmocka_unit_test(the_library_says_which_one_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

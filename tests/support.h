/// tests/support.h: what many tests share.
#ifndef SUP_TESTS_SUPPORT_H
#define SUP_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> // after the four above, as it demands; in a block of its own, because make format sorts each block

#include "supple/io.h"
#include "supple/scene.h"

/// Not 0 in a build that a sanitizer watches. It sees reads, writes and races; how well a long simulation ends is measured by
/// the other builds, which have the same bits.
enum { TEST_UNWATCHED, TEST_FOR_ADDRESSES, TEST_FOR_RACES };
#if defined(__has_feature) // clang
#if __has_feature(thread_sanitizer)
#define TEST_SANITIZED TEST_FOR_RACES
#elif __has_feature(address_sanitizer)
#define TEST_SANITIZED TEST_FOR_ADDRESSES
#endif
#elif defined(__SANITIZE_THREAD__) // gcc
#define TEST_SANITIZED TEST_FOR_RACES
#elif defined(__SANITIZE_ADDRESS__)
#define TEST_SANITIZED TEST_FOR_ADDRESSES
#endif
#ifndef TEST_SANITIZED
#define TEST_SANITIZED TEST_UNWATCHED
#endif

/// An allocator that says no from the nth call on, and counts what was not given back.
typedef struct test_allocator {
    sup_allocator allocator;
    long          calls;    ///< so far
    long          fail_at;  ///< first call that fails; negative: never
    long          live;     ///< allocations not yet released
    size_t        bytes;    ///< live bytes
} test_allocator;
void test_allocator_init(test_allocator* a, long fail_at);

/// What asks for memory, with the first allocation failing, then the second and so on, until there is enough:
///     for (test_starved s = { 0 }; test_starve(&s);) s.result = make(..., &s.memory.allocator, ...);
/// Holds that something failed, that it was called SUP_ERROR_MEMORY (as is what never gets to set the result), and that all
/// memory is given back each time.
typedef struct test_starved {
    test_allocator memory;
    sup_result     result;
    long           rounds; ///< begun so far
} test_starved;
bool test_starve(test_starved* s);

/// Makes a file of these bytes.
void test_write(const char* path, const void* data, size_t bytes);

/// Path of a file of the shared data set, or NULL when the set is not beside the checkout (then the caller skips with a
/// message: TEST_NEEDS_DATA does that).
const char* test_data(const char* relative);
#define TEST_NEEDS_DATA(path, relative)                                                                                         \
    const char* path = test_data(relative);                                                                                    \
    if (!path) {                                                                                                               \
        print_message("skipped: the shared data set is not beside the checkout (%s)\n", relative);                              \
        skip();                                                                                                                \
    }

/// Things that must be possible, or the test fails with what is said. The caller destroys characters.
sup_character* test_builtin(const char* name, uint32_t points);
sup_character* test_load(const char* path);
sup_json*      test_json(const char* text, sup_arena* arena);
sup_character* test_character(const sup_character_desc* desc);
/// Another mesh on the joints of a character, with its clips.
sup_character* test_character_with(const sup_character* c, const sup_part_desc* part);

/// Whether a warning of the character has these words; if none has, prints what there is.
bool test_warned(const sup_character* c, const char* words);

/// A prism of `rings` rings of `sides` points along +x from 0 to length, closed by end points, quads and triangle caps, with
/// `joints` joints in a row along it and smooth weights of two influences, and a clip "bend" of one second that turns every
/// joint but the first by 30 degrees about z. The caller destroys it.
sup_character* test_tube(uint32_t rings, uint32_t sides, uint32_t joints, float length, float radius);

#define assert_ok(call, error)                                                                                                 \
    do {                                                                                                                       \
        if ((call) != SUP_OK) fail_msg("%s", (error).text);                                                                    \
    } while (0)

#endif

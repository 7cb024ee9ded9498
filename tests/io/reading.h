/// tests/io/reading.h: what tests of readers of one text or block of bytes share. Define READING_PATH before including it: a
/// path whose ending picks the reader.
#ifndef SUP_TESTS_IO_READING_H
#define SUP_TESTS_IO_READING_H

#include "support.h"

#include <stdlib.h>
#include <string.h>

static inline sup_result read_bytes(const void* data, size_t size, const sup_allocator* allocator, sup_character** out,
                                    sup_error* error)
{
    // In memory of its own, so that a sanitizer sees any step beyond.
    char* copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    sup_read_input in = { .path = READING_PATH, .bytes = { (const uint8_t*)copy, size }, .up = -1, .allocator = allocator };
    sup_result     result = sup_format_for(in.path)->read(&in, out, error);
    free(copy);
    return result;
}

static inline sup_character* read_text(const char* text)
{
    sup_character* c = NULL;
    sup_error      error;
    assert_ok(read_bytes(text, strlen(text), NULL, &c, &error), error);
    return c;
}

static inline void refuse(const char* text, const char* words)
{
    sup_character* c = NULL;
    sup_error      error = { SUP_OK, "" };
    assert_int_not_equal(read_bytes(text, strlen(text), NULL, &c, &error), SUP_OK);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
}

/// Reads with memory that ends one allocation later each time, until it is enough.
static inline void starve(const void* data, size_t size)
{
    for (long at = 0;; ++at) {
        test_allocator memory;
        sup_character* c = NULL;
        sup_error      error;
        test_allocator_init(&memory, at);
        sup_result result = read_bytes(data, size, &memory.allocator, &c, &error);
        sup_character_destroy(c);
        assert_int_equal(memory.live, 0);
        if (result == SUP_OK) break;
        assert_int_equal(result, SUP_ERROR_MEMORY);
        assert_true(at < 1000);
    }
}

#endif

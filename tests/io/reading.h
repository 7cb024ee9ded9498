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
    sup_read_input in = { .path = READING_PATH, .bytes = { (const uint8_t*)copy, size }, .allocator = allocator };
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

typedef struct reading_listener {
    uint32_t calls, stop; ///< stops at this call; 0: never
    double   last;
} reading_listener;

static inline bool reading_listen(void* user, double share, const char* what)
{
    reading_listener* l = user;
    (void)what;
    assert_true(share >= l->last && share <= 1); // a bar never goes back
    l->last = share;
    return ++l->calls != l->stop;
}

/// Reads with somebody who may stop it, and counts how often they are asked. Stopped at any question it ends there, with all
/// memory given back.
static inline uint32_t read_stopping(const char* text, uint32_t stop)
{
    reading_listener l = { .stop = stop };
    sup_progress     progress = { reading_listen, &l };
    test_allocator   memory;
    sup_character*   c = NULL;
    sup_error        error = { SUP_OK, "" };
    test_allocator_init(&memory, -1);
    sup_read_input in = { .path = READING_PATH,
                          .bytes = { (const uint8_t*)text, strlen(text) },
                          .allocator = &memory.allocator,
                          .progress = &progress };
    assert_int_equal(sup_format_for(in.path)->read(&in, &c, &error), stop ? SUP_ERROR_CANCELLED : SUP_OK);
    if (stop) assert_int_equal(l.calls, stop);
    sup_character_destroy(c);
    assert_int_equal(memory.live, 0);
    return l.calls;
}

/// Reads with memory that ends one allocation later each time, until it is enough.
static inline void starve(const void* data, size_t size)
{
    for (test_starved s = { 0 }; test_starve(&s);) {
        sup_character* c = NULL;
        sup_error      error;
        s.result = read_bytes(data, size, &s.memory.allocator, &c, &error);
        sup_character_destroy(c);
    }
}

#endif

/// tests/fuzz/fuzz_read.h: reading hostile bytes with a bound on memory and no way to other files.
#ifndef SUP_TESTS_FUZZ_READ_H
#define SUP_TESTS_FUZZ_READ_H

#include "supple/io.h"

#include "fuzz.h"

#include <stdlib.h>

#define FUZZ_BYTES_MAX ((size_t)256 << 20)

static long fuzz_allowed = -1, fuzz_refused;
static bool fuzz_good;

bool fuzz_accepted(void)
{
    bool good = fuzz_good;
    fuzz_good = false;
    return good;
}

long fuzz_starve(long allowed)
{
    long refused = fuzz_refused;
    fuzz_allowed = allowed;
    fuzz_refused = 0;
    return refused;
}

static inline void* fuzz_allocate(void* user, size_t bytes)
{
    size_t* live = user;
    if (fuzz_allowed == 0) return fuzz_refused++, NULL;
    if (fuzz_allowed > 0) fuzz_allowed--;
    if (bytes > FUZZ_BYTES_MAX - *live) return NULL;
    void* memory = malloc(bytes);
    if (memory) *live += bytes;
    return memory;
}

static inline void fuzz_release(void* user, void* memory, size_t bytes)
{
    *(size_t*)user -= bytes;
    free(memory);
}

static inline sup_result fuzz_refuse(void* user, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    (void)user;
    (void)arena;
    (void)out;
    return sup_fail(error, SUP_ERROR_FILE, "cannot read '%s': there are no files here", path);
}

/// What is done with a character that came through; may be NULL.
typedef void fuzz_use(sup_character* character, const sup_allocator* memory);

/// Reads the bytes by the path's ending, uses what was read and gives everything back; stops the program where that is not so.
/// files NULL: there are none.
static inline void fuzz_read_with(const char* path, const uint8_t* data, size_t size, const sup_files* files, fuzz_use* use)
{
    static const sup_files none = { .read = fuzz_refuse };
    size_t                 live = 0;
    sup_allocator          memory = { fuzz_allocate, fuzz_release, &live };
    sup_read_input         in = {
                .path = path, .bytes = { data, size }, .files = files ? files : &none, .allocator = &memory
    };
    sup_character* character = NULL;
    sup_error      error = { SUP_OK, "" };
    if (files && !(in.arena = sup_arena_create(&memory))) return; // what it names is only looked for where its bytes may stay
    sup_result result = sup_format_for(path)->read(&in, &character, &error);
    if ((result == SUP_OK) != (character != NULL)) abort();
    if (result != SUP_OK && (error.code != result || !error.text[0])) abort();
    fuzz_good |= result == SUP_OK;
    if (character && use) use(character, &memory);
    sup_character_destroy(character);
    if (in.arena) sup_arena_destroy(in.arena);
    if (live) abort();
}

static inline void fuzz_read(const char* path, const uint8_t* data, size_t size)
{
    fuzz_read_with(path, data, size, NULL, NULL);
}

#endif

/// io/text_out.h: text output, number by number. Keeps the first failure, so that one check at the end is enough.
#ifndef SUP_IO_TEXT_OUT_H
#define SUP_IO_TEXT_OUT_H

#include "base/internal.h"
#include "io/bake.h"

#include <string.h>

enum { TEXT_ROOM = 1 << 16 };

typedef struct text_out {
    sup_out_file* file;
    char*         buffer; ///< TEXT_ROOM bytes
    size_t        used;
    uint64_t      bad; ///< numbers that were not finite, written as 0
    sup_error*    error;
    sup_result    result;
} text_out;

void text_flush(text_out* t);
/// Writes what does not fit the buffer any more.
void text_overflow(text_out* t, const char* words, size_t length);

static inline void text_bytes(text_out* t, const char* words, size_t length)
{
    if (length > TEXT_ROOM - t->used) {
        text_overflow(t, words, length);
        return;
    }
    memcpy(t->buffer + t->used, words, length);
    t->used += length;
}

static inline void text_put(text_out* t, const char* words) { text_bytes(t, words, strlen(words)); }

/// Reserves `bytes`, which are far below TEXT_ROOM; the caller adds what it writes to `used`.
static inline char* text_reserve(text_out* t, size_t bytes)
{
    if (bytes > TEXT_ROOM - t->used) text_flush(t);
    return t->buffer + t->used;
}

enum { TEXT_INDEX_MAX = 10 };
/// A whole number into memory; its length.
size_t text_digits(uint32_t number, char* out);
/// A short piece by sup_format.
void text_format(text_out* t, const char* format, ...) SUP_FORMAT(2, 3);
void text_index(text_out* t, uint32_t number);
/// The shortest text that reads back to the same float.
void text_float(text_out* t, float number);
/// "x y z", with `between` as the separator.
void text_vec3(text_out* t, sup_vec3 v, const char* between);

/// Texture coordinates of all stored vertices if the source file has any (TEXCOORD_0 of glTF), with the first row of the
/// picture at v = 1, as in all formats but glTF. *out is two floats each, or NULL; parts_with says for each part whether it has
/// them.
sup_result text_uvs(const sup_character* character, sup_arena* arena, const float** out, const bool** parts_with,
                    sup_error* error);

#endif

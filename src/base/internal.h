/// base/internal.h: what all modules share below the public headers. SUP_API in an internal header only means that our own io
/// library links to it; it is not a promise to anyone else.
#ifndef SUP_BASE_INTERNAL_H
#define SUP_BASE_INTERNAL_H

#include "supple/base.h"

#include <assert.h>
#include <stdarg.h>

/// A programmer's mistake. Never for data from outside.
#define SUP_ASSERT(condition) assert(condition)

#define SUP_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/// Fails with the sentence about memory: "the planes of a skin".
SUP_API sup_result sup_fail_memory(sup_error* error, const char* what);

/// Typed memory from an arena: SUP_NEW(arena, sup_vec3, count). NULL when out of memory.
#define SUP_NEW(arena, type, count) ((type*)sup_arena_alloc((arena), (count), sizeof(type)))

/// An array inside scratch. With scratch NULL, callers only add up the sizes.
static inline void* sup_scratch_at(void* scratch, size_t at) { return scratch ? (unsigned char*)scratch + at : NULL; }

/// A new arena with the same allocator, for what dies at the end of a function. NULL when out of memory.
SUP_API sup_arena* sup_arena_beside(const sup_arena* arena);

/// Writes at most size - 1 characters and a 0; returns the length of the full text. Takes the specifiers of sup_fail; the
/// decimal point never follows the locale, and no stream is needed (printf would drag one into WebAssembly).
SUP_API size_t sup_format(char* buffer, size_t size, const char* format, ...) SUP_FORMAT(3, 4);
/// Length of the valid UTF-8 sequence at p (RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF), else 0.
size_t         sup_utf8_length(const unsigned char* p);
SUP_API size_t sup_format_list(char* buffer, size_t size, const char* format, va_list arguments);

/// The correctly rounded double of a decimal number at the front of text (sign, digits, point, exponent; also inf and nan when
/// words is true). Returns how many characters it took; 0 when there is no number. Independent of the locale.
SUP_API size_t sup_parse_double(const char* text, size_t length, bool words, double* out);
/// The shortest decimal text that reads back to the same value, ended by 0. Buffer of SUP_NUMBER_MAX. Returns the length.
#define SUP_NUMBER_MAX 32
SUP_API size_t sup_print_double(double value, char* buffer);
SUP_API size_t sup_print_float(float value, char* buffer);

/// -1 if it is not a hexadecimal digit.
static inline int sup_hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// At most this many notes are kept; one more line counts the rest.
#define SUP_NOTES_MAX 64

struct sup_notes {
    sup_arena*   arena;
    const char*  who;   ///< printed before each; NULL: no name
    const char** texts; ///< SUP_NOTES_MAX + 1
    uint32_t     count, unsaid;
    bool         lost; ///< out of memory for one of them
};

SUP_API bool sup_notes_begin(sup_notes* notes, sup_arena* arena); ///< false: out of memory
SUP_API bool sup_notes_end(sup_notes* notes);                     ///< adds the line that counts the rest; false: out of memory

/// A hash of a number, for sums of hashes in any order (SplitMix64).
static inline uint64_t sup_scramble(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

static inline size_t sup_align(size_t bytes, size_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

#endif

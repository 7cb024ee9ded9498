/// io/obj/obj_lines.h: iterates over the lines of OBJ and MTL texts, which may end anywhere.
#ifndef SUP_IO_OBJ_OBJ_LINES_H
#define SUP_IO_OBJ_OBJ_LINES_H

#include "io/quick_number.h"

#include <string.h>

// One line without its end, joined with those that a backslash continues.
typedef struct obj_line {
    const char* at;
    const char* end;
    size_t      number; // of its first line, from 1
    size_t      next_number;
} obj_line;

static inline bool obj_is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

// A backslash before a line end, which continues the line.
static inline bool obj_hides_end(const obj_line* l, const char* p)
{
    return *p == '\\' && (p + 1 >= l->end || p[1] == '\n' || p[1] == '\r');
}

// Skips blanks, and line ends that a backslash hides.
static inline void obj_skip_space(obj_line* l)
{
    while (l->at < l->end) {
        if (!obj_is_space(*l->at) && *l->at != '\n' && !obj_hides_end(l, l->at)) return;
        ++l->at;
    }
}

static inline bool obj_ends_word(const obj_line* l, const char* p)
{
    return p >= l->end || obj_is_space(*p) || *p == '\n' || obj_hides_end(l, p);
}

// Lines are some 25 characters long: eight at a time without a call is faster than memchr.
static inline const char* obj_find_newline(const char* p, const char* end)
{
    const uint64_t ones = 0x0101010101010101ull;
    for (; end - p >= 8; p += 8) {
        uint64_t word;
        memcpy(&word, p, sizeof word);
        word ^= ones * '\n';
        if ((word - ones) & ~word & ones << 7) break;
    }
    for (; p < end; ++p)
        if (*p == '\n') return p;
    return NULL;
}

// The next line; false at the end of the file.
static inline bool obj_next_line(const char** at, const char* end, size_t number, obj_line* out)
{
    if (*at >= end) return false;
    *out = (obj_line){ *at, end, number, number };
    for (const char* from = *at;;) {
        const char* newline = obj_find_newline(from, end);
        out->next_number++;
        out->end = newline ? newline : end;
        *at = newline ? newline + 1 : end;
        const char* last = out->end;
        if (last > out->at && last[-1] == '\r') --last;
        if (!newline || last == out->at || last[-1] != '\\') break;
        from = *at;
        if (from >= end) break;
    }
    obj_skip_space(out);
    return true;
}

// Whether the line begins with the keyword; if so, moves past it.
static inline bool obj_starts_with(obj_line* l, const char* keyword)
{
    const char* p = l->at;
    for (; *keyword; ++keyword, ++p)
        if (p >= l->end || *p != *keyword) return false;
    if (!obj_ends_word(l, p)) return false;
    l->at = p;
    obj_skip_space(l);
    return true;
}

// A signed whole number; false if there is none.
static inline bool obj_read_integer(obj_line* l, int64_t* out)
{
    size_t length = sup_quick_integer(l->at, l->end, out);
    l->at += length;
    return length > 0;
}

// From the file's numbers (from 1; negative from the end of those listed so far) to ours.
static inline bool obj_to_index(int64_t number, uint32_t listed, uint32_t total, uint32_t* out)
{
    int64_t index = number < 0 ? (int64_t)listed + number : number - 1;
    *out = (uint32_t)index;
    return number != 0 && index >= 0 && index < (int64_t)total;
}

#endif

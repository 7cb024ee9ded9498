/// io/words.h: iterates over words and numbers of a text that may end anywhere.
#ifndef SUP_IO_WORDS_H
#define SUP_IO_WORDS_H

#include "base/internal.h"

#include <math.h>
#include <string.h>

typedef struct sup_words {
    const char* at;
    const char* end;
    size_t      line; ///< of `at`, from 1
} sup_words;

static inline sup_words words_begin(const uint8_t* bytes, size_t size)
{
    sup_words w = { (const char*)bytes, (const char*)bytes + size, 1 };
    if (size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) w.at += 3;
    return w;
}

static inline bool words_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == 0; }

/// Skips blanks, but not line ends.
static inline void words_skip_blanks(sup_words* w)
{
    while (w->at < w->end && words_blank(*w->at)) ++w->at;
}

/// Skips blanks and line ends.
static inline void words_skip(sup_words* w)
{
    for (; w->at < w->end && (words_blank(*w->at) || *w->at == '\n'); ++w->at) w->line += *w->at == '\n';
}

/// The next word, up to a blank or line end; length 0 at the end of the text.
static inline size_t words_next(sup_words* w, const char** word)
{
    words_skip(w);
    *word = w->at;
    while (w->at < w->end && !words_blank(*w->at) && *w->at != '\n') ++w->at;
    return (size_t)(w->at - *word);
}

/// Whether the word equals this one, ignoring case.
static inline bool words_equal(const char* word, size_t length, const char* lower_case)
{
    for (size_t i = 0; i < length; ++i) {
        char c = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] - 'A' + 'a') : word[i];
        if (!lower_case[i] || c != lower_case[i]) return false;
    }
    return lower_case[length] == 0;
}

/// Reads the next word as a finite number. False leaves the position before the word.
static inline bool words_number(sup_words* w, double* out)
{
    words_skip(w);
    size_t length = sup_parse_double(w->at, (size_t)(w->end - w->at), false, out);
    bool   whole = length && (w->at + length == w->end || words_blank(w->at[length]) || w->at[length] == '\n');
    if (!whole || !isfinite(*out)) return false;
    w->at += length;
    return true;
}

/// Reads the next word as a whole number from 0 to SUP_NONE - 1.
static inline bool words_count(sup_words* w, uint32_t* out)
{
    sup_words   before = *w;
    const char* word;
    size_t      length = words_next(w, &word);
    uint64_t    value = 0;
    bool        good = length > 0 && length < 11;
    for (size_t i = 0; i < length && good; ++i) {
        good = word[i] >= '0' && word[i] <= '9';
        value = value * 10 + (uint64_t)(word[i] - '0');
    }
    good = good && value < SUP_NONE;
    if (good) *out = (uint32_t)value;
    else *w = before;
    return good;
}

#endif

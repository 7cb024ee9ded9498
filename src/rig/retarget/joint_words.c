// Splits a joint's name into words.
#include "rig/retarget/joint_words.h"

#include <string.h>

typedef enum letter_kind { KIND_NONE, KIND_SMALL, KIND_CAPITAL, KIND_DIGIT, KIND_OTHER, KIND_SIDE, KIND_SILENT } letter_kind;

// Decodes one code point; 0 at the end, UINT32_MAX for an invalid byte.
static uint32_t decode(const unsigned char** at)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char*  p = *at;
    uint32_t              length = p[0] < 0x80 ? 1 : p[0] >= 0xC2 && p[0] < 0xE0 ? 2 : p[0] >= 0xE0 && p[0] < 0xF0 ? 3 : 0;
    if (p[0] >= 0xF0 && p[0] < 0xF5) length = 4;
    if (p[0] == 0) return 0;
    *at = p + 1;
    if (length == 0) return UINT32_MAX;
    uint32_t code = length == 1 ? p[0] : p[0] & (0xFFu >> (length + 1));
    for (uint32_t i = 1; i < length; ++i) {
        if ((p[i] & 0xC0) != 0x80) return UINT32_MAX; // the end of the name too
        code = code << 6 | (p[i] & 0x3F);
    }
    if (code < least[length]) return UINT32_MAX;
    *at = p + length;
    return code;
}

static uint32_t encode(uint32_t code, char* out)
{
    if (code < 0x80) return out[0] = (char)code, 1;
    uint32_t length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (uint32_t i = length - 1; i > 0; --i, code >>= 6) out[i] = (char)(0x80 | (code & 0x3F));
    out[0] = (char)((0xF00u >> length & 0xFF) | code);
    return length;
}

// The letters from U+00C0 to U+017F without their marks, in the same case; a blank is not a letter.
static const char PLAIN[] = "AAAAAAACEEEEIIIIDNOOOOO OUUUUYTsaaaaaaaceeeeiiiidnooooo ouuuuyty"
                            "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIiIiJjKkkLlLlLlL"
                            "lLlNnNnNnnNnOoOoOoOoRrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";

// Folds a letter to its form without accents and width, and returns how it joins its neighbors in a word.
static letter_kind fold(uint32_t* code)
{
    uint32_t c = *code;
    if (c >= 0xFF01 && c <= 0xFF5E) c -= 0xFEE0; // full width
    if (c >= 0xC0 && c <= 0x17F) c = (unsigned char)PLAIN[c - 0xC0];
    if (c >= 0x30A1 && c <= 0x30F6) c -= 0x60; // katakana
    *code = c;
    if (c >= 'a' && c <= 'z') return KIND_SMALL;
    if (c >= 'A' && c <= 'Z') return KIND_CAPITAL;
    if (c >= '0' && c <= '9') return KIND_DIGIT;
    if (c >= 0x300 && c <= 0x36F) return KIND_SILENT; // a mark that follows its letter
    if (c == 0x5DE6 || c == 0x53F3) return KIND_SIDE; // left and right are words of their own
    return c >= 0x370 && c != UINT32_MAX && !(c >= 0x2000 && c <= 0x2BFF) && !(c >= 0x3000 && c <= 0x303F) ? KIND_OTHER
                                                                                                           : KIND_NONE;
}

static bool begins_word(letter_kind before, letter_kind kind, letter_kind next)
{
    if (before == KIND_NONE || kind == KIND_SIDE || before == KIND_SIDE) return true;
    bool letter = kind == KIND_SMALL || kind == KIND_CAPITAL, letter_before = before == KIND_SMALL || before == KIND_CAPITAL;
    if (letter != letter_before || (!letter && kind != before)) return true;
    return kind == KIND_CAPITAL && (before == KIND_SMALL || next == KIND_SMALL);
}

void joint_words_split(const char* name, joint_words* out)
{
    const char* begin = name;
    for (const char* p = name; *p; ++p)
        if ((*p == ':' || *p == '|') && p[1]) begin = p + 1; // a name space
    const unsigned char* at = (const unsigned char*)begin;
    letter_kind          before = KIND_NONE;
    uint32_t             length = 0;
    out->count = 0;
    for (uint32_t code; (code = decode(&at)) != 0 && length + 8 < NAME_BYTES_MAX;) {
        letter_kind          kind = fold(&code);
        const unsigned char* ahead = at;
        uint32_t             next = decode(&ahead);
        if (kind == KIND_SILENT) continue;
        if (kind != KIND_NONE && begins_word(before, kind, fold(&next))) {
            if (out->count == NAME_WORDS_MAX) break;
            if (out->count) out->text[length++] = 0;
            out->begin[out->count++] = (uint16_t)length;
        }
        if (kind != KIND_NONE) length += encode(kind == KIND_CAPITAL ? code + 32 : code, out->text + length);
        before = kind;
    }
    out->text[length] = 0;
}

const char* joint_word(const joint_words* words, uint32_t index) { return words->text + words->begin[index]; }

bool joint_word_is_number(const char* word) { return word[0] >= '0' && word[0] <= '9'; }

void joint_words_remove(joint_words* words, uint32_t index)
{
    words->count--;
    memmove(&words->begin[index], &words->begin[index + 1], (words->count - index) * sizeof *words->begin);
}

bool joint_word_listed(const char* list, const char* word)
{
    size_t length = strlen(word);
    for (const char* p = list; length && (p = strstr(p, word)) != NULL; p += length)
        if ((p == list || p[-1] == ' ') && (p[length] == ' ' || p[length] == 0)) return true;
    return false;
}

// Finds joints, parts and clips of a character by name.
#include "base/internal.h"
#include "supple/scene.h"

#include <string.h>

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool same_but_case(const char* a, const char* b)
{
    for (; *a && lower(*a) == lower(*b); ++a, ++b) {
    }
    return lower(*a) == lower(*b);
}

static bool same(const char* a, const char* b, bool exact) { return exact ? !strcmp(a, b) : same_but_case(a, b); }

const sup_clip* sup_character_clip(const sup_character* character, const char* name)
{
    for (int exact = 1; exact >= 0; --exact)
        for (uint32_t i = 0; i < character->clip_count; ++i)
            if (same(character->clips[i].name, name, exact)) return &character->clips[i];
    return NULL;
}

uint32_t sup_character_joint(const sup_character* character, const char* name)
{
    for (int exact = 1; exact >= 0; --exact)
        for (uint32_t i = 0; i < character->skeleton.joint_count; ++i)
            if (same(character->skeleton.joints[i].name, name, exact)) return i;
    return SUP_NONE;
}

const sup_map* sup_character_map(const sup_character* character, const char* name)
{
    for (int exact = 1; exact >= 0; --exact)
        for (uint32_t i = 0; i < character->map_count; ++i)
            if (same(character->maps[i].name, name, exact)) return &character->maps[i];
    return NULL;
}

// Skips one UTF-8 character: its lead byte and the continuation bytes after it.
static const char* skip_character(const char* text)
{
    ++text;
    while (((unsigned char)*text & 0xc0) == 0x80) ++text;
    return text;
}

// Only the last star is ever retried: it can match whatever an earlier one could. So there is no recursion, and at most length
// of text times length of pattern steps.
bool sup_glob_match(const char* pattern, const char* text)
{
    const char *star = NULL, *retry = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            retry = text;
        } else if (*pattern == '?') {
            ++pattern;
            text = skip_character(text);
        } else if (*pattern == *text) {
            ++pattern;
            ++text;
        } else if (star) {
            pattern = star;
            text = retry = skip_character(retry);
        } else {
            return false;
        }
    }
    while (*pattern == '*') ++pattern;
    return !*pattern;
}

// Edge loops as the user writes them: '16-17!20 17-18/19-27 40=41'.
#include "base/internal.h"
#include "geom/curves/curves.h"

typedef struct walk_reader {
    const char* at;
    bool        failed;
} walk_reader;

static uint32_t read_number(walk_reader* r)
{
    uint64_t value = 0;
    if (*r->at < '0' || *r->at > '9') r->failed = true;
    for (; *r->at >= '0' && *r->at <= '9'; ++r->at)
        if (value < SUP_NONE) value = 10 * value + (uint64_t)(*r->at - '0');
    return value < SUP_NONE ? (uint32_t)value : SUP_NONE - 1;
}

static bool takes(walk_reader* r, char c)
{
    if (*r->at != c) return false;
    ++r->at;
    return true;
}

static void read_walk(walk_reader* r, sup_curve_walk* w, uint32_t* turns)
{
    *w = (sup_curve_walk){ .from = read_number(r), .stop = SUP_NONE, .turns = turns };
    w->both = takes(r, '=');
    if (!w->both && !takes(r, '-')) r->failed = true;
    w->to = read_number(r);
    while (!r->failed && *r->at && *r->at != ' ') {
        if (takes(r, '/')) {
            turns[2 * w->turn_count] = read_number(r);
            if (!takes(r, '-')) r->failed = true;
            turns[2 * w->turn_count++ + 1] = read_number(r);
        } else if (takes(r, '!')) w->stop = read_number(r);
        else r->failed = true;
    }
}

sup_result sup_curve_walks_parse(const char* text, const char* who, sup_arena* arena, const sup_curve_walk** out,
                                 uint32_t* count, sup_error* error)
{
    uint32_t words = 0, slashes = 0;
    for (const char* c = text; *c; ++c) words += *c != ' ' && (c == text || c[-1] == ' '), slashes += *c == '/';
    sup_curve_walk* walks = SUP_NEW(arena, sup_curve_walk, words);
    uint32_t*       turns = SUP_NEW(arena, uint32_t, 2 * (size_t)slashes);
    if (!walks || !turns) return sup_fail_memory(error, who);
    walk_reader r = { .at = text };
    for (uint32_t i = 0; i < words; ++i) {
        while (*r.at == ' ') ++r.at;
        read_walk(&r, &walks[i], turns);
        if (r.failed)
            return sup_fail(
                error, SUP_ERROR_INPUT,
                "%s: edges: curve %u is not understood; write FROM-TO, like 16-17, then /AT-NEXT to turn and !STOP to end", who,
                i);
        turns += 2 * (size_t)walks[i].turn_count;
    }
    *out = walks;
    *count = words;
    return SUP_OK;
}

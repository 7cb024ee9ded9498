// TGF as libigl's examples write skeletons: numbered points, '#', edges. Further columns (some files have garbage there) are
// ignored.
#include "io/motion/motion_file.h"
#include "io/words.h"
#include "math/vec.h"

typedef struct tgf_reader {
    sup_words  words;
    sup_error* error;
    sup_arena* arena;
    sup_arena* scratch;
    uint32_t   line_count; // upper bound on points and edges
    uint32_t   bone_count;
    sup_vec3*  points; // by number - 1
    bool*      known;
    uint32_t*  heads; // of the bones, points
    uint32_t*  tails;
} tgf_reader;

#define BAD(...) sup_fail(r->error, SUP_ERROR_INPUT, __VA_ARGS__)

// Moves to the end of the line; returns the words skipped.
static sup_words next_line(tgf_reader* r)
{
    sup_words   line = r->words;
    const char* newline = memchr(r->words.at, '\n', (size_t)(r->words.end - r->words.at));
    r->words.at = line.end = newline ? newline : r->words.end;
    return line;
}

// Skips a '#' at the start of a line.
static bool at_mark(tgf_reader* r)
{
    words_skip(&r->words);
    if (r->words.at == r->words.end || *r->words.at != '#') return false;
    ++r->words.at;
    next_line(r);
    return true;
}

static sup_result read_points(tgf_reader* r)
{
    while (!at_mark(r)) {
        uint32_t number = 0;
        double   p[3];
        if (r->words.at == r->words.end) return BAD("there is no '#' after the points; the file is truncated");
        sup_words line = next_line(r);
        bool      good = words_count(&line, &number) && number >= 1 && number <= r->line_count;
        for (int i = 0; i < 3 && good; ++i) good = words_number(&line, &p[i]) && fabs(p[i]) < 1e30;
        if (!good) return BAD("line %zu: a point needs its number (from 1) and three coordinates", r->words.line);
        if (r->known[number - 1]) return BAD("line %zu: point %u is listed twice", r->words.line, number);
        r->known[number - 1] = true;
        r->points[number - 1] = v3((float)p[0], (float)p[1], (float)p[2]);
    }
    return SUP_OK;
}

static sup_result read_edges(tgf_reader* r)
{
    while (!at_mark(r) && r->words.at < r->words.end) {
        uint32_t  ends[2];
        sup_words line = next_line(r);
        for (int i = 0; i < 2; ++i)
            if (!words_count(&line, &ends[i]) || ends[i] < 1 || ends[i] > r->line_count || !r->known[ends[i] - 1])
                return BAD("line %zu: an edge needs the numbers of two listed points", r->words.line);
        if (ends[0] == ends[1]) return BAD("line %zu: the edge begins and ends at point %u", r->words.line, ends[0]);
        r->heads[r->bone_count] = ends[0] - 1;
        r->tails[r->bone_count++] = ends[1] - 1;
    }
    return r->bone_count ? SUP_OK : BAD("there are no edges, so there are no bones");
}

static sup_result make_bones(tgf_reader* r, sup_rig* out)
{
    sup_rig_bone* bones = SUP_NEW(r->arena, sup_rig_bone, r->bone_count);
    uint32_t*     ending = SUP_NEW(r->scratch, uint32_t, r->line_count); // the bone that ends at a point, plus 1
    if (!bones || !ending) return sup_fail_memory(r->error, "a skeleton");
    for (uint32_t b = 0; b < r->bone_count; ++b) {
        if (ending[r->tails[b]]) return BAD("two bones end at point %u; a skeleton is a tree", r->tails[b] + 1);
        ending[r->tails[b]] = b + 1;
    }
    for (uint32_t b = 0; b < r->bone_count; ++b) {
        char   text[48];
        size_t length = sup_format(text, sizeof text, "bone %u-%u", r->heads[b] + 1, r->tails[b] + 1);
        bones[b] = (sup_rig_bone){ .name = sup_arena_text(r->arena, text, length),
                                   .parent = ending[r->heads[b]] ? ending[r->heads[b]] - 1 : SUP_NONE,
                                   .head = r->points[r->heads[b]],
                                   .tail = r->points[r->tails[b]] };
        if (!bones[b].name) return sup_fail_memory(r->error, "a skeleton");
    }
    *out = (sup_rig){ r->bone_count, bones };
    return SUP_OK;
}

static sup_result read_all(tgf_reader* r, sup_rig* out)
{
    size_t lines = 1;
    for (const char* p = r->words.at; p < r->words.end; ++p) lines += *p == '\n';
    if (lines > UINT32_MAX / 4) return BAD("the file is larger than any skeleton");
    r->line_count = (uint32_t)lines;
    r->points = SUP_NEW(r->scratch, sup_vec3, lines);
    r->known = SUP_NEW(r->scratch, bool, lines);
    r->heads = SUP_NEW(r->scratch, uint32_t, lines);
    r->tails = SUP_NEW(r->scratch, uint32_t, lines);
    if (!r->points || !r->known || !r->heads || !r->tails) return sup_fail_memory(r->error, "a skeleton");
    sup_result result = read_points(r);
    if (result == SUP_OK) result = read_edges(r);
    return result == SUP_OK ? make_bones(r, out) : result;
}

sup_result sup_tgf_parse(sup_bytes bytes, sup_arena* arena, sup_rig* out, sup_error* error)
{
    tgf_reader r = { .words = words_begin(bytes.data, bytes.size), .error = error, .arena = arena };
    r.scratch = sup_arena_beside(arena);
    if (!r.scratch) return sup_fail_memory(error, "a skeleton");
    sup_result result = read_all(&r, out);
    sup_arena_destroy(r.scratch);
    return result;
}

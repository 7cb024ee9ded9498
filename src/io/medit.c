// Medit (Frey 2001), ascii: tetrahedral meshes from research data. The surface is what deforms: the triangles and quads of the
// file, or, if it has none, the faces of only one tetrahedron. Vertices keep their order, including inner ones, so that weight
// tables made for the file still fit.
#include "base/internal.h"
#include "base/sort.h"
#include "io/recognize.h"
#include "io/surface_draft.h"
#include "io/words.h"
#include "supple/io.h"

#include <string.h>

typedef struct medit_reader {
    const sup_read_input* in;
    sup_error*            error;
    sup_arena*            arena;
    sup_words             words;
    uint32_t              vertex_count, face_count, tetrahedron_count;
    sup_vec3*             positions;
    uint32_t*             face_sizes;
    uint32_t*             corners;
    uint32_t              corner_count;
    uint32_t*             tetrahedra;
} medit_reader;

// Keywords followed by a count and that many rows of numbers. Vertices, triangles, quads and tetrahedra are kept.
typedef enum section { VERTICES, TRIANGLES, QUADS, TETRAHEDRA, PASSED } section;

static const struct {
    const char* name; // in lower case
    section     section;
    uint32_t    width;
} sections[] = { { "vertices", VERTICES, 4 },       { "triangles", TRIANGLES, 4 },  { "quadrilaterals", QUADS, 5 },
                 { "tetrahedra", TETRAHEDRA, 5 },   { "edges", PASSED, 3 },         { "hexahedra", PASSED, 9 },
                 { "prisms", PASSED, 7 },           { "corners", PASSED, 1 },       { "ridges", PASSED, 1 },
                 { "requiredvertices", PASSED, 1 }, { "requirededges", PASSED, 1 }, { "requiredtriangles", PASSED, 1 },
                 { "normals", PASSED, 3 },          { "tangents", PASSED, 3 },      { "normalatvertices", PASSED, 2 },
                 { "tangentatvertices", PASSED, 2 } };

// ---------------------------------------------------------------------------------------------- words

// Skips blanks, line ends and comments.
static void pass_comments(medit_reader* r)
{
    for (words_skip(&r->words); r->words.at < r->words.end && *r->words.at == '#'; words_skip(&r->words))
        while (r->words.at < r->words.end && *r->words.at != '\n') ++r->words.at;
}

static size_t next_word(medit_reader* r, const char** word)
{
    pass_comments(r);
    return words_next(&r->words, word);
}

static bool next_number(medit_reader* r, double* out)
{
    pass_comments(r);
    return words_number(&r->words, out);
}

static bool next_count(medit_reader* r, uint32_t* out)
{
    pass_comments(r);
    return words_count(&r->words, out);
}

static sup_result fail_at(medit_reader* r, const char* what)
{
    return sup_fail(r->error, SUP_ERROR_INPUT, "line %llu: %s; the file is damaged or truncated",
                    (unsigned long long)r->words.line, what);
}

// ---------------------------------------------------------------------------------------------- sections

static sup_result read_vertices(medit_reader* r, uint32_t count)
{
    if (r->positions) return fail_at(r, "vertices stand twice");
    r->positions = SUP_NEW(r->arena, sup_vec3, count);
    if (!r->positions) return sup_fail_memory(r->error, "a mesh");
    r->vertex_count = count;
    for (uint32_t v = 0; v < count; ++v) {
        double place[4]; // and a label
        for (int i = 0; i < 4; ++i)
            if (!next_number(r, &place[i])) return fail_at(r, "a vertex is three numbers and a label");
        for (int i = 0; i < 3; ++i)
            if (!(fabs(place[i]) <= 1e30)) return fail_at(r, "the position of a vertex is too large");
        r->positions[v] = (sup_vec3){ (float)place[0], (float)place[1], (float)place[2] };
    }
    return SUP_OK;
}

// Rows of vertex numbers, counted from 1, followed by a label. Appends to `list`.
static sup_result read_rows(medit_reader* r, uint32_t count, uint32_t corners, uint32_t* list)
{
    for (uint32_t row = 0; row < count; ++row) {
        double label;
        for (uint32_t c = 0; c < corners; ++c) {
            uint32_t index = 0;
            if (!next_count(r, &index)) return fail_at(r, "a row has too few vertex numbers");
            if (index == 0 || index > r->vertex_count)
                return sup_fail(r->error, SUP_ERROR_INPUT,
                                "line %llu: vertex %u does not exist, there are %u before it; the file is damaged",
                                (unsigned long long)r->words.line, index, r->vertex_count);
            *list++ = index - 1;
        }
        if (!next_number(r, &label)) return fail_at(r, "a row has no label after its vertex numbers");
    }
    return SUP_OK;
}

static sup_result read_faces(medit_reader* r, uint32_t count, uint32_t corners)
{
    uint32_t* list = SUP_NEW(r->arena, uint32_t, r->corner_count + (size_t)count * corners);
    uint32_t* sizes = SUP_NEW(r->arena, uint32_t, (size_t)r->face_count + count);
    if (!list || !sizes) return sup_fail_memory(r->error, "faces");
    if (r->face_count) {
        memcpy(list, r->corners, r->corner_count * sizeof *list);
        memcpy(sizes, r->face_sizes, r->face_count * sizeof *sizes);
    }
    sup_result result = read_rows(r, count, corners, list + r->corner_count);
    for (uint32_t f = 0; f < count; ++f) sizes[r->face_count + f] = corners;
    r->corners = list;
    r->face_sizes = sizes;
    r->corner_count += count * corners;
    r->face_count += count;
    return result;
}

static sup_result read_tetrahedra(medit_reader* r, uint32_t count)
{
    if (r->tetrahedra) return fail_at(r, "tetrahedra stand twice");
    r->tetrahedra = SUP_NEW(r->arena, uint32_t, (size_t)count * 4);
    if (!r->tetrahedra) return sup_fail_memory(r->error, "tetrahedra");
    r->tetrahedron_count = count;
    return read_rows(r, count, 4, r->tetrahedra);
}

// An unknown section ends at the next word that begins with a letter.
static void pass_unknown(medit_reader* r)
{
    for (;;) {
        sup_words   before = r->words;
        const char* word;
        size_t      length = next_word(r, &word);
        bool        letter = length && ((*word | 32) >= 'a' && (*word | 32) <= 'z');
        if (length && !letter) continue;
        if (length) r->words = before;
        return;
    }
}

static sup_result read_section(medit_reader* r, const char* word, size_t length)
{
    uint32_t kind = 0, count = 0;
    while (kind < SUP_COUNT_OF(sections) && !words_equal(word, length, sections[kind].name)) ++kind;
    if (kind == SUP_COUNT_OF(sections) || sections[kind].section == PASSED) {
        pass_unknown(r);
        return SUP_OK;
    }
    if (!next_count(r, &count)) return fail_at(r, "a section has no count");
    // A number takes at least two bytes: counts are limited by what the file can hold.
    if ((uint64_t)count * sections[kind].width > ((uint64_t)(r->words.end - r->words.at) + 1) / 2)
        return fail_at(r, "a section announces more than the file contains");
    switch (sections[kind].section) {
    case VERTICES: return read_vertices(r, count);
    case TRIANGLES: return read_faces(r, count, 3);
    case QUADS: return read_faces(r, count, 4);
    default: return read_tetrahedra(r, count);
    }
}

static sup_result read_file(medit_reader* r)
{
    const char* word;
    size_t      length = next_word(r, &word);
    uint32_t    number = 0;
    if (!words_equal(word, length, "meshversionformatted"))
        return sup_fail(
            r->error, SUP_ERROR_INPUT,
            "it does not begin with 'MeshVersionFormatted'; it is not a Medit mesh (Ogre's .mesh files are not read)");
    if (!next_count(r, &number)) return fail_at(r, "the version is not a number");
    while ((length = next_word(r, &word)) > 0 && !words_equal(word, length, "end")) {
        sup_result result = SUP_OK;
        if (words_equal(word, length, "dimension")) {
            if (!next_count(r, &number)) return fail_at(r, "the dimension is not a number");
            if (number != 3)
                return sup_fail(r->error, SUP_ERROR_INPUT, "it has %u dimensions; only three-dimensional meshes are supported",
                                number);
        } else if ((*word | 32) < 'a' || (*word | 32) > 'z') return fail_at(r, "a keyword was expected, not a number");
        else result = read_section(r, word, length);
        if (result != SUP_OK) return result;
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- surface

typedef struct triangle {
    uint32_t corners[3];
} triangle;

// The smallest corner in the key's upper half, the largest in its lower: faces with one key differ only in the middle one.
static sup_sort_item face_key(const uint32_t c[3], uint32_t index)
{
    uint32_t low = c[0] < c[1] ? c[0] : c[1], high = c[0] < c[1] ? c[1] : c[0];
    if (c[2] < low) low = c[2];
    if (c[2] > high) high = c[2];
    return (sup_sort_item){ (uint64_t)low << 32 | high, index };
}

static uint32_t corner_sum(const triangle* t) { return t->corners[0] ^ t->corners[1] ^ t->corners[2]; }

// The faces of only one tetrahedron, facing outwards if its volume is positive.
static sup_result peel(medit_reader* r)
{
    static const uint8_t sides[4][3] = { { 0, 2, 1 }, { 0, 1, 3 }, { 1, 2, 3 }, { 0, 3, 2 } };
    if (r->tetrahedron_count > UINT32_MAX / 16)
        return sup_fail(r->error, SUP_ERROR_INPUT, "it has too many tetrahedra, %u", r->tetrahedron_count);
    uint32_t       count = 4 * r->tetrahedron_count;
    triangle*      all = SUP_NEW(r->arena, triangle, count);
    sup_sort_item* items = SUP_NEW(r->arena, sup_sort_item, count);
    sup_sort_item* spare = SUP_NEW(r->arena, sup_sort_item, count);
    uint8_t*       shared = SUP_NEW(r->arena, uint8_t, count);
    r->corners = SUP_NEW(r->arena, uint32_t, 3 * (size_t)count);
    if (!all || !items || !spare || !shared || !r->corners) return sup_fail_memory(r->error, "a surface");
    for (uint32_t f = 0; f < count; ++f) {
        for (int k = 0; k < 3; ++k) all[f].corners[k] = r->tetrahedra[4 * (f / 4) + sides[f % 4][k]];
        items[f] = face_key(all[f].corners, f);
    }
    sup_sort(items, spare, count);
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && items[end].key == items[begin].key;) ++end;
        for (uint32_t a = begin; a < end; ++a)
            for (uint32_t b = a + 1; b < end && !shared[items[a].value]; ++b)
                if (corner_sum(&all[items[a].value]) == corner_sum(&all[items[b].value]))
                    shared[items[a].value] = shared[items[b].value] = 1;
    }
    for (uint32_t f = 0; f < count; ++f) {
        if (shared[f]) continue;
        memcpy(r->corners + r->corner_count, all[f].corners, sizeof all[f].corners);
        r->corner_count += 3;
        r->face_count++;
    }
    r->face_sizes = NULL;
    return SUP_OK;
}

static sup_result read_all(medit_reader* r, sup_character** out)
{
    const sup_read_input* in = r->in;
    sup_result            result = read_file(r);
    if (result == SUP_OK && !r->face_count && r->tetrahedron_count) result = peel(r);
    if (result != SUP_OK) return result;
    if (!r->face_count)
        return sup_fail(r->error, SUP_ERROR_INPUT,
                        "it has neither triangles, quadrilaterals nor tetrahedra; it has no surface");
    sup_part_desc part = { .vertex_count = r->vertex_count,
                           .positions = r->positions,
                           .face_count = r->face_count,
                           .face_sizes = r->face_sizes,
                           .corners = r->corners };
    return sup_surface_create(in, &part, 0, NULL, r->arena, out, r->error);
}

static sup_result medit_read(const sup_read_input* in, sup_character** out, sup_error* error)
{
    SUP_ASSERT(in && in->path && out);
    medit_reader r = { .in = in, .error = error, .arena = sup_arena_create(in->allocator) };
    r.words = words_begin(in->bytes.data, in->bytes.size);
    sup_result result = r.arena ? read_all(&r, out) : sup_fail_memory(error, "the Medit reader");
    sup_arena_destroy(r.arena);
    return result;
}

const sup_file_format sup_format_medit = {
    .name = "medit",
    .summary = "Medit mesh of tetrahedra, ascii: its surface, vertex order kept",
    .endings = "mesh",
    .read = medit_read,
    .recognize = medit_recognize,
};

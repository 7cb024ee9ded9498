// PLY (Turk 1994), ascii and binary: polygons and vertex order unchanged, never welded, like OBJ. The header says what every
// row contains; unknown properties are skipped by their size.
#include "base/internal.h"
#include "io/appearance.h"
#include "io/quick_number.h"
#include "io/recognize.h"
#include "io/surface_draft.h"
#include "math/vec.h"
#include "supple/io.h"

#include <string.h>

typedef enum encoding { ASCII, LITTLE, BIG } encoding;
typedef enum number_type { INT8, UINT8, INT16, UINT16, INT32, UINT32, FLOAT32, FLOAT64, TYPE_COUNT, NO_TYPE } number_type;
typedef enum role {
    SKIPPED,
    POSITION,
    NORMAL = POSITION + 3,
    COLOR = NORMAL + 3,
    COORDINATE = COLOR + 4,
    MAP = COORDINATE + 2,
    CORNERS
} role;

static const uint8_t type_bytes[TYPE_COUNT] = { 1, 1, 2, 2, 4, 4, 4, 8 };

typedef struct property {
    const char* name; // in the file, not 0-terminated
    size_t      name_length;
    number_type type;
    number_type count_type; // NO_TYPE: not a list
    role        role;       // POSITION + 0..2, NORMAL + 0..2, COLOR + 0..3, COORDINATE + 0..1
    uint32_t    map;
} property;

typedef struct element {
    const char* name;
    size_t      name_length;
    uint64_t    count;
    property*   properties;
    uint32_t    property_count;
} element;

typedef struct ply_reader {
    const sup_read_input* in;
    sup_error*            error;
    sup_arena*            arena;
    const char *          at, *end; // of the body, after the header
    encoding              encoding;
    element*              elements;
    uint32_t              element_count;
    const element *       vertex, *face;
    uint32_t              vertex_count, face_count;
    sup_vec3 *            positions, *normals;
    float *               colors, *uvs; // kept with the character; NULL: none
    uint32_t*             face_sizes;
    uint32_t *            corners, corner_count, corner_capacity;
    sup_map_desc*         maps;
    float**               map_values;
    uint32_t              map_count;
    const char**          warnings;
    uint32_t              warning_count;
} ply_reader;

// As many as a person could distinguish.
enum { MAPS_MAX = 64 };
enum { ASK_ROWS = 1 << 15 }; // between two checks for cancellation: some milliseconds

// ---------------------------------------------------------------------------------------------- header

typedef struct words {
    const char *at, *end; // of one line
} words;

static bool next_word(words* w, const char** word, size_t* length)
{
    while (w->at < w->end && (*w->at == ' ' || *w->at == '\t')) ++w->at;
    *word = w->at;
    while (w->at < w->end && *w->at != ' ' && *w->at != '\t') ++w->at;
    *length = (size_t)(w->at - *word);
    return *length > 0;
}

static bool is_word(const char* word, size_t length, const char* text)
{
    return strlen(text) == length && memcmp(word, text, length) == 0;
}

static number_type find_type(const char* word, size_t length)
{
    static const char* const names[TYPE_COUNT][2] = { { "char", "int8" },     { "uchar", "uint8" },   { "short", "int16" },
                                                      { "ushort", "uint16" }, { "int", "int32" },     { "uint", "uint32" },
                                                      { "float", "float32" }, { "double", "float64" } };
    for (int t = 0; t < TYPE_COUNT; ++t)
        if (is_word(word, length, names[t][0]) || is_word(word, length, names[t][1])) return (number_type)t;
    return NO_TYPE;
}

// One line of the header without its end. Files of old Macs end lines with only \r; the first line decides.
static bool next_line(ply_reader* r, char ending, words* out)
{
    const char* newline = memchr(r->at, ending, (size_t)(r->end - r->at));
    if (!newline) return false;
    *out = (words){ r->at, newline };
    if (out->end > out->at && out->end[-1] == '\r') --out->end;
    r->at = newline + 1;
    return true;
}

static sup_result fail_header(ply_reader* r, const words* w, const char* start, const char* why)
{
    size_t length = (size_t)(w->end - start);
    return sup_fail(r->error, SUP_ERROR_INPUT, "header line '%.*s': %s; the file is damaged or not a PLY",
                    (int)(length < 60 ? length : 60), start, why);
}

static sup_result read_encoding(ply_reader* r, words* w, const char* start)
{
    static const char* const names[] = { "ascii", "binary_little_endian", "binary_big_endian" };
    const char*              word;
    size_t                   length;
    next_word(w, &word, &length);
    for (int i = 0; i < 3; ++i)
        if (is_word(word, length, names[i])) {
            r->encoding = (encoding)i;
            return SUP_OK;
        }
    return fail_header(r, w, start, "it is neither ascii, binary_little_endian nor binary_big_endian");
}

static sup_result read_element(ply_reader* r, words* w, const char* start, property* properties)
{
    element*    e = &r->elements[r->element_count++];
    const char* word;
    size_t      length, taken;
    int64_t     count = 0;
    *e = (element){ .properties = properties };
    if (!next_word(w, &e->name, &e->name_length)) return fail_header(r, w, start, "it has no name");
    next_word(w, &word, &length);
    taken = sup_quick_integer(word, word + length, &count);
    if (taken == 0 || taken != length || count < 0) return fail_header(r, w, start, "it has no count");
    e->count = (uint64_t)count;
    return SUP_OK;
}

static sup_result read_property(ply_reader* r, words* w, const char* start)
{
    element*    e = r->element_count ? &r->elements[r->element_count - 1] : NULL;
    property    p = { .count_type = NO_TYPE };
    const char* word;
    size_t      length;
    if (!e) return fail_header(r, w, start, "no element precedes it");
    next_word(w, &word, &length);
    if (is_word(word, length, "list")) {
        next_word(w, &word, &length);
        p.count_type = find_type(word, length);
        if (p.count_type == NO_TYPE || p.count_type >= FLOAT32)
            return fail_header(r, w, start, "its count is not a whole number");
        next_word(w, &word, &length);
    }
    p.type = find_type(word, length);
    if (p.type == NO_TYPE) return fail_header(r, w, start, "its type is unknown");
    if (!next_word(w, &p.name, &p.name_length)) return fail_header(r, w, start, "it has no name");
    e->properties[e->property_count++] = p;
    return SUP_OK;
}

static sup_result read_header(ply_reader* r)
{
    const char* newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    const char* old = memchr(r->at, '\r', (size_t)(r->end - r->at));
    char        ending = newline && !(old && old + 1 < newline) ? '\n' : old ? '\r' : '\n';
    words       w = { r->at, r->at };
    if (!next_line(r, ending, &w) || !is_word(w.at, (size_t)(w.end - w.at), "ply"))
        return sup_fail(r->error, SUP_ERROR_INPUT, "it does not begin with 'ply'; it is not a PLY file");

    // Every element and property takes a line.
    size_t      lines = 0;
    const char* body = r->at;
    while (next_line(r, ending, &w) && !(w.end - w.at >= 10 && memcmp(w.at, "end_header", 10) == 0)) ++lines;
    if (lines > UINT32_MAX / 2) return sup_fail(r->error, SUP_ERROR_INPUT, "the header does not end; the file is damaged");
    r->at = body;
    r->elements = SUP_NEW(r->arena, element, lines);
    property* properties = SUP_NEW(r->arena, property, lines);
    if (!r->elements || !properties) return sup_fail_memory(r->error, "a header");

    for (bool formatted = false;;) {
        sup_result  result = SUP_OK;
        const char* word;
        size_t      length;
        if (!next_line(r, ending, &w))
            return sup_fail(r->error, SUP_ERROR_INPUT, "the header does not end; the file is truncated");
        const char* start = w.at;
        if (!next_word(&w, &word, &length) || is_word(word, length, "comment") || is_word(word, length, "obj_info")) continue;
        if (is_word(word, length, "Created")) continue; // Blender 2.4 forgot to mark this line as a comment
        if (is_word(word, length, "end_header")) {
            if (!formatted) return sup_fail(r->error, SUP_ERROR_INPUT, "the header has no line 'format'; the file is damaged");
            return SUP_OK;
        }
        if (is_word(word, length, "format")) result = read_encoding(r, &w, start), formatted = true;
        else if (is_word(word, length, "element")) result = read_element(r, &w, start, properties);
        else if (is_word(word, length, "property")) result = read_property(r, &w, start), ++properties;
        else result = fail_header(r, &w, start, "the word is unknown");
        if (result != SUP_OK) return result;
    }
}

// ---------------------------------------------------------------------------------------------- what is kept

// The fewest bytes a row can take.
static uint64_t row_bytes(const ply_reader* r, const element* e)
{
    uint64_t bytes = 0;
    for (uint32_t p = 0; p < e->property_count; ++p) {
        const property* q = &e->properties[p];
        bytes += r->encoding == ASCII ? 2 : type_bytes[q->count_type == NO_TYPE ? q->type : q->count_type];
    }
    return bytes;
}

// Counts in the header are limited by what the file can hold. One extra byte: the last number needs no blank.
static sup_result check_counts(ply_reader* r)
{
    uint64_t left = (uint64_t)(r->end - r->at) + 1;
    for (uint32_t i = 0; i < r->element_count; ++i) {
        const element* e = &r->elements[i];
        uint64_t       bytes = row_bytes(r, e);
        if (bytes && (e->count > left / bytes || e->count > UINT32_MAX / 2))
            return sup_fail(r->error, SUP_ERROR_INPUT,
                            "the header announces %llu of '%.*s', more than the file contains; it is damaged or truncated",
                            (unsigned long long)e->count, (int)(e->name_length < 60 ? e->name_length : 60), e->name);
        left -= bytes * (bytes ? e->count : 0);
    }
    return SUP_OK;
}

// Colors and texture coordinates are not maps, whatever their type.
static role vertex_role(const property* p)
{
    static const struct {
        const char* name;
        int         role;
    } known[] = { { "x", POSITION },
                  { "y", POSITION + 1 },
                  { "z", POSITION + 2 },
                  { "nx", NORMAL },
                  { "ny", NORMAL + 1 },
                  { "nz", NORMAL + 2 },
                  { "red", COLOR },
                  { "green", COLOR + 1 },
                  { "blue", COLOR + 2 },
                  { "alpha", COLOR + 3 },
                  { "r", COLOR },
                  { "g", COLOR + 1 },
                  { "b", COLOR + 2 },
                  { "a", COLOR + 3 },
                  { "diffuse_red", COLOR },
                  { "diffuse_green", COLOR + 1 },
                  { "diffuse_blue", COLOR + 2 },
                  { "s", COORDINATE },
                  { "t", COORDINATE + 1 },
                  { "u", COORDINATE },
                  { "v", COORDINATE + 1 },
                  { "texture_u", COORDINATE },
                  { "texture_v", COORDINATE + 1 } };
    if (p->count_type != NO_TYPE) return SKIPPED;
    for (size_t i = 0; i < SUP_COUNT_OF(known); ++i)
        if (is_word(p->name, p->name_length, known[i].name)) return (role)known[i].role;
    return p->type >= FLOAT32 ? MAP : SKIPPED;
}

// All properties of a kind or none: an incomplete set is skipped.
static bool keep_kind(element* e, uint32_t seen, role first, uint32_t count)
{
    uint32_t all = ((1u << count) - 1) << first;
    if ((seen & all) == all) return true;
    for (uint32_t i = 0; i < e->property_count; ++i)
        if (e->properties[i].role >= first && e->properties[i].role < first + count) e->properties[i].role = SKIPPED;
    return false;
}

static sup_result add_map(ply_reader* r, property* p)
{
    char* name = SUP_NEW(r->arena, char, p->name_length + 2);
    if (!name) return sup_fail_memory(r->error, "a map");
    name[0] = '_';
    for (size_t i = 0; i < p->name_length; ++i)
        name[i + 1] = p->name[i] >= 'a' && p->name[i] <= 'z' ? (char)(p->name[i] - 'a' + 'A') : p->name[i];
    p->map = r->map_count;
    r->map_values[r->map_count] = SUP_NEW(r->arena, float, r->vertex_count);
    if (!r->map_values[r->map_count]) return sup_fail_memory(r->error, "a map");
    r->maps[r->map_count] = (sup_map_desc){ name, r->map_values[r->map_count] };
    r->map_count++;
    return SUP_OK;
}

static sup_result plan_vertices(ply_reader* r, element* e)
{
    uint32_t seen = 0;
    for (uint32_t i = 0; i < e->property_count; ++i) {
        property* p = &e->properties[i];
        p->role = vertex_role(p);
        if (p->role == SKIPPED) continue;
        if (p->role == MAP) {
            if (r->map_count == MAPS_MAX) p->role = SKIPPED;
            else if (add_map(r, p) != SUP_OK) return SUP_ERROR_MEMORY;
        } else if (p->role >= COLOR && (seen & 1u << p->role)) {
            p->role = SKIPPED; // another name for the same
        } else if (seen & 1u << p->role) {
            return sup_fail(r->error, SUP_ERROR_INPUT, "vertices have '%.*s' twice; the file is damaged", (int)p->name_length,
                            p->name);
        }
        if (p->role != SKIPPED && p->role < MAP) seen |= 1u << p->role;
    }
    uint32_t place = 7u << POSITION;
    if ((seen & place) != place)
        return sup_fail(r->error, SUP_ERROR_INPUT, "vertices lack x, y or z; the file has no mesh that can be read");
    r->positions = SUP_NEW(r->arena, sup_vec3, r->vertex_count);
    if (!r->positions) return sup_fail_memory(r->error, "a mesh");
    if (keep_kind(e, seen, NORMAL, 3)) {
        r->normals = SUP_NEW(r->arena, sup_vec3, r->vertex_count);
        if (!r->normals) return sup_fail_memory(r->error, "normals");
    }
    // A caller that only lends the file wants just the points.
    bool keep = r->in->arena != NULL;
    if (keep_kind(e, seen, COLOR, 3) && keep) {
        r->colors = SUP_NEW(r->arena, float, 4 * (size_t)r->vertex_count);
        if (!r->colors) return sup_fail_memory(r->error, "colors");
    }
    if (keep_kind(e, seen, COORDINATE, 2) && keep) {
        r->uvs = SUP_NEW(r->arena, float, 2 * (size_t)r->vertex_count);
        if (!r->uvs) return sup_fail_memory(r->error, "texture coordinates");
    }
    return SUP_OK;
}

static sup_result plan_faces(ply_reader* r, element* e)
{
    bool found = false;
    for (uint32_t i = 0; i < e->property_count && !found; ++i) {
        property* p = &e->properties[i];
        found = p->count_type != NO_TYPE &&
                (is_word(p->name, p->name_length, "vertex_indices") || is_word(p->name, p->name_length, "vertex_index"));
        if (!found) continue;
        p->role = CORNERS;
        if (p->type >= FLOAT32)
            return sup_fail(r->error, SUP_ERROR_INPUT, "faces list their vertices as fractions; the file is damaged");
    }
    if (!found && e->count)
        return sup_fail(r->error, SUP_ERROR_INPUT, "faces have no list 'vertex_indices'; export the mesh again");
    r->face_sizes = SUP_NEW(r->arena, uint32_t, r->face_count);
    return r->face_sizes ? SUP_OK : sup_fail_memory(r->error, "faces");
}

static sup_result plan(ply_reader* r)
{
    element *vertex = NULL, *face = NULL;
    bool     strips = false;
    for (uint32_t i = 0; i < r->element_count; ++i) {
        element*  e = &r->elements[i];
        element** slot = is_word(e->name, e->name_length, "vertex") ? &vertex
                         : is_word(e->name, e->name_length, "face") ? &face
                                                                    : NULL;
        strips |= is_word(e->name, e->name_length, "tristrips") && e->count;
        if (slot && *slot)
            return sup_fail(r->error, SUP_ERROR_INPUT, "there are two elements '%.*s'; the file is damaged",
                            (int)e->name_length, e->name);
        if (slot) *slot = e;
    }
    if (!vertex) return sup_fail(r->error, SUP_ERROR_INPUT, "it has no element 'vertex'; the file has no mesh");
    if (!face || face->count == 0)
        return sup_fail(r->error, SUP_ERROR_INPUT, "it has no faces, %s",
                        strips ? "only triangle strips; save it with plain faces" : "only points; mesh them first");
    r->vertex = vertex;
    r->face = face;
    r->vertex_count = (uint32_t)vertex->count;
    r->face_count = (uint32_t)face->count;
    r->maps = SUP_NEW(r->arena, sup_map_desc, MAPS_MAX);
    r->map_values = SUP_NEW(r->arena, float*, MAPS_MAX);
    r->warnings = SUP_NEW(r->arena, const char*, MAPS_MAX);
    if (!r->maps || !r->map_values || !r->warnings) return sup_fail_memory(r->error, "maps");
    sup_result result = plan_vertices(r, vertex);
    return result == SUP_OK ? plan_faces(r, face) : result;
}

// ---------------------------------------------------------------------------------------------- numbers

static bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\v' || c == '\f'; }

static void skip_blanks(ply_reader* r)
{
    while (r->at < r->end && is_blank(*r->at)) ++r->at;
}

static uint64_t load(const ply_reader* r, size_t bytes)
{
    const uint8_t* p = (const uint8_t*)r->at;
    uint64_t       value = 0;
    if (r->encoding == LITTLE)
        for (size_t i = bytes; i-- > 0;) value = value << 8 | p[i];
    else
        for (size_t i = 0; i < bytes; ++i) value = value << 8 | p[i];
    return value;
}

static int64_t to_integer(number_type type, uint64_t raw)
{
    switch (type) {
    case INT8: return (int8_t)raw;
    case INT16: return (int16_t)raw;
    case INT32: return (int32_t)raw;
    default: return (int64_t)raw;
    }
}

// Takes a number of a binary file, if the file has one.
static inline bool take_raw(ply_reader* r, number_type type, uint64_t* raw)
{
    size_t bytes = type_bytes[type];
    if ((size_t)(r->end - r->at) < bytes) return false;
    switch (bytes) { // constant sizes compile to single loads
    case 1: *raw = load(r, 1); break;
    case 2: *raw = load(r, 2); break;
    case 4: *raw = load(r, 4); break;
    default: *raw = load(r, 8); break;
    }
    r->at += bytes;
    return true;
}

static bool take_integer(ply_reader* r, number_type type, int64_t* out)
{
    if (r->encoding != ASCII) {
        uint64_t raw;
        if (!take_raw(r, type, &raw)) return false;
        *out = to_integer(type, raw);
        return true;
    }
    skip_blanks(r);
    size_t taken = sup_quick_integer(r->at, r->end, out);
    r->at += taken;
    return taken && (r->at >= r->end || is_blank(*r->at));
}

static bool take_float(ply_reader* r, number_type type, float* out)
{
    if (r->encoding != ASCII) {
        uint64_t raw;
        if (!take_raw(r, type, &raw)) return false;
        if (type == FLOAT32) {
            uint32_t bits = (uint32_t)raw;
            memcpy(out, &bits, sizeof bits);
        } else if (type == FLOAT64) {
            double value;
            memcpy(&value, &raw, sizeof value);
            *out = (float)value;
        } else *out = (float)to_integer(type, raw);
        return true;
    }
    skip_blanks(r);
    double value = 0;
    size_t taken = sup_quick_double(r->at, r->end, &value);
    if (taken == 0) taken = sup_parse_double(r->at, (size_t)(r->end - r->at), true, &value); // "nan" is refused with words
    *out = (float)value;
    r->at += taken;
    return taken && (r->at >= r->end || is_blank(*r->at));
}

// Skips values without decoding them.
static bool pass_over(ply_reader* r, number_type type, uint64_t count)
{
    if (r->encoding != ASCII) {
        if (count > (uint64_t)(r->end - r->at) / type_bytes[type]) return false;
        r->at += count * type_bytes[type];
        return true;
    }
    for (; count; --count) {
        skip_blanks(r);
        if (r->at >= r->end) return false;
        while (r->at < r->end && !is_blank(*r->at)) ++r->at;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- body

static sup_result fail_row(ply_reader* r, const element* e, uint32_t row)
{
    int length = (int)(e->name_length < 60 ? e->name_length : 60);
    return sup_fail(r->error, SUP_ERROR_INPUT, "%.*s %u of %llu %s; the file is damaged or truncated", length, e->name, row,
                    (unsigned long long)e->count,
                    r->at >= r->end ? "is missing" : "does not have the numbers that the header announces");
}

static bool pass_property(ply_reader* r, const property* p)
{
    int64_t count = 1;
    if (p->count_type != NO_TYPE && (!take_integer(r, p->count_type, &count) || count < 0)) return false;
    return pass_over(r, p->type, (uint64_t)count);
}

// Called before row i of any element. Fails if the user cancelled.
static sup_result begin_row(ply_reader* r, uint32_t i)
{
    if (i % ASK_ROWS) return SUP_OK;
    double share = 1 - (double)(r->end - r->at) / (double)r->in->bytes.size;
    if (sup_progress_report(r->in->progress, share, "reading")) return SUP_OK;
    return sup_fail(r->error, SUP_ERROR_CANCELLED, "stopped");
}

static sup_result pass_element(ply_reader* r, const element* e)
{
    sup_result result = SUP_OK;
    for (uint32_t i = 0; e->property_count && i < e->count && (result = begin_row(r, i)) == SUP_OK; ++i)
        for (uint32_t p = 0; p < e->property_count; ++p)
            if (!pass_property(r, &e->properties[p])) return fail_row(r, e, i);
    return result;
}

// Whole numbers from 0 to their type's maximum stand for 0 to 1.
static float color_scale(const element* e)
{
    for (uint32_t i = 0; i < e->property_count; ++i) {
        const property* p = &e->properties[i];
        if (p->role == COLOR) return p->type == UINT8 ? 1 / 255.0f : p->type == UINT16 ? 1 / 65535.0f : 1;
    }
    return 1;
}

static void keep_surface(ply_reader* r, uint32_t v, const float* values, float scale)
{
    for (size_t i = 0; r->colors && i < 4; ++i) {
        float c = values[COLOR + i] * scale;
        r->colors[4 * (size_t)v + i] = c >= 0 ? (c <= 1 ? c : 1) : 0;
    }
    for (size_t i = 0; r->uvs && i < 2; ++i)
        r->uvs[2 * (size_t)v + i] = isfinite(values[COORDINATE + i]) ? values[COORDINATE + i] : 0;
}

static sup_result read_vertices(ply_reader* r)
{
    const element* e = r->vertex;
    float          scale = color_scale(e);
    sup_result     result = SUP_OK;
    for (uint32_t v = 0; v < r->vertex_count && (result = begin_row(r, v)) == SUP_OK; ++v) {
        float values[MAP] = { [COLOR + 3] = 1 / scale }; // opaque by default
        for (uint32_t i = 0; i < e->property_count; ++i) {
            const property* p = &e->properties[i];
            bool            good = p->role == SKIPPED
                                       ? pass_property(r, p)
                                       : take_float(r, p->type, p->role == MAP ? &r->map_values[p->map][v] : &values[p->role]);
            if (!good) return fail_row(r, e, v);
        }
        sup_vec3 at = v3(values[POSITION], values[POSITION + 1], values[POSITION + 2]);
        if (!v3_finite(at))
            return sup_fail(r->error, SUP_ERROR_INPUT, "the position of vertex %u is not finite; repair the file", v);
        r->positions[v] = at;
        if (r->normals) r->normals[v] = v3(values[NORMAL], values[NORMAL + 1], values[NORMAL + 2]);
        if (r->colors || r->uvs) keep_surface(r, v, values, scale);
    }
    return result;
}

// Makes space for `more` corners. Triangles fit the first time; beyond that the list doubles and the old one is abandoned.
static bool reserve(ply_reader* r, uint64_t more)
{
    if (more <= r->corner_capacity - r->corner_count) return true;
    uint64_t wanted = r->corner_capacity ? 2 * (uint64_t)r->corner_capacity : 3 * (uint64_t)r->face_count;
    if (wanted < r->corner_count + more) wanted = r->corner_count + more;
    if (wanted > UINT32_MAX / 2) return false;
    uint32_t* corners = SUP_NEW(r->arena, uint32_t, wanted);
    if (!corners) return false;
    if (r->corner_count) memcpy(corners, r->corners, r->corner_count * sizeof *corners);
    r->corners = corners;
    r->corner_capacity = (uint32_t)wanted;
    return true;
}

static sup_result read_corners(ply_reader* r, const property* p, uint32_t face)
{
    int64_t  count, index;
    uint64_t least = r->encoding == ASCII ? 2 : type_bytes[p->type];
    if (!take_integer(r, p->count_type, &count)) return fail_row(r, r->face, face);
    if (count < 0 || (uint64_t)count > ((uint64_t)(r->end - r->at) + 1) / least)
        return sup_fail(r->error, SUP_ERROR_INPUT, "face %u says it has %lld corners; the file is damaged or truncated", face,
                        (long long)count);
    if (!reserve(r, (uint64_t)count)) return sup_fail_memory(r->error, "faces");
    r->face_sizes[face] = (uint32_t)count;
    for (int64_t c = 0; c < count; ++c) {
        if (!take_integer(r, p->type, &index)) return fail_row(r, r->face, face);
        if (index < 0 || index >= (int64_t)r->vertex_count)
            return sup_fail(r->error, SUP_ERROR_INPUT, "face %u: vertex %lld does not exist, there are %u; the file is damaged",
                            face, (long long)index, r->vertex_count);
        r->corners[r->corner_count++] = (uint32_t)index;
    }
    return SUP_OK;
}

static sup_result read_faces(ply_reader* r)
{
    const element* e = r->face;
    sup_result     result = SUP_OK;
    for (uint32_t f = 0; f < r->face_count && (result = begin_row(r, f)) == SUP_OK; ++f)
        for (uint32_t i = 0; i < e->property_count; ++i) {
            const property* p = &e->properties[i];
            if (p->role == CORNERS) {
                result = read_corners(r, p, f);
                if (result != SUP_OK) return result;
            } else if (!pass_property(r, p)) return fail_row(r, e, f);
        }
    return result;
}

// A property beyond 0..1 measures something else and is not a weight.
static sup_result settle_maps(ply_reader* r)
{
    uint32_t kept = 0;
    for (uint32_t m = 0; m < r->map_count; ++m) {
        bool inside = true;
        for (uint32_t v = 0; v < r->vertex_count && inside; ++v) inside = r->map_values[m][v] >= 0 && r->map_values[m][v] <= 1;
        if (inside) {
            r->maps[kept++] = r->maps[m];
            continue;
        }
        char   text[160];
        size_t length =
            sup_format(text, sizeof text, "property %.60s is not within 0 to 1, so it is not a map", r->maps[m].name + 1);
        char*  warning = sup_arena_text(r->arena, text, length < sizeof text ? length : sizeof text - 1);
        if (!warning) return sup_fail_memory(r->error, "a warning");
        r->warnings[r->warning_count++] = warning;
    }
    r->map_count = kept;
    return SUP_OK;
}

static sup_result read_body(ply_reader* r)
{
    sup_result result = SUP_OK;
    bool       vertices = false, faces = false;
    for (uint32_t i = 0; result == SUP_OK && i < r->element_count && !(vertices && faces); ++i) {
        const element* e = &r->elements[i];
        if (e == r->vertex) result = read_vertices(r), vertices = true;
        else if (e == r->face) result = read_faces(r), faces = true;
        else result = pass_element(r, e);
    }
    return result == SUP_OK ? settle_maps(r) : result;
}

static sup_result read_all(ply_reader* r, sup_character** out)
{
    const sup_read_input* in = r->in;
    sup_result            result = read_header(r);
    if (result == SUP_OK) result = check_counts(r);
    if (result == SUP_OK) result = plan(r);
    if (result == SUP_OK) result = read_body(r);
    if (result != SUP_OK) return result;

    sup_part_desc part = { .vertex_count = r->vertex_count,
                           .positions = r->positions,
                           .normals = r->normals,
                           .face_count = r->face_count,
                           .face_sizes = r->face_sizes,
                           .corners = r->corners,
                           .map_count = r->map_count,
                           .maps = r->maps };
    return sup_surface_create(in, &part, r->warning_count, r->warnings, r->arena, out, r->error);
}

static sup_result keep_source(const ply_reader* r, sup_character* character)
{
    if (!r->colors && !r->uvs) return SUP_OK;
    vertex_source* source = SUP_NEW(character->arena, vertex_source, 1);
    if (!source) return sup_fail_memory(r->error, "the PLY reader");
    if (r->uvs) source->uvs = sup_arena_copy(character->arena, r->uvs, 2 * (size_t)r->vertex_count, sizeof(float));
    if (r->colors) source->colors = sup_arena_copy(character->arena, r->colors, 4 * (size_t)r->vertex_count, sizeof(float));
    if ((r->uvs && !source->uvs) || (r->colors && !source->colors)) return sup_fail_memory(r->error, "the PLY reader");
    character->source = source;
    character->source_format = VERTEX_SOURCE;
    return SUP_OK;
}

static sup_result ply_read(const sup_read_input* in, sup_character** out, sup_error* error)
{
    SUP_ASSERT(in && in->path && out);
    ply_reader r = { .in = in, .error = error, .arena = sup_arena_create(in->allocator) };
    r.at = (const char*)in->bytes.data;
    r.end = r.at + in->bytes.size;
    sup_character* character = NULL;
    sup_result     result = r.arena ? read_all(&r, &character) : sup_fail_memory(error, "the PLY reader");
    if (result == SUP_OK) result = keep_source(&r, character);
    sup_arena_destroy(r.arena);
    if (result == SUP_OK) *out = character;
    else sup_character_destroy(character);
    return result;
}

const sup_file_format sup_format_ply = {
    .name = "ply",
    .summary = "Stanford PLY, ascii and binary: one mesh, polygons and vertex order kept",
    .endings = "ply",
    .read = ply_read,
    .recognize = ply_recognize,
};

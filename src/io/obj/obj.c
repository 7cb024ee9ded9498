// Wavefront OBJ: polygons and vertex order unchanged, never welded, so that example shapes of one model match by number. Two
// passes over the text: the first counts, so that nothing grows and no count exceeds what the file holds.
#include "base/internal.h"
#include "base/parts.h"
#include "io/appearance.h"
#include "io/obj/obj_lines.h"
#include "io/obj/obj_write.h"
#include "io/recognize.h"
#include "io/surface_draft.h"
#include "math/vec.h"
#include "supple/io.h"

#include <string.h>

enum { LIBRARIES_MAX = 16 };  // files that one OBJ may name; real ones name one
enum { ASK_LINES = 1 << 15 }; // between two checks for cancellation: some milliseconds

typedef struct obj_reader {
    const sup_read_input* in;
    sup_error*            error;
    sup_arena*            arena;
    // Counted by the first pass.
    uint32_t vertex_total, normal_total, face_total, corner_total;
    uint32_t library_count;
    struct {
        const char *at, *end;
    } libraries[LIBRARIES_MAX]; // lines `mtllib`
    // Read so far by the second.
    uint32_t             vertex_count, normal_count, face_count, corner_count;
    sup_vec3*            positions;
    sup_vec3*            normals; // in order of the file
    uint32_t*            face_sizes;
    uint32_t*            corners;
    uint32_t*            corner_normals; // SUP_NONE: without one; NULL when the file lists none
    appearance_material* materials;
    sup_notes            notes;
    uint64_t             lines; // of all passes
} obj_reader;

// Counts a line that begins at `text`; each pass is half of the progress. Fails if the user cancelled.
static sup_result pass_line(obj_reader* r, const char* text, double from)
{
    if (++r->lines % ASK_LINES) return SUP_OK;
    double share = (double)(text - (const char*)r->in->bytes.data) / (double)r->in->bytes.size;
    if (sup_progress_report(r->in->progress, from + share / 2, "reading")) return SUP_OK;
    return sup_fail(r->error, SUP_ERROR_CANCELLED, "stopped");
}

static uint32_t count_words(obj_line l)
{
    uint32_t count = 0;
    for (obj_skip_space(&l); l.at < l.end && *l.at != '#'; obj_skip_space(&l)) {
        ++count;
        while (!obj_ends_word(&l, l.at)) ++l.at;
    }
    return count;
}

// ---------------------------------------------------------------------------------------------- first pass

// The file is below 2 GiB and everything counted takes at least two bytes, so no count overflows.
static sup_result count_lines(obj_reader* r, const char* text, const char* end)
{
    obj_line l = { 0 };
    for (size_t number = 1; obj_next_line(&text, end, number, &l); number = l.next_number) {
        sup_result result = pass_line(r, text, 0);
        if (result != SUP_OK) return result;
        if (l.at >= l.end) continue;
        if (*l.at == 'v') {
            if (obj_starts_with(&l, "v")) r->vertex_total++;
            else if (obj_starts_with(&l, "vn")) r->normal_total++;
        } else if (*l.at == 'f' && obj_starts_with(&l, "f")) {
            r->face_total++;
            r->corner_total += count_words(l);
        } else if (*l.at == 'm' && obj_starts_with(&l, "mtllib") && r->library_count < LIBRARIES_MAX) {
            while (l.end > l.at && obj_is_space(l.end[-1])) --l.end;
            r->libraries[r->library_count].at = l.at;
            r->libraries[r->library_count++].end = l.end;
        }
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- second pass

static sup_result read_vector(obj_reader* r, obj_line* l, const char* what, sup_vec3* out)
{
    float* components[3] = { &out->x, &out->y, &out->z };
    for (int i = 0; i < 3; ++i) {
        double number = 0;
        size_t length = sup_quick_double(l->at, l->end, &number);
        if (length == 0 || !obj_ends_word(l, l->at + length))
            return sup_fail(r->error, SUP_ERROR_INPUT, "line %zu: a %s needs three numbers, like 0.5 or 2e-3", l->number, what);
        *components[i] = (float)number;
        if (!isfinite(*components[i]))
            return sup_fail(r->error, SUP_ERROR_INPUT, "line %zu: a number of this %s is too large; scale the mesh down",
                            l->number, what);
        l->at += length;
        obj_skip_space(l);
    }
    return SUP_OK;
}

static sup_result fail_index(obj_reader* r, const obj_line* l, const char* what, int64_t number, uint32_t total)
{
    return sup_fail(r->error, SUP_ERROR_INPUT,
                    "line %zu: %s %lld does not exist, there are %u; the file is damaged or truncated", l->number, what,
                    (long long)number, total);
}

// v, v/t, v//n or v/t/n.
static sup_result read_corner(obj_reader* r, obj_line* l)
{
    int64_t  vertex = 0, texture = 0, normal = 0;
    uint32_t normal_index = SUP_NONE;
    bool     good = obj_read_integer(l, &vertex);
    if (good && l->at < l->end && *l->at == '/') {
        ++l->at;
        bool textured = obj_read_integer(l, &texture);
        if (l->at < l->end && *l->at == '/') {
            ++l->at;
            // "1/2/" occurs; so does "1//". Both have no normal.
            if (obj_read_integer(l, &normal) && !obj_to_index(normal, r->normal_count, r->normal_total, &normal_index))
                return fail_index(r, l, "normal", normal, r->normal_total);
        } else {
            good = textured || obj_ends_word(l, l->at);
        }
    }
    if (!good || !obj_ends_word(l, l->at))
        return sup_fail(r->error, SUP_ERROR_INPUT, "line %zu: a corner of this face is not v, v/t, v//n or v/t/n", l->number);
    if (!obj_to_index(vertex, r->vertex_count, r->vertex_total, &r->corners[r->corner_count]))
        return fail_index(r, l, "vertex", vertex, r->vertex_total);
    if (r->corner_normals) r->corner_normals[r->corner_count] = normal_index;
    r->corner_count++;
    return SUP_OK;
}

static sup_result read_face(obj_reader* r, obj_line* l)
{
    uint32_t begin = r->corner_count;
    for (; l->at < l->end && *l->at != '#'; obj_skip_space(l)) {
        sup_result result = read_corner(r, l);
        if (result != SUP_OK) return result;
    }
    r->face_sizes[r->face_count++] = r->corner_count - begin;
    return SUP_OK;
}

static sup_result read_lines(obj_reader* r, const char* text, const char* end)
{
    obj_line l = { 0 };
    for (size_t number = 1; obj_next_line(&text, end, number, &l); number = l.next_number) {
        sup_result result = pass_line(r, text, 0.5);
        if (result == SUP_OK && l.at >= l.end) continue;
        if (result != SUP_OK) return result;
        if (*l.at == 'v') {
            if (obj_starts_with(&l, "v")) result = read_vector(r, &l, "vertex", &r->positions[r->vertex_count++]);
            else if (obj_starts_with(&l, "vn")) result = read_vector(r, &l, "normal", &r->normals[r->normal_count++]);
        } else if (*l.at == 'f' && obj_starts_with(&l, "f")) {
            result = read_face(r, &l);
        }
        if (result != SUP_OK) return result;
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- normals

static bool same(sup_vec3 a, sup_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// A vertex has a normal if all its corners have the same; where they differ the edge is hard, which one normal cannot show.
static sup_result settle_normals(obj_reader* r, const sup_vec3** out)
{
    enum { UNSEEN, AGREED, NONE };
    if (!r->corner_normals) return SUP_OK;
    uint8_t*  states = SUP_NEW(r->arena, uint8_t, r->vertex_total);
    sup_vec3* settled = SUP_NEW(r->arena, sup_vec3, r->vertex_total);
    if (!states || !settled) return sup_fail_memory(r->error, "normals");
    bool any = false;
    for (uint32_t c = 0; c < r->corner_count; ++c) {
        uint32_t v = r->corners[c], n = r->corner_normals[c];
        sup_vec3 normal = n == SUP_NONE ? v3(0, 0, 0) : r->normals[n];
        if (n == SUP_NONE) states[v] = NONE;
        else if (states[v] == UNSEEN) states[v] = AGREED, settled[v] = normal, any = true;
        else if (!same(settled[v], normal)) states[v] = NONE;
    }
    for (uint32_t v = 0; v < r->vertex_total; ++v)
        if (states[v] != AGREED) settled[v] = v3(0, 0, 0);
    if (any) *out = settled;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- materials

static void mark_used(obj_reader* r, const char* text, const char* end)
{
    obj_line l = { 0 };
    for (size_t number = 1; obj_next_line(&text, end, number, &l); number = l.next_number) {
        if (l.at >= l.end || *l.at != 'u' || !obj_starts_with(&l, "usemtl")) continue;
        while (l.end > l.at && obj_is_space(l.end[-1])) --l.end;
        for (appearance_material* m = r->materials; m; m = m->next)
            if (strncmp(m->name, l.at, (size_t)(l.end - l.at)) == 0 && !m->name[l.end - l.at]) {
                m->used = true;
                break;
            }
    }
}

// They live as long as the text, and are useless without it.
static sup_result read_materials(obj_reader* r, const char* text, const char* end)
{
    if (!r->in->arena || r->library_count == 0) return SUP_OK;
    if (!sup_notes_begin(&r->notes, r->in->arena)) return sup_fail_memory(r->error, "the materials");
    for (uint32_t i = 0; i < r->library_count; ++i) {
        const char* names = r->libraries[i].at;
        sup_result  result =
            obj_materials_read(r->in, names, (size_t)(r->libraries[i].end - names), &r->materials, &r->notes, r->error);
        if (result != SUP_OK) return result;
    }
    if (r->materials) mark_used(r, text, end);
    sup_result result = obj_pictures_read(r->in, r->materials, &r->notes, r->error);
    if (result != SUP_OK) return result;
    return sup_notes_end(&r->notes) ? SUP_OK : sup_fail_memory(r->error, "the materials");
}

// ---------------------------------------------------------------------------------------------- whole file

static sup_result allocate(obj_reader* r)
{
    r->positions = SUP_NEW(r->arena, sup_vec3, r->vertex_total);
    r->normals = SUP_NEW(r->arena, sup_vec3, r->normal_total);
    r->face_sizes = SUP_NEW(r->arena, uint32_t, r->face_total);
    r->corners = SUP_NEW(r->arena, uint32_t, r->corner_total);
    if (!r->positions || !r->normals || !r->face_sizes || !r->corners) return sup_fail_memory(r->error, "a mesh");
    if (r->normal_total) {
        r->corner_normals = SUP_NEW(r->arena, uint32_t, r->corner_total);
        if (!r->corner_normals) return sup_fail_memory(r->error, "normals");
    }
    return SUP_OK;
}

static sup_result read_all(obj_reader* r, sup_character** out)
{
    const sup_read_input* in = r->in;
    const char*           text = (const char*)in->bytes.data;
    const char*           end = text + in->bytes.size;
    const sup_vec3*       normals = NULL;
    if (in->bytes.size >= UINT32_MAX / 2)
        return sup_fail(r->error, SUP_ERROR_INPUT, "the file is larger than 2 GiB; split it or save it as .glb");
    if (in->bytes.size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3;
    sup_result result = count_lines(r, text, end);
    if (result == SUP_OK) result = allocate(r);
    if (result == SUP_OK) result = read_lines(r, text, end);
    if (result == SUP_OK) result = settle_normals(r, &normals);
    if (result == SUP_OK) result = read_materials(r, text, end);
    if (result != SUP_OK) return result;

    sup_part_desc part = { .vertex_count = r->vertex_count,
                           .positions = r->positions,
                           .normals = normals,
                           .face_count = r->face_count,
                           .face_sizes = r->face_sizes,
                           .corners = r->corners };
    return sup_surface_create(in, &part, r->notes.count, r->notes.texts, r->arena, out, r->error);
}

// The text is kept with the character if its memory may be: a bake to OBJ writes it again with other coordinates, so that
// texture coordinates, materials and groups stay unchanged, and a glTF takes them from there.
static sup_result keep_text(const sup_read_input* in, const appearance_material* materials, sup_character* character,
                            sup_error* error)
{
    if (!in->arena) return SUP_OK;
    obj_source* kept = SUP_NEW(character->arena, obj_source, 1);
    if (!kept) return sup_fail_memory(error, "the OBJ reader");
    *kept = (obj_source){ in->bytes, materials };
    sup_arena_adopt(character->arena, in->arena);
    character->source = kept;
    character->source_format = "obj";
    return SUP_OK;
}

static sup_result obj_read(const sup_read_input* in, sup_character** out, sup_error* error)
{
    SUP_ASSERT(in && in->path && out);
    const uint8_t* mark = in->bytes.data;
    if (in->bytes.size >= 2 && ((mark[0] == 0xfe && mark[1] == 0xff) || (mark[0] == 0xff && mark[1] == 0xfe)))
        return sup_fail(error, SUP_ERROR_INPUT, "it is UTF-16; save it as plain text or UTF-8");
    obj_reader     r = { .in = in, .error = error, .arena = sup_arena_create(in->allocator) };
    sup_character* character = NULL;
    sup_result     result = r.arena ? read_all(&r, &character) : sup_fail_memory(error, "the OBJ reader");
    sup_arena_destroy(r.arena);
    if (result == SUP_OK) result = keep_text(in, r.materials, character, error);
    if (result == SUP_OK) *out = character;
    else sup_character_destroy(character);
    return result;
}

const sup_file_format sup_format_obj = {
    .name = "obj",
    .summary = "Wavefront OBJ: one mesh, polygons and vertex order kept",
    .endings = "obj",
    .read = obj_read,
    .recognize = obj_recognize,
    .bake_begin = SUP_HAS_BAKES ? obj_bake_begin : NULL,
    .bake_frame = SUP_HAS_BAKES ? obj_bake_frame : NULL,
    .bake_end = SUP_HAS_BAKES ? obj_bake_end : NULL,
    .bake_files = true,
};

// Writes OBJ: one file per frame, polygons unchanged, stored vertices in the source's order, numbers that read back exactly.
#include "io/obj/obj_write.h"

#include "io/appearance.h"
#include "io/path.h"
#include "io/text_out.h"

#include <string.h>

enum { DIGITS_MIN = 4 };

typedef struct obj_sequence {
    text_out     text;
    void*        capacity; // the file's own buffer, shared: one file is open at a time
    const float* uvs;
    const bool*  parts_with;
} obj_sequence;

// ---------------------------------------------------------------------------------------------- names

// The number replaces the #### of "walk_####.obj", or goes before the ending of "walk.obj"; a single frame has none.
static char* frame_path(sup_bake* bake, uint32_t index)
{
    const char* path = bake->desc.path;
    const char* hash = strchr(path + sup_path_own_folder(path), '#');
    size_t      width = hash ? strspn(hash, "#") : 0;
    char        digits[16], number[80];
    size_t      length = sup_format(digits, sizeof digits, "%u", index + 1), wanted = width ? width : DIGITS_MIN, at = 0;
    if (wanted > sizeof number - sizeof digits) wanted = sizeof number - sizeof digits;
    for (; at + length < wanted; ++at) number[at] = '0';
    memcpy(number + at, digits, length + 1);
    if (!hash)
        return bake->desc.frame_count == 1 ? sup_arena_text(bake->arena, path, strlen(path)) : sup_bake_path(bake, number);

    size_t before = (size_t)(hash - path), middle = strlen(number), after = strlen(hash + width);
    char*  out = sup_arena_alloc(bake->arena, before + middle + after + 1, 1);
    if (!out) return NULL;
    memcpy(out, path, before);
    memcpy(out + before, number, middle);
    memcpy(out + before + middle, hash + width, after);
    return out;
}

static sup_result open_frame(sup_bake* bake, obj_sequence* s, uint32_t index, sup_error* error)
{
    char* path = frame_path(bake, index);
    if (!path) return sup_fail_memory(error, "the name of a frame");
    return sup_bake_open(bake, path, s->capacity, SUP_OUT_ROOM, &s->text.file, error);
}

// ---------------------------------------------------------------------------------------------- one file

static void put_vertices(text_out* t, const sup_mesh* mesh, const sup_part* part, const sup_vec3* points)
{
    for (uint32_t v = 0; v < part->vertex_count; ++v) {
        text_put(t, "v ");
        text_vec3(t, points[mesh->vertex_points[part->vertex_begin + v]], " ");
        text_put(t, "\n");
    }
}

static void put_coordinates(text_out* t, const sup_part* part, const float* uvs)
{
    for (uint32_t v = 0; v < part->vertex_count; ++v) {
        text_put(t, "vt ");
        text_float(t, uvs[2 * (size_t)v]);
        text_put(t, " ");
        text_float(t, uvs[2 * (size_t)v + 1]);
        text_put(t, "\n");
    }
}

static void put_normals(text_out* t, const sup_part* part, const sup_vec3* normals)
{
    for (uint32_t v = 0; v < part->vertex_count; ++v) {
        text_put(t, "vn ");
        text_vec3(t, normals[part->vertex_begin + v], " ");
        text_put(t, "\n");
    }
}

// Numbers from 1. Only some parts have texture coordinates, so their numbers lag behind.
static void put_faces(text_out* t, const sup_mesh* mesh, const sup_part* part, bool with, uint32_t lag)
{
    for (uint32_t f = part->face_begin; f < part->face_begin + part->face_count; ++f) {
        text_put(t, "f");
        for (uint32_t c = mesh->face_begin[f]; c < mesh->face_begin[f + 1]; ++c) {
            uint32_t vertex = mesh->corner_vertices[c] + 1;
            char *   begin = text_reserve(t, 3 * TEXT_INDEX_MAX + 3), *out = begin;
            *out++ = ' ';
            size_t length = text_digits(vertex, out);
            memmove(out + length + 2, out, TEXT_INDEX_MAX); // the normal's number is the same; moved on if uvs are between
            out += length;
            *out++ = '/';
            if (with) out += text_digits(vertex - lag, out);
            *out++ = '/';
            if (with) memcpy(out, begin + 1, length);
            out += length;
            t->used += (size_t)(out - begin);
        }
        text_put(t, "\n");
    }
}

static void put_name(text_out* t, const char* name)
{
    text_put(t, "o ");
    char line[200];
    sup_format(line, sizeof line, "%.190s", name && name[0] ? name : "mesh");
    for (char* c = line; *c; ++c)
        if ((unsigned char)*c < ' ' || *c == '\\') *c = '_';
    text_put(t, line);
    text_put(t, "\n");
}

static void put_file(const sup_bake* bake, obj_sequence* s, const sup_bake_frame* frame)
{
    const sup_mesh* mesh = &bake->desc.character->mesh;
    uint32_t        lag = 0;
    text_put(&s->text, "# Supple " SUP_VERSION "\n");
    for (uint32_t p = 0; p < mesh->part_count; ++p) {
        const sup_part* part = &mesh->parts[p];
        bool            with = s->uvs && s->parts_with[p];
        put_name(&s->text, part->name);
        put_vertices(&s->text, mesh, part, frame->points);
        if (with) put_coordinates(&s->text, part, s->uvs + 2 * (size_t)part->vertex_begin);
        else lag += part->vertex_count;
        put_normals(&s->text, part, frame->vertex_normals);
        put_faces(&s->text, mesh, part, with, lag);
    }
}

// ---------------------------------------------------------------------------------------------- the source again

// One logical line: up to a line end without a backslash.
static const char* line_end(const char* p, const char* end)
{
    for (const char* begin = p; p < end; ++p) {
        p = memchr(p, '\n', (size_t)(end - p));
        if (!p) return end;
        const char* last = p > begin && p[-1] == '\r' ? p - 1 : p;
        if (last == begin || last[-1] != '\\') return p + 1;
    }
    return end;
}

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\\'; }

static const char* word_end(const char* p, const char* end)
{
    while (p < end && !blank(*p)) ++p;
    return p;
}

// Gives corners their vertex's number as that of their normal: "7/3/9" and "7/3" become "7/3/7", "7" becomes "7//7". One normal
// is written after each vertex, so numbers that count backwards stay valid as well.
static void put_corners(text_out* t, const char* p, const char* end)
{
    text_put(t, "f");
    while (p < end) {
        while (p < end && blank(*p)) ++p;
        const char* stop = word_end(p, end);
        if (stop == p || *p == '#') break;
        const char* slash = memchr(p, '/', (size_t)(stop - p));
        const char* number_end = slash ? slash : stop;
        const char* second = slash ? memchr(slash + 1, '/', (size_t)(stop - slash - 1)) : NULL;
        const char* uv_end = second ? second : stop;
        text_put(t, " ");
        text_bytes(t, p, (size_t)(number_end - p));
        text_put(t, "/");
        if (slash) text_bytes(t, slash + 1, (size_t)(uv_end - slash - 1));
        text_put(t, "/");
        text_bytes(t, p, (size_t)(number_end - p));
        p = stop;
    }
    text_put(t, "\n");
}

// What follows x, y and z (a weight, a color) stays.
static const char* behind_position(const char* p, const char* end)
{
    for (int i = 0; i < 3; ++i) {
        while (p < end && blank(*p)) ++p;
        p = word_end(p, end);
    }
    return p;
}

static void put_source(const sup_bake* bake, obj_sequence* s, const sup_bytes* source, const sup_bake_frame* frame)
{
    const sup_mesh* mesh = &bake->desc.character->mesh;
    const char *    p = (const char*)source->data, *end = p + source->size;
    uint32_t        vertex = 0;
    if (source->size >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0) p += 3;
    text_put(&s->text, "# Supple " SUP_VERSION "\n");
    while (p < end) {
        const char *stop = line_end(p, end), *word = p;
        while (word < stop && (*word == ' ' || *word == '\t')) ++word;
        size_t length = (size_t)(word_end(word, stop) - word);
        if (length == 1 && *word == 'v' && vertex < mesh->vertex_count) {
            const char *rest = behind_position(word + 1, stop), *tail = stop;
            while (tail > rest && blank(tail[-1])) --tail;
            text_put(&s->text, "v ");
            text_vec3(&s->text, frame->points[mesh->vertex_points[vertex]], " ");
            text_bytes(&s->text, rest, (size_t)(tail - rest));
            text_put(&s->text, "\nvn ");
            text_vec3(&s->text, frame->vertex_normals[vertex++], " ");
            text_put(&s->text, "\n");
        } else if (length == 1 && *word == 'f') put_corners(&s->text, word + 1, stop);
        else if (!(length == 2 && word[0] == 'v' && word[1] == 'n')) text_bytes(&s->text, p, (size_t)(stop - p));
        p = stop;
    }
    text_put(&s->text, "\n");
}

// The text the character was read from, NULL if it came from elsewhere.
static const sup_bytes* source_text(const sup_character* c)
{
    bool from_obj = c->source && c->source_format && strcmp(c->source_format, "obj") == 0;
    return from_obj ? &((const obj_source*)c->source)->text : NULL;
}

// ---------------------------------------------------------------------------------------------- begin, frame, end

sup_result obj_bake_begin(sup_bake* bake, sup_error* error)
{
    obj_sequence* s = SUP_NEW(bake->arena, obj_sequence, 1);
    if (!s) return sup_fail_memory(error, "an OBJ sequence");
    bake->state = s;
    s->capacity = sup_arena_alloc(bake->arena, SUP_OUT_ROOM, 1);
    s->text.buffer = sup_arena_alloc(bake->arena, TEXT_ROOM, 1);
    if (!s->capacity || !s->text.buffer) return sup_fail_memory(error, "an OBJ sequence");
    sup_result result = text_uvs(bake->desc.character, bake->arena, &s->uvs, &s->parts_with, error);
    return result == SUP_OK ? open_frame(bake, s, 0, error) : result;
}

sup_result obj_bake_frame(sup_bake* bake, const sup_bake_frame* frame, sup_error* error)
{
    obj_sequence* s = bake->state;
    sup_result    result = frame->index ? open_frame(bake, s, frame->index, error) : SUP_OK;
    if (result != SUP_OK) return result;
    s->text.error = error;
    const sup_bytes* source = source_text(bake->desc.character);
    if (source) put_source(bake, s, source, frame);
    else put_file(bake, s, frame);
    text_flush(&s->text);
    return s->text.result == SUP_OK ? sup_out_close(s->text.file, error) : s->text.result;
}

sup_result obj_bake_end(sup_bake* bake, sup_error* error)
{
    const obj_sequence* s = bake->state;
    (void)error;
    if (s->text.bad)
        sup_bake_warn(bake, "%llu baked coordinates were not finite numbers and are written as 0",
                      (unsigned long long)s->text.bad);
    return SUP_OK;
}

// OBJ out: one file a frame, polygons as they were, stored vertices in the source's order, numbers that read back exactly.
#include "io/obj_write.h"

#include "io/text_out.h"

#include <string.h>

enum { DIGITS_MIN = 4 };

typedef struct obj_sequence {
    text_out     text;
    void*        room; // of the file's own buffer, shared: one file is open at a time
    const float* uvs;
    const bool*  parts_with;
} obj_sequence;

// ---------------------------------------------------------------------------------------------- names

// "walk_####.obj" has its number there, "walk.obj" before its ending, and a single frame has none.
static char* frame_path(sup_bake* bake, uint32_t index)
{
    const char* path = bake->desc.path;
    const char* slash = strrchr(path, '/');
    const char* hash = strchr(slash ? slash : path, '#');
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
    return sup_bake_open(bake, path, s->room, SUP_OUT_ROOM, &s->text.file, error);
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

// Numbers from 1. Coordinates are listed only for the parts that have some, so their numbers lag behind.
static void put_faces(text_out* t, const sup_mesh* mesh, const sup_part* part, bool with, uint32_t lag)
{
    for (uint32_t f = part->face_begin; f < part->face_begin + part->face_count; ++f) {
        text_put(t, "f");
        for (uint32_t c = mesh->face_begin[f]; c < mesh->face_begin[f + 1]; ++c) {
            uint32_t vertex = mesh->corner_vertices[c] + 1;
            text_put(t, " ");
            text_index(t, vertex);
            text_put(t, "/");
            if (with) text_index(t, vertex - lag);
            text_put(t, "/");
            text_index(t, vertex);
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

// ---------------------------------------------------------------------------------------------- begin, frame, end

sup_result obj_bake_begin(sup_bake* bake, sup_error* error)
{
    obj_sequence* s = SUP_NEW(bake->arena, obj_sequence, 1);
    if (!s) return sup_fail_memory(error, "an OBJ sequence");
    bake->state = s;
    s->room = sup_arena_alloc(bake->arena, SUP_OUT_ROOM, 1);
    s->text.buffer = sup_arena_alloc(bake->arena, TEXT_ROOM, 1);
    if (!s->room || !s->text.buffer) return sup_fail_memory(error, "an OBJ sequence");
    sup_result result = text_uvs(bake->desc.character, bake->arena, &s->uvs, &s->parts_with, error);
    return result == SUP_OK ? open_frame(bake, s, 0, error) : result;
}

sup_result obj_bake_frame(sup_bake* bake, const sup_bake_frame* frame, sup_error* error)
{
    obj_sequence* s = bake->state;
    sup_result    result = frame->index ? open_frame(bake, s, frame->index, error) : SUP_OK;
    if (result != SUP_OK) return result;
    s->text.error = error;
    put_file(bake, s, frame);
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

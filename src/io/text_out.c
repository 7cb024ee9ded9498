// Writes text into an output file, for text formats.
#include "io/text_out.h"

#include "io/gltf/gltf.h"

#include <math.h>
#include <string.h>

void text_flush(text_out* t)
{
    if (t->result == SUP_OK) t->result = sup_out_write(t->file, t->buffer, t->used, t->error);
    t->used = 0;
}

void text_overflow(text_out* t, const char* words, size_t length)
{
    text_flush(t);
    if (length > TEXT_ROOM) {
        if (t->result == SUP_OK) t->result = sup_out_write(t->file, words, length, t->error);
        return;
    }
    memcpy(t->buffer, words, length);
    t->used = length;
}

void text_format(text_out* t, const char* format, ...)
{
    char    line[1024];
    va_list arguments;
    va_start(arguments, format);
    size_t length = sup_format_list(line, sizeof line, format, arguments);
    va_end(arguments);
    text_bytes(t, line, length < sizeof line ? length : sizeof line - 1);
}

size_t text_digits(uint32_t number, char* out)
{
    size_t count = 1;
    for (uint32_t rest = number; rest >= 10; rest /= 10) count++;
    for (size_t at = count; at > 0; number /= 10) out[--at] = (char)('0' + number % 10);
    return count;
}

void text_index(text_out* t, uint32_t number) { t->used += text_digits(number, text_reserve(t, TEXT_INDEX_MAX)); }

// Writes where space was already reserved.
static size_t put_float(text_out* t, float number, char* out)
{
    if (!isfinite(number)) {
        t->bad++;
        number = 0;
    }
    return sup_print_float(number, out);
}

void text_float(text_out* t, float number) { t->used += put_float(t, number, text_reserve(t, SUP_NUMBER_MAX)); }

void text_vec3(text_out* t, sup_vec3 v, const char* between)
{
    size_t length = strlen(between);
    char * begin = text_reserve(t, 3 * SUP_NUMBER_MAX + 2 * length), *out = begin;
    out += put_float(t, v.x, out);
    memcpy(out, between, length);
    out += length;
    out += put_float(t, v.y, out);
    memcpy(out, between, length);
    out += length;
    out += put_float(t, v.z, out);
    t->used += (size_t)(out - begin);
}

// ---------------------------------------------------------------------------------------------- texture coordinates

// The accessor of one primitive's coordinates; components 0 if there is none that can be read.
static gltf_accessor find_coordinates(const gltf_source* source, const gltf_part* part, const gltf_primitive* primitive)
{
    const sup_json* mesh = sup_json_at(sup_json_get(source->root, "meshes"), part->mesh);
    const sup_json* json = sup_json_at(sup_json_get(mesh, "primitives"), primitive->primitive);
    uint32_t        index = sup_json_index(sup_json_get(sup_json_get(json, "attributes"), "TEXCOORD_0"), SUP_NONE);
    gltf_accessor   accessor = { 0 };
    sup_error       ignored;
    if (index == SUP_NONE || gltf_accessor_find(source, index, "texture coordinates", &accessor, &ignored) != SUP_OK ||
        accessor.components != 2 || accessor.count < primitive->vertex_count)
        return (gltf_accessor){ 0 };
    return accessor;
}

static bool fill_part(const gltf_source* source, const gltf_part* part, float* uvs)
{
    bool any = false;
    for (uint32_t p = 0; p < part->primitive_count; ++p) {
        const gltf_primitive* primitive = &part->primitives[p];
        const gltf_accessor   from = find_coordinates(source, part, primitive);
        float*                to = uvs + 2 * (size_t)primitive->vertex_begin;
        for (uint32_t v = 0; v < primitive->vertex_count && from.components; ++v, to += 2) {
            to[0] = gltf_accessor_float(&from, v, 0);
            to[1] = 1.0f - gltf_accessor_float(&from, v, 1);
        }
        any = any || from.components;
    }
    return any;
}

sup_result text_uvs(const sup_character* character, sup_arena* arena, const float** out, const bool** parts_with,
                    sup_error* error)
{
    const sup_mesh*    mesh = &character->mesh;
    const gltf_source* source = gltf_source_of(character);
    bool*              with = SUP_NEW(arena, bool, mesh->part_count);
    if (!with) return sup_fail_memory(error, "texture coordinates");
    *parts_with = with;
    *out = NULL;
    if (!source) return SUP_OK;
    float* uvs = sup_arena_alloc(arena, mesh->vertex_count, 2 * sizeof(float));
    if (!uvs) return sup_fail_memory(error, "texture coordinates");
    for (uint32_t p = 0; p < mesh->part_count && p < source->part_count; ++p)
        with[p] = fill_part(source, &source->parts[p], uvs + 2 * (size_t)mesh->parts[p].vertex_begin);
    *out = uvs;
    return SUP_OK;
}

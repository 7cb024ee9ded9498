// The surface appearance of a character, whatever file it came from.
#include "io/appearance.h"

#include "base/internal.h"
#include "io/gltf/gltf.h"

#include <string.h>

// x^2.4 is x^2 times the fifth root of x^2, found by Newton's method rather than by libm, so that every machine writes the same
// file.
float appearance_linear(float value)
{
    if (!(value > 0)) return 0;
    if (value >= 1) return 1;
    if (value <= 0.04045f) return value / 12.92f;
    double x = ((double)value + 0.055) / 1.055, square = x * x, root = 1;
    for (int i = 0; i < 30; ++i) {
        double fourth = root * root * root * root;
        root -= (root - square / fourth) / 5;
    }
    return (float)(square * root);
}

static sup_result vertex_appearance(const sup_character* character, const vertex_source* source, sup_arena* arena,
                                    appearance* out, sup_error* error)
{
    const sup_mesh* mesh = &character->mesh;
    appearance_piece* piece = SUP_NEW(arena, appearance_piece, 1);
    float*          colors = source->colors ? SUP_NEW(arena, float, 4 * (size_t)mesh->point_count) : NULL;
    float*          uvs = source->uvs ? SUP_NEW(arena, float, 2 * (size_t)mesh->vertex_count) : NULL;
    if (!piece || (source->colors && !colors) || (source->uvs && !uvs)) return sup_fail_memory(error, "a surface");
    for (uint32_t p = 0; colors && p < mesh->point_count; ++p) {
        for (size_t i = 0; i < 3; ++i) colors[4 * (size_t)p + i] = appearance_linear(source->colors[4 * (size_t)p + i]);
        colors[4 * (size_t)p + 3] = source->colors[4 * (size_t)p + 3];
    }
    for (uint32_t v = 0; uvs && v < mesh->vertex_count; ++v) {
        uvs[2 * (size_t)v] = source->uvs[2 * (size_t)v];
        uvs[2 * (size_t)v + 1] = 1 - source->uvs[2 * (size_t)v + 1];
    }
    piece->vertex_count = mesh->vertex_count;
    out->uvs = uvs;
    out->colors = colors;
    out->piece_count = 1;
    out->pieces = piece;
    return SUP_OK;
}

// Surfaces of a glTF are identified by their stored vertices, those of other formats by their points.
static bool same_surface(const sup_mesh* a, const sup_mesh* b, bool stored)
{
    bool same = a->part_count == b->part_count && a->face_count == b->face_count && a->vertex_count == b->vertex_count;
    for (uint32_t i = 0; same && i < a->part_count; ++i) same = a->parts[i].vertex_count == b->parts[i].vertex_count;
    return same && (stored || a->point_count == b->point_count);
}

void sup_character_inherit(sup_character* character, sup_character* from)
{
    SUP_ASSERT(character && from);
    bool gltf = gltf_source_of(from) != NULL;
    if (from->source && from->source_format && !character->source && same_surface(&character->mesh, &from->mesh, gltf)) {
        character->source = from->source;
        character->source_format = gltf ? "gltf surface" : from->source_format;
        sup_arena_adopt(character->arena, from->arena);
    }
    sup_character_destroy(from);
}

sup_result appearance_make(const sup_character* character, sup_arena* arena, const appearance** out, sup_error* error)
{
    *out = NULL;
    bool obj = character->source_format && strcmp(character->source_format, "obj") == 0;
    bool vertices = character->source_format && strcmp(character->source_format, VERTEX_SOURCE) == 0;
    if (!character->source || !(obj || vertices) || character->mesh.part_count != 1) return SUP_OK;
    appearance* made = SUP_NEW(arena, appearance, 1);
    if (!made) return sup_fail_memory(error, "a surface");
    made->character = *character;
    sup_result result = obj ? obj_appearance_make(character, character->source, arena, made, error)
                            : vertex_appearance(character, character->source, arena, made, error);
    if (result == SUP_OK && made->piece_count) *out = made;
    return result;
}

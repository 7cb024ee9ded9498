// The base colors of a file's materials and vertices, for pictures. Textures are not sampled: their factor stands for them.
#include "base/internal.h"
#include "io/appearance.h"
#include "io/gltf/gltf.h"

#include <string.h>

// The factor of a primitive's material; white by default, as in the format.
static sup_vec3 primitive_color(const gltf_source* source, const sup_json* primitive)
{
    float           color[3] = { 1, 1, 1 };
    uint32_t        index = sup_json_index(sup_json_get(primitive, "material"), SUP_NONE);
    const sup_json* material = index == SUP_NONE ? NULL : sup_json_at(sup_json_get(source->root, "materials"), index);
    const sup_json* factor = sup_json_get(sup_json_get(material, "pbrMetallicRoughness"), "baseColorFactor");
    for (uint32_t i = 0; i < 3; ++i) {
        double value = sup_json_number(sup_json_at(factor, i), 1.0);
        color[i] = value >= 0 && value <= 1 ? (float)value : 1.0f;
    }
    return (sup_vec3){ color[0], color[1], color[2] };
}

// The colors of a primitive's vertices, which the format multiplies by the material's; false: none.
static bool find_vertex_colors(const gltf_source* source, const sup_json* primitive, gltf_accessor* out)
{
    sup_error ignored;
    uint32_t  index = sup_json_index(sup_json_get(sup_json_get(primitive, "attributes"), "COLOR_0"), SUP_NONE);
    return index != SUP_NONE && gltf_accessor_find(source, index, "COLOR_0", out, &ignored) == SUP_OK && out->components >= 3;
}

static float tinted(float factor, const gltf_accessor* colors, uint32_t vertex, uint32_t channel)
{
    float value = gltf_accessor_float(colors, vertex, channel);
    return value >= 0 ? factor * (value < 1 ? value : 1) : 0; // NaN: 0
}

// Primitives have stored vertices of their own, so a corner's vertex identifies its material even where points of several are
// welded. Faces are in the order of their primitives: the next corner's primitive is this one or a later one.
static void color_part(const gltf_source* source, const sup_mesh* mesh, uint32_t part, sup_vec3* out)
{
    const gltf_part* from = &source->parts[part];
    const sup_part*  to = &mesh->parts[part];
    const sup_json*  primitives = sup_json_get(sup_json_at(sup_json_get(source->root, "meshes"), from->mesh), "primitives");
    uint32_t         last = mesh->face_begin[to->face_begin + to->face_count], colored = SUP_NONE;
    sup_vec3         color = { 1, 1, 1 };
    gltf_accessor    colors = { 0 };
    bool             any = false;
    for (uint32_t c = mesh->face_begin[to->face_begin], k = 0; c < last && k < from->primitive_count; ++c) {
        uint32_t vertex = mesh->corner_vertices[c] - to->vertex_begin;
        while (k + 1 < from->primitive_count && vertex >= from->primitives[k + 1].vertex_begin) ++k;
        if (k != colored) {
            const sup_json* primitive = sup_json_at(primitives, from->primitives[k].primitive);
            color = primitive_color(source, primitive);
            any = find_vertex_colors(source, primitive, &colors);
        }
        colored = k;
        out[c] = color;
        uint32_t v = vertex - from->primitives[k].vertex_begin;
        if (any && v < colors.count)
            out[c] =
                (sup_vec3){ tinted(color.x, &colors, v, 0), tinted(color.y, &colors, v, 1), tinted(color.z, &colors, v, 2) };
    }
}

// For an OBJ or PLY: its colors of points, else those of its materials, which belong to faces.
static bool color_appearance(const sup_mesh* mesh, const appearance* d, sup_vec3* out)
{
    bool any = d->colors != NULL;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        const appearance_material* m = d->face_pieces && !d->colors ? d->pieces[d->face_pieces[f]].material : NULL;
        any |= m != NULL;
        for (uint32_t c = mesh->face_begin[f]; c < mesh->face_begin[f + 1]; ++c) {
            const float* color = m && !m->picture ? m->color : NULL;
            if (d->colors) color = &d->colors[4 * (size_t)mesh->corner_points[c]];
            if (color) out[c] = (sup_vec3){ color[0], color[1], color[2] };
        }
    }
    return any;
}

static bool color_dressed(const sup_character* character, sup_vec3* out)
{
    sup_arena*   arena = sup_arena_create(NULL);
    const appearance* d = NULL;
    sup_error    ignored;
    bool              any =
        arena && appearance_make(character, arena, &d, &ignored) == SUP_OK && d && color_appearance(&character->mesh, d, out);
    sup_arena_destroy(arena);
    return any;
}

bool sup_character_corner_colors(const sup_character* character, sup_vec3* out)
{
    SUP_ASSERT(character && out);
    const gltf_source* source = gltf_source_of(character);
    for (uint32_t c = 0; c < character->mesh.corner_count; ++c) out[c] = (sup_vec3){ 1, 1, 1 };
    if (!source) return character->source && color_dressed(character, out);
    for (uint32_t p = 0; p < character->mesh.part_count && p < source->part_count; ++p)
        color_part(source, &character->mesh, p, out);
    return true;
}

bool sup_character_colors(const sup_character* character, sup_vec3* out)
{
    SUP_ASSERT(character && out);
    const sup_mesh* mesh = &character->mesh;
    sup_arena*      arena = sup_arena_create(NULL);
    sup_vec3*       corners = arena ? SUP_NEW(arena, sup_vec3, mesh->corner_count) : NULL;
    bool            any = corners && sup_character_corner_colors(character, corners);
    for (uint32_t p = 0; p < mesh->point_count && any; ++p) out[p] = (sup_vec3){ 1, 1, 1 };
    for (uint32_t c = any ? mesh->corner_count : 0; c--;) out[mesh->corner_points[c]] = corners[c]; // backwards: the first wins
    sup_arena_destroy(arena);
    return any;
}

uint32_t sup_character_pictures(const sup_character* character)
{
    SUP_ASSERT(character);
    uint32_t count = 0;
    if (!character->source || !character->source_format) return 0;
    if (strcmp(character->source_format, "obj") == 0) {
        const obj_source* obj = character->source;
        for (const appearance_material* m = obj->materials; m; m = m->next) count += m->used && m->picture;
    } else if (gltf_source_of(character)) {
        const gltf_source* gltf = gltf_source_of(character);
        const sup_json*    materials = sup_json_get(gltf->root, "materials");
        for (const sup_json* m = materials ? materials->first : NULL; m; m = m->next)
            count += sup_json_get(sup_json_get(m, "pbrMetallicRoughness"), "baseColorTexture") != NULL;
    }
    return count;
}

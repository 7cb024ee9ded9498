// The base colors of a glTF file's materials, for pictures. Textures are not looked into: their factor stands for them.
#include "base/internal.h"
#include "io/gltf.h"

#include <string.h>

// The factor of a primitive's material; white where the file says nothing, as the format does.
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

static void color_part(const gltf_source* source, const sup_mesh* mesh, uint32_t part, sup_vec3* out)
{
    const gltf_part* from = &source->parts[part];
    const sup_json*  primitives = sup_json_get(sup_json_at(sup_json_get(source->root, "meshes"), from->mesh), "primitives");
    for (uint32_t k = from->primitive_count; k--;) { // backwards, so that the first primitive decides where two meet
        const gltf_primitive* p = &from->primitives[k];
        sup_vec3              color = primitive_color(source, sup_json_at(primitives, p->primitive));
        for (uint32_t v = 0; v < p->vertex_count; ++v)
            out[mesh->vertex_points[mesh->parts[part].vertex_begin + p->vertex_begin + v]] = color;
    }
}

bool sup_character_colors(const sup_character* character, sup_vec3* out)
{
    SUP_ASSERT(character && out);
    const gltf_source* source = character->source;
    if (!source || !character->source_format || strcmp(character->source_format, "gltf") != 0) return false;
    for (uint32_t p = 0; p < character->mesh.point_count; ++p) out[p] = (sup_vec3){ 1, 1, 1 };
    for (uint32_t p = 0; p < character->mesh.part_count && p < source->part_count; ++p)
        color_part(source, &character->mesh, p, out);
    return true;
}

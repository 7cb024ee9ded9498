// From a character back to the description that would create its mesh.
#include "rig/redescribe.h"

#include "base/internal.h"
#include "scene/describe.h"

static sup_result describe_morphs(const sup_character* c, const sup_part* part, sup_arena* arena, sup_part_desc* out,
                                  sup_error* error)
{
    sup_morph_desc* morphs = SUP_NEW(arena, sup_morph_desc, part->morph_count);
    if (!morphs) return sup_fail_memory(error, "morphs");
    for (uint32_t m = 0; m < part->morph_count; ++m) {
        const sup_morph* from = &c->morphs[part->morph_begin + m];
        sup_vec3*        deltas = SUP_NEW(arena, sup_vec3, part->vertex_count);
        if (!deltas) return sup_fail_memory(error, "morphs");
        for (uint32_t v = 0; v < part->vertex_count; ++v)
            deltas[v] = from->deltas[c->mesh.vertex_points[part->vertex_begin + v] - part->point_begin];
        morphs[m] = (sup_morph_desc){ from->name, from->rest_weight, deltas };
    }
    out->morph_count = part->morph_count;
    out->morphs = morphs;
    return SUP_OK;
}

static sup_result describe_maps(const sup_character* c, const sup_part* part, sup_arena* arena, sup_part_desc* out,
                                sup_error* error)
{
    sup_map_desc* maps = SUP_NEW(arena, sup_map_desc, c->map_count);
    if (!maps) return sup_fail_memory(error, "maps");
    for (uint32_t m = 0; m < c->map_count; ++m) {
        float* values = SUP_NEW(arena, float, part->vertex_count);
        if (!values) return sup_fail_memory(error, "maps");
        for (uint32_t v = 0; v < part->vertex_count; ++v)
            values[v] = c->maps[m].values[c->mesh.vertex_points[part->vertex_begin + v]];
        maps[m] = (sup_map_desc){ c->maps[m].name, values };
    }
    out->map_count = c->map_count;
    out->maps = maps;
    return SUP_OK;
}

sup_result sup_part_redescribe(const sup_character* c, uint32_t index, sup_arena* arena, sup_part_desc* out, sup_error* error)
{
    const sup_mesh* mesh = &c->mesh;
    const sup_part* part = &mesh->parts[index];
    uint32_t        corner_begin = mesh->face_begin[part->face_begin];
    uint32_t        corners = mesh->face_begin[part->face_begin + part->face_count] - corner_begin;
    sup_vec3*       positions = SUP_NEW(arena, sup_vec3, part->vertex_count);
    uint32_t*       sizes = SUP_NEW(arena, uint32_t, part->face_count);
    uint32_t*       list = SUP_NEW(arena, uint32_t, corners);
    if (!positions || !sizes || !list) return sup_fail_memory(error, "a character");
    for (uint32_t v = 0; v < part->vertex_count; ++v) positions[v] = mesh->points[mesh->vertex_points[part->vertex_begin + v]];
    for (uint32_t f = 0; f < part->face_count; ++f)
        sizes[f] = mesh->face_begin[part->face_begin + f + 1] - mesh->face_begin[part->face_begin + f];
    for (uint32_t i = 0; i < corners; ++i) list[i] = mesh->corner_vertices[corner_begin + i] - part->vertex_begin;
    *out = (sup_part_desc){ .name = part->name,
                            .vertex_count = part->vertex_count,
                            .positions = positions,
                            .normals = mesh->vertex_normals ? mesh->vertex_normals + part->vertex_begin : NULL,
                            .tangents = mesh->vertex_tangents ? mesh->vertex_tangents + part->vertex_begin : NULL,
                            .face_count = part->face_count,
                            .face_sizes = sizes,
                            .corners = list,
                            .joint = SUP_NONE,
                            .weld = mesh->point_count != mesh->vertex_count,
                            .source_id = SUP_NONE };
    sup_result result = describe_morphs(c, part, arena, out, error);
    return result == SUP_OK ? describe_maps(c, part, arena, out, error) : result;
}

sup_result sup_character_redescribe(const sup_character* c, uint32_t joint_count, const sup_joint* joints,
                                    const sup_part_desc* parts, const sup_allocator* allocator, sup_character** out,
                                    sup_error* error)
{
    sup_character_desc desc = sup_character_describe(c, parts);
    desc.joint_count = joint_count, desc.joints = joints;
    return sup_character_create(&desc, allocator, out, error);
}

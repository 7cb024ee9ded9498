// The mesh that a vertex animation texture moves: at rest, without skin, morph targets and clips, with an additional set of
// texture coordinates. Materials, pictures and other nodes of the file stay.
#include "base/internal.h"
#include "io/gltf/gltf_write.h"
#include "io/vat/vat.h"

typedef struct still {
    gltf_edit            edit;
    const sup_character* character;
    const gltf_source*   source;
    const sup_vec3*      normals;
    const float*         uv;
    uint32_t             set; // of the coordinates, the same in all meshes
} still;

static void attribute_name(char* out, size_t size, uint32_t set) { sup_format(out, size, "TEXCOORD_%u", set); }

// The first set that no primitive uses, and never set 0: that is for pictures.
static uint32_t free_set(still* s)
{
    uint32_t   set = 1, count;
    sup_json** meshes = gltf_edit_items(&s->edit, gltf_edit_get(s->edit.root, "meshes"), &count);
    for (uint32_t i = 0; i < s->character->mesh.part_count && meshes; ++i) {
        const gltf_part* part = &s->source->parts[i];
        const sup_json*  primitives = sup_json_get(meshes[part->mesh], "primitives");
        for (uint32_t k = 0; k < part->primitive_count; ++k) {
            const sup_json* attributes = sup_json_get(sup_json_at(primitives, part->primitives[k].primitive), "attributes");
            char            name[24];
            attribute_name(name, sizeof name, set);
            while (sup_json_get(attributes, name)) attribute_name(name, sizeof name, ++set);
        }
    }
    return set;
}

static void put_floats(still* s, sup_json* attributes, const char* name, const float* values, uint32_t count, uint32_t width)
{
    uint32_t accessor = gltf_edit_floats(&s->edit, values, count, width, GLTF_ARRAY_BUFFER, width == 3 && name[0] == 'P');
    gltf_edit_number(&s->edit, attributes, name, accessor);
}

static void still_primitive(still* s, const sup_part* part, const gltf_primitive* p, sup_json* primitive)
{
    const sup_mesh* mesh = &s->character->mesh;
    sup_json*       attributes = gltf_edit_get(primitive, "attributes");
    uint32_t        first = part->vertex_begin + p->vertex_begin, n = p->vertex_count;
    sup_vec3*       rest = SUP_NEW(s->edit.arena, sup_vec3, n);
    float*          zeros = SUP_NEW(s->edit.arena, float, 2 * (size_t)n);
    char            name[24];
    s->edit.failed |= !rest || !zeros || !attributes;
    if (s->edit.failed) return;
    for (uint32_t v = 0; v < n; ++v) rest[v] = mesh->points[mesh->vertex_points[first + v]];
    for (uint32_t i = 0; i < 2; ++i) {
        sup_format(name, sizeof name, "JOINTS_%u", i);
        sup_json_remove(attributes, name);
        sup_format(name, sizeof name, "WEIGHTS_%u", i);
        sup_json_remove(attributes, name);
    }
    sup_json_remove(attributes, "TANGENT"); // the texture rotates normals and not these
    sup_json_remove(primitive, "targets");
    put_floats(s, attributes, "POSITION", &rest->x, n, 3);
    put_floats(s, attributes, "NORMAL", &s->normals[first].x, n, 3);
    // Sets must be numbered without gaps.
    for (uint32_t set = 0; set < s->set; ++set) {
        attribute_name(name, sizeof name, set);
        if (!sup_json_get(attributes, name)) put_floats(s, attributes, name, zeros, n, 2);
    }
    attribute_name(name, sizeof name, s->set);
    put_floats(s, attributes, name, s->uv + 2 * (size_t)first, n, 2);
}

// A mesh of its own for each part, since several nodes may show one: the first uses the file's, others a copy.
static uint32_t* part_meshes(still* s)
{
    uint32_t   count = s->character->mesh.part_count, mesh_count;
    sup_json** meshes = gltf_edit_items(&s->edit, gltf_edit_get(s->edit.root, "meshes"), &mesh_count);
    uint32_t*  numbers = SUP_NEW(s->edit.arena, uint32_t, count);
    uint8_t*   seen = SUP_NEW(s->edit.arena, uint8_t, mesh_count);
    s->edit.failed |= !numbers || !seen || !meshes;
    for (uint32_t i = 0; i < count && !s->edit.failed; ++i) {
        numbers[i] = s->source->parts[i].mesh;
        if (seen[numbers[i]])
            numbers[i] = gltf_edit_add(&s->edit, "meshes", gltf_edit_copy(&s->edit, meshes[s->source->parts[i].mesh]));
        seen[s->source->parts[i].mesh] = 1;
    }
    return numbers;
}

// On a new node that nothing animates.
static void still_part(still* s, uint32_t index, uint32_t number, sup_json* mesh, uint32_t root, sup_json* const* nodes,
                       sup_json* scene)
{
    const gltf_part* from = &s->source->parts[index];
    uint32_t         count;
    sup_json*        node = gltf_edit_new(&s->edit, SUP_JSON_OBJECT);
    sup_json*        old = nodes[from->node];
    sup_json**       list = gltf_edit_items(&s->edit, gltf_edit_get(mesh, "primitives"), &count);
    for (uint32_t k = 0; list && k < from->primitive_count && !s->edit.failed; ++k)
        still_primitive(s, &s->character->mesh.parts[index], &from->primitives[k], list[from->primitives[k].primitive]);
    gltf_targets_drop(old, mesh);
    sup_json_remove(old, "mesh");
    gltf_edit_string(&s->edit, node, "name", sup_json_string(sup_json_get(old, "name"), "mesh"));
    gltf_edit_number(&s->edit, node, "mesh", number);
    uint32_t added = gltf_edit_add(&s->edit, "nodes", node);
    if (root != SUP_NONE) gltf_edit_push_number(&s->edit, gltf_edit_array(&s->edit, nodes[root], "children"), added);
    else if (scene) gltf_edit_push_number(&s->edit, gltf_edit_array(&s->edit, scene, "nodes"), added);
}

sup_result gltf_vat_mesh(sup_bake* bake, const float* uv, sup_out_file* file, uint32_t* set, sup_error* error)
{
    still         s = { .character = bake->desc.character, .uv = uv };
    gltf_document document;
    uint32_t      count, scenes;
    sup_result    result = gltf_document_choose(s.character, 4, bake->arena, &document, error);
    if (result == SUP_OK && document.character != s.character)
        result = sup_fail(
            error, SUP_ERROR_INPUT,
            "animation textures need the stored vertices of a glTF, which '%s' is not; convert it with sup_character_tangents",
            s.character->name);
    if (result == SUP_OK) result = sup_bake_rest_normals(bake, &s.normals, error);
    if (result != SUP_OK) return result;
    s.source = document.source;
    gltf_edit_open(&s.edit, document.source, bake->arena);
    if (s.edit.failed) return sup_fail_memory(error, "a GLB");
    *set = s.set = free_set(&s);
    sup_json** nodes = gltf_edit_items(&s.edit, gltf_edit_get(s.edit.root, "nodes"), &count);
    sup_json** scene = gltf_edit_items(&s.edit, gltf_edit_get(s.edit.root, "scenes"), &scenes);
    uint32_t   shown = sup_json_index(sup_json_get(s.edit.root, "scene"), 0);
    uint32_t*  numbers = part_meshes(&s);
    uint32_t   mesh_count;
    sup_json** meshes = gltf_edit_items(&s.edit, gltf_edit_get(s.edit.root, "meshes"), &mesh_count);
    for (uint32_t i = 0; i < s.character->mesh.part_count && nodes && meshes && !s.edit.failed; ++i)
        still_part(&s, i, numbers[i], meshes[numbers[i]], document.root, nodes,
                   scene ? scene[shown < scenes ? shown : 0] : NULL);
    sup_json_remove(s.edit.root, "animations");
    sup_json_remove(s.edit.root, "skins");
    for (uint32_t i = 0; i < count && nodes; ++i) sup_json_remove(nodes[i], "skin");
    if (!s.edit.failed && gltf_prunable(s.edit.root) && !gltf_prune(&s.edit)) s.edit.failed = true;
    if (s.edit.failed) return sup_fail_memory(error, "a GLB");
    return gltf_edit_write(&s.edit, file, bake->arena, bake->desc.path, error);
}

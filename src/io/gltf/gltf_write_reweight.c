// Puts new weights and maps into the document that a character came from; everything else stays.
#include "base/internal.h"
#include "io/gltf/gltf_write.h"

enum { SET = 4 }; // influences of one JOINTS_n and WEIGHTS_n

typedef struct reweigher {
    gltf_edit*           edit;
    const sup_character* character;
    const gltf_source*   source;
    uint32_t*            slots; ///< of every joint in the part's skin, SUP_NONE: absent
} reweigher;

static const sup_json* item_at(const sup_json* array, uint32_t index)
{
    const sup_json* item = array ? array->first : NULL;
    while (item && index--) item = item->next;
    return item;
}

static void find_slots(const reweigher* r, uint32_t skin)
{
    const sup_skeleton* s = &r->character->skeleton;
    for (uint32_t j = 0; j < s->joint_count; ++j) r->slots[j] = SUP_NONE;
    sup_json*       skins = gltf_edit_get(r->edit->root, "skins");
    const sup_json* found = item_at(skins, skin);
    const sup_json* joints = found ? sup_json_get(found, "joints") : NULL;
    uint32_t        slot = 0;
    for (const sup_json* item = joints ? joints->first : NULL; item; item = item->next, ++slot)
        for (uint32_t j = 0; j < s->joint_count; ++j)
            if (s->joints[j].skin_joint && (double)s->joints[j].source_id == item->number && r->slots[j] == SUP_NONE)
                r->slots[j] = slot;
}

// Every influence must be a joint of the part's own skin, and the mesh must be the part's alone.
static bool fits(const reweigher* r, uint32_t index)
{
    const sup_character* c = r->character;
    const sup_part*      part = &c->mesh.parts[index];
    const gltf_part*     from = &r->source->parts[index];
    if (part->joint != SUP_NONE) return true;
    if (from->skin == SUP_NONE) return false;
    for (uint32_t i = 0; i < r->source->part_count; ++i)
        if (i != index && r->source->parts[i].mesh == from->mesh) return false;
    find_slots(r, from->skin);
    for (uint32_t p = part->point_begin; p < part->point_begin + part->point_count; ++p)
        for (uint32_t i = c->weights.begin[p]; i < c->weights.begin[p + 1]; ++i)
            if (r->slots[c->weights.joints[i]] == SUP_NONE) return false;
    return true;
}

// Influences 4 n to 4 n + 3 of the primitive's vertices.
static void write_set(const reweigher* r, sup_json* attributes, uint32_t first, uint32_t count, uint32_t set)
{
    const sup_character* c = r->character;
    uint16_t*            joints = SUP_NEW(r->edit->arena, uint16_t, (size_t)count * SET);
    float*               weights = SUP_NEW(r->edit->arena, float, (size_t)count* SET);
    char                 name[32];
    r->edit->failed |= !joints || !weights;
    if (r->edit->failed) return;
    for (uint32_t v = 0; v < count; ++v) {
        uint32_t p = c->mesh.vertex_points[first + v], begin = c->weights.begin[p], n = c->weights.begin[p + 1] - begin;
        for (uint32_t k = 0; k < SET && set * SET + k < n; ++k) {
            joints[v * SET + k] = (uint16_t)r->slots[c->weights.joints[begin + set * SET + k]];
            weights[v * SET + k] = c->weights.values[begin + set * SET + k];
        }
    }
    uint32_t      view = gltf_edit_view(r->edit, joints, (uint64_t)count * SET * sizeof *joints, 0, GLTF_ARRAY_BUFFER);
    gltf_accessor what = { .count = count,
                           .components = SET,
                           .component_type = GLTF_USHORT,
                           .data = (const uint8_t*)joints,
                           .stride = SET * sizeof *joints };
    sup_format(name, sizeof name, "JOINTS_%u", set);
    gltf_edit_number(r->edit, attributes, name, gltf_edit_accessor(r->edit, view, 0, &what, NULL));
    sup_format(name, sizeof name, "WEIGHTS_%u", set);
    gltf_edit_number(r->edit, attributes, name, gltf_edit_floats(r->edit, weights, count, SET, GLTF_ARRAY_BUFFER, false));
}

static void write_part(const reweigher* r, uint32_t index)
{
    const sup_character* c = r->character;
    const sup_part*      part = &c->mesh.parts[index];
    const gltf_part*     from = &r->source->parts[index];
    if (part->joint != SUP_NONE) return;
    find_slots(r, from->skin);
    uint32_t most = 1, count;
    for (uint32_t p = part->point_begin; p < part->point_begin + part->point_count; ++p)
        if (c->weights.begin[p + 1] - c->weights.begin[p] > most) most = c->weights.begin[p + 1] - c->weights.begin[p];
    sup_json** meshes = gltf_edit_items(r->edit, gltf_edit_get(r->edit->root, "meshes"), &count);
    sup_json** primitives = meshes ? gltf_edit_items(r->edit, gltf_edit_get(meshes[from->mesh], "primitives"), &count) : NULL;
    for (uint32_t i = 0; primitives && i < from->primitive_count; ++i) {
        const gltf_primitive* p = &from->primitives[i];
        sup_json*             attributes = gltf_edit_get(primitives[p->primitive], "attributes");
        char                  name[32];
        gltf_maps_write(r->edit, c, part->vertex_begin + p->vertex_begin, p->vertex_count, attributes);
        // The file's further sets become zeros.
        for (uint32_t set = 0;; ++set) {
            sup_format(name, sizeof name, "JOINTS_%u", set);
            if (set * SET >= most && !gltf_edit_get(attributes, name)) break;
            write_set(r, attributes, part->vertex_begin + p->vertex_begin, p->vertex_count, set);
        }
    }
}

bool gltf_rewrite_weights(gltf_edit* edit, const sup_character* character)
{
    reweigher r = { edit, character, character->source, SUP_NEW(edit->arena, uint32_t, character->skeleton.joint_count) };
    edit->failed |= !r.slots;
    if (edit->failed || r.source->part_count != character->mesh.part_count) return false;
    for (uint32_t i = 0; i < character->mesh.part_count; ++i)
        if (!fits(&r, i)) return false;
    for (uint32_t i = 0; i < character->mesh.part_count && !edit->failed; ++i) write_part(&r, i);
    return true;
}

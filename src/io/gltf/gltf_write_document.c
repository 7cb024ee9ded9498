// A glTF document for a character that did not come from one: built-in characters, OBJ. It is made in memory as if it had been
// read, so that baking has a single path.
//
// Points stay in the character's units. glTF is in meters with y up, so if the character is not, one node above the joints
// scales and rotates everything.
#include "base/internal.h"
#include "io/gltf/gltf_document.h"
#include "math/vec.h"

#include <string.h>

sup_json* gltf_named_node(gltf_maker* m, const char* name, uint32_t* index)
{
    sup_json* node = gltf_edit_new(&m->edit, SUP_JSON_OBJECT);
    if (name && *name) gltf_edit_string(&m->edit, node, "name", name);
    *index = gltf_edit_add(&m->edit, "nodes", node);
    return node;
}

// ---------------------------------------------------------------------------------------------- skeleton

static bool is_animated(const sup_character* character, uint32_t joint)
{
    for (uint32_t c = 0; c < character->clip_count; ++c)
        for (uint32_t i = 0; i < character->clips[c].channel_count; ++i) {
            const sup_channel* channel = &character->clips[c].channels[i];
            if (channel->path != SUP_PATH_WEIGHTS && channel->target == joint) return true;
        }
    return false;
}

static void put_matrix(gltf_maker* m, sup_json* node, const sup_affine* a)
{
    float columns[16] = { 0 };
    for (int i = 0; i < 12; ++i) columns[4 * (i % 4) + i / 4] = a->m[i / 4][i % 4];
    columns[15] = 1;
    gltf_edit_numbers(&m->edit, node, "matrix", columns, 16);
}

static void put_transform(gltf_maker* m, sup_json* node, const sup_transform* t)
{
    sup_quat      q = quat_normalize_once(t->rotation);
    sup_transform identity = transform_identity();
    if (memcmp(&t->translation, &identity.translation, sizeof t->translation) != 0)
        gltf_edit_numbers(&m->edit, node, "translation", &t->translation.x, 3);
    if (memcmp(&q, &identity.rotation, sizeof q) != 0) gltf_edit_numbers(&m->edit, node, "rotation", &q.x, 4);
    if (memcmp(&t->scale, &identity.scale, sizeof t->scale) != 0) gltf_edit_numbers(&m->edit, node, "scale", &t->scale.x, 3);
}

// glTF is in meters with y up.
static sup_transform to_gltf(const sup_character* character)
{
    const float   half = 0.70710678f;
    float         scale = (float)character->metres_per_unit;
    sup_transform t = transform_identity();
    t.scale = v3(scale, scale, scale);
    if (character->up == SUP_AXIS_Z) t.rotation = quat(-half, 0, 0, half);
    if (character->up == SUP_AXIS_X) t.rotation = quat(0, 0, half, half);
    return t;
}

sup_json* gltf_scene_nodes(gltf_maker* m)
{
    sup_json*       root = m->edit.root;
    const sup_json* scenes = sup_json_get(root, "scenes");
    const sup_json* shown = sup_json_at(scenes, sup_json_index(sup_json_get(root, "scene"), 0));
    sup_json*       scene = shown ? (sup_json*)shown : gltf_edit_new(&m->edit, SUP_JSON_OBJECT); // the edit owns the tree
    if (!shown) gltf_edit_number(&m->edit, root, "scene", gltf_edit_add(&m->edit, "scenes", scene));
    return gltf_edit_array(&m->edit, scene, "nodes");
}

sup_result gltf_joints_write(gltf_maker* m)
{
    const sup_skeleton* skeleton = &m->character->skeleton;
    uint32_t            roots = 0;
    m->joints = gltf_make(m, skeleton->joint_count, sizeof *m->joints);
    m->joint_nodes = gltf_make(m, skeleton->joint_count, sizeof *m->joint_nodes);
    if (!m->joints || !m->joint_nodes) return sup_fail_memory(m->error, "a glTF document");
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const sup_joint* joint = &skeleton->joints[j];
        m->joints[j] = gltf_named_node(m, joint->name, &m->joint_nodes[j]);
        // Animated nodes may not have a matrix.
        if (joint->has_matrix && !is_animated(m->character, j)) put_matrix(m, m->joints[j], &joint->matrix);
        else put_transform(m, m->joints[j], &joint->rest);
        if (joint->parent == SUP_NONE) roots++;
        else
            gltf_edit_push_number(&m->edit, gltf_edit_array(&m->edit, m->joints[joint->parent], "children"), m->joint_nodes[j]);
    }
    // A skin's joints need a common root.
    sup_transform place = to_gltf(m->character), identity = transform_identity();
    bool          placed = memcmp(&place, &identity, sizeof place) != 0;
    if (placed || roots > 1) {
        m->root_json = gltf_named_node(m, m->character->name, &m->root);
        put_transform(m, m->root_json, &place);
    }
    sup_json* nodes = gltf_scene_nodes(m);
    sup_json* top = m->root == SUP_NONE ? nodes : gltf_edit_array(&m->edit, m->root_json, "children");
    for (uint32_t j = 0; j < skeleton->joint_count; ++j)
        if (skeleton->joints[j].parent == SUP_NONE) gltf_edit_push_number(&m->edit, top, m->joint_nodes[j]);
    if (m->root != SUP_NONE) gltf_edit_push_number(&m->edit, nodes, m->root);
    if (m->edit.failed) return sup_fail_memory(m->error, "a glTF document");
    return gltf_rest_check(m->character, &place, NULL, m->joints, m->edit.arena, m->error);
}

void gltf_skin_write(gltf_maker* m)
{
    const sup_character* c = m->character;
    uint32_t             joint_count = c->skeleton.joint_count, count = 0;
    bool*                used = gltf_make(m, joint_count, sizeof *used);
    m->slots = gltf_make(m, joint_count, sizeof *m->slots);
    float* binds = gltf_make(m, (size_t)joint_count * 16, sizeof *binds);
    if (!used || !m->slots || !binds) return;
    for (uint32_t p = 0; p < c->mesh.part_count; ++p) {
        const sup_part* part = &c->mesh.parts[p];
        if (part->joint != SUP_NONE) continue;
        uint32_t end = c->weights.begin[part->point_begin + part->point_count];
        for (uint32_t i = c->weights.begin[part->point_begin]; i < end; ++i) used[c->weights.joints[i]] = true;
    }
    sup_json* skin = gltf_edit_new(&m->edit, SUP_JSON_OBJECT);
    sup_json* joints = gltf_edit_array(&m->edit, skin, "joints");
    for (uint32_t j = 0; j < joint_count; ++j) {
        m->slots[j] = SUP_NONE;
        if (!used[j] && !c->skeleton.joints[j].skin_joint) continue;
        float* bind = binds + (size_t)16 * count;
        for (int i = 0; i < 12; ++i) bind[4 * (i % 4) + i / 4] = c->skeleton.joints[j].inverse_bind.m[i / 4][i % 4];
        bind[15] = 1;
        m->slots[j] = count++;
        gltf_edit_push_number(&m->edit, joints, m->joint_nodes[j]);
    }
    bool skinned = false;
    for (uint32_t p = 0; p < c->mesh.part_count; ++p) skinned |= c->mesh.parts[p].joint == SUP_NONE;
    if (count == 0 || !skinned) return;
    gltf_edit_number(&m->edit, skin, "inverseBindMatrices", gltf_edit_floats(&m->edit, binds, count, 16, 0, false));
    m->skin = gltf_edit_add(&m->edit, "skins", skin);
}

// ---------------------------------------------------------------------------------------------- whole

uint32_t* gltf_clips_write(gltf_maker* m)
{
    const sup_character* c = m->character;
    uint32_t*            animations = gltf_make(m, c->clip_count, sizeof *animations);
    for (uint32_t i = 0; i < c->clip_count && animations; ++i) {
        sup_json* animation = gltf_edit_new(&m->edit, SUP_JSON_OBJECT);
        if (c->clips[i].name && *c->clips[i].name) gltf_edit_string(&m->edit, animation, "name", c->clips[i].name);
        gltf_clip_write(&m->edit, &c->clips[i], m->joint_nodes, m->part_nodes, animation);
        // An animation must have a channel.
        animations[i] = gltf_edit_get(animation, "channels") ? gltf_edit_add(&m->edit, "animations", animation) : SUP_NONE;
    }
    return animations;
}

bool gltf_rest_normals(gltf_maker* m)
{
    const sup_mesh* mesh = &m->character->mesh;
    bool            missing = !mesh->vertex_normals;
    for (uint32_t v = 0; v < mesh->vertex_count && !missing; ++v) missing = v3_length2(mesh->vertex_normals[v]) == 0;
    if (!missing) return true;
    sup_vec3* normals = gltf_make(m, mesh->point_count, sizeof *normals);
    if (normals) sup_mesh_normals(mesh, normals);
    m->normals = normals;
    return normals != NULL;
}

bool gltf_buffers_list(gltf_maker* m, gltf_source* source)
{
    uint32_t count = 0;
    for (const gltf_blob* b = m->edit.first; b; b = b->next) count++;
    sup_bytes* buffers = gltf_make(m, count, sizeof *buffers);
    if (!buffers) return false;
    source->buffers = buffers;
    source->buffer_count = count;
    source->bytes = (size_t)m->edit.bytes;
    for (const gltf_blob* b = m->edit.first; b; b = b->next) *buffers++ = (sup_bytes){ b->data, b->bytes };
    return true;
}

sup_result gltf_document_create(const sup_character* character, uint32_t influences, sup_arena* arena, gltf_document* out,
                                sup_error* error)
{
    gltf_maker   m = { .character = character, .root = SUP_NONE, .skin = SUP_NONE, .influences = influences, .error = error };
    gltf_source* source = SUP_NEW(arena, gltf_source, 1);
    gltf_edit_create(&m.edit, arena);
    if (!source || m.edit.failed) return sup_fail_memory(error, "a glTF document");
    sup_result result = appearance_make(character, arena, &m.appearance, error);
    if (result != SUP_OK) return result;
    if (m.appearance) m.character = character = &m.appearance->character;
    if (!gltf_rest_normals(&m)) return sup_fail_memory(error, "a glTF document");
    sup_json* asset = gltf_edit_object(&m.edit, m.edit.root, "asset");
    gltf_edit_string(&m.edit, asset, "version", "2.0");
    gltf_edit_string(&m.edit, asset, "generator", "Supple " SUP_VERSION);
    result = gltf_joints_write(&m);
    if (result != SUP_OK) return result;
    gltf_skin_write(&m);
    gltf_parts_write(&m);
    if (m.edit.failed) return sup_fail_memory(error, "a glTF document");
    uint32_t* animations = gltf_clips_write(&m);
    if (!gltf_buffers_list(&m, source) || m.edit.failed) return sup_fail_memory(error, "a glTF document");
    source->root = m.edit.root;
    source->part_count = character->mesh.part_count;
    source->parts = m.parts;
    source->accessor_count = m.edit.accessor_count;
    source->accessors = m.edit.accessors;
    *out = (gltf_document){ source, m.joint_nodes, animations, m.root, character };
    return SUP_OK;
}

sup_result gltf_document_read(const sup_character* character, sup_arena* arena, gltf_document* out, sup_error* error)
{
    uint32_t* joint_nodes = SUP_NEW(arena, uint32_t, character->skeleton.joint_count);
    uint32_t* animations = SUP_NEW(arena, uint32_t, character->clip_count);
    if (!joint_nodes || !animations) return sup_fail_memory(error, "a glTF document");
    for (uint32_t j = 0; j < character->skeleton.joint_count; ++j) joint_nodes[j] = character->skeleton.joints[j].source_id;
    for (uint32_t c = 0; c < character->clip_count; ++c) animations[c] = character->clips[c].source_id;
    *out = (gltf_document){ character->source, joint_nodes, animations, SUP_NONE, character };
    return SUP_OK;
}

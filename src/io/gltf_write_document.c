// A glTF document for a character that did not come from one: built-in characters, OBJ. It is made in memory as if it had
// been read, so that baking has one path.
//
// Points stay in the character's units. glTF is in metres with y up, so where the character is not, one node above the joints
// scales and turns everything.
#include "base/internal.h"
#include "io/gltf_ngon.h"
#include "math/vec.h"

#include <string.h>

enum { INDEX_SHORT_MAX = 65535, SLOT_BYTE_MAX = 255, SET = 4 };

typedef struct maker {
    gltf_edit            edit;
    const sup_character* character;
    sup_json**           joints; // their nodes
    uint32_t             root;   // node above the joints, or SUP_NONE
    sup_json*            root_json;
    uint32_t             skin;       // SUP_NONE: no part has one
    uint32_t*            slots;      // of each joint in the skin, SUP_NONE
    uint32_t*            part_nodes; // SUP_NONE for parts without faces
    gltf_part*           parts;
    const sup_vec3*      normals; // at rest, per stored vertex
    sup_error*           error;
} maker;

static void* memory(maker* m, size_t count, size_t size)
{
    void* p = sup_arena_alloc(m->edit.arena, count, size);
    if (!p) m->edit.failed = true;
    return p;
}

static sup_json* named_node(maker* m, const char* name, uint32_t* index)
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

static void put_matrix(maker* m, sup_json* node, const sup_affine* a)
{
    float columns[16] = { 0 };
    for (int i = 0; i < 12; ++i) columns[4 * (i % 4) + i / 4] = a->m[i / 4][i % 4];
    columns[15] = 1;
    gltf_edit_numbers(&m->edit, node, "matrix", columns, 16);
}

static void put_transform(maker* m, sup_json* node, const sup_transform* t)
{
    sup_quat      q = quat_normalize(t->rotation);
    sup_transform identity = transform_identity();
    if (memcmp(&t->translation, &identity.translation, sizeof t->translation) != 0)
        gltf_edit_numbers(&m->edit, node, "translation", &t->translation.x, 3);
    if (memcmp(&q, &identity.rotation, sizeof q) != 0) gltf_edit_numbers(&m->edit, node, "rotation", &q.x, 4);
    if (memcmp(&t->scale, &identity.scale, sizeof t->scale) != 0) gltf_edit_numbers(&m->edit, node, "scale", &t->scale.x, 3);
}

// glTF is in metres and stands on y.
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

static void write_joints(maker* m)
{
    const sup_skeleton* skeleton = &m->character->skeleton;
    uint32_t            roots = 0, index;
    m->joints = memory(m, skeleton->joint_count, sizeof *m->joints);
    if (!m->joints) return;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const sup_joint* joint = &skeleton->joints[j];
        m->joints[j] = named_node(m, joint->name, &index);
        // Animated nodes may not have a matrix.
        if (joint->has_matrix && !is_animated(m->character, j)) put_matrix(m, m->joints[j], &joint->matrix);
        else put_transform(m, m->joints[j], &joint->rest);
        if (joint->parent == SUP_NONE) roots++;
        else gltf_edit_push_number(&m->edit, gltf_edit_array(&m->edit, m->joints[joint->parent], "children"), j);
    }
    // A skin's joints need one root in common.
    sup_transform place = to_gltf(m->character), identity = transform_identity();
    bool          placed = memcmp(&place, &identity, sizeof place) != 0;
    if (placed || roots > 1) {
        m->root_json = named_node(m, m->character->name, &m->root);
        put_transform(m, m->root_json, &place);
    }
    sup_json* scene = gltf_edit_new(&m->edit, SUP_JSON_OBJECT);
    sup_json* nodes = gltf_edit_array(&m->edit, scene, "nodes");
    gltf_edit_number(&m->edit, m->edit.root, "scene", gltf_edit_add(&m->edit, "scenes", scene));
    sup_json* top = m->root == SUP_NONE ? nodes : gltf_edit_array(&m->edit, m->root_json, "children");
    for (uint32_t j = 0; j < skeleton->joint_count; ++j)
        if (skeleton->joints[j].parent == SUP_NONE) gltf_edit_push_number(&m->edit, top, j);
    if (m->root != SUP_NONE) gltf_edit_push_number(&m->edit, nodes, m->root);
}

// One skin for all parts: every joint that some skinned point follows.
static void write_skin(maker* m)
{
    const sup_character* c = m->character;
    uint32_t             joint_count = c->skeleton.joint_count, count = 0;
    bool*                used = memory(m, joint_count, sizeof *used);
    m->slots = memory(m, joint_count, sizeof *m->slots);
    float* binds = memory(m, (size_t)joint_count * 16, sizeof *binds);
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
        gltf_edit_push_number(&m->edit, joints, j);
    }
    bool skinned = false;
    for (uint32_t p = 0; p < c->mesh.part_count; ++p) skinned |= c->mesh.parts[p].joint == SUP_NONE;
    if (count == 0 || !skinned) return;
    gltf_edit_number(&m->edit, skin, "inverseBindMatrices", gltf_edit_floats(&m->edit, binds, count, 16, 0, false));
    m->skin = gltf_edit_add(&m->edit, "skins", skin);
}

// ---------------------------------------------------------------------------------------------- meshes

static bool has_polygons(const sup_mesh* mesh, const sup_part* part)
{
    for (uint32_t f = part->face_begin; f < part->face_begin + part->face_count; ++f)
        if (mesh->face_begin[f + 1] - mesh->face_begin[f] > 3) return true;
    return false;
}

// Polygons are told apart by their first vertex (gltf_ngon.h), so each starts with another one than `previous`.
static uint32_t choose_start(const uint32_t* corners, uint32_t size, uint32_t previous)
{
    uint32_t start = 0;
    while (start + 1 < size && corners[start] == previous) ++start;
    return start;
}

static uint32_t write_indices(maker* m, const sup_part* part)
{
    const sup_mesh* mesh = &m->character->mesh;
    uint32_t        count = 0, at = 0, previous = SUP_NONE;
    bool            polygons = has_polygons(mesh, part);
    for (uint32_t f = part->face_begin; f < part->face_begin + part->face_count; ++f) {
        uint32_t corners = mesh->face_begin[f + 1] - mesh->face_begin[f];
        if (corners >= 3) count += 3 * (corners - 2);
    }
    bool      narrow = part->vertex_count <= INDEX_SHORT_MAX;
    uint32_t* wide = memory(m, count, sizeof *wide);
    if (!wide || count == 0) return SUP_NONE;
    for (uint32_t f = part->face_begin; f < part->face_begin + part->face_count; ++f) {
        const uint32_t* corners = mesh->corner_vertices + mesh->face_begin[f];
        uint32_t        size = mesh->face_begin[f + 1] - mesh->face_begin[f];
        if (size < 3) continue;
        uint32_t start = polygons ? choose_start(corners, size, previous) : 0;
        previous = corners[start];
        for (uint32_t k = 2; k < size; ++k) {
            wide[at++] = previous - part->vertex_begin;
            wide[at++] = corners[(start + k - 1) % size] - part->vertex_begin;
            wide[at++] = corners[(start + k) % size] - part->vertex_begin;
        }
    }
    uint32_t bytes = narrow ? 2 : 4;
    if (narrow) {
        uint16_t* packed = (uint16_t*)(void*)wide; // in place: the short one never overtakes
        for (uint32_t i = 0; i < count; ++i) packed[i] = (uint16_t)wide[i];
    }
    uint32_t      view = gltf_edit_view(&m->edit, wide, (uint64_t)count * bytes, 0, GLTF_ELEMENT_BUFFER);
    gltf_accessor what = { .count = count,
                           .components = 1,
                           .component_type = narrow ? GLTF_USHORT : GLTF_UINT,
                           .data = (const uint8_t*)wide,
                           .stride = bytes };
    return gltf_edit_accessor(&m->edit, view, 0, &what, NULL);
}

// A mesh without a skin is stored in the space of the joint it hangs on.
static sup_affine part_space(const maker* m, const sup_part* part)
{
    return part->joint == SUP_NONE ? affine_identity() : m->character->skeleton.joints[part->joint].inverse_bind;
}

static void write_shape(maker* m, const sup_part* part, sup_json* attributes)
{
    const sup_mesh* mesh = &m->character->mesh;
    sup_affine      space = part_space(m, part);
    sup_vec3*       positions = memory(m, part->vertex_count, sizeof *positions);
    sup_vec3*       normals = memory(m, part->vertex_count, sizeof *normals);
    if (!positions || !normals) return;
    sup_affine back;
    if (!affine_invert(&space, &back)) back = affine_identity();
    for (uint32_t v = 0; v < part->vertex_count; ++v) {
        positions[v] = affine_point(&space, mesh->points[mesh->vertex_points[part->vertex_begin + v]]);
        // Normals go with the inverse transpose: the transpose of the way back.
        sup_vec3 n = m->normals[part->vertex_begin + v];
        sup_vec3 turned = v3(back.m[0][0] * n.x + back.m[1][0] * n.y + back.m[2][0] * n.z,
                             back.m[0][1] * n.x + back.m[1][1] * n.y + back.m[2][1] * n.z,
                             back.m[0][2] * n.x + back.m[1][2] * n.y + back.m[2][2] * n.z);
        normals[v] = v3_normalize(turned, v3(0, 1, 0));
    }
    gltf_edit_number(&m->edit, attributes, "POSITION",
                     gltf_edit_floats(&m->edit, &positions->x, part->vertex_count, 3, GLTF_ARRAY_BUFFER, true));
    gltf_edit_number(&m->edit, attributes, "NORMAL",
                     gltf_edit_floats(&m->edit, &normals->x, part->vertex_count, 3, GLTF_ARRAY_BUFFER, false));
}

// Influences four by four: JOINTS_0 and WEIGHTS_0, JOINTS_1 and WEIGHTS_1, ...
static void write_weights(maker* m, const sup_part* part, sup_json* attributes)
{
    const sup_character* c = m->character;
    uint32_t             most = 0;
    for (uint32_t p = part->point_begin; p < part->point_begin + part->point_count; ++p) {
        uint32_t count = c->weights.begin[p + 1] - c->weights.begin[p];
        if (count > most) most = count;
    }
    bool narrow = c->skeleton.joint_count <= SLOT_BYTE_MAX;
    for (uint32_t set = 0; set * SET < most; ++set) {
        uint8_t* joints = memory(m, part->vertex_count, SET * (narrow ? 1 : 2));
        float*   weights = memory(m, (size_t)part->vertex_count * SET, sizeof *weights);
        if (!joints || !weights) return;
        for (uint32_t v = 0; v < part->vertex_count; ++v) {
            uint32_t p = c->mesh.vertex_points[part->vertex_begin + v], begin = c->weights.begin[p];
            uint32_t count = c->weights.begin[p + 1] - begin;
            double   sum = 0;
            for (uint32_t i = 0; i < count; ++i) sum += (double)c->weights.values[begin + i];
            for (uint32_t k = 0; k < SET && set * SET + k < count; ++k) {
                uint32_t i = begin + set * SET + k, slot = m->slots[c->weights.joints[i]];
                weights[v * SET + k] = (float)((double)c->weights.values[i] / sum);
                if (weights[v * SET + k] == 0) continue; // a joint beside a zero weight must be 0
                if (narrow) joints[v * SET + k] = (uint8_t)slot;
                else ((uint16_t*)(void*)joints)[v * SET + k] = (uint16_t)slot;
            }
        }
        char          name[32];
        uint32_t      bytes = SET * (narrow ? 1 : 2);
        uint32_t      view = gltf_edit_view(&m->edit, joints, (uint64_t)part->vertex_count * bytes, 0, GLTF_ARRAY_BUFFER);
        gltf_accessor what = { .count = part->vertex_count,
                               .components = SET,
                               .component_type = narrow ? GLTF_UBYTE : GLTF_USHORT,
                               .data = joints,
                               .stride = bytes };
        sup_format(name, sizeof name, "JOINTS_%u", set);
        gltf_edit_number(&m->edit, attributes, name, gltf_edit_accessor(&m->edit, view, 0, &what, NULL));
        sup_format(name, sizeof name, "WEIGHTS_%u", set);
        gltf_edit_number(&m->edit, attributes, name,
                         gltf_edit_floats(&m->edit, weights, part->vertex_count, SET, GLTF_ARRAY_BUFFER, false));
    }
}

static void write_maps(maker* m, const sup_part* part, sup_json* attributes)
{
    const sup_character* c = m->character;
    for (uint32_t i = 0; i < c->map_count; ++i) {
        // Names of attributes that are not glTF's own start with an underscore.
        if (c->maps[i].name[0] != '_') continue;
        float* values = memory(m, part->vertex_count, sizeof *values);
        if (!values) return;
        for (uint32_t v = 0; v < part->vertex_count; ++v)
            values[v] = c->maps[i].values[c->mesh.vertex_points[part->vertex_begin + v]];
        gltf_edit_number(&m->edit, attributes, c->maps[i].name,
                         gltf_edit_floats(&m->edit, values, part->vertex_count, 1, GLTF_ARRAY_BUFFER, false));
    }
}

static void write_morphs(maker* m, const sup_part* part, sup_json* mesh, sup_json* primitive)
{
    const sup_character* c = m->character;
    if (part->morph_count == 0) return;
    sup_affine space = part_space(m, part);
    sup_json*  targets = gltf_edit_array(&m->edit, primitive, "targets");
    sup_json*  weights = gltf_edit_array(&m->edit, mesh, "weights");
    sup_json*  names = gltf_edit_array(&m->edit, gltf_edit_object(&m->edit, mesh, "extras"), "targetNames");
    for (uint32_t i = 0; i < part->morph_count; ++i) {
        const sup_morph* morph = &c->morphs[part->morph_begin + i];
        sup_vec3*        deltas = memory(m, part->vertex_count, sizeof *deltas);
        if (!deltas) return;
        for (uint32_t v = 0; v < part->vertex_count; ++v)
            deltas[v] =
                affine_direction(&space, morph->deltas[c->mesh.vertex_points[part->vertex_begin + v] - part->point_begin]);
        sup_json* target = gltf_edit_new(&m->edit, SUP_JSON_OBJECT);
        gltf_edit_number(&m->edit, target, "POSITION",
                         gltf_edit_floats(&m->edit, &deltas->x, part->vertex_count, 3, GLTF_ARRAY_BUFFER, true));
        if (targets && target) sup_json_push(targets, target);
        gltf_edit_push_number(&m->edit, weights, (double)morph->rest_weight);
        gltf_edit_push_string(&m->edit, names, morph->name ? morph->name : "");
    }
}

static uint32_t write_mesh(maker* m, const sup_part* part, uint32_t indices, uint32_t material)
{
    sup_json* mesh = gltf_edit_new(&m->edit, SUP_JSON_OBJECT);
    if (part->name && *part->name) gltf_edit_string(&m->edit, mesh, "name", part->name);
    sup_json* primitive = gltf_edit_new(&m->edit, SUP_JSON_OBJECT);
    sup_json* primitives = gltf_edit_array(&m->edit, mesh, "primitives");
    if (primitives && primitive) sup_json_push(primitives, primitive);
    sup_json* attributes = gltf_edit_object(&m->edit, primitive, "attributes");
    gltf_edit_number(&m->edit, primitive, "indices", indices);
    gltf_edit_number(&m->edit, primitive, "material", material);
    if (has_polygons(&m->character->mesh, part)) gltf_ngon_mark(&m->edit, primitive);
    write_shape(m, part, attributes);
    if (part->joint == SUP_NONE && m->skin != SUP_NONE) write_weights(m, part, attributes);
    write_maps(m, part, attributes);
    write_morphs(m, part, mesh, primitive);
    return gltf_edit_add(&m->edit, "meshes", mesh);
}

static void write_parts(maker* m)
{
    const sup_mesh* mesh = &m->character->mesh;
    m->parts = memory(m, mesh->part_count, sizeof *m->parts);
    m->part_nodes = memory(m, mesh->part_count, sizeof *m->part_nodes);
    gltf_primitive* primitives = memory(m, mesh->part_count, sizeof *primitives);
    sup_json*       material = gltf_edit_new(&m->edit, SUP_JSON_OBJECT);
    gltf_edit_string(&m->edit, material, "name", "clay");
    static const float color[] = { 0.75f, 0.6f, 0.5f, 1 };
    sup_json*          surface = gltf_edit_object(&m->edit, material, "pbrMetallicRoughness");
    gltf_edit_numbers(&m->edit, surface, "baseColorFactor", color, 4);
    gltf_edit_number(&m->edit, surface, "metallicFactor", 0);
    gltf_edit_number(&m->edit, surface, "roughnessFactor", 0.8);
    uint32_t clay = gltf_edit_add(&m->edit, "materials", material);
    if (m->edit.failed) return;
    sup_json* scene = gltf_edit_get(gltf_edit_get(m->edit.root, "scenes")->first, "nodes");
    for (uint32_t p = 0; p < mesh->part_count; ++p) {
        const sup_part* part = &mesh->parts[p];
        uint32_t        indices = write_indices(m, part);
        m->part_nodes[p] = SUP_NONE;
        m->parts[p] = (gltf_part){ .node = SUP_NONE, .mesh = SUP_NONE, .skin = SUP_NONE };
        if (indices == SUP_NONE) continue; // a cloud of points has nothing to show
        primitives[p] = (gltf_primitive){ 0, 0, part->vertex_count };
        m->parts[p].mesh = write_mesh(m, part, indices, clay);
        sup_json* node = named_node(m, part->name, &m->part_nodes[p]);
        m->parts[p].node = m->part_nodes[p];
        gltf_edit_number(&m->edit, node, "mesh", m->parts[p].mesh);
        m->parts[p].primitive_count = 1;
        m->parts[p].primitives = &primitives[p];
        if (part->joint == SUP_NONE) {
            // Skins ignore the nodes above their mesh, so it stands beside the joints.
            m->parts[p].skin = m->skin;
            gltf_edit_number(&m->edit, node, "skin", m->skin);
            gltf_edit_push_number(&m->edit, scene, m->part_nodes[p]);
        } else if (m->joints) {
            gltf_edit_push_number(&m->edit, gltf_edit_array(&m->edit, m->joints[part->joint], "children"), m->part_nodes[p]);
        }
    }
}

// ---------------------------------------------------------------------------------------------- whole

static uint32_t* write_clips(maker* m, const uint32_t* joint_nodes)
{
    const sup_character* c = m->character;
    uint32_t*            animations = memory(m, c->clip_count, sizeof *animations);
    for (uint32_t i = 0; i < c->clip_count && animations; ++i) {
        sup_json* animation = gltf_edit_new(&m->edit, SUP_JSON_OBJECT);
        if (c->clips[i].name && *c->clips[i].name) gltf_edit_string(&m->edit, animation, "name", c->clips[i].name);
        gltf_clip_write(&m->edit, &c->clips[i], joint_nodes, m->part_nodes, animation);
        // An animation must have a channel.
        animations[i] = gltf_edit_get(animation, "channels") ? gltf_edit_add(&m->edit, "animations", animation) : SUP_NONE;
    }
    return animations;
}

static bool rest_normals(maker* m)
{
    const sup_mesh*    mesh = &m->character->mesh;
    const sup_normals* normals;
    sup_arena*         arena = m->edit.arena;
    if (sup_normals_create(m->character, arena, &normals, m->error) != SUP_OK) return false;
    sup_vec3* out = memory(m, mesh->vertex_count, sizeof *out);
    void*     scratch = memory(m, sup_normals_scratch(normals), 1);
    if (!out || !scratch) return false;
    sup_normals_evaluate(normals, mesh->points, scratch, NULL, out, NULL);
    m->normals = out;
    return true;
}

// One block of bytes, as a reader would have found it.
static bool gather(maker* m, gltf_source* source)
{
    sup_bytes* buffers = memory(m, 1, sizeof *buffers);
    if (!buffers || !gltf_edit_gather(&m->edit, buffers)) return false;
    source->buffer_count = 1;
    source->buffers = buffers;
    source->bytes = buffers->size;
    return true;
}

sup_result gltf_document_create(const sup_character* character, sup_arena* arena, gltf_document* out, sup_error* error)
{
    maker        m = { .character = character, .root = SUP_NONE, .skin = SUP_NONE, .error = error };
    gltf_source* source = SUP_NEW(arena, gltf_source, 1);
    gltf_edit_create(&m.edit, arena);
    if (!source || m.edit.failed || !rest_normals(&m)) return sup_fail_memory(error, "a glTF document");
    sup_json* asset = gltf_edit_object(&m.edit, m.edit.root, "asset");
    gltf_edit_string(&m.edit, asset, "version", "2.0");
    gltf_edit_string(&m.edit, asset, "generator", "Supple " SUP_VERSION);
    write_joints(&m);
    write_skin(&m);
    write_parts(&m);
    uint32_t* joint_nodes = memory(&m, character->skeleton.joint_count, sizeof *joint_nodes);
    if (m.edit.failed) return sup_fail_memory(error, "a glTF document");
    for (uint32_t j = 0; j < character->skeleton.joint_count; ++j) joint_nodes[j] = j;
    uint32_t* animations = write_clips(&m, joint_nodes);
    if (!gather(&m, source) || m.edit.failed) return sup_fail_memory(error, "a glTF document");
    source->root = m.edit.root;
    source->part_count = character->mesh.part_count;
    source->parts = m.parts;
    source->accessor_count = m.edit.accessor_count;
    source->accessors = m.edit.accessors;
    *out = (gltf_document){ source, joint_nodes, animations, m.root };
    return SUP_OK;
}

sup_result gltf_document_read(const sup_character* character, sup_arena* arena, gltf_document* out, sup_error* error)
{
    uint32_t* joint_nodes = SUP_NEW(arena, uint32_t, character->skeleton.joint_count);
    uint32_t* animations = SUP_NEW(arena, uint32_t, character->clip_count);
    if (!joint_nodes || !animations) return sup_fail_memory(error, "a glTF document");
    for (uint32_t j = 0; j < character->skeleton.joint_count; ++j) joint_nodes[j] = character->skeleton.joints[j].source_id;
    for (uint32_t c = 0; c < character->clip_count; ++c) animations[c] = character->clips[c].source_id;
    *out = (gltf_document){ character->source, joint_nodes, animations, SUP_NONE };
    return SUP_OK;
}

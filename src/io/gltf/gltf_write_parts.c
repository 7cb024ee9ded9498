// What the file stores for every part, and whether its skin can be kept: a viewer morphs first and skins afterwards, so baked
// points have to be pulled back through its blend.
#include "base/internal.h"
#include "io/gltf/gltf_baking.h"
#include "math/vec.h"

#include <string.h>

enum { SET = GLTF_WEIGHT_SET };

typedef struct collector {
    gltf_baking*         baking;
    const sup_character* character;
    sup_arena*           arena;
    sup_json* const*     meshes; // of the source, by index
    uint32_t             mesh_count;
    const uint32_t*      node_joints; // the character's joint of each node
    uint32_t             node_count;
    sup_error*           error;
} collector;

static sup_result out_of_memory(const collector* c) { return sup_fail_memory(c->error, "the targets of a bake"); }

// The only primitive of a part usually stores tightly packed vectors; then they are used in place, which saves a copy of all
// points. NULL: they must be decoded.
static const sup_vec3* vectors_in_place(const collector* c, const baked_part* part, const char* name)
{
    const gltf_part* from = part->from;
    if (from->primitive_count != 1 || from->primitives[0].vertex_count != part->part->vertex_count) return NULL;
    gltf_accessor   accessor;
    sup_error       ignored;
    const sup_json* primitives = sup_json_get(c->meshes[from->mesh], "primitives");
    const sup_json* attributes = sup_json_get(sup_json_at(primitives, from->primitives[0].primitive), "attributes");
    uint32_t        index = sup_json_index(sup_json_get(attributes, name), SUP_NONE);
    if (index == SUP_NONE || gltf_accessor_find(c->baking->document.source, index, name, &accessor, &ignored) != SUP_OK)
        return NULL;
    bool plain = accessor.component_type == GLTF_FLOAT && accessor.components == 3 &&
                 accessor.count == part->part->vertex_count && accessor.stride == sizeof(sup_vec3) && accessor.data &&
                 (uintptr_t)accessor.data % sizeof(float) == 0;
    return plain ? (const sup_vec3*)(const void*)accessor.data : NULL;
}

// Decodes the components of an accessor as floats, row by row.
static sup_result decode(const collector* c, const sup_json* attributes, const char* name, uint32_t count, uint32_t components,
                         float* out)
{
    gltf_accessor accessor;
    uint32_t      index = sup_json_index(sup_json_get(attributes, name), SUP_NONE);
    sup_result    result = gltf_accessor_find(c->baking->document.source, index, name, &accessor, c->error);
    if (result != SUP_OK) return result;
    if (accessor.count != count || accessor.components != components)
        return sup_fail(c->error, SUP_ERROR_INPUT,
                        "accessor %u (%s) has %u elements of %u numbers, not %u of %u; export the file again", index, name,
                        accessor.count, accessor.components, count, components);
    if (accessor.component_type == GLTF_FLOAT && accessor.data) {
        for (uint32_t i = 0; i < count; ++i)
            memcpy(out + (size_t)i * components, accessor.data + i * accessor.stride, components * sizeof *out);
        return SUP_OK;
    }
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < components; ++k) out[(size_t)i * components + k] = gltf_accessor_float(&accessor, i, k);
    return SUP_OK;
}

static sup_result decode_slots(const collector* c, const sup_json* attributes, uint32_t count, uint32_t (*out)[SET])
{
    gltf_accessor accessor;
    uint32_t      index = sup_json_index(sup_json_get(attributes, "JOINTS_0"), SUP_NONE);
    sup_result    result = gltf_accessor_find(c->baking->document.source, index, "JOINTS_0", &accessor, c->error);
    if (result != SUP_OK) return result;
    if (accessor.count != count || accessor.components != SET)
        return sup_fail(c->error, SUP_ERROR_INPUT, "accessor %u (JOINTS_0) has %u elements, not %u; export the file again",
                        index, accessor.count, count);
    if (accessor.component_type == GLTF_UBYTE && accessor.data) {
        for (uint32_t i = 0; i < count; ++i)
            for (uint32_t k = 0; k < SET; ++k) out[i][k] = accessor.data[i * accessor.stride + k];
        return SUP_OK;
    }
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < SET; ++k) out[i][k] = gltf_accessor_index(&accessor, i, k);
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- skin

static sup_result collect_skin(const collector* c, baked_part* part)
{
    const gltf_source* source = c->baking->document.source;
    const sup_json*    skin = sup_json_at(sup_json_get(source->root, "skins"), part->from->skin);
    const sup_json*    joints = sup_json_get(skin, "joints");
    uint32_t           count = joints ? joints->count : 0, s = 0;
    uint32_t*          slots = SUP_NEW(c->arena, uint32_t, count);
    double(*binds)[12] = sup_arena_alloc(c->arena, count, sizeof *binds);
    part->pull.matrices = sup_arena_alloc(c->arena, count, sizeof *part->pull.matrices);
    if (!slots || !binds || !part->pull.matrices) return out_of_memory(c);
    for (const sup_json* joint = joints ? joints->first : NULL; joint; joint = joint->next, ++s) {
        uint32_t node = sup_json_index(joint, SUP_NONE);
        slots[s] = node < c->node_count ? c->node_joints[node] : SUP_NONE;
        if (slots[s] == SUP_NONE)
            return sup_fail(c->error, SUP_ERROR_INPUT,
                            "skin %u: its joint, node %u, is not part of the character; export the file again",
                            part->from->skin, node);
    }
    const sup_json* stored = sup_json_get(skin, "inverseBindMatrices");
    gltf_accessor   accessor = { 0 };
    if (stored) {
        sup_result result =
            gltf_accessor_find(source, sup_json_index(stored, SUP_NONE), "inverse bind matrices", &accessor, c->error);
        if (result != SUP_OK) return result;
        if (accessor.count < count || accessor.components != 16)
            return sup_fail(c->error, SUP_ERROR_INPUT,
                            "skin %u has fewer inverse bind matrices than joints; export the file again", part->from->skin);
    }
    for (s = 0; s < count; ++s)
        for (uint32_t i = 0; i < 12; ++i)
            binds[s][i] = stored ? (double)gltf_accessor_float(&accessor, s, 4 * (i % 4) + i / 4) : (i % 5 == 0 ? 1.0 : 0.0);
    part->pull.slot_count = count;
    part->pull.slots = slots;
    part->pull.inverse_binds = (const double(*)[12])binds;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- parts

static sup_result collect_primitive(const collector* c, baked_part* part, const gltf_primitive* from, sup_vec3* positions,
                                    sup_vec3* normals, uint32_t (*slots)[SET], float (*weights)[SET])
{
    const sup_json* mesh = c->meshes[part->from->mesh];
    const sup_json* attributes = sup_json_get(sup_json_at(sup_json_get(mesh, "primitives"), from->primitive), "attributes");
    uint32_t        begin = from->vertex_begin, count = from->vertex_count;
    baked_piece*    piece = &c->baking->pieces[c->baking->piece_count++];
    *piece = (baked_piece){ .part = part,
                            .primitive = from->primitive,
                            .begin = begin,
                            .count = count,
                            .normals = sup_json_get(attributes, "NORMAL") != NULL };
    c->baking->frame_bytes += (uint64_t)count * sizeof(sup_vec3) * (piece->normals ? 2 : 1);
    sup_result result = positions ? decode(c, attributes, "POSITION", count, 3, &positions[begin].x) : SUP_OK;
    if (result == SUP_OK && piece->normals && normals) result = decode(c, attributes, "NORMAL", count, 3, &normals[begin].x);
    if (result != SUP_OK || part->from->skin == SUP_NONE) return result;
    piece->wide = sup_json_get(attributes, "JOINTS_1") != NULL;
    if (!sup_json_get(attributes, "JOINTS_0") || !sup_json_get(attributes, "WEIGHTS_0"))
        return SUP_OK; // weights of 0, which the reader repairs
    result = decode_slots(c, attributes, count, slots + begin);
    return result == SUP_OK ? decode(c, attributes, "WEIGHTS_0", count, SET, weights[begin]) : result;
}

static sup_result collect_part(const collector* c, baked_part* part)
{
    uint32_t        count = part->part->vertex_count;
    const sup_vec3* still = vectors_in_place(c, part, "POSITION");
    const sup_vec3* upright = vectors_in_place(c, part, "NORMAL");
    sup_vec3*       positions = still ? NULL : SUP_NEW(c->arena, sup_vec3, count);
    sup_vec3*       normals = upright ? NULL : SUP_NEW(c->arena, sup_vec3, count);
    bool            skinned = part->from->skin != SUP_NONE;
    uint32_t(*slots)[SET] = sup_arena_alloc(c->arena, skinned ? count : 0, sizeof *slots);
    float(*weights)[SET] = sup_arena_alloc(c->arena, skinned ? count : 0, sizeof *weights);
    if ((!positions && !still) || (!normals && !upright) || !slots || !weights) return out_of_memory(c);
    // By its node: a dressed part has weights here and none in the file. In a fresh document the node is below the joint and is
    // not a joint itself.
    uint32_t joint = c->node_joints[part->from->node];
    if (joint == SUP_NONE) joint = part->part->joint;
    part->slots = slots;
    part->weights = weights;
    part->pull = (gltf_pull){ .joint = skinned ? SUP_NONE : joint,
                              .vertex_count = count,
                              .joints = (const uint32_t(*)[SET])slots,
                              .weights = (const float(*)[SET])weights,
                              .positions = still ? still : positions,
                              .normals = upright ? upright : normals,
                              .points = c->character->mesh.vertex_points + part->part->vertex_begin };
    sup_result result = SUP_OK;
    if (skinned) {
        result = collect_skin(c, part);
    } else {
        part->pull.matrices = sup_arena_alloc(c->arena, 1, sizeof *part->pull.matrices);
        if (!part->pull.matrices) return out_of_memory(c);
    }
    for (uint32_t i = 0; i < part->from->primitive_count && result == SUP_OK; ++i)
        result = collect_primitive(c, part, &part->from->primitives[i], positions, normals, slots, weights);
    if (result != SUP_OK || !skinned) return result;
    return gltf_weights_normalize(c->baking, part, c->character, c->arena, c->error);
}

static bool map_nodes(collector* c, gltf_edit* scratch)
{
    const gltf_document* document = &c->baking->document;
    const sup_json*      nodes = sup_json_get(document->source->root, "nodes");
    c->node_count = nodes ? nodes->count : 0;
    uint32_t* map = SUP_NEW(c->arena, uint32_t, c->node_count);
    if (!map) return false;
    for (uint32_t i = 0; i < c->node_count; ++i) map[i] = SUP_NONE;
    // Several joints may stand for one node; all of them move alike, so the first one serves.
    for (uint32_t j = c->character->skeleton.joint_count; j-- > 0;)
        if (document->joint_nodes[j] < c->node_count) map[document->joint_nodes[j]] = j;
    c->node_joints = map;
    c->meshes = gltf_edit_items(scratch, (sup_json*)sup_json_get(document->source->root, "meshes"), &c->mesh_count);
    return !scratch->failed;
}

sup_result gltf_baking_collect(gltf_baking* baking, const sup_character* character, sup_arena* arena, sup_error* error)
{
    const gltf_source* source = baking->document.source;
    collector          c = { .baking = baking, .character = character, .arena = arena, .error = error };
    gltf_edit          scratch = { .arena = arena };
    uint32_t           pieces = 0;
    for (uint32_t p = 0; p < source->part_count; ++p) pieces += source->parts[p].primitive_count;
    baking->parts = SUP_NEW(arena, baked_part, source->part_count);
    baking->pieces = SUP_NEW(arena, baked_piece, pieces);
    if (!baking->parts || !baking->pieces || !map_nodes(&c, &scratch)) return out_of_memory(&c);
    for (uint32_t p = 0; p < source->part_count; ++p) {
        if (source->parts[p].node == SUP_NONE || source->parts[p].mesh >= c.mesh_count) continue; // has no faces
        baked_part* part = &baking->parts[baking->part_count++];
        part->part = &character->mesh.parts[p];
        part->from = &source->parts[p];
        sup_result result = collect_part(&c, part);
        if (result != SUP_OK) return result;
    }
    if (baking->piece_count == 0)
        return sup_fail(error, SUP_ERROR_INPUT, "'%s' has no faces that could be baked", character->name);
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- judging

sup_result gltf_baking_judge(gltf_baking* baking, sup_bake* bake, const sup_pose* held, sup_error* error)
{
    if (bake->desc.flat) {
        for (uint32_t i = 0; i < baking->part_count; ++i) baking->parts[i].pull.flat = true;
        sup_bake_warn(bake, "all meshes lose their skin in the copy, as --flat requests; other clips no longer move them");
        return SUP_OK;
    }
    sup_result result = gltf_weights_unfold(baking, bake, held, error);
    for (uint32_t i = 0; i < baking->part_count && result == SUP_OK; ++i) {
        baked_part* part = &baking->parts[i];
        part->pull.flat = part->flat;
        if (!part->flat) {
            gltf_weights_note(bake, part);
            continue;
        }
        sup_bake_warn(bake, "mesh '%s' loses its skin in the copy, and other clips no longer move it: %s (condition %g)",
                      part->part->name ? part->part->name : "",
                      part->from->skin == SUP_NONE ? "its node is scaled to zero"
                                                   : "its joints are scaled to zero, which cannot be inverted",
                      part->flat_value);
    }
    return result;
}

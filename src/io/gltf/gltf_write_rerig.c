// Gives the meshes of a character's document a new skin under another rig; all the rest stays.
#include "base/internal.h"
#include "io/gltf/gltf_document.h"
#include "math/vec.h"

#include <string.h>

typedef struct rerigger {
    gltf_maker         m;
    const gltf_source* from;
    uint32_t           node_count, mesh_count, moved_count;
    sup_json**         nodes; // of the copy by their numbers, then those of meshes that moved
    bool*              below; // is another node's child
    bool               prunes; // remove what the old rig leaves behind
    sup_json**         meshes;
    uint32_t*          users; // nodes that show each mesh
} rerigger;

static bool prepare(rerigger* r)
{
    gltf_edit* edit = &r->m.edit;
    sup_json** nodes = gltf_edit_items(edit, gltf_edit_get(edit->root, "nodes"), &r->node_count);
    r->nodes = gltf_make(&r->m, (size_t)r->node_count + r->from->part_count, sizeof *r->nodes);
    r->below = gltf_make(&r->m, r->node_count, sizeof *r->below);
    for (uint32_t n = 0; n < r->node_count && nodes && r->nodes && r->below; ++n) {
        const sup_json* children = sup_json_get(nodes[n], "children");
        r->nodes[n] = nodes[n];
        for (const sup_json* child = children ? children->first : NULL; child; child = child->next) {
            uint32_t index = sup_json_index(child, SUP_NONE);
            if (index < r->node_count) r->below[index] = true;
        }
    }
    if (edit->failed) return false;
    r->meshes = gltf_edit_items(edit, gltf_edit_get(edit->root, "meshes"), &r->mesh_count);
    r->users = gltf_make(&r->m, r->mesh_count, sizeof *r->users);
    for (uint32_t n = 0; n < r->node_count && r->users; ++n) {
        uint32_t mesh = sup_json_index(sup_json_get(r->nodes[n], "mesh"), SUP_NONE);
        if (mesh < r->mesh_count) r->users[mesh]++;
    }
    return !edit->failed;
}

// A document without scenes shows all of its nodes; once there is one for the new joints, they must be in it.
static void list_roots(rerigger* r)
{
    gltf_edit* edit = &r->m.edit;
    if (sup_json_at(sup_json_get(edit->root, "scenes"), 0)) return;
    sup_json* shown = gltf_scene_nodes(&r->m);
    for (uint32_t n = 0; n < r->node_count; ++n)
        if (!r->below[n]) gltf_edit_push_number(edit, shown, n);
}

// Finds the nodes that already are the joints. False: two joints share a node, which a skin cannot name twice.
static bool find_nodes(rerigger* r)
{
    const sup_skeleton* s = &r->m.character->skeleton;
    bool*               seen = gltf_make(&r->m, r->node_count, sizeof *seen);
    r->m.joint_nodes = gltf_make(&r->m, s->joint_count, sizeof *r->m.joint_nodes);
    if (!seen || !r->m.joint_nodes) return true; // the edit has recorded the failure
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        uint32_t node = s->joints[j].source_id;
        if (node >= r->node_count || seen[node]) return false;
        seen[node] = true;
        r->m.joint_nodes[j] = node;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- meshes

// The mesh itself for its last user, a copy for the others.
static sup_json* own_mesh(rerigger* r, gltf_part* part)
{
    sup_json* mesh = r->meshes[part->mesh];
    if (r->users[part->mesh]-- <= 1) return mesh;
    mesh = gltf_edit_copy(&r->m.edit, mesh);
    part->mesh = gltf_edit_add(&r->m.edit, "meshes", mesh);
    gltf_edit_number(&r->m.edit, r->nodes[part->node], "mesh", part->mesh);
    return mesh;
}

// Whether the file already stores the rest shape, so that its own numbers can stay.
static bool stands_there(const rerigger* r, const gltf_piece* p, const sup_json* attributes)
{
    const sup_mesh* mesh = &r->m.character->mesh;
    uint32_t        index = sup_json_index(sup_json_get(attributes, "POSITION"), SUP_NONE);
    gltf_accessor   a;
    sup_error       ignored;
    if (gltf_accessor_find(r->from, index, "POSITION", &a, &ignored) != SUP_OK || a.count != p->count || a.components != 3)
        return false;
    for (uint32_t v = 0; v < p->count; ++v) {
        const sup_vec3* at = &mesh->points[mesh->vertex_points[p->begin + v]];
        for (uint32_t c = 0; c < 3; ++c)
            if (gltf_accessor_float(&a, v, c) != (&at->x)[c]) return false;
    }
    return true;
}

static void drop_weights(sup_json* attributes)
{
    for (sup_json *a = attributes ? attributes->first : NULL, *next; a; a = next) {
        next = a->next;
        if (strncmp(a->key, "JOINTS_", 7) == 0 || strncmp(a->key, "WEIGHTS_", 8) == 0) sup_json_remove(attributes, a->key);
    }
}

static void write_primitive(rerigger* r, const gltf_piece* p, sup_json* mesh, sup_json* primitive)
{
    gltf_edit*      edit = &r->m.edit;
    const sup_mesh* all = &r->m.character->mesh;
    sup_json*       attributes = gltf_edit_get(primitive, "attributes");
    bool            normals = sup_json_get(attributes, "NORMAL"), tangents = sup_json_get(attributes, "TANGENT");
    drop_weights(attributes);
    gltf_weights_write(&r->m, p, attributes);
    if (stands_there(r, p, attributes)) return;
    gltf_shape_write(&r->m, p, attributes);
    if (!normals) sup_json_remove(attributes, "NORMAL"); // viewers compute flat ones
    if (tangents) sup_json_remove(attributes, "TANGENT");
    if (tangents && all->vertex_tangents)
        gltf_edit_number(edit, attributes, "TANGENT",
                         gltf_edit_floats(edit, &all->vertex_tangents[p->begin].x, p->count, 4, GLTF_ARRAY_BUFFER, false));
    if (!sup_json_get(primitive, "targets")) return;
    sup_json_remove(primitive, "targets");
    gltf_morphs_write(&r->m, p, mesh, primitive);
}

// Channels of the mesh's own morph targets move along with it.
static void move_weights(rerigger* r, uint32_t from, uint32_t to)
{
    gltf_edit* edit = &r->m.edit;
    sup_json*  animations = gltf_edit_get(edit->root, "animations");
    for (sup_json* a = animations ? animations->first : NULL; a; a = a->next) {
        sup_json* channels = gltf_edit_get(a, "channels");
        for (sup_json* c = channels ? channels->first : NULL; c; c = c->next) {
            sup_json* target = gltf_edit_get(c, "target");
            if (strcmp(sup_json_string(sup_json_get(target, "path"), ""), "weights") == 0 &&
                sup_json_index(sup_json_get(target, "node"), SUP_NONE) == from)
                gltf_edit_number(edit, target, "node", to);
        }
    }
}

// Viewers ignore transforms above a skin, so a mesh that followed one moves to a node of its own at the top. Its old node stays
// for its other children. Returns the node that shows the mesh.
static sup_json* free_node(rerigger* r, gltf_part* part)
{
    static const char* const transforms[] = { "matrix", "translation", "rotation", "scale" };
    gltf_edit*               edit = &r->m.edit;
    sup_json*                old = r->nodes[part->node];
    bool                     moved = r->below[part->node];
    for (size_t i = 0; i < SUP_COUNT_OF(transforms); ++i) moved |= sup_json_get(old, transforms[i]) != NULL;
    if (!moved || sup_json_get(old, "skin")) return old;
    uint32_t  index;
    sup_json* node = gltf_named_node(&r->m, sup_json_string(sup_json_get(old, "name"), "mesh"), &index);
    if (edit->failed) return old;
    gltf_edit_number(edit, node, "mesh", part->mesh);
    if (sup_json_get(old, "weights")) gltf_edit_put(edit, node, "weights", gltf_edit_copy(edit, sup_json_get(old, "weights")));
    sup_json_remove(old, "mesh");
    sup_json_remove(old, "weights");
    gltf_edit_push_number(edit, gltf_scene_nodes(&r->m), index);
    move_weights(r, part->node, index);
    part->node = index;
    r->nodes[r->node_count + r->moved_count++] = node;
    return node;
}

static void write_part(rerigger* r, uint32_t index)
{
    const sup_part* part = &r->m.character->mesh.parts[index];
    gltf_part*      to = &r->m.parts[index];
    uint32_t        count;
    *to = r->from->parts[index];
    r->m.part_nodes[index] = to->node;
    if (part->joint != SUP_NONE) return; // it still has its old parent
    to->skin = r->m.skin;
    sup_json* mesh = own_mesh(r, to);
    sup_json* node = free_node(r, to);
    r->m.part_nodes[index] = to->node;
    sup_json** primitives = gltf_edit_items(&r->m.edit, gltf_edit_get(mesh, "primitives"), &count);
    for (uint32_t i = 0; i < to->primitive_count && primitives; ++i) {
        const gltf_primitive* from = &to->primitives[i];
        gltf_piece p = { .part = part, .begin = part->vertex_begin + from->vertex_begin, .count = from->vertex_count };
        write_primitive(r, &p, mesh, primitives[from->primitive]);
    }
    gltf_edit_number(&r->m.edit, node, "skin", to->skin);
    if (r->prunes && part->morph_count == 0) gltf_targets_drop(node, mesh);
}

// ---------------------------------------------------------------------------------------------- skins

// Unused skins would only slow down the next reader; their nodes stay, and so do the channels that move them.
static void drop_skins(rerigger* r)
{
    gltf_edit* edit = &r->m.edit;
    uint32_t   count, kept = 0;
    sup_json** skins = gltf_edit_items(edit, gltf_edit_get(edit->root, "skins"), &count);
    uint32_t*  numbers = gltf_make(&r->m, count, sizeof *numbers); // new number plus 1
    sup_json*  list = gltf_edit_new(edit, SUP_JSON_ARRAY);
    if (edit->failed) return;
    for (uint32_t n = 0; n < r->node_count + r->moved_count; ++n) {
        uint32_t skin = sup_json_index(sup_json_get(r->nodes[n], "skin"), SUP_NONE);
        if (skin < count) numbers[skin] = 1;
    }
    for (uint32_t i = 0; i < count; ++i)
        if (numbers[i]) {
            numbers[i] = ++kept;
            sup_json* copy = gltf_edit_copy(edit, skins[i]);
            if (copy) sup_json_push(list, copy);
        }
    if (kept == count) return;
    gltf_edit_put(edit, edit->root, "skins", list);
    for (uint32_t n = 0; n < r->node_count + r->moved_count; ++n) {
        uint32_t skin = sup_json_index(sup_json_get(r->nodes[n], "skin"), SUP_NONE);
        if (skin < count) gltf_edit_number(edit, r->nodes[n], "skin", numbers[skin] - 1);
    }
    for (uint32_t i = 0; i < r->m.character->mesh.part_count; ++i)
        if (r->m.parts[i].skin < count) r->m.parts[i].skin = numbers[r->m.parts[i].skin] - 1;
}

// ---------------------------------------------------------------------------------------------- whole

static sup_result gather(rerigger* r, const uint32_t* animations, gltf_document* out)
{
    gltf_edit*     edit = &r->m.edit;
    uint32_t       old = r->from->accessor_count;
    gltf_source*   source = gltf_make(&r->m, 1, sizeof *source);
    gltf_accessor* accessors = gltf_make(&r->m, (size_t)old + edit->accessor_count, sizeof *accessors);
    uint32_t*      renamed = r->prunes ? gltf_prune(edit) : NULL;
    if (!source || !accessors || !animations || (r->prunes && !renamed) || !gltf_buffers_list(&r->m, source) || edit->failed)
        return sup_fail_memory(r->m.error, "a glTF document");
    for (uint32_t i = 0; i < old + edit->accessor_count; ++i) {
        uint32_t to = renamed ? renamed[i] : i;
        if (to == SUP_NONE) continue;
        accessors[to] = i < old ? r->from->accessors[i] : edit->accessors[i - old];
        source->accessor_count = to + 1; // they keep their order
    }
    source->root = edit->root;
    source->part_count = r->from->part_count;
    source->parts = r->m.parts;
    source->accessors = accessors;
    *out = (gltf_document){ source, r->m.joint_nodes, animations, r->m.root, r->m.character };
    return SUP_OK;
}

static const uint32_t* find_animations(rerigger* r)
{
    const sup_character* c = r->m.character;
    uint32_t*            animations = gltf_make(&r->m, c->clip_count, sizeof *animations);
    for (uint32_t i = 0; i < c->clip_count && animations; ++i) animations[i] = c->clips[i].source_id;
    return animations;
}

sup_result gltf_document_rerig(const sup_character* character, uint32_t influences, sup_arena* arena, gltf_document* out,
                               sup_error* error)
{
    rerigger r = { .m = { .character = character, .root = SUP_NONE, .skin = SUP_NONE, .influences = influences, .error = error },
                   .from = gltf_source_of(character) };
    bool     own = gltf_kinship_of(character) != GLTF_SURFACE;
    *out = (gltf_document){ 0 };
    SUP_ASSERT(r.from);
    if (r.from->part_count != character->mesh.part_count) return SUP_OK;
    gltf_edit_open(&r.m.edit, r.from, arena);
    if (r.m.edit.failed || !prepare(&r) || !gltf_rest_normals(&r.m)) return sup_fail_memory(error, "a glTF document");
    if (own && !find_nodes(&r)) return SUP_OK;
    r.prunes = !own && gltf_prunable(r.m.edit.root);
    if (!own) list_roots(&r);
    sup_result result = own ? SUP_OK : gltf_joints_write(&r.m);
    if (result != SUP_OK) return result;
    if (!r.m.edit.failed) gltf_skin_write(&r.m);
    r.m.parts = gltf_make(&r.m, character->mesh.part_count, sizeof *r.m.parts);
    r.m.part_nodes = gltf_make(&r.m, character->mesh.part_count, sizeof *r.m.part_nodes);
    for (uint32_t i = 0; i < character->mesh.part_count && !r.m.edit.failed; ++i) write_part(&r, i);
    if (!r.m.edit.failed) drop_skins(&r);
    if (!r.m.edit.failed && r.prunes) gltf_channels_drop(&r.m.edit);
    if (r.m.edit.failed) return sup_fail_memory(error, "a glTF document");
    return gather(&r, own ? find_animations(&r) : gltf_clips_write(&r.m), out);
}

sup_result gltf_document_choose(const sup_character* character, uint32_t influences, sup_arena* arena, gltf_document* out,
                                sup_error* error)
{
    gltf_kinship kinship = gltf_kinship_of(character);
    if (kinship == GLTF_WHOLE) return gltf_document_read(character, arena, out, error);
    sup_result result = kinship == GLTF_NONE ? SUP_OK : gltf_document_rerig(character, influences, arena, out, error);
    if (result != SUP_OK || (kinship != GLTF_NONE && out->source)) return result;
    return gltf_document_create(character, influences, arena, out, error);
}

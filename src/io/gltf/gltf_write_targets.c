// The copy of the document: every part gets a mesh of its own with one morph target for each frame.
#include "base/internal.h"
#include "io/gltf/gltf_pack.h"

#include <string.h>

// Longer than any number that sup_json_write prints, so that the real bounds fit into its space.
#define BOUND_PLACEHOLDER "9999999999999999999999999999999"

#define POINT_MAX (1u << 24) // floats hold whole numbers up to this; glTF allows no wider type for custom attributes

typedef struct editor {
    gltf_baking* baking;
    gltf_edit*   edit;
    sup_bake*    bake;
    uint32_t     node_count, mesh_count;
    sup_json**   nodes; // of the copy, by the source's index
    sup_json**   meshes;
    uint32_t*    users;   // nodes that still share each mesh
    uint32_t*    parents; // of each node, SUP_NONE at the top
} editor;

// ---------------------------------------------------------------------------------------------- meshes

static bool prepare(editor* e)
{
    e->nodes = gltf_edit_items(e->edit, gltf_edit_get(e->edit->root, "nodes"), &e->node_count);
    e->meshes = gltf_edit_items(e->edit, gltf_edit_get(e->edit->root, "meshes"), &e->mesh_count);
    e->users = SUP_NEW(e->edit->arena, uint32_t, e->mesh_count);
    e->parents = SUP_NEW(e->edit->arena, uint32_t, e->node_count);
    if (!e->users || !e->parents || e->edit->failed) return false;
    memset(e->parents, 0xff, e->node_count * sizeof *e->parents);
    for (uint32_t n = 0; n < e->node_count; ++n) {
        const sup_json* children = sup_json_get(e->nodes[n], "children");
        for (const sup_json* child = children ? children->first : NULL; child; child = child->next) {
            uint32_t index = sup_json_index(child, SUP_NONE);
            if (index < e->node_count) e->parents[index] = n;
        }
        uint32_t mesh = sup_json_index(sup_json_get(e->nodes[n], "mesh"), SUP_NONE);
        if (mesh < e->mesh_count) e->users[mesh]++;
    }
    return true;
}

// The mesh itself for its last user, a copy for the others.
static void own_mesh(editor* e, baked_part* part)
{
    uint32_t mesh = part->from->mesh;
    part->carrier = part->from->node;
    part->mesh = e->meshes[mesh];
    if (e->users[mesh]-- <= 1) return;
    part->mesh = gltf_edit_copy(e->edit, e->meshes[mesh]);
    gltf_edit_number(e->edit, e->nodes[part->carrier], "mesh", gltf_edit_add(e->edit, "meshes", part->mesh));
}

static bool is_skin_attribute(const char* key) { return strncmp(key, "JOINTS_", 7) == 0 || strncmp(key, "WEIGHTS_", 8) == 0; }

static void strip_skin(baked_part* part)
{
    sup_json* primitives = gltf_edit_get(part->mesh, "primitives");
    for (sup_json* primitive = primitives->first; primitive; primitive = primitive->next) {
        sup_json* attributes = gltf_edit_get(primitive, "attributes");
        for (sup_json* a = attributes ? attributes->first : NULL; a;) {
            sup_json* next = a->next;
            if (is_skin_attribute(a->key)) sup_json_remove(attributes, a->key);
            a = next;
        }
    }
}

static bool holds_number(const sup_json* array, uint32_t number)
{
    for (const sup_json* item = array ? array->first : NULL; item; item = item->next)
        if (sup_json_index(item, SUP_NONE) == number) return true;
    return false;
}

static bool is_below(const editor* e, const sup_json* roots, uint32_t node)
{
    for (uint32_t steps = 0; node < e->node_count && steps < e->node_count; ++steps) {
        if (holds_number(roots, node)) return true;
        node = e->parents[node];
    }
    return false;
}

// The old node's place at the top: in its scenes, or below the node that rotates and scales a fresh document.
static void place_node(editor* e, uint32_t old, uint32_t node)
{
    if (e->baking->document.root != SUP_NONE) {
        gltf_edit_push_number(e->edit, gltf_edit_array(e->edit, e->nodes[e->baking->document.root], "children"), node);
        return;
    }
    sup_json* scenes = gltf_edit_get(e->edit->root, "scenes");
    for (sup_json* scene = scenes ? scenes->first : NULL; scene; scene = scene->next)
        if (is_below(e, sup_json_get(scene, "nodes"), old))
            gltf_edit_push_number(e->edit, gltf_edit_array(e->edit, scene, "nodes"), node);
}

// Replaces the stored shape by the rest shape; the stored one may have another size and orientation that only the skin undid.
static void store_rest(editor* e, baked_part* part)
{
    const sup_mesh* mesh = &e->bake->desc.character->mesh;
    sup_vec3*       rest = SUP_NEW(e->edit->arena, sup_vec3, part->pull.vertex_count);
    e->edit->failed |= !rest;
    for (uint32_t v = 0; rest && v < part->pull.vertex_count; ++v) rest[v] = mesh->points[part->pull.points[v]];
    for (uint32_t i = 0; i < e->baking->piece_count && !e->edit->failed; ++i) {
        const baked_piece* piece = &e->baking->pieces[i];
        if (piece->part != part) continue;
        const sup_json* primitive = sup_json_at(gltf_edit_get(part->mesh, "primitives"), piece->primitive);
        uint32_t        stored = gltf_edit_floats(e->edit, &rest[piece->begin].x, piece->count, 3, GLTF_ARRAY_BUFFER, true);
        gltf_edit_number(e->edit, gltf_edit_get((sup_json*)primitive, "attributes"), "POSITION", stored);
    }
    part->pull.positions = rest;
}

static void flatten(editor* e, baked_part* part)
{
    sup_json* old = e->nodes[part->from->node];
    sup_json* node = gltf_edit_new(e->edit, SUP_JSON_OBJECT);
    char      name[256];
    sup_format(name, sizeof name, "%s baked",
               sup_json_string(sup_json_get(old, "name"), part->part->name ? part->part->name : "mesh"));
    gltf_edit_string(e->edit, node, "name", name);
    gltf_edit_put(e->edit, node, "mesh", gltf_edit_copy(e->edit, sup_json_get(old, "mesh")));
    sup_json_remove(old, "mesh");
    sup_json_remove(old, "skin");
    sup_json_remove(old, "weights");
    strip_skin(part);
    store_rest(e, part);
    part->carrier = gltf_edit_add(e->edit, "nodes", node);
    place_node(e, part->from->node, part->carrier);
}

// ---------------------------------------------------------------------------------------------- weights and names

static void pad_weights(editor* e, baked_part* part, sup_json* owner)
{
    sup_json* weights = gltf_edit_get(owner, "weights");
    uint32_t  wanted = part->existing + part->fresh;
    if (part->pull.flat) {
        // No other clip moves it any more: the rest pose shows the first frame.
        weights = gltf_edit_new(e->edit, SUP_JSON_ARRAY);
        float* shown = gltf_baking_pack(e->baking) ? gltf_pack_weights(e->baking->pack, part, 1, e->edit->arena) : NULL;
        e->edit->failed |= gltf_baking_pack(e->baking) && !shown;
        for (uint32_t i = 0; i < wanted && !e->edit->failed; ++i)
            gltf_edit_push_number(e->edit, weights, shown ? (double)shown[i] : i == part->existing ? 1 : 0);
        gltf_edit_put(e->edit, owner, "weights", weights);
        return;
    }
    if (!weights || weights->type != SUP_JSON_ARRAY) return;
    while (weights->count < wanted && !e->edit->failed) gltf_edit_push_number(e->edit, weights, 0);
}

static void name_targets(editor* e, baked_part* part)
{
    sup_json* extras = gltf_edit_get(part->mesh, "extras");
    if (extras && extras->type != SUP_JSON_OBJECT) return; // extras that belong to somebody else
    extras = gltf_edit_object(e->edit, part->mesh, "extras");
    sup_json* names = gltf_edit_array(e->edit, extras, "targetNames");
    char      name[256];
    for (uint32_t i = names ? names->count : part->existing; i < part->existing; ++i) {
        sup_format(name, sizeof name, "target %u", i);
        gltf_edit_push_string(e->edit, names, name);
    }
    for (uint32_t f = 0; f < part->fresh; ++f) {
        // Frames are found by their names; components just need unique ones.
        if (gltf_baking_pack(e->baking)) sup_format(name, sizeof name, "c%u", f);
        else sup_format(name, sizeof name, "%.200s %u", e->baking->name, f);
        gltf_edit_push_string(e->edit, names, name);
    }
}

static void note_points(editor* e, baked_piece* piece, sup_json* attributes)
{
    const sup_part* part = piece->part->part;
    if (part->point_count > POINT_MAX) return;
    if (e->baking->split && gltf_edit_get(attributes, "_POINT")) return; // a fresh document of ours
    float* points = SUP_NEW(e->edit->arena, float, piece->count);
    for (uint32_t v = 0; points && v < piece->count; ++v)
        points[v] = (float)(piece->part->pull.points[piece->begin + v] - part->point_begin);
    gltf_edit_number(e->edit, attributes, "_POINT",
                     gltf_edit_floats(e->edit, points, piece->count, 1, GLTF_ARRAY_BUFFER, false));
}

// ---------------------------------------------------------------------------------------------- targets

static void put_placeholder(editor* e, sup_json* accessor, const char* key)
{
    sup_json* bounds = gltf_edit_array(e->edit, accessor, key);
    for (int i = 0; i < 3; ++i) {
        gltf_edit_push_number(e->edit, bounds, 0);
        if (e->edit->failed) return;
        bounds->last->text = BOUND_PLACEHOLDER;
        bounds->last->length = sizeof BOUND_PLACEHOLDER - 1;
    }
}

// Displacements of positions, then of normals, at `*offset` of the frame's view.
static void add_target(editor* e, const baked_piece* piece, sup_json* targets, uint32_t view, uint64_t* offset,
                       sup_json** bounded, sup_json** unbounded)
{
    gltf_accessor what = { .count = piece->count, .components = 3, .component_type = GLTF_FLOAT };
    uint64_t      bytes = (uint64_t)piece->count * sizeof(sup_vec3);
    sup_json*     target = gltf_edit_new(e->edit, SUP_JSON_OBJECT);
    gltf_edit_number(e->edit, target, "POSITION", gltf_edit_accessor(e->edit, view, *offset, &what, bounded));
    put_placeholder(e, *bounded, "min");
    put_placeholder(e, *bounded, "max");
    *offset += bytes;
    if (piece->normals) {
        gltf_edit_number(e->edit, target, "NORMAL", gltf_edit_accessor(e->edit, view, *offset, &what, unbounded));
        *offset += bytes;
    }
    if (targets && target) sup_json_push(targets, target);
}

// Points and lines of the mesh are not baked, but all primitives must have the same number of targets: these move nothing.
static void add_still_targets(editor* e, sup_json* primitive, uint32_t fresh)
{
    const sup_json* accessors = sup_json_get(e->edit->root, "accessors");
    uint32_t        position = sup_json_index(sup_json_get(sup_json_get(primitive, "attributes"), "POSITION"), SUP_NONE);
    uint32_t        count = sup_json_index(sup_json_get(sup_json_at(accessors, position), "count"), 0);
    if (count == 0) return;
    gltf_accessor what = { .count = count, .components = 3, .component_type = GLTF_FLOAT };
    sup_json*     accessor;
    uint32_t      index = gltf_edit_accessor(e->edit, SUP_NONE, 0, &what, &accessor);
    float         zeros[3] = { 0 };
    gltf_edit_numbers(e->edit, accessor, "min", zeros, 3);
    gltf_edit_numbers(e->edit, accessor, "max", zeros, 3);
    sup_json* targets = gltf_edit_array(e->edit, primitive, "targets");
    for (uint32_t f = 0; f < fresh; ++f) {
        sup_json* target = gltf_edit_new(e->edit, SUP_JSON_OBJECT);
        gltf_edit_number(e->edit, target, "POSITION", index);
        if (targets && target) sup_json_push(targets, target);
    }
}

static bool is_baked(const gltf_part* part, uint32_t primitive)
{
    for (uint32_t i = 0; i < part->primitive_count; ++i)
        if (part->primitives[i].primitive == primitive) return true;
    return false;
}

// Positions and normals as rounded.
static void put_surface(editor* e, const baked_piece* piece, sup_json* attributes)
{
    const gltf_pull* pull = &piece->part->pull;
    gltf_edit_number(e->edit, attributes, "POSITION",
                     gltf_edit_floats(e->edit, &pull->positions[piece->begin].x, piece->count, 3, GLTF_ARRAY_BUFFER, true));
    if (piece->normals)
        gltf_edit_number(e->edit, attributes, "NORMAL",
                         gltf_edit_floats(e->edit, &pull->normals[piece->begin].x, piece->count, 3, GLTF_ARRAY_BUFFER, false));
}

static sup_result add_targets(editor* e, sup_error* error)
{
    gltf_baking* baking = e->baking;
    size_t       frames = e->bake->desc.frame_count;
    sup_json**   targets = SUP_NEW(e->edit->arena, sup_json*, baking->piece_count);
    baking->accessors = SUP_NEW(e->edit->arena, sup_json*, frames * baking->piece_count);
    if (baking->spill) baking->normal_accessors = SUP_NEW(e->edit->arena, sup_json*, frames * baking->piece_count);
    if (!targets || !baking->accessors || (baking->spill && !baking->normal_accessors))
        return sup_fail_memory(error, "the targets of a bake");
    for (uint32_t i = 0; i < baking->piece_count; ++i) {
        baked_piece* piece = &baking->pieces[i];
        sup_json*    primitive = (sup_json*)sup_json_at(gltf_edit_get(piece->part->mesh, "primitives"), piece->primitive);
        note_points(e, piece, gltf_edit_get(primitive, "attributes"));
        gltf_tension_put(baking, e->bake, piece, gltf_edit_get(primitive, "attributes"));
        if (!piece->part->pull.flat) gltf_weights_put(e->edit, piece, gltf_edit_get(primitive, "attributes"));
        if (piece->new_surface && !piece->part->pull.flat) put_surface(e, piece, gltf_edit_get(primitive, "attributes"));
        if (piece->part->existing + piece->part->fresh > 0) targets[i] = gltf_edit_array(e->edit, primitive, "targets");
    }
    for (uint32_t i = 0; i < baking->part_count; ++i) {
        uint32_t  index = 0;
        sup_json* primitives = gltf_edit_get(baking->parts[i].mesh, "primitives");
        for (sup_json* primitive = primitives->first; primitive; primitive = primitive->next, ++index)
            if (!is_baked(baking->parts[i].from, index)) add_still_targets(e, primitive, baking->parts[i].fresh);
    }
    if (gltf_baking_pack(baking)) return gltf_pack_targets(baking->pack, targets, error);
    // The frames come last in the BIN chunk, so that they can be written as they come.
    for (size_t f = 0; f < frames && !e->edit->failed; ++f) {
        // Sparse targets get their views when their size is known.
        uint32_t view = SUP_NONE;
        uint64_t offset = 0;
        if (!baking->spill) view = gltf_edit_view(e->edit, NULL, baking->frame_bytes, sizeof(sup_vec3), GLTF_ARRAY_BUFFER);
        for (uint32_t i = 0; i < baking->piece_count; ++i) {
            size_t target = f * baking->piece_count + i;
            add_target(e, &baking->pieces[i], targets[i], view, &offset, &baking->accessors[target],
                       baking->spill ? &baking->normal_accessors[target] : NULL);
        }
    }
    return e->edit->failed ? sup_fail_memory(error, "the targets of a bake") : SUP_OK;
}

// ---------------------------------------------------------------------------------------------- names

// "dualquat,layers(ring=2)" as "dualquat_layers_ring_2": names end up in scripts.
static void simplify(const char* chain, char* out, size_t size)
{
    size_t n = 0;
    for (const char* c = chain; *c && n + 1 < size; ++c) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        if (plain) out[n++] = *c;
        else if (n > 0 && out[n - 1] != '_') out[n++] = '_';
    }
    while (n > 0 && out[n - 1] == '_') n--;
    out[n] = 0;
}

static bool name_taken(sup_json* animations, const char* name)
{
    for (const sup_json* a = animations ? animations->first : NULL; a; a = a->next)
        if (strcmp(sup_json_string(sup_json_get(a, "name"), ""), name) == 0) return true;
    return false;
}

static bool choose_name(editor* e)
{
    const sup_bake_desc* desc = &e->bake->desc;
    sup_json*            animations = gltf_edit_get(e->edit->root, "animations");
    char                 base[256], chain[128], name[280];
    simplify(desc->chain ? desc->chain : "", chain, sizeof chain);
    const char* clip = desc->clip && desc->clip->name ? desc->clip->name : "pose";
    if (desc->name) sup_format(base, sizeof base, "%s", desc->name);
    else sup_format(base, sizeof base, chain[0] ? "%.100s.%s" : "%.100s", clip, chain);
    sup_format(name, sizeof name, "%s", base);
    for (uint32_t i = 2; name_taken(animations, name); ++i) sup_format(name, sizeof name, "%s %u", base, i);
    e->baking->name = sup_arena_text(e->edit->arena, name, strlen(name));
    return e->baking->name != NULL;
}

sup_result gltf_baking_edit(gltf_baking* baking, sup_bake* bake, const sup_pose* held, sup_error* error)
{
    editor   e = { .baking = baking, .edit = &baking->edit, .bake = bake };
    uint32_t left = gltf_edit_open(&baking->edit, baking->document.source, bake->arena);
    if (baking->edit.failed || !prepare(&e) || !choose_name(&e)) return sup_fail_memory(error, "a copy of the document");
    if (left) sup_bake_warn(bake, "%u image files have an unknown format and stay outside the GLB; copy them beside it", left);
    for (uint32_t i = 0; i < baking->part_count; ++i) {
        baked_part* part = &baking->parts[i];
        own_mesh(&e, part);
        if (e.edit->failed) break;
        const sup_json* first = sup_json_at(sup_json_get(part->mesh, "primitives"), 0);
        const sup_json* targets = sup_json_get(first, "targets");
        part->existing = targets ? targets->count : 0;
        part->fresh = gltf_baking_pack(baking) ? gltf_pack_count(baking->pack, part) : bake->desc.frame_count;
        if (part->pull.flat) flatten(&e, part);
        else pad_weights(&e, part, e.nodes[part->carrier]);
        pad_weights(&e, part, part->mesh);
        if (part->fresh) name_targets(&e, part);
    }
    if (e.edit->failed) return sup_fail_memory(error, "a copy of the document");
    sup_result result = gltf_baking_animate(baking, bake, held, e.nodes, error);
    return result == SUP_OK ? add_targets(&e, error) : result;
}

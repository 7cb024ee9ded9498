// Removes what no longer plays after meshes got another rig: channels that move nothing visible, clips without channels, and
// morph targets that the character does not have.
#include "base/internal.h"
#include "io/gltf/gltf_write.h"

#include <string.h>

void gltf_targets_drop(sup_json* node, sup_json* mesh)
{
    sup_json* primitives = gltf_edit_get(mesh, "primitives");
    for (sup_json* p = primitives ? primitives->first : NULL; p; p = p->next) sup_json_remove(p, "targets");
    sup_json_remove(mesh, "weights");
    sup_json_remove(node, "weights");
    sup_json* extras = gltf_edit_get(mesh, "extras");
    if (!extras || extras->type != SUP_JSON_OBJECT) return;
    sup_json_remove(extras, "targetNames");
    if (extras->count == 0) sup_json_remove(mesh, "extras");
}

// ---------------------------------------------------------------------------------------------- nodes

typedef struct living {
    gltf_edit* edit;
    uint32_t   node_count, mesh_count;
    sup_json** nodes;
    sup_json** meshes;
    uint32_t*  parents;
    bool*      shows; // a mesh, a camera, a light or a joint of a skin is there or below
} living;

static void mark(const living* l, uint32_t node)
{
    for (; node < l->node_count && !l->shows[node]; node = l->parents[node]) l->shows[node] = true;
}

static bool find_living(living* l)
{
    gltf_edit* edit = l->edit;
    l->nodes = gltf_edit_items(edit, gltf_edit_get(edit->root, "nodes"), &l->node_count);
    l->meshes = gltf_edit_items(edit, gltf_edit_get(edit->root, "meshes"), &l->mesh_count);
    l->parents = SUP_NEW(edit->arena, uint32_t, l->node_count);
    l->shows = SUP_NEW(edit->arena, bool, l->node_count);
    edit->failed |= !l->parents || !l->shows;
    if (edit->failed) return false;
    memset(l->parents, 0xff, l->node_count * sizeof *l->parents);
    for (uint32_t n = 0; n < l->node_count; ++n) {
        const sup_json* children = sup_json_get(l->nodes[n], "children");
        for (const sup_json* child = children ? children->first : NULL; child; child = child->next) {
            uint32_t index = sup_json_index(child, SUP_NONE);
            if (index < l->node_count) l->parents[index] = n;
        }
    }
    for (uint32_t n = 0; n < l->node_count; ++n) {
        const sup_json* node = l->nodes[n];
        bool            hangs = sup_json_get(node, "mesh") && !sup_json_get(node, "skin"); // viewers ignore nodes above a skin
        if (hangs || sup_json_get(node, "camera") || sup_json_get(node, "extensions")) mark(l, n);
    }
    const sup_json* skins = gltf_edit_get(edit->root, "skins");
    for (const sup_json* skin = skins ? skins->first : NULL; skin; skin = skin->next) {
        const sup_json* joints = sup_json_get(skin, "joints");
        for (const sup_json* joint = joints ? joints->first : NULL; joint; joint = joint->next)
            mark(l, sup_json_index(joint, SUP_NONE));
    }
    return true;
}

static bool has_targets(const living* l, uint32_t node)
{
    uint32_t mesh = sup_json_index(sup_json_get(l->nodes[node], "mesh"), SUP_NONE);
    if (mesh >= l->mesh_count) return false;
    return sup_json_get(sup_json_at(sup_json_get(l->meshes[mesh], "primitives"), 0), "targets") != NULL;
}

// ---------------------------------------------------------------------------------------------- animations

// Channels of extensions name no node; what they move is unknown here.
static bool moves_something(const living* l, const sup_json* channel)
{
    const sup_json* target = sup_json_get(channel, "target");
    uint32_t        node = sup_json_index(sup_json_get(target, "node"), SUP_NONE);
    if (node >= l->node_count) return true;
    bool weights = strcmp(sup_json_string(sup_json_get(target, "path"), ""), "weights") == 0;
    return weights ? has_targets(l, node) : l->shows[node];
}

// Keeps the samplers that channels still use, in order.
static void keep_samplers(gltf_edit* edit, sup_json* animation, const sup_json* channels)
{
    uint32_t   count, next = 0;
    sup_json** samplers = gltf_edit_items(edit, gltf_edit_get(animation, "samplers"), &count);
    uint32_t*  renamed = SUP_NEW(edit->arena, uint32_t, count); // new number plus 1
    sup_json*  kept = gltf_edit_new(edit, SUP_JSON_ARRAY);
    edit->failed |= !renamed;
    if (edit->failed) return;
    for (const sup_json* channel = channels->first; channel; channel = channel->next) {
        uint32_t sampler = sup_json_index(sup_json_get(channel, "sampler"), SUP_NONE);
        if (sampler < count) renamed[sampler] = 1;
    }
    for (uint32_t i = 0; i < count; ++i) {
        samplers[i]->next = NULL;
        if (!renamed[i]) continue;
        renamed[i] = ++next;
        sup_json_push(kept, samplers[i]);
    }
    for (sup_json* channel = channels->first; channel; channel = channel->next) {
        uint32_t sampler = sup_json_index(sup_json_get(channel, "sampler"), SUP_NONE);
        if (sampler < count) gltf_edit_number(edit, channel, "sampler", renamed[sampler] - 1);
    }
    gltf_edit_put(edit, animation, "samplers", kept);
}

void gltf_channels_drop(gltf_edit* edit)
{
    living     l = { .edit = edit };
    uint32_t   count;
    sup_json** animations = gltf_edit_items(edit, gltf_edit_get(edit->root, "animations"), &count);
    sup_json*  kept = gltf_edit_new(edit, SUP_JSON_ARRAY);
    if (edit->failed || count == 0 || !find_living(&l)) return;
    for (uint32_t i = 0; i < count; ++i) {
        sup_json* old = gltf_edit_get(animations[i], "channels");
        sup_json* channels = gltf_edit_new(edit, SUP_JSON_ARRAY);
        if (edit->failed) return;
        for (sup_json *channel = old ? old->first : NULL, *next; channel; channel = next) {
            next = channel->next;
            channel->next = NULL;
            if (moves_something(&l, channel)) sup_json_push(channels, channel);
        }
        animations[i]->next = NULL;
        if (channels->count == 0) continue;
        keep_samplers(edit, animations[i], channels);
        gltf_edit_put(edit, animations[i], "channels", channels);
        sup_json_push(kept, animations[i]);
    }
    if (kept->count) gltf_edit_put(edit, edit->root, "animations", kept);
    else sup_json_remove(edit->root, "animations");
}

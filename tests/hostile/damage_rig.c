// Skeletons, weights and keys that cannot be: cycles, joints at one place, transforms of zero and 1e38, weights that sum to
// nothing.
#include "hostile.h"

#include <math.h>
#include <string.h>

float chance_odd_float(chance* c)
{
    static const float odd[] = { 0,        -0.0f,     1,       -1,      2,     0.5f,     1e-6f, 1e-30f,
                                 1e-38f,   1e-45f,    -1e-30f, 1e6f,    1e10f, -1e10f,   1e18f, 1e19f,
                                 1e30f,    1e38f,     -1e38f,  3.4e38f, 65504, 16777216, // finite so far
                                 INFINITY, -INFINITY, NAN };
    return odd[chance_below(c, sizeof odd / sizeof *odd - (c->wild ? 0 : 3))];
}

// ---------------------------------------------------------------------------------------------- nodes

static sup_json* any_node(pieces* p, chance* c) { return pieces_pick(c, pieces_get(p->root, "nodes")); }

static sup_json* list_of(pieces* p, sup_json* object, const char* key)
{
    sup_json* list = pieces_get(object, key);
    if (list && list->type == SUP_JSON_ARRAY) return list;
    return object && object->type == SUP_JSON_OBJECT
               ? sup_json_set(p->arena, object, key, sup_json_new(p->arena, SUP_JSON_ARRAY))
               : NULL;
}

// A child more: itself, an ancestor, somebody's else, or nobody.
static void more_children(pieces* p, chance* c)
{
    sup_json* nodes = pieces_get(p->root, "nodes");
    sup_json* node = any_node(p, c);
    uint32_t  count = nodes ? nodes->count : 0;
    double    child = chance_one_in(c, 4) ? chance_odd_number(c) : chance_below(c, count);
    sup_json_push(list_of(p, node, "children"), sup_json_new_number(p->arena, child));
}

static void fewer_children(pieces* p, chance* c)
{
    sup_json* node = any_node(p, c);
    if (node && node->type == SUP_JSON_OBJECT) sup_json_remove(node, "children");
}

static void odd_transform(pieces* p, chance* c)
{
    static const char* const keys[] = { "translation", "rotation", "scale", "matrix" };
    static const uint32_t    sizes[] = { 3, 4, 3, 16 };
    float                    values[16];
    uint32_t                 kind = chance_below(c, 4);
    sup_json*                node = any_node(p, c);
    bool                     same = chance_one_in(c, 2);
    float                    all = chance_odd_float(c);
    for (uint32_t i = 0; i < 16; ++i)
        values[i] = same ? all : chance_one_in(c, 3) ? chance_odd_float(c) : kind == 3 && i % 5 == 0;
    pieces_numbers(p, node, keys[kind], values, sizes[kind]);
}

// The root, or all, shrunk to nothing or blown up.
static void scaled_nodes(pieces* p, chance* c)
{
    sup_json* nodes = pieces_get(p->root, "nodes");
    float     s = chance_odd_float(c), scale[3] = { s, chance_one_in(c, 3) ? 1 : s, s };
    bool      every = chance_one_in(c, 3);
    for (sup_json* n = nodes ? nodes->first : NULL; n; n = n->next)
        if (every || n == nodes->first) pieces_numbers(p, n, "scale", scale, 3);
}

// All joints at one place, with the inverse binds of that.
static void joints_at_one_place(pieces* p, chance* c)
{
    static const float zero[3], identity[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
    sup_json*          nodes = pieces_get(p->root, "nodes");
    sup_json*          skin = pieces_pick(c, pieces_get(p->root, "skins"));
    elements           binds;
    for (sup_json* n = nodes ? nodes->first : NULL; n; n = n->next) pieces_numbers(p, n, "translation", zero, 3);
    if (!pieces_elements(p, sup_json_get(skin, "inverseBindMatrices"), &binds)) return;
    for (uint32_t i = 0; i < binds.count && binds.components == 16; ++i)
        if (elements_float(&binds, i)) memcpy(elements_float(&binds, i), identity, sizeof identity);
}

// A chain of joints longer than any body has, below any joint.
static void long_chain(pieces* p, chance* c)
{
    static const uint32_t lengths[] = { 3, 30, 300, 2000 };
    sup_json*             nodes = pieces_get(p->root, "nodes");
    sup_json*             skin = pieces_pick(c, pieces_get(p->root, "skins"));
    sup_json*             joints = pieces_get(skin, "joints");
    sup_json*             above = any_node(p, c);
    elements              binds;
    uint32_t              length = lengths[chance_below(c, 4)];
    if (!nodes || !joints || !above || !pieces_elements(p, sup_json_get(skin, "inverseBindMatrices"), &binds)) return;
    if (binds.components != 16 || !elements_float(&binds, 0)) return;
    float*      matrices = sup_arena_alloc(p->arena, (size_t)binds.count + length, 16 * sizeof *matrices);
    const float step[3] = { 0, chance_one_in(c, 3) ? 0 : 0.01f, 0 };
    for (uint32_t i = 0; matrices && i < binds.count + length; ++i)
        memcpy(matrices + 16 * (size_t)i, elements_float(&binds, i % binds.count), 16 * sizeof *matrices);
    for (uint32_t i = 0; i < length; ++i) {
        sup_json_push(list_of(p, above, "children"), sup_json_new_number(p->arena, nodes->count));
        sup_json_push(joints, sup_json_new_number(p->arena, nodes->count));
        above = sup_json_push(nodes, sup_json_new(p->arena, SUP_JSON_OBJECT));
        pieces_numbers(p, above, "translation", step, 3);
    }
    pieces_number(p, skin, "inverseBindMatrices", pieces_append(p, matrices, binds.count + length, 16, 5126));
}

// ---------------------------------------------------------------------------------------------- skins

static void skin_joints(pieces* p, chance* c)
{
    sup_json* skin = pieces_pick(c, pieces_get(p->root, "skins"));
    sup_json* joints = pieces_get(skin, "joints");
    sup_json* nodes = pieces_get(p->root, "nodes");
    bool      every = chance_one_in(c, 4);
    uint32_t  node = chance_below(c, nodes ? nodes->count : 0);
    sup_json* chosen = pieces_pick(c, joints);
    for (sup_json* j = joints ? joints->first : NULL; j; j = j->next) {
        if (!every && j != chosen) continue;
        j->text = NULL;
        j->number = chance_one_in(c, 3) ? chance_odd_number(c) : node;
    }
}

static void odd_binds(pieces* p, chance* c)
{
    sup_json* skin = pieces_pick(c, pieces_get(p->root, "skins"));
    elements  e;
    uint32_t  few = chance_one_in(c, 3) ? 1 : 20;
    float     all = chance_odd_float(c);
    bool      same = chance_one_in(c, 2);
    if (!pieces_elements(p, sup_json_get(skin, "inverseBindMatrices"), &e)) return;
    for (uint32_t i = 0; i < e.count; ++i)
        for (uint32_t k = 0; k < e.components && elements_float(&e, i); ++k)
            if (k % 4 != 3 && chance_one_in(c, few)) elements_float(&e, i)[k] = same ? all : chance_odd_float(c);
}

static void odd_weights(pieces* p, chance* c)
{
    static const float weights[] = { 0, -1, 1e-30f, 1e-45f, 1, 2, 1e38f, INFINITY, NAN };
    sup_json*          primitive = pieces_primitive(p, c);
    elements           e;
    uint32_t           few = chance_one_in(c, 3) ? 1 : 1 + chance_below(c, 60);
    uint32_t           kinds = c->wild ? 9 : chance_one_in(c, 4) ? 7 : 1; // most files are refused for the others
    float              all = weights[chance_below(c, kinds)];
    bool               same = chance_one_in(c, 2);
    if (!pieces_elements(p, sup_json_get(sup_json_get(primitive, "attributes"), "WEIGHTS_0"), &e)) return;
    for (uint32_t i = 0; i < e.count; ++i)
        for (uint32_t k = 0; k < e.components && elements_float(&e, i); ++k)
            if (chance_one_in(c, few)) elements_float(&e, i)[k] = same ? all : weights[chance_below(c, kinds)];
}

static void other_joints(pieces* p, chance* c)
{
    sup_json* primitive = pieces_primitive(p, c);
    elements  e;
    uint32_t  few = chance_one_in(c, 3) ? 1 : 1 + chance_below(c, 60), most = chance_one_in(c, 8) ? 65536 : 3;
    if (!pieces_elements(p, sup_json_get(sup_json_get(primitive, "attributes"), "JOINTS_0"), &e)) return;
    for (uint32_t i = 0; i < e.count; ++i)
        for (uint32_t k = 0; k < e.components; ++k)
            if (chance_one_in(c, few)) elements_index_set(&e, i, k, chance_below(c, most));
}

// ---------------------------------------------------------------------------------------------- clips

static void odd_keys(pieces* p, chance* c)
{
    sup_json* clip = pieces_pick(c, pieces_get(p->root, "animations"));
    sup_json* sampler = pieces_pick(c, pieces_get(clip, "samplers"));
    bool      times = chance_one_in(c, 3), same = chance_one_in(c, 3);
    elements  e;
    uint32_t  few = chance_one_in(c, 3) ? 1 : 10;
    float     all = chance_odd_float(c);
    if (!pieces_elements(p, sup_json_get(sampler, times ? "input" : "output"), &e)) return;
    for (uint32_t i = 0; i < e.count; ++i)
        for (uint32_t k = 0; k < e.components && elements_float(&e, i); ++k)
            if (chance_one_in(c, few)) elements_float(&e, i)[k] = same ? all : chance_odd_float(c);
}

static void other_channels(pieces* p, chance* c)
{
    static const char* const paths[] = { "translation", "rotation", "scale", "weights", "pointer" };
    static const char* const ways[] = { "LINEAR", "STEP", "CUBICSPLINE", "SPLINE" };
    sup_json*                clip = pieces_pick(c, pieces_get(p->root, "animations"));
    sup_json*                channel = pieces_pick(c, pieces_get(clip, "channels"));
    sup_json*                sampler = pieces_pick(c, pieces_get(clip, "samplers"));
    sup_json*                target = pieces_get(channel, "target");
    sup_json*                nodes = pieces_get(p->root, "nodes");
    if (!target || !sampler || !nodes || target->type != SUP_JSON_OBJECT || sampler->type != SUP_JSON_OBJECT) return;
    if (chance_one_in(c, 2)) pieces_number(p, target, "node", chance_below(c, nodes->count));
    else if (chance_one_in(c, 2))
        sup_json_set(p->arena, target, "path", sup_json_new_string(p->arena, paths[chance_below(c, 5)]));
    else sup_json_set(p->arena, sampler, "interpolation", sup_json_new_string(p->arena, ways[chance_below(c, 4)]));
}

const damage damage_of_rigs[] = {
    { "more children", more_children },
    { "fewer children", fewer_children },
    { "odd transform", odd_transform },
    { "scaled nodes", scaled_nodes },
    { "joints at one place", joints_at_one_place },
    { "long chain of joints", long_chain },
    { "other joints of the skin", skin_joints },
    { "odd inverse binds", odd_binds },
    { "odd weights", odd_weights },
    { "other joints of points", other_joints },
    { "odd keys", odd_keys },
    { "other channels", other_channels },
};
const uint32_t damage_of_rigs_count = sizeof damage_of_rigs / sizeof *damage_of_rigs;

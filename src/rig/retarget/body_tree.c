// Builds the tree, with measures, of the joints that may have a role.
#include "rig/retarget/body_tree.h"

#include "base/internal.h"
#include "math/vec.h"

static void add_child(shape* s, uint32_t node)
{
    shape_node* n = &s->nodes[node];
    shape_node* p = &s->nodes[n->parent];
    n->depth = n->parent == s->count ? 0 : p->depth + 1;
    n->sibling = p->child;
    p->child = node;
    p->children++;
}

static void measure_node(shape* s, uint32_t node)
{
    shape_node* n = &s->nodes[node];
    float       end = v3_dot(n->tip, s->up);
    n->low = fminf(n->height, end);
    n->top = fmaxf(n->height, end);
    n->low_next = n->long_next = SUP_NONE;
    n->low_length = n->long_length = v3_distance(n->at, n->tip);
    n->low_count = n->long_count = 1;
    for (uint32_t c = n->child; c != SUP_NONE; c = s->nodes[c].sibling) {
        const shape_node* child = &s->nodes[c];
        float             bone = v3_distance(n->at, child->at);
        if (n->low_next == SUP_NONE || child->low < s->nodes[n->low_next].low) {
            n->low_next = c;
            n->low_length = bone + child->low_length;
            n->low_count = child->low_count + 1;
        }
        if (n->long_next == SUP_NONE || bone + child->long_length > n->long_length) {
            n->long_next = c;
            n->long_length = bone + child->long_length;
            n->long_count = child->long_count + 1;
        }
        n->low = fminf(n->low, child->low);
        n->top = fmaxf(n->top, child->top);
    }
}

static bool takes_part(const body_skeleton* k, const bool* barred, uint32_t j)
{
    return k->eligible[j] && !(k->idle && k->idle[j]) && !(barred && barred[j]) && v3_finite(k->places[j]);
}

sup_result shape_make_tree(shape* s, const bool* barred, sup_arena* scratch, sup_error* error)
{
    const body_skeleton* k = s->skeleton;
    uint32_t*            node_of = SUP_NEW(scratch, uint32_t, k->count);
    s->nodes = SUP_NEW(scratch, shape_node, (size_t)k->count + 1);
    if (!node_of || !s->nodes) return sup_fail_memory(error, "a match of joints");
    for (uint32_t j = 0; j < k->count; ++j) s->count += takes_part(k, barred, j);
    s->nodes[s->count] = (shape_node){ .joint = SUP_NONE, .parent = SUP_NONE, .child = SUP_NONE, .sibling = SUP_NONE };
    float    highest = -INFINITY;
    uint32_t made = 0;
    s->ground = INFINITY;
    for (uint32_t j = 0; j < k->count; ++j) {
        uint32_t above = k->parents[j] == SUP_NONE ? s->count : node_of[k->parents[j]];
        node_of[j] = above;
        if (!takes_part(k, barred, j)) continue;
        sup_vec3 tip = k->tips && v3_finite(k->tips[j]) ? k->tips[j] : k->places[j];
        s->nodes[made] = (shape_node){ .joint = j,
                                       .parent = above,
                                       .child = SUP_NONE,
                                       .at = k->places[j],
                                       .tip = tip,
                                       .height = v3_dot(k->places[j], s->up) };
        add_child(s, made);
        node_of[j] = made++;
    }
    for (uint32_t i = s->count; i-- > 0;) {
        if (s->nodes[i].children) s->nodes[i].tip = s->nodes[i].at;
        measure_node(s, i);
        s->ground = fminf(s->ground, s->nodes[i].low);
        highest = fmaxf(highest, s->nodes[i].top);
    }
    s->size = highest - s->ground;
    return SUP_OK;
}

uint32_t shape_chain(const shape* s, uint32_t node, bool low, uint32_t* out)
{
    uint32_t count = 0;
    for (; node != SUP_NONE && count < CHAIN_MAX; node = low ? s->nodes[node].low_next : s->nodes[node].long_next)
        out[count++] = node;
    return count;
}

float length_ratio(float a, float b) { return a > b ? b / a : a > 0 ? a / b : 0; }

// Fingers: several short chains from a joint near the end. SUP_NONE: none.
uint32_t shape_hand(const shape* s, uint32_t node)
{
    float whole = s->nodes[node].long_length;
    for (uint32_t i = node; i != SUP_NONE; i = s->nodes[i].long_next)
        if (s->nodes[i].children > 1 && s->nodes[i].long_length < 0.4f * whole) return i;
    return SUP_NONE;
}

uint32_t shape_node_of(const shape* s, uint32_t joint)
{
    for (uint32_t i = 0; i < s->count; ++i)
        if (s->nodes[i].joint == joint) return i;
    return SUP_NONE;
}

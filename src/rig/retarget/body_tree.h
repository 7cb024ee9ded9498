/// rig/retarget/body_tree.h: the joints of a skeleton that may have a role, as a tree with measures.
#ifndef SUP_RIG_RETARGET_BODY_TREE_H
#define SUP_RIG_RETARGET_BODY_TREE_H

#include "rig/retarget/body_shape.h"

// No more is looked at, so that hostile trees take no longer than others.
enum { CHAIN_MAX = 64, PAIRS_MAX = 48, TWINS_MAX = 256 };

/// What ends lower than this share of the height of all joints stands on the ground.
#define SHAPE_GROUND 0.2f
/// Cosine of 35 degrees: what is less along up leads aside.
#define SHAPE_ASIDE 0.82f

/// The joints that may have a role, as a tree of their own. The last one is no joint: all roots hang on it.
typedef struct shape_node {
    uint32_t joint, parent, child, sibling; // SUP_NONE: none
    uint32_t children, depth;
    sup_vec3 at, tip; // of those without children: where the skin ends
    float    height;
    float    low, top;              // heights of the lowest and highest end below
    uint32_t low_next, long_next;   // the child on the way to the lowest end, and on the longest way
    float    low_way, long_way;     // lengths of these ways
    uint32_t low_count, long_count; // joints on them, with this one
    bool     in_leg, above_leg;
} shape_node;

typedef struct shape {
    const body_skeleton* skeleton;
    const joint_name*    names;
    sup_vec3             up;
    uint32_t             count; // without the last
    shape_node*          nodes;
    float                ground, size; // lowest height, and from there to the highest
    float                thigh_max;
} shape;

typedef struct limb_pair {
    uint32_t a, b; // nodes
    float    score;
} limb_pair;

/// Fills count, nodes, ground and size; skeleton and up are given. barred: joints that are left out; NULL: none.
sup_result shape_make_tree(shape* s, const bool* barred, sup_arena* scratch, sup_error* error);
/// The way down from a node, with it: to the lowest end, or the longest. out: room for CHAIN_MAX.
uint32_t shape_chain(const shape* s, uint32_t node, bool low, uint32_t* out);
/// Of two lengths: the shorter over the longer.
float length_ratio(float a, float b);
/// Where several short ways go on near the end of a limb. SUP_NONE: nowhere.
uint32_t shape_hand(const shape* s, uint32_t node);
uint32_t shape_node_of(const shape* s, uint32_t joint);

/// Roles of the joints of both pairs (arms may be none), whose first are the left ones; fingers, if wanted.
void shape_name_limbs(const shape* s, limb_pair legs, limb_pair arms, body_map* map, body_finger* fingers);

#endif

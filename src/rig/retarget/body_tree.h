/// rig/retarget/body_tree.h: the joints that may have a role, as a tree with measures.
#ifndef SUP_RIG_RETARGET_BODY_TREE_H
#define SUP_RIG_RETARGET_BODY_TREE_H

#include "rig/retarget/body_shape.h"

// Limits of the search, so that hostile trees take no longer than others.
enum { CHAIN_MAX = 64, PAIRS_MAX = 48, TWINS_MAX = 256 };

/// An end below this share of the height of all joints stands on the ground.
#define SHAPE_GROUND 0.2f
/// Cosine of 35 degrees: a direction whose cosine with up is smaller leads aside.
#define SHAPE_ASIDE 0.82f

/// The joints that may have a role, as a tree of their own. The last node is not a joint: all roots are its children.
typedef struct shape_node {
    uint32_t joint, parent, child, sibling; // SUP_NONE: none
    uint32_t children, depth;
    sup_vec3 at, tip; // for leaves: where the skin ends
    float    height;
    float    low, top;                // heights of the lowest and highest leaf below
    uint32_t low_next, long_next;     // the child on the path to the lowest leaf, and on the longest path
    float    low_length, long_length; // lengths of these paths
    uint32_t low_count, long_count;   // joints on them, including this one
    bool     in_leg, above_leg;
} shape_node;

typedef struct shape {
    const body_skeleton* skeleton;
    const joint_name*    names;
    sup_vec3             up;
    uint32_t             count; // not counting the last
    shape_node*          nodes;
    float                ground, size; // lowest height, and the extent from there to the highest
    float                thigh_max;
} shape;

typedef struct limb_pair {
    uint32_t a, b; // nodes
    float    score;
} limb_pair;

/// Fills count, nodes, ground and size; skeleton and up are inputs. barred: joints to leave out; NULL: none.
sup_result shape_make_tree(shape* s, const bool* barred, sup_arena* scratch, sup_error* error);
/// The path down from a node, including it: to the lowest leaf, or the longest. out: at least CHAIN_MAX.
uint32_t shape_chain(const shape* s, uint32_t node, bool low, uint32_t* out);
/// The shorter of two lengths over the longer.
float length_ratio(float a, float b);
/// The joint near the end of a limb from which several short chains continue. SUP_NONE: none.
uint32_t shape_hand(const shape* s, uint32_t node);
uint32_t shape_node_of(const shape* s, uint32_t joint);

/// Assigns roles to the joints of both pairs (arms may be absent), left limbs first; and fingers, if requested.
void shape_name_limbs(const shape* s, limb_pair legs, limb_pair arms, body_map* map, body_finger* fingers);

#endif

/// geom/search/descent.h: depth-first traversal of a hierarchy in heap order. The caller examines one node at a time and opens
/// those worth visiting; the subtree below any other node is skipped.
#ifndef SUP_GEOM_SEARCH_DESCENT_H
#define SUP_GEOM_SEARCH_DESCENT_H

#include "supple/base.h"

typedef struct sup_descent_step {
    uint32_t node;
    uint32_t other; ///< in a traversal of two nodes at once
    double   bound; ///< as the caller of sup_descent_open_nearer gave it
} sup_descent_step;

/// Room for the stack of nodes still to visit: for two nodes with 32 levels each, one per level; for pairs on one level, three.
/// A separate variable: clang keeps nothing in registers of a struct with such an array, and winding numbers took 1.7 times as
/// long.
typedef sup_descent_step sup_descent_room[128];

typedef struct sup_descent {
    sup_descent_step  at;
    uint32_t          leaf_count, waiting;
    sup_descent_step* room;
} sup_descent;

static inline void sup_descent_wait(sup_descent* d, uint32_t node, uint32_t other, double bound)
{
    d->room[d->waiting++] = (sup_descent_step){ node, other, bound };
}

static inline sup_descent sup_descent_begin(sup_descent_room room, uint32_t leaf_count, sup_descent_step first)
{
    room[0] = first;
    return (sup_descent){ .leaf_count = leaf_count, .waiting = 1, .room = room };
}

/// Sets `at` to the next node. False: nothing is left.
static inline bool sup_descent_next(sup_descent* d)
{
    if (d->waiting == 0) return false;
    d->at = d->room[--d->waiting];
    return true;
}

/// Visits the node's children next, the left one first. False: it is a leaf. (Only the node is stored here: storing the other
/// members cost winding numbers 2 %.)
static inline bool sup_descent_open(sup_descent* d)
{
    uint32_t left = 2 * d->at.node;
    if (d->at.node >= d->leaf_count) return false;
    d->room[d->waiting++].node = left + 1;
    d->room[d->waiting++].node = left;
    return true;
}

/// Visits the children of an inner node next, the one with the lower bound first; if equal, the left one.
static inline void sup_descent_open_nearer(sup_descent* d, double left, double right)
{
    bool right_first = right < left;
    sup_descent_wait(d, 2 * d->at.node + !right_first, 0, right_first ? left : right);
    sup_descent_wait(d, 2 * d->at.node + right_first, 0, right_first ? right : left);
}

/// Splits the higher of two nodes and visits each of its children together with the other node. False: both are leaves.
static inline bool sup_descent_open_pair(sup_descent* d)
{
    uint32_t a = d->at.node, b = d->at.other, leaves = d->leaf_count;
    if (a >= leaves && b >= leaves) return false;
    bool down = a < leaves && (a <= b || b >= leaves);
    for (uint32_t side = 2; side-- > 0;) sup_descent_wait(d, down ? 2 * a + side : a, down ? b : 2 * b + side, 0);
    return true;
}

#endif

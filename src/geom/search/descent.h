/// geom/search/descent.h: the way down a hierarchy in heap order, for whatever is sought there. The caller looks at one node
/// after the other and opens those that are worth it; what it does not open is left out with all that is below.
#ifndef SUP_GEOM_SEARCH_DESCENT_H
#define SUP_GEOM_SEARCH_DESCENT_H

#include "supple/base.h"

typedef struct sup_descent_step {
    uint32_t node;
    uint32_t other; ///< where two nodes go down together
    double   bound; ///< as the caller of sup_descent_open_nearer gave it
} sup_descent_step;

/// Room for what waits: of two nodes with 32 levels each, one on every level; of pairs on one level, three. A variable of its
/// own: clang keeps nothing in registers of a struct that has an array like this, and winding numbers took 1.7 times as long.
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

/// Sets `at` to what comes next. False: nothing is left.
static inline bool sup_descent_next(sup_descent* d)
{
    if (d->waiting == 0) return false;
    d->at = d->room[--d->waiting];
    return true;
}

/// The children of the node come next, the left one first. False: it is a leaf. (Only the node of a step is stored here: the
/// rest cost winding numbers 2 %.)
static inline bool sup_descent_open(sup_descent* d)
{
    uint32_t left = 2 * d->at.node;
    if (d->at.node >= d->leaf_count) return false;
    d->room[d->waiting++].node = left + 1;
    d->room[d->waiting++].node = left;
    return true;
}

/// The children of a node that is not a leaf, the one with the lower bound first; of equal ones the left.
static inline void sup_descent_open_nearer(sup_descent* d, double left, double right)
{
    bool right_first = right < left;
    sup_descent_wait(d, 2 * d->at.node + !right_first, 0, right_first ? left : right);
    sup_descent_wait(d, 2 * d->at.node + right_first, 0, right_first ? right : left);
}

/// Of two nodes the children of the higher one, each with the other node. False: both are leaves.
static inline bool sup_descent_open_pair(sup_descent* d)
{
    uint32_t a = d->at.node, b = d->at.other, leaves = d->leaf_count;
    if (a >= leaves && b >= leaves) return false;
    bool down = a < leaves && (a <= b || b >= leaves);
    for (uint32_t side = 2; side-- > 0;) sup_descent_wait(d, down ? 2 * a + side : a, down ? b : 2 * b + side, 0);
    return true;
}

#endif

/// geom/search/bvh.h: a bounding volume hierarchy of boxes over triangles. Its shape is made once from the rest points; the
/// boxes are refitted to every new set of points in the caller's memory, so many threads can share one hierarchy.
#ifndef SUP_GEOM_SEARCH_BVH_H
#define SUP_GEOM_SEARCH_BVH_H

#include "supple/base.h"

typedef struct sup_box {
    float min[3], max[3];
} sup_box;

/// A full binary tree in heap order: node 1 is the root, 2 n and 2 n + 1 are the children of n, leaf l is node
/// leaf_count + l. Leaves hold up to SUP_BVH_LEAF *slots*; slot s is triangle order[s].
enum { SUP_BVH_LEAF = 4 };
typedef struct sup_bvh {
    uint32_t        triangle_count;
    uint32_t        leaf_count; ///< a power of two
    const uint32_t* leaf_begin; ///< leaf_count + 1 slots
    const uint32_t* order;
    const uint32_t* corners; ///< three points of each slot
} sup_bvh;

sup_result sup_bvh_create(const sup_vec3* points, const uint32_t* triangles, uint32_t triangle_count, sup_arena* arena,
                          sup_bvh* out, sup_error* error);

/// The same with all leaves full but the last ones: leaf l begins at slot SUP_BVH_LEAF x l, or is empty. For callers that test
/// the slots of several leaves side by side.
sup_result sup_bvh_create_full(const sup_vec3* points, const uint32_t* triangles, uint32_t triangle_count, sup_arena* arena,
                               sup_bvh* out, sup_error* error);

/// Boxes around the given points: `nodes` 2 x leaf_count (nodes[0] is not used), `slots` one per triangle. Triangles that are a
/// point or run along an axis, or whose coordinates are not finite, get an empty box, which overlaps nothing.
void sup_bvh_refit(const sup_bvh* bvh, const sup_vec3* points, const sup_tasks* tasks, sup_box* nodes, sup_box* slots);

static inline bool sup_box_overlap(const sup_box* a, const sup_box* b)
{
    return a->min[0] <= b->max[0] && b->min[0] <= a->max[0] && a->min[1] <= b->max[1] && b->min[1] <= a->max[1] &&
           a->min[2] <= b->max[2] && b->min[2] <= a->max[2];
}

#endif

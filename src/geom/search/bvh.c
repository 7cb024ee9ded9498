#include "geom/search/bvh.h"

#include "base/internal.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- shape

typedef struct builder {
    const sup_vec3* points;
    const uint32_t* triangles;
    uint32_t*       order;
    sup_sort_item * items, *spare;
} builder;

/// Three times the centroid.
static sup_vec3 corner_sum(const builder* b, uint32_t triangle)
{
    const uint32_t* t = b->triangles + 3 * (size_t)triangle;
    sup_vec3        p = b->points[t[0]], q = b->points[t[1]], r = b->points[t[2]];
    return (sup_vec3){ p.x + q.x + r.x, p.y + q.y + r.y, p.z + q.z + r.z };
}

static float component(sup_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/// Sorts the slots [begin, end) along the axis in which the centroids spread most.
static void sort_range(builder* b, uint32_t begin, uint32_t end)
{
    float low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (uint32_t i = begin; i < end; ++i) {
        sup_vec3 c = corner_sum(b, b->order[i]);
        for (int k = 0; k < 3; ++k) {
            float x = component(c, k);
            low[k] = x < low[k] ? x : low[k];
            high[k] = x > high[k] ? x : high[k];
        }
    }
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (high[k] - low[k] > high[axis] - low[axis]) axis = k;
    for (uint32_t i = begin; i < end; ++i)
        b->items[i - begin] = (sup_sort_item){ sup_sort_key(component(corner_sum(b, b->order[i]), axis)), b->order[i] };
    sup_sort(b->items, b->spare, end - begin);
    for (uint32_t i = begin; i < end; ++i) b->order[i] = b->items[i - begin].value;
}

/// Where a node's slots are divided: in the middle, or as many as the first half of its leaves can hold.
static uint32_t divide(uint32_t begin, uint32_t end, uint32_t span, bool full)
{
    uint32_t capacity = span / 2 * SUP_BVH_LEAF;
    return full ? begin + (end - begin < capacity ? end - begin : capacity) : begin + (end - begin + 1) / 2;
}

static sup_result create(const sup_vec3* points, const uint32_t* triangles, uint32_t triangle_count, bool full,
                         sup_arena* arena, sup_bvh* out, sup_error* error)
{
    uint32_t leaves = 1;
    while ((uint64_t)leaves * SUP_BVH_LEAF < triangle_count) leaves *= 2;
    uint32_t*  leaf_begin = SUP_NEW(arena, uint32_t, (size_t)leaves + 1);
    uint32_t*  order = SUP_NEW(arena, uint32_t, triangle_count);
    uint32_t*  corners = SUP_NEW(arena, uint32_t, 3 * (size_t)triangle_count);
    sup_arena* temp = sup_arena_beside(arena);
    builder    b = { points, triangles, order, NULL, NULL };
    if (temp) {
        b.items = SUP_NEW(temp, sup_sort_item, triangle_count);
        b.spare = SUP_NEW(temp, sup_sort_item, triangle_count);
    }
    bool whole = leaf_begin && order && corners && b.items && b.spare;
    if (whole) {
        for (uint32_t i = 0; i < triangle_count; ++i) order[i] = i;
        leaf_begin[leaves] = triangle_count;
        for (uint32_t span = leaves; span > 1; span /= 2)
            for (uint32_t l = 0; l < leaves; l += span) {
                uint32_t begin = leaf_begin[l], end = leaf_begin[l + span];
                sort_range(&b, begin, end);
                leaf_begin[l + span / 2] = divide(begin, end, span, full);
            }
        for (uint32_t i = 0; i < triangle_count; ++i)
            memcpy(corners + 3 * (size_t)i, triangles + 3 * (size_t)order[i], 3 * sizeof *corners);
        *out = (sup_bvh){ triangle_count, leaves, leaf_begin, order, corners };
    }
    sup_arena_destroy(temp);
    return whole ? SUP_OK : sup_fail_memory(error, "a hierarchy of boxes");
}

sup_result sup_bvh_create(const sup_vec3* points, const uint32_t* triangles, uint32_t triangle_count, sup_arena* arena,
                          sup_bvh* out, sup_error* error)
{
    return create(points, triangles, triangle_count, false, arena, out, error);
}

sup_result sup_bvh_create_full(const sup_vec3* points, const uint32_t* triangles, uint32_t triangle_count, sup_arena* arena,
                               sup_bvh* out, sup_error* error)
{
    return create(points, triangles, triangle_count, true, arena, out, error);
}

// ---------------------------------------------------------------------------------------------- boxes

static const sup_box nowhere = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

static sup_box join(sup_box a, const sup_box* b)
{
    for (int k = 0; k < 3; ++k) {
        a.min[k] = a.min[k] < b->min[k] ? a.min[k] : b->min[k];
        a.max[k] = a.max[k] > b->max[k] ? a.max[k] : b->max[k];
    }
    return a;
}

static sup_box triangle_box(const sup_vec3* points, const uint32_t* corners)
{
    sup_box box = nowhere;
    bool    finite = true;
    for (int i = 0; i < 3; ++i) {
        sup_vec3 p = points[corners[i]];
        finite &= isfinite(p.x) && isfinite(p.y) && isfinite(p.z);
        box = join(box, &(sup_box){ { p.x, p.y, p.z }, { p.x, p.y, p.z } });
    }
    int flat = (box.min[0] == box.max[0]) + (box.min[1] == box.max[1]) + (box.min[2] == box.max[2]);
    return finite && flat < 2 ? box : nowhere;
}

typedef struct refit {
    const sup_bvh*  bvh;
    const sup_vec3* points;
    sup_box*        nodes;
    sup_box*        slots;
} refit;

static void refit_leaves(void* data, uint32_t begin, uint32_t end)
{
    const refit* r = data;
    for (uint32_t l = begin; l < end; ++l) {
        sup_box box = nowhere;
        for (uint32_t s = r->bvh->leaf_begin[l]; s < r->bvh->leaf_begin[l + 1]; ++s) {
            r->slots[s] = triangle_box(r->points, r->bvh->corners + 3 * (size_t)s);
            box = join(box, &r->slots[s]);
        }
        r->nodes[r->bvh->leaf_count + l] = box;
    }
}

void sup_bvh_refit(const sup_bvh* bvh, const sup_vec3* points, const sup_tasks* tasks, sup_box* nodes, sup_box* slots)
{
    enum { GRAIN = 256 };
    refit r = { bvh, points, nodes, slots };
    sup_tasks_run(tasks, bvh->leaf_count, GRAIN, refit_leaves, &r);
    for (uint32_t n = bvh->leaf_count; n-- > 1;) nodes[n] = join(nodes[2 * (size_t)n], &nodes[2 * (size_t)n + 1]);
}

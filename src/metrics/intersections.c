// Tests every leaf of the hierarchy against those after it. Counting runs in parallel; one thread then collects the pairs from
// the few triangles that counting has marked.
#include "metrics/meter.h"

#include "base/internal.h"
#include "base/scratch_layout.h"
#include "geom/search/descent.h"
#include "geom/search/intersect.h"

enum { GRAIN = 32 }; // leaves per task

// Work per triangle, averaged over a task, in box tests: if all triangles lie in one place it would be quadratic. Real
// characters need 1,100 at most, with layers of hair on each other, and 130 on average.
enum { WORK_MOST = 8192 };

static const uint64_t UNCOUNTED = UINT64_MAX; // marks a task that gave up

/// The smallest pairs so far, as a heap with the largest on top.
typedef struct heap {
    sup_meter_pair* pairs;
    uint32_t        count, capacity;
} heap;

typedef struct search {
    const sup_bvh*  bvh;
    const sup_vec3* points;
    sup_box*        nodes;
    sup_box*        slots;
    uint64_t*       counts; // per task
    uint8_t*        hits;   // per slot: it intersects a later one
    heap*           heap;   // collecting, or NULL
    int64_t*        left;   // work that the task may still do; below 0: it has given up
} search;

// ---------------------------------------------------------------------------------------------- heap

static bool before(sup_meter_pair p, sup_meter_pair q) { return p.a != q.a ? p.a < q.a : p.b < q.b; }

static void sink(heap* h, uint32_t at)
{
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= h->count) return;
        if (child + 1 < h->count && before(h->pairs[child], h->pairs[child + 1])) ++child;
        if (!before(h->pairs[at], h->pairs[child])) return;
        sup_meter_pair swap = h->pairs[at];
        h->pairs[at] = h->pairs[child];
        h->pairs[child] = swap;
        at = child;
    }
}

static void keep_pair(heap* h, uint32_t a, uint32_t b)
{
    sup_meter_pair pair = a < b ? (sup_meter_pair){ a, b } : (sup_meter_pair){ b, a };
    if (h->count == h->capacity) {
        if (!before(pair, h->pairs[0])) return;
        h->pairs[0] = pair;
        sink(h, 0);
        return;
    }
    uint32_t at = h->count++;
    for (; at > 0 && before(h->pairs[(at - 1) / 2], pair); at = (at - 1) / 2) h->pairs[at] = h->pairs[(at - 1) / 2];
    h->pairs[at] = pair;
}

static void sort_heap(heap* h)
{
    while (h->count > 1) {
        sup_meter_pair largest = h->pairs[0];
        h->pairs[0] = h->pairs[--h->count];
        h->pairs[h->count] = largest;
        sink(h, 0);
    }
}

// ---------------------------------------------------------------------------------------------- search

/// Boxes that only touch hold triangles that only touch, unless both are flat and in the same plane.
static bool reach_into(const sup_box* a, const sup_box* b)
{
    for (int k = 0; k < 3; ++k) {
        if (a->min[k] < b->max[k] && b->min[k] < a->max[k]) continue;
        if (!(a->min[k] == b->max[k] && b->min[k] == a->max[k])) return false;
    }
    return true;
}

/// False: the work is used up and the search is over.
static bool spend(const search* s, int64_t work) { return (*s->left -= work) >= 0; }

static bool cross(const search* s, uint32_t i, uint32_t k)
{
    if (!reach_into(&s->slots[i], &s->slots[k])) return false;
    const uint32_t *p = s->bvh->corners + 3 * (size_t)i, *q = s->bvh->corners + 3 * (size_t)k;
    if (sup_triangles_share_a_point(p, q)) return false;
    const sup_vec3 a[3] = { s->points[p[0]], s->points[p[1]], s->points[p[2]] };
    const sup_vec3 b[3] = { s->points[q[0]], s->points[q[1]], s->points[q[2]] };
    uint32_t       work = 0;
    bool           crosses = sup_triangles_cross_work(a, b, &work);
    return spend(s, work) && crosses;
}

/// Slot i against the slots [begin, end).
static uint64_t search_slots(const search* s, uint32_t i, uint32_t begin, uint32_t end)
{
    uint64_t found = 0;
    for (uint32_t k = begin; k < end && spend(s, 1); ++k) {
        if (!cross(s, i, k)) continue;
        ++found;
        if (s->heap) keep_pair(s->heap, s->bvh->order[i], s->bvh->order[k]);
    }
    if (found) s->hits[i] = 1;
    return found;
}

static uint64_t search_leaves(const search* s, uint32_t leaf, uint32_t other)
{
    const uint32_t* begin = s->bvh->leaf_begin;
    const sup_box*  box = &s->nodes[s->bvh->leaf_count + other];
    uint64_t        found = 0;
    for (uint32_t i = begin[leaf]; i < begin[leaf + 1] && spend(s, 1); ++i) {
        if (s->heap && !s->hits[i]) continue;
        if (leaf == other) found += search_slots(s, i, i + 1, begin[leaf + 1]);
        else if (sup_box_overlap(&s->slots[i], box)) found += search_slots(s, i, begin[other], begin[other + 1]);
    }
    return found;
}

/// Slot i's leaf against the leaves below a node.
static uint64_t search_node(const search* s, uint32_t leaf, uint32_t node)
{
    uint32_t         leaves = s->bvh->leaf_count;
    const sup_box*   box = &s->nodes[leaves + leaf];
    uint64_t         found = 0;
    sup_descent_room room;
    sup_descent      d = sup_descent_begin(room, leaves, (sup_descent_step){ .node = node });
    while (sup_descent_next(&d) && spend(s, 1)) {
        if (!sup_box_overlap(&s->nodes[d.at.node], box) || sup_descent_open(&d)) continue;
        found += search_leaves(s, leaf, d.at.node - leaves);
    }
    return found;
}

/// Against itself and all leaves after it: those below the right siblings on the way up.
static uint64_t search_leaf(const search* s, uint32_t leaf)
{
    uint64_t found = search_leaves(s, leaf, leaf);
    for (uint32_t node = s->bvh->leaf_count + leaf; node > 1; node /= 2)
        if (node % 2 == 0) found += search_node(s, leaf, node + 1);
    return found;
}

static void count_pairs(void* data, uint32_t begin, uint32_t end)
{
    search   own = *(const search*)data, *s = &own;
    uint64_t found = 0;
    int64_t  left = WORK_MOST * (int64_t)(s->bvh->leaf_begin[end] - s->bvh->leaf_begin[begin]);
    s->left = &left;
    for (uint32_t l = begin; l < end; ++l) {
        for (uint32_t i = s->bvh->leaf_begin[l]; i < s->bvh->leaf_begin[l + 1]; ++i) s->hits[i] = 0;
        found += search_leaf(s, l);
    }
    s->counts[begin / GRAIN] = left < 0 ? UNCOUNTED : found;
}

static uint32_t task_count(const sup_bvh* bvh) { return (bvh->leaf_count + GRAIN - 1) / GRAIN; }

static size_t lay_out(const sup_bvh* bvh, void* scratch, search* s)
{
    sup_layout l = { .base = scratch };
    s->nodes = sup_layout_add(&l, 2 * (size_t)bvh->leaf_count, sizeof *s->nodes);
    s->slots = sup_layout_add(&l, bvh->triangle_count, sizeof *s->slots);
    s->counts = sup_layout_add(&l, task_count(bvh), sizeof *s->counts);
    s->hits = sup_layout_add(&l, bvh->triangle_count, sizeof *s->hits);
    return l.used;
}

size_t sup_meter_scratch(const sup_meter* meter)
{
    search s;
    return lay_out(&meter->bvh, NULL, &s);
}

uint32_t sup_meter_intersections(const sup_meter* meter, const sup_vec3* points, void* scratch, const sup_tasks* tasks,
                                 sup_meter_pair* pairs, uint32_t capacity)
{
    SUP_ASSERT(meter && points && scratch);
    const sup_bvh* b = &meter->bvh;
    search         s = { .bvh = b, .points = points };
    lay_out(b, scratch, &s);
    sup_bvh_refit(b, points, tasks, s.nodes, s.slots);
    sup_tasks_run(tasks, b->leaf_count, GRAIN, count_pairs, &s);
    uint64_t total = 0;
    for (uint32_t i = 0; i < task_count(b); ++i) {
        if (s.counts[i] == UNCOUNTED) return SUP_METER_UNCOUNTED;
        total += s.counts[i];
    }
    if (total > 0 && pairs && capacity > 0) {
        heap    h = { pairs, 0, capacity };
        int64_t left = INT64_MAX; // counting has shown that the work is bounded
        s.heap = &h;
        s.left = &left;
        for (uint32_t l = 0; l < b->leaf_count; ++l)
            for (uint32_t i = b->leaf_begin[l]; i < b->leaf_begin[l + 1]; ++i)
                if (s.hits[i]) {
                    search_leaf(&s, l);
                    break;
                }
        sort_heap(&h);
    }
    return total < SUP_METER_UNCOUNTED ? (uint32_t)total : SUP_METER_UNCOUNTED;
}

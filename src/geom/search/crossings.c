#include "geom/search/crossings.h"

#include "base/internal.h"
#include "geom/search/bvh.h"
#include "geom/search/descent.h"
#include "geom/search/intersect.h"

// Boxes and triangles that may be tested per triangle; a test of whether two triangles cross counts at its own cost. Characters
// with clothes need up to 1000. Where faces are stacked on one edge or in one place, each sees all the others, and the work
// would grow as their square.
enum { LOOKS_MOST = 8192, REPORT_EVERY = 4096 };

typedef struct search {
    const sup_vec3* points;
    sup_bvh         bvh;
    sup_box *       nodes, *slots;
    uint64_t        looks, most;
} search;

static bool cross(search* w, uint32_t s, uint32_t t)
{
    const uint32_t *p = w->bvh.corners + 3 * (size_t)s, *q = w->bvh.corners + 3 * (size_t)t;
    for (int i = 0; i < 3; ++i)
        if (p[i] == q[0] || p[i] == q[1] || p[i] == q[2]) return false;
    const sup_vec3* x = w->points;
    const sup_vec3  a[3] = { x[p[0]], x[p[1]], x[p[2]] }, b[3] = { x[q[0]], x[q[1]], x[q[2]] };
    uint32_t        looks = 0;
    bool            crosses = sup_triangles_cross_work(a, b, &looks);
    w->looks += looks;
    return crosses;
}

static bool crosses_any(search* w, uint32_t slot)
{
    const sup_bvh*   b = &w->bvh;
    sup_descent_room room;
    sup_descent      d = sup_descent_begin(room, b->leaf_count, (sup_descent_step){ .node = 1 });
    while (w->looks <= w->most && sup_descent_next(&d)) {
        uint32_t node = d.at.node;
        ++w->looks;
        if (!sup_box_overlap(&w->nodes[node], &w->slots[slot]) || sup_descent_open(&d)) continue;
        for (uint32_t s = b->leaf_begin[node - b->leaf_count]; s < b->leaf_begin[node - b->leaf_count + 1]; ++s)
            if (s != slot && sup_box_overlap(&w->slots[s], &w->slots[slot]) && cross(w, slot, s)) return true;
    }
    return false;
}

static sup_result find(search* w, uint32_t count, const sup_progress* progress, bool* out, sup_crossings* report,
                       sup_error* error)
{
    for (uint32_t s = 0; s < count; ++s) {
        if (s % REPORT_EVERY == 0 && !sup_progress_report(progress, (double)s / count, "contacts"))
            return sup_fail(error, SUP_ERROR_CANCELLED, "stopped");
        bool crosses = crosses_any(w, s);
        out[w->bvh.order[s]] = crosses;
        report->count += crosses;
    }
    report->crowded = w->looks > w->most;
    return SUP_OK;
}

sup_result sup_find_crossings(const sup_vec3* points, const uint32_t* triangles, uint32_t triangle_count,
                              const sup_progress* progress, sup_arena* temporary, bool* out, sup_crossings* report,
                              sup_error* error)
{
    search     w = { .points = points, .most = LOOKS_MOST * (uint64_t)triangle_count };
    sup_result r = sup_bvh_create(points, triangles, triangle_count, temporary, &w.bvh, error);
    *report = (sup_crossings){ 0 };
    if (r != SUP_OK) return r;
    w.nodes = SUP_NEW(temporary, sup_box, 2 * (size_t)w.bvh.leaf_count);
    w.slots = SUP_NEW(temporary, sup_box, triangle_count);
    if (!w.nodes || !w.slots) return sup_fail_memory(error, "what crosses at rest");
    sup_bvh_refit(&w.bvh, points, NULL, w.nodes, w.slots);
    return find(&w, triangle_count, progress, out, report, error);
}

// Skin that the clips push through other skin. A wave in it would cut the other skin along a longer line, so folds are gone by
// the compression at which it first gets there.
#include "base/heap.h"
#include "base/internal.h"
#include "deform/wrinkle/wrinkle.h"
#include "geom/search/intersect.h"
#include "math/vec.h"

#include <string.h>

enum {
    GRAIN = 32,   // leaves of one task
    DEEPEST = 64, // levels of the hierarchy, 32 at most
    WORK =
        8192, // boxes compared for one triangle: where all lie in one place it would be quadratic, and they count as crossing
};

// The line along which skin crosses moves between the sampled poses. Around a place that crosses the limit stays what it is
// for the first number of wavelengths, then rises by 1 over the second.
#define KEPT 0.25f
#define RAMP 2.0f

sup_result sup_wrinkle_tree_create(const sup_mesh* mesh, sup_arena* arena, wrinkle_tree* out, sup_error* error)
{
    sup_result result = sup_bvh_create(mesh->points, mesh->triangles, mesh->triangle_count, arena, &out->bvh, error);
    if (result != SUP_OK) return result;
    out->nodes = SUP_NEW(arena, sup_box, 2 * (size_t)out->bvh.leaf_count);
    out->slots = SUP_NEW(arena, sup_box, (size_t)out->bvh.triangle_count + 1);
    return out->nodes && out->slots ? SUP_OK : sup_fail_memory(error, "wrinkle");
}

// ---------------------------------------------------------------------------------------------- one pose

typedef struct search {
    const wrinkle_tree* tree;
    const sup_vec3*     points;
    const float*        pressed;
    float               threshold;
    bool*               crosses; // by slot
} search;

static bool share_a_point(const uint32_t* s, const uint32_t* t)
{
    for (int i = 0; i < 3; ++i)
        if (s[i] == t[0] || s[i] == t[1] || s[i] == t[2]) return true;
    return false;
}

static bool folds(const search* s, const uint32_t* corners)
{
    bool any = false;
    for (int k = 0; k < 3; ++k) any |= s->pressed[corners[k]] > s->threshold;
    return any;
}

static bool cross(const search* s, uint32_t i, uint32_t k, uint32_t* work)
{
    const uint32_t *p = s->tree->bvh.corners + 3 * (size_t)i, *q = s->tree->bvh.corners + 3 * (size_t)k;
    if (!sup_box_overlap(&s->tree->slots[i], &s->tree->slots[k]) || share_a_point(p, q)) return false;
    const sup_vec3 a[3] = { s->points[p[0]], s->points[p[1]], s->points[p[2]] };
    const sup_vec3 b[3] = { s->points[q[0]], s->points[q[1]], s->points[q[2]] };
    return sup_triangles_cross_work(a, b, work);
}

static bool crosses_any(const search* s, uint32_t slot)
{
    const sup_bvh* tree = &s->tree->bvh;
    uint32_t       stack[DEEPEST], depth = 0, work = 0;
    stack[depth++] = 1;
    while (depth > 0) {
        uint32_t node = stack[--depth];
        if (++work > WORK) return true;
        if (!sup_box_overlap(&s->tree->nodes[node], &s->tree->slots[slot])) continue;
        if (node < tree->leaf_count) {
            stack[depth++] = 2 * node + 1;
            stack[depth++] = 2 * node;
            continue;
        }
        for (uint32_t k = tree->leaf_begin[node - tree->leaf_count]; k < tree->leaf_begin[node - tree->leaf_count + 1]; ++k)
            if (k != slot && cross(s, slot, k, &work)) return true;
    }
    return false;
}

// Only triangles that fold in this pose are looked at, against all others.
static void find(void* data, uint32_t begin, uint32_t end)
{
    const search*  s = data;
    const sup_bvh* tree = &s->tree->bvh;
    for (uint32_t i = tree->leaf_begin[begin]; i < tree->leaf_begin[end]; ++i)
        s->crosses[i] = folds(s, tree->corners + 3 * (size_t)i) && crosses_any(s, i);
}

void sup_wrinkle_contact(const wrinkle_tree* tree, const sup_vec3* points, const float* pressed, float threshold,
                         const sup_tasks* tasks, bool* crosses, float* limits)
{
    search s = { tree, points, pressed, threshold, crosses };
    sup_bvh_refit(&tree->bvh, points, tasks, tree->nodes, tree->slots);
    sup_tasks_run(tasks, tree->bvh.leaf_count, GRAIN, find, &s);
    for (uint32_t i = 0; i < tree->bvh.triangle_count; ++i)
        for (int k = 0; k < 3 && crosses[i]; ++k) {
            uint32_t p = tree->bvh.corners[3 * (size_t)i + (size_t)k];
            if (pressed[p] > threshold && pressed[p] < limits[p]) limits[p] = pressed[p];
        }
}

// ---------------------------------------------------------------------------------------------- around it

// Of all places around, the least of limit + what it has risen on the way. Bits of floats that are not negative have their
// order.
sup_result sup_wrinkle_contact_spread(const wrinkle_frames* f, const float* wavelengths, sup_arena* temporary, float* limits,
                                      sup_error* error)
{
    const sup_topology* t = f->topology;
    const sup_vec3*     points = f->mesh->points;
    uint32_t            n = f->mesh->point_count, bits;
    sup_heap            heap = { .items = SUP_NEW(temporary, uint64_t, (size_t)t->ring_begin[n] + n + 1) };
    if (!heap.items) return sup_fail_memory(error, "wrinkle");
    for (uint32_t p = 0; p < n; ++p) {
        if (!(limits[p] < WRINKLE_UNLIMITED)) continue;
        memcpy(&bits, &limits[p], sizeof bits);
        sup_heap_push(&heap, (uint64_t)bits << 32 | p);
    }
    while (heap.count) {
        uint64_t item = sup_heap_pop(&heap);
        uint32_t p = (uint32_t)item;
        memcpy(&bits, &limits[p], sizeof bits);
        if (bits != (uint32_t)(item >> 32)) continue;
        for (uint32_t k = t->ring_begin[p]; k < t->ring_begin[p + 1]; ++k) {
            uint32_t q = t->ring[k];
            float    next = limits[p] + v3_distance(points[p], points[q]) / (RAMP * wavelengths[q]);
            if (!(next < limits[q])) continue;
            limits[q] = next;
            memcpy(&bits, &next, sizeof bits);
            sup_heap_push(&heap, (uint64_t)bits << 32 | q);
        }
    }
    for (uint32_t p = 0; p < n; ++p)
        if (limits[p] < WRINKLE_UNLIMITED) limits[p] = fmaxf(limits[p] - KEPT / RAMP, 0);
    return SUP_OK;
}

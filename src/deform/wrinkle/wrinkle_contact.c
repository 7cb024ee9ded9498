// Skin that the clips push through other skin. A wave there would cut the other skin along a longer line, so folds vanish below
// the compression at which it first crosses.
#include "base/heap.h"
#include "base/internal.h"
#include "deform/wrinkle/wrinkle.h"
#include "geom/search/descent.h"
#include "geom/search/intersect.h"
#include "math/vec.h"

#include <string.h>

enum { BRANCHES = 256 }; // leaves of the hierarchy per task

// Box and triangle tests allowed per leaf: if everything lies in one place they would be quadratic. For one pose, averaged over
// a branch; the most of 20 characters was 1,925.
#define WORK_POSE 8192
// The same averaged over all leaves and poses, on top of a free allowance. Their most in any pose was 361.
#define WORK_MEAN 512
#define WORK_FIRST 4096

// What a search knows about a triangle.
enum { CLOSED, OPEN, CROSSES };

// The line along which skin crosses moves between the sampled poses. Around a crossing the limit is constant for the first
// number of wavelengths, then rises by 1 over the second.
#define KEPT 0.25f
#define RAMP 2.0f
// A limit that drops by less is not news: it is kept at twice that distance.
#define NEWS (0.5f * KEPT / RAMP)

sup_result sup_wrinkle_tree_create(const sup_mesh* mesh, sup_arena* arena, wrinkle_tree* out, sup_error* error)
{
    out->point_count = mesh->point_count;
    sup_result result = sup_bvh_create(mesh->points, mesh->triangles, mesh->triangle_count, arena, &out->bvh, error);
    if (result != SUP_OK) return result;
    out->nodes = SUP_NEW(arena, sup_box, 2 * (size_t)out->bvh.leaf_count);
    out->slots = SUP_NEW(arena, sup_box, (size_t)out->bvh.triangle_count + 1);
    out->open = SUP_NEW(arena, uint8_t, 2 * (size_t)out->bvh.leaf_count);
    out->marks = SUP_NEW(arena, uint8_t, (size_t)out->bvh.triangle_count + 1);
    out->left = (int64_t)WORK_FIRST * out->bvh.leaf_count;
    return out->nodes && out->slots && out->open && out->marks ? SUP_OK : sup_fail_memory(error, "wrinkle");
}

// ---------------------------------------------------------------------------------------------- one pose

typedef struct search {
    const wrinkle_tree* tree;
    const sup_vec3*     points;
    const float*        pressed;
    float               threshold;
    const float*        limits;
    uint32_t            branches;
    int64_t*            used; // by branch
} search;

// Whether a crossing would be news: some corner folds and is compressed less than where it was seen to cross.
static bool matters(const search* s, uint32_t slot)
{
    bool any = false;
    for (int k = 0; k < 3; ++k) {
        uint32_t p = s->tree->bvh.corners[3 * (size_t)slot + (size_t)k];
        any |= s->pressed[p] > s->threshold && s->pressed[p] < s->limits[p];
    }
    return any;
}

static bool cross(const search* s, uint32_t i, uint32_t k, uint32_t* work)
{
    const uint32_t *p = s->tree->bvh.corners + 3 * (size_t)i, *q = s->tree->bvh.corners + 3 * (size_t)k;
    if (!sup_box_overlap(&s->tree->slots[i], &s->tree->slots[k]) || sup_triangles_share_a_point(p, q)) return false;
    const sup_vec3 a[3] = { s->points[p[0]], s->points[p[1]], s->points[p[2]] };
    const sup_vec3 b[3] = { s->points[q[0]], s->points[q[1]], s->points[q[2]] };
    return sup_triangles_cross_work(a, b, work);
}

static void search_leaves(const search* s, uint32_t leaf, uint32_t other, int64_t* left)
{
    const sup_bvh* tree = &s->tree->bvh;
    for (uint32_t i = tree->leaf_begin[leaf]; i < tree->leaf_begin[leaf + 1]; ++i) {
        if (s->tree->marks[i] != OPEN) continue;
        --*left;
        if (!sup_box_overlap(&s->tree->slots[i], &s->tree->nodes[tree->leaf_count + other])) continue;
        for (uint32_t k = tree->leaf_begin[other]; k < tree->leaf_begin[other + 1] && s->tree->marks[i] == OPEN; ++k) {
            uint32_t work = 1;
            if (k != i && cross(s, i, k, &work)) s->tree->marks[i] = CROSSES;
            *left -= work;
        }
    }
}

// Tests the open leaves below a node against all others, descending on both sides together.
static void search_branch(const search* s, uint32_t branch, int64_t* left)
{
    const sup_box*   boxes = s->tree->nodes;
    const uint32_t   leaves = s->tree->bvh.leaf_count;
    sup_descent_room room;
    sup_descent      d = sup_descent_begin(room, leaves, (sup_descent_step){ .node = branch, .other = 1 });
    while (sup_descent_next(&d) && --*left >= 0) {
        uint32_t a = d.at.node, b = d.at.other;
        if (!s->tree->open[a] || !sup_box_overlap(&boxes[a], &boxes[b]) || sup_descent_open_pair(&d)) continue;
        search_leaves(s, a - leaves, b - leaves, left);
    }
}

// Marks what is open below a node, and returns how many leaves that is.
static uint32_t open_branch(const search* s, uint32_t branch)
{
    const sup_bvh* tree = &s->tree->bvh;
    uint32_t       first = branch, count = 1;
    for (; first < tree->leaf_count; first *= 2) count *= 2;
    for (uint32_t node = first; node < first + count; ++node) {
        s->tree->open[node] = 0;
        for (uint32_t i = tree->leaf_begin[node - tree->leaf_count]; i < tree->leaf_begin[node - tree->leaf_count + 1]; ++i) {
            s->tree->marks[i] = matters(s, i) ? OPEN : CLOSED;
            if (s->tree->marks[i] == OPEN) s->tree->open[node] = 1;
        }
    }
    for (uint32_t at = first / 2, wide = count / 2; at >= branch && wide; at /= 2, wide /= 2)
        for (uint32_t node = at; node < at + wide; ++node)
            s->tree->open[node] = s->tree->open[2 * node] | s->tree->open[2 * node + 1];
    return count;
}

static void find(void* data, uint32_t begin, uint32_t end)
{
    const search*   s = data;
    const uint32_t* slots = s->tree->bvh.leaf_begin;
    for (uint32_t branch = begin; branch < end; ++branch) {
        uint32_t count = open_branch(s, s->branches + branch), first = branch * count;
        int64_t  left = (int64_t)WORK_POSE * count;
        search_branch(s, s->branches + branch, &left);
        s->used[branch] = (int64_t)WORK_POSE * count - left;
        for (uint32_t i = slots[first]; i < slots[first + count] && left < 0; ++i)
            if (s->tree->marks[i] == OPEN) s->tree->marks[i] = CROSSES;
    }
}

bool sup_wrinkle_contact(wrinkle_tree* tree, const sup_vec3* points, const float* pressed, float threshold,
                         const sup_tasks* tasks, float* limits)
{
    uint32_t branches = tree->bvh.leaf_count < BRANCHES ? tree->bvh.leaf_count : BRANCHES; // powers of two
    int64_t  used[BRANCHES];
    search   s = { tree, points, pressed, threshold, limits, branches, used };
    if (tree->left < 0) return false;
    sup_bvh_refit(&tree->bvh, points, tasks, tree->nodes, tree->slots);
    sup_tasks_run(tasks, branches, 1, find, &s);
    bool news = false;
    tree->left += (int64_t)WORK_MEAN * tree->bvh.leaf_count;
    for (uint32_t i = 0; i < branches; ++i) tree->left -= used[i];
    // Unknown crossings may remain: no point folds.
    for (uint32_t p = 0; p < tree->point_count && tree->left < 0; ++p) limits[p] = 0;
    for (uint32_t i = 0; i < tree->bvh.triangle_count; ++i)
        for (int k = 0; k < 3 && tree->marks[i] == CROSSES; ++k) {
            uint32_t p = tree->bvh.corners[3 * (size_t)i + (size_t)k];
            if (!(pressed[p] > threshold && pressed[p] < limits[p])) continue;
            news |= limits[p] - pressed[p] > NEWS;
            limits[p] = pressed[p];
        }
    return news;
}

// ---------------------------------------------------------------------------------------------- around it

// The minimum over all places of value + its rise along the distance. Bits of nonnegative floats sort like the floats.
sup_result sup_wrinkle_spread_least(const wrinkle_frames* f, const float* wavelengths, float rise, float none,
                                    sup_arena* temporary, float* values, sup_error* error)
{
    const sup_topology* t = f->topology;
    const sup_vec3*     points = f->mesh->points;
    uint32_t            n = f->mesh->point_count, bits;
    sup_heap            heap = { .items = SUP_NEW(temporary, uint64_t, (size_t)t->ring_begin[n] + n + 1) };
    if (!heap.items) return sup_fail_memory(error, "wrinkle");
    for (uint32_t p = 0; p < n; ++p) {
        if (!(values[p] < none)) continue;
        memcpy(&bits, &values[p], sizeof bits);
        sup_heap_push(&heap, (uint64_t)bits << 32 | p);
    }
    while (heap.count) {
        uint64_t item = sup_heap_pop(&heap);
        uint32_t p = (uint32_t)item;
        memcpy(&bits, &values[p], sizeof bits);
        if (bits != (uint32_t)(item >> 32)) continue;
        for (uint32_t k = t->ring_begin[p]; k < t->ring_begin[p + 1]; ++k) {
            uint32_t q = t->ring[k];
            float    next = values[p] + rise * v3_distance(points[p], points[q]) / wavelengths[q];
            if (!(next < values[q])) continue;
            values[q] = next;
            memcpy(&bits, &next, sizeof bits);
            sup_heap_push(&heap, (uint64_t)bits << 32 | q);
        }
    }
    return SUP_OK;
}

sup_result sup_wrinkle_contact_spread(const wrinkle_frames* f, const float* wavelengths, sup_arena* temporary, float* limits,
                                      sup_error* error)
{
    sup_result result = sup_wrinkle_spread_least(f, wavelengths, 1 / RAMP, WRINKLE_UNLIMITED, temporary, limits, error);
    for (uint32_t p = 0; p < f->mesh->point_count && result == SUP_OK; ++p)
        if (limits[p] < WRINKLE_UNLIMITED) limits[p] = fmaxf(limits[p] - KEPT / RAMP, 0);
    return result;
}

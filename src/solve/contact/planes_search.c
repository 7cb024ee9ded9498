// Which pairs of triangles may come near each other in the coming substeps: boxes from the leaves up, the hierarchy against
// itself from the root down, and eight triangles at a time where it ends.
#include "solve/contact/planes_internal.h"

#include <math.h>
#include <string.h>

enum { GRAIN_PACKS = 64, STACK = 192 };
enum { COUPLES_MOST = 128 }; // pairs of packs that a search may test, per pack

// The mean motion of all points sweeps nothing.
static void expect(planes_run* r)
{
    double   sum[3] = { 0 };
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->p->point_count; ++i) {
        sup_vec4 f = r->from[i];
        sup_vec3 way = v3_scale(v3(r->x[i].x - f.x, r->x[i].y - f.y, r->x[i].z - f.z), 1 / r->span);
        float    stray = r->p->strays[i];
        r->m.begin[i] = f;
        r->m.way[i] = (sup_vec4){ way.x, way.y, way.z, stray * stray };
        if (!v3_finite(way)) continue;
        sum[0] += (double)way.x, sum[1] += (double)way.y, sum[2] += (double)way.z;
        ++count;
    }
    r->m.header->shift = count ? v3((float)(sum[0] / count), (float)(sum[1] / count), (float)(sum[2] / count)) : v3(0, 0, 0);
}

/// A point that has strayed is assumed to keep moving as in this substep, and to have always moved so.
static void expect_again(planes_run* r)
{
    for (uint32_t i = 0; i < r->p->point_count; ++i) {
        if (!r->m.stirred[i]) continue;
        sup_vec4 *f = &r->m.begin[i], *w = &r->m.way[i];
        w->x = r->x[i].x - r->from[i].x, w->y = r->x[i].y - r->from[i].y, w->z = r->x[i].z - r->from[i].z;
        f->x = r->x[i].x - r->passed * w->x, f->y = r->x[i].y - r->passed * w->y, f->z = r->x[i].z - r->passed * w->z;
    }
}

static void measure_task(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_planes_measure)(data, begin, end); }

static void box_leaf(const planes_run* r, uint32_t leaf, planes_box* out)
{
    for (int i = 0; i < 3; ++i) {
        float low = INFINITY, high = -INFINITY;
        for (int k = 0; k < PLANES_PACK && leaf < r->p->pack_count; ++k) {
            const planes_bounds* b = &r->m.bounds[leaf];
            float                least = b->min[i][k] - b->reach[k], most = b->max[i][k] + b->reach[k];
            low = least < low ? least : low;
            high = most > high ? most : high;
        }
        out->min[i] = low;
        out->max[i] = high;
    }
    out->min[3] = out->max[3] = 0;
}

static void refit(planes_run* r)
{
    uint32_t    leaves = r->p->leaf_count;
    planes_box* nodes = r->m.nodes;
    uint8_t*    fresh = r->m.fresh;
    sup_tasks_run(r->call->tasks, r->p->pack_count, GRAIN_PACKS, measure_task, r);
    for (uint32_t n = 2 * leaves; n-- > 1;) {
        if (n >= leaves) {
            if (n - leaves >= r->p->pack_count) fresh[n] = 0;
            if (!r->partial || fresh[n]) box_leaf(r, n - leaves, &nodes[n]);
            continue;
        }
        const planes_box *a = &nodes[2 * (size_t)n], *b = a + 1;
        fresh[n] = fresh[2 * (size_t)n] | fresh[2 * (size_t)n + 1];
        if (r->partial && !fresh[n]) continue;
        for (int i = 0; i < 4; ++i) {
            nodes[n].min[i] = a->min[i] < b->min[i] ? a->min[i] : b->min[i];
            nodes[n].max[i] = a->max[i] > b->max[i] ? a->max[i] : b->max[i];
        }
    }
}

static bool overlap(const planes_box* a, const planes_box* b)
{
    return i4_bits((f4_load(a->min) <= f4_load(b->max)) & (f4_load(b->min) <= f4_load(a->max))) == 15;
}

// ---------------------------------------------------------------------------------------------- descent

/// Can stop when a wave is full, and resume.
typedef struct descent {
    uint32_t stack[STACK][2], depth; // at most three more than were taken, on each of 32 levels
} descent;

static void push(descent* d, uint32_t a, uint32_t b)
{
    d->stack[d->depth][0] = a;
    d->stack[d->depth++][1] = b;
}

static void descend(planes_run* r, descent* d)
{
    uint32_t       leaves = r->p->leaf_count;
    const uint8_t* fresh = r->m.fresh;
    r->couple_count = 0;
    while (d->depth > 0 && r->couple_count < PLANES_CHUNK * PLANES_WAVE) {
        uint32_t a = d->stack[--d->depth][0], b = d->stack[d->depth][1];
        if (!(fresh[a] | fresh[b]) || (a != b && !overlap(&r->m.nodes[a], &r->m.nodes[b]))) continue;
        if (a >= leaves) {
            r->m.couples[2 * (size_t)r->couple_count] = a - leaves;
            r->m.couples[2 * (size_t)r->couple_count++ + 1] = b - leaves;
            continue;
        }
        push(d, 2 * a + 1, 2 * b + 1);
        if (a != b) push(d, 2 * a + 1, 2 * b);
        push(d, 2 * a, 2 * b + 1);
        push(d, 2 * a, 2 * b);
    }
}

static void sift_task(void* data, uint32_t begin, uint32_t end)
{
    const planes_run* r = data;
    for (uint32_t chunk = begin; chunk < end; ++chunk) {
        uint32_t first = chunk * PLANES_CHUNK, last = first + PLANES_CHUNK;
        if (last > r->couple_count) last = r->couple_count;
        r->m.counts[chunk] = SUP_WIDE_PICK(sup_planes_sift)(r, first, last, r->m.slices + (size_t)chunk * PLANES_ROOM);
    }
}

// ---------------------------------------------------------------------------------------------- the list

static void put(planes_run* r, uint32_t index, const planes_pair* pair)
{
    planes_block* b = &r->m.blocks[index / SUP_LANES];
    uint32_t      lane = index % SUP_LANES;
    if (lane == 0) {
        memset(b, 0, sizeof *b);
        r->m.dead[index / SUP_LANES] = r->m.planar[index / SUP_LANES] = 0;
    }
    b->a[lane] = pair->a;
    b->b[lane] = pair->b;
    for (int c = 0; c < 3; ++c) b->axis[c][lane] = pair->axis[c];
}

/// Tests everything fresh against everything, and appends to the list.
static bool look(planes_run* r)
{
    uint64_t left = PLANES_CHUNK * PLANES_WAVE + COUPLES_MOST * (uint64_t)r->p->pack_count;
    descent  d = { .depth = 0 };
    refit(r);
    push(&d, 1, 1);
    while (d.depth > 0) {
        descend(r, &d);
        uint32_t chunks = (r->couple_count + PLANES_CHUNK - 1) / PLANES_CHUNK;
        if (r->couple_count > left) return false;
        left -= r->couple_count;
        sup_tasks_run(r->call->tasks, chunks, 1, sift_task, r);
        for (uint32_t k = 0; k < chunks; ++k)
            for (uint32_t i = 0; i < r->m.counts[k]; ++i) {
                if (r->m.header->pair_count == SUP_LANES * r->p->capacity) return false;
                put(r, r->m.header->pair_count++, &r->m.slices[(size_t)k * PLANES_ROOM + i]);
            }
    }
    return true;
}

bool sup_planes_search(planes_run* r)
{
    r->m.header->pair_count = 0;
    r->partial = false;
    r->since = 0;
    expect(r);
    return look(r);
}

bool sup_planes_search_again(planes_run* r)
{
    const uint8_t* stirred = r->m.stirred;
    for (uint32_t i = 0; i < r->m.header->pair_count; ++i) {
        const planes_block* b = &r->m.blocks[i / SUP_LANES];
        uint32_t            lane = i % SUP_LANES, corners[6], any = 0;
        planes_corners(r->p, b->a[lane], b->b[lane], corners);
        for (int k = 0; k < 6; ++k) any |= stirred[corners[k]];
        if (any) r->m.dead[i / SUP_LANES] = (uint8_t)(r->m.dead[i / SUP_LANES] | 1u << lane);
    }
    r->partial = true;
    r->since = r->passed - 1;
    expect_again(r);
    return look(r);
}

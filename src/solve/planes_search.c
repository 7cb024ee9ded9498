// Which pairs of triangles may come near each other in the substeps to come: boxes from the leaves up, the hierarchy against
// itself from the root down, and where it ends, eight triangles at a time.
#include "solve/planes_internal.h"

#include <math.h>
#include <string.h>

enum { GRAIN_PACKS = 64, STACK = 192 };
enum { COUPLES_MOST = 128 }; // pairs of packs that a search may look at, for each pack

// What all move by in the mean sweeps nothing.
static void expect(planes_run* r)
{
    double   sum[3] = { 0 };
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->p->point_count; ++i) {
        sup_vec4 f = r->from[i];
        sup_vec3 way = v3(r->x[i].x - f.x, r->x[i].y - f.y, r->x[i].z - f.z);
        float    stray = PLANES_STRAY * r->p->units[i];
        r->m.begin[i] = f;
        r->m.way[i] = (sup_vec4){ way.x, way.y, way.z, stray * stray };
        if (!v3_finite(way)) continue;
        sum[0] += (double)way.x, sum[1] += (double)way.y, sum[2] += (double)way.z;
        ++count;
    }
    r->shift = count ? v3((float)(sum[0] / count), (float)(sum[1] / count), (float)(sum[2] / count)) : v3(0, 0, 0);
}

static void measure_task(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_planes_measure)(data, begin, end); }

static void refit(planes_run* r)
{
    uint32_t    packs = r->p->pack_count;
    planes_box* nodes = r->m.nodes;
    sup_tasks_run(r->call->tasks, packs, GRAIN_PACKS, measure_task, r);
    for (uint32_t n = 2 * packs; n-- > 1;)
        for (int i = 0; i < 3; ++i) {
            float low = INFINITY, high = -INFINITY;
            if (n < packs) {
                const planes_box *a = &nodes[2 * (size_t)n], *b = a + 1;
                low = a->min[i] < b->min[i] ? a->min[i] : b->min[i];
                high = a->max[i] > b->max[i] ? a->max[i] : b->max[i];
            } else
                for (int k = 0; k < PLANES_PACK; ++k) {
                    const planes_way* w = &r->m.ways[n - packs];
                    low = w->min[i][k] < low ? w->min[i][k] : low;
                    high = w->max[i][k] > high ? w->max[i][k] : high;
                }
            nodes[n].min[i] = low;
            nodes[n].max[i] = high;
            nodes[n].min[3] = nodes[n].max[3] = 0;
        }
}

static bool overlap(const planes_box* a, const planes_box* b)
{
    return i4_bits((f4_load(a->min) <= f4_load(b->max)) & (f4_load(b->min) <= f4_load(a->max))) == 15;
}

// ---------------------------------------------------------------------------------------------- descent

/// Can be left when a wave is full, and taken up again.
typedef struct descent {
    uint32_t stack[STACK][2], depth; // at most three more than taken, on each of 32 levels
} descent;

static void push(descent* d, uint32_t a, uint32_t b)
{
    d->stack[d->depth][0] = a;
    d->stack[d->depth++][1] = b;
}

static void descend(planes_run* r, descent* d)
{
    uint32_t packs = r->p->pack_count;
    r->couple_count = 0;
    while (d->depth > 0 && r->couple_count < PLANES_CHUNK * PLANES_WAVE) {
        uint32_t a = d->stack[--d->depth][0], b = d->stack[d->depth][1];
        if (a != b && !overlap(&r->m.nodes[a], &r->m.nodes[b])) continue;
        if (a >= packs) {
            r->m.couples[2 * (size_t)r->couple_count] = a - packs;
            r->m.couples[2 * (size_t)r->couple_count++ + 1] = b - packs;
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
        planes_pair* out = r->m.slices + (size_t)chunk * PLANES_ROOM;
        uint32_t     count = 0, last = (chunk + 1) * PLANES_CHUNK;
        for (uint32_t i = chunk * PLANES_CHUNK; i < last && i < r->couple_count; ++i) {
            count +=
                SUP_WIDE_PICK(sup_planes_sift)(r, r->m.couples[2 * (size_t)i], r->m.couples[2 * (size_t)i + 1], out + count);
        }
        r->m.counts[chunk] = count;
    }
}

// ---------------------------------------------------------------------------------------------- the list

static void put(planes_run* r, uint32_t index, const planes_pair* pair)
{
    planes_block* b = &r->m.blocks[index / SUP_LANES];
    uint32_t      lane = index % SUP_LANES;
    if (lane == 0) memset(b, 0, sizeof *b);
    const planes_pack *p = &r->p->packs[pair->a / PLANES_PACK], *q = &r->p->packs[pair->b / PLANES_PACK];
    uint32_t           i = pair->a % PLANES_PACK, k = pair->b % PLANES_PACK;
    for (int c = 0; c < 3; ++c) {
        b->corners[c][lane] = p->corners[c][i];
        b->corners[c + 3][lane] = q->corners[c][k];
        b->axis[c][lane] = pair->axis[c];
    }
    b->gap[lane] = p->gap[i] < q->gap[k] ? p->gap[i] : q->gap[k];
}

bool sup_planes_search(planes_run* r)
{
    uint64_t left = PLANES_CHUNK * PLANES_WAVE + COUPLES_MOST * (uint64_t)r->p->pack_count;
    descent  d = { .depth = 0 };
    r->m.header->pair_count = 0;
    expect(r);
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

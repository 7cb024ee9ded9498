// Rings where planes cannot stand beside each other: parts that are wide rather than long, or bend within their own width.
// Every point gets a height between the two ends of its part, by its distance from both over the surface; rings are level lines
// of it, and two of those never meet.
#include "base/heap.h"
#include "geom/curves_internal.h"
#include "math/vec.h"

#include <string.h>

/// A ring passes through another where it goes through its plane within this share of the spacing of the ring itself.
#define TOUCHES 0.1f
/// Points on the border of a part are an end of it where they stand in this share of its line from there.
#define END_SHARE 0.2f
#define FAR 3e38f
enum { SMOOTH_ROUNDS = 8, BINS = 64 };

// ---------------------------------------------------------------------------------------------- do rings cross?

static float distance_to_piece(sup_vec3 at, sup_vec3 a, sup_vec3 b)
{
    sup_vec3 d = v3_sub(b, a);
    float    l2 = v3_length2(d), t = l2 > 0 ? sup_clampf(v3_dot(v3_sub(at, a), d) / l2, 0, 1) : 0;
    return v3_distance(at, v3_mad(a, t, d));
}

static bool lies_on(const curve_maker* m, const ring_plane* ring, sup_vec3 at, float reach)
{
    for (uint32_t k = ring->first; k < ring->end; ++k) {
        const sup_curve* c = &m->curves[k];
        for (uint32_t i = c->closed ? 0 : 1; i < c->count; ++i)
            if (distance_to_piece(at, maker_place(m, m->points[c->begin + (i ? i - 1 : c->count - 1)]),
                                  maker_place(m, m->points[c->begin + i])) < reach)
                return true;
    }
    return false;
}

/// Does a go through the plane of b where b itself is?
static bool passes_through(const curve_maker* m, const ring_plane* a, const ring_plane* b, float reach)
{
    for (uint32_t k = a->first; k < a->end; ++k) {
        const sup_curve* c = &m->curves[k];
        for (uint32_t i = c->closed ? 0 : 1; i < c->count; ++i) {
            sup_vec3 p = maker_place(m, m->points[c->begin + (i ? i - 1 : c->count - 1)]);
            sup_vec3 q = maker_place(m, m->points[c->begin + i]);
            float    x = v3_dot(v3_sub(p, b->center), b->normal), y = v3_dot(v3_sub(q, b->center), b->normal);
            if ((x < 0) != (y < 0) && lies_on(m, b, v3_lerp(p, q, x / (x - y)), reach)) return true;
        }
    }
    return false;
}

/// How far from its plane's center a ring reaches.
static float ring_reach(const curve_maker* m, const ring_plane* ring)
{
    float most = 0;
    for (uint32_t k = ring->first; k < ring->end; ++k)
        for (uint32_t i = 0; i < m->curves[k].count; ++i) {
            float d = v3_distance(maker_place(m, m->points[m->curves[k].begin + i]), ring->center);
            if (d > most) most = d;
        }
    return most;
}

bool rings_cross(const curve_maker* m, const ring_plane* rings, uint32_t count)
{
    float reach = count > 1 ? TOUCHES * v3_distance(rings[0].center, rings[1].center) : 0;
    for (uint32_t a = 0; a < count; ++a) {
        float wide = ring_reach(m, &rings[a]);
        for (uint32_t b = 0; b < count; ++b) {
            float off = v3_dot(v3_sub(rings[a].center, rings[b].center), rings[b].normal);
            if (a != b && fabsf(off) < wide && passes_through(m, &rings[a], &rings[b], reach)) return true;
        }
    }
    return false;
}

// ---------------------------------------------------------------------------------------------- heights

typedef struct level_maker {
    const curve_maker* m;
    const uint32_t*    triangles;
    uint32_t           triangle_count;
    float*             heights;
    float*             away[2];         ///< per point, from both ends
    float *            sum, *edges;     ///< per point; edges: how many end there, 0: not of this part
    uint8_t *          inside, *border; ///< per triangle of the mesh, per point
    uint64_t*          items;           ///< of a heap
} level_maker;

static const uint32_t* corners_of(const level_maker* l, uint32_t i)
{
    return l->m->mesh.triangles + 3 * (size_t)l->triangles[i];
}

/// Along the line from 0 to 1, by the nearest place; beyond its ends it goes on straight.
static float place_along(const sup_vec3* centers, uint32_t count, sup_vec3 p)
{
    float place = 0, least = FAR;
    for (uint32_t i = 0; i + 1 < count; ++i) {
        sup_vec3 d = v3_sub(centers[i + 1], centers[i]);
        float    l2 = v3_length2(d), t = l2 > 0 ? v3_dot(v3_sub(p, centers[i]), d) / l2 : 0;
        if (i > 0 && t < 0) t = 0;
        if (i + 2 < count && t > 1) t = 1;
        float off = v3_length2(v3_sub(p, v3_mad(centers[i], t, d)));
        if (off < least) least = off, place = ((float)i + t) / (float)(count - 1);
    }
    return place;
}

/// The border near either end of the line, or where there is none the point farthest out.
static void find_ends(level_maker* l, const sup_vec3* centers, uint32_t count)
{
    const curve_maker* m = l->m;
    for (uint32_t i = 0; i < l->triangle_count; ++i) l->inside[l->triangles[i]] = 1;
    for (uint32_t i = 0; i < l->triangle_count; ++i)
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t        a = corners_of(l, i)[k], b = corners_of(l, i)[(k + 1) % 3];
            uint32_t        edge = m->tri_edges[3 * (size_t)l->triangles[i] + k];
            const sup_edge* e = edge == SUP_NONE ? NULL : &m->topology.edges[edge];
            l->edges[a] += 1, l->edges[b] += 1;
            if (e && e->faces[0] != SUP_NONE && e->faces[1] != SUP_NONE && l->inside[e->faces[0]] && l->inside[e->faces[1]])
                continue;
            l->border[a] = l->border[b] = 1;
        }
    uint32_t extreme[2] = { SUP_NONE, SUP_NONE };
    bool     any[2] = { false, false };
    for (uint32_t p = 0; p < m->mesh.point_count; ++p) {
        l->away[0][p] = l->away[1][p] = FAR;
        if (l->edges[p] == 0) continue;
        float h = l->heights[p] = place_along(centers, count, m->mesh.points[p]);
        if (extreme[0] == SUP_NONE || h < l->heights[extreme[0]]) extreme[0] = p;
        if (extreme[1] == SUP_NONE || h > l->heights[extreme[1]]) extreme[1] = p;
        for (int end = 0; end < 2; ++end)
            if (l->border[p] && (end ? h > 1 - END_SHARE : h < END_SHARE)) l->away[end][p] = 0, any[end] = true;
    }
    for (int end = 0; end < 2; ++end)
        if (!any[end] && extreme[end] != SUP_NONE) l->away[end][extreme[end]] = 0;
}

/// Shortest ways along the edges of the part from where d is 0.
static void find_distances(const level_maker* l, float* d)
{
    const sup_topology* t = &l->m->topology;
    sup_heap            heap = { l->items, 0 };
    for (uint32_t p = 0; p < l->m->mesh.point_count; ++p)
        if (d[p] == 0) sup_heap_push(&heap, p);
    while (heap.count) {
        uint64_t item = sup_heap_pop(&heap);
        uint32_t bits = (uint32_t)(item >> 32), p = (uint32_t)item;
        float    way;
        memcpy(&way, &bits, sizeof way); // floats above 0 rise with their bits
        if (way > d[p]) continue;
        for (uint32_t k = t->ring_begin[p]; k < t->ring_begin[p + 1]; ++k) {
            uint32_t q = t->ring[k];
            float    far = way + v3_distance(l->m->mesh.points[p], l->m->mesh.points[q]);
            if (l->edges[q] == 0 || !(far < d[q])) continue;
            d[q] = far;
            memcpy(&bits, &far, sizeof bits);
            sup_heap_push(&heap, (uint64_t)bits << 32 | q);
        }
    }
}

/// Each takes half of its own height and half of the mean around it.
static void smooth_heights(level_maker* l)
{
    memset(l->sum, 0, l->m->mesh.point_count * sizeof *l->sum);
    for (uint32_t i = 0; i < l->triangle_count; ++i)
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t a = corners_of(l, i)[k], b = corners_of(l, i)[(k + 1) % 3];
            l->sum[a] += l->heights[b], l->sum[b] += l->heights[a];
        }
    for (uint32_t p = 0; p < l->m->mesh.point_count; ++p)
        if (l->edges[p] > 0) l->heights[p] = 0.5f * (l->heights[p] + l->sum[p] / l->edges[p]);
}

/// Heights such that their level lines stand equally far apart in the mean: the width of a thin band is its area over its
/// length, and its length the integral of the slope. From -1/2 to count - 1/2.
static void space_evenly(level_maker* l, uint32_t count)
{
    double area[BINS] = { 0 }, slope[BINS] = { 0 }, until[BINS + 1] = { 0 };
    for (uint32_t i = 0; i < l->triangle_count; ++i) {
        const uint32_t* c = corners_of(l, i);
        const sup_vec3* p = l->m->mesh.points;
        const float*    h = l->heights;
        sup_vec3        a = v3_sub(p[c[1]], p[c[0]]), b = v3_sub(p[c[2]], p[c[0]]);
        uint32_t        bin = (uint32_t)sup_clampf((h[c[0]] + h[c[1]] + h[c[2]]) / 3 * BINS, 0, BINS - 1);
        area[bin] += 0.5 * (double)v3_length(v3_cross(a, b));
        slope[bin] += 0.5 * (double)v3_length(v3_sub(v3_scale(b, h[c[1]] - h[c[0]]), v3_scale(a, h[c[2]] - h[c[0]])));
    }
    for (uint32_t k = 0; k < BINS; ++k) until[k + 1] = until[k] + (slope[k] > 0 ? area[k] / (slope[k] * BINS) : 0);
    for (uint32_t p = 0; p < l->m->mesh.point_count && until[BINS] > 0; ++p) {
        if (l->edges[p] == 0) continue;
        float    h = sup_clampf(l->heights[p], 0, 1) * BINS;
        uint32_t bin = h < BINS ? (uint32_t)h : BINS - 1;
        double   s = until[bin] + (until[bin + 1] - until[bin]) * ((double)h - bin);
        l->heights[p] = (float)(count * s / until[BINS] - 0.5);
    }
}

bool level_heights(const curve_maker* m, const uint32_t* triangles, uint32_t triangle_count, const sup_vec3* centers,
                   uint32_t count, float* heights)
{
    uint32_t    n = m->mesh.point_count;
    sup_arena*  work = sup_arena_beside(m->arena);
    level_maker l = { .m = m, .triangles = triangles, .triangle_count = triangle_count, .heights = heights };
    if (work) {
        l.sum = SUP_NEW(work, float, n), l.edges = SUP_NEW(work, float, n), l.border = SUP_NEW(work, uint8_t, n);
        l.away[0] = SUP_NEW(work, float, n), l.away[1] = SUP_NEW(work, float, n);
        l.inside = SUP_NEW(work, uint8_t, m->mesh.triangle_count);
        l.items = SUP_NEW(work, uint64_t, (size_t)n + m->topology.ring_begin[n]);
    }
    bool room = l.sum && l.edges && l.border && l.away[0] && l.away[1] && l.inside && l.items;
    if (room) {
        find_ends(&l, centers, count);
        for (int end = 0; end < 2; ++end) find_distances(&l, l.away[end]);
        for (uint32_t p = 0; p < n; ++p) {
            float a = l.away[0][p], b = l.away[1][p];
            if (l.edges[p] > 0 && a < FAR && b < FAR && a + b > 0) heights[p] = a / (a + b);
        }
        for (uint32_t i = 0; i < SMOOTH_ROUNDS; ++i) smooth_heights(&l);
        space_evenly(&l, count);
    }
    sup_arena_destroy(work);
    return room;
}

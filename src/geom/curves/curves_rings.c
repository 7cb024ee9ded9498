// Curves across a center line: plane cuts.
#include "geom/curves/curves_internal.h"
#include "math/vec.h"

enum { TURN_ROUNDS = 8 };

typedef struct ring_maker {
    curve_maker*    m;
    const uint32_t* triangles;
    uint32_t        triangle_count;
    float*          values;
    uint32_t        limb;
} ring_maker;

/// Whether a point of the pieces lies beyond the plane of the neighbor.
static bool reaches_over(const ring_maker* r, uint32_t first, uint32_t end, sup_vec3 center, sup_vec3 normal, float side)
{
    for (uint32_t c = first; c < end; ++c)
        for (uint32_t i = 0; i < r->m->curves[c].count; ++i) {
            sup_vec3 p = maker_place(r->m, r->m->points[r->m->curves[c].begin + i]);
            if (side * v3_dot(v3_sub(p, center), normal) > 0) return true;
        }
    return false;
}

/// The same sense around the line for all, and the start nearest to the start before.
static void align_ring(curve_maker* m, uint32_t curve, sup_vec3 normal, const sup_vec3* start_before)
{
    sup_curve* c = &m->curves[curve];
    sup_vec3   center = maker_center(m, c, NULL), area = v3(0, 0, 0);
    for (uint32_t i = 0; i < c->count; ++i) {
        sup_vec3 a = maker_place(m, m->points[c->begin + i]), b = maker_place(m, m->points[c->begin + (i + 1) % c->count]);
        area = v3_add(area, v3_cross(v3_sub(a, center), v3_sub(b, center)));
    }
    if (v3_dot(area, normal) < 0) maker_reverse(m, curve);
    if (!c->closed || !start_before) return;
    uint32_t best = 0;
    float    least = 3e38f;
    for (uint32_t i = 0; i < c->count; ++i) {
        float d = v3_distance(maker_place(m, m->points[c->begin + i]), *start_before);
        if (d < least) least = d, best = i;
    }
    maker_rotate(m, curve, best);
}

/// Links curves of one ring to the nearest ones of the ring before.
static void link_rings(curve_maker* m, uint32_t before, uint32_t first, uint32_t end)
{
    for (uint32_t c = first; c < end; ++c) {
        sup_vec3 at = maker_center(m, &m->curves[c], NULL);
        float    least = 3e38f;
        for (uint32_t b = before; b < first; ++b) {
            float d = v3_distance(at, maker_center(m, &m->curves[b], NULL));
            if (d >= least) continue;
            least = d;
            m->curves[c].sides[0] = b;
        }
        if (m->curves[c].sides[0] != SUP_NONE) m->curves[m->curves[c].sides[0]].sides[1] = c;
    }
}

/// A plane across a line, and the curves that it cut.
typedef struct ring_plane {
    sup_vec3 center, normal;
    uint32_t first, end; ///< equal: none
} ring_plane;

static void cut_plane(ring_maker* r, ring_plane* p)
{
    p->first = maker_plane(r->m, r->triangles, r->triangle_count, p->center, p->normal, r->values, r->limb);
    p->end = r->m->curve_count;
}

/// Whether what plane a cut extends over plane b, or the other way round.
static bool planes_cross(const ring_maker* r, const ring_plane* a, const ring_plane* b)
{
    return reaches_over(r, a->first, a->end, b->center, b->normal, 1.0f) ||
           reaches_over(r, b->first, b->end, a->center, a->normal, -1.0f);
}

/// Cuts one after the other. Neighbors that cross each take a direction three quarters their own and one quarter the other's,
/// up to eight times; then the second one is dropped.
static uint32_t turn_apart(ring_maker* r, ring_plane* planes, uint32_t count)
{
    uint32_t dropped = 0;
    if (count) cut_plane(r, &planes[0]);
    for (uint32_t i = 0, j = 1; j < count && !r->m->failed; ++j) {
        cut_plane(r, &planes[j]);
        uint32_t round = 0;
        for (; round < TURN_ROUNDS && planes_cross(r, &planes[i], &planes[j]) && !r->m->failed; ++round) {
            sup_vec3 a = planes[i].normal, b = planes[j].normal;
            planes[i].normal = v3_normalize(v3_mad(b, 3, a), a);
            planes[j].normal = v3_normalize(v3_mad(a, 3, b), b);
            maker_drop_curves(r->m, planes[i].first);
            cut_plane(r, &planes[i]), cut_plane(r, &planes[j]);
        }
        if (round < TURN_ROUNDS || !planes_cross(r, &planes[i], &planes[j])) i = j;
        else {
            maker_drop_curves(r->m, planes[j].first);
            planes[j].first = planes[j].end = 0;
            ++dropped;
        }
    }
    return dropped;
}

/// Gives all rings the same direction, adjacent starts, and links to their neighbors.
static void finish_rings(ring_maker* r, const ring_plane* planes, uint32_t count)
{
    curve_maker* m = r->m;
    uint32_t     before = m->curve_count;
    sup_vec3     start;
    bool         started = false;
    for (uint32_t i = 0; i < count; ++i) {
        if (planes[i].first == planes[i].end) continue;
        for (uint32_t c = planes[i].first; c < planes[i].end; ++c) {
            align_ring(m, c, planes[i].normal, started ? &start : NULL);
            if (!m->curves[c].closed) continue;
            start = maker_place(m, m->points[m->curves[c].begin]);
            started = true;
        }
        if (before < planes[i].first) link_rings(m, before, planes[i].first, planes[i].end);
        before = planes[i].first;
    }
}

uint32_t rings_make(curve_maker* m, const uint32_t* triangles, uint32_t triangle_count, const sup_vec3* centers,
                    const sup_vec3* normals, uint32_t count, float* values, uint32_t limb)
{
    ring_maker  r = { m, triangles, triangle_count, values, limb };
    ring_plane* planes = SUP_NEW(m->arena, ring_plane, count);
    if (!planes) {
        m->failed = true;
        return 0;
    }
    for (uint32_t i = 0; i < count; ++i) planes[i] = (ring_plane){ .center = centers[i], .normal = normals[i] };
    uint32_t dropped = turn_apart(&r, planes, count);
    if (!m->failed) finish_rings(&r, planes, count);
    return dropped;
}

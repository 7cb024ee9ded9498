// Curves across a center line (plane cuts), and curves along it (half-plane cuts that turn about it).
#include "geom/curves_internal.h"
#include "math/trig.h"
#include "math/vec.h"

#include <string.h>

/// A curve along a limb is no shorter than this share of it.
#define SHORTEST 0.25f

enum { TURN_ROUNDS = 8 };

// ---------------------------------------------------------------------------------------------- around

typedef struct ring_maker {
    curve_maker*    m;
    const uint32_t* triangles;
    uint32_t        triangle_count;
    float*          values;
    uint32_t        limb;
} ring_maker;

/// Does a point of the pieces lie beyond the plane of the neighbor?
static bool reaches_over(const ring_maker* r, uint32_t first, uint32_t end, sup_vec3 center, sup_vec3 normal, float side)
{
    for (uint32_t c = first; c < end; ++c)
        for (uint32_t i = 0; i < r->m->curves[c].count; ++i) {
            sup_vec3 p = maker_place(r->m, r->m->points[r->m->curves[c].begin + i]);
            if (side * v3_dot(v3_sub(p, center), normal) > 0) return true;
        }
    return false;
}

/// Same sense about the line for all, and the start nearest to the start before.
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
    // Rotation by three reversals.
    sup_curve_point* p = m->points + c->begin;
    for (int pass = 0; pass < 3; ++pass) {
        uint32_t i = pass == 1 ? best : 0, j = pass == 0 ? best : c->count;
        while (i + 1 < j) {
            sup_curve_point swap = p[i];
            p[i++] = p[--j];
            p[j] = swap;
        }
    }
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

static void cut_plane(ring_maker* r, ring_plane* p)
{
    p->first = maker_plane(r->m, r->triangles, r->triangle_count, p->center, p->normal, r->values, r->limb);
    p->end = r->m->curve_count;
}

/// Does what plane a cut reach over plane b, or the other way round?
static bool planes_cross(const ring_maker* r, const ring_plane* a, const ring_plane* b)
{
    return reaches_over(r, a->first, a->end, b->center, b->normal, 1.0f) ||
           reaches_over(r, b->first, b->end, a->center, a->normal, -1.0f);
}

/// Cuts one after the other. Neighbors that cross take each a direction three quarters its own and one quarter the other's, up
/// to eight times; then the second one goes.
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

/// Turning one pair apart may bring others together. Looked at once more where planes cut: points that move onto vertices leave
/// them.
static bool still_cross(ring_maker* r, const ring_plane* planes, uint32_t count)
{
    curve_maker* m = r->m;
    if (!rings_cross(m, planes, count)) return false;
    uint32_t    first = m->curve_count;
    float       snap = m->snap;
    sup_arena*  work = sup_arena_beside(m->arena);
    ring_plane* cut = work ? SUP_NEW(work, ring_plane, count) : NULL;
    m->failed |= !cut;
    m->snap = 0;
    for (uint32_t i = 0; i < count && !m->failed; ++i) cut[i] = planes[i], cut_plane(r, &cut[i]);
    bool cross = !m->failed && rings_cross(m, cut, count);
    maker_drop_curves(m, first);
    m->snap = snap;
    sup_arena_destroy(work);
    return cross;
}

static void cut_levels(ring_maker* r, ring_plane* planes, uint32_t count, const float* heights)
{
    curve_maker* m = r->m;
    for (uint32_t i = 0; i < count && !m->failed; ++i) {
        planes[i].first = m->curve_count;
        for (uint32_t k = 0; k < 3 * r->triangle_count; ++k) {
            uint32_t p = m->mesh.triangles[3 * (size_t)r->triangles[k / 3] + k % 3];
            r->values[p] = heights[p] - (float)i;
        }
        maker_cut(m, r->triangles, r->triangle_count, r->values, NULL, r->limb);
        maker_keep_nearest(m, planes[i].first, NULL);
        planes[i].end = m->curve_count;
    }
}

/// One sense, starts beside each other, and every ring knows those before and behind it.
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
                    const sup_vec3* normals, uint32_t count, float* values, uint32_t limb, bool levels)
{
    ring_maker  r = { m, triangles, triangle_count, values, limb };
    ring_plane* planes = SUP_NEW(m->arena, ring_plane, count);
    uint32_t    begin = m->curve_count;
    if (!planes) {
        m->failed = true;
        return 0;
    }
    for (uint32_t i = 0; i < count; ++i) planes[i] = (ring_plane){ .center = centers[i], .normal = normals[i] };
    uint32_t dropped = turn_apart(&r, planes, count);
    if (levels && !m->failed && (dropped || still_cross(&r, planes, count))) {
        sup_arena* work = sup_arena_beside(m->arena);
        float*     heights = work ? SUP_NEW(work, float, m->mesh.point_count) : NULL;
        m->failed |= !heights || !level_heights(m, triangles, triangle_count, centers, count, heights);
        maker_drop_curves(m, begin);
        if (!m->failed) cut_levels(&r, planes, count, heights);
        sup_arena_destroy(work);
        dropped = 0;
    }
    if (!m->failed) finish_rings(&r, planes, count);
    return dropped;
}

// ---------------------------------------------------------------------------------------------- along

/// Frames along a line of stations: the axis turns with the line by the smallest rotation, so half-planes of neighboring pieces
/// meet exactly in the plane between them.
typedef struct line_frames {
    uint32_t        count;
    const sup_vec3* at;
    sup_vec3*       along; ///< at stations
    sup_vec3*       across;
    float*          height; ///< length from the start
} line_frames;

static sup_vec3 turned(sup_vec3 v, sup_vec3 from, sup_vec3 to)
{
    sup_vec3 axis = v3_cross(from, to);
    float    c = v3_dot(from, to);
    if (c < -0.999f) return v; // straight back: any turn is as good
    return v3_add(v3_add(v3_scale(v, c), v3_cross(axis, v)), v3_scale(axis, v3_dot(axis, v) / (1.0f + c)));
}

static bool make_frames(const limb_shape* limb, sup_arena* arena, line_frames* out)
{
    uint32_t n = limb->station_count;
    *out =
        (line_frames){ n, limb->stations, SUP_NEW(arena, sup_vec3, n), SUP_NEW(arena, sup_vec3, n), SUP_NEW(arena, float, n) };
    if (!out->along || !out->across || !out->height) return false;
    for (uint32_t i = 0; i < n; ++i) {
        sup_vec3 d = v3_sub(out->at[i + 1 < n ? i + 1 : i], out->at[i > 0 ? i - 1 : 0]);
        out->along[i] = v3_normalize(d, i > 0 ? out->along[i - 1] : v3(1, 0, 0));
        out->across[i] = i ? turned(out->across[i - 1], out->along[i - 1], out->along[i]) : v3_across(out->along[0]);
        out->height[i] = i ? out->height[i - 1] + v3_distance(out->at[i], out->at[i - 1]) : 0;
    }
    return true;
}

/// A point seen from the line: radial coordinates in the frame there, and how far along.
static void seen_from_line(const line_frames* f, sup_vec3 p, float* x, float* y, float* height)
{
    float    least = 3e38f, best_t = 0;
    uint32_t best = 0;
    for (uint32_t i = 0; i + 1 < f->count; ++i) {
        sup_vec3 d = v3_sub(f->at[i + 1], f->at[i]);
        float    l2 = v3_length2(d), t = l2 > 0 ? sup_clampf(v3_dot(v3_sub(p, f->at[i]), d) / l2, 0, 1) : 0;
        float    away = v3_length2(v3_sub(p, v3_mad(f->at[i], t, d)));
        if (away < least) least = away, best = i, best_t = t;
    }
    sup_vec3 along = v3_normalize(v3_lerp(f->along[best], f->along[best + 1], best_t), f->along[best]);
    sup_vec3 across = v3_lerp(f->across[best], f->across[best + 1], best_t);
    across = v3_normalize(v3_mad(across, -v3_dot(across, along), along), v3_across(along));
    sup_vec3 d = v3_sub(p, v3_lerp(f->at[best], f->at[best + 1], best_t));
    *x = v3_dot(d, across);
    *y = v3_dot(d, v3_cross(along, across));
    *height = f->height[best] + best_t * (f->height[best + 1] - f->height[best]);
}

/// Keeps those of the curves from `first` on that are open and no shorter than a quarter of the limb, running up the line. A
/// body from which limbs grow has several at one angle: before and behind each of them.
static void keep_long(curve_maker* m, uint32_t first, const float* heights, float whole)
{
    uint32_t kept = first, points = first < m->curve_count ? m->curves[first].begin : 0;
    for (uint32_t c = first; c < m->curve_count; ++c) {
        sup_curve u = m->curves[c];
        float     length;
        maker_center(m, &u, &length);
        if (u.closed || !(length > SHORTEST * whole)) continue;
        memmove(m->points + points, m->points + u.begin, u.count * sizeof *m->points);
        u.begin = points;
        points += u.count;
        m->curves[kept] = u;
        if (heights[m->points[u.begin].a] > heights[m->points[points - 1].a]) maker_reverse(m, kept);
        ++kept;
    }
    if (m->curve_count > first) m->point_count = points;
    m->curve_count = kept;
}

static float overlap(const curve_maker* m, uint32_t a, uint32_t b, const float* heights)
{
    const sup_curve *u = &m->curves[a], *v = &m->curves[b];
    float            low = heights[m->points[u->begin].a], high = heights[m->points[u->begin + u->count - 1].a];
    float            from = heights[m->points[v->begin].a], to = heights[m->points[v->begin + v->count - 1].a];
    return (high < to ? high : to) - (low > from ? low : from);
}

/// Neighbors of the curves of one angle: of those of another the one that runs beside most of it.
static void link_angle(curve_maker* m, uint32_t begin, uint32_t end, uint32_t from, uint32_t to, int side, const float* heights)
{
    for (uint32_t a = begin; a < end; ++a) {
        float most = 0;
        for (uint32_t b = from; b < to; ++b) {
            float beside = a == b ? 0 : overlap(m, a, b, heights);
            if (beside > most) most = beside, m->curves[a].sides[side] = b;
        }
    }
}

void meridians_make(curve_maker* m, const limb_shape* limb, uint32_t number, uint32_t count, float* values)
{
    sup_arena*  beside = sup_arena_beside(m->arena);
    uint32_t    n = m->mesh.point_count;
    line_frames f = { 0 };
    float *     x = NULL, *y = NULL, *height = NULL, *keep = NULL;
    if (beside) {
        x = SUP_NEW(beside, float, n), y = SUP_NEW(beside, float, n);
        height = SUP_NEW(beside, float, n), keep = SUP_NEW(beside, float, n);
    }
    if (!beside || !x || !y || !height || !keep || !make_frames(limb, beside, &f)) {
        m->failed = true;
        sup_arena_destroy(beside);
        return;
    }
    for (uint32_t i = 0; i < limb->triangle_count; ++i)
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t p = m->mesh.triangles[3 * (size_t)limb->triangles[i] + k];
            if (x[p] == 0 && y[p] == 0) seen_from_line(&f, m->mesh.points[p], &x[p], &y[p], &height[p]);
        }
    uint32_t first = m->curve_count, before = first, last = first, angles = 0, second = first;
    for (uint32_t c = 0; c < count && !m->failed; ++c) {
        double angle = 6.283185307179586 * (c + 0.5) / count;
        float  s = (float)sup_sin(angle), o = (float)sup_cos(angle);
        for (uint32_t i = 0; i < limb->triangle_count; ++i)
            for (uint32_t k = 0; k < 3; ++k) {
                uint32_t p = m->mesh.triangles[3 * (size_t)limb->triangles[i] + k];
                values[p] = y[p] * o - x[p] * s;
                keep[p] = x[p] * o + y[p] * s;
            }
        uint32_t at = m->curve_count;
        maker_cut(m, limb->triangles, limb->triangle_count, values, keep, number);
        keep_long(m, at, height, f.height[f.count - 1]);
        if (m->curve_count == at) continue;
        link_angle(m, at, m->curve_count, before, last, 0, height);
        link_angle(m, before, last, at, m->curve_count, 1, height);
        if (++angles == 1) second = m->curve_count;
        before = at, last = m->curve_count;
    }
    if (angles > 2) { // once around
        link_angle(m, first, second, before, last, 0, height);
        link_angle(m, before, last, first, second, 1, height);
    }
    sup_arena_destroy(beside);
}

// Two packs of triangles: which of their points and triangles, edges and edges, are near each other or will meet.
#include "solve/contact/contact_internal.h"

#include "geom/search/triangle_region.h"

#include <math.h>

#define RIDGE_SLACK 0.5f
// How far from their limits the cosines of normals, the sine squared of edges and feet along edges count in full.
#define FACING_RAMP 0.4f
#define SINE2_RAMP 0.06f
#define END_RAMP 0.1f

// ---------------------------------------------------------------------------------------------- distances

SUP_TRIANGLE_REGION(region, float)

float sup_contact_triangle_square(sup_vec3 p, sup_vec3 a, sup_vec3 b, sup_vec3 c, float weights[3])
{
    sup_vec3 ab = v3_sub(b, a), ac = v3_sub(c, a), ap = v3_sub(p, a), bp = v3_sub(p, b), cp = v3_sub(p, c);
    float    v, w;
    region((float[]){ v3_dot(ab, ap), v3_dot(ac, ap), v3_dot(ab, bp), v3_dot(ac, bp), v3_dot(ab, cp), v3_dot(ac, cp) }, &v, &w);
    weights[0] = 1 - v - w;
    weights[1] = v;
    weights[2] = w;
    return v3_length2(v3_sub(ap, v3_add(v3_scale(ab, v), v3_scale(ac, w))));
}

/// From the nearest place of one segment to that of the other.
static sup_vec3 segment_gap(sup_vec3 p1, sup_vec3 p2, sup_vec3 p3, sup_vec3 p4)
{
    sup_vec3 e = v3_sub(p2, p1), f = v3_sub(p4, p3), d = v3_sub(p3, p1);
    float    ee = v3_length2(e), ff = v3_length2(f), ef = v3_dot(e, f), ed = v3_dot(e, d), fd = v3_dot(f, d);
    float    denominator = ee * ff - ef * ef, s = 0, t = 0;
    if (denominator > 1e-6f * ee * ff) s = sup_clampf((ed * ff - ef * fd) / denominator, 0, 1);
    if (ff > 0) t = sup_clampf((ef * s - fd) / ff, 0, 1);
    if (ee > 0) s = sup_clampf((ef * t + ed) / ee, 0, 1);
    return v3_sub(v3_mad(d, t, f), v3_scale(e, s));
}

float sup_contact_segment_square(sup_vec3 p1, sup_vec3 p2, sup_vec3 p3, sup_vec3 p4)
{
    return v3_length2(segment_gap(p1, p2, p3, p4));
}

// ---------------------------------------------------------------------------------------------- meeting on the way

/// Six times the signed volume of four places on their way.
static float volume_at(const sup_vec3 from[4], const sup_vec3 to[4], float t)
{
    sup_vec3 p[4];
    for (int k = 0; k < 4; ++k) p[k] = v3_lerp(from[k], to[k], t);
    return v3_dot(v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0])), v3_sub(p[3], p[0]));
}

// The cubic changes its sign within the step: halved until float has no more to give.
bool sup_contact_crossing(const sup_vec3 from[4], const sup_vec3 to[4], float* time)
{
    enum { HALVINGS = 22 };
    float low = 0, high = 1;
    if (!(volume_at(from, from, 0) > 0) || !(volume_at(to, to, 0) < 0)) return false;
    for (int i = 0; i < HALVINGS; ++i) {
        float middle = 0.5f * (low + high);
        if (volume_at(from, to, middle) > 0) low = middle;
        else high = middle;
    }
    *time = high;
    return true;
}

// ---------------------------------------------------------------------------------------------- who may meet

static bool is_near(const sup_contact* c, uint32_t p, uint32_t q)
{
    return contact_listed(c->near, c->near_begin[p], c->near_begin[p + 1], q);
}

static bool still_rests(const contact_search* s, uint32_t p)
{
    uint32_t bit = s->c->resting_bit[p];
    return bit != SUP_NONE && !(s->parted[bit / 8] >> bit % 8 & 1);
}

/// Are two points in pieces that pass through each other at rest, and not far apart there?
static bool are_tangled(const sup_contact* c, uint32_t p, uint32_t q, float distance2, float unit)
{
    return sup_contact_pass_through(c, p, q) && distance2 < CONTACT_REST_AWAY * CONTACT_REST_AWAY * unit * unit;
}

/// What places may do, as they were at rest: `height` of one above the other, `facing` each other (or away, when behind) or
/// not.
static bool may_meet_at_rest(float height, bool facing, float distance2, float unit, bool rests)
{
    if (facing && height < 0) return distance2 >= CONTACT_REST_AWAY * CONTACT_REST_AWAY * unit * unit;
    if (distance2 >= CONTACT_REST_EDGES * CONTACT_REST_EDGES * unit * unit) return true;
    if (rests) return false; // what touches, or is tangled, must have parted once
    if (facing) return true;
    return height >= -CONTACT_REST_BEHIND * unit && distance2 > CONTACT_REST_SAME * CONTACT_REST_SAME * unit * unit;
}

static bool point_may_meet(const contact_search* s, uint32_t p, uint32_t slot, float unit)
{
    const sup_contact*  c = s->c;
    const uint32_t*     t = c->bvh.corners + 3 * (size_t)slot;
    const contact_rest* r = &c->slot_rests[slot];
    float               weights[3];
    if (is_near(c, p, t[0]) || is_near(c, p, t[1]) || is_near(c, p, t[2])) return false;
    float square = sup_contact_triangle_square(c->rest[p], c->rest[t[0]], c->rest[t[1]], c->rest[t[2]], weights);
    if (are_tangled(c, p, t[0], square, unit)) return false;
    return may_meet_at_rest(v3_dot(r->normal, c->rest[p]) - r->offset, v3_dot(c->rest_normals[p], r->normal) < CONTACT_FACING,
                            square, unit, still_rests(s, p));
}

/// Do two points share a triangle?
static bool share_triangle(const sup_contact* c, uint32_t p, uint32_t q)
{
    for (uint32_t k = c->fan_begin[p]; k < c->fan_begin[p + 1]; ++k) {
        const uint32_t* t = c->bvh.corners + 3 * (size_t)c->fan[k];
        if (t[0] == q || t[1] == q || t[2] == q) return true;
    }
    return false;
}

bool sup_contact_edges_next(const sup_contact* c, const uint32_t e[4])
{
    return share_triangle(c, e[0], e[2]) || share_triangle(c, e[0], e[3]) || share_triangle(c, e[1], e[2]) ||
           share_triangle(c, e[1], e[3]);
}

bool sup_contact_is_ridge(const contact_search* s, uint32_t p, const uint32_t* c, float gap)
{
    if (!(gap < 0)) return false;
    sup_touch t;
    sup_vec3  x[4] = { contact_from(s, p), contact_from(s, c[0]), contact_from(s, c[1]), contact_from(s, c[2]) };
    if (sup_point_triangle(x[0], x[1], x[2], x[3], s->c->side, &t) && t.gap >= 0) return false;
    return share_triangle(s->c, p, c[0]) || share_triangle(s->c, p, c[1]) || share_triangle(s->c, p, c[2]);
}

static bool edges_may_meet(const contact_search* s, const uint32_t e[4], float unit)
{
    const sup_contact* c = s->c;
    const sup_vec3 *   x = c->rest, *n = c->rest_normals;
    if (is_near(c, e[0], e[2]) || is_near(c, e[0], e[3]) || is_near(c, e[1], e[2]) || is_near(c, e[1], e[3])) return false;
    sup_vec3 between = segment_gap(x[e[0]], x[e[1]], x[e[2]], x[e[3]]);
    sup_vec3 first = v3_normalize(v3_add(n[e[0]], n[e[1]]), v3(0, 0, 0)),
             second = v3_normalize(v3_add(n[e[2]], n[e[3]]), v3(0, 0, 0));
    float height = contact_min(v3_dot(first, between), -v3_dot(second, between)), square = v3_length2(between);
    if (are_tangled(c, e[0], e[2], square, unit)) return false;
    bool rests = still_rests(s, e[0]) || still_rests(s, e[1]) || still_rests(s, e[2]) || still_rests(s, e[3]);
    return may_meet_at_rest(height, v3_dot(first, second) < CONTACT_FACING, square, unit, rests);
}

// ---------------------------------------------------------------------------------------------- points and triangles

/// 0 at the limit, 1 from `width` within it.
static float ramp(float within, float width) { return sup_clampf(within / width, 0, 1); }

/// How far the foot is outside the triangle (barycentric), 0 within.
static float outside(const sup_touch* t)
{
    return contact_max(contact_max(t->weights[1], t->weights[2]), contact_max(t->weights[3], 0));
}

// Above a ridge the foot is outside of both its triangles, the further the higher; the slack grows with the height. A foot
// within wins.
static bool touches(const contact_search* s, const sup_vec3 x[4], sup_vec3 normal, contact_item* out, float* gap)
{
    float     unit = out->unit;
    sup_touch t;
    if (!sup_point_triangle(x[0], x[1], x[2], x[3], s->c->side, &t)) return false;
    if (!(t.gap < s->c->margin * unit) || !(t.gap > -s->c->reach * unit)) return false;
    float beside = outside(&t);
    if (beside > CONTACT_SLACK + (t.gap > 0 ? RIDGE_SLACK * t.gap / unit : 0)) return false;
    out->rank = fabsf(t.gap) + beside * unit;
    *gap = t.gap;
    out->strength = ramp(CONTACT_FACING - v3_dot(normal, t.normal), FACING_RAMP);
    return out->strength > 0;
}

/// Went in from outside on its way.
static bool enters(const contact_search* s, const sup_vec3 from[4], const sup_vec3 to[4], contact_item* out)
{
    // Triangle first: the volume is positive outside. Turned around where triangles face inwards.
    int            b = s->c->side > 0 ? 2 : 3, c = 5 - b;
    const sup_vec3 start[4] = { from[1], from[b], from[c], from[0] }, end[4] = { to[1], to[b], to[c], to[0] };
    sup_touch      t;
    float          time;
    if (!sup_contact_crossing(start, end, &time)) return false;
    if (!sup_point_triangle(v3_lerp(from[0], to[0], time), v3_lerp(from[1], to[1], time), v3_lerp(from[2], to[2], time),
                            v3_lerp(from[3], to[3], time), s->c->side, &t) ||
        outside(&t) > CONTACT_SLACK)
        return false;
    out->rank = time - 2;
    out->s = sup_clampf(-t.weights[2], 0, 1);
    out->t = sup_clampf(-t.weights[3], 0, 1 - out->s);
    out->strength = 1;
    out->swept = 1;
    return true;
}

/// Was it in front of the triangle, or no deeper than it may be and still be found, when the step began?
static bool came_from_outside(const contact_search* s, const sup_vec3 from[4], float unit)
{
    sup_touch t;
    return !sup_point_triangle(from[0], from[1], from[2], from[3], s->c->side, &t) || t.gap > -s->c->reach * unit;
}

static bool test_point(const contact_search* s, uint32_t p, const contact_pack* pack, uint32_t lane, uint32_t slot, bool still,
                       contact_item* out)
{
    const uint32_t* c = s->c->bvh.corners + 3 * (size_t)slot;
    if (p == c[0] || p == c[1] || p == c[2]) return false;
    sup_vec3 to[4] = { contact_to(s, p) }, from[4] = { contact_from(s, p) };
    float    half = s->c->grow * s->c->units[p];
    for (int k = 0; k < 3; ++k) {
        float a = (&from[0].x)[k], b = (&to[0].x)[k];
        if (!((a < b ? a : b) - half <= pack->max[k][lane]) || !((a > b ? a : b) + half >= pack->min[k][lane])) return false;
    }
    for (int k = 0; k < 3; ++k) to[k + 1] = contact_to(s, c[k]);
    float unit = 0.5f * (s->c->units[p] + s->c->slot_units[slot]);
    *out = (contact_item){
        .p = { p, c[0], c[1], c[2] }, .unit = unit, .side = s->c->side, .id = { p, slot }, .kind = CONTACT_POINT
    };
    float gap = 0, before = 0;
    bool  found = touches(s, to, s->m.normals[p], out, &gap);
    if (!still) {
        for (int k = 0; k < 3; ++k) from[k + 1] = contact_from(s, c[k]);
        if (!found) found = enters(s, from, to, out) || touches(s, from, s->m.normals[p], out, &before);
        else if (gap < 0) found = came_from_outside(s, from, unit); // else it comes out from within
    }
    return found && !sup_contact_is_ridge(s, p, c, gap) && point_may_meet(s, p, slot, unit);
}

// ---------------------------------------------------------------------------------------------- edges and edges

static bool within(const sup_touch* t)
{
    return t->weights[1] <= 0 && t->weights[1] >= -1 && t->weights[3] >= 0 && t->weights[3] <= 1;
}

/// How openly they cross: 0 for edges side by side.
static float openness(const sup_vec3 x[4])
{
    sup_vec3 e = v3_sub(x[1], x[0]), f = v3_sub(x[3], x[2]);
    float    square = v3_length2(v3_cross(e, f)), squares = v3_length2(e) * v3_length2(f);
    return squares > 0 ? ramp(square / squares - CONTACT_EDGE_SINE2, SINE2_RAMP) : 0;
}

/// How clearly the normal parts the faces at both edges.
static float clearness(const sup_touch* t, sup_vec3 first, sup_vec3 second)
{
    float least = contact_min(v3_dot(t->normal, first), -v3_dot(t->normal, second));
    return ramp(least - CONTACT_EDGE_FACING, FACING_RAMP);
}

/// Near the ends of an edge others take over.
static float centered(const sup_touch* t)
{
    float s = -t->weights[1], u = t->weights[3];
    return ramp(contact_min(contact_min(s, 1 - s), contact_min(u, 1 - u)) + 0.5f * END_RAMP, END_RAMP);
}

static bool edges_touch(const contact_search* s, const sup_vec3 x[4], sup_vec3 first, sup_vec3 second, contact_item* out,
                        float* gap)
{
    sup_touch t;
    float     strength = openness(x);
    if (!(strength > 0)) return false;
    float side = sup_edge_side(x[0], x[1], x[2], x[3], first, second);
    if (!sup_edge_edge(x[0], x[1], x[2], x[3], side, v3_sub(first, second), &t)) return false;
    if (!(t.gap < s->c->margin * out->unit) || !(t.gap > -CONTACT_EDGE_REACH * s->c->reach * out->unit)) return false;
    strength *= clearness(&t, first, second) * centered(&t);
    out->side = side;
    out->hint = t.normal;
    out->rank = fabsf(t.gap);
    out->strength = strength * ramp(CONTACT_FACING - v3_dot(first, second), FACING_RAMP);
    *gap = t.gap;
    return out->strength > 0;
}

static bool edges_pass(const sup_vec3 from[4], const sup_vec3 to[4], sup_vec3 first, sup_vec3 second, contact_item* out)
{
    sup_touch t;
    float     time;
    // (p2 - p1) x (p3 - p1) . (p4 - p1): of the same size as n . (p3 - p1), with the other sign.
    if (!sup_contact_crossing(from, to, &time)) {
        const sup_vec3 start[4] = { from[1], from[0], from[2], from[3] }, end[4] = { to[1], to[0], to[2], to[3] };
        if (!sup_contact_crossing(start, end, &time)) return false;
    }
    if (!(openness(from) > 0)) return false;
    float side = sup_edge_side(from[0], from[1], from[2], from[3], first, second);
    if (!sup_edge_edge(from[0], from[1], from[2], from[3], side, v3_sub(first, second), &t) || !(t.gap > 0)) return false;
    if (!(clearness(&t, first, second) > 0)) return false;
    out->hint = t.normal;
    sup_vec3 x[4];
    for (int k = 0; k < 4; ++k) x[k] = v3_lerp(from[k], to[k], time);
    if (!sup_edge_edge(x[0], x[1], x[2], x[3], side, v3_sub(first, second), &t) || !within(&t)) return false;
    out->side = side;
    out->rank = time - 2;
    out->s = -t.weights[1];
    out->t = t.weights[3];
    out->strength = 1;
    out->swept = 1;
    return true;
}

/// Do the directions of two edges, sums of the normals at their ends, look the same way for sure? Without roots: most do.
static bool look_along(sup_vec3 a, sup_vec3 b)
{
    float dot = v3_dot(a, b), limit = CONTACT_FACING * CONTACT_FACING + 1e-3f; // a little more for rounding
    return dot > 0 && dot * dot > limit * v3_length2(a) * v3_length2(b);
}

/// Boxes around two edges, in one direction.
static bool overlap(float a, float b, float c, float d, float more)
{
    return contact_min(a, b) - more <= contact_max(c, d) && contact_min(c, d) - more <= contact_max(a, b);
}

static bool test_edges(const contact_search* s, uint32_t slot_a, uint32_t i, uint32_t slot_b, uint32_t k, float more,
                       bool still, contact_item* out)
{
    const uint32_t *a = s->c->bvh.corners + 3 * (size_t)slot_a, *b = s->c->bvh.corners + 3 * (size_t)slot_b;
    const uint32_t  e[4] = { a[i], a[(i + 1) % 3], b[k], b[(k + 1) % 3] };
    sup_vec3        to[4] = { contact_to(s, e[0]), contact_to(s, e[1]), contact_to(s, e[2]), contact_to(s, e[3]) }, from[4];
    if (!overlap(to[0].x, to[1].x, to[2].x, to[3].x, more) || !overlap(to[0].y, to[1].y, to[2].y, to[3].y, more) ||
        !overlap(to[0].z, to[1].z, to[2].z, to[3].z, more))
        return false;
    if (e[0] == e[2] || e[0] == e[3] || e[1] == e[2] || e[1] == e[3]) return false;
    const sup_vec3* n = s->m.normals;
    sup_vec3        first = v3_add(n[e[0]], n[e[1]]), second = v3_add(n[e[2]], n[e[3]]);
    if (look_along(first, second) || sup_contact_segment_square(to[0], to[1], to[2], to[3]) > more * more) return false;
    first = v3_normalize(first, v3(0, 0, 0));
    second = v3_normalize(second, v3(0, 0, 0));
    if (!(v3_dot(first, second) < CONTACT_FACING)) return false;
    float unit = 0.25f * (s->c->units[e[0]] + s->c->units[e[1]] + s->c->units[e[2]] + s->c->units[e[3]]);
    *out = (contact_item){
        .p = { e[0], e[1], e[2], e[3] }, .unit = unit, .id = { 3 * slot_a + i, 3 * slot_b + k }, .kind = CONTACT_EDGE
    };
    float gap = 0;
    if (!edges_touch(s, to, first, second, out, &gap)) {
        if (still) return false;
        for (int j = 0; j < 4; ++j) from[j] = contact_from(s, e[j]);
        if (!edges_pass(from, to, first, second, out) && !edges_touch(s, from, first, second, out, &gap)) return false;
    }
    if (gap < 0 && sup_contact_edges_next(s->c, e)) return false; // a crest, as above
    return edges_may_meet(s, e, unit);
}

// ---------------------------------------------------------------------------------------------- packs

typedef struct slice {
    contact_item* items;
    uint32_t      count, lost;
} slice;

/// Full: the least urgent one goes.
static void keep(slice* to, const contact_item* item)
{
    if (to->count < SLICE) {
        to->items[to->count++] = *item;
        return;
    }
    uint32_t worst = 0;
    for (uint32_t i = 1; i < SLICE; ++i)
        if (to->items[i].rank > to->items[worst].rank) worst = i;
    if (item->rank < to->items[worst].rank) to->items[worst] = *item;
    to->lost++;
}

/// Two triangles: a lane of each pack.
typedef struct couple {
    const contact_pack *pack_a, *pack_b;
    uint32_t            lane_a, lane_b, a, b; // a, b: slots
} couple;

/// Which corners of a slot, a bit each, were so far behind the plane of another at rest that they never come in front.
static uint32_t corners_behind(const sup_contact* c, uint32_t slot, uint32_t other)
{
    const contact_rest* r = &c->slot_rests[other];
    const uint32_t*     p = c->bvh.corners + 3 * (size_t)slot;
    float               least = -CONTACT_REST_BEHIND * contact_max(c->slot_units[slot], c->slot_units[other]);
    uint32_t            behind = 0;
    for (int k = 0; k < 3; ++k) behind |= (uint32_t)(v3_dot(r->normal, c->rest[p[k]]) - r->offset < least) << k;
    return behind;
}

/// No point and no edge of one is further from the other at rest than their middles and a radius: the rules for near places
/// hold.
static bool near_at_rest(const sup_contact* c, uint32_t a, uint32_t b)
{
    const contact_rest *p = &c->slot_rests[a], *q = &c->slot_rests[b];
    float               limit = CONTACT_REST_EDGES * contact_min(p->unit, q->unit) - contact_max(p->radius, q->radius);
    return limit > 0 && v3_length2(v3_sub(p->middle, q->middle)) < limit * limit;
}

/// Of pieces that pass through each other, and nowhere further apart at rest than such pieces may be: are_tangled holds for all
/// their points and edges.
static bool tangled_at_rest(const sup_contact* c, uint32_t a, uint32_t b)
{
    const contact_rest *p = &c->slot_rests[a], *q = &c->slot_rests[b];
    if (!sup_contact_pass_through(c, c->bvh.corners[3 * (size_t)a], c->bvh.corners[3 * (size_t)b])) return false;
    float limit = 0.999f * CONTACT_REST_AWAY * contact_min(p->unit, q->unit) - p->radius - q->radius; // less for rounding
    return limit > 0 && v3_length2(v3_sub(p->middle, q->middle)) < limit * limit;
}

static void test_points(const contact_search* s, const couple* c, const contact_sieve* v, uint32_t back_a, uint32_t back_b,
                        slice* to)
{
    contact_item    item;
    bool            still = v->still >> c->lane_b & 1;
    const uint32_t *p = s->c->bvh.corners + 3 * (size_t)c->a, *q = s->c->bvh.corners + 3 * (size_t)c->b;
    for (uint32_t k = 0; k < 3; ++k)
        if (v->point_of_a[k] >> c->lane_b & 1 && !(back_a >> k & 1) &&
            test_point(s, p[k], c->pack_b, c->lane_b, c->b, still, &item))
            keep(to, &item);
    for (uint32_t k = 0; k < 3; ++k)
        if (v->point_of_b[k] >> c->lane_b & 1 && !(back_b >> k & 1) &&
            test_point(s, q[k], c->pack_a, c->lane_a, c->a, still, &item))
            keep(to, &item);
}

static bool beyond(float x, float y, float low, float high) { return (x > high && y > high) || (x < low && y < low); }

static void test_all_edges(const contact_search* s, const couple* c, const contact_sieve* v, uint32_t back_a, slice* to)
{
    contact_item item;
    uint32_t     lane = c->lane_b, own_a = s->c->owns[c->a], own_b = s->c->owns[c->b];
    float        low = v->low[lane] * CONTACT_EDGE_REACH, high = v->high[lane];
    float        more = contact_max(high, -low); // no further apart than that
    for (uint32_t i = 0; i < 3; ++i) {
        uint32_t next = (i + 1) % 3, both = (1u << i) | (1u << next);
        if (!(own_a & OWN_EDGE << i) || (back_a & both) == both || beyond(v->a[i][lane], v->a[next][lane], low, high)) continue;
        for (uint32_t k = 0; k < 3; ++k)
            if (own_b & OWN_EDGE << k && !beyond(v->b[k][lane], v->b[(k + 1) % 3][lane], low, high) &&
                test_edges(s, c->a, i, c->b, k, more, v->still >> lane & 1, &item))
                keep(to, &item);
    }
}

static void test_couple(const contact_search* s, const couple* c, const contact_sieve* v, bool edges, slice* to)
{
    uint32_t back_a = 0, back_b = 0;
    if (tangled_at_rest(s->c, c->a, c->b)) return;
    if (near_at_rest(s->c, c->a, c->b)) {
        back_a = corners_behind(s->c, c->a, c->b);
        back_b = corners_behind(s->c, c->b, c->a);
        if ((back_a & back_b) == 7) return;
    }
    test_points(s, c, v, back_a, back_b, to);
    if (edges) test_all_edges(s, c, v, back_a, to);
}

/// How many couples of triangles were looked at one by one.
static uint32_t test_packs(const contact_search* s, uint32_t pack, uint32_t other, slice* to)
{
    uint32_t      couples = 0;
    contact_sieve sieve[CONTACT_PACK];
    contact_sift  sift = { .a = &s->m.packs[pack],
                           .b = &s->m.packs[other],
                           .node_b = &s->m.nodes[s->c->pack_count + other],
                           .lanes_a = &s->c->lanes[pack],
                           .lanes_b = &s->c->lanes[other],
                           .margin = s->c->margin,
                           .reach = s->c->reach };
    uint32_t      first = contact_pack_begin(s->c, pack), second = contact_pack_begin(s->c, other);
    SUP_WIDE_PICK(sup_contact_sift)(&sift, sieve);
    for (uint32_t i = 0; i < CONTACT_PACK; ++i) {
        const contact_sieve* v = &sieve[i];
        if (!v->near) continue;
        uint32_t points =
            v->point_of_a[0] | v->point_of_a[1] | v->point_of_a[2] | v->point_of_b[0] | v->point_of_b[1] | v->point_of_b[2];
        uint32_t edges = s->call->settings.edges ? v->edges : 0, all = v->near & (points | edges);
        for (uint32_t k = pack == other ? i + 1 : 0; all >> k; ++k) {
            if (!(all >> k & 1)) continue;
            couple c = { sift.a, sift.b, i, k, first + i, second + k };
            test_couple(s, &c, v, edges >> k & 1, to);
            ++couples;
        }
    }
    return couples;
}

/// Chunks [begin, end), CHUNK pairs of packs each.
void sup_contact_narrow(void* data, uint32_t begin, uint32_t end)
{
    const contact_search* s = data;
    for (uint32_t chunk = begin; chunk < end; ++chunk) {
        slice    to = { s->m.slices + (size_t)chunk * SLICE, 0, 0 };
        uint32_t first = chunk * CHUNK, last = first + CHUNK;
        uint32_t couples = 0;
        for (uint32_t i = first; i < last && i < s->pair_count; ++i)
            couples += test_packs(s, s->m.pairs[2 * (size_t)i], s->m.pairs[2 * (size_t)i + 1], &to);
        s->m.counts[chunk] = (chunk_count){ to.count, to.lost, couples };
    }
}

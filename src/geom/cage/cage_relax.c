// Evens out the triangles of a cage: edges flip if that brings points closer to six neighbors or removes a needle; points slide
// along the surface to the center of their neighbors and back onto the planes they represent. Only where nothing flips over or
// meets another part.
#include "geom/cage/cage_web.h"
#include "math/vec.h"

#include <math.h>

#define SLIDE 0.5f
#define TURN_LEAST 0.5f // cosine, as for a collapse
enum { PASSES = 6 };

// ---------------------------------------------------------------------------------------------- turning edges

// The triangle that runs along the edge from b to a, and its third corner.
static uint32_t across(const cage_web* w, uint32_t a, uint32_t b, uint32_t* third)
{
    for (uint32_t c = w->head[b]; c != SUP_NONE; c = w->next[c]) {
        const uint32_t* t = w->s->triangles + 3 * (size_t)(c / 3);
        if (t[(c + 1) % 3] != a) continue;
        *third = t[(c + 2) % 3];
        return c / 3;
    }
    return SUP_NONE;
}

static bool adjacent(const cage_web* w, uint32_t a, uint32_t b)
{
    for (uint32_t c = w->head[a]; c != SUP_NONE; c = w->next[c])
        if (w->s->triangles[c / 3 * 3 + (c + 1) % 3] == b || w->s->triangles[c / 3 * 3 + (c + 2) % 3] == b) return true;
    return false;
}

static int off_six(uint32_t n, int more)
{
    int d = (int)n + more - 6;
    return d * d;
}

static bool better(const cage_web* w, uint32_t a, uint32_t b, uint32_t c, uint32_t d, float before, float after)
{
    uint32_t va = cage_web_valence(w, a), vb = cage_web_valence(w, b), vc = cage_web_valence(w, c), vd = cage_web_valence(w, d);
    if (va <= 3 || vb <= 3) return false;
    int gain = off_six(va, 0) + off_six(vb, 0) + off_six(vc, 0) + off_six(vd, 0) - off_six(va, -1) - off_six(vb, -1) -
               off_six(vc, 1) - off_six(vd, 1);
    if (vc >= CAGE_FAN / 2 || vd >= CAGE_FAN / 2) return false;
    return (gain > 0 && after > 0.7f * before) || (gain >= 0 && after > 1.2f * before);
}

static void set_corner(cage_web* w, uint32_t triangle, uint32_t from, uint32_t to)
{
    for (uint32_t k = 0; k < 3; ++k) {
        uint32_t corner = 3 * triangle + k;
        if (w->s->triangles[corner] != from) continue;
        cage_web_unlink(w, from, corner);
        w->s->triangles[corner] = to;
        cage_web_link(w, to, corner);
        return;
    }
}

// a b c and b a d become a d c and d b c.
static void turn_edge(cage_web* w, uint32_t one, uint32_t a, uint32_t b, uint32_t c)
{
    const sup_vec3* p = w->s->points;
    uint32_t        d, other = across(w, a, b, &d);
    if (other == SUP_NONE || c == d || adjacent(w, c, d)) return;
    sup_vec3 old[2][3] = { { p[a], p[b], p[c] }, { p[b], p[a], p[d] } },
             now[2][3] = { { p[a], p[d], p[c] }, { p[d], p[b], p[c] } };
    sup_vec3 n[4];
    float    before = fminf(cage_quality(old[0], &n[0]), cage_quality(old[1], &n[1]));
    float    after = fminf(cage_quality(now[0], &n[2]), cage_quality(now[1], &n[3]));
    if (!better(w, a, b, c, d, before, after)) return;
    for (int i = 0; i < 2; ++i)
        for (int k = 2; k < 4; ++k)
            if (v3_dot(n[i], n[k]) < 0.8f * v3_length(n[i]) * v3_length(n[k])) return;
    cage_fan gone = { 2, { one, other } };
    if (cage_web_blocked(w, (const sup_vec3(*)[3])now, 2, &gone)) return;
    set_corner(w, one, b, d);
    set_corner(w, other, a, c);
    cage_web_moved(w, one);
    cage_web_moved(w, other);
}

static void turn_edges(cage_web* w)
{
    for (uint32_t t = 0; t < w->s->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            const uint32_t* c = w->s->triangles + 3 * (size_t)t;
            if (c[0] == SUP_NONE) break;
            turn_edge(w, t, c[k], c[(k + 1) % 3], c[(k + 2) % 3]);
        }
}

// ---------------------------------------------------------------------------------------------- sliding points

static sup_vec3 onto_planes(const double q[10], sup_vec3 p, sup_vec3 n, float most)
{
    double x = (double)n.x, y = (double)n.y, z = (double)n.z;
    double ax = q[0] * x + q[1] * y + q[2] * z, ay = q[1] * x + q[3] * y + q[4] * z, az = q[2] * x + q[4] * y + q[5] * z;
    double below = ax * x + ay * y + az * z;
    double above = ax * (double)p.x + ay * (double)p.y + az * (double)p.z + q[6] * x + q[7] * y + q[8] * z;
    return below > 0 ? v3_mad(p, sup_clampf((float)(-above / below), -most, most), n) : p;
}

static void slide(cage_web* w, uint32_t point, const double q[10])
{
    cage_fan fan;
    uint32_t ring[2 * CAGE_FAN];
    if (!cage_web_fan(w, point, &fan)) return;
    cage_surface* s = w->s;
    uint32_t      count = cage_web_ring(w, &fan, point, ring);
    sup_vec3      sum = v3(0, 0, 0), normal = v3(0, 0, 0), old[CAGE_FAN], now[CAGE_FAN][3];
    float         weights = 0, worst = 1, edge = 0;
    for (uint32_t i = 0; i < count; ++i) {
        float weight = s->sizes[ring[i]]; // toward where triangles should be larger
        sum = v3_mad(sum, weight, v3_sub(s->points[ring[i]], s->points[point]));
        weights += weight;
        edge += v3_distance(s->points[ring[i]], s->points[point]) / (float)count;
    }
    for (uint32_t i = 0; i < fan.count; ++i) {
        const uint32_t* t = s->triangles + 3 * (size_t)fan.triangles[i];
        for (int k = 0; k < 3; ++k) now[i][k] = s->points[t[k]];
        worst = fminf(worst, cage_quality((const sup_vec3*)now[i], &old[i]));
        normal = v3_add(normal, old[i]);
    }
    sup_vec3 n = v3_normalize(normal, v3(0, 0, 0)), to = v3_scale(sum, SLIDE / weights);
    sup_vec3 x = v3_add(s->points[point], v3_mad(to, -v3_dot(to, n), n));
    x = onto_planes(q, x, n, 0.1f * edge);
    for (uint32_t i = 0; i < fan.count; ++i) {
        const uint32_t* t = s->triangles + 3 * (size_t)fan.triangles[i];
        sup_vec3        after;
        for (int k = 0; k < 3; ++k)
            if (t[k] == point) now[i][k] = x;
        float quality = cage_quality((const sup_vec3*)now[i], &after);
        if (quality < 0.3f && quality < worst) return;
        if (v3_dot(old[i], after) < TURN_LEAST * v3_length(old[i]) * v3_length(after)) return;
    }
    if (cage_web_blocked(w, (const sup_vec3(*)[3])now, fan.count, &fan)) return;
    s->points[point] = x;
    for (uint32_t i = 0; i < fan.count; ++i) cage_web_moved(w, fan.triangles[i]);
}

void cage_relax(cage_web* w, const double (*quadrics)[10])
{
    for (int pass = 0; pass < PASSES; ++pass) {
        turn_edges(w);
        for (uint32_t p = 0; p < w->s->point_count; ++p)
            if (w->head[p] != SUP_NONE) slide(w, p, quadrics[p]);
    }
}

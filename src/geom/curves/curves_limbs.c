// Parts (connected pieces of one label), the seams around them, limbs (chains of parts) and their center lines: marched from
// one seam, bisected between two, between two clusters where a part has more.
#include "base/sets.h"
#include "geom/curves/curves_internal.h"
#include "math/trig.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

/// A part with less than this share of its label's points is negligible and joins its neighbor.
#define CRUMB_SHARE 0.05f
enum { CRUMB_POINTS = 12, MARCH_STEPS = 48, BISECTION_DEPTH = 6, CLUSTER_ROUNDS = 16 };
/// March: a cut shorter than this share of the seam is the tip. Bisection: a center that moves less than this share stays.
#define TIP_SHARE 0.02f
#define CENTER_SHARE 0.01f

/// One loop of a part's border, whatever lies beyond: a leg that borders on trunk and hip has one end there, not two.
typedef struct seam {
    uint32_t part, to; ///< to: the part beyond most of its edges, or SUP_NONE
    sup_vec3 center;
    float    length; ///< about: from the spread of its edges
    uint32_t edges;
} seam;

typedef struct limb_finder {
    curve_maker*    m;
    sup_arena*      arena;
    const uint32_t* labels;
    uint32_t*       part; ///< per point
    uint32_t        part_count;
    uint32_t*       seam_counts; ///< per part
    seam*           seams;
    uint32_t        seam_count;
    uint32_t*       tri_begin; ///< triangles of each part
    uint32_t*       tri;
    float*          values;
    sup_vec3*       line; ///< stations of the current limb
    uint32_t        line_count, line_capacity;
    bool            whole; ///< rings: lines of bodies reach from end to end, not only from seam to seam
    bool            failed;
} limb_finder;

// ---------------------------------------------------------------------------------------------- parts

static void flood(limb_finder* f, uint32_t from, uint32_t number, uint32_t* stack)
{
    uint32_t depth = 0;
    stack[depth++] = from;
    f->part[from] = number;
    while (depth) {
        uint32_t p = stack[--depth];
        for (uint32_t k = f->m->topology.ring_begin[p]; k < f->m->topology.ring_begin[p + 1]; ++k) {
            uint32_t q = f->m->topology.ring[k];
            if (f->part[q] != SUP_NONE || (f->labels && f->labels[q] != f->labels[p])) continue;
            f->part[q] = number;
            stack[depth++] = q;
        }
    }
}

static bool left_out(const limb_finder* f, uint32_t p)
{
    return f->m->topology.fan_begin[p] == f->m->topology.fan_begin[p + 1] || (f->labels && f->labels[p] == SUP_NONE);
}

/// Small pieces take the part that most of their neighbors have; unused numbers are closed up.
static bool absorb_crumbs(limb_finder* f)
{
    uint32_t n = f->m->mesh.point_count, labels = 1;
    for (uint32_t p = 0; f->labels && p < n; ++p)
        if (f->labels[p] != SUP_NONE && f->labels[p] >= labels) labels = f->labels[p] + 1;
    uint32_t* size = SUP_NEW(f->arena, uint32_t, f->part_count);
    uint32_t* most = SUP_NEW(f->arena, uint32_t, labels);
    uint32_t* target = SUP_NEW(f->arena, uint32_t, f->part_count);
    uint32_t* best = SUP_NEW(f->arena, uint32_t, f->part_count);
    if (!size || !most || !target || !best) return false;
    for (uint32_t p = 0; p < n; ++p)
        if (f->part[p] != SUP_NONE) ++size[f->part[p]];
    for (uint32_t p = 0; p < n; ++p)
        if (f->part[p] != SUP_NONE) {
            uint32_t l = f->labels ? f->labels[p] : 0;
            if (size[f->part[p]] > most[l]) most[l] = size[f->part[p]];
        }
    for (uint32_t i = 0; i < f->part_count; ++i) target[i] = i;
    for (uint32_t p = 0; p < n; ++p) {
        uint32_t i = f->part[p];
        if (i == SUP_NONE) continue;
        uint32_t l = f->labels ? f->labels[p] : 0;
        if (size[i] >= CRUMB_POINTS && (float)size[i] >= CRUMB_SHARE * (float)most[l]) continue;
        for (uint32_t k = f->m->topology.ring_begin[p]; k < f->m->topology.ring_begin[p + 1]; ++k) {
            uint32_t j = f->part[f->m->topology.ring[k]];
            // The biggest neighbor: it cannot be negligible unless all are.
            if (j != SUP_NONE && j != i && size[j] > best[i] && size[j] > size[i]) best[i] = size[j], target[i] = j;
        }
    }
    uint32_t* number = best; // reused: new number of each part that stays
    uint32_t  count = 0;
    for (uint32_t i = 0; i < f->part_count; ++i) number[i] = target[i] == i ? count++ : SUP_NONE;
    for (uint32_t p = 0; p < n; ++p) {
        uint32_t i = f->part[p];
        for (uint32_t round = 0; i != SUP_NONE && target[i] != i && round < 64; ++round) i = target[i];
        f->part[p] = i == SUP_NONE ? SUP_NONE : number[i];
    }
    f->part_count = count;
    return true;
}

static bool find_parts(limb_finder* f)
{
    uint32_t  n = f->m->mesh.point_count;
    uint32_t* stack = SUP_NEW(f->arena, uint32_t, n);
    f->part = SUP_NEW(f->arena, uint32_t, n);
    if (!stack || !f->part) return false;
    for (uint32_t p = 0; p < n; ++p) f->part[p] = SUP_NONE;
    for (uint32_t p = 0; p < n; ++p)
        if (f->part[p] == SUP_NONE && !left_out(f, p)) flood(f, p, f->part_count++, stack);
    return absorb_crumbs(f);
}

/// A triangle belongs to the part that two of its corners have, else to its first corner's.
static uint32_t part_of_triangle(const limb_finder* f, uint32_t t)
{
    const uint32_t* c = f->m->mesh.triangles + 3 * (size_t)t;
    uint32_t        a = f->part[c[0]], b = f->part[c[1]], d = f->part[c[2]];
    return b == d ? b : a;
}

static bool list_triangles(limb_finder* f)
{
    uint32_t count = f->m->mesh.triangle_count;
    f->tri_begin = SUP_NEW(f->arena, uint32_t, (size_t)f->part_count + 2);
    f->tri = SUP_NEW(f->arena, uint32_t, count);
    if (!f->tri_begin || !f->tri) return false;
    for (uint32_t t = 0; t < count; ++t) {
        uint32_t i = part_of_triangle(f, t);
        if (i != SUP_NONE) ++f->tri_begin[i + 2];
    }
    for (uint32_t i = 0; i < f->part_count; ++i) f->tri_begin[i + 2] += f->tri_begin[i + 1];
    for (uint32_t t = 0; t < count; ++t) {
        uint32_t i = part_of_triangle(f, t);
        if (i != SUP_NONE) f->tri[f->tri_begin[i + 1]++] = t;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- seams

static bool divides(const limb_finder* f, uint32_t edge, uint32_t pair[2])
{
    if (edge == SUP_NONE) return false;
    const sup_edge* e = &f->m->topology.edges[edge];
    pair[0] = f->part[e->a], pair[1] = f->part[e->b];
    return pair[0] != SUP_NONE && pair[1] != SUP_NONE && pair[0] != pair[1];
}

/// Every dividing edge lies on the border of two parts: entries 2 e and 2 e + 1 of `parent`. Joins edges of one part's border
/// that share a triangle.
static void join_borders(const limb_finder* f, uint32_t* parent)
{
    for (uint32_t i = 0; i < f->m->mesh.triangle_count; ++i)
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t a = f->m->tri_edges[3 * i + k], b = f->m->tri_edges[3 * i + (k + 1) % 3], p[2], q[2];
            if (!divides(f, a, p) || !divides(f, b, q)) continue;
            for (uint32_t x = 0; x < 2; ++x)
                for (uint32_t y = 0; y < 2; ++y)
                    if (p[x] == q[y]) parent[sup_sets_find(parent, 2 * a + x)] = sup_sets_find(parent, 2 * b + y);
        }
}

/// The part beyond more than half of the edges of each seam (majority vote), if there is one.
static void find_beyond(limb_finder* f, const uint32_t* number, uint32_t* votes)
{
    uint32_t pair[2], entries = 2 * f->m->topology.edge_count;
    for (uint32_t i = 0; i < f->seam_count; ++i) votes[i] = 0, f->seams[i].to = SUP_NONE;
    for (uint32_t pass = 0; pass < 2; ++pass) {
        for (uint32_t e = 0; e < entries; ++e) {
            if (number[e] == SUP_NONE || !divides(f, e / 2, pair)) continue;
            seam*     s = &f->seams[number[e]];
            uint32_t *vote = &votes[number[e]], beyond = pair[1 - e % 2];
            if (pass == 0 && *vote == 0) s->to = beyond;
            if (s->to == beyond) ++*vote;
            else if (pass == 0) --*vote;
        }
        for (uint32_t i = 0; i < f->seam_count; ++i) {
            if (pass == 1 && 2 * votes[i] <= f->seams[i].edges) f->seams[i].to = SUP_NONE;
            votes[i] = 0;
        }
    }
}

static bool find_seams(limb_finder* f)
{
    const sup_topology* t = &f->m->topology;
    uint32_t*           parent = SUP_NEW(f->arena, uint32_t, 2 * (size_t)t->edge_count);
    uint32_t*           number = SUP_NEW(f->arena, uint32_t, 2 * (size_t)t->edge_count);
    uint32_t            count = 0, pair[2];
    f->seam_counts = SUP_NEW(f->arena, uint32_t, f->part_count);
    if (!parent || !number || !f->seam_counts) return false;
    for (uint32_t e = 0; e < 2 * t->edge_count; ++e) parent[e] = e, number[e] = SUP_NONE;
    join_borders(f, parent);
    for (uint32_t e = 0; e < 2 * t->edge_count; ++e)
        if (divides(f, e / 2, pair) && number[sup_sets_find(parent, e)] == SUP_NONE) number[sup_sets_find(parent, e)] = count++;
    f->seams = SUP_NEW(f->arena, seam, count);
    uint32_t* votes = SUP_NEW(f->arena, uint32_t, count);
    if (!f->seams || !votes) return false;
    f->seam_count = count;
    for (uint32_t e = 0; e < 2 * t->edge_count; ++e) {
        if (!divides(f, e / 2, pair)) continue;
        number[e] = number[sup_sets_find(parent, e)];
        seam*    s = &f->seams[number[e]];
        sup_vec3 a = f->m->mesh.points[t->edges[e / 2].a], b = f->m->mesh.points[t->edges[e / 2].b];
        s->part = pair[e % 2];
        s->center = v3_add(s->center, v3_lerp(a, b, 0.5f));
        ++s->edges;
    }
    for (uint32_t i = 0; i < count; ++i) f->seams[i].center = v3_scale(f->seams[i].center, 1.0f / (float)f->seams[i].edges);
    for (uint32_t e = 0; e < 2 * t->edge_count; ++e) { // mean distance from the center, as of a circle
        if (!divides(f, e / 2, pair)) continue;
        seam* s = &f->seams[number[e]];
        s->length += (float)(2 * SUP_PI) / (float)s->edges * v3_distance(f->m->mesh.points[t->edges[e / 2].a], s->center);
    }
    find_beyond(f, number, votes);
    // A few edges around a hole in a label are not an end of a part.
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i)
        if (f->seams[i].edges >= 6) f->seams[kept++] = f->seams[i];
    f->seam_count = kept;
    for (uint32_t i = 0; i < kept; ++i) ++f->seam_counts[f->seams[i].part];
    return true;
}

// ---------------------------------------------------------------------------------------------- center lines

static void add_station(limb_finder* f, sup_vec3 p)
{
    if (f->line_count == f->line_capacity) {
        uint32_t  capacity = f->line_capacity ? 2 * f->line_capacity : 128;
        sup_vec3* bigger = SUP_NEW(f->arena, sup_vec3, capacity);
        if (!bigger) {
            f->failed = true;
            return;
        }
        if (f->line_count) memcpy(bigger, f->line, f->line_count * sizeof *bigger);
        f->line = bigger;
        f->line_capacity = capacity;
    }
    f->line[f->line_count++] = p;
}

/// The center of the part's cut at a plane; false if the plane misses it.
static bool cut_center(limb_finder* f, uint32_t part, sup_vec3 at, sup_vec3 normal, sup_vec3* center, float* length)
{
    curve_maker* m = f->m;
    uint32_t     first =
        maker_plane(m, f->tri + f->tri_begin[part], f->tri_begin[part + 1] - f->tri_begin[part], at, normal, f->values, 0);
    double sum[3] = { 0, 0, 0 }, total = 0;
    for (uint32_t c = first; c < m->curve_count; ++c) {
        float    l;
        sup_vec3 p = maker_center(m, &m->curves[c], &l);
        sum[0] += (double)l * p.x, sum[1] += (double)l * p.y, sum[2] += (double)l * p.z, total += l;
    }
    maker_drop_curves(m, first);
    *length = (float)total;
    if (!(total > 0)) return false;
    *center = v3((float)(sum[0] / total), (float)(sum[1] / total), (float)(sum[2] / total));
    return true;
}

static void part_box(const limb_finder* f, uint32_t part, sup_vec3* middle, float* size)
{
    sup_vec3 low = v3(3e38f, 3e38f, 3e38f), high = v3(-3e38f, -3e38f, -3e38f);
    double   sum[3] = { 0, 0, 0 }, n = 0;
    for (uint32_t p = 0; p < f->m->mesh.point_count; ++p) {
        if (f->part[p] != part) continue;
        sup_vec3 at = f->m->mesh.points[p];
        low = v3_min(low, at), high = v3_max(high, at);
        sum[0] += at.x, sum[1] += at.y, sum[2] += at.z, n += 1;
    }
    *middle = v3((float)(sum[0] / n), (float)(sum[1] / n), (float)(sum[2] / n));
    *size = v3_distance(low, high);
}

static sup_vec3 farthest(const limb_finder* f, uint32_t part, sup_vec3 from, sup_vec3 along)
{
    sup_vec3 best = from;
    float    most = -3e38f;
    for (uint32_t p = 0; p < f->m->mesh.point_count; ++p) {
        if (f->part[p] != part) continue;
        sup_vec3 d = v3_sub(f->m->mesh.points[p], from);
        float    far = v3_dot(d, along);
        if (far > most) most = far, best = f->m->mesh.points[p];
    }
    return best;
}

/// From a seam to the tip: step, cut, continue from the center of the cut in the direction that gives.
static void march(limb_finder* f, uint32_t part, sup_vec3 from, float seam_length)
{
    sup_vec3 middle;
    float    size;
    part_box(f, part, &middle, &size);
    sup_vec3 heading = v3_normalize(v3_sub(middle, from), v3(1, 0, 0)), at = from;
    float    step = size / 16.0f;
    for (uint32_t i = 0; i < MARCH_STEPS && !f->failed; ++i) {
        sup_vec3 center;
        float    length;
        if (!cut_center(f, part, v3_mad(at, step, heading), heading, &center, &length)) break;
        if (length < TIP_SHARE * seam_length) break;
        sup_vec3 moved = v3_sub(center, at);
        if (v3_dot(moved, heading) < 0.25f * step) break; // it turned back: a fork or the tip
        add_station(f, center);
        heading = v3_normalize(v3_add(heading, v3_normalize(moved, heading)), heading);
        at = center;
    }
    sup_vec3 tip = farthest(f, part, at, heading);
    float    rest = v3_dot(v3_sub(tip, at), heading);
    if (rest > 0.1f * step) add_station(f, v3_mad(at, rest, heading));
}

static void bisect(limb_finder* f, uint32_t part, sup_vec3 a, sup_vec3 b, float whole, uint32_t depth)
{
    sup_vec3 middle = v3_lerp(a, b, 0.5f), center = middle;
    float    length, span = v3_distance(a, b);
    if (depth >= BISECTION_DEPTH || f->failed || span < 0.05f * whole) return;
    bool found = cut_center(f, part, middle, v3_normalize(v3_sub(b, a), v3(1, 0, 0)), &center, &length);
    if (!found || v3_distance(center, middle) > 0.5f * span) center = middle;
    if (depth > 1 && v3_distance(center, middle) < CENTER_SHARE * whole) return;
    bisect(f, part, a, center, whole, depth + 1);
    add_station(f, center);
    bisect(f, part, center, b, whole, depth + 1);
}

/// Two clusters of seam centers, started with the two that are farthest apart.
static void cluster_seams(const limb_finder* f, uint32_t part, sup_vec3 ends[2])
{
    float most = -1;
    for (uint32_t i = 0; i < f->seam_count; ++i)
        for (uint32_t j = i + 1; j < f->seam_count; ++j) {
            const seam *a = &f->seams[i], *b = &f->seams[j];
            if (a->part != part || b->part != part) continue;
            float d = v3_distance(a->center, b->center);
            if (d > most) most = d, ends[0] = a->center, ends[1] = b->center;
        }
    for (uint32_t round = 0; round < CLUSTER_ROUNDS; ++round) {
        sup_vec3 sum[2] = { v3(0, 0, 0), v3(0, 0, 0) };
        uint32_t count[2] = { 0, 0 };
        for (uint32_t i = 0; i < f->seam_count; ++i) {
            if (f->seams[i].part != part) continue;
            int k = v3_distance(f->seams[i].center, ends[1]) < v3_distance(f->seams[i].center, ends[0]);
            sum[k] = v3_add(sum[k], f->seams[i].center);
            ++count[k];
        }
        for (int k = 0; k < 2; ++k)
            if (count[k]) ends[k] = v3_scale(sum[k], 1.0f / (float)count[k]);
    }
}

/// The direction in which a part is longest: the largest eigenvector of its covariance, by power iteration.
static sup_vec3 longest_axis(const limb_finder* f, uint32_t part, sup_vec3 middle)
{
    double c[3][3] = { { 0 } }, v[3] = { 1, 0.9, 0.8 };
    for (uint32_t p = 0; p < f->m->mesh.point_count; ++p) {
        if (f->part[p] != part) continue;
        sup_vec3 d = v3_sub(f->m->mesh.points[p], middle);
        double   x[3] = { d.x, d.y, d.z };
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) c[i][j] += x[i] * x[j];
    }
    for (int round = 0; round < 64; ++round) {
        double w[3], size = 0;
        for (int i = 0; i < 3; ++i) w[i] = c[i][0] * v[0] + c[i][1] * v[1] + c[i][2] * v[2], size += w[i] * w[i];
        if (!(size > 0)) break;
        for (int i = 0; i < 3; ++i) v[i] = w[i] / sqrt(size);
    }
    return v3_normalize(v3((float)v[0], (float)v[1], (float)v[2]), v3(1, 0, 0));
}

/// A part by itself: its ends from its seams, or from its shape if it has none.
static void lone_line(limb_finder* f, uint32_t part)
{
    sup_vec3 ends[2], middle;
    float    size;
    part_box(f, part, &middle, &size);
    bool seamed = f->seam_counts[part] >= 2;
    if (seamed) cluster_seams(f, part, ends);
    // A thick body with limbs side by side takes its line from its shape.
    if (seamed && f->whole && v3_distance(ends[0], ends[1]) < 0.4f * size) seamed = false;
    if (seamed) {
        if (f->whole) { // a body between limbs: it extends beyond the centers of its seams
            sup_vec3 heading = v3_normalize(v3_sub(ends[1], ends[0]), v3(1, 0, 0)), back = v3_scale(heading, -1);
            ends[0] = v3_mad(ends[0], v3_dot(v3_sub(farthest(f, part, ends[0], back), ends[0]), heading), heading);
            ends[1] = v3_mad(ends[1], v3_dot(v3_sub(farthest(f, part, ends[1], heading), ends[1]), heading), heading);
        }
    } else {
        sup_vec3 axis = longest_axis(f, part, middle), back = v3_scale(axis, -1);
        ends[0] = v3_mad(middle, v3_dot(v3_sub(farthest(f, part, middle, back), middle), axis), axis);
        ends[1] = v3_mad(middle, v3_dot(v3_sub(farthest(f, part, middle, axis), middle), axis), axis);
    }
    add_station(f, ends[0]);
    bisect(f, part, ends[0], ends[1], v3_distance(ends[0], ends[1]), 0);
    add_station(f, ends[1]);
}

static void reverse_stations(limb_finder* f, uint32_t from)
{
    for (uint32_t i = from, j = f->line_count; i + 1 < j--; ++i) {
        sup_vec3 swap = f->line[i];
        f->line[i] = f->line[j];
        f->line[j] = swap;
    }
}

// ---------------------------------------------------------------------------------------------- limbs

/// The longest seam of a part, to a given part or (SUP_NONE) to any.
static const seam* seam_of(const limb_finder* f, uint32_t part, uint32_t to, const seam* not_this)
{
    const seam* best = NULL;
    for (uint32_t i = 0; i < f->seam_count; ++i) {
        const seam* s = &f->seams[i];
        if (s->part == part && (to == SUP_NONE || s->to == to) && s != not_this && (!best || s->edges > best->edges)) best = s;
    }
    return best;
}

/// The next part of a chain: through the other of at most two seams, into a part with at most two that leads back here. *back
/// is that seam from the next part's side.
static uint32_t next_part(const limb_finder* f, uint32_t part, const seam* came, const uint32_t* taken, const seam** through,
                          const seam** back)
{
    const seam* s = f->seam_counts[part] <= 2 ? seam_of(f, part, SUP_NONE, came) : NULL;
    *through = s;
    if (!s || s->to == SUP_NONE || f->seam_counts[s->to] > 2 || taken[s->to] != SUP_NONE) return SUP_NONE;
    *back = seam_of(f, s->to, part, NULL);
    return *back ? s->to : SUP_NONE;
}

/// Stations of a chain of parts, given in order with the seams before, between and after them (NULL: a tip).
static void chain_line(limb_finder* f, const uint32_t* parts, const seam* const* seams, uint32_t count)
{
    f->line_count = 0;
    if (count == 1 && (!seams[0] == !seams[1] || f->seam_counts[parts[0]] > 2)) {
        lone_line(f, parts[0]);
        return;
    }
    for (uint32_t i = 0; i < count && !f->failed; ++i) {
        const seam *in = seams[i], *out = seams[i + 1];
        if (in && i == 0) add_station(f, in->center);
        if (in && out) {
            bisect(f, parts[i], in->center, out->center, v3_distance(in->center, out->center), 0);
        } else if (in) march(f, parts[i], in->center, in->length);
        else if (out) {
            uint32_t from = f->line_count;
            march(f, parts[i], out->center, out->length);
            reverse_stations(f, from);
        }
        if (out) add_station(f, out->center);
    }
    // Seams lie at a slant: rings extend to the last of a part's points.
    for (int end = 0; end < 2 && f->whole && f->line_count >= 2 && !f->failed; ++end) {
        reverse_stations(f, 0); // once for each end
        if (!seams[end ? count : 0]) continue;
        sup_vec3 last = f->line[f->line_count - 1],
                 heading = v3_normalize(v3_sub(last, f->line[f->line_count - 2]), v3(1, 0, 0));
        float on = v3_dot(v3_sub(farthest(f, parts[end ? count - 1 : 0], last, heading), last), heading);
        if (on > 0) add_station(f, v3_mad(last, on, heading));
    }
}

/// Drops stations that coincide, and smooths the line once: centers of cuts jump with the mesh.
static sup_result keep_line(limb_finder* f, limb_shape* limb, sup_error* error)
{
    float size = 0;
    for (uint32_t i = 1; i < f->line_count; ++i) size += v3_distance(f->line[i], f->line[i - 1]);
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->line_count; ++i)
        if (n == 0 || v3_distance(f->line[i], f->line[n - 1]) > 0.01f * size) f->line[n++] = f->line[i];
    sup_vec3* stations = SUP_NEW(f->m->arena, sup_vec3, n < 2 ? 2 : n);
    if (!stations || f->failed) return sup_fail_memory(error, "curves");
    for (uint32_t i = 0; i < n; ++i) {
        stations[i] = f->line[i];
        if (i > 0 && i + 1 < n) stations[i] = v3_lerp(f->line[i], v3_lerp(f->line[i - 1], f->line[i + 1], 0.5f), 0.5f);
    }
    if (n == 1) stations[1] = stations[0]; // no length: callers skip such a limb
    limb->station_count = n < 2 ? 2 : n;
    limb->stations = stations;
    return SUP_OK;
}

static sup_result make_limb(limb_finder* f, const uint32_t* parts, const seam* const* seams, uint32_t count, limb_set* out,
                            sup_error* error)
{
    limb_shape* limb = &out->limbs[out->limb_count];
    uint32_t    total = 0, n = 0;
    for (uint32_t i = 0; i < count; ++i) total += f->tri_begin[parts[i] + 1] - f->tri_begin[parts[i]];
    uint32_t* triangles = SUP_NEW(f->m->arena, uint32_t, total);
    if (!triangles) return sup_fail_memory(error, "curves");
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = f->tri_begin[parts[i]]; k < f->tri_begin[parts[i] + 1]; ++k) triangles[n++] = f->tri[k];
    limb->triangle_count = n;
    limb->triangles = triangles;
    chain_line(f, parts, seams, count);
    ++out->limb_count;
    return keep_line(f, limb, error);
}

/// Walks to one end of the chain that a part is in, then collects it from there.
static sup_result chain_from(limb_finder* f, uint32_t part, bool single, uint32_t* taken, limb_set* out, sup_error* error)
{
    const seam * through = NULL, *back = NULL;
    uint32_t     at = part, next;
    uint32_t*    parts = SUP_NEW(f->arena, uint32_t, f->part_count);
    const seam** seams = SUP_NEW(f->arena, const seam*, (size_t)f->part_count + 1);
    if (!parts || !seams) return sup_fail_memory(error, "curves");
    if (single) through = seam_of(f, part, SUP_NONE, NULL);
    const seam* last = NULL;
    for (uint32_t guard = 0; !single && guard < f->part_count; ++guard) {
        next = next_part(f, at, last, taken, &through, &back);
        if (next == SUP_NONE || next == part) break;
        last = back, at = next;
    }
    // `through` leads out of the chain at this end, or is NULL at a tip.
    uint32_t    count = 0;
    const seam* came = through;
    seams[0] = came;
    for (;;) {
        parts[count++] = at;
        taken[at] = out->limb_count;
        next = next_part(f, at, came, taken, &through, &back);
        seams[count] = through;
        if (single || next == SUP_NONE) break;
        came = back, at = next;
    }
    return make_limb(f, parts, seams, count, out, error);
}

sup_result limbs_find(curve_maker* m, const sup_curves_desc* desc, limb_set* out, sup_error* error)
{
    bool        single_parts = desc->single_parts;
    limb_finder f = {
        .m = m, .arena = sup_arena_beside(m->arena), .labels = desc->labels, .whole = desc->way == SUP_CURVES_PLANES
    };
    sup_result r = SUP_OK;
    *out = (limb_set){ .of_point = SUP_NEW(m->arena, uint32_t, m->mesh.point_count) };
    if (!f.arena || !out->of_point || !find_parts(&f) || !list_triangles(&f) || !find_seams(&f))
        r = sup_fail_memory(error, "curves");
    uint32_t* taken = NULL;
    if (!r) {
        out->limbs = SUP_NEW(m->arena, limb_shape, f.part_count);
        taken = SUP_NEW(f.arena, uint32_t, f.part_count);
        f.values = SUP_NEW(f.arena, float, m->mesh.point_count);
        if (!out->limbs || !taken || !f.values) r = sup_fail_memory(error, "curves");
    }
    for (uint32_t i = 0; !r && i < f.part_count; ++i) taken[i] = SUP_NONE;
    for (uint32_t i = 0; !r && i < f.part_count; ++i)
        if (taken[i] == SUP_NONE) r = chain_from(&f, i, single_parts, taken, out, error);
    for (uint32_t p = 0; !r && p < m->mesh.point_count; ++p)
        out->of_point[p] = f.part[p] == SUP_NONE ? SUP_NONE : taken[f.part[p]];
    sup_arena_destroy(f.arena);
    return r;
}

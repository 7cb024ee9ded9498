// Lines along the limbs: where shares of the rings' lengths are equal. Every point gets its turn around the limb from the two
// rings beside it, and lines are cut where that has one value.
#include "geom/curves/curves_field.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

/// A line is no shorter than this share of its limb.
#define LINE_LEAST 0.5f
enum { LINES_LEAST = 4, PHASES = 64 }; // PHASES: places of a ring that are compared with the one before

/// Points of all rings where they are, their shares of the rings' lengths, and the longest step of every ring.
typedef struct ring_places {
    sup_vec3* at;
    float *   share, *step;
} ring_places;

/// Share of the ring's length at its place nearest to p.
static float share_at(const sup_curve* c, const ring_places* rings, float step, sup_vec3 p)
{
    float    least = 3e38f, far = 3e38f, share = 0; // nothing nearer begins farther away than that, squared
    uint32_t steps = c->closed ? c->count : c->count - 1;
    for (uint32_t i = 0; i < steps; ++i) {
        uint32_t k = c->begin + i, next = c->begin + (i + 1) % c->count;
        sup_vec3 to = v3_sub(p, rings->at[k]);
        if (v3_length2(to) > far) continue;
        sup_vec3 d = v3_sub(rings->at[next], rings->at[k]);
        float    l2 = v3_length2(d), t = l2 > 0 ? sup_clampf(v3_dot(to, d) / l2, 0, 1) : 0;
        float    off = v3_length2(v3_mad(to, -t, d)), end = i + 1 < c->count ? rings->share[next] : rings->share[c->begin] + 1;
        if (!(off < least)) continue;
        least = off, share = rings->share[k] + t * (end - rings->share[k]);
        float root = 1.001f * (sqrtf(least) + step);
        far = root * root;
    }
    return share;
}

static float wrapped(float x) { return x - floorf(x + 0.5f); }

/// Rings begin at one of their points, about where the one before does. Shares of a closed one are shifted so that they agree
/// with that one's in the mean: lines would kink at every ring otherwise.
static void line_up(const curve_maker* m, uint32_t curve, const ring_places* rings)
{
    const sup_curve* c = &m->curves[curve];
    uint32_t         before = c->sides[0], step = c->count / PHASES + 1, count = 0;
    double           sum = 0;
    if (!c->closed || before == SUP_NONE || !m->curves[before].closed) return;
    for (uint32_t i = c->begin; i < c->begin + c->count; i += step, ++count)
        sum += (double)wrapped(share_at(&m->curves[before], rings, rings->step[before], rings->at[i]) - rings->share[i]);
    for (uint32_t i = c->begin; i < c->begin + c->count; ++i) rings->share[i] += (float)(sum / count);
}

/// Where around its limb every point is, from 0 to 1: between the shares of the two rings beside it.
static void turn_points(const field_maker* f, const sup_curves* net, const ring_places* rings, float* turn)
{
    const curve_maker* m = f->m;
    for (uint32_t i = 0; i < m->point_count; ++i) rings->at[i] = maker_place(m, m->points[i]);
    for (uint32_t c = 0; c < m->curve_count; ++c) {
        const sup_curve* u = &m->curves[c];
        double           walked = 0;
        float            total;
        maker_center(m, u, &total);
        for (uint32_t i = 0; i < u->count; ++i) {
            float step = v3_distance(rings->at[u->begin + i], rings->at[u->begin + (i + 1) % u->count]);
            rings->share[u->begin + i] = total > 0 ? (float)(walked / (double)total) : 0;
            rings->step[c] = fmaxf(rings->step[c], step);
            walked += (double)step;
        }
        line_up(m, c, rings);
    }
    for (uint32_t p = 0; p < m->mesh.point_count; ++p) {
        uint32_t below = net->below[p], before = below == SUP_NONE ? SUP_NONE : m->curves[below].sides[1];
        sup_vec3 at = m->mesh.points[p];
        if (below == SUP_NONE) continue;
        turn[p] = share_at(&m->curves[below], rings, rings->step[below], at);
        if (before != SUP_NONE && net->ratio[p] > 0)
            turn[p] += net->ratio[p] * wrapped(share_at(&m->curves[before], rings, rings->step[before], at) - turn[p]);
        turn[p] -= floorf(turn[p]);
    }
}

/// Rings before they are taken away: lines begin and end on the first and the last of their limb.
typedef struct end_ring {
    uint32_t         count;
    sup_curve_point* points;
    float*           shares;
} end_ring;

/// What one limb needs.
typedef struct limb_lines {
    end_ring ends[2];
    float    from, to; ///< heights of its first ring and its last
    uint32_t count;    ///< lines
    bool     closed;
    uint32_t begin, end; ///< its triangles
    uint32_t first;      ///< of the list of lines
} limb_lines;

/// Fewer where the limb is thinner, so that lines are equally far apart.
static bool plan_limbs(const field_maker* f, uint32_t count, limb_lines* limbs)
{
    float widest = 0;
    for (uint32_t b = 0; b < f->levels.branch_count; ++b) {
        const sup_branch* branch = &f->levels.branches[b];
        uint32_t          closed = 0, end = f->first[b];
        for (; end < f->first[b + 1] && f->rings[end].curve != SUP_NONE; ++end)
            closed += f->m->curves[f->rings[end].curve].closed;
        uint32_t rings = end - f->first[b];
        limbs[b].closed = 2 * closed > rings;
        if (rings < 2) continue;
        limbs[b].from = f->rings[f->first[b]].along, limbs[b].to = f->rings[end - 1].along;
        limbs[b].count = 1;
        widest = fmaxf(widest, branch->area / branch->length);
    }
    for (uint32_t b = 0; b < f->levels.branch_count; ++b) {
        const sup_branch* branch = &f->levels.branches[b];
        if (limbs[b].count == 0) continue;
        float share = widest > 0 ? branch->area / branch->length / widest : 1;
        limbs[b].count =
            (uint32_t)sup_clampf(share * (float)count + 0.5f, LINES_LEAST, (float)(count > LINES_LEAST ? count : LINES_LEAST));
    }
    return widest > 0;
}

static bool list_triangles(const field_maker* f, limb_lines* limbs, uint32_t** list)
{
    const sup_curve_mesh* mesh = &f->m->mesh;
    uint32_t *            of = SUP_NEW(f->work, uint32_t, mesh->triangle_count), total = 0;
    *list = SUP_NEW(f->work, uint32_t, mesh->triangle_count);
    if (!of || !*list) return false;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* c = mesh->triangles + 3 * (size_t)t;
        uint32_t        limb = f->branch[c[0]];
        bool            inside = limb != SUP_NONE && limbs[limb].count > 0;
        for (int k = 0; inside && k < 3; ++k)
            inside = f->branch[c[k]] == limb && f->along[c[k]] >= limbs[limb].from && f->along[c[k]] <= limbs[limb].to;
        of[t] = inside ? limb : SUP_NONE;
        if (inside) ++limbs[limb].end;
    }
    for (uint32_t b = 0; b < f->levels.branch_count; ++b) {
        uint32_t size = limbs[b].end;
        limbs[b].begin = limbs[b].end = total;
        total += size;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
        if (of[t] != SUP_NONE) (*list)[limbs[of[t]].end++] = t;
    return true;
}

/// Of what was cut from curve `first` on, the piece that reaches farthest along the limb, if that is far enough; running
/// outwards.
static uint32_t keep_longest(curve_maker* m, uint32_t first, const float* heights, const limb_lines* limb)
{
    uint32_t best = SUP_NONE;
    float    most = LINE_LEAST * (limb->to - limb->from);
    for (uint32_t c = first; c < m->curve_count; ++c) {
        const sup_curve* u = &m->curves[c];
        float            reach = fabsf(heights[m->points[u->begin].a] - heights[m->points[u->begin + u->count - 1].a]);
        if (!u->closed && reach >= most) most = reach, best = c;
    }
    if (best == SUP_NONE) {
        maker_drop_curves(m, first);
        return SUP_NONE;
    }
    sup_curve u = m->curves[best];
    uint32_t  begin = m->curves[first].begin;
    memmove(m->points + begin, m->points + u.begin, u.count * sizeof *m->points);
    u.begin = begin;
    m->curves[first] = u;
    m->curve_count = first + 1, m->point_count = begin + u.count;
    if (heights[m->points[begin].a] > heights[m->points[begin + u.count - 1].a]) maker_reverse(m, first);
    return first;
}

static bool keep_ends(const field_maker* f, const float* shares, limb_lines* limbs)
{
    for (uint32_t b = 0; b < f->levels.branch_count; ++b) {
        if (limbs[b].count == 0) continue;
        uint32_t last = f->first[b];
        while (last + 1 < f->first[b + 1] && f->rings[last + 1].curve != SUP_NONE) ++last;
        for (uint32_t e = 0; e < 2; ++e) {
            const sup_curve* c = &f->m->curves[f->rings[e ? last : f->first[b]].curve];
            end_ring*        ring = &limbs[b].ends[e];
            *ring = (end_ring){ c->count, SUP_NEW(f->work, sup_curve_point, c->count), SUP_NEW(f->work, float, c->count) };
            if (!ring->points || !ring->shares) return false;
            memcpy(ring->points, f->m->points + c->begin, c->count * sizeof *ring->points);
            memcpy(ring->shares, shares + c->begin, c->count * sizeof *ring->shares);
        }
    }
    return true;
}

/// Carries the last line on to both rings, to their points with the nearest share.
static void reach_ends(curve_maker* m, const limb_lines* limb, float at)
{
    sup_curve* c = &m->curves[m->curve_count - 1];
    for (uint32_t e = 0; e < 2; ++e) {
        const end_ring* ring = &limb->ends[e];
        uint32_t        best = 0;
        for (uint32_t i = 1; i < ring->count; ++i)
            if (fabsf(wrapped(ring->shares[i] - at)) < fabsf(wrapped(ring->shares[best] - at))) best = i;
        maker_add_point(m, ring->points[best]);
        if (m->failed) return;
        ++c->count;
        if (e) continue;
        memmove(m->points + c->begin + 1, m->points + c->begin, (c->count - 1) * sizeof *m->points);
        m->points[c->begin] = ring->points[best];
    }
}

/// The lines of one limb; number[j]: the curve of line j.
static void cut_lines(field_maker* f, uint32_t branch, const limb_lines* limb, const uint32_t* triangles, const float* turn,
                      float* values, float* keep, uint32_t* number)
{
    curve_maker*    m = f->m;
    const uint32_t* list = triangles + limb->begin;
    uint32_t        size = limb->end - limb->begin;
    for (uint32_t j = 0; j < limb->count && !m->failed; ++j) {
        float at = ((float)j + 0.5f) / (float)limb->count;
        for (uint32_t i = 0; i < 3 * size; ++i) {
            uint32_t p = m->mesh.triangles[3 * (size_t)list[i / 3] + i % 3];
            values[p] = limb->closed ? wrapped(turn[p] - at) : turn[p] - at;
            keep[p] = fabsf(values[p]) < 0.25f ? 1 : -10; // not on the far side, where the turn begins anew
        }
        uint32_t first = m->curve_count;
        maker_cut(m, list, size, values, keep, branch);
        number[j] = first < m->curve_count ? keep_longest(m, first, f->along, limb) : SUP_NONE;
        if (number[j] != SUP_NONE && !m->failed) reach_ends(m, limb, at);
    }
    for (uint32_t j = 0; j < limb->count && !m->failed; ++j) {
        uint32_t next = j + 1 < limb->count ? number[j + 1] : limb->closed ? number[0] : SUP_NONE;
        if (number[j] == SUP_NONE || next == SUP_NONE || next == number[j]) continue;
        m->curves[number[j]].sides[1] = next, m->curves[next].sides[0] = number[j];
    }
}

/// Between which two lines of its limb every point is.
static void place_between(const field_maker* f, const limb_lines* limbs, const uint32_t* numbers, const float* turn,
                          uint32_t* below, float* ratio, const uint32_t* limb_of)
{
    for (uint32_t p = 0; p < f->m->mesh.point_count; ++p) {
        uint32_t b = limb_of[p];
        below[p] = SUP_NONE, ratio[p] = 0;
        if (b == SUP_NONE || limbs[b].count == 0) continue;
        uint32_t n = limbs[b].count;
        float    x = turn[p] * (float)n - 0.5f, j = floorf(x);
        if (limbs[b].closed && j < 0) j = (float)n - 1;
        else if (j < 0) j = 0, x = 0;
        if (j > (float)n - 1) j = (float)n - 1;
        uint32_t line = numbers[limbs[b].first + (uint32_t)j];
        if (line == SUP_NONE || f->m->curves[line].sides[1] == SUP_NONE) continue; // the nearest then
        below[p] = line;
        ratio[p] = sup_clampf(x - floorf(x), 0, 1);
    }
}

sup_result field_lines_make(field_maker* f, uint32_t count, sup_curves* net, sup_error* error)
{
    curve_maker* m = f->m;
    uint32_t     n = m->mesh.point_count, branches = f->levels.branch_count, *triangles;
    uint32_t     total = 0;
    limb_lines*  limbs = SUP_NEW(f->work, limb_lines, branches);
    float *      turn = SUP_NEW(f->work, float, n), *values = SUP_NEW(f->work, float, n), *keep = SUP_NEW(f->work, float, n);
    if (!limbs || !turn || !values || !keep) return sup_fail_memory(error, "curves");
    plan_limbs(f, count, limbs);
    for (uint32_t b = 0; b < branches; ++b) limbs[b].first = total, total += limbs[b].count;
    uint32_t* numbers = SUP_NEW(f->work, uint32_t, (size_t)total + 1);
    if (!numbers) return sup_fail_memory(error, "curves");
    ring_places rings = { SUP_NEW(f->work, sup_vec3, m->point_count), SUP_NEW(f->work, float, m->point_count),
                          SUP_NEW(f->work, float, (size_t)m->curve_count + 1) };
    if (!rings.at || !rings.share || !rings.step || !list_triangles(f, limbs, &triangles))
        return sup_fail_memory(error, "curves");
    turn_points(f, net, &rings, turn);
    if (!keep_ends(f, rings.share, limbs)) return sup_fail_memory(error, "curves");
    maker_drop_curves(m, 0);
    m->point_count = 0;
    for (uint32_t b = 0; b < branches; ++b) cut_lines(f, b, &limbs[b], triangles, turn, values, keep, numbers + limbs[b].first);
    if (m->failed) return sup_fail_memory(error, "curves");
    place_between(f, limbs, numbers, turn, (uint32_t*)net->below, (float*)net->ratio, net->limbs);
    return SUP_OK;
}

// Lines along the limbs, at equal shares of the rings' lengths. Every point gets its angle around the limb from the two rings
// beside it, and lines are cut where that has a constant value.
#include "geom/curves/curves_field.h"
#include "math/trig.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

/// A line is at least this share of its limb's length.
#define LINE_LEAST 0.5f
/// A corner beyond the ring at a tip that is farther from it than this share of its radius is a pole, where lines meet.
#define POLE 0.5f
enum { LINES_LEAST = 4, PHASES = 64 }; // PHASES: places of a ring that are compared with the one before

/// The points of all rings on the rest shape, their shares of the rings' lengths, and the longest step of every ring.
typedef struct ring_places {
    sup_vec3* at;
    float *   share, *step;
} ring_places;

/// Share of the ring's length at its place nearest to p; *away: the squared distance.
static float share_near(const sup_curve* c, const ring_places* rings, float step, sup_vec3 p, float* away)
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
    *away = least;
    return share;
}

static float share_at(const sup_curve* c, const ring_places* rings, float step, sup_vec3 p)
{
    float away;
    return share_near(c, rings, step, p, &away);
}

static float wrapped(float x) { return x - floorf(x + 0.5f); }

/// Rings begin at one of their points, roughly where the previous one begins. Shares of a closed ring are shifted so that they
/// agree with the previous ring's on average: otherwise lines would kink at every ring.
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

/// The angle of every point around its limb, from 0 to 1: between the shares of the two rings beside it.
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
        if (m->curves[below].closed) turn[p] -= floorf(turn[p]);
        else turn[p] = sup_clampf(turn[p], 0, 1);
    }
}

/// The data of one limb. Rings are removed before lines are cut: the first and the last are kept here.
typedef struct limb_lines {
    sup_curve ends[2];
    float     levels[2], steps[2], radii[2]; ///< of these two
    uint32_t  count;                         ///< lines
    bool      closed;
    uint32_t  begin, end; ///< its triangles
    uint32_t  first;      ///< of the list of lines
} limb_lines;

/// Fewer lines where the limb is thinner, so that they are equally far apart.
static void plan_limbs(const field_maker* f, uint32_t count, const ring_places* rings, limb_lines* limbs)
{
    float widest = 0;
    for (uint32_t b = 0; b < f->levels.branch_count; ++b) {
        const sup_branch* branch = &f->levels.branches[b];
        uint32_t          closed = 0, end = f->first[b];
        for (; end < f->first[b + 1] && f->rings[end].curve != SUP_NONE; ++end)
            closed += f->m->curves[f->rings[end].curve].closed;
        limbs[b].closed = 2 * closed > end - f->first[b];
        if (end - f->first[b] < 2) continue;
        for (uint32_t e = 0; e < 2; ++e) {
            const sup_level_ring* ring = &f->rings[e ? end - 1 : f->first[b]];
            limbs[b].ends[e] = f->m->curves[ring->curve];
            limbs[b].levels[e] = ring->level, limbs[b].steps[e] = rings->step[ring->curve];
            maker_center(f->m, &limbs[b].ends[e], &limbs[b].radii[e]);
            limbs[b].radii[e] *= (float)(0.5 / SUP_PI);
        }
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
}

/// The limb of most corners of a triangle that reaches between its first ring and its last. Each triangle has at most one, so
/// that lines of two limbs cannot cross.
static uint32_t limb_of_triangle(const field_maker* f, const uint32_t* corners, const limb_lines* limbs)
{
    float    low = INFINITY, high = -INFINITY;
    uint32_t best = SUP_NONE;
    for (int k = 0; k < 3; ++k) low = fminf(low, f->u[corners[k]]), high = fmaxf(high, f->u[corners[k]]);
    for (int k = 0; k < 3; ++k) {
        uint32_t b = f->branch[corners[k]];
        if (b == SUP_NONE || limbs[b].count == 0 || high < limbs[b].levels[0] || low > limbs[b].levels[1]) continue;
        if (best == SUP_NONE || b == f->branch[corners[2]]) best = b;
    }
    return best;
}

static bool list_triangles(const field_maker* f, limb_lines* limbs, uint32_t** list)
{
    const sup_curve_mesh* mesh = &f->m->mesh;
    uint32_t *            of = SUP_NEW(f->work, uint32_t, mesh->triangle_count), total = 0;
    *list = SUP_NEW(f->work, uint32_t, mesh->triangle_count);
    if (!of || !*list) return false;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        of[t] = limb_of_triangle(f, mesh->triangles + 3 * (size_t)t, limbs);
        if (of[t] != SUP_NONE) ++limbs[of[t]].end;
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

/// The angle around the limb of its triangles' corners; of corners in other limbs and at tips by the ring at that end. A corner
/// equally far from the ring on all sides has no angle: NaN.
static void turn_corners(const field_maker* f, uint32_t branch, const limb_lines* limb, const uint32_t* list,
                         const ring_places* rings, const float* turn, float* here)
{
    for (uint32_t i = 0; i < 3 * (limb->end - limb->begin); ++i) {
        uint32_t p = f->m->mesh.triangles[3 * (size_t)list[i / 3] + i % 3];
        uint32_t e = f->u[p] > 0.5f * (limb->levels[0] + limb->levels[1]);
        float    away;
        here[p] = turn[p];
        if (f->branch[p] == branch && f->u[p] >= limb->levels[0] && f->u[p] <= limb->levels[1]) continue;
        here[p] = share_near(&limb->ends[e], rings, limb->steps[e], f->m->mesh.points[p], &away);
        if (f->levels.branches[branch].tip[e] && away > POLE * limb->radii[e] * POLE * limb->radii[e]) here[p] = NAN;
    }
}

static float level_of(const field_maker* f, sup_curve_point p) { return f->u[p.a] + p.ratio * (f->u[p.b] - f->u[p.a]); }

/// Of what was cut from curve `first` on, keeps the piece that reaches farthest along the limb, if that is far enough; it runs
/// outward, from ring to ring, and at a tip on to the next edge after the ring.
static uint32_t keep_longest(field_maker* f, uint32_t first, const bool* tip, const limb_lines* limb)
{
    curve_maker* m = f->m;
    uint32_t     best = SUP_NONE, begin = m->curves[first].begin;
    float        low = limb->levels[0], high = limb->levels[1], most = LINE_LEAST * (high - low);
    for (uint32_t c = first; c < m->curve_count; ++c) {
        sup_curve*             u = &m->curves[c];
        const sup_curve_point* p = m->points + u->begin;
        uint32_t               from = 0, end = u->count;
        if (u->closed) continue;
        if (level_of(f, p[0]) > level_of(f, p[end - 1])) maker_reverse(m, c);
        while (from < end && level_of(f, p[from]) < low) ++from;
        while (from < end && level_of(f, p[end - 1]) > high) --end;
        if (from == end) continue;
        if (tip[0] && from > 0) --from;
        if (tip[1] && end < u->count) ++end;
        u->begin += from, u->count = end - from;
        if (u->count < 2) continue;
        float reach = fminf(level_of(f, p[end - 1]), high) - fmaxf(level_of(f, p[from]), low);
        if (reach >= most) most = reach, best = c;
    }
    if (best == SUP_NONE) {
        maker_drop_curves(m, first);
        m->point_count = begin;
        return SUP_NONE;
    }
    sup_curve u = m->curves[best];
    memmove(m->points + begin, m->points + u.begin, u.count * sizeof *m->points);
    u.begin = begin;
    m->curves[first] = u;
    m->curve_count = first + 1, m->point_count = begin + u.count;
    return first;
}

/// The lines of one limb; number[j]: the curve of line j.
static void cut_lines(field_maker* f, uint32_t branch, const limb_lines* limb, const uint32_t* list, const float* here,
                      float* values, uint32_t* number)
{
    curve_maker* m = f->m;
    uint32_t     size = limb->end - limb->begin;
    for (uint32_t j = 0; j < limb->count && !m->failed; ++j) {
        float at = ((float)j + 0.5f) / (float)limb->count;
        for (uint32_t i = 0; i < 3 * size; ++i) {
            uint32_t p = m->mesh.triangles[3 * (size_t)list[i / 3] + i % 3];
            values[p] = isnan(here[p]) ? 0 : limb->closed ? wrapped(here[p] - at) : here[p] - at;
        }
        uint32_t first = m->curve_count; // not on the far side of a closed limb, where the angle starts over
        maker_cut(m, list, size, values, limb->closed ? 0.5f : INFINITY, branch);
        number[j] =
            first < m->curve_count && !m->failed ? keep_longest(f, first, f->levels.branches[branch].tip, limb) : SUP_NONE;
    }
    for (uint32_t j = 0; j < limb->count && !m->failed; ++j) {
        uint32_t next = j + 1 < limb->count ? number[j + 1] : limb->closed ? number[0] : SUP_NONE;
        if (number[j] == SUP_NONE || next == SUP_NONE || next == number[j]) continue;
        m->curves[number[j]].sides[1] = next, m->curves[next].sides[0] = number[j];
    }
}

/// The two lines of its limb that every point lies between.
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
    uint32_t     n = m->mesh.point_count, branches = f->levels.branch_count, lines = 0, *triangles;
    limb_lines*  limbs = SUP_NEW(f->work, limb_lines, branches);
    float *      turn = SUP_NEW(f->work, float, n), *here = SUP_NEW(f->work, float, n), *values = SUP_NEW(f->work, float, n);
    ring_places  rings = { SUP_NEW(f->work, sup_vec3, m->point_count), SUP_NEW(f->work, float, m->point_count),
                           SUP_NEW(f->work, float, (size_t)m->curve_count + 1) };
    if (!limbs || !turn || !here || !values || !rings.at || !rings.share || !rings.step)
        return sup_fail_memory(error, "curves");
    turn_points(f, net, &rings, turn);
    plan_limbs(f, count, &rings, limbs);
    for (uint32_t b = 0; b < branches; ++b) limbs[b].first = lines, lines += limbs[b].count;
    uint32_t* numbers = SUP_NEW(f->work, uint32_t, (size_t)lines + 1);
    if (!numbers || !list_triangles(f, limbs, &triangles)) return sup_fail_memory(error, "curves");
    maker_drop_curves(m, 0);
    for (uint32_t b = 0; b < branches; ++b) {
        const uint32_t* list = triangles + limbs[b].begin;
        turn_corners(f, b, &limbs[b], list, &rings, turn, here);
        cut_lines(f, b, &limbs[b], list, here, values, numbers + limbs[b].first);
    }
    if (m->failed) return sup_fail_memory(error, "curves");
    place_between(f, limbs, numbers, turn, (uint32_t*)net->below, (float*)net->ratio, net->limbs);
    return SUP_OK;
}

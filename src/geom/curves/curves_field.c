// Rings as level lines of one coordinate along the limbs, and lines across them.
#include "geom/curves/curves_field.h"
#include "geom/curves/field.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

/// Smoothing scale of the coordinate, in diagonals of the mesh; the bands, in such scales.
#define SCALE 0.02f
#define BAND 0.05f
/// Branches shorter than this share of the spacing are dropped.
#define BRANCH_LEAST 0.5f
/// The bare end at a tip: at most this share of the distance to the next ring, and of its branch's area.
#define TIP_GAP 0.2f
#define TIP_AREA 0.01f
/// A pit that holds more than this share of its piece's area is not a minor fault.
#define PIT_AREA 0.05
/// Guides are doubted if the slope of their coordinate differs from 1 by more than this on average: 0.05 to 0.28 for hand-made
/// bones, 0.35 to 0.58 for bones fitted to a motion, 0.10 to 0.15 for distances. Distances replace them if their slope is off
/// by at most this share of that. On pieces below this share of the surface a few rings may run in any direction.
#define SLOPE_OFF 0.3
#define SLOPE_BETTER 0.7
#define DOUBT_AREA 0.02
/// An open ring shorter than this share of its neighbor is a fragment.
#define FRAGMENT 0.5f
/// Rings of a branch whose distances differ by more than this factor are redistributed; there are fewer if it stays above the
/// second factor.
#define UNEVEN 1.5
#define UNEVEN_MOST 1.9
/// GUIDE_RINGS: rings of the longest limb, over which lines are drawn. BRANCHES_MANY: a mesh with this many branches has no
/// limbs but loose pieces; their rings stay as cut, or evening them out would take most of the bind.
enum {
    GUIDE_RINGS = 40,
    RINGS_MOST = 4096,
    BRANCHES_MANY = 2000,
    MATCHES = 32,
    PIT_ROUNDS = 3,
    EVEN_ROUNDS = 4,
    END_ROUNDS = 4,
    THIN_ROUNDS = 3
};

// ---------------------------------------------------------------------------------------------- the coordinate

static float diagonal_of(const sup_curve_mesh* mesh)
{
    sup_vec3 low = v3(3e38f, 3e38f, 3e38f), high = v3(-3e38f, -3e38f, -3e38f);
    for (uint32_t p = 0; p < mesh->point_count; ++p) low = v3_min(low, mesh->points[p]), high = v3_max(high, mesh->points[p]);
    return v3_distance(low, high);
}

/// Components with points that have no direction of their own.
static bool mark_unguided(const field_maker* f, const sup_guides* g, bool* unguided)
{
    const sup_topology* t = &f->m->topology;
    bool                any = false;
    for (uint32_t p = 0; p < f->m->mesh.point_count; ++p)
        if (t->components[p] != SUP_NONE && (!g || !(v3_length2(g->direction[p]) > 0))) unguided[t->components[p]] = any = true;
    return any;
}

static sup_result make_levels(field_maker* f, const sup_curves_desc* d, float scale, sup_error* error)
{
    sup_result r = sup_levels_create(&f->m->mesh, &f->m->topology, f->u, BAND * scale, f->work, &f->levels, error);
    if (r) return r;
    sup_levels_simplify(&f->levels, BRANCH_LEAST * scale);
    uint32_t curves = d->way == SUP_CURVES_ALONG ? GUIDE_RINGS : d->curves > 1 ? d->curves : 16;
    f->spacing =
        d->way == SUP_CURVES_AROUND && d->spacing > 0 ? d->spacing : sup_levels_longest(&f->levels) / (float)(curves - 1);
    sup_levels_simplify(&f->levels, BRANCH_LEAST * f->spacing);
    return SUP_OK;
}

/// A body has one beginning, the largest branch that begins at a tip. Marks the points of all others, which are pits of the
/// coordinate such as a palm between the directions of its fingers, and sets in `pits` which components have pits that matter.
static bool mark_pits(const field_maker* f, bool* marked, bool* pits, uint32_t* begins)
{
    const sup_levels* l = &f->levels;
    uint32_t          n = f->m->mesh.point_count, components = f->m->topology.component_count;
    bool *            is_pit = SUP_NEW(f->work, bool, l->branch_count), any = false;
    double*           areas = SUP_NEW(f->work, double, components);
    memset(marked, 0, n * sizeof *marked);
    memset(pits, 0, components * sizeof *pits);
    for (uint32_t c = 0; c < components; ++c) begins[c] = SUP_NONE;
    for (uint32_t b = 0; b < l->branch_count; ++b) {
        const sup_branch* branch = &l->branches[b];
        if (!branch->alive) continue;
        if (areas) areas[branch->component] += (double)branch->area;
        uint32_t* at = &begins[branch->component];
        if (branch->tip[0] && (*at == SUP_NONE || branch->area > l->branches[*at].area)) *at = b;
    }
    for (uint32_t b = 0; is_pit && areas && b < l->branch_count; ++b) {
        const sup_branch* branch = &l->branches[b];
        is_pit[b] = branch->alive && branch->tip[0] && b != begins[branch->component];
        any = any || is_pit[b];
        if (is_pit[b] && (double)branch->area > PIT_AREA * areas[branch->component]) pits[branch->component] = true;
    }
    if (any) sup_levels_mark(l, is_pit, marked);
    return any;
}

static void widen(const field_maker* f, bool* marked, bool* next, uint32_t rounds)
{
    const sup_topology* t = &f->m->topology;
    for (uint32_t i = 0; i < rounds; ++i) {
        memcpy(next, marked, f->m->mesh.point_count * sizeof *next);
        for (uint32_t p = 0; p < f->m->mesh.point_count; ++p)
            for (uint32_t k = t->ring_begin[p]; marked[p] && k < t->ring_begin[p + 1]; ++k) next[t->ring[k]] = true;
        memcpy(marked, next, f->m->mesh.point_count * sizeof *next);
    }
}

/// If most of a piece is pits, there is nothing to fill them from. Returns whether anything is left to fill.
static bool spare_pieces(const field_maker* f, bool* marked, uint32_t* all, uint32_t* some)
{
    const sup_topology* t = &f->m->topology;
    bool                any = false;
    memset(all, 0, t->component_count * sizeof *all), memset(some, 0, t->component_count * sizeof *some);
    for (uint32_t p = 0; p < f->m->mesh.point_count; ++p)
        if (t->components[p] != SUP_NONE) ++all[t->components[p]], some[t->components[p]] += marked[p];
    for (uint32_t p = 0; p < f->m->mesh.point_count; ++p) {
        if (!marked[p]) continue;
        marked[p] = 2 * some[t->components[p]] < all[t->components[p]];
        any = any || marked[p];
    }
    return any;
}

/// Fills pits, wider each time. If one remains, the guides are misleading: then distances replace them.
static sup_result fill_pits(field_maker* f, const sup_curves_desc* d, sup_guides* g, bool* unguided, float scale,
                            sup_error* error)
{
    uint32_t  n = f->m->mesh.point_count, components = f->m->topology.component_count;
    bool *    marked = SUP_NEW(f->work, bool, n), *next = SUP_NEW(f->work, bool, n), *pits = SUP_NEW(f->work, bool, components);
    uint32_t *begins = SUP_NEW(f->work, uint32_t, components), *all = SUP_NEW(f->work, uint32_t, components);
    if (!marked || !next || !pits || !begins || !all) return sup_fail_memory(error, "curves");
    sup_result r = SUP_OK;
    for (uint32_t round = 1; !r && round <= PIT_ROUNDS && mark_pits(f, marked, pits, begins); ++round) {
        widen(f, marked, next, 2 * round);
        if (!spare_pieces(f, marked, all, begins)) break;
        r = sup_coordinate_fill(&f->m->mesh, &f->m->topology, marked, f->work, f->u, error);
        if (!r) r = make_levels(f, d, scale, error);
    }
    if (r || !mark_pits(f, marked, pits, begins)) return r;
    bool again = false;
    for (uint32_t c = 0; c < components; ++c) pits[c] = pits[c] && !unguided[c], again = again || pits[c];
    if (!again) return SUP_OK; // small ones at borders, or of distances, are accepted
    r = sup_guides_by_distance(&f->m->mesh, &f->m->topology, pits, f->work, g, error);
    if (!r) r = sup_guides_smooth(&f->m->mesh, &f->m->topology, g, scale, f->work, f->u, error);
    return r ? r : make_levels(f, d, scale, error);
}

/// How far the coordinate is from a length, whose slope is 1 everywhere: the mean of |slope - 1| over every component, and the
/// component's area.
static void measure_slopes(const field_maker* f, const float* u, double* off, double* area)
{
    const sup_curve_mesh* m = &f->m->mesh;
    uint32_t              components = f->m->topology.component_count;
    memset(off, 0, components * sizeof *off), memset(area, 0, components * sizeof *area);
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        const uint32_t* c = m->triangles + 3 * (size_t)t;
        sup_vec3        o = m->points[c[0]], a = v3_sub(m->points[c[1]], o), b = v3_sub(m->points[c[2]], o);
        float           x = u[c[1]] - u[c[0]], y = u[c[2]] - u[c[0]];
        double          surface = (double)v3_length(v3_cross(a, b));
        uint32_t        component = f->m->topology.components[c[0]];
        if (component == SUP_NONE) continue;
        area[component] += surface;
        off[component] += fabs((double)v3_length(v3_sub(v3_scale(b, x), v3_scale(a, y))) - surface);
    }
    for (uint32_t c = 0; c < components; ++c) off[c] = area[c] > 0 ? off[c] / area[c] : 0;
}

/// Bones that were fitted to a motion, or that have little to do with a piece of clothing, point anywhere. If their directions
/// do not integrate to a length, distances over the surface replace them, provided they do better.
static sup_result doubt_guides(field_maker* f, const sup_curves_desc* d, sup_guides* g, bool* unguided, float scale,
                               bool* changed, sup_error* error)
{
    const sup_topology* t = &f->m->topology;
    uint32_t            n = f->m->mesh.point_count, count = t->component_count;
    double *            off = SUP_NEW(f->work, double, count), *now = SUP_NEW(f->work, double, count);
    double *            area = SUP_NEW(f->work, double, count), all = 0;
    bool *              doubted = SUP_NEW(f->work, bool, count), any = false;
    float*              u = SUP_NEW(f->work, float, n);
    if (!off || !now || !area || !doubted || !u) return sup_fail_memory(error, "curves");
    measure_slopes(f, f->u, off, area);
    for (uint32_t c = 0; c < count; ++c) all += area[c];
    for (uint32_t c = 0; c < count; ++c) {
        doubted[c] = !unguided[c] && off[c] > SLOPE_OFF && area[c] > DOUBT_AREA * all;
        any = any || doubted[c];
    }
    if (!any) return SUP_OK;
    sup_result r = sup_guides_by_distance(&f->m->mesh, t, doubted, f->work, g, error);
    if (!r) r = sup_guides_smooth(&f->m->mesh, t, g, scale, f->work, u, error);
    if (r) return r;
    measure_slopes(f, u, now, area);
    for (uint32_t p = 0; p < n; ++p) {
        uint32_t c = t->components[p];
        if (c == SUP_NONE || !doubted[c]) continue;
        if (now[c] < SLOPE_BETTER * off[c]) f->u[p] = u[p], unguided[c] = *changed = true;
        else g->place[p] = d->guides->place[p], g->direction[p] = d->guides->direction[p];
    }
    return SUP_OK;
}

static sup_result find_branches(field_maker* f, const sup_curves_desc* d, sup_error* error)
{
    uint32_t   n = f->m->mesh.point_count;
    float      scale = SCALE * diagonal_of(&f->m->mesh);
    sup_guides g = { SUP_NEW(f->work, float, n), SUP_NEW(f->work, sup_vec3, n) };
    bool*      unguided = SUP_NEW(f->work, bool, f->m->topology.component_count);
    f->u = SUP_NEW(f->work, float, n), f->branch = SUP_NEW(f->work, uint32_t, n), f->along = SUP_NEW(f->work, float, n);
    if (!g.place || !g.direction || !unguided || !f->u || !f->branch || !f->along) return sup_fail_memory(error, "curves");
    if (d->guides) {
        memcpy(g.place, d->guides->place, n * sizeof *g.place);
        memcpy(g.direction, d->guides->direction, n * sizeof *g.direction);
    }
    sup_result r = SUP_OK;
    bool       changed = false;
    if (mark_unguided(f, d->guides, unguided))
        r = sup_guides_by_distance(&f->m->mesh, &f->m->topology, unguided, f->work, &g, error);
    if (!r) r = sup_guides_smooth(&f->m->mesh, &f->m->topology, &g, scale, f->work, f->u, error);
    if (!r) r = make_levels(f, d, scale, error);
    if (!r) r = fill_pits(f, d, &g, unguided, scale, error);
    if (!r && d->guides) r = doubt_guides(f, d, &g, unguided, scale, &changed, error);
    if (!r && changed) r = make_levels(f, d, scale, error);
    if (!r && changed) r = fill_pits(f, d, &g, unguided, scale, error);
    if (r) return r;
    sup_levels_settle(&f->levels);
    for (uint32_t p = 0; p < n; ++p) f->branch[p] = sup_levels_place(&f->levels, p, &f->along[p]);
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- rings

/// Evenly from end to end: all the way to a fork, and close to a tip.
static uint32_t spread_rings(const field_maker* f, uint32_t branch, sup_level_ring* out)
{
    const sup_branch* b = &f->levels.branches[branch];
    uint32_t          tips = b->tip[0] + b->tip[1], least = tips == 2 && f->levels.branch_count < BRANCHES_MANY ? 4 : tips + 1;
    if (!(b->length > 0)) return 0;
    float    gaps = floorf(b->length / f->spacing + 0.5f);
    uint32_t count = (uint32_t)sup_clampf(gaps, (float)least, RINGS_MOST - 1);
    float    from = 0, to = b->length, gap = b->length / (float)count;
    if (b->tip[0]) from = fminf(TIP_GAP * gap, sup_levels_area_at(&f->levels, branch, TIP_AREA * b->area));
    if (b->tip[1]) to = fmaxf(to - TIP_GAP * gap, sup_levels_area_at(&f->levels, branch, (1 - TIP_AREA) * b->area));
    for (uint32_t i = 0; out && i <= count; ++i)
        out[i] = (sup_level_ring){ .branch = branch, .along = from + (to - from) * (float)i / (float)count };
    return count + 1;
}

static sup_result find_rings(field_maker* f, sup_error* error)
{
    uint32_t count = 0;
    f->first = SUP_NEW(f->work, uint32_t, (size_t)f->levels.branch_count + 1);
    if (!f->first) return sup_fail_memory(error, "curves");
    for (uint32_t b = 0; b < f->levels.branch_count; ++b) f->first[b] = count, count += spread_rings(f, b, NULL);
    f->first[f->levels.branch_count] = f->ring_count = count;
    f->rings = SUP_NEW(f->work, sup_level_ring, count);
    if (!f->rings) return sup_fail_memory(error, "curves");
    for (uint32_t b = 0; b < f->levels.branch_count; ++b) spread_rings(f, b, f->rings + f->first[b]);
    return sup_levels_find(&f->levels, f->rings, count, error);
}

static bool cut_by(const field_maker* f, uint32_t edge, float level)
{
    if (edge == SUP_NONE) return false;
    const sup_edge* e = &f->m->topology.edges[edge];
    return (f->u[e->a] >= level) != (f->u[e->b] >= level);
}

/// The other edge of a triangle that the level crosses.
static uint32_t across(const field_maker* f, uint32_t triangle, uint32_t edge, float level)
{
    for (uint32_t k = 0; k < 3; ++k) {
        uint32_t e = f->m->tri_edges[3 * (size_t)triangle + k];
        if (e != edge && cut_by(f, e, level)) return e;
    }
    return SUP_NONE;
}

static uint32_t beyond(const field_maker* f, uint32_t triangle, uint32_t edge)
{
    const sup_edge* e = &f->m->topology.edges[edge];
    return e->faces[0] == triangle ? e->faces[1] : e->faces[1] == triangle ? e->faces[0] : SUP_NONE;
}

/// Follows a level from an edge into a triangle, until a border or the start. Adds the edges' crossings, or only moves along.
/// *edge and *triangle: where it stopped.
static bool follow(field_maker* f, uint32_t* edge, uint32_t* triangle, float level, bool add)
{
    curve_maker* m = f->m;
    uint32_t     start = *edge;
    ++m->cut;
    for (;;) {
        const sup_edge* e = &m->topology.edges[*edge];
        m->visited[*edge] = m->cut;
        if (add) {
            float ratio = (level - f->u[e->a]) / (f->u[e->b] - f->u[e->a]);
            maker_add_point(m, (sup_curve_point){ e->a, e->b, sup_clampf(ratio, 0, 1) });
        }
        if (*triangle == SUP_NONE) return false;
        uint32_t next = across(f, *triangle, *edge, level);
        if (next == start) return true;
        if (next == SUP_NONE || m->visited[next] == m->cut) return false;
        uint32_t on = beyond(f, *triangle, next);
        if (on == SUP_NONE && !add) { // a border: the way back begins here
            *edge = next;
            return false;
        }
        *edge = next, *triangle = on;
    }
}

static void walk_ring(field_maker* f, const sup_level_ring* ring)
{
    uint32_t triangle = ring->triangle, edge, begin = f->m->point_count;
    if (triangle == SUP_NONE || ring->branch == SUP_NONE || f->m->failed) return; // a dropped ring has no position
    edge = across(f, triangle, SUP_NONE, ring->level);
    if (edge == SUP_NONE) return;
    // Once around, or to a border; back from there.
    bool closed = follow(f, &edge, &triangle, ring->level, false);
    if (!closed && triangle == SUP_NONE) return;
    closed = follow(f, &edge, &triangle, ring->level, true);
    maker_end_curve(f->m, begin, closed, ring->branch);
}

// ---------------------------------------------------------------------------------------------- turned to match

/// Points at equal shares of a curve's length.
static void sample(const curve_maker* m, const sup_curve* c, sup_vec3* out)
{
    uint32_t steps = c->closed ? c->count : c->count - 1, i = 0;
    double   total = 0, walked = 0;
    for (uint32_t k = 0; k < steps; ++k)
        total += (double)v3_distance(maker_place(m, m->points[c->begin + k]),
                                     maker_place(m, m->points[c->begin + (k + 1) % c->count]));
    for (uint32_t k = 0; k < MATCHES; ++k) {
        double at = total * k / (c->closed ? MATCHES : MATCHES - 1);
        for (;; ++i) {
            sup_vec3 a = maker_place(m, m->points[c->begin + i]), b = maker_place(m, m->points[c->begin + (i + 1) % c->count]);
            double   step = (double)v3_distance(a, b);
            if (walked + step >= at || i + 1 == steps) {
                out[k] = v3_lerp(a, b, step > 0 ? sup_clampf((float)((at - walked) / step), 0, 1) : 0);
                break;
            }
            walked += step;
        }
    }
}

/// Rotates the start of a ring so that equal shares of it and of the one before lie nearest to each other, in either sense.
static void match_ring(curve_maker* m, uint32_t curve, const sup_vec3* before)
{
    sup_curve* c = &m->curves[curve];
    sup_vec3   now[MATCHES];
    double     least = HUGE_VAL;
    uint32_t   best = 0;
    bool       back = false;
    for (int sense = 0; sense < 2; ++sense) {
        sample(m, c, now);
        for (uint32_t shift = 0; shift < (c->closed ? MATCHES : 1); ++shift) {
            double sum = 0;
            for (uint32_t k = 0; k < MATCHES; ++k) sum += (double)v3_length2(v3_sub(now[(k + shift) % MATCHES], before[k]));
            if (sum < least) least = sum, best = shift, back = sense > 0;
        }
        maker_reverse(m, curve);
    }
    if (back) maker_reverse(m, curve);
    sample(m, c, now);
    if (!c->closed || best == 0) return;
    uint32_t nearest = 0;
    float    away = 3e38f;
    for (uint32_t i = 0; i < c->count; ++i) {
        float d = v3_length2(v3_sub(maker_place(m, m->points[c->begin + i]), now[best]));
        if (d < away) away = d, nearest = i;
    }
    maker_rotate(m, curve, nearest);
}

static void walk_branch(field_maker* f, uint32_t branch)
{
    for (uint32_t i = f->first[branch]; i < f->first[branch + 1] && !f->m->failed; ++i) {
        uint32_t curve = f->m->curve_count;
        walk_ring(f, &f->rings[i]);
        f->rings[i].curve = f->m->curve_count > curve ? curve : SUP_NONE;
    }
}

/// Whether the shorter of two rings is open and less than half as long as the other: it only cuts the corner off a piece of
/// clothing.
static bool differ(const field_maker* f, uint32_t i, uint32_t k)
{
    const curve_maker* m = f->m;
    float              a = 0, b = 0;
    if (f->rings[i].curve == SUP_NONE || f->rings[k].curve == SUP_NONE) return false;
    maker_center(m, &m->curves[f->rings[i].curve], &a);
    maker_center(m, &m->curves[f->rings[k].curve], &b);
    return !m->curves[f->rings[a < b ? i : k].curve].closed && fminf(a, b) < FRAGMENT * fmaxf(a, b);
}

/// Of two neighbors that differ, drops the one on whose side there are fewer rings. Rings were cut from curve `first` on.
/// Returns whether any was dropped.
static bool drop_fragments(field_maker* f, uint32_t branch, uint32_t first)
{
    bool     any = false;
    uint32_t last = SUP_NONE, behind = 0, end = f->first[branch + 1], count = 0;
    for (uint32_t i = f->first[branch]; i < end; ++i) count += f->rings[i].curve != SUP_NONE;
    for (uint32_t i = f->first[branch]; i < end; ++i) {
        if (f->rings[i].curve == SUP_NONE) continue;
        if (last != SUP_NONE && differ(f, last, i)) f->rings[2 * behind <= count ? last : i].triangle = SUP_NONE, any = true;
        last = i, ++behind;
    }
    if (any) {
        for (uint32_t i = f->first[branch]; i < end; ++i) f->rings[i].curve = SUP_NONE;
        maker_drop_curves(f->m, first);
    }
    return any;
}

/// Cuts the rings of a branch, one after the other. Drops fragments beside a border.
static void cut_branch(field_maker* f, uint32_t branch)
{
    curve_maker* m = f->m;
    uint32_t     begin = m->curve_count, kept = f->first[branch];
    do walk_branch(f, branch);
    while (!m->failed && drop_fragments(f, branch, begin));
    for (uint32_t i = f->first[branch]; i < f->first[branch + 1] && !m->failed; ++i)
        if (f->rings[i].curve != SUP_NONE) f->rings[kept++] = f->rings[i];
    for (uint32_t i = kept; i < f->first[branch + 1]; ++i) f->rings[i].curve = f->rings[i].branch = SUP_NONE;
}

/// Where neighbors differ, moves the end of their half of the branch half of the way to the next ring, and spreads those
/// between evenly. Returns whether any moved.
static bool move_ends(field_maker* f)
{
    bool any = false;
    for (uint32_t b = 0; b < f->levels.branch_count; ++b) {
        uint32_t first = f->first[b], count = f->first[b + 1] - first;
        bool     low = false, high = false;
        if (count < 3) continue;
        sup_level_ring* r = f->rings + first;
        for (uint32_t i = 0; i + 1 < count; ++i)
            if (differ(f, first + i, first + i + 1)) *(2 * i < count - 1 ? &low : &high) = any = true;
        float from = low ? 0.5f * (r[0].along + r[1].along) : r[0].along;
        float to = high ? 0.5f * (r[count - 1].along + r[count - 2].along) : r[count - 1].along;
        for (uint32_t i = 0; (low || high) && i < count; ++i) r[i].along = from + (to - from) * (float)i / (float)(count - 1);
    }
    return any;
}

/// Aligns each ring with the one before, and links neighbors.
static void link_branch(field_maker* f, uint32_t branch)
{
    curve_maker* m = f->m;
    sup_vec3     samples[MATCHES];
    for (uint32_t i = f->first[branch]; i < f->first[branch + 1] && f->rings[i].curve != SUP_NONE; ++i) {
        uint32_t curve = f->rings[i].curve;
        if (i > f->first[branch]) {
            uint32_t before = f->rings[i - 1].curve;
            match_ring(m, curve, samples);
            m->curves[curve].sides[0] = before, m->curves[before].sides[1] = curve;
        }
        sample(m, &m->curves[curve], samples);
    }
}

/// Mean distance from points on one ring to the other's polyline. All points advance from segment to segment together, so that
/// a compiler can vectorize it: a mesh in ten thousand pieces has as many branches.
static double apart(const sup_vec3* a, const sup_vec3* b, bool closed)
{
    float  x[MATCHES], y[MATCHES], z[MATCHES], least[MATCHES];
    double sum = 0;
    for (uint32_t i = 0; i < MATCHES; ++i) x[i] = a[i].x, y[i] = a[i].y, z[i] = a[i].z, least[i] = 3e38f;
    for (uint32_t k = 0; k < MATCHES - (closed ? 0u : 1u); ++k) {
        sup_vec3 from = b[k], d = v3_sub(b[(k + 1) % MATCHES], from);
        float    square = v3_length2(d), over = square > 0 ? square : 1;
        if (!(square > 0)) d = v3(0, 0, 0);
        for (uint32_t i = 0; i < MATCHES; ++i) {
            float tx = x[i] - from.x, ty = y[i] - from.y, tz = z[i] - from.z;
            float t = (tx * d.x + ty * d.y + tz * d.z) / over;
            t = t < 0 ? 0 : t > 1 ? 1 : t;
            float ox = tx - t * d.x, oy = ty - t * d.y, oz = tz - t * d.z, far = ox * ox + oy * oy + oz * oz;
            least[i] = far < least[i] ? far : least[i];
        }
    }
    for (uint32_t i = 0; i < MATCHES; ++i) sum += sqrt((double)least[i]);
    return sum / MATCHES;
}

/// The position of every ring along its branch by measured distances, and how many rings there are.
static uint32_t measure_rings(const field_maker* f, uint32_t branch, double* at, double* uneven)
{
    uint32_t first = f->first[branch], count = 0;
    sup_vec3 places[2][MATCHES];
    double   least = HUGE_VAL, most = 0;
    for (; first + count < f->first[branch + 1] && f->rings[first + count].curve != SUP_NONE; ++count) {
        const sup_curve* c = &f->m->curves[f->rings[first + count].curve];
        sample(f->m, c, places[count % 2]);
        if (count == 0) continue;
        const sup_curve* before = &f->m->curves[f->rings[first + count - 1].curve];
        double           d = 0.5 * (apart(places[count % 2], places[(count + 1) % 2], before->closed) +
                          apart(places[(count + 1) % 2], places[count % 2], c->closed));
        least = fmin(least, d), most = fmax(most, d);
        at[count] = at[count - 1] + d;
    }
    *uneven = count < 3 ? 1 : least > 0 ? most / least : HUGE_VAL;
    return count;
}

/// Rings are even in the mean distance between their levels, but where the coordinate is flat on one side of a limb, or a limb
/// widens suddenly, that differs from their actual distances. On such a branch they move half of the way to where measured
/// distances would be even (the full way would oscillate); ends stay.
static void even_out(const field_maker* f, uint32_t branch, uint32_t count, const double* at, float* along)
{
    sup_level_ring* rings = f->rings + f->first[branch];
    double          step = at[count - 1] / (count - 1);
    for (uint32_t i = 0; i < count; ++i) along[i] = rings[i].along;
    for (uint32_t i = 1, k = 0; i + 1 < count; ++i) {
        while (k + 2 < count && at[k + 1] < i * step) ++k;
        double t = at[k + 1] > at[k] ? (i * step - at[k]) / (at[k + 1] - at[k]) : 0;
        rings[i].along = 0.5f * (along[i] + along[k] + (along[k + 1] - along[k]) * (float)t);
    }
}

/// Ends of open pieces stay well away from their corners. A surface without a border has only closed rings, and none to move.
static sup_result settle_ends(field_maker* f, sup_error* error)
{
    sup_result r = SUP_OK;
    if (f->m->topology.boundary_edges == 0) return r;
    for (uint32_t round = 0; !r && round < END_ROUNDS; ++round) {
        maker_drop_curves(f->m, 0);
        for (uint32_t b = 0; b < f->levels.branch_count; ++b) walk_branch(f, b);
        if (f->m->failed) return sup_fail_memory(error, "curves");
        if (!move_ends(f)) break;
        r = sup_levels_find(&f->levels, f->rings, f->ring_count, error);
    }
    return r;
}

/// The memory of evening out, beside the rings themselves.
typedef struct evening {
    double *        at, *best; ///< of the rings of a branch; per branch, how uneven it is
    float*          along;
    sup_level_ring* kept; ///< the best rings of every branch
} evening;

/// Cuts all rings, then cuts those of uneven branches again as they are evened out; keeps the best.
static sup_result cut_rounds(field_maker* f, const evening* e, sup_error* error)
{
    bool evens = f->levels.branch_count < BRANCHES_MANY;
    for (uint32_t round = 0;; ++round) {
        bool any = false;
        maker_drop_curves(f->m, 0);
        for (uint32_t b = 0; b < f->levels.branch_count; ++b) cut_branch(f, b);
        if (f->m->failed) return sup_fail_memory(error, "curves");
        for (uint32_t b = 0; b < f->levels.branch_count && evens && round <= EVEN_ROUNDS; ++b) {
            double          uneven = e->best[b];
            size_t          size = (f->first[b + 1] - f->first[b]) * sizeof *e->kept;
            sup_level_ring *rings = f->rings + f->first[b], *good = e->kept + f->first[b];
            uint32_t        count = round == 0 || uneven > UNEVEN ? measure_rings(f, b, e->at, &uneven) : 0;
            if (round == 0 || uneven < e->best[b]) memcpy(good, rings, size), e->best[b] = uneven;
            if (count < 3 || !(uneven > UNEVEN)) continue;
            any = true;
            if (round < EVEN_ROUNDS) even_out(f, b, count, e->at, e->along);
            else memcpy(rings, good, size);
        }
        if (!any) return SUP_OK;
        sup_result r = sup_levels_find(&f->levels, f->rings, f->ring_count, error);
        if (r) return r;
    }
}

/// Short branches have more rings than their length asks for, to show their shape. If the surface leaves no room for even ones
/// (a fold of a strap that the level lines jump over), they have one less. Returns whether any does.
static bool thin_out(field_maker* f, const evening* e)
{
    bool any = false;
    for (uint32_t b = 0; b < f->levels.branch_count; ++b) {
        sup_level_ring* rings = f->rings + f->first[b];
        uint32_t        count = 0, all = f->first[b + 1] - f->first[b];
        while (count < all && rings[count].curve != SUP_NONE) ++count;
        if (count < 3 || !(e->best[b] > UNEVEN_MOST)) continue;
        float from = rings[0].along, to = rings[count - 1].along;
        for (uint32_t i = 0; i + 1 < count; ++i) rings[i].along = from + (to - from) * (float)i / (float)(count - 2);
        rings[count - 1].curve = rings[count - 1].branch = SUP_NONE;
        any = true;
    }
    return any;
}

static sup_result cut_evenly(field_maker* f, sup_error* error)
{
    evening e = { SUP_NEW(f->work, double, (size_t)f->ring_count + 1), SUP_NEW(f->work, double, f->levels.branch_count),
                  SUP_NEW(f->work, float, (size_t)f->ring_count + 1), SUP_NEW(f->work, sup_level_ring, f->ring_count) };
    if (!e.at || !e.best || !e.along || !e.kept) return sup_fail_memory(error, "curves");
    sup_result r = cut_rounds(f, &e, error);
    for (uint32_t round = 0; !r && round < THIN_ROUNDS && thin_out(f, &e); ++round) {
        r = sup_levels_find(&f->levels, f->rings, f->ring_count, error);
        if (!r) r = cut_rounds(f, &e, error);
    }
    for (uint32_t b = 0; !r && b < f->levels.branch_count; ++b) link_branch(f, b);
    return r;
}

// ---------------------------------------------------------------------------------------------- points between them

/// The last ring before a point; SUP_NONE: its branch has no ring.
static uint32_t ring_behind(const field_maker* f, uint32_t p, float* ratio)
{
    uint32_t b = f->branch[p], end;
    *ratio = 0;
    if (b == SUP_NONE) return SUP_NONE;
    for (end = f->first[b]; end < f->first[b + 1] && f->rings[end].curve != SUP_NONE;) ++end;
    if (end == f->first[b]) return SUP_NONE;
    uint32_t low = f->first[b], high = end;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (f->rings[middle].along <= f->along[p]) low = middle;
        else high = middle;
    }
    if (low + 1 < end) {
        float a = f->rings[low].along, c = f->rings[low + 1].along;
        *ratio = c > a ? sup_clampf((f->along[p] - a) / (c - a), 0, 1) : 0;
    }
    return low;
}

/// Points at forks, and of branches without rings, follow the nearest points that have some.
static bool fill_forks(const field_maker* f, uint32_t* limbs, uint32_t* below, float* ratio, float* heights)
{
    uint32_t  n = f->m->mesh.point_count, count = 0;
    uint32_t* queue = SUP_NEW(f->work, uint32_t, n);
    if (!queue) return false;
    for (uint32_t p = 0; p < n; ++p)
        if (limbs[p] != SUP_NONE) queue[count++] = p;
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = f->m->topology.ring_begin[queue[i]]; k < f->m->topology.ring_begin[queue[i] + 1]; ++k) {
            uint32_t from = queue[i], to = f->m->topology.ring[k];
            if (limbs[to] != SUP_NONE) continue;
            limbs[to] = limbs[from], below[to] = below[from], ratio[to] = ratio[from], heights[to] = heights[from];
            queue[count++] = to;
        }
    return true;
}

/// Share of the surface between the first and the last ring of its branch.
static float measure_cover(const field_maker* f)
{
    double all = 0, sum = 0;
    for (uint32_t i = 0; i < f->levels.region_count; ++i) {
        const sup_region* r = &f->levels.regions[i];
        all += r->area;
        if (r->branch == SUP_NONE) continue;
        uint32_t first = f->first[r->branch], last = f->first[r->branch + 1];
        while (last > first && f->rings[last - 1].curve == SUP_NONE) --last;
        if (last < first + 2) continue;
        float from = f->rings[first].along, to = f->rings[last - 1].along, low = fmaxf(from, r->from);
        float share = r->width > 0                       ? (fminf(to, r->from + r->width) - low) / r->width
                      : r->from >= from && r->from <= to ? 1.0f
                                                         : 0;
        if (share > 0) sum += (double)share * r->area;
    }
    return all > 0 ? (float)(sum / all) : 0;
}

static float girth(const sup_branch* b) { return b->length > 0 ? b->area / b->length : 0; }

/// At every fork the thickest branch that leaves continues the thickest that arrives: the hand continues the arm, not the
/// thumb.
static bool find_followers(const field_maker* f, uint32_t* follows)
{
    const sup_levels* l = &f->levels;
    uint32_t*         thickest[2];
    for (int k = 0; k < 2; ++k) {
        thickest[k] = SUP_NEW(f->work, uint32_t, l->region_count);
        if (!thickest[k]) return false;
        for (uint32_t i = 0; i < l->region_count; ++i) thickest[k][i] = SUP_NONE;
    }
    for (uint32_t b = 0; b < l->branch_count; ++b)
        for (int k = 0; k < 2; ++k) {
            uint32_t fork = l->branches[b].ends[k];
            if (fork == SUP_NONE) continue;
            uint32_t* at = &thickest[k][fork];
            if (*at == SUP_NONE || girth(&l->branches[b]) > girth(&l->branches[*at])) *at = b;
        }
    for (uint32_t b = 0; b < l->branch_count; ++b) {
        uint32_t fork = l->branches[b].ends[0];
        follows[b] = fork != SUP_NONE && thickest[0][fork] == b ? thickest[1][fork] : SUP_NONE;
    }
    return true;
}

static sup_result place_points(field_maker* f, sup_arena* arena, sup_curves* out, sup_error* error)
{
    uint32_t  n = f->m->mesh.point_count;
    uint32_t *limbs = SUP_NEW(arena, uint32_t, n), *below = SUP_NEW(arena, uint32_t, n);
    float *   ratio = SUP_NEW(arena, float, n), *heights = SUP_NEW(arena, float, n);
    float*    lengths = SUP_NEW(arena, float, (size_t)f->levels.branch_count + 1);
    uint32_t* follows = SUP_NEW(arena, uint32_t, (size_t)f->levels.branch_count + 1);
    if (!limbs || !below || !ratio || !heights || !lengths || !follows || !find_followers(f, follows))
        return sup_fail_memory(error, "curves");
    for (uint32_t b = 0; b < f->levels.branch_count; ++b) lengths[b] = f->levels.branches[b].length;
    for (uint32_t p = 0; p < n; ++p) {
        uint32_t ring = ring_behind(f, p, &ratio[p]);
        limbs[p] = ring == SUP_NONE ? SUP_NONE : f->branch[p];
        below[p] = ring == SUP_NONE ? SUP_NONE : f->rings[ring].curve;
        heights[p] = ring == SUP_NONE ? 0 : f->along[p];
    }
    if (!fill_forks(f, limbs, below, ratio, heights)) return sup_fail_memory(error, "curves");
    *out = (sup_curves){ .limb_count = f->levels.branch_count,
                         .limbs = limbs,
                         .heights = heights,
                         .lengths = lengths,
                         .below = below,
                         .ratio = ratio,
                         .follows = follows,
                         .spacing = f->spacing,
                         .covered = measure_cover(f) };
    return SUP_OK;
}

sup_result field_curves_make(curve_maker* m, const sup_curves_desc* desc, sup_curves* out, sup_error* error)
{
    field_maker f = { .m = m, .work = sup_arena_beside(m->arena) };
    sup_result  r = f.work ? find_branches(&f, desc, error) : sup_fail_memory(error, "curves");
    if (!r) r = find_rings(&f, error);
    if (!r) r = settle_ends(&f, error);
    if (!r) r = cut_evenly(&f, error);
    if (!r) r = place_points(&f, m->arena, out, error);
    if (!r && desc->way == SUP_CURVES_ALONG) r = field_lines_make(&f, desc->curves ? desc->curves : 16, out, error);
    sup_arena_destroy(f.work);
    return r;
}

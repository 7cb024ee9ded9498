// Edge loops of a polygon mesh: straight on where four faces meet, with the stops and turns of the user, and all loops that run
// along the limbs.
#include "geom/curves/curves_internal.h"
#include "math/vec.h"

enum { LOOP_EDGES = 3 }; // a piece of a loop with fewer is not a curve

typedef struct loop_mesh {
    const sup_curve_mesh* mesh;
    sup_topology          topology; ///< of the polygons
} loop_mesh;

static sup_result open_polygons(const sup_curve_mesh* mesh, sup_arena* arena, loop_mesh* out, sup_error* error)
{
    out->mesh = mesh;
    sup_polygons polygons = { mesh->point_count, mesh->face_count, mesh->face_begin, mesh->corners };
    return sup_topology_create(&polygons, arena, &out->topology, error);
}

static bool neighbors(const sup_topology* t, uint32_t a, uint32_t b)
{
    for (uint32_t k = t->ring_begin[a]; k < t->ring_begin[a + 1]; ++k)
        if (t->ring[k] == b) return true;
    return false;
}

static bool in_face(const sup_curve_mesh* m, uint32_t face, uint32_t point)
{
    for (uint32_t c = m->face_begin[face]; c < m->face_begin[face + 1]; ++c)
        if (m->corners[c] == point) return true;
    return false;
}

/// Straight on across a point with four edges and four faces: the edge that shares no face with the one it came from.
static uint32_t straight_on(const loop_mesh* l, uint32_t before, uint32_t at)
{
    const sup_topology* t = &l->topology;
    if (t->ring_begin[at + 1] - t->ring_begin[at] != 4 || t->fan_begin[at + 1] - t->fan_begin[at] != 4) return SUP_NONE;
    for (uint32_t k = t->ring_begin[at]; k < t->ring_begin[at + 1]; ++k) {
        uint32_t to = t->ring[k];
        bool     shared = to == before;
        for (uint32_t i = t->fan_begin[at]; i < t->fan_begin[at + 1]; ++i)
            if (in_face(l->mesh, t->fan[i], before) && in_face(l->mesh, t->fan[i], to)) shared = true;
        if (!shared) return to;
    }
    return SUP_NONE;
}

static uint32_t turn_at(const sup_curve_walk* w, uint32_t at)
{
    for (uint32_t i = 0; i < w->turn_count; ++i)
        if (w->turns[2 * i] == at) return w->turns[2 * i + 1];
    return SUP_NONE;
}

/// Adds the points after `to`; true when the walk came back to `first`. Ends where it meets itself.
static bool walk_on(curve_maker* m, const loop_mesh* l, const sup_curve_walk* w, uint32_t from, uint32_t to, uint32_t first,
                    uint32_t mark)
{
    while (to != w->stop && !m->failed) {
        uint32_t turn = turn_at(w, to), next = turn != SUP_NONE ? turn : straight_on(l, from, to);
        if (next == first) return true;
        if (next == SUP_NONE || m->used[next] == mark) return false;
        m->used[next] = mark;
        maker_add_point(m, (sup_curve_point){ next, next, 0 });
        from = to, to = next;
    }
    return false;
}

static uint32_t walk_loop(curve_maker* m, const loop_mesh* l, const sup_curve_walk* w, uint32_t mark, uint32_t limb)
{
    uint32_t begin = m->point_count;
    m->used[w->from] = m->used[w->to] = mark;
    maker_add_point(m, (sup_curve_point){ w->from, w->from, 0 });
    maker_add_point(m, (sup_curve_point){ w->to, w->to, 0 });
    bool     closed = walk_on(m, l, w, w->from, w->to, w->from, mark);
    uint32_t forward = m->point_count;
    if (!closed && w->both) walk_on(m, l, w, w->to, w->from, SUP_NONE, mark);
    if (m->failed) return SUP_NONE;
    // What was found in the other direction from the start is reversed and goes in front.
    uint32_t behind = m->point_count - forward;
    for (uint32_t pass = 0; behind > 0 && pass < 2; ++pass) {
        uint32_t i = pass == 0 ? begin : begin + behind, j = m->point_count;
        while (i + 1 < j) {
            sup_curve_point swap = m->points[i];
            m->points[i++] = m->points[--j];
            m->points[j] = swap;
        }
    }
    return maker_end_curve(m, begin, closed, limb);
}

static sup_result check_walk(const loop_mesh* l, const sup_curve_walk* w, uint32_t number, sup_error* error)
{
    uint32_t n = l->mesh->point_count;
    if (w->from >= n || w->to >= n || !neighbors(&l->topology, w->from, w->to))
        return sup_fail(error, SUP_ERROR_INPUT, "curve %u: points %u and %u are not joined by an edge; start on one", number,
                        w->from, w->to);
    for (uint32_t k = 0; k < w->turn_count; ++k)
        if (w->turns[2 * k] >= n || w->turns[2 * k + 1] >= n || !neighbors(&l->topology, w->turns[2 * k], w->turns[2 * k + 1]))
            return sup_fail(error, SUP_ERROR_INPUT, "curve %u: no edge leads from point %u to %u; turn along an edge", number,
                            w->turns[2 * k], w->turns[2 * k + 1]);
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- all of a mesh

/// Direction of the center line nearest to a point.
static sup_vec3 line_direction(const limb_shape* limb, sup_vec3 p)
{
    float    least = 3e38f;
    sup_vec3 best = v3(1, 0, 0);
    for (uint32_t i = 0; i + 1 < limb->station_count; ++i) {
        float d = v3_length2(v3_sub(p, v3_lerp(limb->stations[i], limb->stations[i + 1], 0.5f)));
        if (d >= least) continue;
        least = d;
        best = v3_normalize(v3_sub(limb->stations[i + 1], limb->stations[i]), best);
    }
    return best;
}

typedef struct loop_finder {
    curve_maker*    m;
    loop_mesh       l;
    const limb_set* limbs;
    uint32_t*       of_edge; ///< the curve that runs over an edge, plus 1
    uint32_t*       votes;   ///< two per curve
} loop_finder;

/// 1 or -1 for an edge that runs up or down its limb, 0 for one across it or in another limb.
static int runs_along(const loop_finder* f, uint32_t limb, uint32_t a, uint32_t b)
{
    if (f->limbs->of_point[a] != limb || f->limbs->of_point[b] != limb) return 0;
    sup_vec3 d = v3_sub(f->m->mesh.points[b], f->m->mesh.points[a]);
    float    with = v3_dot(d, line_direction(&f->limbs->limbs[limb], f->m->mesh.points[a])), length = v3_length(d);
    return with > 0.5f * length ? 1 : with < -0.5f * length ? -1 : 0;
}

/// Cuts a loop where it turns: over the end of a limb and back on the other side. Pieces that run along the limb become curves,
/// upward along the center line; their edges are marked.
static void split_loop(loop_finder* f, const uint32_t* loop, uint32_t count, bool closed, uint32_t limb)
{
    curve_maker* m = f->m;
    uint32_t     edges = closed ? count : count - 1, start = 0;
    for (uint32_t i = 0; closed && i < edges; ++i)
        if (runs_along(f, limb, loop[(i + edges - 1) % count], loop[i]) !=
            runs_along(f, limb, loop[i], loop[(i + 1) % count])) {
            start = i;
            break;
        }
    for (uint32_t i = 0; i < edges && !m->failed;) {
        int      sense = runs_along(f, limb, loop[(start + i) % count], loop[(start + i + 1) % count]);
        uint32_t end = i + 1, begin = m->point_count;
        while (end < edges && runs_along(f, limb, loop[(start + end) % count], loop[(start + end + 1) % count]) == sense) ++end;
        for (uint32_t k = i; sense != 0 && end - i >= LOOP_EDGES && k <= end; ++k) {
            uint32_t at = loop[(start + (sense > 0 ? k : end - (k - i))) % count];
            maker_add_point(m, (sup_curve_point){ at, at, 0 });
        }
        uint32_t curve = m->point_count > begin ? maker_end_curve(m, begin, false, limb) : SUP_NONE;
        for (uint32_t k = i; curve != SUP_NONE && k < end; ++k) {
            uint32_t e = sup_topology_edge(&f->l.topology, loop[(start + k) % count], loop[(start + k + 1) % count]);
            if (e != SUP_NONE) f->of_edge[e] = curve + 1;
        }
        i = end;
    }
}

/// The curve beyond an edge on one side: straight across quads until it meets the edge of one.
static uint32_t curve_across(const loop_finder* f, uint32_t edge, uint32_t side, uint32_t own)
{
    const sup_topology*   t = &f->l.topology;
    const sup_curve_mesh* m = f->l.mesh;
    uint32_t              face = t->edges[edge].faces[side];
    for (uint32_t step = 0; step < m->face_count; ++step) {
        if (face == SUP_NONE || m->face_begin[face + 1] - m->face_begin[face] != 4) return SUP_NONE;
        const uint32_t* q = m->corners + m->face_begin[face];
        uint32_t        k = 0;
        while (k < 4 && sup_topology_edge(t, q[k], q[(k + 1) % 4]) != edge) ++k;
        edge = k < 4 ? sup_topology_edge(t, q[(k + 2) % 4], q[(k + 3) % 4]) : SUP_NONE;
        if (edge == SUP_NONE) return SUP_NONE;
        if (f->of_edge[edge]) return f->of_edge[edge] - 1 == own ? SUP_NONE : f->of_edge[edge] - 1;
        face = t->edges[edge].faces[t->edges[edge].faces[0] == face];
    }
    return SUP_NONE;
}

/// Whether a face has b after a: then it lies to the left of the path from a to b.
static bool lies_left(const sup_curve_mesh* m, uint32_t face, uint32_t a, uint32_t b)
{
    uint32_t begin = m->face_begin[face], n = m->face_begin[face + 1] - begin;
    for (uint32_t k = 0; k < n; ++k)
        if (m->corners[begin + k] == a) return m->corners[begin + (k + 1) % n] == b;
    return false;
}

/// The curves on both sides of one: on the left and on the right, the one that most of its edges find.
static void find_sides(loop_finder* f, uint32_t curve)
{
    sup_curve* c = &f->m->curves[curve];
    for (uint32_t i = 0; i < 2 * f->m->curve_count; ++i) f->votes[i] = 0;
    for (uint32_t i = 0; i + 1 < c->count + (c->closed ? 1u : 0u); ++i) {
        uint32_t a = f->m->points[c->begin + i].a, b = f->m->points[c->begin + (i + 1) % c->count].a;
        uint32_t e = sup_topology_edge(&f->l.topology, a, b);
        for (uint32_t side = 0; e != SUP_NONE && side < 2; ++side) {
            uint32_t face = f->l.topology.edges[e].faces[side], other = curve_across(f, e, side, curve);
            if (other != SUP_NONE) ++f->votes[2 * other + lies_left(f->l.mesh, face, a, b)];
        }
    }
    for (uint32_t side = 0; side < 2; ++side) {
        uint32_t most = 0;
        for (uint32_t k = 0; k < f->m->curve_count; ++k)
            if (f->votes[2 * k + side] > most) most = f->votes[2 * k + side], c->sides[side] = k;
    }
}

static sup_result find_all_sides(loop_finder* f, sup_error* error)
{
    f->votes = SUP_NEW(f->m->arena, uint32_t, 2 * (size_t)f->m->curve_count);
    if (!f->votes || f->m->failed) return sup_fail_memory(error, "curves");
    for (uint32_t c = 0; c < f->m->curve_count; ++c) find_sides(f, c);
    return SUP_OK;
}

/// A loop that runs up a limb and back on its other side is two curves, with skin between them. True if it was one.
static bool split_walk(loop_finder* f, uint32_t curve)
{
    curve_maker* m = f->m;
    sup_curve    c = m->curves[curve];
    uint32_t     up = 0, down = 0, *loop = f->limbs && c.closed ? SUP_NEW(m->arena, uint32_t, c.count) : NULL;
    if (!loop) return false;
    for (uint32_t i = 0; i < c.count; ++i) {
        loop[i] = m->points[c.begin + i].a;
        int sense = runs_along(f, c.limb, loop[i], m->points[c.begin + (i + 1) % c.count].a);
        up += sense > 0, down += sense < 0;
    }
    if (up < LOOP_EDGES || down < LOOP_EDGES) return false;
    maker_drop_curves(m, curve);
    split_loop(f, loop, c.count, true, c.limb);
    return true;
}

/// Curves that the user started: each from its edge on, in the limb of its first point.
static sup_result walk_all(loop_finder* f, const sup_curve_walk* walks, uint32_t count, sup_error* error)
{
    curve_maker* m = f->m;
    for (uint32_t i = 0; i < count && !m->failed; ++i) {
        sup_result r = check_walk(&f->l, &walks[i], i, error);
        if (r) return r;
        // Two edges of one loop begin it once.
        bool plain = walks[i].both && walks[i].turn_count == 0 && walks[i].stop == SUP_NONE;
        if (plain && f->of_edge[sup_topology_edge(&f->l.topology, walks[i].from, walks[i].to)]) continue;
        uint32_t limb = f->limbs ? f->limbs->of_point[walks[i].from] : 0;
        uint32_t curve = walk_loop(m, &f->l, &walks[i], i + 1, limb == SUP_NONE ? 0 : limb);
        if (curve == SUP_NONE || split_walk(f, curve)) continue;
        const sup_curve* c = &m->curves[curve];
        for (uint32_t k = 0; k + 1 < c->count + (c->closed ? 1u : 0u); ++k) {
            uint32_t e =
                sup_topology_edge(&f->l.topology, m->points[c->begin + k].a, m->points[c->begin + (k + 1) % c->count].a);
            if (e != SUP_NONE) f->of_edge[e] = curve + 1;
        }
    }
    return find_all_sides(f, error);
}

sup_result loops_make(curve_maker* m, const limb_set* limbs, const sup_curve_walk* walks, uint32_t walk_count, sup_error* error)
{
    loop_finder f = { .m = m, .limbs = limbs };
    sup_result  r = open_polygons(&m->mesh, m->arena, &f.l, error);
    if (r) return r;
    f.of_edge = SUP_NEW(m->arena, uint32_t, f.l.topology.edge_count);
    if (walk_count) return f.of_edge ? walk_all(&f, walks, walk_count, error) : sup_fail_memory(error, "curves");
    bool*     seen = SUP_NEW(m->arena, bool, f.l.topology.edge_count);
    uint32_t* loop = SUP_NEW(m->arena, uint32_t, m->mesh.point_count);
    if (!f.of_edge || !seen || !loop) return sup_fail_memory(error, "curves");
    for (uint32_t e = 0; e < f.l.topology.edge_count && !m->failed; ++e) {
        uint32_t a = f.l.topology.edges[e].a, b = f.l.topology.edges[e].b, limb = limbs->of_point[a];
        if (seen[e] || limb == SUP_NONE || limbs->of_point[b] != limb) continue;
        sup_curve_walk w = { .from = a, .to = b, .stop = SUP_NONE, .both = true };
        uint32_t       curve = walk_loop(m, &f.l, &w, m->cut + 1 + e, limb);
        if (curve == SUP_NONE) continue;
        sup_curve c = m->curves[curve];
        for (uint32_t i = 0; i < c.count; ++i) loop[i] = m->points[c.begin + i].a;
        maker_drop_curves(m, curve);
        for (uint32_t i = 0; i < c.count; ++i) {
            uint32_t k =
                i + 1 == c.count && !c.closed ? SUP_NONE : sup_topology_edge(&f.l.topology, loop[i], loop[(i + 1) % c.count]);
            if (k != SUP_NONE) seen[k] = true;
        }
        split_loop(&f, loop, c.count, c.closed, limb);
    }
    return find_all_sides(&f, error);
}

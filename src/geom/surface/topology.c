// Half edges sorted by their two points meet their partners; everything else is derived from the sorted list.
#include "geom/surface/topology.h"

#include "base/internal.h"
#include "base/sets.h"
#include "geom/surface/topology_doubled.h"

#include <string.h>

/// One side of a face, from one corner to the next that is another point. As small as possible: a mesh has six times as many
/// sides as points.
typedef struct side {
    uint32_t from, to; // corners
    uint32_t face;
} side;

/// A side with the data that searches need.
typedef struct side_look {
    uint32_t a, b;       // points, a < b
    uint32_t at_a, at_b; // corners there
    uint32_t face;
    bool     backward; // the face runs from b to a
} side_look;

/// Memory of one call.
typedef struct work {
    const sup_polygons* polygons;
    sup_arena*          keep; // for the result
    sup_arena*          temp; // dies with the call
    sup_arena*          half; // sides: more than all the rest, and not needed once edges and fans are known
    uint32_t            side_count;
    side*               sides;
    uint32_t*           order;     // of sides, by (a, b), then in the order of the faces
    uint32_t*           per_point; // point_count + 1 counters
    const uint8_t*      doubled;   // per face; NULL: no duplicates
    sup_edge*           edges;
    bool*               backward; // per edge: its first face runs from b to a
} work;

// ---------------------------------------------------------------------------------------------- sets

static uint32_t* singles(sup_arena* arena, uint32_t count)
{
    uint32_t* parent = SUP_NEW(arena, uint32_t, count);
    if (parent) sup_sets_begin(parent, count);
    return parent;
}

// ---------------------------------------------------------------------------------------------- sides and edges

static bool left_out(const work* w, uint32_t face) { return w->doubled && w->doubled[face]; }

/// A face without consecutive copies of a point; with fewer than three left it encloses nothing and has no sides.
static void collect_sides(work* w, uint32_t face, uint32_t* clean)
{
    const sup_polygons* p = w->polygons;
    uint32_t            count = 0;
    if (left_out(w, face)) return;
    for (uint32_t c = p->face_begin[face]; c < p->face_begin[face + 1]; ++c)
        if (count == 0 || p->corners[clean[count - 1]] != p->corners[c]) clean[count++] = c;
    while (count > 1 && p->corners[clean[count - 1]] == p->corners[clean[0]]) --count;
    if (count < 3) return;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t from = clean[i], to = clean[i + 1 < count ? i + 1 : 0];
        w->sides[w->side_count++] = (side){ from, to, face };
    }
}

static side_look look_at(const work* w, uint32_t index)
{
    const side* s = &w->sides[index];
    uint32_t    u = w->polygons->corners[s->from], v = w->polygons->corners[s->to];
    return u < v ? (side_look){ u, v, s->from, s->to, s->face, false } : (side_look){ v, u, s->to, s->from, s->face, true };
}

/// Its lower or its higher point.
static uint32_t end_of(const work* w, uint32_t index, bool lower)
{
    uint32_t u = w->polygons->corners[w->sides[index].from], v = w->polygons->corners[w->sides[index].to];
    return (u < v) == lower ? u : v;
}

/// Stable counting sort of the order by one of the two points.
static void sort_sides(work* w, const uint32_t* from, uint32_t* to, bool by_a)
{
    uint32_t points = w->polygons->point_count;
    memset(w->per_point, 0, ((size_t)points + 1) * sizeof *w->per_point);
    for (uint32_t i = 0; i < w->side_count; ++i) w->per_point[end_of(w, i, by_a) + 1]++;
    for (uint32_t i = 0; i < points; ++i) w->per_point[i + 1] += w->per_point[i];
    for (uint32_t i = 0; i < w->side_count; ++i) {
        uint32_t s = from ? from[i] : i;
        to[w->per_point[end_of(w, s, by_a)]++] = s;
    }
}

/// Orders the sides of all faces not known to be duplicates.
static void order_sides(work* w, uint32_t* clean, uint32_t* first)
{
    w->side_count = 0;
    for (uint32_t f = 0; f < w->polygons->face_count; ++f) collect_sides(w, f, clean);
    sort_sides(w, NULL, first, false);
    sort_sides(w, first, w->order, true);
}

static bool same_edge(const side_look* s, const side_look* t) { return s->a == t->a && s->b == t->b; }

/// One past the last side on the edge of side i.
static uint32_t edge_end(const work* w, uint32_t i)
{
    uint32_t  end = i + 1;
    side_look first = look_at(w, w->order[i]);
    for (; end < w->side_count; ++end) {
        side_look s = look_at(w, w->order[end]);
        if (!same_edge(&first, &s)) break;
    }
    return end;
}

/// A copy of a face adds a third and a fourth face to edges that have two, and closes borders: it is not part of the surface.
static bool find_doubled(work* w, sup_arena* brief, sup_topology* out)
{
    doubled_search s;
    uint32_t       most = 0;
    for (uint32_t i = 0, end; i < w->side_count; i = end) {
        end = edge_end(w, i);
        if (end - i > most) most = end - i;
    }
    if (most < 2) return true;
    if (!doubled_search_begin(&s, w->polygons, most, w->keep, brief)) return false;
    for (uint32_t i = 0, end; i < w->side_count; i = end) {
        end = edge_end(w, i);
        for (uint32_t k = i; k < end; ++k) s.items[k - i].value = w->sides[w->order[k]].face;
        doubled_search_edge(&s, end - i);
    }
    for (uint32_t f = 0; f < w->polygons->face_count; ++f) out->doubled_faces += s.doubled[f];
    if (out->doubled_faces) out->doubled = w->doubled = s.doubled;
    return true;
}

static sup_result make_sides(work* w, sup_topology* out, sup_error* error)
{
    const sup_polygons* p = w->polygons;
    uint32_t            corners = p->face_count ? p->face_begin[p->face_count] : 0, widest = 0;
    for (uint32_t f = 0; f < p->face_count; ++f) {
        uint32_t width = p->face_begin[f + 1] - p->face_begin[f];
        widest = width > widest ? width : widest;
    }
    sup_arena* brief = sup_arena_beside(w->keep);
    uint32_t*  first = brief ? SUP_NEW(brief, uint32_t, corners) : NULL;
    uint32_t*  clean = brief ? SUP_NEW(brief, uint32_t, widest) : NULL;
    w->sides = SUP_NEW(w->half, side, corners);
    w->order = SUP_NEW(w->half, uint32_t, corners);
    w->per_point = SUP_NEW(w->temp, uint32_t, (size_t)p->point_count + 1);
    bool good = w->sides && w->order && w->per_point && first && clean;
    if (good) order_sides(w, clean, first);
    if (good) good = find_doubled(w, brief, out);
    if (good && out->doubled) order_sides(w, clean, first);
    sup_arena_destroy(brief);
    return good ? SUP_OK : sup_fail_memory(error, "the edges of a mesh");
}

static sup_result make_edges(work* w, sup_topology* out, sup_error* error)
{
    for (uint32_t i = 0; i < w->side_count; i = edge_end(w, i)) out->edge_count++;
    w->edges = SUP_NEW(w->keep, sup_edge, out->edge_count);
    w->backward = SUP_NEW(w->temp, bool, out->edge_count);
    if (!w->edges || !w->backward) return sup_fail_memory(error, "the edges of a mesh");
    out->edges = w->edges;
    uint32_t next = 0;
    for (uint32_t i = 0; i < w->side_count; ++i) {
        side_look s = look_at(w, w->order[i]);
        sup_edge* e = next ? &w->edges[next - 1] : NULL;
        if (!e || e->a != s.a || e->b != s.b) {
            w->backward[next] = s.backward;
            w->edges[next++] = (sup_edge){ .a = s.a, .b = s.b, .faces = { s.face, SUP_NONE }, .face_count = 1 };
        } else if (e->face_count++ == 1) {
            e->faces[1] = s.face;
            e->flipped = s.backward == w->backward[next - 1];
        }
    }
    for (uint32_t i = 0; i < out->edge_count; ++i) {
        sup_edge* e = &w->edges[i];
        if (e->face_count > 2) e->flipped = false;
        out->boundary_edges += e->face_count == 1;
        out->nonmanifold_edges += e->face_count > 2 || e->flipped;
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- around points

static void starts_from_counts(uint32_t* begin, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) begin[i + 1] += begin[i];
}

/// Edges are sorted, so first the lower and then the upper neighbors come in rising order.
static sup_result make_rings(work* w, sup_topology* out, sup_error* error)
{
    uint32_t  points = w->polygons->point_count;
    uint32_t* begin = SUP_NEW(w->keep, uint32_t, (size_t)points + 1);
    uint32_t* ring = SUP_NEW(w->keep, uint32_t, (size_t)out->edge_count * 2);
    if (!begin || !ring) return sup_fail_memory(error, "the neighbors of points");
    for (uint32_t i = 0; i < out->edge_count; ++i) {
        begin[w->edges[i].a + 1]++;
        begin[w->edges[i].b + 1]++;
    }
    starts_from_counts(begin, points);
    memcpy(w->per_point, begin, ((size_t)points + 1) * sizeof *begin);
    for (uint32_t i = 0; i < out->edge_count; ++i) ring[w->per_point[w->edges[i].b]++] = w->edges[i].a;
    for (uint32_t i = 0; i < out->edge_count; ++i) ring[w->per_point[w->edges[i].a]++] = w->edges[i].b;
    out->ring_begin = begin;
    out->ring = ring;
    return SUP_OK;
}

static sup_result make_fans(work* w, sup_topology* out, sup_error* error)
{
    const sup_polygons* p = w->polygons;
    uint32_t*           begin = SUP_NEW(w->keep, uint32_t, (size_t)p->point_count + 1);
    uint32_t*           last = SUP_NEW(w->temp, uint32_t, p->point_count); // last face entered, + 1
    if (!begin || !last) return sup_fail_memory(error, "the faces around points");
    for (uint32_t f = 0; f < p->face_count; ++f)
        for (uint32_t c = p->face_begin[f]; c < p->face_begin[f + 1] && !left_out(w, f); ++c) {
            uint32_t point = p->corners[c];
            if (last[point] != f + 1) begin[point + 1]++;
            last[point] = f + 1;
        }
    for (uint32_t i = 0; i < p->point_count; ++i) out->loose_points += last[i] == 0;
    starts_from_counts(begin, p->point_count);
    uint32_t* fan = SUP_NEW(w->keep, uint32_t, begin[p->point_count]);
    if (!fan) return sup_fail_memory(error, "the faces around points");
    memset(last, 0, p->point_count * sizeof *last);
    memcpy(w->per_point, begin, ((size_t)p->point_count + 1) * sizeof *begin);
    for (uint32_t f = 0; f < p->face_count; ++f)
        for (uint32_t c = p->face_begin[f]; c < p->face_begin[f + 1] && !left_out(w, f); ++c) {
            uint32_t point = p->corners[c];
            if (last[point] != f + 1) fan[w->per_point[point]++] = f;
            last[point] = f + 1;
        }
    out->fan_begin = begin;
    out->fan = fan;
    return SUP_OK;
}

/// Corners of one point that share an edge belong to one fan: a point has as many fans as corners minus joins.
static sup_result count_nonmanifold_points(work* w, sup_topology* out, sup_error* error)
{
    const sup_polygons* p = w->polygons;
    uint32_t*           parent = singles(w->half, p->face_count ? p->face_begin[p->face_count] : 0);
    uint32_t*           fans = w->per_point;
    if (!parent) return sup_fail_memory(error, "the fans of points");
    memset(fans, 0, ((size_t)p->point_count + 1) * sizeof *fans);
    // Each corner of a face with sides starts exactly one of them.
    for (uint32_t i = 0; i < w->side_count; ++i) fans[p->corners[w->sides[i].from]]++;
    side_look leader = { .a = SUP_NONE };
    for (uint32_t i = 0; i < w->side_count; ++i) {
        side_look s = look_at(w, w->order[i]);
        if (!same_edge(&s, &leader)) {
            leader = s;
            continue;
        }
        fans[s.a] -= sup_sets_join(parent, leader.at_a, s.at_a);
        fans[s.b] -= sup_sets_join(parent, leader.at_b, s.at_b);
    }
    for (uint32_t i = 0; i < p->point_count; ++i) out->nonmanifold_points += fans[i] > 1;
    return SUP_OK;
}

static sup_result make_components(work* w, sup_topology* out, sup_error* error)
{
    const sup_polygons* p = w->polygons;
    uint32_t*           parent = singles(w->temp, p->point_count);
    uint32_t*           components = SUP_NEW(w->keep, uint32_t, p->point_count);
    if (!parent || !components) return sup_fail_memory(error, "the components of a mesh");
    for (uint32_t f = 0; f < p->face_count; ++f)
        for (uint32_t c = p->face_begin[f] + 1; c < p->face_begin[f + 1]; ++c)
            sup_sets_join(parent, p->corners[c - 1], p->corners[c]);
    for (uint32_t i = 0; i < p->point_count; ++i) {
        uint32_t leader = sup_sets_find(parent, i); // never above i, so it is already numbered
        if (out->fan_begin[i] == out->fan_begin[i + 1]) components[i] = SUP_NONE;
        else components[i] = leader == i ? out->component_count++ : components[leader];
    }
    out->components = components;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- holes

/// Boundary edges around each point: those that leave it (against their face) first, then those that arrive.
typedef struct boundary {
    uint32_t* begin; // point_count + 1
    uint32_t* edges;
    uint32_t* cursor; // next to try, per point
    bool*     used;   // per edge
    uint32_t* place;  // per point: where it is on the walk, SUP_NONE when not
    uint32_t* walk;   // boundary_edges + 1 points
    uint32_t* loops;
    uint32_t* loop_begin;
} boundary;

/// The point that a walk along boundary edge e leaves: where its face arrives.
static uint32_t leaves(const sup_edge* e, bool backward) { return backward ? e->a : e->b; }

static sup_result prepare_boundary(work* w, const sup_topology* t, boundary* b, const bool* backward, sup_error* error)
{
    uint32_t points = w->polygons->point_count;
    b->begin = SUP_NEW(w->temp, uint32_t, (size_t)points + 1);
    b->cursor = SUP_NEW(w->temp, uint32_t, (size_t)points + 1);
    b->place = SUP_NEW(w->temp, uint32_t, points);
    b->edges = SUP_NEW(w->temp, uint32_t, (size_t)t->boundary_edges * 2);
    b->used = SUP_NEW(w->temp, bool, t->edge_count);
    b->walk = SUP_NEW(w->temp, uint32_t, (size_t)t->boundary_edges + 1);
    b->loops = SUP_NEW(w->keep, uint32_t, t->boundary_edges);
    b->loop_begin = SUP_NEW(w->keep, uint32_t, (size_t)t->boundary_edges / 3 + 1);
    if (!b->begin || !b->cursor || !b->place || !b->edges || !b->used || !b->walk || !b->loops || !b->loop_begin)
        return sup_fail_memory(error, "the holes of a mesh");
    for (uint32_t i = 0; i < t->edge_count; ++i)
        if (t->edges[i].face_count == 1) {
            b->begin[t->edges[i].a + 1]++;
            b->begin[t->edges[i].b + 1]++;
        }
    starts_from_counts(b->begin, points);
    memcpy(b->cursor, b->begin, ((size_t)points + 1) * sizeof *b->begin);
    for (int arriving = 0; arriving < 2; ++arriving)
        for (uint32_t i = 0; i < t->edge_count; ++i)
            if (t->edges[i].face_count == 1) b->edges[b->cursor[leaves(&t->edges[i], backward[i] != arriving)]++] = i;
    memcpy(b->cursor, b->begin, ((size_t)points + 1) * sizeof *b->begin);
    memset(b->place, 0xff, points * sizeof *b->place);
    return SUP_OK;
}

static uint32_t next_unused(boundary* b, uint32_t point)
{
    for (; b->cursor[point] < b->begin[point + 1]; ++b->cursor[point]) {
        uint32_t e = b->edges[b->cursor[point]];
        if (!b->used[e]) return e;
    }
    return SUP_NONE;
}

/// Walks from a point until every edge that can be reached is used. Where the walk meets itself it has closed a loop, which is
/// cut off: a point where holes touch lies on several. Each edge is taken once, so it ends; dead ends (beside edges of three
/// faces) are walked back and belong to no loop.
static void walk_loops(const sup_topology* t, boundary* b, uint32_t start, uint32_t* loop_count)
{
    uint32_t depth = 0;
    b->walk[depth++] = start;
    b->place[start] = 0;
    while (depth > 0) {
        uint32_t here = b->walk[depth - 1];
        uint32_t e = next_unused(b, here);
        if (e == SUP_NONE) {
            b->place[here] = SUP_NONE;
            --depth;
            continue;
        }
        b->used[e] = true;
        uint32_t to = t->edges[e].a == here ? t->edges[e].b : t->edges[e].a;
        if (b->place[to] == SUP_NONE) {
            b->place[to] = depth;
            b->walk[depth++] = to;
            continue;
        }
        uint32_t at = b->loop_begin[*loop_count];
        for (uint32_t i = b->place[to]; i < depth; ++i) {
            b->loops[at++] = b->walk[i];
            if (i > b->place[to]) b->place[b->walk[i]] = SUP_NONE;
        }
        depth = b->place[to] + 1;
        b->loop_begin[++*loop_count] = at;
    }
}

static sup_result make_loops(work* w, sup_topology* out, sup_error* error)
{
    boundary   b;
    sup_result result = prepare_boundary(w, out, &b, w->backward, error);
    if (result != SUP_OK) return result;
    for (uint32_t i = 0; i < out->edge_count; ++i)
        if (out->edges[i].face_count == 1 && !b.used[i])
            walk_loops(out, &b, leaves(&out->edges[i], w->backward[i]), &out->loop_count);
    out->loop_begin = b.loop_begin;
    out->loops = b.loops;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- all of it

static sup_result create(work* w, sup_topology* out, sup_error* error)
{
    sup_result (*const stages[])(work*, sup_topology*, sup_error*) = { make_rings, make_fans, make_components, make_loops };
    sup_result result = make_sides(w, out, error);
    if (result == SUP_OK) result = make_edges(w, out, error);
    if (result == SUP_OK) result = count_nonmanifold_points(w, out, error);
    sup_arena_destroy(w->half);
    for (size_t i = 0; result == SUP_OK && i < SUP_COUNT_OF(stages); ++i) result = stages[i](w, out, error);
    return result;
}

sup_result sup_topology_create(const sup_polygons* polygons, sup_arena* arena, sup_topology* out, sup_error* error)
{
    SUP_ASSERT(polygons && arena && out);
    if (polygons->face_count && polygons->face_begin[polygons->face_count] > UINT32_MAX / 2)
        return sup_fail(error, SUP_ERROR_INPUT, "the mesh has %u face corners; split it, at most %u fit",
                        polygons->face_begin[polygons->face_count], UINT32_MAX / 2);
    work         w = { .polygons = polygons, .keep = arena, .temp = sup_arena_beside(arena), .half = sup_arena_beside(arena) };
    sup_topology topology = { 0 };
    if (!w.temp || !w.half) {
        sup_arena_destroy(w.temp);
        sup_arena_destroy(w.half);
        return sup_fail_memory(error, "the edges of a mesh");
    }
    sup_result result = create(&w, &topology, error);
    sup_arena_destroy(w.temp);
    if (result == SUP_OK) *out = topology;
    return result;
}

sup_result sup_topology_of_triangles(uint32_t point_count, uint32_t triangle_count, const uint32_t* triangles, sup_arena* arena,
                                     sup_topology* out, sup_error* error)
{
    uint32_t* begin = SUP_NEW(arena, uint32_t, (size_t)triangle_count + 1);
    if (!begin) return sup_fail_memory(error, "topology");
    for (uint32_t t = 0; t <= triangle_count; ++t) begin[t] = 3 * t;
    return sup_topology_create(&(sup_polygons){ point_count, triangle_count, begin, triangles }, arena, out, error);
}

uint32_t sup_topology_edge(const sup_topology* t, uint32_t a, uint32_t b)
{
    uint32_t low = 0, high = t->edge_count, x = a < b ? a : b, y = a < b ? b : a;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->edges[middle].a < x || (t->edges[middle].a == x && t->edges[middle].b < y)) low = middle + 1;
        else high = middle;
    }
    return low < t->edge_count && t->edges[low].a == x && t->edges[low].b == y ? low : SUP_NONE;
}

// Assigns the points of a surface to slots, and cuts the polygons around them into quads.
#include "base/internal.h"
#include "base/sort.h"
#include "deform/smooth/smooth.h"
#include "math/vec.h"

// Chaining the faces around a point takes the square of their number; around a point with more than this, each face stays a
// triangle.
enum { FAN_MOST = 64 };

typedef struct maker {
    const sup_mesh*     mesh;
    const sup_topology* topology;
    const bool*         pinned;
    uint32_t*           walk;       // points in the order of the walk
    uint32_t*           slots;      // neighbors of each point
    uint32_t*           quad_begin; // per point, plus one
    smooth_quad*        quads;      // of points, in terms of points
} maker;

// ---------------------------------------------------------------------------------------------- polygons

typedef struct polygon_pair {
    uint32_t a, b; // the corners after and before the point in one face
} polygon_pair;

/// Cuts a polygon into quads, the first one along the longest diagonal, which is the last to collapse.
static uint32_t cut_polygon(const sup_mesh* mesh, const uint32_t* corners, uint32_t count, smooth_quad* out)
{
    if (count < 3) return 0;
    uint32_t start = 0, made = 0;
    float    most = -1.0f;
    for (uint32_t i = 0; i < count; ++i) {
        float length = v3_distance(mesh->points[corners[i]], mesh->points[corners[(i + 2) % count]]);
        if (length > most) most = length, start = i;
    }
    for (uint32_t i = 1; i + 1 < count; i += 2) {
        uint32_t a = corners[start], d = i + 2 < count ? corners[(start + i + 2) % count] : a;
        out[made++] = (smooth_quad){ a, corners[(start + i) % count], corners[(start + i + 1) % count], d };
    }
    return made;
}

/// Chains the pairs into polygons: closed ones stay as they are, open ones (borders, flipped faces) are closed through the
/// point itself.
static uint32_t cut_fan(const sup_mesh* mesh, uint32_t point, const polygon_pair* pairs, uint32_t count, smooth_quad* out)
{
    bool     used[FAN_MOST] = { false }, follows[FAN_MOST] = { false };
    uint32_t made = 0;
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < count; ++k) follows[i] |= k != i && pairs[k].b == pairs[i].a;
    for (uint32_t turn = 0; turn < 2 * count; ++turn) { // first those that start an open chain, then the rest
        uint32_t corners[FAN_MOST + 2], n = 0, at = turn % count, begin = pairs[at].a;
        if (used[at] || (turn < count && follows[at])) continue;
        corners[n++] = begin;
        while (at != SUP_NONE) {
            uint32_t tip = pairs[at].b;
            used[at] = true;
            at = SUP_NONE;
            if (tip == begin) begin = SUP_NONE; // closed
            else {
                corners[n++] = tip;
                for (uint32_t k = 0; k < count && at == SUP_NONE; ++k)
                    if (!used[k] && pairs[k].a == tip) at = k;
            }
        }
        if (begin != SUP_NONE) corners[n++] = point;
        made += cut_polygon(mesh, corners, n, out + made);
    }
    return made;
}

// The sum over faces of (after - point) x (before - point), with fewer products.
static bool make_quads(maker* m, sup_arena* arena)
{
    const sup_mesh*     mesh = m->mesh;
    const sup_topology* t = m->topology;
    m->quad_begin = SUP_NEW(arena, uint32_t, (size_t)mesh->point_count + 1);
    m->quads = SUP_NEW(arena, smooth_quad, (size_t)mesh->corner_count + 1); // at most one for each face at the point
    uint32_t*     begin = SUP_NEW(arena, uint32_t, (size_t)mesh->point_count + 1);
    uint32_t*     filled = SUP_NEW(arena, uint32_t, mesh->point_count);
    polygon_pair* pairs = SUP_NEW(arena, polygon_pair, (size_t)mesh->corner_count + 1);
    if (!m->quad_begin || !m->quads || !begin || !filled || !pairs) return false;
    for (uint32_t c = 0; c < mesh->corner_count; ++c) begin[mesh->corner_points[c] + 1]++;
    for (uint32_t i = 0; i < mesh->point_count; ++i) begin[i + 1] += begin[i];
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t first = mesh->face_begin[f], last = mesh->face_begin[f + 1] - 1;
        if (t->doubled && t->doubled[f]) continue;
        for (uint32_t c = first; c <= last; ++c) {
            uint32_t i = mesh->corner_points[c], a = mesh->corner_points[c == last ? first : c + 1],
                     b = mesh->corner_points[c == first ? last : c - 1];
            if (a != b && a != i && b != i) pairs[begin[i] + filled[i]++] = (polygon_pair){ a, b };
        }
    }
    uint32_t made = 0;
    for (uint32_t i = 0; i < mesh->point_count; ++i) {
        m->quad_begin[i] = made;
        if (m->pinned[i] || t->ring_begin[i] == t->ring_begin[i + 1]) continue;
        const polygon_pair* own = pairs + begin[i];
        if (filled[i] <= FAN_MOST) made += cut_fan(mesh, i, own, filled[i], m->quads + made);
        else
            for (uint32_t k = 0; k < filled[i]; ++k) m->quads[made++] = (smooth_quad){ i, own[k].a, own[k].b, i };
    }
    m->quad_begin[mesh->point_count] = made;
    return true;
}

// ---------------------------------------------------------------------------------------------- order

/// Breadth first over the edges: neighbors lie within one front of each other.
static bool make_walk(maker* m, sup_arena* arena)
{
    const sup_topology* t = m->topology;
    uint32_t            count = m->mesh->point_count, filled = 0;
    bool*               seen = SUP_NEW(arena, bool, count);
    m->walk = SUP_NEW(arena, uint32_t, count);
    if (!seen || !m->walk) return false;
    for (uint32_t start = 0; start < count; ++start) {
        if (seen[start]) continue;
        seen[start] = true;
        m->walk[filled++] = start;
        for (uint32_t at = filled - 1; at < filled; ++at)
            for (uint32_t k = t->ring_begin[m->walk[at]]; k < t->ring_begin[m->walk[at] + 1]; ++k) {
                if (seen[t->ring[k]]) continue;
                seen[t->ring[k]] = true;
                m->walk[filled++] = t->ring[k];
            }
    }
    return true;
}

static uint32_t valence_of(const maker* m, uint32_t point)
{
    return m->pinned[point] ? 0 : m->topology->ring_begin[point + 1] - m->topology->ring_begin[point];
}

static uint32_t quads_of(const maker* m, uint32_t point) { return m->quad_begin[point + 1] - m->quad_begin[point]; }

/// Sorts each chunk of the walk by numbers of neighbors and quads. Writes the points to `order`.
static bool sort_chunks(maker* m, sup_arena* arena, uint32_t* order)
{
    uint32_t       count = m->mesh->point_count;
    sup_sort_item *items = SUP_NEW(arena, sup_sort_item, SMOOTH_CHUNK), *spare = SUP_NEW(arena, sup_sort_item, SMOOTH_CHUNK);
    m->slots = SUP_NEW(arena, uint32_t, count);
    if (!items || !spare || !m->slots) return false;
    for (uint32_t begin = 0; begin < count; begin += SMOOTH_CHUNK) {
        uint32_t n = count - begin < SMOOTH_CHUNK ? count - begin : SMOOTH_CHUNK;
        for (uint32_t i = 0; i < n; ++i) {
            uint32_t point = m->walk[begin + i];
            items[i] = (sup_sort_item){ (uint64_t)valence_of(m, point) << 32 | quads_of(m, point), point };
        }
        sup_sort(items, spare, n);
        for (uint32_t i = 0; i < n; ++i) order[begin + i] = items[i].value;
    }
    for (uint32_t i = 0; i < count; ++i) m->slots[order[i]] = i;
    for (uint32_t i = 0; i < SUP_LANES; ++i) order[count + i] = count ? order[count - 1] : 0;
    return true;
}

// ---------------------------------------------------------------------------------------------- runs

/// Divides the slots into runs; only counts them if `runs` is NULL.
static uint32_t cut_runs(const maker* m, const uint32_t* order, smooth_run* runs, uint32_t* chunk_runs)
{
    uint32_t   count = m->mesh->point_count, made = 0;
    smooth_run now = { 0 };
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t valence = valence_of(m, order[i]), quads = quads_of(m, order[i]);
        if (i % SMOOTH_CHUNK == 0 || valence != now.valence || quads != now.quads) {
            if (runs && i % SMOOTH_CHUNK == 0) chunk_runs[i / SMOOTH_CHUNK] = made;
            now = (smooth_run){ i,
                                i,
                                valence,
                                quads,
                                now.ring + (size_t)(now.end - now.begin) * now.valence,
                                now.quad + (size_t)(now.end - now.begin) * now.quads };
            ++made;
        }
        ++now.end;
        if (runs) runs[made - 1] = now;
    }
    return made;
}

/// Neighbors and quads of each slot, as slots.
static void fill_runs(const maker* m, const smooth_surface* s, uint32_t run_count, uint32_t* ring, smooth_quad* quads)
{
    for (uint32_t r = 0; r < run_count; ++r) {
        const smooth_run* run = &s->runs[r];
        uint32_t*         to = ring + run->ring;
        smooth_quad*      quad = quads + run->quad;
        for (uint32_t i = run->begin; i < run->end; ++i) {
            uint32_t point = s->order[i];
            for (uint32_t k = 0; k < run->valence; ++k) *to++ = m->slots[m->topology->ring[m->topology->ring_begin[point] + k]];
            for (uint32_t k = 0; k < run->quads; ++k) {
                const smooth_quad* q = &m->quads[m->quad_begin[point] + k];
                *quad++ = (smooth_quad){ m->slots[q->a], m->slots[q->b], m->slots[q->c], m->slots[q->d] };
            }
        }
    }
}

static bool make_surface(maker* m, sup_arena* arena, sup_arena* temporary, smooth_surface* s)
{
    uint32_t  count = m->mesh->point_count;
    uint32_t* order = SUP_NEW(arena, uint32_t, (size_t)count + SUP_LANES);
    s->point_count = count;
    s->chunk_count = (count + SMOOTH_CHUNK - 1) / SMOOTH_CHUNK;
    if (!order || !make_quads(m, temporary) || !make_walk(m, temporary) || !sort_chunks(m, temporary, order)) return false;
    uint32_t     run_count = cut_runs(m, order, NULL, NULL);
    smooth_run*  runs = SUP_NEW(arena, smooth_run, run_count);
    uint32_t*    chunk_runs = SUP_NEW(arena, uint32_t, (size_t)s->chunk_count + 1);
    uint32_t*    ring = SUP_NEW(arena, uint32_t, (size_t)m->topology->ring_begin[count] + 1);
    smooth_quad* quads = SUP_NEW(arena, smooth_quad, (size_t)m->quad_begin[count] + 1);
    for (int k = 0; k < 3; ++k) s->details[k] = SUP_NEW(arena, float, (size_t)count + SUP_LANES);
    if (!runs || !chunk_runs || !ring || !quads || !s->details[0] || !s->details[1] || !s->details[2]) return false;
    cut_runs(m, order, runs, chunk_runs);
    chunk_runs[s->chunk_count] = run_count;
    s->order = order;
    s->runs = runs;
    s->chunk_runs = chunk_runs;
    fill_runs(m, s, run_count, ring, quads);
    s->ring = ring;
    s->quads = quads;
    return true;
}

sup_result sup_smooth_surface_create(const sup_mesh* mesh, const sup_topology* topology, const bool* pinned, sup_arena* arena,
                                     smooth_surface* out, sup_error* error)
{
    sup_arena* temporary = sup_arena_beside(arena);
    maker      m = { .mesh = mesh, .topology = topology, .pinned = pinned };
    bool       good = temporary && make_surface(&m, arena, temporary, out);
    sup_arena_destroy(temporary);
    return good ? SUP_OK : sup_fail_memory(error, "smooth");
}

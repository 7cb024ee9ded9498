#include "geom/surface/subdivide.h"
#include "base/internal.h"
#include "base/sort.h"
#include "geom/surface/topology.h"
#include "math/trig.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------- rows

// Rows under construction: shares of one row are added in any order and merged when it ends.
typedef struct builder {
    sup_arena* arena;
    uint32_t   rows, row_capacity, used; // used: entries
    size_t     capacity;
    uint32_t*  begin;
    uint32_t*  index;
    float*     share;
    uint64_t   work; // entries that adding has searched
    bool       failed, over_limit;
} builder;

enum { ROW_MEAN_MAX = 48, ROWS_FREE = 1 << 20, CORNERS_MAX = 512 }; // shares of a row in the mean, corners of a face
// Mean work per row (about 1,000 on sound meshes), and the work of all rows beside that. Rows of thirty are searched thirty
// times; one of a hundred thousand would be searched as often.
#define ROW_WORK_MAX 4096ull
#define WORK_FREE (1ull << 29)

static bool builder_begin(builder* b, sup_arena* arena, uint32_t rows, size_t capacity)
{
    *b = (builder){ .arena = arena, .row_capacity = rows, .capacity = capacity };
    b->begin = SUP_NEW(arena, uint32_t, (size_t)rows + 1);
    b->index = SUP_NEW(arena, uint32_t, capacity);
    b->share = SUP_NEW(arena, float, capacity);
    return b->begin && b->index && b->share;
}

// A point between thousands of edges would give thousands of shares to each of thousands of points.
static bool grow(builder* b)
{
    size_t grown = 2 * b->capacity + 64, most = (size_t)b->row_capacity * ROW_MEAN_MAX + ROWS_FREE;
    b->over_limit = b->capacity >= most;
    if (b->over_limit) return false;
    if (grown > most) grown = most;
    uint32_t* index = SUP_NEW(b->arena, uint32_t, grown);
    float*    share = SUP_NEW(b->arena, float, grown);
    if (!index || !share) return false;
    memcpy(index, b->index, b->used * sizeof *index);
    memcpy(share, b->share, b->used * sizeof *share);
    b->index = index;
    b->share = share;
    b->capacity = grown;
    return true;
}

static void add(builder* b, uint32_t index, double share)
{
    if (b->failed) return;
    uint32_t first = b->begin[b->rows], i = b->used;
    while (i > first && b->index[i - 1] > index) --i;
    b->work += b->used - i;
    if (b->work > ROW_WORK_MAX * b->row_capacity + WORK_FREE) b->failed = b->over_limit = true;
    if (i > first && b->index[i - 1] == index) {
        b->share[i - 1] += (float)share;
        return;
    }
    if (b->used == b->capacity && !grow(b)) {
        b->failed = true;
        return;
    }
    for (uint32_t k = b->used; k > i; --k) b->index[k] = b->index[k - 1], b->share[k] = b->share[k - 1];
    b->index[i] = index;
    b->share[i] = (float)share;
    b->used++;
}

// Adds a row of another table, times a factor.
static void add_row(builder* b, const sup_shares* from, uint32_t row, double factor)
{
    // Stop once the table has failed: rows of a crowded point are long, and there are many of them.
    for (uint32_t k = from->begin[row]; k < from->begin[row + 1] && !b->failed; ++k)
        add(b, from->index[k], factor * (double)from->share[k]);
}

static sup_result finish(const builder* b, sup_error* error)
{
    if (b->over_limit)
        return sup_fail(
            error, SUP_ERROR_INPUT,
            "a point of the mesh has far too many edges to be divided smoothly; divide fewer times, or repair the mesh");
    return b->failed ? sup_fail_memory(error, "a finer mesh") : SUP_OK;
}

static void       end_row(builder* b) { b->begin[++b->rows] = b->used; }
static sup_shares built(const builder* b) { return (sup_shares){ b->rows, b->begin, b->index, b->share }; }

static bool identity(sup_arena* arena, uint32_t count, sup_shares* out)
{
    builder b;
    if (!builder_begin(&b, arena, count, count)) return false;
    for (uint32_t i = 0; i < count; ++i) {
        add(&b, i, 1);
        end_row(&b);
    }
    *out = built(&b);
    return true;
}

// ---------------------------------------------------------------------------------------------- one level

typedef struct level {
    const sup_subdivided* from;
    sup_arena*            arena; // of the result
    sup_arena*            work;
    bool                  loop;
    sup_topology          topology;
    uint32_t*             corner_edges;    // of each corner: the edge to the next; SUP_NONE on faces that are left out
    uint32_t*             corner_vertices; // the new vertex in the middle of that edge
    uint32_t              edge_vertices;   // how many
    const uint32_t (*edge_pairs)[2];       // the two vertices of each
    const uint32_t* edge_points;           // the edge of each
    uint8_t*        sharp;                 // by point: edges around it that do not lie between two faces
    uint32_t        kept;                  // faces
    sup_error*      error;
} level;

static bool is_sharp(const sup_edge* e) { return e->face_count != 2; }

static sup_result find_edges(level* l)
{
    const sup_subdivided* f = l->from;
    uint32_t              corners = f->face_begin[f->face_count];
    sup_polygons          polygons = { f->point_count, f->face_count, f->face_begin, f->corner_points };
    sup_result            result = sup_topology_create(&polygons, l->work, &l->topology, l->error);
    if (result != SUP_OK) return result;
    l->corner_edges = SUP_NEW(l->work, uint32_t, corners);
    l->sharp = SUP_NEW(l->work, uint8_t, f->point_count);
    if (!l->corner_edges || !l->sharp) return sup_fail_memory(l->error, "a finer mesh");
    for (uint32_t i = 0; i < f->face_count; ++i) {
        uint32_t begin = f->face_begin[i], end = f->face_begin[i + 1];
        bool     good = end - begin >= 3;
        if (end - begin > CORNERS_MAX)
            return sup_fail(l->error, SUP_ERROR_INPUT, "a face has %u corners, too many to divide; cut it into triangles",
                            end - begin);
        for (uint32_t c = begin; c < end; ++c) {
            uint32_t next = c + 1 < end ? c + 1 : begin;
            l->corner_edges[c] = sup_topology_edge(&l->topology, f->corner_points[c], f->corner_points[next]);
            good &= l->corner_edges[c] != SUP_NONE;
        }
        for (uint32_t c = begin; c < end && !good; ++c) l->corner_edges[c] = SUP_NONE;
        l->kept += good;
    }
    for (uint32_t i = 0; i < l->topology.edge_count; ++i) {
        const sup_edge* e = &l->topology.edges[i];
        if (!is_sharp(e)) continue;
        if (l->sharp[e->a] < 255) l->sharp[e->a]++;
        if (l->sharp[e->b] < 255) l->sharp[e->b]++;
    }
    return SUP_OK;
}

// One new vertex for each pair of vertices at the ends of an edge: two on a seam, one elsewhere.
static sup_result pair_vertices(level* l)
{
    const sup_subdivided* f = l->from;
    uint32_t              corners = f->face_begin[f->face_count], count = 0;
    sup_sort_item*        items = SUP_NEW(l->work, sup_sort_item, corners);
    sup_sort_item*        spare = SUP_NEW(l->work, sup_sort_item, corners);
    l->corner_vertices = SUP_NEW(l->work, uint32_t, corners);
    uint32_t(*pairs)[2] = sup_arena_alloc(l->work, corners, sizeof *pairs);
    uint32_t* edges = SUP_NEW(l->work, uint32_t, corners);
    if (!items || !spare || !l->corner_vertices || !pairs || !edges) return sup_fail_memory(l->error, "a finer mesh");
    for (uint32_t i = 0; i < f->face_count; ++i)
        for (uint32_t c = f->face_begin[i]; c < f->face_begin[i + 1]; ++c) {
            if (l->corner_edges[c] == SUP_NONE) continue;
            uint32_t a = f->corner_vertices[c], b = f->corner_vertices[c + 1 < f->face_begin[i + 1] ? c + 1 : f->face_begin[i]];
            items[count++] = (sup_sort_item){ (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a), c };
        }
    sup_sort(items, spare, count);
    for (uint32_t i = 0; i < count; ++i) {
        if (i == 0 || items[i].key != items[i - 1].key) {
            pairs[l->edge_vertices][0] = (uint32_t)(items[i].key >> 32);
            pairs[l->edge_vertices][1] = (uint32_t)items[i].key;
            edges[l->edge_vertices++] = l->corner_edges[items[i].value];
        }
        l->corner_vertices[items[i].value] = l->edge_vertices - 1;
    }
    l->edge_pairs = (const uint32_t(*)[2])pairs;
    l->edge_points = edges;
    return SUP_OK;
}

// The corner of a triangle opposite to an edge.
static uint32_t opposite(const sup_subdivided* f, uint32_t face, const sup_edge* e)
{
    for (uint32_t c = f->face_begin[face]; c < f->face_begin[face + 1]; ++c)
        if (f->corner_points[c] != e->a && f->corner_points[c] != e->b) return f->corner_points[c];
    return e->a;
}

static void add_face_mean(builder* b, const sup_subdivided* f, uint32_t face, double factor)
{
    uint32_t begin = f->face_begin[face], end = f->face_begin[face + 1];
    for (uint32_t c = begin; c < end; ++c) add_row(b, &f->points, f->corner_points[c], factor / (end - begin));
}

static void old_point(const level* l, builder* b, uint32_t p)
{
    const sup_subdivided* f = l->from;
    const sup_topology*   t = &l->topology;
    uint32_t              n = t->ring_begin[p + 1] - t->ring_begin[p], faces = t->fan_begin[p + 1] - t->fan_begin[p];
    if (l->sharp[p] == 2) { // on a border: a cubic curve
        add_row(b, &f->points, p, 0.75);
        for (uint32_t k = t->ring_begin[p]; k < t->ring_begin[p + 1]; ++k)
            if (is_sharp(&t->edges[sup_topology_edge(t, p, t->ring[k])])) add_row(b, &f->points, t->ring[k], 0.125);
    } else if (l->sharp[p] || n < 3 || faces != n) add_row(b, &f->points, p, 1);
    else if (l->loop) {
        double c = 0.375 + 0.25 * sup_cos(2 * SUP_PI / n), each = (0.625 - c * c) / n;
        add_row(b, &f->points, p, 1 - n * each);
        for (uint32_t k = t->ring_begin[p]; k < t->ring_begin[p + 1]; ++k) add_row(b, &f->points, t->ring[k], each);
    } else { // (mean of the faces + 2 mean of the edges' middles + (n - 3) the point) / n
        add_row(b, &f->points, p, (double)(n - 3) / n + 1.0 / n);
        for (uint32_t k = t->ring_begin[p]; k < t->ring_begin[p + 1]; ++k) add_row(b, &f->points, t->ring[k], 1.0 / n / n);
        for (uint32_t k = t->fan_begin[p]; k < t->fan_begin[p + 1]; ++k) add_face_mean(b, f, t->fan[k], 1.0 / n / n);
    }
}

static void edge_point(const level* l, builder* b, const sup_edge* e)
{
    const sup_subdivided* f = l->from;
    if (is_sharp(e)) {
        add_row(b, &f->points, e->a, 0.5);
        add_row(b, &f->points, e->b, 0.5);
        return;
    }
    double own = l->loop ? 0.375 : 0.25;
    add_row(b, &f->points, e->a, own);
    add_row(b, &f->points, e->b, own);
    for (int i = 0; i < 2; ++i)
        if (l->loop) add_row(b, &f->points, opposite(f, e->faces[i], e), 0.125);
        else add_face_mean(b, f, e->faces[i], 0.25);
}

static sup_result refine_points(const level* l, sup_subdivided* to)
{
    const sup_subdivided* f = l->from;
    builder               b;
    uint32_t              count = f->point_count + l->topology.edge_count + (l->loop ? 0 : l->kept);
    if (!builder_begin(&b, l->arena, count, 12 * (size_t)count)) return sup_fail_memory(l->error, "a finer mesh");
    for (uint32_t p = 0; p < f->point_count; ++p) old_point(l, &b, p), end_row(&b);
    for (uint32_t e = 0; e < l->topology.edge_count; ++e) edge_point(l, &b, &l->topology.edges[e]), end_row(&b);
    for (uint32_t i = 0; i < f->face_count && !l->loop; ++i)
        if (f->face_begin[i + 1] > f->face_begin[i] && l->corner_edges[f->face_begin[i]] != SUP_NONE) {
            add_face_mean(&b, f, i, 1);
            end_row(&b);
        }
    to->point_count = b.rows;
    to->points = built(&b);
    return finish(&b, l->error);
}

static sup_result refine_vertices(const level* l, sup_subdivided* to)
{
    const sup_subdivided* f = l->from;
    builder               b;
    uint32_t              count = f->vertex_count + l->edge_vertices + (l->loop ? 0 : l->kept), v = f->vertex_count;
    uint32_t*             points = SUP_NEW(l->arena, uint32_t, count);
    uint32_t*             groups = f->vertex_groups ? SUP_NEW(l->arena, uint32_t, count) : NULL;
    if (!points || (f->vertex_groups && !groups) || !builder_begin(&b, l->arena, count, 6 * (size_t)count))
        return sup_fail_memory(l->error, "a finer mesh");
    for (uint32_t i = 0; i < f->vertex_count; ++i) {
        add_row(&b, &f->vertices, i, 1), end_row(&b);
        points[i] = f->vertex_points[i];
        if (groups) groups[i] = f->vertex_groups[i];
    }
    for (uint32_t i = 0; i < l->edge_vertices; ++i, ++v) {
        add_row(&b, &f->vertices, l->edge_pairs[i][0], 0.5);
        add_row(&b, &f->vertices, l->edge_pairs[i][1], 0.5), end_row(&b);
        points[v] = f->point_count + l->edge_points[i];
        if (groups) groups[v] = f->vertex_groups[l->edge_pairs[i][0]];
    }
    for (uint32_t i = 0, face = 0; i < f->face_count && !l->loop; ++i) {
        uint32_t begin = f->face_begin[i], end = f->face_begin[i + 1];
        if (end == begin || l->corner_edges[begin] == SUP_NONE) continue;
        for (uint32_t c = begin; c < end; ++c) add_row(&b, &f->vertices, f->corner_vertices[c], 1.0 / (end - begin));
        end_row(&b);
        points[v] = f->point_count + l->topology.edge_count + face++;
        if (groups) groups[v] = f->vertex_groups[f->corner_vertices[begin]];
        ++v;
    }
    to->vertex_count = b.rows;
    to->vertices = built(&b);
    to->vertex_points = points;
    to->vertex_groups = groups;
    return finish(&b, l->error);
}

// A triangle becomes four triangles, any other polygon a quad at each corner.
static sup_result refine_faces(const level* l, sup_subdivided* to)
{
    const sup_subdivided* f = l->from;
    uint32_t              count = 0, face = 0, at = 0, middle = f->vertex_count + l->edge_vertices;
    uint64_t              corners = 0;
    for (uint32_t i = 0; i < f->face_count; ++i)
        if (f->face_begin[i + 1] > f->face_begin[i] && l->corner_edges[f->face_begin[i]] != SUP_NONE)
            count += l->loop ? 4 : f->face_begin[i + 1] - f->face_begin[i];
    corners = (uint64_t)count * (l->loop ? 3 : 4);
    uint32_t* begin = SUP_NEW(l->arena, uint32_t, (size_t)count + 1);
    uint32_t* vertices = SUP_NEW(l->arena, uint32_t, (size_t)corners);
    uint32_t* points = SUP_NEW(l->arena, uint32_t, (size_t)corners);
    uint32_t* parents = SUP_NEW(l->arena, uint32_t, count);
    if (!begin || !vertices || !points || !parents) return sup_fail_memory(l->error, "a finer mesh");
    for (uint32_t i = 0; i < f->face_count; ++i) {
        uint32_t first = f->face_begin[i], n = f->face_begin[i + 1] - first;
        if (n == 0 || l->corner_edges[first] == SUP_NONE) continue;
        const uint32_t *old = f->corner_vertices + first, *half = l->corner_vertices + first;
        for (uint32_t c = 0; c < n; ++c) {
            uint32_t before = half[(c + n - 1) % n] + f->vertex_count, behind = half[c] + f->vertex_count;
            vertices[at++] = old[c];
            vertices[at++] = behind;
            if (!l->loop) vertices[at++] = middle;
            vertices[at++] = before;
            parents[face] = f->face_parents[i];
            begin[++face] = at;
        }
        if (l->loop) {
            for (uint32_t c = 0; c < 3; ++c) vertices[at++] = half[c] + f->vertex_count;
            parents[face] = f->face_parents[i];
            begin[++face] = at;
        } else ++middle;
    }
    for (uint32_t c = 0; c < at; ++c) points[c] = to->vertex_points[vertices[c]];
    to->face_count = face;
    to->face_begin = begin;
    to->corner_points = points;
    to->corner_vertices = vertices;
    to->face_parents = parents;
    return SUP_OK;
}

static sup_result refine(level* l, sup_subdivided* to)
{
    *to = (sup_subdivided){ .dropped = l->from->dropped };
    l->loop = true;
    for (uint32_t i = 0; i < l->from->face_count && l->loop; ++i)
        l->loop = l->from->face_begin[i + 1] - l->from->face_begin[i] <= 3;
    sup_result result = find_edges(l);
    if (result == SUP_OK) result = pair_vertices(l);
    if (result == SUP_OK) result = refine_points(l, to);
    if (result == SUP_OK) result = refine_vertices(l, to);
    if (result == SUP_OK) result = refine_faces(l, to);
    to->dropped += l->from->face_count - l->kept;
    return result;
}

// ---------------------------------------------------------------------------------------------- groups

static sup_result group_vertices(sup_subdivided* s, sup_arena* arena, sup_arena* work, sup_error* error)
{
    uint32_t       n = s->vertex_count, corners = s->face_begin[s->face_count];
    sup_sort_item *items = SUP_NEW(work, sup_sort_item, n), *spare = SUP_NEW(work, sup_sort_item, n);
    uint32_t *     where = SUP_NEW(work, uint32_t, n), *points = SUP_NEW(arena, uint32_t, n);
    uint32_t *     groups = SUP_NEW(arena, uint32_t, n), *vertices = SUP_NEW(arena, uint32_t, corners);
    builder        b;
    if (!items || !spare || !where || !points || !groups || !vertices || !builder_begin(&b, arena, n, s->vertices.begin[n]))
        return sup_fail_memory(error, "a finer mesh");
    for (uint32_t v = 0; v < n; ++v) items[v] = (sup_sort_item){ s->vertex_groups[v], v };
    sup_sort(items, spare, n);
    for (uint32_t v = 0; v < n; ++v) {
        uint32_t old = items[v].value;
        where[old] = v;
        points[v] = s->vertex_points[old];
        groups[v] = s->vertex_groups[old];
        add_row(&b, &s->vertices, old, 1), end_row(&b);
    }
    for (uint32_t c = 0; c < corners; ++c) vertices[c] = where[s->corner_vertices[c]];
    s->vertices = built(&b);
    s->vertex_points = points;
    s->vertex_groups = groups;
    s->corner_vertices = vertices;
    return finish(&b, error);
}

sup_result sup_subdivide(const sup_subdivide_input* in, uint32_t levels, sup_arena* arena, sup_subdivided* out,
                         sup_error* error)
{
    sup_subdivided s = { .point_count = in->point_count,
                         .vertex_count = in->vertex_count,
                         .face_count = in->face_count,
                         .face_begin = in->face_begin,
                         .corner_points = in->corner_points,
                         .corner_vertices = in->corner_vertices,
                         .vertex_points = in->vertex_points,
                         .vertex_groups = in->vertex_groups };
    uint32_t*      faces = SUP_NEW(arena, uint32_t, in->face_count);
    if (!faces || !identity(arena, in->point_count, &s.points) || !identity(arena, in->vertex_count, &s.vertices))
        return sup_fail_memory(error, "a finer mesh");
    for (uint32_t i = 0; i < in->face_count; ++i) faces[i] = i;
    s.face_parents = faces;
    for (uint32_t i = 0; i < levels; ++i) {
        sup_arena*     work = sup_arena_beside(arena);
        sup_subdivided finer;
        level          l = { .from = &s, .arena = arena, .work = work, .error = error };
        sup_result     result = work ? refine(&l, &finer) : sup_fail_memory(error, "a finer mesh");
        sup_arena_destroy(work);
        if (result != SUP_OK) return result;
        s = finer;
    }
    sup_result result = SUP_OK;
    if (s.vertex_groups) {
        sup_arena* work = sup_arena_beside(arena);
        result = work ? group_vertices(&s, arena, work, error) : sup_fail_memory(error, "a finer mesh");
        sup_arena_destroy(work);
    }
    *out = s;
    return result;
}

#include "geom/parts.h"

#include "base/internal.h"
#include "geom/topology.h"
#include "math/trig.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { TIPS_MAX = 24, TRIES_MAX = 64, PIECE_LEAST = 64, WALK_ROUNDS = 400, STATIONS = 17 };
/// A tip is the farthest point within this share of the largest distance from the middle, and at least that far from others.
#define TIP_REACH 0.2
#define TIP_APART 0.3
/// A limb ends where its girth exceeds this many times that of the limb so far (a cone's: twice), within this share of the way
/// to the next tip; where it does not, half-way.
#define GIRTH_GROWTH 2.2
#define LIMB_MOST 0.8
#define HALF_WAY 0.45
/// Seeds: points before this share of a limb are its own, those behind this share of all limbs the body's.
#define LIMB_SEED 0.85
#define BODY_SEED 1.1
/// How much less likely a walker goes on over a hollow edge, per radian.
#define HOLLOW 3.0
#define WALK_LEAST 1e-6

typedef struct walker {
    const sup_curve_mesh* mesh;
    sup_arena*            arena;
    sup_topology          t;
    const uint32_t*       piece;  ///< per point: the connected piece of the mesh
    float*                length; ///< per entry of the rings
    double*               weight; ///< likewise
    uint32_t*             heap;
    uint32_t*             place; ///< of a point in the heap, plus 1
    float*                from_middle;
    float*                tip_distance[TIPS_MAX];
    float*                nearest; ///< to the middle or a tip found so far
    uint32_t              tips[TIPS_MAX], tip_count;
    uint32_t*             labels;
    double*               area; ///< per point: share of the surface it stands for
    double                edge; ///< mean length
} walker;

// ---------------------------------------------------------------------------------------------- distances

static void sift(walker* w, const float* d, uint32_t at, uint32_t count)
{
    uint32_t* h = w->heap;
    uint32_t  p = h[at];
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= count) break;
        if (child + 1 < count && d[h[child + 1]] < d[h[child]]) ++child;
        if (!(d[h[child]] < d[p])) break;
        h[at] = h[child], w->place[h[at]] = at + 1, at = child;
    }
    h[at] = p, w->place[p] = at + 1;
}

static void raise(walker* w, const float* d, uint32_t at)
{
    uint32_t* h = w->heap;
    uint32_t  p = h[at];
    while (at > 0 && d[p] < d[h[(at - 1) / 2]]) {
        h[at] = h[(at - 1) / 2], w->place[h[at]] = at + 1;
        at = (at - 1) / 2;
    }
    h[at] = p, w->place[p] = at + 1;
}

/// Shortest ways over the edges from one point.
static void distances(walker* w, uint32_t from, float* d)
{
    uint32_t n = w->mesh->point_count, count = 1;
    for (uint32_t i = 0; i < n; ++i) d[i] = 3e38f, w->place[i] = 0;
    d[from] = 0;
    w->heap[0] = from, w->place[from] = 1;
    while (count) {
        uint32_t p = w->heap[0];
        w->heap[0] = w->heap[--count], w->place[w->heap[0]] = 1;
        if (count) sift(w, d, 0, count);
        for (uint32_t k = w->t.ring_begin[p]; k < w->t.ring_begin[p + 1]; ++k) {
            uint32_t q = w->t.ring[k];
            float    far = d[p] + w->length[k];
            if (!(far < d[q])) continue;
            bool known = d[q] < 3e38f;
            d[q] = far;
            if (!known) w->heap[count] = q, w->place[q] = ++count;
            raise(w, d, w->place[q] - 1);
        }
    }
}

static uint32_t farthest(const walker* w, uint32_t piece, const float* d)
{
    uint32_t best = SUP_NONE;
    for (uint32_t p = 0; p < w->mesh->point_count; ++p)
        if (w->piece[p] == piece && d[p] < 3e38f && (best == SUP_NONE || d[p] > d[best])) best = p;
    return best;
}

// ---------------------------------------------------------------------------------------------- pieces, edges

static sup_vec3 face_normal(const walker* w, uint32_t f)
{
    const uint32_t* c = w->mesh->triangles + 3 * (size_t)f;
    const sup_vec3* p = w->mesh->points;
    return v3_normalize(v3_cross(v3_sub(p[c[1]], p[c[0]]), v3_sub(p[c[2]], p[c[0]])), v3(0, 0, 0));
}

/// How far the surface is folded inwards along an edge, in radians; 0 where it is flat or bulges.
static double hollow_of(const walker* w, const sup_edge* e)
{
    if (e->faces[0] == SUP_NONE || e->faces[1] == SUP_NONE) return 0;
    sup_vec3        n = face_normal(w, e->faces[0]), m = face_normal(w, e->faces[1]);
    const uint32_t* c = w->mesh->triangles + 3 * (size_t)e->faces[1];
    uint32_t        far = c[0] != e->a && c[0] != e->b ? c[0] : c[1] != e->a && c[1] != e->b ? c[1] : c[2];
    if (v3_dot(v3_sub(w->mesh->points[far], w->mesh->points[e->a]), n) <= 0) return 0;
    return sup_acos((double)v3_dot(n, m));
}

/// Likelihood of every step: the shorter the edge and the less hollow the surface around it.
static bool weigh_edges(walker* w)
{
    const sup_topology* t = &w->t;
    uint32_t            n = w->mesh->point_count;
    double *            fold = SUP_NEW(w->arena, double, n), mean = 0;
    uint32_t*           count = SUP_NEW(w->arena, uint32_t, n);
    if (!fold || !count) return false;
    for (uint32_t e = 0; e < t->edge_count; ++e) {
        double h = hollow_of(w, &t->edges[e]);
        fold[t->edges[e].a] += h, fold[t->edges[e].b] += h;
        ++count[t->edges[e].a], ++count[t->edges[e].b];
    }
    for (uint32_t p = 0; p < n; ++p)
        for (uint32_t k = t->ring_begin[p]; k < t->ring_begin[p + 1]; ++k) {
            w->length[k] = v3_distance(w->mesh->points[p], w->mesh->points[t->ring[k]]);
            mean += (double)w->length[k];
        }
    mean /= t->ring_begin[n] ? t->ring_begin[n] : 1;
    w->edge = mean;
    for (uint32_t p = 0; p < n; ++p)
        for (uint32_t k = t->ring_begin[p]; k < t->ring_begin[p + 1]; ++k) {
            uint32_t q = t->ring[k];
            double   h = 0.5 * (fold[p] / (count[p] ? count[p] : 1) + fold[q] / (count[q] ? count[q] : 1));
            w->weight[k] = sup_exp(-HOLLOW * 4 * h) / fmax((double)w->length[k] / (mean > 0 ? mean : 1), 0.05);
        }
    return true;
}

// ---------------------------------------------------------------------------------------------- seeds

/// The point with the least sum of distances to a few that lie far apart.
static uint32_t find_middle(walker* w, uint32_t piece, uint32_t any, float* d, double* sum)
{
    enum { SAMPLES = 8 };
    uint32_t n = w->mesh->point_count, at = any;
    for (uint32_t i = 0; i < n; ++i) sum[i] = 0, w->nearest[i] = 3e38f;
    for (int s = 0; s <= SAMPLES; ++s) {
        distances(w, at, d);
        for (uint32_t i = 0; i < n; ++i) {
            if (w->piece[i] != piece) continue;
            if (s > 0) sum[i] += (double)d[i]; // the first is anywhere
            if (s > 0 && d[i] < w->nearest[i]) w->nearest[i] = d[i];
        }
        at = farthest(w, piece, s == 0 ? d : w->nearest);
    }
    uint32_t best = any;
    for (uint32_t i = 0; i < n; ++i)
        if (w->piece[i] == piece && sum[i] < sum[best]) best = i;
    return best;
}

static bool is_top(const walker* w, uint32_t piece, uint32_t p, const float* d, double reach)
{
    for (uint32_t i = 0; i < w->mesh->point_count; ++i)
        if (w->piece[i] == piece && (double)d[i] < reach && w->from_middle[i] > w->from_middle[p]) return false;
    return true;
}

static void find_tips(walker* w, uint32_t piece, uint32_t middle, float* d)
{
    uint32_t n = w->mesh->point_count;
    w->tip_count = 0;
    distances(w, middle, w->from_middle);
    memcpy(w->nearest, w->from_middle, n * sizeof *d);
    double whole = (double)w->from_middle[farthest(w, piece, w->from_middle)];
    for (int tries = 0; tries < TRIES_MAX && w->tip_count < TIPS_MAX; ++tries) {
        uint32_t p = farthest(w, piece, w->nearest);
        if (!((double)w->nearest[p] > TIP_APART * whole)) break;
        distances(w, p, d);
        bool top = is_top(w, piece, p, d, TIP_REACH * whole);
        for (uint32_t i = 0; i < n; ++i)
            if (w->piece[i] == piece && d[i] < w->nearest[i]) w->nearest[i] = d[i];
        if (!top) continue;
        memcpy(w->tip_distance[w->tip_count], d, n * sizeof *d);
        w->tips[w->tip_count++] = p;
    }
}

enum { BANDS = 32, BANDS_LEAST = 5 };

/// How far from its tip a limb goes: bands of equal distance from the tip go around the limb, so that their area is its girth,
/// which grows at once where the limb meets the body. The last such place counts: a finger meets the hand before the arm ends.
static double limb_length(const walker* w, uint32_t piece, uint32_t tip)
{
    const float* d = w->tip_distance[tip];
    double       way = (double)d[farthest(w, piece, d)], girth[BANDS + 1] = { 0 };
    for (uint32_t j = 0; j < w->tip_count; ++j)
        if (j != tip) way = fmin(way, (double)d[w->tips[j]]);
    double   limit = LIMB_MOST * way, length = HALF_WAY * way;
    uint32_t bands = (uint32_t)fmin(BANDS, limit / fmax(1.5 * w->edge, 1e-30));
    if (bands < BANDS_LEAST) return length;
    for (uint32_t p = 0; p < w->mesh->point_count; ++p)
        if (w->piece[p] == piece && (double)d[p] < limit) girth[(uint32_t)((double)d[p] / limit * bands)] += w->area[p];
    double sum = girth[1] + girth[2]; // the tip itself is round
    bool   wide = true;
    for (uint32_t i = 3; i < bands; ++i) {
        double mean = sum / (i - 1), now = i + 1 < bands ? 0.5 * (girth[i] + girth[i + 1]) : girth[i];
        if (now > GIRTH_GROWTH * mean && !wide && i >= BANDS_LEAST) length = limit * i / bands;
        wide = now > GIRTH_GROWTH * mean;
        sum += girth[i];
    }
    return length;
}

/// Which seed a point belongs to: a tip's number, tip_count for the body, SUP_NONE for neither.
static void plant(const walker* w, uint32_t piece, uint32_t* seed)
{
    double length[TIPS_MAX];
    for (uint32_t i = 0; i < w->tip_count; ++i) length[i] = limb_length(w, piece, i);
    for (uint32_t p = 0; p < w->mesh->point_count; ++p) {
        double least = HUGE_VAL;
        seed[p] = SUP_NONE;
        if (w->piece[p] != piece) continue;
        for (uint32_t i = 0; i < w->tip_count; ++i) {
            double ratio = (double)w->tip_distance[i][p] / length[i];
            if (ratio < least && ratio < LIMB_SEED) seed[p] = i;
            least = fmin(least, ratio);
        }
        if (least > BODY_SEED) seed[p] = w->tip_count;
    }
}

// ---------------------------------------------------------------------------------------------- walks

typedef struct system {
    double *x, *r, *z, *s, *as, *diagonal;
} system;

static void apply(const walker* w, const uint32_t* open, uint32_t count, const uint32_t* seed, const double* diagonal,
                  const double* x, double* out)
{
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t p = open[i];
        double   sum = diagonal[p] * x[p];
        for (uint32_t k = w->t.ring_begin[p]; k < w->t.ring_begin[p + 1]; ++k)
            if (seed[w->t.ring[k]] == SUP_NONE) sum -= w->weight[k] * x[w->t.ring[k]];
        out[p] = sum;
    }
}

/// How likely every open point's walker meets the seed `label` first: conjugate gradients, scaled by the diagonal.
static void walk(const walker* w, const uint32_t* open, uint32_t count, const uint32_t* seed, uint32_t label, const system* y)
{
    double rz = 0, begun;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t p = open[i];
        y->x[p] = y->r[p] = 0;
        for (uint32_t k = w->t.ring_begin[p]; k < w->t.ring_begin[p + 1]; ++k)
            if (seed[w->t.ring[k]] == label) y->r[p] += w->weight[k];
        y->s[p] = y->z[p] = y->r[p] / y->diagonal[p];
        rz += y->r[p] * y->z[p];
    }
    begun = rz;
    for (int round = 0; round < WALK_ROUNDS && rz > WALK_LEAST * WALK_LEAST * begun && rz > 0; ++round) {
        double dot = 0, next = 0;
        apply(w, open, count, seed, y->diagonal, y->s, y->as);
        for (uint32_t i = 0; i < count; ++i) dot += y->s[open[i]] * y->as[open[i]];
        if (!(dot > 0)) break;
        double alpha = rz / dot;
        for (uint32_t i = 0; i < count; ++i) {
            uint32_t p = open[i];
            y->x[p] += alpha * y->s[p], y->r[p] -= alpha * y->as[p];
            y->z[p] = y->r[p] / y->diagonal[p];
            next += y->r[p] * y->z[p];
        }
        for (uint32_t i = 0; i < count; ++i) y->s[open[i]] = y->z[open[i]] + next / rz * y->s[open[i]];
        rz = next;
    }
}

static bool label_piece(walker* w, uint32_t piece, uint32_t first)
{
    uint32_t  n = w->mesh->point_count, count = 0;
    uint32_t *seed = SUP_NEW(w->arena, uint32_t, n), *open = SUP_NEW(w->arena, uint32_t, n);
    double *  best = SUP_NEW(w->arena, double, n), *block = SUP_NEW(w->arena, double, 6 * (size_t)n);
    if (!seed || !open || !best || !block) return false;
    system y = { block, block + n, block + 2 * (size_t)n, block + 3 * (size_t)n, block + 4 * (size_t)n, block + 5 * (size_t)n };
    plant(w, piece, seed);
    for (uint32_t p = 0; p < n; ++p) {
        if (w->piece[p] != piece) continue;
        w->labels[p] = first + (seed[p] == SUP_NONE ? w->tip_count : seed[p]);
        if (seed[p] != SUP_NONE) continue;
        open[count++] = p;
        for (uint32_t k = w->t.ring_begin[p]; k < w->t.ring_begin[p + 1]; ++k) y.diagonal[p] += w->weight[k];
    }
    for (uint32_t label = 0; label <= w->tip_count; ++label) {
        walk(w, open, count, seed, label, &y);
        for (uint32_t i = 0; i < count; ++i)
            if (y.x[open[i]] > best[open[i]]) best[open[i]] = y.x[open[i]], w->labels[open[i]] = first + label;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- center lines

/// Share of the surface that every point stands for.
static void weigh_points(const walker* w, double* area)
{
    for (uint32_t t = 0; t < w->mesh->triangle_count; ++t) {
        const uint32_t* c = w->mesh->triangles + 3 * (size_t)t;
        const sup_vec3* p = w->mesh->points;
        sup_vec3        n = v3_cross(v3_sub(p[c[1]], p[c[0]]), v3_sub(p[c[2]], p[c[0]]));
        for (int k = 0; k < 3; ++k) area[c[k]] += (double)v3_length(n) / 6;
    }
}

/// Through the centers of the bands of equal distance from the tip.
static bool draw_line(walker* w, uint32_t tip, uint32_t label, sup_arena* arena, sup_curve_line* out)
{
    double    sum[STATIONS][4] = { { 0 } }, whole = 0;
    sup_vec3* stations = SUP_NEW(arena, sup_vec3, STATIONS + 1);
    if (!stations) return false;
    const float* d = w->tip_distance[tip];
    for (uint32_t p = 0; p < w->mesh->point_count; ++p)
        if (w->labels[p] == label && d[p] < 3e38f) whole = fmax(whole, (double)d[p]);
    if (!(whole > 0)) return true;
    for (uint32_t p = 0; p < w->mesh->point_count; ++p) {
        if (w->labels[p] != label || !(d[p] < 3e38f)) continue;
        uint32_t band = (uint32_t)(sup_clampf((float)((double)d[p] / whole), 0, 0.9999f) * STATIONS);
        sup_vec3 at = w->mesh->points[p];
        sum[band][0] += w->area[p] * at.x, sum[band][1] += w->area[p] * at.y, sum[band][2] += w->area[p] * at.z;
        sum[band][3] += w->area[p];
    }
    uint32_t n = 0;
    stations[n++] = w->mesh->points[w->tips[tip]];
    for (int i = 0; i < STATIONS; ++i)
        if (sum[i][3] > 0)
            stations[n++] = v3((float)(sum[i][0] / sum[i][3]), (float)(sum[i][1] / sum[i][3]), (float)(sum[i][2] / sum[i][3]));
    *out = (sup_curve_line){ .count = n, .centers = stations };
    return true;
}

// ---------------------------------------------------------------------------------------------- all of it

static bool prepare(walker* w, sup_arena* arena, sup_error* error)
{
    uint32_t     n = w->mesh->point_count;
    uint32_t*    begin = SUP_NEW(w->arena, uint32_t, (size_t)w->mesh->triangle_count + 1);
    sup_polygons polygons = { n, w->mesh->triangle_count, begin, w->mesh->triangles };
    if (!begin) return false;
    for (uint32_t t = 0; t <= w->mesh->triangle_count; ++t) begin[t] = 3 * t;
    if (sup_topology_create(&polygons, w->arena, &w->t, error)) return false;
    w->labels = SUP_NEW(arena, uint32_t, n);
    w->piece = w->t.components, w->heap = SUP_NEW(w->arena, uint32_t, (size_t)n + 1);
    w->place = SUP_NEW(w->arena, uint32_t, n), w->from_middle = SUP_NEW(w->arena, float, n);
    w->nearest = SUP_NEW(w->arena, float, n);
    w->length = SUP_NEW(w->arena, float, w->t.ring_begin[n]), w->weight = SUP_NEW(w->arena, double, w->t.ring_begin[n]);
    bool made = w->labels && w->heap && w->place && w->from_middle && w->nearest && w->length && w->weight;
    for (uint32_t i = 0; i < TIPS_MAX && made; ++i) made = (w->tip_distance[i] = SUP_NEW(w->arena, float, n)) != NULL;
    for (uint32_t p = 0; made && p < n; ++p) w->labels[p] = SUP_NONE;
    return made && weigh_edges(w);
}

/// The parts of one piece, whose first point is `any`.
static bool part_piece(walker* w, uint32_t piece, uint32_t any, uint32_t size, sup_arena* arena, sup_parts* out,
                       sup_curve_line* lines)
{
    uint32_t n = w->mesh->point_count, first = out->part_count;
    float*   d = SUP_NEW(w->arena, float, n);
    double*  sum = SUP_NEW(w->arena, double, n);
    if (!d || !sum) return false;
    w->tip_count = 0;
    if (size >= PIECE_LEAST) find_tips(w, piece, find_middle(w, piece, any, d, sum), d);
    out->tip_count += w->tip_count;
    if (w->tip_count < 2) {
        for (uint32_t i = any; i < n; ++i)
            if (w->piece[i] == piece) w->labels[i] = first;
        ++out->part_count;
        return true;
    }
    out->part_count += w->tip_count + 1;
    bool good = label_piece(w, piece, first);
    for (uint32_t i = 0; good && i < w->tip_count; ++i) good = draw_line(w, i, first + i, arena, &lines[first + i]);
    return good;
}

sup_result sup_parts_walk(const sup_curve_mesh* mesh, sup_arena* arena, sup_parts* out, sup_error* error)
{
    uint32_t  n = mesh->point_count;
    walker    w = { .mesh = mesh, .arena = sup_arena_beside(arena) };
    sup_parts made = { 0 };
    for (uint32_t p = 0; p < n; ++p)
        if (!v3_finite(mesh->points[p])) {
            sup_arena_destroy(w.arena);
            return sup_fail(error, SUP_ERROR_INPUT, "parts: point %u of the mesh is not finite; repair the file", p);
        }
    bool            good = w.arena && prepare(&w, arena, error);
    uint32_t*       size = good ? SUP_NEW(w.arena, uint32_t, (size_t)w.t.component_count + 1) : NULL;
    double*         area = good ? SUP_NEW(w.arena, double, n) : NULL;
    sup_curve_line* lines = good ? SUP_NEW(arena, sup_curve_line, (size_t)w.t.component_count * (TIPS_MAX + 1)) : NULL;
    good = size && area && lines;
    if (good) weigh_points(&w, area);
    w.area = area;
    for (uint32_t p = 0; good && p < n; ++p)
        if (w.piece[p] != SUP_NONE) ++size[w.piece[p]];
    for (uint32_t p = 0, next = 0; good && p < n && next < w.t.component_count; ++p) {
        if (w.piece[p] != next) continue; // the first point of each piece, in order
        good = part_piece(&w, next, p, size[next], arena, &made, lines);
        ++next;
    }
    made.piece_count = w.t.component_count;
    made.labels = w.labels;
    made.lines = lines;
    sup_arena_destroy(w.arena);
    if (good) *out = made;
    return good ? SUP_OK : sup_fail_memory(error, "parts");
}

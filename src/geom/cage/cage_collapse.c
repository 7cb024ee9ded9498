// From the fine surface to few, even triangles: edge collapses, first those of edges that are short for their place and whose
// loss changes the shape least (Garland and Heckbert 1997). An edit that would make the surface nonmanifold, flip a triangle,
// or pass through another part is refused.
#include "base/heap.h"
#include "base/internal.h"
#include "geom/cage/cage_web.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

// Target edge length: half the thickness of the flesh, within these factors of the uniform length.
#define SIZE_THICKNESS 0.5f
#define SIZE_LEAST 0.4f
#define SIZE_MOST 1.6f
#define SIZE_JOINT 0.55f // factor where joints blend
// Cost of moving one edge length off the surface, relative to the cost of an edge at its target length.
#define SHAPE_COST 100.0
#define TURN_LEAST 0.3f     // least cosine of the angle by which one edit may turn a triangle
#define QUALITY_LEAST 0.25f // or no worse than before
// A point this many cells away from all other parts is roomy; triangles between such points, of up to this many cells, are not
// tested against other parts. If they meet all the same, everything is repeated with all tests.
#define ROOM 5.0f
#define ROOMY_REACH 3.5f
enum { THICKNESS_CELLS = 64, SIZE_PASSES = 12, RING_MOST = 10, REPORT_EVERY = 4096 };

static sup_result no_memory(sup_error* error) { return sup_fail_memory(error, "a cage"); }

// ---------------------------------------------------------------------------------------------- sizes

static uint32_t node_of(const cage_grid* g, sup_vec3 p)
{
    const float* v = &p.x;
    uint32_t     node = 0;
    for (int a = 0; a < 3; ++a) {
        float i = floorf(v[a] + 0.5f);
        node += (i < 0 ? 0 : i > (float)(g->size[a] - 1) ? g->size[a] - 1 : (uint32_t)i) * g->step[a];
    }
    return node;
}

// Cells from the surface straight on to where the flesh ends, or begins again.
static float measure(const cage_maker* m, sup_vec3 p, sup_vec3 direction, uint8_t solid, float most)
{
    float at = 1;
    while (at < most && m->solid[node_of(&m->grid, v3_mad(p, at, direction))] == solid) ++at;
    return at;
}

// 0 where one joint has all the weight of a place, 1 where two share it.
static float blended(const cage_maker* m, uint32_t node)
{
    const sup_cage_desc* d = m->desc;
    uint32_t             sample = m->nearest[node];
    if (!d->weight_begin || sample == SUP_NONE) return 0;
    const uint32_t* c = m->triangles + 3 * (size_t)m->samples[sample].triangle;
    float           most = 0;
    for (uint32_t i = d->weight_begin[c[0]]; i < d->weight_begin[c[0] + 1]; ++i) most = fmaxf(most, d->weight_values[i]);
    return sup_clampf(2 * (1 - most), 0, 1);
}

static sup_result find_sizes(cage_maker* m, cage_surface* s, sup_error* error)
{
    sup_vec3* normals = SUP_NEW(m->scratch, sup_vec3, s->point_count);
    float *   sums = SUP_NEW(m->scratch, float, s->point_count), *fans = SUP_NEW(m->scratch, float, s->point_count);
    s->sizes = SUP_NEW(m->scratch, float, s->point_count);
    s->roomy = SUP_NEW(m->scratch, bool, s->point_count);
    if (!normals || !sums || !fans || !s->sizes || !s->roomy) return no_memory(error);
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t* c = s->triangles + 3 * (size_t)t;
        sup_vec3        n = v3_cross(v3_sub(s->points[c[1]], s->points[c[0]]), v3_sub(s->points[c[2]], s->points[c[0]]));
        for (int k = 0; k < 3; ++k) normals[c[k]] = v3_add(normals[c[k]], n), fans[c[k]] += 1;
    }
    for (uint32_t p = 0; p < s->point_count; ++p) {
        sup_vec3 inwards = v3_scale(v3_normalize(normals[p], v3(0, 0, 0)), -1);
        float    edge = (float)m->edge, thickness = measure(m, s->points[p], inwards, 1, THICKNESS_CELLS);
        float    size = SIZE_THICKNESS * thickness;
        s->roomy[p] = thickness > ROOM && measure(m, s->points[p], v3_scale(inwards, -1), 0, ROOM + 1) > ROOM;
        s->sizes[p] = sup_clampf(size, SIZE_LEAST * edge, SIZE_MOST * edge) *
                      (1 - (1 - SIZE_JOINT) * blended(m, node_of(&m->grid, s->points[p])));
    }
    for (int pass = 0; pass < SIZE_PASSES; ++pass) {
        memset(sums, 0, s->point_count * sizeof *sums);
        for (uint32_t t = 0; t < s->triangle_count; ++t) {
            const uint32_t* c = s->triangles + 3 * (size_t)t;
            float           sum = s->sizes[c[0]] + s->sizes[c[1]] + s->sizes[c[2]];
            for (int k = 0; k < 3; ++k) sums[c[k]] += sum;
        }
        for (uint32_t p = 0; p < s->point_count; ++p) s->sizes[p] = sums[p] / (3 * fans[p]);
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- quadrics

// xx xy xz yy yz zz, x y z, 1: the sum of area x squared distance to planes (a quadric).
static void add_plane(double q[10], sup_vec3 normal, sup_vec3 at)
{
    double length = sqrt((double)v3_length2(normal));
    if (!(length > 0)) return;
    double x = (double)normal.x / length, y = (double)normal.y / length, z = (double)normal.z / length, w = length / 6;
    double d = -(x * (double)at.x + y * (double)at.y + z * (double)at.z);
    q[0] += w * x * x, q[1] += w * x * y, q[2] += w * x * z, q[3] += w * y * y, q[4] += w * y * z, q[5] += w * z * z;
    q[6] += w * x * d, q[7] += w * y * d, q[8] += w * z * d, q[9] += w * d * d;
}

static double quadric_at(const double q[10], sup_vec3 p)
{
    double x = (double)p.x, y = (double)p.y, z = (double)p.z;
    return q[0] * x * x + 2 * q[1] * x * y + 2 * q[2] * x * z + q[3] * y * y + 2 * q[4] * y * z + q[5] * z * z +
           2 * (q[6] * x + q[7] * y + q[8] * z) + q[9];
}

// The minimum of the quadric on the line through p along n.
static sup_vec3 quadric_along(const double q[10], sup_vec3 p, sup_vec3 n, float most)
{
    double x = (double)n.x, y = (double)n.y, z = (double)n.z, px = (double)p.x, py = (double)p.y, pz = (double)p.z;
    double ax = q[0] * x + q[1] * y + q[2] * z, ay = q[1] * x + q[3] * y + q[4] * z, az = q[2] * x + q[4] * y + q[5] * z;
    double below = ax * x + ay * y + az * z, above = ax * px + ay * py + az * pz + q[6] * x + q[7] * y + q[8] * z;
    if (!(below > 0)) return p;
    return v3_mad(p, sup_clampf((float)(-above / below), -most, most), n);
}

// ---------------------------------------------------------------------------------------------- candidates

typedef struct candidate {
    uint32_t a, b, version; // the sum of both points' versions, which only grow
} candidate;

typedef struct collapser {
    cage_maker* m;
    cage_web    web;
    double (*quadrics)[10];
    uint32_t*  versions;
    candidate* candidates;
    uint32_t   count, capacity;
    sup_heap   heap;
    uint32_t   points; // left so far
} collapser;

static sup_vec3 point_normal(const collapser* c, uint32_t point)
{
    sup_vec3 sum = v3(0, 0, 0);
    for (uint32_t i = c->web.head[point]; i != SUP_NONE; i = c->web.next[i]) {
        const uint32_t* t = c->web.s->triangles + 3 * (size_t)(i / 3);
        const sup_vec3* p = c->web.s->points;
        sum = v3_add(sum, v3_cross(v3_sub(p[t[1]], p[t[0]]), v3_sub(p[t[2]], p[t[0]])));
    }
    return sum;
}

static sup_vec3 place_of(const collapser* c, uint32_t a, uint32_t b, double q[10])
{
    const sup_vec3* p = c->web.s->points;
    for (int k = 0; k < 10; ++k) q[k] = c->quadrics[a][k] + c->quadrics[b][k];
    sup_vec3 n = v3_normalize(v3_add(point_normal(c, a), point_normal(c, b)), v3(0, 0, 0));
    return quadric_along(q, v3_lerp(p[a], p[b], 0.5f), n, 0.5f * v3_distance(p[a], p[b]));
}

static void offer(collapser* c, uint32_t a, uint32_t b)
{
    if (c->count == c->capacity) return;
    double   q[10];
    sup_vec3 x = place_of(c, a, b, q);
    double   size = 0.5 * ((double)c->web.s->sizes[a] + (double)c->web.s->sizes[b]);
    double   length = (double)v3_length2(v3_sub(c->web.s->points[a], c->web.s->points[b]));
    double   area = q[0] + q[3] + q[5]; // normals have unit length, so this is the sum of the areas
    double   error = area > 0 ? fmax(quadric_at(q, x), 0) / area : 0;
    float    cost = (float)((length + SHAPE_COST * error) / (size * size));
    uint32_t bits;
    if (!(cost >= 0) || !isfinite(cost)) return;
    memcpy(&bits, &cost, sizeof bits);
    c->candidates[c->count] = (candidate){ a, b, c->versions[a] + c->versions[b] };
    sup_heap_push(&c->heap, (uint64_t)bits << 32 | c->count++);
}

// ---------------------------------------------------------------------------------------------- collapsing

typedef struct collapse {
    cage_fan fans[2], both;
    uint32_t rings[2][2 * CAGE_FAN], ring_counts[2], shared;
} collapse;

static bool has(const uint32_t* list, uint32_t count, uint32_t item)
{
    for (uint32_t i = 0; i < count; ++i)
        if (list[i] == item) return true;
    return false;
}

// Exactly two points are neighbors of both ends, across the two triangles of the edge: then the result stays manifold.
static bool stays_manifold(const collapser* c, uint32_t a, uint32_t b, collapse* x)
{
    const cage_web* w = &c->web;
    if (!cage_web_fan(w, a, &x->fans[0]) || !cage_web_fan(w, b, &x->fans[1])) return false;
    x->ring_counts[0] = cage_web_ring(w, &x->fans[0], a, x->rings[0]);
    x->ring_counts[1] = cage_web_ring(w, &x->fans[1], b, x->rings[1]);
    uint32_t common = 0;
    for (uint32_t i = 0; i < x->ring_counts[0]; ++i) {
        if (!has(x->rings[1], x->ring_counts[1], x->rings[0][i])) continue;
        if (cage_web_valence(w, x->rings[0][i]) <= 3) return false;
        ++common;
    }
    x->both = x->fans[0];
    x->shared = 0;
    for (uint32_t i = 0; i < x->fans[1].count; ++i) {
        if (has(x->fans[0].triangles, x->fans[0].count, x->fans[1].triangles[i])) ++x->shared;
        else x->both.triangles[x->both.count++] = x->fans[1].triangles[i];
    }
    return common == 2 && x->shared == 2 && x->ring_counts[0] + x->ring_counts[1] <= RING_MOST + 4;
}

// The triangles after the collapse, unless one flips or becomes a needle.
static uint32_t fan_after(const collapser* c, uint32_t a, uint32_t b, const collapse* x, sup_vec3 place, sup_vec3 (*out)[3])
{
    const cage_surface* s = c->web.s;
    float               worst = 1;
    uint32_t            n = 0;
    for (uint32_t i = 0; i < x->both.count; ++i) {
        const uint32_t* t = s->triangles + 3 * (size_t)x->both.triangles[i];
        sup_vec3        old[3] = { s->points[t[0]], s->points[t[1]], s->points[t[2]] }, normal;
        worst = fminf(worst, cage_quality(old, &normal));
    }
    for (uint32_t i = 0; i < x->both.count; ++i) {
        const uint32_t* t = s->triangles + 3 * (size_t)x->both.triangles[i];
        sup_vec3        old[3] = { s->points[t[0]], s->points[t[1]], s->points[t[2]] }, before, after;
        uint32_t        ends = 0;
        for (int k = 0; k < 3; ++k) {
            bool moves = t[k] == a || t[k] == b;
            ends += moves;
            out[n][k] = moves ? place : old[k];
        }
        if (ends == 2) continue;
        cage_quality(old, &before);
        float quality = cage_quality(out[n], &after);
        if (quality < QUALITY_LEAST && quality < 0.9f * worst) return 0;
        float lengths = v3_length(before) * v3_length(after);
        if (!(quality > 0) || v3_dot(before, after) < TURN_LEAST * lengths) return 0;
        ++n;
    }
    return n;
}

static void merge(collapser* c, uint32_t a, uint32_t b, const collapse* x, sup_vec3 place, const double q[10])
{
    cage_web*     w = &c->web;
    cage_surface* s = w->s;
    for (uint32_t i = 0; i < x->fans[1].count; ++i) {
        uint32_t  t = x->fans[1].triangles[i];
        uint32_t* corners = s->triangles + 3 * (size_t)t;
        bool      dies = corners[0] == a || corners[1] == a || corners[2] == a;
        for (uint32_t k = 0; k < 3; ++k) {
            if (dies) cage_web_unlink(w, corners[k], 3 * t + k);
            else if (corners[k] == b) {
                cage_web_unlink(w, b, 3 * t + k);
                corners[k] = a;
                cage_web_link(w, a, 3 * t + k);
            }
        }
        if (dies) corners[0] = SUP_NONE;
    }
    s->points[a] = place;
    s->sizes[a] = 0.5f * (s->sizes[a] + s->sizes[b]);
    s->roomy[a] = s->roomy[a] && s->roomy[b];
    memcpy(c->quadrics[a], q, sizeof c->quadrics[a]);
    ++c->versions[a];
    ++c->versions[b];
    for (uint32_t i = w->head[a]; i != SUP_NONE; i = w->next[i]) cage_web_moved(w, i / 3);
}

static bool free_of_others(const collapser* c, uint32_t a, uint32_t b, const collapse* x)
{
    const cage_surface* s = c->web.s;
    if (c->m->careful || !s->roomy[a] || !s->roomy[b] || !cage_web_workspace(&c->web, x->both.count)) return false;
    for (int k = 0; k < 2; ++k)
        for (uint32_t i = 0; i < x->ring_counts[k]; ++i)
            if (v3_length2(v3_sub(s->points[x->rings[k][i]], s->points[k ? b : a])) > ROOMY_REACH * ROOMY_REACH) return false;
    return true;
}

static bool try_collapse(collapser* c, uint32_t a, uint32_t b)
{
    collapse x;
    sup_vec3 after[2 * CAGE_FAN][3];
    double   q[10];
    if (!stays_manifold(c, a, b, &x)) return false;
    sup_vec3 place = place_of(c, a, b, q);
    uint32_t n = fan_after(c, a, b, &x, place, after);
    if (n == 0 || (!free_of_others(c, a, b, &x) && cage_web_blocked(&c->web, (const sup_vec3(*)[3])after, n, &x.both)))
        return false;
    merge(c, a, b, &x, place, q);
    cage_fan fan;
    uint32_t ring[2 * CAGE_FAN];
    if (cage_web_fan(&c->web, a, &fan)) {
        uint32_t count = cage_web_ring(&c->web, &fan, a, ring);
        for (uint32_t i = 0; i < count; ++i) offer(c, a, ring[i]);
    }
    return true;
}

static sup_result collapse_all(collapser* c, sup_error* error)
{
    uint32_t looked = 0, from = c->points;
    while (c->points > c->m->desc->target && c->heap.count) {
        const candidate* e = &c->candidates[(uint32_t)sup_heap_pop(&c->heap)];
        if (e->version != c->versions[e->a] + c->versions[e->b]) continue;
        if (c->web.head[e->a] == SUP_NONE || c->web.head[e->b] == SUP_NONE) continue;
        c->points -= try_collapse(c, e->a, e->b);
        if (++looked % REPORT_EVERY == 0 &&
            !sup_progress_report(c->m->desc->progress, 0.3 + 0.6 * (1 - (double)c->points / from), "cage"))
            return sup_fail(error, SUP_ERROR_CANCELLED, "cancelled while making a cage");
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- whole

static sup_result begin(collapser* c, cage_surface* s, sup_error* error)
{
    sup_arena* arena = c->m->scratch;
    sup_result r = cage_web_create(&c->m->grid, s, arena, &c->web, error);
    if (r) return r;
    c->points = s->point_count;
    // Every edge once, and for every collapse the edges of one point.
    c->capacity = 3 * s->triangle_count / 2 + (RING_MOST + 2) * s->point_count;
    c->quadrics = sup_arena_alloc(arena, s->point_count, sizeof *c->quadrics);
    c->versions = SUP_NEW(arena, uint32_t, s->point_count);
    c->candidates = SUP_NEW(arena, candidate, c->capacity);
    c->heap.items = SUP_NEW(arena, uint64_t, c->capacity);
    if (!c->quadrics || !c->versions || !c->candidates || !c->heap.items) return no_memory(error);
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t* k = s->triangles + 3 * (size_t)t;
        sup_vec3        normal = v3_cross(v3_sub(s->points[k[1]], s->points[k[0]]), v3_sub(s->points[k[2]], s->points[k[0]]));
        for (int i = 0; i < 3; ++i) add_plane(c->quadrics[k[i]], normal, s->points[k[0]]);
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t)
        for (int i = 0; i < 3; ++i) {
            uint32_t a = s->triangles[3 * (size_t)t + i], b = s->triangles[3 * (size_t)t + (i + 1) % 3];
            if (a < b) offer(c, a, b);
        }
    return SUP_OK;
}

// Renumbers what is left.
static sup_result pack(cage_maker* m, cage_surface* s, sup_error* error)
{
    uint32_t* to = SUP_NEW(m->scratch, uint32_t, s->point_count);
    if (!to) return no_memory(error);
    uint32_t points = 0, triangles = 0;
    for (uint32_t p = 0; p < s->point_count; ++p) to[p] = SUP_NONE;
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        uint32_t c[3];
        memcpy(c, s->triangles + 3 * (size_t)t, sizeof c);
        if (c[0] == SUP_NONE) continue;
        for (int k = 0; k < 3; ++k) to[c[k]] = 0, s->triangles[3 * (size_t)triangles + k] = c[k];
        ++triangles;
    }
    for (uint32_t p = 0; p < s->point_count; ++p) {
        if (to[p] == SUP_NONE) continue;
        s->points[points] = s->points[p];
        s->sizes[points] = s->sizes[p];
        to[p] = points++;
    }
    for (size_t i = 0; i < 3 * (size_t)triangles; ++i) s->triangles[i] = to[s->triangles[i]];
    s->point_count = points;
    s->triangle_count = triangles;
    return SUP_OK;
}

sup_result cage_collapse(cage_maker* m, cage_surface* s, sup_error* error)
{
    collapser  c = { .m = m };
    sup_result r = find_sizes(m, s, error);
    if (!r) r = begin(&c, s, error);
    if (!r) r = collapse_all(&c, error);
    if (r) return r;
    cage_relax(&c.web, (const double(*)[10])c.quadrics);
    return pack(m, s, error);
}

// Which cage points carry each point of a mesh.
#include "base/internal.h"
#include "base/sets.h"
#include "base/sort.h"
#include "geom/search/closest.h"
#include "math/vec.h"
#include "solve/particles/ride.h"

#include <math.h>

// In edges of the cage at the place nearest to a point: how far carriers may be from that place; the range over which a point
// fades to its own pose; the size up to which a piece has no tissue of its own, and that of a group of such pieces.
static const float reach_edges = 2.0f;
static const float fade_begin = 1.0f, fade_end = 3.0f;
static const float piece_edges = 2.0f, group_edges = 4.0f, touch_edges = 0.05f;
// The range of shared weight over which a point starts to follow the cage, and what a carrier that shares none counts.
static const float alike_begin = 0.3f, alike_end = 0.8f;
static const float stranger_share = 0.02f;
// The largest weight of a cage point: the range over which the mesh's own pose around it fades in.
static const float trust_none = 0.5f, trust_all = 0.9f;
// How far what rides on the cage may protrude, in edges: where the cage rounds its corners; and the most that a part that
// sticks out counts.
static const float rounding = 0.1f, over_most = 0.5f;
// The normal's share in the map around a cage point: as much as one of the two directions that its edges span. And the least
// determinant, relative to the cube of the sum of squared edges, at which they do span them.
static const double normal_share = 0.5, flat_most = 1e-6;
enum { RINGS = 3, NEAR_MOST = 128, GRAIN = 64 };

typedef struct binder {
    const sup_ride_desc* d;
    sup_bvh              bvh;
    sup_box*             nodes;
    sup_vec3*            normals;                // of cage points
    float*               edges;                  // mean edge at each
    uint32_t *           fan_begin, *fans;       // by the cage's own numbers
    sup_vec3 *           slopes, *heights;       // as in sup_ride, by the cage's own numbers
    uint32_t*            counts;                 // per point
    uint32_t*            carriers;               // SUP_RIDE_CARRIERS per point, by the cage's own numbers
    float *              shares, *alike, *local; // local: the edge length where the point is
    uint32_t*            feet;                   // per point: triangle of the cage nearest to it, a slot of the hierarchy
    float*               above;                  // per point: its height above that triangle
} binder;

static sup_result no_memory(sup_error* error) { return sup_fail_memory(error, "what rides on a cage"); }

// ---------------------------------------------------------------------------------------------- cage

static bool list_fans(binder* b, sup_arena* arena)
{
    const sup_cage* c = b->d->cage;
    b->fan_begin = SUP_NEW(arena, uint32_t, (size_t)c->point_count + 2);
    b->fans = SUP_NEW(arena, uint32_t, 6 * (size_t)c->triangle_count);
    b->normals = SUP_NEW(arena, sup_vec3, c->point_count);
    b->edges = SUP_NEW(arena, float, c->point_count);
    b->slopes = SUP_NEW(arena, sup_vec3, 3 * (size_t)c->triangle_count), b->heights = SUP_NEW(arena, sup_vec3, c->point_count);
    if (!b->fan_begin || !b->fans || !b->normals || !b->edges || !b->slopes || !b->heights) return false;
    for (size_t i = 0; i < 3 * (size_t)c->triangle_count; ++i) ++b->fan_begin[c->triangles[i] + 2];
    for (uint32_t p = 2; p < c->point_count + 2; ++p) b->fan_begin[p] += b->fan_begin[p - 1];
    for (uint32_t t = 0; t < c->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            uint32_t p = c->triangles[3 * (size_t)t + k], a = c->triangles[3 * (size_t)t + (k + 1) % 3],
                     z = c->triangles[3 * (size_t)t + (k + 2) % 3], at = b->fan_begin[p + 1]++;
            b->fans[2 * (size_t)at] = a;
            b->fans[2 * (size_t)at + 1] = z;
            b->normals[p] =
                v3_add(b->normals[p], v3_cross(v3_sub(c->points[a], c->points[p]), v3_sub(c->points[z], c->points[p])));
            b->edges[p] += v3_distance(c->points[a], c->points[p]);
        }
    for (uint32_t p = 0; p < c->point_count; ++p) {
        b->normals[p] = v3_normalize(b->normals[p], v3(0, 0, 0));
        b->edges[p] /= (float)(b->fan_begin[p + 1] - b->fan_begin[p]);
    }
    return true;
}

/// How the map around cage point k follows from its edges and its normal n: A = sum of (edge now) x slope + (n now) x height,
/// where slope = M^-1 edge, height = M^-1 n weight, M = sum of edge x edge + weight n x n. A point whose edges are all
/// collinear or have no length has no map and carries nothing: its height is 0.
static void make_map(binder* b, uint32_t k)
{
    const sup_vec3* rest = b->d->cage->points;
    double          m[3][3] = { { 0 } }, squares = 0;
    sup_vec3        normal = v3(0, 0, 0);
    for (uint32_t i = b->fan_begin[k]; i < b->fan_begin[k + 1]; ++i) {
        sup_vec3     e = v3_sub(rest[b->fans[2 * (size_t)i]], rest[k]);
        const float* x = &e.x;
        normal = v3_add(normal, v3_cross(e, v3_sub(rest[b->fans[2 * (size_t)i + 1]], rest[k])));
        for (int a = 0; a < 9; ++a) m[a / 3][a % 3] += (double)x[a / 3] * (double)x[a % 3];
        squares += (double)v3_length2(e);
    }
    normal = v3_normalize(normal, v3(0, 0, 0));
    double       weight = normal_share * squares, inverse[3][3];
    const float* n = &normal.x;
    for (int a = 0; a < 9; ++a) m[a / 3][a % 3] += weight * (double)n[a / 3] * (double)n[a % 3];
    for (int a = 0; a < 9; ++a) {
        int i = a / 3, j = a % 3, i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        inverse[j][i] = m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1];
    }
    double det = m[0][0] * inverse[0][0] + m[0][1] * inverse[1][0] + m[0][2] * inverse[2][0];
    if (!(det > flat_most * squares * squares * squares)) return;
    for (uint32_t i = b->fan_begin[k]; i <= b->fan_begin[k + 1]; ++i) {
        bool         edge = i < b->fan_begin[k + 1];
        sup_vec3     v = edge ? v3_sub(rest[b->fans[2 * (size_t)i]], rest[k]) : v3_scale(normal, (float)weight);
        const float* x = &v.x;
        float        out[3];
        for (int a = 0; a < 3; ++a)
            out[a] =
                (float)((inverse[a][0] * (double)x[0] + inverse[a][1] * (double)x[1] + inverse[a][2] * (double)x[2]) / det);
        *(edge ? &b->slopes[i] : &b->heights[k]) = v3(out[0], out[1], out[2]);
    }
}

// ---------------------------------------------------------------------------------------------- one point

typedef struct near {
    uint32_t count, items[NEAR_MOST];
    float    values[NEAR_MOST];
} near;

static void near_add(near* n, uint32_t item)
{
    for (uint32_t i = 0; i < n->count; ++i)
        if (n->items[i] == item) return;
    if (n->count < NEAR_MOST) n->items[n->count++] = item;
}

// The weight that a point and a cage point share, 0 to 1. A point without weights goes with everything.
static float common(const sup_ride_desc* d, uint32_t point, uint32_t carrier)
{
    const sup_cage* c = d->cage;
    float           sum = 0;
    if (!d->weight_begin || !c->weight_begin || d->weight_begin[point] == d->weight_begin[point + 1]) return 1;
    for (uint32_t i = d->weight_begin[point]; i < d->weight_begin[point + 1]; ++i)
        for (uint32_t k = c->weight_begin[carrier]; k < c->weight_begin[carrier + 1]; ++k)
            if (d->weight_joints[i] == c->weight_joints[k]) sum += fminf(d->weight_values[i], c->weight_values[k]);
    return sum;
}

// Wendland's function: smooth, and zero from 1 on.
static float kernel(float r)
{
    float a = 1 - r;
    return a > 0 ? a * a * a * a * (4 * r + 1) : 0;
}

// Keeps the largest, less the value of the largest one dropped: so none appears or vanishes abruptly.
static void keep_largest(near* n)
{
    for (uint32_t i = 0; i < n->count && i <= SUP_RIDE_CARRIERS; ++i) {
        uint32_t best = i;
        for (uint32_t k = i + 1; k < n->count; ++k)
            if (n->values[k] > n->values[best] || (n->values[k] == n->values[best] && n->items[k] < n->items[best])) best = k;
        uint32_t item = n->items[best];
        float    value = n->values[best];
        n->items[best] = n->items[i], n->values[best] = n->values[i];
        n->items[i] = item, n->values[i] = value;
    }
    if (n->count <= SUP_RIDE_CARRIERS) return;
    float less = n->values[SUP_RIDE_CARRIERS];
    n->count = SUP_RIDE_CARRIERS;
    for (uint32_t i = 0; i < n->count; ++i) n->values[i] = fmaxf(n->values[i] - less, 0);
}

static void find_near(const binder* b, const uint32_t corners[3], near* n)
{
    uint32_t from = 0;
    for (int k = 0; k < 3; ++k) near_add(n, corners[k]);
    for (int ring = 0; ring < RINGS; ++ring) {
        uint32_t to = n->count;
        for (uint32_t i = from; i < to; ++i)
            for (uint32_t f = b->fan_begin[n->items[i]]; f < b->fan_begin[n->items[i] + 1]; ++f)
                near_add(n, b->fans[2 * (size_t)f]);
        from = to;
    }
}

static void bind_point(const binder* b, uint32_t p)
{
    const sup_cage* c = b->d->cage;
    sup_vec3        x = b->d->points[p];
    sup_closest     place = sup_bvh_closest(&b->bvh, b->nodes, c->points, x);
    if (place.slot == SUP_NONE) return;
    const uint32_t* t = b->bvh.corners + 3 * (size_t)place.slot;
    near            n = { .count = 0 };
    sup_vec3        foot = v3(0, 0, 0), normal = v3(0, 0, 0);
    float           edge = 0, sum = 0, shared = 0;
    for (int k = 0; k < 3; ++k) {
        foot = v3_mad(foot, (float)place.b[k], c->points[t[k]]);
        normal = v3_mad(normal, (float)place.b[k], b->normals[t[k]]);
        edge += (float)place.b[k] * b->edges[t[k]];
    }
    find_near(b, t, &n);
    for (uint32_t i = 0; i < n.count; ++i) {
        uint32_t q = n.items[i];
        float    in_common = common(b->d, p, q), facing = sup_clampf(0.5f + v3_dot(normal, b->normals[q]), 0, 1);
        if (v3_length2(b->heights[q]) > 0)
            n.values[i] = kernel(v3_distance(c->points[q], foot) / (reach_edges * edge)) *
                          (in_common * in_common + stranger_share) * facing;
    }
    keep_largest(&n);
    for (uint32_t i = 0; i < n.count; ++i) sum += n.values[i], shared += n.values[i] * common(b->d, p, n.items[i]);
    float away = v3_distance(x, foot) / edge, reached = 1 - sup_smoothstep(fade_begin, fade_end, away);
    b->local[p] = edge;
    b->feet[p] = place.slot;
    b->above[p] = v3_dot(v3_sub(x, foot), v3_normalize(normal, v3(0, 0, 0)));
    if (!(sum > 0) || !(reached > 0)) return;
    b->alike[p] = sup_smoothstep(alike_begin, alike_end, shared / sum);
    for (uint32_t i = 0; i < n.count && n.values[i] > 0; ++i) {
        b->carriers[SUP_RIDE_CARRIERS * (size_t)p + i] = n.items[i];
        b->shares[SUP_RIDE_CARRIERS * (size_t)p + i] = reached * n.values[i] / sum;
        b->counts[p] = i + 1;
    }
}

static void bind_task(void* data, uint32_t begin, uint32_t end)
{
    for (uint32_t p = begin; p < end; ++p) bind_point(data, p);
}

// ---------------------------------------------------------------------------------------------- small pieces

typedef struct piece {
    sup_vec3 low, high;
    uint32_t points, label;
    float    edge; // smallest edge of the cage there
    bool     small;
} piece;

static uint32_t label_of(const sup_ride_desc* d, uint32_t p)
{
    uint32_t label = SUP_NONE;
    float    most = 0;
    for (uint32_t i = d->weight_begin ? d->weight_begin[p] : 0; d->weight_begin && i < d->weight_begin[p + 1]; ++i)
        if (d->weight_values[i] > most) most = d->weight_values[i], label = d->weight_joints[i];
    return label;
}

static void measure_pieces(const binder* b, uint32_t* up, piece* pieces)
{
    const sup_ride_desc* d = b->d;
    sup_sets_begin(up, d->point_count);
    for (size_t i = 0; i < 3 * (size_t)d->triangle_count; i += 3) {
        uint32_t a = sup_sets_find(up, d->triangles[i]);
        up[sup_sets_find(up, d->triangles[i + 1])] = a;
        up[sup_sets_find(up, d->triangles[i + 2])] = a;
    }
    for (uint32_t p = 0; p < d->point_count; ++p) {
        uint32_t r = sup_sets_find(up, p);
        piece*   q = &pieces[r];
        sup_vec3 x = d->points[p];
        if (q->points++ == 0) *q = (piece){ x, x, 1, label_of(d, p), b->local[p], false };
        q->low = v3_min(q->low, x);
        q->high = v3_max(q->high, x);
        q->edge = fminf(q->edge, b->local[p]);
    }
    for (uint32_t p = 0; p < d->point_count; ++p)
        pieces[p].small = pieces[p].points > 0 && v3_distance(pieces[p].low, pieces[p].high) < piece_edges * pieces[p].edge;
}

static bool touch(const piece* a, const piece* b, float slack)
{
    return a->low.x <= b->high.x + slack && b->low.x <= a->high.x + slack && a->low.y <= b->high.y + slack &&
           b->low.y <= a->high.y + slack && a->low.z <= b->high.z + slack && b->low.z <= a->high.z + slack;
}

// Merges small pieces whose boxes overlap, sweeping along x, as long as the result stays small. Each is compared with only the
// next few: chain mail has thousands, and there it does not matter which.
static sup_result join_pieces(const binder* b, uint32_t* up, piece* pieces, sup_arena* temporary, sup_error* error)
{
    enum { LOOKS = 64 };
    uint32_t       n = b->d->point_count, count = 0;
    sup_sort_item *items = SUP_NEW(temporary, sup_sort_item, n), *spare = SUP_NEW(temporary, sup_sort_item, n);
    if (!items || !spare) return no_memory(error);
    for (uint32_t p = 0; p < n; ++p)
        if (pieces[p].small) items[count++] = (sup_sort_item){ sup_sort_key(pieces[p].low.x), p };
    sup_sort(items, spare, count);
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = i + 1; k < count && k < i + LOOKS; ++k) {
            uint32_t r = sup_sets_find(up, items[i].value), s = sup_sets_find(up, items[k].value);
            piece *  one = &pieces[r], *other = &pieces[s];
            if (r == s || one->label != other->label || !touch(one, other, touch_edges * one->edge)) continue;
            sup_vec3 low = v3_min(one->low, other->low), high = v3_max(one->high, other->high);
            float    edge = fminf(one->edge, other->edge);
            if (v3_distance(low, high) > group_edges * edge) continue;
            up[s] = r;
            *one = (piece){ low, high, one->points + other->points, one->label, edge, true };
        }
    return SUP_OK;
}

// A group moves by the mean of its points' carriers.
static void even_group(binder* b, const uint32_t* points, uint32_t count)
{
    near     n = { .count = 0 };
    float    alike = 0, sum = 0, kept = 0;
    uint32_t stride = count / 64 + 1, taken = 0;
    for (uint32_t i = 0; i < count; i += stride, ++taken) {
        uint32_t p = points[i];
        alike += b->alike[p];
        for (uint32_t k = 0; k < b->counts[p]; ++k) {
            uint32_t q = b->carriers[SUP_RIDE_CARRIERS * (size_t)p + k], at = 0;
            near_add(&n, q);
            while (at < n.count && n.items[at] != q) ++at;
            if (at < n.count) n.values[at] += b->shares[SUP_RIDE_CARRIERS * (size_t)p + k];
            sum += b->shares[SUP_RIDE_CARRIERS * (size_t)p + k];
        }
    }
    keep_largest(&n);
    for (uint32_t i = 0; i < n.count; ++i) kept += n.values[i];
    float scale = kept > 0 ? sum / (float)taken / kept : 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t p = points[i];
        b->counts[p] = n.count;
        b->alike[p] = alike / (float)taken;
        for (uint32_t k = 0; k < n.count; ++k) {
            b->carriers[SUP_RIDE_CARRIERS * (size_t)p + k] = n.items[k];
            b->shares[SUP_RIDE_CARRIERS * (size_t)p + k] = scale * n.values[k];
        }
    }
}

static sup_result carry_pieces(binder* b, sup_arena* arena, sup_arena* temporary, sup_ride* out, sup_error* error)
{
    uint32_t       n = b->d->point_count, count = 0;
    uint32_t *     up = SUP_NEW(temporary, uint32_t, n), *members, *begin;
    piece*         pieces = SUP_NEW(temporary, piece, n);
    sup_sort_item *items = SUP_NEW(temporary, sup_sort_item, n), *spare = SUP_NEW(temporary, sup_sort_item, n);
    if (!up || !pieces || !items || !spare) return no_memory(error);
    measure_pieces(b, up, pieces);
    sup_result r = join_pieces(b, up, pieces, temporary, error);
    if (r) return r;
    for (uint32_t p = 0; p < n; ++p)
        if (pieces[sup_sets_find(up, p)].small) items[count++] = (sup_sort_item){ sup_sets_find(up, p), p };
    sup_sort(items, spare, count);
    members = SUP_NEW(arena, uint32_t, count), begin = SUP_NEW(arena, uint32_t, (size_t)count + 1);
    if (!members || !begin) return no_memory(error);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i; end < count && items[end].key == items[i].key; ++end) members[end] = items[end].value;
        even_group(b, members + i, end - i);
        begin[++out->groups] = end;
    }
    out->group_begin = begin, out->group_points = members;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- whole

static sup_result pack(const binder* b, sup_arena* arena, sup_ride* out, sup_error* error)
{
    const sup_ride_desc* d = b->d;
    uint32_t             n = d->point_count, cage = d->cage->point_count, total = 0;
    for (uint32_t p = 0; p < n; ++p) total += b->counts[p];
    uint32_t *begin = SUP_NEW(arena, uint32_t, (size_t)n + 1), *carriers = SUP_NEW(arena, uint32_t, total);
    float *   shares = SUP_NEW(arena, float, total), *alike = sup_arena_copy(arena, b->alike, n, sizeof *alike);
    uint32_t *fan_begin = SUP_NEW(arena, uint32_t, (size_t)cage + 1),
             *fans = SUP_NEW(arena, uint32_t, 6 * (size_t)d->cage->triangle_count);
    sup_vec3 *slopes = SUP_NEW(arena, sup_vec3, 3 * (size_t)d->cage->triangle_count), *heights = SUP_NEW(arena, sup_vec3, cage);
    sup_vec3* places = SUP_NEW(arena, sup_vec3, cage);
    uint32_t* own = SUP_NEW(arena, uint32_t, cage);
    if (!begin || !carriers || !shares || !alike || !fan_begin || !fans || !slopes || !heights || !places || !own)
        return no_memory(error);
    for (uint32_t p = 0; p < n; ++p) {
        float sum = 0;
        begin[p + 1] = begin[p] + b->counts[p];
        for (uint32_t i = 0; i < b->counts[p]; ++i) {
            carriers[begin[p] + i] = d->order[b->carriers[SUP_RIDE_CARRIERS * (size_t)p + i]];
            sum += shares[begin[p] + i] = b->shares[SUP_RIDE_CARRIERS * (size_t)p + i];
        }
        out->faded += sum < 0.5f;
    }
    for (uint32_t q = 0; q < cage; ++q) own[d->order[q]] = q;
    for (uint32_t k = 0; k < cage; ++k) {
        uint32_t from = b->fan_begin[own[k]], count = b->fan_begin[own[k] + 1] - from;
        fan_begin[k + 1] = fan_begin[k] + count;
        for (uint32_t i = 0; i < 2 * count; ++i) fans[2 * (size_t)fan_begin[k] + i] = d->order[b->fans[2 * (size_t)from + i]];
        for (uint32_t i = 0; i < count; ++i) slopes[fan_begin[k] + i] = b->slopes[from + i];
    }
    out->point_count = n;
    out->cage_count = cage;
    out->begin = begin, out->carriers = carriers, out->shares = shares, out->alike = alike;
    out->fan_begin = fan_begin, out->fans = fans;
    out->slopes = slopes, out->heights = heights, out->places = places;
    for (uint32_t k = 0; k < cage; ++k) places[k] = d->cage->points[own[k]], heights[k] = b->heights[own[k]];
    return SUP_OK;
}

/// Around each cage point: how far the mesh's own pose is trusted, and how far the mesh protrudes.
static sup_result judge(const binder* b, sup_arena* arena, sup_ride* out, sup_error* error)
{
    const sup_cage* c = b->d->cage;
    const uint32_t* order = b->d->order;
    float *         trusts = SUP_NEW(arena, float, c->point_count), *over = SUP_NEW(arena, float, c->point_count);
    if (!trusts || !over) return no_memory(error);
    for (uint32_t q = 0; q < c->point_count; ++q) {
        float most = c->weight_begin ? 0 : 1;
        for (uint32_t i = c->weight_begin ? c->weight_begin[q] : 0; c->weight_begin && i < c->weight_begin[q + 1]; ++i)
            most = fmaxf(most, c->weight_values[i]);
        trusts[order[q]] = sup_smoothstep(trust_none, trust_all, most);
    }
    for (uint32_t p = 0; p < b->d->point_count; ++p)
        for (int k = 0; k < 3 && b->counts[p] > 0; ++k) {
            float* o = &over[order[b->bvh.corners[3 * (size_t)b->feet[p] + k]]];
            *o = fmaxf(*o, fminf(b->above[p], over_most * b->local[p]));
        }
    for (uint32_t q = 0; q < c->point_count; ++q) over[order[q]] += rounding * b->edges[q];
    out->trusts = trusts, out->over = over;
    return SUP_OK;
}

static sup_result make(binder* b, sup_arena* arena, sup_arena* temporary, sup_ride* out, sup_error* error)
{
    const sup_cage* c = b->d->cage;
    size_t          n = b->d->point_count;
    sup_result      r = sup_bvh_create(c->points, c->triangles, c->triangle_count, temporary, &b->bvh, error);
    if (r) return r;
    b->nodes = SUP_NEW(temporary, sup_box, 2 * (size_t)b->bvh.leaf_count);
    sup_box* slots = SUP_NEW(temporary, sup_box, c->triangle_count);
    b->counts = SUP_NEW(temporary, uint32_t, n);
    b->carriers = SUP_NEW(temporary, uint32_t, SUP_RIDE_CARRIERS * n);
    b->shares = SUP_NEW(temporary, float, SUP_RIDE_CARRIERS* n);
    b->alike = SUP_NEW(temporary, float, n);
    b->local = SUP_NEW(temporary, float, n);
    b->feet = SUP_NEW(temporary, uint32_t, n), b->above = SUP_NEW(temporary, float, n);
    if (!b->nodes || !slots || !b->counts || !b->carriers || !b->shares || !b->alike || !b->local || !b->feet || !b->above ||
        !list_fans(b, temporary))
        return no_memory(error);
    for (uint32_t k = 0; k < c->point_count; ++k) make_map(b, k);
    sup_bvh_refit(&b->bvh, c->points, b->d->tasks, b->nodes, slots);
    sup_tasks_run(b->d->tasks, b->d->point_count, GRAIN, bind_task, b);
    r = judge(b, arena, out, error);
    if (!r) r = carry_pieces(b, arena, temporary, out, error);
    return r ? r : pack(b, arena, out, error);
}

sup_result sup_ride_create(const sup_ride_desc* desc, sup_arena* arena, sup_ride* out, sup_error* error)
{
    binder     b = { .d = desc };
    sup_arena* temporary = sup_arena_beside(arena);
    *out = (sup_ride){ 0 };
    sup_result r = temporary ? make(&b, arena, temporary, out, error) : no_memory(error);
    sup_arena_destroy(temporary);
    return r;
}

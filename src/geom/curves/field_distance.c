// Distances over a surface, and the guides of a coordinate from them: outward from a head or a wrist of every component.
#include "base/heap.h"
#include "base/internal.h"
#include "base/sets.h"
#include "geom/curves/field.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

#define FAR 3e38f
/// Tips are as far apart as possible. One is the end of a limb of its own if the paths from it to ends farther out lead inward
/// by this share of the whole.
enum { TIPS = 6 };
#define LIMB_LEAST 0.05f
/// The thickness of a tip is the area of the surface within this share of the whole from it. This recognizes a head by its
/// shoulders.
#define THICK_REACH 0.45f

typedef struct front {
    const sup_curve_mesh* mesh;
    const sup_topology*   t;
    uint64_t*             items; ///< of the heap
    uint8_t*              done;
} front;

static bool front_begin(const sup_curve_mesh* mesh, const sup_topology* t, sup_arena* arena, front* out)
{
    *out = (front){ mesh, t, SUP_NEW(arena, uint64_t, (size_t)mesh->point_count + 6 * (size_t)mesh->triangle_count + 1),
                    SUP_NEW(arena, uint8_t, mesh->point_count) };
    return out->items && out->done;
}

static uint64_t item_of(float d, uint32_t p)
{
    uint32_t bits;
    memcpy(&bits, &d, sizeof bits); // floats above 0 sort like their bits
    return (uint64_t)bits << 32 | p;
}

/// The time at which a straight front that passes a and b at these times reaches c; along an edge if it does not pass between
/// them.
static float arrival(const front* f, uint32_t c, uint32_t a, uint32_t b, const float* d)
{
    sup_vec3 o = f->mesh->points[c], u = v3_sub(f->mesh->points[a], o), v = v3_sub(f->mesh->points[b], o);
    double   aa = (double)v3_dot(u, u), bb = (double)v3_dot(v, v), ab = (double)v3_dot(u, v), det = aa * bb - ab * ab;
    double   ta = d[a], tb = d[b], edge = fmin(ta + sqrt(aa), tb + sqrt(bb));
    if (!(det > 1e-9 * aa * bb) || d[b] >= FAR || d[a] >= FAR) return (float)edge;
    // |n| = 1 for the slope n with u.n = ta - t, v.n = tb - t.
    double paa = bb / det, pbb = aa / det, pab = -ab / det;
    double one = paa + 2 * pab + pbb, mid = paa * ta + pab * (ta + tb) + pbb * tb;
    double square = paa * ta * ta + 2 * pab * ta * tb + pbb * tb * tb - 1, root = mid * mid - one * square;
    if (!(root >= 0) || !(one > 0)) return (float)edge;
    double t = (mid + sqrt(root)) / one, x = paa * (ta - t) + pab * (tb - t), y = pab * (ta - t) + pbb * (tb - t);
    return x < 0 && y < 0 && t < edge ? (float)t : (float)edge;
}

static void spread(front* f, float* d)
{
    const sup_topology* t = f->t;
    sup_heap            heap = { f->items, 0 };
    for (uint32_t p = 0; p < f->mesh->point_count; ++p) {
        f->done[p] = 0;
        if (d[p] == 0) sup_heap_push(&heap, item_of(0, p));
        else d[p] = FAR;
    }
    while (heap.count) {
        uint32_t p = (uint32_t)sup_heap_pop(&heap);
        if (f->done[p]) continue;
        f->done[p] = 1;
        for (uint32_t k = t->fan_begin[p]; k < t->fan_begin[p + 1]; ++k) {
            const uint32_t* c = f->mesh->triangles + 3 * (size_t)t->fan[k];
            uint32_t        i = c[0] == p ? 0 : c[1] == p ? 1 : 2;
            for (uint32_t s = 1; s < 3; ++s) {
                uint32_t q = c[(i + s) % 3], o = c[(i + 3 - s) % 3];
                if (f->done[q] || q == p) continue;
                float time = f->done[o] && o != p && o != q ? arrival(f, q, p, o, d)
                                                            : d[p] + v3_distance(f->mesh->points[p], f->mesh->points[q]);
                if (!(time < d[q])) continue;
                d[q] = time;
                sup_heap_push(&heap, item_of(time, q));
            }
        }
    }
}

sup_result sup_surface_distances(const sup_curve_mesh* mesh, const sup_topology* topology, sup_arena* arena, float* d,
                                 sup_error* error)
{
    sup_arena* work = sup_arena_beside(arena);
    front      f;
    bool       good = work && front_begin(mesh, topology, work, &f);
    if (good) spread(&f, d);
    sup_arena_destroy(work);
    return good ? SUP_OK : sup_fail_memory(error, "curves");
}

// ---------------------------------------------------------------------------------------------- where to begin

typedef struct tip_finder {
    front       f;
    const bool* wanted; ///< components, NULL: all
    uint32_t    components;
    float*      d[TIPS];   ///< from every tip
    uint32_t*   tip[TIPS]; ///< per component
    float*      nearest;   ///< per point: to the tips found
    float*      middle;    ///< per point: from the middle of its component
    float*      whole;     ///< per component: the largest distance from the middle
    uint32_t*   best;      ///< per component
    double*     area;      ///< per point
} tip_finder;

static uint32_t component_of(const tip_finder* f, uint32_t p)
{
    uint32_t c = f->f.t->components[p];
    return c == SUP_NONE || (f->wanted && !f->wanted[c]) ? SUP_NONE : c;
}

/// One point of each component: the one with the largest (or smallest) value.
static void pick(const tip_finder* f, const float* values, float sign, uint32_t* out)
{
    for (uint32_t c = 0; c < f->components; ++c) out[c] = SUP_NONE;
    for (uint32_t p = 0; p < f->f.mesh->point_count; ++p) {
        uint32_t c = component_of(f, p);
        if (c == SUP_NONE || values[p] >= FAR) continue;
        if (out[c] == SUP_NONE || sign * values[p] > sign * values[out[c]]) out[c] = p;
    }
}

static void spread_from(tip_finder* f, const uint32_t* points, float* d)
{
    for (uint32_t p = 0; p < f->f.mesh->point_count; ++p) d[p] = FAR;
    for (uint32_t c = 0; c < f->components; ++c)
        if (points[c] != SUP_NONE) d[points[c]] = 0;
    spread(&f->f, d);
}

/// Tips far apart: each is farthest from those before. The first search starts anywhere, and its tip is found again.
static void find_tips(tip_finder* f)
{
    uint32_t n = f->f.mesh->point_count;
    for (uint32_t p = 0; p < n; ++p) f->nearest[p] = -(float)p; // starts at the first point of each
    pick(f, f->nearest, 1, f->tip[0]);
    spread_from(f, f->tip[0], f->nearest);
    for (uint32_t i = 0; i < TIPS; ++i) {
        pick(f, f->nearest, 1, f->tip[i]);
        spread_from(f, f->tip[i], f->d[i]);
        for (uint32_t p = 0; p < n; ++p)
            if (i == 0 || f->d[i][p] < f->nearest[p]) f->nearest[p] = f->d[i][p];
    }
    for (uint32_t p = 0; p < n; ++p) { // the middle: the least sum of distances to the tips
        f->nearest[p] = 0;
        for (uint32_t i = 0; i < TIPS; ++i) f->nearest[p] += f->d[i][p] < FAR ? f->d[i][p] : 1e30f;
    }
    pick(f, f->nearest, -1, f->best);
    spread_from(f, f->best, f->middle);
    pick(f, f->middle, 1, f->best);
    for (uint32_t c = 0; c < f->components; ++c) f->whole[c] = f->best[c] == SUP_NONE ? 0 : f->middle[f->best[c]];
}

/// How straight the paths over the surface lead from a tip to the others, 0 to 1: from a head they do, from one foot to the
/// other they turn back.
static double straightness(const tip_finder* f, uint32_t component, uint32_t tip)
{
    double   sum = 0;
    uint32_t count = 0, from = f->tip[tip][component];
    for (uint32_t i = 0; i < TIPS; ++i) {
        uint32_t to = f->tip[i][component];
        if (i == tip || to == from || to == SUP_NONE || !(f->d[tip][to] > 0 && f->d[tip][to] < FAR)) continue;
        sum += (double)(v3_distance(f->f.mesh->points[from], f->f.mesh->points[to]) / f->d[tip][to]);
        ++count;
    }
    return count ? sum / count : 1;
}

/// Joins p to what is farther out around it. Where two limbs meet, the shorter one ends here: *inwards is how far its tip is
/// from there. `highest` is the farthest tip of every set.
static void join_limbs(const tip_finder* f, uint32_t p, uint32_t* sets, uint8_t* highest, float* inwards)
{
    const sup_topology* t = f->f.t;
    uint32_t            c = component_of(f, p);
    for (uint32_t k = t->fan_begin[p]; k < t->fan_begin[p + 1]; ++k)
        for (uint32_t s = 0; s < 3; ++s) {
            uint32_t q = f->f.mesh->triangles[3 * (size_t)t->fan[k] + s];
            if (!f->f.done[q]) continue;
            uint32_t a = sup_sets_find(sets, p), b = sup_sets_find(sets, q);
            if (a == b) continue;
            uint8_t more = highest[a], less = highest[b];
            if (more == TIPS || (less != TIPS && f->middle[f->tip[less][c]] > f->middle[f->tip[more][c]]))
                more = highest[b], less = highest[a];
            if (less != TIPS) inwards[TIPS * c + less] = f->middle[f->tip[less][c]] - f->middle[p];
            sup_sets_join(sets, a, b);
            highest[sup_sets_find(sets, a)] = more;
        }
}

/// How far every tip is from where its limb meets one that reaches farther from the middle: zero for a place on the back, or a
/// second tip of the same limb.
static bool measure_limbs(tip_finder* f, sup_arena* arena, float* inwards)
{
    uint32_t n = f->f.mesh->point_count, *sets = SUP_NEW(arena, uint32_t, n);
    uint8_t* highest = SUP_NEW(arena, uint8_t, n);
    sup_heap outermost = { f->f.items, 0 };
    float    most = 0;
    if (!sets || !highest) return false;
    sup_sets_begin(sets, n);
    memset(highest, TIPS, n);
    memset(f->f.done, 0, n);
    for (uint32_t c = 0; c < f->components; ++c) {
        most = fmaxf(most, f->whole[c]);
        for (uint32_t i = 0; i < TIPS; ++i) {
            uint32_t p = f->tip[i][c];
            if (p == SUP_NONE || highest[p] != TIPS) continue; // a piece with few points has one of them twice
            highest[p] = (uint8_t)i, inwards[TIPS * c + i] = f->whole[c];
        }
    }
    for (uint32_t p = 0; p < n; ++p)
        if (component_of(f, p) != SUP_NONE && f->middle[p] < FAR) sup_heap_push(&outermost, item_of(most - f->middle[p], p));
    while (outermost.count) {
        uint32_t p = (uint32_t)sup_heap_pop(&outermost);
        f->f.done[p] = 1;
        join_limbs(f, p, sets, highest, inwards);
    }
    return true;
}

/// The tip with the most surface near it, of those that end a limb and have straight paths to the others.
static bool choose_tips(tip_finder* f, sup_arena* arena)
{
    uint32_t n = f->f.mesh->point_count;
    double * thick = SUP_NEW(arena, double, (size_t)TIPS * f->components), *most = SUP_NEW(arena, double, f->components);
    float*   inwards = SUP_NEW(arena, float, (size_t)TIPS * f->components);
    if (!thick || !most || !inwards || !measure_limbs(f, arena, inwards)) return false;
    for (uint32_t p = 0; p < n; ++p) {
        uint32_t c = component_of(f, p);
        for (uint32_t i = 0; c != SUP_NONE && i < TIPS; ++i)
            if (f->d[i][p] < THICK_REACH * f->whole[c]) thick[TIPS * c + i] += f->area[p];
    }
    for (uint32_t c = 0; c < f->components; ++c)
        for (uint32_t i = 0; i < TIPS; ++i) {
            if (f->tip[i][c] == SUP_NONE || !(f->whole[c] > 0)) continue;
            double limb = fmin((double)(inwards[TIPS * c + i] / (LIMB_LEAST * f->whole[c])), 1);
            double good = thick[TIPS * c + i] * straightness(f, c, i) * limb;
            if (!(good > most[c])) continue;
            most[c] = good;
            f->best[c] = f->tip[i][c];
        }
    return true;
}

/// The gradient of d over a triangle; 0 if it has none.
static sup_vec3 slope_of(const sup_curve_mesh* mesh, const uint32_t* c, const float* d, float* area)
{
    sup_vec3 a = mesh->points[c[0]], u = v3_sub(mesh->points[c[1]], a), v = v3_sub(mesh->points[c[2]], a), n = v3_cross(u, v);
    float    size = v3_length(n), x = d[c[1]] - d[c[0]], y = d[c[2]] - d[c[0]];
    *area = 0.5f * size;
    if (!(size > 0) || d[c[0]] >= FAR || d[c[1]] >= FAR || d[c[2]] >= FAR) return v3(0, 0, 0);
    sup_vec3 unit = v3_scale(n, 1 / size);
    // x (v x n) + y (n x u), rotated into the plane
    return v3_add(v3_scale(v3_cross(v, unit), x / size), v3_scale(v3_cross(unit, u), y / size));
}

static void guide(const tip_finder* f, const float* d, sup_guides* g)
{
    const sup_curve_mesh* mesh = f->f.mesh;
    for (uint32_t p = 0; p < mesh->point_count; ++p)
        if (component_of(f, p) != SUP_NONE) g->place[p] = d[p] < FAR ? d[p] : 0, g->direction[p] = v3(0, 0, 0);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* c = mesh->triangles + 3 * (size_t)t;
        float           area;
        if (component_of(f, c[0]) == SUP_NONE) continue;
        sup_vec3 slope = v3_normalize(slope_of(mesh, c, d, &area), v3(0, 0, 0));
        for (int k = 0; k < 3; ++k)
            if (f->area[c[k]] > 0)
                g->direction[c[k]] = v3_mad(g->direction[c[k]], (float)((double)area / 3 / f->area[c[k]]), slope);
    }
}

sup_result sup_guides_by_distance(const sup_curve_mesh* mesh, const sup_topology* topology, const bool* components,
                                  sup_arena* arena, sup_guides* guides, sup_error* error)
{
    uint32_t   n = mesh->point_count;
    sup_arena* work = sup_arena_beside(arena);
    tip_finder f = { .wanted = components, .components = topology->component_count };
    bool       good = work && front_begin(mesh, topology, work, &f.f);
    for (uint32_t i = 0; good && i < TIPS; ++i) {
        f.d[i] = SUP_NEW(work, float, n), f.tip[i] = SUP_NEW(work, uint32_t, f.components);
        good = f.d[i] && f.tip[i];
    }
    if (good) {
        f.nearest = SUP_NEW(work, float, n), f.middle = SUP_NEW(work, float, n), f.area = SUP_NEW(work, double, n);
        f.whole = SUP_NEW(work, float, f.components), f.best = SUP_NEW(work, uint32_t, f.components);
        good = f.nearest && f.middle && f.area && f.whole && f.best;
    }
    for (uint32_t t = 0; good && t < mesh->triangle_count; ++t) {
        const uint32_t* c = mesh->triangles + 3 * (size_t)t;
        sup_vec3 s = v3_cross(v3_sub(mesh->points[c[1]], mesh->points[c[0]]), v3_sub(mesh->points[c[2]], mesh->points[c[0]]));
        for (int k = 0; k < 3; ++k) f.area[c[k]] += (double)v3_length(s) / 6;
    }
    if (good) find_tips(&f);
    good = good && choose_tips(&f, work);
    if (good) {
        spread_from(&f, f.best, f.nearest);
        guide(&f, f.nearest, guides);
    }
    sup_arena_destroy(work);
    return good ? SUP_OK : sup_fail_memory(error, "curves");
}

// Binding and memory, and the distance of two triangles.
#include "geom/search/bvh.h"
#include "solve/contact/planes_internal.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- bind

static uint32_t first_of(const sup_planes_desc* d, uint32_t point) { return d->same ? d->same[point] : point; }

/// The smallest height of a triangle at rest: the neighbor of a long thin triangle is no farther away.
static float height_of(const sup_vec3* x, const uint32_t* c)
{
    float longest = fmaxf(fmaxf(v3_distance(x[c[0]], x[c[1]]), v3_distance(x[c[1]], x[c[2]])), v3_distance(x[c[2]], x[c[0]]));
    float area = v3_length(v3_cross(v3_sub(x[c[1]], x[c[0]]), v3_sub(x[c[2]], x[c[0]])));
    return longest > 0 && area / longest < INFINITY ? area / longest : 0;
}

static float* make_strays(const sup_planes_desc* d, sup_arena* arena, sup_arena* temporary)
{
    float*    strays = SUP_NEW(arena, float, d->point_count);
    uint32_t* counts = SUP_NEW(temporary, uint32_t, d->point_count);
    if (!strays || !counts) return NULL;
    for (size_t i = 0; i < 3 * (size_t)d->triangle_count; ++i) {
        uint32_t point = first_of(d, d->triangles[i]);
        strays[point] += PLANES_STRAY * height_of(d->points, d->triangles + i / 3 * 3);
        ++counts[point];
    }
    for (uint32_t i = 0; i < d->point_count; ++i) strays[i] /= counts[i] ? (float)counts[i] : 1;
    return strays;
}

/// Mean length of the edges of the triangles around a point.
static float* make_units(const sup_planes_desc* d, sup_arena* arena, sup_arena* temporary)
{
    float*    units = SUP_NEW(arena, float, d->point_count);
    uint32_t* counts = SUP_NEW(temporary, uint32_t, d->point_count);
    if (!units || !counts) return NULL;
    for (size_t i = 0; i < 3 * (size_t)d->triangle_count; ++i) {
        const uint32_t* t = d->triangles + i / 3 * 3;
        uint32_t        point = first_of(d, d->triangles[i]);
        for (size_t k = 1; k < 3; ++k) units[point] += v3_distance(d->points[d->triangles[i]], d->points[t[(i % 3 + k) % 3]]);
        counts[point] += 2;
    }
    for (uint32_t i = 0; i < d->point_count; ++i) units[i] /= counts[i] ? (float)counts[i] : 1;
    return units;
}

static planes_pack* make_packs(const sup_planes_desc* d, const float* strays, const float* units, const sup_bvh* bvh,
                               uint32_t count, sup_arena* arena)
{
    planes_pack* packs = SUP_NEW(arena, planes_pack, count);
    for (uint32_t p = 0; packs && p < count; ++p) {
        uint32_t begin = PLANES_PACK * p, end = bvh->triangle_count;
        for (uint32_t lane = 0; lane < PLANES_PACK; ++lane) {
            packs[p].stray[lane] = begin + lane < end ? 0 : -1;
            for (uint32_t k = 0; k < 3 && begin + lane < end; ++k) {
                uint32_t point = first_of(d, bvh->corners[3 * (size_t)(begin + lane) + k]);
                packs[p].corners[k][lane] = point;
                packs[p].stray[lane] = fmaxf(packs[p].stray[lane], strays[point]);
                packs[p].unit[lane] = fmaxf(packs[p].unit[lane], units[point]);
                if (d->over) packs[p].over[lane] = fmaxf(packs[p].over[lane], d->over[point]);
            }
            if (begin + lane >= end) continue;
            packs[p].gap[lane] = PLANES_GAP * height_of(d->points, bvh->corners + 3 * (size_t)(begin + lane));
            packs[p].crossing[lane] = d->crossing && d->crossing[bvh->order[begin + lane]] ? -1 : 0;
        }
    }
    return packs;
}

static sup_result create(const sup_planes_desc* d, sup_planes* p, sup_arena* arena, sup_arena* temporary, sup_error* error)
{
    sup_bvh    bvh;
    sup_result r = sup_bvh_create_full(d->points, d->triangles, d->triangle_count, temporary, &bvh, error);
    if (r != SUP_OK) return r;
    p->point_count = d->point_count;
    p->leaf_count = bvh.leaf_count > 1 ? bvh.leaf_count / 2 : 1;
    p->pack_count = (d->triangle_count + PLANES_PACK - 1) / PLANES_PACK;
    // Blocks. Bodies and clothes have at most 5 pairs per triangle, of which 1.6 press. Two large sheets that fully overlap press
    // with 3; planes have to hold a third of those.
    p->capacity = 1024 + d->triangle_count;
    p->press_capacity = 256 + d->triangle_count / 4;
    p->plane_capacity = 2048 + d->triangle_count;
    p->strays = make_strays(d, arena, temporary);
    p->units = make_units(d, arena, temporary);
    p->rest = d->points;
    p->over = d->over;
    p->packs = p->strays && p->units ? make_packs(d, p->strays, p->units, &bvh, p->pack_count, arena) : NULL;
    p->gives = sup_arena_copy(arena, d->gives, d->point_count, sizeof *d->gives);
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->point_count; ++i) count += first_of(d, i) != i;
    uint32_t* twins = SUP_NEW(arena, uint32_t, 2 * (size_t)count);
    if (!p->packs || !p->gives || !twins) return sup_fail_memory(error, "the planes of a skin");
    for (uint32_t i = 0; i < d->point_count; ++i)
        if (first_of(d, i) != i) {
            twins[2 * p->twin_count] = i;
            twins[2 * p->twin_count++ + 1] = first_of(d, i);
        }
    p->twins = twins;
    return SUP_OK;
}

sup_result sup_planes_create(const sup_planes_desc* desc, sup_arena* arena, const sup_planes** out, sup_error* error)
{
    sup_planes* p = SUP_NEW(arena, sup_planes, 1);
    if (!p) return sup_fail_memory(error, "the planes of a skin");
    *out = p;
    sup_arena* temporary = sup_arena_beside(arena);
    sup_result r = temporary ? create(desc, p, arena, temporary, error) : sup_fail_memory(error, "the planes of a skin");
    sup_arena_destroy(temporary);
    return r;
}

// ---------------------------------------------------------------------------------------------- memory

size_t sup_planes_state(const sup_planes* p) { return p->point_count * sizeof(planes_burden); }

void sup_planes_reset(const sup_planes* p, void* state) { memset(state, 0, sup_planes_state(p)); }

static void* take(uint8_t* base, size_t* used, size_t count, size_t size)
{
    void* here = base ? base + *used : NULL;
    *used += sup_align(count * size, 64);
    return here;
}

planes_memory sup_planes_divide(const sup_planes* p, void* scratch, size_t* bytes)
{
    size_t        used = 0, n = p->point_count;
    uint8_t*      base = scratch;
    planes_memory m;
    m.header = take(base, &used, 1, sizeof *m.header);
    m.begin = take(base, &used, n, sizeof *m.begin);
    m.way = take(base, &used, n, sizeof *m.way);
    m.bounds = take(base, &used, p->pack_count, sizeof *m.bounds);
    m.nodes = take(base, &used, 2 * (size_t)p->leaf_count, sizeof *m.nodes);
    m.fresh = take(base, &used, 2 * (size_t)p->leaf_count, sizeof *m.fresh);
    m.blocks = take(base, &used, p->capacity, sizeof *m.blocks);
    m.dead = take(base, &used, p->capacity, sizeof *m.dead);
    m.presses = take(base, &used, p->press_capacity, sizeof *m.presses);
    m.near = take(base, &used, p->press_capacity, sizeof *m.near);
    m.crowd = take(base, &used, n, sizeof *m.crowd);
    m.pushed = take(base, &used, n, sizeof *m.pushed);
    m.doubtful = take(base, &used, p->capacity, sizeof *m.doubtful);
    m.planar = take(base, &used, p->capacity, sizeof *m.planar);
    m.open = take(base, &used, p->capacity, sizeof *m.open);
    m.stirred = take(base, &used, n, sizeof *m.stirred);
    m.strays = take(base, &used, n / PLANES_GRAIN + 1, sizeof *m.strays);
    m.looks = take(base, &used, p->plane_capacity, sizeof *m.looks);
    m.planes = take(base, &used, p->plane_capacity, sizeof *m.planes);
    m.placed = take(base, &used, p->plane_capacity, sizeof *m.placed);
    m.cluster = take(base, &used, n, sizeof *m.cluster);
    m.group_of = take(base, &used, n, sizeof *m.group_of);
    m.touched = take(base, &used, n, sizeof *m.touched);
    m.place_of = take(base, &used, n, sizeof *m.place_of);
    m.wanted = take(base, &used, n, sizeof *m.wanted);
    m.carried = take(base, &used, n, sizeof *m.carried);
    m.fixed = take(base, &used, n, sizeof *m.fixed);
    m.share = take(base, &used, n, sizeof *m.share);
    m.groups = take(base, &used, p->plane_capacity < n / 2 ? p->plane_capacity : n / 2 + 1, sizeof *m.groups);
    m.couples = take(base, &used, 2 * (size_t)PLANES_CHUNK * PLANES_WAVE, sizeof *m.couples);
    m.slices = take(base, &used, (size_t)PLANES_ROOM * PLANES_WAVE, sizeof *m.slices);
    m.counts = take(base, &used, PLANES_WAVE, sizeof *m.counts);
    if (bytes) *bytes = used;
    return m;
}

size_t sup_planes_scratch(const sup_planes* p)
{
    size_t bytes;
    sup_planes_divide(p, NULL, &bytes);
    return bytes;
}

// ---------------------------------------------------------------------------------------------- distance

typedef struct vec3d {
    double x, y, z;
} vec3d;

static vec3d  wide_of(sup_vec3 a) { return (vec3d){ (double)a.x, (double)a.y, (double)a.z }; }
static vec3d  less(vec3d a, vec3d b) { return (vec3d){ a.x - b.x, a.y - b.y, a.z - b.z }; }
static vec3d  mad(vec3d a, double s, vec3d b) { return (vec3d){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z }; }
static double dot(vec3d a, vec3d b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static double within(double x) { return x < 0 ? 0 : x > 1 ? 1 : x; }

/// The closest two places so far, and their squared distance.
typedef struct nearest {
    vec3d  p, q;
    double square;
} nearest;

static void offer(nearest* n, vec3d p, vec3d q)
{
    vec3d  d = less(p, q);
    double square = dot(d, d);
    if (square < n->square) *n = (nearest){ p, q, square };
}

static void try_edges(nearest* n, vec3d p1, vec3d p2, vec3d q1, vec3d q2)
{
    vec3d  e = less(p2, p1), f = less(q2, q1), d = less(q1, p1);
    double ee = dot(e, e), ff = dot(f, f), ef = dot(e, f), ed = dot(e, d), fd = dot(f, d), s = 0, t = 0;
    double denominator = ee * ff - ef * ef;
    if (denominator > 1e-12 * ee * ff) s = within((ed * ff - ef * fd) / denominator);
    if (ff > 0) t = within((ef * s - fd) / ff);
    if (ee > 0) s = within((ef * t + ed) / ee);
    offer(n, mad(p1, s, e), mad(q1, t, f));
}

/// Where a point projects into the interior of a triangle; the edges are tested anyway.
static bool find_foot(vec3d p, const vec3d t[3], vec3d* out)
{
    vec3d  e = less(t[1], t[0]), f = less(t[2], t[0]), d = less(p, t[0]);
    double ee = dot(e, e), ff = dot(f, f), ef = dot(e, f), ed = dot(e, d), fd = dot(f, d), area = ee * ff - ef * ef;
    double u = ed * ff - fd * ef, v = fd * ee - ed * ef;
    if (!(area > 0) || !(u >= 0) || !(v >= 0) || !(u + v <= area)) return false;
    *out = mad(mad(t[0], u / area, e), v / area, f);
    return true;
}

bool sup_planes_between(const sup_vec3 a[3], const sup_vec3 b[3], float* distance, sup_vec3* normal, sup_vec3* middle)
{
    vec3d p[3] = { wide_of(a[0]), wide_of(a[1]), wide_of(a[2]) }, q[3] = { wide_of(b[0]), wide_of(b[1]), wide_of(b[2]) }, foot;
    nearest n = { .square = INFINITY };
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) try_edges(&n, p[i], p[(i + 1) % 3], q[k], q[(k + 1) % 3]);
    for (int i = 0; i < 3; ++i) {
        if (find_foot(p[i], q, &foot)) offer(&n, p[i], foot);
        if (find_foot(q[i], p, &foot)) offer(&n, foot, q[i]);
    }
    double length = sqrt(n.square);
    if (!(length > 0) || !(length < INFINITY)) return false;
    vec3d  d = less(n.p, n.q), c = { 0.5 * (n.p.x + n.q.x), 0.5 * (n.p.y + n.q.y), 0.5 * (n.p.z + n.q.z) };
    double low = INFINITY, high = -INFINITY; // no direction separates triangles that cross, however near their edges are
    for (int k = 0; k < 3; ++k) {
        low = fmin(low, dot(less(p[k], c), d));
        high = fmax(high, dot(less(q[k], c), d));
    }
    if (!(low > 0) || !(high < 0)) return false;
    *distance = (float)length;
    *normal = v3((float)(d.x / length), (float)(d.y / length), (float)(d.z / length));
    *middle = v3((float)c.x, (float)c.y, (float)c.z);
    return true;
}

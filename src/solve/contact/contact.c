// Binding: lengths, who speaks for which point and edge, who is a neighbor of whom, and what touches at rest.
#include "base/sets.h"
#include "geom/search/intersect.h"
#include "geom/surface/topology.h"
#include "solve/contact/contact_internal.h"

#include <math.h>
#include <string.h>

// A way along edges this many times as long as the limit at rest still leads to a neighbor: edges are longer than straight
// lines.
#define ALONG_EDGES (2.4f * CONTACT_REST_EDGES)
#define CROSSING_MOST 0.3
// How many boxes, triangles and neighbors binding may look at for each triangle; whether two cross counts for what it takes.
// Characters with clothes ask for up to 1000. Where faces are stacked on one edge or in one place each sees all the others, and
// the work would grow as their square.
enum { LOOKS_MOST = 8192 };

typedef struct work {
    const sup_contact_desc* desc;
    sup_arena *             arena, *temp;
    sup_error*              error;
    sup_contact*            c;
    sup_topology            topology; // of the triangles
    sup_box *               nodes, *slots;
    uint32_t*               slot_of; // per triangle
    sup_vec3*               normals; // per point, outwards
    // walking from one point
    bool*     seen;     // per point
    bool*     crossing; // per slot: passes through another at rest
    uint32_t* reached;
    uint32_t  reached_count;
    uint64_t  looks, looks_most; // boxes, triangles and points looked at, and how many may be
    bool      stopped;           // by whoever waits
} work;

// ---------------------------------------------------------------------------------------------- lengths, owners

static bool measure_units(work* w)
{
    const sup_contact_desc* d = w->desc;
    float *units = SUP_NEW(w->arena, float, d->point_count), *slots = SUP_NEW(w->arena, float, d->triangle_count);
    if (!units || !slots) return false;
    double   sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->point_count; ++i) {
        units[i] = sup_topology_spacing(&w->topology, d->triangles, d->points, i);
        sum += (double)units[i];
        count += units[i] > 0;
    }
    float mean = count ? (float)(sum / count) : 1;
    for (uint32_t i = 0; i < d->point_count; ++i) // points on each other, and loose ones
        if (!(units[i] > 0.01f * mean)) units[i] = 0.01f * mean;
    for (uint32_t i = 0; i < d->point_count; ++i) w->c->unit_max = fmaxf(w->c->unit_max, units[i]);
    for (uint32_t s = 0; s < d->triangle_count; ++s)
        for (int k = 0; k < 3; ++k) slots[s] = fmaxf(slots[s], units[w->c->bvh.corners[3 * (size_t)s + (uint32_t)k]]);
    w->c->units = units;
    w->c->slot_units = slots;
    return true;
}

static bool measure_rests(work* w)
{
    const sup_vec3* x = w->desc->points;
    contact_rest*   rests = SUP_NEW(w->arena, contact_rest, w->desc->triangle_count);
    if (!rests) return false;
    for (uint32_t s = 0; s < w->desc->triangle_count; ++s) {
        const uint32_t* c = w->c->bvh.corners + 3 * (size_t)s;
        contact_rest*   r = &rests[s];
        r->middle = v3_scale(v3_add(v3_add(x[c[0]], x[c[1]]), x[c[2]]), 1.0f / 3);
        r->normal =
            v3_normalize(v3_scale(v3_cross(v3_sub(x[c[1]], x[c[0]]), v3_sub(x[c[2]], x[c[0]])), w->c->side), v3(0, 0, 0));
        r->offset = v3_dot(r->normal, x[c[0]]);
        r->unit = INFINITY;
        for (int k = 0; k < 3; ++k) {
            r->radius = fmaxf(r->radius, v3_distance(x[c[k]], r->middle));
            r->unit = fminf(r->unit, w->c->units[c[k]]);
        }
    }
    w->c->slot_rests = rests;
    return true;
}

static bool is_flat(const sup_vec3* points, const uint32_t* c)
{
    sup_touch t;
    return !sup_point_triangle(points[c[0]], points[c[0]], points[c[1]], points[c[2]], 1, &t);
}

/// The first slot with an area speaks for a point or an edge.
static bool choose_owners(work* w, sup_contact_bind_report* report)
{
    const sup_contact_desc* d = w->desc;
    uint8_t *      owns = SUP_NEW(w->arena, uint8_t, d->triangle_count), *taken = SUP_NEW(w->temp, uint8_t, d->point_count);
    sup_sort_item* edges = SUP_NEW(w->temp, sup_sort_item, 3 * (size_t)d->triangle_count);
    sup_sort_item* spare = SUP_NEW(w->temp, sup_sort_item, 3 * (size_t)d->triangle_count);
    uint32_t       count = 0;
    if (!owns || !taken || !edges || !spare) return false;
    for (uint32_t s = 0; s < d->triangle_count; ++s) {
        const uint32_t* c = w->c->bvh.corners + 3 * (size_t)s;
        if (is_flat(d->points, c)) {
            owns[s] = OWN_FLAT;
            report->flat++;
            continue;
        }
        for (uint32_t k = 0; k < 3; ++k) {
            uint64_t a = c[k], b = c[(k + 1) % 3];
            edges[count++] = (sup_sort_item){ a < b ? a << 32 | b : b << 32 | a, 3 * s + k };
            if (!taken[a]) owns[s] = (uint8_t)(owns[s] | OWN_POINT << k);
            taken[a] = 1;
        }
    }
    sup_sort(edges, spare, count);
    for (uint32_t i = 0; i < count; ++i)
        if (i == 0 || edges[i].key != edges[i - 1].key)
            owns[edges[i].value / 3] = (uint8_t)(owns[edges[i].value / 3] | OWN_EDGE << edges[i].value % 3);
    w->c->owns = owns;
    return true;
}

static bool list_lanes(work* w)
{
    const sup_contact* c = w->c;
    contact_lanes*     lanes = SUP_NEW(w->arena, contact_lanes, c->filled);
    if (!lanes) return false;
    for (uint32_t p = 0; p < c->filled; ++p)
        for (uint32_t s = contact_pack_begin(c, p), k = 0; s < contact_pack_begin(c, p + 1); ++s, ++k) {
            for (uint32_t i = 0; i < 3; ++i) lanes[p].corners[i][k] = c->bvh.corners[3 * (size_t)s + i];
            lanes[p].unit[k] = c->slot_units[s];
            lanes[p].real[k] = -1;
            lanes[p].solid[k] = c->owns[s] & OWN_FLAT ? 0 : -1;
            lanes[p].owns[k] = c->owns[s];
        }
    w->c->lanes = lanes;
    return true;
}

static bool list_fans(work* w)
{
    const sup_topology* t = &w->topology;
    uint32_t            n = w->desc->point_count, *fan = SUP_NEW(w->arena, uint32_t, t->fan_begin[n]);
    w->slot_of = SUP_NEW(w->temp, uint32_t, w->desc->triangle_count);
    w->c->fan_begin = sup_arena_copy(w->arena, t->fan_begin, (size_t)n + 1, sizeof *t->fan_begin);
    if (!fan || !w->slot_of || !w->c->fan_begin) return false;
    for (uint32_t s = 0; s < w->desc->triangle_count; ++s) w->slot_of[w->c->bvh.order[s]] = s;
    for (uint32_t i = 0; i < t->fan_begin[n]; ++i) fan[i] = w->slot_of[t->fan[i]];
    w->c->fan = fan;
    return true;
}

// ---------------------------------------------------------------------------------------------- crossing at rest

static bool cross(work* w, uint32_t s, uint32_t t)
{
    const uint32_t *p = w->c->bvh.corners + 3 * (size_t)s, *q = w->c->bvh.corners + 3 * (size_t)t;
    for (int i = 0; i < 3; ++i)
        if (p[i] == q[0] || p[i] == q[1] || p[i] == q[2]) return false;
    const sup_vec3* x = w->desc->points;
    const sup_vec3  a[3] = { x[p[0]], x[p[1]], x[p[2]] }, b[3] = { x[q[0]], x[q[1]], x[q[2]] };
    uint32_t        looks = 0;
    bool            crosses = sup_triangles_cross_work(a, b, &looks);
    w->looks += looks;
    return crosses;
}

/// So crowded that nothing can be told about it in a time that grows with its size. What asks gives up; see stay_away.
static bool crowded(const work* w) { return w->looks > w->looks_most; }

enum { REPORT_EVERY = 4096 };

/// Item i of so many, of a stage from and to so far along. False: nobody wants more.
static bool go_on(work* w, uint32_t i, uint32_t count, double from, double to)
{
    if (i % REPORT_EVERY == 0 && !w->stopped)
        w->stopped = !sup_progress_report(w->desc->progress, from + (to - from) * i / count, "contacts");
    return !w->stopped;
}

/// How many slots pass through one, at most so many, and which; out: NULL to count alone.
static uint32_t find_crossing(work* w, uint32_t slot, uint32_t most, uint32_t* out)
{
    const sup_bvh* b = &w->c->bvh;
    uint32_t       stack[64], depth = 0, count = 0;
    stack[depth++] = 1;
    while (depth > 0 && count < most && !crowded(w)) {
        uint32_t node = stack[--depth];
        ++w->looks;
        if (!sup_box_overlap(&w->nodes[node], &w->slots[slot])) continue;
        if (node < b->leaf_count) {
            stack[depth++] = 2 * node + 1;
            stack[depth++] = 2 * node;
            continue;
        }
        for (uint32_t s = b->leaf_begin[node - b->leaf_count]; s < b->leaf_begin[node - b->leaf_count + 1] && count < most; ++s)
            if (s != slot && sup_box_overlap(&w->slots[s], &w->slots[slot]) && cross(w, slot, s)) {
                if (out) out[count] = s;
                ++count;
            }
    }
    return count;
}

enum { PIECES_MOST = 4096 };

/// Clothes that pass through what they cover: their contacts there would fight for ever.
static bool list_tangled(work* w)
{
    const sup_contact_desc* d = w->desc;
    sup_contact*            c = w->c;
    uint32_t *up = SUP_NEW(w->temp, uint32_t, d->point_count), *pieces = SUP_NEW(w->arena, uint32_t, d->point_count);
    uint32_t* found = SUP_NEW(w->temp, uint32_t, d->triangle_count);
    if (!up || !pieces || !found) return false;
    sup_sets_begin(up, d->point_count);
    for (uint32_t t = 0; t < d->triangle_count; ++t)
        for (int k = 1; k < 3; ++k)
            up[sup_sets_find(up, d->triangles[3 * (size_t)t])] = sup_sets_find(up, d->triangles[3 * (size_t)t + k]);
    for (uint32_t i = 0; i < d->point_count; ++i)
        if (sup_sets_find(up, i) == i) pieces[i] = c->piece_count++;
    for (uint32_t i = 0; i < d->point_count; ++i) pieces[i] = pieces[sup_sets_find(up, i)];
    c->pieces = pieces;
    if (c->piece_count > PIECES_MOST) return true;
    uint8_t* tangled = SUP_NEW(w->arena, uint8_t, ((size_t)c->piece_count * c->piece_count + 7) / 8);
    if (!tangled) return false;
    for (uint32_t s = 0; s < d->triangle_count; ++s) {
        uint32_t count = w->crossing[s] ? find_crossing(w, s, UINT32_MAX, found) : 0, a = pieces[c->bvh.corners[3 * (size_t)s]];
        for (uint32_t k = 0; k < count; ++k) {
            uint32_t b = pieces[c->bvh.corners[3 * (size_t)found[k]]];
            size_t   bit = (size_t)a * c->piece_count + b;
            if (a != b) tangled[bit / 8] = (uint8_t)(tangled[bit / 8] | 1u << bit % 8);
        }
    }
    c->tangled = tangled;
    return true;
}

/// Slots that the triangles around a point pass through at rest.
static uint32_t find_tangled(work* w, uint32_t point, uint32_t* out)
{
    const sup_contact* c = w->c;
    uint32_t           count = 0;
    for (uint32_t k = c->fan_begin[point]; k < c->fan_begin[point + 1]; ++k)
        if (w->crossing[c->fan[k]]) count += find_crossing(w, c->fan[k], UINT32_MAX, out ? out + count : NULL);
    return count;
}

// ---------------------------------------------------------------------------------------------- neighbors

/// Regions of one ring leave folds between a point and the very next triangle; larger ones are stiffer.
static uint32_t neighbors(const work* w) { return w->desc->ring > 1 ? w->desc->ring - 1 : 0; }

/// Points within so many edges of one, itself first, into `reached`; `seen` tells who has been.
static void walk_rings(work* w, uint32_t start, uint32_t rings)
{
    const sup_topology* t = &w->topology;
    w->reached_count = 0;
    w->reached[w->reached_count++] = start;
    w->seen[start] = true;
    for (uint32_t ring = 0, begin = 0; ring < rings; ++ring) {
        uint32_t end = w->reached_count;
        for (; begin < end; ++begin)
            for (uint32_t k = t->ring_begin[w->reached[begin]]; k < t->ring_begin[w->reached[begin] + 1]; ++k) {
                uint32_t other = t->ring[k];
                if (++w->looks > w->looks_most) return;
                if (w->seen[other]) continue;
                w->seen[other] = true;
                w->reached[w->reached_count++] = other;
            }
    }
}

static void forget_walk(work* w)
{
    for (uint32_t i = 0; i < w->reached_count; ++i) w->seen[w->reached[i]] = false;
}

static void sort_small(uint32_t* list, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i) {
        uint32_t x = list[i], k = i;
        for (; k > 0 && list[k - 1] > x; --k) list[k] = list[k - 1];
        list[k] = x;
    }
}

static bool list_near(work* w)
{
    uint32_t  n = w->desc->point_count;
    uint32_t* begin = SUP_NEW(w->arena, uint32_t, (size_t)n + 1);
    uint64_t  total = 0;
    if (!begin) return false;
    for (uint32_t i = 0; i < n; ++i) {
        walk_rings(w, i, neighbors(w));
        begin[i] = (uint32_t)total;
        total += w->reached_count;
        forget_walk(w);
    }
    uint32_t* near = total < UINT32_MAX ? SUP_NEW(w->arena, uint32_t, total) : NULL;
    if (!near) return false;
    begin[n] = (uint32_t)total;
    for (uint32_t i = 0; i < n; ++i) {
        walk_rings(w, i, neighbors(w));
        memcpy(near + begin[i], w->reached, w->reached_count * sizeof *near);
        sort_small(near + begin[i], w->reached_count);
        forget_walk(w);
    }
    w->c->near_begin = begin;
    w->c->near = near;
    return true;
}

/// The point stands in front of the triangle and the two face each other. Behind it, it is the other side of a thin part.
static bool looks_at(const work* w, uint32_t point, const uint32_t* c)
{
    const sup_vec3* x = w->desc->points;
    sup_touch       t;
    return sup_point_triangle(x[point], x[c[0]], x[c[1]], x[c[2]], w->c->side, &t) && t.gap >= 0 &&
           v3_dot(w->normals[point], t.normal) < CONTACT_FACING;
}

/// Slots within the margin of a point at rest that it faces, neighbors (`seen`) excepted. Returns how many; out: NULL to count
/// alone.
static uint32_t find_touching(work* w, uint32_t point, uint32_t* out)
{
    const sup_bvh* b = &w->c->bvh;
    uint32_t       stack[64], depth = 0, count = 0;
    sup_vec3       p = w->desc->points[point];
    float          limit = w->c->margin * w->c->units[point], weights[3];
    sup_box        box = { { p.x - limit, p.y - limit, p.z - limit }, { p.x + limit, p.y + limit, p.z + limit } };
    stack[depth++] = 1;
    while (depth > 0 && !crowded(w)) {
        uint32_t node = stack[--depth];
        ++w->looks;
        if (!sup_box_overlap(&w->nodes[node], &box)) continue;
        if (node < b->leaf_count) {
            stack[depth++] = 2 * node + 1;
            stack[depth++] = 2 * node;
            continue;
        }
        for (uint32_t s = b->leaf_begin[node - b->leaf_count]; s < b->leaf_begin[node - b->leaf_count + 1]; ++s) {
            const uint32_t* c = b->corners + 3 * (size_t)s;
            if (w->seen[c[0]] || w->seen[c[1]] || w->seen[c[2]]) continue;
            float square =
                sup_contact_triangle_square(p, w->desc->points[c[0]], w->desc->points[c[1]], w->desc->points[c[2]], weights);
            if (!(square < limit * limit) || !looks_at(w, point, c)) continue;
            if (out) out[count] = s;
            ++count;
        }
    }
    return count;
}

static bool list_resting(work* w)
{
    uint32_t  n = w->desc->point_count;
    uint32_t* begin = SUP_NEW(w->arena, uint32_t, (size_t)n + 1);
    uint32_t* bit = SUP_NEW(w->arena, uint32_t, n);
    uint64_t  total = 0;
    if (!begin || !bit) return false;
    for (uint32_t i = 0; i < n && go_on(w, i, n, 0.3, 1); ++i) {
        walk_rings(w, i, neighbors(w));
        begin[i] = (uint32_t)total;
        total += find_touching(w, i, NULL) + find_tangled(w, i, NULL);
        bit[i] = total > begin[i] ? w->c->resting_count++ : SUP_NONE;
        forget_walk(w);
    }
    uint32_t* touched = total < UINT32_MAX ? SUP_NEW(w->arena, uint32_t, total) : NULL;
    uint32_t* resting = SUP_NEW(w->arena, uint32_t, w->c->resting_count);
    if (!touched || !resting) return false;
    begin[n] = (uint32_t)total;
    for (uint32_t i = 0; i < n; ++i) {
        if (bit[i] == SUP_NONE || w->stopped) continue;
        resting[bit[i]] = i;
        walk_rings(w, i, neighbors(w));
        uint32_t count = find_touching(w, i, touched + begin[i]);
        find_tangled(w, i, touched + begin[i] + count);
        forget_walk(w);
    }
    w->c->touch_begin = begin;
    w->c->touched = touched;
    w->c->resting = resting;
    w->c->resting_bit = bit;
    return true;
}

// ---------------------------------------------------------------------------------------------- create

static bool reserve(work* w)
{
    uint32_t n = w->desc->point_count;
    w->nodes = SUP_NEW(w->temp, sup_box, 2 * (size_t)w->c->bvh.leaf_count);
    w->slots = SUP_NEW(w->temp, sup_box, w->desc->triangle_count);
    w->seen = SUP_NEW(w->temp, bool, n);
    w->crossing = SUP_NEW(w->arena, bool, w->desc->triangle_count);
    w->reached = SUP_NEW(w->temp, uint32_t, n);
    w->normals = SUP_NEW(w->arena, sup_vec3, n);
    if (!w->normals || !w->nodes || !w->slots || !w->seen || !w->reached || !w->crossing) return false;
    for (uint32_t t = 0; t < w->desc->triangle_count; ++t) {
        const uint32_t* c = w->desc->triangles + 3 * (size_t)t;
        const sup_vec3* x = w->desc->points;
        sup_vec3        area = v3_cross(v3_sub(x[c[1]], x[c[0]]), v3_sub(x[c[2]], x[c[0]]));
        for (int k = 0; k < 3 && v3_finite(area); ++k) w->normals[c[k]] = v3_mad(w->normals[c[k]], w->c->side, area);
    }
    for (uint32_t i = 0; i < n; ++i) w->normals[i] = v3_normalize(w->normals[i], v3(0, 0, 0));
    w->c->rest_normals = w->normals;
    w->c->crossing = w->crossing;
    return true;
}

/// Too little is known about what touches or crosses at rest: the skin keeps away from itself.
static void stay_away(work* w, sup_contact_bind_report* report)
{
    sup_contact* c = w->c;
    memset(w->crossing, 0, w->desc->triangle_count * sizeof *w->crossing);
    memset((uint32_t*)c->touch_begin, 0, ((size_t)c->point_count + 1) * sizeof *c->touch_begin);
    memset((uint32_t*)c->resting_bit, 0xff, c->point_count * sizeof *c->resting_bit);
    c->tangled = NULL;
    c->resting_count = 0;
    c->off = c->crowded = true;
    *report = (sup_contact_bind_report){ .flat = report->flat, .crossing = report->crossing, .off = true, .crowded = true };
}

static sup_result create(work* w, sup_contact_bind_report* report)
{
    const sup_contact_desc* d = w->desc;
    uint32_t*               begin = SUP_NEW(w->temp, uint32_t, (size_t)d->triangle_count + 1);
    sup_contact*            c = w->c = SUP_NEW(w->arena, sup_contact, 1);
    if (!begin || !c) return sup_fail_memory(w->error, "the contacts of a skin");
    for (uint32_t t = 0; t <= d->triangle_count; ++t) begin[t] = 3 * t;
    sup_polygons polygons = { d->point_count, d->triangle_count, begin, d->triangles };
    sup_result   result = sup_topology_create(&polygons, w->temp, &w->topology, w->error);
    if (result == SUP_OK) result = sup_bvh_create_full(d->points, d->triangles, d->triangle_count, w->arena, &c->bvh, w->error);
    if (result != SUP_OK) return result;
    c->pack_count = c->bvh.leaf_count > 1 ? c->bvh.leaf_count / 2 : 1;
    c->filled = (d->triangle_count + CONTACT_PACK - 1) / CONTACT_PACK;
    c->point_count = d->point_count;
    c->side = d->inside_out ? -1 : 1;
    c->margin = d->margin;
    c->reach = d->reach;
    c->grow = 0.5f * fmaxf(d->margin, 0.5f * d->reach);
    c->capacity = d->capacity ? d->capacity : d->point_count < 512 ? 1024 : 2 * d->point_count;
    c->solid_count = d->solid_count;
    for (uint32_t i = 0; d->solid_meshes && i < d->solid_count; ++i)
        c->solid_bytes += d->solid_meshes[i] ? sup_solid_mesh_bytes(d->solid_meshes[i]) : 0;
    c->rest = sup_arena_copy(w->arena, d->points, d->point_count, sizeof *d->points);
    if (!c->rest || !reserve(w)) return sup_fail_memory(w->error, "the contacts of a skin");
    sup_bvh_refit(&c->bvh, d->points, NULL, w->nodes, w->slots);
    for (uint32_t s = 0; s < d->triangle_count && go_on(w, s, d->triangle_count, 0, 0.3); ++s) {
        w->crossing[s] = find_crossing(w, s, 1, NULL) > 0;
        report->crossing += w->crossing[s];
    }
    if (!measure_units(w) || !measure_rests(w) || !choose_owners(w, report) || !list_lanes(w) || !list_fans(w) ||
        !list_near(w) || !list_tangled(w) || !list_resting(w))
        return sup_fail_memory(w->error, "the contacts of a skin");
    if (w->stopped) return sup_fail(w->error, SUP_ERROR_CANCELLED, "stopped");
    report->off = c->off = report->crossing > CROSSING_MOST * d->triangle_count;
    report->resting = c->resting_count;
    if (crowded(w)) stay_away(w, report);
    return SUP_OK;
}

sup_result sup_contact_create(const sup_contact_desc* desc, sup_arena* arena, const sup_contact** out,
                              sup_contact_bind_report* report, sup_error* error)
{
    sup_contact_bind_report seen = { 0 };
    work                    w = { .desc = desc, .arena = arena, .temp = sup_arena_beside(arena), .error = error };
    w.looks_most = LOOKS_MOST * (uint64_t)desc->triangle_count;
    sup_result result = w.temp ? create(&w, &seen) : sup_fail_memory(error, "the contacts of a skin");
    sup_arena_destroy(w.temp);
    if (result != SUP_OK) return result;
    if (report) *report = seen;
    *out = w.c;
    return SUP_OK;
}

void sup_contact_crossing_at_rest(const sup_contact* c, bool* out)
{
    for (uint32_t s = 0; s < c->bvh.triangle_count; ++s) out[c->bvh.order[s]] = c->crossing[s];
}

// ---------------------------------------------------------------------------------------------- memory

size_t sup_contact_state(const sup_contact* c)
{
    return sizeof(contact_habits) + c->capacity * sizeof(contact_cached) + sup_align((c->resting_count + 7) / 8, 4);
}

void sup_contact_reset(const sup_contact* c, void* state) { memset(state, 0, sup_contact_state(c)); }

/// A block that is divided; without one only the sizes are added up.
typedef struct divided {
    uint8_t* base;
    size_t   used;
} divided;

static void* take(divided* d, size_t count, size_t size)
{
    void* here = d->base ? d->base + d->used : NULL;
    d->used += sup_align(count * size, 64);
    return here;
}

contact_memory sup_contact_divide(const sup_contact* c, void* scratch, size_t* bytes)
{
    divided        d = { scratch, 0 };
    contact_memory m;
    size_t         n = c->point_count, slots = c->bvh.triangle_count;
    m.header = take(&d, 1, sizeof *m.header);
    m.list = take(&d, c->capacity, sizeof *m.list);
    m.order = take(&d, c->capacity, sizeof *m.order);
    m.bodies = take(&d, c->solid_count ? n : 0, sizeof *m.bodies);
    m.places = take(&d, c->solid_count, sizeof *m.places);
    m.solids = take(&d, c->solid_count, sizeof *m.solids);
    m.best = take(&d, n, sizeof *m.best);
    m.kept = d.used;
    m.nodes = take(&d, 2 * (size_t)c->pack_count, sizeof *m.nodes);
    m.packs = take(&d, c->filled, sizeof *m.packs);
    m.areas = take(&d, slots, sizeof *m.areas);
    m.normals = take(&d, n, sizeof *m.normals);
    m.facings = take(&d, n, sizeof *m.facings);
    m.wanted = take(&d, c->filled, sizeof *m.wanted);
    m.ready = take(&d, c->filled, sizeof *m.ready);
    m.pairs = take(&d, 2 * (size_t)PAIRS, sizeof *m.pairs);
    m.slices = take(&d, (size_t)WAVE * SLICE, sizeof *m.slices);
    m.counts = take(&d, WAVE, sizeof *m.counts);
    m.found = take(&d, 2 * (size_t)c->capacity, sizeof *m.found);
    m.cached = take(&d, c->capacity, sizeof *m.cached);
    m.keys = take(&d, 2 * (size_t)c->capacity, sizeof *m.keys);
    m.spare = take(&d, 2 * (size_t)c->capacity, sizeof *m.spare);
    m.colors = take(&d, n, sizeof *m.colors);
    m.solid_scratch = take(&d, c->solid_bytes, 1);
    if (bytes) *bytes = d.used;
    return m;
}

size_t sup_contact_scratch(const sup_contact* c)
{
    size_t bytes;
    sup_contact_divide(c, NULL, &bytes);
    return bytes;
}

size_t sup_contact_kept(const sup_contact* c) { return sup_contact_divide(c, NULL, NULL).kept; }

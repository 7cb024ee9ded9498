// Finding: boxes and cones of normals from the leaves up, the hierarchy against itself from the root down, the leaves that
// remain in parallel, and one sorted list of what was found.
#include "solve/contact/contact_internal.h"

#include <math.h>
#include <string.h>

enum { GRAIN_PACKS = 64, GRAIN_POINTS = 512, STACK = 192 };
// Pairs of packs that a search may look at, for each pack; characters with clothes ask for up to 35. Couples of triangles in
// them that pass the sieve: up to 53, and thousands where large triangles cross each other everywhere. And how often the list
// may be filled with what has no room in it.
enum { PAIRS_MOST = 128, COUPLES_MOST = 1024, LOST_MOST = 8 };

// ---------------------------------------------------------------------------------------------- boxes, normals, cones

/// What all points move by in the mean: only what differs from it sweeps anything.
static sup_vec3 common_move(const contact_search* s)
{
    double   sum[3] = { 0 };
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->c->point_count; ++i) {
        sup_vec3 d = v3_sub(sup_particle_place(&s->to[i]), sup_particle_place(&s->from[i]));
        if (!v3_finite(d)) continue;
        sum[0] += (double)d.x;
        sum[1] += (double)d.y;
        sum[2] += (double)d.z;
        ++count;
    }
    return count ? v3((float)(sum[0] / count), (float)(sum[1] / count), (float)(sum[2] / count)) : v3(0, 0, 0);
}

static void measure_slots(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_contact_measure)(data, begin, end); }

static void measure_normals(void* data, uint32_t begin, uint32_t end)
{
    const contact_search* s = data;
    for (uint32_t i = begin; i < end; ++i) {
        sup_vec3 sum = v3(0, 0, 0);
        for (uint32_t k = s->c->fan_begin[i]; k < s->c->fan_begin[i + 1]; ++k) sum = v3_add(sum, s->m.areas[s->c->fan[k]]);
        sup_vec3 n = s->m.normals[i] = v3_normalize(sum, v3(0, 0, 0));
        s->m.facings[i] = (sup_vec4){ n.x, n.y, n.z, 0 };
    }
}

static void measure_cones(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_contact_cones)(data, begin, end); }

static void measure_details(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_contact_detail)(data, begin, end); }

static float above(float x) { return x > 0 ? x : 0; }

static void join_cones(contact_node* out, const contact_node* a, const contact_node* b)
{
    contact_open_cone(out);
    bool left = a->min[0] <= a->max[0], right = b->min[0] <= b->max[0]; // an empty child does not matter
    if (!left || !right) {
        const contact_node* n = left ? a : b;
        memcpy(out->axis, n->axis, sizeof n->axis);
        out->cosine = n->cosine;
        out->sine = n->sine;
        return;
    }
    if (a->cosine < 0 || b->cosine < 0) return;
    sup_vec3 p = v3(a->axis[0], a->axis[1], a->axis[2]), q = v3(b->axis[0], b->axis[1], b->axis[2]);
    sup_vec3 axis = v3_normalize(v3_add(p, q), v3(0, 0, 0));
    float    cosine = 1;
    for (int k = 0; k < 2; ++k) {
        const contact_node* n = k ? b : a;
        float               c = v3_dot(axis, k ? q : p), d = sqrtf(above(1 - c * c));
        cosine = contact_min(cosine, c * n->cosine - d * n->sine);
    }
    if (!(cosine > 0.01f)) return;
    memcpy(out->axis, &axis, sizeof axis);
    out->cosine = cosine;
    out->sine = sqrtf(above(1 - cosine * cosine));
}

static void refit(contact_search* s)
{
    uint32_t      packs = s->c->pack_count;
    contact_node* nodes = s->m.nodes;
    for (uint32_t p = s->c->filled; p < packs; ++p) {
        contact_node* n = &nodes[packs + p];
        for (int k = 0; k < 3; ++k) n->min[k] = INFINITY, n->max[k] = -INFINITY;
        contact_open_cone(n);
    }
    sup_tasks_run(s->call->tasks, s->c->filled, GRAIN_PACKS, measure_slots, s);
    sup_tasks_run(s->call->tasks, s->c->point_count, GRAIN_POINTS, measure_normals, s);
    sup_tasks_run(s->call->tasks, s->c->filled, GRAIN_PACKS, measure_cones, s);
    for (uint32_t n = packs; n-- > 1;) {
        const contact_node *l = &nodes[2 * (size_t)n], *r = l + 1;
        for (int k = 0; k < 3; ++k) {
            nodes[n].min[k] = contact_min(l->min[k], r->min[k]);
            nodes[n].max[k] = contact_max(l->max[k], r->max[k]);
        }
        join_cones(&nodes[n], l, r);
    }
}

// ---------------------------------------------------------------------------------------------- descent

// A little less strict than the test of a single pair, for rounding.
#define SAME_WAY (CONTACT_FACING + 1e-3f)

/// No two normals within look at each other: the largest angle, that of the axes and both half angles, is small.
static bool look_one_way(const contact_node* a, const contact_node* b)
{
    if (a->cosine < 0 || b->cosine < 0) return false;
    float c = a->axis[0] * b->axis[0] + a->axis[1] * b->axis[1] + a->axis[2] * b->axis[2];
    float both = a->cosine * b->cosine - a->sine * b->sine, sine = a->sine * b->cosine + a->cosine * b->sine;
    if (!(c * both > SAME_WAY)) return false; // what comes off it is never negative: no root for most
    float d = sqrtf(above(1 - c * c));
    return c * both - d * sine > SAME_WAY && d * both + c * sine >= 0;
}

static bool looks_one_way(const contact_node* a) { return a->cosine > 0 && 2 * a->cosine * a->cosine - 1 > SAME_WAY; }

/// Two nodes side by side, each number twice: first, first, second, second, or first, second, first, second.
typedef struct twins {
    f4 min[3], max[3], axis[3], cosine, sine;
} twins;

static inline twins twins_of(const contact_node* n, bool turns)
{
    f4    m = f4_load(n[0].min), o = f4_load(n[1].min), p = f4_load(n[0].max), q = f4_load(n[1].max);
    f4    u = f4_load(n[0].axis), v = f4_load(n[1].axis);
    twins t;
#define TWICE(x, y, lane)                                                                                                      \
    (turns ? __builtin_shufflevector(x, y, lane, lane + 4, lane, lane + 4)                                                     \
           : __builtin_shufflevector(x, y, lane, lane, lane + 4, lane + 4))
    t.min[0] = TWICE(m, o, 0), t.min[1] = TWICE(m, o, 1), t.min[2] = TWICE(m, o, 2), t.cosine = TWICE(m, o, 3);
    t.max[0] = TWICE(p, q, 0), t.max[1] = TWICE(p, q, 1), t.max[2] = TWICE(p, q, 2), t.sine = TWICE(p, q, 3);
    t.axis[0] = TWICE(u, v, 0), t.axis[1] = TWICE(u, v, 1), t.axis[2] = TWICE(u, v, 2);
#undef TWICE
    return t;
}

/// Which pairs of the children of two nodes are worth going on with, a bit each, as their boxes and look_one_way say.
static uint32_t look_down(const contact_node* children_a, const contact_node* children_b)
{
    twins a = twins_of(children_a, false), b = twins_of(children_b, true);
    i4    near = (a.min[0] <= b.max[0]) & (b.min[0] <= a.max[0]);
    for (int k = 1; k < 3; ++k) near &= (a.min[k] <= b.max[k]) & (b.min[k] <= a.max[k]);
    if (!i4_bits(near)) return 0;
    f4 zero = f4_all(0), c = a.axis[0] * b.axis[0] + a.axis[1] * b.axis[1] + a.axis[2] * b.axis[2], square = f4_all(1) - c * c;
    f4 both = a.cosine * b.cosine - a.sine * b.sine, sine = a.sine * b.cosine + a.cosine * b.sine;
    f4 d = f4_sqrt((f4)((i4)square & (square > zero)));
    i4 one_way =
        (a.cosine >= zero) & (b.cosine >= zero) & (c * both - d * sine > f4_all(SAME_WAY)) & (d * both + c * sine >= zero);
    return i4_bits(near & ~one_way);
}

/// A descent that can be left when the room for pairs is full and taken up again. What stands on the stack is worth it.
typedef struct descent {
    struct {
        uint32_t a, b;
    } stack[STACK]; // at most three more than taken, on each of 32 levels
    uint32_t depth;
} descent;

static void push(descent* d, uint32_t a, uint32_t b)
{
    d->stack[d->depth].a = a;
    d->stack[d->depth++].b = b;
}

static void push_children(descent* d, const contact_node* nodes, uint32_t a, uint32_t b)
{
    const contact_node *p = &nodes[2 * (size_t)a], *q = &nodes[2 * (size_t)b];
    if (a != b) {
        uint32_t bits = look_down(p, q);
        for (uint32_t k = 4; k-- > 0;)
            if (bits >> k & 1) push(d, 2 * a + k / 2, 2 * b + k % 2);
        return;
    }
    if (!looks_one_way(p + 1)) push(d, 2 * a + 1, 2 * a + 1);
    if (contact_overlap(p[0].min, p[0].max, p[1].min, p[1].max) && !look_one_way(p, p + 1)) push(d, 2 * a, 2 * a + 1);
    if (!looks_one_way(p)) push(d, 2 * a, 2 * a);
}

/// The hierarchy against itself, until the pairs of packs fill their room or nothing is left. Both nodes of a pair are on one
/// level.
static void descend(contact_search* s, descent* d)
{
    uint32_t packs = s->c->pack_count;
    s->pair_count = 0;
    while (d->depth > 0 && s->pair_count < PAIRS) {
        uint32_t a = d->stack[--d->depth].a, b = d->stack[d->depth].b;
        if (a >= packs + s->c->filled) continue; // an empty one with itself
        if (a >= packs) {
            s->m.pairs[2 * (size_t)s->pair_count] = a - packs;
            s->m.pairs[2 * (size_t)s->pair_count++ + 1] = b - packs;
            continue;
        }
        push_children(d, s->m.nodes, a, b);
    }
}

// ---------------------------------------------------------------------------------------------- one list

/// Keeps the most urgent ones, in the order they were in.
static uint32_t keep_nearest(contact_search* s, uint32_t count, uint32_t wanted)
{
    contact_item* found = s->m.found;
    for (uint32_t i = 0; i < count; ++i) s->m.keys[i] = (sup_sort_item){ sup_sort_key(found[i].rank), i };
    sup_sort(s->m.keys, s->m.spare, count);
    for (uint32_t i = 0; i < wanted; ++i) s->m.keys[i].key = s->m.keys[i].value;
    sup_sort(s->m.keys, s->m.spare, wanted);
    for (uint32_t i = 0; i < wanted; ++i)
        found[i] = found[s->m.keys[i].value]; // from behind to the front: never over one to come
    return wanted;
}

/// Most packs are in no pair: only the others are worth all that is looked at in pairs.
static void want_packs(contact_search* s)
{
    s->wanted_count = 0;
    for (uint32_t i = 0; i < 2 * s->pair_count; ++i) {
        uint32_t pack = s->m.pairs[i];
        if (!s->m.ready[pack]) s->m.wanted[s->wanted_count++] = pack;
        s->m.ready[pack] = 1;
    }
    sup_tasks_run(s->call->tasks, s->wanted_count, GRAIN_PACKS, measure_details, s);
}

/// Pairs of packs in waves: the chunks of one in parallel, then what they found one after the other.
static uint32_t gather(contact_search* s, uint32_t* lost)
{
    uint32_t capacity = 2 * s->c->capacity, count = 0;
    uint64_t left = PAIRS + PAIRS_MOST * (uint64_t)s->c->filled, couples = 0;
    descent  d;
    d.depth = 0;
    if (!looks_one_way(&s->m.nodes[1])) push(&d, 1, 1);
    memset(s->m.ready, 0, s->c->filled * sizeof *s->m.ready);
    while (d.depth > 0) {
        descend(s, &d);
        if (s->pair_count > left || *lost > LOST_MOST * (uint64_t)capacity || couples > COUPLES_MOST * (uint64_t)s->c->filled) {
            s->crowded = true;
            break;
        }
        left -= s->pair_count;
        want_packs(s);
        uint32_t chunks = (s->pair_count + CHUNK - 1) / CHUNK;
        sup_tasks_run(s->call->tasks, chunks, 1, sup_contact_narrow, s);
        for (uint32_t k = 0; k < chunks; ++k) {
            *lost += s->m.counts[k].lost;
            couples += s->m.counts[k].couples;
            for (uint32_t i = 0; i < s->m.counts[k].kept; ++i) {
                if (count == capacity) {
                    count = keep_nearest(s, count, s->c->capacity);
                    *lost += capacity - count;
                }
                s->m.found[count++] = s->m.slices[(size_t)k * SLICE + i];
            }
        }
    }
    return count;
}

/// A point stays with the triangle it lay on until another is nearer by this, mean edges: on an edge it would go to and fro
/// between two.
static const float cached_bonus = 0.2f;

static float rank_of(const contact_search* s, const contact_item* i)
{
    return sup_contact_is_cached(s, i) ? i->rank - cached_bonus * i->unit : i->rank;
}

/// Of several triangles one point keeps the most urgent; edges keep all.
static uint32_t choose(contact_search* s, uint32_t count)
{
    contact_item* found = s->m.found;
    uint32_t      kept = 0;
    memset(s->m.best, 0xff, s->c->point_count * sizeof *s->m.best);
    for (uint32_t i = 0; i < count; ++i) {
        if (found[i].kind != CONTACT_POINT) continue;
        uint32_t* best = &s->m.best[found[i].p[0]];
        if (*best == SUP_NONE || rank_of(s, &found[i]) < rank_of(s, &found[*best])) *best = i;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (found[i].kind == CONTACT_POINT && s->m.best[found[i].p[0]] != i) continue;
        found[kept++] = found[i];
    }
    return kept;
}

static uint32_t lowest(const contact_item* c)
{
    uint32_t low = c->p[0];
    for (int k = 1; k < 4; ++k) low = c->p[k] < low ? c->p[k] : low;
    return low;
}

static void color(contact_search* s)
{
    contact_header* h = s->m.header;
    h->color_count = 0;
    if (h->count <= CONTACT_SERIAL) return;
    memset(s->m.colors, 0, s->c->point_count * sizeof *s->m.colors);
    for (uint32_t i = 0; i < h->count; ++i) {
        const uint32_t* p = s->m.list[i].p;
        uint64_t        taken = s->m.colors[p[0]] | s->m.colors[p[1]] | s->m.colors[p[2]] | s->m.colors[p[3]];
        uint32_t        c = 0;
        while (c < 63 && taken >> c & 1) ++c; // the last color is for the rest, which is solved in order
        for (int k = 0; k < 4; ++k) s->m.colors[p[k]] |= (uint64_t)1 << c;
        s->m.keys[i] = (sup_sort_item){ c, i };
    }
    sup_sort(s->m.keys, s->m.spare, h->count);
    memset(h->color_begin, 0, sizeof h->color_begin);
    for (uint32_t i = 0; i < h->count; ++i) {
        s->m.order[i] = s->m.keys[i].value;
        h->color_begin[s->m.keys[i].key + 1]++;
    }
    for (uint32_t c = 0; c < 64; ++c) h->color_begin[c + 1] += h->color_begin[c];
    h->color_count = 64;
}

static void list_self(contact_search* s, sup_contact_report* report)
{
    uint32_t count = sup_contact_last(s, choose(s, gather(s, &report->lost)));
    if (count > s->c->capacity) {
        report->lost += count - s->c->capacity;
        count = keep_nearest(s, count, s->c->capacity);
    }
    for (uint32_t i = 0; i < count; ++i) s->m.keys[i] = (sup_sort_item){ lowest(&s->m.found[i]), i };
    sup_sort(s->m.keys, s->m.spare, count);
    for (uint32_t i = 0; i < count; ++i) {
        s->m.list[i] = s->m.found[s->m.keys[i].value];
        report->swept += s->m.list[i].swept;
        report->point_triangle += s->m.list[i].kind == CONTACT_POINT;
        report->edge_edge += s->m.list[i].kind == CONTACT_EDGE;
    }
    s->m.header->count = count;
    report->crowded = s->crowded;
}

// ---------------------------------------------------------------------------------------------- what touched at rest

/// Whether a point is further than the margin from everything it lay on.
static bool has_parted(const contact_search* s, uint32_t p)
{
    const sup_contact* c = s->c;
    float              margin = c->margin * c->units[p], weights[3];
    sup_vec3           x = sup_particle_place(&s->from[p]);
    for (uint32_t i = c->touch_begin[p]; i < c->touch_begin[p + 1]; ++i) {
        const uint32_t* t = c->bvh.corners + 3 * (size_t)c->touched[i];
        float square = sup_contact_triangle_square(x, sup_particle_place(&s->from[t[0]]), sup_particle_place(&s->from[t[1]]),
                                                   sup_particle_place(&s->from[t[2]]), weights);
        if (!(square > margin * margin)) return false;
    }
    return true;
}

sup_contact_report sup_contact_search(const sup_contact* c, const sup_contact_call* call, const sup_vec4* from,
                                      const sup_vec4* to, uint32_t solid_count, const sup_solid* solids, void* state)
{
    SUP_ASSERT(solid_count <= c->solid_count && from && to && state && call->scratch);
    sup_contact_report report = { 0 };
    contact_search     s = { .c = c, .call = call, .m = sup_contact_divide(c, call->scratch, NULL), .from = from, .to = to };
    contact_habits*    cached = state;
    uint8_t*           parted = (uint8_t*)(cached->list + c->capacity);
    *s.m.header = (contact_header){ 0 };
    s.cached = cached;
    s.parted = parted;
    s.shift = common_move(&s);
    for (uint32_t i = 0; i < c->resting_count; ++i)
        if (!(parted[i / 8] >> i % 8 & 1) && has_parted(&s, c->resting[i]))
            parted[i / 8] = (uint8_t)(parted[i / 8] | 1 << i % 8);
    bool self = call->settings.self && !c->off;
    if (self || solid_count > 0) refit(&s);
    if (self) {
        list_self(&s, &report);
        color(&s);
        report.colors = s.m.header->color_count;
    }
    if (solid_count > 0) sup_contact_find_bodies(&s, solid_count, solids, &report);
    return report;
}

#include "geom/cage/cage_web.h"

#include "base/internal.h"
#include "geom/search/intersect.h"
#include "math/vec.h"

#include <math.h>

// Width of a bucket in cells: a few triangles of the fine surface, about one of the cage.
#define BUCKET 3.0f

// ---------------------------------------------------------------------------------------------- buckets

typedef struct span {
    uint32_t low[3], high[3];
} span;

static span span_of(const cage_web* w, const sup_box* box)
{
    span s;
    for (int a = 0; a < 3; ++a) {
        float low = floorf(box->min[a] / BUCKET), high = floorf(box->max[a] / BUCKET), last = (float)(w->size[a] - 1);
        s.low[a] = !(low > 0) ? 0 : low > last ? w->size[a] - 1 : (uint32_t)low;
        s.high[a] = !(high > 0) ? 0 : high > last ? w->size[a] - 1 : (uint32_t)high;
    }
    return s;
}

static bool in_span(const span* s, uint32_t x, uint32_t y, uint32_t z)
{
    return x >= s->low[0] && x <= s->high[0] && y >= s->low[1] && y <= s->high[1] && z >= s->low[2] && z <= s->high[2];
}

static uint32_t bucket_at(const cage_web* w, uint32_t x, uint32_t y, uint32_t z)
{
    return x + w->size[0] * (y + w->size[1] * z);
}

static bool alive(const cage_web* w, uint32_t triangle) { return w->s->triangles[3 * (size_t)triangle] != SUP_NONE; }

static void drop(cage_web* w, uint32_t* at)
{
    uint32_t e = *at;
    *at = w->entries[e].next;
    w->entries[e].next = w->entry_free;
    w->entry_free = e;
    --w->entry_used;
}

static void sweep(cage_web* w, uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t* at = &w->buckets[bucket_at(w, x, y, z)];
    while (*at != SUP_NONE) {
        uint32_t e = *at, t = w->entries[e].triangle;
        span     s = span_of(w, &w->boxes[t]);
        if (alive(w, t) && in_span(&s, x, y, z)) at = &w->entries[e].next;
        else drop(w, at);
    }
}

// Removes the entries of triangles that have moved elsewhere.
static void sweep_all(cage_web* w)
{
    for (uint32_t z = 0; z < w->size[2]; ++z)
        for (uint32_t y = 0; y < w->size[1]; ++y)
            for (uint32_t x = 0; x < w->size[0]; ++x) sweep(w, x, y, z);
}

static void enter(cage_web* w, uint32_t triangle, uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t e = w->entry_free, *at = &w->buckets[bucket_at(w, x, y, z)];
    if (e != SUP_NONE) w->entry_free = w->entries[e].next;
    else e = w->entry_count++;
    SUP_ASSERT(e < w->entry_capacity); // the caller has asked for room
    ++w->entry_used;
    w->entries[e].triangle = triangle;
    w->entries[e].next = *at;
    *at = e;
}

static sup_box box_of(const cage_web* w, uint32_t triangle)
{
    const uint32_t* c = w->s->triangles + 3 * (size_t)triangle;
    const sup_vec3* p = w->s->points;
    sup_vec3        low = v3_min(p[c[0]], v3_min(p[c[1]], p[c[2]])), high = v3_max(p[c[0]], v3_max(p[c[1]], p[c[2]]));
    return (sup_box){ { low.x, low.y, low.z }, { high.x, high.y, high.z } };
}

static void enter_all(cage_web* w, uint32_t triangle, const span* before)
{
    span s = span_of(w, &w->boxes[triangle]);
    for (uint32_t z = s.low[2]; z <= s.high[2]; ++z)
        for (uint32_t y = s.low[1]; y <= s.high[1]; ++y)
            for (uint32_t x = s.low[0]; x <= s.high[0]; ++x)
                if (!before || !in_span(before, x, y, z)) enter(w, triangle, x, y, z);
}

void cage_web_moved(cage_web* w, uint32_t triangle)
{
    span before = span_of(w, &w->boxes[triangle]);
    w->boxes[triangle] = box_of(w, triangle);
    enter_all(w, triangle, &before);
}

// ---------------------------------------------------------------------------------------------- making

static uint64_t span_count(const span* s)
{
    return (uint64_t)(s->high[0] - s->low[0] + 1) * (s->high[1] - s->low[1] + 1) * (s->high[2] - s->low[2] + 1);
}

// Entries of the fine surface. They become fewer as it gets coarser, so four times as many are plenty; an edit that would
// exceed them counts as blocked.
static uint32_t count_entries(const cage_web* w)
{
    uint64_t sum = 0;
    for (uint32_t t = 0; t < w->s->triangle_count; ++t) {
        span s = span_of(w, &w->boxes[t]);
        sum += span_count(&s);
    }
    return sum > 500000000 ? 500000000 : (uint32_t)sum;
}

sup_result cage_web_create(const cage_grid* grid, cage_surface* s, sup_arena* arena, cage_web* out, sup_error* error)
{
    cage_web* w = out;
    uint32_t  total = 1;
    *w = (cage_web){ .s = s, .entry_free = SUP_NONE };
    for (int a = 0; a < 3; ++a) total *= w->size[a] = (uint32_t)((float)grid->size[a] / BUCKET) + 1;
    w->head = SUP_NEW(arena, uint32_t, s->point_count);
    w->next = SUP_NEW(arena, uint32_t, 3 * (size_t)s->triangle_count);
    w->boxes = SUP_NEW(arena, sup_box, s->triangle_count);
    w->buckets = SUP_NEW(arena, uint32_t, total);
    w->stamps = SUP_NEW(arena, uint32_t, s->triangle_count);
    if (!w->head || !w->next || !w->boxes || !w->buckets || !w->stamps) return sup_fail_memory(error, "a cage");
    for (uint32_t t = 0; t < s->triangle_count; ++t) w->boxes[t] = box_of(w, t);
    w->entry_capacity = 4 * count_entries(w) + 4096;
    w->entries = sup_arena_alloc(arena, w->entry_capacity, sizeof *w->entries);
    if (!w->entries) return sup_fail_memory(error, "a cage");
    for (uint32_t i = 0; i < total; ++i) w->buckets[i] = SUP_NONE;
    for (uint32_t p = 0; p < s->point_count; ++p) w->head[p] = SUP_NONE;
    for (uint32_t c = 0; c < 3 * s->triangle_count; ++c) cage_web_link(w, s->triangles[c], c);
    for (uint32_t t = 0; t < s->triangle_count; ++t) enter_all(w, t, NULL);
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- neighbors

void cage_web_link(cage_web* w, uint32_t point, uint32_t corner)
{
    w->next[corner] = w->head[point];
    w->head[point] = corner;
}

void cage_web_unlink(cage_web* w, uint32_t point, uint32_t corner)
{
    uint32_t* at = &w->head[point];
    while (*at != SUP_NONE && *at != corner) at = &w->next[*at];
    if (*at != SUP_NONE) *at = w->next[corner];
}

bool cage_web_fan(const cage_web* w, uint32_t point, cage_fan* out)
{
    out->count = 0;
    for (uint32_t c = w->head[point]; c != SUP_NONE; c = w->next[c]) {
        if (out->count == CAGE_FAN) return false;
        out->triangles[out->count++] = c / 3;
    }
    return out->count > 0;
}

uint32_t cage_web_valence(const cage_web* w, uint32_t point)
{
    uint32_t n = 0;
    for (uint32_t c = w->head[point]; c != SUP_NONE; c = w->next[c]) ++n;
    return n;
}

uint32_t cage_web_ring(const cage_web* w, const cage_fan* fan, uint32_t point, uint32_t out[2 * CAGE_FAN])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < fan->count; ++i)
        for (int k = 0; k < 3; ++k) {
            uint32_t p = w->s->triangles[3 * (size_t)fan->triangles[i] + k], j = 0;
            if (p == point) continue;
            while (j < n && out[j] != p) ++j;
            if (j == n) out[n++] = p;
        }
    return n;
}

float cage_quality(const sup_vec3 t[3], sup_vec3* normal)
{
    sup_vec3 u = v3_sub(t[1], t[0]), v = v3_sub(t[2], t[0]), w = v3_sub(t[2], t[1]);
    *normal = v3_cross(u, v);
    float sum = v3_length2(u) + v3_length2(v) + v3_length2(w);
    return sum > 0 ? 3.4641016f * v3_length(*normal) / sum : 0;
}

// ---------------------------------------------------------------------------------------------- crossing

static sup_box box_of_places(const sup_vec3 p[3])
{
    sup_vec3 low = v3_min(p[0], v3_min(p[1], p[2])), high = v3_max(p[0], v3_max(p[1], p[2]));
    return (sup_box){ { low.x, low.y, low.z }, { high.x, high.y, high.z } };
}

// A plane through a corner of s with all of s behind it and every corner of t that is not shared well in front of it: then they
// touch at corners at most. Far cheaper than the exact test, and it decides almost all pairs.
static bool in_front(sup_vec3 at, sup_vec3 normal, const sup_vec3* t, const bool* shared)
{
    const float well = 1e-5f; // sine of the angle above the plane: some eighty roundings of a float
    float length = v3_length(normal);
    for (int k = 0; k < 3; ++k) {
        sup_vec3 d = v3_sub(t[k], at);
        if (!shared[k] && !(v3_dot(normal, d) > well * length * (fabsf(d.x) + fabsf(d.y) + fabsf(d.z)))) return false;
    }
    return true;
}

static bool same(sup_vec3 a, sup_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static bool separates(const sup_vec3* s, const sup_vec3* t)
{
    sup_vec3 normal = v3_cross(v3_sub(s[1], s[0]), v3_sub(s[2], s[0]));
    bool     shared[3];
    for (int k = 0; k < 3; ++k) shared[k] = same(t[k], s[0]) || same(t[k], s[1]) || same(t[k], s[2]);
    if (in_front(s[0], normal, t, shared) || in_front(s[0], v3_scale(normal, -1), t, shared)) return true;
    for (int k = 0; k < 3; ++k)
        if (in_front(s[k], v3_cross(v3_sub(s[(k + 1) % 3], s[k]), normal), t, shared)) return true;
    return false;
}

static bool cross(const sup_vec3* s, const sup_vec3* t)
{
    return !separates(s, t) && !separates(t, s) && sup_triangles_cross(s, t);
}

static bool meets(const cage_web* w, uint32_t triangle, const sup_vec3 (*triangles)[3], const sup_box* boxes, uint32_t count)
{
    const uint32_t* c = w->s->triangles + 3 * (size_t)triangle;
    for (uint32_t i = 0; i < count; ++i) {
        if (!sup_box_overlap(&boxes[i], &w->boxes[triangle])) continue;
        sup_vec3 other[3] = { w->s->points[c[0]], w->s->points[c[1]], w->s->points[c[2]] };
        if (cross(triangles[i], other)) return true;
    }
    return false;
}

// Entries of triangles that have moved on do no harm: the comparison uses their present position.
static bool bucket_meets(cage_web* w, uint32_t bucket, const sup_vec3 (*triangles)[3], const sup_box* boxes, uint32_t count,
                         const sup_box* all)
{
    uint32_t* at = &w->buckets[bucket];
    while (*at != SUP_NONE) {
        uint32_t e = *at, t = w->entries[e].triangle;
        if (!alive(w, t)) {
            drop(w, at);
            continue;
        }
        at = &w->entries[e].next;
        if (w->stamps[t] == w->stamp || !sup_box_overlap(all, &w->boxes[t])) continue;
        w->stamps[t] = w->stamp;
        if (meets(w, t, triangles, boxes, count)) return true;
    }
    return false;
}

bool cage_web_workspace(const cage_web* w, uint32_t count) { return w->entry_used + 64ull * count <= w->entry_capacity; }

static bool has_capacity(cage_web* w, const sup_box* boxes, uint32_t count)
{
    uint64_t need = 0;
    for (uint32_t i = 0; i < count; ++i) {
        span s = span_of(w, &boxes[i]);
        need += span_count(&s);
    }
    if (w->entry_used + need > w->entry_capacity) sweep_all(w);
    return w->entry_used + need <= w->entry_capacity;
}

bool cage_web_blocked(cage_web* w, const sup_vec3 (*triangles)[3], uint32_t count, const cage_fan* gone)
{
    sup_box boxes[2 * CAGE_FAN], all = box_of_places(triangles[0]);
    for (uint32_t i = 0; i < count; ++i) {
        boxes[i] = box_of_places(triangles[i]);
        for (int a = 0; a < 3; ++a) {
            all.min[a] = fminf(all.min[a], boxes[i].min[a]);
            all.max[a] = fmaxf(all.max[a], boxes[i].max[a]);
        }
        for (uint32_t k = 0; k < i; ++k)
            if (cross(triangles[i], triangles[k])) return true;
    }
    if (!has_capacity(w, boxes, count)) return true;
    ++w->stamp;
    for (uint32_t i = 0; i < gone->count; ++i) w->stamps[gone->triangles[i]] = w->stamp;
    span s = span_of(w, &all);
    for (uint32_t z = s.low[2]; z <= s.high[2]; ++z)
        for (uint32_t y = s.low[1]; y <= s.high[1]; ++y)
            for (uint32_t x = s.low[0]; x <= s.high[0]; ++x)
                if (bucket_meets(w, bucket_at(w, x, y, z), triangles, boxes, count, &all)) return true;
    return false;
}

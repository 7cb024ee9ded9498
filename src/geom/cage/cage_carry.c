// What a cage point takes its values from: nearby places of the mesh that face the same way and may move with it.
#include "base/internal.h"
#include "geom/cage/cage_internal.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

// How far a point searches, in local edges of the cage, and the bounds of that in cells.
#define REACH_EDGES 0.6f
#define REACH_LEAST 1.5f
#define REACH_MOST 5.0f
// A sample that faces away still counts this much: better than nothing if all do.
#define AWAY_SHARE 1e-3f
enum { FOUND_MOST = 512 };

static sup_result no_memory(sup_error* error) { return sup_fail_memory(error, "a cage"); }

// ---------------------------------------------------------------------------------------------- lists

typedef struct list {
    uint32_t count;
    uint32_t items[FOUND_MOST];
    float    values[FOUND_MOST];
} list;

static void list_add(list* l, uint32_t item, float value)
{
    uint32_t i = 0;
    while (i < l->count && l->items[i] != item) ++i;
    if (i == FOUND_MOST) return;
    if (i == l->count) l->items[l->count] = item, l->values[l->count++] = 0;
    l->values[i] += value;
}

// Keeps the largest ones, at most `most`, with a sum of 1. Ties by number.
static void list_keep(list* l, uint32_t most)
{
    uint32_t n = l->count < most ? l->count : most;
    double   sum = 0;
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t best = i;
        for (uint32_t k = i + 1; k < l->count; ++k)
            if (l->values[k] > l->values[best] || (l->values[k] == l->values[best] && l->items[k] < l->items[best])) best = k;
        uint32_t item = l->items[best];
        float    value = l->values[best];
        l->items[best] = l->items[i], l->values[best] = l->values[i];
        l->items[i] = item, l->values[i] = value;
        sum += (double)value;
    }
    l->count = n;
    while (l->count > 1 && !(l->values[l->count - 1] > 0)) --l->count;
    for (uint32_t i = 0; i < l->count; ++i)
        l->values[i] = sum > 0 ? (float)((double)l->values[i] / sum) : 1.0f / (float)l->count;
}

// ---------------------------------------------------------------------------------------------- sources

typedef struct carrier {
    const cage_maker*   m;
    const cage_surface* s;
    const sup_vec3*     normals;
    sup_cage*           out;
    uint32_t *          source_begin, *sources, *weight_begin, *joints;
    float *             shares, *values;
} carrier;

static sup_vec3 sample_place(const cage_maker* m, const cage_sample* s, sup_vec3* normal)
{
    const cage_grid* g = &m->grid;
    const uint32_t*  c = m->triangles + 3 * (size_t)s->triangle;
    const sup_vec3 * p = &m->desc->points[c[0]], *q = &m->desc->points[c[1]], *r = &m->desc->points[c[2]];
    float            b = 1 - s->b[0] - s->b[1];
    sup_vec3         at = v3_add(v3_scale(*p, s->b[0]), v3_add(v3_scale(*q, s->b[1]), v3_scale(*r, b)));
    *normal = v3_normalize(v3_cross(v3_sub(*q, *p), v3_sub(*r, *p)), v3(0, 0, 0));
    return v3((float)(((double)at.x - g->origin[0]) / g->h), (float)(((double)at.y - g->origin[1]) / g->h),
              (float)(((double)at.z - g->origin[2]) / g->h));
}

static void take_sample(const cage_maker* m, const cage_sample* s, float share, list* l)
{
    const uint32_t* c = m->triangles + 3 * (size_t)s->triangle;
    list_add(l, c[0], share * s->b[0]);
    list_add(l, c[1], share * s->b[1]);
    list_add(l, c[2], share * (1 - s->b[0] - s->b[1]));
}

static uint32_t clamp_node(float x, uint32_t size) { return !(x > 0) ? 0 : x > (float)(size - 1) ? size - 1 : (uint32_t)x; }

static void look_around(const carrier* c, uint32_t point, list* l)
{
    const cage_maker* m = c->m;
    const cage_grid*  g = &m->grid;
    sup_vec3          p = c->s->points[point], n = c->normals[point], inside = v3_mad(p, -0.5f, n);
    float             reach = sup_clampf(REACH_EDGES * c->s->sizes[point], REACH_LEAST, REACH_MOST);
    uint32_t          low[3], high[3], home = 0;
    for (int a = 0; a < 3; ++a) {
        low[a] = clamp_node(floorf((&p.x)[a] - reach), g->size[a]);
        high[a] = clamp_node(ceilf((&p.x)[a] + reach), g->size[a]);
        home += clamp_node(floorf((&inside.x)[a] + 0.5f), g->size[a]) * g->step[a];
    }
    for (uint32_t z = low[2]; z <= high[2]; ++z)
        for (uint32_t y = low[1]; y <= high[1]; ++y)
            for (uint32_t x = low[0]; x <= high[0]; ++x) {
                uint32_t node = x + y * g->step[1] + z * g->step[2];
                if (m->sample_at[node] == SUP_NONE || cage_must_part(m, home, node)) continue;
                const cage_sample* s = &m->samples[m->sample_at[node]];
                sup_vec3           normal, at = sample_place(m, s, &normal);
                float              away = 1 - v3_length2(v3_sub(at, p)) / (reach * reach), facing = v3_dot(normal, n);
                if (away > 0) take_sample(m, s, away * away * (facing > 0 ? facing * facing + AWAY_SHARE : AWAY_SHARE), l);
            }
    if (l->count == 0 && m->nearest[home] != SUP_NONE) take_sample(m, &m->samples[m->nearest[home]], 1, l);
}

// ---------------------------------------------------------------------------------------------- weights

static void weights_of(const carrier* c, uint32_t point, list* l)
{
    const sup_cage_desc* d = c->m->desc;
    for (uint32_t i = c->source_begin[point]; i < c->source_begin[point + 1]; ++i)
        for (uint32_t k = d->weight_begin[c->sources[i]]; k < d->weight_begin[c->sources[i] + 1]; ++k)
            list_add(l, d->weight_joints[k], c->shares[i] * d->weight_values[k]);
}

static sup_result carry_weights(carrier* c, sup_arena* arena, sup_error* error)
{
    uint32_t n = c->s->point_count;
    list*    l = SUP_NEW(c->m->scratch, list, 1);
    c->joints = SUP_NEW(arena, uint32_t, SUP_CAGE_INFLUENCES * (size_t)n);
    c->values = SUP_NEW(arena, float, SUP_CAGE_INFLUENCES*(size_t)n);
    if (!l || !c->joints || !c->values) return no_memory(error);
    for (uint32_t p = 0; p < n; ++p) {
        l->count = 0;
        weights_of(c, p, l);
        if (l->count) list_keep(l, SUP_CAGE_INFLUENCES);
        memcpy(c->joints + c->weight_begin[p], l->items, l->count * sizeof *l->items);
        memcpy(c->values + c->weight_begin[p], l->values, l->count * sizeof *l->values);
        c->weight_begin[p + 1] = c->weight_begin[p] + l->count;
    }
    c->out->weight_begin = c->weight_begin;
    c->out->weight_joints = c->joints;
    c->out->weight_values = c->values;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- whole

static sup_vec3* normals_of(const cage_surface* s, sup_arena* arena)
{
    sup_vec3* n = SUP_NEW(arena, sup_vec3, s->point_count);
    for (uint32_t t = 0; n && t < s->triangle_count; ++t) {
        const uint32_t* c = s->triangles + 3 * (size_t)t;
        sup_vec3        area = v3_cross(v3_sub(s->points[c[1]], s->points[c[0]]), v3_sub(s->points[c[2]], s->points[c[0]]));
        for (int k = 0; k < 3; ++k) n[c[k]] = v3_add(n[c[k]], area);
    }
    for (uint32_t p = 0; n && p < s->point_count; ++p) n[p] = v3_normalize(n[p], v3(0, 0, 0));
    return n;
}

sup_result cage_carry(cage_maker* m, const cage_surface* s, sup_arena* arena, sup_cage* out, sup_error* error)
{
    uint32_t n = s->point_count;
    carrier  c = { .m = m, .s = s, .out = out, .normals = normals_of(s, m->scratch) };
    c.source_begin = SUP_NEW(arena, uint32_t, (size_t)n + 1);
    c.weight_begin = SUP_NEW(arena, uint32_t, (size_t)n + 1);
    c.sources = SUP_NEW(arena, uint32_t, SUP_CAGE_SOURCES * (size_t)n);
    c.shares = SUP_NEW(arena, float, SUP_CAGE_SOURCES*(size_t)n);
    list* l = SUP_NEW(m->scratch, list, 1);
    if (!c.normals || !c.source_begin || !c.weight_begin || !c.sources || !c.shares || !l) return no_memory(error);
    for (uint32_t p = 0; p < n; ++p) {
        l->count = 0;
        look_around(&c, p, l);
        list_keep(l, SUP_CAGE_SOURCES);
        memcpy(c.sources + c.source_begin[p], l->items, l->count * sizeof *l->items);
        memcpy(c.shares + c.source_begin[p], l->values, l->count * sizeof *l->values);
        c.source_begin[p + 1] = c.source_begin[p] + l->count;
    }
    out->source_begin = c.source_begin;
    out->sources = c.sources;
    out->shares = c.shares;
    return m->desc->weight_begin ? carry_weights(&c, arena, error) : SUP_OK;
}

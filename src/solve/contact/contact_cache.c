// Contacts come and go slowly. A point on an edge finds the triangle on either side in turns, edges slip over each other's
// ends: lists that change with every step throw a crease to and fro for ever. So what is found grows into its strength, and
// what is no longer found fades over a few steps, as long as it could still be meant. Where it has come apart it does not push
// anyway.
//
// What rides on the skin may have to be kept farther apart than the search looks. Pairs that were parted so far would be
// forgotten, fall back and be found again, for ever: they do not fade.
#include "solve/contact/contact_internal.h"

#include <math.h>
#include <string.h>

static const float growth = 0.3f; // of the way to its new strength, each step
static const float turned = 0.6f; // cosine of normals beyond which a point looks past its triangle
static const float faded = 0.05f; // below this strength it is gone

static uint64_t key_of(const uint32_t id[2], uint32_t kind) { return (uint64_t)kind << 63 | (uint64_t)id[0] << 32 | id[1]; }

bool sup_contact_is_cached(const contact_search* s, const contact_item* item)
{
    uint64_t key = key_of(item->id, item->kind);
    uint32_t begin = 0, end = s->cached->count;
    while (begin < end) {
        uint32_t              middle = begin + (end - begin) / 2;
        const contact_cached* h = &s->cached->list[middle];
        uint64_t              at = key_of(h->id, h->kind);
        if (at == key) return true;
        if (at < key) begin = middle + 1;
        else end = middle;
    }
    return false;
}

static sup_vec3 edge_normal(const contact_search* s, const uint32_t* e)
{
    return v3_normalize(v3_add(s->m.normals[e[0]], s->m.normals[e[1]]), v3(0, 0, 0));
}

/// `held`: parted farther than the search looks, and no farther than what rides there asks for.
static bool near_enough(const contact_search* s, const uint32_t p[4], const sup_touch* t, float unit, float depth, bool* held)
{
    float margin = s->c->margin * unit;
    *held = t->gap >= margin;
    return t->gap < margin + contact_over(s->call, p, t->weights) && t->gap > -depth * s->c->reach * unit;
}

static bool point_persists(const contact_search* s, const contact_cached* h, contact_item* out, bool* held)
{
    const uint32_t* c = s->c->bvh.corners + 3 * (size_t)h->id[1];
    uint32_t        p = h->id[0];
    const uint32_t  all[4] = { p, c[0], c[1], c[2] };
    float           unit = 0.5f * (s->c->units[p] + s->c->slot_units[h->id[1]]);
    sup_touch       t;
    if (!sup_point_triangle(contact_to(s, p), contact_to(s, c[0]), contact_to(s, c[1]), contact_to(s, c[2]), s->c->side, &t))
        return false;
    for (int k = 1; k < 4; ++k)
        if (!(t.weights[k] < CONTACT_WANDER)) return false;
    if (!near_enough(s, all, &t, unit, 1, held) || !(v3_dot(s->m.normals[p], t.normal) < turned)) return false;
    *out = (contact_item){ .p = { p, c[0], c[1], c[2] }, .unit = unit, .side = s->c->side, .rank = fabsf(t.gap) };
    return !sup_contact_is_ridge(s, p, c, t.gap);
}

static bool edge_persists(const contact_search* s, const contact_cached* h, contact_item* out, bool* held)
{
    const uint32_t *a = s->c->bvh.corners + h->id[0] / 3 * (size_t)3, *b = s->c->bvh.corners + h->id[1] / 3 * (size_t)3;
    uint32_t        i = h->id[0] % 3, k = h->id[1] % 3;
    const uint32_t  e[4] = { a[i], a[(i + 1) % 3], b[k], b[(k + 1) % 3] };
    const sup_vec3  x[4] = { contact_to(s, e[0]), contact_to(s, e[1]), contact_to(s, e[2]), contact_to(s, e[3]) };
    sup_vec3        first = edge_normal(s, e), second = edge_normal(s, e + 2);
    float           unit = 0.25f * (s->c->units[e[0]] + s->c->units[e[1]] + s->c->units[e[2]] + s->c->units[e[3]]);
    sup_touch       t;
    float           side = sup_edge_side(x[0], x[1], x[2], x[3], first, second);
    if (!sup_edge_edge(x[0], x[1], x[2], x[3], side, v3_sub(first, second), &t)) return false;
    float from = -t.weights[1], to = t.weights[3];
    if (!(from > -CONTACT_WANDER && from < 1 + CONTACT_WANDER && to > -CONTACT_WANDER && to < 1 + CONTACT_WANDER)) return false;
    if (!near_enough(s, e, &t, unit, CONTACT_EDGE_REACH, held)) return false;
    if (!(v3_dot(t.normal, first) > 0) || !(v3_dot(t.normal, second) < 0)) return false;
    if (t.gap < 0 && sup_contact_edges_next(s->c, e)) return false;
    *out =
        (contact_item){ .p = { e[0], e[1], e[2], e[3] }, .unit = unit, .side = side, .hint = t.normal, .rank = fabsf(t.gap) };
    return true;
}

/// A point that has found another triangle forgets the one before.
static bool has_other(const contact_search* s, const contact_cached* h) { return s->m.best[h->id[0]] != SUP_NONE; }

static bool fade(const contact_search* s, const contact_cached* h, contact_item* out)
{
    float strength = (1 - growth) * h->strength;
    bool  held = false;
    if (!(strength > faded) || (h->kind == CONTACT_EDGE && !s->call->settings.edges)) return false;
    if (!(h->kind == CONTACT_EDGE ? edge_persists(s, h, out, &held)
                                  : point_persists(s, h, out, &held) && (held || !has_other(s, h))))
        return false;
    out->id[0] = h->id[0];
    out->id[1] = h->id[1];
    out->kind = (uint16_t)h->kind;
    out->strength = held ? h->strength : strength;
    return true;
}

uint32_t sup_contact_last(contact_search* s, uint32_t count)
{
    contact_item*   found = s->m.found;
    contact_cached* now = s->m.cached;
    uint32_t        capacity = 2 * s->c->capacity, all = count, kept = 0, old = 0;
    for (uint32_t i = 0; i < count; ++i) s->m.keys[i] = (sup_sort_item){ key_of(found[i].id, found[i].kind), i };
    sup_sort(s->m.keys, s->m.spare, count);
    for (uint32_t i = 0; i < count || old < s->cached->count;) {
        const contact_cached* h = old < s->cached->count ? &s->cached->list[old] : NULL;
        uint64_t      ours = i < count ? s->m.keys[i].key : UINT64_MAX, theirs = h ? key_of(h->id, h->kind) : UINT64_MAX;
        contact_item* item = i < count && ours <= theirs ? &found[s->m.keys[i].value] : NULL;
        if (!item && all < capacity && fade(s, h, &found[all])) item = &found[all++];
        else if (item && !item->swept && ours == theirs) item->strength = h->strength + growth * (item->strength - h->strength);
        if (item && kept < s->c->capacity)
            now[kept++] = (contact_cached){ { item->id[0], item->id[1] }, item->kind, item->strength };
        i += ours <= theirs && i < count;
        old += theirs <= ours && h != NULL;
    }
    memcpy(s->cached->list, now, kept * sizeof *now);
    s->cached->count = kept;
    return all;
}

// Some skin cannot press on what is beside it: pieces that pass through each other at rest, as a belt through a coat, have no
// side to press to, and the two sides of a thin plate are not to be parted. These are tied: where one is near the other, both
// are displaced alike from where skinning puts them.
#include "solve/contact_internal.h"

#include <math.h>

/// Distances at rest, mean edges, up to which a tie is as firm as it gets, and from which on there is none.
typedef struct tie_reach {
    float full, none;
} tie_reach;

static const tie_reach through = { 1.0f, 2.5f }; // pieces that pass through each other
static const tie_reach thin = { 0.3f, 0.8f };    // the other side of a plate
static const tie_reach groove = { 0.3f, 0.6f };  // across a slit: what touches at rest has no contact
static const tie_reach parted = { 1.0f, 2.5f };  // ends that skinning takes apart, by so much more than at rest

enum { STACK = 64 };

/// How two places are tied; NULL: they are not. `around`: points that are a few edges away along the surface.
static const tie_reach* reach_of(const sup_contact* c, const bool* around, uint32_t point, uint32_t slot)
{
    uint32_t            other = c->bvh.corners[3 * (size_t)slot];
    const contact_rest* r = &c->slot_rests[slot];
    if (c->pieces[point] != c->pieces[other]) return sup_contact_pass_through(c, point, other) ? &through : NULL;
    if (!(v3_dot(r->normal, c->rest_normals[point]) < -0.5f)) return NULL;
    return v3_dot(r->normal, c->rest[point]) < r->offset ? &thin : around[other] ? &groove : NULL;
}

static void try_slot(const sup_contact* c, uint32_t point, uint32_t slot, const tie_reach* reach, sup_contact_tie* best)
{
    const uint32_t* t = c->bvh.corners + 3 * (size_t)slot;
    const sup_vec3* x = c->rest;
    float           weights[3];
    if (!reach || c->owns[slot] & OWN_FLAT || point == t[0] || point == t[1] || point == t[2]) return;
    float edges = sqrtf(sup_contact_triangle_square(x[point], x[t[0]], x[t[1]], x[t[2]], weights)) / c->units[point];
    float strength = sup_clampf((reach->none - edges) / (reach->none - reach->full), 0, 1);
    if (!(strength > 0) || strength < best->strength || (strength == best->strength && edges >= best->edges)) return;
    *best = (sup_contact_tie){ point, { t[0], t[1], t[2] }, { weights[0], weights[1], weights[2] }, strength, edges };
}

bool sup_contact_tie_point(const sup_contact* c, const sup_box* nodes, const bool* around, uint32_t point,
                           const uint32_t* crossed, uint32_t count, uint64_t* looks, sup_contact_tie* out)
{
    uint32_t stack[STACK], depth = 0;
    sup_vec3 x = c->rest[point];
    float    r = through.none * c->units[point];
    sup_box  box = { { x.x - r, x.y - r, x.z - r }, { x.x + r, x.y + r, x.z + r } };
    *out = (sup_contact_tie){ .strength = 0 };
    stack[depth++] = 1;
    while (depth > 0) {
        uint32_t node = stack[--depth];
        ++*looks;
        if (!sup_box_overlap(&nodes[node], &box)) continue;
        if (node < c->bvh.leaf_count) {
            stack[depth++] = 2 * node + 1;
            stack[depth++] = 2 * node;
            continue;
        }
        uint32_t leaf = node - c->bvh.leaf_count;
        for (uint32_t s = c->bvh.leaf_begin[leaf]; s < c->bvh.leaf_begin[leaf + 1]; ++s)
            try_slot(c, point, s, reach_of(c, around, point, s), out);
    }
    for (uint32_t i = 0; i < count; ++i) try_slot(c, point, crossed[i], &through, out); // of its own piece too
    return out->strength > 0;
}

uint32_t sup_contact_ties(const sup_contact* c, const sup_contact_tie** out)
{
    *out = c->ties;
    return c->tie_count;
}

// ---------------------------------------------------------------------------------------------- run

static sup_vec3 displaced(const sup_vec4* x, const sup_vec3* from, const sup_vec3* to, float fraction, uint32_t i)
{
    return v3_sub(sup_particle_place(&x[i]), v3_lerp(from[i], to[i], fraction));
}

/// What is left of a tie, 0 ... 1. Ends that skinning takes apart, as the skin of a leg and of the belly that cross in the
/// groin, are on different bones, and to be displaced alike means nothing any more: ties of several such points would pull
/// against each other, and where one of them is thin, draw it out by its mass.
static float tie_holds(const sup_contact* c, const sup_contact_tie* t, const sup_vec3* from, const sup_vec3* to, float fraction)
{
    sup_vec3 between = v3_lerp(from[t->point], to[t->point], fraction);
    for (int k = 0; k < 3; ++k)
        between = v3_mad(between, -t->weights[k], v3_lerp(from[t->corners[k]], to[t->corners[k]], fraction));
    float more = v3_length(between) / c->units[t->point] - t->edges;
    return sup_clampf((parted.none - more) / (parted.none - parted.full), 0, 1);
}

void sup_contact_hold_ties(const sup_contact* c, const sup_vec3* from, const sup_vec3* to, float fraction, sup_vec4* x)
{
    for (uint32_t i = 0; i < c->tie_count; ++i) {
        const sup_contact_tie* t = &c->ties[i];
        sup_vec3               apart = displaced(x, from, to, fraction, t->point);
        float                  inverse = x[t->point].w;
        for (int k = 0; k < 3; ++k) {
            apart = v3_mad(apart, -t->weights[k], displaced(x, from, to, fraction, t->corners[k]));
            inverse += t->weights[k] * t->weights[k] * x[t->corners[k]].w;
        }
        if (!(inverse > 0) || !v3_finite(apart)) continue;
        float share = t->strength * tie_holds(c, t, from, to, fraction) / inverse;
        sup_particle_move(&x[t->point], -share * x[t->point].w, apart);
        for (int k = 0; k < 3; ++k) sup_particle_move(&x[t->corners[k]], share * t->weights[k] * x[t->corners[k]].w, apart);
    }
}

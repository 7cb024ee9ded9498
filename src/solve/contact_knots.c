// Knots: places where the skin would pass through itself step after step, at the bottom of a crease sharper than its edges or
// where bones press limbs into each other. Untangling undoes what one step brings; here is what lasts: the points of triangles
// that crossed at the end of a step grow warm, warm points go towards the middle of their neighbors while they are solved, and
// cool down slowly, so that nothing jumps. What had to retreat to the skinned skin comes back from there as slowly.
#include "solve/contact_internal.h"

static const float warmer = 0.075f; // by being seen crossed
static const float cooler = 0.5f;   // for each mean edge that it moves: what is held still stays as warm as it is
static const float follows = 0.25f; // of the way from how warm it is to how warm it shall be, each step
static const float cold = 0.01f;
static const float ironed = 0.5f; // of the way to the middle, in a round

static float above(float heat) { return heat > cold ? heat : 0; }

static void cool(const contact_search* s, uint32_t i, contact_heat* h)
{
    float edges = v3_distance(contact_to(s, i), contact_from(s, i)) / s->c->units[i];
    float left = 1 - cooler * contact_min(edges, 1);
    h->is += follows * (h->wanted - h->is);
    if (!(h->is > cold) && !(h->wanted > cold)) h->is = h->wanted = 0;
    h->wanted *= left;
    h->retreated = above(left * h->retreated);
}

void sup_contact_cool(contact_search* s)
{
    for (uint32_t i = 0; i < s->c->point_count; ++i)
        if (s->heat[i].is > 0 || s->heat[i].wanted > 0 || s->heat[i].retreated > 0) cool(s, i, &s->heat[i]);
}

void sup_contact_warm(const sup_contact* c, void* state, const uint32_t* points, uint32_t count)
{
    contact_heat* heat = sup_contact_heat(c, state);
    for (uint32_t i = 0; i < count; ++i) heat[points[i]].wanted = contact_min(1, heat[points[i]].wanted + warmer);
}

void sup_contact_iron(const sup_contact* c, const void* state, sup_vec4* x)
{
    const contact_heat* heat = sup_contact_heat(c, state);
    for (uint32_t i = 0; i < c->point_count; ++i) {
        if (!(heat[i].is > cold) || !(x[i].w > 0)) continue;
        sup_vec3 sum = v3(0, 0, 0);
        uint32_t count = 0;
        for (uint32_t k = c->fan_begin[i]; k < c->fan_begin[i + 1]; ++k)
            for (int e = 0; e < 3; ++e) {
                uint32_t p = c->bvh.corners[3 * (size_t)c->fan[k] + (uint32_t)e];
                if (p == i) continue;
                sum = v3_add(sum, sup_particle_place(&x[p]));
                ++count;
            }
        if (!count) continue;
        sup_vec3 way = v3_sub(v3_scale(sum, 1.0f / (float)count), sup_particle_place(&x[i]));
        sup_particle_move(&x[i], ironed * heat[i].is, way);
    }
}

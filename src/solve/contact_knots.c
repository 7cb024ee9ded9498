// Knots: places where the skin passes through itself all the same, at the bottom of a crease sharper than its edges or where
// bones press limbs into each other. Contacts cannot undo them, because there are no sides any more. They are ironed out: the
// points of triangles that cross grow warm, and warm points go towards the middle of their neighbors until nothing crosses, and
// cool down slowly, so that nothing jumps.
#include "geom/intersect.h"
#include "solve/contact_internal.h"

static const float warmer = 0.15f;  // by being seen crossed
static const float cooler = 0.5f;   // for each mean edge that it moves: what is held still stays as warm as it is
static const float follows = 0.25f; // of the way from how warm it is to how warm it shall be, each step
static const float cold = 0.01f;
static const float ironed = 0.5f; // of the way to the middle, in a round

enum { KNOT_EVERY = 2 }; // steps between looks

static bool share_corner(const uint32_t* p, const uint32_t* q)
{
    for (int i = 0; i < 3; ++i)
        if (p[i] == q[0] || p[i] == q[1] || p[i] == q[2]) return true;
    return false;
}

/// Boxes of two triangles as they are now.
static bool near_now(const sup_vec3 a[3], const sup_vec3 b[3])
{
    sup_vec3 low = v3_min(v3_min(a[0], a[1]), a[2]), high = v3_max(v3_max(a[0], a[1]), a[2]);
    sup_vec3 least = v3_min(v3_min(b[0], b[1]), b[2]), most = v3_max(v3_max(b[0], b[1]), b[2]);
    return low.x <= most.x && least.x <= high.x && low.y <= most.y && least.y <= high.y && low.z <= most.z && least.z <= high.z;
}

bool sup_contact_are_knotted(const contact_search* s, uint32_t a, uint32_t b)
{
    const uint32_t *p = s->c->bvh.corners + 3 * (size_t)a, *q = s->c->bvh.corners + 3 * (size_t)b;
    if (share_corner(p, q) || (s->c->owns[a] | s->c->owns[b]) & OWN_FLAT) return false;
    if (s->c->crossing[a] && s->c->crossing[b]) return false;     // as they are at rest
    if (sup_contact_pass_through(s->c, p[0], q[0])) return false; // tied
    sup_vec3 x[3], y[3];
    for (int k = 0; k < 3; ++k) {
        x[k] = sup_particle_place(&s->from[p[k]]);
        y[k] = sup_particle_place(&s->from[q[k]]);
        if (!v3_finite(x[k]) || !v3_finite(y[k])) return false;
    }
    return near_now(x, y) && sup_triangles_cross(x, y);
}

static void cool(const contact_search* s, uint32_t i, contact_heat* h)
{
    h->is += follows * (h->wanted - h->is);
    if (!(h->is > cold) && !(h->wanted > cold)) {
        *h = (contact_heat){ 0, 0 };
        return;
    }
    float edges = v3_distance(contact_to(s, i), contact_from(s, i)) / s->c->units[i];
    h->wanted *= 1 - cooler * contact_min(edges, 1);
}

bool sup_contact_cool(contact_search* s)
{
    for (uint32_t i = 0; i < s->c->point_count; ++i)
        if (s->heat[i].is > 0 || s->heat[i].wanted > 0) cool(s, i, &s->heat[i]);
    return s->habits->looks++ % KNOT_EVERY == 0;
}

void sup_contact_warm(contact_search* s, const uint32_t* pairs, uint32_t count)
{
    for (uint32_t i = 0; i < 2 * count; ++i)
        for (int k = 0; k < 3; ++k) {
            contact_heat* h = &s->heat[s->c->bvh.corners[3 * (size_t)pairs[i] + (uint32_t)k]];
            h->wanted = contact_min(1, h->wanted + warmer);
        }
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

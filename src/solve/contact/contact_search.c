// Finding contacts: boxes from the leaves up, then the bodies against them; and the geometry that contacts share.
#include "solve/contact/contact_internal.h"

#include "geom/search/triangle_region.h"

#include <math.h>

enum { GRAIN_PACKS = 64 };

// ---------------------------------------------------------------------------------------------- geometry

SUP_TRIANGLE_REGION(region, float)

float sup_contact_triangle_square(sup_vec3 p, sup_vec3 a, sup_vec3 b, sup_vec3 c, float weights[3])
{
    sup_vec3 ab = v3_sub(b, a), ac = v3_sub(c, a), ap = v3_sub(p, a), bp = v3_sub(p, b), cp = v3_sub(p, c);
    float    v, w;
    region((float[]){ v3_dot(ab, ap), v3_dot(ac, ap), v3_dot(ab, bp), v3_dot(ac, bp), v3_dot(ab, cp), v3_dot(ac, cp) }, &v, &w);
    weights[0] = 1 - v - w;
    weights[1] = v;
    weights[2] = w;
    return v3_length2(v3_sub(ap, v3_add(v3_scale(ab, v), v3_scale(ac, w))));
}

/// Six times the signed volume of four moving places.
static float volume_at(const sup_vec3 from[4], const sup_vec3 to[4], float t)
{
    sup_vec3 p[4];
    for (int k = 0; k < 4; ++k) p[k] = v3_lerp(from[k], to[k], t);
    return v3_dot(v3_cross(v3_sub(p[1], p[0]), v3_sub(p[2], p[0])), v3_sub(p[3], p[0]));
}

// The cubic changes sign within the step: bisect down to float precision.
bool sup_contact_crossing(const sup_vec3 from[4], const sup_vec3 to[4], float* time)
{
    enum { HALVINGS = 22 };
    float low = 0, high = 1;
    if (!(volume_at(from, from, 0) > 0) || !(volume_at(to, to, 0) < 0)) return false;
    for (int i = 0; i < HALVINGS; ++i) {
        float middle = 0.5f * (low + high);
        if (volume_at(from, to, middle) > 0) low = middle;
        else high = middle;
    }
    *time = high;
    return true;
}

// ---------------------------------------------------------------------------------------------- boxes

/// The mean motion of all points: only what differs from it sweeps a box.
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

static void measure_task(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_contact_measure)(data, begin, end); }

static void refit(contact_search* s)
{
    uint32_t packs = s->c->pack_count;
    sup_box* nodes = s->m.nodes;
    for (uint32_t p = s->c->filled; p < packs; ++p)
        nodes[packs + p] = (sup_box){ { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };
    sup_tasks_run(s->call->tasks, s->c->filled, GRAIN_PACKS, measure_task, s);
    for (uint32_t n = packs; n-- > 1;) {
        const sup_box *l = &nodes[2 * (size_t)n], *r = l + 1;
        for (int k = 0; k < 3; ++k) {
            nodes[n].min[k] = l->min[k] < r->min[k] ? l->min[k] : r->min[k];
            nodes[n].max[k] = l->max[k] > r->max[k] ? l->max[k] : r->max[k];
        }
    }
}

sup_contact_report sup_contact_search(const sup_contact* c, const sup_contact_call* call, const sup_vec4* from,
                                      const sup_vec4* to, uint32_t solid_count, const sup_solid* solids)
{
    SUP_ASSERT(solid_count <= c->solid_count && from && to && call->scratch);
    sup_contact_report report = { 0 };
    contact_search     s = { .c = c, .call = call, .m = sup_contact_divide(c, call->scratch, NULL), .from = from, .to = to };
    *s.m.header = (contact_header){ 0 };
    if (solid_count == 0) return report;
    s.shift = common_move(&s);
    refit(&s);
    sup_contact_find_bodies(&s, solid_count, solids, &report);
    return report;
}

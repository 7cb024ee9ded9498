// External forces on the tissue, as accelerations per point.
//   gravity: the sculpted rest shape already hangs, so only the difference counts: a = g - R g_rest
//   wind: presses on what faces it: a = drag (-n . direction) wind
//   pushes of the world: newtons spread over the tissue of the points they reach, in proportion to their share
//   springs of the world: likewise, and they also hold the skin itself
#include "deform/layers/layers_run.h"
#include "run/grip.h"

#include <string.h>

// Gravity at rest, rotated with the point. Scale and shear of the skinning do not apply: the length stays, but where the
// rotations of its bones cancel (a hard fold) little of the direction can be trusted.
static sup_vec3 turned(const sup_mat3* m, sup_vec3 g, float length)
{
    sup_vec3 t =
        v3(m->m[0][0] * g.x + m->m[0][1] * g.y + m->m[0][2] * g.z, m->m[1][0] * g.x + m->m[1][1] * g.y + m->m[1][2] * g.z,
           m->m[2][0] * g.x + m->m[2][1] * g.y + m->m[2][2] * g.z);
    float own = v3_length(t);
    return own > 0.1f * length ? v3_scale(t, length / own) : t;
}

static void gravity_task(void* data, uint32_t begin, uint32_t end)
{
    layers_run* r = data;
    sup_vec3    g = v3_scale(r->frame->world->gravity, r->p->gravity);
    float       length = v3_length(g);
    for (uint32_t k = begin; k < end; ++k)
        r->accelerations[k] = k < r->b->count && length > 0 ? v3_sub(g, turned(&r->matrices[k], g, length)) : v3(0, 0, 0);
}

static void wind_task(void* data, uint32_t begin, uint32_t end)
{
    layers_run*         r = data;
    const layers_bound* b = r->b;
    sup_vec3            wind = r->frame->world->wind, along = v3_normalize(wind, v3(0, 0, 0));
    for (uint32_t k = begin; k < end && k < b->count; ++k) {
        sup_vec3 n = v3_normalize(turned(&r->matrices[k], b->normals[k], 1), v3(0, 0, 0));
        float    facing = -v3_dot(n, along);
        if (facing > 0) r->accelerations[k] = v3_mad(r->accelerations[k], r->p->drag * facing, wind);
    }
}

static double tissue_mass(const layers_bound* b, uint32_t k)
{
    double sum = 0;
    for (uint32_t l = 0; l < LAYER_BONE; ++l) {
        float w = b->inverse_masses[(size_t)l * b->stride + k];
        if (w > 0) sum += 1.0 / w;
    }
    return sum;
}

static sup_vec3 acceleration(const layers_run* r, const sup_force* force)
{
    const layers_bound* b = r->b;
    sup_grip            grip = { 0 };
    for (uint32_t k = 0; k < b->count; ++k) {
        float share = sup_force_share(force, b->mesh_points[k], b->rest[k]);
        if (share > 0)
            sup_grip_add(&grip, share, tissue_mass(b, k), v3_add(sup_particle_place(&r->s.x[k]), r->s.head->origin),
                         sup_particle_place(&r->s.v[k]), b->rest[k], &r->matrices[k]);
    }
    grip.mass *= b->mass_unit;
    if (force->spring > 0) return sup_grip_pull(&grip, force, r->frame->dt);
    return grip.mass > 0 ? v3_scale(sup_force_value(force, r->frame->end), (float)(1 / grip.mass)) : v3(0, 0, 0);
}

static void push(layers_run* r, const sup_force* force)
{
    const layers_bound* b = r->b;
    sup_vec3            a = acceleration(r, force);
    if (!(v3_length2(a) > 0)) return;
    for (uint32_t k = 0; k < b->count; ++k) {
        float share = sup_force_share(force, b->mesh_points[k], b->rest[k]);
        if (share > 0) r->accelerations[k] = v3_mad(r->accelerations[k], share, a);
    }
}

void layers_accelerate(layers_run* r)
{
    sup_tasks_run(r->tasks, r->b->stride, LAYERS_GRAIN, gravity_task, r);
    if (v3_length2(r->frame->world->wind) > 0 && r->p->drag > 0)
        sup_tasks_run(r->tasks, r->b->stride, LAYERS_GRAIN, wind_task, r);
    for (uint32_t i = 0; i < r->frame->world->force_count; ++i) push(r, &r->frame->world->forces[i]);
}

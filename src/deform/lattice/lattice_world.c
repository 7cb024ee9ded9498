// Forces of the world on the particles: gravity, wind, forces. Bodies are in lattice_bodies.c.
#include "deform/lattice/lattice.h"
#include "run/grip.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- accelerations

static bool is_zero(sup_vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

// The sculpted shape already hangs in gravity: only the difference from gravity rotated with the flesh acts.
static void add_gravity(const lattice_bound* b, const lattice_params* p, sup_vec3 g, const lattice_scratch* s)
{
    float size = v3_length(g);
    for (uint32_t i = 0; i < b->count; ++i) {
        float           share = sup_field_value(&lattice_rows[ROW_GRAVITY], &b->soft[SOFT_GRAVITY], p->gravity, i);
        const sup_mat3* m = &s->matrices[i];
        sup_vec3        turned = v3(0, 0, 0);
        if (p->gravity_rest) {
            turned = v3(m->m[0][0] * g.x + m->m[0][1] * g.y + m->m[0][2] * g.z,
                        m->m[1][0] * g.x + m->m[1][1] * g.y + m->m[1][2] * g.z,
                        m->m[2][0] * g.x + m->m[2][1] * g.y + m->m[2][2] * g.z);
            float length = v3_length(turned); // skinning shrinks what it blends
            turned = length > 1e-6f * size ? v3_scale(turned, size / length) : g;
        }
        s->push[i] = v3_mad(s->push[i], share, v3_sub(g, turned));
    }
}

// How strongly a force reaches each particle. A painted region belongs to the skin: a particle takes the maximum of the points
// around it.
static void find_reach(const lattice_bound* b, const sup_force* f, const lattice_scratch* s)
{
    if (f->kind == SUP_FORCE_BONE) {
        for (uint32_t i = 0; i < b->count; ++i) s->near[i] = b->mass[i] > 0 ? sup_force_share(f, SUP_NONE, b->rest[i]) : 0.0f;
        return;
    }
    memset(s->near, 0, b->count * sizeof *s->near);
    for (uint32_t p = 0; p < b->point_count; ++p) {
        float share = sup_force_share(f, p, b->character->mesh.points[p]);
        if (!(share > 0)) continue;
        const uint32_t* corners = b->voxels.particles + 8 * (size_t)b->embed.cells[p];
        for (int k = 0; k < 8; ++k) {
            float* near = &s->near[b->regions.slots[corners[k]]];
            *near = fmaxf(*near, share);
        }
    }
}

// The pull of a spring on the particles it holds, from where they are and where they would go by themselves.
static sup_vec3 spring_pull(const lattice_step* j, const lattice_params* p, const sup_force* f, double dt,
                            const lattice_scratch* s)
{
    const lattice_bound* b = j->b;
    sup_grip             grip = { 0 };
    float                rate = (float)(1 / dt);
    for (uint32_t i = 0; i < b->count; ++i) {
        if (!(s->near[i] > 0)) continue;
        sup_vec3 y = v3(j->y[0][i], j->y[1][i], j->y[2][i]), d = v3(j->d[0][i], j->d[1][i], j->d[2][i]),
                 w = v3(j->w[0][i], j->w[1][i], j->w[2][i]);
        sup_grip_add(&grip, s->near[i], (double)(b->mass[i] * p->density), v3_add(y, d), v3_mad(w, rate, v3_sub(s->pose[i], y)),
                     b->rest[i], &s->matrices[i]);
    }
    return sup_grip_pull(&grip, f, dt);
}

static void add_force(const lattice_step* j, const lattice_params* p, const sup_force* f, const sup_frame* frame,
                      const lattice_scratch* s)
{
    if (f->kind == SUP_FORCE_CURVE) {
        sup_stats_add(frame->stats, "lattice.force_on_a_curve", 1);
        return;
    }
    const lattice_bound* b = j->b;
    find_reach(b, f, s);
    if (f->spring > 0) {
        sup_vec3 a = spring_pull(j, p, f, frame->dt, s);
        for (uint32_t i = 0; i < b->count; ++i) s->push[i] = v3_mad(s->push[i], s->near[i], a);
        return;
    }
    sup_vec3 value = sup_force_value(f, frame->end);
    double   mass = 0;
    for (uint32_t i = 0; i < b->count; ++i) mass += (double)(s->near[i] * b->mass[i] * p->density);
    if (!(mass > 0)) return;
    float scale = (float)(1 / mass); // so that the parts add up to the force
    for (uint32_t i = 0; i < b->count; ++i) s->push[i] = v3_mad(s->push[i], scale * s->near[i], value);
}

bool lattice_pushes(const lattice_step* j, const lattice_params* p, const sup_frame* frame, const lattice_scratch* s)
{
    const lattice_bound* b = j->b;
    const sup_world*     w = frame->world;
    bool                 heavy = w && !is_zero(w->gravity) && (p->gravity > 0 || b->soft[SOFT_GRAVITY].offset);
    bool                 windy = w && !is_zero(w->wind) && p->drag > 0;
    if (!heavy && !windy && !(w && w->force_count)) return false;
    memset(s->push, 0, b->count * sizeof *s->push);
    if (heavy) add_gravity(b, p, w->gravity, s);
    for (uint32_t i = 0; i < b->count && windy; ++i) s->push[i] = v3_mad(s->push[i], p->drag * b->exposure[i], w->wind);
    for (uint32_t i = 0; i < w->force_count; ++i) add_force(j, p, &w->forces[i], frame, s);
    return true;
}

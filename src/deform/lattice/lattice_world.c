// What the world does to the particles: gravity, wind, forces, bodies.
#include "deform/lattice/lattice.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- accelerations

static bool is_zero(sup_vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

// The sculpted shape already hangs in gravity: what acts is the difference to gravity turned along with the flesh.
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

// How far a force on a place of a bone reaches each particle: smoothly to nothing at its radius.
static void reach_from_bone(const lattice_bound* b, const sup_force* f, const sup_pose* pose, const lattice_scratch* s)
{
    const sup_skeleton* k = &b->character->skeleton;
    sup_vec3            place = v3(0, 0, 0);
    for (uint32_t i = 0; i < k->bone_count; ++i)
        if (k->bones[i].joint == f->joint) {
            place = v3_lerp(k->bones[i].head, k->bones[i].tail, f->ratio);
            break;
        }
    place = affine_point(&pose->skin[f->joint], place);
    float radius2 = f->radius * f->radius;
    for (uint32_t i = 0; i < b->count; ++i) {
        float d2 = v3_length2(v3_sub(s->pose[i], place)), t = radius2 > 0 ? 1.0f - d2 / radius2 : 0.0f;
        s->near[i] = t > 0 && b->mass[i] > 0 ? t * t : 0.0f;
    }
}

static void reach_from_region(const lattice_bound* b, const sup_force* f, const lattice_scratch* s)
{
    memset(s->near, 0, b->count * sizeof *s->near);
    for (uint32_t p = 0; p < b->point_count; ++p) {
        if (!(f->region[p] > 0)) continue;
        const uint32_t* corners = b->voxels.particles + 8 * (size_t)b->embed.cells[p];
        for (int k = 0; k < 8; ++k) {
            float* near = &s->near[b->regions.slots[corners[k]]];
            *near = fmaxf(*near, f->region[p]);
        }
    }
}

static void add_force(const lattice_bound* b, const lattice_params* p, const sup_force* f, const sup_frame* frame,
                      const sup_pose* pose, const lattice_scratch* s)
{
    if (f->kind == SUP_FORCE_CURVE || (f->kind == SUP_FORCE_REGION ? !f->region : f->joint >= b->joint_count)) {
        sup_stats_add(frame->stats, "lattice.force_without_place", 1);
        return;
    }
    if (f->kind == SUP_FORCE_BONE) reach_from_bone(b, f, pose, s);
    else reach_from_region(b, f, s);
    sup_vec3 value = f->local && f->joint < b->joint_count ? affine_direction(&pose->skin[f->joint], f->value) : f->value;
    double   mass = 0;
    for (uint32_t i = 0; i < b->count; ++i) mass += (double)(s->near[i] * b->mass[i] * p->density);
    if (!(mass > 0)) return;
    float scale = (float)(1 / mass); // so that the parts add up to the force
    for (uint32_t i = 0; i < b->count; ++i) s->push[i] = v3_mad(s->push[i], scale * s->near[i], value);
}

bool lattice_pushes(const lattice_bound* b, const lattice_params* p, const sup_frame* frame, const sup_pose* pose,
                    const lattice_scratch* s)
{
    const sup_world* w = frame->world;
    bool             heavy = w && !is_zero(w->gravity) && (p->gravity > 0 || b->soft[SOFT_GRAVITY].offset);
    bool             windy = w && !is_zero(w->wind) && p->drag > 0;
    if (!heavy && !windy && !(w && w->force_count)) return false;
    memset(s->push, 0, b->count * sizeof *s->push);
    if (heavy) add_gravity(b, p, w->gravity, s);
    for (uint32_t i = 0; i < b->count && windy; ++i) s->push[i] = v3_mad(s->push[i], p->drag * b->exposure[i], w->wind);
    for (uint32_t i = 0; i < w->force_count; ++i) add_force(b, p, &w->forces[i], frame, pose, s);
    return true;
}

// ---------------------------------------------------------------------------------------------- bodies

// A rigid map between two, by turning and moving at once.
static sup_affine between(const sup_affine* a, const sup_affine* b, float t)
{
    if (t >= 1) return *b;
    sup_vec3 place = v3_lerp(affine_translation(a), affine_translation(b), t);
    return affine_from_rotation(quat_slerp(quat_from_affine(a), quat_from_affine(b), t), place);
}

static uint32_t push_out(const lattice_bound* b, sup_vec3 from, sup_vec3 to, float radius, sup_vec3* x)
{
    uint32_t pushed = 0;
    sup_vec3 along = v3_sub(to, from);
    float    length2 = v3_length2(along);
    for (uint32_t i = 0; i < b->count; ++i) {
        if (b->free[i] == 0) continue;
        sup_vec3 off = v3_sub(x[i], from);
        float    t = length2 > 0 ? sup_clampf(v3_dot(off, along) / length2, 0, 1) : 0.0f;
        off = v3_mad(off, -t, along);
        float d2 = v3_length2(off);
        if (!(d2 < radius * radius) || !(d2 > 1e-12f * radius * radius)) continue;
        x[i] = v3_mad(x[i], radius / sqrtf(d2) - 1.0f, off);
        ++pushed;
    }
    return pushed;
}

uint32_t lattice_bodies(const lattice_bound* b, const sup_frame* frame, double part, sup_vec3* x)
{
    uint32_t pushed = 0;
    for (uint32_t i = 0; i < frame->world->body_count; ++i) {
        const sup_body* body = &frame->world->bodies[i];
        if (body->kind == SUP_BODY_MESH) {
            sup_stats_add(frame->stats, "lattice.mesh_body_left_out", 1);
            continue;
        }
        sup_affine place = between(&body->start, &body->end, (float)part);
        sup_vec3   from = affine_point(&place, body->a);
        pushed += push_out(b, from, body->kind == SUP_BODY_CAPSULE ? affine_point(&place, body->b) : from, body->radius, x);
    }
    return pushed;
}

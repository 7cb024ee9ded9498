// Solving the list: positions in every iteration, velocities at the end of a substep.
#include "solve/contact/contact_internal.h"

#include <math.h>

typedef struct solving {
    const sup_contact_call* call;
    contact_memory          m;
    sup_vec4*               x;
} solving;

static solving start(const sup_contact* c, const sup_contact_call* call)
{
    return (solving){ .call = call, .m = sup_contact_divide(c, call->scratch, NULL) };
}

// ---------------------------------------------------------------------------------------------- the surfaces of bodies

/// The center of a round body level with a place.
static sup_vec3 find_core(const solving* s, const contact_body* b, sup_vec3 x)
{
    const contact_place* place = &s->m.places[b->solid];
    sup_vec3             line = v3_sub(place->b, place->a);
    float square = v3_length2(line), t = square > 0 ? sup_clampf(v3_dot(v3_sub(x, place->a), line) / square, 0, 1) : 0;
    return v3_mad(place->a, t, line);
}

/// The surface of a body at a particle: place and direction.
static void find_surface(const solving* s, const contact_body* b, sup_vec3 x, sup_vec3* at, sup_vec3* out)
{
    *at = b->at;
    *out = b->out;
    if (!b->round) return;
    sup_vec3 core = find_core(s, b, x);
    *out = v3_normalize(v3_sub(x, core), b->out);
    if (b->round == CONTACT_ROUND_IN_FRONT && v3_dot(*out, b->out) < CONTACT_TURNED) *out = b->out;
    *at = v3_mad(core, s->m.solids[b->solid].radius, *out);
}

/// The particles of the skin that a body touches; NULL in unused places.
static void body_particles(const contact_body* b, sup_vec4* x, sup_vec4* out[4])
{
    out[0] = &x[b->point];
    out[1] = b->others[0] == SUP_NONE ? NULL : &x[b->others[0]];
    out[2] = b->others[1] == SUP_NONE ? NULL : &x[b->others[1]];
    out[3] = NULL;
}

/// The weighted mean of the particles' values at the place that is touched.
static sup_vec3 body_mean(const contact_body* b, const sup_vec4* of)
{
    if (b->others[0] == SUP_NONE) return sup_particle_place(&of[b->point]);
    sup_vec3 sum = v3_scale(sup_particle_place(&of[b->point]), b->shares[0]);
    for (int k = 0; k < 2; ++k) sum = v3_mad(sum, b->shares[k + 1], sup_particle_place(&of[b->others[k]]));
    return sum;
}

static sup_touch body_touch(const solving* s, const contact_body* b, const sup_vec4* particles)
{
    sup_vec3  at, x = body_mean(b, particles);
    sup_touch touch = { .weights = { b->shares[0], b->shares[1], b->shares[2], 0 } };
    find_surface(s, b, x, &at, &touch.normal);
    touch.gap = v3_dot(v3_sub(x, at), touch.normal);
    return touch;
}

/// A round body has moved over the triangle: finds the place now nearest to it.
static void find_place(const solving* s, contact_body* b)
{
    if (b->round != CONTACT_ROUND_IN_FRONT) return;
    sup_vec3 core = find_core(s, b, body_mean(b, s->x)), x[3];
    for (int k = 0; k < 3; ++k) x[k] = sup_particle_place(&s->x[k ? b->others[k - 1] : b->point]);
    sup_contact_triangle_square(core, x[0], x[1], x[2], b->shares);
}

/// The rigid motion between two transforms, along the shortest rotation.
static sup_affine place_between(const sup_solid* b, float fraction)
{
    sup_quat p = quat_from_affine(&b->start), q = quat_from_affine(&b->end);
    sup_vec3 t = v3_lerp(affine_translation(&b->start), affine_translation(&b->end), fraction);
    return affine_from_rotation(quat_slerp(p, q, fraction), t);
}

static void place_bodies(solving* s, float begin, float end)
{
    for (uint32_t i = 0; i < s->m.header->solid_count; ++i) {
        const sup_solid* b = &s->m.solids[i];
        contact_place*   p = &s->m.places[i];
        p->begin = place_between(b, begin);
        p->end = place_between(b, end);
        p->a = affine_point(&p->end, b->a);
        p->b = b->kind == SUP_SOLID_CAPSULE ? affine_point(&p->end, b->b) : p->a;
    }
    for (uint32_t i = 0; i < s->m.header->body_count; ++i) {
        contact_body*        b = &s->m.bodies[i];
        const contact_place* p = &s->m.places[b->solid];
        sup_vec3             from = affine_point(&p->begin, v3_lerp(b->anchor_start, b->anchor_end, begin));
        b->at = affine_point(&p->end, v3_lerp(b->anchor_start, b->anchor_end, end));
        b->out = affine_direction(&p->end, b->normal);
        b->moved = v3_sub(b->at, from);
    }
}

// ---------------------------------------------------------------------------------------------- substeps

void sup_contact_begin(const sup_contact* c, const sup_contact_call* call, float begin, float end, const sup_vec4* x,
                       const sup_vec4* v)
{
    solving s = start(c, call);
    bool    bounces = v && call->friction.restitution > 0;
    place_bodies(&s, begin, end);
    for (uint32_t i = 0; i < s.m.header->body_count; ++i) {
        contact_body* b = &s.m.bodies[i];
        b->pushed = b->approach = 0;
        if (!bounces) continue;
        sup_touch touch = body_touch(&s, b, x);
        b->approach = -v3_dot(touch.normal, body_mean(b, v)); // the body's own speed is added at the end
    }
}

uint32_t sup_contact_project(const sup_contact* c, const sup_contact_call* call, sup_vec4* x)
{
    solving  s = start(c, call);
    uint32_t count = 0;
    s.x = x;
    for (uint32_t i = 0; i < s.m.header->body_count; ++i) {
        contact_body* b = &s.m.bodies[i];
        sup_vec4*     y[4];
        find_place(&s, b);
        sup_touch touch = body_touch(&s, b, x);
        body_particles(b, x, y);
        float grown = sup_touch_part(y, &touch, call->thickness * b->unit);
        b->pushed += grown;
        count += grown > 0;
    }
    return count;
}

void sup_contact_friction(const sup_contact* c, const sup_contact_call* call, const sup_vec4* x, float dt, sup_vec4* v)
{
    solving s = start(c, call);
    for (uint32_t i = 0; i < s.m.header->body_count; ++i) {
        const contact_body* b = &s.m.bodies[i];
        if (!(b->pushed > 0)) continue;
        bool        face = b->others[0] != SUP_NONE;
        const float masses[4] = { x[b->point].w, face ? x[b->others[0]].w : 0, face ? x[b->others[1]].w : 0, 0 };
        sup_touch   touch = body_touch(&s, b, x);
        sup_vec4*   moved[4];
        body_particles(b, v, moved);
        sup_friction own = call->friction;
        sup_vec3     still = v3_scale(b->moved, 1 / dt);
        float        approach = own.restitution > 0 ? b->approach + v3_dot(touch.normal, still) : 0;
        own.friction = fmaxf(own.friction, s.m.solids[b->solid].friction);
        sup_touch_friction(moved, masses, &touch, &own, approach, b->pushed / dt, still);
    }
}

// ---------------------------------------------------------------------------------------------- reading

uint32_t sup_contact_touching(const sup_contact* c, const void* scratch, uint32_t most, uint32_t (*out)[2])
{
    // Read only; the division takes a writable block either way.
    contact_memory m = sup_contact_divide(c, (void*)(uintptr_t)scratch, NULL);
    uint32_t       count = 0;
    for (uint32_t i = 0; i < m.header->body_count && count < most; ++i) {
        if (!(m.bodies[i].pushed > 0)) continue;
        out[count][0] = m.bodies[i].point;
        out[count++][1] = SUP_NONE;
    }
    return count;
}

void sup_contact_pushed(const sup_contact* c, const void* scratch, bool* out)
{
    contact_memory m = sup_contact_divide(c, (void*)(uintptr_t)scratch, NULL);
    for (uint32_t i = 0; i < m.header->body_count; ++i)
        if (m.bodies[i].pushed > 0) out[m.bodies[i].point] = true;
}

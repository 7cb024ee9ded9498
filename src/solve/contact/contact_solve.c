// Solving the list: positions in every iteration, velocities at the end of a substep.
#include "solve/contact/contact_internal.h"

#include <math.h>

// Edges whose normal has turned further than this (cosine) since they were found lie side by side now.
#define TURNED 0.7f

// The skin parts from itself by no more than this in a round, mean edges: what is deep in comes out over several, or coarse
// creases are thrown from one side to the other.
#define MOST_PARTED 0.2f

enum { GRAIN = 128 };

typedef struct solving {
    const sup_contact*      c;
    const sup_contact_call* call;
    contact_memory          m;
    sup_vec4*               x;
    sup_vec4*               v;
    const sup_vec4*         at; // where x is when only v changes
    float                   dt;
    uint32_t                first;  // of the color, into order
    uint32_t*               pushed; // per task of a color: how many; shares memory with the search
} solving;

static solving start(const sup_contact* c, const sup_contact_call* call)
{
    solving s = { .c = c, .call = call, .m = sup_contact_divide(c, call->scratch, NULL) };
    s.pushed = s.m.best; // one per point; tasks are fewer
    return s;
}

// ---------------------------------------------------------------------------------------------- the skin with itself

/// Where the two meet: the places that met on the way, or the feet as they stand now.
static bool find_touch(const contact_item* i, const sup_vec4* x, sup_touch* out)
{
    sup_vec3 p[4];
    for (int k = 0; k < 4; ++k) p[k] = sup_particle_place(&x[i->p[k]]);
    if (i->kind == CONTACT_EDGE) {
        if (!sup_edge_edge(p[0], p[1], p[2], p[3], i->side, i->hint, out) || v3_dot(out->normal, i->hint) < TURNED)
            return false;
        float s = i->swept ? i->s : -out->weights[1], t = i->swept ? i->t : out->weights[3];
        if (!(s > -CONTACT_WANDER && s < 1 + CONTACT_WANDER && t > -CONTACT_WANDER && t < 1 + CONTACT_WANDER)) return false;
        s = sup_clampf(s, 0, 1);
        t = sup_clampf(t, 0, 1);
        out->weights[0] = s - 1;
        out->weights[1] = -s;
        out->weights[2] = 1 - t;
        out->weights[3] = t;
        return true;
    }
    if (!sup_point_triangle(p[0], p[1], p[2], p[3], i->side, out)) return false;
    float b = i->swept ? i->s : -out->weights[2], c = i->swept ? i->t : -out->weights[3], a = 1 - b - c;
    if (!(a > -CONTACT_WANDER && b > -CONTACT_WANDER && c > -CONTACT_WANDER)) return false;
    a = a > 0 ? a : 0;
    b = b > 0 ? b : 0;
    c = c > 0 ? c : 0;
    float sum = a + b + c;
    out->weights[1] = -a / sum;
    out->weights[2] = -b / sum;
    out->weights[3] = -c / sum;
    return true;
}

static bool project_item(const solving* s, contact_item* i)
{
    sup_touch   touch;
    const bool* sideless = s->call->sideless;
    if (sideless && (sideless[i->p[0]] || sideless[i->p[1]] || sideless[i->p[2]] || sideless[i->p[3]])) return false;
    if (!find_touch(i, s->x, &touch)) return false;
    sup_vec4* const x[4] = { &s->x[i->p[0]], &s->x[i->p[1]], &s->x[i->p[2]], &s->x[i->p[3]] };
    float           defended = s->call->settings.thickness * i->unit + contact_over(s->call, i->p, touch.weights);
    float           missing = contact_min(defended - touch.gap, MOST_PARTED * i->unit);
    float           grown = sup_touch_part(x, &touch, touch.gap + i->strength * missing);
    i->pushed += grown;
    return grown > 0;
}

static void project_color(void* data, uint32_t begin, uint32_t end)
{
    const solving* s = data;
    uint32_t       count = 0;
    for (uint32_t i = begin; i < end; ++i) count += project_item(s, &s->m.list[s->m.order[s->first + i]]);
    s->pushed[begin / GRAIN] = count;
}

static uint32_t project_colors(solving* s)
{
    const contact_header* h = s->m.header;
    uint32_t              total = 0;
    for (uint32_t c = 0; c < 64; ++c) {
        uint32_t count = h->color_begin[c + 1] - h->color_begin[c];
        s->first = h->color_begin[c];
        sup_tasks_run(c < 63 ? s->call->tasks : NULL, count, GRAIN, project_color, s);
        for (uint32_t k = 0; k * GRAIN < count; ++k) total += s->pushed[k];
    }
    return total;
}

// ---------------------------------------------------------------------------------------------- bodies

/// The middle of a round body, at the height of a place.
static sup_vec3 find_core(const solving* s, const contact_body* b, sup_vec3 x)
{
    const contact_place* place = &s->m.places[b->solid];
    sup_vec3             line = v3_sub(place->b, place->a);
    float square = v3_length2(line), t = square > 0 ? sup_clampf(v3_dot(v3_sub(x, place->a), line) / square, 0, 1) : 0;
    return v3_mad(place->a, t, line);
}

/// The place and direction of a body's surface at a particle.
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

/// The particles of the skin that a body touches, NULL where there is none.
static void body_particles(const contact_body* b, sup_vec4* x, sup_vec4* out[4])
{
    out[0] = &x[b->point];
    out[1] = b->others[0] == SUP_NONE ? NULL : &x[b->others[0]];
    out[2] = b->others[1] == SUP_NONE ? NULL : &x[b->others[1]];
    out[3] = NULL;
}

/// The mean of what particles have at the place that is touched.
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

/// A round body has moved on the triangle: the place that is nearest to it now.
static void find_place(const solving* s, contact_body* b)
{
    if (b->round != CONTACT_ROUND_IN_FRONT) return;
    sup_vec3 core = find_core(s, b, body_mean(b, s->x)), x[3];
    for (int k = 0; k < 3; ++k) x[k] = sup_particle_place(&s->x[k ? b->others[k - 1] : b->point]);
    sup_contact_triangle_square(core, x[0], x[1], x[2], b->shares);
}

static uint32_t project_bodies(const solving* s)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->m.header->body_count; ++i) {
        contact_body* b = &s->m.bodies[i];
        sup_vec4*     x[4];
        find_place(s, b);
        sup_touch touch = body_touch(s, b, s->x);
        body_particles(b, s->x, x);
        float grown = sup_touch_part(x, &touch, s->call->settings.thickness * b->unit);
        b->pushed += grown;
        count += grown > 0;
    }
    return count;
}

/// Rigid motion between two places, turning by the shortest way.
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

static float approach_speed(const sup_touch* touch, const sup_vec4* v, const uint32_t* points)
{
    float speed = 0;
    for (int k = 0; k < 4; ++k) speed -= touch->weights[k] * v3_dot(touch->normal, sup_particle_place(&v[points[k]]));
    return speed > 0 && isfinite(speed) ? speed : 0;
}

void sup_contact_begin(const sup_contact* c, const sup_contact_call* call, float begin, float end, const sup_vec4* x,
                       const sup_vec4* v)
{
    solving s = start(c, call);
    place_bodies(&s, begin, end);
    bool bounces = v && call->settings.friction.restitution > 0;
    for (uint32_t i = 0; i < s.m.header->count; ++i) {
        contact_item* item = &s.m.list[i];
        sup_touch     touch;
        item->pushed = 0;
        item->approach = bounces && find_touch(item, x, &touch) ? approach_speed(&touch, v, item->p) : 0;
    }
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
    solving s = start(c, call);
    s.x = x;
    uint32_t count = 0;
    if (s.m.header->color_count) count = project_colors(&s);
    else
        for (uint32_t i = 0; i < s.m.header->count; ++i) count += project_item(&s, &s.m.list[i]);
    return count + project_bodies(&s);
}

void sup_contact_friction(const sup_contact* c, const sup_contact_call* call, const sup_vec4* x, float dt, sup_vec4* v)
{
    solving            s = start(c, call);
    const sup_friction* friction = &call->settings.friction;
    for (uint32_t i = 0; i < s.m.header->count; ++i) {
        const contact_item* item = &s.m.list[i];
        const uint32_t*     p = item->p;
        sup_touch           touch;
        if (!(item->pushed > 0) || !find_touch(item, x, &touch)) continue;
        const float masses[4] = { x[p[0]].w, x[p[1]].w, x[p[2]].w, x[p[3]].w };
        sup_touch_friction((sup_vec4* const[4]){ &v[p[0]], &v[p[1]], &v[p[2]], &v[p[3]] }, masses, &touch, friction,
                           item->approach, item->pushed / dt, v3(0, 0, 0));
    }
    for (uint32_t i = 0; i < s.m.header->body_count; ++i) {
        const contact_body* b = &s.m.bodies[i];
        if (!(b->pushed > 0)) continue;
        bool        face = b->others[0] != SUP_NONE;
        const float masses[4] = { x[b->point].w, face ? x[b->others[0]].w : 0, face ? x[b->others[1]].w : 0, 0 };
        sup_touch   touch = body_touch(&s, b, x);
        sup_vec4*   moved[4];
        body_particles(b, v, moved);
        sup_friction own = *friction;
        sup_vec3    still = v3_scale(b->moved, 1 / dt);
        float       approach = own.restitution > 0 ? b->approach + v3_dot(touch.normal, still) : 0;
        own.friction = fmaxf(own.friction, s.m.solids[b->solid].friction);
        sup_touch_friction(moved, masses, &touch, &own, approach, b->pushed / dt, still);
    }
}

// ---------------------------------------------------------------------------------------------- reading

uint32_t sup_contact_count(const sup_contact* c, const void* scratch)
{
    const contact_header* h = scratch; // the header stands first
    (void)c;
    return h->count + h->body_count;
}

sup_contact_item sup_contact_at(const sup_contact* c, const void* scratch, uint32_t index)
{
    // Only read: the division is the same for a block that may be written.
    contact_memory m = sup_contact_divide(c, (void*)(uintptr_t)scratch, NULL);
    SUP_ASSERT(index < m.header->count + m.header->body_count);
    if (index < m.header->count) {
        const contact_item* i = &m.list[index];
        return (sup_contact_item){ i->kind, { i->p[0], i->p[1], i->p[2], i->p[3] }, i->swept, i->pushed };
    }
    const contact_body* b = &m.bodies[index - m.header->count];
    return (sup_contact_item){ 2, { b->point, b->solid, SUP_NONE, SUP_NONE }, b->swept, b->pushed };
}

// Solid bodies push particles out to the nearest place of their surface, and hold them by friction.
#include "deform/lattice/lattice.h"

#include "geom/search/closest.h"
#include "run/binding.h"

#include <math.h>
#include <string.h>

#define OPEN_CELLS 3.0   // how deep an open mesh presses, in cells
#define OPEN_FACING 0.7f // of the distance, must lie along the normal: beyond its border a sheet does not press

/// A mesh among the bodies, prepared at bind.
struct lattice_body {
    bool            mesh;  ///< false: a sphere, a capsule, or a mesh without triangles
    bool            open;  ///< has no inside: pushes out what is behind a face, up to OPEN_CELLS deep
    bool            moves; ///< its points move: refitted every step
    sup_bvh         tree;
    const sup_box*  nodes;   ///< of the rest points
    const sup_vec3* normals; ///< per point; NULL where they move
};

static sup_result prepare(const sup_body* body, lattice_body* out, sup_arena* arena, size_t* scratch, sup_error* error)
{
    if (body->kind != SUP_BODY_MESH || body->triangle_count == 0) return SUP_OK;
    sup_result r = sup_bvh_create(body->points, body->triangles, body->triangle_count, arena, &out->tree, error);
    if (r != SUP_OK) return r;
    size_t boxes = 2 * (size_t)out->tree.leaf_count + body->triangle_count;
    out->mesh = true;
    out->open = !body->closed;
    out->moves = body->points_start != NULL;
    if (out->moves) {
        if (boxes * sizeof(sup_box) > *scratch) *scratch = boxes * sizeof(sup_box);
        return SUP_OK;
    }
    sup_box*  nodes = SUP_NEW(arena, sup_box, boxes);
    sup_vec3* normals = sup_body_normals(body, arena);
    if (!nodes || !normals) return sup_fail_memory(error, "bodies");
    sup_bvh_refit(&out->tree, body->points, NULL, nodes, nodes + 2 * (size_t)out->tree.leaf_count);
    out->nodes = nodes;
    out->normals = normals;
    return SUP_OK;
}

sup_result lattice_bind_bodies(const sup_world_plan* plan, sup_notes* notes, sup_arena* arena, lattice_bound* b,
                               sup_error* error)
{
    uint32_t      count = plan ? sup_world_plan_body_count(plan) : 0;
    lattice_body* bodies = SUP_NEW(arena, lattice_body, count);
    if (!bodies) return sup_fail_memory(error, "bodies");
    for (uint32_t i = 0; i < count; ++i) {
        sup_body body;
        sup_world_plan_body(plan, i, &body);
        sup_result r = prepare(&body, &bodies[i], arena, &b->body_scratch, error);
        if (r != SUP_OK) return r;
        if (bodies[i].open)
            sup_note(notes,
                     "body '%s' has holes and therefore no inside: it presses from the front of its faces, %g units deep; close it to "
                     "press from anywhere",
                     body.name, OPEN_CELLS * b->h);
    }
    b->body_count = count;
    b->bodies = bodies;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- frames

// Interpolates between two rigid maps, in rotation and translation.
static sup_affine between(const sup_affine* a, const sup_affine* b, float t)
{
    if (t >= 1) return *b;
    if (t <= 0) return *a;
    sup_vec3 place = v3_lerp(affine_translation(a), affine_translation(b), t);
    return affine_from_rotation(quat_slerp(quat_from_affine(a), quat_from_affine(b), t), place);
}

typedef struct presser {
    const lattice_bound* b;
    const sup_body*      body;
    sup_affine           from, to, back; ///< the body at both ends of the substep, and the map to its own space
    const sup_vec3*      before;         ///< where particles were at the start of the substep
    sup_vec3*            x;
} presser;

// Moves particle i to `on`. Coulomb friction: its slip over the body in this substep, whose own surface moved by `carried`, is
// reduced by up to friction x depth.
static void touch(const presser* p, uint32_t i, sup_vec3 on, sup_vec3 carried)
{
    sup_vec3 push = v3_sub(on, p->x[i]);
    float    depth = v3_length(push);
    p->x[i] = on;
    if (!(depth > 0)) return;
    sup_vec3 n = v3_scale(push, 1.0f / depth), slid = v3_sub(v3_sub(on, p->before[i]), carried);
    slid = v3_mad(slid, -v3_dot(slid, n), n);
    float length = v3_length(slid), hold = p->body->friction * depth;
    if (!(length > 0) || !(hold > 0)) return;
    p->x[i] = v3_mad(on, -(hold < length ? hold / length : 1.0f), slid);
}

// How the body moves one of its own places over the substep.
static sup_vec3 carried_by(const presser* p, sup_vec3 start, sup_vec3 end)
{
    return v3_sub(affine_point(&p->to, end), affine_point(&p->from, start));
}

static uint32_t push_round(const presser* p)
{
    const lattice_bound* b = p->b;
    bool                 capsule = p->body->kind == SUP_BODY_CAPSULE;
    sup_vec3             from = affine_point(&p->to, p->body->a);
    sup_vec3             along = capsule ? v3_sub(affine_point(&p->to, p->body->b), from) : v3(0, 0, 0);
    float                radius = p->body->radius, length2 = v3_length2(along);
    uint32_t             pushed = 0;
    for (uint32_t i = 0; i < b->count; ++i) {
        if (b->free[i] == 0) continue;
        sup_vec3 off = v3_sub(p->x[i], from);
        float    t = length2 > 0 ? sup_clampf(v3_dot(off, along) / length2, 0, 1) : 0.0f;
        off = v3_mad(off, -t, along);
        float d2 = v3_length2(off);
        if (!(d2 < radius * radius) || !(d2 > 1e-12f * radius * radius)) continue;
        sup_vec3 on = v3_mad(p->x[i], radius / sqrtf(d2) - 1.0f, off), own = affine_point(&p->back, on);
        touch(p, i, on, carried_by(p, own, own));
        ++pushed;
    }
    return pushed;
}

// The surface normal at the nearest place: interpolated from its rest points, so that edges have one too; else the triangle's.
static sup_vec3 normal_at(const lattice_body* m, const sup_body* body, const sup_closest* at)
{
    const uint32_t* c = m->tree.corners + 3 * (size_t)at->slot;
    if (!m->normals) {
        sup_vec3 a = body->points[c[0]];
        return v3_cross(v3_sub(body->points[c[1]], a), v3_sub(body->points[c[2]], a));
    }
    sup_vec3 n = v3(0, 0, 0);
    for (int k = 0; k < 3; ++k) n = v3_mad(n, (float)at->b[k], m->normals[c[k]]);
    return n;
}

// Whether a place must be pushed out to `on`: it is behind it and, for an open mesh, near it and not beyond its border.
static bool is_behind(const presser* p, const lattice_body* m, sup_vec3 at, sup_vec3 on, sup_vec3 normal)
{
    sup_vec3 off = v3_sub(at, on);
    float    along = v3_dot(off, normal);
    if (!(along < 0)) return false;
    if (!m->open) return true;
    float distance2 = v3_length2(off), band = (float)(OPEN_CELLS * p->b->h), size2 = v3_length2(normal);
    return distance2 < band * band && along * along > OPEN_FACING * OPEN_FACING * distance2 * size2;
}

static uint32_t push_mesh(const presser* p, const lattice_body* m, sup_box* boxes)
{
    const lattice_bound* b = p->b;
    const sup_body*      body = p->body;
    const sup_box*       nodes = m->nodes;
    uint32_t             pushed = 0;
    float                wider = m->open ? (float)(OPEN_CELLS * b->h) : 0.0f;
    if (m->moves) {
        sup_bvh_refit(&m->tree, body->points, NULL, boxes, boxes + 2 * (size_t)m->tree.leaf_count);
        nodes = boxes;
    }
    for (uint32_t i = 0; i < b->count; ++i) {
        if (b->free[i] == 0) continue;
        sup_vec3     at = affine_point(&p->back, p->x[i]);
        const float* c = &at.x;
        bool         near = true;
        for (int a = 0; a < 3; ++a) near &= c[a] > nodes[1].min[a] - wider && c[a] < nodes[1].max[a] + wider;
        if (!near) continue;
        sup_closest closest = sup_bvh_closest(&m->tree, nodes, body->points, at);
        if (closest.slot == SUP_NONE) continue;
        const uint32_t* corners = m->tree.corners + 3 * (size_t)closest.slot;
        sup_vec3        on = v3(0, 0, 0), start = v3(0, 0, 0);
        for (int k = 0; k < 3; ++k) {
            on = v3_mad(on, (float)closest.b[k], body->points[corners[k]]);
            if (m->moves) start = v3_mad(start, (float)closest.b[k], body->points_start[corners[k]]);
        }
        if (!is_behind(p, m, at, on, normal_at(m, body, &closest))) continue;
        touch(p, i, affine_point(&p->to, on), carried_by(p, m->moves ? start : on, on));
        ++pushed;
    }
    return pushed;
}

uint32_t lattice_push_bodies(const lattice_bound* b, const sup_frame* frame, double from, double to, void* scratch,
                             const sup_vec3* before, sup_vec3* x)
{
    uint32_t pushed = 0;
    for (uint32_t i = 0; i < frame->world->body_count; ++i) {
        const sup_body* body = &frame->world->bodies[i];
        presser         p = { .b = b,
                              .body = body,
                              .from = between(&body->start, &body->end, (float)from),
                              .to = between(&body->start, &body->end, (float)to),
                              .before = before,
                              .x = x };
        if (!affine_invert(&p.to, &p.back)) continue;
        if (body->kind != SUP_BODY_MESH) pushed += push_round(&p);
        else if (i < b->body_count && b->bodies[i].mesh) pushed += push_mesh(&p, &b->bodies[i], scratch);
    }
    return pushed;
}

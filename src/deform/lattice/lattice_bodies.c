// Solid bodies press particles out: straight to the nearest place of their surface.
#include "deform/lattice/lattice.h"

#include "geom/closest.h"

#include <math.h>
#include <string.h>

/// A mesh among the bodies, prepared when the chain is bound.
struct lattice_body {
    bool            mesh;  ///< false: a sphere, a capsule, or a mesh without an inside
    bool            moves; ///< its points do: refitted every step
    sup_bvh         tree;
    const sup_box*  nodes;   ///< of the resting points
    const sup_vec3* normals; ///< per point; NULL where they move
};

static sup_vec3* point_normals(const sup_body* body, sup_arena* arena)
{
    sup_vec3* n = SUP_NEW(arena, sup_vec3, body->point_count);
    for (uint32_t t = 0; n && t < body->triangle_count; ++t) {
        const uint32_t* c = body->triangles + 3 * (size_t)t;
        sup_vec3        a = body->points[c[0]];
        sup_vec3        area = v3_cross(v3_sub(body->points[c[1]], a), v3_sub(body->points[c[2]], a));
        for (int k = 0; k < 3; ++k) n[c[k]] = v3_add(n[c[k]], area);
    }
    return n;
}

static sup_result prepare(const sup_body* body, lattice_body* out, sup_arena* arena, size_t* scratch, sup_error* error)
{
    if (body->kind != SUP_BODY_MESH || !body->closed || body->triangle_count == 0) return SUP_OK;
    sup_result r = sup_bvh_create(body->points, body->triangles, body->triangle_count, arena, &out->tree, error);
    if (r != SUP_OK) return r;
    size_t boxes = 2 * (size_t)out->tree.leaf_count + body->triangle_count;
    out->mesh = true;
    out->moves = body->points_start != NULL;
    if (out->moves) {
        if (boxes * sizeof(sup_box) > *scratch) *scratch = boxes * sizeof(sup_box);
        return SUP_OK;
    }
    sup_box*  nodes = SUP_NEW(arena, sup_box, boxes);
    sup_vec3* normals = point_normals(body, arena);
    if (!nodes || !normals) return sup_fail_memory(error, "bodies");
    sup_bvh_refit(&out->tree, body->points, NULL, nodes, nodes + 2 * (size_t)out->tree.leaf_count);
    out->nodes = nodes;
    out->normals = normals;
    return SUP_OK;
}

sup_result lattice_bind_bodies(const sup_world_plan* plan, sup_arena* arena, lattice_bound* b, sup_error* error)
{
    uint32_t      count = plan ? sup_world_plan_body_count(plan) : 0;
    lattice_body* bodies = SUP_NEW(arena, lattice_body, count);
    if (!bodies) return sup_fail_memory(error, "bodies");
    for (uint32_t i = 0; i < count; ++i) {
        sup_body body;
        sup_world_plan_body(plan, i, &body);
        sup_result r = prepare(&body, &bodies[i], arena, &b->body_scratch, error);
        if (r != SUP_OK) return r;
    }
    b->body_count = count;
    b->bodies = bodies;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- frames

// A rigid map between two, by turning and moving at once.
static sup_affine between(const sup_affine* a, const sup_affine* b, float t)
{
    if (t >= 1) return *b;
    sup_vec3 place = v3_lerp(affine_translation(a), affine_translation(b), t);
    return affine_from_rotation(quat_slerp(quat_from_affine(a), quat_from_affine(b), t), place);
}

static uint32_t push_round(const lattice_bound* b, sup_vec3 from, sup_vec3 to, float radius, sup_vec3* x)
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

// The surface's normal at the nearest place: of its points where they rest, so that edges have one too; else of the triangle.
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

static uint32_t push_mesh(const lattice_bound* b, const lattice_body* m, const sup_body* body, const sup_affine* place,
                          sup_box* boxes, sup_vec3* x)
{
    const sup_box* nodes = m->nodes;
    sup_affine     back;
    uint32_t       pushed = 0;
    if (!affine_invert(place, &back)) return 0;
    if (m->moves) {
        sup_bvh_refit(&m->tree, body->points, NULL, boxes, boxes + 2 * (size_t)m->tree.leaf_count);
        nodes = boxes;
    }
    for (uint32_t i = 0; i < b->count; ++i) {
        if (b->free[i] == 0) continue;
        sup_vec3     at = affine_point(&back, x[i]);
        const float* p = &at.x;
        bool         inside = true;
        for (int a = 0; a < 3; ++a) inside &= p[a] > nodes[1].min[a] && p[a] < nodes[1].max[a];
        if (!inside) continue;
        sup_closest near = sup_bvh_closest(&m->tree, nodes, body->points, at);
        if (near.slot == SUP_NONE) continue;
        const uint32_t* c = m->tree.corners + 3 * (size_t)near.slot;
        sup_vec3        on = v3(0, 0, 0);
        for (int k = 0; k < 3; ++k) on = v3_mad(on, (float)near.b[k], body->points[c[k]]);
        if (!(v3_dot(v3_sub(at, on), normal_at(m, body, &near)) < 0)) continue;
        x[i] = affine_point(place, on);
        ++pushed;
    }
    return pushed;
}

uint32_t lattice_push_bodies(const lattice_bound* b, const sup_frame* frame, double part, void* scratch, sup_vec3* x)
{
    uint32_t pushed = 0;
    for (uint32_t i = 0; i < frame->world->body_count; ++i) {
        const sup_body* body = &frame->world->bodies[i];
        sup_affine      place = between(&body->start, &body->end, (float)part);
        sup_vec3        from = affine_point(&place, body->a);
        if (body->kind == SUP_BODY_SPHERE) pushed += push_round(b, from, from, body->radius, x);
        else if (body->kind == SUP_BODY_CAPSULE) pushed += push_round(b, from, affine_point(&place, body->b), body->radius, x);
        else if (i < b->body_count && b->bodies[i].mesh) pushed += push_mesh(b, &b->bodies[i], body, &place, scratch, x);
        else sup_stats_add(frame->stats, "lattice.body_without_inside", 1);
    }
    return pushed;
}

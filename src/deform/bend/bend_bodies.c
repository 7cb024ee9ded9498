// Bodies of the world as solids that a place can be inside of: balls, capsules and closed meshes.
#include "deform/bend/bend.h"
#include "geom/search/closest.h"
#include "math/vec.h"
#include "run/binding.h"

#include <string.h>

/// Bodies farther from the skin than this share of its diagonal are skipped in a frame.
#define NEAR 0.25f

/// A mesh among the bodies.
struct bend_mesh {
    bool            presses; ///< false: a ball, a capsule, or a mesh without an inside
    bool            moves;   ///< its points move: boxes are recomputed in every frame
    sup_bvh         tree;
    const sup_box*  nodes;   ///< of the rest points
    const sup_vec3* normals; ///< per point; NULL where they move
    float           radius;
};

// ---------------------------------------------------------------------------------------------- bind

static sup_result prepare(const sup_body* body, struct bend_mesh* out, size_t* boxes, sup_arena* arena, sup_error* error)
{
    sup_vec3   low = body->points[0], high = low;
    sup_result r = sup_bvh_create(body->points, body->triangles, body->triangle_count, arena, &out->tree, error);
    if (r) return r;
    for (uint32_t i = 0; i < body->point_count; ++i) low = v3_min(low, body->points[i]), high = v3_max(high, body->points[i]);
    sup_vec3 size = v3_sub(high, low);
    size_t   count = 2 * (size_t)out->tree.leaf_count + body->triangle_count;
    out->radius = 0.5f * (size.x < size.y ? size.x < size.z ? size.x : size.z : size.y < size.z ? size.y : size.z);
    out->presses = true;
    out->moves = body->points_start != NULL;
    if (out->moves) {
        *boxes += count * sizeof(sup_box);
        return SUP_OK;
    }
    sup_box*  nodes = SUP_NEW(arena, sup_box, count);
    sup_vec3* normals = sup_body_normals(body, arena);
    if (!nodes || !normals) return sup_fail_memory(error, "bend");
    sup_bvh_refit(&out->tree, body->points, NULL, nodes, nodes + 2 * (size_t)out->tree.leaf_count);
    out->nodes = nodes;
    out->normals = normals;
    return SUP_OK;
}

sup_result bend_bodies_create(const sup_bind_input* in, sup_arena* arena, bend_bodies* out, sup_error* error)
{
    bend_bodies       made = { .count = in->world ? sup_world_plan_body_count(in->world) : 0 };
    struct bend_mesh* meshes = SUP_NEW(arena, struct bend_mesh, made.count);
    if (!meshes) return sup_fail_memory(error, "bend");
    for (uint32_t i = 0; i < made.count; ++i) {
        sup_body body;
        sup_world_plan_body(in->world, i, &body);
        if (body.kind != SUP_BODY_MESH) meshes[i].radius = body.radius;
        else if (body.closed && body.triangle_count) {
            sup_result r = prepare(&body, &meshes[i], &made.boxes, arena, error);
            if (r) return r;
        } else sup_note(in->notes, "body '%s' has holes and therefore no inside: it does not press; close its mesh", body.name);
    }
    made.meshes = meshes;
    *out = made;
    return SUP_OK;
}

float bend_bodies_radius(const bend_bodies* bodies, uint32_t i) { return bodies->meshes[i].radius; }

// ---------------------------------------------------------------------------------------------- a frame

static sup_box box_of(const sup_vec3* points, uint32_t count, float margin)
{
    sup_vec3 low = points[0], high = low;
    for (uint32_t i = 1; i < count; ++i) low = v3_min(low, points[i]), high = v3_max(high, points[i]);
    float m = margin * v3_distance(low, high);
    return (sup_box){ { low.x - m, low.y - m, low.z - m }, { high.x + m, high.y + m, high.z + m } };
}

static bool place_mesh(const struct bend_mesh* m, const sup_body* body, sup_box* boxes, const sup_box* skin, bend_solid* s)
{
    sup_affine turn = body->end;
    if (!affine_invert(&turn, &s->back)) return false;
    s->tree = &m->tree;
    s->nodes = m->nodes;
    s->normals = m->normals;
    if (m->moves) {
        sup_bvh_refit(&m->tree, body->points, NULL, boxes, boxes + 2 * (size_t)m->tree.leaf_count);
        s->nodes = boxes;
    }
    sup_vec3 low = v3(3e38f, 3e38f, 3e38f), high = v3(-3e38f, -3e38f, -3e38f);
    for (int k = 0; k < 8; ++k) {
        const sup_box* b = &s->nodes[1];
        sup_vec3       at = affine_point(
                  &turn, v3(k & 1 ? b->max[0] : b->min[0], k & 2 ? b->max[1] : b->min[1], k & 4 ? b->max[2] : b->min[2]));
        low = v3_min(low, at), high = v3_max(high, at);
    }
    return sup_box_overlap(skin, &(sup_box){ { low.x, low.y, low.z }, { high.x, high.y, high.z } });
}

uint32_t bend_solids_at(const bend_bodies* bodies, uint32_t point_count, const sup_frame* frame, const bend_workspace* work)
{
    uint32_t n = 0, all = frame->world->body_count < bodies->count ? frame->world->body_count : bodies->count;
    sup_box* boxes = work->boxes;
    if (all == 0 || point_count == 0) return 0;
    sup_box skin = box_of(frame->points, point_count, NEAR);
    for (uint32_t i = 0; i < all; ++i) {
        const sup_body*         body = &frame->world->bodies[i];
        const struct bend_mesh* m = &bodies->meshes[i];
        bend_solid*             s = &work->solids[n];
        *s = (bend_solid){ .body = body, .radius = m->radius };
        if (body->kind == SUP_BODY_MESH) {
            if (!m->presses) continue;
            n += place_mesh(m, body, boxes, &skin, s);
            if (m->moves) boxes += 2 * (size_t)m->tree.leaf_count + body->triangle_count;
            continue;
        }
        s->a = affine_point(&body->end, body->a);
        s->b = body->kind == SUP_BODY_CAPSULE ? affine_point(&body->end, body->b) : s->a;
        sup_vec3 low = v3_min(s->a, s->b), high = v3_max(s->a, s->b);
        float    r = body->radius;
        n += sup_box_overlap(&skin, &(sup_box){ { low.x - r, low.y - r, low.z - r }, { high.x + r, high.y + r, high.z + r } });
    }
    return n;
}

// ---------------------------------------------------------------------------------------------- places

/// The surface normal at the nearest place: interpolated from its rest points, so that edges have one too; else the triangle's.
static sup_vec3 normal_at(const bend_solid* s, const sup_closest* at)
{
    const uint32_t* c = s->tree->corners + 3 * (size_t)at->slot;
    if (!s->normals) {
        const sup_vec3* p = s->body->points;
        return v3_cross(v3_sub(p[c[1]], p[c[0]]), v3_sub(p[c[2]], p[c[0]]));
    }
    sup_vec3 n = v3(0, 0, 0);
    for (int k = 0; k < 3; ++k) n = v3_mad(n, (float)at->b[k], s->normals[c[k]]);
    return n;
}

static float mesh_depth(const bend_solid* s, sup_vec3 place, sup_vec3* direction)
{
    sup_vec3     at = affine_point(&s->back, place);
    const float* p = &at.x;
    for (int a = 0; a < 3; ++a)
        if (!(p[a] > s->nodes[1].min[a] && p[a] < s->nodes[1].max[a])) return 0;
    sup_closest near = sup_bvh_closest(s->tree, s->nodes, s->body->points, at);
    if (near.slot == SUP_NONE) return 0;
    const uint32_t* c = s->tree->corners + 3 * (size_t)near.slot;
    sup_vec3        on = v3(0, 0, 0), normal = normal_at(s, &near);
    for (int k = 0; k < 3; ++k) on = v3_mad(on, (float)near.b[k], s->body->points[c[k]]);
    sup_vec3 out = v3_sub(on, at);
    if (!(v3_dot(out, normal) > 0)) return 0;
    float depth = v3_length(out);
    *direction = affine_direction(&s->body->end, v3_normalize(out, v3_normalize(normal, v3(0, 1, 0))));
    return depth;
}

float bend_solid_depth(const bend_solid* s, sup_vec3 place, sup_vec3* direction)
{
    if (s->tree) return mesh_depth(s, place, direction);
    sup_vec3 d = v3_sub(s->b, s->a);
    float    l2 = v3_length2(d), t = l2 > 0 ? sup_clampf(v3_dot(v3_sub(place, s->a), d) / l2, 0, 1) : 0;
    sup_vec3 away = v3_sub(place, v3_mad(s->a, t, d));
    float    distance = v3_length(away);
    if (!(distance < s->radius)) return 0;
    *direction = v3_normalize(away, v3(0, 1, 0));
    return s->radius - distance;
}

// The world's bodies as surfaces beside the skin.
#include "stage_internal.h"

#define SIDES 48u        // of a sphere or capsule around its axis
#define RINGS 24u        // from pole to pole, without the poles; even, so that both halves of a capsule have the same number
#define FLAT_POINTS 200u // a mesh with fewer is a prop with edges: its faces stay flat

static const picture_color GRAY = { 0.30f, 0.32f, 0.35f };

static sup_vec3 turn(const sup_affine* a, sup_vec3 p)
{
    return vec(a->m[0][0] * p.x + a->m[0][1] * p.y + a->m[0][2] * p.z, a->m[1][0] * p.x + a->m[1][1] * p.y + a->m[1][2] * p.z,
               a->m[2][0] * p.x + a->m[2][1] * p.y + a->m[2][2] * p.z);
}

static sup_vec3 move(const sup_affine* a, sup_vec3 p) { return add(turn(a, p), vec(a->m[0][3], a->m[1][3], a->m[2][3])); }

// ---------------------------------------------------------------------------------------------- making

// Triangles as the picture takes them: faces of three corners, a vertex per point.
static bool make_mesh(stage* s, uint32_t point_count, uint32_t triangle_count, const uint32_t* triangles, sup_mesh* out)
{
    uint32_t* begin = sup_arena_alloc(s->arena, (size_t)triangle_count + 1, sizeof *begin);
    if (!begin) return false;
    for (uint32_t i = 0; i <= triangle_count; i++) begin[i] = 3 * i;
    *out = (sup_mesh){ .point_count = point_count,
                       .vertex_count = point_count,
                       .face_count = triangle_count,
                       .face_begin = begin,
                       .corner_count = 3 * triangle_count,
                       .corner_points = triangles,
                       .corner_vertices = triangles };
    return true;
}

// A sphere extended at its equator: two poles and rings between them.
static bool make_round(stage* s, sup_mesh* out)
{
    uint32_t  points = RINGS * SIDES + 2, top = RINGS * SIDES, bottom = top + 1, n = 0;
    uint32_t* t = sup_arena_alloc(s->arena, (size_t)6 * RINGS * SIDES, sizeof *t);
    if (!t) return false;
    for (uint32_t i = 0; i < SIDES; i++) {
        uint32_t       next = (i + 1) % SIDES, last = (RINGS - 1) * SIDES;
        const uint32_t caps[6] = { top, i, next, bottom, last + next, last + i };
        for (int k = 0; k < 6; k++) t[n++] = caps[k];
        for (uint32_t r = 0; r + 1 < RINGS; r++) {
            uint32_t       a = r * SIDES, b = a + SIDES;
            const uint32_t band[6] = { a + i, b + i, b + next, a + i, b + next, a + next };
            for (int k = 0; k < 6; k++) t[n++] = band[k];
        }
    }
    return make_mesh(s, points, n / 3, t, out);
}

bool stage_bodies_create(stage* s)
{
    const sup_world* world = sup_instance_world(s->actors[0].instance);
    s->body_count = world->body_count;
    s->bodies = sup_arena_alloc(s->arena, s->body_count, sizeof *s->bodies);
    s->surfaces = sup_arena_alloc(s->arena, (size_t)s->body_count + 2, sizeof *s->surfaces);
    if (!s->bodies || !s->surfaces) return false;
    for (uint32_t i = 0; i < s->body_count; i++) {
        const sup_body* body = &world->bodies[i];
        stage_body*     b = &s->bodies[i];
        bool            mesh = body->kind == SUP_BODY_MESH;
        if (mesh ? !make_mesh(s, body->point_count, body->triangle_count, body->triangles, &b->mesh) : !make_round(s, &b->mesh))
            return false;
        b->points = sup_arena_alloc(s->arena, b->mesh.point_count, sizeof *b->points);
        b->normals = sup_arena_alloc(s->arena, b->mesh.point_count, sizeof *b->normals);
        if (!b->points || !b->normals) return false;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- placing

static void place_round(const sup_body* body, stage_body* b)
{
    sup_vec3 from = move(&body->end, body->a), to = move(&body->end, body->kind == SUP_BODY_CAPSULE ? body->b : body->a);
    sup_vec3 axis = unit_or(sub(to, from), vec(0, 1, 0)), x, y;
    frame_about(axis, &x, &y);
    for (uint32_t r = 0; r < RINGS; r++) {
        // Half a ring from the equator on both sides; a capsule's cylinder lies between those two.
        float angle = (float)PI * ((float)r + 0.5f) / (float)RINGS;
        for (uint32_t i = 0; i < SIDES; i++) {
            float    around = 2.0f * (float)PI * (float)i / (float)SIDES;
            sup_vec3 n = mad(scale(axis, cosf(angle)), sinf(angle) * cosf(around), x);
            n = mad(n, sinf(angle) * sinf(around), y);
            b->normals[r * SIDES + i] = n;
            b->points[r * SIDES + i] = mad(r < RINGS / 2 ? to : from, body->radius, n);
        }
    }
    b->normals[RINGS * SIDES] = axis;
    b->normals[RINGS * SIDES + 1] = scale(axis, -1.0f);
    b->points[RINGS * SIDES] = mad(to, body->radius, axis);
    b->points[RINGS * SIDES + 1] = mad(from, -body->radius, axis);
}

// Area-weighted vertex normals; a mesh with few points is meant to have edges and keeps its faces flat.
static void place_mesh(const sup_body* body, stage_body* b)
{
    for (uint32_t p = 0; p < body->point_count; p++) {
        b->points[p] = move(&body->end, body->points[p]);
        b->normals[p] = vec(0, 0, 0);
    }
    for (uint32_t t = 0; t < body->triangle_count; t++) {
        const uint32_t* c = &body->triangles[3 * t];
        sup_vec3        n = cross(sub(b->points[c[1]], b->points[c[0]]), sub(b->points[c[2]], b->points[c[0]]));
        for (int k = 0; k < 3; k++) b->normals[c[k]] = add(b->normals[c[k]], n);
    }
    for (uint32_t p = 0; p < body->point_count; p++) b->normals[p] = unit_or(b->normals[p], vec(0, 1, 0));
}

void stage_bodies_place(stage* s, const actor* a)
{
    const sup_world* world = sup_instance_world(a->instance);
    for (uint32_t i = 0; i < s->body_count; i++) {
        if (world->bodies[i].kind == SUP_BODY_MESH) place_mesh(&world->bodies[i], &s->bodies[i]);
        else place_round(&world->bodies[i], &s->bodies[i]);
    }
}

uint32_t stage_bodies_surfaces(stage* s, const actor* a, picture_surface* out)
{
    stage_bodies_place(s, a);
    for (uint32_t i = 0; i < s->body_count; i++) {
        const stage_body* b = &s->bodies[i];
        out[i] = (picture_surface){ .mesh = &b->mesh,
                                    .points = b->points,
                                    .vertex_normals = b->mesh.point_count < FLAT_POINTS ? NULL : b->normals,
                                    .alpha = 1.0f,
                                    .color = &GRAY };
    }
    return s->body_count;
}

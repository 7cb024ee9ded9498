/// tests/solve/slabs.h: closed flat boxes over grids of unit squares, as particles, for contacts.
#ifndef SUP_TESTS_SLABS_H
#define SUP_TESTS_SLABS_H

#include "math/vec.h"
#include "solve/contact/contact.h"
#include "support.h"

#include <stdlib.h>
#include <string.h>

typedef struct slabs {
    uint32_t           cells, count; ///< squares along a side; boxes
    uint32_t           side_points, slab_points, point_count, triangle_count;
    sup_vec3*          points;
    uint32_t*          triangles;
    sup_vec4 *         x, *to, *v;
    sup_arena*         arena;
    const sup_contact* contact;
    void*              scratch;
} slabs;

static inline void slabs_square(slabs* s, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    const uint32_t two[6] = { a, b, c, a, c, d };
    memcpy(s->triangles + 3 * s->triangle_count, two, sizeof two);
    s->triangle_count += 2;
}

/// Box k: bottom grid, then top grid; x and y from 0 to cells, z from bottoms[k] to bottoms[k] + 1.5. The rims are single
/// squares.
static inline slabs slabs_make(uint32_t cells, uint32_t count, const float* bottoms)
{
    uint32_t n = cells + 1;
    slabs    s = {
           .cells = cells, .count = count, .side_points = n * n, .slab_points = 2 * n * n, .point_count = 2 * n * n * count
    };
    s.points = calloc(s.point_count, sizeof *s.points);
    s.triangles = calloc(count * (4 * cells * cells + 8 * cells) * 3, sizeof *s.triangles);
    s.x = calloc(s.point_count, sizeof *s.x);
    s.to = calloc(s.point_count, sizeof *s.to);
    s.v = calloc(s.point_count, sizeof *s.v);
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t low = k * s.slab_points, high = low + s.side_points;
        for (uint32_t i = 0; i < s.side_points; ++i) {
            s.points[low + i] = v3((float)(i % n), (float)(i / n), bottoms[k]);
            s.points[high + i] = v3((float)(i % n), (float)(i / n), bottoms[k] + 1.5f);
        }
        for (uint32_t y = 0; y < cells; ++y)
            for (uint32_t x = 0; x < cells; ++x) {
                uint32_t a = y * n + x;
                slabs_square(&s, high + a, high + a + 1, high + a + n + 1, high + a + n);
                slabs_square(&s, low + a, low + a + n, low + a + n + 1, low + a + 1);
            }
        for (uint32_t i = 0; i < cells; ++i) {
            uint32_t f = i, b = cells * n + i, l = i * n, r = i * n + cells;
            slabs_square(&s, low + f, low + f + 1, high + f + 1, high + f);
            slabs_square(&s, low + b + 1, low + b, high + b, high + b + 1);
            slabs_square(&s, low + l + n, low + l, high + l, high + l + n);
            slabs_square(&s, low + r, low + r + n, high + r + n, high + r);
        }
    }
    for (uint32_t i = 0; i < s.point_count; ++i)
        s.x[i] = s.to[i] = (sup_vec4){ s.points[i].x, s.points[i].y, s.points[i].z, 1 };
    return s;
}

static inline void slabs_bind(slabs* s, uint32_t solid_count, const sup_solid_mesh* const* meshes)
{
    sup_contact_desc desc = { .point_count = s->point_count,
                              .points = s->points,
                              .triangle_count = s->triangle_count,
                              .triangles = s->triangles,
                              .margin = 0.5f,
                              .reach = 1,
                              .solid_count = solid_count,
                              .solid_meshes = meshes };
    sup_error        error;
    if (!s->arena) s->arena = sup_arena_create(NULL);
    assert_ok(sup_contact_create(&desc, s->arena, &s->contact, &error), error);
    s->scratch = aligned_alloc(64, sup_contact_scratch(s->contact));
    memset(s->scratch, 0xa5, sup_contact_scratch(s->contact)); // no initial content may be assumed
}

static inline void slabs_move(slabs* s, sup_vec4* x, uint32_t slab, sup_vec3 by)
{
    for (uint32_t i = slab * s->slab_points; i < (slab + 1) * s->slab_points; ++i) sup_particle_move(&x[i], 1, by);
}

static inline void slabs_free(slabs* s)
{
    free(s->points), free(s->triangles), free(s->x), free(s->to), free(s->v), free(s->scratch);
    sup_arena_destroy(s->arena);
}

static inline sup_contact_call slabs_call(const slabs* s)
{
    return (sup_contact_call){ .scratch = s->scratch, .thickness = 0.05f, .friction = { 0.3f, 0 } };
}

#endif

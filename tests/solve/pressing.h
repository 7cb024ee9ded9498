/// tests/solve/pressing.h: a skin of two boxes, one above the other, that keeps clear of itself.
#ifndef SUP_TESTS_PRESSING_H
#define SUP_TESTS_PRESSING_H

#include "geom/search/intersect.h"
#include "slabs.h"
#include "solve/contact/planes.h"

/// Two boxes, one above the other, moving substep by substep.
typedef struct pressing {
    slabs             s;
    const sup_planes* planes;
    sup_planes_call   call;
    sup_vec4*         from;
} pressing;

static inline void* memory(size_t bytes)
{
    void* p = aligned_alloc(64, (bytes + 64) / 64 * 64);
    assert_non_null(p);
    memset(p, 0xff, bytes);
    return p;
}

static inline pressing press_over(uint32_t cells, float distance, const float* over)
{
    pressing p = { .s = slabs_make(cells, 2, (const float[]){ 0, 1.5f + distance }) };
    float*   gives = calloc(p.s.point_count, sizeof *gives);
    for (uint32_t i = 0; i < p.s.point_count; ++i) gives[i] = 1;
    p.s.arena = sup_arena_create(NULL);
    sup_planes_desc desc = { .point_count = p.s.point_count,
                             .points = p.s.points,
                             .triangle_count = p.s.triangle_count,
                             .triangles = p.s.triangles,
                             .gives = gives,
                             .over = over };
    sup_error       error;
    assert_ok(sup_planes_create(&desc, p.s.arena, &p.planes, &error), error);
    free(gives);
    p.call = (sup_planes_call){ .scratch = memory(sup_planes_scratch(p.planes)),
                                .state = memory(sup_planes_state(p.planes)),
                                .thickness = 0.05f };
    p.from = calloc(p.s.point_count, sizeof *p.from);
    sup_planes_reset(p.planes, p.call.state);
    return p;
}

static inline pressing press(uint32_t cells, float distance) { return press_over(cells, distance, NULL); }

static inline void press_end(pressing* p)
{
    free(p->call.scratch), free(p->call.state), free(p->from);
    p->s.scratch = NULL;
    slabs_free(&p->s);
}

/// How many pairs of triangles cross.
static inline uint32_t count_crossings(const slabs* s)
{
    uint32_t count = 0;
    for (uint32_t a = 0; a < s->triangle_count; ++a)
        for (uint32_t b = a + 1; b < s->triangle_count; ++b) {
            const uint32_t *p = s->triangles + 3 * a, *q = s->triangles + 3 * b;
            sup_vec3        x[3], y[3];
            bool            shared = false;
            for (int k = 0; k < 9; ++k) shared |= p[k / 3] == q[k % 3];
            for (int k = 0; k < 3; ++k) x[k] = sup_particle_place(&s->x[p[k]]), y[k] = sup_particle_place(&s->x[q[k]]);
            count += !shared && sup_triangles_cross(x, y);
        }
    return count;
}

#endif

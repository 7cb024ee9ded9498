/// tests/solve/soft_tube.h: a closed tube of triangles along +x, as plain arrays for the kernels.
#ifndef SUP_TESTS_SOFT_TUBE_H
#define SUP_TESTS_SOFT_TUBE_H

#include "math/vec.h"

#include <stdlib.h>

typedef struct soft_tube {
    uint32_t  rings, sides, point_count, triangle_count;
    sup_vec3* points;    ///< ring by ring, then the centers of both ends
    uint32_t* triangles; ///< facing outward
    uint32_t* labels;    ///< which of `parts` equal spans
    sup_vec4* x;         ///< particles at rest, inverse mass 1
    sup_vec4* v;
} soft_tube;

static inline soft_tube soft_tube_make(uint32_t rings, uint32_t sides, float length, float radius, uint32_t parts)
{
    soft_tube t = { rings, sides, rings * sides + 2, 2 * rings * sides, NULL, NULL, NULL, NULL, NULL };
    t.points = calloc(t.point_count, sizeof *t.points);
    t.triangles = calloc(3 * (size_t)t.triangle_count, sizeof *t.triangles);
    t.labels = calloc(t.triangle_count, sizeof *t.labels);
    t.x = calloc(t.point_count, sizeof *t.x);
    t.v = calloc(t.point_count, sizeof *t.v);
    for (uint32_t i = 0; i < rings * sides; ++i) {
        double angle = 6.283185307179586 * (i % sides) / sides;
        t.points[i] =
            v3(length * (float)(i / sides) / (float)(rings - 1), radius * (float)cos(angle), radius * (float)sin(angle));
    }
    uint32_t low = rings * sides, high = low + 1, n = 0;
    t.points[high] = v3(length, 0, 0);
    for (uint32_t r = 0; r + 1 < rings; ++r)
        for (uint32_t s = 0; s < sides; ++s) {
            uint32_t       a = r * sides + s, b = r * sides + (s + 1) % sides, c = b + sides, d = a + sides;
            const uint32_t two[6] = { a, b, c, a, c, d };
            for (int k = 0; k < 6; ++k) t.triangles[n++] = two[k];
        }
    for (uint32_t s = 0; s < sides; ++s) {
        uint32_t       b = (s + 1) % sides, far = (rings - 1) * sides;
        const uint32_t two[6] = { low, b, s, high, far + s, far + b };
        for (int k = 0; k < 6; ++k) t.triangles[n++] = two[k];
    }
    for (uint32_t i = 0; i < t.triangle_count; ++i) {
        const uint32_t* c = t.triangles + 3 * i;
        float           at = (t.points[c[0]].x + t.points[c[1]].x + t.points[c[2]].x) / (3 * length) * (float)parts;
        t.labels[i] = at < 0 ? 0 : (uint32_t)at < parts ? (uint32_t)at : parts - 1;
    }
    for (uint32_t i = 0; i < t.point_count; ++i) t.x[i] = (sup_vec4){ t.points[i].x, t.points[i].y, t.points[i].z, 1 };
    return t;
}

static inline void soft_tube_free(soft_tube* t)
{
    free(t->points), free(t->triangles), free(t->labels), free(t->x), free(t->v);
}

#endif

/// tests/solve/box_lattice.h: cells that fill boxes, for tests that use lattices.
#ifndef SUP_TESTS_BOX_LATTICE_H
#define SUP_TESTS_BOX_LATTICE_H

#include "support.h"

#include "base/internal.h"
#include "geom/volume/voxels.h"
#include "math/vec.h"

/// A closed surface of twelve triangles from corner a to corner b.
static inline void add_box(sup_vec3* points, uint32_t* triangles, uint32_t box, sup_vec3 a, sup_vec3 b)
{
    static const uint8_t faces[12][3] = { { 0, 1, 3 }, { 0, 3, 2 }, { 4, 6, 7 }, { 4, 7, 5 }, { 0, 4, 5 }, { 0, 5, 1 },
                                          { 2, 3, 7 }, { 2, 7, 6 }, { 0, 2, 6 }, { 0, 6, 4 }, { 1, 5, 7 }, { 1, 7, 3 } };
    for (uint32_t i = 0; i < 8; ++i) points[8 * box + i] = v3(i & 4 ? b.x : a.x, i & 2 ? b.y : a.y, i & 1 ? b.z : a.z);
    for (uint32_t t = 0; t < 12; ++t)
        for (int k = 0; k < 3; ++k) triangles[36 * box + 3 * t + (uint32_t)k] = 8 * box + faces[t][k];
}

static inline void box_lattice(const sup_vec3 (*boxes)[2], uint32_t box_count, uint32_t cells, sup_arena* arena,
                               sup_voxels* out)
{
    sup_vec3* points = SUP_NEW(arena, sup_vec3, 8 * box_count);
    uint32_t* triangles = SUP_NEW(arena, uint32_t, 36 * box_count);
    sup_error error;
    for (uint32_t i = 0; i < box_count; ++i) add_box(points, triangles, i, boxes[i][0], boxes[i][1]);
    sup_voxels_desc desc = {
        .point_count = 8 * box_count, .points = points, .triangle_count = 12 * box_count, .triangles = triangles, .cells = cells
    };
    assert_ok(sup_voxels_create(&desc, arena, out, &error), error);
}

#endif

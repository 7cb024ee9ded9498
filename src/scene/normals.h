/// scene/normals.h: what normals.c and its wide kernel share.
#ifndef SUP_SCENE_NORMALS_H
#define SUP_SCENE_NORMALS_H

#include "math/wide.h"
#include "supple/base.h"

/// One triangle of the deformed mesh: its unit normal and the angles at its corners; all zero where it has no area.
typedef struct sup_triangle_normal {
    float normal[3];
    float unused;
    float angles[3]; ///< radians, within 2e-6; 1e-5 nearer than 0.1 to 0 or pi, 5e-4 nearer than 0.01 (a cosine hides them)
    float unused2;
} sup_triangle_normal;

/// Triangles begin up to end. A triangle with twice the area under 1e-6 of its longest edge squared has no normal that floats
/// could distinguish from noise; nor has one with edges under 1e-9 or over 1e9 units, whose fourth powers leave the range of
/// floats.
SUP_WIDE_DECLARE(void, sup_normals_triangles,
                 (const uint32_t* triangles, uint32_t begin, uint32_t end, const sup_vec3* points, sup_triangle_normal* out));

#endif

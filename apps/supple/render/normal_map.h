/// normal_map.h: the detail that a fine surface has and a coarse one lacks, as pictures over their shared texture coordinates.
#ifndef SUPPLE_APP_NORMAL_MAP_H
#define SUPPLE_APP_NORMAL_MAP_H

#include "commands/bake_run.h"
#include "render/relief.h"

/// One mesh of the pair at one instant. Triangles are those of the faces, by stored vertices.
typedef struct normal_side {
    const sup_mesh* mesh;
    const float (*uv)[2];
    const sup_vec3* normals;  ///< unit, by stored vertex
    const sup_vec4* tangents; ///< only for the coarse side
    const relief*   relief;   ///< of the fine side: folds too fine even for its points; NULL: none
} normal_side;

/// The triangle of a mesh that each texel shows, and the position in it.
typedef struct normal_texel {
    uint32_t triangle; ///< SUP_NONE: none
    float    b, c;     ///< barycentric coordinates of its second and third corner
} normal_texel;

typedef struct normal_cover {
    uint32_t      size; ///< texels of a side
    normal_texel* texels;
    uint32_t (*triangles)[3]; ///< stored vertices
    uint32_t triangle_count;
    uint64_t covered, overlapping; ///< texels that a triangle covers, and those that several do
} normal_cover;

/// Adds weight x the fine normal in the coarse tangent frame to the sums, where both cover. weights: by point of the coarse
/// mesh.
void normal_add(const normal_side* coarse, const normal_cover* under, const normal_side* fine, const normal_cover* over,
                const float* weights, const sup_tasks* tasks, sup_vec3* sums);
/// Sums to a picture: (n + 1) / 2 in 16 bits, high byte first, extended `margin` texels beyond what is covered.
sup_result normal_pixels(const sup_vec3* sums, uint32_t size, uint32_t margin, sup_arena* arena, uint8_t** out,
                         sup_error* error);

/// Plays both characters and writes OUTPUT.normal.png (a pose), or OUTPUT.compressed.png, OUTPUT.stretched.png and
/// OUTPUT.tension.npy (a clip), with OUTPUT the path without its ending. `coarse` has tangents.
sup_result normal_map_write(const bake_job* job, const sup_character* coarse, const sup_character* fine, uint32_t size,
                            sup_arena* arena, sup_error* error);
/// Only OUTPUT.tension.npy, for the mesh that is baked.
sup_result tension_write(const bake_job* job, sup_arena* arena, sup_error* error);

#endif

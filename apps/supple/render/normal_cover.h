/// normal_cover.h: which triangle each texel of a normal map shows, and which meshes share a map.
#ifndef SUPPLE_APP_NORMAL_COVER_H
#define SUPPLE_APP_NORMAL_COVER_H

#include "render/relief.h"

#include "supple/io.h"

/// One mesh of the pair at one instant. Triangles are those of the faces, by stored vertices.
typedef struct normal_side {
    const sup_mesh* mesh;
    const float (*uv)[2];
    const sup_vec3* normals;        ///< unit, by stored vertex
    const sup_vec4* tangents;       ///< only for the coarse side
    const relief*   relief;         ///< of the fine side: folds too fine even for its points; NULL: none
    const uint32_t (*triangles)[3]; ///< stored vertices
    uint32_t triangle_count;
} normal_side;

/// The triangle of a mesh that each texel shows, and the position in it.
typedef struct normal_texel {
    uint32_t triangle; ///< SUP_NONE: none
    float    b, c;     ///< barycentric coordinates of its second and third corner
} normal_texel;

typedef struct normal_cover {
    uint32_t      size; ///< texels of a side
    normal_texel* texels;
    uint64_t      covered, overlapping; ///< texels that a triangle covers, and those that several do
} normal_cover;

/// Which faces share a map: those that show the same picture; without pictures all, unless meshes lie over each other in their
/// texture coordinates, as they do where each was unwrapped for itself: then every mesh has a map of its own.
typedef struct normal_squares {
    uint32_t     count;
    const char** names;  ///< of the first mesh of each, fit for a file's name
    uint32_t*    of_key; ///< by picture, then by mesh without one
    bool         apart;  ///< meshes without pictures have their own
} normal_squares;

/// Lists the triangles of a mesh in the arena.
sup_result normal_triangles_list(const sup_mesh* mesh, sup_arena* arena, normal_side* side, sup_error* error);
/// The triangles of one square on the map: those whose first vertex is `which`.
sup_result normal_cover_make(const normal_side* side, const uint32_t* of_vertex, uint32_t which, uint32_t size,
                             const sup_progress* bar, sup_arena* arena, normal_cover* out, sup_error* error);
sup_result normal_squares_find(const normal_side* side, const sup_character* character, sup_arena* arena, normal_squares* out,
                               sup_error* error);
/// The square of every stored vertex, also of a finer copy of the character.
sup_result normal_squares_of(const normal_squares* squares, const sup_character* character, sup_arena* arena,
                             const uint32_t** out, sup_error* error);

#endif

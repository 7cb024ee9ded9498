/// solve/skinning/nearest_bones.h: which bone is nearest to each particle on the way through the cells.
#ifndef SUP_SOLVE_SKINNING_NEAREST_BONES_H
#define SUP_SOLVE_SKINNING_NEAREST_BONES_H

#include "geom/volume/voxels.h"

/// A straight piece of a bone, at rest.
typedef struct sup_bone_line {
    sup_vec3 head, tail;
} sup_bone_line;

enum { NEAREST_TIES = 4 };

/// Per particle.
typedef struct sup_nearest {
    double   distance; ///< in cells
    uint32_t count;    ///< owners at the same distance
    uint32_t owners[NEAREST_TIES];
} sup_nearest;

typedef struct sup_nearest_bones {
    sup_nearest*   particles;
    const uint8_t* sources; ///< per particle: it lies at a cell that a bone goes through
    const uint8_t* lost;    ///< per component: no bone goes through it; its particles follow the nearest bones in the air
    uint32_t       lost_count;
    uint32_t       outside_bones, outside_first; ///< further than two cells from the mesh
} sup_nearest_bones;

/// `owners` names each bone's owner (0, 1, ... in place of joints).
sup_result sup_nearest_bones_find(const sup_voxels* voxels, uint32_t bone_count, const sup_bone_line* bones,
                                  const uint32_t* owners, sup_arena* arena, sup_nearest_bones* out, sup_error* error);

/// Squared distance of a place to a piece of straight line.
double sup_segment_distance2(const double head[3], const double tail[3], const double place[3]);

#endif

/// geom/parts.h: the parts of a shape without a rig: its limbs by their tips, and the body between them.
///
/// Tips are points farther from the middle of the surface than all around them. From every point a walker wanders over the
/// edges at random, less likely across hollows; it belongs to the part whose seed it most likely meets first (Grady's random
/// walks, as Lai et al. use them on meshes). That is one system of linear equations per seed.
#ifndef SUP_GEOM_PARTS_H
#define SUP_GEOM_PARTS_H

#include "geom/curves.h"

typedef struct sup_parts {
    const uint32_t*       labels;                             ///< per point; SUP_NONE for points of no triangle
    uint32_t              part_count, tip_count, piece_count; ///< pieces: connected ones of the mesh, with parts of their own
    const sup_curve_line* lines; ///< per part: from the tip to the other end through the middle; count 0: a body, or no tips
} sup_parts;

/// One part alone where a piece has no two tips (a ball).
sup_result sup_parts_walk(const sup_curve_mesh* mesh, sup_arena* arena, sup_parts* out, sup_error* error);

#endif

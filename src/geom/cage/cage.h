/// geom/cage/cage.h: one clean surface around any mesh, for physics to live on.
///
/// Characters come as open shells, dozens of pieces inside and across each other, clothes over bodies, needles beside large
/// faces. A cage is like a tailor's dummy of them: closed, manifold, free of crossings, made of even triangles, finer where
/// limbs are thin, and separate where the rig moves parts separately. Parts too thin for it (fingers, straps) are not in it.
#ifndef SUP_GEOM_CAGE_CAGE_H
#define SUP_GEOM_CAGE_CAGE_H

#include "supple/base.h"

typedef struct sup_cage_desc {
    uint32_t            point_count;
    const sup_vec3*     points; ///< finite
    uint32_t            triangle_count;
    const uint32_t*     triangles;
    const uint32_t*     weight_begin; ///< point_count + 1; NULL: no rig, nothing has to stay apart
    const uint32_t*     weight_joints;
    const float*        weight_values; ///< of each point: positive, with sum 1; a point may have none
    uint32_t            joint_count;
    const uint32_t*     parents; ///< per joint; SUP_NONE: a root
    uint32_t            target;  ///< approximate number of cage points
    const sup_tasks*    tasks;
    const sup_progress* progress; ///< NULL: no progress reports
} sup_cage_desc;

/// Limits for one cage point.
enum { SUP_CAGE_SOURCES = 32, SUP_CAGE_INFLUENCES = 8 };

typedef struct sup_cage {
    uint32_t        point_count; ///< 0: the mesh encloses nothing thick enough
    const sup_vec3* points;
    uint32_t        triangle_count;
    const uint32_t* triangles; ///< facing out

    /// Where a cage point takes its values from: nearby points of the mesh, with shares of sum 1. At least one each.
    const uint32_t* source_begin; ///< point_count + 1
    const uint32_t* sources;
    const float*    shares;

    const uint32_t* weight_begin; ///< point_count + 1; NULL without a rig; largest first
    const uint32_t* weight_joints;
    const float*    weight_values;
} sup_cage;

/// The target and a grid of a million cells bound the work, whatever the mesh: where it would take more, the grid gets coarser.
/// The same result for any number of workers. SUP_ERROR_CANCELLED when the progress callback says so.
sup_result sup_cage_create(const sup_cage_desc* desc, sup_arena* arena, sup_cage* out, sup_error* error);

/// Whether the mesh needs a cage because its own surface is not clean: pieces that cross, or edges with many faces. The work is
/// bounded as well.
sup_result sup_cage_wanted(const sup_cage_desc* desc, sup_arena* arena, bool* out, sup_error* error);

#endif

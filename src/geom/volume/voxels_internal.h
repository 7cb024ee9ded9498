/// geom/volume/voxels_internal.h: cells under construction.
#ifndef SUP_GEOM_VOLUME_VOXELS_INTERNAL_H
#define SUP_GEOM_VOLUME_VOXELS_INTERNAL_H

#include "geom/volume/voxels.h"
#include "geom/volume/winding.h"

/// State of a grid cell beside SUP_VOXEL_SURFACE and _INSIDE: which of its upper faces a triangle touches.
enum { VOXEL_TOUCHED = 4 /* and 8, 16 */, VOXEL_OUTSIDE = 32 };

typedef struct voxel_maker {
    const sup_voxels_desc* desc;
    sup_voxels*            out;
    sup_arena*             scratch;
    uint32_t               grid, step[3], inner_count;
    uint32_t               first;   ///< inner cell at which the current piece begins
    double                 guessed; ///< cells of an open mesh that lie inside although the flood reaches them
    uint8_t*               state;   ///< per grid index
    uint8_t*               flags;   ///< per cell
    bool                   has_winding;
    sup_winding            winding;
} voxel_maker;

/// Grid index of inner cell i, counted by x, y, z without the border: rising.
static inline uint32_t voxel_inner(const voxel_maker* m, uint32_t i)
{
    uint32_t x = m->out->size[0] - 2, y = m->out->size[1] - 2;
    return 1 + i % x + m->step[1] * (1 + i / x % y) + m->step[2] * (1 + i / x / y);
}

/// Marks the cells and faces that triangles touch.
sup_result voxel_touch(voxel_maker* m, sup_error* error);
/// Decides which neighbors are joined.
sup_result voxel_join(voxel_maker* m, sup_error* error);
/// Particles, links and components.
sup_result voxel_particles(voxel_maker* m, sup_arena* arena, sup_error* error);

/// Reports progress; SUP_ERROR_CANCELLED: stop.
sup_result voxel_report(const voxel_maker* m, sup_error* error);

sup_result voxel_need_winding(voxel_maker* m, sup_error* error);
/// By winding number at a place of a grid cell.
bool voxel_inside(const voxel_maker* m, uint32_t at, double dx, double dy, double dz);

#endif

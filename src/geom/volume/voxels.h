/// geom/volume/voxels.h: the cells of a grid that a mesh fills, and particles at their corners. Arrays in, arrays out.
///
/// A cell is *occupied* if a triangle touches it or if it lies inside. Two neighbors are *joined* if a triangle touches the
/// face between them or that face lies inside: fingers, lips and legs that share a cell's corner but no joined face get a
/// particle each there, so they can move apart.
#ifndef SUP_GEOM_VOLUME_VOXELS_H
#define SUP_GEOM_VOLUME_VOXELS_H

#include "supple/base.h"

/// Cells of the whole padded grid, at most.
#define SUP_VOXELS_MAX (1u << 24)

typedef struct sup_voxels_desc {
    uint32_t            point_count;
    const sup_vec3*     points; ///< finite
    uint32_t            triangle_count;
    const uint32_t*     triangles;
    uint32_t            cells;     ///< along the longest side of the triangles' box, at least 1
    uint32_t            most_open; ///< occupied cells allowed with holes; beyond, the work ends early (`over_limit`); 0: any
    const sup_tasks*    tasks;
    const sup_progress* progress; ///< called now and then with 0; false stops the work, SUP_ERROR_CANCELLED
} sup_voxels_desc;

enum {
    SUP_VOXEL_SURFACE = 1,  ///< touched by a triangle
    SUP_VOXEL_INSIDE = 2,   ///< enclosed
    SUP_VOXEL_JOINED_X = 4, ///< with the next cell along x; y and z follow
    SUP_VOXEL_JOINED_Y = 8,
    SUP_VOXEL_JOINED_Z = 16,
};

/// Corner k of a cell lies at +x where bit 0 of k is set, +y bit 1, +z bit 2. Octant o of a particle is the cell on that side.
typedef struct sup_voxels {
    uint32_t        size[3];   ///< of the grid, with a border one cell thick that is never occupied, whatever the mesh
    double          origin[3]; ///< lowest corner of grid cell 0
    double          h;         ///< side of a cell
    bool            over_limit; ///< over `most_open`: cell_count is an estimate, and nothing else is filled
    uint32_t        cell_count;
    const uint32_t* cells; ///< grid index of each: x + size[0] (y + size[1] z), rising; all 26 neighbors are in the grid
    const uint8_t*  flags; ///< of each
    const uint32_t* at;    ///< cell of each grid index, SUP_NONE: empty

    uint32_t        particle_count;
    const uint32_t* corners;   ///< grid index of the cell whose lowest corner the particle is
    const uint8_t*  octants;   ///< bit o: the cell in octant o belongs to the particle
    const uint32_t* particles; ///< eight of each cell

    /// Particles adjacent along an axis, through a cell. Numbers rise along x inside a run: if p + 1 is a link of p along +x,
    /// both are in one run; runs are ordered by y, then z, components apart.
    const uint32_t* link_begin; ///< particle_count + 1
    const uint32_t* links;

    uint32_t        component_count; ///< cells connected by joined faces
    const uint32_t* components;      ///< of each particle
    bool            open;            ///< holes: inside was decided by the winding number
} sup_voxels;

/// Linear in grid cells and in the cells that triangles touch; the same for any number of workers.
sup_result sup_voxels_create(const sup_voxels_desc* desc, sup_arena* arena, sup_voxels* out, sup_error* error);

/// The cell of octant o of particle p.
static inline uint32_t sup_voxels_octant(const sup_voxels* v, uint32_t p, uint32_t o)
{
    uint32_t back = (o & 1 ? 0 : 1) + (o & 2 ? 0 : v->size[0]) + (o & 4 ? 0 : v->size[0] * v->size[1]);
    return v->at[v->corners[p] - back];
}

/// The rest position of a particle, in cells from the grid's origin.
static inline void sup_voxels_corner(const sup_voxels* v, uint32_t p, uint32_t out[3])
{
    uint32_t at = v->corners[p];
    out[0] = at % v->size[0];
    out[1] = at / v->size[0] % v->size[1];
    out[2] = at / v->size[0] / v->size[1];
}

sup_vec3 sup_voxels_position(const sup_voxels* v, uint32_t p);

/// The cell that contains a point and the position in it, 0 to 1 in each direction. SUP_NONE if that cell is empty.
uint32_t sup_voxels_find(const sup_voxels* v, sup_vec3 point, float place[3]);

/// The nearest occupied cell of every grid index, in steps over 26 neighbors; for points that belong to no triangle.
sup_result sup_voxels_nearest(const sup_voxels* v, sup_arena* arena, const uint32_t** out, sup_error* error);

#endif

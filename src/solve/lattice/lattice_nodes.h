/// solve/lattice/lattice_nodes.h: the skin as the outside of a lattice sees it. Every border particle finds the nearest place
/// of the surface and rides there as a *node* inside its own cell, so that the faces of border cells, drawn between nodes
/// instead of particles, are the skin at the resolution of the cells: closed, whatever the mesh is like.
#ifndef SUP_SOLVE_LATTICE_LATTICE_NODES_H
#define SUP_SOLVE_LATTICE_LATTICE_NODES_H

#include "geom/volume/voxels.h"

/// Place: x_base + sum of share (x_beside - x_base), one neighbor along each axis.
typedef struct sup_lattice_node {
    bool     skin; ///< false: the particle itself (inside, or the surface there belongs to another piece)
    uint32_t base;
    uint32_t beside[3];
    float    share[3]; ///< 0 to 1
    uint32_t cell;     ///< the cell it rides in; unused where base is its own neighbor
    uint32_t corner;   ///< of the cell: base
    uint32_t points[3];
    float    mix[3];  ///< of the mesh's points, summing to 1: the same place at rest
    bool     carried; ///< it rides on bones, not on the skin: points[0] is the center of the surface's parts that it is
    bool middle;    ///< at the center of points of the mesh: points[0] is that of a hole or of a center (geom/volume/volumes.h)
    sup_vec3 place; ///< at rest, of one that rides on bones or a center
} sup_lattice_node;

/// One per particle.
sup_result sup_lattice_nodes_find(const sup_voxels* voxels, const sup_vec3* points, const uint32_t* triangles,
                                  uint32_t triangle_count, const sup_tasks* tasks, sup_arena* arena,
                                  const sup_lattice_node** out, sup_error* error);

/// The node of a point of the mesh: it rides on the nearest corner of its cell. place: 0 to 1 in the cell.
sup_lattice_node sup_lattice_node_of_point(const sup_voxels* voxels, uint32_t point, uint32_t cell, const float place[3]);

#endif

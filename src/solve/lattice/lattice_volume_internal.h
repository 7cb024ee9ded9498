/// solve/lattice/lattice_volume_internal.h: types and functions that the files preparing the volumes share.
#ifndef SUP_SOLVE_LATTICE_LATTICE_VOLUME_INTERNAL_H
#define SUP_SOLVE_LATTICE_LATTICE_VOLUME_INTERNAL_H

#include "base/internal.h"
#include "geom/volume/volumes.h"
#include "math/vec.h"
#include "solve/lattice/lattice_volume.h"

typedef struct lattice_maker {
    const sup_lattice_volume_desc* desc;
    const sup_voxels*              v;
    sup_arena*                     scratch;
    uint32_t*                      queue;
    uint32_t*                      owner; ///< per particle: part, SUP_NONE: none
    uint8_t*                       cut;   ///< per particle: touches cells of more than one part
    uint32_t*                      way;   ///< per particle: links to the nearest cut of its part
    float*                         fade;
    float*                         ramp; ///< per part: cells over which it blends into its neighbors
    const sup_lattice_node*        nodes;
    uint32_t                       node_count;
    sup_volumes                    surface; ///< the mesh's own triangles; no parts: faces of cells instead
} lattice_maker;

/// The parts around a particle, each listed once, with their shares of its cells.
uint32_t lattice_parts_around(const lattice_maker* m, uint32_t p, uint32_t parts[8], float shares[8]);
/// Grid index stride from a particle to the next along an axis.
int64_t lattice_stride(const sup_voxels* v, int axis);
/// The surface of every part from the mesh's own triangles, and a node for each of its points; left empty if that is not
/// possible.
sup_result lattice_make_surface(lattice_maker* m, sup_arena* arena, sup_error* error);
/// Where a node is at rest, in cells from the grid's origin.
void lattice_node_at_rest(const lattice_maker* m, const sup_lattice_node* n, double out[3]);
/// out += a x b
void lattice_cross_add(double out[3], const double a[3], const double b[3]);
/// Faces, members, volumes at rest and rates.
sup_result lattice_make_parts(lattice_maker* m, sup_arena* arena, sup_lattice_volume* out, sup_error* error);

#endif

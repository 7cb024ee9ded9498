/// solve/lattice/lattice_gaps_internal.h: types that the files preparing the gaps share.
#ifndef SUP_SOLVE_LATTICE_LATTICE_GAPS_INTERNAL_H
#define SUP_SOLVE_LATTICE_LATTICE_GAPS_INTERNAL_H

#include "solve/lattice/lattice_gaps.h"

typedef struct gap_maker {
    const sup_lattice_gaps_desc* desc;
    const sup_voxels*            v;
    sup_arena*                   scratch;
    uint32_t*                    particles; ///< of each place
    uint32_t*                    seen;      ///< per particle: stamp of a walk
    uint32_t*                    queue;
    sup_vec3*                    normals; ///< per point of the mesh
    uint32_t*                    picks;   ///< points that become places
    uint32_t                     pick_count;
} gap_maker;

/// The places on the skin: nodes of border particles, and points of the mesh where there are none.
sup_result lattice_list_places(gap_maker* m, sup_arena* arena, sup_lattice_gaps* out, sup_error* error);

#endif

/// solve/lattice/lattice_weights.h: weights of the particles of a lattice for the bones inside it. Points of a mesh take theirs
/// from the particles of their cell; the lattice deformer poses the particles themselves.
#ifndef SUP_SOLVE_LATTICE_LATTICE_WEIGHTS_H
#define SUP_SOLVE_LATTICE_LATTICE_WEIGHTS_H

#include "solve/skinning/diffusion.h"
#include "solve/skinning/nearest_bones.h"

typedef struct sup_lattice_weights_desc {
    const sup_voxels*    voxels;
    uint32_t             bone_count;
    const sup_bone_line* bones;
    const uint32_t*      owners;   ///< of each bone: 0, 1, ...
    const float*         strength; ///< per owner; values that are not positive and finite count as 1; NULL: 1
    double               spread;   ///< larger is sharper at the joints; 0: 1
    bool                 diffuse;  ///< the mean of neighbors, `steps` times (Chen et al. 2012, eq. 4 and 5)
    uint32_t             steps;    ///< 0: until every particle is reached
} sup_lattice_weights_desc;

/// Prepared once; then groups of eight owners are solved independently, on any thread.
typedef struct sup_lattice_weights {
    const sup_voxels* voxels;
    sup_nearest_bones near;
    sup_diffusion     diffusion;
    uint32_t          steps; ///< averaging steps; 0: screened
} sup_lattice_weights;

/// Screened (after Baran and Popovic 2007): (L + H) w_j = H p_j with H = spread strength / d^2, d the path length to the
/// nearest bone through the cells, p_j = 1 where that bone is one of owner j. Everything lives in the arena; the voxels must
/// outlive it.
sup_result sup_lattice_weights_create(const sup_lattice_weights_desc* desc, sup_arena* arena, sup_lattice_weights* out,
                                      sup_error* error);

/// Owners 8 group ... 8 group + 7 into w: particles x 8 floats, nonnegative, which sum to 1 over all groups up to rounding.
/// work: sup_diffusion_work floats. Works for some tenths of a second; call again until `run`, zero at first, has ended.
void sup_lattice_weights_solve(const sup_lattice_weights* weights, uint32_t group, sup_diffusion_run* run, float* w,
                               float* work);

#endif

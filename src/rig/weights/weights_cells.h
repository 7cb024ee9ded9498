/// rig/weights/weights_cells.h: the cell size for spreading weights.
#ifndef SUP_RIG_WEIGHTS_WEIGHTS_CELLS_H
#define SUP_RIG_WEIGHTS_WEIGHTS_CELLS_H

#include "supple/rig.h"

/// The number of cells along the longest side of the mesh: two across the thinnest limb, up to 80, and one in the gaps
/// between limbs of bones that do not meet (wing and belly, two fingers), up to 128. Both are measured at samples of the
/// surface.
sup_result sup_weights_choose_cells(const sup_mesh* mesh, uint32_t bone_count, const sup_bone* bones, const sup_tasks* tasks,
                                    sup_arena* scratch, uint32_t* out, sup_error* error);

#endif

/// rig/weights/weights_cells.h: how fine the cells must be that weights spread through.
#ifndef SUP_RIG_WEIGHTS_WEIGHTS_CELLS_H
#define SUP_RIG_WEIGHTS_WEIGHTS_CELLS_H

#include "supple/rig.h"

/// Cells along the longest side of the mesh: three across the thinnest limb, as far as 80 reach, and one in the gaps between
/// limbs of bones that do not meet (wing and belly, two fingers), as far as 128 do. Both are measured at samples of the
/// surface.
sup_result sup_weights_choose_cells(const sup_mesh* mesh, uint32_t bone_count, const sup_bone* bones, const sup_tasks* tasks,
                                    sup_arena* scratch, uint32_t* out, sup_error* error);

#endif

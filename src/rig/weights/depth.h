/// rig/weights/depth.h: the depth of cells in a mesh.
#ifndef SUP_RIG_WEIGHTS_DEPTH_H
#define SUP_RIG_WEIGHTS_DEPTH_H

#include "geom/volume/voxels.h"

/// The distance in cells from every occupied grid cell to the nearest empty one, 0 for empty cells; with `outside`, from every
/// empty cell to the nearest occupied one, where the border of the grid stays at SUP_DEPTH_FAR. A chamfer distance.
#define SUP_DEPTH_FAR 1e9f
void sup_voxels_depth(const sup_voxels* v, bool outside, float* depth);

#endif

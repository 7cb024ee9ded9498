// A chamfer distance over the grid in two sweeps.
#include "rig/weights/depth.h"

// One sweep, forward or backward; it reads the neighbors already visited.
static void sweep(const sup_voxels* v, int sign, float* depth)
{
    static const float steps[4] = { 0, 1, 1.41421356f, 1.73205081f };
    uint32_t           sx = v->size[0], sy = v->size[1], sz = v->size[2], count = sx * sy * sz;
    for (uint32_t n = 0; n < count; ++n) {
        uint32_t i = sign > 0 ? n : count - 1 - n, x = i % sx, y = i / sx % sy, z = i / sx / sy;
        float    least = depth[i];
        if (least == 0 || x == 0 || y == 0 || z == 0 || x + 1 == sx || y + 1 == sy || z + 1 == sz) continue;
        for (int k = 0; k < 13; ++k) { // half of the 26 neighbors
            int     dx = k % 3 - 1, dy = k / 3 % 3 - 1, dz = k / 9 - 1;
            int64_t at = (int64_t)i + sign * (dx + (int64_t)sx * (dy + (int64_t)sy * dz));
            float   over = depth[at] + steps[(dx != 0) + (dy != 0) + (dz != 0)];
            if (over < least) least = over;
        }
        depth[i] = least;
    }
}

void sup_voxels_depth(const sup_voxels* v, bool outside, float* depth)
{
    for (uint32_t i = 0; i < v->size[0] * v->size[1] * v->size[2]; ++i)
        depth[i] = (v->at[i] == SUP_NONE) == outside ? SUP_DEPTH_FAR : 0;
    sweep(v, 1, depth);
    sweep(v, -1, depth);
}

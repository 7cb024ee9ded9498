/// scenes/tube.h: a closed tube of quads along +x: rings of points, and a square patch over each end, so that there is no pole.
/// This is only the connectivity; the character positions the points.
#ifndef SUP_SCENES_TUBE_H
#define SUP_SCENES_TUBE_H

#include "supple/base.h"

typedef struct sup_tube {
    uint32_t rings; ///< at least 2
    uint32_t side;  ///< quads along a side of an end patch: a ring has four times as many
} sup_tube;

/// The position of a point on the tube. The section is parametrized as a square, u and v from -1 to 1.
typedef struct sup_tube_spot {
    uint32_t ring; ///< for points of a patch, the ring around it
    float    u, v; ///< on the ring, max(|u|, |v|) is 1
    float    rim;  ///< max(|u|, |v|): 1 on the ring, 0 in the middle of the patch
    float    turn; ///< 0 to 1 around the section from u = 1, v = 0, towards v = 1
} sup_tube_spot;

uint32_t sup_tube_point_count(const sup_tube* tube);
uint32_t sup_tube_face_count(const sup_tube* tube);
/// Rings first, one after the other, then the patch at the first ring, then the one at the last.
sup_tube_spot sup_tube_find(const sup_tube* tube, uint32_t point);
/// The point at column i (along u) and row j (along v) of an end patch; its rim are points of the ring.
uint32_t sup_tube_patch_point(const sup_tube* tube, bool last, uint32_t i, uint32_t j);
/// Four points a face, facing outwards where u runs along y and v along z. Face (ring, step) of the hull is number
/// ring * 4 side + step; the patches follow.
void sup_tube_faces(const sup_tube* tube, uint32_t* corners);
/// The position of (u, v) around its own square, 0 to 1 from the middle of the side u = 1.
float sup_square_turn(float u, float v);
/// The middle of the square's side and its walk: point number `step` of 4 side around the rim of a patch, as column and row.
void sup_square_rim(uint32_t columns, uint32_t rows, uint32_t step, uint32_t* i, uint32_t* j);

#endif

/// scene/rows.h: the four influences of a vertex as nearly all files have them: sorted, different joints, none of them tiny.
#ifndef SUP_SCENE_ROWS_H
#define SUP_SCENE_ROWS_H

#include "math/wide.h"

#include <stddef.h>

/// What may be written behind the influences that are kept.
enum { SUP_ROWS_ROOM = 4 };

typedef struct sup_rows {
    const float*    weights;  ///< of stored vertices, four each
    const uint32_t* joints;   ///< likewise
    const uint32_t* vertices; ///< of every point
    const uint32_t* places;   ///< of every joint
    /// The lists that are made: those of point p from begin[p] to begin[p + 1]. Four places are written wherever some are kept.
    uint32_t* begin;
    uint32_t* out_joints;
    float*    out_values;
    double    low, high; ///< range of the sums as stored; widened
    uint32_t  most;      ///< influences of any point; raised
} sup_rows;

/// Takes the rows of points `from` up to `end` as long as nothing is left to do but to divide them by their sum, which no order
/// rounds: from 2^-28 to 1 the bits of four floats fit into a double. Vertices count from `first`. Returns the point it stops
/// at.
SUP_WIDE_DECLARE(uint32_t, sup_rows_take, (sup_rows * rows, uint32_t first, uint32_t from, uint32_t end));

#endif

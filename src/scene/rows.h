/// scene/rows.h: the four influences of a vertex as nearly all files have them: sorted, with different joints, none of them
/// tiny.
#ifndef SUP_SCENE_ROWS_H
#define SUP_SCENE_ROWS_H

#include "math/wide.h"

#include <stddef.h>

/// Entries that may be written after the influences that are kept.
enum { SUP_ROWS_ROOM = 4 };

typedef struct sup_rows {
    const float*    weights;  ///< of stored vertices, four each
    const uint32_t* joints;   ///< likewise
    const uint32_t* vertices; ///< of every point
    const uint32_t* places;   ///< of every joint
    /// The output lists: those of point p from begin[p] to begin[p + 1]. Four entries are written for every row with any.
    uint32_t* begin;
    uint32_t* out_joints;
    float*    out_values;
    double    low, high; ///< range of the sums as stored; widened
    uint32_t  most;      ///< influences of any point; raised
} sup_rows;

/// Takes the rows of points `from` up to `end` as long as only a division by the sum remains to be done, whose rounding does
/// not depend on the order: from 2^-28 to 1 the bits of four floats fit into a double. Vertices count from `first`. Returns the
/// point where it stopped.
SUP_WIDE_DECLARE(uint32_t, sup_rows_take, (sup_rows * rows, uint32_t first, uint32_t from, uint32_t end));

#endif

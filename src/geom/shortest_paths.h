/// geom/shortest_paths.h: an order of points in which neighborhoods are few runs of consecutive numbers, so that a sum over a
/// neighborhood is a few differences of prefix sums (Diziol et al. 2011).
#ifndef SUP_GEOM_SHORTEST_PATHS_H
#define SUP_GEOM_SHORTEST_PATHS_H

#include "geom/surface/rings.h"

/// A walk that stays close to what it has visited: it goes on to the unvisited neighbor that has the fewest unvisited neighbors
/// itself (ties: lowest number); if stuck, to the point with the fewest next to the walk. order[k] is the k-th point. Neighbors
/// as in sup_topology; starts at the point with the fewest.
sup_result sup_path_order(uint32_t point_count, const uint32_t* ring_begin, const uint32_t* ring, sup_arena* arena,
                          uint32_t* order, sup_error* error);

/// Runs [first, last) of consecutive numbers: those of p are pairs[begin[p]] up to pairs[begin[p + 1]].
typedef struct sup_interval {
    uint32_t first, last;
} sup_interval;
typedef struct sup_intervals {
    uint32_t            point_count;
    const uint32_t*     begin; ///< point_count + 1
    const sup_interval* pairs;
} sup_intervals;

/// Stores the rings as runs.
sup_result sup_intervals_create(const sup_rings* rings, sup_arena* arena, sup_intervals* out, sup_error* error);

#endif

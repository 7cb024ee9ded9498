/// geom/surface/topology_doubled.h: which faces are duplicates. For topology.c.
#ifndef SUP_GEOM_SURFACE_TOPOLOGY_DOUBLED_H
#define SUP_GEOM_SURFACE_TOPOLOGY_DOUBLED_H

#include "base/sort.h"
#include "geom/surface/topology.h"

typedef struct doubled_search {
    const sup_polygons* polygons;
    uint8_t*            doubled; ///< per face: 1 if it equals an earlier one
    uint64_t*           keys;    ///< per face
    sup_sort_item *     items, *spare;
} doubled_search;

/// False: out of memory. `doubled` lives in `keep`.
bool doubled_search_begin(doubled_search* s, const sup_polygons* polygons, uint32_t most_at_edge, sup_arena* keep,
                          sup_arena* scratch);
/// The faces at one edge, as values of the first `count` items, in rising order. Takes the time of a sort, however many.
void doubled_search_edge(doubled_search* s, uint32_t count);

#endif

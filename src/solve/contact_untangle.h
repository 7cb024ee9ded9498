/// solve/contact_untangle.h: what contact_untangle.c and contact_retreat.c share: which pairs of triangles cross at the end of
/// a step, and which points are hot for it.
#ifndef SUP_SOLVE_CONTACT_UNTANGLE_H
#define SUP_SOLVE_CONTACT_UNTANGLE_H

#include "solve/contact_internal.h"

typedef struct untangling untangling;

struct untangling {
    const sup_contact*      c;
    const sup_contact_call* call;
    contact_memory          m;
    sup_vec4*               x;
    const sup_vec3*         skinned;
    bool                    all; ///< pairs count that cross at rest or are tied, too
    /// Gets every pair of slots that crosses, one after the other; NULL: nobody does.
    void (*seen)(untangling* u, const uint32_t slots[2]);
    const uint32_t* pairs; ///< of packs
    uint32_t        pair_count;
    uint32_t        first;     ///< of the wave
    uint32_t        hot_count; ///< points in m.hot_list
    uint64_t        tests;     ///< of this step: pairs of packs and of triangles
    uint64_t        tests_most;
};

/// More lies in one place than can be looked at. From then on nothing is, and what was found counts for nothing.
static inline bool sup_untangle_crowded(const untangling* u) { return u->tests > u->tests_most; }
/// A point becomes as hot as this, if it is not already.
void sup_untangle_heat(untangling* u, uint32_t point, float to);
/// All corners of a pair.
void sup_untangle_heat_pair(untangling* u, const uint32_t slots[2], float to);
/// From every hot point a share to its neighbors, unless that is colder than `coldest`.
void sup_untangle_spread(untangling* u, float share, float coldest);
/// Everything is measured, and the hierarchy is fitted to it, with room to move in mean edges.
void sup_untangle_refit(untangling* u, float room);
/// After that: all pairs of triangles that cross, wherever they look. Returns how many.
uint32_t sup_untangle_count(untangling* u);
/// How many pairs cross where skinning puts them. Refits.
uint32_t sup_untangle_count_skinned(untangling* u);

/// contact_retreat.c: the skin goes towards the skinned one where it is more crossed. `heats` are kept for the next step.
/// Returns how many points are not where they were.
uint32_t sup_contact_retreat(untangling* u, contact_heat* heats);

#endif

/// base/sets.h: disjoint sets (union-find) of 0 to count - 1. sets[i] leads toward the set's representative.
#ifndef SUP_BASE_SETS_H
#define SUP_BASE_SETS_H

#include <stdbool.h>
#include <stdint.h>

/// Every element is a set of its own.
static inline void sup_sets_begin(uint32_t* sets, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) sets[i] = i;
}

/// The representative of i's set. Halves the path on its way.
static inline uint32_t sup_sets_find(uint32_t* sets, uint32_t i)
{
    while (sets[i] != i) i = sets[i] = sets[sets[i]];
    return i;
}

/// Joins the sets of a and b; false when they already were one. The lowest element represents a set, whatever the order of
/// joins.
static inline bool sup_sets_join(uint32_t* sets, uint32_t a, uint32_t b)
{
    a = sup_sets_find(sets, a), b = sup_sets_find(sets, b);
    if (a < b) sets[b] = a;
    else sets[a] = b;
    return a != b;
}

#endif

/// base/sort.h: one stable sort for the whole library, so that equal keys keep their order on every machine.
#ifndef SUP_BASE_SORT_H
#define SUP_BASE_SORT_H

#include "supple/base.h"

#include <string.h>

typedef struct sup_sort_item {
    uint64_t key;
    uint32_t value; ///< sorted along: usually the index of the item that the key was made from
} sup_sort_item;

/// Sorts by rising key; items with equal keys keep their order. `spare` is memory for count items and must not overlap `items`.
/// Time grows with the count and with the number of key bytes that differ between items.
SUP_API void sup_sort(sup_sort_item* items, sup_sort_item* spare, uint32_t count);

/// A key in the order of the floats.
static inline uint32_t sup_sort_key(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

#endif

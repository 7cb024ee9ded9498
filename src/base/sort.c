#include "base/sort.h"

#include <string.h>

// Below this, 8 histograms cost more than moving items by hand.
enum { SMALL = 48, BYTES = 8, VALUES = 256 };

static void insert(sup_sort_item* items, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i) {
        sup_sort_item item = items[i];
        uint32_t      at = i;
        for (; at > 0 && items[at - 1].key > item.key; --at) items[at] = items[at - 1];
        items[at] = item;
    }
}

// Least significant byte first, one histogram pass for all bytes; bytes that are equal in all items are skipped.
void sup_sort(sup_sort_item* items, sup_sort_item* spare, uint32_t count)
{
    if (count < SMALL) {
        insert(items, count);
        return;
    }
    uint32_t counts[BYTES][VALUES] = { { 0 } };
    for (uint32_t i = 0; i < count; ++i)
        for (int b = 0; b < BYTES; ++b) counts[b][items[i].key >> (8 * b) & 255]++;
    sup_sort_item *from = items, *to = spare;
    for (int b = 0; b < BYTES; ++b) {
        uint32_t* offsets = counts[b];
        if (offsets[from[0].key >> (8 * b) & 255] == count) continue;
        for (uint32_t v = 0, sum = 0; v < VALUES; ++v) {
            uint32_t n = offsets[v];
            offsets[v] = sum;
            sum += n;
        }
        for (uint32_t i = 0; i < count; ++i) to[offsets[from[i].key >> (8 * b) & 255]++] = from[i];
        sup_sort_item* swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, (size_t)count * sizeof *items);
}

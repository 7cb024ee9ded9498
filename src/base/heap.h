/// base/heap.h: a binary heap of 64-bit items, smallest first: the key in the upper bits, its payload in the lower ones.
#ifndef SUP_BASE_HEAP_H
#define SUP_BASE_HEAP_H

#include <stdint.h>

typedef struct sup_heap {
    uint64_t* items; ///< the caller's, large enough for all items pushed
    uint32_t  count;
} sup_heap;

static inline void sup_heap_push(sup_heap* heap, uint64_t item)
{
    uint32_t i = heap->count++;
    for (; i > 0 && heap->items[(i - 1) / 2] > item; i = (i - 1) / 2) heap->items[i] = heap->items[(i - 1) / 2];
    heap->items[i] = item;
}

/// Removes the smallest item; the heap must not be empty.
static inline uint64_t sup_heap_pop(sup_heap* heap)
{
    uint64_t top = heap->items[0], last = heap->items[--heap->count];
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= heap->count) break;
        if (child + 1 < heap->count && heap->items[child + 1] < heap->items[child]) ++child;
        if (heap->items[child] >= last) break;
        heap->items[i] = heap->items[child];
        i = child;
    }
    heap->items[i] = last;
    return top;
}

#endif

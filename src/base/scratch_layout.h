/// base/scratch_layout.h: typed arrays one after the other in a block of scratch, each 64-byte aligned.
///
/// One function lays out a workspace and measures it: with base NULL it only counts, and every array is NULL.
#ifndef SUP_BASE_SCRATCH_LAYOUT_H
#define SUP_BASE_SCRATCH_LAYOUT_H

#include "base/internal.h"

typedef struct sup_layout {
    void*  base; ///< NULL: only count
    size_t used; ///< bytes so far, a multiple of 64
} sup_layout;

static inline void* sup_layout_add(sup_layout* layout, size_t count, size_t size)
{
    void* at = sup_scratch_at(layout->base, layout->used);
    layout->used += sup_align(count * size, 64);
    return at;
}

#endif

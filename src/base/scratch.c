// Scratch blocks: aligned for the widest registers, from any allocator.
#include "base/internal.h"
#include "supple/base.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

/// Stands in the 64 bytes in front of the block.
typedef struct scratch_head {
    sup_allocator allocator; ///< allocate NULL: malloc and free
    void*         memory;
    size_t        bytes;
} scratch_head;

_Static_assert(sizeof(scratch_head) <= ALIGNMENT, "the head fits in front of the block");

void* sup_scratch_create(size_t bytes, const sup_allocator* allocator)
{
    if (bytes > SIZE_MAX - 2 * ALIGNMENT) return NULL;
    scratch_head head = { .bytes = bytes + 2 * ALIGNMENT };
    if (allocator) head.allocator = *allocator;
    head.memory = allocator ? allocator->allocate(allocator->user, head.bytes) : malloc(head.bytes);
    if (!head.memory) return NULL;
    char* block = (char*)(((uintptr_t)head.memory + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    memcpy(block - ALIGNMENT, &head, sizeof head);
    return block;
}

void sup_scratch_destroy(void* scratch)
{
    scratch_head head;
    if (!scratch) return;
    memcpy(&head, (char*)scratch - ALIGNMENT, sizeof head);
    if (head.allocator.release) head.allocator.release(head.allocator.user, head.memory, head.bytes);
    else free(head.memory);
}

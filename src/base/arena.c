#if defined(__linux__)
#define _DEFAULT_SOURCE // mmap, madvise
#include <sys/mman.h>
#endif

#include "base/internal.h"

#include <stdlib.h>
#include <string.h>

// Blocks double from 64 kB to 8 MB, so that small characters stay small and large ones need few calls.
enum { BLOCK_FIRST = 64 * 1024, BLOCK_LARGE = 1024 * 1024, BLOCK_LAST = 8 * 1024 * 1024, ALIGN_SMALL = 16, ALIGN = 64 };

typedef struct block {
    struct block* next;
    size_t        bytes; // of the whole allocation
} block;

struct sup_arena {
    sup_allocator allocator;
    block*        blocks;
    uint8_t*      at; // free part of the newest block
    uint8_t*      end;
    size_t        block_size;
    size_t        used;
    size_t        limit;
    bool          zeroed; // what is free of the newest block
};

#if defined(__linux__)
enum { HUGE_PAGE = 2 * 1024 * 1024, HUGE_FROM = 2 * HUGE_PAGE };

static size_t huge_size(size_t bytes) { return sup_align(bytes, HUGE_PAGE); }

// Straight from the system, aligned to the page size. malloc does not give blocks of this size back when they come and go:
// reading a 48 MB file ten times grew the process from 200 to 700 MB.
static void* huge_allocate(size_t bytes)
{
    if (bytes > SIZE_MAX / 2) return NULL;
    size_t size = huge_size(bytes), mapped = size + HUGE_PAGE;
    char*  memory = mmap(NULL, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    size_t before = (HUGE_PAGE - (uintptr_t)memory % HUGE_PAGE) % HUGE_PAGE, behind = mapped - before - size;
    if (before) (void)munmap(memory, before);
    if (behind) (void)munmap(memory + before + size, behind);
    // Reading 53 MB of JSON (430 MB of values) went from 0.42 s to 0.21 s with huge pages.
    (void)madvise(memory + before, size, MADV_HUGEPAGE);
    return memory + before;
}
#endif

static void* system_allocate(void* user, size_t bytes)
{
    (void)user;
#if defined(__linux__)
    if (bytes >= HUGE_FROM) return huge_allocate(bytes);
#endif
    return malloc(bytes);
}

static void system_release(void* user, void* memory, size_t bytes)
{
    (void)user;
#if defined(__linux__)
    if (bytes >= HUGE_FROM) {
        (void)munmap(memory, huge_size(bytes));
        return;
    }
#endif
    (void)bytes;
    free(memory);
}

// Whether a block of that size comes zeroed, so that nobody has to clear it again.
static bool comes_zeroed(const sup_arena* arena, size_t bytes)
{
#if defined(__linux__)
    return arena->allocator.allocate == system_allocate && bytes >= HUGE_FROM;
#else
    (void)arena;
    (void)bytes;
    return false;
#endif
}

sup_arena* sup_arena_create(const sup_allocator* allocator)
{
    sup_allocator a = allocator ? *allocator : (sup_allocator){ system_allocate, system_release, NULL };
    sup_arena*    arena = a.allocate(a.user, sizeof *arena);
    if (!arena) return NULL;
    *arena = (sup_arena){ .allocator = a, .block_size = BLOCK_FIRST };
    return arena;
}

sup_arena* sup_arena_beside(const sup_arena* arena) { return sup_arena_create(&arena->allocator); }

void sup_arena_destroy(sup_arena* arena)
{
    if (!arena) return;
    sup_allocator a = arena->allocator;
    for (block* b = arena->blocks; b;) {
        block* next = b->next;
        a.release(a.user, b, b->bytes);
        b = next;
    }
    a.release(a.user, arena, sizeof *arena);
}

static uint8_t* align_up(uint8_t* p, size_t alignment) { return p + (alignment - (uintptr_t)p % alignment) % alignment; }

static bool add_block(sup_arena* arena, size_t bytes)
{
    size_t wanted = bytes + sizeof(block) + ALIGN;
#ifdef SUP_ARENA_EXACT // every piece is a block of its own: each can be refused, and a sanitizer sees overruns
    arena->block_size = 0;
#endif
    // One large piece is followed by more, so one large block of the system, which comes zeroed, serves several of them.
    if (wanted >= BLOCK_LARGE && comes_zeroed(arena, BLOCK_LAST)) arena->block_size = BLOCK_LAST;
    size_t size = wanted > arena->block_size ? wanted : arena->block_size;
    block* b = arena->allocator.allocate(arena->allocator.user, size);
    if (!b) return false;
    *b = (block){ arena->blocks, size };
    arena->blocks = b;
    arena->at = (uint8_t*)(b + 1);
    arena->end = (uint8_t*)b + size;
    arena->zeroed = comes_zeroed(arena, size);
    if (arena->block_size < BLOCK_LAST) arena->block_size *= 2;
    return true;
}

void* sup_arena_alloc(sup_arena* arena, size_t count, size_t size)
{
    SUP_ASSERT(arena);
    if (size && count > (SIZE_MAX / 2) / size) return NULL;
    size_t bytes = count * size;
    if (arena->limit && (bytes > arena->limit || arena->used > arena->limit - bytes)) return NULL;
    size_t   alignment = bytes >= ALIGN ? ALIGN : ALIGN_SMALL;
    uint8_t* p = arena->at ? align_up(arena->at, alignment) : NULL;
#ifdef SUP_ARENA_EXACT
    p = NULL;
#endif
    if (!p || p > arena->end || (size_t)(arena->end - p) < bytes) {
        if (!add_block(arena, bytes)) return NULL;
        p = align_up(arena->at, alignment);
    }
    arena->at = p + bytes;
    arena->used += bytes;
    if (bytes && !arena->zeroed) memset(p, 0, bytes);
    return p;
}

void* sup_arena_copy(sup_arena* arena, const void* data, size_t count, size_t size)
{
    void* p = sup_arena_alloc(arena, count, size);
    if (p && count && size) memcpy(p, data, count * size);
    return p;
}

char* sup_arena_text(sup_arena* arena, const char* text, size_t length)
{
    if (length >= SIZE_MAX / 2) return NULL;
    char* p = sup_arena_alloc(arena, length + 1, 1);
    if (p && length) memcpy(p, text, length);
    return p;
}

void sup_arena_adopt(sup_arena* arena, sup_arena* from)
{
    SUP_ASSERT(arena != from && arena->allocator.release == from->allocator.release);
    block** last = &from->blocks;
    while (*last) last = &(*last)->next;
    // Behind the newest block, so that `arena` keeps filling its own.
    if (arena->blocks) {
        *last = arena->blocks->next;
        arena->blocks->next = from->blocks;
    } else {
        arena->blocks = from->blocks;
    }
    arena->used += from->used;
    from->blocks = NULL;
    from->at = from->end = NULL;
    from->used = 0;
}

size_t sup_arena_bytes(const sup_arena* arena) { return arena->used; }

void sup_arena_limit(sup_arena* arena, size_t bytes) { arena->limit = bytes; }

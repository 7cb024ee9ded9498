// Breadth-first search from every point; visits are marked with its number, so nothing is cleared in between.
#include "geom/surface/rings.h"

#include "base/internal.h"
#include "math/vec.h"

#include <stdlib.h>

typedef struct walker {
    const uint32_t* ring_begin;
    const uint32_t* ring;
    uint32_t        width, more;
    const sup_vec3* points;
    float           reach;
    uint32_t*       seen;  // the last walk that visited it, plus 1
    uint32_t*       found; // of this walk
} walker;

static uint32_t walk(walker* w, uint32_t point)
{
    uint32_t count = 1, begin = 0;
    w->found[0] = point;
    w->seen[point] = point + 1;
    uint32_t sure = count;
    for (uint32_t step = 0; step < w->width + w->more; ++step) {
        uint32_t end = count;
        if (step == w->width) sure = count;
        for (uint32_t i = begin; i < end; ++i)
            for (uint32_t k = w->ring_begin[w->found[i]]; k < w->ring_begin[w->found[i] + 1]; ++k) {
                uint32_t next = w->ring[k];
                if (w->seen[next] == point + 1) continue;
                w->seen[next] = point + 1;
                w->found[count++] = next;
            }
        begin = end;
    }
    if (!w->more) return count;
    uint32_t kept = sure;
    for (uint32_t i = sure; i < count; ++i) // near in space, whatever lies between
        if (v3_distance(w->points[point], w->points[w->found[i]]) <= w->reach) w->found[kept++] = w->found[i];
    return kept;
}

static int rising(const void* a, const void* b)
{
    uint32_t x = *(const uint32_t*)a, y = *(const uint32_t*)b;
    return (x > y) - (x < y);
}

sup_result sup_rings_create(uint32_t point_count, const uint32_t* ring_begin, const uint32_t* ring, uint32_t width,
                            sup_arena* arena, sup_rings* out, sup_error* error)
{
    return sup_rings_create_wide(point_count, ring_begin, ring, width, 0, NULL, 0, arena, out, error);
}

sup_result sup_rings_create_wide(uint32_t point_count, const uint32_t* ring_begin, const uint32_t* ring, uint32_t width,
                                 uint32_t more, const sup_vec3* points, float reach, sup_arena* arena, sup_rings* out,
                                 sup_error* error)
{
    sup_arena* temporary = sup_arena_beside(arena);
    uint32_t*  begin = SUP_NEW(arena, uint32_t, (size_t)point_count + 1);
    uint32_t*  seen = temporary ? SUP_NEW(temporary, uint32_t, point_count) : NULL;
    uint32_t*  found = temporary ? SUP_NEW(temporary, uint32_t, (size_t)point_count + 1) : NULL;
    uint32_t*  items = NULL;
    uint32_t   most = 0;
    if (begin && seen && found) {
        walker   w = { ring_begin, ring, width, more, points, reach, seen, found };
        uint64_t total = 0;
        for (uint32_t p = 0; p < point_count; ++p) {
            uint32_t n = walk(&w, p);
            total += n;
            begin[p + 1] = (uint32_t)total;
            if (n > most) most = n;
        }
        if (total <= UINT32_MAX) items = SUP_NEW(arena, uint32_t, total);
        for (uint32_t p = 0; p < point_count; ++p) seen[p] = 0;
        for (uint32_t p = 0; items && p < point_count; ++p) {
            uint32_t n = walk(&w, p);
            qsort(found, n, sizeof *found, rising); // distinct numbers: every sort gives the same order
            for (uint32_t i = 0; i < n; ++i) items[begin[p] + i] = found[i];
        }
    }
    sup_arena_destroy(temporary);
    if (!items) return sup_fail_memory(error, "rings of points");
    *out = (sup_rings){ point_count, begin, items, most };
    return SUP_OK;
}

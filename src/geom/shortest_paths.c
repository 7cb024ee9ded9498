#include "geom/shortest_paths.h"

#include "base/heap.h"
#include "base/internal.h"
#include "base/sort.h"

typedef struct path {
    const uint32_t* ring_begin;
    const uint32_t* ring;
    uint32_t*       open; // unvisited neighbors
    bool*           visited;
    // Points adjacent to the walk, by unvisited neighbors and then number. Counts only fall, so an outdated item is preceded by
    // a smaller one and is dropped when it comes up.
    sup_heap       beside;
    sup_sort_item* starts; // all points by number of neighbors
    uint32_t       next_start;
} path;

static uint32_t step_on(path* p, uint32_t from)
{
    uint32_t best = SUP_NONE;
    for (uint32_t k = p->ring_begin[from]; k < p->ring_begin[from + 1]; ++k) {
        uint32_t q = p->ring[k];
        if (!p->visited[q] && (best == SUP_NONE || p->open[q] < p->open[best])) best = q; // neighbors rise: ties to the lowest
    }
    return best;
}

static uint32_t start_again(path* p)
{
    while (p->beside.count) {
        uint64_t item = sup_heap_pop(&p->beside);
        uint32_t q = (uint32_t)item;
        if (!p->visited[q] && p->open[q] == item >> 32) return q;
    }
    while (p->visited[p->starts[p->next_start].value]) ++p->next_start;
    return p->starts[p->next_start].value;
}

static void visit(path* p, uint32_t point)
{
    p->visited[point] = true;
    for (uint32_t k = p->ring_begin[point]; k < p->ring_begin[point + 1]; ++k) {
        uint32_t q = p->ring[k];
        --p->open[q];
        if (!p->visited[q]) sup_heap_push(&p->beside, (uint64_t)p->open[q] << 32 | q);
    }
}

sup_result sup_path_order(uint32_t point_count, const uint32_t* ring_begin, const uint32_t* ring, sup_arena* arena,
                          uint32_t* order, sup_error* error)
{
    sup_arena* temporary = sup_arena_beside(arena);
    if (!temporary) return sup_fail_memory(error, "paths");
    path           p = { .ring_begin = ring_begin, .ring = ring };
    sup_sort_item* spare = SUP_NEW(temporary, sup_sort_item, point_count);
    p.open = SUP_NEW(temporary, uint32_t, point_count);
    p.visited = SUP_NEW(temporary, bool, point_count);
    p.beside.items = SUP_NEW(temporary, uint64_t, (size_t)ring_begin[point_count] + 1);
    p.starts = SUP_NEW(temporary, sup_sort_item, point_count);
    bool good = spare && p.open && p.visited && p.beside.items && p.starts;
    for (uint32_t i = 0; good && i < point_count; ++i) {
        p.open[i] = ring_begin[i + 1] - ring_begin[i];
        p.starts[i] = (sup_sort_item){ p.open[i], i };
    }
    if (good) sup_sort(p.starts, spare, point_count);
    for (uint32_t k = 0, at = SUP_NONE; good && k < point_count; ++k) {
        at = at == SUP_NONE ? SUP_NONE : step_on(&p, at);
        if (at == SUP_NONE) at = start_again(&p);
        order[k] = at;
        visit(&p, at);
    }
    sup_arena_destroy(temporary);
    return good ? SUP_OK : sup_fail_memory(error, "paths");
}

sup_result sup_intervals_create(const sup_rings* rings, sup_arena* arena, sup_intervals* out, sup_error* error)
{
    uint32_t* begin = SUP_NEW(arena, uint32_t, (size_t)rings->point_count + 1);
    if (!begin) return sup_fail_memory(error, "paths");
    for (int pass = 0; pass < 2; ++pass) {
        sup_interval* pairs = pass ? SUP_NEW(arena, sup_interval, begin[rings->point_count]) : NULL;
        if (pass && !pairs) return sup_fail_memory(error, "paths");
        uint32_t n = 0;
        for (uint32_t p = 0; p < rings->point_count; ++p) {
            for (uint32_t k = rings->begin[p]; k < rings->begin[p + 1]; ++k) {
                uint32_t i = rings->items[k];
                bool     goes_on = k > rings->begin[p] && rings->items[k - 1] + 1 == i;
                if (!goes_on) ++n;
                if (!pass) continue;
                if (!goes_on) pairs[n - 1].first = i;
                pairs[n - 1].last = i + 1;
            }
            begin[p + 1] = n;
        }
        out->pairs = pairs;
    }
    out->point_count = rings->point_count;
    out->begin = begin;
    return SUP_OK;
}

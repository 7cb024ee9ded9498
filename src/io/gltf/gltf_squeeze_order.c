// Orders vertices by their first use in triangles: neighbors in the mesh become neighbors in the streams, and similar
// consecutive values pack better.
#include "base/internal.h"
#include "base/sort.h"
#include "io/gltf/gltf_squeeze.h"

#include <string.h>

vertex_order* gltf_order_make(sup_arena* arena, const sup_extra* extra, uint32_t* indices, uint32_t index_count, uint32_t count)
{
    vertex_order* out = SUP_NEW(arena, vertex_order, 1);
    uint32_t *    old_of = SUP_NEW(arena, uint32_t, count), *new_of = SUP_NEW(arena, uint32_t, count), next = 0;
    if (!out || !old_of || !new_of || !extra->meshopt_order(index_count, count, indices)) return NULL;
    memset(new_of, 0xff, count * sizeof *new_of);
    for (uint32_t i = 0; i < index_count; ++i) {
        if (new_of[indices[i]] != SUP_NONE) continue;
        new_of[indices[i]] = next;
        old_of[next++] = indices[i];
    }
    for (uint32_t v = 0; v < count; ++v) { // in no triangle
        if (new_of[v] != SUP_NONE) continue;
        new_of[v] = next;
        old_of[next++] = v;
    }
    *out = (vertex_order){ count, old_of, new_of };
    return out;
}

uint32_t* gltf_order_list(const vertex_order* order, const uint32_t* list, uint32_t count, sup_arena* arena)
{
    sup_sort_item* items = SUP_NEW(arena, sup_sort_item, count);
    sup_sort_item* spare = SUP_NEW(arena, sup_sort_item, count);
    uint32_t*      pick = SUP_NEW(arena, uint32_t, count);
    if (!items || !spare || !pick) return NULL;
    for (uint32_t i = 0; i < count; ++i)
        items[i] = (sup_sort_item){ list[i] < order->count ? order->new_of[list[i]] : list[i], i };
    sup_sort(items, spare, count);
    for (uint32_t i = 0; i < count; ++i) pick[i] = (uint32_t)items[i].value;
    return pick;
}

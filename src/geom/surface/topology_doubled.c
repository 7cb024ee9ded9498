// Finds duplicate faces. Two of them share all their edges, so in the sides of faces sorted by edge each is next to its copy;
// nothing is compared with what lies elsewhere.
#include "geom/surface/topology_doubled.h"

#include "base/internal.h"
#include "base/sort.h"

#include <string.h>

// Independent of the order of the corners: only faces with equal keys are compared.
static uint64_t key_of(const sup_polygons* p, uint32_t face)
{
    uint64_t key = 0;
    for (uint32_t c = p->face_begin[face]; c < p->face_begin[face + 1]; ++c) key += sup_scramble(p->corners[c] + 1ull);
    return key;
}

// The same points in the same cyclic order, from any corner on, or reversed.
static bool same_face(const sup_polygons* p, uint32_t f, uint32_t g)
{
    const uint32_t *a = p->corners + p->face_begin[f], *b = p->corners + p->face_begin[g];
    uint32_t        size = p->face_begin[f + 1] - p->face_begin[f], at = 0;
    if (f == g || size != p->face_begin[g + 1] - p->face_begin[g]) return false;
    while (at < size && b[at] != a[0]) ++at;
    bool along = at < size, against = along;
    for (uint32_t i = 0; i < size && (along || against); ++i) {
        along &= a[i] == b[(at + i) % size];
        against &= a[i] == b[(at + size - i) % size];
    }
    return along || against;
}

static void mark_run(doubled_search* s, const sup_sort_item* items, uint32_t count)
{
    for (uint32_t i = 1, first = 0; i < count; ++i) {
        if (items[i].key != items[first].key) first = i;
        else if (same_face(s->polygons, items[first].value, items[i].value)) s->doubled[items[i].value] = 1;
    }
}

bool doubled_search_begin(doubled_search* s, const sup_polygons* polygons, uint32_t most_at_edge, sup_arena* keep,
                          sup_arena* scratch)
{
    *s = (doubled_search){ .polygons = polygons,
                           .doubled = SUP_NEW(keep, uint8_t, polygons->face_count),
                           .keys = SUP_NEW(scratch, uint64_t, polygons->face_count),
                           .items = SUP_NEW(scratch, sup_sort_item, most_at_edge),
                           .spare = SUP_NEW(scratch, sup_sort_item, most_at_edge) };
    if (!s->doubled || !s->keys || !s->items || !s->spare) return false;
    for (uint32_t f = 0; f < polygons->face_count; ++f) s->keys[f] = key_of(polygons, f);
    return true;
}

void doubled_search_edge(doubled_search* s, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) s->items[i].key = s->keys[s->items[i].value];
    if (count == 2 && s->items[0].key != s->items[1].key) return; // the usual edge of a sound mesh
    sup_sort(s->items, s->spare, count);
    mark_run(s, s->items, count);
}

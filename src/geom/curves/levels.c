#include "geom/curves/levels.h"

#include "base/heap.h"
#include "base/internal.h"
#include "base/sets.h"
#include "base/sort.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { BANDS_LEAST = 48, BANDS_MOST = 600, ENTRIES_PER_TRIANGLE = 48, ENTRIES_FREE = 400000 };
/// A coordinate with more forks than this in one piece is noise there.
enum { SADDLES_MOST = 300 };
/// Half of the band around a fork, in heights of the others, which keeps the area at forks small. Rings closer to a fork than
/// this have a corner there, which shows in dents pressed across it.
#define SADDLE_HALF 0.12

// ---------------------------------------------------------------------------------------------- bands

/// Lower border of a band; the upper one is that of the next.
static double border(const sup_levels* l, uint32_t component, uint32_t band)
{
    return l->borders[l->border_begin[component] + band];
}

/// Whether the level line through a point forks there: around it the coordinate rises and falls more than once. Ties in height
/// are broken by point number.
static bool forks_at(const sup_levels* l, uint32_t p)
{
    const sup_topology* t = l->topology;
    uint32_t            changes = 0, faces = t->fan_begin[p + 1] - t->fan_begin[p];
    for (uint32_t k = t->fan_begin[p]; k < t->fan_begin[p + 1]; ++k) {
        const uint32_t* c = l->mesh->triangles + 3 * (size_t)t->fan[k];
        uint32_t        i = c[0] == p ? 0 : c[1] == p ? 1 : 2, a = c[(i + 1) % 3], b = c[(i + 2) % 3];
        bool            x = l->u[a] > l->u[p] || (l->u[a] == l->u[p] && a > p);
        bool            y = l->u[b] > l->u[p] || (l->u[b] == l->u[p] && b > p);
        changes += x != y;
    }
    bool closed = t->ring_begin[p + 1] - t->ring_begin[p] == faces; // otherwise a border goes through it
    return changes > (closed ? 2u : 1u);
}

/// Points at which level lines fork, by component and rising; at most SADDLES_MOST of a component, else none of it.
static bool find_saddles(const sup_levels* l, uint32_t** begin, double** values)
{
    uint32_t       n = l->mesh->point_count, components = l->topology->component_count, found = 0, kept = 0;
    sup_sort_item *items = SUP_NEW(l->work, sup_sort_item, 2 * (size_t)n + 1), *spare = items + n;
    *begin = SUP_NEW(l->work, uint32_t, (size_t)components + 1);
    if (!items || !*begin) return false;
    for (uint32_t p = 0; p < n; ++p) {
        uint32_t c = l->topology->components[p];
        if (c == SUP_NONE || !forks_at(l, p)) continue;
        items[found++] = (sup_sort_item){ (uint64_t)c << 32 | sup_sort_key(l->u[p]), p };
    }
    sup_sort(items, spare, found);
    *values = SUP_NEW(l->work, double, (size_t)found + 1);
    if (!*values) return false;
    for (uint32_t c = 0, i = 0; c < components; ++c) {
        uint32_t end = i;
        while (end < found && items[end].key >> 32 == c) ++end;
        (*begin)[c] = kept;
        bool few = end - i <= SADDLES_MOST;
        for (; i < end; ++i)
            if (few) (*values)[kept++] = (double)l->u[items[i].value];
    }
    (*begin)[components] = kept;
    return true;
}

/// Borders of a component's bands: evenly spaced, and close to both sides of every fork, so that little of the surface is at
/// forks.
static uint32_t lay_borders(double low, double high, double bands, const double* saddles, uint32_t saddle_count, double* out)
{
    double   step = (high - low) / bands, near = SADDLE_HALF * step;
    uint32_t count = 0, even = 1, below = 0, above = 0;
    out[count++] = low;
    for (;;) {
        double next = high,
               at[3] = { even < bands ? low + step * even : high, below < saddle_count ? saddles[below] - near : high,
                         above < saddle_count ? saddles[above] + near : high };
        for (int k = 0; k < 3; ++k) next = at[k] < next ? at[k] : next;
        if (!(next < high)) break;
        even += at[0] == next, below += at[1] == next, above += at[2] == next;
        // No band is thinner than those around a fork.
        if (next - out[count - 1] > near && high - next > near) out[count++] = next;
    }
    out[count++] = high;
    return count;
}

static void band_points(sup_levels* l, float height, uint32_t most, const uint32_t* saddle_begin, const double* saddles)
{
    const sup_topology* t = l->topology;
    uint32_t            count = 0;
    for (uint32_t c = 0; c < t->component_count; ++c) {
        double range = l->high[c] - l->low[c], bands = height > 0 ? ceil(range / (double)height) : BANDS_LEAST;
        bands = bands > most ? most : bands < BANDS_LEAST ? (most < BANDS_LEAST ? most : BANDS_LEAST) : bands;
        l->border_begin[c] = count;
        uint32_t first = saddle_begin[c], number = most == BANDS_MOST ? saddle_begin[c + 1] - first : 0;
        count += lay_borders(l->low[c], range > 0 ? l->high[c] : l->low[c] + bands, bands, saddles + first, number,
                             l->borders + count);
    }
    l->border_begin[t->component_count] = count;
    for (uint32_t p = 0; p < l->mesh->point_count; ++p) {
        uint32_t c = t->components[p];
        if (c == SUP_NONE) continue;
        uint32_t low = l->border_begin[c], high = l->border_begin[c + 1] - 1; // the last one is not a band
        while (low + 1 < high) {
            uint32_t middle = low + (high - low) / 2;
            if (l->borders[middle] <= (double)l->u[p]) low = middle;
            else high = middle;
        }
        l->band[p] = low - l->border_begin[c];
    }
}

static void band_range(const sup_levels* l, uint32_t t, uint32_t* from, uint32_t* to)
{
    const uint32_t* c = l->mesh->triangles + 3 * (size_t)t;
    uint32_t        a = l->band[c[0]], b = l->band[c[1]], d = l->band[c[2]];
    *from = a < b ? a : b, *to = a > b ? a : b;
    if (d < *from) *from = d;
    if (d > *to) *to = d;
}

static void measure_components(sup_levels* l)
{
    const sup_topology* t = l->topology;
    for (uint32_t c = 0; c < t->component_count; ++c) l->low[c] = HUGE_VAL, l->high[c] = -HUGE_VAL;
    for (uint32_t p = 0; p < l->mesh->point_count; ++p) {
        uint32_t c = t->components[p];
        if (c == SUP_NONE) continue;
        l->low[c] = fmin(l->low[c], (double)l->u[p]), l->high[c] = fmax(l->high[c], (double)l->u[p]);
    }
}

/// As many bands as memory and time allow.
static bool make_bands(sup_levels* l, float height)
{
    uint32_t n = l->mesh->point_count, count = l->mesh->triangle_count, components = l->topology->component_count, *begin;
    double*  saddles;
    l->low = SUP_NEW(l->work, double, components), l->high = SUP_NEW(l->work, double, components);
    l->border_begin = SUP_NEW(l->work, uint32_t, (size_t)components + 1);
    l->band = SUP_NEW(l->work, uint32_t, n);
    l->begin = SUP_NEW(l->work, uint32_t, (size_t)count + 1), l->first = SUP_NEW(l->work, uint32_t, count);
    if (!l->low || !l->high || !l->border_begin || !l->band || !l->begin || !l->first || !find_saddles(l, &begin, &saddles))
        return false;
    measure_components(l);
    uint64_t borders = 2 * (uint64_t)begin[components] + 1;
    for (uint32_t c = 0; c < components; ++c) borders += BANDS_MOST + 1;
    l->borders = SUP_NEW(l->work, double, borders);
    if (!l->borders) return false;
    for (uint32_t most = BANDS_MOST;; most /= 2) {
        uint64_t entries = 0, limit = (uint64_t)ENTRIES_PER_TRIANGLE * count + ENTRIES_FREE;
        if (limit > 0x7fffffff) limit = 0x7fffffff;
        band_points(l, height, most, begin, saddles);
        for (uint32_t t = 0; t < count; ++t) {
            uint32_t to;
            band_range(l, t, &l->first[t], &to);
            l->begin[t] = (uint32_t)entries;
            entries += to - l->first[t] + 1;
        }
        l->begin[count] = (uint32_t)entries;
        if (entries <= limit || most <= 2) return true;
    }
}

// ---------------------------------------------------------------------------------------------- regions

/// Triangles that share an edge are in one region in every band of the edge, and on one ring at every level that cuts it.
static void join_entries(const sup_levels* l, uint32_t* regions, uint32_t* rings)
{
    for (uint32_t e = 0; e < l->topology->edge_count; ++e) {
        const sup_edge* g = &l->topology->edges[e];
        uint32_t        f = g->faces[0], h = g->faces[1], a = l->band[g->a], b = l->band[g->b];
        if (f == SUP_NONE || h == SUP_NONE) continue;
        for (uint32_t k = a < b ? a : b; k <= (a < b ? b : a); ++k) {
            uint32_t x = l->begin[f] + k - l->first[f], y = l->begin[h] + k - l->first[h];
            sup_sets_join(regions, x, y);
            if (k > (a < b ? a : b)) sup_sets_join(rings, x, y);
        }
    }
}

/// Area of a triangle below a level; its corners' values in rising order.
static double area_below(const double v[3], double area, double level)
{
    if (level <= v[0]) return 0;
    if (level >= v[2]) return area;
    if (level < v[1]) return area * (level - v[0]) / (v[1] - v[0]) * ((level - v[0]) / (v[2] - v[0]));
    return area - (v[2] > v[1] ? area * (v[2] - level) / (v[2] - v[1]) * ((v[2] - level) / (v[2] - v[0])) : 0);
}

static void measure_triangle(const sup_levels* l, uint32_t t)
{
    const uint32_t* c = l->mesh->triangles + 3 * (size_t)t;
    sup_vec3        o = l->mesh->points[c[0]], a = v3_sub(l->mesh->points[c[1]], o), b = v3_sub(l->mesh->points[c[2]], o);
    float           x = l->u[c[1]] - l->u[c[0]], y = l->u[c[2]] - l->u[c[0]];
    double          area = 0.5 * (double)v3_length(v3_cross(a, b)), v[3], swap;
    double          slope = 0.5 * (double)v3_length(v3_sub(v3_scale(b, x), v3_scale(a, y)));
    uint32_t        component = l->topology->components[c[0]];
    if (component == SUP_NONE) return;
    for (int k = 0; k < 3; ++k) v[k] = (double)l->u[c[k]];
    if (v[0] > v[1]) swap = v[0], v[0] = v[1], v[1] = swap;
    if (v[1] > v[2]) swap = v[1], v[1] = v[2], v[2] = swap;
    if (v[0] > v[1]) swap = v[0], v[0] = v[1], v[1] = swap;
    uint32_t count = l->begin[t + 1] - l->begin[t];
    double   before = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sup_region* r = &l->regions[l->region[l->begin[t] + i]];
        double      until = i + 1 == count ? area : area_below(v, area, border(l, component, l->first[t] + i + 1));
        r->component = component, r->band = l->first[t] + i;
        r->area += until - before;
        if (area > 0) r->slope += slope * (until - before) / area;
        before = until;
    }
}

/// Numbers the roots without gaps, in order.
static uint32_t number_roots(uint32_t* parent, uint32_t count, uint32_t* out)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t r = sup_sets_find(parent, i);
        out[i] = r == i ? found++ : out[r]; // roots come first
    }
    return found;
}

/// Of a point that has a face.
static uint32_t region_of(const sup_levels* l, uint32_t point)
{
    uint32_t face = l->topology->fan[l->topology->fan_begin[point]];
    return l->region[l->begin[face] + l->band[point] - l->first[face]];
}

/// How high every region reaches and how wide it is. A tip ends inside its band, at its last point: a sole, or any flat end, is
/// much wider than its coordinate is high.
static void measure_regions(sup_levels* l)
{
    for (uint32_t i = 0; i < l->region_count; ++i) {
        sup_region* r = &l->regions[i];
        if (r->component == SUP_NONE) continue;
        double low = border(l, r->component, r->band), high = border(l, r->component, r->band + 1);
        r->low = r->below ? low : high, r->high = r->above ? high : low;
    }
    for (uint32_t p = 0; p < l->mesh->point_count; ++p) {
        if (l->topology->fan_begin[p] == l->topology->fan_begin[p + 1]) continue;
        sup_region* r = &l->regions[region_of(l, p)];
        if (!r->below) r->low = fmin(r->low, (double)l->u[p]);
        if (!r->above) r->high = fmax(r->high, (double)l->u[p]);
    }
    for (uint32_t i = 0; i < l->region_count; ++i) {
        sup_region* r = &l->regions[i];
        double      step = fmax(r->high - r->low, 0);
        r->width = r->slope > 0 ? (float)(r->area * step / r->slope) : 0; // the length of its lines is slope / step
    }
}

static bool make_regions(sup_levels* l, uint32_t** below, uint32_t** above, uint32_t* ring_count)
{
    uint32_t  count = l->mesh->triangle_count, entries = l->begin[count];
    uint32_t *regions = SUP_NEW(l->work, uint32_t, entries), *rings = SUP_NEW(l->work, uint32_t, entries);
    uint32_t* ring = SUP_NEW(l->work, uint32_t, entries);
    l->region = SUP_NEW(l->work, uint32_t, entries);
    if (!regions || !rings || !ring || !l->region) return false;
    for (uint32_t i = 0; i < entries; ++i) regions[i] = rings[i] = i;
    join_entries(l, regions, rings);
    l->region_count = number_roots(regions, entries, l->region);
    uint32_t all = number_roots(rings, entries, ring);
    l->regions = SUP_NEW(l->work, sup_region, l->region_count);
    *below = SUP_NEW(l->work, uint32_t, all), *above = SUP_NEW(l->work, uint32_t, all);
    if (!l->regions || !*below || !*above) return false;
    for (uint32_t i = 0; i < all; ++i) (*below)[i] = SUP_NONE;
    for (uint32_t t = 0; t < count; ++t) {
        for (uint32_t i = l->begin[t] + 1; i < l->begin[t + 1]; ++i) { // the first entry has no level below
            uint32_t r = ring[i];
            if ((*below)[r] != SUP_NONE) continue;
            (*below)[r] = l->region[i - 1], (*above)[r] = l->region[i];
        }
        measure_triangle(l, t);
    }
    for (uint32_t r = 0; r < all; ++r) {
        if ((*below)[r] == SUP_NONE) continue;
        sup_region *a = &l->regions[(*below)[r]], *b = &l->regions[(*above)[r]];
        ++a->above, a->ring_above ^= r, ++b->below, b->ring_below ^= r;
    }
    for (uint32_t i = 0; i < l->region_count; ++i) {
        sup_region* r = &l->regions[i];
        r->next = r->goes_to = r->branch = SUP_NONE;
        r->group = i;
        r->fork = !(r->below == 1 && r->above == 1) && r->below + r->above != 1;
    }
    measure_regions(l);
    *ring_count = all;
    return true;
}

// ---------------------------------------------------------------------------------------------- branches

static void append(sup_levels* l, sup_branch* b, uint32_t region)
{
    sup_region* r = &l->regions[region];
    if (b->tail == SUP_NONE) b->head = region;
    else l->regions[b->tail].next = region;
    b->tail = region;
    b->length += r->width;
    b->area += (float)r->area;
}

/// From the ring that leaves a fork or a tip to the next fork or tip.
static void trace_branch(sup_levels* l, uint32_t ring, const uint32_t* below, const uint32_t* above)
{
    uint32_t    number = l->branch_count++, from = below[ring], at;
    sup_branch* b = &l->branches[number];
    *b = (sup_branch){ .alive = true, .component = l->regions[from].component, .head = SUP_NONE, .tail = SUP_NONE };
    b->ends[0] = b->ends[1] = SUP_NONE;
    if (l->regions[from].fork) b->ends[0] = from, ++l->up[from], l->up_mix[from] ^= number;
    else append(l, b, from), b->tip[0] = true;
    for (at = above[ring]; l->regions[at].below == 1 && l->regions[at].above == 1; at = above[l->regions[at].ring_above])
        append(l, b, at);
    if (l->regions[at].fork) b->ends[1] = at, ++l->down[at], l->down_mix[at] ^= number;
    else append(l, b, at), b->tip[1] = true;
}

sup_result sup_levels_create(const sup_curve_mesh* mesh, const sup_topology* topology, const float* u, float height,
                             sup_arena* work, sup_levels* out, sup_error* error)
{
    sup_levels l = { .mesh = mesh, .topology = topology, .u = u, .work = work };
    uint32_t * below, *above, rings = 0;
    if (!make_bands(&l, height) || !make_regions(&l, &below, &above, &rings)) return sup_fail_memory(error, "curves");
    l.branches = SUP_NEW(work, sup_branch, rings);
    l.up = SUP_NEW(work, uint32_t, l.region_count), l.down = SUP_NEW(work, uint32_t, l.region_count);
    l.up_mix = SUP_NEW(work, uint32_t, l.region_count), l.down_mix = SUP_NEW(work, uint32_t, l.region_count);
    l.heap = SUP_NEW(work, sup_heap, 1);
    if (!l.branches || !l.up || !l.down || !l.up_mix || !l.down_mix || !l.heap) return sup_fail_memory(error, "curves");
    for (uint32_t r = 0; r < rings; ++r) {
        if (below[r] == SUP_NONE) continue;
        const sup_region* from = &l.regions[below[r]];
        if (!(from->below == 1 && from->above == 1)) trace_branch(&l, r, below, above);
    }
    l.heap->items = SUP_NEW(work, uint64_t, 3 * (size_t)l.branch_count + 1);
    if (!l.heap->items) return sup_fail_memory(error, "curves");
    *out = l;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- simplifying

static uint32_t fork_of(const sup_levels* l, uint32_t region)
{
    while (region != SUP_NONE && l->regions[region].group != region) region = l->regions[region].group;
    return region;
}

/// Queues a short branch, keyed by length and then number.
static void wait(sup_levels* l, uint32_t branch, float least)
{
    uint32_t bits;
    float    length = l->branches[branch].length;
    if (!(length < least)) return;
    memcpy(&bits, &length, sizeof bits);
    sup_heap_push(l->heap, (uint64_t)bits << 32 | branch);
}

/// A fork with only one branch through it is no longer a fork; one where a single branch ends is its tip.
static void reduce_fork(sup_levels* l, uint32_t fork, float least)
{
    if (l->up[fork] == 1 && l->down[fork] == 1) {
        uint32_t    number = l->down_mix[fork], other = l->up_mix[fork];
        sup_branch *a = &l->branches[number], *b = &l->branches[other];
        if (a == b) return;
        append(l, a, fork);
        if (b->head != SUP_NONE) l->regions[a->tail].next = b->head, a->tail = b->tail;
        a->length += b->length, a->area += b->area;
        a->ends[1] = b->ends[1], a->tip[1] = b->tip[1];
        b->alive = false;
        uint32_t end = fork_of(l, a->ends[1]);
        if (end != SUP_NONE) l->down_mix[end] ^= other ^ number;
        l->up[fork] = l->down[fork] = 0;
        wait(l, number, least);
    } else if (l->up[fork] + l->down[fork] == 1) {
        bool        arrives = l->down[fork] == 1;
        uint32_t    number = arrives ? l->down_mix[fork] : l->up_mix[fork];
        sup_branch* b = &l->branches[number];
        if (arrives) append(l, b, fork);
        else {
            l->regions[fork].next = b->head;
            b->head = fork;
            if (b->tail == SUP_NONE) b->tail = fork;
            b->length += l->regions[fork].width, b->area += (float)l->regions[fork].area;
        }
        b->ends[arrives] = SUP_NONE, b->tip[arrives] = true;
        l->up[fork] = l->down[fork] = 0;
        wait(l, number, least);
    }
}

static void drop(sup_levels* l, uint32_t number, uint32_t into)
{
    sup_branch* b = &l->branches[number];
    b->alive = false;
    for (uint32_t r = b->head; r != SUP_NONE; r = l->regions[r].next) l->regions[r].goes_to = into;
}

void sup_levels_simplify(sup_levels* l, float least)
{
    l->heap->count = 0;
    for (uint32_t b = 0; b < l->branch_count; ++b)
        if (l->branches[b].alive) wait(l, b, least);
    while (l->heap->count) {
        uint64_t    item = sup_heap_pop(l->heap);
        uint32_t    number = (uint32_t)item, bits = (uint32_t)(item >> 32);
        sup_branch* b = &l->branches[number];
        float       length;
        memcpy(&length, &bits, sizeof length);
        uint32_t from = fork_of(l, b->ends[0]), to = fork_of(l, b->ends[1]);
        if (!b->alive || length != b->length || (from == SUP_NONE && to == SUP_NONE)) continue;
        if (from != SUP_NONE) --l->up[from], l->up_mix[from] ^= number;
        if (to != SUP_NONE) --l->down[to], l->down_mix[to] ^= number;
        uint32_t into = from == SUP_NONE ? to : from;
        if (from != SUP_NONE && to != SUP_NONE && from != to) { // two forks become one
            l->regions[to].group = from;
            l->up[from] += l->up[to], l->up_mix[from] ^= l->up_mix[to];
            l->down[from] += l->down[to], l->down_mix[from] ^= l->down_mix[to];
        }
        drop(l, number, into);
        reduce_fork(l, into, least);
    }
}

float sup_levels_longest(const sup_levels* l)
{
    float longest = 0;
    for (uint32_t b = 0; b < l->branch_count; ++b)
        if (l->branches[b].alive && l->branches[b].length > longest) longest = l->branches[b].length;
    return longest;
}

// ---------------------------------------------------------------------------------------------- where things are

void sup_levels_settle(sup_levels* l)
{
    uint32_t kept = 0;
    for (uint32_t b = 0; b < l->branch_count; ++b) {
        if (!l->branches[b].alive || l->branches[b].head == SUP_NONE) continue;
        l->branches[kept] = l->branches[b];
        for (int i = 0; i < 2; ++i) l->branches[kept].ends[i] = fork_of(l, l->branches[b].ends[i]);
        float from = 0;
        for (uint32_t r = l->branches[kept].head; r != SUP_NONE; r = l->regions[r].next) {
            l->regions[r].branch = kept, l->regions[r].from = from;
            from += l->regions[r].width;
        }
        l->branches[kept++].length = from;
    }
    l->branch_count = kept;
    for (uint32_t i = 0; i < l->region_count; ++i) {
        sup_region* r = &l->regions[i];
        if (r->branch != SUP_NONE) continue;
        const sup_region* to = &l->regions[fork_of(l, r->goes_to == SUP_NONE ? i : r->goes_to)];
        if (to == r || to->branch == SUP_NONE) continue;
        r->branch = to->branch, r->from = to->from + 0.5f * to->width, r->width = 0;
    }
}

void sup_levels_mark(const sup_levels* l, const bool* branches, bool* marked)
{
    for (uint32_t b = 0; b < l->branch_count; ++b)
        for (uint32_t r = branches[b] ? l->branches[b].head : SUP_NONE; r != SUP_NONE; r = l->regions[r].next)
            l->regions[r].marked = true;
    for (uint32_t p = 0; p < l->mesh->point_count; ++p)
        if (l->topology->fan_begin[p] < l->topology->fan_begin[p + 1]) marked[p] = l->regions[region_of(l, p)].marked;
}

uint32_t sup_levels_place(const sup_levels* l, uint32_t point, float* along)
{
    *along = 0;
    if (l->topology->fan_begin[point] == l->topology->fan_begin[point + 1]) return SUP_NONE;
    const sup_region* r = &l->regions[region_of(l, point)];
    double            at = r->high > r->low ? ((double)l->u[point] - r->low) / (r->high - r->low) : 0;
    *along = r->from + r->width * (float)(at < 0 ? 0 : at > 1 ? 1 : at);
    return r->branch;
}

float sup_levels_area_at(const sup_levels* l, uint32_t branch, float area)
{
    double sum = 0;
    for (uint32_t i = l->branches[branch].head; i != SUP_NONE; i = l->regions[i].next) {
        const sup_region* r = &l->regions[i];
        if (sum + r->area >= (double)area)
            return r->from + r->width * (float)(r->area > 0 ? ((double)area - sum) / r->area : 0);
        sum += r->area;
    }
    return l->branches[branch].length;
}

/// Only inside bands: on their borders, and where a fork was absorbed, a level may have several rings.
#define INSIDE 0.02f

static uint32_t region_at(const sup_levels* l, const sup_branch* b, float along, float* ratio)
{
    uint32_t best = b->head;
    float    least = 3e38f;
    for (uint32_t i = b->head; i != SUP_NONE; i = l->regions[i].next) {
        const sup_region* r = &l->regions[i];
        float             off = along < r->from ? r->from - along : along > r->from + r->width ? along - r->from - r->width : 0;
        if (l->regions[i].fork && b->head != b->tail) off += 1e30f;
        if (!(off < least)) continue;
        least = off, best = i;
        *ratio = r->width > 0 ? sup_clampf((along - r->from) / r->width, INSIDE, 1 - INSIDE) : 0.5f;
    }
    return best;
}

sup_result sup_levels_find(const sup_levels* l, sup_level_ring* rings, uint32_t count, sup_error* error)
{
    uint32_t *wanted = SUP_NEW(l->work, uint32_t, l->region_count), *next = SUP_NEW(l->work, uint32_t, (size_t)count + 1);
    if (!wanted || !next) return sup_fail_memory(error, "curves");
    for (uint32_t i = count; i-- > 0;) {
        float ratio = 0.5f;
        if (rings[i].branch == SUP_NONE) continue;
        uint32_t          region = region_at(l, &l->branches[rings[i].branch], rings[i].along, &ratio);
        const sup_region* r = &l->regions[region];
        rings[i].level = (float)(r->low + (r->high - r->low) * (double)ratio);
        rings[i].along = r->from + r->width * ratio;
        rings[i].triangle = SUP_NONE;
        next[i] = wanted[region], wanted[region] = i + 1; // lists, numbers plus 1
    }
    for (uint32_t t = 0; t < l->mesh->triangle_count; ++t)
        for (uint32_t k = l->begin[t]; k < l->begin[t + 1]; ++k)
            for (uint32_t w = wanted[l->region[k]]; w; w = next[w - 1]) {
                const uint32_t* c = l->mesh->triangles + 3 * (size_t)t;
                float           level = rings[w - 1].level;
                bool            a = l->u[c[0]] >= level, b = l->u[c[1]] >= level, d = l->u[c[2]] >= level;
                if (rings[w - 1].triangle == SUP_NONE && (a != b || b != d)) rings[w - 1].triangle = t;
            }
    return SUP_OK;
}

#include "solve/skinning/nearest_bones.h"

#include "base/internal.h"

#include <math.h>

// Distances this near to each other (in cells) are the same: ways of equal length add up in different orders.
#define SAME 1e-6
// Bones further than this from every particle are worth a word, in cells.
#define OUTSIDE_CELLS 2.0
enum { OUTSIDE_STEPS = 256 };

double sup_segment_distance2(const double head[3], const double tail[3], const double place[3])
{
    double along = 0, length2 = 0, sum = 0;
    for (int a = 0; a < 3; ++a) {
        along += (place[a] - head[a]) * (tail[a] - head[a]);
        length2 += (tail[a] - head[a]) * (tail[a] - head[a]);
    }
    double t = length2 > 0 ? fmin(fmax(along / length2, 0), 1) : 0;
    for (int a = 0; a < 3; ++a) {
        double off = head[a] + t * (tail[a] - head[a]) - place[a];
        sum += off * off;
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------- queue

typedef struct entry {
    double   distance;
    uint32_t particle;
} entry;

typedef struct finder {
    const sup_voxels* v;
    sup_nearest*      near;
    uint8_t*          sources;
    entry*            heap; ///< by distance, then number, so that the order is the same everywhere
    uint32_t          count, capacity;
    const uint32_t*   nearest; ///< cell of every grid index, made when a bone lies outside
    sup_arena*        scratch;
    bool              failed;
} finder;

static bool before(entry a, entry b)
{
    return a.distance < b.distance || (a.distance == b.distance && a.particle < b.particle);
}

static void push(finder* f, entry e)
{
    if (f->count == f->capacity) {
        uint32_t capacity = f->capacity ? 2 * f->capacity : 1024;
        entry*   grown = SUP_NEW(f->scratch, entry, capacity);
        f->failed |= !grown;
        if (!grown) return;
        for (uint32_t i = 0; i < f->count; ++i) grown[i] = f->heap[i];
        f->heap = grown;
        f->capacity = capacity;
    }
    uint32_t i = f->count++;
    for (; i && before(e, f->heap[(i - 1) / 2]); i = (i - 1) / 2) f->heap[i] = f->heap[(i - 1) / 2];
    f->heap[i] = e;
}

static entry pop(finder* f)
{
    entry    top = f->heap[0], last = f->heap[--f->count];
    uint32_t i = 0;
    for (uint32_t child; (child = 2 * i + 1) < f->count; i = child) {
        if (child + 1 < f->count && before(f->heap[child + 1], f->heap[child])) ++child;
        if (!before(f->heap[child], last)) break;
        f->heap[i] = f->heap[child];
    }
    f->heap[i] = last;
    return top;
}

static void add_owner(sup_nearest* n, uint32_t owner)
{
    uint32_t i = 0;
    while (i < n->count && n->owners[i] < owner) ++i;
    if (n->count == NEAREST_TIES || (i < n->count && n->owners[i] == owner)) return;
    for (uint32_t k = n->count++; k > i; --k) n->owners[k] = n->owners[k - 1];
    n->owners[i] = owner;
}

static void reach(finder* f, uint32_t p, double distance, const uint32_t* owners, uint32_t count)
{
    sup_nearest* n = &f->near[p];
    if (distance > n->distance + SAME) return;
    if (distance < n->distance - SAME) {
        n->distance = distance;
        n->count = 0;
        push(f, (entry){ distance, p });
    }
    for (uint32_t i = 0; i < count; ++i) add_owner(n, owners[i]);
}

// ---------------------------------------------------------------------------------------------- bones

typedef struct segment {
    double head[3], tail[3]; ///< in cells from the grid's origin
} segment;

static segment in_cells(const sup_voxels* v, const sup_bone_line* bone)
{
    segment s;
    for (int a = 0; a < 3; ++a) {
        s.head[a] = ((double)(&bone->head.x)[a] - v->origin[a]) / v->h;
        s.tail[a] = ((double)(&bone->tail.x)[a] - v->origin[a]) / v->h;
    }
    return s;
}

static double particle_distance(const sup_voxels* v, const segment* s, uint32_t p)
{
    uint32_t c[3];
    sup_voxels_corner(v, p, c);
    return sqrt(sup_segment_distance2(s->head, s->tail, (double[3]){ c[0], c[1], c[2] }));
}

// The part of the segment inside the grid, as fractions. False: none.
static bool clip_to_grid(const sup_voxels* v, const segment* s, double* first, double* last)
{
    *first = 0;
    *last = 1;
    for (int a = 0; a < 3; ++a) {
        double d = s->tail[a] - s->head[a], low = -s->head[a], high = v->size[a] - s->head[a];
        if (d == 0 && (low > 0 || high < 0)) return false;
        if (d == 0) continue;
        *first = fmax(*first, fmin(low / d, high / d));
        *last = fmin(*last, fmax(low / d, high / d));
    }
    return *first <= *last;
}

static bool start_in_cells(finder* f, const segment* s, uint32_t owner)
{
    const sup_voxels* v = f->v;
    double            first, last, length = 0;
    bool              hit = false;
    if (!clip_to_grid(v, s, &first, &last)) return false;
    for (int a = 0; a < 3; ++a) length += (s->tail[a] - s->head[a]) * (s->tail[a] - s->head[a]);
    uint32_t steps = (uint32_t)ceil(4 * sqrt(length) * (last - first)) + 1, previous = SUP_NONE;
    for (uint32_t i = 0; i <= steps; ++i) {
        double   t = first + (last - first) * i / steps;
        uint32_t at = 0, step = 1;
        for (int a = 0; a < 3; ++a) {
            double x = s->head[a] + t * (s->tail[a] - s->head[a]);
            at += step * (uint32_t)fmin(fmax(floor(x), 0), v->size[a] - 1.0);
            step *= v->size[a];
        }
        uint32_t cell = v->at[at];
        if (cell == SUP_NONE || cell == previous) continue;
        previous = cell;
        hit = true;
        for (uint32_t k = 0; k < 8; ++k) {
            uint32_t p = v->particles[8 * (size_t)cell + k];
            f->sources[p] = 1;
            reach(f, p, particle_distance(v, s, p), &owner, 1);
        }
    }
    return hit;
}

// The cell nearest to a place along a bone.
static uint32_t cell_beside(const finder* f, const segment* s, double t)
{
    const sup_voxels* v = f->v;
    uint32_t          at = 0, step = 1;
    for (int a = 0; a < 3; ++a) {
        double x = floor(s->head[a] + t * (s->tail[a] - s->head[a]));
        at += step * (uint32_t)fmin(fmax(x, 0), v->size[a] - 1.0);
        step *= v->size[a];
    }
    return f->nearest[at];
}

// A bone that meets no cell is pushed to the nearest ones: those beside it start as far off as they are, less the least
// distance of all, which is returned. So the leg of a rough skeleton still owns the leg.
static double start_outside(finder* f, const segment* s, uint32_t owner)
{
    double least = INFINITY;
    for (int pass = 0; pass < 2; ++pass)
        for (uint32_t i = 0; i <= OUTSIDE_STEPS; ++i) {
            uint32_t cell = cell_beside(f, s, (double)i / OUTSIDE_STEPS);
            for (uint32_t k = 0; k < 8; ++k) {
                uint32_t p = f->v->particles[8 * (size_t)cell + k];
                double   d = particle_distance(f->v, s, p);
                if (pass == 0) least = fmin(least, d);
                if (pass == 0) continue;
                f->sources[p] = 1;
                reach(f, p, d - least, &owner, 1);
            }
        }
    return least;
}

static void spread(finder* f)
{
    static const double length[4] = { 0, 1, 1.4142135623730951, 1.7320508075688772 };
    const sup_voxels*   v = f->v;
    while (f->count && !f->failed) {
        entry e = pop(f);
        if (e.distance > f->near[e.particle].distance) continue; // a shorter way was found since
        sup_nearest n = f->near[e.particle];
        for (uint32_t o = 0; o < 8; ++o) {
            if (!(v->octants[e.particle] >> o & 1)) continue;
            const uint32_t* corners = v->particles + 8 * (size_t)sup_voxels_octant(v, e.particle, o);
            for (uint32_t k = 0; k < 8; ++k) {
                uint32_t apart = k ^ 7 ^ o;
                if (apart)
                    reach(f, corners[k], n.distance + length[(apart & 1) + (apart >> 1 & 1) + (apart >> 2)], n.owners, n.count);
            }
        }
    }
}

// Pieces without a bone: through the air.
static void follow_nearest(finder* f, uint32_t bone_count, const sup_bone_line* bones, const uint32_t* owners, const uint8_t* lost)
{
    for (uint32_t b = 0; b < bone_count; ++b) {
        segment s = in_cells(f->v, &bones[b]);
        for (uint32_t p = 0; p < f->v->particle_count; ++p) {
            if (!lost[f->v->components[p]]) continue;
            double       d = particle_distance(f->v, &s, p);
            sup_nearest* n = &f->near[p];
            if (d > n->distance + SAME) continue;
            if (d < n->distance - SAME) *n = (sup_nearest){ .distance = d };
            add_owner(n, owners[b]);
        }
    }
}

static sup_result find(finder* f, uint32_t bone_count, const sup_bone_line* bones, const uint32_t* owners, uint8_t* lost,
                       sup_nearest_bones* out, sup_error* error)
{
    const sup_voxels* v = f->v;
    for (uint32_t p = 0; p < v->particle_count; ++p) f->near[p].distance = INFINITY;
    for (uint32_t b = 0; b < bone_count; ++b) {
        segment s = in_cells(v, &bones[b]);
        if (start_in_cells(f, &s, owners[b])) continue;
        if (!f->nearest && sup_voxels_nearest(v, f->scratch, &f->nearest, error) != SUP_OK) return SUP_ERROR_MEMORY;
        if (start_outside(f, &s, owners[b]) > OUTSIDE_CELLS && out->outside_bones++ == 0) out->outside_first = b;
    }
    spread(f);
    if (f->failed) return sup_fail_memory(error, "distances to bones");
    for (uint32_t p = 0; p < v->particle_count; ++p)
        if (f->near[p].count == 0) lost[v->components[p]] = 1;
    for (uint32_t c = 0; c < v->component_count; ++c) out->lost_count += lost[c];
    if (out->lost_count) follow_nearest(f, bone_count, bones, owners, lost);
    return SUP_OK;
}

sup_result sup_nearest_bones_find(const sup_voxels* voxels, uint32_t bone_count, const sup_bone_line* bones, const uint32_t* owners,
                                  sup_arena* arena, sup_nearest_bones* out, sup_error* error)
{
    uint32_t count = voxels->particle_count;
    uint8_t* lost = SUP_NEW(arena, uint8_t, voxels->component_count);
    finder   f = { .v = voxels,
                   .near = SUP_NEW(arena, sup_nearest, count),
                   .sources = SUP_NEW(arena, uint8_t, count),
                   .scratch = sup_arena_beside(arena) };
    *out = (sup_nearest_bones){ .particles = f.near, .sources = f.sources, .lost = lost, .outside_first = SUP_NONE };
    sup_result result = lost && f.near && f.sources && f.scratch ? find(&f, bone_count, bones, owners, lost, out, error)
                                                                 : sup_fail_memory(error, "distances to bones");
    sup_arena_destroy(f.scratch);
    return result;
}

// Makes the border between solid nodes and others as triangles, and smooths it.
//
// Each cube of eight nodes is cut into six tetrahedra around one diagonal; each tetrahedron is cut where its corners change
// sides (Doi and Koide 1991). With vertices in the middles of edges the border is closed, manifold and free of crossings,
// exactly, because coordinates are halves of a cell. Smoothing keeps the first two by itself, and the third by undoing what
// crosses.
#include "base/internal.h"
#include "geom/cage/cage_internal.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

#define SHRINK 0.5f // Taubin 1995: two umbrella steps, the second one negative, preserve the volume
#define GROW (-0.53f)
enum { PASSES = 16, TAKE_BACKS = 8 };

static sup_result no_memory(sup_error* error) { return sup_fail_memory(error, "a cage"); }

// ---------------------------------------------------------------------------------------------- tetrahedra

// Corners of cubes as bits of x, y, z; each with a positive volume.
static const uint8_t tetrahedra[6][4] = { { 0, 1, 3, 7 }, { 0, 3, 2, 7 }, { 0, 2, 6, 7 },
                                          { 0, 6, 4, 7 }, { 0, 4, 5, 7 }, { 0, 5, 1, 7 } };

typedef struct skinner {
    const cage_maker* m;
    cage_surface*     out;
    uint32_t*         slots; // points on the edges that begin in two layers of nodes: seven each
    uint32_t          capacity, point_capacity;
} skinner;

static uint32_t edge_point(skinner* s, const uint32_t at[3], uint8_t p, uint8_t q)
{
    uint8_t          low = p & q, axes = p ^ q; // the bits of one end of an edge are a subset of the other's
    const cage_grid* g = &s->m->grid;
    uint32_t         x[3] = { at[0] + (low & 1), at[1] + (low >> 1 & 1), at[2] + (low >> 2 & 1) };
    uint32_t*        slot = &s->slots[7 * (x[0] + x[1] * g->size[0] + (size_t)(x[2] & 1) * g->step[2]) + axes - 1];
    if (*slot == SUP_NONE) {
        s->out->points[s->out->point_count] =
            v3((float)x[0] + 0.5f * (float)(axes & 1), (float)x[1] + 0.5f * (float)(axes >> 1 & 1),
               (float)x[2] + 0.5f * (float)(axes >> 2 & 1));
        *slot = s->out->point_count++;
    }
    return *slot;
}

static void add_triangle(skinner* s, uint32_t a, uint32_t b, uint32_t c, bool turned)
{
    uint32_t* t = s->out->triangles + 3 * (size_t)s->out->triangle_count++;
    t[0] = a, t[1] = turned ? c : b, t[2] = turned ? b : c;
}

static void skin_tetrahedron(skinner* s, const uint32_t at[3], const uint8_t corners[4], uint8_t solid)
{
    uint8_t  v[4], count = 0;
    uint32_t places[4], n = 0, swaps = 0;
    for (uint32_t k = 0; k < 4; ++k) count = (uint8_t)(count + (solid >> corners[k] & 1));
    if (count == 0 || count == 4) return;
    uint8_t first = count == 3 ? 0 : 1; // the side that comes first: the smaller one
    for (int side = 0; side < 2; ++side)
        for (uint32_t k = 0; k < 4; ++k)
            if ((solid >> corners[k] & 1) == (side ? 1 - first : first)) places[n++] = k;
    for (uint32_t i = 0; i < 4; ++i)
        for (uint32_t k = 0; k < i; ++k) swaps += places[k] > places[i];
    if (swaps & 1) {
        uint32_t p = places[2];
        places[2] = places[3], places[3] = p;
    }
    for (int k = 0; k < 4; ++k) v[k] = corners[places[k]];
    if (count == 2) {
        uint32_t q[4] = { edge_point(s, at, v[0], v[2]), edge_point(s, at, v[0], v[3]), edge_point(s, at, v[1], v[3]),
                          edge_point(s, at, v[1], v[2]) };
        add_triangle(s, q[0], q[1], q[2], false);
        add_triangle(s, q[0], q[2], q[3], false);
        return;
    }
    uint32_t a = edge_point(s, at, v[0], v[1]), b = edge_point(s, at, v[0], v[2]), c = edge_point(s, at, v[0], v[3]);
    add_triangle(s, a, b, c, count == 3);
}

static uint8_t cube(const cage_maker* m, uint32_t i)
{
    const uint32_t* step = m->grid.step;
    uint8_t         solid = 0;
    for (uint32_t k = 0; k < 8; ++k)
        solid |= (uint8_t)(m->solid[i + (k & 1) * step[0] + (k >> 1 & 1) * step[1] + (k >> 2) * step[2]] << k);
    return solid;
}

// An upper bound on the triangles of all cubes; each has up to twelve.
static uint64_t count_triangles(const cage_maker* m)
{
    const cage_grid* g = &m->grid;
    uint64_t         sum = 0;
    for (uint32_t z = 0; z + 1 < g->size[2]; ++z)
        for (uint32_t y = 0; y + 1 < g->size[1]; ++y)
            for (uint32_t x = 0; x + 1 < g->size[0]; ++x) {
                uint8_t solid = cube(m, x + y * g->step[1] + z * g->step[2]);
                for (int t = 0; t < 6 && solid != 0 && solid != 255; ++t) {
                    uint32_t n = 0;
                    for (int k = 0; k < 4; ++k) n += solid >> tetrahedra[t][k] & 1;
                    sum += n == 2 ? 2 : n == 0 || n == 4 ? 0 : 1;
                }
            }
    return sum;
}

static void skin_all(skinner* s)
{
    const cage_grid* g = &s->m->grid;
    size_t           layer = 7 * (size_t)g->step[2];
    for (size_t i = 0; i < 2 * layer; ++i) s->slots[i] = SUP_NONE;
    for (uint32_t z = 0; z + 1 < g->size[2]; ++z) {
        uint32_t* above = s->slots + (size_t)((z + 1) & 1) * layer;
        for (size_t i = 0; i < layer; ++i) above[i] = SUP_NONE;
        for (uint32_t y = 0; y + 1 < g->size[1]; ++y)
            for (uint32_t x = 0; x + 1 < g->size[0]; ++x) {
                uint8_t  solid = cube(s->m, x + y * g->step[1] + z * g->step[2]);
                uint32_t at[3] = { x, y, z };
                for (int t = 0; t < 6 && solid != 0 && solid != 255; ++t) skin_tetrahedron(s, at, tetrahedra[t], solid);
            }
    }
}

// ---------------------------------------------------------------------------------------------- smoothing

static void umbrella(const cage_surface* s, float share, const float* fans, sup_vec3* sums)
{
    memset(sums, 0, s->point_count * sizeof *sums);
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t* c = s->triangles + 3 * (size_t)t;
        sup_vec3        p = s->points[c[0]], q = s->points[c[1]], r = s->points[c[2]];
        sums[c[0]] = v3_add(sums[c[0]], v3_add(q, r));
        sums[c[1]] = v3_add(sums[c[1]], v3_add(r, p));
        sums[c[2]] = v3_add(sums[c[2]], v3_add(p, q));
    }
    for (uint32_t i = 0; i < s->point_count; ++i)
        s->points[i] = v3_lerp(s->points[i], v3_scale(sums[i], 1 / (2 * fans[i])), share);
}

// Whatever crosses goes back to where it was, with its neighbors, until nothing crosses. At worst everything goes back.
static sup_result take_back(cage_surface* s, const sup_vec3* before, sup_arena* scratch, sup_error* error)
{
    uint8_t *marks = SUP_NEW(scratch, uint8_t, s->triangle_count), *back = SUP_NEW(scratch, uint8_t, s->point_count),
            *near = SUP_NEW(scratch, uint8_t, s->point_count);
    if (!marks || !back || !near) return no_memory(error);
    for (int round = 0; round <= TAKE_BACKS; ++round) {
        uint32_t   crossing;
        sup_result r = cage_crossings(s->points, s->triangles, s->triangle_count, UINT64_MAX, scratch, marks, &crossing, error);
        if (r || crossing == 0) return r;
        for (uint32_t t = 0; t < s->triangle_count; ++t)
            for (int k = 0; k < 3 && marks[t]; ++k) back[s->triangles[3 * (size_t)t + k]] = 1;
        for (int widen = 0; widen <= round; ++widen) {
            memcpy(near, back, s->point_count);
            for (uint32_t t = 0; t < s->triangle_count; ++t) {
                const uint32_t* c = s->triangles + 3 * (size_t)t;
                if (near[c[0]] | near[c[1]] | near[c[2]]) back[c[0]] = back[c[1]] = back[c[2]] = 1;
            }
        }
        for (uint32_t i = 0; i < s->point_count; ++i)
            if (back[i] || round == TAKE_BACKS) s->points[i] = before[i];
    }
    return SUP_OK;
}

static sup_result smooth(cage_surface* s, sup_arena* scratch, sup_error* error)
{
    float*    fans = SUP_NEW(scratch, float, s->point_count);
    sup_vec3 *sums = SUP_NEW(scratch, sup_vec3, s->point_count),
             *before = sup_arena_copy(scratch, s->points, s->point_count, sizeof *before);
    if (!fans || !sums || !before) return no_memory(error);
    for (size_t i = 0; i < 3 * (size_t)s->triangle_count; ++i) fans[s->triangles[i]] += 1;
    for (int pass = 0; pass < PASSES; ++pass) umbrella(s, pass % 2 ? GROW : SHRINK, fans, sums);
    return take_back(s, before, scratch, error);
}

sup_result cage_skin(cage_maker* m, uint32_t most, cage_surface* out, sup_error* error)
{
    uint64_t triangles = count_triangles(m);
    *out = (cage_surface){ 0 };
    if (triangles > most) return SUP_OK;
    skinner s = { .m = m, .out = out, .slots = SUP_NEW(m->scratch, uint32_t, 14 * (size_t)m->grid.step[2]) };
    out->points = SUP_NEW(m->scratch, sup_vec3, triangles + 8); // a closed surface has half as many points, and two for a piece
    out->triangles = SUP_NEW(m->scratch, uint32_t, 3 * (size_t)triangles);
    if (!s.slots || !out->points || !out->triangles) return no_memory(error);
    skin_all(&s);
    return smooth(out, m->scratch, error);
}

// What lies inside a mesh, at the nodes of a grid.
//
// The generalized winding number (Jacobson et al. 2013) takes a tree descent per place, too slow for a million nodes. It
// changes by one where a line passes through a triangle and only slowly elsewhere. So it is evaluated at every fourth node;
// between two of those, along a line, it is the blend of what either end gives with the jumps on the way. On closed meshes both
// ends agree.
#include "base/internal.h"
#include "base/sets.h"
#include "geom/cage/cage_internal.h"
#include "geom/surface/clean.h"
#include "geom/volume/winding.h"
#include "math/vec.h"

#include <math.h>

// Cells along the diagonal for a cage of 1500 points: about four per edge. Others in proportion, within limits.
#define CELLS_DIAGONAL 240.0
#define CELLS_FEWEST 16.0
#define CELLS_FINEST 300.0
#define CELLS_MOST 1e6
// Rows of nodes below all triangles together. A character has some 100,000.
#define ROWS_MOST 2e7
enum { COARSE = 4, GRAIN = 64 };

static sup_result no_memory(sup_error* error) { return sup_fail_memory(error, "a cage"); }

// ---------------------------------------------------------------------------------------------- facing out

// Six times the signed volume of every piece around its own center: open pieces have no volume, but they have a side.
static void measure_pieces(const cage_maker* m, uint32_t* up, double (*middle)[4], double* volume)
{
    const sup_vec3* x = m->desc->points;
    for (size_t i = 0; i < 3 * (size_t)m->triangle_count; ++i) {
        uint32_t p = m->triangles[i], r = sup_sets_find(up, p);
        middle[r][0] += (double)x[p].x, middle[r][1] += (double)x[p].y, middle[r][2] += (double)x[p].z, middle[r][3] += 1;
    }
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        const uint32_t* c = m->triangles + 3 * (size_t)t;
        uint32_t        r = sup_sets_find(up, c[0]);
        double          e[3][3];
        for (int k = 0; k < 3; ++k) {
            e[k][0] = (double)x[c[k]].x - middle[r][0] / middle[r][3];
            e[k][1] = (double)x[c[k]].y - middle[r][1] / middle[r][3];
            e[k][2] = (double)x[c[k]].z - middle[r][2] / middle[r][3];
        }
        volume[r] += e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) + e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
                     e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
    }
}

sup_result cage_orient(cage_maker* m, sup_error* error)
{
    const sup_cage_desc* d = m->desc;
    sup_clean            surface;
    sup_result           r = sup_clean_surface(d->points, d->triangle_count, d->triangles, m->scratch, &surface, error);
    if (r) return r;
    m->triangle_count = surface.triangle_count;
    m->triangles = sup_arena_copy(m->scratch, surface.triangles, 3 * (size_t)surface.triangle_count, sizeof *m->triangles);
    uint32_t* up = SUP_NEW(m->scratch, uint32_t, d->point_count);
    double(*middle)[4] = sup_arena_alloc(m->scratch, d->point_count, sizeof *middle);
    double* volume = SUP_NEW(m->scratch, double, d->point_count);
    if (!m->triangles || !up || !middle || !volume) return no_memory(error);
    sup_sets_begin(up, d->point_count);
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        const uint32_t* c = m->triangles + 3 * (size_t)t;
        uint32_t        a = sup_sets_find(up, c[0]);
        up[sup_sets_find(up, c[1])] = a;
        up[sup_sets_find(up, c[2])] = a;
    }
    measure_pieces(m, up, middle, volume);
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        uint32_t* c = m->triangles + 3 * (size_t)t;
        if (!(volume[sup_sets_find(up, c[0])] < 0)) continue;
        uint32_t swap = c[1];
        c[1] = c[2], c[2] = swap;
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- grid

static void grid_place(const cage_maker* m, uint32_t point, double out[3])
{
    const sup_vec3* p = &m->desc->points[point];
    out[0] = ((double)p->x - m->grid.origin[0]) / m->grid.h;
    out[1] = ((double)p->y - m->grid.origin[1]) / m->grid.h;
    out[2] = ((double)p->z - m->grid.origin[2]) / m->grid.h;
}

// Estimates the lines of nodes that all triangles cover in the three directions: half of those that their boxes cover.
static double count_rows(const cage_maker* m)
{
    double sum = 0;
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY }, p[3];
        for (int k = 0; k < 3; ++k) {
            grid_place(m, m->triangles[3 * (size_t)t + k], p);
            for (int a = 0; a < 3; ++a) low[a] = fmin(low[a], p[a]), high[a] = fmax(high[a], p[a]);
        }
        double x = high[0] - low[0], y = high[1] - low[1], z = high[2] - low[2];
        sum += x + y + z + (x * y + y * z + z * x) / 2;
    }
    return sum;
}

bool cage_place_grid(cage_maker* m, double coarser)
{
    cage_grid* g = &m->grid;
    double     low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY }, volume, square = 0;
    for (size_t i = 0; i < 3 * (size_t)m->triangle_count; ++i) {
        const float* p = &m->desc->points[m->triangles[i]].x;
        for (int a = 0; a < 3; ++a) low[a] = fmin(low[a], (double)p[a]), high[a] = fmax(high[a], (double)p[a]);
    }
    for (int a = 0; a < 3; ++a) square += (high[a] - low[a]) * (high[a] - low[a]);
    double cell = sqrt(square) / fmin(fmax(CELLS_DIAGONAL * sqrt(m->desc->target / 1500.0), CELLS_FEWEST), CELLS_FINEST);
    do { // a cube root without libm
        cell *= 1.03125;
        volume = 1;
        for (int a = 0; a < 3; ++a) volume *= (high[a] - low[a]) / cell + 2 * CAGE_PAD;
    } while (volume > CELLS_MOST);
    g->h = cell * coarser;
    g->count = 1;
    for (int a = 0; a < 3; ++a) {
        double n = ceil((high[a] - low[a]) / g->h) + 2 * CAGE_PAD;
        g->step[a] = g->count;
        g->size[a] = ((uint32_t)n + COARSE - 1) / COARSE * COARSE + 1; // the last node is one of those evaluated
        g->origin[a] = (low[a] + high[a]) / 2 - g->h * (g->size[a] - 1) / 2;
        g->count *= g->size[a];
    }
    return count_rows(m) <= ROWS_MOST;
}

// ---------------------------------------------------------------------------------------------- jumps

typedef struct crossing {
    double a, b; // crossing of an edge with a line of constant c
} crossing;

// The ends in a canonical order, so that both triangles of an edge compute the same bits and no row slips between them.
static crossing cross_edge(const double* p, const double* q, int a, int b, int c, double at)
{
    bool swap = p[c] != q[c] ? p[c] > q[c] : p[b] != q[b] ? p[b] > q[b] : p[a] > q[a];
    if (swap) {
        const double* s = p;
        p = q, q = s;
    }
    double share = (at - p[c]) / (q[c] - p[c]);
    return (crossing){ p[a] + share * (q[a] - p[a]), p[b] + share * (q[b] - p[b]) };
}

static void jump_row(const cage_grid* g, int a, uint32_t line, crossing from, crossing to, int8_t sign, int8_t* jumps)
{
    int    b = (a + 1) % 3;
    double slope = (to.a - from.a) / (to.b - from.b);
    for (double j = ceil(from.b); j < to.b; ++j) {
        double x = floor(from.a + slope * (j - from.b));
        if (!(x >= 0 && x < g->size[a] - 1)) continue; // rounding of needles; the mesh is well inside
        int8_t* at = &jumps[line + (uint32_t)j * g->step[b] + (uint32_t)x * g->step[a]];
        if (*at > -100 && *at < 100) *at = (int8_t)(*at + sign);
    }
}

// A line along direction a enters where the triangle faces against it. Seen along a, the border of a triangle that faces it
// runs upwards on the right.
static void jump_triangle(const cage_maker* m, const double p[3][3], int a, int8_t* jumps)
{
    const cage_grid* g = &m->grid;
    int              b = (a + 1) % 3, c = (a + 2) % 3;
    double           low = fmin(p[0][c], fmin(p[1][c], p[2][c])), high = fmax(p[0][c], fmax(p[1][c], p[2][c]));
    for (double k = ceil(low); k <= high; ++k) {
        crossing up = { 0, 0 }, down = { 0, 0 };
        int      found = 0;
        for (int e = 0; e < 3; ++e) {
            const double *from = p[e], *to = p[(e + 1) % 3];
            bool          above_from = from[c] > k, above_to = to[c] > k;
            if (above_from == above_to) continue;
            *(above_to ? &up : &down) = cross_edge(from, to, a, b, c, k);
            ++found;
        }
        if (found != 2 || up.b == down.b) continue;
        uint32_t line = (uint32_t)k * g->step[c];
        if (up.b > down.b) jump_row(g, a, line, down, up, -1, jumps);
        else jump_row(g, a, line, up, down, 1, jumps);
    }
}

// ---------------------------------------------------------------------------------------------- filling

typedef struct filler {
    const cage_maker* m;
    sup_winding       winding;
    float*            values;
    uint32_t          coarse[3];
} filler;

static void place_of(const filler* f, uint32_t i, uint32_t x[3], double place[3])
{
    x[0] = i % f->coarse[0] * COARSE, x[1] = i / f->coarse[0] % f->coarse[1] * COARSE;
    x[2] = i / f->coarse[0] / f->coarse[1] * COARSE;
    for (int a = 0; a < 3; ++a) place[a] = f->m->grid.origin[a] + f->m->grid.h * x[a];
}

static void bound_work(filler* f, uint32_t total)
{
    enum { STRIDE = 13 }; // no divisor of a row, so that samples are spread everywhere
    double looked = 0;
    for (uint32_t i = 0; i < total; i += STRIDE) {
        uint32_t x[3], here;
        double   place[3];
        place_of(f, i, x, place);
        sup_winding_counted(&f->winding, place, &here);
        looked += here;
        sup_winding_bound(&f->winding, looked, total, 1.0 / STRIDE);
    }
}

static void ask_task(void* data, uint32_t begin, uint32_t end)
{
    const filler*    f = data;
    const cage_grid* g = &f->m->grid;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t x[3];
        double   place[3];
        place_of(f, i, x, place);
        f->values[x[0] + x[1] * g->step[1] + x[2] * g->step[2]] = (float)sup_winding_number(&f->winding, place);
    }
}

static void fill_line(float* values, const int8_t* jumps, uint32_t step, uint32_t size)
{
    for (uint32_t i = 0; i + COARSE < size; i += COARSE) {
        float ends[2] = { values[(size_t)i * step], values[(size_t)(i + COARSE) * step] };
        float all = 0, passed = 0;
        for (uint32_t k = 0; k < COARSE; ++k) all += jumps[(size_t)(i + k) * step];
        for (uint32_t k = 1; k < COARSE; ++k) {
            float share = (float)k / COARSE;
            passed += jumps[(size_t)(i + k - 1) * step];
            values[(size_t)(i + k) * step] = (1 - share) * (ends[0] + passed) + share * (ends[1] - (all - passed));
        }
    }
}

// Lines along x through the evaluated nodes, then along y through what those filled, then all along z.
static void fill_axis(const cage_grid* g, int a, const int8_t* jumps, float* values)
{
    int      b = (a + 1) % 3, c = (a + 2) % 3;
    uint32_t every_b = b > a ? COARSE : 1, every_c = c > a ? COARSE : 1;
    for (uint32_t k = 0; k < g->size[c]; k += every_c)
        for (uint32_t j = 0; j < g->size[b]; j += every_b) {
            size_t line = (size_t)k * g->step[c] + (size_t)j * g->step[b];
            fill_line(values + line, jumps + line, g->step[a], g->size[a]);
        }
}

static void jump_all(const cage_maker* m, int a, int8_t* jumps)
{
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        double p[3][3];
        for (int k = 0; k < 3; ++k) grid_place(m, m->triangles[3 * (size_t)t + k], p[k]);
        jump_triangle(m, (const double(*)[3])p, a, jumps);
    }
}

sup_result cage_fill(cage_maker* m, sup_error* error)
{
    const cage_grid* g = &m->grid;
    filler           f = { .m = m, .values = SUP_NEW(m->scratch, float, g->count) };
    m->solid = SUP_NEW(m->scratch, uint8_t, g->count);
    if (!f.values || !m->solid) return no_memory(error);
    sup_result r = sup_winding_create(m->desc->points, m->triangles, m->triangle_count, m->scratch, &f.winding, error);
    if (r) return r;
    uint32_t total = 1;
    for (int a = 0; a < 3; ++a) total *= f.coarse[a] = (g->size[a] - 1) / COARSE + 1;
    bound_work(&f, total);
    sup_tasks_run(m->desc->tasks, total, GRAIN, ask_task, &f);
    for (int a = 0; a < 3; ++a) {
        int8_t* jumps = SUP_NEW(m->scratch, int8_t, g->count);
        if (!jumps) return no_memory(error);
        jump_all(m, a, jumps);
        fill_axis(g, a, jumps, f.values);
    }
    for (uint32_t z = CAGE_PAD - 1; z + CAGE_PAD <= g->size[2]; ++z)
        for (uint32_t y = CAGE_PAD - 1; y + CAGE_PAD <= g->size[1]; ++y)
            for (uint32_t x = CAGE_PAD - 1; x + CAGE_PAD <= g->size[0]; ++x) {
                uint32_t i = x + y * g->step[1] + z * g->step[2];
                m->solid[i] = f.values[i] > 0.5f;
            }
    return SUP_OK;
}

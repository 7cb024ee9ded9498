#include "solve/lattice/lattice_embed.h"

#include "base/internal.h"

#include <math.h>
#include <string.h>

enum { GRAIN_BLOCKS = 256, GRAIN_POINTS = 1024 };
#define WEIGHT_LEAST (-0.6) // a correction farther below 0 than this is extrapolation

typedef struct maker {
    const sup_lattice_embed_desc* desc;
    sup_arena*                    scratch;
    uint32_t*                     cells;  ///< of each point
    float*                        places; ///< three of each point
    uint32_t                      loose_count;
    uint32_t*                     loose;
} maker;

// ---------------------------------------------------------------------------------------------- cells

// Points of no triangle may lie outside all cells: they are listed, and get the center of the nearest cell as their place.
static sup_result place_points(maker* m, sup_arena* arena, sup_error* error)
{
    const sup_voxels* v = m->desc->voxels;
    const uint32_t*   nearest = NULL;
    for (uint32_t p = 0; p < m->desc->point_count; ++p) {
        m->cells[p] = sup_voxels_find(v, m->desc->points[p], m->places + 3 * (size_t)p);
        if (m->cells[p] != SUP_NONE) continue;
        if (!nearest) {
            sup_result result = sup_voxels_nearest(v, m->scratch, &nearest, error);
            m->loose = SUP_NEW(arena, uint32_t, m->desc->point_count - p);
            if (result != SUP_OK) return result;
            if (!m->loose) return sup_fail_memory(error, "an embedding");
        }
        uint32_t at = 0, step = 1;
        for (int a = 0; a < 3; ++a) {
            double g = floor(((double)(&m->desc->points[p].x)[a] - v->origin[a]) / v->h);
            at += step * (uint32_t)fmin(fmax(g, 0), v->size[a] - 1.0);
            step *= v->size[a];
            m->places[3 * (size_t)p + (size_t)a] = 0.5f;
        }
        m->cells[p] = nearest[at];
        m->loose[m->loose_count++] = p;
    }
    return SUP_OK;
}

static sup_result make_blocks(maker* m, sup_arena* arena, sup_lattice_embed* out, sup_error* error)
{
    const sup_voxels* v = m->desc->voxels;
    uint32_t          points = m->desc->point_count, blocks = 0;
    uint32_t*         begin = SUP_NEW(m->scratch, uint32_t, (size_t)v->cell_count + 2);
    uint32_t*         order = SUP_NEW(m->scratch, uint32_t, points);
    if (!begin || !order) return sup_fail_memory(error, "an embedding");
    for (uint32_t p = 0; p < points; ++p) begin[m->cells[p] + 2]++;
    for (uint32_t c = 0; c < v->cell_count; ++c) blocks += (begin[c + 2] + SUP_LANES - 1) / SUP_LANES;
    for (uint32_t c = 0; c <= v->cell_count; ++c) begin[c + 1] += begin[c];
    for (uint32_t p = 0; p < points; ++p) order[begin[m->cells[p] + 1]++] = p;
    uint32_t* corners = SUP_NEW(arena, uint32_t, 8 * (size_t)blocks);
    uint32_t* index = SUP_NEW(arena, uint32_t, 8 * (size_t)blocks);
    uint8_t*  lanes = SUP_NEW(arena, uint8_t, blocks);
    float*    places = SUP_NEW(arena, float, 24 * (size_t)blocks);
    if (!corners || !index || !lanes || !places) return sup_fail_memory(error, "an embedding");
    uint32_t b = 0;
    for (uint32_t c = 0; c < v->cell_count; ++c)
        for (uint32_t first = begin[c]; first < begin[c + 1]; first += SUP_LANES, ++b) {
            uint32_t count = begin[c + 1] - first < SUP_LANES ? begin[c + 1] - first : SUP_LANES;
            lanes[b] = (uint8_t)count;
            for (uint32_t k = 0; k < 8; ++k) {
                uint32_t p = order[first + (k < count ? k : 0)];
                corners[8 * (size_t)b + k] = m->desc->slots[v->particles[8 * (size_t)c + k]];
                index[8 * (size_t)b + k] = p;
                for (uint32_t a = 0; a < 3; ++a) places[24 * (size_t)b + 8 * a + k] = m->places[3 * (size_t)p + a];
            }
        }
    *out = (sup_lattice_embed){ .point_count = points,
                                .block_count = blocks,
                                .corners = corners,
                                .index = index,
                                .lanes = lanes,
                                .places = places,
                                .cells = m->cells,
                                .loose_count = m->loose_count,
                                .loose = m->loose };
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- smooth

// The particles at most one grid step along each axis from `center`, reached through links, so never across a gap.
static uint32_t around(const sup_voxels* v, uint32_t center, uint32_t out[LATTICE_SMOOTH_MAX])
{
    uint32_t count = 1, o[3], c[3];
    out[0] = center;
    sup_voxels_corner(v, center, o);
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = v->link_begin[out[i]]; k < v->link_begin[out[i] + 1]; ++k) {
            uint32_t q = v->links[k];
            bool     skip = count == LATTICE_SMOOTH_MAX;
            sup_voxels_corner(v, q, c);
            for (int a = 0; a < 3; ++a) skip |= c[a] + 1 < o[a] || c[a] > o[a] + 1;
            for (uint32_t j = 0; j < count && !skip; ++j) skip = out[j] == q;
            if (!skip) out[count++] = q;
        }
    return count;
}

static double spline(double t)
{
    t = fabs(t);
    if (t < 0.5) return 0.75 - t * t;
    return t < 1.5 ? 0.5 * (1.5 - t) * (1.5 - t) : 0;
}

// Smallest pivot of the moments of a spline's weights, in cells: they sum to 1, and a full neighborhood has pivots of 0.25 and
// more. Below it the cells around a point are coplanar, and a linear map cannot be reproduced.
static const double PIVOT_LEAST = 1e-4;

// Solves the symmetric 4 x 4 system for (1, 0, 0, 0); false if it is nearly singular.
static bool solve4(double m[4][5])
{
    for (int k = 0; k < 4; ++k) {
        int pivot = k;
        for (int i = k + 1; i < 4; ++i)
            if (fabs(m[i][k]) > fabs(m[pivot][k])) pivot = i;
        if (!(fabs(m[pivot][k]) > PIVOT_LEAST)) return false;
        for (int j = 0; j < 5; ++j) {
            double t = m[k][j];
            m[k][j] = m[pivot][j];
            m[pivot][j] = t;
        }
        for (int i = 0; i < 4; ++i) {
            if (i == k) continue;
            double f = m[i][k] / m[k][k];
            for (int j = k; j < 5; ++j) m[i][j] -= f * m[k][j];
        }
    }
    for (int k = 0; k < 4; ++k) m[k][4] /= m[k][k];
    return true;
}

// Weights over the particles around the nearest corner of the point's cell. Returns their number; 0 if there is no solution.
static uint32_t smooth_weights(const maker* m, uint32_t p, uint32_t near[], double weights[])
{
    const sup_voxels* v = m->desc->voxels;
    const float*      at = m->places + 3 * (size_t)p;
    uint32_t          corner = (at[0] > 0.5f) + 2u * (at[1] > 0.5f) + 4u * (at[2] > 0.5f), o[3], c[3];
    uint32_t          count = around(v, v->particles[8 * (size_t)m->cells[p] + corner], near);
    double            rows[LATTICE_SMOOTH_MAX][4], system[4][5] = { { 0 } };
    sup_voxels_corner(v, v->particles[8 * (size_t)m->cells[p]], o);
    system[0][4] = 1;
    for (uint32_t i = 0; i < count; ++i) {
        weights[i] = rows[i][0] = 1;
        sup_voxels_corner(v, near[i], c);
        for (int a = 0; a < 3; ++a) {
            rows[i][a + 1] = (double)c[a] - (double)o[a] - (double)at[a];
            weights[i] *= spline(rows[i][a + 1]);
        }
        for (int j = 0; j < 16; ++j) system[j / 4][j % 4] += weights[i] * rows[i][j / 4] * rows[i][j % 4];
    }
    if (!solve4(system)) return 0;
    for (uint32_t i = 0; i < count; ++i) {
        double s = 0;
        for (int j = 0; j < 4; ++j) s += system[j][4] * rows[i][j];
        weights[i] *= s;
        if (!(weights[i] > WEIGHT_LEAST)) return 0;
    }
    return count;
}

static void trilinear_weights(const maker* m, uint32_t p, uint32_t near[], double weights[])
{
    const float* at = m->places + 3 * (size_t)p;
    for (uint32_t k = 0; k < 8; ++k) {
        near[k] = m->desc->voxels->particles[8 * (size_t)m->cells[p] + k];
        weights[k] =
            (double)(k & 1 ? at[0] : 1 - at[0]) * (double)(k & 2 ? at[1] : 1 - at[1]) * (double)(k & 4 ? at[2] : 1 - at[2]);
    }
}

static sup_result make_smooth(maker* m, sup_arena* arena, sup_lattice_embed* out, sup_error* error)
{
    uint32_t  points = m->desc->point_count, near[LATTICE_SMOOTH_MAX];
    double    weights[LATTICE_SMOOTH_MAX];
    uint32_t* begin = SUP_NEW(arena, uint32_t, (size_t)points + 1);
    if (!begin) return sup_fail_memory(error, "an embedding");
    for (uint32_t p = 0; p < points; ++p) {
        uint32_t n = smooth_weights(m, p, near, weights);
        out->fallbacks += n == 0;
        begin[p + 1] = begin[p] + (n ? n : 8);
    }
    uint32_t* slots = SUP_NEW(arena, uint32_t, begin[points]);
    float*    values = SUP_NEW(arena, float, begin[points]);
    if (!slots || !values) return sup_fail_memory(error, "an embedding");
    for (uint32_t p = 0; p < points; ++p) {
        if (!smooth_weights(m, p, near, weights)) trilinear_weights(m, p, near, weights);
        for (uint32_t i = begin[p]; i < begin[p + 1]; ++i) {
            slots[i] = m->desc->slots[near[i - begin[p]]];
            values[i] = (float)weights[i - begin[p]];
        }
    }
    out->begin = begin;
    out->near = slots;
    out->weights = values;
    return SUP_OK;
}

sup_result sup_lattice_embed_create(const sup_lattice_embed_desc* desc, sup_arena* arena, sup_lattice_embed* out,
                                    sup_error* error)
{
    maker m = { .desc = desc, .scratch = sup_arena_beside(arena), .cells = SUP_NEW(arena, uint32_t, desc->point_count) };
    if (m.scratch) m.places = SUP_NEW(m.scratch, float, 3 * (size_t)desc->point_count);
    sup_result result =
        m.scratch && m.cells && m.places ? place_points(&m, arena, error) : sup_fail_memory(error, "an embedding");
    if (result == SUP_OK) result = make_blocks(&m, arena, out, error);
    if (result == SUP_OK && desc->smooth) result = make_smooth(&m, arena, out, error);
    sup_arena_destroy(m.scratch);
    return result;
}

// ---------------------------------------------------------------------------------------------- use

static void run_blocks(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_lattice_embed_blocks)(data, begin, end); }
static void run_smooth(void* data, uint32_t begin, uint32_t end) { SUP_WIDE_PICK(sup_lattice_embed_smooth)(data, begin, end); }

void sup_lattice_embed_run(const sup_lattice_embed_call* call, const sup_tasks* tasks)
{
    sup_lattice_embed_call c = *call;
    if (c.embed->begin) sup_tasks_run(tasks, c.embed->point_count, GRAIN_POINTS, run_smooth, &c);
    else sup_tasks_run(tasks, c.embed->block_count, GRAIN_BLOCKS, run_blocks, &c);
    for (uint32_t i = 0; i < c.embed->loose_count; ++i) c.out[c.embed->loose[i]] = c.loose[c.embed->loose[i]];
}

static void run_products(void* data, uint32_t begin, uint32_t end)
{
    SUP_WIDE_PICK(sup_lattice_embed_product)(data, begin, end);
}

void sup_lattice_embed_products(const sup_lattice_embed* embed, const float* a, const float* b, const sup_tasks* tasks,
                                float* out)
{
    sup_lattice_products_job job = { embed, a, b, out };
    sup_tasks_run(tasks, embed->block_count, GRAIN_BLOCKS, run_products, &job);
}

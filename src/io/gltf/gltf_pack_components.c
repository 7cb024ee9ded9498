// Principal components of each region over the clip. The displacements of a region are a matrix, frames x coordinates; its
// products (frames x frames) have the components' courses over time as eigenvectors, and what the displacements have of each
// course is its shape. Normals follow with the share of the same courses, the best there is in least squares.
#include "base/internal.h"
#include "io/gltf/gltf_pack.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

#define NO_COMPONENTS "the displacements of the clip have no components; leave the budget out"

enum { LANES = 4 };

void gltf_pack_gather(const gltf_pack* pack, const pack_region* region, float* out)
{
    size_t base = pack->first[region->piece];
    for (uint32_t f = 0; f < pack->frames; ++f) {
        const float* row = pack->shifts + 3 * (f * pack->vertex_count + base);
        for (uint32_t i = 0; i < region->count; ++i) {
            memcpy(out, row + 3 * (size_t)region->vertices[i], 3 * sizeof *out);
            out += 3;
        }
    }
}

static double product(const float* a, const float* b, size_t n)
{
    double sums[LANES] = { 0 };
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; ++k) sums[k] += (double)a[i + (size_t)k] * (double)b[i + (size_t)k];
    for (; i < n; ++i) sums[0] += (double)a[i] * (double)b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

typedef struct gram_task {
    const float* rows;
    size_t       width;
    uint32_t     frames;
    double*      out;
} gram_task;

static void multiply_rows(void* data, uint32_t begin, uint32_t end)
{
    const gram_task* t = data;
    for (uint32_t f = begin; f < end; ++f)
        for (uint32_t g = 0; g <= f; ++g)
            t->out[(size_t)f * t->frames + g] = product(t->rows + f * t->width, t->rows + g * t->width, t->width);
}

static sup_result region_gram(gltf_pack* pack, pack_region* region, sup_error* error)
{
    uint32_t   frames = pack->frames;
    sup_arena* work = sup_arena_beside(pack->bake->arena);
    size_t     width = 3 * (size_t)region->count;
    float*     rows = work ? SUP_NEW(work, float, frames* width) : NULL;
    if (rows) {
        gltf_pack_gather(pack, region, rows);
        gram_task task = { rows, width, frames, region->gram };
        sup_tasks_run(pack->bake->desc.tasks, frames, 8, multiply_rows, &task);
        for (uint32_t f = 0; f < frames; ++f)
            for (uint32_t g = f + 1; g < frames; ++g)
                region->gram[(size_t)f * frames + g] = region->gram[(size_t)g * frames + f];
    }
    sup_arena_destroy(work);
    return rows ? SUP_OK : sup_fail_memory(error, "the components of a clip");
}

sup_result gltf_pack_gram(gltf_pack* pack, sup_error* error)
{
    size_t frames = pack->frames, squares = frames * frames;
    for (uint32_t at = 0; at < PACK_LEVELS; ++at) {
        pack_level* level = &pack->levels[at];
        for (uint32_t r = 0; r < level->count; ++r) {
            level->regions[r].gram = SUP_NEW(pack->bake->arena, double, squares);
            if (!level->regions[r].gram) return sup_fail_memory(error, "the components of a clip");
        }
    }
    for (uint32_t at = 0; at < PACK_LEVELS; ++at)
        for (uint32_t r = 0; r < pack->levels[at].count; ++r) {
            pack_region* region = &pack->levels[at].regions[r];
            sup_result   result = at == 0 ? region_gram(pack, region, error) : SUP_OK;
            if (result != SUP_OK) return result;
            for (size_t f = 0; f < frames; ++f) region->energy += region->gram[f * frames + f];
            if (at + 1 == PACK_LEVELS) continue;
            double* above = pack->levels[at + 1].regions[region->above].gram;
            for (size_t i = 0; i < squares; ++i) above[i] += region->gram[i];
        }
    return SUP_OK;
}

// How much smaller than the detail of a budget the courses are that regions may leave out, root mean square over a piece.
#define COURSE_SHARE 0.1

static pack_region* whole_piece(const gltf_pack* pack, uint32_t piece)
{
    pack_region* r = pack->levels[PACK_LEVELS - 1].regions;
    while (r->piece != piece) ++r;
    return r;
}

// How many courses of the whole piece a region within it can need. A region's products are a part of the piece's, so no region
// has more energy in the courses behind these than the whole piece has there.
static uint32_t count_courses(const gltf_pack* pack, const pack_region* whole)
{
    double   scale = pack->scales[whole->piece], length = COURSE_SHARE * pack->detail / scale, left = 0;
    double   most = length * length * (double)pack->frames * (double)whole->count;
    uint32_t n = pack->frames;
    while (n > 0 && left + fmax(whole->values[n - 1], 0) <= most) left += fmax(whole->values[--n], 0);
    return n;
}

static double dot(const double* a, const double* b, size_t n)
{
    double sums[LANES] = { 0 };
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t k = 0; k < LANES; ++k) sums[k] += a[i + k] * b[i + k];
    for (; i < n; ++i) sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// The region's products seen from the first `count` courses of the whole piece: a matrix of few rows instead of one a frame,
// since solving takes the cube of the rows.
static sup_result solve_within(gltf_pack* pack, pack_region* region, const pack_region* whole, uint32_t count, sup_error* error)
{
    uint32_t   n = pack->frames;
    size_t     squares = (size_t)count * count;
    sup_arena* work = sup_arena_beside(pack->bake->arena);
    double*    small = work ? SUP_NEW(work, double, 2 * squares + count + sup_eigen_scratch(count) + n) : NULL;
    if (!small) {
        sup_arena_destroy(work);
        return sup_fail_memory(error, "the components of a clip");
    }
    double *vectors = small + squares, *values = vectors + squares, *scratch = values + count;
    double* row = scratch + sup_eigen_scratch(count);
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t f = 0; f < n; ++f) row[f] = dot(region->gram + (size_t)f * n, whole->vectors + (size_t)i * n, n);
        for (uint32_t j = 0; j <= i; ++j)
            small[(size_t)i * count + j] = small[(size_t)j * count + i] = dot(whole->vectors + (size_t)j * n, row, n);
    }
    bool solved = sup_eigen_symmetric(count, small, values, vectors, scratch);
    for (uint32_t i = 0; solved && i < count; ++i) {
        region->values[i] = values[i];
        for (uint32_t j = 0; j < count; ++j)
            for (uint32_t f = 0; f < n; ++f)
                region->vectors[(size_t)i * n + f] += vectors[(size_t)i * count + j] * whole->vectors[(size_t)j * n + f];
    }
    sup_arena_destroy(work);
    return solved ? SUP_OK : sup_fail(error, SUP_ERROR_INPUT, NO_COMPONENTS);
}

static sup_result make_vectors(gltf_pack* pack, pack_region* region, sup_error* error)
{
    uint32_t     n = pack->frames, count = n;
    sup_arena*   arena = pack->bake->arena;
    pack_region* whole = whole_piece(pack, region->piece);
    if (region != whole && !whole->vectors) {
        sup_result result = make_vectors(pack, whole, error);
        if (result != SUP_OK) return result;
    }
    double* scratch = SUP_NEW(arena, double, sup_eigen_scratch(n));
    region->vectors = SUP_NEW(arena, double, (size_t)n* n);
    region->values = SUP_NEW(arena, double, n);
    region->shapes = SUP_NEW(arena, float*, n);
    region->turns = SUP_NEW(arena, float*, n);
    if (!scratch || !region->vectors || !region->values || !region->shapes || !region->turns)
        return sup_fail_memory(error, "the components of a clip");
    if (region != whole) count = count_courses(pack, whole);
    if (count < n) return solve_within(pack, region, whole, count, error);
    if (!sup_eigen_symmetric(n, region->gram, region->values, region->vectors, scratch))
        return sup_fail(error, SUP_ERROR_INPUT, NO_COMPONENTS);
    return SUP_OK;
}

typedef struct shape_task {
    const gltf_pack*   pack;
    const pack_region* region;
    const float*       from; // shifts or turns of all vertices
    const double*      vector;
    float*             out;
} shape_task;

// out[v] = sum over frames of vector[f] x from[f][v]
static void project(void* data, uint32_t begin, uint32_t end)
{
    const shape_task*  t = data;
    const pack_region* region = t->region;
    size_t             base = t->pack->first[region->piece];
    for (uint32_t i = begin; i < end; ++i) {
        const float* at = t->from + 3 * (base + region->vertices[i]);
        double       sum[3] = { 0 };
        for (uint32_t f = 0; f < t->pack->frames; ++f) {
            const float* p = at + 3 * f * t->pack->vertex_count;
            for (int k = 0; k < 3; ++k) sum[k] += t->vector[f] * (double)p[k];
        }
        for (uint32_t k = 0; k < 3; ++k) t->out[3 * i + k] = (float)sum[k];
    }
}

sup_result gltf_pack_shapes(gltf_pack* pack, pack_region* region, uint32_t count, sup_error* error)
{
    bool       normals = pack->baking->pieces[region->piece].normals;
    sup_arena* arena = pack->bake->arena;
    if (!region->vectors) {
        sup_result result = make_vectors(pack, region, error);
        if (result != SUP_OK) return result;
    }
    for (; region->ready < count && region->ready < pack->frames; ++region->ready) {
        uint32_t k = region->ready;
        region->shapes[k] = SUP_NEW(arena, float, 3 * (size_t)region->count);
        region->turns[k] = normals ? SUP_NEW(arena, float, 3 * (size_t)region->count) : NULL;
        if (!region->shapes[k] || (normals && !region->turns[k])) return sup_fail_memory(error, "the components of a clip");
        shape_task task = { pack, region, pack->shifts, region->vectors + (size_t)k * pack->frames, region->shapes[k] };
        sup_tasks_run(pack->bake->desc.tasks, region->count, 256, project, &task);
        task.from = pack->turns;
        task.out = region->turns[k];
        if (normals) sup_tasks_run(pack->bake->desc.tasks, region->count, 256, project, &task);
    }
    return SUP_OK;
}

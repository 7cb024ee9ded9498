// Principal components of each region over the clip. The displacements of a region are a matrix, frames x coordinates; its
// products (frames x frames) have the components' courses over time as eigenvectors, and what the displacements have of each
// course is its shape. Normals follow with the share of the same courses, the best there is in least squares.
#include "base/internal.h"
#include "io/gltf/gltf_pack.h"
#include "math/eigen.h"

#include <string.h>

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

static sup_result make_vectors(gltf_pack* pack, pack_region* region, sup_error* error)
{
    uint32_t   n = pack->frames;
    sup_arena* arena = pack->bake->arena;
    double*    scratch = SUP_NEW(arena, double, sup_eigen_scratch(n));
    double*    vectors = SUP_NEW(arena, double, (size_t)n* n);
    region->values = SUP_NEW(arena, double, n);
    region->shapes = SUP_NEW(arena, float*, n);
    region->turns = SUP_NEW(arena, float*, n);
    if (!scratch || !vectors || !region->values || !region->shapes || !region->turns)
        return sup_fail_memory(error, "the components of a clip");
    if (!sup_eigen_symmetric(n, region->gram, region->values, vectors, scratch))
        return sup_fail(error, SUP_ERROR_INPUT, "the displacements of the clip have no components; leave the budget out");
    region->vectors = vectors;
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

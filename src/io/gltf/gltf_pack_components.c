// Shapes of components. The courses over time are orthonormal, so the projection of a region's displacements onto each is its
// shape, and their energies add up. Normals are projected onto the same courses, which is their best fit in least squares.
#include "base/internal.h"
#include "io/gltf/gltf_pack.h"

#include <math.h>
#include <string.h>

enum {
    TOGETHER = 4, // components computed in one pass over the frames: reading those is most of the work
    BLOCK = 128,  // vertices whose sums stay in the nearest cache meanwhile
};

typedef struct shape_task {
    const gltf_pack*   pack;
    const pack_region* region;
    const float*       from; // shifts or turns of all vertices
    uint32_t           first, count;
    float*             out[TOGETHER];
} shape_task;

// The values of a block of the region's vertices in frame f.
static const float* block_of(const shape_task* t, uint32_t f, uint32_t begin, uint32_t count, float* buffer)
{
    const pack_region* region = t->region;
    const float*       row = t->from + 3 * (f * t->pack->vertex_count + t->pack->first[region->piece]);
    if (region->count == t->pack->baking->pieces[region->piece].count) return row + 3 * (size_t)begin;
    for (uint32_t i = 0; i < count; ++i)
        memcpy(buffer + 3 * i, row + 3 * (size_t)region->vertices[begin + i], 3 * sizeof *buffer);
    return buffer;
}

// out[v] = sum over frames of course[f] x from[f][v]
static void project_block(const shape_task* t, uint32_t begin, uint32_t count)
{
    uint32_t frames = t->pack->frames, all = t->region->count;
    double   sums[TOGETHER][3 * BLOCK] = { 0 };
    float    buffer[3 * BLOCK];
    for (uint32_t f = 0; f < frames; ++f) {
        const float* values = block_of(t, f, begin, count, buffer);
        for (uint32_t k = 0; k < t->count; ++k) {
            double weight = t->region->vectors[(size_t)(t->first + k) * frames + f];
            for (uint32_t i = 0; i < 3 * count; ++i) sums[k][i] += weight * (double)values[i];
        }
    }
    for (uint32_t k = 0; k < t->count; ++k)
        for (uint32_t i = 0; i < count; ++i)
            for (uint32_t c = 0; c < 3; ++c)
                t->out[k][(size_t)c * all + gltf_pack_rank(t->region, begin + i)] = (float)sums[k][3 * i + c];
}

static void project(void* data, uint32_t begin, uint32_t end)
{
    const shape_task* t = data;
    for (uint32_t at = begin; at < end; at += BLOCK) project_block(t, at, end - at < BLOCK ? end - at : BLOCK);
}

static float peak_of(const float* values, size_t count)
{
    float most = 0;
    for (size_t i = 0; i < count; ++i) {
        float size = fabsf(values[i]);
        most = size > most ? size : most;
    }
    return most;
}

static void measure(const gltf_pack* pack, const pack_region* region, uint32_t k)
{
    pack_component* c = &region->components[k];
    size_t          numbers = 3 * (size_t)region->count;
    c->shape_peak = peak_of(c->shape, numbers);
    if (c->turn) c->turn_peak = peak_of(c->turn, numbers);
    for (uint32_t f = 0; f < pack->frames; ++f)
        c->course_peak = fmax(c->course_peak, fabs(region->vectors[(size_t)k * pack->frames + f]));
}

static sup_result make_some(gltf_pack* pack, pack_region* region, uint32_t count, sup_error* error)
{
    bool       normals = pack->baking->pieces[region->piece].normals;
    size_t     numbers = 3 * (size_t)region->count;
    shape_task shapes = { .pack = pack, .region = region, .from = pack->shifts, .first = region->ready, .count = count };
    shape_task turns = shapes;
    turns.from = pack->turns;
    for (uint32_t i = 0; i < count; ++i) {
        pack_component* c = &region->components[region->ready + i];
        c->shape = shapes.out[i] = SUP_NEW(pack->bake->arena, float, numbers);
        c->turn = turns.out[i] = normals ? SUP_NEW(pack->bake->arena, float, numbers) : NULL;
        if (!c->shape || (normals && !c->turn)) return sup_fail_memory(error, "the components of a clip");
    }
    sup_tasks_run(pack->bake->desc.tasks, region->count, BLOCK, project, &shapes);
    if (normals) sup_tasks_run(pack->bake->desc.tasks, region->count, BLOCK, project, &turns);
    for (uint32_t i = 0; i < count; ++i) measure(pack, region, region->ready++);
    return SUP_OK;
}

sup_result gltf_pack_shapes(gltf_pack* pack, pack_region* region, uint32_t count, sup_error* error)
{
    SUP_ASSERT(count <= region->courses);
    while (region->ready < count) {
        uint32_t   left = count - region->ready;
        sup_result result = make_some(pack, region, left < TOGETHER ? left : TOGETHER, error);
        if (result != SUP_OK) return result;
    }
    return SUP_OK;
}

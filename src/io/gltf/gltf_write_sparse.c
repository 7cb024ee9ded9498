// Targets of a bake as sparse accessors, where that is smaller. What is left out is zero, or so small that adding it in float
// gives the stored coordinates: the bits do not change.
//
// Sizes are known only when a frame has come, so the data waits in a spill file until the document is complete.
#include "base/internal.h"
#include "io/gltf/gltf_baking.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { JSON_BYTES = 260 }; // bytes of JSON for two more views and the sparse object

static bool alike(sup_vec3 a, sup_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// Zeroes displacements without effect, lists the others, and bounds them all. A viewer adds to what is stored; our own reader
// transforms both first (NULL: identity) and then adds. Neither may see a difference.
static uint32_t choose(sup_vec3* values, uint32_t count, const sup_vec3* from, const sup_affine* place, uint32_t* kept,
                       float bounds[6])
{
    uint32_t n = 0;
    for (int k = 0; k < 3; ++k) bounds[k] = INFINITY, bounds[3 + k] = -INFINITY;
    for (uint32_t v = 0; v < count; ++v) {
        bool same = alike(v3_add(from[v], values[v]), from[v]);
        if (same && place && !alike(values[v], v3(0, 0, 0))) {
            sup_vec3 placed = affine_point(place, from[v]);
            same = alike(v3_add(placed, affine_direction(place, values[v])), placed);
        }
        if (same) values[v] = v3(0, 0, 0);
        else kept[n++] = v;
        const float d[3] = { values[v].x, values[v].y, values[v].z };
        for (int k = 0; k < 3; ++k) {
            if (d[k] < bounds[k]) bounds[k] = d[k];
            if (d[k] > bounds[3 + k]) bounds[3 + k] = d[k];
        }
    }
    return n;
}

// The kept values and their indices, packed in place: both lists only shrink.
static sup_result write_sparse(gltf_baking* baking, sup_bake* bake, sup_json* accessor, sup_vec3* values, uint32_t kept,
                               uint32_t width, sup_error* error)
{
    gltf_edit* edit = &baking->edit;
    uint8_t*   numbers = (uint8_t*)baking->kept;
    uint32_t   view = 0;
    for (uint32_t i = 0; i < kept; ++i) {
        uint32_t v = baking->kept[i];
        values[i] = values[v];
        for (uint32_t b = 0; b < width; ++b) numbers[(size_t)i * width + b] = (uint8_t)(v >> (8 * b));
    }
    const gltf_spilled list = { .data = numbers, .count = kept, .stride = width, .list = true };
    const gltf_spilled vectors = { .data = values, .count = kept, .stride = sizeof *values };
    sup_json*          sparse = gltf_edit_object(edit, accessor, "sparse");
    gltf_edit_number(edit, sparse, "count", kept);
    sup_json*  indices = gltf_edit_object(edit, sparse, "indices");
    sup_result result = gltf_spill(baking, bake, &list, &view, error);
    gltf_edit_number(edit, indices, "bufferView", view);
    gltf_edit_number(edit, indices, "componentType", width == 1 ? GLTF_UBYTE : width == 2 ? GLTF_USHORT : GLTF_UINT);
    if (result == SUP_OK) result = gltf_spill(baking, bake, &vectors, &view, error);
    gltf_edit_number(edit, gltf_edit_object(edit, sparse, "values"), "bufferView", view);
    return result;
}

static sup_result write_values(gltf_baking* baking, sup_bake* bake, sup_json* accessor, sup_vec3* values, uint32_t count,
                               uint32_t kept, sup_error* error)
{
    uint32_t width = count <= 0x100 ? 1 : count <= 0x10000 ? 2 : 4;
    if (kept == 0) return SUP_OK; // an accessor without data is all zeros
    double sparse = (double)kept * (width + sizeof *values) + JSON_BYTES;
    return sparse < (double)count * sizeof *values ? write_sparse(baking, bake, accessor, values, kept, width, error)
                                                   : gltf_spill_vectors(baking, bake, accessor, values, count, error);
}

sup_result gltf_sparse_write(gltf_baking* baking, sup_bake* bake, const baked_piece* piece, size_t target, float bounds[6],
                             sup_error* error)
{
    const gltf_pull*  pull = &piece->part->pull;
    const sup_affine* place = &piece->part->part->place;
    uint32_t   kept = choose(baking->positions, piece->count, pull->positions + piece->begin, place, baking->kept, bounds);
    sup_result result = write_values(baking, bake, baking->accessors[target], baking->positions, piece->count, kept, error);
    if (result == SUP_OK && piece->normals) {
        float unused[6];
        kept = choose(baking->normals, piece->count, pull->normals + piece->begin, NULL, baking->kept, unused);
        result = write_values(baking, bake, baking->normal_accessors[target], baking->normals, piece->count, kept, error);
    }
    return result == SUP_OK && baking->edit.failed ? sup_fail_memory(error, "the targets of a bake") : result;
}

sup_result gltf_sparse_copy(gltf_baking* baking, sup_bake* bake, sup_error* error)
{
    enum { ROOM = 1 << 18 };
    uint64_t   size = sup_out_size(baking->spill);
    uint8_t*   buffer = sup_arena_alloc(bake->arena, ROOM, 1);
    sup_result result = buffer ? SUP_OK : sup_fail_memory(error, "the targets of a bake");
    for (uint64_t at = 0; at < size && result == SUP_OK; at += ROOM) {
        size_t bytes = size - at < ROOM ? (size_t)(size - at) : (size_t)ROOM;
        result = sup_out_read_at(baking->spill, at, buffer, bytes, error);
        if (result == SUP_OK) result = sup_out_write(baking->binary, buffer, bytes, error);
    }
    return result;
}

// EXT_meshopt_compression through libmeshoptimizer's C functions.
#include "io_extra/extra.h"

#include <meshoptimizer.h>
#include <stdlib.h>
#include <string.h>

static void unfilter(sup_meshopt_filter filter, uint8_t* out, uint32_t count, uint32_t stride)
{
    switch (filter) {
    case SUP_MESHOPT_OCTAHEDRAL: meshopt_decodeFilterOct(out, count, stride); break;
    case SUP_MESHOPT_QUATERNION: meshopt_decodeFilterQuat(out, count, stride); break;
    case SUP_MESHOPT_EXPONENTIAL: meshopt_decodeFilterExp(out, count, stride); break;
    case SUP_MESHOPT_NONE: break;
    }
}

// The library asserts the extension's rules for strides and counts; damaged files are rejected here.
static bool fits(sup_meshopt_mode mode, sup_meshopt_filter filter, uint32_t count, uint32_t stride)
{
    if (mode != SUP_MESHOPT_ATTRIBUTES)
        return (stride == 2 || stride == 4) && filter == SUP_MESHOPT_NONE && (mode == SUP_MESHOPT_INDICES || count % 3 == 0);
    if (stride == 0 || stride > 256 || stride % 4 != 0) return false;
    if (filter == SUP_MESHOPT_OCTAHEDRAL) return stride == 4 || stride == 8;
    return filter != SUP_MESHOPT_QUATERNION || stride == 8;
}

bool meshopt_decode(sup_meshopt_mode mode, sup_meshopt_filter filter, uint32_t count, uint32_t stride, sup_bytes packed,
                    uint8_t* out)
{
    if (!fits(mode, filter, count, stride)) return false;
    int result = -1;
    switch (mode) {
    case SUP_MESHOPT_ATTRIBUTES: result = meshopt_decodeVertexBuffer(out, count, stride, packed.data, packed.size); break;
    case SUP_MESHOPT_TRIANGLES: result = meshopt_decodeIndexBuffer(out, count, stride, packed.data, packed.size); break;
    case SUP_MESHOPT_INDICES: result = meshopt_decodeIndexSequence(out, count, stride, packed.data, packed.size); break;
    }
    if (result != 0) return false;
    unfilter(filter, out, count, stride);
    return true;
}

size_t meshopt_bound(uint32_t count, uint32_t stride) { return meshopt_encodeVertexBufferBound(count, stride); }

size_t meshopt_encode(uint32_t count, uint32_t stride, const void* data, uint8_t* out, size_t capacity)
{
    // Version 0 of the codec is the one the extension describes; newer libraries would write version 1 unless told.
    meshopt_encodeVertexVersion(0);
    return meshopt_encodeVertexBuffer(out, capacity, data, count, stride);
}

// An upper limit for both of the library's bounds, which depend on the number of vertices.
size_t meshopt_index_bound(uint32_t count) { return 6 * (size_t)count + 64; }

size_t meshopt_encode_indices(sup_meshopt_mode mode, uint32_t count, uint32_t stride, const void* data, uint8_t* out,
                              size_t capacity)
{
    unsigned* wide = malloc((size_t)count * sizeof *wide + 1);
    if (!wide) return 0;
    for (uint32_t i = 0; i < count; ++i) {
        uint16_t narrow;
        if (stride == 2) memcpy(&narrow, (const uint8_t*)data + 2 * (size_t)i, 2);
        if (stride == 2) wide[i] = narrow;
        else memcpy(&wide[i], (const uint8_t*)data + 4 * (size_t)i, 4);
    }
    meshopt_encodeIndexVersion(1);
    size_t size = mode == SUP_MESHOPT_TRIANGLES ? meshopt_encodeIndexBuffer(out, capacity, wide, count)
                                                : meshopt_encodeIndexSequence(out, capacity, wide, count);
    free(wide);
    return size;
}

bool meshopt_order(uint32_t count, uint32_t vertices, uint32_t* indices)
{
    unsigned* ordered = malloc((size_t)count * sizeof *ordered + 1);
    if (!ordered) return false;
    meshopt_optimizeVertexCacheStrip(ordered, indices, count, vertices);
    memcpy(indices, ordered, (size_t)count * sizeof *ordered);
    free(ordered);
    return true;
}

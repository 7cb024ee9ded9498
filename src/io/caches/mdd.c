// MDD, the vertex cache of LightWave that Blender, Maya and Modo read: big-endian throughout, times in seconds.
#include "io/points.h"

#include <math.h>
#include <string.h>

enum { HEAD = 8 }; // frames and points, then a float of time for each frame

static uint32_t big_word(const uint8_t* p) { return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]; }

sup_result mdd_points(sup_bytes bytes, sup_arena* arena, sup_points* out, sup_error* error)
{
    if (bytes.size < HEAD) return sup_fail(error, SUP_ERROR_INPUT, "this is not an MDD file: it is shorter than a header");
    uint32_t frames = big_word(bytes.data), points = big_word(bytes.data + 4);
    uint64_t offset = HEAD + 4 * (uint64_t)frames;
    if (offset > bytes.size) offset = bytes.size;
    sup_result result = points_check(bytes, (size_t)offset, frames, points, sizeof(float), error);
    if (result != SUP_OK) return result;
    double* times = SUP_NEW(arena, double, frames);
    if (!times) return sup_fail_memory(error, "the times of a cache");
    for (uint32_t i = 0; i < frames; ++i) {
        uint32_t bits = big_word(bytes.data + HEAD + 4 * (size_t)i);
        float    time;
        memcpy(&time, &bits, sizeof time);
        if (!isfinite(time))
            return sup_fail(error, SUP_ERROR_INPUT, "the time of frame %u is not a number; the file is damaged", i);
        times[i] = (double)time;
    }
    *out = (sup_points){ .frame_count = frames, .point_count = points, .times = times, .seconds = true };
    return points_take(bytes, (size_t)offset, arena, true, out, error);
}

static sup_result write_head(sup_bake* bake, sup_out_file* file, uint32_t vertex_count, sup_error* error)
{
    const uint32_t counts[] = { sup_swap32(bake->desc.frame_count), sup_swap32(vertex_count) };
    sup_result     result = sup_out_write(file, counts, sizeof counts, error);
    for (uint32_t i = 0; i < bake->desc.frame_count && result == SUP_OK; ++i) {
        float    time = (float)(bake->desc.start + i / bake->desc.fps);
        uint32_t bits;
        memcpy(&bits, &time, sizeof bits);
        bits = sup_swap32(bits);
        result = sup_out_write(file, &bits, sizeof bits, error);
    }
    return result;
}

static sup_result begin(sup_bake* bake, sup_error* error)
{
    static const cache_layout layout = { .swapped = true, .head = write_head };
    return cache_begin(bake, &layout, error);
}

const sup_file_format sup_format_mdd = {
    .name = "mdd",
    .summary = "MDD vertex cache: every frame's stored vertices",
    .endings = "mdd",
    .bake_begin = begin,
    .bake_frame = cache_frame,
    .bake_end = cache_end,
    .bake_files = true,
};

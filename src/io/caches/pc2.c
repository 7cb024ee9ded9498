// PC2, the point cache of 3ds Max that Blender, Houdini and Cinema 4D read: 32 bytes of header and raw little-endian floats.
#include "io/points.h"

#include <math.h>
#include <string.h>

typedef struct pc2_head {
    char     signature[12]; // "POINTCACHE2" with its 0
    uint32_t version;       // 1
    uint32_t points;
    float    start;  // frame of the first sample
    float    sample; // frames from sample to sample
    uint32_t samples;
} pc2_head;

_Static_assert(sizeof(pc2_head) == 32, "as the file has it");

sup_result pc2_points(sup_bytes bytes, sup_arena* arena, sup_points* out, sup_error* error)
{
    pc2_head head;
    if (bytes.size < sizeof head || memcmp(bytes.data, "POINTCACHE2", 12) != 0)
        return sup_fail(error, SUP_ERROR_INPUT, "this is not a PC2 file: it does not begin with POINTCACHE2");
    memcpy(&head, bytes.data, sizeof head);
    if (head.version != 1)
        return sup_fail(error, SUP_ERROR_INPUT, "PC2 of version %u is not known, only 1; save it again", head.version);
    if (!isfinite(head.start) || !isfinite(head.sample))
        return sup_fail(error, SUP_ERROR_INPUT, "the PC2's first frame or rate is not a number; the file is damaged");
    sup_result result = points_check(bytes, sizeof head, head.samples, head.points, sizeof(float), error);
    if (result != SUP_OK) return result;
    double* times = SUP_NEW(arena, double, head.samples);
    if (!times) return sup_fail_memory(error, "the times of a cache");
    for (uint32_t i = 0; i < head.samples; ++i) times[i] = (double)head.start + (double)head.sample * i;
    *out = (sup_points){ .frame_count = head.samples, .point_count = head.points, .times = times };
    return points_take(bytes, sizeof head, arena, false, out, error);
}

static sup_result write_head(sup_bake* bake, sup_out_file* file, uint32_t vertex_count, sup_error* error)
{
    const pc2_head head = { "POINTCACHE2",
                            .version = 1,
                            .points = vertex_count,
                            .start = (float)(bake->desc.start * bake->desc.fps),
                            .sample = 1,
                            .samples = bake->desc.frame_count };
    return sup_out_write(file, &head, sizeof head, error);
}

static sup_result begin(sup_bake* bake, sup_error* error)
{
    static const cache_layout layout = { .swapped = false, .head = write_head };
    return cache_begin(bake, &layout, error);
}

const sup_file_format sup_format_pc2 = {
    .name = "pc2",
    .summary = "PC2 point cache: every frame's stored vertices",
    .endings = "pc2",
    .bake_begin = begin,
    .bake_frame = cache_frame,
    .bake_end = cache_end,
    .bake_files = true,
};

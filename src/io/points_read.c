// Reads point caches: the part that all their formats share.
#include "io/points.h"

#include <string.h>

sup_result points_check(sup_bytes bytes, size_t offset, uint64_t frames, uint64_t points, size_t size, sup_error* error)
{
    if (points == 0 || frames == 0)
        return sup_fail(error, SUP_ERROR_INPUT, "the cache has %llu frames of %llu points; there is nothing to read",
                        (unsigned long long)frames, (unsigned long long)points);
    // Both fit 32 bits, so the product fits 64 and the division below cannot overflow.
    bool fits = frames < UINT32_MAX && points < UINT32_MAX && offset <= bytes.size &&
                frames * points <= (bytes.size - offset) / (3 * size);
    if (fits) return SUP_OK;
    return sup_fail(error, SUP_ERROR_INPUT,
                    "the cache announces %llu frames of %llu points but ends before that; the file is damaged or truncated",
                    (unsigned long long)frames, (unsigned long long)points);
}

sup_result points_take(sup_bytes bytes, size_t offset, sup_arena* arena, bool swapped, sup_points* out, sup_error* error)
{
    size_t         count = (size_t)out->frame_count * out->point_count;
    const uint8_t* from = bytes.data + offset;
    if (!swapped && (uintptr_t)from % _Alignof(sup_vec3) == 0) {
        out->points = (const sup_vec3*)(const void*)from;
        return SUP_OK;
    }
    uint32_t* words = sup_arena_alloc(arena, count, sizeof(sup_vec3));
    if (!words) return sup_fail_memory(error, "the points of a cache");
    memcpy(words, from, count * sizeof(sup_vec3));
    for (size_t i = 0; i < 3 * count && swapped; ++i) words[i] = sup_swap32(words[i]);
    out->points = (const sup_vec3*)(const void*)words;
    return SUP_OK;
}

static const struct {
    const char* ending;
    sup_result (*read)(sup_bytes bytes, sup_arena* arena, sup_points* out, sup_error* error);
} readers[] = { { "pc2", pc2_points }, { "mdd", mdd_points }, { "npy", npy_points } };

sup_result sup_points_parse(const char* path, sup_bytes bytes, sup_arena* arena, sup_points* out, sup_error* error)
{
    SUP_ASSERT(path && arena && out);
    for (size_t i = 0; i < SUP_COUNT_OF(readers); ++i) {
        if (!sup_path_ends_in(path, readers[i].ending)) continue;
        sup_points points = { 0 };
        sup_error  why = { 0 };
        sup_result result = readers[i].read(bytes, arena, &points, &why);
        if (result == SUP_OK) *out = points;
        return result == SUP_OK ? SUP_OK : sup_fail(error, result, "%s: %s", path, why.text);
    }
    return sup_fail(error, SUP_ERROR_INPUT, "'%s' is not a point cache; those end in .pc2, .mdd or .npy", path);
}

sup_result sup_points_read(const char* path, const sup_files* files, sup_arena* arena, sup_points* out, sup_error* error)
{
    SUP_ASSERT(path && arena && out);
    sup_bytes bytes;
    if (!files) files = sup_files_system();
    if (!files) return sup_fail(error, SUP_ERROR_FILE, "cannot read '%s': this program has no access to files", path);
    sup_result result = files->read(files->user, path, arena, &bytes, error);
    return result == SUP_OK ? sup_points_parse(path, bytes, arena, out, error) : result;
}

/// tests/fuzz/fuzz_points.h: reading hostile bytes as a point cache, with a bound on memory.
#ifndef SUP_TESTS_FUZZ_POINTS_H
#define SUP_TESTS_FUZZ_POINTS_H

#include "fuzz_read.h"

/// Reads the bytes by the path's ending and touches everything that was promised.
static void fuzz_points(const char* path, const uint8_t* data, size_t size)
{
    size_t        live = 0;
    sup_allocator memory = { fuzz_allocate, fuzz_release, &live };
    sup_arena*    arena = sup_arena_create(&memory);
    if (!arena) return;
    sup_points    points = { 0 };
    sup_error     error = { SUP_OK, "" };
    sup_result    result = sup_points_parse(path, (sup_bytes){ data, size }, arena, &points, &error);
    if (result != SUP_OK && (error.code != result || !error.text[0] || points.points)) abort();
    fuzz_good |= result == SUP_OK;
    if (result == SUP_OK) {
        size_t count = (size_t)points.frame_count * points.point_count;
        if (count == 0 || count * sizeof(sup_vec3) > 2 * size + FUZZ_BYTES_MAX) abort();
        sup_hash(SUP_HASH_START, points.points, count * sizeof(sup_vec3));
        if (points.times) sup_hash(SUP_HASH_START, points.times, points.frame_count * sizeof(double));
    }
    sup_arena_destroy(arena);
    if (live) abort();
}

#endif

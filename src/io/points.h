/// io/points.h: what readers and writers of the point caches pc2, mdd and npy share.
#ifndef SUP_IO_POINTS_H
#define SUP_IO_POINTS_H

#include "base/internal.h"
#include "io/bake.h"

// Readers. Each checks that the bytes hold what the header promises before it takes any memory for it.
sup_result pc2_points(sup_bytes bytes, sup_arena* arena, sup_points* out, sup_error* error);
sup_result mdd_points(sup_bytes bytes, sup_arena* arena, sup_points* out, sup_error* error);
sup_result npy_points(sup_bytes bytes, sup_arena* arena, sup_points* out, sup_error* error);

/// Fails unless `frames` x `points` vectors of `size` bytes each begin at `offset`. Trailing bytes are ignored.
sup_result points_check(sup_bytes bytes, size_t offset, uint64_t frames, uint64_t points, size_t size, sup_error* error);
/// Floats of the file as vectors: in place if they may stay, else a copy in this machine's byte order.
sup_result points_take(sup_bytes bytes, size_t offset, sup_arena* arena, bool swapped, sup_points* out, sup_error* error);

// Writing: one file for each mesh, with its stored vertices in the source's order.
typedef struct cache_layout {
    bool swapped; ///< floats are written big-endian
    sup_result (*head)(sup_bake* bake, sup_out_file* file, uint32_t vertex_count, sup_error* error);
} cache_layout;

sup_result cache_begin(sup_bake* bake, const cache_layout* layout, sup_error* error);
sup_result cache_frame(sup_bake* bake, const sup_bake_frame* frame, sup_error* error);
sup_result cache_end(sup_bake* bake, sup_error* error);

static inline uint32_t sup_swap32(uint32_t n) { return n >> 24 | (n >> 8 & 0xff00u) | (n << 8 & 0xff0000u) | n << 24; }

#endif

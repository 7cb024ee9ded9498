/// io_extra/extra.h: the parts that extra.c assembles.
#ifndef SUP_IO_EXTRA_EXTRA_H
#define SUP_IO_EXTRA_EXTRA_H

#include "supple/io_extra.h"

extern const sup_file_format sup_format_assimp;

bool   meshopt_decode(sup_meshopt_mode mode, sup_meshopt_filter filter, uint32_t count, uint32_t stride, sup_bytes packed,
                      uint8_t* out);
size_t meshopt_bound(uint32_t count, uint32_t stride);
size_t meshopt_encode(uint32_t count, uint32_t stride, const void* data, uint8_t* out, size_t capacity);
size_t meshopt_index_bound(uint32_t count);
bool   meshopt_order(uint32_t count, uint32_t vertices, uint32_t* indices);
size_t meshopt_encode_indices(sup_meshopt_mode mode, uint32_t count, uint32_t stride, const void* data, uint8_t* out,
                              size_t capacity);

#endif

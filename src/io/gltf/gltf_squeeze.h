/// io/gltf/gltf_squeeze.h: the vertex orders that packing a document uses.
#ifndef SUP_IO_GLTF_GLTF_SQUEEZE_H
#define SUP_IO_GLTF_GLTF_SQUEEZE_H

#include "io/gltf/gltf_pack.h"

/// A new order of a primitive's vertices.
typedef struct vertex_order {
    uint32_t        count;
    const uint32_t* old_of;
    const uint32_t* new_of;
} vertex_order;

/// By the triangles, whose indices (all below count) are reordered to pack well. NULL: out of memory.
vertex_order* gltf_order_make(sup_arena* arena, const sup_extra* extra, uint32_t* indices, uint32_t index_count,
                              uint32_t count);
/// For a list of vertices: which comes first, second, ... when sorted by their new numbers. NULL: out of memory.
uint32_t* gltf_order_list(const vertex_order* order, const uint32_t* list, uint32_t count, sup_arena* arena);

#endif

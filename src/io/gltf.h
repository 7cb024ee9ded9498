/// io/gltf.h: what the glTF reader keeps so that the writer can add to the file without changing the rest.
#ifndef SUP_IO_GLTF_H
#define SUP_IO_GLTF_H

#include "supple/io.h"
#include "supple/json.h"

/// character->source when source_format is "gltf". Lives in the character's arena.
typedef struct gltf_source {
    const sup_json*  root; ///< the whole document as read
    uint32_t         buffer_count;
    const sup_bytes* buffers; ///< the bytes of every buffer, wherever they came from (BIN chunk, data URI, file)
    uint32_t         image_count;
    const sup_bytes* images; ///< bytes of images that stand in files of their own, to go into a GLB; data NULL: not such a one
} gltf_source;

/// One accessor, resolved and checked against its buffer: every element it promises can be read.
typedef struct gltf_accessor {
    uint32_t       count;
    uint32_t       components;     ///< 1 to 16
    uint32_t       component_type; ///< 5120 byte, 5121 ubyte, 5122 short, 5123 ushort, 5125 uint, 5126 float
    bool           normalized;
    const uint8_t* data;   ///< first element; NULL: all zero (no bufferView)
    size_t         stride; ///< bytes from element to element
} gltf_accessor;

/// Looks accessor `index` up. The error names it and what is wrong (missing, beyond its buffer, unknown type, sparse).
sup_result gltf_accessor_find(const gltf_source* source, uint32_t index, const char* used_for, gltf_accessor* out, sup_error* error);
/// Component c of element i as a float (normalised integers scaled) or as an index.
float    gltf_accessor_float(const gltf_accessor* accessor, uint32_t i, uint32_t c);
uint32_t gltf_accessor_index(const gltf_accessor* accessor, uint32_t i, uint32_t c);

#endif

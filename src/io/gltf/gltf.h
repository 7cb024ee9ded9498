/// io/gltf/gltf.h: what the glTF reader keeps so that the writer can add to the file without changing the rest.
#ifndef SUP_IO_GLTF_GLTF_H
#define SUP_IO_GLTF_GLTF_H

#include "supple/io.h"
#include "supple/json.h"

/// The stored vertices of one primitive inside a part: [vertex_begin, vertex_begin + vertex_count) of the part's own, in the
/// order of its accessors.
typedef struct gltf_primitive {
    uint32_t primitive; ///< its index in the mesh, in which points and lines count too
    uint32_t vertex_begin, vertex_count;
} gltf_primitive;

/// Where a part of the character came from, to find what the file stores.
typedef struct gltf_part {
    uint32_t              node, mesh;
    uint32_t              skin; ///< SUP_NONE: it follows its node
    uint32_t              primitive_count;
    const gltf_primitive* primitives;
} gltf_part;

/// One accessor, resolved and checked against its buffer: every element it promises is readable.
typedef struct gltf_accessor {
    uint32_t       index; ///< its own, for messages
    uint32_t       count;
    uint32_t       components;     ///< 1 to 16
    uint32_t       component_type; ///< 5120 byte, 5121 ubyte, 5122 short, 5123 ushort, 5125 uint, 5126 float
    bool           normalized;
    const uint8_t* data;   ///< first element; NULL: all zero (no bufferView)
    size_t         stride; ///< bytes from element to element
} gltf_accessor;

/// character->source when source_format is one of the three below. Lives in the character's arena.
typedef struct gltf_source {
    const sup_json*  root; ///< the whole document as read
    uint32_t         buffer_count;
    const sup_bytes* buffers; ///< the bytes of every buffer, whatever their source (BIN chunk, data URI, file)
    uint32_t         image_count;
    const sup_bytes* images; ///< contents of images in separate files, to embed them in a GLB; data NULL: not one of those
    uint32_t         part_count;
    const gltf_part* parts; ///< one for each part of the character, in its order
    size_t           bytes; ///< of the file and everything it references
    double           unit;  ///< meters per unit of the file if that differs from the character's (gltf_given); 0: it does not

    // The document's arrays by index, and the accessors that reading has used (components 0: unused).
    uint32_t               view_count;
    const sup_json* const* views;
    uint32_t               accessor_count;
    const sup_json* const* accessor_values;
    gltf_accessor*         accessors;
} gltf_source;

/// How much of the file is still true of the character: "gltf": all of it; "gltf weights": all but its weights; "gltf surface":
/// its stored vertices and their appearance, under joints from elsewhere.
typedef enum gltf_kinship { GLTF_NONE, GLTF_SURFACE, GLTF_WEIGHTS, GLTF_WHOLE } gltf_kinship;

gltf_kinship gltf_kinship_of(const sup_character* character);
/// The source if there is any kinship, else NULL.
const gltf_source* gltf_source_of(const sup_character* character);

/// Looks up accessor `index`. The error names it and what is wrong (missing, beyond its buffer, unknown type). Sparse ones are
/// complete, their values filled in while reading; one that reading did not use is not available later.
sup_result gltf_accessor_find(const gltf_source* source, uint32_t index, const char* used_for, gltf_accessor* out,
                              sup_error* error);
/// Component c of element i as a float (normalized integers scaled) or as an index.
float    gltf_accessor_float(const gltf_accessor* accessor, uint32_t i, uint32_t c);
uint32_t gltf_accessor_index(const gltf_accessor* accessor, uint32_t i, uint32_t c);

/// A document that another reader made in memory (gltf_edit_*), to be read like a file. Everything lives in the arena of the
/// input, which moves into the character.
typedef struct gltf_given {
    const sup_json*    root;
    sup_bytes          binary; ///< of buffer 0
    bool               unit_assumed, up_assumed;
    double             unit; ///< meters per unit of the file that it was made from, which --unit overrides
    uint32_t           warning_count;
    const char* const* warnings;
} gltf_given;

/// Key in the extras of an animation that a bake wrote: an object with the chain, the clip and its span.
#define GLTF_BAKED "supple_bake"
bool gltf_is_baked(const sup_json* animation);

sup_result gltf_read(const sup_read_input* in, sup_character** out, sup_error* error);
/// The same for a document in memory. The input's bytes only count as the file's size; unit and up must be meters and y.
SUP_API sup_result gltf_read_given(const sup_read_input* in, const gltf_given* given, sup_character** out, sup_error* error);
sup_result gltf_bake_begin(sup_bake* bake, sup_error* error);
sup_result gltf_bake_frame(sup_bake* bake, const sup_bake_frame* frame, sup_error* error);
sup_result gltf_bake_end(sup_bake* bake, sup_error* error);

#endif

/// io/vat/vat.h: vertex animation textures: a bake as pictures that a vertex shader reads, in OpenVAT's convention.
#ifndef SUP_IO_VAT_VAT_H
#define SUP_IO_VAT_VAT_H

#include "io/bake.h"

/// The format for a description that requests textures: the path must be that of a GLB.
sup_result sup_vat_choose(const sup_bake_desc* desc, const sup_file_format** format, sup_error* error);

extern const sup_file_format sup_format_vat;

/// A picture written row by row from the top: 16-bit PNG or float EXR, uncompressed.
typedef struct vat_image {
    sup_out_file* file;
    uint32_t      width, height, row;
    bool          floats;
    uint32_t      adler[2];
    uint32_t      crc[256];
    uint8_t*      bytes; ///< of one row, with its framing
} vat_image;

sup_result vat_image_begin(vat_image* image, sup_arena* arena, sup_error* error);
/// width x 3 values from 0 to 1.
sup_result vat_image_put(vat_image* image, const float* values, sup_error* error);
/// Reads a row back from the file.
sup_result vat_image_get(const vat_image* image, uint32_t row, float* values, sup_error* error);

/// The mesh at rest without its skin and clips, with `uv` (two for each stored vertex) after its own texture coordinates. *set
/// becomes the number of that set.
sup_result gltf_vat_mesh(sup_bake* bake, const float* uv, sup_out_file* file, uint32_t* set, sup_error* error);

#endif

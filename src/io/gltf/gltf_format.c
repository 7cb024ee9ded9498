#include "base/parts.h"
#include "io/gltf/gltf.h"
#include "io/recognize.h"

const sup_file_format sup_format_gltf = {
    .name = "gltf",
    .summary = "glTF 2.0, as one file (glb, vrm) or as text with files beside it",
    .endings = "glb gltf vrm",
    .read = gltf_read,
    .recognize = gltf_recognize,
    .bake_begin = SUP_HAS_BAKES ? gltf_bake_begin : NULL,
    .bake_frame = SUP_HAS_BAKES ? gltf_bake_frame : NULL,
    .bake_end = SUP_HAS_BAKES ? gltf_bake_end : NULL,
    .bake_endings = "glb gltf",
};

#include "io/gltf/gltf.h"
#include "io/recognize.h"

const sup_file_format sup_format_gltf = {
    .name = "gltf",
    .summary = "glTF 2.0, as one file (glb, vrm) or as text with files beside it",
    .endings = "glb gltf vrm",
    .read = gltf_read,
    .recognize = gltf_recognize,
    .bake_begin = gltf_bake_begin,
    .bake_frame = gltf_bake_frame,
    .bake_end = gltf_bake_end,
    .bake_endings = "glb gltf",
};

#include "io/gltf.h"

const sup_file_format sup_format_gltf = {
    .name = "gltf",
    .summary = "glTF 2.0, as one file (glb) or as text with files beside it",
    .endings = "glb gltf",
    .read = gltf_read,
};

#include "io/usd/usda.h"

const sup_file_format sup_format_usda = {
    .name = "usda",
    .summary = "USD as text: meshes with time samples, or a skeleton if the chain only skins",
    .endings = "usda",
    .bake_begin = usda_bake_begin,
    .bake_frame = usda_bake_frame,
    .bake_end = usda_bake_end,
};

// The optional formats and codecs of this build.
#include "io_extra/extra.h"

static const sup_file_format* const formats[] = {
#ifdef SUPPLE_ASSIMP
    &sup_format_assimp,
#endif
    0, // C does not allow an empty array
};

static const sup_extra extra = {
    .format_count = sizeof formats / sizeof *formats - 1,
    .formats = formats,
#ifdef SUPPLE_MESHOPT
    .meshopt_decode = meshopt_decode,
    .meshopt_bound = meshopt_bound,
    .meshopt_encode = meshopt_encode,
    .meshopt_index_bound = meshopt_index_bound,
    .meshopt_order = meshopt_order,
    .meshopt_encode_indices = meshopt_encode_indices,
#endif
};

const sup_extra* sup_extra_get(void) { return &extra; }

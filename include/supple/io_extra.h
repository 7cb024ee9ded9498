/// supple/io_extra.h: formats that need other libraries, for native programs: FBX, COLLADA and the rest through assimp, meshopt
/// compression of glTF. Formats whose library the build lacks are absent.
#ifndef SUPPLE_IO_EXTRA_H
#define SUPPLE_IO_EXTRA_H

#include "supple/io.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Pass it in sup_load_options and sup_bake_desc. Never NULL; lives as long as the program.
SUP_API const sup_extra* sup_extra_get(void);

#ifdef __cplusplus
}
#endif
#endif

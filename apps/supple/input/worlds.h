/// worlds.h: the files that a world references.
#ifndef SUPPLE_APP_WORLDS_H
#define SUPPLE_APP_WORLDS_H

#include "supple/deformer.h"

/// Path of a file named in another one: relative to that one's folder. NULL: out of memory.
const char* path_beside(const char* beside, const char* name, sup_arena* arena);
/// Reads the meshes of the bodies in chain->world, which came from the file `path`, into chain->world_meshes. They live in the
/// arena. Returns an exit code and prints what is wrong.
int world_meshes_load(const char* path, sup_arena* arena, sup_chain_desc* chain);

#endif

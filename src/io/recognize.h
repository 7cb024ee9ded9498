/// io/recognize.h: recognizes files by their content. Each function belongs to a row of formats.def.
#ifndef SUP_IO_RECOGNIZE_H
#define SUP_IO_RECOGNIZE_H

#include "supple/io.h"

bool gltf_recognize(sup_bytes bytes);
bool obj_recognize(sup_bytes bytes);
bool ply_recognize(sup_bytes bytes);
bool medit_recognize(sup_bytes bytes);
bool bvh_recognize(sup_bytes bytes);

/// Why bytes that no format recognized cannot be a character at all, with the cure; NULL if they might be. packed: the format
/// that the name suggests may itself be an archive.
const char* sup_no_character(sup_bytes bytes, bool packed);

#endif

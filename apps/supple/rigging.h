/// rigging.h: --skeleton, --weights, --motion and --motion-map: what a character does not bring itself.
#ifndef SUPPLE_APP_RIGGING_H
#define SUPPLE_APP_RIGGING_H

#include "common.h"

/// Puts skeleton and motion on the character, which may become another one. Notes are printed unless `silent`.
int rigging_apply(const options* o, bool silent, sup_character** character);
/// inspect of a motion file. True: the path is one, and *code says how it went.
bool rigging_inspect(const options* o, const char* path, int* code);

#endif

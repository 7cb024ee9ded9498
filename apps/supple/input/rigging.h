/// rigging.h: --skeleton, --weights, --motion and --motion-map: what a character's file lacks.
#ifndef SUPPLE_APP_RIGGING_H
#define SUPPLE_APP_RIGGING_H

#include "common.h"
#include "supple/rig.h"

/// Puts skeleton and motion on the character, which may be replaced. Prints notes unless `silent`.
int rigging_apply(const options* o, bool silent, sup_character** character);
/// Which joint follows which in the captured motion of --motion, as text (prints nothing without one) and for --json (NULL
/// without one, or out of memory).
void      rigging_print_partners(const options* o, const sup_character* character);
sup_json* rigging_describe_partners(const options* o, const sup_character* character, sup_arena* arena);
/// inspect for a motion file. True: the path is one, and *code is the exit code.
bool rigging_inspect(const options* o, const char* path, int* code);

#endif

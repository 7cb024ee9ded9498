/// common.h: from flags to a character, a clip, a pose, a chain and workers. Every function prints what is wrong and returns an
/// exit code, EXIT_DONE on success.
#ifndef SUPPLE_APP_COMMON_H
#define SUPPLE_APP_COMMON_H

#include "commands/options.h"
#include "supple/deformer.h"
#include "supple/io.h"

/// Reads the character with --unit, --up and --map applied. Its own warnings are printed unless `silent`.
/// --subdivide, 0: not given.
int subdivide_levels(const options* o, uint32_t* out);
int character_load(const options* o, const char* path, bool silent, sup_character** out);
/// --clip, else the last clip that a bake wrote (but not for another bake), else the first; a note says so if there are
/// several. NULL with EXIT_DONE: the file has none and none was requested.
int clip_choose(const options* o, const sup_character* character, const sup_clip** out);
/// Notes that there is no joint with that name, and which was probably meant.
void note_no_joint(const sup_character* character, const char* name);
/// --pose on top of the file's rest pose.
int pose_read(const options* o, const sup_character* character, sup_arena* arena, sup_pose* out);
/// --deform, --set, --preset, --world and --step. Texts and trees live in the arena.
int chain_read(const options* o, sup_arena* arena, sup_chain_desc* out);
/// --threads. *out may be NULL (one thread).
int pool_make(const options* o, sup_pool** out);

/// Prints the error and returns its exit code (128 + signal for cancelled work).
int fail_with(const sup_error* error);
/// The same for the program's own allocations.
int fail_memory(void);

#endif

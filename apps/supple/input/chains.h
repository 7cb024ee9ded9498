/// chains.h: the chains that compare, check and render run: those of --deform and --preset, or every deformer that fits.
#ifndef SUPPLE_APP_CHAINS_H
#define SUPPLE_APP_CHAINS_H

#include "commands/progress.h"
#include "common.h"

typedef struct chain_list {
    uint32_t        count;
    sup_chain_desc* descs;
    bool            chosen; ///< requested; otherwise made from the registry, and those that cannot be bound are left out
} chain_list;

/// Each --deform is one chain, a --preset one more. Without either: every deformer whose needs the character meets.
/// clip: the motion, NULL for held poses.
int chain_list_read(const options* o, const sup_character* character, const sup_clip* clip, sup_arena* arena, chain_list* out);
/// Gives the settings of `flags` to those chains of the list that have the link they name.
int chain_share_settings(const sup_chain_desc* flags, chain_list* list, sup_arena* arena);
/// Binds one of them. *out is NULL with EXIT_DONE if it was not requested and cannot be bound; a note says why. The same,
/// without a note, if it would change nothing here.
int chain_bind(const options* o, const chain_list* list, uint32_t index, const sup_character* character, const sup_clip* clip,
               const sup_tasks* tasks, progress* bar, sup_chain** out);

/// Prints what its links noted while they were bound.
void chain_report_notes(const sup_chain* chain, progress* bar);
/// Warns if the chain lost points, because the result then is not what was requested.
void chain_report_lost(const char* chain, const sup_stats* stats);

#endif

/// checkpoint.h: a bake that can resume where it was stopped. While it runs, OUTPUT.checkpoint beside the output holds the
/// points of every frame so far and, at intervals, the state that the next frame follows from. Little-endian, no pointers: any
/// machine resumes to the same bits.
#ifndef SUPPLE_APP_CHECKPOINT_H
#define SUPPLE_APP_CHECKPOINT_H

#include "options.h"
#include "supple/deformer.h"

#include <stdio.h>

/// What a bake must have in common with the one that wrote the file.
typedef struct checkpoint_key {
    uint64_t flags, inputs;
    uint32_t frames, points;
} checkpoint_key;

typedef struct checkpoint {
    char           path[4096];
    const char*    command; ///< for messages about another bake
    checkpoint_key key;
    bool           restart; ///< discard a file of another bake
    double         every;   ///< seconds
    double         saved;   ///< time of the last save
    FILE*          file;    ///< NULL: not yet open
    uint8_t*       state;   ///< buffer for one state
    size_t         state_size;
    uint64_t       sequence, hash; ///< number of saves; hash of the frames in the file
    uint32_t       resumed;        ///< frames found in the file
    uint32_t       done;           ///< frames that are in the file
    bool           found;          ///< there was a state to resume from
} checkpoint;

/// Reads --checkpoint and --restart; `every` is 0 without them. EXIT_USAGE after a message.
int checkpoint_flags(const options* o, const char* output, checkpoint* out);
/// Computes the key: flags without paths, and the bytes of all files read. Call after everything was read.
void checkpoint_identify(const options* o, checkpoint* c);
/// Resumes what an earlier run left: `resumed` frames, the state, the counters. Uses the arena's memory.
sup_result checkpoint_open(checkpoint* c, sup_instance* instance, sup_stats* stats, sup_arena* arena, sup_error* error);
/// Reads a frame found in the file.
sup_result checkpoint_read(checkpoint* c, uint32_t frame, sup_vec3* points, sup_error* error);
/// Appends a new frame.
sup_result checkpoint_write(checkpoint* c, uint32_t frame, const sup_vec3* points, sup_error* error);
/// Saves the state if it is time, or if `now`.
sup_result checkpoint_save(checkpoint* c, const sup_instance* instance, const sup_stats* stats, bool now, sup_error* error);
/// Ends the checkpoint: removes it if the bake is finished, else leaves it for the next run.
void checkpoint_close(checkpoint* c, bool finished);

#endif

/// checkpoint.h: a bake that can go on where it was stopped. Beside the output lies OUTPUT.checkpoint while it runs: the points
/// of every frame so far and, every so many seconds, the state that the next one follows from. Little-endian, no pointers: any
/// machine goes on to the same bits.
#ifndef SUPPLE_APP_CHECKPOINT_H
#define SUPPLE_APP_CHECKPOINT_H

#include "options.h"
#include "supple/deformer.h"

#include <stdio.h>

/// What a bake must have in common with the one that left the file.
typedef struct checkpoint_key {
    uint64_t flags, inputs;
    uint32_t frames, points;
} checkpoint_key;

typedef struct checkpoint {
    char           path[4096];
    const char*    command; ///< for messages of others
    checkpoint_key key;
    bool           restart; ///< a file of another bake is dropped
    double         every;   ///< seconds
    double         saved;   ///< when it was saved last
    FILE*          file;    ///< NULL: not yet open
    uint8_t*       state;   ///< room for one
    size_t         state_size;
    uint64_t       sequence, hash; ///< of saves; of the frames in the file
    uint32_t       resumed;        ///< frames that were found
    uint32_t       done;           ///< frames that are in the file
    bool           found;          ///< there was a state to go on from
} checkpoint;

/// --checkpoint and --restart; `every` is 0 where there is none. EXIT_USAGE after a message.
int checkpoint_flags(const options* o, const char* output, checkpoint* out);
/// What decides the bits: flags without paths, and the bytes of what was read. After all was read.
void checkpoint_identify(const options* o, checkpoint* c);
/// Takes up what an earlier run has left: `resumed` frames, the state, the counts. Memory is the arena's.
sup_result checkpoint_open(checkpoint* c, sup_instance* instance, sup_stats* stats, sup_arena* arena, sup_error* error);
/// A frame that was found.
sup_result checkpoint_read(checkpoint* c, uint32_t frame, sup_vec3* points, sup_error* error);
/// A frame that was made.
sup_result checkpoint_write(checkpoint* c, uint32_t frame, const sup_vec3* points, sup_error* error);
/// The state has moved on: it is saved when it is time, or `now`.
sup_result checkpoint_save(checkpoint* c, const sup_instance* instance, const sup_stats* stats, bool now, sup_error* error);
/// The bake is finished: nothing stays. Not: the file stays for the next run.
void checkpoint_close(checkpoint* c, bool finished);

#endif

/// farm_store.h: the folder _farm beside the outputs, which all runs on them share:
///
///   records/NAME.json   how a job ended; written under another name, then renamed
///   logs/NAME.log       what its bake printed
///   pictures/NAME.png   its worst frame
///   runs/ID             the card of a live run: who it is, and a heartbeat
///   claims/NAME         a job that a run is working on: a hard link to its card, so that claiming is one step, which fails
///                       when another run was faster, and the claim always says whose it is
#ifndef SUPPLE_APP_FARM_STORE_H
#define SUPPLE_APP_FARM_STORE_H

#include "farm.h"

#include <stdio.h>

enum { STORE_RUNS_MAX = 4096 };

/// Another run, as its card was when last read.
typedef struct other_run {
    char     id[20];
    uint64_t beat;
    double   since; ///< by our own clock: clocks of machines differ
} other_run;

typedef struct farm_store {
    const farm* f;
    char        id[20];
    char        path[4096]; ///< of our own card
    char        host[400];
    FILE*       file;
    uint64_t    beat;
    double      beaten;
    uint32_t    other_count;
    other_run*  others;
} farm_store;

/// Makes the folders. EXIT_FAILED after a message.
int  store_open(farm_store* s, const farm* f);
void store_close(farm_store* s);
/// Updates the heartbeat, no more often than needed.
void store_beat(farm_store* s);

typedef enum store_claimed { CLAIM_OURS, CLAIM_TAKEN, CLAIM_REFUSED } store_claimed;
/// Claims the job, if necessary from a dead run. Refused: the folder cannot be written to (already reported).
store_claimed store_claim(farm_store* s, const farm_job* job);
/// Removes the claim of a run that died between finishing the job and releasing it.
void store_free(farm_store* s, const farm_job* job);
void store_release(const farm_store* s, const farm_job* job);
/// Whether any run has claimed it.
bool store_is_claimed(const farm_store* s, const farm_job* job);

/// The record of a job, in the arena, and a hash of its text. NULL: none is readable.
const sup_json* store_record(const farm* f, const farm_job* job, sup_arena* arena, uint64_t* mark);
bool            store_write_record(const farm_store* s, const farm_job* job, const sup_json* record);
/// "HOME/FOLDER/NAME.ENDING".
void store_path(const farm* f, const char* folder, const farm_job* job, const char* ending, char* out, size_t size);
/// A whole file, malloc'ed and 0-terminated. NULL: unreadable.
char* store_read(const char* path, size_t* size);
/// Removes what a killed bake left beside its output.
void store_sweep(const farm_job* job);

#endif

/// farm_pool.h: commands of the program, each in a process of its own, some at a time.
#ifndef SUPPLE_APP_FARM_POOL_H
#define SUPPLE_APP_FARM_POOL_H

#include "farm.h"

typedef struct pool_task {
    uint32_t     word_count;
    const char** words;
    const char*  log;   ///< file that its messages are added to; NULL: nowhere
    bool         track; ///< what it read comes behind what it said (POOL_INPUTS)
    void*        user;
} pool_task;

/// Between what a task prints and the files that it read, a line each: hash and path.
#define POOL_INPUTS "\n== inputs ==\n"

typedef struct pool_ended {
    const pool_task* task;
    int              code, signal; ///< as of process_end
    bool             late;         ///< it was killed for its time
    bool             stopped;      ///< because all of them are
    double           seconds, cpu, memory;
    char*            said; ///< its standard output, 0 behind it
} pool_ended;

typedef struct pool_hooks {
    void* user;
    /// The next task. False: none can begin now.
    bool (*next)(void* user, pool_task* out);
    void (*ended)(void* user, const pool_ended* ended);
    /// Between tasks, several times a second. False: no more will come.
    bool (*turn)(void* user, uint32_t running);
} pool_hooks;

/// Until no more come. EXIT_DONE, 128 + signal when the user stopped it, EXIT_FAILED after a message.
int pool_run(const farm* f, const pool_hooks* hooks);

#endif

/// farm_pool.h: runs commands of the program, each in a process of its own, several at a time.
#ifndef SUPPLE_APP_FARM_POOL_H
#define SUPPLE_APP_FARM_POOL_H

#include "farm.h"

typedef struct pool_task {
    uint32_t     word_count;
    const char** words;
    const char*  log;   ///< file that its messages are appended to; NULL: none
    bool         track; ///< append the list of files it read to its output (POOL_INPUTS)
    void*        user;
} pool_task;

/// Separates a task's output from the files that it read, one line each: hash and path.
#define POOL_INPUTS "\n== inputs ==\n"

typedef struct pool_ended {
    const pool_task* task;
    int              code, signal; ///< as of process_end
    bool             late;         ///< killed for exceeding its time
    bool             stopped;      ///< because all are being stopped
    double           seconds, cpu, memory;
    char*            said; ///< its standard output, 0-terminated
} pool_ended;

typedef struct pool_hooks {
    void* user;
    /// Gets the next task. False: none can begin now.
    bool (*next)(void* user, pool_task* out);
    void (*ended)(void* user, const pool_ended* ended);
    /// Called between tasks, several times a second. False: no more tasks will come.
    bool (*turn)(void* user, uint32_t running);
} pool_hooks;

/// Runs until no more come. EXIT_DONE, 128 + signal if the user stopped it, EXIT_FAILED after a message.
int pool_run(const farm* f, const pool_hooks* hooks);

#endif

/// system/process.h: workers, copies of this process for tasks that may crash or hang. A worker runs one task after another,
/// because creating a process takes longer than a tiny task; one that has failed, or has grown, is not reused. process.c is for
/// POSIX; on Windows (process_windows.c) none can be started.
#ifndef SUPPLE_PROCESS_H
#define SUPPLE_PROCESS_H

#include "system/system.h"

typedef struct process_desc {
    /// A task, run in the worker; its result is the exit code. The message is what process_send was given.
    int (*work)(const void* message, size_t size);
    FILE*  out;       ///< receives the worker's standard output
    double bytes_max; ///< of its memory; 0: no limit
} process_desc;

/// Zero-initialize.
typedef struct process_worker {
    long child;    ///< 0: none
    int  to, from; ///< ends of pipes
} process_worker;

typedef struct process_end {
    uint32_t worker;
    int      code;   ///< the task's exit code; -1: the worker died
    int      signal; ///< the signal that killed it; 0: none
    double   cpu;    ///< duration of the task in seconds
    double   memory; ///< the worker's peak memory in bytes
} process_end;

/// Whether workers can be started. ENOSYS: not on this system.
int process_prepare(void);
/// Forks this process, which must have a single thread, as workers[index]. The worker is killed when this process ends, however
/// it ends.
int process_start(const process_desc* desc, process_worker* workers, uint32_t count, uint32_t index);
/// Sends it a task.
int process_send(const process_worker* worker, const void* message, size_t size);
/// Waits until a task ends, for at most `seconds` or until a signal arrives. False: none ended. The worker may have died.
bool process_wait(process_worker* workers, uint32_t count, double seconds, process_end* out);
/// Stops a worker's task and everything it started, by killing it or by asking it to stop.
void process_kill(const process_worker* worker, bool at_once);
/// Ends an idle worker.
void process_dismiss(process_worker* worker);
/// In a worker: appends messages for people to this file from now on. NULL: discards them.
void process_log(const char* path);

/// Identifies this system: a name that no other machine (or container with its own processes) has.
void process_host(char* out, size_t size);
/// When a process of this machine began, in a unit of the system; 0: no such process.
uint64_t process_born(long process);

#endif

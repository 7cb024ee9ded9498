/// system/process.h: workers, copies of this process for tasks that may crash or hang. One does task after task, since making a
/// process costs more than a tiny task does; one that has failed, or has grown, is not used again. process.c is for POSIX; on
/// Windows (process_windows.c) none can be started.
#ifndef SUPPLE_PROCESS_H
#define SUPPLE_PROCESS_H

#include "system/system.h"

typedef struct process_desc {
    /// A task in the worker; its answer is the exit code. The message is what process_send was given.
    int (*work)(const void* message, size_t size);
    FILE*  out;       ///< takes the worker's standard output
    double bytes_max; ///< of its memory; 0: no limit
} process_desc;

/// Begin with zeros.
typedef struct process_worker {
    long child;    ///< 0: there is none
    int  to, from; ///< ends of pipes
} process_worker;

typedef struct process_end {
    uint32_t worker;
    int      code;   ///< the task's answer; -1: the worker died
    int      signal; ///< that it died of; 0: none
    double   cpu;    ///< seconds of the task
    double   memory; ///< bytes, the highest mark of the worker
} process_end;

/// Whether there can be any. ENOSYS: not on this system.
int process_prepare(void);
/// A copy of this process, which must have one thread, as workers[index]. It is killed when this process ends in any way.
int process_start(const process_desc* desc, process_worker* workers, uint32_t count, uint32_t index);
/// Gives it a task.
int process_send(const process_worker* worker, const void* message, size_t size);
/// Waits for the end of a task, for `seconds` at most or until a signal comes. False: none ended. The worker may be gone then.
bool process_wait(process_worker* workers, uint32_t count, double seconds, process_end* out);
/// Ends a worker's task and all that it started, at once or by asking it to.
void process_kill(const process_worker* worker, bool at_once);
/// Lets an idle worker go.
void process_dismiss(process_worker* worker);
/// In a worker: from here on messages for people are added to this file. NULL: they go nowhere.
void process_log(const char* path);

/// Who runs here: a name that no other machine (or container with processes of its own) has.
void process_host(char* out, size_t size);
/// When a process of this machine began, in a unit of the system's; 0: there is no such process.
uint64_t process_born(long process);

#endif

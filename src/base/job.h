// One job that several threads take pieces of. How workers sleep and wake is up to the pool: POSIX threads natively (pool.c),
// the host's workers in WebAssembly (pool_workers.c).
//
// Pieces are taken from an atomic counter, so a slow core never holds the others up. Which thread takes which piece is unknown,
// so tasks must not depend on it. Nobody waits for a late worker: it finds the gate closed.
#ifndef SUP_BASE_JOB_H
#define SUP_BASE_JOB_H

#include "supple/base.h"

#include <stdatomic.h>

// The gate: the number of the job in the upper half, whether it can be entered, and how many workers are inside.
#define GATE_OPEN 0x80000000ull
#define GATE_INSIDE 0x0000ffffull

typedef struct job {
    atomic_flag           taken; // by a caller
    atomic_uint_least64_t gate;

    // Written by the caller while the gate is closed and nobody is inside.
    sup_task_fn*          task;
    void*                 data;
    uint32_t              count, grain;
    atomic_uint_least64_t next; // first item that nobody has taken
} job;

// Whether there is a job to enter that is newer than the last one seen.
static inline bool job_waits(job* j, uint64_t seen)
{
    uint64_t gate = atomic_load(&j->gate);
    return (gate & GATE_OPEN) && gate >> 32 != seen;
}

static inline bool job_is_closed(job* j, uint64_t seen)
{
    uint64_t gate = atomic_load(&j->gate);
    return !(gate & GATE_OPEN) || gate >> 32 != seen;
}

static inline bool job_is_empty(job* j) { return (atomic_load(&j->gate) & GATE_INSIDE) == 0; }

static inline void job_take_pieces(job* j)
{
    for (;;) {
        uint64_t begin = atomic_fetch_add_explicit(&j->next, j->grain, memory_order_relaxed);
        if (begin >= j->count) return;
        uint64_t end = begin + j->grain < j->count ? begin + j->grain : j->count;
        j->task(j->data, (uint32_t)begin, (uint32_t)end);
    }
}

// A worker enters, if the gate is still open, and remembers which job it has seen.
static inline bool job_enter(job* j, uint64_t* seen)
{
    uint64_t gate = atomic_load(&j->gate);
    bool     inside = false;
    while (!inside && (gate & GATE_OPEN)) inside = atomic_compare_exchange_weak(&j->gate, &gate, gate + 1);
    if (inside) *seen = gate >> 32;
    return inside;
}

// True for the last worker out of a closed job; the caller may be waiting for it.
static inline bool job_leave(job* j)
{
    uint64_t gate = atomic_fetch_sub(&j->gate, 1) - 1;
    return !(gate & GATE_OPEN) && (gate & GATE_INSIDE) == 0;
}

// The caller's side: open the gate, work too, close it, wait until everybody has left, hand the job back. False: another caller
// has the job, or a task asks for more threads from within; then the caller does all the work alone, so there is never a
// deadlock.
static inline bool job_open(job* j, uint32_t count, uint32_t grain, sup_task_fn* task, void* data)
{
    if (atomic_flag_test_and_set_explicit(&j->taken, memory_order_acquire)) return false;
    j->task = task;
    j->data = data;
    j->count = count;
    j->grain = grain;
    atomic_store_explicit(&j->next, 0, memory_order_relaxed);
    atomic_store(&j->gate, ((atomic_load(&j->gate) >> 32) + 1) << 32 | GATE_OPEN);
    return true;
}

static inline void job_close(job* j) { atomic_fetch_and(&j->gate, ~GATE_OPEN); }
static inline void job_give_back(job* j) { atomic_flag_clear_explicit(&j->taken, memory_order_release); }

#endif

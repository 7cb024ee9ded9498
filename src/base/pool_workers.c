// The pool in WebAssembly, where a module cannot start threads: the host starts workers, each instantiates the module on the
// same memory with a stack of its own and calls supple_serve. Only the module with shared memory is linked with this file.
//
// Workers sleep between jobs. The caller spins for the last piece: it may be a page's main thread, which must not sleep. Any
// other caller sleeps after a while, or it would take the core from the worker it waits for.
#include "base/internal.h"
#include "base/job.h"

#include <stdlib.h>

// Spinning for about 50 us before sleeping: waking a worker takes that long.
enum { SPINS = 20000 };

struct sup_pool {
    sup_tasks   tasks;
    job         job;
    atomic_uint sleepers;
    atomic_uint present; // workers that have not left for good
    atomic_bool quit;
    bool        main_thread; // the caller must not sleep
};

static bool has_work(sup_pool* pool, uint64_t seen) { return job_waits(&pool->job, seen) || atomic_load(&pool->quit); }

static void wake(sup_pool* pool)
{
    if (atomic_load(&pool->sleepers) > 0) __builtin_wasm_memory_atomic_notify((int*)(void*)&pool->job.gate, ~0u);
}

static void sleep_while(sup_pool* pool, uint64_t gate)
{
    __builtin_wasm_memory_atomic_wait64((long long*)(void*)&pool->job.gate, (long long)gate, -1);
}

// A sleeper counts itself before the instruction compares the gate, and the caller opens the gate before it checks for
// sleepers: one of them sees the other.
static void wait_for_work(sup_pool* pool, uint64_t seen)
{
    for (int i = 0; i < SPINS; ++i)
        if (has_work(pool, seen)) return;
    atomic_fetch_add(&pool->sleepers, 1);
    for (;;) {
        uint64_t gate = atomic_load(&pool->job.gate);
        if (has_work(pool, seen)) break;
        sleep_while(pool, gate);
    }
    atomic_fetch_sub(&pool->sleepers, 1);
}

void __attribute__((export_name("supple_on_main_thread"))) sup_pool_on_main_thread(sup_pool* pool);
void sup_pool_on_main_thread(sup_pool* pool) { pool->main_thread = true; }

// A worker's whole life. It returns when the pool is destroyed.
void __attribute__((export_name("supple_serve"))) sup_pool_serve(sup_pool* pool);
void sup_pool_serve(sup_pool* pool)
{
    atomic_fetch_add(&pool->present, 1);
    for (uint64_t seen = 0;;) {
        wait_for_work(pool, seen);
        if (atomic_load(&pool->quit)) break;
        if (!job_enter(&pool->job, &seen)) continue;
        job_take_pieces(&pool->job);
        if (job_leave(&pool->job)) wake(pool);
    }
    atomic_fetch_sub(&pool->present, 1);
}

static void wait_for_the_last(sup_pool* pool)
{
    for (int i = 0; i < SPINS || pool->main_thread; i += !pool->main_thread)
        if (job_is_empty(&pool->job)) return;
    atomic_fetch_add(&pool->sleepers, 1);
    for (uint64_t gate; (gate = atomic_load(&pool->job.gate)) & GATE_INSIDE;) sleep_while(pool, gate);
    atomic_fetch_sub(&pool->sleepers, 1);
}

static void run(void* user, uint32_t count, uint32_t grain, sup_task_fn* task, void* data)
{
    sup_pool* pool = user;
    if (!job_open(&pool->job, count, grain, task, data)) {
        sup_tasks_run(NULL, count, grain, task, data);
        return;
    }
    wake(pool);
    job_take_pieces(&pool->job);
    job_close(&pool->job);
    wait_for_the_last(pool);
    job_give_back(&pool->job);
}

sup_pool* sup_pool_create(uint32_t threads)
{
    sup_pool* pool = calloc(1, sizeof *pool);
    if (!pool) return NULL;
    pool->tasks = (sup_tasks){ run, pool, threads ? threads : 1 };
    atomic_flag_clear(&pool->job.taken);
    return pool;
}

void sup_pool_destroy(sup_pool* pool)
{
    if (!pool) return;
    atomic_store(&pool->quit, true);
    // Changes the number in the gate, so that a worker that is about to sleep does not.
    atomic_fetch_add(&pool->job.gate, 1ull << 32);
    __builtin_wasm_memory_atomic_notify((int*)(void*)&pool->job.gate, ~0u);
    while (atomic_load(&pool->present) > 0) continue;
    free(pool);
}

const sup_tasks* sup_pool_tasks(sup_pool* pool) { return pool ? &pool->tasks : NULL; }

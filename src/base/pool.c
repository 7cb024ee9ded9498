// A pool of POSIX threads that share one job (job.h).
//
// Jobs of 50 us must gain from two threads, and waking a thread takes that long. So workers spin for a little while before they
// sleep.
#include "base/internal.h"
#include "base/job.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#if !defined(_WIN32)
#include <unistd.h>
#endif

enum { THREADS_MAX = 256, SPIN_NANOSECONDS = 50000 };

struct sup_pool {
    sup_tasks tasks;
    uint32_t  started; // threads beside the caller
    bool      spin;    // there is a core for every thread

    job         job;
    atomic_uint sleepers; // workers that wait for `work`
    atomic_bool quit;

    pthread_mutex_t lock;
    pthread_cond_t  work; // the gate opens, or the end
    pthread_cond_t  idle; // the last worker has left a closed job
    pthread_t       threads[THREADS_MAX];
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool has_work(sup_pool* pool, uint64_t seen) { return job_waits(&pool->job, seen) || atomic_load(&pool->quit); }
static bool is_closed(sup_pool* pool, uint64_t seen) { return job_is_closed(&pool->job, seen); }

static bool is_empty(sup_pool* pool, uint64_t seen)
{
    (void)seen;
    return job_is_empty(&pool->job);
}

typedef bool condition(sup_pool* pool, uint64_t seen);

// Spins for about one microsecond.
static bool look_out(sup_pool* pool, condition* holds, uint64_t seen)
{
    for (int i = 0; i < 64; ++i) {
        if (holds(pool, seen)) return true;
        relax();
    }
    return false;
}

// Spins on the condition for a little while. False: time to sleep. The thread we wait for may be on this very core: `yielding`
// lets it run.
static bool spin_until(sup_pool* pool, condition* holds, uint64_t seen, bool yielding)
{
    if (!pool->spin) return holds(pool, seen);
    for (int64_t end = nanoseconds() + SPIN_NANOSECONDS;;) {
        if (look_out(pool, holds, seen)) return true;
        if (nanoseconds() > end) return false;
        if (yielding) sched_yield();
    }
}

// Waits for a job newer than the last one seen. The worker counts itself as a sleeper before it checks the gate once more, and
// the caller opens the gate before it checks for sleepers: one of them sees the other.
static void wait_for_work(sup_pool* pool, uint64_t seen)
{
    if (spin_until(pool, has_work, seen, false)) return;
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleepers, 1);
    while (!has_work(pool, seen)) pthread_cond_wait(&pool->work, &pool->lock);
    atomic_fetch_sub(&pool->sleepers, 1);
    pthread_mutex_unlock(&pool->lock);
}

static void* worker(void* user)
{
    sup_pool* pool = user;
    uint64_t  seen = 0;
    for (;;) {
        wait_for_work(pool, seen);
        if (atomic_load(&pool->quit)) return NULL;
        if (!job_enter(&pool->job, &seen)) continue;
        job_take_pieces(&pool->job);
        if (job_leave(&pool->job)) {
            pthread_mutex_lock(&pool->lock);
            pthread_cond_signal(&pool->idle);
            pthread_mutex_unlock(&pool->lock);
        }
        // No work is left, and yet the caller does not come: it may be queued behind this thread on the same core.
        if (!look_out(pool, is_closed, seen)) sched_yield();
    }
}

static void wake(sup_pool* pool, uint32_t wanted)
{
    uint32_t sleepers = atomic_load(&pool->sleepers);
    if (sleepers == 0) return;
    pthread_mutex_lock(&pool->lock);
    if (wanted >= sleepers) pthread_cond_broadcast(&pool->work);
    else
        while (wanted--) pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->lock);
}

static void run(void* user, uint32_t count, uint32_t grain, sup_task_fn* task, void* data)
{
    sup_pool* pool = user;
    if (!job_open(&pool->job, count, grain, task, data)) {
        sup_tasks_run(NULL, count, grain, task, data);
        return;
    }
    wake(pool, (count - 1) / grain);
    job_take_pieces(&pool->job);
    job_close(&pool->job);
    if (!spin_until(pool, is_empty, 0, true)) {
        pthread_mutex_lock(&pool->lock);
        while (!job_is_empty(&pool->job)) pthread_cond_wait(&pool->idle, &pool->lock);
        pthread_mutex_unlock(&pool->lock);
    }
    job_give_back(&pool->job);
}

static long core_count(void)
{
#if defined(_WIN32)
    return pthread_num_processors_np();
#else
    return sysconf(_SC_NPROCESSORS_ONLN);
#endif
}

sup_pool* sup_pool_create(uint32_t threads)
{
    long cores = core_count();
    if (cores < 1) cores = 1;
    if (threads == 0) threads = (uint32_t)cores;
    if (threads > THREADS_MAX) threads = THREADS_MAX;
    sup_pool* pool = calloc(1, sizeof *pool);
    if (!pool) return NULL;
    pool->tasks = (sup_tasks){ run, pool, threads };
    pool->spin = threads <= (uint32_t)cores;
    atomic_flag_clear(&pool->job.taken);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->idle, NULL);
    for (; pool->started + 1 < threads; ++pool->started) {
        if (pthread_create(&pool->threads[pool->started], NULL, worker, pool) != 0) {
            sup_pool_destroy(pool);
            return NULL;
        }
    }
    return pool;
}

void sup_pool_destroy(sup_pool* pool)
{
    if (!pool) return;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->quit, true);
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->started; ++i) pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->idle);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

const sup_tasks* sup_pool_tasks(sup_pool* pool) { return pool ? &pool->tasks : NULL; }

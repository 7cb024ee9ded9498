// A pool of POSIX threads for one caller at a time. Pieces are taken from an atomic counter, so a slow core never holds the
// others up; which thread takes which piece is unknown, which is why tasks may not care.
#include "base/internal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS_MAX = 256 };

struct sup_pool {
    sup_tasks tasks;
    uint32_t  started; // threads beside the caller

    pthread_mutex_t lock;
    pthread_cond_t  work; // a new job, or the end
    pthread_cond_t  idle; // the last worker has left the job
    uint64_t        job;  // number of the current job
    uint32_t        busy; // workers still inside it
    bool            quit;

    // The job, written under the lock before `job` moves on.
    sup_task_fn*          task;
    void*                 data;
    uint32_t              count, grain;
    atomic_uint_least64_t next; // first item nobody has taken

    pthread_mutex_t caller; // two callers of one pool wait for each other
    pthread_t       threads[THREADS_MAX];
};

static void take_pieces(sup_pool* pool)
{
    for (;;) {
        uint64_t begin = atomic_fetch_add_explicit(&pool->next, pool->grain, memory_order_relaxed);
        if (begin >= pool->count) return;
        uint64_t end = begin + pool->grain < pool->count ? begin + pool->grain : pool->count;
        pool->task(pool->data, (uint32_t)begin, (uint32_t)end);
    }
}

static void* worker(void* user)
{
    sup_pool* pool = user;
    uint64_t  seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->job == seen && !pool->quit) pthread_cond_wait(&pool->work, &pool->lock);
        if (pool->quit) break;
        seen = pool->job;
        pthread_mutex_unlock(&pool->lock);
        take_pieces(pool);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0) pthread_cond_signal(&pool->idle);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void run(void* user, uint32_t count, uint32_t grain, sup_task_fn* task, void* data)
{
    sup_pool* pool = user;
    pthread_mutex_lock(&pool->caller);
    pthread_mutex_lock(&pool->lock);
    pool->task = task;
    pool->data = data;
    pool->count = count;
    pool->grain = grain;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->busy = pool->started;
    pool->job++;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);

    take_pieces(pool);

    pthread_mutex_lock(&pool->lock);
    while (pool->busy) pthread_cond_wait(&pool->idle, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    pthread_mutex_unlock(&pool->caller);
}

sup_pool* sup_pool_create(uint32_t threads)
{
    if (threads == 0) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        threads = cores > 0 ? (uint32_t)cores : 1;
    }
    if (threads > THREADS_MAX) threads = THREADS_MAX;
    sup_pool* pool = calloc(1, sizeof *pool);
    if (!pool) return NULL;
    pool->tasks = (sup_tasks){ run, pool, threads };
    pthread_mutex_init(&pool->lock, NULL);
    pthread_mutex_init(&pool->caller, NULL);
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
    pool->quit = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->started; ++i) pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->idle);
    pthread_mutex_destroy(&pool->lock);
    pthread_mutex_destroy(&pool->caller);
    free(pool);
}

const sup_tasks* sup_pool_tasks(sup_pool* pool) { return pool ? &pool->tasks : NULL; }

#include "system/system.h"
#include "bench/bench.h"

#include <stdlib.h>
#include <string.h>

enum { COPY_MEGABYTES = 256, COPY_REPEATS = 15 };

double bench_now(void) { return system_seconds(); }
double bench_cpu(void) { return system_cpu_seconds(); }

typedef struct copy_job {
    char*       to;
    const char* from;
} copy_job;

static void copy_piece(void* data, uint32_t begin, uint32_t end)
{
    const copy_job* job = data;
    memcpy(job->to + ((size_t)begin << 20), job->from + ((size_t)begin << 20), (size_t)(end - begin) << 20);
}

/// Best of several: the first one touches the pages.
static double copy_speed(const copy_job* job, const sup_tasks* tasks, uint32_t threads)
{
    double best = 0;
    for (int i = 0; i < COPY_REPEATS; ++i) {
        double start = bench_now();
        sup_tasks_run(tasks, COPY_MEGABYTES, (COPY_MEGABYTES + threads - 1) / threads, copy_piece, (void*)job);
        double speed = 2.0 * COPY_MEGABYTES * 1048576.0 / (bench_now() - start) * 1e-9;
        if (i > 0 && speed > best) best = speed;
    }
    return best;
}

sup_result bench_machine_measure(uint32_t threads, bench_machine* out, sup_error* error)
{
    *out = (bench_machine){ .cores = system_cores(), .threads = threads };
    system_cpu_name(out->cpu, sizeof out->cpu);
    size_t    bytes = (size_t)COPY_MEGABYTES << 20;
    char *    from = malloc(bytes), *to = malloc(bytes);
    sup_pool* pool = sup_pool_create(threads);
    bool      good = from && to && pool;
    if (good) {
        memset(from, 1, bytes);
        copy_job job = { to, from };
        out->copy_gb_s = copy_speed(&job, NULL, 1);
        out->copy_gb_s_threads = threads > 1 ? copy_speed(&job, sup_pool_tasks(pool), threads) : out->copy_gb_s;
    }
    sup_pool_destroy(pool);
    free(from);
    free(to);
    if (good) return SUP_OK;
    return sup_fail(error, SUP_ERROR_MEMORY, "the copy that measures this machine needs 512 MB of memory");
}

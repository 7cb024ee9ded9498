// Work is done exactly once, in pieces that begin at multiples of the grain, whoever does it.
#include "support.h"

#include "base/internal.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ITEMS_MAX = 4096 };

typedef struct job {
    atomic_uint      done[ITEMS_MAX];
    atomic_uint      pieces, misplaced;
    uint32_t         count, grain;
    const sup_tasks* inner; // not NULL: each piece starts a job of its own
} job;

static void count_up(void* data, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i) atomic_fetch_add((atomic_uint*)data, 1);
}

static void mark(void* data, uint32_t begin, uint32_t end)
{
    job* j = data;
    atomic_fetch_add(&j->pieces, 1);
    uint32_t full = j->count - begin < j->grain ? j->count : begin + j->grain;
    if (begin % j->grain || end != full) atomic_fetch_add(&j->misplaced, 1);
    for (uint32_t i = begin; i < end; ++i) atomic_fetch_add(&j->done[i], 1);
    if (j->inner) {
        atomic_uint inside;
        atomic_init(&inside, 0);
        sup_tasks_run(j->inner, 10, 3, count_up, &inside);
        if (atomic_load(&inside) != 10) atomic_fetch_add(&j->misplaced, 1);
    }
}

static void check(const sup_tasks* tasks, uint32_t count, uint32_t grain, bool nested)
{
    job* j = calloc(1, sizeof *j);
    j->count = count;
    j->grain = grain;
    j->inner = nested ? tasks : NULL;
    sup_tasks_run(tasks, count, grain, mark, j);
    assert_int_equal(j->misplaced, 0);
    assert_int_equal(j->pieces, (count + grain - 1) / grain);
    for (uint32_t i = 0; i < ITEMS_MAX; ++i) assert_int_equal(j->done[i], i < count);
    free(j);
}

static void every_item_is_done_once(void** state)
{
    (void)state;
    static const uint32_t threads[] = { 1, 2, 8 }, counts[] = { 0, 1, 2, 63, 64, 65, 1000, ITEMS_MAX };
    for (size_t t = 0; t < SUP_COUNT_OF(threads); ++t) {
        sup_pool*        pool = sup_pool_create(threads[t]);
        const sup_tasks* tasks = sup_pool_tasks(pool);
        assert_int_equal(tasks->workers, threads[t]);
        for (size_t c = 0; c < SUP_COUNT_OF(counts); ++c)
            for (uint32_t grain = 1; grain < 3000; grain = grain * 4 + 1) check(tasks, counts[c], grain, false);
        sup_pool_destroy(pool);
    }
}

static void no_tasks_and_no_pool_run_inline(void** state)
{
    (void)state;
    assert_null(sup_pool_tasks(NULL));
    check(NULL, 100, 7, false);
    sup_pool_destroy(NULL);
}

static void add_length(void* data, uint32_t begin, uint32_t end) { atomic_fetch_add((atomic_ullong*)data, end - begin); }

static void counts_at_the_top_of_the_range_do_not_wrap(void** state)
{
    (void)state;
    sup_pool*     pool = sup_pool_create(2);
    atomic_ullong sum;
    for (int inlined = 0; inlined < 2; ++inlined) {
        atomic_init(&sum, 0);
        sup_tasks_run(inlined ? NULL : sup_pool_tasks(pool), UINT32_MAX, 0xf0000000u, add_length, &sum);
        assert_true(sum == UINT32_MAX);
    }
    sup_pool_destroy(pool);
}

static void a_task_may_start_tasks(void** state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 8; threads *= 2) {
        sup_pool* pool = sup_pool_create(threads);
        check(sup_pool_tasks(pool), 500, 10, true);
        sup_pool_destroy(pool);
    }
}

static void* call_often(void* user)
{
    for (int i = 0; i < 200; ++i) check(user, 300, 16, false);
    return NULL;
}

static void two_callers_share_a_pool(void** state)
{
    (void)state;
    sup_pool* pool = sup_pool_create(2);
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, call_often, (void*)(uintptr_t)sup_pool_tasks(pool)), 0);
    call_often((void*)(uintptr_t)sup_pool_tasks(pool));
    pthread_join(other, NULL);
    sup_pool_destroy(pool);
}

static void many_small_jobs_after_pauses_are_complete(void** state)
{
    (void)state;
    sup_pool* pool = sup_pool_create(3);
    for (int i = 0; i < 3000; ++i) {
        atomic_uint sum;
        atomic_init(&sum, 0);
        sup_tasks_run(sup_pool_tasks(pool), 4, 1, count_up, &sum);
        assert_int_equal(sum, 4);
        // Pauses around the time workers look out before they sleep, so that jobs meet them awake, asleep and in between.
        for (volatile int wait = 0; wait < (i % 64) * 500; ++wait) {
        }
    }
    sup_pool_destroy(pool);
}

static void pools_come_and_go(void** state)
{
    (void)state;
    for (uint32_t i = 0; i < 50; ++i) {
        sup_pool* pool = sup_pool_create(i % 5);
        assert_non_null(pool);
        if (i % 2) check(sup_pool_tasks(pool), 100, 3, false);
        sup_pool_destroy(pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once),
        cmocka_unit_test(no_tasks_and_no_pool_run_inline),
        cmocka_unit_test(counts_at_the_top_of_the_range_do_not_wrap),
        cmocka_unit_test(a_task_may_start_tasks),
        cmocka_unit_test(two_callers_share_a_pool),
        cmocka_unit_test(many_small_jobs_after_pauses_are_complete),
        cmocka_unit_test(pools_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Threads that share handles make any calls in any order. What they get is a result, FLAT_BUSY or FLAT_DEAD; nothing crashes,
// and what one thread computes alone has its usual bits afterwards. The asan and tsan builds look at the memory meanwhile.
#include "flat_session.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 3, CALLS = 400, PLACES = 6 };

static atomic_uint places[PLACES]; // handles that come and go
static atomic_uint refused[FLAT_BUSY + 1];

static void tally(int32_t status)
{
    if (status < FLAT_OK || status > FLAT_BUSY) abort(); // cmocka knows one thread
    atomic_fetch_add(&refused[status], 1);
}

static void replace(uint32_t place, flat_handle made)
{
    if (made) (void)flat_free(atomic_exchange(&places[place], made));
}

static void* call_anything(void* user)
{
    uint32_t random = (uint32_t)(size_t)user;
    uint64_t count;
    for (int i = 0; i < CALLS; ++i) {
        random = random * 1664525u + 1013904223u;
        uint32_t    place = (random >> 8) % PLACES;
        flat_handle h = atomic_load(&places[place]);
        float       out[8] = { 0 };
        switch ((random >> 16) % 18) {
        case 0: replace(0, flat_load(session, "builtin:arm?points=100", NULL, NULL, NULL)); break;
        case 1:
            replace(1, flat_chain(atomic_load(&places[0]), "{\"links\":\"dualquat,smooth\",\"clip\":0}", NULL, NULL));
            break;
        case 2: replace(2, flat_play(atomic_load(&places[1]), NULL)); break;
        case 3: replace(3, flat_play(atomic_load(&places[1]), "{\"live\":true,\"clip\":null}")); break;
        case 4: replace(4, flat_bake(atomic_load(&places[1]), "{\"fps\":10,\"end\":0.2}", NULL, NULL)); break;
        case 5: replace(5, flat_draft(session)); break;
        case 6: tally(flat_set(h, "smooth.step", 0.25)); break;
        case 7: tally(flat_map(h, "soft", out, 8)); break;
        case 8: (void)flat_measure(h); break;
        case 9: (void)flat_hash(h); break;
        case 10: (void)flat_inspect(h); break;
        case 11: (void)flat_array(h, "skin", &count); break;
        case 12: tally(flat_draw(h, 0, NULL)); break;
        case 13: (void)flat_describe(h); break;
        case 14: (void)flat_status_of(h), (void)flat_error(h); break;
        case 15: tally(flat_give(h, "points", out, 6)); break;
        case 16: (void)flat_write(h, &count); break;
        default: tally(flat_evaluate(h, (double)(random % 10) / 10, NULL, 0));
        }
        if (random % 61 == 0) (void)flat_free(h);
    }
    return NULL;
}

static void hash_alone(char hash[17])
{
    flat_handle arm = must(flat_load(session, "builtin:arm?points=100", NULL, NULL, NULL), session);
    flat_handle chain = must(flat_chain(arm, "{\"links\":\"dualquat,smooth\",\"clip\":0}", NULL, NULL), arm);
    flat_handle player = must(flat_play(chain, NULL), chain);
    assert_int_equal(flat_evaluate(player, 0.3, NULL, 0), FLAT_OK);
    memcpy(hash, flat_hash(player), 17);
    flat_free(player), flat_free(chain), flat_free(arm);
}

static void any_calls_from_any_thread_do_no_harm(void** state)
{
    (void)state;
    pthread_t threads[THREADS];
    char      before[17], after[17];
    hash_alone(before);
    for (size_t i = 0; i < THREADS; ++i) assert_int_equal(pthread_create(&threads[i], NULL, call_anything, (void*)(i + 1)), 0);
    for (size_t i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
    for (uint32_t i = 0; i < PLACES; ++i) (void)flat_free(atomic_load(&places[i]));
    assert_true(atomic_load(&refused[FLAT_OK]) > 0 && atomic_load(&refused[FLAT_DEAD]) > 0);
    hash_alone(after);
    assert_string_equal(after, before);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(any_calls_from_any_thread_do_no_harm) };
    return cmocka_run_group_tests(tests, open_session, close_session);
}

// Whoever waits for a large mesh is asked often enough, and heard: reading, automatic weights, a bind of every deformer.
#include "support.h"

#include "bake_support.h"
#include "supple/deformer.h"
#include "supple/io.h"
#include "supple/rig.h"

#include <string.h>
#include <time.h>

// Processor time between two questions: four times this where a sanitizer watches. The promise is a second.
#if defined(__SANITIZE_ADDRESS__)
#define GAP 2.0
#else
#define GAP 0.5
#endif

enum { POINTS = 60000, CELLS = 72 };

typedef struct waiting {
    clock_t  asked;
    double   gap;    ///< longest so far
    uint32_t count;  ///< questions
    uint32_t stop;   ///< at this one; 0: never
    char     at[64]; ///< what was said before the longest gap
    char     said[64];
} waiting;

static bool ask(void* user, double fraction, const char* what)
{
    waiting* w = user;
    clock_t  now = clock();
    double   gap = (double)(now - w->asked) / CLOCKS_PER_SEC;
    if (gap > w->gap) {
        w->gap = gap;
        strcpy(w->at, w->said);
    }
    snprintf(w->said, sizeof w->said, "%.40s %.2f", what ? what : "", fraction);
    w->asked = now;
    return ++w->count != w->stop;
}

static void begin(waiting* w, uint32_t stop)
{
    *w = (waiting){ .stop = stop, .said = "the beginning" };
    w->asked = clock();
}

static void end(waiting* w, const char* what)
{
    bool heard = w->stop == 0;
    ask(w, 1, "end");
    print_message("  %s: %u questions, at most %.3f s apart (after %s)\n", what, w->count, w->gap, w->at);
    assert_true(heard && w->count > 4 && w->gap < GAP);
}

typedef sup_result work_fn(const void* data, const sup_progress* progress, sup_error* error);

// Once to the end; then stopped at the first question, in the middle and at the last.
static void hears(const char* what, work_fn* work, const void* data)
{
    waiting      w;
    sup_progress progress = { ask, &w };
    sup_error    error = { 0 };
    begin(&w, 0);
    assert_ok(work(data, &progress, &error), error);
    uint32_t count = w.count;
    end(&w, what);
    for (uint32_t k = 0; k < 3; ++k) {
        begin(&w, k == 0 ? 1 : k == 1 ? count / 2 : count);
        error = (sup_error){ 0 };
        assert_int_equal(work(data, &progress, &error), SUP_ERROR_CANCELLED);
        assert_int_equal(w.count, w.stop); // nobody is asked again
        assert_true(error.text[0]);
    }
}

static sup_character* large(void) { return test_builtin("beast", POINTS); }

// ---------------------------------------------------------------------------------------------- reading

static sup_result read_file(const void* path, const sup_progress* progress, sup_error* error)
{
    sup_character*   c = NULL;
    sup_load_options options = { .progress = progress };
    sup_result       r = sup_load(path, &options, &c, error);
    sup_character_destroy(c);
    return r;
}

static void a_large_file_is_read_by_someone_who_listens(void** state)
{
    (void)state;
    test_folder    there;
    sup_error      error = { 0 };
    sup_character* c = large();
    test_folder_make(&there);
    const char* path = test_folder_file(&there, "large.glb");
    assert_ok(sup_character_write(c, path, NULL, NULL, &error), error);
    hears("glb", read_file, path);
    test_folder_remove(&there);
    sup_character_destroy(c);
}

// ---------------------------------------------------------------------------------------------- weights and binds

static sup_result weigh(const void* data, const sup_progress* progress, sup_error* error)
{
    const sup_character*     c = data;
    sup_arena*               arena = sup_arena_create(NULL);
    sup_auto_weights         out;
    sup_auto_weights_options options = { .cells = CELLS, .progress = progress };
    sup_result r = sup_weights_automatic(&c->mesh, c->skeleton.bone_count, c->skeleton.bones, &options, arena, &out, error);
    sup_arena_destroy(arena);
    return r;
}

static void automatic_weights_can_be_stopped(void** state)
{
    (void)state;
    sup_character* c = large();
    hears("weights", weigh, c);
    sup_character_destroy(c);
}

static sup_result bind_lattice(const void* data, const sup_progress* progress, sup_error* error)
{
    sup_chain*     chain = NULL;
    sup_chain_desc desc = { .character = data, .links = "lattice(cells=72,weights=auto)", .progress = progress };
    sup_result     r = sup_chain_create(&desc, &chain, error);
    sup_chain_destroy(chain);
    return r;
}

static void lattice_can_be_stopped_while_it_makes_weights(void** state)
{
    (void)state;
    sup_character* c = large();
    hears("lattice", bind_lattice, c);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_file_is_read_by_someone_who_listens),
        cmocka_unit_test(automatic_weights_can_be_stopped),
        cmocka_unit_test(lattice_can_be_stopped_while_it_makes_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The flat interface: the library's own bits through handles, and no wrong call that crashes.
#include "flat_session.h"

#include "supple/supple.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static flat_handle arm(void) { return must(flat_load(session, "builtin:arm?points=300", NULL, NULL, NULL), session); }

static uint64_t hash_by_hand(const char* links, double time)
{
    sup_chain*     chain = NULL;
    sup_instance*  instance = NULL;
    sup_error      error;
    sup_character* c = test_load("builtin:arm?points=300");
    assert_ok(sup_chain_create(&(sup_chain_desc){ .character = c, .clip = c->clips, .links = links }, &chain, &error), error);
    assert_ok(sup_instance_create(&(sup_instance_desc){ .chain = chain, .clip = c->clips }, &instance, &error), error);
    void*     scratch = sup_scratch_create(sup_chain_scratch_size(chain), NULL);
    sup_vec3* skin = malloc((c->mesh.point_count + 8) * sizeof *skin);
    sup_instance_evaluate(instance, time, scratch, NULL, skin);
    uint64_t hash = sup_hash_points(skin, c->mesh.point_count);
    free(skin);
    sup_scratch_destroy(scratch);
    sup_instance_destroy(instance);
    sup_chain_destroy(chain);
    sup_character_destroy(c);
    return hash;
}

static void a_chain_gives_the_bits_of_the_library(void** state)
{
    (void)state;
    flat_handle character = arm();
    for (uint32_t i = 0; i <= sup_deformer_count(); ++i) {
        const char* links = i < sup_deformer_count() ? sup_deformer_at(i)->name : "dualquat,smooth";
        char        text[128], digits[32];
        snprintf(text, sizeof text, "{\"links\":\"%s\",\"clip\":0}", links);
        flat_handle chain = must(flat_chain(character, text, NULL, NULL), character);
        flat_handle instance = must(flat_play(chain, NULL), chain);
        assert_int_equal(flat_evaluate(instance, 0.3, NULL, 0), FLAT_OK);
        snprintf(digits, sizeof digits, "%016llx", (unsigned long long)hash_by_hand(links, 0.3));
        assert_string_equal(flat_hash(instance), digits);
        uint64_t count = 0;
        float*   out = malloc(900 * 4 * sizeof *out);
        assert_non_null(flat_array(instance, "skin", &count));
        assert_true(count <= 900 * 4);
        assert_int_equal(flat_evaluate(instance, 0.3, out, count), FLAT_OK);
        assert_memory_equal(out, flat_array(instance, "skin", NULL), count * sizeof *out);
        free(out);
        assert_int_equal(flat_free(instance), FLAT_OK);
        assert_int_equal(flat_free(chain), FLAT_OK);
    }
    flat_free(character);
}

static void what_is_used_outlives_its_handle(void** state)
{
    (void)state;
    flat_handle character = arm();
    flat_handle chain = must(flat_chain(character, "{\"links\":\"layers\",\"clip\":\"flex\"}", NULL, NULL), character);
    flat_handle instance = must(flat_play(chain, "{\"preroll\":0.1}"), chain);
    assert_int_equal(flat_free(character), FLAT_OK);
    assert_int_equal(flat_free(chain), FLAT_OK);
    assert_int_equal(flat_evaluate(instance, 0.1, NULL, 0), FLAT_OK);
    assert_non_null(strstr(flat_measure(instance), "\"crossings\":0"));
    assert_int_equal(flat_free(instance), FLAT_OK);
    assert_int_equal(flat_free(character), FLAT_DEAD);
}

static void wrong_handles_are_errors(void** state)
{
    (void)state;
    flat_handle character = arm(), wrong[] = { 0, 1, 0xffffffffu, 0x00010000u, session, character };
    for (size_t i = 0; i < 6; ++i) {
        assert_int_equal(flat_evaluate(wrong[i], 0, NULL, 0), FLAT_DEAD);
        assert_int_equal(flat_set(wrong[i], "layers.gravity", 1), FLAT_DEAD);
        assert_int_equal(flat_forces(wrong[i], "[]", 0), FLAT_DEAD);
        assert_int_equal(flat_bodies(wrong[i], "[]", 0), FLAT_DEAD);
        assert_int_equal(flat_hold(wrong[i], 0), FLAT_DEAD);
        assert_true(flat_felt(wrong[i], 0) == 0);
        assert_int_equal(flat_live(wrong[i], 0.01, NULL, 0, NULL, 0, 0, NULL, 0), FLAT_DEAD);
        assert_int_equal(flat_normals(wrong[i], NULL, 0), FLAT_DEAD);
        assert_int_equal(flat_draw(wrong[i], 0, NULL), FLAT_DEAD);
        assert_null(flat_hash(wrong[i]));
        assert_null(flat_measure(wrong[i]));
        assert_null(flat_describe(wrong[i]));
        assert_int_equal(flat_play(wrong[i], NULL), 0);
        if (wrong[i] != character) {
            assert_int_equal(flat_chain(wrong[i], NULL, NULL, NULL), 0);
            assert_null(flat_inspect(wrong[i]));
            assert_null(flat_array(wrong[i], "points", NULL));
        }
        assert_non_null(flat_error(wrong[i]));
    }
    flat_free(character);
    assert_int_equal(flat_free(character), FLAT_DEAD);
    assert_int_equal(flat_free(0), FLAT_OK);
    assert_non_null(strstr(flat_error(character), "is invalid"));
    assert_int_not_equal(arm(), character); // the slot's next tenant has another number
}

static void wrong_words_are_refused_with_a_reason(void** state)
{
    (void)state;
    flat_handle character = arm();
    assert_int_equal(flat_load(session, "no/such.glb", NULL, NULL, NULL), 0);
    assert_non_null(strstr(flat_error(session), "no/such.glb"));
    assert_int_equal(flat_load(session, NULL, NULL, NULL, NULL), 0);
    assert_int_equal(flat_load(session, "builtin:arm", "{\"units\":1}", NULL, NULL), 0);
    assert_non_null(strstr(flat_error(session), "did you mean 'unit'?"));
    assert_int_equal(flat_load(session, "builtin:arm", "[", NULL, NULL), 0);
    assert_int_equal(flat_load_bytes(session, "x.gltf", (const uint8_t*)"{}", 2, NULL, NULL, NULL), 0);
    assert_int_equal(flat_load_bytes(session, "x.glb", NULL, 9, NULL, NULL, NULL), 0);
    assert_non_null(strstr(flat_error(session), "x.glb are at address 0"));
    assert_int_equal(flat_chain(character, "{\"links\":\"layer\"}", NULL, NULL), 0);
    assert_non_null(strstr(flat_error(character), "layer"));
    assert_int_equal(flat_chain(character, "{\"clip\":\"nope\"}", NULL, NULL), 0);
    assert_non_null(strstr(flat_error(character), "no clip 'nope'"));
    assert_int_equal(flat_chain(character, "{\"clip\":99}", NULL, NULL), 0);
    assert_int_equal(flat_chain(character, "{\"set\":[1]}", NULL, NULL), 0);
    assert_null(flat_array(character, "colors", NULL));
    assert_non_null(strstr(flat_error(character), "no array 'colors'"));
    flat_free(character);
}

static void wrong_kinds_and_types_are_refused_with_a_reason(void** state)
{
    (void)state;
    flat_handle character = arm();
    assert_null(flat_describe(character));
    assert_string_equal(flat_error(character), "the handle is a character, but this function takes a chain");
    assert_int_equal(flat_load(character, "builtin:arm", NULL, NULL, NULL), 0);
    assert_non_null(strstr(flat_error(character), "takes a session"));
    assert_null(flat_array(session, "points", NULL));
    assert_non_null(strstr(flat_error(session), "a character or an instance or a bake"));
    assert_int_equal(flat_map(session, "soft", NULL, 0), FLAT_DEAD);
    assert_non_null(strstr(flat_error(session), "takes a character"));

    assert_int_equal(flat_chain(character, "{\"links\":[\"linear\"]}", NULL, NULL), 0);
    assert_string_equal(flat_error(character), "chains: 'links' must be text");
    assert_int_equal(flat_chain(character, "{\"step\":\"1\"}", NULL, NULL), 0);
    assert_non_null(strstr(flat_error(character), "'step' must be a number"));
    flat_handle chain = must(flat_chain(character, "{\"links\":\"linear\",\"clip\":0,\"set\":null}", NULL, NULL), character);
    assert_int_equal(flat_play(chain, "{\"live\":1}"), 0);
    assert_non_null(strstr(flat_error(chain), "'live' must be true or false"));
    assert_int_equal(flat_play(chain, "{\"preroll\":\"1\"}"), 0);
    assert_int_equal(flat_play(chain, "{\"start\":-1}"), 0);
    assert_non_null(strstr(flat_error(chain), "must lie between 0 and a million seconds"));
    assert_int_equal(flat_play(chain, "{\"start\":1,\"end\":0.5}"), 0);
    assert_non_null(strstr(flat_error(chain), "reversed; put start before end"));
    flat_free(chain), flat_free(character);
}

static void a_simulation_is_not_sent_to_the_end_of_time(void** state)
{
    (void)state;
    flat_handle character = arm();
    flat_handle flesh = must(flat_chain(character, "{\"links\":\"layers\",\"clip\":\"flex\"}", NULL, NULL), character);
    flat_handle plain = must(flat_chain(character, "{\"links\":\"linear\",\"clip\":\"flex\"}", NULL, NULL), character);
    flat_handle played = must(flat_play(flesh, "{\"preroll\":0,\"end\":0.5}"), flesh);
    flat_handle looped = must(flat_play(flesh, "{\"preroll\":0,\"end\":0.1,\"loop\":true}"), flesh);
    flat_handle skinned = must(flat_play(plain, NULL), plain);
    flat_handle live = must(flat_play(flesh, "{\"live\":true,\"clip\":null,\"preroll\":0}"), flesh);
    assert_int_equal(flat_evaluate(played, 500, NULL, 0), FLAT_INPUT);
    assert_non_null(strstr(flat_error(played), "times are seconds"));
    assert_int_equal(flat_evaluate(played, 0.6, NULL, 0), FLAT_OK);
    assert_int_equal(flat_evaluate(looped, 500, NULL, 0), FLAT_OK);
    assert_int_equal(flat_evaluate(skinned, 1e9, NULL, 0), FLAT_OK);
    assert_int_equal(flat_evaluate(live, 0, NULL, 0), FLAT_INPUT);
    assert_non_null(strstr(flat_error(live), "flat_live"));
    flat_free(live), flat_free(skinned), flat_free(looped), flat_free(played), flat_free(plain), flat_free(flesh),
        flat_free(character);
}

static void wrong_sizes_write_nothing(void** state)
{
    (void)state;
    flat_handle character = arm();
    flat_handle chain = must(flat_chain(character, "{\"clip\":0}", NULL, NULL), character);
    flat_handle instance = must(flat_play(chain, NULL), chain);
    float       out[4] = { 7, 7, 7, 7 };
    assert_null(flat_hash(instance));
    assert_null(flat_measure(instance));
    assert_non_null(strstr(flat_error(instance), "no frame"));
    assert_int_equal(flat_evaluate(instance, 0, out, 3), FLAT_INPUT);
    assert_non_null(strstr(flat_error(instance), "but the buffer has 3"));
    assert_int_equal(flat_evaluate(instance, NAN, NULL, 0), FLAT_INPUT);
    assert_int_equal(flat_evaluate(instance, 0.2, NULL, 0), FLAT_OK);
    assert_int_equal(flat_normals(instance, out, 4), FLAT_INPUT);
    assert_int_equal(flat_live(instance, 0.01, out, 4, NULL, 0, 0, NULL, 0), FLAT_INPUT);
    assert_int_equal(flat_set(instance, "nothing", 1), FLAT_INPUT);
    assert_int_equal(flat_set(instance, "linear.nothing", 1), FLAT_INPUT);
    assert_int_equal(flat_forces(instance, "nothing", 0), FLAT_INPUT);
    assert_int_equal(flat_forces(instance, "{}", 0), FLAT_INPUT);
    assert_int_equal(flat_forces(instance, "[]", NAN), FLAT_INPUT);
    assert_int_equal(flat_bodies(instance, "[{}]", 0), FLAT_INPUT);
    assert_int_equal(flat_bodies(instance, "[]", NAN), FLAT_INPUT);
    assert_int_equal(flat_bodies(instance, "[]", 0), FLAT_OK);
    assert_int_equal(flat_hold(instance, -1), FLAT_INPUT);
    assert_int_equal(flat_draw(instance, 9, NULL), FLAT_INPUT);
    for (int i = 0; i < 4; ++i) assert_true(out[i] == 7);
    flat_free(instance), flat_free(chain), flat_free(character);
}

static void a_mesh_that_was_handed_over_is_a_body(void** state)
{
    (void)state;
    static const char box[] = "v 0.1 -0.1 0.03\nv 0.2 -0.1 0.03\nv 0.2 0.1 0.03\nv 0.1 0.1 0.03\nv 0.1 -0.1 0.2\nv 0.2 -0.1 "
                              "0.2\nv 0.2 0.1 0.2\nv 0.1 0.1 0.2\n"
                              "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    static const char world[] =
        "{\"links\":\"lattice(cells=16)\",\"clip\":\"flex\",\"world\":{\"bodies\":[{\"mesh\":\"box.obj\"}]}}";
    flat_handle character = arm();
    assert_false(flat_chain(character, world, NULL, NULL)); // there is no such file
    assert_int_equal(flat_prop(character, "box.obj", (const uint8_t*)"v", 1), FLAT_OK);
    assert_false(flat_chain(character, world, NULL, NULL)); // it is read when a world names it
    assert_int_equal(flat_prop(character, "box.obj", (const uint8_t*)box, sizeof box - 1), FLAT_OK);
    flat_handle chain = must(flat_chain(character, world, NULL, NULL), character);
    flat_handle plain =
        must(flat_chain(character, "{\"links\":\"lattice(cells=16)\",\"clip\":\"flex\"}", NULL, NULL), character);
    flat_handle with = must(flat_play(chain, NULL), chain), without = must(flat_play(plain, NULL), plain);
    assert_int_equal(flat_evaluate(with, 0.1, NULL, 0), FLAT_OK);
    assert_int_equal(flat_evaluate(without, 0.1, NULL, 0), FLAT_OK);
    assert_string_not_equal(flat_hash(with), flat_hash(without));
    char pushed[17], moved[] = "[{\"mesh\":\"box.obj\",\"keys\":[{\"time\":0,\"move\":[0,0,9]}]}]";
    memcpy(pushed, flat_hash(with), 17);
    assert_int_equal(flat_bodies(with, moved, -1), FLAT_OK); // taken away
    assert_int_equal(flat_evaluate(with, 0.1, NULL, 0), FLAT_OK);
    assert_string_not_equal(flat_hash(with), pushed);
    assert_int_equal(flat_bodies(with, "[{\"mesh\":\"table.obj\"}]", -1), FLAT_INPUT);
    assert_int_equal(flat_bodies(with, "[{\"mesh\":\"box.obj\"}]", -1), FLAT_OK);
    assert_int_equal(flat_evaluate(with, 0.1, NULL, 0), FLAT_OK);
    assert_string_equal(flat_hash(with), pushed);
    assert_int_equal(flat_prop(character, NULL, NULL, 0), FLAT_INPUT);
    assert_int_equal(flat_prop(character, "box.obj", NULL, 0), FLAT_OK);
    assert_false(flat_chain(character, world, NULL, NULL));
    flat_free(with), flat_free(without), flat_free(chain), flat_free(plain), flat_free(character);
}

static void a_live_host_moves_the_joints(void** state)
{
    (void)state;
    flat_handle character = arm();
    flat_handle chain = must(flat_chain(character, "{\"links\":\"dualquat\"}", NULL, NULL), character);
    flat_handle instance = must(flat_play(chain, "{\"live\":true}"), chain);
    flat_handle still = must(flat_play(chain, NULL), chain);
    assert_int_equal(flat_evaluate(still, 0, NULL, 0), FLAT_OK);
    uint64_t     count = 0;
    const float* rest = flat_array(still, "local", &count);
    float*       local = malloc(count * sizeof *local);
    char         before[32];
    memcpy(local, rest, count * sizeof *local);
    strcpy(before, flat_hash(still));
    assert_int_equal(flat_live(instance, 0.02, local, count, NULL, 0, 0, NULL, 0), FLAT_OK);
    assert_string_equal(flat_hash(instance), before);
    local[0] += 0.5f;
    assert_int_equal(flat_live(instance, 0.02, local, count, NULL, 0, 1, NULL, 0), FLAT_OK);
    assert_string_not_equal(flat_hash(instance), before);
    local[3] = INFINITY;
    assert_int_equal(flat_live(instance, 0.02, local, count, NULL, 0, 0, NULL, 0), FLAT_INPUT);
    free(local);
    flat_free(instance), flat_free(still), flat_free(chain), flat_free(character);
}

static void links_draw_themselves(void** state)
{
    (void)state;
    flat_handle character = arm();
    flat_handle chain = must(flat_chain(character, "{\"links\":\"layers\",\"clip\":0}", NULL, NULL), character);
    flat_handle instance = must(flat_play(chain, NULL), chain);
    uint64_t    all = 0, count = 0;
    assert_int_equal(flat_evaluate(instance, 0, NULL, 0), FLAT_OK);
    assert_int_equal(flat_draw(instance, 1, NULL), FLAT_OK);
    for (int i = 0; i < 3; ++i) {
        static const char* const names[] = { "draw_lines", "draw_points", "draw_triangles" };
        flat_array(instance, names[i], &count);
        assert_int_equal(count % 4, 0);
        all += count;
    }
    assert_true(all > 0);
    const char* names = flat_array(instance, "draw_names", &count);
    assert_true(count > 5 && memchr(names, '\n', count) && names[count - 1] == '\n');
    const uint64_t all_names = count;
    // Asked for one that is not there, it draws nothing, its arrays are empty and not missing, and the names are still told.
    assert_int_equal(flat_draw(instance, 1, "nothing of this name"), FLAT_OK);
    assert_non_null(flat_array(instance, "draw_lines", &count));
    assert_int_equal(count, 0);
    flat_array(instance, "draw_names", &count);
    assert_int_equal(count, all_names);
    flat_free(instance), flat_free(chain), flat_free(character);
}

// Waves belong to the binding, heights to the frame: who draws them sends the waves once.
static void folds_too_fine_for_the_points_are_an_array(void** state)
{
    (void)state;
    flat_handle character = arm();
    flat_handle chain = must(flat_chain(character, "{\"links\":\"linear,wrinkle\",\"clip\":0}", NULL, NULL), character);
    flat_handle instance = must(flat_play(chain, NULL), chain);
    uint64_t    points = 0, count = 0, bent = 0, again = 0;
    flat_array(character, "points", &points);
    assert_non_null(flat_array(instance, "ripples", &count)); // no frame was shown yet
    assert_int_equal(count, 0);
    assert_int_equal(flat_evaluate(instance, 0, NULL, 0), FLAT_OK);
    const float* now = flat_array(instance, "ripples", &count);
    assert_true(count > 0 && count % (6 * (points / 3)) == 0);
    float* rest = malloc(count * sizeof *rest);
    assert_non_null(rest);
    memcpy(rest, now, count * sizeof *rest);
    assert_int_equal(flat_evaluate(instance, 0.5, NULL, 0), FLAT_OK);
    now = flat_array(instance, "ripples", &again);
    assert_int_equal(again, count);
    for (uint64_t i = 0; i < count; i += 6) {
        assert_memory_equal(now + i, rest + i, 5 * sizeof *now);
        bent += now[i + 5] != rest[i + 5];
    }
    assert_true(bent > 0);
    free(rest);
    flat_free(instance), flat_free(chain);
    chain = must(flat_chain(character, "{\"links\":\"linear\",\"clip\":0}", NULL, NULL), character);
    instance = must(flat_play(chain, NULL), chain);
    assert_int_equal(flat_evaluate(instance, 0.5, NULL, 0), FLAT_OK);
    assert_non_null(flat_array(instance, "ripples", &count));
    assert_int_equal(count, 0);
    flat_free(instance), flat_free(chain), flat_free(character);
}

static int32_t stop_at_once(void* user, double fraction, const char* what)
{
    (void)fraction, (void)what;
    ++*(int*)user;
    return 0;
}

static void binding_can_be_cancelled(void** state)
{
    (void)state;
    int         asked = 0;
    flat_handle character = arm();
    assert_int_equal(flat_chain(character, "{\"links\":\"layers\",\"clip\":0}", stop_at_once, &asked), 0);
    assert_true(asked > 0);
    flat_free(character);
}

static void* hammer(void* handle)
{
    uintptr_t odd = 0;
    for (int i = 0; i < 200; ++i) {
        int32_t status = flat_evaluate(*(flat_handle*)handle, 0.01 * (i % 50), NULL, 0);
        odd += status != FLAT_OK && status != FLAT_BUSY && status != FLAT_DEAD;
    }
    return (void*)odd;
}

static void two_threads_on_one_handle_do_no_harm(void** state)
{
    (void)state;
    flat_handle character = arm();
    flat_handle chain = must(flat_chain(character, "{\"links\":\"dualquat\",\"clip\":0}", NULL, NULL), character);
    flat_handle instance = must(flat_play(chain, NULL), chain);
    pthread_t   threads[3];
    void*       odd = NULL;
    for (int i = 0; i < 3; ++i) assert_int_equal(pthread_create(&threads[i], NULL, hammer, &instance), 0);
    while (flat_free(instance) == FLAT_BUSY) {
    }
    for (int i = 0; i < 3; ++i) {
        assert_int_equal(pthread_join(threads[i], &odd), 0);
        assert_null(odd);
    }
    flat_free(chain), flat_free(character);
}

static void lists_are_json(void** state)
{
    (void)state;
    flat_handle character = arm();
    sup_arena*  arena = sup_arena_create(NULL);
    sup_error   error;
    const char* text = flat_inspect(character);
    sup_json*   json = test_json(text, arena);
    assert_true(sup_json_get(json, "joints")->count > 1 && sup_json_get(json, "clips")->count > 1);
    text = flat_deformers(session);
    assert_ok(sup_json_parse(text, strlen(text), "deformers", arena, &json, &error), error);
    assert_int_equal(json->count, sup_deformer_count());
    text = flat_builtins(session);
    assert_ok(sup_json_parse(text, strlen(text), "builtins", arena, &json, &error), error);
    flat_handle chain =
        must(flat_chain(character, "{\"links\":\"smooth\",\"set\":[\"smooth.step=0.25\"],\"clip\":0}", NULL, NULL), character);
    text = flat_describe(chain);
    assert_ok(sup_json_parse(text, strlen(text), "chain", arena, &json, &error), error);
    const sup_json* link = sup_json_at(sup_json_get(json, "links"), 1);
    assert_true(sup_json_number(sup_json_get(sup_json_get(link, "values"), "step"), 0) == 0.25);
    sup_arena_destroy(arena);
    flat_free(chain), flat_free(character);
    assert_int_equal(flat_abi(), FLAT_ABI);
    assert_string_equal(flat_version(), SUP_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_gives_the_bits_of_the_library),
        cmocka_unit_test(what_is_used_outlives_its_handle),
        cmocka_unit_test(wrong_handles_are_errors),
        cmocka_unit_test(wrong_words_are_refused_with_a_reason),
        cmocka_unit_test(wrong_kinds_and_types_are_refused_with_a_reason),
        cmocka_unit_test(a_simulation_is_not_sent_to_the_end_of_time),
        cmocka_unit_test(wrong_sizes_write_nothing),
        cmocka_unit_test(a_mesh_that_was_handed_over_is_a_body),
        cmocka_unit_test(a_live_host_moves_the_joints),
        cmocka_unit_test(links_draw_themselves),
        cmocka_unit_test(folds_too_fine_for_the_points_are_an_array),
        cmocka_unit_test(binding_can_be_cancelled),
        cmocka_unit_test(two_threads_on_one_handle_do_no_harm),
        cmocka_unit_test(lists_are_json),
    };
    return cmocka_run_group_tests(tests, open_session, close_session);
}

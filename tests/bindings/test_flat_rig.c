// The flat interface's third part: motion of others, automatic weights, the doctor, and values of points.
#include "flat_session.h"

#include "supple/supple.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static flat_handle load(const char* path) { return must(flat_load(session, path, NULL, NULL, NULL), session); }

static const char* answered(const char* text, flat_handle handle)
{
    if (!text) fail_msg("%s", flat_error(handle));
    return text;
}
static void says(const char* text, const char* words)
{
    if (!text || !strstr(text, words)) fail_msg("'%.300s' does not say '%s'", text ? text : "nothing", words);
}

static double number_at(const sup_json* json, const char* key) { return sup_json_number(sup_json_get(json, key), NAN); }

// ---------------------------------------------------------------------------------------------- motion

/// A joint that turns by 90 degrees about x between two frames, on a stem.
static const char BVH[] =
    "HIERARCHY\nROOT shoulder\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
    "Yrotation\nJOINT forearm\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\n"
    "OFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.5\n0 0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 90 0\n";

static void poses_become_a_clip_that_may_be_made_anew(void** state)
{
    (void)state;
    static const char* const texts[] = {
        "{\"supple_poses\":1,\"clip\":\"p\",\"keys\":[{\"time\":1,\"turn\":{\"forearm\":[0,0,60]}}]}",
        "{\"supple_poses\":1,\"clip\":\"p\",\"keys\":[{\"time\":2}]}"
    };
    flat_handle arm = load("builtin:arm?points=300"), players[2];
    for (int i = 0; i < 2; ++i) {
        says(answered(flat_motion(arm, "p.json", (const uint8_t*)texts[i], strlen(texts[i]), NULL, NULL, NULL), arm),
             i ? "\"seconds\":2" : "\"seconds\":1");
        players[i] = must(flat_play(must(flat_chain(arm, "{\"clip\":\"p\"}", NULL, NULL), arm), NULL), arm);
    }
    const char* text = flat_inspect(arm);
    const char* first = strstr(text, "\"p\"");
    assert_true(first && !strstr(first + 1, "\"p\"")); // once
    char hashes[2][64];
    for (int i = 0; i < 2; ++i) { // the older chain plays what it was bound to
        assert_int_equal(flat_evaluate(players[i], 0, NULL, 0), FLAT_OK);
        snprintf(hashes[i], sizeof hashes[i], "%s", flat_hash(players[i]));
    }
    assert_string_not_equal(hashes[0], hashes[1]);
    static const char own[] = "{\"supple_poses\":1,\"clip\":\"flex\",\"keys\":[{\"time\":0}]}";
    assert_null(flat_motion(arm, "p.json", (const uint8_t*)own, sizeof own - 1, NULL, NULL, NULL));
    says(flat_error(arm), "another \"clip\"");
    static const char none[] = "{\"supple_poses\":1,\"keys\":[]}";
    assert_null(flat_motion(arm, "p.json", (const uint8_t*)none, sizeof none - 1, NULL, NULL, NULL));
    says(flat_error(arm), "at least one key");
}

static void captured_motion_becomes_a_clip(void** state)
{
    (void)state;
    flat_handle arm = load("builtin:arm?points=300");
    sup_arena*  arena = sup_arena_create(NULL);
    const char* text =
        answered(flat_motion(arm, "turn.bvh", (const uint8_t*)BVH, sizeof BVH - 1,
                             "{\"name\":\"turned\",\"map\":{\"upper_arm\":\"shoulder\",\"forearm\":\"forearm\",\"hand\":null}}",
                             NULL, NULL),
                 arm);
    sup_json* said = test_json(text, arena);
    assert_string_equal(sup_json_string(sup_json_get(said, "clip"), ""), "turned");
    assert_true(sup_json_get(said, "pairs")->count >= 1);
    says(flat_inspect(arm), "\"turned\"");
    flat_handle chain = must(flat_chain(arm, "{\"clip\":\"turned\"}", NULL, NULL), arm);
    flat_handle player = must(flat_play(chain, NULL), chain);
    assert_int_equal(flat_evaluate(player, 0.5, NULL, 0), FLAT_OK);
    // Twice under one name, nonsense, a file that is not there, and a wrong map are sentences; the clip is there once.
    assert_null(flat_motion(arm, "turn.bvh", (const uint8_t*)BVH, sizeof BVH - 1,
                            "{\"name\":\"turned\",\"map\":{\"upper_arm\":\"shoulder\"}}", NULL, NULL));
    says(flat_error(arm), "another \"name\"");
    assert_null(flat_motion(arm, "turn.bvh", (const uint8_t*)"HIER", 4, NULL, NULL, NULL));
    assert_null(flat_motion(arm, "turn.bvh", NULL, 4, NULL, NULL, NULL));
    says(flat_error(arm), "address 0");
    assert_null(flat_motion(arm, NULL, NULL, 0, NULL, NULL, NULL));
    assert_null(flat_motion(arm, "turn.bvh", (const uint8_t*)BVH, sizeof BVH - 1, "{\"map\":[]}", NULL, NULL));
    assert_null(flat_motion(arm, "turn.bvh", (const uint8_t*)BVH, sizeof BVH - 1, "{\"clap\":1}", NULL, NULL));
    says(flat_error(arm), "clip");
    sup_arena_destroy(arena);
    flat_free(player), flat_free(chain), flat_free(arm);
}

static void a_clip_of_an_identical_rig_is_its_own(void** state)
{
    (void)state;
    flat_handle    beast = load("builtin:beast?points=1000"), twin = load("builtin:beast?points=1000");
    uint64_t       size = 0;
    const uint8_t* glb = flat_write(twin, &size);
    assert_non_null(glb);
    sup_arena*  arena = sup_arena_create(NULL);
    const char* text = answered(
        flat_motion(beast, "twin.glb", glb, size, "{\"name\":\"again\",\"clip\":\"walk\",\"fps\":60}", NULL, NULL), beast);
    sup_json* said = test_json(text, arena);
    assert_int_equal((int)number_at(said, "guessed"), 0); // joints of the same name
    assert_true(fabs(number_at(said, "scale") - 1) < 1e-4);
    flat_handle own = must(flat_chain(beast, "{\"clip\":\"walk\"}", NULL, NULL), beast);
    flat_handle new = must(flat_chain(beast, "{\"clip\":\"again\"}", NULL, NULL), beast);
    flat_handle a = must(flat_play(own, NULL), own), b = must(flat_play(new, NULL), new);
    uint64_t    floats = 0;
    double      worst = 0, shift[3] = { 0 };
    for (int i = 0; i <= 4; ++i) {
        assert_int_equal(flat_evaluate(a, i * 0.2, NULL, 0), FLAT_OK);
        assert_int_equal(flat_evaluate(b, i * 0.2, NULL, 0), FLAT_OK);
        const float *p = flat_array(a, "skin", &floats), *q = flat_array(b, "skin", NULL);
        for (uint64_t k = 0; k < floats; ++k) {
            if (i == 0 && k < 3) shift[k] = (double)q[k] - (double)p[k]; // it begins where the character stands
            worst = fmax(worst, fabs((double)q[k] - (double)p[k] - shift[k % 3]));
        }
    }
    double diagonal = number_at(test_json(flat_inspect(beast), arena), "diagonal");
    // Feet are set flat and kept above the ground on the way, so it is near and not the same.
    if (!(worst < 0.06 * diagonal)) fail_msg("%g of %g", worst, diagonal);
    sup_arena_destroy(arena);
    flat_free(a), flat_free(b), flat_free(own), flat_free(new), flat_free(beast), flat_free(twin);
}

// ---------------------------------------------------------------------------------------------- weights

static int32_t stop_at_once(void* user, double fraction, const char* what)
{
    (void)fraction, (void)what;
    ++*(int*)user;
    return 0;
}
static int32_t count_calls(void* user, double fraction, const char* what)
{
    assert_true(fraction >= 0 && fraction <= 1 && what);
    ++*(int*)user;
    return 1;
}

static void automatic_weights_make_a_second_character(void** state)
{
    (void)state;
    flat_handle arm = load("builtin:arm?points=300");
    uint64_t    before = 0, after = 0;
    int         calls = 0;
    const void* values = flat_array(arm, "weight_values", &before);
    flat_handle made = must(flat_weigh(arm, NULL, NULL, 0, "{\"influences\":3}", count_calls, &calls), arm);
    assert_true(calls > 0);
    assert_ptr_equal(flat_array(arm, "weight_values", &after), values); // the first is as it was
    assert_int_equal(before, after);
    const float*    sum = flat_array(made, "weight_values", &after);
    const uint32_t* begin = flat_array(made, "weight_begin", &before);
    for (uint64_t p = 0; p + 1 < before; ++p) {
        double total = 0;
        assert_true(begin[p + 1] - begin[p] <= 3 && begin[p + 1] > begin[p]);
        for (uint32_t i = begin[p]; i < begin[p + 1]; ++i) total += (double)sum[i];
        assert_true(fabs(total - 1) < 1e-5);
    }
    says(flat_inspect(made), "\"influences_max\":3");
    says(flat_inspect(made), "\"flex\""); // its clips come along
    // It lives on when the first is gone, and is a character like any other.
    flat_free(arm);
    flat_handle chain = must(flat_chain(made, "{\"links\":\"layers\",\"clip\":0}", NULL, NULL), made);
    flat_handle player = must(flat_play(chain, NULL), chain);
    assert_int_equal(flat_evaluate(player, 0.1, NULL, 0), FLAT_OK);
    assert_non_null(flat_write(made, &after));
    flat_free(player), flat_free(chain), flat_free(made);
}

static void cells_that_weights_spread_through_are_arrays(void** state)
{
    (void)state;
    flat_handle     arm = load("builtin:arm?points=300");
    uint64_t        count = 0, joints = 0, values = 0;
    flat_handle     made = must(flat_weigh(arm, NULL, NULL, 0, "{\"cells\":24,\"keep_cells\":true}", NULL, NULL), arm);
    const float*    center = flat_array(made, "cell_centers", &count);
    const uint32_t* joint = flat_array(made, "cell_joints", &joints);
    const float*    value = flat_array(made, "cell_values", &values);
    assert_true(count > 300 && count % 3 == 0 && joints == count / 3 * 4 && values == joints);
    // Along the arm from the first joint to the last, each cell has the joint of its place; shares fall and never pass 1.
    double low = 1e9, high = -1e9;
    for (uint64_t c = 0; c < count / 3; ++c) low = fmin(low, (double)center[3 * c]), high = fmax(high, (double)center[3 * c]);
    for (uint64_t c = 0; c < count / 3; ++c) {
        double sum = 0;
        for (int i = 0; i < 4; ++i) {
            sum += (double)value[4 * c + (uint64_t)i];
            assert_true(i == 0 || value[4 * c + (uint64_t)i] <= value[4 * c + (uint64_t)i - 1]);
        }
        assert_true(sum > 0.9 && sum < 1 + 1e-4);
        if ((double)center[3 * c] > high - 0.02 * (high - low)) assert_int_equal(joint[4 * c], 3); // the hand
        if ((double)center[3 * c] < low + 0.02 * (high - low)) assert_true(joint[4 * c] < 2);
    }
    uint64_t    none = 1;
    flat_handle plain = must(flat_weigh(arm, NULL, NULL, 0, "{\"cells\":24}", NULL, NULL), arm);
    assert_null(flat_array(plain, "cell_centers", &none));
    uint64_t     a = 0, b = 0;
    const float *first = flat_array(made, "weight_values", &a), *second = flat_array(plain, "weight_values", &b);
    assert_true(a == b && memcmp(first, second, a * sizeof *first) == 0); // asking changes nothing
    flat_free(plain), flat_free(made), flat_free(arm);
}

static void a_skeleton_comes_from_a_file(void** state)
{
    (void)state;
    static const char TGF[] = "1 0 0 0\n2 0.5 0 0\n3 1 0 0\n#\n1 2 1 0 0\n2 3 1 0 0\n#\n";
    flat_handle       arm = load("builtin:arm?points=300");
    flat_handle       made = must(flat_weigh(arm, "two.tgf", (const uint8_t*)TGF, sizeof TGF - 1, NULL, NULL, NULL), arm);
    sup_arena*        arena = sup_arena_create(NULL);
    sup_json*         seen = test_json(flat_inspect(made), arena);
    assert_true(sup_json_get(seen, "joints")->count >= 2);
    assert_int_equal(sup_json_get(seen, "clips")->count, 0); // they were of other joints
    assert_false(flat_weigh(arm, "two.tgf", (const uint8_t*)"1 x", 3, NULL, NULL, NULL));
    assert_false(flat_weigh(arm, "two.tgf", NULL, 9, NULL, NULL, NULL));
    assert_false(flat_weigh(arm, NULL, NULL, 0, "{\"mask\":\"none\"}", NULL, NULL));
    says(flat_error(arm), "no map 'none'");
    assert_false(flat_weigh(arm, NULL, NULL, 0, "{\"method\":\"magic\"}", NULL, NULL));
    says(flat_error(arm), "magic");
    assert_false(flat_weigh(0, NULL, NULL, 0, NULL, NULL, NULL));
    sup_arena_destroy(arena);
    flat_free(made), flat_free(arm);
}

static void weights_can_be_stopped(void** state)
{
    (void)state;
    flat_handle beast = load("builtin:beast?points=1000");
    int         calls = 0;
    assert_false(flat_weigh(beast, NULL, NULL, 0, NULL, stop_at_once, &calls));
    assert_int_equal(flat_status_of(beast), FLAT_CANCELLED);
    assert_int_equal(calls, 1);
    flat_free(beast);
}

// ---------------------------------------------------------------------------------------------- the doctor

static void the_doctor_ranks_joints(void** state)
{
    (void)state;
    flat_handle arm = load("builtin:arm?points=300");
    sup_arena*  arena = sup_arena_create(NULL);
    int         calls = 0;
    sup_json*   all =
        test_json(answered(flat_check(arm, "{\"chains\":[\"linear\",\"dualquat\"]}", count_calls, &calls), arm), arena);
    const sup_json* joints = sup_json_get(all, "joints");
    assert_int_equal(sup_json_get(all, "chains")->count, 2);
    assert_int_equal((int)number_at(all, "joints_checked"), (int)joints->count);
    assert_true(calls > (int)joints->count);
    double above = INFINITY;
    for (const sup_json* j = joints->first; j; j = j->next) {
        if (strcmp(sup_json_string(sup_json_get(j, "range"), ""), "clips") != 0) continue; // what no clip does comes last
        assert_true(number_at(j, "badness") <= above);
        above = number_at(j, "badness");
    }
    // One joint alone has the numbers it has among the others.
    const char* name = sup_json_string(sup_json_get(joints->first, "joint"), "");
    char        wish[200];
    snprintf(wish, sizeof wish, "{\"chains\":[\"linear\",\"dualquat\"],\"joints\":[\"%s\"]}", name);
    sup_json* one = test_json(answered(flat_check(arm, wish, NULL, NULL), arm), arena);
    assert_int_equal((int)number_at(one, "joints_checked"), 1);
    assert_true(number_at(sup_json_get(one, "joints")->first, "badness") == number_at(joints->first, "badness"));
    // A chain that is bound already: the same numbers again.
    flat_handle chain = must(flat_chain(arm, "{\"links\":\"dualquat\",\"clip\":0}", NULL, NULL), arm);
    snprintf(wish, sizeof wish, "{\"chains\":[\"linear\"],\"joints\":[\"%s\"]}", name);
    sup_json*       own = test_json(answered(flat_check(chain, wish, NULL, NULL), chain), arena);
    const sup_json* results = sup_json_get(sup_json_get(own, "joints")->first, "chains");
    assert_int_equal(results->count, 2);
    assert_true(number_at(results->last, "volume_change") ==
                number_at(sup_json_get(sup_json_get(one, "joints")->first, "chains")->last, "volume_change"));
    flat_free(chain), flat_free(arm);
    sup_arena_destroy(arena);
}

static void without_chains_the_doctor_takes_what_suits(void** state)
{
    (void)state;
    flat_handle arm = load("builtin:arm?points=300");
    const char* text = answered(flat_check(arm, "{\"top\":1,\"joints\":[\"forearm\"]}", NULL, NULL), arm);
    says(text, "\"linear\"");
    says(text, "\"dualquat\"");
    says(text, "left_out");
    assert_null(strstr(text, "layers")); // it must settle: whoever wants it names it
    flat_free(arm);
}

static void the_doctor_stops_and_speaks(void** state)
{
    (void)state;
    flat_handle arm = load("builtin:arm?points=300");
    int         calls = 0;
    assert_null(flat_check(arm, "{\"chains\":\"layers\"}", stop_at_once, &calls));
    assert_int_equal(flat_status_of(arm), FLAT_CANCELLED);
    assert_int_equal(calls, 1);
    assert_null(flat_check(arm, "{\"joints\":[\"leg*\"]}", NULL, NULL));
    says(flat_error(arm), "leg*");
    assert_null(flat_check(arm, "{\"chains\":\"nonsense\"}", NULL, NULL));
    says(flat_error(arm), "nonsense");
    assert_null(flat_check(arm, "{\"preroll\":-1}", NULL, NULL));
    assert_null(flat_check(session, NULL, NULL, NULL));
    flat_free(arm);
    assert_null(flat_check(arm, NULL, NULL, NULL));
}

// ---------------------------------------------------------------------------------------------- values

static void points_have_values(void** state)
{
    (void)state;
    flat_handle arm = load("builtin:arm?points=300"), chain = must(flat_chain(arm, "{\"clip\":0}", NULL, NULL), arm);
    flat_handle player = must(flat_play(chain, NULL), chain);
    assert_int_equal(flat_evaluate(player, 0.4, NULL, 0), FLAT_OK);
    uint64_t     floats = 0;
    const float* skin = flat_array(player, "skin", &floats);
    uint64_t     count = floats / 3;
    float *      values = malloc(count * sizeof *values), *others = malloc(floats * sizeof *others);
    memcpy(others, skin, floats * sizeof *others);
    others[3] += 3, others[4] += 4; // point 1 is 5 away, all others are there
    assert_int_equal(flat_distances(player, others, floats, values, count), FLAT_OK);
    for (uint64_t p = 0; p < count; ++p) assert_true(fabsf(values[p] - (p == 1 ? 5.0f : 0.0f)) < 1e-5f);
    assert_int_equal(flat_distances(player, others, floats - 3, values, count), FLAT_INPUT);
    assert_int_equal(flat_distances(player, others, floats, values, count - 1), FLAT_INPUT);
    assert_int_equal(flat_distances(player, others, floats, NULL, count), FLAT_INPUT);
    // The joints' weights of a point sum to 1.
    float*          sum = calloc(count, sizeof *sum);
    sup_arena*      arena = sup_arena_create(NULL);
    const sup_json* joints = sup_json_get(test_json(flat_inspect(arm), arena), "joints");
    for (const sup_json* j = joints->first; j; j = j->next) {
        char what[80];
        snprintf(what, sizeof what, "weight:%s", sup_json_string(sup_json_get(j, "name"), ""));
        assert_int_equal(flat_values(player, what, values, count), FLAT_OK);
        for (uint64_t p = 0; p < count; ++p) sum[p] += values[p];
    }
    for (uint64_t p = 0; p < count; ++p) assert_true(fabsf(sum[p] - 1) < 1e-5f);
    // A part's change is what flat_measure says of its volume; some point lies wholly in each.
    assert_int_equal(flat_values(player, "volume", values, count), FLAT_OK);
    const sup_json* parts = sup_json_get(test_json(flat_measure(player), arena), "parts");
    assert_true(parts->count > 1);
    for (const sup_json* part = parts->first; part; part = part->next) {
        double change = number_at(part, "volume") / number_at(part, "volume_rest") - 1, nearest = INFINITY;
        for (uint64_t p = 0; p < count; ++p) nearest = fmin(nearest, fabs((double)values[p] - change));
        assert_true(nearest < 1e-6);
    }
    float* map = calloc(count, sizeof *map);
    map[2] = 0.5f;
    assert_int_equal(flat_map(arm, "soft", map, count), FLAT_OK);
    assert_int_equal(flat_values(player, "map:soft", values, count), FLAT_OK);
    assert_memory_equal(values, map, count * sizeof *map);
    assert_int_equal(flat_values(player, "map:hard", values, count), FLAT_INPUT);
    says(flat_error(player), "hard");
    assert_int_equal(flat_values(player, "weight:nobody", values, count), FLAT_INPUT);
    says(flat_error(player), "nobody");
    assert_int_equal(flat_values(player, "beauty", values, count), FLAT_INPUT);
    free(values), free(others), free(sum), free(map);
    sup_arena_destroy(arena);
    flat_free(player), flat_free(chain), flat_free(arm);
}

static void going_back_gives_the_same_frame(void** state)
{
    (void)state;
    flat_handle arm = load("builtin:arm?points=300"),
                chain = must(flat_chain(arm, "{\"links\":\"layers\",\"clip\":0}", NULL, NULL), arm);
    flat_handle player = must(flat_play(chain, NULL), chain);
    char        forward[5][17];
    for (int i = 0; i < 5; ++i) {
        assert_int_equal(flat_evaluate(player, 0.1 * i, NULL, 0), FLAT_OK);
        strcpy(forward[i], flat_hash(player));
    }
    for (int i = 5; i-- > 0;) {
        assert_int_equal(flat_evaluate(player, 0.1 * i, NULL, 0), FLAT_OK);
        assert_string_equal(flat_hash(player), forward[i]);
    }
    flat_free(player), flat_free(chain), flat_free(arm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_become_a_clip_that_may_be_made_anew),
        cmocka_unit_test(captured_motion_becomes_a_clip),
        cmocka_unit_test(a_clip_of_an_identical_rig_is_its_own),
        cmocka_unit_test(automatic_weights_make_a_second_character),
        cmocka_unit_test(cells_that_weights_spread_through_are_arrays),
        cmocka_unit_test(a_skeleton_comes_from_a_file),
        cmocka_unit_test(weights_can_be_stopped),
        cmocka_unit_test(the_doctor_ranks_joints),
        cmocka_unit_test(without_chains_the_doctor_takes_what_suits),
        cmocka_unit_test(the_doctor_stops_and_speaks),
        cmocka_unit_test(points_have_values),
        cmocka_unit_test(going_back_gives_the_same_frame),
    };
    return cmocka_run_group_tests(tests, open_session, close_session);
}

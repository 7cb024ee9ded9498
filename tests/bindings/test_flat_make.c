// The flat interface's other half: characters from arrays, maps, sculpts, motions, bakes, fits; and no wrong size that does
// harm.
#include "flat_session.h"

#include "supple/supple.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void done(int32_t status, flat_handle handle)
{
    if (status != FLAT_OK) fail_msg("%d: %s", status, flat_error(handle));
}
static void refused(int32_t status, flat_handle handle, const char* words)
{
    assert_int_equal(status, FLAT_INPUT);
    assert_int_equal(flat_status_of(handle), FLAT_INPUT);
    if (!strstr(flat_error(handle), words)) fail_msg("'%s' does not say '%s'", flat_error(handle), words);
}

static flat_handle arm(void) { return must(flat_load(session, "builtin:arm?points=300", NULL, NULL, NULL), session); }
static flat_handle chain_of(flat_handle character, const char* description)
{
    return must(flat_chain(character, description, NULL, NULL), character);
}

// ---------------------------------------------------------------------------------------------- from arrays

/// "{joints}" of a character as flat_make takes them.
static char* joints_of(flat_handle character, const char* more)
{
    sup_arena*  arena = sup_arena_create(NULL);
    const char* text = flat_inspect(character);
    sup_json*   json = test_json(text, arena);
    char*  out = malloc(4096);
    size_t at = (size_t)snprintf(out, 4096, "{%s\"joints\":[", more);
    for (const sup_json* j = sup_json_get(json, "joints")->first; j; j = j->next) {
        double parent = sup_json_number(sup_json_get(j, "parent"), -1);
        at += (size_t)snprintf(out + at, 4096 - at, "%s{\"name\":\"%s\"", j == sup_json_get(json, "joints")->first ? "" : ",",
                               sup_json_string(sup_json_get(j, "name"), ""));
        if (parent >= 0) at += (size_t)snprintf(out + at, 4096 - at, ",\"parent\":%d", (int)parent);
        at += (size_t)snprintf(out + at, 4096 - at, "}");
    }
    snprintf(out + at, 4096 - at, "]}");
    sup_arena_destroy(arena);
    return out;
}

static void copy_array(flat_handle from, const char* name, flat_handle draft, const char* as)
{
    uint64_t    count = 0;
    const void* data = flat_array(from, name, &count);
    assert_non_null(data);
    done(flat_give(draft, as, data, count), draft);
}

static flat_handle draft_of(flat_handle character, bool inverse_binds)
{
    static const char* const names[] = { "points", "weight_begin", "weight_joints", "weight_values", "joint_rest" };
    flat_handle              draft = must(flat_draft(session), session);
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) copy_array(character, names[i], draft, names[i]);
    if (inverse_binds) copy_array(character, "joint_inverse_bind", draft, "joint_inverse_bind");
    copy_array(character, "corner_points", draft, "corners");
    uint64_t        count = 0;
    const uint32_t* begin = flat_array(character, "face_begin", &count);
    uint32_t*       sizes = malloc(count * sizeof *sizes);
    for (uint64_t i = 0; i + 1 < count; ++i) sizes[i] = begin[i + 1] - begin[i];
    done(flat_give(draft, "face_sizes", sizes, count - 1), draft);
    free(sizes);
    return draft;
}

/// The motion of the first clip, frame by frame, as flat_clip takes it.
static float* sample_motion(flat_handle character, uint32_t frames, double fps, uint64_t* floats)
{
    flat_handle chain = chain_of(character, "{\"clip\":0}"), instance = must(flat_play(chain, NULL), chain);
    float*      out = NULL;
    for (uint32_t i = 0; i < frames; ++i) {
        uint64_t count = 0;
        done(flat_evaluate(instance, (double)(float)(i / fps), NULL, 0), instance); // times of keys are floats
        const float* local = flat_array(instance, "local", &count);
        if (!out) out = malloc(frames * count * sizeof *out);
        memcpy(out + i * count, local, count * sizeof *out);
        *floats = frames * count;
    }
    flat_free(instance), flat_free(chain);
    return out;
}

static void a_character_from_arrays_moves_like_its_source(void** state)
{
    (void)state;
    flat_handle character = arm();
    for (int inverse_binds = 0; inverse_binds < 2; ++inverse_binds) {
        flat_handle draft = draft_of(character, inverse_binds);
        char*       description = joints_of(character, "\"name\":\"copy\",");
        flat_handle copy = must(flat_make(draft, description, NULL, NULL), draft);
        uint64_t    floats;
        float*      motion = sample_motion(character, 31, 30, &floats);
        done(flat_clip(copy, "{\"name\":\"flex\",\"fps\":30}", motion, floats, NULL, 0), copy);
        static const char* const links[] = { "linear", "dualquat", "lattice", "layers", "dualquat,smooth" };
        for (size_t i = 0; i < sizeof links / sizeof *links; ++i) {
            char text[128], hash[32];
            snprintf(text, sizeof text, "{\"links\":\"%s\",\"clip\":0}", links[i]);
            flat_handle a = chain_of(character, text), b = chain_of(copy, text);
            flat_handle first = must(flat_play(a, NULL), a), second = must(flat_play(b, NULL), b);
            done(flat_evaluate(first, (double)0.3f, NULL, 0), first);
            done(flat_evaluate(second, (double)0.3f, NULL, 0), second);
            strcpy(hash, flat_hash(first));
            // Keys of our own are as exact as the frames; between them a second clip can only be near.
            const float *p = flat_array(first, "skin", &floats), *q = flat_array(second, "skin", NULL);
            for (uint64_t k = 0; k < floats; ++k)
                if (!(fabsf(p[k] - q[k]) < 2e-4f)) fail_msg("%s differs: %g %g", links[i], (double)p[k], (double)q[k]);
            if (inverse_binds && i < 2) assert_string_equal(hash, flat_hash(second));
            flat_free(first), flat_free(second), flat_free(a), flat_free(b);
        }
        free(motion), free(description);
        flat_free(draft), flat_free(copy);
    }
    flat_free(character);
}

static void weights_can_be_automatic(void** state)
{
    (void)state;
    flat_handle character = arm(), draft = must(flat_draft(session), session);
    copy_array(character, "points", draft, "points");
    copy_array(character, "triangles", draft, "corners");
    copy_array(character, "joint_rest", draft, "joint_rest");
    char*       description = joints_of(character, "\"weights\":\"automatic\",");
    flat_handle copy = must(flat_make(draft, description, NULL, NULL), draft);
    uint64_t    count = 0;
    assert_non_null(flat_array(copy, "weight_values", &count));
    assert_true(count > 300);
    free(description);
    flat_free(draft), flat_free(copy), flat_free(character);
}

static void two_meshes_and_a_name_each(void** state)
{
    (void)state;
    static const float    points[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    static const uint32_t corners[] = { 0, 1, 2 };
    flat_handle           draft = must(flat_draft(session), session);
    done(flat_give(draft, "points", points, 9), draft);
    done(flat_give(draft, "corners", corners, 3), draft);
    done(flat_give(draft, "points#2", points, 9), draft);
    done(flat_give(draft, "corners#2", corners, 3), draft);
    done(flat_give(draft, "map:glow#2", points, 3), draft);
    flat_handle made = must(flat_make(draft, "{\"parts\":[{\"name\":\"a\"},{\"name\":\"b\"}]}", NULL, NULL), draft);
    assert_non_null(strstr(flat_inspect(made), "\"b\""));
    uint64_t     count = 0;
    const float* map = flat_array(made, "map:glow", &count);
    assert_int_equal(count, 6);
    assert_true(map[5] == 0 && map[4] == 0);
    flat_free(made), flat_free(draft);
}

static void bad_drafts_are_refused_with_a_reason(void** state)
{
    (void)state;
    static const float    points[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    static const uint32_t corners[] = { 0, 1, 7 }, begin[] = { 0, 2, 1, 1 }, many[] = { 0, 9, 9, 9 };
    static const float    rest[] = { 0, 0, 0, 0, 0, 0, 1, 1, 1, 0 };
    flat_handle           draft = must(flat_draft(session), session);
    assert_int_equal(flat_make(draft, NULL, NULL, NULL), 0);
    refused(FLAT_INPUT, draft, "no array 'points'");
    refused(flat_give(draft, "points", NULL, 9), draft, "address 0");
    refused(flat_give(draft, "points", points, UINT64_MAX), draft, "the most");
    refused(flat_give(draft, "", points, 1), draft, "a name");
    struct {
        const char* name;
        const void* data;
        uint64_t    count;
        const char *description, *words;
    } const cases[] = { { "points", points, 8, "{}", "not three per point" },
                        { "points", points, 9, "[]", "JSON object" },
                        { "points", points, 9, "{\"nam\":1}", "did you mean 'name'?" },
                        { "points", points, 9, "{\"up\":\"w\"}", "up must be" },
                        { "points", points, 9, "{\"unit\":-1}", "unit must be" },
                        { "colors", points, 9, "{}", "no array 'colors'" },
                        { "points#x", points, 9, "{}", "no array 'points#x'" },
                        { "points#3", points, 9, "{}", "mesh 2 has no array" },
                        { "normals", points, 8, "{}", "where 9 are needed" },
                        { "corners", corners, 2, "{}", "not triangles" },
                        { "corners", corners, 3, "{}", "vertex 7" },
                        { "face_sizes", many, 4, "{}", "have 27 corners" },
                        { "weight_begin", begin, 3, "{}", "where 4 are needed" },
                        { "weight_begin", begin, 4, "{}", "must rise" },
                        { "weight_begin", many, 4, "{}", "but there are 0" },
                        { "map:x", points, 2, "{}", "where 3 are needed" },
                        { "morph:x", points, 3, "{}", "where 9 are needed" },
                        { "joint_rest", rest, 9, "{\"joints\":[{\"name\":\"a\"}]}", "where 10 are needed" },
                        { "joint_rest", rest, 10, "{\"joints\":[{\"name\":\"a\",\"parent\":\"b\"}]}", "a parent that is not one" },
                        { "joint_rest", rest, 10, "{\"joints\":[{\"name\":\"a\",\"parent\":0}]}", "own ancestor" },
                        { "joint_rest", rest, 10, "{\"joints\":[{\"name\":\"a\"}]}", "scale of 0" },
                        { "joint_rest", rest, 10, "{\"joints\":[{}]}", "no name" },
                        { "points", points, 9, "{\"joints\":[{\"name\":\"a\"}]}", "give 'joint_rest'" },
                        { "points", points, 9, "{\"weights\":\"none\"}", "\"automatic\"" } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        flat_handle one = must(flat_draft(session), session);
        done(flat_give(one, "points", points, 9), one);
        done(flat_give(one, cases[i].name, cases[i].data, cases[i].count), one);
        assert_int_equal(flat_make(one, cases[i].description, NULL, NULL), 0);
        refused(FLAT_INPUT, one, cases[i].words);
        flat_free(one);
    }
    flat_free(draft);
    assert_int_equal(flat_give(draft, "points", points, 9), FLAT_DEAD);
    assert_int_equal(flat_make(draft, NULL, NULL, NULL), 0);
}

// ---------------------------------------------------------------------------------------------- maps, sculpts, motions

static void maps_go_in_and_out(void** state)
{
    (void)state;
    flat_handle character = arm();
    uint64_t    count = 0, floats = 0;
    flat_array(character, "points", &floats);
    uint32_t points = (uint32_t)floats / 3;
    float*   values = calloc(points, sizeof *values);
    values[0] = 0.25f, values[1] = 3, values[2] = -1;
    flat_handle before = chain_of(character, "{\"links\":\"dualquat\",\"clip\":0}");
    done(flat_map(character, "dualquat_blend", values, points), character);
    const float* back = flat_array(character, "map:_DUALQUAT_BLEND", &count);
    assert_int_equal(count, points);
    assert_true(back[0] == 0.25f && back[1] == 1 && back[2] == 0);
    assert_ptr_equal(back, flat_array(character, "map:dualquat_blend", NULL));
    // Chains made afterwards read it, those before do not.
    flat_handle after = chain_of(character, "{\"links\":\"dualquat\",\"clip\":0}");
    flat_handle a = must(flat_play(before, NULL), before), b = must(flat_play(after, NULL), after);
    done(flat_evaluate(a, 0.8, NULL, 0), a);
    done(flat_evaluate(b, 0.8, NULL, 0), b);
    char hash[32];
    strcpy(hash, flat_hash(a));
    assert_string_not_equal(hash, flat_hash(b));
    refused(flat_map(character, "x", values, points - 1), character, "give 1 for each");
    refused(flat_map(character, "x", NULL, points), character, "give 1 for each");
    refused(flat_map(character, NULL, values, points), character, "a name");
    values[4] = NAN;
    refused(flat_map(character, "x", values, points), character, "not finite");
    assert_null(flat_array(character, "map:x", NULL));
    assert_int_equal(flat_map(before, "x", values, points), FLAT_DEAD);
    free(values);
    flat_free(a), flat_free(b), flat_free(before), flat_free(after), flat_free(character);
}

static void weights_come_back_from_a_file_to_the_bit(void** state)
{
    (void)state;
    // A file of its own: what is written of a built-in character has its points in another order.
    flat_handle    built = arm();
    uint64_t       points = 0, count = 0, size = 0, again = 0;
    const uint8_t* bytes = flat_write(built, &size);
    flat_handle    character = must(flat_load_bytes(session, "arm.glb", bytes, size, NULL, NULL, NULL), session);
    const void*    given = flat_array(character, "weight_begin", &points);
    uint32_t *     begin = malloc(points * sizeof *begin), *joints = NULL;
    memcpy(begin, given, points * sizeof *begin);
    given = flat_array(character, "weight_joints", &count);
    joints = malloc(count * sizeof *joints);
    memcpy(joints, given, count * sizeof *joints);
    float* values = malloc(count * sizeof *values);
    for (uint64_t i = 0; i < count; ++i) values[i] = 0.1f + 0.37f * (float)(i % 7); // no sum is 1
    done(flat_weights(character, begin, points, joints, values, count), character);
    const uint32_t* rows = flat_array(character, "weight_begin", NULL);
    const float*    kept = flat_array(character, "weight_values", &again);
    for (uint64_t p = 0; p + 1 < points; ++p) {
        double sum = 0;
        for (uint32_t i = rows[p]; i < rows[p + 1]; ++i) sum += (double)kept[i];
        assert_true(sum == 1.0);
    }
    bytes = flat_write(character, &size);
    flat_handle read = must(flat_load_bytes(session, "arm.glb", bytes, size, NULL, NULL, NULL), session);
    assert_memory_equal(flat_array(read, "weight_values", &count), kept, again * sizeof *kept);
    assert_int_equal(count, again);
    // What makes no sense is refused, and leaves what is there.
    values[0] = -1;
    refused(flat_weights(character, begin, points, joints, values, count), character, "negative");
    values[0] = 1, joints[0] = 99999;
    refused(flat_weights(character, begin, points, joints, values, count), character, "moves no skin");
    joints[0] = 0;
    refused(flat_weights(character, begin, points - 1, joints, values, count), character, "in begin");
    memset(values, 0, (begin[1] - begin[0]) * sizeof *values);
    refused(flat_weights(character, begin, points, joints, values, count), character, "follows no joint");
    assert_ptr_equal(kept, flat_array(character, "weight_values", NULL));
    free(begin), free(joints), free(values);
    flat_free(read), flat_free(character), flat_free(built);
}

static void sculpts_bring_the_links_that_need_them(void** state)
{
    (void)state;
    flat_handle character = arm();
    uint64_t    floats = 0;
    done(flat_example(character, "{}", NULL, 0), character); // drops those of the built-in
    assert_int_equal(flat_chain(character, "{\"links\":\"beam\",\"clip\":0}", NULL, NULL), 0);
    const float* rest = flat_array(character, "points", &floats);
    float*       sculpt = malloc(floats * sizeof *sculpt);
    memcpy(sculpt, rest, floats * sizeof *sculpt);
    done(flat_example(character, "{\"name\":\"a\",\"clip\":0,\"time\":0}", sculpt, floats), character);
    for (uint64_t i = 0; i < floats; ++i) sculpt[i] *= 1.02f;
    done(flat_example(character, "{\"name\":\"b\",\"clip\":\"flex\",\"time\":1,\"rest_space\":true}", sculpt, floats),
         character);
    flat_handle chain = chain_of(character, "{\"links\":\"beam\",\"clip\":0}");
    refused(flat_example(character, "{\"time\":1}", sculpt, floats), character, "its own time");
    refused(flat_example(character, "{\"time\":-1}", sculpt, floats), character, "time must be");
    refused(flat_example(character, "{\"time\":0.5}", sculpt, floats - 3), character, "give 3 for each");
    refused(flat_example(character, "{\"time\":0.5,\"clip\":\"no\"}", sculpt, floats), character, "no clip 'no'");
    free(sculpt);
    flat_free(chain), flat_free(character);
}

static void wrong_motions_are_refused(void** state)
{
    (void)state;
    flat_handle character = arm();
    uint64_t    floats;
    float*      motion = sample_motion(character, 3, 30, &floats);
    refused(flat_clip(character, "{\"name\":\"m\"}", motion, floats - 1, NULL, 0), character, "floats per frame");
    refused(flat_clip(character, "{\"name\":\"m\"}", NULL, floats, NULL, 0), character, "floats per frame");
    refused(flat_clip(character, "{\"name\":\"m\"}", motion, 0, NULL, 0), character, "floats per frame");
    refused(flat_clip(character, "{\"name\":\"flex\"}", motion, floats, NULL, 0), character, "already");
    refused(flat_clip(character, "{\"name\":\"m\",\"fps\":0}", motion, floats, NULL, 0), character, "fps must be");
    refused(flat_clip(character, "{\"name\":\"m\"}", motion, floats, motion, 5), character, "morphs of a motion");
    motion[7] = INFINITY;
    refused(flat_clip(character, "{\"name\":\"m\"}", motion, floats, NULL, 0), character, "not finite");
    free(motion);
    flat_free(character);
}

// ---------------------------------------------------------------------------------------------- bakes

static void a_bake_is_the_frames_one_by_one(void** state)
{
    (void)state;
    flat_handle   character = arm(), chain = chain_of(character, "{\"links\":\"dualquat,smooth\",\"clip\":0}");
    flat_handle   instance = must(flat_play(chain, NULL), chain);
    flat_handle   baked = must(flat_bake(chain, "{\"fps\":20}", NULL, NULL), chain);
    uint64_t      count = 0, floats = 0, frames = 0;
    const float*  points = flat_array(baked, "points", &count);
    const double* times = flat_array(baked, "times", &frames);
    flat_array(instance, "skin", &floats);
    assert_int_equal(frames, 21);
    assert_int_equal(count, frames * floats);
    for (uint64_t i = 0; i < frames; ++i) {
        done(flat_evaluate(instance, times[i], NULL, 0), instance);
        assert_memory_equal(points + i * floats, flat_array(instance, "skin", NULL), floats * sizeof(float));
        assert_non_null(strstr(flat_inspect(baked), flat_hash(instance)));
    }
    assert_non_null(strstr(flat_inspect(baked), "\"frames\":21"));
    assert_null(flat_array(baked, "file:0", NULL));
    flat_free(chain), flat_free(character); // the bake keeps what it needs
    assert_non_null(flat_inspect(baked));
    flat_free(baked), flat_free(instance);
}

static void bytes_are_files(void** state)
{
    (void)state;
    static const char* const names[] = { "walk.glb", "walk.pc2", "walk.mdd", "walk.npy", "walk.usda" };
    flat_handle              character = arm(), chain = chain_of(character, "{\"links\":\"dualquat\",\"clip\":0}");
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        char     text[128];
        uint64_t size = 0;
        snprintf(text, sizeof text, "{\"file\":\"%s\",\"memory\":true,\"end\":0.2}", names[i]);
        flat_handle    baked = must(flat_bake(chain, text, NULL, NULL), chain);
        const uint8_t* bytes = flat_array(baked, "file:0", &size);
        assert_true(bytes && size > 1000);
        assert_non_null(strstr(flat_inspect(baked), names[i]));
        assert_null(flat_array(baked, "points", NULL));
        assert_null(flat_array(baked, "file:1", NULL));
        assert_null(flat_array(baked, "file:x", NULL));
        assert_null(flat_array(baked, "file:99999999999999999999", NULL));
        if (i == 0) {
            flat_handle again = must(flat_load_bytes(session, "walk.glb", bytes, size, NULL, NULL, NULL), session);
            flat_free(again);
        }
        flat_free(baked);
    }
    uint64_t       size = 0;
    const uint8_t* glb = flat_write(character, &size);
    assert_non_null(glb);
    flat_handle again = must(flat_load_bytes(session, "arm.glb", glb, size, NULL, NULL, NULL), session);
    flat_free(again), flat_free(chain), flat_free(character);
    assert_null(flat_write(character, &size));
    assert_int_equal(size, 0);
}

static int32_t stop_half_way(void* user, double fraction, const char* what)
{
    (void)what;
    ++*(int*)user;
    return fraction < 0.5;
}

static void bakes_can_be_wrong_and_cancelled(void** state)
{
    (void)state;
    static const char* const bad[][2] = { { "{\"file\":\"x.png\"}", "the ending" },
                                          { "{\"memory\":true}", "needs a file name" },
                                          { "{\"start\":2,\"end\":1}", "after its end" },
                                          { "{\"fps\":0}", "fps must be" },
                                          { "{\"end\":1000000,\"fps\":10000}", "a million frames" },
                                          { "{\"clip\":\"no\"}", "no clip 'no'" },
                                          { "{\"clip\":null,\"loop\":true}", "a loop needs a clip" },
                                          { "{\"frames\":3}", "know no 'frames'" } };
    flat_handle              character = arm(), chain = chain_of(character, "{\"links\":\"dualquat\",\"clip\":0}");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        assert_int_equal(flat_bake(chain, bad[i][0], NULL, NULL), 0);
        refused(FLAT_INPUT, chain, bad[i][1]);
    }
    assert_int_equal(flat_bake(chain, "{\"file\":\"/no/such/folder/x.glb\"}", NULL, NULL), 0);
    assert_int_equal(flat_status_of(chain), FLAT_FILE);
    int asked = 0;
    assert_int_equal(flat_bake(chain, "{}", stop_half_way, &asked), 0);
    assert_int_equal(flat_status_of(chain), FLAT_CANCELLED);
    assert_true(asked > 10 && asked < 20);
    assert_int_equal(flat_bake(character, "{}", NULL, NULL), 0);
    flat_free(chain), flat_free(character);
    assert_int_equal(flat_bake(chain, "{}", NULL, NULL), 0);
    assert_int_equal(flat_status_of(chain), FLAT_DEAD);
}

// ---------------------------------------------------------------------------------------------- measures, fits

static void frames_are_measured(void** state)
{
    (void)state;
    flat_handle character = arm(), chain = chain_of(character, "{\"links\":\"dualquat\",\"clip\":0}");
    flat_handle instance = must(flat_play(chain, NULL), chain);
    uint64_t    floats = 0;
    assert_null(flat_errors(instance, NULL, 0));
    refused(FLAT_INPUT, instance, "no frame");
    done(flat_evaluate(instance, 0.7, NULL, 0), instance);
    const float* skin = flat_array(instance, "skin", &floats);
    float*       truth = malloc(floats * sizeof *truth);
    memcpy(truth, skin, floats * sizeof *truth);
    assert_non_null(strstr(flat_errors(instance, truth, floats), "\"max\":0,"));
    truth[0] += 0.5f;
    assert_non_null(strstr(flat_errors(instance, truth, floats), "\"max\":0.5"));
    assert_null(flat_errors(instance, truth, floats - 1));
    refused(FLAT_INPUT, instance, "but the buffer has");
    truth[0] = NAN;
    assert_null(flat_errors(instance, truth, floats));
    done(flat_values(instance, "stretch", truth, floats / 3), instance);
    done(flat_values(instance, "roughness", truth, floats / 3), instance);
    for (uint64_t i = 0; i < floats / 3; ++i) assert_true(isfinite(truth[i]));
    refused(flat_values(instance, "colour", truth, floats / 3), instance, "\"stretch\", \"roughness\"");
    refused(flat_values(instance, NULL, truth, floats / 3), instance, "\"stretch\", \"roughness\"");
    refused(flat_values(instance, "stretch", truth, floats), instance, "values of points");
    assert_non_null(strstr(flat_measure(instance), "\"roughness\":"));
    free(truth);
    flat_free(instance), flat_free(chain), flat_free(character);
}

static void shapes_become_a_rig(void** state)
{
    (void)state;
    flat_handle  character = arm(), chain = chain_of(character, "{\"links\":\"linear\",\"clip\":0}");
    flat_handle  baked = must(flat_bake(chain, "{\"fps\":10}", NULL, NULL), chain);
    uint64_t     floats = 0;
    const float* shapes = flat_array(baked, "points", &floats);
    flat_handle  rig = must(flat_fit(character, "{\"bones\":4,\"fps\":10}", shapes, floats, NULL, NULL), character);
    assert_non_null(strstr(flat_inspect(rig), "\"fit\":{\"bones\":"));
    flat_handle again = chain_of(rig, "{\"clip\":\"fit\"}"), play = must(flat_play(again, NULL), again);
    done(flat_evaluate(play, 0.5, NULL, 0), play);
    int asked = 0;
    assert_int_equal(flat_fit(character, "{}", shapes, floats - 1, NULL, NULL), 0);
    refused(FLAT_INPUT, character, "floats per frame");
    assert_int_equal(flat_fit(character, "{}", NULL, floats, NULL, NULL), 0);
    assert_int_equal(flat_fit(character, "{\"bones\":0}", shapes, floats, NULL, NULL), 0);
    assert_int_equal(flat_fit(character, "{\"bones\":9}", shapes, floats, stop_half_way, &asked), 0);
    assert_true(asked > 0);
    assert_int_equal(flat_status_of(character), FLAT_CANCELLED);
    flat_free(play), flat_free(again), flat_free(rig), flat_free(baked), flat_free(chain), flat_free(character);
}

// ---------------------------------------------------------------------------------------------- threads

static flat_handle shared;
static uint64_t    shared_points;

static void* change(void* user)
{
    float*    values = user;
    uintptr_t odd = 0;
    for (int i = 0; i < 200; ++i) {
        int32_t status = flat_map(shared, "stiffness", values, shared_points);
        odd += status != FLAT_OK && status != FLAT_BUSY;
        flat_array(shared, "points", NULL);
        flat_error(shared);
    }
    return (void*)odd;
}

static void* bake_again(void* user)
{
    uintptr_t odd = 0;
    for (int i = 0; i < 10; ++i) {
        flat_handle baked = flat_bake(*(flat_handle*)user, "{\"end\":0.2,\"file\":\"x.glb\",\"memory\":true}", NULL, NULL);
        flat_handle play = flat_play(*(flat_handle*)user, NULL);
        odd += flat_free(baked) != FLAT_OK;
        odd += flat_free(play) != FLAT_OK;
    }
    return (void*)odd;
}

static void changes_and_reads_from_several_threads_do_no_harm(void** state)
{
    (void)state;
    float values[400] = { 0 };
    shared = arm();
    flat_array(shared, "points", &shared_points);
    shared_points /= 3;
    assert_true(shared_points <= 400);
    flat_handle chains[2] = { chain_of(shared, "{\"clip\":0}"), chain_of(shared, "{\"links\":\"dualquat\",\"clip\":0}") };
    pthread_t   threads[4];
    void*       odd = NULL;
    for (int i = 0; i < 2; ++i) assert_int_equal(pthread_create(&threads[i], NULL, change, values), 0);
    for (int i = 0; i < 2; ++i) assert_int_equal(pthread_create(&threads[2 + i], NULL, bake_again, &chains[i]), 0);
    for (int i = 0; i < 4; ++i) {
        assert_int_equal(pthread_join(threads[i], &odd), 0);
        assert_null(odd);
    }
    flat_free(chains[0]), flat_free(chains[1]), flat_free(shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_character_from_arrays_moves_like_its_source),
        cmocka_unit_test(weights_can_be_automatic),
        cmocka_unit_test(two_meshes_and_a_name_each),
        cmocka_unit_test(bad_drafts_are_refused_with_a_reason),
        cmocka_unit_test(maps_go_in_and_out),
        cmocka_unit_test(weights_come_back_from_a_file_to_the_bit),
        cmocka_unit_test(sculpts_bring_the_links_that_need_them),
        cmocka_unit_test(wrong_motions_are_refused),
        cmocka_unit_test(a_bake_is_the_frames_one_by_one),
        cmocka_unit_test(bytes_are_files),
        cmocka_unit_test(bakes_can_be_wrong_and_cancelled),
        cmocka_unit_test(frames_are_measured),
        cmocka_unit_test(shapes_become_a_rig),
        cmocka_unit_test(changes_and_reads_from_several_threads_do_no_harm),
    };
    return cmocka_run_group_tests(tests, open_session, close_session);
}

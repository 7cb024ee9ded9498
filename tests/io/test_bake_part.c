// A part of a clip: the baked clip lasts from 0 to end - start, and joints and skin in it are those of the source at start + t.
#include "bake_support.h"
#include "folder.h"
#include "glb_file.h"

#define NEAR 1e-5 // of the diagonal

enum { KEYS = 5 };

static const float times[KEYS] = { 0.25f, 0.9f, 1.5f, 2.2f, 3.0f };

// Every kind of channel, over joints of the tube; rotations of splines have tangents that leave the unit sphere.
static sup_clip any_clip(sup_channel channels[5], float values[5][KEYS * 12])
{
    static const sup_path          paths[] = { SUP_PATH_ROTATION, SUP_PATH_ROTATION, SUP_PATH_TRANSLATION, SUP_PATH_SCALE,
                                               SUP_PATH_TRANSLATION };
    static const sup_interpolation ways[] = { SUP_INTERPOLATE_LINEAR, SUP_INTERPOLATE_CUBIC, SUP_INTERPOLATE_CUBIC,
                                              SUP_INTERPOLATE_LINEAR, SUP_INTERPOLATE_STEP };
    static const uint32_t          joints[] = { 0, 1, 1, 1, 2 };
    for (uint32_t c = 0; c < 5; ++c) {
        uint32_t width = paths[c] == SUP_PATH_ROTATION ? 4 : 3, rows = ways[c] == SUP_INTERPOLATE_CUBIC ? 3 : 1;
        for (uint32_t i = 0; i < KEYS * rows * width; ++i) {
            float wave = (float)((i * 7 + 3 * c) % 11) / 11 - 0.5f;
            values[c][i] = paths[c] == SUP_PATH_SCALE ? 1 + 0.4f * wave : 0.5f * wave;
        }
        for (uint32_t k = 0; k < KEYS && width == 4; ++k) {
            sup_quat q = quat_axis_angle(v3(k % 2 ? 0.6f : 0, 0.8f, k % 2 ? 0 : 0.6f), 0.4f * (float)k);
            memcpy(values[c] + (rows == 3 ? 12 * k + 4 : 4 * k), &q, sizeof q);
        }
        channels[c] = (sup_channel){ joints[c], paths[c], ways[c], KEYS, width, times, values[c] };
    }
    return (sup_clip){ .name = "mixed", .seconds = 3, .channel_count = 5, .channels = channels, .source_id = SUP_NONE };
}

static bool jumps_at(double time)
{
    for (int k = 0; k < KEYS; ++k)
        if (fabs(time - (double)times[k]) < 1e-5) return true;
    return false;
}

// Largest difference of any joint's matrix between the source at start + t and the baked clip at t, over the whole span.
static double joints_error(const test_bake* b, double end, const char* name, double* seconds)
{
    sup_error       error;
    sup_pose        x, y;
    sup_arena*      arena = sup_arena_create(NULL);
    sup_character*  again = test_load(b->path);
    const sup_clip* clip = sup_character_clip(again, name);
    assert_non_null(clip);
    *seconds = clip->seconds;
    assert_ok(sup_pose_create(b->character, arena, &x, &error), error);
    assert_ok(sup_pose_create(again, arena, &y, &error), error);
    double worst = 0;
    for (int i = 0; i <= 300; ++i) {
        double t = (end - b->start) * i / 300;
        if (jumps_at(b->start + t)) continue;
        sup_clip_sample(b->character, b->clip, b->start + t, &x);
        sup_clip_sample(again, clip, t, &y);
        for (uint32_t j = 0; j < b->character->skeleton.joint_count; ++j) {
            uint32_t same = sup_character_joint(again, b->character->skeleton.joints[j].name);
            assert_int_not_equal(same, SUP_NONE);
            for (int n = 0; n < 12; ++n)
                worst = fmax(worst, fabs((double)x.global[j].m[n / 4][n % 4] - (double)y.global[same].m[n / 4][n % 4]));
        }
    }
    sup_arena_destroy(arena);
    sup_character_destroy(again);
    return worst;
}

// From a fresh document, from one that was read, and a clip that no document has; all bake the same part.
typedef struct sources {
    sup_character* tube;
    sup_character* read;
    sup_channel    channels[5];
    float          values[5][KEYS * 12];
    sup_clip       loose;
} sources;

static void make_sources(sources* s)
{
    sup_error   error;
    const char* path = test_folder_file(&folder, "source.glb");
    s->tube = test_tube(12, 8, 3, 3, 0.5f);
    s->loose = any_clip(s->channels, s->values);
    assert_ok(sup_character_add_clip(s->tube, &s->loose, &error), error);
    assert_ok(sup_character_write(s->tube, path, NULL, NULL, &error), error);
    assert_ok(sup_load(path, NULL, &s->read, &error), error);
}

static void check_part(const sup_character* c, const sup_clip* clip, const char* file, double start, double end, double fps)
{
    sup_error error;
    double    seconds;
    uint32_t  frames = (uint32_t)((end - start) * fps + 1e-6) + 1;
    test_bake b = { .character = c,
                    .clip = clip,
                    .path = test_folder_file(&folder, file),
                    .start = start,
                    .end = end,
                    .fps = fps,
                    .frames = frames };
    assert_ok(test_bake_run(&b, NULL, &error), error);
    assert_string_equal(b.warnings, "");
    double joints = joints_error(&b, end, "mixed.dualquat", &seconds), skin = test_bake_error(&b, "mixed.dualquat");
    if (!(joints < 5e-6 && skin < NEAR && fabs(seconds - (end - start)) < 1e-6))
        fail_msg("%s from %g to %g: joints %.1e, skin %.1e, lasts %g", file, start, end, joints, skin, seconds);
    unlink(b.path);
}

static void the_baked_clip_is_the_part(void** state)
{
    (void)state;
    static const double parts[][3] = { { 1, 2, 10 },     { 0.3, 2.71, 24 }, { 1.6, 2.1, 30 }, { 0, 1.25, 8 },
                                       { 0.1, 0.2, 20 }, { 0.9, 2.2, 10 },  { 1.1, 1.1, 30 }, { 2.9, 3, 7 } };
    sources             s;
    make_sources(&s);
    const sup_clip* own = sup_character_clip(s.tube, "mixed");
    const sup_clip* again = sup_character_clip(s.read, "mixed");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
        check_part(s.tube, own, "fresh.glb", parts[i][0], parts[i][1], parts[i][2]);
        check_part(s.tube, &s.loose, "loose.glb", parts[i][0], parts[i][1], parts[i][2]);
        check_part(s.read, again, "read.glb", parts[i][0], parts[i][1], parts[i][2]);
        check_part(s.read, again, "read.gltf", parts[i][0], parts[i][1], parts[i][2]);
        unlink(test_folder_file(&folder, "read.bin"));
    }
    sup_character_destroy(s.tube);
    sup_character_destroy(s.read);
}

// All of a clip keeps the source's own keys, to the byte: nothing is written twice.
static void all_of_a_clip_shares_the_keys_of_the_source(void** state)
{
    (void)state;
    sources   s;
    sup_error error;
    make_sources(&s);
    test_bake b = { .character = s.read,
                    .clip = sup_character_clip(s.read, "mixed"),
                    .path = test_folder_file(&folder, "whole.glb"),
                    .fps = 10,
                    .frames = 31 };
    assert_ok(test_bake_run(&b, NULL, &error), error);
    glb             g = glb_open(b.path);
    const sup_json* animations = sup_json_get(g.root, "animations");
    const sup_json *from = sup_json_get(sup_json_at(animations, animations->count - 2), "samplers"),
                   *to = sup_json_get(animations->last, "samplers");
    for (uint32_t i = 0; i < from->count; ++i)
        assert_int_equal(glb_number(sup_json_at(from, i), "output"), glb_number(sup_json_at(to, i), "output"));
    sup_arena_destroy(g.arena);
    sup_character_destroy(s.tube);
    sup_character_destroy(s.read);
}

// Where the last frame leads to the first again, the weights do: at the end the first target is on.
static void a_loop_closes(void** state)
{
    (void)state;
    sup_character* tube = test_tube(12, 8, 3, 3, 0.5f);
    sup_error      error;
    sup_pose       pose;
    test_bake      b = { .character = tube,
                         .clip = tube->clips,
                         .path = test_folder_file(&folder, "loop.glb"),
                         .fps = 10,
                         .end = tube->clips[0].seconds,
                         .loop = true,
                         .frames = (uint32_t)(tube->clips[0].seconds * 10) };
    assert_ok(test_bake_run(&b, NULL, &error), error);
    sup_character*  again = test_load(b.path);
    const sup_clip* clip = sup_character_clip(again, "bend.dualquat");
    assert_ok(sup_pose_create(again, again->arena, &pose, &error), error);
    assert_float_equal(clip->seconds, tube->clips[0].seconds, 1e-6);
    sup_clip_sample(again, clip, clip->seconds, &pose);
    for (uint32_t m = 0; m < b.frames; ++m) assert_float_equal(pose.morph_weights[m], m == 0, 0);
    sup_clip_sample(again, clip, clip->seconds - 0.05, &pose);
    assert_float_equal(pose.morph_weights[0], 0.5f, 1e-5f);
    assert_float_equal(pose.morph_weights[b.frames - 1], 0.5f, 1e-5f);
    sup_character_destroy(again);
    sup_character_destroy(tube);
}

static void a_held_pose_begins_at_zero(void** state)
{
    (void)state;
    sup_character* tube = test_tube(12, 8, 3, 3, 0.5f);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_error      error;
    sup_pose       pose;
    assert_ok(sup_pose_create(tube, arena, &pose, &error), error);
    pose.local[1].rotation = quat(0, 0, 0.6f, 0.8f);
    sup_pose_update(tube, &pose);
    test_bake b = {
        .character = tube, .pose = &pose, .path = test_folder_file(&folder, "held.glb"), .start = 2, .fps = 10, .frames = 3
    };
    assert_ok(test_bake_run(&b, NULL, &error), error);
    assert_true(test_bake_error(&b, "pose.dualquat") < NEAR);
    sup_arena_destroy(arena);
    sup_character_destroy(tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_baked_clip_is_the_part),
        cmocka_unit_test(all_of_a_clip_shares_the_keys_of_the_source),
        cmocka_unit_test(a_loop_closes),
        cmocka_unit_test(a_held_pose_begins_at_zero),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}

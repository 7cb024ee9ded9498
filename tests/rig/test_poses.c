// Key poses by hand become clips that turn and move joints as they say.
#include "support.h"

#include "supple/io.h"
#include "supple/rig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct fixture {
    sup_arena*     arena;
    sup_character* arm;
    sup_pose       pose;
    sup_error      error;
} fixture;

static fixture begin(void)
{
    fixture f = { .arena = sup_arena_create(NULL) };
    assert_ok(sup_load("builtin:arm?points=200", NULL, &f.arm, &f.error), f.error);
    assert_ok(sup_pose_create(f.arm, f.arena, &f.pose, &f.error), f.error);
    return f;
}
static void end(fixture* f)
{
    sup_character_destroy(f->arm);
    sup_arena_destroy(f->arena);
}
static sup_result read_poses(fixture* f, const char* text, sup_clip* out)
{
    sup_json* tree;
    assert_ok(sup_json_parse(text, strlen(text), "poses", f->arena, &tree, &f->error), f->error);
    return sup_clip_from_poses(f->arm, tree, f->arena, out, &f->error);
}
static sup_clip clip_of(fixture* f, const char* text)
{
    sup_clip clip;
    assert_ok(read_poses(f, text, &clip), f->error);
    assert_ok(sup_character_add_clip(f->arm, &clip, &f->error), f->error);
    return f->arm->clips[f->arm->clip_count - 1];
}
static float angle_of(const fixture* f, const char* joint)
{
    uint32_t j = sup_character_joint(f->arm, joint);
    sup_quat a = f->arm->skeleton.joints[j].rest.rotation, b = f->pose.local[j].rotation;
    float    d = fabsf(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
    return 2 * acosf(d < 1 ? d : 1) * 57.29578f;
}

static void a_key_turns_a_joint_by_its_degrees_and_time_goes_between(void** state)
{
    (void)state;
    fixture  f = begin();
    sup_clip clip = clip_of(&f, "{\"supple_poses\":1,\"clip\":\"wave\",\"keys\":[{\"time\":0},"
                                "{\"time\":1,\"turn\":{\"forearm\":[0,0,80]}},{\"time\":2,\"turn\":{\"forearm\":[0,0,40]}}]}");
    assert_string_equal(clip.name, "wave");
    assert_float_equal(clip.seconds, 2, 0);
    const float wanted[] = { 0, 40, 80, 60, 40 };
    for (int i = 0; i < 5; ++i) {
        sup_clip_sample(f.arm, &clip, 0.5 * i, &f.pose);
        assert_float_equal(angle_of(&f, "forearm"), wanted[i], 0.05f);
        assert_float_equal(angle_of(&f, "upper_arm"), 0, 0.05f);
    }
    end(&f);
}

// Clips are normalized when they are added, and again when a file brings them back.
static void a_key_is_the_pose_of_its_turns_to_the_bit(void** state)
{
    (void)state;
    fixture  f = begin();
    uint32_t j = sup_character_joint(f.arm, "forearm"), seed = 1;
    for (int i = 0; i < 200; ++i) {
        char   text[200];
        double degrees[3];
        for (int k = 0; k < 3; ++k) {
            seed = seed * 1664525u + 1013904223u;
            degrees[k] = (int)(seed >> 16) % 18000 / 100.0;
        }
        snprintf(text, sizeof text,
                 "{\"supple_poses\":1,\"clip\":\"p%d\",\"keys\":[{\"time\":0,\"turn\":{\"forearm\":[%.2f,%.2f,%.2f]}}]}", i,
                 degrees[0], degrees[1], degrees[2]);
        sup_clip clip = clip_of(&f, text), again = clip;
        again.name = "again";
        sup_pose_rest(f.arm, &f.pose);
        sup_pose_turn(&f.pose, j, degrees);
        sup_quat wanted = f.pose.local[j].rotation;
        sup_clip_sample(f.arm, &clip, 0, &f.pose);
        assert_memory_equal(&f.pose.local[j].rotation, &wanted, sizeof wanted);
        if (i) continue;
        assert_ok(sup_character_add_clip(f.arm, &again, &f.error), f.error);
        sup_clip_sample(f.arm, &f.arm->clips[f.arm->clip_count - 1], 0, &f.pose);
        assert_memory_equal(&f.pose.local[j].rotation, &wanted, sizeof wanted);
    }
    end(&f);
}

static void smooth_keys_pass_through_the_poses_and_rest_at_the_ends(void** state)
{
    (void)state;
    fixture  f = begin();
    sup_clip clip = clip_of(&f, "{\"supple_poses\":1,\"between\":\"smooth\",\"keys\":[{\"time\":0},"
                                "{\"time\":1,\"turn\":{\"forearm\":[0,0,40]}},{\"time\":2,\"turn\":{\"forearm\":[0,0,80]}}]}");
    for (int i = 0; i < 3; ++i) {
        sup_clip_sample(f.arm, &clip, i, &f.pose);
        assert_float_equal(angle_of(&f, "forearm"), 40.0f * (float)i, 0.05f);
    }
    sup_clip_sample(f.arm, &clip, 0.1, &f.pose);
    assert_true(angle_of(&f, "forearm") < 2); // 4 in a straight line
    end(&f);
}

static void a_move_is_in_meters_of_the_rest_space(void** state)
{
    (void)state;
    fixture  f = begin();
    sup_clip clip = clip_of(&f, "{\"supple_poses\":1,\"keys\":[{\"time\":0,\"move\":{\"forearm\":[0.1,0.2,-0.3]}}]}");
    uint32_t j = sup_character_joint(f.arm, "forearm");
    sup_pose_rest(f.arm, &f.pose);
    sup_affine before = f.pose.global[j];
    sup_clip_sample(f.arm, &clip, 0, &f.pose);
    double      unit = sup_character_physics_unit(f.arm);
    const float by[] = { 0.1f, 0.2f, -0.3f };
    for (int i = 0; i < 3; ++i) assert_float_equal(f.pose.global[j].m[i][3] - before.m[i][3], by[i] / unit, 1e-5f);
    end(&f);
}

static void over_a_clip_the_rest_of_it_goes_on(void** state)
{
    (void)state;
    fixture         f = begin();
    const sup_clip* flex = sup_character_clip(f.arm, "flex");
    assert_non_null(flex);
    uint32_t shoulder = sup_character_joint(f.arm, "shoulder"), forearm = sup_character_joint(f.arm, "forearm");
    double   time = 0.5 * flex->seconds;
    sup_clip_sample(f.arm, flex, time, &f.pose);
    sup_quat bent = f.pose.local[forearm].rotation;
    sup_vec3 place = f.pose.local[shoulder].translation;
    sup_clip clip = clip_of(&f, "{\"supple_poses\":1,\"clip\":\"thrown\",\"over\":\"flex\",\"keys\":["
                                "{\"time\":0,\"move\":{\"shoulder\":[0,0.5,0]}}]}");
    assert_true(clip.seconds == sup_character_clip(f.arm, "flex")->seconds);
    sup_clip_sample(f.arm, &clip, time, &f.pose);
    assert_memory_equal(&f.pose.local[forearm].rotation, &bent, sizeof bent);
    assert_float_equal(f.pose.local[shoulder].translation.y - place.y, 0.5 / sup_character_physics_unit(f.arm), 1e-5f);
    end(&f);
}

// 2.4 s as a float is a little more than 144 sixtieths: a sample and the end fell on one time, and the clip was refused.
static void times_over_a_clip_rise_wherever_the_keys_fall(void** state)
{
    (void)state;
    fixture        f = begin();
    const uint32_t rates[] = { 15, 24, 30, 60, 7 };
    for (uint32_t r = 0; r < 5; ++r)
        for (uint32_t n = 1; n < 12 * rates[r]; ++n) {
            char     text[200];
            sup_clip clip;
            snprintf(
                text, sizeof text,
                "{\"supple_poses\":1,\"over\":\"flex\",\"keys\":[{\"time\":0},{\"time\":%.6f,\"turn\":{\"forearm\":[0,0,9]}}]}",
                (double)n / rates[r]);
            assert_ok(read_poses(&f, text, &clip), f.error);
            const sup_channel* turns = &clip.channels[clip.channel_count - 1];
            for (uint32_t k = 1; k < turns->key_count; ++k) assert_true(turns->times[k] > turns->times[k - 1]);
            assert_true(turns->times[0] == 0 && (double)turns->times[turns->key_count - 1] >= clip.seconds - 1e-6);
        }
    end(&f);
}

static void a_key_between_two_samples_is_met_exactly(void** state)
{
    (void)state;
    fixture  f = begin();
    uint32_t j = sup_character_joint(f.arm, "shoulder");
    sup_clip_sample(f.arm, sup_character_clip(f.arm, "flex"), 7.0 / 24, &f.pose);
    float    before = f.pose.local[j].translation.y;
    sup_clip clip = clip_of(&f, "{\"supple_poses\":1,\"over\":\"flex\",\"keys\":[{\"time\":0},"
                                "{\"time\":0.291667,\"move\":{\"shoulder\":[0,0.5,0]}},{\"time\":0.333333}]}");
    sup_clip_sample(f.arm, &clip, (double)0.291667f, &f.pose);
    assert_float_equal(f.pose.local[j].translation.y - before, 0.5 / sup_character_physics_unit(f.arm), 1e-6f);
    end(&f);
}

static void wrong_files_are_refused_with_a_reason(void** state)
{
    (void)state;
    fixture f = begin();
    const struct {
        const char *text, *says;
    } rows[] = {
        { "{\"keys\":[]}", "supple_poses" },
        { "{\"supple_poses\":1,\"keys\":[]}", "at least one key" },
        { "{\"supple_poses\":1,\"keys\":[{\"time\":0,\"turn\":{\"tail\":[0,0,0]}}]}", "no joint 'tail'" },
        { "{\"supple_poses\":1,\"keys\":[{\"time\":0,\"turn\":{\"forearm\":[0,0]}}]}", "three angles" },
        { "{\"supple_poses\":1,\"keys\":[{\"time\":0,\"move\":{\"forearm\":1}}]}", "three meters" },
        { "{\"supple_poses\":1,\"keys\":[{\"time\":1},{\"time\":1}]}", "not later" },
        { "{\"supple_poses\":1,\"keys\":[{\"time\":0,\"bend\":1}]}", "\"bend\"" },
        { "{\"supple_poses\":1,\"over\":\"fly\",\"keys\":[{\"time\":0}]}", "\"over\"" },
        { "{\"supple_poses\":1,\"between\":\"fast\",\"keys\":[{\"time\":0}]}", "\"between\"" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        sup_clip clip;
        assert_int_equal(read_poses(&f, rows[i].text, &clip), SUP_ERROR_INPUT);
        if (!strstr(f.error.text, rows[i].says)) fail_msg("'%s' does not say %s", f.error.text, rows[i].says);
    }
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_turns_a_joint_by_its_degrees_and_time_goes_between),
        cmocka_unit_test(a_key_is_the_pose_of_its_turns_to_the_bit),
        cmocka_unit_test(smooth_keys_pass_through_the_poses_and_rest_at_the_ends),
        cmocka_unit_test(a_move_is_in_meters_of_the_rest_space),
        cmocka_unit_test(over_a_clip_the_rest_of_it_goes_on),
        cmocka_unit_test(times_over_a_clip_rise_wherever_the_keys_fall),
        cmocka_unit_test(a_key_between_two_samples_is_met_exactly),
        cmocka_unit_test(wrong_files_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

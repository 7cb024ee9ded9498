#include "scene/small.h"

#include <stdlib.h>

// One joint, one part with two morphs, one channel that each test fills.
typedef struct scene {
    small          s;
    sup_vec3       deltas[6];
    sup_morph_desc morphs[2];
    sup_channel    channel;
    sup_clip       clip;
    sup_character* c;
    sup_pose       pose;
} scene;

static void scene_init(scene* t, sup_channel channel)
{
    memset(t, 0, sizeof *t);
    small_init(&t->s);
    t->s.desc.joints = t->s.joints;
    t->s.desc.joint_count = 2;
    t->s.part.joint = 0;
    t->morphs[0] = (sup_morph_desc){ .name = "a", .rest_weight = 0.25f, .deltas = t->deltas };
    t->morphs[1] = (sup_morph_desc){ .name = "b", .deltas = t->deltas };
    t->s.part.morphs = t->morphs;
    t->s.part.morph_count = 2;
    t->channel = channel;
    t->clip = (sup_clip){ .name = "Walk", .channel_count = 1, .channels = &t->channel };
    t->s.desc.clips = &t->clip;
    t->s.desc.clip_count = 1;
}

static void scene_make(scene* t, sup_channel channel)
{
    scene_init(t, channel);
    t->c = small_make(&t->s);
    assert_ok(sup_pose_create(t->c, t->c->arena, &t->pose, &t->s.error), t->s.error);
}

static const sup_transform* at(scene* t, double time)
{
    sup_clip_sample(t->c, &t->c->clips[0], time, &t->pose);
    return &t->pose.local[1];
}

static const float three_times[3] = { 1, 2, 4 };

static void linear_keys_hold_at_the_ends_and_run_straight_between(void** state)
{
    (void)state;
    static const float values[9] = { 0, 10, -1, 2, 10, 1, 6, 20, 1 };
    scene              t;
    scene_make(&t, (sup_channel){ 1, SUP_PATH_TRANSLATION, SUP_INTERPOLATE_LINEAR, 3, 3, three_times, values });
    assert_float_equal(t.c->clips[0].seconds, 4, 0);
    assert_float_equal(at(&t, -5)->translation.x, 0, 0);
    assert_float_equal(at(&t, 1)->translation.z, -1, 0);
    assert_float_equal(at(&t, 1.25)->translation.x, 0.5f, 0);
    assert_float_equal(at(&t, 1.25)->translation.z, -0.5f, 0);
    assert_float_equal(at(&t, 2)->translation.x, 2, 0);
    assert_float_equal(at(&t, 3.5)->translation.x, 5, 0);
    assert_float_equal(at(&t, 3.5)->translation.y, 17.5f, 0);
    assert_float_equal(at(&t, 4)->translation.x, 6, 0);
    assert_float_equal(at(&t, 1e300)->translation.x, 6, 0);
    assert_float_equal(at(&t, (double)NAN)->translation.x, 0, 0);
    assert_float_equal(t.pose.global[1].m[0][3], 0, 0); // matrices follow
    assert_float_equal(at(&t, 4)->scale.x, 1, 0);       // what has no channel rests
    sup_character_destroy(t.c);
}

static void step_keys_hold_until_the_next(void** state)
{
    (void)state;
    static const float values[9] = { 1, 1, 1, 2, 2, 2, 3, 3, 3 };
    scene              t;
    scene_make(&t, (sup_channel){ 1, SUP_PATH_SCALE, SUP_INTERPOLATE_STEP, 3, 3, three_times, values });
    assert_float_equal(at(&t, 0)->scale.x, 1, 0);
    assert_float_equal(at(&t, 1.999999)->scale.x, 1, 0);
    assert_float_equal(at(&t, 2)->scale.x, 2, 0);
    assert_float_equal(at(&t, 3.999999)->scale.x, 2, 0);
    assert_float_equal(at(&t, 4)->scale.x, 3, 0);
    sup_character_destroy(t.c);
}

static void linear_rotations_turn_evenly_along_the_short_way(void** state)
{
    (void)state;
    // 0 to 120 degrees about z, the second key with the other sign and not normalized (times -3).
    static const float times[2] = { 0, 1 };
    float              values[8] = { 0, 0, 0, 1, 0, 0, -3 * 0.8660254f, -3 * 0.5f };
    scene              t;
    scene_make(&t, (sup_channel){ 1, SUP_PATH_ROTATION, SUP_INTERPOLATE_LINEAR, 2, 4, times, values });
    for (int i = 0; i <= 4; ++i) {
        double   half = 0.5 * i * 30 * 3.14159265358979 / 180;
        sup_quat q = at(&t, i / 4.0)->rotation;
        float    sign = q.w < 0 ? -1.0f : 1.0f;
        assert_float_equal(sign * q.z, sin(half), 1e-6);
        assert_float_equal(sign * q.w, cos(half), 1e-6);
        assert_float_equal(quat_dot(q, q), 1, 1e-6);
    }
    sup_character_destroy(t.c);
}

static void cubic_keys_follow_the_hermite_curve(void** state)
{
    (void)state;
    // In-tangent, value, out-tangent. From 1 with slope 2 to 3 with slope -1, over half a second:
    // at t = 1/4: h00 = 0.84375, h10 = 0.140625, h01 = 0.15625, h11 = -0.046875, tangents times 0.5:
    // 0.84375 * 1 + 0.5 * 0.140625 * 2 + 0.15625 * 3 + 0.5 * -0.046875 * -1 = 1.4765625
    static const float times[2] = { 1, 1.5f };
    static const float values[18] = { 9, 9, 9, 1, 0, 5, 2, 0, 0, -1, 0, 0, 3, 0, 5, 9, 9, 9 };
    scene              t;
    scene_make(&t, (sup_channel){ 1, SUP_PATH_TRANSLATION, SUP_INTERPOLATE_CUBIC, 2, 3, times, values });
    assert_float_equal(at(&t, 1.125)->translation.x, 1.4765625f, 0);
    assert_float_equal(at(&t, 1.125)->translation.z, 5, 1e-6f); // flat tangents between equal values
    // at t = 1/2: (1 + 3) / 2 + 0.5 * 0.125 * (2 - -1) = 2.1875
    assert_float_equal(at(&t, 1.25)->translation.x, 2.1875f, 0);
    assert_float_equal(at(&t, 0)->translation.x, 1, 0);
    assert_float_equal(at(&t, 1)->translation.x, 1, 0);
    assert_float_equal(at(&t, 1.5)->translation.x, 3, 0);
    assert_float_equal(at(&t, 9)->translation.x, 3, 0);
    sup_character_destroy(t.c);
}

static void cubic_rotations_come_out_as_units(void** state)
{
    (void)state;
    // Without tangents halfway is the mean of both keys, normalized: 45 degrees between 0 and 90.
    static const float times[2] = { 0, 2 };
    static const float values[24] = {
        0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.70710678f, 0, 0.70710678f, 0, 0, 0, 0
    };
    scene t;
    scene_make(&t, (sup_channel){ 1, SUP_PATH_ROTATION, SUP_INTERPOLATE_CUBIC, 2, 4, times, values });
    sup_quat q = at(&t, 1)->rotation;
    assert_float_equal(q.y, 0.38268343f, 1e-6f);
    assert_float_equal(q.w, 0.92387953f, 1e-6f);
    // With an out-tangent of 1 per second about x: at t = 1/2 it adds 2 s * 0.125 * 1 to x before normalizing.
    float bent[24];
    memcpy(bent, values, sizeof bent);
    bent[8] = 1;
    sup_character_destroy(t.c);
    scene_make(&t, (sup_channel){ 1, SUP_PATH_ROTATION, SUP_INTERPOLATE_CUBIC, 2, 4, times, bent });
    q = at(&t, 1)->rotation;
    double y = 0.5 * 0.70710678, w = 0.5 * 1.70710678, length = sqrt(0.25 * 0.25 + y * y + w * w);
    assert_float_equal(q.x, 0.25 / length, 1e-6);
    assert_float_equal(q.y, y / length, 1e-6);
    assert_float_equal(q.w, w / length, 1e-6);
    sup_character_destroy(t.c);
}

static void weights_channels_set_the_morphs_of_their_part(void** state)
{
    (void)state;
    static const float times[2] = { 0, 1 }, values[4] = { 0, 1, 1, 0 };
    static const float cubic[12] = { 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0 };
    scene              t;
    scene_make(&t, (sup_channel){ 0, SUP_PATH_WEIGHTS, SUP_INTERPOLATE_LINEAR, 2, 2, times, values });
    at(&t, 0.25);
    assert_float_equal(t.pose.morph_weights[0], 0.25f, 0);
    assert_float_equal(t.pose.morph_weights[1], 0.75f, 0);
    sup_clip_sample(t.c, NULL, 0.25, &t.pose);
    assert_float_equal(t.pose.morph_weights[0], 0.25f, 0); // the rest weight
    assert_float_equal(t.pose.morph_weights[1], 0, 0);
    sup_character_destroy(t.c);
    scene_make(&t, (sup_channel){ 0, SUP_PATH_WEIGHTS, SUP_INTERPOLATE_CUBIC, 2, 2, times, cubic });
    at(&t, 0.25);
    assert_float_equal(t.pose.morph_weights[0], 0.15625f, 0);
    assert_float_equal(t.pose.morph_weights[1], 0.84375f, 0);
    sup_character_destroy(t.c);
}

static void one_key_holds_always(void** state)
{
    (void)state;
    static const float values[9] = { 9, 9, 9, 1, 2, 3, 9, 9, 9 };
    for (int i = SUP_INTERPOLATE_LINEAR; i <= SUP_INTERPOLATE_CUBIC; ++i) {
        scene t;
        bool  cubic = i == SUP_INTERPOLATE_CUBIC;
        scene_make(
            &t, (sup_channel){ 1, SUP_PATH_TRANSLATION, (sup_interpolation)i, 1, 3, three_times, cubic ? values : values + 3 });
        assert_float_equal(at(&t, 0)->translation.y, 2, 0);
        assert_float_equal(at(&t, 1)->translation.y, 2, 0);
        assert_float_equal(at(&t, 7)->translation.y, 2, 0);
        sup_character_destroy(t.c);
    }
}

static void every_key_of_many_is_found(void** state)
{
    (void)state;
    enum { KEYS = 1000 };
    float times[KEYS], values[3 * KEYS];
    for (int k = 0; k < KEYS; ++k) {
        times[k] = (float)(k * k) / 64.0f;
        values[3 * k] = values[3 * k + 1] = values[3 * k + 2] = (float)k;
    }
    scene t;
    scene_make(&t, (sup_channel){ 1, SUP_PATH_TRANSLATION, SUP_INTERPOLATE_LINEAR, KEYS, 3, times, values });
    for (int k = 0; k < KEYS; ++k) {
        assert_float_equal(at(&t, (double)times[k])->translation.x, k, 0);
        if (k + 1 < KEYS)
            assert_float_equal(at(&t, 0.5 * ((double)times[k] + (double)times[k + 1]))->translation.x, k + 0.5, 0);
    }
    sup_character_destroy(t.c);
}

static void bad_keys_are_refused_with_clip_and_joint(void** state)
{
    (void)state;
    float values[12] = { 0 }, times[3] = { 0, 1, 1 };
    scene t;
    scene_init(&t, (sup_channel){ 1, SUP_PATH_TRANSLATION, SUP_INTERPOLATE_LINEAR, 3, 3, times, values });
    small_refused(&t.s, "key 2 of 'knee' in clip 'Walk' is at 1 s, not later");
    times[2] = 0.5f;
    small_refused(&t.s, "key 2 of 'knee' in clip 'Walk' is at 0.5 s, not later");
    times[2] = NAN;
    small_refused(&t.s, "key 2 of 'knee' in clip 'Walk' has a time that is not a number");
    times[2] = 2;
    values[4] = INFINITY;
    small_refused(&t.s, "clip 'Walk' has a key of 'knee' that is not a number");
    values[4] = 0;
    t.channel.width = 4;
    small_refused(&t.s, "clip 'Walk' gives 4 numbers per key to 'knee' instead of 3");
    t.channel.width = 3;
    t.channel.target = 2;
    small_refused(&t.s, "channel 0 of clip 'Walk' moves joint 2 but there are only 2");
    t.channel.path = SUP_PATH_WEIGHTS;
    t.channel.target = 1;
    small_refused(&t.s, "channel 0 of clip 'Walk' moves part 1 but there are only 1");
    t.channel.target = 0;
    small_refused(&t.s, "clip 'Walk' gives 3 numbers per key to 'square' instead of 2");
    t.channel = (sup_channel){ 1, SUP_PATH_TRANSLATION, SUP_INTERPOLATE_LINEAR, 0, 3, times, values };
    small_refused(&t.s, "clip 'Walk' has a channel without keys for 'knee'");
    t.channel.path = (sup_path)9;
    small_refused(&t.s, "unknown property");
    t.channel.path = SUP_PATH_SCALE;
    t.channel.interpolation = (sup_interpolation)-1;
    small_refused(&t.s, "unknown interpolation");
}

static void channels_that_share_an_array_of_keys_share_its_copy(void** state)
{
    (void)state;
    enum { CHANNELS = 2000, KEYS = 5000 }; // 40 MB of times alone if each had its own
    float* times = calloc(KEYS, sizeof *times);
    float* values = calloc(KEYS * 4, sizeof *values);
    for (int k = 0; k < KEYS; ++k) times[k] = (float)k;
    for (int i = 0; i < KEYS * 4; ++i) values[i] = 2;
    sup_channel* channels = calloc(CHANNELS, sizeof *channels);
    for (int i = 0; i < CHANNELS; ++i)
        channels[i] = (sup_channel){
            1, i % 2 ? SUP_PATH_ROTATION : SUP_PATH_SCALE, SUP_INTERPOLATE_LINEAR, KEYS, i % 2 ? 4 : 3, times, values
        };
    scene t;
    scene_init(&t, (sup_channel){ 0 });
    t.clip.channels = channels;
    t.clip.channel_count = CHANNELS;
    sup_character* c = small_make(&t.s);
    assert_true(sup_arena_bytes(c->arena) < 1000000);
    assert_ptr_equal(c->clips[0].channels[0].times, c->clips[0].channels[1].times);
    assert_float_equal(c->clips[0].channels[0].values[0], 2, 0);
    assert_float_equal(c->clips[0].channels[1].values[0], 0.5f, 1e-6f); // normalized as a rotation, not as a scale
    sup_character_destroy(c);
    free(times), free(values), free(channels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_keys_hold_at_the_ends_and_run_straight_between),
        cmocka_unit_test(step_keys_hold_until_the_next),
        cmocka_unit_test(linear_rotations_turn_evenly_along_the_short_way),
        cmocka_unit_test(cubic_keys_follow_the_hermite_curve),
        cmocka_unit_test(cubic_rotations_come_out_as_units),
        cmocka_unit_test(weights_channels_set_the_morphs_of_their_part),
        cmocka_unit_test(one_key_holds_always),
        cmocka_unit_test(every_key_of_many_is_found),
        cmocka_unit_test(bad_keys_are_refused_with_clip_and_joint),
        cmocka_unit_test(channels_that_share_an_array_of_keys_share_its_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Animations: keys as stored, all interpolations and paths, clocks mended or refused.
#include "io/gltf_builder.h"

#include <math.h>

static const float zero_one_two[3] = { 0, 1, 2 };

// One triangle on node 0, one animation with one channel whose sampler's accessors follow those of the triangle.
static void add_clip(builder* b, const char* path, const char* interpolation)
{
    uint32_t input = b->accessor_count - 2;
    item(&b->animations,
         "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"%s\"}}],"
         "\"samplers\":[{\"input\":%u,\"output\":%u%s}]}",
         path, input, input + 1, interpolation);
}

static void interpolation_is_linear_by_default(void** state)
{
    (void)state;
    static const float moves[9] = { 0, 0, 0, 1, 2, 3, 4, 5, 6 };
    builder            b = { 0 };
    add_triangle(&b);
    add_array(&b, zero_one_two, 3, "SCALAR", FLOAT);
    add_array(&b, moves, 3, "VEC3", FLOAT);
    add_clip(&b, "translation", "");
    sup_character*     c = read_glb(&b);
    const sup_clip*    clip = &c->clips[0];
    const sup_channel* channel = &clip->channels[0];
    assert_string_equal(clip->name, "clip 0");
    assert_int_equal(clip->source_id, 0);
    assert_true(clip->seconds == 2);
    assert_int_equal(channel->path, SUP_PATH_TRANSLATION);
    assert_int_equal(channel->interpolation, SUP_INTERPOLATE_LINEAR);
    assert_int_equal(channel->key_count, 3);
    assert_int_equal(channel->width, 3);
    assert_memory_equal(channel->times, zero_one_two, sizeof zero_one_two);
    assert_memory_equal(channel->values, moves, sizeof moves);
    assert_int_equal(c->skeleton.joints[channel->target].source_id, 0);
    done(c, &b);
}

static void step_and_cubic_keys_are_kept_as_stored(void** state)
{
    (void)state;
    static const float scales[9] = { 1, 1, 1, 2, 2, 2, 3, 3, 3 };
    float              cubic[36];
    for (int i = 0; i < 36; ++i) cubic[i] = (float)(i + 1);
    builder b = { 0 };
    add_triangle(&b);
    add_array(&b, zero_one_two, 3, "SCALAR", FLOAT);
    add_array(&b, scales, 3, "VEC3", FLOAT);
    add_clip(&b, "scale", ",\"interpolation\":\"STEP\"");
    add_array(&b, zero_one_two, 3, "SCALAR", FLOAT);
    add_array(&b, cubic, 9, "VEC4", FLOAT);
    add_clip(&b, "rotation", ",\"interpolation\":\"CUBICSPLINE\"");
    sup_character* c = read_glb(&b);
    assert_int_equal(c->clip_count, 2);
    assert_int_equal(c->clips[0].channels[0].interpolation, SUP_INTERPOLATE_STEP);
    assert_int_equal(c->clips[0].channels[0].path, SUP_PATH_SCALE);
    assert_int_equal(c->clips[1].channels[0].interpolation, SUP_INTERPOLATE_CUBIC);
    assert_int_equal(c->clips[1].channels[0].key_count, 3);
    assert_memory_equal(c->clips[1].channels[0].values, cubic, sizeof cubic);
    done(c, &b);
}

static void rotations_may_be_normalized_integers(void** state)
{
    (void)state;
    static const int16_t turns[12] = { 0, 0, 0, 32767, 0, 0, 32767, 0, 0, -32768, 0, 0 };
    builder              b = { 0 };
    add_triangle(&b);
    add_array(&b, zero_one_two, 3, "SCALAR", FLOAT);
    add_accessor(&b, turns, 24, 3, "VEC4", SHORT, ",\"normalized\":true");
    add_clip(&b, "rotation", "");
    sup_character* c = read_glb(&b);
    const float*   values = c->clips[0].channels[0].values;
    assert_true(values[3] == 1 && values[6] == 1 && values[9] == -1); // max(c / 32767, -1)
    done(c, &b);
}

static void weights_move_the_part_of_their_node(void** state)
{
    (void)state;
    static const float   deltas[9] = { 0, 0, 1, 0, 0, 1, 0, 0, 1 };
    static const uint8_t weights[6] = { 0, 255, 51, 0, 255, 255 };
    builder              b = { 0 };
    add_array(&b, triangle_positions, 3, "VEC3", FLOAT);
    add_array(&b, deltas, 3, "VEC3", FLOAT);
    show_mesh(&b, "\"POSITION\":0", ",\"targets\":[{\"POSITION\":1},{\"POSITION\":1}]");
    add_array(&b, zero_one_two, 3, "SCALAR", FLOAT);
    add_accessor(&b, weights, 6, 6, "SCALAR", UBYTE, ",\"normalized\":true");
    add_clip(&b, "weights", "");
    sup_character*     c = read_glb(&b);
    const sup_channel* channel = &c->clips[0].channels[0];
    assert_int_equal(channel->path, SUP_PATH_WEIGHTS);
    assert_int_equal(channel->target, 0);
    assert_int_equal(channel->width, 2);
    assert_true(channel->values[1] == 1);
    assert_float_equal(channel->values[2], 0.2f, 1e-7);
    done(c, &b);
}

static void channels_of_other_nodes_and_paths_are_passed_over(void** state)
{
    (void)state;
    static const float moves[9] = { 0 }, later[3] = { 0, 1, 5 };
    builder            b = { 0 };
    add_triangle(&b);
    add_node(&b, "{\"name\":\"lamp\"}");
    uint32_t times = add_array(&b, zero_one_two, 3, "SCALAR", FLOAT), values = add_array(&b, moves, 3, "VEC3", FLOAT);
    uint32_t late = add_array(&b, later, 3, "SCALAR", FLOAT);
    item(&b.animations,
         "{\"name\":\"Walk\",\"samplers\":[{\"input\":%u,\"output\":%u},{\"input\":%u,\"output\":%u}],\"channels\":["
         "{\"sampler\":1,\"target\":{\"node\":1,\"path\":\"translation\"}},{\"sampler\":0,\"target\":{\"path\":\"translation\"}"
         "},"
         "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"pointer\"}},"
         "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"weights\"}},"
         "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}}]}",
         times, values, late, values);
    sup_character* c = read_glb(&b);
    assert_string_equal(c->clips[0].name, "Walk");
    assert_int_equal(c->clips[0].channel_count, 1);
    assert_int_equal(c->clips[0].channels[0].path, SUP_PATH_SCALE);
    done(c, &b);
}

static void keys_at_one_time_leave_the_last(void** state)
{
    (void)state;
    static const float times[4] = { 0, 1, 1, 2 }, moves[12] = { 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3 };
    builder            b = { 0 };
    add_triangle(&b);
    add_array(&b, times, 4, "SCALAR", FLOAT);
    add_array(&b, moves, 4, "VEC3", FLOAT);
    add_clip(&b, "translation", "");
    sup_character*     c = read_glb(&b);
    const sup_channel* channel = &c->clips[0].channels[0];
    static const float kept[9] = { 0, 0, 0, 2, 2, 2, 3, 3, 3 };
    assert_int_equal(channel->key_count, 3);
    assert_memory_equal(channel->times, zero_one_two, sizeof zero_one_two);
    assert_memory_equal(channel->values, kept, sizeof kept);
    assert_true(test_warned(c, "1 keys at the time of the next one"));
    done(c, &b);
}

static void refuse_clip(const float* times, uint32_t count, const float* values, uint32_t value_count,
                        const char* interpolation, const char* words)
{
    builder b = { 0 };
    add_triangle(&b);
    add_accessor(&b, times, count * 4, count, "SCALAR", FLOAT, "");
    add_accessor(&b, values, value_count * 12, value_count, "VEC3", FLOAT, "");
    add_clip(&b, "translation", interpolation);
    refuse_glb(&b, words);
}

static void bad_keys_are_refused_with_clip_and_channel(void** state)
{
    (void)state;
    static const float moves[9] = { 0 };
    static const float nans[9] = { 0, 0, 0, NAN };
    refuse_clip((const float[]){ 0, 2, 1 }, 3, moves, 3, "", "animation 'clip 0' channel 0 input: key 2 is at 1 s, before");
    refuse_clip((const float[]){ 0, NAN, 1 }, 3, moves, 3, "", "animation 'clip 0' channel 0 input: accessor 1 holds");
    refuse_clip(zero_one_two, 3, nans, 3, "", "animation 'clip 0' channel 0 output: accessor 2 holds");
    refuse_clip(zero_one_two, 3, moves, 2, "", "3 keys need 9 numbers and the accessor has 6");
    refuse_clip(zero_one_two, 3, moves, 3, ",\"interpolation\":\"CUBICSPLINE\"", "3 keys need 27 numbers and the accessor has 9");
    refuse_clip(zero_one_two, 3, moves, 3, ",\"interpolation\":\"BEZIER\"", "interpolation 'BEZIER' is unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpolation_is_linear_by_default),
        cmocka_unit_test(step_and_cubic_keys_are_kept_as_stored),
        cmocka_unit_test(rotations_may_be_normalized_integers),
        cmocka_unit_test(weights_move_the_part_of_their_node),
        cmocka_unit_test(channels_of_other_nodes_and_paths_are_passed_over),
        cmocka_unit_test(keys_at_one_time_leave_the_last),
        cmocka_unit_test(bad_keys_are_refused_with_clip_and_channel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

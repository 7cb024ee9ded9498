// What a sculpt adds, in the rest shape. The test's deformer asks at bind, like those that learn from examples.
#include "play.h"

#include "math/vec.h"
#include "run/examples.h"

#include <math.h>

#define LIFT 0.05f

typedef struct pulled {
    bool     dualquat;
    sup_vec3 q[200];
    uint32_t stand_ins;
} pulled;

static pulled asked; // by the deformer below; bind has no other way to hand something to its test

static sup_result ask_bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    sup_example_puller puller;
    sup_pose           pose;
    const sup_example* example = &in->character->examples[0];
    sup_result         r = sup_example_puller_create(in, asked.dualquat, arena, &puller, error);
    if (!r) r = sup_pose_create(in->character, arena, &pose, error);
    if (!r) r = sup_example_pose(in, example, &pose, error);
    if (!r) r = sup_example_pull(&puller, example, &pose, asked.q, &asked.stand_ins, error);
    if (!r) *out = (sup_binding){ .data = in->character };
    return r;
}

static void ask_evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                         sup_vec3* out)
{
    (void)params, (void)state, (void)scratch;
    memcpy(out, frame->points, ((const sup_character*)binding->data)->mesh.point_count * sizeof *out);
}

static const sup_deformer ask = {
    .name = "ask", .summary = "Pulls the first example", .paper = "-", .bind = ask_bind, .evaluate = ask_evaluate
};
static const sup_deformer* const asks[] = { &ask };

// A tube of two joints whose clip turns the second one about x by 180 degrees: halfway between them a linear blend is flat.
static sup_character* twisted(void)
{
    static const float times[] = { 0, 1 }, turns[] = { 0, 0, 0, 1, 1, 0, 0, 0 };
    sup_character*     c = test_tube(9, 8, 2, 1.0f, 0.1f);
    sup_channel        channel = {
               .target = 1, .path = SUP_PATH_ROTATION, .key_count = 2, .width = 4, .times = times, .values = turns
    };
    sup_error error;
    assert_ok(sup_character_add_clip(c, &(sup_clip){ .name = "twist", .seconds = 1, .channel_count = 1, .channels = &channel },
                                     &error),
              error);
    assert_true(c->mesh.point_count <= SUP_COUNT_OF(asked.q));
    return c;
}

/// The skin at the end of a clip, every point moved by `by`, as the character's only example.
static sup_vec3* sculpt(sup_character* c, const char* clip, sup_vec3 by, sup_example* out)
{
    play      p = play_chain((sup_chain_desc){ .character = c, .links = "linear" },
                             (sup_instance_desc){ .clip = sup_character_clip(c, clip) });
    sup_vec3* points = malloc(p.points * sizeof *points);
    play_hash(&p, 1.0);
    for (uint32_t i = 0; i < p.points; ++i) points[i] = v3_add(p.out[i], by);
    play_end(&p);
    *out = (sup_example){ "sculpt", clip, 1.0, false, points };
    c->examples = out;
    c->example_count = 1;
    return points;
}

static sup_result pull(const sup_character* c, const char* links, bool dualquat, sup_error* error)
{
    sup_chain* chain = NULL;
    asked = (pulled){ .dualquat = dualquat };
    sup_result r =
        sup_chain_create(&(sup_chain_desc){ .character = c, .links = links, .extra = asks, .extra_count = 1 }, &chain, error);
    if (!r) sup_chain_destroy(chain);
    return r;
}

static void what_lies_along_the_axis_is_pulled_back_unturned(void** state)
{
    (void)state;
    // The clip bends about z, and every blend of rotations about z keeps z.
    sup_character* c = twisted();
    sup_example    example;
    sup_error      error;
    sup_vec3*      points = sculpt(c, "bend", v3(0, 0, LIFT), &example);
    for (int dualquat = 0; dualquat < 2; ++dualquat) {
        assert_ok(pull(c, "linear,ask", dualquat, &error), error);
        assert_int_equal(asked.stand_ins, 0);
        for (uint32_t i = 0; i < c->mesh.point_count; ++i) assert_true(v3_distance(asked.q[i], v3(0, 0, LIFT)) < 1e-6f);
    }
    free(points);
    sup_character_destroy(c);
}

static void a_limb_turns_its_sculpt_back(void** state)
{
    (void)state;
    // At the far end only the second joint rotates: 180 degrees about x take y to -y.
    sup_character* c = twisted();
    sup_example    example;
    sup_error      error;
    sup_vec3*      points = sculpt(c, "twist", v3(0, LIFT, 0), &example);
    uint32_t       far = 0;
    assert_ok(pull(c, "linear,ask", false, &error), error);
    for (uint32_t i = 0; i < c->mesh.point_count; ++i) {
        if (c->weights.joints[c->weights.begin[i]] != 1 || c->weights.values[c->weights.begin[i]] < 1.0f) continue;
        assert_true(v3_distance(asked.q[i], v3(0, -LIFT, 0)) < 1e-6f);
        ++far;
    }
    assert_true(far > 0);
    free(points);
    sup_character_destroy(c);
}

static void where_the_blend_is_flat_a_rotation_stands_in(void** state)
{
    (void)state;
    sup_character* c = twisted();
    sup_example    example;
    sup_error      error;
    sup_vec3*      points = sculpt(c, "twist", v3(0, LIFT, 0), &example);
    assert_ok(pull(c, "linear,ask", false, &error), error);
    assert_true(asked.stand_ins >= 8); // at least the ring in the middle, where both joints have a half
    for (uint32_t i = 0; i < c->mesh.point_count; ++i) assert_true(v3_finite(asked.q[i]));
    uint32_t middle = 0;
    for (uint32_t i = 0; i < c->mesh.point_count; ++i) {
        if (fabsf(c->weights.values[c->weights.begin[i]] - 0.5f) > 1e-6f) continue;
        assert_float_equal(v3_length(asked.q[i]), LIFT, 1e-6f); // a rotation keeps lengths
        ++middle;
    }
    assert_true(middle >= 8);
    assert_ok(pull(c, "linear,ask", true, &error), error);
    assert_int_equal(asked.stand_ins, 0); // dual quaternions always rotate
    free(points);
    sup_character_destroy(c);
}

static void an_example_in_rest_space_is_taken_as_it_is(void** state)
{
    (void)state;
    sup_character* c = twisted();
    sup_vec3*      points = malloc(c->mesh.point_count * sizeof *points);
    for (uint32_t i = 0; i < c->mesh.point_count; ++i) points[i] = v3_add(c->mesh.points[i], v3(0, LIFT, 0));
    sup_example example = { "morph", "twist", 1.0, true, points };
    sup_error   error;
    c->examples = &example;
    c->example_count = 1;
    assert_ok(pull(c, "linear,ask", false, &error), error);
    for (uint32_t i = 0; i < c->mesh.point_count; ++i) assert_true(v3_distance(asked.q[i], v3(0, LIFT, 0)) < 1e-7f);
    free(points);
    sup_character_destroy(c);
}

static void a_clip_that_is_not_there_and_a_bad_number_are_named(void** state)
{
    (void)state;
    sup_character* c = twisted();
    sup_example    example;
    sup_error      error;
    sup_vec3*      points = sculpt(c, "twist", v3(0, 0, 0), &example);
    points[3].y = NAN;
    assert_int_equal(pull(c, "linear,ask", false, &error), SUP_ERROR_INPUT);
    assert_string_equal(error.text, "example 'sculpt': point 3 is not a finite number");
    example.clip = "jump";
    assert_int_equal(pull(c, "linear,ask", false, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "example 'sculpt' belongs to the clip 'jump', which"));
    free(points);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_along_the_axis_is_pulled_back_unturned),
        cmocka_unit_test(a_limb_turns_its_sculpt_back),
        cmocka_unit_test(where_the_blend_is_flat_a_rotation_stands_in),
        cmocka_unit_test(an_example_in_rest_space_is_taken_as_it_is),
        cmocka_unit_test(a_clip_that_is_not_there_and_a_bad_number_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

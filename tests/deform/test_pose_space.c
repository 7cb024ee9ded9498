#include "play.h"

#include "math/trig.h"
#include "math/vec.h"

#include <math.h>

#define LIFT 0.05f

// A character with two influences per point, with different joints, clip and example shapes.
static sup_result make_rigged(const sup_character* c, const sup_joint* rig, const sup_clip* clip,
                              const sup_example_desc* examples, uint32_t count, sup_character** out, sup_error* error)
{
    uint32_t  points = c->mesh.point_count, width = c->weights.influences_max;
    uint32_t* sizes = calloc(c->mesh.face_count, sizeof *sizes);
    uint32_t* joints = calloc((size_t)points * width, sizeof *joints);
    float*    weights = calloc((size_t)points * width, sizeof *weights);
    for (uint32_t f = 0; f < c->mesh.face_count; ++f) sizes[f] = c->mesh.face_begin[f + 1] - c->mesh.face_begin[f];
    for (uint32_t p = 0; p < points; ++p)
        for (uint32_t i = c->weights.begin[p], k = 0; i < c->weights.begin[p + 1]; ++i, ++k) {
            joints[p * width + k] = c->weights.joints[i];
            weights[p * width + k] = c->weights.values[i];
        }
    sup_part_desc      part = { .name = "tube",
                                .vertex_count = points,
                                .positions = c->mesh.points,
                                .face_count = c->mesh.face_count,
                                .face_sizes = sizes,
                                .corners = c->mesh.corner_points,
                                .width = width,
                                .joints = joints,
                                .weights = weights,
                                .joint = SUP_NONE,
                                .source_id = SUP_NONE };
    sup_character_desc desc = { .name = "tube",
                                .part_count = 1,
                                .parts = &part,
                                .joint_count = c->skeleton.joint_count,
                                .joints = rig,
                                .clip_count = 1,
                                .clips = clip,
                                .example_count = count,
                                .examples = examples,
                                .metres_per_unit = 1 };
    sup_result         r = sup_character_create(&desc, NULL, out, error);
    free(sizes), free(joints), free(weights);
    return r;
}

// A tube with example shapes: its clip "bend" turns every joint but the first by 30 degrees about z within a second.
static sup_result make_taught(uint32_t joint_count, const sup_example_desc* examples, uint32_t count, sup_character** out,
                              sup_error* error)
{
    sup_character* c = test_tube(21, 8, joint_count, 1.0f, 0.1f);
    sup_result     r = make_rigged(c, c->skeleton.joints, &c->clips[0], examples, count, out, error);
    sup_character_destroy(c);
    return r;
}

// The rest shape with every point moved by `lift` along z: across the bend, so that no bending turns it.
static sup_vec3* lifted(float lift)
{
    sup_character* c = test_tube(21, 8, 2, 1.0f, 0.1f);
    sup_vec3*      points = malloc(c->mesh.point_count * sizeof *points);
    for (uint32_t i = 0; i < c->mesh.point_count; ++i) points[i] = v3_add(c->mesh.points[i], v3(0, 0, lift));
    sup_character_destroy(c);
    return points;
}

// Two joints and one example at the end of the bend, in rest space.
static sup_character* taught(void)
{
    sup_vec3*        shape = lifted(LIFT);
    sup_example_desc example = { "lifted", "bend", 1.0, true, shape };
    sup_character*   c = NULL;
    sup_error        error;
    assert_ok(make_taught(2, &example, 1, &c, &error), error);
    free(shape);
    return c;
}

/// The skin of a chain with joint 1 turned by hand.
static play turned(const sup_character* c, const char* links, sup_quat turn)
{
    sup_arena* arena = sup_arena_create(NULL);
    sup_error  error;
    sup_pose   pose;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    pose.local[1].rotation = turn;
    sup_pose_update(c, &pose);
    play p = play_chain((sup_chain_desc){ .character = c, .links = links }, (sup_instance_desc){ .pose = &pose });
    play_hash(&p, 0);
    sup_arena_destroy(arena);
    return p;
}

static sup_quat about_z(double degrees) { return quat_axis_angle(v3(0, 0, 1), (float)(degrees * 0.017453292519943295)); }

/// What share of the lift is on the skin, the same at every point.
static double share_at(const sup_character* c, const char* links, sup_quat turn)
{
    play   plain = turned(c, "linear", turn), p = turned(c, links, turn);
    double share = v3_distance(plain.out[0], p.out[0]) / (double)LIFT;
    for (uint32_t i = 0; i < p.points; ++i) assert_float_equal(v3_distance(plain.out[i], p.out[i]) / LIFT, share, 2e-4f);
    play_end(&plain), play_end(&p);
    return share;
}

static void between_rest_and_example_the_linear_share_grows_by_the_chords(void** state)
{
    (void)state;
    // With chords r = 2 sin(angle / 2) to rest (r0), to the example (r1) and between them (r):
    //   share = (r0^2 - r1^2 + r^2) / (2 r^2)
    // at 10 of 30 degrees (0.007596 - 0.030154 + 0.066987) / 0.133975 = 0.33163.
    sup_character* c = taught();
    assert_float_equal(share_at(c, "pose_space(kernel=linear)", about_z(0)), 0.0, 1e-5);
    assert_float_equal(share_at(c, "pose_space(kernel=linear)", about_z(10)), 0.33163, 1e-4);
    assert_float_equal(share_at(c, "pose_space(kernel=linear)", about_z(15)), 0.5, 1e-4);
    assert_float_equal(share_at(c, "pose_space(kernel=linear)", about_z(30)), 1.0, 1e-5);
    sup_character_destroy(c);
}

static void the_multiquadric_runs_smoothly_through_the_examples(void** state)
{
    (void)state;
    // In units of the chord between them, rest lies at 0.33163 and the example at 0.66837 from 10 degrees, s = 1/2:
    //   1/2 + (sqrt(0.10998 + 1/4) - sqrt(0.44672 + 1/4)) / (2 (sqrt(5/4) - 1/2)) = 0.31011; beyond them it goes on a little.
    sup_character* c = taught();
    assert_float_equal(share_at(c, "pose_space", about_z(0)), 0.0, 1e-5);
    assert_float_equal(share_at(c, "pose_space", about_z(10)), 0.31011, 1e-4);
    assert_float_equal(share_at(c, "pose_space", about_z(15)), 0.5, 1e-4);
    assert_float_equal(share_at(c, "pose_space", about_z(30)), 1.0, 1e-5);
    double beyond = share_at(c, "pose_space", about_z(45));
    assert_true(beyond > 1.1 && beyond < 1.3);
    sup_character_destroy(c);
}

static void the_linear_kernel_holds_beyond_the_examples(void** state)
{
    (void)state;
    sup_character* c = taught();
    assert_float_equal(share_at(c, "pose_space(kernel=linear,trust=off)", about_z(70)), 1.0, 1e-4);
    assert_float_equal(share_at(c, "pose_space(kernel=linear)", about_z(-20)), 0.0, 1e-4);
    sup_character_destroy(c);
}

static void the_gaussian_kernel_fades_beyond_the_examples(void** state)
{
    (void)state;
    // Two centers, s^2 = r^2 = 0.267949. At 90 degrees r0^2 = 2, r1^2 = 1:
    //   (e^-3.73205 - e^-1 e^-7.46410) / (1 - e^-2) = (0.023943 - 0.000211) / 0.864665 = 0.02745.
    sup_character* c = taught();
    assert_float_equal(share_at(c, "pose_space(kernel=gaussian)", about_z(30)), 1.0, 1e-5);
    assert_float_equal(share_at(c, "pose_space(kernel=gaussian,trust=off)", about_z(90)), 0.02745, 1e-4);
    sup_character_destroy(c);
}

static void a_turn_that_no_example_shows_hardly_counts(void** state)
{
    (void)state;
    // 40 degrees about y: r0^2 = 4 sin^2 20 = 0.467911, r1^2 = 4 (1 - cos^2 20 cos^2 15) = 0.704515:
    //   (0.467911 - 0.704515 + 0.267949) / 0.535898 = 0.0585, not the third that it would be with whole distances.
    sup_character* c = taught();
    assert_float_equal(share_at(c, "pose_space(kernel=linear,trust=off)", quat_axis_angle(v3(0, 1, 0), 0.6981317f)), 0.0585,
                       1e-3);
    sup_character_destroy(c);
}

// The sculpt is at 30 degrees about z. On the path to it, at it and as far again beyond it nothing is lost; halfway along it
// and 40 degrees aside, which nobody sculpted, little is left.
static void beside_the_way_to_an_example_its_correction_fades(void** state)
{
    (void)state;
    sup_character* c = taught();
    for (int angle = -30; angle <= 60; angle += 15)
        assert_float_equal(share_at(c, "pose_space", about_z((float)angle)),
                           share_at(c, "pose_space(trust=off)", about_z((float)angle)), 1e-4);
    sup_quat aside = quat_mul(quat_axis_angle(v3(0, 1, 0), 0.6981317f), about_z(15));
    double   with = share_at(c, "pose_space", aside), without = share_at(c, "pose_space(trust=off)", aside);
    print_message("  40 degrees aside: %.3f, %.3f without trust\n", with, without);
    assert_true(without > 0.4 && with < 0.2 * without);
    sup_character_destroy(c);
}

static void strength_scales_the_correction(void** state)
{
    (void)state;
    sup_character* c = taught();
    assert_float_equal(share_at(c, "pose_space(strength=0.25)", about_z(30)), 0.25, 1e-5);
    sup_character_destroy(c);
}

static float worst(const sup_vec3* a, const sup_vec3* b, uint32_t count)
{
    float most = 0;
    for (uint32_t i = 0; i < count; ++i) {
        float d = v3_distance(a[i], b[i]);
        if (!(d <= most)) most = d;
    }
    return most;
}

static void every_example_of_the_arm_is_met(void** state)
{
    (void)state;
    static const char* const chains[] = { "pose_space",
                                          "dualquat,pose_space",
                                          "dualquat(blend=0.5),pose_space",
                                          "linear,smooth,pose_space",
                                          "pose_space(weighted=off)",
                                          "pose_space(radius=4)",
                                          "pose_space(kernel=linear)",
                                          "pose_space(kernel=gaussian)",
                                          "pose_space(kernel=gaussian,radius=4)",
                                          "pose_space(kernel=gaussian,weighted=off,radius=0.25)" };
    sup_character*           c = test_builtin("arm", 600);
    assert_true(c->example_count == 4);
    for (size_t k = 0; k < SUP_COUNT_OF(chains); ++k)
        for (uint32_t e = 0; e < c->example_count; ++e) {
            const sup_clip* clip = sup_character_clip(c, c->examples[e].clip);
            play p = play_chain((sup_chain_desc){ .character = c, .links = chains[k] }, (sup_instance_desc){ .clip = clip });
            play_hash(&p, c->examples[e].time);
            float off = worst(p.out, c->examples[e].points, p.points) / c->mesh.diagonal;
            if (!(off < 5e-6f)) fail_msg("%s misses '%s' by %g of the diagonal", chains[k], c->examples[e].name, (double)off);
            play_end(&p);
        }
    sup_character_destroy(c);
}

// The sculpt of the arm spreads 150 degrees over the forearm; corrections along straight lines cut through it half-way.
static void a_half_twisted_wrist_keeps_its_size(void** state)
{
    (void)state;
    static const struct {
        const char* links;
        double      low, high;
    } cases[] = { { "linear,pose_space(turning=off)", 0.3, 0.6 },
                  { "linear,pose_space", 0.85, 1.02 },
                  { "dualquat,pose_space", 0.97, 1.03 } };
    sup_character*  arm = test_builtin("arm", 0);
    const sup_clip* twist = sup_character_clip(arm, "twist");
    for (size_t i = 0; i < SUP_COUNT_OF(cases); ++i) {
        play   p = play_chain((sup_chain_desc){ .character = arm, .clip = twist, .links = cases[i].links },
                              (sup_instance_desc){ .clip = twist });
        double least = 9;
        play_hash(&p, 0.5);
        for (float x = 0.2f; x < 0.6f; x += 0.02f)
            least = fmin(least, play_slice_radius(arm->mesh.points, p.out, p.points, x) /
                                    play_slice_radius(arm->mesh.points, arm->mesh.points, p.points, x));
        print_message("  %s: %.3f\n", cases[i].links, least);
        assert_true(least > cases[i].low && least < cases[i].high);
        play_end(&p);
    }
    sup_character_destroy(arm);
}

static void corrections_turn_with_the_whole_character(void** state)
{
    (void)state;
    sup_error      error;
    sup_pose       pose;
    sup_arena*     arena = sup_arena_create(NULL);
    sup_character* c = test_builtin("arm", 600);
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    const sup_example* flexed = &c->examples[1];
    sup_clip_sample(c, sup_character_clip(c, flexed->clip), flexed->time, &pose);
    sup_rigid by = { quat_normalize(quat(0.3f, -0.5f, 0.2f, 0.7f)), v3(0.2f, -0.1f, 0.3f) };
    pose.local[0].rotation = quat_mul(by.rotation, pose.local[0].rotation);
    pose.local[0].translation = rigid_point(&by, pose.local[0].translation);
    sup_pose_update(c, &pose);
    play p = play_chain((sup_chain_desc){ .character = c, .links = "pose_space" }, (sup_instance_desc){ .pose = &pose });
    play_hash(&p, 0);
    for (uint32_t i = 0; i < p.points; ++i)
        assert_true(v3_distance(p.out[i], rigid_point(&by, flexed->points[i])) < 5e-6f * c->mesh.diagonal);
    play_end(&p);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

// How far the upper arm of the flexed arm moves when the hand is twisted as well.
static float disturbed(const sup_character* c, const char* links)
{
    sup_error  error;
    sup_pose   pose;
    sup_arena* arena = sup_arena_create(NULL);
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    sup_clip_sample(c, sup_character_clip(c, "flex"), 1.0, &pose);
    uint32_t hand = sup_character_joint(c, "hand");
    assert_true(hand != SUP_NONE);
    pose.local[hand].rotation = quat_mul(pose.local[hand].rotation, quat_axis_angle(v3(1, 0, 0), 1.8f));
    sup_pose_update(c, &pose);
    play p = play_chain((sup_chain_desc){ .character = c, .links = links }, (sup_instance_desc){ .pose = &pose });
    play_hash(&p, 0);
    float most = 0;
    for (uint32_t i = 0; i < p.points; ++i) {
        float d = v3_distance(p.out[i], c->examples[1].points[i]);
        if (c->mesh.points[i].x < 0.2f && d > most) most = d;
    }
    play_end(&p);
    sup_arena_destroy(arena);
    return most;
}

static void a_far_joint_does_not_disturb_a_weighted_point(void** state)
{
    (void)state;
    sup_character* c = test_builtin("arm", 600);
    float weighted = disturbed(c, "pose_space"), whole = disturbed(c, "pose_space(weighted=off)");
    print_message("biceps moved by a twisted hand: weighted %.5f, by the whole pose %.5f\n", (double)weighted, (double)whole);
    assert_true(whole > 1e-3f);
    assert_true(weighted < 0.05f * whole);
    sup_character_destroy(c);
}

static void live_poses_give_the_skin_of_a_clip(void** state)
{
    (void)state;
    sup_character*  c = test_builtin("arm", 600);
    const sup_clip* wave = sup_character_clip(c, "wave");
    play            ahead = play_chain((sup_chain_desc){ .character = c, .clip = wave, .links = "pose_space" },
                                       (sup_instance_desc){ .clip = wave });
    play blind = play_chain((sup_chain_desc){ .character = c, .links = "pose_space" }, (sup_instance_desc){ .clip = wave });
    for (double t = 0; t < 2; t += 0.3) assert_true(play_hash(&ahead, t) == play_hash(&blind, t));
    play_end(&ahead), play_end(&blind);
    sup_character_destroy(c);
}

// The tube's joints as roots side by side, as a rig found by `fit` may be: locals are what globals were.
static sup_character* flat_rig(void)
{
    sup_vec3*        shape = lifted(LIFT);
    sup_example_desc example = { "lifted", "turn", 1.0, true, shape };
    sup_character *  c = taught(), *out = NULL;
    sup_joint        joints[2] = { c->skeleton.joints[0], c->skeleton.joints[1] };
    const float      times[] = { 0, 1 }, turns[] = { 0, 0, 0, 1, 0, 0, 0.258819f, 0.965926f };
    sup_channel      channel = {
             .target = 1, .path = SUP_PATH_ROTATION, .key_count = 2, .width = 4, .times = times, .values = turns
    };
    sup_clip clip = { .name = "turn", .seconds = 1, .channel_count = 1, .channels = &channel };
    joints[1].parent = SUP_NONE;
    joints[1].rest.translation = v3_add(joints[0].rest.translation, joints[1].rest.translation);
    sup_error error;
    assert_int_equal(c->skeleton.joint_count, 2);
    assert_ok(make_rigged(c, joints, &clip, &example, 1, &out, &error), error);
    sup_character_destroy(c);
    free(shape);
    return out;
}

static void roots_side_by_side_turn_against_the_first(void** state)
{
    (void)state;
    sup_character* c = flat_rig();
    assert_float_equal(share_at(c, "pose_space", about_z(15)), 0.5, 1e-4);
    assert_float_equal(share_at(c, "pose_space", about_z(30)), 1.0, 1e-5);
    // Both rotated equally means the character faces elsewhere.
    sup_arena* arena = sup_arena_create(NULL);
    sup_error  error;
    sup_pose   pose;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    pose.local[0].rotation = pose.local[1].rotation = about_z(30);
    sup_pose_update(c, &pose);
    play plain = play_chain((sup_chain_desc){ .character = c, .links = "linear" }, (sup_instance_desc){ .pose = &pose });
    play p = play_chain((sup_chain_desc){ .character = c, .links = "pose_space" }, (sup_instance_desc){ .pose = &pose });
    play_hash(&plain, 0), play_hash(&p, 0);
    assert_true(worst(plain.out, p.out, p.points) < 1e-6f);
    play_end(&plain), play_end(&p);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void points_that_no_example_moves_pass_bit_for_bit(void** state)
{
    (void)state;
    sup_vec3* shape = lifted(0);
    shape[5].y += LIFT;
    sup_example_desc example = { "bump", "bend", 1.0, true, shape };
    sup_character*   c = NULL;
    sup_error        error;
    assert_ok(make_taught(2, &example, 1, &c, &error), error);
    play     plain = turned(c, "linear", about_z(30)), p = turned(c, "pose_space", about_z(30));
    uint32_t moved = 0;
    for (uint32_t i = 0; i < p.points; ++i) moved += memcmp(&plain.out[i], &p.out[i], sizeof *p.out) != 0;
    assert_int_equal(moved, 1);
    play_end(&plain), play_end(&p);
    sup_character_destroy(c);
    free(shape);
}

static void sculpts_that_say_nothing_new_change_nothing(void** state)
{
    (void)state;
    sup_vec3*        shape = lifted(0);
    sup_example_desc example = { "rest", "bend", 1.0, true, shape };
    sup_character*   c = NULL;
    sup_error        error;
    assert_ok(make_taught(2, &example, 1, &c, &error), error);
    play plain = turned(c, "linear", about_z(30)), p = turned(c, "pose_space", about_z(30));
    assert_memory_equal(plain.out, p.out, p.points * sizeof *p.out);
    play_end(&plain), play_end(&p);
    sup_character_destroy(c);
    free(shape);
}

static void a_sculpt_of_the_bind_pose_wins_over_the_rest_shape(void** state)
{
    (void)state;
    sup_vec3*        shape = lifted(LIFT);
    sup_example_desc example = { "rest", "bend", 0.0, false, shape };
    sup_character*   c = NULL;
    sup_error        error;
    assert_ok(make_taught(2, &example, 1, &c, &error), error);
    assert_float_equal(share_at(c, "pose_space", about_z(0)), 1.0, 1e-5);
    assert_float_equal(share_at(c, "pose_space", about_z(50)), 1.0, 1e-5); // one center: the same everywhere
    sup_character_destroy(c);
    free(shape);
}

static void two_shapes_of_one_pose_are_named(void** state)
{
    (void)state;
    sup_vec3 *       one = lifted(0.01f), *two = lifted(0.02f), *near = lifted(0.01f + 1e-6f);
    sup_example_desc examples[] = { { "one", "bend", 1.0, true, one }, { "two", "bend", 1.0, true, two } };
    sup_character*   c = NULL;
    sup_chain*       chain = NULL;
    sup_error        error;
    assert_ok(make_taught(2, examples, 2, &c, &error), error);
    assert_int_equal(sup_chain_create(&(sup_chain_desc){ .character = c, .links = "pose_space" }, &chain, &error),
                     SUP_ERROR_INPUT);
    assert_string_equal(error.text, "pose_space: the examples 'one' and 'two' have the same pose (within 0 degrees) but shapes that "
                                    "differ by 10 mm; remove one, or give it a time with another pose");
    sup_character_destroy(c);
    examples[1].positions = near; // as good as equal: one shape
    assert_ok(make_taught(2, examples, 2, &c, &error), error);
    assert_float_equal(share_at(c, "pose_space", about_z(30)), 0.2, 1e-4);
    sup_character_destroy(c);
    free(one), free(two), free(near);
}

static void many_examples_are_met_by_every_kernel(void** state)
{
    (void)state;
    // Ten poses of three joints along one bend, each lifted differently: near each other, as sculpts along a motion are.
    enum { COUNT = 10 };
    sup_vec3*        shapes[COUNT];
    sup_example_desc examples[COUNT];
    char             names[COUNT][8];
    for (int i = 0; i < COUNT; ++i) {
        shapes[i] = lifted(LIFT * (float)((i * 7 % COUNT) - 4) / COUNT);
        sup_format(names[i], sizeof names[i], "%d", i);
        examples[i] = (sup_example_desc){ names[i], "bend", (i + 1.0) / COUNT, true, shapes[i] };
    }
    sup_character* c = NULL;
    sup_error      error;
    assert_ok(make_taught(4, examples, COUNT, &c, &error), error);
    static const char* const chains[] = { "pose_space", "pose_space(kernel=linear)", "pose_space(kernel=gaussian)",
                                          "pose_space(kernel=gaussian,radius=4)" };
    for (size_t k = 0; k < SUP_COUNT_OF(chains); ++k)
        for (int i = 0; i < COUNT; ++i) {
            play plain =
                play_chain((sup_chain_desc){ .character = c, .links = "linear" }, (sup_instance_desc){ .clip = &c->clips[0] });
            play p =
                play_chain((sup_chain_desc){ .character = c, .links = chains[k] }, (sup_instance_desc){ .clip = &c->clips[0] });
            play_hash(&plain, examples[i].time), play_hash(&p, examples[i].time);
            for (uint32_t n = 0; n < p.points; ++n)
                assert_float_equal(p.out[n].z - plain.out[n].z, shapes[i][0].z - c->mesh.points[0].z, 1e-5f);
            play_end(&plain), play_end(&p);
        }
    sup_character_destroy(c);
    for (int i = 0; i < COUNT; ++i) free(shapes[i]);
}

static void fails_with(const sup_character* c, const char* links, const char* sentence)
{
    sup_chain* chain = NULL;
    sup_error  error;
    assert_int_equal(sup_chain_create(&(sup_chain_desc){ .character = c,
                                                         .links = links,
                                                         .extra = test_deformers,
                                                         .extra_count = SUP_COUNT_OF(test_deformers) },
                                      &chain, &error),
                     SUP_ERROR_INPUT);
    assert_string_equal(error.text, sentence);
}

static void missing_inputs_are_reported_with_the_cure(void** state)
{
    (void)state;
    sup_character *tube = test_tube(5, 6, 2, 1.0f, 0.1f), *c = taught(), *loose = NULL;
    fails_with(tube, "pose_space", "pose_space: 'tube' has no example shapes; give them with --example T=FILE");
    sup_vec3*        shape = lifted(0.01f);
    sup_example_desc example = { "one", NULL, 1.0, false, shape };
    sup_error        error;
    assert_ok(make_taught(2, &example, 1, &loose, &error), error);
    fails_with(loose, "pose_space", "example 'one' does not say which clip it belongs to; give one with --clip");
    sup_character_destroy(tube), sup_character_destroy(c), sup_character_destroy(loose);
    free(shape);
}

static void a_joint_without_a_turn_is_counted(void** state)
{
    (void)state;
    sup_character* c = taught();
    play           p = turned(c, "pose_space", quat(0, 0, 0, 0));
    bool           counted = false;
    for (uint32_t i = 0; i < p.stats.count; ++i)
        counted |= strcmp(p.stats.items[i].name, "pose_space.no_turn") == 0 && p.stats.items[i].times == 1;
    assert_true(counted);
    for (uint32_t i = 0; i < p.points; ++i) assert_true(v3_finite(p.out[i]));
    play_end(&p);
    sup_character_destroy(c);
}

static void running_out_of_memory_is_an_error(void** state)
{
    (void)state;
    sup_character* c = taught();
    for (test_starved s = { 0 }; test_starve(&s);) {
        sup_chain_desc desc = { .character = c, .links = "pose_space", .allocator = &s.memory.allocator };
        sup_chain*     chain = NULL;
        sup_error      error;
        s.result = sup_chain_create(&desc, &chain, &error);
        if (s.result == SUP_OK) sup_chain_destroy(chain);
    }
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(between_rest_and_example_the_linear_share_grows_by_the_chords),
        cmocka_unit_test(the_multiquadric_runs_smoothly_through_the_examples),
        cmocka_unit_test(the_linear_kernel_holds_beyond_the_examples),
        cmocka_unit_test(the_gaussian_kernel_fades_beyond_the_examples),
        cmocka_unit_test(a_turn_that_no_example_shows_hardly_counts),
        cmocka_unit_test(beside_the_way_to_an_example_its_correction_fades),
        cmocka_unit_test(strength_scales_the_correction),
        cmocka_unit_test(every_example_of_the_arm_is_met),
        cmocka_unit_test(a_half_twisted_wrist_keeps_its_size),
        cmocka_unit_test(corrections_turn_with_the_whole_character),
        cmocka_unit_test(a_far_joint_does_not_disturb_a_weighted_point),
        cmocka_unit_test(live_poses_give_the_skin_of_a_clip),
        cmocka_unit_test(roots_side_by_side_turn_against_the_first),
        cmocka_unit_test(points_that_no_example_moves_pass_bit_for_bit),
        cmocka_unit_test(sculpts_that_say_nothing_new_change_nothing),
        cmocka_unit_test(a_sculpt_of_the_bind_pose_wins_over_the_rest_shape),
        cmocka_unit_test(two_shapes_of_one_pose_are_named),
        cmocka_unit_test(many_examples_are_met_by_every_kernel),
        cmocka_unit_test(missing_inputs_are_reported_with_the_cure),
        cmocka_unit_test(a_joint_without_a_turn_is_counted),
        cmocka_unit_test(running_out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

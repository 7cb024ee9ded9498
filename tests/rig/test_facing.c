// Which way characters look, on skeletons made by hand: two legs, arms, toes, and four legs.
#include "support.h"

#include "math/vec.h"
#include "supple/rig.h"

#include <string.h>

enum { JOINTS_MAX = 16 };

typedef struct bone {
    const char* name;
    int         parent; // -1: a root
    sup_vec3    at;     // in the world
} bone;

// A triangle on the first joint is all the skin that a skeleton needs to be one.
static sup_character* make(const bone* bones, uint32_t count, sup_quat turn, sup_axis up)
{
    static const sup_vec3 triangle[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };
    static const uint32_t corners[3] = { 0, 1, 2 }, slots[3] = { 0, 0, 0 };
    static const float    ones[3] = { 1, 1, 1 };
    sup_joint             joints[JOINTS_MAX];
    for (uint32_t j = 0; j < count; ++j) {
        sup_vec3 at = quat_rotate(turn, bones[j].at), from = v3(0, 0, 0);
        if (bones[j].parent >= 0) from = quat_rotate(turn, bones[bones[j].parent].at);
        joints[j] = (sup_joint){ .name = bones[j].name,
                                 .parent = bones[j].parent < 0 ? SUP_NONE : (uint32_t)bones[j].parent,
                                 .skin_joint = true,
                                 .rest = transform_identity(),
                                 .inverse_bind = affine_identity() };
        joints[j].rest.translation = v3_sub(at, from);
        for (int i = 0; i < 3; ++i) joints[j].inverse_bind.m[i][3] = -(&at.x)[i];
    }
    sup_part_desc      part = { .name = "skin",
                                .vertex_count = 3,
                                .positions = triangle,
                                .face_count = 1,
                                .corners = corners,
                                .width = 1,
                                .joints = slots,
                                .weights = ones,
                                .source_id = SUP_NONE };
    sup_character_desc desc = { .name = "figure",
                                .part_count = 1,
                                .parts = &part,
                                .joint_count = count,
                                .joints = joints,
                                .metres_per_unit = 1,
                                .up = up };
    return test_character(&desc);
}

static void assert_looks(const bone* bones, uint32_t count, sup_quat turn, sup_axis up, sup_vec3 wanted)
{
    sup_character* c = make(bones, count, turn, up);
    sup_vec3       found = sup_character_facing(c, NULL, NULL);
    if (v3_distance(found, wanted) > 1e-3f) fail_msg("looks along %g %g %g", (double)found.x, (double)found.y, (double)found.z);
    sup_character_destroy(c);
}

// Looks along +z: left is +x.
static const bone standing[] = { { "Hips", -1, { 0, 1, 0 } },
                                 { "Spine", 0, { 0, 1.3f, 0 } },
                                 { "Head", 1, { 0, 1.6f, 0.05f } },
                                 { "LeftUpLeg", 0, { 0.1f, 0.9f, 0 } },
                                 { "LeftLeg", 3, { 0.1f, 0.5f, 0 } },
                                 { "LeftFoot", 4, { 0.1f, 0.1f, 0 } },
                                 { "RightUpLeg", 0, { -0.1f, 0.9f, 0 } },
                                 { "RightLeg", 6, { -0.1f, 0.5f, 0 } },
                                 { "RightFoot", 7, { -0.1f, 0.1f, 0 } },
                                 { "LeftToeBase", 5, { 0.15f, 0.03f, 0.15f } },
                                 { "RightToeBase", 8, { -0.15f, 0.03f, 0.15f } } };

static sup_quat about_y(float degrees) { return quat_axis_angle(v3(0, 1, 0), degrees * 0.0174532925f); }

static void a_figure_looks_where_its_sides_say(void** state)
{
    (void)state;
    assert_looks(standing, 9, about_y(0), SUP_AXIS_Y, v3(0, 0, 1));
    assert_looks(standing, 9, about_y(180), SUP_AXIS_Y, v3(0, 0, -1));
    assert_looks(standing, 9, about_y(90), SUP_AXIS_Y, v3(1, 0, 0));
    assert_looks(standing, 9, about_y(70), SUP_AXIS_Y, v3(1, 0, 0)); // nearly
    assert_looks(standing, 9, about_y(45), SUP_AXIS_Y, v3(0.70711f, 0, 0.70711f));
    // Z up: y becomes z, z becomes -y, and that is the convention there.
    assert_looks(standing, 9, quat_axis_angle(v3(1, 0, 0), 1.57079633f), SUP_AXIS_Z, v3(0, -1, 0));
}

static void toes_tell_where_sides_are_mirrored_or_missing(void** state)
{
    (void)state;
    bone mirrored[11];
    memcpy(mirrored, standing, sizeof mirrored);
    for (int i = 0; i < 11; ++i) mirrored[i].at.x = -mirrored[i].at.x;
    assert_looks(mirrored, 11, about_y(0), SUP_AXIS_Y, v3(0, 0, 1));
    assert_looks(mirrored, 11, about_y(180), SUP_AXIS_Y, v3(0, 0, -1));
    assert_looks(mirrored, 9, about_y(0), SUP_AXIS_Y, v3(0, 0, -1)); // without toes the names are believed
}

static void a_body_on_four_feet_looks_where_its_head_is(void** state)
{
    (void)state;
    static const bone fox[] = { { "Hips", -1, { 0, 0.6f, 0 } },
                                { "Spine", 0, { 0, 0.6f, -0.5f } },
                                { "Head", 1, { 0, 0.8f, -0.9f } } };
    assert_looks(fox, 3, about_y(0), SUP_AXIS_Y, v3(0, 0, -1));
    assert_looks(fox, 3, about_y(90), SUP_AXIS_Y, v3(-1, 0, 0));
}

static void where_nothing_tells_the_convention_holds(void** state)
{
    (void)state;
    static const bone bar[] = { { "a", -1, { 0, 0, 0 } }, { "b", 0, { 1, 0, 0 } } };
    assert_looks(bar, 2, about_y(0), SUP_AXIS_Y, v3(0, 0, 1));
    assert_looks(bar, 2, about_y(0), SUP_AXIS_Z, v3(0, -1, 0));
}

// It turns the figure half around from 0.5 s on: the clip's mean is nothing, its beginning counts. A quarter of the time is a
// mean.
static void over_a_clip_the_mean_counts_and_where_there_is_none_the_beginning(void** state)
{
    (void)state;
    sup_character*     c = make(standing, 11, about_y(0), SUP_AXIS_Y);
    static const float times[2] = { 0, 0.5f }, back[8] = { 0, 0, 0, 1, 0, 1, 0, 0 },
                       side[4] = { 0, 0.70710678f, 0, 0.70710678f };
    sup_channel turn = { 0, SUP_PATH_ROTATION, SUP_INTERPOLATE_STEP, 2, 4, times, back };
    sup_clip    clip = { .name = "turn", .seconds = 1, .channel_count = 1, .channels = &turn };
    sup_vec3    found = sup_character_facing(c, &clip, NULL);
    assert_true(v3_distance(found, v3(0, 0, 1)) < 1e-3f);
    turn = (sup_channel){ 0, SUP_PATH_ROTATION, SUP_INTERPOLATE_STEP, 1, 4, times, side };
    found = sup_character_facing(c, &clip, NULL);
    assert_true(v3_distance(found, v3(1, 0, 0)) < 1e-3f);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_figure_looks_where_its_sides_say),
        cmocka_unit_test(toes_tell_where_sides_are_mirrored_or_missing),
        cmocka_unit_test(a_body_on_four_feet_looks_where_its_head_is),
        cmocka_unit_test(where_nothing_tells_the_convention_holds),
        cmocka_unit_test(over_a_clip_the_mean_counts_and_where_there_is_none_the_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "play.h"

#include "math/trig.h"

#include <math.h>

// A tube of two joints whose second is twisted about its axis; held, no clip.
static play twisted(const sup_character* c, sup_arena* arena, const char* links, double degrees, float scale)
{
    sup_pose  pose;
    sup_error error;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    sup_pose_rest(c, &pose);
    pose.local[1].rotation = quat_axis_angle(v3(1, 0, 0), (float)(degrees * 3.14159265358979 / 180));
    pose.local[1].scale = v3(scale, scale, scale);
    sup_pose_update(c, &pose);
    play p = play_chain((sup_chain_desc){ .character = c, .links = links }, (sup_instance_desc){ .pose = &pose });
    play_hash(&p, 0);
    return p;
}

static float smallest_radius(const play* p, uint32_t rings)
{
    float least = 1e9f;
    for (uint32_t i = 0; i < rings; ++i) least = fminf(least, sqrtf(p->out[i].y * p->out[i].y + p->out[i].z * p->out[i].z));
    return least;
}

static void a_twist_of_150_degrees_keeps_the_radius_where_linear_collapses(void** state)
{
    (void)state;
    sup_character* c = test_tube(21, 12, 2, 1.0f, 0.1f);
    sup_arena*     arena = sup_arena_create(NULL);
    play           linear = twisted(c, arena, "linear", 150, 1), dual = twisted(c, arena, "dualquat", 150, 1);
    // Halfway, linear averages two points 150 degrees apart: radius 0.1 cos 75 = 0.02588.
    assert_float_equal(smallest_radius(&linear, 21 * 12), 0.02588f, 1e-4f);
    assert_float_equal(smallest_radius(&dual, 21 * 12), 0.1f, 1e-5f);
    play_end(&linear), play_end(&dual);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void twisting_the_other_way_round_is_not_a_detour(void** state)
{
    (void)state;
    // 200 degrees is 160 degrees back: the halfway ring is at -80 degrees, not at +100.
    sup_character* c = test_tube(21, 12, 2, 1.0f, 0.1f);
    sup_arena*     arena = sup_arena_create(NULL);
    play           p = twisted(c, arena, "dualquat", 200, 1);
    sup_vec3       middle = p.out[10 * 12]; // was (0.5, 0.1, 0)
    assert_float_equal(middle.y, 0.1f * (float)sup_cos(-80 * 3.14159265358979 / 180), 1e-5f);
    assert_float_equal(middle.z, 0.1f * (float)sup_sin(-80 * 3.14159265358979 / 180), 1e-5f);
    play_end(&p);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void a_scaled_bone_grows_as_its_matrix_says(void** state)
{
    (void)state;
    sup_character* c = test_tube(21, 12, 2, 1.0f, 0.1f);
    sup_arena*     arena = sup_arena_create(NULL);
    play           linear = twisted(c, arena, "linear", 0, 2), dual = twisted(c, arena, "dualquat", 0, 2);
    for (uint32_t i = 0; i < c->mesh.point_count; ++i) assert_true(v3_distance(linear.out[i], dual.out[i]) < 1e-5f);
    play turned = twisted(c, arena, "dualquat", 90, 2);
    assert_float_equal(turned.out[turned.points - 1].x, 0.5f + 2 * 0.5f, 1e-5f);
    play_end(&linear), play_end(&dual), play_end(&turned);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void blend_goes_from_linear_to_dual_quaternion(void** state)
{
    (void)state;
    sup_character* c = test_tube(21, 12, 2, 1.0f, 0.1f);
    sup_arena*     arena = sup_arena_create(NULL);
    play           linear = twisted(c, arena, "linear", 150, 1), none = twisted(c, arena, "dualquat(blend=0)", 150, 1);
    play           all = twisted(c, arena, "dualquat", 150, 1), half = twisted(c, arena, "dualquat(blend=0.5)", 150, 1);
    for (uint32_t i = 0; i < c->mesh.point_count; ++i) {
        assert_true(v3_distance(linear.out[i], none.out[i]) == 0);
        assert_true(v3_distance(half.out[i], v3_lerp(linear.out[i], all.out[i], 0.5f)) < 1e-6f);
    }
    play_end(&linear), play_end(&none), play_end(&all), play_end(&half);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void a_bone_value_makes_one_joint_linear(void** state)
{
    (void)state;
    sup_character* c = test_tube(31, 12, 3, 1.0f, 0.1f);
    sup_error      error;
    sup_arena*     arena = sup_arena_create(NULL);
    sup_pose       pose;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    sup_pose_rest(c, &pose);
    for (uint32_t j = 1; j < 3; ++j) pose.local[j].rotation = quat_axis_angle(v3(1, 0, 0), 2.0f);
    sup_pose_update(c, &pose);
    const char*       setting = "dualquat.blend@joint0=0";
    sup_instance_desc held = { .pose = &pose };
    play              mixed =
        play_chain((sup_chain_desc){ .character = c, .links = "dualquat", .settings = &setting, .setting_count = 1 }, held);
    play linear = play_chain((sup_chain_desc){ .character = c, .links = "linear" }, held);
    play dual = play_chain((sup_chain_desc){ .character = c, .links = "dualquat" }, held);
    play_hash(&mixed, 0), play_hash(&linear, 0), play_hash(&dual, 0);
    for (uint32_t i = 0; i < c->mesh.point_count; ++i) {
        float share = 1; // of joint0 at this point
        for (uint32_t k = c->weights.begin[i]; k < c->weights.begin[i + 1]; ++k)
            if (c->weights.joints[k] == 0) share -= c->weights.values[k];
        assert_true(v3_distance(mixed.out[i], v3_lerp(linear.out[i], dual.out[i], share)) < 1e-6f);
    }
    play_end(&mixed), play_end(&linear), play_end(&dual);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void a_crushed_bone_is_counted_and_stays_finite(void** state)
{
    (void)state;
    sup_character* c = test_tube(21, 12, 2, 1.0f, 0.1f);
    sup_arena*     arena = sup_arena_create(NULL);
    play           p = twisted(c, arena, "dualquat", 40, 0);
    for (uint32_t i = 0; i < p.points; ++i) assert_true(v3_finite(p.out[i]));
    assert_int_equal(p.stats.count, 1);
    assert_string_equal(p.stats.items[0].name, "dualquat.no_rotation");
    play_end(&p);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_twist_of_150_degrees_keeps_the_radius_where_linear_collapses),
        cmocka_unit_test(twisting_the_other_way_round_is_not_a_detour),
        cmocka_unit_test(a_scaled_bone_grows_as_its_matrix_says),
        cmocka_unit_test(blend_goes_from_linear_to_dual_quaternion),
        cmocka_unit_test(a_bone_value_makes_one_joint_linear),
        cmocka_unit_test(a_crushed_bone_is_counted_and_stays_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

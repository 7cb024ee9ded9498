// Rough joints find the middle of their limb.
#include "support.h"

#include "base/internal.h"
#include "math/vec.h"
#include "supple/rig.h"

#include <math.h>

static void center(const sup_character* c, uint32_t count, const uint32_t* parents, sup_vec3* places, uint32_t cells,
                   sup_center* out)
{
    sup_error          error = { 0 };
    sup_center_options o = { .cells = cells };
    assert_ok(sup_places_center(&c->mesh, count, parents, places, &o, NULL, out, &error), error);
}

// A limb of 3 units with a radius of 0.2; with 60 cells along it a cell is 0.05 and the limb is 8 cells thick.
static void a_joint_two_cells_off_returns_within_half_a_cell(void** state)
{
    (void)state;
    sup_character* c = test_tube(31, 16, 4, 3, 0.2f);
    uint32_t       parents[] = { SUP_NONE, 0, 1, 2, 3 };
    for (int k = 0; k < 24; ++k) {
        float    angle = 6.2831853f * (float)k / 24, off = 0.1f; // two cells
        sup_vec3 places[] = {
            { 0.3f, 0, 0 }, { 0.9f, 0, 0 }, { 1.5f, off * cosf(angle), off * sinf(angle) }, { 2.1f, 0, 0 }, { 2.7f, 0, 0 }
        };
        sup_center done;
        center(c, 5, parents, places, 60, &done);
        assert_float_equal(done.cell, 0.05f, 1e-4f);
        for (int i = 0; i < 5; ++i) {
            float from_axis = hypotf(places[i].y, places[i].z);
            if (from_axis > 0.5f * done.cell)
                fail_msg("joint %d is %.2f cells from the axis", i, (double)(from_axis / done.cell));
            assert_float_equal(places[i].x, 0.3f + 0.6f * (float)i, 0.5f * done.cell); // and keeps its height
        }
        assert_int_equal(done.outside, 0);
        assert_true(done.moved >= 1);
    }
    sup_character_destroy(c);
}

static void all_joints_off_at_once_return_too_however_thick_the_limb(void** state)
{
    (void)state;
    for (float radius = 0.15f; radius < 0.5f; radius += 0.05f) { // 3 to 9 cells
        sup_character* c = test_tube(31, 24, 4, 3, radius);
        uint32_t       parents[] = { SUP_NONE, 0, 1, 2 };
        sup_vec3       places[] = { { 0.6f, 0.1f, 0 }, { 1.2f, -0.1f, 0 }, { 1.8f, 0, 0.1f }, { 2.4f, 0.07f, -0.07f } };
        sup_center     done;
        center(c, 4, parents, places, 60, &done);
        for (int i = 0; i < 4; ++i)
            if (hypotf(places[i].y, places[i].z) > 0.5f * done.cell)
                fail_msg("radius %.2f: joint %d is %.2f cells from the axis", (double)radius, i,
                         (double)(hypotf(places[i].y, places[i].z) / done.cell));
        assert_int_equal(done.moved, 4);
        assert_float_equal(done.farthest, 0.1f, 0.03f);
        sup_character_destroy(c);
    }
}

static void a_thin_limb_takes_back_a_joint_outside_of_it(void** state)
{
    (void)state;
    sup_character* c = test_tube(31, 16, 4, 3, 0.06f); // between two and three cells thick
    uint32_t       parents[] = { SUP_NONE, 0, 1 };
    sup_vec3       places[] = { { 0.5f, 0, 0 }, { 1.5f, 0.1f, 0 }, { 2.5f, 0, 0 } };
    sup_center     done;
    center(c, 3, parents, places, 60, &done);
    for (int i = 0; i < 3; ++i) assert_true(hypotf(places[i].y, places[i].z) < 0.5f * done.cell);
    sup_character_destroy(c);
}

static void a_joint_far_outside_stays(void** state)
{
    (void)state;
    sup_character* c = test_tube(31, 16, 4, 3, 0.2f);
    uint32_t       parents[] = { SUP_NONE, 0 };
    sup_vec3       places[] = { { 0.5f, 0, 0 }, { 1.5f, 2.0f, 0 } };
    sup_center     done;
    center(c, 2, parents, places, 60, &done);
    assert_int_equal(done.outside, 1);
    assert_true(places[1].x == 1.5f && places[1].y == 2.0f && places[1].z == 0);
    sup_character_destroy(c);
}

// Joints keep their axes, and the skin at rest stays where it was although each turns about another place.
static void joints_of_a_character_move_with_their_binds(void** state)
{
    (void)state;
    sup_character*      c = test_tube(31, 16, 3, 3, 0.2f);
    const sup_skeleton* s = &c->skeleton;
    sup_joint           joints[3];
    sup_vec3            tails[3] = { { 0, 0, 0 }, { 0, 0, 0 }, { 2.9f, 0, 0.1f } };
    bool                has_tail[3] = { false, false, true };
    for (uint32_t j = 0; j < 3; ++j) joints[j] = s->joints[j];
    joints[0].rest.rotation = quat(0, 0, 0.38268343f, 0.92387953f); // 45 degrees about z: rest is not bind
    joints[0].rest.translation = v3(5, 6, 7);
    joints[1].inverse_bind.m[1][3] = -0.1f; // bind at y = 0.1
    joints[1].rest.translation = v3(1, 0.1f, 0);
    joints[2].rest.translation = v3(1, -0.1f, 0);
    sup_center         done;
    sup_error          error = { 0 };
    sup_center_options o = { .cells = 60 };
    assert_ok(sup_joints_center(&c->mesh, 3, joints, tails, has_tail, &o, NULL, &done, &error), error);
    sup_affine bind;
    assert_true(affine_invert(&joints[1].inverse_bind, &bind));
    assert_float_equal(bind.m[1][3], 0, 0.5f * done.cell);
    assert_float_equal(joints[1].rest.translation.y, 0, 0.5f * done.cell);
    assert_float_equal(joints[2].rest.translation.y, 0, 0.5f * done.cell);
    assert_float_equal(joints[0].rest.translation.x, 5, 0.5f * done.cell);
    assert_float_equal(tails[2].z, 0, 0.5f * done.cell);
    // Skin matrices at rest: global x inverse bind, the same for all joints as before.
    sup_affine g0 = affine_from_transform(&joints[0].rest), l1 = affine_from_transform(&joints[1].rest),
               g1 = affine_mul(&g0, &l1);
    sup_affine s0 = affine_mul(&g0, &joints[0].inverse_bind), s1 = affine_mul(&g1, &joints[1].inverse_bind);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 4; ++k) assert_float_equal(s0.m[i][k], s1.m[i][k], 1e-5f);
    assert_float_equal(s0.m[0][3], 5, 1e-5f);
    sup_character_destroy(c);
}

static void failing_memory_is_an_error_and_nothing_leaks(void** state)
{
    (void)state;
    sup_character* c = test_tube(8, 6, 3, 3, 0.2f);
    for (test_starved s = { 0 }; test_starve(&s);) {
        sup_error          error = { 0 };
        sup_center         done;
        sup_center_options o = { .cells = 12 };
        sup_joint          joints[3];
        for (uint32_t j = 0; j < 3; ++j) joints[j] = c->skeleton.joints[j];
        s.result = sup_joints_center(&c->mesh, 3, joints, NULL, NULL, &o, &s.memory.allocator, &done, &error);
    }
    sup_center_options o = { .cells = 1000 };
    sup_error          error = { 0 };
    sup_center         done;
    assert_int_equal(sup_places_center(&c->mesh, 0, NULL, NULL, &o, NULL, &done, &error), SUP_ERROR_INPUT);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_joint_two_cells_off_returns_within_half_a_cell),
        cmocka_unit_test(all_joints_off_at_once_return_too_however_thick_the_limb),
        cmocka_unit_test(a_thin_limb_takes_back_a_joint_outside_of_it),
        cmocka_unit_test(a_joint_far_outside_stays),
        cmocka_unit_test(joints_of_a_character_move_with_their_binds),
        cmocka_unit_test(failing_memory_is_an_error_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "math/vec.h"

#include "support.h"

#include <math.h>

#define DEGREE 0.017453292519943295f

static sup_affine from_rows(const float r[12])
{
    sup_affine a;
    for (int i = 0; i < 12; ++i) a.m[i / 4][i % 4] = r[i];
    return a;
}

// As --pose turns a joint.
static void euler_angles_turn_about_x_then_y_then_z(void** state)
{
    (void)state;
    const float quarter = 1.5707963f;
    sup_vec3    p = quat_rotate(quat_euler_xyz(v3(quarter, quarter, 0)), v3(0, 1, 0)); // y to z, then z to x
    assert_float_equal(p.x, 1, 1e-6f);
    p = quat_rotate(quat_euler_xyz(v3(0, quarter, quarter)), v3(0, 0, 1)); // z to x, then x to y
    assert_float_equal(p.y, 1, 1e-6f);
}

static void assert_vec(sup_vec3 have, float x, float y, float z, double tolerance)
{
    assert_float_equal(have.x, x, tolerance);
    assert_float_equal(have.y, y, tolerance);
    assert_float_equal(have.z, z, tolerance);
}

static void inverse_undoes_the_map(void** state)
{
    (void)state;
    sup_affine a = from_rows((float[]){ 2, 1, 0, 5, -1, 3, 0.5f, -7, 0.25f, 0, 4, 11 }), inverse;
    assert_true(affine_invert(&a, &inverse));
    sup_affine product = affine_mul(&a, &inverse), one = affine_identity();
    for (int i = 0; i < 12; ++i) assert_float_equal(product.m[i / 4][i % 4], one.m[i / 4][i % 4], 2e-6);
}

static void very_small_and_uneven_scales_invert(void** state)
{
    (void)state;
    sup_affine a = from_rows((float[]){ 1e-12f, 0, 0, 1, 0, 1e12f, 0, 2, 0, 0, 1e-12f, 3 }), inverse;
    assert_true(affine_invert(&a, &inverse));
    assert_float_equal(inverse.m[0][0] * 1e-12f, 1, 1e-6);
    assert_float_equal(inverse.m[1][1] * 1e12f, 1, 1e-6);
}

static void singular_map_has_no_inverse_and_infinite_condition(void** state)
{
    (void)state;
    // 0.1 is not exact: the determinant computes to noise, not to zero.
    const float rows[][12] = { { .1f, .2f, .3f, 0, .2f, .4f, .6f, 0, .7f, .1f, .9f, 0 },
                               { 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 },
                               { 1, 0, 0, 0, 0, NAN, 0, 0, 0, 0, 1, 0 },
                               { 1e-40f, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 } };
    for (int i = 0; i < 4; ++i) {
        sup_affine a = from_rows(rows[i]), out = affine_identity();
        assert_false(affine_invert(&a, &out));
        assert_true(out.m[0][0] == 1); // untouched
        if (i < 3) assert_true(isinf(affine_condition(&a)));
    }
}

static void condition_is_the_ratio_of_stretches(void** state)
{
    (void)state;
    sup_affine one = affine_identity();
    assert_float_equal(affine_condition(&one), 1, 1e-6);
    sup_affine turn = affine_from_rotation(quat_euler_xyz(v3(1, 2, 3)), v3(0, 0, 0));
    sup_affine stretch = from_rows((float[]){ 8, 0, 0, 0, 0, -0.5f, 0, 0, 0, 0, 2, 0 });
    sup_affine both = affine_mul(&stretch, &turn);
    assert_float_equal(affine_condition(&both), 16, 1e-4);
    both = affine_mul(&turn, &stretch);
    assert_float_equal(affine_condition(&both), 16, 1e-4);
    sup_affine shear = from_rows((float[]){ 1, 0.5f, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 }); // sigma = (sqrt 17 +- 1) / 4
    assert_float_equal(affine_condition(&shear), 1.6403882, 1e-5);
}

static void transform_survives_matrix_and_back(void** state)
{
    (void)state;
    for (int i = 0; i < 100; ++i) {
        sup_transform t = { v3((float)i, 2, -3), quat_euler_xyz(v3(0.7f * (float)i, 0.31f * (float)i, -1.9f * (float)i)),
                            v3(i % 2 ? -2.0f : 2.0f, 0.5f, 3) };
        sup_affine    a = affine_from_transform(&t);
        sup_transform back;
        assert_true(affine_decompose(&a, &back));
        assert_vec(back.translation, t.translation.x, 2, -3, 0);
        assert_vec(back.scale, t.scale.x, 0.5f, 3, 1e-5);
        assert_float_equal(fabsf(quat_dot(back.rotation, t.rotation)), 1, 1e-6);
    }
}

static void mirror_of_any_axis_goes_into_x(void** state)
{
    (void)state;
    sup_affine    a = from_rows((float[]){ 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, 0 });
    sup_transform t;
    assert_true(affine_decompose(&a, &t));
    assert_true(t.scale.x < 0 && t.scale.y > 0 && t.scale.z > 0);
    sup_affine back = affine_from_transform(&t);
    for (int i = 0; i < 12; ++i) assert_float_equal(back.m[i / 4][i % 4], a.m[i / 4][i % 4], 1e-6);
}

static void shear_is_reported_and_flat_axis_keeps_the_turn(void** state)
{
    (void)state;
    sup_affine    shear = from_rows((float[]){ 1, 0.5f, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0 });
    sup_transform t;
    assert_false(affine_decompose(&shear, &t));
    assert_float_equal(quat_dot(t.rotation, t.rotation), 1, 1e-6);
    sup_affine flat = affine_from_rotation(quat_axis_angle(v3(0, 0, 1), 90 * DEGREE), v3(0, 0, 0));
    for (int i = 0; i < 3; ++i) flat.m[i][2] = 0; // z lost
    assert_true(affine_decompose(&flat, &t));
    assert_true(t.scale.z == 0);
    assert_vec(quat_rotate(t.rotation, v3(1, 0, 0)), 0, 1, 0, 1e-6);
    assert_vec(quat_rotate(t.rotation, v3(0, 0, 1)), 0, 0, 1, 1e-6);
    sup_affine nothing = { 0 };
    assert_true(affine_decompose(&nothing, &t));
    assert_true(t.rotation.w == 1);
}

static void matrix_of_a_rotation_gives_its_quaternion(void** state)
{
    (void)state;
    for (int i = 0; i < 1000; ++i) {
        sup_quat   q = quat_euler_xyz(v3(0.37f * (float)i, 1.7f * (float)i, -0.9f * (float)i));
        sup_affine a = affine_from_rotation(q, v3(1, 2, 3));
        assert_float_equal(fabsf(quat_dot(quat_from_affine(&a), q)), 1, 1e-6);
    }
}

static void slerp_walks_the_short_arc_evenly(void** state)
{
    (void)state;
    sup_quat a = quat_identity(), b = quat_axis_angle(v3(0, 0, 1), 120 * DEGREE);
    for (int i = 0; i <= 12; ++i) {
        sup_quat want = quat_axis_angle(v3(0, 0, 1), (float)i * 10 * DEGREE);
        sup_quat have = quat_slerp(a, b, (float)i / 12);
        assert_float_equal(have.z, want.z, 2e-7);
        assert_float_equal(have.w, want.w, 2e-7);
        have = quat_slerp(a, quat(-b.x, -b.y, -b.z, -b.w), (float)i / 12); // the same rotation by its other name
        assert_float_equal(have.z, want.z, 2e-7);
    }
    sup_quat near = quat_axis_angle(v3(1, 0, 0), 1e-5f), half = quat_slerp(a, near, 0.5f);
    assert_float_equal(half.x, 2.5e-6, 1e-12);
    half = quat_slerp(a, quat(1, 0, 0, 0), 0.5f); // half a turn: still a unit quaternion half way
    assert_float_equal(half.x, 0.70710678, 1e-6);
}

static void axis_angle_turns_right_handed(void** state)
{
    (void)state;
    assert_vec(quat_rotate(quat_axis_angle(v3(0, 0, 1), 90 * DEGREE), v3(1, 0, 0)), 0, 1, 0, 1e-6);
    assert_vec(quat_rotate(quat_axis_angle(v3(1, 0, 0), 90 * DEGREE), v3(0, 1, 0)), 0, 0, 1, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(euler_angles_turn_about_x_then_y_then_z),
        cmocka_unit_test(inverse_undoes_the_map),
        cmocka_unit_test(very_small_and_uneven_scales_invert),
        cmocka_unit_test(singular_map_has_no_inverse_and_infinite_condition),
        cmocka_unit_test(condition_is_the_ratio_of_stretches),
        cmocka_unit_test(transform_survives_matrix_and_back),
        cmocka_unit_test(mirror_of_any_axis_goes_into_x),
        cmocka_unit_test(shear_is_reported_and_flat_axis_keeps_the_turn),
        cmocka_unit_test(matrix_of_a_rotation_gives_its_quaternion),
        cmocka_unit_test(slerp_walks_the_short_arc_evenly),
        cmocka_unit_test(axis_angle_turns_right_handed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

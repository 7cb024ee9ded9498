// Test vectors worked out with a sign-corrected singular value decomposition in double.
#include "math/rotation.h"

#include "math/vec.h"
#include "support.h"

#include <math.h>
#include <string.h>

static sup_mat3 matrix(float a, float b, float c, float d, float e, float f, float g, float h, float i)
{
    return (sup_mat3){ { { a, b, c }, { d, e, f }, { g, h, i } } };
}

static void assert_rotation(sup_quat q, sup_mat3 want, double tolerance)
{
    sup_affine r = affine_from_rotation(q, v3(0, 0, 0));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) assert_float_equal(r.m[i][j], want.m[i][j], tolerance);
    assert_float_equal(quat_dot(q, q), 1, 1e-6);
}

/// The answer, cold and from the identity.
static void assert_found(sup_mat3 a, sup_mat3 want)
{
    sup_quat q;
    assert_true(rotation_cold(&a, &q));
    assert_rotation(q, want, 1e-6);
    q = quat_identity();
    rotation_extract(&a, &q);
    assert_rotation(q, want, 2e-6);
}

static const sup_mat3 identity = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };

static void sheared_square_turns_by_the_known_angle(void** state)
{
    (void)state;
    assert_found(matrix(1, .5f, 0, 0, 1, 0, 0, 0, 1),
                 matrix(.970142500f, .242535625f, 0, -.242535625f, .970142500f, 0, 0, 0, 1));
}

static void stretch_does_not_change_a_quarter_turn(void** state)
{
    (void)state;
    assert_found(matrix(0, -1, 0, 2, 0, 0, 0, 0, .5f), matrix(0, -1, 0, 1, 0, 0, 0, 0, 1));
}

static void flat_matrix_of_rank_two_has_its_rotation(void** state)
{
    (void)state;
    assert_found(matrix(0, -1, 0, 1, 0, 0, 0, 0, 0), matrix(0, -1, 0, 1, 0, 0, 0, 0, 1));
}

static void line_of_rank_one_points_the_right_way(void** state)
{
    (void)state;
    sup_mat3 a = matrix(0, 0, 0, 1, 0, 0, 0, 0, 0);
    sup_quat q = quat_identity();
    rotation_extract(&a, &q);
    sup_vec3 x = quat_rotate(q, v3(1, 0, 0));
    assert_float_equal(x.x, 0, 1e-6);
    assert_float_equal(x.y, 1, 1e-6);
    assert_float_equal(x.z, 0, 1e-6);
}

static void mirrored_axes_stay_at_the_identity(void** state)
{
    (void)state;
    assert_found(matrix(1, 0, 0, 0, 1, 0, 0, 0, -1), identity);
    assert_found(matrix(2, 0, 0, 0, 1, 0, 0, 0, -.1f), identity);
}

static void zero_matrix_leaves_the_start(void** state)
{
    (void)state;
    sup_mat3 a = matrix(0, 0, 0, 0, 0, 0, 0, 0, 0);
    sup_quat start = quat_axis_angle(v3(0, 0.6f, 0.8f), 1.3f), q = start;
    assert_true(rotation_refine(&a, 2, &q));
    assert_memory_equal(&q, &start, sizeof q);
    assert_false(rotation_cold(&a, &q));
    rotation_extract(&a, &q);
    assert_memory_equal(&q, &start, sizeof q);
}

static void saddle_at_half_a_turn_starts_cold(void** state)
{
    (void)state;
    sup_mat3 a = matrix(1, 0, 0, 0, -1, 0, 0, 0, -1);
    sup_quat q = quat_identity();
    assert_false(rotation_refine(&a, 2, &q)); // the slope is zero there, the curvature is not
    assert_found(a, a);
}

static void inverted_matrix_gives_a_rotation_not_a_mirror(void** state)
{
    (void)state;
    sup_mat3 a = matrix(1.2f, -.3f, .5f, .4f, .9f, -.2f, -.1f, .6f, -.7f);
    assert_found(a, matrix(.760874203f, .058809691f, .646228959f, .583761463f, .372845265f, -.721255130f, -.283360199f,
                           .926027985f, .249357513f));
    sup_quat q;
    assert_true(rotation_cold(&a, &q));
    assert_float_equal(q.w, .771860898, 1e-7);
    assert_float_equal(q.x, .533542741, 1e-7);
    assert_float_equal(q.y, .301087010, 1e-7);
    assert_float_equal(q.z, .170027972, 1e-7);
}

static void regular_matrix_gives_the_polar_factor(void** state)
{
    (void)state;
    assert_found(matrix(.2f, -.9f, .1f, 1.1f, .3f, 0, .1f, -.2f, .8f),
                 matrix(.239941130f, -.968342967f, -.068848758f, .969887519f, .242168082f, -.025938767f, .041790595f,
                        -.060551774f, .997289842f));
}

static sup_mat3 turned(sup_quat q, const sup_mat3* s)
{
    sup_affine r = affine_from_rotation(q, v3(0, 0, 0));
    sup_mat3   out;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) out.m[i][j] = r.m[i][0] * s->m[0][j] + r.m[i][1] * s->m[1][j] + r.m[i][2] * s->m[2][j];
    return out;
}

static void warm_start_a_third_of_a_radian_off_needs_two_steps(void** state)
{
    (void)state;
    const sup_mat3 stretch = matrix(1.5f, .2f, .1f, .2f, 1.2f, .1f, .1f, .1f, 1.0f);
    for (int i = 0; i < 200; ++i) {
        sup_quat truth = quat_euler_xyz(v3(0.37f * (float)i, 1.11f * (float)i, 0.053f * (float)i));
        sup_vec3 axis = v3_normalize(v3((float)(i % 7) - 3.0f, (float)(i % 5) - 1.9f, 1), v3(0, 0, 1));
        sup_quat q = quat_mul(truth, quat_axis_angle(axis, 0.3f));
        sup_mat3 a = turned(truth, &stretch);
        assert_true(rotation_refine(&a, 2, &q));
        float cosine = fabsf(quat_dot(q, truth));
        assert_true(cosine > 1 - 1e-6f);
    }
}

static void size_of_the_matrix_does_not_matter(void** state)
{
    (void)state;
    const sup_mat3 stretch = matrix(1.5f, .2f, .1f, .2f, 1.2f, .1f, .1f, .1f, 1.0f);
    sup_quat       truth = quat_euler_xyz(v3(0.3f, -0.2f, 0.1f));
    for (float size = 1e-36f; size < 1e36f; size *= 100) {
        sup_mat3 a = turned(truth, &stretch);
        for (int i = 0; i < 9; ++i) a.m[i / 3][i % 3] *= size;
        sup_quat q = quat_identity();
        assert_true(rotation_refine(&a, 3, &q));
        assert_true(fabsf(quat_dot(q, truth)) > 1 - 1e-6f);
    }
}

static void bad_numbers_leave_the_start(void** state)
{
    (void)state;
    sup_mat3 a = matrix(1, 0, 0, 0, NAN, 0, 0, 0, 1);
    sup_quat q = quat_identity();
    assert_false(rotation_refine(&a, 2, &q));
    assert_false(rotation_cold(&a, &q));
    rotation_extract(&a, &q);
    assert_true(q.w == 1);
    a = matrix(INFINITY, 0, 0, 0, 1, 0, 0, 0, 1);
    rotation_extract(&a, &q);
    assert_true(q.w == 1);
    q = quat(0, 0, 0, 0); // not a rotation: nothing to refine
    assert_false(rotation_refine(&identity, 2, &q));
}

static uint32_t noise(uint32_t* seed) { return *seed = *seed * 1664525u + 1013904223u; }

/// Eight matrices and starts of many kinds: random, flat, absent, not a number, a saddle, tiny.
static void draw_eight(uint32_t* seed, sup_mat3 m[8], sup_quat p[8], f8 a[9], f8 q[4])
{
    for (int lane = 0; lane < 8; ++lane) {
        for (int i = 0; i < 9; ++i) m[lane].m[i / 3][i % 3] = (float)(int32_t)noise(seed) * 1e-9f;
        int kind = (int)(noise(seed) >> 28);
        if (kind < 3)
            for (int i = 3 * kind; i < 9; ++i) m[lane].m[i / 3][i % 3] = 0;
        if (kind == 3) m[lane].m[1][1] = NAN;
        if (kind == 4) m[lane] = matrix(1, 0, 0, 0, -1, 0, 0, 0, -1);
        if (kind == 5)
            for (int i = 0; i < 9; ++i) m[lane].m[i / 3][i % 3] *= 1e-30f;
        p[lane] = kind == 4 ? quat_identity() : quat_euler_xyz(v3((float)(noise(seed) >> 29), 0.3f, 1));
        for (int i = 0; i < 9; ++i) a[i][lane] = m[lane].m[i / 3][i % 3];
        q[0][lane] = p[lane].x, q[1][lane] = p[lane].y, q[2][lane] = p[lane].z, q[3][lane] = p[lane].w;
    }
}

static void compare_widths(uint32_t (*refine8)(const f8*, int, f8*))
{
    uint32_t seed = 7;
    for (int round = 0; round < 500; ++round) {
        f8       a[9], q[4];
        sup_mat3 m[8];
        sup_quat p[8];
        draw_eight(&seed, m, p, a, q);
        uint32_t good = refine8(a, 2, q);
        for (int lane = 0; lane < 8; ++lane) {
            assert_int_equal(rotation_refine(&m[lane], 2, &p[lane]), (good >> lane) & 1);
            const float have[4] = { q[0][lane], q[1][lane], q[2][lane], q[3][lane] };
            assert_memory_equal(have, &p[lane], sizeof have);
        }
    }
}

static void compare_fits(uint32_t (*fit8)(const f8*, f8*, f8*))
{
    uint32_t seed = 11, cold = 0, expected = 0;
    for (int round = 0; round < 500; ++round) {
        f8       a[9], q[4], r[9];
        sup_mat3 m[8];
        sup_quat p[8];
        draw_eight(&seed, m, p, a, q);
        cold += fit8(a, q, r);
        for (int lane = 0; lane < 8; ++lane) {
            sup_quat warm = p[lane], nothing;
            expected += !rotation_refine(&m[lane], 2, &warm) && rotation_cold(&m[lane], &nothing);
            rotation_extract(&m[lane], &p[lane]);
            const float have[4] = { q[0][lane], q[1][lane], q[2][lane], q[3][lane] };
            assert_memory_equal(have, &p[lane], sizeof have);
            sup_affine want = affine_from_rotation(p[lane], v3(0, 0, 0));
            for (int i = 0; i < 9; ++i) assert_float_equal(r[i][lane], want.m[i / 3][i % 3], 1e-6);
        }
    }
    assert_true(cold > 0);
    assert_int_equal(cold, expected);
}

static void eight_fits_are_eight_extractions_and_count_the_cold_ones(void** state)
{
    (void)state;
    compare_fits(rotation_fit8_v1);
    compare_fits(SUP_WIDE_PICK(rotation_fit8));
}

static void eight_lanes_give_the_bits_of_one(void** state)
{
    (void)state;
    compare_widths(rotation_refine8_v1);
    compare_widths(SUP_WIDE_PICK(rotation_refine8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheared_square_turns_by_the_known_angle),
        cmocka_unit_test(stretch_does_not_change_a_quarter_turn),
        cmocka_unit_test(flat_matrix_of_rank_two_has_its_rotation),
        cmocka_unit_test(line_of_rank_one_points_the_right_way),
        cmocka_unit_test(mirrored_axes_stay_at_the_identity),
        cmocka_unit_test(zero_matrix_leaves_the_start),
        cmocka_unit_test(saddle_at_half_a_turn_starts_cold),
        cmocka_unit_test(inverted_matrix_gives_a_rotation_not_a_mirror),
        cmocka_unit_test(regular_matrix_gives_the_polar_factor),
        cmocka_unit_test(warm_start_a_third_of_a_radian_off_needs_two_steps),
        cmocka_unit_test(size_of_the_matrix_does_not_matter),
        cmocka_unit_test(bad_numbers_leave_the_start),
        cmocka_unit_test(eight_lanes_give_the_bits_of_one),
        cmocka_unit_test(eight_fits_are_eight_extractions_and_count_the_cold_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

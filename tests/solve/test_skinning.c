// Skinning compared with the textbook in double, and with numbers worked out by hand.
#include "skin_rig.h"

// ---------------------------------------------------------------------------------------------- against the reference

static void linear_agrees_with_the_textbook_in_double(void** state)
{
    (void)state;
    const uint32_t shapes[][3] = {
        { 1000, 40, 4 }, { 1000, 7, 1 }, { 500, 60, 12 }, { 300, 50, 40 }, { 3, 2, 2 }, { 9, 1, 1 }
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        rig r = make_rig(shapes[i][0], shapes[i][1], shapes[i][2], i % 2, 1 + (uint32_t)i);
        assert_int_equal(pose(&r, make_set(&r), (sup_skin_call){ 0 }), 0);
        assert_true(worst(&r, false) < 1e-6);
        sup_arena_destroy(r.arena);
    }
}

static void dual_quaternions_agree_with_the_textbook_in_double(void** state)
{
    (void)state;
    const uint32_t shapes[][3] = {
        { 1000, 40, 4 }, { 1000, 7, 1 }, { 500, 60, 12 }, { 300, 50, 40 }, { 3, 2, 2 }, { 9, 1, 1 }
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        rig r = make_rig(shapes[i][0], shapes[i][1], shapes[i][2], false, 11 + (uint32_t)i);
        assert_int_equal(pose(&r, make_set(&r), (sup_skin_call){ .dualquat = true, .blend = 1 }), 0);
        assert_true(worst(&r, true) < 1e-6);
        sup_arena_destroy(r.arena);
    }
}

static void stretched_bones_agree_with_the_textbook_in_double(void** state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; ++i) {
        rig r = make_rig(600, 20, 2 + 3 * i, true, 21 + i);
        assert_int_equal(pose(&r, make_set(&r), (sup_skin_call){ .dualquat = true, .blend = 1 }), 0);
        assert_true(worst(&r, true) < 2e-6); // bones up to 1.5 long here
        sup_arena_destroy(r.arena);
    }
}

static void float_references_agree_with_the_double_ones(void** state)
{
    (void)state;
    rig                   r = make_rig(500, 20, 4, false, 31);
    reference_influences* four = sup_arena_alloc(r.arena, 500, sizeof *four);
    reference_dual*       duals = sup_arena_alloc(r.arena, 20, sizeof *duals);
    for (uint32_t p = 0; p < 500; ++p) {
        uint32_t b = r.desc.begin[p], n = r.desc.begin[p + 1] - b, best = 0;
        for (uint32_t k = 1; k < n; ++k)
            if (r.desc.values[b + k] > r.desc.values[b + best]) best = k;
        for (uint32_t k = 0; k < n; ++k) { // the largest first, as the dual quaternion loop expects
            uint32_t from = b + (k == 0 ? best : k == best ? 0 : k);
            four[p].joint[k] = (uint16_t)r.desc.joints[from];
            four[p].weight[k] = r.desc.values[from];
        }
    }
    reference_linear(500, r.desc.points, four, r.skin, r.out);
    assert_true(worst(&r, false) < 1e-6);
    reference_dualquat(500, r.desc.points, four, 20, r.skin, duals, r.out);
    assert_true(worst(&r, true) < 2e-6);
    sup_arena_destroy(r.arena);
}

// ---------------------------------------------------------------------------------------------- by hand

/// Two joints at the origin; one point at (0, 1, 0) held half by each.
static rig half_and_half(sup_affine a, sup_affine b)
{
    static const uint32_t begin[] = { 0, 2 }, joints[] = { 0, 1 };
    static const float    values[] = { 0.5f, 0.5f };
    static const sup_vec3 point = { 0, 1, 0 }, centers[2] = { { 0, 0, 0 }, { 0, 0, 0 } };
    rig                   r = { .arena = sup_arena_create(NULL) };
    r.skin = sup_arena_alloc(r.arena, 2, sizeof *r.skin);
    r.skin[0] = a;
    r.skin[1] = b;
    r.out = sup_arena_alloc(r.arena, 1, sizeof *r.out);
    r.matrices = sup_arena_alloc(r.arena, 1, sizeof *r.matrices);
    r.desc = (sup_skin_desc){ .point_count = 1,
                              .points = &point,
                              .begin = begin,
                              .joints = joints,
                              .values = values,
                              .joint_count = 2,
                              .joint_centers = centers };
    return r;
}

static sup_affine turned(sup_vec3 axis, double degrees)
{
    return affine_from_rotation(quat_axis_angle(axis, (float)(degrees * 0.017453292519943295)), v3(0, 0, 0));
}

static void twist_of_150_degrees_collapses_linearly_but_not_by_dual_quaternions(void** state)
{
    (void)state;
    rig                 r = half_and_half(affine_identity(), turned(v3(1, 0, 0), 150));
    const sup_skin_set* set = make_set(&r);
    pose(&r, set, (sup_skin_call){ 0 });
    assert_float_equal(hypotf(r.out[0].y, r.out[0].z), 0.25881905f, 1e-6f); // cos 75
    pose(&r, set, (sup_skin_call){ .dualquat = true, .blend = 1 });
    assert_float_equal(r.out[0].x, 0, 1e-6f);
    assert_float_equal(r.out[0].y, 0.25881905f, 1e-6f); // turned by 75 degrees
    assert_float_equal(r.out[0].z, 0.96592583f, 1e-6f);
    sup_arena_destroy(r.arena);
}

static void a_quaternion_and_its_opposite_are_the_same_rotation(void** state)
{
    (void)state;
    // 170 and -170 degrees: converted from the matrices, their quaternions have opposite signs; the short rotation is through
    // 180.
    rig r = half_and_half(turned(v3(1, 0, 0), 170), turned(v3(1, 0, 0), -170));
    pose(&r, make_set(&r), (sup_skin_call){ .dualquat = true, .blend = 1 });
    assert_float_equal(r.out[0].y, -1, 1e-6f);
    assert_float_equal(r.out[0].z, 0, 1e-6f);
    sup_arena_destroy(r.arena);
}

static void blend_goes_straight_from_linear_to_dual_quaternions(void** state)
{
    (void)state;
    rig                 r = make_rig(100, 9, 4, false, 61);
    const sup_skin_set* set = make_set(&r);
    sup_vec3            line[100], dual[100];
    float               share[100];
    pose(&r, set, (sup_skin_call){ .out = line });
    pose(&r, set, (sup_skin_call){ .dualquat = true, .blend = 1, .out = dual });
    pose(&r, set, (sup_skin_call){ .dualquat = true, .blend = 0 });
    assert_memory_equal(r.out, line, sizeof line);
    pose(&r, set, (sup_skin_call){ .dualquat = true, .blend = 0.5f });
    for (int p = 0; p < 100; ++p) {
        assert_float_equal(r.out[p].x, 0.5f * (line[p].x + dual[p].x), 1e-6f);
        assert_float_equal(r.out[p].y, 0.5f * (line[p].y + dual[p].y), 1e-6f);
        assert_float_equal(r.out[p].z, 0.5f * (line[p].z + dual[p].z), 1e-6f);
        share[p] = (float)(p % 2);
    }
    pose(&r, set, (sup_skin_call){ .dualquat = true, .blend_points = share });
    for (int p = 0; p < 100; ++p) assert_memory_equal(&r.out[p], p % 2 ? &dual[p] : &line[p], sizeof r.out[p]);
    sup_arena_destroy(r.arena);
}

static void matrices_are_the_maps_of_the_points(void** state)
{
    (void)state;
    // Differences of the skinning of points a little apart, under the same weights.
    for (int way = 0; way < 4; ++way) {
        rig                 r = make_rig(60, 8, 4, way % 2, 71);
        const sup_skin_set* set = make_set(&r);
        sup_skin_call       call = { .dualquat = way >= 2, .blend = 0.75f, .matrices = r.matrices };
        sup_vec3            moved[60], out[60], plain[60];
        pose(&r, set, call);
        memcpy(plain, r.out, sizeof plain);
        for (int axis = 0; axis < 3; ++axis) {
            const float step = 0.25f;
            for (int p = 0; p < 60; ++p)
                moved[p] = v3_add(r.desc.points[p], v3(axis == 0 ? step : 0, axis == 1 ? step : 0, axis == 2 ? step : 0));
            call = (sup_skin_call){ .dualquat = way >= 2, .blend = 0.75f, .points = moved, .out = out };
            pose(&r, set, call);
            for (int p = 0; p < 60; ++p) {
                assert_float_equal(r.matrices[p].m[0][axis], (out[p].x - plain[p].x) / step, 6e-6f);
                assert_float_equal(r.matrices[p].m[1][axis], (out[p].y - plain[p].y) / step, 6e-6f);
                assert_float_equal(r.matrices[p].m[2][axis], (out[p].z - plain[p].z) / step, 6e-6f);
            }
        }
        pose(&r, set, (sup_skin_call){ .dualquat = way >= 2, .blend = 0.75f });
        assert_memory_equal(r.out, plain, sizeof plain); // asking for matrices changes no point
        sup_arena_destroy(r.arena);
    }
}

static void copies_have_the_very_bits_of_shapes_posed_one_by_one(void** state)
{
    (void)state;
    enum { POINTS = 203, COPIES = 3 };
    for (int way = 0; way < 4; ++way) { // linear and dual quaternions, with and without stretch
        rig                 r = make_rig(POINTS, 12, 5, way % 2, 61 + (uint32_t)way);
        const sup_skin_set* set = make_set(&r);
        sup_vec3 *          shapes = sup_arena_alloc(r.arena, COPIES * POINTS, sizeof *shapes),
                 *all = sup_arena_alloc(r.arena, COPIES * POINTS, sizeof *all);
        for (uint32_t i = 0; i < COPIES * POINTS; ++i)
            shapes[i] = v3_scale(r.desc.points[i % POINTS], 1.0f + 0.25f * (float)(i / POINTS));
        sup_skin_call call = { .dualquat = way >= 2, .blend = 0.75f, .points = shapes, .copies = COPIES, .out = all };
        pose(&r, set, call);
        for (uint32_t c = 0; c < COPIES; ++c) {
            pose(&r, set, (sup_skin_call){ .dualquat = way >= 2, .blend = 0.75f, .points = shapes + (size_t)c * POINTS });
            assert_memory_equal(all + (size_t)c * POINTS, r.out, POINTS * sizeof *all);
        }
        sup_arena_destroy(r.arena);
    }
}

static void a_point_of_one_joint_goes_where_the_matrix_puts_it(void** state)
{
    (void)state;
    rig r = make_rig(200, 12, 1, true, 81);
    r.skin[3].m[0][0] = -r.skin[3].m[0][0], r.skin[3].m[1][0] = -r.skin[3].m[1][0],
    r.skin[3].m[2][0] = -r.skin[3].m[2][0];                    // mirrored
    for (int i = 0; i < 3; ++i) r.skin[4].m[i][2] = 0;         // flat
    for (int i = 0; i < 9; ++i) r.skin[5].m[i / 3][i % 3] = 0; // nothing
    r.skin[6].m[0][1] += 0.8f;                                 // sheared
    const sup_skin_set* set = make_set(&r);
    assert_int_equal(pose(&r, set, (sup_skin_call){ 0 }), 0);
    for (uint32_t p = 0; p < 200; ++p) {
        sup_vec3 exact = affine_point(&r.skin[r.desc.joints[p]], r.desc.points[p]);
        assert_memory_equal(&r.out[p], &exact, sizeof exact);
    }
    assert_int_equal(pose(&r, set, (sup_skin_call){ .dualquat = true, .blend = 1 }), 1); // the one of nothing
    for (uint32_t p = 0; p < 200; ++p) {
        sup_vec3 exact = affine_point(&r.skin[r.desc.joints[p]], r.desc.points[p]);
        assert_true(v3_distance(r.out[p], exact) < 1e-6f);
    }
    sup_arena_destroy(r.arena);
}

static void matrices_that_are_not_finite_leave_their_points_at_rest(void** state)
{
    (void)state;
    rig r = make_rig(200, 6, 1, false, 91);
    r.skin[2].m[1][1] = NAN;
    r.skin[4].m[2][3] = INFINITY;
    const sup_skin_set* set = make_set(&r);
    for (int dualquat = 0; dualquat < 2; ++dualquat) {
        assert_int_equal(pose(&r, set, (sup_skin_call){ .dualquat = dualquat, .blend = 1 }), 2);
        for (uint32_t p = 0; p < 200; ++p) {
            assert_true(v3_finite(r.out[p]));
            if (r.desc.joints[p] == 2 || r.desc.joints[p] == 4) assert_true(v3_distance(r.out[p], r.desc.points[p]) < 1e-6f);
        }
    }
    sup_arena_destroy(r.arena);
}

static void odd_matrices_stay_finite_in_blends(void** state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 20; ++seed) {
        rig r = make_rig(200, 10, 6, true, 101 + seed);
        for (int i = 0; i < 9; ++i) {
            r.skin[1].m[i / 3][i % 3] = 0;
            r.skin[2].m[i / 3][i % 3] = i == 4 ? 1 : 0; // a line
            r.skin[3].m[i / 3][i % 3] *= i % 3 == 1 ? -1 : 1;
            r.skin[4].m[i / 3][i % 3] *= 1e-20f;
            r.skin[5].m[i / 3][i % 3] *= 1e6f;
            r.skin[6].m[i / 3][i % 3] *= 1e30f;
        }
        r.skin[7].m[0][3] = 1e36f;
        uint32_t lost = pose(&r, make_set(&r), (sup_skin_call){ .dualquat = true, .blend = 1, .matrices = r.matrices });
        assert_int_equal(lost, 3); // nothing, and two that are too large to be split
        for (uint32_t p = 0; p < 200; ++p) {
            assert_true(v3_finite(r.out[p]));
            for (int i = 0; i < 9; ++i) assert_true(isfinite(r.matrices[p].m[i / 3][i % 3]));
        }
        sup_arena_destroy(r.arena);
    }
}

static void cancelled_rotations_fall_back_to_the_dominant_joint(void** state)
{
    (void)state;
    // About x by 0, 60 and 160 degrees the quaternions are at 0, 30 and 80 degrees of a half circle. With
    //   a + b cos 30 + c cos 80 = 0,  b sin 30 + c sin 80 = 0,  a + b + c = 1
    // their sum vanishes. Only negative weights can do that.
    static const uint32_t begin[] = { 0, 3 }, joints[] = { 0, 1, 2 };
    const double          cos30 = 0.86602540378443865, cos80 = 0.17364817766693035, sin80 = 0.98480775301220806;
    double                c_per_b = -0.5 / sin80, a_per_b = -cos30 - c_per_b * cos80, b = 1 / (a_per_b + 1 + c_per_b);
    const float           values[] = { (float)(a_per_b * b), (float)b, (float)(c_per_b * b) };
    const sup_affine      skin[] = { affine_identity(), turned(v3(1, 0, 0), 60), turned(v3(1, 0, 0), 160) };
    const sup_vec3        centers[3] = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } };
    assert_true(values[0] > values[2] && values[2] > values[1]); // 2.72, 1.78, -3.50
    rig r = half_and_half(skin[0], skin[1]);
    r.desc.begin = begin, r.desc.joints = joints, r.desc.values = values, r.desc.joint_count = 3,
    r.desc.joint_centers = centers;
    pose(&r, make_set(&r), (sup_skin_call){ .dualquat = true, .blend = 1, .skin = skin });
    assert_float_equal(r.out[0].x, 0, 1e-6f);
    assert_float_equal(r.out[0].y, 1, 1e-6f);
    assert_float_equal(r.out[0].z, 0, 1e-6f);
    sup_arena_destroy(r.arena);
}

static void rigid_motion_of_all_joints_moves_all_points_rigidly(void** state)
{
    (void)state;
    rig        r = make_rig(300, 15, 5, false, 121);
    sup_affine same = affine_from_rotation(quat_axis_angle(v3(0.6f, 0, 0.8f), 2), v3(3, -1, 0.5f));
    for (int j = 0; j < 15; ++j) r.skin[j] = same;
    const sup_skin_set* set = make_set(&r);
    for (int dualquat = 0; dualquat < 2; ++dualquat) {
        pose(&r, set, (sup_skin_call){ .dualquat = dualquat, .blend = 1 });
        for (uint32_t p = 0; p < 300; ++p) {
            sup_vec3 exact = affine_point(&same, r.desc.points[p]);
            if (!dualquat) assert_memory_equal(&r.out[p], &exact, sizeof exact);
            assert_true(v3_distance(r.out[p], exact) < 1e-6f);
        }
    }
    sup_arena_destroy(r.arena);
}

static void a_grown_bone_keeps_its_neighbors_where_they_are(void** state)
{
    (void)state;
    // Joint 1, at x = 2, doubles in size: its own point at x = 3 moves to 4, the shared one at x = 2 stays.
    static const uint32_t begin[] = { 0, 1, 3 }, joints[] = { 1, 0, 1 };
    static const float    values[] = { 1, 0.5f, 0.5f };
    static const sup_vec3 points[] = { { 3, 1, 0 }, { 2, 1, 0 } }, centers[] = { { 0, 0, 0 }, { 2, 0, 0 } };
    const sup_affine      skin[] = { affine_identity(), pose_about(centers[1], quat_identity(), v3(2, 2, 2), centers[1]) };
    rig                   r = { .arena = sup_arena_create(NULL) };
    sup_vec3              out[2];
    r.desc = (sup_skin_desc){ .point_count = 2,
                              .points = points,
                              .begin = begin,
                              .joints = joints,
                              .values = values,
                              .joint_count = 2,
                              .joint_centers = centers };
    assert_int_equal(pose(&r, make_set(&r), (sup_skin_call){ .dualquat = true, .blend = 1, .skin = skin, .out = out }), 0);
    assert_float_equal(out[0].x, 4, 1e-6f);
    assert_float_equal(out[0].y, 2, 1e-6f);
    assert_float_equal(out[1].x, 2, 1e-6f);
    assert_float_equal(out[1].y, 1.5f, 1e-6f);
    sup_arena_destroy(r.arena);
}

static void a_bent_tube_agrees_with_the_textbook(void** state)
{
    (void)state;
    sup_character* tube = test_tube(24, 13, 4, 2, 0.25f);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_pose       bent;
    sup_error      error;
    assert_ok(sup_pose_create(tube, arena, &bent, &error), error);
    sup_clip_sample(tube, &tube->clips[0], 0.8, &bent);
    sup_vec3 centers[4] = { { 0, 0, 0 }, { 0.5f, 0, 0 }, { 1, 0, 0 }, { 1.5f, 0, 0 } };
    rig      r = { .arena = arena, .skin = bent.skin };
    r.out = sup_arena_alloc(arena, tube->mesh.point_count, sizeof *r.out);
    r.desc = (sup_skin_desc){ .point_count = tube->mesh.point_count,
                              .points = tube->mesh.points,
                              .begin = tube->weights.begin,
                              .joints = tube->weights.joints,
                              .values = tube->weights.values,
                              .joint_count = 4,
                              .joint_centers = centers };
    const sup_skin_set* set = make_set(&r);
    for (int dualquat = 0; dualquat < 2; ++dualquat) {
        pose(&r, set, (sup_skin_call){ .dualquat = dualquat, .blend = 1 });
        assert_true(worst(&r, dualquat) < 1e-6 * tube->mesh.diagonal);
    }
    sup_arena_destroy(arena);
    sup_character_destroy(tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_agrees_with_the_textbook_in_double),
        cmocka_unit_test(dual_quaternions_agree_with_the_textbook_in_double),
        cmocka_unit_test(stretched_bones_agree_with_the_textbook_in_double),
        cmocka_unit_test(float_references_agree_with_the_double_ones),
        cmocka_unit_test(a_bent_tube_agrees_with_the_textbook),
        cmocka_unit_test(twist_of_150_degrees_collapses_linearly_but_not_by_dual_quaternions),
        cmocka_unit_test(a_quaternion_and_its_opposite_are_the_same_rotation),
        cmocka_unit_test(blend_goes_straight_from_linear_to_dual_quaternions),
        cmocka_unit_test(matrices_are_the_maps_of_the_points),
        cmocka_unit_test(copies_have_the_very_bits_of_shapes_posed_one_by_one),
        cmocka_unit_test(a_point_of_one_joint_goes_where_the_matrix_puts_it),
        cmocka_unit_test(matrices_that_are_not_finite_leave_their_points_at_rest),
        cmocka_unit_test(odd_matrices_stay_finite_in_blends),
        cmocka_unit_test(cancelled_rotations_fall_back_to_the_dominant_joint),
        cmocka_unit_test(rigid_motion_of_all_joints_moves_all_points_rigidly),
        cmocka_unit_test(a_grown_bone_keeps_its_neighbors_where_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

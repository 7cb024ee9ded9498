#include "scene/small.h"

static void use_joints(small* s, uint32_t count)
{
    small_init(s);
    s->desc.joints = s->joints;
    s->desc.joint_count = count;
    s->part.joint = 0;
}

static void joints_in_order_stay_where_they_are(void** state)
{
    (void)state;
    small s;
    use_joints(&s, 4);
    sup_character* c = small_make(&s);
    assert_int_equal(c->skeleton.joint_count, 4);
    assert_int_equal(c->skeleton.skin_joint_count, 4);
    for (uint32_t j = 0; j < 4; ++j) assert_string_equal(c->skeleton.joints[j].name, s.joints[j].name);
    sup_character_destroy(c);
}

static void parents_move_before_children_and_all_follow(void** state)
{
    (void)state;
    small s;
    use_joints(&s, 4);
    // toe, knee, ankle, hip with parents ankle, hip, knee, none: only hip is in no-one's way.
    sup_joint given[4] = { s.joints[3], s.joints[1], s.joints[2], s.joints[0] };
    given[0].parent = 2;
    given[1].parent = 3;
    given[2].parent = 1;
    s.desc.joints = given;
    s.part.joint = 2;
    static const float times[1] = { 0 }, values[3] = { 7, 8, 9 };
    sup_channel        channel = {
               .target = 0, .path = SUP_PATH_TRANSLATION, .key_count = 1, .width = 3, .times = times, .values = values
    };
    sup_clip clip = { .name = "lift", .channel_count = 1, .channels = &channel };
    s.desc.clips = &clip;
    s.desc.clip_count = 1;
    sup_character*     c = small_make(&s);
    static const char* expected[4] = { "hip", "knee", "ankle", "toe" };
    for (uint32_t j = 0; j < 4; ++j) {
        assert_string_equal(c->skeleton.joints[j].name, expected[j]);
        assert_int_equal(c->skeleton.joints[j].parent, j ? j - 1 : SUP_NONE);
    }
    assert_int_equal(c->mesh.parts[0].joint, 2);
    assert_int_equal(c->weights.joints[0], 2);
    assert_int_equal(c->clips[0].channels[0].target, 3);
    sup_character_destroy(c);
}

static void a_cycle_of_parents_is_refused_by_name(void** state)
{
    (void)state;
    small s;
    use_joints(&s, 4);
    s.joints[1].parent = 3;
    small_refused(&s, "joint 1 'knee' is its own ancestor");
    use_joints(&s, 4);
    s.joints[2].parent = 2;
    small_refused(&s, "joint 2 'ankle' is its own ancestor");
    s.joints[2].parent = 4;
    small_refused(&s, "joint 2 'ankle' has joint 4 as its parent but there are only 4 joints");
}

static void a_mesh_nobody_moves_gets_a_joint_of_its_own(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    sup_character* c = small_make(&s);
    assert_int_equal(c->skeleton.joint_count, 1);
    assert_int_equal(c->skeleton.skin_joint_count, 0);
    assert_int_equal(c->skeleton.bone_count, 0);
    assert_string_equal(c->skeleton.joints[0].name, "square");
    assert_int_equal(c->mesh.parts[0].joint, 0);
    sup_character_destroy(c);

    use_joints(&s, 2);
    s.part.joint = SUP_NONE;
    c = small_make(&s);
    assert_int_equal(c->skeleton.joint_count, 3);
    assert_int_equal(c->mesh.parts[0].joint, 2);
    sup_character_destroy(c);
}

static void zero_weights_and_no_joints_still_make_a_character(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    uint32_t joints[6] = { 0 };
    float    weights[6] = { 0 };
    s.part.width = 1;
    s.part.joints = joints;
    s.part.weights = weights;
    sup_character* c = small_make(&s);
    assert_int_equal(c->skeleton.joint_count, 1);
    assert_int_equal(c->weights.joints[5], 0);
    sup_character_destroy(c);
}

static void a_bind_that_cannot_be_inverted_is_taken_from_rest(void** state)
{
    (void)state;
    small s;
    use_joints(&s, 2);
    memset(&s.joints[1].inverse_bind, 0, sizeof(sup_affine));
    sup_character* c = small_make(&s);
    assert_true(test_warned(c, "the bind matrix of joint 'knee' cannot be inverted"));
    assert_float_equal(c->skeleton.joints[1].inverse_bind.m[0][3], -1, 0);
    sup_character_destroy(c);
    s.joints[1].inverse_bind.m[2][1] = NAN;
    small_refused(&s, "the bind matrix of joint 'knee' holds a value that is not a number");
}

static void other_joints_bind_where_they_rest(void** state)
{
    (void)state;
    small s;
    use_joints(&s, 3);
    s.joints[1].skin_joint = false;
    s.joints[1].inverse_bind.m[0][3] = 55; // not looked at
    s.joints[1].rest.rotation = quat(0, 0, 0.70710678f, 0.70710678f);
    s.joints[2].skin_joint = false;
    s.joints[2].rest.scale = v3(0, 1, 1); // cannot be inverted
    sup_character*    c = small_make(&s);
    const sup_affine* a = &c->skeleton.joints[1].inverse_bind; // world (1 + x', y') -> turned back by 90 degrees
    sup_vec3          p = affine_point(a, v3(1, 2, 0));
    assert_float_equal(p.x, 2, 1e-6f);
    assert_float_equal(p.y, 0, 1e-6f);
    sup_affine identity = affine_identity();
    assert_memory_equal(&c->skeleton.joints[2].inverse_bind, &identity, sizeof identity);
    assert_int_equal(c->skeleton.skin_joint_count, 1);
    sup_character_destroy(c);
}

static void a_mesh_on_a_flattened_joint_stays_in_its_own_space(void** state)
{
    (void)state;
    small s;
    use_joints(&s, 1);
    s.joints[0].skin_joint = false;
    s.joints[0].rest.scale = v3(0, 0, 0);
    s.joints[0].rest.translation = v3(3, 0, 0);
    s.part.place = (sup_affine){ { { 0, 0, 0, 3 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 } } };
    sup_character* c = small_make(&s);
    assert_memory_equal(c->mesh.points, square_soup, sizeof square_soup);
    sup_pose pose;
    assert_ok(sup_pose_create(c, c->arena, &pose, &s.error), s.error);
    pose.local[0].scale = v3(2, 2, 2);
    sup_pose_update(c, &pose);
    sup_vec3 p = affine_point(&pose.skin[0], c->mesh.points[2]); // (1,1,0) twice as large, at 3
    assert_float_equal(p.x, 5, 0);
    assert_float_equal(p.y, 2, 0);
    assert_true(test_warned(c, "'square' is flattened at rest by joint 'hip'"));
    sup_character_destroy(c);
}

static void a_second_bind_of_a_joint_is_kept_and_bound(void** state)
{
    (void)state;
    small s;
    use_joints(&s, 2);
    s.joints[1].skin_joint = false;
    s.joints[1].has_bind = true;
    s.joints[1].rest.translation = v3(0, 0, 0);
    s.joints[1].inverse_bind.m[1][3] = -7;
    sup_character* c = small_make(&s);
    sup_pose       pose;
    assert_int_equal(c->skeleton.skin_joint_count, 1);
    assert_float_equal(c->skeleton.joints[1].inverse_bind.m[1][3], -7, 0);
    assert_ok(sup_pose_create(c, c->arena, &pose, &s.error), s.error);
    assert_float_equal(pose.skin[1].m[1][3], -7, 0);
    sup_pose_bind(c, &pose);
    assert_float_equal(pose.skin[1].m[1][3], 0, 1e-6f);
    sup_character_destroy(c);
}

static void bones_run_to_skin_children_through_other_nodes(void** state)
{
    (void)state;
    small s;
    use_joints(&s, 4);
    s.joints[1].skin_joint = false; // hip to ankle directly
    s.joints[3].parent = 0;         // toe hangs from hip as well
    sup_character*  c = small_make(&s);
    const sup_bone* b = c->skeleton.bones;
    assert_int_equal(c->skeleton.bone_count, 4);
    assert_int_equal(b[0].joint, 0), assert_int_equal(b[0].child, 2);
    assert_int_equal(b[1].joint, 0), assert_int_equal(b[1].child, 3);
    assert_int_equal(b[2].joint, 2), assert_int_equal(b[2].child, SUP_NONE);
    assert_float_equal(b[0].head.x, 0, 0), assert_float_equal(b[0].tail.x, 2, 0);
    assert_float_equal(b[2].head.x, 2, 0), assert_float_equal(b[2].tail.x, 2.6f, 1e-6f); // 0.3 of length 2
    assert_float_equal(b[3].head.x, 3, 0), assert_float_equal(b[3].tail.x, 3.9f, 1e-6f);
    sup_character_destroy(c);
}

static void a_lone_joint_points_up(void** state)
{
    (void)state;
    for (int up = 0; up < 3; ++up) {
        small s;
        use_joints(&s, 1);
        s.desc.up = (sup_axis)up;
        sup_character* c = small_make(&s);
        assert_int_equal(c->skeleton.bone_count, 1);
        sup_vec3 tail = c->skeleton.bones[0].tail;
        float    along = up == SUP_AXIS_X ? tail.x : up == SUP_AXIS_Y ? tail.y : tail.z;
        assert_float_equal(along, 0.14142136f, 1e-6f); // a tenth of the unit square's diagonal
        assert_float_equal(tail.x + tail.y + tail.z, along, 0);
        sup_character_destroy(c);
    }
}

static void a_leaf_on_top_of_its_parent_looks_further_up(void** state)
{
    (void)state;
    small s;
    use_joints(&s, 3);
    s.joints[2].inverse_bind = s.joints[1].inverse_bind;
    sup_character* c = small_make(&s);
    assert_float_equal(c->skeleton.bones[2].head.x, 1, 0);
    assert_float_equal(c->skeleton.bones[2].tail.x, 1.3f, 1e-6f);
    sup_character_destroy(c);
}

static void transforms_that_are_not_finite_are_refused_by_name(void** state)
{
    (void)state;
    small s;
    use_joints(&s, 2);
    s.joints[1].rest.scale.y = INFINITY;
    small_refused(&s, "the rest transform of joint 'knee' holds a value that is not a number");
    use_joints(&s, 2);
    s.joints[1].has_matrix = true;
    s.joints[1].matrix.m[1][1] = NAN;
    small_refused(&s, "the matrix of joint 'knee' holds a value that is not a number");
    use_joints(&s, 2);
    s.joints[0].rest.scale = v3(1e30f, 1e30f, 1e30f);
    s.joints[1].rest.translation.x = 1e20f;
    small_refused(&s, "the rest transforms down to joint 'knee' overflow");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_in_order_stay_where_they_are),
        cmocka_unit_test(parents_move_before_children_and_all_follow),
        cmocka_unit_test(a_cycle_of_parents_is_refused_by_name),
        cmocka_unit_test(a_mesh_nobody_moves_gets_a_joint_of_its_own),
        cmocka_unit_test(zero_weights_and_no_joints_still_make_a_character),
        cmocka_unit_test(a_bind_that_cannot_be_inverted_is_taken_from_rest),
        cmocka_unit_test(other_joints_bind_where_they_rest),
        cmocka_unit_test(a_mesh_on_a_flattened_joint_stays_in_its_own_space),
        cmocka_unit_test(a_second_bind_of_a_joint_is_kept_and_bound),
        cmocka_unit_test(bones_run_to_skin_children_through_other_nodes),
        cmocka_unit_test(a_lone_joint_points_up),
        cmocka_unit_test(a_leaf_on_top_of_its_parent_looks_further_up),
        cmocka_unit_test(transforms_that_are_not_finite_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "scene/small.h"

#include <stdlib.h>

static const sup_quat quarter_z = { 0, 0, 0.70710678f, 0.70710678f };

typedef struct scene {
    small          s;
    sup_character* c;
    sup_pose       pose;
} scene;

static void scene_init(scene* t)
{
    memset(t, 0, sizeof *t);
    small_init(&t->s);
    t->s.desc.joints = t->s.joints;
    t->s.desc.joint_count = 3;
    t->s.part.joint = 0;
}

static void scene_make(scene* t)
{
    t->c = small_make(&t->s);
    assert_ok(sup_pose_create(t->c, t->c->arena, &t->pose, &t->s.error), t->s.error);
}

static void expect_point(const sup_affine* a, sup_vec3 p, sup_vec3 expected)
{
    sup_vec3 q = affine_point(a, p);
    assert_float_equal(q.x, expected.x, 2e-6f);
    assert_float_equal(q.y, expected.y, 2e-6f);
    assert_float_equal(q.z, expected.z, 2e-6f);
}

static void joints_turn_what_hangs_from_them(void** state)
{
    (void)state;
    scene t;
    scene_init(&t);
    scene_make(&t);
    t.pose.local[1].rotation = quarter_z; // the knee at (1,0) turns left
    t.pose.local[2].scale = v3(2, 1, 1);
    sup_pose_update(t.c, &t.pose);
    expect_point(&t.pose.global[2], v3(0, 0, 0), v3(1, 1, 0));
    expect_point(&t.pose.global[2], v3(1, 0, 0), v3(1, 3, 0)); // scale first, then rotation
    expect_point(&t.pose.skin[1], v3(2, 0, 0), v3(1, 1, 0));   // a rest point by the knee
    expect_point(&t.pose.skin[0], v3(2, 5, 0), v3(2, 5, 0));
    sup_character_destroy(t.c);
}

static void the_rest_pose_is_the_files(void** state)
{
    (void)state;
    scene t;
    scene_init(&t);
    t.s.joints[1].rest.rotation = quarter_z; // rest is not bind
    scene_make(&t);
    expect_point(&t.pose.skin[1], v3(2, 0, 0), v3(1, 1, 0));
    sup_pose_bind(t.c, &t.pose);
    for (uint32_t j = 0; j < 3; ++j) {
        expect_point(&t.pose.skin[j], v3(0, 0, 0), v3(0, 0, 0));
        expect_point(&t.pose.skin[j], v3(3, -4, 5), v3(3, -4, 5));
    }
    sup_pose_rest(t.c, &t.pose);
    expect_point(&t.pose.skin[1], v3(2, 0, 0), v3(1, 1, 0));
    sup_character_destroy(t.c);
}

static void bind_passes_through_nodes_that_are_no_skin_joints(void** state)
{
    (void)state;
    scene t;
    scene_init(&t);
    t.s.joints[1].skin_joint = false;
    t.s.joints[1].rest.rotation = quarter_z;
    t.s.joints[1].rest.scale = v3(2, 2, 2);
    scene_make(&t);
    sup_pose_bind(t.c, &t.pose);
    assert_memory_equal(&t.pose.local[1], &t.c->skeleton.joints[1].rest, sizeof(sup_transform));
    expect_point(&t.pose.skin[2], v3(3, -4, 5), v3(3, -4, 5));
    sup_character_destroy(t.c);
}

static void a_resting_joint_keeps_the_shear_of_its_matrix(void** state)
{
    (void)state;
    scene t;
    scene_init(&t);
    t.s.joints[0].has_matrix = true;
    t.s.joints[0].matrix = (sup_affine){ { { 1, 1, 0, 5 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
    scene_make(&t);
    assert_memory_equal(&t.pose.global[0], &t.s.joints[0].matrix, sizeof(sup_affine));
    expect_point(&t.pose.global[1], v3(0, 1, 0), v3(7, 1, 0));
    sup_pose other;
    assert_ok(sup_pose_create(t.c, t.c->arena, &other, &t.s.error), t.s.error);
    sup_pose_blend(t.c, &t.pose, &other, 0.3, &other);
    assert_memory_equal(&other.global[0], &t.s.joints[0].matrix, sizeof(sup_affine));
    // Once moved, it is translation, rotation and scale like any other.
    t.pose.local[0].translation.x = 6;
    sup_pose_update(t.c, &t.pose);
    assert_float_equal(t.pose.global[0].m[0][3], 6, 0);
    double dot = 0;
    for (int i = 0; i < 3; ++i) dot += (double)t.pose.global[0].m[i][0] * (double)t.pose.global[0].m[i][1];
    assert_float_equal(dot, 0, 1e-6);
    sup_character_destroy(t.c);
}

static void a_sheared_bind_that_is_the_rest_stays_exact(void** state)
{
    (void)state;
    scene t;
    scene_init(&t);
    t.s.joints[0].has_matrix = true;
    t.s.joints[0].matrix = (sup_affine){ { { 1, 1, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
    t.s.joints[0].inverse_bind = (sup_affine){ { { 1, -1, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
    scene_make(&t);
    sup_pose_bind(t.c, &t.pose);
    expect_point(&t.pose.skin[0], v3(3, -4, 5), v3(3, -4, 5));
    sup_character_destroy(t.c);
}

static void blending_turns_along_the_arc_and_never_through_the_middle(void** state)
{
    (void)state;
    scene t;
    scene_init(&t);
    scene_make(&t);
    sup_pose a, b;
    assert_ok(sup_pose_create(t.c, t.c->arena, &a, &t.s.error), t.s.error);
    assert_ok(sup_pose_create(t.c, t.c->arena, &b, &t.s.error), t.s.error);
    b.local[1].rotation = quat(0, 0, -0.8660254f, -0.5f); // 120 degrees, the other sign
    b.local[1].translation = v3(3, 0, 0);
    b.local[1].scale = v3(3, 1, 1);
    sup_pose_blend(t.c, &a, &b, 0.5, &t.pose);
    expect_point(&t.pose.global[1], v3(1, 0, 0), v3(2 + 2 * 0.5f, 2 * 0.8660254f, 0)); // 60 degrees, scale 2, at 2
    sup_pose_blend(t.c, &a, &b, 0, &t.pose);
    assert_memory_equal(t.pose.local, a.local, 3 * sizeof *a.local);
    sup_pose_blend(t.c, &a, &b, 1, &t.pose);
    assert_memory_equal(t.pose.local, b.local, 3 * sizeof *b.local);
    sup_pose_update(t.c, &b);
    assert_memory_equal(t.pose.skin, b.skin, 3 * sizeof *b.skin);
    sup_character_destroy(t.c);
}

static void a_copy_is_the_same_pose(void** state)
{
    (void)state;
    scene t;
    scene_init(&t);
    scene_make(&t);
    sup_pose other;
    assert_ok(sup_pose_create(t.c, t.c->arena, &other, &t.s.error), t.s.error);
    t.pose.local[1].rotation = quarter_z;
    sup_pose_update(t.c, &t.pose);
    sup_pose_copy(&t.pose, &other);
    assert_memory_equal(other.local, t.pose.local, 3 * sizeof *other.local);
    assert_memory_equal(other.global, t.pose.global, 3 * sizeof *other.global);
    assert_memory_equal(other.skin, t.pose.skin, 3 * sizeof *other.skin);
    assert_ptr_not_equal(other.local, t.pose.local);
    sup_character_destroy(t.c);
}

static void a_placed_pose_stays_inside_its_block(void** state)
{
    (void)state;
    sup_vec3       deltas[6] = { { 0, 0, 0 } };
    sup_morph_desc morph = { .deltas = deltas };
    scene          t;
    scene_init(&t);
    t.s.part.morphs = &morph;
    t.s.part.morph_count = 1;
    t.c = small_make(&t.s);
    size_t   size = sup_pose_size(t.c);
    uint8_t* memory = aligned_alloc(64, size + 64);
    memset(memory, 0xa5, size + 64);
    sup_pose_place(t.c, memory, &t.pose);
    const void* pieces[4] = { t.pose.local, t.pose.morph_weights, t.pose.global, t.pose.skin };
    for (int i = 0; i < 4; ++i) assert_int_equal((uintptr_t)pieces[i] % 64, 0);
    assert_true((uint8_t*)(t.pose.skin + 3) <= memory + size);
    for (size_t i = size; i < size + 64; ++i) assert_int_equal(memory[i], 0xa5);
    expect_point(&t.pose.global[2], v3(0, 0, 0), v3(2, 0, 0)); // placed poses rest
    free(memory);
    sup_character_destroy(t.c);
}

static void morphs_add_up_and_cost_nothing_when_unused(void** state)
{
    (void)state;
    sup_vec3       up[6] = { { 0, 0, 0 } }, side[6] = { { 0, 0, 0 } };
    sup_morph_desc first = { .name = "up", .deltas = up }, second = { .name = "side", .deltas = side };
    scene          t;
    scene_init(&t);
    up[1] = v3(0, 2, 0);
    side[1] = v3(4, 0, 0);
    sup_part_desc parts[2] = { t.s.part, t.s.part };
    parts[0].morphs = &first;
    parts[1].morphs = &second;
    parts[0].morph_count = parts[1].morph_count = 1;
    t.s.desc.parts = parts;
    t.s.desc.part_count = 2;
    scene_make(&t);
    sup_vec3 out[12];
    assert_ptr_equal(sup_pose_morph(t.c, &t.pose, out), t.c->mesh.points);
    t.pose.morph_weights[0] = 0.5f;
    t.pose.morph_weights[1] = -0.25f;
    assert_ptr_equal(sup_pose_morph(t.c, &t.pose, out), out);
    assert_float_equal(out[1].x, 1, 0), assert_float_equal(out[1].y, 1, 0);
    assert_float_equal(out[7].x, 0, 0), assert_float_equal(out[7].y, 0, 0);
    assert_memory_equal(&out[2], &square_soup[2], sizeof out[2]);
    sup_character_destroy(t.c);
}

static void a_long_spine_far_away_binds_to_the_identity(void** state)
{
    (void)state;
    enum { JOINTS = 200 };
    scene      t;
    sup_joint* joints = calloc(JOINTS, sizeof *joints);
    scene_init(&t);
    sup_affine global = affine_identity();
    for (uint32_t j = 0; j < JOINTS; ++j) {
        joints[j] = small_joint(NULL, j ? j - 1 : SUP_NONE, v3(j ? 0.05f : 300, 0.01f, 0), v3(0, 0, 0));
        joints[j].rest.rotation = quat_normalize(quat(0.02f, 0.05f, -0.03f, 1));
        sup_affine local = affine_from_transform(&joints[j].rest);
        global = affine_mul(&global, &local);
        assert_true(affine_invert(&global, &joints[j].inverse_bind));
    }
    t.s.desc.joints = joints;
    t.s.desc.joint_count = JOINTS;
    scene_make(&t);
    sup_pose_bind(t.c, &t.pose);
    for (uint32_t j = 0; j < JOINTS; ++j) {
        sup_vec3 p = affine_point(&t.pose.skin[j], v3(300, 1, 2));
        assert_float_equal(p.x, 300, 2e-4f); // six units in the last place of 300
        assert_float_equal(p.y, 1, 2e-4f);
        assert_float_equal(p.z, 2, 2e-4f);
    }
    sup_character_destroy(t.c);
    free(joints);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_turn_what_hangs_from_them),
        cmocka_unit_test(the_rest_pose_is_the_files),
        cmocka_unit_test(bind_passes_through_nodes_that_are_no_skin_joints),
        cmocka_unit_test(a_resting_joint_keeps_the_shear_of_its_matrix),
        cmocka_unit_test(a_sheared_bind_that_is_the_rest_stays_exact),
        cmocka_unit_test(blending_turns_along_the_arc_and_never_through_the_middle),
        cmocka_unit_test(a_copy_is_the_same_pose),
        cmocka_unit_test(a_placed_pose_stays_inside_its_block),
        cmocka_unit_test(morphs_add_up_and_cost_nothing_when_unused),
        cmocka_unit_test(a_long_spine_far_away_binds_to_the_identity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Skins come into one rest space, whatever space each was bound in, and move as the specification says.
#include "io/gltf_builder.h"

#include "math/vec.h"

// Column by column, as the file stores matrices: a shift by (x, y, z).
#define SHIFT(x, y, z) 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, (x), (y), (z), 1

static const uint16_t slots[12] = { 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0 };
static const float    halves[12] = { 0.5f, 0.5f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };

// Accessors 0, 1, 2: triangle, joints, weights.
static void add_skinned_triangle(builder* b)
{
    add_array(b, triangle_positions, 3, "VEC3", FLOAT);
    add_array(b, slots, 3, "VEC4", USHORT);
    add_array(b, halves, 3, "VEC4", FLOAT);
    item(&b->meshes, "{\"name\":\"tri\",\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2}}]}");
}

static void add_skin(builder* b, const float* binds, uint32_t count, const char* joints)
{
    uint32_t id = add_accessor(b, binds, count * 64, count, "MAT4", FLOAT, "");
    item(&b->skins, "{\"joints\":[%s],\"inverseBindMatrices\":%u}", joints, id);
}

static void assert_affine(const sup_affine* a, const sup_affine* b)
{
    for (int i = 0; i < 12; ++i) assert_float_equal(a->m[i / 4][i % 4], b->m[i / 4][i % 4], 1e-5);
}

static void assert_rests_at_bind(const sup_character* c)
{
    sup_arena* arena = sup_arena_create(NULL);
    sup_pose   pose;
    sup_error  error;
    sup_affine identity = affine_identity();
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    sup_pose_rest(c, &pose);
    for (uint32_t j = 0; j < c->skeleton.joint_count; ++j) assert_affine(&pose.skin[j], &identity);
    sup_arena_destroy(arena);
}

static void a_skin_bound_at_rest_keeps_its_positions_bit_for_bit(void** state)
{
    (void)state;
    static const float binds[32] = { SHIFT(0, 0, 0), SHIFT(0, -1, 0) };
    builder            b = { 0 };
    add_skinned_triangle(&b);
    add_node(&b, "{\"mesh\":0,\"skin\":0,\"translation\":[9,9,9]}"); // a skinned mesh does not care where its node is
    add_node(&b, "{\"name\":\"hip\",\"children\":[2]}");
    add_node(&b, "{\"name\":\"knee\",\"translation\":[0,1,0]}");
    add_skin(&b, binds, 2, "1,2");
    sup_character* c = read_glb(&b);
    assert_memory_equal(c->mesh.points, triangle_positions, sizeof triangle_positions);
    assert_int_equal(c->mesh.parts[0].joint, SUP_NONE);
    assert_int_equal(c->skeleton.skin_joint_count, 2);
    uint32_t hip = sup_character_joint(c, "hip"), knee = sup_character_joint(c, "knee");
    assert_int_equal(c->skeleton.joints[knee].parent, hip);
    assert_int_equal(c->skeleton.joints[knee].source_id, 2);
    assert_true(c->skeleton.joints[knee].inverse_bind.m[1][3] == -1);
    // Point 0 hangs on both by a half, point 2 on the knee alone.
    assert_int_equal(c->weights.begin[1], 2);
    assert_true(c->weights.values[0] == 0.5f);
    assert_int_equal(c->weights.joints[c->weights.begin[2]], knee);
    assert_rests_at_bind(c);
    done(c, &b);
}

static void a_skin_stands_where_the_rest_pose_shows_it(void** state)
{
    (void)state;
    // The armature turns z up to y up and doubles the size; the bind knows nothing of it.
    static const float binds[32] = { SHIFT(0, 0, 0), SHIFT(0, 0, -1) };
    builder            b = { 0 };
    add_skinned_triangle(&b);
    add_node(&b, "{\"name\":\"armature\",\"rotation\":[-0.70710678,0,0,0.70710678],\"scale\":[2,2,2],\"children\":[1,3]}");
    add_node(&b, "{\"name\":\"hip\",\"children\":[2]}");
    add_node(&b, "{\"name\":\"knee\",\"translation\":[0,0,1]}");
    add_node(&b, "{\"mesh\":0,\"skin\":0}");
    add_skin(&b, binds, 2, "1,2");
    sup_character* c = read_glb(&b);
    assert_point(c->mesh.points[1], 2, 0, 0);
    assert_point(c->mesh.points[2], 0, 0, -2);
    assert_point(affine_point(&c->mesh.parts[0].unplace, c->mesh.points[2]), 0, 1, 0);
    assert_rests_at_bind(c);
    done(c, &b);
}

static void skins_of_one_skeleton_share_its_joints(void** state)
{
    (void)state;
    // The second mesh is stored ten to the right of the first; its binds take that back.
    static const float first[32] = { SHIFT(0, 0, 0), SHIFT(0, -1, 0) }, second[32] = { SHIFT(-10, 0, 0), SHIFT(-10, -1, 0) };
    builder            b = { 0 };
    add_skinned_triangle(&b);
    add_node(&b, "{\"mesh\":0,\"skin\":0}");
    add_node(&b, "{\"mesh\":0,\"skin\":1}");
    add_node(&b, "{\"name\":\"hip\",\"children\":[3]}");
    add_node(&b, "{\"name\":\"knee\",\"translation\":[0,1,0]}");
    add_skin(&b, first, 2, "2,3");
    add_skin(&b, second, 2, "2,3");
    sup_character* c = read_glb(&b);
    assert_int_equal(c->skeleton.joint_count, 4); // two of them carry the meshes
    assert_int_equal(c->skeleton.skin_joint_count, 2);
    assert_int_equal(c->warning_count, 0);
    assert_point(c->mesh.points[3], -10, 0, 0);
    assert_rests_at_bind(c);
    done(c, &b);
}

static void skins_that_disagree_get_a_joint_of_their_own(void** state)
{
    (void)state;
    // In the second skin the knee sits elsewhere relative to the hip: no place can make both agree.
    static const float first[32] = { SHIFT(0, 0, 0), SHIFT(0, -1, 0) }, second[32] = { SHIFT(0, 0, 0), SHIFT(0, -3, 0) };
    builder            b = { 0 };
    add_skinned_triangle(&b);
    add_node(&b, "{\"mesh\":0,\"skin\":0}");
    add_node(&b, "{\"mesh\":0,\"skin\":1}");
    add_node(&b, "{\"name\":\"hip\",\"children\":[3]}");
    add_node(&b, "{\"name\":\"knee\",\"translation\":[0,1,0]}");
    add_skin(&b, first, 2, "2,3");
    add_skin(&b, second, 2, "2,3");
    sup_character* c = read_glb(&b);
    uint32_t       copy = sup_character_joint(c, "knee.2"), knee = sup_character_joint(c, "knee");
    assert_int_not_equal(copy, SUP_NONE);
    assert_int_equal(c->skeleton.joints[copy].parent, knee);
    assert_int_equal(c->skeleton.joints[copy].source_id, 3);
    assert_false(c->skeleton.joints[copy].skin_joint);
    assert_int_equal(c->skeleton.skin_joint_count, 2);
    assert_true(c->skeleton.joints[copy].inverse_bind.m[1][3] == -3);
    assert_true(c->skeleton.joints[knee].inverse_bind.m[1][3] == -1);
    assert_true(test_warned(c, "'knee' in another place"));
    // Vertex 2 of the second mesh, at (0, 1, 0), hangs on the knee: G IB v = (0, 1, 0) + (0, 1 - 3, 0).
    sup_arena* arena = sup_arena_create(NULL);
    sup_pose   pose;
    sup_error  error;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    sup_pose_rest(c, &pose);
    assert_point(affine_point(&pose.skin[copy], c->mesh.points[5]), 0, -1, 0);
    sup_arena_destroy(arena);
    done(c, &b);
}

static void the_root_is_the_highest_joint_not_the_first(void** state)
{
    (void)state;
    static const float binds[32] = { SHIFT(0, -5, 0), SHIFT(0, 0, 0) }; // of the knee, which rests elsewhere, and the hip
    builder            b = { 0 };
    add_skinned_triangle(&b);
    add_node(&b, "{\"mesh\":0,\"skin\":0}");
    add_node(&b, "{\"name\":\"hip\",\"children\":[2],\"translation\":[3,0,0]}");
    add_node(&b, "{\"name\":\"knee\",\"translation\":[0,1,0]}");
    add_skin(&b, binds, 2, "2,1");
    sup_character* c = read_glb(&b);
    assert_point(c->mesh.points[0], 3, 0, 0); // G(hip) IB(hip)
    done(c, &b);
}

static void a_skin_without_binds_is_bound_at_the_origin(void** state)
{
    (void)state;
    builder b = { 0 };
    add_skinned_triangle(&b);
    add_node(&b, "{\"mesh\":0,\"skin\":0}");
    add_node(&b, "{\"name\":\"hip\",\"children\":[2]}");
    add_node(&b, "{\"name\":\"knee\",\"translation\":[0,1,0]}");
    item(&b.skins, "{\"joints\":[1,2]}");
    sup_character* c = read_glb(&b);
    sup_affine     identity = affine_identity();
    assert_affine(&c->skeleton.joints[sup_character_joint(c, "knee")].inverse_bind, &identity);
    done(c, &b);
}

static void a_flattened_skin_is_taken_as_stored(void** state)
{
    (void)state;
    static const float binds[32] = { SHIFT(0, 0, 0), SHIFT(0, -1, 0) };
    builder            b = { 0 };
    add_skinned_triangle(&b);
    add_node(&b, "{\"mesh\":0,\"skin\":0}");
    add_node(&b, "{\"name\":\"hip\",\"children\":[2],\"scale\":[1,0,1]}");
    add_node(&b, "{\"name\":\"knee\",\"translation\":[0,1,0]}");
    add_skin(&b, binds, 2, "1,2");
    sup_character* c = read_glb(&b);
    assert_memory_equal(c->mesh.points, triangle_positions, sizeof triangle_positions);
    assert_true(test_warned(c, "flattened at rest by joint 'hip'"));
    done(c, &b);
}

static void a_rigid_mesh_follows_its_node_even_when_that_is_a_joint(void** state)
{
    (void)state;
    // The knee rests at 1 but was bound at 2: the hat on it stands where the bind has it.
    static const float binds[32] = { SHIFT(0, 0, 0), SHIFT(0, -2, 0) };
    builder            b = { 0 };
    add_skinned_triangle(&b);
    item(&b.meshes, "{\"name\":\"hat\",\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}");
    add_node(&b, "{\"mesh\":0,\"skin\":0}");
    add_node(&b, "{\"name\":\"hip\",\"children\":[2]}");
    add_node(&b, "{\"name\":\"knee\",\"translation\":[0,1,0],\"mesh\":1}");
    add_skin(&b, binds, 2, "1,2");
    sup_character* c = read_glb(&b);
    assert_int_equal(c->mesh.parts[1].joint, sup_character_joint(c, "knee"));
    assert_point(c->mesh.points[c->mesh.parts[1].point_begin], 0, 2, 0);
    sup_arena* arena = sup_arena_create(NULL);
    sup_pose   pose;
    sup_error  error;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    sup_pose_rest(c, &pose);
    sup_vec3 shown = affine_point(&pose.skin[c->mesh.parts[1].joint], c->mesh.points[c->mesh.parts[1].point_begin]);
    assert_point(shown, 0, 1, 0); // where a viewer shows it
    sup_arena_destroy(arena);
    done(c, &b);
}

static void a_node_of_scale_zero_is_noted_and_survived(void** state)
{
    (void)state;
    builder b = { 0 };
    add_array(&b, triangle_positions, 3, "VEC3", FLOAT);
    item(&b.meshes, "{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}");
    add_node(&b, "{\"name\":\"gone\",\"mesh\":0,\"scale\":[0,0,0]}");
    sup_character* c = read_glb(&b);
    assert_memory_equal(c->mesh.points, triangle_positions, sizeof triangle_positions);
    assert_true(test_warned(c, "node 'gone' is scaled to zero"));
    done(c, &b);
}

static void joints_outside_the_scene_are_joints(void** state)
{
    (void)state;
    static const float binds[32] = { SHIFT(0, 0, 0), SHIFT(0, -1, 0) };
    builder            b = { 0 };
    add_skinned_triangle(&b);
    add_node(&b, "{\"mesh\":0,\"skin\":0}");
    add_node(&b, "{\"name\":\"hip\",\"children\":[2]}");
    add_node(&b, "{\"name\":\"knee\",\"translation\":[0,1,0]}");
    add_node(&b, "{\"name\":\"camera\"}");
    add_skin(&b, binds, 2, "1,2");
    item(&b.scenes, "{\"nodes\":[0]}");
    sup_character* c = read_glb(&b);
    assert_int_equal(c->skeleton.skin_joint_count, 2);
    assert_int_equal(sup_character_joint(c, "camera"), SUP_NONE); // nothing hangs on it
    done(c, &b);
}

static void eight_influences_come_from_two_sets(void** state)
{
    (void)state;
    static const uint8_t  low[12] = { 0, 1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0 }, high[12] = { 4, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    static const uint8_t  bytes[12] = { 51, 51, 51, 51, 255, 0, 0, 0, 255, 0, 0, 0 };
    static const uint16_t shorts[12] = { 6554, 6553, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
    builder               b = { 0 };
    add_array(&b, triangle_positions, 3, "VEC3", FLOAT);
    add_array(&b, low, 3, "VEC4", UBYTE);
    add_array(&b, high, 3, "VEC4", UBYTE);
    add_accessor(&b, bytes, 12, 3, "VEC4", UBYTE, ",\"normalized\":true");
    add_accessor(&b, shorts, 24, 3, "VEC4", USHORT, ",\"normalized\":true");
    item(&b.meshes, "{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"JOINTS_1\":2,\"WEIGHTS_0\":3,"
                    "\"WEIGHTS_1\":4}}]}");
    add_node(&b, "{\"mesh\":0,\"skin\":0}");
    for (int i = 0; i < 6; ++i) add_node(&b, "{}");
    item(&b.skins, "{\"joints\":[1,2,3,4,5,6]}");
    sup_character* c = read_glb(&b);
    assert_int_equal(c->weights.influences_max, 6);
    assert_int_equal(c->weights.begin[1], 6);
    assert_float_equal(c->weights.values[0], 0.2f, 1e-6);
    assert_float_equal(c->weights.values[5], 6553 / 65535.0f, 1e-6);
    done(c, &b);
}

static void twenty_influences_come_from_five_sets(void** state)
{
    (void)state;
    builder b = { 0 };
    char    attributes[400] = "\"POSITION\":0";
    add_array(&b, triangle_positions, 3, "VEC3", FLOAT);
    for (uint32_t set = 0; set < 5; ++set) {
        uint8_t joints[12];
        float   weights[12];
        for (uint32_t i = 0; i < 12; ++i) joints[i] = (uint8_t)(4 * set + i % 4), weights[i] = 0.05f;
        uint32_t j = add_array(&b, joints, 3, "VEC4", UBYTE), w = add_array(&b, weights, 3, "VEC4", FLOAT);
        size_t   at = strlen(attributes);
        snprintf(attributes + at, sizeof attributes - at, ",\"JOINTS_%u\":%u,\"WEIGHTS_%u\":%u", set, j, set, w);
    }
    item(&b.meshes, "{\"primitives\":[{\"attributes\":{%s}}]}", attributes);
    add_node(&b, "{\"mesh\":0,\"skin\":0}");
    for (int i = 0; i < 20; ++i) add_node(&b, "{}");
    item(&b.skins, "{\"joints\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]}");
    sup_character* c = read_glb(&b);
    assert_int_equal(c->weights.influences_max, 20);
    assert_float_equal(c->weights.sum_max, 1, 1e-5);
    done(c, &b);
}

static void weights_that_are_not_finite_are_refused_by_name(void** state)
{
    (void)state;
    float   weights[12] = { 1, 0, 0, 0, NAN, 0, 0, 0, 1, 0, 0, 0 };
    builder b = { 0 };
    add_array(&b, triangle_positions, 3, "VEC3", FLOAT);
    add_array(&b, slots, 3, "VEC4", USHORT);
    add_array(&b, weights, 3, "VEC4", FLOAT);
    item(&b.meshes, "{\"name\":\"tri\",\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2}}]}");
    add_node(&b, "{\"mesh\":0,\"skin\":0}");
    add_node(&b, "{}");
    item(&b.skins, "{\"joints\":[1,1]}");
    refuse_glb(&b, "mesh 'tri' primitive 0 WEIGHTS_0: accessor 2 holds a number that is not finite");
}

static void joints_that_do_not_exist_are_refused_where_they_weigh(void** state)
{
    (void)state;
    uint16_t high[12] = { 0, 9, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0 };
    builder  b = { 0 };
    for (int weigh = 0; weigh < 2; ++weigh) {
        high[1] = weigh ? 9 : 1; // vertex 1 carries a 9 without weight, as exporters do
        add_array(&b, triangle_positions, 3, "VEC3", FLOAT);
        add_array(&b, high, 3, "VEC4", USHORT);
        add_array(&b, halves, 3, "VEC4", FLOAT);
        item(&b.meshes, "{\"name\":\"tri\",\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2}}]}");
        add_node(&b, "{\"mesh\":0,\"skin\":0}");
        add_node(&b, "{\"children\":[2]}");
        add_node(&b, "{}");
        item(&b.skins, "{\"name\":\"coat\",\"joints\":[1,2]}");
        if (weigh) {
            refuse_glb(&b, "mesh 'tri': vertex 0 follows joint 9 but skin 'coat' has 2 joints");
        } else {
            sup_character* c = read_glb(&b);
            done(c, &b);
        }
    }
}

static void bad_skins_are_refused_by_name(void** state)
{
    (void)state;
    static const float nans[32] = { SHIFT(0, 0, 0), SHIFT(0, NAN, 0) };
    builder            b = { 0 };
    add_skinned_triangle(&b);
    add_node(&b, "{\"mesh\":0,\"skin\":0}");
    add_node(&b, "{\"children\":[2]}");
    add_node(&b, "{}");
    add_skin(&b, nans, 2, "1,2");
    refuse_glb(&b, "skin 'skin 0' inverseBindMatrices: accessor 3 holds a number that is not finite");
    add_skinned_triangle(&b);
    add_node(&b, "{\"mesh\":0,\"skin\":0}");
    item(&b.skins, "{\"name\":\"coat\",\"joints\":[5]}");
    refuse_glb(&b, "skin 'coat': its joint 0 is not a node of the file");
    add_skinned_triangle(&b);
    add_node(&b, "{\"mesh\":0,\"skin\":0}");
    item(&b.skins, "{\"name\":\"coat\",\"joints\":[]}");
    refuse_glb(&b, "skin 'coat' has no joints");
    add_skinned_triangle(&b);
    add_node(&b, "{\"name\":\"body\",\"mesh\":0,\"skin\":4}");
    item(&b.skins, "{\"joints\":[0]}");
    refuse_glb(&b, "node 'body': its 'skin' does not exist, there are 1");
}

static void a_skin_without_weights_follows_its_node(void** state)
{
    (void)state;
    builder b = { 0 };
    add_array(&b, triangle_positions, 3, "VEC3", FLOAT);
    item(&b.meshes, "{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}");
    add_node(&b, "{\"name\":\"body\",\"mesh\":0,\"skin\":0}");
    add_node(&b, "{}");
    item(&b.skins, "{\"joints\":[1]}");
    sup_character* c = read_glb(&b);
    assert_int_equal(c->mesh.parts[0].joint, sup_character_joint(c, "body"));
    assert_true(test_warned(c, "node 'body' has a skin but"));
    done(c, &b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_skin_bound_at_rest_keeps_its_positions_bit_for_bit),
        cmocka_unit_test(a_skin_stands_where_the_rest_pose_shows_it),
        cmocka_unit_test(skins_of_one_skeleton_share_its_joints),
        cmocka_unit_test(skins_that_disagree_get_a_joint_of_their_own),
        cmocka_unit_test(the_root_is_the_highest_joint_not_the_first),
        cmocka_unit_test(a_skin_without_binds_is_bound_at_the_origin),
        cmocka_unit_test(a_flattened_skin_is_taken_as_stored),
        cmocka_unit_test(a_rigid_mesh_follows_its_node_even_when_that_is_a_joint),
        cmocka_unit_test(a_node_of_scale_zero_is_noted_and_survived),
        cmocka_unit_test(joints_outside_the_scene_are_joints),
        cmocka_unit_test(eight_influences_come_from_two_sets),
        cmocka_unit_test(twenty_influences_come_from_five_sets),
        cmocka_unit_test(weights_that_are_not_finite_are_refused_by_name),
        cmocka_unit_test(joints_that_do_not_exist_are_refused_where_they_weigh),
        cmocka_unit_test(bad_skins_are_refused_by_name),
        cmocka_unit_test(a_skin_without_weights_follows_its_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Real characters: the numbers of the data set's README, and skinning that is what the specification says, vertex by vertex.
#include "io/gltf_builder.h"

#include "math/vec.h"

typedef struct expected {
    const char* file;
    uint32_t    vertices, points, triangles, joints, clips, morphs;
    double      sum_min, sum_max;
    const char* clip_names[4]; // some of them
    double      seconds[4];
} expected;

// What a viewer would show of a stored vertex: sum of w G(node) IB v, from the file's own accessors.
typedef struct viewer {
    gltf_accessor     positions, joints, weights, binds;
    const sup_json*   skin_joints;
    const sup_affine* globals[256]; // of the skin's joints
} viewer;

static const sup_affine* global_of(const sup_character* c, const sup_pose* pose, uint32_t node)
{
    for (uint32_t j = 0; j < c->skeleton.joint_count; ++j)
        if (c->skeleton.joints[j].source_id == node) return &pose->global[j];
    return NULL;
}

static void open_viewer(const sup_character* c, const sup_pose* pose, const gltf_part* part, uint32_t primitive, viewer* v)
{
    const gltf_source* s = c->source;
    sup_error          error;
    const sup_json*    mesh = sup_json_at(sup_json_get(s->root, "meshes"), part->mesh);
    const sup_json*    at = sup_json_get(sup_json_at(sup_json_get(mesh, "primitives"), primitive), "attributes");
    const sup_json*    skin = sup_json_at(sup_json_get(s->root, "skins"), part->skin);
    assert_ok(gltf_accessor_find(s, sup_json_index(sup_json_get(at, "POSITION"), 0), "test", &v->positions, &error), error);
    assert_ok(gltf_accessor_find(s, sup_json_index(sup_json_get(at, "JOINTS_0"), 0), "test", &v->joints, &error), error);
    assert_ok(gltf_accessor_find(s, sup_json_index(sup_json_get(at, "WEIGHTS_0"), 0), "test", &v->weights, &error), error);
    assert_ok(gltf_accessor_find(s, sup_json_index(sup_json_get(skin, "inverseBindMatrices"), 0), "test", &v->binds, &error),
              error);
    v->skin_joints = sup_json_get(skin, "joints");
    for (uint32_t j = 0; j < v->skin_joints->count; ++j)
        v->globals[j] = global_of(c, pose, sup_json_index(sup_json_at(v->skin_joints, j), SUP_NONE));
}

static sup_vec3 show(const viewer* v, uint32_t vertex)
{
    sup_vec3 p = v3(gltf_accessor_float(&v->positions, vertex, 0), gltf_accessor_float(&v->positions, vertex, 1),
                    gltf_accessor_float(&v->positions, vertex, 2));
    sup_vec3 sum = v3(0, 0, 0);
    float    total = 0;
    for (uint32_t k = 0; k < 4; ++k) {
        uint32_t   slot = gltf_accessor_index(&v->joints, vertex, k);
        float      weight = gltf_accessor_float(&v->weights, vertex, k);
        sup_affine bind;
        for (uint32_t i = 0; i < 12; ++i) bind.m[i % 3][i / 3] = gltf_accessor_float(&v->binds, slot, i / 3 * 4 + i % 3);
        sum = v3_mad(sum, weight, affine_point(v->globals[slot], affine_point(&bind, p)));
        total += weight;
    }
    return v3_scale(sum, 1 / total);
}

static float largest_gap(const sup_character* c, const sup_pose* pose)
{
    float              gap = 0;
    const gltf_source* s = c->source;
    for (uint32_t p = 0; p < c->mesh.part_count; ++p) {
        if (s->parts[p].skin == SUP_NONE) continue;
        for (uint32_t k = 0; k < s->parts[p].primitive_count; ++k) {
            const gltf_primitive* primitive = &s->parts[p].primitives[k];
            viewer                v;
            open_viewer(c, pose, &s->parts[p], primitive->primitive, &v);
            for (uint32_t i = 0; i < primitive->vertex_count; ++i) {
                uint32_t point = c->mesh.vertex_points[c->mesh.parts[p].vertex_begin + primitive->vertex_begin + i];
                sup_vec3 ours = v3(0, 0, 0);
                for (uint32_t w = c->weights.begin[point]; w < c->weights.begin[point + 1]; ++w)
                    ours = v3_mad(ours, c->weights.values[w],
                                  affine_point(&pose->skin[c->weights.joints[w]], c->mesh.points[point]));
                float apart = v3_distance(ours, show(&v, i));
                if (apart > gap) gap = apart;
            }
        }
    }
    return gap;
}

static void check_motion(const sup_character* c)
{
    sup_arena* arena = sup_arena_create(NULL);
    sup_pose   pose;
    sup_error  error;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    for (uint32_t k = 0; k < c->clip_count; ++k)
        for (int i = 0; i < 3; ++i) {
            sup_clip_sample(c, &c->clips[k], c->clips[k].seconds * i / 2, &pose);
            float gap = largest_gap(c, &pose);
            if (!(gap <= 1e-5f * c->mesh.diagonal))
                fail_msg("%s: clip %s leaves the viewer's points by %g of %g", c->name, c->clips[k].name, (double)gap,
                         (double)c->mesh.diagonal);
        }
    sup_arena_destroy(arena);
}

static void check_character(const expected* e)
{
    char relative[100];
    snprintf(relative, sizeof relative, "skinned/%s", e->file);
    TEST_NEEDS_DATA(path, relative);
    sup_character* c = test_load(path);
    assert_int_equal(c->mesh.vertex_count, e->vertices);
    assert_int_equal(c->mesh.point_count, e->points);
    assert_int_equal(c->mesh.triangle_count, e->triangles);
    assert_int_equal(c->skeleton.skin_joint_count, e->joints);
    assert_int_equal(c->clip_count, e->clips);
    assert_int_equal(c->morph_count, e->morphs);
    assert_float_equal(c->weights.sum_min, e->sum_min, 5e-3);
    assert_float_equal(c->weights.sum_max, e->sum_max, 5e-4);
    for (int i = 0; i < 4 && e->clip_names[i]; ++i) {
        const sup_clip* clip = sup_character_clip(c, e->clip_names[i]);
        assert_non_null(clip);
        assert_float_equal(clip->seconds, e->seconds[i], 5e-3);
    }
    check_motion(c);
    sup_character_destroy(c);
}

static void cesiumman_is_read_whole(void** state)
{
    (void)state;
    check_character(&(expected){ "cesiumman.glb", 3273, 2338, 4672, 19, 1, 0, 1, 1, { "clip 0" }, { 2.0 } });
}

static void riggedsimple_is_read_whole(void** state)
{
    (void)state;
    check_character(&(expected){ "riggedsimple.glb", 160, 96, 188, 2, 1, 0, 1, 1, { "clip 0" }, { 2.08 } });
}

static void fox_is_read_whole(void** state)
{
    (void)state;
    check_character(
        &(expected){ "fox.glb", 1728, 290, 576, 24, 3, 0, 1, 1, { "Survey", "Walk", "Run" }, { 3.42, 0.71, 1.16 } });
}

static void soldier_is_read_whole(void** state)
{
    (void)state;
    check_character(&(expected){
        "soldier.glb", 7434, 5890, 11376, 49, 4, 0, 0.98, 1, { "Idle", "Run", "TPose", "Walk" }, { 1.97, 0.70, 0.03, 1.03 } });
}

static void robotexpressive_is_read_whole(void** state)
{
    (void)state;
    // The README counts its three morph targets once for each of the head's three primitives.
    check_character(&(expected){ "robotexpressive.glb",
                                 7214,
                                 1820,
                                 3237,
                                 43,
                                 14,
                                 3,
                                 1,
                                 1.755,
                                 { "Dance", "Sitting", "Walking", "Yes" },
                                 { 3.33, 0.42, 0.96, 1.67 } });
}

static void robot_hands_share_one_skeleton(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/robotexpressive.glb");
    sup_character* c = test_load(path);
    for (uint32_t j = 0; j < c->skeleton.joint_count; ++j) assert_false(c->skeleton.joints[j].has_bind);
    assert_int_equal(c->mesh.part_count, 14);
    assert_true(test_warned(c, "1.755"));
    sup_character_destroy(c);
}

static void a_real_file_cut_off_is_refused(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/fox.glb");
    sup_arena*       arena = sup_arena_create(NULL);
    const sup_files* files = sup_files_system();
    sup_bytes        bytes;
    sup_error        error;
    assert_ok(files->read(files->user, path, arena, &bytes, &error), error);
    for (size_t size = 0; size < bytes.size; size += 997) {
        sup_character* c = NULL;
        assert_int_not_equal(read_with((sup_bytes){ bytes.data, size }, NULL, NULL, &c, &error), SUP_OK);
        assert_true(strlen(error.text) > 10);
    }
    sup_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cesiumman_is_read_whole),
        cmocka_unit_test(riggedsimple_is_read_whole),
        cmocka_unit_test(fox_is_read_whole),
        cmocka_unit_test(soldier_is_read_whole),
        cmocka_unit_test(robotexpressive_is_read_whole),
        cmocka_unit_test(robot_hands_share_one_skeleton),
        cmocka_unit_test(a_real_file_cut_off_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// OBJ sequences: one file a frame, all or none, and the same floats when read again.
#include "tube_support.h"

static int make(void** state)
{
    (void)state;
    return make_of(test_tube(6, 5, 3, 4, 1));
}

static test_bake to(const char* path, uint32_t frames)
{
    return (test_bake){ .character = tube, .clip = &tube->clips[0], .path = path, .fps = 10, .frames = frames };
}

static void expect_frame(const char* path, const test_bake* b, uint32_t frame)
{
    sup_error      error;
    sup_pose       pose;
    sup_arena*     arena = sup_arena_create(NULL);
    sup_character* again = test_load(path);
    assert_int_equal(again->mesh.vertex_count, tube->mesh.vertex_count);
    assert_int_equal(again->mesh.face_count, tube->mesh.face_count);
    for (uint32_t f = 0; f <= tube->mesh.face_count; ++f) assert_int_equal(again->mesh.face_begin[f], tube->mesh.face_begin[f]);
    assert_memory_equal(again->mesh.corner_vertices, tube->mesh.corner_vertices, tube->mesh.corner_count * sizeof(uint32_t));
    assert_ok(sup_pose_create(tube, arena, &pose, &error), error);
    sup_vec3* points = sup_arena_alloc(arena, tube->mesh.point_count, sizeof *points);
    double    time = b->start + (double)frame / b->fps;
    sup_clip_sample(tube, b->clip, time, &pose);
    test_living_points(tube, &pose, time, points);
    for (uint32_t v = 0; v < tube->mesh.vertex_count; ++v)
        assert_memory_equal(&again->mesh.points[again->mesh.vertex_points[v]], &points[tube->mesh.vertex_points[v]],
                            sizeof *points);
    assert_non_null(again->mesh.vertex_normals);
    sup_character_destroy(again);
    sup_arena_destroy(arena);
}

static void frames_are_numbered_files_that_read_back_bit_for_bit(void** state)
{
    (void)state;
    test_bake b = to(test_folder_file(&folder, "walk.obj"), 3);
    sup_error error;
    assert_ok(test_bake_run(&b, NULL, &error), error);
    assert_int_equal(test_folder_count(&folder), 3);
    expect_frame(test_folder_file(&folder, "walk_0001.obj"), &b, 0);
    expect_frame(test_folder_file(&folder, "walk_0003.obj"), &b, 2);
    test_folder_remove(&folder);
    test_folder_make(&folder);
}

static void hash_signs_say_where_the_number_stands(void** state)
{
    (void)state;
    test_bake b = to(test_folder_file(&folder, "f##x.obj"), 2);
    sup_error error;
    assert_ok(test_bake_run(&b, NULL, &error), error);
    expect_frame(test_folder_file(&folder, "f01x.obj"), &b, 0);
    expect_frame(test_folder_file(&folder, "f02x.obj"), &b, 1);
    assert_int_equal(test_folder_count(&folder), 2);
    test_folder_remove(&folder);
    test_folder_make(&folder);
}

static void one_frame_keeps_its_name(void** state)
{
    (void)state;
    const char* path = test_folder_file(&folder, "still.obj");
    test_bake   b = to(path, 1);
    sup_error   error;
    assert_ok(test_bake_run(&b, NULL, &error), error);
    assert_int_equal(test_folder_count(&folder), 1);
    expect_frame(path, &b, 0);
    unlink(path);
}

static void an_interrupted_sequence_leaves_nothing(void** state)
{
    (void)state;
    test_bake     b = to(test_folder_file(&folder, "cut.obj"), 3);
    sup_bake_desc desc = test_bake_desc(&b);
    sup_bake*     bake = NULL;
    sup_error     error;
    sup_pose      pose;
    sup_arena*    arena = sup_arena_create(NULL);
    assert_ok(sup_pose_create(tube, arena, &pose, &error), error);
    sup_pose_rest(tube, &pose);
    sup_vec3* normals = sup_arena_alloc(arena, tube->mesh.vertex_count, sizeof *normals);
    assert_ok(sup_bake_begin(&desc, NULL, &bake, &error), error);
    for (uint32_t f = 0; f < 2; ++f) {
        const sup_bake_frame frame = { f, f / 10.0, &pose, tube->mesh.points, normals };
        assert_ok(sup_bake_frame_write(bake, &frame, &error), error);
    }
    assert_int_equal(test_folder_count(&folder), 2); // beside their places
    sup_bake_destroy(bake);
    assert_int_equal(test_folder_count(&folder), 0);
    sup_arena_destroy(arena);
}

static void an_obj_keeps_its_texture_coordinates_materials_and_groups(void** state)
{
    (void)state;
    static const char text[] =
        "\n# by hand\nmtllib skin.mtl\no leaf\nv 0 0 0 0.5 0.25 1\nv 1 0 0\nv 1 1 0\nv 0 \\\n1 0\n"
        "vt 0 0\nvt 1 0\nvt 1 1\nvn 0 0 1\nusemtl clay\ns 1\nf 1/1/1 2/2/1 3/3/1\r\nf -4//-1 \\\n-2 4/3 # last\n";
    static const char wanted[] =
        "\n# by hand\nmtllib skin.mtl\no leaf\nv 0 0 2 0.5 0.25 1\nvn 0 0 1\nv 1 0 2\nvn 0 0 1\nv 1 1 2\nvn 0 0 1\nv 0 1 2\n"
        "vn 0 0 1\nvt 0 0\nvt 1 0\nvt 1 1\nusemtl clay\ns 1\nf 1/1/1 2/2/2 3/3/3\nf -4//-4 -2//-2 4/3/4\n";
    const char* from = test_folder_file(&folder, "leaf.obj");
    test_write(from, text, sizeof text - 1);
    sup_error      error;
    sup_character* leaf = test_load(from);
    sup_vec3       points[4], normals[4];
    sup_bake*      bake = NULL;
    const char*    to_path = test_folder_file(&folder, "lifted.obj");
    sup_bake_desc  desc = { .path = to_path, .character = leaf, .chain = "linear", .fps = 30, .frame_count = 1 };
    sup_pose       pose;
    assert_ok(sup_pose_create(leaf, leaf->arena, &pose, &error), error);
    sup_pose_rest(leaf, &pose);
    for (int i = 0; i < 4; ++i) {
        points[i] = leaf->mesh.points[i];
        points[i].z += 2;
        normals[i] = (sup_vec3){ 0, 0, 1 };
    }
    assert_ok(sup_bake_begin(&desc, NULL, &bake, &error), error);
    assert_ok(
        sup_bake_frame_write(bake, &(sup_bake_frame){ .pose = &pose, .points = points, .vertex_normals = normals }, &error),
        error);
    assert_ok(sup_bake_end(bake, NULL, NULL, &error), error);
    sup_bake_destroy(bake);
    char  got[1024] = "";
    FILE* file = fopen(to_path, "rb");
    assert_non_null(file);
    got[fread(got, 1, sizeof got - 1, file)] = 0;
    fclose(file);
    assert_non_null(strstr(got, wanted));
    sup_character_destroy(leaf);
    assert_int_equal(remove(from), 0);
    assert_int_equal(remove(to_path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_obj_keeps_its_texture_coordinates_materials_and_groups),
        cmocka_unit_test(frames_are_numbered_files_that_read_back_bit_for_bit),
        cmocka_unit_test(hash_signs_say_where_the_number_stands),
        cmocka_unit_test(one_frame_keeps_its_name),
        cmocka_unit_test(an_interrupted_sequence_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}

// OBJ: vertices and polygons exactly as listed; every complaint has its line.
#define READING_PATH "folder/shape.obj"
#include "reading.h"

#include "math/vec.h"

#include <dirent.h>
#include <locale.h>
#include <stdio.h>

static void polygons_and_vertex_order_are_kept(void** state)
{
    (void)state;
    sup_character* c = read_text("# a roof\n"
                                 "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0.5 0.5 1\nv 9 9 9\n"
                                 "f 1 2 3 4\nf 1 2 5\n");
    assert_string_equal(c->name, "shape");
    assert_int_equal(c->mesh.vertex_count, 6); // the unused one stays
    assert_int_equal(c->mesh.point_count, 6);
    assert_int_equal(c->mesh.face_count, 2);
    assert_int_equal(c->mesh.triangle_count, 3);
    static const uint32_t corners[7] = { 0, 1, 2, 3, 0, 1, 4 };
    assert_memory_equal(c->mesh.corner_vertices, corners, sizeof corners);
    assert_true(c->mesh.points[4].z == 1);
    assert_int_equal(c->mesh.part_count, 1);
    assert_int_equal(c->skeleton.joint_count, 1);
    assert_null(c->source);
    assert_true(c->metres_per_unit == 1 && c->unit_assumed && c->up == SUP_AXIS_Y && c->up_assumed);
    sup_character_destroy(c);
}

static void progress_is_reported_every_so_many_lines(void** state)
{
    (void)state;
    enum { LINES = 200000, LEAST = 50000 }; // at least a question for so many lines, in each of the two passes
    char*  text = malloc(16 * LINES);
    size_t size = (size_t)sprintf(text, "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    for (uint32_t i = 3; i < LINES; ++i) size += (size_t)sprintf(text + size, i % 2 ? "f 1 2 3\n" : "# nothing\n");
    uint32_t calls = read_stopping(text, 0);
    print_message("  asked %u times over %u lines\n", calls, LINES);
    assert_true(calls >= 2 * LINES / LEAST);
    for (uint32_t stop = 1; stop <= calls; ++stop) read_stopping(text, stop);
    free(text);
}

static void equal_vertices_are_never_welded(void** state)
{
    (void)state;
    sup_character* c = read_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 4 5 6\n");
    assert_int_equal(c->mesh.point_count, 6);
    for (uint32_t v = 0; v < 6; ++v) assert_int_equal(c->mesh.vertex_points[v], v);
    sup_character_destroy(c);
}

static void every_way_to_write_a_corner_is_read(void** state)
{
    (void)state;
    static const char* const faces[] = { "f 1 2 3",
                                         "f 1/1 2/1 3/1",
                                         "f 1//1 2//1 3//1",
                                         "f 1/1/1 2/1/1 3/1/1",
                                         "f -3 -2 -1",
                                         "f -3/-1/-1 -2/-1/-1 -1/-1/-1",
                                         "f 1/ 2/ 3/",
                                         "f 1/1/ 2/1/ 3/1/",
                                         "f  +1 \t 2   3  # a comment",
                                         "f 1 \\\n 2 3",
                                         "f 1\\\r\n2\\\r\n3" };
    for (size_t i = 0; i < sizeof faces / sizeof faces[0]; ++i) {
        char text[200];
        snprintf(text, sizeof text, "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n%s\n", faces[i]);
        sup_character*        c = read_text(text);
        static const uint32_t corners[3] = { 0, 1, 2 };
        assert_int_equal(c->mesh.face_count, 1);
        assert_memory_equal(c->mesh.corner_vertices, corners, sizeof corners);
        sup_character_destroy(c);
    }
}

static void negative_indices_count_from_where_they_stand(void** state)
{
    (void)state;
    sup_character*        c = read_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 5 0 0\nf -1 -2 -3\n");
    static const uint32_t corners[6] = { 0, 1, 2, 3, 2, 1 };
    assert_memory_equal(c->mesh.corner_vertices, corners, sizeof corners);
    sup_character_destroy(c);
}

static void faces_may_stand_before_their_vertices(void** state)
{
    (void)state;
    sup_character* c = read_text("f 1//1 2//1 3//1\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\n");
    assert_int_equal(c->mesh.face_count, 1);
    assert_true(c->mesh.vertex_normals[2].z == 1);
    sup_character_destroy(c);
}

static void colors_weights_and_other_words_are_passed_over(void** state)
{
    (void)state;
    sup_character* c = read_text("\xEF\xBB\xBFmtllib a.mtl\r\no body\r\ng one two\r\nv 1 2 3 1.0\r\nv 1 0 0 0.5 0.5 0.5\r\n"
                                 "  v\t0 1e0 -.5E-1 1 0.5 0.5 0.5\r\nvt 0 0\r\nvp 0\r\ns off\r\nusemtl skin\r\nf 1 2 3\r\n"
                                 "g other\r\no again\r\nl 1 2\r\np 1\r\nf 3 2 1\r\n\r\n");
    assert_int_equal(c->mesh.part_count, 1);
    assert_int_equal(c->mesh.face_count, 2);
    assert_true(c->mesh.points[0].y == 2 && c->mesh.points[2].z == -0.05f && c->mesh.points[2].y == 1);
    sup_character_destroy(c);
}

static void a_file_may_end_without_a_line_end(void** state)
{
    (void)state;
    sup_character* c = read_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3");
    assert_int_equal(c->mesh.face_count, 1);
    sup_character_destroy(c);
    c = read_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\\");
    assert_int_equal(c->mesh.face_count, 1);
    sup_character_destroy(c);
}

static void normals_stay_where_all_corners_agree(void** state)
{
    (void)state;
    // Vertex 1: the same value under two numbers. Vertex 2: two values. Vertex 3: one corner without.
    sup_character*  c = read_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nvn 0 0 1\nvn 1 0 0\n"
                                   "f 1//1 2//1 3//1\nf 1//2 2//3 3 4//3\n");
    const sup_vec3* n = c->mesh.vertex_normals;
    assert_non_null(n);
    assert_true(n[0].z == 1 && n[3].x == 1);
    assert_true(v3_length2(n[1]) == 0 && v3_length2(n[2]) == 0);
    sup_character_destroy(c);
    c = read_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1 2 3\n");
    assert_null(c->mesh.vertex_normals);
    sup_character_destroy(c);
}

static void errors_name_the_line(void** state)
{
    (void)state;
    refuse("v 0 0 0\nv 1 0\nv 0 1 0\nf 1 2 3\n", "line 2: a vertex needs three numbers, like 0.5 or 2e-3");
    refuse("\xff\xfev", "UTF-16");
    refuse("v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n", "line 2: a vertex needs three numbers");
    refuse("v 0 0 0\nv 1 inf 0\nv 0 1 0\nf 1 2 3\n", "line 2: a vertex needs three numbers");
    refuse("v 0 0 0\nv 1 1e300 0\nv 0 1 0\nf 1 2 3\n", "line 2: a number of this vertex is too large");
    refuse("v 0 0 0\nv 1,5 0 0\nv 0 1 0\nf 1 2 3\n", "line 2: a vertex needs three numbers");
    refuse("v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0\nf 1 2 3\n", "line 4: a normal needs three numbers");
    refuse("v 0 0 0\nv 1 0 0\nv 0 1 0\n\nf 1 2 4\n", "line 5: vertex 4 does not exist, there are 3");
    refuse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "line 4: vertex 0 does not exist");
    refuse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "line 4: vertex -4 does not exist");
    refuse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n", "line 4: vertex");
    refuse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1//1 2//1 3//1\n", "line 4: normal 1 does not exist, there are 0");
    refuse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x\n", "line 4: a corner of this face is not");
    refuse("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3/x\n", "line 4: a corner of this face is not");
    refuse("v 0 0 \\\n 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "line 5: vertex 9"); // a line that goes on counts as two
    refuse("", "no points");
    refuse("v 0 0 0\n", "no faces");
    refuse("\x7f"
           "ELF\1\2\3",
           "no points");
}

static void a_decimal_comma_of_the_locale_changes_nothing(void** state)
{
    (void)state;
    const char*    comma = setlocale(LC_ALL, "de_DE.UTF-8");
    sup_character* c = read_text("v 0.5 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    assert_true(c->mesh.points[0].x == 0.5f);
    sup_character_destroy(c);
    if (comma) setlocale(LC_ALL, "C");
}

static const char sample[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1.25e-1 0\nvn 0 0 1\nf 1//1 2//1 \\\n3//1 4//1\r\nf 1/ 2/2/1 -1\n";

static void cut_or_changed_anywhere_it_never_crashes(void** state)
{
    (void)state;
    size_t length = sizeof sample - 1;
    for (size_t size = 0; size <= length; ++size)
        for (int wrong = 0; wrong < 4; ++wrong) {
            char           copy[sizeof sample];
            sup_character* c = NULL;
            sup_error      error = { SUP_OK, "" };
            memcpy(copy, sample, sizeof sample);
            if (size < length && wrong) copy[size] = "\\/-"[wrong - 1];
            if (read_bytes(copy, wrong ? length : size, NULL, &c, &error) != SUP_OK) assert_true(strlen(error.text) > 10);
            sup_character_destroy(c);
        }
}

static void every_refused_allocation_is_survived(void** state)
{
    (void)state;
    starve(sample, sizeof sample - 1);
}

static void check_file(const char* path, uint32_t vertices, uint32_t faces)
{
    sup_character* c = test_load(path);
    assert_int_equal(c->mesh.vertex_count, vertices);
    assert_int_equal(c->mesh.point_count, vertices);
    assert_int_equal(c->mesh.face_count, faces);
    sup_character_destroy(c);
}

static void the_meshes_of_the_data_set_have_the_counts_of_its_readme(void** state)
{
    (void)state;
    static const struct {
        const char* path;
        uint32_t    vertices, faces;
    } files[] = { { "closed-meshes/human_man.obj", 6890, 13776 },
                  { "closed-meshes/hand_closed.obj", 7993, 15982 },
                  { "closed-meshes/armadillo.obj", 14587, 29170 },
                  { "closed-meshes/bunny.obj", 3301, 6598 },
                  { "closed-meshes/fish_low_resolution.obj", 945, 1886 },
                  { "wolf-rig/wolf.obj", 5075, 10018 },
                  { "libigl-rigs/arm.obj", 8311, 16618 },
                  { "libigl-rigs/elephant.obj", 6034, 12064 } };
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        TEST_NEEDS_DATA(path, files[i].path);
        check_file(path, files[i].vertices, files[i].faces);
    }
}

static void sequences_of_the_data_set_keep_one_topology(void** state)
{
    (void)state;
    static const struct {
        const char* folder;
        uint32_t    vertices, faces, files;
    } sets[] = { { "horse-gallop", 8431, 16843, 25 },
                 { "cat-poses", 7207, 14410, 10 },
                 { "samba", 9971, 19938, 14 },
                 { "elastic-cow", 2904, 5804, 18 } };
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; ++i) {
        TEST_NEEDS_DATA(folder, sets[i].folder);
        DIR* directory = opendir(folder);
        assert_non_null(directory);
        uint32_t count = 0;
        for (struct dirent* entry = readdir(directory); entry; entry = readdir(directory)) {
            char path[2048];
            if (!strstr(entry->d_name, ".obj")) continue;
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            check_file(path, sets[i].vertices, sets[i].faces);
            ++count;
        }
        closedir(directory);
        assert_int_equal(count, sets[i].files);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polygons_and_vertex_order_are_kept),
        cmocka_unit_test(progress_is_reported_every_so_many_lines),
        cmocka_unit_test(equal_vertices_are_never_welded),
        cmocka_unit_test(every_way_to_write_a_corner_is_read),
        cmocka_unit_test(negative_indices_count_from_where_they_stand),
        cmocka_unit_test(faces_may_stand_before_their_vertices),
        cmocka_unit_test(colors_weights_and_other_words_are_passed_over),
        cmocka_unit_test(a_file_may_end_without_a_line_end),
        cmocka_unit_test(normals_stay_where_all_corners_agree),
        cmocka_unit_test(errors_name_the_line),
        cmocka_unit_test(a_decimal_comma_of_the_locale_changes_nothing),
        cmocka_unit_test(cut_or_changed_anywhere_it_never_crashes),
        cmocka_unit_test(every_refused_allocation_is_survived),
        cmocka_unit_test(the_meshes_of_the_data_set_have_the_counts_of_its_readme),
        cmocka_unit_test(sequences_of_the_data_set_keep_one_topology),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "supple/scene.h"

#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sup_mesh_report examine(uint32_t points, const sup_vec3* positions, uint32_t faces, const uint32_t* begin,
                               const uint32_t* corners)
{
    sup_mesh        mesh = { .point_count = points,
                             .points = positions,
                             .face_count = faces,
                             .face_begin = begin,
                             .corner_count = faces ? begin[faces] : 0,
                             .corner_points = corners };
    sup_mesh_report report;
    sup_error       error;
    assert_ok(sup_mesh_examine(&mesh, &report, &error), error);
    return report;
}

static const uint32_t threes[] = { 0, 3, 6, 9, 12, 15, 18, 21, 24 };
static const sup_vec3 spread[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 3, 1, 1 }, { 4, 2, 1 }, { 5, 1, 3 } };

static void closed_tube_is_closed(void** state)
{
    (void)state;
    sup_character*  tube = test_tube(9, 8, 2, 4, 1);
    sup_mesh_report report;
    sup_error       error;
    assert_ok(sup_mesh_examine(&tube->mesh, &report, &error), error);
    assert_true(report.closed);
    assert_int_equal(report.components, 1);
    assert_int_equal(report.edges, tube->mesh.point_count + tube->mesh.face_count - 2); // Euler, genus 0
    assert_int_equal(report.degenerate_faces + report.loose_points + report.boundary_loops, 0);
    sup_character_destroy(tube);
}

static void open_strip_reports_its_hole(void** state)
{
    (void)state;
    sup_mesh_report r = examine(4, spread, 2, threes, (const uint32_t[]){ 0, 1, 2, 2, 1, 3 });
    assert_false(r.closed);
    assert_int_equal(r.edges, 5);
    assert_int_equal(r.boundary_edges, 4);
    assert_int_equal(r.boundary_loops, 1);
    assert_int_equal(r.components, 1);
}

static void two_tetrahedra_are_closed_apart_and_not_when_they_touch(void** state)
{
    (void)state;
    const uint32_t  apart[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 4, 6, 5, 4, 5, 7, 4, 7, 6, 5, 6, 7 };
    const sup_vec3  p[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 },
                            { 5, 0, 0 }, { 6, 0, 0 }, { 5, 1, 0 }, { 5, 0, 1 } };
    sup_mesh_report r = examine(8, p, 8, threes, apart);
    assert_true(r.closed);
    assert_int_equal(r.components, 2);
    const uint32_t touching[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 0, 5, 4, 0, 4, 6, 0, 6, 5, 4, 5, 6 };
    r = examine(7, spread, 8, threes, touching);
    assert_false(r.closed);
    assert_int_equal(r.nonmanifold_points, 1);
    assert_int_equal(r.components, 1);
}

static void third_face_and_flipped_face_are_not_manifold(void** state)
{
    (void)state;
    sup_mesh_report r = examine(5, spread, 3, threes, (const uint32_t[]){ 0, 1, 2, 1, 0, 3, 0, 1, 4 });
    assert_int_equal(r.nonmanifold_edges, 1);
    r = examine(4, spread, 4, threes, (const uint32_t[]){ 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 3, 2 }); // last face turned
    assert_int_equal(r.nonmanifold_edges, 3);
    assert_int_equal(r.boundary_edges, 0);
    assert_false(r.closed);
}

static void lines_and_repeated_points_are_degenerate(void** state)
{
    (void)state;
    const sup_vec3 p[] = {
        { 0.1f, 0.1f, 0.1f }, { 0.2f, 0.2f, 0.2f }, { 0.4f, 0.4f, 0.4f }, { 1, 0, 0 }, { 0.1f, 0.1f, 0.1f }
    };
    sup_mesh_report r = examine(5, p, 4, threes, (const uint32_t[]){ 0, 1, 2, 0, 1, 1, 0, 1, 3, 0, 4, 3 });
    assert_int_equal(r.degenerate_faces, 3); // on a line, a repeated point, two points in one place
    r = examine(5, p, 1, (const uint32_t[]){ 0, 4 }, (const uint32_t[]){ 0, 3, 0, 1 });
    assert_int_equal(r.degenerate_faces, 1);
}

static void nothing_is_not_closed(void** state)
{
    (void)state;
    sup_mesh_report r = examine(3, spread, 0, threes, NULL);
    assert_false(r.closed);
    assert_int_equal(r.loose_points, 3);
    assert_int_equal(r.components, 0);
}

// The counts are those of the data set's own list.
static void wolf_has_three_pieces_and_128_boundary_edges(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "wolf-rig/wolf.obj");
    FILE* file = fopen(path, "r");
    assert_non_null(file);
    sup_vec3* points = calloc(6000, sizeof *points);
    uint32_t* corners = calloc(40000, sizeof *corners);
    uint32_t* begin = calloc(12000, sizeof *begin);
    uint32_t  point_count = 0, faces = 0, c = 0;
    char      line[512];
    while (fgets(line, sizeof line, file)) {
        sup_vec3 p;
        if (sscanf(line, "v %f %f %f", &p.x, &p.y, &p.z) == 3) points[point_count++] = p;
        if (strncmp(line, "f ", 2) != 0) continue;
        for (char* word = strtok(line + 2, " \r\n"); word; word = strtok(NULL, " \r\n"))
            corners[c++] = (uint32_t)atoi(word) - 1;
        begin[++faces] = c;
    }
    fclose(file);
    assert_int_equal(point_count, 5075);
    assert_int_equal(faces, 10018);
    sup_mesh_report r = examine(point_count, points, faces, begin, corners);
    assert_int_equal(r.components, 3);
    assert_int_equal(r.boundary_edges, 128);
    assert_int_equal(r.nonmanifold_edges, 0);
    assert_int_equal(r.nonmanifold_points, 0);
    free(points), free(corners), free(begin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_tube_is_closed),
        cmocka_unit_test(open_strip_reports_its_hole),
        cmocka_unit_test(two_tetrahedra_are_closed_apart_and_not_when_they_touch),
        cmocka_unit_test(third_face_and_flipped_face_are_not_manifold),
        cmocka_unit_test(lines_and_repeated_points_are_degenerate),
        cmocka_unit_test(nothing_is_not_closed),
        cmocka_unit_test(wolf_has_three_pieces_and_128_boundary_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

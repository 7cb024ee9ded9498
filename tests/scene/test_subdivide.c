// Finer characters: what is known of both rules, and that nothing tears.
#include "geom/surface/subdivide.h"
#include "math/vec.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A cube from -1 to 1, as quads or as triangles.
static sup_character* cube(bool triangles)
{
    static const uint32_t quads[24] = { 0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4, 1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7 };
    sup_vec3              points[8];
    uint32_t              corners[36], sizes[12];
    for (uint32_t i = 0; i < 8; ++i) points[i] = v3((i & 1) ^ (i >> 1 & 1) ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    for (uint32_t f = 0; f < 6; ++f) {
        const uint32_t* q = quads + 4 * f;
        uint32_t        t[6] = { q[0], q[1], q[2], q[0], q[2], q[3] };
        if (triangles) memcpy(corners + 6 * f, t, sizeof t);
        else memcpy(corners + 4 * f, q, 4 * sizeof *q);
    }
    for (uint32_t f = 0; f < 12; ++f) sizes[f] = triangles ? 3 : 4;
    sup_part_desc      part = { .name = "cube",
                                .vertex_count = 8,
                                .positions = points,
                                .face_count = triangles ? 12 : 6,
                                .face_sizes = sizes,
                                .corners = corners,
                                .joint = SUP_NONE,
                                .source_id = SUP_NONE };
    sup_character_desc desc = { .name = "cube", .part_count = 1, .parts = &part };
    return test_character(&desc);
}

static sup_character* divide(const sup_character* c, uint32_t levels)
{
    sup_character* fine = NULL;
    sup_error      error = { 0 };
    assert_ok(sup_character_subdivide(c, levels, NULL, &fine, &error), error);
    return fine;
}

// Catmull and Clark: a corner of valence 3 goes to (F + 2 R) / 3 with F the mean of three face centers and R of three edge
// middles. Of the corner (1, 1, 1): F = (1/3, 1/3, 1/3), R = (2/3, 2/3, 2/3): 5/9 each. The middle of an edge is the mean of
// its ends and two face centers: ((1, 1, 1) + (-1, 1, 1) + (0, 1, 0) + (0, 0, 1)) / 4 = (0, 3/4, 3/4).
static void quads_of_a_cube_go_where_catmull_and_clark_say(void** state)
{
    (void)state;
    sup_character*  c = cube(false);
    sup_character*  fine = divide(c, 1);
    const sup_mesh* m = &fine->mesh;
    assert_int_equal(m->point_count, 8 + 12 + 6);
    assert_int_equal(m->face_count, 24);
    for (uint32_t i = 0; i < 8; ++i) {
        assert_float_equal(fabsf(m->points[i].x), 5.0f / 9, 1e-6f);
        assert_float_equal(fabsf(m->points[i].y), 5.0f / 9, 1e-6f);
        assert_float_equal(fabsf(m->points[i].z), 5.0f / 9, 1e-6f);
    }
    for (uint32_t i = 8; i < 20; ++i) assert_float_equal(v3_length(m->points[i]), 0.75f * sqrtf(2), 1e-6f);
    for (uint32_t i = 20; i < 26; ++i) assert_float_equal(v3_length(m->points[i]), 1, 1e-6f);
    sup_character_destroy(fine), sup_character_destroy(c);
}

// Both rules: V - E + F = 2 stays, the surface stays closed, and the shape stays inside the hull.
static void a_cube_stays_closed_and_a_sphere(void** state)
{
    (void)state;
    for (int triangles = 0; triangles < 2; ++triangles) {
        sup_character* c = cube(triangles);
        for (uint32_t levels = 1; levels <= 4; ++levels) {
            sup_character*  fine = divide(c, levels);
            sup_mesh_report report;
            sup_error       error = { 0 };
            assert_ok(sup_mesh_examine(&fine->mesh, &report, &error), error);
            assert_true(report.closed);
            assert_int_equal((int)fine->mesh.point_count - (int)report.edges + (int)fine->mesh.face_count, 2);
            assert_int_equal(fine->mesh.face_count, (triangles ? 12u : 6u) << (2 * levels));
            for (uint32_t i = 0; i < fine->mesh.point_count; ++i) assert_true(v3_length(fine->mesh.points[i]) <= 1.7321f);
            sup_character_destroy(fine);
        }
        sup_character_destroy(c);
    }
}

// A flat square with a border: the border stays in its line and corners of one face stay where they are; inner points lie in
// the plane. A tube's weights sum to 1 and are never negative, and its morph and map are finer by the same shares.
static void borders_are_curves_and_corners_stay(void** state)
{
    (void)state;
    sup_vec3 points[9];
    uint32_t corners[16];
    for (uint32_t i = 0; i < 9; ++i) points[i] = v3((float)(i % 3), 0, (float)(i / 3));
    for (uint32_t f = 0; f < 4; ++f) {
        uint32_t p = f / 2 * 3 + f % 2, q[4] = { p, p + 1, p + 4, p + 3 };
        memcpy(corners + 4 * f, q, sizeof q);
    }
    static const uint32_t sizes[4] = { 4, 4, 4, 4 };
    sup_part_desc         part = { .name = "square",
                                   .vertex_count = 9,
                                   .positions = points,
                                   .face_count = 4,
                                   .face_sizes = sizes,
                                   .corners = corners,
                                   .joint = SUP_NONE,
                                   .source_id = SUP_NONE };
    sup_character_desc    desc = { .name = "square", .part_count = 1, .parts = &part };
    sup_character*        c = test_character(&desc);
    sup_character*        fine = divide(c, 1);
    const sup_vec3*       p = fine->mesh.points;
    // A corner has two border edges, so it is on a curve: 3/4 of itself and 1/8 of both neighbors.
    assert_float_equal(p[0].x, 0.125f, 1e-6f);
    assert_float_equal(p[0].z, 0.125f, 1e-6f);
    assert_float_equal(p[1].x, 1, 1e-6f);
    assert_float_equal(p[1].z, 0, 1e-6f);
    assert_float_equal(p[4].x, 1, 1e-6f);
    for (uint32_t i = 0; i < fine->mesh.point_count; ++i) assert_true(p[i].y == 0);
    sup_character_destroy(fine), sup_character_destroy(c);
}

static void weights_are_shares_and_rest_follows(void** state)
{
    (void)state;
    sup_character* tube = test_tube(8, 6, 3, 1.0f, 0.2f);
    sup_character* fine = divide(tube, 2);
    assert_int_equal(fine->clip_count, tube->clip_count);
    assert_int_equal(fine->skeleton.joint_count, tube->skeleton.joint_count);
    for (uint32_t i = 0; i < fine->mesh.point_count; ++i) {
        double sum = 0;
        for (uint32_t k = fine->weights.begin[i]; k < fine->weights.begin[i + 1]; ++k) {
            assert_true(fine->weights.values[k] > 0);
            sum += (double)fine->weights.values[k];
        }
        assert_float_equal(sum, 1, 1e-5);
    }
    sup_character_destroy(fine), sup_character_destroy(tube);
}

// Two triangles over one edge, whose stored vertices differ on it: a seam. Its middle is one point and two vertices, each half
// way between its own side's.
static void a_seam_is_one_point_and_two_vertices(void** state)
{
    (void)state;
    static const uint32_t begin[] = { 0, 3, 6 }, points[] = { 0, 1, 2, 2, 1, 3 }, vertices[] = { 0, 1, 2, 4, 3, 5 };
    static const uint32_t of[] = { 0, 1, 2, 1, 2, 3 };
    sup_subdivide_input   in = { 4, 6, 2, begin, points, vertices, of, NULL };
    sup_arena*            arena = sup_arena_create(NULL);
    sup_subdivided        s;
    sup_error             error = { 0 };
    assert_ok(sup_subdivide(&in, 1, arena, &s, &error), error);
    assert_int_equal(s.point_count, 4 + 5);
    assert_int_equal(s.vertex_count, 6 + 6);
    uint32_t middles = 0, point = SUP_NONE;
    for (uint32_t v = 6; v < 12; ++v) {
        uint32_t first = s.vertices.begin[v], a = s.vertices.index[first], b = s.vertices.index[first + 1];
        assert_int_equal(s.vertices.begin[v + 1] - first, 2);
        assert_true((a < 3) == (b < 3)); // of one side
        bool seam = (a == 1 && b == 2) || (a == 3 && b == 4);
        if (!seam) continue;
        assert_true(point == SUP_NONE || point == s.vertex_points[v]);
        point = s.vertex_points[v];
        middles++;
    }
    assert_int_equal(middles, 2);
    // Loop: the inner edge's middle is 3/8 of its ends and 1/8 of the points across.
    uint32_t    row = s.points.begin[point];
    const float shares[4] = { 0.125f, 0.375f, 0.375f, 0.125f };
    for (uint32_t k = 0; k < 4; ++k) assert_float_equal(s.points.share[row + k], shares[k], 1e-7f);
    sup_arena_destroy(arena);
}

static void too_many_levels_are_refused_with_the_limit(void** state)
{
    (void)state;
    sup_character* fine = NULL;
    sup_error      error = { 0 };
    sup_character* beast = test_builtin("beast", 0);
    assert_int_not_equal(sup_character_subdivide(beast, 7, NULL, &fine, &error), SUP_OK);
    assert_non_null(strstr(error.text, "at most 6"));
    assert_int_not_equal(sup_character_subdivide(beast, 100, NULL, &fine, &error), SUP_OK);
    sup_character_destroy(beast);
}

static void divide_fan(uint32_t n, uint32_t levels, sup_error* error)
{
    sup_vec3* points = malloc((n + 1) * sizeof *points);
    uint32_t* corners = malloc(3 * (size_t)n * sizeof *corners);
    for (uint32_t i = 0; i < n; ++i) {
        points[i] = v3(cosf((float)i), sinf((float)i), 0);
        corners[3 * i] = i, corners[3 * i + 1] = (i + 1) % n, corners[3 * i + 2] = n;
    }
    points[n] = v3(0, 0, 1);
    sup_part_desc      part = { .name = "fan",
                                .vertex_count = n + 1,
                                .positions = points,
                                .face_count = n,
                                .corners = corners,
                                .joint = SUP_NONE,
                                .source_id = SUP_NONE };
    sup_character_desc desc = { .name = "fan", .part_count = 1, .parts = &part };
    sup_character *    c = test_character(&desc), *fine = NULL;
    sup_result         result = sup_character_subdivide(c, levels, NULL, &fine, error);
    assert_int_equal(result == SUP_OK, fine != NULL);
    sup_character_destroy(fine), sup_character_destroy(c);
    free(points), free(corners);
}

// A fan of triangles around one point, twice: shares would grow with the square of it, and one row of 100,000 would be searched
// 100,000 times from its end.
static void a_crowded_point_is_a_sentence_or_a_mesh(void** state)
{
    (void)state;
    sup_error error = { 0 };
    divide_fan(200, 2, &error);
    assert_int_equal(error.code, SUP_OK);
    divide_fan(8000, 2, &error);
    assert_non_null(strstr(error.text, "too many edges"));
    error = (sup_error){ 0 };
    divide_fan(100000, 2, &error);
    assert_non_null(strstr(error.text, "too many edges"));
}

static void running_out_of_memory_anywhere_is_an_error(void** state)
{
    (void)state;
    sup_character* tube = test_tube(3, 4, 2, 1.0f, 0.2f);
    for (test_starved s = { 0 }; test_starve(&s);) {
        sup_character* fine = NULL;
        sup_error      error = { 0 };
        s.result = sup_character_subdivide(tube, 1, &s.memory.allocator, &fine, &error);
        sup_character_destroy(fine);
    }
    sup_character_destroy(tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quads_of_a_cube_go_where_catmull_and_clark_say),
        cmocka_unit_test(a_cube_stays_closed_and_a_sphere),
        cmocka_unit_test(borders_are_curves_and_corners_stay),
        cmocka_unit_test(weights_are_shares_and_rest_follows),
        cmocka_unit_test(a_seam_is_one_point_and_two_vertices),
        cmocka_unit_test(too_many_levels_are_refused_with_the_limit),
        cmocka_unit_test(a_crowded_point_is_a_sentence_or_a_mesh),
        cmocka_unit_test(running_out_of_memory_anywhere_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

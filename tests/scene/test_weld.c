#include "scene/small.h"

#include <stdlib.h>

static void two_triangles_sharing_an_edge_weld_into_four_points(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    s.part.weld = true;
    sup_character* c = small_make(&s);
    assert_int_equal(c->mesh.point_count, 4);
    assert_int_equal(c->mesh.vertex_count, 6);
    static const uint32_t expected[6] = { 0, 1, 2, 0, 2, 3 };
    assert_memory_equal(c->mesh.vertex_points, expected, sizeof expected);
    assert_memory_equal(c->mesh.corner_points, expected, sizeof expected);
    assert_memory_equal(c->mesh.corner_vertices, soup_corners, sizeof soup_corners);
    assert_memory_equal(c->mesh.triangles, expected, sizeof expected);
    assert_memory_equal(&c->mesh.points[3], &square_soup[5], sizeof(sup_vec3));
    sup_character_destroy(c);
}

static void without_welding_every_vertex_is_a_point_in_order(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    static const uint32_t backwards[6] = { 5, 4, 3, 2, 1, 0 };
    s.part.corners = backwards;
    sup_character* c = small_make(&s);
    assert_int_equal(c->mesh.point_count, 6);
    assert_memory_equal(c->mesh.points, square_soup, sizeof square_soup);
    assert_memory_equal(c->mesh.corner_points, backwards, sizeof backwards);
    sup_character_destroy(c);
}

// What stays in memory and needs no welding, renumbering or placing is not in it twice.
static void lasting_positions_are_the_points_themselves(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    s.part.lasting_positions = true;
    sup_character* c = small_make(&s);
    assert_ptr_equal(c->mesh.points, s.part.positions);
    assert_float_equal(c->mesh.diagonal, sqrtf(2), 1e-6f);
    sup_character_destroy(c);
    s.part.weld = true; // four points of six vertices
    c = small_make(&s);
    assert_ptr_not_equal(c->mesh.points, s.part.positions);
    sup_character_destroy(c);
    s.part.weld = false;
    s.part.place = affine_identity();
    s.part.place.m[0][3] = 2;
    c = small_make(&s);
    assert_float_equal(c->mesh.points[0].x, s.part.positions[0].x + 2, 0);
    sup_character_destroy(c);
}

static void points_are_numbered_by_the_first_corner_that_uses_them(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    static const uint32_t backwards[6] = { 5, 4, 3, 2, 1, 0 };
    s.part.corners = backwards;
    s.part.weld = true;
    sup_character*        c = small_make(&s);
    static const uint32_t expected[6] = { 2, 3, 1, 2, 1, 0 }; // corners (0,1) (1,1) (0,0) | (1,1) (1,0) (0,0)
    assert_memory_equal(c->mesh.vertex_points, expected, sizeof expected);
    sup_character_destroy(c);
}

static void unused_vertices_come_last_as_stored_and_weld_too(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    static const sup_vec3 positions[7] = { { 9, 9, 9 }, { 8, 8, 8 }, { 0, 0, 0 }, { 1, 0, 0 },
                                           { 1, 1, 0 }, { 9, 9, 9 }, { 1, 0, 0 } };
    static const uint32_t corners[5] = { 2, 3, 4, 0, 1 }, sizes[2] = { 3, 2 }; // the second face has too few corners
    s.part = (sup_part_desc){ .vertex_count = 7,
                              .positions = positions,
                              .face_count = 2,
                              .face_sizes = sizes,
                              .corners = corners,
                              .joint = SUP_NONE,
                              .weld = true };
    sup_character*        c = small_make(&s);
    static const uint32_t expected[7] = { 3, 4, 0, 1, 2, 3, 1 };
    assert_int_equal(c->mesh.point_count, 5);
    assert_memory_equal(c->mesh.vertex_points, expected, sizeof expected);
    assert_int_equal(c->mesh.face_count, 1);
    assert_true(test_warned(c, "1 faces of 'part 0' have fewer than three corners"));
    sup_character_destroy(c);
}

static void minus_zero_is_zero(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    sup_vec3 positions[6];
    memcpy(positions, square_soup, sizeof positions);
    positions[3] = v3(-0.0f, 0, -0.0f);
    s.part.positions = positions;
    s.part.weld = true;
    sup_character* c = small_make(&s);
    assert_int_equal(c->mesh.point_count, 4);
    sup_character_destroy(c);
}

static void vertices_of_different_weights_stay_apart(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    s.desc.joint_count = 2;
    s.desc.joints = s.joints;
    uint32_t joints[12] = { 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1 };
    float    weights[12] = { 0.5f, 0.5f, 1, 0, 1, 0, 0.5f, 0.5f, 0.25f, 0.75f, 1, 0 };
    s.part.width = 2;
    s.part.joints = joints;
    s.part.weights = weights;
    s.part.weld = true;
    sup_character* c = small_make(&s);
    assert_int_equal(c->mesh.point_count, 5); // (0,0) welds, (1,1) does not
    assert_int_equal(c->mesh.vertex_points[3], 0);
    assert_int_not_equal(c->mesh.vertex_points[4], c->mesh.vertex_points[2]);
    sup_character_destroy(c);
}

static void weights_are_compared_cleaned(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    s.desc.joint_count = 2;
    s.desc.joints = s.joints;
    // Vertices 0 and 3 say the same in other words: order, scale, a zero, a joint twice.
    uint32_t joints[18] = { 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0 };
    float    weights[18] = { 0.5f, 0.5f, 0, 1, 0, 0, 1, 0, 0, 1, 2, 1, 1, 0, 0, 1, 0, 0 };
    s.part.width = 3;
    s.part.joints = joints;
    s.part.weights = weights;
    s.part.weld = true;
    sup_character* c = small_make(&s);
    assert_int_equal(c->mesh.point_count, 4);
    assert_float_equal(c->weights.sum_max, 4, 0); // of a vertex that is no point's first
    sup_character_destroy(c);
}

static void vertices_of_different_morph_deltas_stay_apart(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    sup_vec3 deltas[6] = { { 0, 0, 1 }, { 0, 0, 0 }, { 0, 0, 2 }, { 0, 0, 1 }, { 0, 0, 3 }, { 0, 0, 0 } };
    s.part.morphs = &(sup_morph_desc){ .name = "puff", .deltas = deltas };
    s.part.morph_count = 1;
    s.part.weld = true;
    sup_character* c = small_make(&s);
    assert_int_equal(c->mesh.point_count, 5);
    assert_float_equal(c->morphs[0].deltas[c->mesh.vertex_points[4]].z, 3, 0);
    assert_float_equal(c->morphs[0].deltas[0].z, 1, 0);
    sup_character_destroy(c);
}

static void parts_never_weld_with_each_other(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    s.part.weld = true;
    sup_part_desc parts[2] = { s.part, s.part };
    s.desc.parts = parts;
    s.desc.part_count = 2;
    sup_character* c = small_make(&s);
    assert_int_equal(c->mesh.point_count, 8);
    assert_int_equal(c->mesh.parts[1].point_begin, 4);
    assert_int_equal(c->mesh.parts[1].vertex_begin, 6);
    assert_int_equal(c->mesh.parts[1].face_begin, 2);
    assert_int_equal(c->mesh.corner_points[6], 4);
    assert_int_equal(c->mesh.corner_vertices[6], 6);
    sup_character_destroy(c);
}

static void stored_point_numbers_are_obeyed(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    static const uint32_t ids[6] = { 3, 2, 1, 3, 1, 0 };
    s.part.point_ids = ids;
    sup_character* c = small_make(&s);
    assert_int_equal(c->mesh.point_count, 4);
    assert_memory_equal(c->mesh.vertex_points, ids, sizeof ids);
    assert_memory_equal(&c->mesh.points[0], &square_soup[5], sizeof(sup_vec3));
    assert_int_equal(c->warning_count, 0);
    sup_character_destroy(c);
}

static void impossible_point_numbers_are_mended_by_welding(void** state)
{
    (void)state;
    static const uint32_t wrong[3][6] = {
        { 0, 1, 2, 1, 2, 3 }, // vertex 3 does not stand where vertex 1 does
        { 0, 1, 2, 0, 2, 4 }, // no point 3
        { 0, 1, 2, 0, 2, 6 }, // beyond the vertices
    };
    for (int i = 0; i < 3; ++i) {
        small s;
        small_init(&s);
        s.part.point_ids = wrong[i];
        sup_character* c = small_make(&s);
        assert_int_equal(c->mesh.point_count, 4);
        assert_true(test_warned(c, "point numbers stored with 'square'"));
        sup_character_destroy(c);
    }
}

static void authored_normals_survive_welding_per_vertex(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    sup_vec3 normals[6] = { { 0, 0, 2 }, { 0, 0, 1 }, { 0, 0, 1 }, { 3, 0, 4 }, { 0, 0, 0 }, { NAN, 0, 1 } };
    s.part.normals = normals;
    s.part.weld = true;
    sup_character* c = small_make(&s);
    assert_int_equal(c->mesh.vertex_points[0], c->mesh.vertex_points[3]);
    assert_float_equal(c->mesh.vertex_normals[0].z, 1, 0);
    assert_float_equal(c->mesh.vertex_normals[3].x, 0.6f, 1e-7f);
    assert_float_equal(c->mesh.vertex_normals[3].z, 0.8f, 1e-7f);
    static const sup_vec3 none;
    assert_memory_equal(&c->mesh.vertex_normals[4], &none, sizeof none);
    assert_memory_equal(&c->mesh.vertex_normals[5], &none, sizeof none);
    assert_true(test_warned(c, "1 normals or tangents of 'square'"));
    assert_null(c->mesh.vertex_tangents);
    sup_character_destroy(c);
}

static void many_vertices_at_one_place_weld_in_reasonable_time(void** state)
{
    (void)state;
    enum { N = 200000 }; // all at the origin, each pair with its own weights: slow where only positions were hashed
    small s;
    small_init(&s);
    s.desc.joint_count = 2;
    s.desc.joints = s.joints;
    sup_vec3* positions = calloc(N, sizeof *positions);
    uint32_t* joints = calloc(2 * N, sizeof *joints);
    float*    weights = calloc(2 * N, sizeof *weights);
    for (uint32_t v = 0; v < N; ++v) {
        joints[2 * v + 1] = 1;
        weights[2 * v] = 1;
        weights[2 * v + 1] = (float)(v / 2 + 1) / (float)N;
    }
    s.part = (sup_part_desc){ .vertex_count = N,
                              .positions = positions,
                              .face_count = 1,
                              .corners = soup_corners,
                              .width = 2,
                              .joints = joints,
                              .weights = weights,
                              .joint = SUP_NONE,
                              .weld = true };
    sup_character* c = small_make(&s);
    assert_int_equal(c->mesh.point_count, N / 2);
    for (uint32_t v = 0; v < N; ++v) assert_int_equal(c->mesh.vertex_points[v], v / 2);
    sup_character_destroy(c);
    free(positions), free(joints), free(weights);
}

static void a_soup_of_triangles_welds_back_to_its_grid(void** state)
{
    (void)state;
    enum { SIDE = 100, FACES = SIDE * SIDE * 2 };
    static const int corner[6][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 0 }, { 1, 1 }, { 0, 1 } };
    sup_vec3*        positions = calloc(FACES * 3, sizeof *positions);
    uint32_t*        corners = calloc(FACES * 3, sizeof *corners);
    for (uint32_t i = 0; i < FACES * 3; ++i) {
        uint32_t cell = i / 6;
        positions[i] =
            v3((float)(cell % SIDE + (uint32_t)corner[i % 6][0]), (float)(cell / SIDE + (uint32_t)corner[i % 6][1]), 0);
        corners[i] = i;
    }
    small s;
    small_init(&s);
    s.part = (sup_part_desc){ .vertex_count = FACES * 3,
                              .positions = positions,
                              .face_count = FACES,
                              .corners = corners,
                              .joint = SUP_NONE,
                              .weld = true };
    sup_character* c = small_make(&s);
    assert_int_equal(c->mesh.point_count, (SIDE + 1) * (SIDE + 1));
    for (uint32_t v = 0; v < FACES * 3; ++v)
        assert_memory_equal(&c->mesh.points[c->mesh.vertex_points[v]], &positions[v], sizeof *positions);
    sup_character_destroy(c);
    free(positions), free(corners);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_triangles_sharing_an_edge_weld_into_four_points),
        cmocka_unit_test(without_welding_every_vertex_is_a_point_in_order),
        cmocka_unit_test(lasting_positions_are_the_points_themselves),
        cmocka_unit_test(points_are_numbered_by_the_first_corner_that_uses_them),
        cmocka_unit_test(unused_vertices_come_last_as_stored_and_weld_too),
        cmocka_unit_test(minus_zero_is_zero),
        cmocka_unit_test(vertices_of_different_weights_stay_apart),
        cmocka_unit_test(weights_are_compared_cleaned),
        cmocka_unit_test(vertices_of_different_morph_deltas_stay_apart),
        cmocka_unit_test(parts_never_weld_with_each_other),
        cmocka_unit_test(stored_point_numbers_are_obeyed),
        cmocka_unit_test(impossible_point_numbers_are_mended_by_welding),
        cmocka_unit_test(authored_normals_survive_welding_per_vertex),
        cmocka_unit_test(many_vertices_at_one_place_weld_in_reasonable_time),
        cmocka_unit_test(a_soup_of_triangles_welds_back_to_its_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

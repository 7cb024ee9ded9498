#include "scene/small.h"

#include <stdio.h>
#include <stdlib.h>

static void polygons_stay_and_triangles_are_fans(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    static const sup_vec3 positions[5] = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 1, 0 }, { 1, 2, 0 }, { 0, 1, 0 } };
    static const uint32_t sizes[3] = { 5, 3, 4 }, corners[12] = { 0, 1, 2, 3, 4, 2, 1, 0, 0, 4, 3, 2 };
    s.part = (sup_part_desc){
        .vertex_count = 5, .positions = positions, .face_count = 3, .face_sizes = sizes, .corners = corners, .joint = SUP_NONE
    };
    sup_character*        c = small_make(&s);
    static const uint32_t begin[4] = { 0, 5, 8, 12 };
    static const uint32_t triangles[18] = { 0, 1, 2, 0, 2, 3, 0, 3, 4, 2, 1, 0, 0, 4, 3, 0, 3, 2 };
    assert_memory_equal(c->mesh.face_begin, begin, sizeof begin);
    assert_int_equal(c->mesh.triangle_count, 6);
    assert_memory_equal(c->mesh.triangles, triangles, sizeof triangles);
    assert_float_equal(c->mesh.diagonal, sqrt(8), 1e-6);
    assert_string_equal(c->mesh.parts[0].name, "part 0");
    sup_character_destroy(c);
}

static void faces_that_repeat_a_point_are_kept_and_counted(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    static const uint32_t corners[6] = { 0, 1, 1, 0, 1, 2 };
    s.part.corners = corners;
    sup_character* c = small_make(&s);
    assert_int_equal(c->mesh.face_count, 2);
    assert_true(test_warned(c, "1 faces use a point more than once"));
    sup_character_destroy(c);
}

static void identity_keeps_the_bits_of_positions(void** state)
{
    (void)state;
    small    s;
    sup_vec3 odd[6] = { { -0.0f, 1e-40f, 0.1f }, { 1, 1e9f, 0 }, { 7, 0, 0.3f } };
    small_init(&s);
    s.part.positions = odd;
    s.part.place = affine_identity();
    sup_character* c = small_make(&s);
    assert_memory_equal(c->mesh.points, odd, sizeof odd);
    sup_character_destroy(c);
}

static void normals_turn_by_the_inverse_transpose(void** state)
{
    (void)state;
    small    s;
    sup_vec3 normals[6] = { { 0.70710678f, 0.70710678f, 0 }, { 1, 0, 0 } };
    sup_vec4 tangents[6] = { { 1, 0, 0, 1 }, { 0, 1, 0, -1 } };
    small_init(&s);
    s.part.normals = normals;
    s.part.tangents = tangents;
    s.part.place = (sup_affine){ { { -2, 0, 0, 5 }, { 0, 1, 0, 5 }, { 0, 0, 1, 5 } } }; // mirrored and stretched along x
    sup_character* c = small_make(&s);
    // (1,1) by diag(-1/2, 1) is (-1/2, 1), of length sqrt(5)/2
    assert_float_equal(c->mesh.vertex_normals[0].x, -1 / sqrt(5), 1e-6);
    assert_float_equal(c->mesh.vertex_normals[0].y, 2 / sqrt(5), 1e-6);
    assert_float_equal(c->mesh.vertex_normals[1].x, -1, 0);
    assert_float_equal(c->mesh.vertex_tangents[0].x, -1, 0);
    assert_float_equal(c->mesh.vertex_tangents[0].w, -1, 0); // a mirror changes the hand
    assert_float_equal(c->mesh.vertex_tangents[1].w, 1, 0);
    assert_int_equal(c->mesh.corner_vertices[1], 1); // faces keep their direction
    sup_character_destroy(c);
}

static void a_flattening_place_is_reported(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    s.part.place = (sup_affine){ { { 1, 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 0, 1, 0 } } };
    sup_character* c = small_make(&s);
    assert_true(test_warned(c, "the transform of 'square' flattens it"));
    assert_float_equal(c->mesh.points[2].y, 0, 0);
    sup_character_destroy(c);
    s.part.place.m[1][1] = NAN;
    small_refused(&s, "the transform of 'square' holds a value that is not a number");
    s.part.place = (sup_affine){ { { 3e38f, 3e38f, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
    small_refused(&s, "the transform of 'square' makes vertex 2 too large for a float");
}

static void what_cannot_be_a_mesh_is_refused_by_name(void** state)
{
    (void)state;
    small    s;
    sup_vec3 positions[6];
    small_init(&s);
    memcpy(positions, square_soup, sizeof positions);
    positions[4].y = NAN;
    s.part.positions = positions;
    small_refused(&s, "vertex 4 of 'square' has a position that is not a number");
    small_init(&s);
    s.part.vertex_count = 5;
    small_refused(&s, "face 1 of 'square' uses vertex 5 but there are only 5");
    small_init(&s);
    s.part.face_count = 0;
    small_refused(&s, "'small' has no faces");
    s.part.vertex_count = 0;
    small_refused(&s, "'small' has no points");
    s.desc.part_count = 0;
    small_refused(&s, "'small' has no points");
    small_init(&s);
    s.part.positions = NULL;
    small_refused(&s, "'square' has 6 vertices but no positions");
    small_init(&s);
    s.part.corners = NULL;
    small_refused(&s, "'square' has 2 faces but no corners");
    small_init(&s);
    s.part.joint = 0;
    small_refused(&s, "'square' follows joint 0 but there are only 0 joints");
    small_init(&s);
    static const uint32_t huge[2] = { 3, UINT32_MAX };
    s.part.face_sizes = huge;
    small_refused(&s, "'square' has more than 2147483647 face corners");
    small_init(&s);
    s.desc.joint_count = 1;
    small_refused(&s, "'small' counts 1 joints but gives none");
    small_init(&s);
    s.desc.metres_per_unit = -1;
    small_refused(&s, "'small' has -1 meters per unit");
}

static void a_mesh_too_large_for_its_box_is_refused(void** state)
{
    (void)state;
    small    s;
    sup_vec3 positions[6];
    small_init(&s);
    memcpy(positions, square_soup, sizeof positions);
    positions[1].x = 3e38f;
    positions[2].x = -3e38f;
    s.part.positions = positions;
    small_refused(&s, "'small' is too large");
    // The limit is of coordinates: geometry multiplies four of them.
    positions[1].x = 1.1e9f, positions[2].x = 1.05e9f;
    small_refused(&s, "'small' is too large");
}

static void an_unknown_unit_is_one_meter_with_a_note(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    s.desc.metres_per_unit = 0;
    sup_character* c = small_make(&s);
    assert_float_equal(c->metres_per_unit, 1, 0);
    assert_true(c->unit_assumed);
    sup_character_destroy(c);
    s.desc.metres_per_unit = 0.01;
    c = small_make(&s);
    assert_float_equal(c->metres_per_unit, 0.01, 0);
    assert_false(c->unit_assumed);
    sup_character_destroy(c);
}

static void warnings_begin_with_the_readers_and_end_at_sixty_four(void** state)
{
    (void)state;
    enum { PARTS = 70 };
    small                 s;
    sup_part_desc         parts[PARTS];
    static const uint32_t corners[6] = { 0, 1, 1, 0, 1, 2 }, sizes[2] = { 3, 2 };
    const char*           told[1] = { "the file has no end" };
    char                  names[PARTS][16]; // a sentence that was said before is not kept again
    small_init(&s);
    for (int i = 0; i < PARTS; ++i) {
        snprintf(names[i], sizeof names[i], "part%d", i);
        parts[i] = s.part;
        parts[i].name = names[i];
        parts[i].corners = corners;
        parts[i].face_sizes = sizes;
    }
    s.desc.parts = parts;
    s.desc.part_count = PARTS;
    s.desc.warnings = told;
    s.desc.warning_count = 1;
    sup_character* c = small_make(&s);
    assert_int_equal(c->warning_count, 65);
    assert_string_equal(c->warnings[0], told[0]);
    assert_ptr_not_equal(c->warnings[0], told[0]);
    assert_string_equal(c->warnings[64], "and 8 more"); // 1 + 70 + 1 about repeated points, less 64
    sup_character_destroy(c);
}

// Everything a description can hold, small.
static void fill_everything(small* s, sup_part_desc parts[2])
{
    static const float            times[2] = { 0, 1 }, turns[8] = { 0, 0, 0, 1, 0, 0, 1, 1 }, map[6] = { 0, 2, 0, 0, 0, 0 };
    static const uint32_t         joints[6] = { 0, 1, 2, 0, 2, 1 }, sizes[2] = { 3, 2 };
    static const float            weights[6] = { 1, 0.5f, 0, 1, 0, 2 };
    static const sup_vec3         deltas[6] = { [0] = { 0, 1, 0 }, [3] = { 0, 1, 0 } }, normals[6] = { { 0, 0, 1 } };
    static const sup_vec4         tangents[6] = { { 1, 0, 0, 1 } };
    static const sup_channel      channel = { 1, SUP_PATH_ROTATION, SUP_INTERPOLATE_LINEAR, 2, 4, times, turns };
    static const sup_clip         clip = { .name = "turn", .channel_count = 1, .channels = &channel };
    static const sup_morph_desc   morph = { "puff", 0, deltas };
    static const sup_map_desc     maps = { "_FAT", map };
    static const sup_example_desc example = { .name = "sculpt", .clip = "turn", .positions = square_soup };
    static const uint32_t         ids[6] = { 0, 1, 2, 1, 2, 3 };
    small_init(s);
    s->part.weld = true;
    s->part.width = 1;
    s->part.joints = joints;
    s->part.weights = weights;
    s->part.normals = normals;
    s->part.tangents = tangents;
    s->part.morphs = &morph;
    s->part.morph_count = 1;
    s->part.maps = &maps;
    s->part.map_count = 1;
    parts[0] = s->part;
    small_init(s);
    parts[1] = s->part;
    parts[1].face_sizes = sizes;
    parts[1].point_ids = ids;
    parts[1].vertex_count = 6;
    s->desc.parts = parts;
    s->desc.part_count = 2;
    s->desc.joints = s->joints;
    s->desc.joint_count = 3;
    s->desc.clips = &clip;
    s->desc.clip_count = 1;
    s->desc.examples = &example;
    s->desc.example_count = 1;
}

// The example covers two parts of six vertices, so it needs twelve positions.
static void give_example(small* s, sup_vec3 positions[12], sup_example_desc* example)
{
    memcpy(positions, square_soup, sizeof square_soup);
    memcpy(positions + 6, square_soup, sizeof square_soup);
    *example = s->desc.examples[0];
    example->positions = positions;
    s->desc.examples = example;
}

static void memory_may_run_out_anywhere(void** state)
{
    (void)state;
    small            s;
    sup_part_desc    parts[2];
    sup_vec3         positions[12];
    sup_example_desc example;
    fill_everything(&s, parts);
    give_example(&s, positions, &example);
    test_starved starved = { 0 };
    while (test_starve(&starved)) {
        sup_character* c = NULL;
        starved.result = sup_character_create(&s.desc, &starved.memory.allocator, &c, &s.error);
        assert_int_equal(starved.result == SUP_OK, c != NULL);
        if (!c) assert_int_equal(s.error.code, SUP_ERROR_MEMORY);
        sup_character_destroy(c);
    }
    assert_true(starved.rounds > 4); // two arenas and a block in each at least
}

// Small arrays share the blocks of an arena; these are large enough to need many blocks.
static void memory_may_run_out_among_large_arrays(void** state)
{
    (void)state;
    enum { N = 30000 };
    small         s;
    sup_part_desc parts[2];
    fill_everything(&s, parts);
    sup_vec3*    positions = calloc(2 * N, sizeof *positions);
    sup_vec4*    tangents = calloc(N, sizeof *tangents);
    uint32_t*    indices = calloc(N, sizeof *indices);
    uint32_t*    zeros = calloc(N, sizeof *zeros);
    float*       values = calloc(N, sizeof *values);
    sup_map_desc map = { "_FAT", values };
    for (uint32_t v = 0; v < 2 * N; ++v) positions[v] = v3((float)(v % N / 2), (float)(v % 2), 0);
    for (uint32_t v = 0; v < N; ++v) indices[v] = v;
    for (uint32_t v = 0; v < N; v += 2) values[v] = 1; // every other point has no weight
    for (int i = 0; i < 2; ++i) {
        parts[i].vertex_count = N;
        parts[i].positions = parts[i].normals = positions;
        parts[i].tangents = tangents;
        parts[i].corners = indices;
        parts[i].face_count = N / 3;
        parts[i].face_sizes = NULL;
        parts[i].point_ids = i ? indices : NULL;
        parts[i].joints = zeros;
        parts[i].weights = values;
        parts[i].width = 1;
        parts[i].maps = &map;
        parts[i].map_count = 1;
    }
    sup_morph_desc   morph = { "puff", 0, positions };
    sup_example_desc example = { .positions = positions };
    parts[0].morphs = &morph;
    s.desc.examples = &example;
    test_starved starved = { 0 };
    while (test_starve(&starved)) {
        sup_character* c = NULL;
        starved.result = sup_character_create(&s.desc, &starved.memory.allocator, &c, &s.error);
        assert_int_equal(starved.result == SUP_OK, c != NULL);
        if (c) assert_int_equal(c->mesh.point_count, 2 * N);
        sup_character_destroy(c);
    }
    assert_true(starved.rounds > 16);
    free(positions), free(tangents), free(indices), free(zeros), free(values);
}

static void the_same_description_gives_the_same_character(void** state)
{
    (void)state;
    small            s;
    sup_part_desc    parts[2];
    sup_vec3         positions[12];
    sup_example_desc example;
    fill_everything(&s, parts);
    give_example(&s, positions, &example);
    sup_character *a = small_make(&s), *b = small_make(&s);
    assert_int_equal(a->mesh.point_count, 8);
    assert_int_equal(a->skeleton.joint_count, 4); // the second part brings its own
    assert_true(test_warned(a, "the point numbers stored with 'square'"));
    assert_memory_equal(a->weights.begin, b->weights.begin, 9 * sizeof(uint32_t));
    assert_memory_equal(a->weights.values, b->weights.values, a->weights.begin[8] * sizeof(float));
    assert_memory_equal(a->mesh.points, b->mesh.points, 8 * sizeof(sup_vec3));
    assert_int_equal(sup_arena_bytes(a->arena), sup_arena_bytes(b->arena));
    sup_character_destroy(a);
    sup_character_destroy(b);
}

static void a_character_may_be_made_without_an_error_to_fill(void** state)
{
    (void)state;
    small          s;
    sup_character* c = NULL;
    small_init(&s);
    s.part.face_count = 0;
    assert_int_equal(sup_character_create(&s.desc, NULL, &c, NULL), SUP_ERROR_INPUT);
    assert_null(c);
    sup_character_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polygons_stay_and_triangles_are_fans),
        cmocka_unit_test(faces_that_repeat_a_point_are_kept_and_counted),
        cmocka_unit_test(identity_keeps_the_bits_of_positions),
        cmocka_unit_test(normals_turn_by_the_inverse_transpose),
        cmocka_unit_test(a_flattening_place_is_reported),
        cmocka_unit_test(what_cannot_be_a_mesh_is_refused_by_name),
        cmocka_unit_test(a_mesh_too_large_for_its_box_is_refused),
        cmocka_unit_test(an_unknown_unit_is_one_meter_with_a_note),
        cmocka_unit_test(warnings_begin_with_the_readers_and_end_at_sixty_four),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(memory_may_run_out_among_large_arrays),
        cmocka_unit_test(the_same_description_gives_the_same_character),
        cmocka_unit_test(a_character_may_be_made_without_an_error_to_fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

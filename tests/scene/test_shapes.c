#include "scene/small.h"

static void maps_are_averaged_over_the_copies_of_a_point(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    s.part.weld = true;
    float values[6] = { 0.25f, 0.1f, 0, 0.75f, 1, 1 };
    s.part.maps = &(sup_map_desc){ "_STIFFNESS", values };
    s.part.map_count = 1;
    sup_character* c = small_make(&s);
    assert_int_equal(c->map_count, 1);
    assert_float_equal(c->maps[0].values[0], 0.5f, 0);
    assert_float_equal(c->maps[0].values[1], 0.1f, 0); // one copy: the same bits
    assert_float_equal(c->maps[0].values[2], 0.5f, 0);
    assert_float_equal(c->maps[0].values[3], 1, 0);
    sup_character_destroy(c);
}

static void maps_of_one_name_join_and_are_one_elsewhere(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    float         low[6] = { 0 }, high[6] = { 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f };
    sup_map_desc  first[2] = { { "_A", low }, { "_A", high } }, third[2] = { { "_B", low }, { "_A", high } };
    sup_part_desc parts[3] = { s.part, s.part, s.part };
    parts[0].maps = first;
    parts[2].maps = third;
    parts[0].map_count = parts[2].map_count = 2;
    s.desc.parts = parts;
    s.desc.part_count = 3;
    sup_character* c = small_make(&s);
    assert_int_equal(c->map_count, 2);
    const sup_map *a = sup_character_map(c, "_A"), *b = sup_character_map(c, "_B");
    assert_float_equal(a->values[0], 0, 0); // the first of one name stands
    assert_float_equal(a->values[6], 1, 0);
    assert_float_equal(a->values[12], 0.5f, 0);
    assert_float_equal(b->values[0], 1, 0);
    assert_float_equal(b->values[12], 0, 0);
    sup_character_destroy(c);
}

static void maps_are_clamped_with_a_note_and_must_be_finite(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    float        values[6] = { -1, 2, INFINITY, 0, 1, 0.5f };
    sup_map_desc map = { "_FAT", values };
    s.part.maps = &map;
    s.part.map_count = 1;
    sup_character* c = small_make(&s);
    assert_float_equal(c->maps[0].values[0], 0, 0);
    assert_float_equal(c->maps[0].values[1], 1, 0);
    assert_float_equal(c->maps[0].values[2], 1, 0);
    assert_true(test_warned(c, "map '_FAT' of 'square' leaves the range 0 to 1 at 3 vertices"));
    sup_character_destroy(c);
    values[4] = NAN;
    small_refused(&s, "map '_FAT' of 'square' is not a number at vertex 4");
    map.values = NULL;
    small_refused(&s, "map 0 of 'square' has no values");
}

static void morphs_turn_with_the_place_of_their_mesh_but_do_not_shift(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    sup_vec3 deltas[6] = { { 1, 0, 0 } };
    s.part.morphs = &(sup_morph_desc){ NULL, 0.5f, deltas };
    s.part.morph_count = 1;
    s.part.place = (sup_affine){ { { 0, -2, 0, 10 }, { 2, 0, 0, 20 }, { 0, 0, 2, 30 } } }; // 90 degrees about z, twice the size
    sup_character* c = small_make(&s);
    assert_string_equal(c->morphs[0].name, "morph 0");
    assert_float_equal(c->morphs[0].rest_weight, 0.5f, 0);
    assert_float_equal(c->morphs[0].deltas[0].x, 0, 0);
    assert_float_equal(c->morphs[0].deltas[0].y, 2, 0);
    assert_float_equal(c->mesh.points[1].x, 10, 0); // (1,0,0)
    assert_float_equal(c->mesh.points[1].y, 22, 0);
    sup_vec3 back = affine_point(&c->mesh.parts[0].unplace, c->mesh.points[2]);
    assert_float_equal(back.x, 1, 1e-6f);
    assert_float_equal(back.y, 1, 1e-6f);
    assert_float_equal(c->mesh.diagonal, 2 * 1.41421356f, 1e-6f);
    sup_character_destroy(c);
}

static void morphs_that_are_not_finite_are_refused(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    sup_vec3       deltas[6] = { { 0, 0, 0 } };
    sup_morph_desc morph = { "smile", 0, deltas };
    s.part.morphs = &morph;
    s.part.morph_count = 1;
    deltas[3].y = NAN;
    small_refused(&s, "morph 0 of 'square' moves vertex 3 by a value that is not a number");
    deltas[3].y = 0;
    morph.rest_weight = NAN;
    small_refused(&s, "morph 0 of 'square' has a rest weight that is not a number");
    morph.deltas = NULL;
    small_refused(&s, "morph 0 of 'square' has no deltas");
    s.part.morphs = NULL;
    small_refused(&s, "'square' counts 1 morphs but gives none");
}

static void examples_are_given_per_vertex_and_kept_per_point(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    s.part.weld = true;
    sup_vec3 positions[6];
    for (int v = 0; v < 6; ++v) positions[v] = v3((float)v, 0.1f, 7);
    sup_example_desc example = { .clip = "flex", .time = 0.5, .positions = positions };
    s.desc.examples = &example;
    s.desc.example_count = 1;
    sup_character* c = small_make(&s);
    assert_string_equal(c->examples[0].name, "example 0");
    assert_string_equal(c->examples[0].clip, "flex");
    assert_float_equal(c->examples[0].points[0].x, 1.5f, 0); // copies 0 and 3
    assert_float_equal(c->examples[0].points[1].x, 1, 0);
    assert_float_equal(c->examples[0].points[2].y, 0.1f, 0);
    sup_character_destroy(c);
    example.time = (double)INFINITY;
    small_refused(&s, "the time of example 'example 0' is not a number");
    example.time = 0;
    positions[5].z = NAN;
    small_refused(&s, "vertex 5 of example 'example 0' has a position that is not a number");
    example.positions = NULL;
    small_refused(&s, "example 'example 0' has no positions");
}

static void too_many_maps_are_left_out_with_a_note(void** state)
{
    (void)state;
    enum { MAPS = 300 };
    small        s;
    char         names[MAPS][8];
    sup_map_desc maps[MAPS];
    float        values[6] = { 0 };
    small_init(&s);
    for (int i = 0; i < MAPS; ++i) {
        names[i][0] = '_';
        names[i][1] = (char)('A' + i / 26);
        names[i][2] = (char)('A' + i % 26);
        names[i][3] = 0;
        maps[i] = (sup_map_desc){ names[i], values };
    }
    s.part.maps = maps;
    s.part.map_count = MAPS;
    sup_character* c = small_make(&s);
    assert_int_equal(c->map_count, 256);
    assert_true(test_warned(c, "there are more than 256 maps; 44 left out"));
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_are_averaged_over_the_copies_of_a_point),
        cmocka_unit_test(maps_of_one_name_join_and_are_one_elsewhere),
        cmocka_unit_test(maps_are_clamped_with_a_note_and_must_be_finite),
        cmocka_unit_test(morphs_turn_with_the_place_of_their_mesh_but_do_not_shift),
        cmocka_unit_test(morphs_that_are_not_finite_are_refused),
        cmocka_unit_test(examples_are_given_per_vertex_and_kept_per_point),
        cmocka_unit_test(too_many_maps_are_left_out_with_a_note),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

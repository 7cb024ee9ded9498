// Several meshes in one file: choosing among them, and clothes that take their weights from the body.
#include "bake_support.h"
#include "gltf_builder.h"

#include "math/vec.h"
#include "supple/rig.h"

// A flat body of 11 x 2 points along x with two joints (the second stands at x = 0.5 and turns), a shirt over it without a
// skin, a sword that the second joint carries, and a stone far away.
enum { COLUMNS = 11, POINTS = 2 * COLUMNS, CORNERS = 6 * (COLUMNS - 1) };

static void add_strip(builder* b, const char* name, float height, const char* attributes)
{
    float    positions[3 * POINTS];
    uint16_t corners[CORNERS];
    for (int i = 0; i < POINTS; ++i) {
        positions[3 * i] = (float)(i / 2) / (COLUMNS - 1);
        positions[3 * i + 1] = i % 2 ? 0.2f : -0.2f;
        positions[3 * i + 2] = height;
    }
    for (int i = 0; i + 1 < COLUMNS; ++i) {
        const int quad[6] = { 0, 2, 3, 0, 3, 1 };
        for (int k = 0; k < 6; ++k) corners[6 * i + k] = (uint16_t)(2 * i + quad[k]);
    }
    char bounds[200];
    snprintf(bounds, sizeof bounds, ",\"min\":[0,%.9g,%.9g],\"max\":[1,%.9g,%.9g]", -0.2f, height, 0.2f, height);
    uint32_t p = add_accessor(b, positions, sizeof positions, POINTS, "VEC3", FLOAT, bounds);
    uint32_t c = add_array(b, corners, CORNERS, "SCALAR", USHORT);
    item(&b->meshes, "{\"name\":\"%s\",\"primitives\":[{\"attributes\":{\"POSITION\":%u%s},\"indices\":%u}]}", name, p,
         attributes, c);
}

static void make_wardrobe(builder* b)
{
    uint8_t joints[4 * POINTS] = { 0 };
    float   weights[4 * POINTS] = { 0 };
    for (int i = 0; i < POINTS; ++i) {
        joints[4 * i + 1] = 1;
        weights[4 * i + 1] = (float)(i / 2) / (COLUMNS - 1);
        weights[4 * i] = 1 - weights[4 * i + 1];
    }
    static const float binds[32] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0,     0, 0, 1,
                                     1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -0.5f, 0, 0, 1 };
    static const float times[2] = { 0, 1 }, turns[8] = { 0, 0, 0, 1, 0, 0.5f, 0, 0.8660254f };
    uint32_t           j = add_array(b, joints, POINTS, "VEC4", UBYTE), w = add_array(b, weights, POINTS, "VEC4", FLOAT);
    char               skinned[80];
    snprintf(skinned, sizeof skinned, ",\"JOINTS_0\":%u,\"WEIGHTS_0\":%u", j, w);
    add_strip(b, "body", 0, skinned);
    add_strip(b, "shirt", 0.02f, "");
    uint32_t inverse = add_array(b, binds, 2, "MAT4", FLOAT);
    uint32_t time = add_accessor(b, times, sizeof times, 2, "SCALAR", FLOAT, ",\"min\":[0],\"max\":[1]");
    uint32_t turn = add_array(b, turns, 2, "VEC4", FLOAT);
    add_node(b, "{\"name\":\"hip\",\"children\":[1]}");
    add_node(b, "{\"name\":\"knee\",\"translation\":[0.5,0,0],\"children\":[4]}");
    add_node(b, "{\"name\":\"Body\",\"mesh\":0,\"skin\":0}");
    add_node(b, "{\"name\":\"Shirt\",\"mesh\":1}");
    add_node(b, "{\"name\":\"Sword\",\"mesh\":1,\"translation\":[-0.5,0,0]}");
    add_node(b, "{\"name\":\"Stone\",\"mesh\":1,\"translation\":[0,0,3]}");
    item(&b->scenes, "{\"nodes\":[0,2,3,5]}");
    item(&b->skins, "{\"joints\":[0,1],\"inverseBindMatrices\":%u}", inverse);
    item(&b->animations,
         "{\"name\":\"turn\",\"samplers\":[{\"input\":%u,\"output\":%u}],"
         "\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"rotation\"}}]}",
         time, turn);
}

static sup_result read_choice(builder* b, const char* const* meshes, uint32_t mesh_count, const char* const* dress,
                              uint32_t dress_count, const sup_allocator* memory, sup_character** out, sup_error* error)
{
    sup_read_input in = { .path = "wardrobe.glb",
                          .bytes = builder_glb(b),
                          .meshes = meshes,
                          .mesh_count = mesh_count,
                          .dress = dress,
                          .dress_count = dress_count,
                          .allocator = memory };
    return gltf_read(&in, out, error);
}

static const sup_part* part_named(const sup_character* c, const char* name)
{
    for (uint32_t i = 0; i < c->mesh.part_count; ++i)
        if (strcmp(c->mesh.parts[i].name, name) == 0) return &c->mesh.parts[i];
    fail_msg("there is no part '%s'", name);
    return NULL;
}

static void meshes_are_chosen_by_name_and_glob(void** state)
{
    (void)state;
    static const struct {
        const char* names[2];
        uint32_t    count, parts;
    } cases[] = {
        { { "Shirt" }, 1, 1 }, { { "S*" }, 1, 3 }, { { "Body", "Stone" }, 2, 2 }, { { "shirt" }, 1, 3 }, { { "*" }, 1, 4 }
    };
    builder b = { 0 };
    make_wardrobe(&b);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sup_character* c = NULL;
        sup_error      error;
        assert_ok(read_choice(&b, cases[i].names, cases[i].count, NULL, 0, NULL, &c, &error), error);
        assert_int_equal(c->mesh.part_count, cases[i].parts);
        assert_int_equal(c->clip_count, 1);
        sup_character_destroy(c);
    }
    builder_free(&b);
}

static void an_unknown_name_lists_those_there_are(void** state)
{
    (void)state;
    static const char* const wrong[] = { "Body", "Skirt" };
    builder                  b = { 0 };
    sup_character*           c = NULL;
    sup_error                error;
    make_wardrobe(&b);
    assert_int_equal(read_choice(&b, wrong, 2, NULL, 0, NULL, &c, &error), SUP_ERROR_INPUT);
    assert_string_equal(error.text, "no mesh is named 'Skirt'; there are: 'Body', 'Shirt', 'Sword', 'Stone'");
    assert_int_equal(read_choice(&b, NULL, 0, wrong + 1, 1, NULL, &c, &error), SUP_ERROR_INPUT);
    assert_string_equal(error.text, "no mesh is named 'Skirt'; there are: 'Body', 'Shirt', 'Sword', 'Stone'");
    static const char* const stone[] = { "Stone" };
    assert_int_equal(read_choice(&b, stone, 1, stone, 1, NULL, &c, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "no mesh of the file has a skin"));
    builder_free(&b);
}

static void a_dressed_shirt_has_the_weights_of_the_body(void** state)
{
    (void)state;
    static const char* const shirt[] = { "Shirt" };
    builder                  b = { 0 };
    sup_character*           c = NULL;
    sup_error                error;
    make_wardrobe(&b);
    assert_ok(read_choice(&b, NULL, 0, shirt, 1, NULL, &c, &error), error);
    const sup_part *body = part_named(c, "Body"), *worn = part_named(c, "Shirt");
    assert_true(worn->joint == SUP_NONE && part_named(c, "Sword")->joint != SUP_NONE &&
                part_named(c, "Stone")->joint != SUP_NONE);
    assert_int_equal(c->warning_count, 0);
    for (uint32_t p = 0; p < POINTS; ++p) {
        uint32_t        of_body = body->point_begin + p, of_shirt = worn->point_begin + p;
        const uint32_t* begin = c->weights.begin;
        assert_int_equal(begin[of_body + 1] - begin[of_body], begin[of_shirt + 1] - begin[of_shirt]);
        for (uint32_t k = 0; k < begin[of_body + 1] - begin[of_body]; ++k)
            assert_true(fabsf(c->weights.values[begin[of_body] + k] - c->weights.values[begin[of_shirt] + k]) < 1e-5f);
    }
    done(c, &b);
}

static void a_dressed_shirt_is_written_as_shapes_of_its_node(void** state)
{
    (void)state;
    static const char* const shirt[] = { "Shirt" };
    test_folder              folder;
    builder                  b = { 0 };
    sup_character*           c = NULL;
    sup_error                error;
    make_wardrobe(&b);
    test_folder_make(&folder);
    assert_ok(read_choice(&b, NULL, 0, shirt, 1, NULL, &c, &error), error);
    test_bake bake = {
        .path = test_folder_file(&folder, "dressed.glb"), .character = c, .clip = &c->clips[0], .frames = 5, .fps = 4
    };
    assert_ok(test_bake_run(&bake, NULL, &error), error);
    assert_true(test_bake_error(&bake, "turn.dualquat") < 1e-5);
    test_folder_remove(&folder);
    done(c, &b);
}

static void only_unbound_clothes_on_the_skin_are_found(void** state)
{
    (void)state;
    static const char* const shirt[] = { "Shirt" };
    builder                  b = { 0 };
    make_wardrobe(&b);
    for (int dressed = 0; dressed < 2; ++dressed) {
        sup_character* c = NULL;
        sup_error      error;
        bool           clothes[4];
        assert_ok(read_choice(&b, NULL, 0, shirt, (uint32_t)dressed, NULL, &c, &error), error);
        assert_ok(sup_clothes_find(c, clothes, &error), error);
        for (uint32_t i = 0; i < 4; ++i) assert_true(clothes[i] == (!dressed && strcmp(c->mesh.parts[i].name, "Shirt") == 0));
        sup_character_destroy(c);
    }
    builder_free(&b);
}

static void a_skin_of_its_own_is_kept(void** state)
{
    (void)state;
    static const char* const all[] = { "*o*" }; // Body, Sword, Stone
    builder                  b = { 0 };
    sup_character*           c = NULL;
    sup_error                error;
    make_wardrobe(&b);
    assert_ok(read_choice(&b, NULL, 0, all, 1, NULL, &c, &error), error);
    assert_true(test_warned(c, "'Body' has a skin of its own and keeps it"));
    assert_true(test_warned(c, "'Stone' takes weights from the body, but 22 of its points are far"));
    done(c, &b);
}

static void every_refused_allocation_is_survived(void** state)
{
    (void)state;
    static const char* const shirt[] = { "Shirt" };
    builder                  b = { 0 };
    make_wardrobe(&b);
    for (test_starved s = { 0 }; test_starve(&s);) {
        sup_character* c = NULL;
        sup_error      error;
        s.result = read_choice(&b, NULL, 0, shirt, 1, &s.memory.allocator, &c, &error);
        sup_character_destroy(c);
    }
    builder_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_chosen_by_name_and_glob),
        cmocka_unit_test(an_unknown_name_lists_those_there_are),
        cmocka_unit_test(a_dressed_shirt_has_the_weights_of_the_body),
        cmocka_unit_test(a_dressed_shirt_is_written_as_shapes_of_its_node),
        cmocka_unit_test(only_unbound_clothes_on_the_skin_are_found),
        cmocka_unit_test(a_skin_of_its_own_is_kept),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

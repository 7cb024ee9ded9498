// Bakes of a glTF source with files beside it: all of it goes into the one file, and what we do not know is kept.
#include "bake_support.h"
#include "glb_file.h"

#define NEAR 1e-5

// One triangle and a line, a morph target, two nodes that share the mesh, a camera, an image in a file of its own, and three
// buffers: a file, a file and a data URI that holds the floats 0 and 1.
static const char document[] =
    "{\"asset\":{\"version\":\"2.0\",\"generator\":\"by "
    "hand\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"extras\":{\"mine\":[1,2.50,\"x\"]},"
    "\"nodes\":[{\"name\":\"root\",\"children\":[1,2,3]},{\"name\":\"left\",\"mesh\":0,\"translation\":[-1,0,0]},"
    "{\"name\":\"right\",\"mesh\":0,\"weights\":[0.5],\"scale\":[2,1,1],\"rotation\":[0,0,0.6,0.8]},{\"name\":\"eye\","
    "\"camera\":0}],"
    "\"cameras\":[{\"type\":\"perspective\",\"perspective\":{\"yfov\":0.7,\"znear\":0.1}}],"
    "\"meshes\":[{\"name\":\"pair\",\"weights\":[0.25],\"extras\":{\"targetNames\":[\"lift\"],\"note\":\"kept\"},"
    "\"primitives\":["
    "{\"attributes\":{\"POSITION\":0},\"indices\":1,\"targets\":[{\"POSITION\":2}]},"
    "{\"attributes\":{\"POSITION\":0},\"mode\":3,\"targets\":[{\"POSITION\":2}]}]}],"
    "\"extensionsUsed\":[\"KHR_texture_transform\",\"ACME_fur\"],\"extensions\":{\"ACME_fur\":{\"length\":1.50}},"
    "\"materials\":[{\"name\":\"cloth\",\"extras\":{\"price\":3},\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0,"
    "\"extensions\":{\"KHR_texture_transform\":{\"offset\":[0.5,0.250],\"scale\":[2,2]}}}},\"extensions\":{\"ACME_fur\":{"
    "\"hair\":"
    "[1e3]}}}],\"textures\":[{\"source\":0}],"
    "\"images\":[{\"uri\":\"skin.png\",\"name\":\"skin\"}],"
    "\"animations\":[{\"name\":\"lift\",\"samplers\":[{\"input\":3,\"output\":4},{\"input\":3,\"output\":5}],\"channels\":["
    "{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"weights\"}},{\"sampler\":1,\"target\":{\"node\":2,\"path\":"
    "\"translation\"}},"
    "{\"sampler\":1,\"target\":{\"node\":3,\"path\":\"translation\"}}]}],"
    "\"accessors\":["
    "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,0]},"
    "{\"bufferView\":1,\"componentType\":5123,\"count\":3,\"type\":\"SCALAR\"},"
    "{\"bufferView\":2,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0.5],\"max\":[0,0,1.5]},"
    "{\"bufferView\":3,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\",\"min\":[0],\"max\":[1]},"
    "{\"bufferView\":3,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"},"
    "{\"bufferView\":4,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":6},"
    "{\"buffer\":1,\"byteLength\":36},{\"buffer\":2,\"byteLength\":8},{\"buffer\":1,\"byteOffset\":12,\"byteLength\":24}],"
    "\"buffers\":[{\"byteLength\":42,\"uri\":\"a.bin\"},{\"byteLength\":36,\"uri\":\"b.bin\"},"
    "{\"byteLength\":8,\"uri\":\"data:application/octet-stream;base64,AAAAAAAAgD8=\"}]}";

// A picture of one pixel.
static const uint8_t png[] = { 0x89, 'P',  'N',  'G',  13,  10,  26,  10,   0,    0,    0,    13,  'I',  'H',  'D',  'R',  0,
                               0,    0,    1,    0,    0,   0,   1,   8,    0,    0,    0,    0,   0x3a, 0x7e, 0x9b, 0x55, 0,
                               0,    0,    10,   'I',  'D', 'A', 'T', 0x78, 0x9c, 0x63, 0x60, 0,   0,    0,    2,    0,    1,
                               0x48, 0xaf, 0xa4, 0x71, 0,   0,   0,   0,    'I',  'E',  'N',  'D', 0xae, 0x42, 0x60, 0x82 };

static test_folder    folder;
static sup_character* pair;

static int make(void** state)
{
    (void)state;
    static const float positions[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 }, deltas[] = { 0, 0, 0.5f, 0, 0, 1, 0, 0, 1.5f };
    uint8_t            a[42] = { [38] = 1, [40] = 2 };
    sup_error          error;
    memcpy(a, positions, sizeof positions);
    test_folder_make(&folder);
    test_write(test_folder_file(&folder, "a.bin"), a, sizeof a);
    test_write(test_folder_file(&folder, "b.bin"), deltas, sizeof deltas);
    test_write(test_folder_file(&folder, "skin.png"), png, sizeof png);
    test_write(test_folder_file(&folder, "pair.gltf"), document, sizeof document - 1);
    assert_ok(sup_load(test_folder_file(&folder, "pair.gltf"), NULL, &pair, &error), error);
    return 0;
}

static int unmake(void** state)
{
    (void)state;
    sup_character_destroy(pair);
    test_folder_remove(&folder);
    return 0;
}

static test_bake bake_pair(const char* file, bool flat)
{
    sup_error error;
    test_bake b = {
        .character = pair, .clip = pair->clips, .path = test_folder_file(&folder, file), .fps = 4, .frames = 5, .flat = flat
    };
    assert_ok(test_bake_run(&b, NULL, &error), error);
    return b;
}

static void nodes_that_share_a_mesh_show_their_own_points(void** state)
{
    (void)state;
    test_bake b = bake_pair("shared.glb", false);
    assert_string_equal(b.warnings, "");
    assert_int_equal(pair->mesh.part_count, 2);
    assert_true(test_bake_error(&b, "lift.dualquat") < NEAR);
    glb g = glb_open(b.path);
    assert_int_equal(glb_length(g.root, "meshes"), 2);
    assert_int_not_equal(glb_number(glb_item(&g, "nodes", 1), "mesh"), glb_number(glb_item(&g, "nodes", 2), "mesh"));
    sup_arena_destroy(g.arena);
}

static void everything_beside_the_file_goes_into_it(void** state)
{
    (void)state;
    test_bake b = bake_pair("inside.glb", false);
    glb       g = glb_open(b.path);
    assert_int_equal(glb_length(g.root, "buffers"), 1);
    assert_null(sup_json_get(glb_item(&g, "buffers", 0), "uri"));
    assert_int_equal(glb_number(glb_item(&g, "buffers", 0), "byteLength"), g.bin_bytes);
    const sup_json* image = glb_item(&g, "images", 0);
    assert_null(sup_json_get(image, "uri"));
    assert_string_equal(sup_json_string(sup_json_get(image, "mimeType"), ""), "image/png");
    assert_string_equal(sup_json_string(sup_json_get(image, "name"), ""), "skin");
    const sup_json* view = glb_item(&g, "bufferViews", glb_number(image, "bufferView"));
    assert_int_equal(glb_number(view, "byteLength"), sizeof png);
    assert_memory_equal(g.bin + glb_number(view, "byteOffset"), png, sizeof png);
    sup_arena_destroy(g.arena);
}

static void what_we_do_not_know_is_kept(void** state)
{
    (void)state;
    test_bake b = bake_pair("kept.glb", false);
    glb       g = glb_open(b.path);
    assert_string_equal(sup_json_string(sup_json_get(sup_json_get(g.root, "asset"), "generator"), ""), "by hand");
    const sup_json* mine = sup_json_get(sup_json_get(g.root, "extras"), "mine");
    assert_int_equal(mine->count, 3);
    assert_int_equal(sup_json_at(mine, 1)->length, 4);
    assert_memory_equal(sup_json_at(mine, 1)->text, "2.50", 4); // to the letter
    assert_int_equal(glb_number(glb_item(&g, "nodes", 3), "camera"), 0);
    assert_int_equal(glb_length(g.root, "cameras"), 1);
    assert_int_equal(glb_length(g.root, "animations"), 2);
    // The camera's channel is in the baked clip too: it moves as it did.
    const sup_json* channels = sup_json_get(glb_item(&g, "animations", 1), "channels");
    uint32_t        cameras = 0, weights = 0;
    for (const sup_json* channel = channels->first; channel; channel = channel->next) {
        const sup_json* target = sup_json_get(channel, "target");
        cameras += glb_number(target, "node") == 3;
        weights += strcmp(sup_json_string(sup_json_get(target, "path"), ""), "weights") == 0;
    }
    assert_int_equal(cameras, 1);
    assert_int_equal(weights, 2);
    sup_arena_destroy(g.arena);
}

// As JSON text: numbers keep the letters they were written with.
static void assert_same_json(const glb* g, const sup_json* was, const char* key)
{
    enum { MOST = 4096 };
    char *      a = calloc(1, MOST), *b = calloc(1, MOST);
    test_text   first = { a, 0, MOST }, second = { b, 0, MOST };
    const void* is = sup_json_get(g->root, key);
    assert_non_null(is);
    assert_true(sup_json_write(is, 0, &(sup_text_sink){ test_text_put, &first }));
    assert_true(sup_json_write(sup_json_get(was, key), 0, &(sup_text_sink){ test_text_put, &second }));
    assert_string_equal(a, b);
    free(a);
    free(b);
}

static void materials_extensions_extras_and_cameras_stay_to_the_letter(void** state)
{
    (void)state;
    test_bake                b = bake_pair("letter.glb", false);
    glb                      g = glb_open(b.path);
    sup_json*                was = test_json(document, g.arena);
    static const char* const keys[] = { "materials", "extensions", "extensionsUsed", "extras",
                                        "cameras",   "textures",   "asset",          "scenes" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) assert_same_json(&g, was, keys[i]);
    sup_arena_destroy(g.arena);
}

static void every_primitive_and_weight_has_as_many_targets(void** state)
{
    (void)state;
    test_bake b = bake_pair("targets.glb", false);
    glb       g = glb_open(b.path);
    for (uint32_t n = 1; n <= 2; ++n) {
        const sup_json* mesh = glb_item(&g, "meshes", glb_number(glb_item(&g, "nodes", n), "mesh"));
        const sup_json* extras = sup_json_get(mesh, "extras");
        for (uint32_t p = 0; p < 2; ++p)
            assert_int_equal(glb_length(sup_json_at(sup_json_get(mesh, "primitives"), p), "targets"), 6);
        assert_int_equal(glb_length(mesh, "weights"), 6);
        assert_true(sup_json_number(sup_json_at(sup_json_get(mesh, "weights"), 0), 0) == 0.25);
        assert_string_equal(sup_json_string(sup_json_get(extras, "note"), ""), "kept");
        assert_int_equal(glb_length(extras, "targetNames"), 6);
        assert_string_equal(sup_json_at(sup_json_get(extras, "targetNames"), 0)->text, "lift");
        assert_string_equal(sup_json_at(sup_json_get(extras, "targetNames"), 3)->text, "lift.dualquat 2");
        // The mesh has no normals, and viewers shade it flat: it must not get any.
        assert_null(
            sup_json_get(sup_json_at(sup_json_get(sup_json_at(sup_json_get(mesh, "primitives"), 0), "targets"), 1), "NORMAL"));
    }
    assert_int_equal(glb_length(glb_item(&g, "nodes", 2), "weights"), 6);
    sup_arena_destroy(g.arena);
}

static void the_source_clip_plays_as_before(void** state)
{
    (void)state;
    test_bake      b = bake_pair("plays.glb", false);
    sup_error      error;
    sup_arena*     arena = sup_arena_create(NULL);
    sup_pose       pose, pose_again;
    sup_character* again = test_load(b.path);
    assert_ok(sup_pose_create(pair, arena, &pose, &error), error);
    assert_ok(sup_pose_create(again, arena, &pose_again, &error), error);
    for (int i = 0; i <= 4; ++i) {
        sup_vec3 points[16], shown[16];
        sup_clip_sample(pair, pair->clips, 0.25 * i, &pose);
        sup_clip_sample(again, sup_character_clip(again, "lift"), 0.25 * i, &pose_again);
        test_viewer_points(pair, &pose, points);
        test_viewer_points(again, &pose_again, shown);
        assert_true(test_distance(pair, points, again, shown) < NEAR);
    }
    sup_arena_destroy(arena);
    sup_character_destroy(again);
}

static void flat_nodes_stand_at_the_top_and_take_their_channels_along(void** state)
{
    (void)state;
    test_bake b = bake_pair("flat.glb", true);
    glb       g = glb_open(b.path);
    assert_int_equal(glb_length(glb_item(&g, "scenes", 0), "nodes"), 3);
    assert_null(sup_json_get(glb_item(&g, "nodes", 1), "mesh"));
    assert_null(sup_json_get(glb_item(&g, "nodes", 2), "weights"));
    const sup_json* node = glb_item(&g, "nodes", 4);
    assert_string_equal(sup_json_string(sup_json_get(node, "name"), ""), "left baked");
    const sup_json* moved = sup_json_at(sup_json_get(glb_item(&g, "animations", 0), "channels"), 0);
    assert_int_equal(glb_number(sup_json_get(moved, "target"), "node"), 4);
    // At rest the first frame is shown.
    const sup_json* weights = sup_json_get(glb_item(&g, "meshes", glb_number(node, "mesh")), "weights");
    for (uint32_t i = 0; i < 6; ++i) assert_true(sup_json_number(sup_json_at(weights, i), -1) == (i == 1 ? 1 : 0));
    sup_arena_destroy(g.arena);
    sup_error      error;
    sup_character* again = test_load(b.path);
    assert_int_equal(again->mesh.part_count, 2);
    sup_arena* arena = sup_arena_create(NULL);
    sup_pose   pose, pose_again;
    assert_ok(sup_pose_create(pair, arena, &pose, &error), error);
    assert_ok(sup_pose_create(again, arena, &pose_again, &error), error);
    sup_vec3 points[16], shown[16];
    sup_clip_sample(pair, pair->clips, 0.5, &pose);
    test_living_points(pair, &pose, 0.5, points);
    sup_clip_sample(again, sup_character_clip(again, "lift.dualquat"), 0.5, &pose_again);
    test_viewer_points(again, &pose_again, shown);
    for (uint32_t p = 0; p < pair->mesh.point_count; ++p)
        assert_true(v3_distance(points[p], shown[p]) < NEAR * pair->mesh.diagonal);
    sup_arena_destroy(arena);
    sup_character_destroy(again);
}

// Reading makes a clip without channels of it; the copy keeps it, and the bake stands beside it.
static void an_invalid_animation_does_no_harm(void** state)
{
    (void)state;
    char        text[sizeof document];
    const char* clips = strstr(document, "\"animations\"");
    const char* rest = strstr(document, "\"accessors\"");
    int         bytes = snprintf(text, sizeof text, "%.*s\"animations\":[7],%s", (int)(clips - document), document, rest);
    test_write(test_folder_file(&folder, "odd.gltf"), text, (size_t)bytes);
    sup_character* odd;
    sup_error      error;
    assert_ok(sup_load(test_folder_file(&folder, "odd.gltf"), NULL, &odd, &error), error);
    test_bake b = { .character = odd,
                    .clip = odd->clip_count ? odd->clips : NULL,
                    .path = test_folder_file(&folder, "odd.glb"),
                    .fps = 4,
                    .frames = 2 };
    assert_non_null(b.clip);
    assert_ok(test_bake_run(&b, NULL, &error), error);
    glb g = glb_open(b.path);
    assert_int_equal(glb_length(g.root, "animations"), 2);
    assert_int_equal(glb_item(&g, "animations", 0)->type, SUP_JSON_NUMBER);
    sup_arena_destroy(g.arena);
    sup_character_destroy(odd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_that_share_a_mesh_show_their_own_points),
        cmocka_unit_test(everything_beside_the_file_goes_into_it),
        cmocka_unit_test(what_we_do_not_know_is_kept),
        cmocka_unit_test(materials_extensions_extras_and_cameras_stay_to_the_letter),
        cmocka_unit_test(every_primitive_and_weight_has_as_many_targets),
        cmocka_unit_test(the_source_clip_plays_as_before),
        cmocka_unit_test(flat_nodes_stand_at_the_top_and_take_their_channels_along),
        cmocka_unit_test(an_invalid_animation_does_no_harm),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}

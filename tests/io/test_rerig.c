// A glTF whose meshes get other joints or other weights: what they wear stays, and so does all that stands beside them.
#include "bake_support.h"
#include "folder.h"
#include "glb_file.h"
#include "gltf_builder.h"

// A quad with texture coordinates, colors and a material that is shown twice, once away from the origin, and a camera that a
// clip moves.
static void build_quads(builder* b)
{
    static const float    positions[] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 };
    static const float    normals[] = { 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1 };
    static const float    uvs[] = { 0, 0, 1, 0, 1, 1, 0, 1 }, times[] = { 0, 1 }, moves[] = { 0, 0, 5, 0, 0, 6 };
    static const uint8_t  colors[] = { 255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 9, 9, 9, 255 };
    static const uint16_t corners[] = { 0, 1, 2, 0, 2, 3 };
    uint32_t              p = add_array(b, positions, 4, "VEC3", FLOAT), n = add_array(b, normals, 4, "VEC3", FLOAT);
    uint32_t              t = add_array(b, uvs, 4, "VEC2", FLOAT);
    uint32_t              c = add_accessor(b, colors, sizeof colors, 4, "VEC4", UBYTE, ",\"normalized\":true");
    uint32_t              i = add_array(b, corners, 6, "SCALAR", USHORT);
    uint32_t              at = add_array(b, times, 2, "SCALAR", FLOAT), to = add_array(b, moves, 2, "VEC3", FLOAT);
    item(&b->meshes,
         "{\"name\":\"quad\",\"primitives\":[{\"attributes\":{\"POSITION\":%u,\"NORMAL\":%u,\"TEXCOORD_0\":%u,\"COLOR_0\":%u},"
         "\"indices\":%u,\"material\":1}]}",
         p, n, t, c, i);
    add_node(b, "{\"name\":\"here\",\"mesh\":0,\"extras\":{\"keep\":1}}");
    add_node(b, "{\"name\":\"there\",\"mesh\":0,\"translation\":[0,2,0],\"rotation\":[0,0,0.6,0.8]}");
    add_node(b, "{\"name\":\"eye\",\"camera\":0,\"translation\":[0,0,5]}");
    item(&b->animations,
         "{\"name\":\"dolly\",\"samplers\":[{\"input\":%u,\"output\":%u}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,"
         "\"path\":\"translation\"}}]}",
         at, to);
    item(&b->more, "\"materials\":[{\"name\":\"other\"},{\"name\":\"cloth\",\"extras\":{\"mine\":2.50},"
                   "\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.5,0.25,0,1]}}],\"cameras\":[{\"type\":\"perspective\","
                   "\"perspective\":{\"yfov\":0.7,\"znear\":0.1}}]");
}

// Two joints of a figure from elsewhere, the second one unit above the first.
static void build_joints(sup_joint joints[2])
{
    for (uint32_t j = 0; j < 2; ++j) {
        joints[j] =
            (sup_joint){ .name = j ? "upper" : "lower", .parent = j ? 0 : SUP_NONE, .skin_joint = true, .source_id = j };
        joints[j].rest = (sup_transform){ { 0, j ? 1.0f : 0.0f, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 } };
        joints[j].inverse_bind = (sup_affine){ { { 1, 0, 0, 0 }, { 0, 1, 0, j ? -1.0f : 0 }, { 0, 0, 1, 0 } } };
    }
}

// The quads under those joints, each point on one of them, with a clip that turns the upper one.
static sup_character* rerig(builder* b)
{
    static const float times[] = { 0, 1 }, turns[] = { 0, 0, 0, 1, 0, 0, 0.6f, 0.8f };
    sup_joint          joints[2];
    sup_character *    quads = read_glb(b), *made = NULL;
    sup_error          error;
    build_joints(joints);
    assert_ok(sup_skeleton_attach(quads, 2, joints, NULL, &made, &error), error);
    assert_int_equal(made->mesh.point_count, quads->mesh.point_count);
    sup_character_inherit(made, quads);
    assert_string_equal(made->source_format, "gltf surface");
    const sup_channel turn = {
        .target = 1, .path = SUP_PATH_ROTATION, .key_count = 2, .width = 4, .times = times, .values = turns
    };
    const sup_clip clip = { .name = "nod", .seconds = 1, .channel_count = 1, .channels = &turn, .source_id = SUP_NONE };
    assert_ok(sup_character_add_clip(made, &clip, &error), error);
    return made;
}

static const sup_json* first_primitive(const glb* g, uint32_t node)
{
    const sup_json* mesh = glb_item(g, "meshes", glb_number(glb_item(g, "nodes", node), "mesh"));
    return sup_json_at(sup_json_get(mesh, "primitives"), 0);
}

// The node of that name that shows a mesh.
static uint32_t showing(const glb* g, const char* name)
{
    for (uint32_t n = 0; n < glb_length(g->root, "nodes"); ++n)
        if (sup_json_get(glb_item(g, "nodes", n), "mesh") &&
            strcmp(sup_json_string(sup_json_get(glb_item(g, "nodes", n), "name"), ""), name) == 0)
            return n;
    fail_msg("no node '%s' shows a mesh", name);
    return 0;
}

static void assert_wears_all(const glb* g)
{
    // A skin obeys no node: the mesh that one moved has left it for a node of its own at the top.
    const uint32_t  nodes[2] = { showing(g, "here"), showing(g, "there") };
    const sup_json* left = glb_item(g, "nodes", 1);
    assert_int_equal(nodes[0], 0);
    assert_true(nodes[1] > 2);
    assert_null(sup_json_get(glb_item(g, "nodes", nodes[1]), "translation"));
    assert_non_null(sup_json_get(left, "translation"));
    assert_null(sup_json_get(left, "mesh"));
    const sup_json* shown = sup_json_get(glb_item(g, "scenes", 0), "nodes");
    bool            top = false;
    for (const sup_json* n = shown->first; n; n = n->next) top |= sup_json_index(n, SUP_NONE) == nodes[1];
    assert_true(top);
    assert_int_equal(glb_length(g->root, "materials"), 2);
    assert_string_equal(sup_json_string(sup_json_get(glb_item(g, "materials", 1), "name"), ""), "cloth");
    const sup_json* mine = sup_json_get(sup_json_get(glb_item(g, "materials", 1), "extras"), "mine");
    assert_int_equal(mine->length, 4); // "2.50", to the letter
    assert_int_equal(glb_length(g->root, "cameras"), 1);
    assert_int_equal(glb_number(glb_item(g, "nodes", 2), "camera"), 0);
    assert_non_null(sup_json_get(sup_json_get(glb_item(g, "nodes", 0), "extras"), "keep"));
    assert_string_equal(sup_json_string(sup_json_get(glb_item(g, "animations", 0), "name"), ""), "dolly");
    assert_int_equal(glb_length(g->root, "skins"), 1);
    for (uint32_t n = 0; n < 2; ++n) {
        const sup_json* primitive = first_primitive(g, nodes[n]);
        const sup_json* attributes = sup_json_get(primitive, "attributes");
        assert_int_equal(glb_number(primitive, "material"), 1);
        assert_int_equal(glb_number(primitive, "indices"), 4);
        assert_int_equal(glb_number(attributes, "TEXCOORD_0"), 2); // the file's own numbers
        assert_int_equal(glb_number(attributes, "COLOR_0"), 3);
        assert_non_null(sup_json_get(attributes, "JOINTS_0"));
        assert_int_equal(glb_number(glb_item(g, "nodes", nodes[n]), "skin"), 0);
    }
    // The one that stood in place keeps its numbers, the other one has those of the rest pose.
    assert_int_equal(glb_number(sup_json_get(first_primitive(g, nodes[0]), "attributes"), "POSITION"), 0);
    assert_int_not_equal(glb_number(sup_json_get(first_primitive(g, nodes[1]), "attributes"), "POSITION"), 0);
}

static void a_mesh_under_other_joints_keeps_what_it_wears(void** state)
{
    (void)state;
    builder   b = { 0 };
    sup_error error;
    build_quads(&b);
    sup_character* made = rerig(&b);
    test_bake      bake = {
             .character = made, .clip = made->clips, .path = test_folder_file(&folder, "rerig.glb"), .fps = 4, .frames = 5
    };
    assert_ok(test_bake_run(&bake, NULL, &error), error);
    assert_string_equal(bake.warnings, "");
    assert_true(test_bake_error(&bake, "nod.dualquat") < 1e-6);
    glb g = glb_open(bake.path);
    assert_wears_all(&g);
    sup_arena_destroy(g.arena);
    done(made, &b);
}

static void a_file_written_without_a_bake_keeps_the_surface_too(void** state)
{
    (void)state;
    builder   b = { 0 };
    sup_error error;
    build_quads(&b);
    sup_character *made = rerig(&b), *again;
    const char*    path = test_folder_file(&folder, "written.glb");
    assert_ok(sup_character_write(made, path, NULL, NULL, &error), error);
    glb g = glb_open(path);
    assert_wears_all(&g);
    sup_arena_destroy(g.arena);
    assert_ok(sup_load(path, NULL, &again, &error), error);
    assert_int_equal(again->skeleton.skin_joint_count, 2);
    assert_int_equal(again->mesh.point_count, 8);
    for (uint32_t p = 0; p < 8; ++p) assert_memory_equal(&again->mesh.points[p], &made->mesh.points[p], sizeof(sup_vec3));
    assert_non_null(sup_character_clip(again, "nod"));
    sup_character_destroy(again);
    done(made, &b);
}

// Two more clips: one moves only the node that a mesh leaves, the other one the camera as well.
static void add_old_clips(builder* b)
{
    static const float times[] = { 0, 2 }, moves[] = { 0, 0, 0, 0, 7, 0 }, others[] = { 0, 0, 8, 0, 0, 9 };
    uint32_t           at = add_array(b, times, 2, "SCALAR", FLOAT), gone = add_array(b, moves, 2, "VEC3", FLOAT);
    uint32_t           kept = add_array(b, others, 2, "VEC3", FLOAT);
    item(&b->animations,
         "{\"name\":\"dead\",\"samplers\":[{\"input\":%u,\"output\":%u}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,"
         "\"path\":\"translation\"}}]}",
         at, gone);
    item(&b->animations,
         "{\"name\":\"both\",\"samplers\":[{\"input\":%u,\"output\":%u},{\"input\":%u,\"output\":%u}],\"channels\":["
         "{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"translation\"}},"
         "{\"sampler\":1,\"target\":{\"node\":2,\"path\":\"translation\"}}]}",
         at, gone, at, kept);
}

static void what_no_longer_plays_goes_with_its_bytes(void** state)
{
    (void)state;
    builder     b = { 0 };
    sup_error   error;
    const char* path = test_folder_file(&folder, "pruned.glb");
    build_quads(&b);
    add_old_clips(&b);
    sup_character* made = rerig(&b);
    assert_ok(sup_character_write(made, path, NULL, NULL, &error), error);
    glb g = glb_open(path);
    assert_wears_all(&g);
    assert_int_equal(glb_length(g.root, "animations"), 3); // dolly, both, nod
    const sup_json* both = glb_item(&g, "animations", 1);
    assert_string_equal(sup_json_string(sup_json_get(both, "name"), ""), "both");
    assert_int_equal(glb_length(both, "channels"), 1);
    assert_int_equal(glb_length(both, "samplers"), 1);
    const sup_json* sampler = sup_json_at(sup_json_get(both, "samplers"), 0);
    const sup_json* output = glb_item(&g, "accessors", glb_number(sampler, "output"));
    const sup_json* view = glb_item(&g, "bufferViews", glb_number(output, "bufferView"));
    const float     others[] = { 0, 0, 8, 0, 0, 9 };
    assert_memory_equal(g.bin + glb_number(view, "byteOffset"), others, sizeof others);
    for (uint32_t at = 0; at + 4 <= g.bin_bytes; at += 4) { // the 7 of the dead clip
        float value;
        memcpy(&value, g.bin + at, sizeof value);
        assert_true(value != 7.0f);
    }
    sup_arena_destroy(g.arena);
    done(made, &b);
}

static void nothing_goes_where_an_extension_may_refer_to_it(void** state)
{
    (void)state;
    builder     b = { 0 };
    sup_error   error;
    const char* path = test_folder_file(&folder, "unknown.glb");
    build_quads(&b);
    add_old_clips(&b);
    item(&b.more, "\"extensionsUsed\":[\"ACME_fur\"],\"extensions\":{\"ACME_fur\":{\"accessor\":7}}");
    sup_character* made = rerig(&b);
    assert_ok(sup_character_write(made, path, NULL, NULL, &error), error);
    glb g = glb_open(path);
    assert_int_equal(glb_length(g.root, "animations"), 4);
    sup_arena_destroy(g.arena);
    done(made, &b);
}

static void colors_and_coordinates_are_found_under_the_new_joints(void** state)
{
    (void)state;
    builder b = { 0 };
    build_quads(&b);
    sup_character* made = rerig(&b);
    sup_vec3       colors[8];
    assert_true(sup_character_colors(made, colors));
    // The material's factor times the vertex's own color: red, green, blue, and 9 / 255 of white.
    static const float own[4][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 9 / 255.0f, 9 / 255.0f, 9 / 255.0f } };
    for (uint32_t p = 0; p < 8; ++p) assert_point(colors[p], 0.5f * own[p % 4][0], 0.25f * own[p % 4][1], 0);
    done(made, &b);
}

// A skinned strip and a patch beside it that nobody bound. Once both are weighed, the file's own skeleton moves both.
static void build_bound_and_unbound(builder* b)
{
    static const float    strip[] = { 0, 0, 0, 1, 0, 0, 1, 2, 0, 0, 2, 0 }, patch[] = { 0, 2, 0.1f, 1, 2, 0.1f, 0, 1, 0.1f };
    static const uint8_t  slots[] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
    static const float    weights[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 }, times[] = { 0, 1 };
    static const float    binds[] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,  0, 1,
                                      1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1 };
    static const float    lifts[] = { 0, 1, 0, 0, 3, 0 };
    static const uint16_t corners[] = { 0, 1, 2, 0, 2, 3 };
    uint32_t              p = add_array(b, strip, 4, "VEC3", FLOAT), j = add_array(b, slots, 4, "VEC4", UBYTE);
    uint32_t              w = add_array(b, weights, 4, "VEC4", FLOAT), i = add_array(b, corners, 6, "SCALAR", USHORT);
    uint32_t              q = add_array(b, patch, 3, "VEC3", FLOAT), m = add_array(b, binds, 2, "MAT4", FLOAT);
    uint32_t              at = add_array(b, times, 2, "SCALAR", FLOAT), to = add_array(b, lifts, 2, "VEC3", FLOAT);
    item(&b->meshes, "{\"primitives\":[{\"attributes\":{\"POSITION\":%u,\"JOINTS_0\":%u,\"WEIGHTS_0\":%u},\"indices\":%u}]}", p,
         j, w, i);
    item(&b->meshes, "{\"primitives\":[{\"attributes\":{\"POSITION\":%u},\"material\":0}]}", q);
    item(&b->skins, "{\"joints\":[2,3],\"inverseBindMatrices\":%u}", m);
    add_node(b, "{\"name\":\"strip\",\"mesh\":0,\"skin\":0}");
    add_node(b, "{\"name\":\"patch\",\"mesh\":1}");
    add_node(b, "{\"name\":\"lower\",\"children\":[3]}");
    add_node(b, "{\"name\":\"upper\",\"translation\":[0,1,0]}");
    item(&b->animations,
         "{\"name\":\"lift\",\"samplers\":[{\"input\":%u,\"output\":%u}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":3,"
         "\"path\":\"translation\"}}]}",
         at, to);
    item(&b->more, "\"materials\":[{\"name\":\"leather\"}]");
}

// In place of automatic ones: two parts, all of the second on the upper joint.
static void bind_patch(sup_character* c)
{
    const sup_mesh* mesh = &c->mesh;
    sup_part*       parts = sup_arena_copy(c->arena, mesh->parts, mesh->part_count, sizeof *parts);
    uint32_t*       joints = sup_arena_copy(c->arena, c->weights.joints, c->weights.begin[mesh->point_count], sizeof *joints);
    uint32_t        upper = sup_character_joint(c, "upper");
    for (uint32_t p = parts[1].point_begin; p < parts[1].point_begin + parts[1].point_count; ++p)
        joints[c->weights.begin[p]] = upper;
    parts[1].joint = SUP_NONE;
    c->mesh.parts = parts;
    c->weights.joints = joints;
    c->source_format = "gltf weights"; // as sup_character_weigh leaves it
}

static void new_weights_stay_on_the_files_own_skeleton(void** state)
{
    (void)state;
    builder   b = { 0 };
    sup_error error;
    build_bound_and_unbound(&b);
    sup_character *c = read_glb(&b), *again;
    bind_patch(c);
    const char* path = test_folder_file(&folder, "weights.glb");
    assert_ok(sup_character_write(c, path, NULL, NULL, &error), error);
    assert_ok(sup_load(path, NULL, &again, &error), error);
    assert_int_equal(again->skeleton.joint_count, c->skeleton.joint_count); // none twice
    assert_int_equal(again->skeleton.skin_joint_count, 2);
    assert_int_equal(again->clip_count, 1);
    assert_int_equal(again->mesh.parts[1].joint, SUP_NONE);
    sup_arena* arena = sup_arena_create(NULL);
    sup_pose   pose;
    sup_vec3   shown[7];
    assert_ok(sup_pose_create(again, arena, &pose, &error), error);
    sup_clip_sample(again, again->clips, 1, &pose);
    test_viewer_points(again, &pose, shown);
    for (uint32_t v = 0; v < 3; ++v) { // the patch rose by two with the upper joint
        uint32_t p = again->mesh.vertex_points[4 + v];
        assert_point(shown[p], again->mesh.points[p].x, again->mesh.points[p].y + 2, 0.1f);
    }
    sup_arena_destroy(arena);
    glb g = glb_open(path);
    assert_int_equal(glb_number(first_primitive(&g, 1), "material"), 0);
    sup_arena_destroy(g.arena);
    sup_character_destroy(again);
    done(c, &b);
}

static void running_out_of_memory_is_reported_wherever_it_happens(void** state)
{
    (void)state;
    builder b = { 0 };
    build_quads(&b);
    sup_character* made = rerig(&b);
    test_bake      bake = {
             .character = made, .clip = made->clips, .path = test_folder_file(&folder, "starved.glb"), .fps = 4, .frames = 2
    };
    test_starved s = { 0 };
    sup_error    error = { 0 };
    while (test_starve(&s)) s.result = test_bake_run(&bake, &s.memory.allocator, &error);
    assert_true(s.rounds > 2);
    done(made, &b);
}

// A sheared matrix whose parts, a turn of 45 degrees and a scale of 3.4e38, put the joint below it at 3.4e38 + sin 45 x 3.4e38,
// which no float holds. As a matrix it can be read; but a joint that a clip moves is written in parts.
static void files_that_we_could_not_read_are_not_written(void** state)
{
    (void)state;
    static const float times[] = { 0, 1 }, turns[] = { 0, 0, 0, 1, 0, 0, 0.6f, 0.8f };
    const sup_channel  turn = { .path = SUP_PATH_ROTATION, .key_count = 2, .width = 4, .times = times, .values = turns };
    const sup_clip     clip = { .name = "nod", .seconds = 1, .channel_count = 1, .channels = &turn, .source_id = SUP_NONE };
    builder            b = { 0 };
    sup_joint          joints[2];
    sup_error          error = { 0 };
    build_quads(&b);
    build_joints(joints);
    joints[0].has_matrix = true;
    joints[0].matrix = (sup_affine){ { { 1, 0, 0, 0 }, { 0, 1, 0, 3.4e38f }, { 0, 3.4e38f, 1, 0 } } };
    for (int moved = 0; moved < 2; ++moved) {
        sup_character *quads = read_glb(&b), *made = NULL, *again = NULL;
        const char*    path = test_folder_file(&folder, moved ? "moved.glb" : "still.glb");
        assert_ok(sup_skeleton_attach(quads, 2, joints, NULL, &made, &error), error);
        if (moved) assert_ok(sup_character_add_clip(made, &clip, &error), error);
        sup_result result = sup_character_write(made, path, NULL, NULL, &error);
        assert_int_equal(result, moved ? SUP_ERROR_INPUT : SUP_OK);
        if (moved) assert_non_null(strstr(error.text, "down to joint 'upper' overflow when they are written"));
        assert_int_equal(access(path, F_OK), moved ? -1 : 0);
        if (!moved) assert_ok(sup_load(path, NULL, &again, &error), error);
        sup_character_destroy(again);
        sup_character_destroy(made);
        sup_character_destroy(quads);
    }
    builder_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_under_other_joints_keeps_what_it_wears),
        cmocka_unit_test(a_file_written_without_a_bake_keeps_the_surface_too),
        cmocka_unit_test(what_no_longer_plays_goes_with_its_bytes),
        cmocka_unit_test(nothing_goes_where_an_extension_may_refer_to_it),
        cmocka_unit_test(colors_and_coordinates_are_found_under_the_new_joints),
        cmocka_unit_test(new_weights_stay_on_the_files_own_skeleton),
        cmocka_unit_test(files_that_we_could_not_read_are_not_written),
        cmocka_unit_test(running_out_of_memory_is_reported_wherever_it_happens),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}

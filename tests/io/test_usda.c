// USD as text: what may stand in the file, when it is a skeleton, and what it says about time, unit and axis. Other people's
// readers look at the numbers (tests/three).
#include "tube_support.h"

static int make(void** state)
{
    (void)state;
    return make_of(test_tube(6, 5, 3, 6, 1));
}

// Bakes with the character's own skinning and gives the text.
static char* bake(sup_arena* arena, bool linear, const char* chain, char warnings[4096])
{
    const char*        path = test_folder_file(&folder, "a.usda");
    sup_bake_desc      desc = { .path = path,
                                .character = tube,
                                .clip = &tube->clips[0],
                                .chain = chain,
                                .start = 0.5,
                                .fps = 8,
                                .frame_count = 3,
                                .linear = linear };
    sup_bake*          bake = NULL;
    sup_error          error;
    sup_pose           pose;
    sup_bytes          bytes;
    uint64_t           size;
    const char*        said = NULL;
    const sup_normals* normals;
    assert_ok(sup_pose_create(tube, arena, &pose, &error), error);
    assert_ok(sup_normals_create(tube, arena, &normals, &error), error);
    sup_vec3* points = sup_arena_alloc(arena, tube->mesh.point_count, sizeof *points);
    sup_vec3* turned = sup_arena_alloc(arena, tube->mesh.vertex_count, sizeof *turned);
    void*     scratch = sup_arena_alloc(arena, sup_normals_scratch(normals), 1);
    assert_ok(sup_bake_begin(&desc, NULL, &bake, &error), error);
    for (uint32_t f = 0; f < 3; ++f) {
        sup_clip_sample(tube, desc.clip, 0.5 + f / 8.0, &pose);
        test_viewer_points(tube, &pose, points);
        sup_normals_evaluate(normals, points, scratch, NULL, turned, NULL);
        const sup_bake_frame frame = { f, 0.5 + f / 8.0, &pose, points, turned };
        assert_ok(sup_bake_frame_write(bake, &frame, &error), error);
    }
    assert_ok(sup_bake_end(bake, &size, &said, &error), error);
    snprintf(warnings, 4096, "%s", said ? said : "");
    sup_bake_destroy(bake);
    assert_int_equal(test_folder_count(&folder), 1); // the spilled frames are gone
    assert_ok(sup_files_system()->read(NULL, path, arena, &bytes, &error), error);
    assert_int_equal(bytes.size, size);
    unlink(path);
    return sup_arena_text(arena, (const char*)bytes.data, bytes.size);
}

// Brackets open and close in order, outside of quotes.
static void assert_balanced(const char* text)
{
    char stack[64];
    int  depth = 0;
    bool quoted = false;
    for (; *text; ++text) {
        if (quoted && *text == '\\') {
            ++text;
            continue;
        }
        if (*text == '"') quoted = !quoted;
        if (quoted) continue;
        const char* open = strchr("([{", *text);
        const char* close = strchr(")]}", *text);
        if (open) stack[depth++] = ")]}"[open - "([{"];
        if (close) assert_true(depth > 0 && stack[--depth] == *close);
        assert_true(depth < 60);
    }
    assert_int_equal(depth, 0);
    assert_false(quoted);
}

static int count(const char* text, const char* words)
{
    int n = 0;
    for (const char* p = text; (p = strstr(p, words)); ++p) n++;
    return n;
}

// An OBJ of two squares, one with a picture: what it wears stands in the stage, the picture beside it.
static void an_obj_wears_its_materials(void** state)
{
    (void)state;
    static const char obj[] = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\nvt 0 0\nvt 1 1\n"
                              "usemtl red\nf 1/1 2/1 3/1 4/1\nusemtl with dot\nf 2/2 5/2 6/2 3/2\n";
    static const char mtl[] = "newmtl red\nKd 1 0.25 0\nnewmtl with dot\nmap_Kd dot.png\n";
    static const struct {
        const char *name, *data;
        size_t      size;
    } disk[] = { { "o.obj", obj, sizeof obj - 1 }, { "a.mtl", mtl, sizeof mtl - 1 }, { "dot.png", "\x89PNG\r\n\x1a\n.", 9 } };
    for (size_t i = 0; i < 3; ++i) test_write(test_folder_file(&folder, disk[i].name), disk[i].data, disk[i].size);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_character* c;
    sup_pose       pose;
    sup_bytes      bytes;
    sup_error      error;
    assert_ok(sup_load(test_folder_file(&folder, "o.obj"), NULL, &c, &error), error);
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    sup_pose_rest(c, &pose);
    test_bake b = { .character = c, .pose = &pose, .path = test_folder_file(&folder, "o.usda"), .fps = 1, .frames = 1 };
    assert_ok(test_bake_run(&b, NULL, &error), error);
    assert_string_equal(b.warnings, "");
    assert_ok(sup_files_system()->read(NULL, b.path, arena, &bytes, &error), error);
    char* text = sup_arena_text(arena, (const char*)bytes.data, bytes.size);
    assert_balanced(text);
    assert_int_equal(count(text, "def Material "), 2);
    assert_int_equal(count(text, "def GeomSubset "), 2);
    assert_non_null(strstr(text, "rel material:binding = </o/Looks/with_dot>"));
    assert_non_null(strstr(text, "inputs:diffuseColor = (1, 0.25, 0)"));
    char* named = strstr(text, "asset inputs:file = @o_texture1."); // and the hash of its bytes
    assert_non_null(named);
    named += strlen("asset inputs:file = @");
    char picture[64];
    snprintf(picture, sizeof picture, "%.*s", (int)strcspn(named, "@"), named);
    assert_int_equal(strlen(picture), strlen("o_texture1.0123456789abcdef.png"));
    assert_non_null(strstr(text, "interpolation = \"faceVarying\""));
    assert_ok(sup_files_system()->read(NULL, test_folder_file(&folder, picture), arena, &bytes, &error), error);
    assert_int_equal(bytes.size, 9);
    sup_character_destroy(c);
    sup_arena_destroy(arena);
    const char* const made[] = { "o.obj", "a.mtl", "dot.png", "o.usda", picture };
    for (size_t i = 0; i < 5; ++i) assert_int_equal(unlink(test_folder_file(&folder, made[i])), 0);
}

static void a_deformed_clip_is_points_over_time(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    char       warnings[4096];
    char*      text = bake(arena, false, "dual\"quat\\", warnings);
    assert_balanced(text);
    assert_string_equal(warnings, "");
    assert_int_equal(strncmp(text, "#usda 1.0\n(", 11), 0);
    assert_int_equal(count(text, "def Mesh "), 1);
    assert_int_equal(count(text, "def Xform "), 1);
    assert_int_equal(count(text, "Skel"), 0);
    assert_non_null(strstr(text, "startTimeCode = 0\n"));
    assert_non_null(strstr(text, "endTimeCode = 2\n"));
    assert_non_null(strstr(text, "timeCodesPerSecond = 8\n"));
    assert_non_null(strstr(text, "upAxis = \"Y\"\n"));
    assert_non_null(strstr(text, "subdivisionScheme = \"none\""));
    assert_int_equal(count(text, "            0: ["), 3); // extent, points, normals
    assert_int_equal(count(text, "            2: ["), 3);
    // 32 points and normals and two corners of a box, three times.
    assert_int_equal(count(text, "("), 3 * (32 + 32 + 2) + 2);
    sup_arena_destroy(arena);
}

static void a_clip_that_only_skins_is_a_skeleton(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    char       warnings[4096];
    char*      text = bake(arena, true, "linear", warnings);
    assert_balanced(text);
    assert_string_equal(warnings, "");
    assert_int_equal(count(text, "def SkelRoot "), 1);
    assert_int_equal(count(text, "def Skeleton "), 1);
    assert_int_equal(count(text, "def SkelAnimation "), 1);
    assert_int_equal(count(text, "points.timeSamples"), 0);
    assert_int_equal(count(text, "uniform token[] joints = ["), 2);
    assert_int_equal(count(text, "elementSize = 2"), 2);
    assert_int_equal(count(text, "rel skel:skeleton"), 2);
    sup_arena_destroy(arena);
}

static void an_even_scale_goes_into_what_hangs_below(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    char       warnings[4096];
    sup_joint* joint = (sup_joint*)&tube->skeleton.joints[1];
    sup_joint  before = *joint;
    assert_int_equal(tube->skeleton.joint_count, 3);
    joint->rest.scale = v3(0.01f, 0.01f, 0.01f);
    char* text = bake(arena, true, "linear", warnings);
    *joint = before;
    assert_string_equal(warnings, "");
    assert_int_equal(count(text, "[(1, 1, 1), (1, 1, 1), (1, 1, 1)]"), 3); // scales of three frames
    // The last joint stands 2 along x from the one above it, which is a hundredth of that now.
    assert_int_equal(count(text, ", (0.02, 0, 0)]"), 3);
    sup_arena_destroy(arena);
}

static void what_a_skeleton_cannot_say_is_points_and_a_warning(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    char       warnings[4096];
    // A scale of 0.3 needs more than the ten bits that UsdSkel has for it.
    sup_joint* joint = (sup_joint*)&tube->skeleton.joints[tube->skeleton.joint_count - 1];
    sup_joint  before = *joint;
    joint->rest.scale = v3(0.3f, 1, 1);
    char* text = bake(arena, true, "linear", warnings);
    *joint = before;
    assert_balanced(text);
    assert_non_null(strstr(warnings, "16 bits"));
    assert_int_equal(count(text, "Skel"), 0);
    assert_int_equal(count(text, "points.timeSamples"), 1);
    sup_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deformed_clip_is_points_over_time),
        cmocka_unit_test(an_obj_wears_its_materials),
        cmocka_unit_test(a_clip_that_only_skins_is_a_skeleton),
        cmocka_unit_test(an_even_scale_goes_into_what_hangs_below),
        cmocka_unit_test(what_a_skeleton_cannot_say_is_points_and_a_warning),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}

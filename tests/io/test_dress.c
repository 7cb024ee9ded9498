// What OBJ and PLY say about a surface reaches a GLB: seams, normals, colors, materials, pictures; and the points stay.
#include "bake_support.h"

#include "supple/json.h"

// The smallest PNG: one red dot.
static const uint8_t dot[] = { 0x89, 'P',  'N',  'G',  '\r', '\n', 0x1a, '\n', 0,   0,    0,    13,   'I',  'H',
                               'D',  'R',  0,    0,    0,    1,    0,    0,    0,   1,    8,    2,    0,    0,
                               0,    0x90, 0x77, 0x53, 0xde, 0,    0,    0,    12,  'I',  'D',  'A',  'T',  8,
                               0xd7, 0x63, 0xf8, 0xcf, 0xc0, 0,    0,    3,    1,   1,    0,    0x18, 0xdd, 0x8d,
                               0xb0, 0,    0,    0,    0,    'I',  'E',  'N',  'D', 0xae, 0x42, 0x60, 0x82 };

// Two squares side by side that share an edge, where their texture coordinates differ; the second is of another material, and
// its normals lean. The last vertex belongs to no face.
static const char strip[] = "mtllib none.mtl strip.mtl\n"
                            "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 1 1 0\nv 2 1 0\nv 9 9 9\n"
                            "vt 0 0\nvt 0.5 0\nvt 0.5 0.25\nvt 0 0.25\nvt 1 1\nvt 0.5 0\n"
                            "vn 0 0 1\nvn 0 3 4\n"
                            "usemtl red\nf 1/1/1 2/2/1 5/3/1 4/4/1\n"
                            "usemtl with dot\nf 2/5/2 3/5/2 6/5/2 5/6/1\n";
static const char library[] = "newmtl red\nKd 1 0.25 0\nd 0.5\nNs 6\nnewmtl unused\nmap_Kd missing.png\n"
                              "newmtl with dot\nmap_Kd -s 1 1 1 -clamp on C:\\art\\red dot.png\nKe 0 0 1\nPr 0.3\nPm 1\n";

static const struct {
    const char* path;
    const void* data;
    size_t      size;
} disk[] = { { "art/strip.obj", strip, sizeof strip - 1 },
             { "art/strip.mtl", library, sizeof library - 1 },
             { "art/textures/red dot.png", dot, sizeof dot } };

static sup_result read_disk(void* user, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    (void)user, (void)error;
    for (size_t i = 0; i < sizeof disk / sizeof *disk; ++i)
        if (strcmp(disk[i].path, path) == 0) {
            out->size = disk[i].size;
            out->data = sup_arena_copy(arena, disk[i].data, disk[i].size, 1);
            return out->data ? SUP_OK : SUP_ERROR_MEMORY;
        }
    return SUP_ERROR_FILE;
}

static const sup_files files = { .read = read_disk };

static test_folder folder;
static sup_arena*  arena;
static sup_json*   document;
static char*       glb; // the bytes
static size_t      glb_size;

static int make(void** state)
{
    (void)state;
    test_folder_make(&folder);
    arena = sup_arena_create(NULL);
    return 0;
}

static int unmake(void** state)
{
    (void)state;
    test_folder_remove(&folder);
    sup_arena_destroy(arena);
    return 0;
}

static sup_character* load(const char* path)
{
    const sup_load_options options = { .files = &files };
    sup_character*         c = NULL;
    sup_error              error;
    assert_ok(sup_load(path, &options, &c, &error), error);
    return c;
}

static void open_glb(const char* path)
{
    FILE*     f = fopen(path, "rb");
    sup_error error;
    uint32_t  length;
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    glb_size = (size_t)ftell(f);
    rewind(f);
    glb = sup_arena_alloc(arena, glb_size, 1);
    assert_int_equal(fread(glb, 1, glb_size, f), glb_size);
    fclose(f);
    memcpy(&length, glb + 12, 4);
    assert_ok(sup_json_parse(glb + 20, length, path, arena, &document, &error), error);
}

static const sup_json* item(const char* list, uint32_t index) { return sup_json_at(sup_json_get(document, list), index); }

static const void* view(uint32_t index, size_t* size)
{
    uint32_t        length;
    const sup_json* v = item("bufferViews", index);
    memcpy(&length, glb + 12, 4);
    *size = (size_t)sup_json_number(sup_json_get(v, "byteLength"), 0);
    return glb + 28 + length + (size_t)sup_json_number(sup_json_get(v, "byteOffset"), 0);
}

// Floats of an attribute of a primitive of the only mesh; NULL: it has none.
static const float* attribute(uint32_t primitive, const char* name, uint32_t* count)
{
    const sup_json* p = sup_json_at(sup_json_get(item("meshes", 0), "primitives"), primitive);
    const sup_json* a = sup_json_get(sup_json_get(p, "attributes"), name);
    if (!a) return NULL;
    const sup_json* accessor = item("accessors", sup_json_index(a, SUP_NONE));
    size_t          size;
    *count = sup_json_index(sup_json_get(accessor, "count"), 0);
    assert_int_equal(sup_json_index(sup_json_get(accessor, "componentType"), 0), 5126);
    return view(sup_json_index(sup_json_get(accessor, "bufferView"), SUP_NONE), &size);
}

// Points and polygons as they were, whatever became of the vertices.
static void check_points(const char* path, const sup_character* from)
{
    sup_character* again = test_load(path);
    assert_int_equal(sup_character_pictures(again), sup_character_pictures(from));
    assert_int_equal(again->mesh.point_count, 7);
    assert_int_equal(again->mesh.vertex_count, 9); // the shared edge twice, and the loose one
    assert_int_equal(again->mesh.face_count, 2);   // still squares
    assert_memory_equal(again->mesh.corner_points, from->mesh.corner_points, 8 * sizeof(uint32_t));
    assert_memory_equal(again->mesh.points, from->mesh.points, 7 * sizeof(sup_vec3));
    sup_character_destroy(again);
}

static void pictures_of_an_obj_lie_where_its_corners_say(void** state)
{
    (void)state;
    sup_character* c = load("art/strip.obj");
    sup_paint      paint;
    sup_error      error;
    assert_ok(sup_character_paint(c, arena, &paint, &error), error);
    assert_int_equal(paint.picture_count, 1);
    assert_int_equal(paint.pictures[0].bytes.size, sizeof dot);
    assert_non_null(paint.corner_entries);
    // The first square has no picture, the second has the dot; corner 4 is the vertex at 1 0 0 as the second square shows it.
    for (uint32_t i = 0; i < 8; ++i) assert_int_equal(paint.vertex_pictures[paint.corner_entries[i]], i < 4 ? SUP_NONE : 0);
    assert_float_equal(paint.vertex_uv[paint.corner_entries[1]][0], 0.5f, 0);
    assert_float_equal(paint.vertex_uv[paint.corner_entries[4]][0], 1, 0);
    assert_float_equal(paint.vertex_uv[paint.corner_entries[4]][1], 0, 0); // from the top
    sup_character_destroy(c);
}

static void seams_and_materials_of_an_obj_reach_a_glb(void** state)
{
    (void)state;
    const char*    path = test_folder_file(&folder, "strip.glb");
    sup_character* c = load("art/strip.obj");
    sup_error      error;
    uint32_t       count = 0;
    assert_int_equal(c->mesh.vertex_count, 7); // as ever: caches and examples count on it
    assert_int_equal(c->warning_count, 1);
    assert_int_equal(sup_character_pictures(c), 1); // the unused material's is none
    assert_non_null(strstr(c->warnings[0], "none.mtl"));
    assert_ok(sup_character_write(c, path, NULL, NULL, &error), error);
    open_glb(path);
    assert_int_equal(sup_json_get(item("meshes", 0), "primitives")->count, 2);

    // By piece, then by point: 0 1 3 4 and the loose 6, then 1 2 4 5. v counts from the top in glTF.
    static const float first[10] = { 0, 1, 0.5f, 1, 0, 0.75f, 0.5f, 0.75f, 0, 0 }, second[8] = { 1, 0, 1, 0, 0.5f, 1, 1, 0 };
    static const float points[9] = { 0, 1, 3, 4, 6, 1, 2, 4, 5 };
    const float*       uvs = attribute(0, "TEXCOORD_0", &count);
    assert_int_equal(count, 5);
    assert_memory_equal(uvs, first, sizeof first);
    assert_memory_equal(attribute(1, "TEXCOORD_0", &count), second, sizeof second);
    assert_memory_equal(attribute(0, "_POINT", &count), points, 5 * sizeof(float));
    assert_memory_equal(attribute(1, "_POINT", &count), points + 5, 4 * sizeof(float));
    const float* normals = attribute(1, "NORMAL", &count);
    assert_true(fabsf(normals[1] - 0.6f) < 1e-6f && fabsf(normals[2] - 0.8f) < 1e-6f); // leaning there
    assert_true(normals[7] == 0 && normals[8] == 1);                                   // and not at point 4
    assert_null(attribute(0, "COLOR_0", &count));

    const sup_json* red = item("materials", 0);
    const sup_json* surface = sup_json_get(red, "pbrMetallicRoughness");
    assert_string_equal(sup_json_string(sup_json_get(red, "name"), ""), "red");
    assert_string_equal(sup_json_string(sup_json_get(red, "alphaMode"), ""), "BLEND");
    assert_true(sup_json_number(sup_json_at(sup_json_get(surface, "baseColorFactor"), 1), 0) == 0.25);
    assert_true(sup_json_number(sup_json_at(sup_json_get(surface, "baseColorFactor"), 3), 0) == 0.5);
    assert_true(sup_json_number(sup_json_get(surface, "roughnessFactor"), 0) == 0.5); // sqrt(2 / (6 + 2))
    const sup_json* dotted = item("materials", 1);
    surface = sup_json_get(dotted, "pbrMetallicRoughness");
    assert_true(sup_json_number(sup_json_get(surface, "metallicFactor"), 0) == 1);
    assert_true(sup_json_number(sup_json_at(sup_json_get(dotted, "emissiveFactor"), 2), 0) == 1);
    assert_int_equal(sup_json_index(sup_json_get(sup_json_get(surface, "baseColorTexture"), "index"), SUP_NONE), 0);
    size_t      size = 0;
    const void* picture = view(sup_json_index(sup_json_get(item("images", 0), "bufferView"), SUP_NONE), &size);
    assert_int_equal(size, sizeof dot);
    assert_memory_equal(picture, dot, sizeof dot);
    assert_null(item("materials", 2)); // the unused one and its missing picture are nobody's loss
    check_points(path, c);
    sup_character_destroy(c);
}

static void a_bake_of_it_reads_back_with_the_points_in_order(void** state)
{
    (void)state;
    sup_character* c = load("art/strip.obj");
    sup_pose       pose;
    sup_error      error;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    sup_pose_rest(c, &pose);
    test_bake b = { .character = c, .pose = &pose, .path = test_folder_file(&folder, "baked.glb"), .fps = 10, .frames = 3 };
    assert_ok(test_bake_run(&b, NULL, &error), error);
    check_points(b.path, c);
    sup_character_destroy(c);
}

static void a_rig_put_under_it_changes_nothing(void** state)
{
    (void)state;
    const char*    path = test_folder_file(&folder, "rigged.glb");
    sup_character* c = load("art/strip.obj");
    sup_character* made = NULL;
    sup_error      error;
    uint32_t       count = 0;
    sup_joint      joint = {
             .name = "root", .parent = SUP_NONE, .skin_joint = true, .rest = transform_identity(), .inverse_bind = affine_identity()
    };
    assert_ok(sup_skeleton_attach(c, 1, &joint, NULL, &made, &error), error);
    sup_character_inherit(made, c);
    assert_ok(sup_character_write(made, path, NULL, NULL, &error), error);
    open_glb(path);
    assert_non_null(attribute(0, "TEXCOORD_0", &count));
    assert_non_null(attribute(1, "WEIGHTS_0", &count));
    assert_int_equal(sup_json_get(document, "materials")->count, 2);
    sup_character_destroy(made);
}

static sup_character* read_text(const char* path, const char* text, size_t size, const sup_allocator* allocator,
                                sup_result* result)
{
    sup_arena*     keep = sup_arena_create(allocator);
    sup_character* c = NULL;
    sup_error      error;
    *result = SUP_ERROR_MEMORY;
    if (!keep) return NULL;
    sup_read_input in = { .path = path, .files = &files, .allocator = allocator, .arena = keep };
    in.bytes.data = sup_arena_copy(keep, text, size, 1);
    in.bytes.size = size;
    if (in.bytes.data) *result = sup_format_for(path)->read(&in, &c, &error);
    sup_arena_destroy(keep);
    return c;
}

static void colors_of_points_become_linear(void** state)
{
    (void)state;
    static const char ply[] =
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
        "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty float s\nproperty float t\n"
        "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
        "0 0 0 255 0 128 0 0\n1 0 0 0 0 0 1 0\n0 1 0 10 20 30 0 0.25\n3 0 1 2\n";
    static const char obj[] = "v 0 0 0 1 0 0.50196078\nv 1 0 0 0 0 0\nv 0 1 0 0.039215688 0.078431373 0.11764706\nf 1 2 3\n";
    for (int i = 0; i < 2; ++i) {
        const char*    path = test_folder_file(&folder, "colors.glb");
        sup_result     result;
        sup_error      error;
        uint32_t       count = 0;
        sup_character* c =
            i ? read_text("a.obj", obj, sizeof obj - 1, NULL, &result) : read_text("a.ply", ply, sizeof ply - 1, NULL, &result);
        assert_int_equal(result, SUP_OK);
        assert_ok(sup_character_write(c, path, NULL, NULL, &error), error);
        open_glb(path);
        const float* colors = attribute(0, "COLOR_0", &count);
        assert_non_null(colors);
        assert_int_equal(count, 3);
        assert_true(colors[0] == 1 && colors[1] == 0 && colors[3] == 1);
        assert_true(fabsf(colors[2] - 0.2158605f) < 1e-6f); // ((128 / 255 + 0.055) / 1.055) ^ 2.4
        assert_true(fabsf(colors[8] - 10 / 255.0f / 12.92f) < 1e-7f);
        const float* uvs = attribute(0, "TEXCOORD_0", &count);
        if (i) assert_null(uvs);
        else assert_true(uvs[2] == 1 && uvs[3] == 1 && uvs[5] == 0.75f);
        const sup_json* factor = sup_json_get(sup_json_get(item("materials", 0), "pbrMetallicRoughness"), "baseColorFactor");
        assert_true(sup_json_number(sup_json_at(factor, 1), 0) == 1); // white below the colors
        sup_character_destroy(c);
    }
}

static void an_obj_of_points_and_faces_is_stored_as_it_is(void** state)
{
    (void)state;
    static const char plain[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    const char*       path = test_folder_file(&folder, "plain.glb");
    sup_result        result;
    sup_error         error;
    uint32_t          count = 0;
    sup_character*    c = read_text("a.obj", plain, sizeof plain - 1, NULL, &result);
    assert_ok(sup_character_write(c, path, NULL, NULL, &error), error);
    open_glb(path);
    assert_null(attribute(0, "_POINT", &count));
    assert_string_equal(sup_json_string(sup_json_get(item("materials", 0), "name"), ""), "clay");
    sup_character_destroy(c);
}

static sup_vec3 color_near(const sup_character* c, const sup_vec3* colors, sup_vec3 place)
{
    uint32_t nearest = 0;
    for (uint32_t p = 1; p < c->mesh.point_count; ++p)
        if (v3_distance(c->mesh.points[p], place) < v3_distance(c->mesh.points[nearest], place)) nearest = p;
    return colors[nearest];
}

static void colors_of_the_beast_survive_a_glb(void** state)
{
    (void)state;
    sup_error      error;
    sup_character* beast = NULL;
    const char*    path = test_folder_file(&folder, "beast.glb");
    assert_ok(sup_builtin_create("beast", 2000, NULL, &beast, &error), error);
    assert_ok(sup_character_write(beast, path, NULL, NULL, &error), error);
    sup_character* read = test_load(path);
    uint32_t       count = beast->mesh.point_count;
    sup_vec3 *     before = calloc(count, sizeof *before), *after = calloc(count, sizeof *after);
    assert_true(sup_character_colors(beast, before) && sup_character_colors(read, after));
    assert_int_equal(read->mesh.point_count, count);
    for (uint32_t p = 0; p < count; ++p) { // the file has its own order
        sup_vec3 same = color_near(read, after, beast->mesh.points[p]);
        assert_memory_equal(&before[p], &same, sizeof same);
    }
    sup_vec3 nose = color_near(beast, before, v3(0, 0.752f, 0.695f)), belly = color_near(beast, before, v3(0, 0.175f, 0));
    assert_true(nose.x < 0.05f && nose.y < 0.05f && belly.x > 0.8f && belly.y > 0.6f);
    free(before), free(after);
    sup_character_destroy(beast), sup_character_destroy(read);
}

static void the_arm_has_no_colors(void** state)
{
    (void)state;
    sup_character* arm = test_builtin("arm", 0);
    sup_vec3*      colors = calloc(arm->mesh.point_count, sizeof *colors);
    assert_false(sup_character_colors(arm, colors));
    free(colors);
    sup_character_destroy(arm);
}

static void cut_anywhere_it_is_written_or_refused(void** state)
{
    (void)state;
    const char* path = test_folder_file(&folder, "cut.glb");
    for (size_t size = 0; size < sizeof strip; ++size) {
        sup_result     result;
        sup_error      error;
        sup_character* c = read_text("art/strip.obj", strip, size, NULL, &result);
        if (result == SUP_OK) assert_ok(sup_character_write(c, path, NULL, NULL, &error), error);
        sup_character_destroy(c);
    }
}

static void failing_allocations_are_reported(void** state)
{
    (void)state;
    const char* path = test_folder_file(&folder, "starved.glb");
    for (test_starved s = { 0 }; test_starve(&s);) {
        sup_error      error;
        sup_character* c = read_text("art/strip.obj", strip, sizeof strip - 1, &s.memory.allocator, &s.result);
        if (s.result == SUP_OK) s.result = sup_character_write(c, path, &s.memory.allocator, NULL, &error);
        sup_character_destroy(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seams_and_materials_of_an_obj_reach_a_glb),
        cmocka_unit_test(pictures_of_an_obj_lie_where_its_corners_say),
        cmocka_unit_test(a_bake_of_it_reads_back_with_the_points_in_order),
        cmocka_unit_test(a_rig_put_under_it_changes_nothing),
        cmocka_unit_test(colors_of_points_become_linear),
        cmocka_unit_test(colors_of_the_beast_survive_a_glb),
        cmocka_unit_test(the_arm_has_no_colors),
        cmocka_unit_test(an_obj_of_points_and_faces_is_stored_as_it_is),
        cmocka_unit_test(cut_anywhere_it_is_written_or_refused),
        cmocka_unit_test(failing_allocations_are_reported),
    };
    return cmocka_run_group_tests(tests, make, unmake);
}

// FB_ngon_encoding: polygons through glTF, in and out.
#include "bake_support.h"
#include "gltf_builder.h"

static const float ring[6][3] = { { 0, 0, 0 }, { 2, 0, 0 }, { 3, 1, 0 }, { 2, 2, 0 }, { 0, 2, 0 }, { -1, 1, 0 } };

static sup_character* read_faces(builder* b, const uint16_t* indices, uint32_t count, bool marked)
{
    char primitive[128];
    add_array(b, ring, 6, "VEC3", FLOAT);
    uint32_t id = add_accessor(b, indices, count * sizeof *indices, count, "SCALAR", USHORT, "");
    snprintf(primitive, sizeof primitive, ",\"indices\":%u%s", id, marked ? ",\"extensions\":{\"FB_ngon_encoding\":{}}" : "");
    show_mesh(b, "\"POSITION\":0", primitive);
    return read_glb(b);
}

static void assert_face(const sup_character* c, uint32_t face, const uint32_t* wanted, uint32_t size)
{
    assert_int_equal(c->mesh.face_begin[face + 1] - c->mesh.face_begin[face], size);
    for (uint32_t k = 0; k < size; ++k) assert_int_equal(c->mesh.corner_vertices[c->mesh.face_begin[face] + k], wanted[k]);
}

static void fans_become_polygons(void** state)
{
    (void)state;
    // A pentagon from 0, then a triangle from 5.
    static const uint16_t indices[] = { 0, 1, 2, 0, 2, 3, 0, 3, 4, 5, 0, 4 };
    builder               b = { 0 };
    sup_character*        c = read_faces(&b, indices, 12, true);
    assert_int_equal(c->mesh.face_count, 2);
    assert_face(c, 0, (const uint32_t[]){ 0, 1, 2, 3, 4 }, 5);
    assert_face(c, 1, (const uint32_t[]){ 5, 0, 4 }, 3);
    assert_int_equal(c->mesh.triangle_count, 4);
    done(c, &b);
}

static void without_the_mark_triangles_stay(void** state)
{
    (void)state;
    static const uint16_t indices[] = { 0, 1, 2, 0, 2, 3, 0, 3, 4, 5, 0, 4 };
    builder               b = { 0 };
    sup_character*        c = read_faces(&b, indices, 12, false);
    assert_int_equal(c->mesh.face_count, 4);
    done(c, &b);
}

static void a_fan_that_does_not_go_on_is_another_polygon(void** state)
{
    (void)state;
    static const uint16_t indices[] = { 0, 1, 2, 0, 3, 4 };
    builder               b = { 0 };
    sup_character*        c = read_faces(&b, indices, 6, true);
    assert_int_equal(c->mesh.face_count, 2);
    assert_face(c, 1, (const uint32_t[]){ 0, 3, 4 }, 3);
    done(c, &b);
}

// 32 bits wide and all there is to show: the character holds the file's own numbers, for its triangles and, where these are all
// the faces, for its corners.
static void a_lone_mesh_lends_its_triangles(void** state)
{
    (void)state;
    static const uint32_t indices[] = { 0, 1, 2, 0, 2, 3, 0, 3, 4, 5, 0, 4 };
    for (int marked = 0; marked < 2; ++marked) {
        builder b = { 0 };
        add_array(&b, ring, 6, "VEC3", FLOAT);
        uint32_t id = add_array(&b, indices, 12, "SCALAR", UINT);
        char     primitive[128];
        snprintf(primitive, sizeof primitive, ",\"indices\":%u%s", id, marked ? ",\"extensions\":{\"FB_ngon_encoding\":{}}" : "");
        show_mesh(&b, "\"POSITION\":0", primitive);
        sup_character*     c = read_glb(&b);
        const gltf_source* source = c->source;
        const uint8_t *    begin = source->buffers[0].data, *end = begin + source->buffers[0].size;
        assert_int_equal(c->mesh.face_count, marked ? 2 : 4);
        assert_int_equal(c->mesh.triangle_count, 4);
        assert_memory_equal(c->mesh.triangles, indices, sizeof indices);
        assert_true((const uint8_t*)c->mesh.triangles >= begin && (const uint8_t*)c->mesh.triangles < end);
        if (marked) assert_face(c, 0, (const uint32_t[]){ 0, 1, 2, 3, 4 }, 5);
        else assert_ptr_equal(c->mesh.corner_vertices, c->mesh.triangles);
        done(c, &b);
    }
}

// The corners of a face as a person sees them: from the smallest on.
static void rotate_to_least(const uint32_t* corners, uint32_t size, uint32_t* out)
{
    uint32_t start = 0;
    for (uint32_t k = 1; k < size; ++k)
        if (corners[k] < corners[start]) start = k;
    for (uint32_t k = 0; k < size; ++k) out[k] = corners[(start + k) % size];
}

static void assert_same_faces(const sup_mesh* a, const sup_mesh* b)
{
    assert_int_equal(a->face_count, b->face_count);
    for (uint32_t f = 0; f < a->face_count; ++f) {
        uint32_t size = a->face_begin[f + 1] - a->face_begin[f], x[64], y[64];
        assert_int_equal(size, b->face_begin[f + 1] - b->face_begin[f]);
        assert_in_range(size, 3, 64);
        rotate_to_least(a->corner_points + a->face_begin[f], size, x);
        rotate_to_least(b->corner_points + b->face_begin[f], size, y);
        assert_memory_equal(x, y, size * sizeof *x);
    }
}

static void baked_and_read(const sup_character* c)
{
    test_folder    folder;
    sup_error      error;
    test_folder_make(&folder);
    test_bake b = {
        .character = c, .clip = &c->clips[0], .path = test_folder_file(&folder, "faces.glb"), .fps = 4, .frames = 2
    };
    assert_ok(test_bake_run(&b, NULL, &error), error);
    sup_character* again = test_load(b.path);
    assert_same_faces(&c->mesh, &again->mesh);
    sup_character_destroy(again);
    test_folder_remove(&folder);
}

static void quads_survive_a_fresh_document(void** state)
{
    (void)state;
    sup_character* tube = test_tube(6, 8, 2, 3, 0.5f);
    assert_true(tube->mesh.face_count < tube->mesh.triangle_count);
    baked_and_read(tube);
    sup_character_destroy(tube);
    static const char* const names[] = { "builtin:arm?points=1000", "builtin:beast?points=1500" };
    for (size_t i = 0; i < 2; ++i) {
        sup_character* c = test_load(names[i]);
        baked_and_read(c);
        sup_character_destroy(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fans_become_polygons),
        cmocka_unit_test(without_the_mark_triangles_stay),
        cmocka_unit_test(a_fan_that_does_not_go_on_is_another_polygon),
        cmocka_unit_test(a_lone_mesh_lends_its_triangles),
        cmocka_unit_test(quads_survive_a_fresh_document),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

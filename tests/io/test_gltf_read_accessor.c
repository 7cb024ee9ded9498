// Accessors of every kind, and the places their bytes may come from.
#include "io/gltf_builder.h"

#include <math.h>

// A character that uses accessor 0, so that its source can be asked for the others.
static sup_character* read_source(builder* b, const gltf_source** source)
{
    sup_character* c = read_glb(b);
    *source = c->source;
    return c;
}

static void check_values(int component, const char* extra, const void* data, size_t size, const float expected[4])
{
    builder b = { 0 };
    add_triangle(&b);
    uint32_t           id = add_accessor(&b, data, size, 2, "VEC2", component, extra);
    const gltf_source* source;
    sup_character*     c = read_source(&b, &source);
    gltf_accessor      a;
    sup_error          error;
    assert_ok(gltf_accessor_find(source, id, "a test", &a, &error), error);
    assert_int_equal(a.count, 2);
    assert_int_equal(a.components, 2);
    for (uint32_t i = 0; i < 4; ++i) assert_true(gltf_accessor_float(&a, i / 2, i % 2) == expected[i]);
    done(c, &b);
}

static void every_component_type_follows_the_specification(void** state)
{
    (void)state;
    static const int8_t   bytes[4] = { -128, -127, 0, 127 };
    static const uint8_t  ubytes[4] = { 0, 51, 102, 255 };
    static const int16_t  shorts[4] = { -32768, -32767, 0, 32767 };
    static const uint16_t ushorts[4] = { 0, 13107, 26214, 65535 };
    static const uint32_t uints[4] = { 0, 1, 16777216, 4294967295u };
    static const float    floats[4] = { -1.5f, 0, 1e-30f, 3e38f };
    const char*           yes = ",\"normalized\":true";
    check_values(BYTE, yes, bytes, 4, (const float[]){ -1, -1, 0, 1 });
    check_values(BYTE, "", bytes, 4, (const float[]){ -128, -127, 0, 127 });
    check_values(UBYTE, yes, ubytes, 4, (const float[]){ 0, 51 / 255.0f, 102 / 255.0f, 1 });
    check_values(UBYTE, "", ubytes, 4, (const float[]){ 0, 51, 102, 255 });
    check_values(SHORT, yes, shorts, 8, (const float[]){ -1, -1, 0, 1 });
    check_values(SHORT, "", shorts, 8, (const float[]){ -32768, -32767, 0, 32767 });
    check_values(USHORT, yes, ushorts, 8, (const float[]){ 0, 13107 / 65535.0f, 26214 / 65535.0f, 1 });
    check_values(UINT, "", uints, 16, (const float[]){ 0, 1, 16777216, 4294967296.0f });
    check_values(FLOAT, yes, floats, 16, floats); // floats are never scaled
}

static void small_matrices_lose_their_padding(void** state)
{
    (void)state;
    // A MAT3 of bytes has columns of four bytes.
    static const uint8_t matrix[12] = { 1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0 };
    builder              b = { 0 };
    add_array(&b, triangle_positions, 3, "VEC3", FLOAT);
    add_array(&b, matrix, 1, "MAT3", UBYTE);
    show_mesh(&b, "\"POSITION\":0,\"_MATRIX\":1", "");
    const gltf_source* source;
    sup_character*     c = read_source(&b, &source);
    gltf_accessor      a;
    sup_error          error;
    assert_ok(gltf_accessor_find(source, 1, "a test", &a, &error), error);
    assert_int_equal(a.components, 9);
    for (uint32_t i = 0; i < 9; ++i) assert_int_equal(gltf_accessor_index(&a, 0, i), i + 1);
    done(c, &b);
}

static void strides_and_offsets_reach_into_interleaved_data(void** state)
{
    (void)state;
    static const float mixed[18] = { 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1 };
    builder            b = { 0 };
    add_view(&b, mixed, sizeof mixed, ",\"byteStride\":24");
    item(&b.accessors, "{\"bufferView\":0,\"count\":3,\"type\":\"VEC3\",\"componentType\":5126}");
    item(&b.accessors, "{\"bufferView\":0,\"byteOffset\":12,\"count\":3,\"type\":\"VEC3\",\"componentType\":5126}");
    show_mesh(&b, "\"POSITION\":0,\"NORMAL\":1", "");
    sup_character* c = read_glb(&b);
    assert_memory_equal(c->mesh.points, triangle_positions, sizeof triangle_positions);
    assert_point(c->mesh.vertex_normals[2], 0, 0, 1);
    done(c, &b);
}

static void sparse_values_are_put_in_place(void** state)
{
    (void)state;
    static const uint8_t places[1] = { 2 };
    static const float   value[3] = { 7, 8, 9 };
    builder              b = { 0 };
    uint32_t             base = add_view(&b, triangle_positions, sizeof triangle_positions, "");
    uint32_t             at = add_view(&b, places, 1, ""), values = add_view(&b, value, 12, "");
    char                 text[200];
    snprintf(text, sizeof text,
             "\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":%u,\"componentType\":5121},\"values\":{\"bufferView\":%u}}",
             at, values);
    item(&b.accessors, "{\"bufferView\":%u,\"count\":3,\"type\":\"VEC3\",\"componentType\":5126,%s}", base, text);
    item(&b.accessors, "{\"count\":3,\"type\":\"VEC3\",\"componentType\":5126,%s}", text); // zeros beneath
    show_mesh(&b, "\"POSITION\":0", ",\"targets\":[{\"POSITION\":1}]");
    const gltf_source* source;
    sup_character*     c = read_source(&b, &source);
    assert_point(c->mesh.points[1], 1, 0, 0);
    assert_point(c->mesh.points[2], 7, 8, 9);
    assert_point(c->morphs[0].deltas[0], 0, 0, 0);
    assert_point(c->morphs[0].deltas[2], 7, 8, 9);
    gltf_accessor a;
    sup_error     error;
    assert_ok(gltf_accessor_find(source, 1, "a test", &a, &error), error); // whole for the writer too
    assert_true(gltf_accessor_float(&a, 2, 1) == 8);
    done(c, &b);
}

static void an_accessor_without_bytes_is_zeros(void** state)
{
    (void)state;
    builder b = { 0 };
    add_array(&b, triangle_positions, 3, "VEC3", FLOAT);
    item(&b.accessors, "{\"count\":3,\"type\":\"SCALAR\",\"componentType\":5126}");
    show_mesh(&b, "\"POSITION\":0,\"_SOFT\":1", "");
    sup_character* c = read_glb(&b);
    assert_true(sup_character_map(c, "_SOFT")->values[1] == 0);
    done(c, &b);
}

static void refuse_accessor(const char* accessor, const char* words)
{
    builder b = { 0 };
    add_view(&b, triangle_positions, sizeof triangle_positions, "");
    add_view(&b, triangle_positions, 12, ",\"byteStride\":8");
    item(&b.views, "{\"buffer\":0,\"byteOffset\":4294967290,\"byteLength\":36}");
    item(&b.views, "{\"buffer\":3,\"byteLength\":36}");
    item(&b.views, "{\"buffer\":0,\"byteLength\":1000}");
    item(&b.accessors, "%s", accessor);
    show_mesh(&b, "\"POSITION\":0", "");
    refuse_glb(&b, words);
}

static void accessors_beyond_their_buffers_are_refused(void** state)
{
    (void)state;
    const char* beyond = "accessor 0 (mesh 'tri' primitive 0 POSITION): it reaches beyond its buffer 0";
    refuse_accessor("{\"bufferView\":0,\"count\":4,\"type\":\"VEC3\",\"componentType\":5126}", beyond);
    refuse_accessor("{\"bufferView\":0,\"count\":3,\"byteOffset\":4,\"type\":\"VEC3\",\"componentType\":5126}", beyond);
    refuse_accessor("{\"bufferView\":0,\"count\":3,\"byteOffset\":-4,\"type\":\"VEC3\",\"componentType\":5126}", beyond);
    refuse_accessor("{\"bufferView\":0,\"count\":4294967294,\"type\":\"VEC3\",\"componentType\":5126}", beyond);
    refuse_accessor("{\"bufferView\":2,\"count\":3,\"type\":\"VEC3\",\"componentType\":5126}", beyond);
    refuse_accessor("{\"bufferView\":4,\"count\":3,\"type\":\"VEC3\",\"componentType\":5126}", beyond);
    refuse_accessor("{\"bufferView\":1,\"count\":1,\"type\":\"VEC3\",\"componentType\":5126}",
                    "byteStride 8 of bufferView 1 is below");
    refuse_accessor("{\"bufferView\":3,\"count\":3,\"type\":\"VEC3\",\"componentType\":5126}", "bufferView 3 has no buffer");
    refuse_accessor("{\"bufferView\":9,\"count\":3,\"type\":\"VEC3\",\"componentType\":5126}", "its bufferView does not exist");
}

static void nonsensical_accessors_are_refused(void** state)
{
    (void)state;
    refuse_accessor("{\"bufferView\":0,\"count\":-3,\"type\":\"VEC3\",\"componentType\":5126}", "count is not a whole number");
    refuse_accessor("{\"bufferView\":0,\"count\":2.5,\"type\":\"VEC3\",\"componentType\":5126}", "count is not a whole number");
    refuse_accessor("{\"bufferView\":0,\"count\":4294967296,\"type\":\"VEC3\",\"componentType\":5126}",
                    "count is not a whole number");
    refuse_accessor("{\"bufferView\":0,\"type\":\"VEC3\",\"componentType\":5126}", "count is not a whole number");
    refuse_accessor("{\"bufferView\":0,\"count\":3,\"type\":\"VEC9\",\"componentType\":5126}", "type 'VEC9' is unknown");
    refuse_accessor("{\"bufferView\":0,\"count\":3,\"type\":\"VEC3\",\"componentType\":5124}", "componentType 5124 is unknown");
    refuse_accessor("{\"bufferView\":0,\"count\":3,\"type\":\"VEC2\",\"componentType\":5126}",
                    "it has 2 components instead of 3");
    refuse_accessor("{\"count\":100000000,\"type\":\"VEC3\",\"componentType\":5126}",
                    "it asks for 100000000 elements without any data");
    // The two bytes at 14 are the upper half of 1.0f.
    refuse_accessor(
        "{\"bufferView\":0,\"count\":3,\"type\":\"VEC3\",\"componentType\":5126,\"sparse\":{\"count\":1,\"indices\":"
        "{\"bufferView\":0,\"byteOffset\":14,\"componentType\":5123},\"values\":{\"bufferView\":0}}}",
        "sparse index 16256 is not below its count 3");
    refuse_accessor(
        "{\"bufferView\":0,\"count\":3,\"type\":\"VEC3\",\"componentType\":5126,\"sparse\":{\"count\":3,\"indices\":"
        "{\"bufferView\":0,\"componentType\":5123},\"values\":{\"bufferView\":0,\"byteOffset\":4}}}",
        "it reaches beyond its buffer 0");
    refuse_accessor(
        "{\"bufferView\":0,\"count\":3,\"type\":\"VEC3\",\"componentType\":5126,\"sparse\":{\"count\":4,\"indices\":"
        "{\"bufferView\":0,\"componentType\":5123},\"values\":{\"bufferView\":0}}}",
        "its sparse part has a wrong count");
}

static void a_small_file_cannot_ask_for_much_memory(void** state)
{
    (void)state;
    // 60,000 vertices of zeros are allowed to a file of a kilobyte; 2,000 nodes that show them are not.
    builder b = { 0 };
    item(&b.accessors, "{\"count\":60000,\"type\":\"VEC3\",\"componentType\":5126}");
    item(&b.meshes, "{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}");
    for (int i = 0; i < 2000; ++i) add_node(&b, "{\"mesh\":0}");
    refuse_glb(&b, "asks for far more memory than its");
}

// ---------------------------------------------------------------------------------------------- where bytes come from

static void read_from_uri(const char* uri, const memory_file* beside, const char* refused)
{
    builder b = { 0 };
    add_triangle(&b);
    sup_character* c = NULL;
    sup_error      error;
    sup_result     result = read_with(builder_gltf(&b, uri), beside, NULL, &c, &error);
    if (refused) {
        assert_int_not_equal(result, SUP_OK);
        if (!strstr(error.text, refused)) fail_msg("'%s' does not say '%s'", error.text, refused);
    } else {
        assert_ok(result, error);
        assert_memory_equal(c->mesh.points, triangle_positions, sizeof triangle_positions);
    }
    done(c, &b);
}

static void buffers_come_from_data_uris_and_from_files_beside(void** state)
{
    (void)state;
    const memory_file beside[] = { { "folder/my data.bin", triangle_positions, sizeof triangle_positions },
                                   { "folder/sub/a..b.bin", triangle_positions, sizeof triangle_positions },
                                   { "folder/short.bin", triangle_positions, 35 },
                                   { 0 } };
    // The 36 bytes of the triangle: zeros but for 1.0f at floats 3 and 7.
    read_from_uri("data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA", NULL, NULL);
    read_from_uri("data:;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA====", NULL, NULL);
    read_from_uri("data:,%00%00%00%00%00%00%00%00%00%00%00%00%00%00%80%3f%00%00%00%00%00%00%00%00%00%00%00%00%00%00%80%3F%00%00"
                  "%00%00",
                  NULL, NULL);
    read_from_uri("my%20data.bin", beside, NULL);
    read_from_uri("sub/a..b.bin", beside, NULL);
    read_from_uri("short.bin", beside, "buffer 0: it has only 35 of its 36 bytes");
    read_from_uri("absent.bin", beside, "cannot read 'folder/absent.bin'");
    read_from_uri("data:;base64,A!AA", NULL, "its data URI is not base64");
    read_from_uri("data:;base64,AAAAA", NULL, "its data URI is not base64");
    read_from_uri("data:;base64", NULL, "has no comma");
}

static void files_elsewhere_are_not_opened(void** state)
{
    (void)state;
    read_from_uri("/etc/passwd", NULL, "is an absolute path");
    read_from_uri("../secret.bin", NULL, "leaves the file's own folder");
    read_from_uri("a/%2e%2e/../../secret.bin", NULL, "leaves the file's own folder");
    read_from_uri("a\\\\..\\\\secret.bin", NULL, "leaves the file's own folder");
    read_from_uri("%2Fetc/passwd", NULL, "is an absolute path");
    read_from_uri("http://example.org/a.bin", NULL, "has a scheme or drive");
    read_from_uri("C:/a.bin", NULL, "has a scheme or drive");
    read_from_uri("a%00b.bin", NULL, "contains a zero byte");
    read_from_uri("", NULL, "is empty");
}

static void pictures_beside_are_kept_and_may_be_missing(void** state)
{
    (void)state;
    const memory_file beside[] = { { "folder/skin.png", "PNG!", 4 }, { 0 } };
    builder           b = { 0 };
    add_triangle(&b);
    item(&b.more, "\"images\":[{\"uri\":\"skin.png\"},{\"uri\":\"lost.png\"},{\"uri\":\"data:image/png;base64,AAAA\"}]");
    sup_character* c = NULL;
    sup_error      error;
    assert_ok(read_with(builder_glb(&b), beside, NULL, &c, &error), error);
    const gltf_source* source = c->source;
    assert_int_equal(source->image_count, 3);
    assert_int_equal(source->images[0].size, 4);
    assert_memory_equal(source->images[0].data, "PNG!", 4);
    assert_null(source->images[1].data);
    assert_null(source->images[2].data);
    assert_true(test_warned(c, "lost.png"));
    done(c, &b);
}

static void the_source_lives_as_long_as_the_character(void** state)
{
    (void)state;
    builder b = { 0 };
    add_triangle(&b);
    sup_character* c = read_glb(&b);
    builder_free(&b); // the bytes that were read from are gone
    const gltf_source* source = c->source;
    gltf_accessor      a;
    sup_error          error;
    assert_string_equal(sup_json_string(sup_json_get(sup_json_get(source->root, "asset"), "version"), ""), "2.0");
    assert_int_equal(source->buffers[0].size, sizeof triangle_positions);
    assert_ok(gltf_accessor_find(source, 0, "a test", &a, &error), error);
    assert_true(gltf_accessor_float(&a, 1, 0) == 1);
    assert_int_not_equal(gltf_accessor_find(source, 5, "a test", &a, &error), SUP_OK);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_component_type_follows_the_specification),
        cmocka_unit_test(small_matrices_lose_their_padding),
        cmocka_unit_test(strides_and_offsets_reach_into_interleaved_data),
        cmocka_unit_test(sparse_values_are_put_in_place),
        cmocka_unit_test(an_accessor_without_bytes_is_zeros),
        cmocka_unit_test(accessors_beyond_their_buffers_are_refused),
        cmocka_unit_test(nonsensical_accessors_are_refused),
        cmocka_unit_test(a_small_file_cannot_ask_for_much_memory),
        cmocka_unit_test(buffers_come_from_data_uris_and_from_files_beside),
        cmocka_unit_test(files_elsewhere_are_not_opened),
        cmocka_unit_test(pictures_beside_are_kept_and_may_be_missing),
        cmocka_unit_test(the_source_lives_as_long_as_the_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

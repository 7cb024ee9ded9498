// Damaged files: cut off anywhere, changed anywhere, starved of memory. A sentence every time, and nothing left behind.
#include "io/gltf_builder.h"

// A little of everything the reader knows: two primitives, a skin, morphs, a map, sparse values, a clip.
static void add_everything(builder* b)
{
    static const uint16_t joints[12] = { 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0 };
    static const float    weights[12] = { 0.5f, 0.5f, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 }, soft[3] = { 0, 0.5f, 1 };
    static const float    binds[32] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,  0, 1,
                                        1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1 };
    static const float    times[2] = { 0, 1 }, turns[8] = { 0, 0, 0, 1, 0, 0, 1, 0 };
    static const uint8_t  order[4] = { 0, 1, 2, 0 }, at[4] = { 1, 0, 0, 0 };
    add_array(b, triangle_positions, 3, "VEC3", FLOAT);
    add_array(b, joints, 3, "VEC4", USHORT);
    add_array(b, weights, 3, "VEC4", FLOAT);
    add_array(b, binds, 2, "MAT4", FLOAT);
    add_array(b, times, 2, "SCALAR", FLOAT);
    add_array(b, turns, 2, "VEC4", FLOAT);
    add_accessor(b, order, 4, 3, "SCALAR", UBYTE, "");
    add_array(b, soft, 3, "SCALAR", FLOAT);
    uint32_t where = add_view(b, at, 4, ""), what = add_view(b, triangle_positions, 12, "");
    item(&b->accessors,
         "{\"count\":3,\"type\":\"VEC3\",\"componentType\":5126,\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":%u,"
         "\"componentType\":5121},\"values\":{\"bufferView\":%u}}}",
         where, what);
    item(&b->meshes, "{\"name\":\"body\",\"primitives\":["
                     "{\"indices\":6,\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2,\"_SOFT\":7},\"targets\":["
                     "{\"POSITION\":8}]},{\"attributes\":{\"POSITION\":0,\"NORMAL\":0},\"targets\":[{\"POSITION\":0}]}]}");
    add_node(b, "{\"mesh\":0,\"skin\":0}");
    add_node(b, "{\"name\":\"hip\",\"children\":[2]}");
    add_node(b, "{\"name\":\"knee\",\"translation\":[0,1,0]}");
    item(&b->skins, "{\"joints\":[1,2],\"inverseBindMatrices\":3}");
    item(&b->animations, "{\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}}],"
                         "\"samplers\":[{\"input\":4,\"output\":5}]}");
    item(&b->scenes, "{\"nodes\":[0,1]}");
}

static void the_undamaged_file_is_read(void** state)
{
    (void)state;
    builder b = { 0 };
    add_everything(&b);
    sup_character* c = read_glb(&b);
    assert_int_equal(c->mesh.vertex_count, 6);
    assert_int_equal(c->morph_count, 1);
    assert_int_equal(c->map_count, 1);
    assert_int_equal(c->clip_count, 1);
    done(c, &b);
}

static void a_file_cut_off_anywhere_is_refused(void** state)
{
    (void)state;
    builder b = { 0 };
    add_everything(&b);
    sup_bytes whole = builder_glb(&b);
    for (size_t size = 0; size < whole.size; ++size) {
        uint8_t*       cut = malloc(size ? size : 1); // of its own, so that a sanitizer sees any step beyond
        sup_character* c = NULL;
        sup_error      error;
        memcpy(cut, whole.data, size);
        assert_int_not_equal(read_with((sup_bytes){ cut, size }, NULL, NULL, &c, &error), SUP_OK);
        assert_true(strlen(error.text) > 10);
        free(cut);
    }
    builder_free(&b);
}

static void a_text_cut_off_anywhere_is_refused(void** state)
{
    (void)state;
    builder b = { 0 };
    add_everything(&b);
    memory_file beside[] = { { "folder/a.bin", b.binary.data, b.binary.size }, { 0 } };
    sup_bytes   whole = builder_gltf(&b, "a.bin");
    for (size_t size = 0; size < whole.size; ++size) {
        uint8_t*       cut = malloc(size ? size : 1);
        sup_character* c = NULL;
        sup_error      error;
        memcpy(cut, whole.data, size);
        assert_int_not_equal(read_with((sup_bytes){ cut, size }, beside, NULL, &c, &error), SUP_OK);
        assert_true(strlen(error.text) > 10);
        free(cut);
    }
    builder_free(&b);
}

static void a_wrong_byte_anywhere_never_crashes(void** state)
{
    (void)state;
    static const uint8_t wrong[] = { 0x00, 0xff, '9', '-', '}' };
    builder              b = { 0 };
    add_everything(&b);
    sup_bytes whole = builder_glb(&b);
    uint8_t*  copy = malloc(whole.size);
    for (size_t at = 0; at < whole.size; ++at)
        for (size_t w = 0; w < sizeof wrong; ++w) {
            sup_character* c = NULL;
            sup_error      error;
            memcpy(copy, whole.data, whole.size);
            copy[at] = wrong[w];
            if (read_with((sup_bytes){ copy, whole.size }, NULL, NULL, &c, &error) != SUP_OK)
                assert_true(strlen(error.text) > 10);
            sup_character_destroy(c);
        }
    free(copy);
    builder_free(&b);
}

static void every_refused_allocation_is_survived(void** state)
{
    (void)state;
    builder b = { 0 };
    add_everything(&b);
    sup_bytes whole = builder_glb(&b);
    for (test_starved s = { 0 }; test_starve(&s);) {
        sup_character* c = NULL;
        sup_error      error;
        s.result = read_with(whole, NULL, &s.memory.allocator, &c, &error);
        sup_character_destroy(c);
    }
    builder_free(&b);
}

// Arenas take memory in large pieces, so the allocator above sees few calls: here every arena is held to a few bytes more.
static void every_limit_of_memory_is_survived(void** state)
{
    (void)state;
    builder b = { 0 };
    add_everything(&b);
    sup_bytes whole = builder_glb(&b);
    bool      read = false;
    for (size_t limit = 1; !read; limit += 64) {
        sup_arena*     arena = sup_arena_create(NULL);
        sup_bytes      bytes = { sup_arena_copy(arena, whole.data, whole.size, 1), whole.size };
        sup_character* c = NULL;
        sup_error      error;
        sup_arena_limit(arena, whole.size + limit);
        sup_read_input in = { .path = "a.glb", .bytes = bytes, .arena = arena };
        sup_result     result = gltf_read(&in, &c, &error);
        if (result != SUP_OK) assert_int_equal(result, SUP_ERROR_MEMORY);
        read = result == SUP_OK;
        sup_character_destroy(c);
        sup_arena_destroy(arena);
        assert_true(limit < 1 << 20);
    }
    builder_free(&b);
}

static void refuse_bytes(const char* bytes, size_t size, const char* words)
{
    sup_character* c = NULL;
    sup_error      error;
    assert_int_not_equal(read_with((sup_bytes){ (const uint8_t*)bytes, size }, NULL, NULL, &c, &error), SUP_OK);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
}

#define REFUSE(bytes, words) refuse_bytes((bytes), sizeof(bytes) - 1, (words))

static void other_files_are_distinguished_from_gltf(void** state)
{
    (void)state;
    REFUSE("", "the file is empty");
    REFUSE("glTF\2\0\0\0", "inside the GLB header");
    REFUSE("glTF\1\0\0\0\20\0\0\0aaaa", "this is GLB version 1 and only version 2 is supported");
    REFUSE("glTF\2\0\0\0\377\0\0\0aaaa", "the file is truncated: it has 16 of 255 bytes");
    REFUSE("glTF\2\0\0\0\24\0\0\0\377\377\377\377JSON", "a GLB chunk says it has 4294967295 bytes where 0 are left");
    REFUSE("glTF\2\0\0\0\24\0\0\0\0\0\0\0XXXX", "no JSON chunk");
    REFUSE("Kaydara FBX Binary", "this is not a glTF file: a .glb begins with the letters glTF");
    REFUSE("[]", "not an object");
    REFUSE("{}", "no asset.version");
    REFUSE("{\"asset\":{\"version\":\"1.0\"}}", "this is glTF 1.0 and only 2.0 is supported");
    REFUSE("{\"asset\":{\"version\":\"2.0\",\"minVersion\":\"2.9\"}}", "requires glTF 2.9");
    REFUSE("{\"asset\":{\"version\":\"2.0\"}}", "no mesh with triangles");
    REFUSE("{\"asset\":{\"version\":\"2.0\"},\"nodes\":{\"a\":1}}", "'nodes' is not an array");
    REFUSE("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0}]}", "its 'mesh' does not exist, there are 0");
    REFUSE("{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":-1}]}", "buffer 0: byteLength is not a whole number");
    REFUSE("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"n\",\"scale\":[1,1]}]}",
           "node 'n': its translation, rotation or scale");
    REFUSE("{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"n\",\"matrix\":[1e999]}]}", "node 'n': its matrix");
}

static void deep_nesting_is_refused_not_followed(void** state)
{
    (void)state;
    enum { DEEP = 100000 };
    char* text = malloc(DEEP);
    memset(text, '[', DEEP);
    refuse_bytes(text, DEEP, "small.glb");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_undamaged_file_is_read),
        cmocka_unit_test(a_file_cut_off_anywhere_is_refused),
        cmocka_unit_test(a_text_cut_off_anywhere_is_refused),
        cmocka_unit_test(a_wrong_byte_anywhere_never_crashes),
        cmocka_unit_test(every_refused_allocation_is_survived),
        cmocka_unit_test(every_limit_of_memory_is_survived),
        cmocka_unit_test(other_files_are_distinguished_from_gltf),
        cmocka_unit_test(deep_nesting_is_refused_not_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

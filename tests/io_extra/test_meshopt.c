// EXT_meshopt_compression: what the library packs is read back bit by bit, and what is damaged is refused.
#include "../io/gltf_builder.h"
#include "supple/io_extra.h"
#include "tests/io/bake_support.h"

#ifndef SUPPLE_MESHOPT
int main(void)
{
    puts("skipped: this build is without libmeshoptimizer");
    return 77;
}
#else

#include <meshoptimizer.h>

enum { SIDE = 12, VERTICES = SIDE * SIDE, INDICES = 6 * (SIDE - 1) * (SIDE - 1) };

typedef struct sheet {
    float    positions[VERTICES][3];
    uint16_t indices[INDICES];
} sheet;

static void make_sheet(sheet* s)
{
    uint32_t n = 0;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        s->positions[v][0] = (float)(v % SIDE) * 0.1f;
        s->positions[v][1] = (float)(v / SIDE) * 0.3f;
        s->positions[v][2] = (float)((v * 7919) % 101) * 0.0137f;
    }
    for (uint32_t y = 0; y + 1 < SIDE; ++y)
        for (uint32_t x = 0; x + 1 < SIDE; ++x) {
            uint32_t       a = y * SIDE + x;
            const uint32_t quad[6] = { a, a + 1, a + SIDE, a + 1, a + SIDE + 1, a + SIDE };
            for (int k = 0; k < 6; ++k) s->indices[n++] = (uint16_t)quad[k];
        }
}

// A GLB whose two views are packed in the BIN chunk; buffer 1 has no bytes. `damage` flips bits behind the header byte.
static sup_bytes build(builder* b, const sheet* s, const char* extension, bool required, int damage)
{
    uint32_t wide[INDICES];
    uint8_t  packed[2][8192];
    for (int i = 0; i < INDICES; ++i) wide[i] = s->indices[i];
    meshopt_encodeVertexVersion(0);
    meshopt_encodeIndexVersion(1);
    size_t sizes[2] = { meshopt_encodeVertexBuffer(packed[0], sizeof packed[0], s->positions, VERTICES, 12),
                        meshopt_encodeIndexSequence(packed[1], sizeof packed[1], wide, INDICES) };
    assert_true(sizes[0] > 0 && sizes[1] > 0);
    if (damage) packed[damage - 1][0] ^= 0xff;
    const size_t whole[2] = { sizeof s->positions, sizeof s->indices };
    const char*  modes[2] = { "ATTRIBUTES", "INDICES" };
    const int    counts[2] = { VERTICES, INDICES }, strides[2] = { 12, 2 };
    size_t       at = 0;
    for (int i = 0; i < 2; ++i) {
        while (b->binary.size % 4) grow(&b->binary, "", 1);
        item(&b->views,
             "{\"buffer\":1,\"byteOffset\":%zu,\"byteLength\":%zu,\"extensions\":{\"%s\":{\"buffer\":0,\"byteOffset\":%zu,"
             "\"byteLength\":%zu,\"byteStride\":%d,\"mode\":\"%s\",\"count\":%d}}}",
             at, whole[i], extension, b->binary.size, sizes[i], strides[i], modes[i], counts[i]);
        grow(&b->binary, packed[i], sizes[i]);
        at += whole[i];
    }
    while (b->binary.size % 4) grow(&b->binary, "", 1);
    item(&b->accessors, "{\"bufferView\":0,\"count\":%d,\"type\":\"VEC3\",\"componentType\":5126}", VERTICES);
    item(&b->accessors, "{\"bufferView\":1,\"count\":%d,\"type\":\"SCALAR\",\"componentType\":5123}", INDICES);
    show_mesh(b, "\"POSITION\":0", ",\"indices\":1");
    // The builder writes one buffer; a later member of the same name is the one that counts.
    item(&b->more, "\"buffers\":[{\"byteLength\":%zu},{\"byteLength\":%zu,\"extensions\":{\"%s\":{\"fallback\":true}}}]",
         b->binary.size, at, extension);
    item(&b->more, "\"extensionsUsed\":[\"%s\"]", extension);
    if (required) item(&b->more, "\"extensionsRequired\":[\"%s\"]", extension);
    return builder_glb(b);
}

static sup_result read_packed(sup_bytes bytes, const sup_extra* extra, sup_character** out, sup_error* error)
{
    sup_read_input in = { .path = "packed.glb", .bytes = bytes, .files = sup_files_system(), .extra = extra };
    *error = (sup_error){ 0 };
    return gltf_read(&in, out, error);
}

static void packed_files_are_read_bit_by_bit(void** state)
{
    (void)state;
    static const char* const names[] = { "EXT_meshopt_compression", "KHR_meshopt_compression" };
    for (int n = 0; n < 2; ++n) {
        builder        b = { 0 };
        sheet          s;
        sup_character* c;
        sup_error      error;
        make_sheet(&s);
        assert_ok(read_packed(build(&b, &s, names[n], true, 0), sup_extra_get(), &c, &error), error);
        assert_int_equal(c->mesh.vertex_count, VERTICES);
        assert_int_equal(c->mesh.corner_count, INDICES);
        for (uint32_t v = 0; v < VERTICES; ++v)
            assert_memory_equal(&c->mesh.points[c->mesh.vertex_points[v]], s.positions[v], 12);
        for (uint32_t i = 0; i < INDICES; ++i) assert_int_equal(c->mesh.corner_vertices[i], s.indices[i]);
        // Whoever writes the document again finds no trace of it.
        const gltf_source* source = c->source;
        assert_null(sup_json_get(source->root, "extensionsUsed"));
        assert_null(sup_json_get(source->root, "extensionsRequired"));
        assert_null(sup_json_get(source->views[0], "extensions"));
        done(c, &b);
    }
}

static void refuse(sup_bytes bytes, const sup_extra* extra, const char* words)
{
    sup_character* c = NULL;
    sup_error      error;
    assert_int_not_equal(read_packed(bytes, extra, &c, &error), SUP_OK);
    assert_null(c);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
}

static void without_the_codec_the_cure_is_named(void** state)
{
    (void)state;
    builder b = { 0 };
    sheet   s;
    make_sheet(&s);
    refuse(build(&b, &s, "EXT_meshopt_compression", true, 0), NULL, "build it with libmeshoptimizer");
    builder_free(&b);
}

static void damaged_bytes_are_refused(void** state)
{
    (void)state;
    for (int damage = 1; damage <= 2; ++damage) {
        builder b = { 0 };
        sheet   s;
        make_sheet(&s);
        refuse(build(&b, &s, "EXT_meshopt_compression", true, damage), sup_extra_get(), "cannot be unpacked");
        builder_free(&b);
    }
}

// Every byte of the packed data changed in turn: read or refused, never worse.
static void changed_bytes_never_crash(void** state)
{
    (void)state;
    builder b = { 0 };
    sheet   s;
    make_sheet(&s);
    sup_bytes file = build(&b, &s, "EXT_meshopt_compression", true, 0);
    uint8_t*  bytes = malloc(file.size);
    for (size_t i = 12; i < file.size; ++i) {
        memcpy(bytes, file.data, file.size);
        bytes[i] ^= 0x5a;
        sup_character* c = NULL;
        sup_error      error;
        if (read_packed((sup_bytes){ bytes, file.size }, sup_extra_get(), &c, &error) == SUP_OK) sup_character_destroy(c);
    }
    free(bytes);
    builder_free(&b);
}

static void packing_attributes_is_exact(void** state)
{
    (void)state;
    const sup_extra* extra = sup_extra_get();
    sheet            s;
    make_sheet(&s);
    size_t   capacity = extra->meshopt_bound(VERTICES, 12);
    uint8_t* packed = malloc(capacity);
    uint8_t  back[sizeof s.positions];
    size_t   size = extra->meshopt_encode(VERTICES, 12, s.positions, packed, capacity);
    assert_in_range(size, 1, capacity);
    assert_true(size < sizeof s.positions);
    assert_true(
        extra->meshopt_decode(SUP_MESHOPT_ATTRIBUTES, SUP_MESHOPT_NONE, VERTICES, 12, (sup_bytes){ packed, size }, back));
    assert_memory_equal(back, s.positions, sizeof back);
    assert_false(
        extra->meshopt_decode(SUP_MESHOPT_ATTRIBUTES, SUP_MESHOPT_NONE, VERTICES, 10, (sup_bytes){ packed, size }, back));
    assert_false(extra->meshopt_decode(SUP_MESHOPT_TRIANGLES, SUP_MESHOPT_NONE, 4, 2, (sup_bytes){ packed, size }, back));
    free(packed);
}

// ---------------------------------------------------------------------------------------------- bakes

static void packed_bakes_are_smaller_and_exact(void** state)
{
    (void)state;
    test_folder    folder;
    sup_error      error;
    sup_character *tube = test_tube(40, 24, 4, 6, 0.5f), *dense, *packed;
    test_folder_make(&folder);
    test_bake a = {
        .character = tube, .clip = &tube->clips[0], .path = test_folder_file(&folder, "dense.glb"), .fps = 12, .frames = 13
    };
    test_bake b = a;
    b.path = test_folder_file(&folder, "packed.glb");
    b.meshopt = true;
    b.extra = sup_extra_get();
    assert_ok(test_bake_run(&a, NULL, &error), error);
    assert_ok(test_bake_run(&b, NULL, &error), error);
    assert_int_equal(test_folder_count(&folder), 2); // no spill is left behind
    assert_true(b.bytes < a.bytes);
    assert_true(test_bake_error(&b, "bend.dualquat") < 1e-5);
    sup_load_options options = { .extra = sup_extra_get() };
    assert_ok(sup_load(a.path, NULL, &dense, &error), error);
    assert_ok(sup_load(b.path, &options, &packed, &error), error);
    assert_int_equal(packed->morph_count, dense->morph_count);
    for (uint32_t m = 0; m < dense->morph_count; ++m)
        assert_memory_equal(packed->morphs[m].deltas, dense->morphs[m].deltas, dense->mesh.point_count * sizeof(sup_vec3));
    print_message("%llu bytes packed, %llu dense\n", (unsigned long long)b.bytes, (unsigned long long)a.bytes);
    sup_character_destroy(dense);
    sup_character_destroy(packed);
    test_folder_remove(&folder);
    sup_character_destroy(tube);
}

static void packed_bakes_can_be_baked_again(void** state)
{
    (void)state;
    test_folder    folder;
    sup_error      error;
    sup_character *tube = test_tube(8, 8, 2, 3, 0.5f), *once;
    test_folder_make(&folder);
    test_bake a = { .character = tube,
                    .clip = &tube->clips[0],
                    .path = test_folder_file(&folder, "once.glb"),
                    .fps = 4,
                    .frames = 3,
                    .meshopt = true,
                    .extra = sup_extra_get() };
    assert_ok(test_bake_run(&a, NULL, &error), error);
    sup_load_options options = { .extra = sup_extra_get() };
    assert_ok(sup_load(a.path, &options, &once, &error), error);
    test_bake b = a;
    b.character = once;
    b.clip = &once->clips[0];
    b.chain = "again";
    b.path = test_folder_file(&folder, "twice.glb");
    for (int meshopt = 0; meshopt < 2; ++meshopt) {
        b.meshopt = meshopt;
        assert_ok(test_bake_run(&b, NULL, &error), error);
        assert_true(test_bake_error(&b, "bend.again") < 1e-5);
    }
    sup_character_destroy(once);
    test_folder_remove(&folder);
    sup_character_destroy(tube);
}

// Where only some points move, both together are smaller than either, and the points are those of all the others.
static void sparse_targets_can_be_packed_too(void** state)
{
    (void)state;
    test_folder    folder;
    sup_error      error;
    sup_character* tube = test_tube(40, 16, 4, 8, 1);
    uint64_t       bytes[4];
    test_folder_make(&folder);
    for (int i = 0; i < 4; ++i) {
        test_bake b = { .character = tube,
                        .clip = &tube->clips[0],
                        .path = test_folder_file(&folder, "both.glb"),
                        .fps = 10,
                        .frames = 6,
                        .local = true,
                        .sparse = i & 1,
                        .meshopt = i & 2,
                        .extra = sup_extra_get() };
        assert_ok(test_bake_run(&b, NULL, &error), error);
        assert_true(test_bake_error(&b, "bend.dualquat") < 1e-6);
        bytes[i] = b.bytes;
    }
    assert_true(bytes[3] < bytes[1] && bytes[3] < bytes[2] && bytes[3] < bytes[0]);
    test_folder_remove(&folder);
    sup_character_destroy(tube);
}

static void packing_that_cannot_be_is_refused(void** state)
{
    (void)state;
    test_folder    folder;
    sup_error      error = { 0 };
    sup_character* tube = test_tube(8, 8, 2, 3, 0.5f);
    test_folder_make(&folder);
    test_bake b = { .character = tube,
                    .clip = &tube->clips[0],
                    .path = test_folder_file(&folder, "no.glb"),
                    .fps = 4,
                    .frames = 2,
                    .meshopt = true };
    assert_int_equal(test_bake_run(&b, NULL, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "built without libmeshoptimizer"));
    assert_int_equal(test_folder_count(&folder), 0);
    test_folder_remove(&folder);
    sup_character_destroy(tube);
}

static void a_packed_bake_survives_every_refused_allocation(void** state)
{
    (void)state;
    test_folder    folder;
    sup_character* tube = test_tube(6, 6, 2, 3, 0.5f);
    test_folder_make(&folder);
    for (long fail_at = 0;; ++fail_at) {
        test_allocator a;
        sup_error      error = { 0 };
        test_bake      b = { .character = tube,
                             .clip = &tube->clips[0],
                             .path = test_folder_file(&folder, "tight.glb"),
                             .fps = 4,
                             .frames = 2,
                             .meshopt = true,
                             .extra = sup_extra_get() };
        test_allocator_init(&a, fail_at);
        sup_result result = test_bake_run(&b, &a.allocator, &error);
        assert_int_equal(a.live, 0);
        if (result == SUP_OK) break;
        assert_int_equal(test_folder_count(&folder), 0);
    }
    test_folder_remove(&folder);
    sup_character_destroy(tube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_files_are_read_bit_by_bit),
        cmocka_unit_test(without_the_codec_the_cure_is_named),
        cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(changed_bytes_never_crash),
        cmocka_unit_test(packing_attributes_is_exact),
        cmocka_unit_test(packed_bakes_are_smaller_and_exact),
        cmocka_unit_test(packed_bakes_can_be_baked_again),
        cmocka_unit_test(sparse_targets_can_be_packed_too),
        cmocka_unit_test(packing_that_cannot_be_is_refused),
        cmocka_unit_test(a_packed_bake_survives_every_refused_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif

// A bake into memory has the bytes of the same bake into files, in every format that can be written.
#include "support.h"

#include "supple/supple.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FRAMES = 4 };

static sup_character* character;
static char           folder[64];

static int make(void** state)
{
    (void)state;
    sup_error error;
    strcpy(folder, "/tmp/supple_memory_XXXXXX");
    return !mkdtemp(folder) || sup_builtin_create("arm", 300, NULL, &character, &error) != SUP_OK;
}
static int drop(void** state)
{
    (void)state;
    sup_character_destroy(character);
    return rmdir(folder); // fails where a bake left something
}

static void write_frames(sup_bake* bake)
{
    sup_arena*         arena = sup_arena_create(NULL);
    const sup_mesh*    mesh = &character->mesh;
    const sup_normals* normals;
    sup_error          error;
    sup_pose           pose;
    assert_ok(sup_pose_create(character, arena, &pose, &error), error);
    assert_ok(sup_normals_create(character, arena, &normals, &error), error);
    void*     scratch = sup_arena_alloc(arena, sup_normals_scratch(normals), 1);
    sup_vec3* points = sup_arena_copy(arena, mesh->points, mesh->point_count, sizeof *points);
    sup_vec3* turned = sup_arena_alloc(arena, mesh->vertex_count, sizeof *turned);
    for (uint32_t i = 0; i < FRAMES; ++i) {
        double time = i / 30.0;
        sup_clip_sample(character, character->clips, time, &pose);
        for (uint32_t p = 0; p < mesh->point_count; p += 7) points[p].y += 0.01f * (float)i;
        sup_normals_evaluate(normals, points, scratch, NULL, turned, NULL);
        assert_ok(sup_bake_frame_write(bake, &(sup_bake_frame){ i, time, &pose, points, turned }, &error), error);
    }
    sup_arena_destroy(arena);
}

static sup_bake_desc describe(const char* path)
{
    return (sup_bake_desc){ .path = path,
                            .character = character,
                            .clip = character->clips,
                            .chain = "test",
                            .fps = 30,
                            .frame_count = FRAMES };
}

static void expect_file(const char* name, sup_bytes wanted)
{
    sup_arena*       arena = sup_arena_create(NULL);
    const sup_files* files = sup_files_system();
    sup_bytes        bytes;
    sup_error        error;
    assert_ok(files->read(files->user, name, arena, &bytes, &error), error);
    assert_int_equal(bytes.size, wanted.size);
    assert_memory_equal(bytes.data, wanted.data, wanted.size);
    assert_int_equal(remove(name), 0);
    sup_arena_destroy(arena);
}

static void bytes_are_those_of_the_files(void** state)
{
    (void)state;
    static const char* const endings[] = { "glb", "gltf", "usda", "abc", "pc2", "mdd", "npy", "obj" };
    for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i)
        for (int sparse = 0; sparse < 2; ++sparse) {
            char path[128];
            snprintf(path, sizeof path, "%s/out.%s", folder, endings[i]);
            sup_bake_desc desc = describe(path);
            sup_bake *    on_disk = NULL, *in_memory = NULL;
            sup_error     error;
            uint64_t      size = 0, total = 0;
            desc.sparse = sparse;
            assert_ok(sup_bake_begin_memory(&desc, NULL, &in_memory, &error), error);
            write_frames(in_memory);
            assert_ok(sup_bake_end(in_memory, &size, NULL, &error), error);
            assert_int_not_equal(access(path, F_OK), 0);
            assert_ok(sup_bake_begin(&desc, NULL, &on_disk, &error), error);
            write_frames(on_disk);
            assert_ok(sup_bake_end(on_disk, NULL, NULL, &error), error);
            sup_bake_destroy(on_disk);
            const char* name;
            sup_bytes   bytes;
            uint32_t    count = 0;
            while (sup_bake_output(in_memory, count, &name, &bytes)) {
                expect_file(name, bytes);
                total += bytes.size;
                ++count;
            }
            assert_true(count >= 1 && total == size);
            sup_bake_destroy(in_memory);
        }
}

static void an_unfinished_bake_leaves_nothing(void** state)
{
    (void)state;
    sup_bake_desc desc = describe("nowhere/out.glb"); // no such folder: none is asked for
    sup_bake*     bake = NULL;
    sup_error     error;
    assert_ok(sup_bake_begin_memory(&desc, NULL, &bake, &error), error);
    sup_bake_destroy(bake);
}

static void characters_are_written_to_memory(void** state)
{
    (void)state;
    char       path[128];
    sup_arena* arena = sup_arena_create(NULL);
    sup_bytes  bytes;
    sup_error  error;
    snprintf(path, sizeof path, "%s/arm.glb", folder);
    assert_ok(sup_character_write(character, path, NULL, NULL, &error), error);
    assert_ok(sup_character_write_memory(character, arena, &bytes, &error), error);
    expect_file(path, bytes);
    sup_arena_destroy(arena);
}

static void running_out_of_memory_is_an_error(void** state)
{
    (void)state;
    for (test_starved s = { 0 }; test_starve(&s);) {
        sup_bake*     bake = NULL;
        sup_error     error;
        sup_bake_desc desc = describe("out.npy");
        sup_result    r = sup_bake_begin_memory(&desc, &s.memory.allocator, &bake, &error);
        for (uint32_t i = 0; !r && i < FRAMES; ++i) {
            sup_pose pose = { 0 };
            r = sup_bake_frame_write(bake,
                                     &(sup_bake_frame){ i, i / 30.0, &pose, character->mesh.points, character->mesh.points },
                                     &error);
        }
        if (!r) r = sup_bake_end(bake, NULL, NULL, &error);
        s.result = r ? error.code : SUP_OK;
        sup_bake_destroy(bake);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_those_of_the_files),
        cmocka_unit_test(an_unfinished_bake_leaves_nothing),
        cmocka_unit_test(characters_are_written_to_memory),
        cmocka_unit_test(running_out_of_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, make, drop);
}

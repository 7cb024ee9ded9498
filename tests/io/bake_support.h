/// tests/io/bake_support.h: a bake with known points, and the same points read back out of the file.
#ifndef SUP_TESTS_IO_BAKING_H
#define SUP_TESTS_IO_BAKING_H

#include "support.h"

#include "math/vec.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// A folder of its own for each test program, below the working one, removed with what is in it.
typedef struct test_folder {
    char path[64];
    char name[8][128];
    int  turn;
} test_folder;

static inline void test_folder_make(test_folder* folder)
{
    strcpy(folder->path, "bake-test-XXXXXX");
    assert_non_null(mkdtemp(folder->path));
    folder->turn = 0;
}

static inline const char* test_folder_file(test_folder* folder, const char* file)
{
    char* name = folder->name[folder->turn++ % 8];
    strcpy(name, folder->path);
    strcat(name, "/");
    strcat(name, file);
    return name;
}

/// Files in the folder, hidden ones too.
static inline int test_folder_count(const test_folder* folder)
{
    int  count = 0;
    DIR* dir = opendir(folder->path);
    assert_non_null(dir);
    for (struct dirent* entry; (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) count++;
    closedir(dir);
    return count;
}

/// Removes the files whose names end so. How many there were.
static inline int test_folder_unlink(test_folder* folder, const char* ending)
{
    int  count = 0;
    DIR* dir = opendir(folder->path);
    assert_non_null(dir);
    for (struct dirent* entry; (entry = readdir(dir));) {
        char   name[512];
        size_t length = strlen(entry->d_name);
        if (length < strlen(ending) || strcmp(entry->d_name + length - strlen(ending), ending) != 0) continue;
        snprintf(name, sizeof name, "%s/%s", folder->path, entry->d_name);
        count += unlink(name) == 0;
    }
    closedir(dir);
    return count;
}

static inline void test_folder_remove(test_folder* folder)
{
    DIR* dir = opendir(folder->path);
    assert_non_null(dir);
    for (struct dirent* entry; (entry = readdir(dir));) {
        char name[512];
        snprintf(name, sizeof name, "%s/%s", folder->path, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && unlink(name) != 0) rmdir(name);
    }
    closedir(dir);
    rmdir(folder->path);
}

/// Where a viewer shows a point: morphed, then linearly blended, in double.
static inline void test_viewer_points(const sup_character* c, const sup_pose* pose, sup_vec3* out)
{
    sup_vec3*       morphed = calloc(c->mesh.point_count, sizeof *morphed);
    const sup_vec3* rest = sup_pose_morph(c, pose, morphed);
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        double sum[3] = { 0 };
        for (uint32_t i = c->weights.begin[p]; i < c->weights.begin[p + 1]; ++i) {
            const sup_affine* m = &pose->skin[c->weights.joints[i]];
            for (int k = 0; k < 3; ++k)
                sum[k] += (double)c->weights.values[i] * ((double)m->m[k][0] * rest[p].x + (double)m->m[k][1] * rest[p].y +
                                                          (double)m->m[k][2] * rest[p].z + m->m[k][3]);
        }
        out[p] = v3((float)sum[0], (float)sum[1], (float)sum[2]);
    }
    free(morphed);
}

/// Points that no linear blend gives: a wave across the body that grows with time.
static inline void test_living_points(const sup_character* c, const sup_pose* pose, double time, sup_vec3* out)
{
    test_viewer_points(c, pose, out);
    float size = c->mesh.diagonal;
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        float wave = 0.02f * size * (float)(1 + time) * (float)((p % 7) - 3.0f) / 3.0f;
        out[p] = v3_add(out[p], v3(wave, -wave, 0.5f * wave));
    }
}

/// The same, but only every 20th point leaves where the blend puts it.
static inline void test_local_points(const sup_character* c, const sup_pose* pose, double time, sup_vec3* out)
{
    test_viewer_points(c, pose, out);
    for (uint32_t p = 0; p < c->mesh.point_count; p += 20) out[p].y += 0.05f * c->mesh.diagonal * (float)(1 + time);
}

typedef struct test_bake {
    const sup_character* character;
    const sup_clip*      clip; ///< NULL: the pose below is held
    const sup_pose*      pose;
    const char*          path;
    const char*          chain;
    double               start, fps, end;
    uint32_t             frames;
    bool                 flat, loop;
    bool                 sparse, meshopt;
    const sup_extra*     extra;          ///< for --meshopt, and to read it back
    const sup_bake_budget* budget;
    bool                 local;          ///< only every 20th point leaves where a viewer's blend puts it
    uint64_t             bytes;          ///< out
    char                 warnings[4096]; ///< out
    sup_bake_report      report;         ///< out; its lists do not live
} test_bake;

static inline sup_bake_desc test_bake_desc(const test_bake* b)
{
    return (sup_bake_desc){ .path = b->path,
                            .character = b->character,
                            .clip = b->clip,
                            .chain = b->chain ? b->chain : "dualquat",
                            .start = b->start,
                            .end = b->end,
                            .fps = b->fps,
                            .loop = b->loop,
                            .frame_count = b->frames,
                            .flat = b->flat,
                            .sparse = b->sparse,
                            .meshopt = b->meshopt,
                            .budget = b->budget,
                            .extra = b->extra };
}

/// Bakes living points. The result is that of the first step that failed.
static inline sup_result test_bake_run(test_bake* b, const sup_allocator* allocator, sup_error* error)
{
    const sup_character* c = b->character;
    sup_bake_desc        desc = test_bake_desc(b);
    sup_bake*            bake = NULL;
    sup_arena*           arena = sup_arena_create(NULL);
    const sup_normals*   normals;
    sup_pose             pose;
    assert_ok(sup_pose_create(c, arena, &pose, error), *error);
    assert_ok(sup_normals_create(c, arena, &normals, error), *error);
    sup_vec3*  points = sup_arena_alloc(arena, c->mesh.point_count, sizeof *points);
    sup_vec3*  turned = sup_arena_alloc(arena, c->mesh.vertex_count, sizeof *turned);
    void*      scratch = sup_arena_alloc(arena, sup_normals_scratch(normals), 1);
    sup_result result = sup_bake_begin(&desc, allocator, &bake, error);
    for (uint32_t f = 0; f < b->frames && result == SUP_OK; ++f) {
        double time = b->start + (double)f / b->fps;
        if (b->clip) sup_clip_sample(c, b->clip, time, &pose);
        else sup_pose_copy(b->pose, &pose);
        (b->local ? test_local_points : test_living_points)(c, &pose, time, points);
        sup_normals_evaluate(normals, points, scratch, NULL, turned, NULL);
        const sup_bake_frame frame = { f, time, &pose, points, turned };
        result = sup_bake_frame_write(bake, &frame, error);
    }
    const char* warnings = NULL;
    if (result == SUP_OK) result = sup_bake_end(bake, &b->bytes, &warnings, error);
    snprintf(b->warnings, sizeof b->warnings, "%s", warnings ? warnings : "");
    if (result == SUP_OK && sup_bake_report_get(bake)) b->report = *sup_bake_report_get(bake);
    sup_bake_destroy(bake);
    sup_arena_destroy(arena);
    return result;
}

/// Bakes with memory that ends at the first allocation, at the second and so on, until there is enough. Before that nothing is
/// left behind, in memory or in the folder.
static inline void test_bake_starved(const test_bake* like, const test_folder* folder)
{
    for (test_starved s = { 0 }; test_starve(&s);) {
        test_bake b = *like;
        sup_error error;
        s.result = test_bake_run(&b, &s.memory.allocator, &error);
        if (s.result != SUP_OK) assert_int_equal(test_folder_count(folder), 0);
    }
}

/// The part of a read-back character that a part went into: of its name, or "NAME baked" where it lost its skin.
static inline const sup_part* test_part_again(const sup_character* again, const sup_part* part, uint32_t nth)
{
    if (nth < again->mesh.part_count) {
        const sup_part* same = &again->mesh.parts[nth];
        if (strcmp(same->name, part->name) == 0 && same->vertex_count == part->vertex_count) return same;
    }
    for (uint32_t p = 0; p < again->mesh.part_count; ++p) {
        const sup_part* other = &again->mesh.parts[p];
        if (strncmp(other->name, part->name, strlen(part->name)) == 0 && other->vertex_count == part->vertex_count)
            return other;
    }
    fail_msg("part '%s' of %u vertices is gone", part->name, part->vertex_count);
    return NULL;
}

/// Largest distance between the stored vertices of two characters in their poses, over the diagonal.
static inline double test_distance_of(const sup_character* a, const sup_vec3* a_points, const sup_character* b,
                                      const sup_vec3* b_points, bool budget)
{
    double worst = 0;
    for (uint32_t p = 0; p < a->mesh.part_count; ++p) {
        const sup_part* from = &a->mesh.parts[p];
        const sup_part* to = test_part_again(b, from, p);
        // Points keep their numbers where a budget put the vertices into another order.
        for (uint32_t k = 0; budget && k < from->point_count; ++k) {
            double d = (double)v3_distance(a_points[from->point_begin + k], b_points[to->point_begin + k]);
            if (!(d <= worst)) worst = d;
        }
        for (uint32_t v = 0; !budget && v < from->vertex_count; ++v) {
            sup_vec3 x = a_points[a->mesh.vertex_points[from->vertex_begin + v]];
            sup_vec3 y = b_points[b->mesh.vertex_points[to->vertex_begin + v]];
            double   d = (double)v3_distance(x, y);
            if (!(d <= worst)) worst = d;
        }
    }
    return worst / (double)a->mesh.diagonal;
}

static inline double test_distance(const sup_character* a, const sup_vec3* a_points, const sup_character* b,
                                   const sup_vec3* b_points)
{
    return test_distance_of(a, a_points, b, b_points, false);
}

/// Reads the file and plays the clip: the largest distance of any vertex from the living points, over the diagonal.
static inline double test_bake_error(const test_bake* b, const char* clip_name)
{
    const sup_character*   c = b->character;
    sup_character*         again = NULL;
    sup_error              error;
    const sup_load_options options = { .extra = b->extra };
    assert_ok(sup_load(b->path, &options, &again, &error), error);
    const sup_clip* clip = sup_character_clip(again, clip_name);
    if (!clip) fail_msg("'%s' has no clip '%s'", b->path, clip_name);
    sup_arena* arena = sup_arena_create(NULL);
    sup_pose   pose, pose_again;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    assert_ok(sup_pose_create(again, arena, &pose_again, &error), error);
    sup_vec3* points = sup_arena_alloc(arena, c->mesh.point_count, sizeof *points);
    sup_vec3* shown = sup_arena_alloc(arena, again->mesh.point_count, sizeof *shown);
    double    worst = 0;
    for (uint32_t f = 0; f < b->frames; ++f) {
        double time = b->start + (double)f / b->fps;
        if (b->clip) sup_clip_sample(c, b->clip, time, &pose);
        else sup_pose_copy(b->pose, &pose);
        (b->local ? test_local_points : test_living_points)(c, &pose, time, points);
        sup_clip_sample(again, clip, (double)(float)((double)f / b->fps), &pose_again);
        test_viewer_points(again, &pose_again, shown);
        double d = test_distance_of(c, points, again, shown, b->budget != NULL);
        if (!(d <= worst)) worst = d;
    }
    sup_arena_destroy(arena);
    sup_character_destroy(again);
    return worst;
}

#endif

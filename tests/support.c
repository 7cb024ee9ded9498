#include "support.h"

#include "math/vec.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void* allocate(void* user, size_t bytes)
{
    test_allocator* a = user;
    if (a->fail_at >= 0 && a->calls++ >= a->fail_at) return NULL;
    void* p = malloc(bytes);
    if (p) a->live++, a->bytes += bytes;
    return p;
}

static void release(void* user, void* memory, size_t bytes)
{
    test_allocator* a = user;
    a->live--;
    a->bytes -= bytes;
    free(memory);
}

void test_allocator_init(test_allocator* a, long fail_at)
{
    *a = (test_allocator){ .allocator = { allocate, release, a }, .fail_at = fail_at };
}

bool test_starve(test_starved* s)
{
    assert_true(s->rounds < 20000);
    if (s->rounds > 0) {
        assert_int_equal(s->memory.live, 0);
        assert_int_equal(s->memory.bytes, 0);
        if (s->result == SUP_OK) {
            assert_true(s->rounds > 1);
            return false;
        }
        assert_int_equal(s->result, SUP_ERROR_MEMORY);
    }
    s->result = SUP_ERROR_MEMORY;
    test_allocator_init(&s->memory, s->rounds++);
    return true;
}

void test_write(const char* path, const void* data, size_t bytes)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

const char* test_data(const char* relative)
{
    static char path[4][1024]; // a few at a time, tests are single-threaded
    static int  turn;
    char*       p = path[turn++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", SUPPLE_SHARED_DATA, relative);
    return access(p, R_OK) == 0 ? p : NULL;
}

bool test_warned(const sup_character* c, const char* words)
{
    for (uint32_t i = 0; i < c->warning_count; ++i)
        if (strstr(c->warnings[i], words)) return true;
    for (uint32_t i = 0; i < c->warning_count; ++i) print_message("warning: %s\n", c->warnings[i]);
    return false;
}

sup_character* test_character(const sup_character_desc* desc)
{
    sup_character* c = NULL;
    sup_error      error;
    assert_ok(sup_character_create(desc, NULL, &c, &error), error);
    return c;
}

sup_character* test_character_with(const sup_character* c, const sup_part_desc* part)
{
    return test_character(&(sup_character_desc){ .name = part->name,
                                                 .part_count = 1,
                                                 .parts = part,
                                                 .joint_count = c->skeleton.joint_count,
                                                 .joints = c->skeleton.joints,
                                                 .clip_count = c->clip_count,
                                                 .clips = c->clips,
                                                 .metres_per_unit = 1 });
}

sup_character* test_tube(uint32_t rings, uint32_t sides, uint32_t joints, float length, float radius)
{
    uint32_t  point_count = rings * sides + 2, face_count = (rings - 1) * sides + 2 * sides;
    sup_vec3* points = calloc(point_count, sizeof *points);
    uint32_t* sizes = calloc(face_count, sizeof *sizes);
    uint32_t* corners = calloc((size_t)face_count * 4, sizeof *corners);
    uint32_t* influences = calloc((size_t)point_count * 2, sizeof *influences);
    float*    weights = calloc((size_t)point_count * 2, sizeof *weights);
    uint32_t  f = 0, c = 0;
    for (uint32_t r = 0; r < rings; ++r)
        for (uint32_t s = 0; s < sides; ++s) {
            double angle = 6.283185307179586 * s / sides;
            points[r * sides + s] =
                v3(length * (float)r / (float)(rings - 1), radius * (float)cos(angle), radius * (float)sin(angle));
        }
    uint32_t low = rings * sides, high = low + 1;
    points[low] = v3(0, 0, 0);
    points[high] = v3(length, 0, 0);
    for (uint32_t r = 0; r + 1 < rings; ++r)
        for (uint32_t s = 0; s < sides; ++s) {
            uint32_t n = (s + 1) % sides;
            sizes[f++] = 4;
            corners[c++] = r * sides + s;
            corners[c++] = r * sides + n;
            corners[c++] = (r + 1) * sides + n;
            corners[c++] = (r + 1) * sides + s;
        }
    for (uint32_t s = 0; s < sides; ++s) {
        uint32_t n = (s + 1) % sides;
        sizes[f++] = 3;
        corners[c++] = low;
        corners[c++] = n;
        corners[c++] = s;
        sizes[f++] = 3;
        corners[c++] = high;
        corners[c++] = (rings - 1) * sides + s;
        corners[c++] = (rings - 1) * sides + n;
    }
    float span = length / (float)joints;
    for (uint32_t p = 0; p < point_count; ++p) {
        float    at = points[p].x / span - 0.5f; // joint i owns the span from i to i + 1
        float    low_joint = sup_clampf(floorf(at), 0, (float)joints - 1);
        float    share = joints > 1 ? sup_clampf(at - low_joint, 0, 1) : 0;
        uint32_t j = (uint32_t)low_joint;
        influences[2 * p] = j;
        influences[2 * p + 1] = j + 1 < joints ? j + 1 : j;
        weights[2 * p] = j + 1 < joints ? 1 - share : 1;
        weights[2 * p + 1] = j + 1 < joints ? share : 0;
    }
    sup_joint*   js = calloc(joints, sizeof *js);
    sup_channel* channels = calloc(joints, sizeof *channels);
    char(*names)[16] = calloc(joints, sizeof *names);
    static const float times[] = { 0, 1 };
    static const float turns[] = { 0, 0, 0, 1, 0, 0, 0.25881905f, 0.9659258f }; // 30 degrees about z
    for (uint32_t j = 0; j < joints; ++j) {
        snprintf(names[j], sizeof names[j], "joint%u", j);
        js[j] = (sup_joint){ .name = names[j], .parent = j ? j - 1 : SUP_NONE, .skin_joint = true, .rest = transform_identity(),
                             .inverse_bind = affine_identity(), .source_id = SUP_NONE };
        js[j].rest.translation = v3(j ? span : 0, 0, 0);
        js[j].inverse_bind.m[0][3] = -span * (float)j;
        channels[j] = (sup_channel){ .target = j, .path = SUP_PATH_ROTATION, .interpolation = SUP_INTERPOLATE_LINEAR,
                                     .key_count = 2, .width = 4, .times = times, .values = turns };
    }
    sup_part_desc part = { .name = "tube", .vertex_count = point_count, .positions = points, .face_count = face_count,
                           .face_sizes = sizes, .corners = corners, .width = 2, .joints = influences, .weights = weights,
                           .joint = SUP_NONE, .source_id = SUP_NONE };
    sup_clip clip = { .name = "bend", .seconds = 1, .channel_count = joints - 1, .channels = channels + 1, .source_id = SUP_NONE };
    sup_character_desc desc = { .name = "tube", .part_count = 1, .parts = &part, .joint_count = joints, .joints = js,
                                .clip_count = 1, .clips = &clip, .metres_per_unit = 1 };
    sup_character* character = test_character(&desc);
    free(points), free(sizes), free(corners), free(influences), free(weights), free(js), free(channels), free(names);
    return character;
}

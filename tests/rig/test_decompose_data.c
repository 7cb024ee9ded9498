// Real sequences: how near a few bones come. Figures are E_RMS: 1000 sqrt(sum of squares / (3 points frames)), diagonal = 1.
// The paper quotes 4.6 for the horse on ten bones; a plain alternation of bones and weights reaches 3.30.
#include "support.h"

#include "supple/rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sequence {
    sup_character* rest;
    uint32_t       count;
    sup_vec3*      frames;
} sequence;

static sequence load(const char* rest, const char* format, const int* numbers, uint32_t count)
{
    sequence  s = { .count = count };
    sup_error error;
    assert_ok(sup_load(test_data(rest), NULL, &s.rest, &error), error);
    uint32_t n = s.rest->mesh.point_count;
    s.frames = malloc((size_t)count * n * sizeof *s.frames);
    for (uint32_t f = 0; f < count; ++f) {
        char name[100];
        snprintf(name, sizeof name, format, numbers ? numbers[f] : (int)f + 1);
        sup_character* frame = test_load(test_data(name));
        assert_int_equal(frame->mesh.point_count, n);
        memcpy(s.frames + (size_t)f * n, frame->mesh.points, n * sizeof *s.frames);
        sup_character_destroy(frame);
    }
    return s;
}

// Fits, checks that every point's weights are convex, and returns the result without its arrays.
static sup_decomposition fit(const sequence* s, uint32_t bones, uint32_t influences)
{
    const sup_mesh*             mesh = &s->rest->mesh;
    sup_arena*                  arena = sup_arena_create(NULL);
    sup_pool*                   pool = sup_pool_create(0);
    sup_decomposition           out;
    sup_error                   error;
    const sup_decompose_input   in = { mesh->point_count, s->count, mesh->points, s->frames, 0, NULL, NULL };
    const sup_decompose_options options = { .bones = bones, .influences = influences, .tasks = sup_pool_tasks(pool) };
    assert_ok(sup_decompose(&in, &options, arena, &out, &error), error);
    for (uint32_t p = 0; p < out.point_count; ++p) {
        double sum = 0;
        for (uint32_t i = 0; i < out.influences; ++i) {
            assert_true(out.weights[(size_t)p * out.influences + i] >= 0);
            sum += (double)out.weights[(size_t)p * out.influences + i];
        }
        assert_true(fabs(sum - 1) < 1e-6);
    }
    print_message("%s: %u bones, %u influences: E_RMS %.3f, rms %.5f of the diagonal, %u rounds, %u bones moved\n",
                  s->rest->name, out.bone_count, out.influences, out.erms, out.rms / (double)mesh->diagonal, out.rounds,
                  out.moved);
    sup_pool_destroy(pool);
    sup_arena_destroy(arena);
    return out;
}

static void release(sequence* s)
{
    free(s->frames);
    sup_character_destroy(s->rest);
}

static void the_horse_gallops_on_ten_and_on_twenty_bones(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "horse-gallop/reference.obj");
    (void)path;
    sequence s = load("horse-gallop/reference.obj", "horse-gallop/%04d.obj", NULL, 24);
    assert_true(fit(&s, 10, 4).erms <= 3.3);
    assert_true(fit(&s, 20, 4).erms <= 1.25);
    release(&s);
}

static void the_dancer_needs_thirty_bones(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "samba/mesh_0000.obj");
    (void)path;
    static const int numbers[] = { 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62, 64 };
    sequence         s = load("samba/mesh_0000.obj", "samba/mesh_%04d.obj", numbers, 13);
    assert_true(fit(&s, 30, 4).erms <= 1.3);
    release(&s);
}

static void the_soft_cow_is_thrown_on_twenty_bones(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "elastic-cow/0001.obj");
    (void)path;
    static const int numbers[] = { 1, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25 };
    sequence         s = load("elastic-cow/0001.obj", "elastic-cow/%04d.obj", numbers, 18);
    assert_true(fit(&s, 20, 4).erms <= 1.5);
    release(&s);
}

// Its own rig has 21 bones and up to nine influences a point: six poses are enough to find one as good, and one of four.
static void the_wolf_gets_its_rig_back(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "wolf-rig/wolf.obj");
    (void)path;
    sequence s = load("wolf-rig/wolf.obj", "wolf-rig/wolf-%d.obj", NULL, 6);
    double   diagonal = (double)s.rest->mesh.diagonal;
    assert_true(fit(&s, 21, 9).rms < 5e-4 * diagonal);
    assert_true(fit(&s, 21, 4).rms < 1e-3 * diagonal);
    release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_horse_gallops_on_ten_and_on_twenty_bones),
        cmocka_unit_test(the_dancer_needs_thirty_bones),
        cmocka_unit_test(the_soft_cow_is_thrown_on_twenty_bones),
        cmocka_unit_test(the_wolf_gets_its_rig_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

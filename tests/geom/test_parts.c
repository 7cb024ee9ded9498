// Parts and curves of shapes without a rig.
#include "geom/parts.h"

#include "math/vec.h"
#include "supple/io.h"
#include "supple/io_extra.h"
#include "supple/scene.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct shape {
    sup_character* character;
    sup_vec3*      points;
    sup_curve_mesh mesh;
} shape;

static shape shape_of(sup_character* c, float noise)
{
    shape           s = { .character = c, .points = malloc(c->mesh.point_count * sizeof(sup_vec3)) };
    const sup_mesh* m = &c->mesh;
    double          edge = 0;
    memcpy(s.points, m->points, m->point_count * sizeof *s.points);
    for (uint32_t i = 0; i < 3 * m->triangle_count; i += 3)
        edge += (double)v3_distance(m->points[m->triangles[i]], m->points[m->triangles[i + 1]]) / m->triangle_count;
    uint32_t seed = 1;
    for (uint32_t i = 0; i < 3 * m->point_count && noise > 0; ++i) {
        seed = seed * 1664525u + 1013904223u;
        ((float*)s.points)[i] += noise * (float)edge * ((float)(seed >> 8) / 8388608.0f - 1);
    }
    s.mesh = (sup_curve_mesh){ m->point_count, s.points,      m->triangle_count, m->triangles,
                               m->face_count,  m->face_begin, m->corner_points };
    return s;
}

static void shape_end(shape* s)
{
    free(s->points);
    sup_character_destroy(s->character);
}

// Share of the points that stand near a curve of their own limb: within one spacing, or the reach over which curves fade.
static double coverage(const shape* s, uint32_t curves, sup_parts* parts, sup_curves* net, sup_arena* arena)
{
    sup_error error;
    assert_ok(sup_parts_walk(&s->mesh, arena, parts, &error), error);
    sup_curves_desc d = { .mesh = s->mesh,
                          .labels = parts->labels,
                          .way = SUP_CURVES_AROUND,
                          .curves = curves,
                          .snap = 0.25f,
                          .single_parts = true,
                          .lines = parts->lines,
                          .line_count = parts->part_count };
    assert_ok(sup_curves_create(&d, arena, net, &error), error);
    sup_vec3* nodes = sup_arena_alloc(arena, net->point_count, sizeof *nodes);
    sup_curves_place(net, s->points, nodes);
    uint32_t near = 0, all = 0;
    for (uint32_t p = 0; p < s->mesh.point_count; ++p) {
        uint32_t limb = net->limbs[p];
        if (limb == SUP_NONE) continue; // of no triangle
        ++all;
        float least = 3e38f;
        for (uint32_t c = 0; c < net->curve_count; ++c) {
            if (net->curves[c].limb != limb) continue;
            for (uint32_t i = 0; i < net->curves[c].count; ++i)
                least = fminf(least, v3_distance(nodes[net->curves[c].begin + i], s->points[p]));
        }
        near += least <= fmaxf(net->lengths[limb] / (float)curves, 0.05f * s->character->mesh.diagonal);
    }
    return (double)near / all;
}

static void shapes_without_a_rig_are_covered_also_with_noise(void** state)
{
    (void)state;
    static const char* const files[] = { "horse-gallop/reference.obj",        "cat-poses/reference.obj",
                                         "closed-meshes/human_man.obj",       "closed-meshes/hand_closed.obj",
                                         "closed-meshes/armadillo.obj",       "closed-meshes/bunny.obj",
                                         "closed-meshes/octopus-low.mesh",    "closed-meshes/fish_low_resolution.obj",
                                         "closed-meshes/decimated-knight.off" };
    double                   worst = 1;
    for (uint32_t i = 0; i < sizeof files / sizeof *files; ++i)
        for (int noisy = 0; noisy < 2; ++noisy) {
            TEST_NEEDS_DATA(path, files[i]);
            sup_error      error = { 0 };
            sup_character* c = NULL;
            if (sup_load(path, &(sup_load_options){ .up = -1, .extra = sup_extra_get() }, &c, &error)) {
                print_message("  %s: %s\n", files[i], error.text); // built without assimp, which reads .off
                assert_non_null(strstr(files[i], ".off"));
                continue;
            }
            shape      s = shape_of(c, noisy ? 0.05f : 0);
            sup_arena* arena = sup_arena_create(NULL);
            sup_parts  parts;
            sup_curves net;
            double     share = coverage(&s, 24, &parts, &net, arena);
            print_message("  %s%s: %u tips, %u parts, %u curves, %.1f%% covered\n", files[i], noisy ? " with noise" : "",
                          parts.tip_count, parts.part_count, net.curve_count, 100 * share);
            worst = fmin(worst, share);
            sup_arena_destroy(arena), shape_end(&s);
        }
    assert_true(worst >= 0.95);
}

static void a_tube_has_its_two_ends_as_tips(void** state)
{
    (void)state;
    shape      s = shape_of(test_tube(41, 12, 2, 4.0f, 0.2f), 0);
    sup_arena* arena = sup_arena_create(NULL);
    sup_parts  parts;
    sup_curves net;
    double     share = coverage(&s, 8, &parts, &net, arena);
    assert_int_equal(parts.tip_count, 2);
    assert_int_equal(parts.part_count, 3);
    assert_true(share > 0.95);
    uint32_t closed = 0; // those on the border of two parts may be open
    for (uint32_t c = 0; c < net.curve_count; ++c) closed += net.curves[c].closed;
    assert_true(4 * closed >= 3 * net.curve_count);
    // The middle belongs to the body, the ends to their tips.
    for (uint32_t p = 0; p < s.mesh.point_count; ++p) {
        if (s.points[p].x < 0.5f) assert_true(parts.labels[p] == parts.labels[0]);
        if (fabsf(s.points[p].x - 2) < 0.2f) assert_int_equal(parts.labels[p], 2);
    }
    sup_arena_destroy(arena), shape_end(&s);
}

static void a_point_that_is_no_number_is_named(void** state)
{
    (void)state;
    shape      s = shape_of(test_tube(8, 6, 2, 1.0f, 0.2f), 0);
    sup_arena* arena = sup_arena_create(NULL);
    sup_parts  parts;
    sup_error  error;
    s.points[7].y = NAN;
    assert_int_equal(sup_parts_walk(&s.mesh, arena, &parts, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "point 7"));
    sup_arena_destroy(arena), shape_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tube_has_its_two_ends_as_tips),
        cmocka_unit_test(a_point_that_is_no_number_is_named),
        cmocka_unit_test(shapes_without_a_rig_are_covered_also_with_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

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
static double coverage(const shape* s, uint32_t curves, float snap, sup_parts* parts, sup_curves* net, sup_arena* arena)
{
    sup_error error;
    assert_ok(sup_parts_walk(&s->mesh, arena, parts, &error), error);
    sup_curves_desc d = { .mesh = s->mesh,
                          .labels = parts->labels,
                          .way = SUP_CURVES_AROUND,
                          .curves = curves,
                          .snap = snap,
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

// Where on the border of a triangle a curve point stands: 0 to 3 from corner to corner; -1: not on it.
static float border_place(const uint32_t* corners, sup_curve_point p)
{
    for (uint32_t k = 0; k < 3; ++k) {
        uint32_t a = corners[k], b = corners[(k + 1) % 3];
        if (p.a == p.b && p.a == a) return (float)k;
        if (p.a == a && p.b == b) return (float)k + p.ratio;
        if (p.a == b && p.b == a) return (float)k + 1 - p.ratio;
    }
    return -1;
}

typedef struct piece {
    uint32_t curve, next; ///< next of the same triangle
    float    from, to;
} piece;

static bool strictly_between(float x, float a, float b)
{
    float low = fminf(a, b) + 0.02f, high = fmaxf(a, b) - 0.02f; // a touch is none
    return x > low && x < high;
}

// Pairs of curves of one limb that pass through each other within a triangle: the ends of their pieces take turns on its
// border.
static uint32_t crossings(const shape* s, const sup_curves* net)
{
    uint32_t  triangles = s->mesh.triangle_count, found = 0, count = 0;
    uint32_t* head = malloc(triangles * sizeof *head);
    piece*    pieces = malloc(4 * (size_t)net->point_count * sizeof *pieces);
    bool*     met = calloc((size_t)net->curve_count * net->curve_count, 1);
    memset(head, 0xff, triangles * sizeof *head);
    uint32_t *begin = calloc(s->mesh.point_count + 2, sizeof *begin), *of = malloc(3 * (size_t)triangles * sizeof *of);
    for (uint32_t i = 0; i < 3 * triangles; ++i) ++begin[s->mesh.triangles[i] + 2];
    for (uint32_t i = 2; i < s->mesh.point_count + 2; ++i) begin[i] += begin[i - 1];
    for (uint32_t i = 0; i < 3 * triangles; ++i) of[begin[s->mesh.triangles[i] + 1]++] = i / 3;
    for (uint32_t c = 0; c < net->curve_count; ++c)
        for (uint32_t i = 0; i + !net->curves[c].closed < net->curves[c].count; ++i) {
            sup_curve_point p = net->points[net->curves[c].begin + i];
            sup_curve_point q = net->points[net->curves[c].begin + (i + 1) % net->curves[c].count];
            for (uint32_t k = begin[p.a]; k < begin[p.a + 1]; ++k) {
                const uint32_t* corners = s->mesh.triangles + 3 * (size_t)of[k];
                float           from = border_place(corners, p), to = border_place(corners, q);
                if (from < 0 || to < 0) continue;
                for (uint32_t x = head[of[k]]; x != SUP_NONE; x = pieces[x].next) {
                    const piece* o = &pieces[x];
                    bool         in = strictly_between(o->from, from, to), out = strictly_between(o->to, from, to);
                    bool         beside = fminf(fabsf(o->from - from), fabsf(o->from - to)) < 0.02f ||
                                  fminf(fabsf(o->to - from), fabsf(o->to - to)) < 0.02f;
                    if (in == out || beside || net->curves[o->curve].limb != net->curves[c].limb || o->curve == c) continue;
                    found += !met[(size_t)o->curve * net->curve_count + c];
                    met[(size_t)o->curve * net->curve_count + c] = true;
                }
                pieces[count] = (piece){ c, head[of[k]], from, to };
                head[of[k]] = count++;
                break;
            }
        }
    free(head), free(pieces), free(met), free(begin), free(of);
    return found;
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
            coverage(&s, 24, 0, &parts, &net, arena); // points that move onto vertices may pass each other within a triangle
            uint32_t cross = crossings(&s, &net);
            double   share = coverage(&s, 24, 0.25f, &parts, &net, arena);
            print_message("  %s%s: %u tips, %u parts, %u curves, %u crossings, %u left out, %.1f%% covered\n", files[i],
                          noisy ? " with noise" : "", parts.tip_count, parts.part_count, net.curve_count, cross, net.dropped,
                          100 * share);
            worst = fmin(worst, share);
            assert_int_equal(cross, 0);
            assert_int_equal(net.dropped, 0);
            sup_arena_destroy(arena), shape_end(&s);
        }
    assert_true(worst >= 0.98);
}

static void a_tube_has_its_two_ends_as_tips(void** state)
{
    (void)state;
    shape      s = shape_of(test_tube(41, 12, 2, 4.0f, 0.2f), 0);
    sup_arena* arena = sup_arena_create(NULL);
    sup_parts  parts;
    sup_curves net;
    double     share = coverage(&s, 8, 0.25f, &parts, &net, arena);
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

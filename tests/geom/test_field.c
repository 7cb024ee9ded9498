// One smooth coordinate along the limbs, and what its level lines take a surface apart into.
#include "support.h"

#include "base/internal.h"
#include "geom/curves/field.h"
#include "geom/curves/levels.h"
#include "math/vec.h"

#include <math.h>

typedef struct body {
    sup_character* character;
    sup_curve_mesh mesh;
    sup_topology   topology;
    sup_arena*     arena;
} body;

static body body_of(sup_character* c)
{
    body            b = { .character = c, .arena = sup_arena_create(NULL) };
    const sup_mesh* m = &c->mesh;
    sup_error       error;
    uint32_t*       begin = sup_arena_alloc(b.arena, m->triangle_count + 1, sizeof *begin);
    for (uint32_t t = 0; t <= m->triangle_count; ++t) begin[t] = 3 * t;
    b.mesh = (sup_curve_mesh){ m->point_count, m->points,     m->triangle_count, m->triangles,
                               m->face_count,  m->face_begin, m->corner_points };
    assert_ok(sup_topology_create(&(sup_polygons){ m->point_count, m->triangle_count, begin, m->triangles }, b.arena,
                                  &b.topology, &error),
              error);
    return b;
}

static void end(body* b)
{
    sup_arena_destroy(b->arena);
    sup_character_destroy(b->character);
}

// Along x, from 0 to 2, radius 0.2.
static body tube(void) { return body_of(test_tube(41, 16, 2, 2.0f, 0.2f)); }

static void fronts_cross_triangles_straight(void** state)
{
    (void)state;
    body      b = tube();
    sup_error error;
    float*    d = sup_arena_alloc(b.arena, b.mesh.point_count, sizeof *d);
    for (uint32_t p = 0; p < b.mesh.point_count; ++p) d[p] = 1;
    // From one ring on: ways along the tube.
    for (uint32_t p = 0; p < b.mesh.point_count; ++p)
        if (fabsf(b.mesh.points[p].x - 0.5f) < 1e-4f) d[p] = 0;
    assert_ok(sup_surface_distances(&b.mesh, &b.topology, b.arena, d, &error), error);
    for (uint32_t p = 0; p < b.mesh.point_count; ++p) {
        sup_vec3 at = b.mesh.points[p];
        if (at.y * at.y + at.z * at.z > 0.03f) assert_float_equal(d[p], fabsf(at.x - 0.5f), 1e-4);
    }
    // From one point: half around the tube, unrolled, is pi r away; edges alone would make it longer.
    uint32_t from = SUP_NONE;
    for (uint32_t p = 0; p < b.mesh.point_count && from == SUP_NONE; ++p)
        if (fabsf(b.mesh.points[p].x - 1) < 1e-4f) from = p;
    for (uint32_t p = 0; p < b.mesh.point_count; ++p) d[p] = p == from ? 0 : 1;
    assert_ok(sup_surface_distances(&b.mesh, &b.topology, b.arena, d, &error), error);
    for (uint32_t p = 0; p < b.mesh.point_count; ++p) {
        sup_vec3 at = b.mesh.points[p], a = b.mesh.points[from];
        if (fabsf(at.y + a.y) > 1e-4f || fabsf(at.z + a.z) > 1e-4f || fabsf(at.x - 1) > 0.6f) continue;
        double around = 16 * 2 * 0.2 * 0.19509032 / 2, along = (double)(at.x - 1); // half of 16 chords
        assert_float_equal(d[p], sqrt(around * around + along * along), 0.03);
    }
    end(&b);
}

static void the_coordinate_of_a_tube_is_the_distance_along_it(void** state)
{
    (void)state;
    body       b = tube();
    uint32_t   n = b.mesh.point_count;
    sup_error  error;
    float*     u = sup_arena_alloc(b.arena, n, sizeof *u);
    sup_guides g = { sup_arena_alloc(b.arena, n, sizeof(float)), sup_arena_alloc(b.arena, n, sizeof(sup_vec3)) };
    for (int guided = 0; guided < 2; ++guided) {
        for (uint32_t p = 0; p < n; ++p) // a guess with steps and with ways that sway from side to side
            g.place[p] = floorf(4 * b.mesh.points[p].x) / 4, g.direction[p] = v3(0.8f, p % 2 ? 0.3f : -0.3f, 0);
        if (!guided) assert_ok(sup_guides_by_distance(&b.mesh, &b.topology, NULL, b.arena, &g, &error), error);
        assert_ok(sup_guides_smooth(&b.mesh, &b.topology, &g, 0.05f, b.arena, u, &error), error);
        float sign = 0, middle = 0;
        for (uint32_t p = 0; p < n; ++p) {
            if (fabsf(b.mesh.points[p].x - 1) < 1e-4f) middle = u[p];
            if (fabsf(b.mesh.points[p].x - 1.5f) < 1e-4f && sign == 0) sign = u[p] > middle ? 1.0f : -1.0f;
        }
        for (uint32_t p = 0; p < n; ++p)
            if (fabsf(b.mesh.points[p].x - 1) < 0.8f) assert_float_equal(u[p] - middle, sign * (b.mesh.points[p].x - 1), 0.04);
    }
    end(&b);
}

static sup_levels levels_of(const body* b, const float* u, float height)
{
    sup_levels l;
    sup_error  error;
    assert_ok(sup_levels_create(&b->mesh, &b->topology, u, height, b->arena, &l, &error), error);
    return l;
}

// A coordinate with two summits on a tube: cos along x has its pit in the middle, and both ends are tips.
static void branches_go_from_tip_to_tip_and_small_ones_go(void** state)
{
    (void)state;
    body   b = tube();
    float* u = sup_arena_alloc(b.arena, b.mesh.point_count, sizeof *u);
    for (uint32_t p = 0; p < b.mesh.point_count; ++p) u[p] = b.mesh.points[p].x;
    sup_levels l = levels_of(&b, u, 0.02f);
    sup_levels_simplify(&l, 0.01f);
    sup_levels_settle(&l);
    assert_int_equal(l.branch_count, 1);
    assert_true(l.branches[0].tip[0] && l.branches[0].tip[1]);
    assert_true(l.branches[0].length > 1.9f && l.branches[0].length < 2.6f);
    // A bump on the side: a summit of its own, until branches as short as that go.
    uint32_t top = SUP_NONE;
    for (uint32_t p = 0; p < b.mesh.point_count && top == SUP_NONE; ++p)
        if (fabsf(u[p] - 1) < 1e-4f) top = p;
    u[top] += 0.15f;
    l = levels_of(&b, u, 0.02f);
    sup_levels_simplify(&l, 1e-4f);
    uint32_t alive = 0;
    for (uint32_t i = 0; i < l.branch_count; ++i) alive += l.branches[i].alive;
    assert_int_equal(alive, 3);
    sup_levels_simplify(&l, 0.3f);
    sup_levels_settle(&l);
    assert_int_equal(l.branch_count, 1);
    float along;
    assert_int_equal(sup_levels_place(&l, top, &along), 0); // the bump went where it stood
    assert_true(fabsf(along - 0.5f * l.branches[0].length) < 0.15f * l.branches[0].length);
    end(&b);
}

// Bands are thin where level lines fork, however high the others are: the bump's fork has a thousandth of the surface.
static void little_of_the_surface_is_left_to_forks(void** state)
{
    (void)state;
    body     b = tube();
    float*   u = sup_arena_alloc(b.arena, b.mesh.point_count, sizeof *u);
    double   all = 0, forks = 0;
    uint32_t top = SUP_NONE, found = 0;
    for (uint32_t p = 0; p < b.mesh.point_count; ++p) {
        u[p] = b.mesh.points[p].x;
        if (top == SUP_NONE && fabsf(u[p] - 1) < 1e-4f) top = p;
    }
    u[top] += 0.15f;
    sup_levels l = levels_of(&b, u, 0.04f);
    for (uint32_t i = 0; i < l.region_count; ++i) {
        all += l.regions[i].area;
        if (l.regions[i].fork) forks += l.regions[i].area, ++found;
    }
    assert_true(found == 1);
    assert_true(forks < 0.25 * 0.04 / 2 * all); // a quarter of a band of the fiftieth part
    end(&b);
}

/// How many beginnings (lower tips) rings show: limbs whose first ring has none before it at the same end.
static uint32_t beginnings(const sup_curves* curves, const sup_curve_mesh* mesh)
{
    (void)mesh;
    uint32_t count = 0;
    for (uint32_t c = 0; c < curves->curve_count; ++c) count += curves->curves[c].sides[0] == SUP_NONE;
    return count;
}

static void guides_that_lead_into_a_pit_are_mended(void** state)
{
    (void)state;
    body       b = tube();
    uint32_t   n = b.mesh.point_count;
    sup_error  error;
    sup_curves curves;
    sup_guides g = { sup_arena_alloc(b.arena, n, sizeof(float)), sup_arena_alloc(b.arena, n, sizeof(sup_vec3)) };
    // Both halves lead towards their own ends, so the middle is a ring of lowest points; at one end lies a pit besides.
    for (uint32_t p = 0; p < n; ++p) {
        float x = b.mesh.points[p].x;
        bool  up = x < 1.5f;
        g.place[p] = up ? x : 3 - x;
        g.direction[p] = v3(up ? 1.0f : -1.0f, 0, 0);
    }
    sup_curves_desc desc = { .mesh = b.mesh, .way = SUP_CURVES_AROUND, .curves = 16, .guides = &g };
    assert_ok(sup_curves_create(&desc, b.arena, &curves, &error), error);
    assert_int_equal(beginnings(&curves, &b.mesh), 1); // from end to end after all
    assert_true(curves.covered > 0.9f);
    for (uint32_t c = 0; c < curves.curve_count; ++c) assert_true(curves.curves[c].closed);
    end(&b);
}

static void lines_run_from_end_to_end_evenly(void** state)
{
    (void)state;
    body            b = tube();
    sup_error       error;
    sup_curves      curves;
    sup_curves_desc desc = { .mesh = b.mesh, .way = SUP_CURVES_ALONG, .curves = 12 };
    assert_ok(sup_curves_create(&desc, b.arena, &curves, &error), error);
    assert_int_equal(curves.curve_count, 12);
    for (uint32_t c = 0; c < 12; ++c) {
        const sup_curve* u = &curves.curves[c];
        assert_false(u->closed);
        assert_int_equal(curves.curves[u->sides[1]].sides[0], c);
        float low = 3, high = -1;
        for (uint32_t i = 0; i < u->count; ++i) {
            sup_curve_point p = curves.points[u->begin + i];
            float           x = b.mesh.points[p.a].x + p.ratio * (b.mesh.points[p.b].x - b.mesh.points[p.a].x);
            low = fminf(low, x), high = fmaxf(high, x);
        }
        assert_true(low < 0.2f && high > 1.8f);
    }
    end(&b);
}

// A pile of triangles without a body: bounded work, and the same twice.
static void soup_is_survived(void** state)
{
    (void)state;
    enum { TRIANGLES = 3000, POINTS = 700 };
    sup_arena* arena = sup_arena_create(NULL);
    sup_vec3*  points = sup_arena_alloc(arena, POINTS, sizeof *points);
    uint32_t * triangles = sup_arena_alloc(arena, 3 * TRIANGLES, sizeof *triangles), seed = 5;
    for (uint32_t i = 0; i < 3 * POINTS; ++i)
        seed = seed * 1664525u + 1013904223u, (&points[0].x)[i] = (float)(seed >> 8) * 0x1p-24f;
    for (uint32_t i = 0; i < 3 * TRIANGLES; ++i) seed = seed * 1664525u + 1013904223u, triangles[i] = (seed >> 8) % POINTS;
    for (uint32_t i = 0; i < 60; ++i) points[i] = points[0]; // and some on one spot
    for (int way = SUP_CURVES_AROUND; way <= SUP_CURVES_ALONG; ++way) {
        sup_curves      one = { 0 }, two = { 0 };
        sup_error       error;
        sup_curves_desc desc = { .mesh = { POINTS, points, TRIANGLES, triangles, 0, NULL, NULL },
                                 .way = (sup_curve_way)way,
                                 .curves = 8 };
        sup_result      r = sup_curves_create(&desc, arena, &one, &error);
        assert_int_equal(r, sup_curves_create(&desc, arena, &two, &error));
        assert_int_equal(one.point_count, two.point_count);
        for (uint32_t i = 0; r == SUP_OK && i < one.point_count; ++i) assert_true(one.points[i].ratio == two.points[i].ratio);
    }
    sup_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fronts_cross_triangles_straight),
        cmocka_unit_test(the_coordinate_of_a_tube_is_the_distance_along_it),
        cmocka_unit_test(branches_go_from_tip_to_tip_and_small_ones_go),
        cmocka_unit_test(little_of_the_surface_is_left_to_forks),
        cmocka_unit_test(guides_that_lead_into_a_pit_are_mended),
        cmocka_unit_test(lines_run_from_end_to_end_evenly),
        cmocka_unit_test(soup_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

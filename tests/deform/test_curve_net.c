#include "support.h"

#include "deform/beam/beam.h"
#include "math/vec.h"

#include <math.h>

enum { ACROSS = 3, ALONG = 6 };

/// A strip of quads, three columns along x: the middle column is at the given places.
static sup_mesh strip(const float* middle, sup_vec3* points, uint32_t* begin, uint32_t* corners, uint32_t* triangles)
{
    uint32_t f = 0, t = 0;
    for (uint32_t j = 0; j < ALONG; ++j)
        for (uint32_t i = 0; i < ACROSS; ++i)
            points[j * ACROSS + i] = v3(i == 1 ? middle[j] : 0.2f * (float)j, (float)i * 0.5f, 0);
    begin[0] = 0;
    for (uint32_t j = 0; j + 1 < ALONG; ++j)
        for (uint32_t i = 0; i + 1 < ACROSS; ++i) {
            uint32_t a = j * ACROSS + i, q[4] = { a, a + 1, a + 1 + ACROSS, a + ACROSS };
            uint32_t three[6] = { q[0], q[1], q[2], q[0], q[2], q[3] };
            for (uint32_t k = 0; k < 4; ++k) corners[4 * f + k] = q[k];
            for (uint32_t k = 0; k < 6; ++k) triangles[t++] = three[k];
            ++f;
            begin[f] = 4 * f;
        }
    return (sup_mesh){ .point_count = ACROSS * ALONG,
                       .points = points,
                       .face_count = f,
                       .face_begin = begin,
                       .corner_points = corners,
                       .triangle_count = 2 * f,
                       .triangles = triangles,
                       .diagonal = 1.5f };
}

/// Its three columns as curves, 10 intervals each.
static sup_curve_net net_of(const sup_mesh* mesh, sup_arena* arena)
{
    sup_curve_walk walks[ACROSS];
    uint32_t       turns[ACROSS][2 * ALONG];
    sup_curves     curves;
    sup_curve_net  net;
    sup_error      error;
    sup_curve_mesh m = sup_curve_mesh_of(mesh);
    for (uint32_t i = 0; i < ACROSS; ++i) { // told its way at every point: the border has no straight on
        for (uint32_t j = 1; j + 1 < ALONG; ++j)
            turns[i][2 * j - 2] = ACROSS * j + i, turns[i][2 * j - 1] = ACROSS * (j + 1) + i;
        walks[i] =
            (sup_curve_walk){ .from = i, .to = i + ACROSS, .stop = SUP_NONE, .turn_count = ALONG - 2, .turns = turns[i] };
    }
    sup_curves_desc desc = { .mesh = m, .way = SUP_CURVES_LOOPS, .walks = walks, .walk_count = ACROSS };
    assert_ok(sup_curves_create(&desc, arena, &curves, &error), error);
    assert_int_equal(curves.curve_count, ACROSS);
    assert_ok(sup_curve_net_create(mesh, &curves, 10, 0.1f, "test", arena, &net, &error), error);
    return net;
}

static void points_that_stand_on_each_other_take_no_length(void** state)
{
    (void)state;
    sup_vec3      points[ACROSS * ALONG];
    uint32_t      begin[16], corners[64], triangles[96];
    const float   doubled[ALONG] = { 0, 0.3f, 0.3f, 0.3f, 0.6f, 1.0f };
    sup_mesh      mesh = strip(doubled, points, begin, corners, triangles);
    sup_arena*    arena = sup_arena_create(NULL);
    sup_curve_net net = net_of(&mesh, arena);
    assert_int_equal(net.flat, 0);
    for (uint32_t n = 0; n <= 10; ++n) {
        sup_vec3 at = net.nodes[11 + n]; // the middle curve
        assert_true(v3_finite(at) && fabsf(at.x - 0.1f * (float)n) < 1e-6f);
    }
    for (uint32_t i = 0; i < mesh.point_count; ++i) // what they hold is shared: every point finds its place again
        for (int k = 0; k < 4; ++k) assert_true(isfinite(net.shares[4 * i + k]));
    sup_arena_destroy(arena);
}

static void a_curve_without_length_moves_by_its_mean(void** state)
{
    (void)state;
    sup_vec3      points[ACROSS * ALONG], moved[ACROSS * ALONG];
    uint32_t      begin[16], corners[64], triangles[96];
    const float   flat[ALONG] = { 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f };
    sup_mesh      mesh = strip(flat, points, begin, corners, triangles);
    sup_arena*    arena = sup_arena_create(NULL);
    sup_curve_net net = net_of(&mesh, arena);
    assert_int_equal(net.flat, 1);
    assert_true(net.lengths[1] == 0 && net.lengths[0] > 0.9);
    for (uint32_t i = 0; i < mesh.point_count; ++i) moved[i] = v3(0, 0, (float)(i / ACROSS));
    double* rows = sup_arena_alloc(arena, (size_t)11 * net.stride, sizeof *rows);
    beam_net_read(&net, moved, rows);
    for (uint32_t n = 0; n <= 10; ++n) {
        assert_true(fabs(rows[(size_t)n * net.stride + 2] - 0.5 * n) < 1e-6); // the first curve rises uniformly
        assert_true(rows[(size_t)n * net.stride + 5] == rows[5] && rows[5] > 2 && rows[5] < 3);
    }
    sup_arena_destroy(arena);
}

// Parts by painted maps: the largest matching map counts, and what none covers is left out.
static void groups_are_the_maps_that_match(void** state)
{
    (void)state;
    sup_error      error;
    sup_arena*     arena = sup_arena_create(NULL);
    sup_character* c = test_builtin("arm", 600);
    uint32_t       n = c->mesh.point_count;
    float*         values[3];
    sup_map        maps[3] = { { .name = "_OTHER" }, { .name = "_GROUP_UPPER" }, { .name = "_GROUP_LOWER" } };
    for (int m = 0; m < 3; ++m) values[m] = sup_arena_alloc(arena, n, sizeof(float)), maps[m].values = values[m];
    for (uint32_t i = 0; i < n; ++i) {
        float x = c->mesh.points[i].x;
        values[0][i] = 1;
        values[1][i] = x < 0.3f ? 0.8f : 0.1f;
        values[2][i] = x < 0.3f ? 0.2f : x < 0.6f ? 0.9f : 0;
        if (x >= 0.6f) values[1][i] = 0;
    }
    sup_character painted = *c;
    painted.maps = maps, painted.map_count = 3;
    const uint32_t* labels = NULL;
    assert_ok(sup_curve_labels(&(sup_bind_input){ .character = &painted }, "test", "_GROUP_*", arena, &labels, &error), error);
    for (uint32_t i = 0; i < n; ++i) {
        float x = c->mesh.points[i].x;
        assert_int_equal(labels[i], x < 0.3f ? 1 : x < 0.6f ? 2 : SUP_NONE);
    }
    sup_curves_desc desc = { .mesh = sup_curve_mesh_of(&c->mesh), .labels = labels, .way = SUP_CURVES_PLANES, .curves = 8 };
    sup_curves      curves;
    assert_ok(sup_curves_create(&desc, arena, &curves, &error), error);
    for (uint32_t i = 0; i < curves.point_count;
         ++i) // no ring where nothing is painted, but for the triangles across the border
        assert_true(c->mesh.points[curves.points[i].a].x < 0.66f);
    sup_arena_destroy(arena), sup_character_destroy(c);
}

// How much of a mesh the nodes of its curves hold: every point rebuilt from only the four around it, rms in % of the diagonal.
static void rebuilt(const char* name, uint32_t points, sup_curve_way way, uint32_t curves_wanted, uint32_t intervals,
                    double most)
{
    sup_error       error;
    sup_arena*      arena = sup_arena_create(NULL);
    sup_character*  c = test_builtin(name, points);
    const sup_mesh* m = &c->mesh;
    const uint32_t* labels = NULL;
    sup_curves      curves;
    sup_curve_net   net;
    assert_ok(sup_curve_labels(&(sup_bind_input){ .character = c }, "test", "", arena, &labels, &error), error);
    sup_curves_desc desc = {
        .mesh = sup_curve_mesh_of(m), .labels = labels, .way = way, .curves = curves_wanted, .snap = 0.25f
    };
    assert_ok(sup_curves_create(&desc, arena, &curves, &error), error);
    assert_ok(sup_curve_net_create(m, &curves, intervals, 0.05f * m->diagonal, "test", arena, &net, &error), error);
    double sum = 0;
    for (uint32_t i = 0; i < m->point_count; ++i) {
        const sup_curve_share* o = &net.transfer.points[i];
        sup_vec3               p = { 0, 0, 0 };
        for (int k = 0; k < 4; ++k) p = v3_mad(p, o->share[k] / o->fade, net.nodes[o->node[k]]);
        float d = v3_distance(p, m->points[i]);
        sum += (double)d * d;
    }
    double rms = 100 * sqrt(sum / m->point_count) / (double)m->diagonal;
    print_message("  %s: %u curves, %u nodes for %u points: rebuilt to %.3f%% of the diagonal\n", name, curves.curve_count,
                  net.node_count, m->point_count, rms);
    assert_true(rms < most);
    sup_arena_destroy(arena), sup_character_destroy(c);
}

// The paper: 748 curve points for 1390, 11,641 for 30,134, without a visible difference.
static void the_paper_s_share_of_points_holds_a_shape(void** state)
{
    (void)state;
    rebuilt("arm", 1390, SUP_CURVES_ALONG, 22, 33, 0.3);
    rebuilt("beast", 30000, SUP_CURVES_ALONG, 64, 33, 0.6);
    rebuilt("beast", 30000, SUP_CURVES_AROUND, 48, 33, 0.6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_that_stand_on_each_other_take_no_length),
        cmocka_unit_test(a_curve_without_length_moves_by_its_mean),
        cmocka_unit_test(groups_are_the_maps_that_match),
        cmocka_unit_test(the_paper_s_share_of_points_holds_a_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// The skin as the cells see it: nodes on the surface, and volumes measured between them.
#include "box_lattice.h"

#include "solve/lattice/lattice_volume.h"

#include <math.h>

// One box that fills its cells only in part: 12 x 3.4 x 3.4 cells.
static const sup_vec3 bar[][2] = { { { 0, 0, 0 }, { 12, 3.4f, 3.4f } } };

typedef struct skin {
    sup_arena*              arena;
    sup_vec3                points[16];
    uint32_t                triangles[72];
    sup_voxels              voxels;
    const sup_lattice_node* nodes;
} skin;

static skin make(const sup_vec3 (*boxes)[2], uint32_t count, uint32_t cells)
{
    skin      s = { .arena = sup_arena_create(NULL) };
    sup_error error;
    for (uint32_t i = 0; i < count; ++i) add_box(s.points, s.triangles, i, boxes[i][0], boxes[i][1]);
    box_lattice(boxes, count, cells, s.arena, &s.voxels);
    assert_ok(sup_lattice_nodes_find(&s.voxels, s.points, s.triangles, 12 * count, NULL, s.arena, &s.nodes, &error), error);
    return s;
}

// Two parts, one before the middle of the bar and one after it.
static sup_lattice_volume_desc halves(const skin* s)
{
    uint32_t *slots = SUP_NEW(s->arena, uint32_t, s->voxels.particle_count),
             *labels = SUP_NEW(s->arena, uint32_t, s->voxels.cell_count);
    for (uint32_t p = 0; p < s->voxels.particle_count; ++p) slots[p] = p;
    for (uint32_t c = 0; c < s->voxels.cell_count; ++c) labels[c] = s->voxels.cells[c] % s->voxels.size[0] > 6;
    return (sup_lattice_volume_desc){ .voxels = &s->voxels,
                                      .slots = slots,
                                      .slot_count = s->voxels.particle_count,
                                      .part_count = 2,
                                      .labels = labels,
                                      .nodes = s->nodes,
                                      .fade = 0.25f };
}

static sup_vec3 place_of(const skin* s, uint32_t p)
{
    sup_vec3 from = sup_voxels_position(&s->voxels, p), at = from;
    for (int a = 0; a < 3; ++a)
        at = v3_mad(at, s->nodes[p].share[a], v3_sub(sup_voxels_position(&s->voxels, s->nodes[p].beside[a]), from));
    return at;
}

static void nodes_of_the_border_lie_on_the_surface(void** state)
{
    (void)state;
    skin     s = make(bar, 1, 12);
    uint32_t on = 0;
    for (uint32_t p = 0; p < s.voxels.particle_count; ++p) {
        const sup_lattice_node* n = &s.nodes[p];
        assert_true(n->skin == (s.voxels.octants[p] != 0xff));
        if (!n->skin) continue;
        sup_vec3 at = place_of(&s, p), mixed = v3(0, 0, 0);
        for (int k = 0; k < 3; ++k) mixed = v3_mad(mixed, n->mix[k], s.points[n->points[k]]);
        assert_true(v3_distance(at, mixed) < 1e-4f);
        on += fabsf(at.y) < 1e-4f || fabsf(at.y - 3.4f) < 1e-4f || fabsf(at.z) < 1e-4f || fabsf(at.z - 3.4f) < 1e-4f ||
              fabsf(at.x) < 1e-4f || fabsf(at.x - 12) < 1e-4f;
    }
    assert_true(on > 100);
    sup_arena_destroy(s.arena);
}

static void the_skin_has_its_own_volume_and_not_that_of_its_cells(void** state)
{
    (void)state;
    skin                    s = make(bar, 1, 12);
    sup_error               error;
    sup_lattice_volume_desc desc = halves(&s);
    sup_lattice_volume      volume;
    assert_ok(sup_lattice_volume_create(&desc, s.arena, &volume, &error), error);
    assert_int_equal(volume.cell_parts, 0);
    double h3 = s.voxels.h * s.voxels.h * s.voxels.h, sum = volume.parts[0].rest + volume.parts[1].rest;
    print_message("skin %.3f, its box %.3f, cells %u\n", sum * h3, 12 * 3.4 * 3.4, s.voxels.cell_count);
    assert_float_equal(sum * h3, 12 * 3.4 * 3.4, 0.01 * 12 * 3.4 * 3.4);
    assert_true(s.voxels.cell_count * h3 > 1.3 * 12 * 3.4 * 3.4);
    sup_arena_destroy(s.arena);
}

// The same bar as a mesh: rings of 16 points every 0.5 along x, closed by a point at each end.
enum { RINGS = 25, RING = 16, NET_POINTS = RINGS * RING + 2, NET_TRIANGLES = 2 * RING * RINGS };
static void make_net(sup_vec3* points, uint32_t* triangles, bool flipped)
{
    uint32_t n = 0;
    for (uint32_t p = 0; p < RINGS * RING; ++p) {
        uint32_t side = p % RING / 4;
        float    t = 0.85f * (float)(p % 4), x = 0.5f * (float)(p / RING);
        points[p] = side == 0   ? v3(x, t, 0)
                    : side == 1 ? v3(x, 3.4f, t)
                    : side == 2 ? v3(x, 3.4f - t, 3.4f)
                                : v3(x, 0, 3.4f - t);
    }
    points[NET_POINTS - 2] = v3(0, 1.7f, 1.7f), points[NET_POINTS - 1] = v3(12, 1.7f, 1.7f);
    for (uint32_t r = 0; r + 1 < RINGS; ++r)
        for (uint32_t k = 0; k < RING; ++k) {
            uint32_t a = r * RING + k, b = r * RING + (k + 1) % RING, net[6] = { a, b, b + RING, a, b + RING, a + RING };
            for (int i = 0; i < 6; ++i) triangles[n++] = net[i];
        }
    for (uint32_t k = 0; k < RING; ++k) {
        uint32_t last = (RINGS - 1) * RING,
                 ends[6] = { NET_POINTS - 2, (k + 1) % RING, k, NET_POINTS - 1, last + k, last + (k + 1) % RING };
        for (int i = 0; i < 6; ++i) triangles[n++] = ends[i];
    }
    assert_int_equal(n, 3 * NET_TRIANGLES);
    for (uint32_t t = 0; t < n && flipped; t += 3) {
        uint32_t c = triangles[t];
        triangles[t] = triangles[t + 1], triangles[t + 1] = c;
    }
}

static void the_meshs_own_triangles_are_measured_whichever_way_they_face(void** state)
{
    (void)state;
    static sup_vec3 points[NET_POINTS];
    static uint32_t triangles[3 * NET_TRIANGLES], cells[NET_POINTS];
    static float    places[3 * NET_POINTS];
    for (int flipped = 0; flipped < 2; ++flipped) {
        skin      s = make(bar, 1, 12);
        sup_error error;
        make_net(points, triangles, flipped);
        for (uint32_t p = 0; p < NET_POINTS; ++p) cells[p] = sup_voxels_find(&s.voxels, points[p], places + 3 * (size_t)p);
        sup_lattice_volume_desc desc = halves(&s);
        desc.point_count = NET_POINTS, desc.point_cells = cells, desc.point_places = places;
        desc.triangle_count = NET_TRIANGLES, desc.triangles = triangles;
        sup_lattice_volume volume;
        double             h3 = s.voxels.h * s.voxels.h * s.voxels.h, now[2];
        assert_ok(sup_lattice_volume_create(&desc, s.arena, &volume, &error), error);
        assert_true(volume.exact);
        assert_float_equal(volume.parts[0].rest * h3, 6 * 3.4 * 3.4, 0.15 * 6 * 3.4 * 3.4); // cut where triangles end
        assert_float_equal((volume.parts[0].rest + volume.parts[1].rest) * h3, 12 * 3.4 * 3.4, 1e-2);
        // Stretched by a half along x, both parts are larger by a half.
        sup_vec3* x = SUP_NEW(s.arena, sup_vec3, s.voxels.particle_count);
        for (uint32_t p = 0; p < s.voxels.particle_count; ++p) x[p] = sup_voxels_position(&s.voxels, p), x[p].x *= 1.5f;
        sup_lattice_volume_measure(&volume, x, NULL, NULL, NULL,
                                   sup_arena_alloc(s.arena, 1, sup_lattice_volume_scratch(&volume)), now);
        for (int i = 0; i < 2; ++i) assert_float_equal(now[i], 1.5 * volume.parts[i].rest, 1e-3 * volume.parts[i].rest);
        desc.triangle_count = NET_TRIANGLES - 1; // a hole: nodes stand for it
        assert_ok(sup_lattice_volume_create(&desc, s.arena, &volume, &error), error);
        assert_false(volume.exact);
        sup_arena_destroy(s.arena);
    }
}

static void a_leg_in_the_next_cell_takes_no_node(void** state)
{
    (void)state;
    // There is less than a cell between the legs: corners there are split, and each goes to its own leg.
    static const sup_vec3 legs[][2] = { { { 0, 0, 0 }, { 1.8f, 8, 1.8f } }, { { 2.2f, 0, 0 }, { 3.8f, 8, 1.8f } } };
    skin                  s = make(legs, 2, 8);
    for (uint32_t p = 0; p < s.voxels.particle_count; ++p) {
        bool first = s.voxels.components[p] == s.voxels.components[0];
        if (s.nodes[p].skin) assert_true((s.nodes[p].points[0] < 8) == first);
    }
    sup_arena_destroy(s.arena);
}

static void memory_that_runs_out_is_an_error_and_nothing_leaks(void** state)
{
    (void)state;
    skin s = make(bar, 1, 12);
    for (test_starved starved = { 0 }; test_starve(&starved);) {
        sup_arena*              arena = sup_arena_create(&starved.memory.allocator);
        const sup_lattice_node* nodes = NULL;
        sup_error               error = { 0 };
        if (arena) starved.result = sup_lattice_nodes_find(&s.voxels, s.points, s.triangles, 12, NULL, arena, &nodes, &error);
        if (arena && starved.result != SUP_OK) assert_int_equal(error.code, SUP_ERROR_MEMORY);
        sup_arena_destroy(arena);
    }
    sup_arena_destroy(s.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_of_the_border_lie_on_the_surface),
        cmocka_unit_test(the_skin_has_its_own_volume_and_not_that_of_its_cells),
        cmocka_unit_test(the_meshs_own_triangles_are_measured_whichever_way_they_face),
        cmocka_unit_test(a_leg_in_the_next_cell_takes_no_node),
        cmocka_unit_test(memory_that_runs_out_is_an_error_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

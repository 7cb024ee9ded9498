#include "geom/surface/topology.h"

#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct shape {
    sup_arena*   arena;
    sup_topology t;
} shape;

static shape make(uint32_t points, uint32_t faces, const uint32_t* begin, const uint32_t* corners)
{
    shape        s = { .arena = sup_arena_create(NULL) };
    sup_polygons p = { points, faces, begin, corners };
    sup_error    error;
    assert_ok(sup_topology_create(&p, s.arena, &s.t, &error), error);
    return s;
}

#define TRIANGLES(points, ...)                                                                                                 \
    make(points, sizeof((uint32_t[]){ __VA_ARGS__ }) / 12, (const uint32_t[]){ 0, 3, 6, 9, 12, 15, 18, 21, 24 },               \
         (const uint32_t[]){ __VA_ARGS__ })

// Corner 4x + 2y + z of a cube, quads outwards.
static const uint32_t cube_begin[] = { 0, 4, 8, 12, 16, 20, 24 };
static const uint32_t cube[] = { 0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3 };

static void cube_of_quads_is_closed(void** state)
{
    (void)state;
    shape s = make(8, 6, cube_begin, cube);
    assert_int_equal(s.t.edge_count, 12);
    assert_int_equal(s.t.boundary_edges, 0);
    assert_int_equal(s.t.nonmanifold_edges, 0);
    assert_int_equal(s.t.nonmanifold_points, 0);
    assert_int_equal(s.t.loop_count, 0);
    assert_int_equal(s.t.component_count, 1);
    for (uint32_t p = 0; p < 8; ++p) {
        assert_int_equal(s.t.ring_begin[p + 1] - s.t.ring_begin[p], 3);
        assert_int_equal(s.t.fan_begin[p + 1] - s.t.fan_begin[p], 3);
        for (uint32_t i = s.t.ring_begin[p] + 1; i < s.t.ring_begin[p + 1]; ++i) assert_true(s.t.ring[i] > s.t.ring[i - 1]);
        for (uint32_t i = s.t.fan_begin[p] + 1; i < s.t.fan_begin[p + 1]; ++i) assert_true(s.t.fan[i] > s.t.fan[i - 1]);
    }
    const uint32_t ring5[] = { 1, 4, 7 };
    assert_memory_equal(s.t.ring + s.t.ring_begin[5], ring5, sizeof ring5);
    for (uint32_t e = 0; e < 12; ++e) {
        assert_true(s.t.edges[e].a < s.t.edges[e].b);
        assert_int_equal(s.t.edges[e].face_count, 2);
        assert_false(s.t.edges[e].flipped);
        assert_true(s.t.edges[e].faces[0] < s.t.edges[e].faces[1]);
        if (e)
            assert_true(s.t.edges[e].a > s.t.edges[e - 1].a ||
                        (s.t.edges[e].a == s.t.edges[e - 1].a && s.t.edges[e].b > s.t.edges[e - 1].b));
        assert_int_equal(sup_topology_edge(&s.t, s.t.edges[e].a, s.t.edges[e].b), e);
        assert_int_equal(sup_topology_edge(&s.t, s.t.edges[e].b, s.t.edges[e].a), e);
    }
    assert_int_equal(sup_topology_edge(&s.t, 0, 6), SUP_NONE); // across the cube
    sup_arena_destroy(s.arena);
}

static void open_strip_has_one_hole_against_its_faces(void** state)
{
    (void)state;
    shape s = TRIANGLES(4, 0, 1, 2, 2, 1, 3);
    assert_int_equal(s.t.edge_count, 5);
    assert_int_equal(s.t.boundary_edges, 4);
    assert_int_equal(s.t.loop_count, 1);
    assert_int_equal(s.t.loop_begin[1], 4);
    const uint32_t loop[] = { 1, 0, 2, 3 }; // faces run 0 1 3 2
    assert_memory_equal(s.t.loops, loop, sizeof loop);
    assert_int_equal(s.t.edges[1].a, 0);
    assert_int_equal(s.t.edges[1].b, 2);
    assert_int_equal(s.t.edges[1].faces[1], SUP_NONE);
    assert_int_equal(s.t.nonmanifold_points, 0);
    sup_arena_destroy(s.arena);
}

static void pieces_are_numbered_by_their_first_point(void** state)
{
    (void)state;
    shape s = TRIANGLES(8, 7, 5, 6, 0, 4, 2); // 1 and 3 are loose
    assert_int_equal(s.t.component_count, 2);
    const uint32_t want[] = { 0, SUP_NONE, 0, SUP_NONE, 0, 1, 1, 1 };
    assert_memory_equal(s.t.components, want, sizeof want);
    assert_int_equal(s.t.loose_points, 2);
    assert_int_equal(s.t.loop_count, 2);
    sup_arena_destroy(s.arena);
}

static void three_triangles_on_an_edge_are_not_manifold(void** state)
{
    (void)state;
    shape s = TRIANGLES(5, 0, 1, 2, 1, 0, 3, 0, 1, 4);
    assert_int_equal(s.t.nonmanifold_edges, 1);
    assert_int_equal(s.t.edges[0].face_count, 3);
    assert_int_equal(s.t.edges[0].faces[0], 0);
    assert_int_equal(s.t.edges[0].faces[1], 1);
    assert_int_equal(s.t.boundary_edges, 6);
    assert_true(s.t.loop_begin[s.t.loop_count] <= 6);
    sup_arena_destroy(s.arena);
}

static void bow_tie_point_has_two_fans_and_two_holes(void** state)
{
    (void)state;
    shape s = TRIANGLES(5, 0, 1, 2, 0, 3, 4);
    assert_int_equal(s.t.nonmanifold_points, 1);
    assert_int_equal(s.t.component_count, 1);
    assert_int_equal(s.t.loop_count, 2);
    assert_int_equal(s.t.loop_begin[1], 3);
    assert_int_equal(s.t.loop_begin[2], 6);
    sup_arena_destroy(s.arena);
}

static void touching_tetrahedra_are_closed_but_for_one_point(void** state)
{
    (void)state;
    shape s = TRIANGLES(7, 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3, 0, 5, 4, 0, 4, 6, 0, 6, 5, 4, 5, 6);
    assert_int_equal(s.t.boundary_edges, 0);
    assert_int_equal(s.t.nonmanifold_points, 1);
    assert_int_equal(s.t.edge_count, 12);
    sup_arena_destroy(s.arena);
}

static void flipped_face_is_seen_along_its_edges(void** state)
{
    (void)state;
    uint32_t turned[24];
    memcpy(turned, cube, sizeof cube);
    turned[1] = cube[3], turned[3] = cube[1];
    shape s = make(8, 6, cube_begin, turned);
    assert_int_equal(s.t.nonmanifold_edges, 4);
    assert_int_equal(s.t.nonmanifold_points, 0);
    assert_true(s.t.edges[0].flipped);
    sup_arena_destroy(s.arena);

    s = TRIANGLES(4, 0, 1, 2, 1, 2, 3); // an open strip with one face turned still has one hole
    assert_int_equal(s.t.nonmanifold_edges, 1);
    assert_int_equal(s.t.loop_count, 1);
    assert_int_equal(s.t.loop_begin[1], 4);
    sup_arena_destroy(s.arena);
}

// Every face of the cube again, from another corner on, half of them turned around.
static void faces_that_are_there_twice_change_nothing(void** state)
{
    (void)state;
    uint32_t twice[48], begin[13];
    memcpy(twice, cube, sizeof cube);
    for (uint32_t f = 0; f < 6; ++f)
        for (uint32_t k = 0; k < 4; ++k) twice[24 + 4 * f + k] = cube[4 * f + (f % 2 ? k + 1 : 6 - k) % 4];
    for (uint32_t i = 0; i <= 12; ++i) begin[i] = 4 * i;
    shape one = make(8, 6, cube_begin, cube), two = make(8, 12, begin, twice);
    assert_int_equal(one.t.doubled_faces, 0);
    assert_null(one.t.doubled);
    assert_int_equal(two.t.doubled_faces, 6);
    for (uint32_t f = 0; f < 12; ++f) assert_int_equal(two.t.doubled[f], f >= 6);
    assert_int_equal(two.t.edge_count, 12);
    assert_memory_equal(one.t.edges, two.t.edges, 12 * sizeof *one.t.edges);
    assert_memory_equal(one.t.fan_begin, two.t.fan_begin, 9 * sizeof *one.t.fan_begin);
    assert_memory_equal(one.t.fan, two.t.fan, 24 * sizeof *one.t.fan);
    assert_int_equal(two.t.nonmanifold_edges + two.t.nonmanifold_points + two.t.boundary_edges, 0);
    sup_arena_destroy(one.arena), sup_arena_destroy(two.arena);

    // The same four points in another turn are another face.
    shape bow = make(4, 2, (const uint32_t[]){ 0, 4, 8 }, (const uint32_t[]){ 0, 1, 2, 3, 0, 2, 1, 3 });
    assert_int_equal(bow.t.doubled_faces, 0);
    sup_arena_destroy(bow.arena);
}

// A hundred thousand on one edge, each three times: a search that compares pairs would never end.
static void stacked_faces_are_found_in_the_time_of_a_sort(void** state)
{
    (void)state;
    enum { LEAVES = 100000 };
    uint32_t *corners = calloc(9 * (size_t)LEAVES, sizeof *corners), *begin = calloc(3 * LEAVES + 1, sizeof *begin);
    for (uint32_t i = 0; i < 3 * LEAVES; ++i) {
        const uint32_t c[3] = { 0, 1, 2 + i % LEAVES };
        memcpy(corners + 3 * (size_t)i, c, sizeof c);
        begin[i + 1] = 3 * (i + 1);
    }
    shape s = make(LEAVES + 2, 3 * LEAVES, begin, corners);
    assert_int_equal(s.t.doubled_faces, 2 * LEAVES);
    assert_int_equal(s.t.edges[0].face_count, LEAVES);
    sup_arena_destroy(s.arena);
    free(corners), free(begin);
}

static void repeated_points_make_no_edge_with_themselves(void** state)
{
    (void)state;
    shape s = make(4, 2, (const uint32_t[]){ 0, 4, 7 }, (const uint32_t[]){ 0, 1, 1, 2, 2, 1, 3 });
    assert_int_equal(s.t.edge_count, 5);
    assert_int_equal(s.t.nonmanifold_points, 0);
    assert_int_equal(s.t.fan_begin[2] - s.t.fan_begin[1], 2); // each face once
    sup_arena_destroy(s.arena);

    s = TRIANGLES(4, 0, 1, 2, 2, 1, 3, 1, 2, 1); // a face that is only a line adds nothing to the edge it lies on
    assert_int_equal(s.t.edge_count, 5);
    assert_int_equal(s.t.nonmanifold_edges, 0);
    sup_arena_destroy(s.arena);

    s = make(4, 1, (const uint32_t[]){ 0, 4 }, (const uint32_t[]){ 0, 1, 0, 2 }); // pinched: edges used twice by one face
    assert_int_equal(s.t.edge_count, 2);
    assert_int_equal(s.t.loop_count, 0);
    sup_arena_destroy(s.arena);
}

static void empty_mesh_has_nothing(void** state)
{
    (void)state;
    shape s = make(0, 0, (const uint32_t[]){ 0 }, NULL);
    assert_int_equal(s.t.edge_count, 0);
    assert_int_equal(s.t.component_count, 0);
    assert_int_equal(s.t.loop_count, 0);
    sup_arena_destroy(s.arena);
    s = make(3, 0, NULL, NULL);
    assert_int_equal(s.t.loose_points, 3);
    assert_int_equal(s.t.ring_begin[3], 0);
    sup_arena_destroy(s.arena);
}

static void a_million_triangles_are_counted_right(void** state)
{
    (void)state;
    enum { SIDE = 708 };
    uint32_t  faces = 2 * (SIDE - 1) * (SIDE - 1), c = 0;
    uint32_t* begin = calloc(faces + 1, sizeof *begin);
    uint32_t* corners = calloc(3 * (size_t)faces, sizeof *corners);
    for (uint32_t f = 0; f <= faces; ++f) begin[f] = 3 * f;
    for (uint32_t y = 0; y + 1 < SIDE; ++y)
        for (uint32_t x = 0; x + 1 < SIDE; ++x) {
            uint32_t       p = y * SIDE + x;
            const uint32_t two[] = { p, p + 1, p + SIDE + 1, p, p + SIDE + 1, p + SIDE };
            memcpy(corners + c, two, sizeof two);
            c += 6;
        }
    shape s = make(SIDE * SIDE, faces, begin, corners);
    assert_int_equal(s.t.edge_count, 3 * (SIDE - 1) * (SIDE - 1) + 2 * (SIDE - 1)); // Euler: V - E + F = 1
    assert_int_equal(s.t.loop_count, 1);
    assert_int_equal(s.t.loop_begin[1], 4 * (SIDE - 1));
    sup_arena_destroy(s.arena);
    free(begin), free(corners);
}

// In a fan of six equilateral triangles neighbors are an edge away. In one that is drawn out twentyfold, they are as near as
// its triangles are high: three of those.
static void spacing_is_the_mean_edge_but_of_needles(void** state)
{
    (void)state;
    static const uint32_t begin[] = { 0, 3, 6, 9, 12, 15, 18 },
                          corners[] = { 0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5, 0, 5, 6, 0, 6, 1 };
    const float half = 0.5f, high = 0.8660254f;
    sup_vec3    at[7] = { { 0, 0, 0 },  { 1, 0, 0 },         { half, high, 0 }, { -half, high, 0 },
                          { -1, 0, 0 }, { -half, -high, 0 }, { half, -high, 0 } };
    shape       s = make(7, 6, begin, corners);
    assert_float_equal(sup_topology_spacing(&s.t, corners, at, 0), 1, 1e-6);
    for (int i = 0; i < 7; ++i) at[i].y *= 20;
    // Four edges of 17.33 and two of 1; heights over the longest edge: four of 0.9996, two of 17.32 / 17.33.
    float height = sup_topology_spacing(&s.t, corners, at, 0) / 3;
    assert_true(height > 0.99f && height < 1.01f);
    at[1].x = NAN;
    assert_float_equal(sup_topology_spacing(&s.t, corners, at, 0), 0, 0);
    sup_arena_destroy(s.arena);
}

static const sup_edge* edge_between(const sup_topology* t, uint32_t u, uint32_t v)
{
    for (uint32_t i = 0; i < t->edge_count; ++i)
        if (t->edges[i].a == (u < v ? u : v) && t->edges[i].b == (u < v ? v : u)) return &t->edges[i];
    return NULL;
}

/// Loops are simple, run along boundary edges, and no edge is in two.
static void assert_loops(const sup_topology* t)
{
    bool used[256] = { false };
    for (uint32_t l = 0; l < t->loop_count; ++l) {
        uint32_t begin = t->loop_begin[l], end = t->loop_begin[l + 1];
        assert_true(end - begin >= 3);
        for (uint32_t i = begin; i < end; ++i) {
            const sup_edge* e = edge_between(t, t->loops[i], t->loops[i + 1 < end ? i + 1 : begin]);
            assert_non_null(e);
            assert_int_equal(e->face_count, 1);
            assert_false(used[e - t->edges]);
            used[e - t->edges] = true;
            for (uint32_t j = begin; j < i; ++j) assert_true(t->loops[j] != t->loops[i]);
        }
    }
}

static void any_soup_of_triangles_is_counted_right(void** state)
{
    (void)state;
    uint32_t seed = 5, with_loops = 0;
    for (int round = 0; round < 2000; ++round) {
        uint32_t corners[36], begin[13], uses[9][9] = { { 0 } }, faces = 1 + (uint32_t)round % 12,
                                         points = 4 + (uint32_t)round % 6;
        for (uint32_t i = 0; i <= faces; ++i) begin[i] = 3 * i;
        uint32_t doubled = 0;
        for (uint32_t i = 0; i < 3 * faces; ++i) {
            seed = seed * 1664525u + 1013904223u;
            corners[i] = (seed >> 16) % points;
        }
        for (uint32_t f = 0; f < faces; ++f) {
            const uint32_t* c = corners + 3 * f;
            if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue; // a line: no edges
            bool again = false;
            for (uint32_t g = 0; g < f; ++g)
                again |= (1u << c[0] | 1u << c[1] | 1u << c[2]) ==
                         (1u << corners[3 * g] | 1u << corners[3 * g + 1] | 1u << corners[3 * g + 2]);
            doubled += again;
            if (again) continue;
            for (uint32_t k = 0; k < 3; ++k) {
                uint32_t u = c[k], v = c[(k + 1) % 3];
                uses[u < v ? u : v][u < v ? v : u]++;
            }
        }
        uint32_t edges = 0, open = 0;
        for (uint32_t u = 0; u < 9; ++u)
            for (uint32_t v = 0; v < 9; ++v) {
                edges += uses[u][v] > 0;
                open += uses[u][v] == 1;
            }
        shape s = make(points, faces, begin, corners);
        assert_int_equal(s.t.edge_count, edges);
        assert_int_equal(s.t.boundary_edges, open);
        assert_int_equal(s.t.doubled_faces, doubled);
        for (uint32_t i = 0; i < edges; ++i) assert_int_equal(s.t.edges[i].face_count, uses[s.t.edges[i].a][s.t.edges[i].b]);
        assert_loops(&s.t);
        with_loops += s.t.loop_count > 0;
        sup_arena_destroy(s.arena);
    }
    assert_true(with_loops > 1000);
}

static void no_memory_is_an_error_not_a_crash(void** state)
{
    (void)state;
    sup_polygons p = { 8, 6, cube_begin, cube };
    test_starved s = { 0 };
    while (test_starve(&s)) {
        sup_arena*   arena = sup_arena_create(&s.memory.allocator);
        sup_topology t = { .edge_count = 77 };
        sup_error    error;
        if (arena) s.result = sup_topology_create(&p, arena, &t, &error);
        assert_int_equal(t.edge_count, s.result == SUP_OK ? 12 : 77); // untouched when it fails
        sup_arena_destroy(arena);
    }
    assert_true(s.rounds > 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cube_of_quads_is_closed),
        cmocka_unit_test(open_strip_has_one_hole_against_its_faces),
        cmocka_unit_test(pieces_are_numbered_by_their_first_point),
        cmocka_unit_test(three_triangles_on_an_edge_are_not_manifold),
        cmocka_unit_test(bow_tie_point_has_two_fans_and_two_holes),
        cmocka_unit_test(touching_tetrahedra_are_closed_but_for_one_point),
        cmocka_unit_test(flipped_face_is_seen_along_its_edges),
        cmocka_unit_test(faces_that_are_there_twice_change_nothing),
        cmocka_unit_test(stacked_faces_are_found_in_the_time_of_a_sort),
        cmocka_unit_test(repeated_points_make_no_edge_with_themselves),
        cmocka_unit_test(empty_mesh_has_nothing),
        cmocka_unit_test(a_million_triangles_are_counted_right),
        cmocka_unit_test(spacing_is_the_mean_edge_but_of_needles),
        cmocka_unit_test(any_soup_of_triangles_is_counted_right),
        cmocka_unit_test(no_memory_is_an_error_not_a_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

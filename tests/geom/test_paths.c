// Rings, the hug order and its intervals, on the grid that was worked by hand.
#include "support.h"

#include "geom/shortest_paths.h"
#include "geom/surface/topology.h"

#include <string.h>

// 4 x 3 points, vertex = x + 4 y; every quad is the triangles (a, b, d) and (a, d, c).
static void grid(sup_arena* arena, sup_topology* out)
{
    uint32_t faces[12][3], begin[13], n = 0;
    for (uint32_t y = 0; y < 2; ++y)
        for (uint32_t x = 0; x < 3; ++x) {
            uint32_t a = x + 4 * y, b = a + 1, c = a + 4, d = a + 5;
            memcpy(faces[n++], (uint32_t[]){ a, b, d }, sizeof faces[0]);
            memcpy(faces[n++], (uint32_t[]){ a, d, c }, sizeof faces[0]);
        }
    for (uint32_t f = 0; f <= n; ++f) begin[f] = 3 * f;
    sup_error error;
    assert_ok(sup_topology_create(&(sup_polygons){ 12, n, begin, faces[0] }, arena, out, &error), error);
}

static void the_walk_hugs_what_it_has_visited(void** state)
{
    (void)state;
    static const uint32_t want[12] = { 3, 2, 7, 11, 6, 1, 0, 4, 8, 9, 5, 10 };
    sup_arena*            arena = sup_arena_create(NULL);
    sup_topology          t;
    uint32_t              order[12];
    sup_error             error;
    grid(arena, &t);
    assert_ok(sup_path_order(12, t.ring_begin, t.ring, arena, order, &error), error);
    assert_memory_equal(order, want, sizeof want);
    sup_arena_destroy(arena);
}

typedef struct sums {
    uint32_t vertex, width, count;
    uint32_t pairs[3][2];
    double   sum;
} sums;

static void neighborhoods_are_few_runs_and_their_sums_differences_of_prefixes(void** state)
{
    (void)state;
    static const sums want[] = {
        { 0, 1, 2, { { 5, 8 }, { 10, 11 } }, 14 }, { 5, 1, 2, { { 4, 8 }, { 9, 12 } }, 42 },
        { 6, 1, 2, { { 1, 6 }, { 10, 12 } }, 49 }, { 11, 1, 2, { { 2, 5 }, { 11, 12 } }, 38 },
        { 0, 2, 2, { { 1, 2 }, { 4, 12 } }, 54 },  { 5, 2, 1, { { 1, 12 } }, 74 },
        { 6, 2, 2, { { 0, 8 }, { 9, 12 } }, 69 },  { 11, 2, 2, { { 0, 6 }, { 9, 12 } }, 63 },
    };
    static const double prefix[13] = { 0, 4, 7, 15, 27, 34, 36, 37, 42, 51, 61, 67, 78 };
    sup_arena*          arena = sup_arena_create(NULL);
    sup_topology        t;
    uint32_t            order[12], place[12], begin[13] = { 0 }, ring[64];
    sup_error           error;
    grid(arena, &t);
    assert_ok(sup_path_order(12, t.ring_begin, t.ring, arena, order, &error), error);
    double running = 0;
    for (uint32_t k = 0; k < 12; ++k) {
        place[order[k]] = k;
        running += order[k] + 1;
        assert_true(running == prefix[k + 1]);
    }
    for (uint32_t k = 0; k < 12; ++k) {
        begin[k + 1] = begin[k];
        for (uint32_t i = t.ring_begin[order[k]]; i < t.ring_begin[order[k] + 1]; ++i) ring[begin[k + 1]++] = place[t.ring[i]];
    }
    for (uint32_t w = 1; w <= 2; ++w) {
        sup_rings     rings;
        sup_intervals intervals;
        assert_ok(sup_rings_create(12, begin, ring, w, arena, &rings, &error), error);
        assert_ok(sup_intervals_create(&rings, arena, &intervals, &error), error);
        for (size_t s = 0; s < sizeof want / sizeof *want; ++s) {
            if (want[s].width != w) continue;
            uint32_t k = place[want[s].vertex], first = intervals.begin[k];
            double   sum = 0;
            assert_int_equal(intervals.begin[k + 1] - first, want[s].count);
            for (uint32_t i = 0; i < want[s].count; ++i) {
                assert_int_equal(intervals.pairs[first + i].first, want[s].pairs[i][0]);
                assert_int_equal(intervals.pairs[first + i].last, want[s].pairs[i][1]);
                sum += prefix[intervals.pairs[first + i].last] - prefix[intervals.pairs[first + i].first];
            }
            assert_true(sum == want[s].sum);
        }
    }
    sup_arena_destroy(arena);
}

static void rings_are_symmetric_and_a_lone_point_is_its_own(void** state)
{
    (void)state;
    sup_arena*   arena = sup_arena_create(NULL);
    sup_topology t;
    sup_rings    rings;
    sup_error    error;
    grid(arena, &t);
    assert_ok(sup_rings_create(12, t.ring_begin, t.ring, 2, arena, &rings, &error), error);
    bool in[12][12] = { { false } };
    for (uint32_t p = 0; p < 12; ++p)
        for (uint32_t k = rings.begin[p]; k < rings.begin[p + 1]; ++k) in[p][rings.items[k]] = true;
    for (uint32_t p = 0; p < 12; ++p)
        for (uint32_t q = 0; q < 12; ++q) assert_true(in[p][q] == in[q][p] && in[p][p]);
    uint32_t none[3] = { 0, 0, 0 }, order[2];
    assert_ok(sup_rings_create(2, none, none, 3, arena, &rings, &error), error);
    assert_int_equal(rings.begin[2], 2);
    assert_int_equal(rings.items[1], 1);
    assert_ok(sup_path_order(2, none, none, arena, order, &error), error);
    assert_true(order[0] == 0 && order[1] == 1);
    sup_arena_destroy(arena);
}

// A string of points at 0, 1, 2, 2.2, 2.4, 2.6: a ring of one edge, and two more where they are nearer than 0.5.
static void rings_are_as_wide_in_space_where_points_lie_close(void** state)
{
    (void)state;
    const uint32_t begin[7] = { 0, 1, 3, 5, 7, 9, 10 }, ring[10] = { 1, 0, 2, 1, 3, 2, 4, 3, 5, 4 };
    const float    places[6] = { 0, 1, 2, 2.2f, 2.4f, 2.6f };
    const uint32_t expected[] = { 0, 1, 0, 1, 2, 1, 2, 3, 4, 2, 3, 4, 5, 2, 3, 4, 5, 3, 4, 5 };
    sup_vec3       points[6] = { { 0, 0, 0 } };
    for (int i = 0; i < 6; ++i) points[i].x = places[i];
    sup_arena* arena = sup_arena_create(NULL);
    sup_rings  rings;
    sup_error  error;
    assert_ok(sup_rings_create_wide(6, begin, ring, 1, 2, points, 0.5f, arena, &rings, &error), error);
    assert_int_equal(rings.begin[6], (uint32_t)(sizeof expected / sizeof *expected));
    for (uint32_t i = 0; i < (uint32_t)(sizeof expected / sizeof *expected); ++i) assert_int_equal(rings.items[i], expected[i]);
    assert_int_equal(rings.most, 4);
    sup_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_walk_hugs_what_it_has_visited),
        cmocka_unit_test(neighborhoods_are_few_runs_and_their_sums_differences_of_prefixes),
        cmocka_unit_test(rings_are_symmetric_and_a_lone_point_is_its_own),
        cmocka_unit_test(rings_are_as_wide_in_space_where_points_lie_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

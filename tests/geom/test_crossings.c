// Which triangles pass through others, and so many in one place that all of their pairs are too many.
#include "geom/search/crossings.h"
#include "geom/search/intersect.h"
#include "math/vec.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t next(uint32_t* random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 8;
}

static sup_crossings find(const sup_vec3* points, const uint32_t* triangles, uint32_t count, bool* out)
{
    sup_arena*    arena = sup_arena_create(NULL);
    sup_crossings found;
    sup_error     error;
    assert_ok(sup_find_crossings(points, triangles, count, NULL, arena, out, &found, &error), error);
    sup_arena_destroy(arena);
    return found;
}

typedef struct heap_of {
    sup_vec3* points;
    uint32_t* triangles;
    bool*     out;
} heap_of;

/// n triangles of their own with corners anywhere in a box.
static heap_of make_heap(uint32_t n)
{
    heap_of  h = { calloc(3 * n, sizeof *h.points), calloc(3 * n, sizeof *h.triangles), calloc(n, sizeof *h.out) };
    uint32_t random = 1;
    for (uint32_t i = 0; i < 3 * n; ++i) {
        h.triangles[i] = i;
        for (int k = 0; k < 3; ++k) (&h.points[i].x)[k] = (float)(next(&random) & 0xffff) / 65536;
    }
    return h;
}

static void free_heap(heap_of* h) { free(h->points), free(h->triangles), free(h->out); }

static void each_triangle_is_told_as_a_plain_search_tells_it(void** state)
{
    (void)state;
    enum { N = 60 };
    heap_of       h = make_heap(N);
    uint32_t      count = 0;
    sup_crossings found;
    for (uint32_t i = 0; i < 3 * N; ++i) h.points[i] = v3_add(v3_scale(h.points[i], 0.4f), v3((float)(i / 6), 0, 0)); // in twos
    found = find(h.points, h.triangles, N, h.out);
    for (uint32_t a = 0; a < N; ++a) {
        bool crosses = false;
        for (uint32_t b = 0; b < N; ++b) crosses |= a != b && sup_triangles_cross(h.points + 3 * a, h.points + 3 * b);
        assert_int_equal(h.out[a], crosses);
        count += crosses;
    }
    assert_true(count > 0 && count < N);
    assert_int_equal(found.count, count);
    assert_false(found.crowded);
    free_heap(&h);
}

static void what_shares_a_corner_does_not_cross(void** state)
{
    (void)state;
    const sup_vec3 points[5] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 1 }, { 1, 1, -1 } };
    const uint32_t triangles[6] = { 0, 1, 2, 0, 3, 4 };
    bool           out[2];
    assert_int_equal(find(points, triangles, 2, out).count, 0);
    assert_false(out[0] || out[1]);
    assert_int_equal(find(points, triangles, 0, out).count, 0);
}

// A book of n pages: all triangles on one edge. They never cross, and all their boxes overlap at the back.
static void pages_on_one_edge_are_not_compared_to_the_end(void** state)
{
    (void)state;
    enum { N = 20000 };
    sup_vec3* points = calloc(N + 2, sizeof *points);
    uint32_t* triangles = calloc(3 * N, sizeof *triangles);
    bool*     out = calloc(N, sizeof *out);
    points[1] = v3(0, 0, 1);
    for (uint32_t i = 0; i < N; ++i) {
        float angle = 6.28f * (float)i / N;
        points[i + 2] = v3(cosf(angle), sinf(angle), 0.5f);
        triangles[3 * i] = 0, triangles[3 * i + 1] = 1, triangles[3 * i + 2] = i + 2;
    }
    assert_true(find(points, triangles, N, out).crowded);
    free(points), free(triangles), free(out);
}

static bool stop(void* user, double share, const char* what)
{
    (void)user, (void)share, (void)what;
    return false;
}

static void who_waits_can_stop_it(void** state)
{
    (void)state;
    heap_of       h = make_heap(20);
    sup_arena*    arena = sup_arena_create(NULL);
    sup_progress  progress = { stop, NULL };
    sup_crossings found;
    sup_error     error;
    assert_int_equal(sup_find_crossings(h.points, h.triangles, 20, &progress, arena, h.out, &found, &error),
                     SUP_ERROR_CANCELLED);
    sup_arena_destroy(arena);
    free_heap(&h);
}

static void every_allocation_that_fails_is_an_error(void** state)
{
    (void)state;
    heap_of h = make_heap(20);
    for (long at = 0;; ++at) {
        test_allocator a;
        test_allocator_init(&a, at);
        sup_arena*    arena = sup_arena_create(&a.allocator);
        sup_crossings found;
        sup_error     error;
        sup_result    r =
            arena ? sup_find_crossings(h.points, h.triangles, 20, NULL, arena, h.out, &found, &error) : SUP_ERROR_MEMORY;
        assert_true(r == SUP_OK || r == SUP_ERROR_MEMORY);
        sup_arena_destroy(arena);
        assert_int_equal(a.live, 0);
        if (r == SUP_OK) break;
    }
    free_heap(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_triangle_is_told_as_a_plain_search_tells_it),
        cmocka_unit_test(what_shares_a_corner_does_not_cross),
        cmocka_unit_test(pages_on_one_edge_are_not_compared_to_the_end),
        cmocka_unit_test(who_waits_can_stop_it),
        cmocka_unit_test(every_allocation_that_fails_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

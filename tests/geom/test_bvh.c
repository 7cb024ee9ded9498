#include "geom/search/bvh.h"

#include "support.h"

#include <math.h>
#include <stdlib.h>

enum { POINTS = 200, TRIANGLES = 1001 };

static void random_soup(sup_vec3* points, uint32_t* triangles)
{
    uint32_t seed = 3;
    for (uint32_t i = 0; i < POINTS; ++i) {
        float c[3];
        for (int k = 0; k < 3; ++k) {
            seed = seed * 1664525u + 1013904223u;
            c[k] = (float)(seed >> 8) * 0x1p-24f;
        }
        points[i] = (sup_vec3){ c[0], c[1], c[2] };
    }
    for (uint32_t i = 0; i < 3 * TRIANGLES; ++i) {
        seed = seed * 1664525u + 1013904223u;
        triangles[i] = (seed >> 16) % POINTS;
    }
}

static bool inside(const sup_box* inner, const sup_box* outer)
{
    for (int k = 0; k < 3; ++k)
        if (inner->min[k] < outer->min[k] || inner->max[k] > outer->max[k]) return false;
    return true;
}

static void every_triangle_has_one_slot_and_fits_all_its_boxes(void** state)
{
    (void)state;
    sup_vec3   points[POINTS];
    uint32_t   triangles[3 * TRIANGLES], seen[TRIANGLES] = { 0 };
    sup_arena* arena = sup_arena_create(NULL);
    sup_bvh    b;
    sup_error  error;
    random_soup(points, triangles);
    for (uint32_t k = 0, count = 0; count <= TRIANGLES; count += k++ % 2 ? count < 20 ? 1 : 327 : 0) {
        bool full = k % 2;
        assert_ok((full ? sup_bvh_create_full : sup_bvh_create)(points, triangles, count, arena, &b, &error), error);
        for (uint32_t l = 0; full && l <= b.leaf_count; ++l)
            assert_int_equal(b.leaf_begin[l], SUP_BVH_LEAF * l < count ? SUP_BVH_LEAF * l : count);
        sup_box* nodes = malloc(2 * b.leaf_count * sizeof *nodes);
        sup_box* slots = malloc((count + 1) * sizeof *slots);
        for (int turn = 0; turn < 2; ++turn) {
            if (turn) points[7].x += 3;
            sup_bvh_refit(&b, points, NULL, nodes, slots);
            for (uint32_t l = 0; l < b.leaf_count; ++l) {
                assert_true(b.leaf_begin[l + 1] - b.leaf_begin[l] <= SUP_BVH_LEAF);
                for (uint32_t s = b.leaf_begin[l]; s < b.leaf_begin[l + 1]; ++s) {
                    seen[b.order[s]]++;
                    assert_memory_equal(b.corners + 3 * s, triangles + 3 * b.order[s], 3 * sizeof *triangles);
                    for (uint32_t n = b.leaf_count + l; n >= 1; n /= 2) assert_true(inside(&slots[s], &nodes[n]));
                }
            }
        }
        points[7].x -= 3;
        for (uint32_t i = 0; i < count; ++i) assert_int_equal(seen[i], 2), seen[i] = 0;
        free(nodes), free(slots);
    }
    sup_arena_destroy(arena);
}

static void lines_points_and_broken_numbers_overlap_nothing(void** state)
{
    (void)state;
    const sup_vec3 points[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 }, { 0, NAN, 0 }, { 0, 1, 1 }, { INFINITY, 0, 0 } };
    const uint32_t triangles[] = { 0, 1, 2, 0, 0, 0, 0, 1, 3, 0, 5, 4, 0, 1, 4 };
    sup_arena*     arena = sup_arena_create(NULL);
    sup_bvh        b;
    sup_error      error;
    sup_box        nodes[4], slots[5];
    assert_ok(sup_bvh_create(points, triangles, 5, arena, &b, &error), error);
    assert_int_equal(b.leaf_count, 2);
    sup_bvh_refit(&b, points, NULL, nodes, slots);
    const sup_box all = { { -9, -9, -9 }, { 9, 9, 9 } };
    for (uint32_t s = 0; s < 5; ++s) assert_int_equal(sup_box_overlap(&slots[s], &all), b.order[s] == 4);
    sup_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_triangle_has_one_slot_and_fits_all_its_boxes),
        cmocka_unit_test(lines_points_and_broken_numbers_overlap_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

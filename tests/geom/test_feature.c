#include "geom/surface/feature.h"

#include "base/internal.h"
#include "math/vec.h"
#include "support.h"

typedef struct boxes {
    sup_vec3 points[16];
    uint32_t triangles[72];
    sup_bvh  tree;
    sup_box* nodes;
} boxes;

// Two boxes of 1 x 1 x 4 along z, 0.5 apart in x.
static void make_boxes(sup_arena* arena, boxes* b)
{
    static const uint32_t cube[36] = { 0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                       2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3 };
    sup_error             error;
    for (uint32_t k = 0; k < 16; ++k)
        b->points[k] = v3((k & 4 ? 1.0f : 0.0f) + (k & 8 ? 1.5f : 0.0f), k & 2 ? 1.0f : 0.0f, k & 1 ? 4.0f : 0.0f);
    for (uint32_t i = 0; i < 72; ++i) b->triangles[i] = cube[i % 36] + (i < 36 ? 0 : 8);
    assert_int_equal(sup_bvh_create(b->points, b->triangles, 24, arena, &b->tree, &error), SUP_OK);
    b->nodes = SUP_NEW(arena, sup_box, 2 * (size_t)b->tree.leaf_count + 24);
    assert_non_null(b->nodes);
    sup_bvh_refit(&b->tree, b->points, NULL, b->nodes, b->nodes + 2 * (size_t)b->tree.leaf_count);
}

static void a_box_is_as_thick_as_it_is_wide(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    boxes      b;
    make_boxes(arena, &b);
    sup_feature f = sup_feature_at(&b.tree, b.nodes, b.points, v3(1, 0.5f, 2), v3(-1, 0, 0), 3);
    assert_float_equal(f.width, 1, 0.02);
    assert_int_not_equal(f.facing, SUP_NONE);
    sup_arena_destroy(arena);
}

static void the_gap_is_the_way_to_what_lies_opposite(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    boxes      b;
    make_boxes(arena, &b);
    sup_feature f = sup_feature_at(&b.tree, b.nodes, b.points, v3(1, 0.5f, 2), v3(1, 0, 0), 3);
    assert_float_equal(f.width, 0.5, 0.01);
    assert_float_equal(f.place.x, 1.5, 1e-6);
    f = sup_feature_at(&b.tree, b.nodes, b.points, v3(0, 0.5f, 2), v3(-1, 0, 0), 3); // nothing there
    assert_float_equal(f.width, 3, 0);
    assert_int_equal(f.facing, SUP_NONE);
    sup_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_is_as_thick_as_it_is_wide),
        cmocka_unit_test(the_gap_is_the_way_to_what_lies_opposite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

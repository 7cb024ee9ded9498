#include "support.h"

#include "geom/volume/voxels.h"
#include "geom/volume/winding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct boxes {
    sup_vec3 points[64];
    uint32_t triangles[8 * 36], point_count, triangle_count;
} boxes;

// A box with outward triangles; `open` leaves out the two of the upper z side.
static void add_box(boxes* b, sup_vec3 low, sup_vec3 high, bool open)
{
    static const uint8_t quads[6][4] = { { 0, 4, 6, 2 }, { 1, 3, 7, 5 }, { 0, 1, 5, 4 },
                                         { 2, 6, 7, 3 }, { 0, 2, 3, 1 }, { 4, 5, 7, 6 } };
    uint32_t             base = b->point_count;
    for (int k = 0; k < 8; ++k)
        b->points[b->point_count++] = (sup_vec3){ k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z };
    for (int q = 0; q < (open ? 5 : 6); ++q) {
        const uint32_t t[6] = { quads[q][0], quads[q][1], quads[q][2], quads[q][0], quads[q][2], quads[q][3] };
        for (int i = 0; i < 6; ++i) b->triangles[3 * b->triangle_count + (uint32_t)i] = base + t[i];
        b->triangle_count += 2;
    }
}

static sup_result make_voxels(const boxes* b, uint32_t cells, sup_arena* arena, sup_voxels* out, sup_error* error)
{
    sup_voxels_desc desc = { .point_count = b->point_count,
                             .points = b->points,
                             .triangle_count = b->triangle_count,
                             .triangles = b->triangles,
                             .cells = cells };
    return sup_voxels_create(&desc, arena, out, error);
}

static sup_voxels voxels_of(const boxes* b, uint32_t cells, sup_arena* arena)
{
    sup_error  error = { 0 };
    sup_voxels v;
    assert_ok(make_voxels(b, cells, arena, &v, &error), error);
    return v;
}

static void assert_sound(const sup_voxels* v);

// Triangles that fill no body may be refused, for that alone. Returns whether they were filled.
static bool sound_or_refused(const boxes* b, uint32_t cells)
{
    sup_error  error = { 0 };
    sup_voxels v;
    sup_arena* arena = sup_arena_create(NULL);
    sup_result result = make_voxels(b, cells, arena, &v, &error);
    if (result == SUP_OK) assert_sound(&v);
    else assert_non_null(strstr(error.text, "cross each other"));
    sup_arena_destroy(arena);
    return result == SUP_OK;
}

static uint32_t count_inside(const sup_voxels* v)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < v->cell_count; ++c) count += (v->flags[c] & SUP_VOXEL_INSIDE) != 0;
    return count;
}

static void a_box_fills_its_cells(void** state)
{
    (void)state;
    boxes b = { 0 };
    add_box(&b, (sup_vec3){ 0, 0, 0 }, (sup_vec3){ 5.99f, 5.99f, 40 }, false);
    sup_arena* arena = sup_arena_create(NULL);
    sup_voxels v = voxels_of(&b, 40, arena);
    assert_int_equal(v.cell_count, 6 * 6 * 40);
    assert_int_equal(v.particle_count, 7 * 7 * 41);
    assert_int_equal(count_inside(&v), 4 * 4 * 38);
    assert_int_equal(v.component_count, 1);
    assert_false(v.open);
    uint32_t octants = 0;
    for (uint32_t p = 0; p < v.particle_count; ++p) octants += (uint32_t)__builtin_popcount(v.octants[p]);
    assert_int_equal(octants, 8 * v.cell_count);
    assert_int_equal(v.link_begin[v.particle_count], 2 * (6 * 7 * 41 * 2 + 7 * 7 * 40));
    sup_arena_destroy(arena);
}

static void numbers_run_along_x_then_y_then_z(void** state)
{
    (void)state;
    boxes b = { 0 };
    add_box(&b, (sup_vec3){ 0, 0, 0 }, (sup_vec3){ 2.9f, 1.9f, 4 }, false);
    sup_arena* arena = sup_arena_create(NULL);
    sup_voxels v = voxels_of(&b, 4, arena);
    assert_int_equal(v.particle_count, 4 * 3 * 5);
    for (uint32_t p = 0; p < v.particle_count; ++p) {
        uint32_t c[3];
        sup_voxels_corner(&v, p, c);
        assert_int_equal(p, (c[0] - 1) + 4 * ((c[1] - 1) + 3 * (c[2] - 1)));
    }
    // Links of an inner particle: below, before, left, right, behind, above.
    uint32_t        p = 1 + 4 * (1 + 3 * 2);
    const uint32_t* near = v.links + v.link_begin[p];
    assert_int_equal(v.link_begin[p + 1] - v.link_begin[p], 6);
    const uint32_t wanted[6] = { p - 12, p - 4, p - 1, p + 1, p + 4, p + 12 };
    assert_memory_equal(near, wanted, sizeof wanted);
    sup_arena_destroy(arena);
}

// Cells 1 unit: both legs touch cells that share faces, but nothing joins them.
static void legs_in_neighboring_cells_stay_apart(void** state)
{
    (void)state;
    boxes b = { 0 };
    add_box(&b, (sup_vec3){ 0, 0, 0 }, (sup_vec3){ 0.9f, 0.9f, 10 }, false);
    add_box(&b, (sup_vec3){ 1.2f, 0, 0 }, (sup_vec3){ 1.98f, 0.9f, 10 }, false);
    sup_arena* arena = sup_arena_create(NULL);
    sup_voxels v = voxels_of(&b, 10, arena);
    assert_int_equal(v.size[0], 2 + 2);
    assert_int_equal(v.cell_count, 20);
    assert_int_equal(v.component_count, 2);
    assert_int_equal(v.particle_count, 2 * 2 * 2 * 11);
    // The same gap inside one solid is no gap.
    boxes one = { 0 };
    add_box(&one, (sup_vec3){ 0, 0, 0 }, (sup_vec3){ 1.98f, 0.9f, 10 }, false);
    v = voxels_of(&one, 10, arena);
    assert_int_equal(v.component_count, 1);
    assert_int_equal(v.particle_count, 3 * 2 * 11);
    sup_arena_destroy(arena);
}

static void two_legs_joined_at_the_hip_are_one_component_with_double_corners(void** state)
{
    (void)state;
    boxes b = { 0 };
    add_box(&b, (sup_vec3){ 0, 0, 0 }, (sup_vec3){ 0.9f, 0.9f, 8.5f }, false);
    add_box(&b, (sup_vec3){ 1.2f, 0, 0 }, (sup_vec3){ 1.98f, 0.9f, 8.5f }, false);
    add_box(&b, (sup_vec3){ 0, 0, 8.2f }, (sup_vec3){ 1.98f, 0.9f, 10 }, false);
    sup_arena* arena = sup_arena_create(NULL);
    sup_voxels v = voxels_of(&b, 10, arena);
    assert_int_equal(v.component_count, 1);
    // Corners of the middle line are two particles in the eight free layers (0 to 7) and one from the hip's lower face on.
    assert_int_equal(v.particle_count, 3 * 2 * 11 + 8 * 2);
    sup_arena_destroy(arena);
}

static void an_open_box_has_an_inside(void** state)
{
    (void)state;
    boxes b = { 0 };
    add_box(&b, (sup_vec3){ 0, 0, 0 }, (sup_vec3){ 5.9f, 5.9f, 10 }, true);
    sup_arena* arena = sup_arena_create(NULL);
    sup_voxels v = voxels_of(&b, 10, arena);
    assert_true(v.open);
    assert_true(count_inside(&v) >= 4 * 4 * 7 && count_inside(&v) <= 4 * 4 * 9);
    sup_arena_destroy(arena);
}

// The work that costs most is not begun where its result would be thrown away; and the count it is judged by is near.
static void an_open_box_with_too_many_cells_is_left_early(void** state)
{
    (void)state;
    boxes b = { 0 };
    add_box(&b, (sup_vec3){ 0, 0, 0 }, (sup_vec3){ 1, 1, 2 }, true);
    sup_arena*      arena = sup_arena_create(NULL);
    sup_voxels      whole = voxels_of(&b, 40, arena), v;
    sup_error       error = { 0 };
    sup_voxels_desc desc = { .point_count = 8,
                             .points = b.points,
                             .triangle_count = b.triangle_count,
                             .triangles = b.triangles,
                             .cells = 40,
                             .most_open = whole.cell_count / 2 };
    assert_ok(sup_voxels_create(&desc, arena, &v, &error), error);
    assert_true(v.over_limit && !v.at && !v.particle_count);
    assert_in_range(v.cell_count, whole.cell_count * 9 / 10, whole.cell_count * 11 / 10);
    desc.most_open = whole.cell_count * 11 / 10;
    assert_ok(sup_voxels_create(&desc, arena, &v, &error), error);
    assert_true(!v.over_limit && v.cell_count == whole.cell_count && v.particle_count == whole.particle_count);
    sup_arena_destroy(arena);
}

static void degenerate_triangles_fill_the_cells_they_run_through(void** state)
{
    (void)state;
    boxes      b = { .points = { { 0, 0, 0 }, { 4, 0, 0 }, { 2, 0, 0 } },
                     .triangles = { 0, 1, 2, 2, 2, 2 },
                     .point_count = 3,
                     .triangle_count = 2 };
    sup_arena* arena = sup_arena_create(NULL);
    sup_voxels v = voxels_of(&b, 8, arena);
    assert_int_equal(v.cell_count, 8);
    assert_int_equal(v.component_count, 1);
    sup_arena_destroy(arena);
}

// Two large slanted triangles of a tetrahedron cost layers of cells, as they should; a thousand of them through each other are
// refused before each has been tested in every cell.
static void faces_through_each_other_are_refused_and_large_ones_are_not(void** state)
{
    (void)state;
    enum { N = 4000 };
    sup_vec3*       points = calloc(3 * N, sizeof *points);
    uint32_t*       triangles = calloc(3 * N, sizeof *triangles);
    uint32_t        random = 1;
    const sup_vec3  tip[4] = { { 0, 0, 0 }, { 9, 1, 2 }, { 2, 8, 1 }, { 1, 3, 9 } };
    const uint32_t  four[12] = { 0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3 };
    sup_voxels_desc desc = { .point_count = 4, .points = tip, .triangle_count = 4, .triangles = four, .cells = 60 };
    sup_arena*      arena = sup_arena_create(NULL);
    sup_error       error = { 0 };
    sup_voxels      v;
    assert_ok(sup_voxels_create(&desc, arena, &v, &error), error);
    assert_false(v.open);
    for (uint32_t i = 0; i < 3 * N; ++i) {
        triangles[i] = i;
        for (int a = 0; a < 3; ++a) {
            random = random * 1664525u + 1013904223u;
            (&points[i].x)[a] = (float)(random >> 16);
        }
    }
    desc =
        (sup_voxels_desc){ .point_count = 3 * N, .points = points, .triangle_count = N, .triangles = triangles, .cells = 60 };
    assert_int_equal(sup_voxels_create(&desc, arena, &v, &error), SUP_ERROR_INPUT);
    print_message("%s\n", error.text);
    assert_non_null(strstr(error.text, "cross each other"));
    desc.triangle_count = 100;
    assert_ok(sup_voxels_create(&desc, arena, &v, &error), error);
    sup_arena_destroy(arena);
    free(points), free(triangles);
}

static void meshes_that_cannot_be_filled_are_refused_with_a_reason(void** state)
{
    (void)state;
    boxes           b = { 0 };
    sup_arena*      arena = sup_arena_create(NULL);
    sup_error       error = { 0 };
    sup_voxels      v;
    sup_voxels_desc desc = { .points = b.points, .triangles = b.triangles, .cells = 8 };
    assert_int_equal(sup_voxels_create(&desc, arena, &v, &error), SUP_ERROR_INPUT);
    desc.triangle_count = 1;
    assert_int_equal(sup_voxels_create(&desc, arena, &v, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "no size"));
    // A flat mesh so far away that the origin of its grid would round to the mesh itself: its cells would all be empty.
    for (int k = 0; k < 3; ++k) b.points[k] = (sup_vec3){ k == 1, 3e38f, k == 2 };
    for (uint32_t i = 0; i < 3; ++i) b.triangles[i] = i;
    assert_int_equal(sup_voxels_create(&desc, arena, &v, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "from the origin"));
    b = (boxes){ 0 };
    add_box(&b, (sup_vec3){ 0, 0, 0 }, (sup_vec3){ 1, 1, 1 }, false);
    desc.triangle_count = b.triangle_count;
    desc.cells = 300;
    assert_int_equal(sup_voxels_create(&desc, arena, &v, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "million"));
    sup_arena_destroy(arena);
}

// The border is empty, and cells and particles know each other: what everybody who looks up a neighbor relies on.
static void assert_sound(const sup_voxels* v)
{
    for (uint32_t c = 0; c < v->cell_count; ++c) {
        uint32_t at = v->cells[c], x[3] = { at % v->size[0], at / v->size[0] % v->size[1], at / v->size[0] / v->size[1] };
        for (int a = 0; a < 3; ++a) assert_in_range(x[a], 1, v->size[a] - 2);
        assert_int_equal(v->at[at], c);
        for (uint32_t k = 0; k < 8; ++k) {
            uint32_t p = v->particles[8 * (size_t)c + k];
            assert_true(p < v->particle_count && v->octants[p] >> (7 ^ k) & 1);
            assert_int_equal(sup_voxels_octant(v, p, 7 ^ k), c);
        }
    }
    for (uint32_t k = 0; k < v->link_begin[v->particle_count]; ++k) assert_true(v->links[k] < v->particle_count);
}

// Two equal triangles that face the same way already have a winding number of up to 1 around them, outside the grid too.
static void stacked_triangles_leave_the_border_empty(void** state)
{
    (void)state;
    static const sup_vec3 corners[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0.3f, 0.3f, 0.4f } };
    for (uint32_t stacked = 1; stacked <= 64; stacked *= 2)
        for (uint32_t cells = 1; cells <= 16; cells *= 4)
            for (uint32_t flat = 0; flat < 3; ++flat) { // across each axis
                boxes b = { .point_count = 4, .triangle_count = stacked + 1 };
                for (uint32_t k = 0; k < 4; ++k) {
                    const float* p = &corners[k].x;
                    b.points[k] = (sup_vec3){ p[(3 - flat) % 3], p[(4 - flat) % 3], p[(5 - flat) % 3] };
                }
                for (uint32_t i = 0; i < 3 * b.triangle_count; ++i) b.triangles[i] = i % 3;
                b.triangles[3 * stacked + 2] = 3; // one stands up, so that the grid has room above the others
                assert_true(sound_or_refused(&b, cells) || stacked > 16);
            }
}

// As far away as is allowed, every triangle still has its cells.
static void a_mesh_far_from_the_origin_fills_its_cells(void** state)
{
    (void)state;
    for (int a = 0; a < 3; ++a) {
        boxes b = { .triangles = { 0, 1, 2 }, .point_count = 3, .triangle_count = 1 };
        for (int k = 1; k < 3; ++k) (&b.points[k].x)[(a + k) % 3] = 1;
        for (int k = 0; k < 3; ++k) (&b.points[k].x)[a] = -1e9f;
        sup_arena* arena = sup_arena_create(NULL);
        sup_voxels v = voxels_of(&b, 8, arena);
        assert_sound(&v);
        assert_true(v.cell_count >= 8 * 9 / 2);
        sup_arena_destroy(arena);
    }
}

// Triangles anywhere, facing anywhere, many on one edge: every grid is sound.
static void soup_leaves_the_border_empty(void** state)
{
    (void)state;
    uint32_t random = 1, filled = 0;
    for (int round = 0; round < 200; ++round) {
        boxes b = { .point_count = 4 + (uint32_t)round % 12, .triangle_count = 3 + (uint32_t)round % 90 };
        for (uint32_t i = 0; i < 3 * b.point_count; ++i) {
            random = random * 1664525u + 1013904223u;
            (&b.points[0].x)[i] = (float)(random >> 24) * (i % 3 == (uint32_t)round % 7 ? 0.01f : 1.0f);
        }
        for (uint32_t i = 0; i < 3 * b.triangle_count; ++i) {
            random = random * 1664525u + 1013904223u;
            bool hinge = round & 1 && i % 3 < 2; // two corners of every triangle are the same two points
            b.triangles[i] = hinge ? i % 3 : (random >> 16) % b.point_count;
        }
        filled += sound_or_refused(&b, 2 + (uint32_t)round % 11);
    }
    assert_true(filled > 100);
}

static void the_winding_number_of_a_box_is_one_inside_and_zero_outside(void** state)
{
    (void)state;
    boxes       b = { 0 };
    sup_winding w;
    sup_error   error = { 0 };
    sup_arena*  arena = sup_arena_create(NULL);
    add_box(&b, (sup_vec3){ 0, 0, 0 }, (sup_vec3){ 1, 1, 1 }, false);
    assert_ok(sup_winding_create(b.points, b.triangles, b.triangle_count, arena, &w, &error), error);
    assert_true(fabs(sup_winding_number(&w, (double[3]){ 0.5, 0.5, 0.5 }) - 1) < 0.02);
    assert_true(fabs(sup_winding_number(&w, (double[3]){ 0.9, 0.1, 0.5 }) - 1) < 0.02);
    assert_true(fabs(sup_winding_number(&w, (double[3]){ 1.2, 0.5, 0.5 })) < 0.02);
    assert_true(fabs(sup_winding_number(&w, (double[3]){ 9, 9, 9 })) < 0.02);
    sup_arena_destroy(arena);
}

// Triangles as large as the whole, all through each other: none is far from anywhere.
static void the_winding_number_of_soup_costs_no_more_than_its_limit(void** state)
{
    (void)state;
    enum { POINTS = 300, TRIANGLES = 20000 };
    sup_arena* arena = sup_arena_create(NULL);
    sup_vec3*  points = sup_arena_alloc(arena, POINTS, sizeof *points);
    uint32_t*  triangles = sup_arena_alloc(arena, 3 * TRIANGLES, sizeof *triangles);
    uint32_t   random = 7, tested;
    for (uint32_t i = 0; i < 3 * POINTS + 3 * TRIANGLES; ++i) {
        random = random * 1664525u + 1013904223u;
        if (i < 3 * POINTS) (&points[0].x)[i] = (float)(random >> 8) / 16777216.0f;
        else triangles[i - 3 * POINTS] = (random >> 8) % POINTS;
    }
    sup_winding w;
    sup_error   error = { 0 };
    assert_ok(sup_winding_create(points, triangles, TRIANGLES, arena, &w, &error), error);
    for (int k = 0; k < 100; ++k) {
        double place[3] = { 0.1 * (k % 10), 0.1 * (k / 10), 0.5 };
        assert_true(isfinite(sup_winding_counted(&w, place, &tested)));
        assert_in_range(tested, 0, SUP_WINDING_TESTS + SUP_BVH_LEAF);
    }
    w.tests = 64; // as grids with many cells set it
    for (int k = 0; k < 100; ++k) {
        assert_true(isfinite(sup_winding_counted(&w, (double[3]){ 0.1 * (k % 10), 0.1 * (k / 10), 0.5 }, &tested)));
        assert_in_range(tested, 64, 64 + SUP_BVH_LEAF);
    }
    // At the corner of a triangle, where its arm is zero.
    assert_true(isfinite(
        sup_winding_counted(&w, (double[3]){ (double)points[0].x, (double)points[0].y, (double)points[0].z }, &tested)));
    sup_arena_destroy(arena);
}

static void memory_that_runs_out_is_an_error_and_nothing_leaks(void** state)
{
    (void)state;
    boxes b = { 0 };
    add_box(&b, (sup_vec3){ 0, 0, 0 }, (sup_vec3){ 1, 1, 2 }, true);
    sup_voxels_desc desc = {
        .point_count = 8, .points = b.points, .triangle_count = b.triangle_count, .triangles = b.triangles, .cells = 12
    };
    for (test_starved s = { 0 }; test_starve(&s);) {
        sup_arena* arena = sup_arena_create(&s.memory.allocator);
        sup_error  error = { 0 };
        sup_voxels v;
        if (arena && (s.result = sup_voxels_create(&desc, arena, &v, &error)) != SUP_OK)
            assert_int_equal(error.code, SUP_ERROR_MEMORY);
        sup_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_fills_its_cells),
        cmocka_unit_test(numbers_run_along_x_then_y_then_z),
        cmocka_unit_test(legs_in_neighboring_cells_stay_apart),
        cmocka_unit_test(two_legs_joined_at_the_hip_are_one_component_with_double_corners),
        cmocka_unit_test(an_open_box_has_an_inside),
        cmocka_unit_test(an_open_box_with_too_many_cells_is_left_early),
        cmocka_unit_test(degenerate_triangles_fill_the_cells_they_run_through),
        cmocka_unit_test(meshes_that_cannot_be_filled_are_refused_with_a_reason),
        cmocka_unit_test(stacked_triangles_leave_the_border_empty),
        cmocka_unit_test(a_mesh_far_from_the_origin_fills_its_cells),
        cmocka_unit_test(soup_leaves_the_border_empty),
        cmocka_unit_test(faces_through_each_other_are_refused_and_large_ones_are_not),
        cmocka_unit_test(the_winding_number_of_a_box_is_one_inside_and_zero_outside),
        cmocka_unit_test(the_winding_number_of_soup_costs_no_more_than_its_limit),
        cmocka_unit_test(memory_that_runs_out_is_an_error_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

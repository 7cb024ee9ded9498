// Clothes take the weights of the body below them; where there is none, of the cloth around.
#include "support.h"

#include "math/vec.h"
#include "supple/rig.h"

#include <math.h>
#include <string.h>

static sup_surface surface_of(const sup_character* c, const sup_vec3* points)
{
    return (sup_surface){ c->mesh.point_count, points, c->mesh.triangle_count, c->mesh.triangles };
}

static float weight_of(const uint32_t* begin, const uint32_t* joints, const float* values, uint32_t point, uint32_t joint)
{
    for (uint32_t i = begin[point]; i < begin[point + 1]; ++i)
        if (joints[i] == joint) return values[i];
    return 0;
}

static void check_sums(const sup_transfer* t, uint32_t count)
{
    for (uint32_t p = 0; p < count; ++p) {
        float sum = 0, before = INFINITY;
        assert_true(t->begin[p] < t->begin[p + 1]);
        for (uint32_t i = t->begin[p]; i < t->begin[p + 1]; ++i) {
            assert_true(t->values[i] > 0 && t->values[i] <= before);
            before = t->values[i];
            sum += t->values[i];
        }
        assert_true(fabsf(sum - 1) < 1e-5f);
    }
}

static sup_transfer_input dress_tube(const sup_character* c, const sup_vec3* shirt)
{
    return (sup_transfer_input){ .body = surface_of(c, c->mesh.points),
                                 .begin = c->weights.begin,
                                 .joints = c->weights.joints,
                                 .values = c->weights.values,
                                 .joint_count = c->skeleton.joint_count,
                                 .clothes = surface_of(c, shirt) };
}

static void a_shirt_around_a_tube_has_the_weights_of_the_tube(void** state)
{
    (void)state;
    sup_character* c = test_tube(21, 16, 4, 2, 0.25f);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_vec3*      shirt = sup_arena_alloc(arena, c->mesh.point_count, sizeof *shirt);
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        sup_vec3 at = c->mesh.points[p];
        shirt[p] = v3(at.x, 1.1f * at.y, 1.1f * at.z);
    }
    sup_transfer_input in = dress_tube(c, shirt);
    sup_transfer       out;
    sup_error          error;
    assert_ok(sup_transfer_weights(&in, arena, &out, &error), error);
    assert_int_equal(out.matched + out.filled, c->mesh.point_count);
    assert_int_equal(out.adrift, 0);
    check_sums(&out, c->mesh.point_count);
    for (uint32_t p = 0; p < c->mesh.point_count; ++p)
        for (uint32_t j = 0; j < c->skeleton.joint_count; ++j)
            assert_true(fabsf(weight_of(out.begin, out.joints, out.values, p, j) -
                              weight_of(c->weights.begin, c->weights.joints, c->weights.values, p, j)) < 1e-3f);

    sup_pool*    pool = sup_pool_create(3);
    sup_transfer again;
    in.tasks = sup_pool_tasks(pool);
    assert_ok(sup_transfer_weights(&in, arena, &again, &error), error);
    assert_memory_equal(again.values, out.values, out.begin[c->mesh.point_count] * sizeof *out.values);
    sup_pool_destroy(pool);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

// A flat body from x = 0 to 1 whose weights go from joint 0 to joint 1, and a strip of cloth above it.
enum { COLUMNS = 41 };
typedef struct strip {
    sup_vec3 points[2 * COLUMNS];
    uint32_t triangles[6 * (COLUMNS - 1)];
} strip;

static void make_strip(strip* s, float width, float height)
{
    for (uint32_t i = 0; i < COLUMNS; ++i)
        for (uint32_t k = 0; k < 2; ++k) s->points[2 * i + k] = v3((float)i / (COLUMNS - 1), k ? width : -width, height);
    for (uint32_t i = 0; i + 1 < COLUMNS; ++i) {
        uint32_t at = 2 * i, quad[6] = { at, at + 2, at + 3, at, at + 3, at + 1 };
        memcpy(s->triangles + 6 * (size_t)i, quad, sizeof quad);
    }
}

typedef struct plane {
    strip    body, cloth;
    uint32_t begin[2 * COLUMNS + 1], joints[4 * COLUMNS];
    float    values[4 * COLUMNS];
} plane;

static sup_transfer_input make_plane(plane* f)
{
    make_strip(&f->body, 0.2f, 0);
    make_strip(&f->cloth, 0.1f, 0.01f);
    for (uint32_t p = 0; p < 2 * COLUMNS; ++p) {
        f->begin[p + 1] = 2 * p + 2;
        for (uint32_t j = 0; j < 2; ++j) {
            f->joints[2 * p + j] = j;
            f->values[2 * p + j] = j ? f->body.points[p].x : 1 - f->body.points[p].x;
        }
    }
    f->begin[0] = 0;
    return (sup_transfer_input){ .body = { 2 * COLUMNS, f->body.points, 2 * (COLUMNS - 1), f->body.triangles },
                                 .begin = f->begin,
                                 .joints = f->joints,
                                 .values = f->values,
                                 .joint_count = 2,
                                 .clothes = { 2 * COLUMNS, f->cloth.points, 2 * (COLUMNS - 1), f->cloth.triangles } };
}

static void a_fold_that_stands_off_is_filled_from_both_sides(void** state)
{
    (void)state;
    plane              f;
    sup_transfer_input in = make_plane(&f);
    sup_arena*         arena = sup_arena_create(NULL);
    sup_transfer       out;
    sup_error          error;
    // The middle fifth goes up and leans far to the right: the nearest places would be wrong by much.
    for (uint32_t p = 0; p < 2 * COLUMNS; ++p)
        if (f.cloth.points[p].x > 0.4f && f.cloth.points[p].x < 0.6f) {
            f.cloth.points[p].z = 0.5f;
            f.cloth.points[p].x += 0.35f;
        }
    assert_ok(sup_transfer_weights(&in, arena, &out, &error), error);
    check_sums(&out, 2 * COLUMNS);
    assert_true(out.filled >= 14 && out.adrift == 0);
    assert_int_equal(out.matched + out.filled, 2 * COLUMNS);
    float before = 0;
    for (uint32_t i = 0; i < COLUMNS; ++i) {
        float value = weight_of(out.begin, out.joints, out.values, 2 * i, 1);
        assert_true(value >= before - 1e-4f);
        if (i < 14 || i > 26) assert_true(fabsf(value - (float)i / (COLUMNS - 1)) < 2e-3f);
        else assert_true(value > 0.3f && value < 0.7f);
        before = value;
    }
    sup_arena_destroy(arena);
}

static void a_piece_far_from_the_body_takes_the_nearest(void** state)
{
    (void)state;
    plane              f;
    sup_transfer_input in = make_plane(&f);
    sup_arena*         arena = sup_arena_create(NULL);
    sup_transfer       out;
    sup_error          error;
    for (uint32_t p = 0; p < 2 * COLUMNS; ++p) f.cloth.points[p].z = 3;
    assert_ok(sup_transfer_weights(&in, arena, &out, &error), error);
    assert_int_equal(out.adrift, 2 * COLUMNS);
    assert_true(fabsf(weight_of(out.begin, out.joints, out.values, 20, 1) - 0.25f) < 1e-5f);
    check_sums(&out, 2 * COLUMNS);
    sup_arena_destroy(arena);
}

static void cloth_that_faces_the_body_is_no_match(void** state)
{
    (void)state;
    plane              f;
    sup_transfer_input in = make_plane(&f);
    sup_arena*         arena = sup_arena_create(NULL);
    sup_transfer       out;
    sup_error          error;
    for (uint32_t t = 0; t < 2 * (COLUMNS - 1); ++t) {
        uint32_t swap = f.cloth.triangles[3 * t];
        f.cloth.triangles[3 * t] = f.cloth.triangles[3 * t + 1];
        f.cloth.triangles[3 * t + 1] = swap;
    }
    assert_ok(sup_transfer_weights(&in, arena, &out, &error), error);
    assert_int_equal(out.matched, 0);
    sup_arena_destroy(arena);
}

static void small_weights_are_cut_to_what_is_asked_for(void** state)
{
    (void)state;
    plane              f;
    sup_transfer_input in = make_plane(&f);
    sup_arena*         arena = sup_arena_create(NULL);
    sup_transfer       out;
    sup_error          error;
    in.influences_max = 1;
    assert_ok(sup_transfer_weights(&in, arena, &out, &error), error);
    for (uint32_t p = 0; p < 2 * COLUMNS; ++p) {
        assert_int_equal(out.begin[p + 1] - out.begin[p], 1);
        assert_true(out.values[p] == 1);
    }
    assert_int_equal(out.joints[2], 0);
    assert_int_equal(out.joints[2 * COLUMNS - 3], 1);
    in.influences_max = 99;
    assert_int_equal(sup_transfer_weights(&in, arena, &out, &error), SUP_ERROR_INPUT);
    sup_arena_destroy(arena);
}

static void a_body_without_area_is_refused(void** state)
{
    (void)state;
    plane              f;
    sup_transfer_input in = make_plane(&f);
    sup_arena*         arena = sup_arena_create(NULL);
    sup_transfer       out;
    sup_error          error;
    in.body.triangle_count = 0;
    assert_int_equal(sup_transfer_weights(&in, arena, &out, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "no face with an area"));
    sup_arena_destroy(arena);
}

static void every_refused_allocation_is_survived(void** state)
{
    (void)state;
    plane              f;
    sup_transfer_input in = make_plane(&f);
    for (uint32_t p = 0; p < 2 * COLUMNS; p += 7) f.cloth.points[p].z = 0.5f;
    for (test_starved s = { 0 }; test_starve(&s);) {
        sup_arena*   arena = sup_arena_create(&s.memory.allocator);
        sup_transfer out;
        sup_error    error;
        if (arena) s.result = sup_transfer_weights(&in, arena, &out, &error);
        sup_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shirt_around_a_tube_has_the_weights_of_the_tube),
        cmocka_unit_test(a_fold_that_stands_off_is_filled_from_both_sides),
        cmocka_unit_test(a_piece_far_from_the_body_takes_the_nearest),
        cmocka_unit_test(cloth_that_faces_the_body_is_no_match),
        cmocka_unit_test(small_weights_are_cut_to_what_is_asked_for),
        cmocka_unit_test(a_body_without_area_is_refused),
        cmocka_unit_test(every_refused_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Points in cells: which cell carries which point.
#include "solve/lattice/lattice_embed.h"

#include "box_lattice.h"

#include <math.h>
#include <string.h>

enum { POINTS = 400 };

typedef struct scene {
    sup_arena*        arena;
    sup_voxels        voxels;
    sup_lattice_embed embed;
    sup_vec3          points[POINTS];
    float*            x;
    sup_vec3*         out;
} scene;

// Two fingers a quarter of a cell apart on a palm, and points on and in them.
static const sup_vec3 fork[][2] = { { { 0, 0, 0 }, { 1.99f, 1, 1 } },
                                    { { 0, 0, 0.5f }, { 0.95f, 1, 4 } },
                                    { { 1.04f, 0, 0.5f }, { 1.99f, 1, 4 } } };

static scene make(bool smooth)
{
    scene     s = { .arena = sup_arena_create(NULL) };
    uint32_t  seed = 3;
    sup_error error;
    box_lattice(fork, 3, 12, s.arena, &s.voxels);
    for (uint32_t i = 0; i < POINTS; ++i) {
        float r[3];
        for (int a = 0; a < 3; ++a) r[a] = (float)((seed = seed * 1664525u + 1013904223u) >> 8) / 16777216.0f;
        const sup_vec3* box = fork[i % 3];
        s.points[i] = v3(box[0].x + r[0] * (box[1].x - box[0].x), box[0].y + r[1] * (box[1].y - box[0].y),
                         box[0].z + r[2] * (box[1].z - box[0].z));
        if (i % 4 == 0) s.points[i].y = 0; // on the skin
    }
    s.points[POINTS - 1] = v3(5, -3, 2); // far off any cell
    uint32_t* slots = SUP_NEW(s.arena, uint32_t, s.voxels.particle_count);
    for (uint32_t p = 0; p < s.voxels.particle_count; ++p) slots[p] = s.voxels.particle_count - 1 - p;
    sup_lattice_embed_desc desc = {
        .voxels = &s.voxels, .slots = slots, .point_count = POINTS, .points = s.points, .smooth = smooth
    };
    assert_ok(sup_lattice_embed_create(&desc, s.arena, &s.embed, &error), error);
    s.x = SUP_NEW(s.arena, float, 4 * s.voxels.particle_count);
    s.out = SUP_NEW(s.arena, sup_vec3, POINTS);
    for (uint32_t p = 0; p < s.voxels.particle_count; ++p) {
        sup_vec3 at = sup_voxels_position(&s.voxels, p);
        memcpy(s.x + 4 * slots[p], &at, sizeof at);
    }
    return s;
}

static void run(scene* s)
{
    sup_lattice_embed_run(&(sup_lattice_embed_call){ .embed = &s->embed, .x = s->x, .loose = s->points, .out = s->out }, NULL);
}

static void points_ride_along_any_linear_map(void** state)
{
    (void)state;
    static const sup_affine map = { { { 1.2f, 0.3f, -0.1f, 4 }, { 0, 0.8f, 0.5f, -1 }, { 0.2f, -0.4f, 1.1f, 2 } } };
    for (int smooth = 0; smooth < 2; ++smooth) {
        scene s = make(smooth);
        for (uint32_t p = 0; p < s.voxels.particle_count; ++p) {
            sup_vec3 at;
            memcpy(&at, s.x + 4 * p, sizeof at);
            at = affine_point(&map, at);
            memcpy(s.x + 4 * p, &at, sizeof at);
        }
        run(&s);
        for (uint32_t i = 0; i + 1 < POINTS; ++i) assert_true(v3_distance(s.out[i], affine_point(&map, s.points[i])) < 2e-5f);
        assert_int_equal(s.embed.loose_count, 1);
        assert_memory_equal(&s.out[POINTS - 1], &s.points[POINTS - 1], sizeof s.out[0]);
        if (smooth) assert_true(s.embed.fallbacks < POINTS / 4);
        sup_arena_destroy(s.arena);
    }
}

static void what_is_added_is_added(void** state)
{
    (void)state;
    for (int smooth = 0; smooth < 2; ++smooth) {
        scene    s = make(smooth);
        sup_vec3 plus[POINTS], minus[POINTS];
        for (uint32_t i = 0; i < POINTS; ++i) plus[i] = v3((float)i, 0, 1), minus[i] = v3(0, 2, (float)i);
        sup_lattice_embed_call call = {
            .embed = &s.embed, .x = s.x, .plus = plus, .minus = minus, .loose = s.points, .out = s.out
        };
        sup_lattice_embed_run(&call, NULL);
        for (uint32_t i = 0; i + 1 < POINTS; ++i)
            assert_true(v3_distance(s.out[i], v3_add(s.points[i], v3_sub(plus[i], minus[i]))) < 1e-3f);
        sup_arena_destroy(s.arena);
    }
}

// Along a line through the palm the spline has no kinks; linear pieces do.
static void the_spline_is_smooth_where_trilinear_has_creases(void** state)
{
    (void)state;
    double kink[2];
    for (int smooth = 0; smooth < 2; ++smooth) {
        scene s = make(smooth);
        for (uint32_t i = 0; i < POINTS; ++i) s.points[i] = v3(0.4f, 0.01f, 1.2f + 2.5f * (float)i / POINTS);
        uint32_t* slots = SUP_NEW(s.arena, uint32_t, s.voxels.particle_count);
        for (uint32_t p = 0; p < s.voxels.particle_count; ++p) slots[p] = p;
        sup_error              error;
        sup_lattice_embed_desc desc = {
            .voxels = &s.voxels, .slots = slots, .point_count = POINTS, .points = s.points, .smooth = smooth
        };
        assert_ok(sup_lattice_embed_create(&desc, s.arena, &s.embed, &error), error);
        for (uint32_t p = 0; p < s.voxels.particle_count; ++p) {
            uint32_t c[3];
            sup_voxels_corner(&s.voxels, p, c);
            s.x[4 * p + 1] = 0.1f * (float)(c[2] * c[2]); // a parabola over z
        }
        run(&s);
        kink[smooth] = 0;
        for (uint32_t i = 1; i + 1 < POINTS; ++i)
            kink[smooth] = fmax(kink[smooth], fabs((double)s.out[i - 1].y - 2 * (double)s.out[i].y + (double)s.out[i + 1].y));
        sup_arena_destroy(s.arena);
    }
    assert_true(kink[1] < 0.2 * kink[0]);
}

static void both_widths_give_the_same_bits(void** state)
{
    (void)state;
    scene    s = make(false);
    sup_vec3 other[POINTS];
    run(&s);
    sup_lattice_embed_call call = { .embed = &s.embed, .x = s.x, .out = other };
    sup_lattice_embed_blocks_v1(&call, 0, s.embed.block_count);
    other[POINTS - 1] = s.out[POINTS - 1]; // the loose one is no block's
    assert_memory_equal(other, s.out, sizeof other);
    sup_arena_destroy(s.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_ride_along_any_linear_map),
        cmocka_unit_test(what_is_added_is_added),
        cmocka_unit_test(the_spline_is_smooth_where_trilinear_has_creases),
        cmocka_unit_test(both_widths_give_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

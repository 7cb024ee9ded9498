// The skin is the upper side of one box, 8 x 8 squares at z = 1.5; bodies come from above.
#include "slabs.h"
#include "solve/contact/contact_internal.h"

#include <math.h>

enum { MIDDLE = 81 + 40 }; // the point at (4, 4, 1.5)

static slabs make_skin(uint32_t solids, const sup_solid_mesh* const* meshes)
{
    slabs s = slabs_make(8, 1, (const float[]){ 0 });
    slabs_bind(&s, solids, meshes);
    return s;
}

static sup_affine at(float x, float y, float z) { return affine_from_rotation(quat_identity(), v3(x, y, z)); }

static sup_contact_report press(slabs* s, const sup_contact_call* call, uint32_t count, const sup_solid* solids, int rounds)
{
    sup_contact_report r = sup_contact_search(s->contact, call, s->x, s->to, count, solids);
    memcpy(s->x, s->to, s->point_count * sizeof *s->x);
    sup_contact_begin(s->contact, call, 0, 1, s->x, NULL);
    for (int i = 0; i < rounds; ++i) sup_contact_project(s->contact, call, s->x);
    return r;
}

static void a_sphere_dents_the_skin_to_its_own_shape(void** state)
{
    (void)state;
    slabs              s = make_skin(1, NULL);
    sup_contact_call   call = slabs_call(&s);
    sup_solid          ball = { .kind = SUP_SOLID_SPHERE, .start = at(4, 4, 3), .end = at(4, 4, 3), .radius = 2 };
    sup_contact_report r = press(&s, &call, 1, &ball, 3);
    // Thickness .05 of a mean edge, which is (4 + 2 sqrt 2) / 6 = 1.138: points end at least 2.0569 from the center.
    assert_true(r.listed >= 5);
    assert_int_equal(r.swept, 0);
    for (uint32_t i = 0; i < s.point_count; ++i) assert_true(v3_distance(sup_particle_place(&s.x[i]), v3(4, 4, 3)) > 2.0568f);
    assert_float_equal(s.x[MIDDLE].z, 3 - 2.0569f, 1e-3f);
    assert_float_equal(s.x[MIDDLE].x, 4, 1e-5f);
    assert_float_equal(s.x[81].z, 1.5f, 0); // far away
    slabs_free(&s);
}

static void a_capsule_lies_along_its_axis(void** state)
{
    (void)state;
    slabs            s = make_skin(1, NULL);
    sup_contact_call call = slabs_call(&s);
    sup_solid        rod = {
               .kind = SUP_SOLID_CAPSULE, .start = at(0, 4, 2), .end = at(0, 4, 2), .a = { 2, 0, 0 }, .b = { 6, 0, 0 }, .radius = 1
    };
    press(&s, &call, 1, &rod, 3);
    for (int i = -2; i <= 2; ++i) assert_float_equal(s.x[MIDDLE + i].z, 2 - 1.0569f, 1e-3f);
    assert_float_equal(s.x[MIDDLE - 4].z, 1.5f, 0);
    slabs_free(&s);
}

// It moves down by 40 in one step, from 10 above to 30 below; its radius is 1.
static void a_ball_shot_through_the_skin_is_stopped_on_its_way(void** state)
{
    (void)state;
    for (int capsule = 0; capsule < 2; ++capsule) {
        slabs              s = make_skin(1, NULL);
        sup_contact_call   call = slabs_call(&s);
        sup_solid          ball = { .kind = capsule ? SUP_SOLID_CAPSULE : SUP_SOLID_SPHERE,
                                    .start = at(4.1f, 4, 10),
                                    .end = at(4.1f, 4, -30),
                                    .a = { 0, 0, 0 },
                                    .b = { 0.5f, 0, 0 },
                                    .radius = 1 };
        sup_contact_report r = press(&s, &call, 1, &ball, 3);
        assert_true(r.swept >= 1);
        assert_true(s.x[MIDDLE].z < -30); // in front of the ball, where it was pushed
        slabs_free(&s);
    }
}

// The distance of the skin from a place.
static float skin_distance(const slabs* s, sup_vec3 from)
{
    float least = INFINITY, weights[3];
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t* c = s->triangles + 3 * (size_t)t;
        least = fminf(least, sup_contact_triangle_square(from, sup_particle_place(&s->x[c[0]]), sup_particle_place(&s->x[c[1]]),
                                                         sup_particle_place(&s->x[c[2]]), weights));
    }
    return sqrtf(least);
}

// The height of the skin at (4.3, 4.6), where it has no point: 0.4, 0.3 and 0.3 of the points at (4, 4), (5, 5) and (4, 5).
static float skin_height(const slabs* s) { return 0.4f * s->x[MIDDLE].z + 0.3f * (s->x[MIDDLE + 10].z + s->x[MIDDLE + 9].z); }

// Radius 0.3, and 0.5 from the nearest point: it presses the triangle until it is clear of it.
static void a_ball_smaller_than_the_edges_presses_the_triangle_it_meets(void** state)
{
    (void)state;
    for (int capsule = 0; capsule < 2; ++capsule) {
        slabs            s = make_skin(1, NULL);
        sup_contact_call call = slabs_call(&s);
        sup_solid        ball = { .kind = capsule ? SUP_SOLID_CAPSULE : SUP_SOLID_SPHERE,
                                  .start = at(4.3f, 4.6f, 1.6f),
                                  .end = at(4.3f, 4.6f, 1.6f),
                                  .b = { 0, 0, 0.4f }, // upright: its lower end is the ball
                                  .radius = 0.3f };
        press(&s, &call, 1, &ball, 3);
        assert_true(skin_distance(&s, v3(4.3f, 4.6f, 1.6f)) > 0.29f);
        assert_true(skin_height(&s) < 1.3f && skin_height(&s) > 1.1f);
        slabs_free(&s);
    }
}

// From 3 down to the center of the box, from a tenth of an edge per step up to everything in one; then it rests for two steps.
static void no_speed_takes_a_small_ball_between_the_points(void** state)
{
    (void)state;
    static const uint32_t counts[] = { 22, 5, 2, 1 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        slabs            s = make_skin(1, NULL);
        sup_contact_call call = slabs_call(&s);
        for (uint32_t k = 0; k < counts[i] + 2; ++k) {
            float     way = 2.25f / (float)counts[i], begin = fmaxf(3 - way * (float)k, 0.75f), end = fmaxf(begin - way, 0.75f);
            sup_vec3  center = v3(4.3f, 4.6f, end);
            sup_solid ball = {
                .kind = SUP_SOLID_SPHERE, .start = at(4.3f, 4.6f, begin), .end = at(4.3f, 4.6f, end), .radius = 0.3f
            };
            memcpy(s.to, s.x, s.point_count * sizeof *s.to);
            press(&s, &call, 1, &ball, 3);
            assert_true(skin_height(&s) < end - 0.25f);
            assert_true(skin_distance(&s, center) > (k < counts[i] ? 0.15f : 0.29f)); // a moment to clear its neighbors
        }
        slabs_free(&s);
    }
}

// A cube of 2 as a mesh: its lower face comes to z = 1.2, pressing points at 1.5 down.
static const sup_vec3 CUBE[8] = { { -1, -1, -1 }, { -1, -1, 1 }, { -1, 1, -1 }, { -1, 1, 1 },
                                  { 1, -1, -1 },  { 1, -1, 1 },  { 1, 1, -1 },  { 1, 1, 1 } };
static const uint32_t FACES[36] = { 0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                    2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3 };

static const sup_solid_mesh* make_cube(sup_arena* arena, bool closed)
{
    const sup_solid_mesh* m;
    sup_error             error;
    assert_ok(sup_solid_mesh_create(CUBE, 8, FACES, 12, closed, arena, &m, &error), error);
    return m;
}

static void a_cube_presses_what_is_inside_it_out_by_the_nearest_face(void** state)
{
    (void)state;
    sup_arena*            arena = sup_arena_create(NULL);
    const sup_solid_mesh* cube = make_cube(arena, true);
    slabs                 s = make_skin(1, &cube);
    sup_contact_call      call = slabs_call(&s);
    sup_solid block = { .kind = SUP_SOLID_MESH, .start = at(4.2f, 4.3f, 2.2f), .end = at(4.2f, 4.3f, 2.2f), .mesh = cube };
    sup_contact_report r = press(&s, &call, 1, &block, 2);
    assert_true(r.listed >= 4);
    assert_float_equal(s.x[MIDDLE].z, 1.2f - 0.0569f, 1e-3f);
    assert_float_equal(s.x[MIDDLE].x, 4, 1e-4f);
    // x from 3.2: the point at 3 is outside, within the margin but not touched.
    assert_float_equal(s.x[MIDDLE - 1].z, 1.5f, 0);
    slabs_free(&s);
    sup_arena_destroy(arena);
}

static void random_points_find_the_side_of_a_mesh_that_geometry_says(void** state)
{
    (void)state;
    sup_arena*            arena = sup_arena_create(NULL);
    const sup_solid_mesh* cube = make_cube(arena, true);
    slabs                 s = make_skin(1, &cube);
    sup_contact_call      call = slabs_call(&s);
    call.thickness = 0;
    uint32_t  seed = 11;
    sup_solid block = { .kind = SUP_SOLID_MESH, .start = at(0, 0, 0), .end = at(0, 0, 0), .mesh = cube };
    for (uint32_t i = 0; i < s.point_count; ++i)
        for (int k = 0; k < 3; ++k) {
            seed = seed * 1664525u + 1013904223u;
            (&s.x[i].x)[k] = (&s.to[i].x)[k] = ((float)(seed >> 8) * 0x1p-23f - 1) * 1.5f;
        }
    sup_vec4* before = malloc(s.point_count * sizeof *before);
    memcpy(before, s.x, s.point_count * sizeof *before);
    press(&s, &call, 1, &block, 1);
    for (uint32_t i = 0; i < s.point_count; ++i) {
        float deepest = 1 - fmaxf(fmaxf(fabsf(before[i].x), fabsf(before[i].y)), fabsf(before[i].z)); // over 0: inside
        float moved = v3_distance(sup_particle_place(&s.x[i]), sup_particle_place(&before[i]));
        assert_float_equal(moved, deepest > 0 ? deepest : 0, 1e-5f); // the nearest way out
    }
    free(before);
    slabs_free(&s);
    sup_arena_destroy(arena);
}

static void a_mesh_shot_through_the_skin_is_stopped_on_its_way(void** state)
{
    (void)state;
    sup_arena*            arena = sup_arena_create(NULL);
    const sup_solid_mesh* cube = make_cube(arena, true);
    slabs                 s = make_skin(1, &cube);
    sup_contact_call      call = slabs_call(&s);
    sup_solid          block = { .kind = SUP_SOLID_MESH, .start = at(4.2f, 4.3f, 8), .end = at(4.2f, 4.3f, -12), .mesh = cube };
    sup_contact_report r = press(&s, &call, 1, &block, 2);
    assert_true(r.swept >= 4);
    assert_true(s.x[MIDDLE].z < -13); // below the lower face
    slabs_free(&s);
    sup_arena_destroy(arena);
}

// The points of the mesh come down by themselves; the body's transform does not change.
static void a_mesh_whose_points_move_pushes_as_it_comes(void** state)
{
    (void)state;
    sup_arena*            arena = sup_arena_create(NULL);
    const sup_solid_mesh* cube = make_cube(arena, true);
    slabs                 s = make_skin(1, &cube);
    sup_contact_call      call = slabs_call(&s);
    sup_vec3              start[8], end[8];
    for (int i = 0; i < 8; ++i) start[i] = v3_add(CUBE[i], v3(0, 0, 5)), end[i] = v3_add(CUBE[i], v3(0, 0, -5));
    sup_solid          block = { .kind = SUP_SOLID_MESH,
                                 .start = at(4.2f, 4.3f, 2),
                                 .end = at(4.2f, 4.3f, 2),
                                 .mesh = cube,
                                 .points_start = start,
                                 .points = end };
    sup_contact_report r = press(&s, &call, 1, &block, 2);
    assert_true(r.listed >= 4);
    assert_float_equal(s.x[MIDDLE].z, 2 - 5 - 1 - 0.0569f, 1e-3f);
    slabs_free(&s);
    sup_arena_destroy(arena);
}

// A single sheet: pushes to the side the skin was on.
static void an_open_mesh_pushes_both_ways(void** state)
{
    (void)state;
    const sup_vec3        sheet[4] = { { -3, -3, 0 }, { 3, -3, 0 }, { 3, 3, 0 }, { -3, 3, 0 } };
    const uint32_t        two[6] = { 0, 1, 2, 0, 2, 3 };
    sup_arena*            arena = sup_arena_create(NULL);
    const sup_solid_mesh* m;
    sup_error             error;
    assert_ok(sup_solid_mesh_create(sheet, 4, two, 2, false, arena, &m, &error), error);
    for (int up = 0; up < 2; ++up) {
        slabs            s = make_skin(1, &m);
        sup_contact_call call = slabs_call(&s);
        float            from = up ? 1.3f : 1.7f, to = up ? 1.7f : 1.3f;
        sup_solid        body = { .kind = SUP_SOLID_MESH, .start = at(4, 4, from), .end = at(4, 4, to), .mesh = m };
        press(&s, &call, 1, &body, 2);
        assert_float_equal(s.x[MIDDLE].z, up ? 1.7f + 0.0569f : 1.3f - 0.0569f, 1e-3f);
        slabs_free(&s);
    }
    sup_arena_destroy(arena);
}

static void a_turning_belt_carries_the_skin_along(void** state)
{
    (void)state;
    slabs            s = make_skin(1, NULL);
    sup_contact_call call = slabs_call(&s);
    sup_solid        ball = {
               .kind = SUP_SOLID_SPHERE, .start = at(3.99f, 4, 3.2f), .end = at(4.01f, 4, 3.2f), .radius = 2, .friction = 1
    };
    // It slides by .02 within .01 s: 2 per second. Twice: the substeps of one step.
    sup_contact_search(s.contact, &call, s.x, s.to, 1, &ball);
    for (int half = 0; half < 2; ++half) {
        sup_contact_begin(s.contact, &call, 0.5f * (float)half, 0.5f + 0.5f * (float)half, s.x, s.v);
        s.x[MIDDLE].z = 1.5f;
        assert_true(sup_contact_project(s.contact, &call, s.x) > 0);
        s.v[MIDDLE] = (sup_vec4){ 0 };
        sup_contact_friction(s.contact, &call, s.x, 0.005f, s.v);
        assert_float_equal(s.v[MIDDLE].x, 2, 0.02f);
    }
    slabs_free(&s);
}

static void bodies_that_are_not_there_do_nothing(void** state)
{
    (void)state;
    slabs            s = make_skin(4, NULL);
    sup_contact_call call = slabs_call(&s);
    sup_affine       broken = at(NAN, 0, 0), flat = { 0 };
    const sup_solid  solids[4] = { { .kind = SUP_SOLID_SPHERE, .start = broken, .end = broken, .radius = 2 },
                                   { .kind = SUP_SOLID_SPHERE, .start = flat, .end = flat, .radius = 2 },
                                   { .kind = SUP_SOLID_MESH, .start = at(0, 0, 0), .end = at(0, 0, 0) },
                                   { .kind = SUP_SOLID_SPHERE, .start = at(4, 4, 90), .end = at(4, 4, 90), .radius = 2 } };
    assert_int_equal(press(&s, &call, 4, solids, 2).listed, 0);
    slabs_free(&s);
}

static void any_number_of_workers_gives_the_same_bits(void** state)
{
    (void)state;
    uint64_t expected = 0;
    for (uint32_t threads = 1; threads <= 8; threads *= threads == 2 ? 4 : 2) {
        sup_pool*             pool = sup_pool_create(threads);
        sup_arena*            arena = sup_arena_create(NULL);
        const sup_solid_mesh* meshes[3] = { make_cube(arena, true), NULL, NULL };
        slabs                 s = make_skin(3, meshes);
        sup_contact_call      call = slabs_call(&s);
        call.tasks = sup_pool_tasks(pool);
        const sup_solid solids[3] = {
            { .kind = SUP_SOLID_MESH, .start = at(2, 2, 4), .end = at(2, 2, 2), .mesh = meshes[0] },
            { .kind = SUP_SOLID_SPHERE, .start = at(5, 5, 4), .end = at(5, 5, 2), .radius = 3 },
            { .kind = SUP_SOLID_CAPSULE, .start = at(1, 5, 4), .end = at(1, 5, 2), .b = { 3, 1, 0 }, .radius = 1 }
        };
        press(&s, &call, 3, solids, 4);
        uint64_t hash = sup_hash(SUP_HASH_START, s.x, s.point_count * sizeof *s.x);
        if (threads == 1) expected = hash;
        assert_true(hash == expected);
        slabs_free(&s);
        sup_arena_destroy(arena);
        sup_pool_destroy(pool);
    }
}

// Triangles between random points: non-manifold, duplicated, flat, crossing.
static void odd_meshes_and_broken_numbers_never_hang_or_spread(void** state)
{
    (void)state;
    enum { POINTS = 60, TRIANGLES = 150 };
    uint32_t seed = 5;
    for (int trial = 0; trial < 20; ++trial) {
        slabs s = { .point_count = POINTS, .triangle_count = TRIANGLES };
        s.points = calloc(POINTS, sizeof *s.points);
        s.triangles = calloc(3 * TRIANGLES, sizeof *s.triangles);
        s.x = calloc(POINTS, sizeof *s.x), s.to = calloc(POINTS, sizeof *s.to), s.v = calloc(POINTS, sizeof *s.v);
        for (uint32_t i = 0; i < 3 * POINTS; ++i)
            seed = seed * 1664525u + 1013904223u, (&s.points[0].x)[i] = (float)(seed >> 28);
        for (uint32_t i = 0; i < 3 * TRIANGLES; ++i)
            seed = seed * 1664525u + 1013904223u, s.triangles[i] = (seed >> 16) % POINTS;
        if (trial % 4 == 0) s.triangle_count = 0;
        for (uint32_t i = 0; i < POINTS; ++i) s.x[i] = s.to[i] = (sup_vec4){ s.points[i].x, s.points[i].y, s.points[i].z, 1 };
        slabs_bind(&s, 1, NULL);
        s.x[3].y = NAN;
        s.to[7].z = INFINITY;
        s.to[9].x += 1e30f;
        for (uint32_t i = 10; i < POINTS; ++i) seed = seed * 1664525u + 1013904223u, s.to[i].x += (float)(seed >> 30);
        sup_contact_call call = slabs_call(&s);
        sup_solid        ball = { .kind = SUP_SOLID_SPHERE, .start = at(8, 8, 20), .end = at(8, 8, 8), .radius = 3 };
        press(&s, &call, 1, &ball, 5);
        sup_contact_friction(s.contact, &call, s.x, 0.001f, s.v);
        for (uint32_t i = 10; i < POINTS; ++i) assert_true(isfinite(s.x[i].x) && isfinite(s.v[i].x));
        slabs_free(&s);
    }
}

static void every_allocation_that_fails_is_an_error(void** state)
{
    (void)state;
    slabs            s = slabs_make(3, 1, (const float[]){ 0 });
    sup_contact_desc desc = { .point_count = s.point_count,
                              .points = s.points,
                              .triangle_count = s.triangle_count,
                              .triangles = s.triangles,
                              .margin = 0.5f,
                              .reach = 1 };
    for (long at_call = 0;; ++at_call) {
        test_allocator a;
        test_allocator_init(&a, at_call);
        sup_arena*         arena = sup_arena_create(&a.allocator);
        const sup_contact* c;
        sup_error          error;
        sup_result         r = arena ? sup_contact_create(&desc, arena, &c, &error) : SUP_ERROR_MEMORY;
        assert_true(r == SUP_OK || r == SUP_ERROR_MEMORY);
        sup_arena_destroy(arena);
        assert_int_equal(a.live, 0);
        if (r == SUP_OK) break;
    }
    slabs_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sphere_dents_the_skin_to_its_own_shape),
        cmocka_unit_test(a_capsule_lies_along_its_axis),
        cmocka_unit_test(a_ball_shot_through_the_skin_is_stopped_on_its_way),
        cmocka_unit_test(a_ball_smaller_than_the_edges_presses_the_triangle_it_meets),
        cmocka_unit_test(no_speed_takes_a_small_ball_between_the_points),
        cmocka_unit_test(a_cube_presses_what_is_inside_it_out_by_the_nearest_face),
        cmocka_unit_test(random_points_find_the_side_of_a_mesh_that_geometry_says),
        cmocka_unit_test(a_mesh_shot_through_the_skin_is_stopped_on_its_way),
        cmocka_unit_test(a_mesh_whose_points_move_pushes_as_it_comes),
        cmocka_unit_test(an_open_mesh_pushes_both_ways),
        cmocka_unit_test(a_turning_belt_carries_the_skin_along),
        cmocka_unit_test(bodies_that_are_not_there_do_nothing),
        cmocka_unit_test(any_number_of_workers_gives_the_same_bits),
        cmocka_unit_test(odd_meshes_and_broken_numbers_never_hang_or_spread),
        cmocka_unit_test(every_allocation_that_fails_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

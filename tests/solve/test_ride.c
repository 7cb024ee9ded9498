// A mesh riding on a cage.
#include "support.h"

#include "base/internal.h"
#include "math/vec.h"
#include "solve/particles/ride.h"

#include <math.h>
#include <string.h>

enum { SIDES = 32, RINGS = 24 };

// A tube along z, twice: the body, and a slightly wider shirt around it; and a button on the shirt. The cage encloses all of
// it.
typedef struct scene {
    sup_arena* arena;
    uint32_t   point_count, triangle_count, shirt, button;
    sup_vec3*  points;
    uint32_t*  triangles;
    uint32_t * begin, *joints;
    float*     ones;
    sup_cage   cage;
    uint32_t*  order;
    sup_ride   ride;
    sup_vec3*  posed;
    sup_vec3*  moved;
    sup_vec3*  own; // the mesh as it is posed; NULL: as at rest
    float*     rows;
    sup_vec3*  out;
} scene;

static void add_tube(scene* s, float radius, bool closed)
{
    uint32_t first = s->point_count;
    for (uint32_t r = 0; r < RINGS; ++r)
        for (uint32_t k = 0; k < SIDES; ++k) {
            float a = 6.2831853f * (float)k / SIDES;
            s->points[s->point_count++] = v3(radius * cosf(a), radius * sinf(a), 6.0f * (float)r / (RINGS - 1));
        }
    for (uint32_t r = 0; r + 1 < RINGS; ++r)
        for (uint32_t k = 0; k < SIDES; ++k) {
            uint32_t a = first + r * SIDES + k, b = first + r * SIDES + (k + 1) % SIDES, c = a + SIDES, d = b + SIDES;
            memcpy(s->triangles + 3 * (size_t)s->triangle_count, (uint32_t[]){ a, b, d, a, d, c }, 6 * sizeof(uint32_t));
            s->triangle_count += 2;
        }
    for (uint32_t k = 1; k + 1 < SIDES && closed; ++k) {
        uint32_t top = first + (RINGS - 1) * SIDES;
        memcpy(s->triangles + 3 * (size_t)s->triangle_count,
               (uint32_t[]){ first, first + k + 1, first + k, top, top + k, top + k + 1 }, 6 * sizeof(uint32_t));
        s->triangle_count += 2;
    }
}

static scene* scene_make(void)
{
    sup_arena* arena = sup_arena_create(NULL);
    scene*     s = SUP_NEW(arena, scene, 1);
    sup_error  error = { 0 };
    s->arena = arena;
    s->points = SUP_NEW(arena, sup_vec3, 2 * SIDES * RINGS + 8);
    s->triangles = SUP_NEW(arena, uint32_t, 12 * SIDES * RINGS + 24);
    add_tube(s, 1, true);
    s->shirt = s->point_count;
    add_tube(s, 1.05f, false);
    s->button = s->point_count;
    for (int k = 0; k < 4; ++k)
        s->points[s->point_count++] = v3(1.07f + 0.02f * (float)(k == 3), 0.05f * (float)(k == 1), 3 + 0.05f * (float)(k == 2));
    memcpy(s->triangles + 3 * (size_t)s->triangle_count, (uint32_t[]){ 0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3 },
           12 * sizeof(uint32_t));
    for (uint32_t i = 0; i < 12; ++i) s->triangles[3 * (size_t)s->triangle_count + i] += s->button;
    s->triangle_count += 4;
    s->begin = SUP_NEW(arena, uint32_t, (size_t)s->point_count + 1);
    s->joints = SUP_NEW(arena, uint32_t, s->point_count);
    s->ones = SUP_NEW(arena, float, s->point_count);
    for (uint32_t p = 0; p < s->point_count; ++p) s->begin[p + 1] = p + 1, s->ones[p] = 1;
    static const uint32_t parents[1] = { SUP_NONE };
    sup_cage_desc         cage = { s->point_count, s->points, s->triangle_count, s->triangles, s->begin, s->joints,
                                   s->ones,        1,         parents,           200,          NULL,     NULL };
    assert_ok(sup_cage_create(&cage, arena, &s->cage, &error), error);
    uint32_t n = s->cage.point_count;
    s->order = SUP_NEW(arena, uint32_t, n);
    for (uint32_t q = 0; q < n; ++q) s->order[q] = n - 1 - q; // any order
    sup_ride_desc ride = { s->point_count, s->points, s->triangle_count, s->triangles, s->begin,
                           s->joints,      s->ones,   &s->cage,          s->order,     NULL };
    assert_ok(sup_ride_create(&ride, arena, &s->ride, &error), error);
    s->posed = SUP_NEW(arena, sup_vec3, n);
    s->moved = SUP_NEW(arena, sup_vec3, n);
    s->rows = SUP_NEW(arena, float, SUP_RIDE_ROW*(size_t)n);
    s->out = SUP_NEW(arena, sup_vec3, s->point_count);
    for (uint32_t q = 0; q < n; ++q) s->posed[s->order[q]] = s->cage.points[q];
    return s;
}

static void evaluate(scene* s)
{
    sup_ride_evaluate(
        &s->ride,
        &(sup_ride_call){ s->posed, s->moved, s->points, s->own ? s->own : s->points, { 0, 0, 0 }, NULL, s->rows, s->out });
}

static void nothing_moves_where_the_cage_does_not(void** state)
{
    (void)state;
    scene* s = scene_make();
    for (uint32_t k = 0; k < s->cage.point_count; ++k) s->moved[k] = s->posed[k];
    evaluate(s);
    assert_memory_equal(s->out, s->points, s->point_count * sizeof *s->out);
    for (uint32_t p = 0; p < s->point_count; ++p) { // and all of it does go along
        float sum = 0;
        for (uint32_t i = s->ride.begin[p]; i < s->ride.begin[p + 1]; ++i) sum += s->ride.shares[i];
        assert_true(fabsf(sum - 1) < 1e-5f);
    }
    sup_arena_destroy(s->arena);
}

static void a_rigid_motion_of_the_cage_is_one_of_the_skin(void** state)
{
    (void)state;
    scene*    s = scene_make();
    sup_rigid by = { quat_axis_angle(v3_normalize(v3(1, 2, 3), v3(0, 0, 1)), 0.8f), v3(0.3f, -0.2f, 0.5f) };
    for (uint32_t k = 0; k < s->cage.point_count; ++k) {
        sup_vec3 x = rigid_point(&by, s->posed[k]);
        s->moved[k] = x;
    }
    evaluate(s);
    for (uint32_t p = 0; p < s->point_count; ++p)
        if (v3_distance(s->out[p], rigid_point(&by, s->points[p])) > 2e-5f)
            print_message("%u %g turn %g\n", p, v3_distance(s->out[p], rigid_point(&by, s->points[p])), s->ride.alike[p]);
    for (uint32_t p = 0; p < s->point_count; ++p) assert_true(v3_distance(s->out[p], rigid_point(&by, s->points[p])) < 2e-5f);
    sup_arena_destroy(s->arena);
}

// Bent by 1 radian along its length with a bump: the shirt stays outside of the body, by nearly its rest distance.
static void a_shirt_stays_outside_and_the_skin_smooth(void** state)
{
    (void)state;
    scene* s = scene_make();
    for (uint32_t k = 0; k < s->cage.point_count; ++k) {
        sup_vec3 x = s->posed[k];
        float    a = x.z / 6, bump = 1 + 0.2f * expf(-(x.z - 3) * (x.z - 3));
        s->moved[k] = (sup_vec3){ bump * x.x + 3 * (1 - cosf(a)) * 1.0f, bump * x.y, x.z };
    }
    evaluate(s);
    float least = 1, roughest = 0;
    for (uint32_t i = 0; i < SIDES * RINGS; ++i) {
        sup_vec3 out = v3_normalize(v3_sub(s->points[s->shirt + i], s->points[i]), v3(0, 0, 0));
        least = fminf(least, v3_dot(v3_sub(s->out[s->shirt + i], s->out[i]), out));
    }
    // Second differences of the displacement around the middle ring: a facet of the cage would be a step of its slope.
    for (uint32_t k = 0; k < SIDES; ++k) {
        uint32_t r = RINGS / 2 * SIDES, a = r + k, b = r + (k + 1) % SIDES, c = r + (k + 2) % SIDES;
        sup_vec3 d = v3_sub(v3_add(v3_sub(s->out[a], s->points[a]), v3_sub(s->out[c], s->points[c])),
                            v3_scale(v3_sub(s->out[b], s->points[b]), 2));
        roughest = fmaxf(roughest, v3_length(d));
    }
    assert_true(least > 0.03f);
    assert_true(roughest < 0.03f); // of a displacement of 0.2 and more
    sup_arena_destroy(s->arena);
}

static void a_button_keeps_its_shape(void** state)
{
    (void)state;
    scene* s = scene_make();
    assert_int_equal(s->ride.groups, 1);
    for (uint32_t k = 0; k < s->cage.point_count; ++k) {
        sup_vec3 x = s->posed[k];
        s->moved[k] = (sup_vec3){ x.x * (1 + 0.1f * x.z), x.y * (1 + 0.1f * x.z), x.z * 1.2f }; // grows
    }
    evaluate(s);
    for (uint32_t i = 0; i < 4; ++i)
        for (uint32_t k = 0; k < i; ++k) {
            float before = v3_distance(s->points[s->button + i], s->points[s->button + k]);
            assert_true(fabsf(v3_distance(s->out[s->button + i], s->out[s->button + k]) / before - 1) < 0.02f);
        }
    assert_true(v3_distance(s->out[s->button], s->points[s->button]) > 0.2f);
    sup_arena_destroy(s->arena);
}

// Skinning has crushed the cage and turned the mesh inside out in it; physics has opened the cage. So the mesh is open too.
static void folds_of_its_own_pose_do_not_come_back(void** state)
{
    (void)state;
    scene* s = scene_make();
    s->own = SUP_NEW(s->arena, sup_vec3, s->point_count);
    for (uint32_t p = 0; p < s->point_count; ++p)
        s->own[p] = v3(s->points[p].x, s->points[p].y, 3 - 0.2f * (s->points[p].z - 3));
    for (uint32_t k = 0; k < s->cage.point_count; ++k) {
        s->moved[k] = s->posed[k];
        s->posed[k].z = 3 + 0.05f * (s->posed[k].z - 3);
    }
    evaluate(s);
    for (uint32_t p = 0; p < s->button; ++p) // not the lids, which are crushed across: around them the cage is sound
        if (s->points[p].z > 2 && s->points[p].z < 4) assert_true(v3_distance(s->out[p], s->points[p]) < 1e-4f);
    sup_arena_destroy(s->arena);
}

// A lid that the mesh opens by itself, on a cage that does not open and is thrown around: the lid moves with it.
static void what_the_mesh_does_beside_its_cage_goes_along(void** state)
{
    (void)state;
    scene*    s = scene_make();
    sup_rigid by = { quat_axis_angle(v3_normalize(v3(1, 2, 3), v3(0, 0, 1)), 0.8f), v3(0.3f, -0.2f, 0.5f) };
    s->own = SUP_NEW(s->arena, sup_vec3, s->point_count);
    for (uint32_t p = 0; p < s->point_count; ++p) s->own[p] = v3_add(s->points[p], p % 7 ? v3(0, 0, 0) : v3(0.02f, 0, 0.05f));
    for (uint32_t k = 0; k < s->cage.point_count; ++k) {
        sup_vec3 x = rigid_point(&by, s->posed[k]);
        s->moved[k] = x;
    }
    evaluate(s);
    for (uint32_t p = 0; p < s->point_count; ++p) assert_true(v3_distance(s->out[p], rigid_point(&by, s->own[p])) < 4e-5f);
    sup_arena_destroy(s->arena);
}

// No point of the mesh is farther out than what contacts know about the cage under it.
static void how_far_it_stands_out_is_known(void** state)
{
    (void)state;
    scene* s = scene_make();
    float  most = 0;
    for (uint32_t k = 0; k < s->cage.point_count; ++k) {
        assert_true(s->ride.over[k] > 0);
        most = fmaxf(most, s->ride.over[k]);
    }
    float inner = INFINITY; // the shirt has a radius of 1.05; the cage's corners are where they are
    for (uint32_t q = 0; q < s->cage.point_count; ++q) {
        sup_vec3 c = s->cage.points[q];
        if (c.z > 2 && c.z < 4) inner = fminf(inner, sqrtf(c.x * c.x + c.y * c.y) + s->ride.over[s->order[q]]);
    }
    assert_true(inner > 1.045f);
    assert_true(most < 0.5f);
    sup_arena_destroy(s->arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_moves_where_the_cage_does_not),
        cmocka_unit_test(a_rigid_motion_of_the_cage_is_one_of_the_skin),
        cmocka_unit_test(a_shirt_stays_outside_and_the_skin_smooth),
        cmocka_unit_test(a_button_keeps_its_shape),
        cmocka_unit_test(folds_of_its_own_pose_do_not_come_back),
        cmocka_unit_test(what_the_mesh_does_beside_its_cage_goes_along),
        cmocka_unit_test(how_far_it_stands_out_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// One clean surface around any mesh.
#include "support.h"

#include "geom/cage/cage.h"
#include "geom/search/intersect.h"
#include "geom/surface/topology.h"

#include <math.h>
#include <string.h>

enum { POINTS = 4000, TRIANGLES = 8000, JOINTS = 3 };

typedef struct shape {
    uint32_t point_count, triangle_count;
    sup_vec3 points[POINTS];
    uint32_t triangles[3 * TRIANGLES];
    uint32_t labels[POINTS]; // each point's one joint
} shape;

static shape* shape_new(void) { return test_calloc(1, sizeof(shape)); }

// Rings of `sides` points along z from low to high, closed at both ends unless `open`.
static void add_tube(shape* s, sup_vec3 at, float radius, float height, uint32_t rings, uint32_t sides, bool open,
                     uint32_t label)
{
    uint32_t first = s->point_count;
    for (uint32_t r = 0; r < rings; ++r)
        for (uint32_t k = 0; k < sides; ++k) {
            float a = 6.2831853f * (float)k / (float)sides;
            s->labels[s->point_count] = label;
            s->points[s->point_count++] =
                (sup_vec3){ at.x + radius * cosf(a), at.y + radius * sinf(a), at.z + height * (float)r / (float)(rings - 1) };
        }
    for (uint32_t r = 0; r + 1 < rings; ++r)
        for (uint32_t k = 0; k < sides; ++k) {
            uint32_t a = first + r * sides + k, b = first + r * sides + (k + 1) % sides, c = a + sides, d = b + sides;
            uint32_t t[6] = { a, b, d, a, d, c };
            memcpy(s->triangles + 3 * s->triangle_count, t, sizeof t);
            s->triangle_count += 2;
        }
    for (int end = 0; end < 2 && !open; ++end) {
        uint32_t ring = end ? first + (rings - 1) * sides : first, middle = s->point_count;
        s->labels[middle] = label;
        s->points[s->point_count++] = (sup_vec3){ at.x, at.y, at.z + (end ? height : 0) };
        for (uint32_t k = 0; k < sides; ++k) {
            uint32_t a = ring + k, b = ring + (k + 1) % sides, t[3] = { middle, end ? a : b, end ? b : a };
            memcpy(s->triangles + 3 * s->triangle_count++, t, sizeof t);
        }
    }
}

typedef struct look {
    uint32_t components, crossing;
    int      euler;
    bool     closed;
    double   volume, quality;
} look;

static look look_at(const sup_cage* c, sup_arena* arena)
{
    uint32_t*    begin = sup_arena_alloc(arena, c->triangle_count + 1, sizeof *begin);
    sup_topology t;
    sup_error    error = { 0 };
    look         l = { .quality = 1 };
    for (uint32_t i = 0; i <= c->triangle_count; ++i) begin[i] = 3 * i;
    assert_ok(sup_topology_create(&(sup_polygons){ c->point_count, c->triangle_count, begin, c->triangles }, arena, &t, &error),
              error);
    l.closed = t.boundary_edges + t.nonmanifold_edges + t.nonmanifold_points + t.loose_points == 0;
    for (uint32_t e = 0; e < t.edge_count; ++e) l.closed = l.closed && !t.edges[e].flipped;
    l.components = t.component_count;
    l.euler = (int)c->point_count - (int)t.edge_count + (int)c->triangle_count;
    for (uint32_t i = 0; i < c->triangle_count; ++i) {
        sup_vec3 a[3], b[3];
        for (int j = 0; j < 3; ++j) a[j] = c->points[c->triangles[3 * i + j]];
        l.volume +=
            ((double)a[0].x * (a[1].y * a[2].z - a[1].z * a[2].y) + (double)a[0].y * (a[1].z * a[2].x - a[1].x * a[2].z) +
             (double)a[0].z * (a[1].x * a[2].y - a[1].y * a[2].x)) /
            6;
        for (uint32_t k = 0; k < i; ++k) {
            for (int j = 0; j < 3; ++j) b[j] = c->points[c->triangles[3 * k + j]];
            l.crossing += sup_triangles_cross(a, b);
        }
        double sum = 0, u[3][3], n[3];
        for (int j = 0; j < 3; ++j) {
            u[j][0] = a[(j + 1) % 3].x - a[j].x, u[j][1] = a[(j + 1) % 3].y - a[j].y, u[j][2] = a[(j + 1) % 3].z - a[j].z;
            sum += u[j][0] * u[j][0] + u[j][1] * u[j][1] + u[j][2] * u[j][2];
        }
        for (int j = 0; j < 3; ++j) n[j] = u[0][(j + 1) % 3] * u[1][(j + 2) % 3] - u[0][(j + 2) % 3] * u[1][(j + 1) % 3];
        l.quality = fmin(l.quality, 3.4641016 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) / sum);
    }
    return l;
}

static sup_cage make(const shape* s, uint32_t target, const uint32_t* parents, sup_arena* arena)
{
    static uint32_t begin[POINTS + 1];
    static float    ones[POINTS];
    for (uint32_t p = 0; p < s->point_count; ++p) begin[p + 1] = p + 1, ones[p] = 1;
    sup_cage_desc desc = { .point_count = s->point_count,
                           .points = s->points,
                           .triangle_count = s->triangle_count,
                           .triangles = s->triangles,
                           .weight_begin = parents ? begin : NULL,
                           .weight_joints = s->labels,
                           .weight_values = ones,
                           .joint_count = JOINTS,
                           .parents = parents,
                           .target = target };
    sup_cage      out;
    sup_error     error = { 0 };
    assert_ok(sup_cage_create(&desc, arena, &out, &error), error);
    return out;
}

static void a_cylinder_keeps_its_volume_in_even_triangles(void** state)
{
    (void)state;
    shape*     s = shape_new();
    sup_arena* arena = sup_arena_create(NULL);
    add_tube(s, (sup_vec3){ 0, 0, 0 }, 1, 6, 30, 48, false, 0);
    sup_cage c = make(s, 150, NULL, arena);
    look     l = look_at(&c, arena);
    assert_true(l.closed && l.crossing == 0 && l.components == 1 && l.euler == 2);
    assert_in_range(c.point_count, 145, 150);
    assert_true(fabs(l.volume / (3.14159265 * 6) - 1) < 0.08);
    assert_true(l.quality > 0.2);
    assert_null(c.weight_begin);
    sup_arena_destroy(arena);
    test_free(s);
}

static void pieces_across_and_inside_each_other_become_one(void** state)
{
    (void)state;
    shape*     s = shape_new();
    sup_arena* arena = sup_arena_create(NULL);
    add_tube(s, (sup_vec3){ 0, 0, 0 }, 1, 4, 10, 24, false, 0);
    add_tube(s, (sup_vec3){ 0.5f, 0, 2 }, 1, 4, 10, 24, false, 0);    // across
    add_tube(s, (sup_vec3){ 0.1f, 0, 1 }, 0.4f, 2, 10, 24, false, 0); // inside
    uint32_t first = 3 * 10 * 24;                                     // and a part of it all is inside out
    for (uint32_t i = first; i + 2 < 2 * first; i += 3) {
        uint32_t swap = s->triangles[i];
        s->triangles[i] = s->triangles[i + 1], s->triangles[i + 1] = swap;
    }
    sup_cage c = make(s, 150, NULL, arena);
    look     l = look_at(&c, arena);
    assert_true(l.closed && l.crossing == 0);
    assert_int_equal(l.components, 1);
    assert_int_equal(l.euler, 2);
    sup_arena_destroy(arena);
    test_free(s);
}

static void an_open_tube_is_closed(void** state)
{
    (void)state;
    shape*     s = shape_new();
    sup_arena* arena = sup_arena_create(NULL);
    add_tube(s, (sup_vec3){ 0, 0, 0 }, 1, 6, 30, 48, true, 0);
    sup_cage c = make(s, 150, NULL, arena);
    look     l = look_at(&c, arena);
    assert_true(l.closed && l.crossing == 0 && l.components == 1 && l.euler == 2);
    assert_true(fabs(l.volume / (3.14159265 * 6) - 1) < 0.2); // the ends bulge or sink where nothing holds them
    sup_arena_destroy(arena);
    test_free(s);
}

// Two legs, a thirtieth of their length apart: one flesh without a rig, two under joints of their own.
static void what_the_rig_moves_apart_stays_apart(void** state)
{
    (void)state;
    static const uint32_t strangers[JOINTS] = { SUP_NONE, 0, 0 }, kin[JOINTS] = { SUP_NONE, 0, 1 };
    shape*                s = shape_new();
    sup_arena*            arena = sup_arena_create(NULL);
    add_tube(s, (sup_vec3){ -1.1f, 0, 0 }, 1, 6, 20, 32, false, 1);
    add_tube(s, (sup_vec3){ 1.1f, 0, 0 }, 1, 6, 20, 32, false, 2);
    sup_cage none = make(s, 200, NULL, arena), apart = make(s, 200, strangers, arena), joined = make(s, 200, kin, arena);
    assert_int_equal(look_at(&none, arena).components, 1);
    assert_int_equal(look_at(&joined, arena).components, 1);
    look l = look_at(&apart, arena);
    assert_int_equal(l.components, 2);
    assert_true(l.closed && l.crossing == 0);
    for (uint32_t p = 0; p < apart.point_count; ++p) { // and no leg has a say in the other
        assert_int_equal(apart.weight_begin[p + 1] - apart.weight_begin[p], 1);
        assert_int_equal(apart.weight_joints[apart.weight_begin[p]], apart.points[p].x < 0 ? 1 : 2);
    }
    sup_arena_destroy(arena);
    test_free(s);
}

static void thin_limbs_have_shorter_edges(void** state)
{
    (void)state;
    shape*     s = shape_new();
    sup_arena* arena = sup_arena_create(NULL);
    add_tube(s, (sup_vec3){ 0, 0, 0 }, 2, 6, 20, 48, false, 0);
    add_tube(s, (sup_vec3){ 0, 0, 5 }, 0.5f, 6, 20, 24, false, 0);
    sup_cage c = make(s, 250, NULL, arena);
    double   sums[2] = { 0 }, counts[2] = { 0 };
    for (uint32_t i = 0; i < 3 * c.triangle_count; ++i) {
        sup_vec3 a = c.points[c.triangles[i]], b = c.points[c.triangles[i % 3 == 2 ? i - 2 : i + 1]];
        int      thin = a.z > 7 && b.z > 7;
        if (!thin && !(a.z < 5 && b.z < 5)) continue;
        sums[thin] += sqrt((double)((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z)));
        counts[thin] += 1;
    }
    assert_true(counts[0] > 0 && counts[1] > 0);
    assert_true(sums[1] / counts[1] < 0.8 * sums[0] / counts[0]);
    sup_arena_destroy(arena);
    test_free(s);
}

static void a_sheet_encloses_nothing(void** state)
{
    (void)state;
    shape*     s = shape_new();
    sup_arena* arena = sup_arena_create(NULL);
    for (uint32_t i = 0; i < 121; ++i) s->points[i] = (sup_vec3){ (float)(i % 11), (float)(i / 11), 0 };
    s->point_count = 121;
    for (uint32_t i = 0; i < 100; ++i) {
        uint32_t a = i / 10 * 11 + i % 10, t[6] = { a, a + 1, a + 12, a, a + 12, a + 11 };
        memcpy(s->triangles + 6 * i, t, sizeof t);
    }
    s->triangle_count = 200;
    assert_int_equal(make(s, 200, NULL, arena).point_count, 0);
    s->triangle_count = 0;
    assert_int_equal(make(s, 200, NULL, arena).point_count, 0);
    sup_arena_destroy(arena);
    test_free(s);
}

static uint32_t next_random(uint32_t* seed) { return *seed = *seed * 1664525u + 1013904223u; }

static void soups_give_clean_cages_or_none(void** state)
{
    (void)state;
    shape* s = shape_new();
    for (uint32_t seed = 1; seed <= 8; ++seed) {
        uint32_t   r = seed;
        sup_arena* arena = sup_arena_create(NULL);
        s->point_count = 100 + next_random(&r) % 800;
        s->triangle_count = seed % 3 == 0 ? 6000 : 300; // large ones over each other, or few
        float flat = seed % 4 == 0 ? 1e-3f : 1;
        for (uint32_t p = 0; p < s->point_count; ++p) {
            float x = (float)(next_random(&r) >> 8), y = (float)(next_random(&r) >> 8), z = (float)(next_random(&r) >> 8);
            s->points[p] = (sup_vec3){ x * 1e-6f, y * 1e-6f, flat * z * 1e-6f };
            s->labels[p] = next_random(&r) % JOINTS;
        }
        for (uint32_t i = 0; i < 3 * s->triangle_count; ++i) s->triangles[i] = next_random(&r) % s->point_count;
        static const uint32_t parents[JOINTS] = { SUP_NONE, SUP_NONE, 1 };
        sup_cage              c = make(s, 50, seed % 2 ? parents : NULL, arena);
        if (c.point_count) {
            look l = look_at(&c, arena);
            assert_true(l.closed);
            assert_int_equal(l.crossing, 0);
        }
        sup_arena_destroy(arena);
    }
    test_free(s);
}

static bool stop_half_way(void* user, double share, const char* what)
{
    (void)what;
    *(int*)user += 1;
    return share < 0.5;
}

static void progress_can_cancel_it_and_workers_change_nothing(void** state)
{
    (void)state;
    shape*       s = shape_new();
    sup_arena*   arena = sup_arena_create(NULL);
    int          reports = 0;
    sup_progress progress = { stop_half_way, &reports };
    sup_error    error = { 0 };
    sup_cage     one, many;
    sup_pool*    pool = NULL;
    add_tube(s, (sup_vec3){ 0, 0, 0 }, 1, 6, 30, 48, true, 0);
    sup_cage_desc desc = { .point_count = s->point_count,
                           .points = s->points,
                           .triangle_count = s->triangle_count,
                           .triangles = s->triangles,
                           .target = 100,
                           .progress = &progress };
    assert_int_equal(sup_cage_create(&desc, arena, &one, &error), SUP_ERROR_CANCELLED);
    assert_true(reports > 2);
    desc.progress = NULL;
    assert_ok(sup_cage_create(&desc, arena, &one, &error), error);
    pool = sup_pool_create(3);
    desc.tasks = sup_pool_tasks(pool);
    assert_ok(sup_cage_create(&desc, arena, &many, &error), error);
    assert_int_equal(one.point_count, many.point_count);
    assert_memory_equal(one.points, many.points, one.point_count * sizeof *one.points);
    assert_memory_equal(one.triangles, many.triangles, 3 * one.triangle_count * sizeof *one.triangles);
    assert_memory_equal(one.shares, many.shares, one.source_begin[one.point_count] * sizeof *one.shares);
    sup_pool_destroy(pool);
    sup_arena_destroy(arena);
    test_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cylinder_keeps_its_volume_in_even_triangles),
        cmocka_unit_test(pieces_across_and_inside_each_other_become_one),
        cmocka_unit_test(an_open_tube_is_closed),
        cmocka_unit_test(what_the_rig_moves_apart_stays_apart),
        cmocka_unit_test(thin_limbs_have_shorter_edges),
        cmocka_unit_test(a_sheet_encloses_nothing),
        cmocka_unit_test(soups_give_clean_cages_or_none),
        cmocka_unit_test(progress_can_cancel_it_and_workers_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

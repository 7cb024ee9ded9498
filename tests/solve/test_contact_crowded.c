// So many triangles in one place that all of their pairs are too many: binding and steps give up in time, and say so.
#include "slabs.h"

#include <math.h>

static uint32_t next(uint32_t* random)
{
    *random = *random * 1664525u + 1013904223u;
    return *random >> 8;
}

static sup_contact_bind_report bind(const sup_vec3* points, uint32_t point_count, const uint32_t* triangles, uint32_t count)
{
    sup_contact_desc        desc = { .point_count = point_count,
                                     .points = points,
                                     .triangle_count = count,
                                     .triangles = triangles,
                                     .ring = 1,
                                     .margin = 0.5f,
                                     .reach = 1 };
    sup_arena*              arena = sup_arena_create(NULL);
    const sup_contact*      c;
    sup_contact_bind_report report;
    sup_error               error;
    assert_ok(sup_contact_create(&desc, arena, &c, &report, &error), error);
    sup_arena_destroy(arena);
    return report;
}

// n triangles with corners anywhere in a box: each passes through a share of all others.
static void triangles_through_each_other_are_not_counted_to_the_end(void** state)
{
    (void)state;
    enum { N = 2000 };
    sup_vec3* points = calloc(3 * N, sizeof *points);
    uint32_t *triangles = calloc(3 * N, sizeof *triangles), random = 1;
    for (uint32_t i = 0; i < 3 * N; ++i) {
        triangles[i] = i;
        for (int k = 0; k < 3; ++k) (&points[i].x)[k] = (float)(next(&random) & 0xffff) / 65536;
    }
    sup_contact_bind_report few = bind(points, 60, triangles, 20), many = bind(points, 3 * N, triangles, N);
    assert_false(few.crowded);
    assert_true(few.crossing > 0);
    assert_true(many.crowded && many.off);
    assert_int_equal(many.resting, 0);
    free(points), free(triangles);
}

// A book of n pages: all triangles on one edge. They never cross, and all their boxes overlap at the back.
static void pages_on_one_edge_are_not_compared_to_the_end(void** state)
{
    (void)state;
    enum { N = 20000 };
    sup_vec3* points = calloc(N + 2, sizeof *points);
    uint32_t* triangles = calloc(3 * N, sizeof *triangles);
    points[1] = v3(0, 0, 1);
    for (uint32_t i = 0; i < N; ++i) {
        float angle = 6.28f * (float)i / N;
        points[i + 2] = v3(cosf(angle), sinf(angle), 0.5f);
        triangles[3 * i] = 0, triangles[3 * i + 1] = 1, triangles[3 * i + 2] = i + 2;
    }
    assert_true(bind(points, N + 2, triangles, N).crowded);
    free(points), free(triangles);
}

static sup_contact_report look(slabs* s, const sup_vec3* at)
{
    sup_contact_call call = slabs_call(s);
    for (uint32_t i = 0; i < s->point_count; ++i) s->x[i] = (sup_vec4){ at[i].x, at[i].y, at[i].z, 1 };
    return sup_contact_search(s->contact, &call, s->x, s->x, 0, NULL, s->state);
}

static void a_search_of_a_crumpled_skin_is_given_up(void** state)
{
    (void)state;
    slabs s = slabs_make(24, 2, (const float[]){ 0, 4 });
    slabs_bind(&s, 0, 0, NULL);
    sup_vec3* crumpled = calloc(s.point_count, sizeof *crumpled);
    uint32_t  random = 1;
    for (uint32_t i = 0; i < s.point_count; ++i)
        for (int k = 0; k < 3; ++k) (&crumpled[i].x)[k] = (float)(next(&random) & 0xffff) / 65536;
    assert_false(look(&s, s.points).crowded);
    assert_true(look(&s, crumpled).crowded);
    assert_false(look(&s, s.points).crowded);
    free(crumpled);
    slabs_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_through_each_other_are_not_counted_to_the_end),
        cmocka_unit_test(pages_on_one_edge_are_not_compared_to_the_end),
        cmocka_unit_test(a_search_of_a_crumpled_skin_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

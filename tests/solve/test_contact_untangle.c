// What has gone through itself by the end of a step comes out again before anyone sees it, and nothing else moves.
#include "geom/intersect.h"
#include "slabs.h"

#include <math.h>

enum { CELLS = 14 };
static const float row = 7; // x of the points that are drawn in

/// Two boxes that were far apart at rest, now 0.3 over each other; a row of points in the middle of the upper one is drawn 0.2
/// deep into the lower.
static slabs make_dented(void)
{
    slabs s = slabs_make(CELLS, 2, (const float[]){ 0, 8 });
    slabs_bind(&s, 0, 0, NULL);
    slabs_move(&s, s.x, 1, v3(0.1f, 0.1f, -6.2f));
    for (uint32_t i = s.slab_points; i < s.slab_points + s.side_points; ++i)
        if (fabsf(s.x[i].x - row) < 0.2f && fabsf(s.x[i].y - row) < 1.2f) {
            s.x[i].z -= 0.5f;
        }
    memcpy(s.to, s.x, s.point_count * sizeof *s.x);
    return s;
}

static bool share_corner(const uint32_t* p, const uint32_t* q)
{
    for (int i = 0; i < 9; ++i)
        if (p[i / 3] == q[i % 3]) return true;
    return false;
}

/// Every pair of triangles, one after the other.
static uint32_t count_crossings(const slabs* s)
{
    uint32_t count = 0;
    for (uint32_t a = 0; a < s->triangle_count; ++a)
        for (uint32_t b = a + 1; b < s->triangle_count; ++b) {
            const uint32_t *p = s->triangles + 3 * a, *q = s->triangles + 3 * b;
            sup_vec3        x[3], y[3];
            for (int k = 0; k < 3; ++k) x[k] = sup_particle_place(&s->x[p[k]]), y[k] = sup_particle_place(&s->x[q[k]]);
            count += !share_corner(p, q) && sup_triangles_cross(x, y);
        }
    return count;
}

static uint32_t untangle(slabs* s, const sup_tasks* tasks)
{
    sup_contact_call call = slabs_call(s);
    call.tasks = tasks;
    sup_contact_search(s->contact, &call, s->x, s->x, 0, NULL, s->state);
    sup_contact_begin(s->contact, &call, 0, 1, s->x, s->v);
    sup_vec4* out = calloc(s->point_count, sizeof *out);
    uint32_t  left = sup_contact_untangle(s->contact, &call, s->x, NULL, s->points, out, s->state).crossing;
    memcpy(s->x, out, s->point_count * sizeof *out);
    free(out);
    return left;
}

static void a_row_that_has_gone_in_comes_out_again(void** state)
{
    (void)state;
    slabs s = make_dented();
    assert_true(count_crossings(&s) > 10);
    assert_int_equal(untangle(&s, NULL), 0);
    assert_int_equal(count_crossings(&s), 0);
    for (uint32_t i = 0; i < s.point_count; ++i) {
        bool far = fabsf(s.to[i].x - row) > 5.2f; // a ring each round
        if (far) assert_memory_equal(&s.x[i], &s.to[i], sizeof s.x[i]);
        assert_true(v3_distance(sup_particle_place(&s.x[i]), sup_particle_place(&s.to[i])) < 0.6f);
    }
    slabs_free(&s);
}

static void what_does_not_cross_stays_to_the_bit(void** state)
{
    (void)state;
    slabs s = make_dented();
    slabs_move(&s, s.x, 1, v3(0, 0, 0.21f)); // the row hangs 0.01 over the lower box
    memcpy(s.to, s.x, s.point_count * sizeof *s.x);
    assert_int_equal(count_crossings(&s), 0);
    assert_int_equal(untangle(&s, NULL), 0);
    assert_memory_equal(s.x, s.to, s.point_count * sizeof *s.x);
    slabs_free(&s);
}

// Everything is pinned.
static void what_cannot_be_undone_is_counted(void** state)
{
    (void)state;
    slabs s = make_dented();
    for (uint32_t i = 0; i < s.point_count; ++i) s.x[i].w = s.to[i].w = 0;
    assert_int_equal(untangle(&s, NULL), count_crossings(&s));
    assert_memory_equal(s.x, s.to, s.point_count * sizeof *s.x);
    slabs_free(&s);
}

// 0.2 deep along the whole width, and skinned ones are deeper in: more than a knot, and no reason to flatten it. Where skinning
// has nothing crossed it comes out.
static void what_is_no_knot_is_smoothed_as_far_as_skinning_is_crossed(void** state)
{
    (void)state;
    for (int deeper = 0; deeper < 2; ++deeper) {
        slabs s = make_dented();
        slabs_move(&s, s.x, 1, v3(0, 0, -0.4f));
        memcpy(s.to, s.x, s.point_count * sizeof *s.x);
        for (uint32_t i = s.slab_points; i < s.point_count && deeper; ++i) s.points[i] = sup_particle_place(&s.x[i]);
        uint32_t before = count_crossings(&s), after = untangle(&s, NULL);
        assert_true(before > 100);
        assert_int_equal(after, count_crossings(&s));
        if (deeper) assert_memory_equal(s.x, s.to, s.point_count * sizeof *s.x);
        else assert_true(after < before / 2);
        slabs_free(&s);
    }
}

// What crosses step after step is warm, and is smoothed while it is solved.
static void what_crosses_again_and_again_is_ironed_and_nothing_else(void** state)
{
    (void)state;
    slabs s = make_dented();
    float most = 0;
    sup_contact_iron(s.contact, s.state, s.x);
    assert_memory_equal(s.x, s.to, s.point_count * sizeof *s.x);
    for (int i = 0; i < 8; ++i) {
        untangle(&s, NULL);
        memcpy(s.x, s.to, s.point_count * sizeof *s.x);
    }
    sup_contact_iron(s.contact, s.state, s.x);
    for (uint32_t i = 0; i < s.point_count; ++i) {
        float moved = v3_distance(sup_particle_place(&s.x[i]), sup_particle_place(&s.to[i]));
        assert_true(moved == 0 || fabsf(s.to[i].x - row) < 1.6f);
        most = fmaxf(most, moved);
    }
    assert_true(most > 0.02f);
    slabs_free(&s);
}

/// The upper box 0.1 over the lower one, but for a `width` of it 0.7 deep inside.
static slabs make_sunk(float width)
{
    slabs s = make_dented();
    for (uint32_t i = s.slab_points; i < s.point_count; ++i) s.x[i].z = s.points[i].z - (s.points[i].x < width ? 7.2f : 6.4f);
    memcpy(s.to, s.x, s.point_count * sizeof *s.x);
    return s;
}

static void set_skinned(slabs* s, const slabs* like)
{
    for (uint32_t i = 0; i < s->point_count; ++i) s->points[i] = sup_particle_place(&like->x[i]);
}

// Too much to be smoothed away: the skin goes to the skinned one as far as it must, and there only.
static void what_smoothing_leaves_retreats_to_the_skinned_skin(void** state)
{
    (void)state;
    for (float width = 0; width < 9; width += 4) {
        slabs    s = make_sunk(8), skinned = make_sunk(width);
        uint32_t before = count_crossings(&s), most = count_crossings(&skinned);
        set_skinned(&s, &skinned);
        assert_true(before > 100 && (width > 0) == (most > 0));
        untangle(&s, NULL);
        assert_true(count_crossings(&s) <= most);
        for (uint32_t i = 0; i < s.point_count; ++i)
            if (width == 8 || s.to[i].x > 13) assert_memory_equal(&s.x[i], &s.to[i], sizeof s.x[i]);
        slabs_free(&s), slabs_free(&skinned);
    }
}

// The search is shown something else; all the same nothing stays crossed for more than a few steps.
static void what_the_search_overlooks_is_found_by_looking_around(void** state)
{
    (void)state;
    slabs            s = make_sunk(8), apart = make_sunk(0);
    sup_contact_call call = slabs_call(&s);
    slabs_move(&apart, apart.x, 1, v3(0, 0, 20));
    set_skinned(&s, &apart);
    uint32_t crossed = 0;
    for (int step = 0; step < 10; ++step) {
        sup_contact_search(s.contact, &call, apart.x, apart.x, 0, NULL, s.state);
        sup_contact_begin(s.contact, &call, 0, 1, s.x, s.v);
        sup_contact_untangle(s.contact, &call, s.to, NULL, s.points, s.x, s.state);
        crossed += count_crossings(&s) > 0;
    }
    assert_int_equal(crossed, 0); // it looks in the first step, and remembers
    slabs_free(&s), slabs_free(&apart);
}

// What stands still stays where it has retreated to; what moves comes back.
static void a_retreat_lasts_until_the_skin_has_moved(void** state)
{
    (void)state;
    slabs s = make_sunk(8), skinned = make_sunk(0);
    set_skinned(&s, &skinned);
    sup_vec4* held = calloc(s.point_count, sizeof *held);
    for (int i = 0; i < 3; ++i) {
        memcpy(held, s.x, s.point_count * sizeof *held);
        memcpy(s.x, s.to, s.point_count * sizeof *s.x);
        untangle(&s, NULL);
        for (uint32_t k = 0; k < s.point_count && i > 1; ++k) assert_true(fabsf(s.x[k].z - held[k].z) < 0.02f);
    }
    // Lifted by 1 it is free of the other. Where it retreated it is drawn back, until it has moved.
    sup_contact_call call = slabs_call(&s);
    for (int moved = 0; moved < 2; ++moved) {
        float most = 0;
        for (uint32_t k = 0; k < s.point_count; ++k) held[k] = s.to[k] = skinned.x[k];
        for (uint32_t k = s.slab_points; k < s.point_count; ++k) held[k].z += 1, s.to[k].z += 1;
        memcpy(s.x, held, s.point_count * sizeof *held);
        untangle(&s, NULL);
        for (uint32_t k = 0; k < s.point_count; ++k) most = fmaxf(most, fabsf(s.x[k].z - held[k].z));
        assert_true(moved ? most == 0 : most > 0.1f);
        for (uint32_t k = 0; k < s.point_count; k += 2) s.to[k].x += 1; // the others move as far from the middle of all
        for (int i = 0; i < 20; ++i) sup_contact_search(s.contact, &call, held, s.to, 0, NULL, s.state);
    }
    free(held);
    slabs_free(&s), slabs_free(&skinned);
}

static void any_number_of_workers_untangles_alike(void** state)
{
    (void)state;
    uint64_t expected = 0;
    for (uint32_t threads = 1; threads <= 8; threads *= 2) {
        sup_pool* pool = sup_pool_create(threads);
        slabs     s = make_sunk(8), skinned = make_sunk(0);
        set_skinned(&s, &skinned);
        untangle(&s, sup_pool_tasks(pool));
        uint64_t hash = sup_hash(SUP_HASH_START, s.x, s.point_count * sizeof *s.x);
        if (threads == 1) expected = hash;
        assert_true(hash == expected);
        slabs_free(&s), slabs_free(&skinned);
        sup_pool_destroy(pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_that_has_gone_in_comes_out_again),
        cmocka_unit_test(what_does_not_cross_stays_to_the_bit),
        cmocka_unit_test(what_cannot_be_undone_is_counted),
        cmocka_unit_test(what_is_no_knot_is_smoothed_as_far_as_skinning_is_crossed),
        cmocka_unit_test(what_crosses_again_and_again_is_ironed_and_nothing_else),
        cmocka_unit_test(what_smoothing_leaves_retreats_to_the_skinned_skin),
        cmocka_unit_test(what_the_search_overlooks_is_found_by_looking_around),
        cmocka_unit_test(a_retreat_lasts_until_the_skin_has_moved),
        cmocka_unit_test(any_number_of_workers_untangles_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

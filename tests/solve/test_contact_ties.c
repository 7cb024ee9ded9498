// What cannot press on what is beside it goes with it.
#include "slabs.h"

#include <math.h>

/// The second box has slid a little and stands 0.3 deep in the first.
static slabs make_crossed(void)
{
    slabs s = slabs_make(6, 2, (const float[]){ 0, 1.2f });
    for (uint32_t i = 0; i < s.point_count; ++i) {
        if (i >= s.slab_points) s.points[i] = v3_add(s.points[i], v3(0.3f, 0.2f, 0));
        s.x[i] = s.to[i] = (sup_vec4){ s.points[i].x, s.points[i].y, s.points[i].z, 1 };
    }
    slabs_bind(&s, 0, 0, NULL);
    return s;
}

/// How much further a point has gone than the place it is tied to, at worst; firm ties alone.
static float farthest_apart(const slabs* s)
{
    const sup_contact_tie* ties;
    uint32_t               count = sup_contact_ties(s->contact, &ties);
    float                  worst = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sup_vec3 d = v3_sub(sup_particle_place(&s->x[ties[i].point]), s->points[ties[i].point]);
        for (int k = 0; k < 3; ++k) {
            uint32_t c = ties[i].corners[k];
            d = v3_mad(d, -ties[i].weights[k], v3_sub(sup_particle_place(&s->x[c]), s->points[c]));
        }
        if (ties[i].strength == 1) worst = fmaxf(worst, v3_length(d));
    }
    return worst;
}

static void pieces_through_each_other_are_displaced_alike(void** state)
{
    (void)state;
    slabs s = make_crossed();
    assert_true(s.report.crossing > 0 && !s.report.off && s.report.ties > 40);
    slabs_move(&s, s.x, 1, v3(0, 0, 0.4f));
    assert_true(farthest_apart(&s) > 0.39f);
    for (int i = 0; i < 200; ++i) sup_contact_hold_ties(s.contact, s.points, s.points, 1, s.x);
    assert_true(farthest_apart(&s) < 0.01f);
    double moved = 0; // masses are alike: none is won or lost
    for (uint32_t i = 0; i < s.point_count; ++i) moved += (double)(s.x[i].z - s.points[i].z);
    assert_true(fabs(moved / (0.4 * s.slab_points) - 1) < 1e-4);
    slabs_free(&s);
}

static void where_skinning_puts_them_nothing_pulls(void** state)
{
    (void)state;
    slabs     s = make_crossed();
    sup_vec3* skinned = calloc(s.point_count, sizeof *skinned);
    for (uint32_t i = 0; i < s.point_count; ++i) { // a way for every point of its own, the second box 3 further
        skinned[i] = v3_add(s.points[i], v3(0.1f * (float)(i % 7), 0, i < s.slab_points ? 0 : 3));
        s.x[i] = (sup_vec4){ 0.5f * (s.points[i].x + skinned[i].x), s.points[i].y, 0.5f * (s.points[i].z + skinned[i].z), 1 };
    }
    memcpy(s.to, s.x, s.point_count * sizeof *s.x);
    sup_contact_hold_ties(s.contact, s.points, skinned, 0.5f, s.x);
    for (uint32_t i = 0; i < s.point_count; ++i)
        assert_true(v3_distance(sup_particle_place(&s.x[i]), sup_particle_place(&s.to[i])) < 1e-5f);
    free(skinned);
    slabs_free(&s);
}

// On bones of their own that go 5 apart: what happens to the one is nothing to the other.
static void what_skinning_takes_apart_is_let_go(void** state)
{
    (void)state;
    for (int far = 0; far < 2; ++far) {
        slabs     s = make_crossed();
        sup_vec3* skinned = calloc(s.point_count, sizeof *skinned);
        for (uint32_t i = 0; i < s.point_count; ++i) {
            skinned[i] = v3_add(s.points[i], v3(0, 0, i >= s.slab_points ? far ? 5 : 0.2f : 0));
            s.x[i] = (sup_vec4){ skinned[i].x, skinned[i].y, skinned[i].z + (i < s.slab_points ? 0 : 0.4f), 1 };
        }
        float moved = 0;
        for (int k = 0; k < 200; ++k) sup_contact_hold_ties(s.contact, s.points, skinned, 1, s.x);
        for (uint32_t i = 0; i < s.slab_points; ++i) moved = fmaxf(moved, v3_distance(sup_particle_place(&s.x[i]), skinned[i]));
        if (far) assert_true(moved == 0);
        else assert_true(moved > 0.1f);
        free(skinned);
        slabs_free(&s);
    }
}

static void the_two_sides_of_a_plate_are_tied_those_of_a_box_are_not(void** state)
{
    (void)state;
    for (int thin = 0; thin < 2; ++thin) {
        slabs s = slabs_make(6, 1, (const float[]){ 0 });
        for (uint32_t i = 0; thin && i < s.point_count; ++i) s.points[i].z *= 0.1f; // 0.15 thick
        slabs_bind(&s, 0, 0, NULL);
        const sup_contact_tie* ties;
        uint32_t               count = sup_contact_ties(s.contact, &ties), inner = 0;
        for (uint32_t i = 0; i < count; ++i) {
            uint32_t x = ties[i].point % s.side_points % 7, y = ties[i].point % s.side_points / 7;
            inner += x > 0 && x < 6 && y > 0 && y < 6;
            for (int k = 0; k < 3; ++k) // to the other side
                if (x > 0 && x < 6 && y > 0 && y < 6)
                    assert_true(ties[i].point / s.side_points != ties[i].corners[k] / s.side_points);
        }
        assert_int_equal(inner, thin ? 50 : 0);
        slabs_free(&s);
    }
}

static void pieces_apart_are_not_tied(void** state)
{
    (void)state;
    slabs s = slabs_make(6, 2, (const float[]){ 0, 1.6f }); // 0.1 over the other, and never through it
    slabs_bind(&s, 0, 0, NULL);
    assert_int_equal(s.report.ties, 0);
    slabs_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_through_each_other_are_displaced_alike),
        cmocka_unit_test(where_skinning_puts_them_nothing_pulls),
        cmocka_unit_test(what_skinning_takes_apart_is_let_go),
        cmocka_unit_test(the_two_sides_of_a_plate_are_tied_those_of_a_box_are_not),
        cmocka_unit_test(pieces_apart_are_not_tied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

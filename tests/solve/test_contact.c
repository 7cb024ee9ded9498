#include "slabs.h"
#include "soft_tube.h"

#include <math.h>

static sup_contact_report search(slabs* s, const sup_contact_call* call)
{
    return sup_contact_search(s->contact, call, s->x, s->to, 0, NULL, s->state);
}

/// Of the points and triangles in the list, as they are now.
static float smallest_gap(const slabs* s, bool swept_only)
{
    float smallest = INFINITY;
    for (uint32_t i = 0; i < sup_contact_count(s->contact, s->scratch); ++i) {
        sup_contact_item c = sup_contact_at(s->contact, s->scratch, i);
        sup_touch        t;
        if (c.kind != 0 || (swept_only && !c.swept)) continue;
        assert_true(sup_point_triangle(sup_particle_place(&s->x[c.points[0]]), sup_particle_place(&s->x[c.points[1]]),
                                       sup_particle_place(&s->x[c.points[2]]), sup_particle_place(&s->x[c.points[3]]), 1, &t));
        smallest = fminf(smallest, t.gap);
    }
    return smallest;
}

static void solve(slabs* s, const sup_contact_call* call, int rounds)
{
    memcpy(s->x, s->to, s->point_count * sizeof *s->x);
    sup_contact_begin(s->contact, call, 0, 1, s->x, NULL);
    for (int i = 0; i < rounds; ++i) sup_contact_project(s->contact, call, s->x);
}

// ---------------------------------------------------------------------------------------------- finding

static void nothing_touches_at_rest(void** state)
{
    (void)state;
    slabs s = slabs_make(6, 2, (const float[]){ 0, 8 });
    slabs_bind(&s, 0, 0, NULL);
    sup_contact_call   call = slabs_call(&s);
    sup_contact_report r = search(&s, &call);
    assert_int_equal(r.point_triangle + r.edge_edge + r.body + r.swept + r.lost, 0);
    assert_int_equal(s.report.crossing + s.report.resting + s.report.flat, 0);
    assert_false(s.report.off);
    slabs_free(&s);
}

// The upper box comes down to 0.3 above the lower one (margin .5): every point of both sides has its triangle, none of the
// others.
static void facing_sides_within_the_margin_are_listed(void** state)
{
    (void)state;
    slabs s = slabs_make(6, 2, (const float[]){ 0, 8 });
    slabs_bind(&s, 0, 0, NULL);
    slabs_move(&s, s.x, 1, v3(0.3f, 0.2f, -6.2f));
    memcpy(s.to, s.x, s.point_count * sizeof *s.x);
    sup_contact_call   call = slabs_call(&s);
    sup_contact_report r = search(&s, &call);
    // Of 7 x 7 points on each side those over the other's square: 6 x 6 (x or y beyond by 5 % of a cell counts).
    assert_int_equal(r.point_triangle, 72);
    assert_int_equal(r.swept, 0);
    assert_true(r.edge_edge > 100);
    uint32_t previous = 0;
    for (uint32_t i = 0; i < sup_contact_count(s.contact, s.scratch); ++i) {
        sup_contact_item c = sup_contact_at(s.contact, s.scratch, i);
        uint32_t         low = SUP_NONE;
        for (int k = 0; k < 4; ++k) {
            bool facing = c.points[k] / s.side_points == 1 || c.points[k] / s.side_points == 2;
            assert_true(facing);
            low = c.points[k] < low ? c.points[k] : low;
        }
        assert_true(low >= previous);
        previous = low;
    }
    call.settings.edges = false;
    r = search(&s, &call);
    assert_int_equal(r.point_triangle, 72);
    assert_int_equal(r.edge_edge, 0);
    call.settings.self = false;
    r = search(&s, &call);
    assert_int_equal(r.point_triangle, 0);
    slabs_free(&s);
}

/// All pairs by looking at every one, with the rules of the header.
static uint32_t brute_points(const slabs* s, const sup_vec4* x)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < s->point_count; ++p) {
        sup_vec3 normal = v3(0, 0, 0);
        for (uint32_t t = 0; t < s->triangle_count; ++t) {
            const uint32_t* c = s->triangles + 3 * t;
            if (p != c[0] && p != c[1] && p != c[2]) continue;
            sup_vec3 a = sup_particle_place(&x[c[0]]);
            normal = v3_add(normal, v3_cross(v3_sub(sup_particle_place(&x[c[1]]), a), v3_sub(sup_particle_place(&x[c[2]]), a)));
        }
        normal = v3_normalize(normal, v3(0, 0, 0));
        bool found = false;
        for (uint32_t t = 0; t < s->triangle_count && !found; ++t) {
            const uint32_t* c = s->triangles + 3 * t;
            sup_touch       touch;
            if (p / s->slab_points == c[0] / s->slab_points) continue; // other boxes are the only strangers here
            if (!sup_point_triangle(sup_particle_place(&x[p]), sup_particle_place(&x[c[0]]), sup_particle_place(&x[c[1]]),
                                    sup_particle_place(&x[c[2]]), 1, &touch))
                continue;
            found = touch.weights[1] <= 0.05f && touch.weights[2] <= 0.05f && touch.weights[3] <= 0.05f && touch.gap > -1.0f &&
                    touch.gap < 0.48f && v3_dot(normal, touch.normal) < 0.2f;
        }
        count += found;
    }
    return count;
}

// Mean edges differ at rims, so only pairs well within every margin must be found; those are compared with a plain search.
static void turned_boxes_meet_where_a_plain_search_says(void** state)
{
    (void)state;
    slabs s = slabs_make(8, 3, (const float[]){ 0, 20, 40 });
    slabs_bind(&s, 0, 0, NULL);
    sup_contact_call call = slabs_call(&s);
    uint32_t         seed = 7, some = 0;
    for (int trial = 0; trial < 12; ++trial) {
        memcpy(s.x, s.to, s.point_count * sizeof *s.x);
        for (uint32_t k = 0; k < 3; ++k) {
            float r[4];
            for (int i = 0; i < 4; ++i) seed = seed * 1664525u + 1013904223u, r[i] = (float)(seed >> 8) * 0x1p-24f - 0.5f;
            sup_quat q = quat_normalize(quat(r[0], r[1], r[2], r[3]));
            for (uint32_t i = k * s.slab_points; i < (k + 1) * s.slab_points; ++i) {
                sup_vec3 p = v3_sub(s.points[i], v3(4, 4, s.points[k * s.slab_points].z + 0.75f));
                sup_particle_pin(&s.x[i], v3_add(quat_rotate(q, p), v3(4 * r[1], 4 * r[2], 2.0f * (float)k)));
            }
        }
        sup_contact_report r = sup_contact_search(s.contact, &call, s.x, s.x, 0, NULL, s.state);
        uint32_t           expected = brute_points(&s, s.x);
        assert_true(r.point_triangle >= expected);
        assert_int_equal(r.lost, 0);
        some += expected;
    }
    assert_true(some > 100);
    slabs_free(&s);
}

// ---------------------------------------------------------------------------------------------- solving

static void pressed_boxes_are_parted_by_their_thickness(void** state)
{
    (void)state;
    slabs s = slabs_make(6, 2, (const float[]){ 0, 8 });
    slabs_bind(&s, 0, 0, NULL);
    slabs_move(&s, s.x, 1, v3(0.3f, 0.2f, -6.4f)); // 0.1 apart
    memcpy(s.to, s.x, s.point_count * sizeof *s.x);
    slabs_move(&s, s.to, 1, v3(0, 0, -0.5f)); // and expected 0.4 inside
    sup_contact_call call = slabs_call(&s);
    search(&s, &call);
    solve(&s, &call, 60);
    // Equal masses: both give way, and 0.05 mean edges (of 1.1 ... 1.3) are between all that have met.
    assert_true(smallest_gap(&s, false) > 0.05f);
    assert_true(s.x[s.side_points + 24].z < 1.35f && s.x[s.slab_points + 24].z > 1.25f);
    uint32_t moved = 0; // the far sides did not
    for (uint32_t i = 0; i < s.side_points; ++i) moved += s.x[i].z != 0;
    assert_int_equal(moved, 0);
    slabs_free(&s);
}

// Reach is one mean edge, about 1.1. The upper box goes down by 20, through the lower one and out below.
static void a_plate_shot_through_another_does_not_tunnel(void** state)
{
    (void)state;
    for (int edges = 0; edges < 2; ++edges) {
        slabs s = slabs_make(6, 2, (const float[]){ 0, 8 });
        slabs_bind(&s, 0, 0, NULL);
        slabs_move(&s, s.x, 1, v3(0.3f, 0.2f, -5)); // 1.5 above: beyond the margin
        memcpy(s.to, s.x, s.point_count * sizeof *s.x);
        slabs_move(&s, s.to, 1, v3(0.5f, 0, -20));
        sup_contact_call call = slabs_call(&s);
        call.settings.edges = edges;
        sup_contact_report r = search(&s, &call);
        assert_true(r.swept > 60);
        solve(&s, &call, 200);
        // What met is parted again on the side it came from. Points that passed beside the other box have met nothing.
        assert_true(smallest_gap(&s, true) > 0);
        // The same without looking at the way finds nothing at all.
        sup_contact_report blind = sup_contact_search(s.contact, &call, s.to, s.to, 0, NULL, s.state);
        assert_int_equal(blind.point_triangle + blind.edge_edge, 0);
        slabs_free(&s);
    }
}

static void what_all_move_by_together_sweeps_nothing(void** state)
{
    (void)state;
    slabs s = slabs_make(6, 2, (const float[]){ 0, 8 });
    slabs_bind(&s, 0, 0, NULL);
    slabs_move(&s, s.to, 0, v3(100, 0, 30));
    slabs_move(&s, s.to, 1, v3(100, 0, 30));
    sup_contact_call   call = slabs_call(&s);
    sup_contact_report r = search(&s, &call);
    assert_int_equal(r.point_triangle + r.edge_edge, 0);
    slabs_free(&s);
}

static void contacts_rub_and_bounce(void** state)
{
    (void)state;
    slabs s = slabs_make(6, 2, (const float[]){ 0, 8 });
    slabs_bind(&s, 0, 0, NULL);
    for (uint32_t i = 0; i < s.slab_points; ++i) s.x[i].w = s.to[i].w = 0; // the lower box is a table
    slabs_move(&s, s.x, 1, v3(0.3f, 0.2f, -6.45f));
    memcpy(s.to, s.x, s.point_count * sizeof *s.x);
    for (uint32_t i = s.slab_points; i < s.point_count; ++i) s.v[i] = (sup_vec4){ 1, 0, -10, 0 };
    slabs_move(&s, s.to, 1, v3(0.01f, 0, -0.1f)); // dt = 0.01
    sup_contact_call call = slabs_call(&s);
    call.settings.friction = (sup_friction){ 0.05f, 0.5f };
    call.settings.edges = false;
    search(&s, &call);
    sup_contact_begin(s.contact, &call, 0, 1, s.to, s.v);
    assert_true(sup_contact_project(s.contact, &call, s.to) >= 36);
    // A point over the table was pushed from -.05 to about +.053: 10 m/s; its velocity is then 0 along z.
    uint32_t p = s.slab_points + 8;
    for (uint32_t i = s.slab_points; i < s.point_count; ++i) s.v[i].z = (s.to[i].z - s.x[i].z) / 0.01f;
    sup_contact_friction(s.contact, &call, s.to, 0.01f, s.v);
    assert_float_equal(s.v[p].z, 5, 0.05f);       // half of 10
    assert_true(s.v[p].x > 0 && s.v[p].x < 0.5f); // friction took .05 x (10 + 5 ...) of 1
    slabs_free(&s);
}

static void boxes_that_lie_on_each_other_at_rest_part_first(void** state)
{
    (void)state;
    slabs s = slabs_make(6, 2, (const float[]){ 0, 1.6f }); // 0.1 between them
    slabs_bind(&s, 0, 0, NULL);
    assert_int_equal(s.report.resting, 2 * s.side_points);
    sup_contact_call   call = slabs_call(&s);
    sup_contact_report r = search(&s, &call);
    assert_int_equal(r.point_triangle + r.edge_edge, 0);
    slabs_move(&s, s.x, 1, v3(0, 0, 1)); // apart
    memcpy(s.to, s.x, s.point_count * sizeof *s.x);
    r = search(&s, &call);
    assert_int_equal(r.point_triangle + r.edge_edge, 0);
    slabs_move(&s, s.x, 1, v3(0, 0, -0.9f)); // and back
    memcpy(s.to, s.x, s.point_count * sizeof *s.x);
    r = search(&s, &call);
    assert_int_equal(r.point_triangle, 2 * s.side_points);
    sup_contact_reset(s.contact, s.state);
    r = search(&s, &call);
    assert_int_equal(r.point_triangle + r.edge_edge, 0);
    slabs_free(&s);
}

static void boxes_through_each_other_at_rest_turn_contacts_off(void** state)
{
    (void)state;
    slabs s = slabs_make(4, 12, (const float[]){ 0, 0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f, 1, 1.1f });
    for (uint32_t i = 0; i < s.point_count; ++i) s.points[i].z += 0.8f * s.points[i].x * (i / s.slab_points % 2 ? 1.0f : -1.0f);
    slabs_bind(&s, 0, 0, NULL);
    assert_true(s.report.off);
    assert_true(s.report.crossing > s.triangle_count * 3 / 10);
    sup_contact_call call = slabs_call(&s);
    assert_int_equal(search(&s, &call).point_triangle, 0);
    slabs_free(&s);
}

static void a_full_list_keeps_the_nearest_and_counts_the_rest(void** state)
{
    (void)state;
    slabs s = slabs_make(6, 2, (const float[]){ 0, 8 });
    slabs_bind(&s, 10, 0, NULL);
    slabs_move(&s, s.x, 1, v3(0.3f, 0.2f, -6.2f));
    for (uint32_t i = s.slab_points; i < s.slab_points + s.side_points; ++i) s.x[i].z += 0.02f * s.x[i].x; // nearer at the left
    memcpy(s.to, s.x, s.point_count * sizeof *s.x);
    sup_contact_call   call = slabs_call(&s);
    sup_contact_report r = search(&s, &call);
    assert_int_equal(r.point_triangle + r.edge_edge, 10);
    assert_true(r.lost > 100);
    for (uint32_t i = 0; i < 10; ++i) assert_true(s.x[sup_contact_at(s.contact, s.scratch, i).points[0]].x < 2.5f);
    slabs_free(&s);
}

static void any_number_of_workers_gives_the_same_bits(void** state)
{
    (void)state;
    uint64_t expected = 0;
    for (uint32_t threads = 1; threads <= 8; threads *= threads == 2 ? 4 : 2) {
        sup_pool* pool = sup_pool_create(threads);
        slabs     s = slabs_make(40, 2, (const float[]){ 0, 8 });
        slabs_bind(&s, 20000, 0, NULL);
        slabs_move(&s, s.x, 1, v3(0.3f, 0.2f, -6.3f));
        memcpy(s.to, s.x, s.point_count * sizeof *s.x);
        slabs_move(&s, s.to, 1, v3(0, 0.1f, -0.4f));
        sup_contact_call call = slabs_call(&s);
        call.tasks = sup_pool_tasks(pool);
        sup_contact_report r = search(&s, &call);
        assert_true(r.colors > 0 && r.point_triangle + r.edge_edge > 4000);
        solve(&s, &call, 5);
        sup_contact_friction(s.contact, &call, s.x, 0.001f, s.v);
        uint64_t hash = sup_hash(SUP_HASH_START, s.x, s.point_count * sizeof *s.x);
        hash = sup_hash(sup_hash(hash, s.v, s.point_count * sizeof *s.v), &r, sizeof r);
        if (threads == 1) expected = hash;
        assert_true(hash == expected);
        slabs_free(&s);
        sup_pool_destroy(pool);
    }
}

// ---------------------------------------------------------------------------------------------- a bent tube

static void a_tube_folded_on_itself_is_parted(void** state)
{
    (void)state;
    soft_tube          t = soft_tube_make(41, 16, 20, 1, 1);
    sup_contact_desc   desc = { .point_count = t.point_count,
                                .points = t.points,
                                .triangle_count = t.triangle_count,
                                .triangles = t.triangles,
                                .ring = 1,
                                .margin = 0.5f,
                                .reach = 1 };
    sup_arena*         arena = sup_arena_create(NULL);
    const sup_contact* c;
    sup_error          error;
    assert_ok(sup_contact_create(&desc, arena, &c, NULL, &error), error);
    void*            memory = calloc(1, sup_contact_state(c));
    sup_contact_call call = { .settings = { .thickness = 0.05f, .edges = true, .self = true },
                              .scratch = aligned_alloc(64, sup_contact_scratch(c)) };
    // Half a turn around a circle of radius 1.08: the halves are 2.16 apart, .16 between their skins; mean edges are .5.
    for (float radius = 1.08f; radius > 0.85f; radius -= 0.18f) {
        float half = 3.14159265f * radius / 2;
        for (uint32_t i = 0; i < t.point_count; ++i) {
            float along = t.points[i].x - 10, angle = sup_clampf(along / radius, -half / radius, half / radius),
                  rest = along - angle * radius;
            float r = radius - t.points[i].y;
            t.x[i].x = r * sinf(angle) + rest * cosf(angle);
            t.x[i].y = radius - r * cosf(angle) + rest * sinf(angle);
            t.x[i].z = t.points[i].z;
        }
        sup_contact_report report = sup_contact_search(c, &call, t.x, t.x, 0, NULL, memory);
        if (radius > 1) {
            assert_true(report.point_triangle > 10);
            sup_contact_begin(c, &call, 0, 1, t.x, NULL);
            assert_int_equal(sup_contact_project(c, &call, t.x), 0); // within the margin, but not touching
            continue;
        }
        assert_true(report.point_triangle > 10);
        sup_contact_begin(c, &call, 0, 1, t.x, NULL);
        uint32_t first = sup_contact_project(c, &call, t.x), last = first;
        assert_true(first > 10);
        for (int i = 0; i < 200 && last > 0; ++i) last = sup_contact_project(c, &call, t.x);
        assert_true(last < first / 4);
    }
    free(memory), free(call.scratch);
    sup_arena_destroy(arena);
    soft_tube_free(&t);
}

// Both its sides are then within reach behind each other: taken for places gone through each other, the tube would be turned
// inside out.
static void a_tube_squashed_flat_is_not_turned_inside_out(void** state)
{
    (void)state;
    soft_tube          t = soft_tube_make(21, 16, 10, 1, 1);
    sup_contact_desc   desc = { .point_count = t.point_count,
                                .points = t.points,
                                .triangle_count = t.triangle_count,
                                .triangles = t.triangles,
                                .ring = 1,
                                .margin = 0.5f,
                                .reach = 1 };
    sup_arena*         arena = sup_arena_create(NULL);
    const sup_contact* c;
    sup_error          error;
    assert_ok(sup_contact_create(&desc, arena, &c, NULL, &error), error);
    void*            memory = calloc(1, sup_contact_state(c));
    sup_contact_call call = { .settings = { .thickness = 0.05f, .edges = true, .self = true },
                              .scratch = aligned_alloc(64, sup_contact_scratch(c)) };
    sup_vec4*        to = malloc(t.point_count * sizeof *to);
    memcpy(to, t.x, t.point_count * sizeof *to);
    for (uint32_t i = 0; i < t.point_count; ++i) to[i].y *= 0.1f;
    for (int swept = 0; swept < 2; ++swept) {
        sup_contact_search(c, &call, swept ? t.x : to, to, 0, NULL, memory);
        for (uint32_t i = 0; i < sup_contact_count(c, call.scratch); ++i) { // it folds at its rims, but sides never meet
            sup_contact_item item = sup_contact_at(c, call.scratch, i);
            bool             above = false, below = false, rim = false; // the caps tilt the normals of their rims
            for (int k = 0; k < 4; ++k) {
                sup_vec3 p = t.points[item.points[k]];
                above |= p.y > 0.5f, below |= p.y < -0.5f, rim |= p.x < 0.1f || p.x > 9.9f;
            }
            assert_false(above && below && !rim);
        }
    }
    free(to), free(memory), free(call.scratch);
    sup_arena_destroy(arena);
    soft_tube_free(&t);
}

// ---------------------------------------------------------------------------------------------- odd input

/// Triangles between random points: not manifold, doubled, flat, through each other.
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
        slabs_bind(&s, 0, 0, NULL);
        s.x[3].y = NAN;
        s.to[7].z = INFINITY;
        s.to[9].x += 1e30f;
        for (uint32_t i = 10; i < POINTS; ++i) seed = seed * 1664525u + 1013904223u, s.to[i].x += (float)(seed >> 30);
        sup_contact_call call = slabs_call(&s);
        search(&s, &call);
        sup_contact_begin(s.contact, &call, 0, 1, s.to, s.v);
        for (int i = 0; i < 5; ++i) sup_contact_project(s.contact, &call, s.to);
        sup_contact_friction(s.contact, &call, s.to, 0.001f, s.v);
        for (uint32_t i = 10; i < POINTS; ++i) assert_true(isfinite(s.to[i].x) && isfinite(s.v[i].x));
        slabs_free(&s);
    }
}

static void points_on_each_other_and_flat_triangles_take_no_part(void** state)
{
    (void)state;
    slabs s = slabs_make(4, 2, (const float[]){ 0, 8 });
    s.points[s.side_points + 12] = s.points[s.side_points + 13]; // two triangles of the upper side become lines
    slabs_bind(&s, 0, 0, NULL);
    assert_int_equal(s.report.flat, 2);
    slabs_move(&s, s.x, 1, v3(0.3f, 0.2f, -6.2f));
    memcpy(s.to, s.x, s.point_count * sizeof *s.x);
    sup_contact_call call = slabs_call(&s);
    assert_true(search(&s, &call).point_triangle > 20);
    slabs_free(&s);
}

static void every_allocation_that_fails_is_an_error(void** state)
{
    (void)state;
    slabs            s = slabs_make(3, 1, (const float[]){ 0 });
    sup_contact_desc desc = { .point_count = s.point_count,
                              .points = s.points,
                              .triangle_count = s.triangle_count,
                              .triangles = s.triangles,
                              .ring = 1,
                              .margin = 0.5f,
                              .reach = 1 };
    for (test_starved starved = { 0 }; test_starve(&starved);) {
        sup_arena*         arena = sup_arena_create(&starved.memory.allocator);
        const sup_contact* c;
        sup_error          error;
        if (arena) starved.result = sup_contact_create(&desc, arena, &c, NULL, &error);
        sup_arena_destroy(arena);
    }
    slabs_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_touches_at_rest),
        cmocka_unit_test(facing_sides_within_the_margin_are_listed),
        cmocka_unit_test(turned_boxes_meet_where_a_plain_search_says),
        cmocka_unit_test(pressed_boxes_are_parted_by_their_thickness),
        cmocka_unit_test(a_plate_shot_through_another_does_not_tunnel),
        cmocka_unit_test(what_all_move_by_together_sweeps_nothing),
        cmocka_unit_test(contacts_rub_and_bounce),
        cmocka_unit_test(boxes_that_lie_on_each_other_at_rest_part_first),
        cmocka_unit_test(boxes_through_each_other_at_rest_turn_contacts_off),
        cmocka_unit_test(a_full_list_keeps_the_nearest_and_counts_the_rest),
        cmocka_unit_test(any_number_of_workers_gives_the_same_bits),
        cmocka_unit_test(a_tube_folded_on_itself_is_parted),
        cmocka_unit_test(a_tube_squashed_flat_is_not_turned_inside_out),
        cmocka_unit_test(odd_meshes_and_broken_numbers_never_hang_or_spread),
        cmocka_unit_test(points_on_each_other_and_flat_triangles_take_no_part),
        cmocka_unit_test(every_allocation_that_fails_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

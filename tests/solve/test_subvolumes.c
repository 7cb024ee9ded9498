#include "solve/particles/subvolumes.h"

#include "geom/volume/volumes_label.h"
#include "soft_tube.h"
#include "support.h"

#include <math.h>
#include <string.h>

enum { PARTS = 3 };

typedef struct body {
    soft_tube             tube;
    sup_arena*            arena;
    sup_volumes           volumes;
    const sup_subvolumes* parts;
    void*                 scratch;
    sup_affine            carriers[PARTS];
} body;

/// A tube of three parts in a row, each cut from the one before; part p rides on carrier p - 1 there.
static body make_body(uint32_t skip_triangles)
{
    body             b = { .tube = soft_tube_make(13, 12, 6, 1, PARTS), .arena = sup_arena_create(NULL) };
    const uint32_t   parents[PARTS] = { SUP_NONE, 0, 1 }, carriers[PARTS] = { 0, 0, 1 };
    const sup_vec3   cuts[PARTS] = { { 0, 0, 0 }, { 2, 0, 0 }, { 4, 0, 0 } };
    sup_volumes_desc desc = { .point_count = b.tube.point_count,
                              .triangle_count = b.tube.triangle_count - skip_triangles,
                              .triangles = b.tube.triangles,
                              .part_count = PARTS,
                              .labels = b.tube.labels,
                              .parents = parents,
                              .cut_points = cuts,
                              .cut_carriers = carriers };
    sup_error        error;
    assert_ok(sup_volumes_create(&desc, b.arena, &b.volumes, &error), error);
    sup_volumes* kept = sup_arena_copy(b.arena, &b.volumes, 1, sizeof b.volumes);
    assert_ok(
        sup_subvolumes_create(&(sup_subvolumes_desc){ .volumes = kept, .points = b.tube.points }, b.arena, &b.parts, &error),
        error);
    b.scratch = calloc(1, sup_subvolumes_scratch(b.parts));
    for (int p = 0; p < PARTS; ++p) b.carriers[p] = affine_identity();
    sup_subvolumes_place(b.parts, b.carriers, 0, b.scratch);
    return b;
}

static void free_body(body* b)
{
    soft_tube_free(&b->tube);
    sup_arena_destroy(b->arena);
    free(b->scratch);
}

static sup_subvolumes_call call_of(body* b)
{
    return (sup_subvolumes_call){ .x = b->tube.x, .amount = 1, .bulge = 1, .scratch = b->scratch };
}

static void volumes_are_those_of_the_whole_measure_and_sum_to_it(void** state)
{
    (void)state;
    body   b = make_body(0);
    double ours[PARTS], reference[PARTS], sum = 0;
    for (int turn = 0; turn < 2; ++turn) {
        sup_subvolumes_measure(b.parts, b.tube.x, NULL, b.scratch, ours);
        sup_volumes_measure(&b.volumes, b.tube.points, b.carriers, reference);
        sum = 0;
        for (int p = 0; p < PARTS; ++p) {
            assert_true(fabs(ours[p] - reference[p]) < 2e-6 * fabs(reference[p]));
            if (turn == 0) assert_true(ours[p] == sup_subvolumes_rest(b.parts, (uint32_t)p));
            sum += ours[p];
        }
        // A dodecagon of radius 1: 12 / 2 sin 30 degrees = 3, times the length of 6.
        if (turn == 0) assert_true(fabs(sum - 18) < 1e-4);
        for (uint32_t i = 0; i < b.tube.point_count; ++i) { // bent, and one center elsewhere
            b.tube.points[i].y += 0.1f * b.tube.points[i].x * b.tube.points[i].x;
            sup_particle_pin(&b.tube.x[i], b.tube.points[i]);
        }
        b.carriers[0].m[1][3] = 0.4f;
        sup_subvolumes_place(b.parts, b.carriers, 0.01f, b.scratch);
    }
    assert_int_equal(sup_subvolumes_count(b.parts), PARTS);
    assert_int_equal(sup_subvolumes_flat_count(b.parts), 0);
    assert_false(sup_subvolumes_inside_out(b.parts));
    free_body(&b);
}

static void rest_stays_at_rest_to_the_bit(void** state)
{
    (void)state;
    body                b = make_body(0);
    sup_subvolumes_call call = call_of(&b);
    sup_vec4*           before = malloc(b.tube.point_count * sizeof *before);
    memcpy(before, b.tube.x, b.tube.point_count * sizeof *before);
    sup_subvolumes_report r = sup_subvolumes_project(b.parts, &call);
    assert_int_equal(r.skipped + r.shortened, 0);
    assert_memory_equal(before, b.tube.x, b.tube.point_count * sizeof *before);
    free(before);
    free_body(&b);
}

/// Volume of one part with one coordinate changed.
static double volume_at(body* b, uint32_t part, uint32_t point, int axis, float change)
{
    double volumes[PARTS];
    float* at = &b->tube.x[point].x + axis;
    float  kept = *at;
    *at += change;
    sup_subvolumes_measure(b->parts, b->tube.x, NULL, b->scratch, volumes);
    *at = kept;
    return volumes[part];
}

// A velocity of 1 along one axis of one point: the flux that calm removes is the derivative. Measured through what it leaves.
static void gradients_are_finite_differences_also_beside_holes_and_cuts(void** state)
{
    (void)state;
    for (uint32_t open = 0; open < 2; ++open) {
        body b = make_body(open ? 11 : 0); // the far cap is mostly missing: its rim moves the middle of the hole
        for (uint32_t i = 0; i < b.tube.point_count; ++i) b.tube.x[i].y += 0.1f * b.tube.x[i].x, b.tube.x[i].w = 0;
        const uint32_t points[] = { 0, 5, 4 * 12 + 3, 5 * 12, 12 * 12 + 1, 12 * 12 + 7 };
        for (uint32_t k = 0; k < sizeof points / sizeof *points; ++k)
            for (int axis = 0; axis < 3; ++axis) {
                double slopes[PARTS], gone = 0;
                for (uint32_t p = 0; p < PARTS; ++p)
                    slopes[p] = (volume_at(&b, p, points[k], axis, 0.05f) - volume_at(&b, p, points[k], axis, -0.05f)) / 0.1;
                // With that point alone free, its velocity ends where the last part that has it is calm: v . gradient = 0.
                uint32_t last = slopes[2] != 0 ? 2 : slopes[1] != 0 ? 1 : 0;
                b.tube.x[points[k]].w = 1;
                memset(b.tube.v, 0, b.tube.point_count * sizeof *b.tube.v);
                (&b.tube.v[points[k]].x)[axis] = 1;
                sup_subvolumes_call call = call_of(&b);
                sup_subvolumes_calm(b.parts, &call, b.tube.v);
                for (int i = 0; i < 3; ++i) {
                    double slope = (volume_at(&b, last, points[k], i, 0.05f) - volume_at(&b, last, points[k], i, -0.05f)) / 0.1;
                    gone += slope * (double)(&b.tube.v[points[k]].x)[i];
                }
                bool shared = (slopes[0] != 0) + (slopes[1] != 0) + (slopes[2] != 0) > 1;
                if (!shared) assert_true(fabs(gone) < 2e-5);
                b.tube.x[points[k]].w = 0;
            }
        free_body(&b);
    }
}

static void bent_and_squeezed_parts_come_back_within_a_few_rounds(void** state)
{
    (void)state;
    body b = make_body(0);
    for (uint32_t i = 0; i < b.tube.point_count; ++i) {
        float x = b.tube.x[i].x;
        b.tube.x[i].y *= 0.8f + 0.05f * x;
        b.tube.x[i].z += 0.2f * x;
    }
    sup_subvolumes_call call = call_of(&b);
    for (int i = 0; i < 4; ++i) sup_subvolumes_project(b.parts, &call);
    double volumes[PARTS];
    sup_subvolumes_measure(b.parts, b.tube.x, NULL, b.scratch, volumes);
    for (uint32_t p = 0; p < PARTS; ++p) assert_true(fabs(volumes[p] / sup_subvolumes_rest(b.parts, p) - 1) < 1e-4);
    const float bulges[PARTS] = { 1, 1.2f, 1 };
    call.bulges = bulges;
    for (int i = 0; i < 6; ++i) sup_subvolumes_project(b.parts, &call);
    sup_subvolumes_measure(b.parts, b.tube.x, NULL, b.scratch, volumes);
    for (uint32_t p = 0; p < PARTS; ++p)
        assert_true(fabs(volumes[p] / sup_subvolumes_rest(b.parts, p) - (double)bulges[p]) < 1e-3);
    call.limit = 1e-4f;
    call.bulge = 1.3f;
    float before = b.tube.x[20].y;
    assert_int_equal(sup_subvolumes_project(b.parts, &call).shortened, PARTS);
    assert_true(fabsf(b.tube.x[20].y - before) <= 2.1e-4f); // two parts may share a point
    free_body(&b);
}

static void an_inside_out_body_keeps_its_volume_all_the_same(void** state)
{
    (void)state;
    body b = make_body(0);
    for (uint32_t i = 0; i < b.tube.point_count; ++i) b.tube.points[i].z *= -1, b.tube.x[i].z *= -1;
    sup_error error;
    assert_ok(sup_subvolumes_create(&(sup_subvolumes_desc){ .volumes = &b.volumes, .points = b.tube.points }, b.arena, &b.parts,
                                    &error),
              error);
    assert_true(sup_subvolumes_inside_out(b.parts));
    sup_subvolumes_place(b.parts, b.carriers, 0, b.scratch);
    for (uint32_t i = 0; i < b.tube.point_count; ++i) b.tube.x[i].y *= 0.8f;
    sup_subvolumes_call call = call_of(&b);
    for (int i = 0; i < 4; ++i) sup_subvolumes_project(b.parts, &call);
    double volumes[PARTS];
    sup_subvolumes_measure(b.parts, b.tube.x, NULL, b.scratch, volumes);
    for (uint32_t p = 0; p < PARTS; ++p) assert_true(fabs(volumes[p] / sup_subvolumes_rest(b.parts, p) - 1) < 1e-4);
    free_body(&b);
}

// The first part is inflated: points without inverse mass or weight stay, the rest take all of it.
static void pinned_and_masked_points_do_not_swell(void** state)
{
    (void)state;
    body                b = make_body(0);
    uint32_t            n = b.tube.point_count, moved = 0;
    float*              weights = malloc(n * sizeof *weights);
    sup_subvolumes_call call = call_of(&b);
    double              volumes[PARTS];
    for (uint32_t i = 0; i < n; ++i) {
        weights[i] = i % 3 ? 1 : 0;
        b.tube.x[i].w = i % 2 ? 1 : 0;
    }
    call.weights = weights;
    call.bulges = (const float[PARTS]){ 1.05f, 1, 1 };
    for (int round = 0; round < 8; ++round) sup_subvolumes_project(b.parts, &call);
    sup_subvolumes_measure(b.parts, b.tube.x, NULL, b.scratch, volumes);
    assert_float_equal(volumes[0] / sup_subvolumes_rest(b.parts, 0), 1.05, 1e-5);
    for (uint32_t i = 0; i < n; ++i) {
        bool stays = v3_distance(sup_particle_place(&b.tube.x[i]), b.tube.points[i]) == 0;
        if (i % 3 == 0 || i % 2 == 0) assert_true(stays);
        moved += !stays;
    }
    assert_true(moved > 10);
    free(weights);
    free_body(&b);
}

static void a_moving_center_counts_as_flux(void** state)
{
    (void)state;
    body b = make_body(0);
    b.carriers[0].m[0][3] = 0.01f; // the first cut's center goes to the right by 1 per second
    sup_subvolumes_place(b.parts, b.carriers, 0.01f, b.scratch);
    sup_subvolumes_call call = call_of(&b);
    sup_subvolumes_calm(b.parts, &call, b.tube.v);
    // Part 0 grows by a third of the fan's area, 3, per second: its skin must move inward, part 1's outward.
    assert_true(b.tube.v[12].y < -1e-3f && b.tube.v[6 * 12].y > 1e-3f);
    free_body(&b);
}

static void flat_and_open_sheets_have_no_volume_to_keep(void** state)
{
    (void)state;
    const sup_vec3        points[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0.1f } };
    const uint32_t        triangles[6] = { 0, 1, 2, 0, 2, 3 };
    sup_volumes_desc      desc = { .point_count = 4, .triangle_count = 2, .triangles = triangles, .part_count = 1 };
    sup_arena*            arena = sup_arena_create(NULL);
    sup_error             error;
    sup_volumes           v;
    const sup_subvolumes* s;
    assert_ok(sup_volumes_create(&desc, arena, &v, &error), error);
    assert_ok(sup_subvolumes_create(&(sup_subvolumes_desc){ .volumes = &v, .points = points }, arena, &s, &error), error);
    assert_true(sup_subvolumes_flat(s, 0));
    body sleeve = make_body(24); // no caps: a tube of length 6 and radius 1, caps 6.2 of 37
    assert_false(sup_subvolumes_flat(sleeve.parts, 0));
    free_body(&sleeve);
    sup_arena_destroy(arena);
}

static void broken_numbers_are_skipped_and_counted(void** state)
{
    (void)state;
    body b = make_body(0);
    b.tube.x[3].y = NAN;
    sup_subvolumes_call   call = call_of(&b);
    sup_subvolumes_report r = sup_subvolumes_project(b.parts, &call);
    assert_int_equal(r.skipped, 1);
    for (uint32_t i = 4; i < b.tube.point_count; ++i) assert_true(isfinite(b.tube.x[i].y));
    free_body(&b);
}

static void any_number_of_workers_gives_the_same_bits(void** state)
{
    (void)state;
    uint64_t expected = 0;
    for (uint32_t threads = 1; threads <= 8; threads *= 2) {
        sup_pool* pool = sup_pool_create(threads);
        body      b = make_body(0);
        for (uint32_t i = 0; i < b.tube.point_count; ++i) b.tube.x[i].y *= 0.7f;
        sup_subvolumes_call call = call_of(&b);
        call.tasks = sup_pool_tasks(pool);
        for (int i = 0; i < 3; ++i) sup_subvolumes_project(b.parts, &call);
        sup_subvolumes_calm(b.parts, &call, b.tube.v);
        uint64_t hash = sup_hash(SUP_HASH_START, b.tube.x, b.tube.point_count * sizeof *b.tube.x);
        hash = sup_hash(hash, b.tube.v, b.tube.point_count * sizeof *b.tube.v);
        if (threads == 1) expected = hash;
        assert_true(hash == expected);
        free_body(&b);
        sup_pool_destroy(pool);
    }
}

static void every_allocation_that_fails_is_an_error(void** state)
{
    (void)state;
    soft_tube        t = soft_tube_make(5, 4, 2, 1, 1);
    sup_volumes_desc desc = {
        .point_count = t.point_count, .triangle_count = t.triangle_count, .triangles = t.triangles, .part_count = 1
    };
    for (test_starved starved = { 0 }; test_starve(&starved);) {
        sup_arena*            arena = sup_arena_create(&starved.memory.allocator);
        const sup_subvolumes* s;
        sup_volumes           v;
        sup_error             error;
        sup_subvolumes_desc   parts = { .volumes = &v, .points = t.points };
        if (arena) starved.result = sup_volumes_create(&desc, arena, &v, &error);
        if (starved.result == SUP_OK) starved.result = sup_subvolumes_create(&parts, arena, &s, &error);
        sup_arena_destroy(arena);
    }
    soft_tube_free(&t);
}

// ---------------------------------------------------------------------------------------------- labels

/// A tube with joints at 0, 2, 4 (bones of length 2, a tail at the end); every point follows the joint below it.
typedef struct rigged {
    soft_tube      tube;
    uint32_t       parents[4], *begin, *joints;
    bool           skins[4];
    float*         values;
    sup_label_bone bones[4];
} rigged;

static rigged make_rigged(void)
{
    rigged r = { .tube = soft_tube_make(13, 12, 6, 1, 1), .parents = { SUP_NONE, 0, 1 }, .skins = { true, true, true } };
    r.begin = calloc(r.tube.point_count + 1, sizeof *r.begin);
    r.joints = calloc(r.tube.point_count, sizeof *r.joints);
    r.values = calloc(r.tube.point_count, sizeof *r.values);
    for (uint32_t i = 0; i < r.tube.point_count; ++i) {
        r.begin[i + 1] = i + 1;
        r.joints[i] = r.tube.points[i].x < 2 ? 0 : r.tube.points[i].x < 4 ? 1 : 2;
        r.values[i] = 1;
    }
    for (uint32_t j = 0; j < 3; ++j)
        r.bones[j] = (sup_label_bone){ j, j < 2 ? j + 1 : SUP_NONE, v3(2 * (float)j, 0, 0), v3(2 * (float)j + 2, 0, 0) };
    return r;
}

static sup_labels label_at(const rigged* r, sup_arena* arena, sup_label_cut cut, const float* shares, bool merge,
                           uint32_t joints, uint32_t bones)
{
    sup_label_desc d = { .point_count = r->tube.point_count,
                         .points = r->tube.points,
                         .triangle_count = r->tube.triangle_count,
                         .triangles = r->tube.triangles,
                         .joint_count = joints,
                         .parents = r->parents,
                         .skin_joints = r->skins,
                         .bone_count = bones,
                         .bones = r->bones,
                         .begin = r->begin,
                         .joints = r->joints,
                         .values = r->values,
                         .cut = cut,
                         .shares = shares,
                         .fewest = 10,
                         .merge = merge };
    sup_labels     out;
    sup_error      error;
    assert_ok(sup_volumes_label(&d, arena, &out, &error), error);
    return out;
}

static sup_labels label(const rigged* r, sup_arena* arena, sup_label_cut cut, bool merge, uint32_t joints, uint32_t bones)
{
    return label_at(r, arena, cut, NULL, merge, joints, bones);
}

static void free_rigged(rigged* r)
{
    soft_tube_free(&r->tube);
    free(r->begin), free(r->joints), free(r->values);
}

static void planes_stand_in_the_middle_of_bones_or_at_their_ends(void** state)
{
    (void)state;
    rigged     r = make_rigged();
    sup_arena* arena = sup_arena_create(NULL);
    for (int ends = 0; ends < 2; ++ends) {
        sup_labels l = label(&r, arena, ends ? SUP_CUT_ENDS : SUP_CUT_MIDDLES, true, 3, 3);
        assert_int_equal(l.part_count, 3);
        for (uint32_t t = 0; t < r.tube.triangle_count; ++t) {
            const uint32_t* c = r.tube.triangles + 3 * t;
            float           x = (r.tube.points[c[0]].x + r.tube.points[c[1]].x + r.tube.points[c[2]].x) / 3;
            uint32_t        expected = ends ? (x < 2 ? 0 : x < 4 ? 1 : 2) : x < 1 ? 0 : x < 3 ? 1 : 2;
            assert_int_equal(l.labels[t], expected);
        }
        for (uint32_t p = 0; p < 3; ++p) {
            assert_int_equal(l.part_joints[p], p);
            assert_int_equal(l.parents[p], p ? p - 1 : SUP_NONE);
            if (p) assert_int_equal(l.cut_carriers[p], p - 1);
            if (p) assert_float_equal(l.cut_points[p].x, ends ? 2 * (float)p : 2 * (float)p - 1, 0);
        }
    }
    sup_arena_destroy(arena);
    free_rigged(&r);
}

// At a quarter of the first bone, from 0 to 2, and three quarters of the second, from 2 to 4: 0.5 and 3.5.
static void planes_stand_where_they_are_put(void** state)
{
    (void)state;
    rigged      r = make_rigged();
    sup_arena*  arena = sup_arena_create(NULL);
    const float shares[3] = { 0.25f, 0.75f, 0.5f };
    sup_labels  l = label_at(&r, arena, SUP_CUT_MIDDLES, shares, true, 3, 3);
    assert_int_equal(l.part_count, 3);
    for (uint32_t t = 0; t < r.tube.triangle_count; ++t) {
        const uint32_t* c = r.tube.triangles + 3 * t;
        float           x = (r.tube.points[c[0]].x + r.tube.points[c[1]].x + r.tube.points[c[2]].x) / 3;
        assert_int_equal(l.labels[t], x < 0.5f ? 0 : x < 3.5f ? 1 : 2);
    }
    assert_float_equal(l.cut_points[1].x, 0.5f, 0);
    assert_float_equal(l.cut_points[2].x, 3.5f, 0);
    sup_arena_destroy(arena);
    free_rigged(&r);
}

// Two fingers side by side in one tube: joints 1 and 2 are both children of 0, one owns the upper half (y > 0) from x = 2 on,
// the other the lower. They share a long border that is not a cross-section, so they become one part with the palm; a third
// joint farther out stays.
static void siblings_that_share_a_border_become_one_with_their_parent(void** state)
{
    (void)state;
    rigged r = make_rigged();
    r.parents[2] = 0;
    r.parents[3] = 1;
    r.skins[3] = true;
    r.bones[0] = (sup_label_bone){ 0, 1, v3(0, 0, 0), v3(2, .5f, 0) };
    r.bones[1] = (sup_label_bone){ 0, 2, v3(0, 0, 0), v3(2, -.5f, 0) };
    r.bones[2] = (sup_label_bone){ 1, 3, v3(2, .5f, 0), v3(5, .5f, 0) };
    r.bones[3] = (sup_label_bone){ 2, SUP_NONE, v3(2, -.5f, 0), v3(3.5f, -.5f, 0) };
    for (uint32_t i = 0; i < r.tube.point_count; ++i) {
        sup_vec3 p = r.tube.points[i];
        r.joints[i] = p.x < 1.9f ? 0 : p.x > 4.2f ? 3 : p.y > 0 ? 1 : 2;
    }
    sup_arena* arena = sup_arena_create(NULL);
    sup_labels apart = label(&r, arena, SUP_CUT_MIDDLES, false, 4, 4), joined = label(&r, arena, SUP_CUT_MIDDLES, true, 4, 4);
    assert_int_equal(apart.part_count, 4);
    assert_int_equal(joined.joint_parts[1], joined.joint_parts[0]);
    assert_int_equal(joined.joint_parts[2], joined.joint_parts[0]);
    sup_arena_destroy(arena);
    free_rigged(&r);
}

// Two thighs that meet under a pelvis without triangles of its own, and two shins: the thighs are one part, each shin is its
// own, whichever comes first.
static void thighs_become_one_part_also_where_the_pelvis_has_no_triangles(void** state)
{
    (void)state;
    rigged r = make_rigged();
    r.parents[2] = 0;
    r.parents[3] = 1;
    r.skins[3] = true;
    r.bones[0] = (sup_label_bone){ 0, 1, v3(2, 0, 0), v3(2, .1f, 0) };
    r.bones[1] = (sup_label_bone){ 0, 2, v3(2, 0, 0), v3(2, -.1f, 0) };
    r.bones[2] = (sup_label_bone){ 1, 3, v3(2, .1f, 0), v3(5, .5f, 0) };
    r.bones[3] = (sup_label_bone){ 2, SUP_NONE, v3(2, -.1f, 0), v3(3.5f, -.5f, 0) };
    for (uint32_t i = 0; i < r.tube.point_count; ++i) {
        sup_vec3 p = r.tube.points[i];
        r.joints[i] = p.x > 4.2f ? 3 : p.y > 0 ? 1 : 2;
    }
    sup_arena* arena = sup_arena_create(NULL);
    sup_labels apart = label(&r, arena, SUP_CUT_MIDDLES, false, 4, 4), joined = label(&r, arena, SUP_CUT_MIDDLES, true, 4, 4);
    assert_int_equal(apart.part_count, 3);
    assert_int_equal(joined.joint_parts[1], joined.joint_parts[2]);
    assert_int_equal(joined.part_joints[joined.joint_parts[1]], 0);
    sup_arena_destroy(arena);
    free_rigged(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_are_those_of_the_whole_measure_and_sum_to_it),
        cmocka_unit_test(rest_stays_at_rest_to_the_bit),
        cmocka_unit_test(gradients_are_finite_differences_also_beside_holes_and_cuts),
        cmocka_unit_test(bent_and_squeezed_parts_come_back_within_a_few_rounds),
        cmocka_unit_test(an_inside_out_body_keeps_its_volume_all_the_same),
        cmocka_unit_test(pinned_and_masked_points_do_not_swell),
        cmocka_unit_test(a_moving_center_counts_as_flux),
        cmocka_unit_test(flat_and_open_sheets_have_no_volume_to_keep),
        cmocka_unit_test(broken_numbers_are_skipped_and_counted),
        cmocka_unit_test(any_number_of_workers_gives_the_same_bits),
        cmocka_unit_test(every_allocation_that_fails_is_an_error),
        cmocka_unit_test(planes_stand_in_the_middle_of_bones_or_at_their_ends),
        cmocka_unit_test(planes_stand_where_they_are_put),
        cmocka_unit_test(siblings_that_share_a_border_become_one_with_their_parent),
        cmocka_unit_test(thighs_become_one_part_also_where_the_pelvis_has_no_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

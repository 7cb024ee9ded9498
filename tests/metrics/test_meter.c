#include "supple/deformer.h"
#include "supple/metrics.h"

#include "capsule_arm.h"
#include "math/trig.h"
#include "math/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---------------------------------------------------------------------------------------------- characters

/// A mesh that follows one joint.
static sup_character* still_character(const sup_vec3* points, uint32_t count, const uint32_t* triangles,
                                      uint32_t triangle_count)
{
    sup_part_desc      part = { .name = "thing",
                                .vertex_count = count,
                                .positions = points,
                                .face_count = triangle_count,
                                .corners = triangles,
                                .joint = SUP_NONE,
                                .source_id = SUP_NONE };
    sup_character_desc desc = { .name = "thing", .part_count = 1, .parts = &part, .metres_per_unit = 1 };
    return test_character(&desc);
}

// Corner 4x + 2y + z of a cube, outwards.
static const uint32_t cube[36] = { 0, 1, 3, 0, 3, 2, 4, 6, 7, 4, 7, 5, 0, 4, 5, 0, 5, 1,
                                   2, 3, 7, 2, 7, 6, 0, 2, 6, 0, 6, 4, 1, 5, 7, 1, 7, 3 };

/// Two boxes given by their lowest and highest corners.
static sup_character* two_boxes(const float a[6], const float b[6])
{
    sup_vec3 points[16];
    uint32_t triangles[72];
    for (uint32_t i = 0; i < 16; ++i) {
        const float* box = i < 8 ? a : b;
        points[i] = v3(box[i & 4 ? 3 : 0], box[i & 2 ? 4 : 1], box[i & 1 ? 5 : 2]);
    }
    for (uint32_t i = 0; i < 72; ++i) triangles[i] = i < 36 ? cube[i] : 8 + cube[i - 36];
    return still_character(points, 16, triangles, 24);
}

static sup_meter* make_meter(const sup_character* character)
{
    sup_meter* meter = NULL;
    sup_error  error;
    assert_ok(sup_meter_create(character, NULL, &meter, &error), error);
    return meter;
}

static uint32_t crossings(const sup_meter* meter, const sup_vec3* points, sup_meter_pair* pairs, uint32_t capacity)
{
    void* scratch = sup_scratch_create(sup_meter_scratch(meter), NULL);
    assert_non_null(scratch);
    uint32_t count = sup_meter_intersections(meter, points, scratch, NULL, pairs, capacity);
    sup_scratch_destroy(scratch);
    return count;
}

/// The arm with its elbow turned about an axis, skinned by one deformer.
typedef struct posed {
    sup_character* character;
    sup_meter*     meter;
    sup_arena*     arena;
    sup_pose       pose;
    sup_vec3*      skin;
} posed;

static posed pose_arm(const char* deformer, sup_vec3 axis, float degrees)
{
    posed         p = { .character = capsule_arm(53, 1, NULL), .arena = sup_arena_create(NULL) };
    sup_error     error;
    sup_chain*    chain = NULL;
    sup_instance* instance = NULL;
    p.meter = make_meter(p.character);
    p.skin = calloc(p.character->mesh.point_count, sizeof *p.skin);
    assert_ok(sup_pose_create(p.character, p.arena, &p.pose, &error), error);
    sup_pose_rest(p.character, &p.pose);
    p.pose.local[1].rotation = quat_axis_angle(axis, degrees * 0.017453293f);
    sup_pose_update(p.character, &p.pose);
    assert_ok(sup_chain_create(&(sup_chain_desc){ .character = p.character, .links = deformer }, &chain, &error), error);
    assert_ok(sup_instance_create(&(sup_instance_desc){ .chain = chain, .pose = &p.pose, .preroll = SUP_NO_PREROLL }, &instance,
                                  &error),
              error);
    void* scratch = sup_scratch_create(sup_chain_scratch_size(chain), NULL);
    sup_instance_evaluate(instance, 0, scratch, NULL, p.skin);
    sup_scratch_destroy(scratch);
    sup_instance_destroy(instance);
    sup_chain_destroy(chain);
    return p;
}

static void end_pose(posed* p)
{
    sup_meter_destroy(p->meter);
    sup_character_destroy(p->character);
    sup_arena_destroy(p->arena);
    free(p->skin);
}

/// Relative change of the volume of the part around a joint; checks that the parts make the whole.
static double part_change(const posed* p, uint32_t joint)
{
    double   volumes[8], sum = 0, change = NAN;
    uint32_t count = sup_meter_part_count(p->meter);
    assert_true(count <= 8);
    sup_meter_part_volumes(p->meter, &p->pose, p->skin, volumes);
    for (uint32_t i = 0; i < count; ++i) {
        const sup_meter_part* part = sup_meter_part_at(p->meter, i);
        sum += volumes[i];
        if (part->joint == joint) change = volumes[i] / part->rest_volume - 1;
    }
    double whole = sup_meter_volume(p->meter, p->skin);
    assert_true(fabs(sum - whole) < 1e-12 * whole);
    return change;
}

static double whole_change(const posed* p) { return sup_meter_volume(p->meter, p->skin) / sup_meter_rest_volume(p->meter) - 1; }

// ---------------------------------------------------------------------------------------------- intersections

// Boxes [0,2]^3 and [1,3]^3: the three faces of one at 2 each meet two of the other's at 1 in a segment of length 1, half of
// an edge. It ends in the middle of both squares, where the diagonals are, so it lies in one triangle of each: 6 pairs.
static void corner_in_corner_boxes_cross_in_six_pairs(void** state)
{
    (void)state;
    sup_character* c = two_boxes((const float[]){ 0, 0, 0, 2, 2, 2 }, (const float[]){ 1, 1, 1, 3, 3, 3 });
    sup_meter*     m = make_meter(c);
    sup_meter_pair pairs[8];
    assert_int_equal(crossings(m, c->mesh.points, pairs, 8), 6);
    for (int i = 0; i < 6; ++i) {
        assert_true(pairs[i].a < 12 && pairs[i].b >= 12 && pairs[i].b < 24);
        if (i) assert_true(pairs[i - 1].a < pairs[i].a || (pairs[i - 1].a == pairs[i].a && pairs[i - 1].b < pairs[i].b));
    }
    sup_meter_pair few[2];
    assert_int_equal(crossings(m, c->mesh.points, few, 2), 6);
    assert_memory_equal(few, pairs, sizeof few);
    sup_meter_destroy(m);
    sup_character_destroy(c);
}

// A bar [.5,1.5]^2 x [-1,3] through the box [0,2]^3: each of its 4 sides crosses 2 faces; the segment cuts the side's diagonal
// (2 triangles) and ends on the face's (1 triangle): 4 x 2 x 2 = 16 pairs.
static void bar_through_a_box_crosses_in_sixteen_pairs(void** state)
{
    (void)state;
    sup_character* c = two_boxes((const float[]){ 0, 0, 0, 2, 2, 2 }, (const float[]){ .5f, .5f, -1, 1.5f, 1.5f, 3 });
    sup_meter*     m = make_meter(c);
    assert_int_equal(crossings(m, c->mesh.points, NULL, 0), 16);
    sup_meter_destroy(m);
    sup_character_destroy(c);
}

static void touching_boxes_do_not_cross_but_equal_faces_overlap(void** state)
{
    (void)state;
    const float a[] = { 0, 0, 0, 2, 2, 2 };
    const struct {
        float    b[6];
        uint32_t count;
    } cases[] = {
        { { 2, 2, 2, 4, 4, 4 }, 0 },       // a corner
        { { 2, 2, 0, 4, 4, 2 }, 0 },       // an edge
        { { 3, 0, 0, 4, 2, 2 }, 0 },       // apart
        { { .5f, .5f, .5f, 1, 1, 1 }, 0 }, // inside
        { { 2, 0, 0, 4, 2, 2 }, 2 },       // the same square, diagonals in the same direction: two equal pairs
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sup_character* c = two_boxes(a, cases[i].b);
        sup_meter*     m = make_meter(c);
        // x = 2 of the first is cut from (y,z) = (0,0) to (1,1), as is x = 0 of the second
        assert_int_equal(crossings(m, c->mesh.points, NULL, 0), cases[i].count);
        sup_meter_destroy(m);
        sup_character_destroy(c);
    }
}

// Six points in a row of four triangles, folded so that the last lies flat on the first.
static void folded_strip_meets_itself_where_no_point_is_shared(void** state)
{
    (void)state;
    const sup_vec3 rest[] = { { 0, 0, 0 }, { 0, 1, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 2, 0, 0 }, { 2, 1, 0 } };
    const uint32_t triangles[] = { 0, 2, 1, 1, 2, 3, 2, 4, 3, 3, 4, 5 };
    sup_character* c = still_character(rest, 6, triangles, 4);
    sup_meter*     m = make_meter(c);
    assert_int_equal(crossings(m, rest, NULL, 0), 0);
    sup_vec3 folded[6];
    memcpy(folded, rest, sizeof rest);
    folded[4].x = folded[5].x = 0;
    sup_meter_pair pair;
    assert_int_equal(crossings(m, folded, &pair, 1), 1); // all other pairs share point 2 or 3
    assert_true(pair.a == 0 && pair.b == 3);
    folded[4].z = folded[5].z = 0.5f;
    assert_int_equal(crossings(m, folded, NULL, 0), 0);
    folded[0].x = NAN;
    assert_int_equal(crossings(m, folded, NULL, 0), 0);
    sup_meter_destroy(m);
    sup_character_destroy(c);
}

// A fan of triangles about an axis, each by points of its own: every one crosses every other. Sixty-four make 2,016 pairs; of
// two thousand the search gives up, and says so.
static void triangles_in_one_place_are_counted_or_reported_as_too_many(void** state)
{
    (void)state;
    for (uint32_t n = 64; n <= 2048; n *= 32) {
        sup_vec3* points = calloc(3 * (size_t)n, sizeof *points);
        uint32_t* triangles = calloc(3 * (size_t)n, sizeof *triangles);
        for (uint32_t i = 0; i < n; ++i) {
            double angle = 3.0 * i / n;
            points[3 * i] = v3((float)cos(angle), (float)sin(angle), 0.01f * (float)i / (float)n);
            points[3 * i + 1] = v3(-(float)cos(angle), -(float)sin(angle), 0.01f * (float)i / (float)n);
            points[3 * i + 2] = v3(0, 0, 1 + (float)i / (float)n);
            for (uint32_t k = 0; k < 3; ++k) triangles[3 * i + k] = 3 * i + k;
        }
        sup_character* c = still_character(points, 3 * n, triangles, n);
        sup_meter*     m = make_meter(c);
        assert_int_equal(crossings(m, points, NULL, 0), n == 64 ? 64 * 63 / 2 : SUP_METER_UNCOUNTED);
        sup_meter_destroy(m);
        sup_character_destroy(c);
        free(points), free(triangles);
    }
}

// 128 triangles that all lie in one place: with corners from 0.1 to 1e20 in one tilted plane rounding decides nothing, and each
// of 8,128 pairs costs thirty times as much as at rest, where they are counted.
static void what_only_exact_numbers_decide_is_paid_for(void** state)
{
    (void)state;
    enum { COUNT = 128 };
    sup_vec3 rest[3 * COUNT], moved[3 * COUNT];
    uint32_t triangles[3 * COUNT];
    for (uint32_t i = 0; i < COUNT; ++i) {
        float x = 0.1f + 0.001f * (float)i, y = 0.2f + 0.003f * (float)i, out = 1 + x, far = 1e20f * out;
        rest[3 * i] = v3(-out, y - out, -out), moved[3 * i] = v3(-far, -far, -far);
        rest[3 * i + 1] = v3(out, x, out + y), moved[3 * i + 1] = v3(far, x, far);
        rest[3 * i + 2] = v3(x, out, x), moved[3 * i + 2] = v3(y, far, y);
        for (uint32_t k = 0; k < 3; ++k) triangles[3 * i + k] = 3 * i + k;
    }
    sup_character* c = still_character(rest, 3 * COUNT, triangles, COUNT);
    sup_meter*     m = make_meter(c);
    assert_true(crossings(m, rest, NULL, 0) != SUP_METER_UNCOUNTED);
    assert_int_equal(crossings(m, moved, NULL, 0), SUP_METER_UNCOUNTED);
    sup_meter_destroy(m);
    sup_character_destroy(c);
}

static void sixteen_thousand_triangles_take_milliseconds(void** state)
{
    (void)state;
    sup_character* c = test_load("builtin:beast");
    sup_meter*     m = make_meter(c);
    void*          scratch = sup_scratch_create(sup_meter_scratch(m), NULL);
    double         best = INFINITY;
    for (int i = 0; i < 10; ++i) {
        struct timespec t0, t1;
        clock_gettime(CLOCK_MONOTONIC, &t0);
        assert_int_equal(sup_meter_intersections(m, c->mesh.points, scratch, NULL, NULL, 0), 0);
        clock_gettime(CLOCK_MONOTONIC, &t1);
        best = fmin(best, (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec));
    }
    print_message("%u triangles: %.1f ms\n", c->mesh.triangle_count, 1e3 * best);
    assert_true(best < 1); // sanitizers and busy machines; the figure above is the claim
    sup_scratch_destroy(scratch);
    sup_meter_destroy(m);
    sup_character_destroy(c);
}

static void pairs_are_the_same_for_any_number_of_workers(void** state)
{
    (void)state;
    posed           p = pose_arm("linear", v3(0, 0, 1), 145);
    sup_meter_pair *one = calloc(4000, sizeof *one), *many = calloc(4000, sizeof *many);
    void*           scratch = sup_scratch_create(sup_meter_scratch(p.meter), NULL);
    uint32_t        count = sup_meter_intersections(p.meter, p.skin, scratch, NULL, one, 4000);
    assert_true(count > 20 && count < 4000);
    for (uint32_t workers = 1; workers <= 8; workers *= 2) {
        sup_pool* pool = sup_pool_create(workers);
        memset(many, 0, 4000 * sizeof *many);
        assert_int_equal(sup_meter_intersections(p.meter, p.skin, scratch, sup_pool_tasks(pool), many, 4000), count);
        assert_memory_equal(one, many, 4000 * sizeof *one);
        sup_pool_destroy(pool);
    }
    sup_scratch_destroy(scratch), free(one), free(many);
    end_pose(&p);
}

// ---------------------------------------------------------------------------------------------- volumes

static void rest_parts_are_cut_in_the_middle_of_bones(void** state)
{
    (void)state;
    posed p = pose_arm("linear", v3(0, 0, 1), 0);
    assert_int_equal(sup_meter_part_count(p.meter), 3);
    assert_int_equal(sup_meter_holes(p.meter), 0);
    double sum = 0, whole = sup_meter_rest_volume(p.meter);
    for (uint32_t i = 0; i < 3; ++i) {
        const sup_meter_part* part = sup_meter_part_at(p.meter, i);
        assert_int_equal(part->joint, i);
        assert_string_equal(part->name, p.character->skeleton.joints[i].name);
        assert_true(part->triangle_count > 500 && part->rest_volume > 0.2 * whole);
        sum += part->rest_volume;
    }
    assert_true(fabs(sum - whole) < 1e-12 * whole);
    assert_true(fabs(whole - sup_metric_volume(&p.character->mesh, p.character->mesh.points)) < 1e-12 * whole);
    // 24-gon of area 12 sin(15 degrees) r^2 and length 30 cm, r = 5 cm x 0.925 in the middle: within a ring's width
    const double middle = 12 * 0.25881904510252074 * 0.04625 * 0.04625 * 0.3;
    assert_true(fabs(sup_meter_part_at(p.meter, 1)->rest_volume / middle - 1) < 0.04);
    for (uint32_t j = 0; j < 3; ++j) assert_true(fabs(part_change(&p, j)) < 1e-6);
    end_pose(&p);
}

// The prototype of the elbow scene had -3.14 % and -7.03 %; its arm is known only in words.
static void bent_elbow_loses_volume_at_the_elbow_only(void** state)
{
    (void)state;
    posed  p = pose_arm("linear", v3(0, 0, 1), 120);
    double whole = whole_change(&p), elbow = part_change(&p, 1);
    print_message("elbow at 120 degrees, linear: whole %.2f %%, elbow %.2f %%, %u pairs, stretch %.2f, roughness %.1f\n",
                  100 * whole, 100 * elbow, crossings(p.meter, p.skin, NULL, 0), sup_meter_stretch(p.meter, p.skin, NULL),
                  sup_meter_roughness(p.meter, p.skin, NULL));
    assert_true(fabs(whole + 0.0314) < 0.001);
    assert_true(fabs(elbow + 0.0703) < 0.002);
    assert_true(fabs(part_change(&p, 0)) < 1e-5 && fabs(part_change(&p, 2)) < 1e-5);
    assert_true(crossings(p.meter, p.skin, NULL, 0) > 0);
    end_pose(&p);
}

static void twisted_cylinder_collapses_and_shows_it(void** state)
{
    (void)state;
    posed half = pose_arm("linear", v3(1, 0, 0), 150), full = pose_arm("linear", v3(1, 0, 0), 180),
          kept = pose_arm("dualquat", v3(1, 0, 0), 150);
    double volumes[] = { part_change(&half, 1), part_change(&full, 1), part_change(&kept, 1) };
    double rough[] = { sup_meter_roughness(half.meter, half.skin, NULL), sup_meter_roughness(full.meter, full.skin, NULL),
                       sup_meter_roughness(kept.meter, kept.skin, NULL) };
    print_message("twist, elbow part: linear 150 %.2f %% roughness %.1f, 180 %.2f %% %.1f, dualquat 150 %.2f %% %.1f\n",
                  100 * volumes[0], rough[0], 100 * volumes[1], rough[1], 100 * volumes[2], rough[2]);
    // linear blending keeps 1 - 2 w (1 - w)(1 - cos) of a section's area; smoothstep over 10 of the part's 30 cm
    double want[2] = { 0 };
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < 1000; ++i) {
            double t = (i + 0.5) / 1000, w = t * t * (3 - 2 * t), cosine = k ? -1 : -0.8660254037844386;
            want[k] -= 2 * w * (1 - w) * (1 - cosine) * (0.1 / 0.3) / 1000;
        }
    assert_true(fabs(volumes[0] - want[0]) < 0.01 && fabs(volumes[1] - want[1]) < 0.01);
    assert_true(volumes[1] < volumes[0] && fabs(volumes[2]) < 0.02);
    assert_true(rough[1] > rough[0] && rough[0] > 2 * rough[2]);
    end_pose(&half), end_pose(&full), end_pose(&kept);
}

static void open_box_on_one_joint_is_one_part_closed_by_a_fan(void** state)
{
    (void)state;
    sup_vec3 points[8];
    for (uint32_t i = 0; i < 8; ++i) points[i] = v3((float)(i >> 2), (float)(i >> 1 & 1), (float)(i & 1));
    sup_character* c = still_character(points, 8, cube, 10);
    sup_meter*     m = make_meter(c);
    assert_int_equal(sup_meter_holes(m), 1);
    assert_true(fabs(sup_meter_rest_volume(m) - 1) < 1e-15);
    assert_int_equal(sup_meter_part_count(m), 1);
    assert_true(fabs(sup_meter_part_at(m, 0)->rest_volume - 1) < 1e-15);
    assert_int_equal(sup_meter_part_at(m, 0)->triangle_count, 10);
    for (uint32_t i = 0; i < 8; ++i) points[i] = v3_add(v3_scale(points[i], 2), v3(100, 0, -7));
    assert_true(fabs(sup_meter_volume(m, points) - 8) < 1e-12);
    sup_meter_destroy(m);
    sup_character_destroy(c);
}

// test_tube(5, 6, ...): 60 triangles; three joints would get about 20 each, too few for a part of its own.
static void small_parts_join_the_one_above(void** state)
{
    (void)state;
    sup_character* c = test_tube(5, 6, 5, 1, 0.1f);
    sup_meter*     m = make_meter(c);
    uint32_t       triangles = 0;
    double         sum = 0;
    for (uint32_t i = 0; i < sup_meter_part_count(m); ++i) {
        assert_true(sup_meter_part_at(m, i)->triangle_count >= 30);
        triangles += sup_meter_part_at(m, i)->triangle_count;
        sum += sup_meter_part_at(m, i)->rest_volume;
    }
    assert_int_equal(triangles, c->mesh.triangle_count);
    assert_true(fabs(sum / sup_meter_rest_volume(m) - 1) < 1e-12);
    sup_meter_destroy(m);
    sup_character_destroy(c);
}

/// Skin by the strongest joint alone, which tears borders apart: the parts must add up all the same.
static void assert_parts_add_up(const char* path)
{
    sup_error      error;
    sup_character* c = test_load(path);
    assert_true(c->clip_count > 0);
    sup_meter* m = make_meter(c);
    sup_arena* arena = sup_arena_create(NULL);
    sup_pose   pose;
    uint32_t   count = sup_meter_part_count(m);
    double*    volumes = calloc(count, sizeof *volumes);
    sup_vec3*  skin = calloc(c->mesh.point_count, sizeof *skin);
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    assert_true(count > 4);
    for (int i = 0; i < 3; ++i) {
        double sum = 0, size = 0;
        sup_clip_sample(c, &c->clips[0], 0.37 * i, &pose);
        for (uint32_t p = 0; p < c->mesh.point_count; ++p)
            skin[p] = affine_point(&pose.skin[c->weights.joints[c->weights.begin[p]]], c->mesh.points[p]);
        sup_meter_part_volumes(m, &pose, skin, volumes);
        for (uint32_t p = 0; p < count; ++p) sum += volumes[p], size += fabs(volumes[p]);
        assert_true(fabs(sum - sup_meter_volume(m, skin)) < 1e-12 * size);
    }
    for (uint32_t p = 0; p < count; ++p) {
        assert_true(sup_meter_part_at(m, p)->rest_volume > 0);
        if (p) assert_true(sup_meter_part_at(m, p - 1)->joint < sup_meter_part_at(m, p)->joint);
    }
    free(volumes), free(skin);
    sup_arena_destroy(arena);
    sup_meter_destroy(m);
    sup_character_destroy(c);
}

static void parts_of_a_beast_add_up_in_any_pose(void** state)
{
    (void)state;
    assert_parts_add_up("builtin:beast");
}

static void parts_of_a_man_add_up_in_any_pose(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/cesiumman.glb");
    assert_parts_add_up(path);
}

static void parts_of_a_soldier_with_holes_add_up_in_any_pose(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/soldier.glb");
    assert_parts_add_up(path);
}

// ---------------------------------------------------------------------------------------------- stretch, roughness

static void rigid_motion_is_neither_rough_nor_stretched(void** state)
{
    (void)state;
    posed    p = pose_arm("linear", v3(0, 0, 1), 0);
    uint32_t count = p.character->mesh.point_count;
    float*   each = calloc(count, sizeof *each);
    sup_quat turn = quat_axis_angle(v3(0.6f, 0, 0.8f), 1);
    assert_true(sup_meter_roughness(p.meter, p.character->mesh.points, each) == 0);
    for (uint32_t i = 0; i < count; ++i) assert_true(each[i] == 0);
    assert_true(sup_meter_stretch(p.meter, p.character->mesh.points, each) == 1);
    for (uint32_t i = 0; i < count; ++i) p.skin[i] = v3_add(quat_rotate(turn, p.character->mesh.points[i]), v3(1, 2, 3));
    assert_true(sup_meter_roughness(p.meter, p.skin, NULL) < 0.01); // floats at 3 m
    assert_true(sup_meter_stretch(p.meter, p.skin, NULL) < 1.0001);
    free(each);
    end_pose(&p);
}

// Half the size doubles every curvature: the change is the rest's own, 1 everywhere, times the diagonal.
static void roughness_of_a_sphere_made_smaller(void** state)
{
    (void)state;
    enum { RINGS = 40, SIDES = 40 };
    sup_vec3 points[RINGS * SIDES + 2], small[RINGS * SIDES + 2];
    uint32_t triangles[6 * RINGS * SIDES], count = 0;
    for (uint32_t r = 0; r < RINGS; ++r)
        for (uint32_t s = 0; s < SIDES; ++s) {
            double up = 3.141592653589793 * (r + 1) / (RINGS + 1), around = 6.283185307179586 * s / SIDES;
            points[r * SIDES + s] =
                v3((float)(sup_sin(up) * sup_cos(around)), (float)(sup_sin(up) * sup_sin(around)), (float)sup_cos(up));
        }
    points[RINGS * SIDES] = v3(0, 0, 1), points[RINGS * SIDES + 1] = v3(0, 0, -1);
    for (uint32_t r = 0; r <= RINGS; ++r)
        for (uint32_t s = 0; s < SIDES; ++s) {
            uint32_t lo = r == 0 ? RINGS * SIDES : (r - 1) * SIDES + s, lo2 = r == 0 ? lo : (r - 1) * SIDES + (s + 1) % SIDES;
            uint32_t hi = r == RINGS ? RINGS * SIDES + 1 : r * SIDES + s, hi2 = r == RINGS ? hi : r * SIDES + (s + 1) % SIDES;
            const uint32_t two[] = { lo, hi, hi2, lo, hi2, lo2 };
            if (r < RINGS) memcpy(triangles + 3 * count++, two, 3 * sizeof *two);
            if (r > 0) memcpy(triangles + 3 * count++, two + 3, 3 * sizeof *two);
        }
    for (uint32_t i = 0; i < RINGS * SIDES + 2; ++i) small[i] = v3_scale(points[i], 0.5f);
    sup_character* c = still_character(points, RINGS * SIDES + 2, triangles, count);
    sup_meter*     m = make_meter(c);
    float          each[RINGS * SIDES + 2];
    double         diagonal = (double)c->mesh.diagonal;
    assert_true(fabs(sup_meter_roughness(m, small, each) / diagonal - 1) < 0.01); // curvature 1 becomes 2
    for (uint32_t i = 0; i < RINGS * SIDES + 2; ++i) assert_true(fabs((double)each[i] / diagonal - 1) < 0.1);
    sup_meter_destroy(m);
    sup_character_destroy(c);
}

static void stretch_names_the_worst_edge_of_each_point(void** state)
{
    (void)state;
    const sup_vec3 rest[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 } };
    const uint32_t triangles[] = { 0, 1, 2, 0, 3, 1 };
    sup_character* c = still_character(rest, 4, triangles, 2);
    sup_meter*     m = make_meter(c);
    // 0-1 four times as long; 0-2 stays 1, 0-3 becomes 1/2; 1-2 and 1-3 lengthen by less
    const sup_vec3 moved[] = { { 0, 0, 0 }, { 4, 0, 0 }, { 0, 1, 0 }, { 0, -0.5f, 0 } };
    float          each[4];
    assert_true(sup_meter_stretch(m, moved, each) == 4 && sup_metric_stretch(&c->mesh, moved) == 4);
    assert_true(each[0] == 2 && each[1] == 2);
    assert_true(fabs((double)each[2] - log2(sqrt(17.0 / 2))) < 1e-7);
    assert_true(fabs((double)each[3] - log2(sqrt(16.25 / 2))) < 1e-7);
    const sup_vec3 short_one[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, -0.25f, 0 } };
    assert_true(sup_meter_stretch(m, short_one, each) == 4 && each[3] == -2 && each[0] == -2 && each[2] == 0);
    const sup_vec3 none[4] = { { 0, 0, 0 } };
    assert_true(isinf(sup_meter_stretch(m, none, each)) && each[0] == -64);
    sup_meter_destroy(m);
    sup_character_destroy(c);
}

static void no_memory_is_an_error_not_a_crash(void** state)
{
    (void)state;
    sup_character* c = test_tube(12, 8, 3, 1, 0.1f);
    test_starved   s = { 0 };
    while (test_starve(&s)) {
        sup_meter* m = NULL;
        sup_error  error = { 0 };
        s.result = sup_meter_create(c, &s.memory.allocator, &m, &error);
        assert_int_equal(s.result == SUP_OK, m != NULL);
        if (!m) assert_true(strlen(error.text) > 0);
        sup_meter_destroy(m);
    }
    assert_true(s.rounds > 5);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corner_in_corner_boxes_cross_in_six_pairs),
        cmocka_unit_test(bar_through_a_box_crosses_in_sixteen_pairs),
        cmocka_unit_test(touching_boxes_do_not_cross_but_equal_faces_overlap),
        cmocka_unit_test(folded_strip_meets_itself_where_no_point_is_shared),
        cmocka_unit_test(triangles_in_one_place_are_counted_or_reported_as_too_many),
        cmocka_unit_test(what_only_exact_numbers_decide_is_paid_for),
        cmocka_unit_test(sixteen_thousand_triangles_take_milliseconds),
        cmocka_unit_test(pairs_are_the_same_for_any_number_of_workers),
        cmocka_unit_test(rest_parts_are_cut_in_the_middle_of_bones),
        cmocka_unit_test(bent_elbow_loses_volume_at_the_elbow_only),
        cmocka_unit_test(twisted_cylinder_collapses_and_shows_it),
        cmocka_unit_test(open_box_on_one_joint_is_one_part_closed_by_a_fan),
        cmocka_unit_test(small_parts_join_the_one_above),
        cmocka_unit_test(parts_of_a_beast_add_up_in_any_pose),
        cmocka_unit_test(parts_of_a_man_add_up_in_any_pose),
        cmocka_unit_test(parts_of_a_soldier_with_holes_add_up_in_any_pose),
        cmocka_unit_test(rigid_motion_is_neither_rough_nor_stretched),
        cmocka_unit_test(roughness_of_a_sphere_made_smaller),
        cmocka_unit_test(stretch_names_the_worst_edge_of_each_point),
        cmocka_unit_test(no_memory_is_an_error_not_a_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

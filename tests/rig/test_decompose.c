// Bones, weights and motion from shapes: what was made from bones is found again, and what is asked for is kept.
#include "support.h"

#include "math/vec.h"
#include "supple/deformer.h"
#include "supple/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- shapes

typedef struct shapes {
    sup_arena*          arena;
    sup_decompose_input in;
    sup_vec3*           rest;
    sup_vec3*           frames;
} shapes;

static shapes make_shapes(uint32_t points, uint32_t frames)
{
    shapes s = { .arena = sup_arena_create(NULL) };
    s.rest = sup_arena_alloc(s.arena, points, sizeof *s.rest);
    s.frames = sup_arena_alloc(s.arena, (size_t)points * frames, sizeof *s.frames);
    s.in = (sup_decompose_input){ .point_count = points, .frame_count = frames, .rest = s.rest, .frames = s.frames };
    return s;
}

// `count` grids of 27 points in a row along x, body b turned about its own middle by (b + 1) f tenths about an axis of its own.
static shapes make_bodies(uint32_t count, uint32_t frames)
{
    static const sup_vec3 axes[3] = { { 0, 0, 1 }, { 0, 1, 0 }, { 1, 0, 0 } };
    shapes                s = make_shapes(27 * count, frames);
    for (uint32_t p = 0; p < 27 * count; ++p) {
        uint32_t k = p % 27;
        s.rest[p] = v3(10.0f * (float)(p / 27) + (float)(k % 3), (float)(k / 3 % 3), (float)(k / 9));
    }
    for (uint32_t f = 0; f < frames; ++f)
        for (uint32_t p = 0; p < 27 * count; ++p) {
            uint32_t b = p / 27;
            sup_vec3 middle = v3(10.0f * (float)b + 1, 1, 1);
            sup_quat q = quat_axis_angle(axes[b % 3], 0.1f * (float)((b + 1) * f));
            sup_vec3 shift = v3(0, 0.5f * (float)(f * b), 0);
            s.frames[(size_t)f * 27 * count + p] = v3_add(v3_add(quat_rotate(q, v3_sub(s.rest[p], middle)), middle), shift);
        }
    return s;
}

// The frames of a clip, skinned by the character's own joints and weights.
static shapes play(const sup_character* c, uint32_t frames)
{
    shapes    s = make_shapes(c->mesh.point_count, frames);
    sup_pose  pose;
    sup_error error;
    assert_ok(sup_pose_create(c, s.arena, &pose, &error), error);
    memcpy(s.rest, c->mesh.points, c->mesh.point_count * sizeof *s.rest);
    s.in.face_count = c->mesh.face_count;
    s.in.face_begin = c->mesh.face_begin;
    s.in.corners = c->mesh.corner_points;
    for (uint32_t f = 0; f < frames; ++f) {
        sup_clip_sample(c, &c->clips[0], c->clips[0].seconds * f / (frames - 1), &pose);
        for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
            sup_vec3 at = v3(0, 0, 0);
            for (uint32_t i = c->weights.begin[p]; i < c->weights.begin[p + 1]; ++i)
                at = v3_mad(at, c->weights.values[i], affine_point(&pose.skin[c->weights.joints[i]], c->mesh.points[p]));
            s.frames[(size_t)f * c->mesh.point_count + p] = at;
        }
    }
    return s;
}

static void free_shapes(shapes* s) { sup_arena_destroy(s->arena); }

static sup_decomposition fit(const shapes* s, sup_decompose_options options)
{
    sup_decomposition out;
    sup_error         error;
    assert_ok(sup_decompose(&s->in, &options, s->arena, &out, &error), error);
    return out;
}

static uint64_t hash_of(const sup_decomposition* d)
{
    size_t   held = (size_t)d->point_count * d->influences;
    uint64_t hash = sup_hash(SUP_HASH_START, d->bones, held * sizeof *d->bones);
    hash = sup_hash(hash, d->weights, held * sizeof *d->weights);
    hash = sup_hash(hash, d->heads, d->bone_count * sizeof *d->heads);
    return sup_hash(hash, d->motion, (size_t)d->frame_count * d->bone_count * sizeof *d->motion);
}

// ---------------------------------------------------------------------------------------------- claims

static void three_bodies_are_three_bones(void** state)
{
    (void)state;
    shapes            s = make_bodies(3, 5);
    sup_decomposition d = fit(&s, (sup_decompose_options){ .bones = 3 });
    assert_int_equal(d.bone_count, 3);
    assert_true(d.erms < 1e-3);
    for (uint32_t p = 0; p < d.point_count; ++p) {
        assert_int_equal(d.bones[p * d.influences], d.bones[p / 27 * 27 * d.influences]); // one bone a body
        assert_true(d.weights[p * d.influences] > 0.999f);
    }
    free_shapes(&s);
}

static void bones_that_explain_nothing_are_not_made(void** state)
{
    (void)state;
    shapes            s = make_bodies(3, 5);
    sup_decomposition d = fit(&s, (sup_decompose_options){ .bones = 12 });
    assert_int_equal(d.bone_count, 3);
    free_shapes(&s);
}

static void a_mirrored_body_is_turned_not_mirrored(void** state)
{
    (void)state;
    shapes s = make_bodies(1, 2);
    for (uint32_t p = 0; p < 27; ++p) s.frames[27 + p].x = -s.frames[27 + p].x;  // no rotation does that
    for (uint32_t p = 0; p < 27; ++p) s.frames[27 + p].y += p == 26 ? 0.25f : 0; // and the grid is not its own mirror image
    sup_decomposition d = fit(&s, (sup_decompose_options){ .bones = 1 });
    for (uint32_t f = 0; f < 2; ++f) {
        sup_affine m = affine_from_rotation(d.motion[f].rotation, d.motion[f].translation);
        assert_float_equal(affine_determinant(&m), 1.0f, 1e-5f);
    }
    free_shapes(&s);
}

static void a_bent_tube_has_its_joints_where_it_bends(void** state)
{
    (void)state;
    sup_character*    c = test_tube(31, 12, 3, 3, 0.2f); // joints at x = 0, 1, 2
    shapes            s = play(c, 9);
    sup_decomposition d = fit(&s, (sup_decompose_options){ .bones = 3 });
    assert_int_equal(d.bone_count, 3);
    assert_true(d.rms < 2e-3);
    uint32_t roots = 0;
    bool     found[2] = { false, false };
    for (uint32_t b = 0; b < 3; ++b) {
        if (d.parents[b] == SUP_NONE) {
            roots++;
            continue;
        }
        assert_true(d.parents[b] < b);
        for (int k = 0; k < 2; ++k) found[k] |= v3_length(v3_sub(d.heads[b], v3((float)(k + 1), 0, 0))) < 0.1f;
    }
    assert_int_equal(roots, 1);
    assert_true(found[0] && found[1]);

    d = fit(&s, (sup_decompose_options){ .bones = 3, .flat = true });
    for (uint32_t b = 0; b < 3; ++b) assert_int_equal(d.parents[b], SUP_NONE);
    free_shapes(&s);
    sup_character_destroy(c);
}

static void weights_are_convex_and_few(void** state)
{
    (void)state;
    sup_character* c = test_tube(31, 12, 5, 3, 0.2f);
    shapes         s = play(c, 6);
    for (uint32_t k = 1; k <= 3; ++k) {
        sup_decomposition d = fit(&s, (sup_decompose_options){ .bones = 5, .influences = k });
        assert_int_equal(d.influences, k);
        for (uint32_t p = 0; p < d.point_count; ++p) {
            double sum = 0;
            float  before = 1;
            for (uint32_t i = 0; i < k; ++i) {
                float w = d.weights[p * k + i];
                assert_true(w >= 0 && w <= before);
                assert_true(d.bones[p * k + i] < d.bone_count);
                before = w;
                sum += (double)w;
            }
            assert_true(fabs(sum - 1) < 1e-6);
        }
    }
    free_shapes(&s);
    sup_character_destroy(c);
}

static void more_influences_never_fit_worse(void** state)
{
    (void)state;
    sup_character*    c = test_tube(31, 12, 5, 3, 0.2f);
    shapes            s = play(c, 6);
    sup_decomposition one = fit(&s, (sup_decompose_options){ .bones = 5, .influences = 1 });
    sup_decomposition two = fit(&s, (sup_decompose_options){ .bones = 5, .influences = 2 });
    assert_true(two.erms < one.erms);
    free_shapes(&s);
    sup_character_destroy(c);
}

static void workers_change_no_bit_and_the_seed_does(void** state)
{
    (void)state;
    sup_character*    c = test_tube(61, 24, 5, 3, 0.2f);
    shapes            s = play(c, 11);
    sup_pool*         pool = sup_pool_create(4);
    sup_decomposition alone = fit(&s, (sup_decompose_options){ .bones = 4 });
    sup_decomposition many = fit(&s, (sup_decompose_options){ .bones = 4, .tasks = sup_pool_tasks(pool) });
    sup_decomposition seeded = fit(&s, (sup_decompose_options){ .bones = 4, .seed = 7 });
    sup_decomposition again = fit(&s, (sup_decompose_options){ .bones = 4, .seed = 7 });
    assert_true(hash_of(&alone) == hash_of(&many));
    assert_true(hash_of(&seeded) == hash_of(&again));
    assert_true(hash_of(&alone) != hash_of(&seeded));
    sup_pool_destroy(pool);
    free_shapes(&s);
    sup_character_destroy(c);
}

static void bones_are_added_until_the_error_is_reached(void** state)
{
    (void)state;
    sup_character*    c = test_tube(61, 12, 8, 4, 0.2f);
    shapes            s = play(c, 9);
    sup_decomposition few = fit(&s, (sup_decompose_options){ .bones = 2 });
    sup_decomposition enough = fit(&s, (sup_decompose_options){ .error = 1.0 });
    assert_true(few.erms > 1.0);
    assert_true(enough.erms <= 1.0);
    assert_true(enough.bone_count > 2 && enough.bone_count <= 9);
    sup_decomposition capped = fit(&s, (sup_decompose_options){ .error = 1e-9, .bones_max = 3 });
    assert_int_equal(capped.bone_count, 3);
    free_shapes(&s);
    sup_character_destroy(c);
}

// The largest difference of a weight between two ends of an edge.
static double steepest(const shapes* s, const sup_decomposition* d)
{
    double most = 0;
    for (uint32_t f = 0; f < s->in.face_count; ++f)
        for (uint32_t k = s->in.face_begin[f]; k + 1 < s->in.face_begin[f + 1]; ++k)
            for (uint32_t b = 0; b < d->bone_count; ++b) {
                double w[2] = { 0, 0 };
                for (uint32_t e = 0; e < 2; ++e)
                    for (uint32_t i = 0; i < d->influences; ++i) {
                        size_t at = (size_t)s->in.corners[k + e] * d->influences + i;
                        if (d->bones[at] == b) w[e] += (double)d->weights[at];
                    }
                if (fabs(w[0] - w[1]) > most) most = fabs(w[0] - w[1]);
            }
    return most;
}

static void smooth_weights_change_less_along_edges(void** state)
{
    (void)state;
    sup_character* c = test_tube(61, 12, 3, 3, 0.2f);
    shapes         s = play(c, 9);
    uint32_t       n = c->mesh.point_count;
    for (uint32_t i = 0; i < 9 * n; ++i) // shapes that no weights explain: noise of a thousandth, from a fixed sequence
        s.frames[i].y += 0.004f * ((float)(i * 2654435761u >> 16 & 0xff) / 255.0f - 0.5f);
    sup_decomposition rough = fit(&s, (sup_decompose_options){ .bones = 4 });
    sup_decomposition smooth = fit(&s, (sup_decompose_options){ .bones = 4, .smooth = 1 });
    assert_true(steepest(&s, &smooth) < 0.7 * steepest(&s, &rough));
    assert_true(smooth.erms < 3 * rough.erms);
    free_shapes(&s);
    sup_character_destroy(c);
}

static void a_fitted_character_plays_the_shapes(void** state)
{
    (void)state;
    sup_character*    c = test_tube(31, 12, 3, 3, 0.2f);
    shapes            s = play(c, 9);
    sup_decomposition d = fit(&s, (sup_decompose_options){ .bones = 3 });
    sup_character*    made = NULL;
    sup_error         error;
    sup_pose          pose;
    assert_ok(sup_decomposition_attach(c, &d, "fit", 24, NULL, NULL, &made, &error), error);
    assert_int_equal(made->skeleton.skin_joint_count, 3);
    assert_string_equal(made->clips[0].name, "fit");
    assert_float_equal((float)made->clips[0].seconds, 8.0f / 24.0f, 1e-6f);
    assert_ok(sup_pose_create(made, s.arena, &pose, &error), error);
    sup_pose_rest(made, &pose);
    for (uint32_t j = 0; j < made->skeleton.joint_count; ++j) // the rest pose is the rest shape
        for (int i = 0; i < 12; ++i) assert_float_equal(pose.skin[j].m[i / 4][i % 4], (i % 5 == 0 ? 1.0f : 0.0f), 1e-6f);
    for (uint32_t f = 0; f < 9; ++f) {
        sup_clip_sample(made, &made->clips[0], f / 24.0, &pose);
        for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
            sup_vec3 at = v3(0, 0, 0);
            for (uint32_t i = made->weights.begin[p]; i < made->weights.begin[p + 1]; ++i)
                at = v3_mad(at, made->weights.values[i],
                            affine_point(&pose.skin[made->weights.joints[i]], made->mesh.points[p]));
            assert_true((double)v3_length(v3_sub(at, s.frames[(size_t)f * c->mesh.point_count + p])) <= d.max + 1e-5);
        }
    }
    sup_character_destroy(made);
    free_shapes(&s);
    sup_character_destroy(c);
}

static void shapes_far_from_the_origin_fit_as_well(void** state)
{
    (void)state;
    sup_character*    c = test_tube(31, 12, 3, 3, 0.2f);
    shapes            s = play(c, 5);
    sup_decomposition near = fit(&s, (sup_decompose_options){ .bones = 3 });
    for (uint32_t i = 0; i < 5 * c->mesh.point_count; ++i) s.frames[i].z += 100.0f;
    sup_decomposition far = fit(&s, (sup_decompose_options){ .bones = 3 });
    assert_true(fabs(near.erms - far.erms) < 0.02);
    free_shapes(&s);
    sup_character_destroy(c);
}

static void fails(const shapes* s, sup_decompose_options options, const char* words)
{
    sup_decomposition out;
    sup_error         error = { 0 };
    assert_int_equal(sup_decompose(&s->in, &options, s->arena, &out, &error), SUP_ERROR_INPUT);
    if (!strstr(error.text, words)) fail_msg("'%s' does not say '%s'", error.text, words);
}

static void bad_input_is_named(void** state)
{
    (void)state;
    shapes s = make_bodies(1, 2);
    fails(&s, (sup_decompose_options){ .bones = 28 }, "28 bones are more than the 27 points");
    fails(&s, (sup_decompose_options){ .influences = 17 }, "17 influences are too many");
    fails(&s, (sup_decompose_options){ .error = NAN }, "must be 0 or more");
    s.frames[27 + 5].y = NAN;
    fails(&s, (sup_decompose_options){ .bones = 2 }, "point 5 of frame 2 is not a number");
    s.rest[3].x = INFINITY;
    fails(&s, (sup_decompose_options){ .bones = 2 }, "point 3 of the rest shape");
    s.in.frame_count = 1;
    fails(&s, (sup_decompose_options){ .bones = 2 }, "at least two");
    free_shapes(&s);
}

static void shapes_without_size_or_motion_survive(void** state)
{
    (void)state;
    shapes            s = make_shapes(5, 3); // all points at one place, and they stay there
    sup_decomposition d = fit(&s, (sup_decompose_options){ .bones = 2 });
    assert_int_equal(d.bone_count, 1);
    assert_true(d.max == 0);
    for (uint32_t p = 0; p < 5; ++p) s.frames[5 + p] = v3((float)p, 0, 0); // and torn apart, which no bone can do
    d = fit(&s, (sup_decompose_options){ .bones = 2 });
    assert_true(isfinite(d.erms));
    free_shapes(&s);
}

static bool stop(void* user, double fraction, const char* what)
{
    (void)fraction;
    assert_non_null(strstr(what, "E_RMS"));
    return --*(int*)user > 0;
}

static void a_fit_can_be_stopped(void** state)
{
    (void)state;
    shapes                s = make_bodies(3, 5);
    int                   left = 2;
    sup_progress          progress = { stop, &left };
    sup_decomposition     out;
    sup_error             error;
    sup_decompose_options options = { .bones = 2, .progress = &progress };
    assert_int_equal(sup_decompose(&s.in, &options, s.arena, &out, &error), SUP_ERROR_CANCELLED);
    free_shapes(&s);
}

typedef struct asked {
    uint32_t calls, stop; ///< stops at this call; 0: never
} asked;

static bool count_questions(void* user, double fraction, const char* what)
{
    asked* a = user;
    (void)fraction, (void)what;
    return ++a->calls != a->stop;
}

// Once for every bone that is laid, twice a round; and it ends at any question.
static void a_fit_asks_for_every_bone_and_half_a_round(void** state)
{
    (void)state;
    shapes            s = make_bodies(3, 5);
    uint32_t          calls = 1;
    sup_decomposition out = { 0 };
    for (uint32_t at = 0; at <= calls; ++at) {
        asked                 a = { .stop = at };
        sup_progress          progress = { count_questions, &a };
        sup_error             error;
        sup_decompose_options options = { .bones = 3, .rounds = 4, .progress = &progress };
        assert_int_equal(sup_decompose(&s.in, &options, s.arena, &out, &error), at ? SUP_ERROR_CANCELLED : SUP_OK);
        if (at == 0) calls = a.calls;
        if (at == 0) assert_true(calls >= 2 + 2 * out.rounds);
    }
    print_message("  asked %u times\n", calls);
    free_shapes(&s);
}

static void running_out_of_memory_is_reported(void** state)
{
    (void)state;
    shapes                s = make_bodies(2, 3);
    sup_decompose_options options = { .bones = 2, .rounds = 1 };
    for (test_starved limited = { 0 }; test_starve(&limited);) {
        sup_arena*        arena = sup_arena_create(&limited.memory.allocator);
        sup_decomposition out;
        sup_error         error;
        if (arena) limited.result = sup_decompose(&s.in, &options, arena, &out, &error);
        sup_arena_destroy(arena);
    }
    free_shapes(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_bodies_are_three_bones),
        cmocka_unit_test(bones_that_explain_nothing_are_not_made),
        cmocka_unit_test(a_mirrored_body_is_turned_not_mirrored),
        cmocka_unit_test(a_bent_tube_has_its_joints_where_it_bends),
        cmocka_unit_test(weights_are_convex_and_few),
        cmocka_unit_test(more_influences_never_fit_worse),
        cmocka_unit_test(workers_change_no_bit_and_the_seed_does),
        cmocka_unit_test(bones_are_added_until_the_error_is_reached),
        cmocka_unit_test(smooth_weights_change_less_along_edges),
        cmocka_unit_test(a_fitted_character_plays_the_shapes),
        cmocka_unit_test(shapes_far_from_the_origin_fit_as_well),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(shapes_without_size_or_motion_survive),
        cmocka_unit_test(a_fit_can_be_stopped),
        cmocka_unit_test(a_fit_asks_for_every_bone_and_half_a_round),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

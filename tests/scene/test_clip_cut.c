#include "scene/small.h"

#include "math/vec.h"

#include <math.h>
#include <string.h>

enum { KEYS = 7, MORPHS = 2 };

// Two joints and a part with two morphs; a channel of every kind moves the second joint or the morphs.
typedef struct scene {
    small          s;
    sup_vec3       deltas[6];
    sup_morph_desc morphs[MORPHS];
    sup_character* c;
    sup_pose       a, b;
    uint64_t       seed;
} scene;

static double chance(scene* t)
{
    t->seed = t->seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(t->seed >> 11) / 9007199254740992.0;
}

static void scene_make(scene* t)
{
    memset(t, 0, sizeof *t);
    small_init(&t->s);
    t->s.desc.joints = t->s.joints;
    t->s.desc.joint_count = 2;
    t->s.part.joint = 0;
    for (int i = 0; i < MORPHS; ++i) t->morphs[i] = (sup_morph_desc){ .name = i ? "b" : "a", .deltas = t->deltas };
    t->s.part.morphs = t->morphs;
    t->s.part.morph_count = MORPHS;
    t->c = small_make(&t->s);
    assert_ok(sup_pose_create(t->c, t->c->arena, &t->a, &t->s.error), t->s.error);
    assert_ok(sup_pose_create(t->c, t->c->arena, &t->b, &t->s.error), t->s.error);
}

// Keys at uneven times from 0.5 s on; rotations of unit length, a third of a turn apart at most, with wild tangents.
static sup_channel any_channel(scene* t, sup_path path, sup_interpolation interpolation, float times[KEYS], float* values)
{
    uint32_t width = path == SUP_PATH_ROTATION ? 4 : path == SUP_PATH_WEIGHTS ? MORPHS : 3;
    uint32_t rows = interpolation == SUP_INTERPOLATE_CUBIC ? 3 : 1;
    for (int k = 0; k < KEYS; ++k) times[k] = (float)(0.5 + k * 0.6 + 0.4 * chance(t));
    for (uint32_t i = 0; i < KEYS * rows * width; ++i) values[i] = (float)(2 * chance(t) - 1);
    sup_quat turned = { 0, 0, 0, 1 };
    for (uint32_t k = 0; k < KEYS && path == SUP_PATH_ROTATION; ++k) {
        sup_vec3 axis = v3_normalize(v3((float)chance(t), (float)chance(t), (float)chance(t) - 0.5f), v3(1, 0, 0));
        turned = quat_normalize(quat_mul(turned, quat_axis_angle(axis, (float)(2 * chance(t)))));
        memcpy(values + (rows == 3 ? 12 * k + 4 : 4 * k), &turned, sizeof turned);
    }
    return (sup_channel){ path == SUP_PATH_WEIGHTS ? 0 : 1, path, interpolation, KEYS, width, times, values };
}

// Largest difference of any number of the moved joint, or of the morph weights; a rotation and its negative are one.
static double difference(const sup_pose* a, const sup_pose* b)
{
    const sup_transform *x = &a->local[1], *y = &b->local[1];
    double               worst = fmax(v3_distance(x->translation, y->translation), v3_distance(x->scale, y->scale));
    float                sign = quat_dot(x->rotation, y->rotation) < 0 ? -1.0f : 1.0f;
    const float *        p = &x->rotation.x, *q = &y->rotation.x;
    for (int i = 0; i < 4; ++i) worst = fmax(worst, fabs((double)p[i] - (double)(sign * q[i])));
    for (int i = 0; i < MORPHS; ++i) worst = fmax(worst, fabs((double)a->morph_weights[i] - (double)b->morph_weights[i]));
    return worst;
}

// Steps jump, and floats cannot say exactly when.
static bool near_a_key(const sup_channel* c, double time)
{
    for (uint32_t k = 0; k < c->key_count; ++k)
        if (fabs(time - (double)c->times[k]) < 1e-6) return true;
    return false;
}

static double cut_error(scene* t, const sup_channel* channel, double start, double end)
{
    sup_clip whole = { .name = "Walk", .seconds = (double)channel->times[KEYS - 1], .channel_count = 1, .channels = channel };
    sup_clip part;
    assert_ok(sup_clip_cut(&whole, start, end, t->c->arena, &part, &t->s.error), t->s.error);
    const sup_channel* cut = part.channels;
    assert_true(part.seconds == end - start);
    assert_true(cut->key_count >= 1 && cut->times[0] >= 0);
    assert_true((double)cut->times[cut->key_count - 1] <= (double)(float)(end - start));
    for (uint32_t k = 1; k < cut->key_count; ++k) assert_true(cut->times[k] > cut->times[k - 1]);
    double worst = 0;
    for (int i = 0; i <= 200; ++i) {
        double at = (end - start) * i / 200;
        if (channel->interpolation == SUP_INTERPOLATE_STEP && near_a_key(channel, start + at)) continue;
        sup_clip_sample(t->c, &whole, start + at, &t->a);
        sup_clip_sample(t->c, &part, at, &t->b);
        worst = fmax(worst, difference(&t->a, &t->b));
    }
    return worst;
}

// Kinds of channels x parts: inside one segment, over several, from a key to a key, before, behind and around all keys.
static void a_part_plays_as_the_whole_did(void** state)
{
    (void)state;
    scene t;
    scene_make(&t);
    double worst = 0;
    for (int round = 0; round < 40; ++round)
        for (int path = SUP_PATH_TRANSLATION; path <= SUP_PATH_WEIGHTS; ++path)
            for (int how = SUP_INTERPOLATE_LINEAR; how <= SUP_INTERPOLATE_CUBIC; ++how) {
                float        times[KEYS], values[KEYS * 12];
                sup_channel  c = any_channel(&t, (sup_path)path, (sup_interpolation)how, times, values);
                double       x = 5 * chance(&t), y = 5 * chance(&t), first = (double)times[0], last = (double)times[KEYS - 1];
                const double parts[][2] = { { fmin(x, y), fmax(x, y) },
                                            { (double)times[2], (double)times[4] },
                                            { (double)times[2] + 0.05, (double)times[2] + 0.15 },
                                            { 0, first / 2 },
                                            { first, last },
                                            { last + 1, last + 2 },
                                            { first / 2, last + 1 },
                                            { (double)times[1], (double)times[1] },
                                            { x, x } };
                for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
                    worst = fmax(worst, cut_error(&t, &c, parts[i][0], parts[i][1]));
            }
    print_message("farthest from the whole: %.1e\n", worst);
    assert_true(worst < 3e-6); // times are floats: 2.4e-7 s at 4 s, at a few units a second
    sup_character_destroy(t.c);
}

// x(t) = t^3 - t over 0 to 2 by two keys.
static const float       cubic_times[2] = { 0, 2 };
static const float       cubic_values[18] = { 0, 0, 0, 0, 0, 0, -1, 0, 0, 11, 0, 0, 6, 0, 0, 0, 0, 0 };
static const sup_channel cubic = { 1, SUP_PATH_TRANSLATION, SUP_INTERPOLATE_CUBIC, 2, 3, cubic_times, cubic_values };

// Its part from 0.5 to 1 has the values and slopes of the formula.
static void a_cubic_is_cut_as_algebra_says(void** state)
{
    (void)state;
    sup_channel cut;
    sup_arena*  arena = sup_arena_create(NULL);
    sup_error   error;
    assert_ok(sup_channel_cut(&cubic, 0.5, 1, arena, &cut, &error), error);
    assert_int_equal(cut.key_count, 2);
    assert_float_equal(cut.times[1], 0.5f, 0);
    assert_float_equal(cut.values[3], -0.375f, 0);  // 1/8 - 1/2
    assert_float_equal(cut.values[6], -0.25f, 0);   // 3/4 - 1
    assert_float_equal(cut.values[9], 2.0f, 0);     // 3 - 1
    assert_float_equal(cut.values[9 + 3], 0.0f, 0); // 1 - 1
    sup_arena_destroy(arena);
}

static void an_instant_is_one_key_and_no_spline(void** state)
{
    (void)state;
    sup_channel cut;
    sup_arena*  arena = sup_arena_create(NULL);
    sup_error   error;
    assert_ok(sup_channel_cut(&cubic, 1.5, 1.5, arena, &cut, &error), error);
    assert_int_equal(cut.key_count, 1);
    assert_int_equal(cut.interpolation, SUP_INTERPOLATE_STEP);
    assert_float_equal(cut.values[0], 1.875f, 0);
    sup_arena_destroy(arena);
}

static void steps_hold_what_came_before_the_part(void** state)
{
    (void)state;
    static const float times[3] = { 1, 2, 3 }, values[9] = { 1, 0, 0, 2, 0, 0, 3, 0, 0 };
    sup_channel        c = { 1, SUP_PATH_SCALE, SUP_INTERPOLATE_STEP, 3, 3, times, values }, cut;
    sup_arena*         arena = sup_arena_create(NULL);
    sup_error          error;
    assert_ok(sup_channel_cut(&c, 1.5, 2.5, arena, &cut, &error), error);
    assert_int_equal(cut.key_count, 2);
    assert_float_equal(cut.times[0], 0, 0);
    assert_float_equal(cut.values[0], 1, 0);
    assert_float_equal(cut.times[1], 0.5f, 0);
    assert_float_equal(cut.values[3], 2, 0);
    sup_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_plays_as_the_whole_did),
        cmocka_unit_test(a_cubic_is_cut_as_algebra_says),
        cmocka_unit_test(an_instant_is_one_key_and_no_spline),
        cmocka_unit_test(steps_hold_what_came_before_the_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

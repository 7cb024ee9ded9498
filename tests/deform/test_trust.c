// Corrections between two sculpts: trusted as far as the pose lies between theirs, and swinging only where there are any.
#include "sculpted.h"

static uint32_t joint_of(const sup_character* c, const char* name)
{
    for (uint32_t j = 0; j < c->skeleton.joint_count; ++j)
        if (strcmp(c->skeleton.joints[j].name, name) == 0) return j;
    fail_msg("the arm has no joint '%s'", name);
    return 0;
}

/// Mean size of what the links add to linear skinning, over points left (or right) of x.
static double added(const sculpted* s, const sup_clip* clip, const char* links, double time, float x, bool right)
{
    play p = play_chain((sup_chain_desc){ .character = &s->character, .clip = clip, .links = links },
                        (sup_instance_desc){ .clip = clip }),
         plain = play_chain((sup_chain_desc){ .character = &s->character, .clip = clip, .links = "linear" },
                            (sup_instance_desc){ .clip = clip });
    double   sum = 0;
    uint32_t count = 0;
    play_hash(&p, time), play_hash(&plain, time);
    for (uint32_t i = 0; i < p.points; ++i) {
        if ((s->arm->mesh.points[i].x > x) != right) continue;
        sum += (double)v3_distance(p.out[i], plain.out[i]);
        ++count;
    }
    play_end(&p), play_end(&plain);
    return sum / count;
}

static void half_way_between_two_sculpts_nothing_is_lost(void** state)
{
    (void)state;
    static const char* const names[] = { "beam(sway=0", "fourier(sway=0,ramp=smoothstep" };
    sculpted*                s = sculpt(600, 2, 0, 1);
    for (int i = 0; i < 2; ++i) {
        char with[64], without[64];
        sup_format(with, sizeof with, "%s)", names[i]), sup_format(without, sizeof without, "%s,trust=0)", names[i]);
        for (int k = 1; k < 8; ++k) {
            double a = added(s, &s->clip, with, k / 8.0, -1e9f, true), b = added(s, &s->clip, without, k / 8.0, -1e9f, true);
            assert_true(b > 1e-3 && fabs(a / b - 1) < 0.02);
        }
    }
    sculpted_end(s);
}

/// The flex of the elbow, during which the joint bends aside by `angle` and comes back.
static sup_clip bent_aside(const sculpted* s, const char* joint, sup_channel* channels, float* values, float angle)
{
    static const float times[] = { 0, 0.5f, 1 };
    sup_clip           clip = s->clip;
    uint32_t           hand = joint_of(s->arm, joint), n = clip.channel_count, used = 0;
    sup_quat           rest = s->arm->skeleton.joints[hand].rest.rotation;
    sup_quat           turned = quat_mul(rest, quat(0, 0, sinf(angle / 2), cosf(angle / 2)));
    for (uint32_t i = 0; i < n; ++i)
        if (clip.channels[i].target != hand || clip.channels[i].path != SUP_PATH_ROTATION) channels[used++] = clip.channels[i];
    for (int k = 0; k < 3; ++k) {
        sup_quat q = k == 1 ? turned : rest;
        values[4 * k] = q.x, values[4 * k + 1] = q.y, values[4 * k + 2] = q.z, values[4 * k + 3] = q.w;
    }
    channels[used++] = (sup_channel){
        .target = hand, .path = SUP_PATH_ROTATION, .key_count = 3, .width = 4, .times = times, .values = values
    };
    clip.channels = channels;
    clip.channel_count = used;
    return clip;
}

// Nobody sculpted what the hand does between the sculpts: its corrections fade, those of the upper arm do not.
static void beside_the_way_corrections_fade_where_the_joint_is(void** state)
{
    (void)state;
    static const char* const names[] = { "beam(sway=0", "fourier(sway=0" };
    for (int i = 0; i < 2; ++i) {
        sculpted*    s = sculpt(600, 2, 0, 1);
        sup_channel* channels = calloc(s->clip.channel_count + 1, sizeof *channels);
        float        values[12];
        sup_clip     clip = bent_aside(s, "hand", channels, values, 1.2f);
        char         with[64], without[64];
        sup_format(with, sizeof with, "%s)", names[i]), sup_format(without, sizeof without, "%s,trust=0)", names[i]);
        double far = added(s, &clip, with, 0.5, 0.6f, true) / added(s, &clip, without, 0.5, 0.6f, true);
        double near = added(s, &clip, with, 0.5, 0.15f, false) / added(s, &s->clip, with, 0.5, 0.15f, false);
        double end = added(s, &clip, with, 1, 0.6f, true) / added(s, &clip, without, 1, 0.6f, true);
        print_message("  %s: the hand keeps %.3f, the upper arm %.3f, at the sculpt %.6f\n", with, far, near, end);
        assert_true(far < 0.2 && fabs(near - 1) < 0.02 && fabs(end - 1) < 1e-5);
        free(channels), sculpted_end(s);
    }
}

// Both sculpts are at rest, and the elbow bends between them: the skin of the shoulder, which no joint of its own moves, cannot
// tell why it was sculpted. It considers the neighboring joints, and those beyond the elbow are far enough away.
static void skin_whose_joints_stand_still_looks_at_those_beside(void** state)
{
    (void)state;
    sculpted*    s = sculpt(600, 2, 0, 1);
    sup_channel* channels = calloc(s->clip.channel_count + 1, sizeof *channels);
    float        values[12];
    const char*  joints[] = { "forearm", "hand" };
    double       kept[2];
    for (int i = 0; i < 2; ++i) {
        sup_clip none = { .name = "flex", .seconds = 1, .source_id = SUP_NONE }, keep = s->clip;
        s->clip = none;
        sup_clip clip = bent_aside(s, joints[i], channels, values, 1.2f);
        kept[i] =
            added(s, &clip, "beam(sway=0)", 0.5, -0.02f, false) / added(s, &clip, "beam(sway=0,trust=0)", 0.5, -0.02f, false);
        s->clip = keep;
    }
    print_message("  the shoulder keeps %.3f while the elbow bends, %.3f while the hand does\n", kept[0], kept[1]);
    assert_true(kept[0] < 0.5 && kept[1] > 0.98);
    free(channels), sculpted_end(s);
}

/// A clip in which a joint turns about z by these angles, a quarter of a second apart.
static sup_clip turned_arm(const sculpted* s, const char* name, const float angles[5], sup_channel* channel, float values[20])
{
    static const float times[] = { 0, 0.25f, 0.5f, 0.75f, 1 };
    sup_clip           clip = s->clip;
    uint32_t           joint = joint_of(s->arm, name);
    for (int k = 0; k < 5; ++k) {
        sup_quat turn = quat(0, 0, sinf(angles[k] / 2), cosf(angles[k] / 2));
        sup_quat q = quat_mul(s->arm->skeleton.joints[joint].rest.rotation, turn);
        values[4 * k] = q.x, values[4 * k + 1] = q.y, values[4 * k + 2] = q.z, values[4 * k + 3] = q.w;
    }
    *channel = (sup_channel){ joint, SUP_PATH_ROTATION, .key_count = 5, .width = 4, .times = times, .values = values };
    clip.channels = channel, clip.channel_count = 1;
    return clip;
}

/// What the hand keeps between three sculpts of which the middle one is pushed the other way where `against`.
static double kept_of_three(const char* joint, float angle, bool against)
{
    float       angles[] = { 0, -angle, angle, -angle, 0 }, values[20];
    sculpted*   s = sculpt_on(600, 3, 0, 1, true);
    sup_channel channel;
    sup_clip    clip = turned_arm(s, joint, angles, &channel, values);
    play        p = play_chain((sup_chain_desc){ .character = s->arm, .clip = &clip, .links = "linear" },
                               (sup_instance_desc){ .clip = &clip });
    for (uint32_t j = 0; j < 3; ++j) {
        play_hash(&p, j / 2.0);
        float by = j == 1 && against ? -0.01f : 0.01f;
        for (uint32_t i = 0; i < p.points; ++i) s->points[j][i] = v3_add(p.out[i], v3(0, 0, by));
    }
    play_end(&p);
    double kept = added(s, &clip, "beam(sway=0)", 0.15, 0.6f, true) / added(s, &clip, "beam(sway=0,trust=0)", 0.15, 0.6f, true);
    sculpted_end(s);
    return kept;
}

// The upper arm turns to one side at the middle sculpt, and to the other halfway to it. No joint that the hand's skin considers
// moves. Sculpts that agree are trusted there anyway; where the middle one contradicts its neighbors, the whole pose counts,
// and nobody sculpted this one. Where the hand itself rotates too far to predict anything, only trust is lost.
static void sculpts_that_contradict_each_other_look_at_the_whole_pose(void** state)
{
    (void)state;
    double agree = kept_of_three("upper_arm", 0.8f, false), against = kept_of_three("upper_arm", 0.8f, true);
    double far = kept_of_three("hand", 3, true);
    print_message("  the hand keeps %.3f of sculpts that agree, %.3f of those that do not, %.3f far away\n", agree, against,
                  far);
    assert_true(agree > 0.98 && against < 0.5 && far >= 0 && far <= 1);
}

// Driven by the pose, as in a live host: on the way between the sculpts all of them, with the hand bent aside none of it there.
static void live_poses_are_trusted_likewise(void** state)
{
    (void)state;
    static const char* const names[] = { "beam(sway=0", "fourier(sway=0", "bend(turning=on", "pose_space(turning=on" };
    for (int i = 0; i < 4; ++i) {
        sculpted*    s = sculpt(600, 2, 0, 1);
        sup_channel* channels = calloc(s->clip.channel_count + 1, sizeof *channels);
        float        values[12];
        sup_clip     clip = bent_aside(s, "hand", channels, values, 1.2f), same = s->clip;
        char         with[64], without[64];
        clip.name = same.name = "live"; // no sculpt belongs to it
        s->character.clips = &s->clip, s->character.clip_count = 1;
        for (uint32_t e = 0; e < s->character.example_count; ++e) ((sup_example*)s->character.examples)[e].clip = s->clip.name;
        sup_format(with, sizeof with, "%s)", names[i]), sup_format(without, sizeof without, "%s,trust=0)", names[i]);
        double on = added(s, &same, with, 0.5, -1e9f, true) / added(s, &same, without, 0.5, -1e9f, true);
        double far = added(s, &clip, with, 0.5, 0.6f, true) / added(s, &clip, without, 0.5, 0.6f, true);
        print_message("  %s: on the way %.3f, the hand keeps %.3f\n", with, on, far);
        assert_true(fabs(on - 1) < 0.02 && far < 0.2);
        free(channels), sculpted_end(s);
    }
}

/// The largest distance of the dynamic skin from the static one: over points that the sculpts change, and over the others.
static void swing_of(const sculpted* s, const char* dynamic, const char* still, double* in, double* out)
{
    play a = sculpted_play(s, dynamic), b = sculpted_play(s, still);
    *in = *out = 0;
    for (int f = 1; f < 16; ++f) {
        play_hash(&a, f / 16.0), play_hash(&b, f / 16.0);
        for (uint32_t i = 0; i < a.points; ++i) {
            sup_vec3 rest = s->arm->mesh.points[i];
            double   d = (double)v3_distance(a.out[i], b.out[i]);
            double*  to = v3_distance(s->points[1][i], rest) > 0 ? in : out;
            *to = fmax(*to, d);
        }
    }
    play_end(&a), play_end(&b);
}

// A bump on one side of the arm, 30 mm high: the other side stands still, and no point goes farther than the bump is high.
static void a_bump_swings_where_it_is_and_nowhere_else(void** state)
{
    (void)state;
    static const char* const names[] = { "beam(", "beam(way=around,", "beam(start=rest,", "fourier(", "fourier(way=along," };
    static const char* const cycles[] = { "0.05", "0.5", "1", "4" };
    for (size_t k = 0; k < SUP_COUNT_OF(names); ++k) {
        double most = 0;
        for (size_t c = 0; c < SUP_COUNT_OF(cycles); ++c) {
            sculpted* s = sculpt_on(1200, 2, 0, 1, true);
            char      dynamic[96], still[96];
            for (uint32_t i = 0; i < s->arm->mesh.point_count; ++i) {
                sup_vec3 rest = s->arm->mesh.points[i];
                float    d = (rest.x - 0.2f) / 0.08f, bump = rest.y > 0 && fabsf(d) < 1 ? 0.03f * (1 - d * d) * (1 - d * d) : 0;
                s->points[0][i] = rest;
                s->points[1][i] = v3_add(rest, v3(0, bump, 0));
            }
            sup_format(dynamic, sizeof dynamic, "%scycles=%s,damping=0.05)", names[k], cycles[c]);
            sup_format(still, sizeof still, "%scycles=%s,sway=0)", names[k], cycles[c]);
            double in, out;
            swing_of(s, dynamic, still, &in, &out);
            most = fmax(most, in);
            if (!(out <= 0.01 * 0.03) || !(in < 0.75 * 0.03))
                fail_msg("%s: the bump swings by %.2f mm, the rest by %.3f", dynamic, 1000 * in, 1000 * out);
            sculpted_end(s);
        }
        print_message("  %s...): the bump swings by up to %.1f mm\n", names[k], 1000 * most);
        assert_true(most > 1e-3);
    }
}

// A new user sees lag with the defaults, and the sculpts stay exact.
static void the_soft_preset_is_seen_and_exact(void** state)
{
    (void)state;
    static const char* const names[] = { "beam", "fourier" };
    for (int k = 0; k < 2; ++k) {
        char            soft[64], still[64];
        sup_character*  c = test_builtin("arm", 1200);
        const sup_clip* clip = sup_character_clip(c, "flex");
        sup_format(soft, sizeof soft, "%s(preset=soft)", names[k]), sup_format(still, sizeof still, "%s(sway=0)", names[k]);
        play a = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = soft },
                            (sup_instance_desc){ .clip = clip }),
             b = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = still },
                            (sup_instance_desc){ .clip = clip });
        double most = 0, end = 0;
        for (int f = 0; f <= 10; ++f) {
            play_hash(&a, f / 10.0), play_hash(&b, f / 10.0);
            for (uint32_t i = 0; i < a.points; ++i) {
                double d = (double)v3_distance(a.out[i], b.out[i]);
                most = fmax(most, d);
                if (f % 10 == 0) end = fmax(end, d);
            }
        }
        print_message("  %s: %.1f mm from the static skin, %.1e at the sculpts\n", soft, 1000 * most, end);
        assert_true(most > 0.004 && end < 1e-6);
        play_end(&a), play_end(&b), sup_character_destroy(c);
    }
}

// After the last sculpt it keeps swinging and comes to rest: by at most half of what was sculpted, and by a tenth of it after
// two and a half seconds.
static void the_soft_preset_comes_to_rest(void** state)
{
    (void)state;
    static const char* const names[] = { "beam", "fourier" };
    for (int k = 0; k < 2; ++k) {
        char            soft[64], none[64];
        sup_character*  c = test_builtin("arm", 1200);
        const sup_clip* clip = sup_character_clip(c, "flex");
        sup_format(soft, sizeof soft, "%s(preset=soft)", names[k]), sup_format(none, sizeof none, "%s(strength=0)", names[k]);
        play a = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = soft },
                            (sup_instance_desc){ .clip = clip }),
             b = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = none },
                            (sup_instance_desc){ .clip = clip });
        sup_vec3* end = malloc(a.points * sizeof *end);
        assert_non_null(end);
        play_hash(&a, clip->seconds), play_hash(&b, clip->seconds);
        memcpy(end, a.out, a.points * sizeof *end);
        double sculpted_most = 0, swings = 0, later = 0;
        for (uint32_t i = 0; i < a.points; ++i) sculpted_most = fmax(sculpted_most, (double)v3_distance(end[i], b.out[i]));
        for (int f = 1; f <= 60; ++f) {
            play_hash(&a, clip->seconds + f / 10.0);
            double most = 0;
            for (uint32_t i = 0; i < a.points; ++i) most = fmax(most, (double)v3_distance(a.out[i], end[i]));
            if (f < 25) swings = fmax(swings, most);
            else later = fmax(later, most);
        }
        print_message("  %s: sculpts add %.1f mm, behind them the skin swings by %.1f, after 2.5 s by %.1f\n", soft,
                      1000 * sculpted_most, 1000 * swings, 1000 * later);
        assert_true(swings > 0.05 * sculpted_most && swings < 0.5 * sculpted_most && later < 0.1 * sculpted_most);
        free(end);
        play_end(&a), play_end(&b), sup_character_destroy(c);
    }
}

// It also swings between several sculpts, as of a walk; the rings of fourier, with prescribed rates and only slow waves, hardly
// do where sculpts follow each other as smoothly as these. No point moves farther than they change it.
static void the_soft_preset_is_seen_between_several_sculpts(void** state)
{
    (void)state;
    static const char* const names[] = { "beam", "fourier" };
    for (int k = 0; k < 2; ++k) {
        sculpted* s = sculpt(1200, 5, 0, 1);
        char      soft[64], still[64], none[64];
        sup_format(soft, sizeof soft, "%s(preset=soft)", names[k]), sup_format(still, sizeof still, "%s(sway=0)", names[k]);
        sup_format(none, sizeof none, "%s(strength=0)", names[k]);
        play   a = sculpted_play(s, soft), b = sculpted_play(s, still), c = sculpted_play(s, none);
        double most = 0, sculpted_most = 0, at_sculpts = 0;
        for (int f = 0; f <= 32; ++f) {
            play_hash(&a, f / 32.0), play_hash(&b, f / 32.0), play_hash(&c, f / 32.0);
            for (uint32_t i = 0; i < a.points; ++i) {
                double d = (double)v3_distance(a.out[i], b.out[i]);
                most = fmax(most, d), sculpted_most = fmax(sculpted_most, (double)v3_distance(b.out[i], c.out[i]));
                if (f % 8 == 0) at_sculpts = fmax(at_sculpts, d);
            }
        }
        print_message("  %s: %.1f mm from the static skin where sculpts add %.1f, %.1e at the sculpts\n", soft, 1000 * most,
                      1000 * sculpted_most, at_sculpts);
        assert_true(most > (k ? 0.01 : 0.1) * sculpted_most && most < sculpted_most && at_sculpts < 1e-6);
        play_end(&a), play_end(&b), play_end(&c), sculpted_end(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_way_between_two_sculpts_nothing_is_lost),
        cmocka_unit_test(beside_the_way_corrections_fade_where_the_joint_is),
        cmocka_unit_test(skin_whose_joints_stand_still_looks_at_those_beside),
        cmocka_unit_test(sculpts_that_contradict_each_other_look_at_the_whole_pose),
        cmocka_unit_test(live_poses_are_trusted_likewise),
        cmocka_unit_test(a_bump_swings_where_it_is_and_nowhere_else),
        cmocka_unit_test(the_soft_preset_is_seen_and_exact),
        cmocka_unit_test(the_soft_preset_comes_to_rest),
        cmocka_unit_test(the_soft_preset_is_seen_between_several_sculpts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

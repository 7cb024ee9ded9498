// The runner's clock, proved with springs: frame rate, seeking, loops and hosts never change the result.
#include "play.h"

#include <math.h>

static sup_character* tube(void) { return test_tube(12, 8, 3, 1.0f, 0.1f); }

static play play_clip(const sup_character* c, const char* links, bool loop)
{
    return play_chain((sup_chain_desc){ .character = c, .clip = &c->clips[0], .links = links },
                      (sup_instance_desc){ .clip = &c->clips[0], .loop = loop, .preroll = -1 });
}

static void frame_rates_agree_where_their_times_coincide(void** state)
{
    (void)state;
    sup_character* c = tube();
    uint64_t       half[3], third[3];
    const double   rates[] = { 24, 30, 60 };
    for (int r = 0; r < 3; ++r) {
        play p = play_clip(c, "spring", false);
        for (uint32_t f = 0; f < sup_frame_count(0, 1, rates[r], false); ++f) {
            double   time = sup_frame_time(0, rates[r], f);
            uint64_t hash = play_hash(&p, time);
            if (time == 0.5) half[r] = hash;
            if (time == 1.0 / 3.0) third[r] = hash;
        }
        play_end(&p);
    }
    assert_true(half[0] == half[1] && half[1] == half[2]);
    assert_true(third[0] == third[1] && third[1] == third[2]);
    assert_true(half[0] != third[0]);
    sup_character_destroy(c);
}

static void seeking_gives_the_same_bits_as_playing(void** state)
{
    (void)state;
    sup_character* c = tube();
    play           p = play_clip(c, "spring,shift", false);
    uint64_t       played[41];
    for (int f = 0; f <= 40; ++f) played[f] = play_hash(&p, f / 40.0);
    const int order[] = { 7, 40, 0, 39, 1, 20, 19, 21, 3, 33, 40, 0 };
    for (uint32_t i = 0; i < SUP_COUNT_OF(order); ++i) assert_true(play_hash(&p, order[i] / 40.0) == played[order[i]]);
    play_end(&p);
    play fresh = play_clip(c, "spring,shift", false);
    assert_true(play_hash(&fresh, 33 / 40.0) == played[33]);
    play_end(&fresh);
    sup_character_destroy(c);
}

static void steps_taken_ahead_give_the_same_bits(void** state)
{
    (void)state;
    sup_character* c = tube();
    for (int loop = 0; loop < 2; ++loop) {
        play     p = play_clip(c, "spring,shift", loop), q = play_clip(c, "spring,shift", loop);
        uint32_t calls = 1;
        uint64_t wanted = play_hash(&p, 0.5);
        while (!sup_instance_advance(q.instance, 0.5, 7, q.scratch, NULL)) ++calls;
        // Steps of 5 ms: 100 of pre-roll, 100 to half a second, and 200 more for the first pass of a loop.
        assert_int_equal(calls, loop ? 58 : 29);
        assert_true(play_hash(&q, 0.5) == wanted);
        // A pose alone moves no step.
        assert_true(sup_instance_advance(q.instance, 0.5, 0, q.scratch, NULL));
        sup_instance_show_pose(q.instance, 0.25);
        sup_instance_show_pose(q.instance, 0.75);
        assert_true(sup_instance_advance(q.instance, 0.5, 0, q.scratch, NULL));
        assert_true(play_hash(&q, 0.5) == wanted);
        play_end(&p);
        play_end(&q);
    }
    sup_character_destroy(c);
}

static void seeking_back_costs_few_steps_even_far_into_a_clip(void** state)
{
    (void)state;
    sup_character* c = tube();
    // Three snapshots for 2000 steps: the spacing doubles and the bits stay.
    play     p = play_chain((sup_chain_desc){ .character = c, .links = "spring" },
                            (sup_instance_desc){ .clip = &c->clips[0], .end = 10, .snapshots = 3 });
    uint64_t early = play_hash(&p, 2.345), late = play_hash(&p, 10);
    assert_true(play_hash(&p, 2.345) == early);
    assert_true(play_hash(&p, 10) == late);
    play_end(&p);
    sup_character_destroy(c);
}

static void spring_starts_at_rest_after_preroll(void** state)
{
    (void)state;
    sup_character* c = tube();
    // Gravity sags by g / k = 9.80665 / 600 = 16.34 mm; the pre-roll has let it settle there before the first frame.
    play p = play_chain((sup_chain_desc){ .character = c, .links = "spring" },
                        (sup_instance_desc){ .clip = &c->clips[0], .preroll = 3 });
    play_hash(&p, 0);
    for (uint32_t i = 0; i < p.points; ++i) {
        assert_float_equal(p.out[i].y - c->mesh.points[i].y, -9.80665f / 600.0f, 2e-5f);
        assert_float_equal(p.out[i].x, c->mesh.points[i].x, 1e-6f);
    }
    play_end(&p);
    sup_character_destroy(c);
}

static void points_lag_behind_a_moving_limb(void** state)
{
    (void)state;
    sup_character* c = tube();
    play           p = play_clip(c, "spring(gravity=0)", false), skin = play_clip(c, "linear", false);
    play_hash(&p, 0.5);
    play_hash(&skin, 0.5);
    float most = 0;
    for (uint32_t i = 0; i < p.points; ++i) most = fmaxf(most, v3_distance(p.out[i], skin.out[i]));
    assert_true(most > 1e-3f && most < 0.2f);
    // Long after the end of the motion it has caught up.
    play_hash(&p, 8);
    play_hash(&skin, 8);
    for (uint32_t i = 0; i < p.points; ++i) assert_true(v3_distance(p.out[i], skin.out[i]) < 1e-4f);
    play_end(&p), play_end(&skin);
    sup_character_destroy(c);
}

// A clip that swings and returns, so that it loops in pose while the springs still move at its end.
static sup_clip swinging(sup_channel* channels, bool traveling)
{
    static const float times[] = { 0, 0.25f, 0.5f };
    static const float turns[] = { 0, 0, 0, 1, 0, 0, 0.5f, 0.8660254f, 0, 0, 0, 1 };
    static const float root_times[] = { 0, 0.5f };
    static const float root_moves[] = { 0, 0, 0, 3, 0, 0 };
    channels[0] =
        (sup_channel){ .target = 1, .path = SUP_PATH_ROTATION, .key_count = 3, .width = 4, .times = times, .values = turns };
    channels[1] = (sup_channel){
        .target = 0, .path = SUP_PATH_TRANSLATION, .key_count = 2, .width = 3, .times = root_times, .values = root_moves
    };
    return (sup_clip){
        .name = "swing", .seconds = 0.5, .channel_count = traveling ? 2 : 1, .channels = channels, .source_id = SUP_NONE
    };
}

static float largest_acceleration(play* p, double span, double dt)
{
    // Of a point at the tip within a pass, as a difference of positions: a jump would stand out.
    sup_vec3 x[3];
    float    most = 0;
    uint32_t tip = p->points - 1;
    for (int i = 0; (i + 2) * dt < span - 1e-9; ++i) {
        for (int k = 0; k < 3; ++k) {
            play_hash(p, (i + k) * dt);
            x[k] = p->out[tip];
        }
        most = fmaxf(most, v3_length(v3_add(v3_sub(x[0], v3_scale(x[1], 2)), x[2])));
    }
    return most;
}

static void a_loop_runs_through_its_seam_without_a_jump(void** state)
{
    (void)state;
    sup_character* c = tube();
    sup_channel    channels[2];
    sup_clip       clip = swinging(channels, false);
    sup_chain_desc chain = { .character = c, .clip = &clip, .links = "spring(gravity=0,damping=6)" };
    play           loop = play_chain(chain, (sup_instance_desc){ .clip = &clip, .loop = true, .preroll = -1 });
    // Times wrap, to the bit where they are the same number.
    uint64_t start = play_hash(&loop, 0);
    assert_true(play_hash(&loop, 0.5) == start && play_hash(&loop, 1.0) == start && play_hash(&loop, 0.25) != start);
    assert_true(play_hash(&loop, 0.75) == play_hash(&loop, 0.25));
    // The skin at the end of the pass is the skin at its start, to what one pass leaves of the first swing.
    play_hash(&loop, 0);
    sup_vec3 first = loop.out[loop.points - 1];
    play_hash(&loop, 0.5 - 1e-7);
    float gap = v3_distance(first, loop.out[loop.points - 1]);
    play  once = play_chain(chain, (sup_instance_desc){ .clip = &clip, .preroll = -1 });
    play_hash(&once, 0);
    sup_vec3 rest = once.out[once.points - 1];
    play_hash(&once, 0.5);
    float gap_once = v3_distance(rest, once.out[once.points - 1]);
    assert_true(gap_once > 1e-3f);
    assert_true(gap < 0.5f * gap_once);
    // A spring's acceleration is k times its lag: 600 x 0.3 x dt^2 = 4.5 mm at most. The gap of one pass would be a jump of
    // several centimeters.
    assert_true(largest_acceleration(&loop, 0.5, 0.005) < 4.5e-3f);
    assert_true(gap_once > 9e-3f);
    play_end(&loop), play_end(&once);
    sup_character_destroy(c);
}

static void a_traveling_loop_carries_its_springs_over_the_seam(void** state)
{
    (void)state;
    sup_character* c = tube();
    sup_channel    channels[2];
    sup_clip       clip = swinging(channels, true);
    // At 6 units per second with damping 50 the lag settles at v c / k = 6 x 50 / 600 = 0.5 within a pass, seen from the step
    // before; the step itself recovers 0.03 of it. Without carrying the state over, the springs would be 3 units off at the
    // seam.
    play p = play_chain((sup_chain_desc){ .character = c, .links = "spring(gravity=0,damping=50)" },
                        (sup_instance_desc){ .clip = &clip, .loop = true, .preroll = -1 });
    for (double t = 0; t < 0.5; t += 0.1) {
        play_hash(&p, t);
        assert_float_equal(p.out[0].x - (float)(6 * t) - c->mesh.points[0].x, -0.47f, 2e-3f);
    }
    assert_int_equal(p.stats.count, 0);
    play_end(&p);
    sup_character_destroy(c);
}

static void a_loop_step_divides_the_span_evenly(void** state)
{
    (void)state;
    // 0.5 s holds 100 steps of 5 ms; 0.502 s would leave a remainder, so the step becomes 0.502 / 101.
    sup_character* c = tube();
    sup_channel    channels[2];
    sup_clip       clip = swinging(channels, false);
    play           p = play_chain((sup_chain_desc){ .character = c, .links = "spring" },
                                  (sup_instance_desc){ .clip = &clip, .end = 0.502, .loop = true });
    assert_true(play_hash(&p, 0.502) == play_hash(&p, 0));
    play_end(&p);
    sup_character_destroy(c);
}

static void a_live_host_sees_the_skeleton_in_time_and_the_springs_a_step_late(void** state)
{
    (void)state;
    sup_character* c = tube();
    sup_error      error;
    sup_arena*     arena = sup_arena_create(NULL);
    sup_pose       pose;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    play live =
        play_chain((sup_chain_desc){ .character = c, .links = "spring" }, (sup_instance_desc){ .live = true, .preroll = -1 });
    play clip = play_clip(c, "spring", false), skin = play_clip(c, "linear", false);
    // The host delivers a pose every step; its springs are those of the clip one step earlier.
    for (int f = 0; f <= 100; ++f) {
        sup_clip_sample(c, &c->clips[0], f * 0.005, &pose);
        sup_instance_live(live.instance, f ? 0.005 : 0, pose.local, NULL, false, live.scratch, &live.stats, live.out);
    }
    play_hash(&skin, 0.5);
    sup_vec3* now = play_memory(skin.points * sizeof *now);
    memcpy(now, skin.out, skin.points * sizeof *now);
    play_hash(&skin, 0.495), play_hash(&clip, 0.495);
    for (uint32_t i = 0; i < live.points; ++i) {
        sup_vec3 wanted = v3_add(now[i], v3_sub(clip.out[i], skin.out[i]));
        assert_true(v3_distance(live.out[i], wanted) < 2e-5f);
    }
    free(now);
    play_end(&live), play_end(&clip), play_end(&skin);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void a_live_host_may_deliver_frames_of_any_length(void** state)
{
    (void)state;
    sup_character* c = tube();
    sup_error      error;
    sup_arena*     arena = sup_arena_create(NULL);
    sup_pose       pose;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    sup_vec3 ends[2];
    for (int run = 0; run < 2; ++run) {
        play   live = play_chain((sup_chain_desc){ .character = c, .links = "spring" }, (sup_instance_desc){ .live = true });
        double time = 0, rates[2] = { 1.0 / 60, 1.0 / 240 };
        sup_clip_sample(c, &c->clips[0], 0, &pose);
        sup_instance_live(live.instance, 0, pose.local, NULL, false, live.scratch, NULL, live.out);
        while (time < 0.5 - 1e-9) {
            time += rates[run];
            sup_clip_sample(c, &c->clips[0], time, &pose);
            sup_instance_live(live.instance, rates[run], pose.local, NULL, false, live.scratch, NULL, live.out);
        }
        ends[run] = live.out[live.points - 1];
        play_end(&live);
    }
    // The clip also uses slerp of local transforms between host frames, so both agree.
    assert_true(v3_distance(ends[0], ends[1]) < 1e-4f);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void a_teleport_takes_the_state_along(void** state)
{
    (void)state;
    sup_character* c = tube();
    sup_error      error;
    sup_arena*     arena = sup_arena_create(NULL);
    sup_pose       pose;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    for (int flagged = 0; flagged < 2; ++flagged) {
        play live =
            play_chain((sup_chain_desc){ .character = c, .links = "spring(gravity=0)" }, (sup_instance_desc){ .live = true });
        sup_pose_rest(c, &pose);
        for (int f = 0; f < 20; ++f)
            sup_instance_live(live.instance, 0.01, pose.local, NULL, false, live.scratch, NULL, live.out);
        pose.local[0].translation = v3(4, 0, 0);
        pose.local[0].rotation = quat(0, 0.70710678f, 0, 0.70710678f);
        float most = 0;
        for (int f = 0; f < 5; ++f) {
            sup_instance_live(live.instance, 0.01, pose.local, NULL, flagged && f == 0, live.scratch, NULL, live.out);
            sup_pose_update(c, &pose);
            for (uint32_t i = 0; i < live.points; ++i)
                most = fmaxf(most, v3_distance(live.out[i], affine_point(&pose.skin[0], c->mesh.points[i])));
        }
        if (flagged) assert_true(most < 1e-4f);
        else assert_true(most > 1.0f);
        play_end(&live);
    }
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void saved_state_repeats_the_frame(void** state)
{
    (void)state;
    sup_character* c = tube();
    play           p = play_clip(c, "spring", false);
    uint64_t       at = play_hash(&p, 0.4);
    void*          saved = play_memory(sup_instance_state_size(p.instance));
    sup_instance_state_save(p.instance, saved);
    uint64_t later = play_hash(&p, 0.9);
    sup_instance_state_load(p.instance, saved);
    assert_true(play_hash(&p, 0.4) == at);
    assert_true(play_hash(&p, 0.9) == later);
    free(saved);
    play_end(&p);
    sup_character_destroy(c);
}

static void a_parameter_set_late_changes_only_what_follows(void** state)
{
    (void)state;
    sup_character* c = tube();
    sup_error      error;
    play           p = play_clip(c, "spring", false);
    uint64_t       early = play_hash(&p, 0.4), late = play_hash(&p, 0.8);
    play_hash(&p, 0.4);
    assert_ok(sup_instance_set(p.instance, 1, "stiffness", 90, &error), error);
    assert_true(play_hash(&p, 0.4) == early);
    assert_true(play_hash(&p, 0.8) != late);
    assert_int_equal(sup_instance_set(p.instance, 1, "copies", 2, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "fixed when the chain is bound"));
    assert_int_equal(sup_instance_set(p.instance, 1, "stiffness", 1e9, &error), SUP_ERROR_INPUT);
    assert_int_equal(sup_instance_set(p.instance, 1, "color", 1, &error), SUP_ERROR_INPUT);
    play_end(&p);
    sup_character_destroy(c);
}

static void static_links_behind_run_on_the_frame_itself(void** state)
{
    (void)state;
    sup_character* c = tube();
    play           with = play_clip(c, "spring,shift", false), without = play_clip(c, "spring", false);
    play_hash(&with, 0.3333);
    play_hash(&without, 0.3333);
    for (uint32_t i = 0; i < with.points; ++i) assert_true(v3_distance(with.out[i], v3_add(without.out[i], v3(1, 0, 0))) == 0);
    play_end(&with), play_end(&without);
    sup_character_destroy(c);
}

// Two carriers: the first moves by a thousandth of the square of the steps taken, the second stays. Every point of the skin
// follows the first.
static struct {
    uint32_t steps, shown;
    bool     points; // the last step saw the skin
} carrying;

static sup_result carrying_bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    (void)error;
    uint32_t* count = SUP_NEW(arena, uint32_t, 1);
    *count = in->character->mesh.point_count;
    *out = (sup_binding){ .data = count, .state_size = sizeof(float), .carriers = 2 };
    return SUP_OK;
}

static void carrying_reset(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch)
{
    (void)binding, (void)params, (void)frame, (void)scratch;
    *(float*)state = 0;
}

static void carrying_evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state,
                              void* scratch, sup_vec3* out)
{
    (void)binding, (void)params, (void)scratch;
    float* steps = state;
    if (frame->dt > 0) *steps += 1, ++carrying.steps;
    carrying.points = frame->points != NULL;
    out[0] = v3(1e-3f * *steps * *steps, 0, 0);
    out[1] = v3(0, 0, 0);
}

static void carrying_present(const sup_binding* binding, const void* params, const sup_frame* frame, const sup_vec3* ways,
                             void* scratch, sup_vec3* out)
{
    (void)params, (void)scratch;
    ++carrying.shown;
    assert_true(frame->dt == 0 || carrying.points); // an instant, unless another link wants the skin of the step
    assert_true(v3_length(ways[1]) == 0);
    for (uint32_t i = 0; i < *(const uint32_t*)binding->data; ++i) out[i] = v3_add(frame->points[i], ways[0]);
}

static const sup_deformer carrying_deformer = { .name = "carrying",
                                                .summary = "Two carriers",
                                                .paper = "none",
                                                .dynamic = true,
                                                .bind = carrying_bind,
                                                .reset = carrying_reset,
                                                .evaluate = carrying_evaluate,
                                                .present = carrying_present };

static play play_carrying(const sup_character* c, const char* links)
{
    static const sup_deformer* known[SUP_COUNT_OF(test_deformers) + 1];
    memcpy(known, test_deformers, sizeof test_deformers);
    known[SUP_COUNT_OF(test_deformers)] = &carrying_deformer;
    memset(&carrying, 0, sizeof carrying);
    return play_chain((sup_chain_desc){ .character = c, .links = links, .extra = known, .extra_count = SUP_COUNT_OF(known) },
                      (sup_instance_desc){ .preroll = 0, .end = 1 });
}

static void carriers_go_by_steps_and_the_skin_is_made_once_a_frame(void** state)
{
    (void)state;
    sup_character* c = tube();
    play           p = play_carrying(c, "shift,carrying,shift");
    for (int f = 0; f <= 3; ++f) play_hash(&p, f / 30.0);
    // 0.1 s is 20 steps of 5 ms; 1/15 s is a third of the way from step 13 to step 14. Each shift adds 1.
    assert_int_equal(carrying.steps, 20);
    assert_int_equal(carrying.shown, 4);
    assert_false(carrying.points);
    assert_float_equal(p.out[5].x - c->mesh.points[5].x, 0.400f + 2, 1e-6f);
    uint64_t end = play_hash(&p, 0.1);
    play_hash(&p, 1 / 15.0);
    assert_float_equal(p.out[5].x - c->mesh.points[5].x, 0.169f + (0.196f - 0.169f) / 3 + 2, 1e-6f);
    assert_true(play_hash(&p, 0.1) == end);
    play_end(&p);
    sup_character_destroy(c);
}

static void a_link_behind_that_steps_sees_the_skin_of_the_carriers_at_every_step(void** state)
{
    (void)state;
    sup_character* c = tube();
    play           p = play_carrying(c, "carrying,spring(mode=held)");
    play_hash(&p, 0.05);
    assert_int_equal(carrying.steps, 10);
    assert_true(carrying.points && carrying.shown >= 10);
    play_end(&p);
    sup_character_destroy(c);
}

static void count_lag(void* user, const char* what, sup_vec3 a, sup_vec3 b, float value)
{
    (void)value;
    assert_string_equal(what, "lag");
    assert_true(v3_distance(a, b) < 1e-6f); // shown at a step end, the skin is the spring
    ++*(uint32_t*)user;
}

static void a_link_draws_itself_as_it_was_shown(void** state)
{
    (void)state;
    sup_character* c = tube();
    play           p = play_clip(c, "spring", false);
    uint32_t       lines = 0;
    sup_canvas     canvas = { .line = count_lag, .user = &lines };
    play_hash(&p, 0);
    assert_true(sup_instance_draw(p.instance, 1, p.out, &canvas));
    assert_int_equal(lines, p.points);
    assert_false(sup_instance_draw(p.instance, 0, p.out, &canvas));
    assert_false(sup_instance_draw(p.instance, 2, p.out, &canvas));
    play_end(&p);
    sup_character_destroy(c);
}

static void a_link_that_explodes_is_reset_and_counted(void** state)
{
    (void)state;
    sup_character* c = tube();
    // Stiffness 2000 at a step of 100 ms is k dt^2 = 20: far beyond what a semi-implicit spring bears.
    play p = play_chain((sup_chain_desc){ .character = c, .links = "spring(stiffness=2000,damping=0)", .step = 0.1 },
                        (sup_instance_desc){ .clip = &c->clips[0], .end = 8 });
    play_hash(&p, 8);
    for (uint32_t i = 0; i < p.points; ++i) assert_true(v3_length(p.out[i]) < 100);
    assert_int_equal(p.stats.count, 1);
    assert_string_equal(p.stats.items[0].name, "runner.lost_and_reset");
    play_end(&p);
    sup_character_destroy(c);
}

/// The clip with a scale of `broken` on the middle joint from `from` to `to`.
static sup_clip break_clip(const sup_character* c, float broken, float from, float to, sup_arena* arena)
{
    const sup_clip* clip = &c->clips[0];
    sup_channel*    channels = SUP_NEW(arena, sup_channel, clip->channel_count + 1);
    float *         times = SUP_NEW(arena, float, 4), *values = SUP_NEW(arena, float, 12);
    memcpy(channels, clip->channels, clip->channel_count * sizeof *channels);
    times[0] = from, times[1] = from + 0.001f, times[2] = to - 0.001f, times[3] = to;
    for (int i = 0; i < 12; ++i) values[i] = i / 3 == 1 || i / 3 == 2 ? broken : 1;
    channels[clip->channel_count] =
        (sup_channel){ .target = 1, .path = SUP_PATH_SCALE, .key_count = 4, .width = 3, .times = times, .values = values };
    sup_clip out = *clip;
    out.channels = channels;
    out.channel_count++;
    return out;
}

static const float broken_scales[] = { NAN, INFINITY, -INFINITY, 1e38f, -1e20f };

static void an_invalid_pose_never_reaches_a_step(void** state)
{
    (void)state;
    sup_character* c = tube();
    sup_arena*     arena = sup_arena_create(NULL);
    for (size_t i = 0; i < SUP_COUNT_OF(broken_scales); ++i) {
        sup_clip       clip = break_clip(c, broken_scales[i], 0.3f, 0.4f, arena);
        sup_chain_desc chain = { .character = c, .clip = &clip, .links = "spring" };
        play           p = play_chain(chain, (sup_instance_desc){ .clip = &clip });
        uint64_t       later = play_hash(&p, 0.6);
        for (uint32_t k = 0; k < p.points; ++k) assert_true(v3_finite(p.out[k]));
        assert_int_equal(p.stats.count, 1); // lost nowhere
        assert_string_equal(p.stats.items[0].name, "runner.pose_held");
        assert_true(p.stats.items[0].times >= 19 && p.stats.items[0].times <= 21);
        play_hash(&p, 0.33); // a snapshot was taken among the broken ones, at 0.32 s
        assert_true(play_hash(&p, 0.6) == later);
        play_hash(&p, 0.35);
        void* saved = sup_arena_alloc(arena, 1, sup_instance_state_size(p.instance));
        sup_instance_state_save(p.instance, saved);
        play_hash(&p, 0.1);
        sup_instance_state_load(p.instance, saved);
        assert_true(play_hash(&p, 0.6) == later);
        play_end(&p);
    }
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void a_motion_may_begin_or_close_its_loop_in_no_pose(void** state)
{
    (void)state;
    sup_character* c = tube();
    sup_arena*     arena = sup_arena_create(NULL);
    for (size_t i = 0; i < 2 * SUP_COUNT_OF(broken_scales); ++i) {
        sup_clip clip = break_clip(c, broken_scales[i / 2], i % 2 ? -0.1f : 0.8f, i % 2 ? 0.2f : 1.2f, arena);
        play     p = play_chain((sup_chain_desc){ .character = c, .clip = &clip, .links = "spring" },
                                (sup_instance_desc){ .clip = &clip, .loop = true, .preroll = 0.1 });
        uint64_t hash = play_hash(&p, 0.5);
        for (uint32_t k = 0; k < p.points; ++k) assert_true(v3_finite(p.out[k]));
        play_hash(&p, 0.9);
        assert_true(play_hash(&p, 0.5) == hash);
        for (uint32_t k = 0; k < p.stats.count; ++k) assert_string_not_equal(p.stats.items[k].name, "runner.lost_and_reset");
        play_end(&p);
    }
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void a_live_host_cannot_pass_an_invalid_pose_to_a_step(void** state)
{
    (void)state;
    sup_character* c = tube();
    sup_transform  local[8];
    for (size_t i = 0; i < SUP_COUNT_OF(broken_scales); ++i) {
        play p = play_chain((sup_chain_desc){ .character = c, .links = "spring" }, (sup_instance_desc){ .live = true });
        for (int f = 0; f < 12; ++f) {
            for (uint32_t j = 0; j < c->skeleton.joint_count; ++j) local[j] = c->skeleton.joints[j].rest;
            if (f % 4 != 3) local[1].scale = v3(broken_scales[i], 1, 1); // the first one, too
            sup_instance_live(p.instance, 1 / 60.0, local, NULL, f == 6 || f == 7, p.scratch, &p.stats, p.out);
        }
        for (uint32_t k = 0; k < p.points; ++k) assert_true(v3_finite(p.out[k]));
        assert_int_equal(p.stats.count, 1);
        assert_string_equal(p.stats.items[0].name, "runner.pose_held");
        play_end(&p);
    }
    sup_character_destroy(c);
}

// The points that `links` loses are those of `instead`, and they are counted per frame or step.
static void expect_returned(const sup_character* c, const char* links, const char* instead, const char* counted)
{
    play p = play_clip(c, links, false), plain = play_clip(c, instead, false);
    play_hash(&p, 0.3);
    play_hash(&plain, 0.3);
    for (uint32_t i = 0; i < p.points; ++i) assert_true(v3_distance(p.out[i], plain.out[i]) == 0);
    assert_int_equal(p.stats.count, 1);
    assert_string_equal(p.stats.items[0].name, counted);
    uint64_t a_run = 0;
    for (uint32_t i = 0; i < p.points; ++i) a_run += i % 4 != 0;
    assert_true(p.stats.items[0].times > 0 && p.stats.items[0].times % a_run == 0);
    play_end(&p), play_end(&plain);
}

static void what_a_static_link_loses_goes_back_to_the_skin_and_is_counted(void** state)
{
    (void)state;
    sup_character* c = tube();
    expect_returned(c, "throw", "linear", "runner.points_lost");
    expect_returned(c, "dualquat,throw", "dualquat", "runner.points_lost");
    expect_returned(c, "throw,spring", "spring", "runner.points_lost"); // springs never see NaN
    expect_returned(c, "throw,shift", "shift", "runner.points_lost");
    sup_character_destroy(c);
}

static void a_static_link_behind_hides_no_explosion(void** state)
{
    (void)state;
    sup_character* c = tube();
    // As above, with links between that would restore every lost point by themselves.
    play p = play_chain((sup_chain_desc){ .character = c,
                                          .links = "spring(stiffness=2000,damping=0),shift,spring(mode=held),shift",
                                          .step = 0.1 },
                        (sup_instance_desc){ .clip = &c->clips[0], .end = 8 });
    play_hash(&p, 8);
    assert_int_equal(p.stats.count, 1);
    assert_string_equal(p.stats.items[0].name, "runner.lost_and_reset");
    play_end(&p);
    sup_character_destroy(c);
}

static void keys_move_parameters_and_gravity_over_time(void** state)
{
    (void)state;
    sup_character*    c = tube();
    sup_arena*        arena = sup_arena_create(NULL);
    static const char text[] = "{\"keys\":{\"gravity\":[{\"time\":0,\"value\":[0,0,0]},{\"time\":1,\"value\":[0,6,0]}],"
                               "\"spring.enabled\":[{\"time\":0,\"value\":true},{\"time\":2,\"value\":false}]}}";
    sup_json*         world = test_json(text, arena);
    play              p = play_chain((sup_chain_desc){ .character = c, .links = "spring(damping=50)", .world = world },
                                     (sup_instance_desc){ .preroll = 0, .end = 3 });
    play_hash(&p, 0);
    assert_float_equal(p.out[0].y, c->mesh.points[0].y, 1e-6f);
    play_hash(&p, 1.99); // keys hold after the last: 6 / 600 = 10 mm upwards
    assert_float_equal(p.out[0].y - c->mesh.points[0].y, 0.01f, 1e-4f);
    play_hash(&p, 2.01);
    assert_float_equal(p.out[0].y, c->mesh.points[0].y, 1e-6f);
    play_end(&p);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void frames_of_a_span_are_counted_as_documented(void** state)
{
    (void)state;
    assert_int_equal(sup_frame_count(0, 2, 30, false), 61);
    assert_int_equal(sup_frame_count(0, 2, 30, true), 60);
    assert_int_equal(sup_frame_count(0, 0.71, 30, false), 22);
    assert_int_equal(sup_frame_count(0, 0.71, 30, true), 22);
    assert_int_equal(sup_frame_count(0.5, 0.5, 30, false), 1);
    assert_int_equal(sup_frame_count(0, 1.1, 10, false), 12); // 1.1 x 10 is 11 in spite of rounding
    assert_true(sup_frame_time(0, 24, 8) == sup_frame_time(0, 30, 10));
}

static void a_batch_gives_the_bits_of_one_after_the_other(void** state)
{
    (void)state;
    enum { CROWD = 11 };
    sup_character* c = tube();
    sup_pool*      pool = sup_pool_create(3);
    sup_chain*     chain = NULL;
    sup_error      error;
    sup_chain_desc bound = {
        .character = c, .links = "spring", .extra = test_deformers, .extra_count = SUP_COUNT_OF(test_deformers)
    };
    assert_ok(sup_chain_create(&bound, &chain, &error), error);
    sup_batch_item items[CROWD];
    uint64_t       alone[CROWD], batched[CROWD];
    void*          scratch[3];
    for (int b = 0; b < 3; ++b) scratch[b] = sup_scratch_create(sup_chain_scratch_size(chain), NULL);
    sup_transform* local = calloc(c->skeleton.joint_count, sizeof *local);
    for (uint32_t j = 0; j < c->skeleton.joint_count; ++j) local[j] = c->skeleton.joints[j].rest;
    local[1].rotation = (sup_quat){ 0, 0, 0.6f, 0.8f };
    // Odd ones are live, even ones play the clip; first each alone, then all again in one batch.
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < CROWD; ++i) {
            bool              hosted = i % 2;
            sup_instance_desc desc = { .chain = chain, .clip = hosted ? NULL : &c->clips[0], .live = hosted };
            items[i] = (sup_batch_item){ .time = 0.05 * i, .dt = 0.01 * i, .local = hosted ? local : NULL };
            items[i].out = malloc(c->mesh.point_count * sizeof(sup_vec3));
            assert_ok(sup_instance_create(&desc, &items[i].instance, &error), error);
            if (pass) continue;
            if (hosted) sup_instance_live(items[i].instance, items[i].dt, local, NULL, false, scratch[0], NULL, items[i].out);
            else sup_instance_evaluate(items[i].instance, items[i].time, scratch[0], NULL, items[i].out);
        }
        if (pass) sup_batch_evaluate(items, CROWD, scratch, 3, sup_pool_tasks(pool));
        for (uint32_t i = 0; i < CROWD; ++i) {
            (pass ? batched : alone)[i] = sup_hash_points(items[i].out, c->mesh.point_count);
            free(items[i].out);
            sup_instance_destroy(items[i].instance);
        }
    }
    for (uint32_t i = 0; i < CROWD; ++i) assert_true(alone[i] == batched[i]);
    assert_true(alone[2] != alone[4] && alone[1] != alone[2]);
    for (int b = 0; b < 3; ++b) sup_scratch_destroy(scratch[b]);
    free(local);
    sup_pool_destroy(pool);
    sup_chain_destroy(chain);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frame_rates_agree_where_their_times_coincide),
        cmocka_unit_test(seeking_gives_the_same_bits_as_playing),
        cmocka_unit_test(steps_taken_ahead_give_the_same_bits),
        cmocka_unit_test(seeking_back_costs_few_steps_even_far_into_a_clip),
        cmocka_unit_test(spring_starts_at_rest_after_preroll),
        cmocka_unit_test(points_lag_behind_a_moving_limb),
        cmocka_unit_test(a_loop_runs_through_its_seam_without_a_jump),
        cmocka_unit_test(a_traveling_loop_carries_its_springs_over_the_seam),
        cmocka_unit_test(a_loop_step_divides_the_span_evenly),
        cmocka_unit_test(a_live_host_sees_the_skeleton_in_time_and_the_springs_a_step_late),
        cmocka_unit_test(a_live_host_may_deliver_frames_of_any_length),
        cmocka_unit_test(a_teleport_takes_the_state_along),
        cmocka_unit_test(saved_state_repeats_the_frame),
        cmocka_unit_test(a_parameter_set_late_changes_only_what_follows),
        cmocka_unit_test(static_links_behind_run_on_the_frame_itself),
        cmocka_unit_test(carriers_go_by_steps_and_the_skin_is_made_once_a_frame),
        cmocka_unit_test(a_link_behind_that_steps_sees_the_skin_of_the_carriers_at_every_step),
        cmocka_unit_test(a_link_draws_itself_as_it_was_shown),
        cmocka_unit_test(a_link_that_explodes_is_reset_and_counted),
        cmocka_unit_test(an_invalid_pose_never_reaches_a_step),
        cmocka_unit_test(a_motion_may_begin_or_close_its_loop_in_no_pose),
        cmocka_unit_test(a_live_host_cannot_pass_an_invalid_pose_to_a_step),
        cmocka_unit_test(what_a_static_link_loses_goes_back_to_the_skin_and_is_counted),
        cmocka_unit_test(a_static_link_behind_hides_no_explosion),
        cmocka_unit_test(keys_move_parameters_and_gravity_over_time),
        cmocka_unit_test(a_batch_gives_the_bits_of_one_after_the_other),
        cmocka_unit_test(frames_of_a_span_are_counted_as_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

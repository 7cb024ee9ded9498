#include "sculpted.h"

// ---------------------------------------------------------------------------------------------- examples

static void every_example_comes_back_at_every_point(void** state)
{
    (void)state;
    static const char* const chains[] = { "fourier",
                                          "dualquat,fourier",
                                          "fourier(way=along)",
                                          "fourier(way=along,ends=tangent)",
                                          "fourier(way=along,ends=free,order=fourth)",
                                          "fourier(way=loops)",
                                          "fourier(order=fourth,terms=3)",
                                          "fourier(ramp=smootherstep,cycles=0.3)",
                                          "fourier(continuity=restart)",
                                          "fourier(continuity=hermite,cycles=0.5)",
                                          "fourier(expert=1,density=0)",
                                          "fourier(way=planes)",
                                          "smooth(iterations=2),fourier" };
    sculpted_come_back(chains, SUP_COUNT_OF(chains));
}

// E_RMS at the examples without the residual of the series: the curves' own error.
static double curve_error(const sculpted* s, const char* links)
{
    play   p = sculpted_play(s, links);
    double worst = 0;
    for (uint32_t j = 0; j < s->character.example_count; ++j) {
        play_hash(&p, s->examples[j].time);
        worst = fmax(worst, 1000 * sculpted_rms(p.out, s->points[j], p.points) / (double)s->arm->mesh.diagonal);
    }
    play_end(&p);
    return worst;
}

static void more_waves_miss_less_and_half_precision_misses_almost_nothing(void** state)
{
    (void)state;
    sculpted* s = sculpt_on(3000, 2, 0, 1, true);
    // Ridges along the limb, and a dent on one side: short waves around it.
    for (uint32_t i = 0; i < s->arm->mesh.point_count; ++i) {
        sup_vec3 p = s->arm->mesh.points[i];
        double   a = atan2((double)p.z, (double)p.y), dent = exp(-12 * (1 - cos(a - 1)));
        float    high = (float)(0.01 * cos(4 * a) - 0.03 * dent);
        s->points[1][i] = v3_add(p, v3(0, high * (float)cos(a), high * (float)sin(a)));
        s->points[0][i] = p;
    }
    double three = curve_error(s, "fourier(terms=3,residual=none)"), five = curve_error(s, "fourier(terms=5,residual=none)");
    double nine = curve_error(s, "fourier(terms=9,residual=none)"), half = curve_error(s, "fourier(terms=3,residual=half)");
    print_message("  E_RMS of the curves alone: N = 3 %.3f, 5 %.3f, 9 %.3f; with half precision residuals %.5f\n", three, five,
                  nine, half);
    assert_true(five < 0.8 * three && nine < 0.8 * five);
    assert_true(half < 0.01);
    sculpted_end(s);
}

static void any_order_of_times_gives_the_same_bits(void** state)
{
    (void)state;
    sculpted* s = sculpt(600, 4, 0, 1);
    play      p = sculpted_play(s, "fourier(settle=1)"), q = sculpted_play(s, "fourier(settle=1)");
    uint64_t  hashes[11];
    for (int f = 0; f <= 10; ++f) hashes[f] = play_hash(&p, f / 10.0);
    for (int f = 10; f >= 0; --f) assert_true(play_hash(&q, f / 10.0) == hashes[f]);
    play_end(&p), play_end(&q), sculpted_end(s);
}

static void velocity_is_continuous_across_examples(void** state)
{
    (void)state;
    static const char* const chains[] = { "fourier",
                                          "fourier(continuity=hermite)",
                                          "fourier(continuity=hermite,cycles=0.5)",
                                          "fourier(continuity=hermite,cycles=0.2)",
                                          "fourier(continuity=carry,cycles=1.3)",
                                          "fourier(hold=100)",
                                          "fourier(residual=none)" };
    sculpted*                s = sculpt_on(600, 7, 0, 1, true); // the clip's own keys would jump in speed
    for (uint32_t k = 0; k < SUP_COUNT_OF(chains); ++k) {
        play   p = sculpted_play(s, chains[k]);
        double jump = 0, speed = 0;
        for (uint32_t j = 1; j < 6; ++j) {
            double t = s->examples[j].time;
            jump = fmax(jump, sculpted_jump(&p, t, t, 1e-3, &speed));
        }
        print_message("  %s: jump %.4f, speed %.2f\n", chains[k], jump, speed);
        assert_true(jump < 0.02 * speed);
        play_end(&p);
    }
    sculpted_end(s);
}

// ---------------------------------------------------------------------------------------------- dynamics

static void without_inertia_it_is_the_plain_interpolation(void** state)
{
    (void)state;
    sculpted_swings("fourier", "fourier(sway=0)", "fourier(expert=1,density=0,viscosity=0)");
}

static void it_rings_out_behind_the_last_example(void** state)
{
    (void)state;
    sculpted* s = sculpt(600, 2, 0, 0.5);
    play      p = sculpted_play(s, "fourier(settle=1,damping=0.05)"), held = sculpted_play(s, "fourier(damping=0.05)");
    play_hash(&p, 0.6), play_hash(&held, 0.6);
    assert_true(sculpted_rms(p.out, held.out, p.points) > 1e-4);
    play_hash(&p, 0.5), play_hash(&held, 0.5);
    assert_true(sculpted_rms(p.out, held.out, p.points) < 1e-7);
    play_end(&p), play_end(&held), sculpted_end(s);
}

// ---------------------------------------------------------------------------------------------- loops

static void a_loop_repeats_and_has_no_seam(void** state)
{
    (void)state;
    static const char* const chains[] = { "fourier",
                                          "fourier(continuity=hermite,cycles=0.3)",
                                          "fourier(continuity=hermite,cycles=2,damping=0.02)",
                                          "fourier(continuity=carry,cycles=1,damping=0)", // no carried rate repeats: Hermite
                                          "fourier(hold=100)",
                                          "fourier(continuity=carry,cycles=1.5)",
                                          "fourier(continuity=restart)" };
    sculpted*                s = sculpt_on(600, 4, 0, 0.8, true);
    for (uint32_t k = 0; k < SUP_COUNT_OF(chains); ++k) {
        double speed = 0, jump = sculpted_seam(s, chains[k], &speed);
        if (k + 1 < SUP_COUNT_OF(chains)) assert_true(jump < 0.02 * speed + 0.005);
    }
    sculpted_end(s);
}

// ---------------------------------------------------------------------------------------------- live, forces

static void a_live_pose_drives_the_skin_which_lags_and_settles(void** state)
{
    (void)state;
    sup_error      error;
    sup_character* c = test_builtin("arm", 600);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_pose       rest, bent, way;
    assert_ok(sup_pose_create(c, arena, &rest, &error), error);
    assert_ok(sup_pose_create(c, arena, &bent, &error), error);
    assert_ok(sup_pose_create(c, arena, &way, &error), error);
    sup_pose_rest(c, &rest);
    sup_clip_sample(c, sup_character_clip(c, "flex"), 1.0, &bent);
    play p =
        play_chain((sup_chain_desc){ .character = c, .links = "fourier(damping=0.1)" }, (sup_instance_desc){ .live = true });
    sup_instance_live(p.instance, 0, rest.local, NULL, false, p.scratch, NULL, p.out);
    assert_true(sculpted_rms(p.out, c->mesh.points, p.points) < 1e-6);
    const sup_vec3* goal = c->examples[1].points;
    double          soon = 0, late = 0;
    for (int f = 1; f <= 600; ++f) { // bent within a tenth of a second
        sup_pose_blend(c, &rest, &bent, f < 6 ? f / 6.0 : 1.0, &way);
        sup_instance_live(p.instance, 1 / 60.0, way.local, NULL, false, p.scratch, NULL, p.out);
        if (f == 7) soon = sculpted_rms(p.out, goal, p.points);
    }
    late = sculpted_rms(p.out, goal, p.points);
    print_message("  off the sculpt: %.2e at once, %.2e after ten seconds\n", soon, late);
    assert_true(soon > 3e-4 && late < 2e-6);
    play_end(&p), sup_arena_destroy(arena), sup_character_destroy(c);
}

// How far a force on curve 3 has moved the skin at a time.
static double pushed(const sup_character* c, const char* links, sup_json* world, double time)
{
    const sup_clip* clip = sup_character_clip(c, "flex");
    play            p = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = links, .world = world },
                                   (sup_instance_desc){ .clip = clip });
    play            q =
        play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = "linear" }, (sup_instance_desc){ .clip = clip });
    play_hash(&p, time), play_hash(&q, time);
    double off = sculpted_rms(p.out, q.out, p.points);
    play_end(&p), play_end(&q);
    return off;
}

static void a_known_force_bends_its_curve_and_lets_go(void** state)
{
    (void)state;
    static const char* const chains[] = { "fourier(damping=0.5,cycles=2)", "fourier(damping=0.5,cycles=2,order=fourth)",
                                          "fourier(damping=0.5,cycles=2,way=along)",
                                          "fourier(damping=0.5,cycles=2,way=along,ends=free)",
                                          "fourier(damping=0.5,cycles=2,way=along,ends=free,order=fourth)" };
    sup_error                error;
    sup_character*           c = test_builtin("arm", 1200);
    sup_character            bare = *c;
    bare.example_count = 0;
    sup_arena* arena = sup_arena_create(NULL);
    sup_json*  world =
        test_json("{\"gravity\":[0,0,0],\"forces\":[{\"name\":\"push\",\"curve\":3,\"ratio\":0.5,\"value\":[0,0,1],"
                  "\"keys\":[{\"time\":0,\"value\":0},{\"time\":0.2,\"value\":1},{\"time\":0.5,\"value\":1,\"step\":true},"
                  "{\"time\":0.6,\"value\":0}]}]}",
                  arena);
    for (uint32_t k = 0; k < SUP_COUNT_OF(chains); ++k) {
        double at[4] = { pushed(&bare, chains[k], world, 0), pushed(&bare, chains[k], world, 0.1),
                         pushed(&bare, chains[k], world, 0.5), pushed(&bare, chains[k], world, 1) };
        print_message("  %s: displaced %.1e, %.1e, %.1e, %.1e\n", chains[k], at[0], at[1], at[2], at[3]);
        assert_true(at[0] < 1e-7 && at[1] > 1e-6 && at[2] > at[1] && at[3] < 0.3 * at[2]);
    }
    sup_json*  wrong = test_json("{\"forces\":[{\"name\":\"push\",\"curve\":9000,\"ratio\":0.5,\"value\":[0,0,1]}]}", arena);
    sup_chain* chain = NULL;
    assert_int_equal(
        sup_chain_create(&(sup_chain_desc){ .character = &bare, .links = "fourier", .world = wrong }, &chain, &error),
        SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "fourier: force 'push' is on curve 9000; this link has the curves 0 to "));
    sup_arena_destroy(arena), sup_character_destroy(c);
}

// A bar under an even load: the cap at the root hardly moves, the other end moves as far as the strip study says (0.0627 for a
// unit load).
static void a_strip_is_held_at_the_body_and_bends_as_far_as_a_strip_alone(void** state)
{
    (void)state;
    sup_character*  c = test_builtin("bar", 0);
    sup_arena*      arena = sup_arena_create(NULL);
    const sup_clip* clip = sup_character_clip(c, "still");
    char            text[2048] = "{\"gravity\":[0,0,0],\"forces\":[";
    for (int i = 0; i < 8; ++i) // on every strip: a skin point stands between two
        sup_format(text + strlen(text), sizeof text - strlen(text),
                   "%s{\"name\":\"load%d\",\"curve\":%d,\"from\":0,\"to\":1,\"value\":[0,-1,0],"
                   "\"keys\":[{\"time\":0,\"value\":0},{\"time\":1,\"value\":1}]}",
                   i ? "," : "", i, i);
    strcat(text, "]}");
    sup_json* world = test_json(text, arena);
    for (int order = 0; order < 2; ++order) {
        static const char* const links[] = { "fourier(way=along,curves=8,ends=free,terms=24,expert=1,restoring=0,density=1,"
                                             "viscosity=0.5,young=1e5)",
                                             "fourier(way=along,curves=8,ends=free,terms=24,expert=1,restoring=0,density=1,"
                                             "viscosity=0.5,young=1e5,order=fourth)" };
        play   p = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = links[order], .world = world },
                              (sup_instance_desc){ .clip = clip });
        double root = 0, end = 0;
        play_hash(&p, 1);
        for (uint32_t i = 0; i < p.points; ++i) {
            double down = (double)(c->mesh.points[i].y - p.out[i].y);
            if (c->mesh.points[i].x < 0.01f) root = fmax(root, down);
            if (c->mesh.points[i].x > 0.99f) end = fmax(end, down);
        }
        print_message("  %s order: root %.1e, end %.5f\n", order ? "fourth" : "second", root, end);
        assert_true(root < 0.1 * end && fabs(end / (order ? 1.452e-2 : 6.271e-2) - 1) < (order ? 0.03 : 0.01));
        play_end(&p);
    }
    sup_arena_destroy(arena), sup_character_destroy(c);
}

static void loads_repeat_around_a_loop(void** state)
{
    (void)state;
    static const char* const chains[] = { "fourier(cycles=2)", "fourier(cycles=1.4,damping=0)",
                                          "fourier(cycles=1,damping=0)", // no swing of that repeats: it follows the load
                                          "fourier(expert=1,density=0,viscosity=2)" };
    sculpted*                s = sculpt_on(600, 3, 0, 0.8, true);
    sup_character            bare = s->character;
    sup_arena*               arena = sup_arena_create(NULL);
    sup_json*                world =
        test_json("{\"gravity\":[0,0,0],\"forces\":[{\"name\":\"push\",\"curve\":3,\"ratio\":0.5,\"value\":[0.1,0,1],"
                  "\"keys\":[{\"time\":0,\"value\":0.1},{\"time\":0.3,\"value\":1},{\"time\":0.8,\"value\":-1},"
                  "{\"time\":1,\"value\":0.1}]}]}",
                  arena);
    bare.example_count = 0;
    for (uint32_t k = 0; k < SUP_COUNT_OF(chains); ++k) {
        sup_chain_desc desc = { .character = &bare, .clip = &s->clip, .links = chains[k], .world = world, .cycle_end = 1 };
        play           p = play_chain(desc, (sup_instance_desc){ .clip = &s->clip, .loop = true });
        sup_vec3*      before = malloc(p.points * sizeof *before);
        double         size = 0, jump;
        assert_true(play_hash(&p, 0) == play_hash(&p, 1));
        for (int i = 0; i < 10; ++i) {
            play_hash(&p, i / 10.0);
            size = fmax(size, sculpted_rms(p.out, bare.mesh.points, p.points));
        }
        play_hash(&p, 1 - 1e-5);
        memcpy(before, p.out, p.points * sizeof *before);
        play_hash(&p, 0);
        jump = sculpted_rms(p.out, before, p.points);
        print_message("  %s: over the seam %.1e of %.1e\n", chains[k], jump, size);
        assert_true(size > 1e-5 && jump < 1e-3 * size);
        free(before), play_end(&p);
    }
    sup_arena_destroy(arena), sculpted_end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_comes_back_at_every_point),
        cmocka_unit_test(more_waves_miss_less_and_half_precision_misses_almost_nothing),
        cmocka_unit_test(any_order_of_times_gives_the_same_bits),
        cmocka_unit_test(velocity_is_continuous_across_examples),
        cmocka_unit_test(without_inertia_it_is_the_plain_interpolation),
        cmocka_unit_test(it_rings_out_behind_the_last_example),
        cmocka_unit_test(a_loop_repeats_and_has_no_seam),
        cmocka_unit_test(a_live_pose_drives_the_skin_which_lags_and_settles),
        cmocka_unit_test(a_known_force_bends_its_curve_and_lets_go),
        cmocka_unit_test(a_strip_is_held_at_the_body_and_bends_as_far_as_a_strip_alone),
        cmocka_unit_test(loads_repeat_around_a_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

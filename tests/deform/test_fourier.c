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
                                          "fourier(parts=walks)",
                                          "smooth(iterations=2),fourier" };
    for (uint32_t count = 2; count <= 7; count += 5) {
        sculpted* s = sculpt(1200, count, 0, 1);
        for (uint32_t k = 0; k < SUP_COUNT_OF(chains); ++k) {
            play   p = sculpted_play(s, chains[k]);
            double worst = 0;
            for (uint32_t j = 0; j < count; ++j) {
                play_hash(&p, s->examples[j].time);
                double e = 1000 * sculpted_rms(p.out, s->points[j], p.points) / (double)s->arm->mesh.diagonal;
                worst = fmax(worst, e); // E_RMS of the papers
            }
            if (!(worst < 2e-4)) fail_msg("%s with %u examples: E_RMS %g", chains[k], count, worst);
            play_end(&p);
        }
        sculpted_end(s);
    }
}

// E_RMS at the examples without what the series miss of them: the curves' own error.
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
    sculpted* s = sculpt(3000, 2, 0, 1);
    double    three = curve_error(s, "fourier(terms=3,residual=none)"), five = curve_error(s, "fourier(terms=5,residual=none)");
    double    nine = curve_error(s, "fourier(terms=9,residual=none)"), half = curve_error(s, "fourier(terms=3,residual=half)");
    print_message("  E_RMS of the curves alone: N = 3 %.3f, 5 %.3f, 9 %.3f; with half precision residuals %.5f\n", three, five,
                  nine, half);
    assert_true(five <= three * 1.001 && nine <= five * 1.001);
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
    static const char* const chains[] = { "fourier", "fourier(cycles=0.5)", "fourier(cycles=0.2)",
                                          "fourier(continuity=carry,cycles=1.3)", "fourier(residual=none)" };
    sculpted*                s = sculpt_on(600, 7, 0, 1, true); // the clip's own keys would jump in speed
    sup_vec3*                at[5];
    for (int i = 0; i < 5; ++i) at[i] = malloc(s->arm->mesh.point_count * sizeof(sup_vec3));
    for (uint32_t k = 0; k < SUP_COUNT_OF(chains); ++k) {
        play   p = sculpted_play(s, chains[k]);
        double h = 1e-3, jump = 0, speed = 0;
        for (uint32_t j = 1; j < 6; ++j) {
            for (int i = 0; i < 5; ++i) {
                play_hash(&p, s->examples[j].time + (i - 2) * h);
                memcpy(at[i], p.out, p.points * sizeof(sup_vec3));
            }
            for (uint32_t v = 0; v < p.points; ++v) { // one-sided, second order
                double left = (1.5 * at[2][v].y - 2.0 * at[1][v].y + 0.5 * at[0][v].y) / h;
                double right = (-1.5 * at[2][v].y + 2.0 * at[3][v].y - 0.5 * at[4][v].y) / h;
                jump = fmax(jump, fabs(left - right));
                speed = fmax(speed, fabs(left));
            }
        }
        print_message("  %s: jump %.4f, speed %.2f\n", chains[k], jump, speed);
        assert_true(jump < 0.02 * speed);
        play_end(&p);
    }
    for (int i = 0; i < 5; ++i) free(at[i]);
    sculpted_end(s);
}

// ---------------------------------------------------------------------------------------------- dynamics

static void without_inertia_it_is_the_plain_interpolation(void** state)
{
    (void)state;
    sculpted* s = sculpt(1200, 2, 0, 1);
    play      moving = sculpted_play(s, "fourier"), still = sculpted_play(s, "fourier(sway=0)");
    play      massless = sculpted_play(s, "fourier(expert=1,density=0,viscosity=0)");
    double    most = 0;
    for (int f = 0; f <= 10; ++f) {
        play_hash(&moving, f / 10.0), play_hash(&still, f / 10.0), play_hash(&massless, f / 10.0);
        double apart = sculpted_rms(moving.out, still.out, moving.points) / (double)s->arm->mesh.diagonal;
        assert_true(sculpted_rms(massless.out, still.out, still.points) < 1e-7);
        if (f == 0 || f == 10) assert_true(apart < 1e-7);
        most = fmax(most, apart);
    }
    print_message("  dynamic against static: %.3f%% of the diagonal\n", 100 * most);
    assert_true(most > 5e-4);
    play_end(&moving), play_end(&still), play_end(&massless), sculpted_end(s);
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

static play looped(const sculpted* s, const char* links)
{
    return play_chain((sup_chain_desc){ .character = &s->character, .clip = &s->clip, .links = links, .cycle_end = 1 },
                      (sup_instance_desc){ .clip = &s->clip, .loop = true });
}

static void a_loop_repeats_and_has_no_seam(void** state)
{
    (void)state;
    static const char* const chains[] = { "fourier",
                                          "fourier(cycles=0.3)",
                                          "fourier(cycles=2,damping=0.02)",
                                          "fourier(cycles=1,damping=0)",
                                          "fourier(continuity=carry,cycles=1.5)",
                                          "fourier(continuity=restart)" };
    sculpted*                s = sculpt_on(600, 4, 0, 0.8, true);
    sup_vec3*                at[5];
    for (int i = 0; i < 5; ++i) at[i] = malloc(s->arm->mesh.point_count * sizeof(sup_vec3));
    for (uint32_t k = 0; k < SUP_COUNT_OF(chains); ++k) {
        play p = looped(s, chains[k]);
        for (uint32_t j = 0; j < 4; ++j) {
            play_hash(&p, s->examples[j].time);
            assert_true(1000 * sculpted_rms(p.out, s->points[j], p.points) < 2e-4 * (double)s->arm->mesh.diagonal);
        }
        assert_true(play_hash(&p, 0) == play_hash(&p, 1)); // to the bit
        double h = 1e-3, jump = 0, speed = 0;
        for (int i = 0; i < 5; ++i) {
            play_hash(&p, i < 2 ? 1 + (i - 2) * h : (i - 2) * h);
            memcpy(at[i], p.out, p.points * sizeof(sup_vec3));
        }
        for (uint32_t v = 0; v < p.points; ++v) {
            double left = (1.5 * at[2][v].y - 2.0 * at[1][v].y + 0.5 * at[0][v].y) / h;
            double right = (-1.5 * at[2][v].y + 2.0 * at[3][v].y - 0.5 * at[4][v].y) / h;
            jump = fmax(jump, fabs(left - right));
            speed = fmax(speed, fabs(left));
        }
        print_message("  %s: jump of the speed over the seam %.4f of %.2f\n", chains[k], jump, speed);
        if (k + 1 < SUP_COUNT_OF(chains)) assert_true(jump < 0.02 * speed + 0.005);
        play_end(&p);
    }
    for (int i = 0; i < 5; ++i) free(at[i]);
    sculpted_end(s);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

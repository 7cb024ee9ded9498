// Notes of fourier about odd curves, examples and settings: every row of bad input, and the physical numbers.
#include "sculpted.h"

#include "deform/fourier/fourier.h"
#include "run/runner.h"

static void expect_failure(const sculpted* s, const char* links, const char* text)
{
    sup_chain*     chain = NULL;
    sup_error      error;
    sup_chain_desc desc = { .character = &s->character, .clip = &s->clip, .links = links };
    assert_int_not_equal(sup_chain_create(&desc, &chain, &error), SUP_OK);
    if (!strstr(error.text, text)) fail_msg("'%s' does not hold '%s'", error.text, text);
}

static void expect_note(const play* p, const char* text)
{
    for (uint32_t i = 0; i < sup_chain_note_count(p->chain); ++i)
        if (strstr(sup_chain_note(p->chain, i), text)) return;
    for (uint32_t i = 0; i < sup_chain_note_count(p->chain); ++i) print_message("  said: %s\n", sup_chain_note(p->chain, i));
    fail_msg("nothing says '%s'", text);
}

static uint64_t counted(const play* p, const char* name)
{
    for (uint32_t i = 0; i < p->stats.count; ++i)
        if (strcmp(p->stats.items[i].name, name) == 0) return p->stats.items[i].times;
    return 0;
}

static void bad_examples_and_settings_get_a_sentence(void** state)
{
    (void)state;
    sculpted* s = sculpt(600, 3, 0, 1);
    s->points[1][17].y = NAN;
    expect_failure(s, "fourier", "example 'sculpt': point 17 is not a finite number");
    s->points[1][17].y = INFINITY;
    expect_failure(s, "fourier", "example 'sculpt': point 17 is not a finite number");
    s->points[1][17].y = 0;
    s->examples[1].time = 1.0;
    s->examples[1].name = "second";
    expect_failure(s, "fourier", "fourier: examples 'second' and 'sculpt' stand at the same time, 1 s; move one");
    s->examples[1].time = -1;
    expect_failure(s, "fourier", "fourier: example 'second' stands at -1 s; give a time of the clip");
    s->examples[1].time = 0.5;
    // density, viscosity, sigma < 0, E <= 0, nu outside (-1, 0.5], h <= 0
    expect_failure(s, "fourier(density=-1)", "fourier.density cannot be -1; give a value from 0 to 100000");
    expect_failure(s, "fourier(viscosity=-1)", "fourier.viscosity cannot be -1");
    expect_failure(s, "fourier(restoring=-1)", "fourier.restoring cannot be -1");
    expect_failure(s, "fourier(young=0)", "fourier.young cannot be 0");
    expect_failure(s, "fourier(poisson=-1)", "fourier.poisson cannot be -1");
    expect_failure(s, "fourier(poisson=0.6)", "fourier.poisson cannot be 0.6");
    expect_failure(s, "fourier(thickness=0)", "fourier.thickness cannot be 0");
    expect_failure(s, "fourier(terms=0)", "fourier.terms cannot be 0; give a value from 1 to 64");
    expect_failure(s, "fourier(groups=_NONE*)", "fourier: groups '_NONE*': 'arm' has no such map");
    s->character.example_count = 0;
    expect_failure(s, "fourier", "fourier: 'arm' has no example shapes; give them with --example T=FILE");
    sculpted_end(s);
}

static void times_outside_the_examples_are_held(void** state)
{
    (void)state;
    sculpted* s = sculpt_on(300, 3, 0.2, 0.8, true);
    play      p = sculpted_play(s, "fourier");
    assert_true(play_hash(&p, -5) == play_hash(&p, 0.2));
    assert_true(play_hash(&p, 0.1) == play_hash(&p, 0.2));
    assert_true(play_hash(&p, 7) == play_hash(&p, 0.8));
    play_end(&p), sculpted_end(s);
}

// Physical numbers are the animator's in disguise: density 1, viscosity 2.4, restoring 36 over 1 s are 6 radians and 0.2.
static void physical_numbers_map_to_cycles_damping_and_spread(void** state)
{
    (void)state;
#define PHYSICAL "expert=1,density=1,viscosity=2.4,restoring=36,young=10000,poisson=0.5,thickness=0.1"
    // beta = 1e4 / (12 (1 - 0.25)) x 0.1^3 = 10 / 9, spread = beta (2 pi)^p / 36; over half a second 3 radians.
    sculpted* s = sculpt_on(300, 2, 0, 0.5, true);
    play      p = sculpted_play(s, "fourier(" PHYSICAL ")"), q = sculpted_play(s, "fourier(" PHYSICAL ",order=fourth)");
    play      animator = sculpted_play(s, "fourier(cycles=0.4774648,damping=0.2,spread=1.218469679,law=mass)");
    expect_note(&p, "these numbers are cycles=0.4775, damping=0.2, spread=1.218, law=mass");
    expect_note(&q, "these numbers are cycles=0.4775, damping=0.2, spread=48.1, law=mass");
    play_hash(&p, 0.2), play_hash(&animator, 0.2);
    assert_true(sculpted_rms(p.out, animator.out, p.points) < 1e-7);
    play_end(&p), play_end(&q), play_end(&animator), sculpted_end(s);
}

static void numbers_too_slow_to_swing_are_said_with_what_would(void** state)
{
    (void)state;
    sculpted* s = sculpt_on(300, 2, 0, 1, true);
    play      p = sculpted_play(s, "fourier(expert=1)"), q = sculpted_play(s, "fourier(expert=1,density=2)");
    expect_note(&p, "even the fastest wave takes 21 times the whole motion for one swing, so that everything only follows");
    play_hash(&p, 0.5);
    assert_true(counted(&p, "fourier.too_slow_to_swing") == 1);
    // gamma(0.5) = 0.125: an eighth of the way.
    play still = sculpted_play(s, "fourier(sway=0)");
    play_hash(&still, 0.5);
    double full = 0, now = 0;
    for (uint32_t i = 0; i < p.points; ++i) { // both in the rest frame, from the first example
        full += (double)v3_distance(still.out[i], s->points[0][i]);
        now += (double)v3_distance(p.out[i], s->points[0][i]);
    }
    print_message("  half-way: %.4f of the change\n", 0.5 * now / full);
    assert_true(fabs(0.5 * now / full - 0.125) < 0.01);
    for (uint32_t i = 0; i < sup_chain_note_count(q.chain); ++i)
        assert_null(strstr(sup_chain_note(q.chain, i), "only follows")); // the cure it names is one
    play_end(&p), play_end(&q), play_end(&still), sculpted_end(s);
}

static void odd_settings_are_said(void** state)
{
    (void)state;
    sculpted* s = sculpt_on(300, 7, 0, 1, true);
    play      grows = sculpted_play(s, "fourier(continuity=carry,cycles=0.3,damping=0)");
    play      light = sculpted_play(s, "fourier(expert=1,density=0,viscosity=1,continuity=carry)");
    play      rough = sculpted_play(s, "fourier(terms=40)");
    expect_note(&grows, "from example to example; raise cycles or damping, or take continuity=auto");
    play_hash(&grows, 0.4);
    assert_true(counted(&grows, "fourier.carry_grows") > 0);
    expect_note(&light, "density=0: without mass no rate is kept over an example");
    expect_note(&rough, "curves have too few points, or too far apart, for 40 waves: they get fewer, down to ");
    play_hash(&rough, 0.4);
    assert_true(counted(&rough, "fourier.curves_with_fewer_waves") > 0);
    play_end(&grows), play_end(&light), play_end(&rough), sculpted_end(s);
}

// rho = eta = 0 with h = 0 for a mode: that mode is static.
static void a_mode_without_anything_is_static(void** state)
{
    (void)state;
    sculpted* s = sculpt_on(300, 2, 0, 1, true);
    play p = sculpted_play(s, "fourier(expert=1,density=0,viscosity=0,restoring=0)"), q = sculpted_play(s, "fourier(sway=0)");
    play_hash(&p, 0.3), play_hash(&q, 0.3);
    assert_true(sculpted_rms(p.out, q.out, p.points) < 1e-7);
    play_end(&p), play_end(&q), sculpted_end(s);
}

// A sculpt at the end of a loop coincides with the first: the first counts, and a note reports a difference.
static void at_the_end_of_a_loop_the_first_example_counts(void** state)
{
    (void)state;
    sculpted*      s = sculpt_on(300, 3, 0, 1, true);
    sup_chain_desc desc = { .character = &s->character, .clip = &s->clip, .links = "fourier", .cycle_end = 1 };
    s->examples[0].name = "first", s->examples[2].name = "last";
    play p = play_chain(desc, (sup_instance_desc){ .clip = &s->clip, .loop = true });
    expect_note(&p, "example 'last' at 1 s is where the loop begins again with 'first', which counts; they differ by up to ");
    play_hash(&p, 1);
    assert_true(sculpted_rms(p.out, s->points[0], p.points) < 1e-7);
    assert_true(play_hash(&p, 0) == play_hash(&p, 1)); // seam error zero
    play_end(&p);
    memcpy(s->points[2], s->points[0], s->arm->mesh.point_count * sizeof(sup_vec3));
    p = play_chain(desc, (sup_instance_desc){ .clip = &s->clip, .loop = true });
    for (uint32_t i = 0; i < sup_chain_note_count(p.chain); ++i) assert_null(strstr(sup_chain_note(p.chain, i), "'last'"));
    play_end(&p), sculpted_end(s);
}

static const fourier_bound* bound_of(const play* p) { return p->chain->links[sup_chain_link_count(p->chain) - 1].binding.data; }

// Where the carried rates of a cycle have no solution, waves use the prescribed form, wrapped around: no seam either way.
static void near_a_resonance_of_the_loop_rates_are_prescribed(void** state)
{
    (void)state;
    sculpted* s = sculpt_on(200, 2, 0, 0.5, true);
    sup_vec3* at[4];
    uint32_t  singular = 0, plain = 0;
    for (int i = 0; i < 4; ++i) at[i] = malloc(s->arm->mesh.point_count * sizeof(sup_vec3));
    for (int c = 1; c <= 40; ++c) {
        char links[96];
        sup_format(links, sizeof links, "fourier(curves=4,terms=2,continuity=carry,damping=0,spread=0,cycles=%g)", 0.1 * c);
        play p = play_chain((sup_chain_desc){ .character = &s->character, .clip = &s->clip, .links = links, .cycle_end = 1 },
                            (sup_instance_desc){ .clip = &s->clip, .loop = true });
        uint32_t wrapped = bound_of(&p)->dynamics.modal.seamless;
        double   h = 1e-3, jump = 0, speed = 0;
        singular += wrapped > 0, plain += wrapped == 0;
        assert_true(play_hash(&p, 0) == play_hash(&p, 1)); // to the bit
        for (int i = 0; i < 4; ++i) {
            play_hash(&p, i < 2 ? 1 - (2 - i) * h : (i - 1) * h);
            memcpy(at[i], p.out, p.points * sizeof(sup_vec3));
        }
        play_hash(&p, 0);
        for (uint32_t v = 0; v < p.points; ++v) { // one-sided, second order
            double left = (1.5 * p.out[v].y - 2.0 * at[1][v].y + 0.5 * at[0][v].y) / h;
            double right = (-1.5 * p.out[v].y + 2.0 * at[2][v].y - 0.5 * at[3][v].y) / h;
            jump = fmax(jump, fabs(left - right)), speed = fmax(speed, fabs(left));
        }
        if (!(jump < 0.02 * speed + 0.005)) fail_msg("%s: the speed jumps by %g of %g", links, jump, speed);
        play_end(&p);
    }
    print_message("  of 40 frequencies %u had waves without a solution\n", singular);
    assert_true(singular > 0 && plain > 0);
    for (int i = 0; i < 4; ++i) free(at[i]);
    sculpted_end(s);
}

static void curves_and_spacing_set_how_many_there_are(void** state)
{
    (void)state;
    static const char* const chains[] = { "fourier(curves=16)", "fourier(curves=32)", "fourier(spacing=0.05)",
                                          "fourier(spacing=0.025)" };
    sculpted*                s = sculpt_on(1200, 2, 0, 1, true);
    uint32_t                 count[4];
    for (int k = 0; k < 4; ++k) {
        play p = sculpted_play(s, chains[k]);
        count[k] = bound_of(&p)->net.curves.curve_count;
        play_end(&p);
    }
    print_message("  16 on the longest limb: %u, 32: %u; every 0.05 diagonals: %u, 0.025: %u\n", count[0], count[1], count[2],
                  count[3]);
    assert_true(count[1] > 1.7 * count[0] && count[1] < 2.3 * count[0]);
    assert_true(count[3] > 1.7 * count[2] && count[3] < 2.3 * count[2]);
    sculpted_end(s);
}

// Coincident points: their share of the length is zero, the fit and the skin stay finite, copies move alike.
static void duplicate_points_share_the_result(void** state)
{
    (void)state;
    sculpted* s = sculpt_on(300, 2, 0, 1, true);
    sup_vec3* points = (sup_vec3*)s->character.mesh.points;
    for (uint32_t i = 40; i < 60; i += 2) {
        points[i] = points[i + 1];
        for (int j = 0; j < 2; ++j) s->points[j][i] = s->points[j][i + 1];
    }
    play p = sculpted_play(s, "fourier"), q = sculpted_play(s, "fourier(way=along)");
    play_hash(&p, 0.37), play_hash(&q, 0.37);
    for (uint32_t i = 0; i < p.points; ++i) assert_true(isfinite(p.out[i].x) && isfinite(q.out[i].y));
    for (uint32_t i = 40; i < 60; i += 2) {
        assert_true(v3_distance(p.out[i], p.out[i + 1]) < 1e-4f * s->arm->mesh.diagonal);
        assert_true(v3_distance(q.out[i], q.out[i + 1]) < 5e-4f * s->arm->mesh.diagonal); // lines pass between them
    }
    play_end(&p), play_end(&q), sculpted_end(s);
}

// An arm pinched to a point: the ring there has no length, so its v go by index, and it moves only by its mean.
static void a_curve_without_length_moves_by_its_mean_and_is_said(void** state)
{
    (void)state;
    sculpted* s = sculpt_on(600, 2, 0, 1, true);
    sup_vec3 *points = (sup_vec3*)s->character.mesh.points, middle = { 0, 0, 0 };
    uint32_t  n = s->character.mesh.point_count, first = SUP_NONE, count = 0;
    for (uint32_t i = 0; i < n; ++i) { // a section in the middle of the forearm
        if (first == SUP_NONE && points[i].x > 0.4f) first = i;
        if (first == SUP_NONE || fabsf(points[i].x - points[first].x) > 1e-5f) continue;
        middle = v3_add(middle, points[i]), ++count;
    }
    middle = v3_scale(middle, 1 / (float)count);
    for (uint32_t i = 0, x = 0; i < n; ++i) {
        if (fabsf(points[i].x - middle.x) > 1e-5f) continue;
        points[i] = middle;
        for (int j = 0; j < 2; ++j) s->points[j][i] = v3(middle.x, middle.y + 0.01f * (float)j, middle.z);
        assert_true(x++ < count);
    }
    play p = sculpted_play(s, "fourier(way=planes,curves=100)"),
         mean = sculpted_play(s, "fourier(way=planes,curves=100,residual=none,turning=0)");
    const fourier_bound* b = bound_of(&p);
    print_message("  %u points in one place, %u of %u rings without length\n", count, b->net.flat, b->net.curves.curve_count);
    assert_true(b->net.flat > 0);
    expect_note(&p, "has no length and moves by its mean (");
    play_hash(&p, 1);
    assert_true(counted(&p, "fourier.curves_without_length") == b->net.flat);
    assert_true(sculpted_rms(p.out, s->points[1], n) < 1e-7 * (double)s->arm->mesh.diagonal); // the sculpt all the same
    play_hash(&p, 0.37), play_hash(&mean, 1);
    for (uint32_t i = 0; i < n; ++i) assert_true(isfinite(p.out[i].x) && isfinite(p.out[i].y) && isfinite(p.out[i].z));
    for (uint32_t k = 0; k < b->net.curves.curve_count; ++k) {
        const sup_curve* c = &b->net.curves.curves[k];
        if (k != b->net.first_flat) continue;
        assert_int_equal(b->net.series[k].terms, 0);
        for (uint32_t i = 0; i < c->count; ++i) { // they went up by 0.01 as one
            assert_true(fabs(b->net.v[c->begin + i] - (double)i / c->count) < 1e-12);
            uint32_t at = b->net.curves.points[c->begin + i].a;
            assert_true(fabsf(mean.out[at].y - middle.y - 0.01f) < 1e-4f);
        }
    }
    play_end(&p), play_end(&mean), sculpted_end(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_examples_and_settings_get_a_sentence),
        cmocka_unit_test(times_outside_the_examples_are_held),
        cmocka_unit_test(physical_numbers_map_to_cycles_damping_and_spread),
        cmocka_unit_test(numbers_too_slow_to_swing_are_said_with_what_would),
        cmocka_unit_test(odd_settings_are_said),
        cmocka_unit_test(a_mode_without_anything_is_static),
        cmocka_unit_test(at_the_end_of_a_loop_the_first_example_counts),
        cmocka_unit_test(near_a_resonance_of_the_loop_rates_are_prescribed),
        cmocka_unit_test(curves_and_spacing_set_how_many_there_are),
        cmocka_unit_test(duplicate_points_share_the_result),
        cmocka_unit_test(a_curve_without_length_moves_by_its_mean_and_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

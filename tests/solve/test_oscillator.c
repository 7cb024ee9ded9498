// The test vectors come from 60-digit arithmetic and an independent integrator.
#include "support.h"

#include "solve/curves/oscillator.h"

#include <math.h>

#define PI 3.14159265358979323846

static void near(double value, double expected, double tolerance, const char* what)
{
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%s is %.13g and should be %.13g", what, value, expected);
}

// A small generator of our own: the same cases on every platform.
static double random_unit(uint64_t* seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) * 0x1p-53;
}

typedef struct vector {
    double rho, eta, h, t, gamma, gamma_rate, psi, psi_rate;
} vector;

static void every_branch_gives_the_reference_values(void** state)
{
    (void)state;
    static const vector cases[] = {
        { 1, 0.6, 40, 0.25, 0.089398132132, 0.971556566300, 0.146849045664, -0.051998624713 },
        { 1, 0.6, 40, 0.5, 0.478187666587, 1.876087480681, -0.002333111502, -0.859881831530 },
        { 1, 0.6, 40, 1, 1, 0.260467137295, 0.004015666429, 0.739179027824 },
        { 1, 20, 40, 0.25, 0.070794702000, 0.631962793121, 0.035978155721, -0.069258566133 },
        { 1, 20, 40, 0.5, 0.297560372765, 1.136501649758, 0.020904962827, -0.046980358580 },
        { 1, 20, 40, 1, 1, 1.589869667185, 0.006776104116, -0.015273544739 },
        { 1, 4, 4, 0.25, 0.030159631862, 0.333261246712, 0.151632664928, 0.303265329856 },
        { 1, 4, 4, 0.5, 0.191447346612, 0.976246221006, 0.183939720586, 0 },
        { 1, 4, 4, 1, 1, 2.194528049465, 0.135335283237, -0.135335283237 },
        { 1, 0, 4 * PI * PI, 0.25, 0.090845056908, 1, 0.159154943092, 0 },
        { 1, 0, 4 * PI * PI, 0.75, 0.909154943092, 1, -0.159154943092, 0 },
        { 1, 0.5, 0, 0.5, 0.132609876178, 0.779691711325, 0.442398433857, 0.778800783071 },
        { 1, 0.5, 0, 1, 1, 2.883986597656, 0.786938680575, 0.606530659713 },
        { 1, 0, 0, 0.5, 0.125, 0.75, 0.5, 1 },
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const vector*  c = &cases[i];
        sup_oscillator o = sup_oscillator_make(c->rho, c->eta, c->h, SUP_RAMP_LINEAR);
        sup_sway       s = sup_oscillator_sway(&o, c->t);
        double         psi = s.start + s.value * o.psi, psi_rate = s.start_rate + s.value_rate * o.psi;
        near(s.value, c->gamma, 1e-10, "gamma");
        near(s.value_rate, c->gamma_rate, 1e-10, "gamma'");
        near(psi, c->psi, 1e-10, "psi");
        near(psi_rate, c->psi_rate, 1e-10, "psi'");
    }
    sup_oscillator lag = sup_oscillator_make(0, 0.5, 2, SUP_RAMP_LINEAR);
    near(sup_oscillator_sway(&lag, 0.25).value, 0.121882362610, 1e-10, "first order");
    near(sup_oscillator_sway(&lag, 0.5).value, 0.376148626939, 1e-10, "first order");
    near(sup_oscillator_sway(&lag, 0.75).value, 0.679116207052, 1e-10, "first order");
    sup_oscillator still = sup_oscillator_make(0, 0, 5, SUP_RAMP_LINEAR);
    near(sup_oscillator_sway(&still, 0.3).value, 0.3, 0, "static");
    near(sup_oscillator_sway(&still, 0.3).value_rate, 1, 0, "static rate");
}

static void smooth_ramps_give_the_reference_values(void** state)
{
    (void)state;
    static const double cases[4][5] = {
        { 1, 0.6, 40, 0.265403767085, 0.186054151227 },
        { 1, 20, 40, 0.211008940975, 0.169288953196 },
        { 1, 4, 4, 0.125961036632, 0.094886101567 },
        { 1, 0, 4 * PI * PI, 0.266892601629, 0.184008937398 },
    };
    for (uint32_t i = 0; i < 4; ++i) {
        const double*  c = cases[i];
        sup_oscillator a = sup_oscillator_make(c[0], c[1], c[2], SUP_RAMP_SMOOTHSTEP);
        sup_oscillator b = sup_oscillator_make(c[0], c[1], c[2], SUP_RAMP_SMOOTHERSTEP);
        near(sup_oscillator_sway(&a, 0.5).value, c[3], 1e-10, "smoothstep");
        near(sup_oscillator_sway(&b, 0.5).value, c[4], 1e-10, "smootherstep");
    }
    for (int r = SUP_RAMP_LINEAR; r <= SUP_RAMP_SMOOTHERSTEP; ++r) {
        near(sup_ramp_value(r, 0), 0, 0, "ramp at 0");
        near(sup_ramp_value(r, 1), 1, 1e-15, "ramp at 1");
        near((sup_ramp_value(r, 0.3 + 1e-6) - sup_ramp_value(r, 0.3 - 1e-6)) / 2e-6, sup_ramp_rate(r, 0.3), 1e-8, "ramp rate");
    }
}

static void the_exact_stepper_gives_the_reference_values(void** state)
{
    (void)state;
    sup_oscillator o = sup_oscillator_make(1, 2.4, 36, SUP_RAMP_LINEAR);
    double         p[SUP_OSCILLATOR_ORDERS], dt = 1.0 / 30.0, y = 0, v = 0;
    sup_oscillator_responses(&o, dt, p);
    near(p[0], 3.182173940446e-02, 1e-13, "P_0");
    near(p[1], 5.392409832964e-04, 1e-15, "P_1");
    near(p[2], 6.039321359956e-06, 1e-17, "P_2");
    sup_oscillator_step s = sup_oscillator_prepare(&o, dt);
    for (int i = 0; i < 30; ++i) sup_oscillator_advance(&s, 36 * i * dt, 36 * (i + 1) * dt, &y, &v);
    near(y, 0.970339901818, 1e-10, "y");
    near(v, 0.747293022064, 1e-10, "y'");
}

static void steps_of_any_length_agree(void** state)
{
    (void)state;
    static const double cases[][3] = { { 1, 2.4, 36 }, { 1, 20, 40 }, { 1, 4, 4 }, { 0, 0.5, 2 }, { 0, 0, 5 }, { 2, 0, 0 } };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sup_oscillator      o = sup_oscillator_make(cases[i][0], cases[i][1], cases[i][2], SUP_RAMP_LINEAR);
        sup_oscillator_step one = sup_oscillator_prepare(&o, 1.5), many = sup_oscillator_prepare(&o, 1.5 / 64);
        double              y = 0.2, v = cases[i][0] > 0 ? -0.7 : 0, z = y, u = v;
        sup_oscillator_advance(&one, 3, -5, &y, &v);
        for (int k = 0; k < 64; ++k) sup_oscillator_advance(&many, 3 - 8 * k / 64.0, 3 - 8 * (k + 1) / 64.0, &z, &u);
        near(y, z, 1e-10, "y in one step");
        near(v, u, 1e-9, "y' in one step");
    }
}

static void settling_rings_out_to_the_value(void** state)
{
    (void)state;
    static const double expected[][2] = {
        { 0.25, 1.0965535879 }, { 0.5, 1.0144388218 }, { 1, 0.9844745060 }, { 2, 0.9914020342 }
    };
    sup_oscillator o = sup_oscillator_make(1, 2.4, 36, SUP_RAMP_LINEAR);
    for (uint32_t i = 0; i < 4; ++i)
        near(1 + o.gamma_rate * sup_oscillator_settle(&o, expected[i][0]), expected[i][1], 1e-9, "settle");
    near(1 + o.gamma_rate * sup_oscillator_settle(&o, 20), 1, 1e-9, "settled");
}

static void carried_rates_give_the_reference_values(void** state)
{
    (void)state;
    static const double target[3] = { 1, -0.5, 0.25 }, half[3] = { 0.391865540610, -0.175410042391, 0.094202827153 };
    static const double rate[3] = { 0.770135311002, -0.141231171728, 0.147817903391 };
    static const double force[3] = { 37.100401552626, -17.974198714867, 9.169470319137 };
    sup_oscillator      o = sup_oscillator_make(1, 2.4, 36, SUP_RAMP_LINEAR);
    double              v = 0;
    near(o.mu, 0.316615119823, 1e-10, "mu");
    for (int j = 0; j < 3; ++j) {
        sup_sway s = sup_oscillator_sway(&o, 0.5);
        near(s.value * target[j] + s.start * v, half[j], 1e-10, "y(0.5)");
        near((target[j] - o.psi * v) * o.share, force[j], 1e-9, "force");
        v = o.gamma_rate * target[j] + o.mu * v;
        near(v, rate[j], 1e-10, "end rate");
    }
}

static void the_dynamic_hermite_gives_the_reference_values(void** state)
{
    (void)state;
    sup_oscillator o = sup_oscillator_make(1, 0.4, 4, SUP_RAMP_LINEAR); // 2 radians per segment, damping ratio 0.1
    assert_true(o.carry_grows);
    double Y = 1, v0 = 0.5, v1 = 0.2, a = Y - o.psi * v0, b = v1 - o.psi_rate * v0;
    near(o.hermite[0][0] * a + o.hermite[0][1] * b, 3.9360600109, 1e-9, "e0");
    near(o.hermite[1][0] * a + o.hermite[1][1] * b, -3.4179495695, 1e-9, "e1");
    sup_sway s = sup_oscillator_hermite(&o, 0.5), first = sup_oscillator_hermite(&o, 0), last = sup_oscillator_hermite(&o, 1);
    near(s.value * Y + s.start * v0 + s.end * v1, 0.5502980677, 1e-10, "y(0.5)");
    near(first.value, 0, 0, "value at 0"), near(first.start_rate, 1, 1e-14, "rate at 0"), near(first.end_rate, 0, 1e-14, "");
    near(last.value, 1, 0, "value at 1"), near(last.end_rate, 1, 1e-13, "rate at 1"), near(last.start_rate, 0, 1e-13, "");
    sup_oscillator mass = sup_oscillator_make(1, 0, 0, SUP_RAMP_LINEAR);
    sup_sway       m = sup_oscillator_hermite(&mass, 0.5); // the cubic Hermite: 1/2, 1/8, -1/8
    near(m.value * Y + m.start * v0 + m.end * v1, 0.5375, 1e-14, "cubic Hermite");
}

static void rates_are_continuous_from_segment_to_segment(void** state)
{
    (void)state;
    // Unequal durations, carried and prescribed: the rate at the end of one segment is the rate at the start of the next, per
    // second.
    static const double seconds[] = { 1, 0.4, 2.5, 1.7 }, target[] = { 1, -0.6, 0.3, -0.9 };
    for (int form = 0; form < 2; ++form) {
        sup_oscillator free =
            form ? sup_oscillator_make(1, 0.3, 2, SUP_RAMP_LINEAR) : sup_oscillator_make(1, 2.4, 80, SUP_RAMP_LINEAR);
        double v = form ? 0.35 : 0, worst = 0;
        for (int j = 0; j < 4; ++j) {
            sup_oscillator o = sup_oscillator_last(&free, seconds[j]);
            double         start = v * seconds[j], end = 0.2 * j - 0.3;
            assert_true(!form || o.hermite_fits);
            sup_sway a = form ? sup_oscillator_hermite(&o, 0) : sup_oscillator_sway(&o, 0);
            sup_sway b = form ? sup_oscillator_hermite(&o, 1) : sup_oscillator_sway(&o, 1);
            double   first = a.value_rate * target[j] + a.start_rate * start + a.end_rate * end;
            double   last = b.value_rate * target[j] + b.start_rate * start + b.end_rate * end;
            worst = fmax(worst, fabs(first - start));
            v = form ? end / seconds[j] : (o.gamma_rate * target[j] + o.mu * start) / seconds[j];
            worst = fmax(worst, fabs(last / seconds[j] - v));
        }
        assert_true(worst < 1e-9);
    }
}

static void carrying_is_given_up_where_it_grows(void** state)
{
    (void)state;
    // Largest frequency with |mu| >= 1, for some damping ratios.
    static const double limit[][2] = { { 0.05, 2.91 }, { 0.1, 2.69 }, { 0.2, 2.31 }, { 0.5, 1.53 }, { 1, 0.92 }, { 2, 0.49 } };
    for (uint32_t i = 0; i < 6; ++i) {
        double         z = limit[i][0], w = limit[i][1];
        sup_oscillator below = sup_oscillator_make(1, 2 * z * (w - 0.01), (w - 0.01) * (w - 0.01), SUP_RAMP_LINEAR);
        sup_oscillator above = sup_oscillator_make(1, 2 * z * (w + 0.01), (w + 0.01) * (w + 0.01), SUP_RAMP_LINEAR);
        assert_true(fabs(below.mu) > 1 && fabs(above.mu) < 1);
        assert_true(below.carry_grows);
    }
    sup_oscillator usual = sup_oscillator_make(1, 2 * 0.15 * 2 * PI, 4 * PI * PI, SUP_RAMP_LINEAR);
    assert_false(usual.carry_grows);
    // A thousand segments between random goals within 1: the rate never exceeds a few units.
    uint64_t seed = 7;
    double   v = 0, worst = 0, from = 0;
    for (int j = 0; j < 1000; ++j) {
        double to = 2 * random_unit(&seed) - 1;
        v = usual.gamma_rate * (to - from) + usual.mu * v;
        from = to;
        worst = fmax(worst, fabs(v));
    }
    assert_true(worst < 2.2); // twice 1.05: two neighbors differ by up to 2
}

// With the linear ramp gamma' = P_1(t) / R(1) >= 0. The smooth ramps brake, and a lightly damped mode then swings a little
// about the ramp: gamma may exceed 1 by an eighth there, and returns to 1 at the end.
static void gamma_rises_from_0_to_1_and_turns_back_only_under_a_braking_ramp(void** state)
{
    (void)state;
    double   over = 0;
    uint64_t seed = 1;
    for (int i = 0; i < 3000; ++i) {
        double rho = random_unit(&seed) < 0.1 ? 0 : exp(12 * random_unit(&seed) - 6);
        double eta = random_unit(&seed) < 0.1 ? 0 : exp(12 * random_unit(&seed) - 6);
        double h = random_unit(&seed) < 0.1 ? 0 : exp(16 * random_unit(&seed) - 6);
        if (i % 5 == 0 && rho > 0) eta = 2 * sqrt(h * rho) * (1 + 1e-3 * (random_unit(&seed) - 0.5)); // near critical
        sup_oscillator o = sup_oscillator_make(rho, eta, h, (sup_ramp)(i % 3));
        assert_true(sup_oscillator_sway(&o, 0).value == 0);
        assert_true(sup_oscillator_sway(&o, 1).value == 1);
        assert_true(sup_oscillator_sway(&o, 1).start == 0);
        double before = 0;
        for (int k = 1; k <= 20; ++k) {
            sup_sway s = sup_oscillator_sway(&o, k / 20.0);
            assert_true(isfinite(s.value) && isfinite(s.start));
            over = fmax(over, s.value - 1);
            if (o.ramp == SUP_RAMP_LINEAR && (s.value < before - 1e-12 || s.value_rate < -1e-9))
                fail_msg("gamma turns back: rho %g eta %g h %g t %g", rho, eta, h, k / 20.0);
            before = s.value;
        }
    }
    assert_true(over < 0.15);
}

// gamma as h sweeps slowly through the boundary between two branches: no jump.
static void sweep(double rho, double eta, double from, double step, double t)
{
    double before = 0;
    for (int i = 0; i < 400; ++i) {
        sup_oscillator o = sup_oscillator_make(rho, eta, from + i * step, SUP_RAMP_LINEAR);
        double         now = sup_oscillator_sway(&o, t).value;
        if (i > 0) near(now, before, 1e-7, "gamma across a branch");
        before = now;
    }
}

static void branches_meet_without_a_jump(void** state)
{
    (void)state;
    sweep(1, 0.5, 0, 1e-6, 0.5);             // from h = 0
    sweep(1, 4, 4 - 2e-4, 1e-6, 0.5);        // through critical, both limits of that branch
    sweep(1, 4, 4 - 1e-4 - 2e-6, 1e-8, 0.9); // over-damped to near critical at t = 1
    sweep(1, 0.2, 1 - 2e-4, 1e-6, 1.0);      // the series ends at h t^2 = 1
    // No mass is the limit of little mass.
    sup_oscillator none = sup_oscillator_make(0, 0.5, 2, SUP_RAMP_LINEAR), little = sup_oscillator_make(1e-12, 0.5, 2, 0);
    near(sup_oscillator_sway(&little, 0.5).value, sup_oscillator_sway(&none, 0.5).value, 1e-10, "little mass");
    sup_oscillator tiny = sup_oscillator_make(1e-305, 0.5, 2, 0);
    near(sup_oscillator_sway(&tiny, 0.5).value, sup_oscillator_sway(&none, 0.5).value, 1e-14, "tiny mass");
}

static void a_longer_segment_is_the_same_motion_in_seconds(void** state)
{
    (void)state;
    // Step through 2.5 s with the stepper, and compare with one segment of that duration.
    sup_oscillator      o = sup_oscillator_make(1, 2.4, 36, SUP_RAMP_LINEAR), last = sup_oscillator_last(&o, 2.5);
    sup_oscillator_step s = sup_oscillator_prepare(&o, 0.01);
    double              e = (1 - last.psi * 0.3 * 2.5) * last.share, y = 0, v = 0.3; // rate per second
    for (int i = 0; i < 100; ++i) sup_oscillator_advance(&s, e * i / 250, e * (i + 1) / 250, &y, &v);
    sup_sway w = sup_oscillator_sway(&last, 0.4);
    near(w.value + w.start * 0.3 * 2.5, y, 1e-10, "y");
    near((w.value_rate + w.start_rate * 0.3 * 2.5) / 2.5, v, 1e-10, "y'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_branch_gives_the_reference_values),
        cmocka_unit_test(smooth_ramps_give_the_reference_values),
        cmocka_unit_test(the_exact_stepper_gives_the_reference_values),
        cmocka_unit_test(steps_of_any_length_agree),
        cmocka_unit_test(settling_rings_out_to_the_value),
        cmocka_unit_test(carried_rates_give_the_reference_values),
        cmocka_unit_test(the_dynamic_hermite_gives_the_reference_values),
        cmocka_unit_test(rates_are_continuous_from_segment_to_segment),
        cmocka_unit_test(carrying_is_given_up_where_it_grows),
        cmocka_unit_test(gamma_rises_from_0_to_1_and_turns_back_only_under_a_braking_ramp),
        cmocka_unit_test(branches_meet_without_a_jump),
        cmocka_unit_test(a_longer_segment_is_the_same_motion_in_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

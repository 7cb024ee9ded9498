#include "base/internal.h"
#include "math/trig.h"
#include "solve/curves/closed_form.h"
#include "solve/curves/least_force.h"
#include "solve/curves/oscillator.h"
#include "support.h"

#include <math.h>

static const double sizes[] = { 0, 1e-9, 1e-4, 0.01, 0.3, 1, 2.2, 2.3, 4, 30, 400, 1e4 };

// Compared with the branches of solve/curves/oscillator.h: polynomial forces up to t^5 and start rates, over all dampings and
// stiffnesses.
static double closed_value(const sup_closed_form* form, double t)
{
    double sum = 0;
    for (int i = SUP_CLOSED_POWERS - 1; i >= 0; --i) sum = sum * t + form->powers[i];
    for (int i = 0; i < SUP_CLOSED_SWINGS; ++i) {
        const sup_fourier_element* e = &form->swing[i];
        sum += e->amplitude * (e->power > 0 ? t : 1) * sup_exp(e->growth * (t - e->from)) * sup_cos(e->wave * t - e->phase);
    }
    return sum;
}

static void solutions_agree_with_the_oscillator_everywhere(void** state)
{
    (void)state;
    double worst = 0;
    for (uint32_t e = 0; e < SUP_COUNT_OF(sizes); ++e)
        for (uint32_t s = 0; s < SUP_COUNT_OF(sizes); ++s)
            for (int near = 0; near < 3; ++near) {
                double eta = sizes[e],
                       h = near ? 0.25 * eta * eta * (1 + (near - 1) * 1e-6) : sizes[s]; // at and beside critical
                sup_oscillator o = sup_oscillator_make(1, eta, h, SUP_RAMP_LINEAR);
                for (int k = 0; k <= SUP_CLOSED_DERIVATIVES; ++k)
                    for (int i = 0; i <= 10; ++i) {
                        sup_closed_task task = { .rate = k == 0 };
                        double          p[SUP_OSCILLATOR_ORDERS], t = i / 10.0;
                        if (k) task.force[k - 1] = 1;
                        sup_closed_form form = sup_closed_solve(eta, h, &task, false);
                        sup_oscillator_responses(&o, t, p);
                        double off = fabs(closed_value(&form, t) - p[k]);
                        if (!(off < 1e-9)) fail_msg("eta %g, h %g, t %g, P_%d: off by %g", eta, h, t, k, off);
                        worst = fmax(worst, off);
                    }
            }
    print_message("  worst %.1e\n", worst);
}

static void what_goes_on_stays_right_far_beyond(void** state)
{
    (void)state;
    for (uint32_t e = 0; e < SUP_COUNT_OF(sizes); ++e)
        for (uint32_t s = 2; s < SUP_COUNT_OF(sizes); ++s)
            for (int k = 0; k < 2; ++k)
                for (int i = 0; i <= 10; ++i) {
                    sup_oscillator  o = sup_oscillator_make(1, sizes[e], sizes[s], SUP_RAMP_LINEAR);
                    sup_closed_task task = { .rate = k == 0, .force = { k } };
                    double          p[SUP_OSCILLATOR_ORDERS], t = 2.0 * i;
                    sup_closed_form form = sup_closed_solve(sizes[e], sizes[s], &task, true);
                    sup_oscillator_responses(&o, t, p);
                    double off = fabs(closed_value(&form, t) - p[k]);
                    if (!(off < 1e-8 * (1 + fabs(p[k])))) fail_msg("eta %g, h %g, t %g: off by %g", sizes[e], sizes[s], t, off);
                }
}

static void fading_is_the_path_of_least_force(void** state)
{
    (void)state;
    for (double a = 0.6; a < 2000; a *= 3)
        for (double span = 0.5; span < 3; span += 1)
            for (int i = 0; i <= 10; ++i) {
                sup_closed_form forms[4];
                double          path[4];
                sup_closed_fading(a, span, forms);
                sup_least_force_path(a, span, span * i / 10, path);
                for (int k = 0; k < 4; ++k) {
                    double off = fabs(closed_value(&forms[k], i / 10.0) - path[k]);
                    if (!(off < 1e-9)) fail_msg("a %g, span %g, t %g, share %d: off by %g", a, span, i / 10.0, k, off);
                }
            }
}

static void sums_of_forms_are_forms(void** state)
{
    (void)state;
    for (uint32_t e = 0; e < SUP_COUNT_OF(sizes); ++e)
        for (uint32_t h = 0; h < SUP_COUNT_OF(sizes); ++h) {
            sup_closed_form sum = { .powers = { 0.5 } }, parts[3];
            for (int k = 0; k < 3; ++k) { // one equation, three starts and forces
                sup_closed_task task = { .rate = k - 1, .force = { k, 2 - k, 0.5 } };
                parts[k] = sup_closed_solve(sizes[e], sizes[h], &task, false);
                sup_closed_add(&sum, 0.3 + k, &parts[k]);
            }
            for (double t = 0; t <= 1; t += 0.125) {
                double wanted = 0.5;
                for (int k = 0; k < 3; ++k) wanted += (0.3 + k) * closed_value(&parts[k], t);
                assert_true(fabs(closed_value(&sum, t) - wanted) < 1e-10);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solutions_agree_with_the_oscillator_everywhere),
        cmocka_unit_test(what_goes_on_stays_right_far_beyond),
        cmocka_unit_test(fading_is_the_path_of_least_force),
        cmocka_unit_test(sums_of_forms_are_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Test vectors of You et al., corrected: open and closed curves, the plate, and forces equivalent to it.
#include "base/internal.h"
#include "solve/curves/beam_modes.h"
#include "solve/plate/bend_curve.h"
#include "solve/plate/plate.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.141592653589793
#define close_to(a, b, error) assert_true(fabs((a) - (b)) <= (error))

static void a_strip_is_as_stiff_as_the_skin_beside_it(void** state)
{
    (void)state;
    close_to(sup_bend_inertia(0.2, 0.4, 0.1, 0.3), 0.6 * 0.001 / (24 * 0.91), 1e-18);
    close_to(sup_bend_inertia(0.2, 0, 0.1, 0.3), 0.2 * 0.001 / (24 * 0.91), 1e-18); // a curve on the boundary
    // the sheet's own D times the width it represents
    close_to(sup_bend_inertia(0.3, 0.3, 0.1, 0.3), 0.3 * 0.001 / (12 * 0.91), 1e-18);
}

/// The coefficient of sine n of a unit force from begin to end, or at one place.
static double open_term(double begin, double end, uint32_t n)
{
    if (!(end > begin)) return 2 * sin(n * PI * begin);
    return 4 / (n * PI * (end - begin)) * sin(n * PI * (begin + end) / 2) * sin(n * PI * (end - begin) / 2);
}

static void line_forces_have_the_corrected_coefficients(void** state)
{
    (void)state;
    double c, s;
    close_to(open_term(0.2, 0.55, 1) * 0.35, 0.6146254883, 1e-10);
    sup_bend_closed_terms(0.2, 0.55, 1, &c, &s);
    close_to(s * 0.35, 0.4010938558, 1e-10);
    close_to(c * 0.35, (sin(2 * PI * 0.55) - sin(2 * PI * 0.2)) / PI, 1e-14);
    // a short line is a point
    double c1, s1;
    sup_bend_closed_terms(0.3, 0.3, 4, &c, &s);
    sup_bend_closed_terms(0.2999, 0.3001, 4, &c1, &s1);
    close_to(c, c1, 1e-5), close_to(s, s1, 1e-5);
}

static void an_open_curve_bends_by_the_closed_form(void** state)
{
    (void)state;
    close_to(sup_bend_open(0.3, 0.3, 0.3), 0.003087, 1e-10);
    close_to(sup_bend_open(0.5, 0.5, 0.5), 1.0 / 192, 1e-10);
    close_to(sup_bend_open(0.2, 0.7, 0.7), sup_bend_open(0.7, 0.2, 0.2), 1e-16);
    close_to(sup_bend_open(0.2, 0.7, 0.7), sup_bend_open(0.8, 0.3, 0.3), 1e-16);
    // a uniform load is v^2 (1 - v)^2 / 24
    for (double v = 0; v <= 1; v += 0.125) close_to(sup_bend_open(v, 0, 1), v * v * (1 - v) * (1 - v) / 24, 1e-15);
    // a line is the mean of points
    for (double v = 0.05; v < 1; v += 0.1) {
        double sum = 0;
        for (int i = 0; i < 2000; ++i) sum += sup_bend_open(v, 0.2 + 0.35 * (i + 0.5) / 2000, 0);
        close_to(sup_bend_open(v, 0.2, 0.55), sum / 2000, 1e-9);
    }
}

// The paper's series (6): sines and a cubic. Its error falls with the cube of the number of terms.
static void the_series_of_the_paper_tends_to_the_closed_form(void** state)
{
    (void)state;
    static const int    counts[] = { 5, 20, 160 };
    static const double known[] = { 9.8e-3, 4.4e-4, 8.6e-7 };
    double              error[3];
    for (int i = 0; i < 3; ++i) {
        int    terms = counts[i];
        double worst = 0, peak = 0;
        for (double v = 0; v <= 1; v += 0.001) peak = fmax(peak, sup_bend_open(v, 0.3, 0.3));
        for (double v = 0; v <= 1; v += 0.001) {
            double x = 0;
            for (int n = 1; n <= terms; ++n) x += open_term(0.3, 0.3, (uint32_t)n) * sup_bend_open_sine((uint32_t)n, v);
            worst = fmax(worst, fabs(x - sup_bend_open(v, 0.3, 0.3)));
        }
        error[i] = worst / peak;
    }
    for (int i = 0; i < 3; ++i) print_message("  %d terms: %g of the peak (%g)\n", counts[i], error[i], known[i]);
    for (int i = 0; i < 3; ++i) close_to(error[i], known[i], 0.02 * known[i]);
}

static void a_closed_curve_without_support_drops_the_net_force(void** state)
{
    (void)state;
    close_to(sup_bend_closed(SUP_BEND_BALANCED, 0.4, 0.4, 0.4), 1.0 / 720, 1e-15);
    close_to(sup_bend_closed(SUP_BEND_BALANCED, 0.65, 0.4, 0.4), -0.0000759549, 1e-10);
    close_to(sup_bend_closed(SUP_BEND_BALANCED, 0.9, 0.4, 0.4), -7.0 / 5760, 1e-15);
    double mean = 0, line = 0;
    for (int i = 0; i < 1000; ++i) mean += sup_bend_closed(SUP_BEND_BALANCED, i / 1000.0, 0.1, 0.6) / 1000;
    close_to(mean, 0, 1e-12);
    for (int i = 0; i < 1000; ++i) line += sup_bend_closed(SUP_BEND_BALANCED, 0.33, 0.1 + 0.5 * (i + 0.5) / 1000, 0) / 1000;
    close_to(sup_bend_closed(SUP_BEND_BALANCED, 0.33, 0.1, 0.6), line, 1e-9);
    // the whole curve pushed at once does not bend
    close_to(sup_bend_closed(SUP_BEND_BALANCED, 0.33, 0, 1), 0, 1e-17);
    // the paper's form
    close_to(sup_bend_closed(SUP_BEND_PAPER, 0.37, 0.37, 0), 0.003652872639, 1e-12);
    close_to(sup_bend_closed(SUP_BEND_PAPER, 0, 0.37, 0), -0.000875094861, 1e-12);
    close_to(sup_bend_closed(SUP_BEND_PAPER, 0.87, 0.37, 0), -0.000682294028, 1e-12);
}

// The printed form is the balanced response to the force and to a reaction at the seam, so it depends on where that lies.
static void the_form_of_the_paper_hides_a_reaction_at_the_seam(void** state)
{
    (void)state;
    static const double seams[] = { 0, 0.25, 0.5 }, range[] = { 4.76e-3, 1.88e-3, 2.03e-3 };
    for (double v = 0; v < 1; v += 0.05)
        close_to(sup_bend_closed(SUP_BEND_PAPER, v, 0.37, 0),
                 sup_bend_closed(SUP_BEND_BALANCED, v, 0.37, 0) - sup_bend_closed(SUP_BEND_BALANCED, v, 0, 0) + 1.0 / 720,
                 1e-15);
    for (int i = 0; i < 3; ++i) {
        double low = 1, high = -1;
        for (int k = 0; k < 2000; ++k) {
            double at = 0.37 - seams[i], x = sup_bend_closed(SUP_BEND_PAPER, k / 2000.0, at < 0 ? at + 1 : at, 0);
            low = fmin(low, x), high = fmax(high, x);
        }
        close_to(high - low, range[i], 5e-6);
    }
}

static void twenty_terms_are_enough_for_a_closed_curve(void** state)
{
    (void)state;
    static const uint32_t counts[] = { 5, 20 };
    static const double   most[] = { 2.5e-6, 5.0e-8 };
    for (int i = 0; i < 2; ++i) {
        double bound = 1 / (24 * PI * PI * PI * PI * counts[i] * counts[i] * counts[i]), worst = 0;
        for (double v = 0; v < 1; v += 0.01) {
            double x = 0;
            for (uint32_t n = 1; n <= counts[i]; ++n) {
                double c, s, w = 2 * PI * n;
                sup_bend_closed_terms(0.4, 0.4, n, &c, &s);
                x += (c * cos(w * v) + s * sin(w * v)) / (w * w * w * w);
            }
            worst = fmax(worst, fabs(x - sup_bend_closed(SUP_BEND_BALANCED, v, 0.4, 0)));
        }
        assert_true(worst <= bound);
        close_to(worst, most[i], 0.02 * most[i]);
    }
}

static void a_foundation_carries_the_net_force(void** state)
{
    (void)state;
    static const double at[] = { 0, 0.1, 0.25, 0.5 };
    static const double x[] = { 3.075554197e-03, 2.798766481e-03, 1.925615608e-03, 1.094890778e-03 };
    for (int i = 0; i < 4; ++i) close_to(sup_bend_foundation(1, 500, 0.2 + at[i], 0.2), x[i], 1e-12);
    // and so do the coefficients, to the truncation error
    double sum = 1.0 / 500;
    for (uint32_t n = 1; n <= 20; ++n) {
        double c, s, w = 2 * PI * n;
        sup_bend_closed_terms(0.2, 0.2, n, &c, &s);
        sum += (c * cos(w * 0.3) + s * sin(w * 0.3)) / (500 + w * w * w * w);
    }
    close_to(sum, x[1], 5e-8);
}

// ---------------------------------------------------------------------------------------------- plate

static double* solved(uint32_t n, bool uniform, sup_arena* arena)
{
    sup_plate p;
    sup_error error;
    assert_ok(sup_plate_create(n, n, 1.0 / n, 1.0 / n, arena, &p, &error), error);
    double *x = SUP_NEW(arena, double, (n + 1) * (n + 1)), *spare = SUP_NEW(arena, double, p.count);
    for (uint32_t i = 0; uniform && i < (n + 1) * (n + 1); ++i) x[i] = 1;
    if (!uniform) x[n / 2 * (n + 1) + n / 2] = (double)n * n; // a force F is F / (du dv) at its node
    sup_plate_solve(&p, x, spare);
    return x;
}

static void a_clamped_plate_gives_the_table(void** state)
{
    (void)state;
    static const double point[] = { 0.0080758427, 0.0065010139, 0.0058930884, 0.0056961514, 0.0056364497, 0.0056189738 };
    static const double even[] = { 0.0017995084, 0.0014244024, 0.0013073015, 0.0012759787, 0.0012679950, 0.0012659888 };
    for (uint32_t k = 0, n = 4; k < SUP_COUNT_OF(point); ++k, n *= 2) {
        sup_arena* arena = sup_arena_create(NULL);
        uint32_t   middle = n / 2 * (n + 1) + n / 2;
        double*    x = solved(n, false, arena);
        close_to(x[middle], point[k], 1e-9);
        if (n == 4) {
            close_to(x[1 * 5 + 1], 0.0016678371, 1e-9);
            close_to(x[1 * 5 + 2], 0.0035112360, 1e-9);
            close_to(x[2 * 5 + 1], 0.0035112360, 1e-9);
        }
        close_to(solved(n, true, arena)[middle], even[k], 1e-9);
        sup_arena_destroy(arena);
    }
}

static void a_fine_plate_comes_within_a_thousandth_of_theory(void** state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); // eight billion multiplications: too slow with every access checked
#endif
    sup_arena* arena = sup_arena_create(NULL);
    double     x = solved(256, false, arena)[128 * 257 + 128];
    close_to(x, 0.0056139720, 1e-9);
    assert_true(fabs(x / 0.005612 - 1) < 1e-3);
    close_to(solved(256, true, arena)[128 * 257 + 128], 0.0012654866, 1e-9);
    // Richardson: the limit of the halved steps
    close_to((4 * solved(128, false, arena)[64 * 129 + 64] - solved(64, false, arena)[32 * 65 + 32]) / 3, 0.0056131486, 1e-9);
    sup_arena_destroy(arena);
}

static void unequal_sides_turn_with_the_plate(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    sup_plate  a, b;
    sup_error  error;
    assert_ok(sup_plate_create(6, 10, 0.1, 0.3, arena, &a, &error), error);
    assert_ok(sup_plate_create(10, 6, 0.3, 0.1, arena, &b, &error), error);
    double x[7 * 11] = { 0 }, y[11 * 7] = { 0 }, spare[64];
    x[2 * 11 + 3] = y[3 * 7 + 2] = 1;
    sup_plate_solve(&a, x, spare);
    sup_plate_solve(&b, y, spare);
    for (int i = 0; i <= 6; ++i)
        for (int j = 0; j <= 10; ++j) close_to(x[i * 11 + j], y[j * 7 + i], 1e-15);
    assert_true(x[2 * 11 + 3] > 0);
    sup_arena_destroy(arena);
}

// ---------------------------------------------------------------------------------------------- equivalence

static double residual(const double* x, const double* fitted, uint32_t n)
{
    double d = 0, s = 0;
    for (uint32_t j = 0; j <= n; ++j) d += (x[j] - fitted[j]) * (x[j] - fitted[j]), s += x[j] * x[j];
    return sqrt(d / s);
}

static void forces_on_curves_stand_for_the_force_on_the_plate(void** state)
{
    (void)state;
    static const double force[] = { 0.149544, 0.477672, 0.834699, 1.024159 };
    static const double left[] = { 0.017, 0.004, 0.018, 0.044 }, left_sines[] = { 0.0024, 0.0005, 0.0024, 0.012 };
    sup_arena*          arena = sup_arena_create(NULL);
    double*             x = solved(32, false, arena);
    double              fitted[33], loads[SUP_BEND_SINES_MAX];
    for (int k = 0; k < 4; ++k) {
        const double* curve = x + 4 * (k + 1) * 33;
        close_to(sup_bend_fit_point(curve, 32, 0.5, fitted), force[k], 1e-5);
        close_to(residual(curve, fitted, 32), left[k], 6e-4);
        assert_int_equal(sup_bend_fit_sines(curve, 32, 5, loads, fitted), 5);
        close_to(residual(curve, fitted, 32), left_sines[k], 6e-5 * (k == 3 ? 10 : 1));
        // the loads give what was fitted
        for (int j = 0; j <= 32; ++j) {
            double sum = 0;
            for (uint32_t n = 0; n < 5; ++n) sum += loads[n] * sup_bend_open_sine(n + 1, j / 32.0);
            close_to(sum, fitted[j], 1e-13);
        }
    }
    sup_arena_destroy(arena);
}

// Curves at every second line of the plate, linear between them, one force each: the surface again, and its rms error.
static void curves_reproduce_the_surface_of_the_plate(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    double*    x = solved(32, false, arena);
    for (int sines = 0; sines < 2; ++sines) {
        double curves[33][33] = { 0 }, loads[SUP_BEND_SINES_MAX], sum = 0;
        for (int i = 2; i < 32; i += 2) {
            if (sines) sup_bend_fit_sines(x + i * 33, 32, 5, loads, curves[i]);
            else sup_bend_fit_point(x + i * 33, 32, 0.5, curves[i]);
        }
        for (int i = 1; i < 32; i += 2)
            for (int j = 0; j <= 32; ++j) curves[i][j] = 0.5 * (curves[i - 1][j] + curves[i + 1][j]);
        for (int i = 0; i <= 32; ++i)
            for (int j = 0; j <= 32; ++j) sum += pow(curves[i][j] - x[i * 33 + j], 2);
        double rms = sqrt(sum / (33 * 33)) / x[16 * 33 + 16];
        print_message("  %s: rms %.3g of the peak\n", sines ? "five sines" : "one force", rms);
        assert_true(rms < (sines ? 0.005 : 0.05));
    }
    sup_arena_destroy(arena);
}

static void sines_are_never_more_than_the_nodes(void** state)
{
    (void)state;
    double x[4] = { 0, 1, 2, 0 }, loads[SUP_BEND_SINES_MAX], fitted[4];
    assert_int_equal(sup_bend_fit_sines(x, 3, 12, loads, fitted), 2);
    close_to(fitted[1], 1, 1e-12), close_to(fitted[2], 2, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_strip_is_as_stiff_as_the_skin_beside_it),
        cmocka_unit_test(line_forces_have_the_corrected_coefficients),
        cmocka_unit_test(an_open_curve_bends_by_the_closed_form),
        cmocka_unit_test(the_series_of_the_paper_tends_to_the_closed_form),
        cmocka_unit_test(a_closed_curve_without_support_drops_the_net_force),
        cmocka_unit_test(the_form_of_the_paper_hides_a_reaction_at_the_seam),
        cmocka_unit_test(twenty_terms_are_enough_for_a_closed_curve),
        cmocka_unit_test(a_foundation_carries_the_net_force),
        cmocka_unit_test(a_clamped_plate_gives_the_table),
        cmocka_unit_test(a_fine_plate_comes_within_a_thousandth_of_theory),
        cmocka_unit_test(unequal_sides_turn_with_the_plate),
        cmocka_unit_test(forces_on_curves_stand_for_the_force_on_the_plate),
        cmocka_unit_test(curves_reproduce_the_surface_of_the_plate),
        cmocka_unit_test(sines_are_never_more_than_the_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

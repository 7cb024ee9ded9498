// The stated errors of math/trig.c against libm in long double, over dense ranges.
#include "math/trig.h"

#include "support.h"

#include <float.h>
#include <math.h>

#define STATED 4e-16

static void sine_and_cosine_hold_their_error(void** state)
{
    (void)state;
    long double worst = 0;
    for (int i = -2000000; i <= 2000000; ++i) {
        double      x = i * 0.005003; // up to 1e4
        long double s = fabsl((long double)sup_sin(x) - sinl(x)), c = fabsl((long double)sup_cos(x) - cosl(x));
        worst = s > worst ? s : worst;
        worst = c > worst ? c : worst;
    }
    for (int i = 1; i < 200000; ++i) {
        double      x = i * 4999.37; // up to 1e9
        long double s = fabsl((long double)sup_sin(x) - sinl(x)), c = fabsl((long double)sup_cos(-x) - cosl(-x));
        worst = s > worst ? s : worst;
        worst = c > worst ? c : worst;
    }
    print_message("sin, cos: %Lg\n", worst);
    assert_true(worst < STATED);
}

static void sine_is_relatively_exact_near_zero(void** state)
{
    (void)state;
    for (double x = 1e-300; x < 1; x *= 1.0137) {
        assert_true(fabsl(((long double)sup_sin(x) - sinl(x)) / sinl(x)) < STATED);
        assert_true(sup_sin(-x) == -sup_sin(x));
        assert_true(sup_cos(-x) == sup_cos(x));
    }
    assert_true(signbit(sup_sin(-0.0)));
    // Doubles nearest to multiples of pi are the hardest to reduce: the result is all cancellation.
    for (int k = 1; k < 1000; ++k) {
        double x = k * 3.141592653589793;
        assert_true(fabsl(((long double)sup_sin(x) - sinl(x)) / sinl(x)) < 1e-15L);
    }
}

static void huge_arguments_stay_bounded(void** state)
{
    (void)state;
    for (double x = 1e9; x < 2.4e9; x *= 1.00037) assert_true(fabs(sup_sin(x) - sin(x)) < 1e-7);
    for (double x = 1e9; x < 1e308; x *= 9.7) {
        assert_true(fabs(sup_sin(x)) <= 1.0);
        assert_true(fabs(sup_cos(x)) <= 1.0);
    }
}

static void exponential_holds_its_error(void** state)
{
    (void)state;
    long double worst = 0;
    for (int i = -1400000; i <= 1400000; ++i) {
        double      x = i * 0.000505; // up to 707
        long double e = fabsl(((long double)sup_exp(x) - expl(x)) / expl(x));
        worst = e > worst ? e : worst;
    }
    print_message("exp: %Lg\n", worst);
    assert_true(worst < STATED);
    assert_true(sup_exp(0.0) == 1.0);
    assert_true(isinf(sup_exp(710)));
    assert_true(sup_exp(-746) == 0.0);
    assert_true(sup_exp(-INFINITY) == 0.0 && isinf(sup_exp(INFINITY)));
    assert_true(fabs(sup_exp(709.7) / exp(709.7) - 1) < STATED);
    for (double x = -745.1; x < -708; x += 0.0917) assert_true(fabs(sup_exp(x) - exp(x)) <= DBL_TRUE_MIN);
}

static void arc_cosine_holds_its_error(void** state)
{
    (void)state;
    long double worst = 0;
    for (int i = -999999; i < 1000000; ++i) {
        double      x = i * 1e-6;
        long double e = fabsl(((long double)sup_acos(x) - acosl(x)) / acosl(x));
        worst = e > worst ? e : worst;
    }
    for (double d = 1e-16; d < 0.1; d *= 1.01) {
        double      near = 1.0 - d, far = d - 1.0;
        long double e = near < 1 ? fabsl(((long double)sup_acos(near) - acosl(near)) / acosl(near)) : 0;
        worst = e > worst ? e : worst;
        e = fabsl(((long double)sup_acos(far) - acosl(far)) / acosl(far));
        worst = e > worst ? e : worst;
    }
    print_message("acos: %Lg\n", worst);
    assert_true(worst < STATED);
    assert_true(sup_acos(1.5) == 0.0);
    assert_true(sup_acos(-1.5) == acos(-1.0));
}

static void arc_tangent_holds_its_error_all_around(void** state)
{
    (void)state;
    long double worst = 0;
    for (int i = 0; i < 1000000; ++i) {
        double      a = i * 6.283185307179586e-6, x = cos(a), y = sin(a);
        long double want = atan2l(y, x);
        long double e = want == 0 ? 0 : fabsl(((long double)sup_atan2(y, x) - want) / want);
        worst = e > worst ? e : worst;
    }
    for (double s = 1e-307; s < 1e307; s *= 7.7) {
        long double e = fabsl(((long double)sup_atan2(s, 3 * s) - atan2l(s, 3 * s)) / atan2l(s, 3 * s));
        worst = e > worst ? e : worst;
        e = fabsl(((long double)sup_atan2(s, 1) - atan2l(s, 1)) / atan2l(s, 1));
        worst = e > worst ? e : worst;
    }
    print_message("atan2: %Lg\n", worst);
    assert_true(worst < STATED);
}

static void arc_tangent_knows_zeros_and_infinities(void** state)
{
    (void)state;
    const double values[] = { 0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY };
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) {
            double have = sup_atan2(values[i], values[j]), want = atan2(values[i], values[j]);
            assert_true(fabs(have - want) <= STATED * fabs(want));
            assert_true(signbit(have) == signbit(want));
        }
}

static void not_a_number_gives_not_a_number(void** state)
{
    (void)state;
    assert_true(isnan(sup_sin(NAN)) && isnan(sup_cos(NAN)) && isnan(sup_exp(NAN)) && isnan(sup_acos(NAN)));
    assert_true(isnan(sup_atan2(NAN, 1)) && isnan(sup_atan2(1, NAN)));
    assert_true(isnan(sup_sin(INFINITY)) && isnan(sup_cos(-INFINITY)));
}

static void logarithm_is_near_libms_and_exact_at_powers(void** state)
{
    (void)state;
    for (int e = -1000; e <= 1000; e += 8) assert_true(sup_log2(ldexp(1, e)) == e);
    for (double x = 1e-300; x < 1e300; x *= 1.9) assert_true(fabs(sup_log2(x) - log2(x)) < 2e-15 * fmax(1, fabs(log2(x))));
    for (double x = 0.5; x < 2; x += 0.001) assert_true(fabs(sup_log2(x) - log2(x)) < 2e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sine_and_cosine_hold_their_error),
        cmocka_unit_test(logarithm_is_near_libms_and_exact_at_powers),
        cmocka_unit_test(sine_is_relatively_exact_near_zero),
        cmocka_unit_test(huge_arguments_stay_bounded),
        cmocka_unit_test(exponential_holds_its_error),
        cmocka_unit_test(arc_cosine_holds_its_error),
        cmocka_unit_test(arc_tangent_holds_its_error_all_around),
        cmocka_unit_test(arc_tangent_knows_zeros_and_infinities),
        cmocka_unit_test(not_a_number_gives_not_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

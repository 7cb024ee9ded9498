#include "support.h"

#include "solve/curves/least_force.h"

#include <math.h>

static double path_at(double a, double span, double t, const double y[2], const double v[2])
{
    double s[4];
    sup_least_force_path(a, span, t, s);
    return s[0] * y[0] + s[1] * y[1] + s[2] * v[0] + s[3] * v[1];
}

static void a_path_has_the_values_and_speeds_it_was_given(void** state)
{
    (void)state;
    const double y[2] = { 0.7, -1.3 }, v[2] = { 2.1, 0.4 };
    for (double x = 0.01; x < 12; x *= 1.7) {
        double a = x / 0.8, h = 1e-5;
        assert_true(fabs(path_at(a, 0.8, 0, y, v) - y[0]) < 1e-10 && fabs(path_at(a, 0.8, 0.8, y, v) - y[1]) < 1e-10);
        double start = (path_at(a, 0.8, h, y, v) - path_at(a, 0.8, -h, y, v)) / (2 * h);
        double end = (path_at(a, 0.8, 0.8 + h, y, v) - path_at(a, 0.8, 0.8 - h, y, v)) / (2 * h);
        assert_true(fabs(start - v[0]) < 1e-4 && fabs(end - v[1]) < 1e-4);
    }
}

// L* L y = 0, L = (d/dt + a)^2: y'''' - 2 a^2 y'' + a^4 y = 0.
static void a_path_obeys_the_equation_of_least_force(void** state)
{
    (void)state;
    const double y[2] = { 1, 0.2 }, v[2] = { -0.5, 0.3 }, a = 3, h = 0.02;
    for (int i = 2; i < 9; ++i) {
        double w[5], t = 0.1 * i;
        for (int k = 0; k < 5; ++k) w[k] = path_at(a, 1, t + (k - 2) * h, y, v);
        double second = (-w[0] + 16 * w[1] - 30 * w[2] + 16 * w[3] - w[4]) / (12 * h * h);
        double fourth = (w[0] - 4 * w[1] + 6 * w[2] - 4 * w[3] + w[4]) / (h * h * h * h);
        assert_true(fabs(fourth - 2 * a * a * second + a * a * a * a * w[2]) < 0.05 * a * a * a * a);
    }
}

static void a_soft_spring_gives_the_cubic_and_a_stiff_one_falls_back(void** state)
{
    (void)state;
    const double y[2] = { 1, 1 }, still[2] = { 0, 0 }, v[2] = { 1, -1 };
    assert_true(fabs(path_at(0.1, 1, 0.5, y, still) - 1) < 1e-5);
    assert_true(fabs(path_at(0.1, 1, 0.5, y, v) - 1.25) < 1e-3); // cubic Hermite: 1 + 1/8 + 1/8
    assert_true(fabs(path_at(40, 1, 0.5, y, still)) < 1e-6);
    double s[3];
    for (double a = 0.5; a > 0.005; a /= 5) { // Catmull-Rom: (y behind - y before) / 1
        sup_least_force_speed(a, 0.5, 0.5, s);
        assert_true(fabs(s[0] + 1) < 0.2 * a && fabs(s[1]) < 1e-12 && fabs(s[2] - 1) < 0.2 * a);
    }
}

// Three values at once, solved by hand in the kernel: the path between two of them equals the one with the speeds from all
// three.
static void speeds_of_three_values_make_the_path_of_all_three(void** state)
{
    (void)state;
    const double a = 2, y[3] = { 0.3, 1, -0.6 }, at[3] = { 0, 0.7, 1.2 };
    double       m[3][4], s[3][3], v[2];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) m[i][j] = sup_least_force_alike(a * fabs(at[i] - at[j]));
        m[i][3] = y[i];
    }
    for (int i = 0; i < 3; ++i) // Gauss-Jordan; positive definite, so without pivoting
        for (int r = 0; r < 3; ++r) {
            if (r == i) continue;
            double f = m[r][i] / m[i][i];
            for (int c = 0; c < 4; ++c) m[r][c] -= f * m[i][c];
        }
    double weight[3] = { m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2] };
    sup_least_force_speed(a, 0.7, 0.5, s[1]);
    v[0] = s[1][0] * y[0] + s[1][1] * y[1] + s[1][2] * y[2];
    double speed = 0;
    for (int j = 0; j < 3; ++j) {
        double d = at[1] - at[j];
        speed += weight[j] * -a * a * d * exp(-a * fabs(d));
    }
    assert_true(fabs(v[0] - speed) < 1e-12);
    // At the last value the speed comes from all three as well; the kernel's own derivative there.
    v[1] = 0;
    for (int j = 0; j < 3; ++j) v[1] += weight[j] * -a * a * (at[2] - at[j]) * exp(-a * (at[2] - at[j]));
    for (double t = 0.75; t < 1.2; t += 0.1) {
        double all = 0;
        for (int j = 0; j < 3; ++j) all += weight[j] * sup_least_force_alike(a * fabs(t - at[j]));
        assert_true(fabs(path_at(a, 0.5, t - 0.7, y + 1, v) - all) < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_has_the_values_and_speeds_it_was_given),
        cmocka_unit_test(a_path_obeys_the_equation_of_least_force),
        cmocka_unit_test(a_soft_spring_gives_the_cubic_and_a_stiff_one_falls_back),
        cmocka_unit_test(speeds_of_three_values_make_the_path_of_all_three),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

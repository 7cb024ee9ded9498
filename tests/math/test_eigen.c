#include "support.h"

#include "math/eigen.h"

#include <math.h>
#include <string.h>

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance)) fail_msg("%.15g should be %.15g", value, expected);
}

// 2 1 / 1 2 has 3 along the diagonal and 1 across it.
static void two_by_two_is_as_by_hand(void** state)
{
    (void)state;
    double matrix[4] = { 2, 1, 1, 2 }, values[2], vectors[4], scratch[4];
    assert_true(sup_eigen_symmetric(2, matrix, values, vectors, scratch));
    near(values[0], 3, 1e-14);
    near(values[1], 1, 1e-14);
    near(vectors[0], sqrt(0.5), 1e-14);
    near(vectors[1], sqrt(0.5), 1e-14);
    near(fabs(vectors[2] + vectors[3]), 0, 1e-14);
}

// The chain of springs between walls, 2 on the diagonal and -1 beside it: 2 - 2 cos(k pi / (n + 1)); all of them sum to 2 n.
static void chain_of_springs_has_its_frequencies(void** state)
{
    (void)state;
    enum { N = 40 };
    static double matrix[N * N], copy[N * N], values[N], vectors[N * N], scratch[2 * N];
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j) matrix[i * N + j] = i == j ? 2 : i - j == 1 || j - i == 1 ? -1 : 0;
    memcpy(copy, matrix, sizeof copy);
    assert_true(sup_eigen_symmetric(N, matrix, values, vectors, scratch));
    double sum = 0;
    for (int k = 0; k < N; ++k) {
        near(values[k], 2 - 2 * cos((N - k) * 3.14159265358979323846 / (N + 1)), 1e-13);
        sum += values[k];
        // Each row is a vector of unit length that the matrix only stretches.
        double squares = 0, peak = 0;
        for (int i = 0; i < N; ++i) {
            double image = 0;
            for (int j = 0; j < N; ++j) image += copy[i * N + j] * vectors[k * N + j];
            near(image, values[k] * vectors[k * N + i], 1e-13);
            squares += vectors[k * N + i] * vectors[k * N + i];
            if (fabs(vectors[k * N + i]) > fabs(peak)) peak = vectors[k * N + i];
        }
        near(squares, 1, 1e-13);
        assert_true(peak > 0);
    }
    near(sum, 2 * N, 1e-12);
}

// Frames that are all alike: one value, and zeros that are zero to rounding.
static void matrix_of_rank_one_has_one_value(void** state)
{
    (void)state;
    enum { N = 5 };
    double matrix[N * N], values[N], vectors[N * N], scratch[2 * N];
    for (int i = 0; i < N * N; ++i) matrix[i] = 4;
    assert_true(sup_eigen_symmetric(N, matrix, values, vectors, scratch));
    near(values[0], 20, 1e-13);
    for (int i = 1; i < N; ++i) near(values[i], 0, 1e-13);
    for (int i = 0; i < N; ++i) near(vectors[i], sqrt(0.2), 1e-14);
}

// A few directions among many rows, of any size: rounding errors of rounding errors went down to 1e-164, whose squares are
// zero.
static void few_dimensions_end_at_any_scale(void** state)
{
    (void)state;
    enum { N = 40 };
    static double  matrix[N * N], values[N], vectors[N * N], scratch[2 * N];
    const double   scales[] = { 1, 1e-9, 1e-80, 1e-140, 1e-300, 1e140, 1e300 };
    const uint32_t ranks[] = { 1, 2, 3, 7 };
    for (int s = 0; s < 7; ++s)
        for (int r = 0; r < 4; ++r) {
            double   rows[N][8] = { { 0 } }, trace = 0, sum = 0;
            uint32_t seed = 1;
            for (int i = 0; i < N; ++i)
                for (uint32_t k = 0; k < ranks[r] && i % 5; ++k) // some frames in which nothing moves
                    seed = seed * 1664525u + 1013904223u, rows[i][k] = (double)(seed >> 8) * 0x1p-24;
            for (int i = 0; i < N; ++i)
                for (int j = 0; j < N; ++j) {
                    matrix[i * N + j] = 0;
                    for (uint32_t k = 0; k < 8; ++k) matrix[i * N + j] += rows[i][k] * rows[j][k] * scales[s];
                }
            for (int i = 0; i < N; ++i) trace += matrix[i * N + i] / scales[s];
            assert_true(sup_eigen_symmetric(N, matrix, values, vectors, scratch));
            for (int i = 0; i < N; ++i) sum += values[i] / scales[s];
            near(sum, trace, 1e-12 * trace);
            for (uint32_t i = ranks[r]; i < N; ++i) near(values[i] / scales[s], 0, 1e-12 * trace);
        }
}

static void nothing_and_one_number_are_allowed(void** state)
{
    (void)state;
    double matrix[1] = { -3 }, values[1] = { 0 }, vectors[1], scratch[2];
    assert_true(sup_eigen_symmetric(0, matrix, values, vectors, scratch));
    assert_true(sup_eigen_symmetric(1, matrix, values, vectors, scratch));
    near(values[0], -3, 0);
    near(vectors[0], 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_by_two_is_as_by_hand),           cmocka_unit_test(chain_of_springs_has_its_frequencies),
        cmocka_unit_test(matrix_of_rank_one_has_one_value),   cmocka_unit_test(few_dimensions_end_at_any_scale),
        cmocka_unit_test(nothing_and_one_number_are_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

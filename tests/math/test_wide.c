#include "math/wide.h"

#include "support.h"

#include <float.h>
#include <math.h>

static const float values[] = { 0.0f, -0.0f, 1.0f, -2.5f, 1e-40f, FLT_MAX, INFINITY, NAN, 3.0f, -INFINITY, 1e-20f };
enum { COUNT = sizeof values / sizeof values[0] };

static void assert_lanes(f8 have, const float want[8])
{
    float lanes[8];
    f8_store(lanes, have);
    for (int i = 0; i < 8; ++i) {
        if (isnan(want[i])) assert_true(isnan(lanes[i]));
        else assert_memory_equal(&lanes[i], &want[i], sizeof(float));
    }
}

static void lanes_do_what_one_float_does(void** state)
{
    (void)state;
    for (int i = 0; i < COUNT; ++i)
        for (int j = 0; j < COUNT; ++j) {
            float a[8], b[8], low[8], high[8], size[8], root[8], picked[8];
            for (int k = 0; k < 8; ++k) {
                a[k] = values[(i + k) % COUNT];
                b[k] = values[(j + 3 * k) % COUNT];
                low[k] = a[k] < b[k] ? a[k] : b[k];
                high[k] = a[k] > b[k] ? a[k] : b[k];
                size[k] = fabsf(a[k]);
                root[k] = sqrtf(a[k]);
                picked[k] = a[k] <= b[k] ? a[k] : b[k];
            }
            f8 x = f8_load(a), y = f8_load(b);
            assert_lanes(f8_min(x, y), low);
            assert_lanes(f8_max(x, y), high);
            assert_lanes(f8_abs(x), size);
            assert_lanes(f8_sqrt(x), root);
            assert_lanes(f8_select(x <= y, x, y), picked);
        }
}

static void mask_becomes_one_bit_per_lane(void** state)
{
    (void)state;
    f8 x = { 1, -1, 1, 1, -1, -1, -1, 1 };
    assert_int_equal(i8_bits(x > f8_all(0)), 0x8d);
    int32_t stored[8];
    i8_store(stored, i8_load((const int32_t[]){ 1, 2, 3, 4, 5, 6, 7, 8 }) + i8_all(10));
    assert_int_equal(stored[0], 11);
    assert_int_equal(stored[7], 18);
}

static void sum_adds_in_pairs(void** state)
{
    (void)state;
    // 2^24 + 1 is not a float: the order of adding shows.
    f8 x = { 16777216.0f, 1, 1, 1, 0, 0, 0, 0 };
    assert_true(f8_sum(x) == 16777218.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_do_what_one_float_does),
        cmocka_unit_test(mask_becomes_one_bit_per_lane),
        cmocka_unit_test(sum_adds_in_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Decimal text to doubles and back: hand-known hard cases, then random bit patterns against the C library.
#include "support.h"

#include "base/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double parse(const char* text)
{
    double value = -12345;
    size_t taken = sup_parse_double(text, strlen(text), false, &value);
    if (taken != strlen(text)) fail_msg("'%s': took %zu characters", text, taken);
    return value;
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t next_random(uint64_t* state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}

static void assert_parses_like_libc(const char* text)
{
    double ours = parse(text), theirs = strtod(text, NULL);
    if (bits_of(ours) != bits_of(theirs)) fail_msg("'%s': %a, the C library says %a", text, ours, theirs);
}

static void plain_numbers_are_exact(void** state)
{
    (void)state;
    assert_true(parse("0") == 0 && !signbit(parse("0")) && signbit(parse("-0.0")));
    assert_true(parse("1") == 1 && parse("-2.5") == -2.5 && parse("+4") == 4 && parse(".5") == 0.5 && parse("7.") == 7);
    assert_true(parse("0.1") == 0.1 && parse("123456.789e-3") == 123.456789 && parse("1E2") == 100 && parse("000012") == 12);
}

static void ties_go_to_even(void** state)
{
    (void)state;
    assert_true(parse("9007199254740993") == 9007199254740992.0); // 2^53 + 1, half way
    assert_true(parse("9007199254740995") == 9007199254740996.0); // half way, upper one is even
    assert_true(parse("9007199254740993.00000000000000000000000000000000000001") == 9007199254740994.0);
    assert_true(bits_of(parse("2.2250738585072012e-308")) == 0x0010000000000000ull); // once an endless loop in PHP and Java
    assert_true(bits_of(parse("2.2250738585072011e-308")) == 0x000fffffffffffffull);
    assert_true(bits_of(parse("1.00000000000000011102230246251565404236316680908203125")) == 0x3ff0000000000000ull);
    assert_true(bits_of(parse("1.00000000000000011102230246251565404236316680908203124")) == 0x3ff0000000000000ull);
    assert_true(bits_of(parse("1.00000000000000011102230246251565404236316680908203126")) == 0x3ff0000000000001ull);
}

static void the_ends_of_the_range_saturate(void** state)
{
    (void)state;
    assert_true(parse("1.7976931348623157e308") == 1.7976931348623157e308);
    assert_true(parse("1.7976931348623158e308") == 1.7976931348623157e308);
    assert_true(isinf(parse("1.7976931348623159e308")) && parse("-1e999") == -INFINITY);
    assert_true(bits_of(parse("5e-324")) == 1 && bits_of(parse("2.4703282292062328e-324")) == 1);
    assert_true(parse("2.4703282292062327e-324") == 0 && parse("1e-999999999999999999999999") == 0);
    assert_true(isinf(parse("1e99999999999999999999999")));
    assert_true(parse("0e99999999999999999999999") == 0);
}

static void thousands_of_digits_are_read(void** state)
{
    (void)state;
    static char text[5000];
    memset(text, '0', sizeof text); // 0.000...0001 x 10^4000 = 1e10
    text[1] = '.';
    memcpy(text + 3991, "1e4000", 7);
    assert_true(parse(text) == 1e10);
    memset(text, '9', 2000); // 10^2000 (nearly) x 10^-1990
    memcpy(text + 2000, "e-1990", 7);
    assert_true(parse(text) == 1e10);
    // Half way between 1 and the next double, decided by the 3000th digit.
    strcpy(text, "1.00000000000000011102230246251565404236316680908203125");
    size_t n = strlen(text);
    memset(text + n, '0', 3000);
    text[n + 3000] = 0;
    assert_true(bits_of(parse(text)) == 0x3ff0000000000000ull);
    text[n + 2999] = '1';
    assert_true(bits_of(parse(text)) == 0x3ff0000000000001ull);
}

static void only_the_number_is_taken(void** state)
{
    (void)state;
    static const struct {
        const char* text;
        size_t      taken;
        double      value;
    } cases[] = { { "1.5,", 3, 1.5 }, { "1e", 1, 1 },  { "1e+", 1, 1 },  { "2ex", 1, 2 },
                  { "3..4", 2, 3 },   { "4 5", 1, 4 }, { "-", 0, 0 },    { ".", 0, 0 },
                  { "", 0, 0 },       { "abc", 0, 0 }, { "-.", 0, 0 },   { "+.5e1z", 5, 5 },
                  { "inf", 0, 0 },    { "nan", 0, 0 }, { "0x10", 1, 0 }, { "1e5.5", 3, 1e5 } };
    for (size_t i = 0; i < SUP_COUNT_OF(cases); ++i) {
        double value = 0;
        assert_int_equal(sup_parse_double(cases[i].text, strlen(cases[i].text), false, &value), cases[i].taken);
        assert_true(value == cases[i].value);
    }
    double value = 0;
    assert_int_equal(sup_parse_double("123456", 3, false, &value), 3); // never past the length
    assert_true(value == 123);
    assert_int_equal(sup_parse_double("-Infinity,", 10, true, &value), 9);
    assert_true(value == -INFINITY);
    assert_int_equal(sup_parse_double("INFX", 4, true, &value), 3);
    assert_int_equal(sup_parse_double("nan", 3, true, &value), 3);
    assert_true(isnan(value));
    assert_int_equal(sup_parse_double("in", 2, true, &value), 0);
}

static void random_texts_read_like_the_c_library(void** state)
{
    (void)state;
    uint64_t seed = 1;
    char     text[128];
    for (int i = 0; i < 100000; ++i) {
        uint64_t bits = next_random(&seed);
        double   value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        snprintf(text, sizeof text, "%.*e", (int)(next_random(&seed) % 40), value);
        assert_parses_like_libc(text);
        // Digits and exponents near the seams of the three paths.
        int digits = 1 + (int)(next_random(&seed) % 25), exponent = (int)(next_random(&seed) % 60) - 30;
        for (int d = 0; d < digits; ++d) text[d] = (char)('0' + next_random(&seed) % 10);
        snprintf(text + digits, sizeof text - (size_t)digits, ".%07ue%d", (unsigned)(next_random(&seed) % 10000000), exponent);
        assert_parses_like_libc(text);
    }
}

// The exact text of (2 k + 1) x 2^exponent, which is half way between two doubles, and of a hair more. (The C library of
// Debian 12 is not a judge here: some of its denormals are off by one.)
static void check_midpoint(uint64_t k, int exponent)
{
    static char text[2000];
    double      below = ldexp((double)k, exponent + 1), above = ldexp((double)(k + 1), exponent + 1);
    snprintf(text, sizeof text, "%.1200Le", ldexpl((long double)(2 * k + 1), exponent));
    assert_true(parse(text) == (k % 2 ? above : below));
    char* mark = strchr(text, 'e');
    mark[-1] = '1';
    assert_true(parse(text) == above);
}

static void midpoints_go_to_even_and_a_hair_more_goes_up(void** state)
{
    (void)state;
    uint64_t seed = 2;
    for (int i = 0; i < 2000; ++i) {
        check_midpoint((next_random(&seed) >> 12) | 1ull << 52, (int)(next_random(&seed) % 2040) - 1075); // normal
        check_midpoint(next_random(&seed) >> (12 + next_random(&seed) % 52), -1075);                      // denormal
    }
}

static void shortest_texts_are_those_known(void** state)
{
    (void)state;
    static const struct {
        double      value;
        const char* text;
    } cases[] = { { 0, "0" },
                  { -0.0, "-0" },
                  { 1, "1" },
                  { -1.5, "-1.5" },
                  { 0.1, "0.1" },
                  { 0.3, "0.3" },
                  { 0.1 + 0.2, "0.30000000000000004" },
                  { 100, "100" },
                  { 1e21, "1e21" },
                  { 1e20, "100000000000000000000" },
                  { 1.0e-5, "0.00001" },
                  { 1.25e-6, "1.25e-6" },
                  { 5e-324, "5e-324" },
                  { 1.7976931348623157e308, "1.7976931348623157e308" },
                  { 2.2250738585072014e-308, "2.2250738585072014e-308" },
                  { 9007199254740993.0, "9007199254740992" },
                  { 1.0 / 3, "0.3333333333333333" },
                  { 123456789.125, "123456789.125" },
                  { 4.35, "4.35" },
                  { 2e-44, "2e-44" },
                  { 9.5367431640625e-07, "9.5367431640625e-7" },
                  { INFINITY, "inf" },
                  { -INFINITY, "-inf" } };
    char text[SUP_NUMBER_MAX];
    for (size_t i = 0; i < SUP_COUNT_OF(cases); ++i) {
        assert_int_equal(sup_print_double(cases[i].value, text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
    sup_print_double(NAN, text);
    assert_string_equal(text, "nan");
    sup_print_float(0.1f, text);
    assert_string_equal(text, "0.1");
    sup_print_float(16777216.0f, text);
    assert_string_equal(text, "16777216");
    sup_print_float(3.4028235e38f, text);
    assert_string_equal(text, "3.4028235e38");
    sup_print_float(1e-45f, text);
    assert_string_equal(text, "1e-45");
}

// Significant digits of a printed number.
static int digit_count(const char* text)
{
    int count = 0, zeros = 0;
    for (; *text && *text != 'e'; ++text) {
        if (*text < '0' || *text > '9') continue;
        if (*text == '0' && count == 0) continue;
        if (*text == '0') ++zeros;
        else count += zeros + 1, zeros = 0;
    }
    return count;
}

static void random_doubles_come_back_and_no_shorter_text_does(void** state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 100000; ++i) {
        uint64_t bits = next_random(&seed);
        if (i % 4 == 0) bits = (bits & 0x800fffffffffffffull) | (1003 + next_random(&seed) % 60) << 52; // everyday sizes
        if (i % 64 == 1) bits &= 0xfff0000000000000ull;                                                 // powers of two
        double value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        char   text[SUP_NUMBER_MAX], shorter[64];
        size_t length = sup_print_double(value, text);
        assert_true(length == strlen(text) && length < SUP_NUMBER_MAX);
        assert_true(bits_of(parse(text)) == bits && bits_of(strtod(text, NULL)) == bits);
        int digits = digit_count(text);
        assert_true(digits <= 17);
        if (digits > 1) {
            snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
            if (strtod(shorter, NULL) == value) fail_msg("%s: %s is shorter", text, shorter);
        }
    }
}

static void random_floats_come_back_and_no_shorter_text_does(void** state)
{
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < 100000; ++i) {
        uint32_t bits = (uint32_t)next_random(&seed), back;
        if (i % 4 == 0) bits = (bits & 0x807fffffu) | (uint32_t)(107 + next_random(&seed) % 40) << 23;
        if (i % 64 == 1) bits &= 0xff800000u;
        float value;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        char text[SUP_NUMBER_MAX], shorter[64];
        sup_print_float(value, text);
        float again = strtof(text, NULL);
        memcpy(&back, &again, sizeof back);
        if (back != bits) fail_msg("%s is not %a", text, (double)value);
        int digits = digit_count(text);
        assert_true(digits <= 9);
        if (digits > 1) {
            snprintf(shorter, sizeof shorter, "%.*e", digits - 2, (double)value);
            if (strtof(shorter, NULL) == value) fail_msg("%s: %s is shorter", text, shorter);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_numbers_are_exact),
        cmocka_unit_test(ties_go_to_even),
        cmocka_unit_test(the_ends_of_the_range_saturate),
        cmocka_unit_test(thousands_of_digits_are_read),
        cmocka_unit_test(only_the_number_is_taken),
        cmocka_unit_test(random_texts_read_like_the_c_library),
        cmocka_unit_test(midpoints_go_to_even_and_a_hair_more_goes_up),
        cmocka_unit_test(shortest_texts_are_those_known),
        cmocka_unit_test(random_doubles_come_back_and_no_shorter_text_does),
        cmocka_unit_test(random_floats_come_back_and_no_shorter_text_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

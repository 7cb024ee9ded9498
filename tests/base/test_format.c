// sup_format says what printf says, where both understand the format; the differences are claims of their own.
#include "support.h"

#include "base/internal.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define SAME(...)                                                                                                              \
    do {                                                                                                                       \
        char   ours[256], theirs[256];                                                                                         \
        size_t length = sup_format(ours, sizeof ours, __VA_ARGS__);                                                            \
        assert_int_equal(length, snprintf(theirs, sizeof theirs, __VA_ARGS__));                                                \
        assert_string_equal(ours, theirs);                                                                                     \
    } while (0)

#define GIVES(expected, ...)                                                                                                   \
    do {                                                                                                                       \
        char ours[256];                                                                                                        \
        assert_int_equal(sup_format(ours, sizeof ours, __VA_ARGS__), strlen(expected));                                        \
        assert_string_equal(ours, expected);                                                                                   \
    } while (0)

static void whole_numbers_are_printed_like_printf(void** state)
{
    (void)state;
    SAME("%d %i %u", 0, -7, 42u);
    SAME("%d %d %u", INT_MIN, INT_MAX, UINT_MAX);
    SAME("%ld %lld %lu %llu", LONG_MIN, LLONG_MIN, ULONG_MAX, ULLONG_MAX);
    SAME("%zu|%zx", (size_t)-1, (size_t)255);
    SAME("%5d|%-5d|%05d|%2d", -42, -42, -42, -12345);
    SAME("%x|%08x|%llx|%hhx", 0xbeefu, 0xbeefu, 0x0123456789abcdefull, (unsigned char)0x12);
}

static void texts_are_padded_and_cut_like_printf(void** state)
{
    (void)state;
    SAME("[%s] [%5s] [%-5s] [%.2s] [%-6.3s] [%.*s]", "abc", "abc", "abc", "abc", "abcdef", 2, "xyz");
    SAME("[%c] [%3c] [%-3c] 100%%", 'x', 'y', 'z');
    SAME("[%.0s]", "abc");
    const char* volatile nothing = NULL;
    GIVES("[(none)]", "[%s]", nothing);
}

static void fixed_point_is_rounded_like_printf(void** state)
{
    (void)state;
    SAME("%f %f %f", 0.0, 1.0, -2.5);
    SAME("%.3f %.3f %.3f %.3f", 0.0005, 0.0015, 0.00049999, 0.0004);
    SAME("%.0f %.0f %.0f %.0f %.0f", 0.5, 1.5, 2.5, 0.49, 9.5);
    SAME("%.1f %.1f %.2f", 0.05, 0.25, 9.995);
    SAME("%.2f %.2f", 999.999, 0.009);
    SAME("%.6f %.1f", 999999999999999.0, 99999.95);
    SAME("%8.2f|%-8.2f|%08.2f", -3.14159, -3.14159, -3.14159);
    SAME("%.15f %.17f %.20f", 0.1, 0.1, 0.1);
    for (int i = -3000; i < 3000; ++i) SAME("%.2f %.1f", i / 100.0 + 4000, (i + 4000) / 16.0);
}

static void what_rounds_to_nothing_has_no_sign(void** state)
{
    (void)state;
    GIVES("0.00", "%.2f", -0.001);
    GIVES("0.0", "%.1f", -0.0);
}

static void huge_values_take_an_exponent(void** state)
{
    (void)state;
    GIVES("1000000000000000", "%.3f", 1e15);
    GIVES("999999999999999.0", "%.1f", 999999999999999.0);
    GIVES("1e300", "%f", 1e300);
    GIVES("inf -inf nan", "%f %f %g", INFINITY, -INFINITY, NAN);
}

static void general_keeps_six_digits_and_drops_zeros(void** state)
{
    (void)state;
    SAME("%g %g %g %g %g", 0.0, 1.0, 0.5, -2.25, 100000.0);
    SAME("%g %g %g", 3.14159265, 0.000123456789, 0.1);
    SAME("%.3g %.10g %.17g", 2.0 / 3, 2.0 / 3, 0.1);
    SAME("%8g|%-8g|", 1.5, 1.5);
    GIVES("0.0000123457", "%g", 0.0000123456789);
    GIVES("1.23457e-7", "%g", 1.23456789e-7);
    GIVES("1", "%g", 0.99999999);
    GIVES("1000000", "%g", 999999.99);
}

static void general_keeps_every_digit_before_the_point(void** state)
{
    (void)state;
    GIVES("1234567", "%g", 1234567.0);
    GIVES("123456789012345", "%g", 123456789012345.0);
    GIVES("1234570000000000", "%g", 1234567890123456.0);
    GIVES("1.5e30", "%g", 1.5e30);
}

static void short_buffers_are_cut_and_ended(void** state)
{
    (void)state;
    char buffer[6];
    memset(buffer, 'x', sizeof buffer);
    assert_int_equal(sup_format(buffer, 5, "%s", "abcdefgh"), 8);
    assert_string_equal(buffer, "abcd");
    assert_int_equal(buffer[5], 'x');
    assert_int_equal(sup_format(NULL, 0, "%d items", 12), 8);
}

static void failing_fills_the_error_and_returns_the_code(void** state)
{
    (void)state;
    sup_error error;
    assert_int_equal(sup_fail(&error, SUP_ERROR_INPUT, "joint %u of '%s'", 3u, "arm"), SUP_ERROR_INPUT);
    assert_int_equal(error.code, SUP_ERROR_INPUT);
    assert_string_equal(error.text, "joint 3 of 'arm'");
    assert_int_equal(sup_fail(NULL, SUP_ERROR_FILE, "%s", "nobody listens"), SUP_ERROR_FILE);
    char many[3000];
    memset(many, 'a', sizeof many - 1);
    many[sizeof many - 1] = 0;
    sup_fail(&error, SUP_ERROR_FILE, "%s", many);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
}

static void names_from_files_cannot_speak_to_the_terminal(void** state)
{
    (void)state;
    static const char* const pairs[][2] = {
        { "upper arm", "upper arm" },
        { "\xc3\xa9paule \xe8\x82\xa9 \xf0\x9f\xa6\xb4",
          "\xc3\xa9paule \xe8\x82\xa9 \xf0\x9f\xa6\xb4" }, // letters and a bone stay
        { "\033[31mred\033]0;title\007", "?[31mred?]0;title?" },
        { "a\r\nsupple: note: b\tc\177", "a??supple: note: b?c?" },
        { "\xc2\x9b"
          "31m",
          "?31m" }, // C1 as UTF-8: one mark
        { "\x9b"
          "31m\xc0\x80\xff",
          "?31m???" }, // no UTF-8: one mark a byte
        { "\xe2\x80\xae"
          "cod.exe\xe2\x81\xa6",
          "?cod.exe?" }, // right to left
        { "cut\xe8\x82", "cut??" },
        { "", "" },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
        char text[64];
        strcpy(text, pairs[i][0]);
        sup_text_clean(text);
        assert_string_equal(text, pairs[i][1]);
    }
    sup_error error;
    sup_fail(&error, SUP_ERROR_INPUT, "no joint '%s'", "\033[2J");
    assert_string_equal(error.text, "no joint '?[2J'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_from_files_cannot_speak_to_the_terminal),
        cmocka_unit_test(whole_numbers_are_printed_like_printf),
        cmocka_unit_test(texts_are_padded_and_cut_like_printf),
        cmocka_unit_test(fixed_point_is_rounded_like_printf),
        cmocka_unit_test(what_rounds_to_nothing_has_no_sign),
        cmocka_unit_test(huge_values_take_an_exponent),
        cmocka_unit_test(general_keeps_six_digits_and_drops_zeros),
        cmocka_unit_test(general_keeps_every_digit_before_the_point),
        cmocka_unit_test(short_buffers_are_cut_and_ended),
        cmocka_unit_test(failing_fills_the_error_and_returns_the_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

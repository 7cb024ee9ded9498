// Doubles and floats to decimal text. Digits come from exact integer arithmetic (Steele and White 1990): the value is R / S,
// its neighbors are M / S away, and digits are taken from R until the remainder cannot be distinguished from the value itself.
#include "base/big.h"
#include "base/numbers.h"

#include <math.h>

__extension__ typedef unsigned __int128 wide_uint;

// A positive number mantissa x 2^exponent and how far its text may be off. `uneven`: a power of two, whose lower neighbor is
// half as far away as the upper one.
typedef struct parts {
    uint64_t mantissa;
    int      exponent;
    bool     uneven;
} parts;

static parts split_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t fraction = bits & ((1ull << 52) - 1);
    int      biased = (int)(bits >> 52 & 0x7ff);
    if (biased == 0) return (parts){ fraction, -1074, false };
    return (parts){ fraction | 1ull << 52, biased - 1075, fraction == 0 && biased > 1 };
}

static parts split_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t fraction = bits & ((1u << 23) - 1);
    int      biased = (int)(bits >> 23 & 0xff);
    if (biased == 0) return (parts){ fraction, -149, false };
    return (parts){ fraction | 1u << 23, biased - 150, fraction == 0 && biased > 1 };
}

// The place of the first digit, or one too low: value < 10^place or value < 10^(place + 1).
static int estimate_place(parts p)
{
    int bits = 64 - __builtin_clzll(p.mantissa);
    return (int)ceil((p.exponent + bits - 1) * 0.30102999566398120 - 1e-10);
}

static wide_uint power_of_ten(int power)
{
    wide_uint value = 1;
    for (; power > 0; --power) value *= 10;
    return value;
}

// Shortest digits in 128-bit arithmetic. False: the numbers do not fit.
static bool shortest_wide(parts p, char* digits, uint32_t* count, int* place)
{
    if (p.exponent < -110 || p.exponent > 64) return false;
    int k = estimate_place(p), uneven = p.uneven;
    int r_bits = 56 + (p.exponent > 0 ? p.exponent : 0) + (k < 0 ? -k * 10 / 3 + 1 : 0);
    int s_bits = 2 + (p.exponent < 0 ? -p.exponent : 0) + (k > 0 ? k * 10 / 3 + 1 : 0);
    if (r_bits > 120 || s_bits > 120) return false;

    wide_uint scale_r = power_of_ten(-k);
    wide_uint r = ((wide_uint)p.mantissa << (1 + uneven) << (p.exponent > 0 ? p.exponent : 0)) * scale_r;
    wide_uint s = ((wide_uint)1 << (1 + uneven) << (p.exponent < 0 ? -p.exponent : 0)) * power_of_ten(k);
    wide_uint low = ((wide_uint)1 << (p.exponent > 0 ? p.exponent : 0)) * scale_r;
    wide_uint high = low << uneven;
    bool      even = (p.mantissa & 1) == 0; // the reader rounds ties to even, so the ends belong to even mantissas
    if (even ? r + high >= s : r + high > s) ++k;
    else r *= 10, low *= 10, high *= 10;
    for (*count = 0, *place = k;;) {
        unsigned digit = 0;
        for (int bit = 3; bit >= 0; --bit)
            if (r >= s << bit) r -= s << bit, digit |= 1u << bit;
        bool end_low = even ? r <= low : r < low;
        bool end_high = even ? r + high >= s : r + high > s;
        if (end_low || end_high) {
            bool up = end_low && end_high ? r << 1 > s || (r << 1 == s && digit & 1) : end_high;
            digits[(*count)++] = (char)('0' + digit + up);
            return true;
        }
        digits[(*count)++] = (char)('0' + digit);
        r *= 10, low *= 10, high *= 10;
    }
}

// R / S is the value x 10^-k; M (low, high) may be NULL.
static void set_up(parts p, int k, sup_big* r, sup_big* s, sup_big* low, sup_big* high)
{
    uint32_t uneven = p.uneven, up = p.exponent > 0 ? (uint32_t)p.exponent : 0,
             down = p.exponent < 0 ? (uint32_t)-p.exponent : 0;
    sup_big_set(r, p.mantissa);
    sup_big_set(s, 1);
    if (k < 0) sup_big_multiply_five(r, (uint32_t)-k), up += (uint32_t)-k;
    else sup_big_multiply_five(s, (uint32_t)k), down += (uint32_t)k;
    sup_big_shift_left(r, up + 1 + uneven);
    sup_big_shift_left(s, down + 1 + uneven);
    if (!low) return;
    sup_big_set(low, 1);
    if (k < 0) sup_big_multiply_five(low, (uint32_t)-k);
    sup_big_shift_left(low, up);
    sup_big_copy(high, low);
    sup_big_shift_left(high, uneven);
}

static unsigned take_digit(sup_big* r, const sup_big* s)
{
    unsigned digit = 0;
    for (; sup_big_compare(r, s) >= 0; ++digit) sup_big_subtract(r, s);
    return digit;
}

static void shortest_big(parts p, char* digits, uint32_t* count, int* place)
{
    sup_big r, s, low, high;
    int     k = estimate_place(p);
    int     edge = (p.mantissa & 1) == 0 ? 0 : 1; // even mantissas own the ends of their interval
    set_up(p, k, &r, &s, &low, &high);
    if (sup_big_compare_sum(&r, &high, &s) >= edge) ++k;
    else sup_big_multiply(&r, 10, 0), sup_big_multiply(&low, 10, 0), sup_big_multiply(&high, 10, 0);
    for (*count = 0, *place = k;;) {
        unsigned digit = take_digit(&r, &s);
        bool     end_low = sup_big_compare(&r, &low) <= -edge;
        bool     end_high = sup_big_compare_sum(&r, &high, &s) >= edge;
        if (end_low || end_high) {
            int  half = sup_big_compare_sum(&r, &r, &s);
            bool up = end_low && end_high ? half > 0 || (half == 0 && digit & 1) : end_high;
            digits[(*count)++] = (char)('0' + digit + up);
            return;
        }
        digits[(*count)++] = (char)('0' + digit);
        sup_big_multiply(&r, 10, 0), sup_big_multiply(&low, 10, 0), sup_big_multiply(&high, 10, 0);
    }
}

uint32_t sup_digits_rounded(double value, int significant, int decimals, char* digits, int* exponent)
{
    SUP_ASSERT(value > 0 && value < INFINITY && decimals >= 0);
    sup_big r, s;
    parts   p = split_double(value);
    int     k = estimate_place(p);
    set_up(p, k, &r, &s, NULL, NULL);
    if (sup_big_compare(&r, &s) >= 0) ++k;
    else sup_big_multiply(&r, 10, 0);
    *exponent = k;
    int wanted = k + decimals < significant ? k + decimals : significant;
    if (wanted > SUP_DIGITS_MAX - 1) wanted = SUP_DIGITS_MAX - 1;
    if (wanted < 0) return 0;
    for (int i = 0; i < wanted; ++i) {
        digits[i] = (char)('0' + take_digit(&r, &s));
        sup_big_multiply(&r, 10, 0);
    }
    // R / S is now ten times the remainder after the last digit.
    sup_big_multiply(&s, 5, 0);
    int  half = sup_big_compare(&r, &s);
    bool up = half > 0 || (half == 0 && wanted > 0 && (digits[wanted - 1] & 1));
    if (!up) return (uint32_t)wanted;
    for (int i = wanted - 1; i >= 0; --i) {
        if (digits[i] != '9') {
            digits[i]++;
            return (uint32_t)wanted;
        }
        digits[i] = '0';
    }
    // All nines, or nothing before the rounded place: a one goes in front.
    memmove(digits + 1, digits, (size_t)wanted);
    digits[0] = '1';
    *exponent = k + 1;
    return (uint32_t)wanted + (k + decimals < significant);
}

size_t sup_digits_text(const char* digits, uint32_t count, int place, char* out)
{
    char* o = out;
    if (place > 21 || place < -4) {
        *o++ = digits[0];
        if (count > 1) *o++ = '.';
        for (uint32_t i = 1; i < count; ++i) *o++ = digits[i];
        *o++ = 'e';
        int exponent = place - 1;
        if (exponent < 0) *o++ = '-', exponent = -exponent;
        if (exponent >= 100) *o++ = (char)('0' + exponent / 100);
        if (exponent >= 10) *o++ = (char)('0' + exponent / 10 % 10);
        *o++ = (char)('0' + exponent % 10);
    } else if (place <= 0) {
        *o++ = '0';
        *o++ = '.';
        for (int i = place; i < 0; ++i) *o++ = '0';
        for (uint32_t i = 0; i < count; ++i) *o++ = digits[i];
    } else {
        for (int i = 0; i < place || i < (int)count; ++i) {
            if (i == place) *o++ = '.';
            *o++ = i < (int)count ? digits[i] : '0';
        }
    }
    *o = 0;
    return (size_t)(o - out);
}

static size_t print_special(double value, char* out)
{
    const char* word = value != value ? "nan" : value > 0 ? "inf" : value < 0 ? "-inf" : signbit(value) ? "-0" : "0";
    size_t      length = strlen(word);
    memcpy(out, word, length + 1);
    return length;
}

static size_t print_shortest(parts p, bool negative, char* out)
{
    char     digits[20];
    uint32_t count;
    int      place;
    if (!shortest_wide(p, digits, &count, &place)) shortest_big(p, digits, &count, &place);
    if (negative) *out++ = '-';
    return sup_digits_text(digits, count, place, out) + negative;
}

size_t sup_print_double(double value, char* buffer)
{
    if (value == 0 || !isfinite(value)) return print_special(value, buffer);
    return print_shortest(split_double(value), value < 0, buffer);
}

// Shortest digits of a float in double arithmetic: nine digits of the value as a whole number, then fewer as long as they stay
// within half a step of the float. One product or quotient by an exact power of ten errs by 2^-53 of 2^30, so anything closer
// than `margin` to a limit is left to the exact method. False: the exact method must decide.
static bool shortest_fast(float value, uint32_t* digits, int* place)
{
    static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                     1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    enum { NINE = 9, POWER_MAX = 22 };
    const double margin = 1e-4;
    uint32_t     bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t fraction = bits & ((1u << 23) - 1);
    int      binary = (int)(bits >> 23 & 0xff) - 127;
    if (fraction == 0 || binary == -127) return false; // a power of two has uneven neighbors, a subnormal fewer digits
    int    ten = (binary * 1233) >> 12;                // floor(log10) or one less
    double x = (double)(value < 0 ? -value : value);
    int    power = NINE - 1 - ten;
    if (power > POWER_MAX || -power > POWER_MAX) return false;
    double scaled = power >= 0 ? x * powers[power] : x / powers[-power];
    if (scaled >= 1e9) scaled *= 0.1, ++ten, --power;
    if (power > POWER_MAX || -power > POWER_MAX) return false;
    uint64_t half_bits = (uint64_t)(binary - 24 + 1023) << 52; // half a step of the float
    double   half;
    memcpy(&half, &half_bits, sizeof half);
    half = power >= 0 ? half * powers[power] : half / powers[-power];

    static const double parts_of[] = { 1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8 };
    uint32_t            best = 0, unit = 1, step = 1, n = 0;
    // Rounding to a step of at most the whole interval cannot leave it.
    for (; n < NINE - 1 && 10.0 * step < 2 * half - margin; ++n) step *= 10;
    for (; n < NINE; ++n, step *= 10) {
        double   steps = scaled * parts_of[n];
        uint32_t whole = (uint32_t)steps;
        double   rest = steps - (double)whole;
        if (rest > 0.5 - margin && rest < 0.5 + margin) return false; // which neighbor is nearer?
        whole += rest > 0.5;
        double off = (double)whole * step - scaled;
        off = off < 0 ? -off : off;
        if (off > half - margin && off < half + margin) return false; // does it still read back?
        if (off > half) break;
        best = whole;
        unit = step;
    }
    *place = ten + 1 + ((uint64_t)best * unit >= 1000000000);
    while (best % 10 == 0) best /= 10;
    *digits = best;
    return true;
}

// Nine digits at once, two by two, with zeros in front.
static void print_nine(uint32_t number, char* out)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
        "49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
        "9899";
    uint32_t low = number % 10000, rest = number / 10000, high = rest % 10000;
    out[0] = (char)('0' + rest / 10000);
    memcpy(out + 1, pairs + 2 * (high / 100), 2);
    memcpy(out + 3, pairs + 2 * (high % 100), 2);
    memcpy(out + 5, pairs + 2 * (low / 100), 2);
    memcpy(out + 7, pairs + 2 * (low % 100), 2);
}

// The text of up to nine digits, as in sup_digits_text. Copies of a fixed length may write past its end.
static size_t print_digits(uint32_t number, int place, char* out)
{
    char     nine[32];
    uint32_t count = 1;
    for (uint32_t limit = 10; count < 9 && number >= limit; limit *= 10) count++;
    print_nine(number, nine);
    const char* digits = nine + 9 - count;
    if (place <= 0 && place >= -4) {
        memcpy(out, "0.0000", 6);
        memcpy(out + 2 - place, digits, 9);
        out[2 - place + (int)count] = 0;
        return (size_t)(2 - place) + count;
    }
    if (place > 0 && place < (int)count) {
        memcpy(out, digits, 9);
        memcpy(out + place + 1, digits + place, 9);
        out[place] = '.';
        out[count + 1] = 0;
        return count + 1;
    }
    return sup_digits_text(digits, count, place, out);
}

size_t sup_print_float(float value, char* buffer)
{
    if (value == 0 || !isfinite(value)) return print_special((double)value, buffer);
    uint32_t digits;
    int      place;
    if (shortest_fast(value, &digits, &place)) {
        if (value < 0) *buffer++ = '-';
        return print_digits(digits, place, buffer) + (value < 0);
    }
    return print_shortest(split_float(value), value < 0, buffer);
}

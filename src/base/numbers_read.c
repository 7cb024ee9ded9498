// Decimal text to the nearest double, ties to even, whatever the locale. Three paths with one answer: a product or quotient of
// two exact doubles, 128-bit integers, and big integers.
#include "base/big.h"
#include "base/numbers.h"

#include <math.h>

__extension__ typedef unsigned __int128 wide_uint;

// 768 digits decide any tie between doubles; whatever non-zero follows only says "a little more".
enum { DIGITS_THAT_MATTER = 769 };

static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

static const char* scan_digits(const char* p, const char* end, uint64_t* mantissa)
{
    uint64_t m = *mantissa;
    for (; p < end && is_digit(*p); ++p) m = m * 10 + (uint64_t)(*p - '0');
    *mantissa = m;
    return p;
}

// An exponent mark without digits belongs to whatever follows the number.
static const char* scan_exponent(const char* p, const char* end, int64_t* exponent)
{
    const char* start = p++;
    bool        negative = p < end && *p == '-';
    if (p < end && (*p == '-' || *p == '+')) ++p;
    if (p == end || !is_digit(*p)) return start;
    int64_t value = 0;
    for (; p < end && is_digit(*p); ++p)
        if (value < INT64_MAX / 1000) value = value * 10 + (*p - '0');
    *exponent = negative ? -value : value;
    return p;
}

sup_decimal sup_decimal_scan(const char* text, size_t length)
{
    sup_decimal d = { 0 };
    const char *p = text, *end = text + length;
    if (p < end && (*p == '-' || *p == '+')) {
        d.negative = *p == '-';
        d.plus = *p == '+';
        ++p;
    }
    d.digits = p;
    p = scan_digits(p, end, &d.mantissa);
    d.whole_digits = (size_t)(p - d.digits);
    if (p < end && *p == '.' && (d.whole_digits || (p + 1 < end && is_digit(p[1])))) {
        const char* part = p + 1;
        p = scan_digits(part, end, &d.mantissa);
        d.part_digits = (size_t)(p - part);
        d.point = true;
    }
    size_t digits = d.whole_digits + d.part_digits;
    if (digits == 0) return d;
    if (digits > 19) {
        const char* q = d.digits;
        for (; digits > 19 && (*q == '0' || *q == '.'); ++q) digits -= *q == '0';
        d.many = digits > 19;
    }
    if (p < end && (*p == 'e' || *p == 'E')) p = scan_exponent(p, end, &d.written);
    d.exponent = d.written - (int64_t)d.part_digits;
    d.length = (size_t)(p - text);
    return d;
}

// The double nearest to (mantissa + a little if sticky) x 2^exponent; the mantissa's top bit is set.
static double assemble(uint64_t mantissa, bool sticky, int64_t exponent)
{
    int64_t scale = exponent + 63; // value is in [2^scale, 2^(scale + 1))
    if (scale > 1023) return INFINITY;
    int64_t drop = scale < -1022 ? 11 + (-1022 - scale) : 11;
    if (drop > 64) return 0;
    uint64_t kept = drop == 64 ? 0 : mantissa >> drop;
    uint64_t rest = drop == 64 ? mantissa : mantissa & ((1ull << drop) - 1);
    uint64_t half = 1ull << (drop - 1);
    if (rest > half || (rest == half && (sticky || (kept & 1)))) kept++;
    // A carry out of the mantissa moves into the exponent by itself, up to infinity.
    uint64_t bits = scale < -1022 ? kept : ((uint64_t)(scale + 1022) << 52) + kept;
    double   value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double assemble_wide(wide_uint value, bool sticky, int64_t exponent)
{
    uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;
    if (high == 0) {
        int shift = __builtin_clzll(low);
        return assemble(low << shift, sticky, exponent - shift);
    }
    int shift = __builtin_clzll(high);
    value <<= shift;
    return assemble((uint64_t)(value >> 64), sticky || (uint64_t)value != 0, exponent + 64 - shift);
}

// Up to 19 digits and powers of ten that fit 64 bits: one exact product or one division with remainder.
static double by_wide(uint64_t mantissa, int exponent)
{
    uint64_t power = 1;
    for (int i = exponent < 0 ? -exponent : exponent; i; --i) power *= 10;
    if (exponent >= 0) return assemble_wide((wide_uint)mantissa * power, false, 0);
    int       shift = __builtin_clzll(mantissa);
    wide_uint numerator = (wide_uint)(mantissa << shift) << 64;
    wide_uint quotient = numerator / power;
    return assemble_wide(quotient, quotient * power != numerator, -64 - shift);
}

// The digits as one number and the power of ten that goes with them. False: zero.
static bool collect(const sup_decimal* d, sup_big* digits, int64_t* exponent)
{
    const char* p = d->digits;
    size_t      left = d->whole_digits + d->part_digits;
    for (; left && (*p == '0' || *p == '.'); ++p) left -= *p == '0';
    if (left == 0) return false;
    size_t zeros = d->whole_digits + d->part_digits - left;
    *exponent = d->written + (int64_t)d->whole_digits - (int64_t)zeros; // the point's place, counted from the first digit
    sup_big_set(digits, 0);
    uint32_t taken = 0;
    bool     more = false;
    for (; left; ++p) {
        if (*p == '.') continue;
        --left;
        if (taken < DIGITS_THAT_MATTER) {
            sup_big_multiply(digits, 10, (uint32_t)(*p - '0'));
            ++taken;
        } else more |= *p != '0';
    }
    if (more) {
        sup_big_multiply(digits, 10, 1);
        ++taken;
    }
    *exponent -= taken;
    return true;
}

// digits x 5^-power: 64 bits by long division, bit by bit, and what is left over as the sticky bit.
static double divide(sup_big* digits, uint32_t power, int64_t exponent)
{
    sup_big divisor;
    sup_big_set(&divisor, 1);
    sup_big_multiply_five(&divisor, power);
    int64_t shift = (int64_t)sup_big_bits(&divisor) - (int64_t)sup_big_bits(digits);
    if (shift > 0) sup_big_shift_left(digits, (uint32_t)shift);
    else sup_big_shift_left(&divisor, (uint32_t)-shift);
    if (sup_big_compare(digits, &divisor) < 0) {
        sup_big_shift_left(digits, 1);
        ++shift;
    }
    uint64_t quotient = 0;
    for (int i = 0; i < 64; ++i) {
        quotient <<= 1;
        if (sup_big_compare(digits, &divisor) >= 0) {
            sup_big_subtract(digits, &divisor);
            quotient |= 1;
        }
        sup_big_shift_left(digits, 1);
    }
    return assemble(quotient, digits->count != 0, exponent - shift - 63);
}

static double by_big(const sup_decimal* d)
{
    sup_big digits;
    int64_t exponent;
    if (!collect(d, &digits, &exponent)) return 0;
    int64_t place = exponent + (int64_t)(sup_big_bits(&digits) * 0.30103); // of the first digit, within one
    if (place > 312) return INFINITY;
    if (place < -330) return 0;
    if (exponent < 0) return divide(&digits, (uint32_t)-exponent, exponent);
    sup_big_multiply_five(&digits, (uint32_t)exponent);
    uint32_t bits = sup_big_bits(&digits);
    if (bits < 64) {
        sup_big_shift_left(&digits, 64 - bits);
        return assemble((uint64_t)digits.limbs[1] << 32 | digits.limbs[0], false, exponent - (64 - (int64_t)bits));
    }
    uint32_t up = (32 - bits % 32) % 32; // the top limb full, so that the upper two are the 64 bits
    sup_big_shift_left(&digits, up);
    bool sticky = false;
    for (uint32_t i = 0; i + 2 < digits.count; ++i) sticky |= digits.limbs[i] != 0;
    uint64_t top = (uint64_t)digits.limbs[digits.count - 1] << 32 | digits.limbs[digits.count - 2];
    return assemble(top, sticky, exponent + (int64_t)bits - 64);
}

double sup_decimal_value(const sup_decimal* d)
{
    double value;
    if (d->many) value = by_big(d);
    else if (d->mantissa == 0) value = 0;
    else if (d->mantissa <= 1ull << 53 && d->exponent >= -22 && d->exponent <= 22)
        value = d->exponent < 0 ? (double)d->mantissa / powers[-d->exponent] : (double)d->mantissa * powers[d->exponent];
    else if (d->exponent >= -19 && d->exponent <= 19) value = by_wide(d->mantissa, (int)d->exponent);
    else value = by_big(d);
    return d->negative ? -value : value;
}

static bool same_word(const char* text, size_t length, const char* word)
{
    for (size_t i = 0; word[i]; ++i)
        if (i >= length || (text[i] | 0x20) != word[i]) return false;
    return true;
}

size_t sup_parse_double(const char* text, size_t length, bool words, double* out)
{
    sup_decimal d = sup_decimal_scan(text, length);
    if (d.length) {
        *out = sup_decimal_value(&d);
        return d.length;
    }
    if (!words) return 0;
    size_t      sign = d.negative || d.plus;
    const char* word = text + sign;
    size_t      left = length - sign;
    if (same_word(word, left, "inf")) {
        *out = d.negative ? -INFINITY : INFINITY;
        return sign + (same_word(word, left, "infinity") ? 8 : 3);
    }
    if (same_word(word, left, "nan")) {
        *out = NAN;
        return sign + 3;
    }
    return 0;
}

// A small printf without streams: the same text natively and in WebAssembly, and never a decimal comma.
#include "base/numbers.h"

#include <math.h>
#include <string.h>

typedef struct output {
    char*  buffer;
    size_t size, length;
} output;

// One %...: what stands between the percent sign and the letter.
typedef struct spec {
    bool left, zeros, sized;
    int  width, precision, longs; // precision -1: not given
} spec;

// Fixed-point text with more digits before the point would be noise: print the shortest text with an exponent instead.
static const double fixed_limit = 1e15;
enum { DECIMALS_MAX = 30, NUMBER_ROOM = 64 };

static void put(output* o, const char* text, size_t length)
{
    for (size_t i = 0; i < length; ++i, ++o->length)
        if (o->length + 1 < o->size) o->buffer[o->length] = text[i];
}

static void put_repeated(output* o, char c, int count)
{
    for (; count > 0; --count) put(o, &c, 1);
}

static void put_padded(output* o, const spec* s, const char* text, size_t length)
{
    int missing = length < (size_t)s->width ? s->width - (int)length : 0;
    if (!s->left) put_repeated(o, ' ', missing);
    put(o, text, length);
    if (s->left) put_repeated(o, ' ', missing);
}

// Zeros go between the sign and the digits.
static void put_number(output* o, const spec* s, const char* text, size_t length)
{
    if (!s->zeros || s->left) {
        put_padded(o, s, text, length);
        return;
    }
    size_t sign = text[0] == '-';
    put(o, text, sign);
    put_repeated(o, '0', s->width - (int)length);
    put(o, text + sign, length - sign);
}

static void put_whole(output* o, const spec* s, unsigned long long value, unsigned base, bool negative)
{
    char   text[24];
    size_t n = 0;
    do text[sizeof text - ++n] = "0123456789abcdef"[value % base];
    while (value /= base);
    if (negative) text[sizeof text - ++n] = '-';
    put_number(o, s, text + sizeof text - n, n);
}

static size_t fixed_text(double value, int decimals, char* text)
{
    char     digits[SUP_DIGITS_MAX];
    int      place = 0;
    uint32_t count = value == 0 ? 0 : sup_digits_rounded(fabs(value), SUP_DIGITS_MAX, decimals, digits, &place);
    size_t   n = 0;
    if (value < 0 && count) text[n++] = '-'; // what rounds to zero has no sign
    if (count == 0) place = 0;
    if (place < 1) text[n++] = '0';
    for (int i = place < 0 ? place : 0; i < place + decimals; ++i) {
        if (i == place) text[n++] = '.';
        text[n++] = i >= 0 && i < (int)count ? digits[i] : '0';
    }
    return n;
}

static void put_fixed(output* o, const spec* s, double value)
{
    char text[NUMBER_ROOM];
    int  decimals = s->precision < 0 ? 6 : s->precision > DECIMALS_MAX ? DECIMALS_MAX : s->precision;
    bool plain = value > -fixed_limit && value < fixed_limit;
    put_number(o, s, text, plain ? fixed_text(value, decimals, text) : sup_print_double(value, text));
}

// %g: `precision` significant digits (default 6), trailing zeros dropped. Unlike printf, keeps all digits before the point, up
// to 15: people read counts and sizes with it.
static void put_general(output* o, const spec* s, double value)
{
    char text[NUMBER_ROOM];
    int  wanted = s->precision < 0 ? 6 : s->precision == 0 ? 1 : s->precision > 17 ? 17 : s->precision;
    if (value != 0 && isfinite(value)) {
        char     digits[SUP_DIGITS_MAX];
        int      place;
        uint32_t count = sup_digits_rounded(fabs(value), wanted, SUP_DIGITS_MAX, digits, &place);
        if (place > wanted && place <= 15) count = sup_digits_rounded(fabs(value), place, SUP_DIGITS_MAX, digits, &place);
        while (count > 1 && digits[count - 1] == '0') --count;
        size_t n = sup_digits_text(digits, count, place, text + 1);
        text[0] = '-';
        put_number(o, s, value < 0 ? text : text + 1, value < 0 ? n + 1 : n);
        return;
    }
    put_number(o, s, text, sup_print_double(value, text));
}

static void put_text(output* o, const spec* s, const char* text)
{
    if (!text) text = "(none)";
    size_t n = 0;
    while ((s->precision < 0 || n < (size_t)s->precision) && text[n]) ++n;
    put_padded(o, s, text, n);
}

static int parse_count(const char** p)
{
    int value = 0;
    for (; **p >= '0' && **p <= '9'; ++*p)
        if (value < 10000) value = value * 10 + (**p - '0');
    return value;
}

static void put_argument(output* o, const spec* s, char letter, va_list* arguments)
{
    switch (letter) {
    case 's': put_text(o, s, va_arg(*arguments, const char*)); break;
    case 'c': {
        char c = (char)va_arg(*arguments, int);
        put_padded(o, s, &c, 1);
        break;
    }
    case 'd':
    case 'i': {
        long long v = s->sized       ? (long long)va_arg(*arguments, ptrdiff_t)
                      : s->longs > 1 ? va_arg(*arguments, long long)
                      : s->longs     ? va_arg(*arguments, long)
                                     : va_arg(*arguments, int);
        put_whole(o, s, v < 0 ? 0ull - (unsigned long long)v : (unsigned long long)v, 10, v < 0);
        break;
    }
    case 'u':
    case 'x': {
        unsigned long long v = s->sized       ? va_arg(*arguments, size_t)
                               : s->longs > 1 ? va_arg(*arguments, unsigned long long)
                               : s->longs     ? va_arg(*arguments, unsigned long)
                                              : va_arg(*arguments, unsigned);
        put_whole(o, s, v, letter == 'x' ? 16 : 10, false);
        break;
    }
    case 'f': put_fixed(o, s, va_arg(*arguments, double)); break;
    case 'g': put_general(o, s, va_arg(*arguments, double)); break;
    case '%': put(o, "%", 1); break;
    default: SUP_ASSERT(!"sup_format: unknown specifier");
    }
}

size_t sup_format_list(char* buffer, size_t size, const char* format, va_list arguments)
{
    output  o = { buffer, size, 0 };
    va_list list; // a copy: where va_list is an array, a parameter of that type has another address
    va_copy(list, arguments);
    for (const char* p = format; *p; ++p) {
        if (*p != '%') {
            put(&o, p, 1);
            continue;
        }
        spec s = { .precision = -1 };
        for (++p; *p == '-' || *p == '0'; ++p) s.left |= *p == '-', s.zeros |= *p == '0';
        s.width = parse_count(&p);
        if (*p == '.') {
            ++p;
            if (*p == '*') s.precision = va_arg(list, int), ++p;
            else s.precision = parse_count(&p);
        }
        for (; *p == 'h' || *p == 'l' || *p == 'z'; ++p) s.longs += *p == 'l', s.sized |= *p == 'z';
        if (!*p) break;
        put_argument(&o, &s, *p, &list);
    }
    va_end(list);
    if (size) buffer[o.length < size ? o.length : size - 1] = 0;
    return o.length;
}

size_t sup_format(char* buffer, size_t size, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    size_t length = sup_format_list(buffer, size, format, arguments);
    va_end(arguments);
    return length;
}

// ---------------------------------------------------------------------------------------------- names from files

size_t sup_utf8_length(const unsigned char* p)
{
    if (p[0] < 0x80) return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4) return 0;
    if ((p[1] & 0xc0) != 0x80) return 0;
    if (p[0] < 0xe0) return 2;
    if (p[0] == 0xe0 && p[1] < 0xa0) return 0;
    if (p[0] == 0xed && p[1] > 0x9f) return 0;
    if ((p[2] & 0xc0) != 0x80) return 0;
    if (p[0] < 0xf0) return 3;
    if (p[0] == 0xf0 && p[1] < 0x90) return 0;
    if (p[0] == 0xf4 && p[1] > 0x8f) return 0;
    return (p[3] & 0xc0) == 0x80 ? 4 : 0;
}

// What a terminal interprets instead of printing: C0, DEL and C1 move the cursor, change colors, ring the bell and rename the
// window; direction marks and line separators disguise one text as another.
static bool is_obeyed(const unsigned char* p, size_t length)
{
    if (length == 1) return p[0] < 0x20 || p[0] == 0x7f;
    if (length == 2) return p[0] == 0xc2 && p[1] < 0xa0;
    if (length != 3 || p[0] != 0xe2) return false;
    return (p[1] == 0x80 && ((p[2] >= 0xa8 && p[2] <= 0xae) || p[2] == 0x8e || p[2] == 0x8f)) ||
           (p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9);
}

void sup_text_clean(char* text)
{
    char* to = text;
    for (const unsigned char* p = (const unsigned char*)text; *p;) {
        size_t length = sup_utf8_length(p);
        bool   shown = length && !is_obeyed(p, length);
        if (!length) length = 1;
        if (shown) memmove(to, p, length), to += length;
        else *to++ = '?';
        p += length;
    }
    *to = 0;
}

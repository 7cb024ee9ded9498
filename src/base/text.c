// A small printf without streams: the same words natively and in WebAssembly, and never a decimal comma.
#include "base/internal.h"

#include <string.h>

typedef struct output {
    char*  buffer;
    size_t size, length;
} output;

static void put(output* o, const char* text, size_t length)
{
    for (size_t i = 0; i < length; ++i, ++o->length)
        if (o->length + 1 < o->size) o->buffer[o->length] = text[i];
}

static void put_unsigned(output* o, unsigned long long value, unsigned base, bool negative, int width, char pad)
{
    char   digits[24];
    size_t n = 0;
    do digits[sizeof digits - ++n] = "0123456789abcdef"[value % base];
    while (value /= base);
    int length = (int)n + negative;
    if (negative && pad == '0') put(o, "-", 1);
    for (; width > length; --width) put(o, &pad, 1);
    if (negative && pad != '0') put(o, "-", 1);
    put(o, digits + sizeof digits - n, n);
}

// Fixed point for values people read; beyond 1e15 the shortest text, which needs no rounding by hand.
static void put_fixed(output* o, double value, int precision)
{
    char shortest[SUP_NUMBER_MAX];
    if (!(value > -1e15 && value < 1e15)) {
        put(o, shortest, sup_print_double(value, shortest));
        return;
    }
    bool negative = value < 0;
    if (negative) value = -value;
    double scale = 1;
    for (int i = 0; i < precision; ++i) scale *= 10;
    unsigned long long whole = (unsigned long long)value;
    unsigned long long part = (unsigned long long)((value - (double)whole) * scale + 0.5);
    if (part >= (unsigned long long)scale) whole += 1, part = 0;
    put_unsigned(o, whole, 10, negative && (whole || part), 0, ' ');
    if (precision) {
        put(o, ".", 1);
        put_unsigned(o, part, 10, false, precision, '0');
    }
}

// %g: `precision` significant digits (6 unless said), trailing zeros dropped.
static void put_general(output* o, double value, int precision)
{
    char text[SUP_NUMBER_MAX];
    double magnitude = value < 0 ? -value : value;
    if (value == 0 || !(magnitude < 1e15) || magnitude < 1e-5) {
        put(o, text, sup_print_double(value, text));
        return;
    }
    int before = 1;
    for (double m = magnitude; m >= 10; m /= 10) ++before;
    for (double m = magnitude; m < 1; m *= 10) --before;
    int    decimals = precision > before ? precision - before : 0;
    char   fixed[64];
    output f = { fixed, sizeof fixed, 0 };
    put_fixed(&f, value, decimals > 17 ? 17 : decimals);
    size_t n = f.length < sizeof fixed ? f.length : sizeof fixed - 1;
    if (decimals) {
        while (n && fixed[n - 1] == '0') --n;
        if (n && fixed[n - 1] == '.') --n;
    }
    put(o, fixed, n);
}

size_t sup_format_list(char* buffer, size_t size, const char* format, va_list arguments)
{
    output o = { buffer, size, 0 };
    for (const char* p = format; *p; ++p) {
        if (*p != '%') {
            put(&o, p, 1);
            continue;
        }
        ++p;
        char pad = ' ';
        int  width = 0, precision = -1, longs = 0;
        bool sized = false;
        if (*p == '0') pad = '0', ++p;
        for (; *p >= '0' && *p <= '9'; ++p) width = width * 10 + (*p - '0');
        if (*p == '.') {
            precision = 0, ++p;
            if (*p == '*') precision = va_arg(arguments, int), ++p;
            else
                for (; *p >= '0' && *p <= '9'; ++p) precision = precision * 10 + (*p - '0');
        }
        for (; *p == 'h' || *p == 'l' || *p == 'z'; ++p) longs += *p == 'l', sized |= *p == 'z';
        switch (*p) {
        case 's': {
            const char* text = va_arg(arguments, const char*);
            if (!text) text = "(none)";
            size_t n = 0;
            while ((precision < 0 || n < (size_t)precision) && text[n]) ++n;
            for (int i = (int)n; i < width; ++i) put(&o, " ", 1);
            put(&o, text, n);
            break;
        }
        case 'c': {
            char c = (char)va_arg(arguments, int);
            put(&o, &c, 1);
            break;
        }
        case 'd':
        case 'i': {
            long long v = longs > 1 ? va_arg(arguments, long long) : longs ? va_arg(arguments, long) : va_arg(arguments, int);
            put_unsigned(&o, v < 0 ? 0ull - (unsigned long long)v : (unsigned long long)v, 10, v < 0, width, pad);
            break;
        }
        case 'u':
        case 'x': {
            unsigned long long v = sized       ? va_arg(arguments, size_t)
                                   : longs > 1 ? va_arg(arguments, unsigned long long)
                                   : longs     ? va_arg(arguments, unsigned long)
                                               : va_arg(arguments, unsigned);
            put_unsigned(&o, v, *p == 'x' ? 16 : 10, false, width, pad);
            break;
        }
        case 'f': put_fixed(&o, va_arg(arguments, double), precision < 0 ? 6 : precision > 15 ? 15 : precision); break;
        case 'g': put_general(&o, va_arg(arguments, double), precision < 0 ? 6 : precision); break;
        case '%': put(&o, "%", 1); break;
        default: SUP_ASSERT(!"sup_format: unknown specifier"); return o.length;
        }
    }
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

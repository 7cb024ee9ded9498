/// io/quick_number.h: parses numbers of text meshes, which take nearly all of their readers' time. Same values as
/// sup_parse_double, to the last bit.
#ifndef SUP_IO_QUICK_NUMBER_H
#define SUP_IO_QUICK_NUMBER_H

#include "base/internal.h"

/// A decimal number at the start of the text; returns the characters taken, 0 if there is none. Short numbers without an
/// exponent are one exact quotient; everything else goes to the full parser.
static inline size_t sup_quick_double(const char* text, const char* end, double* out)
{
    static const double powers[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15 };
    const char*         p = text;
    bool                negative = p < end && *p == '-';
    uint64_t            mantissa = 0;
    p += negative;
    const char* whole = p;
    while (p < end && (unsigned char)(*p - '0') < 10) mantissa = mantissa * 10 + (uint64_t)(*p++ - '0');
    size_t digits = (size_t)(p - whole), places = 0;
    if (p < end && *p == '.' && digits) {
        const char* part = ++p;
        while (p < end && (unsigned char)(*p - '0') < 10) mantissa = mantissa * 10 + (uint64_t)(*p++ - '0');
        places = (size_t)(p - part);
    }
    // 15 digits are below 2^53, so mantissa and power are exact and the quotient is rounded once.
    if (digits == 0 || digits + places > 15 || (p < end && (*p == 'e' || *p == 'E')))
        return sup_parse_double(text, (size_t)(end - text), false, out);
    double value = (double)mantissa / powers[places];
    *out = negative ? -value : value;
    return (size_t)(p - text);
}

/// A signed whole number; returns the characters taken, 0 if there is none. Saturates beyond any index.
static inline size_t sup_quick_integer(const char* text, const char* end, int64_t* out)
{
    const char* p = text;
    bool        negative = p < end && *p == '-';
    p += negative || (p < end && *p == '+');
    const char* digits = p;
    int64_t     value = 0;
    for (; p < end && (unsigned char)(*p - '0') < 10; ++p)
        if (value <= UINT32_MAX) value = value * 10 + (*p - '0');
    if (p == digits) return 0;
    *out = negative ? -value : value;
    return (size_t)(p - text);
}

#endif

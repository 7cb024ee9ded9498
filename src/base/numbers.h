/// base/numbers.h: decimal text and binary numbers, below sup_parse_double and sup_print_double.
#ifndef SUP_BASE_NUMBERS_H
#define SUP_BASE_NUMBERS_H

#include "base/internal.h"

/// A decimal number as found in the text: value = mantissa x 10^exponent when `many` is false. Readers with a stricter grammar
/// (JSON) look at the counts.
typedef struct sup_decimal {
    uint64_t    mantissa;
    int64_t     exponent;
    const char* digits;       ///< after the sign
    size_t      whole_digits; ///< before the point
    size_t      part_digits;  ///< after it
    size_t      length;       ///< characters taken; 0: no number
    int64_t     written;      ///< the exponent as written, 0 without one
    bool        negative, plus, point;
    bool        many; ///< more than 19 significant digits: the mantissa has overflowed
} sup_decimal;

/// Finds the longest number at the front of the text.
sup_decimal sup_decimal_scan(const char* text, size_t length);
/// Its correctly rounded value.
double sup_decimal_value(const sup_decimal* decimal);

/// Correctly rounded decimal digits of a positive finite value: at most `significant` digits and none behind the
/// `decimals`th place. Returns how many (0: rounds to nothing); value = 0.d1d2d3... x 10^*exponent.
/// Room for min(significant, 309 + decimals) + 1 digits, never more than SUP_DIGITS_MAX.
#define SUP_DIGITS_MAX 400
uint32_t sup_digits_rounded(double value, int significant, int decimals, char* digits, int* exponent);

/// 0.d1d2... x 10^place as people write it, ended by 0: plain between 1e-5 and 1e21, else with an exponent. Returns the
/// length, which stays below SUP_NUMBER_MAX for up to 17 digits.
size_t sup_digits_text(const char* digits, uint32_t count, int place, char* out);

#endif

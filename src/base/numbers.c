#include "base/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t sup_parse_double(const char* text, size_t length, bool words, double* out)
{
    char   copy[512];
    size_t n = length < sizeof copy - 1 ? length : sizeof copy - 1;
    memcpy(copy, text, n);
    copy[n] = 0;
    if (!words && (copy[0] == 'i' || copy[0] == 'n')) return 0;
    char* end;
    *out = strtod(copy, &end);
    return (size_t)(end - copy);
}

size_t sup_print_double(double value, char* buffer) { return (size_t)snprintf(buffer, SUP_NUMBER_MAX, "%.17g", value); }
size_t sup_print_float(float value, char* buffer) { return (size_t)snprintf(buffer, SUP_NUMBER_MAX, "%.9g", value); }

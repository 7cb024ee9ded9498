// A row of four influences in one register.
#include "scene/rows.h"

#include <stdbool.h>

typedef int32_t i4 __attribute__((vector_size(16)));
typedef double  d4 __attribute__((vector_size(32)));

// The bits of 1 and 2^-28: as integers, the bits of nonnegative floats sort like the floats.
enum { ONE = 0x3f800000, LEAST = 0x31800000 };

static inline bool any(i4 mask)
{
    int64_t half[2];
    memcpy(half, &mask, sizeof half);
    return (half[0] | half[1]) != 0;
}

uint32_t SUP_WIDE(sup_rows_take)(sup_rows* rows, uint32_t first, uint32_t from, uint32_t end)
{
    const i4 zero = { 0 }, strangers = { -1, -2, -3, -4 }, last = { 0, 0, 0, -1 };
    double   low = rows->low, high = rows->high;
    uint32_t at = rows->begin[from], most = rows->most, p = from;
    for (; p < end; ++p) {
        size_t row = 4 * (size_t)(rows->vertices[p] - first);
        f4     w = f4_load(rows->weights + row);
        i4     u = (i4)w, next = __builtin_shufflevector(u, u, 1, 2, 3, 3), some = u > zero;
        // Zero or between 2^-28 and 1, in falling order, the first above zero. As bits, negative numbers are below 2^-28.
        i4 wrong = (u > ONE) | ((u < LEAST) & (u != zero)) | (u < next);
        if (any(wrong) | (u[0] == 0)) break;
        // Joints without weight may repeat; here they are all different.
        i4 joints;
        memcpy(&joints, rows->joints + row, sizeof joints);
        joints &= some;
        i4 to = { (int32_t)rows->places[joints[0]], (int32_t)rows->places[joints[1]], (int32_t)rows->places[joints[2]],
                  (int32_t)rows->places[joints[3]] };
        i4 kept = (to & some) | (strangers & ~some);
        i4 behind = __builtin_shufflevector(kept, kept, 1, 2, 3, 0), across = __builtin_shufflevector(kept, kept, 2, 3, 0, 1);
        i4 tied = (u == next) & some & ~last & (kept > behind);
        if (any((kept == behind) | (kept == across) | tied)) break;
        d4     wide = __builtin_convertvector(w, d4);
        double sum = (wide[0] + wide[1]) + (wide[2] + wide[3]);
        d4     divided = wide / (d4){ sum, sum, sum, sum };
        f4     values = __builtin_convertvector(divided, f4);
        memcpy(rows->out_joints + at, &to, sizeof to);
        memcpy(rows->out_values + at, &values, sizeof values);
        low = sum < low ? sum : low;
        high = sum > high ? sum : high;
        uint32_t count = (uint32_t) - (some[0] + some[1] + some[2] + some[3]);
        most = count > most ? count : most;
        rows->begin[p + 1] = at += count;
    }
    rows->low = low;
    rows->high = high;
    rows->most = most;
    return p;
}

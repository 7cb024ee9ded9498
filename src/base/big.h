/// base/big.h: whole numbers of up to 3072 bits, just enough for exact conversion between decimal text and doubles.
#ifndef SUP_BASE_BIG_H
#define SUP_BASE_BIG_H

#include "base/internal.h"

#include <string.h>

// The longest is 770 digits or 5^1115 while reading (2600 bits), and 2^1075 x 10 while printing; a quotient adds 64 bits.
enum { SUP_BIG_LIMBS = 96 };

/// Little-endian limbs; the highest one is never 0, so zero has none.
typedef struct sup_big {
    uint32_t count;
    uint32_t limbs[SUP_BIG_LIMBS];
} sup_big;

static inline void sup_big_set(sup_big* a, uint64_t value)
{
    a->limbs[0] = (uint32_t)value;
    a->limbs[1] = (uint32_t)(value >> 32);
    a->count = value >> 32 ? 2 : value ? 1 : 0;
}

static inline void sup_big_copy(sup_big* to, const sup_big* from)
{
    to->count = from->count;
    memcpy(to->limbs, from->limbs, from->count * sizeof from->limbs[0]);
}

/// a = a x factor + addend
static inline void sup_big_multiply(sup_big* a, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (uint32_t i = 0; i < a->count; ++i) {
        carry += (uint64_t)a->limbs[i] * factor;
        a->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        SUP_ASSERT(a->count < SUP_BIG_LIMBS);
        a->limbs[a->count++] = (uint32_t)carry;
    }
}

/// a = a x 5^power
static inline void sup_big_multiply_five(sup_big* a, uint32_t power)
{
    for (; power >= 13; power -= 13) sup_big_multiply(a, 1220703125u, 0);
    uint32_t rest = 1;
    for (; power; --power) rest *= 5;
    sup_big_multiply(a, rest, 0);
}

static inline void sup_big_shift_left(sup_big* a, uint32_t bits)
{
    if (a->count == 0) return;
    uint32_t limbs = bits / 32, rest = bits % 32;
    SUP_ASSERT(a->count + limbs < SUP_BIG_LIMBS);
    a->limbs[a->count] = 0;
    for (uint32_t i = a->count + 1; i-- > 0;) {
        uint64_t pair = (uint64_t)a->limbs[i] << 32 | (i ? a->limbs[i - 1] : 0);
        a->limbs[i + limbs] = (uint32_t)(pair >> (32 - rest));
    }
    memset(a->limbs, 0, limbs * sizeof a->limbs[0]);
    a->count += limbs;
    if (a->limbs[a->count]) a->count++;
}

static inline uint32_t sup_big_bits(const sup_big* a)
{
    return a->count ? 32 * a->count - (uint32_t)__builtin_clz(a->limbs[a->count - 1]) : 0;
}

static inline int sup_big_compare(const sup_big* a, const sup_big* b)
{
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (uint32_t i = a->count; i-- > 0;)
        if (a->limbs[i] != b->limbs[i]) return a->limbs[i] < b->limbs[i] ? -1 : 1;
    return 0;
}

/// a = a - b, for a >= b
static inline void sup_big_subtract(sup_big* a, const sup_big* b)
{
    uint64_t borrow = 0;
    for (uint32_t i = 0; i < a->count; ++i) {
        uint64_t difference = (uint64_t)a->limbs[i] - (i < b->count ? b->limbs[i] : 0) - borrow;
        a->limbs[i] = (uint32_t)difference;
        borrow = difference >> 63;
    }
    while (a->count && a->limbs[a->count - 1] == 0) a->count--;
}

/// Compares a + b with c.
static inline int sup_big_compare_sum(const sup_big* a, const sup_big* b, const sup_big* c)
{
    sup_big  sum;
    uint32_t n = a->count > b->count ? a->count : b->count;
    uint64_t carry = 0;
    for (uint32_t i = 0; i < n; ++i) {
        carry += (uint64_t)(i < a->count ? a->limbs[i] : 0) + (i < b->count ? b->limbs[i] : 0);
        sum.limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    sum.count = n;
    if (carry) sum.limbs[sum.count++] = (uint32_t)carry;
    return sup_big_compare(&sum, c);
}

#endif

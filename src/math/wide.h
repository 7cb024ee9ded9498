/// math/wide.h: eight floats at once over the compiler's vector types. The only file that may know an instruction set.
///
/// Files named *_wide.c are compiled once per instruction set with SUP_WIDE_SUFFIX on their names: write
/// `void SUP_WIDE(my_kernel)(...)`. Lanes are independent, so the width of the machine never changes a bit.
#ifndef SUP_MATH_WIDE_H
#define SUP_MATH_WIDE_H

#include <stdint.h>
#include <string.h>

#ifndef SUP_WIDE_SUFFIX
#define SUP_WIDE_SUFFIX _v1
#endif
#define SUP_WIDE_JOIN2(a, b) a##b
#define SUP_WIDE_JOIN(a, b) SUP_WIDE_JOIN2(a, b)
#define SUP_WIDE(name) SUP_WIDE_JOIN(name, SUP_WIDE_SUFFIX)

#define SUP_LANES 8

typedef float   f8 __attribute__((vector_size(32)));
typedef int32_t i8 __attribute__((vector_size(32)));

static inline f8 f8_all(float x) { return (f8){ x, x, x, x, x, x, x, x }; }
static inline f8 f8_load(const float* p)
{
    f8 r;
    memcpy(&r, p, sizeof r);
    return r;
}
static inline void f8_store(float* p, f8 x) { memcpy(p, &x, sizeof x); }
/// a where the mask is set (all bits), else b.
static inline f8 f8_select(i8 mask, f8 a, f8 b) { return (f8)(((i8)a & mask) | ((i8)b & ~mask)); }
static inline f8 f8_sqrt(f8 x)
{
    f8 r;
    for (int i = 0; i < SUP_LANES; ++i) r[i] = __builtin_sqrtf(x[i]);
    return r;
}
/// Eight partial sums in a fixed order.
static inline float f8_sum(f8 x) { return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7])); }

/// Which compiled variant this machine runs best: 1 is the base, 3 is x86-64-v3 (AVX2).
int sup_wide_level(void);

/// Picks the variant of a kernel; declare both with SUP_WIDE_DECLARE.
#if defined(__x86_64__)
#define SUP_WIDE_PICK(name) (sup_wide_level() >= 3 ? name##_v3 : name##_v1)
#else
#define SUP_WIDE_PICK(name) (name##_v1)
#endif

#endif

/// math/wide.h: eight floats at once over the compiler's vector types. The only file that may know an instruction set.
///
/// Files named *_wide.c are compiled once per instruction set with SUP_WIDE_SUFFIX on their names: write
/// `void SUP_WIDE(my_kernel)(...)`. Lanes are independent, so the width of the machine never changes a bit.
#ifndef SUP_MATH_WIDE_H
#define SUP_MATH_WIDE_H

#include <stdint.h>
#include <string.h>
#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

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
static inline i8   i8_all(int32_t x) { return (i8){ x, x, x, x, x, x, x, x }; }
static inline i8   i8_load(const int32_t* p)
{
    i8 r;
    memcpy(&r, p, sizeof r);
    return r;
}
static inline void i8_store(int32_t* p, i8 x) { memcpy(p, &x, sizeof x); }
/// Masks are built in halves where registers hold four lanes: for WebAssembly, clang 14 moves every lane of an i8 from a
/// comparison through a 16-bit number, which costs more than the comparison.
#if defined(__wasm_simd128__)
#define SUP_BY_HALVES(a, b, op)                                                                                                \
    __builtin_shufflevector(__builtin_shufflevector(a, a, 0, 1, 2, 3) op __builtin_shufflevector(b, b, 0, 1, 2, 3),             \
                            __builtin_shufflevector(a, a, 4, 5, 6, 7) op __builtin_shufflevector(b, b, 4, 5, 6, 7), 0, 1, 2, 3, \
                            4, 5, 6, 7)
#else
#define SUP_BY_HALVES(a, b, op) ((a)op(b))
#endif
static inline i8 f8_less(f8 a, f8 b) { return SUP_BY_HALVES(a, b, <); }
static inline i8 f8_at_most(f8 a, f8 b) { return SUP_BY_HALVES(a, b, <=); }
static inline i8 i8_differ(i8 a, i8 b) { return SUP_BY_HALVES(a, b, !=); }

/// a where the mask is set (all bits), else b. Masks come from comparing: a < b, and join with & | ~.
static inline f8 f8_select(i8 mask, f8 a, f8 b)
{
#if defined(__AVX__)
    return (f8)_mm256_blendv_ps((__m256)b, (__m256)a, (__m256)mask);
#else
    return (f8)(((i8)a & mask) | ((i8)b & ~mask));
#endif
}
/// Exactly a < b ? a : b in each lane, so b where either is NaN.
static inline f8 f8_min(f8 a, f8 b)
{
#if defined(__AVX__)
    return (f8)_mm256_min_ps((__m256)a, (__m256)b);
#elif defined(__wasm_simd128__)
    v128_t half[2][2];
    memcpy(half[0], &a, sizeof a);
    memcpy(half[1], &b, sizeof b);
    half[0][0] = wasm_f32x4_pmin(half[1][0], half[0][0]);
    half[0][1] = wasm_f32x4_pmin(half[1][1], half[0][1]);
    memcpy(&a, half[0], sizeof a);
    return a;
#else
    return f8_select(a < b, a, b);
#endif
}
/// Exactly a > b ? a : b in each lane.
static inline f8 f8_max(f8 a, f8 b)
{
#if defined(__AVX__)
    return (f8)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(__wasm_simd128__)
    v128_t half[2][2];
    memcpy(half[0], &a, sizeof a);
    memcpy(half[1], &b, sizeof b);
    half[0][0] = wasm_f32x4_pmax(half[1][0], half[0][0]);
    half[0][1] = wasm_f32x4_pmax(half[1][1], half[0][1]);
    memcpy(&a, half[0], sizeof a);
    return a;
#else
    return f8_select(a > b, a, b);
#endif
}
static inline f8 f8_abs(f8 x) { return (f8)((i8)x & i8_all(INT32_MAX)); }
/// Correctly rounded everywhere, so the bits agree; the plain loop would compile to eight scalar roots.
static inline f8 f8_sqrt(f8 x)
{
#if defined(__AVX__)
    return (f8)_mm256_sqrt_ps((__m256)x);
#elif defined(__SSE2__)
    __m128 half[2];
    memcpy(half, &x, sizeof x);
    half[0] = _mm_sqrt_ps(half[0]);
    half[1] = _mm_sqrt_ps(half[1]);
    memcpy(&x, half, sizeof x);
    return x;
#elif defined(__wasm_simd128__)
    v128_t half[2];
    memcpy(half, &x, sizeof x);
    half[0] = wasm_f32x4_sqrt(half[0]);
    half[1] = wasm_f32x4_sqrt(half[1]);
    memcpy(&x, half, sizeof x);
    return x;
#else
    f8 r;
    for (int i = 0; i < SUP_LANES; ++i) r[i] = __builtin_sqrtf(x[i]);
    return r;
#endif
}
/// One bit per lane, lane 0 lowest.
static inline uint32_t i8_bits(i8 mask)
{
#if defined(__AVX__)
    return (uint32_t)_mm256_movemask_ps((__m256)mask);
#elif defined(__SSE2__)
    __m128 half[2];
    memcpy(half, &mask, sizeof mask);
    return (uint32_t)_mm_movemask_ps(half[0]) | (uint32_t)_mm_movemask_ps(half[1]) << 4;
#elif defined(__wasm_simd128__)
    v128_t half[2];
    memcpy(half, &mask, sizeof mask);
    return wasm_i32x4_bitmask(half[0]) | wasm_i32x4_bitmask(half[1]) << 4;
#else
    uint32_t bits = 0;
    for (int i = 0; i < SUP_LANES; ++i) bits |= (uint32_t)(mask[i] != 0) << i;
    return bits;
#endif
}
/// Eight partial sums in a fixed order.
static inline float f8_sum(f8 x) { return ((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7])); }

// ---------------------------------------------------------------------------------------------- four lanes

/// A point and one more number: one load, one add for all of them.
typedef float    f4 __attribute__((vector_size(16)));
static inline f4 f4_all(float x) { return (f4){ x, x, x, x }; }
static inline f4 f4_load(const float* p)
{
    f4 r;
    memcpy(&r, p, sizeof r);
    return r;
}

typedef int32_t  i4 __attribute__((vector_size(16)));
static inline f4 f4_sqrt(f4 x)
{
#if defined(__SSE2__)
    return (f4)_mm_sqrt_ps((__m128)x);
#elif defined(__wasm_simd128__)
    return (f4)wasm_f32x4_sqrt((v128_t)x);
#else
    for (int i = 0; i < 4; ++i) x[i] = __builtin_sqrtf(x[i]);
    return x;
#endif
}
/// One bit per lane, lane 0 lowest.
static inline uint32_t i4_bits(i4 mask)
{
#if defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)mask);
#elif defined(__wasm_simd128__)
    return wasm_i32x4_bitmask((v128_t)mask);
#else
    uint32_t bits = 0;
    for (int i = 0; i < 4; ++i) bits |= (uint32_t)(mask[i] != 0) << i;
    return bits;
#endif
}

// ---------------------------------------------------------------------------------------------- vectors of four in lanes

static inline f8 f8_join(const float* low, const float* high)
{
    return __builtin_shufflevector(f4_load(low), f4_load(high), 0, 1, 2, 3, 4, 5, 6, 7);
}

/// Transposes four pairs of vectors (0 4, 1 5, 2 6, 3 7) into rows of x, y, z, w.
static inline void f8_turn4(f8 a, f8 b, f8 c, f8 d, f8 out[4])
{
    f8 ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13); // x0 x1 y0 y1
    f8 cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
    f8 ef = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15); // z0 z1 w0 w1
    f8 gh = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    out[0] = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
    out[2] = __builtin_shufflevector(ef, gh, 0, 1, 8, 9, 4, 5, 12, 13);
    out[3] = __builtin_shufflevector(ef, gh, 2, 3, 10, 11, 6, 7, 14, 15);
}

/// Vectors base[i[0]] ... base[i[7]] as rows of x, y, z, w.
static inline void f8_gather4(const float* base, const uint32_t* i, f8 out[4])
{
    f8_turn4(f8_join(base + 4 * (size_t)i[0], base + 4 * (size_t)i[4]), f8_join(base + 4 * (size_t)i[1], base + 4 * (size_t)i[5]),
             f8_join(base + 4 * (size_t)i[2], base + 4 * (size_t)i[6]), f8_join(base + 4 * (size_t)i[3], base + 4 * (size_t)i[7]),
             out);
}

/// Eight vectors side by side.
static inline void f8_load4(const float* p, f8 out[4])
{
    f8_turn4(f8_join(p, p + 16), f8_join(p + 4, p + 20), f8_join(p + 8, p + 24), f8_join(p + 12, p + 28), out);
}

static inline void f8_store4(float* p, const f8 v[4])
{
    f8 xy = __builtin_shufflevector(v[0], v[1], 0, 8, 1, 9, 4, 12, 5, 13); // x0 y0 x1 y1
    f8 zw = __builtin_shufflevector(v[2], v[3], 0, 8, 1, 9, 4, 12, 5, 13);
    f8 uv = __builtin_shufflevector(v[0], v[1], 2, 10, 3, 11, 6, 14, 7, 15); // x2 y2 x3 y3
    f8 st = __builtin_shufflevector(v[2], v[3], 2, 10, 3, 11, 6, 14, 7, 15);
    f8 a = __builtin_shufflevector(xy, zw, 0, 1, 8, 9, 4, 5, 12, 13);
    f8 b = __builtin_shufflevector(xy, zw, 2, 3, 10, 11, 6, 7, 14, 15);
    f8 c = __builtin_shufflevector(uv, st, 0, 1, 8, 9, 4, 5, 12, 13);
    f8 d = __builtin_shufflevector(uv, st, 2, 3, 10, 11, 6, 7, 14, 15);
    f8_store(p, __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11));
    f8_store(p + 8, __builtin_shufflevector(c, d, 0, 1, 2, 3, 8, 9, 10, 11));
    f8_store(p + 16, __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15));
    f8_store(p + 24, __builtin_shufflevector(c, d, 4, 5, 6, 7, 12, 13, 14, 15));
}

// ---------------------------------------------------------------------------------------------- one register

/// As many floats as one register holds, 8 or 4, for kernels with many live values: gcc 12 spills an f8 to memory on machines
/// without such a register. Lanes are independent, so the bits are those of an f8.
#if defined(__AVX__)
#define SUP_REGISTER 8
typedef f8        fr;
typedef i8        ir;
static inline fr  fr_all(float x) { return f8_all(x); }
#else
#define SUP_REGISTER 4
typedef float     fr __attribute__((vector_size(16)));
typedef int32_t   ir __attribute__((vector_size(16)));
static inline fr  fr_all(float x) { return (fr){ x, x, x, x }; }
#endif
static inline fr fr_load(const float* p)
{
    fr r;
    memcpy(&r, p, sizeof r);
    return r;
}
static inline void fr_store(float* p, fr x) { memcpy(p, &x, sizeof x); }
#if SUP_REGISTER == 8
static inline fr       fr_select(ir mask, fr a, fr b) { return f8_select(mask, a, b); }
static inline fr       fr_max(fr a, fr b) { return f8_max(a, b); }
static inline fr       fr_abs(fr x) { return f8_abs(x); }
static inline uint32_t ir_bits(ir mask) { return i8_bits(mask); }
#else
static inline fr       fr_select(ir mask, fr a, fr b) { return (fr)(((ir)a & mask) | ((ir)b & ~mask)); }
static inline fr       fr_max(fr a, fr b) { return fr_select(a > b, a, b); }
static inline fr       fr_abs(fr x) { return (fr)((ir)x & (ir){ INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX }); }
static inline uint32_t ir_bits(ir mask) { return i4_bits((i4)mask); }
#endif
static inline fr fr_sqrt(fr x)
{
#if SUP_REGISTER == 8
    return f8_sqrt(x);
#elif defined(__SSE2__)
    return (fr)_mm_sqrt_ps((__m128)x);
#elif defined(__wasm_simd128__)
    return (fr)wasm_f32x4_sqrt((v128_t)x);
#else
    for (int i = 0; i < SUP_REGISTER; ++i) x[i] = __builtin_sqrtf(x[i]);
    return x;
#endif
}

/// e^-x for x >= 0, with a relative error of 2e-7: the power series of 2^t around the nearest whole number.
static inline __attribute__((always_inline)) fr fr_exp_negative(fr x)
{
    fr t = fr_all(0.0f) - x * fr_all(1.44269504f);
    t = fr_select(t > fr_all(-126.0f), t, fr_all(-126.0f));
    ir whole = __builtin_convertvector(t - fr_all(0.5f), ir);
    fr f = t - __builtin_convertvector(whole, fr);
    fr p = fr_all(1.52527338e-5f);
    p = p * f + fr_all(1.54035304e-4f);
    p = p * f + fr_all(1.33335581e-3f);
    p = p * f + fr_all(9.61812911e-3f);
    p = p * f + fr_all(5.55041087e-2f);
    p = p * f + fr_all(2.40226507e-1f);
    p = p * f + fr_all(6.93147181e-1f);
    p = p * f + fr_all(1.0f);
    return p * (fr)((whole + 127) << 23);
}

/// Stores x0 y0 z0 x1 y1 z1 ...: vectors of three side by side. Shuffles stay inside 16 bytes until the last exchange.
static inline void fr_store3(float* p, fr x, fr y, fr z)
{
#if SUP_REGISTER == 8
    fr a = __builtin_shufflevector(x, y, 0, 2, 8, 10, 4, 6, 12, 14); // x0 x2 y0 y2
    fr b = __builtin_shufflevector(y, z, 1, 3, 9, 11, 5, 7, 13, 15); // y1 y3 z1 z3
    fr c = __builtin_shufflevector(z, x, 0, 2, 9, 11, 4, 6, 13, 15); // z0 z2 x1 x3
    fr d = __builtin_shufflevector(a, c, 0, 2, 8, 10, 4, 6, 12, 14); // x0 y0 z0 x1
    fr e = __builtin_shufflevector(b, a, 0, 2, 9, 11, 4, 6, 13, 15); // y1 z1 x2 y2
    fr f = __builtin_shufflevector(c, b, 1, 3, 9, 11, 5, 7, 13, 15); // z2 x3 y3 z3
    fr_store(p, __builtin_shufflevector(d, e, 0, 1, 2, 3, 8, 9, 10, 11));
    fr_store(p + 8, __builtin_shufflevector(f, d, 0, 1, 2, 3, 12, 13, 14, 15));
    fr_store(p + 16, __builtin_shufflevector(e, f, 4, 5, 6, 7, 12, 13, 14, 15));
#else
    fr a = __builtin_shufflevector(x, y, 0, 2, 4, 6), b = __builtin_shufflevector(y, z, 1, 3, 5, 7);
    fr c = __builtin_shufflevector(z, x, 0, 2, 5, 7);
    fr_store(p, __builtin_shufflevector(a, c, 0, 2, 4, 6));
    fr_store(p + 4, __builtin_shufflevector(b, a, 0, 2, 5, 7));
    fr_store(p + 8, __builtin_shufflevector(c, b, 1, 3, 5, 7));
#endif
}

/// The inverse: loads eight (or four) vectors of three, side by side.
static inline void fr_load3(const float* p, fr* x, fr* y, fr* z)
{
#if SUP_REGISTER == 8
    fr m = fr_load(p), n = fr_load(p + 8), o = fr_load(p + 16);
    fr a = __builtin_shufflevector(m, n, 0, 1, 2, 3, 12, 13, 14, 15); // x0 y0 z0 x1, x4 ...
    fr b = __builtin_shufflevector(m, o, 4, 5, 6, 7, 8, 9, 10, 11);   // y1 z1 x2 y2
    fr c = __builtin_shufflevector(n, o, 0, 1, 2, 3, 12, 13, 14, 15); // z2 x3 y3 z3
    fr u = __builtin_shufflevector(b, c, 2, 3, 9, 10, 6, 7, 13, 14);  // x2 y2 x3 y3
    fr v = __builtin_shufflevector(a, b, 1, 2, 8, 9, 5, 6, 12, 13);   // y0 z0 y1 z1
    *x = __builtin_shufflevector(a, u, 0, 3, 8, 10, 4, 7, 12, 14);
    *y = __builtin_shufflevector(v, u, 0, 2, 9, 11, 4, 6, 13, 15);
    *z = __builtin_shufflevector(v, c, 1, 3, 8, 11, 5, 7, 12, 15);
#else
    fr a = fr_load(p), b = fr_load(p + 4), c = fr_load(p + 8);
    fr u = __builtin_shufflevector(b, c, 2, 3, 5, 6), v = __builtin_shufflevector(a, b, 1, 2, 4, 5);
    *x = __builtin_shufflevector(a, u, 0, 3, 4, 6);
    *y = __builtin_shufflevector(v, u, 0, 2, 5, 7);
    *z = __builtin_shufflevector(v, c, 1, 3, 4, 7);
#endif
}

/// Eight vectors of three, side by side.
static inline void f8_load3(const float* p, f8* x, f8* y, f8* z)
{
#if SUP_REGISTER == 8
    fr_load3(p, x, y, z);
#else
    fr a[3], b[3];
    fr_load3(p, &a[0], &a[1], &a[2]);
    fr_load3(p + 12, &b[0], &b[1], &b[2]);
    *x = __builtin_shufflevector(a[0], b[0], 0, 1, 2, 3, 4, 5, 6, 7);
    *y = __builtin_shufflevector(a[1], b[1], 0, 1, 2, 3, 4, 5, 6, 7);
    *z = __builtin_shufflevector(a[2], b[2], 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

/// One register of eight lanes, from `lane` on; and back.
static inline fr f8_part(f8 x, uint32_t lane)
{
    fr r;
    memcpy(&r, (const char*)&x + 4 * lane, sizeof r);
    return r;
}
static inline void f8_put_part(f8* x, uint32_t lane, fr r) { memcpy((char*)x + 4 * lane, &r, sizeof r); }

/// Vectors of four in lanes, one register of each, like f8_load4, f8_gather4 and f8_store4.
static inline void fr_load4(const float* p, fr out[4])
{
#if SUP_REGISTER == 8
    f8_load4(p, out);
#else
    fr a = fr_load(p), b = fr_load(p + 4), c = fr_load(p + 8), d = fr_load(p + 12);
    fr ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5); // x0 x1 y0 y1
    fr ef = __builtin_shufflevector(a, b, 2, 6, 3, 7), gh = __builtin_shufflevector(c, d, 2, 6, 3, 7); // z0 z1 w0 w1
    out[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5), out[1] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    out[2] = __builtin_shufflevector(ef, gh, 0, 1, 4, 5), out[3] = __builtin_shufflevector(ef, gh, 2, 3, 6, 7);
#endif
}
static inline void fr_gather4(const float* base, const uint32_t* i, fr out[4])
{
#if SUP_REGISTER == 8
    f8_gather4(base, i, out);
#else
    fr a = fr_load(base + 4 * (size_t)i[0]), b = fr_load(base + 4 * (size_t)i[1]);
    fr c = fr_load(base + 4 * (size_t)i[2]), d = fr_load(base + 4 * (size_t)i[3]);
    fr ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    fr ef = __builtin_shufflevector(a, b, 2, 6, 3, 7), gh = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    out[0] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5), out[1] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    out[2] = __builtin_shufflevector(ef, gh, 0, 1, 4, 5), out[3] = __builtin_shufflevector(ef, gh, 2, 3, 6, 7);
#endif
}
static inline void fr_store4(float* p, const fr v[4])
{
#if SUP_REGISTER == 8
    f8_store4(p, v);
#else
    fr xy = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5), zw = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
    fr uv = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7), st = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    fr_store(p, __builtin_shufflevector(xy, zw, 0, 1, 4, 5));
    fr_store(p + 4, __builtin_shufflevector(xy, zw, 2, 3, 6, 7));
    fr_store(p + 8, __builtin_shufflevector(uv, st, 0, 1, 4, 5));
    fr_store(p + 12, __builtin_shufflevector(uv, st, 2, 3, 6, 7));
#endif
}

/// base[stride index[i]] for every lane.
static inline fr fr_gather(const float* base, size_t stride, const uint32_t* index)
{
#if SUP_REGISTER == 8
    return (fr){ base[stride * index[0]], base[stride * index[1]], base[stride * index[2]], base[stride * index[3]],
                 base[stride * index[4]], base[stride * index[5]], base[stride * index[6]], base[stride * index[7]] };
#else
    return (fr){ base[stride * index[0]], base[stride * index[1]], base[stride * index[2]], base[stride * index[3]] };
#endif
}

/// Stores vector i of three at base + stride index[i], for the first `count` lanes. Goes through memory with x and y side by
/// side, so that every reload lies inside one store: two moves per vector.
static inline void fr_scatter3(float* base, size_t stride, const uint32_t* index, uint32_t count, fr x, fr y, fr z)
{
    float xy[2 * SUP_REGISTER], last[SUP_REGISTER];
#if SUP_REGISTER == 8
    fr_store(xy, __builtin_shufflevector(x, y, 0, 8, 1, 9, 4, 12, 5, 13));
    fr_store(xy + 8, __builtin_shufflevector(x, y, 2, 10, 3, 11, 6, 14, 7, 15));
    static const uint8_t at[8] = { 0, 2, 8, 10, 4, 6, 12, 14 };
#else
    fr_store(xy, __builtin_shufflevector(x, y, 0, 4, 1, 5));
    fr_store(xy + 4, __builtin_shufflevector(x, y, 2, 6, 3, 7));
    static const uint8_t at[4] = { 0, 2, 4, 6 };
#endif
    fr_store(last, z);
    if (count == SUP_REGISTER) // the usual case: a loop of known length, unrolled
        for (int i = 0; i < SUP_REGISTER; ++i) {
            memcpy(base + stride * index[i], xy + at[i], 8);
            memcpy(base + stride * index[i] + 2, last + i, 4);
        }
    else
        for (uint32_t i = 0; i < count; ++i) {
            memcpy(base + stride * index[i], xy + at[i], 8);
            memcpy(base + stride * index[i] + 2, last + i, 4);
        }
}

/// The compiled variant that this machine runs best: 1 is the base, 3 is x86-64-v3 (AVX2).
int sup_wide_level(void);

/// Declares a kernel of a *_wide.c file in a header: SUP_WIDE_DECLARE(void, my_kernel, (const float* in, float* out));
#define SUP_WIDE_DECLARE(result, name, arguments)                                                                              \
    result name##_v1 arguments;                                                                                                \
    result name##_v3 arguments

/// Picks the variant of a kernel; declare both with SUP_WIDE_DECLARE.
#if defined(__x86_64__)
#define SUP_WIDE_PICK(name) (sup_wide_level() >= 3 ? name##_v3 : name##_v1)
#else
#define SUP_WIDE_PICK(name) (name##_v1)
#endif

#endif

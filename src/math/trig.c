// Sine, cosine, exponential, logarithm, arc cosine and arc tangent from + - * / sqrt and exact bit operations only.
//
// Errors, held by tests/math/test_trig.c against libm (u = 2^-53 = 1.1e-16):
//   sin, cos   |x| < 1e9: at most 4e-16 absolute, and 4e-16 relative where the value is not near a zero; beyond 2^30
//              the argument is first brought under 2 pi with the double nearest to 2 pi, which loses 4e-17 |x| absolute
//              (1e-7 needs |x| < 2.5e9); the result stays within [-1, 1] and repeats for any finite x
//   exp        4e-16 relative; subnormal results 1 in their last place; 0 and infinity beyond
//   log2       2e-15 absolute beside an exact exponent
//   acos       4e-16 relative
//   atan2      4e-16 relative; signs of zero and infinities as IEEE 754 has them
// NaN gives NaN. The series are plain Taylor series: their coefficients can be checked by reading.
#include "math/trig.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HALF_PI 0x1.921fb54442d18p+0
/// pi - SUP_PI: the rounding error of the double.
#define PI_LOW 0x1.1a62633145c07p-53
#define REDUCTION_LIMIT 1073741824.0 // 2^30: up to here k times a 23-bit part of pi/2 is exact

/// sin(high + low) for |high| <= pi/4 and |low| below half a unit in its last place.
static double sine_series(double high, double low)
{
    double z = high * high;
    double tail = 1.0 / 355687428096000.0; // 1/17!
    tail = tail * z - 1.0 / 1307674368000.0;
    tail = tail * z + 1.0 / 6227020800.0;
    tail = tail * z - 1.0 / 39916800.0;
    tail = tail * z + 1.0 / 362880.0;
    tail = tail * z - 1.0 / 5040.0;
    tail = tail * z + 1.0 / 120.0;
    tail = tail * z - 1.0 / 6.0;
    return high + (high * z * tail + low * (1.0 - 0.5 * z));
}

static double cosine_series(double high, double low)
{
    double z = high * high;
    double tail = 1.0 / 20922789888000.0; // 1/16!
    tail = tail * z - 1.0 / 87178291200.0;
    tail = tail * z + 1.0 / 479001600.0;
    tail = tail * z - 1.0 / 3628800.0;
    tail = tail * z + 1.0 / 40320.0;
    tail = tail * z - 1.0 / 720.0;
    tail = tail * z + 1.0 / 24.0;
    // 1 - z/2 is rounded; the error is known exactly and added back with the small terms.
    double half = 0.5 * z;
    double main = 1.0 - half;
    double lost = (1.0 - main) - half;
    return main + (lost + (z * z * tail - high * low));
}

/// a - b rounded, and the rounding error.
static double subtract(double a, double b, double* lost)
{
    double d = a - b;
    double t = d - a;
    *lost = (a - (d - t)) - (b + t);
    return d;
}

/// x = quadrant pi/2 + high + low. pi/2 is split into three parts of 23 bits and a remainder, so that k times a part is exact.
static int reduce(double x, double* high, double* low)
{
    if (fabs(x) >= REDUCTION_LIMIT) x = fmod(x, 2 * SUP_PI); // exact by definition, so it repeats
    double  turns = x * 0x1.45f306dc9c883p-1;
    int32_t k = (int32_t)(turns + (turns < 0 ? -0.5 : 0.5));
    double  n = (double)k, lost1, lost2;
    double  r = x - n * 0x1.921fb4p+0;
    r = subtract(r, n * 0x1.4442d0p-24, &lost1);
    r = subtract(r, n * 0x1.846988p-48, &lost2);
    double rest = (lost1 + lost2) - n * 0x1.8cc51701b839ap-72;
    *high = r + rest;
    *low = rest - (*high - r);
    return (int)((uint32_t)k & 3u);
}

static double sine_of_quadrant(int quadrant, double high, double low)
{
    switch (quadrant & 3) {
    case 0: return sine_series(high, low);
    case 1: return cosine_series(high, low);
    case 2: return -sine_series(high, low);
    default: return -cosine_series(high, low);
    }
}

double sup_sin(double x)
{
    if (!isfinite(x)) return (double)NAN;
    if (x == 0.0) return x; // keeps the sign
    double high, low;
    int    quadrant = reduce(x, &high, &low);
    return sine_of_quadrant(quadrant, high, low);
}

double sup_cos(double x)
{
    if (!isfinite(x)) return (double)NAN;
    double high, low;
    int    quadrant = reduce(x, &high, &low);
    return sine_of_quadrant(quadrant + 1, high, low);
}

/// 2^k for a normal result.
static double power_of_two(int k)
{
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    double   value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double sup_exp(double x)
{
    if (isnan(x)) return x;
    if (x > 709.79) return (double)INFINITY;
    if (x < -745.2) return 0.0;
    double turns = x * 0x1.71547652b82fep+0;
    int    k = (int)(turns + (turns < 0 ? -0.5 : 0.5));
    // ln 2 as a part of 32 bits, so that k times it is exact, and a remainder.
    double high = x - (double)k * 0x1.62e42feep-1;
    double low = (double)k * 0x1.a39ef35793c76p-33;
    double r = high - low;
    double lost = (high - r) - low;
    double tail = 1.0 / 6227020800.0; // 1/13!
    tail = tail * r + 1.0 / 479001600.0;
    tail = tail * r + 1.0 / 39916800.0;
    tail = tail * r + 1.0 / 3628800.0;
    tail = tail * r + 1.0 / 362880.0;
    tail = tail * r + 1.0 / 40320.0;
    tail = tail * r + 1.0 / 5040.0;
    tail = tail * r + 1.0 / 720.0;
    tail = tail * r + 1.0 / 120.0;
    tail = tail * r + 1.0 / 24.0;
    tail = tail * r + 1.0 / 6.0;
    tail = tail * r + 0.5;
    double value = 1.0 + (r + (r * r * tail + lost));
    // In two factors, so that neither 2^1024 nor a subnormal power is needed.
    int half = k / 2;
    return value * power_of_two(half) * power_of_two(k - half);
}

/// The angle of (x, y) for x, y >= 0, not both zero, both finite: atan(c) + atan((y - c x) / (x + c y)) for c = eighths
/// nearest to the slope, which leaves a slope under 1/15 to the series.
static double first_quadrant(double y, double x)
{
    static const double angles[9][2] = {
        { 0x0.0p+0, 0x0.0p+0 },                           // atan(0/8)
        { 0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59 }, // atan(1/8)
        { 0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57 },  // atan(2/8)
        { 0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56 }, // atan(3/8)
        { 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56 },  // atan(4/8)
        { 0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58 }, // atan(5/8)
        { 0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56 },  // atan(6/8)
        { 0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56 }, // atan(7/8)
        { 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55 },  // atan(8/8)
    };
    bool   steep = y > x;
    double big = steep ? y : x, small = steep ? x : y;
    if (big > 1e300) {
        big *= 0x1p-64;
        small *= 0x1p-64;
    } else if (big < 1e-280) {
        big *= 0x1p+128;
        small *= 0x1p+128;
    }
    int    i = (int)(small / big * 8.0 + 0.5);
    double c = (double)i * 0.125;
    double t = i == 0 ? small / big : (small - c * big) / (big + c * small);
    double z = t * t;
    double tail = -1.0 / 15.0;
    tail = tail * z + 1.0 / 13.0;
    tail = tail * z - 1.0 / 11.0;
    tail = tail * z + 1.0 / 9.0;
    tail = tail * z - 1.0 / 7.0;
    tail = tail * z + 1.0 / 5.0;
    tail = tail * z - 1.0 / 3.0;
    double rest = t * z * tail + angles[i][1];
    if (!steep) return angles[i][0] + (t + rest);
    return HALF_PI - angles[i][0] - ((t + rest) - 0.5 * PI_LOW);
}

double sup_atan2(double y, double x)
{
    if (isnan(x) || isnan(y)) return (double)NAN;
    double ax = fabs(x), ay = fabs(y), angle;
    if (ay == 0.0) angle = 0.0;
    else if (isinf(ax) && isinf(ay)) angle = 0.5 * HALF_PI;
    else if (isinf(ax)) angle = 0.0;
    else if (isinf(ay)) angle = HALF_PI;
    else angle = first_quadrant(ay, ax);
    if (signbit(x)) angle = SUP_PI - (angle - PI_LOW);
    return copysign(angle, y);
}

double sup_acos(double x)
{
    if (isnan(x)) return x;
    if (x >= 1.0) return 0.0;
    if (x <= -1.0) return SUP_PI;
    // Half the angle has the tangent sqrt((1 - x) / (1 + x)); accurate at both ends, unlike a series around 0.
    return 2.0 * first_quadrant(sqrt(1.0 - x), sqrt(1.0 + x));
}

/// log2 for x > 0: the exponent, and 2 atanh((m - 1) / (m + 1)) for the mantissa m in [0.7, 1.41]. The series ends below 1e-16.
double sup_log2(double x)
{
    int    exponent;
    double m = frexp(x, &exponent); // exact
    if (m < 0.7071067811865476) {
        m *= 2;
        exponent--;
    }
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int k = 19; k >= 1; k -= 2) sum = sum * square + 1.0 / k;
    return (double)exponent + 2.8853900817779268 * s * sum; // 2 / ln 2
}

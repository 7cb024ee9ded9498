// A component as the file stores it. Courses over time are orthonormal, so an error of a shape is an error of the clip, and one
// step for all shapes is what costs least: a component whose shape is below it everywhere is not worth writing. Steps are
// brought to powers of two by the weights, and whole multiples of those pack well.
#include "base/internal.h"
#include "io/gltf/gltf_pack.h"

#include <math.h>
#include <string.h>

enum {
    MULTIPLE_MAX = 1 << 22, // what a float and the exponential filter hold
    JSON_BYTES = 350,       // of a target in the document
    TURN_JSON_BYTES = 230,
};
#define WEIGHT_BYTES 1.6 // of a weight at one key, packed
#define WEIGHT_SHARE 8.0 // weights are so much finer than the shape at its farthest point

static double power_of_two(double at_least)
{
    int    exponent;
    double mantissa = frexp(at_least, &exponent);
    return ldexp(1, mantissa == 0.5 ? exponent - 1 : exponent);
}

static double rounded(double value, double step)
{
    double n = floor(value / step + 0.5);
    if (n > MULTIPLE_MAX) n = MULTIPLE_MAX;
    if (n < -MULTIPLE_MAX) n = -MULTIPLE_MAX;
    return n;
}

void gltf_pack_code(const gltf_pack* pack, const pack_region* region, uint32_t k, double step, pack_code* out)
{
    const double* vector = region->vectors + (size_t)k * pack->frames;
    const float * shape = region->shapes[k], *turn = region->turns[k];
    size_t        numbers = 3 * (size_t)region->count;
    double        peak = 0, most = 1;
    for (uint32_t f = 0; f < pack->frames; ++f) peak = fmax(peak, fabs(vector[f]));
    double unit = power_of_two(step * peak);
    out->weight = step / unit;
    out->error = 0;
    for (size_t i = 0; i < numbers; ++i) {
        double n = rounded((double)shape[i], step), off = (double)shape[i] - n * step;
        out->error += off * off;
        most = fmax(most, fabs(n));
        out->shape[i] = (float)(n * unit);
    }
    out->grid = 1 / power_of_two(WEIGHT_SHARE * most);
    out->turned = false;
    if (!turn) return;
    double scale = unit / step, grid = power_of_two(pack->turn_step * scale) / 2;
    for (size_t i = 0; i < numbers; ++i) {
        double n = rounded((double)turn[i] * scale, grid);
        out->turned |= n != 0;
        out->turn[i] = (float)(n * grid);
    }
}

float gltf_pack_weight(const gltf_pack* pack, const pack_region* region, uint32_t k, const pack_code* code, uint32_t frame)
{
    double exact = region->vectors[(size_t)k * pack->frames + frame] * code->weight;
    return (float)(floor(exact / code->grid + 0.5) * code->grid);
}

// ---------------------------------------------------------------------------------------------- packed

// The exponent of the last bit that is set; finite numbers only.
static int last_bit(uint32_t bits)
{
    uint32_t mantissa = bits & 0x7fffff, field = bits >> 23 & 0xff;
    int      exponent = field ? (int)field - 150 : -149;
    if (field) mantissa |= 0x800000;
    while (mantissa && !(mantissa & 1)) mantissa >>= 1, exponent++;
    return exponent;
}

bool gltf_exponential(const float* values, size_t count, uint32_t* out)
{
    enum { LEAST = -100, MOST = 100, BITS = 23 };
    int   low = MOST;
    float most = 0;
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        if ((bits & 0x7f800000) == 0x7f800000 || bits == 0x80000000) return false; // no number, or a zero with a sign
        if (bits == 0) continue;
        int last = last_bit(bits);
        if (last < low) low = last;
        most = fmaxf(most, fabsf(values[i]));
    }
    if (most == 0) low = 0;
    if (low < LEAST || (double)most >= ldexp(1, low + BITS)) return false;
    double scale = ldexp(1, -low);
    for (size_t i = 0; i < count; ++i) {
        int32_t multiple = (int32_t)((double)values[i] * scale);
        out[i] = ((uint32_t)multiple & 0xffffff) | (uint32_t)low << 24;
    }
    return true;
}

static double packed_bytes(gltf_pack* pack, const float* values, uint32_t count)
{
    if (!pack->meshopt || !gltf_exponential(values, 3 * (size_t)count, pack->words)) return 12.0 * count;
    return (double)pack->bake->desc.extra->meshopt_encode(count, 12, pack->words, pack->packed, pack->packed_capacity);
}

double gltf_pack_cost(gltf_pack* pack, const pack_region* region, const pack_code* code)
{
    double bytes = JSON_BYTES + pack->frames * (pack->meshopt ? WEIGHT_BYTES : sizeof(float));
    bytes += packed_bytes(pack, code->shape, region->count);
    if (code->turned) bytes += TURN_JSON_BYTES + packed_bytes(pack, code->turn, region->count);
    return bytes;
}

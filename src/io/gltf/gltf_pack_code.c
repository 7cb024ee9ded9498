// A component as the file stores it. Courses over time are orthonormal, so an error of a shape is an error of the clip, and the
// cheapest choice is one step for all shapes: a component whose shape is below it everywhere is not worth writing. The weights
// scale steps to powers of two, because whole multiples of those pack well.
#include "base/internal.h"
#include "io/gltf/gltf_pack.h"

#include <math.h>
#include <string.h>

enum {
    MULTIPLE_MAX = 1 << 22, // the limit of a float and of the exponential filter
    // Bytes in the document, averaged over a few files:
    ACCESSOR_BYTES = 190,
    TURN_BYTES = 95,   // additional bytes for its normals
    SPARSE_BYTES = 70, // additional bytes for each of them if the region is only part of its piece
    ENTRY_BYTES = 32,  // in the list of targets of each piece of the mesh
};
#define LIST_BYTES 1.3   // per vertex in the list of a sparse target
#define WEIGHT_BYTES 1.9 // per weight at one key, packed
#define WEIGHT_SHARE 8.0 // weights are this much finer than the shape at its peak

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

// The powers of two that the steps of a component and of its normals become in the file.
typedef struct code_grids {
    double unit, turn_unit;
    double turn_step; // turn_unit before the weights: the step of the component's normals
} code_grids;

static code_grids find_grids(const gltf_pack* pack, const pack_component* c, double step)
{
    double unit = power_of_two(step * c->course_peak), turn_unit = power_of_two(pack->turn_step * unit / step) / 2;
    return (code_grids){ unit, turn_unit, turn_unit * step / unit };
}

void gltf_pack_code(const gltf_pack* pack, const pack_region* region, uint32_t k, double step, pack_code* out)
{
    const pack_component* c = &region->components[k];
    const code_grids      grids = find_grids(pack, c, step);
    size_t                count = region->count;
    out->unit = grids.unit;
    out->weight = step / grids.unit;
    out->grid = 1 / power_of_two(WEIGHT_SHARE * fmax(fabs(rounded((double)c->shape_peak, step)), 1));
    out->turned = out->turn && c->turn && (double)c->turn_peak >= 0.5 * grids.turn_step;
    for (uint32_t i = 0; i < region->count; ++i)
        for (size_t axis = 0; axis < 3; ++axis) {
            size_t from = axis * count + gltf_pack_rank(region, i), to = 3 * (size_t)i + axis;
            out->shape[to] = (float)(rounded((double)c->shape[from], step) * grids.unit);
            if (out->turned) out->turn[to] = (float)(rounded((double)c->turn[from], grids.turn_step) * grids.turn_unit);
        }
}

float gltf_pack_weight(const gltf_pack* pack, const pack_region* region, uint32_t k, const pack_code* code, uint32_t frame)
{
    double exact = region->vectors[(size_t)k * pack->frames + frame] * code->weight;
    return (float)(floor(exact / code->grid + 0.5) * code->grid);
}

// ---------------------------------------------------------------------------------------------- packed

// The exponent of the lowest bit that is set; for finite nonzero numbers only.
static int last_bit(uint32_t bits)
{
    uint32_t mantissa = bits & 0x7fffff, field = bits >> 23 & 0xff;
    int      exponent = field ? (int)field - 150 : -149;
    if (field) mantissa |= 0x800000;
    float last = (float)(int32_t)(mantissa & (0u - mantissa)); // a power of two, whose own exponent counts the trailing zeros
    uint32_t zeros;
    memcpy(&zeros, &last, sizeof zeros);
    return exponent + (int)(zeros >> 23) - 127;
}

bool gltf_exponential(const float* values, size_t count, uint32_t* out)
{
    enum { LEAST = -100, MOST = 100, BITS = 23 };
    int   low = MOST;
    float most = 0;
    for (size_t i = 0; i < count; ++i) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        if ((bits & 0x7f800000) == 0x7f800000 || bits == 0x80000000) return false; // NaN, infinite or -0
        if (bits == 0) continue;
        int last = last_bit(bits);
        if (last < low) low = last;
        most = fmaxf(most, fabsf(values[i]));
    }
    if (most == 0) low = 0;
    if (low < LEAST || (double)most >= ldexp(1, low + BITS)) return false;
    // Small multiples go into the high bytes, where a sign does not fill other bytes: all-zero bytes cost next to nothing, and
    // those of numbers around zero would cost as much as bytes of arbitrary numbers.
    int shift = (double)most < ldexp(1, low + 7) ? 16 : (double)most < ldexp(1, low + 15) ? 8 : 0;
    if (low - shift < LEAST) shift = 0;
    low -= shift;
    double scale = ldexp(1, -low);
    for (size_t i = 0; i < count; ++i) {
        int32_t multiple = (int32_t)((double)values[i] * scale);
        out[i] = ((uint32_t)multiple & 0xffffff) | (uint32_t)low << 24;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- estimated

enum { GROUP = 16 }; // numbers that the codec packs together

// Bytes that one byte of each number in a group takes: differences from the previous number in 2 or 4 bits, larger ones
// appended, or uncompressed. before[0] is the number before the group.
static uint32_t group_bytes(const int32_t* before, int shift)
{
    uint8_t folded[GROUP], over2 = 0, over4 = 0, any = 0;
    for (int i = 0; i < GROUP; ++i) {
        uint8_t off = (uint8_t)((uint32_t)(before[i + 1] >> shift) - (uint32_t)(before[i] >> shift));
        folded[i] = (uint8_t)((off << 1) ^ (off & 0x80 ? 0xff : 0)); // zigzag: the sign becomes the lowest bit
    }
    for (int i = 0; i < GROUP; ++i) over2 = (uint8_t)(over2 + (folded[i] >= 3));
    for (int i = 0; i < GROUP; ++i) over4 = (uint8_t)(over4 + (folded[i] >= 15));
    for (int i = 0; i < GROUP; ++i) any |= folded[i];
    uint32_t least = 4u + over2 < 8u + over4 ? 4u + over2 : 8u + over4;
    return !any ? 0 : least < GROUP ? least : GROUP;
}

// Bytes of one coordinate of all vertices, as whole multiples of `step` in `width` bytes, and the energy of the rounding error
// in squares of the step.
static double coordinate_bytes(const float* values, uint32_t count, float step, int width, double* error)
{
    int32_t  numbers[GROUP + 1] = { 0 };
    float    inverse = 1 / step, squares[GROUP] = { 0 };
    uint32_t bytes = 0;
    for (uint32_t at = 0; at < count; at += GROUP) {
        float x[GROUP] = { 0 };
        memcpy(x, values + at, (count - at < GROUP ? count - at : GROUP) * sizeof *x);
        for (int i = 0; i < GROUP; ++i) x[i] *= inverse;
        for (int i = 0; i < GROUP; ++i) numbers[i + 1] = (int32_t)(x[i] + (x[i] < 0 ? -0.5f : 0.5f));
        for (int i = 0; i < GROUP; ++i) x[i] -= (float)numbers[i + 1];
        for (int i = 0; i < GROUP; ++i) squares[i] += x[i] * x[i];
        for (int shift = 0; shift < 8 * width; shift += 8) bytes += group_bytes(numbers, shift);
        numbers[0] = numbers[GROUP];
    }
    for (int i = 0; i < GROUP; ++i) *error += (double)squares[i];
    return bytes;
}

// Bytes of a shape or of its normals, packed; the error in squares of the step.
static double packed_bytes(const pack_region* region, const float* values, float peak, double step, double* error)
{
    uint32_t            count = region->count;
    static const double HEADS = 12.0 / 64; // bytes per vertex for the group headers
    double              most = (double)peak / step, bytes = HEADS * count;
    int                 width = most < 0x1p7 ? 1 : most < 0x1p15 ? 2 : 3;
    if (most >= MULTIPLE_MAX) return 12.0 * count;
    for (size_t c = 0; c < 3; ++c) bytes += coordinate_bytes(values + c * count, count, (float)step, width, error);
    return bytes;
}

// Bytes of a shape or of its normals unpacked: all vertices of the region, or those that move and a list of them.
static double plain_bytes(const gltf_pack* pack, const pack_region* region, const float* values, double step, double width)
{
    uint32_t count = region->count, moved = 0;
    double   padded = width < 12 ? (width < 6 ? 4 : 8) : 12, limit = 0.5 * step;
    bool     whole = count == pack->baking->pieces[region->piece].count;
    for (size_t i = 0; i < count; ++i)
        moved += fabs((double)values[i]) >= limit || fabs((double)values[count + i]) >= limit ||
                 fabs((double)values[2 * (size_t)count + i]) >= limit;
    return fmin((whole ? padded : width) * count, (width + sizeof(uint16_t)) * moved + SPARSE_BYTES);
}

double gltf_pack_least_cost(const gltf_pack* pack, const pack_region* region)
{
    const baked_piece* piece = &pack->baking->pieces[region->piece];
    double             bytes = ACCESSOR_BYTES + pack->frames * (pack->meshopt ? WEIGHT_BYTES : sizeof(float));
    for (uint32_t i = 0; i < pack->baking->piece_count; ++i)
        if (pack->baking->pieces[i].part == piece->part) bytes += ENTRY_BYTES;
    return bytes + (region->count < piece->count ? SPARSE_BYTES : 0);
}

double gltf_pack_list_cost(const gltf_pack* pack, const pack_region* region)
{
    bool sparse = region->count < pack->baking->pieces[region->piece].count;
    return sparse && region->used ? (pack->meshopt ? LIST_BYTES : sizeof(uint16_t)) * region->count : 0;
}

double gltf_pack_cost(const gltf_pack* pack, const pack_region* region, uint32_t k, double step, double* error)
{
    const pack_component* c = &region->components[k];
    const code_grids      grids = find_grids(pack, c, step);
    bool                  sparse = region->count < pack->baking->pieces[region->piece].count;
    double                bytes = gltf_pack_least_cost(pack, region), added = 0, ignored = 0;
    double                shape = packed_bytes(region, c->shape, c->shape_peak, step, &added);
    double                width = !pack->small ? 12 : (double)c->shape_peak / step < 127.5 ? 3 : 6;
    bytes += pack->meshopt ? shape : plain_bytes(pack, region, c->shape, step, width);
    *error = added * step * step;
    if (!c->turn || (double)c->turn_peak < 0.5 * grids.turn_step) return bytes;
    bytes += TURN_BYTES + (sparse ? SPARSE_BYTES : 0);
    if (!pack->meshopt) return bytes + plain_bytes(pack, region, c->turn, grids.turn_step, 12);
    return bytes + packed_bytes(region, c->turn, c->turn_peak, grids.turn_step, &ignored);
}

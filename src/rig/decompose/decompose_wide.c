// The sums of a decomposition, eight points or eight frames at a time.
#include "rig/decompose/decompose.h"

typedef double d8 __attribute__((vector_size(64)));

// Sums of this many points stay in float, the sums of those in double.
enum { RUN = 32 };

// Where the bone's matrix takes eight points in a frame, minus where they are.
static inline void misses(const sup_decomposer* d, const float* m, uint32_t frame, const f8 p[3], const f8 v[3], f8 out[3])
{
    size_t stride = d->frames8;
    for (int c = 0; c < 3; ++c, m += 4 * stride)
        out[c] = (f8_all(m[frame]) * p[0] + f8_all(m[stride + frame]) * p[1]) +
                 (f8_all(m[2 * stride + frame]) * p[2] + (f8_all(m[3 * stride + frame]) - v[c]));
}

static inline void load_rest(const sup_decomposer* d, uint32_t block, f8 p[3])
{
    for (int c = 0; c < 3; ++c) p[c] = f8_load(d->rest + (size_t)c * d->points8 + (size_t)block * SUP_LANES);
}

static inline void load_frame(const sup_decomposer* d, uint32_t block, uint32_t frame, f8 v[3])
{
    for (int c = 0; c < 3; ++c)
        v[c] = f8_load(d->by_point + ((size_t)frame * 3 + (size_t)c) * d->points8 + (size_t)block * SUP_LANES);
}

void SUP_WIDE(sup_decompose_errors)(const sup_decomposer* d, uint32_t block, uint32_t first, uint32_t count, float* out)
{
    f8 p[3], v[3], miss[3];
    load_rest(d, block, p);
    for (uint32_t b = 0; b < count; ++b) {
        const float* m = d->transforms + (size_t)(first + b) * 12 * d->frames8;
        f8           sum = f8_all(0);
        for (uint32_t f = 0; f < d->frame_count; ++f) {
            load_frame(d, block, f, v);
            misses(d, m, f, p, v, miss);
            sum += (miss[0] * miss[0] + miss[1] * miss[1]) + miss[2] * miss[2];
        }
        f8_store(out + (size_t)b * SUP_LANES, sum);
    }
}

void SUP_WIDE(sup_decompose_products)(const sup_decomposer* d, uint32_t block, const uint32_t* list, uint32_t count,
                                      float* work, float* out)
{
    f8 p[3], v[3], miss[3];
    load_rest(d, block, p);
    memset(out, 0, sizeof(float) * SUP_LANES * ((size_t)count * (count + 1) / 2));
    for (uint32_t f = 0; f < d->frame_count; ++f) {
        load_frame(d, block, f, v);
        float* row = out;
        for (uint32_t a = 0; a < count; ++a) {
            float* mine = work + (size_t)a * 3 * SUP_LANES;
            misses(d, d->transforms + (size_t)list[a] * 12 * d->frames8, f, p, v, miss);
            for (int c = 0; c < 3; ++c) f8_store(mine + c * SUP_LANES, miss[c]);
            for (uint32_t b = 0; b <= a; ++b, row += SUP_LANES) {
                const float* other = work + (size_t)b * 3 * SUP_LANES;
                f8           dot = (miss[0] * f8_load(other) + miss[1] * f8_load(other + SUP_LANES)) +
                         miss[2] * f8_load(other + 2 * SUP_LANES);
                f8_store(row, f8_load(row) + dot);
            }
        }
    }
}

void SUP_WIDE(sup_decompose_first)(const sup_decomposer* d, uint32_t bone, uint32_t frame_block)
{
    uint32_t     begin = d->column_begin[bone], end = d->column_begin[bone + 1];
    const float *x = d->rest, *y = x + d->points8, *z = y + d->points8;
    d8           sums[12];
    memset(sums, 0, sizeof sums);
    for (uint32_t from = begin; from < end; from += RUN) {
        uint32_t to = end - from < RUN ? end : from + RUN;
        f8       run[12];
        for (int e = 0; e < 12; ++e) run[e] = f8_all(0);
        for (uint32_t i = from; i < to; ++i) {
            uint32_t     point = d->column_points[i];
            const float* v = d->by_frame + (size_t)point * 3 * d->frames8 + (size_t)frame_block * SUP_LANES;
            f8           w = f8_all(d->column_weights[i]), px = f8_all(x[point]), py = f8_all(y[point]), pz = f8_all(z[point]);
            for (int c = 0; c < 3; ++c, v += d->frames8) {
                f8 wv = w * f8_load(v);
                run[4 * c] += wv * px;
                run[4 * c + 1] += wv * py;
                run[4 * c + 2] += wv * pz;
                run[4 * c + 3] += wv;
            }
        }
        for (int e = 0; e < 12; ++e) sums[e] += __builtin_convertvector(run[e], d8);
    }
    double* out = d->first + ((size_t)bone * d->frames8 + (size_t)frame_block * SUP_LANES) * 12;
    for (int lane = 0; lane < SUP_LANES; ++lane)
        for (int e = 0; e < 12; ++e) out[lane * 12 + e] = sums[e][lane];
}

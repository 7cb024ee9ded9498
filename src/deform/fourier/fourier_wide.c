// Loops of a frame over points: the series of every point's two curves, eight points at a time, and residuals in half
// precision.
#include "deform/fourier/fourier.h"

void SUP_WIDE(fourier_take)(const fourier_net* net, const float* coefficients, uint32_t begin, uint32_t end, sup_vec3* q)
{
    for (uint32_t g = begin; g < end; ++g) {
        const fourier_group* group = &net->groups[g];
        const float*         row = net->table + group->table;
        fr                   sum[SUP_LANES / SUP_REGISTER][3];
        for (uint32_t h = 0; h < SUP_LANES / SUP_REGISTER; ++h) sum[h][0] = sum[h][1] = sum[h][2] = fr_all(0);
        for (uint32_t k = 0; k < 2 && group->curve[k] != SUP_NONE; ++k) {
            const fourier_series* s = &net->series[group->curve[k]];
            const float*          c = coefficients + 3 * (size_t)s->packed;
            for (uint32_t f = 0; f < s->taken; ++f, row += SUP_LANES, c += 3)
                for (uint32_t h = 0; h < SUP_LANES / SUP_REGISTER; ++h) {
                    fr value = fr_load(row + h * SUP_REGISTER);
                    sum[h][0] += value * fr_all(c[0]);
                    sum[h][1] += value * fr_all(c[1]);
                    sum[h][2] += value * fr_all(c[2]);
                }
        }
        float moved[3 * SUP_LANES];
        for (uint32_t h = 0; h < SUP_LANES / SUP_REGISTER; ++h)
            fr_store3(moved + 3 * h * SUP_REGISTER, sum[h][0], sum[h][1], sum[h][2]);
        for (uint32_t i = 0; i < group->count; ++i) {
            sup_vec3* to = &q[group->point[i]];
            *to = (sup_vec3){ to->x + moved[3 * i], to->y + moved[3 * i + 1], to->z + moved[3 * i + 2] };
        }
    }
}

typedef uint16_t u8 __attribute__((vector_size(16)));

/// Converts eight halves to floats, exactly: a multiplication shifts the exponent, which also normalizes the small ones.
static inline f8 from_halves(const uint16_t* p)
{
    u8 h;
    memcpy(&h, p, sizeof h);
    i8 wide = __builtin_convertvector(h, i8);
    f8 size = (f8)((wide & i8_all(0x7fff)) << 13) * f8_all(5.192296858534828e33f); // 2^112
    return (f8)((i8)size | ((wide & i8_all(0x8000)) << 16));
}

void SUP_WIDE(fourier_halves)(uint32_t count, const uint16_t* const* in, const float* share, uint32_t inputs, float* out)
{
    for (uint32_t i = 0; i < count; i += SUP_LANES) {
        f8 sum = f8_all(0);
        for (uint32_t k = 0; k < inputs; ++k) sum = sum + f8_all(share[k]) * from_halves(in[k] + i);
        f8_store(out + i, sum);
    }
}

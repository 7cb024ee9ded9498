// Loops of a frame: sums Fourier terms into node displacements (curves x components in the lanes), and mixes limbs.
#include "deform/bend/bend.h"

void SUP_WIDE(bend_sum_terms)(const float* vectors, uint32_t count, uint32_t terms, const float* coefficients, uint32_t stride,
                              float* rows)
{
    for (uint32_t c = 0; c < stride; c += SUP_LANES)
        // Up to eight terms stay in registers for all nodes.
        for (uint32_t first = 0; first < terms; first += 8) {
            uint32_t here = terms - first < 8 ? terms - first : 8;
            f8       w[8];
            for (uint32_t k = 0; k < 8; ++k)
                w[k] = k < here ? f8_load(coefficients + (size_t)(first + k) * stride + c) : f8_all(0);
            for (uint32_t n = 0; n < count; ++n) {
                const float* v = vectors + (size_t)n * terms + first;
                float*       to = rows + (size_t)n * stride + c;
                f8           sum = f8_load(to);
                for (uint32_t k = 0; k < here; ++k) sum = sum + f8_all(v[k]) * w[k];
                f8_store(to, sum);
            }
        }
}

void SUP_WIDE(bend_mix)(const bend_mixing* m, const float* values, uint32_t begin, uint32_t end, sup_vec3* q)
{
    for (uint32_t i = begin; i < end; ++i) {
        f4 sum = f4_all(0);
        for (uint32_t k = m->begin[i]; k < m->begin[i + 1]; ++k) {
            float s = m->vectors ? values[m->value[k]] : m->shares[k];
            sum = sum + f4_load(m->vectors ? m->shares + 4 * (size_t)k : values + 4 * (size_t)m->value[k]) * f4_all(s);
        }
        sup_vec3* to = &q[m->points[i]];
        *to = (sup_vec3){ to->x + sum[0], to->y + sum[1], to->z + sum[2] };
    }
}

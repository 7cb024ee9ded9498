// Loops of a frame: Fourier terms summed into node displacements (curves x components in the lanes), and what each skin point
// takes from its four nodes.
#include "deform/bend/bend.h"

void SUP_WIDE(bend_sum_terms)(const float* vectors, uint32_t count, uint32_t terms, const float* coefficients, uint32_t stride,
                              float* rows)
{
    for (uint32_t c = 0; c < stride; c += SUP_LANES)
        // Up to eight terms stay in registers over all nodes.
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

typedef float f4 __attribute__((vector_size(16)));

static inline f4 f4_load(const float* p)
{
    f4 r;
    memcpy(&r, p, sizeof r);
    return r;
}

void SUP_WIDE(bend_take)(const uint32_t* offsets, const float* shares, const float* rows, uint32_t begin, uint32_t end,
                         sup_vec3* q)
{
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t* o = offsets + 4 * (size_t)i;
        const float*    s = shares + 4 * (size_t)i;
        f4 a = f4_load(rows + o[0]) * (f4){ s[0], s[0], s[0], s[0] } + f4_load(rows + o[1]) * (f4){ s[1], s[1], s[1], s[1] };
        f4 b = f4_load(rows + o[2]) * (f4){ s[2], s[2], s[2], s[2] } + f4_load(rows + o[3]) * (f4){ s[3], s[3], s[3], s[3] };
        f4 sum = a + b;
        q[i] = (sup_vec3){ q[i].x + sum[0], q[i].y + sum[1], q[i].z + sum[2] };
    }
}

void SUP_WIDE(bend_mean)(const uint32_t* first, const uint32_t* neighbors, uint32_t begin, uint32_t end, const float* from,
                         float* to)
{
    for (uint32_t i = begin; i < end; ++i) {
        f4 sum = { 0, 0, 0, 0 };
        for (uint32_t k = first[i]; k < first[i + 1]; ++k) sum = sum + f4_load(from + 4 * (size_t)neighbors[k]);
        float by = 1.0f / (float)(first[i + 1] - first[i]);
        sum = sum * (f4){ by, by, by, by };
        memcpy(to + 4 * (size_t)i, &sum, sizeof sum);
    }
}

void SUP_WIDE(bend_mix)(const bend_mixing* m, const float* values, uint32_t begin, uint32_t end, sup_vec3* q)
{
    for (uint32_t i = begin; i < end; ++i) {
        f4 sum = { 0, 0, 0, 0 };
        for (uint32_t k = m->begin[i]; k < m->begin[i + 1]; ++k) {
            float s = m->vectors ? values[m->value[k]] : m->shares[k];
            sum = sum + f4_load(m->vectors ? m->shares + 4 * (size_t)k : values + 4 * (size_t)m->value[k]) * (f4){ s, s, s, s };
        }
        sup_vec3* to = &q[m->points[i]];
        *to = (sup_vec3){ to->x + sum[0], to->y + sum[1], to->z + sum[2] };
    }
}

// Sums modes into node displacements, with curves x components in the lanes.
#include "deform/beam/beam.h"

void SUP_WIDE(beam_rows)(const float* vectors, uint32_t inner, uint32_t modes, const float* coefficients, uint32_t stride,
                         float* rows)
{
    memset(rows, 0, stride * sizeof *rows);
    memset(rows + (size_t)(inner + 1) * stride, 0, stride * sizeof *rows);
    for (uint32_t c = 0; c < stride; c += SUP_LANES) {
        // Up to eight modes stay in registers for all nodes.
        for (uint32_t first = 0; first == 0 || first < modes; first += 8) {
            uint32_t here = modes - first < 8 ? modes - first : 8;
            f8       w[8];
            for (uint32_t k = 0; k < 8; ++k)
                w[k] = k < here ? f8_load(coefficients + (size_t)(first + k) * stride + c) : f8_all(0);
            for (uint32_t n = 0; n < inner; ++n) {
                const float* v = vectors + (size_t)n * modes + first;
                float*       to = rows + (size_t)(n + 1) * stride + c;
                f8           sum = first ? f8_load(to) : f8_all(0);
                if (here == 8) {
                    f8 a = f8_all(v[0]) * w[0] + f8_all(v[1]) * w[1], b = f8_all(v[2]) * w[2] + f8_all(v[3]) * w[3];
                    f8 d = f8_all(v[4]) * w[4] + f8_all(v[5]) * w[5], e = f8_all(v[6]) * w[6] + f8_all(v[7]) * w[7];
                    sum = sum + ((a + b) + (d + e));
                } else
                    for (uint32_t k = 0; k < here; ++k) sum = sum + f8_all(v[k]) * w[k];
                f8_store(to, sum);
            }
        }
    }
}

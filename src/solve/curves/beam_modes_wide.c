// The banded solve with the right-hand sides in the lanes: four columns at a time run down and up the band in registers.
#include "solve/curves/beam_modes.h"

typedef double d4 __attribute__((vector_size(32)));

static inline d4 d4_load(const double* p)
{
    d4 r;
    memcpy(&r, p, sizeof r);
    return r;
}
static inline void d4_store(double* p, d4 x) { memcpy(p, &x, sizeof x); }
static inline d4   d4_all(double x) { return (d4){ x, x, x, x }; }

void SUP_WIDE(sup_beam_solve)(const sup_beam_factor* f, double* x, uint32_t columns, uint32_t stride)
{
    uint32_t n = f->count, c = 0;
    for (; c + 4 <= columns; c += 4) {
        d4 one = d4_all(0), two = one; // the two rows before
        for (uint32_t i = 0; i < n; ++i) {
            d4 y = d4_load(x + (size_t)i * stride + c) - d4_all(f->l1[i]) * one - d4_all(f->l2[i]) * two;
            d4_store(x + (size_t)i * stride + c, y);
            two = one, one = y;
        }
        one = two = d4_all(0);
        for (uint32_t i = n; i-- > 0;) {
            double l1 = i + 1 < n ? f->l1[i + 1] : 0, l2 = i + 2 < n ? f->l2[i + 2] : 0;
            d4     y = d4_load(x + (size_t)i * stride + c) * d4_all(f->d[i]) - d4_all(l1) * one - d4_all(l2) * two;
            d4_store(x + (size_t)i * stride + c, y);
            two = one, one = y;
        }
    }
    for (; c < columns; ++c) {
        double one = 0, two = 0;
        for (uint32_t i = 0; i < n; ++i) {
            double y = x[(size_t)i * stride + c] - f->l1[i] * one - f->l2[i] * two;
            x[(size_t)i * stride + c] = y;
            two = one, one = y;
        }
        one = two = 0;
        for (uint32_t i = n; i-- > 0;) {
            double l1 = i + 1 < n ? f->l1[i + 1] : 0, l2 = i + 2 < n ? f->l2[i + 2] : 0;
            double y = x[(size_t)i * stride + c] * f->d[i] - l1 * one - l2 * two;
            x[(size_t)i * stride + c] = y;
            two = one, one = y;
        }
    }
}

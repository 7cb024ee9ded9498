// Banded Cholesky, four columns at a time: every column to the right is read and written once for four of them.
#include "solve/plate/plate.h"

#include <math.h>

enum { BLOCK = 4 };

/// to[0 .. n) -= s a[0 .. n), as the compiler sees fit: every element by itself.
static inline void minus1(double* restrict to, const double* restrict a, double s, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i) to[i] -= s * a[i];
}

static bool factor_block(double* columns, uint32_t j, uint32_t width, uint32_t band)
{
    size_t step = band + 1;
    for (uint32_t c = 0; c < width; ++c) {
        double* l = columns + (size_t)(j + c) * step;
        if (!(l[0] > 0)) return false;
        double d = 1 / sqrt(l[0]);
        l[0] = d;
        for (uint32_t k = 1; k <= band; ++k) l[k] *= d;
        for (uint32_t k = 1; c + k < width && k <= band; ++k)
            minus1(columns + (size_t)(j + c + k) * step, l + k, l[k], band + 1 - k);
    }
    return true;
}

bool SUP_WIDE(sup_band_factor)(double* columns, uint32_t count, uint32_t band)
{
    size_t step = band + 1;
    for (uint32_t j = 0; j < count; j += BLOCK) {
        uint32_t width = count - j < BLOCK ? count - j : BLOCK;
        if (!factor_block(columns, j, width, band)) return false;
        for (uint32_t r = j + width; r < count && r <= j + width - 1 + band; ++r) {
            double* restrict to = columns + (size_t)r * step;
            uint32_t done = band + 1; // rows that all four columns reach
            if (width == BLOCK && r - j <= band) {
                const double *a = columns + (size_t)j * step + (r - j), *b = columns + (size_t)(j + 1) * step + (r - j - 1),
                             *c = columns + (size_t)(j + 2) * step + (r - j - 2),
                             *d = columns + (size_t)(j + 3) * step + (r - j - 3);
                double x = a[0], y = b[0], z = c[0], w = d[0];
                done = band + 1 - (r - j);
                for (uint32_t i = 0; i < done; ++i) to[i] = to[i] - x * a[i] - y * b[i] - z * c[i] - w * d[i];
                minus1(to + done, b + done, y, 1);
                minus1(to + done, c + done, z, 2);
                minus1(to + done, d + done, w, 3);
            } else
                for (uint32_t c = 0; c < width; ++c)
                    if (r - j - c <= band) {
                        const double* a = columns + (size_t)(j + c) * step + (r - j - c);
                        minus1(to, a, a[0], band + 1 - (r - j - c));
                    }
        }
    }
    return true;
}

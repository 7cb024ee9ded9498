#include "bench/reference/reference.h"

#include <math.h>

bool reference_beam_inverse(uint32_t n, double* a, double* inverse)
{
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t j = 0; j < n; ++j) inverse[i * n + j] = i == j;
    for (uint32_t k = 0; k < n; ++k) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; ++i)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        if (a[best * n + k] == 0) return false;
        for (uint32_t j = 0; j < n && best != k; ++j) {
            double x = a[k * n + j], y = inverse[k * n + j];
            a[k * n + j] = a[best * n + j], inverse[k * n + j] = inverse[best * n + j];
            a[best * n + j] = x, inverse[best * n + j] = y;
        }
        double pivot = 1 / a[k * n + k];
        for (uint32_t j = 0; j < n; ++j) a[k * n + j] *= pivot, inverse[k * n + j] *= pivot;
        for (uint32_t i = 0; i < n; ++i) {
            double f = a[i * n + k];
            for (uint32_t j = 0; j < n && i != k; ++j)
                a[i * n + j] -= f * a[k * n + j], inverse[i * n + j] -= f * inverse[k * n + j];
        }
    }
    return true;
}

void reference_beam_frame(uint32_t n, const double* inverse, const double* load, double ramp, double inertia, const double* at,
                          const double* before, double* right, double* to)
{
    for (uint32_t i = 0; i < n; ++i) right[i] = ramp * load[i] + inertia * (2 * at[i] - before[i]);
    for (uint32_t i = 0; i < n; ++i) {
        double sum = 0;
        for (uint32_t j = 0; j < n; ++j) sum += inverse[i * n + j] * right[j];
        to[i] = sum;
    }
}

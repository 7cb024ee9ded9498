#include "solve/particles/ride.h"

// A row is three vectors, so the sum over carriers handles three at a time and gathers nothing.
void SUP_WIDE(sup_ride_points)(const sup_ride* r, const sup_ride_call* c, uint32_t begin, uint32_t end)
{
    for (uint32_t p = begin; p < end; ++p) {
        f8 sums[3] = { f8_all(0), f8_all(0), f8_all(0) };
        for (uint32_t i = r->begin[p]; i < r->begin[p + 1]; ++i) {
            const float* row = c->rows + (size_t)SUP_RIDE_ROW * r->carriers[i];
            f8           w = f8_all(r->shares[i]);
            for (int k = 0; k < 3; ++k) sums[k] += w * f8_load(row + 8 * k);
        }
        float a[SUP_RIDE_ROW], alike = r->alike[p];
        for (int k = 0; k < 3; ++k) f8_store(a + 8 * k, sums[k]);
        const float *x = &c->points[p].x, *rest = &c->rest[p].x, *o = &c->origin.x;
        float        s[3] = { x[0] - o[0], x[1] - o[1], x[2] - o[2] }, *out = &c->out[p].x;
        for (int k = 0; k < 3; ++k) {
            const float *map = a + 4 * k, *turn = a + 12 + 3 * k;
            float        moved = map[0] * rest[0] + map[1] * rest[1] + map[2] * rest[2] + map[3];
            moved += turn[0] * s[0] + turn[1] * s[1] + turn[2] * s[2];
            out[k] = x[k] + (a[21 + k] + alike * (moved - a[21 + k]));
        }
    }
}

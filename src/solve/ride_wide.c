#include "solve/ride.h"

// A row is two vectors, so the sum over carriers is two at a time and nothing is gathered.
void SUP_WIDE(sup_ride_points)(const sup_ride* r, const sup_ride_call* c, uint32_t begin, uint32_t end)
{
    for (uint32_t p = begin; p < end; ++p) {
        f8 low = f8_all(0), high = f8_all(0);
        for (uint32_t i = r->begin[p]; i < r->begin[p + 1]; ++i) {
            const float* row = c->rows + (size_t)SUP_RIDE_ROW * r->carriers[i];
            f8           w = f8_all(r->shares[i]);
            low += w * f8_load(row);
            high += w * f8_load(row + 8);
        }
        float a[SUP_RIDE_ROW], turn = r->turns[p];
        f8_store(a, low);
        f8_store(a + 8, high);
        sup_vec3 x = c->points[p];
        float    s[3] = { x.x - c->origin.x, x.y - c->origin.y, x.z - c->origin.z };
        c->out[p] = (sup_vec3){ x.x + (a[3] + turn * (a[0] * s[0] + a[1] * s[1] + a[2] * s[2] + a[12])),
                                x.y + (a[7] + turn * (a[4] * s[0] + a[5] * s[1] + a[6] * s[2] + a[13])),
                                x.z + (a[11] + turn * (a[8] * s[0] + a[9] * s[1] + a[10] * s[2] + a[14])) };
    }
}

// What each skin point takes from its four nodes.
#include "deform/curves/curve_net.h"

void SUP_WIDE(sup_curve_take)(const uint32_t* points, const uint32_t* offsets, const float* shares, const float* rows,
                              float scale, uint32_t begin, uint32_t end, sup_vec3* q)
{
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t* o = offsets + 4 * (size_t)i;
        const float*    s = shares + 4 * (size_t)i;
        f4              a = f4_load(rows + o[0]) * f4_all(s[0]) + f4_load(rows + o[1]) * f4_all(s[1]);
        f4              b = f4_load(rows + o[2]) * f4_all(s[2]) + f4_load(rows + o[3]) * f4_all(s[3]);
        f4              sum = (a + b) * f4_all(scale);
        sup_vec3*       to = &q[points ? points[i] : i];
        *to = (sup_vec3){ to->x + sum[0], to->y + sum[1], to->z + sum[2] };
    }
}

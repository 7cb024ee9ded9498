// q = r + (A - I)(p + r): the maps of a point's two stations, four rows at a time.
#include "deform/curves/sections.h"

static inline f4 mapped(const sup_station* s, f4 x, f4 y, f4 z)
{
    return (f4_load(s->column[0]) * x + f4_load(s->column[1]) * y) + (f4_load(s->column[2]) * z + f4_load(s->column[3]));
}

void SUP_WIDE(sup_sections_turn)(const sup_sections* s, const sup_station* stations, const sup_vec3* rest, uint32_t begin,
                                 uint32_t end, sup_vec3* q)
{
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t k = s->station[i];
        if (k == SUP_NONE) continue;
        f4 x = f4_all(rest[i].x + q[i].x), y = f4_all(rest[i].y + q[i].y), z = f4_all(rest[i].z + q[i].z);
        f4 a = mapped(&stations[k], x, y, z), b = mapped(&stations[k + 1], x, y, z);
        f4 sum = a + f4_all(s->ratio[i]) * (b - a);
        q[i] = (sup_vec3){ q[i].x + sum[0], q[i].y + sum[1], q[i].z + sum[2] };
    }
}

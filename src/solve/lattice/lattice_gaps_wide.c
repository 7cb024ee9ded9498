// Places near a place, eight at a time. Lanes past the end of a row are places too, and are tested like the rest.
#include "solve/lattice/lattice_gaps.h"

static inline f8 square(const float* const planes[3], const float at[3], uint32_t k)
{
    f8 x = f8_load(planes[0] + k) - f8_all(at[0]), y = f8_load(planes[1] + k) - f8_all(at[1]),
       z = f8_load(planes[2] + k) - f8_all(at[2]);
    return x * x + y * y + z * z;
}

uint32_t SUP_WIDE(sup_lattice_gaps_closing)(const sup_lattice_gaps_rows* rows, uint32_t* out, uint32_t capacity)
{
    uint32_t count = 0;
    f8       reach2 = f8_all(rows->reach2), closes2 = f8_all(rows->closes2), least2 = f8_all(rows->least2);
    for (uint32_t row = 0; row < rows->count; ++row)
        for (uint32_t k = rows->begin[row]; k < rows->end[row]; k += SUP_LANES) {
            f8 posed2 = square(rows->posed, rows->at, k);
            i8 near = posed2 < reach2;
            if (i8_bits(near) == 0) continue;
            f8 rest2 = square(rows->rest, rows->from, k);
            near = near & (posed2 < closes2 * rest2) & (rest2 >= least2);
            for (uint32_t bits = i8_bits(near), lane = 0; bits; bits >>= 1, ++lane)
                if (bits & 1 && count < capacity) out[count++] = k + lane;
        }
    return count;
}

// Blends lists of floats.
#include "deform/curves/modal.h"

void SUP_WIDE(sup_modal_blend)(uint32_t count, const float* const* in, const float* share, uint32_t inputs, bool add,
                               float* out)
{
    for (uint32_t i = 0; i < count; i += SUP_LANES) {
        f8 sum = add ? f8_load(out + i) : f8_all(0);
        for (uint32_t k = 0; k < inputs; ++k) sum = sum + f8_all(share[k]) * f8_load(in[k] + i);
        f8_store(out + i, sum);
    }
}

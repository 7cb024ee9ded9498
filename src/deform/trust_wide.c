// How far eight points at a time lie beside the way between two poses, and how far along it.
#include "deform/trust.h"

#define OFF_LEAST 0.28f // radians beside the way at which a correction is down to 1/e, plus
#define OFF_SHARE 0.17f // so much of its length
#define WAY_LEAST 0.1f  // radians: a way that is shorter says less about how far along it the pose is than time does

void SUP_WIDE(sup_trust_shares)(const sup_trust* t, const float* values, float ratio, float window, uint32_t begin,
                                uint32_t end, float* share, float* shift)
{
    for (uint32_t b = begin; b < end; ++b)
        for (uint32_t lane = 0; lane < SUP_LANES; lane += SUP_REGISTER) {
            const float* weights = t->weights + (size_t)t->blocks[b].begin * SUP_LANES + lane;
            fr           zero = fr_all(0.0f), one = fr_all(1.0f), n = zero, l = zero, g = zero;
            for (uint32_t i = 0; i < t->blocks[b].count; ++i) {
                const float* v = values + 3 * (size_t)t->rows[t->blocks[b].begin + i];
                fr           w = fr_load(weights + (size_t)i * SUP_LANES);
                n += w * fr_all(v[0]), l += w * fr_all(v[1]), g += w * fr_all(v[2]);
            }
            fr s = fr_select(g > zero, g / fr_select(l > zero, l, one), zero);
            s = fr_select(s < one, s, one);
            fr     off = n - (s + s) * g + s * s * l, scale = fr_all(OFF_LEAST) + fr_all(OFF_SHARE) * fr_sqrt(l);
            size_t at = (size_t)b * SUP_LANES + lane;
            fr_store(share + at, fr_exp_negative(fr_select(off > zero, off, zero) / (scale * scale)));
            fr_store(shift + at, fr_all(window) * (s - fr_all(ratio)) * l / (l + fr_all(WAY_LEAST * WAY_LEAST)));
        }
}

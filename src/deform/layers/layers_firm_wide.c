// Pulls firm tissue toward its place over the bone, eight points at a time.
#include "deform/layers/layers_run.h"
#include "math/wide.h"

// For all layers above the bone's: moves a share of the way to the bone's particle plus its offset, rotated with the particle.
static inline void hold8(const layers_run* r, uint32_t k, f8 share)
{
    const layers_bound* b = r->b;
    size_t              bone = (size_t)LAYER_BONE * b->stride + k;
    f8                  base[4], q[4], from[3], two = f8_all(2), one = f8_all(1);
    f8_load4(&r->s.x[bone].x, base);
    f8_load4(&r->s.q[bone].x, q);
    f8_load3(&b->rest[bone].x, &from[0], &from[1], &from[2]);
    f8 x = q[0], y = q[1], z = q[2], w = q[3];
    f8 m[9] = { one - two * (y * y + z * z), two * (x * y - w * z),       two * (x * z + w * y),
                two * (x * y + w * z),       one - two * (x * x + z * z), two * (y * z - w * x),
                two * (x * z - w * y),       two * (y * z + w * x),       one - two * (x * x + y * y) };
    for (uint32_t l = LAYER_SKIN; l < LAYER_BONE; ++l) {
        size_t i = (size_t)l * b->stride + k;
        f8     at[4], way[3];
        f8_load4(&r->s.x[i].x, at);
        f8_load3(&b->rest[i].x, &way[0], &way[1], &way[2]);
        for (int c = 0; c < 3; ++c) way[c] -= from[c];
        for (int c = 0; c < 3; ++c) {
            f8 off = at[c] - base[c] - (m[3 * c] * way[0] + m[3 * c + 1] * way[1] + m[3 * c + 2] * way[2]);
            at[c] -= share * off;
        }
        f8_store4(&r->s.x[i].x, at);
    }
}

void SUP_WIDE(layers_hold_firm)(const layers_run* r, uint32_t begin, uint32_t end)
{
    for (uint32_t k = begin; k < end; k += SUP_LANES) {
        f8 share = f8_load(r->firm + k);
        if (i8_bits(share > f8_all(0))) hold8(r, k, share);
    }
}

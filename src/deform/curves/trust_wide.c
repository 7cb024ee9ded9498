// The distance of eight points at a time from the path between two poses, and their position along it.
#include "deform/curves/trust.h"

#define APART 0.28f     // radians between the positions of time and pose on the path at which the pose takes over at once
#define PATH_LEAST 0.1f // radians: on a shorter path, time is a better measure of progress than the pose

enum { BLOCKS = 16, FLOATS = BLOCKS * SUP_LANES };

/// n, l, g and rate of a few blocks.
static inline void sum_up(const sup_trust* t, const sup_trust_sums* movers, const uint32_t* list, uint32_t count,
                          float sums[4][FLOATS])
{
    for (uint32_t k = 0; k < count; ++k)
        for (uint32_t lane = 0; lane < SUP_LANES; lane += SUP_REGISTER) {
            sup_trust_block block = t->blocks[list[k]];
            const float*    weights = t->weights + (size_t)block.begin * SUP_LANES + lane;
            fr              n = fr_all(0.0f), l = n, g = n, rate = n;
            for (uint32_t i = 0; i < block.count; ++i) {
                const sup_trust_sums* m = &movers[t->rows[block.begin + i]];
                fr                    w = fr_load(weights + (size_t)i * SUP_LANES);
                n += w * fr_all(m->n), l += w * fr_all(m->l), g += w * fr_all(m->g), rate += w * fr_all(m->rate);
            }
            size_t at = (size_t)k * SUP_LANES + lane;
            fr_store(sums[0] + at, n), fr_store(sums[1] + at, l), fr_store(sums[2] + at, g);
            fr_store(sums[3] + at, rate);
        }
}

/// Time becomes the pose's as the end of the path is left behind (near 1), or at once where the two are far apart.
static inline void make_shares(float sums[4][FLOATS], const uint32_t* list, uint32_t count, float ratio, float near, bool left,
                               float* share, float* shift)
{
    fr zero = fr_all(0.0f), one = fr_all(1.0f), time = fr_all(ratio);
    for (uint32_t k = 0; k < count; ++k)
        for (uint32_t lane = 0; lane < SUP_LANES; lane += SUP_REGISTER) {
            size_t i = (size_t)k * SUP_LANES + lane, at = (size_t)list[k] * SUP_LANES + lane;
            fr     n = fr_load(sums[0] + i), l = fr_load(sums[1] + i), g = fr_load(sums[2] + i), rate = fr_load(sums[3] + i);
            fr     s = fr_select(g > zero, g / fr_select(l > zero, l, one), zero);
            s = fr_select(s < one, s, one);
            fr off = n - (s + s) * g + s * s * l, by = s - time;
            off = fr_select(off > zero, off, zero);
            fr_store(share + at, fr_exp_negative(off * rate));
            if (!left) {
                fr gone = fr_all(near) + fr_select(by > zero, by, zero - by) * fr_sqrt(l) * fr_all(1 / APART);
                gone = fr_select(gone < one, gone, one);
                by = gone * gone * (fr_all(3.0f) - gone - gone) * by;
            }
            fr_store(shift + at, by * l / (l + fr_all(PATH_LEAST * PATH_LEAST)));
        }
}

/// Sums first, then the shares: in a single loop every block would wait for the roots and quotients of the previous one,
/// because the number of movers of the next is mispredicted most of the time (this is a third faster).
void SUP_WIDE(sup_trust_shares)(const sup_trust* t, const sup_trust_sums* movers, float ratio, float near, uint32_t begin,
                                uint32_t end, float* share, float* shift)
{
    float    sums[4][FLOATS];
    uint32_t list[BLOCKS];
    for (uint32_t b = begin; b < end;) {
        uint32_t count = 0;
        for (; b < end && count < BLOCKS; ++b) {
            uint32_t like = t->blocks[b].like;
            if (like == SUP_NONE) list[count++] = b;
            else
                for (uint32_t lane = 0; lane < SUP_LANES; lane += SUP_REGISTER) {
                    fr_store(share + (size_t)b * SUP_LANES + lane, fr_load(share + (size_t)like * SUP_LANES + lane));
                    fr_store(shift + (size_t)b * SUP_LANES + lane, fr_load(shift + (size_t)like * SUP_LANES + lane));
                }
        }
        sum_up(t, movers, list, count, sums);
        if (near >= 1) make_shares(sums, list, count, ratio, near, true, share, shift);
        else make_shares(sums, list, count, ratio, near, false, share, shift);
    }
}

void SUP_WIDE(sup_trust_apply)(const sup_trusted* t, const sup_vec3* from, const sup_vec3* to, uint32_t begin, uint32_t end,
                               sup_vec3* q)
{
    for (uint32_t i = begin; i < end; i += SUP_REGISTER) {
        fr share = fr_load(t->share + i), shift = fr_load(t->shift + i) * share, a[3], b[3], at[3];
        fr_load3(&from[i].x, &a[0], &a[1], &a[2]), fr_load3(&to[i].x, &b[0], &b[1], &b[2]);
        fr_load3(&q[i].x, &at[0], &at[1], &at[2]);
        for (int c = 0; c < 3; ++c) at[c] = share * at[c] + shift * (b[c] - a[c]);
        fr_store3(&q[i].x, at[0], at[1], at[2]);
    }
}

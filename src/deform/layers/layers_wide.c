// The loops of a substep over eight particles, points or pairs at a time: the same arithmetic as one by one, so the same bits.
#include "deform/layers/layers_limits.h"
#include "deform/layers/layers_run.h"
#include "math/rotation.h"
#include "math/wide.h"

static const float tether_slack = 0.99f;   // nearly all tissue is well within its tether
static const float firmness_least = 0.05f; // tethers stop growing below this

static inline i8 lanes_from(uint32_t first) { return i8_all((int32_t)first) + (i8){ 0, 1, 2, 3, 4, 5, 6, 7 }; }

static inline void f8_multiply(const f8 a[4], const f8 b[4], f8 out[4])
{
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

// ---------------------------------------------------------------------------------------------- predict

// Where particles would be by themselves; padding points are nowhere, and held bones are at their targets.
static inline void expect(const layers_run* r, uint32_t i, uint32_t k, bool placed, const f8 x[4], f8 h[4])
{
    i8 real = lanes_from(k) < i8_all((int32_t)r->b->count);
    f8 dt = f8_all(r->dt), v[4], a[3];
    h[3] = placed ? f8_all(0) : f8_load(r->blends + i);
    if (placed) {
        f8_load3(&r->targets[k].x, &h[0], &h[1], &h[2]);
    } else {
        f8_load4(&r->s.v[i].x, v);
        f8_load3(&r->accelerations[k].x, &a[0], &a[1], &a[2]);
        for (int c = 0; c < 3; ++c) h[c] = x[c] + dt * (v[c] + dt * a[c]);
    }
    for (int c = 0; c < 4; ++c) h[c] = f8_select(real, h[c], f8_all(0));
}

// Rotations continue: otherwise the moments of the fits lag. A padding point stays without rotation.
static inline void spin_on(const layers_run* r, uint32_t i)
{
    f8 q[4], before[4], turn[4], next[4];
    f8_load4(&r->s.q[i].x, q);
    f8_load4(&r->s.before[i].x, before);
    f8_store4(&r->s.before[i].x, q);
    for (int c = 0; c < 3; ++c) before[c] = -before[c];
    f8_multiply(q, before, turn);
    f8_multiply(turn, q, next);
    f8 n = next[0] * next[0] + next[1] * next[1] + next[2] * next[2] + next[3] * next[3];
    i8 some = n > f8_all(0);
    f8 s = f8_all(1) / f8_sqrt(f8_select(some, n, f8_all(1)));
    for (int c = 0; c < 4; ++c) next[c] = f8_select(some, next[c] * s, next[c]);
    f8_store4(&r->s.q[i].x, next);
}

// A region of the bone layer takes its rotation from the skeleton. If it were fitted, its ring, which lies close around the
// bone, would follow the one muscle particle above it, and tissue would stand on the bone as on a hinge: looser the finer the
// mesh. Where bones turn apart, skinning squeezes the tissue they share: the determinant of its matrix falls below 1. There it
// puts the flesh of a crease into that of the other side, so the region counts less by that much and tethers are longer.
// Returns how much it counts.
static inline f8 turn_bone(const layers_run* r, uint32_t i, uint32_t k)
{
    f8           q[4], a[9], turn[9], one = f8_all(1), least = f8_all(firmness_least);
    i8           real = lanes_from(k) < i8_all((int32_t)r->b->count);
    const float* m = &r->turns[k].m[0][0];
    f8_load4(&r->s.q[i].x, q);
    f8_store4(&r->s.before[i].x, q);
    for (int c = 0; c < 9; ++c)
        for (int lane = 0; lane < SUP_LANES; ++lane) a[c][lane] = m[9 * lane + c];
    f8 firm = a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) + a[2] * (a[3] * a[7] - a[4] * a[6]);
    firm = f8_select(firm < one, firm, one);
    firm = f8_select(firm > least, firm, least);
    f8 crease = f8_all(LAYERS_CREASE_REACH);
    f8_store(r->reaches + k, f8_load(r->tethers + k) - crease + crease / firm);
    SUP_WIDE(rotation_fit8)(a, q, turn);
    for (int c = 0; c < 4; ++c) q[c] = f8_select(real, q[c], f8_all(0));
    f8_store4(&r->s.q[i].x, q);
    return firm;
}

void SUP_WIDE(layers_predict)(const layers_run* r, uint32_t begin, uint32_t end)
{
    uint32_t stride = r->b->stride, layer = begin / stride, k = begin - layer * stride;
    for (uint32_t i = begin; i < end; i += SUP_LANES) {
        f8 x[4], h[4];
        f8_load4(&r->s.x[i].x, x);
        f8_store4(&r->from[i].x, x);
        bool placed = layer == LAYER_BONE && r->held;
        expect(r, i, k, placed, x, h);
        if (placed) h[3] = turn_bone(r, i, k);
        else spin_on(r, i);
        f8_store4(&r->h[i].x, h);
        f8_store4(&r->s.x[i].x, (f8[4]){ h[0], h[1], h[2], x[3] });
        if ((k += SUP_LANES) == stride) k = 0, ++layer;
    }
}

// ---------------------------------------------------------------------------------------------- tethers

// The offset from the bone's particle, rotated by the columns of its rotation.
void SUP_WIDE(layers_sift_tethers)(const layers_run* r, uint32_t k, uint32_t out[LAYER_BONE])
{
    const layers_bound* b = r->b;
    size_t              bone = (size_t)LAYER_BONE * b->stride + k;
    f8                  base[4], q[4], from[3], two = f8_all(2), one = f8_all(1);
    i8                  real = lanes_from(k) < i8_all((int32_t)b->count);
    f8_load4(&r->s.x[bone].x, base);
    f8_load4(&r->s.q[bone].x, q);
    f8_load3(&b->rest[bone].x, &from[0], &from[1], &from[2]);
    f8 x = q[0], y = q[1], z = q[2], w = q[3], slack = f8_all(tether_slack) * f8_load(r->reaches + k);
    f8 m[9] = { one - two * (y * y + z * z), two * (x * y - w * z),       two * (x * z + w * y),
                two * (x * y + w * z),       one - two * (x * x + z * z), two * (y * z - w * x),
                two * (x * z - w * y),       two * (y * z + w * x),       one - two * (x * x + y * y) };
    for (uint32_t l = LAYER_SKIN; l < LAYER_BONE; ++l) {
        size_t i = (size_t)l * b->stride + k;
        f8     at[4], way[3], square = f8_all(0);
        f8_load4(&r->s.x[i].x, at);
        f8_load3(&b->rest[i].x, &way[0], &way[1], &way[2]);
        for (int c = 0; c < 3; ++c) way[c] -= from[c];
        for (int c = 0; c < 3; ++c) {
            f8 off = at[c] - base[c] - (m[3 * c] * way[0] + m[3 * c + 1] * way[1] + m[3 * c + 2] * way[2]);
            square += off * off;
        }
        f8 reach = slack * slack * (way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
        out[l] = i8_bits(real & ~(square <= reach));
    }
}

// ---------------------------------------------------------------------------------------------- pairs

uint32_t SUP_WIDE(layers_sift_pairs)(const layers_run* r, uint32_t begin, uint32_t end, uint32_t* out)
{
    const layers_pairs* p = &r->b->pairs;
    const float*        xs = &r->s.x->x;
    f8                  share = f8_all(r->p->squeeze * r->p->squeeze), none = f8_all(1e-12f);
    uint32_t            count = 0;
    for (uint32_t i = begin; i < end; i += SUP_LANES) {
        f8 a[4], b[4], length = f8_load(p->lengths + i), rest = length * length;
        f8_gather4(xs, p->a + i, a);
        f8_gather4(xs, p->b + i, b);
        f8 x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2], square = x * x + y * y + z * z;
        i8 strained = (square > none * rest) & ((square < share * rest) | (square * share > rest));
        for (uint32_t bits = i8_bits(strained); bits; bits &= bits - 1) out[count++] = i + (uint32_t)__builtin_ctz(bits);
    }
    return count;
}

// ---------------------------------------------------------------------------------------------- velocities

float SUP_WIDE(layers_velocities)(const layers_run* r, uint32_t begin, uint32_t end)
{
    uint32_t stride = r->b->stride, layer = begin / stride, k = begin - layer * stride;
    f8       per = f8_all(1.0f / r->dt), per_step = f8_all((float)(1.0 / r->frame->dt)), fastest = f8_all(0);
    for (uint32_t i = begin; i < end; i += SUP_LANES) {
        i8 free = lanes_from(k) < i8_all(layer == LAYER_BONE && r->held ? 0 : (int32_t)r->b->count);
        f8 x[4], from[4], start[3], to[3], v[4], decay = f8_load(r->decays + k), square = f8_all(0);
        f8_load4(&r->s.x[i].x, x);
        f8_load4(&r->from[i].x, from);
        f8_load3(&r->start[i].x, &start[0], &start[1], &start[2]);
        f8_load3(&r->end[i].x, &to[0], &to[1], &to[2]);
        for (int c = 0; c < 3; ++c) {
            f8 u = (to[c] - start[c]) * per_step, off;
            v[c] = (x[c] - from[c]) * per;
            off = v[c] - u;
            v[c] = f8_select(free, u + decay * off, v[c]);
            square += off * off;
        }
        v[3] = f8_all(0);
        f8_store4(&r->s.v[i].x, v);
        // NaN is not at rest.
        f8 speed = f8_select(square == square, square, f8_all(__builtin_inff()));
        fastest = f8_max(f8_select(free, speed, f8_all(0)), fastest);
        if ((k += SUP_LANES) == stride) k = 0, ++layer;
    }
    float most = 0;
    for (int i = 0; i < SUP_LANES; ++i) most = fastest[i] > most ? fastest[i] : most;
    return __builtin_sqrtf(most);
}

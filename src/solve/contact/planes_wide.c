// Planes in lanes: packs of moving triangles, one triangle against eight, eight pairs against their directions.
#include "solve/contact/planes_internal.h"

#define INLINE static inline __attribute__((always_inline))

INLINE f8 dot8(const f8 a[3], const f8 b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

INLINE void cross8(const f8 a[3], const f8 b[3], f8 out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

INLINE void normalize8(f8 n[3])
{
    f8 square = dot8(n, n), inverse = f8_all(1) / f8_sqrt(f8_select(square > f8_all(0), square, f8_all(1)));
    for (int i = 0; i < 3; ++i) n[i] *= inverse;
}

// ---------------------------------------------------------------------------------------------- packs

/// Which triangles of a pack have a corner that was stirred.
INLINE uint32_t stirred_lanes(const planes_run* r, const planes_pack* pack)
{
    uint32_t bits = 0;
    for (uint32_t k = 0; k < PLANES_PACK; ++k)
        bits |= (r->m.stirred[pack->corners[0][k]] | r->m.stirred[pack->corners[1][k]] | r->m.stirred[pack->corners[2][k]])
                    ? 1u << k
                    : 0;
    return bits;
}

void SUP_WIDE(sup_planes_measure)(const planes_run* r, uint32_t begin, uint32_t end)
{
    const float *x = &r->m.begin->x, *ways = &r->m.way->x;
    const float  shift[3] = { r->m.header->shift.x, r->m.header->shift.y, r->m.header->shift.z };
    f8           ahead = f8_all(r->ahead), since = f8_all(r->since), left = ahead - since, huge = f8_all(__builtin_inff());
    for (uint32_t k = begin; k < end; ++k) {
        const planes_pack* pack = &r->p->packs[k];
        planes_bounds*     out = &r->m.bounds[k];
        uint32_t           fresh = r->partial ? stirred_lanes(r, pack) : 0xff;
        r->m.fresh[r->p->leaf_count + k] = (uint8_t)fresh;
        if (!fresh) continue;
        f8 from[3][4], way[3][4], stray = f8_load(pack->stray), finite = f8_all(0);
        f8 low[3], high[3];
        for (int c = 0; c < 3; ++c) f8_gather4(x, pack->corners[c], from[c]), f8_gather4(ways, pack->corners[c], way[c]);
        for (int i = 0; i < 3; ++i) {
            low[i] = huge, high[i] = -huge;
            for (int c = 0; c < 3; ++c) {
                f8 to = from[c][i] + ahead * way[c][i], at = from[c][i] + since * way[c][i] + left * f8_all(shift[i]);
                low[i] = f8_min(low[i], f8_min(at, to));
                high[i] = f8_max(high[i], f8_max(at, to));
                finite += f8_all(0) * (at + to);
            }
        }
        i8 real = (stray >= f8_all(0)) & (finite == f8_all(0));
        for (int i = 0; i < 3; ++i) {
            f8_store(out->min[i], f8_select(real, low[i] - stray, huge));
            f8_store(out->max[i], f8_select(real, high[i] + stray, -huge));
        }
        f8 e[3], f[3], n[3], half = f8_all(0.5f * (r->call->thickness + PLANES_MARGIN));
        for (int i = 0; i < 3; ++i) {
            f8 at = from[0][i] + ahead * way[0][i];
            e[i] = from[1][i] + ahead * way[1][i] - at, f[i] = from[2][i] + ahead * way[2][i] - at;
        }
        cross8(e, f, n);
        normalize8(n);
        for (int i = 0; i < 3; ++i) f8_store(out->normal[i], n[i]);
        f8_store(out->reach, half * f8_load(pack->unit) + f8_load(pack->over));
    }
}

// ---------------------------------------------------------------------------------------------- pairs that may come near

typedef struct couple8 {
    f8 a[2][3][4], b[2][3][4]; // at both ends: corner, axis
} couple8;

/// By how much, at least, the first lies beyond the second along a direction at both ends of the substep; and the second beyond
/// the first.
INLINE f8 least_gap(const couple8* c, const f8 n[3], f8* back)
{
    f8 least = f8_all(__builtin_inff());
    *back = least;
    for (int e = 0; e < 2; ++e) {
        f8 low = dot8(c->a[e][0], n), high = low, q = dot8(c->b[e][0], n), r = q;
        for (int k = 1; k < 3; ++k) {
            f8 s = dot8(c->a[e][k], n), t = dot8(c->b[e][k], n);
            low = f8_min(low, s), high = f8_max(high, s), q = f8_max(q, t), r = f8_min(r, t);
        }
        least = f8_min(least, low - q);
        *back = f8_min(*back, r - high);
    }
    return least;
}

/// Tries the normals of the triangles and their opposites, and keeps one that beats the best so far.
INLINE void try_normals(const couple8* c, f8 x[3][4], f8* best, f8 axis[3], f8 n[3])
{
    f8 e[3], f[3], back;
    for (int i = 0; i < 3; ++i) e[i] = x[1][i] - x[0][i], f[i] = x[2][i] - x[0][i];
    cross8(e, f, n);
    normalize8(n);
    f8 gap = least_gap(c, n, &back);
    i8 better = gap > *best, other = back > f8_max(gap, *best);
    for (int i = 0; i < 3; ++i) axis[i] = f8_select(other, -n[i], f8_select(better, n[i], axis[i]));
    *best = f8_max(f8_max(gap, back), *best);
}

/// How high, at most, a corner of the first rises above the plane of the second with that normal, at either end.
INLINE f8 rise(f8 x[2][3][4], f8 base[2][3][4], const f8 n[3])
{
    f8 most = f8_all(-__builtin_inff());
    for (int e = 0; e < 2; ++e) {
        f8 at = dot8(base[e][0], n);
        for (int k = 0; k < 3; ++k) most = f8_max(most, dot8(x[e][k], n) - at);
    }
    return most;
}

/// Pairs tested side by side.
typedef struct candidates {
    uint32_t count, a[SUP_LANES], b[SUP_LANES];
} candidates;

/// Which of them no direction separates, and the best direction for each.
INLINE uint32_t part(const planes_run* r, const candidates* s, f8 axis[3])
{
    couple8  c;
    uint32_t corners[6][SUP_LANES];
    float    strays[SUP_LANES], reaches[SUP_LANES];
    for (uint32_t k = 0; k < SUP_LANES; ++k) {
        uint32_t           i = s->a[k < s->count ? k : 0], j = s->b[k < s->count ? k : 0];
        const planes_pack *p = &r->p->packs[i / PLANES_PACK], *q = &r->p->packs[j / PLANES_PACK];
        i %= PLANES_PACK, j %= PLANES_PACK;
        for (int m = 0; m < 3; ++m) corners[m][k] = p->corners[m][i], corners[m + 3][k] = q->corners[m][j];
        strays[k] = p->stray[i] + q->stray[j];
        reaches[k] = r->m.bounds[s->a[k < s->count ? k : 0] / PLANES_PACK].reach[i] +
                     r->m.bounds[s->b[k < s->count ? k : 0] / PLANES_PACK].reach[j];
    }
    for (int m = 0; m < 6; ++m) {
        f8 way[4], x[4], *from = m < 3 ? c.a[0][m] : c.b[0][m - 3], *to = m < 3 ? c.a[1][m] : c.b[1][m - 3];
        f8_gather4(&r->m.begin->x, corners[m], x);
        f8_gather4(&r->m.way->x, corners[m], way);
        for (int i = 0; i < 3; ++i) from[i] = x[i] + f8_all(r->since) * way[i], to[i] = x[i] + f8_all(r->ahead) * way[i];
    }
    f8 stray = f8_load(strays), reach = stray + f8_load(reaches), back, first[3], second[3];
    for (int i = 0; i < 3; ++i) // from center to center
        axis[i] = (c.a[0][0][i] + c.a[0][1][i] + c.a[0][2][i] + c.a[1][0][i] + c.a[1][1][i] + c.a[1][2][i]) -
                  (c.b[0][0][i] + c.b[0][1][i] + c.b[0][2][i] + c.b[1][0][i] + c.b[1][1][i] + c.b[1][2][i]);
    normalize8(axis);
    f8       best = least_gap(&c, axis, &back);
    uint32_t real = (1u << s->count) - 1, near = ~i8_bits(f8_less(reach, best)) & real;
    if (!near) return 0;
    try_normals(&c, c.a[1], &best, axis, first);
    try_normals(&c, c.b[1], &best, axis, second);
    i8 facing = dot8(first, second) < f8_all(PLANES_FACING_SOON);
    facing &= (rise(c.b, c.a, first) > -stray) & (rise(c.a, c.b, second) > -stray);
    f8 limit = f8_select(facing, reach, stray);
    return ~i8_bits(f8_less(limit, best)) & near;
}

INLINE uint32_t sift_out(const planes_run* r, candidates* s, planes_pair* out)
{
    uint32_t count = 0;
    f8       axis[3];
    for (uint32_t bits = part(r, s, axis); bits; bits &= bits - 1) {
        uint32_t     k = (uint32_t)__builtin_ctz(bits);
        planes_pair* to = &out[count++];
        to->a = s->a[k], to->b = s->b[k];
        for (int i = 0; i < 3; ++i) to->axis[i] = (int16_t)(PLANES_AXIS * axis[i][k]);
    }
    s->count = 0;
    return count;
}

/// Lanes of the second pack whose boxes overlap that of one lane of the first or, where the two face each other, are within
/// reach; one of each pair is fresh, and they share no corner.
INLINE uint32_t near_lanes(const planes_run* r, uint32_t first, uint32_t second, uint32_t lane)
{
    const planes_bounds *a = &r->m.bounds[first], *b = &r->m.bounds[second];
    const planes_pack *  pa = &r->p->packs[first], *pb = &r->p->packs[second];
    const uint8_t*       fresh = r->m.fresh + r->p->leaf_count;
    i8                   near = i8_all(-1), close = i8_all(-1);
    f8                   reach = f8_all(a->reach[lane]) + f8_load(b->reach), facing = f8_all(0);
    for (int i = 0; i < 3; ++i) {
        f8 apart = f8_max(f8_load(b->min[i]) - f8_all(a->max[i][lane]), f8_all(a->min[i][lane]) - f8_load(b->max[i]));
        near &= f8_at_most(apart, reach);
        close &= f8_at_most(apart, f8_all(0));
        facing += f8_all(a->normal[i][lane]) * f8_load(b->normal[i]);
    }
    near &= close | (facing < f8_all(PLANES_FACING_SOON));
    if (!i8_bits(near)) return 0;
    for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
            near &= i8_differ(i8_all((int32_t)pa->corners[k][lane]), i8_load((const int32_t*)pb->corners[l]));
    if (pa->crossing[lane]) near &= ~i8_load(pb->crossing);
    uint32_t bits = i8_bits(near);
    if (first == second) bits &= ~1u << lane; // each pair once
    return fresh[first] >> lane & 1 ? bits : bits & fresh[second];
}

uint32_t SUP_WIDE(sup_planes_sift)(const planes_run* r, uint32_t begin, uint32_t end, planes_pair* out)
{
    candidates s = { .count = 0 };
    uint32_t   count = 0;
    for (uint32_t at = begin; at < end; ++at) {
        uint32_t             first = r->m.couples[2 * (size_t)at], second = r->m.couples[2 * (size_t)at + 1];
        const planes_bounds* a = &r->m.bounds[first];
        const planes_box*    box = &r->m.nodes[r->p->leaf_count + second];
        i8                   touching = i8_all(-1);
        for (int i = 0; i < 3; ++i)
            touching &= f8_at_most(f8_load(a->min[i]) - f8_load(a->reach), f8_all(box->max[i])) &
                        f8_at_most(f8_all(box->min[i]), f8_load(a->max[i]) + f8_load(a->reach));
        for (uint32_t lanes = i8_bits(touching); lanes; lanes &= lanes - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(lanes);
            for (uint32_t bits = near_lanes(r, first, second, lane); bits; bits &= bits - 1) {
                s.a[s.count] = first * PLANES_PACK + lane;
                s.b[s.count++] = second * PLANES_PACK + (uint32_t)__builtin_ctz(bits);
                if (s.count == SUP_LANES) count += sift_out(r, &s, out + count);
            }
        }
    }
    return s.count ? count + sift_out(r, &s, out + count) : count;
}

// ---------------------------------------------------------------------------------------------- eight pairs

/// How far the first triangles lie beyond the second.
INLINE f8 gap_of(const float* x, uint32_t corners[6][SUP_LANES], const f8 n[3])
{
    f8 v[4], p, q;
    f8_gather4(x, corners[0], v);
    p = dot8(v, n);
    for (int k = 1; k < 3; ++k) f8_gather4(x, corners[k], v), p = f8_min(p, dot8(v, n));
    f8_gather4(x, corners[3], v);
    q = dot8(v, n);
    for (int k = 4; k < 6; ++k) f8_gather4(x, corners[k], v), q = f8_max(q, dot8(v, n));
    return p - q;
}

INLINE bool is_stirred(const planes_run* r, uint32_t corners[6][SUP_LANES])
{
    uint32_t any = 0;
    for (int k = 0; k < 6; ++k)
        for (uint32_t lane = 0; lane < SUP_LANES; ++lane) any |= r->m.stirred[corners[k][lane]];
    return any;
}

/// Corners of all pairs of a block, and the gaps they keep.
INLINE f8 corners_of(const planes_run* r, const planes_block* b, uint32_t corners[6][SUP_LANES])
{
    float gap[SUP_LANES];
    for (uint32_t k = 0; k < SUP_LANES; ++k) {
        uint32_t one[6];
        planes_corners(r->p, b->a[k], b->b[k], one);
        for (int c = 0; c < 6; ++c) corners[c][k] = one[c];
        gap[k] = planes_gap(r->p, b->a[k], b->b[k]);
    }
    return f8_load(gap);
}

INLINE void axis_of(const planes_block* b, f8 n[3])
{
    typedef int16_t s8 __attribute__((vector_size(16)));
    for (int i = 0; i < 3; ++i) {
        s8 whole;
        memcpy(&whole, b->axis[i], sizeof whole);
        n[i] = __builtin_convertvector(whole, f8) * f8_all(1 / PLANES_AXIS);
    }
}

void SUP_WIDE(sup_planes_test)(const planes_run* r, uint32_t begin, uint32_t end)
{
    for (uint32_t k = begin; k < end; ++k) {
        const planes_block* b = &r->m.blocks[k];
        uint32_t            corners[6][SUP_LANES], real = r->m.header->pair_count - SUP_LANES * k;
        f8                  n[3], zero = f8_all(0), gap = corners_of(r, b, corners);
        r->m.doubtful[k] = 0;
        if (r->final && !is_stirred(r, corners)) continue; // unchanged since the last test
        axis_of(b, n);
        f8       before = gap_of(&r->from->x, corners, n), after = gap_of(&r->x->x, corners, n);
        i8       apart = (before > zero) & (after > zero) & (after >= (r->final ? zero : gap));
        uint32_t bits = ~i8_bits(apart) & 0xff;
        if (real < SUP_LANES) bits &= (1u << real) - 1;
        r->m.doubtful[k] = (uint8_t)(bits & ~(uint32_t)(r->m.planar[k] | r->m.dead[k]));
    }
}

// ---------------------------------------------------------------------------------------------- points

float SUP_WIDE(sup_planes_stray)(const planes_run* r, uint32_t begin, uint32_t end)
{
    f8 most = f8_all(0), passed = f8_all(r->passed);
    for (uint32_t i = begin; i < end; i += SUP_LANES) {
        f8 x[4], from[4], way[4], square = f8_all(0);
        f8_load4(&r->x[i].x, x);
        f8_load4(&r->m.begin[i].x, from);
        f8_load4(&r->m.way[i].x, way);
        for (int c = 0; c < 3; ++c) {
            f8 off = x[c] - (from[c] + passed * way[c]);
            square += off * off;
        }
        f8 over = square - way[3];
        most = f8_max(f8_select(over == over, over, f8_all(0)), most);
    }
    float worst = 0;
    for (int i = 0; i < SUP_LANES; ++i) worst = most[i] > worst ? most[i] : worst;
    return worst;
}

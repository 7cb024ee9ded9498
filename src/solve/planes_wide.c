// Planes in lanes: packs of triangles on their way, one triangle against eight, eight pairs against their directions.
#include "solve/planes_internal.h"

#define INLINE static inline __attribute__((always_inline))

INLINE f8 dot8(const f8 a[3], const f8 b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

INLINE void cross8(const f8 a[3], const f8 b[3], f8 out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// ---------------------------------------------------------------------------------------------- packs

void SUP_WIDE(sup_planes_measure)(const planes_run* r, uint32_t begin, uint32_t end)
{
    const float *x = &r->m.begin->x, *ways = &r->m.way->x;
    const float  shift[3] = { r->shift.x, r->shift.y, r->shift.z };
    f8           ahead = f8_all(r->ahead), huge = f8_all(__builtin_inff());
    for (uint32_t k = begin; k < end; ++k) {
        const planes_pack* pack = &r->p->packs[k];
        planes_way*        out = &r->m.ways[k];
        f8                 from[3][4], way[3][4], to[3][3], unit = f8_load(pack->unit), stray = f8_all(PLANES_STRAY) * unit;
        for (int c = 0; c < 3; ++c) f8_gather4(x, pack->corners[c], from[c]), f8_gather4(ways, pack->corners[c], way[c]);
        f8 finite = f8_all(0);
        for (int i = 0; i < 3; ++i) {
            f8 low = huge, high = -huge;
            for (int c = 0; c < 3; ++c) {
                to[c][i] = from[c][i] + ahead * way[c][i];
                from[c][i] += ahead * f8_all(shift[i]);
                low = f8_min(low, f8_min(from[c][i], to[c][i]));
                high = f8_max(high, f8_max(from[c][i], to[c][i]));
                finite += f8_all(0) * (from[c][i] + to[c][i]);
                f8_store(out->from[c][i], from[c][i]);
                f8_store(out->to[c][i], to[c][i]);
            }
            f8_store(out->min[i], low - stray);
            f8_store(out->max[i], high + stray);
        }
        i8 real = (unit >= f8_all(0)) & (finite == f8_all(0));
        f8 e[3], f[3], n[3];
        for (int i = 0; i < 3; ++i) {
            f8_store(out->min[i], f8_select(real, f8_load(out->min[i]), huge));
            f8_store(out->max[i], f8_select(real, f8_load(out->max[i]), -huge));
            e[i] = to[1][i] - to[0][i];
            f[i] = to[2][i] - to[0][i];
        }
        cross8(e, f, n);
        f8 square = dot8(n, n), inverse = f8_all(1) / f8_sqrt(f8_select(square > f8_all(0), square, f8_all(1)));
        for (int i = 0; i < 3; ++i) f8_store(out->normal[i], n[i] * inverse);
        f8_store(out->stray, stray);
    }
}

// ---------------------------------------------------------------------------------------------- one against eight

typedef struct couple8 {
    f8 a[2][3][3], b[2][3][3]; // at both ends: corner, axis
} couple8;

/// How far the first lies beyond the second along a direction, at least, at either end.
INLINE f8 least_gap(const couple8* c, const f8 n[3])
{
    f8 least = f8_all(__builtin_inff());
    for (int e = 0; e < 2; ++e) {
        f8 p = dot8(c->a[e][0], n), q = dot8(c->b[e][0], n);
        for (int k = 1; k < 3; ++k) p = f8_min(p, dot8(c->a[e][k], n)), q = f8_max(q, dot8(c->b[e][k], n));
        least = f8_min(least, p - q);
    }
    return least;
}

/// A direction and its opposite, if they are better than the best so far.
INLINE void try_axis(const couple8* c, const f8 n[3], f8* best, f8 axis[3])
{
    f8 back[3] = { -n[0], -n[1], -n[2] }, gap = least_gap(c, n), other = least_gap(c, back);
    i8 better = gap > *best;
    for (int i = 0; i < 3; ++i) axis[i] = f8_select(better, n[i], axis[i]);
    *best = f8_select(better, gap, *best);
    better = other > *best;
    for (int i = 0; i < 3; ++i) axis[i] = f8_select(better, back[i], axis[i]);
    *best = f8_select(better, other, *best);
}

/// One lane of a, and which lanes of b are left.
INLINE i8 part(const planes_way* a, const planes_way* b, uint32_t lane, i8 near, f8 axis[3])
{
    couple8 c;
    f8      n[3], best = f8_all(-__builtin_inff()), stray = f8_all(a->stray[lane]) + f8_load(b->stray);
    for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 3; ++i) {
            c.a[0][k][i] = f8_all(a->from[k][i][lane]), c.a[1][k][i] = f8_all(a->to[k][i][lane]);
            c.b[0][k][i] = f8_load(b->from[k][i]), c.b[1][k][i] = f8_load(b->to[k][i]);
        }
    for (int i = 0; i < 3; ++i) { // from middle to middle
        f8 p = c.a[0][0][i] + c.a[0][1][i] + c.a[0][2][i] + c.a[1][0][i] + c.a[1][1][i] + c.a[1][2][i];
        f8 q = c.b[0][0][i] + c.b[0][1][i] + c.b[0][2][i] + c.b[1][0][i] + c.b[1][1][i] + c.b[1][2][i];
        n[i] = p - q;
    }
    f8 square = dot8(n, n), inverse = f8_all(1) / f8_sqrt(f8_select(square > f8_all(0), square, f8_all(1)));
    for (int i = 0; i < 3; ++i) axis[i] = n[i] *= inverse;
    best = least_gap(&c, n);
    near &= ~(best > stray);
    if (!i8_bits(near)) return near;
    for (int i = 0; i < 3; ++i) n[i] = f8_all(a->normal[i][lane]);
    try_axis(&c, n, &best, axis);
    for (int i = 0; i < 3; ++i) n[i] = f8_load(b->normal[i]);
    try_axis(&c, n, &best, axis);
    return near & ~(best > stray);
}

uint32_t SUP_WIDE(sup_planes_sift)(const planes_run* r, uint32_t first, uint32_t second, planes_pair* out)
{
    const planes_way * a = &r->m.ways[first], *b = &r->m.ways[second];
    const planes_pack *pa = &r->p->packs[first], *pb = &r->p->packs[second];
    const planes_box*  box = &r->m.nodes[r->p->pack_count + second];
    uint32_t           count = 0, lanes = 0;
    i8                 touching = i8_all(-1);
    for (int i = 0; i < 3; ++i)
        touching &= (f8_load(a->min[i]) <= f8_all(box->max[i])) & (f8_all(box->min[i]) <= f8_load(a->max[i]));
    for (lanes = i8_bits(touching); lanes; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        i8       near = i8_all(-1);
        f8       axis[3];
        for (int i = 0; i < 3; ++i)
            near &= (f8_all(a->min[i][lane]) <= f8_load(b->max[i])) & (f8_load(b->min[i]) <= f8_all(a->max[i][lane]));
        if (!i8_bits(near)) continue;
        for (int k = 0; k < 3; ++k)
            for (int l = 0; l < 3; ++l)
                near &= i8_all((int32_t)pa->corners[k][lane]) != i8_load((const int32_t*)pb->corners[l]);
        if (pa->crossing[lane]) near &= ~i8_load(pb->crossing);
        if (first == second) near &= (i8){ 0, 1, 2, 3, 4, 5, 6, 7 } > i8_all((int32_t)lane); // each pair once
        if (!i8_bits(near)) continue;
        for (uint32_t bits = i8_bits(part(a, b, lane, near, axis)); bits; bits &= bits - 1) {
            uint32_t k = (uint32_t)__builtin_ctz(bits);
            out[count++] =
                (planes_pair){ first * PLANES_PACK + lane, second * PLANES_PACK + k, { axis[0][k], axis[1][k], axis[2][k] } };
        }
    }
    return count;
}

// ---------------------------------------------------------------------------------------------- eight pairs

/// How far the first triangles lie beyond the second ones.
INLINE f8 gap_of(const float* x, const planes_block* b, const f8 n[3])
{
    f8 v[4], p, q;
    f8_gather4(x, b->corners[0], v);
    p = dot8(v, n);
    for (int k = 1; k < 3; ++k) f8_gather4(x, b->corners[k], v), p = f8_min(p, dot8(v, n));
    f8_gather4(x, b->corners[3], v);
    q = dot8(v, n);
    for (int k = 4; k < 6; ++k) f8_gather4(x, b->corners[k], v), q = f8_max(q, dot8(v, n));
    return p - q;
}

void SUP_WIDE(sup_planes_test)(const planes_run* r, uint32_t begin, uint32_t end)
{
    for (uint32_t k = begin; k < end; ++k) {
        const planes_block* b = &r->m.blocks[k];
        f8                  n[3] = { f8_load(b->axis[0]), f8_load(b->axis[1]), f8_load(b->axis[2]) }, zero = f8_all(0);
        f8                  before = gap_of(&r->from->x, b, n), after = gap_of(&r->x->x, b, n);
        i8                  apart = (before > zero) & (after > zero);
        if (!r->final) apart &= after >= f8_load(b->gap);
        r->m.doubtful[k] = (uint8_t)~i8_bits(apart);
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

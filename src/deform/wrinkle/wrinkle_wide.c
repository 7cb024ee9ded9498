// The inner loops of folds: strain to slopes a register of points at a time, then slopes to displacements.
#include "deform/wrinkle/wrinkle.h"

#define INLINE static inline __attribute__((always_inline))

typedef struct vr {
    fr x, y, z;
} vr;

// No skin folds steeper than this: lost squared length of 0.51, compression by 30 %. What is pressed further slides into a
// crease and lies on itself, where a fold would only reach through it: folds are gone at 50 %.
#define LOST_MAX 0.51f
#define LOST_GONE 0.75f

// An amplitude is at most so many mean radii of curvature of the surface it stands on. Folds are cut in, and below a bulge the
// normals converge: flanks would cross there. In a hollow they part.
#define HEIGHT_PER_RADIUS 0.1f
#define HEIGHT_PER_HOLLOW 0.35f

INLINE fr fr_max0(fr x) { return fr_select(x > fr_all(0.0f), x, fr_all(0.0f)); }
INLINE fr fr_least(fr a, fr b) { return fr_select(a < b, a, b); }
INLINE fr dot(vr a, vr b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// Share of the lost squared length that goes into folds. The height of a fold that makes up for all of it begins like a square
// root: a fold would jump up at the first touch. So heights rise straight from 0 at low to what they should be at high.
INLINE fr share_of(fr lost, float low, float high)
{
    fr t = (lost - fr_all(low)) * fr_all(1.0f / (high - low));
    t = fr_least(fr_max0(t), fr_all(1.0f));
    return fr_select(lost < fr_all(high), fr_all(high) * t * t / (lost + fr_all(1e-12f)), fr_all(1.0f));
}

// Square of the steepest slope of a sinusoid whose length makes up for a lost squared length d: the mean of
// sqrt(1 - d + a^2 cos^2) is 1. a^2 = 2 d to first order; the polynomial is within 0.1 % of the elliptic integral up to d =
// 0.8.
INLINE fr slope_square(fr d)
{
    fr more = fr_all(0.125f) + d * (fr_all(0.027f) + d * fr_all(0.044f));
    return fr_all(2.0f) * d * (fr_all(1.0f) + d * more);
}

// The points of four (or eight) lanes, each in one load, turned into coordinates.
#if SUP_REGISTER == 8
INLINE fr pair(wrinkle_f4 low, wrinkle_f4 high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7); }
INLINE vr load_lanes(const wrinkle_f4* p, const uint32_t* i)
{
    fr r0 = pair(p[i[0]], p[i[4]]), r1 = pair(p[i[1]], p[i[5]]), r2 = pair(p[i[2]], p[i[6]]), r3 = pair(p[i[3]], p[i[7]]);
    fr a = __builtin_shufflevector(r0, r1, 0, 8, 1, 9, 4, 12, 5, 13),
       b = __builtin_shufflevector(r2, r3, 0, 8, 1, 9, 4, 12, 5, 13);
    fr c = __builtin_shufflevector(r0, r1, 2, 10, 3, 11, 6, 14, 7, 15);
    fr d = __builtin_shufflevector(r2, r3, 2, 10, 3, 11, 6, 14, 7, 15);
    return (vr){ __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13),
                 __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15),
                 __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13) };
}
#else
INLINE vr load_lanes(const wrinkle_f4* p, const uint32_t* i)
{
    fr r0 = p[i[0]], r1 = p[i[1]], r2 = p[i[2]], r3 = p[i[3]];
    fr a = __builtin_shufflevector(r0, r1, 0, 4, 1, 5), b = __builtin_shufflevector(r2, r3, 0, 4, 1, 5);
    fr c = __builtin_shufflevector(r0, r1, 2, 6, 3, 7), d = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
    return (vr){ __builtin_shufflevector(a, b, 0, 1, 4, 5), __builtin_shufflevector(a, b, 2, 3, 6, 7),
                 __builtin_shufflevector(c, d, 0, 1, 4, 5) };
}
#endif

typedef struct sums {
    vr a, b, l; // tangents, and the sum of edges
    fr squares; // of their lengths
} sums;

INLINE sums gather(const wrinkle_job* job, vr p, uint32_t group, uint32_t lane)
{
    const wrinkle_surface* s = job->surface;
    fr                     zero = fr_all(0.0f);
    sums                   t = { { zero, zero, zero }, { zero, zero, zero }, { zero, zero, zero }, zero };
    for (uint32_t r = 0; r < WRINKLE_ROWS; ++r) {
        size_t at = ((size_t)group * WRINKLE_ROWS + r) * WRINKLE_LANES + lane;
        vr     q = load_lanes(job->spread, s->index + at), e = { q.x - p.x, q.y - p.y, q.z - p.z };
        fr     g = fr_load(s->first + at), h = fr_load(s->second + at);
        t.a.x += g * e.x, t.a.y += g * e.y, t.a.z += g * e.z;
        t.b.x += h * e.x, t.b.y += h * e.y, t.b.z += h * e.z;
        t.l.x += e.x, t.l.y += e.y, t.l.z += e.z;
        t.squares += dot(e, e);
    }
    return t;
}

typedef struct split {
    fr of[WRINKLE_FAMILIES];
} split;

// Positive part of the strain, shared out to the families: a compression of any direction is a sum of at most three of the
// four, with factors that change continuously as it turns.
INLINE split share_out(const wrinkle_job* job, fr xx, fr xy, fr yy)
{
    fr zero = fr_all(0.0f), half = fr_all(0.5f);
    fr mean = half * (xx + yy), q = half * (xx - yy), r = fr_sqrt(q * q + xy * xy);
    fr high = fr_max0(mean + r), low = fr_max0(mean - r);
    // At r = 0 the direction does not matter, because q and xy are 0 as well.
    fr turn = half * (high - low) / (r + fr_all(1e-12f));
    fr left = fr_least(fr_max0((fr_all(LOST_GONE) - high) * fr_all(1.0f / (LOST_GONE - LOST_MAX))), fr_all(1.0f));
    fr most = fr_least(fr_all(LOST_MAX) / (high + fr_all(1e-12f)), fr_all(1.0f));
    fr size = share_of(high, job->low, job->high) * most * left * left; // amplitudes go as its root
    fr px = half * (high + low) + turn * q, py = half * (high + low) - turn * q, pxy = turn * xy, c = fr_abs(pxy);
    fr first = fr_max0(px - c), third = fr_max0(py - c), diagonal = c + c;
    fr whole = (px + py) * size / (first + third + diagonal + fr_all(1e-12f));
    return (split){ { first * whole, fr_select(pxy > zero, diagonal, zero) * whole, third * whole,
                      fr_select(pxy > zero, zero, diagonal) * whole } };
}

// Creases that stay; tension along a family pulls them flat.
INLINE void remember(const wrinkle_job* job, uint32_t at, fr xx, fr xy, fr yy, split* d)
{
    fr along[WRINKLE_FAMILIES] = { xx, fr_all(0.5f) * (xx + yy) + xy, yy, fr_all(0.5f) * (xx + yy) - xy };
    for (int k = 0; k < WRINKLE_FAMILIES; ++k) {
        float kept[SUP_REGISTER];
        for (uint32_t i = 0; i < SUP_REGISTER; ++i) {
            uint32_t point = at + i < job->surface->point_count ? at + i : job->surface->point_count - 1;
            kept[i] = job->surface->memory[point][k] * (job->creases ? job->creases[point] : job->crease);
        }
        fr pulled = along[k] - fr_max0(along[k]);
        d->of[k] += fr_max0(fr_load(kept) + pulled);
    }
}

// Whether any lane has something to fold.
INLINE bool any_over(fr x, float least)
{
    float v[SUP_REGISTER];
    bool  any = false;
    fr_store(v, x);
    for (int i = 0; i < SUP_REGISTER; ++i) any |= v[i] > least;
    return any;
}

INLINE void measure_lanes(const wrinkle_job* job, uint32_t group, uint32_t lane)
{
    const wrinkle_surface* s = job->surface;
    uint32_t               at = group * WRINKLE_LANES + lane, own[SUP_REGISTER];
    if (at >= s->point_count) return;
    for (uint32_t i = 0; i < SUP_REGISTER; ++i) own[i] = at + i < s->point_count ? at + i : s->point_count - 1;
    fr   zero = fr_all(0.0f), one = fr_all(1.0f), unscale = fr_all(job->unscale);
    vr   p = load_lanes(job->spread, own);
    sums t = gather(job, p, group, lane);
    fr   xx = one - unscale * dot(t.a, t.a), xy = zero - unscale * dot(t.a, t.b), yy = one - unscale * dot(t.b, t.b);
    vr   n = { t.a.y * t.b.z - t.a.z * t.b.y, t.a.z * t.b.x - t.a.x * t.b.z, t.a.x * t.b.y - t.a.y * t.b.x };
    fr   area = fr_sqrt(dot(n, n)), flip = one / (area + fr_all(1e-30f));
    n = (vr){ n.x * flip, n.y * flip, n.z * flip };
    float normal[3][SUP_REGISTER];
    fr_store(normal[0], n.x), fr_store(normal[1], n.y), fr_store(normal[2], n.z);
    for (uint32_t i = 0; i < SUP_REGISTER && at + i < s->point_count; ++i)
        job->out[at + i] = (sup_vec3){ normal[0][i], normal[1][i], normal[2][i] };

    split d = share_out(job, xx, xy, yy);
    if (job->creases || job->crease > 0.0f) remember(job, at, xx, xy, yy, &d);
    fr whole = (d.of[0] + d.of[1]) + (d.of[2] + d.of[3]);
    if (!any_over(whole, 0.0f)) {
        for (uint32_t i = 0; i < SUP_REGISTER && at + i < s->point_count; ++i) job->slopes[at + i] = (wrinkle_f4){ 0, 0, 0, 0 };
        return;
    }

    // Neighbors lie on a parabola of this curvature above the tangent plane, or below it where the surface is hollow.
    fr bent = dot(n, t.l) * fr_all(2.0f) / (t.squares + fr_all(1e-30f));
    fr curvature = fr_select(bent > zero, bent * fr_all(1.0f / HEIGHT_PER_HOLLOW), bent * fr_all(1.0f / HEIGHT_PER_RADIUS));
    fr squares = zero, a[WRINKLE_FAMILIES];
    for (int k = 0; k < WRINKLE_FAMILIES; ++k) {
        fr square = slope_square(d.of[k]);
        squares += square;
        a[k] = fr_sqrt(square);
    }
    fr height = fr_load(s->reach + at) * curvature;
    fr bound = one / fr_sqrt(one + squares * height * height);
    // Where anything is not a number, nothing folds: comparisons are false.
    ir    sound = (area > zero) & (squares < fr_all(1e6f)) & (bound <= one);
    float stored[WRINKLE_FAMILIES][SUP_REGISTER];
    for (int k = 0; k < WRINKLE_FAMILIES; ++k) fr_store(stored[k], fr_select(sound, a[k] * bound, zero));
    for (uint32_t i = 0; i < SUP_REGISTER && at + i < s->point_count; ++i) {
        float strength = job->strengths ? job->strengths[at + i] : job->strength;
        job->slopes[at + i] =
            (wrinkle_f4){ stored[0][i] * strength, stored[1][i] * strength, stored[2][i] * strength, stored[3][i] * strength };
    }
}

void SUP_WIDE(sup_wrinkle_spread)(const wrinkle_job* job, uint32_t begin, uint32_t end)
{
    uint32_t last = end * WRINKLE_LANES < job->surface->point_count ? end * WRINKLE_LANES : job->surface->point_count;
    for (uint32_t i = begin * WRINKLE_LANES; i < last; ++i)
        job->spread[i] = (wrinkle_f4){ job->points[i].x, job->points[i].y, job->points[i].z, 0 };
}

void SUP_WIDE(sup_wrinkle_measure)(const wrinkle_job* job, uint32_t begin, uint32_t end)
{
    const wrinkle_surface* s = job->surface;
    for (uint32_t g = begin; g < end; ++g) {
        if (s->active[g]) {
            for (uint32_t lane = 0; lane < WRINKLE_LANES; lane += SUP_REGISTER) measure_lanes(job, g, lane);
            continue;
        }
        uint32_t first = g * WRINKLE_LANES,
                 last = first + WRINKLE_LANES < s->point_count ? first + WRINKLE_LANES : s->point_count;
        for (uint32_t i = first; i < last; ++i) job->slopes[i] = (wrinkle_f4){ 0, 0, 0, 0 };
    }
}

void SUP_WIDE(sup_wrinkle_fold)(const wrinkle_job* job, uint32_t begin, uint32_t end)
{
    const wrinkle_surface* s = job->surface;
    for (uint32_t g = begin; g < end; ++g) {
        uint32_t first = g * WRINKLE_LANES,
                 last = first + WRINKLE_LANES < s->point_count ? first + WRINKLE_LANES : s->point_count;
        for (uint32_t i = first; i < last; ++i) {
            if (!s->active[g] || s->reach[i] == 0.0f) {
                job->out[i] = job->points[i];
                continue;
            }
            const uint32_t* index = s->index + (size_t)g * WRINKLE_ROWS * WRINKLE_LANES + (i - first);
            wrinkle_f4      sum = { 0, 0, 0, 0 };
            for (uint32_t k = 0; k < WRINKLE_ROWS; k += 2) sum += job->slopes[index[k * WRINKLE_LANES]]; // thirds of a turn
            const float share = 0.5f / (WRINKLE_ROWS / 2);
            wrinkle_f4  slope =
                job->slopes[i] * (wrinkle_f4){ 0.5f, 0.5f, 0.5f, 0.5f } + sum * (wrinkle_f4){ share, share, share, share };
            wrinkle_f4 h = slope * s->waves[i];
            float      height = (h[0] + h[1]) + (h[2] + h[3]);
            sup_vec3   p = job->points[i], n = job->out[i];
            if (height == 0.0f) job->out[i] = p;
            else job->out[i] = (sup_vec3){ p.x + height * n.x, p.y + height * n.y, p.z + height * n.z };
        }
    }
}

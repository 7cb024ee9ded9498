// The inner loops of folds: from strain to slopes one register of points at a time, then from slopes to displacements.
#include "deform/wrinkle/wrinkle.h"

#define INLINE static inline __attribute__((always_inline))

typedef struct vr {
    fr x, y, z;
} vr;

// Skin that has lost most of its length is about to lie on itself, and skinning that collapses a joint then turns it inside
// out. No fold is steeper than a share of WRINKLE_STEEPEST that falls from the first number, the part of the length that is
// left, to the third: folds are gone before skin can cross the skin beside it. Where joints press fast it falls from farther
// up, by the second number x what folds rise over and at least over all of that, so that it falls no faster than they rose.
#define LEFT_FULL 0.7f
#define LEFT_RISE 0.5f
#define LEFT_NONE 0.3f

// Compression of the steepest fold: 1 - (1 - 0.3)^2 is WRINKLE_LOST_MAX.
#define PRESSED_MOST 0.3f
// The share that folds of the smaller compression minus half of the larger.
#define LESSER 0.6667f
// Added to divisors; far below any strain or length by which float points differ at all, so no divisor is 0.
#define NO_STRAIN 1e-12f
#define NO_LENGTH 1e-30f
// Larger slopes belong to points that have gone astray.
#define STEEP_SOUND 1e3f

INLINE fr fr_max0(fr x) { return fr_select(x > fr_all(0.0f), x, fr_all(0.0f)); }
INLINE fr fr_least(fr a, fr b) { return fr_select(a < b, a, b); }
INLINE fr dot(vr a, vr b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// Square of the steepest slope of a sinusoid whose arc length makes up for a lost squared length d: the mean of sqrt(1 - d +
// a^2 cos^2) is 1. a^2 = 2 d to first order; the polynomial is within 0.1 % of the elliptic integral up to d = 0.8.
INLINE fr slope_square(fr d)
{
    fr more = fr_all(0.125f) + d * (fr_all(0.027f) + d * fr_all(0.044f));
    return fr_all(2.0f) * d * (fr_all(1.0f) + d * more);
}

// The squared slope of folds where `lost` is lost. A fold that makes up for all of it begins like a square root: it would jump
// up at the first touch. So slopes rise linearly from the threshold to their full value `rise` further on, and never faster.
INLINE fr slopes_of(fr lost, float threshold, fr rise)
{
    fr one = fr_all(1.0f), pressed = one - fr_sqrt(fr_max0(one - lost));
    fr whole = fr_least(fr_all(threshold) + rise, fr_all(PRESSED_MOST)), t = fr_max0(pressed - fr_all(threshold)) / rise;
    fr allowed = slope_square(whole * (fr_all(2.0f) - whole)) * t * t;
    return fr_least(allowed, slope_square(fr_least(lost, fr_all(WRINKLE_LOST_MAX))));
}

// The points of four (or eight) lanes, one load each, transposed to coordinates.
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
    vr a, b; // tangents
} sums;

INLINE sums gather(const wrinkle_job* job, vr p, uint32_t group, uint32_t lane)
{
    const wrinkle_surface* s = job->surface;
    fr                     zero = fr_all(0.0f);
    sums                   t = { { zero, zero, zero }, { zero, zero, zero } };
    for (uint32_t r = 0; r < WRINKLE_ROWS; ++r) {
        size_t at = ((size_t)group * WRINKLE_ROWS + r) * WRINKLE_LANES + lane;
        vr     q = load_lanes(job->spread, s->index + at), e = { q.x - p.x, q.y - p.y, q.z - p.z };
        fr     g = fr_load(s->first + at), h = fr_load(s->second + at);
        t.a.x += g * e.x, t.a.y += g * e.y, t.a.z += g * e.z;
        t.b.x += h * e.x, t.b.y += h * e.y, t.b.z += h * e.z;
    }
    return t;
}

// The missing squared length, and its principal values.
typedef struct strain {
    fr xx, xy, yy;
    fr mean, apart; // the principal values are mean + apart and mean - apart
} strain;

INLINE strain strain_of(const wrinkle_job* job, const sums* t)
{
    fr     one = fr_all(1.0f), half = fr_all(0.5f), unscale = fr_all(job->unscale);
    strain e = { one - unscale * dot(t->a, t->a), fr_all(0.0f) - unscale * dot(t->a, t->b), one - unscale * dot(t->b, t->b),
                 fr_all(0.0f), fr_all(0.0f) };
    fr     q = half * (e.xx - e.yy);
    e.mean = half * (e.xx + e.yy);
    e.apart = fr_sqrt(q * q + e.xy * e.xy);
    return e;
}

// Squares of the steepest slopes.
typedef struct split {
    fr of[WRINKLE_FAMILIES];
} split;

// Positive part of the strain, shared out to the families. A compression turned by t against the first one goes into two, with
// slopes as cos 2 t and sin 2 t: those change evenly as it turns, while the slopes of shares of the lost length would jump up
// like square roots. What is pressed alike in all directions goes into the first. Folds both ways would be an egg crate, which
// skin never is: the lesser compression folds by what it has beyond half of the greater one, and two thirds of that, so that it
// changes no faster than both.
INLINE split share_out(float threshold, fr rise, const strain* e)
{
    fr one = fr_all(1.0f), half = fr_all(0.5f), zero = fr_all(0.0f);
    fr high = fr_max0(e->mean + e->apart), low = fr_max0(e->mean - e->apart);
    fr scale = one / (e->apart + low + fr_all(NO_STRAIN)), one_way = e->apart * scale, all_ways = one - one_way;
    fr even = all_ways * all_ways, whole = one / (one_way * one_way + even);
    fr beyond = fr_all(LESSER) * fr_max0(low - half * high);
    fr h = slopes_of(high, threshold, rise) * whole, l = slopes_of(beyond, threshold, rise) * whole;
    fr q = half * (e->xx - e->yy) * scale, x = e->xy * scale;
    fr first = fr_select(q > zero, q * q, zero), third = fr_select(q > zero, zero, q * q);
    fr second = fr_select(x > zero, x * x, zero), fourth = fr_select(x > zero, zero, x * x);
    return (split){ { h * (first + even) + l * third, h * second + l * fourth, h * third + l * (first + even),
                      h * fourth + l * second } };
}

// Creases remain where no fold is deeper; tension along a family pulls them flat.
INLINE void remember(const wrinkle_job* job, uint32_t at, const strain* e, split* d)
{
    fr along[WRINKLE_FAMILIES] = { e->xx, e->mean + e->xy, e->yy, e->mean - e->xy };
    for (int k = 0; k < WRINKLE_FAMILIES; ++k) {
        float kept[SUP_REGISTER];
        for (uint32_t i = 0; i < SUP_REGISTER; ++i) {
            uint32_t point = at + i < job->surface->point_count ? at + i : job->surface->point_count - 1;
            kept[i] = job->surface->memory[point][k] * (job->creases ? job->creases[point] : job->crease);
        }
        fr stays = fr_load(kept), pulled = along[k] - fr_max0(along[k]);
        fr flat = fr_max0(fr_all(1.0f) + pulled / (stays + fr_all(NO_STRAIN)));
        fr square = slope_square(stays) * flat * flat;
        d->of[k] = fr_select(square > d->of[k], square, d->of[k]);
    }
}

// The normals that the two strongest joints alone would give.
INLINE vr bone_normals(const wrinkle_job* job, uint32_t at)
{
    const wrinkle_surface* s = job->surface;
    float                  blend[3][SUP_REGISTER];
    for (uint32_t lane = 0; lane < SUP_REGISTER; ++lane) {
        const wrinkle_carrier* c = &s->carriers[at + lane < s->point_count ? at + lane : s->point_count - 1];
        const float(*a)[4] = job->skin[c->joints[0]].m, (*b)[4] = job->skin[c->joints[1]].m;
        for (int k = 0; k < 3; ++k) {
            float first = a[k][0] * c->normal.x + a[k][1] * c->normal.y + a[k][2] * c->normal.z;
            float second = b[k][0] * c->normal.x + b[k][1] * c->normal.y + b[k][2] * c->normal.z;
            blend[k][lane] = second + c->first * (first - second);
        }
    }
    vr n = { fr_load(blend[0]), fr_load(blend[1]), fr_load(blend[2]) };
    fr shrink = fr_all(1.0f) / (fr_sqrt(dot(n, n)) + fr_all(NO_LENGTH));
    return (vr){ n.x * shrink, n.y * shrink, n.z * shrink };
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

// Where less than this share of the area is left, the normal swings fast: there the bones' normal gradually takes over.
#define NORMAL_TRUSTED 0.6f

// Determines the normal. Returns how steep folds may be, as a share of the steepest.
INLINE fr settle(vr bones, const strain* e, fr rise, vr* n)
{
    fr across = fr_sqrt(fr_max0(fr_all(1.0f) - (e->mean - e->apart))) + fr_all(NO_STRAIN);
    fr left = dot(*n, bones) / across, more = fr_all(0.5f) * fr_max0(fr_all(NORMAL_TRUSTED) - fr_sqrt(dot(*n, *n)));
    *n = (vr){ n->x + more * bones.x, n->y + more * bones.y, n->z + more * bones.z };
    fr range = fr_all(LEFT_FULL - LEFT_NONE) + fr_all(LEFT_RISE) * rise;
    range = fr_select(range > rise, range, rise);
    return fr_least(fr_max0((left - fr_all(LEFT_NONE)) / range), fr_all(1.0f));
}

// Folds vanish at the compression at which skin was seen to cross other skin, and fall no faster than they rise.
INLINE fr before_contact(const wrinkle_surface* s, uint32_t at, const strain* e, fr rise)
{
    fr pressed = fr_all(1.0f) - fr_sqrt(fr_max0(fr_all(1.0f) - (e->mean + e->apart)));
    return fr_max0(fr_load(s->limits + at) - pressed) / rise;
}

INLINE void copy_points(const wrinkle_job* job, uint32_t at, uint32_t count)
{
    uint32_t last = at + count < job->surface->point_count ? at + count : job->surface->point_count;
    for (uint32_t i = at; i < last; ++i) {
        if (job->slopes) job->slopes[i] = (wrinkle_f4){ 0, 0, 0, 0 };
        else job->out[i] = job->points[i];
    }
}

INLINE void put_slopes(const wrinkle_job* job, uint32_t at, const fr a[WRINKLE_FAMILIES])
{
    float stored[WRINKLE_FAMILIES][SUP_REGISTER];
    for (int k = 0; k < WRINKLE_FAMILIES; ++k) fr_store(stored[k], a[k]);
    for (uint32_t i = 0; i < SUP_REGISTER && at + i < job->surface->point_count; ++i)
        job->slopes[at + i] = (wrinkle_f4){ stored[0][i], stored[1][i], stored[2][i], stored[3][i] };
}

INLINE void put_points(const wrinkle_job* job, uint32_t at, vr p, vr n, fr height)
{
    fr    far = height / (fr_sqrt(dot(n, n)) + fr_all(NO_LENGTH)), zero = fr_all(0.0f);
    float x[SUP_REGISTER], y[SUP_REGISTER], z[SUP_REGISTER];
    ir    folded = (height > zero) | (height < zero); // the others keep their bits
    fr_store(x, fr_select(folded, p.x + far * n.x, p.x));
    fr_store(y, fr_select(folded, p.y + far * n.y, p.y));
    fr_store(z, fr_select(folded, p.z + far * n.z, p.z));
    for (uint32_t i = 0; i < SUP_REGISTER && at + i < job->surface->point_count; ++i)
        job->out[at + i] = (sup_vec3){ x[i], y[i], z[i] };
}

INLINE fr strength_of(const wrinkle_job* job, uint32_t at)
{
    float of[SUP_REGISTER];
    if (!job->strengths) return fr_all(job->strength);
    for (uint32_t i = 0; i < SUP_REGISTER; ++i)
        of[i] = job->strengths[at + i < job->surface->point_count ? at + i : job->surface->point_count - 1];
    return fr_load(of);
}

INLINE void fold_lanes(const wrinkle_job* job, uint32_t group, uint32_t lane)
{
    const wrinkle_surface* s = job->surface;
    uint32_t               at = group * WRINKLE_LANES + lane, own[SUP_REGISTER];
    if (at >= s->point_count) return;
    for (uint32_t i = 0; i < SUP_REGISTER; ++i) own[i] = at + i < s->point_count ? at + i : s->point_count - 1;
    fr     zero = fr_all(0.0f), one = fr_all(1.0f), unscale = fr_all(job->unscale);
    vr     p = load_lanes(job->spread, own);
    sums   t = gather(job, p, group, lane);
    strain e = strain_of(job, &t);
    bool   creased = job->creases || job->crease > 0.0f;
    if (!creased && !any_over(e.mean + e.apart, job->threshold)) {
        copy_points(job, at, SUP_REGISTER);
        return;
    }
    vr    n = { unscale * (t.a.y * t.b.z - t.a.z * t.b.y), unscale * (t.a.z * t.b.x - t.a.x * t.b.z),
                unscale * (t.a.x * t.b.y - t.a.y * t.b.x) };
    fr    rise = fr_load(s->rise + at);
    split d = share_out(job->threshold, rise, &e);
    if (creased) remember(job, at, &e, &d);
    fr fall = settle(bone_normals(job, at), &e, rise, &n), height = zero, a[WRINKLE_FAMILIES];
    if (!job->slopes) fall = fr_least(fall, before_contact(s, at, &e, rise)); // shading crosses nothing
    fr steep = fr_sqrt((d.of[0] + d.of[1]) + (d.of[2] + d.of[3])), most = fr_least(steep, fall * fr_all(WRINKLE_STEEPEST));
    fr share = most / (steep + fr_all(NO_LENGTH)) * strength_of(job, at);
    // If anything is NaN, nothing folds: comparisons are false.
    ir sound = (dot(n, n) > zero) & (steep < fr_all(STEEP_SOUND)) & (share <= one);
    for (uint32_t k = 0; k < WRINKLE_FAMILIES; ++k) {
        a[k] = fr_select(sound, fr_sqrt(d.of[k]) * share, zero);
        height += a[k] * fr_load(s->waves + ((size_t)group * WRINKLE_FAMILIES + k) * WRINKLE_LANES + lane);
    }
    if (job->slopes) put_slopes(job, at, a);
    else put_points(job, at, p, n, height);
}

void SUP_WIDE(sup_wrinkle_spread)(const wrinkle_job* job, uint32_t begin, uint32_t end)
{
    uint32_t last = end * WRINKLE_LANES < job->surface->point_count ? end * WRINKLE_LANES : job->surface->point_count;
    for (uint32_t i = begin * WRINKLE_LANES; i < last; ++i)
        job->spread[i] = (wrinkle_f4){ job->points[i].x, job->points[i].y, job->points[i].z, 0 };
}

void SUP_WIDE(sup_wrinkle_fold)(const wrinkle_job* job, uint32_t begin, uint32_t end)
{
    for (uint32_t g = begin; g < end; ++g) {
        if (!(job->surface->active[g] & job->which)) {
            copy_points(job, g * WRINKLE_LANES, WRINKLE_LANES);
            continue;
        }
        for (uint32_t lane = 0; lane < WRINKLE_LANES; lane += SUP_REGISTER) fold_lanes(job, g, lane);
    }
}

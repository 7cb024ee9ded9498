// The inner loops of smoothing. Averages run point by point, four coordinates at once; frames run one register of points at a
// time.
#include "deform/smooth/smooth.h"

#define INLINE static inline __attribute__((always_inline))
#define AREA_MIN 1e-40f // square of twice the smallest area with a defined normal
#define SKEW_MIN 1e-6f  // share of the diagonals' squares: a direction this steep along the normal is noise

typedef smooth_f4 f4;

typedef struct vr {
    fr x, y, z;
} vr;

INLINE vr vr_add(vr a, vr b) { return (vr){ a.x + b.x, a.y + b.y, a.z + b.z }; }
INLINE vr vr_sub(vr a, vr b) { return (vr){ a.x - b.x, a.y - b.y, a.z - b.z }; }
INLINE vr vr_scale(vr a, fr s) { return (vr){ a.x * s, a.y * s, a.z * s }; }
INLINE vr vr_mad(vr a, fr s, vr b) { return (vr){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z }; }
INLINE fr vr_dot(vr a, vr b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE vr vr_cross(vr a, vr b) { return (vr){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x }; }

// ---------------------------------------------------------------------------------------------- smoothing

void SUP_WIDE(sup_smooth_spread)(const smooth_job* job, uint32_t begin, uint32_t end)
{
    const smooth_surface* s = job->surface;
    uint32_t              last = end * SMOOTH_CHUNK < s->point_count ? end * SMOOTH_CHUNK : s->point_count;
    for (uint32_t i = begin * SMOOTH_CHUNK; i < last; ++i) {
        const sup_vec3* p = &job->points[s->order[i]];
        job->to[i] = (f4){ p->x, p->y, p->z, 0 };
    }
}

// Called with constants, so that the compiler unrolls the loop over neighbors.
INLINE void average_run(const smooth_surface* s, const smooth_run* run, const f4* from, f4* to, uint32_t valence)
{
    float           share = s->step / (float)valence, keep = 1.0f - s->step;
    f4              shares = { share, share, share, share }, keeps = { keep, keep, keep, keep };
    const uint32_t* ring = s->ring + run->ring;
    for (uint32_t i = run->begin; i < run->end; ++i, ring += valence) {
        f4 sum = from[ring[0]];
        for (uint32_t k = 1; k < valence; ++k) sum += from[ring[k]];
        to[i] = from[i] * keeps + sum * shares;
    }
}

void SUP_WIDE(sup_smooth_average)(const smooth_job* job, uint32_t begin, uint32_t end)
{
    const smooth_surface* s = job->surface;
    const f4*             from = job->from;
    f4*                   to = job->to;
    for (uint32_t r = s->chunk_runs[begin]; r < s->chunk_runs[end]; ++r) {
        const smooth_run* run = &s->runs[r];
        switch (run->valence) {
        case 0:
            for (uint32_t i = run->begin; i < run->end; ++i) to[i] = from[i];
            break;
        case 3: average_run(s, run, from, to, 3); break;
        case 4: average_run(s, run, from, to, 4); break;
        case 5: average_run(s, run, from, to, 5); break;
        case 6: average_run(s, run, from, to, 6); break;
        case 7: average_run(s, run, from, to, 7); break;
        case 8: average_run(s, run, from, to, 8); break;
        default: average_run(s, run, from, to, run->valence);
        }
    }
}

// ---------------------------------------------------------------------------------------------- frames

#if SUP_REGISTER == 8
typedef struct rows {
    fr of[4]; // lanes i and i + 4 side by side
} rows;
INLINE fr pair(f4 low, f4 high) { return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7); }
INLINE vr columns(rows r)
{
    fr a = __builtin_shufflevector(r.of[0], r.of[1], 0, 8, 1, 9, 4, 12, 5, 13);
    fr b = __builtin_shufflevector(r.of[2], r.of[3], 0, 8, 1, 9, 4, 12, 5, 13);
    fr c = __builtin_shufflevector(r.of[0], r.of[1], 2, 10, 3, 11, 6, 14, 7, 15);
    fr d = __builtin_shufflevector(r.of[2], r.of[3], 2, 10, 3, 11, 6, 14, 7, 15);
    return (vr){ __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13),
                 __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15),
                 __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13) };
}
#else
typedef struct rows {
    fr of[4];
} rows;
INLINE vr columns(rows r)
{
    fr a = __builtin_shufflevector(r.of[0], r.of[1], 0, 4, 1, 5), b = __builtin_shufflevector(r.of[2], r.of[3], 0, 4, 1, 5);
    fr c = __builtin_shufflevector(r.of[0], r.of[1], 2, 6, 3, 7), d = __builtin_shufflevector(r.of[2], r.of[3], 2, 6, 3, 7);
    return (vr){ __builtin_shufflevector(a, b, 0, 1, 4, 5), __builtin_shufflevector(a, b, 2, 3, 6, 7),
                 __builtin_shufflevector(c, d, 0, 1, 4, 5) };
}
#endif

/// Both diagonals of one quad per lane; lanes are `stride` quads apart, and those after `last` repeat it.
INLINE void diagonals(const f4* p, const smooth_quad* quad, uint32_t stride, uint32_t last, vr* first, vr* second)
{
    rows u, v;
    for (uint32_t i = 0; i < 4; ++i) {
        const smooth_quad* q = quad + (size_t)(i < last ? i : last) * stride;
#if SUP_REGISTER == 8
        const smooth_quad* h = quad + (size_t)(i + 4 < last ? i + 4 : last) * stride;
        u.of[i] = pair(p[q->c], p[h->c]) - pair(p[q->a], p[h->a]);
        v.of[i] = pair(p[q->d], p[h->d]) - pair(p[q->b], p[h->b]);
#else
        u.of[i] = p[q->c] - p[q->a];
        v.of[i] = p[q->d] - p[q->b];
#endif
    }
    *first = columns(u);
    *second = columns(v);
}

/// z along the area vector; x along the sum of both diagonals of the first quad, the second rotated back by a right angle: if a
/// fold collapses one of them, the other still defines a direction. y across. Lanes without such a frame are cleared in the
/// mask.
INLINE ir frames(const f4* p, const smooth_quad* quad, uint32_t quads, uint32_t last, vr axes[3])
{
    vr first, second, n;
    diagonals(p, quad, quads, last, &first, &second);
    n = vr_cross(first, second);
    for (uint32_t k = 1; k < quads; ++k) {
        vr u, v;
        diagonals(p, quad + k, quads, last, &u, &v);
        n = vr_add(n, vr_cross(u, v));
    }
    fr one = fr_all(1.0f), n2 = vr_dot(n, n);
    ir good = n2 > fr_all(AREA_MIN);
    axes[2] = vr_scale(n, one / fr_sqrt(fr_select(good, n2, one)));
    vr along = vr_add(first, vr_cross(second, axes[2]));
    vr x = vr_mad(along, fr_all(0.0f) - vr_dot(along, axes[2]), axes[2]);
    fr x2 = vr_dot(x, x);
    good &= x2 > fr_all(SKEW_MIN) * (vr_dot(first, first) + vr_dot(second, second));
    axes[0] = vr_scale(x, one / fr_sqrt(fr_select(good, x2, one)));
    axes[1] = vr_cross(axes[2], axes[0]);
    return good;
}

INLINE vr slots(const f4* p, uint32_t slot, uint32_t last)
{
    rows r;
    for (uint32_t i = 0; i < 4; ++i) {
        f4 low = p[slot + (i < last ? i : last)];
#if SUP_REGISTER == 8
        r.of[i] = pair(low, p[slot + (i + 4 < last ? i + 4 : last)]);
#else
        r.of[i] = low;
#endif
    }
    return columns(r);
}

INLINE vr gather_points(const sup_vec3* points, const uint32_t* order)
{
    return (vr){ fr_gather(&points->x, 3, order), fr_gather(&points->y, 3, order), fr_gather(&points->z, 3, order) };
}

void SUP_WIDE(sup_smooth_measure)(const smooth_job* job, uint32_t begin, uint32_t end)
{
    const smooth_surface* s = job->surface;
    for (uint32_t r = s->chunk_runs[begin]; r < s->chunk_runs[end]; ++r) {
        const smooth_run* run = &s->runs[r];
        for (uint32_t i = run->begin; run->quads && i < run->end; i += SUP_REGISTER) {
            uint32_t last = run->end - i < SUP_REGISTER ? run->end - i - 1 : SUP_REGISTER - 1;
            vr       axes[3];
            ir good = frames(job->from, s->quads + run->quad + (size_t)(i - run->begin) * run->quads, run->quads, last, axes);
            vr d = vr_sub(gather_points(job->points, s->order + i), slots(job->from, i, last));
            for (int k = 0; k < 3; ++k) {
                float value[SUP_REGISTER];
                fr_store(value, fr_select(good, vr_dot(axes[k], d), fr_all(0.0f)));
                for (uint32_t lane = 0; lane <= last; ++lane) s->details[k][i + lane] = value[lane];
            }
        }
    }
}

/// Scales the displacement from the incoming points to the targets by the strengths.
INLINE vr mix(const smooth_job* job, const uint32_t* order, vr target)
{
    fr strength = fr_all(job->strength);
    if (job->strengths) strength = fr_gather(job->strengths, 1, order);
    else if (job->strength == 1.0f) return target;
    vr p = gather_points(job->points, order);
    return vr_mad(p, strength, vr_sub(target, p));
}

/// Returns how many points of the run had no frame.
INLINE uint32_t correct_run(const smooth_job* job, const smooth_run* run, uint32_t quads)
{
    const smooth_surface* s = job->surface;
    const smooth_quad*    quad = s->quads + run->quad;
    uint32_t              frameless = 0;
    for (uint32_t i = run->begin; i < run->end; i += SUP_REGISTER, quad += (size_t)SUP_REGISTER * quads) {
        uint32_t        last = run->end - i < SUP_REGISTER ? run->end - i - 1 : SUP_REGISTER - 1;
        const uint32_t* order = s->order + i;
        vr              axes[3], target = slots(job->from, i, last);
        ir              good = frames(job->from, quad, quads, last, axes);
        for (int k = 0; k < 3; ++k) target = vr_mad(target, fr_load(s->details[k] + i), axes[k]);
        target = mix(job, order, target);
        fr_scatter3(&job->out->x, 3, order, last + 1, target.x, target.y, target.z);
        float bad[SUP_REGISTER];
        fr_store(bad, fr_select(good, fr_all(0.0f), fr_all(1.0f)));
        for (uint32_t lane = 0; lane <= last; ++lane)
            if (bad[lane] != 0.0f) {
                job->out[order[lane]] = job->points[order[lane]];
                ++frameless;
            }
    }
    return frameless;
}

void SUP_WIDE(sup_smooth_correct)(const smooth_job* job, uint32_t begin, uint32_t end)
{
    const smooth_surface* s = job->surface;
    for (uint32_t chunk = begin; chunk < end; ++chunk) {
        uint32_t frameless = 0;
        for (uint32_t r = s->chunk_runs[chunk]; r < s->chunk_runs[chunk + 1]; ++r) {
            const smooth_run* run = &s->runs[r];
            if (run->quads == 1) frameless += correct_run(job, run, 1);
            else if (run->quads == 2) frameless += correct_run(job, run, 2);
            else if (run->quads > 2) frameless += correct_run(job, run, run->quads);
            else {
                for (uint32_t i = run->begin; i < run->end; ++i) job->out[s->order[i]] = job->points[s->order[i]];
                if (run->valence) frameless += run->end - run->begin;
            }
        }
        job->frameless[chunk] = frameless;
    }
}

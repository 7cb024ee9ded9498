// The direction in which skin is usually compressed, and the phases of folds across it: solved once, so that folds stay in
// place.
#include "base/heap.h"
#include "base/internal.h"
#include "deform/wrinkle/wrinkle.h"
#include "math/trig.h"
#include "math/vec.h"
#include "run/skin_character.h"

#include <string.h>

enum {
    CLIP_SAMPLES = 12,   // poses examined in each clip
    POSES_MAX = 96,      // in all clips together
    CLOSER_MAX = 64,     // additional ones, where skin may cross other skin in between
    SMOOTHINGS_MAX = 64, // smoothing of directions: over about one wavelength
    SWEEPS = 32,         // relaxation of phases: defects heal over this many edges
};

// Weight of the bone's direction relative to the mean lost squared length of the clips: skin that moves less follows the bone.
#define BONE_SHARE 0.02f
// Seconds between the poses checked for crossings: next to poses that revealed new ones, and elsewhere.
#define CLOSE_NEWS 0.025
#define CLOSE_ANY 0.1
// Radians between two places of a wave; no mesh with such wavelengths reaches it, and sines of more are inexact.
#define ANGLE_MOST 1e6
// Length of a sum of unit vectors: below it they cancel, and their direction is rounding.
#define SUM_LEAST 1e-6f
// Folds that are this much farther apart than they should be do not get deeper.
#define CLOSEST 0.75f

// A symmetric tensor in space: directions of neighbors can be averaged without parallel transport.
typedef struct tensor {
    float xx, xy, xz, yy, yz, zz;
} tensor;

static void tensor_add(tensor* t, sup_vec3 a, sup_vec3 b, float w)
{
    t->xx += w * a.x * b.x, t->yy += w * a.y * b.y, t->zz += w * a.z * b.z;
    t->xy += 0.5f * w * (a.x * b.y + a.y * b.x);
    t->xz += 0.5f * w * (a.x * b.z + a.z * b.x);
    t->yz += 0.5f * w * (a.y * b.z + a.z * b.y);
}

static sup_vec3 tensor_apply(const tensor* t, sup_vec3 a)
{
    return v3(t->xx * a.x + t->xy * a.y + t->xz * a.z, t->xy * a.x + t->yy * a.y + t->yz * a.z,
              t->xz * a.x + t->yz * a.y + t->zz * a.z);
}

// ---------------------------------------------------------------------------------------------- bones

// The mean direction of each joint's bones; zero where it has none.
static sup_vec3* bone_axes(const sup_character* c, sup_arena* arena)
{
    sup_vec3* axes = SUP_NEW(arena, sup_vec3, c->skeleton.joint_count);
    for (uint32_t i = 0; i < c->skeleton.bone_count && axes; ++i) {
        const sup_bone* bone = &c->skeleton.bones[i];
        axes[bone->joint] = v3_add(axes[bone->joint], v3_sub(bone->tail, bone->head));
    }
    for (uint32_t j = 0; j < c->skeleton.joint_count && axes; ++j) axes[j] = v3_normalize(axes[j], v3(0, 0, 0));
    return axes;
}

static sup_vec3 axis_at(const sup_character* c, const sup_vec3* axes, uint32_t point)
{
    static const sup_vec3 ups[] = { [SUP_AXIS_Y] = { 0, 1, 0 }, [SUP_AXIS_Z] = { 0, 0, 1 }, [SUP_AXIS_X] = { 1, 0, 0 } };
    sup_vec3              sum = v3(0, 0, 0);
    for (uint32_t i = c->weights.begin[point]; i < c->weights.begin[point + 1]; ++i)
        sum = v3_mad(sum, c->weights.values[i], axes[c->weights.joints[i]]);
    return v3_normalize(sum, ups[c->up]);
}

// ---------------------------------------------------------------------------------------------- clips

typedef struct sampler {
    const sup_bind_input* in;
    const wrinkle_frames* f;
    wrinkle_scale         scale;
    skin_character        skin;
    sup_pose              pose;
    void*                 scratch;
    sup_vec3*             morphed;
    sup_vec3*             points;
    wrinkle_strain*       sum;
    wrinkle_strain*       most;
    wrinkle_tree*         tree;
    float                 threshold;
    float*                pressed; // by point, of this pose
    float*                limits;
    uint32_t              poses;
} sampler;

// The time between two poses, and whether they revealed new crossings.
typedef struct span {
    uint32_t clip;
    bool     news[2];
    double   times[2];
} span;

// Poses the skin. Returns the scale of the whole character.
static float pose_skin(sampler* s, const sup_clip* clip, double time)
{
    const sup_character* c = s->in->character;
    sup_clip_sample(c, clip, time, &s->pose);
    const sup_vec3* rest = sup_pose_morph(c, &s->pose, s->morphed);
    sup_skin_call   call = { .dualquat = s->in->skinning == SUP_SKINNING_DUALQUAT,
                             .skin = s->pose.skin,
                             .points = rest == c->mesh.points ? NULL : rest,
                             .blend = 1,
                             .tasks = s->in->tasks,
                             .scratch = s->scratch,
                             .out = s->points };
    sup_skin_evaluate(s->skin.set, &call);
    return sup_wrinkle_scale(&s->scale, &s->pose);
}

// Returns whether the pose revealed new crossings. first: it also counts as compression by the clips.
static bool sample_pose(sampler* s, const sup_clip* clip, double time, bool first)
{
    float scale = pose_skin(s, clip, time);
    for (uint32_t p = 0; p < s->in->character->mesh.point_count; ++p) {
        wrinkle_strain d = sup_wrinkle_compressed(sup_wrinkle_strain(s->f, s->points, 1 / (scale * scale), p));
        if (first) {
            s->sum[p].xx += d.xx, s->sum[p].xy += d.xy, s->sum[p].yy += d.yy;
            if (d.xx + d.yy > s->most[p].xx + s->most[p].yy) s->most[p] = d;
        }
        float q = 0.5f * (d.xx - d.yy), left = 1 - 0.5f * (d.xx + d.yy) - sqrtf(q * q + d.xy * d.xy);
        s->pressed[p] = 1 - sqrtf(left > 0 ? left : 0);
    }
    s->poses += first;
    return sup_wrinkle_contact(s->tree, s->points, s->pressed, s->threshold, s->in->tasks, s->limits);
}

// How badly a pose in the middle is needed: above 1, one is taken.
static double want_between(const span* t)
{
    return (t->times[1] - t->times[0]) / (t->news[0] || t->news[1] ? CLOSE_NEWS : CLOSE_ANY);
}

// Looks for what appears and disappears between poses: bisects spans, the widest first.
static void sample_closer(sampler* s, span* spans, uint32_t count)
{
    for (uint32_t left = CLOSER_MAX; left > 0 && count > 0; --left, ++count) {
        uint32_t widest = 0;
        for (uint32_t i = 1; i < count; ++i)
            if (want_between(&spans[i]) > want_between(&spans[widest])) widest = i;
        span* t = &spans[widest];
        if (!(want_between(t) > 1)) return;
        double middle = 0.5 * (t->times[0] + t->times[1]);
        bool   news = sample_pose(s, &s->in->character->clips[t->clip], middle, false);
        spans[count] = (span){ t->clip, { news, t->news[1] }, { middle, t->times[1] } };
        t->times[1] = middle, t->news[1] = news;
    }
}

static sup_result sample_clips(sampler* s, sup_arena* arena, sup_error* error)
{
    const sup_character* c = s->in->character;
    uint32_t             each = c->clip_count ? POSES_MAX / c->clip_count : 0, count = 0;
    if (each > CLIP_SAMPLES) each = CLIP_SAMPLES;
    if (each < 1) each = 1;
    sup_result result = skin_character_bind(c, arena, &s->skin, error);
    if (result == SUP_OK) result = sup_pose_create(c, arena, &s->pose, error);
    if (result == SUP_OK) result = sup_wrinkle_scale_create(c, arena, &s->scale, error);
    if (result != SUP_OK) return result;
    s->scratch = SUP_NEW(arena, uint8_t, sup_skin_scratch(s->skin.set) + 64);
    s->morphed = SUP_NEW(arena, sup_vec3, c->mesh.point_count);
    s->points = SUP_NEW(arena, sup_vec3, c->mesh.point_count);
    s->pressed = SUP_NEW(arena, float, c->mesh.point_count);
    span* spans = SUP_NEW(arena, span, 2 * POSES_MAX + CLOSER_MAX); // before and behind every pose
    if (!s->scratch || !s->morphed || !s->points || !s->pressed || !spans) return sup_fail_memory(error, "wrinkle");
    s->scratch = (void*)(((uintptr_t)s->scratch + 63) / 64 * 64);
    // All clips of the character, whichever is played: the same pose has the same folds in each of them.
    for (uint32_t i = 0; i < c->clip_count && s->poses < POSES_MAX; ++i) {
        span before = { .clip = i };
        for (uint32_t k = 0; k < each; ++k) {
            before.times[1] = c->clips[i].seconds * (k + 0.5) / each;
            before.news[1] = sample_pose(s, &c->clips[i], before.times[1], true);
            spans[count++] = before;
            before.times[0] = before.times[1], before.news[0] = before.news[1];
        }
        before.times[1] = c->clips[i].seconds, before.news[1] = false;
        spans[count++] = before;
    }
    sample_closer(s, spans, count);
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- directions

static void smooth_tensors(const sup_topology* t, uint32_t n, uint32_t times, tensor* a, tensor* b)
{
    for (uint32_t i = 0; i < times; ++i) {
        const tensor* from = i % 2 ? b : a;
        tensor*       to = i % 2 ? a : b;
        for (uint32_t p = 0; p < n; ++p) {
            tensor   sum = { 0, 0, 0, 0, 0, 0 };
            uint32_t count = t->ring_begin[p + 1] - t->ring_begin[p];
            for (uint32_t k = t->ring_begin[p]; k < t->ring_begin[p + 1]; ++k) {
                const tensor* o = &from[t->ring[k]];
                sum.xx += o->xx, sum.xy += o->xy, sum.xz += o->xz, sum.yy += o->yy, sum.yz += o->yz, sum.zz += o->zz;
            }
            float w = count ? 0.5f / (float)count : 0, own = count ? 0.5f : 1;
            to[p] = (tensor){ own * from[p].xx + w * sum.xx, own * from[p].xy + w * sum.xy, own * from[p].xz + w * sum.xz,
                              own * from[p].yy + w * sum.yy, own * from[p].yz + w * sum.yz, own * from[p].zz + w * sum.zz };
        }
    }
    if (times % 2) memcpy(a, b, n * sizeof *a);
}

uint32_t sup_wrinkle_smoothings(const sup_mesh* mesh, const sup_topology* t, const float* wavelengths)
{
    double   ratio = 0;
    uint32_t n = mesh->point_count, entries = t->ring_begin[n];
    for (uint32_t p = 0; p < n; ++p)
        for (uint32_t k = t->ring_begin[p]; k < t->ring_begin[p + 1]; ++k)
            ratio += (double)v3_distance(mesh->points[p], mesh->points[t->ring[k]]) / (double)wavelengths[p];
    if (entries) ratio /= entries;
    double times = ratio > 0 ? 2 / (ratio * ratio) : 0;
    return times < 4 ? 4 : times > SMOOTHINGS_MAX ? SMOOTHINGS_MAX : (uint32_t)times;
}

// Rotates the frame so that its first axis is the larger eigenvector of the tensor in its plane, on the side of `axis`.
static void turn_frame(wrinkle_frames* f, uint32_t p, const tensor* t, sup_vec3 axis, wrinkle_strain* most)
{
    sup_vec3 x = f->axes[0][p], y = f->axes[1][p];
    if (v3_length2(x) == 0) return;
    sup_vec3 tx = tensor_apply(t, x);
    float    xx = v3_dot(x, tx), xy = v3_dot(y, tx), yy = v3_dot(y, tensor_apply(t, y));
    // The eigenvector's double angle is that of (q, xy).
    double q = 0.5 * ((double)xx - (double)yy), r = sqrt(q * q + (double)xy * (double)xy);
    double c2 = r > 0 ? q / r : 1, c = sqrt(0.5 * (1 + c2)), s = sqrt(0.5 * (1 - c2)) * (xy < 0 ? -1 : 1);
    if (!isfinite(c) || !isfinite(s)) return;
    if (c * (double)v3_dot(axis, x) + s * (double)v3_dot(axis, y) < 0) c = -c, s = -s;
    float fc = (float)c, fs = (float)s;
    f->axes[0][p] = v3_mad(v3_scale(x, fc), fs, y);
    f->axes[1][p] = v3_mad(v3_scale(y, fc), -fs, x);
    for (int k = 0; k < WRINKLE_ROWS; ++k) {
        float g = f->coefficients[p][k][0], h = f->coefficients[p][k][1];
        f->coefficients[p][k][0] = fc * g + fs * h;
        f->coefficients[p][k][1] = fc * h - fs * g;
    }
    wrinkle_strain m = *most;
    *most = (wrinkle_strain){ fc * fc * m.xx + 2 * fc * fs * m.xy + fs * fs * m.yy,
                              fc * fs * (m.yy - m.xx) + (fc * fc - fs * fs) * m.xy,
                              fs * fs * m.xx - 2 * fc * fs * m.xy + fc * fc * m.yy };
}

sup_result sup_wrinkle_directions(const sup_bind_input* in, wrinkle_frames* f, const float* wavelengths, sup_arena* temporary,
                                  wrinkle_tree* tree, float threshold, wrinkle_strain* most, float* limits, bool* sampled,
                                  sup_error* error)
{
    const sup_character* c = in->character;
    uint32_t             n = c->mesh.point_count;
    sampler              s = { .in = in,
                               .f = f,
                               .sum = SUP_NEW(temporary, wrinkle_strain, n),
                               .most = most,
                               .tree = tree,
                               .threshold = threshold,
                               .limits = limits };
    tensor *             one = SUP_NEW(temporary, tensor, n), *two = SUP_NEW(temporary, tensor, n);
    sup_vec3*            axes = bone_axes(c, temporary);
    if (!s.sum || !one || !two || !axes) return sup_fail_memory(error, "wrinkle");
    for (uint32_t p = 0; p < n; ++p) limits[p] = WRINKLE_UNLIMITED;
    sup_result result = sample_clips(&s, temporary, error);
    if (tree->left < 0)
        sup_note(in->notes,
                 "too many faces of '%s' lie over each other to find where folds would cross skin, so they move no point; "
                 "delete stacked faces and faces that reach across the body",
                 c->name);
    if (result == SUP_OK) result = sup_wrinkle_contact_spread(f, wavelengths, temporary, limits, error);
    if (result != SUP_OK) return result;
    float share = s.poses ? 1 / (float)s.poses : 0;
    for (uint32_t p = 0; p < n; ++p) {
        sup_vec3 x = f->axes[0][p], y = f->axes[1][p], axis = axis_at(c, axes, p);
        tensor_add(&one[p], x, x, share * s.sum[p].xx);
        tensor_add(&one[p], x, y, 2 * share * s.sum[p].xy);
        tensor_add(&one[p], y, y, share * s.sum[p].yy);
        tensor_add(&one[p], axis, axis, BONE_SHARE);
    }
    smooth_tensors(f->topology, n, sup_wrinkle_smoothings(f->mesh, f->topology, wavelengths), one, two);
    for (uint32_t p = 0; p < n; ++p) turn_frame(f, p, &one[p], axis_at(c, axes, p), &most[p]);
    *sampled = s.poses > 0;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- phases

typedef struct complex_f {
    float re, im;
} complex_f;

// How the phase changes along one edge of the ring: phase at the point = sign x phase at the neighbor - angle.
typedef struct link {
    float cosine, sine;
    float sign; // -1: the neighbor's direction is reversed
} link;

typedef struct phaser {
    const wrinkle_frames* f;
    const float*          wavelengths;
    uint32_t              family;
    link*                 links;
    complex_f*            z;
    const uint32_t*       order; // points of each piece of surface from the inside outward
    bool*                 known;
} phaser;

static void make_links(phaser* s)
{
    const sup_topology* t = s->f->topology;
    const sup_vec3*     points = s->f->mesh->points;
    for (uint32_t p = 0; p < s->f->mesh->point_count; ++p) {
        sup_vec3 d = sup_wrinkle_wave(s->f, p, s->family);
        for (uint32_t k = t->ring_begin[p]; k < t->ring_begin[p + 1]; ++k) {
            uint32_t q = t->ring[k];
            sup_vec3 o = sup_wrinkle_wave(s->f, q, s->family), e = v3_sub(points[q], points[p]);
            float    sign = v3_dot(d, o) < 0 ? -1.0f : 1.0f;
            double   number = SUP_PI * (1 / (double)s->wavelengths[p] + 1 / (double)s->wavelengths[q]);
            double   angle = number * 0.5 * ((double)v3_dot(d, e) + (double)sign * (double)v3_dot(o, e));
            if (!(fabs(angle) < ANGLE_MOST)) angle = 0;
            s->links[k] = (link){ (float)sup_cos(angle), (float)sup_sin(angle), sign };
        }
    }
}

static bool settle_point(phaser* s, uint32_t p, bool all)
{
    const sup_topology* t = s->f->topology;
    complex_f           sum = { 0, 0 };
    for (uint32_t k = t->ring_begin[p]; k < t->ring_begin[p + 1]; ++k) {
        uint32_t q = t->ring[k];
        if (!all && !s->known[q]) continue;
        link  l = s->links[k];
        float im = l.sign * s->z[q].im;
        sum.re += s->z[q].re * l.cosine + im * l.sine;
        sum.im += im * l.cosine - s->z[q].re * l.sine;
    }
    float length = sqrtf(sum.re * sum.re + sum.im * sum.im);
    if (!(length > SUM_LEAST)) return false;
    s->z[p] = (complex_f){ sum.re / length, sum.im / length };
    return true;
}

// Grown outward, every point from its known neighbors, then relaxed: where fronts met out of phase, folds join or branch, as in
// skin, instead of changing their width.
static void solve_family(phaser* s)
{
    uint32_t n = s->f->mesh->point_count;
    make_links(s);
    memset(s->known, 0, n * sizeof *s->known);
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t p = s->order[i];
        s->z[p] = (complex_f){ 1, 0 };
        settle_point(s, p, false);
        s->known[p] = true;
    }
    for (uint32_t sweep = 0; sweep < SWEEPS; ++sweep)
        for (uint32_t i = 0; i < n; ++i) settle_point(s, s->order[i], true);
}

// A traversal of the surface in order of distance along edges.
typedef struct walk {
    const wrinkle_frames* f;
    float*                distance;
    bool*                 done;
    uint32_t*             order; // NULL: not requested
    uint32_t              count;
    sup_heap              heap;
} walk;

static sup_result walk_begin(const wrinkle_frames* f, sup_arena* arena, uint32_t* order, walk* out, sup_error* error)
{
    uint32_t n = f->mesh->point_count;
    *out = (walk){ .f = f, .distance = SUP_NEW(arena, float, n), .done = SUP_NEW(arena, bool, n), .order = order };
    out->heap.items = SUP_NEW(arena, uint64_t, (size_t)f->topology->ring_begin[n] + n + 1);
    if (!out->distance || !out->done || !out->heap.items) return sup_fail_memory(error, "wrinkle");
    for (uint32_t p = 0; p < n; ++p) out->distance[p] = INFINITY;
    return SUP_OK;
}

static void walk_from(walk* w, uint32_t seed)
{
    w->distance[seed] = 0;
    sup_heap_push(&w->heap, seed);
}

// Distances are nonnegative, so their bits sort like the numbers.
static void walk_on(walk* w)
{
    const sup_topology* t = w->f->topology;
    const sup_vec3*     points = w->f->mesh->points;
    while (w->heap.count) {
        uint32_t p = (uint32_t)sup_heap_pop(&w->heap);
        if (w->done[p]) continue;
        w->done[p] = true;
        if (w->order) w->order[w->count++] = p;
        for (uint32_t k = t->ring_begin[p]; k < t->ring_begin[p + 1]; ++k) {
            uint32_t q = t->ring[k], bits;
            float    next = w->distance[p] + v3_distance(points[p], points[q]);
            if (w->done[q] || !(next < w->distance[q])) continue;
            w->distance[q] = next;
            memcpy(&bits, &next, sizeof bits);
            sup_heap_push(&w->heap, (uint64_t)bits << 32 | q);
        }
    }
}

// From the first point of each piece outward.
static sup_result make_order(const wrinkle_frames* f, sup_arena* arena, uint32_t* order, sup_error* error)
{
    walk       w;
    sup_result result = walk_begin(f, arena, order, &w, error);
    for (uint32_t seed = 0; seed < f->mesh->point_count && result == SUP_OK; ++seed) {
        if (w.done[seed]) continue;
        walk_from(&w, seed);
        walk_on(&w);
    }
    return result;
}

sup_result sup_wrinkle_border(const wrinkle_frames* f, sup_arena* temporary, const float** out, sup_error* error)
{
    walk       w;
    sup_result result = walk_begin(f, temporary, NULL, &w, error);
    if (result != SUP_OK) return result;
    for (uint32_t i = 0; i < f->topology->edge_count; ++i) {
        const sup_edge* e = &f->topology->edges[i];
        if (e->face_count != 1) continue;
        if (w.distance[e->a] > 0) walk_from(&w, e->a);
        if (w.distance[e->b] > 0) walk_from(&w, e->b);
    }
    walk_on(&w);
    *out = w.distance;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- wander

enum { OCTAVES = 32, DIRECTIONS = 5 };

// A fold takes part in waves of this many folds: fully in the middle of the range, not at its ends. Shorter waves would tear a
// fold apart; longer ones move its neighbors along with it and leave the row regular.
#define SHORTEST 1.6f
#define WHOLE_FROM 2.6f
#define WHOLE_TO 3.6f
#define LONGEST 6.0f
// From one wave's length to the next. No ratio of small whole numbers, so that waves do not meet again in a pattern; four of
// them are between SHORTEST and LONGEST.
#define OCTAVE 1.37

// How folds deviate from a regular row: sums of waves a few folds long. Their lengths are fixed in space, not in folds, or
// phases would jump where wavelengths change; a fold takes part in those that suit it.
typedef struct wander {
    double   turn;  // radians
    sup_vec3 slope; // of the rotation over the surface
} wander;

static wander wander_at(sup_vec3 p, double shortest, double wavelength, double irregularity)
{
    static const float directions[DIRECTIONS][3] = { { 0.55f, 0.33f, 0.77f },
                                                     { -0.54f, 0.78f, 0.31f },
                                                     { 0.29f, -0.58f, 0.76f },
                                                     { 0.83f, 0.52f, -0.19f },
                                                     { -0.16f, 0.67f, 0.72f } };
    wander             out = { 0, { 0, 0, 0 } };
    double             squares = 0, length = shortest;
    for (int i = 0; i < OCTAVES; ++i, length *= OCTAVE) {
        double folds = length / wavelength;
        if (!(folds > SHORTEST) || folds > LONGEST) continue;
        double       share = (double)(sup_smoothstep(SHORTEST, WHOLE_FROM, (float)folds) *
                                (1 - sup_smoothstep(WHOLE_TO, LONGEST, (float)folds)));
        const float* direction = directions[i % DIRECTIONS];
        double along = (double)(direction[0] * p.x + direction[1] * p.y + direction[2] * p.z), number = 2 * SUP_PI / length;
        double angle = number * along + i;
        if (!(fabs(angle) < ANGLE_MOST)) continue;
        squares += share * share;
        out.turn += share * sup_sin(angle);
        out.slope = v3_mad(out.slope, (float)(share * number * sup_cos(angle)), v3(direction[0], direction[1], direction[2]));
    }
    double scale = squares > 0 ? irregularity * sqrt(2 / squares) : 0;
    return (wander){ scale * out.turn, v3_scale(out.slope, (float)scale) };
}

static wander* wanders(const wrinkle_frames* f, const float* wavelengths, float irregularity, sup_arena* arena)
{
    uint32_t n = f->mesh->point_count;
    wander*  out = SUP_NEW(arena, wander, n);
    double   widest = 0;
    for (uint32_t p = 0; p < n && out; ++p) widest = fmax(widest, (double)wavelengths[p]);
    double shortest = widest * LONGEST;
    for (int i = 1; i < OCTAVES; ++i) shortest /= OCTAVE;
    for (uint32_t p = 0; p < n && out; ++p)
        out[p] = wander_at(f->mesh->points[p], shortest, (double)wavelengths[p], (double)irregularity);
    return out;
}

sup_result sup_wrinkle_phases(const wrinkle_frames* f, const float* wavelengths, float irregularity, float lift,
                              sup_arena* temporary, wrinkle_f4* out, sup_ripple* ripples, sup_error* error)
{
    uint32_t      n = f->mesh->point_count;
    uint32_t*     order = SUP_NEW(temporary, uint32_t, n);
    phaser        s = { .f = f,
                        .wavelengths = wavelengths,
                        .links = SUP_NEW(temporary, link, f->topology->ring_begin[n]),
                        .z = SUP_NEW(temporary, complex_f, n),
                        .order = order,
                        .known = SUP_NEW(temporary, bool, n) };
    const wander* off = wanders(f, wavelengths, irregularity, temporary);
    if (!order || !s.links || !s.z || !s.known || !off) return sup_fail_memory(error, "wrinkle");
    sup_result result = make_order(f, temporary, order, error);
    if (result != SUP_OK) return result;
    for (s.family = 0; s.family < WRINKLE_FAMILIES; ++s.family) {
        solve_family(&s);
        for (uint32_t p = 0; p < n; ++p) {
            sup_vec3 slope = off[p].slope, d = sup_wrinkle_wave(f, p, s.family);
            float    cosine = (float)sup_cos(off[p].turn), sine = (float)sup_sin(off[p].turn);
            // Where folds are closer they are lower, so that their arc length stays the same.
            float closer = 1 + v3_dot(d, slope) * wavelengths[p] / WRINKLE_TURN;
            float wave = s.z[p].re * cosine - s.z[p].im * sine;
            float lower = 1 / fmaxf(fabsf(closer), CLOSEST);
            out[p][s.family] = (wave - 1 + 2 * lift) * lower;
            ripples[p * WRINKLE_FAMILIES + s.family] = (sup_ripple){ .wave = v3_mad(slope, WRINKLE_TURN / wavelengths[p], d),
                                                                     .cosine = wave,
                                                                     .sine = s.z[p].re * sine + s.z[p].im * cosine,
                                                                     .height = lower * wavelengths[p] / WRINKLE_TURN };
        }
    }
    return SUP_OK;
}

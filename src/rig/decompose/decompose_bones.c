// Bones with the weights fixed. The error is quadratic in every bone, so a round needs only two kinds of sums over the points,
// and the bones can then move any number of times without visiting a point again:
//   first(j, f)  = sum_i w_ij v_if (p_i 1)^T        3x4, for every bone and frame
//   second(j, k) = sum_i w_ij w_ik (p_i 1)^T(p_i 1) 4x4, for every pair of bones that share points
// With the other bones fixed, bone j has the right side  A = first(j) - sum_{k != j} M_k second(k, j),  and its best rigid
// motion is a weighted Procrustes problem (Le & Deng 2012, section 4.3): the rotation nearest to A's 3x3 about the center.
#include "base/internal.h"
#include "math/rotation.h"
#include "rig/decompose/decompose.h"

#include <math.h>
#include <string.h>

// A bone with less than this share of one point's weight cannot be placed and stays where it is.
#define SUPPORT_MIN 1e-6

// ---------------------------------------------------------------------------------------------- sums

static void list_columns(sup_decomposer* d)
{
    memset(d->column_begin, 0, ((size_t)d->bone_count + 1) * sizeof *d->column_begin);
    for (uint32_t p = 0; p < d->point_count; ++p)
        for (uint32_t i = 0; i < d->counts[p]; ++i) d->column_begin[d->bones[(size_t)p * d->influences + i] + 1]++;
    for (uint32_t b = 0; b < d->bone_count; ++b) d->column_begin[b + 1] += d->column_begin[b];
    for (uint32_t p = 0; p < d->point_count; ++p)
        for (uint32_t i = 0; i < d->counts[p]; ++i) {
            size_t   at = (size_t)p * d->influences + i;
            uint32_t slot = d->column_begin[d->bones[at]]++;
            d->column_points[slot] = p;
            d->column_weights[slot] = d->weights[at];
        }
    for (uint32_t b = d->bone_count; b > 0; --b) d->column_begin[b] = d->column_begin[b - 1];
    d->column_begin[0] = 0;
}

static void add_moments(const sup_decomposer* d, uint32_t point, double w, double out[SUP_DECOMPOSE_MOMENTS])
{
    double x = (double)d->rest[point], y = (double)d->rest[d->points8 + point],
           z = (double)d->rest[2 * (size_t)d->points8 + point];
    double wx = w * x, wy = w * y, wz = w * z;
    out[0] += wx * x;
    out[1] += wx * y;
    out[2] += wx * z;
    out[3] += wx;
    out[4] += wy * y;
    out[5] += wy * z;
    out[6] += wy;
    out[7] += wz * z;
    out[8] += wz;
    out[9] += w;
}

static void sum_second(void* data, uint32_t begin, uint32_t end)
{
    sup_decomposer* d = data;
    size_t          pairs = sup_decompose_pair(d->bone_count, 0), piece = begin / sup_decompose_grain(d);
    double*         sums = d->piece_sums + piece * pairs * SUP_DECOMPOSE_MOMENTS;
    memset(sums, 0, pairs * SUP_DECOMPOSE_MOMENTS * sizeof *sums);
    for (uint32_t p = begin * SUP_LANES; p < end * SUP_LANES && p < d->point_count; ++p) {
        const uint32_t* bones = d->bones + (size_t)p * d->influences;
        const float*    weights = d->weights + (size_t)p * d->influences;
        for (uint32_t a = 0; a < d->counts[p]; ++a)
            for (uint32_t b = 0; b <= a; ++b)
                add_moments(d, p, (double)weights[a] * (double)weights[b],
                            sums + sup_decompose_pair(bones[a], bones[b]) * SUP_DECOMPOSE_MOMENTS);
    }
}

static void sum_first(void* data, uint32_t begin, uint32_t end)
{
    const sup_decomposer* d = data;
    uint32_t              blocks = d->frames8 / SUP_LANES;
    for (uint32_t i = begin; i < end; ++i) SUP_WIDE_PICK(sup_decompose_first)(d, i / blocks, i % blocks);
}

void sup_decompose_sums(sup_decomposer* d)
{
    size_t   values = sup_decompose_pair(d->bone_count, 0) * SUP_DECOMPOSE_MOMENTS;
    uint32_t blocks = d->points8 / SUP_LANES, grain = sup_decompose_grain(d);
    list_columns(d);
    sup_tasks_run(d->tasks, d->bone_count * (d->frames8 / SUP_LANES), 1, sum_first, d);
    sup_tasks_run(d->tasks, blocks, grain, sum_second, d);
    memcpy(d->second, d->piece_sums, values * sizeof *d->second);
    for (uint32_t piece = 1; piece < (blocks + grain - 1) / grain; ++piece)
        for (size_t i = 0; i < values; ++i) d->second[i] += d->piece_sums[piece * values + i];
}

// ---------------------------------------------------------------------------------------------- one bone

// out -= m x the symmetric 4x4 h.
static void subtract_product(const double m[12], const double h[SUP_DECOMPOSE_MOMENTS], double out[12])
{
    for (int r = 0; r < 3; ++r) {
        const double* a = m + 4 * r;
        double*       o = out + 4 * r;
        o[0] -= a[0] * h[0] + a[1] * h[1] + a[2] * h[2] + a[3] * h[3];
        o[1] -= a[0] * h[1] + a[1] * h[4] + a[2] * h[5] + a[3] * h[6];
        o[2] -= a[0] * h[2] + a[1] * h[5] + a[2] * h[7] + a[3] * h[8];
        o[3] -= a[0] * h[3] + a[1] * h[6] + a[2] * h[8] + a[3] * h[9];
    }
}

void sup_decompose_matrix(const sup_quat* q, double m[12])
{
    double x = (double)q->x, y = (double)q->y, z = (double)q->z, w = (double)q->w, s = 2.0 / (x * x + y * y + z * z + w * w);
    m[0] = 1 - s * (y * y + z * z);
    m[1] = s * (x * y - w * z);
    m[2] = s * (x * z + w * y);
    m[4] = s * (x * y + w * z);
    m[5] = 1 - s * (x * x + z * z);
    m[6] = s * (y * z - w * x);
    m[8] = s * (x * z - w * y);
    m[9] = s * (y * z + w * x);
    m[10] = 1 - s * (x * x + y * y);
}

// Minimizes |R P + t - A| where h holds the second moments of the points and a their product with the target. The nearest
// rotation is never a reflection (math/rotation.h).
static void solve_bone(const double a[12], const double h[SUP_DECOMPOSE_MOMENTS], sup_quat* q, double m[12])
{
    double middle[3] = { h[3] / h[9], h[6] / h[9], h[8] / h[9] }, c[3][3], size = 0;
    for (int r = 0; r < 3; ++r)
        for (int k = 0; k < 3; ++k) {
            c[r][k] = a[4 * r + k] - a[4 * r + 3] * middle[k];
            if (fabs(c[r][k]) > size) size = fabs(c[r][k]);
        }
    if (size > 0 && isfinite(size)) {
        sup_mat3 scaled;
        for (int r = 0; r < 3; ++r)
            for (int k = 0; k < 3; ++k) scaled.m[r][k] = (float)(c[r][k] / size);
        rotation_extract(&scaled, q);
    }
    sup_decompose_matrix(q, m);
    for (int r = 0; r < 3; ++r)
        m[4 * r + 3] = a[4 * r + 3] / h[9] - (m[4 * r] * middle[0] + m[4 * r + 1] * middle[1] + m[4 * r + 2] * middle[2]);
}

// The bone's own moments and right side, plus a small share of the rigid motion of its points: sum_i w_ij |M_j p_i - v_i|^2,
// whose moments are the sums over all pairs, because weights sum to 1.
static void start_bone(const sup_decomposer* d, uint32_t bone, const double first[12], double a[12],
                       double own[SUP_DECOMPOSE_MOMENTS])
{
    memcpy(own, d->second + sup_decompose_pair(bone, bone) * SUP_DECOMPOSE_MOMENTS, SUP_DECOMPOSE_MOMENTS * sizeof *own);
    for (int i = 0; i < 12; ++i) a[i] = (1.0 + d->rigid) * first[i];
    for (uint32_t k = 0; k < d->bone_count && d->rigid > 0; ++k) {
        const double* h = d->second + sup_decompose_pair(bone, k) * SUP_DECOMPOSE_MOMENTS;
        for (int i = 0; i < SUP_DECOMPOSE_MOMENTS; ++i) own[i] += d->rigid * h[i];
    }
}

typedef struct sweep_job {
    sup_decomposer* d;
    uint32_t        sweeps;
} sweep_job;

static void sweep_frames(void* data, uint32_t begin, uint32_t end)
{
    const sweep_job* job = data;
    sup_decomposer*  d = job->d;
    for (uint32_t f = begin; f < end; ++f) {
        double*   m = d->exact + (size_t)f * d->bones_max * 12;
        sup_quat* q = d->rotations + (size_t)f * d->bones_max;
        for (uint32_t s = 0; s < job->sweeps; ++s)
            for (uint32_t j = 0; j < d->bone_count; ++j) {
                const double* first = d->first + ((size_t)j * d->frames8 + f) * 12;
                double        a[12], own[SUP_DECOMPOSE_MOMENTS];
                if (d->second[sup_decompose_pair(j, j) * SUP_DECOMPOSE_MOMENTS + 9] < SUPPORT_MIN) continue;
                start_bone(d, j, first, a, own);
                for (uint32_t k = 0; k < d->bone_count; ++k) {
                    const double* h = d->second + sup_decompose_pair(j, k) * SUP_DECOMPOSE_MOMENTS;
                    if (k != j && h[9] > 0) subtract_product(m + (size_t)k * 12, h, a);
                }
                solve_bone(a, own, &q[j], m + (size_t)j * 12);
            }
        for (uint32_t j = 0; j < d->bone_count; ++j)
            for (size_t e = 0; e < 12; ++e) d->transforms[(j * 12 + e) * d->frames8 + f] = (float)m[(size_t)j * 12 + e];
    }
}

void sup_decompose_move(sup_decomposer* d, uint32_t sweeps)
{
    sweep_job job = { d, sweeps };
    sup_decompose_sums(d);
    sup_tasks_run(d->tasks, d->frame_count, 4, sweep_frames, &job);
}

void sup_decompose_place(sup_decomposer* d, uint32_t bone, const uint32_t* points, uint32_t count)
{
    double h[SUP_DECOMPOSE_MOMENTS] = { 0 };
    for (uint32_t i = 0; i < count; ++i) add_moments(d, points[i], 1.0, h);
    for (uint32_t f = 0; f < d->frame_count; ++f) {
        double a[12] = { 0 }, *m = d->exact + ((size_t)f * d->bones_max + bone) * 12;
        for (uint32_t i = 0; i < count; ++i)
            for (size_t r = 0; r < 3; ++r) {
                double v = (double)d->by_frame[((size_t)points[i] * 3 + r) * d->frames8 + f];
                for (size_t k = 0; k < 3; ++k) a[4 * r + k] += v * (double)d->rest[k * d->points8 + points[i]];
                a[4 * r + 3] += v;
            }
        sup_quat* q = &d->rotations[(size_t)f * d->bones_max + bone];
        *q = (sup_quat){ 0, 0, 0, 1 };
        solve_bone(a, h, q, m);
        for (size_t e = 0; e < 12; ++e) d->transforms[((size_t)bone * 12 + e) * d->frames8 + f] = (float)m[e];
    }
}

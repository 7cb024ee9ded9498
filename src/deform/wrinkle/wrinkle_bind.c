// Tangent frames at rest, the coefficients that measure strain in them, and the strain of a pose.
#include "base/internal.h"
#include "deform/wrinkle/wrinkle.h"
#include "math/trig.h"
#include "math/vec.h"

// Neighbors on a line span no plane: smallest over largest spread of squared edges.
#define SPREAD_MIN 1e-4

// The search radius for neighbors in wavelengths, and the preferred distance.
#define NEIGHBORS_WITHIN 0.5f
#define NEIGHBORS_AT 0.33f

enum { VISITS_MAX = 400 }; // points examined around one

// ---------------------------------------------------------------------------------------------- neighbors

typedef struct seeker {
    wrinkle_frames* f;
    uint32_t*       seen; // by point: the point whose search visited it last, plus 1
    uint32_t        queue[VISITS_MAX];
} seeker;

// Which sixth of a turn a direction lies in.
static uint32_t sixth(float x, float y)
{
    const float steep = 1.7320508f; // tangent of 60 degrees
    uint32_t    half = y < 0 ? 3 : 0;
    if (half) x = -x, y = -y;
    return half + (y < steep * x ? 0 : y > -steep * x ? 1 : 2);
}

// Searches outward along edges, so that skin on the other side of a gap is never a neighbor.
static void seek(seeker* s, uint32_t p, float wavelength)
{
    const wrinkle_frames* f = s->f;
    const sup_topology*   t = f->topology;
    uint32_t              count = 0, *best = s->f->neighbors[p];
    float                 off[WRINKLE_ROWS];
    for (int i = 0; i < WRINKLE_ROWS; ++i) best[i] = p, off[i] = INFINITY;
    s->seen[p] = p + 1;
    s->queue[count++] = p;
    for (uint32_t at = 0; at < count; ++at)
        for (uint32_t k = t->ring_begin[s->queue[at]]; k < t->ring_begin[s->queue[at] + 1]; ++k) {
            uint32_t q = t->ring[k];
            if (s->seen[q] == p + 1) continue;
            s->seen[q] = p + 1;
            sup_vec3 e = v3_sub(f->mesh->points[q], f->mesh->points[p]);
            float    distance = v3_length(e), miss = fabsf(distance - NEIGHBORS_AT * wavelength);
            if (at > 0 && !(distance < NEIGHBORS_WITHIN * wavelength)) continue; // the direct neighbors always count
            uint32_t sector = sixth(v3_dot(e, f->axes[0][p]), v3_dot(e, f->axes[1][p]));
            if (miss < off[sector]) best[sector] = q, off[sector] = miss;
            if (count < VISITS_MAX) s->queue[count++] = q;
        }
}

// ---------------------------------------------------------------------------------------------- coefficients

static sup_vec3 edge_of(const wrinkle_frames* f, uint32_t point, int row)
{
    return v3_sub(f->mesh->points[f->neighbors[point][row]], f->mesh->points[point]);
}

static void drop_frame(wrinkle_frames* f, uint32_t p)
{
    for (int k = 0; k < WRINKLE_ROWS; ++k) f->coefficients[p][k][0] = f->coefficients[p][k][1] = 0;
    f->axes[0][p] = f->axes[1][p] = f->normals[p] = v3(0, 0, 0);
}

// Least squares: the tangents that map the edges at rest to those of a pose, each edge weighted by its direction only, not by
// its length. Both are then made orthonormal at rest: on a curved surface they tilt out of the tangent plane.
static void fit_point(wrinkle_frames* f, uint32_t p)
{
    double   xx = 0, xy = 0, yy = 0;
    sup_vec3 a = v3(0, 0, 0), b = v3(0, 0, 0);
    for (int k = 0; k < WRINKLE_ROWS; ++k) {
        sup_vec3 e = edge_of(f, p, k);
        double   x = (double)v3_dot(e, f->axes[0][p]), y = (double)v3_dot(e, f->axes[1][p]), r = (double)v3_length2(e);
        if (r > 0) xx += x * x / r, xy += x * y / r, yy += y * y / r;
    }
    double det = xx * yy - xy * xy, trace = xx + yy;
    if (!(det > SPREAD_MIN * trace * trace)) {
        drop_frame(f, p);
        return;
    }
    for (int k = 0; k < WRINKLE_ROWS; ++k) {
        sup_vec3 e = edge_of(f, p, k);
        double   x = (double)v3_dot(e, f->axes[0][p]), y = (double)v3_dot(e, f->axes[1][p]), r = (double)v3_length2(e);
        float*   c = f->coefficients[p][k];
        c[0] = r > 0 ? (float)((yy * x - xy * y) / (det * r)) : 0;
        c[1] = r > 0 ? (float)((xx * y - xy * x) / (det * r)) : 0;
        a = v3_mad(a, c[0], e);
        b = v3_mad(b, c[1], e);
    }
    float    length = v3_length(a), along = length > 0 ? v3_dot(a, b) / (length * length) : 0;
    sup_vec3 across = v3_mad(b, -along, a);
    float    width = v3_length(across);
    if (!(length > SUP_EPS_LENGTH) || !(width > SUP_EPS_LENGTH) || !isfinite(length) || !isfinite(width)) {
        drop_frame(f, p);
        return;
    }
    for (int k = 0; k < WRINKLE_ROWS; ++k) {
        float g = f->coefficients[p][k][0], h = f->coefficients[p][k][1];
        f->coefficients[p][k][0] = g / length;
        f->coefficients[p][k][1] = (h - along * g) / width;
    }
    f->axes[0][p] = v3_scale(a, 1 / length);
    f->axes[1][p] = v3_scale(across, 1 / width);
    f->normals[p] = v3_cross(f->axes[0][p], f->axes[1][p]);
}

sup_result sup_wrinkle_frames_create(const sup_mesh* mesh, const sup_topology* topology, const float* wavelengths,
                                     sup_arena* arena, wrinkle_frames* out, sup_error* error)
{
    uint32_t n = mesh->point_count;
    seeker*  s = SUP_NEW(arena, seeker, 1);
    *out = (wrinkle_frames){ .mesh = mesh, .topology = topology };
    for (int i = 0; i < 2; ++i) out->axes[i] = SUP_NEW(arena, sup_vec3, n);
    out->normals = SUP_NEW(arena, sup_vec3, n);
    out->neighbors = sup_arena_alloc(arena, n, sizeof *out->neighbors);
    out->coefficients = sup_arena_alloc(arena, n, sizeof *out->coefficients);
    if (s) *s = (seeker){ .f = out, .seen = SUP_NEW(arena, uint32_t, n) };
    if (!out->axes[0] || !out->axes[1] || !out->normals || !out->neighbors || !out->coefficients || !s || !s->seen)
        return sup_fail_memory(error, "wrinkle");
    sup_mesh_normals(mesh, out->normals);
    for (uint32_t p = 0; p < n; ++p) {
        out->axes[0][p] = v3_across(out->normals[p]);
        out->axes[1][p] = v3_cross(out->normals[p], out->axes[0][p]);
        seek(s, p, wavelengths[p]);
        fit_point(out, p);
    }
    return SUP_OK;
}

wrinkle_strain sup_wrinkle_strain(const wrinkle_frames* f, const sup_vec3* points, float unscale, uint32_t p)
{
    sup_vec3 a = v3(0, 0, 0), b = v3(0, 0, 0);
    if (v3_length2(f->axes[0][p]) == 0) return (wrinkle_strain){ 0, 0, 0 };
    for (int k = 0; k < WRINKLE_ROWS; ++k) {
        sup_vec3 e = v3_sub(points[f->neighbors[p][k]], points[p]);
        a = v3_mad(a, f->coefficients[p][k][0], e);
        b = v3_mad(b, f->coefficients[p][k][1], e);
    }
    return (wrinkle_strain){ 1 - unscale * v3_dot(a, a), -unscale * v3_dot(a, b), 1 - unscale * v3_dot(b, b) };
}

wrinkle_strain sup_wrinkle_compressed(wrinkle_strain s)
{
    float mean = 0.5f * (s.xx + s.yy), q = 0.5f * (s.xx - s.yy), r = sqrtf(q * q + s.xy * s.xy);
    float high = mean + r > 0 ? mean + r : 0, low = mean - r > 0 ? mean - r : 0;
    float turn = r > 0 ? 0.5f * (high - low) / r : 0;
    if (!isfinite(high) || !isfinite(low)) return (wrinkle_strain){ 0, 0, 0 };
    return (wrinkle_strain){ 0.5f * (high + low) + turn * q, turn * s.xy, 0.5f * (high + low) - turn * q };
}

wrinkle_f4 sup_wrinkle_split(wrinkle_strain s)
{
    float c = fabsf(s.xy), first = s.xx > c ? s.xx - c : 0, third = s.yy > c ? s.yy - c : 0, sum = first + third + 2 * c;
    float whole = sum > 0 ? (s.xx + s.yy) / sum : 0;
    return (wrinkle_f4){ first * whole, s.xy > 0 ? 2 * c * whole : 0, third * whole, s.xy > 0 ? 0 : 2 * c * whole };
}

sup_vec3 sup_wrinkle_wave(const wrinkle_frames* f, uint32_t point, uint32_t family)
{
    static const float turns[WRINKLE_FAMILIES][2] = {
        { 1, 0 }, { 0.70710678f, 0.70710678f }, { 0, 1 }, { -0.70710678f, 0.70710678f }
    };
    return v3_mad(v3_scale(f->axes[0][point], turns[family][0]), turns[family][1], f->axes[1][point]);
}

// ---------------------------------------------------------------------------------------------- scale

sup_result sup_wrinkle_scale_create(const sup_character* c, sup_arena* arena, wrinkle_scale* out, sup_error* error)
{
    float*   shares = SUP_NEW(arena, float, c->skeleton.joint_count);
    uint32_t all = 0;
    if (!shares) return sup_fail_memory(error, "wrinkle");
    for (uint32_t p = 0; p < c->mesh.point_count; ++p)
        if (c->weights.begin[p] < c->weights.begin[p + 1]) shares[c->weights.joints[c->weights.begin[p]]] += 1, ++all;
    for (uint32_t j = 0; j < c->skeleton.joint_count && all; ++j) shares[j] /= (float)all;
    *out = (wrinkle_scale){ c->skeleton.joint_count, shares };
    return SUP_OK;
}

// Principal stretches whose squares differ by less than this share are equal: the difference is rounding.
#define ALIKE 1e-9
// Scales outside this range belong to collapsed or broken poses.
#define SCALE_MOST 1e6
// A rigid pose has stretches of 1 up to the rounding of its matrices: nothing is scaled.
#define RIGID 1e-4

// The middle one of the three principal stretches: a joint that only stretches or squashes along one axis is not larger or
// smaller, and its skin folds.
static double middle_stretch(const sup_affine* m)
{
    double a[3][3], mean = 0, squares = 0, third;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            a[i][k] = 0;
            for (int r = 0; r < 3; ++r) a[i][k] += (double)m->m[r][i] * (double)m->m[r][k];
        }
    mean = (a[0][0] + a[1][1] + a[2][2]) / 3;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
            if (i == k) a[i][k] -= mean;
            squares += a[i][k] * a[i][k];
        }
    double p = sqrt(squares / 6);
    if (!(p > ALIKE * mean)) return sqrt(mean);
    // Eigenvalues are mean + 2 p cos(angle), with angles a third of a turn apart.
    third = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
            a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
    double angle = sup_acos(third / (2 * p * p * p)) / 3;
    double most = mean + 2 * p * sup_cos(angle), least = mean + 2 * p * sup_cos(angle + 2 * SUP_PI / 3);
    double middle = 3 * mean - most - least;
    return middle > 0 ? sqrt(middle) : 0;
}

float sup_wrinkle_scale(const wrinkle_scale* scale, const sup_pose* pose)
{
    double sum = 0;
    for (uint32_t j = 0; j < scale->joint_count; ++j)
        if (scale->shares[j] > 0) sum += (double)scale->shares[j] * middle_stretch(&pose->skin[j]);
    if (!(sum > 1 / SCALE_MOST && sum < SCALE_MOST) || fabs(sum - 1) < RIGID) return 1;
    return (float)sum;
}

// Joints for the bones found: which bone is the parent of which, and where they meet.
#include "base/internal.h"
#include "rig/decompose/decompose.h"

#include <math.h>
#include <string.h>

// Pulls a joint to the skin it moves, relative to how much the two bones rotate against each other: along the axis of a hinge
// nothing else determines it.
#define PULL 0.02
// A joint farther than this from its skin (diagonal = 1) is an artifact of noise; the skin's center is used instead.
#define ASTRAY 0.2
// Misfits below this count as equally good.
#define MISFIT_SCALE 0.01

typedef struct meeting {
    double at[3];
    double misfit; ///< how far the two bones carry it apart, root mean square over the frames
} meeting;

static void middle_of(const double h[SUP_DECOMPOSE_MOMENTS], double out[3])
{
    out[0] = h[3] / h[9];
    out[1] = h[6] / h[9];
    out[2] = h[8] / h[9];
}

static const double* moments(const sup_decomposer* d, uint32_t a, uint32_t b)
{
    return d->second + sup_decompose_pair(a, b) * SUP_DECOMPOSE_MOMENTS;
}

// x of the symmetric positive definite a x = b.
static bool solve3(double a[3][3], double b[3])
{
    for (int i = 0; i < 3; ++i) {
        if (!(a[i][i] > 0)) return false;
        for (int r = i + 1; r < 3; ++r) {
            double factor = a[r][i] / a[i][i];
            for (int c = i; c < 3; ++c) a[r][c] -= factor * a[i][c];
            b[r] -= factor * b[i];
        }
    }
    for (int i = 2; i >= 0; --i) {
        for (int c = i + 1; c < 3; ++c) b[i] -= a[i][c] * b[c];
        b[i] /= a[i][i];
    }
    return true;
}

static double separation(const sup_decomposer* d, uint32_t a, uint32_t b, const double at[3])
{
    double sum = 0;
    for (uint32_t f = 0; f < d->frame_count; ++f) {
        const double* frame = d->exact + (size_t)f * d->bones_max * 12;
        for (size_t r = 0; r < 3; ++r) {
            const double *m = frame + (size_t)a * 12 + 4 * r, *n = frame + (size_t)b * 12 + 4 * r;
            double        gap = (m[0] - n[0]) * at[0] + (m[1] - n[1]) * at[1] + (m[2] - n[2]) * at[2] + (m[3] - n[3]);
            sum += gap * gap;
        }
    }
    return sqrt(sum / d->frame_count);
}

// The point that both bones carry to the same place in all frames, as nearly as possible: least squares over (M_a - M_b)(x 1),
// with a pull toward `home`.
static meeting find_meeting(const sup_decomposer* d, uint32_t a, uint32_t b, const double home[3])
{
    double  g[3][3] = { { 0 } }, rhs[3] = { 0 }, turn = 0;
    meeting out = { .at = { home[0], home[1], home[2] } };
    for (uint32_t f = 0; f < d->frame_count; ++f) {
        const double* frame = d->exact + (size_t)f * d->bones_max * 12;
        for (size_t r = 0; r < 3; ++r) {
            const double *m = frame + (size_t)a * 12 + 4 * r, *n = frame + (size_t)b * 12 + 4 * r;
            double        row[4] = { m[0] - n[0], m[1] - n[1], m[2] - n[2], m[3] - n[3] };
            for (int i = 0; i < 3; ++i) {
                for (int k = 0; k < 3; ++k) g[i][k] += row[i] * row[k];
                rhs[i] -= row[i] * row[3];
                turn += row[i] * row[i];
            }
        }
    }
    const double still = 1e-12; // of squared entries, dimensionless: two bones that never turn against each other meet at home
    double       pull = PULL * turn + still;
    for (int i = 0; i < 3; ++i) {
        g[i][i] += pull;
        rhs[i] += pull * home[i];
    }
    if (solve3(g, rhs)) {
        double away = 0;
        for (int i = 0; i < 3; ++i) away += (rhs[i] - home[i]) * (rhs[i] - home[i]);
        if (away < ASTRAY * ASTRAY) memcpy(out.at, rhs, sizeof out.at);
    }
    out.misfit = separation(d, a, b, out.at);
    return out;
}

// How well b fits as a child of a: much shared skin and a point that stays together. Bones without shared skin come after all
// others, the nearest first.
static double affinity(const sup_decomposer* d, uint32_t a, uint32_t b, meeting* out)
{
    const double *shared = moments(d, a, b), *mine = moments(d, a, a), *other = moments(d, b, b);
    double        home[3], ma[3] = { 0 }, mb[3] = { 0 }, distance = 0;
    if (mine[9] > 0) middle_of(mine, ma);
    if (other[9] > 0) middle_of(other, mb);
    if (shared[9] > 0) {
        middle_of(shared, home);
        *out = find_meeting(d, a, b, home);
        double least = mine[9] < other[9] ? mine[9] : other[9];
        return shared[9] / (least > 0 ? least : 1.0) / (MISFIT_SCALE + out->misfit);
    }
    for (int i = 0; i < 3; ++i) {
        home[i] = 0.5 * (ma[i] + mb[i]);
        distance += (ma[i] - mb[i]) * (ma[i] - mb[i]);
    }
    *out = find_meeting(d, a, b, home);
    return -sqrt(distance);
}

// The root is the bone nearest to the center of the body among those that carry enough of it.
static uint32_t find_root(const sup_decomposer* d)
{
    double   middle[3] = { 0, 0, 0 }, mass = 0, nearest = 0;
    uint32_t root = SUP_NONE;
    for (uint32_t b = 0; b < d->bone_count; ++b) {
        const double* h = moments(d, b, b);
        for (int c = 0; c < 3; ++c) middle[c] += h[c == 0 ? 3 : c == 1 ? 6 : 8];
        mass += h[9];
    }
    for (uint32_t b = 0; b < d->bone_count && mass > 0; ++b) {
        double at[3], distance = 0;
        if (moments(d, b, b)[9] < 0.5 * mass / d->bone_count) continue;
        middle_of(moments(d, b, b), at);
        for (int c = 0; c < 3; ++c) distance += (at[c] - middle[c] / mass) * (at[c] - middle[c] / mass);
        if (root != SUP_NONE && distance >= nearest) continue;
        nearest = distance;
        root = b;
    }
    return root == SUP_NONE ? 0 : root;
}

void sup_decompose_tree(const sup_decomposer* d, bool flat, uint32_t* parents, double (*heads)[3])
{
    uint32_t root = find_root(d);
    double   best[SUP_DECOMPOSE_BONES_MAX];
    bool     inside[SUP_DECOMPOSE_BONES_MAX] = { false };
    for (uint32_t b = 0; b < d->bone_count; ++b) {
        parents[b] = SUP_NONE;
        memset(heads[b], 0, sizeof heads[b]);
        if (moments(d, b, b)[9] > 0) middle_of(moments(d, b, b), heads[b]);
    }
    if (flat) return;
    // The tree grows by the best pair (Prim 1957).
    inside[root] = true;
    for (uint32_t newest = root, left = d->bone_count - 1; left > 0; --left) {
        uint32_t next = SUP_NONE;
        for (uint32_t b = 0; b < d->bone_count; ++b) {
            if (inside[b]) continue;
            meeting m;
            double  fits = affinity(d, newest, b, &m);
            if (parents[b] == SUP_NONE || fits > best[b]) {
                best[b] = fits;
                parents[b] = newest;
                memcpy(heads[b], m.at, sizeof heads[b]);
            }
            if (next == SUP_NONE || best[b] > best[next]) next = b;
        }
        inside[next] = true;
        newest = next;
    }
}

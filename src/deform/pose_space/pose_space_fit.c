// Coefficients of radial basis functions, point by point. The distances are those of points in a flat space (see
// docs/deformers/pose_space.md), so for centers that differ both systems have exactly one answer (Micchelli 1986):
//
//   multiquadric  phi = sqrt(d^2 + s^2)  sum_k c_k phi(d_ik) + b = shape_i,  sum_k c_k = 0
//   linear        the same with s = 0: holds its value far away
//   gaussian      phi = exp(-(d/s)^2)    sum_k c_k phi(d_ik) = shape_i: fades to nothing far away
#include "base/internal.h"
#include "deform/pose_space/pose_space.h"
#include "math/trig.h"
#include "math/vec.h"

#include <string.h>

#define PIVOT_LEAST 1e-13 // relative to the largest entry: below it two centers are the same
#define ROUNDING 0.5      // relative to the radius: how far a multiquadric is rounded off at its centers
#define GROWTH_MOST 1e3   // largest sum of coefficients over the shapes: a wide Gaussian cancels, and floats keep seven digits
enum { PIECES = 16, NARROWINGS = 8 };

typedef struct solver {
    const pose_fit* fit;
    pose_field*     field;
    float*          data;
    double*         work;   // per piece: the matrix, its inverse, distances
    size_t          each;   // doubles of scratch per piece
    uint32_t        grain;  // blocks per piece
    uint32_t*       failed; // per piece: the point that could not be solved, SUP_NONE: none
} solver;

// ---------------------------------------------------------------------------------------------- one system

/// Gauss-Jordan with row pivoting; destroys a. False if it is singular.
static bool invert(double* a, double* inverse, uint32_t n)
{
    double most = 0;
    for (size_t i = 0; i < (size_t)n * n; ++i) {
        most = fabs(a[i]) > most ? fabs(a[i]) : most;
        inverse[i] = i % ((size_t)n + 1) == 0;
    }
    for (uint32_t k = 0; k < n; ++k) {
        uint32_t best = k;
        for (uint32_t i = k + 1; i < n; ++i)
            if (fabs(a[(size_t)i * n + k]) > fabs(a[(size_t)best * n + k])) best = i;
        if (!(fabs(a[(size_t)best * n + k]) > PIVOT_LEAST * most)) return false;
        for (uint32_t j = 0; j < n && best != k; ++j) {
            double x = a[(size_t)k * n + j], y = inverse[(size_t)k * n + j];
            a[(size_t)k * n + j] = a[(size_t)best * n + j], a[(size_t)best * n + j] = x;
            inverse[(size_t)k * n + j] = inverse[(size_t)best * n + j], inverse[(size_t)best * n + j] = y;
        }
        double scale = 1.0 / a[(size_t)k * n + k];
        for (uint32_t j = 0; j < n; ++j) a[(size_t)k * n + j] *= scale, inverse[(size_t)k * n + j] *= scale;
        for (uint32_t i = 0; i < n; ++i) {
            double factor = a[(size_t)i * n + k];
            if (i == k || factor == 0) continue;
            for (uint32_t j = 0; j < n; ++j) {
                a[(size_t)i * n + j] -= factor * a[(size_t)k * n + j];
                inverse[(size_t)i * n + j] -= factor * inverse[(size_t)k * n + j];
            }
        }
    }
    return true;
}

/// Squared distances between the centers in the entry's metric, summed in the same order as in the kernel.
static void measure(const pose_fit* f, uint32_t entry, double* d2)
{
    uint32_t n = f->center_count;
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t k = 0; k < n; ++k) {
            float sum = 0;
            for (uint32_t w = f->weight_begin[entry]; w < f->weight_begin[entry + 1]; ++w)
                sum += f->weights[w] * f->between[((size_t)i * f->row_count + f->weight_rows[w]) * n + k];
            d2[(size_t)i * n + k] = sum;
        }
}

/// Mean over the centers of the squared distance to the nearest other one.
static double spacing2(const double* d2, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; ++i) {
        double least = INFINITY;
        for (uint32_t k = 0; k < n; ++k)
            if (k != i && d2[(size_t)i * n + k] < least) least = d2[(size_t)i * n + k];
        sum += least;
    }
    return sum / n;
}

/// The largest row sum of absolute values: the bound on the growth of a coefficient.
static double growth(const double* inverse, uint32_t n)
{
    double most = 0;
    for (uint32_t i = 0; i < n; ++i) {
        double sum = 0;
        for (uint32_t k = 0; k < n; ++k) sum += fabs(inverse[(size_t)i * n + k]);
        most = sum > most ? sum : most;
    }
    return most;
}

static bool solve_distances(const double* d2, uint32_t n, double width, double* a, double* inverse)
{
    uint32_t size = n + 1;
    for (uint32_t i = 0; i < size; ++i)
        for (uint32_t k = 0; k < size; ++k)
            a[(size_t)i * size + k] = i == n && k == n ? 0 : i == n || k == n ? 1 : sqrt(d2[(size_t)i * n + k] + width);
    return invert(a, inverse, size);
}

/// The inverse of the entry's system, and the kernel's width. A width whose system is ill-conditioned is halved until it is
/// not; the last resort of the multiquadric is the linear kernel.
static bool solve(const pose_fit* f, const double* d2, double* a, double* inverse, float* width)
{
    uint32_t n = f->center_count;
    double   s2 = f->kernel == POSE_KERNEL_LINEAR || n < 2 ? 0 : f->radius * f->radius * spacing2(d2, n), most = 0;
    for (size_t i = 0; i < (size_t)n * n; ++i) most = d2[i] > most ? d2[i] : most;
    for (int turn = 0; turn < NARROWINGS && s2 > 0; ++turn, s2 *= 0.25) {
        *width = (float)(f->kernel == POSE_KERNEL_GAUSSIAN ? 1.0 / s2 : s2 * ROUNDING * ROUNDING);
        if (f->kernel == POSE_KERNEL_GAUSSIAN) {
            for (size_t i = 0; i < (size_t)n * n; ++i) a[i] = sup_exp(-d2[i] * (double)*width);
            if (invert(a, inverse, n) && growth(inverse, n) <= GROWTH_MOST) return true;
        } else if (solve_distances(d2, n, *width, a, inverse) && growth(inverse, n + 1) * sqrt(most + *width) <= GROWTH_MOST)
            return true;
    }
    *width = 0;
    if (f->kernel != POSE_KERNEL_GAUSSIAN) return solve_distances(d2, n, 0, a, inverse);
    for (size_t i = 0; i < (size_t)n * n; ++i) a[i] = 1; // a single center: its shape everywhere
    return n == 1 && invert(a, inverse, n);
}

// ---------------------------------------------------------------------------------------------- all points

static bool same_weights(const pose_fit* f, uint32_t a, uint32_t b)
{
    uint32_t count = f->weight_begin[a + 1] - f->weight_begin[a];
    return count == f->weight_begin[b + 1] - f->weight_begin[b] &&
           memcmp(f->weight_rows + f->weight_begin[a], f->weight_rows + f->weight_begin[b], count * sizeof(uint32_t)) == 0 &&
           memcmp(f->weights + f->weight_begin[a], f->weights + f->weight_begin[b], count * sizeof(float)) == 0;
}

/// Writes the entry's numbers to lane `lane` of its block.
static void fill(const solver* s, uint32_t entry, uint32_t lane, const double* inverse, float width)
{
    const pose_fit*   f = s->fit;
    const pose_block* b = &s->field->blocks[entry / SUP_LANES];
    float*            to = s->data + b->data + lane;
    uint32_t          n = f->center_count, size = f->kernel == POSE_KERNEL_GAUSSIAN ? n : n + 1;
    for (uint32_t w = f->weight_begin[entry], r = 0; w < f->weight_begin[entry + 1]; ++w) {
        while (s->field->rows[b->row_begin + r] != f->weight_rows[w]) ++r;
        to[(size_t)r * SUP_LANES] = f->weights[w];
    }
    to += (size_t)b->row_count * SUP_LANES;
    to[0] = width;
    for (uint32_t i = 0; i < size; ++i) {
        double sum[3] = { 0, 0, 0 };
        for (uint32_t k = 0; k < n; ++k) {
            sup_vec3 shape = f->shapes[k][f->points[entry]];
            double   factor = inverse[(size_t)i * size + k];
            sum[0] += factor * (double)shape.x;
            sum[1] += factor * (double)shape.y;
            sum[2] += factor * (double)shape.z;
        }
        // The constant precedes the centers' coefficients.
        float* at = to + (i == n ? 1 : 4 + 3 * (size_t)i) * SUP_LANES;
        for (int axis = 0; axis < 3; ++axis) at[axis * SUP_LANES] = (float)sum[axis];
    }
}

static void solve_blocks(void* data, uint32_t begin, uint32_t end)
{
    solver*         s = data;
    const pose_fit* f = s->fit;
    uint32_t        n = f->center_count, piece = begin / s->grain;
    double * a = s->work + piece * s->each, *inverse = a + (size_t)(n + 1) * (n + 1), *d2 = inverse + (size_t)(n + 1) * (n + 1);
    uint32_t last = SUP_NONE;
    float    width = 0;
    for (uint32_t slot = begin * SUP_LANES; slot < end * SUP_LANES && s->failed[piece] == SUP_NONE; ++slot) {
        uint32_t entry = slot < f->point_count ? slot : f->point_count - 1;
        if (last == SUP_NONE || !same_weights(f, last, entry)) {
            measure(f, entry, d2);
            if (!solve(f, d2, a, inverse, &width)) s->failed[piece] = entry;
            last = entry;
        }
        if (s->failed[piece] == SUP_NONE) fill(s, entry, slot % SUP_LANES, inverse, width);
    }
}

/// Rows of a block: the union of those of its points, rising. Returns how many; `rows` may be NULL to count only.
static uint32_t join_rows(const pose_fit* f, uint32_t block, uint32_t* rows)
{
    uint32_t begin = block * SUP_LANES, end = begin + SUP_LANES < f->point_count ? begin + SUP_LANES : f->point_count;
    uint32_t at[SUP_LANES], count = 0;
    for (uint32_t i = begin; i < end; ++i) at[i - begin] = f->weight_begin[i];
    for (;;) {
        uint32_t least = SUP_NONE;
        for (uint32_t i = begin; i < end; ++i)
            if (at[i - begin] < f->weight_begin[i + 1] && f->weight_rows[at[i - begin]] < least)
                least = f->weight_rows[at[i - begin]];
        if (least == SUP_NONE) return count;
        for (uint32_t i = begin; i < end; ++i)
            if (at[i - begin] < f->weight_begin[i + 1] && f->weight_rows[at[i - begin]] == least) ++at[i - begin];
        if (rows) rows[count] = least;
        ++count;
    }
}

static bool lay_out(const pose_fit* f, sup_arena* arena, pose_field* out, float** data)
{
    uint32_t    blocks = (f->point_count + SUP_LANES - 1) / SUP_LANES;
    pose_block* made = SUP_NEW(arena, pose_block, blocks);
    uint32_t*   rows = SUP_NEW(arena, uint32_t, (size_t)f->weight_begin[f->point_count] + 1);
    if (!made || !rows) return false;
    size_t   size = 0;
    uint32_t row = 0;
    for (uint32_t i = 0; i < blocks; ++i) {
        made[i] = (pose_block){ row, join_rows(f, i, rows + row), size };
        row += made[i].row_count;
        size += pose_block_size(made[i].row_count, f->center_count);
    }
    *data = SUP_NEW(arena, float, size + 1);
    *out = (pose_field){ f->kernel, f->center_count, blocks, made, rows, *data };
    return *data != NULL;
}

static void find_nearest(const pose_fit* f, uint32_t entry, double* d2, uint32_t culprits[2])
{
    uint32_t n = f->center_count;
    double   least = INFINITY;
    measure(f, entry, d2);
    culprits[0] = 0, culprits[1] = 1;
    for (uint32_t i = 0; i < n; ++i)
        for (uint32_t k = i + 1; k < n; ++k)
            if (d2[(size_t)i * n + k] < least) least = d2[(size_t)i * n + k], culprits[0] = i, culprits[1] = k;
}

sup_result sup_pose_fit_solve(const pose_fit* fit, const sup_tasks* tasks, sup_arena* arena, pose_field* out,
                              uint32_t culprits[2], sup_error* error)
{
    solver     s = { .fit = fit, .field = out };
    sup_arena* temporary = sup_arena_beside(arena);
    bool       good = temporary && lay_out(fit, arena, out, &s.data);
    sup_result r = SUP_OK;
    if (good) {
        size_t n = (size_t)fit->center_count + 1;
        s.grain = out->block_count / PIECES + 1;
        s.each = 3 * n * n;
        uint32_t pieces = out->block_count / s.grain + 1;
        s.work = SUP_NEW(temporary, double, pieces* s.each);
        s.failed = SUP_NEW(temporary, uint32_t, pieces);
        good = s.work && s.failed;
        for (uint32_t i = 0; good && i < pieces; ++i) s.failed[i] = SUP_NONE;
        if (good) sup_tasks_run(tasks, out->block_count, s.grain, solve_blocks, &s);
        for (uint32_t i = 0; good && i < pieces && r == SUP_OK; ++i)
            if (s.failed[i] != SUP_NONE) {
                find_nearest(fit, s.failed[i], s.work, culprits);
                r = SUP_ERROR_INPUT;
            }
    }
    sup_arena_destroy(temporary);
    return good ? r : sup_fail_memory(error, "pose_space");
}

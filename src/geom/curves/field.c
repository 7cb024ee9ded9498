// Directions are diffused over the surface, then the coordinate is fitted to them. Both are sparse symmetric systems over the
// edges, solved by conjugate gradients in double precision, in one fixed order.
#include "geom/curves/field.h"

#include "base/internal.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

/// In scales: how far directions are diffused, the distance over which the guess still counts, and how far the coordinate is
/// smoothed at the end.
#define DIRECTION_REACH 2.0
#define PLACE_REACH 10.0
#define LAST_REACH 0.7
/// Where limbs meet, directions cancel out: those shorter than this keep their length and are not normalized.
#define DIRECTION_LEAST 0.25
/// Cotangents of needles are unbounded, so they are clamped; a coupling below the least would pull points apart.
#define COTANGENT_MOST 5.0
#define COUPLING_LEAST 0.02
/// Coupling between points that coincide.
#define TOGETHER 200.0
enum { ROUNDS_MAX = 600 };
/// Overrelaxation factor of the preconditioner: on meshes whose points come in any order the fewest iterations are at 1.15 to
/// 1.3.
#define OVER 1.3

typedef struct field_system {
    uint32_t            n;
    const sup_topology* t;
    double*             coupling; ///< per entry of the rings
    double*             mass;     ///< per point: its share of the surface, in square scales
    double*             degree;   ///< sum of its couplings
    uint32_t*           middle;   ///< per point: the first entry of a neighbor with a higher number
    double*             work;     ///< 11 n: of the solver
} field_system;

// ---------------------------------------------------------------------------------------------- couplings

static uint32_t entry_of(const sup_topology* t, uint32_t from, uint32_t to)
{
    uint32_t low = t->ring_begin[from], high = t->ring_begin[from + 1];
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (t->ring[middle] <= to) low = middle;
        else high = middle;
    }
    return low;
}

/// Cotangent couplings, which depend on the surface and not on how it is cut into triangles.
static bool make_system(const sup_curve_mesh* mesh, const sup_topology* t, double scale, sup_arena* arena, field_system* out)
{
    uint32_t     n = mesh->point_count;
    field_system s = { .n = n, .t = t };
    s.coupling = SUP_NEW(arena, double, t->ring_begin[n]);
    s.mass = SUP_NEW(arena, double, n), s.degree = SUP_NEW(arena, double, n);
    s.middle = SUP_NEW(arena, uint32_t, n), s.work = SUP_NEW(arena, double, 11 * (size_t)n);
    if (!s.coupling || !s.mass || !s.degree || !s.middle || !s.work) return false;
    for (uint32_t i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t* c = mesh->triangles + 3 * (size_t)i;
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
        for (int k = 0; k < 3; ++k) {
            uint32_t a = c[(k + 1) % 3], b = c[(k + 2) % 3];
            sup_vec3 o = mesh->points[c[k]], u = v3_sub(mesh->points[a], o), v = v3_sub(mesh->points[b], o);
            double   x = (double)u.x / scale, y = (double)u.y / scale, z = (double)u.z / scale;
            double   p = (double)v.x / scale, q = (double)v.y / scale, r = (double)v.z / scale;
            double   cross =
                sqrt((y * r - z * q) * (y * r - z * q) + (z * p - x * r) * (z * p - x * r) + (x * q - y * p) * (x * q - y * p));
            double dot = x * p + y * q + z * r, most = COTANGENT_MOST * cross;
            double cot = cross > 0 ? (dot > most ? most : dot < -most ? -most : dot) / cross : dot > 0 ? TOGETHER : 0;
            s.coupling[entry_of(t, a, b)] += 0.5 * cot;
            s.coupling[entry_of(t, b, a)] += 0.5 * cot;
            s.mass[c[k]] += cross / 6;
        }
    }
    for (uint32_t p = 0; p < n; ++p) {
        s.middle[p] = t->ring_begin[p];
        for (uint32_t k = t->ring_begin[p]; k < t->ring_begin[p + 1]; ++k) {
            if (!(s.coupling[k] > COUPLING_LEAST)) s.coupling[k] = COUPLING_LEAST;
            s.degree[p] += s.coupling[k];
            s.middle[p] += t->ring[k] < p;
        }
    }
    *out = s;
    return true;
}

// ---------------------------------------------------------------------------------------------- solver

/// (a M + b L) split into its lower triangle, its diagonal D and its upper one, with D / OVER in the place of D in both.
typedef struct field_split {
    const field_system* s;
    double              b;
    double *            inverse, *diagonal; ///< OVER / D and D / OVER, 0 for isolated points
} field_split;

/// x = (D / OVER + lower)^-1 x, or by the upper triangle. Neighbors are in ascending order, with s->middle between the lower
/// and the upper ones. `columns` is a constant at every call.
static inline void sweep(const field_split* m, bool upper, uint32_t columns, double* x)
{
    const field_system* s = m->s;
    for (uint32_t i = 0; i < s->n; ++i) {
        uint32_t p = upper ? s->n - 1 - i : i, end = upper ? s->t->ring_begin[p + 1] : s->middle[p];
        double   sum[3] = { 0 };
        for (uint32_t k = upper ? s->middle[p] : s->t->ring_begin[p]; k < end; ++k)
            for (uint32_t c = 0; c < columns; ++c) sum[c] += s->coupling[k] * x[columns * (size_t)s->t->ring[k] + c];
        for (uint32_t c = 0; c < columns; ++c) {
            double* at = &x[columns * (size_t)p + c];
            *at = (*at + m->b * sum[c]) * m->inverse[p];
        }
    }
}

/// Preconditioned conjugate gradients (Eisenstat 1981): the matrix itself is never applied, as A = (D / OVER + lower) + (D /
/// OVER + upper) + (1 - 2 / OVER) D. On entry r is the residual at x; `most`: the limit for r D / OVER r, relative to the right
/// side's.
static inline void iterate(const field_split* m, uint32_t columns, double* x, double* r, double* d, double* t,
                           const double* most)
{
    uint32_t n = m->s->n;
    double   rz[3] = { 0 };
    for (uint32_t p = 0; p < n; ++p)
        for (uint32_t c = 0; c < columns; ++c) {
            size_t i = columns * (size_t)p + c;
            d[i] = m->diagonal[p] * r[i];
            rz[c] += r[i] * d[i];
        }
    for (int round = 0; round < ROUNDS_MAX; ++round) {
        double dot[3] = { 0 }, next[3] = { 0 }, alpha[3] = { 0 }, beta[3] = { 0 };
        bool   open = false;
        for (uint32_t c = 0; c < columns; ++c) open = open || rz[c] > most[c];
        if (!open) break;
        memcpy(t, d, columns * (size_t)n * sizeof *t);
        sweep(m, true, columns, t);
        double* w = t + columns * (size_t)n;
        for (uint32_t p = 0; p < n; ++p)
            for (uint32_t c = 0; c < columns; ++c) {
                size_t i = columns * (size_t)p + c;
                w[i] = d[i] + (OVER - 2) * m->diagonal[p] * t[i];
            }
        sweep(m, false, columns, w);
        for (size_t i = 0; i < columns * (size_t)n; i += columns)
            for (uint32_t c = 0; c < columns; ++c) w[i + c] += t[i + c], dot[c] += d[i + c] * w[i + c];
        for (uint32_t c = 0; c < columns; ++c) alpha[c] = rz[c] > most[c] && dot[c] > 0 ? rz[c] / dot[c] : 0;
        for (uint32_t p = 0; p < n; ++p)
            for (uint32_t c = 0; c < columns; ++c) {
                size_t i = columns * (size_t)p + c;
                x[i] += alpha[c] * t[i], r[i] -= alpha[c] * w[i];
                next[c] += r[i] * r[i] * m->diagonal[p];
            }
        for (uint32_t c = 0; c < columns; ++c) beta[c] = alpha[c] > 0 ? next[c] / rz[c] : 0, rz[c] = alpha[c] > 0 ? next[c] : 0;
        for (uint32_t p = 0; p < n; ++p)
            for (uint32_t c = 0; c < columns; ++c) {
                size_t i = columns * (size_t)p + c;
                d[i] = m->diagonal[p] * r[i] + beta[c] * d[i];
            }
    }
}

/// Solves (a M + b L) x = r, starting from the given x. `columns`: 1, or 3 side by side. Overwrites r. Stops when the residual
/// is `least` of the right side.
static void solve(const field_system* s, double a, double b, uint32_t columns, double* x, double* r, double least)
{
    size_t      n = s->n * (size_t)columns;
    double *    d = s->work, *t = d + n, most[3] = { 0 };
    field_split m = { s, b, s->work + 9 * (size_t)s->n, s->work + 10 * (size_t)s->n };
    for (uint32_t p = 0; p < s->n; ++p) {
        double diagonal = a * s->mass[p] + b * s->degree[p];
        m.inverse[p] = diagonal > 0 ? OVER / diagonal : 0, m.diagonal[p] = diagonal / OVER;
    }
    memcpy(d, r, n * sizeof *d);
    for (uint32_t p = 0; p < s->n; ++p) { // subtracts what x already gives
        double at = a * s->mass[p] + b * s->degree[p];
        for (uint32_t c = 0; c < columns; ++c) {
            double sum = at * x[columns * (size_t)p + c];
            for (uint32_t k = s->t->ring_begin[p]; k < s->t->ring_begin[p + 1]; ++k)
                sum -= b * s->coupling[k] * x[columns * (size_t)s->t->ring[k] + c];
            r[columns * (size_t)p + c] -= sum;
        }
    }
    if (columns == 3) sweep(&m, false, 3, d), sweep(&m, false, 3, r);
    else sweep(&m, false, 1, d), sweep(&m, false, 1, r);
    for (uint32_t p = 0; p < s->n; ++p)
        for (uint32_t c = 0; c < columns; ++c) {
            double at = d[columns * (size_t)p + c];
            most[c] += least * least * m.diagonal[p] * at * at;
        }
    if (columns == 3) iterate(&m, 3, x, r, d, t, most);
    else iterate(&m, 1, x, r, d, t, most);
}

// ---------------------------------------------------------------------------------------------- the coordinate

static void make_normals(const sup_curve_mesh* mesh, sup_vec3* out)
{
    memset(out, 0, mesh->point_count * sizeof *out);
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* c = mesh->triangles + 3 * (size_t)t;
        sup_vec3 n = v3_cross(v3_sub(mesh->points[c[1]], mesh->points[c[0]]), v3_sub(mesh->points[c[2]], mesh->points[c[0]]));
        for (int k = 0; k < 3; ++k) out[c[k]] = v3_add(out[c[k]], n);
    }
    for (uint32_t p = 0; p < mesh->point_count; ++p) out[p] = v3_normalize(out[p], v3(0, 0, 0));
}

static void lay_flat(double* w, sup_vec3 n)
{
    double off = w[0] * (double)n.x + w[1] * (double)n.y + w[2] * (double)n.z;
    w[0] -= off * (double)n.x, w[1] -= off * (double)n.y, w[2] -= off * (double)n.z;
}

/// Projected into the surface, diffused, and normalized except where they cancel out. A shoulder's bone leads from the spine
/// outward, through the flank: its direction means nothing there, and neighbors decide instead.
static void smooth_directions(const field_system* s, const sup_guides* g, const sup_vec3* normals, double* directions,
                              double* right)
{
    for (uint32_t p = 0; p < s->n; ++p) {
        double* w = directions + 3 * (size_t)p;
        w[0] = (double)g->direction[p].x, w[1] = (double)g->direction[p].y, w[2] = (double)g->direction[p].z;
        lay_flat(w, normals[p]);
        for (int k = 0; k < 3; ++k) right[3 * p + k] = s->mass[p] * w[k];
    }
    solve(s, 1, DIRECTION_REACH * DIRECTION_REACH, 3, directions, right, 1e-3);
    for (uint32_t p = 0; p < s->n; ++p) {
        double* w = directions + 3 * (size_t)p;
        lay_flat(w, normals[p]);
        double size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), by = 1 / (size > DIRECTION_LEAST ? size : DIRECTION_LEAST);
        w[0] *= by, w[1] *= by, w[2] *= by;
    }
}

/// Least squares over the edges: along each the coordinate should rise as the direction between its ends requires.
static void fit_places(const field_system* s, const sup_curve_mesh* mesh, const sup_guides* g, double scale,
                       const double* directions, double* u, double* right)
{
    double held = 1 / (PLACE_REACH * PLACE_REACH);
    for (uint32_t p = 0; p < s->n; ++p) {
        double sum = held * s->mass[p] * ((double)g->place[p] / scale);
        u[p] = (double)g->place[p] / scale;
        for (uint32_t k = s->t->ring_begin[p]; k < s->t->ring_begin[p + 1]; ++k) {
            uint32_t      q = s->t->ring[k];
            sup_vec3      e = v3_sub(mesh->points[p], mesh->points[q]);
            const double *a = directions + 3 * (size_t)p, *b = directions + 3 * (size_t)q;
            sum += s->coupling[k] * 0.5 / scale *
                   ((a[0] + b[0]) * (double)e.x + (a[1] + b[1]) * (double)e.y + (a[2] + b[2]) * (double)e.z);
        }
        right[p] = sum;
    }
    solve(s, held, 1, 1, u, right, 1e-5);
    for (uint32_t p = 0; p < s->n; ++p) right[p] = s->mass[p] * u[p];
    solve(s, 1, LAST_REACH * LAST_REACH, 1, u, right, 1e-6);
}

sup_result sup_guides_smooth(const sup_curve_mesh* mesh, const sup_topology* topology, const sup_guides* guides, float scale,
                             sup_arena* arena, float* out, sup_error* error)
{
    uint32_t     n = mesh->point_count;
    double       by = scale > 0 ? (double)scale : 1;
    sup_arena*   work = sup_arena_beside(arena);
    field_system s = { 0 };
    double *     directions = work ? SUP_NEW(work, double, 3 * (size_t)n) : NULL,
           *right = work ? SUP_NEW(work, double, 3 * (size_t)n) : NULL;
    double*   u = work ? SUP_NEW(work, double, n) : NULL;
    sup_vec3* normals = work ? SUP_NEW(work, sup_vec3, n) : NULL;
    bool      good = directions && right && u && normals && make_system(mesh, topology, by, work, &s);
    if (good) {
        make_normals(mesh, normals);
        smooth_directions(&s, guides, normals, directions, right);
        fit_places(&s, mesh, guides, by, directions, u, right);
        for (uint32_t p = 0; p < n; ++p) out[p] = isfinite(u[p]) ? (float)(u[p] * by) : 0;
    }
    sup_arena_destroy(work);
    return good ? SUP_OK : sup_fail_memory(error, "curves");
}

/// Harmonic between the surrounding points: with positive couplings such a coordinate has no extremum inside.
sup_result sup_coordinate_fill(const sup_curve_mesh* mesh, const sup_topology* topology, const bool* marked, sup_arena* arena,
                               float* u, sup_error* error)
{
    uint32_t     n = mesh->point_count;
    sup_arena*   work = sup_arena_beside(arena);
    field_system s = { 0 };
    double *     x = work ? SUP_NEW(work, double, n) : NULL, *right = work ? SUP_NEW(work, double, n) : NULL;
    bool         good = x && right && make_system(mesh, topology, 1, work, &s);
    for (uint32_t p = 0; good && p < n; ++p) {
        // Only couplings inside stay in the matrix; those to fixed points move to the right side.
        s.mass[p] = 0;
        for (uint32_t k = topology->ring_begin[p]; k < topology->ring_begin[p + 1]; ++k) {
            uint32_t q = topology->ring[k];
            if (marked[p] && !marked[q]) right[p] += s.coupling[k] * (double)u[q];
            if (!marked[p] || !marked[q]) s.coupling[k] = 0;
        }
        if (!marked[p]) s.degree[p] = 0;
        x[p] = marked[p] ? (double)u[p] : 0;
    }
    if (good) solve(&s, 0, 1, 1, x, right, 1e-6);
    for (uint32_t p = 0; good && p < n; ++p)
        if (marked[p] && isfinite(x[p])) u[p] = (float)x[p];
    sup_arena_destroy(work);
    return good ? SUP_OK : sup_fail_memory(error, "curves");
}

sup_result sup_surface_diffuse(const sup_curve_mesh* mesh, const sup_topology* topology, float reach, float* const* values,
                               uint32_t count, sup_arena* arena, sup_error* error)
{
    uint32_t     n = mesh->point_count;
    sup_arena*   work = sup_arena_beside(arena);
    field_system s = { 0 };
    double *     x = work ? SUP_NEW(work, double, n) : NULL, *right = work ? SUP_NEW(work, double, n) : NULL;
    bool         good = x && right && make_system(mesh, topology, reach > 0 ? (double)reach : 1, work, &s);
    for (uint32_t i = 0; good && i < count; ++i) {
        for (uint32_t p = 0; p < n; ++p) x[p] = (double)values[i][p], right[p] = s.mass[p] * x[p];
        solve(&s, 1, 1, 1, x, right, 1e-6);
        for (uint32_t p = 0; p < n; ++p)
            if (isfinite(x[p])) values[i][p] = (float)x[p];
    }
    sup_arena_destroy(work);
    return good ? SUP_OK : sup_fail_memory(error, "curves");
}

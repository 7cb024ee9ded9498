// Which cells a triangle touches: exact triangle-box tests by separating axes.
#include "geom/volume/voxels_internal.h"

#include <math.h>

// Boxes are grown by this, in cells: touching counts.
#define GROWN 1e-6

// A triangle in cells from the grid's origin, with what all its tests share.
typedef struct touching {
    double p[3][3], edge[3][3], normal[3];
    double low[3], high[3]; ///< of its box
} touching;

static void cross3(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

// fmin and fmax are calls that handle NaN; there is none here.
static double least(double a, double b, double c) { return a < b ? (a < c ? a : c) : b < c ? b : c; }
static double most(double a, double b, double c) { return a > b ? (a > c ? a : c) : b > c ? b : c; }

static double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline bool apart_along(const double axis[3], const double v[3][3], const double half[3])
{
    double a = dot3(axis, v[0]), b = dot3(axis, v[1]), c = dot3(axis, v[2]);
    double reach = half[0] * fabs(axis[0]) + half[1] * fabs(axis[1]) + half[2] * fabs(axis[2]);
    return least(a, b, c) > reach || most(a, b, c) < -reach;
}

static inline bool apart_across(const double e[3], const double v[3][3], const double half[3], int b, int c)
{
    double p = e[b] * v[0][c] - e[c] * v[0][b], q = e[b] * v[1][c] - e[c] * v[1][b], r = e[b] * v[2][c] - e[c] * v[2][b];
    double reach = half[b] * fabs(e[c]) + half[c] * fabs(e[b]);
    return least(p, q, r) > reach || most(p, q, r) < -reach;
}

// Axes of zero length (degenerate triangles) separate nothing, and the others remain exact for points and segments.
static inline bool touches(const touching* t, const double center[3], const double half[3])
{
    double v[3][3];
    for (int i = 0; i < 3; ++i)
        for (int a = 0; a < 3; ++a) v[i][a] = t->p[i][a] - center[a];
    for (int a = 0; a < 3; ++a) {
        if (least(v[0][a], v[1][a], v[2][a]) > half[a]) return false;
        if (most(v[0][a], v[1][a], v[2][a]) < -half[a]) return false;
    }
    if (apart_along(t->normal, (const double(*)[3])v, half)) return false;
    for (int i = 0; i < 3; ++i) {
        const double* e = t->edge[i];
        // The axis across an edge and a coordinate axis has no component along the latter.
        for (int a = 0; a < 3; ++a)
            if (apart_across(e, (const double(*)[3])v, half, (a + 1) % 3, (a + 2) % 3)) return false;
    }
    return true;
}

// A corner well inside a box: no axis can separate the two.
static inline bool holds_corner(const touching* t, const double center[3])
{
    for (int i = 0; i < 3; ++i)
        if (fabs(t->p[i][0] - center[0]) < 0.5 && fabs(t->p[i][1] - center[1]) < 0.5 && fabs(t->p[i][2] - center[2]) < 0.5)
            return true;
    return false;
}

static void touch_cell(voxel_maker* m, const touching* t, const uint32_t x[3])
{
    const uint8_t  all = SUP_VOXEL_SURFACE | VOXEL_TOUCHED | VOXEL_TOUCHED << 1 | VOXEL_TOUCHED << 2;
    const uint32_t at = x[0] + m->step[1] * x[1] + m->step[2] * x[2];
    uint8_t        state = m->state[at];
    if ((state & all) == all) return; // all found already: triangles crowded in one place cost little
    const double center[3] = { x[0] + 0.5, x[1] + 0.5, x[2] + 0.5 };
    const double half[3] = { 0.5 + GROWN, 0.5 + GROWN, 0.5 + GROWN };
    // A triangle that touches a face touches the cells on both of its sides, so upper faces are enough.
    uint8_t reached = 0;
    for (int a = 0; a < 3; ++a) {
        double face = center[a] + 0.5;
        if (t->low[a] - face <= GROWN && t->high[a] - face >= -GROWN) reached |= (uint8_t)(VOXEL_TOUCHED << a);
    }
    reached &= (uint8_t)~state;
    if ((state & SUP_VOXEL_SURFACE) && !reached) return; // it would add nothing
    if (!(state & SUP_VOXEL_SURFACE) && !holds_corner(t, center) && !touches(t, center, half)) return;
    state |= SUP_VOXEL_SURFACE;
    for (int a = 0; a < 3; ++a) {
        double face[3] = { center[0], center[1], center[2] }, flat[3] = { half[0], half[1], half[2] };
        if (!(reached & VOXEL_TOUCHED << a)) continue;
        face[a] += 0.5;
        flat[a] = GROWN;
        if (touches(t, face, flat)) state |= (uint8_t)(VOXEL_TOUCHED << a);
    }
    m->state[at] = state;
}

static double clamped(double x, double low, double high) { return x > low ? (x < high ? x : high) : low; }

// First and last cell of a range, inside the padding.
static void cell_range(double low, double high, uint32_t size, uint32_t* first, uint32_t* last)
{
    *first = (uint32_t)clamped(low - 2 * GROWN, 1, size - 2.0);
    *last = (uint32_t)clamped(high + 2 * GROWN, 1, size - 2.0);
}

// Columns along the axis that the triangle faces most: in each only the cells near its plane, so that one large triangle costs
// a layer of cells and not a block. Returns how many cells were tested.
static uint64_t touch_triangle(voxel_maker* m, const touching* t)
{
    uint64_t tested = 0;
    int      a = 0;
    for (int i = 1; i < 3; ++i)
        if (fabs(t->normal[i]) > fabs(t->normal[a])) a = i;
    const uint32_t* size = m->out->size;
    uint32_t        first[3], last[3], x[3];
    int             b = (a + 1) % 3, c = (a + 2) % 3;
    for (int i = 0; i < 3; ++i) cell_range(t->low[i], t->high[i], size[i], &first[i], &last[i]);
    bool         plane = fabs(t->normal[a]) > 0;
    double       slope_b = plane ? -t->normal[b] / t->normal[a] : 0, slope_c = plane ? -t->normal[c] / t->normal[a] : 0;
    const double slack = 1e-3; // cells: more than the rounding of the level; testing a cell in vain is cheap
    double       reach = (fabs(slope_b) + fabs(slope_c)) * (0.5 + GROWN) + slack;
    for (x[c] = first[c]; x[c] <= last[c]; ++x[c])
        for (x[b] = first[b]; x[b] <= last[b]; ++x[b]) {
            double   level = t->p[0][a] + slope_b * (x[b] + 0.5 - t->p[0][b]) + slope_c * (x[c] + 0.5 - t->p[0][c]);
            uint32_t low = first[a], high = last[a];
            if (plane) { // a level that is none (a slope without end) bounds nothing
                double from = level - reach, to = level + reach;
                cell_range(from > first[a] ? from : first[a], to < last[a] + 0.5 ? to : last[a] + 0.5, size[a], &low, &high);
            }
            for (x[a] = low; x[a] <= high; ++x[a]) touch_cell(m, t, x);
            tested += high >= low ? 2 + high - low : 1;
        }
    return tested;
}

// A surface needs a few tests in each cell that it passes through. One that needs this many in every cell of the grid fills no
// body: its faces lie through each other.
enum { TESTS_PER_CELL = 8, TESTS_PER_TRIANGLE = 64, TESTS_A_REPORT = 1 << 22 };

sup_result voxel_touch(voxel_maker* m, sup_error* error)
{
    uint64_t               left = TESTS_PER_CELL * (uint64_t)m->grid + TESTS_PER_TRIANGLE * (uint64_t)m->desc->triangle_count;
    const sup_voxels_desc* d = m->desc;
    const sup_voxels*      v = m->out;
    uint64_t               silent = 0;
    for (uint32_t i = 0; i < d->triangle_count; ++i) {
        touching t;
        for (int k = 0; k < 3; ++k) {
            const float* p = &d->points[d->triangles[3 * (size_t)i + k]].x;
            for (int a = 0; a < 3; ++a) t.p[k][a] = ((double)p[a] - v->origin[a]) / v->h;
        }
        for (int k = 0; k < 3; ++k)
            for (int a = 0; a < 3; ++a) t.edge[k][a] = t.p[(k + 1) % 3][a] - t.p[k][a];
        for (int a = 0; a < 3; ++a) {
            t.low[a] = least(t.p[0][a], t.p[1][a], t.p[2][a]);
            t.high[a] = most(t.p[0][a], t.p[1][a], t.p[2][a]);
        }
        cross3(t.edge[0], t.edge[1], t.normal);
        uint64_t tested = touch_triangle(m, &t);
        if (tested > left)
            return sup_fail(
                error, SUP_ERROR_INPUT,
                "%u faces as large as the mesh cross each other, so it has no inside; repair the mesh, or remove them",
                d->triangle_count);
        left -= tested;
        if ((silent += tested + 1) < TESTS_A_REPORT) continue;
        silent = 0;
        sup_result result = voxel_report(m, error);
        if (result != SUP_OK) return result;
    }
    return SUP_OK;
}

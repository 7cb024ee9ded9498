// Householder reflections make the matrix tridiagonal, QL steps with implicit shifts make it diagonal (Bowdler, Martin,
// Reinsch, Wilkinson 1968). Vectors are rows throughout, so that every inner loop runs over neighbors in memory.
#include "math/eigen.h"

#include <math.h>
#include <string.h>

enum { STEPS_MAX = 60 }; // of one eigenvalue; two are usual

// If the matrix has a lower rank than rows, each round leaves the rounding errors of rounding errors: 1e-16, 1e-32, ... until
// squares underflow and the steps stall. In a matrix whose largest entry is about 1 this counts as zero.
#define NOTHING 0x1p-200

static double dot(const double* a, const double* b, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
}

// The reflection I - v v^T that sends x (n entries) to (alpha, 0, 0, ...): v replaces x, alpha is returned. v . v = 2.
static double reflect(double* x, uint32_t n)
{
    double tail = dot(x + 1, x + 1, n - 1), length = sqrt(x[0] * x[0] + tail);
    double alpha = x[0] > 0 ? -length : length;
    double first = x[0] - alpha, squares = first * first + tail;
    if (!(tail > 0) || !(squares > 0)) { // already in that form
        double own = x[0];
        memset(x, 0, n * sizeof *x);
        return own;
    }
    double scale = sqrt(2 / squares);
    x[0] = first * scale;
    for (uint32_t i = 1; i < n; ++i) x[i] *= scale;
    return alpha;
}

// Row k of the matrix keeps the reflection to the right of its diagonal; `p` is scratch of n.
static void reduce(uint32_t n, double* a, double* diagonal, double* beside, double* p)
{
    for (uint32_t k = 0; k + 1 < n; ++k) {
        double*  v = a + (size_t)k * n + k + 1;
        uint32_t m = n - k - 1;
        diagonal[k] = a[(size_t)k * n + k];
        beside[k] = m > 1 ? reflect(v, m) : v[0];
        if (m == 1) {
            v[0] = 0;
            continue;
        }
        // A - v w^T - w v^T with w = A v - (v A v / 2) v, on the part of the matrix not yet reduced.
        double half = 0;
        for (uint32_t i = 0; i < m; ++i) {
            p[i] = dot(a + (size_t)(k + 1 + i) * n + k + 1, v, m);
            half += p[i] * v[i];
        }
        half *= 0.5;
        for (uint32_t i = 0; i < m; ++i) p[i] -= half * v[i];
        for (uint32_t i = 0; i < m; ++i) {
            double* row = a + (size_t)(k + 1 + i) * n + k + 1;
            double  vi = v[i], pi = p[i];
            for (uint32_t j = 0; j < m; ++j) row[j] -= vi * p[j] + pi * v[j];
        }
    }
    diagonal[n - 1] = a[(size_t)n * n - 1];
    beside[n - 1] = 0;
}

// The transposed product of all reflections: row i becomes the vector of diagonal entry i.
static void accumulate(uint32_t n, const double* a, double* rows)
{
    memset(rows, 0, (size_t)n * n * sizeof *rows);
    for (uint32_t i = 0; i < n; ++i) rows[(size_t)i * n + i] = 1;
    for (uint32_t k = n - 1; k-- > 0;) {
        const double* v = a + (size_t)k * n + k + 1;
        uint32_t      m = n - k - 1;
        for (uint32_t i = k + 1; i < n; ++i) {
            double* row = rows + (size_t)i * n + k + 1;
            double  s = dot(row, v, m);
            for (uint32_t j = 0; j < m; ++j) row[j] -= s * v[j];
        }
    }
}

static void rotate(double* a, double* b, double c, double s, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i) {
        double x = a[i], y = b[i];
        a[i] = c * x - s * y;
        b[i] = s * x + c * y;
    }
}

// One QL step on entries l to m of the tridiagonal matrix.
static void ql_step(uint32_t n, uint32_t l, uint32_t m, double* d, double* e, double* rows)
{
    double g = (d[l + 1] - d[l]) / (2 * e[l]), r = sqrt(g * g + 1);
    g = d[m] - d[l] + e[l] / (g + (g < 0 ? -r : r));
    double s = 1, c = 1, p = 0;
    for (uint32_t i = m; i-- > l;) {
        double f = s * e[i], b = c * e[i];
        r = sqrt(f * f + g * g);
        e[i + 1] = r;
        if (r == 0) { // split early: the next step does the rest
            d[i + 1] -= p;
            e[m] = 0;
            return;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        p = s * r;
        d[i + 1] = g + p;
        g = c * r - b;
        rotate(rows + (size_t)i * n, rows + (size_t)(i + 1) * n, c, s, n);
    }
    d[l] -= p;
    e[l] = g;
    e[m] = 0;
}

static bool diagonalize(uint32_t n, double* d, double* e, double* rows)
{
    for (uint32_t l = 0; l < n; ++l) {
        for (int steps = 0;; ++steps) {
            uint32_t m = l;
            while (m + 1 < n && fabs(e[m]) > fmax(0x1p-52 * (fabs(d[m]) + fabs(d[m + 1])), NOTHING)) m++;
            if (m == l) break;
            if (steps == STEPS_MAX) return false;
            ql_step(n, l, m, d, e, rows);
        }
    }
    return true;
}

static void swap_rows(double* a, double* b, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i) {
        double t = a[i];
        a[i] = b[i];
        b[i] = t;
    }
}

// Selection sort: n rows move at most once each. Equal values keep their order.
static void order(uint32_t n, double* values, double* rows)
{
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t best = i, peak = 0;
        for (uint32_t j = i + 1; j < n; ++j)
            if (values[j] > values[best]) best = j;
        double* row = rows + (size_t)i * n;
        if (best != i) {
            double t = values[i];
            values[i] = values[best];
            values[best] = t;
            swap_rows(row, rows + (size_t)best * n, n);
        }
        for (uint32_t j = 1; j < n; ++j)
            if (fabs(row[j]) > fabs(row[peak])) peak = j;
        double sign = row[peak] < 0 ? -1 : 1;
        for (uint32_t j = 0; j < n; ++j) row[j] *= sign;
    }
}

// Takes the power of two above the largest entry out of the matrix: exact, so only what would underflow changes.
static int normalize(double* matrix, size_t count)
{
    double largest = 0;
    int    exponent = 0;
    for (size_t i = 0; i < count; ++i) largest = fmax(largest, fabs(matrix[i]));
    frexp(largest, &exponent);
    if (exponent)
        for (size_t i = 0; i < count; ++i) matrix[i] = ldexp(matrix[i], -exponent);
    return exponent;
}

bool sup_eigen_symmetric(uint32_t n, double* matrix, double* values, double* vectors, double* scratch)
{
    if (n == 0) return true;
    double* beside = scratch;
    int     exponent = normalize(matrix, (size_t)n * n);
    reduce(n, matrix, values, beside, scratch + n);
    accumulate(n, matrix, vectors);
    if (!diagonalize(n, values, beside, vectors)) return false;
    for (uint32_t i = 0; i < n; ++i) values[i] = ldexp(values[i], exponent);
    order(n, values, vectors);
    return true;
}

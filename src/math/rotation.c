// One matrix at a time; rotation_wide.c does eight.
#include "math/rotation.h"

#include "math/vec.h"

#include <math.h>

#define REAL float
#define MASK int
#define R_ALL(x) (x)
#define R_EVERY(mask) (mask)
#define R_ABS(x) fabsf(x)
#define R_SQRT(x) sqrtf(x)
#define R_MAX(a, b) ((a) > (b) ? (a) : (b))
#define R_SELECT(mask, a, b) ((mask) ? (a) : (b))
#include "math/rotation_newton.h"

#define JACOBI_SWEEPS 8

bool rotation_refine(const sup_mat3* a, int steps, sup_quat* q)
{
    const float m[9] = { a->m[0][0], a->m[0][1], a->m[0][2], a->m[1][0], a->m[1][1],
                         a->m[1][2], a->m[2][0], a->m[2][1], a->m[2][2] };
    float       p[4] = { q->x, q->y, q->z, q->w };
    bool        good = rotation_newton(m, steps, p) != 0;
    *q = quat(p[0], p[1], p[2], p[3]);
    return good;
}

/// One rotation of the cyclic Jacobi method: zeroes k[p][r] and turns the columns of v along.
static void jacobi_turn(double k[4][4], double v[4][4], int p, int r)
{
    if (k[p][r] == 0.0) return;
    double tau = (k[r][r] - k[p][p]) / (2.0 * k[p][r]);
    double t = (tau < 0 ? -1.0 : 1.0) / (fabs(tau) + sqrt(1.0 + tau * tau));
    double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
    for (int i = 0; i < 4; ++i) {
        double x = k[i][p], y = k[i][r];
        k[i][p] = c * x - s * y;
        k[i][r] = s * x + c * y;
    }
    for (int i = 0; i < 4; ++i) {
        double x = k[p][i], y = k[r][i];
        k[p][i] = c * x - s * y;
        k[r][i] = s * x + c * y;
        x = v[i][p], y = v[i][r];
        v[i][p] = c * x - s * y;
        v[i][r] = s * x + c * y;
    }
    k[p][r] = k[r][p] = 0.0;
}

// tr(R(q)^T A) = q^T K q for the symmetric K below (order w, x, y, z), so the maximum is K's largest eigenvector.
bool rotation_cold(const sup_mat3* a, sup_quat* q)
{
    double m[3][3], size = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) size += fabs((double)a->m[i][j]);
    if (!(size > 0) || !isfinite(size)) return false;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) m[i][j] = (double)a->m[i][j] / size;

    double k01 = m[2][1] - m[1][2], k02 = m[0][2] - m[2][0], k03 = m[1][0] - m[0][1];
    double k12 = m[0][1] + m[1][0], k13 = m[0][2] + m[2][0], k23 = m[1][2] + m[2][1];
    double k[4][4] = { { m[0][0] + m[1][1] + m[2][2], k01, k02, k03 },
                       { k01, m[0][0] - m[1][1] - m[2][2], k12, k13 },
                       { k02, k12, m[1][1] - m[0][0] - m[2][2], k23 },
                       { k03, k13, k23, m[2][2] - m[0][0] - m[1][1] } };
    double v[4][4] = { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 0, 0, 0, 1 } };
    for (int sweep = 0; sweep < JACOBI_SWEEPS; ++sweep)
        for (int p = 0; p < 3; ++p)
            for (int r = p + 1; r < 4; ++r) jacobi_turn(k, v, p, r);

    int best = 0; // the first of equal ones, so the choice repeats
    for (int i = 1; i < 4; ++i)
        if (k[i][i] > k[best][best]) best = i;
    double sign = 1.0; // of q and -q, the one whose first nonzero component is positive
    for (int i = 3; i >= 0; --i)
        if (v[i][best] != 0.0) sign = v[i][best] < 0 ? -1.0 : 1.0;
    double length = 0;
    for (int i = 0; i < 4; ++i) length += v[i][best] * v[i][best];
    sign /= sqrt(length);
    *q = quat((float)(sign * v[1][best]), (float)(sign * v[2][best]), (float)(sign * v[3][best]), (float)(sign * v[0][best]));
    return true;
}

void rotation_extract(const sup_mat3* a, sup_quat* q)
{
    sup_quat start = *q;
    if (rotation_refine(a, ROTATION_EXTRACT_STEPS, q)) return;
    *q = start;
    if (!rotation_cold(a, q)) return;
    if (quat_dot(start, *q) < 0) *q = quat(-q->x, -q->y, -q->z, -q->w); // the same rotation, on the side of the warm start
}

// The longer functions of math/vec.h. They work in double: rest poses are inverted once and used in every frame.
#include "math/vec.h"

#include "math/rotation.h"
#include "math/trig.h"

/// A computed 3x3 determinant errs by a few roundings of the sum of the absolute values of its six products; below that it is
/// noise.
#define DETERMINANT_NOISE (8.0 * 0x1p-53)
/// Unit columns whose cosine exceeds this are sheared; files store rotations to about 1e-6.
#define SHEAR_COSINE 1e-4
/// One-sided Jacobi on three columns converges quadratically: 4 or 5 sweeps suffice, the rest are for hostile input.
#define CONDITION_SWEEPS 12

bool affine_invert(const sup_affine* a, sup_affine* out)
{
    double m[3][3], c[3][3]; // c[i][j]: cofactor of m[j][i]
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) m[i][j] = (double)a->m[i][j];
    double size = 0;
    for (int i = 0; i < 3; ++i) {
        int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        for (int j = 0; j < 3; ++j) {
            int j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            c[i][j] = m[j1][i1] * m[j2][i2] - m[j1][i2] * m[j2][i1];
        }
        size += fabs(m[0][i]) * (fabs(m[1][i1] * m[2][i2]) + fabs(m[1][i2] * m[2][i1]));
    }
    double det = m[0][0] * c[0][0] + m[0][1] * c[1][0] + m[0][2] * c[2][0];
    if (!isfinite(size) || !(fabs(det) > DETERMINANT_NOISE * size)) return false;

    sup_affine r;
    for (int i = 0; i < 3; ++i) {
        double shift = 0;
        for (int j = 0; j < 3; ++j) {
            double value = c[i][j] / det;
            shift -= value * (double)a->m[j][3];
            r.m[i][j] = (float)value;
        }
        r.m[i][3] = (float)shift;
        for (int j = 0; j < 4; ++j)
            if (!isfinite(r.m[i][j])) return false;
    }
    *out = r;
    return true;
}

/// Rotates columns p and q of m until they are orthogonal. True when they already were.
static bool square_columns(double m[3][3], int p, int q)
{
    double pp = 0, qq = 0, pq = 0;
    for (int i = 0; i < 3; ++i) {
        pp += m[i][p] * m[i][p];
        qq += m[i][q] * m[i][q];
        pq += m[i][p] * m[i][q];
    }
    if (!(fabs(pq) > 1e-16 * sqrt(pp * qq))) return true;
    double tau = (qq - pp) / (2.0 * pq);
    double t = (tau < 0 ? -1.0 : 1.0) / (fabs(tau) + sqrt(1.0 + tau * tau));
    double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
    for (int i = 0; i < 3; ++i) {
        double x = m[i][p], y = m[i][q];
        m[i][p] = c * x - s * y;
        m[i][q] = s * x + c * y;
    }
    return false;
}

float affine_condition(const sup_affine* a)
{
    double m[3][3], size = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            m[i][j] = (double)a->m[i][j];
            size += fabs(m[i][j]);
        }
    if (!(size > 0) || !isfinite(size)) return INFINITY;
    // Working on the columns themselves, not on A^T A, keeps the small singular value to full precision.
    for (int sweep = 0; sweep < CONDITION_SWEEPS; ++sweep) {
        bool done = square_columns(m, 0, 1);
        done &= square_columns(m, 0, 2);
        done &= square_columns(m, 1, 2);
        if (done) break;
    }
    double low = INFINITY, high = 0;
    for (int j = 0; j < 3; ++j) {
        double length = sqrt(m[0][j] * m[0][j] + m[1][j] * m[1][j] + m[2][j] * m[2][j]);
        low = length < low ? length : low;
        high = length > high ? length : high;
    }
    return low > 4.0 * 0x1p-53 * high ? (float)(high / low) : INFINITY;
}

sup_quat quat_from_affine(const sup_affine* a)
{
    // The largest of the four squares is at least 1/4, so its root divides safely.
    float m00 = a->m[0][0], m11 = a->m[1][1], m22 = a->m[2][2];
    float w = 1 + m00 + m11 + m22, x = 1 + m00 - m11 - m22, y = 1 - m00 + m11 - m22, z = 1 - m00 - m11 + m22;
    float wx = a->m[2][1] - a->m[1][2], wy = a->m[0][2] - a->m[2][0], wz = a->m[1][0] - a->m[0][1];
    float xy = a->m[0][1] + a->m[1][0], xz = a->m[0][2] + a->m[2][0], yz = a->m[1][2] + a->m[2][1];
    if (w >= x && w >= y && w >= z) return quat_normalize(quat(wx, wy, wz, w));
    if (x >= y && x >= z) return quat_normalize(quat(x, xy, xz, wx));
    if (y >= z) return quat_normalize(quat(xy, y, yz, wy));
    return quat_normalize(quat(xz, yz, z, wz));
}

bool affine_decompose(const sup_affine* a, sup_transform* out)
{
    double unit[3][3], length[3]; // unit[j]: direction of column j
    bool   flat = false;
    for (int j = 0; j < 3; ++j) {
        double x = (double)a->m[0][j], y = (double)a->m[1][j], z = (double)a->m[2][j];
        length[j] = sqrt(x * x + y * y + z * z);
        double s = length[j] > 0 && isfinite(length[j]) ? 1.0 / length[j] : 0.0;
        flat |= s == 0.0;
        unit[j][0] = x * s, unit[j][1] = y * s, unit[j][2] = z * s;
    }
    double shear = 0;
    for (int j = 0; j < 3; ++j) {
        int    k = (j + 1) % 3;
        double cosine = fabs(unit[j][0] * unit[k][0] + unit[j][1] * unit[k][1] + unit[j][2] * unit[k][2]);
        shear = cosine > shear || isnan(cosine) ? cosine : shear;
    }
    const double(*u)[3] = (const double(*)[3])unit;
    double det = u[0][0] * (u[1][1] * u[2][2] - u[1][2] * u[2][1]) - u[0][1] * (u[1][0] * u[2][2] - u[1][2] * u[2][0]) +
                 u[0][2] * (u[1][0] * u[2][1] - u[1][1] * u[2][0]);
    double mirror = det < 0 ? -1.0 : 1.0;

    sup_mat3   columns;
    sup_affine rotation = affine_identity();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) columns.m[i][j] = rotation.m[i][j] = (float)(j == 0 ? mirror * unit[j][i] : unit[j][i]);
    bool clean = shear <= SHEAR_COSINE;
    out->translation = affine_translation(a);
    out->scale = v3((float)(mirror * length[0]), (float)length[1], (float)length[2]);
    out->rotation = quat_identity();
    if (clean && !flat) out->rotation = quat_from_affine(&rotation);
    else rotation_cold(&columns, &out->rotation); // a zero or sheared axis: the nearest rotation
    return clean;
}

sup_quat quat_slerp(sup_quat a, sup_quat b, float t)
{
    if (quat_dot(a, b) < 0) b = quat(-b.x, -b.y, -b.z, -b.w);
    double dx = (double)a.x - (double)b.x, dy = (double)a.y - (double)b.y, dz = (double)a.z - (double)b.z,
           dw = (double)a.w - (double)b.w;
    double sx = (double)a.x + (double)b.x, sy = (double)a.y + (double)b.y, sz = (double)a.z + (double)b.z,
           sw = (double)a.w + (double)b.w;
    // The angle from chord and bisector is exact for small angles, where acos of the dot product is not.
    double angle = 2.0 * sup_atan2(sqrt(dx * dx + dy * dy + dz * dz + dw * dw), sqrt(sx * sx + sy * sy + sz * sz + sw * sw));
    double ka = 1.0 - (double)t, kb = (double)t;
    if (angle > 1e-5) { // below, the weights are the linear ones to 1e-11
        double sine = sup_sin(angle);
        ka = sup_sin(ka * angle) / sine;
        kb = sup_sin(kb * angle) / sine;
    }
    return quat_normalize(quat((float)(ka * (double)a.x + kb * (double)b.x), (float)(ka * (double)a.y + kb * (double)b.y),
                               (float)(ka * (double)a.z + kb * (double)b.z), (float)(ka * (double)a.w + kb * (double)b.w)));
}

sup_quat quat_axis_angle(sup_vec3 axis, float angle)
{
    double half = 0.5 * (double)angle, s = sup_sin(half);
    return quat((float)((double)axis.x * s), (float)((double)axis.y * s), (float)((double)axis.z * s), (float)sup_cos(half));
}

sup_quat quat_euler_xyz(sup_vec3 angles)
{
    sup_quat x = quat_axis_angle(v3(1, 0, 0), angles.x);
    sup_quat y = quat_axis_angle(v3(0, 1, 0), angles.y);
    sup_quat z = quat_axis_angle(v3(0, 0, 1), angles.z);
    return quat_normalize(quat_mul(z, quat_mul(y, x)));
}

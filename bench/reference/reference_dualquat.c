// Kavan, Collins, Zara, O'Sullivan: Geometric skinning with approximate dual quaternion blending, 2008.
#include "bench/reference/reference.h"

#include <math.h>

reference_dual reference_dual_from(const sup_affine* a)
{
    const float(*m)[4] = a->m;
    float    trace = m[0][0] + m[1][1] + m[2][2];
    sup_quat q;
    if (trace > 0) {
        float s = 2 * sqrtf(trace + 1);
        q = (sup_quat){ (m[2][1] - m[1][2]) / s, (m[0][2] - m[2][0]) / s, (m[1][0] - m[0][1]) / s, s / 4 };
    } else if (m[0][0] > m[1][1] && m[0][0] > m[2][2]) {
        float s = 2 * sqrtf(1 + m[0][0] - m[1][1] - m[2][2]);
        q = (sup_quat){ s / 4, (m[0][1] + m[1][0]) / s, (m[0][2] + m[2][0]) / s, (m[2][1] - m[1][2]) / s };
    } else if (m[1][1] > m[2][2]) {
        float s = 2 * sqrtf(1 + m[1][1] - m[0][0] - m[2][2]);
        q = (sup_quat){ (m[0][1] + m[1][0]) / s, s / 4, (m[1][2] + m[2][1]) / s, (m[0][2] - m[2][0]) / s };
    } else {
        float s = 2 * sqrtf(1 + m[2][2] - m[0][0] - m[1][1]);
        q = (sup_quat){ (m[0][2] + m[2][0]) / s, (m[1][2] + m[2][1]) / s, s / 4, (m[1][0] - m[0][1]) / s };
    }
    float x = m[0][3], y = m[1][3], z = m[2][3];
    return (reference_dual){ q,
                             { 0.5f * (x * q.w + y * q.z - z * q.y), 0.5f * (y * q.w + z * q.x - x * q.z),
                               0.5f * (z * q.w + x * q.y - y * q.x), -0.5f * (x * q.x + y * q.y + z * q.z) } };
}

static sup_vec3 transform(sup_quat r, sup_quat d, sup_vec3 p)
{
    float length = sqrtf(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w);
    r = (sup_quat){ r.x / length, r.y / length, r.z / length, r.w / length };
    d = (sup_quat){ d.x / length, d.y / length, d.z / length, d.w / length };
    sup_vec3 t = { r.y * p.z - r.z * p.y + r.w * p.x, r.z * p.x - r.x * p.z + r.w * p.y, r.x * p.y - r.y * p.x + r.w * p.z };
    return (sup_vec3){ p.x + 2 * (r.y * t.z - r.z * t.y) + 2 * (r.w * d.x - d.w * r.x + r.y * d.z - r.z * d.y),
                       p.y + 2 * (r.z * t.x - r.x * t.z) + 2 * (r.w * d.y - d.w * r.y + r.z * d.x - r.x * d.z),
                       p.z + 2 * (r.x * t.y - r.y * t.x) + 2 * (r.w * d.z - d.w * r.z + r.x * d.y - r.y * d.x) };
}

void reference_dualquat(uint32_t point_count, const sup_vec3* points, const reference_influences* influences,
                        uint32_t joint_count, const sup_affine* skin, reference_dual* duals, sup_vec3* out)
{
    for (uint32_t j = 0; j < joint_count; ++j) duals[j] = reference_dual_from(&skin[j]);
    for (uint32_t p = 0; p < point_count; ++p) {
        sup_quat r = { 0, 0, 0, 0 }, d = { 0, 0, 0, 0 };
        sup_quat first = duals[influences[p].joint[0]].real;
        for (int k = 0; k < 4; ++k) {
            const reference_dual* joint = &duals[influences[p].joint[k]];
            sup_quat              q = joint->real, e = joint->dual;
            float                 weight = influences[p].weight[k];
            if (first.x * q.x + first.y * q.y + first.z * q.z + first.w * q.w < 0) weight = -weight;
            r = (sup_quat){ r.x + weight * q.x, r.y + weight * q.y, r.z + weight * q.z, r.w + weight * q.w };
            d = (sup_quat){ d.x + weight * e.x, d.y + weight * e.y, d.z + weight * e.z, d.w + weight * e.w };
        }
        out[p] = transform(r, d, points[p]);
    }
}

// ---------------------------------------------------------------------------------------------- in double

/// The rotation of M = R S by Newton's iteration R := (R + R^-T) / 2.
static void polar(const sup_affine* a, double r[3][3])
{
    for (int i = 0; i < 9; ++i) r[i / 3][i % 3] = a->m[i / 3][i % 3];
    for (int turn = 0; turn < 60; ++turn) {
        double cofactor[3][3], determinant = 0;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                int a1 = (i + 1) % 3, a2 = (i + 2) % 3, b1 = (j + 1) % 3, b2 = (j + 2) % 3;
                cofactor[i][j] = r[a1][b1] * r[a2][b2] - r[a1][b2] * r[a2][b1];
            }
        for (int j = 0; j < 3; ++j) determinant += r[0][j] * cofactor[0][j];
        for (int i = 0; i < 9; ++i) r[i / 3][i % 3] = 0.5 * (r[i / 3][i % 3] + cofactor[i / 3][i % 3] / determinant);
    }
}

/// x y z w of a rotation matrix: the longest column of q q^T, which the matrix holds.
static void quaternion(double r[3][3], double q[4])
{
    double k[4][4] = {
        { 1 + r[0][0] - r[1][1] - r[2][2], r[0][1] + r[1][0], r[0][2] + r[2][0], r[2][1] - r[1][2] },
        { r[0][1] + r[1][0], 1 + r[1][1] - r[0][0] - r[2][2], r[1][2] + r[2][1], r[0][2] - r[2][0] },
        { r[0][2] + r[2][0], r[1][2] + r[2][1], 1 + r[2][2] - r[0][0] - r[1][1], r[1][0] - r[0][1] },
        { r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1], 1 + r[0][0] + r[1][1] + r[2][2] },
    };
    int best = 0;
    for (int i = 1; i < 4; ++i)
        if (k[i][i] > k[best][best]) best = i;
    double length = sqrt(k[best][0] * k[best][0] + k[best][1] * k[best][1] + k[best][2] * k[best][2] + k[best][3] * k[best][3]);
    for (int i = 0; i < 4; ++i) q[i] = k[best][i] / length;
}

/// One joint: unit dual quaternion q and the point moved by its stretch about the center.
static void joint_parts(const sup_affine* a, sup_vec3 center, sup_vec3 point, double q[8], double grown[3])
{
    double r[3][3], c[3] = { center.x, center.y, center.z }, p[3] = { point.x, point.y, point.z }, t[3];
    polar(a, r);
    quaternion(r, q);
    for (int i = 0; i < 3; ++i) {
        grown[i] = c[i];
        t[i] = a->m[i][3];
        for (int j = 0; j < 3; ++j) {
            double s = r[0][i] * a->m[0][j] + r[1][i] * a->m[1][j] + r[2][i] * a->m[2][j];
            grown[i] += s * (p[j] - c[j]);
            t[i] += (a->m[i][j] - r[i][j]) * c[j];
        }
    }
    q[4] = 0.5 * (t[0] * q[3] + t[1] * q[2] - t[2] * q[1]);
    q[5] = 0.5 * (t[1] * q[3] + t[2] * q[0] - t[0] * q[2]);
    q[6] = 0.5 * (t[2] * q[3] + t[0] * q[1] - t[1] * q[0]);
    q[7] = -0.5 * (t[0] * q[0] + t[1] * q[1] + t[2] * q[2]);
}

void reference_dualquat_point(sup_vec3 point, uint32_t count, const uint32_t* joints, const float* weights,
                              const sup_affine* skin, const sup_vec3* centers, double out[3])
{
    double   first[8], unused[3], sum[8] = { 0 }, p[3] = { 0 }, total = 0;
    uint32_t best = 0;
    for (uint32_t k = 0; k < count; ++k) total += weights[k];
    for (uint32_t k = 1; k < count; ++k)
        if (weights[k] > weights[best]) best = k;
    joint_parts(&skin[joints[best]], centers[joints[best]], point, first, unused);
    for (uint32_t k = 0; k < count; ++k) {
        double q[8], grown[3], weight = weights[k] / total;
        joint_parts(&skin[joints[k]], centers[joints[k]], point, q, grown);
        for (int i = 0; i < 3; ++i) p[i] += weight * grown[i];
        double dot = q[0] * first[0] + q[1] * first[1] + q[2] * first[2] + q[3] * first[3];
        for (int i = 0; i < 8; ++i) sum[i] += (dot < 0 ? -weight : weight) * q[i];
    }
    double length = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2] + sum[3] * sum[3]);
    for (int i = 0; i < 8; ++i) sum[i] /= length;
    const double *r = sum, *d = sum + 4;
    double        t[3];
    for (int i = 0; i < 3; ++i) t[i] = r[(i + 1) % 3] * p[(i + 2) % 3] - r[(i + 2) % 3] * p[(i + 1) % 3] + r[3] * p[i] + d[i];
    for (int i = 0; i < 3; ++i)
        out[i] = p[i] + 2 * (r[(i + 1) % 3] * t[(i + 2) % 3] - r[(i + 2) % 3] * t[(i + 1) % 3] + r[3] * d[i] - d[3] * r[i]);
}

#include "io/gltf/gltf_reader.h"

#include <math.h>

gltf_matrix gltf_matrix_identity(void) { return (gltf_matrix){ { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } }; }

gltf_matrix gltf_matrix_mul(const gltf_matrix* a, const gltf_matrix* b)
{
    gltf_matrix r;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j)
            r.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j] + (j == 3 ? a->m[i][3] : 0);
    return r;
}

bool gltf_matrix_invert(const gltf_matrix* a, gltf_matrix* out)
{
    const double(*m)[4] = a->m;
    gltf_matrix r;
    double      c0 = m[1][1] * m[2][2] - m[1][2] * m[2][1];
    double      c1 = m[1][2] * m[2][0] - m[1][0] * m[2][2];
    double      c2 = m[1][0] * m[2][1] - m[1][1] * m[2][0];
    double      determinant = m[0][0] * c0 + m[0][1] * c1 + m[0][2] * c2;
    if (!(fabs(determinant) > 0) || !isfinite(determinant)) return false;
    double s = 1 / determinant;
    r.m[0][0] = c0 * s;
    r.m[1][0] = c1 * s;
    r.m[2][0] = c2 * s;
    r.m[0][1] = (m[0][2] * m[2][1] - m[0][1] * m[2][2]) * s;
    r.m[1][1] = (m[0][0] * m[2][2] - m[0][2] * m[2][0]) * s;
    r.m[2][1] = (m[0][1] * m[2][0] - m[0][0] * m[2][1]) * s;
    r.m[0][2] = (m[0][1] * m[1][2] - m[0][2] * m[1][1]) * s;
    r.m[1][2] = (m[0][2] * m[1][0] - m[0][0] * m[1][2]) * s;
    r.m[2][2] = (m[0][0] * m[1][1] - m[0][1] * m[1][0]) * s;
    for (int i = 0; i < 3; ++i) r.m[i][3] = -(r.m[i][0] * m[0][3] + r.m[i][1] * m[1][3] + r.m[i][2] * m[2][3]);
    // The result is stored as floats.
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j)
            if (!isfinite((float)r.m[i][j])) return false;
    *out = r;
    return true;
}

gltf_matrix gltf_matrix_from(const sup_affine* a)
{
    gltf_matrix r;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) r.m[i][j] = a->m[i][j];
    return r;
}

sup_affine gltf_matrix_affine(const gltf_matrix* a)
{
    sup_affine r;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) r.m[i][j] = (float)a->m[i][j];
    return r;
}

gltf_matrix gltf_matrix_transform(const sup_transform* t)
{
    double x = t->rotation.x, y = t->rotation.y, z = t->rotation.z, w = t->rotation.w;
    double s[3] = { t->scale.x, t->scale.y, t->scale.z };
    // Divides by |q|^2, because q is a unit quaternion only in float, so that the matrix is a rotation in double.
    double      k = 2 / (x * x + y * y + z * z + w * w);
    gltf_matrix r = { { { 1 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y), t->translation.x },
                        { k * (x * y + w * z), 1 - k * (x * x + z * z), k * (y * z - w * x), t->translation.y },
                        { k * (x * z - w * y), k * (y * z + w * x), 1 - k * (x * x + y * y), t->translation.z } } };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) r.m[i][j] *= s[j];
    return r;
}

void gltf_matrix_point(const gltf_matrix* a, const double p[3], double out[3])
{
    for (int i = 0; i < 3; ++i) out[i] = a->m[i][0] * p[0] + a->m[i][1] * p[1] + a->m[i][2] * p[2] + a->m[i][3];
}

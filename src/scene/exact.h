/// scene/exact.h: affine maps in double precision. Joint chains are composed in double and rounded once per joint, so that a
/// long spine far from the origin does not jitter.
#ifndef SUP_SCENE_EXACT_H
#define SUP_SCENE_EXACT_H

#include "math/vec.h"
#include "supple/scene.h"

typedef struct exact_affine {
    double m[3][4];
} exact_affine;

static inline exact_affine exact_from(const sup_affine* a)
{
    exact_affine r;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) r.m[i][j] = (double)a->m[i][j];
    return r;
}

static inline sup_affine exact_round(const exact_affine* a)
{
    sup_affine r;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) r.m[i][j] = (float)a->m[i][j];
    return r;
}

/// Whether all entries fit a finite float.
static inline bool affine_finite(const sup_affine* a)
{
    for (int i = 0; i < 12; ++i)
        if (!isfinite(a->m[i / 4][i % 4])) return false;
    return true;
}

/// Applies b, then a.
static inline exact_affine exact_mul(const exact_affine* a, const exact_affine* b)
{
    exact_affine r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) r.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
        r.m[i][3] += a->m[i][3];
    }
    return r;
}

static inline exact_affine exact_from_transform(const sup_transform* t)
{
    double x = (double)t->rotation.x, y = (double)t->rotation.y, z = (double)t->rotation.z, w = (double)t->rotation.w;
    double sx = (double)t->scale.x, sy = (double)t->scale.y, sz = (double)t->scale.z;
    return (exact_affine){ {
        { (1 - 2 * (y * y + z * z)) * sx, 2 * (x * y - w * z) * sy, 2 * (x * z + w * y) * sz, (double)t->translation.x },
        { 2 * (x * y + w * z) * sx, (1 - 2 * (x * x + z * z)) * sy, 2 * (y * z - w * x) * sz, (double)t->translation.y },
        { 2 * (x * z - w * y) * sx, 2 * (y * z + w * x) * sy, (1 - 2 * (x * x + y * y)) * sz, (double)t->translation.z },
    } };
}

static inline double exact_cofactor(const exact_affine* a, int i, int j)
{
    int r = (i + 1) % 3, s = (i + 2) % 3, p = (j + 1) % 3, q = (j + 2) % 3;
    return a->m[r][p] * a->m[s][q] - a->m[r][q] * a->m[s][p];
}

static inline double exact_determinant(const exact_affine* a)
{
    return a->m[0][0] * exact_cofactor(a, 0, 0) + a->m[0][1] * exact_cofactor(a, 0, 1) + a->m[0][2] * exact_cofactor(a, 0, 2);
}

/// False, with *out untouched, if the columns span no volume to speak of (files hold floats: a volume below 1e-7 of the product
/// of the columns' lengths is rounding) or if the inverse does not fit a float.
bool sup_exact_invert(const exact_affine* a, exact_affine* out);
/// The local transform of a joint as a matrix; at rest, the file's own matrix, which may have shear.
exact_affine sup_exact_local(const sup_joint* joint, const sup_transform* local);

#endif

#include "scene/exact.h"

#include <float.h>
#include <string.h>

bool sup_exact_invert(const exact_affine* a, exact_affine* out)
{
    double determinant = exact_determinant(a), lengths = 1;
    for (int j = 0; j < 3; ++j) lengths *= sqrt(a->m[0][j] * a->m[0][j] + a->m[1][j] * a->m[1][j] + a->m[2][j] * a->m[2][j]);
    if (!(fabs(determinant) > 1e-7 * lengths)) return false;
    exact_affine r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) r.m[i][j] = exact_cofactor(a, j, i) / determinant;
        r.m[i][3] = 0 - (r.m[i][0] * a->m[0][3] + r.m[i][1] * a->m[1][3] + r.m[i][2] * a->m[2][3]); // never -0
    }
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j)
            if (!(fabs(r.m[i][j]) <= (double)FLT_MAX)) return false;
    *out = r;
    return true;
}

exact_affine sup_exact_local(const sup_joint* joint, const sup_transform* local)
{
    if (joint->has_matrix && !memcmp(local, &joint->rest, sizeof *local)) return exact_from(&joint->matrix);
    return exact_from_transform(local);
}

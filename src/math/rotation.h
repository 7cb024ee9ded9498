/// math/rotation.h: the rotation nearest to a 3x3 matrix A, i.e. the one that maximizes tr(R^T A). Right for flat and
/// inverted matrices too, where a polar factor would mirror.
#ifndef SUP_MATH_ROTATION_H
#define SUP_MATH_ROTATION_H

#include "math/wide.h"
#include "supple/base.h"

/// Newton converges quadratically: from 0.3 rad off, this many steps reach float precision for well-conditioned matrices.
#define ROTATION_EXTRACT_STEPS 2

typedef struct sup_mat3 {
    float m[3][3];
} sup_mat3;

/// Newton steps on the unit quaternion from the warm start q. Returns false when the residual says it has not converged
/// (use rotation_cold then); A = 0 leaves q unchanged and returns true.
bool rotation_refine(const sup_mat3* a, int steps, sup_quat* q);
/// Without a warm start: the largest eigenvector of the 4x4 matrix K by cyclic Jacobi. Any maximizer if it is not unique.
/// Returns false for A = 0 (q unchanged).
bool rotation_cold(const sup_mat3* a, sup_quat* q);
/// Both: refine from q, cold start if that fails.
void rotation_extract(const sup_mat3* a, sup_quat* q);

/// rotation_refine on eight matrices: a holds nine rows of lanes (row by row), q four (x, y, z, w). Returns one bit per lane
/// that converged. Each lane has the bits of the scalar version. Call through SUP_WIDE_PICK(rotation_refine8).
SUP_WIDE_DECLARE(uint32_t, rotation_refine8, (const f8 a[9], int steps, f8 q[4]));
/// rotation_extract on eight matrices, and the rotations as matrices (nine rows of lanes), as shape matching needs them. q is
/// the warm start and the result. Returns how many lanes needed a cold start, for the caller to count. Inside a *_wide.c file
/// call it as SUP_WIDE(rotation_fit8).
SUP_WIDE_DECLARE(uint32_t, rotation_fit8, (const f8 a[9], f8 q[4], f8 r[9]));

#endif

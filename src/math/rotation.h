/// math/rotation.h: the rotation nearest to a 3x3 matrix A, i.e. the one that maximizes tr(R^T A). Right for flat and
/// inverted matrices too, where a polar factor would mirror.
#ifndef SUP_MATH_ROTATION_H
#define SUP_MATH_ROTATION_H

#include "math/wide.h"
#include "supple/base.h"

/// Newton is quadratic: from 0.3 rad off, this many steps reach float precision for sound matrices.
#define ROTATION_EXTRACT_STEPS 2

typedef struct sup_mat3 {
    float m[3][3];
} sup_mat3;

/// Newton steps on the unit quaternion from the warm start q. Returns false when the residual says it has not converged
/// (use rotation_cold then); A = 0 leaves q unchanged and returns true.
bool rotation_refine(const sup_mat3* a, int steps, sup_quat* q);
/// From nothing: largest eigenvector of the 4x4 matrix K by cyclic Jacobi. Where the maximizer is not unique, one of them.
/// Returns false for A = 0 (q unchanged).
bool rotation_cold(const sup_mat3* a, sup_quat* q);
/// Both: refine from q, cold start where that fails.
void rotation_extract(const sup_mat3* a, sup_quat* q);

/// rotation_refine on eight matrices: a holds nine rows of lanes (row by row), q four (x, y, z, w). One bit per lane that
/// converged. Each lane gives the bits of the single one. Call through SUP_WIDE_PICK(rotation_refine8).
SUP_WIDE_DECLARE(uint32_t, rotation_refine8, (const f8 a[9], int steps, f8 q[4]));
/// rotation_extract on eight matrices, and the rotations as matrices (nine rows of lanes): what a shape match asks for. q is
/// the warm start and the answer. Returns how many lanes had to start cold, for the caller to count. Inside a *_wide.c file
/// call it as SUP_WIDE(rotation_fit8).
SUP_WIDE_DECLARE(uint32_t, rotation_fit8, (const f8 a[9], f8 q[4], f8 r[9]));

#endif

/// math/eigen.h: eigenvalues and eigenvectors of a symmetric matrix, in double and always with the same bits.
#ifndef SUP_MATH_EIGEN_H
#define SUP_MATH_EIGEN_H

#include "supple/base.h"

/// Doubles of scratch for a matrix of n rows.
static inline size_t sup_eigen_scratch(uint32_t n) { return 2 * (size_t)n; }

/// All eigenvalues of the symmetric `matrix` (n x n, destroyed) in falling order, and their unit eigenvectors, one in each row
/// of `vectors` (n x n); the largest entry of each is positive. False when the iteration does not converge, which finite
/// numbers do not cause.
bool sup_eigen_symmetric(uint32_t n, double* matrix, double* values, double* vectors, double* scratch);

#endif

/// solve/plate/plate.h: a clamped rectangular plate by finite differences, banded Cholesky (You et al., eq. 9, corrected).
///
///     D (X_uuuu + 2 X_uuvv + X_vvvv) = P,      D = E h^3 / (12 (1 - nu^2))
/// nu x nv intervals of size du x dv; X = 0 on the boundary and its slope too (mirrored outside). Unknowns are the inner nodes.
#ifndef SUP_SOLVE_PLATE_PLATE_H
#define SUP_SOLVE_PLATE_PLATE_H

#include "math/wide.h"
#include "supple/base.h"

enum { SUP_PLATE_INTERVALS_MAX = 256 };

typedef struct sup_plate {
    uint32_t nu, nv; ///< intervals
    double   du, dv;
    uint32_t count;   ///< unknowns
    uint32_t band;    ///< below the diagonal
    bool     v_fast;  ///< unknowns run along v first: the shorter side makes the smaller band
    double*  columns; ///< L by columns, band + 1 each; the diagonal is stored as 1 / d
} sup_plate;

/// 2 to 256 intervals each way; du, dv > 0. Fails for memory only.
sup_result sup_plate_create(uint32_t nu, uint32_t nv, double du, double dv, sup_arena* arena, sup_plate* out, sup_error* error);
/// x[iu (nv + 1) + iv] at all nodes: P / D in, X out. What stands on the boundary is ignored and becomes 0. `spare` has
/// room for the unknowns.
void sup_plate_solve(const sup_plate* plate, double* x, double* spare);

/// L of a banded symmetric positive definite matrix in place: columns[j][0] the diagonal, [k] row j + k; the diagonal comes
/// back as 1 / L. Rows beyond the last must be 0. False: not positive.
SUP_WIDE_DECLARE(bool, sup_band_factor, (double* columns, uint32_t count, uint32_t band));

#endif

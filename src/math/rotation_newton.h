// The Newton iteration of math/rotation.h, written once for any width. Include it after defining
//   REAL, MASK                    float and int, or f8 and i8
//   R_ALL(x)                      the constant in every lane
//   R_EVERY(mask)                 whether it is set in all lanes
//   R_ABS(x), R_SQRT(x), R_MAX(a, b), R_SELECT(mask, a, b)
// Every lane does the same + - * / sqrt in the same order, so each width gives the same bits.
//
//   B = R(q)^T A     g = (B21-B12, B02-B20, B10-B01)     H = tr(B) I - (B + B^T)/2
//   w = H^-1 g       q <- normalize(q * (1, w/2))        (Cayley; converges quadratically to the maximum of tr(R^T A))
// Where H is not safely positive it is shifted by Gershgorin's bound, which turns Newton into a damped ascent.
#ifndef REAL
#error "define REAL, MASK and the R_ operations first"
#endif

#include <float.h>

/// A smaller sum of |A| counts as zero; its inverse would not be finite.
#define ROTATION_ZERO FLT_MIN
#define ROTATION_RESIDUAL 1e-3f // |g| over this times s after the steps: not converged
#define ROTATION_SMALL 1e-4f    // squared half angle of a step: the error left is of the order of its cube, 1e-6
#define ROTATION_SADDLE 1e-5f   // H below minus this (times s, s^2, s^3) has a negative direction: a saddle, not the maximum

typedef struct rotation_slope {
    REAL gx, gy, gz;
    REAL h00, h11, h22, h01, h02, h12;
    REAL s; // |H00| + |H11| + |H22|
} rotation_slope;

static inline rotation_slope rotation_newton_slope(const REAL a[9], const REAL q[4])
{
    REAL x = q[0], y = q[1], z = q[2], w = q[3];
    REAL one = R_ALL(1.0f), two = R_ALL(2.0f);
    REAL r00 = one - two * (y * y + z * z), r01 = two * (x * y - w * z), r02 = two * (x * z + w * y);
    REAL r10 = two * (x * y + w * z), r11 = one - two * (x * x + z * z), r12 = two * (y * z - w * x);
    REAL r20 = two * (x * z - w * y), r21 = two * (y * z + w * x), r22 = one - two * (x * x + y * y);
    REAL b00 = r00 * a[0] + r10 * a[3] + r20 * a[6], b01 = r00 * a[1] + r10 * a[4] + r20 * a[7];
    REAL b02 = r00 * a[2] + r10 * a[5] + r20 * a[8], b10 = r01 * a[0] + r11 * a[3] + r21 * a[6];
    REAL b11 = r01 * a[1] + r11 * a[4] + r21 * a[7], b12 = r01 * a[2] + r11 * a[5] + r21 * a[8];
    REAL b20 = r02 * a[0] + r12 * a[3] + r22 * a[6], b21 = r02 * a[1] + r12 * a[4] + r22 * a[7];
    REAL b22 = r02 * a[2] + r12 * a[5] + r22 * a[8];

    rotation_slope f;
    f.gx = b21 - b12;
    f.gy = b02 - b20;
    f.gz = b10 - b01;
    f.h00 = b11 + b22;
    f.h11 = b00 + b22;
    f.h22 = b00 + b11;
    f.h01 = R_ALL(-0.5f) * (b01 + b10);
    f.h02 = R_ALL(-0.5f) * (b02 + b20);
    f.h12 = R_ALL(-0.5f) * (b12 + b21);
    f.s = R_ABS(f.h00) + R_ABS(f.h11) + R_ABS(f.h22);
    return f;
}

/// The mask marks lanes that converged: the step was so small, and H so surely positive, that the remaining error is its
/// square.
static inline MASK rotation_newton_step(const REAL a[9], REAL q[4])
{
    rotation_slope f = rotation_newton_slope(a, q);
    REAL           zero = R_ALL(0.0f);

    // The leading minors tell whether H is safely positive.
    REAL m2 = f.h00 * f.h11 - f.h01 * f.h01;
    REAL m3 = f.h00 * (f.h11 * f.h22 - f.h12 * f.h12) - f.h01 * (f.h01 * f.h22 - f.h12 * f.h02) +
              f.h02 * (f.h01 * f.h12 - f.h11 * f.h02);
    MASK safe = (f.h00 > R_ALL(1e-4f) * f.s) & (m2 > R_ALL(1e-6f) * f.s * f.s) & (m3 > R_ALL(1e-7f) * f.s * f.s * f.s);
    REAL a01 = R_ABS(f.h01), a02 = R_ABS(f.h02), a12 = R_ABS(f.h12);
    REAL under = R_MAX(R_MAX(a01 + a02 - f.h00, a01 + a12 - f.h11), R_MAX(a02 + a12 - f.h22, zero));
    REAL shift = R_SELECT(safe, zero, under + R_ALL(0.05f) * f.s);
    REAL h00 = f.h00 + shift, h11 = f.h11 + shift, h22 = f.h22 + shift;

    REAL c00 = h11 * h22 - f.h12 * f.h12, c01 = f.h02 * f.h12 - f.h01 * h22, c02 = f.h01 * f.h12 - f.h02 * h11;
    REAL c11 = h00 * h22 - f.h02 * f.h02, c12 = f.h01 * f.h02 - h00 * f.h12, c22 = h00 * h11 - f.h01 * f.h01;
    REAL det = h00 * c00 + f.h01 * c01 + f.h02 * c02;
    MASK solvable = det > zero;
    REAL k = R_ALL(0.5f) / R_SELECT(solvable, det, R_ALL(1.0f));
    k = R_SELECT(solvable, k, zero);
    REAL wx = k * (c00 * f.gx + c01 * f.gy + c02 * f.gz);
    REAL wy = k * (c01 * f.gx + c11 * f.gy + c12 * f.gz);
    REAL wz = k * (c02 * f.gx + c12 * f.gy + c22 * f.gz);

    REAL x = q[0] + (q[3] * wx + (q[1] * wz - q[2] * wy));
    REAL y = q[1] + (q[3] * wy + (q[2] * wx - q[0] * wz));
    REAL z = q[2] + (q[3] * wz + (q[0] * wy - q[1] * wx));
    REAL w = q[3] - (q[0] * wx + q[1] * wy + q[2] * wz);
    REAL n2 = x * x + y * y + z * z + w * w;
    MASK sound = (n2 > R_ALL(FLT_MIN)) & (n2 < R_ALL(FLT_MAX)); // a step of 1e19 overflows: stay, the caller starts cold
    REAL n = R_ALL(1.0f) / R_SQRT(R_SELECT(sound, n2, R_ALL(1.0f)));
    q[0] = R_SELECT(sound, x * n, q[0]);
    q[1] = R_SELECT(sound, y * n, q[1]);
    q[2] = R_SELECT(sound, z * n, q[2]);
    q[3] = R_SELECT(sound, w * n, q[3]);
    return sound & safe & (wx * wx + wy * wy + wz * wz <= R_ALL(ROTATION_SMALL));
}

/// A row by row; q as x, y, z, w. The mask marks lanes where q is the maximum: a small residual and no ascent direction.
static inline MASK rotation_newton(const REAL a[9], int steps, REAL q[4])
{
    REAL sum = R_ABS(a[0]);
    for (int i = 1; i < 9; ++i) sum = sum + R_ABS(a[i]);
    MASK nothing = sum < R_ALL(ROTATION_ZERO);
    MASK usable = (sum >= R_ALL(ROTATION_ZERO)) & (sum <= R_ALL(FLT_MAX)); // false for NaN and overflow
    REAL scale = R_ALL(1.0f) / R_SELECT(usable, sum, R_ALL(1.0f));
    REAL b[9], start[4] = { q[0], q[1], q[2], q[3] };
    for (int i = 0; i < 9; ++i)
        b[i] = R_SELECT(usable, a[i], R_ALL(0.0f)) * scale; // sums to 1: cubes neither under- nor overflow

    // A lane is done after a small step; the usual warm start needs one, and then no residual has to be evaluated.
    MASK near = nothing & ~nothing;
    for (int i = 0; i < steps; ++i) {
        REAL next[4] = { q[0], q[1], q[2], q[3] };
        MASK small = rotation_newton_step(b, next);
        for (int k = 0; k < 4; ++k) q[k] = R_SELECT(near, q[k], next[k]);
        near = near | small;
        if (R_EVERY(near)) return near;
    }

    rotation_slope f = rotation_newton_slope(b, q);
    REAL           g2 = f.gx * f.gx + f.gy * f.gy + f.gz * f.gz, limit = R_ALL(ROTATION_RESIDUAL) * f.s;
    // The three invariants of a symmetric matrix are all non-negative exactly when its eigenvalues are.
    REAL e1 = f.h00 + f.h11 + f.h22;
    REAL e2 = (f.h00 * f.h11 - f.h01 * f.h01) + (f.h00 * f.h22 - f.h02 * f.h02) + (f.h11 * f.h22 - f.h12 * f.h12);
    REAL e3 = f.h00 * (f.h11 * f.h22 - f.h12 * f.h12) - f.h01 * (f.h01 * f.h22 - f.h12 * f.h02) +
              f.h02 * (f.h01 * f.h12 - f.h11 * f.h02);
    REAL low = R_ALL(-ROTATION_SADDLE) * f.s;
    REAL n2 = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    MASK good = (g2 <= limit * limit) & (e1 >= low) & (e2 >= low * f.s) & (e3 >= low * f.s * f.s) & (n2 > R_ALL(0.99f)) &
                (n2 < R_ALL(1.01f));
    for (int i = 0; i < 4; ++i) q[i] = R_SELECT(usable, q[i], start[i]);
    return nothing | (usable & (near | good));
}

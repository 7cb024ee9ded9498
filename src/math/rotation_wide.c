// Eight matrices at a time; the iteration is the one of rotation.c.
#include "math/rotation.h"
#include "math/wide.h"

// By register: some forty values are live. Lanes are independent, so neighbors do not affect each other.
#define REAL fr
#define MASK ir
#define R_ALL(x) fr_all(x)
#define R_EVERY(mask) (ir_bits(mask) == (1u << SUP_REGISTER) - 1)
#define R_ABS(x) fr_abs(x)
#define R_SQRT(x) fr_sqrt(x)
#define R_MAX(a, b) fr_max(a, b)
#define R_SELECT(mask, a, b) fr_select(mask, a, b)
#include "math/rotation_newton.h"

uint32_t SUP_WIDE(rotation_refine8)(const f8 a[9], int steps, f8 q[4])
{
    uint32_t good = 0;
    for (uint32_t lane = 0; lane < SUP_LANES; lane += SUP_REGISTER) {
        fr m[9], p[4];
        for (int i = 0; i < 9; ++i) m[i] = f8_part(a[i], lane);
        for (int i = 0; i < 4; ++i) p[i] = f8_part(q[i], lane);
        good |= ir_bits(rotation_newton(m, steps, p)) << lane;
        for (int i = 0; i < 4; ++i) f8_put_part(&q[i], lane, p[i]);
    }
    return good;
}

/// Solves one lane from scratch, on the side of its warm start. Nothing changes if there is no rotation to find.
static bool start_cold(const f8 a[9], int lane, const f8 start[4], f8 q[4])
{
    sup_mat3 m;
    sup_quat found;
    for (int i = 0; i < 9; ++i) m.m[i / 3][i % 3] = a[i][lane];
    for (int i = 0; i < 4; ++i) q[i][lane] = start[i][lane];
    if (!rotation_cold(&m, &found)) return false;
    float along = start[0][lane] * found.x + start[1][lane] * found.y + start[2][lane] * found.z + start[3][lane] * found.w;
    float side = along < 0 ? -1.0f : 1.0f;
    q[0][lane] = side * found.x;
    q[1][lane] = side * found.y;
    q[2][lane] = side * found.z;
    q[3][lane] = side * found.w;
    return true;
}

uint32_t SUP_WIDE(rotation_fit8)(const f8 a[9], f8 q[4], f8 r[9])
{
    f8       start[4] = { q[0], q[1], q[2], q[3] };
    uint32_t good = SUP_WIDE(rotation_refine8)(a, ROTATION_EXTRACT_STEPS, q), cold = 0;
    if (good != 0xff)
        for (int lane = 0; lane < SUP_LANES; ++lane)
            if (!(good >> lane & 1)) cold += start_cold(a, lane, start, q);

    f8 x = q[0], y = q[1], z = q[2], w = q[3], one = f8_all(1.0f), two = f8_all(2.0f);
    r[0] = one - two * (y * y + z * z), r[1] = two * (x * y - w * z), r[2] = two * (x * z + w * y);
    r[3] = two * (x * y + w * z), r[4] = one - two * (x * x + z * z), r[5] = two * (y * z - w * x);
    r[6] = two * (x * z - w * y), r[7] = two * (y * z + w * x), r[8] = one - two * (x * x + y * y);
    return cold;
}

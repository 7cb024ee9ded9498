// Eight matrices at a time; the iteration is the one of rotation.c.
#include "math/rotation.h"
#include "math/wide.h"

#define REAL f8
#define MASK i8
#define R_ALL(x) f8_all(x)
#define R_ABS(x) f8_abs(x)
#define R_SQRT(x) f8_sqrt(x)
#define R_MAX(a, b) f8_max(a, b)
#define R_SELECT(mask, a, b) f8_select(mask, a, b)
#include "math/rotation_newton.h"

uint32_t SUP_WIDE(rotation_refine8)(const f8 a[9], int steps, f8 q[4]) { return i8_bits(rotation_newton(a, steps, q)); }

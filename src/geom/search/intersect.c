// Signs of determinants: computed in double with a bound on the rounding, and where that does not decide, exactly as a sum of
// nonoverlapping doubles (Shewchuk 1997). Floats leave room for this: a product of three has at most 72 bits and an exponent
// far from both ends of a double's range, so nothing overflows or underflows.
#include "geom/search/intersect.h"

#include "math/vec3d.h"

#include <math.h>

// Work in units of a box test, as measured: for two triangles decided in double, and for a determinant computed exactly, from
// differences or, if those are rounded, from the coordinates.
enum { WORK_TEST = 16, WORK_SHORT = 24, WORK_LONG = 128 };

/// Nonoverlapping doubles of rising magnitude; their sum is exact and the last has its sign.
typedef struct expansion {
    uint32_t count;
    double   parts[64]; // 24 products of three floats make 48
} expansion;

static void add(expansion* e, double x)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < e->count; ++i) {
        double y = e->parts[i], sum = x + y, seen = sum - x, tail = (x - (sum - seen)) + (y - seen);
        if (tail != 0) e->parts[kept++] = tail;
        x = sum;
    }
    if (x != 0) e->parts[kept++] = x;
    e->count = kept;
}

static int sign(double x) { return (x > 0) - (x < 0); }
static int expansion_sign(const expansion* e) { return e->count ? sign(e->parts[e->count - 1]) : 0; }

static void split(double x, double* high, double* low)
{
    double c = 134217729.0 * x; // 2^27 + 1 leaves 26 bits in each half (Dekker 1971)
    *high = c - (c - x);
    *low = x - *high;
}

/// high + low = x y, exactly.
static void multiply(double x, double y, double* high, double* low)
{
    double xh, xl, yh, yl;
    split(x, &xh, &xl);
    split(y, &yh, &yl);
    *high = x * y;
    *low = xl * yl - (((*high - xh * yh) - xl * yh) - xh * yl);
}

static void add_product(expansion* e, double x, double y, double z)
{
    double high, low, h, l;
    multiply(x, y, &high, &low);
    multiply(high, z, &h, &l);
    add(e, l);
    add(e, h);
    if (low == 0) return;
    multiply(low, z, &h, &l);
    add(e, l);
    add(e, h);
}


/// Adds s times the determinant with the rows a, b, c.
static void add_determinant(expansion* e, double s, vec3d a, vec3d b, vec3d c)
{
    add_product(e, s * a.x, b.y, c.z);
    add_product(e, -s * a.x, b.z, c.y);
    add_product(e, s * a.y, b.z, c.x);
    add_product(e, -s * a.y, b.x, c.z);
    add_product(e, s * a.z, b.x, c.y);
    add_product(e, -s * a.z, b.y, c.x);
}

static bool exact_difference(double a, double b)
{
    double d = a - b, seen = a - d;
    return (a - (d + seen)) + (seen - b) == 0;
}

static bool exact_differences(vec3d a, vec3d b)
{
    return exact_difference(a.x, b.x) && exact_difference(a.y, b.y) && exact_difference(a.z, b.z);
}

static int orient3_exact(vec3d a, vec3d b, vec3d c, vec3d d, uint32_t* work)
{
    expansion e = { 0 };
    if (exact_differences(b, a) && exact_differences(c, a) && exact_differences(d, a)) {
        *work += WORK_SHORT;
        add_determinant(&e, 1, v3d_sub(b, a), v3d_sub(c, a), v3d_sub(d, a));
        return expansion_sign(&e);
    }
    *work += WORK_LONG;
    add_determinant(&e, 1, b, c, d);
    add_determinant(&e, -1, a, c, d);
    add_determinant(&e, 1, a, b, d);
    add_determinant(&e, -1, a, b, c);
    return expansion_sign(&e);
}

/// A triangle's plane: its normal, and the same with the absolute value of every product, which bounds the rounding.
typedef struct plane {
    vec3d a, b, c, normal, bound;
} plane;

static plane plane_of(vec3d a, vec3d b, vec3d c)
{
    vec3d u = v3d_sub(b, a), v = v3d_sub(c, a);
    return (
        plane){ a,
                b,
                c,
                { u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x },
                { fabs(u.y * v.z) + fabs(u.z * v.y), fabs(u.z * v.x) + fabs(u.x * v.z), fabs(u.x * v.y) + fabs(u.y * v.x) } };
}

static int side(const plane* p, vec3d d, uint32_t* work)
{
    const double rounding = 1e-15; // Shewchuk's bound for this order of operations is 7.8e-16
    vec3d        w = v3d_sub(d, p->a);
    double       value = p->normal.x * w.x + p->normal.y * w.y + p->normal.z * w.z;
    double       bound = rounding * (p->bound.x * fabs(w.x) + p->bound.y * fabs(w.y) + p->bound.z * fabs(w.z));
    if (value > bound) return 1;
    if (value < -bound) return -1;
    if (bound == 0) return 0; // every product is zero
    return orient3_exact(p->a, p->b, p->c, d, work);
}

static int orient3(vec3d a, vec3d b, vec3d c, vec3d d, uint32_t* work)
{
    plane p = plane_of(a, b, c);
    return side(&p, d, work);
}

int sup_orient3(sup_vec3 a, sup_vec3 b, sup_vec3 c, sup_vec3 d)
{
    uint32_t work = 0;
    return orient3(v3d_widen(a), v3d_widen(b), v3d_widen(c), v3d_widen(d), &work);
}

// ---------------------------------------------------------------------------------------------- in one plane

typedef struct vec2d {
    double x, y;
} vec2d;

/// Sign of (b - a) x (c - a). Products of two floats are exact in a double, so only their sum needs care.
static int orient2(vec2d a, vec2d b, vec2d c)
{
    const double rounding = 4e-16; // Shewchuk: 3.4e-16
    double left = (b.x - a.x) * (c.y - a.y), right = (b.y - a.y) * (c.x - a.x), bound = rounding * (fabs(left) + fabs(right));
    if (left - right > bound) return 1;
    if (left - right < -bound) return -1;
    expansion e = { 0 };
    add(&e, b.x * c.y);
    add(&e, -(b.y * c.x));
    add(&e, a.y * c.x);
    add(&e, -(a.x * c.y));
    add(&e, a.x * b.y);
    add(&e, -(a.y * b.x));
    return expansion_sign(&e);
}

static vec2d flatten(vec3d a, int axis)
{
    return axis == 0 ? (vec2d){ a.y, a.z } : axis == 1 ? (vec2d){ a.z, a.x } : (vec2d){ a.x, a.y };
}

/// Whether the line of one of s's edges has all of t on its far side. `turn` is the orientation of s.
static bool edge_separates(const vec2d s[3], int turn, const vec2d t[3])
{
    for (int i = 0; i < 3; ++i) {
        vec2d from = s[i], to = s[(i + 1) % 3];
        if (turn * orient2(from, to, t[0]) <= 0 && turn * orient2(from, to, t[1]) <= 0 && turn * orient2(from, to, t[2]) <= 0)
            return true;
    }
    return false;
}

/// Both in one plane, or one of them degenerate.
static bool overlap(const vec3d s[3], const vec3d t[3])
{
    for (int axis = 0; axis < 3; ++axis) {
        vec2d s2[3], t2[3];
        for (int i = 0; i < 3; ++i) {
            s2[i] = flatten(s[i], axis);
            t2[i] = flatten(t[i], axis);
        }
        int turn = orient2(s2[0], s2[1], s2[2]), other = orient2(t2[0], t2[1], t2[2]);
        if (turn == 0 || other == 0) continue; // seen edge-on, or no area at all
        return !edge_separates(s2, turn, t2) && !edge_separates(t2, other, s2);
    }
    return false;
}

// ---------------------------------------------------------------------------------------------- crossing

static bool straddles(const int d[3]) { return (d[0] > 0 || d[1] > 0 || d[2] > 0) && (d[0] < 0 || d[1] < 0 || d[2] < 0); }

/// The corner that is alone on its side of the plane.
static int lone_corner(const int d[3])
{
    for (int i = 0; i < 2; ++i)
        if (d[i] != 0 && d[(i + 1) % 3] != d[i] && d[(i + 2) % 3] != d[i]) return i;
    return 2;
}

// Each triangle cuts the line where the planes meet in an open interval; two more signs tell whether the intervals overlap
// (Guigue and Devillers 2003, with strict signs because borders do not count).
bool sup_triangles_cross_work(const sup_vec3 s[3], const sup_vec3 t[3], uint32_t* work)
{
    vec3d a[3], b[3];
    *work = WORK_TEST;
    int da[3], db[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = v3d_widen(s[i]);
        b[i] = v3d_widen(t[i]);
    }
    plane p = plane_of(b[0], b[1], b[2]);
    for (int i = 0; i < 3; ++i) da[i] = side(&p, a[i], work);
    if (da[0] == 0 && da[1] == 0 && da[2] == 0) return overlap(a, b);
    if (!straddles(da)) return false;
    p = plane_of(a[0], a[1], a[2]);
    for (int i = 0; i < 3; ++i) db[i] = side(&p, b[i], work);
    if (!straddles(db)) return false;

    // Both lone corners on the positive sides: reversing one triangle swaps the sides for the other.
    int   i = lone_corner(da), j = lone_corner(db);
    int   turn_a = db[j] < 0 ? 2 : 1, turn_b = da[i] < 0 ? 2 : 1;
    vec3d p1 = a[i], q1 = a[(i + turn_a) % 3], r1 = a[(i + 3 - turn_a) % 3];
    vec3d p2 = b[j], q2 = b[(j + turn_b) % 3], r2 = b[(j + 3 - turn_b) % 3];
    return orient3(p1, q1, p2, q2, work) < 0 && orient3(p1, r1, r2, p2, work) < 0;
}

bool sup_triangles_cross(const sup_vec3 s[3], const sup_vec3 t[3])
{
    uint32_t work;
    return sup_triangles_cross_work(s, t, &work);
}

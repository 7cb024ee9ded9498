#include "geom/search/intersect.h"

#include "support.h"

#include <math.h>
#include <stdlib.h>

#define V(x, y, z) ((sup_vec3){ x, y, z })

static bool cross_both_ways(const sup_vec3 s[3], const sup_vec3 t[3])
{
    bool           one = sup_triangles_cross(s, t);
    const sup_vec3 turned[3] = { t[2], t[1], t[0] };
    assert_int_equal(one, sup_triangles_cross(t, s));
    assert_int_equal(one, sup_triangles_cross(s, turned));
    return one;
}

static const sup_vec3 floor_triangle[3] = { { 0, 0, 0 }, { 4, 0, 0 }, { 0, 4, 0 } };

static void crossing_counts_and_touching_does_not(void** state)
{
    (void)state;
    const struct {
        sup_vec3 t[3];
        bool     cross;
    } cases[] = {
        { { { 1, 1, -1 }, { 1, 1, 1 }, { 5, 5, 1 } }, true },      // through the inside
        { { { 1, 1, 0 }, { 1, 1, 1 }, { 2, 1, 1 } }, false },      // a corner on the inside
        { { { 1, 1, 0 }, { 2, 1, 0 }, { 1, 1, 1 } }, false },      // an edge on the inside
        { { { 1, 0, -1 }, { 1, 0, 1 }, { 1, -3, 0 } }, false },    // an edge against the border
        { { { 0, 0, -1 }, { 0, 0, 1 }, { -1, -1, 0 } }, false },   // an edge through a corner
        { { { 1, 1, 1 }, { 2, 1, 1 }, { 1, 2, 1 } }, false },      // parallel
        { { { 5, 5, -1 }, { 5, 5, 1 }, { 6, 5, 0 } }, false },     // through the plane, beside the triangle
        { { { 1, 1, -1 }, { 1, 1, 0 }, { 2, 1, 1 } }, true },      // a corner in the plane, and through it
        { { { 1, 1, -1 }, { 1, 1, 1 }, { 1, 1, 3 } }, false },     // a line pierces, but has no inside
        { { { 1, 1, 0 }, { 2, 1, 0 }, { 1, 2, 0 } }, true },       // inside, in the plane
        { { { 0, 0, 0 }, { 4, 0, 0 }, { 0, 4, 0 } }, true },       // the same
        { { { 4, 0, 0 }, { 0, 4, 0 }, { 4, 4, 0 } }, false },      // next to it, in the plane
        { { { 2, 2, 0 }, { 4, 4, 0 }, { 4, 2, 0 } }, false },      // a corner on its border, in the plane
        { { { 1.5f, 1.5f, 0 }, { 4, 4, 0 }, { 4, 2, 0 } }, true }, // a corner just inside
        { { { 1, 1, 0 }, { 2, 2, 0 }, { 3, 3, 0 } }, false },      // a line in the plane
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        if (cross_both_ways(floor_triangle, cases[i].t) != cases[i].cross) fail_msg("case %zu", i);
}

// In the plane x + y + z = 0 with coordinates that differ by 2^80: no double holds their differences.
static void signs_are_exact_where_doubles_round(void** state)
{
    (void)state;
    float big = 0x1p40f, tiny = 0x1p-40f;
    assert_int_equal(sup_orient3(V(tiny, 0, -tiny), V(big, -big, 0), V(0, big, -big), V(big, 0, -big)), 0);
    assert_int_equal(sup_orient3(V(tiny, 0, 0), V(big, -big, 0), V(0, big, -big), V(big, 0, -big)), 1);
    assert_int_equal(sup_orient3(V(big, 0, 0), V(big, 1, 0), V(big, 0, 1), V(big, 7, tiny)), 0);
    // d is off the plane z = x by one part in 2^84 of the extent
    assert_int_equal(sup_orient3(V(-big, 0, -big), V(big, 0, big), V(0, 1, 0), V(tiny, 0, tiny)), 0);
    assert_int_equal(sup_orient3(V(-big, 0, -big), V(big, 0, big), V(0, 1, 0), V(tiny, 0, nextafterf(tiny, 1))), 1);
    assert_int_equal(sup_orient3(V(-big, 0, -big), V(big, 0, big), V(0, 1, 0), V(tiny, 0, nextafterf(tiny, 0))), -1);
    assert_int_equal(sup_orient3(V(0, 0, 0), V(0x1p-149f, 0, 0), V(0, 0x1p-149f, 0), V(1, 1, 0x1p-149f)), 1);
    assert_int_equal(sup_orient3(V(0, 0, 0), V(0x1p127f, 0, 0), V(0, 0x1p127f, 0), V(1, 1, -0x1p127f)), -1);
}

// ---------------------------------------------------------------------------------------------- by other means

typedef struct whole {
    int64_t x, y, z;
} whole;

static whole sub(whole a, whole b) { return (whole){ a.x - b.x, a.y - b.y, a.z - b.z }; }
static whole cross(whole a, whole b) { return (whole){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x }; }
static int64_t dot(whole a, whole b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static bool    zero(whole a) { return a.x == 0 && a.y == 0 && a.z == 0; }

/// A fraction with a positive denominator.
typedef struct ratio {
    int64_t top, bottom;
} ratio;

static bool less(ratio a, ratio b) { return a.top * b.bottom < b.top * a.bottom; }

/// Where the triangle with distances d from a plane cuts the line along `axis`: an open interval, or none.
static bool interval(const whole t[3], const int64_t d[3], whole axis, ratio* low, ratio* high)
{
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        int     j = (i + 1) % 3;
        int64_t pi = dot(t[i], axis), pj = dot(t[j], axis);
        ratio   r;
        if (d[i] == 0) r = (ratio){ pi, 1 };
        else if (d[i] < 0 && d[j] > 0) r = (ratio){ pi * d[j] - pj * d[i], d[j] - d[i] };
        else if (d[i] > 0 && d[j] < 0) r = (ratio){ pj * d[i] - pi * d[j], d[i] - d[j] };
        else continue;
        if (count == 0 || less(r, *low)) *low = r;
        if (count == 0 || less(*high, r)) *high = r;
        ++count;
    }
    bool above = d[0] > 0 || d[1] > 0 || d[2] > 0, below = d[0] < 0 || d[1] < 0 || d[2] < 0;
    return above && below && count >= 2;
}

typedef struct flat {
    double x, y;
} flat;

static double turn(flat a, flat b, flat c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

static bool holds(const flat t[3], flat p)
{
    double s = turn(t[0], t[1], t[2]) > 0 ? 1 : -1;
    return s * turn(t[0], t[1], p) > -1e-10 && s * turn(t[1], t[2], p) > -1e-10 && s * turn(t[2], t[0], p) > -1e-10;
}

/// The corners of the common polygon are corners of one inside the other and crossings of edges; it has an area when three of
/// them are not in line. Whole coordinates up to 4 keep all of this far from rounding.
static bool overlap(const flat s[3], const flat t[3])
{
    flat found[15];
    int  count = 0;
    for (int i = 0; i < 3; ++i) {
        if (holds(t, s[i])) found[count++] = s[i];
        if (holds(s, t[i])) found[count++] = t[i];
        for (int j = 0; j < 3; ++j) {
            flat   a = s[i], b = s[(i + 1) % 3], c = t[j], d = t[(j + 1) % 3];
            double det = (b.x - a.x) * (d.y - c.y) - (b.y - a.y) * (d.x - c.x);
            if (det == 0) continue;
            double u = ((c.x - a.x) * (d.y - c.y) - (c.y - a.y) * (d.x - c.x)) / det;
            flat   p = { a.x + u * (b.x - a.x), a.y + u * (b.y - a.y) };
            if (holds(s, p) && holds(t, p)) found[count++] = p;
        }
    }
    for (int i = 0; i < count; ++i)
        for (int j = 0; j < i; ++j)
            for (int k = 0; k < j; ++k)
                if (fabs(turn(found[i], found[j], found[k])) > 1e-9) return true;
    return false;
}

static bool cross_by_fractions(const whole s[3], const whole t[3])
{
    whole n = cross(sub(s[1], s[0]), sub(s[2], s[0])), m = cross(sub(t[1], t[0]), sub(t[2], t[0]));
    if (zero(n) || zero(m)) return false;
    int64_t ds[3], dt[3];
    for (int i = 0; i < 3; ++i) {
        ds[i] = dot(m, sub(s[i], t[0]));
        dt[i] = dot(n, sub(t[i], s[0]));
    }
    whole axis = cross(n, m);
    if (zero(axis)) {
        if (ds[0] != 0) return false;
        flat a[3], b[3];
        for (int i = 0; i < 3; ++i) {
            a[i] = n.z   ? (flat){ (double)s[i].x, (double)s[i].y }
                   : n.x ? (flat){ (double)s[i].y, (double)s[i].z }
                         : (flat){ (double)s[i].z, (double)s[i].x };
            b[i] = n.z   ? (flat){ (double)t[i].x, (double)t[i].y }
                   : n.x ? (flat){ (double)t[i].y, (double)t[i].z }
                         : (flat){ (double)t[i].z, (double)t[i].x };
        }
        return overlap(a, b);
    }
    ratio a0, a1, b0, b1;
    if (!interval(s, ds, axis, &a0, &a1) || !interval(t, dt, axis, &b0, &b1)) return false;
    return less(a0, b1) && less(b0, a1);
}

static void agrees_with_fractions_on_small_whole_numbers(void** state)
{
    (void)state;
    uint32_t seed = 9, crossing = 0, flat_ones = 0;
    for (int round = 0; round < 200000; ++round) {
        whole    w[6];
        sup_vec3 v[6];
        for (int i = 0; i < 6; ++i) {
            int64_t c[3];
            for (int k = 0; k < 3; ++k) {
                seed = seed * 1664525u + 1013904223u;
                c[k] = (seed >> 16) % 5;
            }
            if (round % 4 == 0) c[2] = 2; // all in one plane
            if (round % 4 == 1) c[2] = c[0] + c[1];
            w[i] = (whole){ c[0], c[1], c[2] };
            v[i] = V((float)c[0], (float)c[1], (float)c[2]);
        }
        bool want = cross_by_fractions(w, w + 3);
        if (cross_both_ways(v, v + 3) != want) fail_msg("round %d: wanted %d", round, want);
        crossing += want;
        flat_ones += want && round % 4 < 2;
    }
    assert_true(crossing > 40000 && flat_ones > 10000);
}

// Shifted by 1/3 and scaled by 1/7 the coordinates round, and are no longer in one plane except by chance; moving both
// triangles by the same power of two within the range keeps every bit, and so the answer.
static void answers_do_not_depend_on_the_unit(void** state)
{
    (void)state;
    uint32_t seed = 77;
    for (int round = 0; round < 20000; ++round) {
        sup_vec3 v[6], small[6], large[6];
        for (int i = 0; i < 6; ++i) {
            float c[3];
            for (int k = 0; k < 3; ++k) {
                seed = seed * 1664525u + 1013904223u;
                c[k] = (float)((seed >> 16) % 5) / 7 + 1.0f / 3;
            }
            v[i] = V(c[0], c[1], c[2]);
            small[i] = V(c[0] * 0x1p-100f, c[1] * 0x1p-100f, c[2] * 0x1p-100f);
            large[i] = V(c[0] * 0x1p100f, c[1] * 0x1p100f, c[2] * 0x1p100f);
        }
        bool want = cross_both_ways(v, v + 3);
        assert_int_equal(cross_both_ways(small, small + 3), want);
        assert_int_equal(cross_both_ways(large, large + 3), want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossing_counts_and_touching_does_not),
        cmocka_unit_test(signs_are_exact_where_doubles_round),
        cmocka_unit_test(agrees_with_fractions_on_small_whole_numbers),
        cmocka_unit_test(answers_do_not_depend_on_the_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

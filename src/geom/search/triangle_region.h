/// geom/search/triangle_region.h: the point of a triangle nearest to a given point, as barycentric coordinates (Ericson 2005,
/// 5.1.5).
///
/// Written once for float and double: contact search runs in float, nearest-point search in double.
#ifndef SUP_GEOM_TRIANGLE_REGION_H
#define SUP_GEOM_TRIANGLE_REGION_H

/// Defines `static inline void NAME(d, &v, &w)` over REAL. d: the dot products ab.ap, ac.ap, ab.bp, ac.bp, ab.cp, ac.cp of the
/// point p for the triangle a, b, c. The nearest point is a + v ab + w ac: a corner, a point on an edge, or one inside, by the
/// signs of d. A triangle without area that matches no edge gives the corner a.
#define SUP_TRIANGLE_REGION(NAME, REAL)                                                                                        \
    static inline void NAME(const REAL d[6], REAL* out_v, REAL* out_w)                                                         \
    {                                                                                                                          \
        REAL d1 = d[0], d2 = d[1], d3 = d[2], d4 = d[3], d5 = d[4], d6 = d[5], v = 0, w = 0;                                   \
        REAL va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;                                           \
        if (d1 <= 0 && d2 <= 0) v = w = 0;                                                                                     \
        else if (d3 >= 0 && d4 <= d3) v = 1;                                                                                   \
        else if (d6 >= 0 && d5 <= d6) w = 1;                                                                                   \
        else if (vc <= 0 && d1 >= 0 && d3 <= 0) v = d1 / (d1 - d3);                                                            \
        else if (vb <= 0 && d2 >= 0 && d6 <= 0) w = d2 / (d2 - d6);                                                            \
        else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {                                                                    \
            w = (d4 - d3) / ((d4 - d3) + (d5 - d6));                                                                           \
            v = 1 - w;                                                                                                         \
        } else if (va + vb + vc > 0) {                                                                                         \
            v = vb / (va + vb + vc);                                                                                           \
            w = vc / (va + vb + vc);                                                                                           \
        }                                                                                                                      \
        *out_v = v;                                                                                                            \
        *out_w = w;                                                                                                            \
    }

#endif

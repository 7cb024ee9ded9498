#include "geom/search/closest.h"

#include <math.h>

typedef struct vec {
    double x, y, z;
} vec;

static vec minus(sup_vec3 a, sup_vec3 b)
{
    return (vec){ (double)a.x - (double)b.x, (double)a.y - (double)b.y, (double)a.z - (double)b.z };
}
static double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/// Weights of the corners at the place of the triangle nearest to p: a corner, a place on an edge, or inside, by the signs of
/// the distances along the edges (Ericson 2005, 5.1.5).
static void nearest(sup_vec3 p, sup_vec3 a, sup_vec3 b, sup_vec3 c, double out[3])
{
    vec    ab = minus(b, a), ac = minus(c, a), ap = minus(p, a), bp = minus(p, b), cp = minus(p, c);
    double d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp), d5 = dot(ab, cp), d6 = dot(ac, cp);
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2, v = 0, w = 0;
    if (d1 <= 0 && d2 <= 0) v = w = 0;
    else if (d3 >= 0 && d4 <= d3) v = 1;
    else if (d6 >= 0 && d5 <= d6) w = 1;
    else if (vc <= 0 && d1 >= 0 && d3 <= 0) v = d1 / (d1 - d3);
    else if (vb <= 0 && d2 >= 0 && d6 <= 0) w = d2 / (d2 - d6);
    else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        v = 1 - w;
    } else if (va + vb + vc > 0) {
        v = vb / (va + vb + vc);
        w = vc / (va + vb + vc);
    }
    out[0] = 1 - v - w > 0 ? 1 - v - w : 0;
    out[1] = v;
    out[2] = w;
}

static double box_square(const sup_box* box, const double p[3])
{
    double square = 0;
    if (!(box->min[0] <= box->max[0])) return INFINITY;
    for (int k = 0; k < 3; ++k) {
        double low = (double)box->min[k] - p[k], high = p[k] - (double)box->max[k];
        double apart = low > 0 ? low : high > 0 ? high : 0;
        square += apart * apart;
    }
    return square;
}

static void try_slot(const sup_bvh* bvh, const sup_vec3* points, uint32_t slot, sup_vec3 from, sup_closest* best)
{
    const uint32_t* t = bvh->corners + 3 * (size_t)slot;
    sup_closest     c = { .slot = slot };
    nearest(from, points[t[0]], points[t[1]], points[t[2]], c.b);
    vec to[3] = { minus(points[t[0]], from), minus(points[t[1]], from), minus(points[t[2]], from) };
    vec d = { c.b[0] * to[0].x + c.b[1] * to[1].x + c.b[2] * to[2].x, c.b[0] * to[0].y + c.b[1] * to[1].y + c.b[2] * to[2].y,
              c.b[0] * to[0].z + c.b[1] * to[1].z + c.b[2] * to[2].z };
    c.square = dot(d, d);
    if (c.square < best->square) *best = c;
}

sup_closest sup_bvh_closest(const sup_bvh* bvh, const sup_box* nodes, const sup_vec3* points, sup_vec3 from)
{
    uint32_t all = UINT32_MAX;
    return sup_bvh_closest_within(bvh, nodes, points, from, &all);
}

sup_closest sup_bvh_closest_within(const sup_bvh* bvh, const sup_box* nodes, const sup_vec3* points, sup_vec3 from,
                                   uint32_t* leaves)
{
    enum { DEPTH = 64 }; // leaves are at most 2^32, and every level leaves one node behind
    struct {
        uint32_t node;
        double   square;
    } stack[DEPTH];
    uint32_t    count = 0;
    double      p[3] = { from.x, from.y, from.z };
    sup_closest best = { .slot = SUP_NONE, .square = INFINITY };
    stack[count].node = 1;
    stack[count++].square = box_square(&nodes[1], p);
    while (count) {
        uint32_t node = stack[--count].node;
        if (!(stack[count].square < best.square)) continue;
        if (node >= bvh->leaf_count) {
            if ((*leaves)-- == 0) {
                *leaves = 0;
                return (sup_closest){ .slot = SUP_NONE, .square = INFINITY };
            }
            uint32_t leaf = node - bvh->leaf_count;
            for (uint32_t s = bvh->leaf_begin[leaf]; s < bvh->leaf_begin[leaf + 1]; ++s) try_slot(bvh, points, s, from, &best);
            continue;
        }
        double left = box_square(&nodes[2 * (size_t)node], p), right = box_square(&nodes[2 * (size_t)node + 1], p);
        bool   right_first = right < left; // the nearer one is taken off the stack first
        stack[count].node = 2 * node + !right_first;
        stack[count++].square = right_first ? left : right;
        stack[count].node = 2 * node + right_first;
        stack[count++].square = right_first ? right : left;
    }
    return best;
}

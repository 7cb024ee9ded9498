#include "geom/search/closest.h"
#include "geom/search/descent.h"
#include "geom/search/triangle_region.h"
#include "math/vec3d.h"

#include <math.h>

SUP_TRIANGLE_REGION(region, double)

/// Barycentric coordinates of the point of the triangle nearest to p.
static void nearest(sup_vec3 p, sup_vec3 a, sup_vec3 b, sup_vec3 c, double out[3])
{
    vec3d  ab = v3d_between(a, b), ac = v3d_between(a, c);
    vec3d  ap = v3d_between(a, p), bp = v3d_between(b, p), cp = v3d_between(c, p);
    double v, w;
    region((double[]){ v3d_dot(ab, ap), v3d_dot(ac, ap), v3d_dot(ab, bp), v3d_dot(ac, bp), v3d_dot(ab, cp), v3d_dot(ac, cp) },
           &v, &w);
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
    vec3d to[3] = { v3d_between(from, points[t[0]]), v3d_between(from, points[t[1]]), v3d_between(from, points[t[2]]) };
    vec3d d = { c.b[0] * to[0].x + c.b[1] * to[1].x + c.b[2] * to[2].x, c.b[0] * to[0].y + c.b[1] * to[1].y + c.b[2] * to[2].y,
                c.b[0] * to[0].z + c.b[1] * to[1].z + c.b[2] * to[2].z };
    c.square = v3d_dot(d, d);
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
    double           p[3] = { from.x, from.y, from.z };
    sup_closest      best = { .slot = SUP_NONE, .square = INFINITY };
    sup_descent_room room;
    sup_descent      d =
        sup_descent_begin(room, bvh->leaf_count, (sup_descent_step){ .node = 1, .bound = box_square(&nodes[1], p) });
    while (sup_descent_next(&d)) {
        if (!(d.at.bound < best.square)) continue;
        if (d.at.node < bvh->leaf_count) {
            const sup_box* left = &nodes[2 * (size_t)d.at.node];
            sup_descent_open_nearer(&d, box_square(left, p), box_square(left + 1, p));
            continue;
        }
        if ((*leaves)-- == 0) {
            *leaves = 0;
            return (sup_closest){ .slot = SUP_NONE, .square = INFINITY };
        }
        uint32_t leaf = d.at.node - bvh->leaf_count;
        for (uint32_t s = bvh->leaf_begin[leaf]; s < bvh->leaf_begin[leaf + 1]; ++s) try_slot(bvh, points, s, from, &best);
    }
    return best;
}

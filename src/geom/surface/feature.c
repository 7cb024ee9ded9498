#include "geom/surface/feature.h"

#include "geom/search/closest.h"
#include "math/vec.h"

#include <math.h>

#define ENTERED 0.99   // of the radius: anything nearer to the center is inside the ball
enum { SHRINKS = 12 }; // the radius falls by half or more at first; after this many steps the change is rounding
// Leaves of the hierarchy opened for a ball. Only triangles that lie through each other everywhere need more, and there neither
// thickness nor gap means anything.
enum { LEAVES_MOST = 4096 };

// A ball through `at` with its center along `side` that also passes through q has the radius |q - at|^2 / (2 side . (q - at)).
static sup_feature shrink(const sup_bvh* bvh, const sup_box* nodes, const sup_vec3* points, sup_vec3 at, sup_vec3 side,
                          double most, uint32_t own)
{
    sup_feature f = { .width = most, .facing = SUP_NONE };
    double      radius = most / 2;
    uint32_t    leaves = LEAVES_MOST;
    for (int i = 0; i < SHRINKS; ++i) {
        sup_vec3    middle = v3_mad(at, (float)radius, side);
        sup_closest near = sup_bvh_closest_within(bvh, nodes, points, middle, &leaves);
        if (leaves == 0) return (sup_feature){ .width = most, .facing = SUP_NONE };
        if (near.slot == SUP_NONE || !(near.square < ENTERED * ENTERED * radius * radius)) break;
        const uint32_t* c = bvh->corners + 3 * (size_t)near.slot;
        if (c[0] == own || c[1] == own || c[2] == own) break;
        sup_vec3 q = v3(0, 0, 0);
        for (int k = 0; k < 3; ++k) q = v3_mad(q, (float)near.b[k], points[c[k]]);
        sup_vec3 to = v3_sub(q, at);
        double   along = (double)v3_dot(to, side), square = (double)v3_length2(to);
        if (!(along > 0) || !(square / (2 * along) < radius)) break;
        radius = square / (2 * along);
        f.facing = near.slot;
        f.place = q;
    }
    f.width = 2 * radius;
    return f;
}

sup_feature sup_feature_at(const sup_bvh* bvh, const sup_box* nodes, const sup_vec3* points, sup_vec3 at, sup_vec3 side,
                           double most)
{
    return shrink(bvh, nodes, points, at, side, most, SUP_NONE);
}

sup_feature sup_feature_at_point(const sup_bvh* bvh, const sup_box* nodes, const sup_vec3* points, uint32_t point,
                                 sup_vec3 side, double most, const uint32_t* ring, uint32_t ring_count)
{
    uint32_t touched = SUP_NONE;
    double   widest = most;
    for (uint32_t i = 0; i < ring_count; ++i) {
        sup_vec3 to = v3_sub(points[ring[i]], points[point]);
        double   along = (double)v3_dot(to, side), square = (double)v3_length2(to);
        if (!(along > 0) || !(square / along < widest)) continue;
        widest = square / along;
        touched = i;
    }
    sup_feature f = shrink(bvh, nodes, points, points[point], side, widest, point);
    if (f.facing == SUP_NONE && touched != SUP_NONE) f.place = points[ring[touched]];
    return f;
}

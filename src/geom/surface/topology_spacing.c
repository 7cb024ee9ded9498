// How far apart the points of a surface are.
#include "geom/surface/topology.h"
#include "math/vec.h"

#include <math.h>

/// An edge counts as at most this many heights of the triangles around it: edges of needles, as on a tube that is divided only
/// where it bends, say nothing about how near the neighbors are.
static const float needle = 3.0f;

static float mean_height(const sup_topology* t, const uint32_t* triangles, const sup_vec3* points, uint32_t point)
{
    uint32_t first = t->fan_begin[point], last = t->fan_begin[point + 1];
    double   sum = 0;
    for (uint32_t i = first; i < last; ++i) {
        const uint32_t* c = triangles + 3 * (size_t)t->fan[i];
        sup_vec3        a = v3_sub(points[c[1]], points[c[0]]), b = v3_sub(points[c[2]], points[c[1]]);
        float           longest = fmaxf(fmaxf(v3_length2(a), v3_length2(b)), v3_length2(v3_add(a, b)));
        if (longest > 0) sum += (double)(v3_length(v3_cross(a, b)) / sqrtf(longest));
    }
    return last > first ? (float)(sum / (last - first)) : 0.0f;
}

float sup_topology_spacing(const sup_topology* t, const uint32_t* triangles, const sup_vec3* points, uint32_t point)
{
    uint32_t first = t->ring_begin[point], last = t->ring_begin[point + 1];
    double   sum = 0;
    for (uint32_t k = first; k < last; ++k) sum += (double)v3_distance(points[point], points[t->ring[k]]);
    if (last == first || !isfinite(sum)) return 0.0f;
    return fminf((float)(sum / (last - first)), needle * mean_height(t, triangles, points, point));
}

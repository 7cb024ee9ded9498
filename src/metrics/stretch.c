#include "base/internal.h"
#include "supple/metrics.h"

#include <math.h>

static double distance(sup_vec3 a, sup_vec3 b)
{
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z);
}

// Visits every edge from both of its faces; a maximum does not mind, and it saves a table of edges.
double sup_metric_stretch(const sup_mesh* mesh, const sup_vec3* points)
{
    SUP_ASSERT(mesh && points);
    double worst = 1.0;
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t begin = mesh->face_begin[f], end = mesh->face_begin[f + 1];
        for (uint32_t c = begin; c < end; ++c) {
            uint32_t a = mesh->corner_points[c], b = mesh->corner_points[c + 1 < end ? c + 1 : begin];
            double   rest = distance(mesh->points[a], mesh->points[b]);
            if (!(rest > 0)) continue;
            double now = distance(points[a], points[b]);
            double ratio = now >= rest ? now / rest : rest / now; // a collapsed edge is infinitely stretched
            if (ratio > worst) worst = ratio;
        }
    }
    return worst;
}

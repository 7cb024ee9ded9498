#include "base/internal.h"
#include "supple/metrics.h"

// V = sum over triangles of a . (b x c) / 6, with the points relative to their mean: far from the origin the products would be
// large and cancel.
double sup_metric_volume(const sup_mesh* mesh, const sup_vec3* points)
{
    SUP_ASSERT(mesh && points);
    if (mesh->point_count == 0) return 0.0;
    double mx = 0, my = 0, mz = 0;
    for (uint32_t i = 0; i < mesh->point_count; ++i) {
        mx += (double)points[i].x;
        my += (double)points[i].y;
        mz += (double)points[i].z;
    }
    double n = (double)mesh->point_count;
    mx /= n, my /= n, mz /= n;
    double six = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        sup_vec3 a = points[mesh->triangles[3 * t]], b = points[mesh->triangles[3 * t + 1]],
                 c = points[mesh->triangles[3 * t + 2]];
        double ax = (double)a.x - mx, ay = (double)a.y - my, az = (double)a.z - mz;
        double bx = (double)b.x - mx, by = (double)b.y - my, bz = (double)b.z - mz;
        double cx = (double)c.x - mx, cy = (double)c.y - my, cz = (double)c.z - mz;
        six += ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx);
    }
    return six / 6.0;
}

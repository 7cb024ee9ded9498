#include "metrics/meter.h"

#include "base/internal.h"
#include "math/trig.h"

#include <math.h>
#include <string.h>

static double distance(sup_vec3 a, sup_vec3 b)
{
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z);
}

sup_result sup_meter_make_stretch(sup_meter* meter, const sup_topology* faces, sup_error* error)
{
    const sup_vec3* rest = meter->character->mesh.points;
    uint32_t*       edges = SUP_NEW(meter->arena, uint32_t, 2 * (size_t)faces->edge_count);
    double*         lengths = SUP_NEW(meter->arena, double, faces->edge_count);
    if (!edges || !lengths) return sup_fail_memory(error, "the edges of a meter");
    for (uint32_t e = 0; e < faces->edge_count; ++e) {
        uint32_t a = faces->edges[e].a, b = faces->edges[e].b;
        double   length = distance(rest[a], rest[b]);
        if (!(length > 0)) continue;
        edges[2 * meter->edge_count] = a;
        edges[2 * meter->edge_count + 1] = b;
        lengths[meter->edge_count++] = length;
    }
    meter->edges = edges;
    meter->edge_lengths = lengths;
    return SUP_OK;
}

static void keep_worse(float* kept, float value)
{
    if (fabsf(value) > fabsf(*kept)) *kept = value;
}

double sup_meter_stretch(const sup_meter* meter, const sup_vec3* points, float* per_point)
{
    SUP_ASSERT(meter && points);
    const double most = 64; // a collapsed edge, kept finite for pictures
    double       worst = 1.0;
    if (per_point) memset(per_point, 0, meter->character->mesh.point_count * sizeof *per_point);
    for (uint32_t e = 0; e < meter->edge_count; ++e) {
        uint32_t a = meter->edges[2 * (size_t)e], b = meter->edges[2 * (size_t)e + 1];
        double   rest = meter->edge_lengths[e], now = distance(points[a], points[b]);
        double   ratio = now >= rest ? now / rest : rest / now;
        if (ratio > worst || isnan(ratio)) worst = ratio; // NaN is kept
        if (!per_point || !(ratio > 1)) continue;
        double size = isfinite(ratio) ? sup_log2(ratio) : most;
        float  value = (float)(size < most ? size : most);
        keep_worse(&per_point[a], now >= rest ? value : -value);
        keep_worse(&per_point[b], now >= rest ? value : -value);
    }
    return worst;
}

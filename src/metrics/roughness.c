#include "metrics/meter.h"

#include "base/internal.h"
#include "geom/surface/curvature.h"

#include <math.h>

// Where skin collapses, the area around a point goes to zero and the curvature to infinity. The area is kept above this share
// of the rest area, so that one pinched point does not outweigh the rest of the body.
static const double least_area = 0.01;

static sup_curvature curvature(const sup_meter* meter, const sup_vec3* points, uint32_t p)
{
    uint32_t begin = meter->fan_begin[p];
    return sup_curvature_at(points, meter->character->mesh.triangles, meter->fan + begin, meter->fan_begin[p + 1] - begin, p);
}

sup_result sup_meter_make_roughness(sup_meter* meter, const sup_topology* t, sup_error* error)
{
    const sup_mesh* mesh = &meter->character->mesh;
    double*         areas = SUP_NEW(meter->arena, double, mesh->point_count);
    double*         means = SUP_NEW(meter->arena, double, mesh->point_count);
    meter->fan_begin = sup_arena_copy(meter->arena, t->fan_begin, (size_t)mesh->point_count + 1, sizeof *t->fan_begin);
    if (!areas || !means || !meter->fan_begin) return sup_fail_memory(error, "the curvatures of a meter");
    meter->fan = sup_arena_copy(meter->arena, t->fan, t->fan_begin[mesh->point_count], sizeof *t->fan);
    if (!meter->fan) return sup_fail_memory(error, "the curvatures of a meter");
    for (uint32_t p = 0; p < mesh->point_count; ++p) {
        sup_curvature c = curvature(meter, mesh->points, p);
        areas[p] = c.area;
        means[p] = c.area > 0 ? c.total / c.area : 0;
    }
    for (uint32_t e = 0; e < t->edge_count; ++e) // a point on a border has only half a ring, and no curvature
        if (t->edges[e].face_count == 1) areas[t->edges[e].a] = areas[t->edges[e].b] = 0;
    for (uint32_t p = 0; p < mesh->point_count; ++p) meter->rest_area += areas[p];
    meter->rest_areas = areas;
    meter->rest_curvatures = means;
    return SUP_OK;
}

double sup_meter_roughness(const sup_meter* meter, const sup_vec3* points, float* per_point)
{
    SUP_ASSERT(meter && points);
    const sup_mesh* mesh = &meter->character->mesh;
    double          sum = 0, diagonal = (double)mesh->diagonal;
    for (uint32_t p = 0; p < mesh->point_count; ++p) {
        double rest_area = meter->rest_areas[p], change = 0;
        if (rest_area > 0) {
            sup_curvature c = curvature(meter, points, p);
            change = c.total / (c.area > least_area * rest_area ? c.area : least_area * rest_area) - meter->rest_curvatures[p];
            sum += rest_area * change * change;
        }
        if (per_point) per_point[p] = (float)(change * diagonal);
    }
    return meter->rest_area > 0 ? sqrt(sum / meter->rest_area) * diagonal : 0;
}

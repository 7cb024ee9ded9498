// The part around each joint, as geom/volume/volumes_label.h finds it.
#include "metrics/meter.h"

#include "base/internal.h"
#include "scene/part_labels.h"

static sup_result make_parts(sup_meter* meter, const sup_labels* labels, sup_arena* temp, sup_error* error)
{
    const sup_mesh* mesh = &meter->character->mesh;
    uint32_t        count = labels->part_count;
    sup_meter_part* parts = SUP_NEW(meter->arena, sup_meter_part, count);
    double*         volumes = SUP_NEW(temp, double, count);
    if (!parts || !volumes) return sup_fail_memory(error, "the parts of a meter");
    meter->parts = parts;
    meter->part_of = sup_arena_copy(meter->arena, labels->labels, mesh->triangle_count, sizeof *labels->labels);
    if (!meter->part_of) return sup_fail_memory(error, "the parts of a meter");
    if (count == 0) return SUP_OK; // no triangles
    sup_volumes_desc desc = { .point_count = mesh->point_count,
                              .triangle_count = mesh->triangle_count,
                              .triangles = mesh->triangles,
                              .part_count = count,
                              .labels = labels->labels,
                              .parents = labels->parents,
                              .cut_points = labels->cut_points,
                              .cut_carriers = labels->cut_carriers };
    sup_result       result = sup_volumes_create(&desc, meter->arena, &meter->volumes, error);
    if (result != SUP_OK) return result;
    sup_volumes_measure(&meter->volumes, mesh->points, NULL, volumes);
    for (uint32_t p = 0; p < count; ++p) {
        uint32_t joint = labels->part_joints[p];
        parts[p] = (sup_meter_part){ joint, meter->character->skeleton.joints[joint].name, labels->part_sizes[p], volumes[p] };
    }
    return SUP_OK;
}

sup_result sup_meter_make_parts(sup_meter* meter, sup_error* error)
{
    const sup_mesh*  mesh = &meter->character->mesh;
    sup_volumes_desc whole = {
        .point_count = mesh->point_count, .triangle_count = mesh->triangle_count, .triangles = mesh->triangles, .part_count = 1
    };
    sup_result result = sup_volumes_create(&whole, meter->arena, &meter->whole, error);
    if (result != SUP_OK) return result;
    meter->rest_volume = sup_meter_volume(meter, mesh->points);
    sup_labels labels;
    sup_arena* temp = sup_arena_beside(meter->arena);
    result = temp ? sup_character_label_parts(meter->character, meter->character->mesh.triangle_count,
                                              meter->character->mesh.triangles, temp, &labels, error)
                  : sup_fail_memory(error, "the parts of a meter");
    if (result == SUP_OK) result = make_parts(meter, &labels, temp, error);
    sup_arena_destroy(temp);
    return result;
}

// ---------------------------------------------------------------------------------------------- reading

uint32_t sup_meter_holes(const sup_meter* meter) { return meter->whole.hole_count; }
double   sup_meter_rest_volume(const sup_meter* meter) { return meter->rest_volume; }

double sup_meter_volume(const sup_meter* meter, const sup_vec3* points)
{
    SUP_ASSERT(meter && points);
    double volume;
    sup_volumes_measure(&meter->whole, points, NULL, &volume);
    return volume;
}

uint32_t sup_meter_part_count(const sup_meter* meter) { return meter->volumes.part_count; }

const sup_meter_part* sup_meter_part_at(const sup_meter* meter, uint32_t part)
{
    SUP_ASSERT(part < meter->volumes.part_count);
    return &meter->parts[part];
}

void sup_meter_part_volumes(const sup_meter* meter, const sup_pose* pose, const sup_vec3* points, double* out)
{
    SUP_ASSERT(meter && pose && points && out);
    sup_volumes_measure(&meter->volumes, points, pose->skin, out);
}

void sup_meter_volume_values(const sup_meter* meter, const double* volumes, float* per_point)
{
    SUP_ASSERT(meter && volumes && per_point);
    for (uint32_t p = 0; p < meter->character->mesh.point_count; ++p) {
        double   sum = 0;
        uint32_t count = 0;
        for (uint32_t i = meter->fan_begin[p]; i < meter->fan_begin[p + 1]; ++i) {
            uint32_t part = meter->part_of[meter->fan[i]];
            double   rest = meter->parts[part].rest_volume;
            if (rest == 0) continue; // a flat part has no volume to lose
            sum += volumes[part] / rest - 1;
            ++count;
        }
        per_point[p] = count ? (float)(sum / count) : 0;
    }
}

#include "deform/pose_space/pose_sections.h"

#include "base/internal.h"
#include "deform/curves/curve_link.h"
#include "math/vec.h"

#include <string.h>

sup_result pose_sections_take(const sup_bind_input* in, uint32_t center_count, sup_vec3** shapes, sup_arena* temporary,
                              sup_arena* arena, sup_sections* out, sup_error* error)
{
    const sup_mesh* mesh = &in->character->mesh;
    const uint32_t* labels = NULL;
    sup_curves      curves;
    sup_error       reason;
    sup_segments    segments = { .count = center_count, .q = (const sup_vec3* const*)shapes };
    *out = (sup_sections){ 0 };
    sup_result r = sup_curve_labels(in, "pose_space", "", temporary, &labels, error);
    if (r) return r;
    sup_curves_desc desc = { .mesh = sup_curve_mesh_of(mesh), .labels = labels, .way = SUP_CURVES_PLANES };
    r = sup_curves_create(&desc, temporary, &curves, &reason);
    if (r == SUP_ERROR_MEMORY) return sup_fail_memory(error, "pose_space");
    if (r) return SUP_OK; // no limbs: corrections follow straight lines
    r = sup_sections_create(in->character, &curves, SUP_SECTIONS_ANGLE, &segments, arena, out, error);
    if (r || !out->station_count) return r;
    for (uint32_t k = 0; k < center_count; ++k) {
        sup_vec3* more = SUP_NEW(temporary, sup_vec3, (size_t)mesh->point_count + 2 * (size_t)out->station_count);
        if (!more) return sup_fail_memory(error, "pose_space");
        memcpy(more, segments.q[k], mesh->point_count * sizeof *more);
        memcpy(more + mesh->point_count, out->turns + (size_t)k * out->station_count * 6,
               out->station_count * 2 * sizeof *more);
        shapes[k] = more;
    }
    return SUP_OK;
}

bool pose_sections_move(const sup_sections* s, uint32_t center_count, uint32_t point)
{
    if (!s->station_count || s->station[point] == SUP_NONE) return false;
    for (uint32_t k = 0; k < center_count; ++k)
        for (int i = 0; i < 12; ++i)
            if (s->turns[((size_t)k * s->station_count + s->station[point]) * 6 + (size_t)i] != 0) return true;
    return false;
}

void pose_sections_prepare(const sup_sections* s, const sup_vec3* given, float* turns, sup_station* out)
{
    sup_sections now = { .station_count = s->station_count, .centers = s->centers, .turns = turns };
    memcpy(turns, given, s->station_count * 2 * sizeof *given);
    sup_sections_prepare(&now, &(uint32_t){ 0 }, &(float){ 1 }, 1, NULL, out);
}

sup_vec3 pose_sections_add(const sup_sections* s, const sup_station* stations, uint32_t point, sup_vec3 rest, sup_vec3 r)
{
    uint32_t k = s->station[point];
    if (k == SUP_NONE) return r;
    sup_vec3 at = v3_add(rest, r), by[2];
    for (uint32_t i = 0; i < 2; ++i) {
        const float(*c)[4] = stations[k + i].column;
        by[i] = v3(c[3][0] + c[0][0] * at.x + c[1][0] * at.y + c[2][0] * at.z,
                   c[3][1] + c[0][1] * at.x + c[1][1] * at.y + c[2][1] * at.z,
                   c[3][2] + c[0][2] * at.x + c[1][2] * at.y + c[2][2] * at.z);
    }
    return v3_add(r, v3_lerp(by[0], by[1], s->ratio[point]));
}

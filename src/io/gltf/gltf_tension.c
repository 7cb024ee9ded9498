// How much a pose stretches the skin, as an attribute for shaders and as vertex colors that every viewer shows.
#include "io/gltf/gltf_baking.h"

#include "base/internal.h"
#include "math/vec.h"

sup_result gltf_tension_find(gltf_baking* baking, sup_bake* bake, const sup_vec3* points, sup_error* error)
{
    const sup_mesh* mesh = &bake->desc.character->mesh;
    sup_vec3*       tension = SUP_NEW(bake->arena, sup_vec3, mesh->point_count);
    double*         scratch = SUP_NEW(bake->arena, double, SUP_TENSION_SCRATCH*(size_t)mesh->point_count);
    if (!tension || !scratch) return sup_fail_memory(error, "the tension of a pose");
    uint32_t lost = sup_mesh_tension(mesh, points, scratch, tension);
    if (lost) sup_bake_warn(bake, "the tension of %u points was not a finite number and is written as 0", lost);
    baking->tension = tension;
    return SUP_OK;
}

// White as at rest, blue at half the area, red at twice.
static sup_vec3 color_of(float area)
{
    float t = area < 0 ? -2 * area : area;
    t = t < 1 ? t : 1;
    return area < 0 ? v3(1 - t, 1 - t, 1) : v3(1, 1 - t, 1 - t);
}

void gltf_tension_put(gltf_baking* baking, const sup_bake* bake, const baked_piece* piece, sup_json* attributes)
{
    gltf_edit* edit = &baking->edit;
    if (!baking->tension) return;
    sup_vec3* values = SUP_NEW(edit->arena, sup_vec3, piece->count);
    sup_vec3* colors = SUP_NEW(edit->arena, sup_vec3, piece->count);
    edit->failed |= !values || !colors;
    if (edit->failed) return;
    for (uint32_t v = 0; v < piece->count; ++v) {
        values[v] = baking->tension[piece->part->pull.points[piece->begin + v]];
        colors[v] = color_of(values[v].x);
    }
    if (bake->desc.tension)
        gltf_edit_number(edit, attributes, "_TENSION",
                         gltf_edit_floats(edit, &values->x, piece->count, 3, GLTF_ARRAY_BUFFER, false));
    if (bake->desc.tension_colors)
        gltf_edit_number(edit, attributes, "COLOR_0",
                         gltf_edit_floats(edit, &colors->x, piece->count, 3, GLTF_ARRAY_BUFFER, false));
}

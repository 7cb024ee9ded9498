// Makes a meter: everything that does not change from frame to frame.
#include "metrics/meter.h"

#include "base/internal.h"

/// Neighbor tables, needed only while the meter is made.
static sup_result make_surface(sup_meter* meter, sup_arena* temp, sup_error* error)
{
    const sup_mesh* mesh = &meter->character->mesh;
    sup_polygons    faces = { mesh->point_count, mesh->face_count, mesh->face_begin, mesh->corner_points };
    sup_topology    t;
    sup_result      result = sup_topology_create(&faces, temp, &t, error);
    if (result == SUP_OK) result = sup_meter_make_stretch(meter, &t, error);
    if (result != SUP_OK) return result;

    uint32_t* begin = SUP_NEW(temp, uint32_t, (size_t)mesh->triangle_count + 1);
    if (!begin) return sup_fail_memory(error, "a meter");
    for (uint32_t i = 0; i <= mesh->triangle_count; ++i) begin[i] = 3 * i;
    sup_polygons triangles = { mesh->point_count, mesh->triangle_count, begin, mesh->triangles };
    result = sup_topology_create(&triangles, temp, &t, error);
    return result == SUP_OK ? sup_meter_make_roughness(meter, &t, error) : result;
}

static sup_result make(sup_meter* meter, sup_error* error)
{
    const sup_mesh* mesh = &meter->character->mesh;
    sup_arena*      temp = sup_arena_beside(meter->arena);
    sup_result      result = temp ? make_surface(meter, temp, error) : sup_fail_memory(error, "a meter");
    sup_arena_destroy(temp);
    if (result == SUP_OK) result = sup_meter_make_parts(meter, error);
    if (result == SUP_OK)
        result = sup_bvh_create(mesh->points, mesh->triangles, mesh->triangle_count, meter->arena, &meter->bvh, error);
    return result;
}

sup_result sup_meter_create(const sup_character* character, const sup_allocator* allocator, sup_meter** out, sup_error* error)
{
    SUP_ASSERT(character && out);
    sup_arena* arena = sup_arena_create(allocator);
    sup_meter* meter = arena ? SUP_NEW(arena, sup_meter, 1) : NULL;
    sup_result result = SUP_ERROR_MEMORY;
    if (meter) {
        meter->arena = arena;
        meter->character = character;
        result = make(meter, error);
    } else {
        sup_fail_memory(error, "a meter");
    }
    if (result == SUP_OK) *out = meter;
    else sup_arena_destroy(arena);
    return result;
}

void sup_meter_destroy(sup_meter* meter)
{
    if (meter) sup_arena_destroy(meter->arena);
}

// Skin in heat colors, in the size of a report's column.
#include "portrait.h"

#include "picture_math.h"

#include <math.h>

sup_result portrait_create(const sup_character* character, const sup_tasks* tasks, sup_arena* arena, portrait* out,
                           sup_error* error)
{
    const sup_mesh* mesh = &character->mesh;
    *out = (portrait){ .character = character,
                       .tasks = tasks,
                       .width = 520,
                       .height = 390,
                       .samples = 8,
                       .camera = { 38.0, 16.0, 0.0 },
                       .ground = true };
    sup_result result = sup_normals_create(character, arena, &out->normals, error);
    if (result != SUP_OK) return result;
    out->scratch = sup_arena_alloc(arena, sup_normals_scratch(out->normals) + 64, 1); // 64 more bytes for alignment
    out->vertex_normals = sup_arena_alloc(arena, mesh->vertex_count, sizeof *out->vertex_normals);
    out->colors = sup_arena_alloc(arena, mesh->point_count, sizeof *out->colors);
    portrait_frame_clear(out);
    if (out->scratch && out->vertex_normals && out->colors) return SUP_OK;
    return sup_fail(error, SUP_ERROR_MEMORY, "out of memory while preparing pictures; leave --html out");
}

void portrait_frame_clear(portrait* p)
{
    p->low = (sup_vec3){ INFINITY, INFINITY, INFINITY };
    p->high = (sup_vec3){ -INFINITY, -INFINITY, -INFINITY };
}

void portrait_include(portrait* p, const sup_vec3* points, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        p->low = (sup_vec3){ fminf(p->low.x, points[i].x), fminf(p->low.y, points[i].y), fminf(p->low.z, points[i].z) };
        p->high = (sup_vec3){ fmaxf(p->high.x, points[i].x), fmaxf(p->high.y, points[i].y), fmaxf(p->high.z, points[i].z) };
    }
}

static float along(sup_axis up, sup_vec3 v) { return up == SUP_AXIS_Y ? v.y : up == SUP_AXIS_Z ? v.z : v.x; }

bool portrait_take(portrait* p, const sup_vec3* points, const float* heat, double top, bool both, image* out, sup_error* error)
{
    const sup_mesh* mesh = &p->character->mesh;
    sup_normals_evaluate(p->normals, points, p->scratch, p->tasks, p->vertex_normals, NULL);
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        float value = top > 0.0 ? (float)((double)heat[i] / top) : 0.0f;
        p->colors[i] = both ? picture_heat_signed(value) : picture_heat(value);
    }
    const picture_surface surface = {
        .mesh = mesh, .points = points, .vertex_normals = p->vertex_normals, .colors = p->colors, .alpha = 1.0f
    };
    const picture_desc desc = { .surface_count = 1,
                                .surfaces = &surface,
                                .up = p->character->up,
                                .front = p->front,
                                .camera = p->camera,
                                .frame_low = p->low,
                                .frame_high = p->high,
                                .ground = p->ground,
                                .ground_height = along(p->character->up, p->low),
                                .width = p->width,
                                .height = p->height,
                                .samples = p->samples,
                                .progress = p->bar ? &p->bar->sink : NULL };
    uint32_t           wanted = p->wanted > p->taken ? p->wanted : p->taken + 1;
    if (p->bar) progress_span(p->bar, (double)p->taken / wanted, (p->taken + 1.0) / wanted);
    p->taken++;
    return picture_render(&desc, p->tasks, out, error);
}

picture_camera portrait_camera_along(sup_axis up, sup_vec3 d)
{
    // With the camera's angles: 0 is the front, 90 the character's left.
    double above = (double)along(up, d), length = sqrt((double)d.x * d.x + (double)d.y * d.y + (double)d.z * d.z);
    double side = up == SUP_AXIS_Y ? (double)d.x : up == SUP_AXIS_Z ? (double)d.x : -(double)d.y;
    double front = up == SUP_AXIS_Z ? -(double)d.y : (double)d.z;
    double degrees = 180.0 / PI;
    if (!(length > 0.0)) return (picture_camera){ 38.0, 16.0, 0.0 };
    double elevation = asin(fmax(-1.0, fmin(1.0, above / length))) * degrees;
    // Straight from above or below, up has no direction in the picture.
    return (picture_camera){ atan2(side, front) * degrees, fmax(-70.0, fmin(75.0, elevation)), 0.0 };
}

// What varies over the skin (maps, bone values), as fields over curves. Material and loads are both diffused over the surface
// by the width of a strip before they act: between two curves the network has no information, and a step there would show as a
// crease.
#include "deform/bend/bend.h"
#include "geom/curves/field.h"
#include "geom/surface/clean.h"

#include <string.h>

typedef struct fields_maker {
    const sup_mesh* mesh;
    const bend_net* net;
    sup_arena *     arena, *work;
    sup_error*      error;
    uint32_t        count;
    float*          values[2 * ROW_COUNT]; ///< scale and offset of every varying field, over points
} fields_maker;

static bool copy_points(fields_maker* m, const float* from)
{
    float* to = SUP_NEW(m->work, float, m->mesh->point_count);
    if (to) memcpy(to, from, m->mesh->point_count * sizeof *to);
    m->values[m->count++] = to;
    return to != NULL;
}

/// Mean width of the strips, in units.
static float strip_width(const bend_net* net)
{
    double sum = 0;
    for (uint32_t c = 0; c < net->on.curves.curve_count; ++c) sum += bend_strip(net, c);
    return (float)(sum / net->on.curves.curve_count / net->metres);
}

static sup_result diffuse(fields_maker* m)
{
    sup_curve_mesh mesh = sup_curve_mesh_of(m->mesh);
    sup_clean      surface;
    sup_topology   topology;
    sup_result     r = sup_clean_surface(NULL, mesh.triangle_count, mesh.triangles, m->work, &surface, m->error);
    if (r) return r;
    mesh.triangles = surface.triangles, mesh.triangle_count = surface.triangle_count;
    r = sup_topology_of_triangles(mesh.point_count, mesh.triangle_count, mesh.triangles, m->work, &topology, m->error);
    if (!r) r = sup_surface_diffuse(&mesh, &topology, strip_width(m->net), m->values, m->count, m->work, m->error);
    return r;
}

/// Means along the curves.
static float* read_curves(const fields_maker* m, const float* values)
{
    const sup_curve_net* on = &m->net->on;
    uint32_t             per = on->intervals + 1;
    float*               out = SUP_NEW(m->arena, float, on->curves.curve_count);
    for (uint32_t i = 0; out && i < on->node_count; ++i)
        for (int k = 0; k < 4; ++k) out[i / per] += on->sources[i].share[k] * values[on->sources[i].point[k]] / (float)per;
    return out;
}

static sup_result bind_fields(fields_maker* m, const sup_bind_input* in, bend_bound* b)
{
    const struct {
        enum bend_row row;
        sup_field*    to;
    } list[] = { { ROW_YOUNG, &b->young },         { ROW_POISSON, &b->poisson }, { ROW_WIDTH, &b->width },
                 { ROW_THICKNESS, &b->thickness }, { ROW_SUPPORT, &b->support }, { ROW_PRESSURE, &b->pressure } };
    for (size_t i = 0; i < SUP_COUNT_OF(list); ++i) {
        const sup_field* f = &in->fields[list[i].row];
        if (f->scale && !(copy_points(m, f->scale) && copy_points(m, f->offset))) return sup_fail_memory(m->error, "bend");
    }
    sup_result r = m->count ? diffuse(m) : SUP_OK;
    for (size_t i = 0, at = 0; i < SUP_COUNT_OF(list) && !r; ++i) {
        if (!in->fields[list[i].row].scale) continue;
        const float *scale = read_curves(m, m->values[at]), *offset = read_curves(m, m->values[at + 1]);
        if (!scale || !offset) return sup_fail_memory(m->error, "bend");
        *list[i].to = (sup_field){ scale, offset };
        at += 2;
    }
    return r;
}

sup_result bend_fields_create(const sup_bind_input* in, bend_bound* b, sup_arena* arena, sup_error* error)
{
    fields_maker m = { &in->character->mesh, &b->net, arena, sup_arena_beside(arena), error, 0, { NULL } };
    sup_result   r = m.work ? bind_fields(&m, in, b) : sup_fail_memory(error, "bend");
    sup_arena_destroy(m.work);
    double* stiffness = SUP_NEW(arena, double, b->net.on.curves.curve_count);
    if (!r && !stiffness) r = sup_fail_memory(error, "bend");
    for (uint32_t c = 0; !r && c < b->net.on.curves.curve_count; ++c) stiffness[c] = bend_stiffness(b, in->params, c);
    b->stiffness = stiffness;
    b->strength = in->fields[ROW_STRENGTH];
    return r;
}

// What binds of several links have in common.
#include "run/binding.h"

#include "math/vec.h"

#define SMALL_METRES 0.01
#define LARGE_METRES 100.0

void sup_note_size(const sup_bind_input* in)
{
    const sup_character* c = in->character;
    double               unit = sup_character_physics_unit(c), size = (double)c->mesh.diagonal * unit;
    if (size >= SMALL_METRES && size <= LARGE_METRES) return;
    sup_note(in->notes,
             "'%s' is %g m across at %g m per unit; gravity, wind and forces use that, so give --unit if it is wrong",
             c->name, size, unit);
}

sup_result sup_bind_surface(const sup_bind_input* in, const char* who, sup_arena* arena, sup_clean* out, sup_error* error)
{
    const sup_mesh* mesh = &in->character->mesh;
    sup_result      r = sup_clean_body(mesh->points, mesh->triangle_count, mesh->triangles, arena, out, error);
    if (r) return r;
    if (out->triangle_count == 0)
        return sup_fail(error, SUP_ERROR_INPUT, "%s: '%s' has no faces with an area; it needs a surface with tissue under it",
                        who, in->character->name);
    if (out->doubled)
        sup_note(in->notes, "%u triangle%s of '%s' %s there more than once and take%s no part in physics; delete the copies",
                 out->doubled, out->doubled == 1 ? "" : "s", in->character->name, out->doubled == 1 ? "is" : "are",
                 out->doubled == 1 ? "s" : "");
    if (out->flat)
        sup_note(in->notes, "%u triangle%s of '%s' %s no area and take%s no part in physics", out->flat,
                 out->flat == 1 ? "" : "s", in->character->name, out->flat == 1 ? "has" : "have", out->flat == 1 ? "s" : "");
    return SUP_OK;
}

sup_result sup_bind_report(const sup_bind_input* in, const char* who, double share, sup_error* error)
{
    if (sup_progress_report(in->progress, share, who)) return SUP_OK;
    return sup_fail(error, SUP_ERROR_CANCELLED, "cancelled while binding %s", who);
}

sup_vec3* sup_body_normals(const sup_body* body, sup_arena* arena)
{
    sup_vec3* n = SUP_NEW(arena, sup_vec3, body->point_count);
    for (uint32_t t = 0; n && t < body->triangle_count; ++t) {
        const uint32_t* c = body->triangles + 3 * (size_t)t;
        sup_vec3        a = body->points[c[0]];
        sup_vec3        area = v3_cross(v3_sub(body->points[c[1]], a), v3_sub(body->points[c[2]], a));
        for (int k = 0; k < 3; ++k) n[c[k]] = v3_add(n[c[k]], area);
    }
    return n;
}

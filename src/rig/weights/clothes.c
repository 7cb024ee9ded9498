// Finds parts that look like clothes that were never bound.
#include "base/internal.h"
#include "geom/search/closest.h"
#include "supple/rig.h"

typedef struct search {
    const sup_character* character;
    sup_arena*           work;
    sup_error*           error;
    uint32_t*            triangles; // of the skinned parts
    uint32_t             triangle_count;
    sup_bvh              bvh;
    sup_box*             nodes;
} search;

// A part attached to a joint of the skeleton is meant to be carried by it: a sword, a helmet, an eye.
static bool is_candidate(const sup_character* c, const sup_part* part)
{
    if (part->joint == SUP_NONE) return false;
    for (uint32_t j = part->joint; j != SUP_NONE; j = c->skeleton.joints[j].parent)
        if (c->skeleton.joints[j].skin_joint) return false;
    return true;
}

// Triangles index points, which are numbered part by part.
static sup_result collect_body(search* s)
{
    const sup_mesh* mesh = &s->character->mesh;
    bool*           skinned = SUP_NEW(s->work, bool, mesh->point_count);
    s->triangles = SUP_NEW(s->work, uint32_t, 3 * (size_t)mesh->triangle_count);
    if (!skinned || !s->triangles) return sup_fail_memory(s->error, "a search for clothes");
    for (uint32_t i = 0; i < mesh->part_count; ++i)
        for (uint32_t p = 0; mesh->parts[i].joint == SUP_NONE && p < mesh->parts[i].point_count; ++p)
            skinned[mesh->parts[i].point_begin + p] = true;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* c = mesh->triangles + 3 * (size_t)t;
        if (!skinned[c[0]]) continue;
        for (int k = 0; k < 3; ++k) s->triangles[3 * (size_t)s->triangle_count + (size_t)k] = c[k];
        s->triangle_count++;
    }
    return SUP_OK;
}

static bool lies_near(const search* s, const sup_part* part, double reach)
{
    const sup_vec3* points = s->character->mesh.points;
    for (uint32_t p = part->point_begin; p < part->point_begin + part->point_count; ++p)
        if (!(sup_bvh_closest(&s->bvh, s->nodes, points, points[p]).square <= reach * reach)) return false;
    return true;
}

static sup_result run(search* s, bool* out)
{
    const sup_mesh* mesh = &s->character->mesh;
    bool            any = false;
    for (uint32_t i = 0; i < mesh->part_count; ++i) any |= out[i] = is_candidate(s->character, &mesh->parts[i]);
    if (!any) return SUP_OK;
    sup_result result = collect_body(s);
    if (result == SUP_OK) result = sup_bvh_create(mesh->points, s->triangles, s->triangle_count, s->work, &s->bvh, s->error);
    if (result != SUP_OK) return result;
    sup_box* slots = SUP_NEW(s->work, sup_box, s->triangle_count);
    s->nodes = SUP_NEW(s->work, sup_box, 2 * (size_t)s->bvh.leaf_count);
    if (!slots || !s->nodes) return sup_fail_memory(s->error, "a search for clothes");
    sup_bvh_refit(&s->bvh, mesh->points, NULL, s->nodes, slots);

    const sup_box* box = &s->nodes[1];
    sup_vec3       ends[2] = { { box->min[0], box->min[1], box->min[2] }, { box->max[0], box->max[1], box->max[2] } };
    double reach = SUP_TRANSFER_DISTANCE * (double)sup_surface_diagonal(&(sup_surface){ .point_count = 2, .points = ends });
    for (uint32_t i = 0; i < mesh->part_count; ++i)
        out[i] = out[i] && s->triangle_count && lies_near(s, &mesh->parts[i], reach);
    return SUP_OK;
}

sup_result sup_clothes_find(const sup_character* character, bool* out, sup_error* error)
{
    SUP_ASSERT(character && out);
    search     s = { .character = character, .error = error, .work = sup_arena_beside(character->arena) };
    sup_result result = s.work ? run(&s, out) : sup_fail_memory(error, "a search for clothes");
    sup_arena_destroy(s.work);
    return result;
}

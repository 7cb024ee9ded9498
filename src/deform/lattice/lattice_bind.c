// The slow work: cells, weights of their corners, parts, pins, and the places of the skin's points.
#include "deform/lattice/lattice_binder.h"

#include <math.h>
#include <string.h>

static sup_result make_cells(binder* m)
{
    const sup_mesh* mesh = &m->in->character->mesh;
    lattice_bound*  b = m->b;
    sup_result      r = lattice_fill_cells(m);
    if (r != SUP_OK) return r;
    float* relative = NULL;
    r = lattice_make_masses(m, &relative);
    if (r == SUP_OK) r = sup_regions_create(&b->voxels, (uint32_t)m->params->region, relative, m->arena, &b->regions, m->error);
    if (r != SUP_OK) return r;
    b->h = b->voxels.h;
    b->count = b->regions.count;
    r = lattice_place_masses(m, relative);
    if (r != SUP_OK) return r;
    sup_lattice_embed_desc embed = { .voxels = &b->voxels,
                                     .slots = b->regions.slots,
                                     .point_count = mesh->point_count,
                                     .points = mesh->points,
                                     .smooth = m->params->smooth_embedding };
    r = sup_lattice_embed_create(&embed, m->arena, &b->embed, m->error);
    if (r != SUP_OK) return r;
    m->places = SUP_NEW(m->scratch, float, 3 * (size_t)mesh->point_count);
    if (!m->places) return sup_fail_memory(m->error, "a lattice");
    for (uint32_t i = 0; i < b->embed.block_count; ++i)
        for (uint32_t k = 0; k < b->embed.lanes[i]; ++k)
            for (uint32_t a = 0; a < 3; ++a)
                m->places[3 * (size_t)b->embed.index[8 * (size_t)i + k] + a] = b->embed.places[24 * (size_t)i + 8 * a + k];
    return SUP_OK;
}

static sup_result make(binder* m)
{
    lattice_bound* b = m->b;
    sup_result     r = sup_bind_surface(m->in, "lattice", m->scratch, &m->surface, m->error);
    if (r == SUP_OK) r = lattice_find_skin_parts(m);
    if (r == SUP_OK) r = make_cells(m);
    if (r == SUP_OK) r = sup_bind_report(m->in, "lattice", 0.1, m->error);
    if (r == SUP_OK) r = lattice_make_weights(m);
    if (r == SUP_OK) r = sup_bind_report(m->in, "lattice", 0.7, m->error);
    if (r == SUP_OK) r = lattice_make_flesh(m);
    if (r == SUP_OK) r = sup_bind_report(m->in, "lattice", 0.8, m->error);
    if (r == SUP_OK) r = lattice_make_volumes(m);
    if (r == SUP_OK) r = lattice_find_painted_parts(m);
    if (r == SUP_OK) r = lattice_bind_bodies(m->in->world, m->in->notes, m->arena, b, m->error);
    if (r == SUP_OK) r = lattice_note(m);
    return r;
}

// Whether it has weights of its own: more than one joint moves it.
static bool has_weights(const sup_character* c)
{
    for (uint32_t i = 1; i < c->weights.begin[c->mesh.point_count]; ++i)
        if (c->weights.joints[i] != c->weights.joints[0]) return true;
    return false;
}

sup_result lattice_bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    const sup_character* c = in->character;
    if (c->skeleton.bone_count == 0)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "lattice: '%s' has no bones; give a skeleton with --skeleton, or make one with fit", c->name);
    lattice_bound* b = SUP_NEW(arena, lattice_bound, 1);
    binder         m = { .in = in, .params = in->params, .b = b, .arena = arena, .error = error };
    m.scratch = sup_arena_beside(arena);
    if (!b || !m.scratch) {
        sup_arena_destroy(m.scratch);
        return sup_fail_memory(error, "a lattice");
    }
    *b = (lattice_bound){ .character = c,
                          .skinning = in->skinning,
                          .point_count = c->mesh.point_count,
                          .joint_count = c->skeleton.joint_count,
                          .dualquat = in->skinning == SUP_SKINNING_DUALQUAT || m.params->blend == BLEND_DUALQUAT,
                          .twists = in->skinning != SUP_SKINNING_DUALQUAT && m.params->blend == BLEND_DUALQUAT,
                          .keeps_file =
                              m.params->weights == WEIGHTS_FILE || (m.params->weights == WEIGHTS_AUTO && has_weights(c)),
                          .volume_field = in->fields[ROW_VOLUME] };
    while (b->root + 1 < b->joint_count && !c->skeleton.joints[b->root].skin_joint) ++b->root;
    sup_result r = make(&m);
    sup_arena_destroy(m.scratch);
    if (r != SUP_OK) return r;
    *out = (sup_binding){ .data = b, .state_size = lattice_state_size(b), .scratch_size = lattice_scratch_size(b) };
    return SUP_OK;
}

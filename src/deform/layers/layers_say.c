// Notes about problems of a character, given once at bind: names, counts, and the cure.
#include "base/sort.h"
#include "deform/layers/layers.h"
#include "run/binding.h"

#include <string.h>

static const char* plural(uint32_t count) { return count == 1 ? "" : "s"; }

// Coincident points that are not connected: the skin tears there. Split points are glued and do not count.
static sup_result count_coincident(layers_bound* b, sup_arena* temporary, sup_error* error)
{
    const sup_mesh* mesh = &b->character->mesh;
    uint32_t        n = mesh->point_count;
    sup_sort_item * items = SUP_NEW(temporary, sup_sort_item, n), *spare = SUP_NEW(temporary, sup_sort_item, n);
    if (!items || !spare) return sup_fail_memory(error, "layers");
    for (uint32_t p = 0; p < n; ++p) items[p] = (sup_sort_item){ sup_hash_points(&mesh->points[p], 1), p };
    sup_sort(items, spare, n);
    for (uint32_t i = 1; i < n; ++i) {
        const sup_vec3 *p = &mesh->points[items[i - 1].value], *q = &mesh->points[items[i].value];
        b->mended.coincident += p->x == q->x && p->y == q->y && p->z == q->z;
    }
    return SUP_OK;
}

static void note_surface(const layers_bound* b, sup_notes* notes, const char* name)
{
    const layers_mended* m = &b->mended;
    if (m->holes)
        sup_note(notes, "closed %u hole%s of '%s' toward the center of the rim, only for measuring volume", m->holes,
                 plural(m->holes), name);
    if (m->split_points)
        sup_note(notes, "split %u point%s of '%s' that joined several surfaces; the copies are glued together", m->split_points,
                 plural(m->split_points), name);
    if (m->coincident)
        sup_note(
            notes,
            "%u point%s of '%s' coincide%s with another point without being connected: the skin tears there; weld the mesh, "
            "or read it from a format that welds",
            m->coincident, plural(m->coincident), name, m->coincident == 1 ? "s" : "");
    if (m->turned) sup_note(notes, "'%s' is inside out; its faces are turned for the simulation", name);
    if (m->contacts_crowded)
        sup_note(
            notes,
            "too many triangles of '%s' share one place at rest, so the skin does not touch itself; separate them, or simulate "
            "parts alone with --mesh",
            name);
    else if (m->contacts_off)
        sup_note(
            notes,
            "%u of %u triangles of '%s' cross others at rest (over 30 %%), so the skin does not touch itself; simulate parts "
            "alone with --mesh",
            m->crossing, b->triangle_count, name);
}

static void note_rig(const layers_bound* b, sup_notes* notes, const char* name)
{
    const layers_mended* m = &b->mended;
    if (m->weightless)
        sup_note(notes,
                 "%u point%s of '%s' had no weights and took those of the nearest point along edges, or of the nearest bone",
                 m->weightless, plural(m->weightless), name);
    if (4 * m->anchors_outside > b->count)
        sup_note(
            notes,
            "from %u of %u points of '%s' the line to the bone leaves the body, so their tissue is thinner; move the joints "
            "inside (weights --center)",
            m->anchors_outside, b->count, name);
}

static void note_forces(const sup_bind_input* in)
{
    for (uint32_t i = 0; in->world && i < sup_world_plan_force_count(in->world); ++i) {
        sup_force force;
        sup_world_plan_force(in->world, i, 0, &force);
        if (force.kind == SUP_FORCE_CURVE || (force.kind == SUP_FORCE_REGION && !force.region))
            sup_note(in->notes,
                     "force '%s' acts on a curve, and layers has none: it does nothing here; put it on a bone or a region",
                     force.name);
    }
}

sup_result layers_note(const sup_bind_input* in, sup_arena* temporary, layers_bound* b, sup_error* error)
{
    const sup_character* c = in->character;
    sup_result           r = count_coincident(b, temporary, error);
    if (r) return r;
    sup_note_size(in);
    note_surface(b, in->notes, c->name);
    note_rig(b, in->notes, c->name);
    note_forces(in);
    return SUP_OK;
}

// Binding: lengths, and which triangle owns which point.
#include "geom/surface/topology.h"
#include "solve/contact/contact_internal.h"

#include <math.h>

typedef struct work {
    const sup_contact_desc* desc;
    sup_arena *             arena, *temp;
    sup_error*              error;
    sup_contact*            c;
    sup_topology            topology; // of the triangles
} work;

// ---------------------------------------------------------------------------------------------- lengths, owners

static bool measure_units(work* w)
{
    const sup_contact_desc* d = w->desc;
    float *units = SUP_NEW(w->arena, float, d->point_count), *slots = SUP_NEW(w->arena, float, d->triangle_count);
    if (!units || !slots) return false;
    double   sum = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->point_count; ++i) {
        units[i] = sup_topology_spacing(&w->topology, d->triangles, d->points, i);
        sum += (double)units[i];
        count += units[i] > 0;
    }
    float mean = count ? (float)(sum / count) : 1;
    for (uint32_t i = 0; i < d->point_count; ++i) // points that coincide, and loose ones
        if (!(units[i] > 0.01f * mean)) units[i] = 0.01f * mean;
    for (uint32_t i = 0; i < d->point_count; ++i) w->c->unit_max = fmaxf(w->c->unit_max, units[i]);
    for (uint32_t s = 0; s < d->triangle_count; ++s)
        for (int k = 0; k < 3; ++k) slots[s] = fmaxf(slots[s], units[w->c->bvh.corners[3 * (size_t)s + (uint32_t)k]]);
    w->c->units = units;
    w->c->slot_units = slots;
    return true;
}

static bool is_flat(const sup_vec3* points, const uint32_t* c)
{
    sup_touch t;
    return !sup_point_triangle(points[c[0]], points[c[0]], points[c[1]], points[c[2]], 1, &t);
}

/// The first slot whose triangle has an area owns a point.
static bool choose_owners(work* w)
{
    const sup_contact_desc* d = w->desc;
    uint8_t *owns = SUP_NEW(w->arena, uint8_t, d->triangle_count), *taken = SUP_NEW(w->temp, uint8_t, d->point_count);
    if (!owns || !taken) return false;
    for (uint32_t s = 0; s < d->triangle_count; ++s) {
        const uint32_t* c = w->c->bvh.corners + 3 * (size_t)s;
        bool            flat = is_flat(d->points, c);
        if (flat) owns[s] = OWN_FLAT;
        for (uint32_t k = 0; k < 3 && !flat; ++k) {
            if (!taken[c[k]]) owns[s] = (uint8_t)(owns[s] | OWN_POINT << k);
            taken[c[k]] = 1;
        }
    }
    w->c->owns = owns;
    return true;
}

static bool list_lanes(work* w)
{
    const sup_contact* c = w->c;
    contact_lanes*     lanes = SUP_NEW(w->arena, contact_lanes, c->filled);
    if (!lanes) return false;
    for (uint32_t p = 0; p < c->filled; ++p)
        for (uint32_t s = contact_pack_begin(c, p), k = 0; s < contact_pack_begin(c, p + 1); ++s, ++k) {
            for (uint32_t i = 0; i < 3; ++i) lanes[p].corners[i][k] = c->bvh.corners[3 * (size_t)s + i];
            lanes[p].unit[k] = c->slot_units[s];
            lanes[p].solid[k] = c->owns[s] & OWN_FLAT ? 0 : -1;
        }
    w->c->lanes = lanes;
    return true;
}

// ---------------------------------------------------------------------------------------------- create

static sup_result create(work* w)
{
    const sup_contact_desc* d = w->desc;
    uint32_t*               begin = SUP_NEW(w->temp, uint32_t, (size_t)d->triangle_count + 1);
    sup_contact*            c = w->c = SUP_NEW(w->arena, sup_contact, 1);
    if (!begin || !c) return sup_fail_memory(w->error, "the contacts of a skin");
    if (d->solid_count == 0) return SUP_OK; // nothing is ever searched
    for (uint32_t t = 0; t <= d->triangle_count; ++t) begin[t] = 3 * t;
    sup_polygons polygons = { d->point_count, d->triangle_count, begin, d->triangles };
    sup_result   result = sup_topology_create(&polygons, w->temp, &w->topology, w->error);
    if (result == SUP_OK) result = sup_bvh_create_full(d->points, d->triangles, d->triangle_count, w->arena, &c->bvh, w->error);
    if (result != SUP_OK) return result;
    c->pack_count = c->bvh.leaf_count > 1 ? c->bvh.leaf_count / 2 : 1;
    c->filled = (d->triangle_count + CONTACT_PACK - 1) / CONTACT_PACK;
    c->point_count = d->point_count;
    c->margin = d->margin;
    c->reach = d->reach;
    c->grow = 0.5f * fmaxf(d->margin, 0.5f * d->reach);
    c->solid_count = d->solid_count;
    for (uint32_t i = 0; d->solid_meshes && i < d->solid_count; ++i)
        c->solid_bytes += d->solid_meshes[i] ? sup_solid_mesh_bytes(d->solid_meshes[i]) : 0;
    if (!measure_units(w) || !choose_owners(w) || !list_lanes(w)) return sup_fail_memory(w->error, "the contacts of a skin");
    return SUP_OK;
}

sup_result sup_contact_create(const sup_contact_desc* desc, sup_arena* arena, const sup_contact** out, sup_error* error)
{
    work       w = { .desc = desc, .arena = arena, .temp = sup_arena_beside(arena), .error = error };
    sup_result result = w.temp ? create(&w) : sup_fail_memory(error, "the contacts of a skin");
    sup_arena_destroy(w.temp);
    if (result == SUP_OK) *out = w.c;
    return result;
}

// ---------------------------------------------------------------------------------------------- memory

/// Divides a block; with no block, only adds up the sizes.
typedef struct divided {
    uint8_t* base;
    size_t   used;
} divided;

static void* take(divided* d, size_t count, size_t size)
{
    void* here = d->base ? d->base + d->used : NULL;
    d->used += sup_align(count * size, 64);
    return here;
}

contact_memory sup_contact_divide(const sup_contact* c, void* scratch, size_t* bytes)
{
    divided        d = { scratch, 0 };
    contact_memory m;
    bool           any = c->solid_count > 0;
    m.header = take(&d, 1, sizeof *m.header);
    m.bodies = take(&d, any ? c->point_count : 0, sizeof *m.bodies);
    m.places = take(&d, c->solid_count, sizeof *m.places);
    m.solids = take(&d, c->solid_count, sizeof *m.solids);
    m.kept = d.used;
    m.nodes = take(&d, any ? 2 * (size_t)c->pack_count : 0, sizeof *m.nodes);
    m.packs = take(&d, any ? c->filled : 0, sizeof *m.packs);
    m.solid_scratch = take(&d, c->solid_bytes, 1);
    if (bytes) *bytes = d.used;
    return m;
}

size_t sup_contact_scratch(const sup_contact* c)
{
    size_t bytes;
    sup_contact_divide(c, NULL, &bytes);
    return bytes;
}

size_t sup_contact_kept(const sup_contact* c) { return sup_contact_divide(c, NULL, NULL).kept; }

#include "geom/cage/cage.h"

#include "base/internal.h"
#include "geom/cage/cage_internal.h"
#include "geom/surface/topology.h"

#include <math.h>

// Limits on triangles of the fine surface: per point of the cage (characters have some 80), and in all, because each costs time
// (characters have 30,000 to 200,000). A solid as porous as a sponge has more, and is retried on a coarser grid.
enum { FINE_MOST = 300, FINE_MOST_ALL = 300000, TRIES = 16 };

typedef enum outcome { DONE, TOO_FINE, CROSSES, EMPTY } outcome;

static sup_result report(const cage_maker* m, double share, sup_error* error)
{
    if (sup_progress_report(m->desc->progress, share, "cage")) return SUP_OK;
    return sup_fail(error, SUP_ERROR_CANCELLED, "cancelled while making a cage");
}

// From cells back to the mesh's units.
static sup_result place(const cage_maker* m, const cage_surface* s, sup_arena* arena, sup_cage* out, bool* crosses,
                        sup_error* error)
{
    const cage_grid* g = &m->grid;
    sup_vec3*        points = SUP_NEW(arena, sup_vec3, s->point_count);
    uint32_t*        triangles = sup_arena_copy(arena, s->triangles, 3 * (size_t)s->triangle_count, sizeof *triangles);
    if (!points || !triangles) return sup_fail_memory(error, "a cage");
    for (uint32_t p = 0; p < s->point_count; ++p)
        points[p] = (sup_vec3){ (float)(g->origin[0] + g->h * (double)s->points[p].x),
                                (float)(g->origin[1] + g->h * (double)s->points[p].y),
                                (float)(g->origin[2] + g->h * (double)s->points[p].z) };
    uint32_t   crossing;
    sup_result r = cage_crossings(points, triangles, s->triangle_count, UINT64_MAX, m->scratch, NULL, &crossing, error);
    *crosses = crossing > 0;
    if (r || (crossing && !m->careful)) return r;
    // In cells nothing crosses. This only happens when floats cannot hold the difference between two cells.
    if (crossing)
        return sup_fail(error, SUP_ERROR_INPUT,
                        "the mesh is %g units large but lies so far from the origin that its points cannot be distinguished; "
                        "move it to the origin",
                        g->h * g->size[0]);
    out->point_count = s->point_count;
    out->points = points;
    out->triangle_count = s->triangle_count;
    out->triangles = triangles;
    return SUP_OK;
}

static sup_result attempt(cage_maker* m, double coarser, sup_arena* arena, sup_cage* out, outcome* how, sup_error* error)
{
    bool         any = false, crosses = false;
    cage_surface s = { 0 };
    sup_result   r = cage_orient(m, error);
    *how = EMPTY;
    if (r || m->triangle_count == 0) return r;
    *how = TOO_FINE;
    if (!cage_place_grid(m, coarser)) return SUP_OK;
    r = report(m, 0.05, error);
    if (!r) r = cage_fill(m, error);
    if (!r) r = report(m, 0.2, error);
    if (!r) r = cage_label(m, error);
    if (!r) r = cage_shape(m, &any, error);
    if (r) return r;
    if (!any) {
        *how = EMPTY;
        return SUP_OK;
    }
    uint32_t target = m->desc->target, most = target < FINE_MOST_ALL / FINE_MOST ? FINE_MOST * target : FINE_MOST_ALL;
    r = cage_skin(m, most, &s, error);
    if (r || s.triangle_count == 0) return r;
    if (!r) r = report(m, 0.3, error);
    if (!r) r = cage_collapse(m, &s, error);
    if (!r) r = report(m, 0.9, error);
    if (!r) r = cage_carry(m, &s, arena, out, error);
    if (!r) r = place(m, &s, arena, out, &crosses, error);
    *how = crosses ? CROSSES : DONE;
    return r;
}

// Most triangles that may pass through others, as a share of all; any edge with more than two faces counts as well. Characters
// of one skin have 0.6 % and no such edge, those of many pieces 18 % and more.
#define CROSSING_MOST 0.05
#define NONMANIFOLD_MOST 0.05
// Pairs of triangles that may be tested, for each triangle: characters need some 50.
enum { PAIR_TESTS = 1000 };

static sup_result count_crowded(const sup_cage_desc* d, sup_arena* scratch, bool* out, sup_error* error)
{
    uint32_t *   begin = SUP_NEW(scratch, uint32_t, (size_t)d->triangle_count + 1), nonmanifold = 0;
    sup_topology t;
    if (!begin) return sup_fail_memory(error, "a cage");
    for (uint32_t i = 0; i <= d->triangle_count; ++i) begin[i] = 3 * i;
    sup_result r =
        sup_topology_create(&(sup_polygons){ d->point_count, d->triangle_count, begin, d->triangles }, scratch, &t, error);
    for (uint32_t e = 0; !r && e < t.edge_count; ++e) nonmanifold += t.edges[e].face_count > 2;
    *out = !r && nonmanifold > NONMANIFOLD_MOST * t.edge_count;
    return r;
}

sup_result sup_cage_wanted(const sup_cage_desc* desc, sup_arena* arena, bool* out, sup_error* error)
{
    sup_arena* scratch = sup_arena_beside(arena);
    uint32_t   crossing = 0;
    if (!scratch) return sup_fail_memory(error, "a cage");
    sup_result r = count_crowded(desc, scratch, out, error);
    if (!r && !*out) {
        r = cage_crossings(desc->points, desc->triangles, desc->triangle_count, (uint64_t)PAIR_TESTS * desc->triangle_count,
                           scratch, NULL, &crossing, error);
        *out = crossing > CROSSING_MOST * desc->triangle_count;
    }
    sup_arena_destroy(scratch);
    return r;
}

sup_result sup_cage_create(const sup_cage_desc* desc, sup_arena* arena, sup_cage* out, sup_error* error)
{
    SUP_ASSERT(desc->target >= 4);
    outcome    how = TOO_FINE;
    sup_result r = SUP_OK;
    double     coarser = 1;
    *out = (sup_cage){ 0 };
    bool careful = false;
    for (int i = 0; i < TRIES && how != DONE && how != EMPTY && !r; ++i) {
        sup_cage   made = { 0 };
        cage_maker m = { .desc = desc, .scratch = sup_arena_beside(arena), .careful = careful };
        if (!m.scratch) return sup_fail_memory(error, "a cage");
        r = attempt(&m, coarser, arena, &made, &how, error);
        sup_arena_destroy(m.scratch);
        if (!r && how == DONE) *out = made;
        if (how == TOO_FINE) coarser *= 1.5;
        careful = careful || how == CROSSES;
    }
    return r;
}

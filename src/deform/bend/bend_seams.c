// Where limbs meet, the displacement of one runs out into the other's: means over neighbors, some rounds of them.
#include "deform/bend/bend.h"
#include "math/vec.h"

#include <string.h>

/// How many edges far from the border displacements mix, and how often.
enum { RINGS = 5, PASSES = 12 };

/// Limbs by number; skin without curves is a limb of its own.
static uint32_t limb_of(const bend_net* net, uint32_t p) { return net->on.curves.limbs ? net->on.curves.limbs[p] : 0; }

/// Two neighboring points that take from curves which are not beside each other: a closed ring and the open ones next to it.
static bool torn(const bend_net* net, uint32_t a, uint32_t b)
{
    // Skin of no limb fades out from the nearest curve: that is smooth already.
    if (limb_of(net, a) == SUP_NONE || limb_of(net, b) == SUP_NONE) return false;
    if (limb_of(net, a) != limb_of(net, b)) return true;
    const sup_curve_share *s = &net->on.transfer.points[a], *t = &net->on.transfer.points[b];
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 2; ++k) {
            if (s->curve[i] == SUP_NONE || t->curve[k] == SUP_NONE) continue;
            if (s->curve[i] == t->curve[k]) return false;
            const uint32_t* sides = net->on.curves.curves[s->curve[i]].sides;
            if (sides[0] == t->curve[k] || sides[1] == t->curve[k]) return false;
        }
    return s->curve[0] != SUP_NONE || t->curve[0] != SUP_NONE;
}

// ---------------------------------------------------------------------------------------------- neighbors

typedef struct seam_maker {
    const sup_mesh* mesh;
    bend_net*       net;
    sup_arena *     arena, *beside;
    uint32_t*       degree; ///< n + 1, into list
    uint32_t*       list;
    uint8_t*        ring; ///< 1 at a border, RINGS at the farthest; 0: not mixed
} seam_maker;

static bool find_neighbors(seam_maker* m)
{
    uint32_t n = m->mesh->point_count, kept = 0;
    m->degree = SUP_NEW(m->beside, uint32_t, (size_t)n + 2);
    m->list = SUP_NEW(m->beside, uint32_t, 6 * (size_t)m->mesh->triangle_count);
    m->ring = SUP_NEW(m->beside, uint8_t, n);
    if (!m->degree || !m->list || !m->ring) return false;
    for (uint32_t i = 0; i < 3 * m->mesh->triangle_count; ++i) m->degree[m->mesh->triangles[i] + 2] += 2;
    for (uint32_t i = 0; i < n; ++i) m->degree[i + 2] += m->degree[i + 1];
    for (uint32_t t = 0; t < m->mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            uint32_t a = m->mesh->triangles[3 * t + k], b = m->mesh->triangles[3 * t + (k + 1) % 3];
            m->list[m->degree[a + 1]++] = b;
            m->list[m->degree[b + 1]++] = a;
            if (torn(m->net, a, b)) m->ring[a] = m->ring[b] = 1;
        }
    // Every inner edge stands there twice: once is enough.
    for (uint32_t p = 0, from = 0; p < n; ++p) {
        uint32_t first = kept, to = m->degree[p + 1];
        for (uint32_t k = from; k < to; ++k) {
            bool known = false;
            for (uint32_t i = first; i < kept && !known; ++i) known = m->list[i] == m->list[k];
            if (!known) m->list[kept++] = m->list[k];
        }
        from = to;
        m->degree[p] = first;
        m->degree[p + 1] = to;
    }
    m->degree[n] = kept;
    return true;
}

static void spread_rings(seam_maker* m)
{
    for (uint32_t far = 1; far < RINGS; ++far)
        for (uint32_t p = 0; p < m->mesh->point_count; ++p)
            if (m->ring[p] == far)
                for (uint32_t k = m->degree[p]; k < m->degree[p + 1]; ++k)
                    if (!m->ring[m->list[k]]) m->ring[m->list[k]] = (uint8_t)(far + 1);
}

// ---------------------------------------------------------------------------------------------- areas

typedef struct area_lists {
    uint32_t*  place;         ///< of every point: in its area, plus 1; 0: none
    uint32_t * points, *rims; ///< by area
    uint32_t*  touched;       ///< per curve: the area it was last seen in, plus 1
    uint32_t*  curves;
    bend_area* areas;
    uint32_t   count, rim_count, curve_count, area_count;
} area_lists;

static void note_curves(const seam_maker* m, area_lists* l, uint32_t point)
{
    const sup_curve_share* s = &m->net->on.transfer.points[point];
    for (int i = 0; i < 2; ++i)
        if (s->curve[i] != SUP_NONE && l->touched[s->curve[i]] != l->area_count + 1) {
            l->touched[s->curve[i]] = l->area_count + 1;
            l->curves[l->curve_count++] = s->curve[i];
        }
}

/// Everything that is reached from a point over neighbors that mix.
static void gather_area(const seam_maker* m, area_lists* l, uint32_t from)
{
    bend_area a = { .begin = l->count, .rim_begin = l->rim_count, .curve_begin = l->curve_count };
    l->points[l->count++] = from;
    l->place[from] = l->count;
    for (uint32_t i = a.begin; i < l->count; ++i) {
        uint32_t p = l->points[i];
        note_curves(m, l, p);
        for (uint32_t k = m->degree[p]; k < m->degree[p + 1]; ++k) {
            uint32_t q = m->list[k];
            if (m->ring[q] && !l->place[q]) {
                l->points[l->count++] = q;
                l->place[q] = l->count;
            } else if (!m->ring[q]) {
                l->rims[l->rim_count++] = q; // some more than once: each area reads its own
                note_curves(m, l, q);
            }
        }
    }
    a.end = l->count, a.rim_end = l->rim_count, a.curve_end = l->curve_count;
    l->areas[l->area_count++] = a;
}

static sup_result make_areas(seam_maker* m, sup_error* error)
{
    uint32_t   n = m->mesh->point_count, moving = 0, total = 0;
    area_lists l = { .count = 0 };
    for (uint32_t p = 0; p < n; ++p)
        if (m->ring[p]) ++moving, total += m->degree[p + 1] - m->degree[p];
    if (moving == 0) return SUP_OK;
    l.place = SUP_NEW(m->beside, uint32_t, n);
    l.points = SUP_NEW(m->beside, uint32_t, moving);
    l.rims = SUP_NEW(m->beside, uint32_t, total);
    l.touched = SUP_NEW(m->beside, uint32_t, m->net->on.curves.curve_count);
    l.areas = SUP_NEW(m->arena, bend_area, moving);
    l.curves = SUP_NEW(m->arena, uint32_t, 4 * ((size_t)moving + total));
    if (!l.place || !l.points || !l.rims || !l.touched || !l.areas || !l.curves) return sup_fail_memory(error, "bend");
    for (uint32_t p = 0; p < n; ++p)
        if (m->ring[p] && !l.place[p]) gather_area(m, &l, p);
    uint32_t *points = SUP_NEW(m->arena, uint32_t, (size_t)moving + l.rim_count),
             *begin = SUP_NEW(m->arena, uint32_t, (size_t)moving + 1), *neighbors = SUP_NEW(m->arena, uint32_t, total);
    if (!points || !begin || !neighbors) return sup_fail_memory(error, "bend");
    memcpy(points, l.points, moving * sizeof *points);
    memcpy(points + moving, l.rims, l.rim_count * sizeof *points);
    for (uint32_t i = 0, at = 0, rim = moving; i < moving; ++i) {
        uint32_t p = points[i];
        for (uint32_t k = m->degree[p]; k < m->degree[p + 1]; ++k)
            neighbors[at++] = m->ring[m->list[k]] ? l.place[m->list[k]] - 1 : rim++;
        begin[i + 1] = at;
    }
    for (uint32_t i = 0; i < l.area_count; ++i) l.areas[i].rim_begin += moving, l.areas[i].rim_end += moving;
    m->net->seams = (bend_seams){ moving, moving + l.rim_count, points, begin, neighbors, l.area_count, l.areas, l.curves };
    return SUP_OK;
}

sup_result bend_seams_create(const sup_mesh* mesh, bend_net* net, sup_arena* arena, sup_error* error)
{
    seam_maker m = { .mesh = mesh, .net = net, .arena = arena, .beside = sup_arena_beside(arena) };
    sup_result r = m.beside && find_neighbors(&m) ? SUP_OK : sup_fail_memory(error, "bend");
    if (!r) spread_rings(&m);
    if (!r) r = make_areas(&m, error);
    sup_arena_destroy(m.beside);
    return r;
}

// ---------------------------------------------------------------------------------------------- a frame

static bool any_moves(const bend_seams* s, const bend_area* a, const uint8_t* moving)
{
    bool any = false;
    for (uint32_t i = a->curve_begin; i < a->curve_end && !any; ++i) any = moving[s->curves[i]];
    return any;
}

static void load_places(const bend_seams* s, uint32_t begin, uint32_t end, const sup_vec3* q, float* to)
{
    for (uint32_t i = begin; i < end; ++i) {
        sup_vec3 v = q[s->points[i]];
        to[4 * i] = v.x, to[4 * i + 1] = v.y, to[4 * i + 2] = v.z, to[4 * i + 3] = 0;
    }
}

void bend_seams_apply(const bend_seams* s, const uint8_t* moving, sup_vec3* q, float* spare)
{
    float *a = spare, *b = spare + 4 * (size_t)s->all;
    for (uint32_t k = 0; k < s->area_count; ++k) {
        const bend_area* area = &s->areas[k];
        if (!any_moves(s, area, moving)) continue;
        load_places(s, area->begin, area->end, q, a);
        load_places(s, area->rim_begin, area->rim_end, q, a);
        load_places(s, area->rim_begin, area->rim_end, q, b);
        for (int pass = 0; pass < PASSES; ++pass) {
            const float* from = pass % 2 ? b : a;
            SUP_WIDE_PICK(bend_mean)(s->begin, s->neighbors, area->begin, area->end, from, pass % 2 ? a : b);
        }
        for (uint32_t i = area->begin; i < area->end; ++i) q[s->points[i]] = v3(a[4 * i], a[4 * i + 1], a[4 * i + 2]);
    }
}

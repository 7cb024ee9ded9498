// The places on the skin whose gaps are measured, dense enough that none is farther than a cell from the next.
#include "solve/lattice/lattice_gaps_internal.h"

#include "base/internal.h"
#include "math/vec.h"

#define COVERED 1.0f // cells: a place within this that faces the same way covers a point of the mesh

static sup_lattice_node node_of(const gap_maker* m, uint32_t p)
{
    return m->desc->nodes ? m->desc->nodes[p] : (sup_lattice_node){ .base = p, .beside = { p, p, p } };
}

static sup_vec3 node_at_rest(const sup_voxels* v, const sup_lattice_node* n)
{
    sup_vec3 at = v3_scale(sup_voxels_position(v, n->base), 1 - n->share[0] - n->share[1] - n->share[2]);
    for (uint32_t k = 0; k < 3; ++k) at = v3_mad(at, n->share[k], sup_voxels_position(v, n->beside[k]));
    return at;
}

// ---------------------------------------------------------------------------------------------- points of the mesh

// Places at rest by grid cell.
typedef struct place_lists {
    uint32_t *first, *next; ///< per grid cell; per place
    sup_vec3 *places, *ways;
    uint32_t  count;
} place_lists;

static uint32_t grid_index(const sup_voxels* v, sup_vec3 at, uint32_t out[3])
{
    uint32_t index = 0, step = 1;
    for (int a = 0; a < 3; ++a) {
        double x = ((double)(&at.x)[a] - v->origin[a]) / v->h, most = v->size[a] - 1.0;
        out[a] = (uint32_t)(x > 0 ? x < most ? x : most : 0);
        index += step * out[a];
        step *= v->size[a];
    }
    return index;
}

static void add_place(const sup_voxels* v, place_lists* l, sup_vec3 at, sup_vec3 way)
{
    uint32_t c[3], index = grid_index(v, at, c);
    l->places[l->count] = at, l->ways[l->count] = way;
    l->next[l->count] = l->first[index];
    l->first[index] = l->count++;
}

static bool is_covered(const sup_voxels* v, const place_lists* l, sup_vec3 at, sup_vec3 way)
{
    uint32_t c[3];
    float    most = COVERED * COVERED * (float)(v->h * v->h);
    grid_index(v, at, c);
    for (uint32_t z = c[2] ? c[2] - 1 : 0; z <= c[2] + 1 && z < v->size[2]; ++z)
        for (uint32_t y = c[1] ? c[1] - 1 : 0; y <= c[1] + 1 && y < v->size[1]; ++y)
            for (uint32_t x = c[0] ? c[0] - 1 : 0; x <= c[0] + 1 && x < v->size[0]; ++x)
                for (uint32_t i = l->first[x + v->size[0] * (y + v->size[1] * z)]; i != SUP_NONE; i = l->next[i])
                    if (v3_length2(v3_sub(l->places[i], at)) < most && v3_dot(l->ways[i], way) > 0) return true;
    return false;
}

// Outward at every point. A mesh that is inside out points opposite to the lattice's field.
static void find_normals(const gap_maker* m)
{
    const sup_lattice_gaps_desc* d = m->desc;
    double                       along = 0;
    for (uint32_t t = 0; t < d->triangle_count; ++t) {
        const uint32_t* c = d->triangles + 3 * (size_t)t;
        sup_vec3        n = v3_cross(v3_sub(d->points[c[1]], d->points[c[0]]), v3_sub(d->points[c[2]], d->points[c[0]]));
        for (int k = 0; k < 3; ++k) m->normals[c[k]] = v3_add(m->normals[c[k]], n);
    }
    for (uint32_t p = 0; p < d->point_count; ++p) {
        m->normals[p] = v3_normalize(m->normals[p], v3(0, 0, 0));
        along += (double)v3_dot(m->normals[p], d->outward[d->slots[m->v->particles[8 * (size_t)d->point_cells[p]]]]);
    }
    for (uint32_t p = 0; p < d->point_count && along < 0; ++p) m->normals[p] = v3_scale(m->normals[p], -1);
}

// Between thighs or fingers that share cells no particle is at the border, and a border particle may face the other side:
// points of the skin that no node covers become places themselves.
static sup_result pick_points(gap_maker* m, sup_error* error)
{
    const sup_lattice_gaps_desc* d = m->desc;
    const sup_voxels*            v = m->v;
    size_t      grid = (size_t)v->size[0] * v->size[1] * v->size[2], most = (size_t)v->particle_count + d->point_count;
    place_lists l = { .first = SUP_NEW(m->scratch, uint32_t, grid),
                      .next = SUP_NEW(m->scratch, uint32_t, most),
                      .places = SUP_NEW(m->scratch, sup_vec3, most),
                      .ways = SUP_NEW(m->scratch, sup_vec3, most) };
    m->normals = SUP_NEW(m->scratch, sup_vec3, d->point_count);
    m->picks = SUP_NEW(m->scratch, uint32_t, d->point_count);
    if (!l.first || !l.next || !l.places || !l.ways || !m->normals || !m->picks)
        return sup_fail_memory(error, "the gaps of a lattice");
    for (size_t i = 0; i < grid; ++i) l.first[i] = SUP_NONE;
    find_normals(m);
    for (uint32_t p = 0; p < v->particle_count; ++p) {
        sup_lattice_node n = node_of(m, p);
        if (v->octants[p] == 0xff || !n.skin) continue;
        sup_vec3 way = v3(0, 0, 0);
        for (int k = 0; k < 3; ++k) way = v3_mad(way, n.mix[k], m->normals[n.points[k]]);
        add_place(v, &l, node_at_rest(v, &n), way);
    }
    for (uint32_t p = 0; p < d->point_count; ++p) {
        if (v3_length2(m->normals[p]) == 0 || is_covered(v, &l, d->points[p], m->normals[p])) continue;
        add_place(v, &l, d->points[p], m->normals[p]);
        m->picks[m->pick_count++] = p;
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- places

sup_result lattice_list_places(gap_maker* m, sup_arena* arena, sup_lattice_gaps* out, sup_error* error)
{
    const sup_voxels* v = m->v;
    sup_result        r = m->desc->nodes && m->desc->point_count ? pick_points(m, error) : SUP_OK;
    m->particles = SUP_NEW(m->scratch, uint32_t, (size_t)v->particle_count + m->pick_count);
    if (r != SUP_OK || !m->particles) return r != SUP_OK ? r : sup_fail_memory(error, "the gaps of a lattice");
    for (uint32_t p = 0; p < v->particle_count; ++p) {
        bool border = v->octants[p] != 0xff && (!m->desc->nodes || m->desc->nodes[p].skin);
        if (border) m->particles[out->count++] = p;
    }
    uint32_t borders = out->count;
    out->count += m->pick_count;
    uint32_t* slots = SUP_NEW(arena, uint32_t, out->count);
    uint32_t* points = SUP_NEW(arena, uint32_t, out->count);
    uint32_t* corners = SUP_NEW(arena, uint32_t, LATTICE_GAP_CORNERS * (size_t)out->count);
    float*    shares = SUP_NEW(arena, float, LATTICE_GAP_CORNERS*(size_t)out->count);
    sup_vec3* rest = SUP_NEW(arena, sup_vec3, out->count);
    sup_vec3* outward = SUP_NEW(arena, sup_vec3, out->count);
    if (!slots || !points || !corners || !shares || !rest || !outward) return sup_fail_memory(error, "the gaps of a lattice");
    for (uint32_t i = 0; i < out->count; ++i) {
        sup_lattice_node n;
        float            first = 1;
        points[i] = i < borders ? SUP_NONE : m->picks[i - borders];
        if (i < borders) n = node_of(m, m->particles[i]);
        else
            n = sup_lattice_node_of_point(v, points[i], m->desc->point_cells[points[i]],
                                          m->desc->point_places + 3 * (size_t)points[i]);
        if (i >= borders) m->particles[i] = n.base;
        slots[i] = m->desc->slots[m->particles[i]];
        outward[i] = i < borders ? m->desc->outward[slots[i]] : m->normals[points[i]];
        for (uint32_t k = 0; k < LATTICE_GAP_CORNERS; ++k) {
            uint32_t q = k ? n.beside[k - 1] : n.base;
            if (k) first -= n.share[k - 1];
            corners[LATTICE_GAP_CORNERS * (size_t)i + k] = m->desc->slots[q];
            shares[LATTICE_GAP_CORNERS * (size_t)i + k] = k ? n.share[k - 1] : 0.0f;
        }
        shares[LATTICE_GAP_CORNERS * (size_t)i] = first;
        rest[i] = i < borders ? node_at_rest(v, &n) : m->desc->points[points[i]];
    }
    out->points = points;
    out->slots = slots, out->corners = corners, out->shares = shares, out->rest = rest, out->outward = outward;
    return SUP_OK;
}

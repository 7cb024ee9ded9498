// The mesh's own triangles as the surface of the parts.
#include "solve/lattice/lattice_volume_internal.h"

#include <math.h>
#include <string.h>

// Triangles per face of the outermost cells: fewer span the cuts, more cost more than they add; nodes work for both.
#define TRIANGLES_LEAST 1
#define TRIANGLES_MOST 8

// The particle nearest to a place at rest in cells, among those of some cells; by squared distance.
static uint32_t nearest_particle(const lattice_maker* m, const uint32_t* points, uint32_t count, const double place[3])
{
    double   least = INFINITY;
    uint32_t best = 0, c[3];
    for (uint32_t i = 0; i < count; ++i)
        for (uint32_t k = 0; k < 8; ++k) {
            uint32_t p = m->v->particles[8 * (size_t)m->desc->point_cells[points[i]] + k];
            double   d = 0;
            sup_voxels_corner(m->v, p, c);
            for (int a = 0; a < 3; ++a) d += (c[a] - place[a]) * (c[a] - place[a]);
            if (d < least) least = d, best = p;
        }
    return best;
}

// The particle nearest to a place at rest in cells, by the cell that holds it; SUP_NONE if that cell is empty.
static uint32_t particle_at(const sup_voxels* v, const double place[3])
{
    uint32_t at = 0, step = 1, corner = 0;
    for (uint32_t a = 0; a < 3; ++a) {
        if (!(place[a] >= 0 && place[a] < v->size[a])) return SUP_NONE;
        at += step * (uint32_t)place[a];
        step *= v->size[a];
        corner |= (place[a] - floor(place[a]) > 0.5 ? 1u : 0u) << a;
    }
    return v->at[at] == SUP_NONE ? SUP_NONE : v->particles[8 * (size_t)v->at[at] + corner];
}

// The center of some points of the mesh. Without offsets, which come with a surface, it is the nearest particle.
static sup_lattice_node middle_node(const lattice_maker* m, const sup_lattice_node* nodes, const uint32_t* points,
                                    uint32_t count, uint32_t extended)
{
    double mean[3] = { 0 };
    for (uint32_t i = 0; i < count; ++i) {
        double at[3];
        lattice_node_at_rest(m, &nodes[points[i]], at);
        for (int a = 0; a < 3; ++a) mean[a] += at[a] / count;
    }
    uint32_t         p = nearest_particle(m, points, count, mean);
    bool             rides = m->desc->surface != NULL;
    sup_lattice_node node = { .base = p, .beside = { p, p, p }, .skin = rides, .middle = rides, .points = { extended } };
    for (int a = 0; a < 3; ++a) (&node.place.x)[a] = (float)(m->v->origin[a] + m->v->h * mean[a]);
    return node;
}

// The center of a fan: on the bones that carry its cuts, otherwise the mean of its border.
static sup_lattice_node center_node(const lattice_maker* m, const sup_volumes* v, const sup_lattice_node* nodes,
                                    uint32_t center)
{
    uint32_t         first = v->border_begin[center], count = v->border_begin[center + 1] - first, p;
    double           mean[3] = { 0 };
    sup_lattice_node node = { .carried = true, .skin = true, .points = { center } };
    if (v->center_begin[center + 1] == v->center_begin[center])
        return middle_node(m, nodes, v->border_points + first, count, v->point_count + v->hole_count + center);
    for (uint32_t i = v->center_begin[center]; i < v->center_begin[center + 1]; ++i)
        for (int a = 0; a < 3; ++a) mean[a] += v->center_shares[i] * (double)(&v->cut_points[v->center_cuts[i]].x)[a];
    for (int a = 0; a < 3; ++a) {
        (&node.place.x)[a] = (float)mean[a];
        mean[a] = (mean[a] - m->v->origin[a]) / m->v->h;
    }
    p = particle_at(m->v, mean);
    if (p == SUP_NONE) p = nearest_particle(m, v->border_points + first, count, mean);
    node.base = node.beside[0] = node.beside[1] = node.beside[2] = p;
    return node;
}

static sup_lattice_node hole_node(const lattice_maker* m, const sup_volumes* v, const sup_lattice_node* nodes, uint32_t hole)
{
    uint32_t first = v->hole_begin[hole], count = v->hole_begin[hole + 1] - first;
    return middle_node(m, nodes, v->hole_points + first, count, v->point_count + hole);
}

// Triangles get the labels of their corners' cells. Leaves the surface empty if the mesh has holes, or is too coarse or too
// fine.
static sup_result label_by_cells(const lattice_maker* m, sup_volumes* out, sup_error* error)
{
    const sup_lattice_volume_desc* d = m->desc;
    uint32_t*                      labels = SUP_NEW(m->scratch, uint32_t, d->triangle_count);
    uint32_t                       border = 0;
    if (!labels) return sup_fail_memory(error, "volumes");
    for (uint32_t p = 0; p < m->v->particle_count; ++p) border += m->v->octants[p] != 0xff; // about as many as faces
    if (d->triangle_count < TRIANGLES_LEAST * border || d->triangle_count > TRIANGLES_MOST * border) return SUP_OK;
    for (uint32_t t = 0; t < d->triangle_count; ++t) {
        uint32_t l[3];
        for (int k = 0; k < 3; ++k) l[k] = d->labels[d->point_cells[d->triangles[3 * (size_t)t + (size_t)k]]];
        labels[t] = l[1] == l[2] ? l[1] : l[0];
        if (labels[t] == SUP_NONE) return SUP_OK;
    }
    sup_volumes_desc desc = { .point_count = d->point_count,
                              .triangle_count = d->triangle_count,
                              .triangles = d->triangles,
                              .part_count = d->part_count,
                              .labels = labels };
    sup_result       r = sup_volumes_create(&desc, m->scratch, out, error);
    if (r == SUP_OK && out->hole_count) *out = (sup_volumes){ 0 };
    return r;
}

sup_result lattice_make_surface(lattice_maker* m, sup_arena* arena, sup_error* error)
{
    const sup_lattice_volume_desc* d = m->desc;
    sup_volumes                    v = { 0 };
    sup_result                     r = SUP_OK;
    if (d->surface) v = *d->surface;
    else r = label_by_cells(m, &v, error);
    if (r != SUP_OK || v.part_count == 0) return r;
    uint32_t          count = d->point_count + v.hole_count + v.center_count;
    sup_lattice_node* nodes = SUP_NEW(arena, sup_lattice_node, count);
    if (!nodes) return sup_fail_memory(error, "volumes");
    for (uint32_t p = 0; p < d->point_count; ++p)
        nodes[p] = sup_lattice_node_of_point(m->v, p, d->point_cells[p], d->point_places + 3 * (size_t)p);
    for (uint32_t i = 0; i < v.hole_count; ++i) nodes[d->point_count + i] = hole_node(m, &v, nodes, i);
    for (uint32_t i = 0; i < v.center_count; ++i) nodes[d->point_count + v.hole_count + i] = center_node(m, &v, nodes, i);
    m->surface = v;
    m->nodes = nodes;
    m->node_count = count;
    return SUP_OK;
}

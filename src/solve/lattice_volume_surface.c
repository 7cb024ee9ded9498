// The mesh's own triangles as the surface of the parts.
#include "solve/lattice_volume_internal.h"

#include <math.h>
#include <string.h>

// Triangles for every face of the outermost cells: fewer reach over the cuts, more cost more than they tell; nodes do for both.
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

// The surface of every part with its cuts closed by fans, and a node for each of its points. Fans go to a particle: both
// neighbors share it, so where it is does not matter. Leaves the surface empty where the mesh has holes, is too coarse or too
// fine.
sup_result lattice_make_surface(lattice_maker* m, sup_arena* arena, sup_error* error)
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
    sup_volumes      v;
    sup_result       r = sup_volumes_create(&desc, m->scratch, &v, error);
    if (r != SUP_OK || v.hole_count) return r;
    sup_lattice_node* nodes = SUP_NEW(arena, sup_lattice_node, (size_t)d->point_count + v.center_count);
    if (!nodes) return sup_fail_memory(error, "volumes");
    for (uint32_t p = 0; p < d->point_count; ++p)
        nodes[p] = sup_lattice_node_of_point(m->v, p, d->point_cells[p], d->point_places + 3 * (size_t)p);
    for (uint32_t c = 0; c < v.center_count; ++c) {
        uint32_t first = v.border_begin[c], count = v.border_begin[c + 1] - first;
        double   mean[3] = { 0 };
        for (uint32_t i = 0; i < count; ++i) {
            double at[3];
            lattice_node_at_rest(m, &nodes[v.border_points[first + i]], at);
            for (int a = 0; a < 3; ++a) mean[a] += at[a] / count;
        }
        uint32_t p = nearest_particle(m, v.border_points + first, count, mean);
        nodes[d->point_count + c] = (sup_lattice_node){ .base = p, .beside = { p, p, p } };
    }
    m->surface = v;
    m->nodes = nodes;
    m->node_count = d->point_count + v.center_count;
    return SUP_OK;
}

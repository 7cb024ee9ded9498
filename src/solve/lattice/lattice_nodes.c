#include "solve/lattice/lattice_nodes.h"

#include "base/internal.h"
#include "geom/search/closest.h"
#include "math/vec.h"

#include <math.h>

#define ON_A_FACE 1e-3 // cells: a place this near to a face between two cells is in both
enum { NODE_GRAIN = 256 };

typedef struct finder {
    const sup_voxels* v;
    const sup_vec3*   points;
    sup_bvh           tree;
    sup_box*          nodes;
    sup_lattice_node* out;
} finder;

// The octant of p that the offset points into, if it belongs to p; else 8. Offsets in cells.
static uint32_t own_octant(const sup_voxels* v, uint32_t p, const double off[3])
{
    uint32_t octant = 0, loose = 0;
    for (uint32_t a = 0; a < 3; ++a) {
        if (!(fabs(off[a]) <= 1 + ON_A_FACE)) return 8;
        octant |= (off[a] >= 0 ? 1u : 0u) << a;
        if (fabs(off[a]) < ON_A_FACE) loose |= 1u << a;
    }
    for (uint32_t turn = 0; turn < 8; ++turn)
        if ((turn & ~loose) == 0 && (v->octants[p] >> (octant ^ turn) & 1)) return octant ^ turn;
    return 8;
}

static void find_node(const finder* f, uint32_t p)
{
    const sup_voxels* v = f->v;
    sup_lattice_node* node = &f->out[p];
    *node = (sup_lattice_node){ .base = p, .beside = { p, p, p } };
    if (v->octants[p] == 0xff) return;
    sup_vec3    at = sup_voxels_position(v, p);
    sup_closest near = sup_bvh_closest(&f->tree, f->nodes, f->points, at);
    if (near.slot == SUP_NONE) return;
    const uint32_t* corners = f->tree.corners + 3 * (size_t)near.slot;
    double          off[3] = { -(double)at.x / v->h, -(double)at.y / v->h, -(double)at.z / v->h };
    for (int k = 0; k < 3; ++k) {
        const float* c = &f->points[corners[k]].x;
        for (int a = 0; a < 3; ++a) off[a] += near.b[k] * (double)c[a] / v->h;
    }
    uint32_t octant = own_octant(v, p, off);
    if (octant == 8) return;
    uint32_t cell = sup_voxels_octant(v, p, octant);
    node->skin = true;
    node->cell = cell;
    node->corner = octant ^ 7; // p is the corner opposite to the octant
    for (uint32_t a = 0; a < 3; ++a) {
        node->beside[a] = v->particles[8 * (size_t)cell + (octant ^ 7 ^ 1u << a)];
        node->share[a] = (float)fmin(fabs(off[a]), 1);
        node->points[a] = corners[a];
        node->mix[a] = (float)near.b[a];
    }
}

sup_lattice_node sup_lattice_node_of_point(const sup_voxels* v, uint32_t point, uint32_t cell, const float place[3])
{
    const uint32_t*  corners = v->particles + 8 * (size_t)cell;
    sup_lattice_node n = { .skin = true, .points = { point, point, point }, .mix = { 1, 0, 0 } };
    uint32_t         nearest = (place[0] > 0.5f) | (place[1] > 0.5f) << 1 | (place[2] > 0.5f) << 2;
    n.base = corners[nearest];
    n.cell = cell;
    n.corner = nearest;
    for (uint32_t a = 0; a < 3; ++a) {
        n.beside[a] = corners[nearest ^ 1u << a];
        n.share[a] = nearest >> a & 1 ? 1.0f - place[a] : place[a];
    }
    return n;
}

static void find_nodes(void* data, uint32_t begin, uint32_t end)
{
    for (uint32_t p = begin; p < end; ++p) find_node(data, p);
}

sup_result sup_lattice_nodes_find(const sup_voxels* voxels, const sup_vec3* points, const uint32_t* triangles,
                                  uint32_t triangle_count, const sup_tasks* tasks, sup_arena* arena,
                                  const sup_lattice_node** out, sup_error* error)
{
    finder     f = { .v = voxels, .points = points, .out = SUP_NEW(arena, sup_lattice_node, voxels->particle_count) };
    sup_arena* scratch = sup_arena_beside(arena);
    if (!f.out || !scratch) {
        sup_arena_destroy(scratch);
        return sup_fail_memory(error, "the skin of a lattice");
    }
    sup_result r = sup_bvh_create(points, triangles, triangle_count, scratch, &f.tree, error);
    if (r == SUP_OK) {
        f.nodes = SUP_NEW(scratch, sup_box, 2 * (size_t)f.tree.leaf_count + triangle_count);
        if (f.nodes) {
            sup_bvh_refit(&f.tree, points, NULL, f.nodes, f.nodes + 2 * (size_t)f.tree.leaf_count);
            sup_tasks_run(tasks, voxels->particle_count, NODE_GRAIN, find_nodes, &f);
            *out = f.out;
        } else r = sup_fail_memory(error, "the skin of a lattice");
    }
    sup_arena_destroy(scratch);
    return r;
}

// Finds what is wrong with a mesh as a surface.
#include "base/internal.h"
#include "geom/surface/topology.h"
#include "supple/scene.h"

#include <math.h>

/// Twice the area over the square of the longest edge; below it, the face is a line. Cross products of floats in double are
/// exact to about 1e-16, so this is far above noise and far below any face that somebody meant.
#define DEGENERATE_SHAPE 1e-10

static bool repeats_a_point(const uint32_t* corners, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i)
        for (uint32_t j = 0; j < i; ++j)
            if (corners[i] == corners[j]) return true;
    return false;
}

/// Large polygons are rare, but a hostile file may have one of a million corners: then only neighbors are compared.
#define COMPARED_CORNERS 1024u

static bool degenerate(const sup_mesh* mesh, uint32_t face)
{
    const uint32_t* corners = mesh->corner_points + mesh->face_begin[face];
    uint32_t        count = mesh->face_begin[face + 1] - mesh->face_begin[face];
    if (count < 3) return true;
    if (count <= COMPARED_CORNERS && repeats_a_point(corners, count)) return true;
    sup_vec3 o = mesh->points[corners[0]];
    double   nx = 0, ny = 0, nz = 0, longest = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (corners[i] == corners[(i + 1) % count]) return true;
        sup_vec3 p = mesh->points[corners[i]], q = mesh->points[corners[(i + 1) % count]];
        double   px = (double)p.x - (double)o.x, py = (double)p.y - (double)o.y, pz = (double)p.z - (double)o.z;
        double   qx = (double)q.x - (double)o.x, qy = (double)q.y - (double)o.y, qz = (double)q.z - (double)o.z;
        nx += py * qz - pz * qy;
        ny += pz * qx - px * qz;
        nz += px * qy - py * qx;
        double dx = qx - px, dy = qy - py, dz = qz - pz, length2 = dx * dx + dy * dy + dz * dz;
        longest = length2 > longest ? length2 : longest;
    }
    return !(sqrt(nx * nx + ny * ny + nz * nz) > DEGENERATE_SHAPE * longest);
}

sup_result sup_mesh_examine(const sup_mesh* mesh, sup_mesh_report* report, sup_error* error)
{
    SUP_ASSERT(mesh && report);
    sup_arena* arena = sup_arena_create(NULL);
    if (!arena) return sup_fail_memory(error, "the report on a mesh");
    sup_polygons polygons = { mesh->point_count, mesh->face_count, mesh->face_begin, mesh->corner_points };
    sup_topology t;
    sup_result   result = sup_topology_create(&polygons, arena, &t, error);
    if (result == SUP_OK) {
        *report = (sup_mesh_report){ .edges = t.edge_count,
                                     .components = t.component_count,
                                     .boundary_edges = t.boundary_edges,
                                     .boundary_loops = t.loop_count,
                                     .nonmanifold_edges = t.nonmanifold_edges,
                                     .nonmanifold_points = t.nonmanifold_points,
                                     .loose_points = t.loose_points,
                                     .doubled_faces = t.doubled_faces };
        for (uint32_t f = 0; f < mesh->face_count; ++f) report->degenerate_faces += degenerate(mesh, f);
        report->closed = t.edge_count > 0 && t.boundary_edges == 0 && t.nonmanifold_edges == 0 && t.nonmanifold_points == 0;
    }
    sup_arena_destroy(arena);
    return result;
}

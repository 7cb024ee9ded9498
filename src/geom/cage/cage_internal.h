/// geom/cage/cage_internal.h: the stages that make a cage.
///
/// mesh -> cage_grid (winding number at the nodes of a grid) -> cage_solid (what is tissue) -> cage_surface (its fine border)
/// -> cage_collapse, cage_relax (few, even triangles) -> cage_carry (weights). Between the second and the last stage positions
/// are in cells of the grid, which makes the fine border exact.
#ifndef SUP_GEOM_CAGE_CAGE_INTERNAL_H
#define SUP_GEOM_CAGE_CAGE_INTERNAL_H

#include "geom/cage/cage.h"

/// Padding in nodes: the mesh lies at least this far inside the grid's border, which is never solid.
enum { CAGE_PAD = 8 };
typedef struct cage_grid {
    uint32_t size[3], step[3], count;
    double   origin[3], h; ///< of node 0; between nodes
} cage_grid;

/// A place on the mesh that represents its cell.
typedef struct cage_sample {
    uint32_t triangle, node;
    float    b[2]; ///< weights of the triangle's first two corners
} cage_sample;

/// A surface that is being simplified, in cells.
typedef struct cage_surface {
    uint32_t  point_count, triangle_count;
    sup_vec3* points;
    uint32_t* triangles;
    float*    sizes; ///< per point: target edge length relative to other points'
    bool*     roomy; ///< per point: no other part of the surface is near
} cage_surface;

typedef struct cage_maker {
    const sup_cage_desc* desc;
    sup_arena*           scratch;
    bool                 careful; ///< test every edit, also those far from all other parts
    uint32_t             triangle_count;
    uint32_t*            triangles; ///< each piece facing outwards
    cage_grid            grid;
    uint8_t*             solid;        ///< per node
    double               edge;         ///< in cells: the target length of an edge
    const uint32_t*      point_labels; ///< per point: the joint of its largest weight, SUP_NONE: none
    uint32_t*            sample_at;    ///< per node: its sample, SUP_NONE
    cage_sample*         samples;
    uint32_t             sample_count;
    uint32_t*            nearest; ///< per node: the sample it is the fewest steps away from
    uint32_t*            labels;  ///< per node: the joint there
    uint8_t*             seams;   ///< per node: near a place where the mesh itself leads from one joint to a stranger
} cage_maker;

/// cage_grid.c: orients triangles outwards, places the grid, and fills the solid by the winding number. `coarser`: factor on
/// the usual cell.
sup_result cage_orient(cage_maker* m, sup_error* error);
/// False: the crossings would take too long on this grid; it has to be coarser.
bool       cage_place_grid(cage_maker* m, double coarser);
sup_result cage_fill(cage_maker* m, sup_error* error);
/// cage_label.c: samples, labels and seams.
sup_result cage_label(cage_maker* m, sup_error* error);
/// Neither is the other's parent nor grandparent: their flesh is joined only at seams.
bool               cage_strangers(const cage_maker* m, uint32_t a, uint32_t b);
static inline bool cage_must_part(const cage_maker* m, uint32_t node, uint32_t other)
{
    return m->labels[node] != m->labels[other] && !m->seams[node] && !m->seams[other] &&
           cage_strangers(m, m->labels[node], m->labels[other]);
}
/// cage_solid.c: closes gaps, parts limbs, drops what is thin. *any is false if nothing is left.
sup_result cage_shape(cage_maker* m, bool* any, sup_error* error);
/// cage_surface.c: the border between solid nodes and others: closed, manifold, without crossings. triangle_count is 0 if it
/// would exceed `most`.
sup_result cage_skin(cage_maker* m, uint32_t most, cage_surface* out, sup_error* error);
/// cage_collapse.c: down to desc->target points.
sup_result cage_collapse(cage_maker* m, cage_surface* s, sup_error* error);
/// cage_relax.c: evens what is left.
/// cage_carry.c: sources and weights.
sup_result cage_carry(cage_maker* m, const cage_surface* s, sup_arena* arena, sup_cage* out, sup_error* error);

/// cage_cross.c: pairs of triangles that pass through each other. Marks them in `marks` unless that is NULL; returns how many
/// triangles are in such a pair, or all of them if more than `tests_most` pairs would have to be tested.
sup_result cage_crossings(const sup_vec3* points, const uint32_t* triangles, uint32_t count, uint64_t tests_most,
                          sup_arena* scratch, uint8_t* marks, uint32_t* out, sup_error* error);

#endif

/// geom/curves/curves_internal.h: what the files of the curve maker share.
#ifndef SUP_GEOM_CURVES_CURVES_INTERNAL_H
#define SUP_GEOM_CURVES_CURVES_INTERNAL_H

#include "base/internal.h"
#include "geom/curves/curves.h"
#include "geom/search/bvh.h"
#include "geom/surface/topology.h"

/// Everything that grows while curves are made. `failed` is set when memory runs out; then nothing more is added.
typedef struct curve_maker {
    sup_curve_mesh   mesh;
    sup_arena*       arena;
    sup_topology     topology;  ///< of the triangles
    const uint32_t*  tri_edges; ///< three edges of each triangle: edge i leads from corner i to i + 1
    uint32_t*        stamps;    ///< per triangle: the cut in which it is active
    uint32_t*        visited;   ///< per edge: the cut in which it was crossed
    uint32_t         cut;       ///< number of the cut
    sup_curve*       curves;
    uint32_t         curve_count, curve_capacity;
    sup_curve_point* points;
    uint32_t         point_count, point_capacity;
    uint32_t*        used; ///< per mesh point: the curve that was snapped to it, plus 1
    float            snap;
    bool             failed;
} curve_maker;

sup_result maker_begin(curve_maker* m, const sup_curve_mesh* mesh, float snap, sup_arena* arena, sup_error* error);
void       maker_add_point(curve_maker* m, sup_curve_point p);
/// Ends the curve that begins at point `begin`; drops it if it has too few points. Returns its number or SUP_NONE.
uint32_t maker_end_curve(curve_maker* m, uint32_t begin, bool closed, uint32_t limb);
void     maker_drop_curves(curve_maker* m, uint32_t curve_count); ///< back to that many
sup_vec3 maker_place(const curve_maker* m, sup_curve_point p);
sup_vec3 maker_center(const curve_maker* m, const sup_curve* c, float* length);
void     maker_reverse(curve_maker* m, uint32_t curve);
void     maker_rotate(curve_maker* m, uint32_t curve, uint32_t to_front); ///< starts it at another of its points

/// Cuts the triangles of the list where the values (per mesh point) change sign; 0 counts as positive. Adds every polyline
/// found as a curve. Triangles across which values differ by `jump` or more do not count.
void maker_cut(curve_maker* m, const uint32_t* triangles, uint32_t triangle_count, const float* values, float jump,
               uint32_t limb);

// transfer --------------------------------------------------------------------------------------------------------------

typedef struct transfer_job transfer_job;
/// Gives a point shares of two curves (SUP_NONE: none) at the places nearest to it.
void transfer_stand(const transfer_job* j, sup_vec3 p, const uint32_t curve[2], const float share[2], sup_curve_share* out);
/// Where curves that are not beside each other meet, shares blend over some edges.
sup_result transfer_blend(const transfer_job* j, const sup_curve_skin* skin, sup_curve_share* shares, sup_arena* arena,
                          sup_curve_transfer* out, sup_error* error);

/// Lists of curves as hierarchies of boxes. A list from `begin` to `end` longer than a leaf is halved, and boxes[middle]
/// encloses all of it.
enum { CURVE_LEAF = 4 };
typedef struct curve_tree {
    const uint32_t* order;
    const sup_box*  boxes;
} curve_tree;
/// Lists k of `order` run from begin[k] to begin[k + 1], and are sorted. False: out of memory.
bool curve_tree_create(const sup_polylines* lines, const sup_vec3* centers, uint32_t* order, const uint32_t* begin,
                       uint32_t list_count, sup_arena* arena, curve_tree* out);
/// The squared distance to the box; 0 inside.
float curve_box_square(const sup_box* box, sup_vec3 p);

// the coordinate --------------------------------------------------------------------------------------------------------

/// Rings of the coordinate along the limbs, or lines across them. `out` is filled except for its curves: those stay in the
/// maker.
sup_result field_curves_make(curve_maker* m, const sup_curves_desc* desc, sup_curves* out, sup_error* error);

// parts and limbs -------------------------------------------------------------------------------------------------------

typedef struct limb_shape {
    uint32_t        triangle_count;
    const uint32_t* triangles;
    uint32_t        station_count; ///< at least 2
    const sup_vec3* stations;      ///< its center line, from one end to the other
} limb_shape;

typedef struct limb_set {
    uint32_t    limb_count;
    limb_shape* limbs;
    uint32_t*   of_point; ///< limb of each mesh point
} limb_set;

sup_result limbs_find(curve_maker* m, const sup_curves_desc* desc, limb_set* out, sup_error* error);

/// One plane cut: the polylines nearest to `center`. Returns the first curve added; curve_count is one past the last.
uint32_t maker_plane(curve_maker* m, const uint32_t* triangles, uint32_t triangle_count, sup_vec3 center, sup_vec3 normal,
                     float* values, uint32_t limb);
/// Curves across a line, turned apart where they cross, linked to neighbors, with matching starts. Returns how many were
/// dropped.
uint32_t rings_make(curve_maker* m, const uint32_t* triangles, uint32_t triangle_count, const sup_vec3* centers,
                    const sup_vec3* normals, uint32_t count, float* values, uint32_t limb);
/// `walks`: only from these edges; none: all loops that run along the limbs.
sup_result loops_make(curve_maker* m, const limb_set* limbs, const sup_curve_walk* walks, uint32_t walk_count,
                      sup_error* error);

#endif

/// geom/curves/curves.h: curves on a mesh, and how the skin follows them. Shared by `beam`, `fourier` and `bend`.
///
/// A network is made once, on the rest shape. Every point of a curve lies on a vertex or on an edge with its ratio, so the same
/// network can be evaluated on every pose (sup_curves_place). By default curves are level lines of one smooth coordinate along
/// all limbs (geom/curves/field.h), or run across these; a *limb* is then a branch of the coordinate. The layouts of the papers
/// work on parts instead: plane cuts around limbs, and edge loops of the polygons. A limb is then a chain of *parts*, and a
/// part is a connected piece of one label (the dominant joint, or a group of the user).
#ifndef SUP_GEOM_CURVES_CURVES_H
#define SUP_GEOM_CURVES_CURVES_H

#include "supple/base.h"

/// (1 - ratio) a + ratio b; a = b on a vertex. The edge may be a diagonal by which a polygon was cut into triangles.
typedef struct sup_curve_point {
    uint32_t a, b;
    float    ratio;
} sup_curve_point;

typedef struct sup_curve {
    uint32_t begin, count; ///< its points in the network; at least 3 when closed, 2 when open
    bool     closed;       ///< the last point is next to the first, which is not repeated
    uint32_t limb;
    uint32_t sides[2]; ///< the curves on both sides, between which the skin is interpolated; SUP_NONE if there is none
} sup_curve;

typedef struct sup_curves {
    uint32_t               curve_count, point_count, limb_count;
    const sup_curve*       curves;
    const sup_curve_point* points;
    const uint32_t*        limbs; ///< per mesh point: the limb it belongs to; SUP_NONE: none
    const float*    heights;      ///< per mesh point: how far along its limb's center line; NULL if no limbs were searched for
    const float*    lengths;      ///< of the limbs' center lines
    const uint32_t* below;        ///< per mesh point: the curve before it, whose sides[1] is after it. NULL: by nearness
    const float*    ratio;        ///< and how far it is between the two
    const uint32_t* follows;      ///< per limb: the one it continues after a fork, SUP_NONE: none; NULL: not known
    float           spacing;      ///< of rings, where they were laid by a coordinate
    float           covered;      ///< AROUND: share of the surface that lies between two rings
    uint32_t        dropped;      ///< sup_curves_cut: curves that crossed a neighbor and could not be turned away from it
} sup_curves;

/// The mesh as arrays; only edge loops need the polygons.
typedef struct sup_curve_mesh {
    uint32_t        point_count;
    const sup_vec3* points;
    uint32_t        triangle_count;
    const uint32_t* triangles;
    uint32_t        face_count;
    const uint32_t* face_begin; ///< face_count + 1
    const uint32_t* corners;
} sup_curve_mesh;

typedef enum sup_curve_way {
    SUP_CURVES_AROUND, ///< rings: level lines of the coordinate along the limbs
    SUP_CURVES_ALONG,  ///< open: from the first ring of a limb to its last, at equal shares of the rings
    SUP_CURVES_PLANES, ///< plane cuts across center lines that are marched and bisected; open where a limb branches
    SUP_CURVES_LOOPS,  ///< edge loops of the polygons that run along the limbs
} sup_curve_way;

typedef struct sup_curves_desc {
    sup_curve_mesh               mesh;
    const uint32_t*              labels; ///< PLANES, LOOPS: per point: which part; SUP_NONE: left out. NULL: all one
    sup_curve_way                way;
    const struct sup_guides*     guides;  ///< AROUND, ALONG: from a skeleton; NULL: from the shape alone
    uint32_t                     curves;  ///< curves of the longest or thickest limb (if spacing is 0), fewer on others; 0: 16
    float                        spacing; ///< AROUND, PLANES: distance of neighbors in the mesh's unit; 0: by `curves`
    float                        snap;    ///< crossings closer to a vertex than this share of their edge move onto it; 0: none
    bool                         single_parts; ///< every part is a limb of its own
    const struct sup_curve_walk* walks;        ///< LOOPS: from these edges only
    uint32_t                     walk_count;   ///< 0: all loops that run along the limbs
} sup_curves_desc;

/// Makes curves over the whole mesh. Fails with the cure if no curve can be made.
sup_result sup_curves_create(const sup_curves_desc* desc, sup_arena* arena, sup_curves* out, sup_error* error);

/// Plane cuts along a given line (a bone, a center line with stations): one curve per station, across the line; neighbors that
/// would cross are turned apart. `normals` NULL: the line's own direction. A station whose plane misses the mesh gives none.
typedef struct sup_curve_line {
    uint32_t        count; ///< at least 1 (2 without normals)
    const sup_vec3* centers;
    const sup_vec3* normals;
} sup_curve_line;
sup_result sup_curves_cut(const sup_curve_mesh* mesh, const sup_curve_line* line, float snap, sup_arena* arena, sup_curves* out,
                          sup_error* error);

/// An edge loop from the edge (from, to): it goes straight on at points where four faces meet and stops elsewhere. Closed if it
/// comes back to the start. `stop`: ends there. `turns`: pairs (at, next): a change of direction at a point.
typedef struct sup_curve_walk {
    uint32_t        from, to;
    uint32_t        stop; ///< SUP_NONE: none
    uint32_t        turn_count;
    const uint32_t* turns; ///< two per turn
    bool            both;  ///< also continues in the other direction from `from`
} sup_curve_walk;
/// Edge loops as the user writes them, separated by spaces: 'FROM-TO' starts at an edge, 'FROM=TO' goes both ways; '/AT-NEXT'
/// is a turn, '!STOP' the last point. Points by number. `who` is the prefix of messages.
sup_result sup_curve_walks_parse(const char* text, const char* who, sup_arena* arena, const sup_curve_walk** out,
                                 uint32_t* count, sup_error* error);

/// Evaluates the points of all curves on a pose: one position per network point.
void sup_curves_place(const sup_curves* curves, const sup_vec3* mesh_points, sup_vec3* out);

// ---------------------------------------------------------------------------------------------- transfer

/// Curves as polylines of nodes: the network's own points, or nodes spread over them.
typedef struct sup_polylines {
    uint32_t         curve_count;
    const uint32_t*  begin; ///< curve_count + 1 nodes
    const bool*      closed;
    const sup_curve* curves; ///< limb and sides of each
    const sup_vec3*  nodes;  ///< at rest
    const uint32_t*  below;  ///< per skin point, as in sup_curves: its known curve, or NULL
    const float*     ratio;
} sup_polylines;

/// What one skin point takes from the curves: up to four nodes, two on each of the two curves beside it.
///     displacement   p' = p + sum of share[i] (node[i]' - node[i])
///     frame          p' = p3' + F' F^T (p - p3),  F made of p1 p2 and the line to the curves' centers
/// The identity is exact in both, and so is a rigid motion in the frame form.
typedef struct sup_curve_share {
    uint32_t node[4];  ///< two on each curve; share 0 if unused
    float    share[4]; ///< bilinear: (1 - alpha)(1 - t1), (1 - alpha) t1, alpha (1 - t2), alpha t2, times the fade
    uint32_t curve[2]; ///< SUP_NONE: one curve only, or none
    float    t[2], alpha, beta, fade;
    bool     mixed; ///< where limbs meet: shares of several, only in the displacement form
} sup_curve_share;

typedef struct sup_curve_transfer {
    uint32_t               point_count;
    const sup_curve_share* points;
    uint32_t               alone;      ///< points that no curve reaches: they do not move
    uint32_t               more_count; ///< points that take from a third or fourth curve, ascending
    const uint32_t*        more;
    const sup_curve_share* more_shares;
    sup_polylines          lines;
    float                  size; ///< of the mesh: lengths below 1e-6 of it count as zero
} sup_curve_transfer;

/// Skin points with their limbs, as in sup_curves, and the triangles that connect them.
typedef struct sup_curve_skin {
    uint32_t        point_count;
    const sup_vec3* points;
    const uint32_t* limbs; ///< NULL: all belong to one
    uint32_t        triangle_count;
    const uint32_t* triangles; ///< without them, limbs are not blended where they meet
    float           reach;     ///< points of a limb without curves fade out over this distance from the nearest curve
    float           blend;     ///< the distance over which shares blend where limbs meet; 0: five edges
} sup_curve_skin;
sup_result sup_curve_transfer_create(const sup_polylines* lines, const sup_curve_skin* skin, sup_arena* arena,
                                     sup_curve_transfer* out, sup_error* error);
/// The first entry of `more` from this point on.
uint32_t sup_transfer_more_from(const sup_curve_transfer* transfer, uint32_t begin);
/// Length-weighted centers of all curves.
void sup_polylines_centers(const sup_polylines* lines, const sup_vec3* nodes, sup_vec3* out);
/// out[i] = the displacement of point i when the nodes are at `moved`. In the frame form `rest` are the points it was created
/// with, `centers` those of the rest nodes and `moved_centers` of the moved ones (both NULL: displacement form).
void sup_curve_transfer_apply(const sup_curve_transfer* transfer, const sup_vec3* rest, const sup_vec3* moved,
                              const sup_vec3* centers, const sup_vec3* moved_centers, uint32_t begin, uint32_t end,
                              sup_vec3* out);

#endif

/// deform/curves/curve_net.h: nodes spread evenly along the curves over a character, and what every skin point takes from them.
/// For links that hold their curves as rows of nodes (`beam`, `bend`).
#ifndef SUP_DEFORM_CURVES_CURVE_NET_H
#define SUP_DEFORM_CURVES_CURVE_NET_H

#include "geom/curves/curves.h"
#include "math/wide.h"
#include "supple/scene.h"

/// A node lies between two points of a curve, each between two points of the mesh.
typedef struct sup_node_source {
    uint32_t point[4];
    float    share[4];
} sup_node_source;

/// Node n of curve c is number c (N + 1) + n; in rows of columns it is row n, columns 3 c to 3 c + 2. A closed curve's last
/// node repeats its first.
typedef struct sup_curve_net {
    sup_curves             curves;
    uint32_t               intervals, node_count; ///< N of each curve, nodes of all
    uint32_t               columns, stride;       ///< 3 per curve; padded to the lanes
    const sup_node_source* sources;
    const sup_vec3*        nodes; ///< at rest
    const sup_vec3*        centers;
    const double*          lengths; ///< per curve, units
    sup_curve_transfer     transfer;
    const uint32_t*        offsets;      ///< four per point, into the rows of columns
    const float*           shares;       ///< four per point
    const uint32_t*        more_offsets; ///< likewise for transfer.more, points where limbs meet
    const float*           more_shares;
    uint32_t               flat; ///< curves without length: their nodes are spaced by index
} sup_curve_net;

/// q[i] += scale x what the point takes from the rows, for points begin to end.
void sup_curve_net_take(const sup_curve_net* net, const float* rows, float scale, uint32_t begin, uint32_t end, sup_vec3* q);

/// `reach`: distance over which skin without curves of its own fades out. `who`: the deformer.
sup_result sup_curve_net_create(const sup_mesh* mesh, const sup_curves* curves, uint32_t intervals, float reach,
                                const char* who, sup_arena* arena, sup_curve_net* out, sup_error* error);

/// Interpolates a value of mesh points at a node.
sup_vec3 sup_node_read(const sup_node_source* source, const sup_vec3* at_points);

/// q[points[i]] += scale x four nodes' shares; points NULL: q[i].
SUP_WIDE_DECLARE(void, sup_curve_take,
                 (const uint32_t* points, const uint32_t* offsets, const float* shares, const float* rows, float scale,
                  uint32_t begin, uint32_t end, sup_vec3* q));

#endif

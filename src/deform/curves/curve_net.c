// Nodes along curves and the transfer from them to the skin.
#include "deform/curves/curve_net.h"

#include "base/internal.h"
#include "math/vec.h"
#include "math/wide.h"

static sup_vec3 place(const sup_mesh* mesh, sup_curve_point p)
{
    return v3_lerp(mesh->points[p.a], mesh->points[p.b], p.ratio);
}

static sup_node_source source_between(sup_curve_point a, sup_curve_point b, float t)
{
    return (sup_node_source){ { a.a, a.b, b.a, b.b },
                              { (1 - t) * (1 - a.ratio), (1 - t) * a.ratio, t * (1 - b.ratio), t * b.ratio } };
}

/// N + 1 nodes, evenly spaced by length; a closed curve ends where it began. Coincident points add no length. Returns the
/// length; if it is 0 the nodes are spaced by index.
static double spread_nodes(const sup_mesh* mesh, const sup_curves* curves, const sup_curve* c, uint32_t intervals,
                           sup_node_source* out)
{
    const sup_curve_point* p = curves->points + c->begin;
    uint32_t               steps = c->closed ? c->count : c->count - 1;
    double                 total = 0;
    for (uint32_t i = 0; i < steps; ++i) total += (double)v3_distance(place(mesh, p[i]), place(mesh, p[(i + 1) % c->count]));
    if (!(total > 0)) {
        for (uint32_t n = 0; n <= intervals; ++n) {
            uint32_t i = n * steps / intervals;
            if (i >= c->count) i = 0;
            out[n] = source_between(p[i], p[i], 0);
        }
        return 0;
    }
    uint32_t i = 0;
    double   walked = 0, step = (double)v3_distance(place(mesh, p[0]), place(mesh, p[1 % c->count]));
    for (uint32_t n = 0; n <= intervals; ++n) {
        double at = total * n / intervals;
        while (i + 1 < steps && walked + step < at) {
            walked += step;
            ++i;
            step = (double)v3_distance(place(mesh, p[i]), place(mesh, p[(i + 1) % c->count]));
        }
        double t = step > 0 ? (at - walked) / step : 0;
        out[n] = source_between(p[i], p[(i + 1) % c->count], (float)(t < 0 ? 0 : t > 1 ? 1 : t));
    }
    if (c->closed) out[intervals] = out[0];
    return total;
}

sup_vec3 sup_node_read(const sup_node_source* source, const sup_vec3* at_points)
{
    sup_vec3 sum = v3(0, 0, 0);
    for (int k = 0; k < 4; ++k) sum = v3_mad(sum, source->share[k], at_points[source->point[k]]);
    return sum;
}

static sup_result make_nodes(const sup_mesh* mesh, const char* who, sup_curve_net* net, sup_arena* arena, sup_error* error)
{
    uint32_t         per = net->intervals + 1, count = net->curves.curve_count;
    sup_node_source* sources = SUP_NEW(arena, sup_node_source, net->node_count);
    sup_vec3*        nodes = SUP_NEW(arena, sup_vec3, net->node_count);
    double*          lengths = SUP_NEW(arena, double, count);
    if (!sources || !nodes || !lengths) return sup_fail_memory(error, who);
    for (uint32_t c = 0; c < count; ++c) {
        lengths[c] = spread_nodes(mesh, &net->curves, &net->curves.curves[c], net->intervals, sources + (size_t)c * per);
        net->flat += !(lengths[c] > 0);
    }
    for (uint32_t i = 0; i < net->node_count; ++i) nodes[i] = sup_node_read(&sources[i], mesh->points);
    net->sources = sources;
    net->nodes = nodes;
    net->lengths = lengths;
    return SUP_OK;
}

static void list_shares(const sup_curve_net* net, const sup_curve_share* from, uint32_t count, uint32_t* offsets, float* shares)
{
    uint32_t per = net->intervals + 1;
    for (uint32_t i = 0; i < count; ++i)
        for (int k = 0; k < 4; ++k) {
            uint32_t node = from[i].node[k];
            offsets[4 * i + k] = node % per * net->stride + node / per * 3;
            shares[4 * i + k] = from[i].share[k];
        }
}

static sup_result make_transfer(const sup_mesh* mesh, float reach, const char* who, sup_curve_net* net, sup_arena* arena,
                                sup_error* error)
{
    uint32_t  count = net->curves.curve_count, per = net->intervals + 1;
    uint32_t* begin = SUP_NEW(arena, uint32_t, (size_t)count + 1);
    bool*     closed = SUP_NEW(arena, bool, count); // all open: the last node of a closed curve repeats its first
    uint32_t* offsets = SUP_NEW(arena, uint32_t, 4 * (size_t)mesh->point_count);
    float*    shares = SUP_NEW(arena, float, 4 * (size_t)mesh->point_count);
    sup_vec3* centers = SUP_NEW(arena, sup_vec3, count);
    if (!begin || !closed || !offsets || !shares || !centers) return sup_fail_memory(error, who);
    for (uint32_t c = 0; c < count; ++c) begin[c + 1] = (c + 1) * per;
    sup_polylines  lines = { count, begin, closed, net->curves.curves, net->nodes, net->curves.below, net->curves.ratio };
    sup_curve_skin skin = { .point_count = mesh->point_count,
                            .points = mesh->points,
                            .limbs = net->curves.limbs,
                            .triangle_count = mesh->triangle_count,
                            .triangles = mesh->triangles,
                            .reach = reach,
                            .blend = net->curves.spacing };
    sup_result     r = sup_curve_transfer_create(&lines, &skin, arena, &net->transfer, error);
    if (r) return r;
    uint32_t  more = net->transfer.more_count;
    uint32_t* more_offsets = SUP_NEW(arena, uint32_t, 4 * (size_t)more);
    float*    more_shares = SUP_NEW(arena, float, 4 * (size_t)more);
    if (!more_offsets || !more_shares) return sup_fail_memory(error, who);
    list_shares(net, net->transfer.points, mesh->point_count, offsets, shares);
    list_shares(net, net->transfer.more_shares, more, more_offsets, more_shares);
    net->more_offsets = more_offsets, net->more_shares = more_shares;
    sup_polylines_centers(&net->transfer.lines, net->nodes, centers);
    net->offsets = offsets;
    net->shares = shares;
    net->centers = centers;
    return SUP_OK;
}

sup_result sup_curve_net_create(const sup_mesh* mesh, const sup_curves* curves, uint32_t intervals, float reach,
                                const char* who, sup_arena* arena, sup_curve_net* out, sup_error* error)
{
    sup_curve_net net = { .curves = *curves, .intervals = intervals, .node_count = curves->curve_count * (intervals + 1) };
    net.columns = 3 * curves->curve_count;
    net.stride = (uint32_t)sup_align(net.columns + 1, SUP_LANES); // one more: four floats are read at the last node
    sup_result r = make_nodes(mesh, who, &net, arena, error);
    if (!r) r = make_transfer(mesh, reach, who, &net, arena, error);
    if (!r) *out = net;
    return r;
}

void sup_curve_net_take(const sup_curve_net* net, const float* rows, float scale, uint32_t begin, uint32_t end, sup_vec3* q)
{
    const sup_curve_transfer* t = &net->transfer;
    SUP_WIDE_PICK(sup_curve_take)(NULL, net->offsets, net->shares, rows, scale, begin, end, q);
    uint32_t from = sup_transfer_more_from(t, begin), to = sup_transfer_more_from(t, end);
    SUP_WIDE_PICK(sup_curve_take)(t->more, net->more_offsets, net->more_shares, rows, scale, from, to, q);
}

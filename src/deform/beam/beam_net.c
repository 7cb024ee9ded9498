// Curves over the character, nodes spread evenly along them, and what every skin point takes from the nodes.
#include "deform/beam/beam.h"
#include "math/vec.h"

#include <string.h>

/// Limbs without curves fade out over this share of the diagonal.
#define FADE_REACH 0.05f

// ---------------------------------------------------------------------------------------------- nodes

static sup_vec3 place(const sup_mesh* mesh, sup_curve_point p)
{
    return v3_lerp(mesh->points[p.a], mesh->points[p.b], p.ratio);
}

static beam_source source_between(sup_curve_point a, sup_curve_point b, float t)
{
    return (beam_source){ { a.a, a.b, b.a, b.b },
                          { (1 - t) * (1 - a.ratio), (1 - t) * a.ratio, t * (1 - b.ratio), t * b.ratio } };
}

/// N + 1 nodes evenly by length; a closed curve ends where it began. Points that stand on each other take no length. False: the
/// curve has no length at all, and its nodes are spread by number.
static bool spread_nodes(const sup_mesh* mesh, const sup_curves* curves, const sup_curve* c, uint32_t intervals,
                         beam_source* out)
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
        return false;
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
    return true;
}

static sup_result make_nodes(const sup_mesh* mesh, beam_net* net, sup_arena* arena, sup_error* error)
{
    uint32_t     per = net->intervals + 1;
    beam_source* sources = SUP_NEW(arena, beam_source, net->node_count);
    sup_vec3*    nodes = SUP_NEW(arena, sup_vec3, net->node_count);
    if (!sources || !nodes) return sup_fail_memory(error, "beam");
    for (uint32_t c = 0; c < net->curves.curve_count; ++c)
        net->flat += !spread_nodes(mesh, &net->curves, &net->curves.curves[c], net->intervals, sources + (size_t)c * per);
    for (uint32_t i = 0; i < net->node_count; ++i)
        for (int k = 0; k < 4; ++k) nodes[i] = v3_mad(nodes[i], sources[i].share[k], mesh->points[sources[i].point[k]]);
    net->sources = sources;
    net->nodes = nodes;
    return SUP_OK;
}

static sup_result make_transfer(const sup_bind_input* in, beam_net* net, sup_arena* arena, sup_error* error)
{
    const sup_mesh* mesh = &in->character->mesh;
    uint32_t        count = net->curves.curve_count, per = net->intervals + 1;
    uint32_t*       begin = SUP_NEW(arena, uint32_t, (size_t)count + 1);
    bool*           closed = SUP_NEW(arena, bool, count);
    uint32_t*       offsets = SUP_NEW(arena, uint32_t, 4 * (size_t)mesh->point_count);
    float*          shares = SUP_NEW(arena, float, 4 * (size_t)mesh->point_count);
    sup_vec3*       centers = SUP_NEW(arena, sup_vec3, count);
    if (!begin || !closed || !offsets || !shares || !centers) return sup_fail_memory(error, "beam");
    for (uint32_t c = 0; c < count; ++c) begin[c + 1] = (c + 1) * per;
    sup_polylines lines = { count, begin, closed, net->curves.curves, net->nodes };
    sup_result    r = sup_curve_transfer_create(&lines, mesh->points, mesh->point_count, net->curves.limbs,
                                                FADE_REACH * mesh->diagonal, arena, &net->transfer, error);
    if (r) return r;
    for (uint32_t i = 0; i < mesh->point_count; ++i)
        for (int k = 0; k < 4; ++k) {
            uint32_t node = net->transfer.points[i].node[k];
            offsets[4 * i + k] = node % per * net->stride + node / per * 3;
            shares[4 * i + k] = net->transfer.points[i].share[k];
        }
    sup_polylines_centers(&net->transfer.lines, net->nodes, centers);
    net->offsets = offsets;
    net->shares = shares;
    net->centers = centers;
    return SUP_OK;
}

sup_result beam_net_create(const sup_bind_input* in, const beam_params* p, sup_arena* arena, beam_net* out, sup_error* error)
{
    const sup_mesh* mesh = &in->character->mesh;
    const uint32_t* labels = NULL;
    beam_net        net = { .intervals = (uint32_t)p->intervals };
    sup_result      r = sup_curve_labels(in, "beam", p->groups ? p->groups : "", arena, &labels, error);
    if (r) return r;
    sup_curves_desc desc = { .mesh = sup_curve_mesh_of(mesh),
                             .labels = labels,
                             .way = (sup_curve_way)p->way,
                             .curves = (uint32_t)p->curves,
                             .spacing = p->spacing * mesh->diagonal,
                             .snap = p->snap };
    sup_error       reason;
    r = sup_curves_create(&desc, arena, &net.curves, &reason);
    if (r) return sup_fail(error, r, "beam: '%s': %s", in->character->name, reason.text);
    net.node_count = net.curves.curve_count * (net.intervals + 1);
    net.columns = 3 * net.curves.curve_count;
    net.stride = (uint32_t)sup_align(net.columns + 1, SUP_LANES); // one more: four floats are read at the last node
    r = make_nodes(mesh, &net, arena, error);
    if (!r) r = make_transfer(in, &net, arena, error);
    if (!r) *out = net;
    return r;
}

void beam_net_read(const beam_net* net, const sup_vec3* at_points, double* rows)
{
    uint32_t per = net->intervals + 1;
    for (uint32_t i = 0; i < net->node_count; ++i) {
        const beam_source* s = &net->sources[i];
        double*            to = rows + (size_t)(i % per) * net->stride + i / per * 3;
        to[0] = to[1] = to[2] = 0;
        for (int k = 0; k < 4; ++k) {
            sup_vec3 q = at_points[s->point[k]];
            to[0] += (double)s->share[k] * q.x, to[1] += (double)s->share[k] * q.y, to[2] += (double)s->share[k] * q.z;
        }
    }
}

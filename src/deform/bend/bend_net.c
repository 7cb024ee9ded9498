// Curves over the character, nodes spread evenly along them, the strips they stand for, and what every skin point takes.
#include "deform/bend/bend.h"
#include "geom/topology.h"
#include "math/vec.h"

#include <string.h>

/// Skin without curves of its own fades out over this share of the diagonal.
#define FADE_REACH 0.08f
/// Where limbs meet: how many edges far from the border their displacements mix, and how often.
enum { SEAM_RINGS = 5, SEAM_PASSES = 12 };

// ---------------------------------------------------------------------------------------------- nodes

static sup_vec3 place(const sup_mesh* mesh, sup_curve_point p)
{
    return v3_lerp(mesh->points[p.a], mesh->points[p.b], p.ratio);
}

static bend_source source_between(sup_curve_point a, sup_curve_point b, float t)
{
    return (bend_source){ { a.a, a.b, b.a, b.b },
                          { (1 - t) * (1 - a.ratio), (1 - t) * a.ratio, t * (1 - b.ratio), t * b.ratio } };
}

/// N + 1 nodes evenly by length. Points that stand on each other take no length. Returns the length; 0: spread by number.
static double spread_nodes(const sup_mesh* mesh, const sup_curves* curves, const sup_curve* c, uint32_t N, bend_source* out)
{
    const sup_curve_point* p = curves->points + c->begin;
    uint32_t               steps = c->closed ? c->count : c->count - 1, i = 0;
    double                 total = 0, walked = 0;
    for (uint32_t k = 0; k < steps; ++k) total += (double)v3_distance(place(mesh, p[k]), place(mesh, p[(k + 1) % c->count]));
    double step = (double)v3_distance(place(mesh, p[0]), place(mesh, p[1 % c->count]));
    for (uint32_t n = 0; n <= N; ++n) {
        double at = total * n / N;
        while (i + 1 < steps && walked + step < at) {
            walked += step;
            ++i;
            step = (double)v3_distance(place(mesh, p[i]), place(mesh, p[(i + 1) % c->count]));
        }
        if (!(total > 0)) i = n * (steps - 1) / N;
        double t = step > 0 ? (at - walked) / step : 0;
        out[n] = source_between(p[i], p[(i + 1) % c->count], (float)(t < 0 ? 0 : t > 1 ? 1 : t));
    }
    if (c->closed) out[N] = out[0];
    return total;
}

static sup_vec3 read_source(const bend_source* s, const sup_vec3* values)
{
    sup_vec3 sum = v3(0, 0, 0);
    for (int k = 0; k < 4; ++k) sum = v3_mad(sum, s->share[k], values[s->point[k]]);
    return sum;
}

static sup_result make_nodes(const sup_mesh* mesh, bend_net* net, sup_arena* arena, sup_error* error)
{
    uint32_t     per = net->intervals + 1, count = net->curves.curve_count;
    bend_source* sources = SUP_NEW(arena, bend_source, net->node_count);
    sup_vec3 *   nodes = SUP_NEW(arena, sup_vec3, net->node_count), *normals = SUP_NEW(arena, sup_vec3, net->node_count);
    sup_vec3*    skin = SUP_NEW(arena, sup_vec3, mesh->point_count);
    double*      length = SUP_NEW(arena, double, count);
    if (!sources || !nodes || !normals || !skin || !length) return sup_fail_memory(error, "bend");
    sup_mesh_normals(mesh, skin);
    for (uint32_t c = 0; c < count; ++c) {
        length[c] = net->metres * spread_nodes(mesh, &net->curves, &net->curves.curves[c], net->intervals, sources + c * per);
        net->flat += !(length[c] > 0);
    }
    for (uint32_t i = 0; i < net->node_count; ++i) {
        nodes[i] = read_source(&sources[i], mesh->points);
        normals[i] = v3_normalize(read_source(&sources[i], skin), v3(0, 0, 0));
    }
    net->sources = sources;
    net->nodes = nodes;
    net->normals = normals;
    net->length = length;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- strips

/// Mean distance from the nodes of one curve to the nearest of the other, in meters.
static double distance_between(const bend_net* net, uint32_t a, uint32_t b)
{
    uint32_t per = net->intervals + 1;
    double   sum = 0;
    for (uint32_t i = 0; i < net->intervals; ++i) {
        float least = 3e38f;
        for (uint32_t k = 0; k < net->intervals; ++k) {
            float d = v3_length2(v3_sub(net->nodes[a * per + i], net->nodes[b * per + k]));
            if (d < least) least = d;
        }
        sum += (double)sqrtf(least);
    }
    return net->metres * sum / net->intervals;
}

static sup_result make_strips(const sup_bind_input* in, bend_net* net, sup_arena* arena, sup_error* error)
{
    const sup_weights* w = &in->character->weights;
    uint32_t           count = net->curves.curve_count, per = net->intervals + 1, joints = in->character->skeleton.joint_count;
    double(*width)[2] = sup_arena_alloc(arena, count, sizeof *width);
    uint32_t* joint = SUP_NEW(arena, uint32_t, count);
    float*    sums = SUP_NEW(arena, float, joints);
    if (!width || !joint || !sums) return sup_fail_memory(error, "bend");
    for (uint32_t c = 0; c < count; ++c) {
        const sup_curve* u = &net->curves.curves[c];
        for (int s = 0; s < 2; ++s)
            if (u->sides[s] != SUP_NONE && u->sides[s] != c) width[c][s] = distance_between(net, c, u->sides[s]);
        // A curve alone stands for a strip an eighth of its length wide on both sides.
        if (!(width[c][0] + width[c][1] > 0)) width[c][0] = width[c][1] = net->length[c] > 0 ? net->length[c] / 8 : 1;
        memset(sums, 0, joints * sizeof *sums);
        for (uint32_t n = 0; n < per; ++n) {
            const bend_source* s = &net->sources[c * per + n];
            for (int k = 0; k < 4; ++k)
                for (uint32_t i = w->begin[s->point[k]]; i < w->begin[s->point[k] + 1]; ++i)
                    sums[w->joints[i]] += s->share[k] * w->values[i];
        }
        for (uint32_t j = 1; j < joints; ++j)
            if (sums[j] > sums[joint[c]]) joint[c] = j;
    }
    net->width = (const double(*)[2])width;
    net->joint = joint;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- seams

/// Limbs by number; skin without curves is a limb of its own.
static uint32_t limb_of(const bend_net* net, uint32_t p) { return net->curves.limbs ? net->curves.limbs[p] : 0; }

/// Two neighboring points that take from curves which are not beside each other: a closed ring and the open ones next to it.
static bool torn(const bend_net* net, uint32_t a, uint32_t b)
{
    // Skin of no limb fades out from the nearest curve: that is smooth already.
    if (limb_of(net, a) == SUP_NONE || limb_of(net, b) == SUP_NONE) return false;
    if (limb_of(net, a) != limb_of(net, b)) return true;
    const sup_curve_share *s = &net->transfer.points[a], *t = &net->transfer.points[b];
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 2; ++k) {
            if (s->curve[i] == SUP_NONE || t->curve[k] == SUP_NONE) continue;
            if (s->curve[i] == t->curve[k]) return false;
            const uint32_t* sides = net->curves.curves[s->curve[i]].sides;
            if (sides[0] == t->curve[k] || sides[1] == t->curve[k]) return false;
        }
    return s->curve[0] != SUP_NONE || t->curve[0] != SUP_NONE;
}

static sup_result make_seams(const sup_mesh* mesh, bend_net* net, sup_arena* arena, sup_error* error)
{
    uint32_t   n = mesh->point_count, count = 0, total = 0;
    sup_arena* beside = sup_arena_beside(arena);
    uint32_t*  degree = beside ? SUP_NEW(beside, uint32_t, (size_t)n + 2) : NULL;
    uint32_t*  list = beside ? SUP_NEW(beside, uint32_t, 6 * (size_t)mesh->triangle_count) : NULL;
    uint8_t*   ring = beside ? SUP_NEW(beside, uint8_t, n) : NULL;
    sup_result r = degree && list && ring ? SUP_OK : sup_fail_memory(error, "bend");
    // Both directions of every side of every triangle; an inner edge comes twice and counts twice.
    for (uint32_t i = 0; !r && i < 3 * mesh->triangle_count; ++i) degree[mesh->triangles[i] + 2] += 2;
    for (uint32_t i = 0; !r && i < n; ++i) degree[i + 2] += degree[i + 1];
    for (uint32_t t = 0; !r && t < mesh->triangle_count; ++t)
        for (int k = 0; k < 3; ++k) {
            uint32_t a = mesh->triangles[3 * t + k], b = mesh->triangles[3 * t + (k + 1) % 3];
            list[degree[a + 1]++] = b;
            list[degree[b + 1]++] = a;
            if (torn(net, a, b)) ring[a] = ring[b] = 1;
        }
    for (uint32_t far = 1; !r && far < SEAM_RINGS; ++far)
        for (uint32_t p = 0; p < n; ++p)
            if (ring[p] == far)
                for (uint32_t k = degree[p]; k < degree[p + 1]; ++k)
                    if (!ring[list[k]]) ring[list[k]] = (uint8_t)(far + 1);
    for (uint32_t p = 0; !r && p < n; ++p)
        if (ring[p]) ++count, total += degree[p + 1] - degree[p];
    uint32_t* points = SUP_NEW(arena, uint32_t, count);
    uint32_t *begin = SUP_NEW(arena, uint32_t, (size_t)count + 1), *neighbors = SUP_NEW(arena, uint32_t, total);
    if (!r && (!points || !begin || !neighbors)) r = sup_fail_memory(error, "bend");
    for (uint32_t p = 0, k = 0, at = 0; !r && p < n; ++p) {
        if (!ring[p]) continue;
        points[k] = p;
        for (uint32_t i = degree[p]; i < degree[p + 1]; ++i) neighbors[at++] = list[i];
        begin[++k] = at;
    }
    sup_arena_destroy(beside);
    if (!r) net->seams = (bend_seams){ count, points, begin, neighbors };
    return r;
}

void bend_seams_apply(const bend_seams* s, sup_vec3* q, sup_vec3* spare)
{
    for (int pass = 0; pass < SEAM_PASSES; ++pass) {
        for (uint32_t i = 0; i < s->count; ++i) {
            sup_vec3 sum = v3(0, 0, 0);
            for (uint32_t k = s->begin[i]; k < s->begin[i + 1]; ++k) sum = v3_add(sum, q[s->neighbors[k]]);
            spare[i] = v3_scale(sum, 1.0f / (float)(s->begin[i + 1] - s->begin[i]));
        }
        for (uint32_t i = 0; i < s->count; ++i) q[s->points[i]] = spare[i];
    }
}

// ---------------------------------------------------------------------------------------------- all of it

static sup_result make_transfer(const sup_mesh* mesh, bend_net* net, sup_arena* arena, sup_error* error)
{
    uint32_t  count = net->curves.curve_count, per = net->intervals + 1;
    uint32_t* begin = SUP_NEW(arena, uint32_t, (size_t)count + 1);
    bool*     closed = SUP_NEW(arena, bool, count); // all open: the last node of a closed one is its first again
    uint32_t* offsets = SUP_NEW(arena, uint32_t, 4 * (size_t)mesh->point_count);
    float*    shares = SUP_NEW(arena, float, 4 * (size_t)mesh->point_count);
    sup_vec3* centers = SUP_NEW(arena, sup_vec3, count);
    if (!begin || !closed || !offsets || !shares || !centers) return sup_fail_memory(error, "bend");
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

static sup_result make_curves(const sup_bind_input* in, const bend_params* p, sup_arena* arena, sup_curves* out,
                              sup_error* error)
{
    static const sup_curve_way ways[] = { SUP_CURVES_AROUND, SUP_CURVES_AROUND, SUP_CURVES_ALONG, SUP_CURVES_LOOPS };
    const sup_mesh*            mesh = &in->character->mesh;
    const uint32_t*            labels = NULL;
    sup_error                  reason;
    *out = (sup_curves){ 0 };
    if (p->line && p->line[0]) return bend_line_cut(in, p, arena, out, error);
    sup_result r = sup_curve_labels(in, "bend", p->groups ? p->groups : "", arena, &labels, error);
    if (!r && p->way == WAY_BONES && !(p->groups && p->groups[0])) r = bend_bones_cut(in, p, labels, arena, out, error);
    if (r || out->curve_count) return r;
    sup_curves_desc desc = { .mesh = sup_curve_mesh_of(mesh),
                             .labels = labels,
                             .way = ways[p->way],
                             .curves = (uint32_t)p->curves,
                             .spacing = p->spacing * mesh->diagonal,
                             .snap = p->snap };
    r = sup_curves_create(&desc, arena, out, &reason);
    return r ? sup_fail(error, r, "bend: '%s': %s", in->character->name, reason.text) : SUP_OK;
}

sup_result bend_net_create(const sup_bind_input* in, const bend_params* p, sup_arena* arena, bend_net* out, sup_error* error)
{
    const sup_mesh* mesh = &in->character->mesh;
    bend_net        net = { .intervals = (uint32_t)p->intervals, .metres = in->character->metres_per_unit };
    sup_result      r = make_curves(in, p, arena, &net.curves, error);
    if (r) return r;
    net.node_count = net.curves.curve_count * (net.intervals + 1);
    net.stride = (uint32_t)sup_align(3 * net.curves.curve_count + 1, SUP_LANES); // four floats are read at the last node
    r = make_nodes(mesh, &net, arena, error);
    if (!r) r = make_strips(in, &net, arena, error);
    if (!r) r = make_transfer(mesh, &net, arena, error);
    if (!r) r = make_seams(mesh, &net, arena, error);
    if (!r) *out = net;
    return r;
}

void bend_net_read(const bend_net* net, const sup_vec3* at_points, float* rows)
{
    uint32_t per = net->intervals + 1;
    memset(rows, 0, (size_t)per * net->stride * sizeof *rows);
    for (uint32_t i = 0; i < net->node_count; ++i) {
        sup_vec3 q = read_source(&net->sources[i], at_points);
        float*   to = rows + (size_t)(i % per) * net->stride + i / per * 3;
        to[0] = q.x, to[1] = q.y, to[2] = q.z;
    }
}

sup_result bend_net_field(const bend_net* net, const sup_field* field, sup_arena* arena, sup_field* out, sup_error* error)
{
    uint32_t count = net->curves.curve_count, per = net->intervals + 1;
    *out = (sup_field){ NULL, NULL };
    if (!field->scale) return SUP_OK;
    float *scale = SUP_NEW(arena, float, count), *offset = SUP_NEW(arena, float, count);
    if (!scale || !offset) return sup_fail_memory(error, "bend");
    for (uint32_t c = 0; c < count; ++c)
        for (uint32_t n = 0; n < per; ++n) {
            const bend_source* s = &net->sources[c * per + n];
            for (int k = 0; k < 4; ++k) {
                scale[c] += s->share[k] * field->scale[s->point[k]] / (float)per;
                offset[c] += s->share[k] * field->offset[s->point[k]] / (float)per;
            }
        }
    *out = (sup_field){ scale, offset };
    return SUP_OK;
}

// Curves over the character, their series, and the place of every skin point on them.
#include "base/sort.h"
#include "deform/fourier/fourier.h"
#include "math/vec.h"

#include <string.h>

/// Limbs without curves fade out over this share of the diagonal.
#define FADE_REACH 0.05f

static sup_vec3 place(const sup_mesh* mesh, sup_curve_point p)
{
    return v3_lerp(mesh->points[p.a], mesh->points[p.b], p.ratio);
}

// ---------------------------------------------------------------------------------------------- directions

/// How far out a point is: by the number of joints between its own and the root, then by the distance from its joint; without a
/// rig by the distance along its limb, whose line begins at the tip.
static float how_far_out(const sup_bind_input* in, const sup_curves* n, uint32_t point)
{
    const sup_character* c = in->character;
    if (c->skeleton.skin_joint_count < 2 || c->weights.begin[point] == c->weights.begin[point + 1])
        return n->heights ? -n->heights[point] : 0;
    uint32_t   joint = c->weights.joints[c->weights.begin[point]], depth = 0;
    sup_affine bind;
    for (uint32_t j = c->skeleton.joints[joint].parent; j != SUP_NONE; j = c->skeleton.joints[j].parent) ++depth;
    if (!affine_invert(&c->skeleton.joints[joint].inverse_bind, &bind)) return (float)depth;
    float way = v3_distance(c->mesh.points[point], affine_translation(&bind));
    return (float)depth + way / (way + c->mesh.diagonal);
}

/// Open curves begin at the body: that is the end that `ends=free` holds, and where load ratios start.
static sup_result turn_outwards(const sup_bind_input* in, fourier_net* net, sup_arena* arena, sup_error* error)
{
    sup_curves*      n = &net->curves;
    sup_curve_point* points = SUP_NEW(arena, sup_curve_point, n->point_count);
    if (!points) return sup_fail_memory(error, "fourier");
    memcpy(points, n->points, n->point_count * sizeof *points);
    for (uint32_t k = 0; k < n->curve_count; ++k) {
        const sup_curve* c = &n->curves[k];
        uint32_t         last = c->begin + c->count - 1;
        if (c->closed || how_far_out(in, n, n->points[c->begin].a) <= how_far_out(in, n, n->points[last].a)) continue;
        for (uint32_t i = 0; i < c->count; ++i) points[c->begin + i] = n->points[last - i];
    }
    n->points = points;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- series

/// v by length along the rest shape, the one parametrization of all examples. A curve without length uses the index.
static bool measure(const sup_mesh* mesh, const sup_curves* n, const sup_curve* c, double* v)
{
    const sup_curve_point* p = n->points + c->begin;
    double                 total = 0;
    for (uint32_t i = 0; i < c->count; ++i) {
        v[i] = total;
        if (i + 1 < c->count || c->closed) total += (double)v3_distance(place(mesh, p[i]), place(mesh, p[(i + 1) % c->count]));
    }
    for (uint32_t i = 0; i < c->count; ++i) v[i] = total > 0 ? v[i] / total : (double)i / (c->closed ? c->count : c->count - 1);
    return total > 0;
}

static sup_fourier_kind kind_of(const fourier_params* p, const sup_curve* c)
{
    if (c->closed) return SUP_FOURIER_CLOSED;
    if (p->ends == ENDS_FREE) return p->order ? SUP_FOURIER_CANTILEVER : SUP_FOURIER_FREE;
    return p->ends == ENDS_TANGENT ? SUP_FOURIER_TANGENT : SUP_FOURIER_LINE;
}

/// As many waves as the samples of this curve can resolve.
static sup_result choose_terms(sup_fourier_kind kind, uint32_t terms, const double* v, uint32_t count, sup_arena* arena,
                               uint32_t* out, sup_error* error)
{
    sup_arena* work = sup_arena_beside(arena);
    double*    weights = work ? SUP_NEW(work, double, count) : NULL;
    sup_result r = weights ? SUP_OK : sup_fail_memory(error, "fourier");
    if (!r) {
        sup_fourier_weights(kind, v, count, weights);
        r = sup_fourier_limit(kind, terms, v, weights, count, work, out, error);
    }
    sup_arena_destroy(work);
    return r;
}

static sup_result make_series(const sup_mesh* mesh, const fourier_params* p, fourier_net* net, sup_arena* arena,
                              sup_error* error)
{
    double*         v = SUP_NEW(arena, double, net->curves.point_count);
    fourier_series* series = SUP_NEW(arena, fourier_series, net->curves.curve_count);
    if (!v || !series) return sup_fail_memory(error, "fourier");
    for (uint32_t i = 0; i < net->curves.curve_count; ++i) {
        const sup_curve* c = &net->curves.curves[i];
        fourier_series*  s = &series[i];
        bool             long_enough = measure(mesh, &net->curves, c, v + c->begin);
        s->kind = kind_of(p, c);
        s->terms = 0;
        if (long_enough) {
            sup_result r = choose_terms(s->kind, (uint32_t)p->terms, v + c->begin, c->count, arena, &s->terms, error);
            if (r) return r;
        }
        s->functions = s->taken = sup_fourier_count(s->kind, s->terms);
        s->packed = net->coefficient_count;
        net->coefficient_count += s->functions;
        if (!long_enough && net->flat++ == 0) net->first_flat = i;
        if (s->terms >= (uint32_t)p->terms || !long_enough) continue;
        net->least = net->lowered++ == 0 || s->terms < net->least ? s->terms : net->least;
    }
    net->v = v;
    net->series = series;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- places

static float v_between(const fourier_net* net, uint32_t curve, uint32_t a, uint32_t b, float t)
{
    const sup_curve* c = &net->curves.curves[curve];
    double           from = net->v[a], to = b == c->begin && a != b ? 1.0 : net->v[b];
    return (float)(from + (to - from) * t);
}

/// The transfer's shares as places on the series. Pairs are ordered, and curves without a share are dropped, so that more
/// points have the same two.
static fourier_place place_of(const fourier_net* net, const sup_curve_share* s)
{
    fourier_place p = { { s->curve[0], s->curve[1] }, { 0, 0 }, { s->share[0] + s->share[1], s->share[2] + s->share[3] } };
    for (int k = 0; k < 2; ++k)
        if (p.curve[k] != SUP_NONE) p.v[k] = v_between(net, p.curve[k], s->node[2 * k], s->node[2 * k + 1], s->t[k]);
    for (int k = 0; k < 2; ++k)
        if (p.share[k] == 0) p.curve[k] = SUP_NONE, p.v[k] = 0;
    if (p.curve[1] < p.curve[0]) // SUP_NONE sorts last
        p = (fourier_place){ { p.curve[1], p.curve[0] }, { p.v[1], p.v[0] }, { p.share[1], p.share[0] } };
    return p;
}

/// Within one spacing of the curve it takes most from, or within the reach over which curves fade.
static bool is_near(const fourier_net* net, const sup_curve_transfer* t, const fourier_params* p, uint32_t point, sup_vec3 at,
                    float diagonal)
{
    const sup_curve_share* s = &t->points[point];
    int                    side = s->share[2] + s->share[3] > s->share[0] + s->share[1] ? 1 : 0;
    if (s->curve[side] == SUP_NONE) return false;
    sup_vec3 foot = v3_lerp(t->lines.nodes[s->node[2 * side]], t->lines.nodes[s->node[2 * side + 1]], s->t[side]);
    float    length = net->curves.lengths ? net->curves.lengths[net->curves.limbs[point]] : 0;
    float    apart = p->spacing > 0 ? p->spacing * diagonal : length / (float)p->curves;
    return v3_distance(foot, at) <= fmaxf(apart, FADE_REACH * diagonal);
}

/// A runtime file has two curves per point: where limbs meet the two largest carry the share of all.
static void fold_more(sup_curve_transfer* t)
{
    for (uint32_t i = 0; i < t->more_count; ++i) {
        sup_curve_share*       s = (sup_curve_share*)&t->points[t->more[i]];
        const sup_curve_share* m = &t->more_shares[i];
        float                  first = s->share[0] + s->share[1] + s->share[2] + s->share[3];
        float                  rest = m->share[0] + m->share[1] + m->share[2] + m->share[3];
        for (int k = 0; k < 4 && first > 0; ++k) s->share[k] *= (first + rest) / first;
    }
}

static sup_result make_places(const sup_mesh* mesh, const fourier_params* p, fourier_net* net, sup_arena* arena,
                              sup_error* error)
{
    uint32_t       count = net->curves.curve_count;
    uint32_t*      begin = SUP_NEW(arena, uint32_t, (size_t)count + 1);
    bool*          closed = SUP_NEW(arena, bool, count);
    sup_vec3*      nodes = SUP_NEW(arena, sup_vec3, net->curves.point_count);
    fourier_place* places = SUP_NEW(arena, fourier_place, mesh->point_count);
    sup_arena*     beside = sup_arena_beside(arena);
    if (!begin || !closed || !nodes || !places || !beside) {
        sup_arena_destroy(beside);
        return sup_fail_memory(error, "fourier");
    }
    for (uint32_t c = 0; c < count; ++c) {
        begin[c + 1] = net->curves.curves[c].begin + net->curves.curves[c].count;
        closed[c] = net->curves.curves[c].closed;
    }
    sup_curves_place(&net->curves, mesh->points, nodes);
    sup_polylines      lines = { count, begin, closed, net->curves.curves, nodes, net->curves.below, net->curves.ratio };
    sup_curve_transfer transfer;
    sup_curve_skin     skin = { .point_count = mesh->point_count,
                                .points = mesh->points,
                                .limbs = net->curves.limbs,
                                .triangle_count = mesh->triangle_count,
                                .triangles = mesh->triangles,
                                .reach = FADE_REACH * mesh->diagonal,
                                .blend = net->curves.spacing };
    sup_result         r = sup_curve_transfer_create(&lines, &skin, beside, &transfer, error);
    if (!r) fold_more(&transfer);
    for (uint32_t i = 0; !r && i < mesh->point_count; ++i) {
        places[i] = place_of(net, &transfer.points[i]);
        net->uncovered += places[i].curve[0] == SUP_NONE;
        net->far += net->curves.limbs[i] != SUP_NONE && !is_near(net, &transfer, p, i, mesh->points[i], mesh->diagonal);
    }
    sup_arena_destroy(beside);
    net->places = places;
    return r;
}

// ---------------------------------------------------------------------------------------------- table

static void fill_group(const fourier_net* net, fourier_group* g, float* table)
{
    double f[SUP_FOURIER_FUNCTIONS_MAX];
    float* row = table + g->table;
    for (int k = 0; k < 2 && g->curve[k] != SUP_NONE; ++k) {
        const fourier_series* s = &net->series[g->curve[k]];
        for (uint32_t i = 0; i < g->count; ++i) {
            const fourier_place* p = &net->places[g->point[i]];
            sup_fourier_values(s->kind, s->terms, (double)p->v[k], f);
            for (uint32_t n = 0; n < s->taken; ++n) row[n * SUP_LANES + i] = (float)(f[n] * (double)p->share[k]);
        }
        row += (size_t)s->taken * SUP_LANES;
    }
}

static size_t rows_of(const fourier_net* net, const fourier_group* g)
{
    size_t rows = 0;
    for (int k = 0; k < 2; ++k)
        if (g->curve[k] != SUP_NONE) rows += net->series[g->curve[k]].taken;
    return rows;
}

/// Points of the same two curves, eight at a time.
sup_result fourier_net_group(fourier_net* net, uint32_t points, sup_arena* arena, sup_error* error)
{
    sup_arena*     beside = sup_arena_beside(arena);
    sup_sort_item *items = NULL, *spare = NULL;
    fourier_group* groups = SUP_NEW(arena, fourier_group, (size_t)points + 1); // at most one each
    if (beside) items = SUP_NEW(beside, sup_sort_item, points), spare = SUP_NEW(beside, sup_sort_item, points);
    uint32_t n = 0;
    for (uint32_t i = 0; items && i < points; ++i)
        if (net->places[i].curve[0] != SUP_NONE)
            items[n++] = (sup_sort_item){ (uint64_t)net->places[i].curve[0] << 32 | net->places[i].curve[1], i };
    if (!items || !spare || !groups) {
        sup_arena_destroy(beside);
        return sup_fail_memory(error, "fourier");
    }
    sup_sort(items, spare, n);
    size_t rows = 0;
    for (uint32_t i = 0; i < n; ++i) {
        fourier_group* g = net->group_count ? &groups[net->group_count - 1] : NULL;
        if (!g || g->count == SUP_LANES || items[i].key != items[i - 1].key) {
            const uint32_t* c = net->places[items[i].value].curve;
            if (g) rows += rows_of(net, g);
            g = &groups[net->group_count++];
            *g = (fourier_group){ .curve = { c[0], c[1] }, .table = rows * SUP_LANES };
        }
        g->point[g->count++] = items[i].value;
    }
    if (net->group_count) rows += rows_of(net, &groups[net->group_count - 1]);
    sup_arena_destroy(beside);
    float* table = SUP_NEW(arena, float, rows* SUP_LANES + SUP_LANES);
    if (!table) return sup_fail_memory(error, "fourier");
    for (uint32_t i = 0; i < net->group_count; ++i) fill_group(net, &groups[i], table);
    net->groups = groups;
    net->table = table;
    return SUP_OK;
}

void fourier_net_limit_swing(fourier_net* net, uint32_t points, const float* share)
{
    for (uint32_t i = 0; i < points; ++i)
        for (int k = 0; k < 2; ++k) net->places[i].share[k] *= share[i];
    for (uint32_t i = 0; i < net->group_count; ++i) {
        fourier_group g = net->groups[i];
        fill_group(net, &g, net->table);
    }
}

// ---------------------------------------------------------------------------------------------- all of it

sup_result fourier_net_create(const sup_bind_input* in, const fourier_params* p, sup_arena* arena, fourier_net* out,
                              sup_error* error)
{
    const sup_mesh* mesh = &in->character->mesh;
    fourier_net     net = { 0 };
    sup_curve_plan  plan = { p->way, (uint32_t)p->curves, p->spacing, p->snap, p->groups, NULL };
    sup_result      r = sup_curves_lay(in, "fourier", &plan, arena, &net.curves, error);
    if (r) return r;
    r = turn_outwards(in, &net, arena, error);
    if (!r) r = make_series(mesh, p, &net, arena, error);
    if (!r) r = make_places(mesh, p, &net, arena, error);
    if (!r) *out = net;
    return r;
}

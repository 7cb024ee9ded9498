// The points of the layers: the mesh's, split where their faces form several fans, reordered for memory access, with triangles
// that face outward and weights for every point.
#include "base/sets.h"
#include "base/sort.h"
#include "deform/layers/layers.h"
#include "geom/shortest_paths.h"
#include "run/binding.h"

#include <math.h>
#include <string.h>

/// If more than this share of edges have over two faces, the surface cannot have an inside.
static const double nonmanifold_most = 0.05;

typedef struct maker {
    const sup_character* c;
    sup_arena *          arena, *temporary, *bind;
    sup_error*           error;
    uint32_t             count;  // points, including split ones
    uint32_t*            source; // of each
    uint32_t*            triangles;
    const uint32_t*      unsplit; // before splitting, for lookups
    uint32_t             triangle_count;
    uint32_t             split;
} maker;

static sup_result no_memory(const maker* m) { return sup_fail_memory(m->error, "layers"); }

static sup_result take_triangles(const sup_bind_input* in, maker* m)
{
    sup_clean  surface;
    sup_result r = sup_bind_surface(in, "layers", m->temporary, &surface, m->error);
    if (r) return r;
    m->triangle_count = surface.triangle_count;
    m->triangles = sup_arena_copy(m->arena, surface.triangles, 3 * (size_t)surface.triangle_count, sizeof *m->triangles);
    return m->triangles ? SUP_OK : no_memory(m);
}

static sup_result make_topology(const maker* m, sup_arena* arena, sup_topology* out)
{
    uint32_t* begin = SUP_NEW(m->temporary, uint32_t, (size_t)m->triangle_count + 1);
    if (!begin) return no_memory(m);
    for (uint32_t t = 0; t <= m->triangle_count; ++t) begin[t] = 3 * t;
    return sup_topology_create(&(sup_polygons){ m->count, m->triangle_count, begin, m->triangles }, arena, out, m->error);
}

// ---------------------------------------------------------------------------------------------- splitting

/// Sized for the largest fan.
typedef struct fan_workspace {
    uint32_t *     up, *fresh;
    sup_sort_item *ends, *spare;
} fan_workspace;

// Fans around one point: triangles connected by edges that no other triangle shares. Gives the triangles of every fan but the
// first a new point.
static sup_result split_point(maker* m, const sup_topology* t, uint32_t point, const fan_workspace* work)
{
    uint32_t        n = t->fan_begin[point + 1] - t->fan_begin[point], ends = 0;
    const uint32_t* fan = t->fan + t->fan_begin[point];
    uint32_t *      up = work->up, *fresh = work->fresh;
    for (uint32_t i = 0; i < n; ++i) {
        up[i] = i;
        for (int c = 0; c < 3; ++c)
            if (m->unsplit[3 * fan[i] + c] != point) work->ends[ends++] = (sup_sort_item){ m->unsplit[3 * fan[i] + c], i };
    }
    sup_sort(work->ends, work->spare, ends); // by the other end, so triangles that share an edge are adjacent
    for (uint32_t i = 0, end; i < ends; i = end) {
        for (end = i + 1; end < ends && work->ends[end].key == work->ends[i].key;) ++end;
        if (end - i == 2) up[sup_sets_find(up, work->ends[i].value)] = sup_sets_find(up, work->ends[i + 1].value);
    }
    uint32_t keeps = n ? sup_sets_find(up, 0) : 0;
    for (uint32_t i = 0; i < n; ++i) fresh[i] = SUP_NONE;
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t r = sup_sets_find(up, i);
        if (r == keeps) continue;
        if (fresh[r] == SUP_NONE) {
            if (m->count == UINT32_MAX - 16) return no_memory(m);
            fresh[r] = m->count;
            m->source[m->count++] = point;
            ++m->split;
        }
    }
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t r = sup_sets_find(up, i);
        if (r == keeps) continue;
        for (int c = 0; c < 3; ++c)
            if (m->unsplit[3 * fan[i] + c] == point) m->triangles[3 * fan[i] + c] = fresh[r];
    }
    return SUP_OK;
}

static sup_result split_points(maker* m)
{
    sup_topology t;
    uint32_t     points = m->c->mesh.point_count;
    m->source = SUP_NEW(m->temporary, uint32_t, points + 3 * (size_t)m->triangle_count);
    m->unsplit = sup_arena_copy(m->temporary, m->triangles, 3 * (size_t)m->triangle_count, sizeof *m->triangles);
    if (!m->source || !m->unsplit) return no_memory(m);
    m->count = points;
    for (uint32_t p = 0; p < points; ++p) m->source[p] = p;
    sup_result r = make_topology(m, m->temporary, &t);
    if (r) return r;
    uint32_t crowded = 0, most = 1;
    for (uint32_t e = 0; e < t.edge_count; ++e) crowded += t.edges[e].face_count > 2;
    if ((double)crowded > nonmanifold_most * (double)t.edge_count)
        return sup_fail(m->error, SUP_ERROR_INPUT,
                        "layers: %u of %u edges of '%s' have more than two faces, so it has no inside; repair the mesh",
                        crowded, t.edge_count, m->c->name);
    for (uint32_t p = 0; p < points; ++p)
        if (t.fan_begin[p + 1] - t.fan_begin[p] > most) most = t.fan_begin[p + 1] - t.fan_begin[p];
    fan_workspace work = { SUP_NEW(m->temporary, uint32_t, most), SUP_NEW(m->temporary, uint32_t, most),
                           SUP_NEW(m->temporary, sup_sort_item, 2 * (size_t)most),
                           SUP_NEW(m->temporary, sup_sort_item, 2 * (size_t)most) };
    if (!work.up || !work.fresh || !work.ends || !work.spare) return no_memory(m);
    for (uint32_t p = 0; p < points; ++p)
        if ((r = split_point(m, &t, p, &work))) return r;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- order and sides

static sup_result order_points(maker* m, layers_bound* b)
{
    sup_topology t;
    sup_result   r = make_topology(m, m->temporary, &t);
    if (r) return r;
    b->count = m->count;
    b->stride = (m->count + 8) / 8 * 8; // the last point is always empty
    uint32_t *order = SUP_NEW(m->temporary, uint32_t, m->count), *place = SUP_NEW(m->temporary, uint32_t, m->count);
    uint32_t *source = SUP_NEW(m->arena, uint32_t, b->stride), *first = SUP_NEW(m->arena, uint32_t, m->c->mesh.point_count);
    if (!order || !place || !source || !first) return no_memory(m);
    if ((r = sup_path_order(m->count, t.ring_begin, t.ring, m->temporary, order, m->error))) return r;
    for (uint32_t k = 0; k < m->count; ++k) {
        place[order[k]] = k;
        source[k] = m->source[order[k]];
    }
    for (uint32_t p = 0; p < m->c->mesh.point_count; ++p) first[p] = place[p];
    for (size_t i = 0; i < 3 * (size_t)m->triangle_count; ++i) m->triangles[i] = place[m->triangles[i]];
    b->source = b->mesh_points = source;
    b->first = first;
    b->triangles = m->triangles;
    b->triangle_count = m->triangle_count;
    m->count = b->stride;
    return make_topology(m, m->bind, &b->topology);
}

static sup_result make_glue(maker* m, layers_bound* b)
{
    uint32_t  points = m->c->mesh.point_count;
    uint32_t* copies = SUP_NEW(m->temporary, uint32_t, (size_t)points + 1);
    if (!copies) return no_memory(m);
    for (uint32_t k = 0; k < b->count; ++k) ++copies[b->source[k]];
    uint32_t groups = 0, members = 0;
    for (uint32_t p = 0; p < points; ++p)
        if (copies[p] > 1) groups++, members += copies[p];
    uint32_t *begin = SUP_NEW(m->arena, uint32_t, (size_t)groups + 1), *list = SUP_NEW(m->arena, uint32_t, members);
    uint32_t* group = SUP_NEW(m->temporary, uint32_t, points);
    if (!begin || !list || !group) return no_memory(m);
    uint32_t g = 0;
    for (uint32_t p = 0; p < points; ++p) {
        group[p] = SUP_NONE;
        if (copies[p] < 2) continue;
        group[p] = g;
        begin[g + 1] = begin[g] + copies[p];
        copies[p] = 0;
        ++g;
    }
    for (uint32_t k = 0; k < b->count; ++k) {
        uint32_t p = b->source[k];
        if (group[p] != SUP_NONE) list[begin[group[p]] + copies[p]++] = k;
    }
    b->glue = (layers_glue){ groups, begin, list };
    return SUP_OK;
}

// Rest positions of the skin, its outward side, normals and edges.
static sup_result measure_skin(maker* m, layers_bound* b)
{
    sup_vec3 *rest = SUP_NEW(m->arena, sup_vec3, (size_t)LAYERS * b->stride), *normals = SUP_NEW(m->arena, sup_vec3, b->stride);
    float*    edges = SUP_NEW(m->arena, float, b->stride);
    if (!rest || !normals || !edges) return no_memory(m);
    const sup_vec3* points = m->c->mesh.points;
    for (uint32_t k = 0; k < b->count; ++k) rest[k] = points[b->source[k]];
    double volume = 0, mean[3] = { 0 };
    for (uint32_t k = 0; k < b->count; ++k) mean[0] += rest[k].x, mean[1] += rest[k].y, mean[2] += rest[k].z;
    sup_vec3 middle = v3((float)(mean[0] / b->count), (float)(mean[1] / b->count), (float)(mean[2] / b->count));
    for (uint32_t t = 0; t < b->triangle_count; ++t) {
        uint32_t* c = m->triangles + 3 * (size_t)t;
        sup_vec3  p = v3_sub(rest[c[0]], middle), q = v3_sub(rest[c[1]], middle), r = v3_sub(rest[c[2]], middle);
        volume += v3_dot(p, v3_cross(q, r));
    }
    b->middle = middle;
    b->mended.turned = volume < 0;
    for (uint32_t t = 0; t < b->triangle_count; ++t) {
        uint32_t* c = m->triangles + 3 * (size_t)t;
        if (volume < 0) {
            uint32_t swap = c[1];
            c[1] = c[2], c[2] = swap;
        }
        sup_vec3 n = v3_cross(v3_sub(rest[c[1]], rest[c[0]]), v3_sub(rest[c[2]], rest[c[0]]));
        for (int i = 0; i < 3; ++i) normals[c[i]] = v3_add(normals[c[i]], n);
    }
    double   sum = 0;
    uint32_t with = 0;
    for (uint32_t k = 0; k < b->count; ++k) {
        normals[k] = v3_normalize(normals[k], v3(0, 0, 0));
        double   own = 0;
        uint32_t first = b->topology.ring_begin[k], last = b->topology.ring_begin[k + 1];
        for (uint32_t i = first; i < last; ++i) own += v3_distance(rest[k], rest[b->topology.ring[i]]);
        if (last > first) edges[k] = (float)(own / (last - first)), sum += edges[k], ++with;
    }
    for (uint32_t k = 0; k < b->count && with; ++k) // points without faces
        if (b->topology.ring_begin[k + 1] == b->topology.ring_begin[k]) edges[k] = (float)(sum / with);
    b->mean_edge = with ? (float)(sum / with) : 0.0f;
    if (!(b->mean_edge > 0) || !isfinite(b->mean_edge))
        return sup_fail(m->error, SUP_ERROR_INPUT, "layers: all edges of '%s' have no length; repair the mesh", m->c->name);
    for (uint32_t k = 0; k < b->stride; ++k)
        if (!(edges[k] > 0.02f * b->mean_edge)) edges[k] = k < b->count ? 0.02f * b->mean_edge : b->mean_edge;
    b->rest = rest;
    b->normals = normals;
    b->edges = edges;
    return SUP_OK;
}

static uint32_t third_corner(const layers_bound* b, uint32_t triangle, const sup_edge* e)
{
    const uint32_t* c = b->triangles + 3 * (size_t)triangle;
    for (int i = 0; i < 3; ++i)
        if (c[i] != e->a && c[i] != e->b) return c[i];
    return SUP_NONE;
}

// Pairs: the ends of every edge, and the two points across it.
static sup_result make_pairs(maker* m, layers_bound* b)
{
    const sup_topology* t = &b->topology;
    size_t              capacity = 2 * (size_t)t->edge_count + 8;
    uint32_t *          first = SUP_NEW(m->arena, uint32_t, capacity), *second = SUP_NEW(m->arena, uint32_t, capacity);
    float*              lengths = SUP_NEW(m->arena, float, capacity);
    uint32_t            n = 0;
    if (!first || !second || !lengths) return no_memory(m);
    for (uint32_t i = 0; i < t->edge_count; ++i) {
        const sup_edge* e = &t->edges[i];
        first[n] = e->a, second[n++] = e->b;
        if (e->face_count != 2) continue;
        uint32_t c = third_corner(b, e->faces[0], e), d = third_corner(b, e->faces[1], e);
        if (c != SUP_NONE && d != SUP_NONE && c != d) first[n] = c, second[n++] = d;
    }
    for (uint32_t i = 0; i < n; ++i) lengths[i] = v3_distance(b->rest[first[i]], b->rest[second[i]]);
    b->pairs = (layers_pairs){ (n + 7) / 8 * 8, first, second, lengths };
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- weights

static float bone_distance(const sup_bone* bone, sup_vec3 p)
{
    sup_vec3 along = v3_sub(bone->tail, bone->head), to = v3_sub(p, bone->head);
    float    length2 = v3_length2(along), s = length2 > SUP_EPS_LENGTH ? v3_dot(to, along) / length2 : 0.0f;
    return v3_length(v3_sub(to, v3_scale(along, sup_clampf(s, 0, 1))));
}

static uint32_t nearest_joint(const sup_skeleton* s, sup_vec3 p)
{
    uint32_t best = 0;
    float    nearest = INFINITY;
    for (uint32_t i = 0; i < s->bone_count; ++i) {
        float d = bone_distance(&s->bones[i], p);
        if (d < nearest) nearest = d, best = s->bones[i].joint;
    }
    return best;
}

// Where a point takes its weights from: itself, else the nearest point along edges that has any, else none (SUP_NONE).
static sup_result find_lenders(maker* m, layers_bound* b, uint32_t* lender)
{
    const sup_weights* w = &m->c->weights;
    uint32_t*          queue = SUP_NEW(m->temporary, uint32_t, b->count);
    uint32_t           head = 0, tail = 0;
    if (!queue) return no_memory(m);
    for (uint32_t k = 0; k < b->count; ++k) {
        bool own = w->begin[b->source[k] + 1] > w->begin[b->source[k]];
        lender[k] = own ? b->source[k] : SUP_NONE;
        if (own) queue[tail++] = k;
        else ++b->mended.weightless;
    }
    while (head < tail) {
        uint32_t k = queue[head++];
        for (uint32_t i = b->topology.ring_begin[k]; i < b->topology.ring_begin[k + 1]; ++i) {
            uint32_t n = b->topology.ring[i];
            if (lender[n] != SUP_NONE) continue;
            lender[n] = lender[k];
            queue[tail++] = n;
        }
    }
    return SUP_OK;
}

static sup_result make_weights(maker* m, layers_bound* b)
{
    const sup_weights*  w = &m->c->weights;
    const sup_skeleton* s = &m->c->skeleton;
    uint32_t*           lender = SUP_NEW(m->temporary, uint32_t, b->count);
    uint32_t*           begin = SUP_NEW(m->arena, uint32_t, (size_t)b->stride + 1);
    sup_vec3*           centers = SUP_NEW(m->arena, sup_vec3, s->joint_count);
    if (!lender || !begin || !centers) return no_memory(m);
    sup_result r = find_lenders(m, b, lender);
    if (r) return r;
    for (uint32_t k = 0; k < b->stride; ++k) {
        uint32_t n = k >= b->count ? 0 : lender[k] == SUP_NONE ? 1 : w->begin[lender[k] + 1] - w->begin[lender[k]];
        begin[k + 1] = begin[k] + n;
    }
    uint32_t* joints = SUP_NEW(m->arena, uint32_t, begin[b->stride]);
    float*    values = SUP_NEW(m->arena, float, begin[b->stride]);
    if (!joints || !values) return no_memory(m);
    for (uint32_t k = 0; k < b->count; ++k) {
        if (lender[k] == SUP_NONE) {
            joints[begin[k]] = nearest_joint(s, b->rest[k]);
            values[begin[k]] = 1;
            continue;
        }
        memcpy(joints + begin[k], w->joints + w->begin[lender[k]], (begin[k + 1] - begin[k]) * sizeof *joints);
        memcpy(values + begin[k], w->values + w->begin[lender[k]], (begin[k + 1] - begin[k]) * sizeof *values);
    }
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        sup_affine bind;
        if (affine_invert(&s->joints[j].inverse_bind, &bind)) centers[j] = affine_translation(&bind);
    }
    b->weight_begin = begin;
    b->weight_joints = joints;
    b->weight_values = values;
    b->joint_centers = centers;
    return SUP_OK;
}

sup_result layers_bind_points(const sup_bind_input* in, sup_arena* arena, sup_arena* bind, layers_bound* b, sup_error* error)
{
    maker m = { .c = in->character, .arena = arena, .bind = bind, .temporary = sup_arena_beside(arena), .error = error };
    if (!m.temporary) return sup_fail_memory(error, "layers");
    b->character = in->character;
    sup_result r = take_triangles(in, &m);
    if (!r) r = split_points(&m);
    if (!r) r = order_points(&m, b);
    if (!r) r = make_glue(&m, b);
    if (!r) r = measure_skin(&m, b);
    if (!r) r = make_pairs(&m, b);
    if (!r) r = make_weights(&m, b);
    b->mended.split_points = m.split;
    b->mended.holes = b->topology.loop_count;
    sup_arena_destroy(m.temporary);
    return r;
}

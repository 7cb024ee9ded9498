// The growing list of curves, and the cut: the places where values at the mesh points change sign along the edges, chained
// through the triangles into polylines.
#include "geom/curves/curves_internal.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- the growing list

sup_result maker_begin(curve_maker* m, const sup_curve_mesh* mesh, float snap, sup_arena* arena, sup_error* error)
{
    *m = (curve_maker){ .mesh = *mesh, .arena = arena, .snap = snap };
    uint32_t* edges = SUP_NEW(arena, uint32_t, 3 * (size_t)mesh->triangle_count);
    m->stamps = SUP_NEW(arena, uint32_t, mesh->triangle_count);
    m->used = SUP_NEW(arena, uint32_t, mesh->point_count);
    if (!edges || !m->stamps || !m->used) return sup_fail_memory(error, "curves");
    sup_result r =
        sup_topology_of_triangles(mesh->point_count, mesh->triangle_count, mesh->triangles, arena, &m->topology, error);
    if (r) return r;
    m->visited = SUP_NEW(arena, uint32_t, m->topology.edge_count);
    if (!m->visited) return sup_fail_memory(error, "curves");
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
        for (uint32_t k = 0; k < 3; ++k)
            edges[3 * t + k] =
                sup_topology_edge(&m->topology, mesh->triangles[3 * t + k], mesh->triangles[3 * t + (k + 1) % 3]);
    m->tri_edges = edges;
    return SUP_OK;
}

/// Room for one more; doubles the capacity. NULL when out of memory.
static void* grown(sup_arena* arena, void* items, uint32_t count, uint32_t* capacity, size_t size)
{
    if (count < *capacity) return items;
    uint32_t more = *capacity ? 2 * *capacity : 256;
    void*    bigger = sup_arena_alloc(arena, more, size);
    if (!bigger) return NULL;
    if (count) memcpy(bigger, items, count * size);
    *capacity = more;
    return bigger;
}

void maker_add_point(curve_maker* m, sup_curve_point p)
{
    sup_curve_point* points = grown(m->arena, m->points, m->point_count, &m->point_capacity, sizeof *points);
    if (!points) m->failed = true;
    if (m->failed) return;
    m->points = points;
    m->points[m->point_count++] = p;
}

uint32_t maker_end_curve(curve_maker* m, uint32_t begin, bool closed, uint32_t limb)
{
    sup_curve* curves = grown(m->arena, m->curves, m->curve_count, &m->curve_capacity, sizeof *curves);
    if (!curves) m->failed = true;
    else m->curves = curves; // at once: the new capacity counts even if this curve is dropped
    if (m->failed || m->point_count - begin < (closed ? 3 : 2)) {
        m->point_count = begin;
        return SUP_NONE;
    }
    m->curves[m->curve_count] = (sup_curve){ begin, m->point_count - begin, closed, limb, { SUP_NONE, SUP_NONE } };
    return m->curve_count++;
}

void maker_drop_curves(curve_maker* m, uint32_t curve_count)
{
    if (curve_count >= m->curve_count) return;
    m->point_count = m->curves[curve_count].begin;
    m->curve_count = curve_count;
}

sup_vec3 maker_place(const curve_maker* m, sup_curve_point p)
{
    return v3_lerp(m->mesh.points[p.a], m->mesh.points[p.b], p.ratio);
}

sup_vec3 maker_center(const curve_maker* m, const sup_curve* c, float* length)
{
    double   sum[3] = { 0, 0, 0 }, total = 0;
    uint32_t steps = c->closed ? c->count : c->count - 1;
    for (uint32_t i = 0; i < steps; ++i) {
        sup_vec3 a = maker_place(m, m->points[c->begin + i]), b = maker_place(m, m->points[c->begin + (i + 1) % c->count]);
        double   l = (double)v3_distance(a, b);
        sum[0] += l * 0.5 * ((double)a.x + b.x);
        sum[1] += l * 0.5 * ((double)a.y + b.y);
        sum[2] += l * 0.5 * ((double)a.z + b.z);
        total += l;
    }
    if (length) *length = (float)total;
    if (!(total > 0)) return maker_place(m, m->points[c->begin]);
    return v3((float)(sum[0] / total), (float)(sum[1] / total), (float)(sum[2] / total));
}

static void reverse(sup_curve_point* p, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; ++i) {
        sup_curve_point swap = p[i];
        p[i] = p[count - 1 - i];
        p[count - 1 - i] = swap;
    }
}

void maker_reverse(curve_maker* m, uint32_t curve) { reverse(m->points + m->curves[curve].begin, m->curves[curve].count); }

void maker_rotate(curve_maker* m, uint32_t curve, uint32_t to_front)
{
    sup_curve_point* p = m->points + m->curves[curve].begin;
    reverse(p, to_front);
    reverse(p + to_front, m->curves[curve].count - to_front);
    reverse(p, m->curves[curve].count);
}

// ---------------------------------------------------------------------------------------------- cutting

static bool crosses(const curve_maker* m, uint32_t edge, const float* values)
{
    if (edge == SUP_NONE) return false;
    const sup_edge* e = &m->topology.edges[edge];
    return (values[e->a] >= 0) != (values[e->b] >= 0);
}

/// The crossing of an edge; snapped to a vertex that is near and not taken by another crossing of the same curve.
static void add_crossing(curve_maker* m, uint32_t edge, const float* values, uint32_t mark)
{
    const sup_edge* e = &m->topology.edges[edge];
    float           ratio = values[e->a] / (values[e->a] - values[e->b]);
    sup_curve_point p = { e->a, e->b, sup_clampf(ratio, 0.0f, 1.0f) };
    uint32_t        to = ratio < m->snap ? e->a : ratio > 1.0f - m->snap ? e->b : SUP_NONE;
    if (to != SUP_NONE && m->used[to] != mark) {
        m->used[to] = mark;
        p = (sup_curve_point){ to, to, 0 };
    } else if (to != SUP_NONE && m->point_count > 0 && m->points[m->point_count - 1].a == to &&
               m->points[m->point_count - 1].b == to) {
        return; // the same vertex again, directly after: one point is enough
    }
    maker_add_point(m, p);
}

static uint32_t beyond(const curve_maker* m, uint32_t edge, uint32_t triangle)
{
    const sup_edge* e = &m->topology.edges[edge];
    uint32_t        other = e->faces[0] == triangle ? e->faces[1] : e->faces[0];
    return other != SUP_NONE && m->stamps[other] == m->cut ? other : SUP_NONE;
}

/// Walks from an edge into a triangle until it meets a border or an edge it has already crossed. True: it came back.
static bool walk(curve_maker* m, uint32_t edge, uint32_t triangle, const float* values, uint32_t mark)
{
    uint32_t first = edge;
    m->visited[edge] = m->cut;
    add_crossing(m, edge, values, mark);
    while (triangle != SUP_NONE) {
        uint32_t next = SUP_NONE;
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t e = m->tri_edges[3 * triangle + k];
            if (e != edge && crosses(m, e, values)) next = e;
        }
        if (next == first) return true;
        if (next == SUP_NONE || m->visited[next] == m->cut) return false;
        m->visited[next] = m->cut;
        add_crossing(m, next, values, mark);
        triangle = beyond(m, next, triangle);
        edge = next;
    }
    return false;
}

void maker_cut(curve_maker* m, const uint32_t* triangles, uint32_t triangle_count, const float* values, float jump,
               uint32_t limb)
{
    ++m->cut;
    for (uint32_t i = 0; i < triangle_count; ++i) {
        const uint32_t* c = m->mesh.triangles + 3 * (size_t)triangles[i];
        float           a = values[c[0]], b = values[c[1]], d = values[c[2]];
        bool            mixed = (a >= 0) != (b >= 0) || (b >= 0) != (d >= 0);
        if (mixed && fmaxf(a, fmaxf(b, d)) - fminf(a, fminf(b, d)) < jump) m->stamps[triangles[i]] = m->cut;
    }
    // First the open ones, from their borders; what remains is closed.
    for (int open = 1; open >= 0; --open)
        for (uint32_t i = 0; i < triangle_count && !m->failed; ++i) {
            uint32_t t = triangles[i];
            if (m->stamps[t] != m->cut) continue;
            for (uint32_t k = 0; k < 3; ++k) {
                uint32_t e = m->tri_edges[3 * t + k];
                if (!crosses(m, e, values) || m->visited[e] == m->cut) continue;
                if (open && beyond(m, e, t) != SUP_NONE) continue;
                uint32_t begin = m->point_count;
                // One number for each polyline: snapping considers its own points only.
                uint32_t mark = m->cut * 64u + (m->curve_count & 63u) + 1u;
                bool     closed = walk(m, e, t, values, mark);
                if (closed && m->point_count - begin > 1) { // the snapped start may have come twice
                    sup_curve_point a = m->points[begin], b = m->points[m->point_count - 1];
                    if (a.a == b.a && a.b == b.b && a.ratio == b.ratio) --m->point_count;
                }
                maker_end_curve(m, begin, closed, limb);
            }
        }
}

// ---------------------------------------------------------------------------------------------- plane cuts

/// Of the curves from `first` on, all from one cut, keeps the closed one around the center, or open pieces that are not
/// negligible.
static void keep_nearest(curve_maker* m, uint32_t first, sup_vec3 center)
{
    if (m->failed || m->curve_count - first < 2) return;
    // By the distance of its center, relative to its size: the loop around the center line, not a thumb beside it.
    uint32_t best = first;
    float    least = 3e38f, longest = 0;
    for (uint32_t c = first; c < m->curve_count; ++c) {
        float    length;
        sup_vec3 at = maker_center(m, &m->curves[c], &length);
        float    away = v3_distance(at, center) / (length + 1e-30f) + (m->curves[c].closed ? 0.0f : 1.0f);
        if (length > longest) longest = length;
        if (away < least) least = away, best = c;
    }
    // A closed loop stays alone; of open pieces all but negligible ones stay (front and back of a torso).
    uint32_t kept = first;
    for (uint32_t c = first; c < m->curve_count; ++c) {
        float length;
        maker_center(m, &m->curves[c], &length);
        bool large = length >= 0.25f * longest;
        bool stays = m->curves[best].closed ? c == best : !m->curves[c].closed && large;
        if (stays) m->curves[kept++] = m->curves[c];
    }
    // Points of dropped pieces stay in the list until the next curve overwrites them.
    uint32_t at = first > 0 ? m->curves[first - 1].begin + m->curves[first - 1].count : 0;
    for (uint32_t c = first; c < kept; ++c) {
        memmove(m->points + at, m->points + m->curves[c].begin, m->curves[c].count * sizeof *m->points);
        m->curves[c].begin = at;
        at += m->curves[c].count;
    }
    m->curve_count = kept;
    m->point_count = at;
}

uint32_t maker_plane(curve_maker* m, const uint32_t* triangles, uint32_t triangle_count, sup_vec3 center, sup_vec3 normal,
                     float* values, uint32_t limb)
{
    uint32_t first = m->curve_count;
    for (uint32_t i = 0; i < triangle_count; ++i)
        for (uint32_t k = 0; k < 3; ++k) {
            uint32_t p = m->mesh.triangles[3 * (size_t)triangles[i] + k];
            values[p] = v3_dot(v3_sub(m->mesh.points[p], center), normal);
        }
    maker_cut(m, triangles, triangle_count, values, INFINITY, limb);
    keep_nearest(m, first, center);
    return first;
}

void sup_curves_place(const sup_curves* curves, const sup_vec3* mesh_points, sup_vec3* out)
{
    for (uint32_t i = 0; i < curves->point_count; ++i) {
        sup_curve_point p = curves->points[i];
        out[i] = v3_lerp(mesh_points[p.a], mesh_points[p.b], p.ratio);
    }
}

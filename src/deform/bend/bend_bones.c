// Curves around the bones: the skeleton is taken apart into chains, each the center line of the skin that follows it. Where
// another chain leaves (a leg from the hips) that skin has a gap, and the curve there is open.
#include "base/sort.h"
#include "deform/bend/bend.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

/// A chain goes on into the child that turns least, up to this cosine; a root takes its longest child.
#define STRAIGHT 0.7f
enum { LEAST_CURVES = 3 };

typedef struct chain_maker {
    const sup_bind_input* in;
    const bend_params*    p;
    sup_arena*            arena;
    sup_error*            error;
    const uint32_t*       labels;
    uint32_t              joints;
    sup_vec3*             heads; ///< of the joints at rest
    uint32_t*             size;  ///< points that follow each joint most
    float*                reach; ///< length of the longest way down from a joint
    uint32_t*             next;  ///< the joint its chain goes on to
    uint32_t*             above; ///< the nearest joint above that has skin
    uint32_t*             chain; ///< number of its chain, SUP_NONE: no skin
    uint32_t              chains;
    uint32_t*             first;                      ///< joint of each chain
    uint32_t *            point_begin, *points;       ///< of each joint: the points that follow it most, rising
    uint32_t *            triangle_begin, *triangles; ///< of each chain: the triangles that are all its own, rising
} chain_maker;

/// Lists who belongs to whom: `begin` count + 2, `list` rising within each. `of`: SUP_NONE is left out.
static bool list_by(uint32_t count, uint32_t items, const uint32_t* of, sup_arena* arena, uint32_t** begin, uint32_t** list)
{
    *begin = SUP_NEW(arena, uint32_t, (size_t)count + 2);
    *list = SUP_NEW(arena, uint32_t, items);
    if (!*begin || !*list) return false;
    for (uint32_t i = 0; i < items; ++i)
        if (of[i] != SUP_NONE) ++(*begin)[of[i] + 2];
    for (uint32_t k = 0; k < count; ++k) (*begin)[k + 2] += (*begin)[k + 1];
    for (uint32_t i = 0; i < items; ++i)
        if (of[i] != SUP_NONE) (*list)[(*begin)[of[i] + 1]++] = i;
    return true;
}

/// Who belongs to which chain.
static bool list_chains(chain_maker* m)
{
    const sup_mesh* mesh = &m->in->character->mesh;
    uint32_t*       of = SUP_NEW(m->arena, uint32_t, mesh->triangle_count);
    m->first = SUP_NEW(m->arena, uint32_t, m->chains);
    if (!of || !m->first || !list_by(m->joints, mesh->point_count, m->labels, m->arena, &m->point_begin, &m->points))
        return false;
    for (uint32_t j = m->joints; j-- > 0;)
        if (m->chain[j] != SUP_NONE) m->first[m->chain[j]] = j;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t) {
        const uint32_t* c = mesh->triangles + 3 * (size_t)t;
        uint32_t        chains[3];
        for (int k = 0; k < 3; ++k) chains[k] = m->labels[c[k]] != SUP_NONE ? m->chain[m->labels[c[k]]] : SUP_NONE;
        of[t] = chains[0] == chains[1] && chains[1] == chains[2] ? chains[0] : SUP_NONE;
    }
    return list_by(m->chains, mesh->triangle_count, of, m->arena, &m->triangle_begin, &m->triangles);
}

/// The nearest joint above that has skin, of every joint: parents stand before their children.
static bool find_above(chain_maker* m)
{
    const sup_joint* all = m->in->character->skeleton.joints;
    m->above = SUP_NEW(m->arena, uint32_t, m->joints);
    for (uint32_t j = 0; m->above && j < m->joints; ++j) {
        uint32_t up = all[j].parent;
        m->above[j] = up == SUP_NONE || m->size[up] ? up : m->above[up];
    }
    return m->above != NULL;
}

static bool find_chains(chain_maker* m)
{
    const sup_character* c = m->in->character;
    uint32_t             n = m->joints = c->skeleton.joint_count;
    m->heads = SUP_NEW(m->arena, sup_vec3, n);
    m->size = SUP_NEW(m->arena, uint32_t, n);
    m->reach = SUP_NEW(m->arena, float, n);
    m->next = SUP_NEW(m->arena, uint32_t, n);
    m->chain = SUP_NEW(m->arena, uint32_t, n);
    float* best = SUP_NEW(m->arena, float, n);
    if (!m->heads || !m->size || !m->reach || !m->next || !m->chain || !best) return false;
    for (uint32_t p = 0; p < c->mesh.point_count; ++p)
        if (m->labels[p] != SUP_NONE) ++m->size[m->labels[p]];
    if (!find_above(m)) return false;
    for (uint32_t j = 0; j < n; ++j) {
        sup_affine bind;
        m->next[j] = m->chain[j] = SUP_NONE;
        if (affine_invert(&c->skeleton.joints[j].inverse_bind, &bind)) m->heads[j] = affine_translation(&bind);
    }
    for (uint32_t j = n; j-- > 0;) { // children stand behind their parents
        uint32_t up = m->above[j];
        if (m->size[j] == 0 || up == SUP_NONE) continue;
        float way = m->reach[j] + v3_distance(m->heads[j], m->heads[up]);
        if (way > m->reach[up]) m->reach[up] = way;
    }
    for (uint32_t j = 0; j < n; ++j) { // from the root down: the way into a joint is known before its children ask
        uint32_t up = m->above[j];
        if (m->size[j] == 0 || up == SUP_NONE) continue;
        uint32_t before = m->above[up];
        sup_vec3 d = v3_normalize(v3_sub(m->heads[j], m->heads[up]), v3(0, 0, 0));
        bool     inside = before != SUP_NONE && m->next[before] == up;
        sup_vec3 way = inside ? v3_normalize(v3_sub(m->heads[up], m->heads[before]), v3(0, 0, 0)) : d;
        float    fit = inside ? v3_dot(way, d) : m->reach[j] + v3_distance(m->heads[j], m->heads[up]);
        // Joints come parent first, but a later sibling may fit better: decided when all have been seen.
        if ((!inside || fit > STRAIGHT) && fit > best[up]) best[up] = fit, m->next[up] = j;
    }
    for (uint32_t j = 0; j < n; ++j) {
        uint32_t up = m->size[j] ? m->above[j] : SUP_NONE;
        if (m->size[j] == 0) continue;
        m->chain[j] = up != SUP_NONE && m->next[up] == j ? m->chain[up] : m->chains++;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- one chain

/// How far the skin of a joint goes beyond a place in a direction.
static float beyond(const chain_maker* m, uint32_t joint, sup_vec3 from, sup_vec3 way)
{
    const sup_mesh* mesh = &m->in->character->mesh;
    float           most = 0;
    for (uint32_t i = m->point_begin[joint]; i < m->point_begin[joint + 1]; ++i) {
        float d = v3_dot(v3_sub(mesh->points[m->points[i]], from), way);
        if (d > most) most = d;
    }
    return most;
}

/// The way that a joint's skin goes from it: to its middle, or where that is no way, along its longest side.
static sup_vec3 skin_way(const chain_maker* m, uint32_t joint)
{
    const sup_mesh* mesh = &m->in->character->mesh;
    sup_vec3        low = v3(3e38f, 3e38f, 3e38f), high = v3(-3e38f, -3e38f, -3e38f);
    double          sum[3] = { 0, 0, 0 };
    for (uint32_t i = m->point_begin[joint]; i < m->point_begin[joint + 1]; ++i) {
        sup_vec3 at = mesh->points[m->points[i]];
        low = v3_min(low, at), high = v3_max(high, at);
        sum[0] += (double)at.x, sum[1] += (double)at.y, sum[2] += (double)at.z;
    }
    double   n = m->size[joint];
    sup_vec3 middle = v3((float)(sum[0] / n), (float)(sum[1] / n), (float)(sum[2] / n));
    sup_vec3 size = v3_sub(high, low), d = v3_sub(middle, m->heads[joint]);
    if (v3_length(d) > 0.15f * v3_length(size)) return v3_normalize(d, v3(0, 0, 0));
    return size.x >= size.y && size.x >= size.z ? v3(1, 0, 0) : size.y >= size.z ? v3(0, 1, 0) : v3(0, 0, 1);
}

/// Heads of the joints, and on at both ends to where the skin ends. Returns the number of places.
static uint32_t chain_line(const chain_maker* m, uint32_t chain, sup_vec3* line)
{
    uint32_t first = m->first[chain], count = 1, last = first;
    for (uint32_t j = first; j != SUP_NONE; j = m->next[j]) {
        if (count == 1 || v3_distance(line[count - 1], m->heads[j]) > 0) line[count++] = m->heads[j];
        last = j;
    }
    sup_vec3 start = count > 2 ? v3_normalize(v3_sub(line[1], line[2]), v3(0, 0, 0)) : v3_scale(skin_way(m, first), -1);
    sup_vec3 end = skin_way(m, last);
    line[0] = v3_mad(line[1], beyond(m, first, line[1], start), start);
    line[count] = v3_mad(line[count - 1], beyond(m, last, line[count - 1], end), end);
    if (v3_distance(line[count], line[count - 1]) > 0) ++count;
    if (v3_distance(line[0], line[1]) > 0) return count;
    memmove(line, line + 1, --count * sizeof *line);
    return count;
}

static float length_of(const sup_vec3* line, uint32_t count)
{
    float sum = 0;
    for (uint32_t i = 1; i < count; ++i) sum += v3_distance(line[i - 1], line[i]);
    return sum;
}

static sup_vec3 place_on(const sup_vec3* line, uint32_t count, float at)
{
    for (uint32_t i = 1; i < count; ++i) {
        float step = v3_distance(line[i - 1], line[i]);
        if (at <= step || i + 1 == count) return v3_lerp(line[i - 1], line[i], sup_clampf(at / step, 0, 1));
        at -= step;
    }
    return line[0];
}

/// The triangles of a chain as a mesh of its own, with its points in their order; `sources`: who they are.
static bool part_of(const chain_maker* m, uint32_t chain, sup_curve_mesh* out, const uint32_t** sources)
{
    const sup_mesh* mesh = &m->in->character->mesh;
    uint32_t        begin = m->triangle_begin[chain], n = m->triangle_begin[chain + 1] - begin, kept = 0;
    sup_sort_item * items = SUP_NEW(m->arena, sup_sort_item, 3 * (size_t)n),
                  *spare = SUP_NEW(m->arena, sup_sort_item, 3 * (size_t)n);
    uint32_t *triangles = SUP_NEW(m->arena, uint32_t, 3 * (size_t)n), *from = SUP_NEW(m->arena, uint32_t, 3 * (size_t)n);
    sup_vec3* points = SUP_NEW(m->arena, sup_vec3, 3 * (size_t)n);
    if (!items || !spare || !triangles || !from || !points) return false;
    for (uint32_t i = 0; i < 3 * n; ++i) {
        uint32_t p = mesh->triangles[3 * (size_t)m->triangles[begin + i / 3] + i % 3];
        items[i] = (sup_sort_item){ p, i };
    }
    sup_sort(items, spare, 3 * n);
    for (uint32_t i = 0; i < 3 * n; ++i) {
        uint32_t p = (uint32_t)items[i].key;
        if (kept == 0 || from[kept - 1] != p) points[kept] = mesh->points[p], from[kept++] = p;
        triangles[items[i].value] = kept - 1;
    }
    *out = (sup_curve_mesh){ .point_count = kept, .points = points, .triangle_count = n, .triangles = triangles };
    *sources = from;
    return true;
}

static sup_result cut_chain(const chain_maker* m, uint32_t chain, const sup_vec3* line, uint32_t count, uint32_t wanted,
                            sup_curves* out)
{
    sup_vec3 *      centers = SUP_NEW(m->arena, sup_vec3, wanted), *normals = SUP_NEW(m->arena, sup_vec3, wanted);
    sup_curve_mesh  part;
    const uint32_t* sources;
    if (!centers || !normals || !part_of(m, chain, &part, &sources)) return sup_fail_memory(m->error, "bend");
    float length = length_of(line, count), step = length / (float)wanted;
    for (uint32_t i = 0; i < wanted; ++i) {
        float at = ((float)i + 0.5f) * step, wide = step > 0.1f * length ? step : 0.1f * length;
        centers[i] = place_on(line, count, at);
        normals[i] = v3_sub(place_on(line, count, sup_clampf(at + wide, 0, length)),
                            place_on(line, count, sup_clampf(at - wide, 0, length)));
    }
    *out = (sup_curves){ 0 };
    if (part.triangle_count == 0) return SUP_OK;
    sup_result r = sup_curves_cut(&part, &(sup_curve_line){ wanted, centers, normals }, m->p->snap, m->arena, out, m->error);
    sup_curve_point* cuts = (sup_curve_point*)out->points;
    for (uint32_t i = 0; r == SUP_OK && i < out->point_count; ++i)
        cuts[i].a = sources[cuts[i].a], cuts[i].b = sources[cuts[i].b];
    if (r == SUP_ERROR_INPUT) *out = (sup_curves){ 0 }; // too small to be cut: it follows its neighbors
    return r == SUP_ERROR_INPUT ? SUP_OK : r;
}

/// How far along its chain's line every point is, for what looks at sections of limbs.
static bool measure_heights(const chain_maker* m, sup_vec3* const* lines, const uint32_t* counts, sup_curves* out)
{
    const sup_mesh* mesh = &m->in->character->mesh;
    float *         heights = SUP_NEW(m->arena, float, mesh->point_count), *lengths = SUP_NEW(m->arena, float, m->chains);
    if (!heights || !lengths) return false;
    for (uint32_t i = 0; i < m->chains; ++i) lengths[i] = length_of(lines[i], counts[i]);
    for (uint32_t p = 0; p < mesh->point_count; ++p) {
        uint32_t limb = out->limbs[p];
        float    least = 3e38f, walked = 0;
        for (uint32_t i = 1; limb != SUP_NONE && i < counts[limb]; ++i) {
            sup_vec3 a = lines[limb][i - 1], d = v3_sub(lines[limb][i], a);
            float    l2 = v3_length2(d), t = l2 > 0 ? sup_clampf(v3_dot(v3_sub(mesh->points[p], a), d) / l2, 0, 1) : 0;
            float    away = v3_distance(mesh->points[p], v3_mad(a, t, d));
            if (away < least) least = away, heights[p] = walked + t * sqrtf(l2);
            walked += sqrtf(l2);
        }
    }
    out->heights = heights;
    out->lengths = lengths;
    return true;
}

/// One network of all.
static sup_result join(const chain_maker* m, const sup_curves* parts, sup_curves* out)
{
    uint32_t curves = 0, points = 0, n = m->in->character->mesh.point_count;
    for (uint32_t i = 0; i < m->chains; ++i) curves += parts[i].curve_count, points += parts[i].point_count;
    sup_curve*       list = SUP_NEW(m->arena, sup_curve, curves);
    sup_curve_point* places = SUP_NEW(m->arena, sup_curve_point, points);
    uint32_t *       limbs = SUP_NEW(m->arena, uint32_t, n), c = 0, p = 0;
    if (!list || !places || !limbs) return sup_fail_memory(m->error, "bend");
    *out = (sup_curves){
        .curve_count = curves, .point_count = points, .limb_count = m->chains, .curves = list, .points = places, .limbs = limbs
    };
    for (uint32_t i = 0; i < m->chains; ++i) {
        for (uint32_t k = 0; k < parts[i].curve_count; ++k) {
            sup_curve u = parts[i].curves[k];
            u.begin += p;
            u.limb = i;
            for (int s = 0; s < 2; ++s)
                if (u.sides[s] != SUP_NONE) u.sides[s] += c;
            list[c + k] = u;
        }
        if (parts[i].point_count) memcpy(places + p, parts[i].points, parts[i].point_count * sizeof *places);
        c += parts[i].curve_count;
        p += parts[i].point_count;
        out->dropped += parts[i].dropped;
    }
    for (uint32_t i = 0; i < n; ++i) limbs[i] = m->labels[i] != SUP_NONE ? m->chain[m->labels[i]] : SUP_NONE;
    return SUP_OK;
}

sup_result bend_bones_cut(const sup_bind_input* in, const bend_params* p, const uint32_t* labels, sup_arena* arena,
                          sup_curves* out, sup_error* error)
{
    chain_maker m = { .in = in, .p = p, .arena = arena, .error = error, .labels = labels };
    if (!find_chains(&m) || !list_chains(&m)) return sup_fail_memory(error, "bend");
    sup_vec3**  lines = SUP_NEW(arena, sup_vec3*, m.chains);
    uint32_t*   counts = SUP_NEW(arena, uint32_t, m.chains);
    sup_curves* parts = SUP_NEW(arena, sup_curves, m.chains);
    float       longest = 0;
    sup_result  r = lines && counts && parts ? SUP_OK : sup_fail_memory(error, "bend");
    for (uint32_t i = 0; i < m.chains && !r; ++i) {
        uint32_t joints = 0;
        for (uint32_t j = m.first[i]; j != SUP_NONE; j = m.next[j]) ++joints;
        lines[i] = SUP_NEW(arena, sup_vec3, (size_t)joints + 3);
        if (!lines[i]) return sup_fail_memory(error, "bend");
        counts[i] = chain_line(&m, i, lines[i]);
        float length = length_of(lines[i], counts[i]);
        if (length > longest) longest = length;
    }
    float step = p->spacing > 0 ? p->spacing * in->character->mesh.diagonal : longest / (float)p->curves;
    for (uint32_t i = 0; i < m.chains && !r; ++i) {
        float    length = length_of(lines[i], counts[i]);
        uint32_t wanted = step > 0 ? (uint32_t)sup_clampf(length / step + 0.5f, LEAST_CURVES, 4096) : LEAST_CURVES;
        if (length > 0) r = cut_chain(&m, i, lines[i], counts[i], wanted, &parts[i]);
    }
    if (!r) r = join(&m, parts, out);
    return r || measure_heights(&m, lines, counts, out) ? r : sup_fail_memory(error, "bend");
}

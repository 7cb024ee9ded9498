// Which joint a cell belongs to, by the places of the mesh near it, and which joints the mesh itself holds together.
#include "base/internal.h"
#include "geom/cage/cage_internal.h"
#include "math/vec.h"

#include <math.h>

// Two joints that both have this much weight at one point move it together: their flesh is joined.
#define SHARED_WEIGHT 0.15f
// Distance between samples, in cells, and the most samples of a mesh.
#define SPACING 0.7
#define SAMPLES_MOST 3e6

static sup_result no_memory(sup_error* error) { return sup_fail_memory(error, "a cage"); }

// ---------------------------------------------------------------------------------------------- samples

typedef struct sampling {
    int      base;   // the longest edge begins at this corner
    uint32_t nu, nv; // places along it and away from it
} sampling;

static sampling sample_of(const cage_maker* m, uint32_t triangle, double spacing)
{
    const uint32_t* c = m->triangles + 3 * (size_t)triangle;
    const sup_vec3* x = m->desc->points;
    sampling        s = { 0, 1, 1 };
    double          longest = -1;
    for (int k = 0; k < 3; ++k) {
        double length = (double)v3_distance(x[c[k]], x[c[(k + 1) % 3]]);
        if (length > longest) longest = length, s.base = k;
    }
    double area = (double)v3_length(v3_cross(v3_sub(x[c[1]], x[c[0]]), v3_sub(x[c[2]], x[c[0]])));
    if (!(longest > 0) || !isfinite(longest) || !isfinite(area)) return s;
    s.nu = (uint32_t)fmin(ceil(longest / spacing), 1e4);
    s.nv = (uint32_t)fmin(ceil(area / longest / spacing), 1e4);
    if (s.nu < 1) s.nu = 1;
    if (s.nv < 1) s.nv = 1;
    return s;
}

static double samples_at(const cage_maker* m, double spacing)
{
    double sum = 0;
    for (uint32_t t = 0; t < m->triangle_count; ++t) {
        sampling s = sample_of(m, t, spacing);
        sum += (double)s.nu * s.nv;
    }
    return sum;
}

static uint32_t node_at(const cage_grid* g, sup_vec3 p)
{
    const float* v = &p.x;
    uint32_t     node = 0;
    for (int a = 0; a < 3; ++a) {
        double i = floor(((double)v[a] - g->origin[a]) / g->h + 0.5);
        node += (uint32_t)fmin(fmax(i, 0), g->size[a] - 1.0) * g->step[a];
    }
    return node;
}

static void sample_triangle(cage_maker* m, uint32_t triangle, sampling s)
{
    const uint32_t* c = m->triangles + 3 * (size_t)triangle;
    const sup_vec3* x = m->desc->points;
    for (uint32_t j = 0; j < s.nv; ++j)
        for (uint32_t i = 0; i < s.nu; ++i) {
            float v = ((float)j + 0.5f) / (float)s.nv, u = ((float)i + 0.5f) / (float)s.nu * (1 - v), b[3];
            b[s.base] = 1 - u - v, b[(s.base + 1) % 3] = u, b[(s.base + 2) % 3] = v;
            sup_vec3 p = v3_add(v3_scale(x[c[0]], b[0]), v3_add(v3_scale(x[c[1]], b[1]), v3_scale(x[c[2]], b[2])));
            uint32_t node = node_at(&m->grid, p);
            if (m->sample_at[node] != SUP_NONE) continue;
            m->sample_at[node] = m->sample_count;
            m->samples[m->sample_count++] = (cage_sample){ triangle, node, { b[0], b[1] } };
        }
}

static sup_result take_samples(cage_maker* m, sup_error* error)
{
    double spacing = SPACING * m->grid.h;
    while (samples_at(m, spacing) > SAMPLES_MOST + m->triangle_count) spacing *= 2;
    m->sample_at = SUP_NEW(m->scratch, uint32_t, m->grid.count);
    m->samples = SUP_NEW(m->scratch, cage_sample, m->grid.count);
    if (!m->sample_at || !m->samples) return no_memory(error);
    for (uint32_t i = 0; i < m->grid.count; ++i) m->sample_at[i] = SUP_NONE;
    for (uint32_t t = 0; t < m->triangle_count; ++t) sample_triangle(m, t, sample_of(m, t, spacing));
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- joints

static sup_result label_points(cage_maker* m, sup_error* error)
{
    const sup_cage_desc* d = m->desc;
    uint32_t*            labels = SUP_NEW(m->scratch, uint32_t, d->point_count);
    if (!labels) return no_memory(error);
    for (uint32_t p = 0; p < d->point_count; ++p) {
        float most = 0;
        labels[p] = SUP_NONE;
        for (uint32_t i = d->weight_begin ? d->weight_begin[p] : 0; d->weight_begin && i < d->weight_begin[p + 1]; ++i)
            if (d->weight_values[i] > most) most = d->weight_values[i], labels[p] = d->weight_joints[i];
    }
    m->point_labels = labels;
    return SUP_OK;
}

static bool descends(const sup_cage_desc* d, uint32_t joint, uint32_t from)
{
    uint32_t up = d->parents[joint];
    return up == from || (up != SUP_NONE && d->parents[up] == from);
}

bool cage_strangers(const cage_maker* m, uint32_t a, uint32_t b)
{
    if (a == b || a == SUP_NONE || b == SUP_NONE) return false;
    return !descends(m->desc, a, b) && !descends(m->desc, b, a);
}

// ---------------------------------------------------------------------------------------------- seams

static void mark(cage_maker* m, uint32_t point) { m->seams[node_at(&m->grid, m->desc->points[point])] = 1; }

static bool shared_by_strangers(const cage_maker* m, uint32_t p)
{
    const sup_cage_desc* d = m->desc;
    for (uint32_t i = d->weight_begin[p]; i < d->weight_begin[p + 1]; ++i)
        for (uint32_t k = d->weight_begin[p]; k < i && d->weight_values[i] > SHARED_WEIGHT; ++k)
            if (d->weight_values[k] > SHARED_WEIGHT && cage_strangers(m, d->weight_joints[i], d->weight_joints[k])) return true;
    return false;
}

// Both thighs end at the crotch, and only there the mesh leads from one to the other: only near such places is their flesh
// joined.
static sup_result find_seams(cage_maker* m, sup_error* error)
{
    const sup_cage_desc* d = m->desc;
    m->seams = SUP_NEW(m->scratch, uint8_t, m->grid.count);
    if (!m->seams) return no_memory(error);
    for (uint32_t p = 0; d->weight_begin && p < d->point_count; ++p)
        if (shared_by_strangers(m, p)) mark(m, p);
    for (size_t i = 0; i < 3 * (size_t)m->triangle_count; ++i) {
        uint32_t a = m->triangles[i], b = m->triangles[i % 3 == 2 ? i - 2 : i + 1];
        if (!cage_strangers(m, m->point_labels[a], m->point_labels[b])) continue;
        mark(m, a);
        mark(m, b);
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- cells

// Every cell takes the label of its nearest sample, counted in steps.
static sup_result label_nodes(cage_maker* m, sup_error* error)
{
    const cage_grid* g = &m->grid;
    uint32_t         head = 0, tail = 0;
    uint32_t*        queue = SUP_NEW(m->scratch, uint32_t, g->count);
    m->labels = SUP_NEW(m->scratch, uint32_t, g->count);
    m->nearest = SUP_NEW(m->scratch, uint32_t, g->count);
    if (!queue || !m->labels || !m->nearest) return no_memory(error);
    for (uint32_t i = 0; i < g->count; ++i) {
        m->labels[i] = SUP_NONE;
        m->nearest[i] = m->sample_at[i];
        if (m->sample_at[i] == SUP_NONE) continue;
        const cage_sample* s = &m->samples[m->sample_at[i]];
        float              b[3] = { s->b[0], s->b[1], 1 - s->b[0] - s->b[1] };
        int                k = b[0] >= b[1] && b[0] >= b[2] ? 0 : b[1] >= b[2] ? 1 : 2;
        m->labels[i] = m->point_labels[m->triangles[3 * (size_t)s->triangle + k]];
        queue[tail++] = i;
    }
    while (head < tail) {
        uint32_t at = queue[head++], x[3] = { at % g->size[0], at / g->step[1] % g->size[1], at / g->step[2] };
        for (int a = 0; a < 3; ++a)
            for (int side = 0; side < 2; ++side) {
                if (side ? x[a] + 1 >= g->size[a] : x[a] == 0) continue;
                uint32_t next = side ? at + g->step[a] : at - g->step[a];
                if (m->nearest[next] != SUP_NONE) continue;
                m->nearest[next] = m->nearest[at];
                m->labels[next] = m->labels[at];
                queue[tail++] = next;
            }
    }
    return SUP_OK;
}

sup_result cage_label(cage_maker* m, sup_error* error)
{
    sup_result r = take_samples(m, error);
    if (!r) r = label_points(m, error);
    if (!r) r = find_seams(m, error);
    return r ? r : label_nodes(m, error);
}

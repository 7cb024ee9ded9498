#include "geom/volume/volumes.h"

#include "base/internal.h"
#include "base/sets.h"
#include "base/sort.h"
#include "math/vec.h"

#include <math.h>
#include <string.h>

/// A triangle of extended points and its part. `extra` is 0 for the mesh's own, else 1 + the hole or center.
typedef struct face {
    uint32_t corners[3];
    uint32_t label;
    uint32_t extra;
} face;

/// A directed edge that a triangle is missing on its other side.
typedef struct gap {
    uint32_t from, to; // the direction in which the missing triangle runs
    uint32_t label;
} gap;

typedef struct work {
    const sup_volumes_desc* desc;
    sup_arena *             keep, *temp;
    sup_error*              error;
    face*                   faces; // the mesh's triangles, then caps, then fans
    uint32_t                face_count;
    sup_sort_item *         sides, *spare; // key: both points of an edge, lower first; value: 3 face + side
    uint32_t                side_count;
    gap*                    gaps;
    uint32_t                gap_count;
} work;

static sup_result no_memory(const work* w) { return sup_fail_memory(w->error, "the volumes of parts"); }

// ---------------------------------------------------------------------------------------------- edges

static uint32_t side_from(const work* w, uint32_t side) { return w->faces[side / 3].corners[side % 3]; }
static uint32_t side_to(const work* w, uint32_t side) { return w->faces[side / 3].corners[(side % 3 + 1) % 3]; }
static uint32_t side_label(const work* w, uint32_t side) { return w->faces[side / 3].label; }

/// The sides of all faces so far, those of one edge next to each other. A side from a point to itself does not count.
static sup_result sort_sides(work* w)
{
    w->sides = SUP_NEW(w->temp, sup_sort_item, 3 * (size_t)w->face_count);
    w->spare = SUP_NEW(w->temp, sup_sort_item, 3 * (size_t)w->face_count);
    if (!w->sides || !w->spare) return no_memory(w);
    w->side_count = 0;
    for (uint32_t s = 0; s < 3 * w->face_count; ++s) {
        uint64_t a = side_from(w, s), b = side_to(w, s);
        if (a != b) w->sides[w->side_count++] = (sup_sort_item){ a < b ? a << 32 | b : b << 32 | a, s };
    }
    sup_sort(w->sides, w->spare, w->side_count);
    return SUP_OK;
}

static uint32_t edge_end(const work* w, uint32_t begin)
{
    uint32_t end = begin + 1;
    while (end < w->side_count && w->sides[end].key == w->sides[begin].key) ++end;
    return end;
}

/// How many more sides run up (from the lower to the higher point) than down.
static int64_t edge_balance(const work* w, uint32_t begin, uint32_t end)
{
    int64_t balance = 0;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t s = w->sides[i].value;
        balance += side_from(w, s) < side_to(w, s) ? 1 : -1;
    }
    return balance;
}

static gap edge_gap(const work* w, uint32_t side, bool up, uint32_t label)
{
    uint32_t low = (uint32_t)(w->sides[side].key >> 32), high = (uint32_t)w->sides[side].key;
    return up ? (gap){ high, low, label } : (gap){ low, high, label };
}

// ---------------------------------------------------------------------------------------------- holes

/// Finds where the sides of all triangles do not cancel. Each gap belongs to the part of a triangle beside it.
static sup_result find_holes(work* w)
{
    w->gaps = SUP_NEW(w->temp, gap, w->side_count);
    if (!w->gaps) return no_memory(w);
    for (uint32_t begin = 0, end; begin < w->side_count; begin = end) {
        end = edge_end(w, begin);
        int64_t balance = edge_balance(w, begin, end);
        bool    up = balance > 0;
        int64_t open = up ? balance : -balance;
        for (uint32_t i = begin; i < end && open > 0; ++i) {
            uint32_t s = w->sides[i].value;
            if ((side_from(w, s) < side_to(w, s)) != up) continue;
            w->gaps[w->gap_count++] = edge_gap(w, i, up, side_label(w, s));
            --open;
        }
    }
    return SUP_OK;
}

typedef struct walker {
    uint32_t* next;  // per point: the first unused gap that leaves it
    uint32_t* order; // gaps by the point they leave
    uint32_t* end;   // per point, into order
    uint32_t* place; // per point: where it is on the walk, SUP_NONE when not
    uint32_t* walk;  // gaps
    uint32_t* hole;  // per gap
} walker;

static sup_result make_walker(work* w, walker* k)
{
    uint32_t n = w->desc->point_count;
    k->next = SUP_NEW(w->temp, uint32_t, (size_t)n + 1);
    k->end = SUP_NEW(w->temp, uint32_t, (size_t)n + 1);
    k->place = SUP_NEW(w->temp, uint32_t, n);
    k->order = SUP_NEW(w->temp, uint32_t, w->gap_count);
    k->walk = SUP_NEW(w->temp, uint32_t, w->gap_count);
    k->hole = SUP_NEW(w->temp, uint32_t, w->gap_count);
    if (!k->next || !k->end || !k->place || !k->order || !k->walk || !k->hole) return no_memory(w);
    for (uint32_t g = 0; g < w->gap_count; ++g) k->next[w->gaps[g].from + 1]++;
    for (uint32_t i = 0; i < n; ++i) k->next[i + 1] += k->next[i];
    memcpy(k->end, k->next, ((size_t)n + 1) * sizeof *k->next);
    for (uint32_t g = 0; g < w->gap_count; ++g) k->order[k->end[w->gaps[g].from]++] = g;
    memset(k->place, 0xff, n * sizeof *k->place);
    return SUP_OK;
}

/// As many gaps arrive at every point as leave it, so a walk ends only where it began. Where it meets itself it has gone around
/// a hole, which is cut off; each gap is taken once.
static void walk_hole(const work* w, walker* k, uint32_t start, sup_volumes* out, uint32_t* hole_begin, uint32_t* hole_points)
{
    uint32_t depth = 0, here = start;
    k->place[start] = 0;
    for (;;) {
        if (k->next[here] == k->end[here]) break;
        uint32_t g = k->order[k->next[here]++];
        k->walk[depth++] = g;
        here = w->gaps[g].to;
        if (k->place[here] == SUP_NONE) {
            k->place[here] = depth;
            continue;
        }
        uint32_t at = hole_begin[out->hole_count], first = k->place[here];
        for (uint32_t i = first; i < depth; ++i) {
            uint32_t from = w->gaps[k->walk[i]].from;
            k->hole[k->walk[i]] = out->hole_count;
            hole_points[at++] = from;
            k->place[from] = SUP_NONE;
        }
        hole_begin[++out->hole_count] = at;
        k->place[here] = first;
        depth = first;
    }
    k->place[start] = SUP_NONE;
}

/// A cap over every hole, so that what follows sees a closed mesh.
static sup_result close_holes(work* w, sup_volumes* out)
{
    walker    k = { 0 };
    uint32_t* hole_begin = SUP_NEW(w->keep, uint32_t, (size_t)w->gap_count + 1);
    uint32_t* hole_points = SUP_NEW(w->keep, uint32_t, w->gap_count);
    if (!hole_begin || !hole_points || make_walker(w, &k) != SUP_OK) return no_memory(w);
    out->hole_begin = hole_begin;
    out->hole_points = hole_points;
    for (uint32_t i = 0; i < w->desc->point_count; ++i)
        while (k.next[i] < k.end[i]) walk_hole(w, &k, i, out, hole_begin, hole_points);
    for (uint32_t g = 0; g < w->gap_count; ++g)
        w->faces[w->face_count++] =
            (face){ { w->gaps[g].from, w->gaps[g].to, w->desc->point_count + k.hole[g] }, w->gaps[g].label, 1 + k.hole[g] };
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- borders

/// Which of the two parts is cut from the other; SUP_NONE if neither is.
static uint32_t cut_between(const sup_volumes_desc* d, uint32_t a, uint32_t b)
{
    if (!d->parents) return SUP_NONE;
    return d->parents[a] == b ? a : d->parents[b] == a ? b : SUP_NONE;
}

/// Runs of equal keys (center, item): the list of items of each center.
static sup_result list_by_center(work* w, sup_sort_item* items, uint32_t count, uint32_t center_count,
                                 const uint32_t** begin_out, const uint32_t** list_out, const double** shares_out)
{
    sup_sort_item* spare = SUP_NEW(w->temp, sup_sort_item, count);
    uint32_t*      begin = SUP_NEW(w->keep, uint32_t, (size_t)center_count + 1);
    if (!spare || !begin) return no_memory(w);
    sup_sort(items, spare, count);
    uint32_t runs = 0;
    for (uint32_t i = 0; i < count; ++i) runs += i == 0 || items[i].key != items[i - 1].key;
    uint32_t* list = SUP_NEW(w->keep, uint32_t, runs);
    double*   shares = SUP_NEW(w->keep, double, runs);
    if (!list || !shares) return no_memory(w);
    uint32_t run = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (i == 0 || items[i].key != items[i - 1].key) {
            list[run++] = (uint32_t)items[i].key;
            begin[(items[i].key >> 32) + 1]++;
        }
        shares[run - 1] += 1;
    }
    for (uint32_t c = 0; c < center_count; ++c) {
        begin[c + 1] += begin[c];
        double sum = 0;
        for (uint32_t r = begin[c]; r < begin[c + 1]; ++r) sum += shares[r];
        for (uint32_t r = begin[c]; r < begin[c + 1]; ++r) shares[r] /= sum;
    }
    *begin_out = begin;
    *list_out = list;
    if (shares_out) *shares_out = shares;
    return SUP_OK;
}

/// Memory for visiting the edges one by one.
typedef struct border {
    int64_t*  balance; // per part: sides of the current edge that run up, minus those that run down; 0 between edges
    uint32_t* cuts;    // per gap: the cut it lies on, or SUP_NONE
    uint32_t* net;     // per extended point: leads to the first point of its net of borders
    uint32_t* center;  // per gap
} border;

/// The gaps of each part at one edge, where its own sides do not cancel.
static void border_edge(work* w, border* b, uint32_t begin, uint32_t end)
{
    uint32_t first = side_label(w, w->sides[begin].value), other = first;
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t s = w->sides[i].value, label = side_label(w, s);
        if (other == first) other = label;
        b->balance[label] += side_from(w, s) < side_to(w, s) ? 1 : -1;
    }
    uint32_t cut = other == first ? SUP_NONE : cut_between(w->desc, first, other);
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t label = side_label(w, w->sides[i].value);
        int64_t  balance = b->balance[label];
        b->balance[label] = 0;
        for (int64_t k = balance > 0 ? balance : -balance; k > 0; --k) {
            gap g = edge_gap(w, begin, balance > 0, label);
            b->cuts[w->gap_count] = cut;
            w->gaps[w->gap_count++] = g;
            sup_sets_join(b->net, g.from, g.to);
        }
    }
}

/// Groups connected borders: each net is a center, with the cuts it lies on and the points it runs through.
static sup_result number_centers(work* w, border* b, sup_volumes* out)
{
    uint32_t       extended = w->desc->point_count + out->hole_count;
    uint32_t*      numbers = SUP_NEW(w->temp, uint32_t, extended);
    sup_sort_item* by_cut = SUP_NEW(w->temp, sup_sort_item, w->gap_count);
    sup_sort_item* by_point = SUP_NEW(w->temp, sup_sort_item, w->gap_count);
    if (!numbers || !by_cut || !by_point) return no_memory(w);
    memset(numbers, 0xff, extended * sizeof *numbers);
    uint32_t cut_count = 0, point_count = 0;
    for (uint32_t g = 0; g < w->gap_count; ++g) {
        uint32_t root = sup_sets_find(b->net, w->gaps[g].from);
        if (numbers[root] == SUP_NONE) numbers[root] = out->center_count++;
        b->center[g] = numbers[root];
        uint64_t high = (uint64_t)b->center[g] << 32;
        if (b->cuts[g] != SUP_NONE) by_cut[cut_count++] = (sup_sort_item){ high | b->cuts[g], 0 };
        if (w->gaps[g].from < w->desc->point_count) by_point[point_count++] = (sup_sort_item){ high | w->gaps[g].from, 0 };
    }
    if (list_by_center(w, by_cut, cut_count, out->center_count, &out->center_begin, &out->center_cuts, &out->center_shares) !=
        SUP_OK)
        return SUP_ERROR_MEMORY;
    return list_by_center(w, by_point, point_count, out->center_count, &out->border_begin, &out->border_points, NULL);
}

static sup_result close_borders(work* w, sup_volumes* out)
{
    uint32_t extended = w->desc->point_count + out->hole_count;
    border   b = { SUP_NEW(w->temp, int64_t, w->desc->part_count), SUP_NEW(w->temp, uint32_t, w->side_count),
                   SUP_NEW(w->temp, uint32_t, extended), SUP_NEW(w->temp, uint32_t, w->side_count) };
    w->gaps = SUP_NEW(w->temp, gap, w->side_count);
    w->gap_count = 0;
    if (!b.balance || !b.cuts || !b.net || !b.center || !w->gaps) return no_memory(w);
    sup_sets_begin(b.net, extended);
    for (uint32_t begin = 0, end; begin < w->side_count; begin = end) border_edge(w, &b, begin, end = edge_end(w, begin));
    if (number_centers(w, &b, out) != SUP_OK) return SUP_ERROR_MEMORY;
    face* faces = SUP_NEW(w->temp, face, (size_t)w->face_count + w->gap_count);
    if (!faces) return no_memory(w);
    memcpy(faces, w->faces, w->face_count * sizeof *faces);
    w->faces = faces;
    for (uint32_t g = 0; g < w->gap_count; ++g)
        faces[w->face_count++] = (face){ { w->gaps[g].from, w->gaps[g].to, extended + b.center[g] },
                                         w->gaps[g].label,
                                         1 + out->hole_count + b.center[g] };
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- parts

/// Faces by part; within a part the mesh's own, then those of each hole and center in turn, so that each center is computed
/// once.
static sup_result gather_parts(work* w, sup_volumes* out)
{
    sup_sort_item* items = SUP_NEW(w->temp, sup_sort_item, w->face_count);
    sup_sort_item* spare = SUP_NEW(w->temp, sup_sort_item, w->face_count);
    uint32_t*      begin = SUP_NEW(w->keep, uint32_t, (size_t)out->part_count + 1);
    uint32_t*      corners = SUP_NEW(w->keep, uint32_t, 3 * (size_t)w->face_count);
    if (!items || !spare || !begin || !corners) return no_memory(w);
    for (uint32_t f = 0; f < w->face_count; ++f) {
        items[f] = (sup_sort_item){ (uint64_t)w->faces[f].label << 32 | w->faces[f].extra, f };
        begin[w->faces[f].label + 1]++;
    }
    sup_sort(items, spare, w->face_count);
    for (uint32_t p = 0; p < out->part_count; ++p) begin[p + 1] += begin[p];
    for (uint32_t f = 0; f < w->face_count; ++f)
        memcpy(corners + 3 * (size_t)f, w->faces[items[f].value].corners, 3 * sizeof *corners);
    out->begin = begin;
    out->corners = corners;
    return SUP_OK;
}

static sup_result copy_cuts(work* w, sup_volumes* out)
{
    const sup_volumes_desc* d = w->desc;
    if (!d->parents) return SUP_OK;
    out->cut_points = sup_arena_copy(w->keep, d->cut_points, d->part_count, sizeof *d->cut_points);
    out->cut_carriers = sup_arena_copy(w->keep, d->cut_carriers, d->part_count, sizeof *d->cut_carriers);
    return out->cut_points && out->cut_carriers ? SUP_OK : no_memory(w);
}

static sup_result create(work* w, sup_volumes* out)
{
    const sup_volumes_desc* d = w->desc;
    w->faces = SUP_NEW(w->temp, face, 4 * (size_t)d->triangle_count); // and at most a cap on every side
    if (!w->faces) return no_memory(w);
    for (; w->face_count < d->triangle_count; ++w->face_count) {
        const uint32_t* t = d->triangles + 3 * (size_t)w->face_count;
        uint32_t        label = d->labels ? d->labels[w->face_count] : 0;
        SUP_ASSERT(label < d->part_count);
        w->faces[w->face_count] = (face){ { t[0], t[1], t[2] }, label, 0 };
    }
    if (sort_sides(w) != SUP_OK || find_holes(w) != SUP_OK || close_holes(w, out) != SUP_OK) return SUP_ERROR_MEMORY;
    if (w->gap_count > 0 && sort_sides(w) != SUP_OK) return SUP_ERROR_MEMORY;
    if (close_borders(w, out) != SUP_OK || gather_parts(w, out) != SUP_OK) return SUP_ERROR_MEMORY;
    return copy_cuts(w, out);
}

sup_result sup_volumes_create(const sup_volumes_desc* desc, sup_arena* arena, sup_volumes* out, sup_error* error)
{
    SUP_ASSERT(desc->part_count > 0);
    work        w = { .desc = desc, .keep = arena, .temp = sup_arena_beside(arena), .error = error };
    sup_volumes made = { .point_count = desc->point_count, .part_count = desc->part_count };
    sup_result  result = w.temp ? create(&w, &made) : no_memory(&w);
    sup_arena_destroy(w.temp);
    if (result == SUP_OK) *out = made;
    return result;
}

// ---------------------------------------------------------------------------------------------- measuring

static void add_point(double out[3], double share, sup_vec3 p)
{
    out[0] += share * (double)p.x;
    out[1] += share * (double)p.y;
    out[2] += share * (double)p.z;
}

static void mean_point(const sup_vec3* points, const uint32_t* list, uint32_t count, double out[3])
{
    for (uint32_t i = 0; i < count; ++i) add_point(out, 1, points[list[i]]);
    for (int k = 0; k < 3; ++k) out[k] /= count ? (double)count : 1;
}

static void carried_point(const sup_affine* m, sup_vec3 p, double share, double out[3])
{
    for (int k = 0; k < 3; ++k)
        out[k] += share * ((double)m->m[k][0] * (double)p.x + (double)m->m[k][1] * (double)p.y +
                           (double)m->m[k][2] * (double)p.z + (double)m->m[k][3]);
}

void sup_volumes_point(const sup_volumes* v, const sup_vec3* points, const sup_affine* carriers, uint32_t index, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    if (index < v->point_count) {
        add_point(out, 1, points[index]);
        return;
    }
    index -= v->point_count;
    if (index < v->hole_count) {
        uint32_t begin = v->hole_begin[index];
        mean_point(points, v->hole_points + begin, v->hole_begin[index + 1] - begin, out);
        return;
    }
    index -= v->hole_count;
    uint32_t begin = v->center_begin[index], end = v->center_begin[index + 1];
    for (uint32_t i = begin; i < end; ++i) {
        uint32_t cut = v->center_cuts[i];
        if (carriers) carried_point(&carriers[v->cut_carriers[cut]], v->cut_points[cut], v->center_shares[i], out);
        else add_point(out, v->center_shares[i], v->cut_points[cut]);
    }
    if (begin == end) {
        begin = v->border_begin[index];
        mean_point(points, v->border_points + begin, v->border_begin[index + 1] - begin, out);
    }
}

/// The last hole or center computed.
typedef struct found {
    uint32_t index;
    double   at[3];
} found;

typedef struct measuring {
    const sup_volumes* volumes;
    const sup_vec3*    points;
    const sup_affine*  carriers;
    double             origin[3];
    found              hole, center;
} measuring;

static void locate(measuring* m, uint32_t index, double out[3])
{
    const sup_volumes* v = m->volumes;
    if (index < v->point_count) {
        sup_vec3 p = m->points[index];
        out[0] = (double)p.x - m->origin[0];
        out[1] = (double)p.y - m->origin[1];
        out[2] = (double)p.z - m->origin[2];
        return;
    }
    found* f = index - v->point_count < v->hole_count ? &m->hole : &m->center;
    if (f->index != index) {
        f->index = index;
        sup_volumes_point(v, m->points, m->carriers, index, f->at);
        for (int k = 0; k < 3; ++k) f->at[k] -= m->origin[k];
    }
    memcpy(out, f->at, sizeof f->at);
}

// One origin for all parts, a point of the mesh: products stay small far from the world's origin, and the fans that two parts
// share give the same numbers with opposite signs.
void sup_volumes_measure(const sup_volumes* v, const sup_vec3* points, const sup_affine* carriers, double* out)
{
    measuring m = { .volumes = v, .points = points, .carriers = carriers, .hole.index = SUP_NONE, .center.index = SUP_NONE };
    if (v->point_count > 0) sup_volumes_point(v, points, carriers, 0, m.origin);
    for (uint32_t p = 0; p < v->part_count; ++p) {
        double six = 0;
        for (uint32_t t = v->begin[p]; t < v->begin[p + 1]; ++t) {
            double a[3], b[3], c[3];
            locate(&m, v->corners[3 * (size_t)t], a);
            locate(&m, v->corners[3 * (size_t)t + 1], b);
            locate(&m, v->corners[3 * (size_t)t + 2], c);
            six += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
        }
        out[p] = six / 6;
    }
}

void sup_volumes_thickness(const sup_volumes* v, const sup_vec3* points, double* out)
{
    SUP_ASSERT(v && points && out);
    sup_volumes_measure(v, points, NULL, out);
    for (uint32_t p = 0; p < v->part_count; ++p) {
        double area = 0;
        for (uint32_t t = v->begin[p]; t < v->begin[p + 1]; ++t) {
            const uint32_t* c = v->corners + 3 * (size_t)t;
            if (c[0] >= v->point_count || c[1] >= v->point_count || c[2] >= v->point_count) continue; // of a cut or a hole
            sup_vec3 cross = v3_cross(v3_sub(points[c[1]], points[c[0]]), v3_sub(points[c[2]], points[c[0]]));
            area += (double)v3_length(cross) / 2;
        }
        out[p] = area > 0 ? 4 * fabs(out[p]) / area : 0;
    }
}

// Making: each part's own list of points, so that measuring it reads a compact piece of memory; the fans' corners as extras
// behind them; and colors, so that parts that share a point never move at the same time.
#include "base/internal.h"
#include "base/sort.h"
#include "solve/subvolumes_internal.h"

#include <math.h>
#include <string.h>

#define THIRTY_SIX_PI 113.09733552923255
#define FLAT_STANDARD 1e-3
// Caps over holes larger than this share of a surface's own area: a sleeve or a skirt, which holds nothing.
#define OPEN_SHARE 0.25

typedef struct work {
    const sup_subvolumes_desc* desc;
    const sup_volumes*         volumes;
    sup_arena *                arena, *temp;
    sup_subvolumes*            out;
    uint32_t*                  local; // per extended point: its local number in the current part, SUP_NONE
    subvolume_part*            parts;
    uint32_t*                  points;
    subvolume_extra*           extras;
    uint32_t*                  members;
    uint32_t*                  corners;
    uint32_t                   point_count, extra_count, member_count;
} work;

// ---------------------------------------------------------------------------------------------- lists

/// The points whose mean an extended point is; none for a center that rides.
static const uint32_t* mean_of(const sup_volumes* v, uint32_t extended, uint32_t* count)
{
    uint32_t hole = extended - v->point_count, center = hole - v->hole_count;
    *count = 0;
    if (hole < v->hole_count) {
        *count = v->hole_begin[hole + 1] - v->hole_begin[hole];
        return v->hole_points + v->hole_begin[hole];
    }
    if (v->center_begin[center] != v->center_begin[center + 1]) return NULL;
    *count = v->border_begin[center + 1] - v->border_begin[center];
    return v->border_points + v->border_begin[center];
}

/// How many points, extras and members all parts have together, at most.
static void count_lists(const sup_volumes* v, uint32_t* seen, size_t* points, size_t* extras, size_t* members)
{
    *points = *extras = *members = 0;
    for (uint32_t p = 0; p < v->part_count; ++p)
        for (size_t i = 3 * (size_t)v->begin[p]; i < 3 * (size_t)v->begin[p + 1]; ++i) {
            uint32_t c = v->corners[i], count;
            if (seen[c] == p) continue;
            seen[c] = p;
            if (c < v->point_count) {
                ++*points;
                continue;
            }
            ++*extras;
            mean_of(v, c, &count);
            *members += count;
            *points += count;
        }
}

static bool reserve(work* w)
{
    const sup_volumes* v = w->volumes;
    uint32_t           extended = v->point_count + v->hole_count + v->center_count;
    size_t             points, extras, members;
    w->local = SUP_NEW(w->temp, uint32_t, extended);
    if (!w->local) return false;
    memset(w->local, 0xff, extended * sizeof *w->local);
    count_lists(v, w->local, &points, &extras, &members);
    memset(w->local, 0xff, extended * sizeof *w->local);
    w->parts = SUP_NEW(w->arena, subvolume_part, v->part_count);
    w->points = SUP_NEW(w->arena, uint32_t, points);
    w->extras = SUP_NEW(w->arena, subvolume_extra, extras);
    w->members = SUP_NEW(w->arena, uint32_t, members);
    w->corners = SUP_NEW(w->arena, uint32_t, 3 * (size_t)v->begin[v->part_count]);
    return points < UINT32_MAX / 8 && w->parts && w->points && w->extras && w->members && w->corners;
}

static uint32_t local_point(work* w, subvolume_part* part, uint32_t point)
{
    if (w->local[point] == SUP_NONE) {
        w->local[point] = part->point_count++;
        w->points[w->point_count++] = point;
    }
    return w->local[point];
}

static void add_extra(work* w, subvolume_part* part, uint32_t extended)
{
    uint32_t         count;
    const uint32_t*  list = mean_of(w->volumes, extended, &count);
    subvolume_extra* e = &w->extras[w->extra_count++];
    *e = (subvolume_extra){ list ? SUP_NONE : extended - w->volumes->point_count - w->volumes->hole_count, w->member_count, 0 };
    for (uint32_t i = 0; i < count; ++i) w->members[w->member_count++] = local_point(w, part, list[i]);
    e->end = w->member_count;
    w->local[extended] = part->extra_count++;
}

static void make_part(work* w, uint32_t index, uint32_t* work_at)
{
    const sup_volumes* v = w->volumes;
    subvolume_part*    part = &w->parts[index];
    size_t             begin = 3 * (size_t)v->begin[index], end = 3 * (size_t)v->begin[index + 1];
    *part = (subvolume_part){ .point_begin = w->point_count,
                              .extra_begin = w->extra_count,
                              .triangle_begin = v->begin[index],
                              .triangle_end = v->begin[index + 1],
                              .work = *work_at };
    for (size_t i = begin; i < end; ++i)
        if (v->corners[i] < v->point_count) local_point(w, part, v->corners[i]);
    for (size_t i = begin; i < end; ++i)
        if (v->corners[i] >= v->point_count && w->local[v->corners[i]] == SUP_NONE) add_extra(w, part, v->corners[i]);
    for (size_t i = begin; i < end; ++i) {
        uint32_t c = v->corners[i];
        w->corners[i] = c < v->point_count ? w->local[c] : part->point_count + w->local[c];
    }
    for (uint32_t k = 0; k < part->point_count; ++k) w->local[w->points[part->point_begin + k]] = SUP_NONE;
    for (size_t i = begin; i < end; ++i) w->local[v->corners[i]] = SUP_NONE;
    *work_at += 2 * (part->point_count + part->extra_count);
}

// ---------------------------------------------------------------------------------------------- colors

static bool make_colors(work* w)
{
    sup_subvolumes* s = w->out;
    uint64_t*       used = SUP_NEW(w->temp, uint64_t, w->volumes->point_count);
    sup_sort_item * items = SUP_NEW(w->temp, sup_sort_item, s->part_count),
                  *spare = SUP_NEW(w->temp, sup_sort_item, s->part_count);
    uint32_t* parts = SUP_NEW(w->arena, uint32_t, s->part_count);
    uint32_t* begin = SUP_NEW(w->arena, uint32_t, (size_t)s->part_count + 1);
    if (!used || !items || !spare || !parts || !begin) return false;
    uint32_t alone = 64; // a part beside sixty-four colors gets one for itself
    for (uint32_t p = 0; p < s->part_count; ++p) {
        const uint32_t* list = w->points + w->parts[p].point_begin;
        uint64_t        taken = 0;
        for (uint32_t k = 0; k < w->parts[p].point_count; ++k) taken |= used[list[k]];
        uint32_t color = 0;
        while (color < 64 && taken >> color & 1) ++color;
        for (uint32_t k = 0; color < 64 && k < w->parts[p].point_count; ++k) used[list[k]] |= (uint64_t)1 << color;
        items[p] = (sup_sort_item){ color < 64 ? color : alone++, p };
    }
    sup_sort(items, spare, s->part_count);
    for (uint32_t i = 0; i < s->part_count; ++i) {
        if (i > 0 && items[i].key != items[i - 1].key) begin[++s->color_count] = i;
        parts[i] = items[i].value;
    }
    begin[++s->color_count] = s->part_count;
    s->color_begin = begin;
    s->color_parts = parts;
    return true;
}

// ---------------------------------------------------------------------------------------------- what is worth keeping

static double triangle_area(const work* w, uint32_t triangle)
{
    double p[3][3], n[3], square = 0;
    for (int k = 0; k < 3; ++k)
        sup_volumes_point(w->volumes, w->desc->points, NULL, w->volumes->corners[3 * (size_t)triangle + (uint32_t)k], p[k]);
    for (int k = 0; k < 3; ++k) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] = (p[1][i] - p[0][i]) * (p[2][j] - p[0][j]) - (p[1][j] - p[0][j]) * (p[2][i] - p[0][i]);
        square += n[k] * n[k];
    }
    return sqrt(square) / 2;
}

static uint32_t find(uint32_t* parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/// Areas of surfaces that hang together, by their first point: of the mesh's own triangles, and of the caps over holes.
typedef struct surfaces {
    uint32_t* root;
    double *  own, *caps;
} surfaces;

static bool measure_surfaces(work* w, surfaces* f)
{
    const sup_volumes* v = w->volumes;
    *f = (surfaces){ SUP_NEW(w->temp, uint32_t, v->point_count), SUP_NEW(w->temp, double, v->point_count),
                     SUP_NEW(w->temp, double, v->point_count) };
    if (!f->root || !f->own || !f->caps) return false;
    for (uint32_t i = 0; i < v->point_count; ++i) f->root[i] = i;
    for (uint32_t t = 0; t < v->begin[v->part_count]; ++t) {
        const uint32_t* c = v->corners + 3 * (size_t)t;
        for (int k = 0; k < 3; ++k) {
            uint32_t a = c[k], b = c[(k + 1) % 3];
            if (a >= v->point_count || b >= v->point_count) continue;
            a = find(f->root, a), b = find(f->root, b);
            f->root[a < b ? b : a] = a < b ? a : b;
        }
    }
    for (uint32_t t = 0; t < v->begin[v->part_count]; ++t) {
        const uint32_t* c = v->corners + 3 * (size_t)t;
        uint32_t        last = c[2]; // fans and caps have their middle last; a fan may begin in the middle of a hole
        if (last < v->point_count) f->own[find(f->root, c[0])] += triangle_area(w, t);
        else if (last < v->point_count + v->hole_count) f->caps[find(f->root, c[0])] += triangle_area(w, t);
    }
    return true;
}

static bool holds_nothing(const work* w, surfaces* f, const subvolume_part* part, double flat)
{
    double area = 0, own = 0, open = 0;
    for (uint32_t t = part->triangle_begin; t < part->triangle_end; ++t) {
        const uint32_t* c = w->volumes->corners + 3 * (size_t)t;
        double          a = triangle_area(w, t);
        area += a;
        if (c[2] >= w->volumes->point_count) continue;
        uint32_t at = find(f->root, c[0]);
        own += a;
        open += f->caps[at] > OPEN_SHARE * f->own[at] ? a : 0;
    }
    return !(THIRTY_SIX_PI * part->rest * part->rest > flat * area * area * area) || open > own / 2 || !isfinite(part->rest);
}

static bool measure_rest(work* w)
{
    sup_subvolumes*   s = w->out;
    surfaces          f;
    uint32_t          centers = w->volumes->center_count, points = w->volumes->point_count;
    sup_vec4*         x = SUP_NEW(w->temp, sup_vec4, points);
    subvolume_center* at = SUP_NEW(w->temp, subvolume_center, centers);
    sup_vec3*         room = SUP_NEW(w->temp, sup_vec3, s->work_count);
    if (!x || !at || !room || !measure_surfaces(w, &f)) return false;
    for (uint32_t i = 0; i < points; ++i) sup_particle_pin(&x[i], w->desc->points[i]);
    for (uint32_t c = 0; c < centers; ++c) {
        double place[3];
        sup_volumes_point(w->volumes, w->desc->points, NULL, points + w->volumes->hole_count + c, place);
        at[c].at = v3((float)place[0], (float)place[1], (float)place[2]);
    }
    double whole = 0, flat = w->desc->flat > 0 ? w->desc->flat : FLAT_STANDARD;
    for (uint32_t p = 0; p < s->part_count; ++p) {
        subvolume_part* part = &w->parts[p];
        part->rest = sup_subvolume_measure(s, part, x, at, room + part->work);
        part->idle = holds_nothing(w, &f, part, flat);
        s->flat_count += part->idle;
        whole += part->rest;
    }
    s->inside_out = whole < 0;
    return true;
}

// ---------------------------------------------------------------------------------------------- create

static bool create(work* w)
{
    sup_subvolumes* s = w->out = SUP_NEW(w->arena, sup_subvolumes, 1);
    if (!s || !reserve(w)) return false;
    *s = (sup_subvolumes){ .volumes = w->volumes, .part_count = w->volumes->part_count };
    for (uint32_t p = 0; p < s->part_count; ++p) make_part(w, p, &s->work_count);
    s->parts = w->parts;
    s->points = w->points;
    s->extras = w->extras;
    s->members = w->members;
    s->corners = w->corners;
    return make_colors(w) && measure_rest(w);
}

sup_result sup_subvolumes_create(const sup_subvolumes_desc* desc, sup_arena* arena, const sup_subvolumes** out,
                                 sup_error* error)
{
    work w = { .desc = desc, .volumes = desc->volumes, .arena = arena, .temp = sup_arena_beside(arena) };
    bool whole = w.temp && create(&w);
    sup_arena_destroy(w.temp);
    if (!whole) return sup_fail_memory(error, "the volumes of a body's parts");
    *out = w.out;
    return SUP_OK;
}

uint32_t sup_subvolumes_count(const sup_subvolumes* s) { return s->part_count; }
uint32_t sup_subvolumes_flat_count(const sup_subvolumes* s) { return s->flat_count; }
bool     sup_subvolumes_inside_out(const sup_subvolumes* s) { return s->inside_out; }
double   sup_subvolumes_rest(const sup_subvolumes* s, uint32_t part)
{
    SUP_ASSERT(part < s->part_count);
    return s->parts[part].rest;
}
bool sup_subvolumes_flat(const sup_subvolumes* s, uint32_t part)
{
    SUP_ASSERT(part < s->part_count);
    return s->parts[part].idle;
}

// Creation: a list of points per part, so that measuring it reads a compact block of memory; the fans' corners as extras after
// them; the fan of every corner as a path; and colors, so that parts that share a point never move at the same time.
#include "base/internal.h"
#include "base/sets.h"
#include "base/sort.h"
#include "solve/particles/subvolumes_internal.h"

#include <math.h>
#include <string.h>

#define THIRTY_SIX_PI 113.09733552923255
#define FLAT_STANDARD 1e-3
// Caps over holes larger than this share of the surface's own area: a sleeve or a skirt, which encloses nothing.
#define OPEN_SHARE 0.25

typedef struct work {
    const sup_subvolumes_desc* desc;
    const sup_volumes*         volumes;
    sup_arena *                arena, *temp;
    sup_subvolumes*            out;
    uint32_t*                  local; // per extended point: its local number in the current part, or SUP_NONE
    subvolume_part*            parts;
    uint32_t*                  points;
    subvolume_extra*           extras;
    uint32_t*                  members;
    uint32_t                   block_count, extra_count, member_count;

    uint32_t*      corners;         // three local corners per triangle
    uint32_t *     fan_begin, *fan; // per local corner + 1: the next corner of each triangle, and the one after it
    sup_sort_item *around, *spare;  // of one corner
    uint32_t*      taken;
} work;

// ---------------------------------------------------------------------------------------------- lists

/// The points whose mean defines an extended point; none for a center that rides on joints.
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

/// Upper bounds for the points, extras and members of all parts together.
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
    w->points = SUP_NEW(w->arena, uint32_t, points + 8 * (size_t)v->part_count);
    w->extras = SUP_NEW(w->arena, subvolume_extra, extras);
    w->members = SUP_NEW(w->arena, uint32_t, members);
    w->corners = SUP_NEW(w->temp, uint32_t, 3 * (size_t)v->begin[v->part_count]);
    return points < UINT32_MAX / 8 && w->parts && w->points && w->extras && w->members && w->corners;
}

static uint32_t local_point(work* w, subvolume_part* part, uint32_t point)
{
    if (w->local[point] == SUP_NONE) {
        w->points[8 * (size_t)part->block_begin + part->point_count] = point;
        w->local[point] = part->point_count++;
    }
    return w->local[point];
}

static void add_extra(work* w, subvolume_part* part, uint32_t extended)
{
    uint32_t         count;
    const uint32_t*  list = mean_of(w->volumes, extended, &count);
    subvolume_extra* e = &w->extras[w->extra_count++];
    *e = (subvolume_extra){ .center = list ? SUP_NONE : extended - w->volumes->point_count - w->volumes->hole_count,
                            .begin = w->member_count };
    for (uint32_t i = 0; i < count; ++i) w->members[w->member_count++] = local_point(w, part, list[i]);
    e->end = w->member_count;
    w->local[extended] = part->extra_count++;
}

static void make_part(work* w, uint32_t index)
{
    const sup_volumes* v = w->volumes;
    subvolume_part*    part = &w->parts[index];
    size_t             begin = 3 * (size_t)v->begin[index], end = 3 * (size_t)v->begin[index + 1];
    *part = (subvolume_part){ .block_begin = w->block_count,
                              .extra_begin = w->extra_count,
                              .triangle_begin = v->begin[index],
                              .triangle_end = v->begin[index + 1],
                              .work = w->out->work_count };
    for (size_t i = begin; i < end; ++i)
        if (v->corners[i] < v->point_count) local_point(w, part, v->corners[i]);
    for (size_t i = begin; i < end; ++i)
        if (v->corners[i] >= v->point_count && w->local[v->corners[i]] == SUP_NONE) add_extra(w, part, v->corners[i]);
    part->block_count = (part->point_count + 7) / 8;
    for (size_t i = begin; i < end; ++i) {
        uint32_t c = v->corners[i];
        w->corners[i] = c < v->point_count ? w->local[c] : 8 * part->block_count + w->local[c];
    }
    uint32_t* list = w->points + 8 * (size_t)part->block_begin;
    for (uint32_t k = 0; k < part->point_count; ++k) w->local[list[k]] = SUP_NONE;
    for (size_t i = begin; i < end; ++i) w->local[v->corners[i]] = SUP_NONE;
    for (uint32_t k = part->point_count; k < 8 * part->block_count; ++k) list[k] = list[0];
    w->block_count += part->block_count;
    w->out->work_count += 16 * part->block_count + 2 * part->extra_count;
}

// ---------------------------------------------------------------------------------------------- paths

/// Lists the fan of every local corner of a part.
static void list_fans(work* w, const subvolume_part* part)
{
    uint32_t        count = 8 * part->block_count + part->extra_count, *begin = w->fan_begin;
    const uint32_t *first = w->corners + 3 * (size_t)part->triangle_begin, *last = w->corners + 3 * (size_t)part->triangle_end;
    memset(begin, 0, ((size_t)count + 2) * sizeof *begin);
    for (const uint32_t* c = first; c < last; ++c) begin[*c + 2]++;
    for (uint32_t k = 0; k < count; ++k) begin[k + 2] += begin[k + 1];
    for (const uint32_t* c = first; c < last; c += 3)
        for (int k = 0; k < 3; ++k) {
            uint32_t* at = w->fan + 2 * (size_t)begin[c[k] + 1]++;
            at[0] = c[(k + 1) % 3];
            at[1] = c[(k + 2) % 3];
        }
}

typedef struct path {
    uint32_t *out, step; // between items; out NULL: count only
    uint32_t  count;
} path;

static void put(path* p, uint32_t corner)
{
    if (p->out) p->out[p->step * (size_t)p->count] = corner;
    ++p->count;
}

/// Whether the triangles that begin like `first`, the first of them, include one that is left.
static bool is_left(const work* w, uint32_t n, uint32_t first)
{
    uint32_t next = first + w->taken[first];
    return next < n && w->around[next].key == w->around[first].key;
}

/// The first triangle left in a corner's fan that begins at `from`; n if none.
static uint32_t find_next(const work* w, uint32_t n, uint32_t from)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (w->around[middle].key < from) low = middle + 1;
        else high = middle;
    }
    return low < n && w->around[low].key == from && is_left(w, n, low) ? low : n;
}

static void walk_fan(work* w, uint32_t corner, path* out)
{
    const uint32_t* pairs = w->fan + 2 * (size_t)w->fan_begin[corner];
    uint32_t        n = w->fan_begin[corner + 1] - w->fan_begin[corner];
    for (uint32_t i = 0; i < n; ++i) w->around[i] = (sup_sort_item){ pairs[2 * (size_t)i], i };
    sup_sort(w->around, w->spare, n);
    memset(w->taken, 0, n * sizeof *w->taken);
    for (uint32_t first = 0; first < n; ++first) {
        if (first > 0 && w->around[first].key == w->around[first - 1].key) continue;
        while (is_left(w, n, first)) {
            if (out->count > 0) put(out, corner);
            put(out, (uint32_t)w->around[first].key);
            for (uint32_t at = first; at < n;) {
                uint32_t to = pairs[2 * (size_t)w->around[at + w->taken[at]++].value + 1];
                put(out, to);
                at = find_next(w, n, to);
            }
        }
    }
}

/// The paths of a part's extras, and of its points in rows of eight; only counts them while nothing is allocated.
static void make_paths(work* w, const subvolume_part* part, uint32_t* path_begin, uint32_t* paths, uint32_t* extra_paths,
                       uint32_t* extra_count)
{
    list_fans(w, part);
    for (uint32_t b = 0; b < part->block_count; ++b) {
        uint32_t* begin = &path_begin[part->block_begin + b];
        uint32_t  rows = 1;
        for (uint32_t i = 8 * b; i < 8 * b + 8; ++i) {
            path p = { paths ? paths + 8 * (size_t)begin[0] + i % 8 : NULL, 8, 0 };
            walk_fan(w, i, &p);
            rows = p.count > rows ? p.count : rows;
            for (; paths && p.count < begin[1] - begin[0];) put(&p, i);
        }
        if (!paths) begin[1] = begin[0] + rows;
    }
    for (uint32_t k = 0; k < part->extra_count; ++k) {
        path             p = { extra_paths ? extra_paths + *extra_count : NULL, 1, 0 };
        subvolume_extra* e = &w->extras[part->extra_begin + k];
        walk_fan(w, 8 * part->block_count + k, &p);
        e->path_begin = *extra_count;
        e->path_end = *extra_count += p.count;
    }
}

static bool list_paths(work* w)
{
    sup_subvolumes* s = w->out;
    uint32_t        corners = 0, most = 0, extra_count = 0;
    for (uint32_t p = 0; p < s->part_count; ++p) {
        const subvolume_part* part = &w->parts[p];
        uint32_t count = 8 * part->block_count + part->extra_count, triangles = part->triangle_end - part->triangle_begin;
        corners = count > corners ? count : corners;
        most = triangles > most ? triangles : most;
    }
    uint32_t* path_begin = SUP_NEW(w->arena, uint32_t, (size_t)w->block_count + 1);
    w->fan_begin = SUP_NEW(w->temp, uint32_t, (size_t)corners + 2);
    w->fan = SUP_NEW(w->temp, uint32_t, 6 * (size_t)most);
    w->around = SUP_NEW(w->temp, sup_sort_item, 3 * (size_t)most);
    w->spare = SUP_NEW(w->temp, sup_sort_item, 3 * (size_t)most);
    w->taken = SUP_NEW(w->temp, uint32_t, 3 * (size_t)most);
    if (!path_begin || !w->fan_begin || !w->fan || !w->around || !w->spare || !w->taken) return false;
    for (uint32_t p = 0; p < s->part_count; ++p) make_paths(w, &w->parts[p], path_begin, NULL, NULL, &extra_count);
    uint32_t* paths = SUP_NEW(w->arena, uint32_t, 8 * (size_t)path_begin[w->block_count]);
    uint32_t* extra_paths = SUP_NEW(w->arena, uint32_t, extra_count);
    if (!paths || !extra_paths) return false;
    extra_count = 0;
    for (uint32_t p = 0; p < s->part_count; ++p) make_paths(w, &w->parts[p], path_begin, paths, extra_paths, &extra_count);
    s->path_begin = path_begin;
    s->paths = paths;
    s->extra_paths = extra_paths;
    return true;
}

// ---------------------------------------------------------------------------------------------- colors

/// The largest parts of a color come first: the others fill the remaining time.
static bool make_colors(work* w)
{
    sup_subvolumes* s = w->out;
    uint64_t*       used = SUP_NEW(w->temp, uint64_t, w->volumes->point_count);
    sup_sort_item * items = SUP_NEW(w->temp, sup_sort_item, s->part_count),
                  *spare = SUP_NEW(w->temp, sup_sort_item, s->part_count);
    uint32_t* parts = SUP_NEW(w->arena, uint32_t, s->part_count);
    uint32_t* begin = SUP_NEW(w->arena, uint32_t, (size_t)s->part_count + 1);
    if (!used || !items || !spare || !parts || !begin) return false;
    uint32_t alone = 64; // a part that meets sixty-four colors gets one of its own
    for (uint32_t p = 0; p < s->part_count; ++p) {
        const uint32_t* list = w->points + 8 * (size_t)w->parts[p].block_begin;
        uint64_t        taken = 0;
        for (uint32_t k = 0; k < w->parts[p].point_count; ++k) taken |= used[list[k]];
        uint32_t color = 0;
        while (color < 64 && taken >> color & 1) ++color;
        for (uint32_t k = 0; color < 64 && k < w->parts[p].point_count; ++k) used[list[k]] |= (uint64_t)1 << color;
        items[p] =
            (sup_sort_item){ (uint64_t)(color < 64 ? color : alone++) << 32 | (UINT32_MAX - w->parts[p].block_count), p };
    }
    sup_sort(items, spare, s->part_count);
    for (uint32_t i = 0; i < s->part_count; ++i) {
        if (i > 0 && items[i].key >> 32 != items[i - 1].key >> 32) begin[++s->color_count] = i;
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

/// Areas of connected surfaces, by their first point: of the mesh's own triangles, and of the caps over holes.
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
    sup_sets_begin(f->root, v->point_count);
    for (uint32_t t = 0; t < v->begin[v->part_count]; ++t) {
        const uint32_t* c = v->corners + 3 * (size_t)t;
        for (int k = 0; k < 3; ++k) {
            uint32_t a = c[k], b = c[(k + 1) % 3];
            if (a < v->point_count && b < v->point_count) sup_sets_join(f->root, a, b);
        }
    }
    for (uint32_t t = 0; t < v->begin[v->part_count]; ++t) {
        const uint32_t* c = v->corners + 3 * (size_t)t;
        uint32_t        last = c[2]; // fans and caps list their center last; a fan may begin at the center of a hole
        if (last < v->point_count) f->own[sup_sets_find(f->root, c[0])] += triangle_area(w, t);
        else if (last < v->point_count + v->hole_count) f->caps[sup_sets_find(f->root, c[0])] += triangle_area(w, t);
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
        uint32_t at = sup_sets_find(f->root, c[0]);
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
    sup_vec4*         scratch = SUP_NEW(w->temp, sup_vec4, s->work_count);
    if (!x || !at || !scratch || !measure_surfaces(w, &f)) return false;
    for (uint32_t i = 0; i < points; ++i) sup_particle_pin(&x[i], w->desc->points[i]);
    for (uint32_t c = 0; c < centers; ++c) {
        double place[3];
        sup_volumes_point(w->volumes, w->desc->points, NULL, points + w->volumes->hole_count + c, place);
        at[c].at = v3((float)place[0], (float)place[1], (float)place[2]);
    }
    double whole = 0, flat = w->desc->flat > 0 ? w->desc->flat : FLAT_STANDARD;
    for (uint32_t p = 0; p < s->part_count; ++p) {
        subvolume_part* part = &w->parts[p];
        part->rest = sup_subvolume_measure(s, part, x, NULL, at, scratch);
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
    for (uint32_t p = 0; p < s->part_count; ++p) make_part(w, p);
    s->parts = w->parts;
    s->points = w->points;
    s->extras = w->extras;
    s->members = w->members;
    return list_paths(w) && make_colors(w) && measure_rest(w);
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

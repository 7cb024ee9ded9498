// Turns weights as files have them (unsorted, duplicated, unnormalized, negative, absent) into weights as the kernels want
// them.
#include "scene/build.h"
#include "scene/rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BAD(...) sup_fail(build->error, SUP_ERROR_INPUT, __VA_ARGS__)

// Exporters leave negative weights of rounding size; beyond this, a note tells the user.
static const double NEGATIVE_NOTICED = -1e-6;
static const double SUM_NOTICED = 1e-3;

typedef struct influence {
    uint32_t joint;
    uint32_t order; // in the file: weights of duplicate joints are summed in that order
    double   value;
} influence;

typedef struct sum_range {
    double   low, high, negative;
    double   low_positive; // zeros are reported through the points they leave without weights
    uint32_t counted;
} sum_range;

static bool before_by_joint(const influence* a, const influence* b)
{
    return a->joint != b->joint ? a->joint < b->joint : a->order < b->order;
}

static bool before_by_value(const influence* a, const influence* b)
{
    return a->value != b->value ? a->value > b->value : a->joint < b->joint;
}

typedef bool before_fn(const influence* a, const influence* b);

static void sift_down(influence* list, uint32_t at, uint32_t count, before_fn* before)
{
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && before(&list[child], &list[child + 1])) ++child;
        if (!before(&list[at], &list[child])) return;
        influence swap = list[at];
        list[at] = list[child];
        list[child] = swap;
    }
}

// Orders a pair without a branch, which would be mispredicted half of the time on a character's weights.
static inline void exchange(influence* a, influence* b, bool swap)
{
    influence first = swap ? *b : *a, second = swap ? *a : *b;
    *a = first;
    *b = second;
}

static inline void exchange_by_joint(influence* a, influence* b)
{
    uint64_t first = (uint64_t)a->joint << 32 | a->order, second = (uint64_t)b->joint << 32 | b->order;
    exchange(a, b, second < first);
}

static inline void exchange_by_value(influence* a, influence* b)
{
    exchange(a, b, (b->value > a->value) | ((b->value == a->value) & (b->joint < a->joint)));
}

// Sorting networks for the four influences that nearly all files have.
static void sort_four_by_joint(influence* l)
{
    exchange_by_joint(&l[0], &l[1]);
    exchange_by_joint(&l[2], &l[3]);
    exchange_by_joint(&l[0], &l[2]);
    exchange_by_joint(&l[1], &l[3]);
    exchange_by_joint(&l[1], &l[2]);
}

static void sort_four_by_value(influence* l)
{
    exchange_by_value(&l[0], &l[1]);
    exchange_by_value(&l[2], &l[3]);
    exchange_by_value(&l[0], &l[2]);
    exchange_by_value(&l[1], &l[3]);
    exchange_by_value(&l[1], &l[2]);
}

// Both orders are total, so any sort gives the same list: insertion sort for the usual handful, a heap for a hostile thousand.
static void sort_influences(influence* list, uint32_t count, before_fn* before)
{
    if (count <= 16) {
        for (uint32_t i = 1; i < count; ++i) {
            influence moved = list[i];
            uint32_t  at = i;
            for (; at && before(&moved, &list[at - 1]); --at) list[at] = list[at - 1];
            list[at] = moved;
        }
        return;
    }
    for (uint32_t i = count / 2; i--;) sift_down(list, i, count, before);
    for (uint32_t i = count; --i;) {
        influence swap = list[0];
        list[0] = list[i];
        list[i] = swap;
        sift_down(list, 0, i, before);
    }
}

// Merges duplicate joints, sorts by weight and normalizes. Returns how many remain.
static uint32_t clean(influence* list, uint32_t count, uint32_t* joints, float* values)
{
    if (count == 4) sort_four_by_joint(list);
    else sort_influences(list, count, before_by_joint);
    uint32_t kept = 0;
    double   sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sum += list[i].value;
        if (kept && list[kept - 1].joint == list[i].joint) list[kept - 1].value += list[i].value;
        else list[kept++] = list[i];
    }
    if (kept == 4) sort_four_by_value(list);
    else sort_influences(list, kept, before_by_value);
    uint32_t n = 0;
    for (uint32_t i = 0; i < kept; ++i) {
        float value = (float)(list[i].value / sum);
        if (!(value > 0)) break; // too small for a float, and so are all that follow
        joints[n] = list[i].joint;
        values[n++] = value;
    }
    return n;
}

// Cleans a vertex's weights; also returns the sum as stored and the lowest weight if it is negative.
static uint32_t clean_row(const sup_build* build, const sup_part_desc* d, uint32_t vertex, uint32_t* joints, float* values,
                          double* sum, double* least)
{
    influence* list = build->row;
    size_t     i = (size_t)vertex * d->width;
    uint32_t   count = 0;
    *sum = *least = 0;
    for (uint32_t k = 0; k < d->width; ++k, ++i) {
        double value = (double)d->weights[i];
        *sum += value;
        if (value < *least) *least = value;
        if (value > 0) list[count++] = (influence){ build->joint_places[d->joints[i]], k, value };
    }
    return clean(list, count, joints, values);
}

uint32_t sup_build_row(const sup_build* build, uint32_t part, uint32_t vertex, uint32_t* joints, float* values)
{
    double sum, least;
    return clean_row(build, &build->desc->parts[part], vertex, joints, values, &sum, &least);
}

// A first pass without branches. If it finds a bad weight, the caller searches again to say where.
static bool count_quickly(const sup_part_desc* d, uint32_t joint_count, uint64_t* out)
{
    enum { CHUNK = 1 << 20 };
    uint64_t count = 0;
    bool     bad = false;
    size_t   total = (size_t)d->vertex_count * d->width;
    for (size_t from = 0; from < total; from += CHUNK) { // so that a 32-bit count, as wide as a weight, suffices
        size_t   end = total - from < CHUNK ? total : from + CHUNK;
        uint32_t some = 0, wrong = 0;
        for (size_t i = from; i < end; ++i) {
            uint32_t positive = d->weights[i] > 0;
            wrong |= (uint32_t)(d->weights[i] - d->weights[i] != 0) | ((d->joints[i] >= joint_count) & positive); // NaN too
            some += positive;
        }
        count += some;
        bad |= wrong != 0;
    }
    *out = count;
    return !bad;
}

static sup_result count_slowly(sup_build* build, uint32_t part, uint64_t* out)
{
    const sup_part_desc* d = &build->desc->parts[part];
    const char*          name = build->parts[part].name;
    uint64_t             count = 0;
    size_t               i = 0;
    for (uint32_t v = 0; v < d->vertex_count; ++v)
        for (uint32_t k = 0; k < d->width; ++k, ++i) {
            if (!isfinite(d->weights[i]))
                return BAD("vertex %u of '%s' has a weight that is not a number; repair the file", v, name);
            if (!(d->weights[i] > 0)) continue;
            if (d->joints[i] >= build->desc->joint_count)
                return BAD("vertex %u of '%s' follows joint %u but there are only %u joints; repair the file", v, name,
                           d->joints[i], build->desc->joint_count);
            count++;
        }
    *out = count;
    return SUP_OK;
}

static bool has_bare_vertex(const sup_part_desc* d)
{
    for (uint32_t v = 0; v < d->vertex_count; ++v) {
        const float* w = d->weights + (size_t)v * d->width;
        bool         any = false;
        for (uint32_t k = 0; k < d->width; ++k) any |= w[k] > 0;
        if (!any) return true;
    }
    return false;
}

static sup_result check_weights(sup_build* build, uint32_t part)
{
    const sup_part_desc* d = &build->desc->parts[part];
    uint64_t             count = 0;
    bool                 good = count_quickly(d, build->desc->joint_count, &count);
    sup_result           result = good ? SUP_OK : count_slowly(build, part, &count);
    if (result) return result;
    if (count > SUP_BUILD_LIMIT)
        return BAD("'%s' has more than %u weights; make the mesh coarser", build->parts[part].name, SUP_BUILD_LIMIT);
    build->part_builds[part].weight_count = (uint32_t)count;
    build->part_builds[part].bare = count != (uint64_t)d->vertex_count * d->width && has_bare_vertex(d);
    return SUP_OK;
}

sup_result sup_build_influences(sup_build* build)
{
    uint32_t widest = 0;
    for (uint32_t i = 0; i < build->desc->part_count; ++i) {
        uint32_t   width = build->desc->parts[i].width;
        sup_result result = width ? check_weights(build, i) : SUP_OK;
        if (result) return result;
        widest = width > widest ? width : widest;
    }
    build->row = SUP_NEW(build->scratch, influence, widest);
    return build->row ? SUP_OK : sup_fail_memory(build->error, "weights");
}

// ---------------------------------------------------------------------------------------------- per point

static void warn_sums(sup_build* build, const char* name, const sum_range* range)
{
    if (range->negative < NEGATIVE_NOTICED)
        sup_note(&build->warnings, "'%s' has negative weights down to %g; dropped", name, range->negative);
    if (range->high > 1 + SUM_NOTICED)
        sup_note(&build->warnings, "weights of '%s' sum to %.4g at most; normalized", name, range->high);
    if (range->low_positive < 1 - SUM_NOTICED)
        sup_note(&build->warnings, "weights of '%s' sum to %.4g at least; normalized", name, range->low_positive);
}

// Sums of a hostile file may overflow a float; what is printed must stay finite.
static float to_float(double x)
{
    double most = (double)FLT_MAX;
    return (float)(x > most ? most : x < -most ? -most : x);
}

// The most influences a point of the part may have: those of its first vertex, or the part's one joint.
static uint32_t count_row(const sup_build* build, uint32_t part, uint32_t point)
{
    const sup_part_desc* d = &build->desc->parts[part];
    if (!d->width) return 1;
    const float* w = d->weights + (size_t)(build->point_vertices[point] - build->parts[part].vertex_begin) * d->width;
    uint32_t     count = 0;
    for (uint32_t k = 0; k < d->width; ++k) count += w[k] > 0;
    return count;
}

// Breadth first from all weighted points at once: sources[p] becomes the nearest weighted point by edges, the lowest number on
// ties; SUP_NONE if none is connected.
static bool spread(sup_build* build, uint32_t* sources)
{
    const sup_mesh* mesh = &build->out->mesh;
    uint32_t        n = mesh->point_count;
    size_t*         begin = SUP_NEW(build->scratch, size_t, (size_t)n + 1);
    uint32_t*       next = SUP_NEW(build->scratch, uint32_t, 2 * (size_t)mesh->corner_count);
    uint32_t*       filled = SUP_NEW(build->scratch, uint32_t, n);
    uint32_t*       queue = SUP_NEW(build->scratch, uint32_t, n);
    if (!begin || !next || !filled || !queue) return false;
    for (uint32_t c = 0; c < mesh->corner_count; ++c) begin[mesh->corner_points[c] + 1] += 2;
    for (uint32_t p = 0; p < n; ++p) begin[p + 1] += begin[p];
    for (uint32_t f = 0; f < mesh->face_count; ++f) {
        uint32_t first = mesh->face_begin[f], last = mesh->face_begin[f + 1] - 1;
        for (uint32_t c = first; c <= last; ++c) {
            uint32_t a = mesh->corner_points[c], b = mesh->corner_points[c == last ? first : c + 1];
            next[begin[a] + filled[a]++] = b;
            next[begin[b] + filled[b]++] = a;
        }
    }
    uint32_t count = 0;
    for (uint32_t p = 0; p < n; ++p)
        if (sources[p] != SUP_NONE) queue[count++] = p;
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t p = queue[i];
        for (size_t e = begin[p]; e < begin[p + 1]; ++e)
            if (sources[next[e]] == SUP_NONE) {
                sources[next[e]] = sources[p];
                queue[count++] = next[e];
            }
    }
    return true;
}

static uint32_t first_skin_joint(const sup_build* build)
{
    for (uint32_t j = 0; j < build->joint_count; ++j)
        if (build->joints[j].skin_joint) return j;
    return 0;
}

static uint32_t part_of(const sup_build* build, uint32_t point, uint32_t hint)
{
    const sup_part* parts = build->parts;
    if (point >= parts[hint].point_begin && point - parts[hint].point_begin < parts[hint].point_count) return hint;
    uint32_t low = 0, high = build->desc->part_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (parts[middle].point_begin <= point) low = middle;
        else high = middle;
    }
    return low; // the last part that begins at or before the point; empty parts before it begin there too
}

// The point each point takes its weights from: itself, or another if it has none. NULL: all have their own. `total`: an upper
// bound on the number of weights.
static sup_result find_sources(sup_build* build, uint64_t* total, const uint32_t** out)
{
    uint32_t empty = 0, alone = 0, n = build->out->mesh.point_count;
    *out = NULL;
    *total = 0;
    for (uint32_t i = 0; i < build->desc->part_count; ++i)
        for (uint32_t p = 0; p < build->parts[i].point_count; ++p) {
            uint32_t count = count_row(build, i, build->parts[i].point_begin + p);
            *total += count;
            empty += count == 0;
        }
    if (!empty) return SUP_OK;
    uint32_t* sources = SUP_NEW(build->scratch, uint32_t, n);
    if (!sources) return sup_fail_memory(build->error, "weights");
    for (uint32_t i = 0; i < build->desc->part_count; ++i)
        for (uint32_t p = build->parts[i].point_begin; p < build->parts[i].point_begin + build->parts[i].point_count; ++p)
            sources[p] = count_row(build, i, p) ? p : SUP_NONE;
    if (!spread(build, sources)) return sup_fail_memory(build->error, "weights");
    for (uint32_t p = 0; p < n; ++p) alone += sources[p] == SUP_NONE;
    if (empty > alone)
        sup_note(&build->warnings, "%u point%s without weights take%s those of the nearest point that has some", empty - alone,
                 empty - alone == 1 ? "" : "s", empty - alone == 1 ? "s" : "");
    if (alone)
        sup_note(&build->warnings, "%u point%s without weights and without a weighted neighbor follow%s joint '%s'", alone,
                 alone == 1 ? "" : "s", alone == 1 ? "s" : "", build->joints[first_skin_joint(build)].name);
    for (uint32_t p = 0, hint = 0; p < n; ++p)
        if (sources[p] == SUP_NONE) *total += 1;
        else if (sources[p] != p) *total += count_row(build, hint = part_of(build, sources[p], hint), sources[p]);
    *out = sources;
    return SUP_OK;
}

static void widen(sum_range* range, double sum, double least)
{
    range->counted++;
    range->negative = least < range->negative ? least : range->negative;
    range->low = sum < range->low ? sum : range->low;
    range->high = sum > range->high ? sum : range->high;
    range->low_positive = sum > 0 && sum < range->low_positive ? sum : range->low_positive;
}

typedef struct filling {
    sup_build*      build;
    const uint32_t* sources; // NULL: every point is its own
    uint32_t*       begin;
    uint32_t*       joints;
    float*          values;
    uint32_t        most; // of any point
} filling;

static uint32_t fill_point(const filling* f, uint32_t point, uint32_t part, sum_range* range)
{
    const sup_build* build = f->build;
    uint32_t*        joints = f->joints + f->begin[point];
    float*           values = f->values + f->begin[point];
    uint32_t         source = f->sources ? f->sources[point] : point;
    double           sum, least;
    if (source != SUP_NONE) part = part_of(build, source, part);
    const sup_part_desc* d = &build->desc->parts[part];
    if (source != SUP_NONE && d->width) {
        uint32_t count =
            clean_row(build, d, build->point_vertices[source] - build->parts[part].vertex_begin, joints, values, &sum, &least);
        if (source == point) widen(range, sum, least);
        return count;
    }
    joints[0] = source == SUP_NONE ? first_skin_joint(build) : build->part_builds[part].joint;
    values[0] = 1;
    return 1;
}

// Stored vertices whose weights no point took, because another vertex stands for the point or because they have none.
static void widen_by_others(const sup_build* build, uint32_t part, sum_range* range)
{
    const sup_part_desc* d = &build->desc->parts[part];
    uint32_t             first = build->parts[part].vertex_begin;
    if (range->counted == d->vertex_count) return;
    for (uint32_t v = 0; v < d->vertex_count; ++v) {
        const float* w = d->weights + (size_t)v * d->width;
        double       sum = 0, least = 0;
        if (!build->part_builds[part].bare && build->point_vertices[build->vertex_points[first + v]] == first + v) continue;
        for (uint32_t k = 0; k < d->width; ++k) {
            sum += (double)w[k];
            least = (double)w[k] < least ? (double)w[k] : least;
        }
        widen(range, sum, least);
    }
}

// From point p on, while rows have the usual form. Returns the first that does not.
static uint32_t fill_usual(filling* f, uint32_t part, uint32_t p, sum_range* range)
{
    const sup_part_desc* d = &f->build->desc->parts[part];
    const sup_part*      at = &f->build->parts[part];
    sup_rows             rows = { .weights = d->weights,
                                  .joints = d->joints,
                                  .vertices = f->build->point_vertices,
                                  .places = f->build->joint_places,
                                  .begin = f->begin,
                                  .out_joints = f->joints,
                                  .out_values = f->values,
                                  .low = INFINITY,
                                  .high = -INFINITY,
                                  .most = f->most };
    uint32_t             next = SUP_WIDE_PICK(sup_rows_take)(&rows, at->vertex_begin, p, at->point_begin + at->point_count);
    range->low = rows.low < range->low ? rows.low : range->low;
    range->high = rows.high > range->high ? rows.high : range->high;
    range->low_positive = rows.low < range->low_positive ? rows.low : range->low_positive;
    range->counted += next - p;
    f->most = rows.most;
    return next;
}

static void fill_part(filling* f, uint32_t part, sum_range* range)
{
    const sup_part* at = &f->build->parts[part];
    uint32_t        width = f->build->desc->parts[part].width, end = at->point_begin + at->point_count;
    for (uint32_t p = at->point_begin; p < end; ++p) {
        if (width == 4 && !f->sources) p = fill_usual(f, part, p, range);
        if (p == end) break;
        uint32_t count = fill_point(f, p, part, range);
        f->begin[p + 1] = f->begin[p] + count;
        f->most = count > f->most ? count : f->most;
    }
    if (width) widen_by_others(f->build, part, range);
}

static void fill_parts(filling* f)
{
    sup_build* build = f->build;
    sum_range  all = { .low = INFINITY, .high = -INFINITY };
    for (uint32_t i = 0; i < build->desc->part_count; ++i) {
        sum_range range = { .low = INFINITY, .high = -INFINITY, .low_positive = 1 };
        fill_part(f, i, &range);
        if (!range.counted) continue;
        warn_sums(build, build->parts[i].name, &range);
        all.low = range.low < all.low ? range.low : all.low;
        all.high = range.high > all.high ? range.high : all.high;
        all.counted = 1;
    }
    build->out->weights.sum_min = all.counted ? to_float(all.low) : 1;
    build->out->weights.sum_max = all.counted ? to_float(all.high) : 1;
}

// An upper bound on the number of weights, and the points' own rows if all have some.
static sup_result plan(filling* f, uint64_t* total)
{
    const sup_build* build = f->build;
    bool             bare = false;
    *total = 0;
    for (uint32_t i = 0; i < build->desc->part_count; ++i) {
        uint64_t points = build->parts[i].point_count, width = build->desc->parts[i].width;
        uint64_t count = build->part_builds[i].weight_count;
        *total += width == 0 ? points : points * width < count ? points * width : count;
        bare |= build->part_builds[i].bare;
    }
    return bare ? find_sources(f->build, total, &f->sources) : SUP_OK;
}

sup_result sup_build_weights(sup_build* build)
{
    sup_weights* w = &build->out->weights;
    uint64_t     total;
    filling      f = { .build = build, .begin = SUP_NEW(build->keep, uint32_t, (size_t)build->out->mesh.point_count + 1) };
    if (!f.begin) return sup_fail_memory(build->error, "weights");
    sup_result result = plan(&f, &total);
    if (result) return result;
    if (total > SUP_BUILD_LIMIT)
        return BAD("'%s' has more than %u weights; make the mesh coarser", build->out->name, SUP_BUILD_LIMIT);
    f.joints = SUP_NEW(build->keep, uint32_t, (size_t)total + SUP_ROWS_ROOM);
    f.values = SUP_NEW(build->keep, float, (size_t)total + SUP_ROWS_ROOM);
    if (!f.joints || !f.values) return sup_fail_memory(build->error, "weights");
    fill_parts(&f);
    w->begin = f.begin;
    w->joints = f.joints;
    w->values = f.values;
    w->influences_max = f.most;
    return SUP_OK;
}

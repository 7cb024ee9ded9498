// Weights as files have them (unsorted, doubled, unnormalized, negative, absent) become weights as the kernels want them.
#include "scene/build.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BAD(...) sup_fail(build->error, SUP_ERROR_INPUT, __VA_ARGS__)

// Exporters leave negatives of rounding size behind; beyond this someone should know.
static const double NEGATIVE_NOTICED = -1e-6;
static const double SUM_NOTICED = 1e-3;

typedef struct influence {
    uint32_t joint;
    uint32_t order; // in the file: sums of doubled joints are taken in that order
    double   value;
} influence;

typedef struct sum_range {
    double   low, high, negative;
    double   low_positive; // zeros are told of by the points they leave without weights
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

// Puts two in order without a branch, which the weights of a character would mispredict half of the time.
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

// Both orders are total, so any sort gives the same list: insertion for the usual handful, a heap for a hostile thousand.
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

// Merges doubled joints, sorts by weight and normalizes. Returns how many are left.
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
        if (!(value > 0)) break; // too small for a float, and so are all behind it
        joints[n] = list[i].joint;
        values[n++] = value;
    }
    return n;
}

// As most files have them: four, from large to small, of different joints. Nothing is left to do but to divide them by their
// sum, which no order rounds: from 2^-28 to 1 the bits of four floats fit into a double. Returns how many, 0: not of this kind.
// Always writes four places.
static uint32_t take_sorted(const sup_build* build, const float w[4], const uint32_t of[4], uint32_t* joints, float* values)
{
    static const float LEAST = 0x1p-28f;
    uint32_t           n = (uint32_t)(w[0] > 0) + (w[1] > 0) + (w[2] > 0) + (w[3] > 0);
    bool               falling = (w[0] <= 1) & (w[0] >= w[1]) & (w[1] >= w[2]) & (w[2] >= w[3]) & (w[3] >= 0);
    if (!falling || n == 0 || w[n - 1] < LEAST) return 0;
    uint32_t p[4];
    for (uint32_t k = 0; k < 4; ++k) p[k] = build->joint_places[of[k < n ? k : 0]]; // joints of no weight may be any number
    bool doubled = ((p[0] == p[1]) & (n > 1)) | (((p[0] == p[2]) | (p[1] == p[2])) & (n > 2)) |
                   (((p[0] == p[3]) | (p[1] == p[3]) | (p[2] == p[3])) & (n > 3));
    bool tied = ((w[0] == w[1]) & (p[0] > p[1])) | ((w[1] == w[2]) & (p[1] > p[2]) & (n > 2)) |
                ((w[2] == w[3]) & (p[2] > p[3]) & (n > 3));
    if (doubled | tied) return 0;
    double sum = (double)w[0] + (double)w[1] + (double)w[2] + (double)w[3];
    for (uint32_t k = 0; k < 4; ++k) {
        joints[k] = p[k];
        values[k] = (float)((double)w[k] / sum);
    }
    return n;
}

enum { TAKE_ROOM = 4 }; // that take_sorted may write beyond what it keeps

// A first look without a branch; who finds something bad looks again and says where.
static bool count_quickly(const sup_part_desc* d, uint32_t joint_count, uint64_t* out)
{
    enum { CHUNK = 1 << 20 };
    uint64_t count = 0;
    bool     bad = false;
    size_t   total = (size_t)d->vertex_count * d->width;
    for (size_t from = 0; from < total; from += CHUNK) { // so that a count of 32 bits, as wide as a weight, serves
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
                return BAD("vertex %u of '%s' has a weight that is no number; repair the file", v, name);
            if (!(d->weights[i] > 0)) continue;
            if (d->joints[i] >= build->desc->joint_count)
                return BAD("vertex %u of '%s' follows joint %u but there are only %u joints; repair the file", v, name,
                           d->joints[i], build->desc->joint_count);
            count++;
        }
    *out = count;
    return SUP_OK;
}

static sup_result count_positive(sup_build* build, uint32_t part, uint32_t* out)
{
    uint64_t   count = 0;
    bool       good = count_quickly(&build->desc->parts[part], build->desc->joint_count, &count);
    sup_result result = good ? SUP_OK : count_slowly(build, part, &count);
    if (result) return result;
    if (count > SUP_BUILD_LIMIT)
        return BAD("'%s' has more than %u weights; make the mesh coarser", build->parts[part].name, SUP_BUILD_LIMIT);
    *out = (uint32_t)count;
    return SUP_OK;
}

static void widen(sum_range* range, double sum)
{
    if (!range->counted || sum < range->low) range->low = sum;
    if (sum > 0 && sum < range->low_positive) range->low_positive = sum;
    if (!range->counted || sum > range->high) range->high = sum;
    range->counted = 1;
}

static sup_result clean_part(sup_build* build, uint32_t part, sum_range* range)
{
    const sup_part_desc* d = &build->desc->parts[part];
    uint32_t             positive = 0;
    sup_result           result = count_positive(build, part, &positive);
    if (result) return result;
    uint32_t*  begin = SUP_NEW(build->influences, uint32_t, (size_t)d->vertex_count + 1);
    uint32_t*  joints = SUP_NEW(build->influences, uint32_t, (size_t)positive + TAKE_ROOM);
    float*     values = SUP_NEW(build->influences, float, (size_t)positive + TAKE_ROOM);
    influence* list = SUP_NEW(build->scratch, influence, d->width);
    if (!begin || !joints || !values || !list) return sup_fail_memory(build->error, "weights");
    for (uint32_t v = 0; v < d->vertex_count; ++v) {
        size_t   i = (size_t)v * d->width;
        uint32_t count = 0;
        double   sum = 0;
        if (d->width == 4) {
            const float* w = d->weights + i;
            uint32_t     taken = take_sorted(build, w, d->joints + i, joints + begin[v], values + begin[v]);
            if (taken) {
                widen(range, (double)w[0] + (double)w[1] + (double)w[2] + (double)w[3]);
                begin[v + 1] = begin[v] + taken;
                continue;
            }
        }
        for (uint32_t k = 0; k < d->width; ++k, ++i) {
            double value = (double)d->weights[i];
            sum += value;
            if (value < range->negative) range->negative = value;
            if (value > 0) list[count++] = (influence){ build->joint_places[d->joints[i]], k, value };
        }
        widen(range, sum);
        begin[v + 1] = begin[v] + clean(list, count, joints + begin[v], values + begin[v]);
    }
    build->part_builds[part].begin = begin;
    build->part_builds[part].joints = joints;
    build->part_builds[part].values = values;
    return SUP_OK;
}

static void warn_sums(sup_build* build, const char* name, const sum_range* range)
{
    if (range->negative < NEGATIVE_NOTICED)
        sup_note(&build->warnings, "'%s' has negative weights down to %g; dropped", name, range->negative);
    if (range->high > 1 + SUM_NOTICED)
        sup_note(&build->warnings, "weights of '%s' sum to %.4g at most; normalized", name, range->high);
    if (range->low_positive < 1 - SUM_NOTICED)
        sup_note(&build->warnings, "weights of '%s' sum to %.4g at least; normalized", name, range->low_positive);
}

// Sums of a hostile file may leave the floats; what is printed must stay a number.
static float to_float(double x)
{
    double most = (double)FLT_MAX;
    return (float)(x > most ? most : x < -most ? -most : x);
}

sup_result sup_build_influences(sup_build* build)
{
    sum_range all = { .low = 1, .high = 1 };
    for (uint32_t i = 0; i < build->desc->part_count; ++i) {
        if (!build->desc->parts[i].width) continue;
        sum_range  range = { .low_positive = 1 };
        sup_result result = clean_part(build, i, &range);
        if (result) return result;
        if (!range.counted) continue;
        warn_sums(build, build->parts[i].name, &range);
        if (!all.counted || range.low < all.low) all.low = range.low;
        if (!all.counted || range.high > all.high) all.high = range.high;
        all.counted = 1;
    }
    build->out->weights.sum_min = to_float(all.low);
    build->out->weights.sum_max = to_float(all.high);
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- per point

typedef struct span {
    uint32_t        count;
    const uint32_t* joints;
    const float*    values;
} span;

static const float WHOLE = 1.0f;

// Influences of a point that belongs to the part: those of its first vertex, or the part's one joint.
static span point_span(const sup_build* build, uint32_t part, uint32_t point)
{
    const sup_part_build* p = &build->part_builds[part];
    if (!p->begin) return (span){ 1, &p->joint, &WHOLE };
    uint32_t v = build->point_vertices[point] - build->parts[part].vertex_begin;
    return (span){ p->begin[v + 1] - p->begin[v], p->joints + p->begin[v], p->values + p->begin[v] };
}

// Breadth first from all weighted points at once: sources[p] becomes the nearest weighted point by edges, of the lowest
// number where several are as near; SUP_NONE where none is connected.
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

// Where each point takes its weights from: itself, or another where it has none.
static sup_result find_sources(sup_build* build, uint32_t* sources)
{
    uint32_t empty = 0, alone = 0;
    for (uint32_t i = 0; i < build->desc->part_count; ++i) {
        const sup_part* part = &build->parts[i];
        for (uint32_t p = part->point_begin; p < part->point_begin + part->point_count; ++p) {
            bool weighted = point_span(build, i, p).count > 0;
            sources[p] = weighted ? p : SUP_NONE;
            empty += !weighted;
        }
    }
    if (!empty) return SUP_OK;
    if (!spread(build, sources)) return sup_fail_memory(build->error, "weights");
    for (uint32_t p = 0; p < build->out->mesh.point_count; ++p) alone += sources[p] == SUP_NONE;
    if (empty > alone)
        sup_note(&build->warnings, "%u points have no weights; they take those of the nearest point that has", empty - alone);
    if (alone)
        sup_note(&build->warnings, "%u points have no weights and no weighted neighbor; they follow joint '%s'", alone,
                       build->joints[first_skin_joint(build)].name);
    return SUP_OK;
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

// One skinned part whose vertices are all points, and all weighted: its influences are the character's without a copy.
static bool take_over(sup_build* build)
{
    sup_weights*          w = &build->out->weights;
    const sup_part_build* p = build->part_builds;
    if (build->desc->part_count != 1 || !p->begin || !build->points_are_vertices) return false;
    uint32_t most = 0;
    for (uint32_t v = 0; v < build->vertex_count; ++v) {
        uint32_t count = p->begin[v + 1] - p->begin[v];
        if (count == 0) return false;
        if (count > most) most = count;
    }
    sup_arena_adopt(build->keep, build->influences);
    w->begin = p->begin;
    w->joints = p->joints;
    w->values = p->values;
    w->influences_max = most;
    return true;
}

sup_result sup_build_weights(sup_build* build)
{
    if (take_over(build)) return SUP_OK;
    sup_weights* w = &build->out->weights;
    uint32_t     n = build->out->mesh.point_count;
    uint32_t*    sources = SUP_NEW(build->scratch, uint32_t, n);
    uint32_t*    begin = SUP_NEW(build->keep, uint32_t, (size_t)n + 1);
    if (!sources || !begin) return sup_fail_memory(build->error, "weights");
    sup_result result = find_sources(build, sources);
    if (result) return result;
    uint32_t   last_resort = first_skin_joint(build), hint = 0;
    const span lone = { 1, &last_resort, &WHOLE };
    uint32_t*  joints = NULL;
    float*     values = NULL;
    for (int pass = 0; pass < 2; ++pass) { // count, then fill
        for (uint32_t p = 0; p < n; ++p) {
            span s = sources[p] == SUP_NONE ? lone : point_span(build, hint = part_of(build, sources[p], hint), sources[p]);
            if (!pass) {
                if ((uint64_t)begin[p] + s.count > SUP_BUILD_LIMIT)
                    return BAD("'%s' has more than %u weights; make the mesh coarser", build->out->name, SUP_BUILD_LIMIT);
                begin[p + 1] = begin[p] + s.count;
                if (s.count > w->influences_max) w->influences_max = s.count;
                continue;
            }
            memcpy(joints + begin[p], s.joints, s.count * sizeof *joints);
            memcpy(values + begin[p], s.values, s.count * sizeof *values);
        }
        if (pass) break;
        joints = SUP_NEW(build->keep, uint32_t, begin[n]);
        values = SUP_NEW(build->keep, float, begin[n]);
        if (!joints || !values) return sup_fail_memory(build->error, "weights");
    }
    w->begin = begin;
    w->joints = joints;
    w->values = values;
    return SUP_OK;
}

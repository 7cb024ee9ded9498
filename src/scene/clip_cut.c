// Cuts a part of a clip into a clip of its own. Keys inside the part stay as they are. If it begins or ends between two keys,
// the segment is split so that the remainder plays as before: a piece of a line is a line, of an arc an arc, of a cubic a
// cubic.
#include "base/internal.h"
#include "math/vec.h"
#include "supple/scene.h"

#include <math.h>
#include <string.h>

// The numbers of cubic rotations are cut exactly, but between keys they are not of unit length, as keys must be. So those
// pieces approximate the normalized rotation, halved until they match it to the rounding of a float.
#define ROTATION_SLACK 1e-7
enum { HALVINGS_MAX = 8 };

// Runs twice: once to count, then to fill arrays of that size.
typedef struct cutter {
    const sup_channel* from;
    double             start, end;
    uint32_t           count; // keys so far
    float              last;  // time of the last one
    float*             times; // NULL: counting
    float*             values;
} cutter;

static size_t row_width(const sup_channel* c) { return (size_t)c->width * (c->interpolation == SUP_INTERPOLATE_CUBIC ? 3 : 1); }

// Space for a key's numbers; NULL while counting. Times that are equal as floats become one key, the later one.
static float* add_key(cutter* k, double time)
{
    float at = (float)(time - k->start);
    if (k->count == 0 || at > k->last) k->count++;
    k->last = at;
    if (!k->times) return NULL;
    k->times[k->count - 1] = at;
    return k->values + (k->count - 1) * row_width(k->from);
}

// The out-tangent of the key added last.
static float* last_out(const cutter* k)
{
    return k->times ? k->values + (k->count - 1) * row_width(k->from) + 2 * (size_t)k->from->width : NULL;
}

// ---------------------------------------------------------------------------------------------- lines, arcs and steps

// The value between keys i and i + 1, as sup_clip_sample computes it.
static void put_between(const sup_channel* c, uint32_t i, double time, float* out)
{
    const float* a = c->values + (size_t)i * c->width;
    const float* b = a + c->width;
    double       from = (double)c->times[i], ratio = (time - from) / ((double)c->times[i + 1] - from);
    if (c->path == SUP_PATH_ROTATION) {
        sup_quat q = quat_normalize(quat_slerp(quat(a[0], a[1], a[2], a[3]), quat(b[0], b[1], b[2], b[3]), (float)ratio));
        memcpy(out, &q, sizeof q);
        return;
    }
    for (uint32_t n = 0; n < c->width; ++n) out[n] = (float)((double)a[n] * (1 - ratio) + (double)b[n] * ratio);
}

static void cut_plain(cutter* k)
{
    const sup_channel* c = k->from;
    size_t             bytes = c->width * sizeof(float);
    bool               step = c->interpolation == SUP_INTERPOLATE_STEP;
    for (uint32_t i = 0; i < c->key_count; ++i) {
        double       at = (double)c->times[i], next = i + 1 < c->key_count ? (double)c->times[i + 1] : INFINITY;
        const float* value = c->values + (size_t)i * c->width;
        bool         inside = at >= k->start && at <= k->end;
        float*       row = NULL;
        // The value at the start: inside a segment that began before it, after the last key, or at the first key of all.
        if (inside) row = add_key(k, at);
        else if (at < k->start && next > k->start) row = add_key(k, k->start);
        else if (at > k->end && i == 0) row = add_key(k, k->start);
        if (row && !inside && at < k->start && !step && i + 1 < c->key_count) put_between(c, i, k->start, row);
        else if (row) memcpy(row, value, bytes);
        if (!step && i + 1 < c->key_count && at < k->end && next > k->end && (row = add_key(k, k->end)))
            put_between(c, i, k->end, row);
    }
}

// ---------------------------------------------------------------------------------------------- cubics

typedef struct place {
    double value, slope; // slope in units per second
} place;

static place cubic_at(const sup_channel* c, uint32_t i, double time, uint32_t n)
{
    size_t       width = c->width;
    const float* a = c->values + 3 * width * i + n;
    const float* b = a + 3 * width;
    double       from = (double)c->times[i], h = (double)c->times[i + 1] - from, t = (time - from) / h;
    double       p0 = (double)a[width], m0 = h * (double)a[2 * width], p1 = (double)b[width], m1 = h * (double)b[0];
    return (place){ ((2 * p0 + m0 - 2 * p1 + m1) * t + (-3 * p0 - 2 * m0 + 3 * p1 - m1)) * t * t + m0 * t + p0,
                    ((6 * p0 + 3 * m0 - 6 * p1 + 3 * m1) * t + (-6 * p0 - 4 * m0 + 6 * p1 - 2 * m1)) * t / h + m0 / h };
}

// The normalized rotation of a cubic, moving along the sphere. False: it passes through zero here.
static bool turned_at(const sup_channel* c, uint32_t i, double time, place out[4])
{
    double squares = 0, along = 0;
    for (uint32_t n = 0; n < 4; ++n) {
        out[n] = cubic_at(c, i, time, n);
        squares += out[n].value * out[n].value;
        along += out[n].value * out[n].slope;
    }
    double length = sqrt(squares);
    if (!(length > 1e-6)) return false;
    for (uint32_t n = 0; n < 4; ++n)
        out[n] = (place){ out[n].value / length, (out[n].slope - out[n].value * (along / squares)) / length };
    return true;
}

// Whether one cubic between the two ends matches segment i from `begin` to `end`.
static bool one_suffices(const sup_channel* c, uint32_t i, double begin, double end, const place a[4], const place b[4])
{
    for (int q = 1; q <= 3; ++q) {
        double t = 0.25 * q, t2 = t * t, t3 = t2 * t, h = end - begin, made[4], squares = 0;
        place  seen[4];
        if (!turned_at(c, i, begin + t * h, seen)) return true; // not a rotation: nothing to match
        for (int n = 0; n < 4; ++n) {
            made[n] = (2 * t3 - 3 * t2 + 1) * a[n].value + h * (t3 - 2 * t2 + t) * a[n].slope + (3 * t2 - 2 * t3) * b[n].value +
                      h * (t3 - t2) * b[n].slope;
            squares += made[n] * made[n];
        }
        for (int n = 0; n < 4; ++n)
            if (!(fabs(made[n] / sqrt(squares) - seen[n].value) <= ROTATION_SLACK)) return false;
    }
    return true;
}

static void put_slopes(float* out, const place* at, uint32_t width)
{
    for (uint32_t n = 0; out && n < width; ++n) out[n] = (float)at[n].slope;
}

static void cut_turn(cutter* k, uint32_t i, double begin, double end, int depth)
{
    const sup_channel* c = k->from;
    place              a[4], b[4];
    bool               seen = turned_at(c, i, begin, a);
    seen = turned_at(c, i, end, b) && seen;
    if (seen && depth < HALVINGS_MAX && !one_suffices(c, i, begin, end, a, b)) {
        double middle = 0.5 * (begin + end);
        cut_turn(k, i, begin, middle, depth + 1);
        cut_turn(k, i, middle, end, depth + 1);
        return;
    }
    put_slopes(last_out(k), a, 4);
    float* row = add_key(k, end);
    put_slopes(row, b, 4);
    for (uint32_t n = 0; row && n < 4; ++n) row[4 + n] = (float)b[n].value;
}

static void put_start(cutter* k, uint32_t i, double begin)
{
    const sup_channel* c = k->from;
    float*             row = add_key(k, begin);
    place              turned[4];
    bool               turns = c->path == SUP_PATH_ROTATION && begin > (double)c->times[i] && turned_at(c, i, begin, turned);
    for (uint32_t n = 0; row && n < c->width; ++n)
        row[c->width + n] = (float)(turns ? turned[n] : cubic_at(c, i, begin, n)).value;
}

// Segment i from `begin` to `end`: sets the out-tangent of the last key and adds the next one.
static void cut_segment(cutter* k, uint32_t i, double begin, double end)
{
    const sup_channel* c = k->from;
    size_t             width = c->width;
    bool               whole = begin == (double)c->times[i] && end == (double)c->times[i + 1];
    if (!whole && c->path == SUP_PATH_ROTATION) {
        cut_turn(k, i, begin, end, 0);
        return;
    }
    const float* key = c->values + 3 * width * i;
    float*       out = last_out(k);
    float*       row = add_key(k, end);
    for (uint32_t n = 0; row && n < width; ++n) {
        place b = cubic_at(c, i, end, n);
        out[n] = whole ? key[2 * width + n] : (float)cubic_at(c, i, begin, n).slope;
        row[n] = whole ? key[3 * width + n] : (float)b.slope;
        row[width + n] = whole ? key[4 * width + n] : (float)b.value;
    }
}

static void cut_cubic(cutter* k)
{
    const sup_channel* c = k->from;
    uint32_t           last = c->key_count - 1;
    for (uint32_t i = 0; i < last; ++i) {
        double begin = fmax(k->start, (double)c->times[i]), end = fmin(k->end, (double)c->times[i + 1]);
        if (!(begin < end)) continue;
        if (k->count == 0) put_start(k, i, begin);
        cut_segment(k, i, begin, end);
    }
    if (k->count) return;
    // The part lies before, after or inside a single instant: one key.
    uint32_t i = 0;
    while (i < last && (double)c->times[i + 1] <= k->start) ++i;
    if (i < last && (double)c->times[i] < k->start) {
        put_start(k, i, k->start);
        return;
    }
    float* row = add_key(k, k->start);
    if (row) memcpy(row + c->width, c->values + (3 * (size_t)i + 1) * c->width, c->width * sizeof *row);
}

// ---------------------------------------------------------------------------------------------- whole

static void cut(cutter* k)
{
    k->count = 0;
    if (k->from->interpolation == SUP_INTERPOLATE_CUBIC) cut_cubic(k);
    else cut_plain(k);
}

sup_result sup_channel_cut(const sup_channel* channel, double start, double end, sup_arena* arena, sup_channel* out,
                           sup_error* error)
{
    SUP_ASSERT(channel->key_count > 0 && start <= end);
    cutter k = { .from = channel, .start = start, .end = end };
    cut(&k);
    uint32_t count = k.count;
    k.times = SUP_NEW(arena, float, count);
    k.values = SUP_NEW(arena, float, count* row_width(channel));
    if (!k.times || !k.values) return sup_fail_memory(error, "a part of a clip");
    cut(&k);
    SUP_ASSERT(k.count == count);
    *out = *channel;
    out->key_count = count;
    out->times = k.times;
    out->values = k.values;
    // A lone spline key has tangents that lead nowhere; a step key says the same without them.
    if (channel->interpolation == SUP_INTERPOLATE_CUBIC && count == 1) {
        out->interpolation = SUP_INTERPOLATE_STEP;
        out->values = k.values + channel->width;
    }
    return SUP_OK;
}

sup_result sup_clip_cut(const sup_clip* clip, double start, double end, sup_arena* arena, sup_clip* out, sup_error* error)
{
    sup_channel* channels = SUP_NEW(arena, sup_channel, clip->channel_count);
    if (!channels) return sup_fail_memory(error, "a part of a clip");
    for (uint32_t i = 0; i < clip->channel_count; ++i) {
        sup_result result = sup_channel_cut(&clip->channels[i], start, end, arena, &channels[i], error);
        if (result != SUP_OK) return result;
    }
    *out = *clip;
    out->seconds = end - start;
    out->channels = channels;
    return SUP_OK;
}

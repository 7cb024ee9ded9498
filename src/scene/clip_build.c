// Copies clips into the character and checks them, so that sampling needs no checks.
#include "math/vec.h"
#include "scene/build.h"

#include <math.h>
#include <string.h>

#define BAD(...) sup_fail(build->error, SUP_ERROR_INPUT, __VA_ARGS__)

static const char* target_name(const sup_build* build, const sup_channel* channel)
{
    if (channel->path == SUP_PATH_WEIGHTS) return build->parts[channel->target].name;
    return build->joints[build->joint_places[channel->target]].name;
}

static sup_result check_target(sup_build* build, const char* clip, uint32_t index, const sup_channel* d, uint32_t* width)
{
    bool weights = d->path == SUP_PATH_WEIGHTS;
    if ((int)d->path < SUP_PATH_TRANSLATION || (int)d->path > SUP_PATH_WEIGHTS)
        return BAD("channel %u of clip '%s' moves an unknown property; use translation, rotation, scale or weights", index,
                   clip);
    if ((int)d->interpolation < SUP_INTERPOLATE_LINEAR || (int)d->interpolation > SUP_INTERPOLATE_CUBIC)
        return BAD("channel %u of clip '%s' has an unknown interpolation; use linear, step or cubic", index, clip);
    uint32_t limit = weights ? build->desc->part_count : build->desc->joint_count;
    if (d->target >= limit)
        return BAD("channel %u of clip '%s' moves %s %u but there are only %u; repair the file", index, clip,
                   weights ? "part" : "joint", d->target, limit);
    *width = d->path == SUP_PATH_ROTATION ? 4 : weights ? build->parts[d->target].morph_count : 3;
    if (d->width != *width)
        return BAD("clip '%s' gives %u numbers per key to '%s' instead of %u; repair the file", clip, d->width,
                   target_name(build, d), *width);
    if (!d->key_count || !d->times || (!d->values && *width))
        return BAD("clip '%s' has a channel without keys for '%s'; remove the channel", clip, target_name(build, d));
    return SUP_OK;
}

static sup_result check_times(sup_build* build, const char* clip, const sup_channel* d)
{
    for (uint32_t k = 0; k < d->key_count; ++k) {
        if (!isfinite(d->times[k]))
            return BAD("key %u of '%s' in clip '%s' has a time that is not a number; repair the file", k, target_name(build, d),
                       clip);
        if (k && !(d->times[k] > d->times[k - 1]))
            return BAD(
                "key %u of '%s' in clip '%s' is at %g s, not later than the key before it; sort the keys and remove duplicates",
                k, target_name(build, d), clip, (double)d->times[k]);
    }
    return SUP_OK;
}

// Cubic keys stay as they are: their tangents belong to them, and sampling normalizes the rotation anyway.
static void normalize_rotations(sup_build* build, const char* clip, const sup_channel* d, float* values)
{
    uint32_t none = 0;
    for (uint32_t k = 0; k < d->key_count; ++k) {
        float*   v = values + 4 * (size_t)k;
        sup_quat q = quat(v[0], v[1], v[2], v[3]);
        none += !(quat_dot(q, q) > SUP_EPS_LENGTH);
        q = quat_normalize_once(q);
        memcpy(v, &q, sizeof q);
    }
    if (none)
        sup_note(&build->warnings, "%u keys of '%s' in clip '%s' have a rotation of length zero; taken as no rotation", none,
                 target_name(build, d), clip);
}

// ---------------------------------------------------------------------------------------------- arrays, once each

// Files let many channels share one array of times, and a hostile file shares a huge one among a million channels. So every
// array is checked and copied once and then found by its address.
typedef struct copied {
    const float* from;
    size_t       count;
    bool         rotations; // normalized, so not equal to the plain copy
    float*       copy;
} copied;

typedef struct copies {
    copied* table;
    size_t  size;
} copies;

static bool make_copies(sup_build* build, copies* out)
{
    size_t arrays = 0;
    for (uint32_t i = 0; i < build->desc->clip_count; ++i) arrays += build->desc->clips[i].channel_count;
    out->size = 16;
    while (out->size < 2 * arrays && out->size <= SIZE_MAX / 4) out->size *= 2;
    out->table = SUP_NEW(build->scratch, copied, out->size);
    return out->table != NULL;
}

// The array's entry; its copy is NULL if the array is new.
static copied* find_copy(const copies* c, const float* from, size_t count, bool rotations)
{
    size_t at = (size_t)(((uint64_t)(uintptr_t)from + count) * 0x9e3779b97f4a7c15ull >> 20) & (c->size - 1);
    while (c->table[at].copy &&
           (c->table[at].from != from || c->table[at].count != count || c->table[at].rotations != rotations))
        at = (at + 1) & (c->size - 1);
    return &c->table[at];
}

static sup_result keep_times(sup_build* build, const copies* c, const char* clip, const sup_channel* d, const float** out)
{
    copied*    entry = find_copy(c, d->times, d->key_count, false);
    sup_result result;
    if (!entry->copy) {
        if ((result = check_times(build, clip, d))) return result;
        float* copy = sup_arena_copy(build->keep, d->times, d->key_count, sizeof *copy);
        if (!copy) return sup_fail_memory(build->error, "a clip");
        *entry = (copied){ d->times, d->key_count, false, copy };
    }
    *out = entry->copy;
    return SUP_OK;
}

static sup_result keep_values(sup_build* build, const copies* c, const char* clip, const sup_channel* d, const float** out)
{
    bool   cubic = d->interpolation == SUP_INTERPOLATE_CUBIC;
    bool   rotations = d->path == SUP_PATH_ROTATION && !cubic;
    size_t per_key = (size_t)d->width * (cubic ? 3 : 1);
    if (per_key && d->key_count > SIZE_MAX / 2 / per_key) return sup_fail_memory(build->error, "a clip");
    size_t  count = d->key_count * per_key;
    copied* entry = find_copy(c, d->values, count, rotations);
    if (!entry->copy) {
        for (size_t i = 0; i < count; ++i)
            if (!isfinite(d->values[i]))
                return BAD("clip '%s' has a key of '%s' that is not a number; repair the file", clip, target_name(build, d));
        float* copy = sup_arena_copy(build->keep, d->values, count, sizeof *copy);
        if (!copy) return sup_fail_memory(build->error, "a clip");
        if (rotations) normalize_rotations(build, clip, d, copy);
        *entry = (copied){ d->values, count, rotations, copy };
    }
    *out = entry->copy;
    return SUP_OK;
}

static sup_result make_channel(sup_build* build, const copies* times, const copies* values, const char* clip, uint32_t index,
                               const sup_channel* d, sup_channel* out)
{
    uint32_t   width = 0;
    sup_result result = check_target(build, clip, index, d, &width);
    if (result) return result;
    *out = *d;
    if ((result = keep_times(build, times, clip, d, &out->times))) return result;
    if ((result = keep_values(build, values, clip, d, &out->values))) return result;
    if (d->path != SUP_PATH_WEIGHTS) out->target = build->joint_places[d->target];
    return SUP_OK;
}

static sup_result make_clip(sup_build* build, const copies* times, const copies* values, uint32_t index, sup_clip* out)
{
    const sup_clip* d = &build->desc->clips[index];
    *out = (sup_clip){ .name = sup_build_name(build, d->name, "clip", index), .source_id = d->source_id, .baked = d->baked };
    if (!out->name) return sup_fail_memory(build->error, "a clip");
    if (d->channel_count && !d->channels)
        return BAD("clip '%s' counts %u channels but gives none", out->name, d->channel_count);
    sup_channel* channels = SUP_NEW(build->keep, sup_channel, d->channel_count);
    if (!channels) return sup_fail_memory(build->error, "a clip");
    if (!d->channel_count && isfinite(d->seconds) && d->seconds > 0) out->seconds = d->seconds;
    for (uint32_t i = 0; i < d->channel_count; ++i) {
        sup_result result = make_channel(build, times, values, out->name, i, &d->channels[i], &channels[i]);
        if (result) return result;
        double last = (double)channels[i].times[channels[i].key_count - 1];
        if (last > out->seconds) out->seconds = last;
    }
    out->channels = channels;
    out->channel_count = d->channel_count;
    return SUP_OK;
}

sup_result sup_build_clips(sup_build* build)
{
    sup_clip* clips = SUP_NEW(build->keep, sup_clip, build->desc->clip_count);
    copies    times, values;
    if (!clips || !make_copies(build, &times) || !make_copies(build, &values)) return sup_fail_memory(build->error, "clips");
    for (uint32_t i = 0; i < build->desc->clip_count; ++i) {
        sup_result result = make_clip(build, &times, &values, i, &clips[i]);
        if (result) return result;
    }
    build->out->clips = clips;
    build->out->clip_count = build->desc->clip_count;
    return SUP_OK;
}

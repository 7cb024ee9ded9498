// Animations. Keys stay in the file's memory unless they need another type or repaired times.
#include "io/gltf/gltf_reader.h"

#include <math.h>
#include <string.h>

typedef struct sampler {
    sup_interpolation interpolation;
    uint32_t          key_count;
    const float*      times;
    gltf_accessor     output;
    const uint32_t*   kept; // keys left after repairing the times; NULL: all
} sampler;

// The channel being read, with words for messages.
typedef struct place {
    gltf_reader* r;
    const char*  clip;
    uint32_t     channel;
} place;

static const char* describe(const place* at, const char* what)
{
    return gltf_text(at->r, "animation '%s' channel %u %s", at->clip, at->channel, what);
}

static bool find_path(const char* name, sup_path* out)
{
    static const char* const names[] = { "translation", "rotation", "scale", "weights" };
    for (int i = 0; i < 4; ++i)
        if (strcmp(names[i], name) == 0) {
            *out = (sup_path)i;
            return true;
        }
    return false;
}

static bool find_interpolation(const char* name, sup_interpolation* out)
{
    static const char* const names[] = { "LINEAR", "STEP", "CUBICSPLINE" };
    for (int i = 0; i < 3; ++i)
        if (strcmp(names[i], name) == 0) {
            *out = (sup_interpolation)i;
            return true;
        }
    return false;
}

// Of keys at the same time only the last is ever visible; the earlier ones are dropped.
static sup_result mend_times(const place* at, sampler* s)
{
    gltf_reader* r = at->r;
    uint32_t     equal = 0;
    for (uint32_t k = 1; k < s->key_count; ++k) {
        if (s->times[k] < s->times[k - 1])
            return sup_fail(r->error, SUP_ERROR_INPUT,
                            "%s: key %u is at %g s, before the preceding key at %g s; sort the keys",
                            describe(at, "input"), k, (double)s->times[k], (double)s->times[k - 1]);
        equal += s->times[k] == s->times[k - 1];
    }
    if (equal == 0) return SUP_OK;
    float*    times = gltf_take(r, s->key_count - equal, sizeof *times);
    uint32_t* kept = times ? gltf_take(r, s->key_count - equal, sizeof *kept) : NULL;
    if (!kept) return r->result;
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->key_count; ++k) {
        if (k + 1 < s->key_count && s->times[k] == s->times[k + 1]) continue;
        times[n] = s->times[k];
        kept[n++] = k;
    }
    gltf_warn(r, "animation '%s' channel %u has %u keys at the time of the next one; they are left out", at->clip, at->channel,
              equal);
    s->times = times;
    s->kept = kept;
    s->key_count = n;
    return SUP_OK;
}

static sup_result read_sampler(const place* at, const sup_json* value, sampler* s)
{
    gltf_reader*  r = at->r;
    gltf_accessor input;
    uint32_t      input_id, output_id;
    const char*   interpolation = sup_json_string(sup_json_get(value, "interpolation"), "LINEAR");
    *s = (sampler){ 0 };
    if (!find_interpolation(interpolation, &s->interpolation))
        return sup_fail(r->error, SUP_ERROR_INPUT, "%s '%.30s' is unknown", describe(at, "interpolation"), interpolation);
    GLTF_TRY(gltf_index(r, value, "input", r->source->accessor_count, describe(at, "input"), &input_id));
    GLTF_TRY(gltf_index(r, value, "output", r->source->accessor_count, describe(at, "output"), &output_id));
    if (input_id == SUP_NONE || output_id == SUP_NONE)
        return sup_fail(r->error, SUP_ERROR_INPUT, "%s has no input or no output; the file is damaged",
                        describe(at, "sampler"));
    GLTF_TRY(gltf_accessor_load(r, input_id, describe(at, "input"), &input));
    GLTF_TRY(gltf_accessor_load(r, output_id, describe(at, "output"), &s->output));
    if (input.components != 1)
        return sup_fail(r->error, SUP_ERROR_INPUT, "%s: times must be single numbers", describe(at, "input"));
    GLTF_TRY(gltf_accessor_floats(r, &input, &s->times));
    GLTF_TRY(gltf_accessor_finite(r, &input, s->times, describe(at, "input")));
    s->key_count = input.count;
    return SUP_OK;
}

// Values of the remaining keys: `width` numbers each, three times that for cubic splines.
static sup_result read_values(const place* at, const sampler* s, uint32_t keys_in_file, uint32_t width, const float** out)
{
    gltf_reader* r = at->r;
    uint64_t     per_key = (uint64_t)width * (s->interpolation == SUP_INTERPOLATE_CUBIC ? 3 : 1);
    uint64_t     numbers = (uint64_t)s->output.count * s->output.components, needed = per_key * keys_in_file;
    if (numbers < needed)
        return sup_fail(r->error, SUP_ERROR_INPUT,
                        "%s: %u keys need %llu numbers and the accessor has %llu; the file is damaged", describe(at, "output"),
                        keys_in_file, (unsigned long long)needed, (unsigned long long)numbers);
    GLTF_TRY(gltf_accessor_floats(r, &s->output, out));
    GLTF_TRY(gltf_accessor_finite(r, &s->output, *out, describe(at, "output")));
    if (!s->kept) return SUP_OK;
    float* values = gltf_take(r, s->key_count * per_key, sizeof *values);
    if (!values) return r->result;
    for (uint32_t k = 0; k < s->key_count; ++k)
        memcpy(values + k * per_key, *out + s->kept[k] * per_key, (size_t)per_key * sizeof *values);
    *out = values;
    return SUP_OK;
}

static sup_result read_channel(const place* at, const sup_json* value, const sup_json* const* samplers, uint32_t sampler_count,
                               sup_clip* clip, sup_channel* channels)
{
    gltf_reader*    r = at->r;
    const sup_json* target = sup_json_get(value, "target");
    uint32_t        index, node_index;
    sampler         s;
    sup_path        path;
    GLTF_TRY(gltf_index(r, value, "sampler", sampler_count, describe(at, ""), &index));
    GLTF_TRY(gltf_index(r, target, "node", r->node_count, describe(at, "target"), &node_index));
    if (index == SUP_NONE)
        return sup_fail(r->error, SUP_ERROR_INPUT, "%s is missing; the file is damaged", describe(at, "sampler"));
    if (node_index == SUP_NONE || !find_path(sup_json_string(sup_json_get(target, "path"), ""), &path)) return SUP_OK;
    GLTF_TRY(read_sampler(at, samplers[index], &s));
    if (s.key_count == 0) {
        gltf_warn(r, "animation '%s' channel %u has no keys; it is left out", at->clip, at->channel);
        return SUP_OK;
    }
    uint32_t keys_in_file = s.key_count;
    GLTF_TRY(mend_times(at, &s));
    if ((double)s.times[s.key_count - 1] > clip->seconds) clip->seconds = (double)s.times[s.key_count - 1];

    const gltf_node* node = &r->nodes[node_index];
    bool             weights = path == SUP_PATH_WEIGHTS;
    uint32_t         morphs = node->part == SUP_NONE ? 0 : r->parts[node->part].morph_count;
    uint32_t         wide = weights ? morphs : path == SUP_PATH_ROTATION ? 4 : 3;
    if (weights ? morphs == 0 : node->joint == SUP_NONE) return SUP_OK;
    sup_channel* out = &channels[clip->channel_count];
    *out = (sup_channel){ .target = weights ? node->part : node->joint,
                          .path = path,
                          .interpolation = s.interpolation,
                          .key_count = s.key_count,
                          .width = wide,
                          .times = s.times };
    GLTF_TRY(read_values(at, &s, keys_in_file, wide, &out->values));
    clip->channel_count++;
    return SUP_OK;
}

bool gltf_is_baked(const sup_json* animation)
{
    const sup_json* mark = sup_json_get(sup_json_get(animation, "extras"), GLTF_BAKED);
    return mark && mark->type == SUP_JSON_OBJECT;
}

static sup_result read_clip(gltf_reader* r, const sup_json* value, uint32_t index, sup_clip* clip)
{
    const sup_json **samplers, **values;
    uint32_t         sampler_count, count;
    *clip = (sup_clip){ .name = gltf_name(r, value, "clip", index), .source_id = index, .baked = gltf_is_baked(value) };
    GLTF_TRY(gltf_list(r, value, "samplers", r->work, &sampler_count, &samplers));
    GLTF_TRY(gltf_list(r, value, "channels", r->work, &count, &values));
    sup_channel* channels = SUP_NEW(r->work, sup_channel, count);
    if (!channels) return sup_fail_memory(r->error, "the clips");
    clip->channels = channels;
    for (uint32_t i = 0; i < count; ++i) {
        place at = { r, clip->name, i };
        GLTF_TRY(read_channel(&at, values[i], samplers, sampler_count, clip, channels));
    }
    return SUP_OK;
}

sup_result gltf_clips_read(gltf_reader* r)
{
    const sup_json** values;
    GLTF_TRY(gltf_list(r, r->source->root, "animations", r->work, &r->clip_count, &values));
    r->clips = SUP_NEW(r->work, sup_clip, r->clip_count);
    if (!r->clips) return sup_fail_memory(r->error, "the clips");
    for (uint32_t i = 0; i < r->clip_count; ++i) GLTF_TRY(read_clip(r, values[i], i, &r->clips[i]));
    return SUP_OK;
}

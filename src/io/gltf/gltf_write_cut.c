// Cuts one of the source's animations to a span, with everything it moves, cameras and other meshes too.
#include "base/internal.h"
#include "io/gltf/gltf_baking.h"

#include <string.h>

// Keys of the cut may take this many times the file's size, plus an allowance for small files, as in reading: samplers cost
// little, and thousands can share the same keys.
enum { GROWTH_FACTOR = 64, GROWTH_FREE = 64 << 20 };

typedef struct animation_cutter {
    gltf_baking*     baking;
    double           start, end;
    sup_json*        animation;
    sup_json* const* samplers; // before the cut
    uint32_t         sampler_count;
    uint32_t*        made; // the new one of each, for numbers and for rotations; SUP_NONE: none yet
    gltf_times       shared;
    uint64_t         capacity; // bytes left
} animation_cutter;

static bool find_path(const sup_json* channel, sup_path* out)
{
    static const char* const names[] = { "translation", "rotation", "scale", "weights" };
    const sup_json*          target = sup_json_get(channel, "target");
    const char*              name = sup_json_string(sup_json_get(target, "path"), "");
    for (int i = 0; i < 4; ++i)
        if (strcmp(names[i], name) == 0) {
            *out = (sup_path)i;
            return sup_json_get(target, "node") != NULL;
        }
    return false;
}

static sup_interpolation interpolation_of(const sup_json* sampler)
{
    const char* name = sup_json_string(sup_json_get(sampler, "interpolation"), "LINEAR");
    return name[0] == 'S' ? SUP_INTERPOLATE_STEP : name[0] == 'C' ? SUP_INTERPOLATE_CUBIC : SUP_INTERPOLATE_LINEAR;
}

static bool find_keys(const animation_cutter* a, const sup_json* sampler, gltf_accessor* input, gltf_accessor* output)
{
    const gltf_source* source = a->baking->document.source;
    uint32_t           in = sup_json_index(sup_json_get(sampler, "input"), SUP_NONE);
    uint32_t           out = sup_json_index(sup_json_get(sampler, "output"), SUP_NONE);
    sup_error          ignored;
    return gltf_accessor_find(source, in, "times", input, &ignored) == SUP_OK && input->components == 1 && input->count > 0 &&
           gltf_accessor_find(source, out, "keys", output, &ignored) == SUP_OK;
}

// Decodes keys as floats. Of several at one time the last counts, as in the reader. False: there are fewer values than keys.
static bool read_keys(animation_cutter* a, const sup_json* sampler, sup_path path, sup_channel* out)
{
    gltf_edit*    edit = &a->baking->edit;
    gltf_accessor input, output;
    if (!find_keys(a, sampler, &input, &output)) return false;
    sup_interpolation how = interpolation_of(sampler);
    uint64_t          rows = how == SUP_INTERPOLATE_CUBIC ? 3 : 1, numbers = (uint64_t)output.count * output.components;
    uint64_t          width = path == SUP_PATH_ROTATION ? 4 : path == SUP_PATH_WEIGHTS ? numbers / (rows * input.count) : 3;
    if (width == 0 || width * rows * input.count > numbers) return false;
    size_t   per_key = (size_t)(width * rows);
    uint64_t bytes = 2 * sizeof(float) * (per_key + 1) * input.count; // as read, and cut
    if (bytes > a->capacity) return false;
    a->capacity -= bytes;
    float* times = SUP_NEW(edit->arena, float, input.count);
    float* values = SUP_NEW(edit->arena, float, input.count* per_key);
    if (!times || !values) {
        edit->failed = true;
        return true;
    }
    uint32_t count = 0;
    for (uint32_t k = 0; k < input.count; ++k) {
        float at = gltf_accessor_float(&input, k, 0);
        if (count && !(at > times[count - 1])) count--;
        times[count] = at;
        for (size_t n = 0; n < per_key; ++n) {
            size_t from = k * per_key + n;
            values[count * per_key + n] =
                gltf_accessor_float(&output, (uint32_t)(from / output.components), (uint32_t)(from % output.components));
        }
        count++;
    }
    *out = (sup_channel){
        .path = path, .interpolation = how, .key_count = count, .width = (uint32_t)width, .times = times, .values = values
    };
    return true;
}

// The cut sampler that a channel needs; SUP_NONE: its keys cannot be decoded.
static uint32_t cut_sampler(animation_cutter* a, const sup_json* channel)
{
    gltf_edit*  edit = &a->baking->edit;
    uint32_t    index = sup_json_index(sup_json_get(channel, "sampler"), SUP_NONE);
    sup_path    path;
    sup_channel whole = { 0 }, part;
    if (index >= a->sampler_count || !find_path(channel, &path)) return SUP_NONE;
    uint32_t* made = &a->made[2 * index + (path == SUP_PATH_ROTATION)];
    if (*made != SUP_NONE) return *made;
    if (!read_keys(a, a->samplers[index], path, &whole) || edit->failed) return SUP_NONE;
    edit->failed |= sup_channel_cut(&whole, a->start, a->end, edit->arena, &part, NULL) != SUP_OK;
    if (!edit->failed) *made = gltf_clip_keys(edit, &part, &a->shared, a->animation);
    return *made;
}

uint32_t gltf_animation_cut(gltf_baking* baking, sup_json* animation, double start, double span)
{
    gltf_edit*       edit = &baking->edit;
    animation_cutter a = { .baking = baking, .start = start, .end = start + span, .animation = animation };
    a.capacity = (uint64_t)baking->document.source->bytes * GROWTH_FACTOR + GROWTH_FREE;
    a.samplers = gltf_edit_items(edit, gltf_edit_get(animation, "samplers"), &a.sampler_count);
    a.made = SUP_NEW(edit->arena, uint32_t, 2 * (size_t)a.sampler_count);
    sup_json* channels = gltf_edit_get(animation, "channels");
    sup_json* kept = gltf_edit_new(edit, SUP_JSON_ARRAY);
    uint32_t  left = 0;
    if (!a.made) edit->failed = true;
    if (edit->failed) return 0;
    memset(a.made, 0xff, 2 * (size_t)a.sampler_count * sizeof *a.made);
    sup_json_remove(animation, "samplers");
    for (sup_json *channel = channels ? channels->first : NULL, *next; channel; channel = next) {
        next = channel->next;
        uint32_t sampler = cut_sampler(&a, channel);
        left += sampler == SUP_NONE;
        if (sampler == SUP_NONE) continue;
        gltf_edit_number(edit, channel, "sampler", sampler);
        channel->next = NULL;
        sup_json_push(kept, channel);
    }
    gltf_edit_put(edit, animation, "channels", kept);
    return left;
}

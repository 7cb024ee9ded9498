// The baked clip: copies of the source's joint channels, and for every mesh the weights that show frame after frame.
#include "base/internal.h"
#include "io/gltf/gltf_pack.h"

#include <string.h>

static baked_part* part_of(gltf_baking* baking, const sup_json* channel)
{
    const sup_json* target = sup_json_get(channel, "target");
    if (strcmp(sup_json_string(sup_json_get(target, "path"), ""), "weights") != 0) return NULL;
    uint32_t node = sup_json_index(sup_json_get(target, "node"), SUP_NONE);
    for (uint32_t i = 0; i < baking->part_count; ++i)
        if (baking->parts[i].from->node == node) return &baking->parts[i];
    return NULL;
}

// ---------------------------------------------------------------------------------------------- other clips

// Extends the keys of a mesh that has more targets now: the new ones stay at 0.
static sup_result pad_channel(gltf_baking* baking, sup_json* animation, sup_json* channel, const baked_part* part,
                              sup_error* error)
{
    gltf_edit*      edit = &baking->edit;
    sup_json*       samplers = gltf_edit_get(animation, "samplers");
    const sup_json* old = sup_json_at(samplers, sup_json_index(sup_json_get(channel, "sampler"), SUP_NONE));
    if (part->pull.flat) gltf_edit_number(edit, gltf_edit_get(channel, "target"), "node", part->carrier);
    if (!old || part->existing == 0) return SUP_OK;
    gltf_accessor output;
    sup_result    result = gltf_accessor_find(baking->document.source, sup_json_index(sup_json_get(old, "output"), SUP_NONE),
                                              "morph weights of an animation", &output, error);
    if (result != SUP_OK) return result;
    uint32_t rows = output.count / part->existing;
    size_t   width = (size_t)part->existing + part->fresh;
    if (rows * width > UINT32_MAX)
        return sup_fail(error, SUP_ERROR_INPUT, "a clip of morph weights is too long; bake fewer frames");
    float* values = SUP_NEW(edit->arena, float, rows* width);
    if (!values) return sup_fail_memory(error, "morph weights");
    for (uint32_t r = 0; r < rows; ++r)
        for (uint32_t i = 0; i < part->existing; ++i)
            values[r * width + i] = gltf_accessor_float(&output, r * part->existing + i, 0);
    sup_json* sampler = gltf_edit_copy(edit, old);
    gltf_edit_number(edit, sampler, "output", gltf_edit_floats(edit, values, (uint32_t)(rows * width), 1, 0, false));
    if (!sampler) return SUP_OK; // the edit has recorded the failure
    sup_json_push(samplers, sampler);
    gltf_edit_number(edit, channel, "sampler", samplers->count - 1);
    return SUP_OK;
}

static sup_result pad_animations(gltf_baking* baking, sup_error* error)
{
    sup_json* animations = gltf_edit_get(baking->edit.root, "animations");
    for (sup_json* animation = animations ? animations->first : NULL; animation; animation = animation->next) {
        sup_json* channels = gltf_edit_get(animation, "channels");
        for (sup_json* channel = channels ? channels->first : NULL; channel; channel = channel->next) {
            const baked_part* part = part_of(baking, channel);
            sup_result        result = part ? pad_channel(baking, animation, channel, part, error) : SUP_OK;
            if (result != SUP_OK) return result;
        }
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- the new one

static uint32_t source_animation(const gltf_baking* baking, const sup_bake_desc* desc)
{
    for (uint32_t c = 0; c < desc->character->clip_count; ++c)
        if (desc->clip == &desc->character->clips[c]) return baking->document.clip_animations[c];
    return SUP_NONE;
}

// Some exporters give the views of animations a byteStride, which glTF does not allow. The source keeps them; our additions get
// the same values tightly packed.
typedef struct tightener {
    gltf_baking* baking;
    uint32_t     accessor_count, view_count;
    sup_json**   accessors; // of the copy, before anything was added
    sup_json**   views;
    uint32_t*    tight; // the tight copy of each accessor, SUP_NONE: none
} tightener;

// Index of the accessor to use.
static uint32_t tight_accessor(tightener* t, uint32_t index)
{
    gltf_edit*      edit = &t->baking->edit;
    const sup_json* stored = index < t->accessor_count ? t->accessors[index] : NULL;
    uint32_t        view = sup_json_index(sup_json_get(stored, "bufferView"), SUP_NONE);
    gltf_accessor   from;
    if (view >= t->view_count || !sup_json_get(t->views[view], "byteStride")) return index;
    if (t->tight[index] != SUP_NONE) return t->tight[index];
    // One that reading did not use stays unchanged.
    if (gltf_accessor_find(t->baking->document.source, index, "animation", &from, NULL) != SUP_OK || !from.data) return index;
    bool     wide = from.component_type == GLTF_FLOAT || from.component_type == GLTF_UINT;
    size_t   bytes = from.components * (size_t)(wide ? 4 : from.component_type > GLTF_UBYTE ? 2 : 1);
    uint8_t* data = sup_arena_alloc(edit->arena, from.count, bytes);
    if (!data) {
        edit->failed = true;
        return index;
    }
    for (uint32_t i = 0; i < from.count; ++i) memcpy(data + i * bytes, from.data + i * from.stride, bytes);
    sup_json* accessor = gltf_edit_copy(edit, stored);
    if (accessor) {
        sup_json_remove(accessor, "byteOffset");
        sup_json_remove(accessor, "sparse");
    }
    gltf_edit_number(edit, accessor, "bufferView", gltf_edit_view(edit, data, from.count * bytes, 0, 0));
    t->tight[index] = gltf_edit_add(edit, "accessors", accessor);
    return t->tight[index];
}

static void tighten(gltf_baking* baking, sup_json* animation)
{
    gltf_edit* edit = &baking->edit;
    tightener  t = { .baking = baking };
    t.accessors = gltf_edit_items(edit, gltf_edit_get(edit->root, "accessors"), &t.accessor_count);
    t.views = gltf_edit_items(edit, gltf_edit_get(edit->root, "bufferViews"), &t.view_count);
    t.tight = SUP_NEW(edit->arena, uint32_t, t.accessor_count);
    if (!t.tight) edit->failed = true;
    if (edit->failed) return;
    memset(t.tight, 0xff, t.accessor_count * sizeof *t.tight);
    sup_json* samplers = gltf_edit_get(animation, "samplers");
    for (sup_json* sampler = samplers ? samplers->first : NULL; sampler; sampler = sampler->next) {
        static const char* const keys[] = { "input", "output" };
        for (size_t k = 0; k < SUP_COUNT_OF(keys); ++k) {
            uint32_t index = sup_json_index(sup_json_get(sampler, keys[k]), SUP_NONE);
            uint32_t tight = tight_accessor(&t, index);
            if (tight != index) gltf_edit_number(edit, sampler, keys[k], tight);
        }
    }
}

// The source's animation without the weights of baked meshes: the targets already contain them.
static sup_json* copy_animation(gltf_baking* baking, sup_bake* bake, const sup_json* source)
{
    gltf_edit* edit = &baking->edit;
    sup_json*  animation = gltf_edit_copy(edit, source);
    sup_json*  channels = gltf_edit_new(edit, SUP_JSON_ARRAY);
    sup_json*  old = gltf_edit_get(animation, "channels");
    for (sup_json* channel = old && channels ? old->first : NULL; channel;) {
        sup_json* next = channel->next;
        if (!part_of(baking, channel)) {
            channel->next = NULL;
            sup_json_push(channels, channel);
        }
        channel = next;
    }
    gltf_edit_put(edit, animation, "channels", channels);
    if (bake->part == bake->desc.clip) {
        tighten(baking, animation);
        return animation;
    }
    uint32_t left = gltf_animation_cut(baking, animation, bake->desc.start, sup_bake_clip_end(bake) - bake->desc.start);
    if (left)
        sup_bake_warn(
            bake, "%u channels of the clip animate properties that Supple does not know; they are not in the baked part", left);
    return animation;
}

static sup_json* start_animation(gltf_baking* baking, sup_bake* bake, const sup_pose* held, sup_json* const* nodes)
{
    const sup_bake_desc* desc = &bake->desc;
    gltf_edit*           edit = &baking->edit;
    uint32_t             index = desc->clip ? source_animation(baking, desc) : SUP_NONE;
    const sup_json*      source = index == SUP_NONE ? NULL : sup_json_at(sup_json_get(edit->root, "animations"), index);
    if (source && source->type != SUP_JSON_OBJECT) source = NULL;
    sup_json* animation = source ? copy_animation(baking, bake, source) : gltf_edit_new(edit, SUP_JSON_OBJECT);
    gltf_edit_string(edit, animation, "name", baking->name);
    if (!source && desc->clip) {
        gltf_clip_write(edit, bake->part, baking->document.joint_nodes, NULL, animation);
        gltf_clip_unlock(edit, desc->character, desc->clip, baking->document.joint_nodes, nodes);
    }
    if (held) gltf_clip_hold(edit, desc->character, held, 0, baking->document.joint_nodes, nodes, animation);
    return animation;
}

// The frame times from 0 on, and the end of the span if that is after the last frame.
static sup_result frame_times(gltf_edit* edit, const sup_bake* bake, uint32_t* accessor, uint32_t* count, sup_error* error)
{
    const sup_bake_desc* desc = &bake->desc;
    float*               times = SUP_NEW(edit->arena, float, (size_t)desc->frame_count + 1);
    if (!times) return sup_fail_memory(error, "the times of a bake");
    for (uint32_t f = 0; f < desc->frame_count; ++f) {
        times[f] = (float)((double)f / desc->fps);
        if (f > 0 && !(times[f] > times[f - 1]))
            return sup_fail(error, SUP_ERROR_INPUT,
                            "at %g frames per second times are too close to be distinguished; lower --fps", desc->fps);
    }
    *count = desc->frame_count;
    double rest = bake->span * desc->fps - (double)(desc->frame_count - 1); // in frames; less is rounding of the clip's length
    if (rest > 1e-3 && (float)bake->span > times[desc->frame_count - 1]) times[(*count)++] = (float)bake->span;
    *accessor = gltf_edit_floats(edit, times, *count, 1, 0, true);
    return SUP_OK;
}

// At frame f only target f is on; at the end the last one stays on, or the first again. Meshes with the same number of existing
// targets share the sampler.
static uint32_t weights_sampler(gltf_edit* edit, const sup_bake_desc* desc, sup_json* animation, uint32_t input, uint32_t keys,
                                uint32_t existing)
{
    uint32_t frames = desc->frame_count;
    size_t   width = (size_t)existing + frames;
    float*   values = SUP_NEW(edit->arena, float, keys* width);
    for (uint32_t f = 0; values && f < keys; ++f) {
        uint32_t shown = f < frames ? f : desc->loop ? 0 : frames - 1;
        values[f * width + existing + shown] = 1;
    }
    uint32_t output = gltf_edit_floats(edit, values, (uint32_t)(keys * width), 1, 0, false);
    return gltf_clip_sampler(edit, animation, input, output, "LINEAR");
}

// The courses of a mesh's components.
static uint32_t component_sampler(gltf_baking* baking, sup_json* animation, uint32_t input, uint32_t keys,
                                  const baked_part* part)
{
    gltf_edit* edit = &baking->edit;
    float*     values = gltf_pack_weights(baking->pack, part, keys, edit->arena);
    uint32_t   count = keys * (part->existing + part->fresh);
    return gltf_clip_sampler(edit, animation, input, gltf_edit_floats(edit, values, count, 1, 0, false), "LINEAR");
}

// Marks the clip that shows the deformed skin, for other programs and for fit. Extras that are not an object belong to somebody
// else.
static void mark_baked(gltf_edit* edit, const sup_bake* bake, sup_json* animation)
{
    const sup_bake_desc* desc = &bake->desc;
    sup_json*            extras = gltf_edit_get(animation, "extras");
    if (extras && extras->type != SUP_JSON_OBJECT) return;
    extras = gltf_edit_object(edit, animation, "extras");
    sup_json* mark = gltf_edit_new(edit, SUP_JSON_OBJECT);
    gltf_edit_string(edit, mark, "chain", desc->chain ? desc->chain : "");
    if (desc->clip && desc->clip->name) gltf_edit_string(edit, mark, "clip", desc->clip->name);
    gltf_edit_number(edit, mark, "start", desc->start);
    gltf_edit_number(edit, mark, "end", desc->start + bake->span);
    gltf_edit_number(edit, mark, "fps", desc->fps);
    gltf_edit_put(edit, extras, GLTF_BAKED, mark);
}

sup_result gltf_baking_animate(gltf_baking* baking, sup_bake* bake, const sup_pose* held, sup_json* const* nodes,
                               sup_error* error)
{
    const sup_bake_desc* desc = &bake->desc;
    gltf_edit*           edit = &baking->edit;
    sup_json*            animation = start_animation(baking, bake, held, nodes);
    uint32_t             input = 0, keys = 0;
    sup_result           result = frame_times(edit, bake, &input, &keys, error);
    if (result == SUP_OK)
        result = gltf_rest_check(desc->character, NULL, baking->document.joint_nodes, nodes, edit->arena, error);
    if (result == SUP_OK) result = pad_animations(baking, error);
    if (result != SUP_OK) return result;
    uint32_t* samplers = SUP_NEW(edit->arena, uint32_t, baking->part_count);
    if (!samplers) return sup_fail_memory(error, "the animation of a bake");
    for (uint32_t i = 0; i < baking->part_count && !edit->failed; ++i) {
        uint32_t same = 0;
        if (baking->parts[i].existing + baking->parts[i].fresh == 0) continue; // only skinning moves it
        while (baking->parts[same].existing != baking->parts[i].existing) same++;
        if (gltf_baking_pack(baking)) samplers[i] = component_sampler(baking, animation, input, keys, &baking->parts[i]);
        else if (same < i) samplers[i] = samplers[same];
        else samplers[i] = weights_sampler(edit, desc, animation, input, keys, baking->parts[i].existing);
        gltf_clip_channel(edit, animation, samplers[i], baking->parts[i].carrier, "weights");
    }
    mark_baked(edit, bake, animation);
    gltf_edit_add(edit, "animations", animation);
    return edit->failed ? sup_fail_memory(error, "the animation of a bake") : SUP_OK;
}

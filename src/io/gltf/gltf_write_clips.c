// Writes clips as glTF animations.
#include "base/internal.h"
#include "io/gltf/gltf_write.h"
#include "math/vec.h"
#include "scene/exact.h"

#include <string.h>

uint32_t gltf_clip_sampler(gltf_edit* edit, sup_json* animation, uint32_t input, uint32_t output, const char* interpolation)
{
    sup_json* samplers = gltf_edit_array(edit, animation, "samplers");
    sup_json* sampler = gltf_edit_new(edit, SUP_JSON_OBJECT);
    gltf_edit_number(edit, sampler, "input", input);
    gltf_edit_number(edit, sampler, "output", output);
    gltf_edit_string(edit, sampler, "interpolation", interpolation);
    if (!samplers || !sampler) return 0;
    sup_json_push(samplers, sampler);
    return samplers->count - 1;
}

void gltf_clip_channel(gltf_edit* edit, sup_json* animation, uint32_t sampler, uint32_t node, const char* path)
{
    sup_json* channels = gltf_edit_array(edit, animation, "channels");
    sup_json* channel = gltf_edit_new(edit, SUP_JSON_OBJECT);
    gltf_edit_number(edit, channel, "sampler", sampler);
    sup_json* target = gltf_edit_object(edit, channel, "target");
    gltf_edit_number(edit, target, "node", node);
    gltf_edit_string(edit, target, "path", path);
    if (channels && channel) sup_json_push(channels, channel);
}

static const char* path_name(sup_path path)
{
    switch (path) {
    case SUP_PATH_TRANSLATION: return "translation";
    case SUP_PATH_ROTATION: return "rotation";
    case SUP_PATH_SCALE: return "scale";
    default: return "weights";
    }
}

static const char* interpolation_name(sup_interpolation interpolation)
{
    switch (interpolation) {
    case SUP_INTERPOLATE_STEP: return "STEP";
    case SUP_INTERPOLATE_CUBIC: return "CUBICSPLINE";
    default: return "LINEAR";
    }
}

// Values in glTF's form: rotations normalized (of splines the middle of each triple), and a spline with a single key, which is
// not allowed, as only its value.
static const float* channel_values(gltf_edit* edit, const sup_channel* channel, bool lone_spline, uint32_t elements)
{
    size_t       width = channel->width;
    const float* values = lone_spline ? channel->values + width : channel->values;
    if (channel->path != SUP_PATH_ROTATION) return values;
    float* copy = sup_arena_copy(edit->arena, values, elements * width, sizeof *copy);
    if (!copy) return NULL;
    bool spline = channel->interpolation == SUP_INTERPOLATE_CUBIC && !lone_spline;
    for (uint32_t i = spline ? 1 : 0; i < elements; i += spline ? 3 : 1) {
        sup_quat q;
        memcpy(&q, copy + i * width, sizeof q);
        q = quat_normalize_once(q);
        memcpy(copy + i * width, &q, sizeof q);
    }
    return copy;
}

uint32_t gltf_clip_keys(gltf_edit* edit, const sup_channel* channel, gltf_times* shared, sup_json* animation)
{
    bool     spline = channel->interpolation == SUP_INTERPOLATE_CUBIC, lone = spline && channel->key_count == 1;
    uint32_t elements = channel->key_count * (spline && !lone ? 3 : 1);
    // Consecutive channels mostly share their times.
    if (!shared->times || shared->count != channel->key_count ||
        memcmp(shared->times, channel->times, channel->key_count * sizeof *shared->times) != 0)
        *shared = (gltf_times){ channel->times, channel->key_count,
                                gltf_edit_floats(edit, channel->times, channel->key_count, 1, 0, true) };
    const float* values = channel_values(edit, channel, lone, elements);
    uint32_t output = channel->path == SUP_PATH_WEIGHTS ? gltf_edit_floats(edit, values, elements * channel->width, 1, 0, false)
                                                        : gltf_edit_floats(edit, values, elements, channel->width, 0, false);
    return gltf_clip_sampler(edit, animation, shared->accessor, output,
                             interpolation_name(lone ? SUP_INTERPOLATE_STEP : channel->interpolation));
}

void gltf_clip_write(gltf_edit* edit, const sup_clip* clip, const uint32_t* joint_nodes, const uint32_t* part_nodes,
                     sup_json* animation)
{
    gltf_times shared = { 0 };
    for (uint32_t i = 0; i < clip->channel_count; ++i) {
        const sup_channel* channel = &clip->channels[i];
        bool               weights = channel->path == SUP_PATH_WEIGHTS;
        if (weights && !part_nodes) continue;
        uint32_t node = weights ? part_nodes[channel->target] : joint_nodes[channel->target];
        if (node == SUP_NONE || channel->width == 0) continue;
        gltf_clip_channel(edit, animation, gltf_clip_keys(edit, channel, &shared, animation), node, path_name(channel->path));
    }
}

// A matrix cannot be animated: the node gets the rest transform in three parts instead.
static void split_matrix(gltf_edit* edit, sup_json* node, const sup_transform* rest)
{
    if (!gltf_edit_get(node, "matrix")) return;
    sup_json_remove(node, "matrix");
    gltf_edit_numbers(edit, node, "translation", &rest->translation.x, 3);
    gltf_edit_numbers(edit, node, "rotation", &rest->rotation.x, 4);
    gltf_edit_numbers(edit, node, "scale", &rest->scale.x, 3);
}

void gltf_clip_unlock(gltf_edit* edit, const sup_character* character, const sup_clip* clip, const uint32_t* joint_nodes,
                      sup_json* const* nodes)
{
    for (uint32_t i = 0; i < clip->channel_count; ++i) {
        const sup_channel* channel = &clip->channels[i];
        if (channel->path == SUP_PATH_WEIGHTS || joint_nodes[channel->target] == SUP_NONE) continue;
        split_matrix(edit, nodes[joint_nodes[channel->target]], &character->skeleton.joints[channel->target].rest);
    }
}

// A sheared matrix of 1e38 may overflow when it is split into three parts.
sup_result gltf_rest_check(const sup_character* character, const sup_transform* place, const uint32_t* joint_nodes,
                           sup_json* const* nodes, sup_arena* arena, sup_error* error)
{
    const sup_skeleton* s = &character->skeleton;
    exact_affine*       globals = SUP_NEW(arena, exact_affine, s->joint_count);
    sup_transform       none = transform_identity();
    exact_affine        top = exact_from_transform(place ? place : &none);
    if (!globals) return sup_fail_memory(error, "a skeleton");
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        const sup_joint* joint = &s->joints[j];
        uint32_t         at = joint_nodes ? joint_nodes[j] : j;
        bool             matrix = at != SUP_NONE && nodes[at] && gltf_edit_get(nodes[at], "matrix");
        exact_affine     local = matrix ? exact_from(&joint->matrix) : exact_from_transform(&joint->rest);
        globals[j] = exact_mul(joint->parent == SUP_NONE ? &top : &globals[joint->parent], &local);
        sup_affine rounded = exact_round(&globals[j]);
        if (!affine_finite(&rounded))
            return sup_fail(error, SUP_ERROR_INPUT,
                            "the rest transforms down to joint '%s' overflow when they are written as translation, rotation "
                            "and scale, as animated joints must be; scale them down",
                            joint->name);
    }
    return SUP_OK;
}

void gltf_clip_hold(gltf_edit* edit, const sup_character* character, const sup_pose* pose, float time,
                    const uint32_t* joint_nodes, sup_json* const* nodes, sup_json* animation)
{
    uint32_t input = SUP_NONE;
    float*   key = sup_arena_copy(edit->arena, &time, 1, sizeof time);
    for (uint32_t j = 0; j < character->skeleton.joint_count; ++j) {
        const sup_transform* rest = &character->skeleton.joints[j].rest;
        if (joint_nodes[j] == SUP_NONE || memcmp(rest, &pose->local[j], sizeof *rest) == 0) continue;
        sup_transform* local = sup_arena_copy(edit->arena, &pose->local[j], 1, sizeof *local);
        if (!local) {
            edit->failed = true;
            return;
        }
        local->rotation = quat_normalize_once(local->rotation);
        const struct {
            const float* values;
            uint32_t     width;
            bool         moved;
            const char*  path;
        } rows[] = {
            { &local->translation.x, 3, memcmp(&local->translation, &rest->translation, sizeof(sup_vec3)) != 0, "translation" },
            { &local->rotation.x, 4, memcmp(&local->rotation, &rest->rotation, sizeof(sup_quat)) != 0, "rotation" },
            { &local->scale.x, 3, memcmp(&local->scale, &rest->scale, sizeof(sup_vec3)) != 0, "scale" },
        };
        split_matrix(edit, nodes[joint_nodes[j]], rest);
        for (size_t r = 0; r < SUP_COUNT_OF(rows); ++r) {
            if (!rows[r].moved) continue;
            if (input == SUP_NONE) input = gltf_edit_floats(edit, key, 1, 1, 0, true);
            uint32_t output = gltf_edit_floats(edit, rows[r].values, 1, rows[r].width, 0, false);
            gltf_clip_channel(edit, animation, gltf_clip_sampler(edit, animation, input, output, "LINEAR"), joint_nodes[j],
                              rows[r].path);
        }
    }
}

#include "scenes/draft.h"

#include "base/internal.h"
#include "math/vec.h"

#include <string.h>

static const double keys_per_second = 60.0;

sup_result sup_draft_begin_weights(sup_draft* draft, sup_error* error)
{
    size_t count = (size_t)draft->point_count * SUP_DRAFT_INFLUENCES;
    draft->influence_joints = SUP_NEW(draft->arena, uint32_t, count);
    draft->influence_values = SUP_NEW(draft->arena, float, count);
    if (!draft->influence_joints || !draft->influence_values) return sup_fail_memory(error, draft->name);
    return SUP_OK;
}

void sup_draft_set_weights(sup_draft* draft, uint32_t point, const float* row)
{
    enum { KEPT = SUP_DRAFT_INFLUENCES };
    // The largest KEPT + 1, in falling order; ties go to the earlier joint.
    uint32_t joints[KEPT + 1] = { 0 };
    float    values[KEPT + 1] = { 0 };
    for (uint32_t j = 0; j < draft->joint_count; ++j) {
        uint32_t at = KEPT + 1;
        while (at > 0 && row[j] > values[at - 1]) --at;
        if (at > KEPT) continue;
        for (uint32_t i = KEPT; i > at; --i) joints[i] = joints[i - 1], values[i] = values[i - 1];
        joints[at] = j, values[at] = row[j];
    }
    // Minus the fifth: a joint enters and leaves the four with weight zero, so neighbors never differ by a jump.
    float cut = values[KEPT], sum = 0.0f;
    for (int i = 0; i < KEPT; ++i) sum += values[i] - cut;
    uint32_t* out_joints = draft->influence_joints + (size_t)point * KEPT;
    float*    out_values = draft->influence_values + (size_t)point * KEPT;
    for (int i = 0; i < KEPT; ++i) {
        out_joints[i] = joints[i];
        out_values[i] = sum > 0.0f ? (values[i] - cut) / sum : i == 0 ? 1.0f : 0.0f;
    }
}

static void pose_rest(const sup_draft* draft, sup_draft_pose* pose)
{
    for (uint32_t j = 0; j < draft->joint_count; ++j) pose->turns[j] = quat_identity(), pose->shifts[j] = v3(0, 0, 0);
}

static sup_vec3 rest_offset(const sup_draft* draft, uint32_t joint)
{
    const sup_draft_joint* j = &draft->joints[joint];
    return j->parent == SUP_NONE ? j->place : v3_sub(j->place, draft->joints[j->parent].place);
}

static bool column_moves(const float* values, uint32_t keys, uint32_t width, const float* rest)
{
    for (uint32_t k = 0; k < keys; ++k)
        if (memcmp(values + (size_t)k * width, rest, width * sizeof(float)) != 0) return true;
    return false;
}

sup_result sup_draft_record(sup_draft* draft, const char* name, double seconds, bool loop, sup_draft_motion* motion,
                            sup_error* error)
{
    SUP_ASSERT(draft->clip_count < SUP_DRAFT_CLIPS);
    uint32_t       joints = draft->joint_count;
    uint32_t       keys = (uint32_t)floor(seconds * keys_per_second + 0.5) + 1;
    sup_draft_pose pose = { SUP_NEW(draft->arena, sup_quat, joints), SUP_NEW(draft->arena, sup_vec3, joints) };
    float*         times = SUP_NEW(draft->arena, float, keys);
    sup_quat*      turns = SUP_NEW(draft->arena, sup_quat, (size_t)joints * keys);
    sup_vec3*      places = SUP_NEW(draft->arena, sup_vec3, (size_t)joints * keys);
    sup_channel*   channels = SUP_NEW(draft->arena, sup_channel, 2 * (size_t)joints + 1);
    if (!pose.turns || !pose.shifts || !times || !turns || !places || !channels) return sup_fail_memory(error, draft->name);

    for (uint32_t k = 0; k < keys; ++k) {
        times[k] = (float)(k + 1 == keys ? seconds : k / keys_per_second);
        pose_rest(draft, &pose);
        motion(draft, loop && k + 1 == keys ? 0.0 : times[k], &pose);
        for (uint32_t j = 0; j < joints; ++j) {
            turns[(size_t)j * keys + k] = quat_normalize(pose.turns[j]);
            places[(size_t)j * keys + k] = v3_add(rest_offset(draft, j), pose.shifts[j]);
        }
    }
    uint32_t count = 0;
    for (uint32_t j = 0; j < joints; ++j) {
        sup_quat     upright = quat_identity();
        sup_vec3     home = rest_offset(draft, j);
        const float* turn = &turns[(size_t)j * keys].x;
        const float* place = &places[(size_t)j * keys].x;
        // The first joint always has a channel: a clip without any would have no length.
        if (j == 0 || column_moves(turn, keys, 4, &upright.x))
            channels[count++] = (sup_channel){ j, SUP_PATH_ROTATION, SUP_INTERPOLATE_LINEAR, keys, 4, times, turn };
        if (column_moves(place, keys, 3, &home.x))
            channels[count++] = (sup_channel){ j, SUP_PATH_TRANSLATION, SUP_INTERPOLATE_LINEAR, keys, 3, times, place };
    }
    draft->clips[draft->clip_count++] = (sup_clip){
        .name = name, .seconds = times[keys - 1], .channel_count = count, .channels = channels, .source_id = SUP_NONE
    };
    return SUP_OK;
}

static sup_result finish(const sup_draft* draft, const sup_allocator* allocator, sup_character** out, sup_error* error)
{
    sup_joint* joints = SUP_NEW(draft->arena, sup_joint, draft->joint_count);
    uint32_t*  sizes = draft->face_sizes;
    if (!sizes) {
        sizes = SUP_NEW(draft->arena, uint32_t, draft->face_count);
        for (uint32_t f = 0; sizes && f < draft->face_count; ++f) sizes[f] = 4;
    }
    if (!joints || !sizes) return sup_fail_memory(error, draft->name);
    for (uint32_t j = 0; j < draft->joint_count; ++j) {
        const sup_draft_joint* from = &draft->joints[j];
        sup_joint*             to = &joints[j];
        *to = (sup_joint){ .name = from->name, .parent = from->parent, .skin_joint = true, .source_id = SUP_NONE };
        to->rest = transform_identity();
        to->rest.translation = rest_offset(draft, j);
        to->matrix = affine_from_transform(&to->rest);
        to->inverse_bind = affine_identity();
        to->inverse_bind.m[0][3] = -from->place.x;
        to->inverse_bind.m[1][3] = -from->place.y;
        to->inverse_bind.m[2][3] = -from->place.z;
    }
    sup_part_desc part = {
        .name = draft->name,
        .vertex_count = draft->point_count,
        .positions = draft->points,
        .face_count = draft->face_count,
        .face_sizes = sizes,
        .corners = draft->corners,
        .width = SUP_DRAFT_INFLUENCES,
        .joints = draft->influence_joints,
        .weights = draft->influence_values,
        .joint = SUP_NONE,
        .place = affine_identity(),
        .source_id = SUP_NONE,
        .map_count = draft->map_count,
        .maps = draft->maps,
    };
    sup_character_desc desc = {
        .name = draft->name,
        .part_count = 1,
        .parts = &part,
        .joint_count = draft->joint_count,
        .joints = joints,
        .clip_count = draft->clip_count,
        .clips = draft->clips,
        .example_count = draft->example_count,
        .examples = draft->examples,
        .metres_per_unit = 1.0,
        .up = SUP_AXIS_Y,
    };
    return sup_character_create(&desc, allocator, out, error);
}

sup_result sup_draft_make(const char* name, uint32_t points, sup_draft_range range, sup_draft_maker* maker,
                          const sup_allocator* allocator, sup_character** out, sup_error* error)
{
    if (points == 0) points = range.usual;
    if (points < range.fewest || points > range.most)
        return sup_fail(error, SUP_ERROR_INPUT, "builtin:%s cannot be made of %u points; ask for %u up to %u", name, points,
                        range.fewest, range.most);
    sup_draft draft = { .arena = sup_arena_create(allocator), .name = name };
    if (!draft.arena) return sup_fail_memory(error, name);
    sup_result result = maker(&draft, points, error);
    if (result == SUP_OK) result = finish(&draft, allocator, out, error);
    sup_arena_destroy(draft.arena);
    return result;
}

float sup_draft_curve(const float* table, uint32_t rows, uint32_t width, uint32_t column, float x)
{
    uint32_t i = 0;
    while (i + 2 < rows && x >= table[(i + 1) * width]) ++i;
    uint32_t     before = i > 0 ? i - 1 : i, behind = i + 2 < rows ? i + 2 : i + 1;
    const float *a = table + i * width, *b = table + (i + 1) * width, *c = table + before * width, *d = table + behind * width;
    float        span = b[0] - a[0], t = sup_clampf((x - a[0]) / span, 0.0f, 1.0f), t2 = t * t, t3 = t2 * t;
    float        slope_a = (b[column] - c[column]) / (b[0] - c[0]) * span;
    float        slope_b = (d[column] - a[column]) / (d[0] - a[0]) * span;
    return (2 * t3 - 3 * t2 + 1) * a[column] + (t3 - 2 * t2 + t) * slope_a + (3 * t2 - 2 * t3) * b[column] +
           (t3 - t2) * slope_b;
}

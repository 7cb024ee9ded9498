// A character's own motion as captured motion, so that another character can follow it; and the pairs of joints as JSON.
//
// Captured joints have no rotation at rest. The rotation of a joint since the bind pose, in the world, is D = R(t) R(bind)^-1;
// relative to its parent's D that is the local rotation, and the vector from its parent, rotated back by the parent's D, is the
// local translation.
#include "base/internal.h"
#include "math/vec.h"
#include "supple/rig.h"

#include <string.h>

// A longer motion means that the frame rate is wrong.
enum { FRAMES_MOST = 1 << 20 };

typedef struct track {
    const sup_character* character;
    uint32_t             joint_count;
    sup_quat *           bind, *turned; // global, in the bind pose; and since then, in the current frame
    sup_vec3*            places;        // in the current frame
    sup_pose             pose;
} track;

static sup_quat rotation_of(const sup_affine* a)
{
    sup_transform t = transform_identity();
    affine_decompose(a, &t); // shear is lost: other skeletons cannot represent it
    return quat_normalize(t.rotation);
}

static void sample(track* t, const sup_clip* clip, double time)
{
    sup_clip_sample(t->character, clip, time, &t->pose);
    for (uint32_t j = 0; j < t->joint_count; ++j) {
        t->turned[j] = quat_normalize(quat_mul(rotation_of(&t->pose.global[j]), quat_conjugate(t->bind[j])));
        t->places[j] = affine_translation(&t->pose.global[j]);
    }
}

static void put_frame(const track* t, uint32_t frame, sup_quat* const* rotations, sup_vec3* const* translations)
{
    for (uint32_t j = 0; j < t->joint_count; ++j) {
        uint32_t parent = t->character->skeleton.joints[j].parent;
        sup_quat q = t->turned[j];
        sup_vec3 p = t->places[j];
        if (parent != SUP_NONE) {
            sup_quat back = quat_conjugate(t->turned[parent]);
            q = quat_normalize(quat_mul(back, q));
            p = quat_rotate(back, v3_sub(p, t->places[parent]));
        }
        if (frame && quat_dot(q, rotations[j][frame - 1]) < 0) q = quat(-q.x, -q.y, -q.z, -q.w); // keep on one side
        rotations[j][frame] = q;
        translations[j][frame] = p;
    }
}

static sup_result begin_track(track* t, const sup_character* c, sup_arena* scratch, sup_mocap_joint* joints, sup_error* error)
{
    *t = (track){ .character = c, .joint_count = c->skeleton.joint_count };
    t->bind = SUP_NEW(scratch, sup_quat, t->joint_count);
    t->turned = SUP_NEW(scratch, sup_quat, t->joint_count);
    t->places = SUP_NEW(scratch, sup_vec3, t->joint_count);
    if (!t->bind || !t->turned || !t->places) return sup_fail_memory(error, "a motion");
    sup_result result = sup_pose_create(c, scratch, &t->pose, error);
    if (result != SUP_OK) return result;
    sup_pose_bind(c, &t->pose);
    for (uint32_t j = 0; j < t->joint_count; ++j) {
        const sup_joint* from = &c->skeleton.joints[j];
        sup_vec3         at = affine_translation(&t->pose.global[j]), above = { 0 };
        if (from->parent != SUP_NONE) above = affine_translation(&t->pose.global[from->parent]);
        t->bind[j] = rotation_of(&t->pose.global[j]);
        joints[j] = (sup_mocap_joint){ .name = from->name, .parent = from->parent, .offset = v3_sub(at, above) };
    }
    return SUP_OK;
}

static sup_result track_clip(const sup_character* c, const sup_clip* clip, double fps, uint32_t frames, sup_arena* arena,
                             sup_arena* scratch, sup_mocap_joint* joints, sup_error* error)
{
    track      t;
    sup_result result = begin_track(&t, c, scratch, joints, error);
    sup_quat** rotations = SUP_NEW(scratch, sup_quat*, c->skeleton.joint_count);
    sup_vec3** translations = SUP_NEW(scratch, sup_vec3*, c->skeleton.joint_count);
    if (result == SUP_OK && (!rotations || !translations)) result = sup_fail_memory(error, "a motion");
    for (uint32_t j = 0; j < c->skeleton.joint_count && result == SUP_OK; ++j) {
        joints[j].rotations = rotations[j] = SUP_NEW(arena, sup_quat, frames);
        joints[j].translations = translations[j] = SUP_NEW(arena, sup_vec3, frames);
        joints[j].name =
            sup_arena_text(arena, joints[j].name ? joints[j].name : "", joints[j].name ? strlen(joints[j].name) : 0);
        if (!rotations[j] || !translations[j] || !joints[j].name) result = sup_fail_memory(error, "a motion");
    }
    for (uint32_t f = 0; f < frames && result == SUP_OK; ++f) {
        sample(&t, clip, f / fps < clip->seconds ? f / fps : clip->seconds);
        put_frame(&t, f, rotations, translations);
    }
    return result;
}

sup_result sup_mocap_of_clip(const sup_character* c, const sup_clip* clip, double fps, sup_arena* arena, sup_mocap* out,
                             sup_error* error)
{
    SUP_ASSERT(c && clip && fps > 0 && arena && out);
    double wanted = clip->seconds * fps + 1.5;
    if (!(wanted < FRAMES_MOST))
        return sup_fail(error, SUP_ERROR_INPUT, "'%s' has more than %d frames at %g a second; lower the rate", clip->name,
                        FRAMES_MOST, fps);
    if (c->skeleton.joint_count == 0)
        return sup_fail(error, SUP_ERROR_INPUT, "'%s' has no joints: it has no motion to follow", c->name);
    uint32_t         frames = (uint32_t)wanted;
    sup_mocap_joint* joints = SUP_NEW(arena, sup_mocap_joint, c->skeleton.joint_count);
    const char*      name = sup_arena_text(arena, clip->name, strlen(clip->name));
    sup_arena*       scratch = sup_arena_beside(arena);
    sup_result       result = joints && name && scratch ? track_clip(c, clip, fps, frames, arena, scratch, joints, error)
                                                        : sup_fail_memory(error, "a motion");
    sup_arena_destroy(scratch);
    if (result == SUP_OK)
        *out = (sup_mocap){
            .name = name, .joint_count = c->skeleton.joint_count, .joints = joints, .frame_count = frames, .frame_time = 1 / fps
        };
    return result;
}

// ---------------------------------------------------------------------------------------------- the report

static sup_json* truth(sup_arena* arena, bool value) { return sup_json_new(arena, value ? SUP_JSON_TRUE : SUP_JSON_FALSE); }

sup_json* sup_retarget_describe(const sup_character* character, const sup_mocap* mocap, const sup_retarget_report* r,
                                sup_arena* arena)
{
    static const char* const how[] = { [SUP_PAIR_TOLD] = "map", [SUP_PAIR_NAME] = "name", [SUP_PAIR_SHAPE] = "shape" };
    const sup_joint*         joints = character->skeleton.joints;
    sup_json*                out = sup_json_new(arena, SUP_JSON_OBJECT);
    sup_json_set(arena, out, "name", sup_json_new_string(arena, mocap->name));
    sup_json_set(arena, out, "frames_left_out", sup_json_new_number(arena, r->dropped_count));
    sup_json_set(arena, out, "guessed", sup_json_new_number(arena, r->guess_count));
    sup_json_set(arena, out, "side_guessed", truth(arena, r->side_guessed));
    sup_json_set(arena, out, "rest_from_frame", truth(arena, r->rest_from_frame));
    sup_json_set(arena, out, "scale", sup_json_new_number(arena, (double)r->scale));
    sup_json* pairs = sup_json_set(arena, out, "pairs", sup_json_new(arena, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < r->pair_count; i++) {
        sup_json* pair = sup_json_push(pairs, sup_json_new(arena, SUP_JSON_OBJECT));
        sup_json_set(arena, pair, "joint", sup_json_new_string(arena, joints[r->targets[i]].name));
        sup_json_set(arena, pair, "follows", sup_json_new_string(arena, mocap->joints[r->sources[i]].name));
        sup_json_set(arena, pair, "as", sup_json_new_string(arena, r->roles[i]));
        sup_json_set(arena, pair, "by", sup_json_new_string(arena, how[r->how[i]]));
    }
    sup_json* lone = sup_json_set(arena, out, "without_partner", sup_json_new(arena, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < r->lone_count; i++) sup_json_push(lone, sup_json_new_string(arena, joints[r->lone[i]].name));
    return lone ? out : NULL;
}

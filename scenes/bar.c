// builtin:bar: a square strip clamped at x = 0, for checks against formulas.
#include "base/internal.h"
#include "math/vec.h"
#include "scenes/draft.h"
#include "scenes/scenes.h"
#include "scenes/tube.h"

const char sup_scene_bar_summary[] =
    "A clamped strip of 1 m by 0.1 m by 0.1 m for checks against formulas; clips bend, twist, still";

enum { USUAL_POINTS = 1000, FEWEST_POINTS = 100, MOST_POINTS = 4000000 };

static const float bar_length = 1.0f, bar_width = 0.1f; // meters

enum { ROOT, BONE_1, BONE_2, BONE_3, JOINTS };
static const sup_draft_joint bar_joints[JOINTS] = {
    { "root", SUP_NONE, { 0, 0, 0 } },
    { "bone_1", ROOT, { 0.25f, 0, 0 } },
    { "bone_2", BONE_1, { 0.5f, 0, 0 } },
    { "bone_3", BONE_2, { 0.75f, 0, 0 } },
};
/// Half the distance over which the weight passes from one bone to the next: the whole distance to the next joint.
static const float bar_blend = 0.125f;

static const float bend_degrees = 90.0f, twist_degrees = 150.0f; // in all, over three joints

static float eased(double time) { return sup_smoothstep(0.0f, 1.0f, (float)time); }

static void bend(const sup_draft* draft, double time, sup_draft_pose* pose)
{
    (void)draft;
    for (uint32_t j = BONE_1; j < JOINTS; ++j)
        pose->turns[j] = quat_axis_angle(v3(0, 0, 1), sup_degrees(bend_degrees / 3.0f * eased(time)));
}

static void twist(const sup_draft* draft, double time, sup_draft_pose* pose)
{
    (void)draft;
    for (uint32_t j = BONE_1; j < JOINTS; ++j)
        pose->turns[j] = quat_axis_angle(v3(1, 0, 0), sup_degrees(twist_degrees / 3.0f * eased(time)));
}

static void still(const sup_draft* draft, double time, sup_draft_pose* pose) { (void)draft, (void)time, (void)pose; }

/// About as many points as requested, in roughly square quads.
static sup_tube divide(uint32_t points)
{
    // A side of n quads goes with 10 n rings: 40 n^2 points on the hull and 2 n^2 on the ends.
    uint32_t side = (uint32_t)(sqrtf((float)points / 42.0f) + 0.5f);
    if (side < 2) side = 2;
    uint32_t ends = 2 * (side - 1) * (side - 1);
    return (sup_tube){ (points - ends + 2 * side) / (4 * side), side };
}

static sup_result make(sup_draft* draft, uint32_t points, sup_error* error)
{
    sup_tube tube = divide(points);
    draft->point_count = sup_tube_point_count(&tube);
    draft->face_count = sup_tube_face_count(&tube);
    draft->points = SUP_NEW(draft->arena, sup_vec3, draft->point_count);
    draft->corners = SUP_NEW(draft->arena, uint32_t, 4 * (size_t)draft->face_count);
    if (!draft->points || !draft->corners) return sup_fail_memory(error, draft->name);
    draft->joint_count = JOINTS;
    draft->joints = bar_joints;
    sup_tube_faces(&tube, draft->corners);
    sup_result result = sup_draft_begin_weights(draft, error);
    if (result != SUP_OK) return result;
    for (uint32_t p = 0; p < draft->point_count; ++p) {
        sup_tube_spot spot = sup_tube_find(&tube, p);
        float         x = bar_length * (float)spot.ring / (float)(tube.rings - 1), row[JOINTS], reach = 1.0f;
        draft->points[p] = v3(x, 0.5f * bar_width * spot.u, 0.5f * bar_width * spot.v);
        for (uint32_t j = 0; j < JOINTS; ++j) {
            float joint = j + 1 < JOINTS ? bar_joints[j + 1].place.x : 2.0f * bar_length;
            float beyond = sup_smoothstep(joint - bar_blend, joint + bar_blend, x);
            row[j] = reach - beyond;
            reach = beyond;
        }
        sup_draft_set_weights(draft, p, row);
    }
    result = sup_draft_record(draft, "bend", 1.0, false, bend, error);
    if (result == SUP_OK) result = sup_draft_record(draft, "twist", 1.0, false, twist, error);
    if (result == SUP_OK) result = sup_draft_record(draft, "still", 1.0, true, still, error);
    return result;
}

sup_result sup_scene_bar(uint32_t points, const sup_allocator* allocator, sup_character** out, sup_error* error)
{
    sup_draft_range range = { USUAL_POINTS, FEWEST_POINTS, MOST_POINTS };
    return sup_draft_make("bar", points, range, make, allocator, out, error);
}

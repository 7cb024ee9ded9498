// Captured motion on characters: who follows whom, and that people still walk like people.
#include "support.h"

#include "math/vec.h"
#include "rig/retarget/body.h"
#include "rig/retarget/feet.h"
#include "supple/rig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- names

typedef struct role_row {
    const char* name;
    int         parent; // -1: root
    int         role, side;
} role_row;

static void check_rows(const role_row* rows, uint32_t count)
{
    const char* names[64];
    uint32_t    parents[64];
    bool        eligible[64];
    body_map    map;
    sup_error   error;
    sup_arena*  arena = sup_arena_create(NULL);
    for (uint32_t i = 0; i < count; ++i) {
        names[i] = rows[i].name;
        parents[i] = rows[i].parent < 0 ? SUP_NONE : (uint32_t)rows[i].parent;
        eligible[i] = true;
    }
    body_skeleton skeleton = { .count = count, .names = names, .parents = parents, .eligible = eligible };
    assert_ok(body_find(&skeleton, NULL, 0, arena, &map, &error), error);
    for (uint32_t i = 0; i < count; ++i) {
        int side, role = body_role_of(&map, i, &side);
        if (role != rows[i].role || (role >= ROLE_SHOULDER && side != rows[i].side))
            fail_msg("'%s' is role %d side %d, not %d %d", rows[i].name, role, side, rows[i].role, rows[i].side);
    }
    sup_arena_destroy(arena);
}

enum { L = SIDE_LEFT, R = SIDE_RIGHT, N = SIDE_NONE };

static void names_of_many_programs_are_one_body(void** state)
{
    (void)state;
    static const role_row cmu[] = {
        { "Hips", -1, ROLE_HIPS, N },          { "LHipJoint", 0, ROLE_NONE, N },
        { "LeftUpLeg", 1, ROLE_UPPER_LEG, L }, { "LeftLeg", 2, ROLE_LOWER_LEG, L },
        { "LeftFoot", 3, ROLE_FOOT, L },       { "LeftToeBase", 4, ROLE_TOE, L },
        { "RHipJoint", 0, ROLE_NONE, N },      { "RightUpLeg", 6, ROLE_UPPER_LEG, R },
        { "RightLeg", 7, ROLE_LOWER_LEG, R },  { "LowerBack", 0, ROLE_SPINE, N },
        { "Spine", 9, ROLE_SPINE, N },         { "Spine1", 10, ROLE_SPINE, N },
        { "Neck", 11, ROLE_NECK, N },          { "Neck1", 12, ROLE_NECK, N },
        { "Head", 13, ROLE_HEAD, N },          { "LeftShoulder", 11, ROLE_SHOULDER, L },
        { "LeftArm", 15, ROLE_UPPER_ARM, L },  { "LeftForeArm", 16, ROLE_LOWER_ARM, L },
        { "LeftHand", 17, ROLE_HAND, L },      { "LeftFingerBase", 18, ROLE_NONE, N },
        { "LThumb", 18, ROLE_NONE, N },
    };
    static const role_row unreal[] = {
        { "root", -1, ROLE_NONE, N },
        { "pelvis", 0, ROLE_HIPS, N },
        { "spine_01", 1, ROLE_SPINE, N },
        { "spine_02", 2, ROLE_SPINE, N },
        { "clavicle_l", 3, ROLE_SHOULDER, L },
        { "upperarm_l", 4, ROLE_UPPER_ARM, L },
        { "lowerarm_l", 5, ROLE_LOWER_ARM, L },
        { "hand_l", 6, ROLE_HAND, L },
        { "neck_01", 3, ROLE_NECK, N },
        { "head", 8, ROLE_HEAD, N },
        { "thigh_l", 1, ROLE_UPPER_LEG, L },
        { "calf_l", 10, ROLE_LOWER_LEG, L },
        { "calf_twist_01_l", 11, ROLE_NONE, N },
        { "foot_l", 11, ROLE_FOOT, L },
        { "ball_l", 13, ROLE_TOE, L },
        { "thigh_r", 1, ROLE_UPPER_LEG, R },
    };
    static const role_row vrm[] = {
        { "J_Bip_C_Hips", -1, ROLE_HIPS, N },         { "J_Bip_C_Spine", 0, ROLE_SPINE, N },
        { "J_Bip_C_UpperChest", 1, ROLE_SPINE, N },   { "J_Bip_L_UpperLeg", 0, ROLE_UPPER_LEG, L },
        { "J_Bip_L_LowerLeg", 3, ROLE_LOWER_LEG, L }, { "J_Bip_L_ToeBase", 4, ROLE_TOE, L },
        { "J_Bip_R_UpperArm", 2, ROLE_UPPER_ARM, R }, { "J_Bip_R_Index1", 6, ROLE_NONE, N },
    };
    static const role_row mixamo[] = {
        { "mixamorig9:Hips", -1, ROLE_HIPS, N },          { "mixamorigSpine2", 0, ROLE_SPINE, N },
        { "mixamorig:RightUpLeg", 0, ROLE_UPPER_LEG, R }, { "mixamorig_RightLeg", 2, ROLE_LOWER_LEG, R },
        { "mixamorig:HeadTop_End", 1, ROLE_NONE, N },
    };
    static const role_row poser[] = {
        { "hip", -1, ROLE_HIPS, N },        { "abdomen", 0, ROLE_SPINE, N },    { "chest", 1, ROLE_SPINE, N },
        { "rCollar", 2, ROLE_SHOULDER, R }, { "rShldr", 3, ROLE_UPPER_ARM, R }, { "rForeArm", 4, ROLE_LOWER_ARM, R },
        { "rHand", 5, ROLE_HAND, R },       { "rButtock", 0, ROLE_NONE, N },    { "rThigh", 7, ROLE_UPPER_LEG, R },
        { "rShin", 8, ROLE_LOWER_LEG, R },  { "rFoot", 9, ROLE_FOOT, R },       { "leftEye", 2, ROLE_NONE, N },
    };
    static const role_row joints[] = {
        { "pelvis", -1, ROLE_HIPS, N },      { "L_Hip", 0, ROLE_UPPER_LEG, L },      { "L_Knee", 1, ROLE_LOWER_LEG, L },
        { "L_Ankle", 2, ROLE_FOOT, L },      { "L_Foot", 3, ROLE_TOE, L },           { "Spine1", 0, ROLE_SPINE, N },
        { "L_Collar", 5, ROLE_SHOULDER, L }, { "L_Shoulder", 6, ROLE_UPPER_ARM, L }, { "R_Shoulder", 5, ROLE_UPPER_ARM, R },
        { "R_Elbow", 8, ROLE_LOWER_ARM, R }, { "R_Wrist", 9, ROLE_HAND, R },         { "R_Hand", 10, ROLE_NONE, N },
    };
    check_rows(joints, sizeof joints / sizeof *joints);
    check_rows(cmu, sizeof cmu / sizeof *cmu);
    check_rows(unreal, sizeof unreal / sizeof *unreal);
    check_rows(vrm, sizeof vrm / sizeof *vrm);
    check_rows(mixamo, sizeof mixamo / sizeof *mixamo);
    check_rows(poser, sizeof poser / sizeof *poser);
}

static void chains_of_one_name_are_distinguished_by_their_order(void** state)
{
    (void)state;
    static const role_row numbered[] = {
        { "Skeleton_torso_joint_1", -1, ROLE_HIPS, N },
        { "Skeleton_torso_joint_2", 0, ROLE_SPINE, N },
        { "leg_joint_L_1", 0, ROLE_UPPER_LEG, L },
        { "leg_joint_R_1", 0, ROLE_UPPER_LEG, R },
        { "leg_joint_L_2", 2, ROLE_LOWER_LEG, L },
        { "leg_joint_L_3", 4, ROLE_FOOT, L },
        { "leg_joint_L_5", 5, ROLE_TOE, L },
        { "Skeleton_neck_joint_1", 1, ROLE_NECK, N },
        { "Skeleton_neck_joint_2", 7, ROLE_HEAD, N },
        { "Skeleton_arm_joint_L__4_", 1, ROLE_UPPER_ARM, L },
        { "Skeleton_arm_joint_L__3_", 9, ROLE_LOWER_ARM, L },
        { "Skeleton_arm_joint_L__2_", 10, ROLE_HAND, L },
        { "leg_joint_R_2", 3, ROLE_LOWER_LEG, R },
    };
    // Rigify: hips, neck and head are all "spine".
    static const role_row rigify[] = {
        { "spine", -1, ROLE_HIPS, N },           { "spine.001", 0, ROLE_SPINE, N },       { "spine.003", 1, ROLE_SPINE, N },
        { "shoulder.L", 2, ROLE_SHOULDER, L },   { "upper_arm.L", 3, ROLE_UPPER_ARM, L }, { "shoulder.R", 2, ROLE_SHOULDER, R },
        { "upper_arm.R", 5, ROLE_UPPER_ARM, R }, { "spine.004", 2, ROLE_NECK, N },        { "spine.006", 7, ROLE_HEAD, N },
        { "thigh.L", 0, ROLE_UPPER_LEG, L },     { "shin.L", 9, ROLE_LOWER_LEG, L },      { "thigh.R", 0, ROLE_UPPER_LEG, R },
    };
    // Two halves on one center.
    static const role_row halves[] = {
        { "センター", -1, ROLE_HIPS, N },   { "下半身", 0, ROLE_NONE, N },   { "左足", 1, ROLE_UPPER_LEG, L },
        { "左ひざ", 2, ROLE_LOWER_LEG, L }, { "左足首", 3, ROLE_FOOT, L },   { "右足", 1, ROLE_UPPER_LEG, R },
        { "上半身", 0, ROLE_SPINE, N },     { "上半身2", 6, ROLE_SPINE, N }, { "左腕", 7, ROLE_UPPER_ARM, L },
        { "右腕", 7, ROLE_UPPER_ARM, R },   { "首", 7, ROLE_NECK, N },       { "頭", 10, ROLE_HEAD, N },
        { "左足ＩＫ", -1, ROLE_NONE, N },
    };
    check_rows(halves, sizeof halves / sizeof *halves);
    check_rows(numbered, sizeof numbered / sizeof *numbered);
    check_rows(rigify, sizeof rigify / sizeof *rigify);
}

// ---------------------------------------------------------------------------------------------- people

typedef struct walker {
    sup_arena*          arena;
    sup_character*      character;
    sup_mocap           mocap;
    sup_clip            clip;
    sup_retarget_report report;
    sup_pose            pose;
    sup_vec3*           points;
} walker;

static walker make_walker(const char* character, const char* motion)
{
    walker    w = { .arena = sup_arena_create(NULL) };
    char      path[512];
    sup_error error;
    snprintf(path, sizeof path, "%s", character);
    assert_ok(sup_load(path, NULL, &w.character, &error), error);
    assert_ok(sup_mocap_load(motion, NULL, w.arena, &w.mocap, &error), error);
    assert_ok(sup_retarget(w.character, &w.mocap, NULL, w.arena, &w.clip, &w.report, &error), error);
    assert_ok(sup_pose_create(w.character, w.arena, &w.pose, &error), error);
    w.points = sup_arena_alloc(w.arena, w.character->mesh.point_count, sizeof *w.points);
    return w;
}

static void drop_walker(walker* w)
{
    sup_character_destroy(w->character);
    sup_arena_destroy(w->arena);
}

static sup_vec3 place_of(const walker* w, const char* name)
{
    uint32_t joint = sup_character_joint(w->character, name);
    assert_int_not_equal(joint, SUP_NONE);
    return affine_translation(&w->pose.global[joint]);
}

static void skin(walker* w)
{
    const sup_character* c = w->character;
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        w->points[p] = v3(0, 0, 0);
        for (uint32_t i = c->weights.begin[p]; i < c->weights.begin[p + 1]; ++i)
            w->points[p] = v3_mad(w->points[p], c->weights.values[i],
                                  affine_point(&w->pose.skin[c->weights.joints[i]], c->mesh.points[p]));
    }
}

static float lowest(const walker* w)
{
    float low = INFINITY;
    for (uint32_t p = 0; p < w->character->mesh.point_count; ++p) low = w->points[p].y < low ? w->points[p].y : low;
    return low;
}

typedef struct leg_names {
    const char *hip, *knee, *foot;
} leg_names;

// Which captured foot is in front, along the way the hips go: positive for the left.
static float source_lead(const sup_mocap* m, uint32_t frame)
{
    sup_quat q[64];
    sup_vec3 p[64], feet[2] = { { 0 } };
    for (uint32_t j = 0; j < m->joint_count; ++j) {
        const sup_mocap_joint* joint = &m->joints[j];
        sup_quat               turn = joint->rotations ? joint->rotations[frame] : quat_identity();
        sup_vec3               move = joint->translations ? joint->translations[frame] : joint->offset;
        q[j] = joint->parent == SUP_NONE ? turn : quat_mul(q[joint->parent], turn);
        p[j] = joint->parent == SUP_NONE ? move : v3_add(p[joint->parent], quat_rotate(q[joint->parent], move));
        if (strcmp(joint->name, "LeftFoot") == 0) feet[0] = p[j];
        if (strcmp(joint->name, "RightFoot") == 0) feet[1] = p[j];
    }
    return feet[0].z - feet[1].z; // this subject walks along +z
}

static void check_walk(const char* file, leg_names left, leg_names right, const char* hips, float forward)
{
    walker    w = make_walker(file, test_data("mocap/07_01-walk.bvh"));
    leg_names legs[2] = { left, right };
    sup_pose_bind(w.character, &w.pose);
    skin(&w);
    float ground = lowest(&w), leg = v3_distance(place_of(&w, left.hip), place_of(&w, left.foot)), worst_ground = 0,
          worst_bend = 0;
    uint32_t frames = w.mocap.frame_count - 1, agreeing = 0, judged = 0;
    sup_vec3 first = { 0 }, last = { 0 }, facing = { 0 };
    assert_true(w.report.dropped_first);
    for (uint32_t f = 0; f < frames; f += 4) {
        sup_clip_sample(w.character, &w.clip, f * w.mocap.frame_time, &w.pose);
        skin(&w);
        float off = fabsf(lowest(&w) - ground);
        worst_ground = off > worst_ground ? off : worst_ground;
        last = place_of(&w, hips);
        if (f == 0) first = last;
        for (int side = 0; side < 2; ++side) {
            sup_vec3 hip = place_of(&w, legs[side].hip), knee = place_of(&w, legs[side].knee),
                     foot = place_of(&w, legs[side].foot);
            // A knee lies in front of the line from hip to foot, or hardly behind it.
            sup_vec3 line = v3_sub(foot, hip), mid = v3_mad(hip, v3_dot(v3_sub(knee, hip), line) / v3_length2(line), line);
            float    bend = v3_dot(v3_sub(knee, mid), v3(0, 0, forward)) / leg;
            worst_bend = bend < worst_bend ? bend : worst_bend;
        }
        facing = v3_add(facing, v3_cross(v3_sub(place_of(&w, left.hip), place_of(&w, right.hip)), v3(0, 1, 0)));
        float lead = source_lead(&w.mocap, f + 1), ours = (place_of(&w, left.foot).z - place_of(&w, right.foot).z) * forward;
        if (fabsf(lead) < 2) continue;
        judged++;
        agreeing += lead * ours > 0;
    }
    sup_vec3 travel = v3_sub(last, first);
    travel.y = facing.y = 0;
    float cosine = v3_dot(v3_normalize(travel, v3(0, 0, 0)), v3_normalize(facing, v3(0, 0, 0)));
    print_message(
        "%s: soles within %.1f %% of the leg, knees at most %.1f %% behind, travel and facing %.1f degrees apart, %u of %u "
        "strides agree, %.2f legs of way\n",
        w.character->name, (double)(100 * worst_ground / leg), (double)(-100 * worst_bend / leg),
        acos((double)cosine) * 57.29578, agreeing, judged, (double)(v3_length(travel) / leg));
    assert_true(worst_ground < 0.05f * leg);
    assert_true(worst_bend > -0.03f);
    assert_true(cosine > 0.94f); // 20 degrees
    assert_true(judged > 30 && agreeing == judged);
    drop_walker(&w);
}

static void cesium_man_walks_like_a_person(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/cesiumman.glb");
    char copy[512];
    snprintf(copy, sizeof copy, "%s", path);
    check_walk(copy, (leg_names){ "leg_joint_L_1", "leg_joint_L_2", "leg_joint_L_3" },
               (leg_names){ "leg_joint_R_1", "leg_joint_R_2", "leg_joint_R_3" }, "Skeleton_torso_joint_1", 1);
}

// He looks along -z, with his left at -x.
static void a_soldier_from_mixamo_walks_like_a_person(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/soldier.glb");
    char copy[512];
    snprintf(copy, sizeof copy, "%s", path);
    check_walk(copy, (leg_names){ "mixamorig:LeftUpLeg", "mixamorig:LeftLeg", "mixamorig:LeftFoot" },
               (leg_names){ "mixamorig:RightUpLeg", "mixamorig:RightLeg", "mixamorig:RightFoot" }, "mixamorig:Hips", -1);
}

static void feet_that_hang_on_a_root_stay_at_their_legs(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "skinned/robotexpressive.glb");
    char copy[512];
    snprintf(copy, sizeof copy, "%s", path);
    walker w = make_walker(copy, test_data("mocap/07_01-walk.bvh"));
    sup_pose_bind(w.character, &w.pose);
    float length = v3_distance(place_of(&w, "LowerLeg.L"), place_of(&w, "Foot.L"));
    for (uint32_t f = 0; f < 300; f += 10) {
        sup_clip_sample(w.character, &w.clip, f * w.mocap.frame_time, &w.pose);
        assert_float_equal(v3_distance(place_of(&w, "LowerLeg.L"), place_of(&w, "Foot.L")), length, 1e-3f * length);
    }
    drop_walker(&w);
}

// ---------------------------------------------------------------------------------------------- by hand

// Hips at height 4 with two legs (thigh 2, shin 2) and feet along +z; every name may get a prefix.
enum { SMALL = 9 };

static void small_joints(sup_mocap_joint* joints, const char names[SMALL][16], float scale)
{
    static const struct {
        uint32_t parent;
        sup_vec3 offset;
    } rows[SMALL] = { { SUP_NONE, { 0, 4, 0 } }, { 0, { 0, 2, 0 } },  { 0, { 1, 0, 0 } },
                      { 2, { 0, -2, 0 } },       { 3, { 0, -2, 0 } }, { 0, { -1, 0, 0 } },
                      { 5, { 0, -2, 0 } },       { 6, { 0, -2, 0 } }, { 4, { 0, 0, 1 } } };
    for (int j = 0; j < SMALL; ++j)
        joints[j] = (sup_mocap_joint){
            .name = names[j], .parent = rows[j].parent, .offset = v3_scale(rows[j].offset, scale), .end = j == 8
        };
}

static const char source_names[SMALL][16] = { "Hips",       "Head",     "LeftUpLeg", "LeftLeg", "LeftFoot",
                                              "RightUpLeg", "RightLeg", "RightFoot", "" };

// The same skeleton as a character of one triangle.
static sup_character* small_character(const char names[SMALL][16], float scale)
{
    sup_mocap_joint from[SMALL];
    sup_joint       joints[SMALL - 1];
    sup_vec3        positions[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, heads[SMALL];
    uint32_t        corners[3] = { 0, 1, 2 }, influences[3] = { 0, 0, 0 };
    float           weights[3] = { 1, 1, 1 };
    small_joints(from, names, scale);
    for (int j = 0; j < SMALL - 1; ++j) {
        heads[j] = from[j].parent == SUP_NONE ? from[j].offset : v3_add(heads[from[j].parent], from[j].offset);
        joints[j] = (sup_joint){ .name = names[j],
                                 .parent = from[j].parent,
                                 .skin_joint = true,
                                 .rest = transform_identity(),
                                 .inverse_bind = affine_identity() };
        joints[j].rest.translation = from[j].offset;
        for (int i = 0; i < 3; ++i) joints[j].inverse_bind.m[i][3] = -(&heads[j].x)[i];
    }
    sup_part_desc      part = { .name = "t",
                                .vertex_count = 3,
                                .positions = positions,
                                .face_count = 1,
                                .corners = corners,
                                .width = 1,
                                .joints = influences,
                                .weights = weights };
    sup_character_desc desc = { .name = "small", .part_count = 1, .parts = &part, .joint_count = SMALL - 1, .joints = joints };
    return test_character(&desc);
}

// Two frames: the left knee bends by 90 degrees about x, and the hips go 3 forward.
typedef struct small_motion {
    sup_mocap_joint joints[SMALL];
    sup_quat        knee[2];
    sup_vec3        hips[2];
    sup_mocap       mocap;
} small_motion;

static void make_motion(small_motion* m, const char names[SMALL][16])
{
    const float half = 0.70710678f;
    small_joints(m->joints, names, 1);
    m->knee[0] = quat_identity();
    m->knee[1] = quat(half, 0, 0, half);
    m->hips[0] = v3(7, 4, 7);
    m->hips[1] = v3(7, 4, 10);
    m->joints[0].translations = m->hips;
    m->joints[3].rotations = m->knee;
    m->mocap = (sup_mocap){ .name = "step", .joint_count = SMALL, .joints = m->joints, .frame_count = 2, .frame_time = 0.5 };
}

static void the_same_skeleton_twice_as_large_moves_alike(void** state)
{
    (void)state;
    small_motion m;
    make_motion(&m, source_names);
    sup_character*      c = small_character(source_names, 2);
    sup_arena*          arena = sup_arena_create(NULL);
    sup_clip            clip;
    sup_retarget_report report;
    sup_pose            pose;
    sup_error           error;
    assert_ok(sup_retarget(c, &m.mocap, NULL, arena, &clip, &report, &error), error);
    assert_float_equal(report.scale, 2, 1e-6f);
    assert_int_equal(report.lone_count, 0);
    assert_int_equal(report.pair_count, 8);
    assert_true(clip.seconds == 0.5);
    assert_ok(sup_character_add_clip(c, &clip, &error), error);
    assert_int_equal(c->clip_count, 1);
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    sup_clip_sample(c, sup_character_clip(c, "step"), 0.5, &pose);
    sup_vec3 hips = affine_translation(&pose.global[sup_character_joint(c, "Hips")]);
    sup_vec3 knee = affine_translation(&pose.global[sup_character_joint(c, "LeftLeg")]);
    sup_vec3 foot = affine_translation(&pose.global[sup_character_joint(c, "LeftFoot")]);
    assert_float_equal(hips.z, 6, 1e-5f); // from where it stands, twice as far
    assert_float_equal(hips.x, 0, 1e-5f);
    assert_float_equal(hips.y, 8, 1e-5f);
    assert_float_equal(foot.z - knee.z, -4, 1e-5f); // the shin points back
    assert_float_equal(foot.y - knee.y, 0, 1e-5f);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

// What belongs to no body follows who is called the same below the same joint, and nobody else.
static void joints_that_no_body_has_follow_their_namesakes(void** state)
{
    (void)state;
    static const char theirs[SMALL][16] = { "Hips",       "Head",     "LeftUpLeg", "LeftLeg", "LeftFoot",
                                            "RightUpLeg", "RightLeg", "wheel",     "" };
    static const char others[SMALL][16] = { "Hips",       "Head",     "LeftUpLeg", "LeftLeg", "LeftFoot",
                                            "RightUpLeg", "RightLeg", "skate",     "" };
    small_motion      m;
    make_motion(&m, theirs);
    m.joints[7].rotations = m.knee;
    for (int same = 0; same < 2; ++same) {
        sup_character*      c = small_character(same ? theirs : others, 1);
        sup_arena*          arena = sup_arena_create(NULL);
        sup_clip            clip;
        sup_retarget_report report;
        sup_pose            pose;
        sup_error           error;
        assert_ok(sup_retarget(c, &m.mocap, NULL, arena, &clip, &report, &error), error);
        assert_int_equal(report.lone_count, same ? 0 : 1);
        assert_ok(sup_character_add_clip(c, &clip, &error), error);
        assert_ok(sup_pose_create(c, arena, &pose, &error), error);
        sup_clip_sample(c, sup_character_clip(c, "step"), 0.5, &pose);
        const sup_affine* wheel = &pose.global[sup_character_joint(c, same ? "wheel" : "skate")];
        assert_float_equal(wheel->m[1][1], same ? 0 : 1, 1e-5f); // turned by 90 degrees about x, or not at all
        assert_float_equal(wheel->m[2][1], same ? 1 : 0, 1e-5f);
        sup_arena_destroy(arena);
        sup_character_destroy(c);
    }
}

// A straight pose, three frames that rush to the bent knee, then steps of two degrees. Halves of angles, in degrees.
static void frames_that_rush_out_of_the_straight_pose_are_left_out(void** state)
{
    (void)state;
    enum { FRAMES = 40 };
    static const double rush[] = { 0, 30, 36, 41, 44 };
    sup_quat            knee[FRAMES];
    sup_vec3            hips[FRAMES];
    small_motion        m;
    make_motion(&m, source_names);
    for (int i = 0; i < FRAMES; ++i) {
        double half = (i < 5 ? rush[i] : 44 - (i - 4)) * 0.017453292519943295;
        knee[i] = quat((float)sin(half), 0, 0, (float)cos(half));
        hips[i] = v3(7, 4, 7 + 0.01f * (float)i);
    }
    m.joints[0].translations = hips;
    m.joints[3].rotations = knee;
    m.mocap.frame_count = FRAMES;
    m.mocap.frame_time = 0.01;
    sup_character*      c = small_character(source_names, 1);
    sup_arena*          arena = sup_arena_create(NULL);
    sup_clip            clip;
    sup_retarget_report report;
    sup_error           error;
    assert_ok(sup_retarget(c, &m.mocap, NULL, arena, &clip, &report, &error), error);
    assert_true(report.dropped_first);
    assert_int_equal(report.dropped_count, 3); // the step from 41 to 44 is no faster than three usual ones
    assert_float_equal(clip.seconds, 0.36, 1e-6);
    const sup_retarget_options all = { .keep_first = true };
    assert_ok(sup_retarget(c, &m.mocap, &all, arena, &clip, &report, &error), error);
    assert_int_equal(report.dropped_count, 0);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

// The way out of a straight pose: how many frames of it there are, whether a step behind it is large too, and what is left out.
// Half angles of the knee in degrees; from the last one on it moves by one a frame. The hips are turned about y all along.
static void straight_poses_in_front_are_found_however_long_they_are(void** state)
{
    (void)state;
    enum { FRAMES = 60 };
    static const struct {
        const char* what;
        double      knee[6];
        uint32_t    dropped;
    } rows[] = { { "held for three frames", { 0, 0, 0, 30, 31, 32 }, 3 },
                 { "held, then smoothed", { 0, 0, 20, 30, 31, 32 }, 3 },
                 { "smoothed over the first steps", { 0, 12, 22, 30, 31, 32 }, 3 },
                 { "a pose of his own, then fast", { 2, 12, 22, 30, 31, 32 }, 0 },
                 { "nothing but a motion", { 0, 1, 2, 3, 4, 5 }, 0 } };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; ++k) {
        sup_quat     knee[FRAMES], root[FRAMES];
        sup_vec3     hips[FRAMES];
        small_motion m;
        make_motion(&m, source_names);
        for (int i = 0; i < FRAMES; ++i) {
            double half = (i < 6 ? rows[k].knee[i] : rows[k].knee[5] + i - 5) * 0.017453292519943295;
            knee[i] = quat((float)sin(half), 0, 0, (float)cos(half));
            root[i] = quat(0, 0.6f, 0, 0.8f);
            hips[i] = v3(7, 4, 7);
        }
        m.joints[0].translations = hips;
        m.joints[0].rotations = root;
        m.joints[3].rotations = knee;
        m.mocap.frame_count = FRAMES;
        m.mocap.frame_time = 0.01;
        sup_character*      c = small_character(source_names, 1);
        sup_arena*          arena = sup_arena_create(NULL);
        sup_clip            clip;
        sup_retarget_report report;
        sup_error           error;
        assert_ok(sup_retarget(c, &m.mocap, NULL, arena, &clip, &report, &error), error);
        if (report.dropped_count != rows[k].dropped)
            fail_msg("%s: %u frames left out, not %u", rows[k].what, report.dropped_count, rows[k].dropped);
        sup_arena_destroy(arena);
        sup_character_destroy(c);
    }
}

static void a_map_gives_strange_names_a_meaning(void** state)
{
    (void)state;
    static const char strange[SMALL][16] = { "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "" };
    small_motion      m;
    make_motion(&m, source_names);
    sup_character* c = small_character(strange, 1);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_clip       clip;
    sup_error      error;
    assert_int_equal(sup_retarget(c, &m.mocap, NULL, arena, &clip, NULL, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "--motion-map"));
    sup_joint_pair pairs[8];
    for (int i = 0; i < 8; ++i) pairs[i] = (sup_joint_pair){ strange[i], source_names[i] };
    sup_retarget_options options = { .pairs = pairs, .pair_count = 8 };
    sup_retarget_report  report;
    sup_pose             pose;
    assert_ok(sup_retarget(c, &m.mocap, &options, arena, &clip, &report, &error), error);
    assert_int_equal(report.pair_count, 8);
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    sup_clip_sample(c, &clip, 0.5, &pose);
    assert_float_equal(affine_translation(&pose.global[4]).z - affine_translation(&pose.global[3]).z, -2, 1e-5f);

    pairs[3].source = NULL; // the knee shall not move
    assert_ok(sup_retarget(c, &m.mocap, &options, arena, &clip, &report, &error), error);
    assert_int_equal(report.lone_count, 1);
    pairs[3].source = "Elbow";
    assert_int_equal(sup_retarget(c, &m.mocap, &options, arena, &clip, &report, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "'Elbow'"));
    pairs[3].target = "k9";
    assert_int_equal(sup_retarget(c, &m.mocap, &options, arena, &clip, &report, &error), SUP_ERROR_INPUT);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void without_memory_nothing_is_made(void** state)
{
    (void)state;
    small_motion m;
    make_motion(&m, source_names);
    sup_character* c = small_character(source_names, 1);
    for (test_starved s = { 0 }; test_starve(&s);) {
        sup_arena*          arena = sup_arena_create(&s.memory.allocator);
        sup_clip            clip;
        sup_retarget_report report;
        sup_error           error;
        if (arena) s.result = sup_retarget(c, &m.mocap, NULL, arena, &clip, &report, &error);
        sup_arena_destroy(arena);
    }
    sup_character_destroy(c);
}

static void fingers_of_many_programs_are_one_hand(void** state)
{
    (void)state;
    static const struct {
        const char* name;
        int         side, finger, number;
    } rows[] = { { "mixamorig:LeftHandIndex1", L, 1, 1 },
                 { "mixamorig:RightHandThumb4", R, 0, 4 },
                 { "index_01_l", L, 1, 1 },
                 { "pinky_03_r", R, 4, 3 },
                 { "J_Bip_L_Little2", L, 4, 2 },
                 { "J_Bip_R_Middle3", R, 2, 3 },
                 { "lMid2", L, 2, 2 },
                 { "rPinky1", R, 4, 1 },
                 { "LThumb", L, 0, 1 },
                 { "f_ring.02.R", R, 3, 2 } };
    static const char* const none[] = {
        "LeftHand", "LeftFoot", "index_metacarpal_l", "Index1", "lIndexEnd_tip", "LeftToeBase"
    };
    int side, finger, number;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
        if (!body_finger_of(rows[i].name, &side, &finger, &number) || side != rows[i].side || finger != rows[i].finger ||
            number != rows[i].number)
            fail_msg("'%s' is side %d finger %d joint %d", rows[i].name, side, finger, number);
    }
    for (size_t i = 0; i < sizeof none / sizeof *none; ++i)
        if (body_finger_of(none[i], &side, &finger, &number)) fail_msg("'%s' is not a finger", none[i]);
}

// The soldier has Mixamo's fingers, the dancer Poser's of two joints each.
static void fingers_follow_fingers(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(found, "skinned/soldier.glb");
    char soldier[2048];
    snprintf(soldier, sizeof soldier, "%s", found);
    TEST_NEEDS_DATA(path, "mocap/pirouette.bvh");
    sup_arena*          arena = sup_arena_create(NULL);
    sup_mocap           mocap;
    sup_clip            clip;
    sup_retarget_report report;
    sup_error           error;
    uint32_t            fingers = 0;
    sup_character*      c = test_load(soldier);
    assert_ok(sup_mocap_load(path, NULL, arena, &mocap, &error), error);
    assert_ok(sup_retarget(c, &mocap, NULL, arena, &clip, &report, &error), error);
    for (uint32_t i = 0; i < report.pair_count; ++i) {
        int side, finger, number, other_side, other_finger, other_number;
        if (!body_finger_of(c->skeleton.joints[report.targets[i]].name, &side, &finger, &number)) continue;
        assert_true(body_finger_of(mocap.joints[report.sources[i]].name, &other_side, &other_finger, &other_number));
        assert_true(side == other_side && finger == other_finger && number == other_number);
        fingers++;
    }
    assert_int_equal(fingers, 20); // five of two joints on two hands
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static double slant(const char* path, const char* joint)
{
    sup_arena*    arena = sup_arena_create(NULL);
    sup_mocap     mocap;
    sup_error     error;
    figure        f;
    figure_choice choice;
    uint32_t      j = 0;
    assert_ok(sup_mocap_load(path, NULL, arena, &mocap, &error), error);
    assert_ok(figure_of_mocap(&mocap, arena, &f, &choice, &error), error);
    while (strcmp(mocap.joints[j].name, joint) != 0) ++j;
    sup_quat* rotations = sup_arena_alloc(arena, mocap.joint_count, sizeof *rotations);
    sup_vec3* positions = sup_arena_alloc(arena, mocap.joint_count, sizeof *positions);
    sup_quat  q = feet_level(&mocap, 1, mocap.frame_count - 1, &f, j, rotations, positions);
    sup_arena_destroy(arena);
    return 2 * acos(fmin(1, fabs((double)q.w))) * 57.29577951308232;
}

// The dancer's capture holds both feet up while they stand (by its own rotations, 14 and 12 degrees at the end); the walker's
// do not.
static void captured_feet_that_stand_at_a_slant_are_leveled(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(found, "mocap/pirouette.bvh");
    double left = slant(found, "lFoot");
    TEST_NEEDS_DATA(walk, "mocap/07_01-walk.bvh");
    double none = slant(walk, "LeftFoot");
    print_message("the dancer's left foot stands %.1f degrees off, the walker's is left alone (%.1f)\n", left, none);
    assert_true(left > 11 && left < 18);
    assert_true(none == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_many_programs_are_one_body),
        cmocka_unit_test(chains_of_one_name_are_distinguished_by_their_order),
        cmocka_unit_test(cesium_man_walks_like_a_person),
        cmocka_unit_test(a_soldier_from_mixamo_walks_like_a_person),
        cmocka_unit_test(feet_that_hang_on_a_root_stay_at_their_legs),
        cmocka_unit_test(the_same_skeleton_twice_as_large_moves_alike),
        cmocka_unit_test(joints_that_no_body_has_follow_their_namesakes),
        cmocka_unit_test(frames_that_rush_out_of_the_straight_pose_are_left_out),
        cmocka_unit_test(straight_poses_in_front_are_found_however_long_they_are),
        cmocka_unit_test(a_map_gives_strange_names_a_meaning),
        cmocka_unit_test(fingers_of_many_programs_are_one_hand),
        cmocka_unit_test(fingers_follow_fingers),
        cmocka_unit_test(captured_feet_that_stand_at_a_slant_are_leveled),
        cmocka_unit_test(without_memory_nothing_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

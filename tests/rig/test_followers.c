// What follows nobody in the motion stays with the body, and every character walks.
#include "stick_figure.h"

#include "supple/io_extra.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HIPS = 1, SKIRT = 10, PROP = 11, TAIL = 12, OTHER = 13, BODY = 13, ALL = 14 };

// A person on a root, with a skirt and a prop that hang on the root too, and a second figure that stands aside.
static const stick person[ALL] = {
    { "root", -1, { 0, 0, 0 }, 0 },
    { "Hips", 0, { 0, 4, 0 }, 0 },
    { "Head", 1, { 0, 6, 0 }, 0 },
    { "LeftUpLeg", 1, { 1, 4, 0 }, 0 },
    { "LeftLeg", 3, { 1, 2, 0 }, 0 },
    { "LeftFoot", 4, { 1, 0, 0 }, 0 },
    { "RightUpLeg", 1, { -1, 4, 0 }, 0 },
    { "RightLeg", 6, { -1, 2, 0 }, 0 },
    { "RightFoot", 7, { -1, 0, 0 }, 0 },
    { "RightHand", 1, { -2, 5, 0 }, 0 },
    { "skirt", 0, { 0.5f, 3.5f, 1 }, 0 },
    { "prop", 0, { -2, 5.5f, 1 }, 1 }, // outside of the box of the joints, on a mesh together with the next
    { "hilt", 9, { -2, 5, 0.5f }, 1 },
    { "somebody", -1, { 9, 4, 0 }, 2 },
};

// The hips turn by 90 degrees about y and go 3 forward; the right hand turns on its own.
static void what_hangs_beside_the_hips_goes_with_the_body(void** state)
{
    (void)state;
    const float     half = 0.70710678f;
    sup_quat        hips[2] = { { 0, 0, 0, 1 }, { 0, half, 0, half } }, hand[2] = { { 0, 0, 0, 1 }, { half, 0, 0, half } };
    sup_vec3        path[2] = { { 0, 4, 0 }, { 0, 4, 3 } };
    sup_mocap_joint joints[10];
    sup_mocap       mocap = stick_mocap(person, 10, joints);
    sup_arena*      arena = sup_arena_create(NULL);
    sup_character*  c = stick_character(person, ALL);
    sup_clip        clip;
    sup_pose        pose;
    sup_error       error;
    joints[HIPS].rotations = hips;
    joints[HIPS].translations = path;
    joints[9].rotations = hand;
    mocap.frame_count = 2;
    sup_retarget_report report;
    assert_ok(sup_retarget(c, &mocap, NULL, arena, &clip, &report, &error), error);
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    for (int frame = 0; frame < 2; ++frame) {
        sup_clip_sample(c, &clip, 0.5 * frame, &pose);
        struct {
            const char *joint, *with;
        } rows[] = { { "skirt", "Hips" }, { "prop", "RightHand" }, { "hilt", "RightHand" } };
        for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
            sup_affine a = pose.skin[sup_character_joint(c, rows[i].joint)];
            sup_affine b = pose.skin[sup_character_joint(c, rows[i].with)];
            for (int k = 0; k < 12; ++k) assert_float_equal((&a.m[0][0])[k], (&b.m[0][0])[k], 1e-5f);
        }
        sup_vec3 other = affine_translation(&pose.global[sup_character_joint(c, "somebody")]);
        assert_true(v3_distance(other, person[OTHER].at) == 0);
    }
    assert_float_equal(affine_translation(&pose.global[sup_character_joint(c, "skirt")]).z, 3 - 0.5f, 1e-5f);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

// No point of the skin is ever further from the hips than the figure is large: nothing is left behind on any character.
static void no_skin_is_left_behind(void** state)
{
    (void)state;
    static const char* const files[] = { "skinned/archer.fbx", "skinned/warrior.fbx", "skinned/soldier.glb",
                                         "skinned/cesiumman.glb" };
    TEST_NEEDS_DATA(motion, "mocap/09_01-run.bvh");
    sup_arena* arena = sup_arena_create(NULL);
    sup_mocap  mocap;
    sup_error  error;
    assert_ok(sup_mocap_load(motion, NULL, arena, &mocap, &error), error);
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        sup_character*         c = NULL;
        sup_clip               clip;
        sup_pose               pose;
        const sup_load_options how = { .extra = sup_extra_get() };
        if (sup_load(test_data(files[i]), &how, &c, &error) != SUP_OK) { // built without assimp
            print_message("left out: %s\n", error.text);
            assert_non_null(strstr(files[i], ".fbx"));
            continue;
        }
        assert_ok(sup_retarget(c, &mocap, NULL, arena, &clip, NULL, &error), error);
        assert_ok(sup_pose_create(c, arena, &pose, &error), error);
        sup_vec3 low = c->mesh.points[0], high = low;
        sup_pose_bind(c, &pose);
        for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
            low = v3_min(low, c->mesh.points[p]);
            high = v3_max(high, c->mesh.points[p]);
        }
        float size = v3_distance(low, high), worst = 0;
        sup_clip_sample(c, &clip, clip.seconds, &pose);
        sup_vec3 first = affine_point(&pose.skin[c->weights.joints[0]], c->mesh.points[0]);
        for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
            sup_vec3 at = affine_point(&pose.skin[c->weights.joints[c->weights.begin[p]]], c->mesh.points[p]);
            worst = fmaxf(worst, v3_distance(at, first));
        }
        print_message("%s: %.2f of its size apart at the end of the run\n", files[i], (double)(worst / size));
        assert_true(worst < 1.2f * size);
        sup_character_destroy(c);
    }
    sup_arena_destroy(arena);
}

// ---------------------------------------------------------------------------------------------- every character

static sup_vec3 place_of_role(const sup_retarget_report* r, const sup_pose* pose, const char* role)
{
    for (uint32_t i = 0; i < r->pair_count; ++i)
        if (strcmp(r->roles[i], role) == 0) return affine_translation(&pose->global[r->targets[i]]);
    fail_msg("nobody is the %s", role);
    return v3(0, 0, 0);
}

typedef struct gait {
    float worst_ground, worst_bend, cosine; // soles off the ground and knees behind, in legs; travel against facing
} gait;

static bool is_of_a_foot(const sup_character* c, const sup_retarget_report* r, uint32_t joint)
{
    for (; joint != SUP_NONE; joint = c->skeleton.joints[joint].parent)
        for (uint32_t i = 0; i < r->pair_count; ++i)
            if (r->targets[i] == joint && strstr(r->roles[i], "foot")) return true;
    return false;
}

// Of the skin of the feet: props may hang lower.
static float lowest_sole(const sup_character* c, const sup_retarget_report* r, const sup_pose* pose)
{
    float low = INFINITY;
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        uint32_t joint = c->weights.joints[c->weights.begin[p]];
        float    height = affine_point(&pose->skin[joint], c->mesh.points[p]).y;
        if (height < low && is_of_a_foot(c, r, joint)) low = height;
    }
    return low;
}

static gait walk(const sup_character* c, const sup_clip* clip, const sup_retarget_report* r, sup_pose* pose)
{
    static const char* const names[2][3] = { { "left upper leg", "left lower leg", "left foot" },
                                             { "right upper leg", "right lower leg", "right foot" } };
    gait                     g = { .cosine = -1 };
    sup_vec3                 first = { 0 }, last = { 0 }, facing = { 0 };
    sup_pose_bind(c, pose);
    float ground = lowest_sole(c, r, pose),
          leg = v3_distance(place_of_role(r, pose, names[0][0]), place_of_role(r, pose, names[0][2]));
    for (int i = 0; i < 40; ++i) {
        sup_clip_sample(c, clip, clip->seconds * i / 39, pose);
        g.worst_ground = fmaxf(g.worst_ground, fabsf(lowest_sole(c, r, pose) - ground) / leg);
        last = place_of_role(r, pose, "hips");
        if (i == 0) first = last;
        sup_vec3 left = place_of_role(r, pose, names[0][0]), right = place_of_role(r, pose, names[1][0]);
        sup_vec3 ahead = v3_normalize(v3_cross(v3_sub(left, right), v3(0, 1, 0)), v3(0, 0, 0));
        facing = v3_add(facing, ahead);
        for (int side = 0; side < 2; ++side) {
            sup_vec3 hip = place_of_role(r, pose, names[side][0]), knee = place_of_role(r, pose, names[side][1]);
            sup_vec3 line = v3_sub(place_of_role(r, pose, names[side][2]), hip);
            sup_vec3 mid = v3_mad(hip, v3_dot(v3_sub(knee, hip), line) / v3_length2(line), line);
            g.worst_bend = fmaxf(g.worst_bend, -v3_dot(v3_sub(knee, mid), ahead) / leg);
        }
    }
    sup_vec3 travel = v3_sub(last, first);
    travel.y = facing.y = 0;
    g.cosine = v3_dot(v3_normalize(travel, v3(0, 0, 0)), v3_normalize(facing, v3(0, 0, 0)));
    return g;
}

// Feet on the ground, knees in front, and the front stays in front.
static void every_character_walks_and_runs(void** state)
{
    (void)state;
    static const char* const files[] = { "cesiumman.glb", "soldier.glb", "xbot.glb",         "readyplayer.glb",    "hvgirl.glb",
                                         "warrior.fbx",   "archer.fbx",  "stormtrooper.dae", "robotexpressive.glb" };
    static const char* const motions[] = { "mocap/07_01-walk.bvh", "mocap/09_01-run.bvh" };
    for (size_t k = 0; k < sizeof motions / sizeof *motions; ++k) {
        TEST_NEEDS_DATA(motion, motions[k]);
        sup_arena* arena = sup_arena_create(NULL);
        sup_mocap  mocap;
        sup_error  error;
        assert_ok(sup_mocap_load(motion, NULL, arena, &mocap, &error), error);
        for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
            char                   path[64];
            const sup_load_options how = { .extra = sup_extra_get() };
            sup_character*         c = NULL;
            sup_clip               clip;
            sup_pose               pose;
            sup_retarget_report    report;
            snprintf(path, sizeof path, "skinned/%s", files[i]);
            if (sup_load(test_data(path), &how, &c, &error) != SUP_OK) { // built without assimp
                print_message("left out: %s\n", error.text);
                assert_null(strstr(path, ".glb"));
                continue;
            }
            assert_ok(sup_retarget(c, &mocap, NULL, arena, &clip, &report, &error), error);
            assert_ok(sup_pose_create(c, arena, &pose, &error), error);
            gait g = walk(c, &clip, &report, &pose);
            print_message(
                "%-19s %-10s soles %4.1f %% of the leg off the ground, knees %4.1f %% behind, travel and facing %.3f\n",
                files[i], mocap.name, (double)(100 * g.worst_ground), (double)(100 * g.worst_bend), (double)g.cosine);
            assert_true(g.cosine > 0.94f);
            assert_true(g.worst_bend < 0.04f);
            if (k == 0) assert_true(g.worst_ground < 0.08f); // runners fly
            sup_character_destroy(c);
        }
        sup_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_hangs_beside_the_hips_goes_with_the_body),
        cmocka_unit_test(no_skin_is_left_behind),
        cmocka_unit_test(every_character_walks_and_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Tissue over bone is firm up to the skin, and the rest is as soft as ever.
//
//   test_layers_anatomy --measure FILE[@CLIP] MOTION.bvh|- JOINT LINKS...   prints how far a joint's skin leaves its bone
#include "elbow.h"
#include "rig/anatomy.h"
#include "supple/io.h"
#include "supple/rig.h"

#include <stdio.h>

typedef struct motion_of_skin {
    double mean, most; // metres off the bone's rigid motion
} motion_of_skin;

// For the skin that joints matching the glob carry alone.
static motion_of_skin measure(const sup_character* c, const sup_clip* clip, double end, const char* joint, const char* links)
{
    motion_of_skin m = { 0 };
    double         sum = 0, count = 0;
    play           soft = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = links },
                                     (sup_instance_desc){ .clip = clip, .preroll = -1 }),
         flat = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = "linear" },
                           (sup_instance_desc){ .clip = clip });
    for (double t = 0; t <= end + 1e-9; t += 1.0 / 30) {
        play_hash(&soft, t), play_hash(&flat, t);
        for (uint32_t p = 0; p < soft.points; ++p) {
            uint32_t k = c->weights.begin[p];
            if (c->weights.values[k] < 0.95f || !sup_glob_match(joint, c->skeleton.joints[c->weights.joints[k]].name)) continue;
            double off = (double)v3_distance(soft.out[p], flat.out[p]) * c->metres_per_unit;
            m.most = fmax(m.most, off);
            sum += off, ++count;
        }
    }
    m.mean = count > 0 ? sum / count : 0;
    play_end(&soft), play_end(&flat);
    return m;
}

// ---------------------------------------------------------------------------------------------- what is found

static bool is_firm(const sup_character* c, const sup_anatomy* a, const char* joint)
{
    for (uint32_t j = 0; j < c->skeleton.joint_count; ++j)
        if (strcmp(c->skeleton.joints[j].name, joint) == 0) return a->solids[j] != SUP_NONE;
    fail_msg("no joint '%s'", joint);
    return false;
}

static void a_beast_has_a_skull_and_anchors_and_soft_ears(void** state)
{
    static const char* const firm[] = { "head", "front_foot_l", "front_foot_r", "back_foot_l", "back_foot_r" };
    static const char* const soft[] = { "root",   "hips",   "spine_2",       "chest",        "neck_1",        "neck_2",
                                        "tail_1", "tail_5", "front_upper_l", "back_lower_r", "front_lower_l", "ear_l" };
    (void)state;
    sup_character* c = test_builtin("beast", 1000);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_anatomy    a;
    sup_error      error;
    assert_ok(sup_anatomy_find(c, arena, &a, &error), error);
    for (size_t i = 0; i < SUP_COUNT_OF(firm); ++i) assert_true(is_firm(c, &a, firm[i]));
    for (size_t i = 0; i < SUP_COUNT_OF(soft); ++i) assert_false(is_firm(c, &a, soft[i]));
    assert_int_equal(a.firm_count, SUP_COUNT_OF(firm));
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

// Where names say nothing, the skeleton's ends decide: four feet on the ground, and a head thicker than the tail.
static void so_it_has_under_foreign_names(void** state)
{
    static const char foreign[][8] = { "b00", "b01", "b02", "b03", "b04", "b05", "b06", "b07", "b08", "b09",
                                       "b10", "b11", "b12", "b13", "b14", "b15", "b16", "b17", "b18", "b19",
                                       "b20", "b21", "b22", "b23", "b24", "b25", "b26", "b27" };
    (void)state;
    sup_character* c = test_builtin("beast", 1000);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_anatomy    named, shaped;
    sup_error      error;
    sup_joint*     joints = (sup_joint*)c->skeleton.joints;
    assert_ok(sup_anatomy_find(c, arena, &named, &error), error);
    const char* names[28];
    for (uint32_t j = 0; j < c->skeleton.joint_count; ++j) names[j] = joints[j].name, joints[j].name = foreign[j];
    assert_ok(sup_anatomy_find(c, arena, &shaped, &error), error);
    for (uint32_t j = 0; j < c->skeleton.joint_count; ++j) {
        bool ear = strncmp(names[j], "ear", 3) == 0; // by shape it is a part of the head
        if (!ear && (named.solids[j] == SUP_NONE) != (shaped.solids[j] == SUP_NONE)) fail_msg("%s", names[j]);
    }
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void names_of_many_programs_are_read(void** state)
{
    static const struct {
        const char* name;
        bool        firm;
    } rows[] = { { "mixamorig:Head", true },    { "Bip001 L Hand", true }, { "J_Bip_R_Foot", true },
                 { "antler_l", true },          { "hoof.FR", true },       { "tail_3", false },
                 { "Bip001 Ponytail1", false }, { "ear.L", false },        { "mixamorig:Spine1", false },
                 { "belly_jiggle", false },     { "thigh_l", false },      { "LeftForeArm", false } };
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    for (size_t i = 0; i < SUP_COUNT_OF(rows); ++i) {
        sup_character* c = test_tube(6, 6, 2, 1, 0.1f);
        sup_anatomy    a;
        sup_error      error;
        ((sup_joint*)c->skeleton.joints)[1].name = rows[i].name;
        assert_ok(sup_anatomy_find(c, arena, &a, &error), error);
        if ((a.solids[1] != SUP_NONE) != rows[i].firm) fail_msg("%s", rows[i].name);
        assert_true(a.solids[0] == SUP_NONE);
        sup_character_destroy(c);
    }
    sup_arena_destroy(arena);
}

// ---------------------------------------------------------------------------------------------- what it does

static void a_shaken_head_keeps_its_face(void** state)
{
    (void)state;
    sup_character*           c = test_builtin("beast", 1000);
    const sup_clip*          clip = sup_character_clip(c, "shake");
    static const char* const parts[] = { "head", "tail_*", "ear_*" };
    motion_of_skin           soft[3], firm[3];
    for (int i = 0; i < 3; ++i) {
        soft[i] = measure(c, clip, 0.5, parts[i], "layers(anatomy=0)"), firm[i] = measure(c, clip, 0.5, parts[i], "layers");
        print_message("%s: mean %.2f and %.2f mm, most %.2f and %.2f\n", parts[i], 1000 * soft[i].mean, 1000 * firm[i].mean,
                      1000 * soft[i].most, 1000 * firm[i].most);
    }
    assert_true(soft[0].mean > 0.003); // or there was nothing to hold
    assert_true(firm[0].mean < 0.0005 && firm[0].most < 0.005);
    for (int i = 1; i < 3; ++i) assert_true(fabs(firm[i].mean / soft[i].mean - 1) < 0.35); // what is soft still swings
    motion_of_skin cage = measure(c, clip, 0.5, "head", "layers(cage=600)");
    print_message("on a cage: %.2f mm, most %.2f\n", 1000 * cage.mean, 1000 * cage.most);
    assert_true(cage.mean < 0.0005 &&
                cage.most < 0.006); // few of its points carry what is the head's alone: 0.7 and 11 mm by them
    sup_character_destroy(c);
}

static uint64_t hash_with(const sup_character* c, const char* links, const char* setting, bool* noted)
{
    const sup_clip* clip = sup_character_clip(c, "flex");
    play            p = play_chain(
                   (sup_chain_desc){
                       .character = c, .clip = clip, .links = links, .settings = &setting, .setting_count = setting != NULL },
                   (sup_instance_desc){ .clip = clip, .preroll = 0 });
    uint64_t hash = play_hash(&p, 0.05);
    *noted = false;
    for (uint32_t i = 0; i < sup_chain_note_count(p.chain); ++i)
        *noted |= strstr(sup_chain_note(p.chain, i), "firm up to the skin") && strstr(sup_chain_note(p.chain, i), "hand");
    play_end(&p);
    return hash;
}

static void a_note_names_the_firm_joints_and_what_the_user_said_goes_before(void** state)
{
    (void)state;
    sup_character* c = test_builtin("arm", 500);
    bool           noted;
    uint64_t       firm = hash_with(c, "layers", NULL, &noted);
    assert_true(noted);
    uint64_t soft = hash_with(c, "layers(anatomy=0)", NULL, &noted);
    assert_false(noted);
    assert_true(firm != soft);
    // For one bone: by the parameter itself, or by setting its tissue.
    assert_true(hash_with(c, "layers", "layers.anatomy@hand=0", &noted) != firm);
    uint64_t told = hash_with(c, "layers", "layers.stiffness_fat@hand=0.3", &noted);
    assert_false(noted);
    assert_true(told == hash_with(c, "layers(anatomy=0)", "layers.stiffness_fat@hand=0.3", &noted));
    sup_character_destroy(c);
}

int main(int argc, char** argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_beast_has_a_skull_and_anchors_and_soft_ears),
        cmocka_unit_test(so_it_has_under_foreign_names),
        cmocka_unit_test(names_of_many_programs_are_read),
        cmocka_unit_test(a_shaken_head_keeps_its_face),
        cmocka_unit_test(a_note_names_the_firm_joints_and_what_the_user_said_goes_before),
    };
    if (argc < 6 || strcmp(argv[1], "--measure") != 0) return cmocka_run_group_tests(tests, NULL, NULL);
    sup_error      error;
    sup_character* c = NULL;
    sup_arena*     arena = sup_arena_create(NULL);
    char           path[512];
    const char*    name = strrchr(argv[2], '@');
    sup_format(path, sizeof path, "%.*s", (int)(name ? name - argv[2] : (long)strlen(argv[2])), argv[2]);
    if (strncmp(path, "builtin:", 8) == 0) c = test_builtin(path + 8, 0);
    else assert_ok(sup_load(path, NULL, &c, &error), error);
    sup_clip        captured;
    const sup_clip* clip = name ? sup_character_clip(c, name + 1) : c->clip_count ? &c->clips[0] : NULL;
    if (strcmp(argv[3], "-") != 0) {
        sup_mocap mocap;
        assert_ok(sup_mocap_load(argv[3], NULL, arena, &mocap, &error), error);
        assert_ok(sup_retarget(c, &mocap, &(sup_retarget_options){ 0 }, arena, &captured, NULL, &error), error);
        clip = &captured;
    }
    for (int i = 5; i < argc; ++i) {
        motion_of_skin m = measure(c, clip, fmin(clip->seconds, 1.5), argv[4], argv[i]);
        printf("%-40s %-10s %-28s mean %6.2f mm, most %6.2f mm\n", argv[2], argv[4], argv[i], 1000 * m.mean, 1000 * m.most);
    }
    sup_character_destroy(c);
    sup_arena_destroy(arena);
    return 0;
}

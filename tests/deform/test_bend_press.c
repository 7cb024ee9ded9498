// Bodies pressed into the skin: it comes out of them, its neighborhood follows, and nothing tears.
#include "bent.h"

static void a_ball_presses_the_skin_out_of_itself(void** state)
{
    (void)state;
    sup_character* c = test_tube(48, 48, 1, 1.0f, 0.2f);
    for (int way = 0; way < 3; ++way) {
        static const char* const links[] = { "bend(curves=24)", "bend(curves=24,closed=foundation)",
                                             "bend(way=along,curves=24)" };
        // the ball is 0.05 deep in the top of the tube
        bent b =
            bent_by(c, links[way], "{\"bodies\":[{\"name\":\"ball\",\"sphere\":{\"center\":[0.5,0.25,0],\"radius\":0.1}}]}");
        uint32_t at;
        double   most = most_moved(&b, 0, &at);
        assert_true(most > 0.04 && most < 0.08);
        for (uint32_t i = 0; i < b.p.points; ++i) assert_true(v3_distance(b.p.out[i], v3(0.5f, 0.25f, 0)) > 0.0999f);
        assert_true(b.p.out[at].y < b.plain[at].y);
        // skin beside the ball goes down too
        double beside = 0;
        for (uint32_t i = 0; i < b.p.points; ++i)
            if (v3_distance(b.plain[i], v3(0.5f, 0.25f, 0)) > 0.12f)
                beside = fmax(beside, (double)(b.plain[i].y - b.p.out[i].y));
        assert_true(beside > 0.005);
        bent_end(&b);
    }
    // a capsule that rides on a bone does the same, and press=0 switches it off
    assert_true(most_under(c, "bend(press=0)",
                           "{\"bodies\":[{\"name\":\"b\",\"sphere\":{\"center\":[0.5,0.25,0],\"radius\":0.1}}]}") == 0);
    char world[256];
    sup_format(world, sizeof world,
               "{\"bodies\":[{\"name\":\"b\",\"capsule\":{\"from\":[0.4,0.25,0],\"to\":[0.6,0.25,0],\"radius\":0.08},\"joint\":"
               "\"%s\"}]}",
               c->skeleton.joints[0].name);
    assert_true(most_under(c, "bend(curves=24)", world) > 0.02);
    sup_character_destroy(c);
}

// 75 mm deep into the flank of the beast. When each curve responded separately, those beside the ball did not move: 3.0.
static void a_dent_has_no_crease_at_its_rim(void** state)
{
    (void)state;
    sup_character* c = test_builtin("beast", 0);
    bent     b = bent_by(c, "bend", "{\"bodies\":[{\"name\":\"ball\",\"sphere\":{\"center\":[0.24,0.40,0],\"radius\":0.09}}]}");
    uint32_t at;
    double   most = most_moved(&b, 0, &at), steep = steepest(&b, &c->mesh), far = 0;
    print_message("  %g m deep, steepest %g\n", most, steep);
    assert_true(most > 0.06 && most < 0.08 && steep < 1);
    for (uint32_t i = 0; i < b.p.points; ++i)
        if (v3_distance(b.plain[i], b.plain[at]) > 0.4f) far = fmax(far, (double)v3_distance(b.p.out[i], b.plain[i]));
    assert_true(far < 0.01 * most); // the rest of the body stays
    bent_end(&b);
    sup_character_destroy(c);
}

// As the ball comes nearer by a millimeter a frame the skin gives way by about as much, and never jumps.
static void a_ball_that_comes_slowly_moves_the_skin_slowly(void** state)
{
    (void)state;
    sup_character* c = test_builtin("beast", 3000);
    bent           b = bent_by(c, "bend",
                               "{\"bodies\":[{\"name\":\"ball\",\"sphere\":{\"center\":[0.36,0.42,0],\"radius\":0.09},"
                                         "\"keys\":[{\"time\":0},{\"time\":1,\"move\":[-0.1,0,0]}]}]}");
    sup_vec3*      last = SUP_NEW(b.arena, sup_vec3, b.p.points);
    double         jump = 0;
    memcpy(last, b.plain, b.p.points * sizeof *last);
    for (int i = 0; i <= 100; ++i) {
        play_hash(&b.p, i / 100.0);
        for (uint32_t k = 0; k < b.p.points && i; ++k) jump = fmax(jump, (double)v3_distance(b.p.out[k], last[k]));
        memcpy(last, b.p.out, b.p.points * sizeof *last);
    }
    print_message("  at most %g mm in a frame\n", 1e3 * jump);
    assert_true(jump > 5e-4 && jump < 4e-3);
    bent_end(&b);
    sup_character_destroy(c);
}

// A second tube, closed, across the first: it presses as the capsule with its size does.
static void a_closed_mesh_presses_as_a_capsule_of_its_size(void** state)
{
    (void)state;
    sup_character *c = test_tube(48, 48, 1, 1.0f, 0.2f), *rod = test_tube(24, 32, 1, 0.6f, 0.1f);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_world_mesh mesh = { "rod", rod };
    double         deep[2];
    for (int way = 0; way < 2; ++way) {
        const char* world =
            way ? "{\"bodies\":[{\"name\":\"rod\",\"mesh\":\"rod\",\"keys\":[{\"time\":0,\"move\":[0.2,0.26,0]}]}]}"
                : "{\"bodies\":[{\"name\":\"rod\",\"capsule\":{\"from\":[0.3,0.26,0],\"to\":[0.7,0.26,0],\"radius\":0.1}}]}";
        play p = play_chain((sup_chain_desc){ .character = c,
                                              .links = "bend(curves=24)",
                                              .world = test_json(world, arena),
                                              .world_meshes = &mesh,
                                              .world_mesh_count = 1 },
                            (sup_instance_desc){ .preroll = 0 });
        play_hash(&p, 0);
        deep[way] = 0;
        for (uint32_t i = 0; i < p.points; ++i) deep[way] = fmax(deep[way], (double)(c->mesh.points[i].y - p.out[i].y));
        for (uint32_t i = 0; i < p.points && way; ++i) {
            sup_vec3 q = v3_sub(p.out[i], v3(0.2f, 0.26f, 0));
            // the rod has 32 sides: its flats are at 0.0995
            assert_false(q.x > 0.001f && q.x < 0.599f && sqrtf(q.y * q.y + q.z * q.z) < 0.0990f);
        }
        play_end(&p);
    }
    print_message("  capsule %g m, mesh %g m\n", deep[0], deep[1]);
    assert_true(deep[0] > 0.03 && fabs(deep[1] / deep[0] - 1) < 0.1);
    sup_arena_destroy(arena);
    sup_character_destroy(rod);
    sup_character_destroy(c);
}

// A hind leg kicks forward: the capsule in its shin presses what it meets, and never its own skin.
static void another_bone_presses_when_it_comes(void** state)
{
    (void)state;
    sup_character* c = test_builtin("beast", 3000);
    sup_arena*     arena = sup_arena_create(NULL);
    const char*    world = "{\"bodies\":[{\"name\":\"shin\",\"capsule\":{\"from\":[0.135,0.2,-0.19],\"to\":[0.136,0.085,-0.23],"
                           "\"radius\":0.035},\"joint\":\"back_lower_l\"}]}";
    double         moved[2];
    for (int near = 0; near < 2; ++near) {
        sup_pose  pose;
        sup_error error;
        assert_ok(sup_pose_create(c, arena, &pose, &error), error);
        sup_pose_bind(c, &pose);
        uint32_t hip = sup_character_joint(c, "back_upper_l");
        pose.local[hip].rotation =
            quat_mul(c->skeleton.joints[hip].rest.rotation, quat_axis_angle(v3(1, 0, 0), near ? -0.9f : 0));
        sup_pose_update(c, &pose);
        play p = play_chain((sup_chain_desc){ .character = c, .links = "bend", .world = test_json(world, arena) },
                            (sup_instance_desc){ .pose = &pose, .preroll = 0 });
        play q = play_chain((sup_chain_desc){ .character = c, .links = "linear" },
                            (sup_instance_desc){ .pose = &pose, .preroll = 0 });
        play_hash(&p, 0), play_hash(&q, 0);
        moved[near] = 0;
        for (uint32_t i = 0; i < p.points; ++i)
            if (!strstr(c->skeleton.joints[c->weights.joints[c->weights.begin[i]]].name, "back_"))
                moved[near] = fmax(moved[near], (double)v3_distance(p.out[i], q.out[i]));
        play_end(&p), play_end(&q);
    }
    print_message("  the body moves %g m away from the shin, %g m at it\n", moved[0], moved[1]);
    assert_true(moved[0] == 0 && moved[1] > 0.005);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

// Forces, pressure, a finger and a pose: the same bits whatever the number of workers, with fixed loads and without.
static void workers_do_not_change_a_bit(void** state)
{
    (void)state;
    sup_character*           c = test_builtin("beast", 9000);
    sup_arena*               arena = sup_arena_create(NULL);
    sup_pool*                pool = sup_pool_create(4);
    static const char* const worlds[] = {
        "{\"forces\":[{\"name\":\"a\",\"bone\":\"spine_1\",\"radius\":0.3,\"value\":[0,0,8]}]}",
        "{\"forces\":[{\"name\":\"a\",\"bone\":\"spine_1\",\"radius\":0.3,\"value\":[0,0,8]}],\"bodies\":[{\"name\":\"b\","
        "\"sphere\":{\"center\":[0.26,0.4,0],\"radius\":0.09}}]}",
    };
    static const char* const links[] = { "bend(pressure=0.05)", "dualquat,bend(closed=foundation,transfer=frame,dynamics=on)" };
    for (int i = 0; i < 4; ++i) {
        uint64_t hash[2];
        for (int many = 0; many < 2; ++many) {
            play p = play_chain(
                (sup_chain_desc){
                    .character = c, .clip = &c->clips[0], .links = links[i % 2], .world = test_json(worlds[i / 2], arena) },
                (sup_instance_desc){ .clip = &c->clips[0], .preroll = 0, .tasks = many ? sup_pool_tasks(pool) : NULL });
            hash[many] = play_hash(&p, 0.3);
            play_end(&p);
        }
        assert_true(hash[0] == hash[1]);
    }
    sup_pool_destroy(pool);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_presses_the_skin_out_of_itself),
        cmocka_unit_test(a_dent_has_no_crease_at_its_rim),
        cmocka_unit_test(a_ball_that_comes_slowly_moves_the_skin_slowly),
        cmocka_unit_test(a_closed_mesh_presses_as_a_capsule_of_its_size),
        cmocka_unit_test(another_bone_presses_when_it_comes),
        cmocka_unit_test(workers_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

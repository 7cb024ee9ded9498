#include "play.h"

static void the_tip_goes_where_the_joints_take_it(void** state)
{
    (void)state;
    // Two joints of half a unit; the second turns by 30 degrees about z at x = 0.5: its end is at 0.5 + 0.5 (cos 30, sin 30).
    sup_character* c = test_tube(21, 8, 2, 1.0f, 0.05f);
    play p = play_chain((sup_chain_desc){ .character = c, .links = "linear" }, (sup_instance_desc){ .clip = &c->clips[0] });
    play_hash(&p, 1);
    sup_vec3 tip = p.out[p.points - 1];
    assert_float_equal(tip.x, 0.5f + 0.5f * 0.8660254f, 1e-6f);
    assert_float_equal(tip.y, 0.25f, 1e-6f);
    assert_float_equal(tip.z, 0, 1e-6f);
    play_end(&p);
    sup_character_destroy(c);
}

static void halfway_points_are_the_mean_of_both_joints(void** state)
{
    (void)state;
    sup_character* c = test_tube(21, 8, 2, 1.0f, 0.05f);
    play           p = play_chain((sup_chain_desc){ .character = c }, (sup_instance_desc){ .clip = &c->clips[0] });
    play_hash(&p, 1);
    const sup_pose* pose = sup_instance_pose(p.instance);
    // The ring at x = 0.5 has equal weights; its first point is (0.5, 0.05, 0).
    sup_vec3 rest = c->mesh.points[10 * 8];
    sup_vec3 mean = v3_scale(v3_add(affine_point(&pose->skin[0], rest), affine_point(&pose->skin[1], rest)), 0.5f);
    assert_true(v3_distance(p.out[10 * 8], mean) < 1e-6f);
    play_end(&p);
    sup_character_destroy(c);
}

static void morph_weights_act_before_skinning(void** state)
{
    (void)state;
    sup_vec3       corners[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, deltas[] = { { 0, 0, 2 }, { 0, 0, 0 }, { 0, 0, 0 } };
    uint32_t       face[] = { 0, 1, 2 };
    sup_morph_desc morph = { .name = "up", .rest_weight = 0.5f, .deltas = deltas };
    sup_part_desc  part = { .name = "leaf",
                            .vertex_count = 3,
                            .positions = corners,
                            .face_count = 1,
                            .corners = face,
                            .joint = SUP_NONE,
                            .source_id = SUP_NONE,
                            .morph_count = 1,
                            .morphs = &morph };
    float          times[] = { 0, 1 }, values[] = { 0, 1 };
    sup_channel    channel = {
           .target = 0, .path = SUP_PATH_WEIGHTS, .key_count = 2, .width = 1, .times = times, .values = values
    };
    sup_clip           clip = { .name = "grow", .seconds = 1, .channel_count = 1, .channels = &channel, .source_id = SUP_NONE };
    sup_character_desc desc = {
        .name = "leaf", .part_count = 1, .parts = &part, .clip_count = 1, .clips = &clip, .metres_per_unit = 1
    };
    sup_character* c = test_character(&desc);
    play           p = play_chain((sup_chain_desc){ .character = c }, (sup_instance_desc){ .clip = &c->clips[0] });
    play_hash(&p, 0.25);
    assert_float_equal(p.out[0].z, 0.5f, 1e-6f);
    play_end(&p);
    play rest = play_chain((sup_chain_desc){ .character = c }, (sup_instance_desc){ .chain = NULL });
    play_hash(&rest, 0);
    assert_float_equal(rest.out[0].z, 1.0f, 1e-6f);
    play_end(&rest);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tip_goes_where_the_joints_take_it),
        cmocka_unit_test(halfway_points_are_the_mean_of_both_joints),
        cmocka_unit_test(morph_weights_act_before_skinning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

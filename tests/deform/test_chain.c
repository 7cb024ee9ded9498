// Chain text, settings, presets, fields and worlds: what users write, and the messages when it is wrong.
#include "play.h"

static sup_character* the_tube;

static int make_tube(void** state)
{
    (void)state;
    the_tube = test_tube(6, 6, 3, 1.0f, 0.1f);
    return 0;
}

static int drop_tube(void** state)
{
    (void)state;
    sup_character_destroy(the_tube);
    return 0;
}

static sup_chain_desc desc(const char* links)
{
    return (sup_chain_desc){ .character = the_tube,
                             .clip = &the_tube->clips[0],
                             .links = links,
                             .extra = test_deformers,
                             .extra_count = SUP_COUNT_OF(test_deformers) };
}

static void assert_chain(sup_chain_desc d, const char* text)
{
    sup_chain* chain = NULL;
    sup_error  error;
    assert_ok(sup_chain_create(&d, &chain, &error), error);
    assert_string_equal(sup_chain_text(chain), text);
    sup_chain_destroy(chain);
}

static void assert_refused(sup_chain_desc d, const char* words)
{
    sup_chain* chain = NULL;
    sup_error  error = { 0 };
    assert_int_equal(sup_chain_create(&d, &chain, &error), SUP_ERROR_INPUT);
    assert_null(chain);
    if (!strstr(error.text, words)) fail_msg("expected '%s' in: %s", words, error.text);
}

static void linear_is_implied_in_front(void** state)
{
    (void)state;
    assert_chain(desc(NULL), "linear");
    assert_chain(desc("spring"), "linear,spring");
    assert_chain(desc("dualquat,spring"), "dualquat,spring");
    assert_chain(desc(" dualquat( blend = 0.5 ) , spring(stiffness=90, mode=held),shift"),
                 "dualquat( blend = 0.5 ) , spring(stiffness=90, mode=held),shift");
    assert_chain(desc("spring(stiffness=90)"), "linear,spring(stiffness=90)");
}

static void wrong_chains_are_refused_with_a_cure(void** state)
{
    (void)state;
    assert_refused(desc("wobble"), "there is no deformer 'wobble'; there are: linear, dualquat");
    assert_refused(desc("layrs"), "there is no deformer 'layrs'; did you mean 'layers'?");
    assert_refused(desc(""), "the chain is empty");
    assert_refused(desc("linear,,spring"), "empty link");
    assert_refused(desc("spring,linear"), "can only be first");
    assert_refused(desc("spring(stiffness=1"), "closing parenthesis");
    assert_refused(desc("spring(stiffness)"), "write name=value");
    assert_refused(desc("spring(color=1)"), "spring has no parameter 'color'; there are: stiffness, damping");
    assert_refused(desc("spring(stifness=1)"), "spring has no parameter 'stifness'; did you mean 'stiffness'?");
    assert_refused(desc("linear(blend=1)"), "it has none at all");
    assert_refused(desc("spring(stiffness=-1)"), "spring.stiffness cannot be -1; give a value from 0 to 2000 1/s^2");
    assert_refused(desc("spring(stiffness=soft)"), "spring.stiffness cannot be 'soft'; give a number");
    assert_refused(desc("spring(copies=1.5)"), "give a whole number");
    assert_refused(desc("spring(enabled=maybe)"), "give on or off");
    assert_refused(desc("spring(mode=fast)"), "choose one of: semi_implicit, held");
    assert_refused(desc("spring(preset=hard)"), "there are: soft");
    sup_chain_desc slow = desc("spring");
    slow.step = 1;
    assert_refused(slow, "give 0.1 to 100");
}

static void settings_reach_links_by_name_and_number(void** state)
{
    (void)state;
    const char*    one[] = { "spring#2.gravity=0", "spring.stiffness=90" };
    sup_chain_desc d = desc("spring,spring");
    d.settings = one;
    d.setting_count = 2;
    assert_chain(d, "linear,spring,spring");
    const char* wrong[] = { "spring#3.gravity=0", "wool.gravity=0", "spring=1", "spring#x.gravity=0",
                            "spring.gravity@joint*=0" };
    const char* words[] = { "no link 'spring#3'", "no link 'wool'", "write NAME.PARAM=VALUE", "counted from 1",
                            "one value for the whole character" };
    for (uint32_t i = 0; i < SUP_COUNT_OF(wrong); ++i) {
        d.settings = &wrong[i];
        d.setting_count = 1;
        assert_refused(d, words[i]);
    }
}

static void presets_make_and_change_links(void** state)
{
    (void)state;
    sup_arena*     arena = sup_arena_create(NULL);
    sup_chain_desc d = desc(NULL);
    d.preset = test_json(
        "{\"supple\":1,\"links\":[{\"name\":\"dualquat\",\"set\":{\"blend\":0.5}},"
        "{\"name\":\"spring\",\"set\":{\"enabled\":false,\"mode\":\"held\"},\"bones\":{\"joint1\":{\"stiffness\":0}}}]}",
        arena);
    assert_chain(d, "dualquat,spring");
    d.links = "linear";
    assert_refused(d, "preset: the chain has no link 'dualquat'");
    d.links = NULL;
    d.preset = test_json("{\"supple\":2,\"links\":[]}", arena);
    assert_refused(d, "\"supple\" must be 1");
    d.preset = test_json("{\"supple\":1,\"links\":[]}", arena);
    assert_refused(d, "at least one");
    d.preset = test_json("{\"supple\":1,\"links\":[{}]}", arena);
    assert_refused(d, "no \"name\"");
    d.preset = test_json("{\"supple\":1,\"links\":[{\"name\":\"linear\"}],\"wrld\":1}", arena);
    assert_refused(d, "\"wrld\" is not known");
    sup_arena_destroy(arena);
}

static void what_stands_in_the_chain_wins_over_a_preset_file(void** state)
{
    (void)state;
    sup_arena*     arena = sup_arena_create(NULL);
    sup_chain_desc d = desc("spring(stiffness=90)");
    d.preset = test_json("{\"supple\":1,\"links\":[{\"name\":\"spring\",\"set\":{\"stiffness\":1000,\"damping\":9}}]}", arena);
    play preset = play_chain(d, (sup_instance_desc){ .clip = &the_tube->clips[0] });
    play same = play_chain(desc("spring(stiffness=90,damping=9)"), (sup_instance_desc){ .clip = &the_tube->clips[0] });
    assert_true(play_hash(&preset, 0.7) == play_hash(&same, 0.7));
    play_end(&preset), play_end(&same);
    sup_arena_destroy(arena);
}

static void a_named_preset_sets_its_values(void** state)
{
    (void)state;
    play soft = play_chain(desc("spring(preset=soft)"), (sup_instance_desc){ .clip = &the_tube->clips[0] });
    play same = play_chain(desc("spring(stiffness=90,damping=1)"), (sup_instance_desc){ .clip = &the_tube->clips[0] });
    play other = play_chain(desc("spring"), (sup_instance_desc){ .clip = &the_tube->clips[0] });
    assert_true(play_hash(&soft, 0.7) == play_hash(&same, 0.7));
    assert_true(play_hash(&soft, 0.7) != play_hash(&other, 0.7));
    play_end(&soft), play_end(&same), play_end(&other);
}

static void bone_values_blend_by_weight(void** state)
{
    (void)state;
    // joint2 is set to 0: its points keep the parameter by the share of the other joints' weights.
    const char*    setting = "spring.stiffness@joint2=0";
    sup_chain_desc d = desc("spring");
    d.settings = &setting;
    d.setting_count = 1;
    play p = play_chain(d, (sup_instance_desc){ .clip = &the_tube->clips[0], .preroll = 0 });
    // Right after the start the fall is not slowed where stiffness is 0: g t^2 / 2 at the far end, less elsewhere.
    play_hash(&p, 0.4);
    play rigid = play_chain(desc("linear"), (sup_instance_desc){ .clip = &the_tube->clips[0] });
    play_hash(&rigid, 0.4);
    float far_end = rigid.out[rigid.points - 1].y - p.out[p.points - 1].y;
    float near_end = rigid.out[0].y - p.out[0].y;
    assert_true(far_end > 0.3f);
    assert_true(near_end < 0.05f);
    play_end(&p), play_end(&rigid);
    setting = "spring.stiffness@Spine*=0";
    assert_refused(d, "no joint has such a name; there are: joint0, joint1, joint2");
    setting = "spring.stiffness@joint1=-5";
    assert_refused(d, "cannot be -5");
}

static void fields_clamp_scale_and_offset(void** state)
{
    (void)state;
    const sup_param* row = &spring_rows[0];
    float            scale[] = { 0.5f, 0.0f, 2.0f }, offset[] = { 0, 30, 0 };
    sup_field        field = { scale, offset };
    assert_float_equal(sup_field_value(row, &field, 100, 0), 50, 0);
    assert_float_equal(sup_field_value(row, &field, 100, 1), 30, 0);
    assert_float_equal(sup_field_value(row, &field, 1900, 2), 2000, 0);
    assert_float_equal(sup_field_value(row, &(sup_field){ 0 }, 7, 5), 7, 0);
    assert_float_equal(sup_field_value(row, NULL, 7, 5), 7, 0);
}

static void wrong_worlds_are_refused_naming_the_key(void** state)
{
    (void)state;
    const char* wrong[][2] = {
        { "[]", "the file: must be {...}" },
        { "{\"gravity\":9.8}", "three numbers" },
        { "{\"boddies\":[]}", "\"boddies\" is not known; there are: gravity, wind, bodies, forces, muscles, keys" },
        { "{\"keys\":[]}", "\"keys\" must be" },
        { "{\"keys\":{\"spring.stiffness\":[{\"time\":1,\"value\":1},{\"time\":0.5,\"value\":1}]}}",
          "key 2 of \"spring.stiffness\": time 0.5 is not after 1" },
        { "{\"keys\":{\"spring.stiffness\":[{\"time\":0,\"value\":-4}]}}",
          "key 1 of \"spring.stiffness\": spring.stiffness cannot be -4" },
        { "{\"keys\":{\"spring.copies\":[{\"time\":0,\"value\":2}]}}", "cannot have keys" },
        { "{\"keys\":{\"spring.color\":[{\"time\":0,\"value\":2}]}}", "no such parameter" },
        { "{\"keys\":{\"wool.color\":[{\"time\":0,\"value\":2}]}}", "no such link" },
        { "{\"keys\":{\"spring.stiffness\":[{\"value\":2}]}}", "key 1 of \"spring.stiffness\": there is no \"time\"" },
        { "{\"keys\":{\"spring.stiffness\":[{\"time\":0}]}}", "no number as its \"value\"" },
        { "{\"keys\":{\"spring.stiffness\":[{\"time\":0,\"value\":1,\"tiem\":2}]}}", "\"tiem\" is not known" },
        { "{\"keys\":{\"gravity\":[{\"time\":0,\"value\":1}]}}", "three numbers" },
        { "{\"keys\":{\"spring.stiffness\":[]}}", "must be a list" },
    };
    sup_arena* arena = sup_arena_create(NULL);
    for (uint32_t i = 0; i < SUP_COUNT_OF(wrong); ++i) {
        sup_chain_desc d = desc("spring");
        d.world = test_json(wrong[i][0], arena);
        assert_refused(d, wrong[i][1]);
    }
    sup_arena_destroy(arena);
}

static sup_result prefix_bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    uint32_t  count = in->character->mesh.point_count;
    sup_vec3* points = SUP_NEW(arena, sup_vec3, count + 1);
    if (!points) return sup_fail_memory(error, "prefix");
    points[count].x = (float)count;
    sup_result r = sup_prefix_points(in->before, 0.6, points, error);
    *out = (sup_binding){ .data = points };
    return r;
}

static void prefix_evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                            sup_vec3* out)
{
    (void)params, (void)state, (void)scratch;
    const sup_vec3* points = binding->data;
    for (uint32_t i = 0; i < the_tube->mesh.point_count; ++i) out[i] = frame->time < 0 ? frame->points[i] : points[i];
}

static const sup_deformer prefix_deformer = {
    .name = "prefix", .summary = "Shows what it saw at bind", .paper = "-", .bind = prefix_bind, .evaluate = prefix_evaluate
};

static void prefix_gives_the_links_before_at_any_time(void** state)
{
    (void)state;
    const sup_deformer* extra[] = { &spring, &shift, &prefix_deformer };
    sup_chain_desc      d = desc("shift,prefix");
    d.extra = extra;
    d.extra_count = 3;
    play seen = play_chain(d, (sup_instance_desc){ .clip = &the_tube->clips[0] });
    d.links = "shift";
    play plain = play_chain(d, (sup_instance_desc){ .clip = &the_tube->clips[0] });
    assert_true(play_hash(&seen, 0) == play_hash(&plain, 0.6));
    play_end(&seen), play_end(&plain);
    d.links = "spring,prefix";
    assert_refused(d, "cannot follow spring");
    d.links = "shift,prefix";
    d.clip = NULL;
    assert_refused(d, "give one with --clip");
}

static sup_result talk_bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    (void)arena, (void)error;
    sup_note(in->notes, "'%s' has %u holes; close them for a truer volume", in->character->name, 2u);
    sup_note(in->notes, "'%s' has %u holes; close them for a truer volume", in->character->name, 2u);
    sup_note(in->notes, "is fine otherwise");
    *out = (sup_binding){ .data = in->character };
    return SUP_OK;
}

static const sup_deformer talk = {
    .name = "talk", .summary = "Says what is odd", .paper = "-", .bind = talk_bind, .evaluate = prefix_evaluate
};

static void what_links_say_while_bound_is_kept_once_with_their_name(void** state)
{
    (void)state;
    const sup_deformer* extra[] = { &shift, &talk };
    sup_chain_desc      d = desc("shift,talk");
    sup_chain*          chain = NULL;
    sup_error           error;
    d.extra = extra;
    d.extra_count = 2;
    assert_ok(sup_chain_create(&d, &chain, &error), error);
    assert_int_equal(sup_chain_note_count(chain), 2);
    assert_string_equal(sup_chain_note(chain, 0), "talk: 'tube' has 2 holes; close them for a truer volume");
    assert_string_equal(sup_chain_note(chain, 1), "talk: is fine otherwise");
    assert_null(sup_chain_note(chain, 2));
    sup_chain_destroy(chain);
}

static void failing_memory_is_an_error_and_nothing_leaks(void** state)
{
    (void)state;
    for (test_starved s = { 0 }; test_starve(&s);) {
        sup_chain_desc d = desc("dualquat,spring");
        const char*    setting = "spring.stiffness@joint1=4";
        d.settings = &setting;
        d.setting_count = 1;
        d.allocator = &s.memory.allocator;
        sup_chain*    chain = NULL;
        sup_instance* instance = NULL;
        sup_error     error;
        s.result = sup_chain_create(&d, &chain, &error);
        if (!s.result)
            s.result = sup_instance_create(&(sup_instance_desc){ .chain = chain, .clip = d.clip, .allocator = d.allocator },
                                           &instance, &error);
        sup_instance_destroy(instance);
        sup_chain_destroy(chain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_is_implied_in_front),
        cmocka_unit_test(wrong_chains_are_refused_with_a_cure),
        cmocka_unit_test(settings_reach_links_by_name_and_number),
        cmocka_unit_test(presets_make_and_change_links),
        cmocka_unit_test(what_stands_in_the_chain_wins_over_a_preset_file),
        cmocka_unit_test(a_named_preset_sets_its_values),
        cmocka_unit_test(bone_values_blend_by_weight),
        cmocka_unit_test(fields_clamp_scale_and_offset),
        cmocka_unit_test(wrong_worlds_are_refused_naming_the_key),
        cmocka_unit_test(prefix_gives_the_links_before_at_any_time),
        cmocka_unit_test(what_links_say_while_bound_is_kept_once_with_their_name),
        cmocka_unit_test(failing_memory_is_an_error_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, make_tube, drop_tube);
}

// How motion begins.
#include "elbow.h"

// The whole arm flies off at 2 m/s from the first moment of the clip on. It was held before, and still nothing lags.
static void motion_begins_without_a_jerk(void** state)
{
    (void)state;
    const float times[2] = { 0, 1 }, values[6] = { 0, 0, 0, 0, 2, 0 };
    sup_channel channel = {
        .target = 0, .path = SUP_PATH_TRANSLATION, .key_count = 2, .width = 3, .times = times, .values = values
    };
    sup_clip       clip = { .name = "fly", .seconds = 1, .channel_count = 1, .channels = &channel, .source_id = SUP_NONE };
    sup_character* c = capsule_arm(ELBOW_RINGS, 1, &clip);
    elbow          soft = elbow_begin(c, "fly", "layers", NULL);
    play           flat = play_chain((sup_chain_desc){ .character = c, .clip = &c->clips[0], .links = "linear" },
                                     (sup_instance_desc){ .clip = &c->clips[0] });
    double         worst = 0;
    for (double t = 0; t <= 0.2; t += 0.02) {
        play_hash(&soft.play, t), play_hash(&flat, t);
        for (uint32_t i = 0; i < flat.points; ++i) worst = fmax(worst, (double)v3_distance(soft.play.out[i], flat.out[i]));
    }
    print_message("  at most %.3f mm behind\n", 1000 * worst);
    assert_true(worst < 1e-4); // started with a jerk: 34 mm
    play_end(&flat);
    elbow_end(&soft);
}

// A clip that begins with the elbow bent by 120 degrees: the pre-roll has bent it, so both sides of the crease know each other,
// and it looks as if it had been bent while playing.
static void what_begins_bent_stands_as_if_it_had_been_bent(void** state)
{
    (void)state;
    sup_meter*      meter;
    sup_error       error;
    sup_character*  c = test_load("builtin:arm");
    const sup_clip* clip = sup_character_clip(c, "flex");
    assert_ok(sup_meter_create(c, NULL, &meter, &error), error);
    void*  scratch = play_memory(sup_meter_scratch(meter));
    play   into = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = "layers" },
                             (sup_instance_desc){ .clip = clip, .end = 3, .preroll = -1 });
    play   begun = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = "layers" },
                              (sup_instance_desc){ .clip = clip, .start = 1, .end = 3, .preroll = -1 });
    double apart = 0;
    play_hash(&into, 2), play_hash(&begun, 2);
    for (uint32_t i = 0; i < into.points; ++i) apart = fmax(apart, (double)v3_distance(into.out[i], begun.out[i]));
    print_message("  begun bent %.2f mm from bent while playing\n", 1000 * apart);
    assert_true(apart < 1e-3); // begun where it is: 1.96 mm
    play_end(&into), play_end(&begun);
    for (int linear = 0; linear < 2; ++linear) {
        play p = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = linear ? "linear" : "layers" },
                            (sup_instance_desc){ .clip = clip, .start = 1, .end = 2, .preroll = -1 });
        play_hash(&p, 1);
        uint32_t crossings = sup_meter_intersections(meter, p.out, scratch, NULL, NULL, 0);
        print_message("  %s: %u crossings\n", linear ? "linear" : "layers", crossings);
        assert_true(linear ? crossings > 100 : crossings == 0);
        play_end(&p);
    }
    free(scratch);
    sup_meter_destroy(meter);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motion_begins_without_a_jerk),
        cmocka_unit_test(what_begins_bent_stands_as_if_it_had_been_bent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

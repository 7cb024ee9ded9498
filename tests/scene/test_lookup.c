#include "scene/small.h"

#include <stdlib.h>

static void stars_and_question_marks_match_as_in_a_shell(void** state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool        match;
    } cases[] = {
        { "Spine*", "Spine", true },
        { "Spine*", "Spine.001", true },
        { "Spine*", "spine", false },
        { "*", "", true },
        { "", "", true },
        { "", "a", false },
        { "?", "", false },
        { "?", "ab", false },
        { "a?c", "abc", true },
        { "a?c", "ac", false },
        { "*_l", "hand_l", true },
        { "*_l", "hand_l_end", false },
        { "*a*b*c", "xxaxxbxxbxc", true },
        { "*a*b*c", "xxaxxcxxb", false },
        { "a**b", "ab", true },
        { "*?*", "", false },
        { "*?*", "x", true },
        { "h?ft",
          "h\xc3\xbc"
          "ft",
          true },
        { "h??ft",
          "h\xc3\xbc"
          "ft",
          false },
        { "*ft",
          "h\xc3\xbc"
          "ft",
          true },
        { "ab", "abc", false },
        { "abc", "ab", false },
        { "a*", "ba", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        if (sup_glob_match(cases[i].pattern, cases[i].text) != cases[i].match)
            fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].text);
}

static void many_stars_do_not_take_for_ever(void** state)
{
    (void)state;
    enum { N = 20000 };
    char* text = calloc(N + 1, 1);
    memset(text, 'a', N);
    assert_false(sup_glob_match("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
    assert_true(sup_glob_match("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a", text));
    free(text);
}

static void names_are_found_exactly_first_then_without_case(void** state)
{
    (void)state;
    small s;
    small_init(&s);
    s.joints[0].name = "KNEE";
    s.desc.joints = s.joints;
    s.desc.joint_count = 3;
    sup_clip clips[3] = { { .name = "WALK" }, { .name = "walk", .seconds = 2 }, { 0 } };
    s.desc.clips = clips;
    s.desc.clip_count = 3;
    float values[6] = { 0 };
    s.part.maps = &(sup_map_desc){ "_Fat", values };
    s.part.map_count = 1;
    sup_character* c = small_make(&s);
    assert_ptr_equal(sup_character_clip(c, "walk"), &c->clips[1]);
    assert_ptr_equal(sup_character_clip(c, "Walk"), &c->clips[0]);
    assert_ptr_equal(sup_character_clip(c, "clip 2"), &c->clips[2]);
    assert_null(sup_character_clip(c, "walks"));
    assert_float_equal(c->clips[1].seconds, 2, 0); // no channels: as given
    assert_int_equal(sup_character_joint(c, "knee"), 1);
    assert_int_equal(sup_character_joint(c, "Knee"), 0);
    assert_int_equal(sup_character_joint(c, "kne"), SUP_NONE);
    assert_ptr_equal(sup_character_map(c, "_FAT"), &c->maps[0]);
    assert_null(sup_character_map(c, "FAT"));
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stars_and_question_marks_match_as_in_a_shell),
        cmocka_unit_test(many_stars_do_not_take_for_ever),
        cmocka_unit_test(names_are_found_exactly_first_then_without_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

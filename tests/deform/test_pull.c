// Springs of the world: a hand that holds skin and pulls it, from a file or a key at a time.
#include "elbow.h"
#include "run/grip.h"

typedef struct pull {
    sup_arena*     arena;
    sup_character* arm;
    play           play;
} pull;

static void assert_near(sup_vec3 v, float x, float y, float z)
{
    assert_float_equal(v.x, x, 1e-4f);
    assert_float_equal(v.y, y, 1e-4f);
    assert_float_equal(v.z, z, 1e-4f);
}

// The arm of the elbow scene: along x, its elbow at 0.3 m, 5 cm thick at the shoulder. `bend` degrees within a second.
static pull pull_begin(const char* links, const char* world, double bend)
{
    pull p = { .arena = sup_arena_create(NULL), .arm = elbow_make(bend, 1, 1) };
    p.play = play_chain(
        (sup_chain_desc){
            .character = p.arm, .clip = &p.arm->clips[0], .links = links, .world = world ? test_json(world, p.arena) : NULL },
        (sup_instance_desc){ .clip = &p.arm->clips[0], .end = 1000 });
    return p;
}

static void pull_end(pull* p)
{
    play_end(&p->play);
    sup_character_destroy(p->arm);
    sup_arena_destroy(p->arena);
}

// The center of the skin within 6 cm of the place that is held.
static sup_vec3 held(const pull* p)
{
    sup_force force = { .kind = SUP_FORCE_BONE, .at = v3(0.15f, 0, 0.048f), .radius = 0.06f };
    sup_vec3  sum = v3(0, 0, 0);
    float     shares = 0;
    for (uint32_t i = 0; i < p->play.points; ++i) {
        float share = sup_force_share(&force, i, p->arm->mesh.points[i]);
        sum = v3_mad(sum, share, p->play.out[i]);
        shares += share;
    }
    return v3_scale(sum, 1 / shares);
}

#define HAND "{\"name\":\"hand\",\"at\":[0.15,0,0.048],\"radius\":0.06,\"spring\":%g,"
#define TO "\"to\":[0.15,0,0.1]}"

static void a_spring_gives_its_newtons_and_never_throws_beyond_its_end(void** state)
{
    (void)state;
    // 0.1 m of 800 N/m on 2 kg: 40 m/s^2. Particles of share 1/2 have half the mass for it and move half as far.
    sup_mat3  same = { { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } };
    sup_force force = { .spring = 800, .to = v3(0.1f, 0, 0) };
    sup_grip  one = { 0 }, two = { 0 };
    sup_grip_add(&one, 1, 2, v3(0, 0, 0), v3(0, 0, 0), v3(0, 0, 0), &same);
    assert_near(sup_grip_pull(&one, &force, 0.005), 40, 0, 0);
    for (int i = 0; i < 2; ++i) sup_grip_add(&two, 0.5f, 2, v3(0, 0, 0), v3(0, 0, 0), v3(0, 0, 0), &same);
    assert_near(sup_grip_pull(&two, &force, 0.005), 40, 0, 0);
    // An extremely stiff spring brings both to its end within a step of 50 ms: 0.5 x 80 x 0.0025 = 0.1 m.
    force.spring = 1e9f;
    assert_near(sup_grip_pull(&one, &force, 0.05), 40, 0, 0);
    assert_near(sup_grip_pull(&two, &force, 0.05), 80, 0, 0);
    // What reaches the place by itself within the step is not pulled.
    sup_grip moving = { 0 };
    sup_grip_add(&moving, 1, 2, v3(0.05f, 0, 0), v3(10, 0, 0), v3(0, 0, 0), &same);
    assert_near(sup_grip_pull(&moving, &force, 0.005), 0, 0, 0);
    // The skin that is held lies 3 cm before the particle along x, which a quarter turn about z brings to y.
    sup_mat3 quarter = { { { 0, -1, 0 }, { 1, 0, 0 }, { 0, 0, 1 } } };
    sup_grip turned = { 0 };
    force.middle = v3(0.03f, 0, 0), force.to = v3(0, 0.03f, 0);
    sup_grip_add(&turned, 1, 2, v3(0, 0, 0), v3(0, 0, 0), v3(0, 0, 0), &quarter);
    assert_near(sup_grip_pull(&turned, &force, 0.005), 0, 0, 0);
}

static void stiffer_springs_bring_the_skin_nearer_and_none_blows_up(void** state)
{
    (void)state;
    static const char* const links[] = { "layers(cage=250)", "lattice(cells=16)" };
    for (int k = 0; k < 2; ++k) {
        double left[3], felt[3];
        for (int i = 0; i < 3; ++i) {
            static const double springs[] = { 200, 1000, 1e9 };
            char                text[256];
            sup_format(text, sizeof text, "{\"forces\":[" HAND TO "]}", springs[i]);
            pull p = pull_begin(links[k], text, 0);
            play_hash(&p.play, 0.5);
            left[i] = (double)v3_distance(held(&p), v3(0.15f, 0, 0.1f));
            felt[i] = sup_instance_felt(p.play.instance, 0);
            assert_int_equal(p.play.stats.count, 0);
            pull_end(&p);
        }
        print_message("%s: %.1f, %.1f and %.1f mm are left of 60\n", links[k], 1000 * left[0], 1000 * left[1], 1000 * left[2]);
        assert_true(left[0] > left[1] + 0.002 && left[1] > left[2] - 1e-5);
        assert_true(fabs(felt[0] / (200 * left[0]) - 1) < 0.05 &&
                    felt[2] < 0.01 * 1e9 * left[2]); // newtons, as far as they were given
    }
}

static void skin_that_is_held_where_it_is_stays(void** state)
{
    (void)state;
    static const char* const links[] = { "layers(cage=250)", "lattice(cells=16)" };
    for (int k = 0; k < 2; ++k) {
        pull p = pull_begin(links[k], NULL, 0);
        play_hash(&p.play, 0.5);
        sup_vec3 at = held(&p);
        pull_end(&p);
        char text[256];
        sup_format(text, sizeof text, "{\"forces\":[" HAND "\"to\":[%.9g,%.9g,%.9g]}]}", 3000.0, (double)at.x, (double)at.y,
                   (double)at.z);
        p = pull_begin(links[k], text, 0);
        play_hash(&p.play, 0.5);
        print_message("%s: %.2f mm\n", links[k], 1000 * (double)v3_distance(held(&p), at));
        assert_true(v3_distance(held(&p), at) < 1e-3f);
        pull_end(&p);
    }
}

// One key per frame at the first step that ends at or after it, as a hand gives them; released after the sixth.
static void hand_keys(char* text, size_t size, int frames)
{
    size_t n = 0;
    n += sup_format(text + n, size - n, "[" HAND "\"keys\":[{\"time\":0,\"to\":[0.15,0,0.048],\"value\":0,\"step\":true}",
                    900.0);
    for (int i = 1; i <= frames && i <= 6; ++i)
        n += sup_format(text + n, size - n, ",{\"time\":%.17g,\"to\":[0.15,%.17g,%.17g]%s}",
                        0.005 * ceil(i / 30.0 / 0.005 - 1e-9), 0.0007 * i * i, 0.048 + i / 300.0,
                        i == 6 ? ",\"step\":true" : "");
    if (frames > 6) n += sup_format(text + n, size - n, ",{\"time\":0.235,\"to\":[0.15,0,0],\"value\":0}");
    sup_format(text + n, size - n, "]}]");
}

static void a_hand_that_pulls_now_gives_the_bits_of_the_file_it_leaves(void** state)
{
    (void)state;
    static const char* const links[] = { "layers(cage=250)", "lattice(cells=16)", "layers(cage=250),smooth" };
    char                     keys[4096], world[4200];
    for (int k = 0; k < 3; ++k) {
        uint64_t  seen[15];
        sup_error error;
        pull      live = pull_begin(links[k], NULL, 40);
        for (int i = 0; i <= 14; ++i) play_hash(&live.play, i / 30.0); // it has run ahead, as a page does
        for (int i = 0; i <= 14; ++i) {
            sup_arena* arena = sup_arena_create(NULL);
            hand_keys(keys, sizeof keys, i);
            double from = i < 2 ? 0 : 0.005 * ceil((i - 1) / 30.0 / 0.005 - 1e-9);
            assert_ok(sup_instance_set_forces(live.play.instance, test_json(keys, arena), from, &error), error);
            seen[i] = play_hash(&live.play, i / 30.0);
            sup_arena_destroy(arena);
        }
        sup_format(world, sizeof world, "{\"forces\":%s}", keys);
        pull file = pull_begin(links[k], world, 40), none = pull_begin(links[k], NULL, 40);
        for (int i = 0; i <= 14; ++i) assert_true(play_hash(&file.play, i / 30.0) == seen[i]);
        for (int i = 14; i >= 0; i -= 7) assert_true(play_hash(&live.play, i / 30.0) == seen[i]); // and back
        assert_true(play_hash(&none.play, 0) == seen[0] && play_hash(&none.play, 6 / 30.0) != seen[6]);
        assert_true(play_hash(&none.play, 14 / 30.0) != seen[14]); // it still swings
        pull_end(&live), pull_end(&file), pull_end(&none);
    }
}

// A ball that follows a pointer into the arm: one key per frame after every step that the frame needs.
static void ball_keys(char* text, size_t size, int frames)
{
    size_t n = sup_format(text, size,
                          "[{\"name\":\"ball\",\"sphere\":{\"center\":[0.15,0,0.048],\"radius\":0.03},"
                          "\"keys\":[{\"time\":0.049,\"move\":[0,0,3],\"step\":true},{\"time\":0.05,\"move\":[0,0,0.06]}");
    for (int i = 2; i <= frames; ++i)
        n += sup_format(text + n, size - n, ",{\"time\":%.17g,\"move\":[%.17g,0,%.17g]}", i / 30.0 + 1 / 60.0, 0.001 * i,
                        i < 8 ? 0.06 - 0.008 * i : 0.004 * i - 0.03);
    sup_format(text + n, size - n, "]}]");
}

static void a_ball_that_pokes_now_gives_the_bits_of_the_file_it_leaves(void** state)
{
    (void)state;
    static const char* const links[] = { "layers(cage=250)", "lattice(cells=16)" };
    const char*              waiting = "{\"bodies\":[{\"name\":\"waits\",\"sphere\":{\"center\":[0,9,0],\"radius\":0.5}}]}";
    char                     keys[4096], world[4200];
    for (int k = 0; k < 2; ++k) {
        uint64_t  seen[13];
        sup_error error;
        pull      live = pull_begin(links[k], waiting, 40), none = pull_begin(links[k], waiting, 40);
        for (int i = 0; i <= 12; ++i) play_hash(&live.play, i / 30.0); // it has run ahead
        for (int i = 0; i <= 12; ++i) {
            sup_arena* arena = sup_arena_create(NULL);
            ball_keys(keys, sizeof keys, i);
            double from = i < 2 ? 0.049 : (i - 1) / 30.0 + 1 / 60.0; // where it waits nothing is in its way, wherever that is
            assert_ok(sup_instance_set_bodies(live.play.instance, test_json(keys, arena), from, &error), error);
            assert_ok(sup_instance_set_forces(live.play.instance, test_json("[]", arena), from, &error), error); // bodies stay
            seen[i] = play_hash(&live.play, i / 30.0);
            sup_arena_destroy(arena);
        }
        sup_format(world, sizeof world, "{\"bodies\":%s}", keys);
        pull file = pull_begin(links[k], world, 40);
        for (int i = 0; i <= 12; ++i) assert_true(play_hash(&file.play, i / 30.0) == seen[i]);
        for (int i = 12; i >= 0; i -= 6) assert_true(play_hash(&live.play, i / 30.0) == seen[i]); // and back
        assert_true(play_hash(&none.play, 8 / 30.0) != seen[8]);
        pull_end(&live), pull_end(&file), pull_end(&none);
    }
}

static void bodies_that_the_chain_was_not_bound_with_are_refused(void** state)
{
    (void)state;
    static const char* const wrong[][2] = {
        { "[]", "there are 0 bodies where the chain was bound with 1" },
        { "{}", "must be a list" },
        { "[{\"capsule\":{\"from\":[0,0,0],\"to\":[0,1,0],\"radius\":1}}]", "body 1 of the chain is a sphere" },
        { "[{\"mesh\":\"table.obj\"}]", "body 1 of the chain is a sphere" },
        { "[{\"sphere\":{\"center\":[0,0,0],\"radius\":-1}}]", "\"radius\" must be a number" },
        { "[{\"sphere\":{\"center\":[0,0,0],\"radius\":1}},{\"sphere\":{\"center\":[0,0,0],\"radius\":1}}]",
          "body 2 of the chain is not there" },
    };
    pull     p = pull_begin("lattice(cells=16)", "{\"bodies\":[{\"sphere\":{\"center\":[0.15,0,0.06],\"radius\":0.03}}]}", 40);
    uint64_t before = play_hash(&p.play, 0.2);
    for (size_t i = 0; i < SUP_COUNT_OF(wrong); ++i) {
        sup_error error = { 0 };
        assert_int_equal(sup_instance_set_bodies(p.play.instance, test_json(wrong[i][0], p.arena), 0, &error), SUP_ERROR_INPUT);
        if (!strstr(error.text, wrong[i][1])) fail_msg("'%s' does not say '%s'", error.text, wrong[i][1]);
    }
    assert_true(play_hash(&p.play, 0.1) != before && play_hash(&p.play, 0.2) == before);
    pull_end(&p);
}

static void a_pose_that_is_held_later_gives_the_bits_of_one_held_from_the_start(void** state)
{
    (void)state;
    pull live = pull_begin("layers(cage=250)", NULL, 60), plain = pull_begin("linear", NULL, 60);
    for (int i = 0; i <= 8; ++i) play_hash(&live.play, i / 30.0); // it has run ahead
    sup_instance_hold(live.play.instance, 0.1);
    pull from = { .arena = sup_arena_create(NULL), .arm = elbow_make(60, 1, 1) };
    from.play = play_chain((sup_chain_desc){ .character = from.arm, .clip = &from.arm->clips[0], .links = "layers(cage=250)" },
                           (sup_instance_desc){ .clip = &from.arm->clips[0], .still = 0.1 });
    for (int i = 0; i <= 8; ++i) assert_true(play_hash(&live.play, i / 30.0) == play_hash(&from.play, i / 30.0));
    sup_instance_hold(plain.play.instance, 0.1);
    assert_true(play_hash(&plain.play, 0.1) == play_hash(&plain.play, 0.9) &&
                play_hash(&plain.play, 0.05) != play_hash(&plain.play, 0.1));
    sup_instance_hold(plain.play.instance, 0);
    assert_true(play_hash(&plain.play, 0.1) != play_hash(&plain.play, 0.9));
    pull_end(&live), pull_end(&from), pull_end(&plain);
}

static void skin_that_follows_bones_alone_gives_a_spring_its_length(void** state)
{
    (void)state;
    // bend has no state: it is loaded by the spring from where skinning puts the skin, as by a push of the same newtons.
    pull bound =
        pull_begin("bend", "{\"forces\":[{\"name\":\"hand\",\"at\":[0.15,0,0.048],\"radius\":0.06,\"spring\":100," TO "]}", 0);
    play_hash(&bound.play, 0);
    const sup_force* f = &sup_instance_world(bound.play.instance)->forces[0];
    assert_float_equal(f->value.z, 100 * (0.1f - f->middle.z), 1e-4f);
    char text[256];
    sup_format(text, sizeof text,
               "{\"forces\":[{\"name\":\"push\",\"at\":[0.15,0,0.048],\"radius\":0.06,\"value\":[%.9g,%.9g,%.9g]}]}",
               (double)f->value.x, (double)f->value.y, (double)f->value.z);
    pull push = pull_begin("bend", text, 0), none = pull_begin("bend", NULL, 0);
    assert_true(play_hash(&push.play, 0) == play_hash(&bound.play, 0));
    assert_true(play_hash(&none.play, 0) != play_hash(&bound.play, 0));
    pull_end(&bound), pull_end(&push), pull_end(&none);
}

static void wrong_springs_are_refused_and_leave_the_instance_as_it_was(void** state)
{
    (void)state;
    static const char* const wrong[][2] = {
        { "[{\"at\":[0,0],\"radius\":1,\"value\":[0,0,1]}]", "force 1: \"at\" must be three numbers" },
        { "[{\"at\":[0,0,0],\"radius\":1,\"value\":[0,0,1],\"local\":true}]", "\"local\" is not known" },
        { "[{\"name\":\"hand\",\"at\":[0.15,0,0],\"radius\":1,\"spring\":5}]", "force 'hand': there is no \"to\"" },
        { "[{\"name\":\"hand\",\"at\":[9,9,9],\"radius\":1,\"spring\":5,\"to\":[0,0,0]}]", "it reaches no point of the skin" },
        { "[{\"at\":[0,0,0],\"radius\":1,\"spring\":-5,\"to\":[0,0,0]}]", "\"spring\" must be a number from 0 to 1000000000" },
        { "[{\"at\":[0,0,0],\"radius\":1,\"spring\":5,\"to\":[0,0,0],\"value\":[0,0,1]}]", "a spring takes \"to\"" },
        { "[{\"at\":[0,0,0],\"radius\":1,\"to\":[0,0,0],\"value\":[0,0,1]}]", "\"to\" belongs to a spring" },
        { "[{\"at\":[0,0,0],\"radius\":1,\"spring\":5,\"keys\":[{\"time\":0}]}]",
          "key 1 of force 1: \"to\" must be three numbers" },
        { "[{\"at\":[0,0,0],\"radius\":1,\"spring\":5,\"keys\":[{\"time\":0,\"to\":[0,0,0],\"value\":2}]}]",
          "\"value\" must be a number from 0 to 1" },
        { "{}", "must be a list" },
    };
    pull     p = pull_begin("layers(cage=250)", NULL, 40);
    uint64_t before = play_hash(&p.play, 0.2);
    for (size_t i = 0; i < SUP_COUNT_OF(wrong); ++i) {
        sup_error error = { 0 };
        assert_int_equal(sup_instance_set_forces(p.play.instance, test_json(wrong[i][0], p.arena), 0, &error), SUP_ERROR_INPUT);
        if (!strstr(error.text, wrong[i][1])) fail_msg("'%s' does not say '%s'", error.text, wrong[i][1]);
    }
    assert_true(play_hash(&p.play, 0.1) != before && play_hash(&p.play, 0.2) == before);
    pull_end(&p);
}

static void forces_of_a_hand_take_the_hosts_memory(void** state)
{
    (void)state;
    test_allocator memory;
    test_allocator_init(&memory, -1);
    pull          p = pull_begin("linear", NULL, 40);
    sup_instance* instance;
    sup_error     error;
    assert_ok(
        sup_instance_create(&(sup_instance_desc){ .chain = p.play.chain, .allocator = &memory.allocator }, &instance, &error),
        error);
    long before = memory.live;
    assert_ok(sup_instance_set_forces(instance, test_json("[{\"at\":[0.15,0,0],\"radius\":1,\"value\":[0,0,1]}]", p.arena), 0,
                                      &error),
              error);
    assert_true(memory.live > before);
    sup_instance_destroy(instance);
    assert_int_equal(memory.live, 0);
    pull_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_of_a_hand_take_the_hosts_memory),
        cmocka_unit_test(a_spring_gives_its_newtons_and_never_throws_beyond_its_end),
        cmocka_unit_test(stiffer_springs_bring_the_skin_nearer_and_none_blows_up),
        cmocka_unit_test(skin_that_is_held_where_it_is_stays),
        cmocka_unit_test(a_hand_that_pulls_now_gives_the_bits_of_the_file_it_leaves),
        cmocka_unit_test(a_ball_that_pokes_now_gives_the_bits_of_the_file_it_leaves),
        cmocka_unit_test(bodies_that_the_chain_was_not_bound_with_are_refused),
        cmocka_unit_test(a_pose_that_is_held_later_gives_the_bits_of_one_held_from_the_start),
        cmocka_unit_test(skin_that_follows_bones_alone_gives_a_spring_its_length),
        cmocka_unit_test(wrong_springs_are_refused_and_leave_the_instance_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

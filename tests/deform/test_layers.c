// Claims of `layers` alone: the elbow, and how tissue moves, stops and is carried along.
#include "elbow.h"

// ---------------------------------------------------------------------------------------------- the elbow

static void a_bent_elbow_keeps_its_volume_and_does_not_cross_itself(void** state)
{
    (void)state;
    sup_character* c = elbow_make(120, 1, 1);
    elbow          e = elbow_begin(c, "bend", "layers", NULL);
    play           flat = play_chain((sup_chain_desc){ .character = c, .clip = &c->clips[0], .links = "linear" },
                                     (sup_instance_desc){ .clip = &c->clips[0], .end = 1000 });
    double         most = 0;
    for (double t = 0.5; t <= 1.01; t += 0.25) {
        play_hash(&e.play, t);
        elbow_numbers n = elbow_measure(&e, "elbow");
        assert_int_equal(n.crossings, 0);
        most = fmax(most, n.stretch);
    }
    double early, late, still = 0, far = 0;
    elbow_motion(&e, 1.1, &early);
    double        speed = elbow_motion(&e, 2.0, &late);
    elbow_numbers n = elbow_measure(&e, "elbow");
    play_hash(&flat, 2.0);
    for (uint32_t i = 0; i < e.play.points; ++i)
        if (fabsf(c->mesh.points[i].x - 0.3f) > 0.2f) {
            double d = (double)v3_distance(e.play.out[i], flat.out[i]);
            if (c->mesh.points[i].x < 0.3f) still = fmax(still, d);
            else far = fmax(far, d);
        }
    print_message("120 degrees: whole %+.4f %%, elbow %+.4f %%, %u crossings, stretch %.2f, %.2f mm/s, far %.2f and %.2f mm\n",
                  100 * n.whole, 100 * n.part, n.crossings, fmax(most, n.stretch), 1000 * speed, 1000 * still, 1000 * far);
    assert_true(fabs(n.whole) < 0.001 && fabs(n.part) < 0.003);
    assert_int_equal(n.crossings, 0);
    assert_true(speed < 0.002 && late < 1e-3 * early);
    // The forearm is turned against gravity and hangs a little; the upper arm is not.
    assert_true(still < 0.001 && far < 0.003);
    assert_true(fmax(most, n.stretch) < 2.5); // linear skinning: 9.2
    play_end(&flat);
    elbow_end(&e);
}

// The sag is gravity's: 17 m/s^2 on 4 cm of tissue. Without gravity the limbs are where linear skinning puts them.
static void far_from_the_joint_nothing_moves_without_gravity(void** state)
{
    (void)state;
    elbow e = elbow_begin(elbow_make(120, 1, 1), "bend", "layers(gravity=0)", NULL);
    play  flat = play_chain((sup_chain_desc){ .character = e.character, .clip = &e.character->clips[0], .links = "linear" },
                            (sup_instance_desc){ .clip = &e.character->clips[0], .end = 1000 });
    play_hash(&e.play, 2.0), play_hash(&flat, 2.0);
    double far = 0;
    for (uint32_t i = 0; i < e.play.points; ++i)
        if (fabsf(e.character->mesh.points[i].x - 0.3f) > 0.2f)
            far = fmax(far, (double)v3_distance(e.play.out[i], flat.out[i]));
    print_message("without gravity: %.2f mm\n", 1000 * far);
    assert_true(far < 0.001);
    assert_true(elbow_measure(&e, "elbow").stretch < 2.5);
    play_end(&flat);
    elbow_end(&e);
}

static void nor_does_it_at_145_degrees(void** state)
{
    (void)state;
    elbow e = elbow_begin(elbow_make(145, 1, 1), "bend", "layers", NULL);
    play_hash(&e.play, 1.2);
    elbow_numbers n = elbow_measure(&e, "elbow");
    print_message("145 degrees: whole %+.3f %%, elbow %+.3f %%, %u crossings, stretch %.2f\n", 100 * n.whole, 100 * n.part,
                  n.crossings, n.stretch);
    assert_int_equal(n.crossings, 0);
    elbow_end(&e);
}

// Stiffness means the same at any number of iterations: two against ten, at the end of a fast bend.
static void two_iterations_are_near_ten(void** state)
{
    (void)state;
    const char* same = "layers(stiffness_skin=0.6,stiffness_fat=0.6,stiffness_muscle=0.6,substeps=4";
    char        two[128], ten[128];
    sup_format(two, sizeof two, "%s,iterations=2)", same);
    sup_format(ten, sizeof ten, "%s,iterations=10)", same);
    elbow a = elbow_begin(elbow_make(120, 0.5, 1), "bend", two, NULL),
          b = elbow_begin(elbow_make(120, 0.5, 1), "bend", ten, NULL);
    double sum = 0;
    play_hash(&a.play, 0.5), play_hash(&b.play, 0.5);
    for (uint32_t i = 0; i < a.play.points; ++i) sum += (double)v3_length2(v3_sub(a.play.out[i], b.play.out[i]));
    double rms = sqrt(sum / a.play.points);
    print_message("2 against 10 iterations: %.2f mm rms\n", 1000 * rms);
    assert_true(rms < 0.0015);
    elbow_end(&a), elbow_end(&b);
}

// ---------------------------------------------------------------------------------------------- rigid motion

// A full turn and ten metres in a second, all of it by the root: only inertia may show, and without inertia nothing.
static sup_clip root_motion(sup_arena* arena)
{
    enum { KEYS = 9 };
    float *times = SUP_NEW(arena, float, KEYS), *turns = SUP_NEW(arena, float, 4 * KEYS),
          *ways = SUP_NEW(arena, float, 3 * KEYS);
    for (uint32_t i = 0; i < KEYS; ++i) {
        float    t = (float)i / (KEYS - 1);
        sup_quat q = quat_axis_angle(v3(0, 1, 0), 6.2831853f * t);
        times[i] = t;
        memcpy(turns + 4 * i, &q, sizeof q);
        ways[3 * i] = 10 * t;
    }
    sup_channel* channels = SUP_NEW(arena, sup_channel, 2);
    channels[0] = (sup_channel){ .path = SUP_PATH_ROTATION, .key_count = KEYS, .width = 4, .times = times, .values = turns };
    channels[1] = (sup_channel){ .path = SUP_PATH_TRANSLATION, .key_count = KEYS, .width = 3, .times = times, .values = ways };
    return (sup_clip){ .name = "away", .seconds = 1, .channel_count = 2, .channels = channels, .source_id = SUP_NONE };
}

static void a_character_moved_rigidly_stays_rigid(void** state)
{
    (void)state;
    sup_arena*     arena = sup_arena_create(NULL);
    sup_clip       clip = root_motion(arena);
    sup_character* c = test_tube(16, 12, 4, 1.0f, 0.1f);
    for (int lags = 0; lags < 2; ++lags) {
        const char* links = lags ? "layers(gravity=0)" : "layers(inertia=0,gravity=0)";
        play        p =
            play_chain((sup_chain_desc){ .character = c, .clip = &clip, .links = links }, (sup_instance_desc){ .clip = &clip });
        play   q = play_chain((sup_chain_desc){ .character = c, .clip = &clip, .links = "linear" },
                              (sup_instance_desc){ .clip = &clip });
        double worst = 0;
        for (double t = 0.2; t <= 1; t += 0.2) {
            play_hash(&p, t), play_hash(&q, t);
            for (uint32_t i = 0; i < p.points; ++i) worst = fmax(worst, (double)v3_distance(p.out[i], q.out[i]));
        }
        print_message("%s: %.3f mm from rigid\n", links, 1000 * worst);
        if (lags) assert_true(worst > 1e-4 && worst < 0.1); // 4 g at the end of the tube
        else assert_true(worst < 2e-4);
        play_end(&p), play_end(&q);
    }
    sup_character_destroy(c);
    sup_arena_destroy(arena);
}

// ---------------------------------------------------------------------------------------------- others

// The same arm in centimetres swings the same.
static void units_do_not_matter(void** state)
{
    (void)state;
    elbow a = elbow_begin(elbow_make(90, 0.3, 1), "bend", "layers", NULL),
          b = elbow_begin(elbow_make(90, 0.3, 100), "bend", "layers", NULL);
    double worst = 0;
    play_hash(&a.play, 0.4), play_hash(&b.play, 0.4);
    for (uint32_t i = 0; i < a.play.points; ++i)
        worst = fmax(worst, (double)v3_distance(a.play.out[i], v3_scale(b.play.out[i], 0.01f)));
    print_message("metres against centimetres: %.4f mm\n", 1000 * worst);
    assert_true(worst < 5e-5);
    elbow_end(&a), elbow_end(&b);
}

static void a_flexed_muscle_swells_on_the_side_of_the_bend(void** state)
{
    (void)state;
    elbow a = elbow_begin(elbow_make(90, 0.5, 1), "bend", "layers", NULL),
          b = elbow_begin(elbow_make(90, 0.5, 1), "bend", "layers(muscle=1)", NULL);
    play_hash(&a.play, 1.0), play_hash(&b.play, 1.0);
    double inner = 0, outer = 0;
    for (uint32_t i = 0; i < a.play.points; ++i) {
        sup_vec3 r = a.character->mesh.points[i];
        if (fabsf(r.x - 0.15f) > 0.01f) continue;
        if (r.y > 0.04f) inner = fmax(inner, (double)(b.play.out[i].y - a.play.out[i].y));
        if (r.y < -0.04f) outer = fmax(outer, (double)(a.play.out[i].y - b.play.out[i].y));
    }
    elbow_numbers n = elbow_measure(&b, "elbow");
    print_message("muscle: %.1f mm inside, %.1f mm outside, volume %+.3f %%\n", 1000 * inner, 1000 * outer, 100 * n.whole);
    assert_true(inner > 0.003 && inner > 2 * outer);
    assert_true(fabs(n.whole) < 0.002);
    elbow_end(&a), elbow_end(&b);
}

static void a_mesh_without_a_skeleton_is_refused_with_a_cure(void** state)
{
    (void)state;
    const sup_vec3     points[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    const uint32_t     corners[12] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    sup_part_desc      part = { .name = "stone",
                                .vertex_count = 4,
                                .positions = points,
                                .face_count = 4,
                                .corners = corners,
                                .joint = SUP_NONE,
                                .source_id = SUP_NONE };
    sup_character_desc desc = { .name = "stone", .part_count = 1, .parts = &part, .metres_per_unit = 1 };
    sup_character*     c = test_character(&desc);
    sup_chain*         chain = NULL;
    sup_error          error;
    assert_int_equal(sup_chain_create(&(sup_chain_desc){ .character = c, .links = "layers" }, &chain, &error), SUP_ERROR_INPUT);
    assert_non_null(strstr(error.text, "stone"));
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bent_elbow_keeps_its_volume_and_does_not_cross_itself),
        cmocka_unit_test(nor_does_it_at_145_degrees),
        cmocka_unit_test(far_from_the_joint_nothing_moves_without_gravity),
        cmocka_unit_test(two_iterations_are_near_ten),
        cmocka_unit_test(a_character_moved_rigidly_stays_rigid),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(a_flexed_muscle_swells_on_the_side_of_the_bend),
        cmocka_unit_test(a_mesh_without_a_skeleton_is_refused_with_a_cure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

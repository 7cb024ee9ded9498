// Loads and materials over the clip, and the same loads with dynamics: sag, impact, release.
#include "bent.h"

#include "solve/plate/plate.h"

// ---------------------------------------------------------------------------------------------- keys

// E, nu, width and thickness change one after the other under a steady force; each moves the torso by its own factor.
static void all_that_the_skin_is_made_of_may_be_keyed(void** state)
{
    (void)state;
    sup_character* c = test_builtin("beast", 2000);
    bent           b = bent_by(c, "bend",
                               "{\"forces\":[{\"name\":\"push\",\"curve\":{\"bone\":\"spine_2\",\"ratio\":0.5},\"ratio\":0.5,\"value\":["
                                         "0,-5,0]}],\"keys\":{"
                                         "\"bend.young\":[{\"time\":0,\"value\":1000},{\"time\":1,\"value\":500}],"
                                         "\"bend.poisson\":[{\"time\":1,\"value\":0.3},{\"time\":2,\"value\":0.5}],"
                                         "\"bend.width\":[{\"time\":2,\"value\":1},{\"time\":3,\"value\":0.8}],"
                                         "\"bend.thickness\":[{\"time\":3,\"value\":50},{\"time\":4,\"value\":40}]}}");
    static const struct {
        double time, factor;
    } cases[] = { { 0, 1 },
                  { 0.5, 1000.0 / 750 },
                  { 1, 2 },
                  { 1.5, 2 * 0.84 / 0.91 },
                  { 2, 2 * 0.75 / 0.91 },
                  { 3, 2 * 0.75 / 0.91 / 0.8 },
                  { 3.5, 2 * 0.75 / 0.91 / 0.8 / (0.9 * 0.9 * 0.9) },
                  { 4, 2 * 0.75 / 0.91 / 0.8 / (0.8 * 0.8 * 0.8) },
                  { 9, 2 * 0.75 / 0.91 / 0.8 / (0.8 * 0.8 * 0.8) } };
    double base = most_moved(&b, 0, NULL);
    assert_true(base > 1e-3);
    for (size_t i = 0; i < SUP_COUNT_OF(cases); ++i) {
        double f = most_moved(&b, cases[i].time, NULL) / base;
        if (fabs(f / cases[i].factor - 1) > 2e-3) fail_msg("%g s: %g, not %g", cases[i].time, f, cases[i].factor);
    }
    bent_end(&b);
    sup_character_destroy(c);
}

static void a_load_rises_and_falls_with_its_keys(void** state)
{
    (void)state;
    sup_character*           c = test_tube(32, 24, 1, 1.0f, 0.1f);
    static const char* const keys = "\"value\":[0,8,0],\"keys\":[{\"time\":0.2,\"value\":0},{\"time\":0.6,\"value\":1},"
                                    "{\"time\":1,\"value\":0.5,\"step\":true},{\"time\":1.4,\"value\":0}]";
    static const char* const places[] = { "\"curve\":4,\"ratio\":0.25", "\"curve\":4,\"from\":0.1,\"to\":0.4",
                                          "\"region\":{\"curves\":[2,7],\"from\":0.1,\"to\":0.5}" };
    static const double      times[] = { 0, 0.3, 0.4, 0.6, 0.8, 1.2, 1.5 }, share[] = { 0, 0.25, 0.5, 1, 0.75, 0.5, 0 };
    for (size_t i = 0; i < SUP_COUNT_OF(places); ++i) {
        char world[512];
        sup_format(world, sizeof world, "{\"forces\":[{\"name\":\"f\",%s,%s}]}", places[i], keys);
        bent   b = bent_by(c, "bend(curves=10)", world);
        double full = most_moved(&b, 0.6, NULL);
        assert_true(full > 1e-5);
        for (size_t k = 0; k < SUP_COUNT_OF(times); ++k) {
            double f = most_moved(&b, times[k], NULL) / full;
            if (fabs(f - share[k]) > 2e-3) fail_msg("%s at %g s: %g, not %g", places[i], times[k], f, share[k]);
        }
        bent_end(&b);
    }
    sup_character_destroy(c);
}

// ---------------------------------------------------------------------------------------------- dynamics

// Weight that is applied suddenly: a strip held at both ends falls past its equilibrium, and comes to rest there. With the mass
// and stiffness of the lowest mode, lambda_1 = 500.56, it swings at sqrt(EI lambda / (m l^4)) / 2 pi.
static void skin_that_becomes_heavy_sags_and_settles(void** state)
{
    (void)state;
    sup_character* c = test_tube(32, 24, 1, 1.0f, 0.1f);
    const char*    heavy = "{\"keys\":{\"bend.weight\":[{\"time\":0,\"value\":0,\"step\":true},{\"time\":0.5,\"value\":1}]}}";
    bent           still = bent_by(c, "bend(way=along,curves=12,young=5000)", heavy),
         live = bent_by(c, "bend(way=along,curves=12,young=5000,dynamics=on,damping=0.05)", heavy);
    uint32_t at;
    double   sag = most_moved(&still, 1, &at), low = 0, first = 0;
    assert_true(most_moved(&live, 0.45, NULL) < 1e-6);
    for (double t = 0.5; t < 1.2; t += 0.002) {
        most_moved(&live, t, NULL);
        double y = (double)(live.plain[at].y - live.p.out[at].y);
        if (y > low) low = y, first = t - 0.5;
    }
    double l = 1.2, EI = 5e6 * 0.05 * 0.05 * 0.05 / (12 * 0.91), m = 1050 * 0.05; // of a strip one meter wide
    double half = 3.14159265 / sqrt(EI * 500.56 / (m * l * l * l * l));
    print_message("  sags %g m, falls %g m in %g s (half a swing: %g s)\n", sag, low, first, half);
    assert_true(low > 1.6 * sag && low < 2 * sag && fabs(first / half - 1) < 0.1);
    most_moved(&live, 12, NULL);
    assert_true(fabs((double)(live.plain[at].y - live.p.out[at].y) / sag - 1) < 0.02);
    bent_end(&still), bent_end(&live);
    sup_character_destroy(c);
}

// A ball strikes and is gone within a tenth of a second: the skin keeps swinging, both ways, and comes to rest.
static void skin_that_is_struck_swings_on(void** state)
{
    (void)state;
    sup_character* c = test_tube(48, 48, 1, 1.0f, 0.2f);
    const char*    blow =
        "{\"bodies\":[{\"name\":\"ball\",\"sphere\":{\"center\":[0.5,0.32,0],\"radius\":0.1},\"keys\":[{\"time\":0.4},"
        "{\"time\":0.45,\"move\":[0,-0.07,0]},{\"time\":0.5}]}]}";
    bent     b = bent_by(c, "bend(curves=24,young=100,dynamics=on,damping=0.05)", blow);
    uint32_t at;
    double   deep = most_moved(&b, 0.45, &at), high = 0, low = 0;
    assert_true(deep > 0.03);
    for (double t = 0.55; t < 1.5; t += 0.01) {
        most_moved(&b, t, NULL);
        double y = (double)(b.p.out[at].y - b.plain[at].y);
        high = fmax(high, y), low = fmin(low, y);
    }
    print_message("  %g m deep, then from %g to %g m\n", deep, low, high);
    assert_true(high > 0.05 * deep && low < -0.05 * deep);
    assert_true(most_moved(&b, 8, NULL) < 0.02 * deep);
    // the same skin without dynamics is back at once
    bent still = bent_by(c, "bend(curves=24,young=100)", blow);
    assert_true(most_moved(&still, 0.55, NULL) < 1e-6);
    bent_end(&b), bent_end(&still);
    sup_character_destroy(c);
}

// Ten times the mass swings sqrt(10) times as slowly.
static void heavy_skin_swings_slowly(void** state)
{
    (void)state;
    sup_character* c = test_tube(32, 24, 1, 1.0f, 0.1f);
    const char*    world = "{\"forces\":[{\"name\":\"f\",\"curve\":4,\"ratio\":0.25,\"value\":[0,10,0],"
                           "\"keys\":[{\"time\":0.2,\"value\":1,\"step\":true},{\"time\":0.205,\"value\":0}]}]}";
    double         crossing[2];
    for (int heavy = 0; heavy < 2; ++heavy) {
        bent     b = bent_by(c,
                         heavy ? "bend(curves=10,young=100,dynamics=on,modes=2,density=10000)"
                                   : "bend(curves=10,young=100,dynamics=on,modes=2,density=1000)",
                             world);
        uint32_t at;
        most_moved(&b, 0.1, &at);
        crossing[heavy] = 0;
        for (double t = 0.205; t < 3 && crossing[heavy] == 0; t += 0.001) {
            most_moved(&b, t, NULL);
            if (b.p.out[at].y < b.plain[at].y) crossing[heavy] = t - 0.205;
        }
        bent_end(&b);
    }
    print_message("  back after %g s and %g s\n", crossing[0], crossing[1]);
    assert_true(crossing[0] > 0.01 && fabs(crossing[1] / crossing[0] / sqrt(10.0) - 1) < 0.1);
    sup_character_destroy(c);
}

// ---------------------------------------------------------------------------------------------- the plate on the skin

// A force at the center of a region of curves: every skin point of it against the plate, solved separately. The paper calls it
// a "very good approximation"; here it is within 5 % of the peak, root mean square.
static void skin_of_a_region_follows_the_plate(void** state)
{
    (void)state;
    enum { NU = 64, NV = 64 };
    sup_character* c = test_tube(100, 128, 1, 1.0f, 0.2f);
    const char*    world =
        "{\"forces\":[{\"name\":\"r\",\"region\":{\"curves\":[6,14],\"from\":0.3,\"to\":0.6183,\"at\":[0.5,0.5]},"
        "\"value\":[0,0,6]}]}";
    sup_arena* arena = sup_arena_create(NULL);
    double     l = 2 * 3.14159265358979 * 0.2, across = 8.0 / 20, along = 0.3183 * l, peak;
    double     D = 1e6 * 0.05 * 0.05 * 0.05 / (12 * 0.91);
    sup_plate  plate;
    sup_error  error;
    assert_ok(sup_plate_create(NU, NV, across / NU, along / NV, arena, &plate, &error), error);
    double *x = SUP_NEW(arena, double, (NU + 1) * (NV + 1)), *spare = SUP_NEW(arena, double, plate.count);
    x[NU / 2 * (NV + 1) + NV / 2] = 6 / D / (across / NU * along / NV);
    sup_plate_solve(&plate, x, spare);
    peak = x[NU / 2 * (NV + 1) + NV / 2];
    static const char* const links[] = { "bend(way=planes,curves=20,intervals=128)",
                                         "bend(way=planes,curves=20,intervals=128,equivalent=point)",
                                         "bend(way=planes,curves=20,intervals=128,equivalent=exact)" };
    for (size_t way = 0; way < SUP_COUNT_OF(links); ++way) {
        bent     b = bent_by(c, links[way], world);
        uint32_t n = 0, top;
        double   sum = 0;
        most_moved(&b, 0, &top);
        // the angle of the region's middle is where it moves most; its curves run from x = 6.5 / 20 to 14.5 / 20
        double middle = atan2((double)b.plain[top].z, (double)b.plain[top].y);
        for (uint32_t i = 0; i < b.p.points; ++i) {
            double turn = atan2((double)b.plain[i].z, (double)b.plain[i].y) - middle;
            turn -= 6.283185307 * floor(turn / 6.283185307 + 0.5);
            double u = ((double)b.plain[i].x - 6.5 / 20) / across, v = 0.5 + turn * 0.2 / along;
            double radius = hypot((double)b.plain[i].y, (double)b.plain[i].z);
            if (u < 0 || u > 1 || v < 0 || v > 1 || radius < 0.19) continue;
            double        ui = u * NU, vi = v * NV;
            uint32_t      k = ui < NU ? (uint32_t)ui : NU - 1, j = vi < NV ? (uint32_t)vi : NV - 1;
            const double* at = x + k * (NV + 1) + j;
            double        want = (1 - (ui - k)) * ((1 - (vi - j)) * at[0] + (vi - j) * at[1]) +
                          (ui - k) * ((1 - (vi - j)) * at[NV + 1] + (vi - j) * at[NV + 2]);
            double got = (double)(b.p.out[i].z - b.plain[i].z);
            sum += (got - want) * (got - want), ++n;
        }
        double rms = sqrt(sum / n) / peak;
        print_message("  %s: rms %.3g of the peak over %u points\n", links[way], rms, n);
        assert_true(n > 1000 && rms < 0.05);
        bent_end(&b);
    }
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_that_the_skin_is_made_of_may_be_keyed),
        cmocka_unit_test(a_load_rises_and_falls_with_its_keys),
        cmocka_unit_test(skin_that_becomes_heavy_sags_and_settles),
        cmocka_unit_test(skin_that_is_struck_swings_on),
        cmocka_unit_test(heavy_skin_swings_slowly),
        cmocka_unit_test(skin_of_a_region_follows_the_plate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

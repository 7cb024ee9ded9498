#include "bent.h"

#include "solve/plate/bend_curve.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------- material

#define PUSH                                                                                                                   \
    "{\"forces\":[{\"name\":\"push\",\"curve\":{\"bone\":\"spine_2\",\"ratio\":0.5},\"ratio\":0.5,\"value\":[0,-5,0]}]}"

static void torso_bends_by_the_closed_form_factor_of_its_material(void** state)
{
    (void)state;
    sup_character* c = test_builtin("beast", 2000);
    double         base = most_under(c, "bend", PUSH);
    print_message("  %g m\n", base);
    assert_true(base > 1e-3);
    static const struct {
        const char* links;
        double      factor;
    } cases[] = { { "bend(young=500)", 2 },        { "bend(young=4000)", 0.25 }, { "bend(poisson=0.5)", 0.75 / 0.91 },
                  { "bend(poisson=0)", 1 / 0.91 }, { "bend(width=0.5)", 2 },     { "bend(thickness=100)", 0.125 },
                  { "bend(thickness=25)", 8 } };
    for (size_t i = 0; i < SUP_COUNT_OF(cases); ++i) {
        double f = most_under(c, cases[i].links, PUSH) / base;
        if (fabs(f / cases[i].factor - 1) > 2e-3) fail_msg("%s: %g, not %g", cases[i].links, f, cases[i].factor);
    }
    sup_character_destroy(c);
}

static void material_may_be_keyed_over_time(void** state)
{
    (void)state;
    sup_character* c = test_builtin("beast", 2000);
    bent           b = bent_by(c, "bend(pressure=0.4)",
                               "{\"keys\":{\"bend.young\":[{\"time\":0,\"value\":1000},{\"time\":1,\"value\":500}]}}");
    double         start = most_moved(&b, 0, NULL), end = most_moved(&b, 1, NULL), half = most_moved(&b, 0.5, NULL);
    assert_true(start > 1e-3);
    assert_true(fabs(end / start - 2) < 2e-3 && fabs(half / start - 1000.0 / 750) < 2e-3);
    // swollen: farther from the center of the torso, all around
    uint32_t at;
    most_moved(&b, 1, &at);
    assert_true(v3_dot(v3_sub(b.p.out[at], b.plain[at]), v3_sub(b.plain[at], v3(0, 0.42f, b.plain[at].z))) > 0);
    bent_end(&b);
    sup_character_destroy(c);
}

static void bones_may_have_their_own_stiffness(void** state)
{
    (void)state;
    sup_character* c = test_builtin("beast", 2000);
    sup_arena*     arena = sup_arena_create(NULL);
    const char*    settings[] = { "bend.young@*=2000" };
    sup_json*      world = test_json(PUSH, arena);
    play           p = play_chain(
                  (sup_chain_desc){ .character = c, .links = "bend", .world = world, .settings = settings, .setting_count = 1 },
                  (sup_instance_desc){ .preroll = 0 });
    double most = 0;
    play_hash(&p, 0);
    for (uint32_t i = 0; i < p.points; ++i) most = fmax(most, (double)v3_distance(p.out[i], c->mesh.points[i]));
    assert_true(fabs(most / most_under(c, "bend", PUSH) - 0.5) < 2e-3);
    play_end(&p);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void maps_vary_what_the_skin_is_made_of(void** state)
{
    (void)state;
    sup_character*           c = test_builtin("beast", 2000);
    float*                   values = malloc(c->mesh.point_count * sizeof *values);
    double                   base = most_under(c, "bend", PUSH);
    static const char* const names[] = { "_BEND_YOUNG", "_BEND_WIDTH", "_BEND_THICKNESS", "_YOUNG" };
    static const double      factor[] = { 2, 2, 8, 2 };
    for (uint32_t i = 0; i < c->mesh.point_count; ++i) values[i] = 0.5f;
    for (int i = 0; i < 4; ++i) {
        sup_character with = *c;
        sup_map       map = { names[i], values };
        with.maps = &map, with.map_count = 1;
        double f = most_under(&with, "bend", PUSH) / base;
        if (fabs(f / factor[i] - 1) > 2e-3) fail_msg("%s: %g, not %g", names[i], f, factor[i]);
    }
    free(values);
    sup_character_destroy(c);
}

// A pressure that is painted or given to a bone ends at once; the skin under it does not. Diffused over the surface a step is
// 1 - e^(-d / w) / 2 at the distance d inside its border and e^(-d / w) / 2 outside, w the width of a strip.
static void what_is_given_to_a_part_fades_over_a_strip(void** state)
{
    (void)state;
    sup_character* c = test_tube(201, 24, 1, 1.0f, 0.1f);
    float*         values = malloc(c->mesh.point_count * sizeof *values);
    for (uint32_t i = 0; i < c->mesh.point_count; ++i) values[i] = c->mesh.points[i].x > 0.4975f;
    sup_character with = *c;
    sup_map       map = { "_BEND_PRESSURE", values };
    with.maps = &map, with.map_count = 1;
    bent         b = bent_by(&with, "bend(curves=21,closed=foundation,pressure=0.01)", NULL);
    double       all = most_moved(&b, 0, NULL), w = 1.0 / 20;
    const double at[] = { 0.35, 0.4, 0.45, 0.55, 0.6, 0.65 }; // rings are there
    for (uint32_t i = 0; i < b.p.points; ++i)
        for (size_t k = 0; k < SUP_COUNT_OF(at); ++k) {
            if (fabs((double)b.plain[i].x - at[k]) > 1e-4) continue;
            double d = at[k] - 0.4975, moved = (double)v3_distance(b.p.out[i], b.plain[i]) / all;
            double expected = d > 0 ? 1 - 0.5 * exp(-d / w) : 0.5 * exp(d / w);
            if (fabs(moved - expected) > 0.04) fail_msg("at %g: %g of the pressure, not %g", at[k], moved, expected);
        }
    bent_end(&b);
    free(values);
    sup_character_destroy(c);
}

// Normals of a cone also point along it. Their net force around a ring is carried by the skin along the limb: on a foundation
// the rings of a tail used to slide toward its root by as much as they swelled.
static void a_pressure_slides_no_ring_along_its_limb(void** state)
{
    (void)state;
    sup_character* c = test_builtin("beast", 2000);
    bent           b = bent_by(c, "bend(closed=foundation,support=2.5,pressure=0.05)", NULL);
    uint32_t       tail = sup_character_joint(c, "tail_3"), count = 0;
    sup_vec3       sum = v3(0, 0, 0);
    double         sizes = 0;
    most_moved(&b, 0, NULL);
    for (uint32_t i = 0; i < b.p.points; ++i)
        for (uint32_t k = c->weights.begin[i]; k < c->weights.begin[i + 1]; ++k) {
            if (c->weights.joints[k] != tail || c->weights.values[k] < 0.4f) continue;
            sup_vec3 d = v3_sub(b.p.out[i], b.plain[i]);
            sum = v3_add(sum, d), sizes += (double)v3_length(d), ++count;
        }
    assert_true(count > 10 && sizes > 0);
    print_message("  %u points of the tail: %.3f of what they move is one way\n", count, (double)v3_length(sum) / sizes);
    assert_true((double)v3_length(sum) < 0.15 * sizes);
    bent_end(&b);
    sup_character_destroy(c);
}

// ---------------------------------------------------------------------------------------------- loads

// A tube of radius 0.1 around the x axis: the ring under a force moves by P l^3 / (720 EI) where it acts.
static void a_ring_gives_way_by_its_length_and_stiffness(void** state)
{
    (void)state;
    sup_character* c = test_tube(64, 96, 1, 1.0f, 0.1f);
    bent           b = bent_by(c, "bend(way=planes,curves=20,intervals=96)",
                               "{\"forces\":[{\"name\":\"f\",\"curve\":9,\"ratio\":0.25,\"value\":[0,3,0]}]}");
    uint32_t       at;
    double         most = most_moved(&b, 0, &at), l = 2 * 3.14159265 * 0.1, width = 1.0 / 20;
    double         EI = 1e6 * sup_bend_inertia(width, width, 0.05, 0.3), expected = 3 * l * l * l / (720 * EI);
    print_message("  %g m, expected %g m\n", most, expected);
    assert_true(fabs(most / expected - 1) < 0.12); // skin points lie between curves and nodes
    sup_vec3 d = v3_sub(b.p.out[at], b.plain[at]);
    assert_true(d.y > 0.999f * (float)most); // along the force
    bent_end(&b);
    sup_character_destroy(c);
}

// Rings of length 0.63 are 0.05 apart. Skin follows over a sixth of that, by (1 - (0.05 / 0.105)^2)^2 = 0.6 at the next one.
static void a_loaded_ring_takes_the_skin_beside_it_along(void** state)
{
    (void)state;
    sup_character* c = test_tube(64, 96, 1, 1.0f, 0.1f);
    for (int both = 0; both < 2; ++both) {
        bent     b = bent_by(c, both ? "bend(way=planes,curves=20,closed=foundation)" : "bend(way=planes,curves=20)",
                             "{\"forces\":[{\"name\":\"f\",\"curve\":9,\"ratio\":0.25,\"value\":[0,3,0]}]}");
        uint32_t at, next = 0, far = 0;
        double   most = most_moved(&b, 0, &at);
        for (uint32_t i = 0; i < b.p.points; ++i) {
            sup_vec3 from = b.plain[at], to = b.plain[i];
            if (fabsf(to.y - from.y) > 0.005f || fabsf(to.z - from.z) > 0.005f) continue;
            double share = (double)v3_distance(b.p.out[i], to) / most, away = (double)fabsf(to.x - from.x);
            if (fabs(away - 0.05) < 0.01) assert_true(share > 0.4 && share < 0.8), ++next;
            if (away > 0.16) assert_true(share < 0.01), ++far;
        }
        assert_true(next >= 2 && far > 20);
        bent_end(&b);
    }
    sup_character_destroy(c);
}

// A foundation per meter of curve was as firm under a narrow strip as under a wide one: the same force moved the tail by 112 mm
// on 24 curves, 55 on 48 and 27 on 96.
static void a_foundation_gives_as_much_on_any_number_of_curves(void** state)
{
    (void)state;
    static const char* world =
        "{\"forces\":[{\"name\":\"lift\",\"bone\":\"tail_5\",\"ratio\":1,\"radius\":0.55,\"value\":[0,0,100]}]}";
    sup_character* c = test_builtin("beast", 2000);
    double         moved[3], swollen[3];
    for (int i = 0; i < 3; ++i) {
        char links[128];
        sup_format(links, sizeof links, "bend(closed=foundation,support=10,terms=3,curves=%d)", 24 << i);
        moved[i] = most_under(c, links, world);
        sup_format(links, sizeof links, "bend(closed=foundation,support=2.5,terms=3,pressure=0.05,curves=%d)", 24 << i);
        swollen[i] = most_under(c, links, NULL);
    }
    print_message("  lifted by %.4f %.4f %.4f m, swollen by %.4f %.4f %.4f m\n", moved[0], moved[1], moved[2], swollen[0],
                  swollen[1], swollen[2]);
    for (int i = 1; i < 3; ++i) {
        assert_true(moved[0] > 0.01 && fabs(moved[i] / moved[0] - 1) < 0.1);
        assert_true(swollen[0] > 0.001 && fabs(swollen[i] / swollen[0] - 1) < 0.1);
    }
    sup_character_destroy(c);
}

static void on_a_foundation_rings_move_as_a_whole(void** state)
{
    (void)state;
    sup_character* c = test_tube(32, 24, 1, 1.0f, 0.1f);
    char           world[4096] = "{\"forces\":[";
    for (int i = 0; i < 10; ++i)
        sup_format(world + strlen(world), sizeof world - strlen(world),
                   "%s{\"name\":\"f%d\",\"curve\":%d,\"from\":0,\"to\":1,\"value\":%s}", i ? "," : "", i, i,
                   i == 0 || i == 9 ? "[0.5,1,-1.5]" : "[1,2,-3]"); // the ends of the tube have half strips
    strcat(world, "]}");
    double l = 0; // of the polygon that represents the circle
    for (int i = 0; i < 24; ++i) l += 2 * 0.1 * sin(3.14159265 / 24);
    for (int frame = 0; frame < 2; ++frame) {
        bent b = bent_by(c,
                         frame ? "bend(way=planes,curves=10,closed=foundation,support=20,transfer=frame)"
                               : "bend(way=planes,curves=10,closed=foundation,support=20)",
                         world);
        most_moved(&b, 0, NULL);
        for (uint32_t i = 0; i < b.p.points; ++i) {
            sup_vec3 d = v3_sub(b.p.out[i], b.plain[i]);
            double   x = 1 / (l * 20e3 * 0.1); // strips are 0.1 m wide, but for 4 % by where planes fall
            assert_true(fabs(d.x / x - 1) < 0.04 && fabs(d.y / x - 2) < 0.08 && fabs(d.z / x + 3) < 0.12);
        }
        bent_end(&b);
    }
    // balanced, the same forces do nothing
    assert_true(most_under(c, "bend(way=planes,curves=10)", world) < 1e-7);
    sup_character_destroy(c);
}

static void forces_turn_with_the_skin_or_stay_in_the_world(void** state)
{
    (void)state;
    sup_character* c = test_tube(32, 24, 2, 1.0f, 0.1f);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_pose       pose;
    sup_error      error;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    sup_pose_bind(c, &pose);
    pose.local[0].rotation = quat_mul(quat_axis_angle(v3(0, 0, 1), 1.5707963f), pose.local[0].rotation);
    sup_pose_update(c, &pose);
    for (int local = 0; local < 2; ++local) {
        char world[256];
        sup_format(world, sizeof world,
                   "{\"forces\":[{\"name\":\"f\",\"curve\":{\"bone\":\"%s\",\"ratio\":0.5},\"from\":0,\"to\":1,\"value\":[0,5,"
                   "0],\"local\":%s}]}",
                   c->skeleton.joints[0].name, local ? "true" : "false");
        play p = play_chain(
            (sup_chain_desc){ .character = c, .links = "bend(closed=foundation,curves=8)", .world = test_json(world, arena) },
            (sup_instance_desc){ .pose = &pose, .preroll = 0 });
        play q = play_chain((sup_chain_desc){ .character = c, .links = "linear" },
                            (sup_instance_desc){ .pose = &pose, .preroll = 0 });
        play_hash(&p, 0), play_hash(&q, 0);
        sup_vec3 most = v3(0, 0, 0);
        for (uint32_t i = 0; i < p.points; ++i) {
            sup_vec3 d = v3_sub(p.out[i], q.out[i]);
            if (v3_length2(d) > v3_length2(most)) most = d;
        }
        assert_true(v3_length(most) > 1e-3f);
        sup_vec3 way = v3_normalize(most, v3(0, 0, 0));
        assert_true(local ? way.x < -0.99f : way.y > 0.99f);
        play_end(&p), play_end(&q);
    }
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void a_force_around_a_bone_is_shared_by_the_nodes_it_reaches(void** state)
{
    (void)state;
    sup_character* c = test_builtin("beast", 2000);
    uint32_t       at;
    bent   b = bent_by(c, "bend", "{\"forces\":[{\"name\":\"poke\",\"bone\":\"spine_1\",\"radius\":0.3,\"value\":[0,0,8]}]}");
    double most = most_moved(&b, 0, &at);
    print_message("  %g m at %g\n", most, (double)b.plain[at].z);
    assert_true(most > 1e-5 && most < 0.2);
    assert_true(fabsf(b.plain[at].z + 0.05f) < 0.35f);
    bent_end(&b);
    sup_character_destroy(c);
}

// Rings of the torso beside short open pieces at the hips: with the same newtons per meter of both, the rings moved 0.16 m, and
// the displacement changed 8.2 times as fast as the skin between them. Curves at the border of the force must not count as
// stiff and take more of it: that made an edge there, 20 times as steep per meter as the skin moves.
static void neighbors_give_way_alike_under_a_force_around_a_bone(void** state)
{
    (void)state;
    sup_character* c = test_builtin("beast", 0);
    bent           b = bent_by(c, "bend(young=200)",
                               "{\"forces\":[{\"name\":\"f\",\"bone\":\"spine_1\",\"radius\":0.25,\"value\":[-25,0,0]}]}");
    double         most = most_moved(&b, 0, NULL), steep = steepest(&b, &c->mesh);
    print_message("  %g m, steepest %g\n", most, steep);
    assert_true(most > 0.02 && steep < 19 * most);
    bent_end(&b);
    sup_character_destroy(c);
}

// A nearby body that touches nothing keeps the link from using what it solved at bind: both paths must give the same skin.
static void loads_solved_once_move_the_skin_as_those_solved_every_frame(void** state)
{
    (void)state;
    sup_character*           c = test_builtin("beast", 2000);
    static const char* const forces =
        "\"forces\":[{\"name\":\"a\",\"bone\":\"spine_1\",\"radius\":0.3,\"value\":[0,0,8]},"
        "{\"name\":\"b\",\"curve\":{\"bone\":\"tail_3\",\"ratio\":0.5},\"from\":0.2,\"to\":0.7,\"value\":[0,-2,1]}]";
    static const char* const links[] = { "bend(pressure=0.1)", "bend(closed=foundation,pressure=0.1)" };
    for (int way = 0; way < 2; ++way) {
        char world[1024];
        bent b[2];
        for (int far = 0; far < 2; ++far) {
            sup_format(world, sizeof world, "{%s%s}", forces,
                       far ? ",\"bodies\":[{\"name\":\"ball\",\"sphere\":{\"center\":[0.6,0.4,0],\"radius\":0.05}}]" : "");
            b[far] = bent_by(c, links[way], world);
        }
        double most = most_moved(&b[0], 0, NULL), off = 0;
        most_moved(&b[1], 0, NULL);
        for (uint32_t i = 0; i < b[0].p.points; ++i) off = fmax(off, (double)v3_distance(b[0].p.out[i], b[1].p.out[i]));
        print_message("  %s: %g m, %g apart\n", links[way], most, off / most);
        assert_true(most > 1e-3 && off < 1e-4 * most && off > 0); // not the same path twice
        bent_end(&b[0]), bent_end(&b[1]);
    }
    sup_character_destroy(c);
}

static void skin_that_nothing_moves_is_left_to_the_bit(void** state)
{
    (void)state;
    sup_character* c = test_builtin("beast", 2000);
    bent           b = bent_by(c, "bend", "{\"forces\":[{\"name\":\"a\",\"curve\":3,\"value\":[0,0,0]}]}");
    play plain = play_chain((sup_chain_desc){ .character = c, .links = "linear" }, (sup_instance_desc){ .preroll = 0 });
    assert_true(play_hash(&b.p, 0) == play_hash(&plain, 0));
    play_end(&plain);
    bent_end(&b);
    sup_character_destroy(c);
}

// ---------------------------------------------------------------------------------------------- regions

// A force in the middle of a range of curves: the skin moves as the clamped plate does, 0.0056 F a^2 / D on a square.
static void a_region_bends_as_its_plate(void** state)
{
    (void)state;
    sup_character* c = test_tube(100, 128, 1, 1.0f, 0.2f);
    // curves 0.05 apart; 8 gaps = 0.4 across; 0.4 of 1.2566 along
    const char* world = "{\"forces\":[{\"name\":\"r\",\"region\":{\"curves\":[6,14],\"from\":0.3,\"to\":0.6183,\"at\":[0.5,0.5]"
                        "},\"value\":[0,0,6]}]}";
    double      D = 1e6 * 0.05 * 0.05 * 0.05 / (12 * 0.91), expected = 6 * 0.0056 * 0.16 / D;
    for (int way = 0; way < 3; ++way) {
        static const char* const links[] = { "bend(way=planes,curves=20,intervals=128,equivalent=exact)",
                                             "bend(way=planes,curves=20,intervals=128)",
                                             "bend(way=planes,curves=20,intervals=128,equivalent=point)" };
        uint32_t                 at;
        bent                     b = bent_by(c, links[way], world);
        double                   most = most_moved(&b, 0, &at);
        print_message("  %s: %g, plate %g\n", links[way], most, expected);
        assert_true(fabs(most / expected - 1) < (way == 2 ? 0.1 : 0.06));
        // nothing moves outside of the region
        for (uint32_t i = 0; i < b.p.points; ++i)
            if (fabsf(b.plain[i].x - 0.525f) > 0.2501f) assert_true(v3_distance(b.p.out[i], b.plain[i]) == 0);
        bent_end(&b);
    }
    sup_character_destroy(c);
}

// The tube with a painted patch.
static sup_character painted(const sup_character* c, float low, float high, float angle, sup_map* map, float* values)
{
    sup_character with = *c;
    for (uint32_t i = 0; i < c->mesh.point_count; ++i) {
        sup_vec3 p = c->mesh.points[i];
        values[i] = p.x > low && p.x < high && fabs(atan2((double)p.z, (double)p.y)) < (double)angle ? 1.0f : 0.0f;
    }
    *map = (sup_map){ "_BELLY", values };
    with.maps = map;
    with.map_count = 1;
    return with;
}

static void a_painted_region_gives_way_where_it_is_painted(void** state)
{
    (void)state;
    sup_character* c = test_tube(64, 64, 1, 1.0f, 0.2f);
    float*         values = malloc(c->mesh.point_count * sizeof *values);
    sup_map        map;
    const char*    world = "{\"forces\":[{\"name\":\"blow\",\"region\":\"belly\",\"value\":[0,-6,0]}]}";
    sup_character  with = painted(c, 0.3f, 0.7f, 0.8f, &map, values);
    uint32_t       at;
    bent           b = bent_by(&with, "bend(curves=20)", world);
    double         most = most_moved(&b, 0, &at);
    assert_true(most > 1e-4 && fabsf(b.plain[at].x - 0.5f) < 0.1f && b.plain[at].y > 0.18f);
    for (uint32_t i = 0; i < b.p.points; ++i)
        if (b.plain[i].y < -0.05f) assert_true(v3_distance(b.p.out[i], b.plain[i]) < 1e-6f);
    bent_end(&b);
    with = painted(c, 0.3f, 2.0f, 0.8f, &map, values);
    fails_with(&with, "bend(curves=20)", world, "touches curve 0"); // the tube begins at that end
    with = painted(c, 0.3f, 0.7f, 4.0f, &map, values);
    fails_with(&with, "bend(curves=20)", world, "goes all around");
    free(values);
    sup_character_destroy(c);
}

// Where limbs meet or rings fall into pieces, two curves may have the same neighbor: a chain of painted curves that went back
// through it was empty, and its span was searched beyond the end of an array.
static void a_painted_region_is_bound_however_curves_lie(void** state)
{
    (void)state;
    static const char* const links[] = { "bend", "bend(way=around)", "bend(way=along)", "bend(way=loops)" };
    sup_character*           arm = test_builtin("arm", 300);
    sup_character            c = *arm;
    sup_arena*               arena = sup_arena_create(NULL);
    float*                   spot = SUP_NEW(arena, float, c.mesh.point_count);
    for (uint32_t i = 0; i < c.mesh.point_count; ++i)
        spot[i] = fabsf(c.mesh.points[i].x - 0.45f) < 0.06f && c.mesh.points[i].y > 0;
    const sup_map map = { .name = "_SPOT", .values = spot };
    c.maps = &map, c.map_count = 1, c.example_count = 0;
    for (uint32_t i = 0; i < SUP_COUNT_OF(links); ++i) {
        sup_chain*     chain = NULL;
        sup_error      error = { 0 };
        sup_chain_desc desc = { .character = &c,
                                .links = links[i],
                                .world =
                                    test_json("{\"forces\":[{\"name\":\"f\",\"region\":\"SPOT\",\"value\":[2,9,4]}]}", arena) };
        sup_result     r = sup_chain_create(&desc, &chain, &error);
        if (r) assert_non_null(strstr(error.text, "region of force 'f'")); // a message if no plate fits
        sup_chain_destroy(chain);
    }
    sup_arena_destroy(arena);
    sup_character_destroy(arm);
}

// ---------------------------------------------------------------------------------------------- lines

static void curves_stand_across_a_line_of_bones_or_places(void** state)
{
    (void)state;
    sup_character*           c = test_builtin("beast", 2000);
    const char*              lift = "{\"forces\":[{\"name\":\"tip\",\"curve\":7,\"from\":0,\"to\":1,\"value\":[0,0,-4]}]}";
    static const char* const links[] = {
        "bend(closed=foundation,line=tail_*,curves=8)",
        "bend(closed=foundation,line=tail_*,stations=0.1 0.3 0.45 0.6 0.7 0.8 0.88 0.95)",
        "bend(closed=foundation,line=0 0.475 -0.35; 0 0.518 -0.44; 0 0.582 -0.52; 0 0.665 -0.572; 0 0.755 -0.588,curves=8)",
    };
    for (int i = 0; i < 3; ++i) {
        bent     b = bent_by(c, links[i], lift);
        uint32_t at;
        double   most = most_moved(&b, 0, &at);
        assert_true(most > 1e-3 && b.plain[at].z < -0.5f && b.plain[at].y > 0.6f);
        for (uint32_t k = 0; k < b.p.points; ++k)
            if (b.plain[k].z > -0.1f) assert_true(v3_distance(b.p.out[k], b.plain[k]) < 1e-6f);
        bent_end(&b);
    }
    // the last bone counts too: from spine_1 at z = -0.1 to the chest at 0.13
    bent   b = bent_by(c, "bend(line=spine_*,curves=9,pressure=0.4)", NULL);
    double front = 0, back = 0;
    most_moved(&b, 0, NULL);
    for (uint32_t k = 0; k < b.p.points; ++k) {
        double moved = (double)v3_distance(b.p.out[k], b.plain[k]);
        if (fabsf(b.plain[k].z - 0.09f) < 0.03f) front = fmax(front, moved);
        if (fabsf(b.plain[k].z + 0.06f) < 0.03f) back = fmax(back, moved);
    }
    assert_true(front > 1e-3 && back > 1e-3);
    bent_end(&b);
    // a text with its own stations, as in a file
    assert_true(most_under(c, "bend(closed=foundation,line=tail_* # all of it\nstations 0.2 0.4 0.5 0.6 0.7 0.8 0.9 0.95)",
                           lift) > 1e-3);
    fails_with(c, "bend(line=@tail.txt)", NULL, "no files are read here");
    fails_with(c, "bend(line=tentacle_*)", NULL, "tail_3");
    fails_with(c, "bend(line=0 0.4)", NULL, "three numbers");
    fails_with(c, "bend(line=5 5 5; 5 5 6)", NULL, "line");
    fails_with(c, "bend(line=tail_*,stations=0.2 0.1)", NULL, "put them in order");
    fails_with(c, "bend(line=tail_*,stations=0.2 1.4)", NULL, "from 0 to 1");
    fails_with(c, "bend(line=tail_*,stations=0.2 x)", NULL, "must be numbers");
    sup_character_destroy(c);
}

// ---------------------------------------------------------------------------------------------- bad input

static void bad_loads_and_materials_are_refused_with_a_sentence(void** state)
{
    (void)state;
    sup_character* c = test_tube(16, 12, 2, 1.0f, 0.1f);
    fails_with(c, "bend(curves=6)", "{\"forces\":[{\"name\":\"f\",\"curve\":99,\"value\":[0,1,0]}]}", "0 to 5");
    fails_with(c, "bend(curves=6)", "{\"forces\":[{\"name\":\"f\",\"region\":{\"curves\":[1,9]},\"value\":[0,1,0]}]}",
               "0 to 5");
    fails_with(c, "bend(curves=6)", "{\"forces\":[{\"name\":\"f\",\"region\":{\"curves\":[1,4]},\"value\":[0,1,0]}]}",
               "all around");
    fails_with(c, "bend(curves=6)",
               "{\"forces\":[{\"name\":\"f\",\"region\":{\"curves\":[1,2],\"to\":0.5},\"value\":[0,1,0]}]}", "three curves");
    fails_with(c, "bend", "{\"forces\":[{\"name\":\"f\",\"region\":{\"curves\":[1,4],\"at\":[1,2]},\"value\":[0,1,0]}]}",
               "between 0 and 1");
    fails_with(c, "bend", "{\"forces\":[{\"name\":\"f\",\"region\":{\"curves\":3},\"value\":[0,1,0]}]}", "first and the last");
    fails_with(c, "bend",
               "{\"forces\":[{\"name\":\"f\",\"curve\":1,\"value\":[0,1,0],\"keys\":[{\"time\":1,\"value\":0},{\"time\":0.5,"
               "\"value\":1}]}]}",
               "time");
    char far[256];
    sup_format(far, sizeof far, "{\"forces\":[{\"name\":\"f\",\"bone\":\"%s\",\"radius\":0.001,\"value\":[0,1,0]}]}",
               c->skeleton.joints[0].name);
    fails_with(c, "bend", far, "reaches no curve");
    fails_with(c, "bend(thickness=-3)", NULL, "thickness");
    fails_with(c, "bend(young=0)", NULL, "young");
    fails_with(c, "bend(poisson=0.6)", NULL, "poisson");
    fails_with(c, "bend(width=0)", NULL, "width");
    fails_with(c, "bend(drive=a=b:0:1)", NULL, "no examples");
    sup_character_destroy(c);
}

// ---------------------------------------------------------------------------------------------- examples

// The arm at rest with two sculpts of our own: a bulge that differs from one to the other.
typedef struct sculpts {
    sup_character  character;
    sup_character* arm;
    sup_example    examples[3];
    sup_vec3*      points[3];
    sup_clip       clip;
} sculpts;

static sculpts* sculpt(void)
{
    sculpts* s = calloc(1, sizeof *s);
    s->arm = test_builtin("arm", 1200);
    s->character = *s->arm;
    s->clip = (sup_clip){ .name = "flex", .seconds = 1, .source_id = SUP_NONE };
    uint32_t n = s->arm->mesh.point_count;
    for (int j = 0; j < 3; ++j) {
        static const double times[] = { 0, 0.4, 1 };
        static const float  high[] = { 0, 0.03f, 0.02f };
        s->points[j] = malloc(n * sizeof(sup_vec3));
        for (uint32_t i = 0; i < n; ++i) {
            sup_vec3 p = s->arm->mesh.points[i];
            float    h = high[j] * expf(-200 * (p.x - 0.15f) * (p.x - 0.15f)) * (p.y > 0 ? 1 : 0.2f);
            s->points[j][i] = v3_add(p, v3(0.1f * h, h, 0));
        }
        s->examples[j] = (sup_example){ j == 0 ? "flat" : j == 1 ? "bulge" : "less", "flex", times[j], false, s->points[j] };
    }
    s->character.examples = s->examples;
    s->character.example_count = 3;
    return s;
}

static void sculpts_end(sculpts* s)
{
    for (int j = 0; j < 3; ++j) free(s->points[j]);
    sup_character_destroy(s->arm);
    free(s);
}

static double worst(const sup_vec3* a, const sup_vec3* b, uint32_t n)
{
    double w = 0;
    for (uint32_t i = 0; i < n; ++i) w = fmax(w, (double)v3_distance(a[i], b[i]));
    return w;
}

static void every_example_comes_back(void** state)
{
    (void)state;
    sculpts* s = sculpt();
    for (int way = 0; way < 4; ++way) {
        static const char* const links[] = { "bend(between=linear)", "bend(between=catmull_rom)", "bend",
                                             "dualquat,bend(way=along)" };
        play p = play_chain((sup_chain_desc){ .character = &s->character, .clip = &s->clip, .links = links[way] },
                            (sup_instance_desc){ .clip = &s->clip });
        for (int j = 0; j < 3; ++j) {
            play_hash(&p, s->examples[j].time);
            double w = worst(p.out, s->points[j], p.points);
            if (w > 1e-6) fail_msg("%s: example %d misses by %g", links[way], j, w);
        }
        // halfway between the first two: linear is half; monotone never overshoots an example
        play_hash(&p, 0.2);
        double most = 0, top = 0;
        for (uint32_t i = 0; i < p.points; ++i) {
            most = fmax(most, (double)v3_distance(p.out[i], s->points[0][i]));
            top = fmax(top, (double)v3_distance(s->points[1][i], s->points[0][i]));
        }
        if (way == 0) assert_true(fabs(most / top - 0.5) < 1e-3);
        for (double t = 0; t <= 1 && way == 2; t += 0.05) {
            play_hash(&p, t);
            for (uint32_t i = 0; i < p.points; ++i) assert_true((double)v3_distance(p.out[i], s->points[0][i]) <= top * 1.0001);
        }
        play_end(&p);
    }
    sculpts_end(s);
}

static void softer_skin_bends_farther_under_the_forces_of_an_example(void** state)
{
    (void)state;
    sculpts*   s = sculpt();
    sup_arena* arena = sup_arena_create(NULL);
    sup_json*  world = test_json("{\"keys\":{\"bend.young\":[{\"time\":0,\"value\":1000},{\"time\":1,\"value\":500}]}}", arena);
    play       p = play_chain(
              (sup_chain_desc){ .character = &s->character, .clip = &s->clip, .links = "bend(between=linear)", .world = world },
              (sup_instance_desc){ .clip = &s->clip });
    play_hash(&p, 1);
    // the rings under the bulge: upper side moves more than their mean; twice that difference now
    double more = worst(p.out, s->points[2], p.points);
    assert_true(more > 2e-3);
    double base = 0;
    for (uint32_t i = 0; i < p.points; ++i) base = fmax(base, (double)v3_distance(s->points[2][i], s->points[0][i]));
    assert_true(more < base);
    play_end(&p);
    sup_arena_destroy(arena);
    sculpts_end(s);
}

static void a_joint_at_90_of_120_degrees_gives_three_quarters_of_the_bulge(void** state)
{
    (void)state;
    sculpts*   s = sculpt();
    sup_arena* arena = sup_arena_create(NULL);
    sup_pose   pose;
    sup_error  error;
    uint32_t   elbow = sup_character_joint(s->arm, "forearm");
    assert_ok(sup_pose_create(s->arm, arena, &pose, &error), error);
    play p =
        play_chain((sup_chain_desc){ .character = &s->character, .clip = &s->clip, .links = "bend(drive=bulge=forearm:0:120)" },
                   (sup_instance_desc){ .pose = &pose, .preroll = 0 });
    double full = 0;
    for (uint32_t i = 0; i < p.points; ++i) full = fmax(full, (double)v3_distance(s->points[1][i], s->points[0][i]));
    play_end(&p);
    static const struct {
        double degrees, share;
    } cases[] = { { 0, 0 }, { 60, 0.5 }, { 90, 0.75 }, { 120, 1 }, { 150, 1.25 } };
    for (size_t k = 0; k < SUP_COUNT_OF(cases); ++k) {
        sup_pose_bind(s->arm, &pose);
        pose.local[elbow].rotation = quat_mul(s->arm->skeleton.joints[elbow].rest.rotation,
                                              quat_axis_angle(v3(0, 0, 1), (float)(cases[k].degrees * 0.01745329252)));
        sup_pose_update(s->arm, &pose);
        p = play_chain(
            (sup_chain_desc){ .character = &s->character, .clip = &s->clip, .links = "bend(drive=bulge=forearm:0:120)" },
            (sup_instance_desc){ .pose = &pose, .preroll = 0 });
        play q = play_chain((sup_chain_desc){ .character = &s->character, .links = "linear" },
                            (sup_instance_desc){ .pose = &pose, .preroll = 0 });
        play_hash(&p, 0), play_hash(&q, 0);
        double most = 0;
        for (uint32_t i = 0; i < p.points; ++i)
            if (s->arm->mesh.points[i].x < 0.2f) most = fmax(most, (double)v3_distance(p.out[i], q.out[i]));
        if (fabs(most / full - cases[k].share) > 0.01) fail_msg("%g degrees: %g of the bulge", cases[k].degrees, most / full);
        play_end(&p), play_end(&q);
    }
    // several at once add up, and `amount` scales them all: bulge is 0.03 high, less 0.02
    static const struct {
        const char* links;
        double      share;
    } more[] = { { "bend(drive=bulge=forearm:0:120; less=forearm:60:120)", 0.75 + 0.5 * 2 / 3 },
                 { "bend(drive=bulge=forearm:0:120; less=hand:0:120)", 0.75 },
                 { "bend(drive=bulge=forearm:0:120,amount=2)", 1.5 },
                 { "bend(drive=bulge=forearm:0:120,amount=-1)", 0.75 },
                 { "bend(drive=bulge=forearm:0:120,amount=0)", 0 } };
    sup_pose_bind(s->arm, &pose);
    pose.local[elbow].rotation =
        quat_mul(s->arm->skeleton.joints[elbow].rest.rotation, quat_axis_angle(v3(0, 0, 1), (float)(90 * 0.01745329252)));
    sup_pose_update(s->arm, &pose);
    for (size_t k = 0; k < SUP_COUNT_OF(more); ++k) {
        p = play_chain((sup_chain_desc){ .character = &s->character, .clip = &s->clip, .links = more[k].links },
                       (sup_instance_desc){ .pose = &pose, .preroll = 0 });
        play q = play_chain((sup_chain_desc){ .character = &s->character, .links = "linear" },
                            (sup_instance_desc){ .pose = &pose, .preroll = 0 });
        play_hash(&p, 0), play_hash(&q, 0);
        double most = 0;
        for (uint32_t i = 0; i < p.points; ++i)
            if (s->arm->mesh.points[i].x < 0.2f) most = fmax(most, (double)v3_distance(p.out[i], q.out[i]));
        if (fabs(most / full - more[k].share) > 0.01) fail_msg("%s: %g of the bulge", more[k].links, most / full);
        play_end(&p), play_end(&q);
    }
    s->character.clips = &s->clip;
    fails_with(&s->character, "bend(drive=bump=forearm:0:120)", NULL, "bulge");
    fails_with(&s->character, "bend(drive=bulge=knee:0:120)", NULL, "no joint 'knee'");
    fails_with(&s->character, "bend(drive=bulge=forearm:120:0)", NULL, "must rise");
    fails_with(&s->character, "bend(drive=bulge)", NULL, "EXAMPLE=JOINT:FROM:TO");
    sup_arena_destroy(arena);
    sculpts_end(s);
}

// The sculpt spreads the twist of the hand over the forearm. Displacements along straight lines would cut through it halfway:
// the wrist was 0.36 of its size.
static void a_half_twisted_wrist_keeps_its_size(void** state)
{
    (void)state;
    sup_character*  arm = test_builtin("arm", 3000);
    const sup_clip* twist = sup_character_clip(arm, "twist");
    for (int way = 0; way < 3; ++way) {
        static const char* const links[] = { "bend", "bend(way=around,between=monotone)", "bend(drive=twist_end=hand:0:150)" };
        play                     p = play_chain((sup_chain_desc){ .character = arm, .clip = twist, .links = links[way] },
                                                (sup_instance_desc){ .clip = twist });
        double                   least = 9, most = 0;
        play_hash(&p, 0.5);
        for (float x = 0.2f; x < 0.6f; x += 0.02f) {
            double r = play_slice_radius(arm->mesh.points, p.out, p.points, x) /
                       play_slice_radius(arm->mesh.points, arm->mesh.points, p.points, x);
            least = fmin(least, r), most = fmax(most, r);
        }
        print_message("  %s: slices from %.3f to %.3f of their size\n", links[way], least, most);
        assert_true(least > 0.93 && most < 1.07);
        play_end(&p);
    }
    sup_character_destroy(arm);
}

// ---------------------------------------------------------------------------------------------- dynamics

static void a_released_ring_swings_back_and_settles(void** state)
{
    (void)state;
    sup_character* c = test_tube(32, 24, 1, 1.0f, 0.1f);
    const char*    world = "{\"forces\":[{\"name\":\"f\",\"curve\":4,\"ratio\":0.25,\"value\":[0,10,0],"
                           "\"keys\":[{\"time\":0.5,\"value\":1,\"step\":true},{\"time\":0.51,\"value\":0}]}]}";
    bent           still = bent_by(c, "bend(curves=10,young=100)", world),
         live = bent_by(c, "bend(curves=10,young=100,dynamics=1)", world);
    uint32_t at;
    double   held = most_moved(&still, 0.3, &at);
    most_moved(&live, 0.3, NULL);
    assert_true((double)v3_distance(live.p.out[at], still.p.out[at]) < 1e-3 * held); // the force has always acted
    double low = 0;
    for (double t = 0.5; t < 1.5; t += 0.01) {
        most_moved(&live, t, NULL);
        low = fmin(low, (double)(live.p.out[at].y - live.plain[at].y));
    }
    assert_true(low < -0.2 * held); // past the rest shape
    assert_true(most_moved(&live, 6, NULL) < 0.02 * held);
    assert_true(most_moved(&still, 0.6, NULL) == 0);
    bent_end(&still), bent_end(&live);
    sup_character_destroy(c);
}

static void weight_makes_a_held_curve_sag(void** state)
{
    (void)state;
    sup_character* c = test_tube(32, 24, 1, 1.0f, 0.1f);
    bent           b = bent_by(c, "bend(way=along,curves=12,weight=1,young=1000)", NULL);
    uint32_t       at;
    double         most = most_moved(&b, 0, &at);
    // rho h b g spread over a clamped strip: m g l^4 / (384 EI), b drops out; it runs down both ends of the tube as well
    double expected = 1.2 * 1.2 * 1.2 * 1.2 * 1050 * 0.05 * 9.81 / (384 * 1e6 * 0.05 * 0.05 * 0.05 / (12 * 0.91));
    print_message("  %g m, expected %g, at %g\n", most, expected, (double)b.plain[at].x);
    assert_true(fabs(most / expected - 1) < 0.1 && b.p.out[at].y < b.plain[at].y && fabsf(b.plain[at].x - 0.5f) < 0.05f);
    bent_end(&b);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torso_bends_by_the_closed_form_factor_of_its_material),
        cmocka_unit_test(material_may_be_keyed_over_time),
        cmocka_unit_test(bones_may_have_their_own_stiffness),
        cmocka_unit_test(maps_vary_what_the_skin_is_made_of),
        cmocka_unit_test(what_is_given_to_a_part_fades_over_a_strip),
        cmocka_unit_test(a_pressure_slides_no_ring_along_its_limb),
        cmocka_unit_test(a_ring_gives_way_by_its_length_and_stiffness),
        cmocka_unit_test(a_loaded_ring_takes_the_skin_beside_it_along),
        cmocka_unit_test(a_foundation_gives_as_much_on_any_number_of_curves),
        cmocka_unit_test(on_a_foundation_rings_move_as_a_whole),
        cmocka_unit_test(forces_turn_with_the_skin_or_stay_in_the_world),
        cmocka_unit_test(a_force_around_a_bone_is_shared_by_the_nodes_it_reaches),
        cmocka_unit_test(neighbors_give_way_alike_under_a_force_around_a_bone),
        cmocka_unit_test(loads_solved_once_move_the_skin_as_those_solved_every_frame),
        cmocka_unit_test(skin_that_nothing_moves_is_left_to_the_bit),
        cmocka_unit_test(a_region_bends_as_its_plate),
        cmocka_unit_test(a_painted_region_gives_way_where_it_is_painted),
        cmocka_unit_test(a_painted_region_is_bound_however_curves_lie),
        cmocka_unit_test(curves_stand_across_a_line_of_bones_or_places),
        cmocka_unit_test(bad_loads_and_materials_are_refused_with_a_sentence),
        cmocka_unit_test(every_example_comes_back),
        cmocka_unit_test(softer_skin_bends_farther_under_the_forces_of_an_example),
        cmocka_unit_test(a_joint_at_90_of_120_degrees_gives_three_quarters_of_the_bulge),
        cmocka_unit_test(a_half_twisted_wrist_keeps_its_size),
        cmocka_unit_test(a_released_ring_swings_back_and_settles),
        cmocka_unit_test(weight_makes_a_held_curve_sag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

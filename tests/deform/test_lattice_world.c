// External forces and bodies on the lattice.
#include "lattice_rig.h"

// A ball pressed 1 unit into the upper side beside the joint, then dragged along z; how far it drags the flesh under it.
static double dragged(float friction)
{
    rig      r;
    sup_body ball = { .name = "ball", .kind = SUP_BODY_SPHERE, .joint = SUP_NONE, .radius = 3, .friction = friction };
    double   along = 0, weight = 0;
    rig_make(&r, make_bar(), "lattice(cells=40,bone_radius=0.1)");
    rig_reset(&r);
    r.world.bodies = &ball, r.world.body_count = 1;
    ball.end = affine_identity();
    ball.end.m[1][3] = 7, ball.end.m[2][3] = 24;
    for (int i = 0; i < 100; ++i) {
        ball.start = ball.end;
        if (i < 40) ball.end.m[1][3] = 7 - 2.0f * (float)(i + 1) / 40;
        else if (i < 90) ball.end.m[2][3] = 24 + 1.0f * (float)(i - 39) / 50;
        rig_step(&r, 0.005);
    }
    for (uint32_t i = 0; i < r.b->count; ++i) {
        sup_vec3 at = rig_place(&r, i), middle = affine_translation(&ball.end);
        if (r.b->free[i] == 0 || r.b->regions.particles[i] == SUP_NONE) continue;
        assert_true(v3_distance(at, middle) > 2.9f);
        if (v3_distance(at, middle) > 3.1f) continue;
        along += (double)rig_displacement(&r, i).z;
        weight += 1;
    }
    assert_true(weight > 3);
    rig_end(&r);
    return along / weight;
}

static void friction_takes_the_flesh_along(void** state)
{
    (void)state;
    double smooth = dragged(0), rough = dragged(0.5f), sticky = dragged(5);
    print_message("a ball dragged by 1 takes the flesh along by %.2f, %.2f, %.2f with friction 0, 0.5, 5\n", smooth, rough,
                  sticky);
    assert_true(rough > smooth + 0.1);
    assert_true(sticky >= rough - 0.02 && sticky > 0.5);
}

// A square sheet at y = 2 across the bar between z 5 and 15, its front downwards (flipped: upwards).
static sup_character* make_sheet(bool flipped)
{
    static const sup_vec3 points[4] = { { -5, 2, 5 }, { 5, 2, 5 }, { 5, 2, 15 }, { -5, 2, 15 } };
    static const uint32_t down[6] = { 0, 1, 2, 0, 2, 3 }, up[6] = { 0, 2, 1, 0, 3, 2 };
    sup_part_desc         part = { .name = "sheet",
                                   .vertex_count = 4,
                                   .positions = points,
                                   .face_count = 2,
                                   .corners = flipped ? up : down,
                                   .joint = SUP_NONE,
                                   .source_id = SUP_NONE };
    sup_character_desc    desc = { .name = "sheet", .part_count = 1, .parts = &part, .metres_per_unit = 0.01 };
    return test_character(&desc);
}

static void a_sheet_presses_from_its_front_and_says_so(void** state)
{
    (void)state;
    static const char text[] = "{\"bodies\":[{\"name\":\"shelf\",\"mesh\":\"sheet.obj\"}]}";
    sup_character*    c = make_bar();
    for (int flipped = 0; flipped < 2; ++flipped) {
        sup_arena*     arena = sup_arena_create(NULL);
        sup_character* sheet = make_sheet(flipped);
        sup_world_mesh mesh = { "sheet.obj", sheet };
        sup_json*      world = test_json(text, arena);
        play           p = play_chain((sup_chain_desc){ .character = c,
                                                        .links = "lattice(cells=40,bone_radius=0.1)",
                                                        .world = world,
                                                        .world_meshes = &mesh,
                                                        .world_mesh_count = 1 },
                                      (sup_instance_desc){ .preroll = 0.2 });
        bool           said = false;
        for (uint32_t i = 0; i < sup_chain_note_count(p.chain); ++i) {
            const char* note = sup_chain_note(p.chain, i);
            said |= strstr(note, "shelf") && strstr(note, "holes");
        }
        assert_true(said);
        play_hash(&p, 0.1);
        for (uint32_t i = 0; i < p.points; ++i) {
            sup_vec3 rest = c->mesh.points[i];
            if (rest.y > 2.9f && rest.z > 7 && rest.z < 13 && fabsf(rest.x) < 2) {
                if (flipped) assert_true(p.out[i].y > 2.8f); // what is below its back is three cells deep at most
                else assert_true(p.out[i].y < 2.15f);
            }
            if (rest.z > 25) assert_true(v3_distance(rest, p.out[i]) < 0.3f);
        }
        play_end(&p);
        sup_character_destroy(sheet);
        sup_arena_destroy(arena);
    }
    sup_character_destroy(c);
}

static void an_impulse_gives_its_momentum(void** state)
{
    (void)state;
    rig       r;
    sup_force kick = { .name = "kick",
                       .kind = SUP_FORCE_BONE,
                       .joint = 1,
                       .ratio = 0.5f,
                       .at = v3(0, 0, 30),
                       .radius = 6,
                       .value = v3(0, 400, 0) };
    double    momentum = 0, far = 0;
    rig_make(&r, make_bar(), "lattice(cells=40,bone_radius=0,limit=0,volume=0,damping_ratio=0,pose_hz=0.5)");
    rig_reset(&r);
    r.world.forces = &kick, r.world.force_count = 1;
    rig_step(&r, 0.005); // 400 units kg / s^2 for 5 ms
    r.world.force_count = 0;
    for (uint32_t i = 0; i < r.b->count; ++i) {
        momentum += (double)(r.b->mass[i] * 1000) * (double)rig_plane3(&r, PLANE_W, i).y;
        if (r.b->rest[i].z < 15) far = fmax(far, fabs((double)rig_plane3(&r, PLANE_W, i).y));
    }
    assert_float_equal(momentum, 2.0, 0.01);
    double before = far;
    for (int i = 0; i < 10; ++i) rig_step(&r, 0.005); // it spreads through the flesh
    momentum = far = 0;
    for (uint32_t i = 0; i < r.b->count; ++i) {
        momentum += (double)(r.b->mass[i] * 1000) * (double)rig_plane3(&r, PLANE_W, i).y;
        if (r.b->rest[i].z < 15) far = fmax(far, fabs((double)rig_plane3(&r, PLANE_W, i).y));
    }
    assert_true(far > before);
    assert_float_equal(momentum, 2.0 * cos(2 * 3.14159265 * 0.5 * 0.05),
                       0.03); // the weak pull to the pose takes this much back
    rig_end(&r);
}

static void wind_blows_on_the_outside_only(void** state)
{
    (void)state;
    rig    r;
    double border = 0, inside = 0;
    rig_make(&r, make_bar(), "lattice(cells=40,bone_radius=0,limit=0,volume=0)");
    rig_reset(&r);
    r.world.wind = v3(100, 0, 0);
    rig_step(&r, 0.005);
    for (uint32_t i = 0; i < r.b->count; ++i) {
        uint32_t p = r.b->regions.particles[i];
        if (p == SUP_NONE) continue;
        if (r.b->voxels.octants[p] == 0xff) {
            if (fabsf(r.b->rest[i].x) + fabsf(r.b->rest[i].y) < 0.5f && r.b->rest[i].z > 10 && r.b->rest[i].z < 30)
                inside = fmax(inside, (double)rig_plane3(&r, PLANE_W, i).x);
        } else border = fmax(border, (double)rig_plane3(&r, PLANE_W, i).x);
    }
    // drag x wind x dt x the open share of a corner (half of it, 7 / 8 at the tips)
    assert_true(border > 0.3 && border < 2.0 * 100 * 0.005);
    assert_true(inside < 0.2 * border);
    rig_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_takes_the_flesh_along),
        cmocka_unit_test(a_sheet_presses_from_its_front_and_says_so),
        cmocka_unit_test(an_impulse_gives_its_momentum),
        cmocka_unit_test(wind_blows_on_the_outside_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

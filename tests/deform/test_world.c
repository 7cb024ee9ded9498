// The world file: bodies, forces and muscles as links see them, and the messages when it is wrong.
#include "play.h"

#include <math.h>

// Looks at the world and leaves the points alone. Stores what it saw here: tests run one after the other.
static struct seen {
    uint32_t  steps;
    double    time, dt;
    bool      settling;
    sup_world world;
    sup_body  bodies[4];
    sup_vec3  first[2]; // point 0 of the first body at the start and at the end
    sup_force forces[4];
    float     activations[8];
} seen;
static const sup_world_plan* seen_plan;

static sup_result spy_bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    uint32_t* count = SUP_NEW(arena, uint32_t, 1);
    if (!count) return sup_fail_memory(error, "spy");
    *count = in->character->mesh.point_count;
    seen_plan = in->world;
    *out = (sup_binding){ .data = count, .state_size = 16 };
    return SUP_OK;
}

static void spy_reset(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch)
{
    (void)binding, (void)params, (void)frame, (void)state, (void)scratch;
}

static void spy_evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                         sup_vec3* out)
{
    (void)params, (void)state, (void)scratch;
    const sup_world* w = frame->world;
    memcpy(out, frame->points, *(const uint32_t*)binding->data * sizeof *out);
    seen.steps++;
    seen.time = frame->time;
    seen.dt = frame->dt;
    seen.settling = frame->settling;
    seen.world = *w;
    for (uint32_t i = 0; i < w->body_count && i < 4; ++i) seen.bodies[i] = w->bodies[i];
    for (uint32_t i = 0; i < w->force_count && i < 4; ++i) seen.forces[i] = w->forces[i];
    for (uint32_t i = 0; w->activations && i < 3; ++i) seen.activations[i] = w->activations[i];
    if (w->body_count && w->bodies[0].kind == SUP_BODY_MESH) {
        const sup_body* b = &w->bodies[0];
        seen.first[0] = affine_point(&b->start, (b->points_start ? b->points_start : b->points)[0]);
        seen.first[1] = affine_point(&b->end, b->points[0]);
    }
}

static const sup_deformer        spy = { .name = "spy",
                                         .summary = "Looks",
                                         .paper = "-",
                                         .dynamic = true,
                                         .bind = spy_bind,
                                         .reset = spy_reset,
                                         .evaluate = spy_evaluate };
static const sup_deformer* const spies[] = { &spy };

static sup_character* the_tube; // three joints of 0.4 units along x; "bend" turns joint1 and joint2 by 30 degrees in a second
static sup_arena*     the_arena;

static int set_up(void** state)
{
    (void)state;
    the_tube = test_tube(6, 6, 3, 1.2f, 0.1f);
    the_arena = sup_arena_create(NULL);
    return !the_arena;
}

static int tear_down(void** state)
{
    (void)state;
    sup_character_destroy(the_tube);
    sup_arena_destroy(the_arena);
    return 0;
}

static sup_json* json(const char* text) { return test_json(text, the_arena); }

static sup_chain_desc chain_of(const char* world)
{
    return (sup_chain_desc){ .character = the_tube,
                             .clip = &the_tube->clips[0],
                             .links = "spy",
                             .world = world ? json(world) : NULL,
                             .extra = spies,
                             .extra_count = 1 };
}

static play play_of(sup_chain_desc chain)
{
    memset(&seen, 0, sizeof seen);
    return play_chain(chain, (sup_instance_desc){ .clip = &the_tube->clips[0], .preroll = 0.05 });
}

static void assert_refused(sup_chain_desc d, const char* words)
{
    sup_chain* chain = NULL;
    sup_error  error = { 0 };
    if (sup_chain_create(&d, &chain, &error) != SUP_ERROR_INPUT) fail_msg("not refused: '%s'", words);
    assert_null(chain);
    if (!strstr(error.text, words)) fail_msg("expected '%s' in: %s", words, error.text);
}

static void assert_near(sup_vec3 a, float x, float y, float z)
{
    if (v3_distance(a, v3(x, y, z)) > 2e-6f * (1.0f + v3_length(a)))
        fail_msg("(%g %g %g) is not (%g %g %g)", (double)a.x, (double)a.y, (double)a.z, (double)x, (double)y, (double)z);
}

// ---------------------------------------------------------------------------------------------- bodies

static void without_a_world_there_is_only_gravity(void** state)
{
    (void)state;
    play p = play_of(chain_of(NULL));
    play_hash(&p, 0);
    assert_near(seen.world.gravity, 0, -9.80665f, 0);
    assert_int_equal(seen.world.body_count, 0);
    assert_int_equal(seen.world.force_count, 0);
    assert_null(seen.world.activations);
    play_end(&p);
}

static void a_keyed_body_is_where_it_comes_from_and_where_it_goes(void** state)
{
    (void)state;
    play p =
        play_of(chain_of("{\"bodies\":[{\"name\":\"ball\",\"sphere\":{\"center\":[0.5,1,0],\"radius\":0.1},\"friction\":0.2,"
                         "\"keys\":[{\"time\":0,\"move\":[0,0,0]},{\"time\":1,\"move\":[0,-0.5,0]}]}]}"));
    play_hash(&p, 0.5);
    const sup_body* b = &seen.bodies[0];
    assert_string_equal(b->name, "ball");
    assert_int_equal(b->kind, SUP_BODY_SPHERE);
    assert_float_equal(b->radius, 0.1f, 0);
    assert_float_equal(b->friction, 0.2f, 0);
    assert_int_equal(b->joint, SUP_NONE);
    assert_true(b->closed);
    assert_near(affine_point(&b->end, b->a), 0.5f, 0.75f, 0);
    assert_near(affine_point(&b->start, b->a), 0.5f, 0.7525f, 0); // 5 ms before, at 0.5 m / s
    play_hash(&p, 5);
    assert_near(affine_point(&b->end, b->a), 0.5f, 0.5f, 0); // holds after its last key
    play_end(&p);
}

static void the_world_stands_still_while_the_first_pose_is_held(void** state)
{
    (void)state;
    play p = play_of(chain_of("{\"bodies\":[{\"sphere\":{\"center\":[0,0,0],\"radius\":1},\"keys\":["
                              "{\"time\":-1,\"move\":[0,0,0]},{\"time\":1,\"move\":[2,0,0]}]}]}"));
    play_hash(&p, 0);
    const sup_body* b = &seen.bodies[0];
    assert_true(seen.settling && seen.dt > 0);
    assert_near(affine_point(&b->start, b->a), 1, 0, 0);
    assert_near(affine_point(&b->end, b->a), 1, 0, 0);
    play_hash(&p, 0.005); // the first step of the motion begins there
    assert_near(affine_point(&b->start, b->a), 1, 0, 0);
    assert_near(affine_point(&b->end, b->a), 1.005f, 0, 0);
    assert_string_equal(b->name, "body 1");
    play_end(&p);
}

static void a_body_on_a_joint_rides_with_its_skin_matrix(void** state)
{
    (void)state;
    // joint1 sits at x = 0.4 and has turned by 30 degrees about z after a second.
    play p = play_of(
        chain_of("{\"bodies\":[{\"capsule\":{\"from\":[0.6,0,0],\"to\":[0.8,0,0],\"radius\":0.05},\"joint\":\"joint1\"}]}"));
    play_hash(&p, 1);
    const sup_body* b = &seen.bodies[0];
    assert_int_equal(b->kind, SUP_BODY_CAPSULE);
    assert_int_equal(b->joint, 1);
    assert_near(affine_point(&b->end, b->a), 0.4f + 0.2f * 0.8660254f, 0.2f * 0.5f, 0);
    assert_near(affine_point(&b->end, b->b), 0.4f + 0.4f * 0.8660254f, 0.4f * 0.5f, 0);
    assert_true(affine_point(&b->start, b->b).y < affine_point(&b->end, b->b).y);
    play_end(&p);
}

static void a_body_turns_about_its_middle_or_a_given_pivot(void** state)
{
    (void)state;
    play p = play_of(chain_of("{\"bodies\":["
                              "{\"name\":\"a\",\"capsule\":{\"from\":[1,0,0],\"to\":[3,0,0],\"radius\":0.1},"
                              "\"keys\":[{\"time\":0},{\"time\":1,\"turn\":[0,0,90]}]},"
                              "{\"name\":\"b\",\"capsule\":{\"from\":[1,0,0],\"to\":[3,0,0],\"radius\":0.1},\"pivot\":[1,0,0],"
                              "\"keys\":[{\"time\":0,\"move\":[0,0,1],\"turn\":[0,0,0.70710678,0.70710678]}]}]}"));
    play_hash(&p, 1);
    assert_near(affine_point(&seen.bodies[0].end, seen.bodies[0].b), 2, 1, 0);
    assert_near(affine_point(&seen.bodies[1].end, seen.bodies[1].a), 1, 0, 1);
    assert_near(affine_point(&seen.bodies[1].end, seen.bodies[1].b), 1, 2, 1);
    play_hash(&p, 0.5); // half way along the arc
    assert_near(affine_point(&seen.bodies[0].end, seen.bodies[0].b), 2.70710678f, 0.70710678f, 0);
    play_end(&p);
}

static void a_step_key_jumps(void** state)
{
    (void)state;
    play p = play_of(chain_of("{\"bodies\":[{\"sphere\":{\"center\":[0,0,0],\"radius\":1},\"keys\":["
                              "{\"time\":0,\"step\":true},{\"time\":0.5,\"move\":[1,0,0]}]}]}"));
    play_hash(&p, 0.45);
    assert_near(affine_point(&seen.bodies[0].end, v3(0, 0, 0)), 0, 0, 0);
    play_hash(&p, 0.5);
    assert_near(affine_point(&seen.bodies[0].end, v3(0, 0, 0)), 1, 0, 0);
    play_end(&p);
}

static void a_mesh_body_comes_in_the_characters_units(void** state)
{
    (void)state;
    sup_character* prop = test_tube(3, 4, 1, 2.0f, 0.5f);
    prop->metres_per_unit = 0.01; // a prop in centimeters
    sup_world_mesh mesh = { "prop.obj", prop };
    sup_chain_desc d =
        chain_of("{\"bodies\":[{\"name\":\"prop\",\"mesh\":\"prop.obj\",\"keys\":[{\"time\":0,\"move\":[0,0,3]}]}]}");
    assert_refused(d, "body 'prop': the mesh 'prop.obj' was not loaded");
    d.world_meshes = &mesh;
    d.world_mesh_count = 1;
    play p = play_of(d);
    play_hash(&p, 0);
    const sup_body* b = &seen.bodies[0];
    assert_int_equal(b->kind, SUP_BODY_MESH);
    assert_int_equal(b->point_count, prop->mesh.point_count);
    assert_int_equal(b->triangle_count, prop->mesh.triangle_count);
    assert_true(b->closed);
    assert_null(b->points_start);
    assert_near(affine_point(&b->end, b->points[b->point_count - 1]), 0.02f, 0, 3);
    play_end(&p);
    sup_character_destroy(prop);
}

static void a_second_character_brings_its_own_motion(void** state)
{
    (void)state;
    sup_character* other = test_tube(4, 4, 2, 1.0f, 0.1f); // joint1 at x = 0.5
    sup_world_mesh mesh = { "other.glb", other };
    sup_chain_desc d =
        chain_of("{\"bodies\":[{\"mesh\":\"other.glb\",\"clip\":\"bend\",\"keys\":[{\"time\":0,\"move\":[0,1,0]}]}]}");
    d.world_meshes = &mesh;
    d.world_mesh_count = 1;
    play p = play_of(d);
    play_hash(&p, 1);
    const sup_body* b = &seen.bodies[0];
    sup_vec3        tip = affine_point(&b->end, b->points[b->point_count - 1]);
    assert_near(tip, 0.5f + 0.5f * 0.8660254f, 1.0f + 0.25f, 0);
    sup_body known; // what a link can prepare from when it binds
    assert_int_equal(sup_world_plan_body_count(seen_plan), 1);
    sup_world_plan_body(seen_plan, 0, &known);
    assert_true(known.triangles == b->triangles && known.triangle_count == b->triangle_count && known.points_start);
    assert_near(known.points[b->point_count - 1], 1, 0, 0);
    assert_non_null(b->points_start);
    assert_true(b->points_start[b->point_count - 1].y < b->points[b->point_count - 1].y);
    assert_near(seen.first[0], seen.first[1].x, seen.first[1].y, seen.first[1].z); // point 0 is on the joint that stays
    // The same points whatever was queried before.
    play_hash(&p, 0.25);
    sup_vec3 quarter = seen.bodies[0].points[b->point_count - 1];
    play_hash(&p, 1);
    play_hash(&p, 0.25);
    assert_memory_equal(&quarter, &seen.bodies[0].points[b->point_count - 1], sizeof quarter);
    const sup_world* shown = sup_instance_world(p.instance);
    assert_int_equal(shown->body_count, 1);
    assert_null(shown->bodies[0].points_start);
    assert_memory_equal(&quarter, &shown->bodies[0].points[b->point_count - 1], sizeof quarter);
    play_end(&p);
    sup_character_destroy(other);
}

static void units_of_the_character_count(void** state)
{
    (void)state;
    double unit = the_tube->metres_per_unit;
    the_tube->metres_per_unit = 0.01;
    play p = play_of(chain_of("{\"bodies\":[{\"sphere\":{\"center\":[1,2,3],\"radius\":0.5}}],"
                              "\"forces\":[{\"bone\":\"joint0\",\"radius\":0.25,\"value\":[0,0,2]}]}"));
    play_hash(&p, 0);
    assert_near(seen.bodies[0].a, 100, 200, 300);
    assert_float_equal(seen.bodies[0].radius, 50, 1e-4f);
    assert_float_equal(seen.forces[0].radius, 25, 1e-4f);
    assert_float_equal(seen.forces[0].value.z, 200, 1e-4f);
    play_end(&p);
    the_tube->metres_per_unit = unit;
}

// ---------------------------------------------------------------------------------------------- forces, muscles

static void a_force_on_a_bone_ramps_and_turns_with_it(void** state)
{
    (void)state;
    play p =
        play_of(chain_of("{\"forces\":[{\"name\":\"push\",\"bone\":\"joint1\",\"ratio\":0.25,\"radius\":0.2,\"value\":[10,0,0],"
                         "\"local\":true,\"keys\":[{\"time\":0,\"value\":0},{\"time\":0.5,\"value\":1,\"step\":true},"
                         "{\"time\":1,\"value\":2}]}]}"));
    play_hash(&p, 0.25);
    const sup_force* f = &seen.forces[0];
    assert_int_equal(f->kind, SUP_FORCE_BONE);
    assert_int_equal(f->joint, 1);
    assert_true(f->local);
    assert_near(f->at, 0.5f, 0, 0);
    assert_near(f->value, 5, 0, 0);
    play_hash(&p, 0.75);
    assert_near(f->value, 10, 0, 0);
    play_hash(&p, 1);
    assert_near(f->value, 20, 0, 0);
    assert_near(sup_force_value(f, sup_instance_pose(p.instance)), 20 * 0.8660254f, 10, 0);
    // Fades from the place to the radius: at half of it (1 - 1/4)^2.
    assert_float_equal(sup_force_share(f, 0, v3(0.5f, 0, 0)), 1, 1e-6f);
    assert_float_equal(sup_force_share(f, 0, v3(0.5f, 0.1f, 0)), 0.5625f, 1e-6f);
    assert_float_equal(sup_force_share(f, 0, v3(0.5f, 0, 0.21f)), 0, 0);
    play_end(&p);
}

static void forces_on_curves_and_regions_say_where(void** state)
{
    (void)state;
    float* values = sup_arena_alloc(the_arena, the_tube->mesh.point_count, sizeof *values);
    values[3] = 0.5f;
    sup_map map = { "_BELLY", values };
    the_tube->maps = &map;
    the_tube->map_count = 1;
    play p = play_of(chain_of("{\"forces\":[{\"name\":\"a\",\"curve\":4,\"from\":0.2,\"to\":0.6,\"value\":[1,0,0]},"
                              "{\"name\":\"b\",\"curve\":{\"bone\":\"joint2\",\"ratio\":0.75},\"ratio\":0.1,\"value\":[1,0,0]},"
                              "{\"name\":\"c\",\"region\":\"belly\",\"keys\":[{\"time\":0,\"value\":[0,0,1]}]}]}"));
    play_hash(&p, 0);
    const sup_force* f = seen.forces;
    assert_true(f[0].kind == SUP_FORCE_CURVE && f[0].curve == 4 && f[0].joint == SUP_NONE);
    assert_true(f[0].begin == 0.2f && f[0].end == 0.6f);
    assert_true(f[1].kind == SUP_FORCE_CURVE && f[1].curve == SUP_NONE && f[1].joint == 2 && f[1].ratio == 0.75f);
    assert_true(f[1].begin == 0.1f && f[1].end == 0.1f);
    assert_float_equal(f[1].at.x, 0.8f + 0.75f * (0.3f * 0.4f), 1e-6f); // a leaf's tail is 0.3 parent lengths
    assert_true(f[2].kind == SUP_FORCE_REGION && f[2].region == values);
    assert_float_equal(sup_force_share(&f[2], 3, v3(0, 0, 0)), 0.5f, 0);
    assert_float_equal(sup_force_share(&f[2], SUP_NONE, v3(0, 0, 0)), 0, 0);
    assert_float_equal(sup_force_share(&f[0], 3, v3(0, 0, 0)), 0, 0);
    play_end(&p);
    the_tube->maps = NULL;
    the_tube->map_count = 0;
}

static void muscles_follow_globs_and_keys_and_the_last_one_wins(void** state)
{
    (void)state;
    play p = play_of(chain_of("{\"muscles\":{\"joint*\":0.25,\"*2\":[{\"time\":0,\"value\":0},{\"time\":1,\"value\":1}]}}"));
    play_hash(&p, 0.5);
    assert_float_equal(seen.activations[0], 0.25f, 0);
    assert_float_equal(seen.activations[1], 0.25f, 0);
    assert_float_equal(seen.activations[2], 0.5f, 1e-6f);
    play_end(&p);
}

static void binding_sees_the_whole_history(void** state)
{
    (void)state;
    play p = play_of(
        chain_of("{\"wind\":[1,0,0],\"forces\":[{\"name\":\"a\",\"curve\":0,\"value\":[1,2,3]},{\"name\":\"b\",\"curve\":1,"
                 "\"keys\":[{\"time\":1,\"value\":[0,0,0]},{\"time\":3,\"value\":[0,8,0],\"step\":true}]}],"
                 "\"muscles\":{\"joint1\":1},\"keys\":{\"gravity\":[{\"time\":0,\"value\":[0,0,0]},"
                 "{\"time\":2,\"value\":[0,2,0]}]}}"));
    const double*   times;
    const sup_vec3* values;
    const bool*     steps;
    sup_force       f;
    sup_vec3        gravity, wind;
    float           activations[3];
    assert_int_equal(sup_world_plan_force_count(seen_plan), 2);
    assert_int_equal(sup_world_plan_force_keys(seen_plan, 0, &times, &values, &steps), 1);
    assert_near(values[0], 1, 2, 3);
    assert_int_equal(sup_world_plan_force_keys(seen_plan, 1, &times, &values, &steps), 2);
    assert_true(times[0] == 1 && times[1] == 3 && !steps[0] && steps[1]);
    assert_near(values[1], 0, 8, 0);
    sup_world_plan_force(seen_plan, 1, 1.5, &f);
    assert_near(f.value, 0, 2, 0);
    assert_int_equal(f.curve, 1);
    sup_world_plan_at(seen_plan, 0.5, &gravity, &wind, activations);
    assert_near(gravity, 0, 0.5f, 0);
    assert_near(wind, 1, 0, 0);
    assert_true(activations[0] == 0 && activations[1] == 1);
    play_end(&p);
}

// Asks the earlier links for their points at 0.6 s during bind, and shows those.
static sup_result peek_bind(const sup_bind_input* in, sup_arena* arena, sup_binding* out, sup_error* error)
{
    sup_vec3* points = SUP_NEW(arena, sup_vec3, in->character->mesh.point_count + 8);
    if (!points) return sup_fail_memory(error, "peek");
    *out = (sup_binding){ .data = points };
    return sup_prefix_points(in->before, 0.6, points, error);
}

static void peek_evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                          sup_vec3* out)
{
    (void)params, (void)frame, (void)state, (void)scratch;
    memcpy(out, binding->data, the_tube->mesh.point_count * sizeof *out);
}

static const sup_deformer peek = { .name = "peek", .summary = "-", .paper = "-", .bind = peek_bind, .evaluate = peek_evaluate };

static void links_asked_ahead_answer_with_the_keys_of_that_time(void** state)
{
    (void)state;
    static const sup_deformer* const extra[] = { &peek };
    sup_chain_desc                   d =
        chain_of("{\"keys\":{\"dualquat.blend\":[{\"time\":0,\"value\":1,\"step\":true},{\"time\":0.5,\"value\":0}]}}");
    sup_chain_desc plain = chain_of(NULL);
    d.extra = plain.extra = extra;
    d.links = "dualquat,peek";
    plain.links = "linear,peek"; // dualquat with blend 0
    play a = play_of(d), b = play_of(plain);
    assert_true(play_hash(&a, 0) == play_hash(&b, 0));
    play_end(&a);
    play_end(&b);
}

static void a_loop_takes_its_bodies_back_to_the_start(void** state)
{
    (void)state;
    sup_chain_desc d = chain_of("{\"bodies\":[{\"sphere\":{\"center\":[0,0,0],\"radius\":1},\"keys\":["
                                "{\"time\":0},{\"time\":1,\"move\":[2,0,0]}]}]}");
    play           p = play_chain(d, (sup_instance_desc){ .clip = &the_tube->clips[0], .loop = true, .preroll = 0 });
    play_hash(&p, 0.005); // the first step of the pass that is shown, behind a whole pass
    assert_near(affine_translation(&seen.bodies[0].start), 0, 0, 0);
    assert_near(affine_translation(&seen.bodies[0].end), 0.01f, 0, 0);
    play_hash(&p, 1.005); // and once around again
    assert_near(affine_translation(&seen.bodies[0].end), 0.01f, 0, 0);
    play_end(&p);
}

static void a_live_host_sees_the_world_of_its_own_time(void** state)
{
    (void)state;
    sup_chain_desc d = chain_of("{\"bodies\":[{\"sphere\":{\"center\":[0,0,0],\"radius\":1},\"joint\":\"joint1\",\"keys\":["
                                "{\"time\":0},{\"time\":1,\"move\":[2,0,0]}]}]}");
    play           p = play_chain(d, (sup_instance_desc){ .live = true, .preroll = 0 });
    sup_pose       pose;
    sup_error      error;
    assert_ok(sup_pose_create(the_tube, the_arena, &pose, &error), error);
    sup_pose_rest(the_tube, &pose);
    sup_instance_live(p.instance, 0, pose.local, NULL, false, p.scratch, NULL, p.out);
    sup_instance_live(p.instance, 0.25, pose.local, NULL, false, p.scratch, NULL, p.out);
    assert_near(affine_translation(&sup_instance_world(p.instance)->bodies[0].end), 0.5f, 0, 0);
    play_end(&p);
}

// ---------------------------------------------------------------------------------------------- wrong ones

static void wrong_bodies_forces_and_muscles_are_refused_by_name(void** state)
{
    (void)state;
    const char* wrong[][2] = {
        { "{\"bodies\":{}}", "\"bodies\": must be a list" },
        { "{\"bodies\":[3]}", "body 1: must be {...}" },
        { "{\"bodies\":[{}]}", "body 1: give one of \"sphere\", \"capsule\", \"mesh\"" },
        { "{\"bodies\":[{\"name\":\"\"}]}", "\"name\" must be a text that is not empty" },
        { "{\"bodies\":[{\"box\":1}]}", "\"box\" is not known; there are: name, sphere" },
        { "{\"bodies\":[{\"name\":\"b\",\"sphere\":{\"center\":[0,0,0],\"radius\":1}},{\"name\":\"b\",\"sphere\":{}}]}",
          "body 'b': there are two of this name" },
        { "{\"bodies\":[{\"sphere\":{\"center\":[0,0],\"radius\":1}}]}", "\"center\" must be three numbers, in meters" },
        { "{\"bodies\":[{\"sphere\":{\"center\":[0,0,0]}}]}", "\"radius\" must be a number from" },
        { "{\"bodies\":[{\"sphere\":{\"center\":[0,0,0],\"radius\":-1}}]}", "\"radius\" must be a number from" },
        { "{\"bodies\":[{\"sphere\":{\"center\":[0,0,0],\"radius\":1,\"from\":[0,0,0]}}]}", "\"from\" is not known" },
        { "{\"bodies\":[{\"capsule\":{\"from\":[0,0,0],\"radius\":1}}]}", "\"to\" must be three numbers" },
        { "{\"bodies\":[{\"name\":\"b\",\"sphere\":{\"center\":[0,0,0],\"radius\":1},\"joint\":\"elbow\"}]}",
          "body 'b': 'tube' has no joint 'elbow'; there are: joint0, joint1, joint2" },
        { "{\"bodies\":[{\"sphere\":{\"center\":[0,0,0],\"radius\":1},\"joint\":3}]}", "\"joint\" must be the name" },
        { "{\"bodies\":[{\"sphere\":{\"center\":[0,0,0],\"radius\":1},\"friction\":-1}]}", "\"friction\" must be" },
        { "{\"bodies\":[{\"sphere\":{\"center\":[0,0,0],\"radius\":1},\"clip\":\"x\"}]}", "\"clip\" goes with \"mesh\"" },
        { "{\"bodies\":[{\"sphere\":{\"center\":[0,0,0],\"radius\":1},\"keys\":[]}]}", "keys of body 1 must be a list" },
        { "{\"bodies\":[{\"sphere\":{\"center\":[0,0,0],\"radius\":1},\"keys\":[{\"time\":1},{\"time\":1}]}]}",
          "key 2 of body 1: time 1 is not after 1" },
        { "{\"bodies\":[{\"sphere\":{\"center\":[0,0,0],\"radius\":1},\"keys\":[{\"time\":0,\"turn\":[1,2,0,0]}]}]}",
          "key 1: \"turn\" must be" },
        { "{\"bodies\":[{\"sphere\":{\"center\":[0,0,0],\"radius\":1},\"keys\":[{\"time\":0,\"value\":1}]}]}",
          "\"value\" is not known; there are: time, move, turn, step" },
        { "{\"bodies\":[{\"sphere\":{\"center\":[0,0,0],\"radius\":1},\"keys\":[{\"time\":0,\"step\":1}]}]}",
          "\"step\" must be true or false" },
        { "{\"forces\":[{}]}", "force 1: give one of \"bone\", \"at\", \"curve\", \"region\"" },
        { "{\"forces\":[{\"bone\":\"joint0\",\"curve\":1}]}", "give one of" },
        { "{\"forces\":[{\"bone\":\"joint0\",\"value\":[0,0,0]}]}", "\"radius\" must be a number" },
        { "{\"forces\":[{\"bone\":\"joint0\",\"radius\":1}]}", "there is no \"value\" in newtons" },
        { "{\"forces\":[{\"bone\":\"joint0\",\"radius\":1,\"ratio\":2,\"value\":[0,0,0]}]}",
          "\"ratio\" must be a number from 0 to 1" },
        { "{\"forces\":[{\"bone\":\"joint0\",\"radius\":1,\"from\":0,\"value\":[0,0,0]}]}", "\"from\" is not known" },
        { "{\"forces\":[{\"curve\":-1,\"value\":[0,0,0]}]}", "\"curve\" must be its number" },
        { "{\"forces\":[{\"curve\":1,\"from\":0.5,\"to\":0.5,\"value\":[0,0,0]}]}", "\"to\" must be greater" },
        { "{\"forces\":[{\"curve\":1,\"from\":0.5,\"to\":0.6,\"ratio\":1,\"value\":[0,0,0]}]}", "not both" },
        { "{\"forces\":[{\"curve\":1,\"local\":true,\"value\":[0,0,0]}]}", "\"local\" needs a joint" },
        { "{\"forces\":[{\"region\":\"belly\",\"value\":[0,0,0]}]}", "'tube' has no map 'belly'; give one with --map" },
        { "{\"forces\":[{\"curve\":1,\"value\":[0,0,1],\"keys\":[{\"time\":0,\"value\":[0,0,1]}]}]}",
          "key 1: \"value\" must be a number that multiplies" },
        { "{\"forces\":[{\"curve\":1,\"keys\":[{\"time\":0,\"value\":1}]}]}",
          "key 1: \"value\" must be three numbers, in newtons" },
        { "{\"forces\":[{\"curve\":1,\"value\":[0,0,1e300]}]}", "\"value\" has a number beyond 1e9, in newtons" },
        { "{\"muscles\":[]}", "\"muscles\": must be" },
        { "{\"muscles\":{\"elbow*\":1}}", "muscle 'elbow*': no joint of 'tube' has such a name" },
        { "{\"muscles\":{\"joint0\":1.5}}", "an activation is a number from 0 to 1" },
        { "{\"muscles\":{\"joint0\":[]}}", "keys of muscle 'joint0' must be a list" },
    };
    for (uint32_t i = 0; i < SUP_COUNT_OF(wrong); ++i) assert_refused(chain_of(wrong[i][0]), wrong[i][1]);
    sup_chain_desc d = chain_of("{\"bodies\":[{\"sphere\":{\"center\":[0,0,0],\"radius\":1}}]}");
    sup_json*      center = sup_json_get(sup_json_get(sup_json_get(d.world, "bodies")->first, "sphere"), "center")->first;
    center->number = NAN; // a tree made by a host
    assert_refused(d, "\"center\" must be three numbers");
    d = chain_of("{\"bodies\":[{\"mesh\":\"m\",\"clip\":\"walk\"}]}");
    sup_world_mesh mesh = { "m", the_tube };
    d.world_meshes = &mesh;
    d.world_mesh_count = 1;
    assert_refused(d, "'m' has no clip 'walk'; there are: bend");
}

static void a_repeated_member_counts_once(void** state)
{
    (void)state;
    play p =
        play_of(chain_of("{\"keys\":{\"gravity\":[{\"time\":0,\"value\":[0,1,0]}],\"wind\":[{\"time\":0,\"value\":[0,1,0]}]},"
                         "\"keys\":{\"gravity\":[{\"time\":0,\"value\":[0,3,0]}]},\"bodies\":[],\"bodies\":[]}"));
    play_hash(&p, 0);
    assert_near(seen.world.gravity, 0, 3, 0);
    assert_near(seen.world.wind, 0, 0, 0);
    play_end(&p);
}

static void failing_memory_is_an_error_and_nothing_leaks(void** state)
{
    (void)state;
    sup_world_mesh mesh = { "m", the_tube };
    sup_chain_desc d =
        chain_of("{\"bodies\":[{\"mesh\":\"m\",\"clip\":\"bend\",\"keys\":[{\"time\":0}]}],\"muscles\":{\"*\":1},"
                 "\"forces\":[{\"name\":\"f\",\"curve\":1,\"keys\":[{\"time\":0,\"value\":[0,0,1]}]}]}");
    d.world_meshes = &mesh;
    d.world_mesh_count = 1;
    for (test_starved s = { 0 }; test_starve(&s);) {
        sup_error     error = { 0 };
        sup_chain*    chain = NULL;
        sup_instance* instance = NULL;
        d.allocator = &s.memory.allocator;
        s.result = sup_chain_create(&d, &chain, &error);
        if (!s.result) {
            sup_instance_desc i = { .chain = chain, .clip = d.clip, .allocator = d.allocator };
            s.result = sup_instance_create(&i, &instance, &error);
        }
        sup_instance_destroy(instance);
        sup_chain_destroy(chain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_world_there_is_only_gravity),
        cmocka_unit_test(a_keyed_body_is_where_it_comes_from_and_where_it_goes),
        cmocka_unit_test(the_world_stands_still_while_the_first_pose_is_held),
        cmocka_unit_test(a_body_on_a_joint_rides_with_its_skin_matrix),
        cmocka_unit_test(a_body_turns_about_its_middle_or_a_given_pivot),
        cmocka_unit_test(a_step_key_jumps),
        cmocka_unit_test(a_mesh_body_comes_in_the_characters_units),
        cmocka_unit_test(a_second_character_brings_its_own_motion),
        cmocka_unit_test(units_of_the_character_count),
        cmocka_unit_test(a_force_on_a_bone_ramps_and_turns_with_it),
        cmocka_unit_test(forces_on_curves_and_regions_say_where),
        cmocka_unit_test(muscles_follow_globs_and_keys_and_the_last_one_wins),
        cmocka_unit_test(binding_sees_the_whole_history),
        cmocka_unit_test(links_asked_ahead_answer_with_the_keys_of_that_time),
        cmocka_unit_test(a_loop_takes_its_bodies_back_to_the_start),
        cmocka_unit_test(a_live_host_sees_the_world_of_its_own_time),
        cmocka_unit_test(wrong_bodies_forces_and_muscles_are_refused_by_name),
        cmocka_unit_test(a_repeated_member_counts_once),
        cmocka_unit_test(failing_memory_is_an_error_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

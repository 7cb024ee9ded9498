// Tissue on a cage, and the skin that rides on it.
#include "bent.h"

#include "deform/layers/layers.h"
#include "supple/metrics.h"

enum { CAGE = 300 };
#define ON_CAGE "layers(cage=300)"

static play flexed(const sup_character* c, const char* links, const sup_tasks* tasks)
{
    const sup_clip* clip = sup_character_clip(c, "flex");
    return play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = links, .tasks = tasks },
                      (sup_instance_desc){ .clip = clip, .preroll = -1, .tasks = tasks });
}

static void held_at_rest_nothing_moves(void** state)
{
    (void)state;
    sup_character* c = test_builtin("arm", 1000);
    bent           b = bent_by(c, ON_CAGE, NULL);
    assert_true(most_moved(&b, 0.3, NULL) < 1e-3 * (double)c->mesh.diagonal);
    bent_end(&b);
    sup_character_destroy(c);
}

// The mesh that simulates itself is the reference: the cage affects the skin in the same way.
static void a_bent_elbow_goes_where_the_mesh_by_itself_goes(void** state)
{
    (void)state;
    sup_character* c = test_builtin("arm", 1000);
    play           on_cage = flexed(c, "layers(cage=800)", NULL), on_mesh = flexed(c, "layers(cage=mesh)", NULL),
         plain = flexed(c, "linear", NULL);
    play_hash(&on_cage, 1);
    play_hash(&on_mesh, 1);
    play_hash(&plain, 1);
    double both = 0, cage = 0, mesh = 0;
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        sup_vec3 a = v3_sub(on_cage.out[p], plain.out[p]), b = v3_sub(on_mesh.out[p], plain.out[p]);
        both += (double)v3_dot(a, b), cage += (double)v3_length2(a), mesh += (double)v3_length2(b);
    }
    print_message("correlation %g, %g times as far\n", both / sqrt(cage * mesh), sqrt(cage / mesh));
    assert_true(both > 0.8 * sqrt(cage * mesh));
    // With rings that count in full: 2 times. A cage also rounds the crease, and keeps apart what rides on it.
    assert_true(fabs(sqrt(cage / mesh) - 1) < 0.32);
    play_end(&on_cage), play_end(&on_mesh), play_end(&plain);
    sup_character_destroy(c);
}

typedef struct worst {
    uint32_t crossings;
    double   stretch;
} worst;

static worst worst_of(const sup_character* c, const char* links, double from, double to)
{
    const sup_clip* clip = sup_character_clip(c, "jump");
    play            p = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = links },
                                   (sup_instance_desc){ .clip = clip, .start = from, .end = to, .preroll = -1 });
    sup_meter*      meter = NULL;
    sup_error       error;
    assert_ok(sup_meter_create(c, NULL, &meter, &error), error);
    void* scratch = play_memory(sup_meter_scratch(meter));
    worst w = { 0 };
    for (double t = from; t <= to; t += 0.05) {
        play_hash(&p, t);
        uint32_t crossings = sup_meter_intersections(meter, p.out, scratch, NULL, NULL, 0);
        double   stretch = sup_meter_stretch(meter, p.out, NULL);
        w.crossings = crossings > w.crossings ? crossings : w.crossings;
        w.stretch = stretch > w.stretch ? stretch : w.stretch;
    }
    free(scratch);
    sup_meter_destroy(meter);
    play_end(&p);
    return w;
}

// Crouching, legs fold farther than linear skinning can: the skin that rides on a cage neither keeps its folds, nor crosses
// itself where the cage does not.
static void a_crouch_is_no_knot(void** state)
{
    (void)state;
    sup_character* c = test_builtin("beast", 3000);
    worst          plain = worst_of(c, "linear", 0.2, 0.5), caged = worst_of(c, "layers(cage=1000)", 0.2, 0.5);
    print_message("crossings %u, linear %u; stretch %g, linear %g\n", caged.crossings, plain.crossings, caged.stretch,
                  plain.stretch);
    assert_true(plain.crossings > 100);
    assert_true(4 * caged.crossings < plain.crossings);
    assert_true(caged.stretch < 8);
    sup_character_destroy(c);
}

static void the_same_bits_for_any_workers_and_after_seeking(void** state)
{
    (void)state;
    sup_character* c = test_builtin("arm", 600);
    sup_pool*      pool = sup_pool_create(3);
    play           one = flexed(c, ON_CAGE, NULL), many = flexed(c, ON_CAGE, sup_pool_tasks(pool));
    uint64_t       early = play_hash(&one, 0.2), late = play_hash(&one, 0.4);
    assert_true(play_hash(&many, 0.4) == late);
    assert_true(play_hash(&many, 0.2) == early);
    assert_true(play_hash(&one, 0.2) == early);
    play_end(&one), play_end(&many);
    sup_pool_destroy(pool);
    sup_character_destroy(c);
}

// Flesh that cannot move far from its bone, only on the forearm: there it moves less, elsewhere as before.
static void bone_values_reach_the_cage(void** state)
{
    (void)state;
    sup_character*  c = test_builtin("arm", 600);
    const char*     setting = "layers.tether@forearm=0.05";
    play            plain = flexed(c, "linear", NULL), free_one = flexed(c, ON_CAGE, NULL);
    const sup_clip* clip = sup_character_clip(c, "flex");
    play            tied =
        play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = ON_CAGE, .settings = &setting, .setting_count = 1 },
                   (sup_instance_desc){ .clip = clip, .preroll = -1 });
    play_hash(&plain, 0.8);
    play_hash(&free_one, 0.8);
    play_hash(&tied, 0.8);
    double   moved[2] = { 0 }, counts[2] = { 0 };
    uint32_t forearm = sup_character_joint(c, "forearm");
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        int on = c->weights.joints[c->weights.begin[p]] == forearm;
        moved[on] += (double)v3_distance(tied.out[p], free_one.out[p]);
        counts[on] += 1;
    }
    assert_true(moved[1] / counts[1] > 3 * moved[0] / counts[0]);
    assert_true(moved[1] > 0);
    play_end(&plain), play_end(&free_one), play_end(&tied);
    sup_character_destroy(c);
}

static void a_push_and_a_ball_reach_the_skin(void** state)
{
    (void)state;
    sup_character* c = test_builtin("arm", 600);
    const char*    push =
        "{\"gravity\":[0,0,0],\"forces\":[{\"name\":\"poke\",\"bone\":\"forearm\",\"radius\":0.1,\"value\":[0,40,0]}]}";
    bent b = bent_by(c, ON_CAGE, push);
    assert_true(most_moved(&b, 0.3, NULL) > 1e-3);
    bent_end(&b);
    const sup_bone* bone = &c->skeleton.bones[1];
    sup_vec3        middle = v3_lerp(bone->head, bone->tail, 0.5f);
    char            ball[256];
    sup_format(ball, sizeof ball,
               "{\"gravity\":[0,0,0],\"bodies\":[{\"name\":\"ball\",\"sphere\":{\"center\":[%g,%g,%g],\"radius\":0.05}}]}",
               (double)middle.x, (double)middle.y + 0.09, (double)middle.z);
    b = bent_by(c, ON_CAGE, ball);
    assert_true(most_moved(&b, 0.3, NULL) > 1e-3);
    bent_end(&b);
    sup_character_destroy(c);
}

static void what_is_no_cage_is_said(void** state)
{
    (void)state;
    sup_character* c = test_builtin("arm", 600);
    fails_with(c, "layers(cage=12)", NULL,
               "layers.cage: '12' is neither 'auto' nor 'mesh' nor a number of points from 200 to 20000");
    fails_with(c, "layers(cage=skin)", NULL, "'skin' is neither");
    sup_character_destroy(c);
}

static bool notes_a_cage(const sup_character* c, const char* links)
{
    play p = play_chain((sup_chain_desc){ .character = c, .links = links }, (sup_instance_desc){ .preroll = 0 });
    bool said = false;
    for (uint32_t i = 0; i < sup_chain_note_count(p.chain); ++i)
        said |= strstr(sup_chain_note(p.chain, i), "a cage of") != NULL;
    play_end(&p);
    return said;
}

// Two arms through each other, with more points than a cage would have.
static void by_itself_a_cage_is_taken_where_pieces_pass_through_each_other(void** state)
{
    (void)state;
    sup_character* clean = test_builtin("arm", 1700);
    assert_false(notes_a_cage(clean, "layers"));
    sup_character spoilt = *clean;
    uint32_t      n = clean->mesh.point_count, t = clean->mesh.triangle_count;
    sup_arena*    arena = sup_arena_create(NULL);
    sup_vec3*     points = SUP_NEW(arena, sup_vec3, 2 * n);
    uint32_t*     triangles = SUP_NEW(arena, uint32_t, 6 * (size_t)t);
    uint32_t*     begin = SUP_NEW(arena, uint32_t, 2 * (size_t)n + 1);
    uint32_t*     joints = SUP_NEW(arena, uint32_t, 2 * (size_t)clean->weights.begin[n]);
    float*        values = SUP_NEW(arena, float, 2 * (size_t)clean->weights.begin[n]);
    for (uint32_t p = 0; p < 2 * n; ++p) {
        points[p] = v3_add(clean->mesh.points[p % n], p < n ? v3(0, 0, 0) : v3(0, 0.03f, 0.004f));
        begin[p + 1] = clean->weights.begin[p % n + 1] + (p < n ? 0 : clean->weights.begin[n]);
    }
    for (uint32_t i = 0; i < 6 * t; ++i) triangles[i] = clean->mesh.triangles[i % (3 * t)] + (i < 3 * t ? 0 : n);
    for (uint32_t i = 0; i < begin[2 * n]; ++i) {
        joints[i] = clean->weights.joints[i % clean->weights.begin[n]];
        values[i] = clean->weights.values[i % clean->weights.begin[n]];
    }
    spoilt.mesh.point_count = 2 * n, spoilt.mesh.points = points;
    spoilt.mesh.triangle_count = 2 * t, spoilt.mesh.triangles = triangles;
    spoilt.weights.begin = begin, spoilt.weights.joints = joints, spoilt.weights.values = values;
    assert_true(notes_a_cage(&spoilt, "layers"));
    assert_false(notes_a_cage(&spoilt, "layers(cage=mesh)"));
    sup_arena_destroy(arena);
    sup_character_destroy(clean);
}

// An arm has no limbs that meet: its mesh costs as much as that of a body with half as many points.
static void by_itself_a_cage_is_taken_where_the_mesh_costs_too_much(void** state)
{
    (void)state;
    static const struct {
        const char* name;
        uint32_t    points;
        bool        caged;
    } of[] = { { "arm", 3900, false }, { "arm", 5000, true }, { "beast", 2500, false }, { "beast", 3600, true } };
    for (size_t i = 0; i < SUP_COUNT_OF(of); ++i) {
        sup_character* c = test_builtin(of[i].name, of[i].points);
        assert_int_equal(notes_a_cage(c, "layers"), of[i].caged);
        assert_false(notes_a_cage(c, "layers(cage=mesh)"));
        sup_character_destroy(c);
    }
}

static void count_line(void* user, const char* what, sup_vec3 a, sup_vec3 b, float value)
{
    (void)user, (void)what, (void)a, (void)b, (void)value;
}
static void count_point(void* user, const char* what, sup_vec3 at, float value)
{
    (void)user, (void)what, (void)at, (void)value;
}
static void count_triangle(void* user, const char* what, sup_vec3 a, sup_vec3 b, sup_vec3 c, float value)
{
    (void)value;
    assert_true(v3_finite(a) && v3_finite(b) && v3_finite(c));
    *(uint32_t*)user += strcmp(what, "cage") == 0;
}

static void it_can_be_shown(void** state)
{
    (void)state;
    sup_character* c = test_builtin("arm", 600);
    play           p = flexed(c, ON_CAGE, NULL);
    uint32_t       count = 0;
    play_hash(&p, 0.1);
    assert_true(sup_instance_draw(p.instance, sup_chain_link_count(p.chain) - 1, p.out,
                                  &(sup_canvas){ count_line, count_point, count_triangle, &count }));
    assert_in_range(count, 2 * CAGE - 20, 2 * CAGE);
    play_end(&p);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(held_at_rest_nothing_moves),
        cmocka_unit_test(a_bent_elbow_goes_where_the_mesh_by_itself_goes),
        cmocka_unit_test(a_crouch_is_no_knot),
        cmocka_unit_test(the_same_bits_for_any_workers_and_after_seeking),
        cmocka_unit_test(bone_values_reach_the_cage),
        cmocka_unit_test(a_push_and_a_ball_reach_the_skin),
        cmocka_unit_test(what_is_no_cage_is_said),
        cmocka_unit_test(by_itself_a_cage_is_taken_where_pieces_pass_through_each_other),
        cmocka_unit_test(by_itself_a_cage_is_taken_where_the_mesh_costs_too_much),
        cmocka_unit_test(it_can_be_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

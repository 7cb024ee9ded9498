#include "play.h"

#include "supple/metrics.h"

#include <math.h>

// A flat grid of n x n points in the plane y = 0, spacing 1, one rigid joint.
static sup_character* grid(uint32_t n)
{
    sup_vec3* points = calloc((size_t)n * n, sizeof *points);
    uint32_t *sizes = calloc((size_t)n * n, sizeof *sizes), *corners = calloc((size_t)n * n * 4, sizeof *corners), faces = 0,
             c = 0;
    for (uint32_t i = 0; i < n * n; ++i) points[i] = v3((float)(i % n), 0, (float)(i / n));
    for (uint32_t z = 0; z + 1 < n; ++z)
        for (uint32_t x = 0; x + 1 < n; ++x) {
            uint32_t a = z * n + x, quad[] = { a, a + n, a + n + 1, a + 1 };
            memcpy(corners + c, quad, sizeof quad);
            c += 4;
            sizes[faces++] = 4;
        }
    sup_part_desc      part = { .name = "grid",
                                .vertex_count = n * n,
                                .positions = points,
                                .face_count = faces,
                                .face_sizes = sizes,
                                .corners = corners,
                                .joint = SUP_NONE,
                                .source_id = SUP_NONE };
    sup_character_desc desc = { .name = "grid", .part_count = 1, .parts = &part, .metres_per_unit = 1 };
    sup_character*     out = test_character(&desc);
    free(points), free(sizes), free(corners);
    return out;
}

// The grid again, its points numbered by `number`.
static sup_character* renumbered(const sup_character* c, const uint32_t* number)
{
    uint32_t  count = c->mesh.point_count;
    sup_vec3* points = calloc(count, sizeof *points);
    uint32_t* sizes = calloc(c->mesh.face_count, sizeof *sizes);
    uint32_t* corners = calloc(c->mesh.corner_count, sizeof *corners);
    for (uint32_t i = 0; i < count; ++i) points[number[i]] = c->mesh.points[i];
    for (uint32_t f = 0; f < c->mesh.face_count; ++f) sizes[f] = c->mesh.face_begin[f + 1] - c->mesh.face_begin[f];
    for (uint32_t k = 0; k < c->mesh.corner_count; ++k) corners[k] = number[c->mesh.corner_points[k]];
    sup_part_desc      part = { .name = "grid",
                                .vertex_count = count,
                                .positions = points,
                                .face_count = c->mesh.face_count,
                                .face_sizes = sizes,
                                .corners = corners,
                                .joint = SUP_NONE,
                                .source_id = SUP_NONE };
    sup_character_desc desc = { .name = "grid", .part_count = 1, .parts = &part, .metres_per_unit = 1 };
    sup_character*     out = test_character(&desc);
    free(points), free(sizes), free(corners);
    return out;
}

// The same again with every face twice, the second time turned around: a sheet whose two sides share their points.
static sup_character* two_sided(const sup_character* c)
{
    uint32_t  faces = c->mesh.face_count, all = c->mesh.corner_count;
    uint32_t* sizes = calloc(2 * (size_t)faces, sizeof *sizes);
    uint32_t* corners = calloc(2 * (size_t)all, sizeof *corners);
    for (uint32_t f = 0; f < 2 * faces; ++f) sizes[f] = c->mesh.face_begin[f % faces + 1] - c->mesh.face_begin[f % faces];
    memcpy(corners, c->mesh.corner_points, all * sizeof *corners);
    for (uint32_t f = 0; f < faces; ++f)
        for (uint32_t k = c->mesh.face_begin[f], last = c->mesh.face_begin[f + 1] - 1; k <= last; ++k)
            corners[all + k] = c->mesh.corner_points[last - (k - c->mesh.face_begin[f])];
    sup_part_desc      part = { .name = "sheet",
                                .vertex_count = c->mesh.point_count,
                                .positions = c->mesh.points,
                                .face_count = 2 * faces,
                                .face_sizes = sizes,
                                .corners = corners,
                                .joint = SUP_NONE,
                                .source_id = SUP_NONE };
    sup_character_desc desc = { .name = "sheet", .part_count = 1, .parts = &part, .metres_per_unit = 1 };
    sup_character*     out = test_character(&desc);
    free(sizes), free(corners);
    return out;
}

// Lifts point 60 (the middle of an 11 x 11 grid) by 1.
static void poke_evaluate(const sup_binding* binding, const void* params, const sup_frame* frame, void* state, void* scratch,
                          sup_vec3* out)
{
    (void)params, (void)state, (void)scratch;
    memcpy(out, frame->points, *(const uint32_t*)binding->data * sizeof *out);
    out[60].y += 1;
}

static const sup_deformer poke = {
    .name = "poke", .summary = "Lifts one point", .paper = "-", .bind = shift_bind, .evaluate = poke_evaluate
};
static const sup_deformer* const pokes[] = { &poke };

static play poked(const sup_character* c, const char* links)
{
    play p = play_chain((sup_chain_desc){ .character = c, .links = links, .extra = pokes, .extra_count = 1 },
                        (sup_instance_desc){ .end = 0 });
    play_hash(&p, 0);
    return p;
}

static void one_full_step_gives_a_spike_to_its_neighbors(void** state)
{
    (void)state;
    // The middle becomes the mean of its four flat neighbors, 0; each neighbor the mean of the spike and three zeros, 1/4.
    sup_character* c = grid(11);
    play           p = poked(c, "poke,smooth(iterations=1,step=1)");
    assert_float_equal(p.out[60].y, 0, 1e-6f);
    const uint32_t neighbors[] = { 59, 61, 49, 71 };
    for (int i = 0; i < 4; ++i) assert_float_equal(p.out[neighbors[i]].y, 0.25f, 1e-6f);
    assert_float_equal(p.out[48].y, 0, 1e-6f); // across the corner: no edge
    play_end(&p);
    sup_character_destroy(c);
}

static void no_iterations_and_no_strength_change_nothing(void** state)
{
    (void)state;
    sup_character* c = grid(11);
    play none = poked(c, "poke"), zero = poked(c, "poke,smooth(iterations=0)"), weak = poked(c, "poke,smooth(strength=0)");
    for (uint32_t i = 0; i < none.points; ++i) {
        assert_true(v3_distance(none.out[i], zero.out[i]) < 1e-6f);
        assert_true(v3_distance(none.out[i], weak.out[i]) == 0);
    }
    play_end(&none), play_end(&zero), play_end(&weak);
    sup_character_destroy(c);
}

static void pinned_borders_stay_and_free_ones_shrink_back_to_rest(void** state)
{
    (void)state;
    sup_character* c = grid(11);
    play           pinned = poked(c, "smooth(iterations=20)"), loose = poked(c, "smooth(iterations=20,pin_borders=off)");
    for (uint32_t i = 0; i < pinned.points; ++i) {
        assert_true(v3_distance(pinned.out[i], c->mesh.points[i]) < 1e-5f);
        assert_true(v3_distance(loose.out[i], c->mesh.points[i]) < 1e-5f); // the detail brings the border back
    }
    play_end(&pinned), play_end(&loose);
    sup_character_destroy(c);
}

static void the_numbering_of_points_does_not_matter(void** state)
{
    (void)state;
    // 2209 points: three chunks, and point 60 keeps its number so that the same one is lifted.
    enum { SIDE = 47, COUNT = SIDE * SIDE };
    static uint32_t number[COUNT];
    for (uint32_t i = 0; i < COUNT; ++i) number[i] = (uint32_t)((uint64_t)i * 1000 % COUNT);
    for (uint32_t i = 0; i < COUNT; ++i)
        if (number[i] == 60) number[i] = number[60], number[60] = 60;
    sup_character *c = grid(SIDE), *d = renumbered(c, number);
    play           a = poked(c, "poke,smooth(iterations=7)"), b = poked(d, "poke,smooth(iterations=7)");
    for (uint32_t i = 0; i < COUNT; ++i) assert_true(v3_distance(a.out[i], b.out[number[i]]) < 1e-5f);
    assert_true(a.out[60 + SIDE].y > 0.01f);
    play_end(&a), play_end(&b);
    sup_character_destroy(c), sup_character_destroy(d);
}

static void both_sides_of_a_sheet_are_smoothed_as_one(void** state)
{
    (void)state;
    sup_character *c = grid(11), *d = two_sided(c);
    play           a = poked(c, "poke,smooth(iterations=7)"), b = poked(d, "poke,smooth(iterations=7)");
    assert_memory_equal(a.out, b.out, a.points * sizeof *a.out);
    play_end(&a), play_end(&b);
    sup_character_destroy(c), sup_character_destroy(d);
}

static void half_the_strength_goes_half_the_way(void** state)
{
    (void)state;
    sup_character* c = grid(11);
    play           p = poked(c, "poke,smooth(iterations=1,step=1,strength=0.5)");
    assert_float_equal(p.out[60].y, 0.5f, 1e-6f);   // from 1 to 0
    assert_float_equal(p.out[61].y, 0.125f, 1e-6f); // from 0 to 1/4
    play_end(&p);
    sup_character_destroy(c);
}

static double roughness(const sup_character* c, const char* links)
{
    sup_meter* meter = NULL;
    sup_error  error;
    assert_ok(sup_meter_create(c, NULL, &meter, &error), error);
    play p = play_chain((sup_chain_desc){ .character = c, .links = links }, (sup_instance_desc){ .clip = &c->clips[0] });
    play_hash(&p, 1);
    double r = sup_meter_roughness(meter, p.out, NULL);
    play_end(&p);
    sup_meter_destroy(meter);
    return r;
}

// The tube with every point on only its dominant joint: a limb of stiff pieces that crease where they meet.
static sup_character* stiff(const sup_character* c)
{
    uint32_t* sizes = calloc(c->mesh.face_count, sizeof *sizes);
    uint32_t* joints = calloc(c->mesh.point_count, sizeof *joints);
    float*    weights = calloc(c->mesh.point_count, sizeof *weights);
    for (uint32_t f = 0; f < c->mesh.face_count; ++f) sizes[f] = c->mesh.face_begin[f + 1] - c->mesh.face_begin[f];
    for (uint32_t i = 0; i < c->mesh.point_count; ++i) {
        joints[i] = c->weights.joints[c->weights.begin[i]];
        weights[i] = 1;
    }
    sup_part_desc  part = { .name = "stiff",
                            .vertex_count = c->mesh.point_count,
                            .positions = c->mesh.points,
                            .face_count = c->mesh.face_count,
                            .face_sizes = sizes,
                            .corners = c->mesh.corner_vertices,
                            .width = 1,
                            .joints = joints,
                            .weights = weights,
                            .joint = SUP_NONE,
                            .source_id = SUP_NONE };
    sup_character* out = test_character_with(c, &part);
    free(sizes), free(joints), free(weights);
    return out;
}

static void the_crease_between_stiff_pieces_is_ironed(void** state)
{
    (void)state;
    sup_character *tube = test_tube(61, 16, 3, 1.0f, 0.1f), *c = stiff(tube);
    double         before = roughness(c, "linear"), after = roughness(c, "smooth(iterations=30)");
    print_message("roughness: stiff %.2f, with smooth %.2f\n", before, after);
    assert_true(after < 0.35 * before);
    sup_character_destroy(c);
    sup_character_destroy(tube);
}

static void detail_turns_with_the_limb(void** state)
{
    (void)state;
    // Far from the joint a limb only rotates: what smoothing takes from its rest shape must come back rotated.
    sup_character* c = test_tube(41, 8, 2, 1.0f, 0.1f);
    play           linear =
        play_chain((sup_chain_desc){ .character = c, .links = "linear" }, (sup_instance_desc){ .clip = &c->clips[0] });
    play smooth = play_chain((sup_chain_desc){ .character = c, .links = "smooth(iterations=5)" },
                             (sup_instance_desc){ .clip = &c->clips[0] });
    play_hash(&linear, 1), play_hash(&smooth, 1);
    uint32_t compared = 0;
    for (uint32_t i = 0; i < linear.points; ++i) {
        if (c->mesh.points[i].x < 0.95f) continue;
        assert_true(v3_distance(linear.out[i], smooth.out[i]) < 1e-5f);
        ++compared;
    }
    assert_true(compared > 8);
    play_end(&linear), play_end(&smooth);
    sup_character_destroy(c);
}

static void a_pole_of_a_hundred_faces_turns_with_the_limb(void** state)
{
    (void)state;
    // The caps of this tube are fans of 100 triangles: more than are chained, and a valence without a loop of its own.
    sup_character* c = test_tube(9, 100, 2, 1.0f, 0.2f);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_error      error;
    sup_pose       pose;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    pose.local[0].rotation = quat_normalize(quat(0.3f, -0.5f, 0.2f, 0.7f));
    sup_pose_update(c, &pose);
    play turned = play_chain((sup_chain_desc){ .character = c, .links = "linear" }, (sup_instance_desc){ .pose = &pose });
    play p =
        play_chain((sup_chain_desc){ .character = c, .links = "smooth(iterations=3)" }, (sup_instance_desc){ .pose = &pose });
    play_hash(&turned, 0), play_hash(&p, 0);
    assert_int_equal(p.stats.count, 0);
    for (uint32_t i = 0; i < p.points; ++i) assert_true(v3_distance(p.out[i], turned.out[i]) < 1e-5f);
    play_end(&turned), play_end(&p);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void a_collapsed_skin_keeps_what_came_in_and_is_counted(void** state)
{
    (void)state;
    sup_character* c = test_tube(8, 6, 2, 1.0f, 0.1f);
    sup_arena*     arena = sup_arena_create(NULL);
    sup_error      error;
    sup_pose       pose;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    sup_pose_rest(c, &pose);
    pose.local[0].scale = v3(0, 0, 0);
    sup_pose_update(c, &pose);
    play p = play_chain((sup_chain_desc){ .character = c, .links = "smooth" }, (sup_instance_desc){ .pose = &pose });
    play_hash(&p, 0);
    for (uint32_t i = 0; i < p.points; ++i) assert_true(v3_length(p.out[i]) < 1e-6f);
    assert_string_equal(p.stats.items[0].name, "smooth.no_frame");
    assert_int_equal(p.stats.items[0].times, p.points);
    play_end(&p);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_full_step_gives_a_spike_to_its_neighbors),
        cmocka_unit_test(no_iterations_and_no_strength_change_nothing),
        cmocka_unit_test(pinned_borders_stay_and_free_ones_shrink_back_to_rest),
        cmocka_unit_test(the_numbering_of_points_does_not_matter),
        cmocka_unit_test(both_sides_of_a_sheet_are_smoothed_as_one),
        cmocka_unit_test(half_the_strength_goes_half_the_way),
        cmocka_unit_test(a_pole_of_a_hundred_faces_turns_with_the_limb),
        cmocka_unit_test(the_crease_between_stiff_pieces_is_ironed),
        cmocka_unit_test(detail_turns_with_the_limb),
        cmocka_unit_test(a_collapsed_skin_keeps_what_came_in_and_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

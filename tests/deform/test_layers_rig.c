// What rigs bring to `layers`: the paper's presets, bad weights in files, and depths where bones meet.
#include "spoilt_arm.h"
#include "supple/io.h"

// ---------------------------------------------------------------------------------------------- presets

// Table 1 of Deul and Bender 2013. Its stiffness counts for the iterations of the model: 20 for the Arm, 15 for the others;
// ours means the same at any number of them, so theirs is worth 15/20.
static void presets_are_those_of_the_papers_table(void** state)
{
    (void)state;
    static const struct {
        const char* name;
        double      iterations, depths[3], stiffness[4];
    } table[] = {
        { "arm", 20, { 0.15, 0.45, 0.8 }, { 0.8, 0.6, 0.7, 0.8 } },
        { "hand", 15, { 0.1, 0.5, 0.8 }, { 0.8, 0.8, 0.9, 0.9 } },
        { "big_man", 15, { 0.25, 0.55, 0.8 }, { 0.7, 0.6, 0.9, 0.95 } },
    };
    static const char* const rows[7] = { "project_fat",   "project_muscle",   "project_bone",  "stiffness_skin",
                                         "stiffness_fat", "stiffness_muscle", "stiffness_bone" };
    const sup_preset*        p = sup_deformer_find("layers")->presets;
    for (size_t i = 0; i < SUP_COUNT_OF(table); ++i, ++p) {
        assert_string_equal(p->name, table[i].name);
        for (int k = 0; k < 7; ++k) {
            double wanted = k < 3 ? table[i].depths[k] : table[i].stiffness[k - 3] * table[i].iterations / 20;
            assert_string_equal(p->values[k][0], rows[k]);
            assert_true(fabs(strtod(p->values[k][1], NULL) - wanted) < 1e-9);
        }
        assert_null(p->values[7][0]); // nothing else
    }
    assert_null(p->name);
    const sup_param* params = sup_deformer_find("layers")->params; // the Arm is also where all sliders stand at first
    for (int k = 0; k < 7; ++k) {
        const sup_param* q = params;
        while (strcmp(q->name, rows[k]) != 0) ++q;
        assert_true(fabs(q->standard - (k < 3 ? table[0].depths[k] : table[0].stiffness[k - 3])) < 1e-9);
    }
}

// ---------------------------------------------------------------------------------------------- weights

/// The elbow's arm with other weights: `spoil` gets each point's pair to change.
static sup_character* arm_with_weights(void (*spoil)(uint32_t point, float* two))
{
    sup_character* c = elbow_make(90, 0.3, 1);
    stuff          s = stuff_of(elbow_make(90, 0.3, 1));
    s.clip = c->clips;
    for (uint32_t p = 0; p < s.points; ++p) spoil(p, s.weights + 2 * p);
    sup_character* out = stuff_character(&s);
    stuff_free(&s);
    sup_character_destroy(c);
    return out;
}

static void leave(uint32_t point, float* two) { (void)point, (void)two; }

static void halve_some(uint32_t point, float* two)
{
    float factor = point % 3 == 0 ? 0.5f : point % 3 == 1 ? 1.75f : 1;
    two[0] *= factor, two[1] *= factor;
}

// Every seventh point of the bend, and a patch of the forearm.
static void forget_some(uint32_t point, float* two)
{
    if (point % 7 == 0 || (point > 900 && point < 930)) two[0] = two[1] = 0;
}

/// Largest distance between two arms that bend, from a to b.
static double bent_apart(sup_character* a, sup_character* b)
{
    elbow  p = elbow_begin(a, "bend", "layers", NULL), q = elbow_begin(b, "bend", "layers", NULL);
    double worst = 0;
    play_hash(&p.play, 0.4), play_hash(&q.play, 0.4);
    for (uint32_t i = 0; i < p.play.points; ++i) {
        assert_true(v3_finite(q.play.out[i]));
        worst = fmax(worst, (double)v3_distance(p.play.out[i], q.play.out[i]));
    }
    assert_int_equal(elbow_measure(&q, "elbow").crossings, 0);
    elbow_end(&p), elbow_end(&q);
    return worst;
}

static void weights_that_sum_to_anything_bend_like_those_that_sum_to_1(void** state)
{
    (void)state;
    sup_character* c = arm_with_weights(halve_some);
    assert_true(test_warned(c, "sum to 1.75 at most; normalized") && test_warned(c, "sum to 0.5 at least; normalized"));
    double worst = bent_apart(arm_with_weights(leave), c);
    print_message("sums of 0.5 to 1.75: %.4f mm apart\n", 1000 * worst);
    assert_true(worst < 1e-4);
}

static void points_without_weights_bend_with_their_neighbors(void** state)
{
    (void)state;
    sup_character* c = arm_with_weights(forget_some);
    assert_true(test_warned(c, "points without weights take those of the nearest point that has"));
    double worst = bent_apart(arm_with_weights(leave), c);
    print_message("without weights: %.2f mm apart\n", 1000 * worst);
    assert_true(worst < 0.012); // an edge is 11 mm; left behind they would be 20 cm off
}

// ---------------------------------------------------------------------------------------------- depths

/// Corners of the triangles of two layers, in the same order.
typedef struct layer_corners {
    uint32_t  most, skin_count, bone_count;
    sup_vec3 *skin, *bone;
} layer_corners;

static void take_corners(void* user, const char* what, sup_vec3 a, sup_vec3 b, sup_vec3 c, float value)
{
    (void)value;
    layer_corners* l = user;
    bool           skin = strcmp(what, "skin") == 0;
    uint32_t*      n = skin ? &l->skin_count : &l->bone_count;
    if ((!skin && strcmp(what, "bone") != 0) || *n + 3 > l->most) return;
    sup_vec3* out = (skin ? l->skin : l->bone) + *n;
    out[0] = a, out[1] = b, out[2] = c, *n += 3;
}
static void skip_line(void* user, const char* what, sup_vec3 a, sup_vec3 b, float value)
{
    (void)user, (void)what, (void)a, (void)b, (void)value;
}
static void skip_point(void* user, const char* what, sup_vec3 at, float value)
{
    (void)user, (void)what, (void)at, (void)value;
}

// Where thigh and spine meet, the anchors of neighbors are far apart and layers would fold. If a point were held at the bone
// for that, in the middle of deep flesh, it would be a pit as soon as the flesh moves: two were in plain sight on the hip.
static void flesh_is_as_deep_as_around_it_where_bones_meet(void** state)
{
    (void)state;
    sup_character* c = test_builtin("beast", 0);
    play p = play_chain((sup_chain_desc){ .character = c, .links = "layers(cage=mesh)" }, (sup_instance_desc){ .preroll = 0 });
    uint32_t      n = 3 * c->mesh.triangle_count, steep = 0;
    layer_corners l = { n, 0, 0, calloc(n, sizeof(sup_vec3)), calloc(n, sizeof(sup_vec3)) };
    sup_canvas    canvas = { .line = skip_line, .point = skip_point, .triangle = take_corners, .user = &l };
    play_hash(&p, 0);
    assert_true(sup_instance_draw(p.instance, 1, p.out, &canvas));
    assert_true(l.skin_count == n && l.bone_count == n);
    for (uint32_t t = 0; t < n; t += 3) {
        float low = INFINITY, high = 0;
        for (uint32_t i = t; i < t + 3; ++i) {
            float depth = v3_distance(l.skin[i], l.bone[i]);
            low = fminf(low, depth), high = fmaxf(high, depth);
        }
        steep += high > 0.05f && low < 0.4f * high;
    }
    print_message("%u of %u triangles have a corner less than 0.4 as deep as another\n", (unsigned)steep, (unsigned)n / 3);
    assert_true(steep < 180); // 259 by shallower layers alone; an ear is thin beside the head
    free(l.skin), free(l.bone);
    play_end(&p);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(presets_are_those_of_the_papers_table),
        cmocka_unit_test(weights_that_sum_to_anything_bend_like_those_that_sum_to_1),
        cmocka_unit_test(points_without_weights_bend_with_their_neighbors),
        cmocka_unit_test(flesh_is_as_deep_as_around_it_where_bones_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

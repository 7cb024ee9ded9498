#include "scene/small.h"

// A strip of n triangles 0 1 2, 1 2 3, ... so that neighbors are known; one vertex per point.
enum { STRIP = 6 };
typedef struct strip {
    small    s;
    sup_vec3 positions[STRIP];
    uint32_t corners[3 * (STRIP - 2)];
    uint32_t joints[STRIP * 2];
    float    weights[STRIP * 2];
} strip;

static void strip_init(strip* t)
{
    small_init(&t->s);
    for (uint32_t v = 0; v < STRIP; ++v) {
        t->positions[v] = v3((float)v, (float)(v % 2), 0);
        t->joints[2 * v] = 0;
        t->joints[2 * v + 1] = 1;
        t->weights[2 * v] = 1;
        t->weights[2 * v + 1] = 0;
    }
    for (uint32_t f = 0; f < STRIP - 2; ++f)
        for (uint32_t c = 0; c < 3; ++c) t->corners[3 * f + c] = f + c;
    t->s.part = (sup_part_desc){ .name = "Hand.R",
                                 .vertex_count = STRIP,
                                 .positions = t->positions,
                                 .face_count = STRIP - 2,
                                 .corners = t->corners,
                                 .width = 2,
                                 .joints = t->joints,
                                 .weights = t->weights,
                                 .joint = SUP_NONE };
    t->s.desc.joints = t->s.joints;
    t->s.desc.joint_count = 3;
}

static void set(strip* t, uint32_t v, float a, float b)
{
    t->weights[2 * v] = a;
    t->weights[2 * v + 1] = b;
}

static void expect(const sup_character* c, uint32_t point, uint32_t count, const uint32_t* joints, const float* values)
{
    const sup_weights* w = &c->weights;
    assert_int_equal(w->begin[point + 1] - w->begin[point], count);
    for (uint32_t i = 0; i < count; ++i) {
        assert_int_equal(w->joints[w->begin[point] + i], joints[i]);
        assert_float_equal(w->values[w->begin[point] + i], values[i], 1e-7f);
    }
}

static void weights_are_sorted_and_sum_to_one(void** state)
{
    (void)state;
    strip t;
    strip_init(&t);
    set(&t, 0, 0.5f, 1.255f); // 1.755 in all
    set(&t, 1, 0.49f, 0.49f); // 0.98, and a tie: the lower joint first
    sup_character* c = small_make(&t.s);
    expect(c, 0, 2, (uint32_t[]){ 1, 0 }, (float[]){ 1.255f / 1.755f, 0.5f / 1.755f });
    expect(c, 1, 2, (uint32_t[]){ 0, 1 }, (float[]){ 0.5f, 0.5f });
    expect(c, 2, 1, (uint32_t[]){ 0 }, (float[]){ 1 });
    assert_int_equal(c->weights.influences_max, 2);
    assert_float_equal(c->weights.sum_max, 1.755f, 1e-6f);
    assert_float_equal(c->weights.sum_min, 0.98f, 1e-6f);
    assert_true(test_warned(c, "weights of 'Hand.R' sum to 1.755 at most; normalized"));
    assert_true(test_warned(c, "weights of 'Hand.R' sum to 0.98 at least; normalized"));
    sup_character_destroy(c);
}

static void a_joint_given_twice_counts_once(void** state)
{
    (void)state;
    strip t;
    strip_init(&t);
    t.joints[1] = 0;
    set(&t, 0, 0.25f, 0.75f);
    sup_character* c = small_make(&t.s);
    expect(c, 0, 1, (uint32_t[]){ 0 }, (float[]){ 1 });
    assert_int_equal(c->warning_count, 0);
    sup_character_destroy(c);
}

static void negative_weights_are_dropped_and_noted_when_they_matter(void** state)
{
    (void)state;
    strip t;
    strip_init(&t);
    set(&t, 0, 1, -9e-10f);
    sup_character* c = small_make(&t.s);
    expect(c, 0, 1, (uint32_t[]){ 0 }, (float[]){ 1 });
    assert_int_equal(c->warning_count, 0);
    sup_character_destroy(c);
    set(&t, 0, 1, -0.25f);
    c = small_make(&t.s);
    expect(c, 0, 1, (uint32_t[]){ 0 }, (float[]){ 1 });
    assert_true(test_warned(c, "'Hand.R' has negative weights down to -0.25"));
    sup_character_destroy(c);
}

static void points_without_weights_take_those_of_the_nearest(void** state)
{
    (void)state;
    strip t;
    strip_init(&t);
    set(&t, 0, 0.5f, 0.5f);
    for (uint32_t v = 1; v < 5; ++v) set(&t, v, 0, 0);
    set(&t, 5, 0, 1);
    sup_character* c = small_make(&t.s);
    for (uint32_t v = 1; v <= 2; ++v) expect(c, v, 2, (uint32_t[]){ 0, 1 }, (float[]){ 0.5f, 0.5f }); // one edge from 0
    for (uint32_t v = 3; v <= 4; ++v) expect(c, v, 1, (uint32_t[]){ 1 }, (float[]){ 1 });             // one edge from 5
    assert_float_equal(c->weights.sum_min, 0, 0);
    assert_true(test_warned(c, "4 points without weights take those of the nearest"));
    assert_int_equal(c->warning_count, 1); // a sum of 0 is said once
    sup_character_destroy(c);
    for (uint32_t v = 0; v < 6; ++v) set(&t, v, 1, 1);
    set(&t, 5, 0, 0); // the last one: all others are counted before
    c = small_make(&t.s);
    assert_float_equal(c->weights.sum_min, 0, 0);
    assert_float_equal(c->weights.sum_max, 2, 0);
    sup_character_destroy(c);
}

static void a_piece_without_any_weights_follows_the_first_skin_joint(void** state)
{
    (void)state;
    strip t;
    strip_init(&t);
    t.s.joints[0].skin_joint = false; // then the knee is the first
    t.s.part.face_count = 1;          // 3, 4, 5 are connected to nothing
    for (uint32_t v = 3; v < 6; ++v) set(&t, v, 0, 0);
    sup_character* c = small_make(&t.s);
    for (uint32_t v = 3; v < 6; ++v) expect(c, v, 1, (uint32_t[]){ 1 }, (float[]){ 1 });
    assert_true(test_warned(c, "3 points without weights and without a weighted neighbor follow joint 'knee'"));
    sup_character_destroy(c);
}

static void bad_weights_are_refused_by_name(void** state)
{
    (void)state;
    strip t;
    strip_init(&t);
    set(&t, 2, NAN, 1);
    small_refused(&t.s, "vertex 2 of 'Hand.R' has a weight that is not a number");
    set(&t, 2, INFINITY, 1);
    small_refused(&t.s, "vertex 2 of 'Hand.R' has a weight that is not a number");
    set(&t, 2, 1, 0);
    t.joints[4] = 3;
    small_refused(&t.s, "vertex 2 of 'Hand.R' follows joint 3 but there are only 3 joints");
    t.joints[4] = 0;
    t.joints[5] = 77; // nobody looks at the joint of a zero
    sup_character_destroy(small_make(&t.s));
    t.s.part.weights = NULL;
    small_refused(&t.s, "'Hand.R' says 2 influences per vertex but has no joints or no weights");
}

static void forty_influences_come_out_in_order(void** state)
{
    (void)state;
    enum { JOINTS = 40 };
    small     s;
    sup_joint skeleton[JOINTS];
    uint32_t  joints[3 * JOINTS];
    float     weights[3 * JOINTS];
    double    sum = 0;
    small_init(&s);
    for (uint32_t j = 0; j < JOINTS; ++j) {
        skeleton[j] = small_joint(NULL, SUP_NONE, v3(0, 0, 0), v3(0, 0, 0));
        sum += (double)((j * 7 % JOINTS) / 2 + 1);
    }
    for (uint32_t i = 0; i < 3 * JOINTS; ++i) {
        joints[i] = i % JOINTS;
        weights[i] = (float)((i % JOINTS * 7 % JOINTS) / 2 + 1); // each value twice: ties by joint
    }
    s.part.vertex_count = 3;
    s.part.face_count = 1;
    s.part.width = JOINTS;
    s.part.joints = joints;
    s.part.weights = weights;
    s.desc.joints = skeleton;
    s.desc.joint_count = JOINTS;
    sup_character* c = small_make(&s);
    assert_int_equal(c->weights.influences_max, JOINTS);
    assert_string_equal(c->skeleton.joints[7].name, "joint 7");
    for (uint32_t i = 0; i < JOINTS; ++i) {
        uint32_t j = c->weights.joints[i];
        assert_float_equal(c->weights.values[i], (double)weights[j] / sum, 1e-7);
        if (i)
            assert_true(weights[c->weights.joints[i - 1]] > weights[j] ||
                        (weights[c->weights.joints[i - 1]] == weights[j] && c->weights.joints[i - 1] < j));
    }
    sup_character_destroy(c);
}

// Four influences from large to small are only divided; a fifth of no weight sends them through sorting and merging. Both must
// give the same bits, also where the first way has to give up: ties, doubled joints, sums that a double rounds.
static void the_fast_path_for_four_influences_gives_the_general_result(void** state)
{
    (void)state;
    enum { CASES = 9 };
    static const float w[CASES][4] = {
        { 0.5f, 0.3f, 0.15f, 0.05f },  { 0.7f, 0.3f, 0, 0 },       { 1, 0, 0, 0 },
        { 0.25f, 0.25f, 0.25f, 0.2f }, { 0.4f, 0.3f, 0.2f, 0.1f }, { 0.9f, 1e-9f, 1e-12f, 1e-30f },
        { 0.1f, 0.6f, 0.2f, 0.1f },    { 0.33f, 0.33f, 0.21f, 0 }, { 3, 2, 1, 0.5f }
    };
    static const uint32_t of[CASES][4] = { { 3, 1, 2, 0 }, { 2, 0, 99, 99 }, { 1, 1, 1, 1 }, { 2, 1, 3, 0 }, { 1, 2, 1, 0 },
                                           { 0, 1, 2, 3 }, { 0, 1, 2, 3 },   { 0, 3, 1, 7 }, { 0, 1, 2, 3 } };
    sup_joint             skeleton[4];
    sup_vec3              positions[CASES];
    uint32_t              joints[2][5 * CASES] = { { 0 } }, corners[3 * (CASES - 2)];
    float                 weights[2][5 * CASES] = { { 0 } };
    sup_character*        c[2];
    for (uint32_t v = 0; v < CASES; ++v) {
        positions[v] = v3((float)v, (float)(v % 2), 0);
        for (uint32_t k = 0; k < 4; ++k) {
            joints[0][4 * v + k] = joints[1][5 * v + k] = of[v][k];
            weights[0][4 * v + k] = weights[1][5 * v + k] = w[v][k];
        }
    }
    for (uint32_t i = 0; i < 3 * (CASES - 2); ++i) corners[i] = i / 3 + i % 3;
    for (uint32_t i = 0; i < 2; ++i) {
        strip t;
        strip_init(&t);
        for (uint32_t j = 0; j < 4; ++j) {
            skeleton[j] = t.s.joints[0];
            skeleton[j].name = NULL;
            skeleton[j].parent = j ? j - 1 : SUP_NONE;
        }
        t.s.part.vertex_count = CASES;
        t.s.part.positions = positions;
        t.s.part.face_count = CASES - 2;
        t.s.part.corners = corners;
        t.s.part.width = 4 + i;
        t.s.part.joints = joints[i];
        t.s.part.weights = weights[i];
        t.s.desc.joints = skeleton;
        t.s.desc.joint_count = 4;
        c[i] = small_make(&t.s);
    }
    const sup_weights *a = &c[0]->weights, *b = &c[1]->weights;
    assert_memory_equal(a->begin, b->begin, (CASES + 1) * sizeof *a->begin);
    assert_memory_equal(a->joints, b->joints, a->begin[CASES] * sizeof *a->joints);
    assert_memory_equal(a->values, b->values, a->begin[CASES] * sizeof *a->values);
    assert_float_equal(a->sum_max, b->sum_max, 0);
    sup_character_destroy(c[0]);
    sup_character_destroy(c[1]);
}

static void a_mesh_without_skin_follows_its_joint_wholly(void** state)
{
    (void)state;
    strip t;
    strip_init(&t);
    sup_part_desc parts[3] = { t.s.part, t.s.part, t.s.part };
    parts[0].vertex_count = 0; // an empty part in front
    parts[0].face_count = 0;
    parts[2].width = 0;
    parts[2].joint = 2;
    t.s.desc.parts = parts;
    t.s.desc.part_count = 3;
    sup_character* c = small_make(&t.s);
    expect(c, 3, 1, (uint32_t[]){ 0 }, (float[]){ 1 });
    expect(c, STRIP + 3, 1, (uint32_t[]){ 2 }, (float[]){ 1 });
    assert_int_equal(c->mesh.parts[1].joint, SUP_NONE);
    assert_int_equal(c->mesh.parts[2].joint, 2);
    assert_float_equal(c->weights.sum_min, 1, 0);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_sorted_and_sum_to_one),
        cmocka_unit_test(a_joint_given_twice_counts_once),
        cmocka_unit_test(negative_weights_are_dropped_and_noted_when_they_matter),
        cmocka_unit_test(points_without_weights_take_those_of_the_nearest),
        cmocka_unit_test(a_piece_without_any_weights_follows_the_first_skin_joint),
        cmocka_unit_test(bad_weights_are_refused_by_name),
        cmocka_unit_test(forty_influences_come_out_in_order),
        cmocka_unit_test(the_fast_path_for_four_influences_gives_the_general_result),
        cmocka_unit_test(a_mesh_without_skin_follows_its_joint_wholly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

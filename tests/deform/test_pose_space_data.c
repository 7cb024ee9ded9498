// Pose space deformation on a real rig: how well it predicts frames that it was not shown.
#include "play.h"

#include "math/vec.h"
#include "supple/rig.h"

#include <math.h>

enum { EVERY = 60, FRAMES = 457, EXAMPLES = (FRAMES - 1) / EVERY };

static sup_character* elephant(const char* path, sup_arena* arena)
{
    sup_character *mesh = NULL, *c = NULL;
    sup_error      error;
    sup_rig        rig;
    sup_matrix     weights, motion;
    sup_clip       clip;
    assert_ok(sup_load(path, NULL, &mesh, &error), error);
    assert_ok(sup_rig_load(test_data("libigl-rigs/elephant.tgf"), NULL, arena, &rig, &error), error);
    assert_ok(sup_matrix_load(test_data("libigl-rigs/elephant-weights.dmat"), NULL, arena, &weights, &error), error);
    assert_ok(sup_matrix_load(test_data("libigl-rigs/elephant-anim.dmat"), NULL, arena, &motion, &error), error);
    assert_ok(sup_rig_attach(mesh, &rig, &weights, NULL, &c, &error), error);
    assert_ok(sup_rig_clip(c, &rig, &motion, "run", 30, arena, &clip, &error), error);
    assert_ok(sup_character_add_clip(c, &clip, &error), error);
    sup_character_destroy(mesh);
    return c;
}

static play playing(const sup_character* c, const char* links)
{
    return play_chain((sup_chain_desc){ .character = c, .links = links }, (sup_instance_desc){ .clip = &c->clips[0] });
}

/// The skin with hand-made weights.
static sup_vec3* frame_of(play* p, uint32_t frame, sup_arena* arena)
{
    play_hash(p, frame / 30.0);
    return sup_arena_copy(arena, p->out, p->points, sizeof *p->out);
}

/// Share of the diagonal, over the frames half-way between the examples.
static double error_between(const sup_character* c, const char* links, sup_vec3* const* truth)
{
    play   p = playing(c, links);
    double sum = 0;
    for (uint32_t k = 0; k < EXAMPLES; ++k) {
        play_hash(&p, (k * EVERY + EVERY / 2) / 30.0);
        for (uint32_t i = 0; i < p.points; ++i) {
            double d = v3_distance(p.out[i], truth[k][i]);
            sum += d * d;
        }
    }
    sum = sqrt(sum / ((double)p.points * EXAMPLES)) / c->mesh.diagonal;
    play_end(&p);
    return sum;
}

static void seven_sculpts_take_half_the_error_of_automatic_weights(void** state)
{
    (void)state;
    TEST_NEEDS_DATA(path, "libigl-rigs/elephant.obj");
    sup_arena*     arena = sup_arena_create(NULL);
    sup_character* c = elephant(path, arena);
    sup_example    examples[EXAMPLES];
    sup_vec3*      truth[EXAMPLES];
    play           hand_made = playing(c, "linear");
    for (uint32_t k = 0; k < EXAMPLES; ++k) {
        examples[k] =
            (sup_example){ "sculpt", "run", (k + 1) * EVERY / 30.0, false, frame_of(&hand_made, (k + 1) * EVERY, arena) };
        truth[k] = frame_of(&hand_made, k * EVERY + EVERY / 2, arena);
    }
    play_end(&hand_made);
    sup_auto_weights found;
    sup_error        error;
    assert_ok(sup_character_weigh(c, 0, NULL, &(sup_auto_weights_options){ .influences_max = 4, .cells = 24 }, &found, &error),
              error);
    c->examples = examples;
    c->example_count = EXAMPLES;
    double plain = error_between(c, "linear", truth), whole = error_between(c, "pose_space(weighted=off)", truth),
           weighted = error_between(c, "pose_space", truth), free = error_between(c, "pose_space(trust=off)", truth);
    print_message("rms between sculpts: linear %.3f %%, pose_space(weighted=off) %.3f %%, pose_space %.3f %%, trust=off %.3f\n",
                  100 * plain, 100 * whole, 100 * weighted, 100 * free);
    assert_true(weighted < 0.5 * plain);
    assert_true(weighted < whole);
    sup_character_destroy(c);
    sup_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(seven_sculpts_take_half_the_error_of_automatic_weights) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Captured and simulated sequences: what fourier's oscillators do to skin whose curves are cut through real triangles.
#include "captured.h"
#include "sculpted.h"

// Compared with linear skinning plus its residual, interpolated linearly; and with all its swings, with its own static form.
static void between_keys_the_skin_is_nearer_than_interpolated_residuals(void** state)
{
    (void)state;
    static const sequence* const all[] = { &horse, &samba, &cow, &cat };
    for (int i = 0; i < 4; ++i) {
        captured c;
        if (!capture(all[i], &c)) {
            print_message("skipped: the shared data set is not beside the checkout\n");
            skip();
        }
        for (uint32_t every = 2; every <= 8; every *= 2) {
            if (every == 2 && all[i] != &horse && all[i] != &cat) continue; // where points were thrown
            if (every == 8 && all[i] != &cow) continue;                     // where the skin swings
            score left = run(&c, every, "beam(modes=0,continuity=restart,turning=0,trust=0)"), here = run(&c, every, "fourier");
            score still = run(&c, every, "fourier(continuity=hermite,sway=0)"),
                  swings = run(&c, every, "fourier(continuity=hermite)");
            print_message("  %s, keys every %u: residual %.4f (most %.2f), fourier %.4f (%.2f); cubic, static %.4f (%.2f), "
                          "dynamic %.4f (%.2f)\n",
                          all[i]->name, every, left.between, left.most, here.between, here.most, still.between, still.most,
                          swings.between, swings.most);
            assert_true(here.at < 1e-4 && swings.at < 1e-4); // the keys themselves
            assert_true(here.between < 1.02 * left.between);
            assert_true(swings.between < 1.03 * still.between);
            assert_true(here.most < 1.2 * left.most && swings.most < 1.2 * still.most); // no point is thrown
        }
        release(&c);
    }
}

// As in the paper: two sculpts of an arm, its largest error between them. The truth is another method's, a lattice that has
// come to rest in every pose of the clip; its first and last shapes are the sculpts.
static void lattice_at_rest(const sculpted* s, const char* links, double time, sup_vec3* out)
{
    sup_arena* arena = sup_arena_create(NULL);
    sup_json*  weightless = NULL;
    sup_pose   pose;
    sup_error  error;
    assert_ok(sup_json_parse("{\"gravity\":[0,0,0]}", 19, "world", arena, &weightless, &error), error);
    assert_ok(sup_pose_create(s->arm, arena, &pose, &error), error);
    sup_clip_sample(s->arm, &s->clip, time, &pose);
    play p = play_chain((sup_chain_desc){ .character = s->arm, .links = links, .world = weightless },
                        (sup_instance_desc){ .pose = &pose, .preroll = 2 });
    play_hash(&p, 0);
    memcpy(out, p.out, p.points * sizeof *out);
    play_end(&p), sup_arena_destroy(arena);
}

typedef struct two_sculpts {
    double linear, dualquat, fourier; ///< largest errors at 25, 50 and 75% of the angle, in % of the diagonal
} two_sculpts;

static two_sculpts from_two_sculpts(const char* truth, const char* clip)
{
    static const char* const chains[] = { "linear", "dualquat", "fourier(ramp=smoothstep)" };
    static const double      times[5] = { 0, 0.326, 0.5, 0.674, 1 }; // 0, 25, 50, 75 and 100% of the angle
    sculpted*                s = arm_of(1200);
    uint32_t                 n = s->arm->mesh.point_count;
    double                   most[3] = { 0, 0, 0 };
    s->clip = *sup_character_clip(s->arm, clip);
    for (int i = 0; i < 5; ++i) {
        s->points[i] = malloc(n * sizeof(sup_vec3));
        lattice_at_rest(s, truth, times[i], s->points[i]);
    }
    s->examples[0] = (sup_example){ "first", clip, 0, false, s->points[0] };
    s->examples[1] = (sup_example){ "last", clip, 1, false, s->points[4] };
    s->character.examples = s->examples;
    s->character.example_count = 2;
    for (uint32_t k = 0; k < 3; ++k) {
        play p = sculpted_play(s, chains[k]);
        for (int i = 1; i < 4; ++i) {
            play_hash(&p, times[i]);
            for (uint32_t v = 0; v < n; ++v) most[k] = fmax(most[k], (double)v3_distance(p.out[v], s->points[i][v]));
        }
        most[k] *= 100 / (double)s->arm->mesh.diagonal;
        play_end(&p);
    }
    sculpted_end(s);
    print_message("  %s, %s, largest error in %% of the diagonal: linear %.2f, dualquat %.2f, fourier %.2f\n", truth, clip,
                  most[0], most[1], most[2]);
    return (two_sculpts){ most[0], most[1], most[2] };
}

// The screened lattice differs from both skinnings; the default one bends like linear blending and twists like dual
// quaternions, and is as far from the other as the paper's scans were from its skinning.
static void two_sculpts_of_an_arm_leave_a_fraction_of_the_largest_error(void** state)
{
    (void)state;
    static const char* const clips[] = { "flex", "twist" };
    for (int c = 0; c < 2; ++c) {
        two_sculpts apart = from_two_sculpts("lattice(weights=screened)", clips[c]);
        two_sculpts near = from_two_sculpts("lattice(cells=48)", clips[c]);
        assert_true(apart.fourier < 0.7 * apart.linear && apart.fourier < 0.7 * apart.dualquat);
        assert_true(near.fourier < 0.7 * near.linear && (c == 1 || near.fourier < near.dualquat / 6));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_sculpts_of_an_arm_leave_a_fraction_of_the_largest_error),
        cmocka_unit_test(between_keys_the_skin_is_nearer_than_interpolated_residuals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

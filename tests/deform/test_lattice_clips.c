// The built-in characters over their clips: what a person sees first.
#include "lattice_rig.h"

#include "supple/metrics.h"

// The greatest loss and gain of the whole skin over a clip, as fractions.
static void range(const sup_character* c, const char* name, const char* links, double* least, double* most)
{
    const sup_clip* clip = sup_character_clip(c, name);
    play p = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = links }, (sup_instance_desc){ .clip = clip });
    double rest = sup_metric_volume(&c->mesh, c->mesh.points);
    *least = *most = 0;
    for (double t = 0; t <= clip->seconds; t += clip->seconds / 12) {
        play_hash(&p, t);
        double change = sup_metric_volume(&c->mesh, p.out) / rest - 1;
        *least = fmin(*least, change);
        *most = fmax(*most, change);
    }
    play_end(&p);
}

static void no_clip_loses_more_volume_than_under_linear_skinning(void** state)
{
    (void)state;
    static const struct {
        const char *scene, *clip;
        uint32_t    points;
    } clips[] = { { "arm", "flex", 1200 },   { "arm", "twist", 1200 },  { "arm", "wave", 1200 },
                  { "beast", "walk", 2400 }, { "beast", "jump", 2400 }, { "beast", "shake", 2400 } };
    for (size_t i = 0; i < SUP_COUNT_OF(clips); ++i) {
        sup_character* c = NULL;
        sup_error      error;
        double         linear[2], lattice[2];
        assert_ok(sup_builtin_create(clips[i].scene, clips[i].points, NULL, &c, &error), error);
        range(c, clips[i].clip, "linear", &linear[0], &linear[1]);
        range(c, clips[i].clip, "lattice(cells=40)", &lattice[0], &lattice[1]);
        print_message("  %s, %s: linear %+.2f .. %+.2f %%, lattice %+.2f .. %+.2f %%\n", clips[i].scene, clips[i].clip,
                      100 * linear[0], 100 * linear[1], 100 * lattice[0], 100 * lattice[1]);
        assert_true(lattice[0] >= linear[0]);
        assert_true(lattice[1] < 0.005); // and a head that is shaken does not swell
        sup_character_destroy(c);
    }
}

// The elbow of the arm, with weights that come by themselves.
static void weights_that_were_never_painted_lose_no_more_either(void** state)
{
    (void)state;
    sup_character* c = NULL;
    sup_error      error;
    double         linear[2], lattice[2];
    assert_ok(sup_builtin_create("arm", 1200, NULL, &c, &error), error);
    range(c, "flex", "linear", &linear[0], &linear[1]);
    range(c, "flex", "lattice(weights=screened)", &lattice[0], &lattice[1]);
    assert_true(lattice[0] > 0.5 * linear[0] && lattice[1] < 0.02);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_clip_loses_more_volume_than_under_linear_skinning),
        cmocka_unit_test(weights_that_were_never_painted_lose_no_more_either),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

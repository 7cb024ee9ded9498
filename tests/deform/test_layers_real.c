// Captured motion on real characters: nothing explodes, nothing is lost, crossings become fewer, and what stands still rests.
#include "elbow.h"
#include "supple/io.h"
#include "supple/rig.h"

static sup_character* load(const char* file)
{
    char           path[512];
    sup_character* c = NULL;
    sup_error      error;
    sup_format(path, sizeof path, "%s/skinned/%s", SUPPLE_SHARED_DATA, file);
    if (sup_load(path, NULL, &c, &error) == SUP_OK) return c;
    print_message("skipped: the shared data set is not beside the checkout\n");
    skip();
    return NULL;
}

static sup_clip retargeted(const sup_character* c, const char* file, sup_arena* arena)
{
    char                 path[512];
    sup_mocap            mocap;
    sup_clip             clip;
    sup_retarget_options options = { 0 };
    sup_error            error;
    sup_format(path, sizeof path, "%s/mocap/%s", SUPPLE_SHARED_DATA, file);
    assert_ok(sup_mocap_load(path, NULL, arena, &mocap, &error), error);
    assert_ok(sup_retarget(c, &mocap, &options, arena, &clip, NULL, &error), error);
    return clip;
}

typedef struct seen {
    double   far;               ///< of the skin from linear skinning, of the diagonal
    double   volume;            ///< worst change of the whole
    double   crossings, linear; ///< mean
    uint32_t frames;
} seen;

static seen watch(const sup_character* c, const sup_clip* clip, double end, const char* links)
{
    seen       s = { 0 };
    sup_meter* meter;
    sup_error  error;
    assert_ok(sup_meter_create(c, NULL, &meter, &error), error);
    void* scratch = play_memory(sup_meter_scratch(meter));
    play  soft = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = links },
                            (sup_instance_desc){ .clip = clip, .preroll = -1 }),
         flat = play_chain((sup_chain_desc){ .character = c, .clip = clip, .links = "linear" },
                           (sup_instance_desc){ .clip = clip });
    for (double t = 0; t <= end; t += 1.0 / 10) {
        play_hash(&soft, t), play_hash(&flat, t);
        double volume = sup_meter_volume(meter, soft.out), rest = sup_meter_rest_volume(meter);
        for (uint32_t i = 0; i < soft.points; ++i) {
            assert_true(v3_finite(soft.out[i]));
            s.far = fmax(s.far, (double)(v3_distance(soft.out[i], flat.out[i]) / c->mesh.diagonal));
        }
        s.volume = fmax(s.volume, fabs(volume / rest - 1));
        s.crossings += sup_meter_intersections(meter, soft.out, scratch, NULL, NULL, 0);
        s.linear += sup_meter_intersections(meter, flat.out, scratch, NULL, NULL, 0);
        s.frames++;
    }
    s.crossings /= s.frames, s.linear /= s.frames;
    for (uint32_t i = 0; i < soft.stats.count; ++i)
        print_message("    %s %u\n", soft.stats.items[i].name, (unsigned)soft.stats.items[i].times);
    play_end(&soft), play_end(&flat);
    free(scratch);
    sup_meter_destroy(meter);
    return s;
}

static void report(const char* what, const seen* s)
{
    print_message(
        "  %s: %u frames, crossings %.1f (linear %.1f), volume within %.2f %%, at most %.1f %% of the body from linear\n", what,
        s->frames, s->crossings, s->linear, 100 * s->volume, 100 * s->far);
}

static const char* const motions[] = { "07_01-walk.bvh", "09_01-run.bvh", "02_04-jump-balance.bvh", "05_03-dance.bvh",
                                       "pirouette.bvh" };

static void captured_motion_leaves_a_man_whole(void** state)
{
    (void)state;
    sup_character* c = load("cesiumman.glb");
    for (size_t i = 0; i < SUP_COUNT_OF(motions); ++i) {
        sup_arena* arena = sup_arena_create(NULL);
        sup_clip   clip = retargeted(c, motions[i], arena);
        seen       s = watch(c, &clip, clip.seconds, "layers");
        report(motions[i], &s);
        assert_true(s.far < 0.15 && s.volume < 0.08); // the dance puts arms through the head
        assert_true(s.crossings < 0.6 * s.linear);
        sup_arena_destroy(arena);
    }
    sup_character_destroy(c);
}

static void and_a_soldier_in_clothes(void** state)
{
    (void)state;
    sup_character* c = load("soldier.glb");
    for (size_t i = 0; i < 2; ++i) {
        sup_arena* arena = sup_arena_create(NULL);
        sup_clip   clip = retargeted(c, motions[i], arena);
        seen       s = watch(c, &clip, fmin(clip.seconds, 0.3), "layers");
        report(motions[i], &s);
        assert_true(s.far < 0.12);
        sup_arena_destroy(arena);
    }
    sup_character_destroy(c);
}

// The last pose of the walk, held for two seconds: no point of the body goes on moving.
static void a_pose_that_is_held_comes_to_rest(void** state)
{
    (void)state;
    sup_character* c = load("cesiumman.glb");
    sup_arena*     arena = sup_arena_create(NULL);
    sup_clip       clip = retargeted(c, motions[0], arena);
    play           p = play_chain((sup_chain_desc){ .character = c, .clip = &clip, .links = "layers" },
                                  (sup_instance_desc){ .clip = &clip, .start = clip.seconds, .end = 1000, .preroll = 0 });
    sup_vec3*      before = play_memory(p.points * sizeof *before);
    double         speed = 0;
    play_hash(&p, clip.seconds + 1.995);
    memcpy(before, p.out, p.points * sizeof *before);
    play_hash(&p, clip.seconds + 2);
    for (uint32_t i = 0; i < p.points; ++i) speed = fmax(speed, (double)v3_distance(before[i], p.out[i]) / 0.005);
    print_message("  after two seconds: %.2f mm/s\n", 1000 * speed * c->metres_per_unit);
    assert_true(speed * c->metres_per_unit < 0.02);
    free(before);
    play_end(&p);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(captured_motion_leaves_a_man_whole),
        cmocka_unit_test(and_a_soldier_in_clothes),
        cmocka_unit_test(a_pose_that_is_held_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

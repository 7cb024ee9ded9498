// Sliders that cannot break a character: every number of `layers` at both ends of its range, alone and in pairs.
//
//   test_layers_sliders                        what failed once, on a small arm
//   test_layers_sliders --every                every end and random pairs, on a small arm and a small beast
//   test_layers_sliders --every FILE[:CLIP]... on these characters; files of more than 3500 points get a cage of 800
//   test_layers_sliders --only 'a=1,b=2' ...   that one setting
#include "elbow.h"
#include "supple/io.h"

#include <stdio.h>

enum { PAIRS = 24, LARGE = 3500, SMALL_ARM = 700, SMALL_BEAST = 1000 };
static const double frame_rate = 30, still_after = 0.6; // seconds behind the motion, in which it comes to rest
// Soft flesh still swings by millimetres half a second after a motion; flesh that never comes to rest moves at 0.3 to 4 m/s.
static const double stretch_most = 4, volume_most = 0.05, reach_most = 1, speed_most = 0.2;

typedef struct subject {
    sup_character*  character;
    const sup_clip* clip;
    double          end; // of what is played of it
    const char*     cage;
    sup_meter*      meter;
    void*           scratch;
    float*          thickness; // of the limb at each point
    uint32_t        frames;
    sup_vec3*       skinned; // of all frames
    uint32_t*       crossings;
} subject;

typedef struct damage {
    double      stretch;   // worst edge, longer or shorter
    const char* joint;     // there
    double      time;      // then
    uint32_t    crossings; // beyond those of the skinned skin
    double      volume;
    double      reach; // thicknesses of the limb from the skinned place
    double      speed; // m/s, a while after the motion
} damage;

// ---------------------------------------------------------------------------------------------- measuring

// Twice the distance to the nearest bone of the joint with the largest weight.
static float thickness_at(const sup_character* c, uint32_t p)
{
    uint32_t joint = c->weights.joints[c->weights.begin[p]];
    float    nearest = INFINITY;
    for (uint32_t i = 0; i < c->skeleton.bone_count; ++i) {
        const sup_bone* bone = &c->skeleton.bones[i];
        if (bone->joint != joint) continue;
        sup_vec3 along = v3_sub(bone->tail, bone->head);
        float    s = v3_dot(v3_sub(c->mesh.points[p], bone->head), along) / fmaxf(v3_length2(along), 1e-20f);
        nearest = fminf(nearest, v3_distance(c->mesh.points[p], v3_mad(bone->head, sup_clampf(s, 0, 1), along)));
    }
    return isfinite(nearest) ? fmaxf(2 * nearest, 0.02f * c->mesh.diagonal) : c->mesh.diagonal;
}

// The clip up to a time, after which it holds.
static const sup_clip* cut_clip(const sup_clip* clip, double end)
{
    sup_clip*    out = malloc(sizeof *out);
    sup_channel* channels = malloc((clip->channel_count + 1) * sizeof *channels);
    *out = *clip;
    out->channels = channels;
    out->seconds = end < clip->seconds && end > 0 ? end : clip->seconds;
    for (uint32_t i = 0; i < clip->channel_count; ++i) {
        channels[i] = clip->channels[i];
        while (channels[i].key_count > 1 && (double)channels[i].times[channels[i].key_count - 1] > out->seconds)
            --channels[i].key_count;
    }
    return out;
}

static subject subject_make(sup_character* c, const char* clip, double end)
{
    subject         s = { .character = c, .cage = c->mesh.point_count > LARGE ? "800" : "mesh" };
    const sup_clip* found = sup_character_clip(c, clip);
    uint32_t        n = c->mesh.point_count;
    sup_error       error;
    s.clip = cut_clip(found ? found : &c->clips[0], end);
    s.end = s.clip->seconds;
    assert_ok(sup_meter_create(c, NULL, &s.meter, &error), error);
    s.scratch = play_memory(sup_meter_scratch(s.meter));
    s.thickness = malloc(n * sizeof *s.thickness);
    for (uint32_t p = 0; p < n; ++p) s.thickness[p] = thickness_at(c, p);
    s.frames = (uint32_t)((s.end + still_after) * frame_rate) + 1;
    s.skinned = malloc((size_t)s.frames * n * sizeof *s.skinned);
    s.crossings = malloc(s.frames * sizeof *s.crossings);
    play flat = play_chain((sup_chain_desc){ .character = c, .clip = s.clip, .links = "linear" },
                           (sup_instance_desc){ .clip = s.clip, .end = 1000 });
    for (uint32_t f = 0; f < s.frames; ++f) {
        play_hash(&flat, f / frame_rate);
        memcpy(s.skinned + (size_t)f * n, flat.out, n * sizeof *s.skinned);
        s.crossings[f] = sup_meter_intersections(s.meter, flat.out, s.scratch, NULL, NULL, 0);
    }
    play_end(&flat);
    return s;
}

static void subject_end(subject* s)
{
    free((void*)s->clip->channels), free((void*)s->clip);
    free(s->crossings), free(s->skinned), free(s->thickness), free(s->scratch);
    sup_meter_destroy(s->meter);
    sup_character_destroy(s->character);
}

// Requested effects are not damage: another volume, or skin that crosses itself.
static double asked_volume(const char* settings)
{
    const char* bulge = strstr(settings, "bulge=");
    return bulge ? strtod(bulge + strlen("bulge="), NULL) : 1;
}

static const char* worst_joint(const sup_character* c, const float* stretches)
{
    uint32_t worst = 0;
    for (uint32_t p = 1; p < c->mesh.point_count; ++p)
        if (fabsf(stretches[p]) > fabsf(stretches[worst])) worst = p;
    return c->skeleton.joints[c->weights.joints[c->weights.begin[worst]]].name;
}

static damage torture(const subject* s, const char* settings)
{
    char     links[256];
    damage   d = { 0 };
    uint32_t n = s->character->mesh.point_count;
    double   asked = asked_volume(settings);
    sup_format(links, sizeof links, "layers(cage=%s%s%s)", s->cage, settings[0] ? "," : "", settings);
    play      p = play_chain((sup_chain_desc){ .character = s->character, .clip = s->clip, .links = links },
                             (sup_instance_desc){ .clip = s->clip, .end = 1000, .preroll = -1 });
    sup_vec3* before = malloc(n * sizeof *before);
    float*    per_point = malloc(n * sizeof *per_point);
    for (uint32_t f = 0; f < s->frames; ++f) {
        const sup_vec3* skinned = s->skinned + (size_t)f * n;
        play_hash(&p, f / frame_rate);
        uint32_t crossings = sup_meter_intersections(s->meter, p.out, s->scratch, NULL, NULL, 0);
        double   volume = sup_meter_volume(s->meter, p.out) / sup_meter_rest_volume(s->meter);
        volume = fmax(fmax(fmin(asked, 1) - volume, volume - fmax(asked, 1)), 0); // firm parts keep theirs
        double stretch = sup_meter_stretch(s->meter, p.out, per_point);
        if (stretch > d.stretch) d.stretch = stretch, d.joint = worst_joint(s->character, per_point), d.time = f / frame_rate;
        d.volume = fmax(d.volume, fabs(volume));
        if (crossings > s->crossings[f] && crossings - s->crossings[f] > d.crossings) d.crossings = crossings - s->crossings[f];
        for (uint32_t i = 0; i < n; ++i) {
            assert_true(v3_finite(p.out[i]));
            d.reach = fmax(d.reach, (double)(v3_distance(p.out[i], skinned[i]) / s->thickness[i]));
        }
    }
    memcpy(before, p.out, n * sizeof *before);
    play_hash(&p, (s->frames - 1) / frame_rate + 0.005);
    for (uint32_t i = 0; i < n; ++i)
        d.speed = fmax(d.speed, (double)v3_distance(before[i], p.out[i]) / 0.005 * sup_character_physics_unit(s->character));
    free(before), free(per_point);
    play_end(&p);
    return d;
}

static bool is_whole(const damage* d)
{
    return d->stretch < stretch_most && d->crossings == 0 && d->volume < volume_most && d->reach < reach_most &&
           d->speed < speed_most;
}

static bool report(const subject* s, const char* settings)
{
    damage d = torture(s, settings);
    if (strstr(settings, "contact=off")) d.crossings = 0;
    bool whole = is_whole(&d);
    printf("%s %-12s %-52s stretch %6.2f (%s, %.2f s) crossings %4u volume %5.1f %% reach %5.2f speed %7.1f mm/s\n",
           whole ? "  " : "! ", s->character->name, settings, d.stretch, d.joint, d.time, d.crossings, 100 * d.volume, d.reach,
           1000 * d.speed);
    fflush(stdout);
    return whole;
}

// ---------------------------------------------------------------------------------------------- every end

static const sup_deformer* layers_of(void) { return sup_deformer_find("layers"); }

// The text of one end of a row, or "" if it has none.
static void end_text(const sup_param* row, int end, char* text, size_t capacity)
{
    text[0] = 0;
    if (row->type == SUP_PARAM_BOOL) sup_format(text, capacity, "%s=%s", row->name, row->standard > 0 ? "off" : "on");
    else if (row->type == SUP_PARAM_INT) sup_format(text, capacity, "%s=%d", row->name, (int)(end ? row->max : row->min));
    else if (row->type == SUP_PARAM_FLOAT) sup_format(text, capacity, "%s=%.9g", row->name, end ? row->max : row->min);
    if (row->type == SUP_PARAM_BOOL && end) text[0] = 0;
}

static uint32_t sweep(const subject* s)
{
    const sup_deformer* d = layers_of();
    uint32_t            failed = !report(s, ""), seed = 1;
    char                a[64], b[64], both[160];
    for (uint32_t i = 0; i < d->param_count; ++i)
        for (int end = 0; end < 2; ++end) {
            end_text(&d->params[i], end, a, sizeof a);
            if (a[0]) failed += !report(s, a);
        }
    for (uint32_t k = 0; k < PAIRS;) {
        uint32_t row[2], end[2];
        for (int i = 0; i < 2; ++i) {
            seed = seed * 1664525u + 1013904223u;
            row[i] = (seed >> 8) % d->param_count, end[i] = seed >> 31;
        }
        end_text(&d->params[row[0]], (int)end[0], a, sizeof a), end_text(&d->params[row[1]], (int)end[1], b, sizeof b);
        if (!a[0] || !b[0] || row[0] == row[1]) continue;
        sup_format(both, sizeof both, "%s,%s", a, b);
        failed += !report(s, both);
        ++k;
    }
    return failed;
}

static subject subject_builtin(const char* name, uint32_t points, const char* clip, double end)
{
    sup_character* c = test_builtin(name, points);
    return subject_make(c, clip, end);
}

static subject subject_file(const char* argument)
{
    char        path[512];
    const char* clip = strrchr(argument, ':');
    sup_format(path, sizeof path, "%.*s", (int)(clip ? clip - argument : (long)strlen(argument)), argument);
    if (strcmp(argument, "arm") == 0) return subject_builtin("arm", SMALL_ARM, "flex", 0);
    if (strcmp(argument, "fine") == 0) return subject_builtin("arm", 0, "flex", 0);
    if (strcmp(argument, "beast") == 0) return subject_builtin("beast", SMALL_BEAST, "jump", 0);
    if (strcmp(argument, "shake") == 0) return subject_builtin("beast", SMALL_BEAST, "shake", 0);
    sup_character* c = test_load(path);
    return subject_make(c, clip ? clip + 1 : "", 1.0);
}

// ---------------------------------------------------------------------------------------------- tests

static void no_slider_breaks_the_arm(void** state)
{
    // One of each class: too soft, too loose, too tight, too few rounds, conflicting limits, the paper's order.
    static const char* const settings[] = { "stiffness_fat=0.05", "stiffness_skin=0", "coupling=0",  "tether=0.05",
                                            "substeps=1",         "squeeze=0.9",      "thickness=1", "paper_order=on",
                                            "bulge=0.7",          "bulge=1.4" };
    (void)state;
    subject s = subject_builtin("arm", SMALL_ARM, "flex", 0);
    bool    whole = true;
    for (size_t i = 0; i < SUP_COUNT_OF(settings); ++i) whole &= report(&s, settings[i]);
    subject_end(&s);
    assert_true(whole);
}

// A note reports every value that replaces a requested one.
static void a_limited_value_is_said(void** state)
{
    static const struct {
        const char *links, *note;
    } rows[] = { { "layers(stiffness_fat=0)", "stiffness_fat=0 is limited to 0.04" },
                 { "layers(coupling=0)", "coupling=0 is limited to 0.05" },
                 { "layers(squeeze=0.9)", "squeeze=0.9 is limited to 0.6" },
                 { "layers(paper_order=on)", "iterations=2 is limited to 15" } };
    (void)state;
    sup_error      error;
    sup_character* c = test_builtin("arm", 300);
    for (size_t i = 0; i <= SUP_COUNT_OF(rows); ++i) {
        sup_chain*  chain;
        bool        found = false, any = false;
        const char* links = i < SUP_COUNT_OF(rows) ? rows[i].links : "layers";
        assert_ok(sup_chain_create(&(sup_chain_desc){ .character = c, .links = links }, &chain, &error), error);
        for (uint32_t k = 0; k < sup_chain_note_count(chain); ++k) {
            any |= strstr(sup_chain_note(chain, k), "is limited to") != NULL;
            found |= i < SUP_COUNT_OF(rows) && strstr(sup_chain_note(chain, k), rows[i].note);
        }
        if (found != (i < SUP_COUNT_OF(rows)) || any != found) fail_msg("%s", links);
        sup_chain_destroy(chain);
    }
    sup_character_destroy(c);
}

int main(int argc, char** argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_slider_breaks_the_arm), cmocka_unit_test(a_limited_value_is_said) };
    const char*             only = argc > 2 && strcmp(argv[1], "--only") == 0 ? argv[2] : NULL;
    static const char* const standard[] = { "arm", "beast" };
    if (argc < 2) return cmocka_run_group_tests(tests, NULL, NULL);
    int                first = only ? 3 : 2, count = argc > first ? argc - first : (int)SUP_COUNT_OF(standard);
    const char* const* names = argc > first ? (const char* const*)argv + first : standard;
    uint32_t           failed = 0;
    for (int i = 0; i < count; ++i) {
        subject s = subject_file(names[i]);
        failed += only ? !report(&s, only) : sweep(&s);
        subject_end(&s);
    }
    printf("%u settings failed\n", failed);
    return failed > 0;
}

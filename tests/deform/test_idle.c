// Parameters without effect say so: every parameter of every deformer is moved to its ends on small scenes. Either the skin
// changes, or a note says why not; and where a note says so, not one bit may change.
#include "bent.h"
#include "run/runner.h"

#include <math.h>

// ---------------------------------------------------------------------------------------------- scenes

static const char rich_world[] = "{\"wind\":[3,0,1],\"gravity\":[0,-9.81,0],"
                                 "\"bodies\":[{\"name\":\"ball\",\"sphere\":{\"center\":[0.3,0.05,0.02],\"radius\":0.03},"
                                 "\"keys\":[{\"time\":0},{\"time\":0.3,\"move\":[0,-0.01,0]}]}],"
                                 "\"forces\":[{\"name\":\"poke\",\"bone\":\"forearm\",\"radius\":0.1,\"value\":[3,-20,5],"
                                 "\"keys\":[{\"time\":0.1,\"value\":0},{\"time\":0.2,\"value\":1}]},"
                                 "{\"name\":\"spot\",\"region\":\"SPOT\",\"value\":[2,9,4]}],"
                                 "\"muscles\":{\"*arm\":[{\"time\":0,\"value\":0},{\"time\":0.2,\"value\":0.8}]}}";

// Everything that a parameter may depend on: sculpts at three times with time after the last, two painted groups, a world.
typedef struct scene {
    sup_character*  made;
    sup_character   character; // made's, with other examples and maps
    const sup_clip* clip;
    const char*     world; // NULL: none
    sup_example     examples[3];
    sup_map         maps[3];
    sup_arena*      arena;
} scene;

// A sculpt at that time: the skinned skin with a wave on it.
static const sup_vec3* sculpt(const scene* s, double time, float height)
{
    play p = play_chain((sup_chain_desc){ .character = s->made, .clip = s->clip }, (sup_instance_desc){ .clip = s->clip });
    play_hash(&p, time);
    sup_vec3* points = SUP_NEW(s->arena, sup_vec3, p.points);
    for (uint32_t i = 0; i < p.points; ++i) {
        sup_vec3 rest = s->made->mesh.points[i];
        points[i] =
            v3_add(p.out[i], v3(0.3f * height * rest.y, height * sinf(13.0f * rest.x + 20.0f * rest.z), height * rest.x));
    }
    play_end(&p);
    return points;
}

static void add_channel(scene* s, sup_channel channel)
{
    uint32_t     count = s->clip->channel_count;
    sup_channel* channels = SUP_NEW(s->arena, sup_channel, count + 1);
    for (uint32_t i = 0; i < count; ++i) channels[i] = s->clip->channels[i];
    channels[count] = channel;
    sup_clip* moved = SUP_NEW(s->arena, sup_clip, 1);
    *moved = *s->clip;
    moved->channels = channels;
    moved->channel_count++;
    s->clip = moved;
}

static void move_root(scene* s)
{
    static const float times[] = { 0, 0.4f, 0.8f }, values[] = { 0, 0, 0, 0.05f, 0.2f, 0, 0, 0, 0.1f };
    add_channel(s,
                (sup_channel){
                    .target = 0, .path = SUP_PATH_TRANSLATION, .key_count = 3, .width = 3, .times = times, .values = values });
}

static void twist_hand(scene* s)
{
    static const float times[] = { 0, 0.4f, 0.8f }, turns[] = { 0, 0, 0, 1, 0.6f, 0, 0, 0.8f, 0.8f, 0, 0, 0.6f };
    add_channel(s, (sup_channel){ .target = s->made->skeleton.joint_count - 1,
                                  .path = SUP_PATH_ROTATION,
                                  .key_count = 3,
                                  .width = 4,
                                  .times = times,
                                  .values = turns });
}

// Bends until its skin meets itself, and twists its hand. With the sculpts it comes with, or none.
static scene plain_arm(bool sculpts, uint32_t points)
{
    scene s = { .made = test_builtin("arm", points), .arena = sup_arena_create(NULL) };
    s.character = *s.made;
    if (!sculpts) s.character.example_count = 0;
    s.clip = sup_character_clip(s.made, "flex");
    twist_hand(&s);
    return s;
}

// Without its last face.
static void open_mesh(sup_mesh* mesh)
{
    uint32_t corners = mesh->face_begin[mesh->face_count] - mesh->face_begin[mesh->face_count - 1];
    mesh->face_count--;
    mesh->corner_count -= corners;
    mesh->triangle_count -= corners - 2;
}

static void fill_rich(scene* s)
{
    static const double times[] = { 0.0, 0.2, 0.5 };
    static const float  heights[] = { 0.0f, 0.02f, -0.03f };
    uint32_t            n = s->made->mesh.point_count;
    move_root(s);
    float *near = SUP_NEW(s->arena, float, n), *far = SUP_NEW(s->arena, float, n), *spot = SUP_NEW(s->arena, float, n);
    for (int i = 0; i < 3; ++i)
        s->examples[i] = (sup_example){ .name = i == 2 ? "last"
                                                : i    ? "middle"
                                                       : "first",
                                        .clip = "flex",
                                        .time = times[i],
                                        .points = sculpt(s, times[i], heights[i]) };
    for (uint32_t i = 0; i < n; ++i) {
        sup_vec3 at = s->made->mesh.points[i];
        near[i] = at.x < 0.35f, far[i] = 1.0f - near[i];
        spot[i] = fabsf(at.x - 0.45f) < 0.06f && at.y > 0;
    }
    s->maps[0] = (sup_map){ .name = "_GROUP_A", .values = near };
    s->maps[1] = (sup_map){ .name = "_GROUP_B", .values = far };
    s->maps[2] = (sup_map){ .name = "_SPOT", .values = spot };
    open_mesh(&s->character.mesh);
    s->character.examples = s->examples;
    s->character.example_count = 3;
    s->character.maps = s->maps;
    s->character.map_count = 3;
    s->world = rich_world;
}

static void scene_end(scene* s)
{
    sup_character_destroy(s->made);
    sup_arena_destroy(s->arena);
}

// ---------------------------------------------------------------------------------------------- one run

enum { FRAMES = 5 }; // until the elbow is closed

typedef struct run {
    sup_vec3* points;  // of all frames, in the arena of the trial
    bool      changed; // against the run before
    bool      noted;   // a note says that the row, or the whole link, does nothing
    bool      whole;   // of the whole link
    bool      bound;
    char      words[256];
} run;

static void take_notes(const sup_chain* chain, const sup_deformer* d, const char* param, run* out)
{
    char own[64], all[64];
    sup_format(own, sizeof own, "%s: %s does nothing", d->name, param);
    sup_format(all, sizeof all, "%s: it does nothing", d->name);
    for (uint32_t i = 0; i < sup_chain_note_count(chain); ++i) {
        const char* note = sup_chain_note(chain, i);
        if (strncmp(note, own, strlen(own)) && strncmp(note, all, strlen(all))) continue;
        out->noted = true;
        out->whole |= strncmp(note, own, strlen(own)) != 0;
        sup_format(out->words, sizeof out->words, "%s", note);
    }
}

// What a note calls idle may still round differently; without a note, any bit counts.
static bool is_changed(const sup_vec3* a, const sup_vec3* b, const sup_mesh* mesh, bool noted)
{
    float most = 0;
    if (!noted) return memcmp(a, b, mesh->point_count * sizeof *a) != 0;
    for (uint32_t i = 0; i < mesh->point_count; ++i) most = fmaxf(most, v3_distance(a[i], b[i]));
    return most > 1e-4f * mesh->diagonal;
}

// Plays the deformer with the settings. Compared with another run it stops where the skin differs.
static run run_with(const scene* s, const sup_deformer* d, const char* param, const char* const* settings, uint32_t count,
                    const run* against, sup_arena* arena)
{
    const sup_mesh* mesh = &s->character.mesh;
    run             out = { .points = SUP_NEW(arena, sup_vec3, (size_t)FRAMES * mesh->point_count) };
    play            p = { .points = mesh->point_count };
    sup_error       error;
    sup_chain_desc  desc = { .character = &s->character,
                             .clip = s->clip,
                             .links = d->name,
                             .settings = settings,
                             .setting_count = count,
                             .world = s->world ? test_json(s->world, arena) : NULL };
    out.bound = sup_chain_create(&desc, &p.chain, &error) == SUP_OK;
    if (!out.bound) {
        sup_format(out.words, sizeof out.words, "%s", error.text);
        return out;
    }
    take_notes(p.chain, d, param, &out);
    sup_instance_desc instance = { .chain = p.chain, .clip = s->clip, .preroll = 0.02 };
    assert_ok(sup_instance_create(&instance, &p.instance, &error), error);
    p.scratch = play_memory(sup_chain_scratch_size(p.chain));
    p.out = play_memory((p.points + 1) * sizeof(sup_vec3));
    for (uint32_t f = 0; f < FRAMES && !out.changed; ++f) {
        size_t at = (size_t)f * p.points;
        play_hash(&p, 0.05 + 0.22 * f);
        memcpy(out.points + at, p.out, p.points * sizeof *p.out);
        out.changed = against && is_changed(out.points + at, against->points + at, mesh, out.noted);
    }
    play_end(&p);
    return out;
}

// ---------------------------------------------------------------------------------------------- values

// Values for text rows: they have no ends to move to.
static const char* text_value(const sup_deformer* d, const sup_param* p)
{
    static const char* const values[][2] = {
        { "groups", "_GROUP_*" },
        { "lattice.parts", "upper_arm forearm" },
        { "layers.planes", "forearm=0.3" },
        { "layers.cage", "200" },
        { "beam.edges", "40-41" },
        { "bend.line", "*arm" },
        { "bend.stations", "0.2 0.4 0.5 0.55 0.6 0.65 0.7 0.75 0.8 0.85 0.9 0.95" },
        { "bend.drive", "last=forearm:0:100" },
    };
    char own[64];
    sup_format(own, sizeof own, "%s.%s", d->name, p->name);
    for (uint32_t i = 0; i < SUP_COUNT_OF(values); ++i)
        if (strcmp(values[i][0], own) == 0 || strcmp(values[i][0], p->name) == 0) return values[i][1];
    fail_msg("%s: the test has no text to try it with", own);
    return NULL;
}

// The i-th value to try, other than the default, as 'NAME.PARAM=VALUE'. False: there are no more.
static bool setting_at(const sup_deformer* d, const sup_param* p, int i, char* text, size_t size)
{
    if (p->type == SUP_PARAM_TEXT) {
        if (i == 0) sup_format(text, size, "%s.%s=%s", d->name, p->name, text_value(d, p));
        return i == 0;
    }
    double values[16];
    int    count = 0;
    if (p->type == SUP_PARAM_CHOICE)
        for (int k = 0; p->choices[k] && count < 16; ++k) values[count++] = k;
    else if (p->type == SUP_PARAM_BOOL) values[0] = 0, values[1] = 1, count = 2;
    else { // the ends, and a little more than the default, where the ends may be refused
        values[0] = p->min, values[1] = p->max, count = 2;
        values[count++] = p->type == SUP_PARAM_INT ? p->standard + 1 : p->standard + 0.1 * (p->max - p->standard);
    }
    for (int k = 0; k < count; ++k) {
        if (values[k] == p->standard || i-- > 0) continue;
        if (p->type == SUP_PARAM_CHOICE) sup_format(text, size, "%s.%s=%s", d->name, p->name, p->choices[(int)values[k]]);
        else sup_format(text, size, "%s.%s=%g", d->name, p->name, values[k]);
        return true;
    }
    return false;
}

// Settings under which the row has an effect: the first alternative of each clause that is another row, and what that row
// needs.
static uint32_t enable(const sup_deformer* d, const char* only_with, char (*texts)[96], uint32_t count)
{
    bool done = false;
    for (only_item item; only_next(&only_with, &item);) {
        if (item.first) done = false;
        if (done || item.test == ONLY_CONDITION) continue;
        const sup_param* p = &d->params[param_find(d, item.name, item.name_length)];
        done = true;
        if (item.test != ONLY_EQUAL && p->type == SUP_PARAM_TEXT)
            sup_format(texts[count++], sizeof *texts, "%s.%s=%s", d->name, p->name, text_value(d, p));
        else if (item.test != ONLY_EQUAL) { // a number that has to be above some value, or another one
            double value = item.test == ONLY_ABOVE ? p->max : (p->min + p->max) / 2;
            sup_format(texts[count++], sizeof *texts, "%s.%s=%g", d->name, p->name, value);
        } else sup_format(texts[count++], sizeof *texts, "%s.%s=%.*s", d->name, p->name, (int)item.value_length, item.value);
        count = enable(d, p->only_with, texts, count);
    }
    return count;
}

// ---------------------------------------------------------------------------------------------- claims

typedef struct trial {
    const sup_deformer* d;
    const sup_param*    p;
    const scene*        known; // a scene whose run with nothing set is there already
    const run*          known_run;
    uint32_t            moved, silent, noted, refused;
    uint32_t            faults;
} trial;

static void fault(trial* t, const char* setting, const char* words)
{
    print_message("    %s: %s\n", setting, words);
    t->faults++;
}

// The row at other values until the skin changes (all of them for choices), with settings before and after it.
static void try_row(trial* t, const scene* s, const char* const* before, uint32_t count)
{
    char        setting[160], last[160] = "";
    const char* settings[9];
    sup_arena*  arena = sup_arena_create(NULL);
    bool        known = s == t->known && count == 0;
    const run   plain = known ? *t->known_run : run_with(s, t->d, t->p->name, before, count, NULL, arena);
    for (uint32_t i = 0; i < count; ++i) settings[i] = before[i];
    settings[count] = setting;
    t->moved = t->silent = t->noted = t->refused = 0;
    if (!plain.bound) fail_msg("%s.%s: %s", t->d->name, t->p->name, plain.words);
    for (int v = 0; setting_at(t->d, t->p, v, setting, sizeof setting); ++v) {
        if (t->moved && t->p->type != SUP_PARAM_CHOICE) break;
        const run r = run_with(s, t->d, t->p->name, settings, count + 1, &plain, arena);
        // Then the note is wrong, unless this value removes everything that the link did before.
        if (r.noted && r.changed && !(r.whole && !plain.whole)) fault(t, setting, r.words);
        if (!r.bound) t->refused++;                           // with a reason: that is a word as well
        else if (r.changed) t->moved++;
        else if (r.noted) t->noted++;
        else t->silent++, sup_format(last, sizeof last, "%s", setting);
    }
    sup_arena_destroy(arena);
    // One end of a range may be the default, and one choice what 'auto' chooses.
    bool automatic = t->p->type == SUP_PARAM_CHOICE && strcmp(t->p->choices[(int)t->p->standard], "auto") == 0;
    bool choice = t->p->type == SUP_PARAM_CHOICE && !automatic;
    if (t->silent && (t->moved == 0 || choice))
        fault(t, last, s->world ? "changes no point here" : "changes no point, and no note says why");
}

// Settings under which the first clause that is about other rows alone does not hold. 0: there is none.
static uint32_t disable(const sup_deformer* d, const char* only_with, char (*texts)[96])
{
    uint32_t    count = 0;
    bool        rows = true;
    const char* clause = only_with;
    for (only_item item; only_next(&only_with, &item);) {
        if (item.first && count && rows) break;
        if (item.first) count = 0, rows = true, clause = item.name;
        if (item.test == ONLY_CONDITION) {
            rows = false;
            continue;
        }
        const sup_param* p = &d->params[param_find(d, item.name, item.name_length)];
        const char*      value = p->type == SUP_PARAM_TEXT && item.test == ONLY_EQUAL ? text_value(d, p) : "";
        int              other = 0;
        if (p->type == SUP_PARAM_CHOICE)
            while (p->choices[other] && strstr(clause, p->choices[other])) ++other;
        if (p->type == SUP_PARAM_CHOICE) value = p->choices[other];
        else if (p->type == SUP_PARAM_BOOL) value = *item.value == 't' ? "false" : "true";
        if (p->type == SUP_PARAM_FLOAT || p->type == SUP_PARAM_INT)
            sup_format(texts[count++], sizeof *texts, "%s.%s=%.*s", d->name, p->name, (int)item.value_length, item.value);
        else sup_format(texts[count++], sizeof *texts, "%s.%s=%s", d->name, p->name, value);
    }
    return rows ? count : 0;
}

static void try_param(trial* t, const scene* plain, const scene* rich)
{
    char        texts[8][96];
    const char* settings[8];
    try_row(t, plain, NULL, 0);
    if (t->moved == 0) {
        // Idle there: it must have an effect once its needs are met.
        uint32_t count = enable(t->d, t->p->only_with, texts, 0);
        for (uint32_t i = 0; i < count; ++i) settings[i] = texts[i];
        if (count) try_row(t, plain, settings, count);
        if (!count || t->moved == 0) try_row(t, rich, settings, count);
        if (t->noted || t->moved == 0) fault(t, t->p->name, "is idle where its only_with holds");
    }
    // And where another row removes that, a note says so correctly.
    uint32_t count = disable(t->d, t->p->only_with, texts);
    for (uint32_t i = 0; i < count; ++i) settings[i] = texts[i];
    if (count) try_row(t, rich, settings, count);
    if (count && (t->moved || t->silent)) fault(t, t->p->name, "acts although its only_with does not hold");
}

static void every_parameter_changes_the_skin_or_says_why_not(void** state)
{
    (void)state;
    scene    bare = plain_arm(false, 300), sculpted = plain_arm(true, 300), rich = plain_arm(true, 300);
    scene    fine = plain_arm(false, 8000);
    uint32_t faults = 0;
    fill_rich(&rich);
    for (uint32_t i = 0; i < sup_deformer_count(); ++i) {
        const sup_deformer* d = sup_deformer_at(i);
        print_message("  %s\n", d->name);
        // Folds need points.
        bool         detailed = d->only_with && strcmp(d->only_with, "fine") == 0;
        const scene* plain = detailed ? &fine : d->needs & SUP_NEEDS_EXAMPLES ? &sculpted : &bare;
        const run    first = run_with(plain, d, "", NULL, 0, NULL, rich.arena);
        for (uint32_t k = 0; k < d->param_count; ++k) {
            trial t = { .d = d, .p = &d->params[k], .known = plain, .known_run = &first };
            try_param(&t, plain, &rich);
            faults += t.faults;
        }
    }
    scene_end(&bare), scene_end(&sculpted), scene_end(&rich), scene_end(&fine);
    assert_int_equal(faults, 0);
}

// Every item names a row with that value, or a condition.
static void check_items(const sup_deformer* d, const char* text)
{
    for (only_item item; only_next(&text, &item);) {
        if (item.test == ONLY_CONDITION) {
            assert_non_null(only_condition(d, &item));
            continue;
        }
        uint32_t row = param_find(d, item.name, item.name_length);
        if (row == SUP_NONE) fail_msg("%s: '%s' names no row", d->name, item.name);
        const sup_param* p = &d->params[row];
        bool             known = p->type != SUP_PARAM_CHOICE;
        for (int i = 0; !known && p->choices[i]; ++i)
            known = strlen(p->choices[i]) == item.value_length && !memcmp(p->choices[i], item.value, item.value_length);
        if (!known) fail_msg("%s: '%s' names no choice of %s", d->name, item.value, p->name);
    }
}

static void only_with_names_rows_values_and_conditions(void** state)
{
    (void)state;
    for (uint32_t i = 0; i < sup_deformer_count(); ++i) {
        const sup_deformer* d = sup_deformer_at(i);
        check_items(d, d->only_with);
        for (uint32_t k = 0; k < d->param_count; ++k) check_items(d, d->params[k].only_with);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_with_names_rows_values_and_conditions),
        cmocka_unit_test(every_parameter_changes_the_skin_or_says_why_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

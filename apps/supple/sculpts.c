// Examples from files, and a rig for those who bring only shapes.
#include "sculpts.h"

#include "fit_shapes.h"
#include "progress.h"
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct sculpts {
    const options* o;
    sup_arena*     arena;
    double         fps, start;
    uint32_t       count, room;
    const char**   names;
    double*        times;
    const char**   morphs; ///< the morph target that is the sculpt; NULL: a file
    truth_set      files;  ///< of those that are files, in order
} sculpts;

// ---------------------------------------------------------------------------------------------- --example

// "1.5" is seconds, "12f" an output frame. Where the value begins in *rest.
static bool read_time(const sculpts* s, const char* text, double* out, const char** rest)
{
    char* end = NULL;
    *out = strtod(text, &end);
    if (end == text || !isfinite(*out) || *out < 0) return false;
    if (*end == 'f') {
        *out = sup_frame_time(s->start, s->fps, (uint32_t)*out);
        end++;
    }
    if (*end != '=' || !end[1]) return false;
    *rest = end + 1;
    return true;
}

static bool sculpts_add(sculpts* s, const char* name, double time, const char* morph)
{
    if (s->count == s->room) {
        uint32_t     room = s->room ? 2 * s->room : 16;
        const char** names = sup_arena_alloc(s->arena, room, sizeof *names);
        const char** morphs = sup_arena_alloc(s->arena, room, sizeof *morphs);
        double*      times = sup_arena_alloc(s->arena, room, sizeof *times);
        if (!names || !times || !morphs) return false;
        if (s->count) {
            memcpy(names, s->names, s->count * sizeof *names);
            memcpy(morphs, s->morphs, s->count * sizeof *morphs);
            memcpy(times, s->times, s->count * sizeof *times);
        }
        s->names = names;
        s->morphs = morphs;
        s->times = times;
        s->room = room;
    }
    s->names[s->count] = name;
    s->morphs[s->count] = morph;
    s->times[s->count++] = time;
    return true;
}

// A folder stands for its numbered files, one an output frame from its time on.
static int add_files(sculpts* s, const char* word, double time)
{
    truth_set list;
    int       code = truth_files(&word, 1, "--example", "example", s->arena, &list);
    for (uint32_t i = 0; i < list.count && code == EXIT_DONE; i++)
        if (!sculpts_add(s, list.paths[i], time + i / s->fps, NULL)) code = fail_memory();
    return code;
}

static int read_examples(sculpts* s)
{
    for (uint32_t i = 0; i < options_count(s->o, FLAG_EXAMPLE); i++) {
        const char *word = options_nth(s->o, FLAG_EXAMPLE, i), *value = NULL;
        double      time = 0;
        if (!read_time(s, word, &time, &value)) {
            say_error("--example '%s' is not TIME=FILE; write seconds or an output frame, like 0.5=bent.obj or 12f=bent.obj",
                      word);
            return EXIT_USAGE;
        }
        int code = EXIT_DONE;
        if (strncmp(value, "morph:", 6) == 0) code = sculpts_add(s, value + 6, time, value + 6) ? EXIT_DONE : fail_memory();
        else code = add_files(s, value, time);
        if (code != EXIT_DONE) return code;
    }
    return EXIT_DONE;
}

// By time; examples of one time would be two wishes at once.
static int sort_examples(sculpts* s)
{
    for (uint32_t i = 1; i < s->count; i++)
        for (uint32_t j = i; j > 0 && s->times[j] < s->times[j - 1]; j--) {
            double      time = s->times[j];
            const char *name = s->names[j], *morph = s->morphs[j];
            s->times[j] = s->times[j - 1], s->names[j] = s->names[j - 1], s->morphs[j] = s->morphs[j - 1];
            s->times[j - 1] = time, s->names[j - 1] = name, s->morphs[j - 1] = morph;
        }
    for (uint32_t i = 1; i < s->count; i++)
        if (s->times[i] - s->times[i - 1] < 1e-6) {
            say_error("'%s' and '%s' are examples of one time, %g s; give them different times", s->names[i - 1], s->names[i],
                      s->times[i]);
            return EXIT_USAGE;
        }
    return EXIT_DONE;
}

static int load_files(sculpts* s, const sup_character* character)
{
    truth_set* t = &s->files;
    *t = (truth_set){ .what = "example" };
    t->paths = sup_arena_alloc(s->arena, s->count, sizeof(char*));
    t->points = sup_arena_alloc(s->arena, s->count, sizeof(sup_vec3*));
    if (!t->paths || !t->points) return fail_memory();
    for (uint32_t i = 0; i < s->count; i++)
        if (!s->morphs[i]) t->paths[t->count++] = s->names[i];
    int code = t->count ? truth_load(t, character, s->arena) : EXIT_DONE;
    if (code == EXIT_DONE && t->gap > 1e-6 * (double)character->mesh.diagonal && !options_has(s->o, FLAG_QUIET))
        say_note("copies of one point in the examples lie up to %g units apart; their mean was taken", t->gap);
    return code;
}

// The rest shape with the targets of that name on, in every part that has one.
static const sup_vec3* morph_points(const sup_character* c, const char* name, sup_arena* arena)
{
    sup_vec3* points = NULL;
    for (uint32_t m = 0; m < c->morph_count; m++) {
        if (strcmp(c->morphs[m].name, name) != 0) continue;
        const sup_part* part = &c->mesh.parts[c->morphs[m].part];
        if (!points) points = sup_arena_copy(arena, c->mesh.points, c->mesh.point_count, sizeof *points);
        for (uint32_t i = 0; points && i < part->point_count; i++) {
            sup_vec3 *p = &points[part->point_begin + i], d = c->morphs[m].deltas[i];
            *p = (sup_vec3){ p->x + d.x, p->y + d.y, p->z + d.z };
        }
    }
    return points;
}

static int put_examples(sculpts* s, sup_character* c)
{
    sup_example* list = sup_arena_alloc(c->arena, s->count, sizeof *list);
    if (!list) return fail_memory();
    for (uint32_t i = 0, file = 0; i < s->count; i++) {
        const sup_vec3* points = s->morphs[i] ? morph_points(c, s->morphs[i], s->arena) : s->files.points[file++];
        if (!points) {
            say_error("--example: '%s' has no morph target '%s'", c->name, s->morphs[i]);
            return EXIT_FAILED;
        }
        list[i] = (sup_example){ .name = sup_arena_text(c->arena, s->names[i], strlen(s->names[i])),
                                 .time = s->times[i],
                                 .in_rest_space = s->morphs[i] != NULL,
                                 .points = sup_arena_copy(c->arena, points, c->mesh.point_count, sizeof *points) };
        if (!list[i].name || !list[i].points) return fail_memory();
    }
    if (c->example_count && !options_has(s->o, FLAG_QUIET))
        say_note("the %u examples of '%s' itself are left out", c->example_count, c->name);
    c->examples = list;
    c->example_count = s->count;
    return EXIT_DONE;
}

// ---------------------------------------------------------------------------------------------- bones for shapes

// What the motion is taken from, best known first.
static int choose_shapes(const sculpts* s, const sup_character* c, fit_shapes* out, const double** times)
{
    uint32_t points = c->mesh.point_count;
    out->fps = s->fps;
    *times = NULL;
    if (options_has(s->o, FLAG_TRUTH)) {
        truth_set t;
        int       code = truth_list(s->o, s->arena, &t);
        if (code == EXIT_DONE) code = truth_load(&t, c, s->arena);
        out->frame_count = t.count;
        return code == EXIT_DONE ? fit_shapes_join(&t, points, s->arena, &out->frames) : code;
    }
    if (c->clip_count)
        return fit_shapes_play(c, &c->clips[0], 0, c->clips[0].seconds, s->fps, s->arena, &out->frames, &out->frame_count);
    // A lone sculpt moves from the rest shape.
    bool      lone = s->files.count == 1 && s->times[0] > 0;
    double*   keys = sup_arena_alloc(s->arena, s->count + 1, sizeof *keys);
    sup_vec3* frames = sup_arena_alloc(s->arena, ((size_t)s->files.count + 1) * points, sizeof *frames);
    if (!keys || !frames) return fail_memory();
    if (lone) memcpy(frames, c->mesh.points, points * sizeof *frames);
    out->frame_count = lone;
    for (uint32_t i = 0, file = 0; i < s->count; i++) {
        if (s->morphs[i]) continue;
        memcpy(frames + (size_t)out->frame_count * points, s->files.points[file++], points * sizeof *frames);
        keys[out->frame_count++] = s->times[i];
    }
    out->frames = frames;
    *times = keys;
    return EXIT_DONE;
}

static int fit_bones(const sculpts* s, bool silent, sup_character** character)
{
    const sup_mesh*   mesh = &(*character)->mesh;
    fit_shapes        shapes = { 0 };
    const double*     times = NULL;
    sup_decomposition fit;
    sup_character*    made = NULL;
    sup_pool*         pool = NULL;
    sup_error         error = { 0 };
    double            bones = 0;
    if (s->o->verb->bit != VERB_RENDER && !options_number(s->o, FLAG_FIT_BONES, 1, SUP_DECOMPOSE_BONES_MAX, 0, &bones))
        return EXIT_USAGE;
    int code = choose_shapes(s, *character, &shapes, &times);
    if (code == EXIT_DONE && shapes.frame_count < 2) return EXIT_DONE; // nothing moves
    if (code == EXIT_DONE) code = pool_make(s->o, &pool);
    if (code != EXIT_DONE) return code;
    const sup_decompose_options how = { .bones = bones > 0                ? (uint32_t)bones
                                                 : mesh->point_count < 10 ? 1
                                                                          : 0,
                                        .tasks = sup_pool_tasks(pool) };
    const sup_decompose_input   in = { mesh->point_count, shapes.frame_count, mesh->points, shapes.frames, 0, NULL, NULL };
    sup_result                  result = sup_decompose(&in, &how, s->arena, &fit, &error);
    sup_pool_destroy(pool);
    if (result == SUP_OK) result = sup_decomposition_attach(*character, &fit, "fit", s->fps, times, NULL, &made, &error);
    if (result != SUP_OK) return fail_with(&error);
    if (!silent && !options_has(s->o, FLAG_QUIET))
        say_note(
            "'%s' has no skeleton: %u bones were found in %u shapes (E_RMS %.2f) and carry the rigid part; 'supple fit' keeps "
            "such a rig",
            (*character)->name, fit.bone_count, shapes.frame_count, fit.erms);
    sup_character_destroy(*character);
    *character = made;
    return EXIT_DONE;
}

// Shapes and nothing that could carry them.
static bool needs_bones(const options* o, const sup_character* c, uint32_t examples)
{
    bool shapes = examples || (options_has(o, FLAG_TRUTH) && !c->clip_count);
    return shapes && c->skeleton.skin_joint_count == 0 && c->skeleton.joint_count <= 1;
}

int sculpts_apply(const options* o, bool silent, sup_character** character)
{
    sculpts s = { .o = o, .arena = sup_arena_create(NULL) };
    if (!s.arena) return fail_memory();
    int code = EXIT_DONE;
    if (!options_number(o, FLAG_FPS, 0.001, 10000, 30, &s.fps) || !options_number(o, FLAG_START, 0, 1e9, 0, &s.start))
        code = EXIT_USAGE;
    if (code == EXIT_DONE) code = read_examples(&s);
    if (code == EXIT_DONE) code = sort_examples(&s);
    if (code == EXIT_DONE && s.count) code = load_files(&s, *character);
    if (code == EXIT_DONE && needs_bones(o, *character, s.files.count)) code = fit_bones(&s, silent, character);
    if (code == EXIT_DONE && s.count) code = put_examples(&s, *character);
    sup_arena_destroy(s.arena);
    return code;
}

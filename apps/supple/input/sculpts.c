// Sculpts by file: reading [CLIP@]T=FILE[#MESH] and T=morph:NAME, and matching them to the character.
#include "sculpts.h"

#include "report/report.h"
#include "system/system.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double SNAP = 0.0005; // seconds: an example this close to an output frame is meant for it

typedef struct example_flag {
    double      time; // seconds, or frames
    bool        in_frames;
    const char* clip; // the clip of the time, `clip_length` long; NULL: the one that plays
    size_t      clip_length;
    const char* morph; // NULL: a file
    const char* path;
} example_flag;

// ---------------------------------------------------------------------------------------------- reading

static int read_flag(const char* text, example_flag* out)
{
    char*       end = NULL;
    const char *equals = strchr(text, '='), *begin = text;
    *out = (example_flag){ 0 };
    // "walk@0.5=FILE": a time never contains '@', a clip's name may.
    for (const char* c = text; equals && c < equals; c++)
        if (*c == '@') out->clip = text, out->clip_length = (size_t)(c - text), begin = c + 1;
    out->time = strtod(begin, &end);
    out->in_frames = end != begin && *end == 'f';
    if (out->in_frames) end++;
    if (end == begin || *end != '=' || !isfinite(out->time) || out->time < 0.0 || end[1] == 0) {
        report_error("--example '%s' is not T=FILE: a time in seconds (0.5, or walk@0.5 of another clip) or an output frame "
                     "(12f), and a sculpt or morph:NAME",
                     text);
        return EXIT_USAGE;
    }
    if (out->in_frames && out->time != floor(out->time)) {
        report_error("--example '%s': frames are whole numbers, counted from 0", text);
        return EXIT_USAGE;
    }
    if (strncmp(end + 1, "morph:", 6) == 0) out->morph = end + 7;
    else out->path = end + 1;
    return EXIT_DONE;
}

static bool there_is(const char* path)
{
    path_info info;
    return path_look(path, &info) == 0 && info.kind != PATH_FOLDER;
}

// "rig.glb#Body": one mesh of a file. If a file has that whole name, it is that file.
static int split_mesh(const char* path, sup_arena* arena, const char** file, const char** mesh)
{
    *file = path;
    *mesh = NULL;
    const char* hash = strrchr(path, '#');
    if (there_is(path)) return EXIT_DONE;
    if (hash && hash[1] && hash != path) {
        *file = sup_arena_text(arena, path, (size_t)(hash - path));
        *mesh = hash + 1;
        if (!*file) return fail_memory();
    }
    if (there_is(*file)) return EXIT_DONE;
    report_error("--example '%s': there is no such file", *file);
    return EXIT_FAILED;
}

static int read_keys(const options* o, double* every)
{
    if (!options_number(o, FLAG_KEYS, 1, 1e6, 1, every)) return EXIT_USAGE;
    if (*every == floor(*every)) return EXIT_DONE;
    report_error("--keys needs a whole number: every how many truth meshes one is an example");
    return EXIT_USAGE;
}

int examples_flags(const options* o)
{
    sup_arena* arena = sup_arena_create(NULL);
    int        code = arena ? EXIT_DONE : fail_memory();
    for (uint32_t i = 0; i < options_count(o, FLAG_EXAMPLE) && code == EXIT_DONE; i++) {
        example_flag f;
        const char * file, *mesh;
        code = read_flag(options_nth(o, FLAG_EXAMPLE, i), &f);
        if (code == EXIT_DONE && f.path) code = split_mesh(f.path, arena, &file, &mesh);
    }
    sup_arena_destroy(arena);
    double every;
    return code == EXIT_DONE ? read_keys(o, &every) : code;
}

// ---------------------------------------------------------------------------------------------- giving

static bool is_named(const sup_clip* clip, const example_flag* f)
{
    return strlen(clip->name) == f->clip_length && strncmp(clip->name, f->clip, f->clip_length) == 0;
}

/// The clip that an example belongs to; NULL in `out`: none plays.
static int example_clip(const sup_character* c, const motion* m, const example_flag* f, const sup_clip** out)
{
    *out = m->clip;
    if (!f->clip || (m->clip && is_named(m->clip, f))) return EXIT_DONE;
    for (uint32_t i = 0; i < c->clip_count; i++)
        if (is_named(*out = &c->clips[i], f)) return EXIT_DONE;
    report_error("--example '%.*s@%g': '%s' has no clip of that name", (int)f->clip_length, f->clip, f->time, c->name);
    return EXIT_FAILED;
}

static double example_time(const motion* m, const sup_clip* clip, const example_flag* f)
{
    if (clip != m->clip) return f->in_frames ? f->time / m->fps : f->time; // output frames belong to the other clip
    if (f->in_frames) return sup_frame_time(m->start, m->fps, (uint32_t)fmin(f->time, 4e9));
    double frame = floor((f->time - m->start) * m->fps + 0.5);
    if (frame < 0.0 || frame > 4e9) return f->time;
    double shown = sup_frame_time(m->start, m->fps, (uint32_t)frame);
    return fabs(shown - f->time) <= SNAP ? shown : f->time;
}

static int morph_points(const sup_character* c, const char* name, sup_arena* arena, sup_vec3** out)
{
    const sup_mesh* mesh = &c->mesh;
    bool            found = false;
    sup_vec3*       points = sup_arena_copy(arena, mesh->points, mesh->point_count, sizeof *points);
    if (!points) return fail_memory();
    for (uint32_t i = 0; i < c->morph_count; i++) {
        const sup_morph* m = &c->morphs[i];
        if (strcmp(m->name, name) != 0) continue;
        found = true; // one in each part that has it
        const sup_part* part = &mesh->parts[m->part];
        for (uint32_t p = 0; p < part->point_count; p++) {
            sup_vec3* at = &points[part->point_begin + p];
            *at = (sup_vec3){ at->x + m->deltas[p].x, at->y + m->deltas[p].y, at->z + m->deltas[p].z };
        }
    }
    *out = points;
    if (found) return EXIT_DONE;
    char   names[600] = "";
    size_t at = 0;
    for (uint32_t i = 0; i < c->morph_count && at < sizeof names; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s'%s'", i ? ", " : "", c->morphs[i].name);
    if (c->morph_count) report_error("'%s' has no morph '%s'; it has %s", c->name, name, names);
    else report_error("'%s' has no morph '%s': it has no morphs at all", c->name, name);
    return EXIT_FAILED;
}

// Two sculpts at one instant contradict each other.
static int check_times(const sup_example* examples, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (examples[i].clip == examples[k].clip && fabs(examples[i].time - examples[k].time) <= SNAP) {
                report_error("the examples '%s' and '%s' are both at %.4g s; give each its own time", examples[k].name,
                             examples[i].name, examples[i].time);
                return EXIT_FAILED;
            }
    return EXIT_DONE;
}

static int load_files(const options* o, sup_character* c, truth_set* t)
{
    uint32_t count = options_count(o, FLAG_EXAMPLE);
    *t = (truth_set){ .what = "example",
                      .paths = sup_arena_alloc(c->arena, count, sizeof *t->paths),
                      .meshes = sup_arena_alloc(c->arena, count, sizeof *t->meshes),
                      .points = sup_arena_alloc(c->arena, count, sizeof *t->points) };
    if (!t->paths || !t->meshes || !t->points) return fail_memory();
    int code = EXIT_DONE;
    for (uint32_t i = 0; i < count && code == EXIT_DONE; i++) {
        example_flag f;
        code = read_flag(options_nth(o, FLAG_EXAMPLE, i), &f);
        if (code != EXIT_DONE || f.morph) continue;
        code = split_mesh(f.path, c->arena, &t->paths[t->count], &t->meshes[t->count]);
        t->count++;
    }
    if (code == EXIT_DONE) code = truth_load(t, c, c->arena);
    if (code == EXIT_DONE && t->gap > 1e-6 * (double)c->mesh.diagonal && !options_has(o, FLAG_QUIET))
        report_note("copies of one point in the examples are up to %g units apart; their mean is used", t->gap);
    return code;
}

int examples_apply(const options* o, const motion* m, sup_character* c)
{
    uint32_t  count = options_count(o, FLAG_EXAMPLE), file = 0;
    truth_set t;
    if (count == 0) return EXIT_DONE;
    int code = load_files(o, c, &t);
    if (code != EXIT_DONE) return code;
    sup_example* examples = sup_arena_alloc(c->arena, count, sizeof *examples);
    if (!examples) return fail_memory();
    for (uint32_t i = 0; i < count && code == EXIT_DONE; i++) {
        example_flag    f;
        sup_vec3*       points = NULL;
        const sup_clip* clip = NULL;
        code = read_flag(options_nth(o, FLAG_EXAMPLE, i), &f);
        if (code == EXIT_DONE) code = example_clip(c, m, &f, &clip);
        if (code == EXIT_DONE && f.morph) code = morph_points(c, f.morph, c->arena, &points);
        else if (code == EXIT_DONE) points = t.points[file++];
        examples[i] = (sup_example){ .name = f.morph ? f.morph : f.path,
                                     .clip = clip ? clip->name : NULL,
                                     .time = example_time(m, clip, &f),
                                     .in_rest_space = f.morph != NULL,
                                     .points = points };
        if (code == EXIT_DONE && clip && examples[i].time > clip->seconds + SNAP) {
            report_error("the example '%s' is at %.4g s, past the end of the clip '%s' (%.3f s)", examples[i].name,
                         examples[i].time, clip->name, clip->seconds);
            code = EXIT_FAILED;
        }
    }
    if (code == EXIT_DONE) code = check_times(examples, count);
    if (code != EXIT_DONE) return code;
    c->examples = examples;
    c->example_count = count;
    return EXIT_DONE;
}

int examples_from_truth(const options* o, const motion* m, const truth_set* t, sup_character* c)
{
    double every = 0.0;
    if (!options_has(o, FLAG_KEYS)) return EXIT_DONE;
    if (read_keys(o, &every) != EXIT_DONE) return EXIT_USAGE;
    uint32_t     step = (uint32_t)every, count = 0;
    sup_example* examples = sup_arena_alloc(c->arena, t->count / step + 2, sizeof *examples);
    if (!examples) return fail_memory();
    for (uint32_t i = 0; i < t->count; i += i + step >= t->count && i + 1 < t->count ? t->count - 1 - i : step)
        examples[count++] = (sup_example){ .name = t->paths[i],
                                           .clip = m->clip ? m->clip->name : NULL,
                                           .time = sup_frame_time(m->start, m->fps, i),
                                           .points = t->points[i] };
    c->examples = examples;
    c->example_count = count;
    return EXIT_DONE;
}

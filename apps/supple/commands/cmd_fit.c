// supple fit: a rig from shapes, or parameters of a chain from a truth (fit_params.c).
#include "commands.h"
#include "fit_params.h"
#include "fit_shapes.h"
#include "progress.h"
#include "report/report.h"
#include "supple/io.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int read_whole(const options* o, flag_id id, double min, double max, double fallback, double* out)
{
    if (!options_number(o, id, min, max, fallback, out)) return EXIT_USAGE;
    if (*out == floor(*out)) return EXIT_DONE;
    report_error("--%s needs a whole number", options_flag_name(id));
    return EXIT_USAGE;
}

static int read_flags(const options* o, sup_decompose_options* out)
{
    double bones = 0, influences = 0, seed = 0;
    int    code = read_whole(o, FLAG_FIT_BONES, 1, SUP_DECOMPOSE_BONES_MAX, 0, &bones);
    if (code == EXIT_DONE) code = read_whole(o, FLAG_INFLUENCES, 1, 16, 4, &influences);
    if (code == EXIT_DONE) code = read_whole(o, FLAG_SEED, 0, 9007199254740991.0, 0, &seed);
    if (code != EXIT_DONE) return code;
    if (!options_number(o, FLAG_ERROR, 1e-6, 1e6, 0, &out->error)) return EXIT_USAGE;
    if (!options_number(o, FLAG_SMOOTH, 0, 100, 0, &out->smooth)) return EXIT_USAGE;
    if (!options_number(o, FLAG_RIGID, 0, 1, 0, &out->rigid)) return EXIT_USAGE;
    if (options_has(o, FLAG_RIGID) && out->rigid == 0) out->rigid = -1; // 0 is the library's default
    if (options_has(o, FLAG_HIERARCHY) && options_has(o, FLAG_FIT_FLAT)) {
        report_error("--hierarchy and --flat cannot be combined; leave one of them out");
        return EXIT_USAGE;
    }
    // With a target error, --bones is the maximum.
    if (out->error > 0) out->bones_max = (uint32_t)bones;
    else out->bones = (uint32_t)bones;
    out->influences = (uint32_t)influences;
    out->seed = (uint64_t)seed;
    out->flat = options_has(o, FLAG_FIT_FLAT);
    return EXIT_DONE;
}

// ---------------------------------------------------------------------------------------------- telling

static sup_json* describe(const char* output, const sup_character* c, const sup_decomposition* fit, uint64_t bytes,
                          double seconds, sup_arena* arena)
{
    const struct {
        const char* key;
        double      value;
    } numbers[] = { { "bytes", (double)bytes },
                    { "points", fit->point_count },
                    { "frames", fit->frame_count },
                    { "bones", fit->bone_count },
                    { "influences_max", c->weights.influences_max },
                    { "erms", fit->erms },
                    { "rms", fit->rms },
                    { "max", fit->max },
                    { "diagonal", (double)c->mesh.diagonal },
                    { "rounds", fit->rounds },
                    { "moved", fit->moved },
                    { "seconds", floor(seconds * 1e6 + 0.5) / 1e6 } };
    sup_json* json = sup_json_new(arena, SUP_JSON_OBJECT);
    sup_json* last = sup_json_set(arena, json, "output", sup_json_new_string(arena, output));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        last = sup_json_set(arena, json, numbers[i].key, sup_json_new_number(arena, numbers[i].value));
    return last ? json : NULL;
}

static void print_result(const char* output, const sup_character* c, const sup_decomposition* fit, uint64_t bytes,
                         double seconds)
{
    double diagonal = (double)c->mesh.diagonal;
    printf("%s: %u bone%s, at most %u a point, for %u frames of %u points, %.1f MB\n", output, fit->bone_count,
           fit->bone_count == 1 ? "" : "s", c->weights.influences_max, fit->frame_count, fit->point_count, (double)bytes / 1e6);
    printf("E_RMS %.3f; distances rms %.3f %%, max %.2f %% of the diagonal; %u rounds in %.2f s\n", fit->erms,
           100.0 * fit->rms / diagonal, 100.0 * fit->max / diagonal, fit->rounds, seconds);
}

// ---------------------------------------------------------------------------------------------- running

static int write_rig(const options* o, fit_shapes* s, const sup_decomposition* fit, double seconds, sup_arena* arena)
{
    const char*    output = o->words[o->word_count - 1];
    sup_character* made = NULL;
    sup_error      error = { 0 };
    uint64_t       bytes = 0;
    if (sup_decomposition_attach(s->rest, fit, "fit", s->fps, NULL, NULL, &made, &error) != SUP_OK) return fail_with(&error);
    sup_character_inherit(made, s->rest);
    s->rest = NULL;
    int code = EXIT_DONE;
    interrupts_hold();
    sup_result written = sup_character_write(made, output, NULL, &bytes, &error);
    interrupts_release();
    if (written != SUP_OK) code = fail_with(&error);
    else if (options_has(o, FLAG_JSON))
        code = print_json(describe(output, made, fit, bytes, seconds, arena)) ? EXIT_DONE : EXIT_FAILED;
    else if (!options_has(o, FLAG_QUIET)) print_result(output, made, fit, bytes, seconds);
    sup_character_destroy(made);
    return code;
}

static int fit_rig(const options* o, sup_decompose_options* how, fit_shapes* s, sup_arena* arena)
{
    sup_decomposition         fit;
    sup_error                 error = { 0 };
    progress                  bar;
    double                    begin = now_seconds();
    const sup_mesh*           mesh = &s->rest->mesh;
    const sup_decompose_input in = { mesh->point_count, s->frame_count,   mesh->points,       s->frames,
                                     mesh->face_count,  mesh->face_begin, mesh->corner_points };
    progress_begin(&bar, "fit", options_has(o, FLAG_QUIET));
    bar.notes = true;
    how->progress = &bar.sink;
    sup_result result = sup_decompose(&in, how, arena, &fit, &error);
    progress_end(&bar);
    if (result != SUP_OK) return fail_with(&error);
    uint32_t asked = how->bones;
    if (fit.bone_count < asked && !options_has(o, FLAG_QUIET))
        report_note("%u bones reproduce the motion exactly; %u were requested", fit.bone_count, asked);
    if (how->error > 0 && fit.erms > how->error)
        report_warning("E_RMS is %.3f with %u bones, not %g; raise --bones or --influences", fit.erms, fit.bone_count,
                       how->error);
    return write_rig(o, s, &fit, now_seconds() - begin, arena);
}

// Refuses a path that cannot become a GLB before the work begins.
static int check_output(const char* path)
{
    if (sup_path_ends_in(path, "glb")) return EXIT_DONE;
    report_error("fit writes .glb files, and the last argument is '%s'; write: supple fit FILES... OUT.glb", path);
    return EXIT_USAGE;
}

int cmd_fit(const options* o)
{
    if (options_has(o, FLAG_DEFORM) || options_has(o, FLAG_PRESET) || options_has(o, FLAG_WRITE)) return fit_params(o);
    sup_decompose_options how = { 0 };
    fit_shapes            shapes = { 0 };
    sup_pool*             pool = NULL;
    sup_arena*            arena = sup_arena_create(NULL);
    if (!arena) return fail_memory();
    int code = EXIT_DONE;
    if (o->word_count < 2) {
        report_error("fit needs shapes and an output; write: supple fit FILES... OUT.glb");
        code = EXIT_USAGE;
    }
    if (code == EXIT_DONE) code = read_flags(o, &how);
    if (code == EXIT_DONE) code = check_output(o->words[o->word_count - 1]);
    if (code == EXIT_DONE) code = fit_shapes_read(o, o->words, o->word_count - 1, arena, &shapes);
    if (code == EXIT_DONE) code = pool_make(o, &pool);
    how.tasks = sup_pool_tasks(pool);
    if (code == EXIT_DONE) code = fit_rig(o, &how, &shapes, arena);
    sup_character_destroy(shapes.rest);
    sup_pool_destroy(pool);
    sup_arena_destroy(arena);
    return code;
}

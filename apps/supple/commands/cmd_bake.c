// supple bake: the main job. Flags to a bake_job, the outcome to words or JSON.
#include "bake_run.h"
#include "budget.h"
#include "commands.h"
#include "input/chains.h"
#include "input/common.h"
#include "input/rigging.h"
#include "input/sculpts.h"
#include "render/normal_map.h"
#include "report/fallbacks.h"
#include "report/judging.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------- result

static sup_json* hash_text(sup_arena* arena, uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    return sup_json_new_string(arena, text);
}

// Six decimals of a time are enough: more digits are noise.
static sup_json* rounded(sup_arena* arena, double value) { return sup_json_new_number(arena, floor(value * 1e6 + 0.5) / 1e6); }

static sup_json* describe(const options* o, const bake_job* job, const bake_outcome* out, double seconds, sup_arena* arena)
{
    sup_json* json = sup_json_new(arena, SUP_JSON_OBJECT);
    sup_json_set(arena, json, "output", sup_json_new_string(arena, job->output));
    sup_json_set(arena, json, "bytes", sup_json_new_number(arena, (double)out->bytes));
    sup_json_set(arena, json, "frames", sup_json_new_number(arena, out->frames));
    sup_json_set(arena, json, "points", sup_json_new_number(arena, job->character->mesh.point_count));
    sup_json_set(arena, json, "seconds", rounded(arena, seconds));
    sup_json_set(arena, json, "ms_per_frame", rounded(arena, 1000.0 * out->evaluate / out->frames));
    sup_json_set(arena, json, "hash", hash_text(arena, out->hash));
    if (out->counts) sup_json_set(arena, json, "counts", sup_json_new_string(arena, out->counts));
    sup_json* fallbacks = sup_json_set(arena, json, "fallbacks", sup_json_new(arena, SUP_JSON_OBJECT));
    for (uint32_t i = 0; i < out->stats.count; i++)
        sup_json_set(arena, fallbacks, out->stats.items[i].name, sup_json_new_number(arena, (double)out->stats.items[i].times));
    sup_json* partners = rigging_describe_partners(o, job->character, arena);
    if (partners) sup_json_set(arena, json, "motion", partners);
    sup_json* verdict =
        sup_json_set(arena, json, "verdict",
                     out->verdict.frames ? verdict_describe(&out->verdict, arena) : sup_json_new(arena, SUP_JSON_NULL));
    if (out->budget) sup_json_set(arena, json, "budget", budget_describe(out->budget, job->character, arena));
    if (!options_has(o, FLAG_HASHES)) return fallbacks && verdict ? json : NULL;
    sup_json* hashes = sup_json_set(arena, json, "hashes", sup_json_new(arena, SUP_JSON_ARRAY));
    sup_json* last = hashes;
    for (uint32_t i = 0; i < out->frames; i++) last = sup_json_push(hashes, hash_text(arena, out->hashes[i]));
    return last ? json : NULL;
}

// Counters are for machines; what people must know is a sentence.
static void print_verdict(const options* o, const bake_job* job, const bake_outcome* out)
{
    char text[900];
    if (options_has(o, FLAG_QUIET)) return;
    if (out->verdict.frames) {
        sup_verdict_text(&out->verdict, text, sizeof text);
        puts(text);
    } else if (job->judged)
        printf("No verdict: %u triangles take too long to measure during a bake; 'supple compare' measures them.\n",
               job->character->mesh.triangle_count);
    for (uint32_t i = 0; i < out->stats.count; i++)
        if (fallback_text(out->stats.items[i].name, out->stats.items[i].times, text, sizeof text)) puts(text);
}

static void print_result(const options* o, const bake_job* job, const bake_outcome* out, double seconds)
{
    if (options_has(o, FLAG_QUIET) && !options_has(o, FLAG_HASHES)) return;
    printf("%s: %u frame%s of %s%s%s by %s, %u points, %.1f MB\n", job->output, out->frames, out->frames == 1 ? "" : "s",
           job->motion.clip ? "'" : "", job->motion.clip ? job->motion.clip->name : "a pose", job->motion.clip ? "'" : "",
           out->chain, job->character->mesh.point_count, (double)out->bytes / 1e6);
    printf("%.3f ms a frame, %.2f s in all, hash %016" PRIx64 "\n", 1000.0 * out->evaluate / out->frames, seconds, out->hash);
    if (out->counts && !options_has(o, FLAG_QUIET)) puts(out->counts);
    if (out->budget && !options_has(o, FLAG_QUIET)) budget_print(out->budget, job->character, options_has(o, FLAG_VERBOSE));
    print_verdict(o, job, out);
    for (uint32_t i = 0; i < out->frames && options_has(o, FLAG_HASHES); i++)
        printf("%6u  %9.4f s  %016" PRIx64 "\n", i, sup_frame_time(job->motion.start, job->motion.fps, i), out->hashes[i]);
}

static void note_lines(const char* text)
{
    while (text && *text) {
        size_t length = strcspn(text, "\n");
        if (length) report_warning("%.*s", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

enum { MAP_LEVELS = 3, MAP_LEAST = 16, MAP_MOST = 8192 };

static int read_vat(const options* o, sup_vat* out)
{
    static const char* const names[] = { "png", "exr", "packed" };
    const char*              text = options_text(o, FLAG_VAT, NULL);
    if (!text) return EXIT_DONE;
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) *out = (sup_vat)(SUP_VAT_PNG + i);
    if (*out) return EXIT_DONE;
    report_error("--vat '%s' is not known; there are png, exr and packed (one PNG with normals in its lower half)", text);
    return EXIT_USAGE;
}

// The file's mesh with tangents replaces the character: a normal map is meaningless without tangents, and textures follow the
// vertices of a glTF.
static int prepare_map(const options* o, sup_character** character)
{
    double         size;
    sup_error      error = { 0 };
    sup_character* copy = NULL;
    if (!options_has(o, FLAG_NORMAL_MAP) && !options_has(o, FLAG_VAT)) return EXIT_DONE;
    if (options_has(o, FLAG_NORMAL_MAP) && !options_number(o, FLAG_NORMAL_MAP, MAP_LEAST, MAP_MOST, 0, &size))
        return EXIT_USAGE;
    if (sup_character_tangents(*character, NULL, &copy, &error) != SUP_OK) return fail_with(&error);
    sup_character_destroy(*character);
    *character = copy;
    return EXIT_DONE;
}

static sup_result write_tension(const bake_job* job, sup_error* error)
{
    sup_arena* arena = sup_arena_create(NULL);
    sup_result result =
        arena ? tension_write(job, arena, error) : sup_fail(error, SUP_ERROR_MEMORY, "out of memory for the tension");
    sup_arena_destroy(arena);
    return result;
}

static sup_result write_map(const options* o, const bake_job* job, sup_error* error)
{
    double         size;
    uint32_t       levels = 0;
    sup_character* fine = NULL;
    if (!options_has(o, FLAG_NORMAL_MAP)) return job->tension && !job->vat ? write_tension(job, error) : SUP_OK;
    if (!options_number(o, FLAG_NORMAL_MAP, MAP_LEAST, MAP_MOST, 0, &size) || subdivide_levels(o, &levels) != EXIT_DONE)
        return sup_fail(error, SUP_ERROR_INPUT, "--normal-map needs a size");
    sup_arena* arena = sup_arena_create(NULL);
    sup_result result = arena
                            ? sup_character_subdivide_dressed(job->character, levels ? levels : MAP_LEVELS, NULL, &fine, error)
                            : sup_fail(error, SUP_ERROR_MEMORY, "out of memory for a normal map");
    if (result == SUP_OK) result = normal_map_write(job, job->character, fine, (uint32_t)size, arena, error);
    sup_character_destroy(fine);
    sup_arena_destroy(arena);
    return result;
}

static int bake_character(const options* o, sup_character* character, bake_job job, double begin, sup_arena* arena)
{
    sup_pose     pose;
    progress     bar;
    bake_outcome out;
    sup_error    error = { 0 };
    int          code = motion_choose(o, job.character, arena, &pose, &job.motion);
    if (code == EXIT_DONE) code = examples_apply(o, &job.motion, character);
    sup_bake_budget budget;
    bool            given = false;
    if (code == EXIT_DONE) code = budget_read(o, job.character, &budget, &given);
    if (given) job.budget = &budget;
    if (code != EXIT_DONE) return code;
    if (job.character->unit_assumed && !options_has(o, FLAG_QUIET))
        report_note("the file does not state its unit: %g m is assumed; --unit changes it",
                    job.character->metres_per_unit);

    char* command = job.checkpoint ? options_command(o) : NULL;
    if (job.checkpoint) {
        checkpoint_identify(o, job.checkpoint);
        job.checkpoint->command = command ? command : "supple bake";
    }
    job.bar = &bar;
    progress_begin(&bar, "bake", options_has(o, FLAG_QUIET));
    sup_result result = write_map(o, &job, &error);
    if (result == SUP_OK) result = bake_run(&job, arena, &out, &error);
    progress_end(&bar);
    free(command);
    if (result != SUP_OK) return fail_with(&error);

    note_lines(out.warnings);
    chain_report_lost(out.chain, &out.stats);
    double seconds = now_seconds() - begin;
    if (!options_has(o, FLAG_JSON)) print_result(o, &job, &out, seconds);
    else if (!print_json(describe(o, &job, &out, seconds, arena))) return EXIT_FAILED;
    return EXIT_DONE;
}

int cmd_bake(const options* o)
{
    double         begin = now_seconds();
    bake_job       job = { .output = o->words[1],
                           .name = options_text(o, FLAG_NAME, NULL),
                           .flags = o,
                           .inputs = options_has(o, FLAG_OVERWRITE) ? NULL : o->inputs,
                           .flat = options_has(o, FLAG_FLAT),
                           .sparse = options_has(o, FLAG_SPARSE),
                           .meshopt = options_has(o, FLAG_MESHOPT),
                           .tension = options_has(o, FLAG_TENSION),
                           .tension_colors = options_has(o, FLAG_TENSION_COLORS),
                           .judged = !options_has(o, FLAG_NO_VERDICT) && (options_has(o, FLAG_JSON) || !options_has(o, FLAG_QUIET)) };
    sup_character* character = NULL;
    sup_pool*      pool = NULL;
    sup_arena*     arena = sup_arena_create(NULL);
    if (!arena) return fail_memory();

    checkpoint saved;
    int        code = motion_flags(o, &job.motion);
    if (code == EXIT_DONE) code = read_vat(o, &job.vat);
    if (code == EXIT_DONE) code = checkpoint_flags(o, job.output, &saved);
    if (code == EXIT_DONE && saved.every > 0) job.checkpoint = &saved;
    if (code == EXIT_DONE) code = examples_flags(o);
    if (code == EXIT_DONE) code = chain_read(o, arena, &job.chain);
    if (code == EXIT_DONE) code = character_load(o, o->words[0], false, &character);
    if (code == EXIT_DONE) code = prepare_map(o, &character);
    if (code == EXIT_DONE) code = pool_make(o, &pool);
    const char** saves = sup_arena_alloc(arena, options_count(o, FLAG_SAVE) + 1, sizeof *saves);
    if (code == EXIT_DONE && !saves) code = fail_memory();
    if (code == EXIT_DONE) {
        for (uint32_t i = 0; i < options_count(o, FLAG_SAVE); i++) saves[job.save_count++] = options_nth(o, FLAG_SAVE, i);
        job.saves = saves;
        job.character = character;
        job.tasks = sup_pool_tasks(pool);
        code = bake_character(o, character, job, begin, arena);
    }
    sup_character_destroy(character);
    sup_pool_destroy(pool);
    sup_arena_destroy(arena);
    return code;
}

// supple bench: times the shared scenes, together with the machine's own limits.
#include "bench/bench.h"
#include "commands.h"
#include "input/common.h"
#include "progress.h"
#include "report/report.h"
#include "supple/io_extra.h"
#include "system/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench_run {
    bench_options options;
    bool          json;
    const char*   csv; ///< folder, or NULL
    const char**  files;
    uint32_t      file_count;
    bench_machine machine;
    bench_row*    rows;
    uint32_t      row_count, row_capacity;
} bench_run;

static bool whole_number(const char* flag, const char* text, uint32_t most, uint32_t* out)
{
    char*         end;
    unsigned long value = strtoul(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && value >= 1 && value <= most) {
        *out = (uint32_t)value;
        return true;
    }
    report_error("%s %s is not a whole number from 1 to %u", flag, text, most);
    return false;
}

static int read_words(const options* o, bench_run* run)
{
    const char *threads = options_text(o, FLAG_THREADS, NULL), *repeat = options_text(o, FLAG_REPEAT, NULL);
    if (threads && !whole_number("--threads", threads, 256, &run->options.threads)) return EXIT_USAGE;
    if (repeat && !whole_number("--repeat", repeat, 1000000, &run->options.repeat)) return EXIT_USAGE;
    run->json = options_has(o, FLAG_JSON);
    run->csv = options_text(o, FLAG_CSV, NULL);
    run->options.scene = options_text(o, FLAG_SCENE, NULL);
    run->files = o->words;
    run->file_count = o->word_count;
    return EXIT_DONE;
}

// ---------------------------------------------------------------------------------------------- running

// Shows on a terminal which scene runs; the table comes at the end.
static void show_scene(const char* name)
{
    fprintf(stderr, "\r\033[K%s", name);
    fflush(stderr);
}

static bool add_row(void* user, const bench_row* row)
{
    bench_run* run = user;
    if (run->row_count == run->row_capacity) {
        uint32_t   capacity = run->row_capacity ? 2 * run->row_capacity : 64;
        bench_row* rows = realloc(run->rows, capacity * sizeof *rows);
        if (!rows) return false;
        run->rows = rows;
        run->row_capacity = capacity;
    }
    run->rows[run->row_count++] = *row;
    return !interrupts_signal();
}

/// Times every deformer on one character. One that cannot bind is reported and skipped; the others still run.
static int run_character(bench_run* run, const char* scene, const sup_character* character, bool skinning_only)
{
    for (uint32_t i = 0; i < sup_deformer_count(); ++i) {
        const sup_deformer* deformer = sup_deformer_at(i);
        sup_error           error;
        if (skinning_only && deformer->skinning == SUP_SKINNING_NONE) continue;
        sup_result result = bench_character(scene, character, deformer, &run->options, add_row, run, &error);
        if (result == SUP_ERROR_INPUT) report_warning("%s on %s is left out: %s", deformer->name, scene, error.text);
        else if (result != SUP_OK) return fail_with(&error);
    }
    return EXIT_DONE;
}

/// Whether any deformer of a scene is selected; unselected scenes are not made.
static bool wanted(const bench_run* run, const char* scene)
{
    char name[64];
    for (uint32_t i = 0; i < sup_deformer_count(); ++i) {
        snprintf(name, sizeof name, "%s/%s", scene, sup_deformer_at(i)->name);
        if (bench_wanted(&run->options, name)) return true;
    }
    return false;
}

static int run_tube(bench_run* run, const char* scene, uint32_t points)
{
    sup_character* character = NULL;
    sup_error      error;
    if (!wanted(run, scene)) return EXIT_DONE;
    if (bench_tube_create(points, 0, &character, &error)) return fail_with(&error);
    int code = run_character(run, scene, character, true);
    sup_character_destroy(character);
    return code;
}

static int run_file(bench_run* run, const char* path)
{
    const char* name = path_name(path);
    char        scene[40];
    if (strncmp(name, "builtin:", 8) == 0) name += 8;
    snprintf(scene, sizeof scene, "%.*s", (int)strcspn(name, "."), name);
    sup_character* character = NULL;
    sup_error      error;
    if (!wanted(run, scene)) return EXIT_DONE;
    sup_load_options load = { .extra = sup_extra_get() };
    if (sup_load(path, &load, &character, &error)) return fail_with(&error);
    int code = run_character(run, scene, character, false);
    sup_character_destroy(character);
    return code;
}

/// Times one deformer with settings of its own, on a character that its performance goal names.
static int run_goal(bench_run* run, const char* scene, sup_character* character, const char* deformer, const char* links)
{
    bench_options own = run->options;
    sup_error     error;
    own.links = links;
    sup_result result = bench_character(scene, character, sup_deformer_find(deformer), &own, add_row, run, &error);
    sup_character_destroy(character);
    return result == SUP_OK ? EXIT_DONE : fail_with(&error);
}

/// 100,000 points under five iterations of smoothing; 10,000 points between eight sculpts.
static int run_goals(bench_run* run)
{
    sup_character* character = NULL;
    sup_error      error;
    if (bench_wanted(&run->options, "beast-100k/smooth")) {
        if (sup_load("builtin:beast?points=100000", NULL, &character, &error)) return fail_with(&error);
        int code = run_goal(run, "beast-100k", character, "smooth", "smooth(iterations=5)");
        if (code != EXIT_DONE) return code;
    }
    if (bench_wanted(&run->options, "tube-10k/pose_space")) {
        if (bench_tube_create(10000, 8, &character, &error)) return fail_with(&error);
        return run_goal(run, "tube-10k", character, "pose_space", NULL);
    }
    return EXIT_DONE;
}

/// The four sizes of Chen et al. 2012 (1072 to 3058 particles for 28,059 points and 38 joints) with their own step of 16 ms.
static int run_lattices(bench_run* run)
{
    static const struct {
        const char *scene, *links;
    } sizes[] = { { "particles-1162", "lattice(cells=18)" },
                  { "particles-2056", "lattice(cells=23)" },
                  { "particles-2648", "lattice(cells=26)" },
                  { "particles-3123", "lattice(cells=28)" } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        char name[64];
        snprintf(name, sizeof name, "%s/lattice", sizes[i].scene);
        if (!bench_wanted(&run->options, name)) continue;
        sup_character* character = NULL;
        sup_error      error;
        if (bench_beast_create(28059, 38, &character, &error)) return fail_with(&error);
        run->options.step = 0.016;
        int code = run_goal(run, sizes[i].scene, character, "lattice", sizes[i].links);
        run->options.step = 0;
        if (code != EXIT_DONE) return code;
    }
    return EXIT_DONE;
}

// The measurements of a layers model, and the rows made from them.
enum { ELASTICITY, TWICE, VOLUME, TOTAL, TIMED };
static const char* const timed_links[TIMED] = { "layers(volume=0,contact=off,joint_keep=0,squeeze=0,smoothing=0)",
                                                "layers(volume=0,contact=off,joint_keep=0,squeeze=0,smoothing=0,iterations=4)",
                                                "layers(contact=off)", "layers" };
static const struct {
    const char* name;
    int         of, less; // index of a measurement, and of one to subtract from it; less -1: none
} scene_rows[] = { { "elasticity", ELASTICITY, -1 },
                   { "volume", VOLUME, ELASTICITY },
                   { "contact", TOTAL, VOLUME },
                   { "total", TOTAL, -1 },
                   { "regions", TWICE, ELASTICITY } };
// Regions fitted by two more rounds in four substeps: the bones' regions stay as the first round fitted them.
enum { REGIONS_MORE = 3 * 4 * 2 };

typedef struct timed_rows {
    bench_row rows[2]; // with one thread, and with several
    uint32_t  count;
} timed_rows;

/// Keeps the best of the rounds.
static bool keep_row(void* user, const bench_row* row)
{
    timed_rows* t = user;
    uint32_t    at = row->threads > 1;
    if (at == t->count) t->rows[t->count++] = *row;
    else if (row->ms < t->rows[at].ms) t->rows[at].ms = row->ms;
    return !interrupts_signal();
}

/// Alternates the models: rows are subtracted, and a disturbance of a few seconds must not hit only one of them.
static int time_model(bench_run* run, const char* scene, const char* path, const bool needed[TIMED], timed_rows out[TIMED])
{
    uint32_t rounds = run->options.repeat ? run->options.repeat : 2;
    for (uint32_t turn = 0; turn < rounds * TIMED; ++turn) {
        uint32_t       k = turn % TIMED;
        sup_character* character = NULL;
        sup_error      error;
        bench_options  own = run->options;
        if (!needed[k]) continue;
        own.repeat = 1;
        if (sup_load(path, NULL, &character, &error)) return fail_with(&error);
        own.step = 0.005;
        own.links = timed_links[k];
        own.scene = NULL;
        sup_result result = bench_character(scene, character, sup_deformer_find("layers"), &own, keep_row, &out[k], &error);
        sup_character_destroy(character);
        if (result != SUP_OK) return fail_with(&error);
    }
    return EXIT_DONE;
}

/// Splits a step of 5 ms as in Table 1 of Deul and Bender 2013: elasticity, volume (with joints and folds), contact, total.
static int run_model(bench_run* run, const char* scene, const char* path)
{
    bool       wants[sizeof scene_rows / sizeof *scene_rows], needed[TIMED] = { false };
    timed_rows timed[TIMED] = { 0 };
    char       name[64];
    for (size_t i = 0; i < sizeof scene_rows / sizeof *scene_rows; ++i) {
        snprintf(name, sizeof name, "%s-%s/layers", scene, scene_rows[i].name);
        wants[i] = bench_wanted(&run->options, name);
        needed[scene_rows[i].of] |= wants[i];
        if (scene_rows[i].less >= 0) needed[scene_rows[i].less] |= wants[i];
    }
    int code = time_model(run, scene, path, needed, timed);
    for (size_t i = 0; i < sizeof scene_rows / sizeof *scene_rows && code == EXIT_DONE; ++i)
        for (uint32_t k = 0; wants[i] && k < timed[scene_rows[i].of].count; ++k) {
            bench_row row = timed[scene_rows[i].of].rows[k];
            snprintf(row.name, sizeof row.name, "%s-%s/layers", scene, scene_rows[i].name);
            row.reference_ms = row.cpu_ms = 0;
            if (scene_rows[i].less >= 0) {
                row.ms -= timed[scene_rows[i].less].rows[k].ms;
                if (!(row.ms > 1e-6)) row.ms = 1e-6; // lost in the noise of both
                row.memory = 0;
            }
            if (scene_rows[i].of == TWICE) row.points *= REGIONS_MORE; // makes ns/point the time of one region
            if (!add_row(run, &row)) return interrupts_signal() ? 128 + interrupts_signal() : fail_memory();
        }
    return code;
}

static int run_layers(bench_run* run)
{
    int code = run_model(run, "arm-2916", "builtin:arm?points=2916");
    if (code == EXIT_DONE) code = run_model(run, "hand-5404", "builtin:arm?points=5404");
    if (code == EXIT_DONE) code = run_model(run, "bigman-8570", "builtin:beast?points=8570");
    return code;
}

static int run_all(bench_run* run)
{
    int code = run_tube(run, "tube-30k", 30000);
    if (code == EXIT_DONE) code = run_tube(run, "tube-300k", 300000);
    if (code == EXIT_DONE) code = run_goals(run);
    if (code == EXIT_DONE) code = run_lattices(run);
    if (code == EXIT_DONE) code = run_layers(run);
    for (uint32_t i = 0; code == EXIT_DONE && i < sup_builtin_count(); ++i) {
        char path[64];
        snprintf(path, sizeof path, "builtin:%s", sup_builtin_name(i));
        code = run_file(run, path);
    }
    for (uint32_t i = 0; code == EXIT_DONE && i < run->file_count; ++i) code = run_file(run, run->files[i]);
    sup_error error;
    if (code == EXIT_DONE && bench_weights(&run->options, add_row, run, &error) != SUP_OK) code = fail_with(&error);
    if (code == EXIT_DONE && bench_fit(&run->options, add_row, run, &error) != SUP_OK) code = fail_with(&error);
    if (code == EXIT_DONE && bench_beams(&run->options, add_row, run, &error) != SUP_OK) code = fail_with(&error);
    if (code == EXIT_DONE && bench_bending(&run->options, add_row, run, &error) != SUP_OK) code = fail_with(&error);
    if (code == EXIT_DONE && bench_series(&run->options, add_row, run, &error) != SUP_OK) code = fail_with(&error);
    if (code == EXIT_DONE && bench_files(&run->options, add_row, run, &error) != SUP_OK) code = fail_with(&error);
    return code;
}

// ---------------------------------------------------------------------------------------------- telling

static bool print_as_json(const bench_run* run)
{
    sup_arena* arena = sup_arena_create(NULL);
    if (!arena) return print_json(NULL);
    const bench_machine* m = &run->machine;
    sup_json *           root = sup_json_new(arena, SUP_JSON_OBJECT), *machine = sup_json_new(arena, SUP_JSON_OBJECT);
    sup_json*            scenes = sup_json_new(arena, SUP_JSON_ARRAY);
    bool                 good = sup_json_set(arena, machine, "cpu", sup_json_new_string(arena, m->cpu)) &&
                sup_json_set(arena, machine, "cores", sup_json_new_number(arena, m->cores)) &&
                sup_json_set(arena, machine, "compiler", sup_json_new_string(arena, SUPPLE_COMPILER)) &&
                sup_json_set(arena, machine, "flags", sup_json_new_string(arena, SUPPLE_BUILD_FLAGS)) &&
                sup_json_set(arena, machine, "copy_gb_s", sup_json_new_number(arena, m->copy_gb_s)) &&
                sup_json_set(arena, machine, "copy_gb_s_threads", sup_json_new_number(arena, m->copy_gb_s_threads)) &&
                sup_json_set(arena, machine, "threads", sup_json_new_number(arena, m->threads)) &&
                sup_json_set(arena, root, "machine", machine) && sup_json_set(arena, root, "scenes", scenes);
    for (uint32_t i = 0; good && i < run->row_count; ++i) {
        const bench_row* r = &run->rows[i];
        bool             known = r->reference_ms > 0;
        sup_json*        row = sup_json_push(scenes, sup_json_new(arena, SUP_JSON_OBJECT));
        good = sup_json_set(arena, row, "name", sup_json_new_string(arena, r->name)) &&
               sup_json_set(arena, row, "points", sup_json_new_number(arena, r->points)) &&
               sup_json_set(arena, row, "threads", sup_json_new_number(arena, r->threads)) &&
               sup_json_set(arena, row, "ms", sup_json_new_number(arena, r->ms)) &&
               sup_json_set(arena, row, "ns_per_point", sup_json_new_number(arena, bench_ns_per_point(r))) &&
               sup_json_set(arena, row, "reference_ms",
                            known ? sup_json_new_number(arena, r->reference_ms) : sup_json_new(arena, SUP_JSON_NULL)) &&
               sup_json_set(arena, row, "speedup",
                            known ? sup_json_new_number(arena, bench_speedup(r)) : sup_json_new(arena, SUP_JSON_NULL)) &&
               sup_json_set(arena, row, "copy_fraction", sup_json_new_number(arena, bench_copy_fraction(r, m)));
        if (good && r->cpu_ms > 0)
            good = sup_json_set(arena, row, "cpu_ms", sup_json_new_number(arena, r->cpu_ms)) &&
                   sup_json_set(arena, row, "bind_ms", sup_json_new_number(arena, r->bind_ms));
        if (good && r->memory) good = sup_json_set(arena, row, "memory", sup_json_new_number(arena, (double)r->memory)) != NULL;
        if (good && r->bytes)
            good = sup_json_set(arena, row, "mb_s", sup_json_new_number(arena, (double)r->bytes / r->ms / 1e3)) != NULL;
    }
    good = print_json(good ? root : NULL);
    sup_arena_destroy(arena);
    return good;
}

static void print_as_table(const bench_run* run)
{
    const bench_machine* m = &run->machine;
    printf("%s, %u cores; %s, %s\ncopy: %.1f GB/s with one thread, %.1f GB/s with %u\n\n", m->cpu, m->cores, SUPPLE_COMPILER,
           SUPPLE_BUILD_FLAGS, m->copy_gb_s, m->copy_gb_s_threads, m->threads);
    table t;
    table_begin(&t, "scene|>points|>threads|>ms|>ns/point|>textbook ms|>speedup|>of copy|>MB/s|>MB|>B/point|>cpu ms|>bind ms");
    for (uint32_t i = 0; i < run->row_count; ++i) {
        const bench_row* r = &run->rows[i];
        table_add(&t, "%s", r->name);
        table_add(&t, "%u", r->points);
        table_add(&t, "%u", r->threads);
        table_add(&t, "%.4f", r->ms);
        table_add(&t, "%.2f", bench_ns_per_point(r));
        if (r->reference_ms > 0) {
            table_add(&t, "%.4f", r->reference_ms);
            table_add(&t, "%.1f", bench_speedup(r));
        } else {
            table_add(&t, "-");
            table_add(&t, "-");
        }
        if (r->bytes) {
            table_add(&t, "-");
            table_add(&t, "%.0f", (double)r->bytes / r->ms / 1e3);
        } else {
            table_add(&t, "%.2f", bench_copy_fraction(r, m));
            table_add(&t, "-");
        }
        if (r->memory) {
            table_add(&t, "%.1f", (double)r->memory / 1e6);
            table_add(&t, "%.0f", (double)r->memory / r->points);
        } else {
            table_add(&t, "-");
            table_add(&t, "-");
        }
        if (r->cpu_ms > 0) {
            table_add(&t, "%.3f", r->cpu_ms);
            table_add(&t, "%.0f", r->bind_ms);
        } else {
            table_add(&t, "-");
            table_add(&t, "-");
        }
    }
    table_print(&t, 0);
}

/// One file for the rows of one scene, which follow each other.
static bool write_csv(const bench_run* run, uint32_t begin, uint32_t end)
{
    char path[1024];
    int  length = snprintf(path, sizeof path, "%s/%s.csv", run->csv, run->rows[begin].name);
    if (length < 0 || (size_t)length >= sizeof path) {
        report_error("the path of the folder %s is too long; give a shorter one", run->csv);
        return false;
    }
    for (char* c = path + strlen(run->csv) + 1; *c; ++c)
        if (*c == '/') *c = '-';
    FILE* file = path_open(path, "w");
    if (!file) {
        report_error("%s cannot be written: %s", path, strerror(errno));
        return false;
    }
    fprintf(file, "# %s; %s; %s; copy %.1f GB/s with one thread, %.1f with %u\n", run->machine.cpu, SUPPLE_COMPILER,
            SUPPLE_BUILD_FLAGS, run->machine.copy_gb_s, run->machine.copy_gb_s_threads, run->machine.threads);
    fputs("points,threads,ms,ns_per_point,reference_ms,speedup,copy_fraction\n", file);
    for (uint32_t i = begin; i < end; ++i) {
        const bench_row* r = &run->rows[i];
        fprintf(file, "%u,%u,%.5f,%.3f,", r->points, r->threads, r->ms, bench_ns_per_point(r));
        if (r->reference_ms > 0) fprintf(file, "%.5f,%.2f,", r->reference_ms, bench_speedup(r));
        else fputs(",,", file);
        fprintf(file, "%.3f\n", bench_copy_fraction(r, &run->machine));
    }
    bool good = !ferror(file);
    if (fclose(file) != 0 || !good) {
        report_error("%s could not be written completely; is the disk full?", path);
        remove(path);
        return false;
    }
    return true;
}

static bool write_csvs(const bench_run* run)
{
    for (uint32_t begin = 0, end; begin < run->row_count; begin = end) {
        for (end = begin + 1; end < run->row_count && strcmp(run->rows[end].name, run->rows[begin].name) == 0;) ++end;
        if (!write_csv(run, begin, end)) return false;
    }
    return true;
}

int cmd_bench(const options* o)
{
    uint32_t  cores = system_cores();
    bench_run run = { .options = { .threads = cores > 256 ? 256 : cores } };
    sup_error error;
    int       code = read_words(o, &run);
    if (code == EXIT_DONE && run.csv && !path_is_folder(run.csv)) { // before a minute of work, not after it
        int number = path_make_folder(run.csv);
        if (number) report_error("the folder %s cannot be created: %s", run.csv, strerror(number));
        if (number)
        code = EXIT_FAILED;
    }
    if (code == EXIT_DONE) {
        if (system_shows_lines()) run.options.begin = show_scene;
        code = bench_machine_measure(run.options.threads, &run.machine, &error) ? fail_with(&error) : run_all(&run);
        if (run.options.begin) show_scene("");
        if (code == EXIT_DONE && run.row_count == 0) {
            report_error("no scene is named '%s'; 'supple bench' without --scene lists them", run.options.scene);
            code = EXIT_FAILED;
        }
        if (code == EXIT_DONE && !run.json) print_as_table(&run);
        if (code == EXIT_DONE && run.json && !print_as_json(&run)) code = EXIT_FAILED;
        if (code == EXIT_DONE && run.csv && !write_csvs(&run)) code = EXIT_FAILED;
    }
    free(run.rows);
    return code;
}

// supple farm: flags and manifest to a plan, the plan to processes, the outcome to text, JSON and a page.
#include "amounts.h"
#include "commands.h"
#include "farm/farm.h"
#include "input/common.h"
#include "report/html.h"
#include "report/limits.h"
#include "report/report.h"
#include "system/process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_manifest(const char* word)
{
    size_t length = strlen(word);
    return length > 5 && strcmp(word + length - 5, ".json") == 0;
}

// Words that are characters are another way to give --characters.
static int words_to_flags(const options* given, sup_arena* arena, options* out)
{
    *out = *given;
    out->flags = sup_arena_alloc(arena, given->flag_count + given->word_count, sizeof *out->flags);
    if (!out->flags) return fail_memory();
    if (given->flag_count) memcpy(out->flags, given->flags, given->flag_count * sizeof *out->flags);
    for (uint32_t i = 0; i < given->word_count; i++) {
        if (is_manifest(given->words[i])) {
            report_error("'%s' is a manifest and must be the only argument; put the characters into it", given->words[i]);
            return EXIT_USAGE;
        }
        out->flags[out->flag_count++] = (given_flag){ FLAG_CHARACTERS, given->words[i] };
    }
    if (options_has(out, FLAG_CHARACTERS)) return EXIT_DONE;
    report_error("farm needs characters: a manifest (.json), files, folders or patterns; write: supple farm FILE... --out DIR");
    return EXIT_USAGE;
}

// The rank and the number of ranks, as launchers pass them to their children.
static void find_rank(farm* f)
{
    static const char* const names[][3] = { { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL },
                                            { "PMI_RANK", "PMI_SIZE", NULL },
                                            { "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID" } };
    f->ranks = 1;
    for (size_t i = 0; i < sizeof names / sizeof *names && f->ranks == 1; i++) {
        const char *rank = getenv(names[i][0]), *size = getenv(names[i][1]);
        if (!rank || !size || (names[i][2] && !getenv(names[i][2]))) continue;
        long count = strtol(size, NULL, 10), number = strtol(rank, NULL, 10);
        if (count > 1 && number >= 0 && number < count) f->ranks = (uint32_t)count, f->rank = (uint32_t)number;
    }
}

static int read_settings(farm* f)
{
    const options* o = f->flags;
    double         jobs, retries;
    limits         all;
    find_rank(f);
    f->claim_seconds = 60;
    if (!options_number(o, FLAG_JOBS, 1, 1024, f->ranks > 1 ? 1 : system_cores(), &jobs)) return EXIT_USAGE;
    if (!options_number(o, FLAG_RETRIES, 0, 100, 1, &retries)) return EXIT_USAGE;
    int code = amount_time(o, FLAG_TIME_LIMIT, 0.01, 1e7, &f->seconds_max);
    if (code == EXIT_DONE) code = amount_time(o, FLAG_CLAIM_TIMEOUT, 1, 1e5, &f->claim_seconds);
    if (code == EXIT_DONE) code = amount_size(o, FLAG_MEMORY_LIMIT, 1e7, 1e15, &f->bytes_max);
    if (code == EXIT_DONE) code = limits_read(o, 0, &all);
    if (code != EXIT_DONE) return code;
    f->slots = (uint32_t)jobs;
    f->retries = (uint32_t)retries;
    f->limits = (farm_limits){ all.volume_loss, all.intersections };
    f->quiet = options_has(o, FLAG_QUIET);
    f->no_wait = options_has(o, FLAG_NO_WAIT);
    return EXIT_DONE;
}

static int set_folder(farm* f, const char* base, bool manifest)
{
    const char* out = options_text(f->flags, FLAG_OUT, NULL);
    if (!out) out = manifest ? text_make(f->arena, "%sbaked", base) : "out/farm";
    f->out = out;
    if (!out) return fail_memory();
    if (snprintf(f->home, sizeof f->home, "%s/_farm", out) >= (int)sizeof f->home) {
        report_error("the name of the folder '%s' is too long", out);
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

static int list_jobs(farm* f)
{
    uint32_t left = 0;
    farm_look(f);
    for (uint32_t i = 0; i < f->job_count; i++) {
        const farm_job* job = &f->jobs[i];
        left += job->state != JOB_DONE;
        printf("%-5s supple", job->state == JOB_DONE ? "done" : "to do");
        for (uint32_t k = 0; k < job->word_count; k++)
            printf(strpbrk(job->words[k], " ();&|'\"*?") ? " '%s'" : " %s", job->words[k]);
        putchar('\n');
    }
    printf("%u jobs, %u to do\n", f->job_count, left);
    return EXIT_DONE;
}

// Ranks other than the first do not report.
static int report(farm* f, int code)
{
    const char* page = options_text(f->flags, FLAG_HTML, NULL);
    for (uint32_t i = 0; i < f->job_count; i++) farm_judge(f, &f->jobs[i]);
    if (f->rank) return code ? code : EXIT_DONE;
    if (code == EXIT_DONE && page) code = farm_write_html(f, page);
    if (options_has(f->flags, FLAG_JSON)) {
        if (!farm_print_json(f)) return EXIT_FAILED;
    } else if (!f->quiet) farm_print(f);
    if (code > 128) report_error("stopped before the end; finished jobs stay, and the same command resumes from there");
    return code ? code : farm_exit(f);
}

int cmd_farm(const options* o)
{
    options         all = *o;
    const sup_json* jobs = NULL;
    sup_arena*      arena = sup_arena_create(NULL);
    farm            f = { .arena = arena, .given = o, .flags = &all };
    sup_error       error = { 0 };
    if (!arena) return fail_memory();
    bool        manifest = o->word_count == 1 && is_manifest(o->words[0]);
    const char* base = manifest ? sup_arena_text(arena, o->words[0], (size_t)(path_name(o->words[0]) - o->words[0])) : "";
    int         code = !base      ? fail_memory()
                       : manifest ? farm_manifest_read(o->words[0], o, arena, &all, &jobs)
                                  : words_to_flags(o, arena, &all);
    if (code == EXIT_DONE) code = read_settings(&f);
    if (code == EXIT_DONE) code = set_folder(&f, base, manifest);
    const char* page = options_text(&all, FLAG_HTML, NULL);
    if (code == EXIT_DONE && page && !f.rank && !html_probe(page, &error)) code = fail_with(&error);
    if (code == EXIT_DONE && process_prepare() != 0) {
        report_error(
            "farm needs processes, which this system does not provide; run 'supple bake' for each, or farm under Linux");
        code = EXIT_FAILED;
    }
    if (code == EXIT_DONE) code = farm_plan(&f, jobs, base);
    if (code == EXIT_DONE) code = options_has(&all, FLAG_DRY_RUN) ? list_jobs(&f) : report(&f, farm_run(&f));
    sup_arena_destroy(arena);
    return code;
}

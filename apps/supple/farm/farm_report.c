// The results of all jobs: a table, JSON, the exit code.
#include "farm.h"
#include "report/limits.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS_MAX = 40 };

static const char* const states[] = { "waiting", "elsewhere", "running", "done", "failed" };

static double verdict_number(const farm_job* job, const char* key)
{
    return sup_json_number(sup_json_get(sup_json_get(job->result, "verdict"), key), NAN);
}

void farm_judge(const farm* f, farm_job* job)
{
    double      loss = -verdict_number(job, "volume_change"), crossings = verdict_number(job, "crossings");
    bool        limited = isfinite(f->limits.volume_loss) || isfinite(f->limits.intersections);
    const char *volume = "", *pairs = "";
    job->broken = NULL;
    if (job->state != JOB_DONE || !limited) return;
    if (!sup_json_get(sup_json_get(job->result, "verdict"), "frames")) {
        job->broken = "it was not measured: too large, or --no-verdict";
        return;
    }
    if (loss > f->limits.volume_loss)
        volume = text_make(f->arena, "%s loses %.1f %% of its volume at %.2f s, more than %g %%",
                           sup_json_string(sup_json_get(sup_json_get(job->result, "verdict"), "part"), "a part"), 100.0 * loss,
                           verdict_number(job, "volume_time"), 100.0 * f->limits.volume_loss);
    if (isfinite(f->limits.intersections) && worse_than(crossings, f->limits.intersections))
        pairs =
            text_make(f->arena, "%s%.0f pairs of triangles cross at %.2f s, more than %g", *volume ? "\n" : "",
                      isfinite(crossings) ? crossings : 0.0, verdict_number(job, "crossings_time"), f->limits.intersections);
    if (!volume || !pairs) job->broken = "a limit is exceeded"; // no memory is left for the sentence
    else if (*volume || *pairs) job->broken = text_make(f->arena, "%s%s", volume, pairs);
}

static uint32_t count_state(const farm* f, job_state state)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->job_count; i++) n += f->jobs[i].state == state;
    return n;
}

static uint32_t count_broken(const farm* f)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->job_count; i++) n += f->jobs[i].broken != NULL;
    return n;
}

int farm_exit(const farm* f)
{
    uint32_t others = f->no_wait ? count_state(f, JOB_ELSEWHERE) : 0;
    if (count_state(f, JOB_DONE) + others < f->job_count) return EXIT_FAILED;
    return count_broken(f) ? EXIT_LIMIT : EXIT_DONE;
}

// ---------------------------------------------------------------------------------------------- table

// Failures and exceeded limits come first; the others fill up the table.
static bool shown(const farm_job* job, int pass) { return (job->state == JOB_FAILED || job->broken) == (pass == 0); }

static void add_row(table* t, const farm_job* job)
{
    double volume = verdict_number(job, "volume_change"), crossings = verdict_number(job, "crossings");
    table_add(t, "%s", job->name);
    table_add(t, "%s",
              job->broken                            ? "over a limit"
              : job->fresh || job->state != JOB_DONE ? states[job->state]
                                                     : "done before");
    if (job->state == JOB_DONE) table_add(t, "%.2f", job->seconds);
    else table_add(t, "-");
    if (isfinite(volume)) table_add(t, "%+.1f %%", 100.0 * volume);
    else table_add(t, "-");
    if (isfinite(crossings)) table_add(t, "%.0f", crossings);
    else table_add(t, "-");
    table_add(t, "%.*s", job->broken ? (int)strcspn(job->broken, "\n") : 100,
              job->broken   ? job->broken
              : job->reason ? job->reason
                            : "");
}

void farm_print(const farm* f)
{
    table    t;
    uint32_t rows = 0;
    double   seconds = 0, cpu = 0;
    table_begin(&t, "job|state|>seconds|>volume|>crossings|why");
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < f->job_count; i++)
            if (shown(&f->jobs[i], pass) && rows < ROWS_MAX) add_row(&t, &f->jobs[i]), rows++;
    for (uint32_t i = 0; i < f->job_count; i++)
        if (f->jobs[i].fresh) seconds += f->jobs[i].seconds, cpu += f->jobs[i].cpu;
    table_print(&t, 0);
    if (rows < f->job_count) printf("... and %u more; --json and --html list all\n", f->job_count - rows);
    uint32_t left = f->job_count - count_state(f, JOB_DONE) - count_state(f, JOB_FAILED);
    printf("%u jobs: %u done, %u failed, %u over a limit", f->job_count, count_state(f, JOB_DONE), count_state(f, JOB_FAILED),
           count_broken(f));
    if (left) printf(", %u left: the same command resumes", left);
    printf("\nthis run: %.1f s of jobs, %.1f s of processors; outputs in %s, records and logs in %s\n", seconds, cpu, f->out,
           f->home);
}

// ---------------------------------------------------------------------------------------------- JSON

static sup_json* describe_job(const farm* f, const farm_job* job)
{
    sup_arena* arena = f->arena;
    sup_json*  json = sup_json_new(arena, SUP_JSON_OBJECT);
    sup_json_set(arena, json, "job", sup_json_new_string(arena, job->name));
    sup_json_set(arena, json, "state", sup_json_new_string(arena, states[job->state]));
    sup_json_set(arena, json, "character", sup_json_new_string(arena, job->character));
    sup_json_set(arena, json, "clip", sup_json_new_string(arena, job->clip));
    sup_json_set(arena, json, "chain", sup_json_new_string(arena, job->chain));
    sup_json_set(arena, json, "output", sup_json_new_string(arena, job->output));
    sup_json_set(arena, json, "fresh", sup_json_new(arena, job->fresh ? SUP_JSON_TRUE : SUP_JSON_FALSE));
    sup_json_set(arena, json, "attempts", sup_json_new_number(arena, job->attempts));
    sup_json_set(arena, json, "seconds", sup_json_new_number(arena, job->seconds));
    sup_json_set(arena, json, "cpu_seconds", sup_json_new_number(arena, job->cpu));
    sup_json_set(arena, json, "memory_bytes", sup_json_new_number(arena, job->memory));
    if (job->reason) sup_json_set(arena, json, "reason", sup_json_new_string(arena, job->reason));
    if (job->broken) sup_json_set(arena, json, "limits", sup_json_new_string(arena, job->broken));
    if (job->result) sup_json_set(arena, json, "result", sup_json_clone(arena, job->result));
    return json;
}

bool farm_print_json(const farm* f)
{
    sup_arena* arena = f->arena;
    sup_json*  json = sup_json_new(arena, SUP_JSON_OBJECT);
    sup_json_set(arena, json, "jobs", sup_json_new_number(arena, f->job_count));
    sup_json_set(arena, json, "done", sup_json_new_number(arena, count_state(f, JOB_DONE)));
    sup_json_set(arena, json, "failed", sup_json_new_number(arena, count_state(f, JOB_FAILED)));
    sup_json_set(arena, json, "over_limit", sup_json_new_number(arena, count_broken(f)));
    sup_json_set(arena, json, "out", sup_json_new_string(arena, f->out));
    sup_json* list = sup_json_set(arena, json, "results", sup_json_new(arena, SUP_JSON_ARRAY));
    sup_json* last = list;
    for (uint32_t i = 0; i < f->job_count && last; i++) last = sup_json_push(list, describe_job(f, &f->jobs[i]));
    return print_json(last ? json : NULL);
}

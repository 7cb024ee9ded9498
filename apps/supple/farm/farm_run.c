// The queue: jobs that are not done are claimed one by one, here and by other runs, until none is left.
#include "commands/progress.h"
#include "farm_pool.h"
#include "farm_store.h"
#include "input/common.h"
#include "input/identity.h"
#include "report/output.h"
#include "report/report.h"
#include "supple/io.h"
#include "system/process.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double ASK_SECONDS = 0.5;   // interval for checking the claims of others
static const double LINE_SECONDS = 30.0; // interval of progress lines without a terminal

// A file's hash, computed once per run.
typedef struct known_file {
    const char* path;
    uint64_t    hash;
    bool        there;
} known_file;

typedef struct queue {
    farm*       f;
    farm_store  store;
    uint32_t    next; // jobs before it have been considered
    uint32_t    begun, ended, done_before, failed;
    uint32_t    again_count, elsewhere;
    farm_job**  again; // to be tried once more
    known_file* known;
    uint32_t    known_count, known_capacity;
    double      asked, said;
    progress    bar;
    double      begin;
    bool        broken; // the folder can no longer be written
} queue;

// ---------------------------------------------------------------------------------------------- what is done

// The slot of a path in the table, taken or free. There is always a free one.
static known_file* find_known(known_file* all, uint32_t capacity, const char* path)
{
    uint32_t at = (uint32_t)identity_text(SUP_HASH_START, path) & (capacity - 1);
    while (all[at].path && strcmp(all[at].path, path) != 0) at = (at + 1) & (capacity - 1);
    return &all[at];
}

static bool grow_known(queue* q)
{
    uint32_t    capacity = q->known_capacity ? 2 * q->known_capacity : 256;
    known_file* more = calloc(capacity, sizeof *more);
    if (!more) return false;
    for (uint32_t i = 0; i < q->known_capacity; i++)
        if (q->known[i].path) *find_known(more, capacity, q->known[i].path) = q->known[i];
    free(q->known);
    q->known = more;
    q->known_capacity = capacity;
    return true;
}

static bool file_is(queue* q, const char* path, uint64_t hash)
{
    if (2 * q->known_count >= q->known_capacity && !grow_known(q)) return false;
    known_file* one = find_known(q->known, q->known_capacity, path);
    if (!one->path) {
        one->path = sup_arena_text(q->f->arena, path, strlen(path));
        if (!one->path) return false;
        q->known_count++;
        one->there = identity_file(path, &one->hash);
    }
    return one->there && one->hash == hash;
}

static bool inputs_are(queue* q, const sup_json* record)
{
    const sup_json* list = sup_json_get(record, "inputs");
    for (const sup_json* one = list ? list->first : NULL; one; one = one->next) {
        const char* path = sup_json_string(sup_json_get(one, "path"), NULL);
        const char* hash = sup_json_string(sup_json_get(one, "hash"), NULL);
        if (!path || !hash || !file_is(q, path, strtoull(hash, NULL, 16))) return false;
    }
    return true;
}

// A format that makes several files has none with this exact name: any that begins with it counts.
static bool sequence_is(const farm_job* job)
{
    char             folder[4096];
    const sup_files* files = sup_files_system();
    const char *     name = path_name(job->output), *dot = strrchr(name, '.');
    const char**     names;
    uint32_t         count = 0;
    bool             found = false;
    sup_arena*       arena = sup_arena_create(NULL);
    snprintf(folder, sizeof folder, "%.*s", (int)(name - job->output), job->output);
    if (!arena || files->list(files->user, folder, arena, &names, &count, NULL) != SUP_OK) count = 0;
    for (uint32_t i = 0; i < count && dot; i++) found |= strncmp(names[i], name, (size_t)(dot - name)) == 0;
    sup_arena_destroy(arena);
    return found;
}

static bool output_is(const farm_job* job, const sup_json* record)
{
    path_info              info;
    const sup_file_format* format = sup_format_for(job->output);
    if (format && format->bake_files) return sequence_is(job);
    return path_look(job->output, &info) == 0 &&
           (double)info.bytes == sup_json_number(sup_json_get(record, "output_bytes"), -1);
}

static void take_record(farm_job* job, const sup_json* record)
{
    job->attempts = sup_json_index(sup_json_get(record, "attempts"), 0);
    job->seconds = sup_json_number(sup_json_get(record, "seconds"), 0);
    job->cpu = sup_json_number(sup_json_get(record, "cpu_seconds"), 0);
    job->memory = sup_json_number(sup_json_get(record, "memory_bytes"), 0);
    job->reason = sup_json_string(sup_json_get(record, "reason"), NULL);
    job->result = sup_json_get(record, "result");
}

// Whether the record says that the job has ended: done, with the same program, words and input bytes, and with its file
// present; or failed during this run.
static bool has_ended(queue* q, farm_job* job, bool beginning)
{
    uint64_t        mark;
    char            key[20];
    const sup_json* record = store_record(q->f, job, q->f->arena, &mark);
    if (beginning) job->seen = mark;
    if (!record) return false;
    snprintf(key, sizeof key, "%016" PRIx64, job->key);
    const char* state = sup_json_string(sup_json_get(record, "state"), "");
    if (strcmp(sup_json_string(sup_json_get(record, "key"), ""), key) != 0) return false;
    bool done = strcmp(state, "done") == 0 && output_is(job, record) && inputs_are(q, record);
    bool failed = strcmp(state, "failed") == 0 && mark != job->seen;
    if (!done && !failed) return false;
    take_record(job, record);
    job->state = done ? JOB_DONE : JOB_FAILED;
    return true;
}

static void find_done(queue* q)
{
    for (uint32_t i = 0; i < q->f->job_count; i++) {
        if (!has_ended(q, &q->f->jobs[i], true)) continue;
        if (q->store.file) store_free(&q->store, &q->f->jobs[i]); // a dry run has no store
        q->done_before++;
    }
    q->ended = q->done_before;
}

// ---------------------------------------------------------------------------------------------- what became of a job

// The last error in a log, or the meaning of a signal.
static const char* find_reason(queue* q, const farm_job* job, const pool_ended* e)
{
    static const char sign[] = "supple: error: ";
    sup_arena*        arena = q->f->arena;
    char              path[4096];
    if (e->late) return text_make(arena, "it took longer than --time-limit (%g s)", q->f->seconds_max);
    store_path(q->f, "logs", job, ".log", path, sizeof path);
    char*       log = store_read(path, NULL);
    const char *last = NULL, *text = NULL;
    for (const char* at = log; at && (at = strstr(at, sign)); at++) last = at + sizeof sign - 1;
    if (e->signal) text = text_make(arena, "it crashed (signal %d)%s", e->signal, e->signal == 9 ? "; was memory short?" : "");
    else if (last && q->f->bytes_max > 0 && strncmp(last, "out of memory", 13) == 0) // bake's cures do not apply in a farm
        text = text_make(arena, "%.*s; --memory-limit allows %g MB", (int)strcspn(last, ";\n"), last, q->f->bytes_max / 1e6);
    else if (last) text = text_make(arena, "%.*s", (int)strcspn(last, "\n"), last);
    else if (e->code < 0) text = "its process ended without an answer";
    else text = text_make(arena, "it ended with exit code %d", e->code);
    free(log);
    return text ? text : "out of memory";
}

static sup_json* describe_inputs(sup_arena* arena, const char* lines)
{
    sup_json* list = sup_json_new(arena, SUP_JSON_ARRAY);
    while (lines && *lines) {
        size_t      length = strcspn(lines, "\n");
        const char *hash = text_make(arena, "%.16s", lines),
                   *path = length > 17 ? text_make(arena, "%.*s", (int)length - 17, lines + 17) : "";
        sup_json* one = sup_json_push(list, sup_json_new(arena, SUP_JSON_OBJECT));
        if (!hash || !path) return NULL;
        sup_json_set(arena, one, "path", sup_json_new_string(arena, path));
        sup_json_set(arena, one, "hash", sup_json_new_string(arena, hash));
        lines += length + (lines[length] == '\n');
    }
    return list;
}

static sup_json* describe(queue* q, const farm_job* job, const char* lines)
{
    sup_arena* arena = q->f->arena;
    sup_json*  json = sup_json_new(arena, SUP_JSON_OBJECT);
    char       key[20];
    snprintf(key, sizeof key, "%016" PRIx64, job->key);
    sup_json_set(arena, json, "state", sup_json_new_string(arena, job->state == JOB_DONE ? "done" : "failed"));
    sup_json_set(arena, json, "key", sup_json_new_string(arena, key));
    sup_json_set(arena, json, "program", sup_json_new_string(arena, identity_program()));
    sup_json* words = sup_json_set(arena, json, "words", sup_json_new(arena, SUP_JSON_ARRAY));
    for (uint32_t i = 0; i < job->word_count; i++) sup_json_push(words, sup_json_new_string(arena, job->words[i]));
    sup_json_set(arena, json, "inputs", describe_inputs(arena, lines));
    sup_json_set(arena, json, "attempts", sup_json_new_number(arena, job->attempts));
    sup_json_set(arena, json, "seconds", sup_json_new_number(arena, floor(1e6 * job->seconds) / 1e6));
    sup_json_set(arena, json, "cpu_seconds", sup_json_new_number(arena, job->cpu));
    sup_json_set(arena, json, "memory_bytes", sup_json_new_number(arena, job->memory));
    sup_json_set(arena, json, "host", sup_json_new_string(arena, q->store.host));
    path_info info;
    if (job->state == JOB_DONE && path_look(job->output, &info) == 0)
        sup_json_set(arena, json, "output_bytes", sup_json_new_number(arena, (double)info.bytes));
    if (job->reason) sup_json_set(arena, json, "reason", sup_json_new_string(arena, job->reason));
    if (job->result) sup_json_set(arena, json, "result", sup_json_clone(arena, job->result));
    return json;
}

static bool parse_said(queue* q, farm_job* job, char* said, const char** lines)
{
    char*     sign = said ? strstr(said, POOL_INPUTS) : NULL;
    sup_json* result = NULL;
    if (!sign) return false;
    *sign = 0;
    *lines = sign + sizeof POOL_INPUTS - 1;
    if (sup_json_parse(said, strlen(said), job->name, q->f->arena, &result, NULL) != SUP_OK) return false;
    job->result = result;
    return true;
}

static void job_ended(void* user, const pool_ended* e)
{
    queue*      q = user;
    farm_job*   job = e->task->user;
    const char* lines = NULL;
    job->seconds = e->seconds, job->cpu = e->cpu, job->memory = e->memory;
    job->reason = NULL;
    bool done = e->code == EXIT_DONE && parse_said(q, job, e->said, &lines);
    if (!done && e->signal) store_sweep(job);
    if (!done && e->stopped) job->state = JOB_WAITING;
    else if (!done && e->code != EXIT_USAGE && job->attempts <= q->f->retries) {
        q->again[q->again_count++] = job; // we keep the claim
        return;
    } else {
        job->state = done ? JOB_DONE : JOB_FAILED;
        if (!done) job->reason = find_reason(q, job, e);
        job->fresh = true;
        q->ended++;
        q->failed += !done;
        if (!store_write_record(&q->store, job, describe(q, job, lines))) q->broken = true;
    }
    store_release(&q->store, job);
}

// ---------------------------------------------------------------------------------------------- next

static bool begin_job(queue* q, farm_job* job, pool_task* out)
{
    char log[4096];
    store_path(q->f, "logs", job, ".log", log, sizeof log);
    if (job->attempts == 0) path_remove(log);
    job->attempts++;
    job->state = JOB_RUNNING;
    *out = (pool_task){ job->word_count, job->words, text_make(q->f->arena, "%s", log), true, job };
    if (output_folders(job->output, false, "give another by --out") != EXIT_DONE) q->broken = true;
    return out->log && !q->broken;
}

// Tries to claim the job for this run.
static bool claim(queue* q, farm_job* job)
{
    store_claimed claimed = store_claim(&q->store, job);
    if (claimed == CLAIM_REFUSED) q->broken = true;
    if (claimed == CLAIM_TAKEN && job->state != JOB_ELSEWHERE) job->state = JOB_ELSEWHERE, q->elsewhere++;
    if (claimed != CLAIM_OURS) return false;
    if (job->state == JOB_ELSEWHERE) q->elsewhere--;
    if (!has_ended(q, job, false)) return true; // otherwise another run was faster, and has finished it
    q->ended++;
    q->failed += job->state == JOB_FAILED;
    store_release(&q->store, job);
    return false;
}

static bool next_job(void* user, pool_task* out)
{
    queue* q = user;
    farm*  f = q->f;
    if (q->again_count) return begin_job(q, q->again[--q->again_count], out);
    while (q->next < f->job_count && !q->broken) {
        farm_job* job = &f->jobs[q->next++];
        if (job->state == JOB_WAITING && claim(q, job)) return begin_job(q, job, out);
    }
    // Only jobs of other runs are left: one may be free by now.
    double now = system_seconds();
    if (!q->elsewhere || now - q->asked < ASK_SECONDS || q->broken) return false;
    for (uint32_t i = 0; i < f->job_count; i++) {
        farm_job* job = &f->jobs[i];
        if (job->state != JOB_ELSEWHERE || now - job->asked < ASK_SECONDS) continue;
        job->asked = now;
        if (claim(q, job)) return begin_job(q, job, out);
    }
    q->asked = now;
    return false;
}

// ---------------------------------------------------------------------------------------------- progress

static void print_progress(queue* q, uint32_t running)
{
    farm*    f = q->f;
    double   now = system_seconds();
    uint32_t fresh = q->ended - q->done_before, left = f->job_count - q->ended;
    if (q->bar.visible || f->quiet || f->rank || now - q->said < LINE_SECONDS) return;
    q->said = now;
    double seconds = fresh ? (now - q->begin) / fresh * left : -1;
    char   time[40] = "";
    if (seconds >= 90) snprintf(time, sizeof time, ", %.0f min left", seconds / 60);
    else if (seconds >= 0) snprintf(time, sizeof time, ", %.0f s left", seconds);
    fprintf(stderr, "supple: farm: %u of %u jobs, %u failed, %u running%s\n", q->ended, f->job_count, q->failed, running, time);
}

static bool queue_turn(void* user, uint32_t running)
{
    queue* q = user;
    farm*  f = q->f;
    store_beat(&q->store);
    snprintf(q->bar.text, sizeof q->bar.text, "farm %u of %u%s", q->ended, f->job_count, q->failed ? ", some failed" : "");
    uint32_t todo = f->job_count - q->done_before;
    progress_report(&q->bar, todo ? (double)(q->ended - q->done_before) / todo : 1.0);
    print_progress(q, running);
    return !q->broken && (q->next < f->job_count || (q->elsewhere && !f->no_wait) || q->again_count);
}

int farm_run(farm* f)
{
    queue q = { .f = f, .begin = system_seconds(), .said = system_seconds() };
    int   code = store_open(&q.store, f);
    q.again = sup_arena_alloc(f->arena, f->slots, sizeof *q.again);
    if (code == EXIT_DONE && !q.again) code = fail_memory();
    if (code == EXIT_DONE) {
        find_done(&q);
        progress_begin(&q.bar, "farm", f->quiet || f->rank);
        q.bar.label = q.bar.text;
        code = pool_run(f, &(pool_hooks){ &q, next_job, job_ended, queue_turn });
        progress_end(&q.bar);
        if (code == EXIT_DONE && q.broken) code = EXIT_FAILED;
    }
    for (uint32_t i = 0; i < q.again_count; i++) store_release(&q.store, q.again[i]);
    store_close(&q.store);
    free(q.known);
    return code;
}

int farm_look(farm* f)
{
    queue q = { .f = f };
    find_done(&q);
    free(q.known);
    return EXIT_DONE;
}

// Tasks go to workers as words, and return as what they printed.
#include "farm_pool.h"

#include "commands/commands.h"
#include "commands/progress.h"
#include "input/common.h"
#include "input/identity.h"
#include "input/inputs.h"
#include "report/report.h"
#include "system/process.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TURN_SECONDS = 0.2;
static const double GRACE_SECONDS = 20.0; // from asking a child to stop to killing it: it may have a checkpoint to write

typedef struct slot {
    pool_task task;
    bool      busy, late, stopped;
    double    begin;
    FILE*     out;
} slot;

typedef struct pool {
    const farm*     f;
    slot*           slots;
    process_worker* workers; // of the same number
} pool;

// ---------------------------------------------------------------------------------------------- child

static void print_input(uint64_t hash, const char* path)
{
    if (!strchr(path, '\n')) printf("%016" PRIx64 " %s\n", hash, path);
}

// Not all files that flags name are read through `inputs`.
static void print_inputs(const pool_task* task, const inputs* read)
{
    printf(POOL_INPUTS);
    for (uint32_t i = 0; i < read->count; i++)
        if (read->places[i].path) print_input(read->places[i].hash, read->places[i].path);
    for (uint32_t i = 0; i + 1 < task->word_count; i++) {
        if (strncmp(task->words[i], "--", 2) != 0) continue;
        for (uint32_t k = 0; k < FLAG_COUNT; k++) {
            const flag_row* row = options_flag(k);
            char            path[4096], real[4096];
            uint64_t        hash;
            if (!(row->verbs & VERB_BAKE) || strcmp(row->name, task->words[i] + 2) != 0) continue;
            if (!identity_flag_path(row, task->words[i + 1], path, sizeof path) || !identity_file(path, &hash)) continue;
            path_resolve(path, real, sizeof real);
            print_input(hash, real);
        }
    }
}

// The words of a task, each 0-terminated: whether it tracks, its log, its command.
static char* pack_task(const pool_task* task, size_t* size)
{
    const char* front[] = { task->track ? "1" : "0", task->log ? task->log : "" };
    *size = strlen(front[0]) + strlen(front[1]) + 2;
    for (uint32_t i = 0; i < task->word_count; i++) *size += strlen(task->words[i]) + 1;
    char *text = malloc(*size), *at = text;
    for (uint32_t i = 0; text && i < task->word_count + 2; i++) {
        const char* word = i < 2 ? front[i] : task->words[i - 2];
        memcpy(at, word, strlen(word) + 1);
        at += strlen(word) + 1;
    }
    return text;
}

static int run_task(const void* message, size_t size)
{
    const char *at = message, *end = at + size, *front[2] = { at, at + strlen(at) + 1 };
    pool_task   task = { .track = front[0][0] == '1' };
    char**      words = malloc((size + 1) * sizeof *words);
    inputs      read;
    if (!words) return fail_memory();
    for (at = front[1] + strlen(front[1]) + 1; at < end; at += strlen(at) + 1) words[task.word_count++] = (char*)(uintptr_t)at;
    words[task.word_count] = NULL;
    task.words = (const char**)words;
    process_log(*front[1] ? front[1] : NULL);
    inputs_begin(&read);
    read.track = task.track;
    interrupts_release(); // the parent's hold
    int code = run_words((int)task.word_count, words, &read);
    if (code == EXIT_DONE && task.track) print_inputs(&task, &read);
    if (!finish_stdout() && code == EXIT_DONE) code = EXIT_FAILED;
    interrupts_hold(); // a stop between tasks is noticed by the next one
    inputs_free(&read);
    free(words);
    return interrupts_signal() ? 128 + interrupts_signal() : code;
}

// ---------------------------------------------------------------------------------------------- parent

static int send_task(pool* p, uint32_t i)
{
    slot*  s = &p->slots[i];
    size_t size;
    int    number = 0;
    if (!s->out) s->out = tmpfile();
    char* message = s->out ? pack_task(&s->task, &size) : NULL;
    if (!message) {
        report_error("a task cannot be started; is the memory or the disk full?");
        return EXIT_FAILED;
    }
    rewind(s->out);
    number = path_shorten(s->out);
    s->begin = system_seconds();
    s->late = s->stopped = false;
    for (int tries = 0; tries < 2 && number == 0; tries++) {
        if (!p->workers[i].child)
            number = process_start(&(process_desc){ run_task, s->out, p->f->bytes_max }, p->workers, p->f->slots, i);
        if (number == 0 && process_send(&p->workers[i], message, size) == 0) break;
        process_dismiss(&p->workers[i]); // it died while idle
    }
    free(message);
    s->busy = number == 0;
    if (number == 0) return EXIT_DONE;
    report_error("a process cannot be started (%s); lower --jobs", strerror(number));
    return EXIT_FAILED;
}

static char* read_said(FILE* file)
{
    fseek(file, 0, SEEK_END);
    long  size = ftell(file);
    char* text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    rewind(file);
    if (text) text[fread(text, 1, (size_t)size, file)] = 0;
    return text;
}

static void take_end(pool* p, const process_end* end, const pool_hooks* hooks)
{
    slot* s = &p->slots[end->worker];
    if (!s->busy) return; // a worker that died while idle
    pool_ended ended = { &s->task, end->code,   end->signal,      s->late, s->stopped, system_seconds() - s->begin,
                         end->cpu, end->memory, read_said(s->out) };
    s->busy = false;
    hooks->ended(hooks->user, &ended);
    free(ended.said);
}

static uint32_t running(const pool* p)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->f->slots; i++) n += p->slots[i].busy;
    return n;
}

static void check_clocks(pool* p)
{
    for (uint32_t i = 0; i < p->f->slots && p->f->seconds_max > 0; i++) {
        if (!p->slots[i].busy || system_seconds() - p->slots[i].begin < p->f->seconds_max) continue;
        p->slots[i].late = true;
        process_kill(&p->workers[i], true);
    }
}

static void stop_all(pool* p, bool at_once)
{
    for (uint32_t i = 0; i < p->f->slots; i++)
        if (p->slots[i].busy) process_kill(&p->workers[i], at_once), p->slots[i].stopped = true;
}

// Starts all tasks that can begin. False after a message.
static bool fill(pool* p, const pool_hooks* hooks)
{
    for (uint32_t i = 0; i < p->f->slots; i++) {
        slot* s = &p->slots[i];
        if (s->busy || !hooks->next(hooks->user, &s->task)) continue;
        if (send_task(p, i) != EXIT_DONE) {
            hooks->ended(hooks->user, &(pool_ended){ .task = &s->task, .code = -1, .stopped = true });
            return false;
        }
    }
    return true;
}

static int run_all(pool* p, const pool_hooks* hooks)
{
    int    code = EXIT_DONE;
    double asked = 0;
    for (;;) {
        process_end end;
        if (code == EXIT_DONE && interrupts_signal()) code = 128 + interrupts_signal();
        if (code == EXIT_DONE && !fill(p, hooks)) code = EXIT_FAILED;
        uint32_t n = running(p);
        if (code != EXIT_DONE) {
            if (!n) return code;
            if (asked == 0) asked = system_seconds(), stop_all(p, false);
            if (system_seconds() - asked > GRACE_SECONDS) stop_all(p, true);
        } else if (!hooks->turn(hooks->user, n) && !n) return code;
        if (process_wait(p->workers, p->f->slots, TURN_SECONDS, &end)) take_end(p, &end, hooks);
        check_clocks(p);
    }
}

int pool_run(const farm* f, const pool_hooks* hooks)
{
    pool p = { f, calloc(f->slots, sizeof *p.slots), calloc(f->slots, sizeof *p.workers) };
    int  code = EXIT_FAILED;
    interrupts_hold();
    if (p.slots && p.workers) code = run_all(&p, hooks);
    else code = fail_memory();
    interrupts_release();
    for (uint32_t i = 0; i < f->slots && p.slots && p.workers; i++) {
        process_dismiss(&p.workers[i]);
        if (p.slots[i].out) fclose(p.slots[i].out);
    }
    free(p.slots);
    free(p.workers);
    return code;
}

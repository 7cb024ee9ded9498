// Claims and records, without locks and without a clock shared between machines.
#include "farm_store.h"

#include "input/common.h"
#include "input/identity.h"
#include "report/output.h"
#include "report/report.h"
#include "supple/io.h"
#include "system/process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PART ".part" // an incomplete file
#define FRESH ".new"

static const double BEAT_SECONDS = 5.0;

// ---------------------------------------------------------------------------------------------- files

void store_path(const farm* f, const char* folder, const farm_job* job, const char* ending, char* out, size_t size)
{
    snprintf(out, size, "%s/%s/%s%s", f->home, folder, job->name, ending);
}

char* store_read(const char* path, size_t* size)
{
    FILE*  file = path_open(path, "rb");
    size_t capacity = 4096, length = 0, got;
    char*  text = file ? malloc(capacity) : NULL;
    while (text && (got = fread(text + length, 1, capacity - length - 1, file)) > 0) {
        length += got;
        if (length + 1 < capacity) continue;
        char* more = realloc(text, capacity *= 4);
        if (!more) free(text);
        text = more;
    }
    if (file) fclose(file);
    if (!text) return NULL;
    text[length] = 0;
    if (size) *size = length;
    return text;
}

// ---------------------------------------------------------------------------------------------- records

const sup_json* store_record(const farm* f, const farm_job* job, sup_arena* arena, uint64_t* mark)
{
    char path[4096];
    store_path(f, "records", job, ".json", path, sizeof path);
    size_t    size;
    char*     text = store_read(path, &size);
    sup_json* record = NULL;
    *mark = text ? sup_hash(1, text, size) : 0;
    if (text && sup_json_parse(text, size, path, arena, &record, NULL) != SUP_OK) record = NULL;
    free(text);
    return record;
}

static bool put_text(void* user, const char* bytes, size_t length) { return fwrite(bytes, 1, length, user) == length; }

// The temporary file carries the run's id: if that run is dead, so is the file (remove_leftovers).
bool store_write_record(const farm_store* s, const farm_job* job, const sup_json* record)
{
    char path[4096], part[4200];
    store_path(s->f, "records", job, ".json", path, sizeof path);
    snprintf(part, sizeof part, "%s.%s" PART, path, s->id);
    FILE*         file = path_open(part, "wb");
    sup_text_sink sink = { put_text, file };
    bool          good = file && record && sup_json_write(record, 2, &sink);
    if (file && fclose(file) != 0) good = false;
    if (good && path_replace(part, path, NULL) == 0) return true;
    path_remove(part);
    report_error("the record '%s' cannot be written; is the disk full?", path);
    return false;
}

// ---------------------------------------------------------------------------------------------- runs

typedef struct run_card {
    char     id[20], host[400];
    long     process;
    uint64_t born, beat;
} run_card;

// Numbers have a fixed width, so that a card can be rewritten in place while others read it.
static bool write_card(farm_store* s)
{
    rewind(s->file);
    return fprintf(s->file, "%s\n%s\n%020ld %020" PRIu64 " %020" PRIu64 "\n", s->id, s->host, path_process(),
                   process_born(path_process()), s->beat) > 0 &&
           fflush(s->file) == 0;
}

static bool read_card(const char* path, run_card* out)
{
    char* text = store_read(path, NULL);
    *out = (run_card){ 0 };
    bool good = text && sscanf(text, "%19[^\n]\n%399[^\n]\n%ld %" SCNu64 " %" SCNu64, out->id, out->host, &out->process,
                               &out->born, &out->beat) == 5;
    free(text);
    return good;
}

static other_run* find_other(farm_store* s, const run_card* card)
{
    for (uint32_t i = 0; i < s->other_count; i++)
        if (strcmp(s->others[i].id, card->id) == 0) return &s->others[i];
    other_run* one = &s->others[s->other_count < STORE_RUNS_MAX ? s->other_count++ : STORE_RUNS_MAX - 1];
    *one = (other_run){ .beat = card->beat, .since = system_seconds() };
    snprintf(one->id, sizeof one->id, "%s", card->id);
    return one;
}

// On this machine its process decides; on others, the heartbeat. An unreadable card counts as one without a heartbeat.
static bool run_is_dead(farm_store* s, const run_card* card)
{
    if (strcmp(card->host, s->host) == 0) return process_born(card->process) != card->born;
    other_run* one = find_other(s, card);
    if (one->beat != card->beat) one->beat = card->beat, one->since = system_seconds();
    return system_seconds() - one->since > s->f->claim_seconds;
}

void store_beat(farm_store* s)
{
    double now = system_seconds(), every = s->f->claim_seconds / 4 < BEAT_SECONDS ? s->f->claim_seconds / 4 : BEAT_SECONDS;
    if (now - s->beaten < every) return;
    s->beaten = now;
    s->beat++;
    write_card(s);
}

typedef void leftover_fn(farm_store* s, const char* path, const char* name);

// Calls back for every file in a folder of the store.
static void for_each_file(farm_store* s, const char* folder, sup_arena* arena, leftover_fn* call)
{
    char             base[4096];
    const sup_files* files = sup_files_system();
    const char**     names;
    uint32_t         count = 0;
    snprintf(base, sizeof base, "%s/%s", s->f->home, folder);
    if (files->list(files->user, base, arena, &names, &count, NULL) != SUP_OK) return;
    for (uint32_t i = 0; i < count; i++) {
        char path[4096];
        if (snprintf(path, sizeof path, "%s/%s", base, names[i]) < (int)sizeof path) call(s, path, names[i]);
    }
}

// The card of a dead run of this machine, or a claim that such a run had set aside (void_claim), which is a card too. An
// unfinished card has no owner either: a run that is just writing it makes another (make_card).
static void remove_dead(farm_store* s, const char* path, const char* name)
{
    run_card card;
    size_t   length = strlen(name), tail = strlen(FRESH);
    bool     fresh = length > tail && strcmp(name + length - tail, FRESH) == 0;
    if (!read_card(path, &card) ? fresh : strcmp(card.host, s->host) == 0 && run_is_dead(s, &card)) path_remove(path);
}

// "NAME.json.ID.part" of a run that no longer has a card.
static void remove_orphan(farm_store* s, const char* path, const char* name)
{
    char      card[4200];
    path_info info;
    size_t    length = strlen(name), tail = strlen(PART), id = strlen(s->id);
    if (length <= tail + id || strcmp(name + length - tail, PART) != 0) return;
    snprintf(card, sizeof card, "%s/runs/%.*s", s->f->home, (int)id, name + length - tail - id);
    if (path_look(card, &info) != 0) path_remove(path);
}

// Removes what killed runs left behind.
static void remove_leftovers(farm_store* s, sup_arena* arena)
{
    for_each_file(s, "runs", arena, remove_dead);
    for_each_file(s, "records", arena, remove_orphan);
}

// A run must never be visible without its card: write that under another name, then rename it.
static bool make_card(farm_store* s)
{
    enum { TRIES = 3 }; // somebody may mistake an unfinished card for an abandoned one
    char fresh[4200];
    snprintf(fresh, sizeof fresh, "%s" FRESH, s->path);
    for (int i = 0; i < TRIES; i++) {
        s->file = path_open(fresh, "wb");
        bool good = s->file && write_card(s);
        if (s->file && fclose(s->file) != 0) good = false;
        s->file = NULL;
        if (good && path_replace(fresh, s->path, NULL) == 0) s->file = path_open(s->path, "r+b");
        if (s->file) return true;
    }
    path_remove(fresh);
    return false;
}

int store_open(farm_store* s, const farm* f)
{
    static const char* const folders[] = { "records", "logs", "pictures", "runs", "claims" };
    uint64_t                 token = 0;
    *s = (farm_store){ .f = f };
    for (int i = 0; i < 5; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", f->home, folders[i]);
        if (output_folders(path, true, "give another by --out") != EXIT_DONE) return EXIT_FAILED;
    }
    process_host(s->host, sizeof s->host);
    if (!system_random(&token, sizeof token)) token = (uint64_t)path_process() ^ (uint64_t)(1e9 * system_seconds());
    snprintf(s->id, sizeof s->id, "%016" PRIx64, token);
    snprintf(s->path, sizeof s->path, "%s/runs/%s", f->home, s->id);
    s->others = sup_arena_alloc(f->arena, STORE_RUNS_MAX, sizeof *s->others);
    if (!s->others) return fail_memory();
    if (make_card(s)) {
        remove_leftovers(s, f->arena);
        return EXIT_DONE;
    }
    report_error("cannot write in '%s'; change its rights, or give another folder by --out", f->home);
    return EXIT_FAILED;
}

void store_close(farm_store* s)
{
    if (!s->file) return;
    fclose(s->file);
    path_remove(s->path);
    s->file = NULL;
}

// ---------------------------------------------------------------------------------------------- claims

// File systems without hard links get a copy. Whoever reads it before it is filled takes its run for dead.
static int make_claim(const farm_store* s, const char* path)
{
    int number = path_link(s->path, path);
    if (number == 0 || number == EEXIST) return number;
    char* card = store_read(s->path, NULL);
    number = card ? path_make_new(path) : ENOMEM;
    if (number == 0) number = path_append(path, card, strlen(card));
    free(card);
    return number;
}

// Takes a claim away from a dead run. Several runs may try: only one rename succeeds, and a run that catches a fresh claim
// instead puts it back. At worst a job runs twice, with the same result. The claim is set aside in the folder of runs: should
// this run be killed before it is removed, it is cleared away there as the card of a dead run.
static bool void_claim(const farm_store* s, const char* path, const run_card* dead)
{
    char     aside[4200];
    run_card card;
    snprintf(aside, sizeof aside, "%s.void", s->path);
    if (path_replace(path, aside, NULL) != 0) return false;
    bool right = !read_card(aside, &card) || strcmp(card.id, dead->id) == 0;
    if (!right) path_link(aside, path);
    path_remove(aside);
    return right;
}

store_claimed store_claim(farm_store* s, const farm_job* job)
{
    char path[4096];
    store_path(s->f, "claims", job, "", path, sizeof path);
    for (int i = 0; i < 2; i++) {
        run_card card;
        int      number = make_claim(s, path);
        if (number == 0) return CLAIM_OURS;
        if (number != EEXIST) {
            report_error("cannot write in '%s/claims' (%s)", s->f->home, strerror(number));
            return CLAIM_REFUSED;
        }
        bool      read = read_card(path, &card);
        path_info info;
        if (!read && path_look(path, &info) != 0) continue; // removed in the meantime
        if (!run_is_dead(s, &card) || !void_claim(s, path, &card)) return CLAIM_TAKEN;
        store_sweep(job);
    }
    return CLAIM_TAKEN;
}

void store_free(farm_store* s, const farm_job* job)
{
    char     path[4096];
    run_card card;
    store_path(s->f, "claims", job, "", path, sizeof path);
    if (read_card(path, &card) && run_is_dead(s, &card) && void_claim(s, path, &card)) store_sweep(job);
}

bool store_is_claimed(const farm_store* s, const farm_job* job)
{
    char      path[4096];
    path_info info;
    store_path(s->f, "claims", job, "", path, sizeof path);
    return path_look(path, &info) == 0;
}

void store_release(const farm_store* s, const farm_job* job)
{
    char path[4096];
    store_path(s->f, "claims", job, "", path, sizeof path);
    path_remove(path);
}

// ".NAME.PROCESS.N.part" beside the output, and ".STEM..." for formats that make files of their own.
void store_sweep(const farm_job* job)
{
    char        folder[4096];
    const char* name = path_name(job->output);
    const char* dot = strrchr(name, '.');
    size_t      stem = dot ? (size_t)(dot - name) : strlen(name);
    sup_arena*  arena = sup_arena_create(NULL);
    snprintf(folder, sizeof folder, "%.*s", (int)(name - job->output), job->output);
    const sup_files* files = sup_files_system();
    const char**     names;
    uint32_t         count = 0;
    if (!arena || files->list(files->user, folder, arena, &names, &count, NULL) != SUP_OK) count = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(names[i]);
        char   path[4096];
        if (names[i][0] != '.' || length < 6 || strcmp(names[i] + length - 5, ".part") != 0) continue;
        if (strncmp(names[i] + 1, name, stem) != 0 || !strchr("._", names[i][1 + stem])) continue;
        if (snprintf(path, sizeof path, "%s%s", folder, names[i]) < (int)sizeof path) path_remove(path);
    }
    sup_arena_destroy(arena);
}

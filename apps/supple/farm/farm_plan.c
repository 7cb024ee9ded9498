// From flags to jobs: characters x clips x motions x chains x outputs.
#include "farm.h"
#include "input/common.h"
#include "input/identity.h"
#include "report/report.h"
#include "supple/scene.h"
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS_MAX = 1000000, NAME_MAX_BYTES = 180 };
static const char TEMPLATE[] = "{character}_{clip}_{chain}";

// One object of a manifest, or the command itself.
typedef struct sweep {
    farm*             f;
    const given_flag* own; // these come before the flags for all
    uint32_t          own_count;
    const char*       where;
    texts             characters, clips, motions, chains, outputs;
    uint32_t          capacity; // of the farm's jobs
} sweep;

// One combination of inputs.
typedef struct crossing {
    const char *character, *clip, *motion, *chain, *output;
} crossing;

// ---------------------------------------------------------------------------------------------- values

static uint32_t own_values(const sweep* s, flag_id id)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->own_count; i++) count += s->own[i].id == id;
    return count;
}

// The values of a flag: the object's own, else those for all. `parted`: split at commas.
static bool collect(sweep* s, flag_id id, bool parted, texts* out)
{
    const options*    all = s->f->flags;
    bool              own = own_values(s, id) > 0;
    const given_flag* flags = own ? s->own : all->flags;
    uint32_t          count = own ? s->own_count : all->flag_count;
    for (uint32_t i = 0; i < count; i++) {
        if (flags[i].id != id) continue;
        for (const char* at = flags[i].value; *at;) {
            size_t length = parted ? strcspn(at, ",") : strlen(at);
            if (length && !texts_add(s->f->arena, out, sup_arena_text(s->f->arena, at, length))) return false;
            at += length + (at[length] == ',');
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- names

// A name as part of a file name: characters that trouble shells or systems become a dash.
static void put_clean(char* out, size_t size, const char* text)
{
    size_t length = strlen(out);
    for (; *text && length + 1 < size; text++) {
        unsigned char c = (unsigned char)*text;
        bool          plain = c >= 0x80 || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || strchr("._-", c);
        if (!plain && length && out[length - 1] == '-') continue;
        out[length++] = plain ? (char)c : '-';
    }
    while (length > 1 && out[length - 1] == '-') length--;
    out[length] = 0;
}

// The name of a file without folder and ending.
static void put_stem(char* out, size_t size, const char* path)
{
    char        stem[512];
    const char* name = strncmp(path, "builtin:", 8) == 0 ? path + 8 : path_name(path);
    snprintf(stem, sizeof stem, "%s", name);
    char* dot = strrchr(stem, '.');
    if (dot && dot != stem && strncmp(path, "builtin:", 8) != 0) *dot = 0;
    put_clean(out, size, stem);
}

static void put_folder(char* out, size_t size, const char* path)
{
    char folder[1024];
    snprintf(folder, sizeof folder, "%.*s", (int)(path_name(path) - path), path);
    size_t length = strlen(folder);
    while (length && path_parts(folder[length - 1])) folder[--length] = 0;
    put_clean(out, size, path_name(folder));
}

static void put_token(char* out, size_t size, const char* token, size_t length, const crossing* c)
{
    static const char* const names[] = { "character", "clip", "chain", "folder" };
    uint32_t                 which = 0;
    while (which < 4 && (strlen(names[which]) != length || memcmp(names[which], token, length) != 0)) which++;
    if (which == 0) put_stem(out, size, c->character);
    else if (which == 1 && *c->clip) put_clean(out, size, c->clip);
    else if (which == 1 && *c->motion) put_stem(out, size, c->motion);
    else if (which == 1) put_clean(out, size, "pose");
    else if (which == 2) put_clean(out, size, c->chain);
    else if (which == 3) put_folder(out, size, c->character);
    else put_clean(out, size, token);
}

// The name below the output folder. NULL after a message.
static const char* fill_template(const sweep* s, const crossing* c)
{
    char        out[2048] = "";
    const char* form = c->output;
    if (form[0] == '.') form = text_make(s->f->arena, "%s%s", TEMPLATE, form);
    for (const char* at = form; form && *at;) {
        size_t      length = strlen(out), plain = strcspn(at, "{");
        const char* close = strchr(at + plain, '}');
        snprintf(out + length, sizeof out - length, "%.*s", (int)plain, at);
        if (!at[plain]) break;
        if (!close) {
            report_error(
                "%s: the output '%s' opens a brace and does not close it; write {character}, {clip}, {chain} or {folder}",
                s->where, c->output);
            return NULL;
        }
        put_token(out, sizeof out, at + plain + 1, (size_t)(close - at) - plain - 1, c);
        at = close + 1;
    }
    if (form && (path_is_absolute(out) || strstr(out, ".."))) {
        report_error("%s: the output '%s' leads out of the folder of outputs; give a name below it", s->where, out);
        return NULL;
    }
    return form ? sup_arena_text(s->f->arena, out, strlen(out)) : NULL;
}

// A name for records and logs.
static const char* job_name(farm* f, const char* output)
{
    char name[NAME_MAX_BYTES + 32] = "";
    put_clean(name, NAME_MAX_BYTES, output);
    if (strlen(output) >= NAME_MAX_BYTES || strcmp(name, output) != 0)
        snprintf(name + strlen(name), 20, ".%08x", (unsigned)identity_text(SUP_HASH_START, output));
    return sup_arena_text(f->arena, name, strlen(name));
}

// ---------------------------------------------------------------------------------------------- files

// Whether a file was made by an earlier run of this farm: outputs may lie among the characters, but are not characters.
static bool is_output(farm* f, const char* path)
{
    char      out[4096], real[4096], record[8300];
    path_info info;
    path_resolve(f->out, out, sizeof out);
    path_resolve(path, real, sizeof real);
    size_t length = strlen(out);
    if (strncmp(real, out, length) != 0 || !path_parts(real[length])) return false;
    const char* name = job_name(f, real + length + 1);
    return name && snprintf(record, sizeof record, "%s/records/%s.json", f->home, name) > 0 && path_look(record, &info) == 0;
}

static bool collect_files(sweep* s, flag_id id, texts* out)
{
    texts patterns = { 0 };
    if (!collect(s, id, false, &patterns)) return false;
    for (uint32_t i = 0; i < patterns.count; i++) {
        texts found = { 0 };
        if (!farm_files(s->f->arena, patterns.items[i], &found)) return false;
        for (uint32_t k = 0; k < found.count; k++) {
            bool named = found.count == 1 && strcmp(found.items[0], patterns.items[i]) == 0;
            if (!named && is_output(s->f, found.items[k])) continue;
            if (!texts_add(s->f->arena, out, found.items[k])) return false;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------- words

// Flags that are passed to the bake unchanged.
static bool passes(flag_id id)
{
    if (id == FLAG_DEFORM || id == FLAG_MOTION || id == FLAG_JSON || id == FLAG_QUIET || id == FLAG_THREADS || id == FLAG_HELP)
        return false;
    return (options_flag(id)->verbs & VERB_BAKE) && (options_flag(id)->verbs & VERB_FARM);
}

static bool add_flag(farm* f, texts* words, uint64_t* key, flag_id id, const char* value)
{
    const flag_row* row = options_flag(id);
    if (id != FLAG_CHECKPOINT) *key = identity_text(*key, row->name); // how often it saves changes nothing
    if (value && id != FLAG_CHECKPOINT) *key = identity_text(*key, identity_flag_is_path(row) ? path_name(value) : value);
    return texts_add(f->arena, words, text_make(f->arena, "--%s", row->name)) && (!value || texts_add(f->arena, words, value));
}

static bool add_flags(farm* f, texts* words, uint64_t* key, const given_flag* flags, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (passes(flags[i].id) && !add_flag(f, words, key, flags[i].id, flags[i].value)) return false;
    return true;
}

static bool make_words(sweep* s, const crossing* c, farm_job* job)
{
    farm*       f = s->f;
    texts       words = { 0 };
    const char* threads = options_text(f->flags, FLAG_THREADS, "1");
    uint64_t    key = identity_text(identity_text(SUP_HASH_START, identity_program()), job->name);
    key = identity_text(key, strncmp(c->character, "builtin:", 8) == 0 ? c->character : path_name(c->character));
    bool good = texts_add(f->arena, &words, "bake") && texts_add(f->arena, &words, c->character) &&
                texts_add(f->arena, &words, job->output);
    if (good && *c->clip) good = add_flag(f, &words, &key, FLAG_CLIP, c->clip);
    if (good && *c->motion) good = add_flag(f, &words, &key, FLAG_MOTION, c->motion);
    if (good && *c->chain) good = add_flag(f, &words, &key, FLAG_DEFORM, c->chain);
    good = good && add_flags(f, &words, &key, f->flags->flags, f->flags->flag_count) &&
           add_flags(f, &words, &key, s->own, s->own_count);
    // A new job cannot use a job's old checkpoint, and nobody is there to decide.
    if (options_has(f->flags, FLAG_CHECKPOINT)) good = good && texts_add(f->arena, &words, "--restart");
    good = good && texts_add(f->arena, &words, "--json") && texts_add(f->arena, &words, "--threads") &&
           texts_add(f->arena, &words, threads);
    job->words = words.items;
    job->word_count = words.count;
    job->key = key;
    return good;
}

static int add_job(sweep* s, const crossing* c)
{
    farm* f = s->f;
    if (f->job_count == JOBS_MAX) {
        report_error("over %u jobs; split them into several farms", (unsigned)JOBS_MAX);
        return EXIT_FAILED;
    }
    if (f->job_count == s->capacity) {
        uint32_t  capacity = s->capacity ? 2 * s->capacity : 64;
        farm_job* more = sup_arena_alloc(f->arena, capacity, sizeof *more);
        if (!more) return fail_memory();
        if (f->job_count) memcpy(more, f->jobs, f->job_count * sizeof *more);
        f->jobs = more;
        s->capacity = capacity;
    }
    const char* preset = options_text(f->flags, FLAG_PRESET, NULL);
    char        named[256] = "";
    if (!*c->chain && preset) put_stem(named, sizeof named, preset);
    crossing shown = *c;
    if (!*c->chain) shown.chain = preset ? named : "linear";
    const char* output = fill_template(s, &shown);
    if (!output) return EXIT_FAILED;
    farm_job* job = &f->jobs[f->job_count];
    *job = (farm_job){ .character = c->character,
                       .clip = *c->clip     ? c->clip
                               : *c->motion ? path_name(c->motion)
                                            : "",
                       .chain = sup_arena_text(f->arena, shown.chain, strlen(shown.chain)),
                       .name = job_name(f, output),
                       .output = text_make(f->arena, "%s/%s", f->out, output) };
    if (!job->chain || !job->name || !job->output || !make_words(s, c, job)) return fail_memory();
    f->job_count++;
    return EXIT_DONE;
}

// Flags of the farm itself are not allowed in one of its jobs.
static int check_own(const sweep* s)
{
    for (uint32_t i = 0; i < s->own_count; i++) {
        flag_id id = s->own[i].id;
        bool spread = id == FLAG_DEFORM || id == FLAG_MOTION || id == FLAG_CLIPS || id == FLAG_CHARACTERS || id == FLAG_OUTPUTS;
        if (spread || passes(id)) continue;
        report_error("%s: \"%s\" holds for all jobs; put it beside \"jobs\"", s->where, options_flag_name(id));
        return EXIT_FAILED;
    }
    return EXIT_DONE;
}

// ---------------------------------------------------------------------------------------------- crossing

static bool is_pattern(const char* text) { return strpbrk(text, "*?") != NULL; }

// The requested clips of one character; one empty text: whatever bake takes.
static bool choose_clips(const sweep* s, const char* character, const texts* held, texts* out)
{
    sup_arena* arena = s->f->arena;
    for (uint32_t i = 0; i < s->clips.count; i++) {
        const char* wanted = s->clips.items[i];
        if (!is_pattern(wanted) && !texts_add(arena, out, wanted)) return false;
        for (uint32_t k = 0; is_pattern(wanted) && k < held->count; k++)
            if (sup_glob_match(wanted, held->items[k]) && !texts_add(arena, out, held->items[k])) return false;
    }
    if (!s->clips.count)
        for (uint32_t k = 0; k < held->count; k++)
            if (!texts_add(arena, out, held->items[k])) return false;
    if (out->count) return true;
    if (s->clips.count && held->count) {
        report_warning("no clip of '%s' matches '%s'; it is left out", character, s->clips.items[0]);
        return true;
    }
    return texts_add(arena, out, "");
}

static bool needs_clips(const sweep* s)
{
    bool asks = !s->clips.count && !s->motions.count && !own_values(s, FLAG_POSE) && !options_has(s->f->flags, FLAG_POSE);
    for (uint32_t i = 0; i < s->clips.count; i++) asks |= is_pattern(s->clips.items[i]);
    return asks;
}

static int cross_character(sweep* s, const char* character, const texts* held)
{
    static const char* const none[] = { "" };
    texts                    clips = { 0 }, empty = { 1, 1, (const char**)none };
    texts                    motions = s->motions.count ? s->motions : empty, chains = s->chains.count ? s->chains : empty;
    if (!choose_clips(s, character, held, &clips)) return fail_memory();
    for (uint32_t a = 0; a < clips.count; a++)
        for (uint32_t b = 0; b < motions.count; b++)
            for (uint32_t c = 0; c < chains.count; c++)
                for (uint32_t d = 0; d < s->outputs.count; d++) {
                    int code = add_job(
                        s, &(crossing){ character, clips.items[a], motions.items[b], chains.items[c], s->outputs.items[d] });
                    if (code != EXIT_DONE) return code;
                }
    return EXIT_DONE;
}

static int cross(sweep* s)
{
    farm* f = s->f;
    bool  good = collect_files(s, FLAG_CHARACTERS, &s->characters) && collect(s, FLAG_CLIPS, true, &s->clips) &&
                collect_files(s, FLAG_MOTION, &s->motions) && collect(s, FLAG_DEFORM, false, &s->chains) &&
                collect(s, FLAG_OUTPUTS, true, &s->outputs);
    if (!good) return EXIT_FAILED;
    if (!s->characters.count) {
        report_error("%s: there is no character; give \"characters\": a file, a pattern or a list of them", s->where);
        return EXIT_FAILED;
    }
    if (!s->outputs.count && !texts_add(f->arena, &s->outputs, ".glb")) return fail_memory();
    texts* held = sup_arena_alloc(f->arena, s->characters.count, sizeof *held);
    if (!held) return fail_memory();
    int code = needs_clips(s) ? farm_clips(f, &s->characters, held) : EXIT_DONE;
    for (uint32_t i = 0; i < s->characters.count && code == EXIT_DONE; i++)
        code = cross_character(s, s->characters.items[i], &held[i]);
    return code;
}

static int by_output(const void* a, const void* b)
{
    return strcmp((*(const farm_job* const*)a)->output, (*(const farm_job* const*)b)->output);
}

static int check_outputs(farm* f)
{
    farm_job** sorted = sup_arena_alloc(f->arena, f->job_count, sizeof *sorted);
    if (!sorted) return fail_memory();
    for (uint32_t i = 0; i < f->job_count; i++) sorted[i] = &f->jobs[i];
    qsort(sorted, f->job_count, sizeof *sorted, by_output);
    for (uint32_t i = 0; i + 1 < f->job_count; i++)
        if (strcmp(sorted[i]->output, sorted[i + 1]->output) == 0) {
            report_error(
                "two jobs write '%s' ('%s' with '%s' and '%s' with '%s'); distinguish them by {character}, {clip}, {chain} and "
                "{folder} in --outputs",
                sorted[i]->output, sorted[i]->character, sorted[i]->chain, sorted[i + 1]->character, sorted[i + 1]->chain);
            return EXIT_FAILED;
        }
    return EXIT_DONE;
}

int farm_plan(farm* f, const sup_json* jobs, const char* base)
{
    uint32_t number = 0, capacity = 0;
    int      code = EXIT_DONE;
    for (const sup_json* job = jobs ? jobs->first : NULL; (job || number == 0) && code == EXIT_DONE;
         job = job ? job->next : NULL) {
        sweep       s = { .f = f, .where = jobs ? text_make(f->arena, "jobs[%u]", number) : "farm", .capacity = capacity };
        given_flag* own = NULL;
        number++;
        if (!s.where) return fail_memory();
        if (job) code = farm_manifest_flags(f->flags, job, s.where, base, f->arena, &own, &s.own_count);
        s.own = own;
        if (code == EXIT_DONE) code = check_own(&s);
        if (code == EXIT_DONE) code = cross(&s);
        capacity = s.capacity;
    }
    if (code == EXIT_DONE && !f->job_count) {
        report_error("there is nothing to do: no clip was found; name clips by --clips");
        code = EXIT_FAILED;
    }
    return code == EXIT_DONE ? check_outputs(f) : code;
}

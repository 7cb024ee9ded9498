// Damages characters and runs them: `hostile_cases [--cases N] [--seed FIRST] [--links CHAIN | --every] [--without DEFORMER]
// [--only DAMAGE] [--budget SECONDS] [--stage-budget SECONDS] [--large] [--keep-going] [--write FOLDER] [--list]`. A case is
// its seed (and
// --every and --large, which change what a seed does): one that failed says how it is had again.
#define _GNU_SOURCE // mkdtemp, setitimer
#include "hostile.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

// Processor time that a case may take, and one stage of it, such as one bind. A sanitizer makes four of one second.
#if defined(__SANITIZE_ADDRESS__)
#define BUDGET 80
#define STAGE_BUDGET 30
#else
#define BUDGET 20
#define STAGE_BUDGET 5
#endif

enum { SOURCES_MAX = 24, PATH_ROOM = 1024, SMALL = 200000, LARGE = 4000000, TEXT_ROOM = 1 << 20 };

typedef struct source {
    char      name[64];
    sup_bytes file, skeleton; ///< skeleton: the file is an OBJ
} source;

typedef struct settings {
    uint64_t      cases, seed;
    trial_options trial;
    bool          large, keep_going, list;
    const char*   write;
    const char*   only; ///< cases whose description has these words; NULL: all
    char          folder[PATH_ROOM];
    sup_arena*    arena;
    source        sources[SOURCES_MAX];
    uint32_t      source_count;
} settings;

// ---------------------------------------------------------------------------------------------- last words

static struct {
    uint64_t    seed;
    const char* program;
    const char* what;
    const char* trouble;
    const char* mode; ///< flags that change what a seed does
} now;

void         __sanitizer_set_death_callback(void (*callback)(void));
void         __sanitizer_print_stack_trace(void);
#pragma weak __sanitizer_set_death_callback
#pragma weak __sanitizer_print_stack_trace

static void last_words(void)
{
    unsigned long long seed = now.seed;
    fprintf(stderr, "\nhostile: case %llu %s while %s (%s)\n", seed, now.trouble, trial_stage, now.what);
    fprintf(stderr, "  again: %s --seed %llu%s\n", now.program, seed, now.mode);
    fprintf(stderr, "  and its files: %s --seed %llu%s --write FOLDER\n", now.program, seed, now.mode);
}

// Not what a signal handler may do in a program that goes on; this one does not.
static void on_signal(int signal)
{
    now.trouble = signal == SIGPROF ? "does not end" : "died";
    if (signal == SIGPROF && __sanitizer_print_stack_trace) __sanitizer_print_stack_trace();
    last_words();
    _exit(1);
}

static void watch(double seconds)
{
    struct itimerval timer = { .it_value = { .tv_sec = (time_t)seconds } };
    setitimer(ITIMER_PROF, &timer, NULL);
}

// ---------------------------------------------------------------------------------------------- sources

static source* new_source(settings* s, const char* name)
{
    if (s->source_count == SOURCES_MAX) return NULL;
    source* out = &s->sources[s->source_count++];
    snprintf(out->name, sizeof out->name, "%s", name);
    return out;
}

static void fatal(const char* what, const sup_error* error)
{
    fprintf(stderr, "hostile: %s: %s\n", what, error ? error->text : "failed");
    exit(1);
}

static void put_text(sup_bytes* text, const char* line)
{
    size_t length = strlen(line);
    if (text->size + length < TEXT_ROOM)
        memcpy((uint8_t*)(uintptr_t)text->data + text->size, line, length), text->size += length;
}

// Mesh and bones as texts.
static void add_text_source(settings* s, const sup_character* c)
{
    char    name[64], line[256];
    source* out;
    snprintf(name, sizeof name, "%s.obj", c->name);
    if (!(out = new_source(s, name))) return;
    out->file.data = sup_arena_alloc(s->arena, TEXT_ROOM, 1);
    out->skeleton.data = sup_arena_alloc(s->arena, TEXT_ROOM, 1);
    if (!out->file.data || !out->skeleton.data) fatal(name, NULL);
    for (uint32_t p = 0; p < c->mesh.point_count; ++p) {
        sup_vec3 v = c->mesh.points[p];
        snprintf(line, sizeof line, "v %.9g %.9g %.9g\n", (double)v.x, (double)v.y, (double)v.z);
        put_text(&out->file, line);
    }
    for (uint32_t t = 0; t < c->mesh.triangle_count; ++t) {
        const uint32_t* k = c->mesh.triangles + 3 * (size_t)t;
        snprintf(line, sizeof line, "f %u %u %u\n", k[0] + 1, k[1] + 1, k[2] + 1);
        put_text(&out->file, line);
    }
    for (uint32_t b = 0; b < c->skeleton.bone_count; ++b)
        for (uint32_t end = 0; end < 2; ++end) {
            sup_vec3 v = end ? c->skeleton.bones[b].tail : c->skeleton.bones[b].head;
            snprintf(line, sizeof line, "%u %.9g %.9g %.9g\n", 2 * b + end + 1, (double)v.x, (double)v.y, (double)v.z);
            put_text(&out->skeleton, line);
        }
    put_text(&out->skeleton, "#\n");
    for (uint32_t b = 0; b < c->skeleton.bone_count; ++b) {
        snprintf(line, sizeof line, "%u %u\n", 2 * b + 1, 2 * b + 2);
        put_text(&out->skeleton, line);
    }
    put_text(&out->skeleton, "#\n");
}

static void add_builtin(settings* s, const char* name, uint32_t points)
{
    sup_character* c = NULL;
    sup_error      error = { 0 };
    char           path[PATH_ROOM + 16];
    snprintf(path, sizeof path, "%s/%s.glb", s->folder, name);
    source* out = new_source(s, name);
    if (!out || sup_builtin_create(name, points, NULL, &c, &error) != SUP_OK ||
        sup_character_write(c, path, NULL, NULL, &error) != SUP_OK ||
        sup_files_system()->read(sup_files_system()->user, path, s->arena, &out->file, &error) != SUP_OK)
        fatal(name, &error);
    unlink(path);
    add_text_source(s, c);
    sup_character_destroy(c);
}

static int by_name(const void* a, const void* b) { return strcmp(*(char* const*)a, *(char* const*)b); }

// Real files, where they are: in the order of their names, so that a seed means the same everywhere they are.
static void add_real(settings* s)
{
    static const char folder[] = SUPPLE_SHARED_DATA "/skinned";
    char              path[PATH_ROOM];
    const char**      names = NULL;
    uint32_t          count = 0;
    sup_error         error = { 0 };
    if (sup_files_system()->list(sup_files_system()->user, folder, s->arena, &names, &count, &error) != SUP_OK) {
        printf("hostile: no real characters: %s is absent\n", folder);
        return;
    }
    qsort(names, count, sizeof *names, by_name);
    for (uint32_t i = 0; i < count; ++i) {
        struct stat about;
        size_t      length = strlen(names[i]);
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (length < 4 || strcmp(names[i] + length - 4, ".glb") != 0 || stat(path, &about) != 0) continue;
        if (about.st_size > (s->large ? LARGE : SMALL)) continue;
        source* out = new_source(s, names[i]);
        if (out && sup_files_system()->read(sup_files_system()->user, path, s->arena, &out->file, &error) != SUP_OK)
            fatal(path, &error);
    }
}

// ---------------------------------------------------------------------------------------------- cases

static void note_damage(hostile_case* one, const char* name)
{
    size_t at = strlen(one->what);
    snprintf(one->what + at, sizeof one->what - at, "%s%s", strchr(one->what, ':') ? ", " : ": ", name);
}

static void damage_glb(hostile_case* one, const source* from, sup_arena* arena, chance* c)
{
    pieces p;
    if (!pieces_open(&p, from->file, arena)) fatal(from->name, NULL);
    for (uint32_t n = 1 + chance_below(c, 3); n && !p.whole.data; --n) {
        c->wild = chance_one_in(c, 6);
        // Most of the damage is to the shape, for that is what binding sees; a file that is refused teaches little.
        uint32_t      kind = chance_below(c, 8), count = kind < 4   ? damage_of_faces_count
                                                         : kind < 7 ? damage_of_rigs_count
                                                                    : damage_of_files_count;
        const damage* list = kind < 5 ? damage_of_faces : kind < 7 ? damage_of_rigs : damage_of_files;
        const damage* one_of = &list[chance_below(c, count)];
        note_damage(one, one_of->name);
        one_of->apply(&p, c);
    }
    one->file = pieces_close(&p);
}

static void make_case(const settings* s, uint64_t seed, sup_arena* arena, hostile_case* out)
{
    chance        c = { .state = seed };
    const source* from = &s->sources[chance_below(&c, s->source_count)];
    *out = (hostile_case){ .seed = seed, .file = from->file, .skeleton = from->skeleton };
    snprintf(out->what, sizeof out->what, "%s", from->name);
    if (!from->skeleton.data) {
        damage_glb(out, from, arena, &c);
        return;
    }
    for (uint32_t n = 1 + chance_below(&c, 2); n; --n)
        note_damage(out, damage_text(chance_one_in(&c, 3) ? &out->skeleton : &out->file, arena, &c));
}

static void write_bytes(const char* folder, const char* name, sup_bytes bytes)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "wb");
    if (!file || fwrite(bytes.data, 1, bytes.size, file) != bytes.size || fclose(file) != 0) fatal(path, NULL);
    printf("%s\n", path);
}

static void write_case(const hostile_case* one, const char* folder)
{
    char name[64];
    mkdir(folder, 0777); // fails where it exists already; writing tells
    snprintf(name, sizeof name, "%llu.%s", (unsigned long long)one->seed, one->skeleton.data ? "obj" : "glb");
    write_bytes(folder, name, one->file);
    snprintf(name, sizeof name, "%llu.tgf", (unsigned long long)one->seed);
    if (one->skeleton.data) write_bytes(folder, name, one->skeleton);
}

// True: the case held.
static bool run_case(const settings* s, uint64_t seed, trial_counts* counts)
{
    sup_arena*   arena = sup_arena_create(NULL);
    hostile_case one;
    char         why[HOSTILE_WORDS] = "";
    now.seed = seed;
    now.trouble = "broke something";
    snprintf(trial_stage, sizeof trial_stage, "damaging");
    make_case(s, seed, arena, &one);
    now.what = one.what;
    if (s->only && !strstr(one.what, s->only)) {
        sup_arena_destroy(arena);
        return true;
    }
    if (s->list || s->write) printf("%llu %s\n", (unsigned long long)seed, one.what);
    if (s->list) fflush(stdout);
    if (s->write) write_case(&one, s->write);
    watch(3 * s->trial.seconds);
    bool good = trial_run(&one, &s->trial, counts, why);
    watch(0);
    if (!good) {
        now.trouble = why;
        last_words();
    }
    sup_arena_destroy(arena);
    return good;
}

// In a process of its own, so that one that dies does not end the row.
static bool run_apart(const settings* s, uint64_t seed, trial_counts* counts)
{
    int   ends[2], status = 1;
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child < 0) fatal("fork", NULL);
    if (child == 0) {
        trial_counts own = { 0 };
        bool         good = run_case(s, seed, &own);
        if (write(ends[1], &own, sizeof own) != sizeof own) good = false;
        fflush(stdout);
        _exit(good ? 0 : 1);
    }
    close(ends[1]);
    trial_counts own = { 0 };
    if (read(ends[0], &own, sizeof own) != sizeof own) own = (trial_counts){ .cases = 1 };
    close(ends[0]);
    waitpid(child, &status, 0);
    uint32_t*       sum = (uint32_t*)counts;
    const uint32_t* more = (const uint32_t*)&own;
    for (size_t i = 0; i < sizeof own / sizeof *sum; ++i) sum[i] += more[i];
    return status == 0;
}

// ---------------------------------------------------------------------------------------------- main

static bool parse(settings* s, int argc, char** argv)
{
    for (int i = 1; i < argc; ++i) {
        const char* flag = argv[i];
        if (strcmp(flag, "--every") == 0) s->trial.every_link = true;
        else if (strcmp(flag, "--large") == 0) s->large = true;
        else if (strcmp(flag, "--keep-going") == 0) s->keep_going = true;
        else if (strcmp(flag, "--list") == 0) s->list = s->trial.say = true;
        else if (i + 1 == argc) return false;
        else if (strcmp(flag, "--cases") == 0) s->cases = strtoull(argv[++i], NULL, 10);
        else if (strcmp(flag, "--seed") == 0) s->seed = strtoull(argv[++i], NULL, 10);
        else if (strcmp(flag, "--budget") == 0) s->trial.seconds = strtod(argv[++i], NULL);
        else if (strcmp(flag, "--stage-budget") == 0) s->trial.stage = strtod(argv[++i], NULL);
        else if (strcmp(flag, "--links") == 0) s->trial.links = argv[++i];
        else if (strcmp(flag, "--without") == 0) s->trial.without = argv[++i];
        else if (strcmp(flag, "--only") == 0) s->only = argv[++i];
        else if (strcmp(flag, "--write") == 0) s->write = argv[++i];
        else return false;
    }
    return s->trial.seconds >= 1;
}

static int run_all(const settings* s)
{
    trial_counts n = { 0 };
    uint64_t     failed = 0;
    for (uint64_t i = 0; i < s->cases && (!failed || s->keep_going); ++i)
        failed += !(s->keep_going ? run_apart(s, s->seed + i, &n) : run_case(s, s->seed + i, &n));
    printf("%u cases from %llu on: %u refused when read, %u binds (%u refused), %u frames (%u with fallbacks, %u lost and "
           "counted), "
           "%u baked, %u slow stages; %llu failed\n",
           n.cases, (unsigned long long)s->seed, n.refused, n.binds, n.refused_binds, n.frames, n.fallbacks, n.lost, n.baked,
           n.slow, (unsigned long long)failed);
    return failed ? 1 : 0;
}

int main(int argc, char** argv)
{
    static settings s = { .cases = 1, .seed = 1, .trial = { .seconds = BUDGET, .stage = STAGE_BUDGET } };
    if (!parse(&s, argc, argv)) {
        fprintf(stderr,
                "usage: %s [--cases N] [--seed FIRST] [--links CHAIN | --every] [--without DEFORMER] [--only DAMAGE] [--budget "
                "SECONDS] "
                "[--stage-budget SECONDS] [--large] [--keep-going] "
                "[--write FOLDER] [--list]\n",
                argv[0]);
        return 2;
    }
    const char* temporary = getenv("TMPDIR");
    snprintf(s.folder, sizeof s.folder, "%s/supple-hostile-XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(s.folder)) fatal(s.folder, NULL);
    s.trial.folder = s.folder;
    s.arena = sup_arena_create(NULL);
    now.program = argv[0];
    now.what = "";
    now.mode = s.large && s.trial.every_link ? " --large --every" : s.large ? " --large" : s.trial.every_link ? " --every" : "";
    signal(SIGPROF, on_signal);
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(last_words);
    else signal(SIGSEGV, on_signal), signal(SIGBUS, on_signal), signal(SIGFPE, on_signal), signal(SIGABRT, on_signal);
    add_builtin(&s, "bar", 100);
    add_builtin(&s, "arm", 200);
    add_builtin(&s, "beast", 1000);
    add_real(&s);
    int code = run_all(&s);
    rmdir(s.folder);
    sup_arena_destroy(s.arena);
    return code;
}

// Every model of Debian's assimp-testmodels, each in a process of its own: it is read and one frame of it baked, or refused
// with a sentence that names a cure. Nothing crashes, nothing hangs, nothing eats the machine. The table it prints is the one
// in docs/formats.md (scripts/update-formats.sh puts it there).
#include "supple/io_extra.h"
#include "tests/io/bake_support.h"
#include "tests/io_extra/all_files.h"

#ifndef SUPPLE_ASSIMP
int main(void)
{
    puts("skipped: this build is without assimp");
    return 77;
}
#else

#include <sys/resource.h>
#include <sys/wait.h>

static const char models[] = "/usr/share/assimp/models";

enum { KINDS_MAX = 100, SECONDS_MAX = 60, TEXT_MAX = 1024 };

// Of one file, in memory that the child shares.
typedef struct outcome {
    int      state; // 0: died, 1: refused, 2: read but not baked, 3: read and baked
    uint32_t points;
    bool     skinned;
    char     text[TEXT_MAX];
} outcome;

typedef struct kind {
    char     ending[16];
    uint32_t read, skinned;
    uint32_t refused[3]; // nothing to show, assimp cannot, other
} kind;

static const char* ending_of(const char* path)
{
    static char lower[16];
    const char* dot = strrchr(path, '.');
    size_t      n = 0;
    for (const char* c = dot ? dot + 1 : ""; *c && n + 1 < sizeof lower; ++c)
        lower[n++] = *c >= 'A' && *c <= 'Z' ? *c + 32 : *c;
    lower[n] = 0;
    return lower;
}

static bool is_model(const char* ending)
{
    char all[1024], word[20], path[24];
    snprintf(all, sizeof all, " %s ", sup_extra_get()->formats[0]->endings);
    snprintf(word, sizeof word, " %s ", ending);
    snprintf(path, sizeof path, "a.%s", ending);
    return ending[0] && (strstr(all, word) || sup_format_for(path));
}

static void try_one(const char* path, const char* out, outcome* o)
{
    sup_character*   c = NULL;
    sup_error        error = { 0 };
    sup_load_options options = { .extra = sup_extra_get() };
    if (sup_load(path, &options, &c, &error) != SUP_OK) {
        o->state = 1;
        snprintf(o->text, sizeof o->text, "%s", error.text);
        return;
    }
    sup_arena* arena = sup_arena_create(NULL);
    sup_pose   pose;
    assert_ok(sup_pose_create(c, arena, &pose, &error), error);
    sup_pose_rest(c, &pose);
    test_bake b = { .character = c, .pose = &pose, .path = out, .fps = 1, .frames = 1 };
    o->points = c->mesh.point_count;
    o->skinned = c->skeleton.skin_joint_count > 0;
    o->state = 2;
    if (test_bake_run(&b, NULL, &error) == SUP_OK) o->state = 3;
    snprintf(o->text, sizeof o->text, "%s", error.text);
    sup_arena_destroy(arena);
    sup_character_destroy(c);
}

static void run_one(const char* path, const char* out, outcome* o)
{
    int ends[2];
    *o = (outcome){ 0 };
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        outcome mine = { 0 };
        alarm(SECONDS_MAX);
#if !defined(__SANITIZE_ADDRESS__)
        setrlimit(RLIMIT_AS, &(struct rlimit){ 2ull << 30, 2ull << 30 });
#endif
        try_one(path, out, &mine);
        bool sent = write(ends[1], &mine, sizeof mine) == sizeof mine;
        _exit(sent ? 0 : 1);
    }
    close(ends[1]);
    size_t got = 0;
    for (ssize_t n; got < sizeof *o && (n = read(ends[0], (char*)o + got, sizeof *o - got)) > 0;) got += (size_t)n;
    close(ends[0]);
    int status;
    waitpid(child, &status, 0);
    if (got != sizeof *o || !WIFEXITED(status) || WEXITSTATUS(status) != 0) *o = (outcome){ 0 };
}

static kind* kind_of(kind* kinds, uint32_t* count, const char* ending)
{
    for (uint32_t i = 0; i < *count; ++i)
        if (strcmp(kinds[i].ending, ending) == 0) return &kinds[i];
    assert_true(*count < KINDS_MAX);
    snprintf(kinds[*count].ending, sizeof kinds[*count].ending, "%s", ending);
    return &kinds[(*count)++];
}

// A sentence: some words, no newline, nothing unprintable.
static bool is_sentence(const char* text)
{
    if (strlen(text) < 20 || !strchr(text, ' ')) return false;
    for (const char* c = text; *c; ++c)
        if ((unsigned char)*c < 32) return false;
    return true;
}

static int reason_of(const char* text)
{
    static const char* const nothing[] = { "has no mesh", "has no points", "has no faces", "no points" };
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; ++i)
        if (strstr(text, nothing[i])) return 0;
    return strstr(text, "(assimp: ") ? 1 : 2;
}

static uint32_t files_of(const kind* k) { return k->read + k->refused[0] + k->refused[1] + k->refused[2]; }

static void print_row(const char* name, const kind* k)
{
    print_message("| %s | %u | %u | %u | %u | %u |\n", name, k->read, k->skinned, k->refused[0], k->refused[1], k->refused[2]);
}

// Endings with few files share a row.
static void print_table(const kind* kinds, uint32_t count)
{
    enum { FILES_FEW = 5 };
    kind few = { 0 }, all = { 0 };
    char name[400] = "", row[32];
    print_message("\n| files | read and baked | of them skinned | nothing to show | assimp cannot | other reason |\n"
                  "|---|---|---|---|---|---|\n");
    for (uint32_t i = 0; i < count; ++i) {
        const kind* k = &kinds[i];
        kind*       sums[] = { &all, files_of(k) <= FILES_FEW ? &few : NULL };
        for (int s = 0; s < 2 && sums[s]; ++s) {
            sums[s]->read += k->read;
            sums[s]->skinned += k->skinned;
            for (int r = 0; r < 3; ++r) sums[s]->refused[r] += k->refused[r];
        }
        snprintf(row, sizeof row, "`.%.15s`", k->ending);
        if (sums[1]) snprintf(name + strlen(name), sizeof name - strlen(name), "%s%s", name[0] ? " " : "", row);
        else print_row(row, k);
    }
    print_row(name, &few);
    print_row("all", &all);
    print_message("\n");
}

static void every_model_is_read_or_refused_with_a_sentence(void** state)
{
    (void)state;
    static all_files files;
    all_files_add(&files, models, "");
    if (files.count == 0) {
        print_message("skipped: Debian's assimp-testmodels are not installed\n");
        skip();
    }
    all_files_sort(&files);
    static kind kinds[KINDS_MAX];
    uint32_t    kind_count = 0, bad = 0, read_count = 0, refused = 0;
    test_folder folder;
    test_folder_make(&folder);
    const char* out = test_folder_file(&folder, "one.glb");
    for (uint32_t i = 0; i < files.count; ++i) {
        outcome o;
        if (!is_model(ending_of(files.paths[i]))) continue;
        run_one(files.paths[i], out, &o);
        kind*       k = kind_of(kinds, &kind_count, ending_of(files.paths[i]));
        const char* name = files.paths[i] + sizeof models;
        k->read += o.state >= 2;
        k->skinned += o.state >= 2 && o.skinned;
        if (o.state == 1) k->refused[reason_of(o.text)]++;
        read_count += o.state >= 2;
        refused += o.state == 1;
        if (o.state == 1) print_message("refused %s: %s\n", name, o.text);
        bool good = o.state == 3 || (o.state == 1 && is_sentence(o.text));
        if (!good) print_message("BAD     %s: state %d, %u points: %s\n", name, o.state, o.points, o.text);
        bad += !good;
    }
    test_folder_remove(&folder);
    all_files_free(&files);
    print_table(kinds, kind_count);
    print_message("%u read, %u refused\n", read_count, refused);
    assert_int_equal(bad, 0);
    assert_true(read_count > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_model_is_read_or_refused_with_a_sentence) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif

// Runs a fuzz harness without a fuzzer: `replay FOLDER` feeds it its seeds, whole, cut short and damaged, and the files of the
// folder (which need not exist); `replay --write FOLDER` writes the seeds there for libFuzzer to start from.
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CUTS = 200, DAMAGES = 400, ALLOCATIONS_MAX = 5000, PATH_ROOM = 1024 };

#pragma weak fuzz_starve // not every harness has memory of its own to refuse
#pragma weak fuzz_accepted
#pragma weak fuzz_cost

static uint32_t cost(void) { return fuzz_cost ? fuzz_cost() : 1; }

typedef struct run {
    const char* folder;
    uint32_t    seeds, inputs, starved;
} run;

// An exact copy, so that a sanitizer sees one byte too many.
static void feed(run* r, const uint8_t* bytes, size_t size)
{
    uint8_t* copy = calloc(size ? size : 1, 1);
    if (size) memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    r->inputs++;
}

static void feed_damaged(run* r, const uint8_t* bytes, size_t size)
{
    uint8_t* copy = malloc(size ? size : 1);
    uint32_t random = 12345;
    for (int i = 0; i < DAMAGES && size; i += (int)cost()) {
        memcpy(copy, bytes, size);
        for (int change = 0; change <= i % 3; ++change) {
            random = random * 1664525u + 1013904223u;
            uint8_t any = (uint8_t)(random >> 24), telling = (uint8_t) "\"[]{}0,:-\xff"[any % 10];
            copy[(random >> 8) % size] = random & 1 ? any : telling;
        }
        feed(r, copy, size);
    }
    free(copy);
}

// With memory that ends one allocation later each time, until it is enough.
static void feed_starved(run* r, const uint8_t* bytes, size_t size)
{
    if (!fuzz_starve) return;
    for (long allowed = 0; allowed < ALLOCATIONS_MAX; ++allowed) {
        (void)fuzz_starve(allowed);
        feed(r, bytes, size);
        if (fuzz_starve(-1) == 0) return;
        r->starved++;
    }
    fprintf(stderr, "memory was never enough\n");
    exit(1);
}

static void replay_seed(void* user, const void* bytes, size_t size)
{
    run* r = user;
    r->seeds++;
    feed(r, bytes, size);
    if (fuzz_accepted && !fuzz_accepted()) {
        fprintf(stderr, "seed %u is refused, so it leads nowhere\n", r->seeds - 1);
        exit(1);
    }
    feed_starved(r, bytes, size);
    for (size_t cut = 0; cut < CUTS && cut < size; cut += cost()) feed(r, bytes, size * cut / (size < CUTS ? size : CUTS));
    feed_damaged(r, bytes, size);
}

static void write_seed(void* user, const void* bytes, size_t size)
{
    run* r = user;
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/seed-%u", r->folder, r->seeds++);
    FILE* file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "cannot write %s\n", path);
        exit(1);
    }
}

static void replay_file(run* r, const char* path)
{
    FILE* file = fopen(path, "rb");
    if (!file) return;
    fseek(file, 0, SEEK_END);
    long     size = ftell(file);
    uint8_t* bytes = malloc(size > 0 ? (size_t)size : 1);
    rewind(file);
    if (size >= 0 && fread(bytes, 1, (size_t)size, file) == (size_t)size) feed(r, bytes, (size_t)size);
    free(bytes);
    fclose(file);
}

static void replay_folder(run* r)
{
    DIR* folder = opendir(r->folder);
    if (!folder) return;
    for (struct dirent* entry; (entry = readdir(folder));) {
        char path[PATH_ROOM];
        snprintf(path, sizeof path, "%s/%s", r->folder, entry->d_name);
        if (entry->d_name[0] != '.') replay_file(r, path);
    }
    closedir(folder);
}

int main(int argc, char** argv)
{
    if (argc == 3 && strcmp(argv[1], "--write") == 0) {
        run r = { .folder = argv[2] };
        mkdir(r.folder, 0777); // fails where it exists already; writing tells
        fuzz_seeds(write_seed, &r);
        printf("%u seeds\n", r.seeds);
        return 0;
    }
    if (argc != 2) {
        fprintf(stderr, "usage: %s [--write] FOLDER\n", argv[0]);
        return 2;
    }
    run r = { .folder = argv[1] };
    fuzz_seeds(replay_seed, &r);
    replay_folder(&r);
    printf("%u seeds, %u inputs, %u of them with too little memory\n", r.seeds, r.inputs, r.starved);
    return r.seeds ? 0 : 1;
}

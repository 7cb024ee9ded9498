// Any bytes as a folder: between lines of '@' stand files, each with its name in its first line.
#include "fuzz.h"

#include "fuzz_read.h"
#include "io/caches/sequence.h"

#include <string.h>

enum { FILES = 8, NAME_ROOM = 40 };

typedef struct shelf {
    char      names[FILES][NAME_ROOM];
    sup_bytes contents[FILES];
    uint32_t  count;
} shelf;

static void fill(shelf* s, const uint8_t* data, size_t size)
{
    while (s->count < FILES && size) {
        const uint8_t* end = memchr(data, '@', size);
        size_t         all = end ? (size_t)(end - data) : size;
        const uint8_t* line = memchr(data, '\n', all);
        size_t         length = line ? (size_t)(line - data) : all, kept = length < NAME_ROOM - 1 ? length : NAME_ROOM - 1;
        memcpy(s->names[s->count], data, kept);
        s->names[s->count][kept] = 0;
        s->contents[s->count++] = line ? (sup_bytes){ line + 1, all - length - 1 } : (sup_bytes){ data, 0 };
        size -= all + (end != NULL);
        data += all + (end != NULL);
    }
}

static sup_result read_one(void* user, const char* path, sup_arena* arena, sup_bytes* out, sup_error* error)
{
    const shelf* s = user;
    const char*  slash = strrchr(path, '/');
    for (uint32_t i = 0; i < s->count; ++i) {
        if (strcmp(s->names[i], slash ? slash + 1 : path) != 0) continue;
        uint8_t* copy = sup_arena_copy(arena, s->contents[i].data, s->contents[i].size, 1);
        if (!copy) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
        *out = (sup_bytes){ copy, s->contents[i].size };
        return SUP_OK;
    }
    return sup_fail(error, SUP_ERROR_FILE, "cannot read '%s': it is not there", path);
}

static sup_result list_all(void* user, const char* folder, sup_arena* arena, const char*** names, uint32_t* count,
                           sup_error* error)
{
    const shelf* s = user;
    if (strcmp(folder, "runs") != 0 && strcmp(folder, "runs/") != 0)
        return sup_fail(error, SUP_ERROR_FILE, "cannot read '%s': it is not a folder", folder);
    *names = sup_arena_alloc(arena, FILES, sizeof **names);
    if (!*names) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
    for (*count = 0; *count < s->count; ++*count) (*names)[*count] = s->names[*count];
    return SUP_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static const char* const paths[] = { "runs", "runs/a_##.obj", "runs/a_%d.ply", "runs/*" };
    shelf                    s = { .count = 0 };
    const sup_files          files = { .read = read_one, .list = list_all, .user = &s };
    size_t                   live = 0;
    sup_allocator            memory = { fuzz_allocate, fuzz_release, &live };
    sup_load_options         options = { .files = &files, .allocator = &memory };
    if (size == 0) return 0;
    fill(&s, data + 1, size - 1);
    const char*    path = paths[data[0] % 4];
    sup_character* character = NULL;
    sup_error      error = { SUP_OK, "" };
    if (!sup_sequence_named(path, &files, &memory)) return 0;
    sup_result result = sup_sequence_load(path, &files, &options, &character, &error);
    if ((result == SUP_OK) != (character != NULL)) abort();
    if (result != SUP_OK && (error.code != result || !error.text[0])) abort();
    fuzz_good |= result == SUP_OK;
    if (character && character->clip_count != 1) abort();
    sup_character_destroy(character);
    if (live) abort();
    return 0;
}

#define TRIANGLE "v 1 0 0\nv 0 1 0\nf 1 2 3\n"
#define HEADER                                                                                                                 \
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\n"          \
    "property list uchar int vertex_indices\nend_header\n"

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    static const char obj[] = "\1a_01.obj\nv 0 0 0\n" TRIANGLE "@a_02.obj\nv 0 0 1\n" TRIANGLE "@a_3.obj\nv 0 0 2\n" TRIANGLE
                              "@readme\nhello\n@a_04.obj\nv 0 0 3\n" TRIANGLE;
    static const char ply[] =
        "\2a_1.ply\n" HEADER "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n@a_10.ply\n" HEADER "0 0 1\n1 0 1\n0 1 1\n3 0 1 2\n";
    char folder[sizeof obj];
    memcpy(folder, obj, sizeof obj);
    folder[0] = 4; // the whole folder
    seed(user, obj, sizeof obj - 1);
    seed(user, ply, sizeof ply - 1);
    seed(user, folder, sizeof folder - 1);
}

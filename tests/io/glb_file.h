/// tests/io/glb_file.h: the document inside a GLB, as whoever reads it finds it.
#ifndef SUP_TESTS_IO_GLB_FILE_H
#define SUP_TESTS_IO_GLB_FILE_H

#include "support.h"

#include "supple/io.h"
#include "supple/json.h"

#include <string.h>

typedef struct glb {
    sup_arena*      arena;
    const sup_json* root;
    const uint8_t*  bin;
    uint32_t        bin_bytes;
} glb;

static inline glb glb_open(const char* path)
{
    glb       g = { .arena = sup_arena_create(NULL) };
    sup_bytes bytes;
    sup_error error;
    uint32_t  words[5], chunk[2];
    sup_json* root;
    assert_ok(sup_files_system()->read(sup_files_system()->user, path, g.arena, &bytes, &error), error);
    memcpy(words, bytes.data, sizeof words);
    assert_int_equal(words[0], 0x46546C67);
    assert_int_equal(words[2], bytes.size);
    assert_int_equal(words[3] % 4, 0);
    assert_ok(sup_json_parse((const char*)bytes.data + 20, words[3], path, g.arena, &root, &error), error);
    memcpy(chunk, bytes.data + 20 + words[3], sizeof chunk);
    assert_int_equal(chunk[1], 0x004E4942);
    assert_int_equal(28 + words[3] + chunk[0], bytes.size);
    g.root = root;
    g.bin = bytes.data + 28 + words[3];
    g.bin_bytes = chunk[0];
    return g;
}

static inline const sup_json* glb_item(const glb* g, const char* list, uint32_t index)
{
    return sup_json_at(sup_json_get(g->root, list), index);
}

static inline uint32_t glb_number(const sup_json* object, const char* key)
{
    return sup_json_index(sup_json_get(object, key), SUP_NONE);
}

static inline uint32_t glb_length(const sup_json* object, const char* key)
{
    const sup_json* value = sup_json_get(object, key);
    return value ? value->count : 0;
}

typedef struct test_text {
    char*  text;
    size_t at, capacity;
} test_text;

static inline bool test_text_put(void* user, const char* bytes, size_t size)
{
    test_text* t = user;
    if (t->capacity - t->at <= size) return false;
    memcpy(t->text + t->at, bytes, size);
    t->at += size;
    return true;
}

#endif

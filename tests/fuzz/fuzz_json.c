// JSON: what is accepted must survive being written and read again, to the byte.
#include "fuzz.h"

#include "fuzz_read.h"
#include "supple/json.h"

#include <string.h>

enum { ROOM = 1 << 20 };

typedef struct text_buffer {
    char   bytes[ROOM];
    size_t used;
} text_buffer;

static bool take(void* user, const char* bytes, size_t length)
{
    text_buffer* b = user;
    if (length > ROOM - b->used) return false;
    memcpy(b->bytes + b->used, bytes, length);
    b->used += length;
    return true;
}

static uint64_t count_values(const sup_json* value)
{
    uint64_t sum = 1, children = 0;
    for (const sup_json* child = value->first; child; child = child->next, ++children) sum += count_values(child);
    if (children != value->count) abort();
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size)
{
    static text_buffer first, second;
    size_t             live = 0;
    sup_allocator      memory = { fuzz_allocate, fuzz_release, &live };
    sup_arena*         arena = sup_arena_create(&memory);
    if (!arena) return 0;
    sup_json *value = NULL, *again = NULL;
    sup_error error = { 0 };
    if (sup_json_parse((const char*)bytes, size, "input", arena, &value, &error) == SUP_OK) {
        fuzz_good = true;
        first.used = second.used = 0;
        if (sup_json_write(value, 0, &(sup_text_sink){ take, &first })) {
            sup_result result = sup_json_parse(first.bytes, first.used, "again", arena, &again, &error);
            if (result != SUP_OK && result != SUP_ERROR_MEMORY) abort();
            if (result == SUP_OK && count_values(value) != count_values(again)) abort();
            sup_json* copy = result == SUP_OK ? sup_json_clone(arena, again) : NULL;
            if (copy && !sup_json_write(copy, 0, &(sup_text_sink){ take, &second })) abort();
            if (copy && (first.used != second.used || memcmp(first.bytes, second.bytes, first.used) != 0)) abort();
        }
    } else if (error.code == SUP_OK || error.text[0] == 0) abort();
    sup_arena_destroy(arena);
    if (live) abort();
    return 0;
}

void fuzz_seeds(fuzz_seed_fn* seed, void* user)
{
    static const char* const texts[] = {
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"mesh\":0,\"translation\":[1.5,-2e-3,0]},{}],\"on\":true,\"off\":null}",
        "\"\\u00e9\\ud83d\\ude00\\n\\\"\\\\\\/\\b\\f\\r\\t\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"",
        "[0,-0,1e5,1E-5,0.1,123456789012345678901234567890,1.7976931348623157e308,5e-324,1e999]",
        "[[[[[[[[[[]]]]]]]]]]",
        "\xef\xbb\xbf {\n\t\"a\" : [ ] ,\r\n \"a\" : { } }\n",
        "{\"\":\"\",\"a\":[false,true,null]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) seed(user, texts[i], strlen(texts[i]));
}

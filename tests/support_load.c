// Apart from support.c, so that only programs that use it are linked with all that reads files.
#include "support.h"

#include <string.h>

sup_character* test_builtin(const char* name, uint32_t points)
{
    sup_character* c = NULL;
    sup_error      error;
    assert_ok(sup_builtin_create(name, points, NULL, &c, &error), error);
    return c;
}

sup_character* test_load(const char* path)
{
    sup_character* c = NULL;
    sup_error      error;
    assert_ok(sup_load(path, NULL, &c, &error), error);
    return c;
}

sup_json* test_json(const char* text, sup_arena* arena)
{
    sup_json* json = NULL;
    sup_error error;
    assert_ok(sup_json_parse(text, strlen(text), "test", arena, &json, &error), error);
    return json;
}

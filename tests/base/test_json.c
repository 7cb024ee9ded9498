// What RFC 8259 allows is read, what it forbids is refused with a place, and what was read is written again unchanged.
#include "support.h"

#include "base/internal.h"
#include "supple/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char sample[] = "{\"asset\": {\"version\":\"2.0\", \"a\\u00e9\\ud83d\\ude00\\n\": null},\n"
                             " \"nodes\": [ {\"mesh\":0,\"t\":[1.50, -2e-3,0]}, {}, [] ],\r\n"
                             "\t\"on\":true,\"off\":false, \"path\":\"C:\\\\dir\\/\\\"x\\\"\\b\\f\\r\\t\", "
                             "\"utf\":\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"}";

typedef struct text_buffer {
    char   bytes[8192];
    size_t used, limit;
} text_buffer;

static bool take(void* user, const char* bytes, size_t length)
{
    text_buffer* b = user;
    if (length > b->limit - b->used) return false;
    memcpy(b->bytes + b->used, bytes, length);
    b->used += length;
    b->bytes[b->used] = 0;
    return true;
}

static const char* write_text(const sup_json* value, int indent, text_buffer* b)
{
    *b = (text_buffer){ .limit = sizeof b->bytes - 1 };
    assert_true(sup_json_write(value, indent, &(sup_text_sink){ take, b }));
    return b->bytes;
}

static sup_json* parse(sup_arena* arena, const char* text)
{
    sup_json* value = NULL;
    sup_error error;
    if (sup_json_parse(text, strlen(text), "test.json", arena, &value, &error) != SUP_OK) fail_msg("%s: %s", text, error.text);
    return value;
}

// The message behind "test.json: line L, column C: expected ".
static void assert_refused(const char* text, size_t length, const char* message)
{
    sup_arena* arena = sup_arena_create(NULL);
    sup_json*  untouched = (sup_json*)arena;
    sup_error  error = { 0 };
    if (sup_json_parse(text, length, "test.json", arena, &untouched, &error) != SUP_ERROR_INPUT) fail_msg("accepted: %s", text);
    assert_ptr_equal(untouched, arena);
    if (message && strcmp(error.text, message) != 0) fail_msg("'%s' says\n%s, not\n%s", text, error.text, message);
    assert_non_null(strstr(error.text, "expected"));
    sup_arena_destroy(arena);
}

#define REFUSES(text, message) assert_refused(text, sizeof(text) - 1, "test.json: " message)

static void a_document_becomes_a_tree(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    sup_json*  root = parse(arena, sample);
    assert_int_equal(root->type, SUP_JSON_OBJECT);
    assert_int_equal(root->count, 6);
    assert_string_equal(sup_json_string(sup_json_get(sup_json_get(root, "asset"), "version"), ""), "2.0");
    assert_string_equal(sup_json_get(root, "asset")->last->key, "a\xc3\xa9\xf0\x9f\x98\x80\n");
    const sup_json* nodes = sup_json_get(root, "nodes");
    assert_int_equal(nodes->count, 3);
    assert_int_equal(sup_json_index(sup_json_get(sup_json_at(nodes, 0), "mesh"), SUP_NONE), 0);
    const sup_json* t = sup_json_get(sup_json_at(nodes, 0), "t");
    assert_true(sup_json_number(sup_json_at(t, 0), 0) == 1.5 && sup_json_number(sup_json_at(t, 1), 0) == -0.002);
    assert_int_equal(t->first->length, 4);
    assert_memory_equal(t->first->text, "1.50", 4);
    assert_null(sup_json_at(t, 3));
    assert_int_equal(sup_json_get(root, "on")->type, SUP_JSON_TRUE);
    assert_int_equal(sup_json_get(root, "off")->type, SUP_JSON_FALSE);
    assert_string_equal(sup_json_get(root, "path")->text, "C:\\dir/\"x\"\b\f\r\t");
    assert_string_equal(sup_json_get(root, "utf")->text, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    sup_arena_destroy(arena);
}

static void single_values_are_documents(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    assert_int_equal(parse(arena, " null ")->type, SUP_JSON_NULL);
    assert_true(parse(arena, "-0")->number == 0);
    assert_true(parse(arena, "1E+2")->number == 100);
    assert_true(isinf(parse(arena, "1e999")->number));
    assert_string_equal(parse(arena, "\"\"")->text, "");
    assert_int_equal(parse(arena, "\xef\xbb\xbf[]")->type, SUP_JSON_ARRAY);
    assert_int_equal(parse(arena, "\"a\\u0000b\"")->length, 3);
    assert_string_equal(parse(arena, "\"0123456789abcdef\\u0041bcdefghijklmnop\"")->text, "0123456789abcdefAbcdefghijklmnop");
    sup_arena_destroy(arena);
}

static void errors_name_place_and_expectation(void** state)
{
    (void)state;
    REFUSES("", "line 1, column 1: expected a value, found the end of the file");
    REFUSES("[1,]", "line 1, column 4: expected a value, found ']'");
    REFUSES("[1 2]", "line 1, column 4: expected ',' or ']', found '2'");
    REFUSES("{\"a\":1,}", "line 1, column 8: expected a name in quotes, found '}'");
    REFUSES("{\n  \"a\" 1}", "line 2, column 7: expected ':' behind a name, found '1'");
    REFUSES("{\"\xc3\xa9\":}", "line 1, column 6: expected a value, found '}'");
    REFUSES("{a:1}", "line 1, column 2: expected a name in quotes, found 'a'");
    REFUSES("{\"a\":1 \"b\":2}", "line 1, column 8: expected ',' or '}', found '\"'");
    REFUSES("[1}", "line 1, column 3: expected ',' or ']', found '}'");
    REFUSES("// no\n1", "line 1, column 1: expected a value, found '/'");
    REFUSES("1 2", "line 1, column 3: expected nothing behind the document, found '2'");
    REFUSES("nul", "line 1, column 1: expected a value, found 'n'");
    REFUSES("'a'", "line 1, column 1: expected a value, found '''");
    REFUSES("\"a\nb\"", "line 1, column 3: expected \\ before a control character, found the end of the line");
    REFUSES("\"abc", "line 1, column 5: expected \" at the end of a string, found the end of the file");
    REFUSES("\"\\x\"", "line 1, column 3: expected one of \" \\ / b f n r t u behind \\, found 'x'");
    REFUSES("\"\\u12G4\"", "line 1, column 6: expected four hexadecimal digits behind \\u, found 'G'");
    REFUSES("\"\\udc00\"", "line 1, column 2: expected a high surrogate before a low one, found '\\'");
    REFUSES("\"\\ud800x\"", "line 1, column 8: expected the low surrogate of a pair (\\udc00 to \\udfff), found 'x'");
    REFUSES("\"\\ud800\\u0041\"", "line 1, column 8: expected the low surrogate of a pair (\\udc00 to \\udfff), found '\\'");
    REFUSES("{\"a\\u0000b\":1}", "line 1, column 2: expected a name without \\u0000, found '\"'");
    REFUSES("[1]\0", "line 1, column 4: expected nothing behind the document, found the byte 0x00");
}

static void malformed_numbers_are_refused(void** state)
{
    (void)state;
    REFUSES("01", "line 1, column 2: expected no digit behind a leading 0, found '1'");
    REFUSES("-", "line 1, column 2: expected a digit, found the end of the file");
    REFUSES("-.5", "line 1, column 2: expected a digit, found '.'");
    REFUSES("1.", "line 1, column 3: expected a digit behind the decimal point, found the end of the file");
    REFUSES("1.e3", "line 1, column 3: expected a digit behind the decimal point, found 'e'");
    REFUSES("1e", "line 1, column 3: expected a digit of the exponent, found the end of the file");
    REFUSES("[1e+]", "line 1, column 5: expected a digit of the exponent, found ']'");
    REFUSES("+1", "line 1, column 1: expected a value, found '+'");
    REFUSES(".5", "line 1, column 1: expected a value, found '.'");
    REFUSES("NaN", "line 1, column 1: expected a value, found 'N'");
    REFUSES("0x10", "line 1, column 2: expected nothing behind the document, found 'x'");
}

static void bytes_that_are_not_utf8_are_refused(void** state)
{
    (void)state;
    static const char* const bad[] = {
        "\"\x80\"",         "\"\xc0\xaf\"",         "\"\xc1\xbf\"",         "\"\xe0\x80\xaf\"",
        "\"\xed\xa0\x80\"", "\"\xf0\x80\x80\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xf5\x80\x80\x80\"",
        "\"\xc3\"",         "\"\xe2\x82\"",         "\"\xf0\x9f\x98\"",     "\"\xff\""
    };
    for (size_t i = 0; i < SUP_COUNT_OF(bad); ++i) assert_refused(bad[i], strlen(bad[i]), NULL);
}

static void nesting_ends_at_the_limit(void** state)
{
    (void)state;
    enum { DEEP = 100000 };
    char* text = malloc(DEEP + 1);
    memset(text, '[', DEEP);
    assert_refused(text, DEEP, "test.json: line 1, column 129: expected at most 128 levels of nesting, found '['");
    memset(text + SUP_JSON_DEPTH_MAX, ']', SUP_JSON_DEPTH_MAX);
    sup_arena* arena = sup_arena_create(NULL);
    sup_json*  value;
    sup_error  error;
    assert_ok(sup_json_parse(text, 2 * SUP_JSON_DEPTH_MAX, "deep", arena, &value, &error), error);
    sup_arena_destroy(arena);
    free(text);
}

static void every_truncation_is_refused(void** state)
{
    (void)state;
    for (size_t length = 0; length < sizeof sample - 1; ++length) {
        char* exact = malloc(length ? length : 1); // so that a sanitizer sees one byte too many
        memcpy(exact, sample, length);
        assert_refused(exact, length, NULL);
        free(exact);
    }
}

static void changed_bytes_never_crash(void** state)
{
    (void)state;
    char changed[sizeof sample];
    for (size_t i = 0; i < sizeof sample - 1; ++i)
        for (int value = 0; value < 256; value += 5) {
            memcpy(changed, sample, sizeof sample);
            changed[i] = (char)value;
            sup_arena*  arena = sup_arena_create(NULL);
            sup_json*   root;
            text_buffer text;
            if (sup_json_parse(changed, sizeof sample - 1, "changed", arena, &root, NULL) == SUP_OK) {
                sup_json* again = parse(arena, write_text(root, 0, &text));
                assert_int_equal(again->count, root->count);
            }
            sup_arena_destroy(arena);
        }
}

static void what_is_read_is_written_again(void** state)
{
    (void)state;
    sup_arena*  arena = sup_arena_create(NULL);
    text_buffer text;
    const char  compact[] = "{\"a\":[1.50,-2e-3,0.1000000000000000055511151231257827,1E5],\"b\":{},\"c\":[],\"d\":"
                            "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0001/\xc3\xa9\",\"e\":[true,false,null]}";
    assert_string_equal(write_text(parse(arena, compact), 0, &text), compact);
    assert_string_equal(write_text(sup_json_clone(arena, parse(arena, compact)), 0, &text), compact);
    assert_string_equal(write_text(parse(arena, "{\"a\":[1,{}],\"b\":2}"), 2, &text),
                        "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": 2\n}");
    sup_arena_destroy(arena);
}

static void trees_are_built_and_changed(void** state)
{
    (void)state;
    sup_arena*  arena = sup_arena_create(NULL);
    text_buffer text;
    sup_json*   root = sup_json_new(arena, SUP_JSON_OBJECT);
    sup_json*   list = sup_json_set(arena, root, "list", sup_json_new(arena, SUP_JSON_ARRAY));
    sup_json_push(list, sup_json_new_number(arena, 0.1));
    sup_json_push(list, sup_json_new_number(arena, NAN));
    sup_json_push(list, sup_json_new_string(arena, "x\xffy"));
    sup_json_set(arena, root, "b", sup_json_new(arena, SUP_JSON_TRUE));
    sup_json_set(arena, root, "c", sup_json_new_number(arena, -3));
    assert_string_equal(write_text(root, 0, &text), "{\"list\":[0.1,null,\"x\xef\xbf\xbdy\"],\"b\":true,\"c\":-3}");
    sup_json_set(arena, root, "b", sup_json_new(arena, SUP_JSON_NULL));
    sup_json_set(arena, root, "c", sup_json_new_string(arena, "end"));
    sup_json_set(arena, root, "d", sup_json_new_number(arena, 4));
    assert_string_equal(write_text(root, 0, &text),
                        "{\"list\":[0.1,null,\"x\xef\xbf\xbdy\"],\"b\":null,\"c\":\"end\",\"d\":4}");
    sup_json_remove(root, "list");
    sup_json_remove(root, "d");
    sup_json_remove(root, "nobody");
    sup_json_set(arena, root, "z", sup_json_new_number(arena, 1));
    assert_int_equal(root->count, 3);
    assert_string_equal(write_text(root, 0, &text), "{\"b\":null,\"c\":\"end\",\"z\":1}");
    assert_null(sup_json_push(sup_json_set(arena, NULL, "a", list), list));
    assert_null(sup_json_set(arena, root, "a", NULL));
    sup_arena_destroy(arena);
}

static void the_last_of_repeated_names_counts(void** state)
{
    (void)state;
    sup_arena*  arena = sup_arena_create(NULL);
    text_buffer text;
    sup_json*   root = parse(arena, "{\"a\":1,\"b\":2,\"a\":3}");
    assert_true(sup_json_number(sup_json_get(root, "a"), 0) == 3);
    sup_json_set(arena, root, "a", sup_json_new_number(arena, 4));
    assert_true(sup_json_number(sup_json_get(root, "a"), 0) == 4);
    sup_json_remove(root, "a");
    assert_string_equal(write_text(root, 0, &text), "{\"b\":2}");
    sup_arena_destroy(arena);
}

static void values_of_another_kind_give_the_fallback(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    sup_json*  list = parse(arena, "[-1, 1.5, 4294967295, 4294967294, \"7\", 1e999, 7.0, 70e-1]");
    uint32_t   expected[] = { 9, 9, 9, 4294967294u, 9, 9, 7, 7 };
    for (uint32_t i = 0; i < SUP_COUNT_OF(expected); ++i)
        assert_int_equal(sup_json_index(sup_json_at(list, i), 9), expected[i]);
    assert_int_equal(sup_json_index(NULL, 5), 5);
    assert_true(sup_json_number(list, 2.5) == 2.5 && sup_json_number(NULL, -1) == -1);
    assert_string_equal(sup_json_string(list, "none"), "none");
    assert_null(sup_json_get(list, "a"));
    assert_null(sup_json_get(NULL, "a"));
    assert_null(sup_json_at(NULL, 0));
    sup_arena_destroy(arena);
}

static void a_full_sink_is_reported(void** state)
{
    (void)state;
    sup_arena* arena = sup_arena_create(NULL);
    sup_json*  list = sup_json_new(arena, SUP_JSON_ARRAY);
    for (int i = 0; i < 3000; ++i) sup_json_push(list, sup_json_new_number(arena, i));
    static text_buffer small;
    small.limit = 5000;
    assert_false(sup_json_write(list, 0, &(sup_text_sink){ take, &small }));
    sup_arena_destroy(arena);
}

static sup_result parse_with(test_allocator* allocator, const char* text, size_t length)
{
    sup_arena* arena = sup_arena_create(&allocator->allocator);
    if (!arena) return SUP_ERROR_MEMORY;
    sup_json*  value = NULL;
    sup_error  error = { 0 };
    sup_result result = sup_json_parse(text, length, "big", arena, &value, &error);
    if (result == SUP_OK) assert_non_null(value);
    else assert_int_equal(error.code, result);
    sup_arena_destroy(arena);
    return result;
}

static void failing_allocations_are_reported_and_nothing_leaks(void** state)
{
    (void)state;
    enum { ITEMS = 20000 };
    char* text = malloc(2 * ITEMS + 1);
    for (int i = 0; i < ITEMS; ++i) memcpy(text + 2 * i, i ? ",1" : "[1", 2);
    text[2 * ITEMS] = ']';
    test_starved s = { 0 };
    while (test_starve(&s)) s.result = parse_with(&s.memory, text, 2 * ITEMS + 1);
    assert_true(s.rounds > 4);
    free(text);
}

static void an_arena_limit_bounds_hostile_documents(void** state)
{
    (void)state;
    char text[4096];
    for (size_t i = 0; i < sizeof text; i += 2) memcpy(text + i, i ? ",1" : "[1", 2);
    sup_arena* arena = sup_arena_create(NULL);
    sup_arena_limit(arena, 64 * 1024);
    sup_json* value;
    sup_error error;
    assert_int_equal(sup_json_parse(text, sizeof text, "hostile", arena, &value, &error), SUP_ERROR_MEMORY);
    assert_true(sup_arena_bytes(arena) <= 64 * 1024);
    sup_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_becomes_a_tree),
        cmocka_unit_test(single_values_are_documents),
        cmocka_unit_test(errors_name_place_and_expectation),
        cmocka_unit_test(malformed_numbers_are_refused),
        cmocka_unit_test(bytes_that_are_not_utf8_are_refused),
        cmocka_unit_test(nesting_ends_at_the_limit),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(changed_bytes_never_crash),
        cmocka_unit_test(what_is_read_is_written_again),
        cmocka_unit_test(trees_are_built_and_changed),
        cmocka_unit_test(the_last_of_repeated_names_counts),
        cmocka_unit_test(values_of_another_kind_give_the_fallback),
        cmocka_unit_test(a_full_sink_is_reported),
        cmocka_unit_test(failing_allocations_are_reported_and_nothing_leaks),
        cmocka_unit_test(an_arena_limit_bounds_hostile_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

// Pairs of joints given by hand: lines "joint of the character = joint of the motion", or the same as a JSON object.
#include "io/motion/motion_file.h"

#include "base/internal.h"
#include "supple/json.h"

#include <string.h>

typedef struct mapping {
    sup_arena*      arena;
    sup_joint_pair* pairs;
    uint32_t        count;
} mapping;

static void add(mapping* m, const char* target, const char* source)
{
    bool somebody = source && source[0] && strcmp(source, "-") != 0;
    m->pairs[m->count++] = (sup_joint_pair){ target, somebody ? source : NULL };
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '"'; }

static char* trimmed(sup_arena* arena, const char* begin, const char* end)
{
    while (begin < end && is_blank(*begin)) begin++;
    while (end > begin && is_blank(end[-1])) end--;
    return sup_arena_text(arena, begin, (size_t)(end - begin));
}

static sup_result read_lines(mapping* m, sup_bytes bytes, sup_error* error)
{
    const char *at = (const char*)bytes.data, *last = at + bytes.size;
    for (uint32_t number = 1; at < last; ++number) {
        const char* stop = memchr(at, '\n', (size_t)(last - at));
        const char* end = stop ? stop : last;
        const char *first = at, *equals = memchr(at, '=', (size_t)(end - at));
        while (first < end && is_blank(*first)) first++;
        if (first < end && *first != '#') {
            if (!equals)
                return sup_fail(error, SUP_ERROR_INPUT, "line %u is not 'joint of the character = joint of the motion'",
                                number);
            const char *target = trimmed(m->arena, at, equals), *source = trimmed(m->arena, equals + 1, end);
            if (!target || !source) return sup_fail_memory(error, "a motion map");
            if (!target[0]) return sup_fail(error, SUP_ERROR_INPUT, "line %u names no joint of the character", number);
            add(m, target, source);
        }
        at = stop ? stop + 1 : last;
    }
    return SUP_OK;
}

static sup_result read_json(mapping* m, sup_bytes bytes, sup_error* error)
{
    sup_json*  tree = NULL;
    sup_result result = sup_json_parse((const char*)bytes.data, bytes.size, "motion map", m->arena, &tree, error);
    if (result != SUP_OK) return result;
    for (const sup_json* item = tree->first; item; item = item->next) {
        if (!item->key || !item->key[0] || (item->type != SUP_JSON_STRING && item->type != SUP_JSON_NULL))
            return sup_fail(error, SUP_ERROR_INPUT,
                            "write {\"joint of the character\": \"joint of the motion\"}, or null for none");
        add(m, item->key, sup_json_string(item, NULL));
    }
    return SUP_OK;
}

sup_result sup_motion_map_parse(sup_bytes bytes, sup_arena* arena, sup_joint_pair** pairs, uint32_t* count, sup_error* error)
{
    size_t  first = 0, capacity = 1;
    mapping m = { .arena = arena };
    while (first < bytes.size && (is_blank((char)bytes.data[first]) || bytes.data[first] == '\n')) ++first;
    bool json = first < bytes.size && bytes.data[first] == '{';
    for (size_t i = 0; i < bytes.size; ++i) capacity += bytes.data[i] == (json ? ':' : '='); // an upper bound on the pairs
    m.pairs = SUP_NEW(arena, sup_joint_pair, capacity);
    if (!m.pairs) return sup_fail_memory(error, "a motion map");
    sup_result result = json ? read_json(&m, bytes, error) : read_lines(&m, bytes, error);
    *pairs = m.pairs;
    *count = result == SUP_OK ? m.count : 0;
    return result;
}

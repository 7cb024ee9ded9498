// Reading pieces of the world file: members, numbers, vectors, joints and keys over time, with messages that name the object.
#include "math/vec.h"
#include "run/runner.h"

#include <stdarg.h>
#include <string.h>

#define TIME_LIMIT 1e6   // seconds
#define VALUE_LIMIT 1e9  // of any component, in the file's metric units
enum { TEXT_MAX = 512 }; // of names inside messages

sup_result world_fail(chain_builder* b, const char* what, const char* format, ...)
{
    char    text[TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    sup_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    return sup_fail(b->error, SUP_ERROR_INPUT, "world: %s: %s", what, text);
}

const char* world_vector_wrong(const sup_json* value)
{
    bool three = value && value->type == SUP_JSON_ARRAY && value->count == 3;
    for (const sup_json* n = three ? value->first : NULL; n; n = n->next)
        three = three && n->type == SUP_JSON_NUMBER && n->number == n->number;
    return three ? "has a number beyond 1e9" : "must be three numbers";
}

bool world_vector(const sup_json* value, float scale, sup_vec3* out)
{
    float v[3];
    if (!value || value->type != SUP_JSON_ARRAY || value->count != 3) return false;
    uint32_t i = 0;
    for (const sup_json* n = value->first; n; n = n->next, ++i) {
        if (n->type != SUP_JSON_NUMBER || !(n->number > -VALUE_LIMIT && n->number < VALUE_LIMIT)) return false;
        v[i] = (float)n->number * scale;
    }
    *out = v3(v[0], v[1], v[2]);
    return true;
}

static bool listed(const char* list, const char* word)
{
    size_t length = strlen(word);
    for (const char* at = list; *at;) {
        size_t n = strcspn(at, ",");
        if (n == length && memcmp(at, word, n) == 0) return true;
        at += n;
        while (*at == ',' || *at == ' ') ++at;
    }
    return false;
}

sup_result world_members(chain_builder* b, const char* what, const sup_json* object, const char* list)
{
    if (object->type != SUP_JSON_OBJECT) return world_fail(b, what, "must be {...} with: %s", list);
    for (const sup_json* m = object->first; m; m = m->next)
        if (!listed(list, m->key)) return world_fail(b, what, "\"%s\" is not known; there are: %s", m->key, list);
    return SUP_OK;
}

sup_result world_number(chain_builder* b, const char* what, const sup_json* object, const char* key, double low, double high,
                        double fallback, float* out)
{
    const sup_json* value = sup_json_get(object, key);
    if (!value && fallback == fallback) {
        *out = (float)fallback;
        return SUP_OK;
    }
    if (!value || value->type != SUP_JSON_NUMBER || !(value->number >= low && value->number <= high))
        return world_fail(b, what, "\"%s\" must be a number from %g to %g", key, low, high);
    *out = (float)value->number;
    return SUP_OK;
}

sup_result world_joint(chain_builder* b, const char* what, const sup_json* value, uint32_t* out)
{
    const sup_character* c = b->chain->character;
    const char*          name = sup_json_string(value, NULL);
    if (!name) return world_fail(b, what, "\"%s\" must be the name of a joint", value->key);
    *out = sup_character_joint(c, name);
    if (*out != SUP_NONE) return SUP_OK;
    char     list[TEXT_MAX / 2] = "";
    uint32_t shown = 0;
    for (uint32_t j = 0; j < c->skeleton.joint_count && shown < 8; ++j) {
        if (!c->skeleton.joints[j].skin_joint) continue;
        size_t at = strlen(list);
        sup_format(list + at, sizeof list - at, "%s%s", shown++ ? ", " : "", c->skeleton.joints[j].name);
    }
    if (!shown) return world_fail(b, what, "'%s' has no skeleton, and so no joint '%s'", c->name, name);
    return world_fail(b, what, "'%s' has no joint '%s'; there are: %s%s", c->name, name, list,
                      shown < c->skeleton.skin_joint_count ? ", ..." : "");
}

sup_result world_name(chain_builder* b, const char* kind, const sup_json* list, const sup_json* item, uint32_t number,
                      const char** name, const char** what)
{
    char            text[TEXT_MAX];
    const sup_json* given = sup_json_get(item, "name");
    sup_format(text, sizeof text, "%s %u", kind, number);
    if (given && (given->type != SUP_JSON_STRING || !given->length))
        return world_fail(b, text, "\"name\" must be a text that is not empty");
    *name = *what = sup_arena_text(b->chain->arena, text, strlen(text));
    if (given) {
        *name = sup_arena_text(b->chain->arena, given->text, given->length);
        sup_format(text, sizeof text, "%s '%s'", kind, given->text);
        *what = sup_arena_text(b->chain->arena, text, strlen(text));
    }
    if (!*name || !*what) return sup_fail_memory(b->error, "the world");
    for (const sup_json* other = list->first; other != item && given; other = other->next) {
        const char* theirs = sup_json_string(sup_json_get(other, "name"), NULL);
        if (theirs && strcmp(theirs, given->text) == 0)
            return world_fail(b, *what, "there are two of this name; give each its own");
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- keys

sup_result world_times_read(chain_builder* b, const char* what, const sup_json* list, const char* members, world_times* out)
{
    if (list->type != SUP_JSON_ARRAY || !list->count)
        return sup_fail(b->error, SUP_ERROR_INPUT, "world: keys of %s must be a list of {\"time\": s, ...} with: %s", what,
                        members);
    double* times = SUP_NEW(b->chain->arena, double, list->count);
    bool*   steps = SUP_NEW(b->chain->arena, bool, list->count);
    if (!times || !steps) return sup_fail_memory(b->error, "the world");
    uint32_t n = 0;
    for (const sup_json* k = list->first; k; k = k->next, ++n) {
        char key[TEXT_MAX];
        sup_format(key, sizeof key, "key %u of %s", n + 1, what);
        sup_result r = world_members(b, key, k, members);
        if (r) return r;
        const sup_json *time = sup_json_get(k, "time"), *step = sup_json_get(k, "step");
        if (!time || time->type != SUP_JSON_NUMBER || !(time->number >= -TIME_LIMIT && time->number <= TIME_LIMIT))
            return world_fail(b, key, "there is no \"time\" in seconds");
        if (step && step->type != SUP_JSON_TRUE && step->type != SUP_JSON_FALSE)
            return world_fail(b, key, "\"step\" must be true or false");
        times[n] = time->number;
        steps[n] = step && step->type == SUP_JSON_TRUE;
        if (n && !(times[n] > times[n - 1]))
            return world_fail(b, key, "time %g is not after %g; put the keys in order", times[n], times[n - 1]);
    }
    *out = (world_times){ n, times, steps };
    return SUP_OK;
}

uint32_t world_times_find(const world_times* keys, double time, float* share)
{
    uint32_t low = 0, high = keys->count; // the last key at or before time
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (keys->times[middle] <= time) low = middle;
        else high = middle;
    }
    *share = 0;
    if (low + 1 < keys->count && !keys->steps[low] && time > keys->times[low])
        *share = (float)((time - keys->times[low]) / (keys->times[low + 1] - keys->times[low]));
    return low;
}

sup_vec3 world_vector_at(const world_times* keys, const sup_vec3* values, double time)
{
    float    share;
    uint32_t k = world_times_find(keys, time, &share);
    return share > 0 ? v3_lerp(values[k], values[k + 1], share) : values[k];
}

// Reads, makes and changes JSON values.
#include "base/internal.h"
#include "supple/json.h"

#include <string.h>

const sup_json* sup_json_get(const sup_json* object, const char* key)
{
    if (!object || object->type != SUP_JSON_OBJECT) return NULL;
    const sup_json* found = NULL;
    for (const sup_json* member = object->first; member; member = member->next)
        if (strcmp(member->key, key) == 0) found = member;
    return found;
}

const sup_json* sup_json_at(const sup_json* array, uint32_t index)
{
    if (!array || array->type != SUP_JSON_ARRAY || index >= array->count) return NULL;
    const sup_json* item = array->first;
    while (index--) item = item->next;
    return item;
}

double sup_json_number(const sup_json* value, double fallback)
{
    return value && value->type == SUP_JSON_NUMBER ? value->number : fallback;
}

const char* sup_json_string(const sup_json* value, const char* fallback)
{
    return value && value->type == SUP_JSON_STRING ? value->text : fallback;
}

uint32_t sup_json_index(const sup_json* value, uint32_t fallback)
{
    if (!value || value->type != SUP_JSON_NUMBER) return fallback;
    if (!(value->number >= 0 && value->number < SUP_NONE)) return fallback;
    uint32_t index = (uint32_t)value->number;
    return (double)index == value->number ? index : fallback;
}

sup_json* sup_json_new(sup_arena* arena, sup_json_type type)
{
    sup_json* value = SUP_NEW(arena, sup_json, 1);
    if (value) value->type = type;
    if (value && type == SUP_JSON_STRING) value->text = "";
    return value;
}

sup_json* sup_json_new_number(sup_arena* arena, double number)
{
    sup_json* value = sup_json_new(arena, SUP_JSON_NUMBER);
    if (value) value->number = number;
    return value;
}

sup_json* sup_json_new_string(sup_arena* arena, const char* text)
{
    size_t length = strlen(text);
    if (length >= SUP_NONE) return NULL;
    sup_json*   value = sup_json_new(arena, SUP_JSON_STRING);
    const char* copy = sup_arena_text(arena, text, length);
    if (!value || !copy) return NULL;
    value->text = copy;
    value->length = (uint32_t)length;
    return value;
}

static void append(sup_json* parent, sup_json* child)
{
    child->next = NULL;
    if (parent->last) parent->last->next = child;
    else parent->first = child;
    parent->last = child;
    parent->count++;
}

sup_json* sup_json_clone(sup_arena* arena, const sup_json* value)
{
    if (!value) return NULL;
    sup_json* copy = sup_json_new(arena, value->type);
    if (!copy) return NULL;
    copy->number = value->number;
    if (value->text) {
        copy->text = sup_arena_text(arena, value->text, value->length);
        copy->length = value->length;
        if (!copy->text) return NULL;
    }
    for (const sup_json* child = value->first; child; child = child->next) {
        sup_json* child_copy = sup_json_clone(arena, child);
        if (!child_copy) return NULL;
        if (child->key) child_copy->key = sup_arena_text(arena, child->key, strlen(child->key));
        if (child->key && !child_copy->key) return NULL;
        append(copy, child_copy);
    }
    return copy;
}

sup_json* sup_json_set(sup_arena* arena, sup_json* object, const char* key, sup_json* value)
{
    if (!object || !value) return NULL;
    SUP_ASSERT(object->type == SUP_JSON_OBJECT && object != value);
    const char* name = sup_arena_text(arena, key, strlen(key));
    if (!name) return NULL;
    value->key = name;
    sup_json** link = NULL;
    for (sup_json** at = &object->first; *at; at = &(*at)->next)
        if (strcmp((*at)->key, key) == 0) link = at;
    if (!link) {
        append(object, value);
        return value;
    }
    sup_json* old = *link;
    if (old == value) return value;
    value->next = old->next;
    *link = value;
    if (object->last == old) object->last = value;
    old->next = NULL; // may be put elsewhere
    return value;
}

sup_json* sup_json_push(sup_json* array, sup_json* value)
{
    if (!array || !value) return NULL;
    SUP_ASSERT(array->type == SUP_JSON_ARRAY && array != value);
    value->key = NULL;
    append(array, value);
    return value;
}

void sup_json_remove(sup_json* object, const char* key)
{
    if (!object || object->type != SUP_JSON_OBJECT) return;
    object->last = NULL;
    for (sup_json** link = &object->first; *link;) {
        sup_json* member = *link;
        if (strcmp(member->key, key) == 0) {
            *link = member->next;
            member->next = NULL;
            object->count--;
        } else {
            object->last = member;
            link = &member->next;
        }
    }
}

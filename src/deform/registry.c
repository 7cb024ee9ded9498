#include "run/runner.h"

#include <string.h>

#define SUP_DEFORMER(name) extern const sup_deformer sup_deformer_##name;
#include "deform/deformers.def"
#undef SUP_DEFORMER

#define SUP_DEFORMER(name) &sup_deformer_##name,
static const sup_deformer* const all[] = {
#include "deform/deformers.def"
};
#undef SUP_DEFORMER

uint32_t sup_deformer_count(void) { return (uint32_t)SUP_COUNT_OF(all); }

const sup_deformer* sup_deformer_at(uint32_t index) { return index < SUP_COUNT_OF(all) ? all[index] : NULL; }

const sup_deformer* sup_deformer_find(const char* name)
{
    for (uint32_t i = 0; i < SUP_COUNT_OF(all); ++i)
        if (strcmp(all[i]->name, name) == 0) return all[i];
    return NULL;
}

bool sup_deformer_suits(const sup_deformer* d, const sup_character* c, const sup_clip* clip, bool closed)
{
    bool has_examples = false;
    for (uint32_t i = 0; i < c->example_count; ++i)
        has_examples |= !c->examples[i].clip || (clip && strcmp(c->examples[i].clip, clip->name) == 0);
    if ((d->needs & SUP_NEEDS_EXAMPLES) && !has_examples) return false;
    if ((d->needs & SUP_NEEDS_CLIP) && !clip) return false;
    if ((d->needs & SUP_NEEDS_WEIGHTS) && c->skeleton.skin_joint_count < 2) return false;
    return !(d->needs & SUP_NEEDS_CLOSED) || closed;
}

void sup_stats_add(sup_stats* stats, const char* name, uint64_t times)
{
    if (!stats || times == 0) return;
    for (uint32_t i = 0; i < stats->count; ++i) {
        if (strcmp(stats->items[i].name, name) == 0) {
            stats->items[i].times += times;
            return;
        }
    }
    if (stats->count == SUP_STATS_MAX) { // counted all the same, so that the total stays true
        stats->items[SUP_STATS_MAX - 1].name = "other";
        stats->items[SUP_STATS_MAX - 1].times += times;
        return;
    }
    stats->items[stats->count].name = name;
    stats->items[stats->count++].times = times;
}

// ---------------------------------------------------------------------------------------------- description

static const char* const type_names[] = { "float", "int", "bool", "choice", "text" };
static const char* const stage_names[] = { "bind", "frame" };
static const char* const varies_names[] = { "not", "point", "bone" };

static void set_text(sup_arena* arena, sup_json* object, const char* key, const char* text)
{
    sup_json_set(arena, object, key, sup_json_new_string(arena, text ? text : ""));
}

static sup_json* default_value(const sup_param* p, sup_arena* arena)
{
    switch (p->type) {
    case SUP_PARAM_BOOL: return sup_json_new(arena, p->standard != 0 ? SUP_JSON_TRUE : SUP_JSON_FALSE);
    case SUP_PARAM_CHOICE: return sup_json_new_string(arena, p->choices[(int)p->standard]);
    case SUP_PARAM_TEXT: return sup_json_new_string(arena, p->standard_text ? p->standard_text : "");
    default: return sup_json_new_number(arena, p->standard);
    }
}

// A list of clauses, each a list of alternatives: {"param","is","value"} or {"condition","words"}.
static sup_json* describe_only_with(const sup_deformer* d, const char* text, sup_arena* arena)
{
    static const char* const tests[] = { [ONLY_EQUAL] = "=", [ONLY_OTHER] = "!=", [ONLY_ABOVE] = ">" };
    sup_json *               clauses = sup_json_new(arena, SUP_JSON_ARRAY), *clause = NULL;
    for (only_item item; only_next(&text, &item);) {
        if (item.first) clause = sup_json_push(clauses, sup_json_new(arena, SUP_JSON_ARRAY));
        sup_json* one = sup_json_push(clause, sup_json_new(arena, SUP_JSON_OBJECT));
        bool      other = item.test != ONLY_CONDITION;
        set_text(arena, one, other ? "param" : "condition", sup_arena_text(arena, item.name, item.name_length));
        if (other) {
            set_text(arena, one, "is", tests[item.test]);
            set_text(arena, one, "value", sup_arena_text(arena, item.value, item.value_length));
        } else set_text(arena, one, "words", only_condition(d, &item)->words);
    }
    return clauses;
}

static sup_json* describe_param(const sup_deformer* d, const sup_param* p, sup_arena* arena)
{
    sup_json* o = sup_json_new(arena, SUP_JSON_OBJECT);
    bool      number = p->type == SUP_PARAM_FLOAT || p->type == SUP_PARAM_INT;
    set_text(arena, o, "name", p->name);
    set_text(arena, o, "type", type_names[p->type]);
    sup_json_set(arena, o, "min", number ? sup_json_new_number(arena, p->min) : sup_json_new(arena, SUP_JSON_NULL));
    sup_json_set(arena, o, "max", number ? sup_json_new_number(arena, p->max) : sup_json_new(arena, SUP_JSON_NULL));
    sup_json_set(arena, o, "default", default_value(p, arena));
    sup_json* choices = sup_json_new(arena, SUP_JSON_ARRAY);
    for (const char* const* c = p->choices; c && *c; ++c) sup_json_push(choices, sup_json_new_string(arena, *c));
    sup_json_set(arena, o, "choices", choices);
    set_text(arena, o, "unit", p->unit);
    set_text(arena, o, "help", p->help);
    set_text(arena, o, "stage", stage_names[p->stage]);
    set_text(arena, o, "varies", varies_names[p->varies]);
    sup_json_set(arena, o, "only_with", describe_only_with(d, p->only_with, arena));
    return o;
}

sup_json* sup_deformer_describe(const sup_deformer* d, sup_arena* arena)
{
    static const char* const needs[] = { "examples", "clip", "weights", "closed" };
    sup_json*                o = sup_json_new(arena, SUP_JSON_OBJECT);
    set_text(arena, o, "name", d->name);
    set_text(arena, o, "summary", d->summary);
    set_text(arena, o, "paper", d->paper);
    sup_json* list = sup_json_new(arena, SUP_JSON_ARRAY);
    for (uint32_t i = 0; i < SUP_COUNT_OF(needs); ++i)
        if (d->needs & 1u << i) sup_json_push(list, sup_json_new_string(arena, needs[i]));
    sup_json_set(arena, o, "needs", list);
    sup_json_set(arena, o, "dynamic", sup_json_new(arena, d->dynamic ? SUP_JSON_TRUE : SUP_JSON_FALSE));
    sup_json_set(arena, o, "only_with", describe_only_with(d, d->only_with, arena));
    sup_json* presets = sup_json_new(arena, SUP_JSON_ARRAY);
    for (const sup_preset* p = d->presets; p && p->name; ++p) {
        sup_json* one = sup_json_new(arena, SUP_JSON_OBJECT);
        set_text(arena, one, "name", p->name);
        set_text(arena, one, "summary", p->summary);
        sup_json* set = sup_json_new(arena, SUP_JSON_OBJECT);
        for (uint32_t i = 0; p->values[i][0]; ++i) set_text(arena, set, p->values[i][0], p->values[i][1]);
        sup_json_set(arena, one, "set", set);
        sup_json_push(presets, one);
    }
    sup_json_set(arena, o, "presets", presets);
    sup_json* params = sup_json_new(arena, SUP_JSON_ARRAY);
    for (uint32_t i = 0; i < d->param_count; ++i) sup_json_push(params, describe_param(d, &d->params[i], arena));
    sup_json_set(arena, o, "params", params);
    return o;
}

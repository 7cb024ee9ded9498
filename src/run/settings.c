// Chain text, presets and settings: everything a person can set, checked against the parameter tables.
#include "run/runner.h"

#include <string.h>

uint32_t param_find(const sup_deformer* d, const char* name, size_t length)
{
    for (uint32_t i = 0; i < d->param_count; ++i)
        if (strlen(d->params[i].name) == length && memcmp(d->params[i].name, name, length) == 0) return i;
    return SUP_NONE;
}

// ---------------------------------------------------------------------------------------------- values

static void store_number(const sup_param* p, double value, void* params)
{
    uint8_t* at = (uint8_t*)params + p->offset;
    switch (p->type) {
    case SUP_PARAM_FLOAT: *(float*)at = (float)value; break;
    case SUP_PARAM_BOOL: *(bool*)at = value != 0; break;
    default: *(int*)at = (int)value; break;
    }
}

double param_get_number(const sup_param* p, const void* params)
{
    const uint8_t* at = (const uint8_t*)params + p->offset;
    switch (p->type) {
    case SUP_PARAM_FLOAT: return *(const float*)at;
    case SUP_PARAM_BOOL: return *(const bool*)at;
    case SUP_PARAM_TEXT: return 0;
    default: return *(const int*)at;
    }
}

void params_default(const sup_deformer* d, void* params)
{
    for (uint32_t i = 0; i < d->param_count; ++i) {
        const sup_param* p = &d->params[i];
        if (p->type == SUP_PARAM_TEXT) *(const char**)((uint8_t*)params + p->offset) = p->standard_text ? p->standard_text : "";
        else store_number(p, p->standard, params);
    }
}

sup_result param_set_number(const sup_deformer* d, uint32_t row, double value, void* params, sup_error* error)
{
    const sup_param* p = &d->params[row];
    double           low = p->min, high = p->max;
    if (p->type == SUP_PARAM_TEXT) return sup_fail(error, SUP_ERROR_INPUT, "%s.%s takes text, not a number", d->name, p->name);
    if (p->type == SUP_PARAM_BOOL) low = 0, high = 1;
    if (p->type == SUP_PARAM_CHOICE)
        for (low = 0, high = -1; p->choices[(int)high + 1];) ++high;
    if (!(value >= low && value <= high))
        return sup_fail(error, SUP_ERROR_INPUT, "%s.%s cannot be %g; give a value from %g to %g%s%s", d->name, p->name, value,
                        low, high, p->unit && p->unit[0] ? " " : "", p->unit ? p->unit : "");
    if (p->type != SUP_PARAM_FLOAT && value != (double)(int)value)
        return sup_fail(error, SUP_ERROR_INPUT, "%s.%s cannot be %g; give a whole number", d->name, p->name, value);
    store_number(p, value, params);
    return SUP_OK;
}

typedef struct span {
    const char* text;
    size_t      length;
} span;

static bool span_is(span s, const char* word) { return strlen(word) == s.length && memcmp(s.text, word, s.length) == 0; }

static span span_trim(span s)
{
    while (s.length && (*s.text == ' ' || *s.text == '\t')) ++s.text, --s.length;
    while (s.length && (s.text[s.length - 1] == ' ' || s.text[s.length - 1] == '\t')) --s.length;
    if (s.length >= 2 && (s.text[0] == '"' || s.text[0] == '\'') && s.text[s.length - 1] == s.text[0]) ++s.text, s.length -= 2;
    return s;
}

// Joins names for messages that list what exists.
static void list_add(char* list, size_t size, const char* name)
{
    size_t at = strlen(list);
    sup_format(list + at, size - at, "%s%s", at ? ", " : "", name);
}

enum { NAMES_MAX = 128 };

/// Fails for an unknown name: suggests the one that was meant, or lists all.
static sup_result fail_unknown(chain_builder* b, const char* sentence, span name, const char* const* names, uint32_t count)
{
    char word[64], list[512] = "";
    sup_format(word, sizeof word, "%.*s", (int)name.length, name.text);
    const char* meant = sup_word_nearest(word, names, count);
    if (meant)
        return sup_fail(b->error, SUP_ERROR_INPUT, "%s '%.*s'; did you mean '%s'?", sentence, (int)name.length, name.text,
                        meant);
    for (uint32_t i = 0; i < count; ++i) list_add(list, sizeof list, names[i]);
    return sup_fail(b->error, SUP_ERROR_INPUT, "%s '%.*s'; %s%s", sentence, (int)name.length, name.text,
                    count ? "there are: " : "it has none at all", list);
}

static sup_result fail_unknown_param(chain_builder* b, const sup_deformer* d, span name)
{
    const char* names[NAMES_MAX];
    char        sentence[96];
    uint32_t    count = d->param_count < NAMES_MAX ? d->param_count : NAMES_MAX;
    for (uint32_t i = 0; i < count; ++i) names[i] = d->params[i].name;
    sup_format(sentence, sizeof sentence, "%s has no parameter", d->name);
    return fail_unknown(b, sentence, name, names, count);
}

// Parses a value as the number that the row stores; accepts the words of bools and choices.
static sup_result read_number(chain_builder* b, const sup_deformer* d, uint32_t row, span value, double* out)
{
    const sup_param* p = &d->params[row];
    if (p->type == SUP_PARAM_BOOL) {
        static const char* const words[] = { "off", "on", "false", "true", "no", "yes", "0", "1" };
        for (uint32_t i = 0; i < SUP_COUNT_OF(words); ++i) {
            if (!span_is(value, words[i])) continue;
            *out = i % 2;
            return SUP_OK;
        }
        return sup_fail(b->error, SUP_ERROR_INPUT, "%s.%s cannot be '%.*s'; give on or off", d->name, p->name,
                        (int)value.length, value.text);
    }
    if (p->type == SUP_PARAM_CHOICE) {
        char list[512] = "";
        for (int i = 0; p->choices[i]; ++i) {
            list_add(list, sizeof list, p->choices[i]);
            if (!span_is(value, p->choices[i])) continue;
            *out = i;
            return SUP_OK;
        }
        return sup_fail(b->error, SUP_ERROR_INPUT, "%s.%s cannot be '%.*s'; choose one of: %s", d->name, p->name,
                        (int)value.length, value.text, list);
    }
    if (value.length == 0 || sup_parse_double(value.text, value.length, false, out) != value.length)
        return sup_fail(b->error, SUP_ERROR_INPUT, "%s.%s cannot be '%.*s'; give a number from %g to %g", d->name, p->name,
                        (int)value.length, value.text, p->min, p->max);
    return SUP_OK;
}

static sup_result set_param(chain_builder* b, link* l, span name, span value);

static sup_result set_preset(chain_builder* b, link* l, span name)
{
    const char* names[NAMES_MAX];
    char        sentence[96];
    uint32_t    count = 0;
    for (const sup_preset* p = l->deformer->presets; p && p->name; ++p) {
        if (count < NAMES_MAX) names[count++] = p->name;
        if (!span_is(name, p->name)) continue;
        for (uint32_t i = 0; p->values[i][0]; ++i) {
            uint32_t   row = param_find(l->deformer, p->values[i][0], strlen(p->values[i][0]));
            bool       by_hand = row != SUP_NONE && l->set[row];
            span       key = { p->values[i][0], strlen(p->values[i][0]) }, value = { p->values[i][1], strlen(p->values[i][1]) };
            sup_result r = set_param(b, l, key, value);
            if (r) return r;
            if (row != SUP_NONE) l->set[row] = by_hand;
        }
        return SUP_OK;
    }
    sup_format(sentence, sizeof sentence, "%s has no preset", l->deformer->name);
    return fail_unknown(b, sentence, name, names, count);
}

// '@FILE' stands for the contents of the file.
static sup_result read_text(chain_builder* b, const sup_deformer* d, uint32_t row, span value, const char** out)
{
    char* copy = sup_arena_text(b->chain->arena, value.text, value.length);
    if (!copy) return sup_fail_memory(b->error, "a chain");
    *out = copy;
    if (copy[0] != '@') return SUP_OK;
    sup_error reason;
    if (!b->desc->read_text)
        return sup_fail(b->error, SUP_ERROR_INPUT, "%s.%s is '%s', but no files are read here; give the text itself", d->name,
                        d->params[row].name, copy);
    sup_result r = b->desc->read_text(b->desc->read_user, copy + 1, b->chain->arena, out, &reason);
    return r ? sup_fail(b->error, r, "%s.%s: %s", d->name, d->params[row].name, reason.text) : SUP_OK;
}

static sup_result set_param(chain_builder* b, link* l, span name, span value)
{
    const sup_deformer* d = l->deformer;
    uint32_t            row = param_find(d, name.text, name.length);
    if (row == SUP_NONE) {
        if (span_is(name, "preset") && d->presets) return set_preset(b, l, value);
        return fail_unknown_param(b, d, name);
    }
    l->set[row] = true;
    if (d->params[row].type == SUP_PARAM_TEXT)
        return read_text(b, d, row, value, (const char**)((uint8_t*)l->params + d->params[row].offset));
    double     number;
    sup_result r = read_number(b, d, row, value, &number);
    return r ? r : param_set_number(d, row, number, l->params, b->error);
}

static sup_result set_bones(chain_builder* b, link* l, span name, span glob, span value)
{
    const sup_deformer* d = l->deformer;
    uint32_t            row = param_find(d, name.text, name.length);
    if (row == SUP_NONE) return fail_unknown_param(b, d, name);
    const sup_param* p = &d->params[row];
    if (p->varies == SUP_VARIES_NOT)
        return sup_fail(b->error, SUP_ERROR_INPUT, "%s.%s is one value for the whole character; set it without @%.*s", d->name,
                        p->name, (int)glob.length, glob.text);
    double     number;
    sup_result r = read_number(b, d, row, value, &number);
    if (r) return r;
    if (!(number >= p->min && number <= p->max))
        return sup_fail(b->error, SUP_ERROR_INPUT, "%s.%s@%.*s cannot be %g; give a value from %g to %g", d->name, p->name,
                        (int)glob.length, glob.text, number, p->min, p->max);
    bone_value* v = SUP_NEW(b->chain->arena, bone_value, 1);
    char*       pattern = sup_arena_text(b->chain->arena, glob.text, glob.length);
    if (!v || !pattern) return sup_fail_memory(b->error, "a chain");
    *v = (bone_value){ NULL, row, pattern, (float)number };
    l->set[row] = true;
    const sup_skeleton* s = &b->chain->character->skeleton;
    uint32_t            matches = 0;
    for (uint32_t j = 0; j < s->joint_count; ++j) matches += sup_glob_match(pattern, s->joints[j].name);
    if (!matches) {
        char list[512] = "";
        for (uint32_t j = 0; j < s->joint_count && j < 12; ++j) list_add(list, sizeof list, s->joints[j].name);
        return sup_fail(b->error, SUP_ERROR_INPUT, "%s.%s@%s: no joint has such a name; there are: %s%s", d->name, p->name,
                        pattern, list, s->joint_count > 12 ? ", ..." : "");
    }
    bone_value** last = &l->bones;
    while (*last) last = &(*last)->next;
    *last = v;
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- chain text

enum { LINKS_MAX = 64 };

static const sup_deformer* find_deformer(chain_builder* b, span name)
{
    for (uint32_t i = 0; i < b->desc->extra_count; ++i)
        if (span_is(name, b->desc->extra[i]->name)) return b->desc->extra[i];
    for (uint32_t i = 0; i < sup_deformer_count(); ++i)
        if (span_is(name, sup_deformer_at(i)->name)) return sup_deformer_at(i);
    return NULL;
}

static sup_result add_link(chain_builder* b, span name, link** out)
{
    sup_chain*          chain = b->chain;
    const sup_deformer* d = find_deformer(b, name);
    if (!d) {
        const char* names[NAMES_MAX];
        uint32_t    count = 0;
        for (uint32_t i = 0; i < sup_deformer_count() && count < NAMES_MAX; ++i) names[count++] = sup_deformer_at(i)->name;
        for (uint32_t i = 0; i < b->desc->extra_count && count < NAMES_MAX; ++i) names[count++] = b->desc->extra[i]->name;
        return fail_unknown(b, "there is no deformer", name, names, count);
    }
    if (chain->link_count == LINKS_MAX)
        return sup_fail(b->error, SUP_ERROR_INPUT, "the chain has more than %d links; remove some", LINKS_MAX);
    if (chain->link_count == 0 && d->skinning == SUP_SKINNING_NONE) {
        link*      implied;
        sup_result r = add_link(b, (span){ "linear", 6 }, &implied);
        if (r) return r;
    }
    if (chain->link_count > 0 && d->skinning != SUP_SKINNING_NONE)
        return sup_fail(
            b->error, SUP_ERROR_INPUT,
            "'%s' poses the rest shape, so it can only be first in a chain; move it to the front or remove it", d->name);
    link* l = &chain->links[chain->link_count];
    *l = (link){ .deformer = d, .ordinal = 1 };
    for (uint32_t i = 0; i < chain->link_count; ++i) l->ordinal += chain->links[i].deformer == d;
    l->params = sup_arena_alloc(chain->arena, 1, d->params_size ? d->params_size : 1);
    l->fields = SUP_NEW(chain->arena, sup_field, d->param_count);
    l->set = SUP_NEW(chain->arena, bool, d->param_count);
    l->idle = SUP_NEW(chain->arena, const char*, d->param_count);
    if (!l->params || !l->fields || !l->set || !l->idle) return sup_fail_memory(b->error, "a chain");
    params_default(d, l->params);
    ++chain->link_count;
    *out = l;
    return SUP_OK;
}

// The end of the piece that starts at p: the next separator outside parentheses and quotes.
static const char* piece_end(const char* p, const char* end, char separator)
{
    int  depth = 0;
    char quote = 0;
    for (; p < end; ++p) {
        if (quote) quote = *p == quote ? 0 : quote;
        else if (*p == '"' || *p == '\'') quote = *p;
        else if (*p == '(') ++depth;
        else if (*p == ')') --depth;
        else if (*p == separator && depth <= 0) break;
    }
    return p;
}

static sup_result parse_arguments(chain_builder* b, link* l, span all)
{
    for (const char *p = all.text, *end = p + all.length; p < end;) {
        const char* stop = piece_end(p, end, ',');
        span        one = span_trim((span){ p, (size_t)(stop - p) });
        const char* equals = one.length ? memchr(one.text, '=', one.length) : NULL;
        if (!equals)
            return sup_fail(b->error, SUP_ERROR_INPUT, "'%.*s' in the parentheses of %s is not a setting; write name=value",
                            (int)one.length, one.text, l->deformer->name);
        span       name = span_trim((span){ one.text, (size_t)(equals - one.text) });
        span       value = span_trim((span){ equals + 1, (size_t)(one.text + one.length - equals - 1) });
        sup_result r = set_param(b, l, name, value);
        if (r) return r;
        p = stop + 1;
    }
    return SUP_OK;
}

// Visits the links of the text: adds them, or (arguments true) applies the settings in their parentheses. Two passes, so that
// settings written beside a name override a preset.
static sup_result parse_links(chain_builder* b, const char* text, bool arguments)
{
    const char* end = text + strlen(text);
    if (span_trim((span){ text, (size_t)(end - text) }).length == 0)
        return sup_fail(b->error, SUP_ERROR_INPUT, "the chain is empty; name a deformer, for example 'linear'");
    uint32_t added = 0;
    for (const char* p = text; p <= end;) {
        const char* stop = piece_end(p, end, ',');
        span        one = span_trim((span){ p, (size_t)(stop - p) });
        span        name = one, values = { "", 0 };
        const char* open = one.length ? memchr(one.text, '(', one.length) : NULL;
        if (open) {
            if (one.text[one.length - 1] != ')')
                return sup_fail(b->error, SUP_ERROR_INPUT, "'%.*s' in the chain lacks its closing parenthesis", (int)one.length,
                                one.text);
            name = span_trim((span){ one.text, (size_t)(open - one.text) });
            values = (span){ open + 1, (size_t)(one.text + one.length - open - 2) };
        }
        if (name.length == 0)
            return sup_fail(b->error, SUP_ERROR_INPUT, "the chain '%s' has an empty link; remove the extra comma", text);
        link*      l;
        sup_result r = SUP_OK;
        if (arguments) {
            // An implied skinning link may come before the first one of the text.
            if (added == 0 && !span_is(name, b->chain->links[0].deformer->name)) ++added;
            r = parse_arguments(b, &b->chain->links[added++], values);
        } else r = add_link(b, name, &l);
        if (r) return r;
        p = stop + 1;
    }
    return SUP_OK;
}

// ---------------------------------------------------------------------------------------------- presets and settings

static link* find_link(chain_builder* b, const char* name, size_t length, uint32_t ordinal)
{
    for (uint32_t i = 0; i < b->chain->link_count; ++i) {
        link* l = &b->chain->links[i];
        if (span_is((span){ name, length }, l->deformer->name) && l->ordinal == ordinal) return l;
    }
    return NULL;
}

static sup_result fail_no_link(chain_builder* b, span name, uint32_t ordinal, const char* where)
{
    char list[512] = "", which[24] = "";
    for (uint32_t i = 0; i < b->chain->link_count; ++i) list_add(list, sizeof list, b->chain->links[i].deformer->name);
    if (ordinal > 1) sup_format(which, sizeof which, "#%u", ordinal);
    return sup_fail(b->error, SUP_ERROR_INPUT, "%s: the chain has no link '%.*s%s'; its links are: %s", where, (int)name.length,
                    name.text, which, list);
}

// A JSON value as text for set_param.
static span json_text(const sup_json* value, char* buffer)
{
    if (value->type == SUP_JSON_TRUE) return (span){ "on", 2 };
    if (value->type == SUP_JSON_FALSE) return (span){ "off", 3 };
    if (value->type == SUP_JSON_STRING) return (span){ value->text, value->length };
    if (value->type == SUP_JSON_NUMBER) return (span){ buffer, sup_print_double(value->number, buffer) };
    return (span){ "", 0 };
}

static sup_result apply_preset_link(chain_builder* b, const sup_json* entry, link* l)
{
    char            buffer[SUP_NUMBER_MAX];
    const sup_json* set = sup_json_get(entry, "set");
    const sup_json* bones = sup_json_get(entry, "bones");
    for (const sup_json* v = set ? set->first : NULL; v; v = v->next) {
        sup_result r = set_param(b, l, (span){ v->key ? v->key : "", v->key ? strlen(v->key) : 0 }, json_text(v, buffer));
        if (r) return r;
    }
    for (const sup_json* bone = bones ? bones->first : NULL; bone; bone = bone->next)
        for (const sup_json* v = bone->first; v; v = v->next) {
            if (!v->key || !bone->key)
                return sup_fail(b->error, SUP_ERROR_INPUT,
                                "preset: \"bones\" must be {\"joint name\": {\"parameter\": value}}");
            sup_result r =
                set_bones(b, l, (span){ v->key, strlen(v->key) }, (span){ bone->key, strlen(bone->key) }, json_text(v, buffer));
            if (r) return r;
        }
    return SUP_OK;
}

static sup_result apply_preset(chain_builder* b, bool make_links)
{
    const sup_json* preset = b->desc->preset;
    const sup_json* links = sup_json_get(preset, "links");
    if (sup_json_number(sup_json_get(preset, "supple"), 0) != 1)
        return sup_fail(b->error, SUP_ERROR_INPUT, "preset: \"supple\" must be 1, the version that this program reads");
    if (!links || links->type != SUP_JSON_ARRAY || !links->count)
        return sup_fail(b->error, SUP_ERROR_INPUT, "preset: \"links\" must be a list with at least one {\"name\": ...}");
    for (const sup_json* m = preset->first; m; m = m->next)
        if (strcmp(m->key, "supple") && strcmp(m->key, "links") && strcmp(m->key, "world"))
            return sup_fail(b->error, SUP_ERROR_INPUT, "preset: \"%s\" is not known; there are: supple, links, world", m->key);
    for (const sup_json* entry = links->first; entry; entry = entry->next) {
        const char* name = sup_json_string(sup_json_get(entry, "name"), NULL);
        if (!name) return sup_fail(b->error, SUP_ERROR_INPUT, "preset: a link has no \"name\"");
        uint32_t ordinal = 1;
        for (const sup_json* e = links->first; e != entry; e = e->next)
            ordinal += strcmp(sup_json_string(sup_json_get(e, "name"), ""), name) == 0;
        link* l = make_links ? NULL : find_link(b, name, strlen(name), ordinal);
        if (make_links) {
            sup_result r = add_link(b, (span){ name, strlen(name) }, &l);
            if (r) return r;
        }
        if (!l) return fail_no_link(b, (span){ name, strlen(name) }, ordinal, "preset");
        sup_result r = apply_preset_link(b, entry, l);
        if (r) return r;
    }
    return SUP_OK;
}

// NAME[#N].PARAM[@GLOB]=VALUE
static sup_result apply_setting(chain_builder* b, const char* text)
{
    const char* equals = strchr(text, '=');
    const char* dot = strchr(text, '.');
    if (!equals || !dot || dot > equals)
        return sup_fail(b->error, SUP_ERROR_INPUT,
                        "'%s' is not a setting; write NAME.PARAM=VALUE, for example dualquat.blend=0.5", text);
    const char* hash = memchr(text, '#', (size_t)(dot - text));
    const char* at = memchr(dot, '@', (size_t)(equals - dot));
    span        name = span_trim((span){ text, (size_t)((hash ? hash : dot) - text) });
    span        param = span_trim((span){ dot + 1, (size_t)((at ? at : equals) - dot - 1) });
    span        value = span_trim((span){ equals + 1, strlen(equals + 1) });
    double      ordinal = 0;
    if (hash && (sup_parse_double(hash + 1, (size_t)(dot - hash - 1), false, &ordinal) != (size_t)(dot - hash - 1) ||
                 !(ordinal >= 1 && ordinal <= LINKS_MAX) || ordinal != (double)(uint32_t)ordinal))
        return sup_fail(b->error, SUP_ERROR_INPUT, "'%s': the number after # says which link of that name, counted from 1",
                        text);
    uint32_t found = 0;
    for (uint32_t i = 0; i < b->chain->link_count; ++i) {
        link* l = &b->chain->links[i];
        if (!span_is(name, l->deformer->name) || (hash && l->ordinal != (uint32_t)ordinal)) continue;
        ++found;
        sup_result r = at ? set_bones(b, l, param, span_trim((span){ at + 1, (size_t)(equals - at - 1) }), value)
                          : set_param(b, l, param, value);
        if (r) return r;
    }
    return found ? SUP_OK : fail_no_link(b, name, hash ? (uint32_t)ordinal : 1, text);
}

// The chain as written, preceded by the implied skinning; for a preset, the names of its links.
static sup_result write_text(chain_builder* b, const char* written)
{
    char        names[LINKS_MAX * 40] = "";
    const char* first = b->chain->links[0].deformer->name;
    span        text = span_trim((span){ written ? written : "", written ? strlen(written) : 0 });
    size_t      length = strlen(first);
    bool        implied = text.length < length || memcmp(text.text, first, length) != 0;
    for (uint32_t i = 0, at = 0; !written && i < b->chain->link_count && at < sizeof names; ++i)
        at += (uint32_t)sup_format(names + at, sizeof names - at, "%s%s", i ? "," : "", b->chain->links[i].deformer->name);
    size_t capacity = text.length + length + 2;
    char*  out = SUP_NEW(b->chain->arena, char, written ? capacity : sizeof names);
    if (!out) return sup_fail_memory(b->error, "a chain");
    if (!written) memcpy(out, names, sizeof names);
    else sup_format(out, capacity, "%s%s%.*s", implied ? first : "", implied ? "," : "", (int)text.length, text.text);
    b->chain->text = out;
    return SUP_OK;
}

sup_result chain_parse(chain_builder* b)
{
    b->chain->links = SUP_NEW(b->chain->arena, link, LINKS_MAX);
    if (!b->chain->links) return sup_fail_memory(b->error, "a chain");
    const char* links = b->desc->links ? b->desc->links : b->desc->preset ? NULL : "linear";
    sup_result  r = links ? parse_links(b, links, false) : SUP_OK;
    if (!r && b->desc->preset) r = apply_preset(b, !links);
    if (!r && links) r = parse_links(b, links, true);
    for (uint32_t i = 0; !r && i < b->desc->setting_count; ++i) r = apply_setting(b, b->desc->settings[i]);
    return r ? r : write_text(b, links);
}

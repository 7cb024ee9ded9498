// What a parameter or a whole deformer needs in order to have an effect: parses, evaluates and words the texts of `only_with`.
#include "math/vec.h"
#include "run/runner.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------- reading

static bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

bool only_next(const char** text, only_item* out)
{
    const char* p = *text;
    if (!p) return false;
    *out = (only_item){ .first = *p != '|' };
    while (*p == ' ' || *p == ',' || *p == '|') out->first &= *p++ != '|';
    if (!*p) return false;
    out->name = p;
    while (is_word(*p)) ++p;
    out->name_length = (size_t)(p - out->name);
    if (*p == '=') out->test = ONLY_EQUAL, p += 1;
    else if (*p == '>') out->test = ONLY_ABOVE, p += 1;
    else if (p[0] == '!' && p[1] == '=') out->test = ONLY_OTHER, p += 2;
    out->value = p;
    while (out->test != ONLY_CONDITION && *p && *p != ',' && *p != '|') ++p;
    out->value_length = (size_t)(p - out->value);
    *text = p;
    return out->name_length > 0;
}

// ---------------------------------------------------------------------------------------------- common conditions

static bool has_track(const sup_bind_input* in, world_target target)
{
    for (uint32_t i = 0; i < in->world->track_count; ++i)
        if (in->world->tracks[i].target == target) return true;
    return false;
}

static bool has_wind(const sup_bind_input* in, const sup_binding* binding)
{
    (void)binding;
    return v3_length(in->world->wind) > 0 || has_track(in, WORLD_WIND);
}

static bool has_gravity(const sup_bind_input* in, const sup_binding* binding)
{
    (void)binding;
    return v3_length(in->world->gravity) > 0 || has_track(in, WORLD_GRAVITY);
}

static bool has_forces(const sup_bind_input* in, const sup_binding* binding)
{
    (void)binding;
    return in->world->force_count > 0;
}

static bool has_region_forces(const sup_bind_input* in, const sup_binding* binding)
{
    (void)binding;
    for (uint32_t i = 0; i < in->world->force_count; ++i)
        if (in->world->forces[i].force.kind == SUP_FORCE_REGION) return true;
    return false;
}

static bool has_bodies(const sup_bind_input* in, const sup_binding* binding)
{
    (void)binding;
    return in->world->body_count > 0;
}

static bool has_muscles(const sup_bind_input* in, const sup_binding* binding)
{
    (void)binding;
    return in->world->muscle_count > 0;
}

// Sculpts of this clip, and sculpts of any.
static uint32_t example_count(const sup_bind_input* in, double* last)
{
    const sup_character* c = in->character;
    uint32_t             count = 0;
    for (uint32_t i = 0; i < c->example_count; ++i) {
        const sup_example* e = &c->examples[i];
        if (e->clip && in->clip && strcmp(e->clip, in->clip->name) != 0) continue;
        if (last && (count == 0 || e->time > *last)) *last = e->time;
        ++count;
    }
    return count;
}

static bool has_examples(const sup_bind_input* in, const sup_binding* binding)
{
    (void)binding;
    return example_count(in, NULL) > 0;
}

static bool has_third_example(const sup_bind_input* in, const sup_binding* binding)
{
    (void)binding;
    return example_count(in, NULL) > 2;
}

// A live host may run for any length of time.
static bool has_time_behind(const sup_bind_input* in, const sup_binding* binding)
{
    (void)binding;
    double last = 0;
    return example_count(in, &last) > 0 && (!in->clip || in->clip->seconds > last);
}

static bool is_constant(const sup_channel* c)
{
    for (uint32_t i = c->width; i < c->key_count * c->width; ++i)
        if (c->values[i] != c->values[i % c->width]) return false;
    return c->interpolation != SUP_INTERPOLATE_CUBIC;
}

// Keys on the root of the skin, or on what carries it. A live host may move it freely.
static bool has_root_motion(const sup_bind_input* in, const sup_binding* binding)
{
    (void)binding;
    const sup_skeleton* s = &in->character->skeleton;
    uint32_t            root = 0;
    while (root + 1 < s->joint_count && !s->joints[root].skin_joint) ++root;
    for (uint32_t i = 0; in->clip && i < in->clip->channel_count; ++i) {
        const sup_channel* c = &in->clip->channels[i];
        if (c->path == SUP_PATH_WEIGHTS || is_constant(c)) continue;
        for (uint32_t j = root; j != SUP_NONE && j < s->joint_count; j = s->joints[j].parent)
            if (c->target == j) return true;
    }
    return !in->clip;
}

static const sup_condition common[] = {
    { "wind", "wind in the world", "give one with --world", has_wind },
    { "gravity", "gravity in the world", "give one with --world", has_gravity },
    { "forces", "forces in the world", "give some with --world", has_forces },
    { "region_forces", "a force on a region in the world", "give one with --world", has_region_forces },
    { "bodies", "bodies in the world", "give some with --world", has_bodies },
    { "muscles", "muscles in the world", "give some with --world", has_muscles },
    { "examples", "example shapes", "give some with --example T=FILE", has_examples },
    { "third_example", "a third example shape", "give one with --example T=FILE", has_third_example },
    { "time_behind_examples", "time after the last example", "take a longer clip or an earlier example", has_time_behind },
    { "root_motion", "a root that moves", "take a clip that moves it", has_root_motion },
    { 0 },
};

const sup_condition* sup_conditions_common(void) { return common; }

const sup_condition* only_condition(const sup_deformer* d, const only_item* item)
{
    const sup_condition* lists[] = { d->conditions, common };
    for (uint32_t k = 0; k < SUP_COUNT_OF(lists); ++k)
        for (const sup_condition* c = lists[k]; c && c->name; ++c)
            if (strlen(c->name) == item->name_length && memcmp(c->name, item->name, item->name_length) == 0) return c;
    return NULL;
}

// ---------------------------------------------------------------------------------------------- answering

typedef struct asked {
    const sup_chain*      chain;
    uint32_t              index;
    const link*           l;
    const sup_bind_input* in;
} asked;

// Rows depend on rows that depend on others (way, closed, support). A longer chain is a cycle.
enum { DEPTH_MAX = 4 };

static bool is_keyed(const asked* a, uint32_t row)
{
    for (uint32_t i = 0; i < a->chain->world.track_count; ++i) {
        const world_track* t = &a->chain->world.tracks[i];
        if (t->target == WORLD_PARAM && t->link == a->index && t->param == row) return true;
    }
    return false;
}

// The item's value as the number its row stores.
static double item_number(const sup_param* p, const only_item* item)
{
    double number = 0;
    if (p->type == SUP_PARAM_BOOL) return item->value_length == 4 && memcmp(item->value, "true", 4) == 0;
    if (p->type == SUP_PARAM_CHOICE) {
        for (int i = 0; p->choices[i]; ++i)
            if (strlen(p->choices[i]) == item->value_length && memcmp(p->choices[i], item->value, item->value_length) == 0)
                return i;
        return -1;
    }
    sup_parse_double(item->value, item->value_length, false, &number);
    return number;
}

static bool text_holds(const asked* a, const char* text, int depth);

static bool item_holds(const asked* a, const only_item* item, int depth)
{
    if (item->test == ONLY_CONDITION) return only_condition(a->l->deformer, item)->holds(a->in, &a->l->binding);
    uint32_t         row = param_find(a->l->deformer, item->name, item->name_length);
    const sup_param* p = &a->l->deformer->params[row];
    if (depth < DEPTH_MAX && !text_holds(a, p->only_with, depth + 1)) return false;
    // A parameter that varies over time, points or bones takes the required value somewhere.
    if (is_keyed(a, row) || a->l->fields[row].scale) return true;
    if (p->type == SUP_PARAM_TEXT) {
        const char* now = *(const char* const*)((const uint8_t*)a->l->params + p->offset);
        return (now[0] != 0) == (item->test == ONLY_OTHER);
    }
    double now = param_get_number(p, a->l->params), value = item_number(p, item);
    return item->test == ONLY_EQUAL ? now == value : item->test == ONLY_OTHER ? now != value : now > value;
}

// The first clause that does not hold, or NULL.
static const char* unmet_clause(const asked* a, const char* text, int depth)
{
    const char *begin = NULL, *at = text;
    bool        holds = true;
    for (only_item item; only_next(&at, &item);) {
        if (item.first) {
            if (!holds) return begin;
            begin = item.name;
            holds = false;
        }
        holds = holds || item_holds(a, &item, depth);
    }
    return holds ? NULL : begin;
}

static bool text_holds(const asked* a, const char* text, int depth) { return !text || !unmet_clause(a, text, depth); }

// ---------------------------------------------------------------------------------------------- words

typedef struct sentence {
    char   text[512];
    size_t at;
} sentence;

static void add(sentence* s, const char* format, ...) SUP_FORMAT(2, 3);
static void add(sentence* s, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (s->at < sizeof s->text) s->at += sup_format_list(s->text + s->at, sizeof s->text - s->at, format, arguments);
    va_end(arguments);
}

static void add_value(sentence* s, const sup_param* p, const void* params)
{
    double now = param_get_number(p, params);
    if (p->type == SUP_PARAM_CHOICE) add(s, "%s=%s", p->name, p->choices[(int)now]);
    else if (p->type == SUP_PARAM_BOOL) add(s, "%s=%s", p->name, now != 0 ? "true" : "false");
    else if (p->type == SUP_PARAM_TEXT) add(s, "%s=''", p->name);
    else add(s, "%s=%g", p->name, now);
}

static void add_item(sentence* s, const sup_deformer* d, const only_item* item)
{
    static const char* const words[] = { [ONLY_EQUAL] = "=", [ONLY_OTHER] = " other than ", [ONLY_ABOVE] = " above " };
    if (item->test == ONLY_CONDITION) add(s, "%s", only_condition(d, item)->words);
    else add(s, "%.*s%s%.*s", (int)item->name_length, item->name, words[item->test], (int)item->value_length, item->value);
}

// The alternatives of one clause, joined by 'or'. Returns how many; *row is the row that all of them name, else SUP_NONE.
static uint32_t add_clause(sentence* s, const sup_deformer* d, const char* clause, uint32_t* row)
{
    uint32_t count = 0;
    *row = SUP_NONE;
    for (only_item item; only_next(&clause, &item) && (count == 0 || !item.first); ++count) {
        uint32_t own = item.test == ONLY_CONDITION ? SUP_NONE : param_find(d, item.name, item.name_length);
        *row = count == 0 || *row == own ? own : SUP_NONE;
        if (s && count) add(s, " or ");
        if (s) add_item(s, d, &item);
    }
    return count;
}

// "with integrator=implicit; set integrator=symplectic", "without wind in the world; give one with --world".
static void explain(sentence* s, const asked* a, const char* clause, int depth)
{
    const sup_deformer* d = a->l->deformer;
    uint32_t            row, count = add_clause(NULL, d, clause, &row);
    const char*         nested = row != SUP_NONE && depth < DEPTH_MAX ? d->params[row].only_with : NULL;
    nested = nested ? unmet_clause(a, nested, depth + 1) : NULL;
    if (nested) {
        add(s, "while %s does nothing ", d->params[row].name);
        explain(s, a, nested, depth + 1);
    } else if (row != SUP_NONE) {
        add(s, "with ");
        add_value(s, &d->params[row], a->l->params);
        add(s, "; set ");
        add_clause(s, d, clause, &row);
    } else {
        only_item item;
        add(s, "without ");
        add_clause(s, d, clause, &row);
        only_next(&clause, &item);
        if (count == 1) add(s, "; %s", only_condition(d, &item)->cure);
    }
}

static sup_result note_unmet(const asked* a, const char* text, const char* what, sup_arena* arena, const char** out,
                             sup_error* error)
{
    const char* clause = text ? unmet_clause(a, text, 0) : NULL;
    *out = NULL;
    if (!clause) return SUP_OK;
    sentence s = { .at = 0 };
    add(&s, "%s", what);
    explain(&s, a, clause, 0);
    *out = sup_arena_text(arena, s.text, strlen(s.text));
    return *out ? SUP_OK : sup_fail_memory(error, "a chain");
}

// A parameter at its default needs no warning.
static bool differs_from_default(const asked* a, uint32_t row)
{
    const sup_param* p = &a->l->deformer->params[row];
    if (is_keyed(a, row)) return true;
    if (a->in->fields[row].scale) return true; // painted (in the file or by --map), or set for a bone
    if (!a->l->set[row]) return false;
    for (const bone_value* v = a->l->bones; v; v = v->next)
        if (v->param == row) return true;
    if (p->type != SUP_PARAM_TEXT) return param_get_number(p, a->l->params) != (double)(float)p->standard;
    const char* now = *(const char* const*)((const uint8_t*)a->l->params + p->offset);
    return strcmp(now, p->standard_text ? p->standard_text : "") != 0;
}

static bool names_row(const sup_deformer* d, const char* text, uint32_t row)
{
    for (only_item item; only_next(&text, &item);)
        if (item.test != ONLY_CONDITION && param_find(d, item.name, item.name_length) == row) return true;
    return false;
}

sup_result link_idle(chain_builder* b, uint32_t index, const sup_bind_input* in)
{
    link*               l = &b->chain->links[index];
    const sup_deformer* d = l->deformer;
    const asked         a = { b->chain, index, l, in };
    const char*         what = d->relief ? "moves no point " : "does nothing "; // it may shade detail too fine for the points
    sup_result          r = note_unmet(&a, d->only_with, what, b->chain->arena, &l->inert, b->error);
    if (!r && l->inert) sup_note(in->notes, "it %s", l->inert);
    for (uint32_t i = 0; !r && i < d->param_count; ++i) {
        r = note_unmet(&a, d->params[i].only_with, "does nothing ", b->chain->arena, &l->idle[i], b->error);
        // If the whole link has no effect, one sentence is enough, unless a parameter that was set should have given it one.
        if (!r && l->idle[i] && differs_from_default(&a, i) && (!l->inert || names_row(d, d->only_with, i)))
            sup_note(in->notes, "%s %s", d->params[i].name, l->idle[i]);
    }
    return r;
}

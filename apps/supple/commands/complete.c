// Completes the word being typed: from the tables of verbs, flags and parameters, and from the file on the command line.
#include "complete.h"

#include "supple/deformer.h"
#include "supple/io.h"
#include "supple/io_extra.h"

#include <stdio.h>
#include <string.h>

// What is known of the line so far.
typedef struct line {
    const verb*    verb;
    const char*    file; // the first word that is not a flag; NULL: not yet given
    const char*    chain;
    uint32_t       words;
    sup_character* character; // of `file`; NULL until needed, or if it cannot be read
    const char*    last;      // the word, or the value behind --flag=
    const char*    before;    // what stands before the value in the word itself: "--flag="
    size_t         before_length;
} line;

// ---------------------------------------------------------------------------------------------- printing

// Prints a candidate if it begins with the typed text. `head` is the part of the value before it.
static void offer(const line* l, const char* head, size_t head_length, const char* name, const char* tail, const char* help)
{
    size_t written = strlen(l->last + head_length), length = strlen(name);
    if (strncmp(l->last, head, head_length) != 0) return;
    if (strncmp(name, l->last + head_length, written < length ? written : length) != 0 || written > length + strlen(tail))
        return;
    // Each candidate is one line: skip a name that would break it.
    if (strpbrk(name, "\n\r\t")) return;
    printf("%.*s%.*s%s%s", (int)l->before_length, l->before, (int)head_length, head, name, tail);
    if (help && *help) printf("\t%.*s", (int)strcspn(help, "\n\t"), help);
    putchar('\n');
}

static void offer_words(const line* l, const char* words)
{
    for (const char* at = words; *at;) {
        char   word[32];
        size_t length = strcspn(at, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        offer(l, "", 0, word, "", NULL);
        at += length + strspn(at + length, " ");
    }
}

// ---------------------------------------------------------------------------------------------- the file at hand

static const sup_character* character_of(line* l)
{
    sup_error        error;
    sup_load_options load = { .extra = sup_extra_get() };
    if (!l->character && l->file && sup_load(l->file, &load, &l->character, &error) != SUP_OK) l->character = NULL;
    return l->character;
}

static void offer_clips(line* l)
{
    const sup_character* c = character_of(l);
    for (uint32_t i = 0; c && i < c->clip_count; i++) {
        char seconds[48];
        snprintf(seconds, sizeof seconds, "%.3g s", c->clips[i].seconds);
        offer(l, "", 0, c->clips[i].name, "", seconds);
    }
}

static void offer_joints(line* l, const char* head, size_t head_length, const char* tail)
{
    const sup_character* c = character_of(l);
    for (uint32_t i = 0; c && i < c->skeleton.joint_count; i++)
        offer(l, head, head_length, c->skeleton.joints[i].name, tail, "joint");
}

static void offer_meshes(line* l)
{
    const sup_character* c = character_of(l);
    for (uint32_t i = 0; c && i < c->mesh.part_count; i++) offer(l, "", 0, c->mesh.parts[i].name, "", "mesh");
}

static void offer_maps(line* l, const char* head)
{
    const sup_character* c = character_of(l);
    for (uint32_t i = 0; c && i < c->map_count; i++) offer(l, head, strlen(head), c->maps[i].name, "", "map");
}

// ---------------------------------------------------------------------------------------------- chains

static const sup_deformer* deformer_named(const char* name, size_t length)
{
    for (uint32_t i = 0; i < sup_deformer_count(); i++) {
        const sup_deformer* d = sup_deformer_at(i);
        if (strlen(d->name) == length && memcmp(d->name, name, length) == 0) return d;
    }
    return NULL;
}

static void offer_deformers(const line* l, size_t head, const char* tail)
{
    for (uint32_t i = 0; i < sup_deformer_count(); i++)
        offer(l, l->last, head, sup_deformer_at(i)->name, tail, sup_deformer_at(i)->summary);
}

// The parameter's name starts `head` characters into the word.
static void offer_params(const line* l, const sup_deformer* d, size_t head, const char* tail)
{
    for (uint32_t i = 0; d && i < d->param_count; i++) offer(l, l->last, head, d->params[i].name, tail, d->params[i].help);
}

// The values of the parameter whose name is the `length` characters at `name`.
static void offer_param_values(const line* l, const sup_deformer* d, const char* name, size_t length, size_t head)
{
    if (length == 6 && memcmp(name, "preset", 6) == 0)
        for (const sup_preset* p = d->presets; p && p->name; p++) offer(l, l->last, head, p->name, "", p->summary);
    for (uint32_t i = 0; i < d->param_count; i++) {
        const sup_param* p = &d->params[i];
        if (strlen(p->name) != length || memcmp(p->name, name, length) != 0) continue;
        for (uint32_t k = 0; p->type == SUP_PARAM_CHOICE && p->choices[k]; k++)
            offer(l, l->last, head, p->choices[k], "", NULL);
        if (p->type == SUP_PARAM_BOOL) {
            offer(l, l->last, head, "true", "", NULL);
            offer(l, l->last, head, "false", "", NULL);
        }
    }
}

// "dualquat,smooth(iterations=5,ma": the name of a link, of a parameter in parentheses, or its value.
static void offer_chain(const line* l)
{
    size_t link = 0, item = 0, open = 0;
    for (size_t i = 0; l->last[i]; i++) {
        if (l->last[i] == '(') open = item = i + 1;
        if (l->last[i] == ')') open = 0;
        if (l->last[i] == ',') item = i + 1;
        if (l->last[i] == ',' && !open) link = i + 1;
    }
    if (!open) {
        offer_deformers(l, link, "");
        return;
    }
    const sup_deformer* d = deformer_named(l->last + link, open - 1 - link);
    const char*         equals = strchr(l->last + item, '=');
    if (!d) return;
    if (equals) {
        offer_param_values(l, d, l->last + item, (size_t)(equals - l->last) - item, (size_t)(equals - l->last) + 1);
        return;
    }
    offer_params(l, d, item, "=");
    if (d->presets) offer(l, l->last, item, "preset", "=", "a named set of values");
}

// The links of --deform if it was given, else all deformers.
static void offer_links(const line* l, const char* tail)
{
    if (!l->chain) {
        offer_deformers(l, 0, tail);
        return;
    }
    for (const char* at = l->chain; *at;) {
        size_t              length = strcspn(at, ",(");
        const sup_deformer* d = deformer_named(at, length);
        if (d) offer(l, "", 0, d->name, tail, d->summary);
        at += length;
        if (*at == '(') at += strcspn(at, ")");
        at += strcspn(at, ",");
        at += *at == ',';
    }
}

// "layers.stiffness@Spine=0.5": link, parameter, bone, value.
static void offer_setting(line* l)
{
    const char* dot = strchr(l->last, '.');
    if (!dot) {
        offer_links(l, ".");
        return;
    }
    size_t              name = (size_t)(dot - l->last) + 1;
    const sup_deformer* d = deformer_named(l->last, strcspn(l->last, ".#"));
    const char *        equals = strchr(dot, '='), *at = strchr(dot, '@');
    if (!d) return;
    if (equals) offer_param_values(l, d, dot + 1, strcspn(dot + 1, "@="), (size_t)(equals - l->last) + 1);
    else if (at) offer_joints(l, l->last, (size_t)(at - l->last) + 1, "=");
    else offer_params(l, d, name, "=");
}

// "damping,beam.st": parameters of the chain's links.
static void offer_fitted(const line* l)
{
    const char* comma = strrchr(l->last, ',');
    size_t      head = comma ? (size_t)(comma - l->last) + 1 : 0;
    for (const char* at = l->chain ? l->chain : ""; *at;) {
        size_t length = strcspn(at, ",(");
        offer_params(l, deformer_named(at, length), head, "");
        at += length;
        if (*at == '(') at += strcspn(at, ")");
        at += strcspn(at, ",");
        at += *at == ',';
    }
}

static void offer_heat(line* l)
{
    static const char weights[] = "weights:";
    offer_words(l, "error stretch curvature weights: map:");
    if (strncmp(l->last, weights, sizeof weights - 1) == 0) offer_joints(l, weights, sizeof weights - 1, "");
    if (strncmp(l->last, "map:", 4) == 0) offer_maps(l, "map:");
}

// ---------------------------------------------------------------------------------------------- flags and words

// Words that a flag's help lists.
static const char* fixed_values(flag_id id)
{
    switch (id) {
    case FLAG_CAMERA: return "three-quarter front back left right side top orbit:";
    case FLAG_FOLLOW: return "travel on off";
    case FLAG_UP: return "y z x";
    case FLAG_UNIT: return "m cm mm km in ft";
    case FLAG_METHOD: return "screened diffuse";
    case FLAG_VAT: return "png exr packed";
    case FLAG_FOR: return "web three unreal unity godot";
    case FLAG_COLOR: return "clay file";
    case FLAG_BACKGROUND: return "light white dark";
    default: return NULL;
    }
}

static void offer_values(line* l, const flag_row* row)
{
    const char *words = fixed_values(row->id), *argument = row->argument;
    if (words) offer_words(l, words);
    else if (row->id == FLAG_CLIP || row->id == FLAG_CLIPS) offer_clips(l);
    else if (row->id == FLAG_POSE) offer_joints(l, "", 0, "=");
    else if (row->id == FLAG_JOINT || row->id == FLAG_FOCUS) offer_joints(l, "", 0, "");
    else if (row->id == FLAG_MESH || row->id == FLAG_DRESS) offer_meshes(l);
    else if (row->id == FLAG_MASK) offer_maps(l, "");
    else if (row->id == FLAG_HEAT) offer_heat(l);
    else if (row->id == FLAG_SET) offer_setting(l);
    else if (row->id == FLAG_PARAMS) offer_fitted(l);
    else if (row->id == FLAG_SHOW) offer_links(l, ".");
    else if (row->id == FLAG_SAVE && !strchr(l->last, '=')) offer_links(l, "=");
    else if (strcmp(argument, "CHAIN") == 0) offer_chain(l);
    else if (strcmp(argument, "DIR") == 0) puts(":folders");
    else if (strstr(argument, "FILE")) puts(":files");
}

static void offer_flags(const line* l)
{
    for (uint32_t i = 0; i < FLAG_COUNT; i++) {
        const flag_row* row = options_flag(i);
        char            name[64];
        snprintf(name, sizeof name, "--%s", row->name);
        if (row->verbs & l->verb->bit) offer(l, "", 0, name, "", row->help);
    }
}

static void offer_inputs(line* l)
{
    if (strcmp(l->verb->words, "[NAME]") == 0) {
        if (l->words == 0) offer_deformers(l, 0, "");
        return;
    }
    for (uint32_t i = 0; i < sup_builtin_count() && l->words == 0 && strstr(l->verb->words, "FILE"); i++) {
        char name[64];
        snprintf(name, sizeof name, "builtin:%s", sup_builtin_name(i));
        offer(l, "", 0, name, "", sup_builtin_summary(i));
    }
    if (l->words < l->verb->words_max) puts(strstr(l->verb->words, "DIR") ? ":folders" : ":files");
}

static const flag_row* flag_named(const verb* v, const char* word)
{
    size_t length = strcspn(word + 2, "=");
    for (uint32_t i = 0; i < FLAG_COUNT; i++) {
        const flag_row* row = options_flag(i);
        if ((row->verbs & v->bit) && strlen(row->name) == length && memcmp(row->name, word + 2, length) == 0) return row;
    }
    return NULL;
}

// Walks over the words before the last. Returns the flag whose value the last one is, NULL if none.
static const flag_row* walk(line* l, int argc, char** argv)
{
    const flag_row* waits = NULL;
    for (int i = 0; i + 1 < argc; i++) {
        const char* word = argv[i];
        bool        is_flag = strncmp(word, "--", 2) == 0;
        if (is_flag) {
            const char*     equals = strchr(word, '=');
            const flag_row* row = flag_named(l->verb, word);
            if (row && row->id == FLAG_DEFORM && equals) l->chain = equals + 1;
            waits = row && row->argument && !equals ? row : NULL;
        } else if (waits) {
            if (waits->id == FLAG_DEFORM) l->chain = word;
            if (!options_takes_many(waits)) waits = NULL;
        } else if (l->words++ == 0) l->file = word;
    }
    return waits;
}

static void offer_in_verb(line* l, int argc, char** argv)
{
    const flag_row* waits = walk(l, argc, argv);
    const char*     equals = strchr(l->last, '=');
    if (strncmp(l->last, "--", 2) == 0 && equals) {
        const flag_row* row = flag_named(l->verb, l->last);
        l->before = l->last;
        l->before_length = (size_t)(equals - l->last) + 1;
        l->last = equals + 1;
        if (row && row->argument) offer_values(l, row);
    } else if (l->last[0] == '-') offer_flags(l);
    else if (waits) offer_values(l, waits);
    else offer_inputs(l);
}

int complete_words(const verb* verbs, uint32_t verb_count, int argc, char** argv)
{
    line l = { .last = argc > 0 ? argv[argc - 1] : "", .before = "" };
    if (argc <= 1) {
        for (uint32_t i = 0; i < verb_count; i++) offer(&l, "", 0, verbs[i].name, "", verbs[i].summary);
        offer(&l, "", 0, "help", "", "what a verb does");
        offer(&l, "", 0, "--version", "", "the version");
        offer(&l, "", 0, "--help", "", "the verbs");
        return EXIT_DONE;
    }
    bool helps = strcmp(argv[0], "help") == 0;
    for (uint32_t i = 0; i < verb_count; i++) {
        if (helps && argc == 2) offer(&l, "", 0, verbs[i].name, "", verbs[i].summary);
        if (strcmp(argv[0], verbs[i].name) == 0) l.verb = &verbs[i];
    }
    if (l.verb) offer_in_verb(&l, argc - 1, argv + 1);
    sup_character_destroy(l.character);
    return EXIT_DONE;
}
